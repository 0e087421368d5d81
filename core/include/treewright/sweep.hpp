// sweep.hpp: moving rows one by one from the right of a cut to its left.
//
// A sweep starts with the node's totals (and perhaps some rows already on the left, the
// missing ones) and answers after each row: how good is the cut here? score() is any
// number that grows with the gain; gain(score) converts the best one. A score may be off
// by rounding: the search keeps all cuts within margin() of the best and lets the exact
// cost of criterion.hpp decide among them.
#pragma once

#include <cstdint>
#include <vector>

#include "treewright/criterion.hpp"
#include "treewright/rows.hpp"
#include "treewright/split.hpp"
#include "treewright/words.hpp"

namespace treewright {

// Two classes, Gini, unit weights. With n rows of which t are of class 1, and on the left
// n_L with l of class 1, the gain is 2 D^2 / (n^2 n_L n_R), D = l n - t n_L.
class TwoClassGini {
 public:
  TwoClassGini(const NodeCost&, const CountedRows& rows, const int64_t* node, const int64_t* left)
      : rows_(rows),
        n_(node[kRows]),
        step_{-node[kFirst + 1], node[kRows] - node[kFirst + 1]},
        left_(left[kRows]),
        d_(left[kFirst + 1] * n_ - node[kFirst + 1] * left_) {}

  void add(Entry e) {
    d_ += step_[rows_.label(e)];
    ++left_;
  }
  double score() const {
    const double d = real(d_);
    return d * d / (real(left_) * real(n_ - left_));
  }
  double gain(double score) const { return 2.0 * score / (real(n_) * real(n_)); }
  double margin(const NodeCost& cost) const { return kTie * cost.impurity(); }
  bool allowed(const Rules&) const { return true; }

 private:
  CountedRows rows_;
  int64_t n_;
  int64_t step_[2];  // what a row of class 0, of class 1 adds to D
  int64_t left_;
  int64_t d_;
};

// Any number of classes, Gini, unit weights: O(1) per row. B = n^2 - sum of squared counts
// is kept for both sides; the cost of a side is B / n.
class ManyClassGini {
 public:
  ManyClassGini(const NodeCost& cost, const CountedRows& rows, const int64_t* node,
                const int64_t* left)
      : rows_(rows),
        n_(node[kRows]),
        left_(left[kRows]),
        node_cost_(cost.node_cost()),
        counts_(2 * size_t(cost.layout().classes())) {
    for (int k = 0; k < cost.layout().classes(); ++k) {
      const int64_t l = left[kFirst + k], r = node[kFirst + k] - l;
      counts_.data()[2 * k] = l;
      counts_.data()[2 * k + 1] = r;
      left_b_ += l * (left_ - l);
      right_b_ += r * (n_ - left_ - r);
    }
  }

  void add(Entry e) {
    int64_t* count = counts_.data() + 2 * rows_.label(e);
    left_b_ += 2 * (left_ - count[0]);
    ++count[0];
    ++left_;
    --count[1];
    right_b_ -= 2 * (n_ - left_ - count[1]);
  }
  double score() const {
    const double left = real(left_), right = real(n_ - left_);
    return -(real(left_b_) * right + real(right_b_) * left) / (left * right);
  }
  double gain(double score) const { return (node_cost_ + score) / real(n_); }
  double margin(const NodeCost& cost) const { return kTie * cost.impurity(); }
  bool allowed(const Rules&) const { return true; }

 private:
  CountedRows rows_;
  int64_t n_, left_;
  double node_cost_;
  int64_t left_b_ = 0, right_b_ = 0;
  Words counts_;  // left, right of class 0; left, right of class 1; ...
};

// Table of n log2 n for whole n in fixed point: sums of it are exact, whatever the order.
class NLogN {
 public:
  static constexpr int kFraction = 26;
  explicit NLogN(int64_t largest);
  int64_t operator()(int64_t n) const { return table_[size_t(n)]; }

 private:
  std::vector<int64_t> table_;
};

// Entropy, unit weights: the cost of a side is n log n - sum of c log c.
class CountEntropy {
 public:
  CountEntropy(const NodeCost& cost, const CountedRows& rows, const int64_t* node,
               const int64_t* left, const NLogN& n_log_n)
      : rows_(rows),
        n_log_n_(n_log_n),
        n_(node[kRows]),
        left_(left[kRows]),
        cost_(cost),
        counts_(2 * size_t(cost.layout().classes())) {
    for (int k = 0; k < cost.layout().classes(); ++k) {
      int64_t* count = counts_.data() + 2 * k;
      count[0] = left[kFirst + k];
      count[1] = node[kFirst + k] - left[kFirst + k];
      sum_ += n_log_n_(count[0]) + n_log_n_(count[1]);
    }
  }

  void add(Entry e) {
    int64_t* count = counts_.data() + 2 * rows_.label(e);
    sum_ -= n_log_n_(count[0]) + n_log_n_(count[1]);
    ++count[0];
    --count[1];
    sum_ += n_log_n_(count[0]) + n_log_n_(count[1]);
    ++left_;
  }
  double score() const { return real(sum_ - n_log_n_(left_) - n_log_n_(n_ - left_)); }
  double gain(double score) const {
    return (cost_.node_cost() + score * (1.0 / (int64_t(1) << NLogN::kFraction))) / real(n_);
  }
  // Each table entry is off by half a unit of its last place at most.
  double margin(const NodeCost& cost) const {
    const double entries = 2.0 * cost.layout().classes() + 2.0;
    return kTie * cost.impurity() +
           (entries / (int64_t(1) << NLogN::kFraction) + 1e-15 * real(n_) * 64.0) / real(n_);
  }
  bool allowed(const Rules&) const { return true; }

 private:
  CountedRows rows_;
  const NLogN& n_log_n_;
  int64_t n_, left_;
  const NodeCost& cost_;
  int64_t sum_ = 0;
  Words counts_;
};

// Squared error, unit weights. With sums around the node's mean the gain is
// D^2 / (n^2 n_L n_R), D = S_L n - S n_L. A sum of 62-bit numbers needs more than 64 bits:
// it is kept as two lanes, the high and the low 32 bits of each number.
class UnitSquaredError {
 public:
  UnitSquaredError(const NodeCost& cost, const NumberRows& rows, const int64_t* node,
                   const int64_t* left)
      : rows_(rows),
        n_(real(node[kRows])),
        center_(cost.center()),
        sum_(cost.sum()),
        left_(left[kRows]) {
    const int128 sum = get_sum(left) - int128(center_) * left[kWeight];
    high_ = static_cast<int64_t>(sum >> 32);
    low_ = static_cast<int64_t>(sum & 0xffffffff);
  }

  void add(Entry e) {
    const int64_t y = rows_.y[rows_.row(e)] - center_;
    high_ += y >> 32;
    low_ += y & 0xffffffff;
    ++left_;
  }
  double score() const {
    const double left = real(left_);
    const double d = (real(high_) * 4294967296.0 + real(low_)) * n_ - sum_ * left;
    return d * d / (left * (n_ - left));
  }
  double gain(double score) const { return score / (n_ * n_); }
  double margin(const NodeCost& cost) const { return kTie * cost.impurity(); }
  bool allowed(const Rules&) const { return true; }

 private:
  NumberRows rows_;
  double n_;
  int64_t center_;
  double sum_;
  int64_t left_;
  int64_t high_, low_;
};

// Everything else: the exact cost at every cut, O(classes) each.
template <class Rows>
class ExactSweep {
 public:
  ExactSweep(const NodeCost& cost, const Rows& rows, const int64_t* node, const int64_t* left)
      : rows_(rows),
        cost_(cost),
        node_(node),
        left_(size_t(cost.layout().words())),
        right_(size_t(cost.layout().words())) {
    cost.layout().copy(left_.data(), left);
  }

  void add(Entry e) { rows_.add(left_.data(), e); }
  double score() const {
    set_right();
    return -(cost_.cost(left_.data()) + cost_.cost(right_.data()));
  }
  double gain(double score) const { return cost_.gain(-score); }
  double margin(const NodeCost& cost) const { return kTie * cost.impurity(); }
  bool allowed(const Rules& rules) const {
    set_right();
    return rules.allows(left_.data(), right_.data());
  }

 private:
  void set_right() const {
    cost_.layout().copy(right_.data(), node_);
    cost_.layout().subtract(right_.data(), left_.data());
  }

  Rows rows_;
  const NodeCost& cost_;
  const int64_t* node_;
  Words left_;
  mutable Words right_;
};

}  // namespace treewright
