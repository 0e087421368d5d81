// frontier.hpp: the order in which nodes are split, the rules that stop them, the finished tree.
//
// The frontier keeps the list of nodes and asks a NodeSource about rows. Depth-first, best-first
// and node by node are orders over the same questions, and give the same nodes: what a node becomes
// depends on its own rows alone.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <vector>

#include "treewright/grow.hpp"
#include "treewright/node_source.hpp"

namespace treewright {

// The written stopping rules. Those that need no search come first, in the order of StopReason.
class StopRules {
 public:
  StopRules(const GrowOptions& options, const TableFacts& facts);

  StopReason before_search(const NodeRecord& node, const int64_t* stats, int64_t depth) const;
  // gain: a real number, not in units of a quantiser.
  StopReason after_search(double gain, int64_t weight) const;
  // Whether a tree of this size may have a node with so many branches more.
  StopReason size_limit(int64_t n_leaves, int64_t n_nodes, int64_t n_branches) const;

 private:
  const GrowOptions& options_;
  int64_t min_rows_to_split_, min_rows_of_leaf_;  // in the units of statistics
  double weight_unit_, total_weight_;
};

class Frontier final : public Grower {
 public:
  Frontier(std::unique_ptr<NodeSource> source, const GrowOptions& options, Control& control);
  // Starts at an open node of a larger table, which has these facts. record.handle: of the source.
  Frontier(std::unique_ptr<NodeSource> source, const TableFacts& facts, const NodeRecord& record,
           const int64_t* stats, uint64_t key, int32_t depth, const GrowOptions& options,
           Control& control);

  int64_t n_nodes() const override { return static_cast<int64_t>(list_.nodes.size()); }
  StopReason stop_reason(int32_t node) const override { return at(node).stop; }
  std::vector<Candidate> candidates(int32_t node, size_t top) override;
  int32_t split(int32_t node, const Candidate& split) override;
  void close(int32_t node, StopReason reason) override;
  void grow_all() override;
  FlatTree tree() const override;
  FlatTree take_tree() override;

 private:
  struct OpenNode {
    int32_t id, handle;
  };
  struct Round;
  struct BestFirstQueue;

  // Orders.
  void grow_depth_first();
  void grow_best_first();
  void grow_subtrees(std::vector<OpenNode> roots, Team& team);
  void set_subtree(OpenNode root, size_t index, FlatTree&& subtree);
  void grow_subtree(NodeSource& source, NodeList& list, OpenNode root);
  void grow_round(NodeSource& source, NodeList& list, std::vector<OpenNode>& stack, Round& round,
                  Team* team);

  // One node.
  Choice choose(OpenNode open);
  void apply_rules(const NodeList& list, int32_t id, Choice& choice) const;
  void divide(NodeSource& source, NodeList& list, Round& round, Team* team);
  void record_children(NodeList& list, int32_t parent, const Division& division,
                       std::vector<OpenNode>& open);
  void add_node(NodeList& list, const NodeRecord& record, const int64_t* stats, uint64_t key,
                int32_t depth) const;
  void stop(NodeList& list, int32_t id, StopReason reason);
  double real_gain(const NodeList& list, int32_t id, double units) const;

  NodeList list_from(int32_t id) const;
  std::unique_ptr<Team> make_team(int64_t n_rows) const;
  Team* worth_a_team(int64_t n_rows, Team& team) const;
  const Node& at(int32_t node) const;
  OpenNode open_at(int32_t node) const;

  GrowOptions options_;
  Control& control_;
  std::unique_ptr<NodeSource> source_;
  TableFacts facts_;
  StopRules rules_;
  NodeList list_;
  std::map<int32_t, int32_t> open_;  // node -> handle
  std::vector<FlatTree> subtrees_;   // grown to the end; see Node::subtree
};

}  // namespace treewright
