// The search of a node against brute force: every allowed split of every column, by definition.
#include <algorithm>
#include <cmath>
#include <map>

#include "check.hpp"
#include "node_search.hpp"
#include "random_node.hpp"

namespace treewright::testing {
namespace {

// The cost of a set of class weights, by the textbook formula.
double slow_cost(Criterion criterion, const std::vector<double>& weights) {
  double total = 0.0, cost = 0.0, most = 0.0;
  for (const double weight : weights) {
    total += weight;
    most = std::max(most, weight);
  }
  for (const double weight : weights) {
    const double share = weight / total;
    if (criterion == Criterion::gini) {
      cost += weight * (1.0 - share);
    } else if (criterion == Criterion::entropy && weight > 0.0) {
      cost -= weight * std::log2(share);
    }
  }
  return criterion == Criterion::misclassification ? total - most : cost;
}

template <class Rows>
class BruteForce {
 public:
  BruteForce(const RandomNode<Rows>& node, const GrowOptions& options)
      : node_(node), options_(options), n_(std::ssize(node.labels)) {}

  // The best gain of an allowed split of any column; negative if there is none.
  double best() const {
    double best = -1.0;
    for (size_t c = 0; c < node_.table.views.size(); ++c) {
      best = std::max(best, node_.table.views[c].kind == Kind::categorical ? best_grouping(c)
                                                                           : best_threshold(c));
    }
    return best;
  }

 private:
  // goes_left(row) by definition; rows on either side are counted.
  template <class GoesLeft>
  double gain(const GoesLeft& goes_left) const {
    std::vector<double> side[2] = {std::vector<double>(3), std::vector<double>(3)}, all(3);
    int64_t rows[2] = {0, 0};
    double total = 0.0;
    for (int64_t row = 0; row < n_; ++row) {
      const int b = goes_left(row) ? 0 : 1;
      const auto weight = double(node_.weights[size_t(row)]);
      side[b][size_t(node_.labels[size_t(row)])] += weight;
      all[size_t(node_.labels[size_t(row)])] += weight;
      total += weight;
      ++rows[b];
    }
    if (std::min(rows[0], rows[1]) < options_.min_samples_leaf) {
      return -1.0;
    }
    return (slow_cost(options_.criterion, all) - slow_cost(options_.criterion, side[0]) -
            slow_cost(options_.criterion, side[1])) /
           total;
  }
  double best_threshold(size_t c) const {
    const ColumnView& view = node_.table.views[c];
    double best = gain([&](int64_t row) { return node_.is_missing(c, row); });
    for (int64_t at = 0; at < n_; ++at) {
      if (node_.is_missing(c, at)) {
        continue;
      }
      for (const bool missing_left : {false, true}) {
        const double found = gain([&](int64_t row) {
          return node_.is_missing(c, row) ? missing_left : view.value(row) <= view.value(at);
        });
        // All known rows against the missing ones is the split "is missing", tried above.
        best = std::max(best, found);
      }
    }
    return best;
  }
  double best_grouping(size_t c) const {
    const ColumnView& view = node_.table.views[c];
    std::map<int32_t, int> position;
    for (int64_t row = 0; row < n_; ++row) {
      position.emplace(node_.is_missing(c, row) ? -1 : view.code(row), 0);
    }
    int n_levels = 0;
    for (auto& [code, at] : position) {
      at = n_levels++;
    }
    double best = -1.0;
    for (uint32_t mask = 1; n_levels <= 8 && mask + 1 < (1u << n_levels); ++mask) {
      best =
          std::max(best, gain([&](int64_t row) {
                     return mask >> position.at(node_.is_missing(c, row) ? -1 : view.code(row)) & 1;
                   }));
    }
    return best;
  }

  const RandomNode<Rows>& node_;
  const GrowOptions& options_;
  int64_t n_;
};

template <class Rows>
void check_search_of(Tally& tally, Random& random) {
  const int64_t n = random.whole(2, random.share() < 0.9 ? 14 : 400);
  RandomTable table(random, n, size_t(random.whole(1, 3)));
  if (n > 8) {  // brute force tries all groupings of at most 8 levels
    for (ColumnView& view : table.views) {
      view.kind = view.kind == Kind::categorical ? Kind::ordinal : view.kind;
    }
  }
  GrowOptions options;
  options.criterion = static_cast<Criterion>(random.whole(0, 2));
  options.min_samples_leaf = random.whole(1, 3);
  RandomNode<Rows> node(random, table, n, options);
  node.open.best.assign(table.views.size(), kNone);
  BestSoFar best;
  search_columns(node.view(), node.view().cost(), node.problem->all_columns, best);
  const Choice choice = choose_split(node.view());
  const double expected = BruteForce<Rows>(node, options).best();
  const double found = choice.split ? choice.split->gain : -1.0;
  tally.expect(std::abs(found - std::max(expected, expected < 0 ? -1.0 : 0.0)) < 1e-9,
               "the split found gains most");
}

}  // namespace

void check_search(Tally& tally, Random& random) {
  check_search_of<CountedRows>(tally, random);
  check_search_of<WeightedRows>(tally, random);
}

}  // namespace treewright::testing
