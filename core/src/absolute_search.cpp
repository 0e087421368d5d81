#include "absolute_search.hpp"

#include <algorithm>
#include <array>
#include <optional>

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
    ranked.unequal.resize(Rows::kUnitWeights ? 0 : n);
    for (size_t i = 0; i < n; ++i) {
      ranked.y[i] = view.numbering.y[view.rows().row(order[i])];
      if constexpr (!Rows::kUnitWeights) {
        ranked.unequal[i] = view.numbering.weight(order[i]);
      }
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
  int128 known = 0, missing = 0, all = 0;           // of all known, missing and visible rows
};

CutDeviations::CutDeviations(const Ranked& ranked, const ColumnRange& range,
                             std::span<const uint32_t> ranks) {
  for (int64_t i = 1; i < range.n_known; ++i) {
    if (range.entries[i] & kDiffers) {
      cuts.push_back(i);
    }
  }
  const auto known_ranks = ranks.first(size_t(range.n_known));
  const auto missing_ranks = ranks.subspan(size_t(range.n_known));
  const std::array<int64_t, 1> start{0};
  if (known_ranks.empty()) {
    all = missing = deviations_of_rest(ranked, {}, missing_ranks, start)[0];
    return;
  }
  // One more group: all known rows.
  std::vector<int64_t> ends = cuts;
  ends.push_back(range.n_known);
  const auto from_left = [&](std::span<const uint32_t> already, int128& whole) {
    auto found = deviations_of_first(ranked, already, known_ranks, ends);
    whole = found.back();
    found.pop_back();
    return found;
  };
  left = from_left({}, known);
  right = deviations_of_rest(ranked, {}, known_ranks, cuts);
  all = known;
  if (!missing_ranks.empty()) {
    left_missing = from_left(missing_ranks, all);
    right_missing = deviations_of_rest(ranked, missing_ranks, known_ranks, cuts);
    missing = deviations_of_rest(ranked, {}, missing_ranks, start)[0];
  }
}

// The statistics of the rows on the left of a cut. Asking for cuts in ascending order takes one
// pass.
template <class Rows>
class LeftOfCut {
 public:
  LeftOfCut(const Rows& rows, const ColumnRange& range, const StatLayout& layout)
      : rows_(rows), layout_(layout), entries_(range.entries), stats_(size_t(layout.words())) {}

  // Only the number of rows and their weight need be right.
  const int64_t* counts(int64_t cut) {
    if constexpr (Rows::kUnitWeights) {
      counts_[kRows] = counts_[kWeight] = cut;
      return counts_;
    } else {
      return all(cut);
    }
  }
  const int64_t* all(int64_t cut) {
    if (cut < n_added_) {
      layout_.zero(stats_.data());
      n_added_ = 0;
    }
    for (; n_added_ < cut; ++n_added_) {
      rows_.add(stats_.data(), entries_[n_added_]);
    }
    return stats_.data();
  }

 private:
  const Rows& rows_;
  const StatLayout& layout_;
  const Entry* entries_;
  StatBlock stats_;
  int64_t n_added_ = 0;
  int64_t counts_[kFirst] = {};
};

// Calls visit(cost, build) for every allowed cut of a numeric column, in the written order. cost is
// the deviation of both sides together; build() makes the candidate.
template <class Rows, class Visit>
void visit_cuts(const NodeView<Rows>& view, const VisibleRows& visible, size_t column,
                const CutDeviations& deviation, const Visit& visit) {
  const ColumnRange& range = visible.range;
  const StatLayout& layout = view.problem.layout;
  const size_t words = size_t(layout.words());
  StatBlock missing(words);
  for (int64_t i = range.n_known; i < range.n_rows; ++i) {
    view.rows().add(missing.data(), range.entries[i]);
  }
  LeftOfCut left_of_cut(view.rows(), range, layout);
  const auto build = [&](int64_t cut, bool missing_left) {
    StatBlock left(words), right(words);
    layout.add(left.data(), left_of_cut.all(cut));
    if (missing_left) {
      layout.add(left.data(), missing.data());
    }
    layout.difference(right.data(), visible.stats, left.data());
    Candidate split =
        make_threshold(view, range, column, cut, missing_left, left.data(), right.data());
    split.left.assign(left.data(), left.data() + words);
    split.weight_seen = visible.stats[kWeight];
    return split;
  };
  const auto offer = [&](int128 cost, int64_t cut, bool missing_left) {
    const int64_t* known = left_of_cut.counts(cut);
    int64_t left[kFirst + 2] = {}, right[kFirst + 2] = {};  // sums are not asked for
    for (const int word : {kRows, kWeight}) {
      left[word] = known[word] + (missing_left ? missing.data()[word] : 0);
      right[word] = visible.stats[word] - left[word];
    }
    if (view.problem.limits.allows(left, right)) {
      visit(cost, [&] { return build(cut, missing_left); });
    }
  };
  const bool has_missing = range.n_known < range.n_rows;
  for (size_t c = 0; c < deviation.cuts.size(); ++c) {
    const int64_t cut = deviation.cuts[c];
    if (has_missing) {
      offer(deviation.left_missing[c] + deviation.right[c], cut, true);
      offer(deviation.left[c] + deviation.right_missing[c], cut, false);
    } else {
      offer(deviation.left[c] + deviation.right[c], cut, false);
    }
  }
  if (has_missing && range.n_known > 0) {
    offer(deviation.known + deviation.missing, 0, true);
  }
}

// Searches one column: use_cuts(deviations) for numbers, use_groups(search, levels) for categories.
template <class Rows, class UseCuts, class UseGroups>
void search_absolute(const NodeView<Rows>& view, const VisibleRows& visible, size_t column,
                     const UseCuts& use_cuts, const UseGroups& use_groups) {
  const Ranked& ranked = view.node.ranked;
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
  view.node.ranked = ranked_rows(view);
  return real(deviation(view.node.ranked, ranks));
}

template <class Rows>
double absolute_gain(const NodeView<Rows>& view, std::vector<std::vector<uint32_t>>& branches) {
  const Ranked& ranked = view.node.ranked;
  std::vector<uint32_t> all;
  int128 cost = 0;
  for (auto& ranks : branches) {
    std::sort(ranks.begin(), ranks.end());
    cost += deviation(ranked, ranks);
    all.insert(all.end(), ranks.begin(), ranks.end());
  }
  std::sort(all.begin(), all.end());
  return real(deviation(ranked, all) - cost) / real(view.stats()[kWeight]);
}

template <class Rows>
double best_absolute(const NodeView<Rows>& view, const VisibleRows& visible, size_t column) {
  double best = kNone;
  search_absolute(
      view, visible, column,
      [&](const CutDeviations& cuts) {
        // The gain falls as the cost rises, so only the least cost is turned into a gain.
        std::optional<int128> least;
        visit_cuts(view, visible, column, cuts,
                   [&](int128 cost, const auto&) { least = std::min(cost, least.value_or(cost)); });
        if (least) {
          best = real(cuts.all - *least) / visible.cost.all_weight();
        }
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
        visit_cuts(view, visible, column, cuts, [&](int128 cost, const auto& build) {
          const double gain = real(cuts.all - cost) / visible.cost.all_weight();
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
