// tree_check.hpp: what must hold in the arrays of a tree before anything walks them.
//
// Routing and pruning index by these arrays without looking: a tree that passes here cannot
// make them leave an array or loop for ever. One pass, O(nodes + branches + categories).
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "treewright/route.hpp"

namespace treewright {

// The arrays are not those of a tree; the message names node, array, value and what was wanted.
struct BrokenTree : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The columns of the schema.
struct SchemaColumns {
  std::span<const int8_t> kind;       // a Kind
  std::span<const int32_t> n_labels;  // number of categories; 0 for numbers
};

// What each node keeps about its rows, as far as it can be judged node by node.
struct NodeEvidence {
  std::span<const int64_t> n_rows;
  std::span<const double> weight, weight_squared;
  std::span<const double> value;  // width entries per node
  int64_t width = 1;
  std::span<const double> answer;     // width entries per node, or none
  std::span<const double> variance;   // numbers only
  std::span<const double> quartiles;  // numbers only: three per node
  std::span<const double> impurity, gain, risk;
  std::span<const int32_t> label;
  std::span<const int8_t> stop_reason;
  std::span<const double> surrogate_agree, surrogate_adjust;
  std::span<const int64_t> surrogate_rows;
};

// How many there are of what the evidence refers to by number.
struct Known {
  int32_t n_classes = -1;  // 0: the target is a number; -1: it is not known
  int32_t n_stop_reasons = 0;
};

// Each check throws BrokenTree for the first node that is wrong.

// Subtrees must lie inside one another. Returns the number of branches of each node.
std::vector<int32_t> check_nesting(std::span<const int32_t> subtree_size);

// The splits must fit the shape of the tree and the columns of the schema.
void check_splits(const TreeShape& tree, const SchemaColumns& columns);

// Counts, weights, costs and answers must be possible ones.
void check_evidence(const NodeEvidence& evidence, const TreeShape& tree, const Known& known);

// Risks in whole units must lie between 0 and 2^62; see weakest_link.hpp.
void check_risks(std::span<const int32_t> subtree_size, std::span<const int64_t> risk,
                 std::span<const int64_t> stopped);

}  // namespace treewright
