// node.hpp: a node while the tree grows.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "treewright/split.hpp"
#include "treewright/target.hpp"
#include "treewright/types.hpp"

namespace treewright {

struct Node {
  int64_t begin = 0, end = 0;  // its rows, in every column's entries
  uint64_t key = kRootKey;
  int64_t depth = 0;
  int32_t first_child = -1;  // the second is the next number
  int32_t subtree = -1;      // grown further in this list of its own
  int32_t column = -1;
  int32_t missing_route = -1;
  double threshold = 0.0;
  int64_t category_begin = 0, category_end = 0;  // in NodeList::categories
  SplitKind kind = SplitKind::leaf;
  StopReason stop = StopReason::none;
  bool proven = true;
  double impurity = 0.0, gain = 0.0;  // in units of scale
  int128 weight_squared = 0;          // in squared units of weight

  // Numbers only.
  Quantiser scale;
  double mean = 0.0;
  double variance = 0.0;  // in squared units of scale
  std::array<double, 3> quartiles{};

  int64_t n_rows() const { return end - begin; }
};

// Nodes with what would otherwise be a heap allocation each, in shared pools.
struct NodeList {
  explicit NodeList(int words) : words(size_t(words)) {}

  std::vector<Node> nodes;
  size_t words;
  std::vector<int64_t> stats;  // words per node
  std::vector<int32_t> categories, branches;

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
    node.category_begin = static_cast<int64_t>(categories.size());
    categories.insert(categories.end(), split.categories.begin(), split.categories.end());
    branches.insert(branches.end(), split.branches.begin(), split.branches.end());
    node.category_end = static_cast<int64_t>(categories.size());
  }
};

}  // namespace treewright
