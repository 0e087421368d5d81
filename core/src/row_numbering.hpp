// row_numbering.hpp: the numbers that the entries of a range use for rows, and what is looked up by
// these numbers.
//
// The whole table starts with the rows' own numbers. A subtree that one thread grows gets numbers
// 0..n-1 of its own, so that everything looked up by row (side, target, weight) fits into a core's
// cache; and within it, subtrees of at most kFewRowNumbers rows get numbers so small that the sides
// of all rows fit into two registers. See README.md for a drawing.
#pragma once

#include <type_traits>
#include <vector>

#include "treewright/partition.hpp"
#include "treewright/rows.hpp"
#include "treewright/sorted_table.hpp"
#include "treewright/target.hpp"

namespace treewright {

template <class Rows>
struct RowNumbering {
  Rows rows;                                // targets and weights, by number
  std::vector<Entries>* entries = nullptr;  // by column; regression: the sorted target last
  const uint32_t* global = nullptr;         // row of the table by number; null: the same
  int64_t n_table_rows = 0;

  Sides sides{0};                // of the node that is being divided
  std::vector<int32_t> branch;   // by number, if two sides are not enough
  std::vector<int8_t> sign;      // by number, while surrogates are searched
  std::vector<Entries> scratch;  // one per worker, for partitions

  // Regression.
  int64_t* y = nullptr;         // what rows.y points to
  std::vector<uint32_t> rank;   // by target value within each open node (absolute error)
  std::vector<int32_t> coarse;  // coarse image of y, by number (see target.hpp)
  int image_shift = -1;         // of the image in the entries; -1: there is none
  int image_exponent = 0;       // of the quantiser whose units the image counts

  // The entry that each row will have in the next, smaller numbering.
  Entries next_entry;

  // Storage of a numbering that is not the table's.
  std::vector<Entries> own_entries;
  LargeVector<uint32_t> own_global;
  std::vector<uint32_t> outer_number;  // number in the numbering that it was made from
  std::vector<int32_t> own_labels;
  std::vector<int64_t> own_weights, own_shares, own_y;

  // Points to the storage, after it has grown.
  void use_own_storage() {
    global = own_global.data();
    if constexpr (!Rows::kUnitWeights) {
      rows.weights = own_weights.data();
      rows.shares = own_shares.empty() ? nullptr : own_shares.data();
    }
    if constexpr (std::is_same_v<Rows, WeightedRows>) {
      rows.labels = own_labels.data();
    }
    if constexpr (Rows::kTask == Task::number) {
      y = own_y.data();
      rows.y = y;
    }
  }
  size_t n_numbers() const { return own_global.empty() ? size_t(n_table_rows) : own_global.size(); }
  int64_t row(Entry e) const {
    const uint32_t number = rows.row(e);
    return global == nullptr ? number : global[number];
  }
  int64_t weight(Entry e) const {
    if constexpr (Rows::kUnitWeights) {
      return 1;
    } else {
      return rows.weights[rows.row(e)];
    }
  }
  // Room for n entries and a block more.
  Entry* scratch_of(int worker, int64_t n) {
    Entries& mine = scratch[size_t(worker)];
    mine.resize(std::max(mine.size(), size_t(n) + simd::kBlock));
    return mine.data();
  }
};

template <class Rows>
struct NodeView;

// Numbers the rows of a node 0..n-1 and copies what is known about them. Its entries are rewritten
// in place (nobody else reads them any more) or, if rows may be divided and need more room, copied;
// the node then begins at 0. The numbering left behind has a next_entry for every row; several
// threads may renumber different nodes of it at once.
template <class Rows>
void renumber(const NodeView<Rows>& node, RowNumbering<Rows>& into);

// Regression with unit weights: puts a coarse image of y into the entries that the rows of a node
// will have. next_entry holds their new numbers, shifted as in `before`, the numbering that the
// entries still have.
void put_image_into_entries(const NodeView<NumberRows>& node, NumberRows before,
                            Entries& next_entry);

// Rewrites the entries of one column, whose row numbers begin at this bit.
inline void rewrite_entries(std::span<Entry> entries, int shift, const Entries& next_entry) {
  for (Entry& e : entries) {
    e = next_entry[e >> shift] | (e & kDiffers);
  }
}

}  // namespace treewright
