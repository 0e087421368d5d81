#include "treewright/cross_validation.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "treewright/types.hpp"

namespace treewright {
namespace {

uint64_t bits_of(double x) {
  if (std::isnan(x)) {
    return ~uint64_t(0);
  }
  return std::bit_cast<uint64_t>(x == 0.0 ? 0.0 : x);  // 0 and -0 are one value
}

template <class T, class Bits>
void mix_in(const ColumnView& column, std::vector<uint64_t>& hash, const Bits& bits) {
  for (size_t row = 0; row < hash.size(); ++row) {
    hash[row] = mix(hash[row] ^ bits(column.get<T>(int64_t(row))));
  }
}

// What a row of one class costs if one node answers it.
struct ClassCost {
  double wrong, log_loss, log_loss_of_root;
};

double loss_of(const ScoredTree& tree, const ScoredRows& rows, Loss loss, size_t node, size_t row) {
  if (loss == Loss::cost) {
    const int32_t truth = rows.label[row], answer = tree.label[node];
    return tree.costs.empty() ? double(truth != answer)
                              : tree.costs[size_t(truth) * size_t(tree.n_classes) + size_t(answer)];
  }
  const double y = rows.value[row], answer = tree.value[node];
  if (loss == Loss::squared) {
    return (y - answer) * (y - answer);
  }
  if (loss == Loss::absolute) {
    return std::abs(y - answer);
  }
  // Half the deviance. A branch without events answers 0, which a count above 0 would make
  // infinitely wrong: it counts as the smallest rate that can be told from none, a share of
  // the root's.
  constexpr double kSmallestRate = 1e-9;
  const double root = tree.value[0] > 0.0 ? tree.value[0] : 1.0;
  const double rate = answer > 0.0 ? answer : kSmallestRate * root;
  return (y > 0.0 ? y * std::log(y / rate) : 0.0) - (y - rate);
}

// Weight of the rows of each class that pass each node, and that end in it.
struct ClassCounts {
  std::vector<double> passed, ended;

  ClassCounts(std::span<const int32_t> parent, const ScoredRows& rows, size_t k)
      : passed(parent.size() * k, 0.0) {
    for (size_t row = 0; row < rows.node.size(); ++row) {
      passed[size_t(rows.node[row]) * k + size_t(rows.label[row])] +=
          rows.weight.empty() ? 1.0 : rows.weight[row];
    }
    ended = passed;
    for (size_t node = parent.size(); node-- > 1;) {
      for (size_t c = 0; c < k; ++c) {
        passed[size_t(parent[node]) * k + c] += passed[node * k + c];
      }
    }
  }
};

// Adds what rows of one class cost while one node answers them: from a step up to another.
void add_cost(const ClassCost& cost, double weight, size_t from, size_t to, ClassSums& sums) {
  if (weight == 0.0 || from >= to) {
    return;
  }
  const auto add = [&](std::span<double> sum, double each) {
    sum[from] += weight * each;
    if (to < sum.size()) {
      sum[to] -= weight * each;
    }
  };
  const double mixed = cost.wrong / sums.unit + sums.log_weight * cost.log_loss;
  const double gained = cost.log_loss_of_root - cost.log_loss;
  add(sums.wrong, cost.wrong);
  add(sums.wrong_squared, cost.wrong * cost.wrong);
  add(sums.log_loss, cost.log_loss);
  add(sums.mixed_squared, mixed * mixed);
  add(sums.gained_squared, gained * gained);
}

}  // namespace

std::vector<uint64_t> hash_rows(std::span<const ColumnView> columns, int64_t n_rows,
                                uint64_t seed) {
  std::vector<uint64_t> hash(size_t(n_rows), mix(seed));
  for (const ColumnView& column : columns) {
    switch (column.storage) {
      case Storage::float32:
        mix_in<float>(column, hash, [](float x) { return bits_of(double(x)); });
        break;
      case Storage::float64:
        mix_in<double>(column, hash, [](double x) { return bits_of(x); });
        break;
      case Storage::int32:
        mix_in<int32_t>(column, hash, [](int32_t x) { return uint64_t(int64_t(x < 0 ? -1 : x)); });
        break;
    }
  }
  return hash;
}

void score_steps(const ScoredTree& tree, const ScoredRows& rows, Loss loss, std::span<double> sum,
                 std::span<double> sum_of_squares) {
  const std::vector<int32_t> parent = parents_of(tree.subtree_size);
  const auto n_steps = static_cast<int32_t>(sum.size());
  for (size_t row = 0; row < rows.node.size(); ++row) {
    const double weight = rows.weight.empty() ? 1.0 : rows.weight[row];
    auto node = size_t(rows.node[row]);
    double before = loss_of(tree, rows, loss, node, row);
    sum[0] += weight * before;
    sum_of_squares[0] += weight * before * before;
    // The ancestors' first steps rise on the way up; where several collapse at one step, the
    // highest of them answers.
    for (int32_t above = parent[node]; above >= 0; above = parent[size_t(above)]) {
      const int32_t next = tree.first_step[size_t(above)];
      if (next >= n_steps) {
        break;
      }
      const int32_t higher = parent[size_t(above)];
      if (higher >= 0 && tree.first_step[size_t(higher)] <= next) {
        continue;
      }
      const double after = loss_of(tree, rows, loss, size_t(above), row);
      sum[size_t(next)] += weight * (after - before);
      sum_of_squares[size_t(next)] += weight * (after * after - before * before);
      before = after;
    }
  }
  for (size_t step = 1; step < sum.size(); ++step) {
    sum[step] += sum[step - 1];
    sum_of_squares[step] += sum_of_squares[step - 1];
  }
}

void score_classes(const ScoredTree& tree, const ScoredRows& rows, std::span<const double> scale,
                   const ClassEvidence& nodes, std::span<const double> lambdas, bool plain_labels,
                   std::span<ClassSums> sums) {
  const size_t n = nodes.parent.size(), k = nodes.n_classes;
  const size_t n_steps = sums[0].wrong.size();
  const ClassCounts counts(nodes.parent, rows, k);
  std::vector<double> p(n * k);
  std::vector<int32_t> label(n);
  // The step from which a node answers the rows that pass it, at most n_steps.
  const auto first = [&](size_t node) {
    return tree.subtree_size[node] == 1 ? 0 : std::min(size_t(tree.first_step[node]), n_steps);
  };
  for (size_t i = 0; i < lambdas.size(); ++i) {
    draw_classes(nodes, lambdas[i], p, label);
    if (plain_labels) {
      label.assign(tree.label.begin(), tree.label.end());
    }
    for (size_t node = 0; node < n; ++node) {
      const size_t last = node == 0 ? n_steps : first(size_t(nodes.parent[node]));
      for (size_t c = 0; c < k && last > 0; ++c) {
        const double weight = counts.passed[node * k + c];
        if (weight == 0.0) {
          continue;
        }
        const double factor = scale.empty() ? 1.0 : scale[c];
        const auto answer = size_t(label[node]);
        const double wrong = tree.costs.empty() ? double(answer != c) : tree.costs[c * k + answer];
        const ClassCost cost{wrong, -factor * std::log(p[node * k + c]), -factor * std::log(p[c])};
        const size_t own = first(node);
        add_cost(cost, weight, own, last, sums[i]);
        // Rows that stop at an inner node have its answer before it collapses, too.
        add_cost(cost, counts.ended[node * k + c], 0, std::min(own, last), sums[i]);
      }
    }
    for (std::span<double> sum : {sums[i].wrong, sums[i].wrong_squared, sums[i].log_loss,
                                  sums[i].mixed_squared, sums[i].gained_squared}) {
      std::partial_sum(sum.begin(), sum.end(), sum.begin());
    }
  }
}

void node_losses(const ScoredTree& tree, const ScoredRows& rows, Loss loss,
                 std::span<double> passed, std::span<double> ended) {
  const std::vector<int32_t> parent = parents_of(tree.subtree_size);
  for (size_t row = 0; row < rows.node.size(); ++row) {
    const double weight = rows.weight.empty() ? 1.0 : rows.weight[row];
    ended[size_t(rows.node[row])] +=
        weight * loss_of(tree, rows, loss, size_t(rows.node[row]), row);
    for (int32_t node = rows.node[row]; node >= 0; node = parent[size_t(node)]) {
      passed[size_t(node)] += weight * loss_of(tree, rows, loss, size_t(node), row);
    }
  }
}

}  // namespace treewright
