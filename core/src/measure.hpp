// measure.hpp: what is recorded about a node before it is searched.
#pragma once

#include <limits>

#include "node_view.hpp"
#include "treewright/criterion.hpp"

namespace treewright {

// The exponent of a scale that has not been set yet.
constexpr int kNoScale = std::numeric_limits<int>::min();

// ---- what a node of numbers records, from its sums ----

// Gives a node whose targets lie between these two a scale of its own, if it has none or if its
// range is short on the scale it has.
inline void set_scale_of(NumberPart& number, double least, double greatest, bool centered) {
  bool needed = number.scale.exponent == kNoScale;
  if (!needed && least < greatest) {
    const Quantiser::Images images = number.scale.images();
    needed = images(greatest) - (centered ? images(least) : 0) < kShortRange;
  }
  if (needed) {
    number.scale = Quantiser(least, greatest, centered);
  }
}

// All targets are this one.
inline void set_constant(NumberPart& number, double target) {
  number.mean = target;
  number.quartiles.fill(target);
  number.variance = 0.0;
}

// Mean and variance. low and high: the sum of squares around the mean rounded down. Squares of
// 63-bit numbers (see Quantiser) are added in two lanes of 64 bits each, so the sum is exact.
inline void set_moments(NumberPart& number, const int64_t* stats, uint128 low, uint128 high) {
  const double weight = real(stats[kWeight]);
  const int64_t center = NodeCost::floor_mean(get_sum(stats), stats[kWeight]);
  const double remainder = real(get_sum(stats) - int128(center) * stats[kWeight]);
  const double squares = static_cast<double>(high) * 0x1p64 + static_cast<double>(low) -
                         remainder * remainder / weight;
  number.mean = number.scale.center + number.scale.real(real(get_sum(stats)) / weight, 1);
  number.variance = squares / weight;
}

// Half the mean deviance, mean(y ln(y / mean)), in units. The different targets are added in
// ascending order, so the sum does not depend on the order of the rows.
class PoissonSum {
 public:
  explicit PoissonSum(const int64_t* stats)
      : weight_(real(stats[kWeight])),
        center_(NodeCost::floor_mean(get_sum(stats), stats[kWeight])),
        mean_(real(get_sum(stats)) / weight_),
        rest_(real(get_sum(stats) - int128(center_) * stats[kWeight]) / weight_) {}
  void add(int64_t y, int64_t weight) {
    sum_ += real(weight) * poisson_term((real(y - center_) - rest_) / mean_);
  }
  double impurity() const { return mean_ * sum_ / weight_; }

 private:
  double weight_;
  int64_t center_;
  double mean_, rest_;
  double sum_ = 0.0;
};

// Sets the record of a node whose statistics and target order are in place: impurity, whether it is
// pure, and for regression its scale, mean, variance and quartiles. A node whose target has a short
// range gets a finer scale, so y and the sum in its statistics may change.
template <class Rows>
void measure(const NodeView<Rows>& view);

// The coarse image of the node's target, if there is a sweep for it: the one in the entries if it
// is fine enough for the node (or if a rough one will do), otherwise a table by row.
CoarseImage coarse_image(const NodeView<NumberRows>& view, bool rough_will_do);

}  // namespace treewright
