#include "treewright/grow.hpp"

#include <algorithm>

#include "sorted_source.hpp"
#include "treewright/frontier.hpp"

namespace treewright {
namespace {

bool has_missing(const SortedTable& table) {
  return std::any_of(table.columns.begin(), table.columns.end(),
                     [&](const SortedColumn& column) { return column.n_known < table.n_rows; });
}

// Weights in the form that growing needs: divisible if rows may be divided.
Weights weights_for(const SortedTable& table, const double* weights, const GrowOptions& options) {
  Weights units = make_weights(weights, table.n_rows);
  return options.missing == Missing::fractional && has_missing(table) ? divisible(units) : units;
}

std::unique_ptr<Grower> make_grower(const SortedTable& table, SortedTable* to_consume,
                                    const Target& target, const double* weights,
                                    const GrowOptions& options, Control& control) {
  auto source = make_sorted_source(table, to_consume, target, weights_for(table, weights, options),
                                   options, control);
  return std::make_unique<Frontier>(std::move(source), options, control);
}

}  // namespace

std::unique_ptr<Grower> make_grower(SortedTable&& table, const Target& target,
                                    const double* weights, const GrowOptions& options,
                                    Control& control) {
  return make_grower(table, &table, target, weights, options, control);
}

std::unique_ptr<Grower> make_grower(const SortedTable& table, const Target& target,
                                    const double* weights, const GrowOptions& options,
                                    Control& control) {
  return make_grower(table, nullptr, target, weights, options, control);
}

}  // namespace treewright
