// The Gini sweep over many classes: cut by cut, and a stretch of rows at a time.
#include "simd_lanes.hpp"
#include "treewright/simd.hpp"

#ifdef TREEWRIGHT_AVX2
#include <algorithm>
#include <limits>
#endif

namespace treewright::simd {

#ifdef TREEWRIGHT_AVX2
namespace {

// ---- cut by cut ----

// Both sides of the cut share a register: the left side in the low half, the negated right side in
// the high half. Moving a row to the left then adds (1, 1) to the rows and to its class.
// over(rows) gives 1 / left and 1 / right of the next cut, both positive.
template <class Over>
[[gnu::always_inline]] inline void each_cut(const Entry* entries, int64_t end,
                                            const ManyClassNode& node, TwoSides* counts,
                                            const Over& over, ManyClassState& state) {
  const __m128d ones = _mm_set1_pd(1.0);
  const __m128d penalty[2] = {_mm_set1_pd(-std::numeric_limits<double>::infinity()),
                              _mm_setzero_pd()};
  __m128d rows = _mm_setr_pd(state.rows.left, state.rows.minus_right);
  __m128d b = _mm_setr_pd(state.b.left, state.b.right);
  __m128d best = _mm_set_sd(state.best);
  for (int64_t i = state.i; i < end; ++i) {
    const Entry e = entries[i];
    const __m128d costs = _mm_mul_pd(b, over(rows));
    const __m128d score =
        _mm_sub_sd(_mm_sub_sd(penalty[e & kDiffers], costs), _mm_unpackhi_pd(costs, costs));
    best = _mm_max_sd(best, score);
    double* count = &counts[(e >> 1) & node.label_mask].left;
    const __m128d before = _mm_loadu_pd(count);
    b = _mm_add_pd(b, _mm_sub_pd(rows, before));
    _mm_storeu_pd(count, _mm_add_pd(before, ones));
    rows = _mm_add_pd(rows, ones);
  }
  state.i = end;
  _mm_storeu_pd(&state.rows.left, rows);
  _mm_storeu_pd(&state.b.left, b);
  state.best = _mm_cvtsd_f64(best);
}

[[gnu::always_inline]] inline void each_cut(const Entry* entries, int64_t end,
                                            const ManyClassNode& node, TwoSides* counts,
                                            ManyClassState& state) {
  if (node.one_over == nullptr) {
    const __m128d ones = _mm_setr_pd(1.0, -1.0);
    each_cut(
        entries, end, node, counts, [&](__m128d rows) { return _mm_div_pd(ones, rows); }, state);
    return;
  }
  const double* over_left = node.one_over + static_cast<int64_t>(state.rows.left);
  const double* over_right = node.one_over - static_cast<int64_t>(state.rows.minus_right);
  each_cut(
      entries, end, node, counts,
      [&](__m128d) { return _mm_loadh_pd(_mm_load_sd(over_left++), over_right--); }, state);
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

// The sum of all four lanes, in all of them.
TREEWRIGHT_TARGET inline __m256i sum_of_lanes(__m256i x) {
  x = _mm256_add_epi64(x, _mm256_permute4x64_epi64(x, 0x4e));
  return _mm256_add_epi64(x, _mm256_shuffle_epi32(x, 0x4e));
}
TREEWRIGHT_TARGET inline double sum_of_lanes(__m256d x) {
  const __m128d two = _mm_add_pd(_mm256_castpd256_pd128(x), _mm256_extractf128_pd(x, 1));
  return _mm_cvtsd_f64(_mm_add_sd(two, _mm_unpackhi_pd(two, two)));
}

// Rows of each class on the left. Whole numbers of doubles are added as integers: with 2^52
// added, a double's last bits are the number itself.
template <int kWords>
class LeftCounts {
 public:
  TREEWRIGHT_TARGET LeftCounts(const TwoSides* counts, int classes, double n) {
    for (int v = 0; v < kVectors; ++v) {
      alignas(32) double left[4], all[4];
      for (int k = 0; k < 4; ++k) {
        const int label = label_of(v) + k;
        const bool there = k < n_of(v) && label < classes;
        left[k] = there ? counts[label].left : 0.0;
        all[k] = there ? counts[label].left - counts[label].minus_right : 0.0;
      }
      left_[v] = _mm256_castpd_si256(_mm256_add_pd(_mm256_load_pd(left), two_to_52()));
      share_[v] = _mm256_mul_pd(_mm256_load_pd(all), _mm256_set1_pd(1.0 / n));
    }
  }

  // The rows of each class among the next kStretch.
  struct Counted {
    __m256i words[kWords];  // each with kBits for a class, in every lane
  };
  TREEWRIGHT_TARGET static Counted count(const Entry* entries, Entry label_mask) {
    const __m256i twice_label = _mm256_set1_epi32(static_cast<int>(label_mask << 1));
    const __m256i low = _mm256_set1_epi64x(0xffffffff), one = _mm256_set1_epi64x(1);
    Counted sum;
    for (int w = 0; w < kWords; ++w) {
      sum.words[w] = _mm256_setzero_si256();
    }
    for (int i = 0; i < kStretch; i += kBlock) {
      const __m256i e = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(entries + i));
      const __m256i two = _mm256_and_si256(e, twice_label);
      const __m256i six = _mm256_add_epi32(_mm256_add_epi32(two, two), two);
      const __m256i even = _mm256_and_si256(six, low), odd = _mm256_srli_epi64(six, 32);
      for (int w = 0; w < kWords; ++w) {
        // A class of an earlier or a later word is shifted out.
        const __m256i first = _mm256_set1_epi64x(w * kClassesInWord * kBits);
        sum.words[w] = _mm256_add_epi64(
            sum.words[w], _mm256_add_epi64(_mm256_sllv_epi64(one, _mm256_sub_epi64(even, first)),
                                           _mm256_sllv_epi64(one, _mm256_sub_epi64(odd, first))));
      }
    }
    for (int w = 0; w < kWords; ++w) {
      sum.words[w] = sum_of_lanes(sum.words[w]);
    }
    return sum;
  }
  // Adds them; returns no less than |D|^2 at any cut among them, with m rows on the left before.
  TREEWRIGHT_TARGET double add(const Counted& counted, double m) {
    const __m256d rows = _mm256_set1_pd(m), rows_after = _mm256_set1_pd(m + kStretch);
    __m256d sum = _mm256_setzero_pd();
    for (int v = 0; v < kVectors; ++v) {
      const __m256d least = _mm256_sub_pd(number(left_[v]), _mm256_mul_pd(rows_after, share_[v]));
      left_[v] = _mm256_add_epi64(left_[v], unpack(counted, v));
      const __m256d most = _mm256_sub_pd(number(left_[v]), _mm256_mul_pd(rows, share_[v]));
      sum =
          _mm256_add_pd(sum, _mm256_max_pd(_mm256_mul_pd(least, least), _mm256_mul_pd(most, most)));
    }
    // The numbers are below 2^26, so the error of D is below 2^-25; the sum is at least 8.
    return sum_of_lanes(sum) * (1 + 1e-6);
  }
  // Writes the state of the sweep before `counted` was added.
  TREEWRIGHT_TARGET void write(const Counted& counted, TwoSides* counts, int classes,
                               ManyClassState& state) const {
    double b_left = 0.0, b_right = 0.0;
    for (int v = 0; v < kVectors; ++v) {
      alignas(32) double left[4];
      _mm256_store_pd(left, number(_mm256_sub_epi64(left_[v], unpack(counted, v))));
      for (int k = 0; k < n_of(v) && label_of(v) + k < classes; ++k) {
        TwoSides& count = counts[label_of(v) + k];
        const double minus_right = left[k] - (count.left - count.minus_right);
        // One store, because it will be read by one load.
        _mm_storeu_pd(&count.left, _mm_setr_pd(left[k], minus_right));
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
  TREEWRIGHT_TARGET static __m256d two_to_52() { return _mm256_set1_pd(0x1p52); }
  TREEWRIGHT_TARGET static __m256d number(__m256i bits) {
    return _mm256_sub_pd(_mm256_castsi256_pd(bits), two_to_52());
  }
  TREEWRIGHT_TARGET static __m256i unpack(const Counted& counted, int v) {
    const int first = v % kVectorsOfWord * 4 * kBits;
    // The bits after the last class of a word are shifted out.
    const auto shift = [&](int k) { return k < n_of(v) ? first + k * kBits : 64; };
    const __m256i shifts = _mm256_setr_epi64x(shift(0), shift(1), shift(2), shift(3));
    return _mm256_and_si256(_mm256_srlv_epi64(counted.words[v / kVectorsOfWord], shifts),
                            _mm256_set1_epi64x((1 << kBits) - 1));
  }

  __m256i left_[kVectors];   // 2^52 + rows, as bits of a double
  __m256d share_[kVectors];  // t
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
      left.write(counted, counts, node.classes, state);
      each_cut(entries, state.i + kStretch, node, counts, state);
    } else {
      state.i += kStretch;
      state.rows.left += kStretch;
      state.rows.minus_right += kStretch;
    }
  }
  left.write({}, counts, node.classes, state);
}

}  // namespace

void many_class_gini(const Entry* entries, int64_t end, const ManyClassNode& node, TwoSides* counts,
                     ManyClassState& state) {
  if (end - state.i >= kManyRows && has_avx2()) {
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
