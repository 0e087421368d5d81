// Dividing sorted columns among children, against the definition.
#include <algorithm>
#include <numeric>

#include "check.hpp"
#include "division.hpp"
#include "random_node.hpp"
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

// Rows that go to one of several branches, to none, or to all of them.
void check_multiway(Tally& tally, Random& random, const Entries& before, int shift, uint32_t end) {
  const size_t n_branches = size_t(random.whole(2, 5));
  std::vector<int64_t> branch(end);
  for (int64_t& b : branch) {
    b = random.whole(-1, int64_t(n_branches));  // -1: none, n: all
  }
  const auto goes_to = [&](Entry e, size_t b) {
    const int64_t there = branch[e >> shift];
    return there == int64_t(b) || there == int64_t(n_branches);
  };
  MultiwayPartition partition(n_branches);
  for (size_t b = 1; b < n_branches; ++b) {
    partition.next[b] =
        partition.next[b - 1] +
        std::count_if(before.begin(), before.end(), [&](Entry e) { return goes_to(e, b - 1); });
  }
  const std::vector<int64_t> first = partition.next;
  Entries out(before.size() * n_branches);
  partition.send(
      before.data(), std::ssize(before), shift,
      [&](uint32_t row, const auto& keep) {
        for (size_t b = 0; b < n_branches; ++b) {
          if (goes_to(row << shift, b)) {
            keep(b, row);
          }
        }
      },
      out.data());
  for (size_t b = 0; b < n_branches; ++b) {
    Entries expected;
    Entry pending = 0;
    for (const Entry e : before) {
      pending |= e & kDiffers;
      if (goes_to(e, b)) {
        expected.push_back((e & ~kDiffers) | pending);
        pending = 0;
      }
    }
    const Entries found(out.begin() + first[b], out.begin() + partition.next[b]);
    tally.expect(found.size() == expected.size() && same_parts(found, expected, 0),
                 "a branch gets its rows in order");
  }
}

// A node of weighted classes, divided by a random split as the definition says.
void check_node_division(Tally& tally, Random& random) {
  const int64_t n = random.whole(2, 60);
  const RandomTable table(random, n, size_t(random.whole(1, 4)));
  RandomNode<WeightedRows> node(random, table, n);
  Candidate split;
  if (!node.draw_split(random, split)) {
    return;
  }
  node.numbering.scratch.resize(1);
  NodeDivision<WeightedRows> division(node.view(), split, nullptr);
  const Branches& branches = division.branches();
  std::vector<OpenNode> children(branches.n);
  std::vector<OpenNode*> places;
  for (OpenNode& child : children) {
    places.push_back(&child);
  }
  division.place(places);
  const std::vector<Entries> before = node.entries;
  for (size_t c = 0; c < table.views.size(); ++c) {
    std::vector<int64_t> known(branches.n);
    division.divide_column(c, node.view().known(c), 0, known.data());
    for (size_t b = 0; b < branches.n; ++b) {
      std::vector<int64_t> expected;
      for (const Entry e : before[c]) {
        if (node.slow_branch(split, e >> 1) == int32_t(b)) {
          expected.push_back(e >> 1);
        }
      }
      std::vector<int64_t> found;
      for (uint32_t i = children[b].begin; i < children[b].end; ++i) {
        found.push_back(node.entries[c][i] >> 1);
      }
      tally.expect(found == expected, "a child's column holds its rows in order");
      tally.expect(
          branches.stats[b * size_t(node.problem->layout.words()) + kRows] == std::ssize(expected),
          "a branch counts its rows");
    }
  }
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
  const Parts parts = partition(entries.data(), n_known, n, shift, sides, scratch.data());
  tally.expect(same_parts(entries, expected, middle), "a partition keeps the order");
  tally.expect(parts.behind_known == known_behind && parts.front_known == n_known - known_behind,
               "a partition counts the known rows");

  // Several columns at once.
  entries = before;
  Entry* const columns[] = {entries.data()};
  partition_each(columns, n, shift, sides, scratch.data());
  tally.expect(same_parts(entries, expected, middle), "columns divided together keep the order");
  check_multiway(tally, random, before, shift, end);
  check_node_division(tally, random);
}

}  // namespace treewright::testing
