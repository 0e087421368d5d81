// engine_surrogates.hpp: other columns that imitate a split, for rows without its value.
//
// For each column the cut (in either direction) or the assignment of categories that sends
// most weight where the split sends it, over the rows known to both. It must beat sending
// everything to the larger branch. Cost: one pass per column.
#pragma once

#include "engine.hpp"

namespace treewright {

template <class Rows>
std::vector<Surrogate> Engine<Rows>::find_surrogates(const Space<Rows>& space, const Node& node,
                                                     const Open& open, const Candidate& split,
                                                     const Branches& branches, Team* team) const {
  const size_t words = size_t(layout_.words());
  const int64_t left = branches.stats[kWeight], right = branches.stats[words + kWeight];
  const size_t primary = size_t(split.column);
  const Span of_split = span(space, node, primary, known_of(open, primary, node));
  // Rows without a value of the split have no side to be imitated.
  Sides hidden(of_split.n_known < of_split.n_rows ? int64_t(space.sides.size()) : 0);
  for (int64_t i = of_split.n_known; i < of_split.n_rows; ++i) {
    hidden.set(space.rows.row(of_split.entries[i]));
  }
  std::vector<std::optional<Surrogate>> found(n_columns());
  const auto find = [&](size_t c, int) {
    if (c != primary) {
      Span here = span(space, node, c, known_of(open, c, node));
      here.n_rows = here.n_known;
      found[c] = find_surrogate(space, here, c, hidden, left, right);
    }
  };
  if (team) {
    team->run(n_columns(), find);
  } else {
    for (size_t c = 0; c < n_columns(); ++c) {
      find(c, 0);
    }
  }
  std::vector<Surrogate> best;
  for (auto& surrogate : found) {
    if (surrogate) {
      best.push_back(std::move(*surrogate));
    }
  }
  std::stable_sort(best.begin(), best.end(),
                   [](const Surrogate& a, const Surrogate& b) { return a.agree > b.agree; });
  best.resize(std::min(best.size(), size_t(options_.max_surrogates)));
  return best;
}

// left, right: weight of the rows that the split sends there; agreement is a share of these, or
// of those among them that this column knows.
template <class Rows>
std::optional<Surrogate> Engine<Rows>::find_surrogate(const Space<Rows>& space, const Span& span,
                                                      size_t column, const Sides& hidden,
                                                      int64_t left, int64_t right) const {
  struct Count {
    int64_t weight[2] = {0, 0};  // by side of the split
    int64_t rows[2] = {0, 0};
    int64_t all() const { return weight[0] + weight[1]; }
    int64_t all_rows() const { return rows[0] + rows[1]; }
  };
  const bool some_hidden = hidden.size() > 0;
  const auto add = [&](Count& count, Entry e) {
    const uint32_t row = space.rows.row(e);
    if (!some_hidden || !hidden.left(row)) {
      const uint32_t side = 1 - space.sides.left(row);
      count.weight[side] += weight_of(space, e);
      ++count.rows[side];
    }
  };
  Count all;
  for (int64_t i = 0; i < span.n_known; ++i) {
    add(all, span.entries[i]);
  }
  Surrogate surrogate;
  surrogate.column = static_cast<int32_t>(column);
  int64_t matches = -1;
  if (options_.known_agreement) {
    left = all.weight[0];
    right = all.weight[1];
  }
  const int64_t least = options_.rpart ? 2 : 1;
  if (views_[column].kind == Kind::categorical) {
    surrogate.threshold = std::nan("");
    const int32_t larger = left >= right ? 0 : 1;
    matches = 0;
    int64_t right_rows = 0;
    for (int64_t i = 0; i < span.n_known;) {
      Count level;
      const int32_t code = views_[column].code(space.row(span.entries[i]));
      do {
        add(level, span.entries[i++]);
      } while (i < span.n_known && !(span.entries[i] & kDiffers));
      if (level.all_rows() > 0) {
        const int64_t difference = level.weight[0] - level.weight[1];
        const int32_t branch = difference == 0 ? larger : difference > 0 ? 0 : 1;
        matches += level.weight[branch];
        right_rows += level.rows[branch];
        surrogate.categories.push_back(code);
        surrogate.branches.push_back(branch);
      }
    }
    // rpart knows no perfect surrogate here.
    if (options_.rpart && std::min(right_rows, all.all_rows() - right_rows) < least) {
      return std::nullopt;
    }
  } else {
    Count below;
    for (int64_t i = 0; i < span.n_known; ++i) {
      const Entry e = span.entries[i];
      if (i > 0 && (e & kDiffers) && below.all_rows() >= least &&
          all.all_rows() - below.all_rows() >= least) {
        const int64_t straight = below.weight[0] + all.weight[1] - below.weight[1];
        const bool flip = all.all() - straight > straight;
        const int64_t here = flip ? all.all() - straight : straight;
        if (here > matches) {
          matches = here;
          surrogate.flip = flip;
          surrogate.threshold = midpoint(views_[column].value(space.row(span.entries[i - 1])),
                                         views_[column].value(space.row(e)));
        }
      }
      add(below, e);
    }
  }
  if (matches < 0) {
    return std::nullopt;
  }
  const double total = real(left + right);
  const double larger = real(std::max(left, right)) / total;
  surrogate.agree = real(matches) / total;
  surrogate.adjust = (surrogate.agree - larger) / (1.0 - larger);
  constexpr double kWorthwhile = 1e-10;
  if (!(surrogate.adjust > kWorthwhile)) {
    return std::nullopt;
  }
  return surrogate;
}

// The branch of a row of the table; negative if the surrogate does not know it.
template <class Rows>
int32_t Engine<Rows>::surrogate_branch(const Surrogate& surrogate, int64_t row) const {
  const ColumnView& view = views_[size_t(surrogate.column)];
  if (std::isnan(surrogate.threshold)) {
    const auto begin = surrogate.categories.begin(), end = surrogate.categories.end();
    const int32_t code = view.code(row);
    const auto found = std::lower_bound(begin, end, code);
    return found != end && *found == code ? surrogate.branches[size_t(found - begin)] : -1;
  }
  const double x = view.value(row);
  return std::isnan(x) ? -1 : (x <= surrogate.threshold) == surrogate.flip ? 1 : 0;
}

}  // namespace treewright
