// node.hpp: a node of a growing tree. It holds counts and statistics, never a row.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "treewright/split.hpp"
#include "treewright/target.hpp"
#include "treewright/types.hpp"

namespace treewright {

// Kept small: a tree grown to the end has up to two nodes per row.
struct Node {
  uint64_t key = kRootKey;
  uint32_t category_begin = 0, category_end = 0;  // in NodeList::categories
  double threshold = 0.0;
  double impurity = 0.0, gain = 0.0;  // regression: in units of the quantiser
  uint32_t n_rows = 0;
  uint32_t n_missing = 0;  // rows whose value is missing in the column of the split
  int32_t depth = 0;
  int32_t first_child = -1;  // its siblings have the next numbers
  int32_t n_children = 0;
  int32_t subtree = -1;  // index of its finished subtree, if that was laid out separately
  int32_t column = -1;
  int32_t missing_route = kStopHere;
  SplitKind kind = SplitKind::leaf;
  StopReason stop = StopReason::none;
  bool proven = true;
};

// What a node of a regression tree records besides.
struct NumberPart {
  Quantiser scale;
  double mean = 0.0;
  double variance = 0.0;  // in squared units of scale
  std::array<double, 3> quartiles{};
};

// A split of another column that imitates the split of a node, for rows whose value is missing
// in the column of that split.
struct Surrogate {
  int32_t column = -1;
  double threshold = 0.0;  // NaN: by category
  bool flip = false;       // x <= threshold takes branch 1
  double agree = 0.0, adjust = 0.0;
  int64_t n_rows = 0;  // rows that it placed
  std::vector<int32_t> categories, branches;
};

// All nodes of a tree, numbered as they are made. Variable-length parts lie in shared pools: a
// heap allocation per node would dominate the growing of small nodes.
struct NodeList {
  explicit NodeList(int words) : words(size_t(words)) {}

  std::vector<Node> nodes;
  size_t words;
  std::vector<int64_t> stats;          // one block of `words` integers per node
  std::vector<NumberPart> numbers;     // one per node, regression only
  std::vector<int128> weight_squared;  // one per node, unequal weights only; in squared units
  std::vector<int32_t> categories, branches;
  std::vector<std::vector<Surrogate>> surrogates;  // one list per node, if surrogates are used

  int32_t add(const Node& node, const int64_t* node_stats) {
    nodes.push_back(node);
    stats.insert(stats.end(), node_stats, node_stats + words);
    return static_cast<int32_t>(nodes.size() - 1);
  }
  const int64_t* stats_of(int32_t id) const { return stats.data() + size_t(id) * words; }

  void set_split(int32_t id, const Candidate& split) {
    Node& node = nodes[size_t(id)];
    node.kind = split.kind;
    node.column = split.column;
    node.threshold = split.threshold;
    node.missing_route = split.missing_route;
    node.proven = split.proven;
    node.gain = split.gain;
    node.category_begin = static_cast<uint32_t>(categories.size());
    categories.insert(categories.end(), split.categories.begin(), split.categories.end());
    branches.insert(branches.end(), split.branches.begin(), split.branches.end());
    node.category_end = static_cast<uint32_t>(categories.size());
  }
};

}  // namespace treewright
