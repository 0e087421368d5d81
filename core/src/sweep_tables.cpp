// Tables of reciprocals and of n log n, so that sweeps need no divisions and no logarithms.
#include <cmath>

#include "treewright/sweep.hpp"

namespace treewright {

OneOver::OneOver(int64_t largest) : table_(size_t(largest) + 1, 0.0) {
  for (int64_t n = 1; n <= largest; ++n) {
    table_[size_t(n)] = 1.0 / real(n);
  }
}

simd::Reciprocals::Reciprocals(int64_t largest)
    : largest_(largest), ascending_(size_t(largest) + 1, 0.0f) {
  for (size_t n = 1; n < ascending_.size(); ++n) {
    ascending_[n] = 1.0f / static_cast<float>(n);
  }
  descending_.assign(ascending_.rbegin(), ascending_.rend());
  ascending_.resize(ascending_.size() + kBlock, 0.0f);
  descending_.resize(descending_.size() + kBlock, 0.0f);
}

NLogN::NLogN(int64_t largest) : table_(size_t(largest) + 1, 0), rises_(size_t(largest) + 1, 0) {
  for (int64_t n = 2; n <= largest; ++n) {
    table_[size_t(n)] = std::llrint(std::ldexp(real(n) * std::log2(real(n)), kFraction));
    rises_[size_t(n) - 1] = table_[size_t(n)] - table_[size_t(n) - 1];
  }
}

}  // namespace treewright
