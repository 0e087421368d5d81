// Sweeps in vector instructions against the same sweeps row by row, on columns long enough for
// every kernel: with stretches, long stretches, and numbers of rows that are no multiple of a
// block.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "check.hpp"
#include "treewright/sweep.hpp"

namespace treewright::testing {
namespace {

constexpr double kNothing = -std::numeric_limits<double>::infinity();

// Known rows, then missing ones. Each has a payload below 2^bits, which drifts along the column so
// that some cuts gain much more than others.
struct RandomColumn {
  RandomColumn(Random& random, int64_t n_rows, int64_t n_payloads)
      : shift(1 + static_cast<int>(std::bit_width(uint64_t(n_payloads - 1)))),
        entries(size_t(n_rows)),
        n_known(random.share() < 0.5 ? n_rows : random.whole(1, n_rows)) {
    const double ties = random.share(), drift = random.share() * random.share();
    for (int64_t i = 0; i < n_rows; ++i) {
      const int64_t typical = n_payloads * i / n_rows;
      const int64_t payload = random.share() < drift ? typical : random.whole(0, n_payloads - 1);
      entries[size_t(i)] = static_cast<Entry>(i) << shift | static_cast<Entry>(payload) << 1 |
                           (random.share() < ties ? 0 : kDiffers);
    }
  }

  int shift;
  std::vector<Entry> entries;
  int64_t n_known;
};

// The cuts before entries first to end - 1.
struct CutRange {
  CutRange(Random& random, int64_t n_known)
      : first(random.whole(1, std::min<int64_t>(n_known, 20))),
        end(random.whole(n_known - n_known / 4, n_known)) {}
  int64_t first, end;
};

// Moves the sweep to `end`, row by row; returns the best score.
template <class Sweep>
double best_row_by_row(Sweep& sweep, const RandomColumn& column, int64_t from, const CutRange& cuts,
                       double best) {
  for (int64_t i = from; i < cuts.end; ++i) {
    if (i >= cuts.first && (column.entries[size_t(i)] & kDiffers)) {
      best = std::max(best, sweep.score());
    }
    sweep.add(column.entries[size_t(i)]);
  }
  return best;
}

// Both sweeps give the same scores for all rows from `end` on, so their states are the same.
template <class Sweep>
bool go_on_alike(Sweep a, Sweep b, const RandomColumn& column, const CutRange& cuts) {
  for (int64_t i = std::max(cuts.end, cuts.first); i < column.n_known; ++i) {
    if (a.score() != b.score()) {
      return false;
    }
    a.add(column.entries[size_t(i)]);
    b.add(column.entries[size_t(i)]);
  }
  return true;
}

template <class Sweep>
void compare(Tally& tally, Random& random, const Sweep& start, const RandomColumn& column,
             const std::string& name) {
  const CutRange cuts(random, column.n_known);
  if (cuts.first >= cuts.end) {
    return;
  }
  Sweep slow = start;
  const double expected = best_row_by_row(slow, column, 0, cuts, kNothing);
  // A score to beat that is lower than the best changes nothing, but lets more cuts be skipped.
  const double nearly = expected - 1e-3 * std::abs(expected);
  for (const double to_beat : {kNothing, nearly}) {
    Sweep fast = start;
    double best = to_beat;
    const int64_t i = fast.look_ahead(column.entries.data(), 0, cuts.first, cuts.end, best);
    best = best_row_by_row(fast, column, i, cuts, best);
    // Some sweeps keep the best in a float, and one multiplies where the other divides.
    tally.expect(expected == best || std::abs(best - expected) <= 0x1p-23 * std::abs(expected),
                 name + ": the best score is that of the sweep row by row");
    tally.expect(go_on_alike(fast, slow, column, cuts),
                 name + ": the sweep stands where the sweep row by row does");
  }
}

int64_t draw_rows(Random& random) {
  const double share = random.share();
  if (share < 0.5) {
    return random.whole(2, 2 * simd::kManyRows);
  }
  return share < 0.99 ? random.whole(simd::kManyRows, 2 * simd::kVeryManyRows)
                      : random.whole(simd::kSumsOfRows, simd::kSumsOfRows + 2000);
}

// The statistics of the node, and of its missing rows if they are on the left.
struct ClassTotals {
  ClassTotals(Random& random, const RandomColumn& column, const CountedRows& rows, int n_classes)
      : layout(Task::classes, n_classes), node(size_t(layout.words())), left(node.size()) {
    const bool missing_left = random.share() < 0.5;
    for (size_t i = 0; i < column.entries.size(); ++i) {
      rows.add(node.data(), column.entries[i]);
      if (missing_left && std::ssize(column.entries) > column.n_known &&
          static_cast<int64_t>(i) >= column.n_known) {
        rows.add(left.data(), column.entries[i]);
      }
    }
  }

  StatLayout layout;
  std::vector<int64_t> node, left;
};

void check_classes(Tally& tally, Random& random, int64_t n, int n_classes) {
  const RandomColumn column(random, n, n_classes);
  const CountedRows rows{column.shift, (Entry(1) << (column.shift - 1)) - 1};
  const ClassTotals totals(random, column, rows, n_classes);
  const int64_t* node = totals.node.data();
  const int64_t* left = totals.left.data();
  if (n_classes == 2) {
    // Without a table that is long enough, the kernel divides.
    const simd::Reciprocals over(random.share() < 0.5 ? n : n - 1);
    const simd::NLogN n_log_n(n);
    compare(tally, random, TwoClassGini(rows, node, left, over), column, "two classes, Gini");
    compare(tally, random, TwoClassEntropy(rows, node, left, n_log_n), column,
            "two classes, entropy");
  }
  const NodeCost cost(Criterion::gini, totals.layout, node, 0.0);
  const OneOver one_over(std::min(n, simd::kRowsOfTable));
  compare(tally, random, ManyClassGini(cost, rows, node, left, one_over), column,
          "many classes, Gini");
}

void check_numbers(Tally& tally, Random& random, int64_t n) {
  // As many bits as leave sums below 2^30.
  const int bits = std::min(kMostImageBits, 29 - static_cast<int>(std::bit_width(uint64_t(n))));
  const RandomColumn column(random, n, int64_t(1) << bits);
  const simd::Image in_entry{nullptr, column.shift};
  std::vector<int32_t> by_row;
  CoarseImage coarse;
  coarse.shift = 0;
  int64_t sum = 0;
  for (const Entry e : column.entries) {
    by_row.push_back(in_entry(e));  // rows are numbered in the order of the column
    sum += in_entry(e);
  }
  coarse.set_sum(sum, n);
  const int64_t node[] = {n};
  const simd::Reciprocals over(random.share() < 0.5 ? n : n - 1);
  compare(tally, random, CoarseSquaredError(coarse, in_entry, node, over), column,
          "squared error, image in the entries");
  const simd::Image in_table{by_row.data(), column.shift};
  compare(tally, random, CoarseSquaredError(coarse, in_table, node, over), column,
          "squared error, image by row");
}

}  // namespace

void check_sweeps(Tally& tally, Random& random) {
  const int64_t n = draw_rows(random);
  check_classes(tally, random, n, 2);
  // Up to 30 classes are counted in words of ten; more have no kernel of their own.
  check_classes(tally, random, n, static_cast<int>(random.whole(3, 33)));
  check_numbers(tally, random, n);
}

}  // namespace treewright::testing
