// How a column is sorted. Each row becomes one 64-bit item, sketch << 32 | row, where the
// sketch is a monotone map of the value to 32 bits: unequal sketches are in the order of
// their values, equal sketches say nothing. Items are radix-sorted by the top bits of the
// sketch (one or two passes, as many bits as the number of rows deserves); what falls into
// one bucket is a short run, finished by insertion on the full sketch and, where that ties,
// on the value itself. A long run (heavy ties, or values crowded by an outlier) is sketched
// again on its own range. Ties end in row order, so the result is unique.
#include "treewright/sorted_table.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>

namespace treewright {
namespace {

using Item = uint64_t;
constexpr int kDigitBits = 11;
constexpr int64_t kShortRun = 24;
constexpr int kMaxRounds = 4;

inline uint32_t row_of(Item item) { return static_cast<uint32_t>(item); }
inline uint32_t sketch_of(Item item) { return static_cast<uint32_t>(item >> 32); }

// Scratch of one thread, kept between columns.
struct Scratch {
  std::vector<Item> items, other;
  std::vector<uint32_t> counts;
};

template <class T>
class Sorter {
 public:
  Sorter(const T* values, Scratch& scratch, const Control& control)
      : values_(values), scratch_(scratch), control_(control) {}

  // Sorts scratch.items[begin, end), which hold row numbers, by (value, row).
  void sort(int64_t begin, int64_t end, int round) {
    control_.check();
    Item* items = scratch_.items.data();
    if (end - begin <= kShortRun || round == kMaxRounds) {
      std::sort(items + begin, items + end, [this](Item a, Item b) { return less(a, b); });
      return;
    }
    if (!sketch(begin, end)) {
      return;  // one value only, and the items came in row order
    }
    const int bits = std::clamp(static_cast<int>(std::bit_width(uint64_t(end - begin))) + 2, 8,
                                2 * kDigitBits);
    const int low = bits / 2;
    radix_pass(begin, end, 32 + (32 - bits), low);
    radix_pass(begin, end, 32 + (32 - bits) + low, bits - low);
    finish_runs(begin, end, 32 + (32 - bits), round);
  }

 private:
  T value(Item item) const { return values_[row_of(item)]; }
  bool less(Item a, Item b) const {
    const T x = value(a), y = value(b);
    return x < y || (x == y && row_of(a) < row_of(b));
  }

  // Puts a sketch of the range [minimum, maximum] of these rows into the items.
  bool sketch(int64_t begin, int64_t end) {
    Item* items = scratch_.items.data();
    T low = value(items[begin]), high = low;
    for (int64_t i = begin; i < end; ++i) {
      const T x = value(items[i]);
      low = std::min(low, x);
      high = std::max(high, x);
    }
    if (low == high) {
      return false;
    }
    // Halved, so that the range of the largest floats does not overflow; infinities
    // are clamped, which keeps the map monotone.
    const double bottom = std::max(double(low), -std::numeric_limits<double>::max()) / 2;
    const double top = std::min(double(high), std::numeric_limits<double>::max()) / 2;
    const double scale =
        top > bottom ? std::min(4294967040.0 / (top - bottom), 1e300) : 0.0;
    for (int64_t i = begin; i < end; ++i) {
      const double x = (double(value(items[i])) / 2 - bottom) * scale;
      const auto sketch = static_cast<uint32_t>(std::clamp(x, 0.0, 4294967295.0));
      items[i] = Item(sketch) << 32 | row_of(items[i]);
    }
    return true;
  }

  void radix_pass(int64_t begin, int64_t end, int shift, int bits) {
    const Item mask = (Item(1) << bits) - 1;
    Item* items = scratch_.items.data();
    Item* other = scratch_.other.data();
    scratch_.counts.assign(size_t(1) << bits, 0);
    uint32_t* counts = scratch_.counts.data();
    for (int64_t i = begin; i < end; ++i) {
      ++counts[(items[i] >> shift) & mask];
    }
    uint32_t position = static_cast<uint32_t>(begin);
    for (size_t d = 0; d <= mask; ++d) {
      const uint32_t count = counts[d];
      counts[d] = position;
      position += count;
    }
    for (int64_t i = begin; i < end; ++i) {
      other[counts[(items[i] >> shift) & mask]++] = items[i];
    }
    if (begin == 0 && end == static_cast<int64_t>(scratch_.items.size())) {
      std::swap(scratch_.items, scratch_.other);
    } else {
      std::copy(other + begin, other + end, items + begin);
    }
  }

  void finish_runs(int64_t begin, int64_t end, int shift, int round) {
    for (int64_t first = begin; first < end;) {
      const Item* items = scratch_.items.data();
      const Item bucket = items[first] >> shift;
      int64_t last = first + 1;
      while (last < end && items[last] >> shift == bucket) {
        ++last;
      }
      if (last - first > kShortRun) {
        sort(first, last, round + 1);
      } else if (last - first > 1) {
        insertion_sort(first, last);
      }
      first = last;
    }
  }

  void insertion_sort(int64_t begin, int64_t end) {
    Item* items = scratch_.items.data();
    for (int64_t i = begin + 1; i < end; ++i) {
      const Item item = items[i];
      int64_t j = i;
      for (; j > begin && before(item, items[j - 1]); --j) {
        items[j] = items[j - 1];
      }
      items[j] = item;
    }
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
  int64_t known = 0, missing = n_rows;
  for (int64_t row = 0; row < n_rows; ++row) {
    const bool is_missing = std::isnan(values[row]);
    scratch.items[size_t(known)] = Item(row);
    known += !is_missing;
    if (is_missing) {
      entries[size_t(--missing)] = Entry(row) << 1;
    }
  }
  std::reverse(entries.begin() + missing, entries.end());
  n_known = known;
  scratch.items.resize(size_t(known));
  scratch.other.resize(size_t(known));
  Sorter<T>(values, scratch, control).sort(0, known, 0);
  T previous = 0;
  for (int64_t i = 0; i < known; ++i) {
    const uint32_t row = row_of(scratch.items[size_t(i)]);
    const T x = values[row];
    entries[size_t(i)] = row << 1 | Entry(i == 0 || x != previous);
    previous = x;
  }
  if (known < n_rows) {
    entries[size_t(known)] |= kDiffers;
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
  const auto at = [&](int64_t i) { return sorted.view.value(sorted.entries[size_t(i)] >> 1); };
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
