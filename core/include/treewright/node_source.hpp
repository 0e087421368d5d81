// node_source.hpp: the interface that answers the frontier's questions about nodes.
//
// The frontier (frontier.hpp) decides which node is split next, when to stop, and what the finished
// tree looks like. It never sees a row. A source holds the rows and answers three questions:
//
//     open_root   the statistics of all rows
//     choose      the best split of each of these nodes
//     divide      divide these nodes; the statistics of their children
//
// The sorted engine (sorted_source.hpp) answers them from sorted columns in memory. A source whose
// rows lie on disk or on several machines answers many nodes in one round and merges statistics,
// which are integers and add up exactly.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "treewright/flat_tree.hpp"
#include "treewright/node.hpp"
#include "treewright/parallel.hpp"
#include "treewright/split.hpp"
#include "treewright/statistics.hpp"

namespace treewright {

// What the frontier must know about the table as a whole.
struct TableFacts {
  StatLayout layout{Task::classes, 2};
  int64_t n_rows = 0;  // of positive weight
  size_t n_columns = 0;
  int64_t total_weight = 0;  // in units
  double weight_unit = 1.0;
  bool unequal_weights = false;
  bool divides_rows = false;  // missing values divide a row among the branches
  int64_t share_unit = 1;     // what a whole row counts in statistics; above 1 if rows are divided
};

// What a source reports about one node, besides its block of statistics.
struct NodeRecord {
  int32_t handle = -1;  // the source's own number for the node while it is open
  int64_t n_rows = 0;
  bool pure = false;          // one class, or one target value
  double impurity = 0.0;      // regression: in units of number.scale
  int128 weight_squared = 0;  // unequal weights only
  NumberPart number;          // regression only
};

// One node to divide, and the children that this made.
struct Division {
  // The request.
  int32_t handle = -1;  // of the node
  uint64_t key = kRootKey;
  const Candidate* split = nullptr;
  // The answer.
  int64_t n_missing = 0;
  std::vector<Surrogate> surrogates;
  std::vector<NodeRecord> children;
  std::vector<int64_t> stats;  // one block per child

  void clear() {
    n_missing = 0;
    surrogates.clear();
    children.clear();
    stats.clear();
  }
};

// Says whether a child of a division may be split further. A source asks as soon as the child's
// record and statistics are complete; a child that may not be split needs no search, and its handle
// is free again.
class Judge {
 public:
  virtual ~Judge() = default;
  virtual bool may_be_split(const Division& division, size_t child) const = 0;
};

// The split that growing takes, or the rule that makes the node a leaf.
struct Choice {
  std::optional<Candidate> split;
  StopReason reason = StopReason::none;
};

class NodeSource {
 public:
  virtual ~NodeSource() = default;

  virtual TableFacts facts() const = 0;

  // The root, as the only child of `division`.
  virtual void open_root(Division& division, const Judge& judge, Team& team) = 0;
  // The best split of each of these open nodes, by the written tie rule (see Chooser).
  virtual void choose(std::span<const int32_t> handles, std::span<Choice> choices) = 0;
  // Divides open nodes; their handles are free afterwards. Without a team, one thread does it.
  virtual void divide(std::span<Division> divisions, const Judge& judge, Team* team) = 0;
  // An open node becomes a leaf; its handle is free afterwards.
  virtual void close(int32_t handle) = 0;
  // How many nodes to choose and divide in one round. One gives depth-first order.
  virtual size_t nodes_per_round() const { return 1; }

  // ---- splits from outside ----

  // The best split of every column, best first.
  virtual std::vector<Candidate> best_of_each_column(int32_t handle) = 0;
  // Checks that a split suits its column and leaves no branch empty, and sets its gain.
  virtual void examine(int32_t handle, Candidate& split) = 0;

  // ---- small subtrees ----

  // A node of at most this many rows is better grown to the end by one thread, at home. 0: none.
  virtual int64_t home_rows(int /*n_threads*/) const { return 0; }
  // Moves a node to a source of its own, which one thread may use while other workers use theirs.
  // It is valid until the same worker asks again.
  struct Home {
    NodeSource* source;
    int32_t handle;
  };
  virtual Home at_home(int32_t handle, int worker) = 0;
  // Grows nodes to the end in other processes, and hands over each subtree as it is finished.
  // Returns false if the source does not do this; the nodes then move home.
  struct SubtreeRoot {
    int32_t handle, depth;
  };
  virtual bool grow_elsewhere(std::span<const SubtreeRoot> /*roots*/,
                              const std::function<void(size_t, FlatTree&&)>& /*grown*/) {
    return false;
  }
  // Called once before nodes are moved home by several workers at once.
  virtual void prepare_homes(int /*n_workers*/) {}

  // No node is open any more, so no row will be asked for again.
  virtual void finish(Team& team) = 0;
};

}  // namespace treewright
