// simd_avx2.hpp: the lanes of simd_lanes.hpp on x86-64. The types are vector types of the compiler,
// whose operators are single instructions.
#pragma once

#include <immintrin.h>

#include "treewright/portable.hpp"
#include "treewright/types.hpp"

namespace treewright::simd {

using Ints [[gnu::vector_size(32)]] = int32_t;
using Words [[gnu::vector_size(32)]] = uint32_t;
using Floats [[gnu::vector_size(32)]] = float;
using Longs [[gnu::vector_size(32)]] = int64_t;
using Doubles [[gnu::vector_size(32)]] = double;

// The same bits as lanes of another type.
template <class To, class From>
TREEWRIGHT_TARGET inline To as(From x) {
  return reinterpret_cast<To>(x);
}
template <class Lanes>
TREEWRIGHT_TARGET inline __m256i raw(Lanes x) {
  return reinterpret_cast<__m256i>(x);
}
TREEWRIGHT_TARGET inline __m256 raw_floats(Floats x) { return reinterpret_cast<__m256>(x); }

// ---- every lane alike, memory ----

TREEWRIGHT_TARGET inline Ints all(int32_t x) { return as<Ints>(_mm256_set1_epi32(x)); }
TREEWRIGHT_TARGET inline Floats all(float x) { return as<Floats>(_mm256_set1_ps(x)); }
TREEWRIGHT_TARGET inline Longs all(int64_t x) { return as<Longs>(_mm256_set1_epi64x(x)); }
TREEWRIGHT_TARGET inline Doubles all(double x) { return as<Doubles>(_mm256_set1_pd(x)); }
TREEWRIGHT_TARGET inline Ints lane_numbers() { return Ints{0, 1, 2, 3, 4, 5, 6, 7}; }

TREEWRIGHT_TARGET inline Words load(const uint32_t* words) {
  return as<Words>(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(words)));
}
TREEWRIGHT_TARGET inline Floats load(const float* floats) {
  return as<Floats>(_mm256_loadu_ps(floats));
}
TREEWRIGHT_TARGET inline Doubles load(const double* doubles) {
  return as<Doubles>(_mm256_loadu_pd(doubles));
}
TREEWRIGHT_TARGET inline void store(uint32_t* words, Words x) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(words), raw(x));
}
TREEWRIGHT_TARGET inline void store(double* doubles, Doubles x) {
  _mm256_storeu_pd(doubles, reinterpret_cast<__m256d>(x));
}
// The lanes in the mask, the others 0. Memory of the others is not touched.
TREEWRIGHT_TARGET inline Words load_lanes(const uint32_t* words, Ints mask) {
  return as<Words>(_mm256_maskload_epi32(reinterpret_cast<const int*>(words), raw(mask)));
}
TREEWRIGHT_TARGET inline void store_lanes(uint32_t* words, Ints mask, Words x) {
  _mm256_maskstore_epi32(reinterpret_cast<int*>(words), raw(mask), raw(x));
}
// table[entries[lane] >> shift] for eight lanes. Eight single loads: the gather instruction takes
// about twice as long while stores are pending (measured on Zen 3).
TREEWRIGHT_TARGET inline Ints look_up(const int32_t* table, const Entry* entries, int shift) {
  const auto four = [&](const Entry* e) TREEWRIGHT_TARGET {
    __m128i x = _mm_cvtsi32_si128(table[e[0] >> shift]);
    x = _mm_insert_epi32(x, table[e[1] >> shift], 1);
    x = _mm_insert_epi32(x, table[e[2] >> shift], 2);
    return _mm_insert_epi32(x, table[e[3] >> shift], 3);
  };
  return as<Ints>(
      _mm256_inserti128_si256(_mm256_castsi128_si256(four(entries)), four(entries + 4), 1));
}

// ---- from lane to lane ----

// Lane i of the result is lane lanes[i] modulo 8 of x.
TREEWRIGHT_TARGET inline Words permuted(Words x, Ints lanes) {
  return as<Words>(_mm256_permutevar8x32_epi32(raw(x), raw(lanes)));
}
// Eight bytes, a lane each.
TREEWRIGHT_TARGET inline Ints widened(const uint8_t* bytes) {
  return as<Ints>(_mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(bytes))));
}
// A bit for each lane: its sign.
TREEWRIGHT_TARGET inline unsigned signs(Words x) {
  return static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(raw(x))));
}
TREEWRIGHT_TARGET inline bool any(Ints mask) {
  return _mm256_movemask_ps(_mm256_castsi256_ps(raw(mask))) != 0;
}
// Lanes of x where the sign of `by` is set, of y elsewhere.
template <class Lanes>
TREEWRIGHT_TARGET inline Lanes select_by_sign(Words by, Lanes x, Lanes y) {
  return as<Lanes>(_mm256_blendv_ps(as<__m256>(y), as<__m256>(x), as<__m256>(by)));
}
// Even lanes of x, odd lanes of y.
TREEWRIGHT_TARGET inline Ints in_turn(Ints x, Ints y) {
  return as<Ints>(_mm256_blend_epi32(raw(x), raw(y), 0xaa));
}
TREEWRIGHT_TARGET inline Floats in_turn(float even, float odd) {
  return Floats{even, odd, even, odd, even, odd, even, odd};
}
TREEWRIGHT_TARGET inline Ints swapped_neighbours(Ints x) {
  return as<Ints>(_mm256_shuffle_epi32(raw(x), 0xb1));
}
TREEWRIGHT_TARGET inline Floats swapped_neighbours(Floats x) {
  return as<Floats>(_mm256_permute_ps(raw_floats(x), 0xb1));
}
// Each even lane, twice.
TREEWRIGHT_TARGET inline Ints evens_twice(Ints x) {
  return as<Ints>(_mm256_shuffle_epi32(raw(x), 0xa0));
}
// The first or the last lane, in every lane.
TREEWRIGHT_TARGET inline Floats first_everywhere(Floats x) {
  return as<Floats>(_mm256_broadcastss_ps(_mm256_castps256_ps128(raw_floats(x))));
}
TREEWRIGHT_TARGET inline Ints last_everywhere(Ints x) {
  return as<Ints>(_mm256_permutevar8x32_epi32(raw(x), _mm256_set1_epi32(7)));
}
template <class Lanes>
TREEWRIGHT_TARGET inline auto first(Lanes x) {
  return x[0];
}

// ---- arithmetic ----

TREEWRIGHT_TARGET inline Ints larger(Ints x, Ints y) {
  return as<Ints>(_mm256_max_epi32(raw(x), raw(y)));
}
// y if the numbers cannot be compared.
TREEWRIGHT_TARGET inline Floats larger(Floats x, Floats y) {
  return as<Floats>(_mm256_max_ps(raw_floats(x), raw_floats(y)));
}
TREEWRIGHT_TARGET inline Doubles larger(Doubles x, Doubles y) {
  return as<Doubles>(_mm256_max_pd(as<__m256d>(x), as<__m256d>(y)));
}
TREEWRIGHT_TARGET inline Floats to_floats(Ints x) { return as<Floats>(_mm256_cvtepi32_ps(raw(x))); }
// x a - y b, computed in doubles.
TREEWRIGHT_TARGET inline Floats difference_of_products(Ints x, double a, Floats y, double b) {
  const __m256d as = _mm256_set1_pd(a), bs = _mm256_set1_pd(b);
  const auto four = [&](__m128i x4, __m128 y4) TREEWRIGHT_TARGET {
    return _mm256_cvtpd_ps(_mm256_sub_pd(_mm256_mul_pd(_mm256_cvtepi32_pd(x4), as),
                                         _mm256_mul_pd(_mm256_cvtps_pd(y4), bs)));
  };
  const __m256i xs = raw(x);
  const __m256 ys = raw_floats(y);
  const __m128 low = four(_mm256_castsi256_si128(xs), _mm256_castps256_ps128(ys));
  const __m128 high = four(_mm256_extracti128_si256(xs, 1), _mm256_extractf128_ps(ys, 1));
  return reinterpret_cast<Floats>(_mm256_insertf128_ps(_mm256_castps128_ps256(low), high, 1));
}
// Prefix sums: lane i of the result is the sum of lanes 0 to i.
TREEWRIGHT_TARGET inline Ints running_sums(Ints lanes) {
  __m256i x = raw(lanes);
  x = _mm256_add_epi32(x, _mm256_slli_si256(x, 4));
  x = _mm256_add_epi32(x, _mm256_slli_si256(x, 8));
  // Each half now holds its own prefix sums; add the total of the low half to the high half.
  const __m256i totals = _mm256_shuffle_epi32(x, 0xff);
  return as<Ints>(_mm256_add_epi32(x, _mm256_permute2x128_si256(totals, totals, 0x08)));
}
// The sum of all lanes of x in the even lanes, that of y in the odd lanes.
TREEWRIGHT_TARGET inline Ints sums_in_turn(Ints x, Ints y) {
  const __m256i pairs = _mm256_hadd_epi32(raw(x), raw(y));
  const __m256i halves = _mm256_hadd_epi32(pairs, pairs);
  return as<Ints>(_mm256_add_epi32(halves, _mm256_permute2x128_si256(halves, halves, 1)));
}
TREEWRIGHT_TARGET inline float largest(Floats x) {
  __m256 y = raw_floats(x);
  y = _mm256_max_ps(y, _mm256_permute2f128_ps(y, y, 1));
  y = _mm256_max_ps(y, _mm256_permute_ps(y, 0x4e));
  return _mm256_cvtss_f32(_mm256_max_ps(y, _mm256_permute_ps(y, 0xb1)));
}
TREEWRIGHT_TARGET inline int32_t largest(Ints x) {
  __m256i y = raw(x);
  y = _mm256_max_epi32(y, _mm256_permute2x128_si256(y, y, 1));
  y = _mm256_max_epi32(y, _mm256_shuffle_epi32(y, 0x4e));
  return _mm256_cvtsi256_si32(_mm256_max_epi32(y, _mm256_shuffle_epi32(y, 0xb1)));
}

// ---- four lanes of 64 bits ----

TREEWRIGHT_TARGET inline Longs longs(int64_t a, int64_t b, int64_t c, int64_t d) {
  return Longs{a, b, c, d};
}
// 1, shifted to the left; 0 if the places are not 0 to 63.
TREEWRIGHT_TARGET inline Longs bits_at(Longs places) {
  return as<Longs>(_mm256_sllv_epi64(_mm256_set1_epi64x(1), raw(places)));
}
// Places of 0 to 64.
TREEWRIGHT_TARGET inline Longs shifted_right(Longs x, Longs places) {
  return as<Longs>(_mm256_srlv_epi64(raw(x), raw(places)));
}
TREEWRIGHT_TARGET inline Longs even_words(Words x) {
  return as<Longs>(x) & all(int64_t(0xffffffff));
}
TREEWRIGHT_TARGET inline Longs odd_words(Words x) {
  return as<Longs>(_mm256_srli_epi64(raw(x), 32));
}
// The sum of words of packed bits; a carry out of the last bit is lost.
TREEWRIGHT_TARGET inline Longs sum_of_bits(Longs a, Longs b) {
  return as<Longs>(_mm256_add_epi64(raw(a), raw(b)));
}
// The same of all four lanes, in all of them.
TREEWRIGHT_TARGET inline Longs sum_everywhere(Longs lanes) {
  __m256i x = raw(lanes);
  x = _mm256_add_epi64(x, _mm256_permute4x64_epi64(x, 0x4e));
  return as<Longs>(_mm256_add_epi64(x, _mm256_shuffle_epi32(x, 0x4e)));
}
TREEWRIGHT_TARGET inline double sum(Doubles lanes) {
  const __m256d x = as<__m256d>(lanes);
  const __m128d two = _mm_add_pd(_mm256_castpd256_pd128(x), _mm256_extractf128_pd(x, 1));
  return _mm_cvtsd_f64(_mm_add_sd(two, _mm_unpackhi_pd(two, two)));
}

}  // namespace treewright::simd
