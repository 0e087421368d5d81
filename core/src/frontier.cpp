#include "treewright/frontier.hpp"

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <string>

#include "treewright/tree_layout.hpp"

namespace treewright {
namespace {

// A gain that is below its threshold only by rounding still passes.
constexpr double kNearly = 1.0 - 1e-12;

}  // namespace

// ---- stopping rules ----

StopRules::StopRules(const GrowOptions& options, const TableFacts& facts)
    : options_(options),
      min_rows_to_split_(rows_in_units(options.min_samples_split, 2, facts.share_unit)),
      min_rows_of_leaf_(rows_in_units(options.min_samples_leaf, 1, facts.share_unit)),
      weight_unit_(facts.weight_unit),
      total_weight_(real(facts.total_weight)) {}

StopReason StopRules::before_search(const NodeRecord& node, const int64_t* stats,
                                    int64_t depth) const {
  if (node.pure) {
    return StopReason::pure;
  }
  if (depth >= options_.max_depth) {
    return StopReason::max_depth;
  }
  if (stats[kRows] < min_rows_to_split_) {
    return StopReason::min_samples_split;
  }
  if (stats[kRows] < 2 * min_rows_of_leaf_) {
    return StopReason::min_samples_leaf;
  }
  if (real(stats[kWeight]) * weight_unit_ < 2 * options_.min_weight_leaf) {
    return StopReason::min_weight_fraction_leaf;
  }
  return StopReason::none;
}

StopReason StopRules::after_search(double gain, int64_t weight) const {
  if (gain < options_.min_gain * kNearly) {
    return StopReason::min_gain;
  }
  if (real(weight) / total_weight_ * gain < options_.min_impurity_decrease * kNearly) {
    return StopReason::min_impurity_decrease;
  }
  return StopReason::none;
}

StopReason StopRules::size_limit(int64_t n_leaves, int64_t n_nodes, int64_t n_branches) const {
  if (options_.max_leaf_nodes > 0 && n_leaves + n_branches - 1 > options_.max_leaf_nodes) {
    return StopReason::max_leaf_nodes;
  }
  return options_.max_nodes > 0 && n_nodes + n_branches > options_.max_nodes ? StopReason::max_nodes
                                                                             : StopReason::none;
}

// ---- dividing nodes ----

// The nodes of one round, from choosing their splits to their open children. Kept from round to
// round, so that small nodes need no heap allocation.
struct Frontier::Round {
  std::vector<int32_t> handles;
  std::vector<Choice> choices;
  std::vector<int32_t> parents;
  std::vector<Candidate> splits;
  std::vector<Division> divisions;
  std::vector<OpenNode> children;  // open ones

  void clear() {
    parents.clear();
    splits.clear();
    children.clear();
  }
  void add(OpenNode open, uint64_t key, Candidate&& split) {
    parents.push_back(open.id);
    splits.push_back(std::move(split));
    divisions.resize(std::max(divisions.size(), parents.size()));
    Division& division = divisions[parents.size() - 1];
    division.clear();
    division.handle = open.handle;
    division.key = key;
  }
};

Frontier::Frontier(std::unique_ptr<NodeSource> source, const GrowOptions& options, Control& control)
    : options_(options),
      control_(control),
      source_(std::move(source)),
      facts_(source_->facts()),
      rules_(options_, facts_),
      list_(facts_.layout.words()) {
  control_.rows_total = facts_.n_rows;
  struct RootJudge : Judge {
    const StopRules& rules;
    explicit RootJudge(const StopRules& rules) : rules(rules) {}
    bool may_be_split(const Division& root, size_t) const override {
      return rules.before_search(root.children[0], root.stats.data(), 0) == StopReason::none;
    }
  };
  Division root;
  source_->open_root(root, RootJudge(rules_), *make_team(facts_.n_rows));
  add_node(list_, root.children[0], root.stats.data(), kRootKey, 0);
  const StopReason reason = rules_.before_search(root.children[0], root.stats.data(), 0);
  if (reason == StopReason::none) {
    open_[0] = root.children[0].handle;
  } else {
    stop(list_, 0, reason);
  }
}

Frontier::Frontier(std::unique_ptr<NodeSource> source, const TableFacts& facts,
                   const NodeRecord& record, const int64_t* stats, uint64_t key, int32_t depth,
                   const GrowOptions& options, Control& control)
    : options_(options),
      control_(control),
      source_(std::move(source)),
      facts_(facts),
      rules_(options_, facts_),
      list_(facts_.layout.words()) {
  control_.rows_total = record.n_rows;
  add_node(list_, record, stats, key, depth);
  open_[0] = record.handle;
}

void Frontier::add_node(NodeList& list, const NodeRecord& record, const int64_t* stats,
                        uint64_t key, int32_t depth) const {
  Node node;
  node.key = key;
  node.depth = depth;
  node.n_rows = static_cast<uint32_t>(record.n_rows);
  node.impurity = record.impurity;
  list.add(node, stats);
  if (facts_.layout.task() == Task::number) {
    list.numbers.push_back(record.number);
  }
  if (facts_.unequal_weights) {
    list.weight_squared.push_back(record.weight_squared);
  }
  if (options_.missing == Missing::surrogate) {
    list.surrogates.emplace_back();
  }
}

void Frontier::stop(NodeList& list, int32_t id, StopReason reason) {
  Node& node = list.nodes[size_t(id)];
  node.stop = reason;
  control_.rows_done.fetch_add(node.n_rows, std::memory_order_relaxed);
}

double Frontier::real_gain(const NodeList& list, int32_t id, double units) const {
  return real_units(list, id, options_.criterion, units);
}

// The rules that need the gain of the chosen split.
void Frontier::apply_rules(const NodeList& list, int32_t id, Choice& choice) const {
  if (choice.split) {
    choice.reason =
        rules_.after_search(real_gain(list, id, choice.split->gain), list.stats_of(id)[kWeight]);
    if (choice.reason != StopReason::none) {
      choice.split.reset();
    }
  }
}

Choice Frontier::choose(OpenNode open) {
  Choice choice;
  source_->choose({&open.handle, 1}, {&choice, 1});
  apply_rules(list_, open.id, choice);
  return choice;
}

// Divides the nodes of a round and lists its open children.
void Frontier::divide(NodeSource& source, NodeList& list, Round& round, Team* team) {
  struct ChildJudge : Judge {
    const StopRules& rules;
    const NodeList& list;
    const Round& round;
    ChildJudge(const StopRules& rules, const NodeList& list, const Round& round)
        : rules(rules), list(list), round(round) {}
    bool may_be_split(const Division& division, size_t child) const override {
      const auto index = size_t(&division - round.divisions.data());
      const int64_t depth = list.nodes[size_t(round.parents[index])].depth + 1;
      return rules.before_search(division.children[child],
                                 division.stats.data() + child * list.words,
                                 depth) == StopReason::none;
    }
  };
  const size_t n = round.parents.size();
  if (n == 0) {
    return;
  }
  for (size_t i = 0; i < n; ++i) {
    round.divisions[i].split = &round.splits[i];
  }
  source.divide(std::span(round.divisions).first(n), ChildJudge(rules_, list, round), team);
  for (size_t i = 0; i < n; ++i) {
    list.set_split(round.parents[i], round.splits[i]);
    record_children(list, round.parents[i], round.divisions[i], round.children);
  }
}

void Frontier::record_children(NodeList& list, int32_t parent, const Division& division,
                               std::vector<OpenNode>& open) {
  const auto first = static_cast<int32_t>(list.nodes.size());
  Node& node = list.nodes[size_t(parent)];
  node.n_missing = static_cast<uint32_t>(division.n_missing);
  node.first_child = first;
  node.n_children = static_cast<int32_t>(division.children.size());
  const uint64_t key = node.key;
  const int32_t depth = node.depth + 1;
  if (options_.missing == Missing::surrogate) {
    list.surrogates[size_t(parent)] = division.surrogates;
  }
  for (size_t b = 0; b < division.children.size(); ++b) {
    const NodeRecord& child = division.children[b];
    const int64_t* stats = division.stats.data() + b * list.words;
    const int32_t id = first + static_cast<int32_t>(b);
    add_node(list, child, stats, child_key(key, static_cast<int>(b)), depth);
    const StopReason reason = rules_.before_search(child, stats, depth);
    if (reason == StopReason::none) {
      open.push_back({id, child.handle});
    } else {
      stop(list, id, reason);
    }
  }
}

// ---- one node at a time ----

const Node& Frontier::at(int32_t node) const {
  if (node < 0 || node >= n_nodes()) {
    throw std::out_of_range("there is no node " + std::to_string(node) + ": nodes are 0 to " +
                            std::to_string(n_nodes() - 1));
  }
  return list_.nodes[size_t(node)];
}

Frontier::OpenNode Frontier::open_at(int32_t node) const {
  at(node);
  const auto found = open_.find(node);
  if (found == open_.end()) {
    throw std::invalid_argument("node " + std::to_string(node) + " is not open");
  }
  return {node, found->second};
}

std::vector<Candidate> Frontier::candidates(int32_t node, size_t top) {
  const OpenNode open = open_at(node);
  std::vector<Candidate> found;
  Choice winner = choose(open);  // draws more columns if the drawn ones offer no split
  if (top == 1) {
    if (winner.split) {
      found.push_back(std::move(*winner.split));
    }
  } else {
    found = source_->best_of_each_column(open.handle);
    found.resize(std::min(top, found.size()));
  }
  for (Candidate& split : found) {
    split.gain = real_gain(list_, node, split.gain);
    split.left.clear();  // examine() works it out again
  }
  return found;
}

int32_t Frontier::split(int32_t node, const Candidate& given) {
  const OpenNode open = open_at(node);
  Candidate split = given;
  source_->examine(open.handle, split);
  const auto team = make_team(list_.nodes[size_t(node)].n_rows);
  Round round;
  round.add(open, list_.nodes[size_t(node)].key, std::move(split));
  divide(*source_, list_, round, team.get());
  open_.erase(node);
  for (const OpenNode& child : round.children) {
    open_[child.id] = child.handle;
  }
  return list_.nodes[size_t(node)].first_child;
}

void Frontier::close(int32_t node, StopReason reason) {
  const OpenNode open = open_at(node);
  if (reason == StopReason::none) {
    const Choice choice = choose(open);
    if (!choice.split) {
      reason = choice.reason;
    }
  }
  source_->close(open.handle);
  open_.erase(node);
  stop(list_, node, reason);
}

// ---- to the end ----

std::unique_ptr<Team> Frontier::make_team(int64_t n_rows) const {
  return std::make_unique<Team>(threads_worth_it(n_rows, facts_.n_columns, options_.n_threads),
                                control_);
}

Team* Frontier::worth_a_team(int64_t n_rows, Team& team) const {
  return n_rows * static_cast<int64_t>(facts_.n_columns) >= kParallelWork ? &team : nullptr;
}

void Frontier::grow_all() {
  if (options_.max_leaf_nodes > 0 || options_.max_nodes > 0) {
    grow_best_first();
  } else {
    grow_depth_first();
  }
}

// Open nodes with their splits, by the improvement that the split brings.
struct Frontier::BestFirstQueue {
  struct Entry {
    double improvement, tolerance;
    OpenNode open;
    Candidate split;
  };
  std::vector<Entry> heap;

  static bool worse(const Entry& a, const Entry& b) {
    return a.improvement != b.improvement ? a.improvement < b.improvement : a.open.id > b.open.id;
  }
  void push(Entry&& entry) {
    heap.push_back(std::move(entry));
    std::push_heap(heap.begin(), heap.end(), worse);
  }
  Entry pop_largest() {
    std::pop_heap(heap.begin(), heap.end(), worse);
    Entry entry = std::move(heap.back());
    heap.pop_back();
    return entry;
  }
  // The largest improvement; among those equal up to rounding, the node made first.
  Entry pop() {
    Entry chosen = pop_largest();
    const double at_least = chosen.improvement - chosen.tolerance;
    std::vector<Entry> equal;
    while (!heap.empty() && heap.front().improvement >= at_least) {
      equal.push_back(pop_largest());
      if (equal.back().open.id < chosen.open.id) {
        std::swap(equal.back(), chosen);
      }
    }
    for (Entry& other : equal) {
      push(std::move(other));
    }
    return chosen;
  }
};

void Frontier::grow_best_first() {
  BestFirstQueue queue;
  const auto consider = [&](OpenNode open) {
    Choice choice = choose(open);
    if (!choice.split) {
      source_->close(open.handle);
      return stop(list_, open.id, choice.reason);
    }
    const double weight = real(list_.stats_of(open.id)[kWeight]);
    const double impurity = list_.nodes[size_t(open.id)].impurity;
    queue.push({weight * real_gain(list_, open.id, choice.split->gain),
                kTie * weight * real_gain(list_, open.id, impurity), open,
                std::move(*choice.split)});
  };
  for (const auto& [id, handle] : open_) {
    consider({id, handle});
  }
  open_.clear();
  const auto team = make_team(facts_.n_rows);
  int64_t n_leaves = std::count_if(list_.nodes.begin(), list_.nodes.end(),
                                   [](const Node& node) { return node.first_child < 0; });
  Round round;
  while (!queue.heap.empty()) {
    control_.check();
    auto next = queue.pop();
    const Node& node = list_.nodes[size_t(next.open.id)];
    const int32_t n_branches = next.split.n_branches;
    const StopReason reason = rules_.size_limit(n_leaves, n_nodes(), n_branches);
    if (reason != StopReason::none) {
      source_->close(next.open.handle);
      stop(list_, next.open.id, reason);
      continue;
    }
    Team* const helpers = worth_a_team(node.n_rows, *team);
    round.clear();
    round.add(next.open, node.key, std::move(next.split));
    divide(*source_, list_, round, helpers);
    n_leaves += n_branches - 1;
    std::for_each(round.children.begin(), round.children.end(), consider);
  }
  source_->finish(*team);
}

// Chooses and divides the nodes on top of the stack, and pushes their open children.
void Frontier::grow_round(NodeSource& source, NodeList& list, std::vector<OpenNode>& stack,
                          Round& round, Team* team) {
  const size_t n = std::min(source.nodes_per_round(), stack.size());
  const auto top = stack.end() - static_cast<int64_t>(n);
  round.clear();
  round.handles.clear();
  std::for_each(top, stack.end(), [&](OpenNode open) { round.handles.push_back(open.handle); });
  round.choices.resize(std::max(round.choices.size(), n));
  source.choose(round.handles, std::span(round.choices).first(n));
  for (size_t i = 0; i < n; ++i) {
    const OpenNode open = top[static_cast<int64_t>(i)];
    Choice& choice = round.choices[i];
    apply_rules(list, open.id, choice);
    if (choice.split) {
      round.add(open, list.nodes[size_t(open.id)].key, std::move(*choice.split));
    } else {
      source.close(open.handle);
      stop(list, open.id, choice.reason);
    }
  }
  stack.erase(top, stack.end());
  divide(source, list, round, team);
  // The first child comes off the stack first.
  stack.insert(stack.end(), round.children.rbegin(), round.children.rend());
}

// Large nodes are divided one after another, their columns shared out among the threads; smaller
// subtrees are shared out whole.
void Frontier::grow_depth_first() {
  const auto team = make_team(facts_.n_rows);
  const int64_t home_rows = source_->home_rows(team->size());
  std::vector<OpenNode> stack, home;
  for (auto open = open_.rbegin(); open != open_.rend(); ++open) {
    stack.push_back({open->first, open->second});
  }
  open_.clear();
  Round round;
  const auto is_small = [&](OpenNode open) {
    return list_.nodes[size_t(open.id)].n_rows <= home_rows;
  };
  while (!stack.empty()) {
    control_.check();
    // A round of several nodes takes them from the whole stack.
    const auto first = source_->nodes_per_round() > 1 ? stack.begin() : stack.end() - 1;
    const auto small = std::stable_partition(first, stack.end(), std::not_fn(is_small));
    home.insert(home.end(), small, stack.end());
    stack.erase(small, stack.end());
    if (!stack.empty() && !is_small(stack.back())) {
      grow_round(*source_, list_, stack, round, team.get());
    }
  }
  grow_subtrees(std::move(home), *team);
  source_->finish(*team);
}

// A list that starts with a copy of this node.
NodeList Frontier::list_from(int32_t id) const {
  NodeList list(facts_.layout.words());
  list.add(list_.nodes[size_t(id)], list_.stats_of(id));
  list.nodes[0].subtree = -1;
  if (!list_.numbers.empty()) {
    list.numbers.push_back(list_.numbers[size_t(id)]);
  }
  if (!list_.weight_squared.empty()) {
    list.weight_squared.push_back(list_.weight_squared[size_t(id)]);
  }
  if (!list_.surrogates.empty()) {
    list.surrogates.emplace_back();
  }
  return list;
}

// Grows each of these nodes to the end, in a list of its own.
void Frontier::grow_subtrees(std::vector<OpenNode> roots, Team& team) {
  // Large subtrees first, so that no thread starts one while all others are finished.
  std::stable_sort(roots.begin(), roots.end(), [&](OpenNode a, OpenNode b) {
    return list_.nodes[size_t(a.id)].n_rows > list_.nodes[size_t(b.id)].n_rows;
  });
  if (roots.empty()) {
    return;
  }
  const size_t first = subtrees_.size();
  subtrees_.resize(first + roots.size());
  std::vector<NodeSource::SubtreeRoot> open;
  open.reserve(roots.size());
  for (const OpenNode root : roots) {
    open.push_back({root.handle, list_.nodes[size_t(root.id)].depth});
  }
  const bool grown = source_->grow_elsewhere(open, [&](size_t i, FlatTree&& subtree) {
    control_.rows_done.fetch_add(list_.nodes[size_t(roots[i].id)].n_rows,
                                 std::memory_order_relaxed);
    set_subtree(roots[i], first + i, std::move(subtree));
  });
  if (grown) {
    return;
  }
  source_->prepare_homes(team.size());
  team.run(roots.size(), [&](size_t i, int worker) {
    NodeList list = list_from(roots[i].id);
    const NodeSource::Home home = source_->at_home(roots[i].handle, worker);
    grow_subtree(*home.source, list, {0, home.handle});
    set_subtree(roots[i], first + i, lay_out(list, facts_, options_.criterion, {}));
  });
}

// Only a finished subtree is part of the tree: an interruption leaves the node a leaf.
void Frontier::set_subtree(OpenNode root, size_t index, FlatTree&& subtree) {
  subtrees_[index] = std::move(subtree);
  list_.nodes[size_t(root.id)].subtree = static_cast<int32_t>(index);
}

void Frontier::grow_subtree(NodeSource& source, NodeList& list, OpenNode root) {
  const int64_t home_rows = source.home_rows(1);
  std::vector<OpenNode> stack{root};
  Round round;
  while (!stack.empty()) {
    control_.check();
    const OpenNode open = stack.back();
    if (list.nodes[size_t(open.id)].n_rows <= home_rows) {
      stack.pop_back();
      const NodeSource::Home home = source.at_home(open.handle, 0);
      grow_subtree(*home.source, list, {open.id, home.handle});
    } else {
      grow_round(source, list, stack, round, nullptr);
    }
  }
}

// ---- the finished tree ----

FlatTree Frontier::tree() const { return lay_out(list_, facts_, options_.criterion, subtrees_); }

FlatTree Frontier::take_tree() {
  // Freed memory is returned to the system once for this many nodes. Not measured.
  constexpr size_t kNodesToFree = 200'000;
  size_t n_freed = 0;
  return lay_out(list_, facts_, options_.criterion, subtrees_, [&](size_t subtree) {
    n_freed += subtrees_[subtree].subtree_size.size();
    subtrees_[subtree] = {};
    if (n_freed > kNodesToFree) {
      n_freed = 0;
      release_memory();
    }
  });
}

}  // namespace treewright
