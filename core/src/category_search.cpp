#include "treewright/category_search.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

namespace treewright {
namespace {

constexpr int kClassOrderings = 32;  // at most: the heaviest classes against the rest
constexpr int kExchangeRounds = 20;
constexpr int kPowerSteps = 40;

using Side = std::vector<uint8_t>;  // 1 = left, by position

}  // namespace

// One search over one set of levels. `positions` are the levels in the order of (mean,
// category); a grouping is a Side over positions.
struct CategorySearch::Search {
  const NodeCost& cost;
  const Rules& rules;
  const int64_t* node;
  const Levels& levels;
  const Control* control;
  // Called with every allowed grouping that may matter, in the written order.
  std::function<void(const Side&, const int64_t* left, double gain, double tie, bool proven)> visit;

  int words = cost.layout().words();
  std::vector<int64_t> left = std::vector<int64_t>(size_t(words)), right = left;
  std::vector<int32_t> positions = {};
  bool visited = false;  // whether any allowed grouping was found
  int64_t n_levels = static_cast<int64_t>(levels.codes.size());

  const int64_t* stats(int32_t level) const {
    return levels.stats.data() + size_t(level) * size_t(words);
  }

  void run() {
    if (n_levels < 2) {
      return;
    }
    sort_by_mean();
    const bool ordered = cost.layout().task() == Task::number || cost.layout().classes() == 2;
    const Prefixes prefixes = scan_prefixes();
    const bool prefix_is_best = prefixes.best_allowed >= prefixes.best - cost.tolerance();
    if (ordered && prefix_is_best) {
      return visit_prefixes(prefixes, true);
    }
    if (n_levels <= kEnumerate) {
      return enumerate(identity_blocks(), true);
    }
    if (!ordered && prefix_is_best && classes_here() <= 2) {
      // Equal gains of this criterion may hide a better tie gain elsewhere.
      return visit_prefixes(prefixes, !cost.has_tie_gain());
    }
    const auto blocks = ordered ? Blocks() : proportional_blocks();
    if (blocks.size() >= 2 && blocks.size() <= size_t(kEnumerate)) {
      enumerate(blocks,
                rules.min_rows <= 1 && rules.min_weight <= 1 && rules.min_branch_weight <= 1);
      if (visited) {
        return;
      }
    }
    // Where all levels are proportional, no grouping gains anything.
    visit_prefixes(prefixes, blocks.size() == 1);
    improve(ordered);
  }

  // ---- the order of the levels ----

  void sort_by_mean() {
    positions.resize(size_t(n_levels));
    std::iota(positions.begin(), positions.end(), 0);
    if (cost.layout().task() == Task::number) {
      std::vector<double> mean(positions.size());
      for (int32_t level : positions) {
        const int64_t* s = stats(level);
        mean[size_t(level)] =
            real(get_sum(s) - int128(cost.center()) * s[kWeight]) / real(s[kWeight]);
      }
      sort_positions([&](int32_t a, int32_t b) {
        const double one = mean[size_t(a)], other = mean[size_t(b)];
        if (std::abs(one - other) > 1e-14 * (std::abs(one) + std::abs(other))) {
          return one - other;
        }
        // Too near for rounded numbers to tell.
        return double(compare_ratios(get_sum(stats(a)), stats(a)[kWeight], get_sum(stats(b)),
                                     stats(b)[kWeight]));
      });
      return;
    }
    // The mean class index, compared exactly by cross-multiplication.
    std::vector<int128> index_sum(positions.size(), 0);
    for (int32_t level : positions) {
      for (int k = 1; k < cost.layout().classes(); ++k) {
        index_sum[size_t(level)] += int128(k) * stats(level)[kFirst + k];
      }
    }
    sort_positions([&](int32_t a, int32_t b) {
      const int128 difference =
          index_sum[size_t(a)] * stats(b)[kWeight] - index_sum[size_t(b)] * stats(a)[kWeight];
      return difference < 0 ? -1.0 : difference > 0 ? 1.0 : 0.0;
    });
  }
  template <class Compare>
  void sort_positions(const Compare& compare) {
    std::sort(positions.begin(), positions.end(), [&](int32_t a, int32_t b) {
      const double difference = compare(a, b);
      return difference != 0.0 ? difference < 0.0
                               : levels.codes[size_t(a)] < levels.codes[size_t(b)];
    });
  }

  // ---- prefixes of (mean, category) ----

  struct Prefixes {
    std::vector<double> gains;  // kNone where not allowed
    double best = kNone, best_allowed = kNone;
  };
  Prefixes scan_prefixes() {
    Prefixes prefixes;
    cost.layout().zero(left.data());
    for (int64_t p = 0; p + 1 < n_levels; ++p) {
      cost.layout().add(left.data(), stats(positions[size_t(p)]));
      set_right();
      const double gain = cost.gain(left.data(), right.data());
      prefixes.best = std::max(prefixes.best, gain);
      const bool allowed = rules.allows(left.data(), right.data());
      prefixes.gains.push_back(allowed ? gain : kNone);
      prefixes.best_allowed = std::max(prefixes.best_allowed, prefixes.gains.back());
    }
    return prefixes;
  }
  void visit_prefixes(const Prefixes& prefixes, bool proven) {
    Side side(positions.size(), 0);
    cost.layout().zero(left.data());
    for (size_t p = 0; p < prefixes.gains.size(); ++p) {
      cost.layout().add(left.data(), stats(positions[p]));
      side[p] = 1;
      if (prefixes.gains[p] != kNone) {
        set_right();
        visited = true;
        visit(side, left.data(), prefixes.gains[p], tie_gain(), proven);
      }
    }
  }

  // ---- all groupings of a few blocks of positions ----

  using Blocks = std::vector<std::vector<int32_t>>;
  Blocks identity_blocks() const {
    Blocks blocks;
    for (int32_t p = 0; p < n_levels; ++p) {
      blocks.push_back({p});
    }
    return blocks;
  }
  // Positions whose class counts are proportional are on the same side in the best grouping.
  Blocks proportional_blocks() const {
    Blocks blocks;
    for (int32_t p = 0; p < n_levels && blocks.size() <= size_t(kEnumerate); ++p) {
      const auto same = std::find_if(blocks.begin(), blocks.end(), [&](const auto& block) {
        return proportional(positions[size_t(block[0])], positions[size_t(p)]);
      });
      if (same == blocks.end()) {
        blocks.push_back({p});
      } else {
        same->push_back(p);
      }
    }
    return blocks;
  }
  bool proportional(int32_t a, int32_t b) const {
    const int64_t *x = stats(a), *y = stats(b);
    for (int k = 0; k < cost.layout().classes(); ++k) {
      if (int128(x[kFirst + k]) * y[kWeight] != int128(y[kFirst + k]) * x[kWeight]) {
        return false;
      }
    }
    return true;
  }
  void enumerate(const Blocks& blocks, bool proven) {
    const int k = static_cast<int>(blocks.size());
    // The last position stays on the right: its block is the one never chosen.
    std::vector<int> free;
    for (int b = 0; b < k; ++b) {
      if (blocks[size_t(b)].back() != n_levels - 1) {
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
  void visit_mask(uint32_t mask, const Blocks& blocks, const std::vector<int>& free, bool proven) {
    Side side(positions.size(), 0);
    cost.layout().zero(left.data());
    for (size_t b = 0; b < free.size(); ++b) {
      if (mask >> b & 1) {
        for (int32_t p : blocks[size_t(free[b])]) {
          side[size_t(p)] = 1;
          cost.layout().add(left.data(), stats(positions[size_t(p)]));
        }
      }
    }
    visit_current(side, proven);
  }

  // ---- many levels: several orderings, then exchanges ----

  void improve(bool ordered) {
    Side best(positions.size(), 0);
    double best_gain = kNone;
    const auto keep_best_prefix = [&](const std::vector<int32_t>& order) {
      size_t length = 0;  // of the best one; 0: none is better
      cost.layout().zero(left.data());
      for (size_t i = 0; i + 1 < order.size(); ++i) {
        cost.layout().add(left.data(), stats(positions[size_t(order[i])]));
        set_right();
        if (rules.allows(left.data(), right.data())) {
          const double gain = cost.gain(left.data(), right.data());
          if (gain > best_gain) {
            best_gain = gain;
            length = i + 1;
          }
        }
      }
      if (length > 0) {
        std::fill(best.begin(), best.end(), uint8_t(0));
        for (size_t i = 0; i < length; ++i) {
          best[size_t(order[i])] = 1;
        }
      }
    };
    std::vector<int32_t> order(positions.size());
    std::iota(order.begin(), order.end(), 0);
    keep_best_prefix(order);
    if (!ordered) {
      for (const auto& key : orderings()) {
        check();
        std::iota(order.begin(), order.end(), 0);
        std::stable_sort(order.begin(), order.end(),
                         [&](int32_t a, int32_t b) { return key[size_t(a)] < key[size_t(b)]; });
        keep_best_prefix(order);
      }
    }
    for (const int word : {int(kRows), int(kWeight)}) {
      if (best_gain == kNone) {
        // No ordering by class allows a cut: large levels against small ones may.
        std::iota(order.begin(), order.end(), 0);
        std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
          return stats(positions[size_t(a)])[word] < stats(positions[size_t(b)])[word];
        });
        keep_best_prefix(order);
      }
    }
    if (best_gain == kNone) {
      return;
    }
    exchange(best, best_gain);
    if (best.back() == 1) {
      for (auto& s : best) {
        s ^= 1;
      }
    }
    sum_left(best);
    visit_current(best, false);
  }
  // Moves single levels across while that helps.
  void exchange(Side& side, double gain) {
    for (int round = 0; round < kExchangeRounds; ++round) {
      check();
      bool moved = false;
      sum_left(side);
      for (size_t p = 0; p < side.size(); ++p) {
        const int64_t* level = stats(positions[p]);
        move(side[p], level);
        set_right();
        const double now =
            rules.allows(left.data(), right.data()) ? cost.gain(left.data(), right.data()) : kNone;
        if (now > gain + cost.tolerance()) {
          gain = now;
          side[p] ^= 1;
          moved = true;
        } else {
          move(!side[p], level);
        }
      }
      if (!moved) {
        return;
      }
    }
  }
  void move(bool from_left, const int64_t* level) {
    if (from_left) {
      cost.layout().subtract(left.data(), level);
    } else {
      cost.layout().add(left.data(), level);
    }
  }
  // Sort keys by position: the share of each class, and the first principal component of
  // the class shares weighted by level (Coppersmith, Hong and Hosking 1999).
  std::vector<std::vector<double>> orderings() const {
    const size_t classes = size_t(cost.layout().classes());
    std::vector<size_t> by_weight(classes);
    std::iota(by_weight.begin(), by_weight.end(), size_t(0));
    std::stable_sort(by_weight.begin(), by_weight.end(),
                     [&](size_t a, size_t b) { return node[kFirst + a] > node[kFirst + b]; });
    by_weight.resize(std::min(classes, size_t(kClassOrderings)));
    std::vector<std::vector<double>> keys;
    for (size_t k : by_weight) {
      keys.emplace_back();
      for (size_t p = 0; p < positions.size(); ++p) {
        keys.back().push_back(share(p, k));
      }
    }
    keys.push_back(principal_component());
    return keys;
  }
  double share(size_t position, size_t k) const {
    const int64_t* s = stats(positions[position]);
    return real(s[kFirst + k]) / real(s[kWeight]);
  }
  std::vector<double> principal_component() const {
    const size_t classes = size_t(cost.layout().classes());
    std::vector<double> direction(classes), next(classes), projection(positions.size());
    for (size_t k = 0; k < classes; ++k) {
      direction[k] = 1.0 / double(k + 1);  // any fixed start; not orthogonal in general
    }
    const auto deviation = [&](size_t p, size_t k) {
      return share(p, k) - real(node[kFirst + k]) / real(node[kWeight]);
    };
    for (int step = 0; step <= kPowerSteps; ++step) {
      check();
      std::fill(next.begin(), next.end(), 0.0);
      for (size_t p = 0; p < positions.size(); ++p) {
        double dot = 0.0;
        for (size_t k = 0; k < classes; ++k) {
          dot += deviation(p, k) * direction[k];
        }
        projection[p] = dot;
        const double weight = real(stats(positions[p])[kWeight]);
        for (size_t k = 0; k < classes; ++k) {
          next[k] += weight * dot * deviation(p, k);
        }
      }
      const double norm =
          std::sqrt(std::inner_product(next.begin(), next.end(), next.begin(), 0.0));
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

  void check() const {
    if (control != nullptr) {
      control->check();
    }
  }

  void set_right() { cost.layout().difference(right.data(), node, left.data()); }
  void sum_left(const Side& side) {
    cost.layout().zero(left.data());
    for (size_t p = 0; p < side.size(); ++p) {
      if (side[p]) {
        cost.layout().add(left.data(), stats(positions[p]));
      }
    }
  }
  double tie_gain() const { return cost.tie_gain(left.data(), right.data(), node); }
  void visit_current(const Side& side, bool proven) {
    set_right();
    if (rules.allows(left.data(), right.data())) {
      visited = true;
      visit(side, left.data(), cost.gain(left.data(), right.data()), tie_gain(), proven);
    }
  }
  int classes_here() const {
    return static_cast<int>(
        std::count_if(node + kFirst, node + words, [](int64_t weight) { return weight > 0; }));
  }
};

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

double CategorySearch::best(const Levels& levels) const {
  double best = kNone;
  Search search{
      cost_,
      rules_,
      node_,
      levels,
      control_,
      [&](const Side&, const int64_t*, double gain, double, bool) { best = std::max(best, gain); }};
  search.run();
  return best;
}

void CategorySearch::offer(const Levels& levels, int32_t column, double charge, double at_least,
                           Chooser& chooser) const {
  Search search{cost_, rules_, node_, levels, control_, {}};
  search.visit = [&](const Side& side, const int64_t* left, double gain, double tie, bool proven) {
    if (gain - charge < at_least || !chooser.wants(gain - charge, tie)) {
      return;
    }
    search.check();
    Candidate candidate;
    candidate.kind = SplitKind::subset;
    candidate.column = column;
    candidate.gain = gain;
    candidate.charge = charge;
    candidate.tie_gain = tie;
    candidate.proven = proven;
    candidate.left.assign(left, left + cost_.layout().words());
    candidate.weight_seen = node_[kWeight];
    candidate.missing_route = 2 * left[kWeight] >= node_[kWeight] ? 0 : 1;
    std::vector<std::pair<int32_t, int32_t>> listed;  // category, branch
    for (size_t p = 0; p < side.size(); ++p) {
      const int32_t code = levels.codes[size_t(search.positions[p])];
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
  };
  search.run();
}

}  // namespace treewright
