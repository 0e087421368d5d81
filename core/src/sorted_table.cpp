// How a column is sorted. Each row becomes one 64-bit item, sketch << 32 | row, where the
// sketch is a monotone map of the value to 32 bits: unequal sketches are in the order of
// their values, equal sketches say nothing. Items are dealt into 256 buckets by the first
// eight bits of the sketch, each of which fits the cache; a bucket is radix-sorted by the next
// sixteen bits, which leaves little out of order; insertion by the full sketch and, where that
// ties, by the value does the rest. Where insertion would be long (values crowded by an
// outlier) the bucket is sketched again on its own range. Ties end in row order, so the result
// is unique.
#include "treewright/sorted_table.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>

namespace treewright {
namespace {

using Item = uint64_t;
constexpr int kDigitBits = 8;
constexpr int kBuckets = 1 << kDigitBits;
constexpr int kTopShift = 64 - kDigitBits;
constexpr int64_t kShortRun = 24;
constexpr int kMaxRounds = 4;

inline uint32_t row_of(Item item) { return static_cast<uint32_t>(item); }
inline uint32_t sketch_of(Item item) { return static_cast<uint32_t>(item >> 32); }

// Scratch of one thread, kept between columns.
struct Scratch {
  std::vector<Item> items, other;
};
using Counts = std::array<uint32_t, kBuckets>;

template <class T>
struct Range {
  T low = std::numeric_limits<T>::infinity(), high = -std::numeric_limits<T>::infinity();
  int64_t n_known = 0;
};
template <class T>
Range<T> range_of(const T* values, int64_t n_rows) {
  T low = Range<T>().low, high = Range<T>().high;
  int64_t n_known = 0;
  for (int64_t row = 0; row < n_rows; ++row) {
    const T x = values[row];
    n_known += x == x;
    low = x < low ? x : low;
    high = x > high ? x : high;
  }
  return {low, high, n_known};
}

template <class T>
class Sorter {
 public:
  Sorter(const T* values, Scratch& scratch, const Control& control)
      : values_(values), scratch_(scratch), control_(control) {}

  // Sorts items[begin, end), which hold row numbers, by (value, row). low and high are the
  // least and the greatest of their values.
  void sort(int64_t begin, int64_t end, T low, T high, int round) {
    control_.check();
    if (low == high) {
      return;  // the items came in row order
    }
    if (end - begin <= kShortRun || round == kMaxRounds) {
      std::sort(items() + begin, items() + end, [this](Item a, Item b) { return less(a, b); });
      return;
    }
    sketch(begin, end, low, high);
    Counts starts = count(items(), begin, end, kTopShift);
    deal(items(), other(), begin, end, kTopShift, starts);
    int64_t first = begin;
    for (const uint32_t last : starts) {  // dealing has moved each start to its bucket's end
      sort_bucket(first, last);
      finish_bucket(first, last, round);
      first = last;
    }
  }

 private:
  Item* items() { return scratch_.items.data(); }
  Item* other() { return scratch_.other.data(); }
  T value(Item item) const { return values_[row_of(item)]; }
  // As std::clamp, in the form that compiles to two instructions.
  static double within(double x, double low, double high) {
    x = x > low ? x : low;
    return x < high ? x : high;
  }
  bool less(Item a, Item b) const {
    const T x = value(a), y = value(b);
    return x < y || (x == y && row_of(a) < row_of(b));
  }

  // Puts a sketch of the range [low, high] into the items.
  void sketch(int64_t begin, int64_t end, T low, T high) {
    // Halved, so that the range of the largest floats does not overflow; infinities are
    // clamped, which keeps the map monotone.
    constexpr double kLargest = std::numeric_limits<double>::max();
    const double bottom = std::max(double(low), -kLargest) / 2;
    const double top = std::min(double(high), kLargest) / 2;
    const double scale = top > bottom ? std::min(4294967040.0 / (top - bottom), 1e300) : 0.0;
    Item* items = scratch_.items.data();
    for (int64_t i = begin; i < end; ++i) {
      const double x = within(double(value(items[i])), -kLargest, kLargest);
      const double place = within((x / 2 - bottom) * scale, 0.0, 4294967295.0);
      items[i] = Item(static_cast<uint64_t>(place)) << 32 | row_of(items[i]);
    }
  }

  static size_t digit(Item item, int shift) { return (item >> shift) % kBuckets; }

  // Where each bucket starts.
  static Counts count(const Item* from, int64_t begin, int64_t end, int shift) {
    Counts starts{};
    for (int64_t i = begin; i < end; ++i) {
      ++starts[digit(from[i], shift)];
    }
    auto position = static_cast<uint32_t>(begin);
    for (uint32_t& start : starts) {
      const uint32_t next = position + start;
      start = position;
      position = next;
    }
    return starts;
  }
  static void deal(const Item* from, Item* to, int64_t begin, int64_t end, int shift,
                   Counts& starts) {
    for (int64_t i = begin; i < end; ++i) {
      to[starts[digit(from[i], shift)]++] = from[i];
    }
  }

  // One bucket, from other() back into items(), sorted by the two digits after the first.
  void sort_bucket(int64_t begin, int64_t end) {
    if (end - begin > kShortRun) {
      for (const int shift : {kTopShift - 2 * kDigitBits, kTopShift - kDigitBits}) {
        Counts starts = count(other(), begin, end, shift);
        deal(other(), items(), begin, end, shift, starts);
        if (shift != kTopShift - kDigitBits) {
          std::copy(items() + begin, items() + end, other() + begin);
        }
      }
    } else {
      std::copy(other() + begin, other() + end, items() + begin);
    }
  }

  void finish_bucket(int64_t begin, int64_t end, int round) {
    if (insertion_sort(begin, end, kShortRun + 4 * (end - begin))) {
      return;
    }
    const auto [low, high] =
        std::minmax_element(items() + begin, items() + end,
                            [this](Item a, Item b) { return value(a) < value(b); });
    const T least = value(*low), greatest = value(*high);
    std::sort(items() + begin, items() + end,
              [](Item a, Item b) { return row_of(a) < row_of(b); });
    sort(begin, end, least, greatest, round + 1);
  }

  // Gives up, with everything still there, after this many steps.
  bool insertion_sort(int64_t begin, int64_t end, int64_t steps) {
    Item* const items = scratch_.items.data();
    for (int64_t i = begin + 1; i < end; ++i) {
      const Item item = items[i];
      if (sketch_of(items[i - 1]) < sketch_of(item)) {
        continue;
      }
      int64_t j = i;
      for (; j > begin && before(item, items[j - 1]); --j) {
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
  bool before(Item a, Item b) const {
    return sketch_of(a) != sketch_of(b) ? sketch_of(a) < sketch_of(b) : less(a, b);
  }

  const T* values_;
  Scratch& scratch_;
  const Control& control_;
};

// Rows with a known value are sorted in scratch.items, the missing ones follow as they came.
template <class T>
void sort_floats(const T* values, int64_t n_rows, Scratch& scratch, const Control& control,
                 std::vector<Entry>& entries, int64_t& n_known) {
  entries.resize(size_t(n_rows));
  scratch.items.resize(size_t(n_rows));
  const auto [low, high, known] = range_of(values, n_rows);
  int64_t next = 0;
  size_t next_missing = size_t(known);
  for (int64_t row = 0; row < n_rows; ++row) {
    scratch.items[size_t(next)] = Item(row);
    const bool missing = known < n_rows && std::isnan(values[row]);
    next += !missing;
    if (missing) {
      entries[next_missing++] = Entry(row) << 1;
    }
  }
  if (known < n_rows) {
    entries[size_t(known)] |= kDiffers;
  }
  n_known = known;
  scratch.items.resize(size_t(known));
  scratch.other.resize(size_t(known));
  if (known == 0) {
    return;
  }
  Sorter<T>(values, scratch, control).sort(0, known, low, high, 0);
  const Item* items = scratch.items.data();
  const bool constant = low == high;
  entries[0] = row_of(items[0]) << 1 | kDiffers;
  for (int64_t i = 1; i < known; ++i) {
    // Unequal sketches mean unequal values; only equal ones need a look at the values. A
    // run that was sketched again has sketches of its own, whose order is the values' too.
    const bool same_sketch = sketch_of(items[i]) == sketch_of(items[i - 1]);
    const bool differs = !constant && (!same_sketch || values[row_of(items[i])] !=
                                                           values[row_of(items[i - 1])]);
    entries[size_t(i)] = row_of(items[i]) << 1 | Entry(differs);
  }
}

// Codes: one counting pass. Codes may be many (one per row) but are below 2^31.
void sort_codes(const ColumnView& view, int64_t n_rows, std::vector<Entry>& entries,
                int64_t& n_known) {
  int32_t largest = -1;
  for (int64_t row = 0; row < n_rows; ++row) {
    largest = std::max(largest, view.code(row));
  }
  std::vector<uint32_t> position(size_t(largest) + 2, 0);
  const auto slot = [&](int64_t row) {
    const int32_t code = view.code(row);
    return code < 0 ? size_t(largest) + 1 : size_t(code);
  };
  for (int64_t row = 0; row < n_rows; ++row) {
    ++position[slot(row)];
  }
  n_known = n_rows - position.back();
  uint32_t start = 0;
  for (auto& p : position) {
    const uint32_t count = p;
    p = start;
    start += count;
  }
  entries.resize(size_t(n_rows));
  for (int64_t row = 0; row < n_rows; ++row) {
    entries[position[slot(row)]++] = Entry(row) << 1;
  }
  size_t previous = size_t(largest) + 2;
  for (auto& entry : entries) {
    const size_t here = slot(entry >> 1);
    entry |= Entry(here != previous);
    previous = here;
  }
}

// Copies a few columns of a row-major table at a time, so that each cache line is read
// once per group and not once per column.
template <class T>
class Group {
 public:
  Group(const std::vector<ColumnView>& views, size_t first, size_t last, int64_t n_rows) {
    for (size_t c = first; c < last; ++c) {
      copies_.emplace_back(in_place(views[c]) ? 0 : size_t(n_rows));
    }
    constexpr int64_t kBlock = 64;
    for (int64_t begin = 0; begin < n_rows; begin += kBlock) {
      const int64_t end = std::min(begin + kBlock, n_rows);
      for (size_t c = first; c < last; ++c) {
        T* copy = copies_[c - first].data();
        if (!copies_[c - first].empty()) {
          for (int64_t row = begin; row < end; ++row) {
            copy[row] = views[c].get<T>(row);
          }
        }
      }
    }
    for (size_t c = first; c < last; ++c) {
      const auto& copy = copies_[c - first];
      values_.push_back(copy.empty() ? reinterpret_cast<const T*>(views[c].data) : copy.data());
    }
  }
  static bool in_place(const ColumnView& view) {
    return view.stride == sizeof(T) && reinterpret_cast<uintptr_t>(view.data) % alignof(T) == 0;
  }
  const T* values(size_t i) const { return values_[i]; }
  void release(size_t i) { std::vector<T>().swap(copies_[i]); }

 private:
  std::vector<std::vector<T>> copies_;
  std::vector<const T*> values_;
};

template <class T>
void sort_group(const std::vector<ColumnView>& views, size_t first, size_t last, int64_t n_rows,
                Scratch& scratch, const Control& control, std::vector<SortedColumn>& columns) {
  Group<T> group(views, first, last, n_rows);
  for (size_t c = first; c < last; ++c) {
    sort_floats(group.values(c - first), n_rows, scratch, control, columns[c].entries,
                columns[c].n_known);
    group.release(c - first);
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
  // Groups of neighbouring columns of one storage; small enough to share out evenly.
  struct Range {
    size_t first, last;
  };
  const size_t per_thread = std::max<size_t>(1, views.size() / size_t(n_threads));
  const size_t widest = std::min<size_t>(4, per_thread);
  std::vector<Range> groups;
  for (size_t c = 0; c < views.size(); ++c) {
    table.columns[c].view = views[c];
    if (groups.empty() || groups.back().last - groups.back().first == widest ||
        views[groups.back().first].storage != views[c].storage) {
      groups.push_back({c, c});
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

std::vector<Entry> sort_values(const double* values, int64_t n_rows) {
  Control control;
  Scratch scratch;
  std::vector<Entry> entries;
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
  // Zero added, so that the order of -0.0 and 0.0, which are equal, does not show.
  const auto at = [&](int64_t i) {
    return sorted.view.value(sorted.entries[size_t(i)] >> 1) + 0.0;
  };
  for (int q = 0; q <= 4; ++q) {
    // The inverse of the distribution; the mean of two neighbours where it jumps.
    const int64_t four_times = q * sorted.n_known;
    const int64_t i = std::min(four_times / 4, sorted.n_known - 1);
    const bool between = four_times % 4 == 0 && q != 0 && q != 4;
    summary.quartiles[size_t(q)] = between && sorted.view.kind == Kind::numeric
                                       ? at(i - 1) / 2 + at(i) / 2
                                       : at(between ? i - 1 : i);
  }
  return summary;
}

}  // namespace treewright
