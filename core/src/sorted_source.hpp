// sorted_source.hpp: the NodeSource that keeps the entries of every column sorted, in memory.
//
// The entries of a node lie in the same range [begin, end) of every column's array; dividing it is
// a stable partition of each range. Children are searched column by column in the same pass that
// divides the column, while its entries are still in the cache.
//
// Two kinds of parallel work: over columns while a node is large, over whole subtrees below that
// (at_home: one thread, rows numbered anew). What a node becomes depends on its rows alone, so
// neither changes the tree.
#pragma once

#include <memory>

#include "treewright/grow.hpp"
#include "treewright/node_source.hpp"

namespace treewright {

// Takes over the entries of `to_consume`, the same table, unless it is null.
std::unique_ptr<NodeSource> make_sorted_source(const SortedTable& table, SortedTable* to_consume,
                                               const Target& target, Weights&& weights,
                                               const GrowOptions& options, Control& control);

}  // namespace treewright
