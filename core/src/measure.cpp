#include "measure.hpp"

#include <algorithm>
#include <cmath>

#include "absolute_search.hpp"

namespace treewright {
namespace {

// Measures a node of a regression tree.
template <class Rows>
class NumberMeasure {
 public:
  explicit NumberMeasure(const NodeView<Rows>& view)
      : view_(view),
        numbering_(view.numbering),
        number_(view.node.record.number),
        stats_(view.node.stats.data()),
        order_(view.target_order()),
        n_(view.n_rows()) {}

  void run() {
    const double minimum = value(0), maximum = view_.problem.target.values[row(n_ - 1)];
    const bool centered = view_.problem.options.criterion != Criterion::poisson;
    const Quantiser before = number_.scale;
    set_scale_of(number_, minimum, maximum, centered);
    if (before.exponent != number_.scale.exponent || before.center != number_.scale.center) {
      set_images();
    }
    if (minimum == maximum) {
      set_constant(number_, minimum);
      view_.node.record.impurity = 0.0;
      return;
    }
    set_squares();
    set_quartiles();
    set_impurity();
  }

 private:
  int64_t row(int64_t i) const { return numbering_.row(order_[i]); }
  // Never -0.0.
  double value(int64_t i) const { return view_.problem.target.values[row(i)] + 0.0; }
  int64_t y(int64_t i) const { return numbering_.y[numbering_.rows.row(order_[i])]; }
  int64_t weight_of(int64_t i) const { return numbering_.weight(order_[i]); }
  double weight() const { return real(stats_[kWeight]); }

  void set_impurity() {
    NodeRecord& record = view_.node.record;
    switch (view_.problem.options.criterion) {
      case Criterion::poisson:
        record.impurity = poisson_units();
        break;
      case Criterion::absolute_error:
        record.impurity = set_ranks(view_) / weight();
        number_.mean = number_.quartiles[1];  // the prediction of such a node
        break;
      default:
        record.impurity = number_.variance;
    }
  }

  // Sets the images of all targets on the node's scale.
  void set_images() {
    const Problem& problem = view_.problem;
    const Quantiser::Images images = number_.scale.images();
    // The rows of a whole table are read in row order: random access takes far longer.
    const bool whole = numbering_.global == nullptr && n_ == problem.weights.n_rows;
    int128 sum = 0;
    for (int64_t i = 0; i < n_; ++i) {
      const Entry e = whole ? static_cast<Entry>(i) << numbering_.rows.shift : order_[i];
      int64_t& y = numbering_.y[numbering_.rows.row(e)];
      y = images(problem.target.values[numbering_.row(e)]);
      sum += int128(numbering_.weight(e)) * y;
    }
    set_sum(stats_, sum);
  }

  void set_squares() {
    const int64_t center = NodeCost::floor_mean(get_sum(stats_), stats_[kWeight]);
    uint128 low = 0, high = 0;
    for (int64_t i = 0; i < n_; ++i) {
      const int64_t deviation = y(i) - center;
      const uint128 square = uint128(int128(deviation) * deviation);
      const auto weight = static_cast<uint64_t>(weight_of(i));
      low += uint128(weight) * uint64_t(square);
      high += uint128(weight) * uint64_t(square >> 64);
    }
    set_moments(number_, stats_, low, high);
  }

  double poisson_units() const {
    PoissonSum sum(stats_);
    for (int64_t i = 0; i < n_;) {
      const int64_t value = y(i);
      int64_t run = 0;
      do {
        run += weight_of(i++);
      } while (i < n_ && !(order_[i] & kDiffers));
      sum.add(value, run);
    }
    return sum.impurity();
  }

  // The smallest value whose cumulative weight reaches a quarter, half, three quarters; the mean of
  // two neighbours if it is reached exactly.
  void set_quartiles() {
    // Parts of divided rows are rounded, so nearly half counts as half.
    const auto slack = static_cast<int128>(view_.problem.divides_rows() ? 4e-9 * weight() : 0.0);
    int64_t below = 0, i = 0;  // weight of the rows before i
    for (int q = 1; q <= 3; ++q) {
      const int128 goal = int128(q) * stats_[kWeight];
      if constexpr (Rows::kUnitWeights) {
        i = std::max<int64_t>(0, static_cast<int64_t>((goal + 3) / 4) - 1);
        below = i;
      } else {
        while (4 * int128(below + weight_of(i)) < goal - slack) {
          below += weight_of(i++);
        }
      }
      const bool exact = 4 * int128(below + weight_of(i)) <= goal + slack;
      number_.quartiles[size_t(q - 1)] =
          exact && i + 1 < n_ ? value(i) / 2 + value(i + 1) / 2 : value(i);
    }
  }

  const NodeView<Rows>& view_;
  RowNumbering<Rows>& numbering_;
  NumberPart& number_;
  int64_t* stats_;
  const Entry* order_;
  int64_t n_;
};

}  // namespace

template <class Rows>
void measure(const NodeView<Rows>& view) {
  NodeRecord& record = view.node.record;
  record.n_rows = view.n_rows();
  if constexpr (NodeView<Rows>::kNumber) {
    NumberMeasure<Rows>(view).run();
    const Entry* order = view.target_order();
    record.pure =
        std::none_of(order + 1, order + view.n_rows(), [](Entry e) { return e & kDiffers; });
  } else {
    const int64_t* stats = view.stats();
    record.impurity = view.cost().impurity();
    record.pure = std::any_of(stats + kFirst, stats + view.problem.layout.words(),
                              [&](int64_t weight) { return weight == stats[kWeight]; });
  }
}

CoarseImage coarse_image(const NodeView<NumberRows>& view, bool rough_will_do) {
  RowNumbering<NumberRows>& numbering = view.numbering;
  const int64_t n = view.n_rows();
  CoarseImage coarse;
  if (view.problem.options.criterion != Criterion::squared_error || n >= simd::kMostRows) {
    return coarse;
  }
  const Entry* order = view.target_order();
  const double deviation = std::sqrt(view.node.record.impurity);
  const bool rough = numbering.n_numbers() > size_t(kFewRowNumbers);
  int64_t sum = 0;
  if (numbering.image_shift >= 0 && (!rough || rough_will_do) &&
      deviation >= std::ldexp(kFewestUnits, numbering.image_shift) &&
      view.node.record.number.scale.exponent == numbering.image_exponent) {
    coarse.shift = numbering.image_shift;
    coarse.in_entry = true;
    coarse.rough = rough;
    for (int64_t i = 0; i < n; ++i) {
      sum += image_in(order[i], numbering.rows.shift);
    }
  } else {
    const int64_t lowest = numbering.y[numbering.rows.row(order[0])];
    const int64_t range = numbering.y[numbering.rows.row(order[n - 1])] - lowest;
    coarse = CoarseImage(range, n, deviation);
    for (int64_t i = 0; i < n; ++i) {
      const uint32_t row = numbering.rows.row(order[i]);
      numbering.coarse[row] = static_cast<int32_t>((numbering.y[row] - lowest) >> coarse.shift);
      sum += numbering.coarse[row];
    }
  }
  coarse.set_sum(sum, n);
  return coarse;
}

#define X(Rows) template void measure(const NodeView<Rows>&);
TREEWRIGHT_FOR_ALL_ROWS(X)
#undef X

}  // namespace treewright
