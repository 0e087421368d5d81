#include "gain_ratio.hpp"

#include <algorithm>
#include <cmath>

#include "node_search.hpp"

namespace treewright {
namespace {

// The number of cuts of a column; with count_allowed_cuts, of those that the limits allow on either
// side of the missing rows.
template <class Rows>
int64_t count_cuts(const NodeView<Rows>& view, const VisibleRows& visible) {
  const ColumnRange& range = visible.range;
  const auto is_cut = [&](int64_t i) { return i > 0 && (range.entries[i] & kDiffers); };
  int64_t cuts = 0;
  if (!view.problem.options.count_allowed_cuts) {
    for (int64_t i = 0; i < range.n_known; ++i) {
      cuts += is_cut(i);
    }
    return cuts;
  }
  const StatLayout& layout = view.problem.layout;
  const size_t words = size_t(layout.words());
  const SplitLimits limits = view.problem.threshold_limits(visible.stats);
  StatBlock left(words), right(words), missing(words);
  for (int64_t i = range.n_known; i < range.n_rows; ++i) {
    view.rows().add(missing.data(), range.entries[i]);
  }
  const auto is_allowed = [&] {
    layout.difference(right.data(), visible.stats, left.data());
    if (limits.allows(left.data(), right.data())) {
      return true;
    }
    layout.subtract(right.data(), missing.data());
    layout.add(left.data(), missing.data());
    const bool allowed = limits.allows(left.data(), right.data());
    layout.subtract(left.data(), missing.data());
    return allowed;
  };
  for (int64_t i = 0; i < range.n_known; ++i) {
    cuts += is_cut(i) && is_allowed();
    view.rows().add(left.data(), range.entries[i]);
  }
  return cuts;
}

// What the gain of a threshold pays for the number of cuts it was chosen from:
// log2(cuts) / weight of the node.
template <class Rows>
double charge_for_cuts(const NodeView<Rows>& view, size_t column) {
  const Problem& problem = view.problem;
  if (!problem.options.charge_cuts || problem.views[column].kind == Kind::categorical ||
      problem.opens_each(column)) {
    return 0.0;
  }
  const double weight = real(view.stats()[kWeight]) * problem.weights.unit;
  return with_visible_rows(view, view.cost(), column, [&](const VisibleRows& visible) {
    return std::log2(std::max(1.0, real(count_cuts(view, visible)))) / weight;
  });
}

// -sum f log2 f over the branches, and over the rows with missing values if the search has not seen
// them.
template <class Rows>
double split_information(const NodeView<Rows>& view, const Candidate& split) {
  const int64_t all = view.stats()[kWeight];
  const size_t words = size_t(view.problem.layout.words());
  double information = 0.0;
  int64_t rest = all;
  const auto add = [&](int64_t weight) {
    if (weight > 0) {
      information += real(weight) * std::log2(real(all) / real(weight));
      rest -= weight;
    }
  };
  if (split.kind == SplitKind::multiway) {
    for (size_t b = 0; b < size_t(split.n_branches); ++b) {
      add(split.left[b * words + kWeight]);
    }
  } else {
    add(split.left[kWeight]);
    add(split.weight_seen - split.left[kWeight]);
  }
  add(rest);
  return information / real(all);
}

}  // namespace

template <class Rows>
std::optional<Candidate> choose_by_ratio(const NodeView<Rows>& view) {
  const GrowOptions& options = view.problem.options;
  const auto& offers = view.node.offers;
  const double tolerance = view.cost().tolerance();
  std::vector<double> gains(offers.size(), kNone);
  double sum = 0.0;
  int64_t n_averaged = 0;
  for (size_t c = 0; c < offers.size(); ++c) {
    if (offers[c].kind == SplitKind::leaf) {
      continue;
    }
    const double gain = offers[c].score() - charge_for_cuts(view, c);
    if (gain <= tolerance) {
      continue;
    }
    gains[c] = gain;
    if (options.not_averaged.empty() || !options.not_averaged[c]) {
      ++n_averaged;
      sum += gain;
    }
  }
  if (n_averaged == 0) {
    return std::nullopt;
  }
  const double at_least = sum / real(n_averaged) - std::max(tolerance, options.average_slack);
  std::vector<double> ratios(offers.size(), kNone);
  for (size_t c = 0; c < offers.size(); ++c) {
    if (gains[c] != kNone && gains[c] >= at_least) {
      ratios[c] = gains[c] / split_information(view, offers[c]);
    }
  }
  const double best = *std::max_element(ratios.begin(), ratios.end());
  const auto first = std::find_if(ratios.begin(), ratios.end(),
                                  [&](double ratio) { return ratio >= best * (1 - kTie); });
  return offers[size_t(first - ratios.begin())];
}

#define X(Rows) template std::optional<Candidate> choose_by_ratio(const NodeView<Rows>&);
TREEWRIGHT_FOR_ALL_ROWS(X)
#undef X

}  // namespace treewright
