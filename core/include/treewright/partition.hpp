// partition.hpp: a stable partition of one sorted column, so that each child stays sorted.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "treewright/large_vector.hpp"
#include "treewright/simd.hpp"
#include "treewright/types.hpp"

namespace treewright {

// One bit per row number: set if the row goes behind those that stay in front.
class Sides {
 public:
  explicit Sides(int64_t n_rows) {
    // Bits are read in random order. One large page is faster than more small pages than a core
    // can keep addresses of (64 entries in the first-level TLB).
    constexpr size_t kSmallPages = size_t(64) << 12;
    if (n_words(n_rows) * sizeof(uint32_t) > kSmallPages) {
      bits_.reserve(kLargePage / sizeof(uint32_t));
    }
    bits_.resize(n_words(n_rows), 0);
  }
  void set(uint32_t row) { bits_[row >> 5] |= uint32_t(1) << (row & 31); }
  void clear(uint32_t row) { bits_[row >> 5] &= ~(uint32_t(1) << (row & 31)); }
  void clear() { std::fill(bits_.begin(), bits_.end(), 0); }
  // Room for more rows; their bits are 0.
  void grow(int64_t n_rows) { bits_.resize(std::max(bits_.size(), n_words(n_rows)), 0); }
  size_t size() const { return 32 * bits_.size(); }
  std::span<const uint32_t> words() const { return bits_; }
  uint32_t behind(uint32_t row) const { return bits_[row >> 5] >> (row & 31) & 1; }

 private:
  static size_t n_words(int64_t n_rows) {
    constexpr size_t kRows = simd::kRowsInRegisters;
    return (size_t(n_rows) + kRows - 1) / kRows * (kRows / 32);
  }

  LargeVector<uint32_t> bits_;
};

struct Parts {
  int64_t front_known;   // known rows that stayed in front
  int64_t behind_known;  // known rows that went behind
};

// Entries [0, n) become the rows that stay in front, then those that go behind, each in their old
// order (so known rows stay before missing ones). A row hands its "differs" bit to the next row on
// the other side: a value that differed from the row before it still does. Only rows that go behind
// are written twice.
//
// scratch needs room for n + simd::kBlock entries.
inline Parts partition(Entry* entries, int64_t n_known, int64_t n, int shift, const Sides& sides,
                       Entry* scratch) {
  simd::PartitionState s;
  const auto move_until = [&](int64_t end) {
    simd::partition(entries, end, shift, sides.words(), scratch, s);
    // entries[0, front) stayed, scratch[0, i - front) go behind; entries[i, end) are unread.
    for (; s.i < end; ++s.i) {
      const Entry e = entries[s.i];
      const Entry behind = sides.behind(e >> shift);
      s.pending_front |= e & kDiffers;
      s.pending_behind |= e & kDiffers;
      entries[s.front] = e | s.pending_front;
      scratch[s.i - s.front] = e | s.pending_behind;
      s.front += 1 - behind;
      s.pending_front &= 0 - behind;
      s.pending_behind &= behind - 1;
    }
  };
  move_until(n_known);
  const Parts parts{s.front, n_known - s.front};
  move_until(n);
  std::copy(scratch, scratch + n - s.front, entries + s.front);
  return parts;
}

// The same for several columns without missing rows, which for few rows is faster than one by one.
inline void partition_each(std::span<Entry* const> columns, int64_t n, int shift,
                           const Sides& sides, Entry* scratch) {
  if (!simd::partition_each(columns, n, shift, sides.words(), scratch)) {
    for (Entry* entries : columns) {
      partition(entries, n, n, shift, sides, scratch);
    }
  }
}

// A stable partition of one sorted column into any number of branches. A row may go to none of
// them, or to several.
//
// "Differs" bits: runs of equal values are counted; an entry differs from the one before it in its
// branch if they lie in different runs. O(1) per entry, whatever the number of branches.
struct MultiwayPartition {
  explicit MultiwayPartition(size_t n_branches) : next(n_branches, 0), run_of_last(n_branches, 0) {}

  std::vector<int64_t> next;  // where the next entry of each branch goes
  std::vector<int64_t> run_of_last;
  int64_t run = 0;

  // where(row, keep) calls keep(branch, row number there) for each branch of the row.
  template <class Where>
  void send(const Entry* entries, int64_t n, int shift, const Where& where, Entry* out) {
    const Entry low = (Entry(1) << shift) - 1;
    for (int64_t i = 0; i < n; ++i) {
      const Entry e = entries[i];
      run += e & kDiffers;
      where(e >> shift, [&](size_t branch, uint32_t row) {
        const Entry differs = run != run_of_last[branch] ? kDiffers : 0;
        run_of_last[branch] = run;
        out[next[branch]++] = (row << shift) | (e & low & ~kDiffers) | differs;
      });
    }
  }
};

}  // namespace treewright
