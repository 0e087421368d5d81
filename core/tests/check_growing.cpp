// Growing and routing: any number of threads and any order of expansion give the same
// tree, and the tree sends its own rows where they were.
#include <algorithm>
#include <cstring>

#include "check.hpp"
#include "treewright/grow.hpp"
#include "treewright/route.hpp"

namespace treewright::testing {
namespace {

// A target, weights and options that fit together, drawn at random.
struct Problem {
  Problem(Random& random, int64_t n_rows, Criterion criterion);

  std::vector<int32_t> labels;
  std::vector<double> values, weights;
  Target target;
  GrowOptions options;

  const double* weights_or_null() const { return weights.empty() ? nullptr : weights.data(); }
};

Problem::Problem(Random& random, int64_t n_rows, Criterion criterion) {
  const auto size = static_cast<size_t>(n_rows);
  options.criterion = criterion;
  const bool poisson = options.criterion == Criterion::poisson;
  if (poisson || criterion == Criterion::squared_error || criterion == Criterion::absolute_error) {
    const double scale = random.share() < 0.2 ? 1e200 : 1.0;
    for (size_t i = 0; i < size; ++i) {
      values.push_back(poisson ? static_cast<double>(random.whole(0, 4)) : scale * random.normal());
    }
    values[0] = 1.0;  // poisson needs a sum above 0
    target.task = Task::number;
    target.values = values.data();
  } else {
    target.n_classes = static_cast<int32_t>(random.whole(1, 40));
    for (size_t i = 0; i < size; ++i) {
      labels.push_back(static_cast<int32_t>(random.whole(0, target.n_classes - 1)));
    }
    target.labels = labels.data();
  }
  if (random.share() < 0.5) {
    for (size_t i = 0; i < size; ++i) {
      weights.push_back(random.share() < 0.2 ? 0.0 : random.share() + 0.01);
    }
    weights[0] = 1.0;
  }
  options.min_samples_leaf = random.whole(1, 4);
  options.min_samples_split = random.whole(2, 6);
  if (random.share() < 0.3) {
    options.max_depth = random.whole(1, 6);
  }
  if (random.share() < 0.2) {
    options.min_gain = 0.05;
  }
  if (random.share() < 0.2) {
    options.min_weight_leaf = 1.5;
  }
  if (random.share() < 0.2) {
    options.max_features = 2;
  }
  options.round_midpoint = random.share() < 0.8;
}

template <class T>
bool same_bytes(const LargeVector<T>& a, const LargeVector<T>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

bool same_surrogates(const FlatTree& a, const FlatTree& b) {
  return same_bytes(a.surrogate_start, b.surrogate_start) &&
         same_bytes(a.surrogate_feature, b.surrogate_feature) &&
         same_bytes(a.surrogate_threshold, b.surrogate_threshold) &&
         same_bytes(a.surrogate_flip, b.surrogate_flip) &&
         same_bytes(a.surrogate_agree, b.surrogate_agree) &&
         same_bytes(a.surrogate_adjust, b.surrogate_adjust) &&
         same_bytes(a.surrogate_rows, b.surrogate_rows) &&
         same_bytes(a.surrogate_categories, b.surrogate_categories) &&
         same_bytes(a.surrogate_category_branch, b.surrogate_category_branch);
}

}  // namespace

bool same_tree(const FlatTree& a, const FlatTree& b) {
  return same_bytes(a.subtree_size, b.subtree_size) && same_bytes(a.split_kind, b.split_kind) &&
         same_bytes(a.feature, b.feature) && same_bytes(a.threshold, b.threshold) &&
         same_bytes(a.category_start, b.category_start) && same_bytes(a.categories, b.categories) &&
         same_bytes(a.category_branch, b.category_branch) &&
         same_bytes(a.missing_route, b.missing_route) && same_bytes(a.n_rows, b.n_rows) &&
         same_bytes(a.weight, b.weight) && same_bytes(a.weight_squared, b.weight_squared) &&
         same_bytes(a.value, b.value) && same_bytes(a.variance, b.variance) &&
         same_bytes(a.quartiles, b.quartiles) && same_bytes(a.impurity, b.impurity) &&
         same_bytes(a.gain, b.gain) && same_bytes(a.risk, b.risk) && same_bytes(a.label, b.label) &&
         same_bytes(a.stop_reason, b.stop_reason) && same_bytes(a.proven, b.proven) &&
         same_bytes(a.n_missing, b.n_missing) && same_surrogates(a, b);
}

namespace {

FlatTree grow_all(const SortedTable& table, const Problem& problem, int n_threads) {
  Control control;
  GrowOptions options = problem.options;
  options.n_threads = n_threads;
  const auto grower =
      make_grower(table, problem.target, problem.weights_or_null(), options, control);
  grower->grow_all();
  return grower->tree();
}

// Splits nodes in a random order, one at a time; the last call says why the rest are leaves.
FlatTree grow_in_any_order(const SortedTable& table, const Problem& problem, Random& random) {
  Control control;
  const auto grower =
      make_grower(table, problem.target, problem.weights_or_null(), problem.options, control);
  std::vector<int32_t> open = {0};
  while (!open.empty()) {
    std::swap(open[static_cast<size_t>(random.whole(0, static_cast<int64_t>(open.size()) - 1))],
              open.back());
    const int32_t node = open.back();
    open.pop_back();
    if (grower->stop_reason(node) != StopReason::none) {
      continue;
    }
    const std::vector<Candidate> best = grower->candidates(node, 1);
    if (!best.empty()) {
      const int32_t left = grower->split(node, best[0]);
      for (int32_t branch = 0; branch < best[0].n_branches; ++branch) {
        open.push_back(left + branch);
      }
    }
  }
  grower->grow_all();
  return grower->tree();
}

bool children_add_up(const FlatTree& tree) {
  for (size_t i = 0; i < tree.subtree_size.size(); ++i) {
    if (tree.subtree_size[i] == 1) {
      continue;
    }
    const size_t left = i + 1;
    const size_t right = left + static_cast<size_t>(tree.subtree_size[left]);
    if (tree.subtree_size[i] != 1 + tree.subtree_size[left] + tree.subtree_size[right] ||
        tree.n_rows[i] != tree.n_rows[left] + tree.n_rows[right]) {
      return false;
    }
  }
  return true;
}

// The rows that grew the tree, sent down it, end where they ended while it grew.
bool rows_come_home(const FlatTree& tree, const RandomTable& table, const Problem& problem,
                    int n_threads) {
  const Router router({tree.subtree_size, tree.split_kind, tree.feature, tree.threshold,
                       tree.category_start, tree.categories, tree.category_branch,
                       tree.missing_route, tree.weight, tree.surrogate_start,
                       tree.surrogate_feature, tree.surrogate_threshold, tree.surrogate_flip,
                       tree.surrogate_category_start, tree.surrogate_category_of,
                       tree.surrogate_categories, tree.surrogate_category_branch});
  const Control control;
  std::vector<int32_t> reached(static_cast<size_t>(table.n_rows));
  router.route(table.views, table.n_rows, n_threads, control, reached.data());
  std::vector<int64_t> counts(tree.n_rows.size(), 0);
  for (size_t row = 0; row < reached.size(); ++row) {
    counts[static_cast<size_t>(reached[row])] +=
        problem.weights.empty() || problem.weights[row] > 0.0;
  }
  for (size_t i = 0; i < counts.size(); ++i) {
    int64_t ends_here = tree.n_rows[i];
    const size_t end = i + static_cast<size_t>(tree.subtree_size[i]);
    for (size_t c = i + 1; c < end; c += static_cast<size_t>(tree.subtree_size[c])) {
      ends_here -= tree.n_rows[c];
    }
    if (counts[i] != ends_here) {
      return false;
    }
  }
  return true;
}

// ID3, C4.5, surrogates and divided rows, in any mixture that the core knows.
void draw_classics(Random& random, size_t n_columns, GrowOptions& options) {
  options.missing = static_cast<Missing>(random.whole(0, 2));
  const bool sums = options.criterion != Criterion::absolute_error;
  if (sums && options.missing != Missing::surrogate && random.share() < 0.5) {
    options.multiway = true;
    options.ranks_too = random.share() < 0.5;
  }
  if (options.criterion == Criterion::entropy) {
    options.gain_ratio = true;
    options.charge_cuts = random.share() < 0.7;
    options.min_branch_weight = options.charge_cuts ? 2.0 : 0.0;
    if (options.charge_cuts && random.share() < 0.3) {
      options.tenth_of_class_per_side = options.count_allowed_cuts = true;
      options.average_slack = 1e-3;
      options.not_averaged.assign(n_columns, 0);
    }
  }
  if (options.missing == Missing::surrogate) {
    options.max_surrogates = random.whole(0, 5);
    options.stop_without_surrogate = random.share() < 0.5;
    options.known_agreement = random.share() < 0.5;
    options.stop_on_equal_sides = random.share() < 0.5;
    options.min_surrogate_rows = random.whole(1, 2);
  }
}

// Rows may stop on the way; only where they are divided, they may be in several children.
bool no_row_is_made_up(const FlatTree& tree, Missing missing) {
  for (size_t i = 0; i < tree.subtree_size.size(); ++i) {
    int64_t below = 0;
    const size_t end = i + static_cast<size_t>(tree.subtree_size[i]);
    for (size_t c = i + 1; c < end; c += static_cast<size_t>(tree.subtree_size[c])) {
      below += tree.n_rows[c];
      if (tree.n_rows[c] < 1 || tree.n_rows[c] > tree.n_rows[i]) {
        return false;
      }
    }
    if (missing != Missing::fractional && below > tree.n_rows[i]) {
      return false;
    }
  }
  return true;
}

}  // namespace

void check_classics(Tally& tally, Random& random) {
  const int64_t n_rows = random.share() < 0.95 ? random.whole(1, 200) : random.whole(1, 9000);
  const auto n_columns = static_cast<size_t>(random.whole(1, 6));
  const RandomTable table(random, n_rows, n_columns);
  Problem problem(random, n_rows, static_cast<Criterion>(random.whole(0, 5)));
  problem.options.max_features = 0;
  if (n_rows > 300) {  // divided rows are many
    problem.options.max_depth = 5;
  }
  draw_classics(random, n_columns, problem.options);
  Control control;
  const SortedTable sorted = sort_table(table.views, n_rows, 2, control);
  const FlatTree tree = grow_all(sorted, problem, 1);
  tally.add(tree);
  tally.expect(no_row_is_made_up(tree, problem.options.missing), "classics: no row is made up");
  if (problem.options.missing != Missing::fractional) {
    tally.expect(rows_come_home(tree, table, problem, 2), "classics: rows are routed as split");
  }
  tally.expect(same_tree(tree, grow_all(sorted, problem, 3)), "classics: threads change nothing");
  tally.expect(same_tree(tree, grow_in_any_order(sorted, problem, random)),
               "classics: the order of expansion changes nothing");
  problem.options.max_leaf_nodes = random.whole(2, 20);
  tally.expect(same_tree(grow_all(sorted, problem, 1), grow_all(sorted, problem, 3)),
               "classics: threads change nothing, best first");
}

void check_growing(Tally& tally, Random& random) {
  const int64_t n_rows = random.share() < 0.95 ? random.whole(1, 300) : random.whole(1, 20000);
  const RandomTable table(random, n_rows, static_cast<size_t>(random.whole(1, 9)));
  Problem problem(random, n_rows, static_cast<Criterion>(random.whole(0, 4)));
  Control control;
  const SortedTable sorted = sort_table(table.views, n_rows, 2, control);

  const FlatTree tree = grow_all(sorted, problem, 1);
  tally.add(tree);
  tally.expect(children_add_up(tree), "children add up to their parent");
  tally.expect(same_tree(tree, grow_all(sorted, problem, 3)), "threads change nothing");
  tally.expect(same_tree(tree, grow_in_any_order(sorted, problem, random)),
               "the order of expansion changes nothing");

  tally.expect(rows_come_home(tree, table, problem, 1), "rows are routed as they were split");
  tally.expect(rows_come_home(tree, table, problem, 3), "threads do not change the routes");

  problem.options.max_leaf_nodes = random.whole(2, 20);
  const FlatTree small = grow_all(sorted, problem, 1);
  tally.expect(std::count(small.subtree_size.begin(), small.subtree_size.end(), 1) <=
                   problem.options.max_leaf_nodes,
               "max_leaf_nodes is kept");
  tally.expect(same_tree(small, grow_all(sorted, problem, 3)),
               "threads change nothing, best first");

  control.stop = true;
  bool interrupted = false;
  try {
    make_grower(sorted, problem.target, problem.weights_or_null(), problem.options, control)
        ->grow_all();
  } catch (const Interrupted&) {
    interrupted = true;
  }
  tally.expect(interrupted || tree.subtree_size.size() == 1, "growing stops when asked");
}

}  // namespace treewright::testing
