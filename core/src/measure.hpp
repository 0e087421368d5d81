// measure.hpp: what is recorded about a node before it is searched.
#pragma once

#include <limits>

#include "node_view.hpp"

namespace treewright {

// The exponent of a scale that has not been set yet.
constexpr int kNoScale = std::numeric_limits<int>::min();

// Sets the record of a node whose statistics and target order are in place: impurity, whether it is
// pure, and for regression its scale, mean, variance and quartiles. A node whose target has a short
// range gets a finer scale, so y and the sum in its statistics may change.
template <class Rows>
void measure(const NodeView<Rows>& view);

// The coarse image of the node's target, if there is a sweep for it: the one in the entries if it
// is fine enough for the node (or if a rough one will do), otherwise a table by row.
CoarseImage coarse_image(const NodeView<NumberRows>& view, bool rough_will_do);

}  // namespace treewright
