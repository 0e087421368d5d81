// route.hpp: the one function that sends rows down a tree.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "treewright/columns.hpp"
#include "treewright/parallel.hpp"
#include "treewright/types.hpp"

namespace treewright {

// The arrays of a tree that routing needs, in preorder (see flat_tree.hpp).
struct TreeShape {
  std::span<const int32_t> subtree_size;
  std::span<const int8_t> split_kind;
  std::span<const int32_t> feature;
  std::span<const double> threshold;
  std::span<const int64_t> category_start;
  std::span<const int32_t> categories, category_branch;
  std::span<const int32_t> missing_route;
  std::span<const double> weight;
  // Surrogates, by node; all empty if there are none.
  std::span<const int64_t> surrogate_start;
  std::span<const int32_t> surrogate_feature;
  std::span<const double> surrogate_threshold;
  std::span<const uint8_t> surrogate_flip;
  std::span<const int64_t> surrogate_category_start;
  std::span<const int32_t> surrogate_category_of, surrogate_categories, surrogate_category_branch;
};

// Where rows end: a row that is divided among branches has several entries.
struct Ends {
  std::vector<int64_t> row;
  std::vector<int32_t> node;
  std::vector<double> share;
};

// What happens to a row at one node.
struct Turn {
  int32_t branch;     // or kStopHere, or kAllBranches
  int32_t chosen_by;  // kOwnValue, the number of a surrogate, or kMissingRoute
};
inline constexpr int32_t kOwnValue = -1, kMissingRoute = -2;

class Router {
 public:
  explicit Router(const TreeShape& tree);

  size_t n_nodes() const { return steps_.size(); }

  // The node (preorder number) where each row ends. Columns by feature number; only those
  // the tree asks about are read, the others may be empty views.
  void route(std::span<const ColumnView> columns, int64_t n_rows, int n_threads,
             const Control& control, int32_t* node) const;
  // All nodes where each row ends, with the share of it, row by row. A row that is never
  // divided has one; route() gives the one of the largest share, the first on a tie.
  Ends route_shares(std::span<const ColumnView> columns, int64_t n_rows,
                    const Control& control) const;
  // The same, and what each of these nodes answers: any eight bytes, by node.
  void answer(std::span<const ColumnView> columns, int64_t n_rows, int n_threads,
              const Control& control, const int64_t* answers, int64_t* out) const;
  // The turn of one row at a node (preorder number). A column that is not listed counts as
  // missing. A leaf stops the row.
  Turn turn(int32_t node, std::span<const int32_t> features, std::span<const double> values) const;
  // The branch that each row takes at a node. An empty view counts as missing values.
  void branches(int32_t node, std::span<const ColumnView> columns, int64_t n_rows,
                int32_t* branch) const;

 private:
  // Siblings lie side by side, so a step is child + branch. A leaf is its own child and
  // sends every value left: rows that have arrived stay, without a test for it.
  struct Step {
    double threshold;
    int32_t child;
    int32_t feature;  // times 2, plus 1 if missing values go right
  };
  // What a step needs when it is no threshold.
  struct Other {
    SplitKind kind = SplitKind::threshold;
    int32_t missing_route = kStopHere;
    int64_t begin = 0, end = 0;  // in categories_
    int64_t first_surrogate = 0, last_surrogate = 0;
    int32_t n_children = 0;
    double share = 1.0;  // of its parent's weight
  };
  struct StandIn {
    double threshold;  // NaN: by category
    int32_t feature;
    bool flip;
    int64_t begin, end;  // in surrogate_categories_
  };

  template <class Source>
  void route_block(const Source& source, int64_t begin, int64_t end, int32_t* node) const;
  template <class Source>
  int32_t next(const Source& source, int32_t at, int64_t row) const;
  template <class Source>
  void route_thresholds(const Source& source, int64_t begin, int64_t end, int32_t* node) const;
  template <class Source>
  int32_t branch(const Source& source, const Step& step, const Other& other, int64_t row,
                 int32_t* chosen_by = nullptr) const;
  template <class Source>
  int32_t without_value(const Source& source, const Other& other, int64_t row,
                        int32_t* chosen_by) const;
  template <class Source>
  Turn turn_at(const Source& source, size_t at, int64_t row) const;
  template <class Source, class Visit>
  void for_each_end(const Source& source, int64_t row, size_t from, double share,
                    const Visit& visit) const;
  void add_surrogates(const TreeShape& tree, size_t node, Other& other);
  template <class Use>
  void route_chunks(std::span<const ColumnView> columns, int64_t n_rows, int n_threads,
                    const Control& control, const Use& use) const;
  template <class Source, class Use>
  void run(const Source& source, int64_t n_rows, int n_threads, const Control& control,
           const Use& use) const;

  std::vector<Step> steps_;
  std::vector<Other> others_;      // empty if all splits are thresholds that route missing values
  std::vector<int32_t> preorder_;  // number of each step in the tree
  std::vector<int32_t> place_;     // step of each node of the tree
  std::vector<int32_t> categories_, branches_;
  std::vector<StandIn> stand_ins_;
  std::vector<int32_t> surrogate_categories_, surrogate_branches_;
};

}  // namespace treewright
