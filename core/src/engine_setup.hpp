// engine_setup.hpp: from a sorted table and a target to an open root.
#pragma once

#include "engine.hpp"
#include "engine_space.hpp"

namespace treewright {

template <class Rows>
Engine<Rows>::Engine(const SortedTable& table, SortedTable* to_consume, const Target& target,
                     Weights&& weights, const GrowOptions& options, Control& control)
    : options_(options),
      control_(control),
      target_(target),
      weights_(std::move(weights)),
      layout_(target.task, target.n_classes),
      list_(layout_.words()) {
  control_.rows_total = weights_.rows;
  for (const SortedColumn& column : table.columns) {
    all_columns_.push_back(views_.size());
    views_.push_back(column.view);
  }
  set_rules();
  set_rows();
  const auto team = make_team(table.n_rows);
  take_entries(table, to_consume, *team);
  add_root(*team);
}

template <class Rows>
void Engine<Rows>::set_rules() {
  set_share_unit();
  rules_.whole_rows = share_unit_ == 1;
  rules_.min_rows = units_of_rows(options_.min_samples_leaf, 1);
  rules_.min_weight = units_of_at_least(options_.min_weight_leaf);
  if (options_.min_branch_weight > 0.0) {
    rules_.min_branch_weight = units_of_at_least(options_.min_branch_weight * kNearlyWeight);
  }
  rules_.positive_sum = options_.criterion == Criterion::poisson;
  one_over_ = std::make_unique<OneOver>(std::min(weights_.rows, simd::kRowsOfTable));
  reciprocals_ = std::make_unique<simd::Reciprocals>(std::min(weights_.rows, simd::kSumsOfRows));
  if (options_.criterion == Criterion::entropy && Rows::kUnitWeights) {
    n_log_n_ = std::make_unique<NLogN>(weights_.rows);
  }
}

// A divided row counts by its share in rules that count rows. Two rows in a node and one in a
// branch are no rules: there any share will do.
template <class Rows>
void Engine<Rows>::set_share_unit() {
  if (divides() && (options_.min_samples_leaf > 1 || options_.min_samples_split > 2)) {
    share_unit_ = int64_t(1) << (61 - std::bit_width(uint64_t(weights_.rows)));
  }
  if (divides() && !options_.charge_cuts) {
    // Otherwise a row that misses many values would be followed into ever smaller parts. Where
    // nothing is missing every branch has a whole row, so this forbids nothing there.
    int64_t lightest = weights_.total;
    for (const int64_t weight : weights_.unequal) {
      lightest = weight > 0 ? std::min(lightest, weight) : lightest;
    }
    rules_.min_branch_weight = std::llrint(std::floor(real(lightest) * kNearlyWeight));
  }
}

// So many rows, in units of shares (up to rounding) where they are divided.
template <class Rows>
int64_t Engine<Rows>::units_of_rows(int64_t rows, int64_t no_rule) const {
  if (share_unit_ == 1) {
    return rows;
  }
  return rows == no_rule ? 1 : std::llrint(real(rows) * real(share_unit_) * kNearlyWeight);
}

// The fewest units that weigh at least so much; no branch has more than the total.
template <class Rows>
int64_t Engine<Rows>::units_of_at_least(double weight) const {
  if (weight > real(weights_.total) * weights_.unit) {
    return weights_.total + 1;
  }
  int64_t units = std::llrint(std::floor(weight / weights_.unit));
  while (real(units) * weights_.unit < weight) {
    ++units;
  }
  return units;
}

template <class Rows>
void Engine<Rows>::set_rows() {
  space_.entries = &entries_;
  if constexpr (std::is_same_v<Rows, CountedRows>) {
    const int bits = std::bit_width(uint32_t(target_.n_classes - 1));
    space_.rows.shift = 1 + bits;
    space_.rows.mask = (Entry(1) << bits) - 1;
    if (bits <= 8) {
      packed_labels_ = PackedLabels(target_.labels, size_t(weights_.n_rows), bits);
    }
  } else if constexpr (Rows::kTask == Task::classes) {
    space_.rows.labels = target_.labels;
    space_.rows.weights = weights_.unequal.data();
  } else if constexpr (!Rows::kUnitWeights) {
    space_.rows.weights = weights_.unequal.data();
  }
  if constexpr (!Rows::kUnitWeights) {
    if (divides()) {  // rows will be added
      space_.own_global.resize(size_t(weights_.n_rows));
      std::iota(space_.own_global.begin(), space_.own_global.end(), uint32_t(0));
      space_.own_weights = weights_.unequal;
      if (share_unit_ > 1) {
        space_.own_shares.assign(size_t(weights_.n_rows), share_unit_);
      }
      if constexpr (!kNumber) {
        space_.own_labels.assign(target_.labels, target_.labels + weights_.n_rows);
      }
      space_.point_to_own();
    }
  }
}

template <class Rows>
Entry Engine<Rows>::with_label(uint32_t row, Entry differs) const {
  if constexpr (std::is_same_v<Rows, CountedRows>) {
    const Entry label = packed_labels_.empty() ? Entry(target_.labels[row]) : packed_labels_[row];
    return row << space_.rows.shift | label << 1 | differs;
  } else {
    return row << 1 | differs;
  }
}

// Rows of weight 0 are left out here, and nowhere else. The entries of a table that is not to be
// consumed are filtered while they are copied.
template <class Rows>
void Engine<Rows>::take_entries(const SortedTable& table, SortedTable* to_consume, Team& team) {
  constexpr bool kLabelsInEntries = std::is_same_v<Rows, CountedRows>;
  const bool all_rows = weights_.rows == table.n_rows;
  std::vector<uint8_t> is_present(all_rows ? 0 : size_t(table.n_rows));
  for (size_t row = 0; row < is_present.size(); ++row) {
    is_present[row] = weights_.units(row) > 0;
  }
  // Writes the entries of rows that count; a row left out hands its "differs" bit to the next
  // one. `to` may be `from`, and has room for one more than will stay. Returns how many stay.
  const auto keep_present = [&](const Entry* from, size_t first, size_t last, Entry* to,
                                size_t kept, Entry& pending) {
    for (size_t i = first; i < last; ++i) {
      const uint32_t row = from[i] >> 1;
      const bool stays = all_rows || is_present[row] != 0;
      pending |= from[i] & kDiffers;
      to[kept] = with_label(row, pending);
      kept += stays;
      pending = stays ? 0 : pending;
    }
    return kept;
  };
  std::vector<int64_t> n_known(n_columns());
  const auto take = [&](size_t c, int) {
    const SortedColumn& column = table.columns[c];
    const Entry* from = column.entries.data();
    const size_t n = column.entries.size();
    Entries own;
    if (to_consume != nullptr) {
      own = std::move(to_consume->columns[c].entries);  // where `from` points to still
      if (all_rows && !kLabelsInEntries) {
        n_known[c] = column.n_known;
        entries_[c] = std::move(own);
        return;
      }
    } else {
      own.resize(std::min(n, size_t(weights_.rows) + 1));
    }
    Entry pending = 0;
    const auto middle = size_t(column.n_known);
    const size_t known = keep_present(from, 0, middle, own.data(), 0, pending);
    n_known[c] = static_cast<int64_t>(known);
    own.resize(keep_present(from, middle, n, own.data(), known, pending));
    entries_[c] = std::move(own);
  };
  const auto take_target = [&] {
    Entries& order = entries_.back();
    order = sort_values(target_.values, table.n_rows, control_);
    Entry pending = 0;
    order.resize(keep_present(order.data(), 0, order.size(), order.data(), 0, pending));
  };
  entries_.resize(n_columns() + (kNumber ? 1 : 0));
  team.run(entries_.size(), [&](size_t task, int worker) {
    const size_t c = entries_.size() - 1 - task;  // the target, which takes longest, first
    if (c < n_columns()) {
      take(c, worker);
    } else {
      take_target();
    }
  });
  has_many_levels_.assign(n_columns(), 0);
  for (size_t c = 0; c < n_columns(); ++c) {
    if (options_.charge_levels && views_[c].kind == Kind::categorical) {
      // The first entry may or may not differ from one before it; all others tell.
      const auto known = std::span(entries_[c]).first(size_t(n_known[c]));
      const auto later = known.subspan(std::min<size_t>(1, known.size()));
      const auto differing =
          std::count_if(later.begin(), later.end(), [](Entry e) { return (e & kDiffers) != 0; });
      has_many_levels_[c] = differing >= kFewLevels;  // and the first one
    }
  }
  packed_labels_ = {};
  missing_slot_.assign(n_columns(), -1);
  Open root;
  for (size_t c = 0; c < n_columns(); ++c) {
    if (n_known[c] < weights_.rows) {
      missing_slot_[c] = static_cast<int32_t>(root.known.size());
      root.known.push_back(static_cast<int32_t>(n_known[c]));
    }
  }
  root.in_place = all_rows && kLabelsInEntries;
  open_[0] = std::move(root);
  space_.sides = Sides(table.n_rows);
}

template <class Rows>
void Engine<Rows>::add_root(Team& team) {
  Node root;
  root.end = static_cast<uint32_t>(weights_.rows);
  std::vector<int64_t> stats(size_t(layout_.words()), 0);
  const auto n_rows = static_cast<size_t>(weights_.n_rows);
  if constexpr (kNumber) {
    space_.own_y.resize(n_rows);
    space_.y = space_.own_y.data();
    space_.rows.y = space_.y;
    list_.numbers.emplace_back();
    list_.numbers[0].scale.exponent = std::numeric_limits<int>::min();  // not measured yet
  }
  int128 weight_squared = 0;
  for (size_t row = 0; row < n_rows; ++row) {
    const int64_t weight = weights_.units(row);
    stats[kRows] += weight > 0 ? share_unit_ : 0;
    stats[kWeight] += weight;
    weight_squared += int128(weight) * weight;
    if constexpr (!kNumber) {
      stats[size_t(kFirst + target_.labels[row])] += weight;
    }
  }
  list_.add(root, stats.data());
  if (options_.missing == Missing::surrogate) {
    list_.surrogates.emplace_back();
  }
  if constexpr (!Rows::kUnitWeights) {
    list_.weight_squared.push_back(weight_squared);
  }
  measure(space_, list_, 0);
  Open& open = open_.at(0);
  open.id = 0;
  open.best.assign(n_columns(), kNone);
  open.offers.resize(options_.gain_ratio ? n_columns() : 0);
  const StopReason reason = stop_before_search(space_, list_, 0);
  if (reason != StopReason::none) {
    stop(list_, 0, reason);
    open_.clear();
    return;
  }
  if constexpr (kNumber) {
    space_.coarse.resize(n_rows);
    if constexpr (std::is_same_v<Rows, NumberRows>) {
      Entries& next_entry = space_.next_entry;  // the numbers stay
      next_entry.resize(n_rows);
      for (size_t row = 0; row < n_rows; ++row) {
        next_entry[row] = static_cast<Entry>(row) << 1;
      }
      put_image_into_entries(space_, space_.rows, next_entry, list_, 0);
      rewrite_entries(entries_.back(), list_.nodes[0], 1, next_entry);
    }
    open.coarse = coarsen(space_, list_, 0, true);
  }
  const NodeCost cost = cost_of(list_, 0);
  std::vector<size_t> drawn;
  const std::span<const size_t> wanted = columns_to_search(list_.nodes[0], drawn);
  BestSoFar best;
  team.run(n_columns(), [&](size_t c, int) {
    if constexpr (std::is_same_v<Rows, NumberRows>) {
      rewrite_entries(entries_[c], list_.nodes[0], 1, space_.next_entry);
    }
    if (std::binary_search(wanted.begin(), wanted.end(), c)) {
      search(space_, list_, open, cost, std::span(&c, 1), best);
    }
  });
}

}  // namespace treewright
