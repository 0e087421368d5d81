// absolute_search.hpp: splits by the absolute error, for which a node predicts its median.
//
// The cost of a branch is not a function of sums, so these searches do not go through
// criterion.hpp: they follow the median as rows are added (medians.hpp), once from the left and
// once from the right. O(rows log rows) per column; the costs are exact integers.
#pragma once

#include "node_view.hpp"
#include "treewright/medians.hpp"

namespace treewright {

// Ranks the rows of a node by target; returns the sum of absolute deviations from their median.
template <class Rows>
double set_ranks(const NodeView<Rows>& view);

// The gain of dividing rows, given by rank, into these branches.
template <class Rows>
double absolute_gain(const NodeView<Rows>& view, std::vector<std::vector<uint32_t>>& branches);

// The best score of one column; kNone if no split is allowed.
template <class Rows>
double best_absolute(const NodeView<Rows>& view, const VisibleRows& visible, size_t column);

// Offers the allowed splits of one column of at least this score, in the written order.
template <class Rows>
void offer_absolute(const NodeView<Rows>& view, const VisibleRows& visible, size_t column,
                    double at_least, Chooser& chooser);

}  // namespace treewright
