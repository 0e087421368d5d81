// simd.hpp: kernels in the processor's vector instructions (AVX2 on x86-64, NEON on ARM64).
//
// A kernel processes as many entries as it can and records in its state where it stopped. The plain
// loop of the caller, which defines the result, processes the rest. On other processors a kernel
// does nothing; the results are the same. The kernels process eight entries at a time.
// many_class_gini counts eight rows at a time and scores both sides of one cut at once.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "treewright/target.hpp"
#include "treewright/types.hpp"

namespace treewright::simd {

constexpr int kBlock = 8;

// Most cuts are far from the best one, and one bound over a stretch of kStretch rows proves it for
// all of them. Columns of fewer than kManyRows rows do without the bound, and columns of fewer than
// kVeryManyRows without the bound over a long stretch. Skipping stretches was measured as a whole
// (benchmarks/README.md); the four lengths were not measured one by one.
constexpr int kStretch = 4 * kBlock, kManyRows = 8 * kStretch;
constexpr int kLongStretch = 4 * kStretch, kVeryManyRows = 32 * kLongStretch;

// Where a partition stands; see partition.hpp.
struct PartitionState {
  int64_t i = 0, front = 0;
  Entry pending_front = 0, pending_behind = 0;
};
// A numbering of at most this many rows keeps the sides of all rows in two registers (2 x 256
// bits). The array of sides must then have words for all of these rows.
constexpr size_t kRowsInRegisters = 512;
// May write up to kBlock unused entries after the last entry of either side.
void partition(Entry* entries, int64_t end, int shift, std::span<const uint32_t> sides,
               Entry* scratch, PartitionState& state);
// Partitions whole columns without missing rows. Returns false, and does nothing, if it cannot.
bool partition_each(std::span<Entry* const> columns, int64_t n, int shift,
                    std::span<const uint32_t> sides, Entry* scratch);

// f(n) for whole n up to a limit, in ascending and in descending order, so that eight neighbouring
// cuts read f(n_L) and f(n_R) with one load each.
template <class Number>
class BothOrders {
 public:
  // Whether the table is long enough for a node of n rows.
  bool serves(int64_t n) const { return n <= largest_; }
  // f(i), f(i + 1), ...
  const Number* of(int64_t i) const { return ascending_.data() + i; }
  // f(n - i), f(n - i - 1), ...
  const Number* of_rest(int64_t n, int64_t i) const {
    return descending_.data() + (largest_ - n + i);
  }

 protected:
  // The values of 0, 1, ...
  explicit BothOrders(std::vector<Number>&& values)
      : largest_(std::ssize(values) - 1),
        ascending_(std::move(values)),
        descending_(ascending_.rbegin(), ascending_.rend()) {
    ascending_.resize(ascending_.size() + kBlock);
    descending_.resize(descending_.size() + kBlock);
  }

 private:
  int64_t largest_;
  std::vector<Number> ascending_, descending_;  // with one block of padding
};

// 1 / n; 1 / 0 is 0.
class Reciprocals : public BothOrders<float> {
 public:
  explicit Reciprocals(int64_t largest);
};

// n log2 n in fixed point, rounded, modulo 2^32. The number of fraction bits is such that the gain
// of any cut, times the rows of the node, is below 2^30 units: of such a sum nothing is lost.
class NLogN : public BothOrders<uint32_t> {
 public:
  explicit NLogN(int64_t largest);
  double unit() const { return unit_; }

 private:
  explicit NLogN(int64_t largest, int fraction);
  double unit_;  // in bits of information
};

// The gain of a cut with so many rows of class 1 and of class 0 on the left, times n, in units of
// the table; n_ones of the n rows are of class 1.
inline int32_t entropy_score(const NLogN& n_log_n, int64_t n, int64_t n_ones, int64_t ones,
                             int64_t zeros) {
  const auto f = [&](int64_t x) { return *n_log_n.of(x); };
  const auto both_sides = [&](int64_t all, int64_t left) { return f(left) + f(all - left); };
  return static_cast<int32_t>(both_sides(n_ones, ones) + both_sides(n - n_ones, zeros) -
                              both_sides(n, ones + zeros) + f(n) - both_sides(n, n_ones));
}

// The state of a sweep that sums one number per row in 32 bits; see TwoClassGini, TwoClassEntropy
// and CoarseSquaredError in sweep.hpp.
struct SumState {
  int64_t i = 0;      // the next cut is before entry i
  float left = 0.0f;  // rows on the left of the cut; a float is exact below kMostRows
  int32_t sum = 0;    // of the numbers of these rows
  float best = 0.0f;  // best score so far
};
constexpr int64_t kMostRows = int64_t(1) << 24;
// A column to be swept: its entries at the node.
struct SumColumn {
  const Entry* entries;
  SumState state;
};
// The cuts to score: those before entries first to end - 1, in a node of n rows.
struct Cuts {
  int64_t first, end, n;
};
// The kernels continue each column at state.i. They reach the end of the column if this function
// returns true; otherwise (no lanes, or numbers looked up in a table by row) they stop before the
// last incomplete block.
bool takes_whole_columns(const int32_t* table_by_row);

// In a node of fewer rows than this, the sum adds n - t for class 1 and -t for class 0 (which fits
// 32 bits). In a larger node it counts the rows of class 1.
constexpr int64_t kSumsOfRows = int64_t(1) << 16;
void two_class_gini(std::span<SumColumn> columns, const Cuts& cuts, int64_t n_ones,
                    const Reciprocals& over);
// The sum counts the rows of class 1; scores are in units of the table.
void two_class_entropy(std::span<SumColumn> columns, const Cuts& cuts, int64_t n_ones,
                       const NLogN& n_log_n);
// The coarse image of a row's target.
struct Image {
  const int32_t* by_row;  // null: in the entry
  int shift;              // row number = entry >> shift

  int32_t operator()(Entry e) const { return by_row ? by_row[e >> shift] : image_in(e, shift); }
};
// The sum adds image - mean for each row.
void squared_error(std::span<SumColumn> columns, const Cuts& cuts, const Image& image, int32_t mean,
                   float rest, const Reciprocals& over);

// The state of a Gini sweep over many classes; see ManyClassGini in sweep.hpp. Nodes of up to
// kRowsOfTable rows read 1 / n from a table (512 KB at most); larger nodes divide. The limit
// follows from the cache, it was not measured.
constexpr int64_t kMostRowsOfManyClasses = int64_t(1) << 26;
constexpr int64_t kRowsOfTable = int64_t(1) << 16;
struct TwoSides {
  double left, minus_right;
};
struct ManyClassState {
  int64_t i = 0;
  TwoSides rows{};
  struct {
    double left = 0.0, right = 0.0;
  } b;  // half of n^2 - sum of squared counts
  double best = 0.0;
};
struct ManyClassNode {
  Entry label_mask;
  int classes;
  double cost;             // n^2 - sum of squared counts, over n
  const double* one_over;  // table of 1 / n, or null
};
// counts: rows of each class on both sides.
void many_class_gini(const Entry* entries, int64_t end, const ManyClassNode& node, TwoSides* counts,
                     ManyClassState& state);

}  // namespace treewright::simd
