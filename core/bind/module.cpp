// module.cpp: the Python module treewright._core. No logic: unpacks arguments, releases the lock,
// calls a kernel.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bind_grow.hpp"
#include "bind_parts.hpp"
#include "bind_prune.hpp"
#include "bind_route.hpp"

NB_MODULE(_core, m) {
  // A tracer keeps objects alive until Python ends; that is no leak of ours.
  if (!nanobind::module_::import_("sys").attr("gettrace")().is_none()) {
    nanobind::set_leak_warnings(false);
  }
  m.doc() = "The C++ core of treewright: sorting, growing, pruning and routing.";
  treewright::bind::add_grow(m);
  treewright::bind::add_parts(m);
  treewright::bind::add_prune(m);
  treewright::bind::add_route(m);
}
