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

// The weight of a row is units(row) * unit. If all positive weights are equal, each such row counts
// 1 unit (so a fold, given by weights 0 and 1, is as fast as a table without weights). Otherwise
// unit is a power of two, chosen so that the total stays below 2^52; a positive weight that is too
// small for this unit counts 1.
struct Weights {
  int64_t n_rows = 0;  // of the table
  int64_t rows = 0;    // of positive weight
  int64_t total = 0;   // in units
  double unit = 1.0;
  std::vector<int64_t> unequal;  // empty: all positive weights are equal
  std::vector<uint8_t> present;  // empty: all rows, or see `unequal`

  bool equal() const { return unequal.empty(); }
  int64_t units(size_t row) const {
    if (!unequal.empty()) {
      return unequal[row];
    }
    return present.empty() ? 1 : present[row];
  }
};
Weights make_weights(const double* weights, int64_t n_rows);
// The same weights, listed row by row in `unequal`.
Weights row_by_row(const Weights& weights);
// The same weights in the smallest possible units, so that a row can be divided into parts.
Weights divisible(const Weights& weights);

// The fewest units that weigh at least so much; no branch has more than the total.
int64_t units_of_at_least(double weight, int64_t total, double unit);
// The weight that counts as 1, in units: weights count as copies of a row; if they are below 1 on
// average, a row counts 1.
double copy_unit(int64_t rows, int64_t total, double unit);

// The integer image of a number y within one node: round((y - center) * 2^exponent).
// The range of the node fills 62 bits, so the image keeps every significant digit. Counts
// (Poisson) are not centred, and a count above 0 stays above 0.
struct Quantiser {
  double center = 0.0;
  int exponent = 0;
  bool centered = true;

  Quantiser() = default;
  Quantiser(double minimum, double maximum, bool centre_it);
  int64_t operator()(double y) const { return images()(y); }
  // The same for many y. 2^exponent may overflow a double; its two factors never do.
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

// A node whose range is shorter than this many units gets a quantiser of its own, so that at least
// 48 of the 62 bits are always in use. The limit is a choice of precision, not of speed.
constexpr int64_t kShortRange = int64_t(1) << 48;

// A coarse image of the target of a node, for a sweep in 32 bits: floor((y - lowest y) / 2^shift),
// y in units of the quantiser. `shift` is the smallest one that cannot overflow: the image fits 31
// bits, and so does any sum of its distances from the mean (over any rows of the node, such a sum
// is at most half of n times the standard deviation, which is kept below 2^30).
struct CoarseImage {
  int shift = -1;         // -1: no image
  bool in_entry = false;  // otherwise in a table by row
  bool rough = false;     // must be refined before a split is chosen
  int64_t sum = 0;        // of the image
  int32_t mean = 0;       // of the image, rounded down
  float rest = 0;         // the fraction that rounding down removed

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

// A second image lies in the entries, in the bits that the row number leaves free, so reading it
// needs no look-up. It is made for all rows of a numbering, so it is rough for a node with a small
// range. A node whose standard deviation is less than kFewestUnits units of this image uses the
// table by row instead. Numberings that leave fewer than kFewestImageBits bits have no such image.
// The image in the entries was measured as a whole (benchmarks/README.md), these limits were not.
constexpr double kFewestUnits = 128;
constexpr int kFewestImageBits = 10, kMostImageBits = 20;
inline int32_t image_in(Entry e, int shift) {
  return static_cast<int32_t>((e & ((Entry(1) << shift) - 1)) >> 1);
}
// A numbering of at most this many rows leaves enough bits for an image that can decide between
// splits. In larger numberings, the columns that may be the best by the rough image are searched
// again with the image of the node itself. (This must be done at once: a node may move to a smaller
// numbering before it is split, and the entries there hold another image.)
constexpr int64_t kFewRowNumbers = 512;

struct Target {
  Task task = Task::classes;
  int32_t n_classes = 0;
  const int32_t* labels = nullptr;  // class of each row
  const double* values = nullptr;   // number of each row
};

}  // namespace treewright
