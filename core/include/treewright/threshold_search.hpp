// threshold_search.hpp: the best test "x <= t" for one sorted column at one node.
//
// In:   the node's entries in this column, known rows ascending, then the missing rows.
// How:  one sweep over the known rows, two if the node has missing rows (once with all of
//       them on the right, once on the left), plus "is missing" as a split of its own.
// Cost: O(rows); O(rows x classes) where the criterion has no cheap sweep.
// Ties: the smallest threshold wins, missing left before right, "is missing" last; columns
//       are compared by the caller, in order.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>

#include "treewright/parallel.hpp"
#include "treewright/small_array.hpp"
#include "treewright/split.hpp"
#include "treewright/sweep.hpp"

namespace treewright {

// One column at one node.
struct ColumnRange {
  const Entry* entries;
  int64_t n_known;
  int64_t n_rows;  // known and missing
};

// A number of at most twelve digits that is this one up to rounding; itself if there is none.
inline double without_rounding(double t) {
  const double shorter = with_digits(t, 12);
  const double step = std::nextafter(std::abs(t), std::numeric_limits<double>::infinity());
  return std::abs(shorter - t) <= 2 * (step - std::abs(t)) ? shorter : t;
}

// The midpoint of neighbouring values a < b such that always a <= t < b (and never -0.0). Rounded,
// it is 42.35 between 42.3 and 42.4, not the 42.349999999999994 that floating point makes of it.
// With a step, of which a and b are multiples, it is the last multiple before the middle.
inline double midpoint(double a, double b, bool rounded, double step) {
  const double t = a / 2 + b / 2;
  if (!(a <= t && t < b)) {
    return a + 0.0;
  }
  if (step > 0) {
    return std::floor(t / step) * step + 0.0;
  }
  const double plain = std::isfinite(t) && rounded ? without_rounding(t) : t;
  return (a <= plain && plain < b ? plain : t) + 0.0;
}

// A slow sweep over a large node takes long, so it checks for Ctrl-C on the way.
inline void check_now_and_then(const Control& control, int64_t i) {
  if (i % 65536 == 0) {
    control.check();
  }
}

// The best score of an allowed cut between entries i - 1 and i whose values differ, the first
// i known rows being on the left of the sweep; `best` if none is better.
template <class Sweep>
double best_score(const ColumnRange& span, Sweep& sweep, int64_t already_left,
                  const SplitLimits& limits, int64_t min_rows, const Control& control,
                  double best) {
  const int64_t first = std::max<int64_t>(1, min_rows - already_left);
  const int64_t last = std::min(span.n_known - 1, span.n_rows - already_left - min_rows);
  const Entry* e = span.entries;
  int64_t i = 0;
  if constexpr (requires { sweep.look_ahead(e, i, first, last + 1, best); }) {
    if (first <= last) {
      i = sweep.look_ahead(e, i, first, last + 1, best);
    }
  }
  for (; i < first && i < span.n_known; ++i) {
    sweep.add(e[i]);
  }
  for (; i <= last; ++i) {
    if constexpr (Sweep::kCheap) {
      // No branch on a new best: it would be mispredicted too often.
      constexpr double kPenalty[2] = {kNone, 0.0};
      best = std::max(best, sweep.score() + kPenalty[e[i] & kDiffers]);
    } else {
      check_now_and_then(control, i);
      if ((e[i] & kDiffers) && sweep.allowed(limits)) {
        best = std::max(best, sweep.score());
      }
    }
    sweep.add(e[i]);
  }
  return best;
}

// Columns of a small node that are divided, or searched, at once. Doing so was measured as a whole
// (benchmarks/README.md), the number was not.
constexpr size_t kTogether = 16;

// What the search needs besides the sweep: how sweeps are made for this node.
template <class Rows, class MakeSweep>
class ThresholdSearch {
 public:
  ThresholdSearch(const NodeCost& cost, const Rows& rows, const SplitLimits& limits,
                  const int64_t* node, const MakeSweep& make_sweep, const Control& control)
      : cost_(cost),
        rows_(rows),
        limits_(limits),
        node_(node),
        make_sweep_(make_sweep),
        control_(control) {
    // With unit weights both limits are a number of rows, checked by where the sweep stops.
    min_rows_ = Rows::kUnitWeights
                    ? std::max({limits.min_rows, limits.min_weight, limits.min_branch_weight})
                    : (limits.whole_rows ? limits.min_rows : 1);
  }

  // The best gain, up to the sweep's margin; kNone if nothing is allowed. If the column
  // cannot beat `to_beat`, the gain of another column, any bound below `to_beat` may be returned.
  double best(const ColumnRange& span, double to_beat) const {
    StatBlock left(words()), right(words());
    double gain = best_cut(span, left.data(), to_beat);
    if (span.n_known < span.n_rows && span.n_known > 0) {
      add_missing(span, left.data());
      gain = std::max(gain, best_cut(span, left.data(), to_beat));
      cost_.layout().difference(right.data(), node_, left.data());
      if (limits_.allows(left.data(), right.data())) {
        gain = std::max(gain, cost_.gain(left.data(), right.data()));
      }
    }
    return gain;
  }

  // The same for up to kTogether columns without missing rows, which for a node of few rows are
  // faster together than one by one.
  std::array<double, kTogether> best_of_each(std::span<const Entry* const> columns,
                                             int64_t n_rows) const {
    std::array<double, kTogether> gains;
    if constexpr (requires(Sweep sweep) { sweep.can_look_at_each(); }) {
      StatBlock nothing(words());
      const Sweep sweep = make_sweep_(nothing.data());
      const int64_t first = std::max<int64_t>(1, min_rows_), end = n_rows - first + 1;
      if (first < end && sweep.can_look_at_each()) {
        std::array<simd::SumColumn, kTogether> sums;
        for (size_t c = 0; c < columns.size(); ++c) {
          sums[c] = {columns[c], {.best = static_cast<float>(kNone)}};
        }
        sweep.look_at_each(std::span(sums).first(columns.size()), first, end);
        for (size_t c = 0; c < columns.size(); ++c) {
          gains[c] = sweep.gain(sums[c].state.best) * cost_.share();
        }
        return gains;
      }
    }
    for (size_t c = 0; c < columns.size(); ++c) {
      gains[c] = best({columns[c], n_rows, n_rows}, kNone);
    }
    return gains;
  }

  // Offers every cut of at least this gain, in order. make(i, whether missing rows go left,
  // left and right statistics) builds the candidate once it is wanted; i = 0: "is missing".
  template <class Make>
  void offer(const ColumnRange& span, double at_least, Chooser& chooser, const Make& make) const {
    StatBlock left(words()), missing(words()), right(words()), with_missing(words());
    const bool has_missing = span.n_known < span.n_rows;
    if (has_missing) {
      add_missing(span, missing.data());
    }
    Sweep sweep = start(span, left.data());
    Sweep sweep_missing_left = start(span, missing.data());
    const auto consider = [&](const StatBlock& branch, auto&& build) {
      cost_.layout().difference(right.data(), node_, branch.data());
      offer_cut(cost_, limits_, node_, branch.data(), right.data(), chooser, build);
    };
    // Slightly less than requested, to allow for rounding.
    const double at_first = (at_least - 0x1p-20 * std::abs(at_least)) / cost_.share();
    const auto reaches = [&](const auto& sweep) {
      if constexpr (requires { sweep.score_of(at_first); }) {
        return sweep.score() >= sweep.score_of(at_first);
      } else {
        return sweep.gain(sweep.score()) >= at_first;
      }
    };
    int64_t added = 0;  // rows in left
    const auto left_of = [&](int64_t i) {
      add_rows(left.data(), span.entries + added, span.entries + i);
      added = i;
    };
    for (int64_t i = 0; i < span.n_known; ++i) {
      check_now_and_then(control_, i);
      if (i % kStretch == 1 && !has_missing) {
        i = pass_over(span, i, sweep, at_first);
        if (i == span.n_known) {
          break;
        }
      }
      if (i > 0 && (span.entries[i] & kDiffers)) {
        if (has_missing && reaches(sweep_missing_left)) {
          left_of(i);
          cost_.layout().copy(with_missing.data(), left.data());
          cost_.layout().add(with_missing.data(), missing.data());
          consider(with_missing,
                   [&](const int64_t* l, const int64_t* r) { return make(i, true, l, r); });
        }
        if (reaches(sweep)) {
          left_of(i);
          consider(left, [&](const int64_t* l, const int64_t* r) { return make(i, false, l, r); });
        }
      }
      sweep.add(span.entries[i]);
      if (has_missing) {
        sweep_missing_left.add(span.entries[i]);
      }
    }
    if (has_missing && span.n_known > 0) {
      consider(missing, [&](const int64_t* l, const int64_t* r) { return make(0, true, l, r); });
    }
  }

  // The largest error of a gain, if `best` is the best gain found.
  double margin(double best) const {
    StatBlock empty(words());
    return margin(make_sweep_(empty.data()), best);
  }

 private:
  using Sweep = std::invoke_result_t<const MakeSweep&, const int64_t*>;
  static constexpr int64_t kStretch = simd::kStretch, kLongestStretch = 128 * kStretch;

  size_t words() const { return size_t(cost_.layout().words()); }

  double margin(const Sweep& sweep, double best) const {
    if constexpr (requires { sweep.margin(cost_, best); }) {
      return sweep.margin(cost_, std::max(best, 0.0));
    } else {
      return sweep.margin(cost_);
    }
  }
  // A sweep with these rows, none or the missing ones, on the left.
  Sweep start(const ColumnRange& span, const int64_t* left) const {
    Sweep sweep = make_sweep_(left);
    if constexpr (requires { sweep.kStartsEmpty; }) {
      for (int64_t i = span.n_known; i < span.n_rows && left[kRows] > 0; ++i) {
        sweep.add(span.entries[i]);
      }
    }
    return sweep;
  }
  double best_cut(const ColumnRange& span, const int64_t* left, double to_beat) const {
    Sweep sweep = start(span, left);
    double best = kNone;
    if constexpr (requires { sweep.kPassesOver; }) {
      // Cuts within twice the margin of the best will be compared exactly.
      if (to_beat != kNone && span.n_rows >= simd::kManyRows) {
        best = sweep.score_of((to_beat - 3 * margin(sweep, to_beat)) / cost_.share());
      }
    }
    best = best_score(span, sweep, left[kRows], limits_, min_rows_, control_, best);
    return best == kNone ? kNone : sweep.gain(best) * cost_.share();
  }
  // Moves the sweep over whole stretches in which no cut reaches this gain; the stretches get
  // longer as it succeeds. Returns the first entry after them.
  int64_t pass_over(const ColumnRange& span, int64_t i, Sweep& sweep, double at_least) const {
    if constexpr (requires(double best) { sweep.look_ahead(span.entries, i, i, i, best); }) {
      const double goal = sweep.score_of(at_least);
      int64_t stretch = kStretch;
      while (i + stretch <= span.n_known) {
        Sweep ahead = sweep;
        double best = goal;
        const int64_t reached = ahead.look_ahead(span.entries, i, i, i + stretch, best);
        if (reached == i + stretch && best <= goal) {
          sweep = ahead;
          i = reached;
          stretch = std::min(2 * stretch, kLongestStretch);
        } else if (stretch > kStretch) {
          stretch = kStretch;
        } else {
          break;
        }
      }
    }
    return i;
  }
  void add_missing(const ColumnRange& span, int64_t* left) const {
    add_rows(left, span.entries + span.n_known, span.entries + span.n_rows);
  }
  void add_rows(int64_t* stats, const Entry* begin, const Entry* end) const {
    if constexpr (requires { rows_.add(stats, begin, end); }) {
      rows_.add(stats, begin, end);
    } else {
      std::for_each(begin, end, [&](Entry e) { rows_.add(stats, e); });
    }
  }
  const NodeCost& cost_;
  const Rows& rows_;
  const SplitLimits& limits_;
  const int64_t* node_;
  const MakeSweep& make_sweep_;
  const Control& control_;
  int64_t min_rows_;
};

}  // namespace treewright
