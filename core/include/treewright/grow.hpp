// grow.hpp: options in, tree out; and Grower, which grows a tree step by step.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "treewright/flat_tree.hpp"
#include "treewright/parallel.hpp"
#include "treewright/sorted_table.hpp"
#include "treewright/split.hpp"
#include "treewright/target.hpp"

namespace treewright {

struct GrowOptions {
  Criterion criterion = Criterion::gini;
  int64_t max_depth = std::numeric_limits<int64_t>::max();
  int64_t min_samples_split = 2;
  int64_t min_samples_leaf = 1;
  double min_weight_leaf = 0.0;  // real weight, not a share
  double min_gain = 0.0;
  double min_impurity_decrease = 0.0;
  int64_t max_leaf_nodes = 0;  // 0: no limit
  int64_t max_nodes = 0;       // 0: no limit
  int64_t max_features = 0;    // 0: all columns
  uint64_t seed = 0;
  int n_threads = 1;

  Missing missing = Missing::learned;
  bool multiway = false;           // a branch per category
  bool ranks_too = false;          // also of ordinal columns
  bool gain_ratio = false;         // columns compete by gain ratio instead of gain
  bool charge_cuts = false;        // a threshold pays for the number of cuts it was chosen from
  bool charge_levels = false;      // a grouping pays for the number of levels it was chosen from
  double min_branch_weight = 0.0;  // above 0: two branches of this weight are enough
  int64_t max_surrogates = 0;
  bool stop_without_surrogate = false;  // where no surrogate knows a row; else the larger branch
  bool known_agreement = false;         // agreement is a share of rows known to both splits

  // Habits in which published programs differ, named by what they do.
  bool round_midpoint = true;  // a threshold is the short decimal beside the midpoint
  bool stop_on_equal_sides =
      false;                       // a row without value or surrogate stops if branches weigh alike
  int64_t min_surrogate_rows = 1;  // a surrogate needs so many rows on either side of its cut, or
                                   // so many that agree with the split and that do not
  bool tenth_of_class_per_side = false;  // a side of a threshold needs a tenth of the weight per
                                         // class (25 at most)
  bool count_allowed_cuts = false;       // charge_cuts counts the cuts that limits allow, not all
  double average_slack = 0.0;  // a gain competes by ratio if this much below the average gain
  std::vector<double> steps;   // by column: thresholds are multiples of it; 0 or absent: any number
  std::vector<uint8_t> not_averaged;  // by column: whether its gain is left out of the average

  double step(size_t column) const { return steps.empty() ? 0.0 : steps[column]; }
  // Whether a search sees the rows with a known value only.
  bool known_rows_only() const { return missing != Missing::learned; }
};

// A tree that grows by one node at a time. Depth-first, best-first and any other order are
// orders over these calls, and give the same nodes. Nodes are numbered as they are made.
class Grower {
 public:
  virtual ~Grower() = default;

  // The root is node 0, open from the start.
  virtual int64_t n_nodes() const = 0;
  // StopReason::none while the node is open or split; otherwise the rule that made it a leaf.
  virtual StopReason stop_reason(int32_t node) const = 0;
  // The best split of each column, best first (ties in column order); at most top of them.
  // With top = 1, the split that growing takes; empty if the node must be a leaf. Their gains
  // are real numbers.
  virtual std::vector<Candidate> candidates(int32_t node, size_t top) = 0;
  // Divides an open node by any split of these columns; the left child's number comes back,
  // the right child's is one more. Its gain is worked out here. A split that leaves a branch
  // empty is refused.
  virtual int32_t split(int32_t node, const Candidate& split) = 0;
  // Makes an open node a leaf. Without a reason, the rule that forbids its split is recorded.
  virtual void close(int32_t node, StopReason reason) = 0;

  // Grows all open nodes to the end: subtree by subtree, or best first where the number of
  // leaves or nodes is limited.
  virtual void grow_all() = 0;
  // The tree so far; open nodes are leaves.
  virtual FlatTree tree() const = 0;
  // The same, but frees memory on the way; the grower must not be used afterwards.
  virtual FlatTree take_tree() = 0;
};

// The sorted columns are copied, or taken over if the table may be consumed.
std::unique_ptr<Grower> make_grower(SortedTable&& table, const Target& target,
                                    const double* weights, const GrowOptions& options,
                                    Control& control);
std::unique_ptr<Grower> make_grower(const SortedTable& table, const Target& target,
                                    const double* weights, const GrowOptions& options,
                                    Control& control);

}  // namespace treewright
