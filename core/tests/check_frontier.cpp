// The frontier on a source that has no rows: nodes are intervals of whole numbers, split at their
// middle, and statistics are worked out from the ends alone.
#include <algorithm>
#include <deque>

#include "check.hpp"
#include "treewright/frontier.hpp"

namespace treewright::testing {
namespace {

// Every node holds the numbers low to high - 1, one of each; class 0 are those below `boundary`.
class IntervalSource : public NodeSource {
 public:
  IntervalSource(int64_t n, int64_t boundary, size_t per_round, int64_t home_rows)
      : n_(n), boundary_(boundary), per_round_(per_round), home_rows_(home_rows) {}

  TableFacts facts() const override {
    TableFacts facts;
    facts.n_rows = facts.total_weight = n_;
    facts.n_columns = 1;
    return facts;
  }
  void open_root(Division& division, const Judge& judge, Team&) override {
    add_child(division, 0, n_);
    ask(division, judge);
  }
  void choose(std::span<const int32_t> handles, std::span<Choice> choices) override {
    for (size_t i = 0; i < handles.size(); ++i) {
      const auto [low, high] = nodes_[size_t(handles[i])];
      Candidate split;
      split.kind = SplitKind::threshold;
      split.column = 0;
      split.threshold = static_cast<double>((low + high) / 2) - 0.5;
      split.gain = 1.0 / static_cast<double>(high - low);
      choices[i] = {split, StopReason::none};
    }
    largest_round = std::max(largest_round, handles.size());
  }
  void divide(std::span<Division> divisions, const Judge& judge, Team*) override {
    for (Division& division : divisions) {
      const auto [low, high] = nodes_[size_t(division.handle)];
      const auto middle = static_cast<int64_t>(division.split->threshold + 0.5);
      add_child(division, low, middle);
      add_child(division, middle, high);
      ask(division, judge);
    }
  }
  void close(int32_t) override { ++n_closed; }
  std::vector<Candidate> best_of_each_column(int32_t) override { return {}; }
  void examine(int32_t, Candidate&) override {}
  size_t nodes_per_round() const override { return per_round_; }
  int64_t home_rows(int) const override { return home_rows_; }
  Home at_home(int32_t handle, int) override {
    homes_.push_back(std::make_unique<IntervalSource>(n_, boundary_, per_round_, 0));
    homes_.back()->nodes_.push_back(nodes_[size_t(handle)]);
    return {homes_.back().get(), 0};
  }
  void finish(Team&) override { finished = true; }

  size_t largest_round = 0;
  int64_t n_closed = 0;
  bool finished = false;

 private:
  struct Interval {
    int64_t low, high;
  };
  void add_child(Division& division, int64_t low, int64_t high) {
    NodeRecord record;
    record.handle = static_cast<int32_t>(nodes_.size());
    record.n_rows = high - low;
    const int64_t zeros = std::clamp<int64_t>(boundary_ - low, 0, high - low);
    record.pure = zeros == 0 || zeros == high - low;
    division.children.push_back(record);
    for (const int64_t word : {high - low, high - low, zeros, high - low - zeros}) {
      division.stats.push_back(word);
    }
    nodes_.push_back({low, high});
  }
  void ask(const Division& division, const Judge& judge) const {
    for (size_t b = 0; b < division.children.size(); ++b) {
      judge.may_be_split(division, b);
    }
  }

  int64_t n_, boundary_;
  size_t per_round_;
  int64_t home_rows_;
  std::deque<Interval> nodes_;
  std::vector<std::unique_ptr<IntervalSource>> homes_;
};

struct Grown {
  FlatTree tree;
  size_t largest_round;
  bool finished;
};

Grown grow(int64_t n, int64_t boundary, const GrowOptions& options, size_t per_round,
           int64_t home_rows) {
  Control control;
  auto source = std::make_unique<IntervalSource>(n, boundary, per_round, home_rows);
  const IntervalSource& seen = *source;
  Frontier frontier(std::move(source), options, control);
  frontier.grow_all();
  return {frontier.tree(), seen.largest_round, seen.finished};
}

// Node by node, the last open node first.
FlatTree grow_by_steps(int64_t n, int64_t boundary, const GrowOptions& options) {
  Control control;
  Frontier frontier(std::make_unique<IntervalSource>(n, boundary, 1, 0), options, control);
  for (int32_t node = 0; node < frontier.n_nodes(); ++node) {
    if (frontier.stop_reason(node) == StopReason::none) {
      const auto best = frontier.candidates(node, 1);
      if (best.empty()) {
        frontier.close(node, StopReason::none);
      } else {
        frontier.split(node, best[0]);
      }
    }
  }
  return frontier.tree();
}

bool same(const FlatTree& a, const FlatTree& b) {
  return a.subtree_size == b.subtree_size && a.n_rows == b.n_rows &&
         a.stop_reason == b.stop_reason && a.value == b.value;
}

}  // namespace

void check_frontier(Tally& tally, Random& random) {
  const int64_t n = random.whole(1, 300), boundary = random.whole(0, n);
  GrowOptions options;
  options.max_depth = random.whole(0, 9);
  options.min_samples_leaf = random.whole(1, 4);
  options.min_samples_split = random.whole(2, 9);
  options.min_gain = random.share() < 0.3 ? 0.02 : 0.0;
  const Grown one = grow(n, boundary, options, 1, 0);
  const Grown rounds = grow(n, boundary, options, 7, 0);
  tally.expect(same(one.tree, rounds.tree), "rounds of several nodes change nothing");
  tally.expect(one.finished && one.largest_round <= 1 && rounds.largest_round <= 7,
               "a round is as large as the source asks");
  tally.expect(same(one.tree, grow(n, boundary, options, 3, n / 4).tree),
               "subtrees grown at home change nothing");
  tally.expect(same(one.tree, grow_by_steps(n, boundary, options)),
               "node by node grows the same tree");
  const FlatTree& tree = one.tree;
  for (size_t i = 0; i < tree.subtree_size.size(); ++i) {
    const auto reason = static_cast<StopReason>(tree.stop_reason[i]);
    if (tree.subtree_size[i] > 1) {
      const size_t left = i + 1, right = left + size_t(tree.subtree_size[left]);
      tally.expect(tree.n_rows[i] == tree.n_rows[left] + tree.n_rows[right],
                   "children lie behind their parent in preorder");
    } else if (tree.value[2 * i] * tree.value[2 * i + 1] == 0.0) {
      tally.expect(reason == StopReason::pure, "the first rule that applies is recorded");
    } else {
      tally.expect(reason != StopReason::none, "every leaf has a reason");
    }
  }
  options.max_leaf_nodes = random.whole(2, 20);
  const FlatTree few = grow(n, boundary, options, 1, 0).tree;
  tally.expect(
      std::count(few.subtree_size.begin(), few.subtree_size.end(), 1) <= options.max_leaf_nodes,
      "best first keeps the number of leaves");
}

}  // namespace treewright::testing
