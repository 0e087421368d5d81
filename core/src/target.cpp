#include "treewright/target.hpp"

#include <algorithm>
#include <cmath>

namespace treewright {

Weights make_weights(const double* weights, int64_t n_rows) {
  Weights result;
  result.n_rows = result.rows = result.total = n_rows;
  if (weights == nullptr) {
    return result;
  }
  const double largest = *std::max_element(weights, weights + n_rows);
  int64_t positive = 0, equal = 0;
  for (int64_t row = 0; row < n_rows; ++row) {
    positive += weights[row] > 0.0;
    equal += weights[row] == largest;
  }
  result.rows = result.total = positive;
  if (equal == positive) {
    result.unit = largest;
    if (positive < n_rows) {
      result.present.resize(size_t(n_rows));
      std::transform(weights, weights + n_rows, result.present.begin(),
                     [](double weight) { return weight > 0.0; });
    }
    return result;
  }
  // ilogb + 1 bounds the logarithms from above, so rows * largest * 2^exponent <= 2^52.
  const int exponent = 52 - (std::ilogb(largest) + 1) - (std::ilogb(double(positive)) + 1);
  result.unit = std::ldexp(1.0, -exponent);
  result.unequal.resize(size_t(n_rows));
  result.total = 0;
  for (int64_t row = 0; row < n_rows; ++row) {
    int64_t& units = result.unequal[size_t(row)];
    if (weights[row] > 0.0) {
      units = std::max<int64_t>(1, std::llrint(std::ldexp(weights[row], exponent)));
    }
    result.total += units;
  }
  return result;
}

int64_t units_of_at_least(double weight, int64_t total, double unit) {
  if (weight > static_cast<double>(total) * unit) {
    return total + 1;
  }
  int64_t units = std::llrint(std::floor(weight / unit));
  while (static_cast<double>(units) * unit < weight) {
    ++units;
  }
  return units;
}

double copy_unit(int64_t rows, int64_t total, double unit) {
  const double all = static_cast<double>(total) * unit;
  return unit * std::max(1.0, static_cast<double>(rows) / all);
}

Weights row_by_row(const Weights& weights) {
  Weights result = weights;
  result.present.clear();
  result.unequal.resize(size_t(weights.n_rows));
  for (size_t row = 0; row < result.unequal.size(); ++row) {
    result.unequal[row] = weights.units(row);
  }
  return result;
}

Weights divisible(const Weights& weights) {
  Weights result = row_by_row(weights);
  // The total stays below 2^52.
  const int spare = 52 - (std::ilogb(static_cast<double>(std::max<int64_t>(1, weights.total))) + 1);
  for (int64_t& units : result.unequal) {
    units <<= spare;
  }
  result.total <<= spare;
  result.unit = std::ldexp(result.unit, -spare);
  return result;
}

Quantiser::Quantiser(double minimum, double maximum, bool centre_it)
    : center(centre_it ? minimum / 2 + maximum / 2 : 0.0), centered(centre_it) {
  const double reach = std::max(maximum / 2 - center / 2, center / 2 - minimum / 2);
  if (reach > 0.0) {
    // reach is half of the largest distance from the centre; after scaling it is below 2^60.
    exponent = 59 - std::ilogb(reach);
  }
}

}  // namespace treewright
