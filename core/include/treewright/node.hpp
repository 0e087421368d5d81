// node.hpp: a node while the tree grows.
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
  uint32_t begin = 0, end = 0;                    // its rows, in every column's entries
  uint32_t category_begin = 0, category_end = 0;  // in NodeList::categories
  double threshold = 0.0;
  double impurity = 0.0, gain = 0.0;  // numbers: in units of the quantiser
  int32_t depth = 0;
  int32_t first_child = -1;  // its siblings have the next numbers
  int32_t n_children = 0;
  int32_t subtree = -1;  // what it became, where that was laid out apart
  int32_t column = -1;
  SplitKind kind = SplitKind::leaf;
  StopReason stop = StopReason::none;
  bool proven = true;
  int32_t missing_route = kStopHere;
  uint32_t n_missing = 0;  // rows that are missing in the split's column

  int64_t n_rows() const { return int64_t(end) - begin; }
};

// What is recorded besides where the target is a number.
struct NumberPart {
  Quantiser scale;
  double mean = 0.0;
  double variance = 0.0;  // in squared units of scale
  std::array<double, 3> quartiles{};
};

// A split of another column that imitates the split of a node, for rows whose value is
// missing there.
struct Surrogate {
  int32_t column = -1;
  double threshold = 0.0;  // NaN: by category
  bool flip = false;       // x <= threshold takes branch 1
  double agree = 0.0, adjust = 0.0;
  int64_t n_rows = 0;  // rows it sent on
  std::vector<int32_t> categories, branches;
};

// Nodes with what would otherwise be a heap allocation each, in shared pools.
struct NodeList {
  explicit NodeList(int words) : words(size_t(words)) {}

  std::vector<Node> nodes;
  size_t words;
  std::vector<int64_t> stats;          // words per node
  std::vector<NumberPart> numbers;     // one per node, numbers only
  std::vector<int128> weight_squared;  // one per node, unequal weights only; in squared units
  std::vector<int32_t> categories, branches;
  std::vector<std::vector<Surrogate>> surrogates;  // one list per node, where they are asked for

  int32_t add(const Node& node, const int64_t* node_stats) {
    nodes.push_back(node);
    stats.insert(stats.end(), node_stats, node_stats + words);
    return static_cast<int32_t>(nodes.size() - 1);
  }
  int64_t* stats_of(int32_t id) { return stats.data() + size_t(id) * words; }
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
