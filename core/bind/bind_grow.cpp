#include "bind_grow.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <bit>
#include <memory>
#include <string>

#include "arrays.hpp"
#include "candidates.hpp"
#include "interruptible.hpp"
#include "treewright/grow.hpp"
#include "treewright/parts_source.hpp"
#include "treewright/sorted_table.hpp"

namespace treewright::bind {
namespace {

using Doubles = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Codes = nb::ndarray<const int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// Work of fewer entries ends within milliseconds, so it runs in the calling thread and does not
// check for Ctrl-C. A kernel handles about 1e9 entries per second; the limit was not tuned.
constexpr int64_t kLargeWork = 200'000;

struct PySortedTable {
  SortedTable table;
  std::vector<AnyArray> arrays;  // the columns, kept alive
  bool consumed = false;

  int64_t entries() const { return table.n_rows * static_cast<int64_t>(table.columns.size()); }
};

void init_sorted_table(PySortedTable* self, const std::vector<AnyArray>& columns,
                       const std::vector<int>& kinds, int64_t n_rows, int n_threads) {
  std::vector<ColumnView> views;
  for (size_t c = 0; c < columns.size(); ++c) {
    if (columns[c].size() != static_cast<size_t>(n_rows)) {
      throw std::invalid_argument("the columns differ in length");
    }
    views.push_back(view_of(columns[c], static_cast<Kind>(kinds.at(c))));
  }
  PySortedTable made;
  made.arrays = columns;
  Control control;
  const bool large = n_rows * static_cast<int64_t>(columns.size()) > kLargeWork;
  run_interruptible(large, nb::none(), control, [&] {
    made.table = sort_table(views, n_rows, large ? n_threads : 1, control);
  });
  new (self) PySortedTable(std::move(made));
}

nb::tuple summary(const PySortedTable& self, size_t column) {
  if (self.consumed) {
    throw std::invalid_argument("this sorted table was consumed by a grower");
  }
  const Summary s = self.table.summary(column);
  return nb::make_tuple(s.n_missing, s.quartiles[0], s.quartiles[1], s.quartiles[2], s.quartiles[3],
                        s.quartiles[4]);
}

nb::tuple deciles(const PySortedTable& self, size_t column) {
  if (self.consumed) {
    throw std::invalid_argument("this sorted table was consumed by a grower");
  }
  const Deciles d = self.table.deciles(column);
  return nb::make_tuple(nb::cast(d.values), nb::cast(d.counts));
}

GrowOptions to_options(const nb::dict& dict) {
  GrowOptions options;
  int criterion = 0;
  read(dict, "criterion", criterion);
  options.criterion = static_cast<Criterion>(criterion);
  read(dict, "max_depth", options.max_depth);
  read(dict, "min_samples_split", options.min_samples_split);
  read(dict, "min_samples_leaf", options.min_samples_leaf);
  read(dict, "min_weight_leaf", options.min_weight_leaf);
  read(dict, "min_gain", options.min_gain);
  read(dict, "min_impurity_decrease", options.min_impurity_decrease);
  read(dict, "max_leaf_nodes", options.max_leaf_nodes);
  read(dict, "max_nodes", options.max_nodes);
  read(dict, "max_features", options.max_features);
  read(dict, "seed", options.seed);
  read(dict, "n_threads", options.n_threads);
  int missing = 0;
  read(dict, "missing", missing);
  options.missing = static_cast<Missing>(missing);
  read(dict, "multiway", options.multiway);
  read(dict, "ranks_too", options.ranks_too);
  read(dict, "gain_ratio", options.gain_ratio);
  read(dict, "charge_cuts", options.charge_cuts);
  read(dict, "charge_levels", options.charge_levels);
  read(dict, "min_branch_weight", options.min_branch_weight);
  read(dict, "max_surrogates", options.max_surrogates);
  read(dict, "stop_without_surrogate", options.stop_without_surrogate);
  read(dict, "known_agreement", options.known_agreement);
  read(dict, "round_midpoint", options.round_midpoint);
  read(dict, "stop_on_equal_sides", options.stop_on_equal_sides);
  read(dict, "min_surrogate_rows", options.min_surrogate_rows);
  read(dict, "tenth_of_class_per_side", options.tenth_of_class_per_side);
  read(dict, "count_allowed_cuts", options.count_allowed_cuts);
  read(dict, "average_slack", options.average_slack);
  read(dict, "steps", options.steps);
  read(dict, "not_averaged", options.not_averaged);
  return options;
}

void add_surrogates(nb::dict& arrays, FlatTree& tree) {
  arrays["surrogate_start"] = to_numpy(std::move(tree.surrogate_start));
  arrays["surrogate_feature"] = to_numpy(std::move(tree.surrogate_feature));
  arrays["surrogate_threshold"] = to_numpy(std::move(tree.surrogate_threshold));
  arrays["surrogate_flip"] = to_numpy(std::move(tree.surrogate_flip));
  arrays["surrogate_agree"] = to_numpy(std::move(tree.surrogate_agree));
  arrays["surrogate_adjust"] = to_numpy(std::move(tree.surrogate_adjust));
  arrays["surrogate_rows"] = to_numpy(std::move(tree.surrogate_rows));
  arrays["surrogate_category_start"] = to_numpy(std::move(tree.surrogate_category_start));
  arrays["surrogate_category_of"] = to_numpy(std::move(tree.surrogate_category_of));
  arrays["surrogate_categories"] = to_numpy(std::move(tree.surrogate_categories));
  arrays["surrogate_category_branch"] = to_numpy(std::move(tree.surrogate_category_branch));
}

nb::dict to_dict(FlatTree&& tree) {
  const size_t n = tree.subtree_size.size(), width = static_cast<size_t>(tree.width);
  const size_t n_numbers = tree.variance.size();
  nb::dict arrays;
  arrays["subtree_size"] = to_numpy(std::move(tree.subtree_size));
  arrays["split_kind"] = to_numpy(std::move(tree.split_kind));
  arrays["feature"] = to_numpy(std::move(tree.feature));
  arrays["threshold"] = to_numpy(std::move(tree.threshold));
  arrays["category_start"] = to_numpy(std::move(tree.category_start));
  arrays["categories"] = to_numpy(std::move(tree.categories));
  arrays["category_branch"] = to_numpy(std::move(tree.category_branch));
  arrays["missing_route"] = to_numpy(std::move(tree.missing_route));
  arrays["n_rows"] = to_numpy(std::move(tree.n_rows));
  arrays["weight"] = to_numpy(std::move(tree.weight));
  arrays["weight_squared"] = to_numpy(std::move(tree.weight_squared));
  arrays["value"] = to_numpy(std::move(tree.value), {n, width});
  arrays["variance"] = to_numpy(std::move(tree.variance));
  arrays["quartiles"] = to_numpy(std::move(tree.quartiles), {n_numbers, 3});
  arrays["impurity"] = to_numpy(std::move(tree.impurity));
  arrays["gain"] = to_numpy(std::move(tree.gain));
  arrays["label"] = to_numpy(std::move(tree.label));
  arrays["risk"] = to_numpy(std::move(tree.risk));
  arrays["stop_reason"] = to_numpy(std::move(tree.stop_reason));
  arrays["proven"] = to_numpy(std::move(tree.proven));
  arrays["n_missing"] = to_numpy(std::move(tree.n_missing));
  if (!tree.surrogate_start.empty()) {
    add_surrogates(arrays, tree);
  }
  return arrays;
}

// A grower together with everything it looks at.
struct PyGrower {
  nb::object table;  // keeps the columns alive
  Codes labels;
  Doubles values, weights;
  std::unique_ptr<Control> control = std::make_unique<Control>();
  std::unique_ptr<Grower> grower;
  int64_t entries = 0;
};

void init_grower(PyGrower* self, const nb::object& table, const nb::object& labels, int n_classes,
                 const nb::object& values, const nb::object& weights, const nb::dict& options,
                 bool consume) {
  auto& sorted = nb::cast<PySortedTable&>(table);
  if (sorted.consumed) {
    throw std::invalid_argument("this sorted table was consumed by a grower");
  }
  const auto n_rows = static_cast<size_t>(sorted.table.n_rows);
  PyGrower made;
  made.table = table;
  made.entries = sorted.entries();
  Target target;
  const auto check = [&](size_t length) {
    if (length != n_rows) {
      throw std::invalid_argument("the target or the weights differ in length from the table");
    }
  };
  if (!labels.is_none()) {
    made.labels = nb::cast<Codes>(labels);
    check(made.labels.size());
    target.labels = made.labels.data();
    target.n_classes = n_classes;
  } else {
    made.values = nb::cast<Doubles>(values);
    check(made.values.size());
    target.task = Task::number;
    target.values = made.values.data();
  }
  const double* weight = nullptr;
  if (!weights.is_none()) {
    made.weights = nb::cast<Doubles>(weights);
    check(made.weights.size());
    weight = made.weights.data();
  }
  const GrowOptions grow_options = to_options(options);
  sorted.consumed = consume;
  run_interruptible(made.entries > kLargeWork, nb::none(), *made.control, [&] {
    made.grower =
        consume
            ? make_grower(std::move(sorted.table), target, weight, grow_options, *made.control)
            : make_grower(std::as_const(sorted.table), target, weight, grow_options, *made.control);
  });
  new (self) PyGrower(std::move(made));
}

// ---- rows in parts ----

// Calls Python, from any thread.
class PyLink final : public parts::Link {
 public:
  PyLink(nb::object ask, nb::object grow) : ask_(std::move(ask)), grow_(std::move(grow)) {}
  ~PyLink() override {
    nb::gil_scoped_acquire locked;
    ask_.reset();
    grow_.reset();
  }

  std::string ask(const char* kernel, const std::string& request) override {
    nb::gil_scoped_acquire locked;
    const auto reply = nb::cast<nb::bytes>(ask_(kernel, to_python(request)));
    return {reply.c_str(), reply.size()};
  }

  void grow(const std::vector<parts::SmallNode>& nodes, const std::string& request,
            const std::function<void(size_t, std::span<const char>)>& grown) override {
    nb::gil_scoped_acquire locked;
    nb::list listed;
    for (const parts::SmallNode& node : nodes) {
      listed.append(nb::make_tuple(node.handle, node.n_rows, to_python(node.open)));
    }
    for (const nb::handle item : nb::iter(grow_(listed, to_python(request)))) {
      const auto [index, subtree] = nb::cast<std::pair<size_t, nb::bytes>>(item);
      nb::gil_scoped_release unlocked;
      grown(index, span_of(subtree));
    }
  }

 private:
  nb::object ask_, grow_;
};

parts::Table to_parts_table(const nb::dict& given) {
  parts::Table table;
  int task = 0;
  read(given, "task", task);
  table.task = static_cast<Task>(task);
  read(given, "n_classes", table.n_classes);
  read(given, "n_rows", table.n_rows);
  read(given, "total_weight", table.total_weight);
  read(given, "weight_unit", table.weight_unit);
  read(given, "unequal_weights", table.unequal_weights);
  read(given, "home_rows", table.home_rows);
  read(given, "most_entries", table.most_entries);
  read(given, "bound_factor", table.bound_factor);
  for (const auto& each : nb::cast<nb::list>(given["columns"])) {
    const auto about = nb::cast<nb::dict>(each);
    parts::Column& column = table.columns.emplace_back();
    int kind = 0;
    read(about, "kind", kind);
    column.kind = static_cast<Kind>(kind);
    read(about, "coarse", column.coarse);
    read(about, "many_levels", column.many_levels);
    read(about, "n_codes", column.n_codes);
    const auto values = nb::cast<Doubles>(about["values"]);
    column.values.assign(values.data(), values.data() + values.size());
  }
  return table;
}

PyGrower* grower_of_parts(const nb::dict& given, const nb::dict& options, const nb::object& ask,
                          const nb::object& grow) {
  parts::Table table = to_parts_table(given);
  auto made = std::make_unique<PyGrower>();
  made->entries = kLargeWork + 1;
  const GrowOptions grow_options = to_options(options);
  auto link = std::make_unique<PyLink>(ask, grow);
  run_interruptible(true, nb::none(), *made->control, [&] {
    made->grower =
        parts::make_grower(std::move(table), std::move(link), grow_options, *made->control);
  });
  return made.release();
}

nb::bytes grow_subtree(const nb::dict& given, const nb::dict& options, const nb::bytes& node,
                       const std::vector<AnyArray>& columns, const AnyArray& target,
                       const nb::object& weights) {
  const parts::Table table = to_parts_table(given);
  const GrowOptions grow_options = to_options(options);
  const size_t n_rows = target.size();
  const auto check = [&](size_t length) {
    if (length != n_rows) {
      throw std::invalid_argument("the columns differ in length");
    }
  };
  std::vector<ColumnView> views;
  for (const AnyArray& column : columns) {
    check(column.size());
    views.push_back(view_of(column, table.columns.at(views.size()).kind));
  }
  parts::Rows rows;
  Codes labels;
  Doubles values;
  if (table.task == Task::number) {
    values = nb::cast<Doubles>(nb::cast(target));
    rows.target.task = Task::number;
    rows.target.values = values.data();
  } else {
    labels = nb::cast<Codes>(nb::cast(target));
    rows.target.n_classes = table.n_classes;
    rows.target.labels = labels.data();
  }
  if (!weights.is_none()) {
    using Units = nb::ndarray<const int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
    const auto units = nb::cast<Units>(weights);
    check(units.size());
    rows.weights.assign(units.data(), units.data() + units.size());
  }
  const auto open = span_of(node);
  std::string subtree;
  {
    nb::gil_scoped_release unlocked;
    Control control;
    rows.table = sort_table(views, static_cast<int64_t>(n_rows), 1, control);
    subtree = parts::grow_subtree(table, grow_options, open, std::move(rows), control);
  }
  return to_python(subtree);
}

}  // namespace

void add_grow(nb::module_& m) {
  nb::class_<PySortedTable>(m, "SortedTable", "Columns sorted once; knows no target.")
      .def("__init__", &init_sorted_table, nb::arg("columns"), nb::arg("kinds"), nb::arg("n_rows"),
           nb::arg("n_threads"))
      .def("summary", &summary, nb::arg("column"),
           "Missing rows, minimum, quartiles and maximum of a column.")
      .def("deciles", &deciles, nb::arg("column"),
           "Distinct deciles of a column, and how many known values are at most each.");

  nb::class_<PyGrower>(m, "Grower",
                       "A tree that grows node by node; see core/include/treewright/grow.hpp.")
      .def("__init__", &init_grower, nb::arg("table"), nb::arg("labels").none(),
           nb::arg("n_classes"), nb::arg("values").none(), nb::arg("weights").none(),
           nb::arg("options"), nb::arg("consume"))
      .def_static("of_parts", &grower_of_parts, nb::arg("table"), nb::arg("options"),
                  nb::arg("ask"), nb::arg("grow"), nb::rv_policy::take_ownership,
                  "A tree from rows in parts; see core/include/treewright/parts_source.hpp.")
      .def_prop_ro("n_nodes", [](const PyGrower& self) { return self.grower->n_nodes(); })
      .def(
          "stop_reason",
          [](const PyGrower& self, int32_t node) {
            return static_cast<int>(self.grower->stop_reason(node));
          },
          nb::arg("node"))
      .def(
          "candidates",
          [](PyGrower& self, int32_t node, size_t top) {
            nb::list found;
            for (const Candidate& split : self.grower->candidates(node, top)) {
              found.append(to_dict(split));
            }
            return found;
          },
          nb::arg("node"), nb::arg("top"), "The best split of each column, best first.")
      .def(
          "split",
          [](PyGrower& self, int32_t node, const nb::dict& split) {
            return self.grower->split(node, to_candidate(split));
          },
          nb::arg("node"), nb::arg("split"), "Split an open node; the left child's number.")
      .def(
          "close",
          [](PyGrower& self, int32_t node, int reason) {
            self.grower->close(node, static_cast<StopReason>(reason));
          },
          nb::arg("node"), nb::arg("reason"), "Make an open node a leaf.")
      .def(
          "grow_all",
          [](PyGrower& self, const nb::object& progress) {
            run_interruptible(self.entries > kLargeWork, progress, *self.control,
                              [&] { self.grower->grow_all(); });
          },
          nb::arg("progress").none(), "Grow all open nodes to the end.")
      .def(
          "tree", [](const PyGrower& self) { return to_dict(self.grower->tree()); },
          "The arrays of the tree so far.")
      .def(
          "take_tree", [](PyGrower& self) { return to_dict(self.grower->take_tree()); },
          "The arrays of the finished tree; the grower is of no use afterwards.");

  m.def("grow_subtree", &grow_subtree, nb::arg("table"), nb::arg("options"), nb::arg("node"),
        nb::arg("columns"), nb::arg("target"), nb::arg("weights").none(),
        "The subtree of an open node of rows in parts, from the gathered rows, as bytes.");
}

}  // namespace treewright::bind
