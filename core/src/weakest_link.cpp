#include "treewright/weakest_link.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "treewright/types.hpp"

namespace treewright {
namespace {

constexpr int32_t kNone = -1;

// What collapsing a node costs, for how many leaves: alpha = cost / leaves. A cost is a sum of
// up to 2^31 risks of 62 bits each: together with the leaves it stays below 2^124.
struct Link {
  int128 cost = 0;
  int64_t leaves = 1;
};

bool weaker(const Link& a, const Link& b) { return a.cost * b.leaves < b.cost * a.leaves; }

// Heaps of links, one per subtree, that merge: the strongest on top.
class LinkHeaps {
 public:
  explicit LinkHeaps(size_t n) : link(n), below_(n, kNone), beside_(n, kNone) {}

  std::vector<Link> link;

  int32_t merge(int32_t a, int32_t b) {
    if (a == kNone || b == kNone) {
      return a == kNone ? b : a;
    }
    if (weaker(link[size_t(a)], link[size_t(b)])) {
      std::swap(a, b);
    }
    put_below(a, b);
    return a;
  }
  // The heap without its top: merges pairs from left to right, then all pairs from right to left.
  int32_t without_top(int32_t top) {
    pairs_.clear();
    int32_t next = below_[size_t(top)];
    while (next != kNone) {
      const int32_t a = next, b = beside_[size_t(a)];
      next = b == kNone ? kNone : beside_[size_t(b)];
      beside_[size_t(a)] = kNone;
      if (b != kNone) {
        beside_[size_t(b)] = kNone;
      }
      pairs_.push_back(merge(a, b));
    }
    int32_t heap = kNone;
    for (size_t i = pairs_.size(); i-- > 0;) {
      heap = merge(heap, pairs_[i]);
    }
    return heap;
  }
  // A link at least as strong as all of the heap becomes its top.
  void put_on_top(int32_t top, int32_t heap) {
    below_[size_t(top)] = kNone;
    if (heap != kNone) {
      put_below(top, heap);
    }
  }
  template <class Visit>
  void visit(int32_t heap, const Visit& call) {
    std::vector<int32_t> stack;
    for (int32_t first = heap; first != kNone || !stack.empty();) {
      if (first == kNone) {
        first = stack.back();
        stack.pop_back();
      }
      call(first);
      if (beside_[size_t(first)] != kNone) {
        stack.push_back(beside_[size_t(first)]);
      }
      first = below_[size_t(first)];
    }
  }

 private:
  void put_below(int32_t top, int32_t heap) {
    beside_[size_t(heap)] = below_[size_t(top)];
    below_[size_t(top)] = heap;
  }

  std::vector<int32_t> below_, beside_;  // first child of a link; next sibling of a link
  std::vector<int32_t> pairs_;
};

// The link of one node, given the heap of all links below it. Links that are stronger than the
// link of the node are removed from the heap, because the node collapses before them.
Link settle(const RiskTree& tree, size_t node, LinkHeaps& heaps, int32_t& heap) {
  int128 below = tree.stopped[node];
  int64_t n_children = 0;
  const size_t end = node + size_t(tree.subtree_size[node]);
  for (size_t child = node + 1; child < end; child += size_t(tree.subtree_size[child])) {
    below += tree.risk[child];
    ++n_children;
  }
  // Collapsing a node with one branch removes no leaf, so the node counts like its branch.
  Link own{tree.risk[node] - below, std::max<int64_t>(1, n_children - 1)};
  while (heap != kNone && weaker(own, heaps.link[size_t(heap)])) {
    own.cost += heaps.link[size_t(heap)].cost;
    own.leaves += heaps.link[size_t(heap)].leaves;
    heap = heaps.without_top(heap);
  }
  return own;
}

// Groups the links that take effect into steps and records the alpha of the step at each node.
// `risk` is the risk of the whole tree.
void lay_out_steps(const RiskTree& tree, const LinkHeaps& heaps, std::vector<int32_t>& order,
                   int128 risk, double slack, double share, PruningSteps& steps) {
  std::sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
    const Link &x = heaps.link[size_t(a)], &y = heaps.link[size_t(b)];
    return weaker(x, y) || (!weaker(y, x) && a < b);
  });
  Link first;  // of the step
  for (const int32_t node : order) {
    const Link& link = heaps.link[size_t(node)];
    const double alpha = double(link.cost) / (double(link.leaves) * tree.total);
    const double reached = steps.alpha.back();
    if (weaker(first, link) && alpha > reached + std::max(slack, share * reached)) {
      first = link;
      steps.alpha.push_back(alpha);
      steps.n_leaves.push_back(steps.n_leaves.back());
      steps.risk.push_back(steps.risk.back());
    }
    steps.n_leaves.back() -= link.leaves;
    risk += link.cost;
    steps.risk.back() = double(risk);
    steps.collapse[size_t(node)] = steps.alpha.back();
  }
}

}  // namespace

PruningSteps weakest_links(const RiskTree& tree, double slack, double share) {
  const size_t n = tree.subtree_size.size();
  LinkHeaps heaps(n);
  std::vector<int32_t> heap(n, kNone);  // of the subtree that starts here
  PruningSteps steps;
  steps.collapse.assign(n, std::numeric_limits<double>::quiet_NaN());
  steps.alpha.assign(1, 0.0);
  steps.n_leaves.assign(1, 0);
  int128 risk = 0;  // of the whole tree
  for (size_t node = n; node-- > 0;) {
    if (tree.subtree_size[node] == 1) {
      steps.n_leaves[0] += 1;
      risk += tree.risk[node];
      continue;
    }
    risk += tree.stopped[node];
    int32_t merged = kNone;
    const size_t end = node + size_t(tree.subtree_size[node]);
    for (size_t child = node + 1; child < end; child += size_t(tree.subtree_size[child])) {
      merged = heaps.merge(merged, heap[child]);
    }
    heaps.link[node] = settle(tree, node, heaps, merged);
    heaps.put_on_top(int32_t(node), merged);
    heap[node] = int32_t(node);
  }
  steps.risk.assign(1, double(risk));
  std::vector<int32_t> order;
  heaps.visit(heap[0], [&](int32_t node) { order.push_back(node); });
  lay_out_steps(tree, heaps, order, risk, slack, share, steps);

  // A node whose link was removed from its heap collapses together with the node above it.
  std::vector<size_t> open;  // inner nodes on the way to this one
  for (size_t node = 0; node < n; ++node) {
    while (!open.empty() && node >= open.back() + size_t(tree.subtree_size[open.back()])) {
      open.pop_back();
    }
    if (tree.subtree_size[node] == 1) {
      continue;
    }
    if (std::isnan(steps.collapse[node])) {
      steps.collapse[node] = steps.collapse[open.back()];
    }
    open.push_back(node);
  }
  return steps;
}

std::vector<uint8_t> cut_bottom_up(std::span<const int32_t> subtree_size,
                                   std::span<const double> leaf, std::span<const double> stopped,
                                   double margin, bool keep_ties) {
  const size_t n = subtree_size.size();
  std::vector<double> best(leaf.begin(), leaf.end());
  std::vector<uint8_t> cut(n, 0);
  for (size_t node = n; node-- > 0;) {
    if (subtree_size[node] == 1) {
      continue;
    }
    double below = stopped[node];
    const size_t end = node + size_t(subtree_size[node]);
    for (size_t child = node + 1; child < end; child += size_t(subtree_size[child])) {
      below += best[child];
    }
    cut[node] = keep_ties ? leaf[node] < below - margin : leaf[node] <= below + margin;
    if (!cut[node]) {
      best[node] = below;
    }
  }
  return cut;
}

}  // namespace treewright
