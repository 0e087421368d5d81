// engine_search.hpp: the best split of an open node.
#pragma once

#include "engine.hpp"

namespace treewright {

// Picks the fast sweep for this target and criterion and hands a search over it to use().
template <class Rows>
template <class Use>
auto Engine<Rows>::with_threshold_search(const Space<Rows>& space, const NodeCost& cost,
                                         const int64_t* node, const Rules& rules,
                                         const Coarse& coarse, const Use& use) const {
  const auto search = [&](const auto& make_sweep) {
    return use(ThresholdSearch(cost, space.rows, rules, node, make_sweep, control_));
  };
  if constexpr (std::is_same_v<Rows, CountedRows>) {
    if (options_.criterion == Criterion::gini && layout_.classes() == 2 &&
        node[kRows] < simd::kMostRows) {
      return search(
          [&](const int64_t* left) { return TwoClassGini(space.rows, node, left, *reciprocals_); });
    }
    if (options_.criterion == Criterion::gini && node[kRows] < simd::kMostRowsOfManyClasses) {
      return search([&](const int64_t* left) {
        return ManyClassGini(cost, space.rows, node, left, *one_over_);
      });
    }
    if (options_.criterion == Criterion::entropy) {
      return search([&](const int64_t* left) {
        return CountEntropy(cost, space.rows, node, left, *n_log_n_);
      });
    }
  }
  if constexpr (std::is_same_v<Rows, NumberRows>) {
    if (coarse.shift >= 0) {
      return search([&](const int64_t*) {
        return CoarseSquaredError(coarse, coarse.in_entry ? nullptr : space.coarse.data(),
                                  space.rows, node, *reciprocals_);
      });
    }
    if (options_.criterion == Criterion::squared_error) {
      return search(
          [&](const int64_t* left) { return UnitSquaredError(cost, space.rows, node, left); });
    }
  }
  return search(
      [&](const int64_t* left) { return ExactSweep<Rows>(cost, space.rows, node, left); });
}

// The categories of the node in this column, one level each, and one for its missing rows.
template <class Rows>
Levels Engine<Rows>::levels_of(const Space<Rows>& space, const Span& span, size_t column) const {
  Levels levels;
  const size_t words = size_t(layout_.words());
  const size_t a_few = size_t(std::min<int64_t>(span.n_rows, 16));
  levels.codes.reserve(a_few);
  levels.stats.reserve(a_few * words);
  levels.sizes.reserve(a_few);
  for (int64_t i = 0; i < span.n_rows; ++i) {
    const Entry e = span.entries[i];
    if (i == 0 || i == span.n_known || (i < span.n_known && (e & kDiffers))) {
      levels.codes.push_back(i < span.n_known ? views_[column].code(space.row(e)) : kMissing);
      levels.stats.resize(levels.stats.size() + words, 0);
      levels.sizes.push_back(0);
    }
    ++levels.sizes.back();
    space.rows.add(levels.stats.data() + levels.stats.size() - words, e);
  }
  return levels;
}

// Hands to use() what a search over this column may see of the node.
template <class Rows>
template <class Use>
auto Engine<Rows>::with_sight(const Space<Rows>& space, const NodeList& list, const Open& open,
                              const NodeCost& cost, size_t column, const Use& use) const {
  const Node& node = list.nodes[size_t(open.id)];
  const int64_t* stats = list.stats_of(open.id);
  const int64_t known = known_of(open, column, node);
  const Span all = span(space, node, column, known);
  if (!options_.known_rows_only() || known == all.n_rows) {
    return use(Sight{all, cost, stats, open.coarse});
  }
  Words missing(size_t(layout_.words())), seen(size_t(layout_.words()));
  for (int64_t i = known; i < all.n_rows; ++i) {
    space.rows.add(missing.data(), all.entries[i]);
  }
  layout_.difference(seen.data(), stats, missing.data());
  const Span here{all.entries, known, known};
  if (known == 0) {
    return use(Sight{here, cost, seen.data(), {}});
  }
  const NodeCost cost_of_seen(cost, seen.data());
  return use(Sight{here, cost_of_seen, seen.data(), {}});
}

// J48 asks more of the sides of a threshold where there are many rows.
template <class Rows>
Rules Engine<Rows>::rules_for(const int64_t* seen) const {
  Rules rules = rules_;
  if (options_.j48) {
    const double tenth = 0.1 * real(seen[kWeight]) * weights_.unit / layout_.classes();
    const double least = std::max(options_.min_branch_weight, std::min(tenth, 25.0));
    rules.min_branch_weight = units_of_at_least(least * kNearlyWeight);
  }
  return rules;
}

template <class Rows>
double Engine<Rows>::search_column(const Space<Rows>& space, const NodeList& list, const Open& open,
                                   const NodeCost& cost, size_t column, double to_beat) const {
  return with_sight(space, list, open, cost, column, [&](const Sight& sight) {
    if (sight.span.n_rows == 0) {
      return kNone;
    }
    if (opens_each(column)) {
      const auto split = multiway(space, sight, column);
      return split ? split->gain : kNone;
    }
    if (options_.criterion == Criterion::absolute_error) {
      return absolute_best(space, list.nodes[size_t(open.id)], sight, column);
    }
    if (views_[column].kind == Kind::categorical) {
      const Levels levels = levels_of(space, sight.span, column);
      return CategorySearch(sight.cost, rules_, sight.stats, &control_).best(levels) -
             charge_for_levels(sight.cost, levels, column);
    }
    return with_threshold_search(
        space, sight.cost, sight.stats, rules_for(sight.stats), sight.coarse,
        [&](const auto& search) { return search.best(sight.span, to_beat); });
  });
}

// What a grouping of these levels pays where columns compete; see charge_of_levels.
template <class Rows>
double Engine<Rows>::charge_for_levels(const NodeCost& cost, const Levels& levels,
                                       size_t column) const {
  if (!has_many_levels_[column]) {
    return 0.0;
  }
  // Weights count as copies; where they are below 1 on average, a row counts 1.
  const double all = real(weights_.total) * weights_.unit;
  return charge_of_levels(cost, levels, weights_.unit * std::max(1.0, real(weights_.rows) / all));
}

// One branch for each category of the node; one more, the last, for its missing rows where
// they are seen.
template <class Rows>
std::optional<Candidate> Engine<Rows>::multiway(const Space<Rows>& space, const Sight& sight,
                                                size_t column) const {
  Levels levels = levels_of(space, sight.span, column);
  const size_t n = levels.codes.size();
  if (n < 2 || !rules_.allows_each(levels.stats.data(), size_t(layout_.words()), n)) {
    return std::nullopt;
  }
  Candidate split;
  split.kind = SplitKind::multiway;
  split.column = static_cast<int32_t>(column);
  split.n_branches = static_cast<int32_t>(n);
  split.gain = sight.cost.gain_of_each(levels.stats.data(), n);
  split.tie_gain = sight.cost.tie_gain_of_each(levels.stats.data(), n, sight.stats);
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
  split.weight_seen = sight.stats[kWeight];
  return split;
}

// How far gains of thresholds may be off. A score below 0 is a charged grouping's, which is exact;
// no threshold is in sight then.
template <class Rows>
double Engine<Rows>::margin_of(const Space<Rows>& space, const NodeList& list, const Open& open,
                               const NodeCost& cost, double best) const {
  return with_threshold_search(space, cost, list.stats_of(open.id), rules_, open.coarse,
                               [&](const auto& search) { return search.margin(best); });
}

template <class Rows>
void Engine<Rows>::offer_column(const Space<Rows>& space, const NodeList& list, const Open& open,
                                const NodeCost& cost, size_t column, double at_least,
                                Chooser& chooser) const {
  with_sight(space, list, open, cost, column, [&](const Sight& sight) {
    if (opens_each(column)) {
      auto split = multiway(space, sight, column);
      if (split && split->gain >= at_least && chooser.wants(split->gain, split->tie_gain)) {
        chooser.keep(std::move(*split));
      }
      return;
    }
    if (options_.criterion == Criterion::absolute_error) {
      return absolute_offer(space, list.nodes[size_t(open.id)], sight, column, at_least, chooser);
    }
    if (views_[column].kind == Kind::categorical) {
      // These gains are exact, and a grouping of many levels takes long to write down.
      const double exact = open.best[column] - 2 * cost.tolerance();
      const Levels levels = levels_of(space, sight.span, column);
      CategorySearch(sight.cost, rules_, sight.stats, &control_)
          .offer(levels, static_cast<int32_t>(column),
                 charge_for_levels(sight.cost, levels, column), std::max(at_least, exact), chooser);
      return;
    }
    with_threshold_search(
        space, sight.cost, sight.stats, rules_for(sight.stats), sight.coarse,
        [&](const auto& search) {
          search.offer(
              sight.span, at_least, chooser,
              [&](int64_t cut, bool missing_left, const int64_t* left, const int64_t* right) {
                return make_threshold(space, sight.span, column, cut, missing_left, left, right);
              });
        });
  });
}

// Looks for the best split of each of these columns of an open node, and notes it there.
template <class Rows>
void Engine<Rows>::search(const Space<Rows>& space, const NodeList& list, Open& open,
                          const NodeCost& cost, std::span<const size_t> columns,
                          BestSoFar& best) const {
  if (options_.gain_ratio) {
    for (const size_t c : columns) {
      open.offers[c] = best_of_column(space, list, open, cost, c);
      open.best[c] = open.offers[c].score();
    }
    return;
  }
  const Node& node = list.nodes[size_t(open.id)];
  const int64_t* stats = list.stats_of(open.id);
  // One search for thresholds serves all columns of which it may see every row, since to make one
  // takes as long as to search a small node.
  with_threshold_search(space, cost, stats, rules_for(stats), open.coarse, [&](const auto& search) {
    const auto note = [&](size_t c, double gain) {
      open.best[c] = gain;
      best.raise_to(gain);
    };
    struct {
      std::array<size_t, kTogether> columns;
      std::array<const Entry*, kTogether> entries;
      size_t n = 0;
    } together;
    const auto search_together = [&] {
      const auto gains =
          search.best_of_each(std::span(together.entries).first(together.n), node.n_rows());
      for (size_t k = 0; k < together.n; ++k) {
        note(together.columns[k], gains[k]);
      }
      together.n = 0;
    };
    for (const size_t c : columns) {
      const Span here = span(space, node, c, known_of(open, c, node));
      const bool all_known = here.n_known == here.n_rows;
      if (!takes_threshold(c) || (!all_known && options_.known_rows_only())) {
        note(c, search_column(space, list, open, cost, c, best.get()));
      } else if (all_known && here.n_rows < simd::kManyRows) {
        together.columns[together.n] = c;
        together.entries[together.n++] = here.entries;
        if (together.n == kTogether) {
          search_together();
        }
      } else {
        note(c, search.best(here, best.get()));
      }
    }
    search_together();
  });
}

// cut = 0 stands for "is missing".
template <class Rows>
Candidate Engine<Rows>::make_threshold(const Space<Rows>& space, const Span& span, size_t column,
                                       int64_t cut, bool missing_left, const int64_t* left,
                                       const int64_t* right) const {
  Candidate candidate;
  candidate.column = static_cast<int32_t>(column);
  if (cut == 0) {
    candidate.kind = SplitKind::is_missing;
    candidate.missing_route = 0;
    return candidate;
  }
  candidate.kind = SplitKind::threshold;
  candidate.threshold =
      midpoint(views_[column].value(space.row(span.entries[cut - 1])),
               views_[column].value(space.row(span.entries[cut])), options_.sklearn);
  const bool has_missing = span.n_known < span.n_rows;
  const bool to_left = has_missing ? missing_left : left[kWeight] >= right[kWeight];
  candidate.missing_route = to_left ? 0 : 1;
  return candidate;
}

// All columns in the order of a hash of (seed, node, column): random, but the same for any
// number of threads and any order of growth.
template <class Rows>
std::vector<size_t> Engine<Rows>::column_order(const Node& node) const {
  std::vector<std::pair<uint64_t, size_t>> keyed;
  for (size_t c = 0; c < n_columns(); ++c) {
    keyed.emplace_back(mix(mix(options_.seed ^ node.key) + c), c);
  }
  std::sort(keyed.begin(), keyed.end());
  std::vector<size_t> order;
  for (const auto& [key, column] : keyed) {
    order.push_back(column);
  }
  return order;
}

// All of them, or those that are drawn for the node, ascending.
template <class Rows>
std::span<const size_t> Engine<Rows>::columns_to_search(const Node& node,
                                                        std::vector<size_t>& drawn) const {
  const size_t limit = size_t(options_.max_features);
  if (limit == 0 || limit >= n_columns()) {
    return all_columns_;
  }
  drawn = column_order(node);
  drawn.resize(limit);
  std::sort(drawn.begin(), drawn.end());
  return drawn;
}

// Where none of the drawn columns offers a split, further ones are drawn until one does.
template <class Rows>
void Engine<Rows>::search_more_columns(const Space<Rows>& space, const NodeList& list,
                                       Open& open) const {
  const NodeCost cost = cost_of(list, open.id);
  const auto order = column_order(list.nodes[size_t(open.id)]);
  BestSoFar none;
  for (size_t i = size_t(options_.max_features); i < order.size(); ++i) {
    search(space, list, open, cost, std::span(&order[i], 1), none);
    if (open.best[order[i]] != kNone) {
      return;
    }
  }
}

template <class Rows>
std::optional<Candidate> Engine<Rows>::choose(Space<Rows>& space, NodeList& list, Open& open,
                                              StopReason& reason) const {
  const auto best_gain = [&] {
    return open.best.empty() ? kNone : *std::max_element(open.best.begin(), open.best.end());
  };
  double best = best_gain();
  if (best == kNone && options_.max_features > 0) {
    search_more_columns(space, list, open);
    best = best_gain();
  }
  if (best == kNone) {
    reason = why_no_split(space, list, open);
    return std::nullopt;
  }
  std::optional<Candidate> winner;
  if (options_.gain_ratio) {
    winner = choose_by_ratio(space, list, open, reason);
  }
  // C4.5 does not split for nothing; others do, where no threshold forbids it.
  if (!winner && options_.charge_cuts) {
    return std::nullopt;
  }
  if (!winner) {
    if (open.coarse.rough) {
      look_again(space, list, open, best);
      best = best_gain();
    }
    winner = choose_by_gain(space, list, open, best);
  }
  reason = too_little(list, open.id, *winner);
  if (reason != StopReason::none) {
    return std::nullopt;
  }
  set_missing_route(*winner);
  return winner;
}

// Where a search has seen the known rows only, the mode says where the others go.
template <class Rows>
void Engine<Rows>::set_missing_route(Candidate& split) const {
  if (options_.missing == Missing::fractional) {
    split.missing_route = kAllBranches;
  } else if (options_.missing == Missing::surrogate) {
    const bool equal = 2 * split.left[kWeight] == split.weight_seen;
    if (options_.stop_without_surrogate || (options_.rpart && equal)) {
      split.missing_route = kStopHere;
    }
  }
}

// Where columns were searched with a rough image of the target: those that may be the best are
// searched again with a finer one.
template <class Rows>
void Engine<Rows>::look_again(Space<Rows>& space, const NodeList& list, Open& open,
                              double best) const {
  const NodeCost cost = cost_of(list, open.id);
  const double at_least = best - 2 * margin_of(space, list, open, cost, best);
  open.coarse = coarsen(space, list, open.id, false);
  std::vector<size_t> columns;
  for (size_t c = 0; c < n_columns(); ++c) {
    if (open.best[c] >= at_least) {
      columns.push_back(c);
    }
  }
  BestSoFar finer;
  search(space, list, open, cost, columns, finer);
}

// The written tie rule, over all columns.
template <class Rows>
Candidate Engine<Rows>::choose_by_gain(const Space<Rows>& space, const NodeList& list,
                                       const Open& open, double best) const {
  const NodeCost cost = cost_of(list, open.id);
  const double at_least = best - 2 * margin_of(space, list, open, cost, best);
  Chooser chooser(cost);
  for (size_t c = 0; c < n_columns(); ++c) {
    if (open.best[c] >= at_least) {
      offer_column(space, list, open, cost, c, at_least, chooser);
    }
  }
  return chooser.winner();
}

template <class Rows>
StopReason Engine<Rows>::too_little(const NodeList& list, int32_t id,
                                    const Candidate& split) const {
  // A gain that only rounding keeps below its threshold is enough.
  constexpr double kNearly = 1.0 - 1e-12;
  const double gain = real_units(list, id, split.gain);
  if (gain < options_.min_gain * kNearly) {
    return StopReason::min_gain;
  }
  const double share = real(list.stats_of(id)[kWeight]) / real(weights_.total);
  if (share * gain < options_.min_impurity_decrease * kNearly) {
    return StopReason::min_impurity_decrease;
  }
  return StopReason::none;
}

// Nothing was allowed. A column tells the rows apart if it has two values, or known and
// missing rows; its most uneven splits show which rule stood in the way.
template <class Rows>
StopReason Engine<Rows>::why_no_split(const Space<Rows>& space, const NodeList& list,
                                      const Open& open) const {
  const Node& node = list.nodes[size_t(open.id)];
  bool differ = false, rows = false, weight = false, sum = false;
  const auto look = [&](const int64_t* branch) {
    rows = rows || !rules_.enough_rows(branch);
    weight = weight || !rules_.enough_weight(branch);
    sum = sum || !rules_.enough_sum(branch);
  };
  for (size_t c = 0; c < n_columns(); ++c) {
    const int64_t known = known_of(open, c, node);
    Span here = span(space, node, c, known);
    if (options_.known_rows_only()) {
      here.n_rows = known;
    }
    const Levels levels = levels_of(space, here, c);
    if (levels.codes.size() < 2) {
      continue;
    }
    differ = true;
    const size_t words = size_t(layout_.words()), n = levels.codes.size();
    const bool has_missing = here.n_known < here.n_rows;
    const bool categorical = views_[c].kind == Kind::categorical || opens_each(c);
    for (size_t i = 0; i < n; ++i) {
      const bool outermost = i == 0 || i + 1 == n || (has_missing && i + 2 == n);
      if (categorical || outermost) {
        look(levels.stats.data() + i * words);
      }
    }
    if (has_missing) {
      std::vector<int64_t> others(words);
      layout_.difference(others.data(), list.stats_of(open.id),
                         levels.stats.data() + (n - 1) * words);
      look(others.data());
    }
  }
  if (!differ) {
    return StopReason::identical_rows;
  }
  if (rows || weight) {
    return rows ? StopReason::min_samples_leaf : StopReason::min_weight_fraction_leaf;
  }
  return sum ? StopReason::zero_target : StopReason::no_better_split;
}

}  // namespace treewright
