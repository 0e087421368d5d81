#include "treewright/route.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <type_traits>

namespace treewright {
namespace {

constexpr int64_t kChunk = 4096;  // rows per piece of work
// Rows that walk down as one batch. In smaller batches too many groups of kTogether rows would be
// half empty; the values of larger batches would leave the core's cache between two steps. These
// three sizes were chosen by reasoning, not measured one by one.
constexpr int64_t kBlock = 1024;
constexpr int kTogether = 8;  // rows that walk side by side, to hide the latency of memory

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

// Columns of which some are absent. The values of an absent column count as missing.
struct SomeColumns {
  const ColumnView* views;
  double value(int32_t feature, int64_t row) const {
    return views[feature].data == nullptr ? std::nan("") : views[feature].value(row);
  }
  int32_t code(int32_t feature, int64_t row) const {
    return views[feature].data == nullptr ? -1 : views[feature].code(row);
  }
};

// A few values of one row.
struct FewValues {
  std::span<const int32_t> features;
  std::span<const double> values;
  double value(int32_t feature, int64_t) const {
    const auto found = std::find(features.begin(), features.end(), feature);
    return found == features.end() ? std::nan("") : values[size_t(found - features.begin())];
  }
  int32_t code(int32_t feature, int64_t row) const {
    const double known = value(feature, row);
    return known >= 0.0 && known <= std::numeric_limits<int32_t>::max()
               ? static_cast<int32_t>(known)
               : -1;
  }
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
      branches_(tree.category_branch.begin(), tree.category_branch.end()),
      surrogate_categories_(tree.surrogate_categories.begin(), tree.surrogate_categories.end()),
      surrogate_branches_(tree.surrogate_category_branch.begin(),
                          tree.surrogate_category_branch.end()) {
  const size_t n = tree.subtree_size.size();
  bool plain = true;
  preorder_.reserve(n);
  preorder_.push_back(0);
  steps_.reserve(n);
  std::vector<Other> others;
  others.reserve(n);
  std::vector<double> shares{1.0};
  shares.reserve(n);
  // Breadth first: the children of a node are appended together.
  for (size_t i = 0; i < preorder_.size(); ++i) {
    const int32_t node = preorder_[i];
    const auto at = static_cast<size_t>(node);
    const auto kind = static_cast<SplitKind>(tree.split_kind[at]);
    if (kind == SplitKind::leaf) {
      // A leaf reads the column of the root, which is always present.
      steps_.push_back({std::numeric_limits<double>::infinity(), static_cast<int32_t>(i),
                        2 * std::max(tree.feature[0], 0)});
      others.emplace_back();
      others.back().kind = SplitKind::leaf;
      others.back().share = shares[i];
      continue;
    }
    const int32_t missing = tree.missing_route[at];
    steps_.push_back({tree.threshold[at], static_cast<int32_t>(preorder_.size()),
                      2 * tree.feature[at] + (missing == 0 ? 0 : 1)});
    Other other;
    other.kind = kind;
    other.missing_route = missing;
    other.begin = tree.category_start[at];
    other.end = tree.category_start[at + 1];
    other.share = shares[i];
    add_surrogates(tree, at, other);
    const size_t first = preorder_.size();
    double weight = 0.0;
    const int32_t end = node + tree.subtree_size[at];
    for (int32_t child = node + 1; child < end; child += tree.subtree_size[size_t(child)]) {
      preorder_.push_back(child);
      weight += tree.weight[size_t(child)];
    }
    other.n_children = static_cast<int32_t>(preorder_.size() - first);
    for (size_t c = first; c < preorder_.size(); ++c) {
      shares.push_back(weight > 0.0 ? tree.weight[size_t(preorder_[c])] / weight
                                    : 1.0 / other.n_children);
    }
    plain = plain && kind == SplitKind::threshold && missing >= 0 &&
            other.first_surrogate == other.last_surrogate;
    others.push_back(other);
  }
  if (!plain) {
    others_ = std::move(others);
  }
  place_.resize(n);
  for (size_t i = 0; i < preorder_.size(); ++i) {
    place_[size_t(preorder_[i])] = static_cast<int32_t>(i);
  }
}

void Router::add_surrogates(const TreeShape& tree, size_t node, Other& other) {
  other.first_surrogate = other.last_surrogate = static_cast<int64_t>(stand_ins_.size());
  if (tree.surrogate_start.empty()) {
    return;
  }
  int64_t category = tree.surrogate_category_start[node];
  const int64_t end = tree.surrogate_category_start[node + 1];
  const int64_t first = tree.surrogate_start[node];
  for (int64_t s = first; s < tree.surrogate_start[node + 1]; ++s) {
    StandIn stand_in{tree.surrogate_threshold[size_t(s)], tree.surrogate_feature[size_t(s)],
                     tree.surrogate_flip[size_t(s)] != 0, category, category};
    while (category < end && tree.surrogate_category_of[size_t(category)] == s - first) {
      stand_in.end = ++category;
    }
    stand_ins_.push_back(stand_in);
    ++other.last_surrogate;
  }
}

// The branch of a row whose value is missing: by the first surrogate that knows it.
template <class Source>
int32_t Router::without_value(const Source& source, const Other& other, int64_t row,
                              int32_t* chosen_by) const {
  const auto chosen = [&](int64_t by) {
    if (chosen_by != nullptr) {
      *chosen_by = static_cast<int32_t>(by);
    }
  };
  for (int64_t s = other.first_surrogate; s < other.last_surrogate; ++s) {
    const StandIn& stand_in = stand_ins_[size_t(s)];
    if (std::isnan(stand_in.threshold)) {
      const auto begin = surrogate_categories_.begin() + stand_in.begin;
      const auto end = surrogate_categories_.begin() + stand_in.end;
      const int32_t code = source.code(stand_in.feature, row);
      const auto found = std::lower_bound(begin, end, code);
      if (found != end && *found == code) {
        chosen(s - other.first_surrogate);
        return surrogate_branches_[size_t(found - surrogate_categories_.begin())];
      }
      continue;
    }
    const double x = source.value(stand_in.feature, row);
    if (!std::isnan(x)) {
      chosen(s - other.first_surrogate);
      return (x <= stand_in.threshold) == stand_in.flip ? 1 : 0;
    }
  }
  chosen(kMissingRoute);
  return other.missing_route;
}

// Where a row goes from a node that is not a leaf; or kStopHere, or kAllBranches.
template <class Source>
int32_t Router::branch(const Source& source, const Step& step, const Other& other, int64_t row,
                       int32_t* chosen_by) const {
  const int32_t feature = step.feature / 2;
  if (other.kind == SplitKind::subset || other.kind == SplitKind::multiway) {
    const int32_t code = source.code(feature, row);
    const auto begin = categories_.begin() + other.begin, end = categories_.begin() + other.end;
    const auto found = std::lower_bound(begin, end, code);
    return found != end && *found == code ? branches_[size_t(found - categories_.begin())]
                                          : without_value(source, other, row, chosen_by);
  }
  const double x = source.value(feature, row);
  if (std::isnan(x)) {
    return without_value(source, other, row, chosen_by);
  }
  return other.kind == SplitKind::is_missing || x > step.threshold ? 1 : 0;
}

template <class Source>
Turn Router::turn_at(const Source& source, size_t at, int64_t row) const {
  if (steps_[at].child == static_cast<int32_t>(at)) {
    return {kStopHere, kOwnValue};
  }
  if (others_.empty()) {
    const int32_t branch = next(source, static_cast<int32_t>(at), row) - steps_[at].child;
    const bool known = !std::isnan(source.value(steps_[at].feature / 2, row));
    return {branch, known ? kOwnValue : kMissingRoute};
  }
  int32_t chosen_by = kOwnValue;
  const int32_t there = branch(source, steps_[at], others_[at], row, &chosen_by);
  return {there, chosen_by};
}

Turn Router::turn(int32_t node, std::span<const int32_t> features,
                  std::span<const double> values) const {
  return turn_at(FewValues{features, values}, size_t(place_[size_t(node)]), 0);
}

void Router::branches(int32_t node, std::span<const ColumnView> columns, int64_t n_rows,
                      int32_t* branch) const {
  const SomeColumns source{columns.data()};
  const auto at = size_t(place_[size_t(node)]);
  for (int64_t row = 0; row < n_rows; ++row) {
    branch[row] = turn_at(source, at, row).branch;
  }
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
      if (next == kAllBranches) {
        double largest = 0.0;
        size_t there = at;
        for_each_end(source, row, at, 1.0, [&](size_t end_at, double share) {
          if (share > largest) {
            largest = share;
            there = end_at;
          }
        });
        at = there;
        break;
      }
      at = static_cast<size_t>(steps_[at].child) + static_cast<size_t>(next);
    }
    node[row - begin] = preorder_[at];
  }
}

// Walks a row down from a node, divides it at splits that send its missing value to all branches,
// and calls visit(step, share) for each part where it ends, in preorder.
template <class Source, class Visit>
void Router::for_each_end(const Source& source, int64_t row, size_t from, double share,
                          const Visit& visit) const {
  std::vector<std::pair<size_t, double>> waiting{{from, share}};
  while (!waiting.empty()) {
    auto [at, part] = waiting.back();
    waiting.pop_back();
    const Other& other = others_[at];
    const int32_t next =
        other.kind == SplitKind::leaf ? kStopHere : branch(source, steps_[at], other, row);
    if (next == kStopHere) {
      visit(at, part);
    } else if (next == kAllBranches) {
      for (int32_t b = other.n_children; b-- > 0;) {
        const size_t child = static_cast<size_t>(steps_[at].child) + static_cast<size_t>(b);
        if (others_[child].share > 0.0) {
          waiting.emplace_back(child, part * others_[child].share);
        }
      }
    } else {
      waiting.emplace_back(size_t(steps_[at].child + next), part);
    }
  }
}

// One step down; a leaf leads to itself.
template <class Source>
inline int32_t Router::next(const Source& source, int32_t at, int64_t row) const {
  const Step& step = steps_[size_t(at)];
  const double x = source.value(step.feature >> 1, row);
  return step.child + ((x > step.threshold) | ((x != x) & step.feature));
}

// For trees of thresholds only. Rows walk down side by side, one step each in turn, without branch
// instructions. After every kSteps steps, rows that have reached a leaf are removed from the batch.
template <class Source>
void Router::route_thresholds(const Source& source, int64_t begin, int64_t end,
                              int32_t* node) const {
  constexpr int kSteps = 6;
  int32_t at[kBlock + kTogether] = {};
  int32_t row[kBlock + kTogether];
  std::iota(row, row + (end - begin), 0);
  for (int64_t active = end - begin; active > 0;) {
    std::fill_n(row + active, kTogether, 0);  // fills up the last group
    for (int64_t first = 0; first < active; first += kTogether) {
      int32_t here[kTogether];
      std::copy_n(at + first, kTogether, here);
      for (int step = 0; step < kSteps; ++step) {
        for (int i = 0; i < kTogether; ++i) {
          here[i] = next(source, here[i], begin + row[first + i]);
        }
      }
      std::copy_n(here, kTogether, at + first);
    }
    int64_t moving = 0;
    for (int64_t i = 0; i < active; ++i) {
      node[row[i]] = preorder_[size_t(at[i])];
      row[moving] = row[i];
      at[moving] = at[i];
      moving += steps_[size_t(at[i])].child != at[i];
    }
    active = moving;
  }
}

// Calls use(first row, end nodes of the rows from there on, number of rows) for each chunk.
template <class Source, class Use>
void Router::run(const Source& source, int64_t n_rows, int n_threads, const Control& control,
                 const Use& use) const {
  const auto chunk = [&](size_t i, int) {
    const int64_t begin = static_cast<int64_t>(i) * kChunk;
    const int64_t end = std::min(begin + kChunk, n_rows);
    int32_t node[kChunk];
    if (others_.empty()) {
      for (int64_t first = begin; first < end; first += kBlock) {
        route_thresholds(source, first, std::min(first + kBlock, end), node + (first - begin));
      }
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

Ends Router::route_shares(std::span<const ColumnView> columns, int64_t n_rows,
                          const Control& control) const {
  Ends ends;
  const auto add = [&](int64_t row, int32_t node, double share) {
    ends.row.push_back(row);
    ends.node.push_back(node);
    ends.share.push_back(share);
  };
  if (others_.empty()) {  // nothing is ever divided
    std::vector<int32_t> node(static_cast<size_t>(n_rows));
    route(columns, n_rows, 1, control, node.data());
    for (int64_t row = 0; row < n_rows; ++row) {
      add(row, node[size_t(row)], 1.0);
    }
    return ends;
  }
  const Columns source{columns.data()};
  for (int64_t row = 0; row < n_rows; ++row) {
    for_each_end(source, row, 0, 1.0,
                 [&](size_t at, double share) { add(row, preorder_[at], share); });
  }
  return ends;
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
