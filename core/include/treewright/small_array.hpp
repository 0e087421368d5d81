// small_array.hpp: a short array that lives on the stack while it is small.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>

namespace treewright {

// Zero-filled. Small nodes are searched by the hundred thousand, and a heap allocation
// would cost more than the search itself.
template <class T, size_t kInline>
class SmallArray {
 public:
  explicit SmallArray(size_t size) : size_(size) {
    if (size > kInline) {
      heap_ = std::make_unique<T[]>(size);
    } else {
      std::fill(inline_, inline_ + size, T{});
    }
  }
  SmallArray(const SmallArray& other) : size_(other.size_) {
    if (other.heap_) {
      heap_.reset(new T[size_]);  // uninitialised
    }
    std::copy(other.data(), other.data() + size_, data());
  }
  SmallArray& operator=(const SmallArray& other) {  // of the same size
    if (this != &other) {
      std::copy(other.data(), other.data() + size_, data());
    }
    return *this;
  }
  T* data() { return heap_ ? heap_.get() : inline_; }
  const T* data() const { return heap_ ? heap_.get() : inline_; }

 private:
  size_t size_;
  T inline_[kInline];
  std::unique_ptr<T[]> heap_;
};

// One block of statistics (statistics.hpp): up to 22 classes need no heap.
using StatBlock = SmallArray<int64_t, 24>;

}  // namespace treewright
