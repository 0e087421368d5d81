// tree_layout.hpp: from the nodes in the order they were made to a tree in preorder.
#pragma once

#include <functional>
#include <vector>

#include "treewright/flat_tree.hpp"
#include "treewright/node_source.hpp"

namespace treewright {

// An impurity or a gain, from units of the node's quantiser to real numbers.
double real_units(const NodeList& list, int32_t id, Criterion criterion, double units);

// The nodes of a list in preorder. The node of a finished subtree is replaced by that subtree;
// copied(i) is called once subtrees[i] has been copied.
FlatTree lay_out(const NodeList& list, const TableFacts& facts, Criterion criterion,
                 const std::vector<FlatTree>& subtrees,
                 const std::function<void(size_t)>& copied = nullptr);

}  // namespace treewright
