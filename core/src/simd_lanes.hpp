// simd_lanes.hpp: eight numbers of 32 bits, or four of 64 bits, side by side in the lanes of a
// register.
//
// The kernels are written once, in these types:
//   Ints, Words, Floats    eight lanes: int32_t, uint32_t, float
//   Longs, Doubles         four lanes: int64_t, double
// + - * / & | ~ << >> and comparisons work lane by lane; a comparison gives Ints with all bits of a
// lane set where it holds. The other operations have the same names for every processor:
// simd_avx2.hpp (x86-64, one register of 256 bits) and simd_neon.hpp (ARM64, two of 128 bits).
// TREEWRIGHT_LANES and TREEWRIGHT_TARGET are explained in portable.hpp.
#pragma once

#include "treewright/portable.hpp"

#ifdef TREEWRIGHT_LANES
#include "treewright/types.hpp"
#ifdef __x86_64__
#include "simd_avx2.hpp"
#else
#include "simd_neon.hpp"
#endif

namespace treewright::simd {

// A mask of the first n lanes; empty if n is negative.
TREEWRIGHT_TARGET inline Ints first_lanes(int n) { return all(n) > lane_numbers(); }

// The larger of each lane and its neighbour.
template <class Lanes>
TREEWRIGHT_TARGET inline Lanes larger_of_neighbours(Lanes x) {
  return larger(x, swapped_neighbours(x));
}

}  // namespace treewright::simd
#endif
