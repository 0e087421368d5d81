// bucket_bound.hpp: no cut inside a bucket of values gains more than this.
//
// Between two edges the statistics of the left branch move from L to L + b, where b are the
// statistics of the bucket. The gain of a cut is a convex function of the left statistics:
//
//     gini           the cost of a branch is W - sum of c_k^2 / W, and c^2 / W is convex
//     entropy        g(W) - sum of g(c_k), g(x) = x log2 x: a sum of c log2(W / c), each concave
//     squared error  -S^2 / W, and S^2 / W is convex
//     poisson        -W f(S / W) with a convex f, and W f(S / W) is convex (its perspective)
//
// so the cost of a branch is concave, cost(left) + cost(node - left) is, and what is taken off the
// cost of the node is convex. A convex function on a polygon is greatest at a corner. Every cut
// inside the bucket lies in a polygon whose corners are known:
//
//     classes   the box from L to L + b, one corner for each set of classes in the bucket;
//     numbers   b has the weight m and the sum s, and its targets lie between a and h. The part of
//               it on the left has a weight w and a sum t with a w <= t <= h w; the part on the
//               right gives a (m - w) <= s - t <= h (m - w). A parallelogram with the corners
//               (0, 0), (m, s), (x, a x) and (m - x, h (m - x)), where x = (m h - s) / (h - a).
//
// A box of k classes has 2^k corners. of_many_classes bounds the gain in k steps instead, by
// letting every class and the weight of the left branch vary on their own: a larger set, so still
// an upper bound. It is tried first, and the corners only if it does not decide and they are few.
// core/README.md derives each bound; tests/check_bounds.cpp tries them on random buckets.
// The argument is that of BOAT (Gehrke, Ganti, Ramakrishnan and Loh 1999).
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "treewright/criterion.hpp"
#include "treewright/small_array.hpp"

namespace treewright {

class BucketBound {
 public:
  static constexpr int kMostCorners = 6;  // classes whose sets are all tried: 64 corners

  BucketBound(const NodeCost& cost, const int64_t* node) : cost_(cost), node_(node) {}

  // left: what lies before the bucket; bucket: its statistics, and for a number the least and the
  // greatest target behind them. Stops at the first bound that lies below at_least.
  double operator()(const int64_t* left, const int64_t* bucket, double at_least) const {
    if (cost_.layout().task() == Task::number) {
      return of_number(left, bucket);
    }
    if (cost_.criterion() == Criterion::misclassification) {
      return of_misclassification(left, bucket);
    }
    int present = 0;
    for (int k = 0; k < classes(); ++k) {
      present += bucket[kFirst + k] > 0;
    }
    const double bound = of_many_classes(left, bucket);
    if (bound < at_least || present > kMostCorners) {
      return bound;
    }
    // In a node that is nearly pure, the entropy of a cut is rounded as well.
    return std::min(bound, of_corners(left, bucket) + rounding(1.0));
  }

 private:
  int classes() const { return cost_.layout().classes(); }

  double of_corners(const int64_t* left, const int64_t* bucket) const {
    const auto words = size_t(cost_.layout().words());
    StatBlock corner(words), rest(words);
    int present[kMostCorners], n = 0;
    for (int k = 0; k < classes(); ++k) {
      if (bucket[kFirst + k] > 0) {
        present[n++] = k;
      }
    }
    double most = 0.0;
    for (unsigned set = 0; set < 1u << n; ++set) {
      cost_.layout().copy(corner.data(), left);
      for (int i = 0; i < n; ++i) {
        if (set >> i & 1) {
          corner.data()[kWeight] += bucket[kFirst + present[i]];
          corner.data()[kFirst + present[i]] += bucket[kFirst + present[i]];
        }
      }
      cost_.layout().difference(rest.data(), node_, corner.data());
      if (corner.data()[kWeight] > 0 && rest.data()[kWeight] > 0) {
        most = std::max(most, cost_.gain(corner.data(), rest.data()));
      }
    }
    return most;
  }

  double of_many_classes(const int64_t* left, const int64_t* bucket) const {
    return cost_.criterion() == Criterion::gini ? many_gini(left, bucket)
                                                : many_entropy(left, bucket);
  }

  // What rounding may take off a sum over classes of this size.
  double rounding(double size) const { return size * (8 + classes()) * 0x1p-52; }

  // cost = W - sum of l^2 / w + r^2 / (W - w). With the weight w of the left branch fixed, a term
  // is convex in l, so greatest at an end of its range; with l fixed it is convex in w. The
  // greatest of convex functions is convex, and so is their sum: it is greatest at an end of the
  // range of w.
  double many_gini(const int64_t* left, const int64_t* bucket) const {
    const double all = real(node_[kWeight]), before = real(left[kWeight]);
    const double after = real(node_[kWeight] - left[kWeight] - bucket[kWeight]);
    if (before <= 0.0 || after <= 0.0) {
      return gini_of_outermost(bucket, before + after);
    }
    double most = 0.0;
    for (const double weight : {before, all - after}) {
      double sum = 0.0;
      for (int k = 0; k < classes(); ++k) {
        const double l = real(left[kFirst + k]), b = real(bucket[kFirst + k]);
        const double n = real(node_[kFirst + k]);
        const auto at = [&](double x) {
          return x * x / weight + (n - x) * (n - x) / (all - weight);
        };
        sum += std::max(at(l), at(l + b));
      }
      most = std::max(most, sum);
    }
    return cost_.gain(all - most - rounding(std::max(all, most)));
  }

  // The first or the last bucket: one branch lies in it and holds c_k <= b_k, so that
  // sum of c^2 / sum of c <= max b. The other branch holds at most all of each class, and at least
  // the weight outside of the bucket.
  double gini_of_outermost(const int64_t* bucket, double outside) const {
    if (outside <= 0.0) {
      return std::numeric_limits<double>::infinity();
    }
    double squares = 0.0, most = 0.0;
    for (int k = 0; k < classes(); ++k) {
      squares += real(node_[kFirst + k]) * real(node_[kFirst + k]);
      most = std::max(most, real(bucket[kFirst + k]));
    }
    const double all = real(node_[kWeight]), sum = most + squares / outside;
    return cost_.gain(all - sum - rounding(std::max(all, sum)));
  }

  // cost = g(w) + g(W - w) - sum of g(l) + g(n - l), g(x) = x log2 x, which is convex. The sum is
  // greatest with each class at an end of its range, and the rest is least if the weights are as
  // equal as their range allows.
  double many_entropy(const int64_t* left, const int64_t* bucket) const {
    const auto g = [](double x) { return x > 0.0 ? x * std::log2(x) : 0.0; };
    const double all = real(node_[kWeight]), before = real(left[kWeight]);
    const double most_even = std::clamp(all / 2, before, before + real(bucket[kWeight]));
    double cost = g(most_even) + g(all - most_even);
    for (int k = 0; k < classes(); ++k) {
      const double l = real(left[kFirst + k]), b = real(bucket[kFirst + k]);
      const double n = real(node_[kFirst + k]);
      cost -= std::max(g(l) + g(n - l), g(l + b) + g(n - l - b));
    }
    return cost_.gain(cost - rounding(g(all)));
  }

  // cost = W - max l - max r. The greatest sum of the two has one class i on both sides, n_i, or
  // class i on the left with all of the bucket and class j on the right with all of it.
  double of_misclassification(const int64_t* left, const int64_t* bucket) const {
    int64_t first_left = 0, second_left = 0, first_right = 0, second_right = 0, both = 0;
    int at_left = -1, at_right = -1;
    const auto rank = [](int64_t x, int k, int64_t& first, int64_t& second, int& at) {
      if (at < 0 || x > first) {
        second = first;
        first = x;
        at = k;
      } else {
        second = std::max(second, x);
      }
    };
    for (int k = 0; k < classes(); ++k) {
      both = std::max(both, node_[kFirst + k]);
      rank(left[kFirst + k] + bucket[kFirst + k], k, first_left, second_left, at_left);
      rank(node_[kFirst + k] - left[kFirst + k], k, first_right, second_right, at_right);
    }
    const int64_t apart = at_left != at_right
                              ? first_left + first_right
                              : std::max(first_left + second_right, second_left + first_right);
    return cost_.gain(real(node_[kWeight] - std::max(both, apart)));
  }

  double of_number(const int64_t* left, const int64_t* bucket) const {
    const auto words = size_t(cost_.layout().words());
    StatBlock right(words);
    cost_.layout().difference(right.data(), node_, left);
    cost_.layout().subtract(right.data(), bucket);
    const int64_t m = bucket[kWeight], a = bucket[words], h = bucket[words + 1];
    // The weights of the bucket on either side of the third corner, from exact integers: targets
    // may be far out and close together, and a weight may be tiny.
    const double range = real(int128(h) - a);
    const double at_a = h > a ? real(int128(m) * h - get_sum(bucket)) / range : 0.0;
    const double at_h = h > a ? real(get_sum(bucket) - int128(m) * a) / range : real(m);
    const double low = around(1, a), high = around(1, h);
    const double before = real(left[kWeight]), after = real(right.data()[kWeight]);
    const double before_sum = around(left[kWeight], get_sum(left));
    const double after_sum = around(right.data()[kWeight], get_sum(right.data()));
    const double whole = around(m, get_sum(bucket));
    return std::max({cost_.gain_of_numbers(before, before_sum, after + real(m), after_sum + whole),
                     cost_.gain_of_numbers(before + real(m), before_sum + whole, after, after_sum),
                     cost_.gain_of_numbers(before + at_a, before_sum + at_a * low, after + at_h,
                                           after_sum + at_h * high),
                     cost_.gain_of_numbers(before + at_h, before_sum + at_h * high, after + at_a,
                                           after_sum + at_a * low)});
  }
  // A sum of targets around the centre of the node.
  double around(int64_t weight, int128 sum) const {
    return real(sum - int128(cost_.center()) * weight);
  }

  const NodeCost& cost_;
  const int64_t* node_;
};

}  // namespace treewright
