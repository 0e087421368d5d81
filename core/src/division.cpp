#include "division.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "surrogates.hpp"

namespace treewright {
namespace {

// Values of RowNumbering::branch: kStays for a row that stays at the node, kDivided - i for the
// i-th divided row.
constexpr int32_t kStays = -1;
constexpr int32_t kDivided = -2;
// Stands for a part of a divided row that is too light to count.
constexpr uint32_t kNoRow = std::numeric_limits<uint32_t>::max();

}  // namespace

template <class Rows>
NodeDivision<Rows>::NodeDivision(const NodeView<Rows>& node, const Candidate& split, Team* team)
    : view_(node),
      split_(split),
      branches_(size_t(split.n_branches), size_t(node.problem.layout.words())) {
  if constexpr (!Rows::kUnitWeights) {
    branches_.weight_squared.resize(branches_.n);
  }
  const bool missing = view_.known(size_t(split.column)) < view_.n_rows();
  // A split from outside may leave categories out.
  const bool by_category = split.kind == SplitKind::subset || split.kind == SplitKind::multiway;
  const bool lists_all = !by_category || !split.left.empty();
  branches_.two_sides =
      split.n_branches == 2 && (split.missing_route >= 0 || (!missing && lists_all));
  if (view_.problem.options.missing == Missing::surrogate && split.n_branches == 2) {
    send_by_surrogates(team);
  } else if (branches_.two_sides) {
    send_two_sides();
  } else {
    send_each();
  }
}

// ---- sending rows ----

// The smaller branch goes behind, because entries behind are written twice.
template <class Rows>
void NodeDivision<Rows>::send_two_sides() {
  const StatLayout& layout = view_.problem.layout;
  RowNumbering<Rows>& numbering = view_.numbering;
  const bool searched = !split_.left.empty();  // otherwise the statistics are not known yet
  const size_t behind = searched && split_.left[kRows] > view_.stats()[kRows] / 2 ? 1 : 0;
  const size_t front = 1 - behind;
  const Entry* entries = view_.entries(size_t(split_.column));
  int128 squared = 0;
  int64_t n_behind = 0;
  for_each_run(view_, split_, [&](int64_t begin, int64_t end, int32_t branch, bool) {
    if (branch != static_cast<int32_t>(behind)) {
      return;
    }
    n_behind += end - begin;
    for (const Entry* e = entries + begin; e != entries + end; ++e) {
      numbering.sides.set(numbering.rows.row(*e));
      if (!searched) {
        numbering.rows.add(stats_of(behind), *e);
      }
      if constexpr (!Rows::kUnitWeights) {
        const int64_t weight = numbering.weight(*e);
        squared += int128(weight) * weight;
      }
    }
  });
  branches_.behind = behind;
  branches_.n_rows[behind] = n_behind;
  branches_.n_rows[front] = view_.n_rows() - n_behind;
  if (searched) {
    layout.copy(stats_of(0), split_.left.data());
    layout.difference(stats_of(1), view_.stats(), stats_of(0));
  } else {
    layout.difference(stats_of(front), view_.stats(), stats_of(behind));
  }
  if constexpr (!Rows::kUnitWeights) {
    branches_.weight_squared[behind] = squared;
    branches_.weight_squared[front] = view_.node.record.weight_squared - squared;
  }
}

template <class Rows>
void NodeDivision<Rows>::add_row(size_t branch, Entry e) {
  view_.rows().add(stats_of(branch), e);
  ++branches_.n_rows[branch];
  if constexpr (!Rows::kUnitWeights) {
    const int64_t weight = view_.numbering.weight(e);
    branches_.weight_squared[branch] += int128(weight) * weight;
  }
}

// Any number of branches; rows with missing values take their route, stay, or are divided.
template <class Rows>
void NodeDivision<Rows>::send_each() {
  make_room();
  RowNumbering<Rows>& numbering = view_.numbering;
  const Entry* entries = view_.entries(size_t(split_.column));
  for_each_run(view_, split_, [&](int64_t begin, int64_t end, int32_t branch, bool) {
    for (const Entry* e = entries + begin; e != entries + end; ++e) {
      const uint32_t row = numbering.rows.row(*e);
      if (branch >= 0) {
        numbering.branch[row] = branch;
        add_row(size_t(branch), *e);
      } else if (branch == kStopHere) {
        numbering.branch[row] = kStays;
      } else {
        numbering.branch[row] = kDivided - static_cast<int32_t>(branches_.divided.size());
        branches_.divided.push_back(row);
      }
    }
  });
  if (!branches_.divided.empty()) {
    divide_rows();
  }
}

// A row that goes down every branch becomes as many new rows, each with a share of its weight: that
// of the branch among the known rows. They get numbers of their own, so that nothing else has to
// know about them.
template <class Rows>
void NodeDivision<Rows>::divide_rows() {
  if constexpr (!Rows::kUnitWeights) {
    RowNumbering<Rows>& numbering = view_.numbering;
    std::vector<double> share(branches_.n);
    int64_t total = 0;
    for (size_t b = 0; b < branches_.n; ++b) {
      total += stats_of(b)[kWeight];
    }
    for (size_t b = 0; b < branches_.n; ++b) {
      share[b] = real(stats_of(b)[kWeight]) / real(total);
    }
    branches_.parts.reserve(branches_.divided.size() * branches_.n);
    for (const uint32_t row : branches_.divided) {
      const int64_t weight = numbering.own_weights[row];
      for (size_t b = 0; b < branches_.n; ++b) {
        const int64_t part = std::llrint(real(weight) * share[b]);
        branches_.parts.push_back(part == 0 ? kNoRow : add_part(row, part, share[b]));
      }
    }
    numbering.use_own_storage();
    make_room();
    for (size_t i = 0; i < branches_.parts.size(); ++i) {
      if (branches_.parts[i] != kNoRow) {
        add_row(i % branches_.n, Entry(branches_.parts[i]) << numbering.rows.shift);
      }
    }
  }
}

// Adds a row that is a part of this one; returns its number.
template <class Rows>
uint32_t NodeDivision<Rows>::add_part(uint32_t row, int64_t weight, double share) {
  RowNumbering<Rows>& numbering = view_.numbering;
  const auto number = static_cast<uint32_t>(numbering.own_global.size());
  numbering.own_global.push_back(numbering.own_global[row]);
  numbering.own_weights.push_back(weight);
  if (!numbering.own_shares.empty()) {
    const double whole = real(numbering.own_shares[row]);
    numbering.own_shares.push_back(std::max<int64_t>(1, std::llrint(whole * share)));
  }
  if constexpr (NodeView<Rows>::kNumber) {
    numbering.own_y.push_back(numbering.own_y[row]);
  } else {
    numbering.own_labels.push_back(numbering.own_labels[row]);
  }
  return number;
}

// ---- surrogates ----

template <class Rows>
void NodeDivision<Rows>::send_by_surrogates(Team* team) {
  branches_.two_sides = true;
  send_placed();
  branches_.surrogates =
      find_surrogates(view_, split_, {stats_of(0)[kWeight], stats_of(1)[kWeight]}, team);
  send_unplaced();
}

// Sends the rows that the split places: sides (the left one is behind) and signs for the search for
// surrogates. Lists the others.
template <class Rows>
void NodeDivision<Rows>::send_placed() {
  RowNumbering<Rows>& numbering = view_.numbering;
  const Entry* entries = view_.entries(size_t(split_.column));
  numbering.sign.resize(std::max(numbering.sign.size(), numbering.n_numbers()));
  for_each_run(view_, split_, [&](int64_t begin, int64_t end, int32_t branch, bool placed) {
    if (!placed) {
      branches_.unplaced.insert(branches_.unplaced.end(), entries + begin, entries + end);
    }
    for (const Entry* e = entries + begin; e != entries + end; ++e) {
      const uint32_t row = numbering.rows.row(*e);
      numbering.sign[row] = static_cast<int8_t>(placed ? 1 - 2 * branch : 0);
      if (placed) {
        add_row(size_t(branch), *e);
        if (branch == 0) {
          numbering.sides.set(row);
        }
      }
    }
  });
}

// Rows that the split does not place: the first surrogate that knows the row, then the larger
// branch, or the row stays.
template <class Rows>
void NodeDivision<Rows>::send_unplaced() {
  RowNumbering<Rows>& numbering = view_.numbering;
  std::vector<Entry> staying;
  for (const Entry e : branches_.unplaced) {
    int32_t branch = split_.missing_route;
    for (Surrogate& surrogate : branches_.surrogates) {
      const int32_t answer = surrogate_branch(view_.problem, surrogate, numbering.row(e));
      if (answer >= 0) {
        ++surrogate.n_rows;
        branch = answer;
        break;
      }
    }
    if (branch == 0) {
      numbering.sides.set(numbering.rows.row(e));
    }
    if (branch >= 0) {
      add_row(size_t(branch), e);
    } else {
      staying.push_back(e);
    }
  }
  if (!staying.empty()) {
    use_branch_numbers(staying);
  }
}

// Some rows stay at the node, so a bit per row is not enough: every row gets its branch number.
template <class Rows>
void NodeDivision<Rows>::use_branch_numbers(std::span<const Entry> staying) {
  RowNumbering<Rows>& numbering = view_.numbering;
  branches_.two_sides = false;
  make_room();
  const Entry* entries = view_.entries(0);
  for (int64_t i = 0; i < view_.n_rows(); ++i) {
    const uint32_t row = numbering.rows.row(entries[i]);
    numbering.branch[row] = numbering.sides.behind(row) ? 0 : 1;
  }
  for (const Entry e : staying) {
    numbering.branch[numbering.rows.row(e)] = kStays;
  }
  clear_sides(view_.node);
}

// Room for every row number.
template <class Rows>
void NodeDivision<Rows>::make_room() const {
  RowNumbering<Rows>& numbering = view_.numbering;
  numbering.branch.resize(std::max(numbering.branch.size(), numbering.n_numbers()));
  if (view_.problem.divides_rows()) {
    numbering.sides.grow(static_cast<int64_t>(numbering.n_numbers()));
  }
}

template <class Rows>
void NodeDivision<Rows>::clear_sides(bool columns_divided) const {
  if (branches_.two_sides) {
    // The rows behind lie together once the columns are divided.
    clear_sides(columns_divided ? *children_[branches_.behind] : view_.node);
  }
}

template <class Rows>
void NodeDivision<Rows>::clear_sides(const OpenNode& rows) const {
  RowNumbering<Rows>& numbering = view_.numbering;
  if (size_t(16 * rows.n_rows()) > numbering.sides.words().size()) {  // faster than row by row
    numbering.sides.clear();
    return;
  }
  const Entry* entries = (*numbering.entries)[0].data() + rows.begin;
  for (int64_t i = 0; i < rows.n_rows(); ++i) {
    numbering.sides.clear(numbering.rows.row(entries[i]));
  }
}

// ---- dividing columns ----

// Children lie one after the other in the place of their parent. If divided rows make them too
// long, those that do not fit come behind everything else.
template <class Rows>
void NodeDivision<Rows>::place(std::span<OpenNode* const> children) {
  children_.assign(children.begin(), children.end());
  const OpenNode& parent = view_.node;
  uint32_t begin = parent.begin, last = parent.end;
  for (size_t b = 0; b < branches_.n; ++b) {
    const auto n_rows = static_cast<uint32_t>(branches_.n_rows[b]);
    if (branches_.two_sides) {
      begin = b == branches_.behind ? parent.end - n_rows : parent.begin;
    } else if (begin + n_rows > last) {
      begin = static_cast<uint32_t>((*view_.numbering.entries)[0].size());
      last = std::numeric_limits<uint32_t>::max();
    }
    children[b]->begin = begin;
    children[b]->end = begin += n_rows;
  }
}

template <class Rows>
void NodeDivision<Rows>::divide_column(size_t column, int64_t known, int worker,
                                       int64_t* known_of_children) const {
  if (!branches_.two_sides) {
    return divide_by_branch(column, known, worker, known_of_children);
  }
  RowNumbering<Rows>& numbering = view_.numbering;
  const Parts parts = partition(view_.entries(column), known, view_.n_rows(), numbering.rows.shift,
                                numbering.sides, numbering.scratch_of(worker, view_.n_rows()));
  if (known_of_children) {
    known_of_children[1 - branches_.behind] = parts.front_known;
    known_of_children[branches_.behind] = parts.behind_known;
  }
}

template <class Rows>
void NodeDivision<Rows>::divide_complete_columns(size_t first, size_t last, int worker) const {
  RowNumbering<Rows>& numbering = view_.numbering;
  Entry* scratch = numbering.scratch_of(worker, view_.n_rows());
  while (first < last) {
    std::array<Entry*, kTogether> columns;
    const size_t n = std::min(last - first, kTogether);
    for (size_t c = 0; c < n; ++c) {
      columns[c] = view_.entries(first + c);
    }
    partition_each(std::span(columns).first(n), view_.n_rows(), numbering.rows.shift,
                   numbering.sides, scratch);
    first += n;
  }
}

template <class Rows>
void NodeDivision<Rows>::divide_by_branch(size_t column, int64_t known, int worker,
                                          int64_t* known_of_children) const {
  RowNumbering<Rows>& numbering = view_.numbering;
  Entries& entries = (*numbering.entries)[column];
  MultiwayPartition partition(branches_.n);
  int64_t size = 0;
  auto end = static_cast<uint32_t>(entries.size());
  for (size_t b = 0; b < branches_.n; ++b) {
    partition.next[b] = size;
    size += children_[b]->n_rows();
    end = std::max(end, children_[b]->end);
  }
  Entry* scratch = numbering.scratch_of(worker, size);
  const std::vector<int64_t> first = partition.next;
  const auto send_to = [&](uint32_t row, const auto& keep) {
    const int32_t branch = numbering.branch[row];
    if (branch >= 0) {
      keep(size_t(branch), row);
    } else if (branch <= kDivided) {
      const auto* part = branches_.parts.data() + size_t(kDivided - branch) * branches_.n;
      for (size_t b = 0; b < branches_.n; ++b) {
        if (part[b] != kNoRow) {
          keep(b, part[b]);
        }
      }
    }
  };
  const Entry* from = view_.entries(column);
  partition.send(from, known, numbering.rows.shift, send_to, scratch);
  if (known_of_children) {
    for (size_t b = 0; b < branches_.n; ++b) {
      known_of_children[b] = partition.next[b] - first[b];
    }
  }
  partition.send(from + known, view_.n_rows() - known, numbering.rows.shift, send_to, scratch);
  entries.resize(end);
  for (size_t b = 0; b < branches_.n; ++b) {
    std::copy(scratch + first[b], scratch + partition.next[b],
              entries.begin() + children_[b]->begin);
  }
}

#define X(Rows) template class NodeDivision<Rows>;
TREEWRIGHT_FOR_ALL_ROWS(X)
#undef X

}  // namespace treewright
