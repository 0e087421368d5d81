// Stable partitions of sorted columns, eight entries at a time.
#include <array>
#include <bit>

#include "simd_lanes.hpp"
#include "treewright/simd.hpp"

namespace treewright::simd {

#ifdef TREEWRIGHT_AVX2
namespace {

// For every set of eight lanes, a byte per lane.
using LaneTable = std::array<std::array<uint8_t, 8>, 256>;

// The numbers of the lanes in the set, ascending. The bytes after them are never read.
constexpr LaneTable kLanesOf = [] {
  LaneTable table{};
  for (unsigned set = 0; set < 256; ++set) {
    unsigned n = 0;
    for (unsigned lane = 0; lane < 8; ++lane) {
      if (set >> lane & 1) {
        table[set][n++] = static_cast<uint8_t>(lane);
      }
    }
  }
  return table;
}();

TREEWRIGHT_TARGET inline __m256i lanes(const LaneTable& table, unsigned set) {
  return _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(table[set].data())));
}
// The set of lanes whose bit number `bit` is set.
template <int bit>
TREEWRIGHT_TARGET inline unsigned lanes_with(__m256i x) {
  return static_cast<unsigned>(
      _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_slli_epi32(x, 31 - bit))));
}

// One bit per row number says where the row goes. find() returns the 32 bits around the bit of each
// of eight rows.
struct BitsInMemory {
  const int32_t* words;
  int shift;

  BitsInMemory(const uint64_t* bits, int shift)
      : words(reinterpret_cast<const int32_t*>(bits)), shift(shift + 5) {}
  TREEWRIGHT_TARGET __m256i find(const Entry* entries, __m256i) const {
    return look_up(words, entries, shift);
  }
};
// The same for at most kRowsInRegisters rows, whose bits fit into two registers: no memory access.
struct BitsInRegisters {
  __m256i low, high;

  TREEWRIGHT_TARGET BitsInRegisters(const uint64_t* bits, int)
      : low(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(bits))),
        high(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(bits) + 1)) {}
  TREEWRIGHT_TARGET __m256i find(const Entry*, __m256i rows) const {
    const __m256i word = _mm256_srli_epi32(rows, 5);
    const __m256 in_low = _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(low, word));
    const __m256 in_high = _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(high, word));
    const __m256 is_high = _mm256_castsi256_ps(_mm256_slli_epi32(word, 28));
    return _mm256_castps_si256(_mm256_blendv_ps(in_low, in_high, is_high));
  }
};

// Passes the "differs" bits of dropped lanes on to the next kept lane. One addition does this: a
// carry that starts anywhere in a run of dropped lanes arrives at the kept lane after the run, or
// at bit 8, which is kept in `pending` for the next block.
inline unsigned carry(unsigned differs, unsigned dropped, Entry& pending) {
  const unsigned sum = (differs & dropped) + dropped + pending;
  pending = sum >> 8;
  return (differs | sum) & ~dropped;
}

// Moves the rows that stay to the front of the entries and the other rows to scratch.
template <class Bits>
TREEWRIGHT_TARGET inline void divide_column(Entry* entries, int64_t end, int shift,
                                            const Bits& bits, Entry* scratch,
                                            PartitionState& state) {
  const __m128i shift_by = _mm_cvtsi32_si128(shift);
  const __m256i lane_bits = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
  const __m256i low_five = _mm256_set1_epi32(31), one = _mm256_set1_epi32(1);
  Entry* to_front = entries + state.front;
  Entry* to_behind = scratch + (state.i - state.front);
  Entry pending_front = state.pending_front, pending_behind = state.pending_behind;
  // Divides the `taken` lanes of a block, which are its last lanes. Writes the rows that go behind
  // to scratch, followed by up to seven unused entries, and returns the rows that stay in front.
  struct Front {
    __m256i entries;
    int n;
  };
  const auto divide = [&](const Entry* block, unsigned taken) TREEWRIGHT_TARGET {
    __m256i e = load(block);
    const __m256i rows = _mm256_srl_epi32(e, shift_by);
    const __m256i bit = _mm256_srlv_epi32(bits.find(block, rows), _mm256_and_si256(rows, low_five));
    const unsigned behind = lanes_with<0>(bit) & taken;
    const unsigned front = behind ^ taken;
    const unsigned differs = lanes_with<0>(e) & taken;
    if (differs ==
        taken) {  // the usual case for floats: no bit has to be passed on within the block
      pending_front = behind >> 7;
      pending_behind = front >> 7;
    } else {
      const unsigned now =
          carry(differs, front ^ 255, pending_front) | carry(differs, behind ^ 255, pending_behind);
      const __m256i set = _mm256_and_si256(_mm256_set1_epi32(static_cast<int>(now)), lane_bits);
      e = _mm256_or_si256(e, _mm256_and_si256(_mm256_cmpeq_epi32(set, lane_bits), one));
    }
    store(to_behind, _mm256_permutevar8x32_epi32(e, lanes(kLanesOf, behind)));
    to_behind += std::popcount(behind);
    return Front{_mm256_permutevar8x32_epi32(e, lanes(kLanesOf, front)), std::popcount(front)};
  };
  const Entry *block = entries + state.i, *const stop = entries + end;
  // A copy of the last block: the loop may overwrite those entries before they are divided.
  alignas(__m256i) Entry last[kBlock];
  store(last, load(stop - kBlock));
  for (; block + kBlock <= stop; block += kBlock) {
    const Front front = divide(block, 255);
    store(to_front, front.entries);
    to_front += front.n;
  }
  if (block < stop) {
    const Front front = divide(last, (255u << (block + kBlock - stop)) & 255u);
    if (to_front + kBlock <= stop) {
      store(to_front, front.entries);
    } else {
      store_first(to_front, front.n, front.entries);
    }
    to_front += front.n;
  }
  state = {end, to_front - entries, pending_front, pending_behind};
}

template <class Bits>
TREEWRIGHT_TARGET void partition_avx2(Entry* entries, int64_t end, int shift, const uint64_t* sides,
                                      Entry* scratch, PartitionState& state) {
  divide_column(entries, end, shift, Bits(sides, shift), scratch, state);
}

TREEWRIGHT_TARGET inline void copy(const Entry* from, int64_t n, Entry* to) {
  for (int64_t i = 0; i + kBlock <= n; i += kBlock) {
    store(to + i, load(from + i));
  }
  if (n >= kBlock) {
    store(to + n - kBlock, load(from + n - kBlock));  // overlaps the block before
  } else {
    store_first(to, static_cast<int>(n), load(from));
  }
}

template <class Bits>
TREEWRIGHT_TARGET void partition_each_avx2(std::span<Entry* const> columns, int64_t n, int shift,
                                           const uint64_t* sides, Entry* scratch) {
  const Bits bits(sides, shift);
  for (Entry* entries : columns) {
    PartitionState s;
    divide_column(entries, n, shift, bits, scratch, s);
    copy(scratch, n - s.front, entries + s.front);
  }
}

}  // namespace

void partition(Entry* entries, int64_t end, int shift, std::span<const uint64_t> sides,
               Entry* scratch, PartitionState& state) {
  if (end - state.i >= kBlock && has_avx2()) {
    const auto kernel = 64 * sides.size() <= kRowsInRegisters ? partition_avx2<BitsInRegisters>
                                                              : partition_avx2<BitsInMemory>;
    kernel(entries, end, shift, sides.data(), scratch, state);
  }
}

bool partition_each(std::span<Entry* const> columns, int64_t n, int shift,
                    std::span<const uint64_t> sides, Entry* scratch) {
  const bool can = n >= kBlock && has_avx2();
  if (can) {
    const auto kernel = 64 * sides.size() <= kRowsInRegisters ? partition_each_avx2<BitsInRegisters>
                                                              : partition_each_avx2<BitsInMemory>;
    kernel(columns, n, shift, sides.data(), scratch);
  }
  return can;
}

#else

void partition(Entry*, int64_t, int, std::span<const uint64_t>, Entry*, PartitionState&) {}
bool partition_each(std::span<Entry* const>, int64_t, int, std::span<const uint64_t>, Entry*) {
  return false;
}

#endif
}  // namespace treewright::simd
