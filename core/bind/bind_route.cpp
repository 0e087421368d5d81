#include "bind_route.hpp"

#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "treewright/route.hpp"

namespace treewright::bind {
namespace {

template <class T>
using Vector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

using Out = nb::ndarray<int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
std::span<const T> span_of(const Vector<T>& array) {
  return {array.data(), array.size()};
}

struct PyRouter {
  Router router;
  std::vector<Kind> kinds;

  nb::object route(const std::vector<ColumnView>& views, int64_t n_rows, int n_threads) const {
    // Not filled with zeros: the threads that write a page are the first to touch it.
    auto node = std::make_unique_for_overwrite<int32_t[]>(static_cast<size_t>(n_rows));
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
      if (arrays.back().size() != static_cast<size_t>(n_rows)) {
        throw std::invalid_argument("the columns differ in length");
      }
      views.push_back(view_of(arrays.back(), kinds.at(views.size())));
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

}  // namespace

void add_route(nb::module_& m) {
  nb::class_<PyRouter>(m, "Router", "A tree, laid out for sending rows down.")
      .def(
          "__init__",
          [](PyRouter* self, const Vector<int32_t>& subtree_size, const Vector<int8_t>& split_kind,
             const Vector<int32_t>& feature, const Vector<double>& threshold,
             const Vector<int64_t>& category_start, const Vector<int32_t>& categories,
             const Vector<int32_t>& category_branch, const Vector<int32_t>& missing_route,
             const Vector<double>& weight, const nb::dict& surrogates,
             const std::vector<int>& kinds) {
            TreeShape shape{};
            shape.subtree_size = span_of(subtree_size);
            shape.split_kind = span_of(split_kind);
            shape.feature = span_of(feature);
            shape.threshold = span_of(threshold);
            shape.category_start = span_of(category_start);
            shape.categories = span_of(categories);
            shape.category_branch = span_of(category_branch);
            shape.missing_route = span_of(missing_route);
            shape.weight = span_of(weight);
            // The dict keeps the arrays alive until the router has read them.
            const auto read = [&]<class T>(const char* name, std::span<const T>& into) {
              if (surrogates.contains(name)) {
                into = span_of(nb::cast<Vector<T>>(surrogates[name]));
              }
            };
            read("start", shape.surrogate_start);
            read("feature", shape.surrogate_feature);
            read("threshold", shape.surrogate_threshold);
            read("flip", shape.surrogate_flip);
            read("category_start", shape.surrogate_category_start);
            read("category_of", shape.surrogate_category_of);
            read("categories", shape.surrogate_categories);
            read("category_branch", shape.surrogate_category_branch);
            std::vector<Kind> types;
            for (int kind : kinds) {
              types.push_back(static_cast<Kind>(kind));
            }
            new (self) PyRouter{Router(shape), std::move(types)};
          },
          nb::arg("subtree_size"), nb::arg("split_kind"), nb::arg("feature"), nb::arg("threshold"),
          nb::arg("category_start"), nb::arg("categories"), nb::arg("category_branch"),
          nb::arg("missing_route"), nb::arg("weight"), nb::arg("surrogates"), nb::arg("kinds"))
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
