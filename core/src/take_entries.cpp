#include "take_entries.hpp"

#include <algorithm>

#include "treewright/category_search.hpp"

namespace treewright {
namespace {

template <class Rows>
class EntryTaker {
 public:
  static constexpr bool kLabelsInEntries = std::is_same_v<Rows, CountedRows>;

  EntryTaker(const SortedTable& table, const Rows& rows, const Problem& problem)
      : table_(table),
        rows_(rows),
        problem_(problem),
        all_rows_(problem.weights.rows == table.n_rows),
        is_present_(all_rows_ ? 0 : size_t(table.n_rows)) {
    for (size_t row = 0; row < is_present_.size(); ++row) {
      is_present_[row] = problem.weights.units(row) > 0;
    }
  }

  // The entries of one column; returns how many of its rows are known.
  int64_t take_column(size_t c, SortedTable* to_consume, Entries& own) const {
    const SortedColumn& column = table_.columns[c];
    const Entry* from = column.entries.data();
    const size_t n = column.entries.size();
    if (to_consume != nullptr) {
      own = std::move(to_consume->columns[c].entries);  // `from` still points to them
      if (all_rows_ && !kLabelsInEntries) {
        return column.n_known;
      }
    } else {
      own.resize(std::min(n, size_t(problem_.weights.rows) + 1));
    }
    Entry pending = 0;
    const auto middle = size_t(column.n_known);
    const size_t known = keep_present({from, middle}, own.data(), 0, pending);
    own.resize(keep_present({from + middle, n - middle}, own.data(), known, pending));
    return static_cast<int64_t>(known);
  }

  Entries take_target() const {
    Entries order = sort_values(problem_.target.values, table_.n_rows, problem_.control);
    Entry pending = 0;
    order.resize(keep_present(order, order.data(), 0, pending));
    return order;
  }

 private:
  Entry with_label(uint32_t row, Entry differs) const {
    if constexpr (kLabelsInEntries) {
      return row << rows_.shift | Entry(problem_.target.labels[row]) << 1 | differs;
    } else {
      return row << 1 | differs;
    }
  }

  // Writes the entries of rows with positive weight after the first `kept` entries of `to`. A row
  // that is left out passes its "differs" bit on to the next row. `to` may be the array that is
  // read; it has room for one more entry than remains. Returns the new number of entries.
  size_t keep_present(std::span<const Entry> from, Entry* to, size_t kept, Entry& pending) const {
    for (const Entry e : from) {
      const uint32_t row = e >> 1;
      const bool stays = all_rows_ || is_present_[row] != 0;
      pending |= e & kDiffers;
      to[kept] = with_label(row, pending);
      kept += stays;
      pending = stays ? 0 : pending;
    }
    return kept;
  }

  const SortedTable& table_;
  const Rows& rows_;
  const Problem& problem_;
  bool all_rows_;
  std::vector<uint8_t> is_present_;
};

bool has_many_levels(std::span<const Entry> known) {
  // The bit of the first entry has no meaning; all others are compared.
  const auto later = known.subspan(std::min<size_t>(1, known.size()));
  return std::count_if(later.begin(), later.end(), [](Entry e) { return (e & kDiffers) != 0; }) >=
         kFewLevels;
}

}  // namespace

template <class Rows>
std::vector<Entries> take_entries(const SortedTable& table, SortedTable* to_consume,
                                  const Rows& rows, Problem& problem, OpenNode& root, Team& team) {
  const EntryTaker<Rows> taker(table, rows, problem);
  const size_t n_columns = problem.n_columns();
  std::vector<Entries> entries(n_columns + (problem.number() ? 1 : 0));
  std::vector<int64_t> n_known(n_columns);
  team.run(entries.size(), [&](size_t task, int) {
    const size_t c = entries.size() - 1 - task;  // the target first, because it takes longest
    if (c < n_columns) {
      n_known[c] = taker.take_column(c, to_consume, entries[c]);
    } else {
      entries[c] = taker.take_target();
    }
  });
  problem.missing_slot.assign(n_columns, -1);
  problem.has_many_levels.assign(n_columns, 0);
  for (size_t c = 0; c < n_columns; ++c) {
    if (n_known[c] < problem.weights.rows) {
      problem.missing_slot[c] = static_cast<int32_t>(root.known.size());
      root.known.push_back(static_cast<int32_t>(n_known[c]));
    }
    if (problem.options.charge_levels && problem.views[c].kind == Kind::categorical) {
      problem.has_many_levels[c] = has_many_levels({entries[c].data(), size_t(n_known[c])});
    }
  }
  return entries;
}

#define X(Rows)                                                                             \
  template std::vector<Entries> take_entries(const SortedTable&, SortedTable*, const Rows&, \
                                             Problem&, OpenNode&, Team&);
TREEWRIGHT_FOR_ALL_ROWS(X)
#undef X

}  // namespace treewright
