// simd_neon.hpp: the lanes of simd_lanes.hpp on ARM64, each half of them in a register.
#pragma once

#include <arm_neon.h>

#include <cstring>

#include "treewright/types.hpp"

namespace treewright::simd {

// The template takes the type of a number, never that of a register such as int32x4_t: gcc 12 gives
// a template of the latter no place in its alias analysis, and drops stores to classes that contain
// it.
template <class Number>
struct Pair {
  using Half [[gnu::vector_size(16)]] = Number;
  Half low, high;
};
using Ints = Pair<int32_t>;
using Words = Pair<uint32_t>;
using Floats = Pair<float>;
using Longs = Pair<int64_t>;
using Doubles = Pair<double>;

// The results of op(half, ...) for both halves.
template <class Result, class Op, class... Numbers>
inline Result by_halves(const Op& op, Pair<Numbers>... x) {
  return {op(x.low...), op(x.high...)};
}

template <class Number>
inline Pair<Number> operator+(Pair<Number> x, Pair<Number> y) {
  return {x.low + y.low, x.high + y.high};
}
template <class Number>
inline Pair<Number> operator-(Pair<Number> x, Pair<Number> y) {
  return {x.low - y.low, x.high - y.high};
}
template <class Number>
inline Pair<Number> operator*(Pair<Number> x, Pair<Number> y) {
  return {x.low * y.low, x.high * y.high};
}
template <class Number>
inline Pair<Number> operator/(Pair<Number> x, Pair<Number> y) {
  return {x.low / y.low, x.high / y.high};
}
template <class Number>
inline Pair<Number> operator&(Pair<Number> x, Pair<Number> y) {
  return {x.low & y.low, x.high & y.high};
}
template <class Number>
inline Pair<Number> operator|(Pair<Number> x, Pair<Number> y) {
  return {x.low | y.low, x.high | y.high};
}
template <class Number>
inline Pair<Number> operator~(Pair<Number> x) {
  return {~x.low, ~x.high};
}
template <class Number>
inline Pair<Number> operator<<(Pair<Number> x, int places) {
  return {x.low << places, x.high << places};
}
template <class Number>
inline Pair<Number> operator>>(Pair<Number> x, int places) {
  return {x.low >> places, x.high >> places};
}
template <class Number>
inline Pair<Number> operator<<(Pair<Number> x, Pair<Number> places) {
  return {x.low << places.low, x.high << places.high};
}
template <class Number>
inline Pair<Number> operator>>(Pair<Number> x, Pair<Number> places) {
  return {x.low >> places.low, x.high >> places.high};
}
template <class Number>
inline Ints operator>(Pair<Number> x, Pair<Number> y) {
  return {x.low > y.low, x.high > y.high};
}
template <class Number>
inline Ints operator<(Pair<Number> x, Pair<Number> y) {
  return y > x;
}
template <class Number>
inline Ints operator==(Pair<Number> x, Pair<Number> y) {
  return {x.low == y.low, x.high == y.high};
}

// The same bits as lanes of another type.
template <class To, class From>
inline To as(From x) {
  using Half = typename To::Half;
  return {reinterpret_cast<Half>(x.low), reinterpret_cast<Half>(x.high)};
}

// ---- every lane alike, memory ----

inline Ints all(int32_t x) { return {vdupq_n_s32(x), vdupq_n_s32(x)}; }
inline Floats all(float x) { return {vdupq_n_f32(x), vdupq_n_f32(x)}; }
inline Longs all(int64_t x) { return {vdupq_n_s64(x), vdupq_n_s64(x)}; }
inline Doubles all(double x) { return {vdupq_n_f64(x), vdupq_n_f64(x)}; }
inline Ints lane_numbers() { return {Ints::Half{0, 1, 2, 3}, Ints::Half{4, 5, 6, 7}}; }

template <class Lanes>
inline Lanes copied(const void* memory) {
  Lanes x;
  std::memcpy(&x, memory, sizeof(x));
  return x;
}
inline Words load(const uint32_t* words) { return copied<Words>(words); }
inline Floats load(const float* floats) { return copied<Floats>(floats); }
inline Doubles load(const double* doubles) { return copied<Doubles>(doubles); }
inline void store(uint32_t* words, Words x) { std::memcpy(words, &x, sizeof(x)); }
inline void store(double* doubles, Doubles x) { std::memcpy(doubles, &x, sizeof(x)); }
// The lanes in the mask, the others 0. Memory of the others is not touched.
inline Words load_lanes(const uint32_t* words, Ints mask) {
  uint32_t taken[8], found[8];
  store(taken, as<Words>(mask));
  for (int lane = 0; lane < 8; ++lane) {
    found[lane] = taken[lane] ? words[lane] : 0;
  }
  return load(found);
}
inline void store_lanes(uint32_t* words, Ints mask, Words x) {
  uint32_t taken[8], lanes[8];
  store(taken, as<Words>(mask));
  store(lanes, x);
  for (int lane = 0; lane < 8; ++lane) {
    if (taken[lane]) {
      words[lane] = lanes[lane];
    }
  }
}
// table[entries[lane] >> shift] for eight lanes.
inline Ints look_up(const int32_t* table, const Entry* entries, int shift) {
  const auto four = [&](const Entry* e) {
    return Ints::Half{table[e[0] >> shift], table[e[1] >> shift], table[e[2] >> shift],
                      table[e[3] >> shift]};
  };
  return {four(entries), four(entries + 4)};
}

// ---- from lane to lane ----

// Lane i of the result is lane lanes[i] modulo 8 of x, taken by its four bytes.
inline Words permuted(Words x, Ints lanes) {
  const uint8x16x2_t bytes{vreinterpretq_u8_u32(x.low), vreinterpretq_u8_u32(x.high)};
  const auto half = [&](int32x4_t of) {
    const int32x4_t byte_numbers = (of & 7) * 0x04040404 + 0x03020100;
    return vreinterpretq_u32_u8(vqtbl2q_u8(bytes, vreinterpretq_u8_s32(byte_numbers)));
  };
  return by_halves<Words>(half, lanes);
}
// Eight bytes, a lane each.
inline Ints widened(const uint8_t* bytes) {
  const uint16x8_t x = vmovl_u8(vld1_u8(bytes));
  return as<Ints>(Words{vmovl_u16(vget_low_u16(x)), vmovl_high_u16(x)});
}
// A bit for each lane: its sign.
inline unsigned signs(Words x) {
  const Words bit = x >> 31;
  return vaddvq_u32(vshlq_u32(bit.low, int32x4_t{0, 1, 2, 3}) +
                    vshlq_u32(bit.high, int32x4_t{4, 5, 6, 7}));
}
inline bool any(Ints mask) { return vmaxvq_u32(vreinterpretq_u32_s32(mask.low | mask.high)) != 0; }
// Lanes of x where the sign of `by` is set, of y elsewhere.
template <class Lanes>
inline Lanes select_by_sign(Words by, Lanes x, Lanes y) {
  const Words mask = as<Words>(as<Ints>(by) >> 31);
  return as<Lanes>((as<Words>(x) & mask) | (as<Words>(y) & ~mask));
}
// Even lanes of x, odd lanes of y.
inline Ints in_turn(Ints x, Ints y) {
  return by_halves<Ints>(
      [](int32x4_t a, int32x4_t b) { return vbslq_s32(uint32x4_t{~0u, 0, ~0u, 0}, a, b); }, x, y);
}
inline Floats in_turn(float even, float odd) {
  const float32x4_t half{even, odd, even, odd};
  return {half, half};
}
inline Ints swapped_neighbours(Ints x) { return {vrev64q_s32(x.low), vrev64q_s32(x.high)}; }
inline Floats swapped_neighbours(Floats x) { return {vrev64q_f32(x.low), vrev64q_f32(x.high)}; }
// Each even lane, twice.
inline Ints evens_twice(Ints x) {
  return by_halves<Ints>([](int32x4_t half) { return vtrn1q_s32(half, half); }, x);
}
// The first or the last lane, in every lane.
inline Floats first_everywhere(Floats x) {
  const float32x4_t half = vdupq_laneq_f32(x.low, 0);
  return {half, half};
}
inline Ints last_everywhere(Ints x) {
  const int32x4_t half = vdupq_laneq_s32(x.high, 3);
  return {half, half};
}
template <class Lanes>
inline auto first(Lanes x) {
  return x.low[0];
}

// ---- arithmetic ----

inline Ints larger(Ints x, Ints y) { return {vmaxq_s32(x.low, y.low), vmaxq_s32(x.high, y.high)}; }
// y if the numbers cannot be compared.
inline Floats larger(Floats x, Floats y) {
  return by_halves<Floats>(
      [](float32x4_t a, float32x4_t b) { return vbslq_f32(vcgtq_f32(a, b), a, b); }, x, y);
}
inline Doubles larger(Doubles x, Doubles y) {
  return by_halves<Doubles>(
      [](float64x2_t a, float64x2_t b) { return vbslq_f64(vcgtq_f64(a, b), a, b); }, x, y);
}
inline Floats to_floats(Ints x) { return {vcvtq_f32_s32(x.low), vcvtq_f32_s32(x.high)}; }
// x a - y b, computed in doubles.
inline Floats difference_of_products(Ints x, double a, Floats y, double b) {
  const auto two = [&](int32x2_t x2, float32x2_t y2) {
    return vcvt_f32_f64(vcvtq_f64_s64(vmovl_s32(x2)) * a - vcvt_f64_f32(y2) * b);
  };
  const auto four = [&](int32x4_t x4, float32x4_t y4) {
    return vcombine_f32(two(vget_low_s32(x4), vget_low_f32(y4)),
                        two(vget_high_s32(x4), vget_high_f32(y4)));
  };
  return by_halves<Floats>(four, x, y);
}
// Prefix sums: lane i of the result is the sum of lanes 0 to i.
inline Ints running_sums(Ints x) {
  const int32x4_t zero = vdupq_n_s32(0);
  const auto of_half = [&](int32x4_t half) {
    half += vextq_s32(zero, half, 3);
    return half + vextq_s32(zero, half, 2);
  };
  const auto sums = by_halves<Ints>(of_half, x);
  return {sums.low, sums.high + vdupq_laneq_s32(sums.low, 3)};
}
// The sum of all lanes of x in the even lanes, that of y in the odd lanes.
inline Ints sums_in_turn(Ints x, Ints y) {
  const int32x4_t pairs = vpaddq_s32(x.low + x.high, y.low + y.high);
  const int32x4_t sums = vpaddq_s32(pairs, pairs);
  return {sums, sums};
}
inline float largest(Floats x) { return vmaxvq_f32(larger(x, Floats{x.high, x.low}).low); }
inline int32_t largest(Ints x) { return vmaxvq_s32(vmaxq_s32(x.low, x.high)); }

// ---- four lanes of 64 bits ----

inline Longs longs(int64_t a, int64_t b, int64_t c, int64_t d) {
  return {Longs::Half{a, b}, Longs::Half{c, d}};
}
// 1, shifted to the left; 0 if the places are not 0 to 63. They are within -128 to 255, and the
// instruction takes their last byte as a signed number, shifting to the right if it is negative.
inline Longs bits_at(Longs places) {
  const int64x2_t one = vdupq_n_s64(1);
  return {vshlq_s64(one, places.low), vshlq_s64(one, places.high)};
}
// Places of 0 to 64.
inline Longs shifted_right(Longs x, Longs places) {
  const auto half = [](int64x2_t a, int64x2_t by) {
    return vreinterpretq_s64_u64(vshlq_u64(vreinterpretq_u64_s64(a), -by));
  };
  return by_halves<Longs>(half, x, places);
}
inline Longs even_words(Words x) { return as<Longs>(x) & all(int64_t(0xffffffff)); }
inline Longs odd_words(Words x) {
  const auto half = [](uint32x4_t words) {
    return vreinterpretq_s64_u64(vshrq_n_u64(vreinterpretq_u64_u32(words), 32));
  };
  return by_halves<Longs>(half, x);
}
// The sum of words of packed bits; a carry out of the last bit is lost.
inline Longs sum_of_bits(Longs a, Longs b) {
  const auto half = [](int64x2_t x, int64x2_t y) {
    return vreinterpretq_s64_u64(vaddq_u64(vreinterpretq_u64_s64(x), vreinterpretq_u64_s64(y)));
  };
  return by_halves<Longs>(half, a, b);
}
// The same of all four lanes, in all of them.
inline Longs sum_everywhere(Longs x) {
  const int64x2_t two = sum_of_bits(x, Longs{x.high, x.low}).low;
  const int64x2_t sum = vpaddq_s64(two, two);
  return {sum, sum};
}
inline double sum(Doubles x) { return vaddvq_f64(x.low + x.high); }

}  // namespace treewright::simd
