// No cut inside a bucket gains more than its bound (bucket_bound.hpp), and bounds are close enough
// that one which is 0.1 % too low is exceeded.
//
// A bucket is some rows in some order; every place between two of them is a cut. What lies before
// and behind it is known by its sums only, so it is drawn as sums.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>

#include "bucket_search.hpp"
#include "check.hpp"
#include "treewright/bucket_bound.hpp"

namespace treewright::testing {
namespace {

constexpr int kMostClasses = 20;
constexpr int64_t kMostTarget = int64_t(1) << 62;

struct Row {
  int64_t weight = 1, y = 0;  // y: the class, or the target in units
};

// From 1 up to `most`, any number of digits equally likely.
int64_t any_size(Random& random, double most) {
  return int64_t(std::exp(random.share() * std::log(most)));
}

// Blocks of statistics; of a number, the least and the greatest target follow.
class Block {
 public:
  explicit Block(const StatLayout& layout) : layout_(layout) {
    words_[size_t(layout.words())] = kMostTarget;
    words_[size_t(layout.words()) + 1] = -kMostTarget;
  }
  void add(const Row& row) {
    ++words_[kRows];
    words_[kWeight] += row.weight;
    if (layout_.task() == Task::number) {
      set_sum(data(), get_sum(data()) + int128(row.weight) * row.y);
      int64_t* range = data() + layout_.words();
      range[0] = std::min(range[0], row.y);
      range[1] = std::max(range[1], row.y);
    } else {
      words_[size_t(kFirst + row.y)] += row.weight;
    }
  }
  int64_t* data() { return words_.data(); }

 private:
  StatLayout layout_;
  std::array<int64_t, kFirst + kMostClasses + 2> words_{};
};

// What buckets of a criterion showed.
struct Shown {
  int64_t exceeded = 0;        // cuts above the bound
  int64_t close = 0;           // cuts above a bound that is 0.1 % lower
  int64_t quick_is_close = 0;  // the same for the bound that is tried first
};

class RandomBucket {
 public:
  RandomBucket(Random& random, Criterion criterion)
      : random_(random),
        criterion_(criterion),
        number_(criterion == Criterion::squared_error || criterion == Criterion::poisson),
        nearly_pure_(random.share() < 0.2),
        n_classes_(number_ ? 0 : int(random.whole(2, kMostClasses))) {
    const double weights = random.share() < 0.5 ? 1.0 : 1e6;
    const double outside = nearly_pure_ ? 1e9 : random.share() < 0.3 ? 1.0 : 1e3;
    draw_targets();
    for (std::vector<Row>* rows : {&before_, &inside_, &after_}) {
      const int64_t n = random.whole(rows == &inside_ ? 2 : 0, 24);
      for (int64_t i = 0; i < n; ++i) {
        const double heavy = rows == &inside_ ? weights : weights * outside;
        rows->push_back({any_size(random, heavy), rows == &inside_ ? inner_y() : outer_y()});
      }
    }
    if (random.share() < 0.5) {  // class by class: the corners themselves
      std::stable_sort(inside_.begin(), inside_.end(),
                       [](const Row& a, const Row& b) { return a.y < b.y; });
    }
  }

  void check(Shown& shown) const {
    const StatLayout layout(number_ ? Task::number : Task::classes, n_classes_);
    Block left(layout), bucket(layout), node(layout);
    for (const std::vector<Row>* rows : {&before_, &inside_, &after_}) {
      for (const Row& row : *rows) {
        node.add(row);
        if (rows == &before_) {
          left.add(row);
        } else if (rows == &inside_) {
          bucket.add(row);
        }
      }
    }
    if (number_ && (get_sum(node.data()) <= 0 && criterion_ == Criterion::poisson)) {
      return;  // such a node is never searched
    }
    const NodeCost cost(criterion_, layout, node.data(), impurity_of_number(node));
    if (cost.impurity() <= 0.0) {
      return;
    }
    const BucketBound bound_of(cost, node.data());
    const double never = -1.0, always = std::numeric_limits<double>::infinity();
    const double close = bound_of(left.data(), bucket.data(), never);
    const double quick = bound_of(left.data(), bucket.data(), always);
    shown.exceeded += close > quick;
    const double slack = parts::kRounding * cost.impurity();
    Block right(layout);
    for (size_t i = 0; i + 1 < inside_.size(); ++i) {
      left.add(inside_[i]);
      layout.difference(right.data(), node.data(), left.data());
      if (criterion_ == Criterion::poisson &&
          std::min(get_sum(left.data()), get_sum(right.data())) <= 0) {
        continue;
      }
      const double gain = cost.gain(left.data(), right.data());
      shown.exceeded += gain > close + slack;
      shown.close += gain > close * 0.999 + slack;
      shown.quick_is_close += gain > quick * 0.999 + slack;
    }
  }

 private:
  // Targets of a bucket lie in a range that is part of the whole, often a narrow one far out.
  void draw_targets() {
    const double most = std::exp2(double(random_.whole(48, 61)));  // as in a node: kShortRange
    const double narrow = std::exp2(-double(random_.whole(0, 40)));
    low_ = criterion_ == Criterion::poisson ? 0 : int64_t(-most);
    high_ = int64_t(most);
    const double width = most * narrow;
    const double from = double(low_) + random_.share() * (double(high_) - width - double(low_));
    inner_low_ = std::max(low_, int64_t(from));
    inner_high_ = std::min(high_, inner_low_ + int64_t(width));
  }
  int64_t inner_y() {
    if (!number_) {
      return random_.whole(0, n_classes_ - 1);
    }
    const double where = random_.share();  // often at an end, where the corners are
    return where < 0.3   ? inner_low_
           : where < 0.6 ? inner_high_
                         : random_.whole(inner_low_, inner_high_);
  }
  int64_t outer_y() {
    if (number_) {
      return random_.whole(low_, high_);
    }
    return nearly_pure_ ? 0 : random_.whole(0, n_classes_ - 1);
  }
  double impurity_of_number(Block& node) const {
    if (!number_) {
      return 0.0;
    }
    const double weight = real(node.data()[kWeight]);
    const double mean = real(get_sum(node.data())) / weight;
    double sum = 0.0;
    for (const std::vector<Row>* rows : {&before_, &inside_, &after_}) {
      for (const Row& row : *rows) {
        const double from_mean = real(row.y) - mean;
        sum += real(row.weight) * (criterion_ == Criterion::poisson
                                       ? mean * poisson_term(from_mean / mean)
                                       : from_mean * from_mean);
      }
    }
    return sum / weight;
  }

  Random& random_;
  Criterion criterion_;
  bool number_, nearly_pure_;
  int n_classes_;
  int64_t low_ = 0, high_ = 0, inner_low_ = 0, inner_high_ = 0;
  std::vector<Row> before_, inside_, after_;
};

}  // namespace

void check_bounds(Tally& tally, Random& random, int64_t n_buckets) {
  for (const auto& [criterion, name] :
       {std::pair(Criterion::gini, "gini"), std::pair(Criterion::entropy, "entropy"),
        std::pair(Criterion::misclassification, "misclassification"),
        std::pair(Criterion::squared_error, "squared error"),
        std::pair(Criterion::poisson, "poisson")}) {
    Shown shown;
    for (int64_t i = 0; i < n_buckets; ++i) {
      RandomBucket(random, criterion).check(shown);
    }
    tally.expect(shown.exceeded == 0, std::string("no cut exceeds the bound of its bucket: ") +
                                          name + ", exceeded " + std::to_string(shown.exceeded));
    tally.expect(shown.close > 0 && shown.quick_is_close > 0,
                 std::string("a bound 0.1 % lower is exceeded: ") + name);
  }
}

}  // namespace treewright::testing
