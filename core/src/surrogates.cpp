#include "surrogates.hpp"

#include <algorithm>
#include <cmath>

namespace treewright {
namespace {

// An adjusted agreement below this may be a rounding error, so it makes no surrogate.
constexpr double kWorthwhile = 1e-10;

// How well a column imitates a split.
struct Agreement {
  int64_t matches = -1;  // the weight that goes to the same branch; -1: no surrogate
  double agree = 0.0, adjust = 0.0;
  std::array<int64_t, 2> known{};  // weight of the rows known to both, by branch of the split
  int32_t larger = 0;              // the heavier branch among the rows that agreement is a share of
};

template <class Rows>
class SurrogateSearch {
 public:
  SurrogateSearch(const NodeView<Rows>& view, const std::array<int64_t, 2>& sent)
      : view_(view), options_(view.problem.options), sent_(sent) {}

  Agreement agreement(size_t column) const;
  Surrogate surrogate(size_t column, const Agreement& agreement) const;

 private:
  struct Cuts {
    int64_t first, last;  // a cut before entry i is allowed for i from first to last
  };
  int8_t sign(Entry e) const { return view_.numbering.sign[view_.rows().row(e)]; }
  int64_t signed_weight(Entry e) const { return sign(e) * view_.numbering.weight(e); }
  bool is_categorical(size_t column) const {
    return view_.problem.views[column].kind == Kind::categorical;
  }
  Cuts allowed_cuts(const ColumnRange& range) const;
  int64_t best_cut(const ColumnRange& range, const Agreement& agreement) const;
  int64_t best_categories(const ColumnRange& range, size_t column, int32_t larger,
                          Surrogate* found) const;

  const NodeView<Rows>& view_;
  const GrowOptions& options_;
  const std::array<int64_t, 2>& sent_;
};

template <class Rows>
Agreement SurrogateSearch<Rows>::agreement(size_t column) const {
  const ColumnRange range = view_.column(column);
  Agreement result;
  result.known = sent_;
  for (int64_t i = range.n_known; i < range.n_rows; ++i) {
    const int64_t weight = signed_weight(range.entries[i]);
    result.known[0] -= std::max<int64_t>(0, weight);
    result.known[1] += std::min<int64_t>(0, weight);
  }
  // Agreement is a share of the rows known to the split, or of those known to both.
  const auto& among = options_.known_agreement ? result.known : sent_;
  const double total = real(among[0] + among[1]);
  result.larger = among[0] >= among[1] ? 0 : 1;
  result.matches = is_categorical(column) ? best_categories(range, column, result.larger, nullptr)
                                          : best_cut(range, result);
  const double most = real(among[size_t(result.larger)]) / total;
  result.agree = real(result.matches) / total;
  result.adjust = (result.agree - most) / (1.0 - most);
  return result;
}

// The weight that the best cut sends to the same branch as the split; -1 if there is no cut. Cuts
// lie between neighbouring values of all rows, including rows that the split does not place.
template <class Rows>
int64_t SurrogateSearch<Rows>::best_cut(const ColumnRange& range,
                                        const Agreement& agreement) const {
  const auto [first, last] = allowed_cuts(range);
  constexpr int64_t kFar = int64_t(1) << 60;
  constexpr int64_t kNoCut[2] = {kFar, 0};
  int64_t sum = 0, largest = -kFar, smallest = kFar;
  for (int64_t i = 0; i < std::min(first, last + 1); ++i) {
    sum += signed_weight(range.entries[i]);
  }
  for (int64_t i = first; i <= last; ++i) {
    const Entry e = range.entries[i];
    const int64_t no_cut = kNoCut[e & kDiffers];
    largest = std::max(largest, sum - no_cut);
    smallest = std::min(smallest, sum + no_cut);
    sum += signed_weight(e);
  }
  return std::max({int64_t(-1), agreement.known[1] + largest, agreement.known[0] - smallest});
}

template <class Rows>
auto SurrogateSearch<Rows>::allowed_cuts(const ColumnRange& range) const -> Cuts {
  const int64_t least = options_.min_surrogate_rows;
  int64_t first = 0, last = range.n_known;
  for (int64_t n = 0; n < least && first < range.n_known; ++first) {
    n += sign(range.entries[first]) != 0;
  }
  for (int64_t n = 0; n < least && last > 0; --last) {
    n += sign(range.entries[last - 1]) != 0;
  }
  return {first, last};
}

// Each category goes where most of its weight goes; those without a row that the split places are
// left out.
template <class Rows>
int64_t SurrogateSearch<Rows>::best_categories(const ColumnRange& range, size_t column,
                                               int32_t larger, Surrogate* found) const {
  int64_t matches = 0, n_right = 0, n_wrong = 0;
  for (int64_t i = 0; i < range.n_known;) {
    int64_t weight[2] = {0, 0}, rows[2] = {0, 0};
    const Entry first = range.entries[i];
    do {
      const int64_t of_row = signed_weight(range.entries[i]);
      weight[0] += std::max<int64_t>(0, of_row);
      weight[1] -= std::min<int64_t>(0, of_row);
      rows[0] += of_row > 0;
      rows[1] += of_row < 0;
      ++i;
    } while (i < range.n_known && !(range.entries[i] & kDiffers));
    if (rows[0] + rows[1] == 0) {
      continue;
    }
    const int32_t branch = weight[0] == weight[1] ? larger : weight[0] > weight[1] ? 0 : 1;
    matches += weight[branch];
    n_right += rows[branch];
    n_wrong += rows[1 - branch];
    if (found) {
      found->categories.push_back(view_.code(column, first));
      found->branches.push_back(branch);
    }
  }
  const int64_t least = options_.min_surrogate_rows;
  const bool enough = least <= 1 || (n_right >= least && n_wrong >= least);
  return enough ? matches : -1;
}

// The first cut that agrees this much; at the same cut, unflipped before flipped.
template <class Rows>
Surrogate SurrogateSearch<Rows>::surrogate(size_t column, const Agreement& agreement) const {
  const ColumnRange range = view_.column(column);
  Surrogate surrogate;
  surrogate.column = static_cast<int32_t>(column);
  surrogate.agree = agreement.agree;
  surrogate.adjust = agreement.adjust;
  if (is_categorical(column)) {
    surrogate.threshold = std::nan("");
    best_categories(range, column, agreement.larger, &surrogate);
    return surrogate;
  }
  const auto [first, last] = allowed_cuts(range);
  int64_t sum = 0;
  for (int64_t i = 0; i <= last; ++i) {
    const Entry e = range.entries[i];
    const bool straight = agreement.known[1] + sum == agreement.matches;
    const bool flipped = agreement.known[0] - sum == agreement.matches;
    if (i >= first && (e & kDiffers) && (straight || flipped)) {
      surrogate.flip = !straight;
      surrogate.threshold =
          midpoint(view_.value(column, range.entries[i - 1]), view_.value(column, e), true,
                   view_.problem.options.step(column));
      break;
    }
    sum += signed_weight(e);
  }
  return surrogate;
}

}  // namespace

template <class Rows>
std::vector<Surrogate> find_surrogates(const NodeView<Rows>& view, const Candidate& split,
                                       const std::array<int64_t, 2>& sent, Team* team) {
  std::vector<Surrogate> best;
  if (view.problem.options.max_surrogates == 0) {
    return best;
  }
  const SurrogateSearch<Rows> search(view, sent);
  const size_t n_columns = view.problem.n_columns();
  std::vector<Agreement> found(n_columns);
  const auto find = [&](size_t c, int) {
    if (c != size_t(split.column)) {
      found[c] = search.agreement(c);
    }
  };
  if (team) {
    team->run(n_columns, find);
  } else {
    for (size_t c = 0; c < n_columns; ++c) {
      find(c, 0);
    }
  }
  std::vector<size_t> columns;
  for (size_t c = 0; c < n_columns; ++c) {
    if (found[c].matches >= 0 && found[c].adjust > kWorthwhile) {
      columns.push_back(c);
    }
  }
  std::stable_sort(columns.begin(), columns.end(),
                   [&](size_t a, size_t b) { return found[a].agree > found[b].agree; });
  columns.resize(std::min(columns.size(), size_t(view.problem.options.max_surrogates)));
  for (const size_t c : columns) {
    best.push_back(search.surrogate(c, found[c]));
  }
  return best;
}

int32_t surrogate_branch(const Problem& problem, const Surrogate& surrogate, int64_t row) {
  const ColumnView& view = problem.views[size_t(surrogate.column)];
  if (std::isnan(surrogate.threshold)) {
    const auto begin = surrogate.categories.begin(), end = surrogate.categories.end();
    const int32_t code = view.code(row);
    const auto found = std::lower_bound(begin, end, code);
    return found != end && *found == code ? surrogate.branches[size_t(found - begin)] : -1;
  }
  const double x = view.value(row);
  return std::isnan(x) ? -1 : (x <= surrogate.threshold) == surrogate.flip ? 1 : 0;
}

#define X(Rows)                                                                            \
  template std::vector<Surrogate> find_surrogates(const NodeView<Rows>&, const Candidate&, \
                                                  const std::array<int64_t, 2>&, Team*);
TREEWRIGHT_FOR_ALL_ROWS(X)
#undef X

}  // namespace treewright
