// gain_ratio.hpp: columns that compete by gain ratio (Quinlan 1993).
//
// Each column offers its best split by gain. Those that gain at least the average compete by
// gain / split information: the entropy of the division itself, so that many small branches
// do not win by their number.
#pragma once

#include <optional>

#include "node_view.hpp"

namespace treewright {

// The winner among node.offers, or nothing if no offer gains anything.
template <class Rows>
std::optional<Candidate> choose_by_ratio(const NodeView<Rows>& view);

}  // namespace treewright
