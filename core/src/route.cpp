#include "treewright/route.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

namespace treewright {
namespace {

constexpr int64_t kChunk = 4096;  // rows per piece of work
constexpr int kTogether = 8;      // rows walked side by side, to hide the memory's latency

// Columns of a row-major or column-major float matrix.
template <class T>
struct Matrix {
  const std::byte* data;
  ptrdiff_t row_stride, column_stride;
  double value(int32_t feature, int64_t row) const {
    T value;
    std::memcpy(&value, data + row_stride * row + column_stride * feature, sizeof value);
    return static_cast<double>(value);
  }
  int32_t code(int32_t, int64_t) const { return -1; }
};

struct Columns {
  const ColumnView* views;
  double value(int32_t feature, int64_t row) const { return views[feature].value(row); }
  int32_t code(int32_t feature, int64_t row) const { return views[feature].code(row); }
};

// True if all columns are evenly spaced slices of one block of one float type.
bool is_matrix(std::span<const ColumnView> columns) {
  if (columns.empty() || columns[0].data == nullptr || columns[0].storage == Storage::int32) {
    return false;
  }
  const ptrdiff_t step = columns.size() > 1 ? columns[1].data - columns[0].data : 0;
  for (size_t c = 0; c < columns.size(); ++c) {
    if (columns[c].storage != columns[0].storage || columns[c].stride != columns[0].stride ||
        columns[c].data == nullptr ||
        columns[c].data - columns[0].data != step * static_cast<ptrdiff_t>(c)) {
      return false;
    }
  }
  return true;
}

}  // namespace

Router::Router(const TreeShape& tree)
    : categories_(tree.categories.begin(), tree.categories.end()),
      branches_(tree.category_branch.begin(), tree.category_branch.end()) {
  const size_t n = tree.subtree_size.size();
  bool plain = true;
  preorder_.reserve(n);
  preorder_.push_back(0);
  steps_.reserve(n);
  std::vector<Other> others;
  others.reserve(n);
  // Breadth first: the children of a node are appended together.
  for (size_t i = 0; i < preorder_.size(); ++i) {
    const int32_t node = preorder_[i];
    const auto at = static_cast<size_t>(node);
    const auto kind = static_cast<SplitKind>(tree.split_kind[at]);
    if (kind == SplitKind::leaf) {
      // A leaf reads the root's column, which is sure to be there.
      steps_.push_back({std::numeric_limits<double>::infinity(), static_cast<int32_t>(i),
                        2 * std::max(tree.feature[0], 0)});
      others.push_back({SplitKind::leaf, kStopHere, 0, 0});
      continue;
    }
    const int32_t missing = tree.missing_route[at];
    steps_.push_back({tree.threshold[at], static_cast<int32_t>(preorder_.size()),
                      2 * tree.feature[at] + (missing == 0 ? 0 : 1)});
    others.push_back({kind, missing, tree.category_start[at], tree.category_start[at + 1]});
    plain = plain && kind == SplitKind::threshold && missing >= 0;
    const int32_t end = node + tree.subtree_size[at];
    for (int32_t child = node + 1; child < end; child += tree.subtree_size[size_t(child)]) {
      preorder_.push_back(child);
    }
  }
  if (!plain) {
    others_ = std::move(others);
  }
}

// Where a row goes from a node that is not a leaf; kStopHere: nowhere.
template <class Source>
int32_t Router::branch(const Source& source, const Step& step, const Other& other,
                       int64_t row) const {
  const int32_t feature = step.feature / 2;
  if (other.kind == SplitKind::subset || other.kind == SplitKind::multiway) {
    const int32_t code = source.code(feature, row);
    const auto begin = categories_.begin() + other.begin, end = categories_.begin() + other.end;
    const auto found = std::lower_bound(begin, end, code);
    return found != end && *found == code ? branches_[size_t(found - categories_.begin())]
                                          : other.missing_route;
  }
  const double x = source.value(feature, row);
  if (std::isnan(x)) {
    return other.missing_route;
  }
  return other.kind == SplitKind::is_missing || x > step.threshold ? 1 : 0;
}

template <class Source>
void Router::route_block(const Source& source, int64_t begin, int64_t end, int32_t* node) const {
  for (int64_t row = begin; row < end; ++row) {
    auto at = size_t(0);
    while (others_[at].kind != SplitKind::leaf) {
      const int32_t next = branch(source, steps_[at], others_[at], row);
      if (next == kStopHere) {
        break;
      }
      at = size_t(steps_[at].child + next);
    }
    node[row - begin] = preorder_[at];
  }
}

// Thresholds only: several rows side by side, one step each in turn, no branches.
template <int kRows, class Source>
void Router::walk(const Source& source, int64_t first, int32_t* node) const {
  const Step* steps = steps_.data();
  int32_t at[kRows] = {};
  for (bool moved = true; moved;) {
    int32_t changed = 0;
    for (int i = 0; i < kRows; ++i) {
      const Step& step = steps[at[i]];
      const double x = source.value(step.feature >> 1, first + i);
      const int right = (x > step.threshold) | ((x != x) & step.feature);
      const int32_t next = step.child + right;
      changed |= next ^ at[i];
      at[i] = next;
    }
    moved = changed != 0;
  }
  for (int i = 0; i < kRows; ++i) {
    node[i] = preorder_[size_t(at[i])];
  }
}

template <class Source>
void Router::route_thresholds(const Source& source, int64_t begin, int64_t end,
                              int32_t* node) const {
  int64_t row = begin;
  for (; row + kTogether <= end; row += kTogether) {
    walk<kTogether>(source, row, node + (row - begin));
  }
  for (; row < end; ++row) {
    walk<1>(source, row, node + (row - begin));
  }
}

// use(first row, nodes of this and the rows after it, how many) for one chunk after another.
template <class Source, class Use>
void Router::run(const Source& source, int64_t n_rows, int n_threads, const Control& control,
                 const Use& use) const {
  const auto chunk = [&](size_t i, int) {
    const int64_t begin = static_cast<int64_t>(i) * kChunk;
    const int64_t end = std::min(begin + kChunk, n_rows);
    int32_t node[kChunk];
    if (others_.empty()) {
      route_thresholds(source, begin, end, node);
    } else {
      route_block(source, begin, end, node);
    }
    use(begin, node, end - begin);
  };
  const auto n_chunks = static_cast<size_t>((n_rows + kChunk - 1) / kChunk);
  if (n_chunks == 1) {
    return chunk(0, 0);
  }
  Team team(std::min(n_threads, static_cast<int>(n_chunks)), control);
  team.run(n_chunks, chunk);
}

template <class Use>
void Router::route_chunks(std::span<const ColumnView> columns, int64_t n_rows, int n_threads,
                          const Control& control, const Use& use) const {
  if (n_rows == 0) {
    return;
  }
  if (is_matrix(columns)) {
    const ptrdiff_t step = columns.size() > 1 ? columns[1].data - columns[0].data : 0;
    if (columns[0].storage == Storage::float32) {
      run(Matrix<float>{columns[0].data, columns[0].stride, step}, n_rows, n_threads, control, use);
    } else {
      run(Matrix<double>{columns[0].data, columns[0].stride, step}, n_rows, n_threads, control,
          use);
    }
  } else {
    run(Columns{columns.data()}, n_rows, n_threads, control, use);
  }
}

void Router::route(std::span<const ColumnView> columns, int64_t n_rows, int n_threads,
                   const Control& control, int32_t* node) const {
  if (steps_.size() == 1) {
    std::fill(node, node + n_rows, 0);
    return;
  }
  route_chunks(columns, n_rows, n_threads, control,
               [&](int64_t first, const int32_t* nodes, int64_t n) {
                 std::copy(nodes, nodes + n, node + first);
               });
}

void Router::answer(std::span<const ColumnView> columns, int64_t n_rows, int n_threads,
                    const Control& control, const int64_t* answers, int64_t* out) const {
  if (steps_.size() == 1) {
    std::fill(out, out + n_rows, answers[0]);
    return;
  }
  route_chunks(
      columns, n_rows, n_threads, control, [&](int64_t first, const int32_t* nodes, int64_t n) {
        std::transform(nodes, nodes + n, out + first, [&](int32_t node) { return answers[node]; });
      });
}

}  // namespace treewright
