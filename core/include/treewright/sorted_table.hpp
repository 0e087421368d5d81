// sorted_table.hpp: every column sorted once. Knows no target.
//
// Built once and shared by all trees that grow on the same rows. Weights leave rows out or repeat
// them; rows are never copied. Memory: four bytes per row and column.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "treewright/columns.hpp"
#include "treewright/large_vector.hpp"
#include "treewright/parallel.hpp"
#include "treewright/types.hpp"

namespace treewright {

// The number of missing values of a column and the quartiles of the known ones.
struct Summary {
  int64_t n_missing = 0;
  std::array<double, 5> quartiles{};  // minimum, q1, median, q3, maximum; NaN if none known
};

// The distinct deciles of a column's known values, and how many values are at most each.
struct Deciles {
  std::vector<double> values;
  std::vector<int64_t> counts;
};

using Entries = LargeVector<Entry>;

struct SortedColumn {
  ColumnView view;
  Entries entries;  // row << 1 | differs; known rows ascending, then missing rows
  int64_t n_known = 0;
};

struct SortedTable {
  int64_t n_rows = 0;
  std::vector<SortedColumn> columns;

  Summary summary(size_t column) const;
  Deciles deciles(size_t column) const;
};

// Sorts all columns with a team of threads. Cost: O(rows) per column for ordinary data (two radix
// passes over a monotone 32-bit sketch of the value, then insertion sort of short runs), and
// O(rows log rows) in the worst case.
SortedTable sort_table(const std::vector<ColumnView>& views, int64_t n_rows, int n_threads,
                       const Control& control);

// The same for a numeric vector without missing values (the target of a regression).
Entries sort_values(const double* values, int64_t n_rows, const Control& control);

}  // namespace treewright
