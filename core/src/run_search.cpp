#include "treewright/run_search.hpp"

#include "treewright/threshold_search.hpp"

namespace treewright {
namespace {

// Calls visit(candidate without statistics, left) for each threshold of a numeric column, in
// the written order: ascending, missing left before right, "is missing" last.
template <class Visit>
void for_each_threshold(const Runs& runs, const Layout& layout, const int64_t* node,
                        const Visit& visit) {
  const size_t words = size_t(layout.words());
  const auto& codes = runs.levels.codes;
  const bool has_missing = !codes.empty() && codes.back() == kMissing;
  const size_t n_known = codes.size() - has_missing;
  const int64_t* missing = runs.levels.stats.data() + n_known * words;
  std::vector<int64_t> left(words, 0), with_missing(words);
  Candidate candidate;
  candidate.kind = SplitKind::threshold;
  for (size_t i = 0; i + 1 < n_known; ++i) {
    layout.add(left.data(), runs.levels.stats.data() + i * words);
    candidate.threshold =
        midpoint(runs.values[size_t(codes[i])], runs.values[size_t(codes[i + 1])]);
    if (has_missing) {
      layout.copy(with_missing.data(), left.data());
      layout.add(with_missing.data(), missing);
      candidate.missing_route = 0;
      visit(candidate, with_missing);
      candidate.missing_route = 1;
    } else {
      candidate.missing_route = 2 * left[kWeight] >= node[kWeight] ? 0 : 1;
    }
    visit(candidate, left);
  }
  if (has_missing && n_known > 0) {
    candidate.kind = SplitKind::is_missing;
    candidate.missing_route = 0;
    visit(candidate, std::vector<int64_t>(missing, missing + words));
  }
}

}  // namespace

Candidate best_of_runs(const std::vector<Runs>& columns, Criterion criterion, const Layout& layout,
                       const Rules& rules, const int64_t* node, double impurity) {
  const NodeCost cost(criterion, layout, node, impurity);
  Chooser chooser(cost);
  std::vector<int64_t> right(size_t(layout.words()));
  for (size_t c = 0; c < columns.size(); ++c) {
    const Runs& runs = columns[c];
    if (runs.values.empty()) {
      CategorySearch(cost, rules, node)
          .offer(runs.levels, static_cast<int32_t>(c), runs.charge, kNone, chooser);
      continue;
    }
    for_each_threshold(runs, layout, node, [&](Candidate candidate, const auto& left) {
      layout.difference(right.data(), node, left.data());
      if (!rules.allows(left.data(), right.data())) {
        return;
      }
      candidate.column = static_cast<int32_t>(c);
      candidate.gain = cost.gain(left.data(), right.data());
      candidate.tie_gain = cost.tie_gain(left.data(), right.data(), node);
      if (chooser.wants(candidate.gain, candidate.tie_gain)) {
        candidate.left = left;
        chooser.keep(std::move(candidate));
      }
    });
  }
  return chooser.empty() ? Candidate() : chooser.winner();
}

void add_histogram(const Part& part, int32_t n_codes, const Layout& layout, int64_t* stats) {
  const size_t words = size_t(layout.words());
  for (size_t row = 0; row < part.nodes.size(); ++row) {
    if (part.nodes[row] < 0) {
      continue;
    }
    const int32_t code = part.codes[row] < 0 ? n_codes : part.codes[row];
    int64_t* run = stats + (size_t(part.nodes[row]) * size_t(n_codes + 1) + size_t(code)) * words;
    const int64_t weight = part.weights == nullptr ? 1 : part.weights[row];
    run[kRows] += weight > 0;
    run[kWeight] += weight;
    if (layout.task() == Task::classes) {
      run[kFirst + part.labels[row]] += weight;
    } else {
      set_sum(run, get_sum(run) + int128(weight) * part.y[row]);
    }
  }
}

}  // namespace treewright
