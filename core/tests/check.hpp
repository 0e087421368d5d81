// check.hpp: what the kernels' own checks share: random tables, a counter, a clock.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "treewright/columns.hpp"
#include "treewright/flat_tree.hpp"

namespace treewright::testing {

// Counts what held and what did not; says where the first few failures were. Keeps a digest of all
// trees, by which machines are compared.
class Tally {
 public:
  void expect(bool held, const std::string& claim);
  void add(const FlatTree& tree);
  // The closing lines; true if nothing failed.
  bool report() const;

 private:
  template <class Number>
  void add(const LargeVector<Number>& numbers);

  int64_t passed_ = 0, failed_ = 0, n_trees_ = 0;
  uint64_t digest_ = 0xcbf29ce484222325;  // FNV-1a
};

class Random {
 public:
  explicit Random(uint64_t seed) : engine_(seed) {}
  int64_t whole(int64_t low, int64_t high);  // both ends included
  double share() { return std::uniform_real_distribution<>(0.0, 1.0)(engine_); }
  double normal() { return std::normal_distribution<>()(engine_); }

 private:
  std::mt19937_64 engine_;
};

// A table of random columns of all kinds: ties, missing values, infinities, outliers,
// float32 and float64, contiguous and strided.
struct RandomTable {
  RandomTable(Random& random, int64_t n_rows, size_t n_columns);

  int64_t n_rows;
  std::vector<std::vector<std::byte>> memory;
  std::vector<ColumnView> views;
};

// Whether two trees are equal to the last bit.
bool same_tree(const FlatTree& a, const FlatTree& b);

void check_team(Tally& tally, Random& random);
void check_sorting(Tally& tally, Random& random);
void check_dividing(Tally& tally, Random& random);
void check_frontier(Tally& tally, Random& random);
void check_search(Tally& tally, Random& random);
void check_sweeps(Tally& tally, Random& random);
void check_growing(Tally& tally, Random& random);
void check_classics(Tally& tally, Random& random);
void check_damage(Tally& tally, Random& random);
void check_parts(Tally& tally, Random& random);
void check_parts_source(Tally& tally, Random& random);
void check_bounds(Tally& tally, Random& random, int64_t n_buckets);  // of each criterion

}  // namespace treewright::testing
