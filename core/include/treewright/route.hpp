// route.hpp: the one function that sends rows down a tree.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "treewright/columns.hpp"
#include "treewright/parallel.hpp"
#include "treewright/types.hpp"

namespace treewright {

constexpr int32_t kStopHere = -1;

// The arrays of a tree that routing needs, in preorder (see flat_tree.hpp).
struct TreeShape {
  std::span<const int32_t> subtree_size;
  std::span<const int8_t> split_kind;
  std::span<const int32_t> feature;
  std::span<const double> threshold;
  std::span<const int64_t> category_start;
  std::span<const int32_t> categories, category_branch;
  std::span<const int32_t> missing_route;
};

class Router {
 public:
  explicit Router(const TreeShape& tree);

  size_t n_nodes() const { return steps_.size(); }

  // The node (preorder number) where each row ends. Columns by feature number; only those
  // the tree asks about are read, the others may be empty views.
  void route(std::span<const ColumnView> columns, int64_t n_rows, int n_threads,
             const Control& control, int32_t* node) const;
  // The same, and what each of these nodes answers: any eight bytes, by node.
  void answer(std::span<const ColumnView> columns, int64_t n_rows, int n_threads,
              const Control& control, const int64_t* answers, int64_t* out) const;

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
  };

  template <class Source>
  void route_block(const Source& source, int64_t begin, int64_t end, int32_t* node) const;
  template <int kRows, class Source>
  void walk(const Source& source, int64_t first, int32_t* node) const;
  template <class Source>
  void route_thresholds(const Source& source, int64_t begin, int64_t end, int32_t* node) const;
  template <class Source>
  int32_t branch(const Source& source, const Step& step, const Other& other, int64_t row) const;
  template <class Use>
  void route_chunks(std::span<const ColumnView> columns, int64_t n_rows, int n_threads,
                    const Control& control, const Use& use) const;
  template <class Source, class Use>
  void run(const Source& source, int64_t n_rows, int n_threads, const Control& control,
           const Use& use) const;

  std::vector<Step> steps_;
  std::vector<Other> others_;      // empty if all splits are thresholds that route missing values
  std::vector<int32_t> preorder_;  // number of each step in the tree
  std::vector<int32_t> categories_, branches_;
};

}  // namespace treewright
