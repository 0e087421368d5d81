// words.hpp: a short array of 64-bit words that lives on the stack when it is small.
#pragma once

#include <cstdint>
#include <memory>

namespace treewright {

// Zero-filled. Small nodes are searched by the hundred thousand, and a heap allocation
// would cost more than the search itself.
class Words {
 public:
  explicit Words(size_t size) {
    if (size > kInline) {
      heap_ = std::make_unique<int64_t[]>(size);
    } else {
      for (size_t i = 0; i < size; ++i) {
        inline_[i] = 0;
      }
    }
  }
  int64_t* data() { return heap_ ? heap_.get() : inline_; }
  const int64_t* data() const { return heap_ ? heap_.get() : inline_; }

 private:
  static constexpr size_t kInline = 24;
  int64_t inline_[kInline];
  std::unique_ptr<int64_t[]> heap_;
};

}  // namespace treewright
