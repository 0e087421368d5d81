// engine_search.hpp: the best split of an open node.
#pragma once

#include "engine.hpp"

namespace treewright {

// Picks the fast sweep for this target and criterion and hands a search over it to use().
template <class Rows>
template <class Use>
auto Engine<Rows>::with_threshold_search(const Space<Rows>& space, const NodeCost& cost,
                                         const int64_t* node, const Coarse& coarse,
                                         const Use& use) const {
  const auto search = [&](const auto& make_sweep) {
    return use(ThresholdSearch(cost, space.rows, rules_, node, make_sweep, control_));
  };
  if constexpr (std::is_same_v<Rows, CountedRows>) {
    if (options_.criterion == Criterion::gini && layout_.classes() == 2 &&
        node[kRows] < simd::kMostRows) {
      return search(
          [&](const int64_t* left) { return TwoClassGini(space.rows, node, left, *reciprocals_); });
    }
    if (options_.criterion == Criterion::gini && node[kRows] < simd::kFewRows) {
      return search([&](const int64_t* left) {
        return FewRowsGini(cost, space.rows, node, left, *one_over_);
      });
    }
    if (options_.criterion == Criterion::gini) {
      return search(
          [&](const int64_t* left) { return ManyClassGini(cost, space.rows, node, left); });
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
        return CoarseSquaredError(coarse, space.coarse.data(), node, *reciprocals_);
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
  for (int64_t i = 0; i < span.n_rows; ++i) {
    const Entry e = span.entries[i];
    if (i == 0 || i == span.n_known || (i < span.n_known && (e & kDiffers))) {
      levels.codes.push_back(i < span.n_known ? views_[column].code(space.row(e)) : kMissing);
      levels.stats.resize(levels.stats.size() + words, 0);
    }
    space.rows.add(levels.stats.data() + levels.stats.size() - words, e);
  }
  return levels;
}

template <class Rows>
double Engine<Rows>::search_column(const Space<Rows>& space, const NodeList& list, const Open& open,
                                   const NodeCost& cost, size_t column) const {
  const Node& at = list.nodes[size_t(open.id)];
  const Span here = span(at, column, known_of(open, column, at));
  const int64_t* node = list.stats_of(open.id);
  if (views_[column].kind == Kind::categorical) {
    return CategorySearch(cost, rules_, node, &control_).best(levels_of(space, here, column));
  }
  return with_threshold_search(space, cost, node, open.coarse,
                               [&](const auto& search) { return search.best(here); });
}

template <class Rows>
void Engine<Rows>::offer_column(const Space<Rows>& space, const NodeList& list, const Open& open,
                                const NodeCost& cost, size_t column, double at_least,
                                Chooser& chooser) const {
  const Node& at = list.nodes[size_t(open.id)];
  const Span here = span(at, column, known_of(open, column, at));
  const int64_t* node = list.stats_of(open.id);
  if (views_[column].kind == Kind::categorical) {
    // These gains are exact, and a grouping of many levels takes long to write down.
    const double exact = open.best[column] - 2 * cost.tolerance();
    CategorySearch(cost, rules_, node, &control_)
        .offer(levels_of(space, here, column), static_cast<int32_t>(column),
               std::max(at_least, exact), chooser);
    return;
  }
  with_threshold_search(space, cost, node, open.coarse, [&](const auto& search) {
    search.offer(here, at_least, chooser,
                 [&](int64_t cut, bool missing_left, const int64_t* left, const int64_t* right) {
                   return make_threshold(space, here, column, cut, missing_left, left, right);
                 });
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
  candidate.threshold = midpoint(views_[column].value(space.row(span.entries[cut - 1])),
                                 views_[column].value(space.row(span.entries[cut])));
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

template <class Rows>
std::vector<uint8_t> Engine<Rows>::columns_to_search(const Node& node) const {
  const size_t limit = size_t(options_.max_features);
  if (limit == 0 || limit >= n_columns()) {
    return std::vector<uint8_t>(n_columns(), 1);
  }
  std::vector<uint8_t> wanted(n_columns(), 0);
  const auto order = column_order(node);
  for (size_t i = 0; i < limit; ++i) {
    wanted[order[i]] = 1;
  }
  return wanted;
}

// Where none of the drawn columns offers a split, further ones are drawn until one does.
template <class Rows>
void Engine<Rows>::search_more_columns(const Space<Rows>& space, const NodeList& list,
                                       Open& open) const {
  const NodeCost cost = cost_of(list, open.id);
  const auto order = column_order(list.nodes[size_t(open.id)]);
  for (size_t i = size_t(options_.max_features); i < order.size(); ++i) {
    const size_t c = order[i];
    open.best[c] = search_column(space, list, open, cost, c);
    if (open.best[c] != kNone) {
      return;
    }
  }
}

template <class Rows>
std::optional<Candidate> Engine<Rows>::choose(const Space<Rows>& space, NodeList& list, Open& open,
                                              StopReason& reason) const {
  const auto best = [&] {
    return open.best.empty() ? kNone : *std::max_element(open.best.begin(), open.best.end());
  };
  if (best() == kNone && options_.max_features > 0) {
    search_more_columns(space, list, open);
  }
  if (best() == kNone) {
    reason = why_no_split(space, list, open);
    return std::nullopt;
  }
  const NodeCost cost = cost_of(list, open.id);
  const double margin =
      with_threshold_search(space, cost, list.stats_of(open.id), open.coarse,
                            [&](const auto& search) { return search.margin(best()); });
  const double at_least = best() - 2 * margin;
  Chooser chooser(cost);
  for (size_t c = 0; c < n_columns(); ++c) {
    if (open.best[c] >= at_least) {
      offer_column(space, list, open, cost, c, at_least, chooser);
    }
  }
  Candidate winner = chooser.winner();
  reason = too_little(list, open.id, winner);
  if (reason != StopReason::none) {
    return std::nullopt;
  }
  return winner;
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
  bool differ = false, rows = false, weight = false;
  const auto look = [&](const int64_t* branch) {
    rows = rows || !rules_.enough_rows(branch);
    weight = weight || !rules_.enough_weight(branch);
  };
  for (size_t c = 0; c < n_columns(); ++c) {
    const Span here = span(node, c, known_of(open, c, node));
    const Levels levels = levels_of(space, here, c);
    if (levels.codes.size() < 2) {
      continue;
    }
    differ = true;
    const size_t words = size_t(layout_.words()), n = levels.codes.size();
    const bool has_missing = here.n_known < here.n_rows;
    const bool categorical = views_[c].kind == Kind::categorical;
    for (size_t i = 0; i < n; ++i) {
      const bool outermost = i == 0 || i + 1 == n || (has_missing && i + 2 == n);
      if (categorical || outermost) {
        look(levels.stats.data() + i * words);
      }
    }
    if (has_missing) {
      std::vector<int64_t> known(list.stats_of(open.id), list.stats_of(open.id) + words);
      layout_.subtract(known.data(), levels.stats.data() + (n - 1) * words);
      look(known.data());
    }
  }
  if (!differ) {
    return StopReason::identical_rows;
  }
  return rows ? StopReason::min_samples_leaf
              : (weight ? StopReason::min_weight_fraction_leaf : StopReason::zero_target);
}

}  // namespace treewright
