// node_view.hpp: an open node, and a view of it for searching and dividing.
#pragma once

#include <atomic>
#include <vector>

#include "problem.hpp"
#include "row_numbering.hpp"
#include "treewright/medians.hpp"
#include "treewright/threshold_search.hpp"

namespace treewright {

// A node that may still be split: what the frontier records, where its entries lie, and what its
// search has found so far.
struct OpenNode {
  NodeRecord record;
  std::vector<int64_t> stats;
  uint64_t key = kRootKey;
  uint32_t begin = 0, end = 0;    // of its entries, in every column
  std::vector<int32_t> known;     // known rows of each column that has missing values
  std::vector<double> best;       // best score (gain less charge) of each column, up to a margin
  std::vector<Candidate> offers;  // best split of each column, if columns compete by gain ratio
  CoarseImage coarse;             // regression only
  Ranked ranked;                  // the rows by target (absolute error only)

  int64_t n_rows() const { return int64_t(end) - begin; }
};

// The one argument of every search and every division: a node, the numbering that its entries use,
// and the problem that both belong to.
template <class Rows>
struct NodeView {
  static constexpr bool kNumber = Rows::kTask == Task::number;

  const Problem& problem;
  RowNumbering<Rows>& numbering;
  OpenNode& node;

  int64_t n_rows() const { return node.n_rows(); }
  const int64_t* stats() const { return node.stats.data(); }
  const Rows& rows() const { return numbering.rows; }
  NodeCost cost() const {
    return NodeCost(problem.options.criterion, problem.layout, stats(), node.record.impurity);
  }
  int64_t known(size_t column) const {
    const int32_t slot = problem.missing_slot[column];
    return slot < 0 ? n_rows() : node.known[size_t(slot)];
  }
  Entry* entries(size_t column) const { return (*numbering.entries)[column].data() + node.begin; }
  ColumnRange column(size_t column) const { return {entries(column), known(column), n_rows()}; }
  // The rows in the order of their target, which lies behind the columns (regression only).
  const Entry* target_order() const { return entries(problem.n_columns()); }
  // The coarse image of each row's target (regression with unit weights).
  simd::Image coarse_image_of_rows() const {
    return {node.coarse.in_entry ? nullptr : numbering.coarse.data(), numbering.rows.shift};
  }
  double value(size_t column, Entry e) const {
    return problem.views[column].value(numbering.row(e));
  }
  int32_t code(size_t column, Entry e) const {
    return problem.views[column].code(numbering.row(e));
  }
};

// The rows of a node that a search over one column sees: all of them, or those whose value is
// known.
struct VisibleRows {
  ColumnRange range;
  const NodeCost& cost;
  const int64_t* stats;
  CoarseImage coarse;
};

// Applies X to each kind of rows, to instantiate templates.
#define TREEWRIGHT_FOR_ALL_ROWS(X) \
  X(CountedRows) X(WeightedRows) X(NumberRows) X(WeightedNumberRows)

// The best gain of a node's columns so far, shared by the threads that search them. Which of them
// saw it in time makes no difference to the columns that can win.
class BestSoFar {
 public:
  double get() const { return gain_.load(std::memory_order_relaxed); }
  void raise_to(double gain) {
    double now = get();
    while (gain > now && !gain_.compare_exchange_weak(now, gain, std::memory_order_relaxed)) {
    }
  }

 private:
  std::atomic<double> gain_{kNone};
};

}  // namespace treewright
