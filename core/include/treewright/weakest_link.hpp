// weakest_link.hpp: minimal cost-complexity pruning, and its cheaper relatives.
//
// Risks are whole numbers, so links tie exactly and no sum depends on its order.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace treewright {

// A tree in preorder and what it costs to stop at each node; see check_risks in tree_check.hpp.
struct RiskTree {
  std::span<const int32_t> subtree_size;
  std::span<const int64_t> risk;     // R(t): of all rows of the node, answered there
  std::span<const int64_t> stopped;  // of the rows that end in an inner node; 0 at leaves
  double total = 1.0;                // units of risk that make 1
};

struct PruningSteps {
  std::vector<double> collapse;   // per node: alpha from which it is no inner node; NaN at leaves
  std::vector<double> alpha;      // per step, rising strictly; step 0 is alpha = 0
  std::vector<int64_t> n_leaves;  // of the smallest best tree at that alpha
  std::vector<double> risk;       // and its R(T), in units
};

// In:   integer risks; two links whose alphas differ by less than slack, or by less than that
//       share of them, are one step (0 and 0: exact ties only).
// Out:  for every alpha the smallest tree of least R(T) + alpha * leaves: the nodes with
//       collapse > alpha are its inner nodes.
// How:  bottom up. A node's link depends on which links below it are stronger: it starts
//       with every child a leaf and brings back, strongest first, the subtrees that outlive
//       the node itself. Those never happen as a step of their own, so each link leaves its
//       heap at most once: O(nodes log nodes) for any shape.
PruningSteps weakest_links(const RiskTree& tree, double slack, double share);

// Bottom-up choice between a leaf and the subtree below it, the children chosen first.
//
// In:   what each node costs as a leaf, and what the rows that stop in it cost otherwise.
//       A node is cut if leaf <= subtree + margin, or leaf < subtree - margin if ties are kept.
// Out:  1 where an inner node is cut (what lies below may be marked too).
std::vector<uint8_t> cut_bottom_up(std::span<const int32_t> subtree_size,
                                   std::span<const double> leaf, std::span<const double> stopped,
                                   double margin, bool keep_ties);

}  // namespace treewright
