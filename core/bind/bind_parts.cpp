#include "bind_parts.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <string>

#include "arrays.hpp"
#include "candidates.hpp"
#include "treewright/parts.hpp"
#include "treewright/portable.hpp"

namespace treewright::bind {
namespace {

using Codes16 = nb::ndarray<const uint16_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Labels = nb::ndarray<const int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Doubles = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Units = nb::ndarray<const int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Nodes = nb::ndarray<int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class Array>
auto checked(const nb::handle& given, size_t n_rows) {
  auto array = nb::cast<Array>(given);
  if (array.size() != n_rows) {
    throw std::invalid_argument("the columns of a part differ in length");
  }
  return array;
}

// The answer of one part, slice by slice, or of several parts together.
class PyAnswer {
 public:
  PyAnswer(const std::string& kernel, const nb::bytes& request)
      : reads_target_(kernel == "count" || kernel == "measure"),
        answer_(parts::make_answer(kernel, parts::Request::from(span_of(request)))) {}

  nb::tuple needs(size_t n_applied) const {
    const parts::Request& asked = answer_->request();
    const parts::Needs found = parts::needs(asked, n_applied, reads_target_);
    return nb::make_tuple(found.codes, found.values, found.target, asked.top.size());
  }

  void add_rows(const nb::dict& codes, const nb::dict& values, const nb::object& target,
                const nb::object& weights, const Nodes& node, int64_t n_applied) {
    const parts::Request& asked = answer_->request();
    const parts::PartView part = view_of(codes, values, target, weights, node);
    const auto first = size_t(std::max<int64_t>(0, n_applied));
    nb::gil_scoped_release unlocked;
    parts::check(part, asked, first, reads_target_);
    if (n_applied < 0) {
      parts::start_nodes(part);
    }
    parts::apply_top(part, asked.top, first);
    answer_->add(part);
  }

  void add_reply(const nb::bytes& reply) {
    const auto bytes = span_of(reply);
    nb::gil_scoped_release unlocked;
    answer_->add(bytes);
  }

  nb::bytes reply() {
    std::string bytes;
    {
      nb::gil_scoped_release unlocked;
      bytes = answer_->bytes();
    }
    return to_python(bytes);
  }

 private:
  parts::PartView view_of(const nb::dict& codes, const nb::dict& values, const nb::object& target,
                          const nb::object& weights, const Nodes& node) const {
    parts::PartView part;
    const size_t n_rows = node.size();
    part.n_rows = static_cast<int64_t>(n_rows);
    part.node = node.data();
    const auto place = [&](auto& list, const nb::handle& column) {
      const auto at = nb::cast<size_t>(column);
      list.resize(std::max(list.size(), at + 1), nullptr);
      return at;
    };
    for (const auto& [column, array] : codes) {
      const size_t at = place(part.codes, column);
      part.codes[at] = checked<Codes16>(array, n_rows).data();
    }
    for (const auto& [column, array] : values) {
      const size_t at = place(part.values, column);
      part.values[at] = checked<Doubles>(array, n_rows).data();
    }
    part.values.resize(std::max(part.values.size(), part.codes.size()), nullptr);
    if (!target.is_none()) {
      if (answer_->request().task == Task::number) {
        part.y = checked<Doubles>(target, n_rows).data();
      } else {
        part.labels = checked<Labels>(target, n_rows).data();
      }
    }
    if (!weights.is_none()) {
      part.weights = checked<Units>(weights, n_rows).data();
    }
    return part;
  }

  bool reads_target_;
  std::unique_ptr<parts::Answer> answer_;
};

nb::object code_cells(const Doubles& values, const Doubles& edges) {
  std::vector<uint16_t> codes(values.size());
  {
    nb::gil_scoped_release unlocked;
    parts::code_cells({values.data(), values.size()}, {edges.data(), edges.size()}, codes.data());
  }
  return to_numpy(std::move(codes));
}

// How far a tree has grown: the depth of the deepest node that a request asks about, its
// questions, and how many of them ask about buckets that are counted again.
nb::tuple progress(const nb::bytes& request) {
  const auto asked = parts::Request::from(span_of(request));
  std::vector<int32_t> depth(1, 0);
  for (const parts::TopSplit& split : asked.top) {
    int32_t n_children = 2;
    for (const int32_t branch : split.branches) {
      n_children = std::max(n_children, branch + 1);
    }
    n_children = std::max(n_children, split.missing_branch + 1);
    const auto end = size_t(split.first_child) + size_t(n_children);
    depth.resize(std::max(depth.size(), end), 0);
    std::fill(depth.begin() + split.first_child, depth.begin() + int64_t(end),
              depth[size_t(split.node)] + 1);
  }
  int32_t level = 0;
  int64_t open = 0;
  for (const parts::Question& question : asked.questions) {
    level = std::max(level, depth[size_t(question.node)]);
    open += question.by_value;
  }
  return nb::make_tuple(level, asked.questions.size(), open);
}

}  // namespace

void add_parts(nb::module_& m) {
  nb::class_<PyAnswer>(m, "PartAnswer",
                       "The answer to a request, of slices of rows and of replies of parts.")
      .def(nb::init<const std::string&, const nb::bytes&>(), nb::arg("kernel"), nb::arg("request"))
      .def("needs", &PyAnswer::needs, nb::arg("n_applied"),
           "Columns whose codes and values the request reads, whether it reads the target, and "
           "the number of its splits.")
      .def("add_rows", &PyAnswer::add_rows, nb::arg("codes"), nb::arg("values"),
           nb::arg("target").none(), nb::arg("weights").none(), nb::arg("node"),
           nb::arg("n_applied"),
           "Add rows; node is moved down the splits after the first n_applied (-1: from the "
           "start).")
      .def("add_reply", &PyAnswer::add_reply, nb::arg("reply"), "Add the reply of a part.")
      .def("reply", &PyAnswer::reply, "The reply of all that was added.");
  m.def("part_progress", &progress, nb::arg("request"),
        "The depth of the deepest node asked about, the questions, and how many of them count "
        "buckets again.");
  m.def("release_memory", &release_memory, "Return freed memory to the system.");
  m.def("code_cells", &code_cells, nb::arg("values"), nb::arg("edges"),
        "How many edges lie below each value; 65535 for NaN.");
}

}  // namespace treewright::bind
