// Tables of reciprocals and of n log n, so that sweeps need no divisions and no logarithms.
#include <bit>
#include <cmath>

#include "treewright/sweep.hpp"

namespace treewright {

OneOver::OneOver(int64_t largest) : table_(size_t(largest) + 1, 0.0) {
  for (int64_t n = 1; n <= largest; ++n) {
    table_[size_t(n)] = 1.0 / real(n);
  }
}

namespace {

template <class Number, class Value>
std::vector<Number> values_of(int64_t largest, const Value& value) {
  std::vector<Number> values(size_t(largest) + 1);
  for (int64_t n = 1; n <= largest; ++n) {
    values[size_t(n)] = value(n);
  }
  return values;
}

int64_t n_log_n(int64_t n, int fraction) {
  return std::llrint(std::ldexp(real(n) * std::log2(real(n)), fraction));
}

}  // namespace

simd::Reciprocals::Reciprocals(int64_t largest)
    : BothOrders(
          values_of<float>(largest, [](int64_t n) { return 1.0f / static_cast<float>(n); })) {}

simd::NLogN::NLogN(int64_t largest)
    : NLogN(largest, 30 - static_cast<int>(std::bit_width(uint64_t(largest)))) {}

simd::NLogN::NLogN(int64_t largest, int fraction)
    : BothOrders(values_of<uint32_t>(
          largest, [=](int64_t n) { return static_cast<uint32_t>(n_log_n(n, fraction)); })),
      unit_(std::ldexp(1.0, -fraction)) {}

NLogN::NLogN(int64_t largest) : table_(size_t(largest) + 1, 0), rises_(size_t(largest) + 1, 0) {
  for (int64_t n = 2; n <= largest; ++n) {
    table_[size_t(n)] = n_log_n(n, kFraction);
    rises_[size_t(n) - 1] = table_[size_t(n)] - table_[size_t(n) - 1];
  }
}

}  // namespace treewright
