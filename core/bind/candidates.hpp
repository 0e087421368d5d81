// candidates.hpp: splits as Python dicts, and back.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/vector.h>

#include "treewright/split.hpp"

namespace treewright::bind {

namespace nb = nanobind;

template <class T>
inline void read(const nb::dict& options, const char* name, T& value) {
  if (options.contains(name)) {
    value = nb::cast<T>(options[name]);
  }
}

inline nb::dict to_dict(const Candidate& split) {
  nb::dict dict;
  dict["kind"] = static_cast<int>(split.kind);
  dict["column"] = split.column;
  dict["threshold"] = split.threshold;
  dict["missing_route"] = split.missing_route;
  dict["proven"] = split.proven;
  dict["gain"] = split.gain;
  dict["categories"] = split.categories;
  dict["branches"] = split.branches;
  dict["n_branches"] = split.n_branches;
  return dict;
}

inline Candidate to_candidate(const nb::dict& dict) {
  Candidate split;
  int kind = 0;
  read(dict, "kind", kind);
  split.kind = static_cast<SplitKind>(kind);
  read(dict, "column", split.column);
  read(dict, "threshold", split.threshold);
  read(dict, "missing_route", split.missing_route);
  read(dict, "proven", split.proven);
  read(dict, "gain", split.gain);
  read(dict, "categories", split.categories);
  read(dict, "branches", split.branches);
  read(dict, "n_branches", split.n_branches);
  return split;
}

}  // namespace treewright::bind
