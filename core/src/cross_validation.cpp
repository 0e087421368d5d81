#include "treewright/cross_validation.hpp"

#include <bit>
#include <cmath>

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

std::vector<int32_t> parents_of(std::span<const int32_t> subtree_size) {
  std::vector<int32_t> parent(subtree_size.size(), -1);
  for (size_t node = 0; node < subtree_size.size(); ++node) {
    const size_t end = node + size_t(subtree_size[node]);
    for (size_t child = node + 1; child < end; child += size_t(subtree_size[child])) {
      parent[child] = int32_t(node);
    }
  }
  return parent;
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
