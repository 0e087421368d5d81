// category_search.hpp: the best division of the categories of one column into two groups.
//
// In:   one Level per category present at the node (and one for missing), with statistics.
// How:  - two classes, or a number: sorted by mean, the best of all 2^(k-1)-1 groupings is a
//         prefix (Fisher 1958; Breiman et al. 1984), so k-1 prefixes are enough.
//       - more classes, or when the limits forbid the best prefix: all groupings while k is at
//         most kEnumerate; levels with proportional class counts move together above that.
//       - absolute error: all groupings while k is at most kEnumerate, else prefixes by median.
//       - otherwise the best prefix of several orderings (mean, each class against the rest,
//         first principal component), improved by moving single levels across. Not proven.
// Order of candidates (for ties): prefixes of (mean, category) by length, then other sets by
// bit mask, bit p standing for position p (or the p-th block of levels that move together);
// the last position is always on the right.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "treewright/medians.hpp"
#include "treewright/parallel.hpp"
#include "treewright/split.hpp"

namespace treewright {

constexpr int kEnumerate = 12;

// The levels of one column at one node. The missing level has the code kMissing, which
// sorts after every category.
constexpr int32_t kMissing = INT32_MAX;

struct Levels {
  std::vector<int32_t> codes;
  std::vector<int64_t> stats;  // one block of layout.words() per level
  std::vector<int64_t> sizes;  // rows of each level
};

// A column of at most this many categories, over all rows, is never charged.
constexpr int kFewLevels = 12;
// What the best threshold of a number gains from noise alone, in units of impurity / weight.
constexpr double kChanceOfNumber = 6.0;

// The charge that is subtracted from the gain of a grouping when columns compete, because the best
// of many groupings gains something from noise alone. Each of k levels of one size has a mean of
// its own to fit, so noise gains at most k impurity / weight. For levels of different sizes, m =
// (sum of sqrt(weight of a level))^2 / (weight of all levels) takes the place of k. The charge is
// (m - kChanceOfNumber) impurity / weight of the node, so that noise in such a column competes with
// noise in a number on equal terms. unit: the weight that counts as 1.
double charge_of_levels(const NodeCost& cost, const Levels& levels, double unit);

// Which levels go left: 1 or 0 by position. `positions` are the levels in the order of the cost.
using Side = std::vector<uint8_t>;

// What groupings of levels gain, by a criterion that is a function of sums.
class SumCost {
 public:
  // Whether a search may try other orderings than this one, and move single levels.
  static constexpr bool kSums = true;

  SumCost(const NodeCost& cost, const Levels& levels) : cost_(cost), levels_(levels) {}

  const NodeCost& node() const { return cost_; }
  const Levels& levels() const { return levels_; }
  // The levels by (mean, category).
  std::vector<int32_t> order() const;
  double gain_of_prefix(size_t, const int64_t* left, const int64_t* right) const {
    return cost_.gain(left, right);
  }
  double gain(const Side&, std::span<const int32_t>, const int64_t* left,
              const int64_t* right) const {
    return cost_.gain(left, right);
  }

 private:
  std::vector<int32_t> order_by_class() const;
  std::vector<int32_t> order_by_number() const;

  const NodeCost& cost_;
  const Levels& levels_;
};

// The same for the absolute error. No prefix need be the best here, neither by median nor by mean:
// the best of all groupings is proven only if all of them are tried.
class AbsoluteCost {
 public:
  static constexpr bool kSums = false;

  // ranks: of the rows, level by level. rounded: whether weights are parts of divided rows.
  AbsoluteCost(const NodeCost& cost, const Levels& levels, const Ranked& ranked,
               std::span<const uint32_t> ranks, bool rounded);

  const NodeCost& node() const { return cost_; }
  const Levels& levels() const { return levels_; }
  // The levels by (median, mean, category).
  std::vector<int32_t> order() const { return order_; }
  double gain_of_prefix(size_t length, const int64_t*, const int64_t*) const;
  double gain(const Side& side, std::span<const int32_t> positions, const int64_t*,
              const int64_t*) const;

 private:
  double gain_of(int128 cost) const { return real(all_ - cost) / cost_.all_weight(); }
  void sort_levels(bool rounded);
  void follow_prefixes();

  const NodeCost& cost_;
  const Levels& levels_;
  const Ranked& ranked_;
  std::vector<RankedSet> sets_;  // by level
  std::vector<int32_t> order_;
  int128 all_ = 0;
  std::vector<int128> prefix_costs_;  // of both sides together, by length - 1
};

// Searches all groupings of the levels, or the promising ones of many. Cost is one of the above.
template <class Cost>
class CategorySearch {
 public:
  CategorySearch(const Cost& cost, const SplitLimits& limits, const int64_t* node,
                 const Control* control = nullptr)
      : cost_(cost), limits_(limits), node_(node), control_(control) {}

  // The best gain of an allowed grouping, kNone if there is none.
  double best() const;
  // Offers the allowed groupings of at least this score (gain less charge), in order.
  void offer(int32_t column, double charge, double at_least, Chooser& chooser) const;

 private:
  class Search;
  const Cost& cost_;
  const SplitLimits& limits_;
  const int64_t* node_;
  const Control* control_;
};

}  // namespace treewright
