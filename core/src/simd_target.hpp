// simd_target.hpp: tells whether AVX2 can be used, and marks the functions that are compiled for
// it.
#pragma once

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define TREEWRIGHT_AVX2 1
#define TREEWRIGHT_TARGET __attribute__((target("avx2,bmi2,popcnt")))
#include <immintrin.h>

namespace treewright::simd {

inline bool has_avx2() {
  static const bool has = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") &&
                          __builtin_cpu_supports("popcnt");
  return has;
}

}  // namespace treewright::simd
#endif
