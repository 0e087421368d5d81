// engine_orders.hpp: the orders in which open nodes are split.
#pragma once

#include "engine.hpp"

namespace treewright {

template <class Rows>
const Node& Engine<Rows>::at(int32_t node) const {
  if (node < 0 || node >= n_nodes()) {
    throw std::out_of_range("there is no node " + std::to_string(node) + ": nodes are 0 to " +
                            std::to_string(n_nodes() - 1));
  }
  return list_.nodes[size_t(node)];
}

template <class Rows>
Open& Engine<Rows>::open_at(int32_t node) {
  at(node);
  const auto found = open_.find(node);
  if (found == open_.end()) {
    throw std::invalid_argument("node " + std::to_string(node) + " is not open");
  }
  return found->second;
}

template <class Rows>
std::unique_ptr<Team> Engine<Rows>::make_team(int64_t n_rows) const {
  const bool worth = n_rows * static_cast<int64_t>(n_columns()) >= 4 * kParallelWork;
  return std::make_unique<Team>(worth ? options_.n_threads : 1, control_);
}

// ---- one node at a time ----

template <class Rows>
std::vector<Candidate> Engine<Rows>::candidates(int32_t node, size_t top) {
  Open& open = open_at(node);
  std::vector<Candidate> found;
  StopReason reason;
  auto winner = choose(space_, list_, open, reason);  // draws more columns where needed
  if (top == 1) {
    if (winner) {
      found.push_back(std::move(*winner));
    }
  } else {
    found = best_of_each_column(open);
    found.resize(std::min(top, found.size()));
  }
  for (Candidate& split : found) {
    split.gain = real_units(list_, node, split.gain);
    split.left.clear();  // split() works everything out anew
  }
  return found;
}

template <class Rows>
std::vector<Candidate> Engine<Rows>::best_of_each_column(const Open& open) const {
  std::vector<Candidate> found;
  const int32_t node = open.id;
  const NodeCost cost = cost_of(list_, node);
  for (size_t c = 0; c < n_columns(); ++c) {
    Chooser chooser(cost);
    if (open.best[c] != kNone) {
      offer_column(space_, list_, open, cost, c, kNone, chooser);
    }
    if (!chooser.empty()) {
      found.push_back(chooser.winner());
    }
  }
  if (found.empty()) {
    return found;
  }
  // The one that wins by the written tie rule, then the others by their scores.
  Chooser all(cost);
  for (const Candidate& split : found) {
    if (all.wants(split.score(), split.tie_gain)) {
      all.keep(split);
    }
  }
  const int32_t first = all.winner().column;
  std::stable_sort(found.begin(), found.end(), [&](const Candidate& a, const Candidate& b) {
    if ((a.column == first) != (b.column == first)) {
      return a.column == first;
    }
    return a.score() != b.score() ? a.score() > b.score() : a.tie_gain > b.tie_gain;
  });
  return found;
}

// A split from outside may name any column, and any kind.
template <class Rows>
void Engine<Rows>::check_split(const Candidate& split) const {
  if (split.column < 0 || size_t(split.column) >= n_columns()) {
    throw std::invalid_argument("there is no column " + std::to_string(split.column));
  }
  const size_t column = size_t(split.column);
  const bool by_category = split.kind == SplitKind::subset || split.kind == SplitKind::multiway;
  const bool fits = split.kind == SplitKind::is_missing ||
                    (by_category ? views_[column].kind != Kind::numeric
                                 : split.kind == SplitKind::threshold &&
                                       views_[column].kind != Kind::categorical);
  const bool fractional = options_.missing == Missing::fractional;
  const bool routed = split.missing_route >= (fractional ? kAllBranches : kStopHere) &&
                      split.missing_route < split.n_branches;
  const bool branched = split.n_branches >= 2 &&
                        (split.n_branches == 2 || split.kind == SplitKind::multiway) &&
                        std::all_of(split.branches.begin(), split.branches.end(),
                                    [&](int32_t b) { return b >= 0 && b < split.n_branches; });
  if (!fits || !routed || !branched || std::isnan(split.threshold) ||
      split.categories.size() != split.branches.size() ||
      !std::is_sorted(split.categories.begin(), split.categories.end())) {
    throw std::invalid_argument("this split does not suit column " + std::to_string(split.column));
  }
}

template <class Rows>
void Engine<Rows>::check_no_branch_is_empty(const Open& open, const Candidate& split) const {
  const Node& node = list_.nodes[size_t(open.id)];
  const size_t column = size_t(split.column);
  const Span here = span(space_, node, column, known_of(open, column, node));
  std::vector<uint8_t> reached(size_t(split.n_branches), 0);
  for (int64_t i = 0; i < here.n_rows; ++i) {
    const int32_t branch =
        i < here.n_known ? branch_of(space_, split, here.entries[i]) : split.missing_route;
    if (branch >= 0) {
      reached[size_t(branch)] = 1;
    } else if (branch == kAllBranches && !divides()) {
      throw std::invalid_argument(
          "it leaves out a category of the node, and rows are only divided in tables in which "
          "something is missing");
    }
  }
  if (std::count(reached.begin(), reached.end(), 1) < split.n_branches) {
    throw std::invalid_argument("this split leaves a branch of node " + std::to_string(open.id) +
                                " without rows");
  }
}

// The gain of a split that no search has found, in the rows that it sends to a branch itself.
template <class Rows>
double Engine<Rows>::gain_of(const Open& open, const Candidate& split) const {
  const Node& node = list_.nodes[size_t(open.id)];
  const size_t column = size_t(split.column), words = size_t(layout_.words());
  const Span here = span(space_, node, column, known_of(open, column, node));
  std::vector<int64_t> stats(words * size_t(split.n_branches), 0);
  std::vector<std::vector<uint32_t>> ranks(size_t(split.n_branches));
  for (int64_t i = 0; i < here.n_rows; ++i) {
    const Entry e = here.entries[i];
    int32_t branch = options_.known_rows_only() ? kStopHere : split.missing_route;
    if (i < here.n_known) {
      branch = branch_of(space_, split, e);
    }
    if (branch >= 0) {
      space_.rows.add(stats.data() + words * size_t(branch), e);
      if (options_.criterion == Criterion::absolute_error) {
        ranks[size_t(branch)].push_back(space_.rank[space_.rows.row(e)]);
      }
    }
  }
  Words seen(words);
  for (size_t b = 0; b < ranks.size(); ++b) {
    layout_.add(seen.data(), stats.data() + words * b);
  }
  const NodeCost cost(cost_of(list_, open.id), seen.data());
  return options_.criterion == Criterion::absolute_error
             ? absolute_gain(space_, node, ranks)
             : cost.gain_of_each(stats.data(), size_t(split.n_branches));
}

template <class Rows>
int32_t Engine<Rows>::split(int32_t node, const Candidate& given) {
  const Open open = open_at(node);
  check_split(given);
  check_no_branch_is_empty(open, given);
  Candidate split = given;
  split.gain = gain_of(open, split);
  const auto team = make_team(list_.nodes[size_t(node)].n_rows());
  std::vector<Child> children = expand(space_, list_, open, split, team.get());
  open_.erase(node);
  for (Child& child : children) {
    if (child.searched) {
      open_[child.open.id] = std::move(child.open);
    }
  }
  return list_.nodes[size_t(node)].first_child;
}

template <class Rows>
void Engine<Rows>::close(int32_t node, StopReason reason) {
  Open& open = open_at(node);
  StopReason rule = StopReason::none;
  if (reason == StopReason::none && !choose(space_, list_, open, rule)) {
    reason = rule;
  }
  open_.erase(node);
  stop(list_, node, reason);
}

// ---- to the end ----

template <class Rows>
void Engine<Rows>::grow_all() {
  if (options_.max_leaf_nodes > 0 || options_.max_nodes > 0) {
    grow_best_first();
  } else {
    grow_depth_first();
  }
  // Nothing is open any more, so nobody will look at the rows again.
  entries_.clear();
  entries_.shrink_to_fit();
  space_ = {};
}

// The open nodes of a best-first tree, by the improvement their split brings.
struct BestFirst {
  struct Split {
    double improvement, tolerance;
    Open open;
    Candidate split;
  };
  std::vector<Split> heap;

  static bool worse(const Split& a, const Split& b) {
    return a.improvement != b.improvement ? a.improvement < b.improvement : a.open.id > b.open.id;
  }
  void push(Split&& split) {
    heap.push_back(std::move(split));
    std::push_heap(heap.begin(), heap.end(), worse);
  }
  Split pop_largest() {
    std::pop_heap(heap.begin(), heap.end(), worse);
    Split split = std::move(heap.back());
    heap.pop_back();
    return split;
  }
  // The largest improvement; of those that are equal up to rounding, the node made first.
  Split pop() {
    Split chosen = pop_largest();
    const double at_least = chosen.improvement - chosen.tolerance;
    std::vector<Split> equal;
    while (!heap.empty() && heap.front().improvement >= at_least) {
      equal.push_back(pop_largest());
      if (equal.back().open.id < chosen.open.id) {
        std::swap(equal.back(), chosen);
      }
    }
    for (Split& other : equal) {
      push(std::move(other));
    }
    return chosen;
  }
};

template <class Rows>
void Engine<Rows>::grow_best_first() {
  BestFirst queue;
  const auto consider = [&](Open&& open) {
    StopReason reason;
    if (auto split = choose(space_, list_, open, reason)) {
      const int32_t id = open.id;
      const double weight = real(list_.stats_of(id)[kWeight]);
      queue.push({weight * real_units(list_, id, split->gain),
                  kTie * weight * real_units(list_, id, list_.nodes[size_t(id)].impurity),
                  std::move(open), std::move(*split)});
    } else {
      stop(list_, open.id, reason);
    }
  };
  for (auto& [id, open] : open_) {
    consider(std::move(open));
  }
  open_.clear();
  const auto team = make_team(weights_.rows);
  int64_t n_leaves = std::count_if(list_.nodes.begin(), list_.nodes.end(),
                                   [](const Node& node) { return node.first_child < 0; });
  const auto too_many = [&](int32_t n_branches) {
    if (options_.max_leaf_nodes > 0 && n_leaves + n_branches - 1 > options_.max_leaf_nodes) {
      return StopReason::max_leaf_nodes;
    }
    return options_.max_nodes > 0 && n_nodes() + n_branches > options_.max_nodes
               ? StopReason::max_nodes
               : StopReason::none;
  };
  while (!queue.heap.empty()) {
    control_.check();
    const auto next = queue.pop();
    const StopReason reason = too_many(next.split.n_branches);
    if (reason != StopReason::none) {
      stop(list_, next.open.id, reason);
      continue;
    }
    const int64_t work = list_.nodes[size_t(next.open.id)].n_rows() * int64_t(n_columns());
    std::vector<Child> children =
        expand(space_, list_, next.open, next.split, work >= kParallelWork ? team.get() : nullptr);
    n_leaves += next.split.n_branches - 1;
    for (Child& child : children) {
      if (child.searched) {
        consider(std::move(child.open));
      }
    }
  }
}

// Large nodes are split one after another, their columns shared out among the threads; smaller
// subtrees are shared out whole.
template <class Rows>
void Engine<Rows>::grow_depth_first() {
  const auto team = make_team(weights_.rows);
  const int64_t a_part = weights_.rows / (4 * team->size());
  int64_t at_most = std::clamp(a_part, kFewestSubtreeRows, kMostSubtreeRows<Rows>);
  if (weights_.rows <= kFewRowNumbers) {
    at_most = 0;  // nothing to gain from a numbering of its own
  }
  std::vector<Open> roots;
  for (auto& [id, open] : open_) {
    roots.push_back(std::move(open));
  }
  open_.clear();
  grow_subtrees(space_, grow_columnwise(space_, std::move(roots), at_most, *team), *team);
  team->run(entries_.size(), [&](size_t c, int) { entries_[c] = {}; });  // this takes a while
}

// The first child comes off the stack first.
inline void push_searched(std::vector<Open>& stack, std::vector<Child>&& children) {
  for (auto child = children.rbegin(); child != children.rend(); ++child) {
    if (child->searched) {
      stack.push_back(std::move(child->open));
    }
  }
}

// Splits nodes, depth first, until they have at most so many rows; those come back, open.
template <class Rows>
std::vector<Open> Engine<Rows>::grow_columnwise(Space<Rows>& space, std::vector<Open> stack,
                                                int64_t at_most, Team& team) {
  std::reverse(stack.begin(), stack.end());
  std::vector<Open> stopped;
  while (!stack.empty()) {
    control_.check();
    Open open = std::move(stack.back());
    stack.pop_back();
    if (list_.nodes[size_t(open.id)].n_rows() <= at_most) {
      stopped.push_back(std::move(open));
      continue;
    }
    StopReason reason;
    const auto split = choose(space, list_, open, reason);
    if (!split) {
      stop(list_, open.id, reason);
      continue;
    }
    push_searched(stack, expand(space, list_, open, *split, &team));
  }
  return stopped;
}

// A list that begins with a copy of this node, to be grown apart.
template <class Rows>
NodeList Engine<Rows>::list_from(int32_t id) const {
  NodeList list(layout_.words());
  list.add(list_.nodes[size_t(id)], list_.stats_of(id));
  list.nodes[0].subtree = -1;
  if constexpr (kNumber) {
    list.numbers.push_back(list_.numbers[size_t(id)]);
  }
  if constexpr (!Rows::kUnitWeights) {
    list.weight_squared.push_back(list_.weight_squared[size_t(id)]);
  }
  if (options_.missing == Missing::surrogate) {
    list.surrogates.emplace_back();
  }
  return list;
}

// Grows each of these nodes to the end, in a list and a numbering of its own.
template <class Rows>
void Engine<Rows>::grow_subtrees(Space<Rows>& space, std::vector<Open> roots, Team& team) {
  // Large subtrees first, so that no thread is left with one at the end.
  std::stable_sort(roots.begin(), roots.end(), [&](const Open& a, const Open& b) {
    return list_.nodes[size_t(a.id)].n_rows() > list_.nodes[size_t(b.id)].n_rows();
  });
  const size_t first = subtrees_.size();
  subtrees_.resize(first + roots.size());
  for (size_t i = 0; i < roots.size(); ++i) {
    list_.nodes[size_t(roots[i].id)].subtree = static_cast<int32_t>(first + i);
  }
  space.next_entry.resize(roots.empty() ? 0 : space.n_numbers(weights_.n_rows));
  struct Spaces {
    Space<Rows> own, smaller;
  };
  std::vector<Spaces> spaces(size_t(team.size()));
  team.run(roots.size(), [&](size_t i, int worker) {
    auto& [own, smaller] = spaces[size_t(worker)];
    NodeList list = list_from(roots[i].id);
    roots[i].id = 0;
    enter_own_space(own, space, list, roots[i]);
    roots[i].in_place = false;
    const bool has_few_numbers = list.nodes[0].n_rows() <= kFewRowNumbers;
    grow_subtree(own, list, std::move(roots[i]), has_few_numbers ? nullptr : &smaller);
    subtrees_[first + i] = lay_out(list);
  });
}

// Depth first; subtrees of few rows in `smaller`, unless it is null.
template <class Rows>
void Engine<Rows>::grow_subtree(Space<Rows>& space, NodeList& list, Open root,
                                Space<Rows>* smaller) {
  std::vector<Open> stack;
  stack.push_back(std::move(root));
  while (!stack.empty()) {
    control_.check();
    Open open = std::move(stack.back());
    stack.pop_back();
    if (smaller && list.nodes[size_t(open.id)].n_rows() <= kFewRowNumbers) {
      space.next_entry.resize(space.n_numbers(weights_.n_rows));
      enter_own_space(*smaller, space, list, open);
      grow_subtree(*smaller, list, std::move(open), nullptr);
      continue;
    }
    StopReason reason;
    const auto split = choose(space, list, open, reason);
    if (!split) {
      stop(list, open.id, reason);
      continue;
    }
    push_searched(stack, expand(space, list, open, *split, nullptr));
  }
}

}  // namespace treewright
