#include "absolute_search.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "node_search.hpp"

namespace treewright {
namespace {

template <class Rows>
Ranked ranked_rows(const NodeView<Rows>& view) {
  Ranked ranked;
  if constexpr (NodeView<Rows>::kNumber) {
    const Entry* order = view.target_order();
    const size_t n = size_t(view.n_rows());
    ranked.y.resize(n);
    ranked.weight.resize(n);
    for (size_t i = 0; i < n; ++i) {
      ranked.y[i] = view.numbering.y[view.rows().row(order[i])];
      ranked.weight[i] = view.numbering.weight(order[i]);
    }
  }
  return ranked;
}

// The deviations of both sides of every cut of a numeric column.
struct CutDeviations {
  CutDeviations(const Ranked& ranked, const ColumnRange& range, std::span<const uint32_t> ranks);

  std::vector<int64_t> cuts;                        // before entry cuts[c]
  std::vector<int128> left, right;                  // by cut, of the known rows alone
  std::vector<int128> left_missing, right_missing;  // with the missing rows
  int128 known = 0, missing = 0, all = 0;
};

CutDeviations::CutDeviations(const Ranked& ranked, const ColumnRange& range,
                             std::span<const uint32_t> ranks) {
  std::vector<int64_t> cuts_from_right;
  for (int64_t i = 1; i < range.n_known; ++i) {
    if (range.entries[i] & kDiffers) {
      cuts.push_back(i);
    }
  }
  std::for_each(cuts.rbegin(), cuts.rend(),
                [&](int64_t cut) { cuts_from_right.push_back(range.n_known - cut); });
  const auto known_ranks = ranks.first(size_t(range.n_known));
  const auto missing_ranks = ranks.subspan(size_t(range.n_known));
  const std::vector<uint32_t> backwards(known_ranks.rbegin(), known_ranks.rend());
  const auto from_left = [&](std::span<const uint32_t> already) {
    return deviations(ranked, already, known_ranks, cuts);
  };
  const auto from_right = [&](std::span<const uint32_t> already) {
    auto found = deviations(ranked, already, backwards, cuts_from_right);
    std::reverse(found.begin(), found.end());
    return found;
  };
  const auto whole = [&](std::span<const uint32_t> rows) {
    const std::array<int64_t, 1> end{std::ssize(rows)};
    return deviations(ranked, {}, rows, end)[0];
  };
  left = from_left({});
  right = from_right({});
  all = whole(ranks);
  if (!missing_ranks.empty() && !known_ranks.empty()) {
    left_missing = from_left(missing_ranks);
    right_missing = from_right(missing_ranks);
    known = whole(known_ranks);
    missing = whole(missing_ranks);
  }
}

// Calls visit(gain, build) for every allowed cut of a numeric column, in the written order; build()
// makes the candidate.
template <class Rows, class Visit>
void visit_cuts(const NodeView<Rows>& view, const VisibleRows& visible, size_t column,
                const CutDeviations& deviation, const Visit& visit) {
  const ColumnRange& range = visible.range;
  const StatLayout& layout = view.problem.layout;
  const size_t words = size_t(layout.words());
  StatBlock left(words), right(words), missing(words), with_missing(words);
  for (int64_t i = range.n_known; i < range.n_rows; ++i) {
    view.rows().add(missing.data(), range.entries[i]);
  }
  const auto offer = [&](const StatBlock& branch, int128 cost, int64_t cut, bool missing_left) {
    layout.difference(right.data(), visible.stats, branch.data());
    if (view.problem.limits.allows(branch.data(), right.data())) {
      visit(real(deviation.all - cost) / visible.cost.all_weight(), [&] {
        Candidate split =
            make_threshold(view, range, column, cut, missing_left, branch.data(), right.data());
        split.left.assign(branch.data(), branch.data() + words);
        split.weight_seen = visible.stats[kWeight];
        return split;
      });
    }
  };
  const bool has_missing = range.n_known < range.n_rows;
  int64_t i = 0;
  for (size_t c = 0; c < deviation.cuts.size(); ++c) {
    for (; i < deviation.cuts[c]; ++i) {
      view.rows().add(left.data(), range.entries[i]);
    }
    if (has_missing) {
      layout.copy(with_missing.data(), left.data());
      layout.add(with_missing.data(), missing.data());
      offer(with_missing, deviation.left_missing[c] + deviation.right[c], i, true);
      offer(left, deviation.left[c] + deviation.right_missing[c], i, false);
    } else {
      offer(left, deviation.left[c] + deviation.right[c], i, false);
    }
  }
  if (has_missing && range.n_known > 0) {
    offer(missing, deviation.known + deviation.missing, 0, true);
  }
}

// Searches one column: use_cuts(deviations) for numbers, use_groups(search, levels) for categories.
template <class Rows, class UseCuts, class UseGroups>
void search_absolute(const NodeView<Rows>& view, const VisibleRows& visible, size_t column,
                     const UseCuts& use_cuts, const UseGroups& use_groups) {
  const Ranked ranked = ranked_rows(view);
  const ColumnRange& range = visible.range;
  std::vector<uint32_t> ranks(size_t(range.n_rows));
  for (size_t i = 0; i < ranks.size(); ++i) {
    ranks[i] = view.numbering.rank[view.rows().row(range.entries[i])];
  }
  if (view.problem.views[column].kind != Kind::categorical) {
    return use_cuts(CutDeviations(ranked, range, ranks));
  }
  const Levels levels = levels_of(view, range, column);
  const AbsoluteCost cost(visible.cost, levels, ranked, ranks, view.problem.divides_rows());
  use_groups(
      CategorySearch<AbsoluteCost>(cost, view.problem.limits, visible.stats, &view.problem.control),
      charge_for_levels(view, visible.cost, levels, column));
}

}  // namespace

template <class Rows>
double set_ranks(const NodeView<Rows>& view) {
  auto& rank = view.numbering.rank;
  rank.resize(std::max(rank.size(), view.numbering.n_numbers()));
  const Entry* order = view.target_order();
  std::vector<uint32_t> ranks(size_t(view.n_rows()));
  for (size_t i = 0; i < ranks.size(); ++i) {
    ranks[i] = rank[view.rows().row(order[i])] = static_cast<uint32_t>(i);
  }
  return real(deviation(ranked_rows(view), ranks));
}

template <class Rows>
double absolute_gain(const NodeView<Rows>& view, std::vector<std::vector<uint32_t>>& branches) {
  const Ranked ranked = ranked_rows(view);
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

template <class Rows>
double best_absolute(const NodeView<Rows>& view, const VisibleRows& visible, size_t column) {
  double best = kNone;
  search_absolute(
      view, visible, column,
      [&](const CutDeviations& cuts) {
        visit_cuts(view, visible, column, cuts,
                   [&](double gain, const auto&) { best = std::max(best, gain); });
      },
      [&](const auto& groups, double charge) { best = groups.best() - charge; });
  return best;
}

template <class Rows>
void offer_absolute(const NodeView<Rows>& view, const VisibleRows& visible, size_t column,
                    double at_least, Chooser& chooser) {
  search_absolute(
      view, visible, column,
      [&](const CutDeviations& cuts) {
        visit_cuts(view, visible, column, cuts, [&](double gain, const auto& build) {
          if (gain >= at_least && chooser.wants(gain, 0.0)) {
            Candidate split = build();
            split.gain = gain;
            chooser.keep(std::move(split));
          }
        });
      },
      [&](const auto& groups, double charge) {
        groups.offer(static_cast<int32_t>(column), charge, at_least, chooser);
      });
}

#define X(Rows)                                                                              \
  template double set_ranks(const NodeView<Rows>&);                                          \
  template double absolute_gain(const NodeView<Rows>&, std::vector<std::vector<uint32_t>>&); \
  template double best_absolute(const NodeView<Rows>&, const VisibleRows&, size_t);          \
  template void offer_absolute(const NodeView<Rows>&, const VisibleRows&, size_t, double, Chooser&);
X(NumberRows)
X(WeightedNumberRows)
#undef X

}  // namespace treewright
