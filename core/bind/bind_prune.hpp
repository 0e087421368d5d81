#pragma once

#include <nanobind/nanobind.h>

namespace treewright::bind {
void add_prune(nanobind::module_& m);
}
