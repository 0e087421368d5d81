// bind_parts.hpp: the kernels of parts, for Python.
#pragma once

#include <nanobind/nanobind.h>

namespace treewright::bind {

void add_parts(nanobind::module_& m);

}  // namespace treewright::bind
