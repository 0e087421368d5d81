#include "treewright/simd.hpp"

#include "simd_lanes.hpp"

#ifdef TREEWRIGHT_AVX2
#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <type_traits>
#endif

namespace treewright::simd {

#ifdef TREEWRIGHT_AVX2
namespace {

// Prefix sums: lane i of the result is the sum of lanes 0 to i.
TREEWRIGHT_TARGET inline __m256i running_sums(__m256i x) {
  x = _mm256_add_epi32(x, _mm256_slli_si256(x, 4));
  x = _mm256_add_epi32(x, _mm256_slli_si256(x, 8));
  // Each half now holds its own prefix sums; add the total of the low half to the high half.
  const __m256i totals = _mm256_shuffle_epi32(x, 0xff);
  return _mm256_add_epi32(x, _mm256_permute2x128_si256(totals, totals, 0x08));
}

// The sum of all lanes of x in the even lanes, that of y in the odd lanes.
TREEWRIGHT_TARGET inline __m256i sums_in_turn(__m256i x, __m256i y) {
  const __m256i pairs = _mm256_hadd_epi32(x, y);
  const __m256i halves = _mm256_hadd_epi32(pairs, pairs);
  return _mm256_add_epi32(halves, _mm256_permute2x128_si256(halves, halves, 1));
}
// The larger of each lane and its neighbour.
TREEWRIGHT_TARGET inline __m256 larger_of_two(__m256 x) {
  return _mm256_max_ps(x, _mm256_permute_ps(x, 0xb1));
}

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
  const __m256i last = _mm256_set1_epi32(7), zero = _mm256_setzero_si256();
  const __m256 none = _mm256_set1_ps(-std::numeric_limits<float>::infinity());
  const __m256 ns = _mm256_set1_ps(static_cast<float>(n));
  __m256 best = _mm256_set1_ps(state.best);
  __m256 left = _mm256_add_ps(_mm256_set1_ps(state.left), _mm256_setr_ps(0, 1, 2, 3, 4, 5, 6, 7));
  __m256i sum = _mm256_set1_epi32(state.sum);
  int64_t i = state.i;
  const auto divided = [&](__m256 rows) TREEWRIGHT_TARGET {
    return _mm256_div_ps(ns, _mm256_mul_ps(rows, _mm256_sub_ps(ns, rows)));
  };
  const auto move_on = [&](int64_t rows) TREEWRIGHT_TARGET {
    left = _mm256_add_ps(left, _mm256_set1_ps(static_cast<float>(rows)));
    i += rows;
  };
  const auto take = [&](__m256i e, __m256i x, __m256 both_sides) TREEWRIGHT_TARGET {
    const __m256i through = running_sums(x);
    const __m256i before = _mm256_add_epi32(sum, _mm256_sub_epi32(through, x));
    const __m256 d = distance(before, left);
    const __m256 score = _mm256_mul_ps(_mm256_mul_ps(d, d), both_sides);
    const __m256 differs = _mm256_castsi256_ps(_mm256_slli_epi32(e, 31));
    best = _mm256_max_ps(best, _mm256_blendv_ps(none, score, differs));
    sum = _mm256_add_epi32(sum, _mm256_permutevar8x32_epi32(through, last));
  };
  // In floats, D has a relative error of 2^-22, and another error of n 2^-22 if a fraction of the
  // mean is subtracted. The slack is more than twice that.
  const __m256 slack = _mm256_set1_ps(static_cast<float>(n) * 0x1p-20f);
  const __m256 wider = _mm256_set1_ps(1 + 0x1p-19f);
  const __m256 no_sign = _mm256_castsi256_ps(_mm256_set1_epi32(0x7fffffff));
  const auto pass_over = [&](auto length) TREEWRIGHT_TARGET {
    const __m256 to_its_end = _mm256_setr_ps(length, 0, length, 0, length, 0, length, 0);
    __m256i all = zero, positive = zero;
    for (int64_t k = 0; k < length; k += kBlock) {
      const __m256i x = values(entries + i + k, load(entries + i + k));
      all = _mm256_add_epi32(all, x);
      positive = _mm256_add_epi32(positive, _mm256_max_epi32(x, zero));
    }
    // Even lanes: the smallest possible sum, with all rows of the stretch on the left. Odd lanes:
    // the largest possible sum, with none of them on the left.
    const __m256i both = sums_in_turn(all, positive);
    const __m256i negative = _mm256_sub_epi32(both, _mm256_shuffle_epi32(both, 0xb1));
    const __m256i sums = _mm256_add_epi32(sum, _mm256_blend_epi32(negative, both, 0xaa));
    const __m256 rows =
        _mm256_add_ps(_mm256_broadcastss_ps(_mm256_castps256_ps128(left)), to_its_end);
    const __m256 d = _mm256_and_ps(distance(sums, rows), no_sign);
    const __m256 most = _mm256_add_ps(_mm256_mul_ps(larger_of_two(d), wider), slack);
    // 1 / n_L + 1 / n_R is convex, so it is largest at one end of the stretch.
    const __m256 bound = _mm256_mul_ps(_mm256_mul_ps(most, most), larger_of_two(divided(rows)));
    if (_mm256_movemask_ps(_mm256_cmp_ps(bound, best, _CMP_LT_OQ)) == 0) {
      return false;
    }
    sum = _mm256_add_epi32(sum, _mm256_shuffle_epi32(both, 0xa0));
    move_on(length);
    return true;
  };
  // Clears the "differs" bit of the entries before the first cut, so they are not scored as cuts.
  const auto from_first = [&](__m256i e) TREEWRIGHT_TARGET {
    return _mm256_andnot_si256(first_lanes(static_cast<int>(first - i)), e);
  };
  const auto sweep = [&](const auto& both_sides) TREEWRIGHT_TARGET {
    for (; i < first && i + kBlock <= end; move_on(kBlock)) {
      const __m256i e = load(entries + i);
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
        const __m256i e = load(entries + i);
        take(e, values(entries + i, e), both_sides());
        move_on(kBlock);
      }
    }
    if (!looks_up && i < end) {
      const auto rest = static_cast<int>(end - i);
      const __m256i there = first_lanes(rest);
      // Lanes past the end are loaded as 0. Their "differs" bit is clear, so they are not cuts.
      const __m256i e = _mm256_maskload_epi32(reinterpret_cast<const int*>(entries + i), there);
      take(from_first(e), _mm256_and_si256(values(nullptr, e), there), both_sides());
      move_on(rest);
    }
  };
  if (over.serves(n)) {
    const float* over_left = over.of(static_cast<int64_t>(state.left));
    const float* over_right = over.of_rest(n, static_cast<int64_t>(state.left));
    const int64_t start = i;
    sweep([&]() TREEWRIGHT_TARGET {
      return _mm256_add_ps(_mm256_loadu_ps(over_left + (i - start)),
                           _mm256_loadu_ps(over_right + (i - start)));
    });
  } else {
    sweep([&]() TREEWRIGHT_TARGET { return divided(left); });
  }
  // The maximum of all lanes, in every lane.
  best = _mm256_max_ps(best, _mm256_permute2f128_ps(best, best, 1));
  best = _mm256_max_ps(best, _mm256_permute_ps(best, 0x4e));
  best = larger_of_two(best);
  state = {i, _mm256_cvtss_f32(left), _mm256_cvtsi256_si32(sum), _mm256_cvtss_f32(best)};
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

TREEWRIGHT_TARGET void squared_error_avx2(std::span<SumColumn> columns, const Cuts& cuts,
                                          const Image& image, int32_t mean, float rest,
                                          const Reciprocals& over) {
  const __m256i means = _mm256_set1_epi32(mean);
  const __m256 rests = _mm256_set1_ps(rest);
  const auto distance = [&](__m256i sums, __m256 left) TREEWRIGHT_TARGET {
    return _mm256_sub_ps(_mm256_cvtepi32_ps(sums), _mm256_mul_ps(left, rests));
  };
  if (image.by_row) {
    score_columns<true>(
        columns, cuts, over,
        [&](const Entry* at, __m256i) TREEWRIGHT_TARGET {
          return _mm256_sub_epi32(look_up(image.by_row, at, image.shift), means);
        },
        distance);
  } else {
    const __m128i off = _mm_cvtsi32_si128(32 - image.shift);
    const __m128i back = _mm_cvtsi32_si128(33 - image.shift);
    score_columns<false>(
        columns, cuts, over,
        [&](const Entry*, __m256i e) TREEWRIGHT_TARGET {
          const __m256i high = _mm256_sll_epi32(e, off);  // drops the row number
          return _mm256_sub_epi32(_mm256_srl_epi32(high, back), means);
        },
        distance);
  }
}

// All bits set where the label is 1.
TREEWRIGHT_TARGET inline __m256i is_one(__m256i entries) {
  return _mm256_srai_epi32(_mm256_slli_epi32(entries, 30), 31);
}

// Few rows: a row of class 1 adds n - t, any other row -t. The sum is D.
TREEWRIGHT_TARGET void few_rows_gini_avx2(std::span<SumColumn> columns, const Cuts& cuts,
                                          int64_t n_ones, const Reciprocals& over) {
  const __m256i ns = _mm256_set1_epi32(static_cast<int32_t>(cuts.n));
  const __m256i ts = _mm256_set1_epi32(static_cast<int32_t>(n_ones));
  score_columns<false>(
      columns, cuts, over,
      [&](const Entry*, __m256i e)
          TREEWRIGHT_TARGET { return _mm256_sub_epi32(_mm256_and_si256(is_one(e), ns), ts); },
      [&](__m256i sums, __m256) TREEWRIGHT_TARGET { return _mm256_cvtepi32_ps(sums); });
}

// Many rows: the sum counts the rows of class 1, and D = ones n - t n_L is computed in doubles,
// because n - t would overflow a sum in 32 bits.
TREEWRIGHT_TARGET void many_rows_gini_avx2(std::span<SumColumn> columns, const Cuts& cuts,
                                           int64_t n_ones, const Reciprocals& over) {
  const __m256d ns = _mm256_set1_pd(static_cast<double>(cuts.n));
  const __m256d ts = _mm256_set1_pd(static_cast<double>(n_ones));
  const auto four = [&](__m128i ones, __m128 left) TREEWRIGHT_TARGET {
    return _mm256_cvtpd_ps(_mm256_sub_pd(_mm256_mul_pd(_mm256_cvtepi32_pd(ones), ns),
                                         _mm256_mul_pd(_mm256_cvtps_pd(left), ts)));
  };
  score_columns<false>(
      columns, cuts, over,
      [&](const Entry*, __m256i e) TREEWRIGHT_TARGET { return _mm256_srli_epi32(is_one(e), 31); },
      [&](__m256i ones, __m256 left) TREEWRIGHT_TARGET {
        const __m128 low = four(_mm256_castsi256_si128(ones), _mm256_castps256_ps128(left));
        return _mm256_insertf128_ps(
            _mm256_castps128_ps256(low),
            four(_mm256_extracti128_si256(ones, 1), _mm256_extractf128_ps(left, 1)), 1);
      });
}

}  // namespace

bool takes_whole_columns(const int32_t* table_by_row) {
  return table_by_row == nullptr && has_avx2();
}

void squared_error(std::span<SumColumn> columns, const Cuts& cuts, const Image& image, int32_t mean,
                   float rest, const Reciprocals& over) {
  if (has_avx2()) {
    squared_error_avx2(columns, cuts, image, mean, rest, over);
  }
}

void two_class_gini(std::span<SumColumn> columns, const Cuts& cuts, int64_t n_ones,
                    const Reciprocals& over) {
  if (has_avx2()) {
    const auto kernel = cuts.n < kSumsOfRows ? few_rows_gini_avx2 : many_rows_gini_avx2;
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
