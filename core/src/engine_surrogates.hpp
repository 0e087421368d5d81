// engine_surrogates.hpp: other columns that imitate a split, for rows without its value.
//
// For each column the cut (in either direction) or the assignment of categories that sends
// most weight where the split sends it, over the rows known to both. It must beat sending
// everything to the larger branch. Cost: one pass per column, and one more for each that is kept.
//
// A row has the sign +1 if the split sends it left, -1 if right, 0 if the split does not know it.
// With D the sum of signs (times weights) of the rows below a cut, and L and R the weight that
// goes left and right in all, R + D go the same way; with the cut flipped, L - D. So the best cut
// has the largest or the smallest D.
#pragma once

#include "engine.hpp"

namespace treewright {

template <class Rows>
std::vector<Surrogate> Engine<Rows>::find_surrogates(const Space<Rows>& space, const Node& node,
                                                     const Open& open, const Candidate& split,
                                                     const Branches& branches, Team* team) const {
  std::vector<Surrogate> best;
  if (options_.max_surrogates == 0) {
    return best;
  }
  const size_t words = size_t(layout_.words()), primary = size_t(split.column);
  const std::array<int64_t, 2> sent{branches.stats[kWeight], branches.stats[words + kWeight]};
  std::vector<Agreement> found(n_columns());
  const auto find = [&](size_t c, int) {
    if (c != primary) {
      found[c] = agreement(space, span(space, node, c, known_of(open, c, node)), c, sent);
    }
  };
  if (team) {
    team->run(n_columns(), find);
  } else {
    for (size_t c = 0; c < n_columns(); ++c) {
      find(c, 0);
    }
  }
  constexpr double kWorthwhile = 1e-10;
  std::vector<size_t> columns;
  for (size_t c = 0; c < n_columns(); ++c) {
    if (found[c].matches >= 0 && found[c].adjust > kWorthwhile) {
      columns.push_back(c);
    }
  }
  std::stable_sort(columns.begin(), columns.end(),
                   [&](size_t a, size_t b) { return found[a].agree > found[b].agree; });
  columns.resize(std::min(columns.size(), size_t(options_.max_surrogates)));
  for (const size_t c : columns) {
    const Span here = span(space, node, c, known_of(open, c, node));
    best.push_back(make_surrogate(space, here, c, found[c]));
  }
  return best;
}

// sent: weight of the rows that the split sends left and right.
template <class Rows>
Agreement Engine<Rows>::agreement(const Space<Rows>& space, const Span& span, size_t column,
                                  const std::array<int64_t, 2>& sent) const {
  Agreement result;
  result.known = sent;
  for (int64_t i = span.n_known; i < span.n_rows; ++i) {
    const int64_t sign = sign_of(space, span.entries[i]);
    result.known[0] -= std::max<int64_t>(0, sign);
    result.known[1] += std::min<int64_t>(0, sign);
  }
  // Agreement is a share of the rows known to the split, or of those known to both.
  const auto& among = options_.known_agreement ? result.known : sent;
  const double total = real(among[0] + among[1]);
  result.larger = among[0] >= among[1] ? 0 : 1;
  result.matches = views_[column].kind == Kind::categorical
                       ? best_categories(space, span, column, result.larger, nullptr)
                       : best_cut(space, span, result);
  const double most = real(among[size_t(result.larger)]) / total;
  result.agree = real(result.matches) / total;
  result.adjust = (result.agree - most) / (1.0 - most);
  return result;
}

// The weight that the best cut sends the same way; -1 if there is none. Cuts lie between
// neighbouring values of all rows, those included that the split does not know; rpart wants two
// rows on either side that it does.
template <class Rows>
int64_t Engine<Rows>::best_cut(const Space<Rows>& space, const Span& span,
                               const Agreement& agreement) const {
  const auto [first, last] = cuts_allowed(space, span);
  constexpr int64_t kFar = int64_t(1) << 60;
  constexpr int64_t kNot[2] = {kFar, 0};
  int64_t sum = 0, largest = -kFar, smallest = kFar;
  for (int64_t i = 0; i < std::min(first, last + 1); ++i) {
    sum += sign_of(space, span.entries[i]);
  }
  for (int64_t i = first; i <= last; ++i) {
    const Entry e = span.entries[i];
    const int64_t no_cut = kNot[e & kDiffers];
    largest = std::max(largest, sum - no_cut);
    smallest = std::min(smallest, sum + no_cut);
    sum += sign_of(space, e);
  }
  return std::max({int64_t(-1), agreement.known[1] + largest, agreement.known[0] - smallest});
}

// A cut before entry i is allowed for i from first to last.
template <class Rows>
std::pair<int64_t, int64_t> Engine<Rows>::cuts_allowed(const Space<Rows>& space,
                                                       const Span& span) const {
  const int64_t least = options_.rpart ? 2 : 1;
  int64_t first = 0, last = span.n_known;
  for (int64_t n = 0; n < least && first < span.n_known; ++first) {
    n += space.sign[space.rows.row(span.entries[first])] != 0;
  }
  for (int64_t n = 0; n < least && last > 0; --last) {
    n += space.sign[space.rows.row(span.entries[last - 1])] != 0;
  }
  return {first, last};
}

// Each category goes where most of its weight goes; those without a row that the split knows
// are left out. rpart wants two rows that agree and two that do not.
template <class Rows>
int64_t Engine<Rows>::best_categories(const Space<Rows>& space, const Span& span, size_t column,
                                      int32_t larger, Surrogate* found) const {
  int64_t matches = 0, n_right = 0, n_wrong = 0;
  for (int64_t i = 0; i < span.n_known;) {
    int64_t weight[2] = {0, 0}, rows[2] = {0, 0};
    const Entry first = span.entries[i];
    do {
      const int64_t sign = sign_of(space, span.entries[i]);
      weight[0] += std::max<int64_t>(0, sign);
      weight[1] -= std::min<int64_t>(0, sign);
      rows[0] += sign > 0;
      rows[1] += sign < 0;
      ++i;
    } while (i < span.n_known && !(span.entries[i] & kDiffers));
    if (rows[0] + rows[1] == 0) {
      continue;
    }
    const int32_t branch = weight[0] == weight[1] ? larger : weight[0] > weight[1] ? 0 : 1;
    matches += weight[branch];
    n_right += rows[branch];
    n_wrong += rows[1 - branch];
    if (found) {
      found->categories.push_back(views_[column].code(space.row(first)));
      found->branches.push_back(branch);
    }
  }
  const bool enough = !options_.rpart || (n_right >= 2 && n_wrong >= 2);
  return enough ? matches : -1;
}

// The split that agrees so much: the first such cut, straight before flipped.
template <class Rows>
Surrogate Engine<Rows>::make_surrogate(const Space<Rows>& space, const Span& span, size_t column,
                                       const Agreement& agreement) const {
  Surrogate surrogate;
  surrogate.column = static_cast<int32_t>(column);
  surrogate.agree = agreement.agree;
  surrogate.adjust = agreement.adjust;
  if (views_[column].kind == Kind::categorical) {
    surrogate.threshold = std::nan("");
    best_categories(space, span, column, agreement.larger, &surrogate);
    return surrogate;
  }
  const auto [first, last] = cuts_allowed(space, span);
  int64_t sum = 0;
  for (int64_t i = 0; i <= last; ++i) {
    const Entry e = span.entries[i];
    const bool straight = agreement.known[1] + sum == agreement.matches;
    const bool flipped = agreement.known[0] - sum == agreement.matches;
    if (i >= first && (e & kDiffers) && (straight || flipped)) {
      const auto value = [&](int64_t at) {
        return views_[column].value(space.row(span.entries[at]));
      };
      surrogate.flip = !straight;
      surrogate.threshold = midpoint(value(i - 1), value(i));
      break;
    }
    sum += sign_of(space, e);
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
