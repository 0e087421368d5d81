// run_search.hpp: the best split of a column given as runs of statistics.
//
// A run is a set of rows with the same value: a code, a bin, a category, or the missing rows,
// which come last. Who counted them, and where, does not matter: statistics of parts of a
// table are added word by word, and the split found is the one of the whole table.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "treewright/category_search.hpp"
#include "treewright/split.hpp"

namespace treewright {

// One column at one node. values[code] is the number a code stands for (empty: a category).
struct Runs {
  Levels levels;
  std::vector<double> values;
  double charge = 0.0;  // see charge_of_levels
};

// The split that growing takes: the first of the best over all columns, or a leaf if nothing
// is allowed. impurity: see NodeCost.
Candidate best_of_runs(const std::vector<Runs>& columns, Criterion criterion, const Layout& layout,
                       const Rules& rules, const int64_t* node, double impurity);

// Adds the rows of a part of a table to the statistics of (node, code): node by row (negative:
// none of these nodes), code by row (negative: missing, counted behind the last code).
// labels or y (integers) by row; weights null: each row counts 1.
struct Part {
  std::span<const int32_t> nodes, codes;
  const int32_t* labels = nullptr;
  const int64_t* y = nullptr;
  const int64_t* weights = nullptr;
};
void add_histogram(const Part& part, int32_t n_codes, const Layout& layout, int64_t* stats);

}  // namespace treewright
