// Sorting and the team of threads.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "check.hpp"
#include "treewright/parallel.hpp"
#include "treewright/sorted_table.hpp"

namespace treewright::testing {
namespace {

// The same by std::stable_sort: rows by value, missing rows last, ties in row order.
Entries sorted_slowly(const ColumnView& view, int64_t n_rows) {
  std::vector<uint32_t> rows(static_cast<size_t>(n_rows));
  std::iota(rows.begin(), rows.end(), 0u);
  const auto is_missing = [&](uint32_t row) { return std::isnan(view.value(row)); };
  std::stable_sort(rows.begin(), rows.end(), [&](uint32_t a, uint32_t b) {
    if (is_missing(a) || is_missing(b)) {
      return !is_missing(a) && is_missing(b);
    }
    return view.value(a) < view.value(b);
  });
  Entries entries;
  for (size_t i = 0; i < rows.size(); ++i) {
    const bool same =
        i > 0 && (is_missing(rows[i]) ? is_missing(rows[i - 1])
                                      : view.value(rows[i]) == view.value(rows[i - 1]));
    entries.push_back(rows[i] << 1 | (same ? 0 : kDiffers));
  }
  return entries;
}

}  // namespace

void check_team(Tally& tally, Random& random) {
  const Control control;
  Team team(static_cast<int>(random.whole(1, 4)), control);
  const auto count = static_cast<size_t>(random.whole(0, 200));
  std::vector<int> visits(count, 0);
  for (int turn = 0; turn < 3; ++turn) {
    team.run(count, [&](size_t i, int) { ++visits[i]; });
  }
  tally.expect(std::all_of(visits.begin(), visits.end(), [](int v) { return v == 3; }),
               "every task runs once");
  bool thrown = false;
  try {
    team.run(50, [](size_t i, int) {
      if (i == 20) {
        throw std::runtime_error("task 20");
      }
    });
  } catch (const std::runtime_error&) {
    thrown = true;
  }
  tally.expect(thrown, "a task's exception reaches the caller");
  std::atomic<int> after{0};
  team.run(10, [&](size_t, int) { ++after; });
  tally.expect(after == 10, "the team works on after an exception");
}

void check_sorting(Tally& tally, Random& random) {
  const int64_t n_rows = random.share() < 0.9 ? random.whole(0, 300) : random.whole(0, 20000);
  const RandomTable table(random, n_rows, static_cast<size_t>(random.whole(1, 9)));
  const Control control;
  for (const int n_threads : {1, 3}) {
    const SortedTable sorted = sort_table(table.views, n_rows, n_threads, control);
    for (size_t c = 0; c < table.views.size(); ++c) {
      tally.expect(sorted.columns[c].entries == sorted_slowly(table.views[c], n_rows),
                   "column " + std::to_string(c) + " is sorted, ties in row order");
      const Summary summary = sorted.summary(c);
      tally.expect(summary.n_missing + sorted.columns[c].n_known == n_rows,
                   "known and missing rows add up");
    }
  }
  Control stopped;
  stopped.stop = true;
  bool interrupted = false;
  try {
    sort_table(table.views, n_rows, 2, stopped);
  } catch (const Interrupted&) {
    interrupted = true;
  }
  tally.expect(interrupted, "sorting stops when asked");
}

}  // namespace treewright::testing
