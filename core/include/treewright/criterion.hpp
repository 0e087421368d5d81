// criterion.hpp: impurity, and the gain of a split into any number of branches.
//
// cost(branch) is weight * impurity of a branch, computed from integers without
// cancellation, up to a constant of the node:
//
//     gini               sum_k c_k (W - c_k) / W
//     entropy            sum_k c_k log2(W / c_k)
//     misclassification  W - max_k c_k
//     squared error      -(S - mean W)^2 / W       (the sum of y^2 is the same for any split)
//     poisson            -W mean h(S / W / mean - 1), h(u) = (1 + u) ln(1 + u) - u
//
// so that gain = (cost(node) - sum of cost(branch)) / weight of the node (where a search sees
// the known rows of a column only, cost(node) is theirs, the weight still the whole node's). (Half
// the deviance of a node is the sum of w mean h(y / mean - 1): what -u adds to u + h(u) sums to 0.)
// Gains of a number are in units of the node's quantiser: no target is too large or too small to be
// split, and only what is reported is converted. To add a criterion: its name in types.hpp, its
// cost here, a fast sweep in sweep.hpp if it is worth one, its formula in growing/impurity.py.
#pragma once

#include <algorithm>
#include <cmath>

#include "treewright/statistics.hpp"
#include "treewright/target.hpp"

namespace treewright {

// The weight of all pairs of different classes, each counted twice.
inline double unlike_pairs(const int64_t* stats, int classes) {
  double pairs = 0.0;
  for (int k = 0; k < classes; ++k) {
    pairs += real(stats[kFirst + k]) * real(stats[kWeight] - stats[kFirst + k]);
  }
  return pairs;
}

inline double gini_cost(const int64_t* stats, int classes) {
  return unlike_pairs(stats, classes) / real(stats[kWeight]);
}

inline double entropy_cost(const int64_t* stats, int classes) {
  const double weight = real(stats[kWeight]);
  double cost = 0.0;
  for (int k = 0; k < classes; ++k) {
    if (stats[kFirst + k] > 0) {
      const double count = real(stats[kFirst + k]);
      cost += count * std::log2(weight / count);
    }
  }
  return cost;
}

inline double misclassification_cost(const int64_t* stats, int classes) {
  return real(stats[kWeight] - *std::max_element(stats + kFirst, stats + kFirst + classes));
}

// (1 + u) ln(1 + u) - u for u >= -1, also where the two parts nearly cancel.
inline double poisson_term(double u) {
  if (u <= -1.0) {
    return 1.0;
  }
  if (std::abs(u) > 0.01) {
    return (1.0 + u) * std::log1p(u) - u;
  }
  // u^2 / 2 - u^3 / 6 + u^4 / 12 - ...: the k-th term is (-u)^k / (k (k - 1)).
  double sum = 0.0, power = u * u;
  for (int k = 2; k <= 9; ++k) {
    sum += power / (k * (k - 1));
    power *= -u;
  }
  return sum;
}

// The criterion at one node: everything a search needs to turn statistics into gains.
class NodeCost {
 public:
  // For a number, impurity is that of the node in units of its quantiser (classes: computed).
  NodeCost(Criterion criterion, const StatLayout& layout, const int64_t* stats, double impurity)
      : criterion_(criterion), layout_(layout) {
    set_stats(stats);
    all_weight_ = weight_;
    impurity_ = layout.task() == Task::number ? impurity : cost_ / weight_;
    tie_impurity_ = tie_cost_ / weight_;
  }
  // The same node as a search sees it that looks at some of its rows only.
  NodeCost(const NodeCost& node, const int64_t* seen) : NodeCost(node) { set_stats(seen); }

  Criterion criterion() const { return criterion_; }
  const StatLayout& layout() const { return layout_; }
  double weight() const { return weight_; }
  // Of the whole node, where weight() is that of the rows that are seen.
  double all_weight() const { return all_weight_; }
  // The weight that is seen, as a share of the node's.
  double share() const { return weight_ / all_weight_; }
  int64_t center() const { return center_; }
  double sum() const { return sum_; }
  double node_cost() const { return cost_; }
  double unlike_pairs() const { return unlike_pairs_; }
  double impurity() const { return impurity_; }
  // Gains closer than this are equal.
  double tolerance() const { return kTie * impurity_; }
  double tie_tolerance() const { return kTie * tie_impurity_; }

  double cost(const int64_t* stats) const {
    switch (criterion_) {
      case Criterion::gini:
        return gini_cost(stats, layout_.classes());
      case Criterion::entropy:
        return entropy_cost(stats, layout_.classes());
      case Criterion::misclassification:
        return misclassification_cost(stats, layout_.classes());
      case Criterion::squared_error:
      case Criterion::poisson:
        return number_cost(real(stats[kWeight]),
                           real(get_sum(stats) - int128(center_) * stats[kWeight]));
      case Criterion::absolute_error:
        break;  // not a function of sums: see src/absolute_search.hpp
    }
    return 0.0;
  }
  // The gain of two branches of these weights and sums around the centre, which need not belong to
  // any rows.
  double gain_of_numbers(double left, double left_sum, double right, double right_sum) const {
    if (left <= 0.0 || right <= 0.0) {
      return 0.0;
    }
    return gain(number_cost(left, left_sum) + number_cost(right, right_sum));
  }
  // From the summed cost of the branches to the gain.
  double gain(double cost_of_branches) const {
    return std::max(0.0, (cost_ - cost_of_branches) / all_weight_);
  }
  double gain(const int64_t* left, const int64_t* right) const {
    return gain(cost(left) + cost(right));
  }
  // Misclassification has many equal gains; the Gini gain decides among them.
  bool has_tie_gain() const { return criterion_ == Criterion::misclassification; }
  double tie_gain(const int64_t* left, const int64_t* right) const {
    if (!has_tie_gain()) {
      return 0.0;
    }
    const int k = layout_.classes();
    return (tie_cost_ - gini_cost(left, k) - gini_cost(right, k)) / all_weight_;
  }
  // The same for any number of branches, one block of statistics each.
  double gain_of_each(const int64_t* stats, size_t n_branches) const {
    double sum = 0.0;
    for (size_t b = 0; b < n_branches; ++b) {
      sum += cost(stats + b * size_t(layout_.words()));
    }
    return gain(sum);
  }
  double tie_gain_of_each(const int64_t* stats, size_t n_branches) const {
    if (!has_tie_gain()) {
      return 0.0;
    }
    double sum = tie_cost_;
    for (size_t b = 0; b < n_branches; ++b) {
      sum -= gini_cost(stats + b * size_t(layout_.words()), layout_.classes());
    }
    return sum / all_weight_;
  }

  static int64_t floor_mean(int128 sum, int64_t weight) {
    int128 mean = sum / weight;
    mean -= sum % weight < 0;
    return static_cast<int64_t>(mean);
  }

 private:
  double number_cost(double weight, double sum) const {
    if (criterion_ == Criterion::squared_error) {
      return -(sum * sum / weight);
    }
    return -weight * mean_ * poisson_term((sum / weight - sum_ / weight_) / mean_);
  }

  void set_stats(const int64_t* stats) {
    weight_ = real(stats[kWeight]);
    if (layout_.task() == Task::number) {
      const int128 sum = get_sum(stats);
      // The mean rounded down to a whole number of units: sums around it stay small,
      // so their squares lose nothing.
      center_ = floor_mean(sum, stats[kWeight]);
      sum_ = real(sum - int128(center_) * stats[kWeight]);
      mean_ = real(sum) / weight_;
    } else {
      unlike_pairs_ = treewright::unlike_pairs(stats, layout_.classes());
    }
    cost_ = cost(stats);
    tie_cost_ = has_tie_gain() ? gini_cost(stats, layout_.classes()) : 0.0;
  }

  Criterion criterion_;
  StatLayout layout_;
  double weight_ = 0.0;
  double all_weight_ = 0.0;
  int64_t center_ = 0;
  double sum_ = 0.0;           // around the centre
  double mean_ = 0.0;          // poisson
  double unlike_pairs_ = 0.0;  // classes
  double cost_ = 0.0;
  double impurity_ = 0.0;
  double tie_cost_ = 0.0, tie_impurity_ = 0.0;  // Gini, if it decides ties
};

}  // namespace treewright
