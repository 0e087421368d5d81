// engine_split.hpp: dividing a node, and what is recorded of each child.
#pragma once

#include "engine.hpp"

namespace treewright {

// The first known entry of a sorted column whose value is above this.
template <class Rows>
int64_t Engine<Rows>::first_above(const Space<Rows>& space, const Span& span, size_t column,
                                  double at) const {
  const Entry* end = span.entries + span.n_known;
  const Entry* found = std::partition_point(
      span.entries, end, [&](Entry e) { return views_[column].value(space.row(e)) <= at; });
  return found - span.entries;
}

// Calls visit(entry) for each row of the node that the split sends left.
template <class Rows>
template <class Visit>
void Engine<Rows>::for_each_left(const Space<Rows>& space, const Node& node, const Open& open,
                                 const Candidate& split, const Visit& visit) const {
  const size_t column = size_t(split.column);
  const Span here = span(node, column, known_of(open, column, node));
  if (split.kind == SplitKind::threshold) {
    // A split that a search has found says how many rows go left.
    const int64_t missing_left = split.missing_route == 0 ? here.n_rows - here.n_known : 0;
    const int64_t cut = split.left.empty() ? first_above(space, here, column, split.threshold)
                                           : split.left[kRows] - missing_left;
    std::for_each(here.entries, here.entries + cut, visit);
  } else if (split.kind == SplitKind::subset) {
    bool left = false;
    for (int64_t i = 0; i < here.n_known; ++i) {
      if (i == 0 || (here.entries[i] & kDiffers)) {
        const int32_t code = views_[column].code(space.row(here.entries[i]));
        const auto found = std::lower_bound(split.categories.begin(), split.categories.end(), code);
        left = (found != split.categories.end() && *found == code
                    ? split.branches[size_t(found - split.categories.begin())]
                    : split.missing_route) == 0;
      }
      if (left) {
        visit(here.entries[i]);
      }
    }
  }
  if (split.missing_route == 0) {
    std::for_each(here.entries + here.n_known, here.entries + here.n_rows, visit);
  }
}

template <class Rows>
void Engine<Rows>::add_children(Space<Rows>& space, NodeList& list, const Open& open,
                                const Candidate& split) {
  const Node node = list.nodes[size_t(open.id)];
  const size_t words = size_t(layout_.words());
  std::vector<int64_t> left = split.left, right(words);
  int128 left_squared = 0;
  const bool sum_left = left.empty();  // a split that no search has found
  left.resize(words, 0);
  for_each_left(space, node, open, split, [&](Entry e) {
    space.sides.set(space.rows.row(e));
    if (sum_left) {
      space.rows.add(left.data(), e);
    }
    if constexpr (!Rows::kUnitWeights) {
      const int64_t weight = weight_of(space, e);
      left_squared += int128(weight) * weight;
    }
  });
  layout_.difference(right.data(), list.stats_of(open.id), left.data());
  list.set_split(open.id, split);
  if (sum_left) {
    list.nodes[size_t(open.id)].gain = cost_of(list, open.id).gain(left.data(), right.data());
  }
  list.nodes[size_t(open.id)].first_child = static_cast<int32_t>(list.nodes.size());
  for (int branch = 0; branch < 2; ++branch) {
    const std::vector<int64_t>& stats = branch == 0 ? left : right;
    Node child;
    child.begin = branch == 0 ? node.begin : node.begin + static_cast<uint32_t>(left[kRows]);
    child.end = child.begin + static_cast<uint32_t>(stats[kRows]);
    child.key = child_key(node.key, branch);
    child.depth = node.depth + 1;
    list.add(child, stats.data());
    if constexpr (kNumber) {
      list.numbers.emplace_back();
      list.numbers.back().scale = list.numbers[size_t(open.id)].scale;
    }
    if constexpr (!Rows::kUnitWeights) {
      const int128 all = list.weight_squared[size_t(open.id)];
      list.weight_squared.push_back(branch == 0 ? left_squared : all - left_squared);
    }
  }
}

// Splits an open node. Children that may be split further come back searched.
template <class Rows>
typename Engine<Rows>::Children Engine<Rows>::expand(Space<Rows>& space, NodeList& list,
                                                     const Open& open, const Candidate& split,
                                                     Team* team) {
  add_children(space, list, open, split);
  const Node& node = list.nodes[size_t(open.id)];
  space.scratch.resize(team ? size_t(team->size()) : 1);
  if constexpr (kNumber) {
    space.scratch[0].resize(
        std::max(space.scratch[0].size(), size_t(node.n_rows()) + simd::kBlock));
    partition(entries_.back().data() + node.begin, node.n_rows(), node.n_rows(), Rows::shift,
              space.sides, space.scratch[0].data());
  }
  Children children;
  for (int branch = 0; branch < 2; ++branch) {
    const int32_t id = node.first_child + branch;
    children.open[branch].id = id;
    measure(space, list, id);
    const StopReason reason = stop_before_search(list, id);
    children.searched[branch] = reason == StopReason::none;
    if (reason != StopReason::none) {
      stop(list, id, reason);
    } else if constexpr (kNumber) {
      children.open[branch].coarse = coarsen(space, list.nodes[size_t(id)]);
    }
  }
  const int64_t begin = node.begin, end = begin + list.nodes[size_t(node.first_child)].n_rows();
  // Every row number is cleared again, so that the next split finds all bits 0. The rows that
  // went left come first in every column now; undivided columns are asked as before.
  if (children.searched[0] || children.searched[1]) {
    divide_columns(space, list, open, children, team);
    for (int64_t i = begin; i < end; ++i) {
      space.sides.clear(space.rows.row(entries_[0][size_t(i)]));
    }
  } else {
    for_each_left(space, node, open, split, [&](Entry e) { space.sides.clear(space.rows.row(e)); });
  }
  return children;
}

template <class Rows>
void Engine<Rows>::divide_columns(Space<Rows>& space, NodeList& list, const Open& open,
                                  Children& children, Team* team) {
  const Node& node = list.nodes[size_t(open.id)];
  std::optional<NodeCost> costs[2];
  std::vector<uint8_t> wanted[2];
  for (int branch = 0; branch < 2; ++branch) {
    Open& child = children.open[branch];
    child.known.resize(open.known.size());
    if (children.searched[branch]) {
      child.best.assign(n_columns(), kNone);
      costs[branch].emplace(cost_of(list, child.id));
      wanted[branch] = columns_to_search(list.nodes[size_t(child.id)]);
    }
  }
  const auto divide = [&](size_t c, int worker) {
    std::vector<Entry>& scratch = space.scratch[size_t(worker)];
    scratch.resize(std::max(scratch.size(), size_t(node.n_rows()) + simd::kBlock));
    const Parts parts = partition(entries_[c].data() + node.begin, known_of(open, c, node),
                                  node.n_rows(), space.rows.shift, space.sides, scratch.data());
    if (missing_slot_[c] >= 0) {
      children.open[0].known[size_t(missing_slot_[c])] = static_cast<int32_t>(parts.left_known);
      children.open[1].known[size_t(missing_slot_[c])] = static_cast<int32_t>(parts.right_known);
    }
    for (int branch = 0; branch < 2; ++branch) {
      if (children.searched[branch] && wanted[branch][c]) {
        Open& child = children.open[branch];
        child.best[c] = search_column(space, list, child, *costs[branch], c);
      }
    }
  };
  if (team) {
    team->run(n_columns(), divide);
  } else {
    for (size_t c = 0; c < n_columns(); ++c) {
      divide(c, 0);
    }
  }
}

// ---- what is recorded of a node ----

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
    const Entry* order = target_entries(node);
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
    const bool centered = options_.criterion == Criterion::squared_error;
    const bool measured = number.scale.exponent != std::numeric_limits<int>::min();
    const int64_t high = space.y[space.rows.row(last)], low = space.y[space.rows.row(first)];
    if (!measured || high - (centered ? low : 0) < kShortRange) {
      rescale(space, node, number, stats, minimum, maximum);
    }
    number.mean =
        number.scale.center + number.scale.real(real(get_sum(stats)) / real(stats[kWeight]), 1);
    number.variance = squared_units(space, node, stats) / real(stats[kWeight]);
    node.impurity = centered ? number.variance : poisson_units(space, node, stats);
    set_quartiles(space, node, number, stats);
  }
}

template <class Rows>
void Engine<Rows>::rescale(Space<Rows>& space, const Node& node, NumberPart& number, int64_t* stats,
                           double minimum, double maximum) {
  if constexpr (kNumber) {
    number.scale = Quantiser(minimum, maximum, options_.criterion == Criterion::squared_error);
    const Entry* order = target_entries(node);
    int128 sum = 0;
    for (int64_t i = 0; i < node.n_rows(); ++i) {
      int64_t& y = space.y[space.rows.row(order[i])];
      y = number.scale(target_.values[space.row(order[i])]);
      sum += int128(weight_of(space, order[i])) * y;
    }
    set_sum(stats, sum);
  }
}

// Writes the coarse image of the node's target, where there is a sweep for it.
template <class Rows>
Coarse Engine<Rows>::coarsen(Space<Rows>& space, const Node& node) const {
  Coarse coarse;
  if constexpr (std::is_same_v<Rows, NumberRows>) {
    const int64_t n = node.n_rows();
    if (options_.criterion != Criterion::squared_error || n >= simd::kMostRows) {
      return coarse;
    }
    const Entry* order = target_entries(node);
    const int64_t lowest = space.y[space.rows.row(order[0])];
    const int64_t range = space.y[space.rows.row(order[n - 1])] - lowest;
    coarse = Coarse(range, n, std::sqrt(node.impurity));
    int64_t sum = 0;
    for (int64_t i = 0; i < n; ++i) {
      const uint32_t row = space.rows.row(order[i]);
      space.coarse[row] = static_cast<int32_t>((space.y[row] - lowest) >> coarse.shift);
      sum += space.coarse[row];
    }
    coarse.mean = static_cast<int32_t>(sum / n);
    coarse.rest = static_cast<float>(real(sum % n) / real(n));
  }
  return coarse;
}

// The sum of squares around the mean. Squares of 63-bit numbers are added in two lanes of 64
// bits each, so the sum is exact.
template <class Rows>
double Engine<Rows>::squared_units(const Space<Rows>& space, const Node& node,
                                   const int64_t* stats) const {
  if constexpr (kNumber) {
    const int64_t center = NodeCost::floor_mean(get_sum(stats), stats[kWeight]);
    const Entry* order = target_entries(node);
    uint128 low = 0, high = 0;
    for (int64_t i = 0; i < node.n_rows(); ++i) {
      const int128 deviation = int128(space.y[space.rows.row(order[i])]) - center;
      const uint128 square = uint128(deviation * deviation);
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
    const Entry* order = target_entries(node);
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
  const Entry* order = target_entries(node);
  const auto value = [&](int64_t i) { return target_.values[space.row(order[i])] + 0.0; };
  int64_t below = 0, i = 0;  // weight of the rows before i
  for (int q = 1; q <= 3; ++q) {
    const int128 goal = int128(q) * stats[kWeight];
    if constexpr (Rows::kUnitWeights) {
      i = std::max<int64_t>(0, static_cast<int64_t>((goal + 3) / 4) - 1);
      below = i;
    } else {
      while (4 * int128(below + weight_of(space, order[i])) < goal) {
        below += weight_of(space, order[i++]);
      }
    }
    const bool exact = 4 * int128(below + weight_of(space, order[i])) == goal;
    number.quartiles[size_t(q - 1)] =
        exact && i + 1 < node.n_rows() ? value(i) / 2 + value(i + 1) / 2 : value(i);
  }
}

// The rules that need no search, in the written order.
template <class Rows>
StopReason Engine<Rows>::stop_before_search(const NodeList& list, int32_t id) const {
  const Node& node = list.nodes[size_t(id)];
  const int64_t* stats = list.stats_of(id);
  bool pure;
  if constexpr (kNumber) {
    const Entry* order = target_entries(node);
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
  if (node.n_rows() < options_.min_samples_split) {
    return StopReason::min_samples_split;
  }
  if (node.n_rows() < 2 * rules_.min_rows) {
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
