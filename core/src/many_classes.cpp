// The Gini sweep over many classes: cut by cut, and a stretch of rows at a time.
#include "simd_lanes.hpp"
#include "treewright/simd.hpp"

#ifdef TREEWRIGHT_LANES
#include <algorithm>
#include <cstring>
#include <limits>
#endif

namespace treewright::simd {

#ifdef TREEWRIGHT_LANES
namespace {

// ---- cut by cut ----

// Both sides of the cut share a register of two doubles: the left side in the first, the negated
// right side in the second. Moving a row to the left then adds (1, 1) to the rows and to its class.
using Two [[gnu::vector_size(16)]] = double;

inline Two load_two(const TwoSides& sides) {
  Two x;
  std::memcpy(&x, &sides, sizeof(x));
  return x;
}
// One store, because it will be read by one load.
inline void store_two(TwoSides& sides, Two x) { std::memcpy(&sides, &x, sizeof(x)); }

// over(rows) gives 1 / left and 1 / right of the next cut, both positive.
template <class Over>
[[gnu::always_inline]] inline void each_cut(const Entry* entries, int64_t end,
                                            const ManyClassNode& node, TwoSides* counts,
                                            const Over& over, ManyClassState& state) {
  const Two ones{1.0, 1.0};
  const double penalty[2] = {-std::numeric_limits<double>::infinity(), 0.0};
  Two rows = load_two(state.rows);
  Two b{state.b.left, state.b.right};
  double best = state.best;
  for (int64_t i = state.i; i < end; ++i) {
    const Entry e = entries[i];
    const Two costs = b * over(rows);
    const double score = penalty[e & kDiffers] - costs[0] - costs[1];
    best = best > score ? best : score;
    TwoSides& count = counts[(e >> 1) & node.label_mask];
    const Two before = load_two(count);
    b += rows - before;
    store_two(count, before + ones);
    rows += ones;
  }
  state.i = end;
  store_two(state.rows, rows);
  state.b = {b[0], b[1]};
  state.best = best;
}

[[gnu::always_inline]] inline void each_cut(const Entry* entries, int64_t end,
                                            const ManyClassNode& node, TwoSides* counts,
                                            ManyClassState& state) {
  if (node.one_over == nullptr) {
    const Two ones{1.0, -1.0};
    each_cut(entries, end, node, counts, [&](Two rows) { return ones / rows; }, state);
    return;
  }
  const double* over_left = node.one_over + static_cast<int64_t>(state.rows.left);
  const double* over_right = node.one_over - static_cast<int64_t>(state.rows.minus_right);
  each_cut(
      entries, end, node, counts, [&](Two) { return Two{*over_left++, *over_right--}; }, state);
}

// ---- a stretch of rows at a time ----
//
// Most cuts are far from the best one. With D_k = l_k - m t_k, where m rows are on the left, l_k of
// them of class k, and t_k is the share of the class in the node, the gain of a cut, times n, is
// |D|^2 (1 / m + 1 / (n - m)). Along a stretch both l_k and m only grow, so D_k lies between
// (l_k before - t_k m after) and (l_k after - t_k m before), which bounds |D|. A stretch is
// searched cut by cut only if this bound allows a better cut than the best so far. In all other
// stretches the classes are just counted, eight rows at a time.

constexpr int kBits = 6;  // for the rows of a class in a stretch
static_assert(kStretch < 1 << kBits);
constexpr int kClassesInWord = 64 / kBits;
constexpr int kVectorsOfWord = 3;  // of four doubles

// Rows of each class on the left. Whole numbers of doubles are added as integers: with 2^52
// added, a double's last bits are the number itself.
template <int kWords>
class LeftCounts {
 public:
  TREEWRIGHT_TARGET LeftCounts(const TwoSides* counts, int classes, double n) {
    for (int v = 0; v < kVectors; ++v) {
      double left[4], everywhere[4];
      for (int k = 0; k < 4; ++k) {
        const int label = label_of(v) + k;
        const bool there = k < n_of(v) && label < classes;
        left[k] = there ? counts[label].left : 0.0;
        everywhere[k] = there ? counts[label].left - counts[label].minus_right : 0.0;
      }
      left_[v] = as<Longs>(load(left) + two_to_52());
      share_[v] = load(everywhere) * all(1.0 / n);
    }
  }

  // The rows of each class among the next kStretch.
  struct Counted {
    Longs words[kWords];  // each with kBits for a class, in every lane
  };
  TREEWRIGHT_TARGET static Counted count(const Entry* entries, Entry label_mask) {
    const Words twice_label = as<Words>(all(static_cast<int32_t>(label_mask << 1)));
    Counted sum;
    for (Longs& word : sum.words) {
      word = all(int64_t(0));
    }
    for (int i = 0; i < kStretch; i += kBlock) {
      const Words two = load(entries + i) & twice_label;
      const Words six = two + two + two;
      const Longs even = even_words(six), odd = odd_words(six);
      for (int w = 0; w < kWords; ++w) {
        // A class of an earlier or a later word is shifted out, except the next class: it
        // is counted in the last four bits, which nothing reads.
        const Longs first = all(int64_t{w} * kClassesInWord * kBits);
        const Longs both = sum_of_bits(bits_at(even - first), bits_at(odd - first));
        sum.words[w] = sum_of_bits(sum.words[w], both);
      }
    }
    for (int w = 0; w < kWords; ++w) {
      sum.words[w] = sum_everywhere(sum.words[w]);
    }
    return sum;
  }
  // Adds them; returns no less than |D|^2 at any cut among them, with m rows on the left before.
  TREEWRIGHT_TARGET double add(const Counted& counted, double m) {
    const Doubles rows = all(m), rows_after = all(m + kStretch);
    Doubles total = all(0.0);
    for (int v = 0; v < kVectors; ++v) {
      const Doubles least = number(left_[v]) - rows_after * share_[v];
      left_[v] = left_[v] + unpack(counted, v);
      const Doubles most = number(left_[v]) - rows * share_[v];
      total = total + larger(least * least, most * most);
    }
    // The numbers are below 2^26, so the error of D is below 2^-25; the sum is at least 8.
    return sum(total) * (1 + 1e-6);
  }
  // As it was before `counted` was added.
  TREEWRIGHT_TARGET LeftCounts before(const Counted& counted) const {
    LeftCounts result = *this;
    for (int v = 0; v < kVectors; ++v) {
      result.left_[v] = left_[v] - unpack(counted, v);
    }
    return result;
  }
  // Writes the state of the sweep.
  TREEWRIGHT_TARGET void write(TwoSides* counts, int classes, ManyClassState& state) const {
    double b_left = 0.0, b_right = 0.0;
    for (int v = 0; v < kVectors; ++v) {
      double left[4];
      store(left, number(left_[v]));
      for (int k = 0; k < n_of(v) && label_of(v) + k < classes; ++k) {
        TwoSides& count = counts[label_of(v) + k];
        const double minus_right = left[k] - (count.left - count.minus_right);
        store_two(count, Two{left[k], minus_right});
        b_left += left[k] * (state.rows.left - left[k]);
        b_right += minus_right * (state.rows.minus_right - minus_right);
      }
    }
    state.b = {b_left / 2, b_right / 2};
  }

 private:
  static constexpr int kVectors = kWords * kVectorsOfWord;

  // The first class of a vector, and how many it has.
  static constexpr int label_of(int v) {
    return v / kVectorsOfWord * kClassesInWord + v % kVectorsOfWord * 4;
  }
  static constexpr int n_of(int v) { return std::min(4, kClassesInWord - v % kVectorsOfWord * 4); }
  TREEWRIGHT_TARGET static Doubles two_to_52() { return all(0x1p52); }
  TREEWRIGHT_TARGET static Doubles number(Longs bits) { return as<Doubles>(bits) - two_to_52(); }
  TREEWRIGHT_TARGET static Longs unpack(const Counted& counted, int v) {
    const int first = v % kVectorsOfWord * 4 * kBits;
    // The bits after the last class of a word are shifted out.
    const auto shift = [&](int k) { return k < n_of(v) ? first + k * kBits : 64; };
    const Longs shifts = longs(shift(0), shift(1), shift(2), shift(3));
    return shifted_right(counted.words[v / kVectorsOfWord], shifts) &
           all(int64_t((1 << kBits) - 1));
  }

  Longs left_[kVectors];     // 2^52 + rows, as bits of a double
  Doubles share_[kVectors];  // t
};

template <int kWords>
TREEWRIGHT_TARGET void each_stretch(const Entry* entries, int64_t end, const ManyClassNode& node,
                                    TwoSides* counts, ManyClassState& state) {
  using Left = LeftCounts<kWords>;
  const double n = state.rows.left - state.rows.minus_right;
  Left left(counts, node.classes, n);
  while (state.i + kStretch <= end) {
    const double m = state.rows.left, m_after = m + kStretch;
    const auto counted = Left::count(entries + state.i, node.label_mask);
    // 1 / m + 1 / (n - m) is convex, so it is largest at one end of the stretch.
    const double product = std::min(m * (n - m), m_after * (n - m_after));
    const double most = left.add(counted, m) * n;
    // Not "most > ...": -infinity (no best yet) times 0 is NaN, and must lead to a search.
    if (!(most <= (2 * state.best + node.cost) * product)) {
      left.before(counted).write(counts, node.classes, state);
      each_cut(entries, state.i + kStretch, node, counts, state);
    } else {
      state.i += kStretch;
      state.rows.left += kStretch;
      state.rows.minus_right += kStretch;
    }
  }
  left.write(counts, node.classes, state);
}

}  // namespace

void many_class_gini(const Entry* entries, int64_t end, const ManyClassNode& node, TwoSides* counts,
                     ManyClassState& state) {
  if (end - state.i >= kManyRows && has_lanes()) {
    const int words = (node.classes + kClassesInWord - 1) / kClassesInWord;
    if (words == 1) {
      each_stretch<1>(entries, end, node, counts, state);
    } else if (words == 2) {
      each_stretch<2>(entries, end, node, counts, state);
    } else if (words == 3) {
      each_stretch<3>(entries, end, node, counts, state);
    }
  }
  if (end > state.i) {
    each_cut(entries, end, node, counts, state);
  }
}

#else

void many_class_gini(const Entry*, int64_t, const ManyClassNode&, TwoSides*, ManyClassState&) {}

#endif
}  // namespace treewright::simd
