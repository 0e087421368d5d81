// medians.hpp: the sum of absolute deviations from the median, of a set that grows row by row.
//
// Rows are known by their rank in the ascending order of the target. There are two ways to follow
// the median of a set:
//   - equal weights: rows are removed from the whole set, in the opposite order, from a linked list
//     over ranks. The median then moves by at most one row: O(1) per row (ShrinkingMedian);
//   - unequal weights: the median may move far, so rows are added to a pair of binary indexed trees
//     over ranks, weight and weight times value: O(log rows) per row (GrowingMedian).
// All sums are integers, and exact.
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
  std::vector<int64_t> y;
  std::vector<int64_t> unequal;  // empty: every row weighs 1

  bool equal_weights() const { return unequal.empty(); }
  int64_t weight(uint32_t rank) const { return unequal.empty() ? 1 : unequal[rank]; }
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
    all += ranked.weight(rank);
  }
  const int64_t slack = rounded > 0 ? 2 * (all / rounded) : 0;
  size_t i = 0;
  while (2 * int128(so_far + ranked.weight(ranks[i])) < all - slack) {
    so_far += ranked.weight(ranks[i++]);
  }
  const bool exact = 2 * int128(so_far + ranked.weight(ranks[i])) <= all + slack;
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
    sum += (off < 0 ? -off : off) * ranked.weight(rank);
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
      weight.push_back(weight.back() + ranked.weight(rank));
      product.push_back(product.back() + int128(ranked.weight(rank)) * ranked.y[rank]);
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
  GrowingMedian(const Ranked& ranked, std::span<const uint32_t> already)
      : ranked_(ranked), sums_(ranked.y.size() + 1), top_(std::bit_floor(ranked.y.size())) {
    for (const uint32_t rank : already) {
      add(rank);
    }
  }

  void add(uint32_t rank) {
    const int64_t weight = ranked_.weight(rank);
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

// A set of rows of equal weight that loses one row after another.
class ShrinkingMedian {
 public:
  // Starts with the rows of both lists, none of which is named twice.
  ShrinkingMedian(const Ranked& ranked, std::span<const uint32_t> some,
                  std::span<const uint32_t> others)
      : rows_(ranked.y.size() + 2), size_(some.size() + others.size()) {
    std::vector<uint8_t> present(rows_.size(), size_ == ranked.y.size());
    present.back() = 1;
    if (size_ < ranked.y.size()) {
      for (const auto& ranks : {some, others}) {
        for (const uint32_t rank : ranks) {
          present[rank + 1] = 1;
        }
      }
    }
    uint32_t last = 0;
    for (uint32_t place = 1; place < rows_.size(); ++place) {
      if (present[place]) {
        rows_[last].next = place;
        rows_[place] = {last, 0, place <= ranked.y.size() ? ranked.y[place - 1] : 0};
        last = place;
      }
    }
    place_median();
  }

  int128 deviation() const { return spread_ - (size_ % 2 == 1 ? 0 : y_of_median_); }

  // The set must not become empty. The median is the lower one of two: if the number of rows is odd
  // there are as many rows before it as after it, otherwise one more after it. So after a removal
  // it stays, or moves by one row, to the side that has become too long. Which of the two is not
  // predictable, so the code has no branch on it. If the median itself is removed it moves, and its
  // own value cancels out.
  void remove(uint32_t rank) {
    const uint32_t place = rank + 1;
    const Row row = rows_[place];
    rows_[row.previous].next = row.next;
    rows_[row.next].previous = row.previous;
    if (size_-- % 2 == 1) {
      spread_ += move(place < median_, row.y, rows_[median_].previous);
    } else {
      spread_ -= move(place > median_, row.y, rows_[median_].next);
    }
  }

 private:
  struct Row {
    uint32_t previous = 0, next = 0;  // places
    int64_t y = 0;
  };

  // Moves the median to its neighbour unless it stays. One side loses a row: the removed one, or
  // the new median. The other side then gains the old median and loses the removed row. Returns
  // what the first side has lost and the other has gained (below 2^63, as y is below 2^61). Masks,
  // because compilers make branches of conditional expressions here.
  int64_t move(bool stays, int64_t removed, uint32_t neighbour) {
    const int64_t y_of_neighbour = rows_[neighbour].y, moves = int64_t(stays) - 1;
    const int64_t lost = removed ^ ((removed ^ y_of_neighbour) & moves);
    const int64_t gained = (y_of_median_ - removed) & moves;
    y_of_median_ ^= (y_of_median_ ^ y_of_neighbour) & moves;
    median_ ^= (median_ ^ neighbour) & static_cast<uint32_t>(moves);
    return lost + gained;
  }
  void place_median() {
    uint32_t place = rows_[0].next;
    for (size_t i = 0; i < (size_ - 1) / 2; ++i, place = rows_[place].next) {
      spread_ -= rows_[place].y;
    }
    median_ = place;
    y_of_median_ = rows_[place].y;
    for (size_t i = (size_ - 1) / 2 + 1; i < size_; ++i) {
      place = rows_[place].next;
      spread_ += rows_[place].y;
    }
  }

  std::vector<Row> rows_;  // by place = rank + 1; both ends have a place without a row
  size_t size_;
  uint32_t median_ = 0;  // its place
  int64_t y_of_median_ = 0;
  int128 spread_ = 0;  // sum of y over the rows after the median, less that over the rows before it
};

// The deviation of the first ends[0], ends[1], ... rows, with those of `already`. ends are
// ascending.
inline std::vector<int128> deviations_of_first(const Ranked& ranked,
                                               std::span<const uint32_t> already,
                                               std::span<const uint32_t> ranks,
                                               std::span<const int64_t> ends) {
  std::vector<int128> result(ends.size());
  if (ends.empty()) {
    return result;
  }
  if (ranked.equal_weights()) {
    int64_t n = ends.back();
    ShrinkingMedian set(ranked, already, ranks.first(size_t(n)));
    for (size_t group = ends.size(); group-- > 0;) {
      for (; n > ends[group]; --n) {
        set.remove(ranks[size_t(n - 1)]);
      }
      result[group] = set.deviation();
    }
    return result;
  }
  GrowingMedian set(ranked, already);
  int64_t n = 0;
  for (size_t group = 0; group < ends.size(); ++group) {
    for (; n < ends[group]; ++n) {
      set.add(ranks[size_t(n)]);
    }
    result[group] = set.deviation();
  }
  return result;
}

// The deviation of the rows from starts[0], starts[1], ... on, with those of `already`. starts are
// ascending.
inline std::vector<int128> deviations_of_rest(const Ranked& ranked,
                                              std::span<const uint32_t> already,
                                              std::span<const uint32_t> ranks,
                                              std::span<const int64_t> starts) {
  std::vector<int128> result(starts.size());
  if (starts.empty()) {
    return result;
  }
  if (ranked.equal_weights()) {
    int64_t i = starts.front();
    ShrinkingMedian set(ranked, already, ranks.subspan(size_t(i)));
    for (size_t group = 0; group < starts.size(); ++group) {
      for (; i < starts[group]; ++i) {
        set.remove(ranks[size_t(i)]);
      }
      result[group] = set.deviation();
    }
    return result;
  }
  GrowingMedian set(ranked, already);
  auto i = static_cast<int64_t>(ranks.size());
  for (size_t group = starts.size(); group-- > 0;) {
    for (; i > starts[group]; --i) {
      set.add(ranks[size_t(i - 1)]);
    }
    result[group] = set.deviation();
  }
  return result;
}

}  // namespace treewright
