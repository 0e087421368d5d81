// bucket_bound.hpp: no cut inside a bucket of values gains more than this.
//
// Between two edges the statistics of the left branch move from L to L + b, where b are the
// statistics of the bucket. The gain is a convex function of the left statistics, because
// cost(left) + cost(node - left) is a sum of concave functions; every cut inside the bucket lies in
// a convex set whose corners are known, and a convex function is greatest at a corner:
//
//     classes   the box from L to L + b, one corner for each set of classes in the bucket;
//     numbers   b has the weight m and the sum s, and its targets lie between a and h. The part of
//               it on the left has a weight w and a sum t with a w <= t <= h w, and what is on the
//               right likewise: a parallelogram with the corners (0, 0), (m, s), (x, a x) and
//               (m - x, h (m - x)), where x = (m h - s) / (h - a).
//
// With more than kMostCorners classes in a bucket, each class is taken at its better end for a
// given weight of the left branch (its sum over classes is still convex in that weight, or the
// weight is taken at its own best), which bounds the gain from above as well.
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
  // greatest target behind them.
  double operator()(const int64_t* left, const int64_t* bucket) const {
    if (cost_.layout().task() == Task::number) {
      return of_number(left, bucket);
    }
    int present = 0;
    for (int k = 0; k < classes(); ++k) {
      present += bucket[kFirst + k] > 0;
    }
    return present <= kMostCorners ? of_corners(left, bucket) : of_many_classes(left, bucket);
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
    switch (cost_.criterion()) {
      case Criterion::gini:
        return many_gini(left, bucket);
      case Criterion::entropy:
        return many_entropy(left, bucket);
      default:
        return many_misclassification(left, bucket);
    }
  }

  // cost = W - sum of l^2 / W(left) + r^2 / W(right). With the weight of the left branch fixed, a
  // class is at an end of its range; the sum of these is convex in the weight, so it is greatest at
  // an end of the range of the weight. Without rows beside the bucket there is no such bound.
  double many_gini(const int64_t* left, const int64_t* bucket) const {
    const double all = real(node_[kWeight]), before = real(left[kWeight]);
    const double after = all - before - real(bucket[kWeight]);
    if (before <= 0.0 || after <= 0.0) {
      return std::numeric_limits<double>::infinity();
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
      most = std::max(most, cost_.gain(all - sum));
    }
    return most;
  }

  // cost = g(W(left)) + g(W(right)) - sum of g(l) + g(r), g(x) = x log2 x, which is convex: a class
  // is at an end of its range, and the weights are as equal as their range allows.
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
    return cost_.gain(cost);
  }

  // cost = W - max l - max r: one class is the largest on both sides, or one takes all of the
  // bucket to the left and another leaves it on the right.
  double many_misclassification(const int64_t* left, const int64_t* bucket) const {
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
    const int64_t center = cost_.center();
    const auto around = [&](const int64_t* stats) {
      return real(get_sum(stats) - int128(center) * stats[kWeight]);
    };
    const auto words = size_t(cost_.layout().words());
    const double m = real(bucket[kWeight]), s = around(bucket);
    const double a = real(int128(bucket[words]) - center);
    const double h = real(int128(bucket[words + 1]) - center);
    const double before = real(left[kWeight]), sum = around(left);
    double most = 0.0;
    const auto corner = [&](double w, double t) {
      most = std::max(most, cost_.gain_of_number(before + w, sum + t));
    };
    corner(0.0, 0.0);
    corner(m, s);
    if (h > a) {
      const double x = std::clamp((m * h - s) / (h - a), 0.0, m);
      corner(x, a * x);
      corner(m - x, s - a * x);
    }
    return most;
  }

  const NodeCost& cost_;
  const int64_t* node_;
};

}  // namespace treewright
