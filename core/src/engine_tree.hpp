// engine_tree.hpp: from the nodes of all lists to the finished tree, in preorder.
#pragma once

#include "engine.hpp"

#ifdef __GLIBC__  // known once a header of the library has been read
#include <malloc.h>
#endif

namespace treewright {

// An empty tree, with room.
inline FlatTree with_room(size_t n, size_t n_categories, int64_t width, bool number) {
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

// Adds the nodes of another tree behind those of this one.
inline void append(FlatTree& flat, const FlatTree& more) {
  const auto add = [](auto& array, const auto& others) {
    array.insert(array.end(), others.begin(), others.end());
  };
  // Starts go on from the last one, which is where the other tree's first one begins.
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

inline void append_surrogates(FlatTree& flat, const std::vector<Surrogate>& surrogates) {
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

template <class Rows>
void Engine<Rows>::append_node(FlatTree& flat, const NodeList& list, int32_t id) const {
  const Node& node = list.nodes[size_t(id)];
  const int64_t* stats = list.stats_of(id);
  flat.split_kind.push_back(static_cast<int8_t>(node.kind));
  flat.feature.push_back(node.column);
  flat.threshold.push_back(node.kind == SplitKind::threshold ? node.threshold : std::nan(""));
  flat.missing_route.push_back(node.missing_route);
  for (size_t i = node.category_begin; i < node.category_end; ++i) {
    flat.categories.push_back(list.categories[i]);
    flat.category_branch.push_back(list.branches[i]);
  }
  flat.category_start.push_back(static_cast<int64_t>(flat.categories.size()));
  flat.n_rows.push_back(node.n_rows());
  flat.n_missing.push_back(node.n_missing);
  if (options_.missing == Missing::surrogate) {
    append_surrogates(flat, list.surrogates[size_t(id)]);
  }
  flat.weight.push_back(real(stats[kWeight]) * weights_.unit);
  const double weight_squared =
      Rows::kUnitWeights ? real(node.n_rows()) : real(list.weight_squared[size_t(id)]);
  flat.weight_squared.push_back(weight_squared * weights_.unit * weights_.unit);
  const double impurity = real_units(list, id, node.impurity);
  flat.impurity.push_back(impurity);
  flat.gain.push_back(node.first_child < 0 ? 0.0 : real_units(list, id, node.gain));
  flat.stop_reason.push_back(static_cast<int8_t>(node.stop));
  flat.proven.push_back(node.proven);
  if constexpr (kNumber) {
    const NumberPart& number = list.numbers[size_t(id)];
    flat.value.push_back(number.mean);
    flat.variance.push_back(number.scale.real(number.variance, 2));
    flat.quartiles.insert(flat.quartiles.end(), number.quartiles.begin(), number.quartiles.end());
    flat.label.push_back(-1);
    flat.risk.push_back(impurity);
  } else {
    // Parts of divided rows are rounded: classes that weigh nearly the same weigh the same.
    const int64_t most = *std::max_element(stats + kFirst, stats + layout_.words());
    const double enough = divides() ? real(most) - 1e-9 * real(stats[kWeight]) : real(most);
    const int64_t* heaviest = std::find_if(stats + kFirst, stats + layout_.words(),
                                           [&](int64_t weight) { return real(weight) >= enough; });
    for (int k = 0; k < layout_.classes(); ++k) {
      flat.value.push_back(real(stats[kFirst + k]) * weights_.unit);
    }
    flat.label.push_back(static_cast<int32_t>(heaviest - (stats + kFirst)));
    flat.risk.push_back(real(stats[kWeight] - most) / real(stats[kWeight]));
  }
}

// How many nodes there are below each node of a list, and itself. Children come after their parent.
template <class Rows>
std::vector<int32_t> Engine<Rows>::subtree_sizes(const NodeList& list) const {
  std::vector<int32_t> sizes(list.nodes.size(), 1);
  for (size_t id = sizes.size(); id-- > 0;) {
    const Node& node = list.nodes[id];
    for (int32_t b = 0; b < node.n_children; ++b) {
      sizes[id] += sizes[size_t(node.first_child + b)];
    }
    if (node.subtree >= 0) {
      sizes[id] = subtrees_[size_t(node.subtree)].subtree_size[0];
    }
  }
  return sizes;
}

// The nodes of a list in preorder, with the subtrees that were laid out before, each of which is
// handed to done() when it was copied.
template <class Rows>
template <class Done>
FlatTree Engine<Rows>::lay_out(const NodeList& list, const Done& done) const {
  const std::vector<int32_t> sizes = subtree_sizes(list);
  size_t n_categories = list.categories.size();
  for (const Node& node : list.nodes) {
    n_categories += node.subtree < 0 ? 0 : subtrees_[size_t(node.subtree)].categories.size();
  }
  const int64_t width = kNumber ? 1 : layout_.classes();
  FlatTree flat = with_room(size_t(sizes[0]), n_categories, width, kNumber);
  std::vector<int32_t> stack{0};
  while (!stack.empty()) {
    const int32_t id = stack.back();
    stack.pop_back();
    const Node& node = list.nodes[size_t(id)];
    if (node.subtree >= 0) {
      append(flat, subtrees_[size_t(node.subtree)]);
      done(size_t(node.subtree));
      continue;
    }
    flat.subtree_size.push_back(sizes[size_t(id)]);
    append_node(flat, list, id);
    for (int32_t b = node.n_children; b-- > 0;) {
      stack.push_back(node.first_child + b);
    }
  }
  return flat;
}

template <class Rows>
FlatTree Engine<Rows>::lay_out(const NodeList& list) const {
  return lay_out(list, [](size_t) {});
}

template <class Rows>
FlatTree Engine<Rows>::tree() const {
  return lay_out(list_);
}

// Hands freed memory back to the system: the allocator keeps small pieces, and a large tree
// has very many of them.
inline void give_back_memory() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

template <class Rows>
FlatTree Engine<Rows>::take_tree() {
  constexpr size_t kNodesToFree = 200'000;
  size_t n_freed = 0;
  return lay_out(list_, [&](size_t subtree) {
    n_freed += subtrees_[subtree].subtree_size.size();
    subtrees_[subtree] = {};
    if (n_freed > kNodesToFree) {
      n_freed = 0;
      give_back_memory();
    }
  });
}

}  // namespace treewright
