// sweep.hpp: moving rows one by one from the right of a cut to its left.
//
// A sweep starts with the totals of the node, with no rows or the missing rows on the left. After
// each row, score() rates the cut: any number that grows with the gain (over the visible rows) will
// do; gain() and score_of() convert between the two. A score may have a rounding error. The search
// keeps all cuts within margin() of the best and decides between them by the exact cost of
// criterion.hpp.
//
//   kCheap        scored at every row, and only limits on the number of rows apply
//   kPassesOver   skips stretches that cannot beat the best score, so a better score to beat makes
//                 it faster
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "treewright/criterion.hpp"
#include "treewright/rows.hpp"
#include "treewright/simd.hpp"
#include "treewright/small_array.hpp"
#include "treewright/split.hpp"

namespace treewright {

// Table of 1 / n: a multiplication in place of a division. 1 / 0 is 0.
class OneOver {
 public:
  explicit OneOver(int64_t largest);
  double operator()(int64_t n) const { return table_[size_t(n)]; }
  const double* data() const { return table_.data(); }

 private:
  std::vector<double> table_;
};

// D^2 (1 / n_L + 1 / n_R) in floats, with the same operations as the vector kernel, so that the
// plain loop gives the same score.
inline double score_of_distance(float d, float left, int64_t n, const simd::Reciprocals& over) {
  const auto all = static_cast<float>(n);
  const auto i = static_cast<int64_t>(left);
  const float sides = over.serves(n) ? *over.of(i) + *over.of(n - i) : all / (left * (all - left));
  return d * d * sides;
}

// A sweep that sums one number per row. Sweep::look_at_each calls the vector kernel for several
// columns of a node.
template <class Sweep>
class SumSweep {
 public:
  int64_t look_ahead(const Entry* entries, int64_t i, int64_t first, int64_t end, double& best) {
    simd::SumColumn column{entries, s_};
    column.state.i = i;
    column.state.best = static_cast<float>(best);
    if (column.state.best > best) {  // rounded up: a cut that is not better must not seem so
      column.state.best =
          std::nextafter(column.state.best, -std::numeric_limits<float>::infinity());
    }
    static_cast<const Sweep*>(this)->look_at_each({&column, 1}, first, end);
    s_ = column.state;
    best = s_.best;
    return s_.i;
  }

 protected:
  simd::SumState s_;

 private:
  friend Sweep;
  SumSweep() = default;
};

// Two classes, Gini, unit weights. With n rows of which t are of class 1, and on the left
// n_L with l of class 1, the gain is 2 D^2 / (n^2 n_L n_R), D = l n - t n_L. D is exact; the score,
// D^2 (1 / n_L + 1 / n_R) in floats, has a relative error of at most 7 / 2^24.
class TwoClassGini : public SumSweep<TwoClassGini> {
 public:
  static constexpr bool kCheap = true;
  static constexpr bool kPassesOver = true;
  TwoClassGini(const CountedRows& rows, const int64_t* node, const int64_t* left,
               const simd::Reciprocals& over)
      : rows_(rows),
        over_(&over),
        n_(node[kRows]),
        n_ones_(node[kFirst + 1]),
        zero_(n_ < simd::kSumsOfRows ? static_cast<int32_t>(-n_ones_) : 0),
        one_(n_ < simd::kSumsOfRows ? static_cast<int32_t>(n_ - n_ones_) : 1) {
    const int64_t ones = left[kFirst + 1];
    s_.left = static_cast<float>(left[kRows]);
    s_.sum = static_cast<int32_t>(ones * one_ + (left[kRows] - ones) * zero_);
  }

  void add(Entry e) {
    s_.sum += rows_.label(e) ? one_ : zero_;
    s_.left += 1.0f;
  }
  double score() const {
    const double d = n_ < simd::kSumsOfRows
                         ? s_.sum
                         : real(int64_t(s_.sum)) * real(n_) - real(n_ones_) * s_.left;
    return score_of_distance(static_cast<float>(d), s_.left, n_, *over_);
  }
  double gain(double score) const { return score * 2.0 / (real(n_) * real(n_) * real(n_)); }
  double score_of(double gain) const { return gain * (real(n_) * real(n_) * real(n_)) / 2.0; }
  double margin(const NodeCost& cost, double best) const {
    return cost.tolerance() + 0x1p-20 * best;
  }
  bool can_look_at_each() const { return simd::takes_whole_columns(nullptr); }
  void look_at_each(std::span<simd::SumColumn> columns, int64_t first, int64_t end) const {
    simd::two_class_gini(columns, {first, end, n_}, n_ones_, *over_);
  }

 private:
  CountedRows rows_;
  const simd::Reciprocals* over_;
  int64_t n_, n_ones_;
  int32_t zero_, one_;  // what a row of class 0 and of class 1 adds to the sum
};

// Any number of classes, Gini, unit weights: O(1) per row. For both sides half of
// B = n^2 - sum of squared counts is kept; the cost of a side is B / n. Whole numbers in doubles:
// exact, since a node has fewer than kMostRowsOfManyClasses rows.
class ManyClassGini {
 public:
  static constexpr bool kCheap = true;
  static constexpr bool kPassesOver = true;

  ManyClassGini(const NodeCost& cost, const CountedRows& rows, const int64_t* node,
                const int64_t* left, const OneOver& one_over)
      : rows_(rows),
        node_{rows.mask, cost.layout().classes(), cost.node_cost(),
              node[kRows] <= simd::kRowsOfTable ? one_over.data() : nullptr},
        counts_(size_t(node_.classes)) {
    s_.rows = {real(left[kRows]), real(left[kRows] - node[kRows])};
    if (left[kRows] == 0) {
      for (int k = 0; k < node_.classes; ++k) {
        counts_.data()[k] = {0.0, -real(node[kFirst + k])};
      }
      s_.b.right = cost.unlike_pairs() / 2;
      return;
    }
    for (int k = 0; k < node_.classes; ++k) {
      const double l = real(left[kFirst + k]), r = real(node[kFirst + k]) - l;
      counts_.data()[k] = {l, -r};
      s_.b.left += l * (s_.rows.left - l) / 2;
      s_.b.right += r * (-s_.rows.minus_right - r) / 2;
    }
  }

  void add(Entry e) {
    simd::TwoSides& count = counts_.data()[rows_.label(e)];
    s_.b.left += s_.rows.left++ - count.left++;
    s_.b.right += s_.rows.minus_right++ - count.minus_right++;
  }
  double score() const {
    const double* over = node_.one_over;
    return over ? -(s_.b.left * over[size_t(s_.rows.left)]) -
                      s_.b.right * over[size_t(-s_.rows.minus_right)]
                : s_.b.right / s_.rows.minus_right - s_.b.left / s_.rows.left;
  }
  double gain(double score) const {
    return (node_.cost + 2 * score) / (s_.rows.left - s_.rows.minus_right);
  }
  double score_of(double gain) const {
    return (gain * (s_.rows.left - s_.rows.minus_right) - node_.cost) / 2;
  }
  double margin(const NodeCost& cost) const { return kTie * cost.impurity(); }
  int64_t look_ahead(const Entry* entries, int64_t i, int64_t first, int64_t end, double& best) {
    for (; i < first; ++i) {
      add(entries[i]);
    }
    s_.i = i;
    s_.best = best;
    simd::many_class_gini(entries, end, node_, counts_.data(), s_);
    best = s_.best;
    return s_.i;
  }

 private:
  CountedRows rows_;
  simd::ManyClassNode node_;
  simd::ManyClassState s_;
  SmallArray<simd::TwoSides, 16> counts_;  // rows of each class
};

// Two classes, Gini, unequal weights. The cost of a side is 2 c_0 c_1 / (c_0 + c_1). Class weights
// are integers below 2^53, so only the product, the quotient and the sum are rounded.
class TwoClassWeightedGini {
 public:
  static constexpr bool kCheap = false;

  TwoClassWeightedGini(const NodeCost& cost, const WeightedRows& rows, const int64_t* node,
                       const int64_t* left)
      : rows_(rows), cost_(cost), node_(node) {
    std::copy_n(left, kFirst + 2, left_);
  }

  void add(Entry e) {
    const uint32_t row = rows_.row(e);
    left_[kRows] += rows_.shares ? rows_.shares[row] : 1;
    left_[kFirst + rows_.labels[row]] += rows_.weights[row];
  }
  double score() const {
    return -(half_cost(left_[kFirst], left_[kFirst + 1]) +
             half_cost(node_[kFirst] - left_[kFirst], node_[kFirst + 1] - left_[kFirst + 1]));
  }
  double gain(double score) const { return cost_.gain(-2 * score) / cost_.share(); }
  double margin(const NodeCost& cost) const { return (kTie + 0x1p-48) * cost.impurity(); }
  bool allowed(const SplitLimits& limits) const {
    const int64_t weight = left_[kFirst] + left_[kFirst + 1];
    const int64_t left[kFirst + 2] = {left_[kRows], weight};
    const int64_t right[kFirst + 2] = {node_[kRows] - left_[kRows], node_[kWeight] - weight};
    return limits.allows(left, right);
  }

 private:
  static double half_cost(int64_t a, int64_t b) { return real(a) * real(b) / real(a + b); }

  WeightedRows rows_;
  const NodeCost& cost_;
  const int64_t* node_;
  int64_t left_[kFirst + 2];  // rows and the weight of each class; kWeight is not kept up
};

// Any number of classes, Gini, unequal weights: O(1) per row. The cost of a side of weight W and
// class weights c is B / W, B = sum of c (W - c). A row of weight w and class k that moves to the
// left adds 2 w (W_L - c_L) to B there and takes 2 w (W_R - c_R) off on the right. Weights are
// integers whose sum has at most 53 bits, so B is exact in 128.
class WeightedGini {
 public:
  static constexpr bool kCheap = false;

  WeightedGini(const NodeCost& cost, const WeightedRows& rows, const int64_t* node,
               const int64_t* left)
      : rows_(rows), cost_(cost), counts_(2 * size_t(cost.layout().classes())) {
    for (const int word : {kRows, kWeight}) {
      left_[word] = left[word];
      right_[word] = node[word] - left[word];
    }
    for (int k = 0; k < cost.layout().classes(); ++k) {
      int64_t* count = counts_.data() + 2 * k;
      count[0] = left[kFirst + k];
      count[1] = node[kFirst + k] - left[kFirst + k];
      pairs_left_ += int128(count[0]) * (left_[kWeight] - count[0]);
      pairs_right_ += int128(count[1]) * (right_[kWeight] - count[1]);
    }
  }

  void add(Entry e) {
    const uint32_t row = rows_.row(e);
    const int64_t weight = rows_.weights[row], share = rows_.shares ? rows_.shares[row] : 1;
    int64_t* count = counts_.data() + 2 * rows_.labels[row];
    pairs_left_ += 2 * int128(weight) * (left_[kWeight] - count[0]);
    pairs_right_ -= 2 * int128(weight) * (right_[kWeight] - count[1]);
    count[0] += weight;
    count[1] -= weight;
    left_[kRows] += share;
    right_[kRows] -= share;
    left_[kWeight] += weight;
    right_[kWeight] -= weight;
  }
  double score() const {
    return -(real(pairs_left_) / real(left_[kWeight]) + real(pairs_right_) / real(right_[kWeight]));
  }
  double gain(double score) const { return cost_.gain(-score) / cost_.share(); }
  // The score has a few rounding errors, the exact cost has one for each class.
  double margin(const NodeCost& cost) const {
    return (kTie + 0x1p-50 * (cost.layout().classes() + 4)) * cost.impurity();
  }
  bool allowed(const SplitLimits& limits) const { return limits.allows(left_, right_); }

 private:
  WeightedRows rows_;
  const NodeCost& cost_;
  int64_t left_[kFirst] = {}, right_[kFirst] = {};  // rows and weight of each side
  int128 pairs_left_ = 0, pairs_right_ = 0;         // B of each side
  StatBlock counts_;                                // by class: weight on the left, on the right
};

// Table of n log2 n for whole n in fixed point: sums of it are exact, whatever the order.
class NLogN {
 public:
  static constexpr int kFraction = 26;
  explicit NLogN(int64_t largest);
  int64_t operator()(int64_t n) const { return table_[size_t(n)]; }
  // (n + 1) log (n + 1) - n log n.
  int64_t rise(int64_t n) const { return rises_[size_t(n)]; }

 private:
  std::vector<int64_t> table_, rises_;
};

// Two classes, entropy, unit weights. With f(x) = x log2 x, the gain times n is
//   f(l) + f(t - l) + f(n_L - l) + f(n_R - (t - l)) - f(n_L) - f(n_R) + f(n) - f(t) - f(n - t),
// t rows of class 1 in the node and l of them on the left. Each f is off by half a unit of the
// table, so a score, which is this sum in units, by less than 5; keeping the best of a column as a
// float adds a relative error of 2^-24.
class TwoClassEntropy : public SumSweep<TwoClassEntropy> {
 public:
  static constexpr bool kCheap = true;
  static constexpr bool kPassesOver = true;
  TwoClassEntropy(const CountedRows& rows, const int64_t* node, const int64_t* left,
                  const simd::NLogN& n_log_n)
      : rows_(rows), f_(&n_log_n), n_(node[kRows]), n_ones_(node[kFirst + 1]) {
    s_.left = static_cast<float>(left[kRows]);
    s_.sum = static_cast<int32_t>(left[kFirst + 1]);
  }

  void add(Entry e) {
    s_.sum += static_cast<int32_t>(rows_.label(e));
    s_.left += 1.0f;
  }
  double score() const {
    const auto left = static_cast<int64_t>(s_.left);
    return real(int64_t(simd::entropy_score(*f_, n_, n_ones_, s_.sum, left - s_.sum)));
  }
  double gain(double score) const { return score * f_->unit() / real(n_); }
  double score_of(double gain) const { return gain * real(n_) / f_->unit(); }
  // The last term is the rounding of the exact cost.
  double margin(const NodeCost& cost, double best) const {
    return cost.tolerance() + 5 * f_->unit() / real(n_) + 0x1p-23 * best + 64e-15;
  }
  bool can_look_at_each() const { return simd::takes_whole_columns(nullptr); }
  void look_at_each(std::span<simd::SumColumn> columns, int64_t first, int64_t end) const {
    simd::two_class_entropy(columns, {first, end, n_}, n_ones_, *f_);
  }

 private:
  CountedRows rows_;
  const simd::NLogN* f_;
  int64_t n_, n_ones_;
};

// Any number of classes, entropy, unit weights: the cost of a side is n log n - sum of c log c.
class CountEntropy {
 public:
  static constexpr bool kCheap = true;
  CountEntropy(const NodeCost& cost, const CountedRows& rows, const int64_t* node,
               const int64_t* left, const NLogN& n_log_n)
      : rows_(rows),
        n_log_n_(n_log_n),
        n_(node[kRows]),
        // The analyzer imagines a block of no words, which would hold no number of rows.
        left_(left[kRows]),  // NOLINT(clang-analyzer-core.uninitialized.Assign)
        cost_(cost),
        counts_(2 * size_t(cost.layout().classes())) {
    for (int k = 0; k < cost.layout().classes(); ++k) {
      int64_t* count = counts_.data() + 2 * k;
      count[0] = left[kFirst + k];
      count[1] = node[kFirst + k] - left[kFirst + k];
      sum_ += n_log_n_(count[0]) + n_log_n_(count[1]);
    }
    sum_ -= n_log_n_(left_) + n_log_n_(n_ - left_);
  }

  // A row leaves the right for the left: its class and both sides change by one.
  void add(Entry e) {
    int64_t* count = counts_.data() + 2 * rows_.label(e);
    sum_ += n_log_n_.rise(count[0]++) - n_log_n_.rise(--count[1]);
    sum_ -= n_log_n_.rise(left_) - n_log_n_.rise(n_ - left_ - 1);
    ++left_;
  }
  double score() const { return real(sum_); }
  double gain(double score) const {
    return (cost_.node_cost() + score * (1.0 / (int64_t(1) << NLogN::kFraction))) / real(n_);
  }
  double score_of(double gain) const {
    return (gain * real(n_) - cost_.node_cost()) * real(int64_t(1) << NLogN::kFraction);
  }
  // The error of each table entry is at most half a unit of its last place.
  double margin(const NodeCost& cost) const {
    const double entries = 2.0 * cost.layout().classes() + 2.0;
    return kTie * cost.impurity() +
           (entries / (int64_t(1) << NLogN::kFraction) + 1e-15 * real(n_) * 64.0) / real(n_);
  }

 private:
  CountedRows rows_;
  const NLogN& n_log_n_;
  int64_t n_, left_;
  const NodeCost& cost_;
  int64_t sum_ = 0;
  StatBlock counts_;
};

// Two classes, misclassification, unit weights. With e the number of rows of class 1 on the left
// less those of class 0, and E the same for the node, a side costs half of (its rows - |its
// difference|), so both together gain (max(|E|, |2 e - E|) - |E|) / (2 n): one addition per row.
class TwoClassMisclassification {
 public:
  static constexpr bool kCheap = true;
  TwoClassMisclassification(const CountedRows& rows, const int64_t* node, const int64_t* left)
      : rows_(rows),
        n_(node[kRows]),
        whole_(difference(node)),
        twice_(2 * difference(left) - whole_) {}

  void add(Entry e) { twice_ += 4 * int64_t(rows_.label(e)) - 2; }
  double score() const { return real(std::max(std::abs(whole_), std::abs(twice_))); }
  double gain(double score) const { return (score - real(std::abs(whole_))) / (2.0 * real(n_)); }
  double score_of(double gain) const { return gain * 2.0 * real(n_) + real(std::abs(whole_)); }
  double margin(const NodeCost& cost) const { return kTie * cost.impurity(); }

 private:
  static int64_t difference(const int64_t* stats) { return stats[kFirst + 1] - stats[kFirst]; }

  CountedRows rows_;
  int64_t n_;
  int64_t whole_, twice_;  // E, and 2 e - E
};

// Misclassification, unit weights: a side of n rows costs n less its largest class. The largest
// class of the left only grows. On the right, counts only fall: the largest class stays the largest
// until its count falls below the count that the second largest had when both were found. Then all
// classes are compared again.
class CountMisclassification {
 public:
  static constexpr bool kCheap = true;
  CountMisclassification(const NodeCost& cost, const CountedRows& rows, const int64_t* node,
                         const int64_t* left)
      : rows_(rows),
        n_(node[kRows]),
        cost_(cost),
        classes_(cost.layout().classes()),
        counts_(2 * size_t(cost.layout().classes())) {
    for (int k = 0; k < classes_; ++k) {
      int64_t* count = counts_.data() + 2 * k;
      count[0] = left[kFirst + k];
      count[1] = node[kFirst + k] - left[kFirst + k];
      most_left_ = std::max(most_left_, count[0]);
    }
    find_right();
  }

  void add(Entry e) {
    const auto k = static_cast<int>(rows_.label(e));
    int64_t* count = counts_.data() + 2 * k;
    most_left_ = std::max(most_left_, ++count[0]);
    if (--count[1] < second_right_ && k == top_right_) {
      find_right();
    }
  }
  double score() const { return real(most_left_ + counts_.data()[2 * top_right_ + 1]); }
  double gain(double score) const { return (cost_.node_cost() - real(n_) + score) / real(n_); }
  double score_of(double gain) const { return gain * real(n_) - cost_.node_cost() + real(n_); }
  double margin(const NodeCost& cost) const { return kTie * cost.impurity(); }

 private:
  void find_right() {
    top_right_ = 0;
    second_right_ = 0;
    for (int k = 1; k < classes_; ++k) {
      const int64_t count = counts_.data()[2 * k + 1], top = counts_.data()[2 * top_right_ + 1];
      second_right_ = std::max(second_right_, std::min(count, top));
      top_right_ = count > top ? k : top_right_;
    }
  }

  CountedRows rows_;
  int64_t n_;
  const NodeCost& cost_;
  int classes_;
  int64_t most_left_ = 0, second_right_ = 0;
  int top_right_ = 0;
  StatBlock counts_;  // by class: rows on the left, on the right
};

// Squared error, unit weights, on the node's coarse image (see target.hpp), in 32 bits. With sums
// around the node's mean the gain is D^2 / (n_L n_R), D = S_L - mean n_L. Sums of the image are
// exact; the error of the square root of a gain, |D| / sqrt(n_L n_R), has two sources:
//   - the image drops less than one unit u of each y. D sums these errors around their mean, so its
//     error is at most n_L n_R / n units, and that of the square root at most u / 2;
//   - floats: D has a relative error of 2^-23, plus less than 4 n 2^-24 units from subtracting the
//     fraction of the mean, which adds 2^-9 u to the error of the square root; the square, the two
//     reciprocals, their sum and the product add a relative error of 2^-24 each to the score.
class CoarseSquaredError : public SumSweep<CoarseSquaredError> {
 public:
  static constexpr bool kCheap = true;
  static constexpr bool kPassesOver = true;
  static constexpr bool kStartsEmpty = true;  // rows already on the left are added one by one

  CoarseSquaredError(const CoarseImage& coarse, const simd::Image& image, const int64_t* node,
                     const simd::Reciprocals& over)
      : coarse_(coarse),
        image_(image),
        over_(&over),
        n_(node[kRows]),
        unit_(real(int64_t(1) << coarse.shift)) {}

  void add(Entry e) {
    s_.sum += image_(e) - coarse_.mean;
    s_.left += 1.0f;
  }
  // D^2 (1 / n_L + 1 / n_R), which is n times the gain.
  double score() const {
    return score_of_distance(static_cast<float>(s_.sum) - s_.left * coarse_.rest, s_.left, n_,
                             *over_);
  }
  double gain(double score) const { return score * unit_ * unit_ / real(n_); }
  double score_of(double gain) const { return gain * real(n_) / (unit_ * unit_); }
  // The largest error of a gain, if `best` is the best gain found.
  double margin(const NodeCost& cost, double best) const {
    constexpr double kShare = 0x1p-21;
    const double off = (0.5 + 0x1p-9) * unit_;
    const double most = std::sqrt(best) * (1 + kShare) + off;  // square root of the true best
    return cost.tolerance() + 2 * most * off + off * off + 2 * kShare * most * most;
  }
  bool can_look_at_each() const { return simd::takes_whole_columns(image_.by_row); }
  void look_at_each(std::span<simd::SumColumn> columns, int64_t first, int64_t end) const {
    simd::squared_error(columns, {first, end, n_}, image_, coarse_.mean, coarse_.rest, *over_);
  }

 private:
  CoarseImage coarse_;
  simd::Image image_;
  const simd::Reciprocals* over_;
  int64_t n_;
  double unit_;  // of the image, in units of the node
};

// Everything else: the exact cost at every cut, O(classes) each.
template <class Rows>
class ExactSweep {
 public:
  static constexpr bool kCheap = false;

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
    cost_.layout().difference(right_.data(), node_, left_.data());
    return -(cost_.cost(left_.data()) + cost_.cost(right_.data()));
  }
  double gain(double score) const { return cost_.gain(-score) / cost_.share(); }
  double margin(const NodeCost& cost) const { return kTie * cost.impurity(); }
  bool allowed(const SplitLimits& limits) const {
    cost_.layout().difference(right_.data(), node_, left_.data());
    return limits.allows(left_.data(), right_.data());
  }

 private:
  Rows rows_;
  const NodeCost& cost_;
  const int64_t* node_;
  StatBlock left_;
  mutable StatBlock right_;
};

}  // namespace treewright
