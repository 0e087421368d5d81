// engine_branches.hpp: which branch of a split each row of a node takes.
#pragma once

#include "engine.hpp"

namespace treewright {

// The common case is two branches and a branch for every row: one bit per row. Otherwise each
// row has the number of its branch.
template <class Rows>
Branches Engine<Rows>::send_rows(Space<Rows>& space, const NodeList& list, const Open& open,
                                 const Candidate& split, Team* team) {
  const Node& node = list.nodes[size_t(open.id)];
  Branches branches(size_t(split.n_branches), size_t(layout_.words()));
  if constexpr (!Rows::kUnitWeights) {
    branches.weight_squared.resize(branches.n);
  }
  const bool missing = known_of(open, size_t(split.column), node) < node.n_rows();
  // A split from outside may leave categories out, which then go where missing values go.
  const bool listed = split.kind != SplitKind::subset || !split.left.empty();
  branches.two_sides = split.n_branches == 2 && (split.missing_route >= 0 || (!missing && listed));
  if (options_.missing == Missing::surrogate && split.n_branches == 2) {
    branches.two_sides = true;
    send_known(space, list, open, split, branches);
    branches.surrogates = find_surrogates(space, node, open, split, branches, team);
    send_unplaced(space, node, split, branches);
  } else if (!branches.two_sides) {
    send_each(space, node, open, split, branches);
  } else if (gets_new_numbers(open, node)) {
    send_two_ways(space, list, open, split, branches);
    branches.renumbers = true;
  } else if (!send_few(space, list, open, split, branches, team)) {
    send_two_ways(space, list, open, split, branches);
  }
  return branches;
}

template <class Rows>
void Engine<Rows>::send_two_ways(Space<Rows>& space, const NodeList& list, const Open& open,
                                 const Candidate& split, Branches& branches) const {
  const Node& node = list.nodes[size_t(open.id)];
  const int64_t* all = list.stats_of(open.id);
  const auto stats_of = [&](size_t b) {
    return branches.stats.data() + b * size_t(layout_.words());
  };
  const bool searched = !split.left.empty();  // or nobody knows yet what goes where
  branches.behind = searched && split.left[kRows] > all[kRows] / 2 ? 1 : 0;
  const size_t behind = branches.behind, front = 1 - behind;
  int128 squared = 0;
  int64_t n_behind = 0;
  for_each_of_branch(space, node, open, split, static_cast<int32_t>(behind), [&](Entry e) {
    space.sides.set(space.rows.row(e));
    ++n_behind;
    if (!searched) {
      space.rows.add(stats_of(behind), e);
    }
    if constexpr (!Rows::kUnitWeights) {
      const int64_t weight = weight_of(space, e);
      squared += int128(weight) * weight;
    }
  });
  branches.n_rows[behind] = n_behind;
  branches.n_rows[front] = node.n_rows() - n_behind;
  if (searched) {
    layout_.copy(stats_of(0), split.left.data());
    layout_.difference(stats_of(1), all, stats_of(0));
  } else {
    layout_.difference(stats_of(front), all, stats_of(behind));
  }
  if constexpr (!Rows::kUnitWeights) {
    branches.weight_squared[behind] = squared;
    branches.weight_squared[front] = list.weight_squared[size_t(open.id)] - squared;
  }
}

// The branch of a row whose value is known.
template <class Rows>
int32_t Engine<Rows>::branch_of(const Space<Rows>& space, const Candidate& split, Entry e) const {
  const ColumnView& view = views_[size_t(split.column)];
  if (split.kind == SplitKind::threshold) {
    return view.value(space.row(e)) <= split.threshold ? 0 : 1;
  }
  if (split.kind == SplitKind::is_missing) {
    return 1;
  }
  const int32_t code = view.code(space.row(e));
  const auto found = std::lower_bound(split.categories.begin(), split.categories.end(), code);
  return found != split.categories.end() && *found == code
             ? split.branches[size_t(found - split.categories.begin())]
             : split.missing_route;
}

// Whether a split by categories names that of a row.
template <class Rows>
bool Engine<Rows>::is_listed(const Space<Rows>& space, const Candidate& split, Entry e) const {
  const int32_t code = views_[size_t(split.column)].code(space.row(e));
  return std::binary_search(split.categories.begin(), split.categories.end(), code);
}

// Counts a row in its branch; row is its number in the space.
template <class Rows>
void Engine<Rows>::add_row(const Space<Rows>& space, Branches& branches, size_t branch,
                           Entry e) const {
  space.rows.add(branches.stats.data() + branch * size_t(layout_.words()), e);
  ++branches.n_rows[branch];
  if constexpr (!Rows::kUnitWeights) {
    const int64_t weight = weight_of(space, e);
    branches.weight_squared[branch] += int128(weight) * weight;
  }
}

// Two branches, known rows only: sides (the left one is behind) and statistics. Rows whose value is
// missing, or has no branch, are listed.
template <class Rows>
void Engine<Rows>::send_known(Space<Rows>& space, const NodeList& list, const Open& open,
                              const Candidate& split, Branches& branches) const {
  const Node& node = list.nodes[size_t(open.id)];
  const size_t column = size_t(split.column), words = size_t(layout_.words());
  const Span here = span(space, node, column, known_of(open, column, node));
  const bool sum = split.left.empty();  // a split that no search has found
  space.sign.resize(std::max(space.sign.size(), space.n_numbers(weights_.n_rows)));
  const auto place = [&](int64_t begin, int64_t end, int32_t branch) {
    if (branch < 0) {
      branches.unplaced.insert(branches.unplaced.end(), here.entries + begin, here.entries + end);
    } else {
      branches.n_rows[size_t(branch)] += end - begin;
    }
    for (int64_t i = begin; i < end; ++i) {
      const Entry e = here.entries[i];
      const uint32_t row = space.rows.row(e);
      space.sign[row] = static_cast<int8_t>(branch < 0 ? 0 : 1 - 2 * branch);
      if (branch == 0) {
        space.sides.set(row);
      }
      if (sum && branch >= 0) {
        space.rows.add(branches.stats.data() + size_t(branch) * words, e);
      }
      if constexpr (!Rows::kUnitWeights) {
        if (branch >= 0) {
          const int64_t weight = weight_of(space, e);
          branches.weight_squared[size_t(branch)] += int128(weight) * weight;
        }
      }
    }
  };
  if (split.kind == SplitKind::threshold) {
    const int64_t cut = first_above(space, here, column, split.threshold);
    place(0, cut, 0);
    place(cut, here.n_known, 1);
  } else {
    for (int64_t begin = 0, end; begin < here.n_known; begin = end) {
      for (end = begin + 1; end < here.n_known && !(here.entries[end] & kDiffers);) {
        ++end;
      }
      const int32_t branch = branch_of(space, split, here.entries[begin]);
      const bool listed =
          split.kind != SplitKind::subset || is_listed(space, split, here.entries[begin]);
      place(begin, end, listed ? branch : -1);
    }
  }
  place(here.n_known, here.n_rows, -1);
  if (!sum) {
    int64_t* left = branches.stats.data();
    layout_.copy(left, split.left.data());
    layout_.difference(left + words, list.stats_of(open.id), left);
    Words unplaced(words);
    for (const Entry e : branches.unplaced) {
      space.rows.add(unplaced.data(), e);
    }
    layout_.subtract(left + words, unplaced.data());
  }
}

// Two branches, rows that the split does not know: the first surrogate that knows the row, then
// the larger branch, or the row stays.
template <class Rows>
void Engine<Rows>::send_unplaced(Space<Rows>& space, const Node& node, const Candidate& split,
                                 Branches& branches) const {
  std::vector<Entry> staying;
  for (const Entry e : branches.unplaced) {
    int32_t branch = split.missing_route;
    for (Surrogate& surrogate : branches.surrogates) {
      const int32_t answer = surrogate_branch(surrogate, space.row(e));
      if (answer >= 0) {
        ++surrogate.n_rows;
        branch = answer;
        break;
      }
    }
    if (branch == 0) {
      space.sides.set(space.rows.row(e));
    }
    if (branch >= 0) {
      add_row(space, branches, size_t(branch), e);
    } else {
      staying.push_back(e);
    }
  }
  if (staying.empty()) {
    return;
  }
  // Two sides do not say it: every row gets the number of its branch.
  branches.two_sides = false;
  make_room(space);
  const Entry* entries = (*space.entries)[0].data() + node.begin;
  for (int64_t i = 0; i < node.n_rows(); ++i) {
    const uint32_t row = space.rows.row(entries[i]);
    space.branch[row] = space.sides.behind(row) ? 0 : 1;
  }
  for (const Entry e : staying) {
    space.branch[space.rows.row(e)] = kStays;
  }
  clear_sides(space, node);
}

// Any number of branches; missing rows take their route, stay, or are divided.
template <class Rows>
void Engine<Rows>::send_each(Space<Rows>& space, const Node& node, const Open& open,
                             const Candidate& split, Branches& branches) {
  const size_t column = size_t(split.column);
  const Span here = span(space, node, column, known_of(open, column, node));
  make_room(space);
  const auto send = [&](Entry e, int32_t branch) {
    const uint32_t row = space.rows.row(e);
    if (branch >= 0) {
      space.branch[row] = branch;
      add_row(space, branches, size_t(branch), e);
    } else if (branch == kStopHere) {
      space.branch[row] = kStays;
    } else {
      space.branch[row] = kDivided - static_cast<int32_t>(branches.divided.size());
      branches.divided.push_back(row);
    }
  };
  int32_t branch = 0;
  for (int64_t i = 0; i < here.n_known; ++i) {
    const Entry e = here.entries[i];
    if (i == 0 || (e & kDiffers)) {
      branch = branch_of(space, split, e);
    }
    send(e, branch);
  }
  for (int64_t i = here.n_known; i < here.n_rows; ++i) {
    send(here.entries[i], split.missing_route);
  }
  if (!branches.divided.empty()) {
    divide_rows(space, branches);
  }
}

// A row that goes down every branch becomes as many new rows, each with a share of its
// weight: that of the branch among the known rows. They get numbers of their own, so that
// nothing else has to know of them.
template <class Rows>
void Engine<Rows>::divide_rows(Space<Rows>& space, Branches& branches) {
  if constexpr (!Rows::kUnitWeights) {
    const size_t words = size_t(layout_.words());
    std::vector<double> share(branches.n);
    int64_t total = 0;
    for (size_t b = 0; b < branches.n; ++b) {
      total += branches.stats[b * words + kWeight];
    }
    for (size_t b = 0; b < branches.n; ++b) {
      share[b] = real(branches.stats[b * words + kWeight]) / real(total);
    }
    branches.parts.reserve(branches.divided.size() * branches.n);
    for (const uint32_t row : branches.divided) {
      const int64_t weight = space.own_weights[row];
      for (size_t b = 0; b < branches.n; ++b) {
        const int64_t part = std::llrint(real(weight) * share[b]);
        if (part == 0) {
          branches.parts.push_back(kNoRow);
          continue;
        }
        const auto number = static_cast<uint32_t>(space.own_global.size());
        branches.parts.push_back(number);
        space.own_global.push_back(space.own_global[row]);
        space.own_weights.push_back(part);
        if (!space.own_shares.empty()) {
          const double whole = real(space.own_shares[row]);
          space.own_shares.push_back(std::max<int64_t>(1, std::llrint(whole * share[b])));
        }
        if constexpr (kNumber) {
          space.own_y.push_back(space.own_y[row]);
        } else {
          space.own_labels.push_back(space.own_labels[row]);
        }
      }
    }
    space.point_to_own();
    make_room(space);
    for (size_t i = 0; i < branches.parts.size(); ++i) {
      if (branches.parts[i] != kNoRow) {
        add_row(space, branches, i % branches.n, Entry(branches.parts[i]) << space.rows.shift);
      }
    }
  }
}

// Room for every row number of the space.
template <class Rows>
void Engine<Rows>::make_room(Space<Rows>& space) const {
  const size_t n = space.n_numbers(weights_.n_rows);
  if (space.branch.size() < n) {
    space.branch.resize(n);
  }
  if (divides()) {
    space.sides.grow(static_cast<int64_t>(n));
  }
}

// All bits back to 0, for the next split. Every column holds the rows of the node, divided
// or not.
template <class Rows>
void Engine<Rows>::clear_sides(Space<Rows>& space, const Node& node) const {
  if (size_t(8 * node.n_rows()) > space.sides.words().size()) {  // faster than row by row
    space.sides.clear();
    return;
  }
  const Entry* entries = (*space.entries)[0].data() + node.begin;
  for (int64_t i = 0; i < node.n_rows(); ++i) {
    space.sides.clear(space.rows.row(entries[i]));
  }
}

}  // namespace treewright
