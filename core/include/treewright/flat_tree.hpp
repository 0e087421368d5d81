// flat_tree.hpp: the finished tree, one entry per node, in preorder.
//
// The same arrays and names as the Python TreeData. Node i's subtree is the slice
// [i, i + subtree_size[i]); its first child is i + 1, the next sibling of c is
// c + subtree_size[c].
#pragma once

#include <cstdint>
#include <vector>

#include "treewright/types.hpp"

namespace treewright {

struct FlatTree {
  std::vector<int32_t> subtree_size;
  std::vector<int8_t> split_kind;
  std::vector<int32_t> feature;
  std::vector<double> threshold;
  std::vector<int64_t> category_start;
  std::vector<int32_t> categories, category_branch;
  std::vector<int32_t> missing_route;
  std::vector<int64_t> n_rows;
  std::vector<double> weight, weight_squared;
  std::vector<double> value;  // width entries per node: class weights, or the mean
  int64_t width = 1;
  std::vector<double> variance;   // numbers only
  std::vector<double> quartiles;  // numbers only: three per node
  std::vector<double> impurity, gain, risk;
  std::vector<int32_t> label;
  std::vector<int8_t> stop_reason;
  std::vector<uint8_t> proven;
  std::vector<int64_t> n_missing;
  std::vector<int64_t> surrogate_start;  // empty: no surrogates
  std::vector<int32_t> surrogate_feature;
  std::vector<double> surrogate_threshold;
  std::vector<uint8_t> surrogate_flip;
  std::vector<double> surrogate_agree, surrogate_adjust;
  std::vector<int64_t> surrogate_rows;
  std::vector<int64_t> surrogate_category_start;
  std::vector<int32_t> surrogate_category_of, surrogate_categories, surrogate_category_branch;
};

}  // namespace treewright
