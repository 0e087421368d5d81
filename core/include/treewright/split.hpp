// split.hpp: a candidate split, which splits are allowed, and which of them wins.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

#include "treewright/criterion.hpp"
#include "treewright/statistics.hpp"
#include "treewright/types.hpp"

namespace treewright {

constexpr double kNone = -std::numeric_limits<double>::infinity();

struct Candidate {
  SplitKind kind = SplitKind::leaf;
  int32_t column = -1;
  double threshold = 0.0;
  int32_t missing_route = 0;
  bool proven = true;
  double gain = kNone;  // in units of the node (see criterion.hpp)
  double charge = 0.0;  // taken off where columns compete, never off the gain itself
  double tie_gain = 0.0;
  int32_t n_branches = 2;
  std::vector<int32_t> categories, branches;  // subset, multiway: codes in ascending order
  std::vector<int64_t> left;                  // statistics of branch 0; multiway: of each
  int64_t weight_seen = 0;                    // of the rows that the search looked at

  // What it competes with.
  double score() const { return gain - charge; }
};

// The parts of a divided row are rounded, so two thirds and a third of a row may weigh a little
// less than the row: limits on weight allow for that.
constexpr double kNearlyWeight = 1.0 - 1e-9;

// A number of rows in the units that statistics count them in: whole rows, or shares of a row if
// rows are divided. A limit of `no_limit` rows forbids nothing, so any share satisfies it.
inline int64_t rows_in_units(int64_t rows, int64_t no_limit, int64_t share_unit) {
  if (share_unit == 1) {
    return rows;
  }
  return rows == no_limit ? 1 : std::llrint(real(rows) * real(share_unit) * kNearlyWeight);
}

// The one predicate that says which split is allowed.
struct SplitLimits {
  int64_t min_rows = 1;
  int64_t min_weight = 1;         // in units of weight
  bool positive_sum = false;      // poisson: every branch needs a sum above 0
  int64_t min_branch_weight = 0;  // in units; at least two branches must have it
  bool whole_rows = true;         // otherwise min_rows is in shares of a row

  bool enough_rows(const int64_t* branch) const { return branch[kRows] >= min_rows; }
  bool enough_weight(const int64_t* branch) const { return branch[kWeight] >= min_weight; }
  bool enough_sum(const int64_t* branch) const { return !positive_sum || get_sum(branch) > 0; }
  bool allows(const int64_t* branch) const {
    return enough_rows(branch) && enough_weight(branch) && enough_sum(branch);
  }
  bool allows(const int64_t* left, const int64_t* right) const {
    return allows(left) && allows(right) && left[kWeight] >= min_branch_weight &&
           right[kWeight] >= min_branch_weight;
  }
  // Any number of branches, one block of statistics each.
  bool allows_each(const int64_t* stats, size_t words, size_t n_branches) const {
    size_t allowed = 0, heavy = 0;
    for (size_t b = 0; b < n_branches; ++b) {
      allowed += allows(stats + b * words);
      heavy += stats[b * words + kWeight] >= min_branch_weight;
    }
    return allowed == n_branches && heavy >= 2;
  }
};

// Chooses the first candidate, in the order offered, whose score (its gain, less what it is
// charged) is within the tolerance of the best score (and, where the criterion has one, whose
// tie gain is within tolerance of the best tie gain among those). Only candidates that can still
// become the first are kept: an offer no better than an earlier one in both respects is dropped,
// and so is an earlier one whose tie gain is clearly below that of an offer of at least its score.
class Chooser {
 public:
  explicit Chooser(const NodeCost& cost)
      : tolerance_(cost.tolerance()), tie_tolerance_(cost.tie_tolerance()) {}

  bool wants(double score, double tie_gain) const {
    if (score < best_ - tolerance_) {
      return false;
    }
    return std::none_of(kept_.begin(), kept_.end(), [&](const Candidate& c) {
      return c.score() >= score && c.tie_gain >= tie_gain;
    });
  }
  void keep(Candidate candidate) {
    best_ = std::max(best_, candidate.score());
    const double score = candidate.score(), too_low = candidate.tie_gain - tie_tolerance_;
    std::erase_if(kept_, [&](const Candidate& c) {
      return c.score() < best_ - tolerance_ || (c.score() <= score && c.tie_gain < too_low);
    });
    kept_.push_back(std::move(candidate));
  }
  bool empty() const { return kept_.empty(); }
  Candidate winner() {
    if (kept_.empty()) {
      throw std::logic_error("the best gain of a node was not found again");
    }
    double best_tie = kNone;
    for (const Candidate& c : kept_) {
      best_tie = std::max(best_tie, c.tie_gain);
    }
    return *std::find_if(kept_.begin(), kept_.end(), [&](const Candidate& c) {
      return c.tie_gain >= best_tie - tie_tolerance_;
    });
  }

 private:
  double tolerance_, tie_tolerance_;
  double best_ = kNone;
  std::vector<Candidate> kept_;
};

// Offers a cut with these statistics of both sides, if it is allowed. build(left, right) makes the
// candidate once it is wanted.
template <class Build>
void offer_cut(const NodeCost& cost, const SplitLimits& limits, const int64_t* node,
               const int64_t* left, const int64_t* right, Chooser& chooser, const Build& build) {
  if (!limits.allows(left, right)) {
    return;
  }
  const double gain = cost.gain(left, right);
  const double tie = cost.tie_gain(left, right);
  if (chooser.wants(gain, tie)) {
    Candidate candidate = build(left, right);
    candidate.gain = gain;
    candidate.tie_gain = tie;
    candidate.left.assign(left, left + cost.layout().words());
    candidate.weight_seen = node[kWeight];
    chooser.keep(std::move(candidate));
  }
}

// The branch of missing values: the side that the search tried, or the heavier one if the node has
// none.
inline int32_t missing_branch(bool has_missing, bool missing_left, const int64_t* left,
                              const int64_t* right) {
  return (has_missing ? missing_left : left[kWeight] >= right[kWeight]) ? 0 : 1;
}

// Why a node has no allowed split: its most uneven splits show which limit forbade them.
class Forbidden {
 public:
  explicit Forbidden(const SplitLimits& limits) : limits_(limits) {}

  // Some column tells the rows of the node apart.
  void rows_differ() { differ_ = true; }
  void look_at(const int64_t* branch) {
    rows_ = rows_ || !limits_.enough_rows(branch);
    weight_ = weight_ || !limits_.enough_weight(branch);
    sum_ = sum_ || !limits_.enough_sum(branch);
  }
  StopReason reason() const {
    if (!differ_) {
      return StopReason::identical_rows;
    }
    if (rows_ || weight_) {
      return rows_ ? StopReason::min_samples_leaf : StopReason::min_weight_fraction_leaf;
    }
    return sum_ ? StopReason::zero_target : StopReason::no_better_split;
  }

 private:
  const SplitLimits& limits_;
  bool differ_ = false, rows_ = false, weight_ = false, sum_ = false;
};

}  // namespace treewright
