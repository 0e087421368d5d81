// medians.hpp: the sum of absolute deviations from the median, of a set that grows row by row.
//
// Rows are known by their rank in the ascending order of the target, so a set is a pair of
// binary indexed trees over ranks: weight, and weight times value. Adding a row and asking
// for the deviation take O(log rows) each. All sums are integers, and exact.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "treewright/types.hpp"

namespace treewright {

// The relative error of a sum of weights of divided rows is below 1 / kRoundedParts.
constexpr int64_t kRoundedParts = 1'000'000'000;

// The rows of a node by rank: value and weight.
struct Ranked {
  std::vector<int64_t> y, weight;
};

// Where the median of rows given by rank, ascending, is: the first that has half of the weight
// up to it; and whether it has exactly half, so that any number up to the next row is one. Where
// weights are rounded, by less than one part in `rounded` of their sum, nearly half is half.
struct Middle {
  size_t at;
  bool exact;
};
inline Middle middle(const Ranked& ranked, std::span<const uint32_t> ranks, int64_t rounded = 0) {
  int64_t all = 0, so_far = 0;
  for (const uint32_t rank : ranks) {
    all += ranked.weight[rank];
  }
  const int64_t slack = rounded > 0 ? 2 * (all / rounded) : 0;
  size_t i = 0;
  while (2 * int128(so_far + ranked.weight[ranks[i]]) < all - slack) {
    so_far += ranked.weight[ranks[i++]];
  }
  const bool exact = 2 * int128(so_far + ranked.weight[ranks[i]]) <= all + slack;
  return {i, exact && i + 1 < ranks.size()};
}

// Twice the median, which lies between two rows where the first has exactly half of the weight.
inline int128 twice_median(const Ranked& ranked, std::span<const uint32_t> ranks, int64_t rounded) {
  const auto [i, exact] = middle(ranked, ranks, rounded);
  return int128(ranked.y[ranks[i]]) + ranked.y[ranks[exact ? i + 1 : i]];
}

// The sum of weight * |y - median|; the same for every median there is.
inline int128 deviation(const Ranked& ranked, std::span<const uint32_t> ranks) {
  const int64_t at = ranked.y[ranks[middle(ranked, ranks).at]];
  int128 sum = 0;
  for (const uint32_t rank : ranks) {
    const int128 off = int128(ranked.y[rank]) - at;
    sum += (off < 0 ? -off : off) * ranked.weight[rank];
  }
  return sum;
}

// Some rows by rank, ascending, with their sums from the first on: so that the deviation of
// several such sets together takes O(log^2 rows) per set.
struct RankedSet {
  std::vector<uint32_t> ranks;
  std::vector<int64_t> weight{0};  // of the first 0, 1, 2, ... rows
  std::vector<int128> product{0};  // of weight and value

  void add_up(const Ranked& ranked) {
    for (const uint32_t rank : ranks) {
      weight.push_back(weight.back() + ranked.weight[rank]);
      product.push_back(product.back() + int128(ranked.weight[rank]) * ranked.y[rank]);
    }
  }
  // How many of the rows have at most this rank.
  size_t up_to(uint32_t rank) const {
    return size_t(std::upper_bound(ranks.begin(), ranks.end(), rank) - ranks.begin());
  }
};

inline int128 deviation(const Ranked& ranked, std::span<const RankedSet* const> sets) {
  int64_t all = 0;
  int128 whole = 0;
  for (const RankedSet* set : sets) {
    all += set->weight.back();
    whole += set->product.back();
  }
  // The first rank that has half of the weight up to it.
  uint32_t low = 0, high = static_cast<uint32_t>(ranked.y.size() - 1);
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    int128 below = 0;
    for (const RankedSet* set : sets) {
      below += set->weight[set->up_to(middle)];
    }
    if (2 * below < all) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  const int128 median = ranked.y[low];
  int128 weight = 0, product = 0;
  for (const RankedSet* set : sets) {
    const size_t n = set->up_to(low);
    weight += set->weight[n];
    product += set->product[n];
  }
  return median * weight - product + (whole - product) - median * (all - weight);
}

class GrowingMedian {
 public:
  explicit GrowingMedian(const Ranked& ranked)
      : ranked_(ranked), sums_(ranked.y.size() + 1), top_(std::bit_floor(ranked.y.size())) {}

  void add(uint32_t rank) {
    const int64_t weight = ranked_.weight[rank];
    const int128 product = int128(weight) * ranked_.y[rank];
    all_.weight += weight;
    all_.product += product;
    for (size_t i = size_t(rank) + 1; i < sums_.size(); i += i & (~i + 1)) {
      sums_[i].weight += weight;
      sums_[i].product += product;
    }
  }
  int128 deviation() const {
    // The last rank below which less than half of the weight lies.
    Sums below;
    size_t rank = 0;
    for (size_t step = top_; step > 0; step /= 2) {
      if (rank + step < sums_.size() &&
          2 * int128(below.weight + sums_[rank + step].weight) < all_.weight) {
        rank += step;
        below.weight += sums_[rank].weight;
        below.product += sums_[rank].product;
      }
    }
    const int64_t median = ranked_.y[rank];
    return int128(median) * below.weight - below.product + (all_.product - below.product) -
           int128(median) * (all_.weight - below.weight);
  }

 private:
  struct Sums {
    int64_t weight = 0;
    int128 product = 0;
  };
  const Ranked& ranked_;
  std::vector<Sums> sums_;
  size_t top_;
  Sums all_;
};

// The deviation of the first 1, 2, ... groups of rows together, one after the other; those
// of `already` are in from the start. A group ends where ends[i] rows have been added.
inline std::vector<int128> deviations(const Ranked& ranked, std::span<const uint32_t> already,
                                      std::span<const uint32_t> ranks,
                                      std::span<const int64_t> ends) {
  GrowingMedian set(ranked);
  for (const uint32_t rank : already) {
    set.add(rank);
  }
  std::vector<int128> result;
  result.reserve(ends.size());
  int64_t added = 0;
  for (const int64_t end : ends) {
    for (; added < end; ++added) {
      set.add(ranks[size_t(added)]);
    }
    result.push_back(set.deviation());
  }
  return result;
}

}  // namespace treewright
