// types.hpp: the small vocabulary shared by all kernels.
#pragma once

#include <cstdint>
#include <limits>

#include "treewright/portable.hpp"

namespace treewright {

// An entry stands for one row in the sorted order of one column:
//
//     row number | class (class trees of unit weight only) | "my value differs" bit
//
// The lowest bit is set when the entry's value differs from its predecessor's, so a
// sweep sees where one value ends and the next begins without reading any value.
using Entry = uint32_t;
constexpr Entry kDiffers = 1;

constexpr int64_t kMaxRows = std::numeric_limits<int32_t>::max();

enum class Kind : int8_t { numeric = 0, categorical = 1, ordinal = 2 };
enum class Task : int8_t { classes = 0, number = 1 };
enum class Criterion : int8_t {
  gini = 0,
  entropy = 1,
  misclassification = 2,
  squared_error = 3,
  poisson = 4,
  absolute_error = 5
};

// What becomes of a row whose value is missing in the column of a split.
enum class Missing : int8_t {
  learned = 0,    // a branch that the search chooses (several branches: one of its own)
  surrogate = 1,  // other columns stand in; the search looks at known rows only
  fractional = 2  // it is divided among the branches; the search looks at known rows only
};

// Routes of a missing value that are no branch.
constexpr int32_t kStopHere = -1;
constexpr int32_t kAllBranches = -2;

enum class SplitKind : int8_t { leaf = 0, threshold = 1, subset = 2, is_missing = 3, multiway = 4 };

// Why a node is a leaf: the first rule that applies, in this order.
enum class StopReason : int8_t {
  none = 0,
  pure = 1,
  max_depth = 2,
  min_samples_split = 3,
  min_samples_leaf = 4,
  min_weight_fraction_leaf = 5,
  identical_rows = 6,
  zero_target = 7,
  min_gain = 8,
  min_impurity_decrease = 9,
  max_leaf_nodes = 10,
  max_nodes = 11,
  no_better_split = 13  // 12 is "pruned", which growing never records
};

// Two gains of a node count as equal when they differ by less than this share of its impurity.
constexpr double kTie = 1e-12;

// A counter-based hash (the finaliser of splitmix64): the same bits on every machine.
inline uint64_t mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

// A node's key is its path from the root; this is the hash of that path, child by child.
constexpr uint64_t kRootKey = 1;
inline uint64_t child_key(uint64_t parent, int branch) {
  return mix(parent * 31 + static_cast<uint64_t>(branch) + 1);
}

}  // namespace treewright
