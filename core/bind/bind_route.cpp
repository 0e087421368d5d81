#include "bind_route.hpp"

#include <nanobind/stl/vector.h>

#include <algorithm>
#include <string>

#include "arrays.hpp"
#include "treewright/route.hpp"
#include "treewright/tree_check.hpp"

namespace treewright::bind {
namespace {

template <class T>
using Vector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

using Matrix = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

using Out = nb::ndarray<int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
std::span<const T> span_of(const Vector<T>& array) {
  return {array.data(), array.size()};
}

// Columns that splits or surrogates look at, ascending.
std::vector<int32_t> columns_asked_for(const TreeShape& shape) {
  std::vector<int32_t> asked(shape.feature.begin(), shape.feature.end());
  asked.insert(asked.end(), shape.surrogate_feature.begin(), shape.surrogate_feature.end());
  std::sort(asked.begin(), asked.end());
  asked.erase(std::unique(asked.begin(), asked.end()), asked.end());
  asked.erase(asked.begin(), std::lower_bound(asked.begin(), asked.end(), 0));  // leaves: -1
  return asked;
}

struct PyRouter {
  Router router;
  std::vector<Kind> kinds;
  std::vector<int32_t> asked;  // the columns that must be there

  nb::object route(const std::vector<ColumnView>& views, int64_t n_rows, int n_threads) const {
    // Not filled with zeros: the threads that write a page are the first to touch it.
    std::unique_ptr<int32_t[]> node(new int32_t[static_cast<size_t>(n_rows)]);
    {
      // Touches no Python object, so other threads may run.
      nb::gil_scoped_release unlocked;
      Control control;
      router.route(views, n_rows, n_threads, control, node.get());
    }
    nb::capsule owner(node.get(), [](void* p) noexcept { delete[] static_cast<int32_t*>(p); });
    return nb::cast(
        nb::ndarray<nb::numpy, int32_t>(node.release(), {static_cast<size_t>(n_rows)}, owner));
  }
  nb::object route_columns(const nb::sequence& columns, int64_t n_rows, int n_threads) const {
    std::vector<AnyArray> arrays;  // keeps them alive
    return route(views_of_columns(columns, n_rows, arrays), n_rows, n_threads);
  }
  nb::object route_shares(const nb::sequence& columns, int64_t n_rows) const {
    std::vector<AnyArray> arrays;
    const auto views = views_of_columns(columns, n_rows, arrays);
    Ends ends;
    {
      nb::gil_scoped_release unlocked;
      Control control;
      ends = router.route_shares(views, n_rows, control);
    }
    return nb::make_tuple(to_numpy(std::move(ends.row)), to_numpy(std::move(ends.node)),
                          to_numpy(std::move(ends.share)));
  }
  std::vector<ColumnView> views_of_columns(const nb::sequence& columns, int64_t n_rows,
                                           std::vector<AnyArray>& arrays) const {
    std::vector<ColumnView> views;
    for (nb::handle column : columns) {
      if (column.is_none()) {
        views.emplace_back();
        continue;
      }
      arrays.push_back(nb::cast<AnyArray>(column));
      if (n_rows < 0 || arrays.back().size() != static_cast<size_t>(n_rows)) {
        throw std::invalid_argument("the columns differ in length");
      }
      views.push_back(view_of(arrays.back(), kinds.at(views.size())));
    }
    for (const int32_t column : asked) {
      if (n_rows > 0 && (size_t(column) >= views.size() || views[size_t(column)].data == nullptr)) {
        throw std::invalid_argument("column " + std::to_string(column) +
                                    " is missing, which the tree asks for");
      }
    }
    return views;
  }
  void check_node(int32_t node) const {
    if (node < 0 || size_t(node) >= router.n_nodes()) {
      throw std::invalid_argument("the tree has no such node");
    }
  }
  nb::object turn(int32_t node, const std::vector<int32_t>& features,
                  const std::vector<double>& values) const {
    if (features.size() != values.size()) {
      throw std::invalid_argument("there must be a value for each column");
    }
    check_node(node);
    const Turn turn = router.turn(node, features, values);
    return nb::make_tuple(turn.branch, turn.chosen_by);
  }
  nb::object branches(int32_t node, const std::vector<int32_t>& features,
                      const nb::sequence& columns, int64_t n_rows) const {
    std::vector<AnyArray> arrays;  // keeps them alive
    std::vector<ColumnView> views(kinds.size());
    for (nb::handle column : columns) {
      const auto feature = size_t(features.at(arrays.size()));
      arrays.push_back(nb::cast<AnyArray>(column));
      if (n_rows < 0 || arrays.back().size() != size_t(n_rows)) {
        throw std::invalid_argument("the columns differ in length");
      }
      views.at(feature) = view_of(arrays.back(), kinds.at(feature));
    }
    std::vector<int32_t> branch(static_cast<size_t>(n_rows));
    check_node(node);
    router.branches(node, views, n_rows, branch.data());
    return to_numpy(std::move(branch));
  }
  nb::object route_matrix(const AnyArray& X, int n_threads) const {
    return route(columns_of(X), static_cast<int64_t>(X.shape(0)), n_threads);
  }
  void answer_matrix(const AnyArray& X, const Vector<int64_t>& answers, const Out& out,
                     int n_threads) const {
    const std::vector<ColumnView> views = columns_of(X);
    if (out.size() != X.shape(0) || answers.size() != router.n_nodes()) {
      throw std::invalid_argument("there must be an answer for each node and each row");
    }
    nb::gil_scoped_release unlocked;
    Control control;
    router.answer(views, static_cast<int64_t>(X.shape(0)), n_threads, control, answers.data(),
                  out.data());
  }
  std::vector<ColumnView> columns_of(const AnyArray& X) const {
    if (X.ndim() != 2 || X.shape(1) != kinds.size()) {
      throw std::invalid_argument("X must have as many columns as the tree's schema");
    }
    ColumnView first;
    const auto itemsize = static_cast<ptrdiff_t>(X.itemsize());
    first.data = static_cast<const std::byte*>(X.data());
    first.stride = static_cast<ptrdiff_t>(X.stride(0)) * itemsize;
    if (X.dtype() == nb::dtype<float>()) {
      first.storage = Storage::float32;
    } else if (X.dtype() != nb::dtype<double>()) {
      throw std::invalid_argument("X must be float32 or float64");
    }
    std::vector<ColumnView> views(kinds.size(), first);
    for (size_t c = 0; c < views.size(); ++c) {
      views[c].data += static_cast<ptrdiff_t>(c) * static_cast<ptrdiff_t>(X.stride(1)) * itemsize;
    }
    return views;
  }
};

// One array of a tree, read in place: not converted, and kept alive by the dict.
template <class T>
std::span<const T> read(const nb::dict& arrays, const char* name) {
  try {
    return span_of(nb::cast<Vector<T>>(arrays[name], false));
  } catch (const nb::cast_error&) {
    throw BrokenTree(std::string(name) + " is not an array of the type that TreeData declares.");
  }
}

TreeShape shape_of(const nb::dict& arrays, const Vector<double>& weight) {
  TreeShape shape{};
  shape.subtree_size = read<int32_t>(arrays, "subtree_size");
  shape.split_kind = read<int8_t>(arrays, "split_kind");
  shape.feature = read<int32_t>(arrays, "feature");
  shape.threshold = read<double>(arrays, "threshold");
  shape.category_start = read<int64_t>(arrays, "category_start");
  shape.categories = read<int32_t>(arrays, "categories");
  shape.category_branch = read<int32_t>(arrays, "category_branch");
  shape.missing_route = read<int32_t>(arrays, "missing_route");
  shape.weight = span_of(weight);
  shape.surrogate_start = read<int64_t>(arrays, "surrogate_start");
  shape.surrogate_feature = read<int32_t>(arrays, "surrogate_feature");
  shape.surrogate_threshold = read<double>(arrays, "surrogate_threshold");
  const auto flip = read<bool>(arrays, "surrogate_flip");
  shape.surrogate_flip = {reinterpret_cast<const uint8_t*>(flip.data()), flip.size()};
  shape.surrogate_category_start = read<int64_t>(arrays, "surrogate_category_start");
  shape.surrogate_category_of = read<int32_t>(arrays, "surrogate_category_of");
  shape.surrogate_categories = read<int32_t>(arrays, "surrogate_categories");
  shape.surrogate_category_branch = read<int32_t>(arrays, "surrogate_category_branch");
  return shape;
}

void init_router(PyRouter* self, const nb::dict& arrays, const Vector<double>& weight,
                 const Vector<int8_t>& kinds, const Vector<int32_t>& n_labels) {
  const TreeShape shape = shape_of(arrays, weight);
  check_splits(shape, {span_of(kinds), span_of(n_labels)});
  std::vector<Kind> types(kinds.size());
  std::transform(kinds.data(), kinds.data() + kinds.size(), types.begin(),
                 [](int8_t kind) { return static_cast<Kind>(kind); });
  new (self) PyRouter{Router(shape), std::move(types), columns_asked_for(shape)};
}

NodeEvidence evidence_of(const nb::dict& arrays) {
  const auto matrix = [&](const char* name) { return nb::cast<Matrix>(arrays[name], false); };
  const Matrix value = matrix("value"), quartiles = matrix("quartiles"), answer = matrix("answer");
  NodeEvidence evidence;
  evidence.n_rows = read<int64_t>(arrays, "n_rows");
  evidence.weight = read<double>(arrays, "weight");
  evidence.weight_squared = read<double>(arrays, "weight_squared");
  evidence.value = {value.data(), value.size()};
  evidence.width = static_cast<int64_t>(value.shape(1));
  evidence.answer = {answer.data(), answer.size()};
  evidence.variance = read<double>(arrays, "variance");
  evidence.quartiles = {quartiles.data(), quartiles.size()};
  evidence.impurity = read<double>(arrays, "impurity");
  evidence.gain = read<double>(arrays, "gain");
  evidence.risk = read<double>(arrays, "risk");
  evidence.label = read<int32_t>(arrays, "label");
  evidence.stop_reason = read<int8_t>(arrays, "stop_reason");
  evidence.surrogate_agree = read<double>(arrays, "surrogate_agree");
  evidence.surrogate_adjust = read<double>(arrays, "surrogate_adjust");
  evidence.surrogate_rows = read<int64_t>(arrays, "surrogate_rows");
  return evidence;
}

void py_check_tree(const nb::dict& arrays, const Vector<int8_t>& kinds,
                   const Vector<int32_t>& n_labels, int32_t n_classes, int32_t n_stop_reasons) {
  const TreeShape shape = shape_of(arrays, nb::cast<Vector<double>>(arrays["weight"], false));
  check_splits(shape, {span_of(kinds), span_of(n_labels)});
  check_evidence(evidence_of(arrays), shape, {n_classes, n_stop_reasons});
}

}  // namespace

void add_route(nb::module_& m) {
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const BrokenTree& broken) {
      const nb::object type = nb::module_::import_("treewright.errors").attr("TreeFormatError");
      PyErr_SetString(type.ptr(), broken.what());
    }
  });
  m.def("check_tree", &py_check_tree, nb::arg("arrays"), nb::arg("kinds"), nb::arg("n_labels"),
        nb::arg("n_classes"), nb::arg("n_stop_reasons"),
        "Raise TreeFormatError unless splits and evidence of every node are possible ones.");
  nb::class_<PyRouter>(m, "Router", "A tree, laid out for sending rows down.")
      .def("__init__", &init_router, nb::arg("arrays"), nb::arg("weight"), nb::arg("kinds"),
           nb::arg("n_labels"))
      .def("route", &PyRouter::route_columns, nb::arg("columns"), nb::arg("n_rows"),
           nb::arg("n_threads"), "Node reached by each row of these columns.")
      .def("route_shares", &PyRouter::route_shares, nb::arg("columns"), nb::arg("n_rows"),
           "Row, node and share of every end of every row.")
      .def("turn", &PyRouter::turn, nb::arg("node"), nb::arg("features"), nb::arg("values"),
           "Branch of one row at a node, and who chose it: -1 its value, -2 the missing route, "
           "else the number of a surrogate.")
      .def("branches", &PyRouter::branches, nb::arg("node"), nb::arg("features"),
           nb::arg("columns"), nb::arg("n_rows"), "Branch of each row at a node.")
      .def("route_matrix", &PyRouter::route_matrix, nb::arg("X"), nb::arg("n_threads"),
           "Node reached by each row of a float matrix.")
      .def("answer_matrix", &PyRouter::answer_matrix, nb::arg("X"), nb::arg("answers"),
           nb::arg("out"), nb::arg("n_threads"),
           "What the node reached by each row answers: eight bytes, whatever they mean.");
}

}  // namespace treewright::bind
