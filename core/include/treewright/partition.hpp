// partition.hpp: a stable partition of one sorted column, so that each child stays sorted.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "treewright/large.hpp"
#include "treewright/simd.hpp"
#include "treewright/types.hpp"

namespace treewright {

// One bit per row number: does it go behind the rows that stay in front?
class Sides {
 public:
  explicit Sides(int64_t n_rows) {
    // Looked up at random: better in one large page than in more small ones than a core has at
    // hand.
    constexpr size_t kSmallPages = size_t(64) << 12;
    if (n_words(n_rows) * sizeof(uint64_t) > kSmallPages) {
      bits_.reserve(LargeAllocator<uint64_t>::kLargePage / sizeof(uint64_t));
    }
    bits_.resize(n_words(n_rows), 0);
  }
  void set(uint32_t row) { bits_[row >> 6] |= uint64_t(1) << (row & 63); }
  void clear(uint32_t row) { bits_[row >> 6] &= ~(uint64_t(1) << (row & 63)); }
  void clear() { std::fill(bits_.begin(), bits_.end(), 0); }
  // Room for more rows; their bits are 0.
  void grow(int64_t n_rows) { bits_.resize(std::max(bits_.size(), n_words(n_rows)), 0); }
  size_t size() const { return 64 * bits_.size(); }
  std::span<const uint64_t> words() const { return bits_; }
  uint32_t behind(uint32_t row) const {
    return static_cast<uint32_t>(bits_[row >> 6] >> (row & 63)) & 1;
  }
  // What an entry becomes on either side.
  Entry to_front(Entry e, int) const { return e; }
  Entry to_behind(Entry e, int) const { return e; }

 private:
  static size_t n_words(int64_t n_rows) {
    constexpr size_t kRows = simd::kRowsInRegisters;
    return (size_t(n_rows) + kRows - 1) / kRows * (kRows / 64);
  }

  LargeVector<uint64_t> bits_;
};

// The sides of a node whose rows have the numbers begin to end - 1, with new numbers for them:
// those of its two children, who then have begin to middle - 1 (in front) and middle to end - 1.
// What is looked up by row number lies closer together in every generation. See simd::Ranks.
class Renumbering {
 public:
  // No row of another node has its bit set.
  void set(const Sides& sides, uint32_t begin, uint32_t middle, uint32_t end) {
    words_.resize(2 * sides.words().size());
    uint32_t number = middle;
    for (size_t i = begin / 64; i <= (end - 1) / 64; ++i) {
      const uint64_t bits = sides.words()[i];
      words_[2 * i] = uint64_t(number) << 32 | static_cast<uint32_t>(bits);
      number += static_cast<uint32_t>(std::popcount(static_cast<uint32_t>(bits)));
      words_[2 * i + 1] = uint64_t(number) << 32 | bits >> 32;
      number += static_cast<uint32_t>(std::popcount(bits >> 32));
    }
    middle_ = middle;
  }
  simd::Ranks words() const { return {words_.data(), middle_}; }
  uint32_t behind(uint32_t row) const {
    return static_cast<uint32_t>(words_[row / 32] >> (row % 32)) & 1;
  }
  Entry to_front(Entry e, int shift) const {
    const uint32_t row = e >> shift;
    return numbered(e, row + middle_ - rank(row), shift);
  }
  Entry to_behind(Entry e, int shift) const { return numbered(e, rank(e >> shift), shift); }

 private:
  static Entry numbered(Entry e, uint32_t number, int shift) {
    return number << shift | (e & ((Entry(1) << shift) - 1));
  }
  // The number of the row if it goes behind: middle, and so many that do so before it.
  uint32_t rank(uint32_t row) const {
    const uint64_t word = words_[row / 32];
    const auto below = static_cast<uint32_t>(word) & ((uint32_t(1) << (row % 32)) - 1);
    return static_cast<uint32_t>(word >> 32) + static_cast<uint32_t>(std::popcount(below));
  }

  LargeVector<uint64_t> words_;  // of 32 rows each
  uint32_t middle_ = 0;
};

struct Parts {
  int64_t front_known;   // known rows that stayed in front
  int64_t behind_known;  // and those that went behind
};

// Entries [0, n) become the rows that stay in front, then those that go behind, each in their old
// order (known rows stay before missing ones). A row hands its "differs" bit to the next one on the
// other side: a value that differed from the row before it still does. The fewer go behind, the
// less is written twice.
//
// scratch needs room for n + simd::kBlock entries. Where is Sides, or Renumbering.
template <class Where>
Parts partition(Entry* entries, int64_t n_known, int64_t n, int shift, const Where& sides,
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
      entries[s.front] = sides.to_front(e, shift) | s.pending_front;
      scratch[s.i - s.front] = sides.to_behind(e, shift) | s.pending_behind;
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

// The same for what is known of the rows begin to end - 1, by number.
inline void partition_by_row(uint32_t* by_row, uint32_t begin, uint32_t end, const Sides& sides,
                             Entry* scratch) {
  uint32_t *front = by_row + begin, *behind = scratch;
  for (uint32_t row = begin; row < end; ++row) {
    const uint32_t goes_behind = sides.behind(row);
    *behind = by_row[row];
    *front = *behind;
    behind += goes_behind;
    front += 1 - goes_behind;
  }
  std::copy(scratch, behind, front);
}

// The few entries at these places, ascending, go behind all others; both stay in order and take
// their "differs" bits along as above. scratch needs room for the few.
inline void move_few(std::span<Entry> entries, std::span<const uint32_t> places, Entry* scratch) {
  const size_t n = entries.size(), n_few = places.size();
  for (size_t i = 0; i < n_few; ++i) {
    size_t run = places[i];  // back to where its run of equal values begins
    while (i > 0 && run > places[i - 1] && (entries[run] & kDiffers) == 0) {
      --run;
    }
    const Entry differs = i > 0 && run == places[i - 1] ? 0 : kDiffers;
    scratch[i] = (entries[places[i]] & ~kDiffers) | differs;
  }
  Entry pending = 0;
  for (size_t i = 0; i < n_few; ++i) {
    const size_t next = places[i] + 1;
    pending |= entries[places[i]] & kDiffers;
    if (next < n && (i + 1 == n_few || places[i + 1] != next)) {
      entries[next] |= pending;
      pending = 0;
    }
  }
  Entry* const e = entries.data();
  for (size_t i = 0; i < n_few; ++i) {
    const size_t end = i + 1 < n_few ? places[i + 1] : n;
    std::move(e + places[i] + 1, e + end, e + places[i] - i);
  }
  std::copy(scratch, scratch + n_few, e + n - n_few);
}

// A stable division of one sorted column into any number of branches. A row may also go to
// none of them, or to several.
//
// "Differs" bits: the runs of equal values are counted; an entry differs from the one before
// it in its branch if they lie in different runs. O(1) per entry, whatever the number of
// branches.
struct Division {
  explicit Division(size_t n_branches) : next(n_branches, 0), run_of_last(n_branches, 0) {}

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
