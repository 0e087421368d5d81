#include "sorted_source.hpp"

#include <algorithm>
#include <bit>
#include <deque>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>

#include "absolute_search.hpp"
#include "division.hpp"
#include "measure.hpp"
#include "node_search.hpp"
#include "take_entries.hpp"

namespace treewright {
namespace {

// Builds for a sanitizer have small limits, so that small random tables take all paths.
#ifdef TREEWRIGHT_SMALL_LIMITS
constexpr bool kSmallLimits = true;
#else
constexpr bool kSmallLimits = false;
#endif

// This many entries of a node, and as much scratch, stay in the first-level cache of a core (32 KB)
// between division and search. Computed from the size of the cache, not measured.
constexpr int64_t kNearEntries = 4096;
// A subtree of a number of rows between these limits is grown at home. For fewer rows a numbering
// of their own does not pay. More rows do not fit into the second-level cache of a core (512 KB: 4
// to 20 bytes per row are looked up by number, but a single bit if the class lies in the entry).
// Numbering subtrees was measured as a whole (benchmarks/README.md), the limits were not.
constexpr int64_t kFewestHomeRows = kSmallLimits ? 16 : 1024;
template <class Rows>
constexpr int64_t kMostHomeRows = !std::is_same_v<Rows, CountedRows> ? 65'536
                                  : kSmallLimits                     ? 48
                                                                     : 262'144;
static_assert(kFewRowNumbers <= int64_t(simd::kRowsInRegisters));

// What the table's source and the homes of its subtrees have in common: open nodes in one
// numbering.
template <class Rows>
class SortedSource : public NodeSource {
 public:
  explicit SortedSource(std::shared_ptr<Problem> problem) : problem_(std::move(problem)) {}

  TableFacts facts() const override { return problem_->facts(); }
  void open_root(Division&, const Judge&, Team&) override {
    throw std::logic_error("the home of a subtree has no root of the table");
  }
  void choose(std::span<const int32_t> handles, std::span<Choice> choices) override;
  void divide(std::span<Division> divisions, const Judge& judge, Team* team) override;
  void close(int32_t handle) override { free_.push_back(handle); }
  std::vector<Candidate> best_of_each_column(int32_t handle) override {
    return best_splits_by_column(view(handle));
  }
  void examine(int32_t handle, Candidate& split) override;
  int64_t home_rows(int) const override {
    return numbering_.n_numbers() > size_t(kFewRowNumbers) ? kFewRowNumbers : 0;
  }
  void prepare_homes(int n_workers) override;
  Home at_home(int32_t handle, int worker) override;
  void finish(Team&) override {}

 protected:
  NodeView<Rows> view(OpenNode& node) { return {*problem_, numbering_, node}; }
  NodeView<Rows> view(int32_t handle) { return view(nodes_[size_t(handle)]); }
  int32_t allocate();
  // Measures a node and reports it. Returns whether it may be split; it is then ready for a search.
  bool measure_and_report(OpenNode& node, Division& division, size_t child, const Judge& judge);
  void prepare_search(OpenNode& node);

  std::shared_ptr<Problem> problem_;
  RowNumbering<Rows> numbering_;
  std::deque<OpenNode> nodes_;  // by handle
  std::vector<int32_t> free_;   // handles

 private:
  void divide(Division& division, const Judge& judge, Team* team);
  void open_children(const NodeDivision<Rows>& rows, Division& division);
  void divide_columns(NodeDivision<Rows>& rows, const OpenNode& parent, Team* team);
  void check_split(const Candidate& split) const;
  void check_no_branch_is_empty(const NodeView<Rows>& node, const Candidate& split) const;
  double gain_of(const NodeView<Rows>& node, const Candidate& split) const;

  std::vector<std::unique_ptr<SortedSource>> homes_;  // one per worker
  // The children of the node that is being divided.
  std::vector<OpenNode*> children_;
  std::vector<uint8_t> searched_;
};

// ---- open nodes ----

template <class Rows>
int32_t SortedSource<Rows>::allocate() {
  if (free_.empty()) {
    nodes_.emplace_back();
    return static_cast<int32_t>(nodes_.size() - 1);
  }
  const int32_t handle = free_.back();
  free_.pop_back();
  return handle;
}

template <class Rows>
void SortedSource<Rows>::choose(std::span<const int32_t> handles, std::span<Choice> choices) {
  for (size_t i = 0; i < handles.size(); ++i) {
    choices[i] = choose_split(view(handles[i]));
  }
}

template <class Rows>
bool SortedSource<Rows>::measure_and_report(OpenNode& node, Division& division, size_t child,
                                            const Judge& judge) {
  const NodeView<Rows> here = view(node);
  measure(here);
  division.children[child] = node.record;
  std::copy(node.stats.begin(), node.stats.end(),
            division.stats.begin() + static_cast<int64_t>(child * node.stats.size()));
  return judge.may_be_split(division, child);
}

template <class Rows>
void SortedSource<Rows>::prepare_search(OpenNode& node) {
  node.best.assign(problem_->n_columns(), kNone);
  node.offers.resize(problem_->options.gain_ratio ? problem_->n_columns() : 0);
  if constexpr (std::is_same_v<Rows, NumberRows>) {
    node.coarse = coarse_image(view(node), true);
  }
}

// ---- dividing ----

template <class Rows>
void SortedSource<Rows>::divide(std::span<Division> divisions, const Judge& judge, Team* team) {
  for (Division& division : divisions) {
    divide(division, judge, team);
  }
}

// Opens a node for each branch.
template <class Rows>
void SortedSource<Rows>::open_children(const NodeDivision<Rows>& rows, Division& division) {
  const Branches& branches = rows.branches();
  const size_t words = size_t(problem_->layout.words());
  const OpenNode& parent = nodes_[size_t(division.handle)];
  division.children.resize(branches.n);
  division.stats.resize(branches.n * words);
  children_.clear();
  for (size_t b = 0; b < branches.n; ++b) {
    const int32_t handle = allocate();
    OpenNode& child = nodes_[size_t(handle)];
    const int64_t* stats = branches.stats.data() + b * words;
    child.key = child_key(division.key, static_cast<int>(b));
    child.stats.assign(stats, stats + words);
    child.known.resize(parent.known.size());
    child.record.handle = handle;
    child.record.number.scale = parent.record.number.scale;
    child.record.weight_squared = branches.weight_squared.empty() ? 0 : branches.weight_squared[b];
    children_.push_back(&child);
  }
}

template <class Rows>
void SortedSource<Rows>::divide(Division& division, const Judge& judge, Team* team) {
  const int32_t handle = division.handle;
  OpenNode& parent = nodes_[size_t(handle)];
  NodeDivision<Rows> rows(view(parent), *division.split, team);
  const Branches& branches = rows.branches();
  const int64_t known = view(parent).known(size_t(division.split->column));
  division.n_missing = std::max<int64_t>(parent.n_rows() - known, std::ssize(branches.unplaced));
  division.surrogates = branches.surrogates;
  open_children(rows, division);
  rows.place(children_);
  numbering_.scratch.resize(team ? size_t(team->size()) : 1);
  if constexpr (NodeView<Rows>::kNumber) {
    rows.divide_column(problem_->n_columns(), parent.n_rows(), 0, nullptr);  // the target
  }
  searched_.assign(branches.n, 0);
  const auto look_at = [&](size_t b, int) {
    searched_[b] = measure_and_report(*children_[b], division, b, judge);
    if (searched_[b]) {
      prepare_search(*children_[b]);
    }
  };
  if (std::is_same_v<Rows, NumberRows> && team) {  // several passes over the rows
    team->run(branches.n, look_at);
  } else {
    for (size_t b = 0; b < branches.n; ++b) {
      look_at(b, 0);
    }
  }
  const bool any = std::count(searched_.begin(), searched_.end(), 1) > 0;
  if (any) {
    divide_columns(rows, parent, team);
  }
  rows.clear_sides(any);
  for (size_t b = 0; b < branches.n; ++b) {
    if (!searched_[b]) {
      close(division.children[b].handle);
    }
  }
  close(handle);
}

// A few columns at a time: they are divided, then each open child is searched in them.
template <class Rows>
void SortedSource<Rows>::divide_columns(NodeDivision<Rows>& rows, const OpenNode& parent,
                                        Team* team) {
  struct ChildSearch {
    NodeCost cost;
    std::vector<size_t> drawn;
    std::span<const size_t> columns;
    BestSoFar best;
    explicit ChildSearch(NodeCost cost) : cost(cost) {}
  };
  const Problem& problem = *problem_;
  std::deque<ChildSearch> searches;  // of the open children
  std::vector<OpenNode*> open;
  for (size_t b = 0; b < children_.size(); ++b) {
    if (searched_[b]) {
      open.push_back(children_[b]);
      ChildSearch& search = searches.emplace_back(view(*children_[b]).cost());
      search.columns = columns_to_search(problem, children_[b]->key, search.drawn);
    }
  }
  const bool complete = rows.branches().two_sides && parent.known.empty();
  const auto divide_column = [&](size_t c, int worker) {
    const int32_t slot = problem.missing_slot[c];
    const int64_t known = slot < 0 ? parent.n_rows() : parent.known[size_t(slot)];
    SmallArray<int64_t, 8> known_of_children(children_.size());
    rows.divide_column(c, known, worker, known_of_children.data());
    for (size_t b = 0; b < children_.size() && slot >= 0; ++b) {
      children_[b]->known[size_t(slot)] = static_cast<int32_t>(known_of_children.data()[b]);
    }
  };
  const auto width = static_cast<size_t>(std::max<int64_t>(1, kNearEntries / parent.n_rows()));
  const auto divide_and_search = [&](size_t group, int worker) {
    const size_t first = group * width, last = std::min(first + width, problem.n_columns());
    if (complete) {
      rows.divide_complete_columns(first, last, worker);
    } else {
      for (size_t c = first; c < last; ++c) {
        divide_column(c, worker);
      }
    }
    for (size_t i = 0; i < open.size(); ++i) {
      ChildSearch& search = searches[i];
      const auto begin = std::lower_bound(search.columns.begin(), search.columns.end(), first);
      const auto end = std::lower_bound(begin, search.columns.end(), last);
      search_columns(view(*open[i]), search.cost, {begin, end}, search.best);
    }
  };
  const size_t n_groups = (problem.n_columns() + width - 1) / width;
  if (team) {
    team->run(n_groups, divide_and_search);
  } else {
    for (size_t group = 0; group < n_groups; ++group) {
      divide_and_search(group, 0);
    }
  }
}

// ---- splits from outside ----

template <class Rows>
void SortedSource<Rows>::examine(int32_t handle, Candidate& split) {
  check_split(split);
  const NodeView<Rows> node = view(handle);
  check_no_branch_is_empty(node, split);
  split.gain = gain_of(node, split);
}

// A split from outside may name any column, and any kind.
template <class Rows>
void SortedSource<Rows>::check_split(const Candidate& split) const {
  if (split.column < 0 || size_t(split.column) >= problem_->n_columns()) {
    throw std::invalid_argument("there is no column " + std::to_string(split.column));
  }
  const Kind kind = problem_->views[size_t(split.column)].kind;
  const bool by_category = split.kind == SplitKind::subset || split.kind == SplitKind::multiway;
  const bool fits = split.kind == SplitKind::is_missing ||
                    (by_category ? kind != Kind::numeric
                                 : split.kind == SplitKind::threshold && kind != Kind::categorical);
  const bool fractional = problem_->options.missing == Missing::fractional;
  const bool routed = split.missing_route >= (fractional ? kAllBranches : kStopHere) &&
                      split.missing_route < split.n_branches;
  const bool branched = split.n_branches >= 2 &&
                        (split.n_branches == 2 || split.kind == SplitKind::multiway) &&
                        std::all_of(split.branches.begin(), split.branches.end(),
                                    [&](int32_t b) { return b >= 0 && b < split.n_branches; });
  if (!fits || !routed || !branched || std::isnan(split.threshold) ||
      split.categories.size() != split.branches.size() ||
      !std::is_sorted(split.categories.begin(), split.categories.end())) {
    throw std::invalid_argument("this split does not suit column " + std::to_string(split.column));
  }
}

template <class Rows>
void SortedSource<Rows>::check_no_branch_is_empty(const NodeView<Rows>& node,
                                                  const Candidate& split) const {
  std::vector<uint8_t> reached(size_t(split.n_branches), 0);
  for_each_run(node, split, [&](int64_t begin, int64_t end, int32_t branch, bool) {
    if (branch >= 0 && begin < end) {
      reached[size_t(branch)] = 1;
    } else if (branch == kAllBranches && !problem_->divides_rows()) {
      throw std::invalid_argument(
          "it leaves out a category of the node, and rows are only divided in tables in which "
          "something is missing");
    }
  });
  if (std::count(reached.begin(), reached.end(), 1) < split.n_branches) {
    throw std::invalid_argument("this split leaves a branch of the node without rows");
  }
}

// The gain of a split that no search has found, over the rows that it places.
template <class Rows>
double SortedSource<Rows>::gain_of(const NodeView<Rows>& node, const Candidate& split) const {
  const StatLayout& layout = problem_->layout;
  const size_t words = size_t(layout.words()), n_branches = size_t(split.n_branches);
  const ColumnRange range = node.column(size_t(split.column));
  std::vector<int64_t> stats(words * n_branches, 0);
  std::vector<std::vector<uint32_t>> ranks(n_branches);
  for_each_run(node, split, [&](int64_t begin, int64_t end, int32_t branch, bool) {
    if (branch < 0 || (begin >= range.n_known && problem_->options.known_rows_only())) {
      return;
    }
    for (int64_t i = begin; i < end; ++i) {
      node.rows().add(stats.data() + words * size_t(branch), range.entries[i]);
      if (problem_->absolute()) {
        ranks[size_t(branch)].push_back(node.numbering.rank[node.rows().row(range.entries[i])]);
      }
    }
  });
  if constexpr (NodeView<Rows>::kNumber) {
    if (problem_->absolute()) {
      return absolute_gain(node, ranks);
    }
  }
  StatBlock seen(words);
  for (size_t b = 0; b < n_branches; ++b) {
    layout.add(seen.data(), stats.data() + words * b);
  }
  return NodeCost(node.cost(), seen.data()).gain_of_each(stats.data(), n_branches);
}

// ---- homes ----

template <class Rows>
void SortedSource<Rows>::prepare_homes(int n_workers) {
  homes_.resize(size_t(n_workers));
  for (auto& home : homes_) {
    if (!home) {
      home = std::make_unique<SortedSource>(problem_);
    }
  }
  numbering_.next_entry.resize(numbering_.n_numbers());
}

template <class Rows>
NodeSource::Home SortedSource<Rows>::at_home(int32_t handle, int worker) {
  if (homes_.empty() || numbering_.next_entry.size() < numbering_.n_numbers()) {
    prepare_homes(1);
  }
  SortedSource& home = *homes_[size_t(worker)];
  OpenNode& node = nodes_[size_t(handle)];
  renumber(view(node), home.numbering_);
  const int32_t there = home.allocate();
  home.nodes_[size_t(there)] = std::move(node);
  return {&home, there};
}

// ---- the whole table ----

template <class Rows>
class TableSource final : public SortedSource<Rows> {
 public:
  TableSource(std::shared_ptr<Problem> problem, const SortedTable& table, SortedTable* to_consume);

  void open_root(Division& division, const Judge& judge, Team& team) override;
  // Opens all rows as a node of a larger table.
  void open_given(const GivenNode& given);
  int64_t home_rows(int n_threads) const override;
  void finish(Team& team) override;

 private:
  using Base = SortedSource<Rows>;
  using Base::nodes_;
  using Base::numbering_;
  using Base::problem_;

  void set_rows();
  void own_rows();
  void sum_root(OpenNode& root) const;
  void put_image_into_columns(OpenNode& root);
  void make_room_for_numbers();
  void search_root(OpenNode& root, Team& team);

  std::vector<Entries> entries_;
};

template <class Rows>
TableSource<Rows>::TableSource(std::shared_ptr<Problem> problem, const SortedTable& table,
                               SortedTable* to_consume)
    : Base(std::move(problem)) {
  OpenNode& root = nodes_[size_t(this->allocate())];
  set_rows();
  Team team(threads_worth_it(table.n_rows, problem_->n_columns(), problem_->options.n_threads),
            problem_->control);
  entries_ = take_entries(table, to_consume, numbering_.rows, *problem_, root, team);
  numbering_.sides = Sides(table.n_rows);
}

template <class Rows>
void TableSource<Rows>::set_rows() {
  const Weights& weights = problem_->weights;
  numbering_.n_table_rows = weights.n_rows;
  numbering_.entries = &entries_;
  if constexpr (std::is_same_v<Rows, CountedRows>) {
    const auto bits = static_cast<int>(std::bit_width(uint32_t(problem_->target.n_classes - 1)));
    numbering_.rows.shift = 1 + bits;
    numbering_.rows.mask = (Entry(1) << bits) - 1;
  } else if constexpr (!Rows::kUnitWeights) {
    numbering_.rows.weights = weights.unequal.data();
    if constexpr (!NodeView<Rows>::kNumber) {
      numbering_.rows.labels = problem_->target.labels;
    }
    if (problem_->divides_rows()) {
      own_rows();
    }
  }
}

// Copies targets and weights of the rows, because parts of divided rows will be added.
template <class Rows>
void TableSource<Rows>::own_rows() {
  const size_t n = size_t(problem_->weights.n_rows);
  numbering_.own_global.resize(n);
  std::iota(numbering_.own_global.begin(), numbering_.own_global.end(), uint32_t(0));
  numbering_.own_weights = problem_->weights.unequal;
  if (problem_->share_unit > 1) {
    numbering_.own_shares.assign(n, problem_->share_unit);
  }
  if constexpr (!NodeView<Rows>::kNumber) {
    numbering_.own_labels.assign(problem_->target.labels, problem_->target.labels + n);
  }
  numbering_.use_own_storage();
}

template <class Rows>
void TableSource<Rows>::sum_root(OpenNode& root) const {
  const Weights& weights = problem_->weights;
  root.end = static_cast<uint32_t>(weights.rows);
  root.stats.assign(size_t(problem_->layout.words()), 0);
  for (size_t row = 0; row < size_t(weights.n_rows); ++row) {
    const int64_t weight = weights.units(row);
    root.stats[kRows] += weight > 0 ? problem_->share_unit : 0;
    root.stats[kWeight] += weight;
    root.record.weight_squared += int128(weight) * weight;
    if constexpr (!NodeView<Rows>::kNumber) {
      root.stats[static_cast<size_t>(kFirst) + static_cast<size_t>(problem_->target.labels[row])] +=
          weight;
    }
  }
}

// Regression with unit weights: adds the coarse image to the entries; row numbers do not change.
template <class Rows>
void TableSource<Rows>::put_image_into_columns(OpenNode& root) {
  if constexpr (std::is_same_v<Rows, NumberRows>) {
    Entries& next_entry = numbering_.next_entry;
    next_entry.resize(size_t(problem_->weights.n_rows));
    for (size_t row = 0; row < next_entry.size(); ++row) {
      next_entry[row] = static_cast<Entry>(row) << 1;
    }
    put_image_into_entries(this->view(root), numbering_.rows, next_entry);
    rewrite_entries(entries_.back(), 1, next_entry);
  }
}

template <class Rows>
void TableSource<Rows>::make_room_for_numbers() {
  if constexpr (NodeView<Rows>::kNumber) {
    const size_t n_rows = size_t(problem_->weights.n_rows);
    numbering_.own_y.resize(n_rows);
    numbering_.y = numbering_.own_y.data();
    numbering_.rows.y = numbering_.y;
    numbering_.coarse.resize(n_rows);
  }
}

template <class Rows>
void TableSource<Rows>::open_root(Division& division, const Judge& judge, Team& team) {
  OpenNode& root = nodes_[0];
  root.record.handle = 0;
  sum_root(root);
  make_room_for_numbers();
  root.record.number.scale.exponent = kNoScale;
  division.children.resize(1);
  division.stats.resize(root.stats.size());
  if (!this->measure_and_report(root, division, 0, judge)) {
    return this->close(0);
  }
  search_root(root, team);
}

template <class Rows>
void TableSource<Rows>::search_root(OpenNode& root, Team& team) {
  put_image_into_columns(root);
  this->prepare_search(root);
  const NodeView<Rows> view = this->view(root);
  const NodeCost cost = view.cost();
  std::vector<size_t> drawn;
  const std::span<const size_t> wanted = columns_to_search(*problem_, root.key, drawn);
  BestSoFar best;
  team.run(problem_->n_columns(), [&](size_t c, int) {
    if constexpr (std::is_same_v<Rows, NumberRows>) {
      rewrite_entries(entries_[c], 1, numbering_.next_entry);
    }
    if (std::binary_search(wanted.begin(), wanted.end(), c)) {
      search_columns(view, cost, std::span(&c, 1), best);
    }
  });
}

template <class Rows>
void TableSource<Rows>::open_given(const GivenNode& given) {
  problem_->limits = given.limits;
  problem_->has_many_levels = given.has_many_levels;
  problem_->copy_unit = given.copy_unit;
  OpenNode& root = nodes_[0];
  root.record.handle = 0;
  root.key = given.key;
  sum_root(root);
  make_room_for_numbers();
  if constexpr (NodeView<Rows>::kNumber) {
    root.record.number.scale = given.scale;
    const Quantiser::Images images = given.scale.images();
    int128 sum = 0;
    for (size_t row = 0; row < size_t(problem_->weights.n_rows); ++row) {
      numbering_.y[row] = images(problem_->target.values[row]);
      sum += int128(problem_->weights.units(row)) * numbering_.y[row];
    }
    set_sum(root.stats.data(), sum);
  }
  if (root.stats != given.stats) {
    throw std::runtime_error("the rows of a node changed between two passes over the data");
  }
  measure(this->view(root));
  Team alone(1, problem_->control);
  search_root(root, alone);
}

// A small table gains nothing from another numbering.
template <class Rows>
int64_t TableSource<Rows>::home_rows(int n_threads) const {
  const int64_t rows = problem_->weights.rows;
  return rows <= kFewRowNumbers
             ? 0
             : std::clamp(rows / (4 * n_threads), kFewestHomeRows, kMostHomeRows<Rows>);
}

template <class Rows>
void TableSource<Rows>::finish(Team& team) {
  team.run(entries_.size(), [&](size_t c, int) { entries_[c] = {}; });  // slow, so shared out
  numbering_ = {};
  nodes_.clear();
}

}  // namespace

namespace {

std::unique_ptr<NodeSource> make_source(const SortedTable& table, SortedTable* to_consume,
                                        const Target& target, Weights&& weights,
                                        const GivenNode* given, const GrowOptions& options,
                                        Control& control) {
  const auto bits = std::bit_width(uint64_t(std::max(target.n_classes - 1, 0))) +
                    std::bit_width(uint64_t(table.n_rows));
  if (target.task == Task::classes && weights.equal() && bits + 1 > 32) {
    weights = row_by_row(weights);  // class and row number do not fit into an entry together
  }
  const bool equal = weights.equal();
  auto problem = std::make_shared<Problem>(table, target, std::move(weights), options, control);
  const auto make = [&]<class Rows>(std::type_identity<Rows>) -> std::unique_ptr<NodeSource> {
    auto source = std::make_unique<TableSource<Rows>>(std::move(problem), table, to_consume);
    if (given != nullptr) {
      source->open_given(*given);
    }
    return source;
  };
  if (target.task == Task::number) {
    return equal ? make(std::type_identity<NumberRows>{})
                 : make(std::type_identity<WeightedNumberRows>{});
  }
  return equal ? make(std::type_identity<CountedRows>{}) : make(std::type_identity<WeightedRows>{});
}

}  // namespace

std::unique_ptr<NodeSource> make_sorted_source(const SortedTable& table, SortedTable* to_consume,
                                               const Target& target, Weights&& weights,
                                               const GrowOptions& options, Control& control) {
  return make_source(table, to_consume, target, std::move(weights), nullptr, options, control);
}

std::unique_ptr<NodeSource> make_home_source(const SortedTable& table, SortedTable* to_consume,
                                             const Target& target, Weights&& weights,
                                             const GivenNode& node, const GrowOptions& options,
                                             Control& control) {
  return make_source(table, to_consume, target, std::move(weights), &node, options, control);
}

}  // namespace treewright
