// engine_absolute.hpp: splits by the absolute error, where a node answers its median.
//
// The cost of a branch is not a matter of sums, so these searches do not go through
// criterion.hpp: they follow the median as rows are added (medians.hpp), once from the left
// and once from the right. O(rows log rows) per column; the costs are exact integers.
#pragma once

#include "engine.hpp"
#include "treewright/medians.hpp"

namespace treewright {

template <class Rows>
double Engine<Rows>::absolute_units(const Space<Rows>& space, const Node& node,
                                    const int64_t* stats) const {
  const Ranked ranked = ranked_rows(space, node);
  std::vector<uint32_t> ranks(ranked.y.size());
  std::iota(ranks.begin(), ranks.end(), uint32_t(0));
  return real(deviation(ranked, ranks)) / real(stats[kWeight]);
}

// The gain of dividing rows, given by rank, into these branches.
template <class Rows>
double Engine<Rows>::absolute_gain(const Space<Rows>& space, const Node& node,
                                   std::vector<std::vector<uint32_t>>& branches) const {
  const Ranked ranked = ranked_rows(space, node);
  std::vector<uint32_t> all;
  int128 cost = 0;
  for (auto& ranks : branches) {
    std::sort(ranks.begin(), ranks.end());
    cost += deviation(ranked, ranks);
    all.insert(all.end(), ranks.begin(), ranks.end());
  }
  std::sort(all.begin(), all.end());
  const int64_t weight = std::accumulate(ranked.weight.begin(), ranked.weight.end(), int64_t(0));
  return real(deviation(ranked, all) - cost) / real(weight);
}

// Rows are known by their rank among those of their node.
template <class Rows>
void Engine<Rows>::set_ranks(Space<Rows>& space, const Node& node) const {
  space.rank.resize(std::max(space.rank.size(), space.n_numbers(weights_.n_rows)));
  const Entry* order = target_entries(space, node);
  for (int64_t i = 0; i < node.n_rows(); ++i) {
    space.rank[space.rows.row(order[i])] = static_cast<uint32_t>(i);
  }
}

template <class Rows>
Ranked Engine<Rows>::ranked_rows(const Space<Rows>& space, const Node& node) const {
  Ranked ranked;
  if constexpr (kNumber) {
    const Entry* order = target_entries(space, node);
    for (int64_t i = 0; i < node.n_rows(); ++i) {
      ranked.y.push_back(space.y[space.rows.row(order[i])]);
      ranked.weight.push_back(weight_of(space, order[i]));
    }
  }
  return ranked;
}

// Calls visit(gain, charge, build) for every allowed split of a column, in the written order;
// build() makes the candidate.
template <class Rows>
template <class Visit>
void Engine<Rows>::absolute_splits(const Space<Rows>& space, const Node& node, const Sight& sight,
                                   size_t column, const Visit& visit) const {
  const Ranked ranked = ranked_rows(space, node);
  std::vector<uint32_t> ranks(size_t(sight.span.n_rows));
  for (size_t i = 0; i < ranks.size(); ++i) {
    ranks[i] = space.rank[space.rows.row(sight.span.entries[i])];
  }
  if (views_[column].kind == Kind::categorical) {
    absolute_groupings(space, sight, column, ranked, ranks, visit);
  } else {
    absolute_cuts(space, sight, column, ranked, ranks, visit);
  }
}

template <class Rows>
template <class Visit>
void Engine<Rows>::absolute_cuts(const Space<Rows>& space, const Sight& sight, size_t column,
                                 const Ranked& ranked, const std::vector<uint32_t>& ranks,
                                 const Visit& visit) const {
  const Span& span = sight.span;
  std::vector<int64_t> cuts, cuts_from_right;
  for (int64_t i = 1; i < span.n_known; ++i) {
    if (span.entries[i] & kDiffers) {
      cuts.push_back(i);
    }
  }
  for (auto cut = cuts.rbegin(); cut != cuts.rend(); ++cut) {
    cuts_from_right.push_back(span.n_known - *cut);
  }
  const std::span<const uint32_t> known(ranks.data(), size_t(span.n_known));
  const std::span<const uint32_t> missing(ranks.data() + span.n_known,
                                          size_t(span.n_rows - span.n_known));
  const std::vector<uint32_t> backwards(known.rbegin(), known.rend());
  const auto from_left = [&](std::span<const uint32_t> already) {
    return deviations(ranked, already, known, cuts);
  };
  const auto from_right = [&](std::span<const uint32_t> already) {
    auto found = deviations(ranked, already, backwards, cuts_from_right);
    std::reverse(found.begin(), found.end());
    return found;
  };
  const auto left = from_left({}), right = from_right({});
  const bool has_missing = !missing.empty();
  const auto left_missing = has_missing ? from_left(missing) : left;
  const auto right_missing = has_missing ? from_right(missing) : right;
  const std::array<int64_t, 1> everything{static_cast<int64_t>(ranks.size())};
  const int128 all = deviations(ranked, {}, ranks, everything)[0];

  const size_t words = size_t(layout_.words());
  Words l(words), r(words), m(words), l_m(words);
  for (int64_t i = span.n_known; i < span.n_rows; ++i) {
    space.rows.add(m.data(), span.entries[i]);
  }
  const auto offer = [&](const Words& branch, int128 cost, int64_t cut, bool missing_left) {
    layout_.difference(r.data(), sight.stats, branch.data());
    if (rules_.allows(branch.data(), r.data())) {
      visit(real(all - cost) / sight.cost.all_weight(), 0.0, [&] {
        Candidate split =
            make_threshold(space, span, column, cut, missing_left, branch.data(), r.data());
        split.left.assign(branch.data(), branch.data() + words);
        split.weight_seen = sight.stats[kWeight];
        return split;
      });
    }
  };
  int64_t i = 0;
  for (size_t c = 0; c < cuts.size(); ++c) {
    for (; i < cuts[c]; ++i) {
      space.rows.add(l.data(), span.entries[i]);
    }
    if (has_missing) {
      layout_.copy(l_m.data(), l.data());
      layout_.add(l_m.data(), m.data());
      offer(l_m, left_missing[c] + right[c], cuts[c], true);
    }
    offer(l, left[c] + right_missing[c], cuts[c], false);
  }
  if (has_missing && span.n_known > 0) {
    const std::array<int64_t, 1> n_known{span.n_known}, n_missing{span.n_rows - span.n_known};
    offer(m,
          deviations(ranked, {}, known, n_known)[0] + deviations(ranked, {}, missing, n_missing)[0],
          0, true);
  }
}

// All groupings while they are few. A prefix of the levels by mean need not be the best here
// (nor by median), so with more levels the prefixes by (median, mean) are tried, and the
// split is not proven.
template <class Rows>
template <class Visit>
void Engine<Rows>::absolute_groupings(const Space<Rows>& space, const Sight& sight, size_t column,
                                      const Ranked& ranked, const std::vector<uint32_t>& ranks,
                                      const Visit& visit) const {
  const Levels levels = levels_of(space, sight.span, column);
  const size_t k = levels.codes.size(), words = size_t(layout_.words());
  if (k < 2) {
    return;
  }
  struct Level {
    size_t number;
    const int64_t* stats;
    int128 median;  // twice
    RankedSet set;
  };
  const bool few = k <= size_t(kEnumerate);
  std::vector<Level> order;
  int64_t first = 0;
  for (size_t i = 0; i < k; ++i) {
    const int64_t* stats = levels.stats.data() + i * words;
    Level level{i, stats, 0, {}};
    level.set.ranks.assign(ranks.begin() + first, ranks.begin() + first + levels.sizes[i]);
    first += levels.sizes[i];
    std::sort(level.set.ranks.begin(), level.set.ranks.end());
    level.median = twice_median(ranked, level.set.ranks, divides() ? kRoundedParts : 0);
    if (few) {
      level.set.add_up(ranked);
    }
    order.push_back(std::move(level));
  }
  const double charge = charge_for_levels(sight.cost, levels, column);
  std::stable_sort(order.begin(), order.end(), [&](const Level& a, const Level& b) {
    return a.median != b.median ? a.median < b.median
                                : compare_ratios(get_sum(a.stats), a.stats[kWeight],
                                                 get_sum(b.stats), b.stats[kWeight]) < 0;
  });
  const std::array<int64_t, 1> everything{static_cast<int64_t>(ranks.size())};
  const int128 all = deviations(ranked, {}, ranks, everything)[0];
  std::vector<uint8_t> side(k);
  Words l(words), r(words);
  const auto build = [&] {
    Candidate split;
    split.kind = SplitKind::subset;
    split.column = static_cast<int32_t>(column);
    split.charge = charge;
    split.proven = few;
    split.left.assign(l.data(), l.data() + words);
    split.weight_seen = sight.stats[kWeight];
    split.missing_route = 2 * l.data()[kWeight] >= sight.stats[kWeight] ? 0 : 1;
    std::vector<int32_t> branch(k);
    for (size_t p = 0; p < k; ++p) {
      branch[order[p].number] = side[p] ? 0 : 1;
    }
    for (size_t i = 0; i < k; ++i) {
      if (levels.codes[i] == kMissing) {
        split.missing_route = branch[i];
      } else {
        split.categories.push_back(levels.codes[i]);
        split.branches.push_back(branch[i]);
      }
    }
    return split;
  };
  const auto offer = [&](int128 cost) {
    layout_.zero(l.data());
    for (size_t p = 0; p < k; ++p) {
      if (side[p]) {
        layout_.add(l.data(), levels.stats.data() + order[p].number * words);
      }
    }
    layout_.difference(r.data(), sight.stats, l.data());
    if (!rules_.allows(l.data(), r.data())) {
      return;
    }
    visit(real(all - cost) / sight.cost.all_weight(), charge, build);
  };
  const auto deviation_of = [&](uint8_t which) {
    std::array<const RankedSet*, kEnumerate> together;
    size_t n = 0;
    for (size_t p = 0; p < k; ++p) {
      if (side[p] == which) {
        together[n++] = &order[p].set;
      }
    }
    return deviation(ranked, std::span<const RankedSet* const>(together.data(), n));
  };
  if (few) {
    const uint32_t n_masks = uint32_t(1) << (k - 1);
    const auto offer_mask = [&](uint32_t mask) {
      for (size_t p = 0; p < k; ++p) {
        side[p] = static_cast<uint8_t>(mask >> p & 1);
      }
      offer(deviation_of(1) + deviation_of(0));
    };
    for (size_t length = 1; length < k; ++length) {
      offer_mask((uint32_t(1) << length) - 1);
    }
    for (uint32_t mask = 1; mask < n_masks; ++mask) {
      if ((mask & (mask + 1)) != 0) {
        control_.check();
        offer_mask(mask);
      }
    }
    return;
  }
  std::vector<uint32_t> forwards;
  std::vector<int64_t> ends, ends_from_right;
  for (const Level& level : order) {
    forwards.insert(forwards.end(), level.set.ranks.begin(), level.set.ranks.end());
    ends.push_back(static_cast<int64_t>(forwards.size()));
  }
  ends.pop_back();
  for (auto end = ends.rbegin(); end != ends.rend(); ++end) {
    ends_from_right.push_back(static_cast<int64_t>(forwards.size()) - *end);
  }
  const std::vector<uint32_t> backwards(forwards.rbegin(), forwards.rend());
  const auto left = deviations(ranked, {}, forwards, ends);
  auto right = deviations(ranked, {}, backwards, ends_from_right);
  std::reverse(right.begin(), right.end());
  for (size_t p = 0; p + 1 < k; ++p) {
    side[p] = 1;
    offer(left[p] + right[p]);
  }
}

template <class Rows>
double Engine<Rows>::absolute_best(const Space<Rows>& space, const Node& node, const Sight& sight,
                                   size_t column) const {
  double best = kNone;
  if constexpr (kNumber) {
    absolute_splits(space, node, sight, column, [&](double gain, double charge, const auto&) {
      best = std::max(best, gain - charge);
    });
  }
  return best;
}

template <class Rows>
void Engine<Rows>::absolute_offer(const Space<Rows>& space, const Node& node, const Sight& sight,
                                  size_t column, double at_least, Chooser& chooser) const {
  if constexpr (kNumber) {
    absolute_splits(space, node, sight, column, [&](double gain, double charge, const auto& build) {
      if (gain - charge >= at_least && chooser.wants(gain - charge, 0.0)) {
        Candidate split = build();
        split.gain = gain;
        chooser.keep(std::move(split));
      }
    });
  }
}

}  // namespace treewright
