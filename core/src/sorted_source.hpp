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

// An open node of a larger table, to be grown from its own rows as it would be grown there.
struct GivenNode {
  uint64_t key = kRootKey;
  Quantiser scale;             // of a number
  std::vector<int64_t> stats;  // held against the rows
  SplitLimits limits;          // of the larger table, as is all that follows
  std::vector<uint8_t> has_many_levels;
  double copy_unit = 1.0;
};

// The rows of such a node; its handle is 0. Throws if the rows are not those of the node.
std::unique_ptr<NodeSource> make_home_source(const SortedTable& table, SortedTable* to_consume,
                                             const Target& target, Weights&& weights,
                                             const GivenNode& node, const GrowOptions& options,
                                             Control& control);

}  // namespace treewright
