// take_entries.hpp: from the columns of a sorted table to the entries that a tree grows on.
#pragma once

#include "node_view.hpp"

namespace treewright {

// Rows of weight 0 are left out here, and nowhere else. Unweighted classes are put into the
// entries; regression gets the sorted target as one more column. Entries of `to_consume`, the same
// table, are rewritten in place; without it they are copied. Sets Problem::missing_slot and
// has_many_levels, and `known` of the root.
template <class Rows>
std::vector<Entries> take_entries(const SortedTable& table, SortedTable* to_consume,
                                  const Rows& rows, Problem& problem, OpenNode& root, Team& team);

}  // namespace treewright
