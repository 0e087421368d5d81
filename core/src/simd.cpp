#include "treewright/simd.hpp"

#include "simd_target.hpp"

#ifdef TREEWRIGHT_AVX2
#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#endif

namespace treewright::simd {

#ifdef TREEWRIGHT_AVX2
namespace {

// For every set of eight lanes, a byte per lane.
using LaneTable = std::array<std::array<uint8_t, 8>, 256>;

// The lanes of the set, in order (what follows them is never looked at).
constexpr LaneTable kLanesOf = [] {
  LaneTable table{};
  for (unsigned set = 0; set < 256; ++set) {
    unsigned n = 0;
    for (unsigned lane = 0; lane < 8; ++lane) {
      if (set >> lane & 1) {
        table[set][n++] = static_cast<uint8_t>(lane);
      }
    }
  }
  return table;
}();

TREEWRIGHT_TARGET inline __m256i lanes(const LaneTable& table, unsigned set) {
  return _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(table[set].data())));
}
TREEWRIGHT_TARGET inline __m256i load(const Entry* entries) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(entries));
}
TREEWRIGHT_TARGET inline void store(Entry* entries, __m256i x) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(entries), x);
}
// All bits set in the first n lanes; none where n is negative.
TREEWRIGHT_TARGET inline __m256i first_lanes(int n) {
  return _mm256_cmpgt_epi32(_mm256_set1_epi32(n), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}
TREEWRIGHT_TARGET inline void store_first(Entry* entries, int n, __m256i x) {
  _mm256_maskstore_epi32(reinterpret_cast<int*>(entries), first_lanes(n), x);
}
// The set of lanes whose bit number `bit` is set.
template <int bit>
TREEWRIGHT_TARGET inline unsigned lanes_with(__m256i x) {
  return static_cast<unsigned>(
      _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_slli_epi32(x, 31 - bit))));
}

// table[entries[lane] >> shift] for eight lanes. Eight single loads: the processor's own gather
// takes about twice as long where stores are under way (measured on Zen 3).
TREEWRIGHT_TARGET inline __m256i look_up(const int32_t* table, const Entry* entries, int shift) {
  const auto four = [&](const Entry* e) TREEWRIGHT_TARGET {
    __m128i x = _mm_cvtsi32_si128(table[e[0] >> shift]);
    x = _mm_insert_epi32(x, table[e[1] >> shift], 1);
    x = _mm_insert_epi32(x, table[e[2] >> shift], 2);
    return _mm_insert_epi32(x, table[e[3] >> shift], 3);
  };
  return _mm256_inserti128_si256(_mm256_castsi128_si256(four(entries)), four(entries + 4), 1);
}

// One bit for each row of a numbering: the 32 bits around that of each of eight rows.
struct BitsInMemory {
  const int32_t* words;
  int shift;

  BitsInMemory(const uint64_t* bits, int shift)
      : words(reinterpret_cast<const int32_t*>(bits)), shift(shift + 5) {}
  TREEWRIGHT_TARGET __m256i around(const Entry* entries, __m256i) const {
    return look_up(words, entries, shift);
  }
};
// The same for at most kRowsInRegisters rows: far fewer instructions.
struct BitsInRegisters {
  __m256i low, high;

  TREEWRIGHT_TARGET BitsInRegisters(const uint64_t* bits, int)
      : low(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(bits))),
        high(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(bits) + 1)) {}
  TREEWRIGHT_TARGET __m256i around(const Entry*, __m256i rows) const {
    const __m256i word = _mm256_srli_epi32(rows, 5);
    const __m256 in_low = _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(low, word));
    const __m256 in_high = _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(high, word));
    const __m256 is_high = _mm256_castsi256_ps(_mm256_slli_epi32(word, 28));
    return _mm256_castps_si256(_mm256_blendv_ps(in_low, in_high, is_high));
  }
};

// The "differs" bits of the dropped lanes run on to the next kept lane. Adding the set of
// dropped lanes does it: a carry that starts anywhere in a run of dropped lanes comes out
// at the kept lane that follows it (or at bit 8, for the next block).
inline unsigned carry(unsigned differs, unsigned dropped, Entry& pending) {
  const unsigned sum = (differs & dropped) + dropped + pending;
  pending = sum >> 8;
  return (differs | sum) & ~dropped;
}

// Left rows go to the front of the entries, right ones to scratch.
template <class Bits>
TREEWRIGHT_TARGET inline void divide_column(Entry* entries, int64_t end, int shift,
                                            const Bits& bits, Entry* scratch,
                                            PartitionState& state) {
  const __m128i shift_by = _mm_cvtsi32_si128(shift);
  const __m256i lane_bits = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
  const __m256i low_five = _mm256_set1_epi32(31), one = _mm256_set1_epi32(1);
  Entry* to_left = entries + state.left;
  Entry* to_right = scratch + (state.i - state.left);
  Entry pending_left = state.pending_left, pending_right = state.pending_right;
  // Divides the lanes of a block that are `taken`, the last ones. The right rows are written, and
  // something behind them; the left ones are returned.
  struct Left {
    __m256i entries;
    int n;
  };
  const auto divide = [&](const Entry* block, unsigned taken) TREEWRIGHT_TARGET {
    __m256i e = load(block);
    const __m256i rows = _mm256_srl_epi32(e, shift_by);
    const __m256i bit =
        _mm256_srlv_epi32(bits.around(block, rows), _mm256_and_si256(rows, low_five));
    const unsigned left = lanes_with<0>(bit) & taken;
    const unsigned right = left ^ taken;
    const unsigned differs = lanes_with<0>(e) & taken;
    if (differs == taken) {  // as in most columns of floats: nothing is handed on within the block
      pending_left = right >> 7;
      pending_right = left >> 7;
    } else {
      const unsigned now =
          carry(differs, left ^ 255, pending_left) | carry(differs, right ^ 255, pending_right);
      const __m256i set = _mm256_and_si256(_mm256_set1_epi32(static_cast<int>(now)), lane_bits);
      e = _mm256_or_si256(e, _mm256_and_si256(_mm256_cmpeq_epi32(set, lane_bits), one));
    }
    store(to_right, _mm256_permutevar8x32_epi32(e, lanes(kLanesOf, right)));
    to_right += std::popcount(right);
    return Left{_mm256_permutevar8x32_epi32(e, lanes(kLanesOf, left)), std::popcount(left)};
  };
  const Entry *block = entries + state.i, *const stop = entries + end;
  // Set aside, because left rows may be written over them before it is their turn.
  alignas(__m256i) Entry last[kBlock];
  store(last, load(stop - kBlock));
  for (; block + kBlock <= stop; block += kBlock) {
    const Left left = divide(block, 255);
    store(to_left, left.entries);
    to_left += left.n;
  }
  if (block < stop) {
    const Left left = divide(last, (255u << (block + kBlock - stop)) & 255u);
    if (to_left + kBlock <= stop) {
      store(to_left, left.entries);
    } else {
      store_first(to_left, left.n, left.entries);
    }
    to_left += left.n;
  }
  state = {end, to_left - entries, pending_left, pending_right};
}

template <class Bits>
TREEWRIGHT_TARGET void partition_avx2(Entry* entries, int64_t end, int shift, const uint64_t* sides,
                                      Entry* scratch, PartitionState& state) {
  divide_column(entries, end, shift, Bits(sides, shift), scratch, state);
}

TREEWRIGHT_TARGET inline void copy(const Entry* from, int64_t n, Entry* to) {
  for (int64_t i = 0; i + kBlock <= n; i += kBlock) {
    store(to + i, load(from + i));
  }
  if (n >= kBlock) {
    store(to + n - kBlock, load(from + n - kBlock));  // some of them once more
  } else {
    store_first(to, static_cast<int>(n), load(from));
  }
}

template <class Bits>
TREEWRIGHT_TARGET void partition_each_avx2(std::span<Entry* const> columns, int64_t n, int shift,
                                           const uint64_t* sides, Entry* scratch) {
  const Bits bits(sides, shift);
  for (Entry* entries : columns) {
    PartitionState s;
    divide_column(entries, n, shift, bits, scratch, s);
    copy(scratch, n - s.left, entries + s.left);
  }
}

// The sums of all lanes up to and including each.
TREEWRIGHT_TARGET inline __m256i running_sums(__m256i x) {
  x = _mm256_add_epi32(x, _mm256_slli_si256(x, 4));
  x = _mm256_add_epi32(x, _mm256_slli_si256(x, 8));
  // So far within each half; the low half's total is added to the high one.
  const __m256i totals = _mm256_shuffle_epi32(x, 0xff);
  return _mm256_add_epi32(x, _mm256_permute2x128_si256(totals, totals, 0x08));
}

// Lanes 0, 2, 4, 6: all numbers of two vectors summed, the first's; lanes 1, 3, 5, 7: the second's.
TREEWRIGHT_TARGET inline __m256i sums_in_turn(__m256i x, __m256i y) {
  const __m256i pairs = _mm256_hadd_epi32(x, y);
  const __m256i halves = _mm256_hadd_epi32(pairs, pairs);
  return _mm256_add_epi32(halves, _mm256_permute2x128_si256(halves, halves, 1));
}
// The larger of each lane and its neighbour.
TREEWRIGHT_TARGET inline __m256 larger_of_two(__m256 x) {
  return _mm256_max_ps(x, _mm256_permute_ps(x, 0xb1));
}

// Eight cuts at a time, each scored D^2 (1 / n_L + 1 / n_R). values(where the entries are, the
// entries) gives a number for each of eight rows, and distance(sums of them over the rows on the
// left, rows on the left) is D, which grows with the sum and falls with the rows. No branch: a new
// best comes too irregularly to be predicted. Fewer than eight at the end are taken too, unless the
// numbers are looked up by row.
//
// Most cuts are far from the best one. Along a stretch of rows the sum is at least what it was less
// the negative numbers of the stretch, and at most what it was with the positive ones, which bounds
// D. A stretch that cannot hold a better cut than the best so far is passed over.
template <bool looks_up, bool passes_over, class Values, class Distance>
TREEWRIGHT_TARGET inline void score_cuts(const Entry* entries, const Cuts& cuts,
                                         const Reciprocals& over, const Values& values,
                                         const Distance& distance, SumState& state) {
  const auto [first, end, n] = cuts;
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
  // Floats put D off by a share of 2^-22, and by n 2^-22 where a fraction is taken off; the slack
  // is more than twice that.
  const __m256 slack = _mm256_set1_ps(static_cast<float>(n) * 0x1p-20f);
  const __m256 wider = _mm256_set1_ps(1 + 0x1p-19f);
  const __m256 no_sign = _mm256_castsi256_ps(_mm256_set1_epi32(0x7fffffff));
  const __m256 to_its_end = _mm256_setr_ps(kStretch, 0, kStretch, 0, kStretch, 0, kStretch, 0);
  const auto pass_over = [&]() TREEWRIGHT_TARGET {
    __m256i all = zero, positive = zero;
    for (int64_t k = 0; k < kStretch; k += kBlock) {
      const __m256i x = values(entries + i + k, load(entries + i + k));
      all = _mm256_add_epi32(all, x);
      positive = _mm256_add_epi32(positive, _mm256_max_epi32(x, zero));
    }
    // In turn: the least sum with all rows on the left, the largest one with those before.
    const __m256i both = sums_in_turn(all, positive);
    const __m256i negative = _mm256_sub_epi32(both, _mm256_shuffle_epi32(both, 0xb1));
    const __m256i sums = _mm256_add_epi32(sum, _mm256_blend_epi32(negative, both, 0xaa));
    const __m256 rows =
        _mm256_add_ps(_mm256_broadcastss_ps(_mm256_castps256_ps128(left)), to_its_end);
    const __m256 d = _mm256_and_ps(distance(sums, rows), no_sign);
    const __m256 most = _mm256_add_ps(_mm256_mul_ps(larger_of_two(d), wider), slack);
    // 1 / n_L + 1 / n_R is largest at one of the ends.
    const __m256 bound = _mm256_mul_ps(_mm256_mul_ps(most, most), larger_of_two(divided(rows)));
    if (_mm256_movemask_ps(_mm256_cmp_ps(bound, best, _CMP_LT_OQ)) == 0) {
      return false;
    }
    sum = _mm256_add_epi32(sum, _mm256_shuffle_epi32(both, 0xa0));
    move_on(kStretch);
    return true;
  };
  // The entries, those before the first cut as if they did not differ: they are no cuts.
  const auto from_first = [&](__m256i e) TREEWRIGHT_TARGET {
    return _mm256_andnot_si256(first_lanes(static_cast<int>(first - i)), e);
  };
  const auto sweep = [&](const auto& both_sides) TREEWRIGHT_TARGET {
    for (; i < first && i + kBlock <= end; move_on(kBlock)) {
      const __m256i e = load(entries + i);
      take(from_first(e), values(entries + i, e), both_sides());
    }
    while (i + kBlock <= end) {
      int64_t until = end;
      if (passes_over && i + kStretch <= end) {
        if (pass_over()) {
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
      // An entry that is not there is 0, which does not differ: it is no cut.
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
  // The best of all lanes, in all lanes.
  best = _mm256_max_ps(best, _mm256_permute2f128_ps(best, best, 1));
  best = _mm256_max_ps(best, _mm256_permute_ps(best, 0x4e));
  best = larger_of_two(best);
  state = {i, _mm256_cvtss_f32(left), _mm256_cvtsi256_si32(sum), _mm256_cvtss_f32(best)};
}

// Columns of few rows are not worth a bound; see kManyRows.
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
          const __m256i high = _mm256_sll_epi32(e, off);  // without the row number
          return _mm256_sub_epi32(_mm256_srl_epi32(high, back), means);
        },
        distance);
  }
}

// All bits set where the label is 1.
TREEWRIGHT_TARGET inline __m256i is_one(__m256i entries) {
  return _mm256_srai_epi32(_mm256_slli_epi32(entries, 30), 31);
}

// Few rows: n - t for a row of class 1, -t for any other; D is their sum.
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

// Many rows: their class is counted, and D = ones n - t left comes from doubles.
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

void partition(Entry* entries, int64_t end, int shift, std::span<const uint64_t> sides,
               Entry* scratch, PartitionState& state) {
  if (end - state.i >= kBlock && has_avx2()) {
    const auto kernel = 64 * sides.size() <= kRowsInRegisters ? partition_avx2<BitsInRegisters>
                                                              : partition_avx2<BitsInMemory>;
    kernel(entries, end, shift, sides.data(), scratch, state);
  }
}

bool partition_each(std::span<Entry* const> columns, int64_t n, int shift,
                    std::span<const uint64_t> sides, Entry* scratch) {
  const bool can = n >= kBlock && has_avx2();
  if (can) {
    const auto kernel = 64 * sides.size() <= kRowsInRegisters ? partition_each_avx2<BitsInRegisters>
                                                              : partition_each_avx2<BitsInMemory>;
    kernel(columns, n, shift, sides.data(), scratch);
  }
  return can;
}

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

void partition(Entry*, int64_t, int, std::span<const uint64_t>, Entry*, PartitionState&) {}
bool partition_each(std::span<Entry* const>, int64_t, int, std::span<const uint64_t>, Entry*) {
  return false;
}
bool takes_whole_columns(const int32_t*) { return false; }
void squared_error(std::span<SumColumn>, const Cuts&, const Image&, int32_t, float,
                   const Reciprocals&) {}
void two_class_gini(std::span<SumColumn>, const Cuts&, int64_t, const Reciprocals&) {}

#endif
}  // namespace treewright::simd
