#include "subtree.hpp"

#include <algorithm>
#include <array>

#include "messages.hpp"
#include "sorted_source.hpp"
#include "treewright/frontier.hpp"

namespace treewright::parts {
namespace {

// The arrays of a tree without surrogates, which rows in parts do not have. each(array, n) gets the
// entries per node; 0: any number.
template <class Tree, class Each>
void for_each_array(Tree& tree, size_t n_values, Each each) {
  each(tree.subtree_size, 1);
  each(tree.split_kind, 1);
  each(tree.feature, 1);
  each(tree.threshold, 1);
  each(tree.missing_route, 1);
  each(tree.n_rows, 1);
  each(tree.weight, 1);
  each(tree.weight_squared, 1);
  each(tree.value, n_values);
  each(tree.impurity, 1);
  each(tree.gain, 1);
  each(tree.risk, 1);
  each(tree.label, 1);
  each(tree.stop_reason, 1);
  each(tree.proven, 1);
  each(tree.n_missing, 1);
  each(tree.category_start, 0);
  each(tree.categories, 0);
  each(tree.category_branch, 0);
  each(tree.variance, 0);
  each(tree.quartiles, 0);
}

}  // namespace

std::string OpenSubtree::bytes() const {
  Writer out;
  out.put(key);
  out.put(depth);
  out.put(record.n_rows);
  out.put(record.impurity);
  out.put(record.weight_squared);
  const NumberPart& number = record.number;
  out.put(number.scale.center);
  out.put(static_cast<int32_t>(number.scale.exponent));
  out.put(static_cast<int32_t>(number.scale.centered));
  out.put(number.mean);
  out.put(number.variance);
  out.put(number.quartiles);
  out.put_all(stats);
  return out.sealed();
}

OpenSubtree OpenSubtree::from(std::span<const char> bytes) {
  Reader in(bytes);
  OpenSubtree open;
  open.key = in.get<uint64_t>();
  open.depth = in.get<int32_t>();
  open.record.n_rows = in.get<int64_t>();
  open.record.impurity = in.get<double>();
  open.record.weight_squared = in.get<int128>();
  NumberPart& number = open.record.number;
  number.scale.center = in.get<double>();
  number.scale.exponent = in.get<int32_t>();
  number.scale.centered = in.get<int32_t>() != 0;
  number.mean = in.get<double>();
  number.variance = in.get<double>();
  number.quartiles = in.get<std::array<double, 3>>();
  open.stats = in.get_all<int64_t>();
  return open;
}

TableFacts facts_of(const Table& table) {
  TableFacts facts;
  facts.layout = StatLayout(table.task, table.n_classes);
  facts.n_rows = table.n_rows;
  facts.n_columns = table.columns.size();
  facts.total_weight = table.total_weight;
  facts.weight_unit = table.weight_unit;
  facts.unequal_weights = table.unequal_weights;
  return facts;
}

SplitLimits limits_of(const Table& table, const GrowOptions& options) {
  const auto units = [&](double weight) {
    return units_of_at_least(weight, table.total_weight, table.weight_unit);
  };
  SplitLimits limits;
  limits.min_rows = options.min_samples_leaf;
  limits.min_weight = units(options.min_weight_leaf);
  limits.positive_sum = options.criterion == Criterion::poisson;
  if (options.min_branch_weight > 0.0) {
    limits.min_branch_weight = units(options.min_branch_weight * kNearlyWeight);
  }
  return limits;
}

std::string bytes_of(const FlatTree& tree) {
  Writer out;
  out.put(tree.width);
  for_each_array(tree, 0, [&](const auto& array, size_t) { out.put_all(array); });
  return out.sealed();
}

FlatTree tree_from(std::span<const char> bytes) {
  Reader in(bytes);
  FlatTree tree;
  tree.width = in.get<int64_t>();
  for_each_array(tree, 0, [&](auto& array, size_t) { in.get_all(array); });
  const size_t n = tree.subtree_size.size();
  expect(n > 0 && tree.width > 0);
  for_each_array(tree, size_t(tree.width), [&](const auto& array, size_t per_node) {
    expect(per_node == 0 || array.size() == n * per_node);
  });
  const bool number = !tree.variance.empty();
  expect(tree.variance.size() == (number ? n : 0) && tree.quartiles.size() == (number ? 3 * n : 0));
  expect(tree.category_start.size() == n + 1 && tree.category_start.front() == 0);
  expect(std::is_sorted(tree.category_start.begin(), tree.category_start.end()));
  const auto n_categories = size_t(tree.category_start.back());
  expect(tree.categories.size() == n_categories && tree.category_branch.size() == n_categories);
  return tree;
}

std::string grow_subtree(const Table& table, const GrowOptions& options, std::span<const char> node,
                         Rows&& rows, Control& control) {
  const OpenSubtree open = OpenSubtree::from(node);
  const TableFacts facts = facts_of(table);
  expect(open.stats.size() == size_t(facts.layout.words()));
  Weights weights;
  weights.n_rows = weights.rows = rows.table.n_rows;
  weights.total = open.stats[kWeight];
  weights.unit = table.weight_unit;
  weights.unequal = std::move(rows.weights);
  GivenNode given;
  given.key = open.key;
  given.scale = open.record.number.scale;
  given.stats = open.stats;
  given.limits = limits_of(table, options);
  given.copy_unit = copy_unit(table.n_rows, table.total_weight, table.weight_unit);
  for (const Column& column : table.columns) {
    given.has_many_levels.push_back(column.many_levels);
  }
  GrowOptions alone = options;
  alone.n_threads = 1;
  auto source = make_home_source(rows.table, &rows.table, rows.target, std::move(weights), given,
                                 alone, control);
  NodeRecord record = open.record;
  record.handle = 0;
  Frontier frontier(std::move(source), facts, record, open.stats.data(), open.key, open.depth,
                    alone, control);
  frontier.grow_all();
  return bytes_of(frontier.take_tree());
}

}  // namespace treewright::parts
