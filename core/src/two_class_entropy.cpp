// The entropy sweep over two classes.
//
// The score of a cut is a sum of x log2 x over six numbers of rows; see TwoClassEntropy in
// sweep.hpp. Among the eight cuts of a block the rows of class 1 on the left are those before the
// block and at most seven more, so one load of neighbouring table entries has the values of all
// eight cuts, and a permutation puts them into their lanes.
#include "simd_lanes.hpp"
#include "treewright/simd.hpp"

#ifdef TREEWRIGHT_LANES
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#endif

namespace treewright::simd {

#ifdef TREEWRIGHT_LANES
namespace {

// Of eight labels, given as bits: how many are 1 before each of them, a byte each.
constexpr std::array<std::array<uint8_t, kBlock>, 256> kOnesBefore = [] {
  std::array<std::array<uint8_t, kBlock>, 256> table{};
  for (unsigned labels = 0; labels < table.size(); ++labels) {
    for (unsigned lane = 0; lane < kBlock; ++lane) {
      table[labels][lane] = static_cast<uint8_t>(std::popcount(labels & ((1u << lane) - 1)));
    }
  }
  return table;
}();

// The labels of eight entries as bits.
TREEWRIGHT_TARGET inline unsigned labels_of(Words entries) { return signs(entries << 30); }

// The largest whole number that is not greater than a score.
inline int32_t whole(float score) {
  constexpr float kMost = 0x1p30f;
  return static_cast<int32_t>(std::floor(std::clamp(score, -kMost, kMost)));
}

// Scores the cuts of one column, eight at a time.
//
// The gain is a convex function of the rows of both classes on the left. Within a stretch they lie
// in a rectangle, from those before it to those after it, so no cut of the stretch gains more than
// the best corner. If no corner beats the best score so far, the stretch is skipped.
template <bool passes_over>
TREEWRIGHT_TARGET inline void score_cuts(const Entry* entries, const Cuts& cuts, int64_t n_ones,
                                         const NLogN& f, SumState& state) {
  constexpr int32_t kRounding = 6;  // of a corner and of a cut: half a unit for each of six values
  const int64_t first = cuts.first, end = cuts.end, n = cuts.n;
  const uint32_t* const up = f.of(0);
  const uint32_t* const down_ones = f.of_rest(n_ones, 0);
  const uint32_t* const down_zeros = f.of_rest(n - n_ones, 0);
  const uint32_t* const down = f.of_rest(n, 0);
  const Ints none = all(std::numeric_limits<int32_t>::min());
  const uint32_t of_node = up[n] - up[n_ones] - up[n - n_ones];
  const Words of_nodes = as<Words>(all(static_cast<int32_t>(of_node)));
  const int32_t to_beat = whole(state.best);
  Ints best = all(to_beat);
  int64_t i = state.i, ones = state.sum, zeros = static_cast<int64_t>(state.left) - ones;

  const auto both_sides = [&](const uint32_t* down_all, int64_t left)
                              TREEWRIGHT_TARGET { return load(up + left) + load(down_all + left); };
  const auto take = [&](Words e, unsigned labels) TREEWRIGHT_TARGET {
    const Ints before = widened(kOnesBefore[labels].data());
    const Words of_ones = permuted(both_sides(down_ones, ones), before);
    const Words of_zeros = permuted(both_sides(down_zeros, zeros), lane_numbers() - before);
    const Words of_rows = of_nodes - both_sides(down, ones + zeros);
    const Ints score = as<Ints>(of_ones + of_zeros + of_rows);
    const Words differs = e << 31;
    best = larger(best, select_by_sign(differs, score, none));
  };
  const auto move_on = [&](int rows, int more_ones) {
    i += rows;
    ones += more_ones;
    zeros += rows - more_ones;
  };
  const auto take_next = [&](Words e, int rows) TREEWRIGHT_TARGET {
    const unsigned labels = labels_of(e);
    // Clears the "differs" bit of the entries before the first cut, so they are not scored.
    take(~as<Words>(first_lanes(static_cast<int>(first - i))) & e, labels);
    move_on(rows, std::popcount(labels));
  };
  const auto pass_over = [&](int length) TREEWRIGHT_TARGET {
    int more_ones = 0;
    for (int k = 0; k < length; k += kBlock) {
      more_ones += std::popcount(labels_of(load(entries + i + k)));
    }
    const int64_t all_ones = ones + more_ones, all_zeros = zeros + length - more_ones;
    const auto corner = [&](int64_t l, int64_t z) {
      return static_cast<int32_t>(up[l] + down_ones[l] + up[z] + down_zeros[z] - up[l + z] -
                                  down[l + z] + of_node);
    };
    const int32_t most = std::max({corner(ones, zeros), corner(ones, all_zeros),
                                   corner(all_ones, zeros), corner(all_ones, all_zeros)});
    if (!any(best > all(most + kRounding))) {
      return false;
    }
    move_on(length, more_ones);
    return true;
  };

  while (i < first && i + kBlock <= end) {
    take_next(load(entries + i), kBlock);
  }
  int64_t next_long = n >= kVeryManyRows ? i : end;
  while (i + kBlock <= end) {
    int64_t until = end;
    if (passes_over && i + kStretch <= end) {
      if (i >= next_long && i + kLongStretch <= end) {
        if (pass_over(kLongStretch)) {
          continue;
        }
        next_long = i + kLongStretch;
      }
      if (pass_over(kStretch)) {
        continue;
      }
      until = i + kStretch;
    }
    while (i + kBlock <= until) {
      const Words e = load(entries + i);
      const unsigned labels = labels_of(e);
      take(e, labels);
      move_on(kBlock, std::popcount(labels));
    }
  }
  if (i < end) {
    // Lanes past the end are loaded as 0. Their "differs" bit is clear, so they are not cuts.
    const auto rest = static_cast<int>(end - i);
    take_next(load_lanes(entries + i, first_lanes(rest)), rest);
  }
  const int32_t found = largest(best);
  state = {i, static_cast<float>(ones + zeros), static_cast<int32_t>(ones),
           found > to_beat ? static_cast<float>(found) : state.best};
}

TREEWRIGHT_TARGET void two_class_entropy_in_lanes(std::span<SumColumn> columns, const Cuts& cuts,
                                                  int64_t n_ones, const NLogN& n_log_n) {
  const auto score = cuts.n >= kManyRows ? score_cuts<true> : score_cuts<false>;
  for (SumColumn& column : columns) {
    score(column.entries, cuts, n_ones, n_log_n, column.state);
  }
}

}  // namespace

void two_class_entropy(std::span<SumColumn> columns, const Cuts& cuts, int64_t n_ones,
                       const NLogN& n_log_n) {
  if (has_lanes()) {
    two_class_entropy_in_lanes(columns, cuts, n_ones, n_log_n);
  }
}

#else

void two_class_entropy(std::span<SumColumn>, const Cuts&, int64_t, const NLogN&) {}

#endif
}  // namespace treewright::simd
