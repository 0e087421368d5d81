#include "bind_parts.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <map>
#include <string>

#include "arrays.hpp"
#include "candidates.hpp"
#include "treewright/parts.hpp"

namespace treewright::bind {
namespace {

using Codes16 = nb::ndarray<const uint16_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Labels = nb::ndarray<const int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Doubles = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Units = nb::ndarray<const int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Nodes = nb::ndarray<int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

std::span<const char> span_of(const nb::bytes& bytes) { return {bytes.c_str(), bytes.size()}; }
nb::bytes to_python(const std::string& bytes) { return nb::bytes(bytes.data(), bytes.size()); }

template <class Array>
auto checked(const nb::handle& given, size_t n_rows) {
  auto array = nb::cast<Array>(given);
  if (array.size() != n_rows) {
    throw std::invalid_argument("the columns of a part differ in length");
  }
  return array;
}

bool reads_target(const std::string& kernel) { return kernel != "neighbours" && kernel != "route"; }

nb::tuple needed_columns(const std::string& kernel, const nb::bytes& request, size_t n_applied) {
  const auto asked = parts::Request::from(span_of(request));
  const parts::Needs found = parts::needs(asked, n_applied, reads_target(kernel));
  return nb::make_tuple(found.codes, found.values, found.target, asked.top.size());
}

nb::bytes answer(const std::string& kernel, const nb::bytes& request, const nb::dict& codes,
                 const nb::dict& values, const nb::object& target, const nb::object& weights,
                 const Nodes& node, int64_t n_applied) {
  const auto asked = parts::Request::from(span_of(request));
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
    if (asked.task == Task::number) {
      part.y = checked<Doubles>(target, n_rows).data();
    } else {
      part.labels = checked<Labels>(target, n_rows).data();
    }
  }
  if (!weights.is_none()) {
    part.weights = checked<Units>(weights, n_rows).data();
  }
  std::string reply;
  {
    nb::gil_scoped_release unlocked;
    parts::check(part, asked, size_t(std::max<int64_t>(0, n_applied)), reads_target(kernel));
    if (n_applied < 0) {
      parts::start_nodes(part);
    }
    parts::apply_top(part, asked.top, size_t(std::max<int64_t>(0, n_applied)));
    if (kernel == "count") {
      reply = parts::count(part, asked).bytes();
    } else if (kernel == "measure") {
      reply = parts::to_bytes(parts::measure(part, asked));
    } else if (kernel == "neighbours") {
      reply = parts::to_bytes(parts::neighbours(part, asked));
    } else if (kernel != "route") {
      throw std::invalid_argument("there is no kernel " + kernel);
    }
  }
  return to_python(reply);
}

template <class T, class Merge>
std::string merged(const std::vector<std::span<const char>>& replies, const Merge& merge) {
  auto into = parts::from_bytes<T>(replies.at(0));
  for (size_t r = 1; r < replies.size(); ++r) {
    const auto more = parts::from_bytes<T>(replies[r]);
    if (into.size() != more.size()) {
      throw std::invalid_argument("replies to different requests cannot be merged");
    }
    for (size_t i = 0; i < into.size(); ++i) {
      merge(into[i], more[i]);
    }
  }
  return parts::to_bytes(into);
}

std::string merged_counts(const parts::Request& asked,
                          const std::vector<std::span<const char>>& replies) {
  auto into = parts::Counts::from(replies.at(0));
  parts::check(into, asked);
  for (size_t r = 1; r < replies.size(); ++r) {
    const auto more = parts::Counts::from(replies[r]);
    parts::check(more, asked);
    parts::merge(into, more, asked.task, size_t(asked.words()));
  }
  return into.bytes();
}

nb::bytes merge(const std::string& kernel, const nb::bytes& request, const nb::list& given) {
  std::vector<std::span<const char>> replies;
  for (const nb::handle& reply : given) {
    replies.push_back(span_of(nb::cast<nb::bytes>(reply)));  // the list keeps it
  }
  const auto asked = parts::Request::from(span_of(request));
  std::string reply;
  {
    nb::gil_scoped_release unlocked;
    if (kernel == "count") {
      reply = merged_counts(asked, replies);
    } else if (kernel == "measure") {
      reply = merged<parts::NodeSums>(replies, [](auto& a, const auto& b) { a.merge(b); });
    } else {
      reply = merged<parts::Range>(replies, [](auto& a, const auto& b) {
        a.least = std::min(a.least, b.least);
        a.greatest = std::max(a.greatest, b.greatest);
      });
    }
  }
  return to_python(reply);
}

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
    const auto end = size_t(split.first_child + n_children);
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
  m.def("part_needs", &needed_columns, nb::arg("kernel"), nb::arg("request"), nb::arg("n_applied"),
        "Columns whose codes and values a request reads, whether it reads the target, and the "
        "number of its splits.");
  m.def("part_progress", &progress, nb::arg("request"),
        "The depth of the deepest node asked about, the questions, and how many of them count "
        "buckets again.");
  m.def("part_answer", &answer, nb::arg("kernel"), nb::arg("request"), nb::arg("codes"),
        nb::arg("values"), nb::arg("target").none(), nb::arg("weights").none(), nb::arg("node"),
        nb::arg("n_applied"),
        "The reply of one part; node is moved down the splits after the first n_applied (-1: from "
        "the start).");
  m.def("part_merge", &merge, nb::arg("kernel"), nb::arg("request"), nb::arg("replies"),
        "The reply of some parts together.");
  m.def("code_cells", &code_cells, nb::arg("values"), nb::arg("edges"),
        "How many edges lie below each value; 65535 for NaN.");
}

}  // namespace treewright::bind
