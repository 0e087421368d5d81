// division.hpp: dividing the rows of a node among its children.
//
// First every row is sent to a branch: one bit per row if there are two branches and each row takes
// one of them, otherwise a branch number per row (a row may also stay at the node, or be divided
// among all branches). Then each column is divided: a stable partition of its entries, so that
// every child's entries stay sorted, known rows before missing ones.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "node_view.hpp"

namespace treewright {

// What is known about the branches once the rows are sent.
struct Branches {
  explicit Branches(size_t n_branches, size_t words)
      : n(n_branches), n_rows(n_branches, 0), stats(n_branches * words, 0) {}

  size_t n;
  std::vector<int64_t> n_rows;         // per branch
  std::vector<int64_t> stats;          // a block per branch
  std::vector<int128> weight_squared;  // per branch, unequal weights only
  // Two sides: the rows of branch `behind` have their bit set in RowNumbering::sides, and their
  // entries come behind those of the other branch. Otherwise RowNumbering::branch tells.
  bool two_sides = true;
  size_t behind = 0;
  std::vector<Entry> unplaced;  // rows that the split does not place, if surrogates may
  std::vector<Surrogate> surrogates;
  // Rows that go down every branch, and the numbers of their parts, n for each row.
  std::vector<uint32_t> divided, parts;
};

// Calls visit(begin, end, branch, placed) for the runs of entries of the split's column, from begin
// to end - 1, that take the same branch; rows with missing values come last. A run is not placed if
// its value is missing or is a category that the split does not list: it then takes missing_route.
template <class Rows, class Visit>
void for_each_run(const NodeView<Rows>& view, const Candidate& split, const Visit& visit);

template <class Rows>
class NodeDivision {
 public:
  // Sends the rows of the node; looks for surrogates if they are asked for.
  NodeDivision(const NodeView<Rows>& node, const Candidate& split, Team* team);

  const Branches& branches() const { return branches_; }
  // Sets where the entries of each child will lie.
  void place(std::span<OpenNode* const> children);
  // Divides one column; known_of_children gets their numbers of known rows (null: nobody asks).
  void divide_column(size_t column, int64_t known, int worker, int64_t* known_of_children) const;
  // Divides columns first to last - 1, in none of which anything is missing.
  void divide_complete_columns(size_t first, size_t last, int worker) const;
  // Clears the bits for the next division. `divided`: whether the columns have been divided.
  void clear_sides(bool columns_divided) const;

 private:
  void send_two_sides();
  void send_each();
  void send_by_surrogates(Team* team);
  void send_placed();
  void send_unplaced();
  void use_branch_numbers(std::span<const Entry> staying);
  void divide_rows();
  uint32_t add_part(uint32_t row, int64_t weight, double share);
  void add_row(size_t branch, Entry e);
  void make_room() const;
  void clear_sides(const OpenNode& rows) const;
  void divide_by_branch(size_t column, int64_t known, int worker, int64_t* known_of_children) const;
  int64_t* stats_of(size_t branch) {
    return branches_.stats.data() + branch * size_t(view_.problem.layout.words());
  }

  NodeView<Rows> view_;
  const Candidate& split_;
  Branches branches_;
  std::vector<OpenNode*> children_;
};

// The branch of a row whose value in the split's column is known.
template <class Rows>
int32_t branch_of(const NodeView<Rows>& view, const Candidate& split, Entry e, bool& placed) {
  const size_t column = size_t(split.column);
  placed = true;
  if (split.kind == SplitKind::threshold) {
    return view.value(column, e) <= split.threshold ? 0 : 1;
  }
  if (split.kind == SplitKind::is_missing) {
    return 1;
  }
  const int32_t code = view.code(column, e);
  const auto found = std::lower_bound(split.categories.begin(), split.categories.end(), code);
  placed = found != split.categories.end() && *found == code;
  return placed ? split.branches[size_t(found - split.categories.begin())] : split.missing_route;
}

// The first known entry above the threshold of a split. For a split that a search has found, this
// is the number of its rows on the left, if statistics count whole rows and the search has seen all
// of them.
template <class Rows>
int64_t cut_of(const NodeView<Rows>& view, const Candidate& split, const ColumnRange& range) {
  if (!split.left.empty() && view.problem.share_unit == 1 &&
      !view.problem.options.known_rows_only()) {
    return split.left[kRows] - (split.missing_route == 0 ? range.n_rows - range.n_known : 0);
  }
  const Entry* end = range.entries + range.n_known;
  const Entry* found = std::partition_point(range.entries, end, [&](Entry e) {
    return view.value(size_t(split.column), e) <= split.threshold;
  });
  return found - range.entries;
}

template <class Rows, class Visit>
void for_each_run(const NodeView<Rows>& view, const Candidate& split, const Visit& visit) {
  const ColumnRange range = view.column(size_t(split.column));
  const Entry* entries = range.entries;
  if (split.kind == SplitKind::threshold) {
    const int64_t cut = cut_of(view, split, range);
    visit(int64_t(0), cut, 0, true);
    visit(cut, range.n_known, 1, true);
  } else if (split.kind == SplitKind::is_missing) {
    visit(int64_t(0), range.n_known, 1, true);
  } else {
    for (int64_t begin = 0, end; begin < range.n_known; begin = end) {
      for (end = begin + 1; end < range.n_known && !(entries[end] & kDiffers);) {
        ++end;
      }
      bool placed;
      const int32_t branch = branch_of(view, split, entries[begin], placed);
      visit(begin, end, branch, placed);
    }
  }
  if (range.n_known < range.n_rows) {
    visit(range.n_known, range.n_rows, split.missing_route, false);
  }
}

}  // namespace treewright
