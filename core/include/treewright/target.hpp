// target.hpp: the target and the weights as integers.
//
// All sums over rows are sums of integers, so they do not depend on the order of the
// rows, on threads or on how the rows are divided among machines.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "treewright/types.hpp"

namespace treewright {

// A row's weight is units(row) * unit. Where all weights above 0 are equal, each such row
// counts 1 (so a fold given by weights 0 and 1 is as fast as a table). Otherwise unit is a
// power of two, chosen so that the total stays below 2^52; a positive weight too small for
// that counts 1.
struct Weights {
  int64_t n_rows = 0;  // of the table
  int64_t rows = 0;    // of positive weight
  int64_t total = 0;   // in units
  double unit = 1.0;
  std::vector<int64_t> unequal;  // empty: all positive weights are equal
  std::vector<uint8_t> present;  // empty: all rows, or unequal tells

  bool equal() const { return unequal.empty(); }
  int64_t units(size_t row) const {
    if (!unequal.empty()) {
      return unequal[row];
    }
    return present.empty() ? 1 : present[row];
  }
};
Weights make_weights(const double* weights, int64_t n_rows);
// The same weights, each row with a number of its own.
Weights row_by_row(const Weights& weights);
// The same weights in units so small that a row can be divided.
Weights divisible(const Weights& weights);

// The integer image of a number y within one node: round((y - center) * 2^exponent).
// The range of the node fills 62 bits, so the image keeps every digit that matters there.
// Counts are not centred; a count above 0 stays above 0.
struct Quantiser {
  double center = 0.0;
  int exponent = 0;
  bool centered = true;

  Quantiser() = default;
  Quantiser(double minimum, double maximum, bool centre_it);
  int64_t operator()(double y) const { return images()(y); }
  // The same for many y. 2^exponent may be too large for a double, its two factors never are.
  struct Images {
    double half_of_center, first, second;
    bool centered;
    int64_t operator()(double y) const {
      const auto units =
          static_cast<int64_t>(std::llrint((y / 2 - half_of_center) * first * second));
      return centered || y <= 0.0 ? units : std::max<int64_t>(1, units);
    }
  };
  Images images() const {
    const int half = (exponent + 1) / 2;
    return {center / 2, std::ldexp(1.0, half), std::ldexp(1.0, exponent + 1 - half), centered};
  }
  // From units (squared units for power 2) to real numbers.
  double real(double units, int power) const { return std::ldexp(units, -exponent * power); }
};

// A node whose range is shorter than this many units is measured on a scale of its own.
constexpr int64_t kShortRange = int64_t(1) << 48;

// A coarse image of a node's target for a sweep in 32 bits: floor((y - lowest y) / 2^shift) of
// the quantiser's units, the finest that is safe. The image itself fits 31 bits, and so do
// sums of its distances from the mean: over any rows of a node they are at most half of
// n times the standard deviation, and that is kept below 2^30.
struct CoarseImage {
  int shift = -1;         // -1: there is none
  bool in_entry = false;  // or in a table by row
  bool rough = false;     // to be made finer before a split is chosen
  int64_t sum = 0;        // of the image
  int32_t mean = 0;       // of the image, rounded down
  float rest = 0;         // what rounding down has lost

  CoarseImage() = default;
  void set_sum(int64_t the_sum, int64_t n_rows) {
    sum = the_sum;
    mean = static_cast<int32_t>(sum / n_rows);
    rest = static_cast<float>(static_cast<double>(sum % n_rows) / static_cast<double>(n_rows));
  }
  CoarseImage(int64_t range, int64_t n_rows, double deviation)
      : shift(std::max({0, std::ilogb(static_cast<double>(range)) - 29,
                        std::ilogb(static_cast<double>(n_rows) * deviation) - 30})) {}
};

// A second image lies in the entries, in the bits that the row number leaves, and is read
// without looking up. It is made for all rows of a numbering, so it is rough for a node of a
// small range; below so many units of it to a deviation the node makes do without.
constexpr double kFewestUnits = 128;
constexpr int kFewestImageBits = 10, kMostImageBits = 20;
inline int32_t image_in(Entry e, int shift) {
  return static_cast<int32_t>((e & ((Entry(1) << shift) - 1)) >> 1);
}
// Beside so few row numbers the image is fine enough to choose a split by. Otherwise the columns
// that may be the best by it are searched again with the node's own image. (They must be: before it
// is split, a node may move to a smaller numbering, whose entries hold another image.)
constexpr int64_t kFewRowNumbers = 512;

struct Target {
  Task task = Task::classes;
  int32_t n_classes = 0;
  const int32_t* labels = nullptr;  // class of each row
  const double* values = nullptr;   // number of each row
};

}  // namespace treewright
