// random_node.hpp: an open root node on a random table, for tests of searching and dividing.
#pragma once

#include <algorithm>
#include <memory>

#include "check.hpp"
#include "measure.hpp"
#include "take_entries.hpp"

namespace treewright::testing {

// Two or three classes; with WeightedRows, small whole weights.
template <class Rows>
struct RandomNode {
  RandomNode(Random& random, const RandomTable& random_table, int64_t n, GrowOptions options = {})
      : table(random_table), labels(size_t(n)), weights(size_t(n), 1) {
    const auto n_classes = static_cast<int32_t>(random.whole(2, 3));
    for (size_t row = 0; row < labels.size(); ++row) {
      labels[row] = static_cast<int32_t>(random.whole(0, n_classes - 1));
      weights[row] = Rows::kUnitWeights ? 1 : random.whole(1, 3);
    }
    const SortedTable sorted = sort_table(table.views, n, 1, control);
    Target target;
    target.n_classes = n_classes;
    target.labels = labels.data();
    Weights units;
    units.n_rows = units.rows = n;
    units.total = 0;
    for (const int64_t weight : weights) {
      units.total += weight;
    }
    if (!Rows::kUnitWeights) {
      units.unequal = weights;
    }
    problem = std::make_unique<Problem>(sorted, target, std::move(units), options, control);
    numbering.entries = &entries;
    numbering.n_table_rows = n;
    if constexpr (Rows::kUnitWeights) {
      // As many bits as the labels need: the kernels for two classes rely on one.
      numbering.rows.shift = n_classes;
      numbering.rows.mask = n_classes == 2 ? 1 : 3;
    } else {
      numbering.rows.labels = labels.data();
      numbering.rows.weights = weights.data();
    }
    Team team(1, control);
    entries = take_entries(sorted, nullptr, numbering.rows, *problem, open, team);
    numbering.sides = Sides(n);
    open.end = static_cast<uint32_t>(n);
    open.stats.assign(size_t(problem->layout.words()), 0);
    for (const Entry e : entries[0]) {
      numbering.rows.add(open.stats.data(), e);
    }
    measure(view());
  }

  NodeView<Rows> view() { return {*problem, numbering, open}; }
  bool is_missing(size_t column, int64_t row) const {
    const ColumnView& values = table.views[column];
    return values.kind == Kind::numeric ? std::isnan(values.value(row)) : values.code(row) < 0;
  }
  // The branch of a row by definition.
  int32_t slow_branch(const Candidate& split, int64_t row) const {
    const size_t column = size_t(split.column);
    if (is_missing(column, row)) {
      return split.missing_route;
    }
    if (split.kind == SplitKind::threshold) {
      return table.views[column].value(row) <= split.threshold ? 0 : 1;
    }
    for (size_t i = 0; i < split.categories.size(); ++i) {
      if (split.categories[i] == table.views[column].code(row)) {
        return split.branches[i];
      }
    }
    return split.missing_route;
  }
  // A split from outside at a random row's value or with random categories.
  bool draw_split(Random& random, Candidate& split) {
    const size_t column = size_t(random.whole(0, std::ssize(table.views) - 1));
    const int64_t row = random.whole(0, std::ssize(labels) - 1);
    if (is_missing(column, row)) {
      return false;
    }
    split.column = static_cast<int32_t>(column);
    split.missing_route = static_cast<int32_t>(random.whole(-1, 1));
    if (table.views[column].kind != Kind::categorical) {
      split.kind = SplitKind::threshold;
      split.threshold = table.views[column].value(row);
      return true;
    }
    split.kind = SplitKind::multiway;
    split.n_branches = static_cast<int32_t>(random.whole(2, 4));
    for (int32_t code = 0; code < 20; code += 2) {  // the others are not listed
      split.categories.push_back(code);
      split.branches.push_back(static_cast<int32_t>(random.whole(0, split.n_branches - 1)));
    }
    return true;
  }

  const RandomTable& table;
  std::vector<int32_t> labels;
  std::vector<int64_t> weights;
  Control control;
  std::unique_ptr<Problem> problem;
  RowNumbering<Rows> numbering;
  std::vector<Entries> entries;
  OpenNode open;
};

}  // namespace treewright::testing
