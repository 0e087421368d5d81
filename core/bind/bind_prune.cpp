#include "bind_prune.hpp"

#include <nanobind/stl/vector.h>

#include <algorithm>
#include <string>

#include "arrays.hpp"
#include "treewright/cross_validation.hpp"
#include "treewright/tree_check.hpp"
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
    check_risks(tree.subtree_size, tree.risk, tree.stopped);
    steps = weakest_links(tree, slack, share);
  }
  return nb::make_tuple(to_numpy(std::move(steps.collapse)), to_numpy(std::move(steps.alpha)),
                        to_numpy(std::move(steps.n_leaves)), to_numpy(std::move(steps.risk)));
}

nb::object py_cut_bottom_up(const Vector<int32_t>& subtree_size, const Vector<double>& leaf,
                            const Vector<double>& stopped, double margin, bool keep_ties) {
  check_lengths(subtree_size.size(), {leaf.size(), stopped.size()});
  check_nesting(span_of(subtree_size));
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

// A tree and rows as both scorers take them.
struct Scored {
  ScoredTree tree;
  ScoredRows rows;
  Loss loss;
};

void check_range(const char* name, std::span<const int32_t> numbers, size_t below) {
  for (const int32_t number : numbers) {
    if (number < 0 || size_t(number) >= below) {
      throw BrokenTree(std::string(name) + " must be from 0 to " +
                       std::to_string(int64_t(below) - 1) + "; got " + std::to_string(number) +
                       ".");
    }
  }
}

// Nodes, classes and steps are indexed by without looking.
void check_ranges(const Scored& given) {
  check_nesting(given.tree.subtree_size);
  check_range("the node of a row", given.rows.node, given.tree.subtree_size.size());
  check_range("the first step of a node", given.tree.first_step, size_t(kMaxRows) + 1);
  if (given.loss == Loss::cost) {
    const auto n_classes = static_cast<size_t>(std::max(0, given.tree.n_classes));
    check_range("the class of a row", given.rows.label, n_classes);
    check_range("the class of a node", given.tree.label, n_classes);
    if (!given.tree.costs.empty()) {
      check_lengths(n_classes * n_classes, {given.tree.costs.size()});
    }
  }
}

// The arrays are read where they lie, so none may be converted: the dict keeps them alive.
Scored scored(const nb::dict& d) {
  const auto codes = [&](const char* name) {
    return span_of(nb::cast<Vector<int32_t>>(d[name], false));
  };
  const auto numbers = [&](const char* name) {
    return span_of(nb::cast<Vector<double>>(d[name], false));
  };
  Scored made;
  made.tree.subtree_size = codes("subtree_size");
  made.tree.first_step = codes("first_step");
  made.tree.label = codes("label");
  made.tree.value = numbers("value");
  made.tree.costs = numbers("costs");
  made.tree.n_classes = nb::cast<int32_t>(d["n_classes"]);
  made.rows.node = codes("node");
  made.rows.weight = numbers("weight");
  made.rows.label = codes("row_label");
  made.rows.value = numbers("row_value");
  made.loss = static_cast<Loss>(nb::cast<int>(d["loss"]));
  const size_t n_rows = made.rows.node.size();
  check_lengths(n_rows, {made.loss == Loss::cost ? made.rows.label.size() : made.rows.value.size(),
                         made.rows.weight.empty() ? n_rows : made.rows.weight.size()});
  const size_t n_nodes = made.tree.subtree_size.size();
  check_lengths(n_nodes,
                {made.tree.first_step.empty() ? n_nodes : made.tree.first_step.size(),
                 made.loss == Loss::cost ? made.tree.label.size() : made.tree.value.size()});
  check_ranges(made);
  return made;
}

nb::tuple py_score_steps(const nb::dict& tree_and_rows, size_t n_steps) {
  const Scored given = scored(tree_and_rows);
  if (n_steps == 0 || given.tree.first_step.empty()) {
    throw std::invalid_argument("there must be at least one step, and the first of each node");
  }
  std::vector<double> sum(n_steps, 0.0), sum_of_squares(n_steps, 0.0);
  {
    nb::gil_scoped_release unlocked;
    score_steps(given.tree, given.rows, given.loss, sum, sum_of_squares);
  }
  return nb::make_tuple(to_numpy(std::move(sum)), to_numpy(std::move(sum_of_squares)));
}

ClassEvidence class_evidence(std::span<const int32_t> parent, std::span<const double> value,
                             std::span<const double> costs, int32_t n_classes, double copies) {
  const auto k = static_cast<size_t>(std::max(1, n_classes));
  check_lengths(parent.size() * k, {value.size()});
  if (!costs.empty()) {
    check_lengths(k * k, {costs.size()});
  }
  return {parent, value, costs, k, copies};
}

// For each lambda: wrong, wrong squared, log-loss, mixed squared, gained squared; by step.
nb::object py_score_classes(const nb::dict& tree_and_rows, const Vector<double>& value,
                            const Vector<double>& costs, const Vector<double>& scale, double copies,
                            const Vector<double>& lambdas, bool plain_labels, double unit,
                            double log_weight, size_t n_steps) {
  const Scored given = scored(tree_and_rows);
  if (n_steps == 0 || given.tree.first_step.empty() || given.loss != Loss::cost) {
    throw std::invalid_argument("there must be classes, a step, and the first step of each node");
  }
  const std::vector<int32_t> parent = parents_of(given.tree.subtree_size);
  const ClassEvidence nodes =
      class_evidence(parent, span_of(value), span_of(costs), given.tree.n_classes, copies);
  if (scale.size() != 0) {
    check_lengths(nodes.n_classes, {scale.size()});
  }
  constexpr size_t kSums = 5;
  std::vector<double> out(lambdas.size() * kSums * n_steps, 0.0);
  std::vector<ClassSums> sums(lambdas.size());
  for (size_t i = 0; i < sums.size(); ++i) {
    const auto part = [&](size_t which) {
      return std::span<double>(out).subspan((i * kSums + which) * n_steps, n_steps);
    };
    sums[i] = {part(0), part(1), part(2), part(3), part(4), unit, log_weight};
  }
  {
    nb::gil_scoped_release unlocked;
    if (!sums.empty()) {
      score_classes(given.tree, given.rows, span_of(scale), nodes, span_of(lambdas), plain_labels,
                    sums);
    }
  }
  return to_numpy(std::move(out), {lambdas.size(), kSums, n_steps});
}

nb::tuple py_draw_classes(const Vector<int32_t>& subtree_size, const Vector<double>& value,
                          const Vector<double>& costs, int32_t n_classes, double copies,
                          double lambda) {
  check_nesting(span_of(subtree_size));
  const std::vector<int32_t> parent = parents_of(span_of(subtree_size));
  const ClassEvidence nodes =
      class_evidence(parent, span_of(value), span_of(costs), n_classes, copies);
  std::vector<double> probability(value.size());
  std::vector<int32_t> label(parent.size());
  draw_classes(nodes, lambda, probability, label);
  return nb::make_tuple(to_numpy(std::move(probability), {parent.size(), nodes.n_classes}),
                        to_numpy(std::move(label)));
}

nb::object py_draw_numbers(const Vector<int32_t>& subtree_size, const Vector<double>& weight,
                           const Vector<double>& mean, double m) {
  check_nesting(span_of(subtree_size));
  check_lengths(subtree_size.size(), {weight.size(), mean.size()});
  std::vector<double> answer(mean.size());
  draw_numbers(parents_of(span_of(subtree_size)), span_of(weight), span_of(mean), m, answer);
  return to_numpy(std::move(answer));
}

nb::tuple py_node_losses(const nb::dict& tree_and_rows) {
  const Scored given = scored(tree_and_rows);
  const size_t n = given.tree.subtree_size.size();
  std::vector<double> passed(n, 0.0), ended(n, 0.0);
  {
    nb::gil_scoped_release unlocked;
    node_losses(given.tree, given.rows, given.loss, passed, ended);
  }
  return nb::make_tuple(to_numpy(std::move(passed)), to_numpy(std::move(ended)));
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
  m.def("score_steps", &py_score_steps, nb::arg("tree_and_rows"), nb::arg("n_steps"),
        "Sums of loss and squared loss of the rows at each step.");
  m.def("score_classes", &py_score_classes, nb::arg("tree_and_rows"), nb::arg("value"),
        nb::arg("costs"), nb::arg("scale"), nb::arg("copies"), nb::arg("lambdas"),
        nb::arg("plain_labels"), nb::arg("unit"), nb::arg("log_weight"), nb::arg("n_steps"),
        "Sums of costs and log-losses of shrunken class probabilities, by lambda and step.");
  m.def("draw_classes", &py_draw_classes, nb::arg("subtree_size"), nb::arg("value"),
        nb::arg("costs"), nb::arg("n_classes"), nb::arg("copies"), nb::arg("lambda_"),
        "Class probabilities of each node drawn towards the node above, and their labels.");
  m.def("draw_numbers", &py_draw_numbers, nb::arg("subtree_size"), nb::arg("weight"),
        nb::arg("mean"), nb::arg("m"), "Means of the nodes drawn towards the node above.");
  m.def("node_losses", &py_node_losses, nb::arg("tree_and_rows"),
        "Loss of the rows that pass each node, answered there; and of those that end in it.");
}

}  // namespace treewright::bind
