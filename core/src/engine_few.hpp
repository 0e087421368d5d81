// engine_few.hpp: dividing a node that few rows leave.
//
// A deep tree cuts off a few rows again and again. To ask every entry of every column where it goes
// would then take longest of all; instead the few are searched for in each column, and all others
// are moved together.
#pragma once

#include "engine.hpp"

namespace treewright {

// Whether the split sends only few rows one way. If so: which, where they are, and what is known of
// both branches. (Not for numbers, whose nodes are seldom divided like that.)
template <class Rows>
bool Engine<Rows>::send_few(const Space<Rows>& space, const NodeList& list, const Open& open,
                            const Candidate& split, Branches& branches, Team* team) const {
  const Node& node = list.nodes[size_t(open.id)];
  const size_t column = size_t(split.column);
  const int64_t n = node.n_rows();
  if (kNumber || divides() || n < kFewestToSearch || split.kind != SplitKind::threshold ||
      split.left.empty() || known_of(open, column, node) < n) {
    return false;
  }
  const int64_t n_left = split.left[kRows], n_few = std::min(n_left, n - n_left);
  if (n_few * kOneOf > n) {
    return false;
  }
  branches.behind = n_few == n_left ? 0 : 1;
  branches.n_rows = {n_left, n - n_left};
  layout_.copy(branches.stats.data(), split.left.data());
  layout_.difference(branches.stats.data() + layout_.words(), list.stats_of(open.id),
                     split.left.data());
  const Entry* entries = (*space.entries)[column].data() + node.begin;
  const Entry* first = branches.behind == 0 ? entries : entries + n - n_few;
  int128 few_squared = 0;
  for (const Entry* e = first; e != first + n_few; ++e) {
    const int64_t weight = weight_of(space, *e);
    few_squared += int128(weight) * weight;
    branches.few.push_back(space.rows.row(*e));
  }
  if constexpr (!Rows::kUnitWeights) {
    branches.weight_squared[branches.behind] = few_squared;
    branches.weight_squared[1 - branches.behind] =
        list.weight_squared[size_t(open.id)] - few_squared;
  }
  branches.places.resize(branches.few.size() * n_columns());
  if (team) {
    const size_t n_parts = size_t(2 * team->size());
    team->run(n_parts, [&](size_t part, int) {
      find_few(space, node, n_columns() * part / n_parts, n_columns() * (part + 1) / n_parts,
               branches);
    });
  } else {
    find_few(space, node, 0, n_columns(), branches);
  }
  return true;
}

// The places of the few in these columns, ascending. All columns take each step of a binary search
// together, so that they do not wait for the memory one after the other. Its last steps, to values
// that nobody has looked at of late, would take longer than to look at all entries that are left.
template <class Rows>
void Engine<Rows>::find_few(const Space<Rows>& space, const Node& node, size_t first, size_t last,
                            Branches& branches) const {
  const size_t n_few = branches.few.size();
  std::vector<double> values(n_columns());
  std::vector<const Entry*> places(n_columns());
  const auto begin_of = [&](size_t c) { return (*space.entries)[c].data() + node.begin; };
  // Columns are sorted by value, missing ones last, and equal ones by row. No branches: they would
  // be mispredicted every other time.
  const auto is_before = [&](Entry e, size_t c, int64_t row) {
    const int64_t other = space.row(e);
    const double x = views_[c].value(other), y = values[c];
    const bool ties = (x == y) | (std::isnan(x) & std::isnan(y));
    return int64_t{(x < y) | (std::isnan(y) & !std::isnan(x)) | (ties & (other < row))};
  };
  for (size_t i = 0; i < n_few; ++i) {
    const uint32_t number = branches.few[i];
    const int64_t row = space.row(number << space.rows.shift);
    for (size_t c = first; c < last; ++c) {
      values[c] = views_[c].value(row);
      places[c] = begin_of(c);
    }
    int64_t n = node.n_rows();
    for (int64_t half; n > kNearby; n -= half) {
      half = n / 2;
      for (size_t c = first; c < last; ++c) {
        places[c] += half & -is_before(places[c][half - 1], c, row);
      }
    }
    for (size_t c = first; c < last; ++c) {
      int32_t nearby = 0;  // a sum of one place and zeros: the compiler makes vectors of it
      for (int32_t k = 0; k < static_cast<int32_t>(n); ++k) {
        nearby += space.rows.row(places[c][k]) == number ? k : 0;
      }
      branches.places[c * n_few + i] = static_cast<uint32_t>(places[c] + nearby - begin_of(c));
    }
  }
  for (size_t c = first; c < last; ++c) {
    const auto of_column = std::span(branches.places).subspan(c * n_few, n_few);
    std::sort(of_column.begin(), of_column.end());
  }
}

template <class Rows>
void Engine<Rows>::divide_few(Space<Rows>& space, const Node& node, const Branches& branches,
                              size_t column, int64_t known, int worker,
                              int64_t* known_of_branches) const {
  const size_t n_few = branches.few.size();
  const auto places = std::span(branches.places).subspan(column * n_few, n_few);
  move_few(std::span((*space.entries)[column]).subspan(node.begin, size_t(node.n_rows())), places,
           scratch_of(space, worker, std::ssize(places)));
  if (known_of_branches) {
    const auto n_known = std::lower_bound(places.begin(), places.end(), known) - places.begin();
    known_of_branches[branches.behind] = n_known;
    known_of_branches[1 - branches.behind] = known - n_known;
  }
}

}  // namespace treewright
