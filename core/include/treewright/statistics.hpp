// statistics.hpp: the sums over a set of rows, as integers.
//
// One concept for growing, folds and partitions of a table: an array of 64-bit words
// that can be zeroed, added, subtracted and sent as bytes.
//
//     classes:   rows, weight, weight of class 0, of class 1, ...
//     a number:  rows, weight, sum of weight * y (128 bits in two words)
//
// If rows are divided and limits count them, "rows" is the sum of their shares, in units of
// its own (Problem::share_unit).
//
// The step to floating point is real(): the double nearest to the exact integer.
#pragma once

#include <cstdint>
#include <cstring>

#include "treewright/types.hpp"

namespace treewright {

enum Word : int { kRows = 0, kWeight = 1, kFirst = 2 };

inline double real(int64_t x) { return static_cast<double>(x); }
inline double real(int128 x) { return static_cast<double>(x); }

inline int128 get_sum(const int64_t* stats) {
  int128 sum;
  std::memcpy(&sum, stats + kFirst, sizeof sum);
  return sum;
}
inline void set_sum(int64_t* stats, int128 sum) { std::memcpy(stats + kFirst, &sum, sizeof sum); }

// Compares a / b with c / d exactly, for b and d above 0: by whole parts, then by what is left.
inline int compare_ratios(int128 a, int128 b, int128 c, int128 d) {
  const auto floor = [](int128 x, int128 y) { return x / y - (x % y < 0); };
  for (;;) {
    const int128 whole_a = floor(a, b), whole_c = floor(c, d);
    if (whole_a != whole_c) {
      return whole_a < whole_c ? -1 : 1;
    }
    const int128 rest_a = a - whole_a * b, rest_c = c - whole_c * d;
    if (rest_a == 0 || rest_c == 0) {
      return (rest_a > 0) - (rest_c > 0);
    }
    // rest_a / b < rest_c / d exactly if d / rest_c < b / rest_a.
    a = d;
    c = b;
    b = rest_c;
    d = rest_a;
  }
}

class StatLayout {
 public:
  StatLayout(Task task, int n_classes)
      : task_(task), words_(kFirst + (task == Task::classes ? n_classes : 2)) {}

  Task task() const { return task_; }
  int words() const { return words_; }
  int classes() const { return words_ - kFirst; }

  void zero(int64_t* a) const { std::memset(a, 0, sizeof(int64_t) * size_t(words_)); }
  void copy(int64_t* a, const int64_t* b) const {
    std::memcpy(a, b, sizeof(int64_t) * size_t(words_));
  }
  // a = b - c
  void difference(int64_t* a, const int64_t* b, const int64_t* c) const {
    copy(a, b);
    subtract(a, c);
  }
  void add(int64_t* a, const int64_t* b) const { combine<1>(a, b); }
  void subtract(int64_t* a, const int64_t* b) const { combine<-1>(a, b); }

 private:
  template <int sign>
  void combine(int64_t* a, const int64_t* b) const {
    a[kRows] += sign * b[kRows];
    a[kWeight] += sign * b[kWeight];
    if (task_ == Task::number) {
      set_sum(a, get_sum(a) + sign * get_sum(b));
    } else {
      for (int k = kFirst; k < words_; ++k) {
        a[k] += sign * b[k];
      }
    }
  }

  Task task_;
  int words_;
};

}  // namespace treewright
