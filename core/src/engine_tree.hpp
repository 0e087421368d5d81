// engine_tree.hpp: from the nodes of all lists to the finished tree, in preorder.
#pragma once

#include "engine.hpp"

#ifdef __GLIBC__  // known once a header of the library has been read
#include <malloc.h>
#endif

namespace treewright {

// Calls visit(list, id, number of the parent) for each node in preorder, and visit(list, -1, 0)
// when a subtree's own list is through.
template <class Rows>
template <class Visit>
void Engine<Rows>::in_preorder(const Visit& visit) const {
  struct Step {
    const NodeList* list;
    int32_t id, parent;
  };
  std::vector<Step> stack{{&list_, 0, -1}};
  int32_t number = 0;
  while (!stack.empty()) {
    auto [list, id, parent] = stack.back();
    stack.pop_back();
    if (id >= 0 && list == &list_ && list_.nodes[size_t(id)].subtree >= 0) {
      list = &subtrees_[size_t(list_.nodes[size_t(id)].subtree)];
      id = 0;
      stack.push_back({list, -1, 0});
    }
    visit(*list, id, parent);
    if (id < 0) {
      continue;
    }
    const Node& node = list->nodes[size_t(id)];
    for (int32_t b = node.n_children; b-- > 0;) {
      stack.push_back({list, node.first_child + b, number});
    }
    ++number;
  }
}

// A tree without nodes, with room for all of them.
template <class Rows>
FlatTree Engine<Rows>::empty_tree() const {
  size_t n = list_.nodes.size(), n_categories = list_.categories.size();
  for (const NodeList& list : subtrees_) {
    n += list.nodes.size() - 1;  // its root is counted already
    n_categories += list.categories.size();
  }
  FlatTree flat;
  flat.width = kNumber ? 1 : layout_.classes();
  for (auto* array : {&flat.threshold, &flat.weight, &flat.weight_squared, &flat.impurity,
                      &flat.gain, &flat.risk}) {
    array->reserve(n);
  }
  for (auto* array : {&flat.feature, &flat.missing_route, &flat.label}) {
    array->reserve(n);
  }
  flat.split_kind.reserve(n);
  flat.stop_reason.reserve(n);
  flat.proven.reserve(n);
  flat.n_rows.reserve(n);
  flat.n_missing.reserve(n);
  flat.value.reserve(n * size_t(flat.width));
  flat.variance.reserve(kNumber ? n : 0);
  flat.quartiles.reserve(kNumber ? 3 * n : 0);
  flat.categories.reserve(n_categories);
  flat.category_branch.reserve(n_categories);
  flat.category_start.reserve(n + 1);
  flat.category_start.push_back(0);
  return flat;
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
void Engine<Rows>::append(FlatTree& flat, const NodeList& list, int32_t id) const {
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

// Sizes of subtrees from parents: children come after their parent.
inline std::vector<int32_t> subtree_sizes(const std::vector<int32_t>& parents) {
  std::vector<int32_t> sizes(parents.size(), 1);
  for (size_t i = parents.size(); i-- > 1;) {
    sizes[size_t(parents[i])] += sizes[i];
  }
  return sizes;
}

// done(list) is called when a subtree's own list is through.
template <class Rows>
template <class Done>
FlatTree Engine<Rows>::lay_out(const Done& done) const {
  FlatTree flat = empty_tree();
  std::vector<int32_t> parents;
  in_preorder([&](const NodeList& list, int32_t id, int32_t parent) {
    if (id >= 0) {
      parents.push_back(parent);
      append(flat, list, id);
    } else {
      done(list);
    }
  });
  flat.subtree_size = subtree_sizes(parents);
  return flat;
}

template <class Rows>
FlatTree Engine<Rows>::tree() const {
  return lay_out([](const NodeList&) {});
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
  return lay_out([&](const NodeList& list) {
    n_freed += list.nodes.size();
    subtrees_[size_t(&list - subtrees_.data())] = NodeList(layout_.words());
    if (n_freed > kNodesToFree) {
      n_freed = 0;
      give_back_memory();
    }
  });
}

}  // namespace treewright
