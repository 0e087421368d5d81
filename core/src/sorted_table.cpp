// How a column is sorted:
//
// 1. Each row becomes one 64-bit item, sketch << 32 | row. The sketch is a monotone map of the
// value
//    to 32 bits. Unequal sketches are in the order of their values. Equal sketches may stand for
//    unequal values (for float columns only near 0; see SharedSketches).
// 2. Items are distributed over 256 buckets by the first eight bits of the sketch. A long column
// has
//    more buckets, so that each fits the cache; a short column has more buckets, so that each holds
//    only one or two items.
// 3. A bucket of more than kFewItems items is radix-sorted by the next sixteen bits.
// 4. Insertion sort finishes the bucket, by the full sketch and, if sketches are equal, by the
// value.
//    If that takes too many steps (an outlier has crowded the other values into few sketches), the
//    bucket gets new sketches for its own range.
//
// Equal values end in row order, so the result is unique.
#include "treewright/sorted_table.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <tuple>
#include <type_traits>

namespace treewright {
namespace {

using Item = uint64_t;
constexpr int kDigitBits = 8;
constexpr int kBuckets = 1 << kDigitBits;
// These four limits follow from cache sizes and were not measured one by one; radix sorting as a
// whole was not measured against another sort either.
constexpr int64_t kLong = int64_t(1) << 21;   // a column of more rows has more buckets
constexpr int64_t kShort = int64_t(1) << 14;  // a column of at most this many rows has more, too
constexpr int64_t kFewItems = 48;             // a bucket of at most this many uses insertion only
constexpr int kFewValues = 1 << 16;           // whole numbers of a smaller range: counting sort
using Counts = std::array<uint32_t, kBuckets>;

inline uint32_t row_of(Item item) { return static_cast<uint32_t>(item); }
inline uint32_t sketch_of(Item item) { return static_cast<uint32_t>(item >> 32); }
inline size_t digit(Item item, int shift) { return (item >> shift) % kBuckets; }

// Turns the counts of buckets into their start positions.
template <class Array>
void to_starts(Array& counts) {
  uint32_t position = 0;
  for (uint32_t& count : counts) {
    const uint32_t next = position + count;
    count = position;
    position = next;
  }
}

constexpr size_t kWidest = 4;  // columns copied at once

// Scratch memory of one thread, kept between columns: allocating it takes longer than filling it.
struct Scratch {
  template <class T>
  using Copies = std::array<LargeVector<T>, kWidest>;

  LargeVector<Item> items, other;
  std::tuple<Copies<float>, Copies<double>> copies;
};

template <class T>
struct Range {
  T low, high;
  int64_t n_known;
};
// Minimum, maximum and number of known values. Independent lanes let the compiler use vector
// instructions. NaN (missing) fails every comparison, so it changes neither limit.
template <class T, class ValueAt>
Range<T> range_of(int64_t n, const ValueAt& value_at) {
  constexpr int64_t kLanes = 32 / sizeof(T);
  using Count = std::conditional_t<sizeof(T) == 4, int32_t, int64_t>;
  constexpr T kInfinity = std::numeric_limits<T>::infinity();
  std::array<T, kLanes> low, high;
  std::array<Count, kLanes> unknown{};
  low.fill(kInfinity);
  high.fill(-kInfinity);
  const auto add = [&](size_t lane, T x) {
    unknown[lane] += x != x;
    low[lane] = x < low[lane] ? x : low[lane];
    high[lane] = x > high[lane] ? x : high[lane];
  };
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (size_t lane = 0; lane < kLanes; ++lane) {
      add(lane, value_at(i + int64_t(lane)));
    }
  }
  for (; i < n; ++i) {
    add(0, value_at(i));
  }
  return {*std::min_element(low.begin(), low.end()), *std::max_element(high.begin(), high.end()),
          n - std::accumulate(unknown.begin(), unknown.end(), int64_t(0))};
}

// Whether the known values are whole numbers of a small range.
template <class T>
bool few_whole_numbers(const T* values, int64_t n_rows, const Range<T>& range) {
  if (!(range.low < range.high)) {
    return true;  // one value, or none
  }
  if (!(range.high - range.low < kFewValues) || std::abs(range.low) > T(1 << 24)) {
    return false;
  }
  return std::all_of(values, values + n_rows, [](T x) {
    return std::isnan(x) || x == static_cast<T>(static_cast<int32_t>(x));
  });
}

// The sketches, from first to last, that may stand for unequal values.
struct SharedSketches {
  uint32_t first = 0, last = std::numeric_limits<uint32_t>::max();
  bool has(uint32_t sketch) const { return sketch - first <= last - first; }
};

// The monotone map of [low, high] to 32 bits.
class Sketch {
 public:
  Sketch(double low, double high)
      // Values are halved, so that high - low cannot overflow. Infinities are clamped, which keeps
      // the map monotone.
      : bottom_(std::max(low, -kLargest) / 2), finite_(low >= -kLargest && high <= kLargest) {
    const double top = std::min(high, kLargest) / 2;
    scale_ = top > bottom_ ? std::min(4294967040.0 / (top - bottom_), 1e300) : 0.0;
  }
  Item operator()(double x, Item row) const {
    if (!finite_) {
      x = std::clamp(x, -kLargest, kLargest);
    }
    // At least 0, and below 2^32 because scale_ leaves room for rounding.
    return Item(static_cast<uint64_t>(static_cast<int64_t>((x / 2 - bottom_) * scale_))) << 32 |
           row;
  }
  // The sketches that may stand for unequal floats with this many bits of mantissa. Neighbouring
  // floats far from 0 are more than two units of the sketch apart, and rounding changes that by far
  // less than one unit.
  SharedSketches shared(double low, double high, int bits) const {
    if (scale_ == 0.0) {
      return {};
    }
    const double far = std::ldexp(1.0, std::ilogb(4 / scale_) + bits);
    const auto at = [&](double x) { return sketch_of((*this)(std::clamp(x, low, high), 0)); };
    return {at(-far), at(far)};
  }

 private:
  static constexpr double kLargest = std::numeric_limits<double>::max();
  double bottom_, scale_ = 0.0;
  bool finite_;
};

template <class T>
class Sorter {
 public:
  Sorter(const T* values, Scratch& scratch, const Control& control)
      : values_(values), scratch_(scratch), control_(control) {}

  // The known rows as entries, ascending.
  void sort(int64_t n_rows, const Range<T>& range, Entry* entries) {
    scratch_.items.resize(size_t(range.n_known));
    top_shift_ = 64 - top_bits(range.n_known);
    int64_t begin = 0;
    for (const uint32_t end : distribute(n_rows, range)) {
      if (end > begin) {
        control_.check();
        const SharedSketches of_column = shared_;
        finish_bucket(begin, end);
        write(begin, end, entries);
        shared_ = of_column;
        begin = end;
      }
    }
  }

 private:
  T value(Item item) const { return values_[row_of(item)]; }
  bool less(Item a, Item b) const {
    if (sketch_of(a) != sketch_of(b)) {
      return sketch_of(a) < sketch_of(b);
    }
    if (!shared_.has(sketch_of(a))) {
      return row_of(a) < row_of(b);
    }
    const T x = value(a), y = value(b);
    return x < y || (x == y && row_of(a) < row_of(b));
  }

  // Buckets of a long column must fit the cache; those of a short column should hold few items.
  static int top_bits(int64_t n) {
    if (n > kLong) {
      return kDigitBits + 2;
    }
    const auto bits = static_cast<int>(std::bit_width(size_t(n))) - 1;
    return n > kShort ? kDigitBits : std::max(kDigitBits, bits);
  }

  // Distributes the items over the buckets. Returns the end of each bucket.
  std::vector<uint32_t> distribute(int64_t n_rows, const Range<T>& range) {
    const Sketch sketch(double(range.low), double(range.high));
    shared_ = sketch.shared(double(range.low), double(range.high), std::numeric_limits<T>::digits);
    const bool all_known = range.n_known == n_rows;
    std::vector<uint32_t> starts(size_t(1) << (64 - top_shift_));
    for (int64_t row = 0; row < n_rows; ++row) {
      if (all_known || !std::isnan(values_[row])) {
        ++starts[sketch(double(values_[row]), 0) >> top_shift_];
      }
    }
    to_starts(starts);
    Item* items = scratch_.items.data();
    for (int64_t row = 0; row < n_rows; ++row) {
      if (all_known || !std::isnan(values_[row])) {
        const Item item = sketch(double(values_[row]), Item(row));
        items[starts[item >> top_shift_]++] = item;
      }
    }
    return starts;  // each has advanced to the end of its bucket
  }

  // Sorts items[begin, end) by two digits of the sketch; other is scratch.
  void radix_sort(int64_t begin, int64_t end, int low_shift) {
    const int high_shift = low_shift + kDigitBits;
    const int64_t n = end - begin;
    // Always uses the first n items of `other`, so that they stay in the cache.
    scratch_.other.resize(std::max(scratch_.other.size(), size_t(n)));
    Item *items = scratch_.items.data() + begin, *other = scratch_.other.data();
    Counts low{}, high{};
    for (int64_t i = 0; i < n; ++i) {
      ++low[digit(items[i], low_shift)];
      ++high[digit(items[i], high_shift)];
    }
    to_starts(low);
    to_starts(high);
    for (int64_t i = 0; i < n; ++i) {
      other[low[digit(items[i], low_shift)]++] = items[i];
    }
    for (int64_t i = 0; i < n; ++i) {
      items[high[digit(other[i], high_shift)]++] = other[i];
    }
  }

  void finish_bucket(int64_t begin, int64_t end) {
    if (end - begin > kFewItems) {
      radix_sort(begin, end, top_shift_ - 2 * kDigitBits);
    }
    if (!insertion_sort(begin, end)) {
      sketch_again(begin, end);
    }
  }
  void sketch_again(int64_t begin, int64_t end) {
    Item* items = scratch_.items.data();
    const auto range = range_of<T>(end - begin, [&](int64_t i) { return value(items[begin + i]); });
    const Sketch sketch(double(range.low), double(range.high));
    for (int64_t i = begin; i < end; ++i) {
      items[i] = sketch(double(value(items[i])), row_of(items[i]));
    }
    shared_ = {};
    radix_sort(begin, end, 64 - 4 * kDigitBits);
    radix_sort(begin, end, 64 - 2 * kDigitBits);
    if (!insertion_sort(begin, end)) {
      std::sort(items + begin, items + end, [this](Item a, Item b) { return less(a, b); });
    }
  }
  // Returns false if it takes too many steps; all items are then still there, partly sorted.
  bool insertion_sort(int64_t begin, int64_t end) {
    Item* const items = scratch_.items.data();
    int64_t steps = kBuckets * kBuckets / 4 + 4 * (end - begin);
    for (int64_t i = begin + 1; i < end; ++i) {
      const Item item = items[i];
      if (sketch_of(items[i - 1]) < sketch_of(item)) {
        continue;
      }
      int64_t j = i;
      for (; j > begin && less(item, items[j - 1]); --j) {
        items[j] = items[j - 1];
      }
      items[j] = item;
      steps -= i - j;
      if (steps < 0) {
        return false;
      }
    }
    return true;
  }

  // Unequal sketches mean unequal values. Values are read only if equal sketches may be shared.
  void write(int64_t begin, int64_t end, Entry* entries) const {
    const Item* items = scratch_.items.data();
    entries[begin] = row_of(items[begin]) << 1 | kDiffers;
    for (int64_t i = begin + 1; i < end; ++i) {
      const bool differs =
          sketch_of(items[i]) != sketch_of(items[i - 1]) ||
          (shared_.has(sketch_of(items[i])) && value(items[i]) != value(items[i - 1]));
      entries[i] = row_of(items[i]) << 1 | Entry(differs);
    }
  }

  const T* values_;
  Scratch& scratch_;
  const Control& control_;
  int top_shift_ = 0;      // of the bits that select the bucket
  SharedSketches shared_;  // the values are read only for these, because that is slow
};

// Sorts rows by a small whole number, slot(row) < n_slots: one pass counts, one pass places. The
// last slot holds the missing rows.
template <class Slot>
void counting_sort(int64_t n_rows, size_t n_slots, const Slot& slot, Entries& entries,
                   int64_t& n_known) {
  std::vector<uint32_t> position(n_slots, 0);
  for (int64_t row = 0; row < n_rows; ++row) {
    ++position[slot(row)];
  }
  n_known = n_rows - position.back();
  std::vector<uint32_t> starts;
  uint32_t start = 0;
  for (auto& p : position) {
    const uint32_t count = p;
    p = start;
    if (count > 0) {
      starts.push_back(start);
    }
    start += count;
  }
  entries.resize(size_t(n_rows));
  for (int64_t row = 0; row < n_rows; ++row) {
    entries[position[slot(row)]++] = Entry(row) << 1;
  }
  for (const uint32_t first : starts) {
    entries[first] |= kDiffers;
  }
}

// There may be one code per row, but all are below 2^31.
void sort_codes(const ColumnView& view, int64_t n_rows, Entries& entries, int64_t& n_known) {
  int32_t largest = -1;
  for (int64_t row = 0; row < n_rows; ++row) {
    largest = std::max(largest, view.code(row));
  }
  const size_t missing = size_t(largest) + 1;
  counting_sort(
      n_rows, missing + 1,
      [&](int64_t row) {
        const int32_t code = view.code(row);
        return code < 0 ? missing : size_t(code);
      },
      entries, n_known);
}

// Known rows ascending, then the missing rows in row order.
template <class T>
void sort_floats(const T* values, int64_t n_rows, Scratch& scratch, const Control& control,
                 Entries& entries, int64_t& n_known) {
  const auto range = range_of<T>(n_rows, [&](int64_t row) { return values[row]; });
  if (few_whole_numbers(values, n_rows, range)) {
    const bool constant = !(range.low < range.high);
    const size_t missing = constant ? 1 : size_t(range.high - range.low) + 1;
    counting_sort(
        n_rows, missing + 1,
        [&](int64_t row) {
          if (std::isnan(values[row])) {
            return missing;
          }
          return constant ? 0 : size_t(values[row] - range.low);
        },
        entries, n_known);
    return;
  }
  n_known = range.n_known;
  entries.resize(size_t(n_rows));
  auto missing = entries.begin() + n_known;
  for (int64_t row = 0; row < n_rows && n_known < n_rows; ++row) {
    if (std::isnan(values[row])) {
      *missing++ = Entry(row) << 1;
    }
  }
  Sorter<T>(values, scratch, control).sort(n_rows, range, entries.data());
  if (n_known < n_rows) {
    entries[size_t(n_known)] |= kDiffers;
  }
}

// Copies a few columns of a row-major table at a time, so that each cache line is read once per
// group and not once per column. Contiguous columns are read in place.
template <class T>
std::array<const T*, kWidest> read_group(const std::vector<ColumnView>& views, size_t first,
                                         size_t last, int64_t n_rows, Scratch& scratch) {
  auto& copies = std::get<Scratch::Copies<T>>(scratch.copies);
  std::array<const T*, kWidest> values{};
  std::array<T*, kWidest> copy{};
  for (size_t c = first; c < last; ++c) {
    const ColumnView& view = views[c];
    values[c - first] = reinterpret_cast<const T*>(view.data);
    if (view.stride != sizeof(T) || reinterpret_cast<uintptr_t>(view.data) % alignof(T) != 0) {
      copies[c - first].resize(size_t(n_rows));
      values[c - first] = copy[c - first] = copies[c - first].data();
    }
  }
  constexpr int64_t kBlock = 64;
  for (int64_t begin = 0; begin < n_rows; begin += kBlock) {
    const int64_t end = std::min(begin + kBlock, n_rows);
    for (size_t c = first; c < last; ++c) {
      if (T* to = copy[c - first]) {
        for (int64_t row = begin; row < end; ++row) {
          to[row] = views[c].get<T>(row);
        }
      }
    }
  }
  return values;
}

template <class T>
void sort_group(const std::vector<ColumnView>& views, size_t first, size_t last, int64_t n_rows,
                Scratch& scratch, const Control& control, std::vector<SortedColumn>& columns) {
  const auto values = read_group<T>(views, first, last, n_rows, scratch);
  for (size_t c = first; c < last; ++c) {
    sort_floats(values[c - first], n_rows, scratch, control, columns[c].entries,
                columns[c].n_known);
  }
}

}  // namespace

SortedTable sort_table(const std::vector<ColumnView>& views, int64_t n_rows, int n_threads,
                       const Control& control) {
  if (n_rows > kMaxRows) {
    throw std::invalid_argument("a table may have at most 2147483647 rows");
  }
  SortedTable table;
  table.n_rows = n_rows;
  table.columns.resize(views.size());
  // Groups of neighbouring columns of one storage type. They get smaller towards the end, so that
  // all threads finish at about the same time.
  struct Range {
    size_t first, last;
  };
  std::vector<Range> groups;
  size_t widest = 0;
  for (size_t c = 0; c < views.size(); ++c) {
    table.columns[c].view = views[c];
    if (groups.empty() || groups.back().last - groups.back().first == widest ||
        views[groups.back().first].storage != views[c].storage) {
      groups.push_back({c, c});
      widest = std::clamp((views.size() - c) / (2 * size_t(n_threads)), size_t(1), kWidest);
    }
    groups.back().last = c + 1;
  }
  Team team(std::min(n_threads, static_cast<int>(groups.size())), control);
  std::vector<Scratch> scratch(size_t(team.size()));
  team.run(groups.size(), [&](size_t g, int worker) {
    const auto [first, last] = groups[g];
    Scratch& mine = scratch[size_t(worker)];
    switch (views[first].storage) {
      case Storage::float32:
        return sort_group<float>(views, first, last, n_rows, mine, control, table.columns);
      case Storage::float64:
        return sort_group<double>(views, first, last, n_rows, mine, control, table.columns);
      case Storage::int32:
        for (size_t c = first; c < last; ++c) {
          sort_codes(views[c], n_rows, table.columns[c].entries, table.columns[c].n_known);
        }
    }
  });
  return table;
}

Entries sort_values(const double* values, int64_t n_rows, const Control& control) {
  Scratch scratch;
  Entries entries;
  int64_t n_known = 0;
  sort_floats(values, n_rows, scratch, control, entries, n_known);
  return entries;
}

Summary SortedTable::summary(size_t column) const {
  const SortedColumn& sorted = columns[column];
  Summary summary;
  summary.n_missing = n_rows - sorted.n_known;
  summary.quartiles.fill(std::nan(""));
  if (sorted.n_known == 0) {
    return summary;
  }
  // Adding 0.0 turns -0.0 into 0.0: the two are equal, and their order must not show.
  const auto at = [&](int64_t i) {
    return sorted.view.value(sorted.entries[size_t(i)] >> 1) + 0.0;
  };
  for (int q = 0; q <= 4; ++q) {
    // The inverse of the distribution function; at a jump, the mean of the two neighbours.
    const int64_t four_times = q * sorted.n_known;
    const int64_t i = std::min(four_times / 4, sorted.n_known - 1);
    const bool between = four_times % 4 == 0 && q != 0 && q != 4;
    summary.quartiles[size_t(q)] = between && sorted.view.kind == Kind::numeric
                                       ? at(i - 1) / 2 + at(i) / 2
                                       : at(between ? i - 1 : i);
  }
  return summary;
}

Deciles SortedTable::deciles(size_t column) const {
  const SortedColumn& sorted = columns[column];
  const int64_t n = sorted.n_known;
  const auto at = [&](int64_t i) {
    return sorted.view.value(sorted.entries[size_t(i)] >> 1) + 0.0;
  };
  Deciles deciles;
  for (int64_t tenth = 1; n > 0 && tenth <= 9; ++tenth) {
    // The value of the last row of the first k tenths, rounded up.
    const double value = at((tenth * n + 9) / 10 - 1);
    if (deciles.values.empty() || value > deciles.values.back()) {
      int64_t low = 0;
      int64_t high = n;
      while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        (at(middle) <= value ? low : high) = at(middle) <= value ? middle + 1 : middle;
      }
      deciles.values.push_back(value);
      deciles.counts.push_back(low);
    }
  }
  return deciles;
}

}  // namespace treewright
