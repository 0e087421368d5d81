#include "node_search.hpp"

#include <algorithm>
#include <array>

#include "absolute_search.hpp"
#include "gain_ratio.hpp"
#include "measure.hpp"

namespace treewright {

std::vector<size_t> random_order(uint64_t seed, size_t n_columns, uint64_t node_key) {
  std::vector<std::pair<uint64_t, size_t>> keyed;
  keyed.reserve(n_columns);
  for (size_t c = 0; c < n_columns; ++c) {
    keyed.emplace_back(mix(mix(seed ^ node_key) + c), c);
  }
  std::sort(keyed.begin(), keyed.end());
  std::vector<size_t> order;
  order.reserve(n_columns);
  for (const auto& [key, column] : keyed) {
    order.push_back(column);
  }
  return order;
}

void look_at_levels(const Levels& levels, bool has_missing, const StatLayout& layout,
                    const int64_t* node, bool by_category, Forbidden& forbidden) {
  const size_t n = levels.codes.size(), words = size_t(layout.words());
  if (n < 2) {
    return;
  }
  forbidden.rows_differ();
  for (size_t i = 0; i < n; ++i) {
    const bool outermost = i == 0 || i + 1 == n || (has_missing && i + 2 == n);
    if (by_category || outermost) {
      forbidden.look_at(levels.stats.data() + i * words);
    }
  }
  if (has_missing) {
    StatBlock others(words);
    layout.difference(others.data(), node, levels.stats.data() + (n - 1) * words);
    forbidden.look_at(others.data());
  }
}

std::optional<Candidate> multiway_split(Levels levels, const NodeCost& cost,
                                        const SplitLimits& limits, const int64_t* seen,
                                        size_t column) {
  const size_t n = levels.codes.size(), words = size_t(cost.layout().words());
  if (n < 2 || !limits.allows_each(levels.stats.data(), words, n)) {
    return std::nullopt;
  }
  Candidate split;
  split.kind = SplitKind::multiway;
  split.column = static_cast<int32_t>(column);
  split.n_branches = static_cast<int32_t>(n);
  split.gain = cost.gain_of_each(levels.stats.data(), n);
  split.tie_gain = cost.tie_gain_of_each(levels.stats.data(), n);
  split.missing_route = kStopHere;
  for (size_t b = 0; b < n; ++b) {
    if (levels.codes[b] == kMissing) {
      split.missing_route = static_cast<int32_t>(b);
    } else {
      split.categories.push_back(levels.codes[b]);
      split.branches.push_back(static_cast<int32_t>(b));
    }
  }
  split.left = std::move(levels.stats);
  split.weight_seen = seen[kWeight];
  return split;
}

namespace {

// Calls use(search) with a threshold search over the fastest sweep for this target and criterion.
template <class Rows, class Use>
auto with_threshold_search(const NodeView<Rows>& view, const NodeCost& cost, const int64_t* stats,
                           const SplitLimits& limits, const CoarseImage& coarse, const Use& use) {
  const Problem& problem = view.problem;
  const Rows& rows = view.rows();
  [[maybe_unused]] const Criterion criterion = problem.options.criterion;
  const auto search = [&](const auto& make_sweep) {
    return use(ThresholdSearch(cost, rows, limits, stats, make_sweep, problem.control));
  };
  if constexpr (std::is_same_v<Rows, CountedRows>) {
    if (criterion == Criterion::gini && problem.layout.classes() == 2 &&
        stats[kRows] < simd::kMostRows) {
      return search([&](const int64_t* left) {
        return TwoClassGini(rows, stats, left, problem.reciprocals);
      });
    }
    if (criterion == Criterion::gini && stats[kRows] < simd::kMostRowsOfManyClasses) {
      return search([&](const int64_t* left) {
        return ManyClassGini(cost, rows, stats, left, problem.one_over);
      });
    }
    if (problem.two_class_n_log_n) {
      return search([&](const int64_t* left) {
        return TwoClassEntropy(rows, stats, left, *problem.two_class_n_log_n);
      });
    }
    if (problem.n_log_n) {
      return search([&](const int64_t* left) {
        return CountEntropy(cost, rows, stats, left, *problem.n_log_n);
      });
    }
    if (criterion == Criterion::misclassification && problem.layout.classes() == 2) {
      return search(
          [&](const int64_t* left) { return TwoClassMisclassification(rows, stats, left); });
    }
    if (criterion == Criterion::misclassification) {
      return search(
          [&](const int64_t* left) { return CountMisclassification(cost, rows, stats, left); });
    }
  }
  if constexpr (std::is_same_v<Rows, WeightedRows>) {
    if (criterion == Criterion::gini && problem.layout.classes() == 2) {
      return search(
          [&](const int64_t* left) { return TwoClassWeightedGini(cost, rows, stats, left); });
    }
    if (criterion == Criterion::gini) {
      return search([&](const int64_t* left) { return WeightedGini(cost, rows, stats, left); });
    }
  }
  if constexpr (std::is_same_v<Rows, NumberRows>) {
    if (coarse.shift >= 0) {
      return search([&](const int64_t*) {
        return CoarseSquaredError(coarse, view.coarse_image_of_rows(), stats, problem.reciprocals);
      });
    }
  }
  return search([&](const int64_t* left) { return ExactSweep<Rows>(cost, rows, stats, left); });
}

template <class Rows>
std::optional<Candidate> multiway(const NodeView<Rows>& view, const VisibleRows& visible,
                                  size_t column) {
  return multiway_split(levels_of(view, visible.range, column), visible.cost, view.problem.limits,
                        visible.stats, column);
}

// The best score of one column; kNone if no split is allowed.
template <class Rows>
double search_column(const NodeView<Rows>& view, const NodeCost& cost, size_t column,
                     double to_beat) {
  const Problem& problem = view.problem;
  return with_visible_rows(view, cost, column, [&](const VisibleRows& visible) {
    if (visible.range.n_rows == 0) {
      return kNone;
    }
    if (problem.opens_each(column)) {
      const auto split = multiway(view, visible, column);
      return split ? split->gain : kNone;
    }
    if constexpr (NodeView<Rows>::kNumber) {
      if (problem.absolute()) {
        return best_absolute(view, visible, column);
      }
    }
    if (problem.views[column].kind == Kind::categorical) {
      const Levels levels = levels_of(view, visible.range, column);
      const SumCost groups(visible.cost, levels);
      return CategorySearch(groups, problem.limits, visible.stats, &problem.control).best() -
             charge_for_levels(view, visible.cost, levels, column);
    }
    return with_threshold_search(
        view, visible.cost, visible.stats, problem.threshold_limits(visible.stats), visible.coarse,
        [&](const auto& search) { return search.best(visible.range, to_beat); });
  });
}

// Offers the splits of one column of at least this score, in the written order.
template <class Rows>
void offer_column(const NodeView<Rows>& view, const NodeCost& cost, size_t column, double at_least,
                  Chooser& chooser) {
  const Problem& problem = view.problem;
  with_visible_rows(view, cost, column, [&](const VisibleRows& visible) {
    if (problem.opens_each(column)) {
      auto split = multiway(view, visible, column);
      if (split && split->gain >= at_least && chooser.wants(split->gain, split->tie_gain)) {
        chooser.keep(std::move(*split));
      }
      return;
    }
    if constexpr (NodeView<Rows>::kNumber) {
      if (problem.absolute()) {
        return offer_absolute(view, visible, column, at_least, chooser);
      }
    }
    if (problem.views[column].kind == Kind::categorical) {
      // These gains are exact, so only the groupings that can win are built: building one of many
      // levels takes long.
      const double exact = view.node.best[column] - 2 * cost.tolerance();
      const Levels levels = levels_of(view, visible.range, column);
      const SumCost groups(visible.cost, levels);
      CategorySearch(groups, problem.limits, visible.stats, &problem.control)
          .offer(static_cast<int32_t>(column),
                 charge_for_levels(view, visible.cost, levels, column), std::max(at_least, exact),
                 chooser);
      return;
    }
    const auto make = [&](int64_t cut, bool missing_left, const int64_t* left,
                          const int64_t* right) {
      return make_threshold(view, visible.range, column, cut, missing_left, left, right);
    };
    with_threshold_search(
        view, visible.cost, visible.stats, problem.threshold_limits(visible.stats), visible.coarse,
        [&](const auto& search) { search.offer(visible.range, at_least, chooser, make); });
  });
}

// The largest error of the gain of a threshold. (A score below 0 belongs to a charged grouping,
// which is exact; no threshold is close to it.)
template <class Rows>
double margin_of(const NodeView<Rows>& view, const NodeCost& cost, double best) {
  return with_threshold_search(view, cost, view.stats(), view.problem.limits, view.node.coarse,
                               [&](const auto& search) { return search.margin(best); });
}

double best_score_of(const OpenNode& node) {
  return node.best.empty() ? kNone : *std::max_element(node.best.begin(), node.best.end());
}

// If none of the drawn columns offers a split, further ones are drawn until one does.
template <class Rows>
void search_more_columns(const NodeView<Rows>& view) {
  const NodeCost cost = view.cost();
  const auto order =
      random_order(view.problem.options.seed, view.problem.n_columns(), view.node.key);
  BestSoFar none;
  for (size_t i = size_t(view.problem.options.max_features); i < order.size(); ++i) {
    search_columns(view, cost, std::span(&order[i], 1), none);
    if (view.node.best[order[i]] != kNone) {
      return;
    }
  }
}

// If columns were searched with a rough image of the target: searches those that may be the best
// again, with a finer one.
template <class Rows>
void refine_search(const NodeView<Rows>& view, double best) {
  if constexpr (std::is_same_v<Rows, NumberRows>) {
    const NodeCost cost = view.cost();
    const double at_least = best - 2 * margin_of(view, cost, best);
    view.node.coarse = coarse_image(view, false);
    std::vector<size_t> columns;
    for (size_t c = 0; c < view.problem.n_columns(); ++c) {
      if (view.node.best[c] >= at_least) {
        columns.push_back(c);
      }
    }
    BestSoFar finer;
    search_columns(view, cost, columns, finer);
  }
}

// The written tie rule, over all columns.
template <class Rows>
Candidate choose_by_gain(const NodeView<Rows>& view, double best) {
  const NodeCost cost = view.cost();
  const double at_least = best - 2 * margin_of(view, cost, best);
  Chooser chooser(cost);
  for (size_t c = 0; c < view.problem.n_columns(); ++c) {
    if (view.node.best[c] >= at_least) {
      offer_column(view, cost, c, at_least, chooser);
    }
  }
  return chooser.winner();
}

// Where rows with missing values go if the search has not seen them.
void set_missing_route(const GrowOptions& options, Candidate& split) {
  if (options.missing == Missing::fractional) {
    split.missing_route = kAllBranches;
  } else if (options.missing == Missing::surrogate) {
    const bool equal = 2 * split.left[kWeight] == split.weight_seen;
    if (options.stop_without_surrogate || (options.stop_on_equal_sides && equal)) {
      split.missing_route = kStopHere;
    }
  }
}

// Why no split is allowed.
template <class Rows>
StopReason why_no_split(const NodeView<Rows>& view) {
  const Problem& problem = view.problem;
  Forbidden forbidden(problem.limits);
  for (size_t c = 0; c < problem.n_columns(); ++c) {
    ColumnRange range = view.column(c);
    if (problem.options.known_rows_only()) {
      range.n_rows = range.n_known;
    }
    const bool by_category = problem.views[c].kind == Kind::categorical || problem.opens_each(c);
    look_at_levels(levels_of(view, range, c), range.n_known < range.n_rows, problem.layout,
                   view.stats(), by_category, forbidden);
  }
  return forbidden.reason();
}

// Searches columns for thresholds with one search object, because making one takes as long as
// searching a small node. Columns of few rows are searched several at a time.
template <class Rows, class Search>
class ThresholdColumns {
 public:
  ThresholdColumns(const NodeView<Rows>& view, const Search& search, BestSoFar& best)
      : view_(view), search_(search), best_(best) {}

  void note(size_t column, double gain) {
    view_.node.best[column] = gain;
    best_.raise_to(gain);
  }
  void add(size_t column, const ColumnRange& range) {
    if (range.n_known < range.n_rows || range.n_rows >= simd::kManyRows) {
      return note(column, search_.best(range, best_.get()));
    }
    columns_[n_] = column;
    entries_[n_++] = range.entries;
    if (n_ == kTogether) {
      search_waiting();
    }
  }
  // Searches the columns that wait for others; to be called after the last `add`.
  void search_waiting() {
    const auto gains = search_.best_of_each(std::span(entries_).first(n_), view_.n_rows());
    for (size_t k = 0; k < n_; ++k) {
      note(columns_[k], gains[k]);
    }
    n_ = 0;
  }

 private:
  const NodeView<Rows>& view_;
  const Search& search_;
  BestSoFar& best_;
  std::array<size_t, kTogether> columns_;
  std::array<const Entry*, kTogether> entries_;
  size_t n_ = 0;
};

}  // namespace

template <class Rows>
void search_columns(const NodeView<Rows>& view, const NodeCost& cost,
                    std::span<const size_t> columns, BestSoFar& best) {
  const Problem& problem = view.problem;
  if (problem.options.gain_ratio) {
    for (const size_t c : columns) {
      view.node.offers[c] = best_split_of_column(view, cost, c);
      view.node.best[c] = view.node.offers[c].score();
    }
    return;
  }
  const SplitLimits limits = problem.threshold_limits(view.stats());
  with_threshold_search(
      view, cost, view.stats(), limits, view.node.coarse, [&](const auto& search) {
        ThresholdColumns thresholds(view, search, best);
        for (const size_t c : columns) {
          const ColumnRange range = view.column(c);
          const bool sees_all = range.n_known == range.n_rows || !problem.options.known_rows_only();
          if (problem.takes_threshold(c) && sees_all) {
            thresholds.add(c, range);
          } else {
            thresholds.note(c, search_column(view, cost, c, best.get()));
          }
        }
        thresholds.search_waiting();
      });
}

std::span<const size_t> columns_to_search(const Problem& problem, uint64_t node_key,
                                          std::vector<size_t>& drawn) {
  const size_t limit = size_t(problem.options.max_features);
  if (limit == 0 || limit >= problem.n_columns()) {
    return problem.all_columns;
  }
  drawn = random_order(problem.options.seed, problem.n_columns(), node_key);
  drawn.resize(limit);
  std::sort(drawn.begin(), drawn.end());
  return drawn;
}

template <class Rows>
Choice choose_split(const NodeView<Rows>& view) {
  const GrowOptions& options = view.problem.options;
  double best = best_score_of(view.node);
  if (best == kNone && options.max_features > 0) {
    search_more_columns(view);
    best = best_score_of(view.node);
  }
  if (best == kNone) {
    return {std::nullopt, why_no_split(view)};
  }
  std::optional<Candidate> winner;
  if (options.gain_ratio) {
    winner = choose_by_ratio(view);
  }
  // If thresholds are charged, a split without gain is refused.
  if (!winner && options.charge_cuts) {
    return {std::nullopt, StopReason::no_better_split};
  }
  if (!winner) {
    if (view.node.coarse.rough) {
      refine_search(view, best);
      best = best_score_of(view.node);
    }
    winner = choose_by_gain(view, best);
  }
  set_missing_route(options, *winner);
  return {std::move(winner), StopReason::none};
}

template <class Rows>
Candidate best_split_of_column(const NodeView<Rows>& view, const NodeCost& cost, size_t column) {
  const double best = search_column(view, cost, column, kNone);
  if (best == kNone) {
    return {};
  }
  Chooser chooser(cost);
  offer_column(view, cost, column, best - 2 * margin_of(view, cost, best), chooser);
  return chooser.winner();
}

template <class Rows>
std::vector<Candidate> best_splits_by_column(const NodeView<Rows>& view) {
  const NodeCost cost = view.cost();
  std::vector<Candidate> found;
  Chooser all(cost);
  for (size_t c = 0; c < view.problem.n_columns(); ++c) {
    Chooser chooser(cost);
    if (view.node.best[c] != kNone) {
      offer_column(view, cost, c, kNone, chooser);
    }
    if (!chooser.empty()) {
      found.push_back(chooser.winner());
      if (all.wants(found.back().score(), found.back().tie_gain)) {
        all.keep(found.back());
      }
    }
  }
  if (found.empty()) {
    return found;
  }
  const int32_t first = all.winner().column;
  std::stable_sort(found.begin(), found.end(), [&](const Candidate& a, const Candidate& b) {
    if ((a.column == first) != (b.column == first)) {
      return a.column == first;
    }
    return a.score() != b.score() ? a.score() > b.score() : a.tie_gain > b.tie_gain;
  });
  return found;
}

template <class Rows>
Levels levels_of(const NodeView<Rows>& view, const ColumnRange& range, size_t column) {
  Levels levels;
  const size_t words = size_t(view.problem.layout.words());
  const size_t a_few = size_t(std::min<int64_t>(range.n_rows, 16));
  levels.codes.reserve(a_few);
  levels.stats.reserve(a_few * words);
  levels.sizes.reserve(a_few);
  for (int64_t i = 0; i < range.n_rows; ++i) {
    const Entry e = range.entries[i];
    if (i == 0 || i == range.n_known || (i < range.n_known && (e & kDiffers))) {
      levels.codes.push_back(i < range.n_known ? view.code(column, e) : kMissing);
      levels.stats.resize(levels.stats.size() + words, 0);
      levels.sizes.push_back(0);
    }
    ++levels.sizes.back();
    view.rows().add(levels.stats.data() + levels.stats.size() - words, e);
  }
  return levels;
}

template <class Rows>
double charge_for_levels(const NodeView<Rows>& view, const NodeCost& cost, const Levels& levels,
                         size_t column) {
  if (!view.problem.has_many_levels[column]) {
    return 0.0;
  }
  return charge_of_levels(cost, levels, view.problem.copy_unit);
}

template <class Rows>
Candidate make_threshold(const NodeView<Rows>& view, const ColumnRange& range, size_t column,
                         int64_t cut, bool missing_left, const int64_t* left,
                         const int64_t* right) {
  Candidate candidate;
  candidate.column = static_cast<int32_t>(column);
  if (cut == 0) {
    candidate.kind = SplitKind::is_missing;
    candidate.missing_route = 0;
    return candidate;
  }
  candidate.kind = SplitKind::threshold;
  candidate.threshold =
      midpoint(view.value(column, range.entries[cut - 1]), view.value(column, range.entries[cut]),
               view.problem.options.round_midpoint, view.problem.options.step(column));
  candidate.missing_route = missing_branch(range.n_known < range.n_rows, missing_left, left, right);
  return candidate;
}

#define X(Rows)                                                                                 \
  template void search_columns(const NodeView<Rows>&, const NodeCost&, std::span<const size_t>, \
                               BestSoFar&);                                                     \
  template Choice choose_split(const NodeView<Rows>&);                                          \
  template std::vector<Candidate> best_splits_by_column(const NodeView<Rows>&);                 \
  template Candidate best_split_of_column(const NodeView<Rows>&, const NodeCost&, size_t);      \
  template Levels levels_of(const NodeView<Rows>&, const ColumnRange&, size_t);                 \
  template double charge_for_levels(const NodeView<Rows>&, const NodeCost&, const Levels&,      \
                                    size_t);                                                    \
  template Candidate make_threshold(const NodeView<Rows>&, const ColumnRange&, size_t, int64_t, \
                                    bool, const int64_t*, const int64_t*);
TREEWRIGHT_FOR_ALL_ROWS(X)
#undef X

}  // namespace treewright
