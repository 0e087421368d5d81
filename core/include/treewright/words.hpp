// words.hpp: a short array that lives on the stack while it is small.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>

namespace treewright {

// Zero-filled. Small nodes are searched by the hundred thousand, and a heap allocation
// would cost more than the search itself.
template <class T, size_t kInline>
class Small {
 public:
  explicit Small(size_t size) {
    if (size > kInline) {
      heap_ = std::make_unique<T[]>(size);
    } else {
      std::fill(inline_, inline_ + size, T{});
    }
  }
  T* data() { return heap_ ? heap_.get() : inline_; }
  const T* data() const { return heap_ ? heap_.get() : inline_; }

 private:
  T inline_[kInline];
  std::unique_ptr<T[]> heap_;
};

using Words = Small<int64_t, 24>;

}  // namespace treewright
