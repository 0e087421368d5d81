// The ways to divide a sorted column between two children.
#include <algorithm>
#include <numeric>

#include "check.hpp"
#include "treewright/partition.hpp"
#include "treewright/sorted_table.hpp"

namespace treewright::testing {
namespace {

// A column of a node whose rows have the numbers begin, begin + 1, ..., with ties.
Entries random_column(Random& random, uint32_t begin, int64_t n, int shift) {
  std::vector<uint32_t> rows(static_cast<size_t>(n));
  std::iota(rows.begin(), rows.end(), begin);
  Entries entries(rows.size());
  const double ties = random.share();
  for (size_t i = 0; i < rows.size(); ++i) {
    std::swap(rows[i], rows[size_t(random.whole(int64_t(i), n - 1))]);
    const auto low = static_cast<Entry>(random.whole(0, (int64_t(1) << (shift - 1)) - 1)) << 1;
    entries[i] = rows[i] << shift | low | (random.share() < ties ? 0 : kDiffers);
  }
  return entries;
}

// By definition: an entry differs if any did since the one before it on its side.
Entries divided_slowly(const Entries& entries, int shift, const Sides& sides) {
  Entries divided;
  for (const uint32_t side : {0u, 1u}) {
    Entry pending = 0;
    for (const Entry e : entries) {
      pending |= e & kDiffers;
      if (sides.behind(e >> shift) == side) {
        divided.push_back((e & ~kDiffers) | pending);
        pending = 0;
      }
    }
  }
  return divided;
}

// The same entries; the first of either part may say anything about the one before it.
bool same_parts(Entries a, Entries b, size_t middle) {
  for (const size_t first : {size_t(0), middle}) {
    if (first < a.size()) {
      a[first] |= kDiffers;
      b[first] |= kDiffers;
    }
  }
  return a == b;
}

}  // namespace

void check_dividing(Tally& tally, Random& random) {
  const int64_t n = random.whole(1, random.share() < 0.5 ? 20 : 3000);
  const auto begin = static_cast<uint32_t>(random.whole(0, 200));
  const auto end = begin + static_cast<uint32_t>(n);
  const int shift = static_cast<int>(random.whole(1, 5));
  const Entries before = random_column(random, begin, n, shift);
  Sides sides(end);
  const double share = random.share() < 0.5 ? 0.01 : random.share();
  size_t n_behind = 0;
  for (uint32_t row = begin; row < end; ++row) {
    if (random.share() < share) {
      sides.set(row);
      ++n_behind;
    }
  }
  const size_t middle = size_t(n) - n_behind;
  const Entries expected = divided_slowly(before, shift, sides);
  const auto n_known = random.whole(0, n);
  const auto known_behind = std::count_if(before.begin(), before.begin() + n_known,
                                          [&](Entry e) { return sides.behind(e >> shift) != 0; });
  Entries scratch(size_t(n + simd::kBlock));
  Entries entries = before;
  Parts parts = partition(entries.data(), n_known, n, shift, sides, scratch.data());
  tally.expect(same_parts(entries, expected, middle), "a partition keeps the order");
  tally.expect(parts.behind_known == known_behind && parts.front_known == n_known - known_behind,
               "a partition counts the known rows");

  // New numbers: begin, begin + 1, ... for those that stay in front, then for the others.
  std::vector<uint32_t> old_number(end);
  std::iota(old_number.begin(), old_number.end(), 0u);
  partition_by_row(old_number.data(), begin, end, sides, scratch.data());
  Renumbering renumbering;
  renumbering.set(sides, begin, begin + static_cast<uint32_t>(middle), end);
  entries = before;
  parts = partition(entries.data(), n_known, n, shift, renumbering, scratch.data());
  bool in_place = true;
  for (size_t i = 0; i < entries.size(); ++i) {
    const uint32_t number = entries[i] >> shift;
    in_place =
        in_place && number >= begin && number < end && (number < begin + middle) == (i < middle);
    entries[i] = old_number[number] << shift | (entries[i] & ((Entry(1) << shift) - 1));
  }
  tally.expect(in_place, "the rows of each child have the numbers of its place");
  tally.expect(same_parts(entries, expected, middle), "new numbers change nothing else");
  tally.expect(parts.behind_known == known_behind, "known rows are counted with new numbers too");

  std::vector<uint32_t> places;
  for (size_t i = 0; i < before.size(); ++i) {
    if (sides.behind(before[i] >> shift)) {
      places.push_back(static_cast<uint32_t>(i));
    }
  }
  if (!places.empty()) {
    entries = before;
    move_few(entries, places, scratch.data());
    tally.expect(same_parts(entries, expected, middle), "the few are moved behind the others");
  }
}

}  // namespace treewright::testing
