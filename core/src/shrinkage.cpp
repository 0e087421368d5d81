#include "treewright/shrinkage.hpp"

#include <algorithm>

namespace treewright {
namespace {

constexpr double kTie = 1e-12;  // costs that differ by this share of the largest are equal

class Classes {
 public:
  Classes(const ClassEvidence& nodes, double lambda, std::span<double> q)
      : nodes_(nodes), lambda_(lambda), q_(q) {}

  void draw(size_t node) {
    const size_t k = nodes_.n_classes;
    const double* own = &nodes_.value[node * k];
    double* q = &q_[node * k];
    const double weight = weight_of(node);
    if (node == 0) {
      for (size_t c = 0; c < k; ++c) {
        q[c] = weight > 0.0 ? own[c] / weight : 1.0 / double(k);
      }
      return;
    }
    const auto above = size_t(nodes_.parent[node]);
    const double* from = &q_[above * k];
    const double around = weight_of(above);
    std::copy_n(from, k, q);
    if (weight <= 0.0 || around <= 0.0) {
      return;
    }
    const double* its = &nodes_.value[above * k];
    const double damping = 1.0 + lambda_ / (around * nodes_.copies);
    for (size_t c = 0; c < k; ++c) {
      q[c] += (own[c] / weight - its[c] / around) / damping;
    }
  }

  double weight_of(size_t node) const {
    const double* own = &nodes_.value[node * nodes_.n_classes];
    double total = 0.0;
    for (size_t c = 0; c < nodes_.n_classes; ++c) {
      total += own[c];
    }
    return total;
  }

 private:
  const ClassEvidence& nodes_;
  double lambda_;
  std::span<double> q_;
};

// Expected cost of answering each class.
void expected_costs(const ClassEvidence& nodes, std::span<const double> p,
                    std::vector<double>& expected) {
  const size_t k = p.size();
  for (size_t answer = 0; answer < k; ++answer) {
    expected[answer] = 1.0 - p[answer];
  }
  if (nodes.costs.empty()) {
    return;
  }
  std::fill(expected.begin(), expected.end(), 0.0);
  for (size_t truth = 0; truth < k; ++truth) {
    for (size_t answer = 0; answer < k; ++answer) {
      expected[answer] += p[truth] * nodes.costs[truth * k + answer];
    }
  }
}

int32_t label_of(std::span<const double> own, const std::vector<double>& expected) {
  const auto [least, most] = std::minmax_element(expected.begin(), expected.end());
  const double limit = *least + kTie * *most;
  auto best = size_t(least - expected.begin());
  for (size_t c = 0; c < expected.size(); ++c) {
    // On a tie the larger weight, then the first class.
    if (expected[c] <= limit && (own[c] > own[best] || (own[c] == own[best] && c < best))) {
      best = c;
    }
  }
  return int32_t(best);
}

}  // namespace

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

void draw_numbers(std::span<const int32_t> parent, std::span<const double> weight,
                  std::span<const double> mean, double m, std::span<double> answer) {
  answer[0] = mean[0];
  for (size_t node = 1; node < mean.size(); ++node) {
    const double above = answer[size_t(parent[node])];
    const double rows = weight[node];
    answer[node] = rows > 0.0 ? (rows * mean[node] + m * above) / (rows + m) : above;
  }
}

void draw_classes(const ClassEvidence& nodes, double lambda, std::span<double> probability,
                  std::span<int32_t> label) {
  const size_t k = nodes.n_classes;
  Classes classes(nodes, lambda, probability);
  const double rows = classes.weight_of(0) * nodes.copies;
  std::vector<double> expected(k);
  for (size_t node = 0; node < label.size(); ++node) {
    classes.draw(node);
  }
  for (size_t node = 0; node < label.size(); ++node) {
    const std::span<double> p = probability.subspan(node * k, k);
    for (double& each : p) {
      // Rounding may leave a share of 0 a little below it.
      each = (rows * std::max(each, 0.0) + 1.0 / double(k)) / (rows + 1.0);
    }
    expected_costs(nodes, p, expected);
    label[node] = label_of(nodes.value.subspan(node * k, k), expected);
  }
}

}  // namespace treewright
