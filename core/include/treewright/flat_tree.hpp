// flat_tree.hpp: the finished tree, one entry per node, in preorder.
//
// The same arrays and names as the Python TreeData. Node i's subtree is the slice
// [i, i + subtree_size[i]); its first child is i + 1, the next sibling of c is
// c + subtree_size[c].
#pragma once

#include <cstdint>

#include "treewright/large_vector.hpp"
#include "treewright/types.hpp"

namespace treewright {

struct FlatTree {
  LargeVector<int32_t> subtree_size;
  LargeVector<int8_t> split_kind;
  LargeVector<int32_t> feature;
  LargeVector<double> threshold;
  LargeVector<int64_t> category_start;
  LargeVector<int32_t> categories, category_branch;
  LargeVector<int32_t> missing_route;
  LargeVector<int64_t> n_rows;
  LargeVector<double> weight, weight_squared;
  LargeVector<double> value;  // width entries per node: class weights, or the mean
  int64_t width = 1;
  LargeVector<double> variance;   // numbers only
  LargeVector<double> quartiles;  // numbers only: three per node
  LargeVector<double> impurity, gain, risk;
  LargeVector<int32_t> label;
  LargeVector<int8_t> stop_reason;
  LargeVector<uint8_t> proven;
  LargeVector<int64_t> n_missing;
  LargeVector<int64_t> surrogate_start;  // empty: no surrogates
  LargeVector<int32_t> surrogate_feature;
  LargeVector<double> surrogate_threshold;
  LargeVector<uint8_t> surrogate_flip;
  LargeVector<double> surrogate_agree, surrogate_adjust;
  LargeVector<int64_t> surrogate_rows;
  LargeVector<int64_t> surrogate_category_start;
  LargeVector<int32_t> surrogate_category_of, surrogate_categories, surrogate_category_branch;
};

}  // namespace treewright
