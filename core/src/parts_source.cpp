#include "treewright/parts_source.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <deque>

#include "bucket_search.hpp"
#include "measure.hpp"
#include "node_search.hpp"
#include "subtree.hpp"
#include "treewright/frontier.hpp"

namespace treewright::parts {
namespace {

// An open node whose rows lie in parts. Nodes are numbered as they are made; a number is the
// handle.
struct OpenPart {
  NodeRecord record;
  std::vector<int64_t> stats;
  uint64_t key = kRootKey;
  int64_t n_missing = 0;  // in the column of the chosen split
};

class PartsSource final : public NodeSource {
 public:
  PartsSource(Table&& table, std::unique_ptr<Link> link, const GrowOptions& options,
              Control& control)
      : table_(std::move(table)),
        link_(std::move(link)),
        options_(options),
        control_(control),
        layout_(table_.task, table_.n_classes),
        limits_(limits_of(table_, options)) {}

  TableFacts facts() const override { return facts_of(table_); }
  void open_root(Division& division, const Judge& judge, Team& team) override;
  void choose(std::span<const int32_t> handles, std::span<Choice> choices) override;
  void divide(std::span<Division> divisions, const Judge& judge, Team* team) override;
  void close(int32_t) override {}
  size_t nodes_per_round() const override;
  std::vector<Candidate> best_of_each_column(int32_t) override { throw one_by_one(); }
  void examine(int32_t, Candidate&) override { throw one_by_one(); }
  int64_t home_rows(int) const override { return table_.home_rows; }
  bool grow_elsewhere(std::span<const NodeSource::SubtreeRoot> roots,
                      const std::function<void(size_t, FlatTree&&)>& grown) override;
  Home at_home(int32_t, int) override { throw one_by_one(); }
  void finish(Team&) override {}

 private:
  static std::logic_error one_by_one() {
    return std::logic_error("splits from outside need the rows in one place");
  }
  bool number() const { return table_.task == Task::number; }
  // Pieces of each of n questions, so that a reply does not get too long.
  uint64_t pieces_for(size_t n) const {
    const auto pieces = uint64_t(std::max<int64_t>(2, table_.most_entries / int64_t(n)));
    return std::bit_floor(std::min(pieces, kMostPieces));
  }

  // Requests.
  Request request(std::span<const int32_t> nodes) const;
  Counts ask_counts(const Request& request);
  template <class T>
  std::vector<T> ask_items(const char* kernel, const Request& request, size_t n);

  // Searching.
  void search(std::vector<NodeSearch>& searches);
  bool refine(std::vector<NodeSearch>& searches);
  void draw_more(std::vector<NodeSearch>& searches);
  void set_thresholds(std::span<const NodeSearch> searches, std::span<Choice> choices);

  // Dividing.
  int32_t add_node(uint64_t key);
  void set_top_split(int32_t node, const Candidate& split, int32_t first_child);
  void measure_children(std::span<const int32_t> nodes);
  void measure_numbers(std::span<const int32_t> nodes);
  void set_squares(std::span<const int32_t> nodes);
  void set_poisson(std::span<const int32_t> nodes);
  void set_poisson_of_small(std::span<const int32_t> nodes);
  void set_poisson_of_large(int32_t handle);
  void set_quartiles(std::span<const int32_t> nodes);

  Table table_;
  std::unique_ptr<Link> link_;
  const GrowOptions options_;
  Control& control_;
  const StatLayout layout_;
  const SplitLimits limits_;
  Top top_;
  std::deque<OpenPart> nodes_;
};

// As many as the first reply about them has room for.
size_t PartsSource::nodes_per_round() const {
  int64_t entries = 1;
  for (const Column& column : table_.columns) {
    const bool each = column.kind != Kind::numeric;  // every category is an entry
    entries += each ? column.n_codes : int64_t(kFewestPieces);
  }
  return size_t(std::max<int64_t>(1, table_.most_entries / entries));
}

// ---- requests ----

Request PartsSource::request(std::span<const int32_t> nodes) const {
  Request made;
  made.task = table_.task;
  made.n_classes = table_.n_classes;
  made.top = top_;
  if (number()) {
    for (const int32_t node : nodes) {
      Measured& measured = made.nodes.emplace_back();
      measured.node = node;
      measured.set_scale(nodes_[size_t(node)].record.number.scale);
    }
  }
  return made;
}

Counts PartsSource::ask_counts(const Request& request) {
  control_.check();
  Counts counts = Counts::from(link_->ask("count", request.bytes()));
  check(counts, request);
  return counts;
}

template <class T>
std::vector<T> PartsSource::ask_items(const char* kernel, const Request& request, size_t n) {
  control_.check();
  std::vector<T> items = from_bytes<T>(link_->ask(kernel, request.bytes()));
  if (items.size() != n) {
    throw std::runtime_error("the parts did not answer all questions of a request");
  }
  return items;
}

// ---- searching ----

void PartsSource::choose(std::span<const int32_t> handles, std::span<Choice> choices) {
  std::vector<NodeSearch> searches;
  for (const int32_t handle : handles) {
    OpenPart& node = nodes_[size_t(handle)];
    searches.emplace_back(table_, options_, limits_, control_, handle, node.key, node.stats.data(),
                          node.record.impurity);
  }
  search(searches);
  draw_more(searches);
  for (size_t i = 0; i < searches.size(); ++i) {
    choices[i] = searches[i].choose();
  }
  set_thresholds(searches, choices);
  for (size_t i = 0; i < searches.size(); ++i) {
    if (const auto& split = choices[i].split) {
      nodes_[size_t(handles[i])].n_missing = searches[i].n_missing(split->column);
    }
  }
}

// Counts the columns that were not counted yet, then what may hold a better split, until nothing
// may.
void PartsSource::search(std::vector<NodeSearch>& searches) {
  while (refine(searches)) {
  }
}

bool PartsSource::refine(std::vector<NodeSearch>& searches) {
  std::vector<int32_t> nodes;
  size_t n_open = 0;
  for (NodeSearch& search : searches) {
    n_open += search.find_open();
  }
  if (n_open == 0) {
    return false;
  }
  int64_t n_few = 0;
  for (const NodeSearch& search : searches) {
    n_few += search.n_rows_of_few();
  }
  const uint64_t pieces = pieces_for(n_open);
  const int64_t few = n_few <= table_.most_entries ? kFewRows : int64_t(pieces);
  std::vector<Question> questions;
  std::vector<size_t> first(searches.size() + 1, 0);
  for (size_t i = 0; i < searches.size(); ++i) {
    if (searches[i].n_open() > 0) {
      nodes.push_back(searches[i].node());
      searches[i].ask(pieces, few, questions);
    }
    first[i + 1] = questions.size();
  }
  Request asked = request(nodes);
  asked.questions = std::move(questions);
  const Counts counts = ask_counts(asked);
  for (size_t i = 0; i < searches.size(); ++i) {
    if (first[i] < first[i + 1]) {
      searches[i].take(counts, asked.questions, first[i], first[i + 1]);
    }
  }
  return true;
}

// If none of the drawn columns of a node offers a split, further ones are drawn until one does.
void PartsSource::draw_more(std::vector<NodeSearch>& searches) {
  for (bool any = true; any;) {
    any = false;
    for (NodeSearch& search : searches) {
      any = search.draw_one_more() || any;
    }
    if (any) {
      search(searches);
    }
  }
}

// Looks up the neighbouring values of the winning cuts.
void PartsSource::set_thresholds(std::span<const NodeSearch> searches, std::span<Choice> choices) {
  Request asked = request({});
  for (size_t i = 0; i < searches.size(); ++i) {
    const auto& split = choices[i].split;
    if (split && split->kind == SplitKind::threshold) {
      searches[i].ask_neighbours(*split, asked.questions);
    }
  }
  std::vector<Range> ranges;
  if (!asked.questions.empty()) {
    ranges = ask_items<Range>("neighbours", asked, asked.questions.size());
  }
  size_t next = 0;
  for (size_t i = 0; i < searches.size(); ++i) {
    auto& split = choices[i].split;
    if (split && split->kind == SplitKind::threshold) {
      searches[i].set_threshold(*split, ranges, next);
    }
  }
}

// ---- dividing ----

int32_t PartsSource::add_node(uint64_t key) {
  OpenPart& node = nodes_.emplace_back();
  const auto handle = static_cast<int32_t>(nodes_.size() - 1);
  node.key = key;
  node.record.handle = handle;
  node.stats.assign(size_t(layout_.words()), 0);
  return handle;
}

void PartsSource::set_top_split(int32_t node, const Candidate& split, int32_t first_child) {
  const Column& column = table_.columns[size_t(split.column)];
  TopSplit made;
  made.node = node;
  made.column = split.column;
  made.first_child = first_child;
  made.missing_branch = std::max(split.missing_route, 0);
  if (split.kind == SplitKind::is_missing) {
    made.branches.assign(size_t(column.n_codes), 1);
  } else if (split.kind == SplitKind::threshold) {
    made.coarse = column.coarse;
    made.threshold = split.threshold;
    made.cut = static_cast<int32_t>(
        std::upper_bound(column.values.begin(), column.values.end(), split.threshold) -
        column.values.begin() - 1);
  } else {
    made.branches.assign(size_t(column.n_codes), made.missing_branch);
    for (size_t i = 0; i < split.categories.size(); ++i) {
      made.branches[size_t(split.categories[i])] = split.branches[i];
    }
  }
  top_.push_back(std::move(made));
}

void PartsSource::open_root(Division& division, const Judge&, Team&) {
  const int32_t root = add_node(kRootKey);
  nodes_[0].record.number.scale.exponent = kNoScale;
  if (!number()) {
    // Any column counts all rows; without one, the classes are counted by a question of their own.
    Request asked = request({});
    Question& question = asked.questions.emplace_back();
    question.column = kTargetColumn;
    const Counts counts = ask_counts(asked);
    for (size_t i = 0; i < counts.size(); ++i) {
      layout_.add(nodes_[0].stats.data(), counts.words.data() + i * size_t(asked.words()));
    }
  }
  measure_children({&root, 1});
  division.children.assign(1, nodes_[0].record);
  division.stats = nodes_[0].stats;
}

void PartsSource::divide(std::span<Division> divisions, const Judge&, Team*) {
  std::vector<int32_t> made;
  const size_t words = size_t(layout_.words());
  for (Division& division : divisions) {
    const Candidate& split = *division.split;
    const auto n = size_t(split.n_branches);
    const auto first = static_cast<int32_t>(nodes_.size());
    set_top_split(division.handle, split, first);
    for (size_t b = 0; b < n; ++b) {
      made.push_back(add_node(child_key(division.key, static_cast<int>(b))));
      OpenPart& child = nodes_.back();
      const OpenPart& parent = nodes_[size_t(division.handle)];
      if (b < split.left.size() / words) {
        std::copy_n(split.left.begin() + static_cast<int64_t>(b * words), words,
                    child.stats.begin());
      } else {
        layout_.difference(child.stats.data(), parent.stats.data(), split.left.data());
      }
      child.record.number.scale = parent.record.number.scale;
    }
    division.n_missing = nodes_[size_t(division.handle)].n_missing;
  }
  measure_children(made);
  size_t next = 0;
  for (Division& division : divisions) {
    const auto n = size_t(division.split->n_branches);
    division.children.resize(n);
    division.stats.resize(n * words);
    for (size_t b = 0; b < n; ++b, ++next) {
      const OpenPart& child = nodes_[size_t(made[next])];
      division.children[b] = child.record;
      std::copy(child.stats.begin(), child.stats.end(),
                division.stats.begin() + static_cast<int64_t>(b * words));
    }
  }
}

// ---- measuring ----

// Completes the records of nodes whose statistics are known; of a number, except for the sum.
void PartsSource::measure_children(std::span<const int32_t> nodes) {
  if (number()) {
    return measure_numbers(nodes);
  }
  for (const int32_t handle : nodes) {
    OpenPart& node = nodes_[size_t(handle)];
    const int64_t* stats = node.stats.data();
    node.record.n_rows = stats[kRows];
    node.record.impurity = NodeCost(options_.criterion, layout_, stats, 0.0).impurity();
    node.record.pure = std::any_of(stats + kFirst, stats + layout_.words(),
                                   [&](int64_t weight) { return weight == stats[kWeight]; });
  }
  if (table_.unequal_weights) {
    Request asked = request({});
    for (const int32_t node : nodes) {
      asked.nodes.emplace_back().node = node;
    }
    const auto sums = ask_items<NodeSums>("measure", asked, nodes.size());
    for (size_t i = 0; i < nodes.size(); ++i) {
      nodes_[size_t(nodes[i])].record.weight_squared = sums[i].weight_squared;
    }
  }
}

void PartsSource::measure_numbers(std::span<const int32_t> nodes) {
  const bool centered = options_.criterion != Criterion::poisson;
  const auto ranges = ask_items<NodeSums>("measure", request(nodes), nodes.size());
  std::vector<int32_t> mixed;  // with different targets
  for (size_t i = 0; i < nodes.size(); ++i) {
    OpenPart& node = nodes_[size_t(nodes[i])];
    NumberPart& of = node.record.number;
    const double least = value_of(ranges[i].least), greatest = value_of(ranges[i].greatest);
    node.stats[kRows] = node.record.n_rows = ranges[i].rows;
    node.stats[kWeight] = ranges[i].weight;
    node.record.weight_squared = ranges[i].weight_squared;
    node.record.pure = least == greatest;
    set_scale_of(of, least, greatest, centered);
    if (node.record.pure) {
      set_constant(of, least);
      node.record.impurity = 0.0;
    } else {
      mixed.push_back(nodes[i]);
    }
  }
  Request asked = request(nodes);
  asked.stage = Stage::sum;
  const auto sums = ask_items<NodeSums>("measure", asked, nodes.size());
  for (size_t i = 0; i < nodes.size(); ++i) {
    set_sum(nodes_[size_t(nodes[i])].stats.data(), sums[i].sum);
  }
  if (mixed.empty()) {
    return;
  }
  set_squares(mixed);
  if (options_.criterion == Criterion::poisson) {
    set_poisson(mixed);
  }
  set_quartiles(mixed);
}

void PartsSource::set_squares(std::span<const int32_t> nodes) {
  Request asked = request(nodes);
  asked.stage = Stage::squares;
  for (size_t i = 0; i < nodes.size(); ++i) {
    const int64_t* stats = nodes_[size_t(nodes[i])].stats.data();
    asked.nodes[i].mean = NodeCost::floor_mean(get_sum(stats), stats[kWeight]);
  }
  const auto squares = ask_items<NodeSums>("measure", asked, nodes.size());
  for (size_t i = 0; i < nodes.size(); ++i) {
    OpenPart& node = nodes_[size_t(nodes[i])];
    set_moments(node.record.number, node.stats.data(), squares[i].low, squares[i].high);
    node.record.impurity = node.record.number.variance;
  }
}

// The deviance is a sum over all different targets, so all of them are asked for: those of several
// small nodes in one request, those of a large node in several.
void PartsSource::set_poisson(std::span<const int32_t> nodes) {
  for (size_t begin = 0, end = 0; begin < nodes.size(); begin = end) {
    int64_t n_rows = 0;
    do {
      n_rows += nodes_[size_t(nodes[end++])].record.n_rows;
    } while (end < nodes.size() &&
             n_rows + nodes_[size_t(nodes[end])].record.n_rows <= table_.most_entries);
    if (n_rows > table_.most_entries) {
      set_poisson_of_large(nodes[begin]);
    } else {
      set_poisson_of_small(nodes.subspan(begin, end - begin));
    }
  }
}

void PartsSource::set_poisson_of_small(std::span<const int32_t> nodes) {
  Request asked = request(nodes);
  for (const int32_t node : nodes) {
    asked.questions.push_back(all_targets(node));
  }
  const Counts counts = ask_counts(asked);
  const auto words = size_t(asked.words());
  for (size_t i = 0, at = 0; i < nodes.size(); ++i) {
    OpenPart& node = nodes_[size_t(nodes[i])];
    PoissonSum sum(node.stats.data());
    for (; at < counts.size() && counts.question[at] == i; ++at) {
      sum.add(counts.words[at * words + words - 1], counts.words[at * words + kWeight]);
    }
    node.record.impurity = sum.impurity();
  }
}

// Intervals of many rows are counted in pieces until each has few rows or one target. The stack
// holds them in descending order, so targets are added in ascending order.
void PartsSource::set_poisson_of_large(int32_t handle) {
  struct Interval {
    uint64_t low, high;
    int64_t n_rows;
  };
  OpenPart& node = nodes_[size_t(handle)];
  PoissonSum sum(node.stats.data());
  Request asked = request({&handle, 1});
  const auto words = size_t(asked.words());
  const Question all = all_targets(handle);
  std::vector<Interval> stack{{all.low, all.high, node.record.n_rows}}, pieces;
  while (!stack.empty()) {
    const auto [low, high, n_rows] = stack.back();
    stack.pop_back();
    Question question = all;
    question.low = low;
    question.high = high;
    const bool few = n_rows <= table_.most_entries;
    while (!few && (high - low) >> question.shift >= pieces_for(1)) {
      ++question.shift;
    }
    asked.questions.assign(1, question);
    const Counts counts = ask_counts(asked);
    pieces.clear();
    for (size_t i = 0; i < counts.size(); ++i) {
      const int64_t* entry = counts.words.data() + i * words;
      if (few || question.shift == 0) {
        sum.add(entry[words - 1], entry[kWeight]);
        continue;
      }
      const uint64_t first = low + (counts.piece[i] << question.shift);
      const uint64_t last = last_of_piece(question, first);
      if (!pieces.empty() && pieces.back().n_rows + entry[kRows] <= table_.most_entries) {
        pieces.back().high = last;
        pieces.back().n_rows += entry[kRows];
      } else {
        pieces.push_back({first, last, entry[kRows]});
      }
    }
    stack.insert(stack.end(), pieces.rbegin(), pieces.rend());
  }
  node.record.impurity = sum.impurity();
}

void PartsSource::set_quartiles(std::span<const int32_t> nodes) {
  std::vector<QuartileSearch> searches;
  for (const int32_t node : nodes) {
    searches.emplace_back(node, nodes_[size_t(node)].stats[kWeight]);
  }
  const uint64_t pieces = pieces_for(3 * nodes.size());
  for (;;) {
    Request asked = request(nodes);
    for (QuartileSearch& search : searches) {
      search.ask(pieces, asked.questions);
    }
    if (asked.questions.empty()) {
      break;
    }
    const Counts counts = ask_counts(asked);
    size_t next = 0, question = 0;
    for (QuartileSearch& search : searches) {
      search.take(counts, size_t(asked.words()), asked.questions, next, question);
    }
  }
  Request asked = request(nodes);
  for (QuartileSearch& search : searches) {
    search.ask_next(asked.questions);
  }
  std::vector<Range> ranges;
  if (!asked.questions.empty()) {
    ranges = ask_items<Range>("neighbours", asked, asked.questions.size());
  }
  size_t next = 0;
  for (size_t i = 0; i < nodes.size(); ++i) {
    nodes_[size_t(nodes[i])].record.number.quartiles = searches[i].quartiles(ranges, next);
  }
}

// ---- small nodes ----

bool PartsSource::grow_elsewhere(std::span<const NodeSource::SubtreeRoot> roots,
                                 const std::function<void(size_t, FlatTree&&)>& grown) {
  std::vector<SmallNode> nodes;
  for (const auto& [handle, depth] : roots) {
    const OpenPart& node = nodes_[size_t(handle)];
    const OpenSubtree open{node.key, depth, node.record, node.stats};
    nodes.push_back({handle, node.record.n_rows, open.bytes()});
  }
  std::vector<bool> came(nodes.size());
  link_->grow(nodes, request({}).bytes(), [&](size_t i, std::span<const char> bytes) {
    control_.check();
    FlatTree subtree = tree_from(bytes);
    expect(i < nodes.size() && !came[i] && subtree.n_rows[0] == nodes[i].n_rows);
    came[i] = true;
    grown(i, std::move(subtree));
  });
  expect(std::find(came.begin(), came.end(), false) == came.end());
  return true;
}

}  // namespace

std::unique_ptr<Grower> make_grower(Table&& table, std::unique_ptr<Link> link,
                                    const GrowOptions& options, Control& control) {
  auto source = std::make_unique<PartsSource>(std::move(table), std::move(link), options, control);
  return std::make_unique<Frontier>(std::move(source), options, control);
}

}  // namespace treewright::parts
