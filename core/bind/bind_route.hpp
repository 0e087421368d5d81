#pragma once

#include <nanobind/nanobind.h>

namespace treewright::bind {
void add_route(nanobind::module_& m);
}  // namespace treewright::bind
