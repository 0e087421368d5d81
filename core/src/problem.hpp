// problem.hpp: what one tree is grown from and by which limits. Constant while the tree grows, so
// all threads share it.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "treewright/grow.hpp"
#include "treewright/node_source.hpp"
#include "treewright/sweep.hpp"

namespace treewright {

struct Problem {
  Problem(const SortedTable& table, const Target& target, Weights&& weights,
          const GrowOptions& options, Control& control);

  size_t n_columns() const { return views.size(); }
  bool number() const { return layout.task() == Task::number; }
  bool absolute() const { return options.criterion == Criterion::absolute_error; }
  // Whether a row with a missing value is divided among the branches.
  bool divides_rows() const { return !weights.equal() && options.missing == Missing::fractional; }
  // Whether a split of this column has a branch for each category.
  bool opens_each(size_t column) const {
    const Kind kind = views[column].kind;
    return options.multiway &&
           (kind == Kind::categorical || (options.ranks_too && kind == Kind::ordinal));
  }
  // Whether a sweep over the sorted column finds its best split.
  bool takes_threshold(size_t column) const {
    return views[column].kind != Kind::categorical && !opens_each(column) && !absolute();
  }
  int64_t units_of_at_least(double weight) const {
    return treewright::units_of_at_least(weight, weights.total, weights.unit);
  }
  // The limits for thresholds at a node of which a search sees these rows.
  SplitLimits threshold_limits(const int64_t* seen) const;
  TableFacts facts() const;

  GrowOptions options;
  Control& control;
  Target target;
  Weights weights;
  StatLayout layout;
  std::vector<ColumnView> views;
  std::vector<size_t> all_columns;  // 0, 1, ...
  int64_t share_unit = 1;           // what a whole row counts in statistics
  SplitLimits limits;
  double copy_unit = 1.0;  // the weight that counts as a copy of a row, in units
  // Set once the entries are known.
  std::vector<int32_t> missing_slot;     // by column: index into OpenNode::known, -1: never missing
  std::vector<uint8_t> has_many_levels;  // by column: whether its groupings are charged
  // Tables that sweeps look up instead of dividing and taking logarithms.
  OneOver one_over;
  simd::Reciprocals reciprocals;
  // Entropy, unit weights: two classes and fewer than simd::kMostRows rows, or not.
  std::unique_ptr<simd::NLogN> two_class_n_log_n;
  std::unique_ptr<NLogN> n_log_n;

 private:
  void set_share_unit();
  void set_limits();
};

}  // namespace treewright
