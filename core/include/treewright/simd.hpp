// simd.hpp: kernels in the processor's vector instructions (x86-64).
//
// Each goes as far as it can and says in its state how far it came; the plain loop of the
// caller, which says what is meant, does the rest. On other processors it does nothing. The
// results are the same either way. They take eight entries at a time (AVX2, if the processor has
// it); many_class_gini counts eight and takes both sides of one cut at once (SSE2).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "treewright/target.hpp"
#include "treewright/types.hpp"

namespace treewright::simd {

constexpr int kBlock = 8;

// So many rows are first looked at as one: most cuts are far from the best, and a bound over a
// stretch shows it. It is not worked out for fewer than kManyRows, nor for a long stretch among
// fewer than kVeryManyRows.
constexpr int kStretch = 4 * kBlock, kManyRows = 8 * kStretch;
constexpr int kLongStretch = 4 * kStretch, kVeryManyRows = 32 * kLongStretch;

// Where a partition stands; see partition.hpp.
struct PartitionState {
  int64_t i = 0, front = 0;
  Entry pending_front = 0, pending_behind = 0;
};
// The sides of so few rows are looked up in registers; there must be words for all of them.
constexpr size_t kRowsInRegisters = 512;
// May write up to kBlock entries behind the last one kept on either side.
void partition(Entry* entries, int64_t end, int shift, std::span<const uint64_t> sides,
               Entry* scratch, PartitionState& state);
// All of several columns without missing rows; says whether it did.
bool partition_each(std::span<Entry* const> columns, int64_t n, int shift,
                    std::span<const uint64_t> sides, Entry* scratch);

// 1 / n for whole n up to a limit, and again in descending order, so that both sides of eight
// cuts in a row are read in one piece each.
class Reciprocals {
 public:
  explicit Reciprocals(int64_t largest);
  // Whether a node of n rows can be served.
  bool serves(int64_t n) const { return n <= largest_; }
  // 1 / i, 1 / (i + 1), ...
  const float* of(int64_t i) const { return ascending_.data() + i; }
  // 1 / (n - i), 1 / (n - i - 1), ...
  const float* of_rest(int64_t n, int64_t i) const {
    return descending_.data() + (largest_ - n + i);
  }

 private:
  int64_t largest_;
  std::vector<float> ascending_, descending_;  // 1 / 0 is 0; a block more than that
};

// Where a sweep that sums one number per row in 32 bits stands; see TwoClassGini and
// CoarseSquaredError in sweep.hpp.
struct SumState {
  int64_t i = 0;      // the next cut is before entry i
  float left = 0.0f;  // rows on the left of it: a whole number, so below kMostRows
  int32_t sum = 0;    // over them
  float best = 0.0f;  // best score so far
};
constexpr int64_t kMostRows = int64_t(1) << 24;
// A column to be swept: its entries at the node.
struct SumColumn {
  const Entry* entries;
  SumState state;
};
// The cuts to look at are those before entries first to end - 1, of a node of n rows.
struct Cuts {
  int64_t first, end, n;
};
// Both kernels take each column from where its state is, to the end if this says so. A table by row
// is looked up in only while a whole block ends before it.
bool takes_whole_columns(const int32_t* table_by_row);

// The sum is of n - t (class 1) and -t (class 0) for a node of fewer rows than this, and of the
// classes otherwise.
constexpr int64_t kSumsOfRows = int64_t(1) << 16;
void two_class_gini(std::span<SumColumn> columns, const Cuts& cuts, int64_t n_ones,
                    const Reciprocals& over);
// The coarse image of a row's target.
struct Image {
  const int32_t* by_row;  // null: in the entry
  int shift;              // row number = entry >> shift

  int32_t operator()(Entry e) const { return by_row ? by_row[e >> shift] : image_in(e, shift); }
};
// The sum is of image - mean.
void squared_error(std::span<SumColumn> columns, const Cuts& cuts, const Image& image, int32_t mean,
                   float rest, const Reciprocals& over);

// Where a Gini sweep over many classes stands; see ManyClassGini in sweep.hpp.
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
// counts: rows of each class.
void many_class_gini(const Entry* entries, int64_t end, const ManyClassNode& node, TwoSides* counts,
                     ManyClassState& state);

}  // namespace treewright::simd
