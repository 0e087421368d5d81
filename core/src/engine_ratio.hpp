// engine_ratio.hpp: columns that compete by gain ratio (Quinlan).
//
// Each column offers its best split by gain. Those that gain at least the average compete by
// gain / split information: the entropy of the division itself, so that many small branches
// do not win by their number.
#pragma once

#include "engine.hpp"

namespace treewright {

// The best split of one column by gain; a leaf if there is none.
template <class Rows>
Candidate Engine<Rows>::best_of_column(const Space<Rows>& space, const NodeList& list,
                                       const Open& open, const NodeCost& cost,
                                       size_t column) const {
  const double best = search_column(space, list, open, cost, column, kNone);
  if (best == kNone) {
    return {};
  }
  Chooser chooser(cost);
  const double at_least = best - 2 * margin_of(space, list, open, cost, best);
  offer_column(space, list, open, cost, column, at_least, chooser);
  return chooser.winner();
}

// What C4.5 takes off the gain of a threshold, for the number of cuts it was chosen from:
// log2(cuts) / weight of the node.
template <class Rows>
double Engine<Rows>::charge(const Space<Rows>& space, const NodeList& list, const Open& open,
                            size_t column) const {
  if (!options_.charge_cuts || views_[column].kind == Kind::categorical || opens_each(column)) {
    return 0.0;
  }
  const double weight = real(list.stats_of(open.id)[kWeight]) * weights_.unit;
  return with_sight(space, list, open, cost_of(list, open.id), column, [&](const Sight& sight) {
    return std::log2(std::max(1.0, real(count_cuts(space, sight)))) / weight;
  });
}

// How many cuts a column has in a node. J48 counts those that are allowed, wherever missing
// rows go.
template <class Rows>
int64_t Engine<Rows>::count_cuts(const Space<Rows>& space, const Sight& sight) const {
  const Span& span = sight.span;
  const size_t words = size_t(layout_.words());
  const Rules rules = rules_for(sight.stats);
  Words left(words), right(words), missing(words);
  for (int64_t i = span.n_known; options_.j48 && i < span.n_rows; ++i) {
    space.rows.add(missing.data(), span.entries[i]);
  }
  const auto allowed = [&] {
    layout_.difference(right.data(), sight.stats, left.data());
    if (rules.allows(left.data(), right.data())) {
      return true;
    }
    layout_.subtract(right.data(), missing.data());
    layout_.add(left.data(), missing.data());
    const bool allows = rules.allows(left.data(), right.data());
    layout_.subtract(left.data(), missing.data());
    return allows;
  };
  int64_t cuts = 0;
  for (int64_t i = 0; i < span.n_known; ++i) {
    cuts += i > 0 && (span.entries[i] & kDiffers) && (!options_.j48 || allowed());
    if (options_.j48) {
      space.rows.add(left.data(), span.entries[i]);
    }
  }
  return cuts;
}

// -sum f log2 f over the branches, and over the rows whose value is missing where the search
// has not seen them.
template <class Rows>
double Engine<Rows>::split_information(const NodeList& list, const Open& open,
                                       const Candidate& split) const {
  const int64_t all = list.stats_of(open.id)[kWeight];
  const size_t words = size_t(layout_.words());
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

template <class Rows>
std::optional<Candidate> Engine<Rows>::choose_by_ratio(const Space<Rows>& space,
                                                       const NodeList& list, const Open& open,
                                                       StopReason& reason) const {
  const double tolerance = cost_of(list, open.id).tolerance();
  std::vector<double> gains(n_columns(), kNone);
  double sum = 0.0;
  int64_t n_averaged = 0;
  for (size_t c = 0; c < n_columns(); ++c) {
    const Candidate& split = open.offers[c];
    if (split.kind == SplitKind::leaf) {
      continue;
    }
    const double gain = split.score() - charge(space, list, open, c);
    if (gain <= tolerance) {
      continue;
    }
    gains[c] = gain;

    if (options_.not_averaged.empty() || !options_.not_averaged[c]) {
      ++n_averaged;
      sum += gain;
    }
  }
  if (n_averaged == 0) {
    reason = StopReason::no_better_split;
    return std::nullopt;
  }
  const double average = sum / real(n_averaged);
  const double at_least = average - std::max(tolerance, options_.j48 ? 1e-3 : 0.0);
  std::vector<double> ratios(n_columns(), kNone);
  for (size_t c = 0; c < n_columns(); ++c) {
    if (gains[c] != kNone && gains[c] >= at_least) {
      ratios[c] = gains[c] / split_information(list, open, open.offers[c]);
    }
  }
  const double best = *std::max_element(ratios.begin(), ratios.end());
  const auto first = std::find_if(ratios.begin(), ratios.end(),
                                  [&](double ratio) { return ratio >= best * (1 - kTie); });
  return open.offers[size_t(first - ratios.begin())];
}

}  // namespace treewright
