// category_search.hpp: the best division of the categories of one column into two groups.
//
// In:   one Level per category present at the node (and one for missing), with statistics.
// How:  - two classes, or a number: sorted by mean, the best of all 2^(k-1)-1 groupings is a
//         prefix (Fisher 1958; Breiman et al. 1984), so k-1 prefixes are enough.
//       - more classes, or when the rules forbid the best prefix: all groupings while k is at
//         most kEnumerate; levels with proportional class counts move together above that.
//       - otherwise the best prefix of several orderings (mean, each class against the rest,
//         first principal component), improved by moving single levels across. Not proven.
// Order of candidates (for ties): prefixes of (mean, category) by length, then other sets by
// bit mask, bit p standing for position p (or the p-th block of levels that move together);
// the last position is always on the right.
#pragma once

#include <cstdint>
#include <vector>

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

// A column of at most so many categories in all the rows is never charged.
constexpr int kFewLevels = 12;
// What the best threshold of a number gains from noise alone, in units of impurity / weight.
constexpr double kChanceOfNumber = 6.0;

// What a grouping of these levels pays where columns compete, because the best of so many
// groupings gains something from noise alone. Each level has a mean of its own to fit, so noise
// gains at most impurity / weight by each, were all levels of one size: in general
// m = (sum of sqrt(weight of a level))^2 / weight of all of them in the place of their number.
// The charge is (m - kChanceOfNumber) impurity / weight of the node, so that noise in such a
// column competes with noise in a number on equal terms. unit: the weight that is counted as 1.
double charge_of_levels(const NodeCost& cost, const Levels& levels, double unit);

class CategorySearch {
 public:
  CategorySearch(const NodeCost& cost, const Rules& rules, const int64_t* node,
                 const Control* control = nullptr)
      : cost_(cost), rules_(rules), node_(node), control_(control) {}

  // The best gain of an allowed grouping, kNone if there is none.
  double best(const Levels& levels) const;
  // Offers the allowed groupings of at least this score (gain less charge), in order.
  void offer(const Levels& levels, int32_t column, double charge, double at_least,
             Chooser& chooser) const;

 private:
  struct Search;
  const NodeCost& cost_;
  const Rules& rules_;
  const int64_t* node_;
  const Control* control_;
};

}  // namespace treewright
