#include "treewright/grow.hpp"

#include <bit>

#include "engine.hpp"
#include "engine_absolute.hpp"
#include "engine_branches.hpp"
#include "engine_few.hpp"
#include "engine_measure.hpp"
#include "engine_orders.hpp"
#include "engine_ratio.hpp"
#include "engine_search.hpp"
#include "engine_setup.hpp"
#include "engine_space.hpp"
#include "engine_split.hpp"
#include "engine_surrogates.hpp"
#include "engine_tree.hpp"

namespace treewright {

OneOver::OneOver(int64_t largest) : table_(size_t(largest) + 1, 0.0) {
  for (int64_t n = 1; n <= largest; ++n) {
    table_[size_t(n)] = 1.0 / real(n);
  }
}

simd::Reciprocals::Reciprocals(int64_t largest)
    : largest_(largest), ascending_(size_t(largest) + 1, 0.0f) {
  for (size_t n = 1; n < ascending_.size(); ++n) {
    ascending_[n] = 1.0f / static_cast<float>(n);
  }
  descending_.assign(ascending_.rbegin(), ascending_.rend());
  ascending_.resize(ascending_.size() + kBlock, 0.0f);
  descending_.resize(descending_.size() + kBlock, 0.0f);
}

NLogN::NLogN(int64_t largest) : table_(size_t(largest) + 1, 0) {
  for (int64_t n = 2; n <= largest; ++n) {
    table_[size_t(n)] = std::llrint(std::ldexp(real(n) * std::log2(real(n)), kFraction));
  }
}

namespace {

bool has_missing(const SortedTable& table) {
  return std::any_of(table.columns.begin(), table.columns.end(),
                     [&](const SortedColumn& column) { return column.n_known < table.n_rows; });
}

std::unique_ptr<Grower> make_grower(const SortedTable& table, SortedTable* to_consume,
                                    const Target& target, const double* weights,
                                    const GrowOptions& options, Control& control) {
  Weights units = make_weights(weights, table.n_rows);
  if (options.missing == Missing::fractional && has_missing(table)) {
    units = divisible(units);
  }
  const auto make = [&]<class Rows>(std::type_identity<Rows>) -> std::unique_ptr<Grower> {
    return std::make_unique<Engine<Rows>>(table, to_consume, target, std::move(units), options,
                                          control);
  };
  if (target.task == Task::number) {
    return units.equal() ? make(std::type_identity<NumberRows>{})
                         : make(std::type_identity<WeightedNumberRows>{});
  }
  const auto bits = std::bit_width(uint64_t(std::max(target.n_classes - 1, 0))) +
                    std::bit_width(uint64_t(table.n_rows));
  if (units.equal() && bits + 1 > 32) {
    units = row_by_row(units);
  }
  return units.equal() ? make(std::type_identity<CountedRows>{})
                       : make(std::type_identity<WeightedRows>{});
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
