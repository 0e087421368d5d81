// shrinkage.hpp: what nodes answer when their evidence is drawn towards the node above.
//
// One pass from the root down, one division per node (and class), so the same bytes for any
// order of rows and threads. A node without weight answers what its parent answers.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace treewright {

// The node above each node of a tree in preorder; -1 for the root.
std::vector<int32_t> parents_of(std::span<const int32_t> subtree_size);

// Numbers: a(root) = mean; a(t) = (W(t) mean(t) + m a(parent)) / (W(t) + m).
// In:  the weight W of each node in copies of a row, its mean, and m in rows.
void draw_numbers(std::span<const int32_t> parent, std::span<const double> weight,
                  std::span<const double> mean, double m, std::span<double> answer);

// The classes of a tree's nodes, and what their answers cost.
struct ClassEvidence {
  std::span<const int32_t> parent;
  std::span<const double> value;  // weight of each class in each node
  std::span<const double> costs;  // n_classes x n_classes, true class by row; empty: 0 and 1
  size_t n_classes = 0;
  double copies = 1.0;  // copies of a row that a unit of weight stands for
};

// Classes, by hierarchical shrinkage (Agarwal et al. 2022):
//   q(root) = share(root);  q(t) = q(parent) + (share(t) - share(parent)) / (1 + lambda /
//   W(parent))
// smoothed last, so that no probability is 0 or 1:
//   p(t) = (W(root) q(t) + 1/k) / (W(root) + 1)
// The label is the class of least expected cost by p; of equal ones (1e-12 of the largest) the
// one of the largest weight in the node, then the first.
void draw_classes(const ClassEvidence& nodes, double lambda, std::span<double> probability,
                  std::span<int32_t> label);

}  // namespace treewright
