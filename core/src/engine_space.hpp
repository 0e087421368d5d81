// engine_space.hpp: a numbering of its own for the rows of a subtree, so that what is looked up
// by row fits a core's cache.
#pragma once

#include "engine.hpp"

namespace treewright {

// Rewrites the entries of a node in one column; they have this shift.
inline void rewrite_entries(Entries& column, const Node& node, int shift,
                            const Entries& next_entry) {
  Entry* entries = column.data() + node.begin;
  for (int64_t i = 0; i < node.n_rows(); ++i) {
    entries[i] = next_entry[entries[i] >> shift] | (entries[i] & kDiffers);
  }
}

// Sets new numbers for the rows of a node; those that go behind have them from `middle` on. Its
// entries get them when they are divided; the searches that follow at once look up rows of the
// table by them.
template <class Rows>
void Engine<Rows>::renumber(Space<Rows>& space, const Node& node, uint32_t middle) const {
  space.renumbering.set(space.sides, node.begin, middle, node.end);
  if (space.own_global.empty()) {
    space.own_global.resize(size_t(weights_.n_rows));
    std::iota(space.own_global.begin(), space.own_global.end(), uint32_t(0));
    space.global = space.own_global.data();
  }
  partition_by_row(space.own_global.data(), node.begin, node.end, space.sides,
                   scratch_of(space, 0, node.n_rows()));
}

// Renumbers the rows of a node 0..n-1 and copies their targets. The entries of its range are
// rewritten in place (from here on nobody else reads them) or, where rows may be divided and
// take more room, copied.
template <class Rows>
void Engine<Rows>::enter_own_space(Space<Rows>& space, Space<Rows>& from, NodeList& list,
                                   const Open& open) const {
  Node& node = list.nodes[size_t(open.id)];
  const size_t n = size_t(node.n_rows()), begin = node.begin;
  const int shift = from.rows.shift;
  const Entry low = (Entry(1) << shift) - 1;
  space.rows = from.rows;
  space.entries = from.entries;
  if (open.in_place) {  // nothing is looked up
    space.own_global.resize(n);
    for (size_t i = 0; i < n; ++i) {
      space.own_global[i] = static_cast<uint32_t>(from.row(static_cast<Entry>(begin + i) << shift));
    }
    space.point_to_own();
    for (Entries& column : *space.entries) {
      for (Entry& entry : std::span(column).subspan(begin, n)) {
        entry -= static_cast<Entry>(begin) << shift;
      }
    }
    space.sides = Sides(static_cast<int64_t>(n));
    return;
  }
  if (divides()) {  // entries will be added, beyond the end of what the others use
    space.entries = &space.own_entries;
    space.own_entries.resize(from.entries->size());
    for (size_t c = 0; c < from.entries->size(); ++c) {
      const auto first = (*from.entries)[c].begin() + static_cast<int64_t>(begin);
      space.own_entries[c].assign(first, first + static_cast<int64_t>(n));
    }
    node.begin = 0;
    node.end = static_cast<uint32_t>(n);
  }
  space.own_global.resize(n);
  std::vector<uint32_t>& number = space.own_number;  // in the numbering left behind
  number.resize(n);
  for (size_t i = 0; i < n; ++i) {
    const Entry entry = (*from.entries)[0][begin + i];
    number[i] = entry >> shift;
    from.next_entry[number[i]] = static_cast<Entry>(i) << shift | (entry & low & ~kDiffers);
    space.own_global[i] = static_cast<uint32_t>(from.row(entry));
  }
  const auto copy = [&](auto& own, const auto* values) {
    own.resize(n);
    for (size_t i = 0; i < n; ++i) {
      own[i] = values[number[i]];
    }
  };
  if constexpr (!Rows::kUnitWeights) {
    copy(space.own_weights, from.rows.weights);
    if (from.rows.shares) {
      copy(space.own_shares, from.rows.shares);
    }
  }
  if constexpr (std::is_same_v<Rows, WeightedRows>) {
    copy(space.own_labels, from.rows.labels);
  }
  if constexpr (kNumber) {
    copy(space.own_y, from.rows.y);
    if constexpr (std::is_same_v<Rows, NumberRows>) {
      copy(space.coarse, from.coarse.data());
    }
    if (options_.criterion == Criterion::absolute_error) {
      copy(space.rank, from.rank.data());
    }
  }
  space.point_to_own();
  if constexpr (std::is_same_v<Rows, NumberRows>) {
    put_image_into_entries(space, from.rows, from.next_entry, list, open.id);
  }
  for (Entries& column : *space.entries) {
    rewrite_entries(column, node, shift, from.next_entry);
  }
  space.sides = Sides(static_cast<int64_t>(n));
}

// Puts the coarse image of y into the entries that the rows of a node will have. next_entry holds
// their new numbers, shifted as in the numbering `before`, which the node's entries still have.
template <class Rows>
void Engine<Rows>::put_image_into_entries(Space<Rows>& space, const Rows before,
                                          Entries& next_entry, const NodeList& list,
                                          int32_t id) const {
  const size_t n_numbers = space.n_numbers(weights_.n_rows);
  const int bits = std::min(31 - static_cast<int>(std::bit_width(n_numbers - 1)), kMostImageBits);
  space.image_shift = -1;
  space.rows.shift = 1;
  if (options_.criterion == Criterion::squared_error && bits >= kFewestImageBits) {
    space.rows.shift = 1 + bits;
  }
  const int64_t n = list.nodes[size_t(id)].n_rows();
  const Entry* order = target_entries(space, list.nodes[size_t(id)]);
  const auto y = [&](int64_t i) { return before.y[before.row(order[i])]; };
  const int64_t low = y(0), range = y(n - 1) - low;
  if (space.rows.shift > 1) {
    space.image_shift = std::max(0, static_cast<int>(std::bit_width(uint64_t(range))) - bits);
    space.image_exponent = list.numbers[size_t(id)].scale.exponent;
  }
  for (int64_t i = 0; i < n; ++i) {
    Entry& own = next_entry[before.row(order[i])];
    own = own >> before.shift << space.rows.shift;
    if (space.image_shift >= 0) {
      own |= static_cast<Entry>((y(i) - low) >> space.image_shift) << 1;
    }
  }
}

}  // namespace treewright
