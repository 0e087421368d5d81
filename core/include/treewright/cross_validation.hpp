// cross_validation.hpp: dealing rows over folds, and scoring all sizes of a tree at once.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "treewright/columns.hpp"
#include "treewright/shrinkage.hpp"

namespace treewright {

// A number for each row that follows from its values alone: the same for equal rows, in any
// order of the rows, for float and double columns alike. All missing values are one value.
std::vector<uint64_t> hash_rows(std::span<const ColumnView> columns, int64_t n_rows, uint64_t seed);

enum class Loss : int8_t { cost = 0, squared = 1, poisson = 2, absolute = 3 };

// Rows that have been sent down a tree, and what the tree's nodes answer.
struct ScoredRows {
  std::span<const int32_t> node;   // where each row ends
  std::span<const double> weight;  // empty: all 1
  std::span<const int32_t> label;  // class of each row, for Loss::cost
  std::span<const double> value;   // number of each row, otherwise
};
struct ScoredTree {
  std::span<const int32_t> subtree_size;
  std::span<const int32_t> first_step;  // of each inner node: the first step that collapses it
  std::span<const int32_t> label;       // answers
  std::span<const double> value;
  std::span<const double> costs;  // n_classes x n_classes, true class by row; empty: 0 and 1
  int32_t n_classes = 0;
};

// Out:  for each step the sum of weight * loss and of weight * loss^2 over the rows.
// How:  a row's answer changes only where a node above it collapses, so each row climbs to
//       the root once and adds its changes to the steps: O(rows * depth + steps).
void score_steps(const ScoredTree& tree, const ScoredRows& rows, Loss loss, std::span<double> sum,
                 std::span<double> sum_of_squares);

// Sums over the rows at each step, times the weight of a row. `wrong` is the cost of the label,
// and `gained` what the log-loss of the root loses against that of the answer.
struct ClassSums {
  std::span<double> wrong, wrong_squared, log_loss;
  std::span<double> mixed_squared;   // of wrong / unit + log_weight * log-loss
  std::span<double> gained_squared;  // of log-loss of the root - log-loss
  double unit = 1.0, log_weight = 0.0;
};

// Scores the probabilities and labels of draw_classes, for each lambda.
// In:   tree.costs are what answers cost these rows; scale is the factor of the rows of each
//       class in the log-loss (empty: 1), which those costs already contain. With plain_labels
//       nodes answer the tree's own labels.
// How:  the costs of a row follow from its class and the node that answers it. So rows are
//       counted by node and class, and a node adds its costs to the steps from its own collapse
//       to that of its parent: O(nodes * classes) per lambda, in preorder.
void score_classes(const ScoredTree& tree, const ScoredRows& rows, std::span<const double> scale,
                   const ClassEvidence& nodes, std::span<const double> lambdas, bool plain_labels,
                   std::span<ClassSums> sums);

// For each node the sum of weight * loss of all rows that pass it, were they answered there;
// and of those that end in it.
void node_losses(const ScoredTree& tree, const ScoredRows& rows, Loss loss,
                 std::span<double> passed, std::span<double> ended);

}  // namespace treewright
