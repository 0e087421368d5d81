// Stable partitions of sorted columns, eight entries at a time.
#include <array>
#include <bit>

#include "simd_lanes.hpp"
#include "treewright/simd.hpp"

namespace treewright::simd {

#ifdef TREEWRIGHT_LANES
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

// The entries of the lanes in the set, one after the other.
TREEWRIGHT_TARGET inline Words packed(Words entries, unsigned set) {
  return permuted(entries, widened(kLanesOf[set].data()));
}
// The set of lanes whose lowest bit is set.
TREEWRIGHT_TARGET inline unsigned lanes_with_bit(Words x) { return signs(x << 31); }

// One bit per row number says where the row goes. find() returns the 32 bits around the bit of each
// of eight rows.
struct BitsInMemory {
  const int32_t* words;
  int shift;

  BitsInMemory(const uint32_t* bits, int shift)
      : words(reinterpret_cast<const int32_t*>(bits)), shift(shift + 5) {}
  TREEWRIGHT_TARGET Words find(const Entry* entries, Words) const {
    return as<Words>(look_up(words, entries, shift));
  }
};
// The same for at most kRowsInRegisters rows, whose bits fit into two registers: no memory access.
struct BitsInRegisters {
  Words low, high;

  TREEWRIGHT_TARGET BitsInRegisters(const uint32_t* bits, int)
      : low(load(bits)), high(load(bits + kBlock)) {}
  TREEWRIGHT_TARGET Words find(const Entry*, Words rows) const {
    const Words word = rows >> 5;
    return select_by_sign(word << 28, permuted(high, as<Ints>(word)),
                          permuted(low, as<Ints>(word)));
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
  const Ints lane_bits = all(1) << lane_numbers();
  const Words low_five = as<Words>(all(31)), one = as<Words>(all(1));
  Entry* to_front = entries + state.front;
  Entry* to_behind = scratch + (state.i - state.front);
  Entry pending_front = state.pending_front, pending_behind = state.pending_behind;
  // Divides the `taken` lanes of a block, which are its last lanes. Writes the rows that go behind
  // to scratch, followed by up to seven unused entries, and returns the rows that stay in front.
  struct Front {
    Words entries;
    int n;
  };
  const auto divide = [&](const Entry* block, unsigned taken) TREEWRIGHT_TARGET {
    Words e = load(block);
    const Words rows = e >> shift;
    const Words bit = bits.find(block, rows) >> (rows & low_five);
    const unsigned behind = lanes_with_bit(bit) & taken;
    const unsigned front = behind ^ taken;
    const unsigned differs = lanes_with_bit(e) & taken;
    if (differs == taken) {
      // The usual case for floats: no bit has to be passed on within the block.
      pending_front = behind >> 7;
      pending_behind = front >> 7;
    } else {
      const unsigned now =
          carry(differs, front ^ 255, pending_front) | carry(differs, behind ^ 255, pending_behind);
      const Ints set = all(static_cast<int>(now)) & lane_bits;
      e = e | (as<Words>(set == lane_bits) & one);
    }
    store(to_behind, packed(e, behind));
    to_behind += std::popcount(behind);
    return Front{packed(e, front), std::popcount(front)};
  };
  const Entry *block = entries + state.i, *const stop = entries + end;
  // A copy of the last block: the loop may overwrite those entries before they are divided.
  Entry last[kBlock];
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
      store_lanes(to_front, first_lanes(front.n), front.entries);
    }
    to_front += front.n;
  }
  state = {end, to_front - entries, pending_front, pending_behind};
}

template <class Bits>
TREEWRIGHT_TARGET void partition_in_lanes(Entry* entries, int64_t end, int shift,
                                          const uint32_t* sides, Entry* scratch,
                                          PartitionState& state) {
  divide_column(entries, end, shift, Bits(sides, shift), scratch, state);
}

TREEWRIGHT_TARGET inline void copy(const Entry* from, int64_t n, Entry* to) {
  for (int64_t i = 0; i + kBlock <= n; i += kBlock) {
    store(to + i, load(from + i));
  }
  if (n >= kBlock) {
    store(to + n - kBlock, load(from + n - kBlock));  // overlaps the block before
  } else {
    store_lanes(to, first_lanes(static_cast<int>(n)), load(from));
  }
}

template <class Bits>
TREEWRIGHT_TARGET void partition_each_in_lanes(std::span<Entry* const> columns, int64_t n,
                                               int shift, const uint32_t* sides, Entry* scratch) {
  const Bits bits(sides, shift);
  for (Entry* entries : columns) {
    PartitionState s;
    divide_column(entries, n, shift, bits, scratch, s);
    copy(scratch, n - s.front, entries + s.front);
  }
}

}  // namespace

void partition(Entry* entries, int64_t end, int shift, std::span<const uint32_t> sides,
               Entry* scratch, PartitionState& state) {
  if (end - state.i >= kBlock && has_lanes()) {
    const auto kernel = 32 * sides.size() <= kRowsInRegisters ? partition_in_lanes<BitsInRegisters>
                                                              : partition_in_lanes<BitsInMemory>;
    kernel(entries, end, shift, sides.data(), scratch, state);
  }
}

bool partition_each(std::span<Entry* const> columns, int64_t n, int shift,
                    std::span<const uint32_t> sides, Entry* scratch) {
  const bool can = n >= kBlock && has_lanes();
  if (can) {
    const auto kernel = 32 * sides.size() <= kRowsInRegisters
                            ? partition_each_in_lanes<BitsInRegisters>
                            : partition_each_in_lanes<BitsInMemory>;
    kernel(columns, n, shift, sides.data(), scratch);
  }
  return can;
}

#else

void partition(Entry*, int64_t, int, std::span<const uint32_t>, Entry*, PartitionState&) {}
bool partition_each(std::span<Entry* const>, int64_t, int, std::span<const uint32_t>, Entry*) {
  return false;
}

#endif
}  // namespace treewright::simd
