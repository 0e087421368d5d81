#include "treewright/category_search.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>

namespace treewright {
namespace {

// How far the heuristic for many levels goes. These limits change trees, so they are part of the
// definition; they were not tuned.
constexpr int kClassOrderings = 32;  // at most this many classes against the rest, heaviest first
constexpr int kExchangeRounds = 20;
constexpr int kPowerSteps = 40;  // of the iteration for the first principal component

// Sorts levels by compare(a, b) < 0, then by category.
template <class Compare>
std::vector<int32_t> sorted_levels(const Levels& levels, const Compare& compare) {
  std::vector<int32_t> order(levels.codes.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
    const double difference = compare(a, b);
    return difference != 0.0 ? difference < 0.0 : levels.codes[size_t(a)] < levels.codes[size_t(b)];
  });
  return order;
}

}  // namespace

// ---- sums ----

std::vector<int32_t> SumCost::order() const {
  return cost_.layout().task() == Task::number ? order_by_number() : order_by_class();
}

std::vector<int32_t> SumCost::order_by_number() const {
  const size_t words = size_t(cost_.layout().words());
  const auto stats = [&](int32_t level) { return levels_.stats.data() + size_t(level) * words; };
  std::vector<double> mean(levels_.codes.size());
  for (size_t level = 0; level < mean.size(); ++level) {
    const int64_t* s = stats(static_cast<int32_t>(level));
    mean[level] = real(get_sum(s) - int128(cost_.center()) * s[kWeight]) / real(s[kWeight]);
  }
  return sorted_levels(levels_, [&](int32_t a, int32_t b) {
    const double one = mean[size_t(a)], other = mean[size_t(b)];
    constexpr double kRounding = 1e-14;  // more than the relative error of two means
    if (std::abs(one - other) > kRounding * (std::abs(one) + std::abs(other))) {
      return one - other;
    }
    // Too close to compare rounded means: compare the exact ratios.
    return double(
        compare_ratios(get_sum(stats(a)), stats(a)[kWeight], get_sum(stats(b)), stats(b)[kWeight]));
  });
}

// By the mean class index, compared exactly by cross-multiplication.
std::vector<int32_t> SumCost::order_by_class() const {
  const size_t words = size_t(cost_.layout().words());
  const auto stats = [&](int32_t level) { return levels_.stats.data() + size_t(level) * words; };
  std::vector<int128> index_sum(levels_.codes.size(), 0);
  for (size_t level = 0; level < index_sum.size(); ++level) {
    for (int k = 1; k < cost_.layout().classes(); ++k) {
      index_sum[level] += int128(k) * stats(static_cast<int32_t>(level))[kFirst + k];
    }
  }
  return sorted_levels(levels_, [&](int32_t a, int32_t b) {
    const int128 difference =
        index_sum[size_t(a)] * stats(b)[kWeight] - index_sum[size_t(b)] * stats(a)[kWeight];
    return difference < 0 ? -1.0 : difference > 0 ? 1.0 : 0.0;
  });
}

// ---- absolute error ----

AbsoluteCost::AbsoluteCost(const NodeCost& cost, const Levels& levels, const Ranked& ranked,
                           std::span<const uint32_t> ranks, bool rounded)
    : cost_(cost), levels_(levels), ranked_(ranked), sets_(levels.codes.size()) {
  size_t first = 0;
  for (size_t level = 0; level < sets_.size(); ++level) {
    const auto rows = ranks.subspan(first, size_t(levels.sizes[level]));
    first += rows.size();
    sets_[level].ranks.assign(rows.begin(), rows.end());
    std::sort(sets_[level].ranks.begin(), sets_[level].ranks.end());
  }
  sort_levels(rounded);
  const std::array<int64_t, 1> start{0};
  all_ = deviations_of_rest(ranked, {}, ranks, start)[0];
  if (sets_.size() > size_t(kEnumerate)) {
    follow_prefixes();
  } else {
    std::for_each(sets_.begin(), sets_.end(), [&](RankedSet& set) { set.add_up(ranked_); });
  }
}

void AbsoluteCost::sort_levels(bool rounded) {
  const size_t words = size_t(cost_.layout().words());
  std::vector<int128> twice(sets_.size());
  for (size_t level = 0; level < sets_.size(); ++level) {
    twice[level] = twice_median(ranked_, sets_[level].ranks, rounded ? kRoundedParts : 0);
  }
  order_ = sorted_levels(levels_, [&](int32_t a, int32_t b) {
    const int128 difference = twice[size_t(a)] - twice[size_t(b)];
    const int64_t *x = levels_.stats.data() + size_t(a) * words,
                  *y = levels_.stats.data() + size_t(b) * words;
    return difference != 0 ? (difference < 0 ? -1.0 : 1.0)
                           : double(compare_ratios(get_sum(x), x[kWeight], get_sum(y), y[kWeight]));
  });
}

// The costs of all prefixes: the median is followed from the left and from the right.
void AbsoluteCost::follow_prefixes() {
  std::vector<uint32_t> ranks_in_order;
  std::vector<int64_t> ends;
  for (const int32_t level : order_) {
    const auto& ranks = sets_[size_t(level)].ranks;
    ranks_in_order.insert(ranks_in_order.end(), ranks.begin(), ranks.end());
    ends.push_back(std::ssize(ranks_in_order));
  }
  ends.pop_back();
  prefix_costs_ = deviations_of_first(ranked_, {}, ranks_in_order, ends);
  const auto right = deviations_of_rest(ranked_, {}, ranks_in_order, ends);
  for (size_t p = 0; p < prefix_costs_.size(); ++p) {
    prefix_costs_[p] += right[p];
  }
}

double AbsoluteCost::gain_of_prefix(size_t length, const int64_t*, const int64_t*) const {
  return gain_of(prefix_costs_[length - 1]);
}

double AbsoluteCost::gain(const Side& side, std::span<const int32_t> positions, const int64_t*,
                          const int64_t*) const {
  const auto cost_of = [&](uint8_t which) {
    std::array<const RankedSet*, kEnumerate> together;
    size_t n = 0;
    for (size_t p = 0; p < side.size(); ++p) {
      if (side[p] == which) {
        together[n++] = &sets_[size_t(positions[p])];
      }
    }
    return deviation(ranked_, std::span<const RankedSet* const>(together.data(), n));
  };
  return gain_of(cost_of(1) + cost_of(0));
}

// ---- the search ----

// One search over one set of levels. A grouping is a Side over positions.
template <class Cost>
class CategorySearch<Cost>::Search {
 public:
  // Called with every allowed grouping that may matter, in the written order.
  using Visit =
      std::function<void(const Side&, const int64_t* left, double gain, double tie, bool proven)>;

  Search(const CategorySearch& search, Visit visit)
      : cost_(search.cost_),
        node_cost_(cost_.node()),
        layout_(node_cost_.layout()),
        limits_(search.limits_),
        node_(search.node_),
        levels_(cost_.levels()),
        control_(search.control_),
        visit_(std::move(visit)),
        n_levels_(static_cast<int64_t>(levels_.codes.size())),
        left_(size_t(layout_.words())),
        right_(left_) {}

  void run();
  const std::vector<int32_t>& positions() const { return positions_; }
  void check() const {
    if (control_ != nullptr) {
      control_->check();
    }
  }

 private:
  struct Prefixes {
    std::vector<double> gains;  // kNone if not allowed
    double best = kNone, best_allowed = kNone;
  };
  struct Best {
    Side side;
    double gain = kNone;
  };
  using Blocks = std::vector<std::vector<int32_t>>;

  void run_sums(const Prefixes& prefixes);
  Prefixes scan_prefixes();
  void visit_prefixes(const Prefixes& prefixes, bool proven);
  Blocks identity_blocks() const;
  Blocks proportional_blocks() const;
  bool proportional(int32_t a, int32_t b) const;
  void enumerate(const Blocks& blocks, bool proven);
  void visit_mask(uint32_t mask, const Blocks& blocks, const std::vector<int>& free, bool proven);
  void improve(bool ordered);
  void keep_best_prefix(const std::vector<int32_t>& order, Best& best);
  void exchange(Best& best);
  std::vector<std::vector<double>> orderings() const;
  std::vector<double> principal_component() const;

  const int64_t* stats(int32_t position) const {
    return levels_.stats.data() + size_t(positions_[size_t(position)]) * size_t(layout_.words());
  }
  double share(int32_t position, size_t k) const {
    return real(stats(position)[kFirst + k]) / real(stats(position)[kWeight]);
  }
  void set_right() { layout_.difference(right_.data(), node_, left_.data()); }
  bool allowed() const { return limits_.allows(left_.data(), right_.data()); }
  double gain_of_sums() const { return node_cost_.gain(left_.data(), right_.data()); }
  double tie_gain() const { return node_cost_.tie_gain(left_.data(), right_.data()); }
  void sum_left(const Side& side);
  void visit_current(const Side& side, bool proven);
  int classes_here() const {
    return static_cast<int>(std::count_if(node_ + kFirst, node_ + layout_.words(),
                                          [](int64_t weight) { return weight > 0; }));
  }

  const Cost& cost_;
  const NodeCost& node_cost_;
  const StatLayout& layout_;
  const SplitLimits& limits_;
  const int64_t* node_;
  const Levels& levels_;
  const Control* control_;
  Visit visit_;
  int64_t n_levels_;
  std::vector<int64_t> left_, right_;
  std::vector<int32_t> positions_;
  bool visited_ = false;  // whether any allowed grouping was found
};

template <class Cost>
void CategorySearch<Cost>::Search::run() {
  if (n_levels_ < 2) {
    return;
  }
  positions_ = cost_.order();
  if constexpr (Cost::kSums) {
    run_sums(scan_prefixes());
  } else if (n_levels_ <= kEnumerate) {
    enumerate(identity_blocks(), true);
  } else {
    visit_prefixes(scan_prefixes(), false);
  }
}

template <class Cost>
void CategorySearch<Cost>::Search::run_sums(const Prefixes& prefixes) {
  const bool ordered = layout_.task() == Task::number || layout_.classes() == 2;
  const bool prefix_is_best = prefixes.best_allowed >= prefixes.best - node_cost_.tolerance();
  if (ordered && prefix_is_best) {
    return visit_prefixes(prefixes, true);
  }
  if (n_levels_ <= kEnumerate) {
    return enumerate(identity_blocks(), true);
  }
  if (!ordered && prefix_is_best && classes_here() <= 2) {
    // Equal gains of this criterion may hide a better tie gain elsewhere.
    return visit_prefixes(prefixes, !node_cost_.has_tie_gain());
  }
  const auto blocks = ordered ? Blocks() : proportional_blocks();
  if (blocks.size() >= 2 && blocks.size() <= size_t(kEnumerate)) {
    enumerate(blocks,
              limits_.min_rows <= 1 && limits_.min_weight <= 1 && limits_.min_branch_weight <= 1);
    if (visited_) {
      return;
    }
  }
  // If all levels are proportional, no grouping gains anything.
  visit_prefixes(prefixes, blocks.size() == 1);
  improve(ordered);
}

// ---- prefixes of the order ----

template <class Cost>
auto CategorySearch<Cost>::Search::scan_prefixes() -> Prefixes {
  Prefixes prefixes;
  layout_.zero(left_.data());
  for (int32_t p = 0; p + 1 < n_levels_; ++p) {
    layout_.add(left_.data(), stats(p));
    set_right();
    const double gain = cost_.gain_of_prefix(size_t(p) + 1, left_.data(), right_.data());
    prefixes.best = std::max(prefixes.best, gain);
    prefixes.gains.push_back(allowed() ? gain : kNone);
    prefixes.best_allowed = std::max(prefixes.best_allowed, prefixes.gains.back());
  }
  return prefixes;
}

template <class Cost>
void CategorySearch<Cost>::Search::visit_prefixes(const Prefixes& prefixes, bool proven) {
  Side side(positions_.size(), 0);
  layout_.zero(left_.data());
  for (size_t p = 0; p < prefixes.gains.size(); ++p) {
    layout_.add(left_.data(), stats(static_cast<int32_t>(p)));
    side[p] = 1;
    if (prefixes.gains[p] != kNone) {
      set_right();
      visited_ = true;
      visit_(side, left_.data(), prefixes.gains[p], tie_gain(), proven);
    }
  }
}

// ---- all groupings of a few blocks of positions ----

template <class Cost>
auto CategorySearch<Cost>::Search::identity_blocks() const -> Blocks {
  Blocks blocks;
  for (int32_t p = 0; p < n_levels_; ++p) {
    blocks.push_back({p});
  }
  return blocks;
}

// Positions whose class counts are proportional are on the same side in the best grouping.
template <class Cost>
auto CategorySearch<Cost>::Search::proportional_blocks() const -> Blocks {
  Blocks blocks;
  for (int32_t p = 0; p < n_levels_ && blocks.size() <= size_t(kEnumerate); ++p) {
    const auto same = std::find_if(blocks.begin(), blocks.end(),
                                   [&](const auto& block) { return proportional(block[0], p); });
    if (same == blocks.end()) {
      blocks.push_back({p});
    } else {
      same->push_back(p);
    }
  }
  return blocks;
}

template <class Cost>
bool CategorySearch<Cost>::Search::proportional(int32_t a, int32_t b) const {
  const int64_t *x = stats(a), *y = stats(b);
  for (int k = 0; k < layout_.classes(); ++k) {
    if (int128(x[kFirst + k]) * y[kWeight] != int128(y[kFirst + k]) * x[kWeight]) {
      return false;
    }
  }
  return true;
}

template <class Cost>
void CategorySearch<Cost>::Search::enumerate(const Blocks& blocks, bool proven) {
  const int k = static_cast<int>(blocks.size());
  // The last position stays on the right: its block is the one never chosen.
  std::vector<int> free;
  for (int b = 0; b < k; ++b) {
    if (blocks[size_t(b)].back() != n_levels_ - 1) {
      free.push_back(b);
    }
  }
  const uint32_t n_masks = uint32_t(1) << free.size();
  for (int64_t length = 1; length < k; ++length) {
    visit_mask((uint32_t(1) << length) - 1, blocks, free, proven);
  }
  for (uint32_t mask = 1; mask < n_masks; ++mask) {
    if ((mask & (mask + 1)) != 0) {
      visit_mask(mask, blocks, free, proven);
    }
  }
}

template <class Cost>
void CategorySearch<Cost>::Search::visit_mask(uint32_t mask, const Blocks& blocks,
                                              const std::vector<int>& free, bool proven) {
  if constexpr (!Cost::kSums) {
    check();  // a grouping takes longer
  }
  Side side(positions_.size(), 0);
  layout_.zero(left_.data());
  for (size_t b = 0; b < free.size(); ++b) {
    if (mask >> b & 1) {
      for (const int32_t p : blocks[size_t(free[b])]) {
        side[size_t(p)] = 1;
        layout_.add(left_.data(), stats(p));
      }
    }
  }
  visit_current(side, proven);
}

// ---- many levels: several orderings, then exchanges ----

template <class Cost>
void CategorySearch<Cost>::Search::keep_best_prefix(const std::vector<int32_t>& order, Best& best) {
  size_t length = 0;  // of the best one; 0: none is better
  layout_.zero(left_.data());
  for (size_t i = 0; i + 1 < order.size(); ++i) {
    layout_.add(left_.data(), stats(order[i]));
    set_right();
    if (allowed()) {
      const double gain = gain_of_sums();
      if (gain > best.gain) {
        best.gain = gain;
        length = i + 1;
      }
    }
  }
  if (length > 0) {
    best.side.assign(positions_.size(), 0);
    for (size_t i = 0; i < length; ++i) {
      best.side[size_t(order[i])] = 1;
    }
  }
}

template <class Cost>
void CategorySearch<Cost>::Search::improve(bool ordered) {
  Best best;
  std::vector<int32_t> order(positions_.size());
  std::iota(order.begin(), order.end(), 0);
  const auto sorted_by = [&](const auto& less) -> const std::vector<int32_t>& {
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), less);
    return order;
  };
  keep_best_prefix(order, best);
  if (!ordered) {
    for (const auto& key : orderings()) {
      check();
      keep_best_prefix(
          sorted_by([&](int32_t a, int32_t b) { return key[size_t(a)] < key[size_t(b)]; }), best);
    }
  }
  for (const int word : {int(kRows), int(kWeight)}) {
    if (best.gain == kNone) {
      // No ordering by class allows a cut: large levels against small ones may.
      keep_best_prefix(
          sorted_by([&](int32_t a, int32_t b) { return stats(a)[word] < stats(b)[word]; }), best);
    }
  }
  if (best.gain == kNone) {
    return;
  }
  exchange(best);
  if (best.side.back() == 1) {
    for (auto& s : best.side) {
      s ^= 1;
    }
  }
  sum_left(best.side);
  visit_current(best.side, false);
}

// Moves single levels across while that helps.
template <class Cost>
void CategorySearch<Cost>::Search::exchange(Best& best) {
  const auto move = [&](bool from_left, const int64_t* level) {
    if (from_left) {
      layout_.subtract(left_.data(), level);
    } else {
      layout_.add(left_.data(), level);
    }
  };
  for (int round = 0; round < kExchangeRounds; ++round) {
    check();
    bool moved = false;
    sum_left(best.side);
    for (size_t p = 0; p < best.side.size(); ++p) {
      const int64_t* level = stats(static_cast<int32_t>(p));
      move(best.side[p], level);
      set_right();
      const double now = allowed() ? gain_of_sums() : kNone;
      if (now > best.gain + node_cost_.tolerance()) {
        best.gain = now;
        best.side[p] ^= 1;
        moved = true;
      } else {
        move(!best.side[p], level);
      }
    }
    if (!moved) {
      return;
    }
  }
}

// Sort keys by position: the share of each class, and the first principal component of the class
// shares weighted by level (Coppersmith, Hong and Hosking 1999).
template <class Cost>
std::vector<std::vector<double>> CategorySearch<Cost>::Search::orderings() const {
  const size_t classes = size_t(layout_.classes());
  std::vector<size_t> by_weight(classes);
  std::iota(by_weight.begin(), by_weight.end(), size_t(0));
  std::stable_sort(by_weight.begin(), by_weight.end(),
                   [&](size_t a, size_t b) { return node_[kFirst + a] > node_[kFirst + b]; });
  by_weight.resize(std::min(classes, size_t(kClassOrderings)));
  std::vector<std::vector<double>> keys;
  for (const size_t k : by_weight) {
    keys.emplace_back();
    for (int32_t p = 0; p < n_levels_; ++p) {
      keys.back().push_back(share(p, k));
    }
  }
  keys.push_back(principal_component());
  return keys;
}

template <class Cost>
std::vector<double> CategorySearch<Cost>::Search::principal_component() const {
  const size_t classes = size_t(layout_.classes());
  std::vector<double> direction(classes), next(classes), projection(positions_.size());
  for (size_t k = 0; k < classes; ++k) {
    direction[k] = 1.0 / double(k + 1);  // any fixed start; not orthogonal in general
  }
  const auto deviation = [&](int32_t p, size_t k) {
    return share(p, k) - real(node_[kFirst + k]) / real(node_[kWeight]);
  };
  for (int step = 0; step <= kPowerSteps; ++step) {
    check();
    std::fill(next.begin(), next.end(), 0.0);
    for (int32_t p = 0; p < n_levels_; ++p) {
      double dot = 0.0;
      for (size_t k = 0; k < classes; ++k) {
        dot += deviation(p, k) * direction[k];
      }
      projection[size_t(p)] = dot;
      const double weight = real(stats(p)[kWeight]);
      for (size_t k = 0; k < classes; ++k) {
        next[k] += weight * dot * deviation(p, k);
      }
    }
    const double norm = std::sqrt(std::inner_product(next.begin(), next.end(), next.begin(), 0.0));
    if (norm == 0.0) {
      break;
    }
    for (size_t k = 0; k < classes; ++k) {
      direction[k] = next[k] / norm;
    }
  }
  return projection;
}

// ---- shared ----

template <class Cost>
void CategorySearch<Cost>::Search::sum_left(const Side& side) {
  layout_.zero(left_.data());
  for (size_t p = 0; p < side.size(); ++p) {
    if (side[p]) {
      layout_.add(left_.data(), stats(static_cast<int32_t>(p)));
    }
  }
}

template <class Cost>
void CategorySearch<Cost>::Search::visit_current(const Side& side, bool proven) {
  set_right();
  if (allowed()) {
    visited_ = true;
    visit_(side, left_.data(), cost_.gain(side, positions_, left_.data(), right_.data()),
           tie_gain(), proven);
  }
}

double charge_of_levels(const NodeCost& cost, const Levels& levels, double unit) {
  const size_t words = size_t(cost.layout().words());
  double roots = 0.0, weight = 0.0;
  for (size_t i = 0; i < levels.codes.size(); ++i) {
    const double of_level = real(levels.stats[i * words + kWeight]);
    roots += std::sqrt(of_level);
    weight += of_level;
  }
  const double means = roots * roots / weight;
  const double weight_of_node = weight / cost.share() * unit;
  return cost.impurity() * std::max(0.0, means - kChanceOfNumber) / weight_of_node;
}

template <class Cost>
double CategorySearch<Cost>::best() const {
  double best = kNone;
  Search(*this, [&](const Side&, const int64_t*, double gain, double, bool) {
    best = std::max(best, gain);
  }).run();
  return best;
}

template <class Cost>
void CategorySearch<Cost>::offer(int32_t column, double charge, double at_least,
                                 Chooser& chooser) const {
  const Levels& levels = cost_.levels();
  const Search* running = nullptr;
  Search search(*this,
                [&](const Side& side, const int64_t* left, double gain, double tie, bool proven) {
                  if (gain - charge < at_least || !chooser.wants(gain - charge, tie)) {
                    return;
                  }
                  running->check();
                  Candidate candidate;
                  candidate.kind = SplitKind::subset;
                  candidate.column = column;
                  candidate.gain = gain;
                  candidate.charge = charge;
                  candidate.tie_gain = tie;
                  candidate.proven = proven;
                  candidate.left.assign(left, left + cost_.node().layout().words());
                  candidate.weight_seen = node_[kWeight];
                  candidate.missing_route = 2 * left[kWeight] >= node_[kWeight] ? 0 : 1;
                  std::vector<std::pair<int32_t, int32_t>> listed;  // category, branch
                  for (size_t p = 0; p < side.size(); ++p) {
                    const int32_t code = levels.codes[size_t(running->positions()[p])];
                    const int32_t branch = side[p] ? 0 : 1;
                    if (code == kMissing) {
                      candidate.missing_route = branch;
                    } else {
                      listed.emplace_back(code, branch);
                    }
                  }
                  std::sort(listed.begin(), listed.end());
                  for (const auto& [code, branch] : listed) {
                    candidate.categories.push_back(code);
                    candidate.branches.push_back(branch);
                  }
                  chooser.keep(std::move(candidate));
                });
  running = &search;
  search.run();
}

template class CategorySearch<SumCost>;
template class CategorySearch<AbsoluteCost>;

}  // namespace treewright
