#include "bind_prune.hpp"

#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "treewright/cross_validation.hpp"
#include "treewright/weakest_link.hpp"

namespace treewright::bind {
namespace {

template <class T>
using Vector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
std::span<const T> span_of(const Vector<T>& array) {
  return {array.data(), array.size()};
}

void check_lengths(size_t wanted, std::initializer_list<size_t> lengths) {
  for (const size_t length : lengths) {
    if (length != wanted) {
      throw std::invalid_argument("the arrays differ in length");
    }
  }
}

nb::tuple py_weakest_links(const Vector<int32_t>& subtree_size, const Vector<int64_t>& risk,
                           const Vector<int64_t>& stopped, double total, double slack,
                           double share) {
  check_lengths(subtree_size.size(), {risk.size(), stopped.size()});
  const RiskTree tree{span_of(subtree_size), span_of(risk), span_of(stopped), total};
  PruningSteps steps;
  {
    nb::gil_scoped_release unlocked;
    steps = weakest_links(tree, slack, share);
  }
  return nb::make_tuple(to_numpy(std::move(steps.collapse)), to_numpy(std::move(steps.alpha)),
                        to_numpy(std::move(steps.n_leaves)), to_numpy(std::move(steps.risk)));
}

nb::object py_cut_bottom_up(const Vector<int32_t>& subtree_size, const Vector<double>& leaf,
                            const Vector<double>& stopped, double margin, bool keep_ties) {
  check_lengths(subtree_size.size(), {leaf.size(), stopped.size()});
  return to_numpy(
      cut_bottom_up(span_of(subtree_size), span_of(leaf), span_of(stopped), margin, keep_ties));
}

nb::object py_hash_rows(const std::vector<AnyArray>& columns, const std::vector<int>& kinds,
                        int64_t n_rows, uint64_t seed) {
  std::vector<ColumnView> views;
  for (size_t c = 0; c < columns.size(); ++c) {
    check_lengths(static_cast<size_t>(n_rows), {columns[c].size()});
    views.push_back(view_of(columns[c], static_cast<Kind>(kinds.at(c))));
  }
  std::vector<uint64_t> hash;
  {
    nb::gil_scoped_release unlocked;
    hash = hash_rows(views, n_rows, seed);
  }
  return to_numpy(std::move(hash));
}

nb::tuple py_score_steps(const Vector<int32_t>& parent, const Vector<int32_t>& first_step,
                         const Vector<int32_t>& label, const Vector<double>& value,
                         const Vector<double>& costs, int n_classes, const Vector<int32_t>& node,
                         const Vector<double>& weight, const Vector<int32_t>& row_label,
                         const Vector<double>& row_value, int loss, size_t n_steps) {
  check_lengths(parent.size(), {first_step.size()});
  check_lengths(node.size(), {loss == 0 ? row_label.size() : row_value.size()});
  const ScoredTree tree{span_of(parent), span_of(first_step), span_of(label),
                        span_of(value),  span_of(costs),      n_classes};
  const ScoredRows rows{span_of(node), span_of(weight), span_of(row_label), span_of(row_value)};
  std::vector<double> sum(n_steps, 0.0), sum_of_squares(n_steps, 0.0);
  {
    nb::gil_scoped_release unlocked;
    score_steps(tree, rows, static_cast<Loss>(loss), sum, sum_of_squares);
  }
  return nb::make_tuple(to_numpy(std::move(sum)), to_numpy(std::move(sum_of_squares)));
}

}  // namespace

void add_prune(nb::module_& m) {
  m.def("weakest_links", &py_weakest_links, nb::arg("subtree_size"), nb::arg("risk"),
        nb::arg("stopped"), nb::arg("total"), nb::arg("slack"), nb::arg("share"),
        "Collapse alpha of each node; alpha, leaves and risk of each step.");
  m.def("cut_bottom_up", &py_cut_bottom_up, nb::arg("subtree_size"), nb::arg("leaf"),
        nb::arg("stopped"), nb::arg("margin"), nb::arg("keep_ties"),
        "1 where a leaf costs no more than the best subtree.");
  m.def("hash_rows", &py_hash_rows, nb::arg("columns"), nb::arg("kinds"), nb::arg("n_rows"),
        nb::arg("seed"), "A number that follows from each row's values.");
  m.def("score_steps", &py_score_steps, nb::arg("parent"), nb::arg("first_step"), nb::arg("label"),
        nb::arg("value"), nb::arg("costs"), nb::arg("n_classes"), nb::arg("node"),
        nb::arg("weight"), nb::arg("row_label"), nb::arg("row_value"), nb::arg("loss"),
        nb::arg("n_steps"), "Sums of loss and squared loss of the rows at each step.");
}

}  // namespace treewright::bind
