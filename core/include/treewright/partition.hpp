// partition.hpp: a stable partition of one sorted column, so that each child stays sorted.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "treewright/simd.hpp"
#include "treewright/types.hpp"

namespace treewright {

// One bit per row number: does it go left?
class Sides {
 public:
  explicit Sides(int64_t n_rows) : bits_(size_t(n_rows) / 64 + 1, 0) {}
  void set(uint32_t row) { bits_[row >> 6] |= uint64_t(1) << (row & 63); }
  void clear(uint32_t row) { bits_[row >> 6] &= ~(uint64_t(1) << (row & 63)); }
  const uint64_t* words() const { return bits_.data(); }
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
//
// scratch needs room for n + simd::kBlock entries.
inline Parts partition(Entry* entries, int64_t n_known, int64_t n, int shift, const Sides& sides,
                       Entry* scratch) {
  simd::PartitionState s;
  const auto move_until = [&](int64_t end) {
    simd::partition(entries, end, shift, sides.words(), scratch, s);
    // entries[0, left) went left, scratch[0, i - left) right; entries[i, end) are unread.
    for (; s.i < end; ++s.i) {
      const Entry e = entries[s.i];
      const Entry goes_left = sides.left(e >> shift);
      s.pending_left |= e & kDiffers;
      s.pending_right |= e & kDiffers;
      entries[s.left] = e | s.pending_left;
      scratch[s.i - s.left] = e | s.pending_right;
      s.left += goes_left;
      s.pending_left &= goes_left - 1;
      s.pending_right &= 0 - goes_left;
    }
  };
  move_until(n_known);
  const Parts parts{s.left, n_known - s.left};
  move_until(n);
  std::copy(scratch, scratch + n - s.left, entries + s.left);
  return parts;
}

}  // namespace treewright
