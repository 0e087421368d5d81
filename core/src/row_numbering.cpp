#include "row_numbering.hpp"

#include <algorithm>
#include <bit>

#include "node_view.hpp"

namespace treewright {
namespace {

// Copies the entries of a node, because divided rows will be added to them.
template <class Rows>
void copy_entries(const NodeView<Rows>& view, RowNumbering<Rows>& into) {
  const std::vector<Entries>& from = *view.numbering.entries;
  const auto n = static_cast<int64_t>(view.n_rows());
  into.entries = &into.own_entries;
  into.own_entries.resize(from.size());
  for (size_t c = 0; c < from.size(); ++c) {
    const auto first = from[c].begin() + view.node.begin;
    into.own_entries[c].assign(first, first + n);
  }
  view.node.begin = 0;
  view.node.end = static_cast<uint32_t>(n);
}

// Copies targets and weights by the new numbers.
template <class Rows>
void copy_rows(const NodeView<Rows>& view, RowNumbering<Rows>& into) {
  const RowNumbering<Rows>& from = view.numbering;
  const auto copy = [&](auto& own, const auto* values) {
    own.resize(into.outer_number.size());
    std::transform(into.outer_number.begin(), into.outer_number.end(), own.begin(),
                   [&](uint32_t number) { return values[number]; });
  };
  if constexpr (!Rows::kUnitWeights) {
    copy(into.own_weights, from.rows.weights);
    if (from.rows.shares) {
      copy(into.own_shares, from.rows.shares);
    }
  }
  if constexpr (std::is_same_v<Rows, WeightedRows>) {
    copy(into.own_labels, from.rows.labels);
  }
  if constexpr (Rows::kTask == Task::number) {
    copy(into.own_y, from.rows.y);
    if constexpr (std::is_same_v<Rows, NumberRows>) {
      copy(into.coarse, from.coarse.data());
    }
    if (view.problem.absolute()) {
      copy(into.rank, from.rank.data());
    }
  }
}

}  // namespace

template <class Rows>
void renumber(const NodeView<Rows>& view, RowNumbering<Rows>& into) {
  RowNumbering<Rows>& from = view.numbering;
  const size_t n = size_t(view.n_rows());
  const int shift = from.rows.shift;
  const Entry low_bits = (Entry(1) << shift) - 1;
  const Entry* first_column = view.entries(0);
  into.n_table_rows = from.n_table_rows;
  into.own_global.resize(n);
  into.outer_number.resize(n);
  for (size_t i = 0; i < n; ++i) {
    const Entry e = first_column[i];
    into.outer_number[i] = e >> shift;
    from.next_entry[e >> shift] = static_cast<Entry>(i) << shift | (e & low_bits & ~kDiffers);
    into.own_global[i] = static_cast<uint32_t>(from.row(e));
  }
  into.rows = from.rows;
  into.entries = from.entries;
  if (view.problem.divides_rows()) {
    copy_entries(view, into);
  }
  copy_rows(view, into);
  into.use_own_storage();
  const NodeView<Rows> moved{view.problem, into, view.node};
  if constexpr (std::is_same_v<Rows, NumberRows>) {
    put_image_into_entries(moved, from.rows, from.next_entry);
  }
  for (size_t c = 0; c < into.entries->size(); ++c) {
    rewrite_entries({moved.entries(c), n}, shift, from.next_entry);
  }
  into.sides = Sides(static_cast<int64_t>(n));
}

void put_image_into_entries(const NodeView<NumberRows>& view, NumberRows before,
                            Entries& next_entry) {
  RowNumbering<NumberRows>& numbering = view.numbering;
  const int bits =
      std::min(31 - static_cast<int>(std::bit_width(numbering.n_numbers() - 1)), kMostImageBits);
  const bool has_room =
      view.problem.options.criterion == Criterion::squared_error && bits >= kFewestImageBits;
  numbering.rows.shift = has_room ? 1 + bits : 1;
  numbering.image_shift = -1;
  const int64_t n = view.n_rows();
  const Entry* order = view.target_order();
  const auto y = [&](int64_t i) { return before.y[before.row(order[i])]; };
  const int64_t low = y(0), range = y(n - 1) - low;
  if (has_room) {
    numbering.image_shift = std::max(0, static_cast<int>(std::bit_width(uint64_t(range))) - bits);
    numbering.image_exponent = view.node.record.number.scale.exponent;
  }
  for (int64_t i = 0; i < n; ++i) {
    Entry& own = next_entry[before.row(order[i])];
    own = own >> before.shift << numbering.rows.shift;
    if (has_room) {
      own |= static_cast<Entry>((y(i) - low) >> numbering.image_shift) << 1;
    }
  }
}

#define X(Rows) template void renumber(const NodeView<Rows>&, RowNumbering<Rows>&);
TREEWRIGHT_FOR_ALL_ROWS(X)
#undef X

}  // namespace treewright
