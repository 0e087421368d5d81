// engine.hpp: the Grower for one kind of target (private to grow.cpp).
//
// Every column's entries of the rows of a node lie in the same range [begin, end) of that
// column's array, sorted; a split is a stable partition of each column's range. Children
// are searched column by column in the same pass that partitions the column, while it is
// still in the cache.
//
// Two kinds of parallel work: over columns while a node is large, over whole subtrees
// below that. A subtree is handed to one thread, its rows renumbered 0..n-1 and their
// targets copied, so that everything it gathers stays in the cache. What a node becomes
// depends only on its rows, so neither changes the tree.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <queue>
#include <stdexcept>
#include <string>
#include <vector>

#include "treewright/category_search.hpp"
#include "treewright/grow.hpp"
#include "treewright/node.hpp"
#include "treewright/partition.hpp"
#include "treewright/threshold_search.hpp"

namespace treewright {

// Below this many entries (rows x columns) threads cost more than they save.
constexpr int64_t kParallelWork = 100'000;
// A subtree of at most this many rows is grown by one thread; a node of at most the second
// number gets a numbering of its own.
constexpr int64_t kSubtreeRows = 2048;
constexpr int64_t kMiddleRows = 131'072;

// The numbering of rows that the entries of a range use, and the targets by that number.
template <class Rows>
struct Space {
  Rows rows;
  const uint32_t* global = nullptr;  // row of the table; null: the same number
  Sides sides{0};
  std::vector<std::vector<Entry>> scratch;  // one per worker, for partitions
  int64_t* y = nullptr;                     // what rows.y points to (numbers only)
  std::vector<int32_t> coarse;              // image of y in each row's open node (numbers only)

  // Storage of a space that has its own numbering.
  std::vector<uint32_t> own_global, own_number;
  std::vector<int32_t> own_labels;
  std::vector<int64_t> own_weights, own_y;

  int64_t row(Entry e) const {
    const uint32_t number = rows.row(e);
    return global == nullptr ? number : global[number];
  }
};

// An open node: the best gain of each column, and how many of its rows are known in each
// column that has missing values at all.
struct Open {
  int32_t id = 0;
  std::vector<double> best;
  std::vector<int32_t> known;
  Coarse coarse;  // numbers only
};

template <class Rows>
class Engine final : public Grower {
 public:
  Engine(SortedTable&& table, const Target& target, Weights&& weights, const GrowOptions& options,
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
  // -- setting up (engine_setup.hpp) --
  void set_rules();
  void set_rows();
  void take_entries(SortedTable& table);
  Entry with_label(uint32_t row, Entry differs) const;
  void add_root();

  // -- searching (engine_search.hpp) --
  std::optional<Candidate> choose(const Space<Rows>& space, NodeList& list, Open& open,
                                  StopReason& reason) const;
  void search_more_columns(const Space<Rows>& space, const NodeList& list, Open& open) const;
  double search_column(const Space<Rows>& space, const NodeList& list, const Open& open,
                       const NodeCost& cost, size_t column) const;
  void offer_column(const Space<Rows>& space, const NodeList& list, const Open& open,
                    const NodeCost& cost, size_t column, double at_least, Chooser& chooser) const;
  Levels levels_of(const Space<Rows>& space, const Span& span, size_t column) const;
  Candidate make_threshold(const Space<Rows>& space, const Span& span, size_t column, int64_t cut,
                           bool missing_left, const int64_t* left, const int64_t* right) const;
  template <class Use>
  auto with_threshold_search(const Space<Rows>& space, const NodeCost& cost, const int64_t* node,
                             const Coarse& coarse, const Use& use) const;
  std::vector<size_t> column_order(const Node& node) const;
  std::vector<uint8_t> columns_to_search(const Node& node) const;
  StopReason why_no_split(const Space<Rows>& space, const NodeList& list, const Open& open) const;
  StopReason too_little(const NodeList& list, int32_t id, const Candidate& split) const;

  // -- splitting (engine_split.hpp) --
  struct Children {
    Open open[2];
    bool searched[2] = {false, false};
  };
  Children expand(Space<Rows>& space, NodeList& list, const Open& open, const Candidate& split,
                  Team* team);
  void add_children(Space<Rows>& space, NodeList& list, const Open& open, const Candidate& split);
  void divide_columns(Space<Rows>& space, NodeList& list, const Open& open, Children& children,
                      Team* team);
  template <class Visit>
  void for_each_left(const Space<Rows>& space, const Node& node, const Open& open,
                     const Candidate& split, const Visit& visit) const;
  int64_t first_above(const Space<Rows>& space, const Span& span, size_t column, double at) const;
  void measure(Space<Rows>& space, NodeList& list, int32_t id);
  void measure_number(Space<Rows>& space, Node& node, NumberPart& number, int64_t* stats);
  void rescale(Space<Rows>& space, const Node& node, NumberPart& number, int64_t* stats,
               double minimum, double maximum);
  Coarse coarsen(Space<Rows>& space, const Node& node) const;
  double squared_units(const Space<Rows>& space, const Node& node, const int64_t* stats) const;
  double poisson_units(const Space<Rows>& space, const Node& node, const int64_t* stats) const;
  void set_quartiles(const Space<Rows>& space, const Node& node, NumberPart& number,
                     const int64_t* stats) const;
  StopReason stop_before_search(const NodeList& list, int32_t id) const;
  void stop(NodeList& list, int32_t id, StopReason reason);

  // -- orders (engine_orders.hpp) --
  std::vector<Candidate> best_of_each_column(const Open& open) const;
  void check_split(const Candidate& split) const;
  void grow_depth_first();
  void grow_best_first();
  void grow_subtree(Space<Rows>& space, NodeList& list, Open root);
  std::vector<Open> grow_columnwise(Space<Rows>& space, std::vector<Open> stack, int64_t at_most,
                                    Team& team);
  void grow_subtrees(const Space<Rows>& space, std::vector<Open> roots, Team& team);
  void enter_own_space(Space<Rows>& space, const Space<Rows>& from, const Node& node, Team* team);
  std::unique_ptr<Team> make_team(int64_t n_rows) const;

  // -- the finished tree (engine_tree.hpp) --
  template <class Visit>
  void in_preorder(const Visit& visit) const;
  void append(FlatTree& flat, const NodeList& list, int32_t id) const;
  FlatTree empty_tree() const;
  template <class Done>
  FlatTree lay_out(const Done& done) const;

  // -- small helpers --
  static constexpr bool kNumber = Rows::kTask == Task::number;
  NodeCost cost_of(const NodeList& list, int32_t id) const {
    return NodeCost(options_.criterion, layout_, list.stats_of(id),
                    list.nodes[size_t(id)].impurity);
  }
  size_t n_columns() const { return views_.size(); }
  int64_t known_of(const Open& open, size_t column, const Node& node) const {
    const int32_t slot = missing_slot_[column];
    return slot < 0 ? node.n_rows() : open.known[size_t(slot)];
  }
  Span span(const Node& node, size_t column, int64_t known) const {
    return {entries_[column].data() + node.begin, known, node.n_rows()};
  }
  // The target sorted by value rides along as one more column (numbers only).
  const Entry* target_entries(const Node& node) const {
    return entries_.back().data() + node.begin;
  }
  int64_t weight_of(const Space<Rows>& space, Entry e) const {
    if constexpr (Rows::kUnitWeights) {
      return 1;
    } else {
      return space.rows.weights[space.rows.row(e)];
    }
  }
  // An impurity or a gain, from units of the node's quantiser to real numbers.
  double real_units(const NodeList& list, int32_t id, double units) const {
    if (!kNumber) {
      return units;
    }
    const int power = options_.criterion == Criterion::squared_error ? 2 : 1;
    return list.numbers[size_t(id)].scale.real(units, power);
  }
  const Node& at(int32_t node) const;
  Open& open_at(int32_t node);

  GrowOptions options_;
  Control& control_;
  Target target_;
  Weights weights_;
  Layout layout_;
  Rules rules_;
  std::vector<ColumnView> views_;
  std::vector<std::vector<Entry>> entries_;
  std::vector<int32_t> missing_slot_;  // by column: index into Open::known, -1 if never missing
  std::vector<uint8_t> short_labels_;  // a smaller copy of the labels, while entries are made
  std::vector<int64_t> y_;
  std::vector<uint32_t> local_number_;  // by row: its number in its subtree's own space
  std::unique_ptr<OneOver> one_over_;
  std::unique_ptr<simd::Reciprocals> reciprocals_;
  std::unique_ptr<NLogN> n_log_n_;
  Space<Rows> space_;
  NodeList list_;
  std::map<int32_t, Open> open_;  // open nodes of list_
  std::vector<NodeList> subtrees_;
};

}  // namespace treewright
