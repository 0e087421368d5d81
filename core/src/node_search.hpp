// node_search.hpp: the best split of an open node, from the sorted entries of its columns.
//
// A search has two passes. search_columns() finds the best gain of each column, up to a margin of
// rounding; choose_split() looks again at the columns and cuts that may be the best, computes their
// gains exactly and applies the written tie rule (Chooser). One function serves each kind of
// column:
//
//     numbers, ranks            ThresholdSearch (threshold_search.hpp)
//     categories                CategorySearch (category_search.hpp)
//     a branch per category     multiway (below)
//     absolute error            absolute_search.hpp
//     competition by ratio      gain_ratio.hpp
#pragma once

#include <optional>
#include <span>

#include "node_view.hpp"
#include "treewright/category_search.hpp"

namespace treewright {

// All columns in the order of a hash of (seed, node, column): random, but the same for any number
// of threads and any order of growth.
std::vector<size_t> random_order(uint64_t seed, size_t n_columns, uint64_t node_key);

// Looks at the most uneven splits of one column. A column tells the rows apart if it has two
// values, or known and missing rows.
void look_at_levels(const Levels& levels, bool has_missing, const StatLayout& layout,
                    const int64_t* node, bool by_category, Forbidden& forbidden);

// A branch for each level, which are the categories of the node and, last, the missing rows.
std::optional<Candidate> multiway_split(Levels levels, const NodeCost& cost,
                                        const SplitLimits& limits, const int64_t* seen,
                                        size_t column);

// Searches these columns of an open node, and notes the best score of each in node.best.
template <class Rows>
void search_columns(const NodeView<Rows>& view, const NodeCost& cost,
                    std::span<const size_t> columns, BestSoFar& best);

// The columns that are searched at a node, ascending: all, or a random sample (kept in `drawn`).
std::span<const size_t> columns_to_search(const Problem& problem, uint64_t node_key,
                                          std::vector<size_t>& drawn);

// The split that growing takes at a searched node, or the reason why there is none.
template <class Rows>
Choice choose_split(const NodeView<Rows>& view);

// The best split of each column, best first (the winner, then the others by score).
template <class Rows>
std::vector<Candidate> best_splits_by_column(const NodeView<Rows>& view);

// The best split of one column by gain; a leaf if there is none.
template <class Rows>
Candidate best_split_of_column(const NodeView<Rows>& view, const NodeCost& cost, size_t column);

// ---- shared by the searches ----

// The coarse image for the known rows of a column: the node's, around their own mean.
template <class Rows>
CoarseImage coarse_image_of_known(const NodeView<Rows>& view, const ColumnRange& range) {
  CoarseImage coarse = view.node.coarse;
  if constexpr (std::is_same_v<Rows, NumberRows>) {
    if (coarse.shift >= 0) {
      const simd::Image image = view.coarse_image_of_rows();
      int64_t sum = coarse.sum;
      for (int64_t i = range.n_known; i < range.n_rows; ++i) {
        sum -= image(range.entries[i]);
      }
      coarse.set_sum(sum, range.n_known);
    }
  }
  return coarse;
}

// Calls use(visible rows) for one column.
template <class Rows, class Use>
auto with_visible_rows(const NodeView<Rows>& view, const NodeCost& cost, size_t column,
                       const Use& use) {
  const ColumnRange all = view.column(column);
  if (!view.problem.options.known_rows_only() || all.n_known == all.n_rows) {
    return use(VisibleRows{all, cost, view.stats(), view.node.coarse});
  }
  const StatLayout& layout = view.problem.layout;
  StatBlock missing(size_t(layout.words())), seen(size_t(layout.words()));
  for (int64_t i = all.n_known; i < all.n_rows; ++i) {
    view.rows().add(missing.data(), all.entries[i]);
  }
  layout.difference(seen.data(), view.stats(), missing.data());
  const ColumnRange known{all.entries, all.n_known, all.n_known};
  if (all.n_known == 0) {
    return use(VisibleRows{known, cost, seen.data(), {}});
  }
  const NodeCost cost_of_seen(cost, seen.data());
  return use(VisibleRows{known, cost_of_seen, seen.data(), coarse_image_of_known(view, all)});
}

// The categories in a range of one column, one level each, and a level for the missing rows.
template <class Rows>
Levels levels_of(const NodeView<Rows>& view, const ColumnRange& range, size_t column);

// What a grouping of these levels pays when columns compete; see charge_of_levels.
template <class Rows>
double charge_for_levels(const NodeView<Rows>& view, const NodeCost& cost, const Levels& levels,
                         size_t column);

// The candidate for a cut before entry `cut` of a range; 0 means "is missing".
template <class Rows>
Candidate make_threshold(const NodeView<Rows>& view, const ColumnRange& range, size_t column,
                         int64_t cut, bool missing_left, const int64_t* left, const int64_t* right);

}  // namespace treewright
