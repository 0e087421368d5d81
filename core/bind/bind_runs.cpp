#include "bind_runs.hpp"

#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "candidates.hpp"
#include "treewright/run_search.hpp"
#include "treewright/target.hpp"

namespace treewright::bind {
namespace {

template <class T>
using Vector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Matrix = nb::ndarray<const int64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <class T>
const T* data_or_null(const nb::object& array, Vector<T>& kept, size_t size) {
  if (array.is_none()) {
    return nullptr;
  }
  kept = nb::cast<Vector<T>>(array);
  if (kept.size() != size) {
    throw std::invalid_argument("the target, the weights and the codes differ in length");
  }
  return kept.data();
}

nb::object histogram(const Vector<int32_t>& nodes, const Vector<int32_t>& codes, size_t n_nodes,
                     int32_t n_codes, int n_classes, const nb::object& labels, const nb::object& y,
                     const nb::object& weights) {
  const Layout layout(labels.is_none() ? Task::number : Task::classes, n_classes);
  Vector<int32_t> kept_labels;
  Vector<int64_t> kept_y, kept_weights;
  Part part;
  part.nodes = {nodes.data(), nodes.size()};
  part.codes = {codes.data(), codes.size()};
  part.labels = data_or_null(labels, kept_labels, nodes.size());
  part.y = data_or_null(y, kept_y, nodes.size());
  part.weights = data_or_null(weights, kept_weights, nodes.size());
  if (codes.size() != nodes.size()) {
    throw std::invalid_argument("the target, the weights and the codes differ in length");
  }
  const size_t words = static_cast<size_t>(layout.words()), runs = static_cast<size_t>(n_codes) + 1;
  std::vector<int64_t> stats(n_nodes * runs * words, 0);
  add_histogram(part, n_codes, layout, stats.data());
  return to_numpy(std::move(stats), {n_nodes, runs, words});
}

nb::dict best_split(const nb::sequence& columns, int criterion, bool number, double impurity,
                    int64_t min_rows, int64_t min_weight, const std::vector<bool>& many_levels,
                    double unit) {
  std::vector<Runs> all;
  std::vector<int64_t> node;
  size_t words = 0;
  for (nb::handle column : columns) {
    const auto pair = nb::cast<nb::tuple>(column);
    const auto stats = nb::cast<Matrix>(pair[0]);
    words = stats.shape(1);
    Runs runs;
    if (!pair[1].is_none()) {
      const auto values = nb::cast<Vector<double>>(pair[1]);
      runs.values.assign(values.data(), values.data() + values.size());
    }
    for (size_t code = 0; code < stats.shape(0); ++code) {
      const int64_t* run = stats.data() + code * words;
      if (run[kRows] > 0) {
        const bool missing = code + 1 == stats.shape(0);
        runs.levels.codes.push_back(missing ? kMissing : static_cast<int32_t>(code));
        runs.levels.stats.insert(runs.levels.stats.end(), run, run + words);
      }
    }
    all.push_back(std::move(runs));
  }
  const Layout layout(number ? Task::number : Task::classes, static_cast<int>(words) - kFirst);
  node.assign(words, 0);
  if (!all.empty()) {
    for (size_t run = 0; run < all[0].levels.codes.size(); ++run) {
      layout.add(node.data(), all[0].levels.stats.data() + run * words);
    }
  }
  const auto given = static_cast<Criterion>(criterion);
  if (!many_levels.empty() && many_levels.size() != all.size()) {
    throw std::invalid_argument("many_levels must say something of every column");
  }
  for (size_t c = 0; c < many_levels.size(); ++c) {
    if (many_levels[c]) {
      const NodeCost cost(given, layout, node.data(), impurity);
      all[c].charge = charge_of_levels(cost, all[c].levels, unit);
    }
  }
  Rules rules{min_rows, min_weight, given == Criterion::poisson};
  return to_dict(best_of_runs(all, given, layout, rules, node.data(), impurity));
}

using Cube = nb::ndarray<const int64_t, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

nb::object add_statistics(const Cube& a, const Cube& b, bool number) {
  for (size_t axis = 0; axis < 3; ++axis) {
    if (a.shape(axis) != b.shape(axis)) {
      throw std::invalid_argument("these statistics are not of the same nodes and codes");
    }
  }
  const size_t words = a.shape(2);
  const Layout layout(number ? Task::number : Task::classes, static_cast<int>(words) - kFirst);
  std::vector<int64_t> sum(a.data(), a.data() + a.size());
  for (size_t at = 0; at < sum.size(); at += words) {
    layout.add(sum.data() + at, b.data() + at);
  }
  return to_numpy(std::move(sum), {a.shape(0), a.shape(1), words});
}

nb::object quantise(const Vector<double>& y, bool centered) {
  std::vector<int64_t> units(y.size());
  const auto [low, high] = std::minmax_element(y.data(), y.data() + y.size());
  if (y.size() > 0) {
    const Quantiser to_units(*low, *high, centered);
    std::transform(y.data(), y.data() + y.size(), units.begin(), to_units);
  }
  return to_numpy(std::move(units));
}

}  // namespace

void add_runs(nb::module_& m) {
  m.def("histogram", &histogram, nb::arg("nodes"), nb::arg("codes"), nb::arg("n_nodes"),
        nb::arg("n_codes"), nb::arg("n_classes"), nb::arg("labels").none(), nb::arg("y").none(),
        nb::arg("weights").none(),
        "Statistics of each (node, code), missing rows last, of a part of a table. Those of "
        "several parts are added by add_statistics.");
  m.def("add_statistics", &add_statistics, nb::arg("a"), nb::arg("b"), nb::arg("number"),
        "The sum of two histograms of the same nodes and codes.");
  m.def("best_split", &best_split, nb::arg("columns"), nb::arg("criterion"), nb::arg("number"),
        nb::arg("impurity"), nb::arg("min_rows"), nb::arg("min_weight"),
        nb::arg("many_levels") = std::vector<bool>(), nb::arg("unit") = 1.0,
        "The split that growing takes, from (statistics, values of the codes or None) of each "
        "column; kind 0 if nothing is allowed. many_levels: by column, whether its groupings "
        "are charged; unit: the weight that is counted as 1.");
  m.def("quantise", &quantise, nb::arg("y"), nb::arg("centered"),
        "The whole numbers that stand for a numeric target.");
}

}  // namespace treewright::bind
