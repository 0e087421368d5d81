#pragma once

#include <nanobind/nanobind.h>

namespace treewright::bind {
void add_runs(nanobind::module_& m);
}  // namespace treewright::bind
