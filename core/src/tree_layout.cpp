#include "treewright/tree_layout.hpp"

#include <algorithm>
#include <cmath>

namespace treewright {

double real_units(const NodeList& list, int32_t id, Criterion criterion, double units) {
  if (list.numbers.empty()) {
    return units;
  }
  const int power = criterion == Criterion::squared_error ? 2 : 1;
  return list.numbers[size_t(id)].scale.real(units, power);
}

namespace {

// An empty tree with room for so many nodes.
FlatTree with_room(size_t n, size_t n_categories, int64_t width, bool number) {
  FlatTree flat;
  flat.width = width;
  for (auto* array : {&flat.threshold, &flat.weight, &flat.weight_squared, &flat.impurity,
                      &flat.gain, &flat.risk}) {
    array->reserve(n);
  }
  for (auto* array : {&flat.subtree_size, &flat.feature, &flat.missing_route, &flat.label}) {
    array->reserve(n);
  }
  flat.split_kind.reserve(n);
  flat.stop_reason.reserve(n);
  flat.proven.reserve(n);
  flat.n_rows.reserve(n);
  flat.n_missing.reserve(n);
  flat.value.reserve(n * size_t(width));
  flat.variance.reserve(number ? n : 0);
  flat.quartiles.reserve(number ? 3 * n : 0);
  flat.categories.reserve(n_categories);
  flat.category_branch.reserve(n_categories);
  flat.category_start.reserve(n + 1);
  flat.category_start.push_back(0);
  return flat;
}

// Appends the nodes of another tree.
void append(FlatTree& flat, const FlatTree& more) {
  const auto add = [](auto& array, const auto& others) {
    array.insert(array.end(), others.begin(), others.end());
  };
  // Offsets continue from the last one.
  const auto add_starts = [](LargeVector<int64_t>& starts, const LargeVector<int64_t>& others) {
    if (starts.empty()) {
      starts = others;
      return;
    }
    const int64_t before = starts.back();
    for (size_t i = 1; i < others.size(); ++i) {
      starts.push_back(before + others[i]);
    }
  };
  add(flat.subtree_size, more.subtree_size);
  add(flat.split_kind, more.split_kind);
  add(flat.feature, more.feature);
  add(flat.threshold, more.threshold);
  add_starts(flat.category_start, more.category_start);
  add(flat.categories, more.categories);
  add(flat.category_branch, more.category_branch);
  add(flat.missing_route, more.missing_route);
  add(flat.n_rows, more.n_rows);
  add(flat.weight, more.weight);
  add(flat.weight_squared, more.weight_squared);
  add(flat.value, more.value);
  add(flat.variance, more.variance);
  add(flat.quartiles, more.quartiles);
  add(flat.impurity, more.impurity);
  add(flat.gain, more.gain);
  add(flat.risk, more.risk);
  add(flat.label, more.label);
  add(flat.stop_reason, more.stop_reason);
  add(flat.proven, more.proven);
  add(flat.n_missing, more.n_missing);
  add_starts(flat.surrogate_start, more.surrogate_start);
  add(flat.surrogate_feature, more.surrogate_feature);
  add(flat.surrogate_threshold, more.surrogate_threshold);
  add(flat.surrogate_flip, more.surrogate_flip);
  add(flat.surrogate_agree, more.surrogate_agree);
  add(flat.surrogate_adjust, more.surrogate_adjust);
  add(flat.surrogate_rows, more.surrogate_rows);
  add_starts(flat.surrogate_category_start, more.surrogate_category_start);
  add(flat.surrogate_category_of, more.surrogate_category_of);
  add(flat.surrogate_categories, more.surrogate_categories);
  add(flat.surrogate_category_branch, more.surrogate_category_branch);
}

void append_surrogates(FlatTree& flat, const std::vector<Surrogate>& surrogates) {
  for (auto* start : {&flat.surrogate_start, &flat.surrogate_category_start}) {
    if (start->empty()) {
      start->push_back(0);
    }
  }
  for (size_t s = 0; s < surrogates.size(); ++s) {
    const Surrogate& surrogate = surrogates[s];
    flat.surrogate_feature.push_back(surrogate.column);
    flat.surrogate_threshold.push_back(surrogate.threshold);
    flat.surrogate_flip.push_back(surrogate.flip);
    flat.surrogate_agree.push_back(surrogate.agree);
    flat.surrogate_adjust.push_back(surrogate.adjust);
    flat.surrogate_rows.push_back(surrogate.n_rows);
    for (size_t i = 0; i < surrogate.categories.size(); ++i) {
      flat.surrogate_category_of.push_back(static_cast<int32_t>(s));
      flat.surrogate_categories.push_back(surrogate.categories[i]);
      flat.surrogate_category_branch.push_back(surrogate.branches[i]);
    }
  }
  flat.surrogate_start.push_back(static_cast<int64_t>(flat.surrogate_feature.size()));
  flat.surrogate_category_start.push_back(static_cast<int64_t>(flat.surrogate_categories.size()));
}

// Lays out one list of nodes; the finished subtrees are already in preorder.
class TreeLayout {
 public:
  TreeLayout(const NodeList& list, const TableFacts& facts, Criterion criterion,
             const std::vector<FlatTree>& subtrees)
      : list_(list), facts_(facts), criterion_(criterion), subtrees_(subtrees) {}

  FlatTree run(const std::function<void(size_t)>& copied) const;

 private:
  bool number() const { return facts_.layout.task() == Task::number; }
  std::vector<int32_t> subtree_sizes() const;
  void append_node(FlatTree& flat, int32_t id) const;
  void append_split(FlatTree& flat, int32_t id) const;
  void append_number(FlatTree& flat, int32_t id) const;
  void append_classes(FlatTree& flat, int32_t id) const;

  const NodeList& list_;
  const TableFacts& facts_;
  Criterion criterion_;
  const std::vector<FlatTree>& subtrees_;
};

void TreeLayout::append_split(FlatTree& flat, int32_t id) const {
  const Node& node = list_.nodes[size_t(id)];
  flat.split_kind.push_back(static_cast<int8_t>(node.kind));
  flat.feature.push_back(node.column);
  flat.threshold.push_back(node.kind == SplitKind::threshold ? node.threshold : std::nan(""));
  flat.missing_route.push_back(node.missing_route);
  for (size_t i = node.category_begin; i < node.category_end; ++i) {
    flat.categories.push_back(list_.categories[i]);
    flat.category_branch.push_back(list_.branches[i]);
  }
  flat.category_start.push_back(static_cast<int64_t>(flat.categories.size()));
  flat.gain.push_back(node.first_child < 0 ? 0.0 : real_units(list_, id, criterion_, node.gain));
  flat.stop_reason.push_back(static_cast<int8_t>(node.stop));
  flat.proven.push_back(node.proven);
  flat.n_missing.push_back(node.n_missing);
  if (!list_.surrogates.empty()) {
    append_surrogates(flat, list_.surrogates[size_t(id)]);
  }
}

void TreeLayout::append_number(FlatTree& flat, int32_t id) const {
  const NumberPart& number = list_.numbers[size_t(id)];
  flat.value.push_back(number.mean);
  flat.variance.push_back(number.scale.real(number.variance, 2));
  flat.quartiles.insert(flat.quartiles.end(), number.quartiles.begin(), number.quartiles.end());
  flat.label.push_back(-1);
  flat.risk.push_back(flat.impurity.back());
}

void TreeLayout::append_classes(FlatTree& flat, int32_t id) const {
  const int64_t* stats = list_.stats_of(id);
  const int64_t *first = stats + kFirst, *last = stats + facts_.layout.words();
  // Parts of divided rows are rounded: classes that weigh nearly the same weigh the same.
  const int64_t most = *std::max_element(first, last);
  const double enough = facts_.divides_rows ? real(most) - 1e-9 * real(stats[kWeight]) : real(most);
  const int64_t* heaviest =
      std::find_if(first, last, [&](int64_t weight) { return real(weight) >= enough; });
  for (const int64_t* weight = first; weight != last; ++weight) {
    flat.value.push_back(real(*weight) * facts_.weight_unit);
  }
  flat.label.push_back(static_cast<int32_t>(heaviest - first));
  flat.risk.push_back(real(stats[kWeight] - most) / real(stats[kWeight]));
}

void TreeLayout::append_node(FlatTree& flat, int32_t id) const {
  const Node& node = list_.nodes[size_t(id)];
  append_split(flat, id);
  flat.n_rows.push_back(node.n_rows);
  const double unit = facts_.weight_unit;
  flat.weight.push_back(real(list_.stats_of(id)[kWeight]) * unit);
  const double weight_squared =
      facts_.unequal_weights ? real(list_.weight_squared[size_t(id)]) : real(int64_t(node.n_rows));
  flat.weight_squared.push_back(weight_squared * unit * unit);
  flat.impurity.push_back(real_units(list_, id, criterion_, node.impurity));
  if (number()) {
    append_number(flat, id);
  } else {
    append_classes(flat, id);
  }
}

// The number of nodes in the subtree of each node. Children come after their parent in the list.
std::vector<int32_t> TreeLayout::subtree_sizes() const {
  std::vector<int32_t> sizes(list_.nodes.size(), 1);
  for (size_t id = sizes.size(); id-- > 0;) {
    const Node& node = list_.nodes[id];
    for (int32_t b = 0; b < node.n_children; ++b) {
      sizes[id] += sizes[static_cast<size_t>(node.first_child) + static_cast<size_t>(b)];
    }
    if (node.subtree >= 0) {
      sizes[id] = subtrees_[size_t(node.subtree)].subtree_size[0];
    }
  }
  return sizes;
}

FlatTree TreeLayout::run(const std::function<void(size_t)>& copied) const {
  const std::vector<int32_t> sizes = subtree_sizes();
  size_t n_categories = list_.categories.size();
  for (const Node& node : list_.nodes) {
    n_categories += node.subtree < 0 ? 0 : subtrees_[size_t(node.subtree)].categories.size();
  }
  const int64_t width = number() ? 1 : facts_.layout.classes();
  FlatTree flat = with_room(size_t(sizes[0]), n_categories, width, number());
  std::vector<int32_t> stack{0};
  while (!stack.empty()) {
    const int32_t id = stack.back();
    stack.pop_back();
    const Node& node = list_.nodes[size_t(id)];
    if (node.subtree >= 0) {
      append(flat, subtrees_[size_t(node.subtree)]);
      if (copied) {
        copied(size_t(node.subtree));
      }
      continue;
    }
    flat.subtree_size.push_back(sizes[size_t(id)]);
    append_node(flat, id);
    for (int32_t b = node.n_children; b-- > 0;) {
      stack.push_back(node.first_child + b);
    }
  }
  return flat;
}

}  // namespace

FlatTree lay_out(const NodeList& list, const TableFacts& facts, Criterion criterion,
                 const std::vector<FlatTree>& subtrees, const std::function<void(size_t)>& copied) {
  return TreeLayout(list, facts, criterion, subtrees).run(copied);
}

}  // namespace treewright
