// rows.hpp: what a sweep adds up for one entry. One small type per kind of target.
//
// add() takes one entry, or a run of them where there is a shorter way than one by one.
#pragma once

#include <cstdint>

#include "treewright/statistics.hpp"
#include "treewright/types.hpp"

namespace treewright {

// Classes, every row of weight one: the class lies in the entry, nothing is gathered.
struct CountedRows {
  static constexpr Task kTask = Task::classes;
  static constexpr bool kUnitWeights = true;
  int shift = 1;  // row number = entry >> shift
  Entry mask = 0;

  uint32_t row(Entry e) const { return e >> shift; }
  uint32_t label(Entry e) const { return (e >> 1) & mask; }
  void add(int64_t* stats, Entry e) const {
    ++stats[kRows];
    ++stats[kWeight];
    ++stats[kFirst + label(e)];
  }
  void add(int64_t* stats, const Entry* begin, const Entry* end) const {
    stats[kRows] += end - begin;
    stats[kWeight] += end - begin;
    if (mask == 1) {
      int64_t ones = 0;
      for (const Entry* e = begin; e != end; ++e) {
        ones += label(*e);
      }
      stats[kFirst] += end - begin - ones;
      stats[kFirst + 1] += ones;
      return;
    }
    for (const Entry* e = begin; e != end; ++e) {
      ++stats[kFirst + label(*e)];
    }
  }
};

// Classes with weights (or with too many classes to fit into the entry).
struct WeightedRows {
  static constexpr Task kTask = Task::classes;
  static constexpr bool kUnitWeights = false;
  static constexpr int shift = 1;
  const int32_t* labels = nullptr;
  const int64_t* weights = nullptr;
  const int64_t* shares = nullptr;  // what a row counts where rows are divided; null: 1

  uint32_t row(Entry e) const { return e >> shift; }
  void add(int64_t* stats, Entry e) const {
    const int64_t weight = weights[row(e)];
    stats[kRows] += shares ? shares[row(e)] : 1;
    stats[kWeight] += weight;
    stats[kFirst + labels[row(e)]] += weight;
  }
};

// Numbers; y are the integer images of the node's quantiser. A coarse image of y may lie in the
// entry, in the bits that the row number leaves (see target.hpp).
struct NumberRows {
  static constexpr Task kTask = Task::number;
  static constexpr bool kUnitWeights = true;
  int shift = 1;
  const int64_t* y = nullptr;

  uint32_t row(Entry e) const { return e >> shift; }
  void add(int64_t* stats, Entry e) const {
    ++stats[kRows];
    ++stats[kWeight];
    set_sum(stats, get_sum(stats) + y[row(e)]);
  }
  void add(int64_t* stats, const Entry* begin, const Entry* end) const {
    stats[kRows] += end - begin;
    stats[kWeight] += end - begin;
    int128 sum = 0;
    for (const Entry* e = begin; e != end; ++e) {
      sum += y[row(*e)];
    }
    set_sum(stats, get_sum(stats) + sum);
  }
};

struct WeightedNumberRows {
  static constexpr Task kTask = Task::number;
  static constexpr bool kUnitWeights = false;
  static constexpr int shift = 1;
  const int64_t* y = nullptr;
  const int64_t* weights = nullptr;
  const int64_t* shares = nullptr;

  uint32_t row(Entry e) const { return e >> shift; }
  void add(int64_t* stats, Entry e) const {
    const int64_t weight = weights[row(e)];
    stats[kRows] += shares ? shares[row(e)] : 1;
    stats[kWeight] += weight;
    set_sum(stats, get_sum(stats) + int128(weight) * y[row(e)]);
  }
};

}  // namespace treewright
