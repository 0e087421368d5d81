// partition.hpp: a stable partition of one sorted column, so that each child stays sorted.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "treewright/types.hpp"

namespace treewright {

// One bit per row number: does it go left?
class Sides {
 public:
  explicit Sides(int64_t n_rows) : bits_(size_t(n_rows) / 64 + 1, 0) {}
  void set(uint32_t row) { bits_[row >> 6] |= uint64_t(1) << (row & 63); }
  void clear(uint32_t row) { bits_[row >> 6] &= ~(uint64_t(1) << (row & 63)); }
  uint32_t left(uint32_t row) const {
    return static_cast<uint32_t>(bits_[row >> 6] >> (row & 63)) & 1;
  }

 private:
  std::vector<uint64_t> bits_;
};

struct Parts {
  int64_t left_known;   // known rows that went left
  int64_t right_known;  // and right
};

// Entries [0, n) become the left rows, then the right rows, each in their old order (known
// rows stay before missing ones). A row that leaves hands its "differs" bit to the next row
// kept on either side: a value that differed from the row before it still does.
inline Parts partition(Entry* entries, int64_t n_known, int64_t n, int shift, const Sides& sides,
                       Entry* scratch) {
  int64_t left = 0, right = 0;
  Entry pending_left = 0, pending_right = 0;
  Parts parts{0, 0};
  int64_t i = 0;
  const auto move_until = [&](int64_t end) {
    // entries[0, left) went left, scratch[0, right) right; entries[i, end) are unread.
    for (; i < end; ++i) {
      const Entry e = entries[i];
      const Entry goes_left = sides.left(e >> shift);
      pending_left |= e & kDiffers;
      pending_right |= e & kDiffers;
      entries[left] = e | pending_left;
      scratch[right] = e | pending_right;
      left += goes_left;
      right += 1 - goes_left;
      pending_left &= goes_left - 1;
      pending_right &= 0 - goes_left;
    }
  };
  move_until(n_known);
  parts = {left, right};
  move_until(n);
  std::copy(scratch, scratch + right, entries + left);
  return parts;
}

}  // namespace treewright
