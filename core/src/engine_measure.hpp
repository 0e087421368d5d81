// engine_measure.hpp: what is recorded of a node, and the rules that make it a leaf unsearched.
#pragma once

#include "engine.hpp"

namespace treewright {

template <class Rows>
void Engine<Rows>::measure(Space<Rows>& space, NodeList& list, int32_t id) {
  Node& node = list.nodes[size_t(id)];
  if constexpr (kNumber) {
    measure_number(space, node, list.numbers[size_t(id)], list.stats_of(id));
  } else {
    node.impurity = cost_of(list, id).impurity();
  }
}

template <class Rows>
void Engine<Rows>::measure_number(Space<Rows>& space, Node& node, NumberPart& number,
                                  int64_t* stats) {
  if constexpr (kNumber) {
    const Entry* order = target_entries(space, node);
    const Entry first = order[0], last = order[node.n_rows() - 1];
    const double minimum = target_.values[space.row(first)] + 0.0;  // never -0.0
    const double maximum = target_.values[space.row(last)];
    if (minimum == maximum) {
      number.mean = minimum;
      number.quartiles.fill(minimum);
      number.variance = node.impurity = 0.0;
      if (number.scale.exponent == std::numeric_limits<int>::min()) {
        rescale(space, node, number, stats, minimum, maximum);
      }
      return;
    }
    const bool centered = options_.criterion != Criterion::poisson;
    const bool measured = number.scale.exponent != std::numeric_limits<int>::min();
    const int64_t high = space.y[space.rows.row(last)], low = space.y[space.rows.row(first)];
    if (!measured || high - (centered ? low : 0) < kShortRange) {
      rescale(space, node, number, stats, minimum, maximum);
    }
    number.mean =
        number.scale.center + number.scale.real(real(get_sum(stats)) / real(stats[kWeight]), 1);
    number.variance = squared_units(space, node, stats) / real(stats[kWeight]);
    set_quartiles(space, node, number, stats);
    switch (options_.criterion) {
      case Criterion::poisson:
        node.impurity = poisson_units(space, node, stats);
        break;
      case Criterion::absolute_error:
        set_ranks(space, node);
        node.impurity = absolute_units(space, node, stats);
        number.mean = number.quartiles[1];  // what such a node answers
        break;
      default:
        node.impurity = number.variance;
    }
  }
}

template <class Rows>
void Engine<Rows>::rescale(Space<Rows>& space, const Node& node, NumberPart& number, int64_t* stats,
                           double minimum, double maximum) {
  if constexpr (kNumber) {
    number.scale = Quantiser(minimum, maximum, options_.criterion != Criterion::poisson);
    const Quantiser::Images images = number.scale.images();
    const Entry* order = target_entries(space, node);
    // The rows of a whole table are taken as they come: to jump among them takes far longer.
    const bool whole = space.global == nullptr && node.n_rows() == weights_.n_rows;
    int128 sum = 0;
    for (int64_t i = 0; i < node.n_rows(); ++i) {
      const Entry e = whole ? static_cast<Entry>(i) << space.rows.shift : order[i];
      int64_t& y = space.y[space.rows.row(e)];
      y = images(target_.values[space.row(e)]);
      sum += int128(weight_of(space, e)) * y;
    }
    set_sum(stats, sum);
  }
}

// The coarse image of the node's target, where there is a sweep for it: the one in the entries
// if it is fine enough for the node, otherwise written by row.
template <class Rows>
Coarse Engine<Rows>::coarsen(Space<Rows>& space, const NodeList& list, int32_t id,
                             bool rough_will_do) const {
  Coarse coarse;
  if constexpr (std::is_same_v<Rows, NumberRows>) {
    const Node& node = list.nodes[size_t(id)];
    const int64_t n = node.n_rows();
    if (options_.criterion != Criterion::squared_error || n >= simd::kMostRows) {
      return coarse;
    }
    const Entry* order = target_entries(space, node);
    const double deviation = std::sqrt(node.impurity);
    int64_t sum = 0;
    const bool rough = space.n_numbers(weights_.n_rows) > size_t(kFewRowNumbers);
    if (space.image_shift >= 0 && (!rough || rough_will_do) &&
        deviation >= std::ldexp(kFewestUnits, space.image_shift) &&
        list.numbers[size_t(id)].scale.exponent == space.image_exponent) {
      coarse.shift = space.image_shift;
      coarse.in_entry = true;
      coarse.rough = rough;
      for (int64_t i = 0; i < n; ++i) {
        sum += image_in(order[i], space.rows.shift);
      }
    } else {
      const int64_t lowest = space.y[space.rows.row(order[0])];
      const int64_t range = space.y[space.rows.row(order[n - 1])] - lowest;
      coarse = Coarse(range, n, deviation);
      for (int64_t i = 0; i < n; ++i) {
        const uint32_t row = space.rows.row(order[i]);
        space.coarse[row] = static_cast<int32_t>((space.y[row] - lowest) >> coarse.shift);
        sum += space.coarse[row];
      }
    }
    coarse.mean = static_cast<int32_t>(sum / n);
    coarse.rest = static_cast<float>(real(sum % n) / real(n));
  }
  return coarse;
}

// The sum of squares around the mean. Squares of 63-bit numbers (see Quantiser) are added in two
// lanes of 64 bits each, so the sum is exact.
template <class Rows>
double Engine<Rows>::squared_units(const Space<Rows>& space, const Node& node,
                                   const int64_t* stats) const {
  if constexpr (kNumber) {
    const int64_t center = NodeCost::floor_mean(get_sum(stats), stats[kWeight]);
    const Entry* order = target_entries(space, node);
    uint128 low = 0, high = 0;
    for (int64_t i = 0; i < node.n_rows(); ++i) {
      const int64_t deviation = space.y[space.rows.row(order[i])] - center;
      const uint128 square = uint128(int128(deviation) * deviation);
      const auto weight = static_cast<uint64_t>(weight_of(space, order[i]));
      low += uint128(weight) * uint64_t(square);
      high += uint128(weight) * uint64_t(square >> 64);
    }
    const double remainder = real(get_sum(stats) - int128(center) * stats[kWeight]);
    return static_cast<double>(high) * 18446744073709551616.0 + static_cast<double>(low) -
           remainder * remainder / real(stats[kWeight]);
  }
  return 0.0;
}

// Half the mean deviance, mean(y ln(y / mean)), in units. Runs of equal y are added in
// ascending order, so the sum does not depend on the order of the rows.
template <class Rows>
double Engine<Rows>::poisson_units(const Space<Rows>& space, const Node& node,
                                   const int64_t* stats) const {
  if constexpr (kNumber) {
    const Entry* order = target_entries(space, node);
    const int64_t center = NodeCost::floor_mean(get_sum(stats), stats[kWeight]);
    const double weight = real(stats[kWeight]), mean = real(get_sum(stats)) / weight;
    const double rest = real(get_sum(stats) - int128(center) * stats[kWeight]) / weight;
    double sum = 0.0;
    for (int64_t i = 0; i < node.n_rows();) {
      const int64_t y = space.y[space.rows.row(order[i])];
      int64_t run = 0;
      do {
        run += weight_of(space, order[i++]);
      } while (i < node.n_rows() && !(order[i] & kDiffers));
      sum += real(run) * poisson_term((real(y - center) - rest) / mean);
    }
    return mean * sum / weight;
  }
  return 0.0;
}

// The smallest value whose cumulative weight reaches a quarter, half, three quarters; the
// mean of two neighbours where it is reached exactly.
template <class Rows>
void Engine<Rows>::set_quartiles(const Space<Rows>& space, const Node& node, NumberPart& number,
                                 const int64_t* stats) const {
  const Entry* order = target_entries(space, node);
  const auto value = [&](int64_t i) { return target_.values[space.row(order[i])] + 0.0; };
  // Parts of divided rows are rounded: nearly reached is reached.
  const auto slack = static_cast<int128>(divides() ? 4e-9 * real(stats[kWeight]) : 0.0);
  int64_t below = 0, i = 0;  // weight of the rows before i
  for (int q = 1; q <= 3; ++q) {
    const int128 goal = int128(q) * stats[kWeight];
    if constexpr (Rows::kUnitWeights) {
      i = std::max<int64_t>(0, static_cast<int64_t>((goal + 3) / 4) - 1);
      below = i;
    } else {
      while (4 * int128(below + weight_of(space, order[i])) < goal - slack) {
        below += weight_of(space, order[i++]);
      }
    }
    const bool exact = 4 * int128(below + weight_of(space, order[i])) <= goal + slack;
    number.quartiles[size_t(q - 1)] =
        exact && i + 1 < node.n_rows() ? value(i) / 2 + value(i + 1) / 2 : value(i);
  }
}

// The rules that need no search, in the written order.
template <class Rows>
StopReason Engine<Rows>::stop_before_search(const Space<Rows>& space, const NodeList& list,
                                            int32_t id) const {
  const Node& node = list.nodes[size_t(id)];
  const int64_t* stats = list.stats_of(id);
  bool pure;
  if constexpr (kNumber) {
    const Entry* order = target_entries(space, node);
    pure = std::none_of(order + 1, order + node.n_rows(), [](Entry e) { return e & kDiffers; });
  } else {
    pure = std::any_of(stats + kFirst, stats + layout_.words(),
                       [&](int64_t weight) { return weight == stats[kWeight]; });
  }
  if (pure) {
    return StopReason::pure;
  }
  if (node.depth >= options_.max_depth) {
    return StopReason::max_depth;
  }
  if (stats[kRows] < units_of_rows(options_.min_samples_split, 2)) {
    return StopReason::min_samples_split;
  }
  if (stats[kRows] < 2 * rules_.min_rows) {
    return StopReason::min_samples_leaf;
  }
  if (real(stats[kWeight]) * weights_.unit < 2 * options_.min_weight_leaf) {
    return StopReason::min_weight_fraction_leaf;
  }
  return StopReason::none;
}

template <class Rows>
void Engine<Rows>::stop(NodeList& list, int32_t id, StopReason reason) {
  list.nodes[size_t(id)].stop = reason;
  control_.rows_done.fetch_add(list.nodes[size_t(id)].n_rows(), std::memory_order_relaxed);
}

}  // namespace treewright
