#include "treewright/simd.hpp"

#include "simd_lanes.hpp"

#ifdef TREEWRIGHT_LANES
#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <type_traits>
#endif

namespace treewright::simd {

#ifdef TREEWRIGHT_LANES
namespace {

// Scores eight cuts at a time; the score of a cut is D^2 (1 / n_L + 1 / n_R).
//   values(pointer to eight entries, the entries)   one number for each of the eight rows
//   distance(sum over the rows on the left, n_L)    D, which grows with the sum and falls with n_L
// The loop has no branch on a new best: such a branch would be mispredicted too often. The last
// entries, if fewer than eight, are scored too, unless the numbers are looked up by row.
//
// Most cuts are far from the best one, so whole stretches of rows are skipped. Within a stretch,
// the sum lies between (sum before + all negative numbers of the stretch) and (sum before + all
// positive numbers). This bounds D. If no cut within the bound can beat the best score so far, the
// stretch is skipped. Nodes of very many rows try long stretches first: there, D changes little
// from row to row.
template <bool looks_up, bool passes_over, class Values, class Distance>
TREEWRIGHT_TARGET inline void score_cuts(const Entry* entries, const Cuts& cuts,
                                         const Reciprocals& over, const Values& values,
                                         const Distance& distance, SumState& state) {
  // Not a structured binding: older versions of clang cannot capture those.
  const int64_t first = cuts.first, end = cuts.end, n = cuts.n;
  const Floats none = all(-std::numeric_limits<float>::infinity());
  const Floats ns = all(static_cast<float>(n));
  Floats best = all(state.best);
  Floats left = all(state.left) + to_floats(lane_numbers());
  Ints sum = all(state.sum);
  int64_t i = state.i;
  const auto divided = [&](Floats rows) TREEWRIGHT_TARGET { return ns / (rows * (ns - rows)); };
  const auto move_on = [&](int64_t rows) TREEWRIGHT_TARGET {
    left = left + all(static_cast<float>(rows));
    i += rows;
  };
  const auto take = [&](Words e, Ints x, Floats both_sides) TREEWRIGHT_TARGET {
    const Ints through = running_sums(x);
    const Floats d = distance(sum + (through - x), left);
    const Words differs = e << 31;
    best = larger(best, select_by_sign(differs, d * d * both_sides, none));
    sum = sum + last_everywhere(through);
  };
  // In floats, D has a relative error of 2^-22, and another error of n 2^-22 if a fraction of the
  // mean is subtracted. The slack is more than twice that.
  const Floats slack = all(static_cast<float>(n) * 0x1p-20f);
  const Floats wider = all(1 + 0x1p-19f);
  const Ints no_sign = all(0x7fffffff);
  const auto pass_over = [&](auto length) TREEWRIGHT_TARGET {
    Ints every = all(0), positive = all(0);
    for (int64_t k = 0; k < length; k += kBlock) {
      const Ints x = values(entries + i + k, load(entries + i + k));
      every = every + x;
      positive = positive + larger(x, all(0));
    }
    // Even lanes: the smallest possible sum, with all rows of the stretch on the left. Odd lanes:
    // the largest possible sum, with none of them on the left.
    const Ints both = sums_in_turn(every, positive);
    const Ints negative = both - swapped_neighbours(both);
    const Ints sums = sum + in_turn(negative, both);
    const Floats rows = first_everywhere(left) + in_turn(static_cast<float>(length), 0.0f);
    const Floats d = as<Floats>(as<Ints>(distance(sums, rows)) & no_sign);
    const Floats most = larger_of_neighbours(d) * wider + slack;
    // 1 / n_L + 1 / n_R is convex, so it is largest at one end of the stretch.
    const Floats bound = most * most * larger_of_neighbours(divided(rows));
    if (!any(bound < best)) {
      return false;
    }
    sum = sum + evens_twice(both);
    move_on(length);
    return true;
  };
  // Clears the "differs" bit of the entries before the first cut, so they are not scored as cuts.
  const auto from_first = [&](Words e) TREEWRIGHT_TARGET {
    return ~as<Words>(first_lanes(static_cast<int>(first - i))) & e;
  };
  const auto sweep = [&](const auto& both_sides) TREEWRIGHT_TARGET {
    for (; i < first && i + kBlock <= end; move_on(kBlock)) {
      const Words e = load(entries + i);
      take(from_first(e), values(entries + i, e), both_sides());
    }
    int64_t next_long = n >= kVeryManyRows ? i : end;
    while (i + kBlock <= end) {
      int64_t until = end;
      if (passes_over && i + kStretch <= end) {
        if (i >= next_long && i + kLongStretch <= end) {
          if (pass_over(std::integral_constant<int, kLongStretch>())) {
            continue;
          }
          next_long = i + kLongStretch;
        }
        if (pass_over(std::integral_constant<int, kStretch>())) {
          continue;
        }
        until = i + kStretch;
      }
      while (i + kBlock <= until) {
        const Words e = load(entries + i);
        take(e, values(entries + i, e), both_sides());
        move_on(kBlock);
      }
    }
    if (!looks_up && i < end) {
      const auto rest = static_cast<int>(end - i);
      const Ints there = first_lanes(rest);
      // Lanes past the end are loaded as 0. Their "differs" bit is clear, so they are not cuts.
      const Words e = load_lanes(entries + i, there);
      take(from_first(e), values(nullptr, e) & there, both_sides());
      move_on(rest);
    }
  };
  if (over.serves(n)) {
    const float* over_left = over.of(static_cast<int64_t>(state.left));
    const float* over_right = over.of_rest(n, static_cast<int64_t>(state.left));
    const int64_t start = i;
    sweep([&]() TREEWRIGHT_TARGET {
      return load(over_left + (i - start)) + load(over_right + (i - start));
    });
  } else {
    sweep([&]() TREEWRIGHT_TARGET { return divided(left); });
  }
  state = {i, simd::first(left), simd::first(sum), largest(best)};
}

// Computing the bound does not pay for columns of few rows; see kManyRows.
template <bool looks_up, class Values, class Distance>
TREEWRIGHT_TARGET inline void score_columns(std::span<SumColumn> columns, const Cuts& cuts,
                                            const Reciprocals& over, const Values& values,
                                            const Distance& distance) {
  if (cuts.n >= kManyRows) {
    for (SumColumn& column : columns) {
      score_cuts<looks_up, true>(column.entries, cuts, over, values, distance, column.state);
    }
  } else {
    for (SumColumn& column : columns) {
      score_cuts<looks_up, false>(column.entries, cuts, over, values, distance, column.state);
    }
  }
}

TREEWRIGHT_TARGET void squared_error_in_lanes(std::span<SumColumn> columns, const Cuts& cuts,
                                              const Image& image, int32_t mean, float rest,
                                              const Reciprocals& over) {
  const Ints means = all(mean);
  const Floats rests = all(rest);
  const auto distance = [&](Ints sums, Floats left)
                            TREEWRIGHT_TARGET { return to_floats(sums) - left * rests; };
  if (image.by_row) {
    score_columns<true>(
        columns, cuts, over,
        [&](const Entry* at, Words)
            TREEWRIGHT_TARGET { return look_up(image.by_row, at, image.shift) - means; },
        distance);
  } else {
    score_columns<false>(
        columns, cuts, over,
        [&](const Entry*, Words e) TREEWRIGHT_TARGET {
          const Words high = e << (32 - image.shift);  // drops the row number
          return as<Ints>(high >> (33 - image.shift)) - means;
        },
        distance);
  }
}

// All bits set where the label is 1.
TREEWRIGHT_TARGET inline Ints is_one(Words entries) { return as<Ints>(entries << 30) >> 31; }

// Few rows: a row of class 1 adds n - t, any other row -t. The sum is D.
TREEWRIGHT_TARGET void few_rows_gini_in_lanes(std::span<SumColumn> columns, const Cuts& cuts,
                                              int64_t n_ones, const Reciprocals& over) {
  const Ints ns = all(static_cast<int32_t>(cuts.n));
  const Ints ts = all(static_cast<int32_t>(n_ones));
  score_columns<false>(
      columns, cuts, over,
      [&](const Entry*, Words e) TREEWRIGHT_TARGET { return (is_one(e) & ns) - ts; },
      [&](Ints sums, Floats) TREEWRIGHT_TARGET { return to_floats(sums); });
}

// Many rows: the sum counts the rows of class 1, and D = ones n - t n_L is computed in doubles,
// because n - t would overflow a sum in 32 bits.
TREEWRIGHT_TARGET void many_rows_gini_in_lanes(std::span<SumColumn> columns, const Cuts& cuts,
                                               int64_t n_ones, const Reciprocals& over) {
  const auto n = static_cast<double>(cuts.n), t = static_cast<double>(n_ones);
  score_columns<false>(
      columns, cuts, over,
      [&](const Entry*, Words e) TREEWRIGHT_TARGET { return as<Ints>(as<Words>(is_one(e)) >> 31); },
      [&](Ints ones, Floats left)
          TREEWRIGHT_TARGET { return difference_of_products(ones, n, left, t); });
}

}  // namespace

bool takes_whole_columns(const int32_t* table_by_row) {
  return table_by_row == nullptr && has_lanes();
}

void squared_error(std::span<SumColumn> columns, const Cuts& cuts, const Image& image, int32_t mean,
                   float rest, const Reciprocals& over) {
  if (has_lanes()) {
    squared_error_in_lanes(columns, cuts, image, mean, rest, over);
  }
}

void two_class_gini(std::span<SumColumn> columns, const Cuts& cuts, int64_t n_ones,
                    const Reciprocals& over) {
  if (has_lanes()) {
    const auto kernel = cuts.n < kSumsOfRows ? few_rows_gini_in_lanes : many_rows_gini_in_lanes;
    kernel(columns, cuts, n_ones, over);
  }
}

#else

bool takes_whole_columns(const int32_t*) { return false; }
void squared_error(std::span<SumColumn>, const Cuts&, const Image&, int32_t, float,
                   const Reciprocals&) {}
void two_class_gini(std::span<SumColumn>, const Cuts&, int64_t, const Reciprocals&) {}

#endif
}  // namespace treewright::simd
