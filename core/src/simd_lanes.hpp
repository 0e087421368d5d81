// simd_lanes.hpp: eight entries in the eight lanes of a register (AVX2).
#pragma once

#include "treewright/portable.hpp"

#ifdef TREEWRIGHT_AVX2
#include <immintrin.h>

#include "treewright/types.hpp"

namespace treewright::simd {

TREEWRIGHT_TARGET inline __m256i load(const Entry* entries) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(entries));
}
TREEWRIGHT_TARGET inline void store(Entry* entries, __m256i x) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(entries), x);
}
// A mask of the first n lanes; empty if n is negative.
TREEWRIGHT_TARGET inline __m256i first_lanes(int n) {
  return _mm256_cmpgt_epi32(_mm256_set1_epi32(n), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}
TREEWRIGHT_TARGET inline void store_first(Entry* entries, int n, __m256i x) {
  _mm256_maskstore_epi32(reinterpret_cast<int*>(entries), first_lanes(n), x);
}
// table[entries[lane] >> shift] for eight lanes. Eight single loads: the gather instruction takes
// about twice as long while stores are pending (measured on Zen 3).
TREEWRIGHT_TARGET inline __m256i look_up(const int32_t* table, const Entry* entries, int shift) {
  const auto four = [&](const Entry* e) TREEWRIGHT_TARGET {
    __m128i x = _mm_cvtsi32_si128(table[e[0] >> shift]);
    x = _mm_insert_epi32(x, table[e[1] >> shift], 1);
    x = _mm_insert_epi32(x, table[e[2] >> shift], 2);
    return _mm_insert_epi32(x, table[e[3] >> shift], 3);
  };
  return _mm256_inserti128_si256(_mm256_castsi128_si256(four(entries)), four(entries + 4), 1);
}

}  // namespace treewright::simd
#endif
