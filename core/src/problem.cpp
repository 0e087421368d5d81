#include "problem.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace treewright {

Problem::Problem(const SortedTable& table, const Target& the_target, Weights&& the_weights,
                 const GrowOptions& the_options, Control& the_control)
    : options(the_options),
      control(the_control),
      target(the_target),
      weights(std::move(the_weights)),
      layout(target.task, target.n_classes),
      one_over(std::min(weights.rows, simd::kRowsOfTable)),
      reciprocals(std::min(weights.rows, simd::kSumsOfRows)) {
  for (const SortedColumn& column : table.columns) {
    all_columns.push_back(views.size());
    views.push_back(column.view);
  }
  set_share_unit();
  set_limits();
  copy_unit = treewright::copy_unit(weights.rows, weights.total, weights.unit);
  if (options.criterion == Criterion::entropy && weights.equal()) {
    if (layout.classes() == 2 && weights.rows < simd::kMostRows) {
      two_class_n_log_n = std::make_unique<simd::NLogN>(weights.rows);
    } else {
      n_log_n = std::make_unique<NLogN>(weights.rows);
    }
  }
}

// In limits on numbers of rows a divided row counts by its share. Two rows in a node and one in a
// branch are no limits: any share satisfies them.
void Problem::set_share_unit() {
  if (divides_rows() && (options.min_samples_leaf > 1 || options.min_samples_split > 2)) {
    share_unit = int64_t(1) << (61 - std::bit_width(uint64_t(weights.rows)));
  }
}

void Problem::set_limits() {
  limits.whole_rows = share_unit == 1;
  limits.min_rows = rows_in_units(options.min_samples_leaf, 1, share_unit);
  limits.min_weight = units_of_at_least(options.min_weight_leaf);
  limits.positive_sum = options.criterion == Criterion::poisson;
  if (options.min_branch_weight > 0.0) {
    limits.min_branch_weight = units_of_at_least(options.min_branch_weight * kNearlyWeight);
  } else if (divides_rows() && !options.charge_cuts) {
    // Without this limit, a row with many missing values would be divided into ever smaller parts.
    // If nothing is missing, every branch has a whole row, so the limit forbids nothing.
    int64_t lightest = weights.total;
    for (const int64_t weight : weights.unequal) {
      lightest = weight > 0 ? std::min(lightest, weight) : lightest;
    }
    limits.min_branch_weight = std::llrint(std::floor(real(lightest) * kNearlyWeight));
  }
}

SplitLimits Problem::threshold_limits(const int64_t* seen) const {
  SplitLimits here = limits;
  if (options.tenth_of_class_per_side) {
    const double tenth = 0.1 * real(seen[kWeight]) * weights.unit / layout.classes();
    const double least = std::max(options.min_branch_weight, std::min(tenth, 25.0));
    here.min_branch_weight = units_of_at_least(least * kNearlyWeight);
  }
  return here;
}

TableFacts Problem::facts() const {
  TableFacts facts;
  facts.layout = layout;
  facts.n_rows = weights.rows;
  facts.n_columns = n_columns();
  facts.total_weight = weights.total;
  facts.weight_unit = weights.unit;
  facts.unequal_weights = !weights.equal();
  facts.divides_rows = divides_rows();
  facts.share_unit = share_unit;
  return facts;
}

}  // namespace treewright
