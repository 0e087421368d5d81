// surrogates.hpp: splits of other columns that imitate a split, for rows without its value.
//
// For each column: the cut (in either direction) or the assignment of categories that sends most
// weight where the split sends it, over the rows known to both. It must beat sending everything to
// the larger branch. Cost: one pass per column, and one more for each surrogate that is kept.
//
// A row has the sign +1 if the split sends it left, -1 if right, 0 if the split does not place it.
// With D the sum of signs (times weights) of the rows below a cut, and L and R the weight that goes
// left and right in all, R + D go the same way as by the split; with the cut flipped, L - D. So the
// best cut has the largest or the smallest D.
#pragma once

#include <array>

#include "node_view.hpp"

namespace treewright {

// The best surrogates, best first. sent: the weight that the split sends left and right.
// RowNumbering::sign holds the sign of every row of the node.
template <class Rows>
std::vector<Surrogate> find_surrogates(const NodeView<Rows>& view, const Candidate& split,
                                       const std::array<int64_t, 2>& sent, Team* team);

// The branch of a row of the table; negative if the surrogate does not know its value.
int32_t surrogate_branch(const Problem& problem, const Surrogate& surrogate, int64_t row);

}  // namespace treewright
