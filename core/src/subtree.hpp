// subtree.hpp: an open node as bytes, and its subtree, grown where its rows were gathered.
//
// What a node becomes depends on its own rows and on a few numbers of the whole table. So a worker
// that has the rows can grow the subtree to its end and send it back.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "treewright/flat_tree.hpp"
#include "treewright/node_source.hpp"
#include "treewright/parts_source.hpp"

namespace treewright::parts {

// An open node, apart from its rows.
struct OpenSubtree {
  uint64_t key = kRootKey;
  int32_t depth = 0;
  NodeRecord record;
  std::vector<int64_t> stats;

  std::string bytes() const;
  static OpenSubtree from(std::span<const char> bytes);
};

// What growing must know about the table as a whole.
TableFacts facts_of(const Table& table);
SplitLimits limits_of(const Table& table, const GrowOptions& options);

std::string bytes_of(const FlatTree& tree);
// Refuses arrays that differ in length.
FlatTree tree_from(std::span<const char> bytes);

}  // namespace treewright::parts
