// Broken arrays: whatever check_splits and check_risks let pass can be routed and pruned
// without leaving an array. A sanitizer sees it if not.
#include <algorithm>
#include <limits>

#include "check.hpp"
#include "treewright/grow.hpp"
#include "treewright/route.hpp"
#include "treewright/tree_check.hpp"
#include "treewright/weakest_link.hpp"

namespace treewright::testing {
namespace {

constexpr int kDamages = 2000;  // of each tree

// The arrays that routing and pruning read, to be changed at will.
struct Arrays {
  std::vector<int32_t> subtree_size, feature, categories, category_branch, missing_route;
  std::vector<int8_t> split_kind;
  std::vector<double> threshold, weight;
  std::vector<int64_t> category_start;
  std::vector<int64_t> surrogate_start, surrogate_category_start;
  std::vector<int32_t> surrogate_feature;
  std::vector<double> surrogate_threshold;
  std::vector<uint8_t> surrogate_flip;
  std::vector<int32_t> surrogate_category_of, surrogate_categories, surrogate_category_branch;
  std::vector<int64_t> risk;

  TreeShape shape() const {
    return {subtree_size,
            split_kind,
            feature,
            threshold,
            category_start,
            categories,
            category_branch,
            missing_route,
            weight,
            surrogate_start,
            surrogate_feature,
            surrogate_threshold,
            surrogate_flip,
            surrogate_category_start,
            surrogate_category_of,
            surrogate_categories,
            surrogate_category_branch};
  }
};

template <class T>
std::vector<T> copied(const LargeVector<T>& from) {
  return {from.begin(), from.end()};
}

Arrays arrays_of(const FlatTree& tree, Random& random) {
  Arrays made;
  made.subtree_size = copied(tree.subtree_size);
  made.split_kind = copied(tree.split_kind);
  made.feature = copied(tree.feature);
  made.threshold = copied(tree.threshold);
  made.category_start = copied(tree.category_start);
  made.categories = copied(tree.categories);
  made.category_branch = copied(tree.category_branch);
  made.missing_route = copied(tree.missing_route);
  made.weight = copied(tree.weight);
  made.surrogate_start = copied(tree.surrogate_start);
  made.surrogate_feature = copied(tree.surrogate_feature);
  made.surrogate_threshold = copied(tree.surrogate_threshold);
  made.surrogate_flip = copied(tree.surrogate_flip);
  made.surrogate_category_start = copied(tree.surrogate_category_start);
  made.surrogate_category_of = copied(tree.surrogate_category_of);
  made.surrogate_categories = copied(tree.surrogate_categories);
  made.surrogate_category_branch = copied(tree.surrogate_category_branch);
  const size_t n = made.subtree_size.size();
  if (made.surrogate_start.empty()) {
    made.surrogate_start.assign(n + 1, 0);
    made.surrogate_category_start.assign(n + 1, 0);
  }
  for (size_t i = 0; i < n; ++i) {
    made.risk.push_back(random.whole(0, 1000));
  }
  return made;
}

template <class T>
void damage(std::vector<T>& array, Random& random) {
  if (random.share() < 0.05) {
    array.resize(size_t(std::max<int64_t>(0, int64_t(array.size()) + random.whole(-2, 2))));
  }
  if (array.empty()) {
    return;
  }
  T& entry = array[size_t(random.whole(0, int64_t(array.size()) - 1))];
  const double how = random.share();
  if (how < 0.4) {
    entry = static_cast<T>(random.whole(-5, 5));
  } else if (how < 0.6) {
    entry = array[size_t(random.whole(0, int64_t(array.size()) - 1))];
  } else if (how < 0.8) {
    entry = std::numeric_limits<T>::max();
  } else {
    entry = std::numeric_limits<T>::lowest();
  }
}

void damage(Arrays& arrays, Random& random) {
  const auto change = [&](auto&... array) {
    int64_t place = random.whole(0, int64_t(sizeof...(array)) - 1);
    ((place-- == 0 ? damage(array, random) : void()), ...);
  };
  change(arrays.subtree_size, arrays.split_kind, arrays.feature, arrays.threshold,
         arrays.category_start, arrays.categories, arrays.category_branch, arrays.missing_route,
         arrays.weight, arrays.surrogate_start, arrays.surrogate_feature,
         arrays.surrogate_threshold, arrays.surrogate_flip, arrays.surrogate_category_start,
         arrays.surrogate_category_of, arrays.surrogate_categories,
         arrays.surrogate_category_branch, arrays.risk);
}

// True if the arrays were used, false if they were refused.
bool use(const Arrays& arrays, const SchemaColumns& columns, const RandomTable& table) {
  try {
    const size_t n = arrays.subtree_size.size();
    check_splits(arrays.shape(), columns);
    if (arrays.risk.size() != n) {
      return false;  // the bindings compare lengths
    }
    const std::vector<int64_t> stopped(n, 0);
    check_risks(arrays.subtree_size, arrays.risk, stopped);
    weakest_links({arrays.subtree_size, arrays.risk, stopped, 1.0}, 0.0, 0.0);
    std::vector<int32_t> nodes(size_t(table.n_rows));
    Control control;
    const Router router(arrays.shape());
    router.route(table.views, table.n_rows, 1, control, nodes.data());
    router.route_shares(table.views, table.n_rows, control);
    return true;
  } catch (const BrokenTree&) {
    return false;
  }
}

}  // namespace

void check_damage(Tally& tally, Random& random) {
  const RandomTable table(random, random.whole(20, 60), 5);
  std::vector<int8_t> kinds;
  std::vector<int32_t> n_labels;
  for (const ColumnView& view : table.views) {
    int32_t largest = -1;
    if (view.kind != Kind::numeric) {
      for (int64_t row = 0; row < table.n_rows; ++row) {
        largest = std::max(largest, view.code(row));
      }
    }
    kinds.push_back(static_cast<int8_t>(view.kind));
    n_labels.push_back(largest + 1);
  }
  std::vector<int32_t> labels;
  for (int64_t row = 0; row < table.n_rows; ++row) {
    labels.push_back(static_cast<int32_t>(random.whole(0, 2)));
  }
  Target target;
  target.n_classes = 3;
  target.labels = labels.data();
  GrowOptions options;
  options.missing = static_cast<Missing>(random.whole(0, 2));
  options.max_surrogates = 3;
  options.max_depth = 5;
  Control control;
  const auto grower = make_grower(sort_table(table.views, table.n_rows, 1, control), target,
                                  nullptr, options, control);
  grower->grow_all();
  const Arrays sound = arrays_of(grower->take_tree(), random);
  const SchemaColumns columns{kinds, n_labels};
  tally.expect(use(sound, columns, table), "a tree as grown passes its checks");
  int refused = 0;
  for (int i = 0; i < kDamages; ++i) {
    Arrays broken = sound;
    for (int64_t n = random.whole(1, 3); n > 0; --n) {
      damage(broken, random);
    }
    refused += !use(broken, columns, table);
  }
  tally.expect(refused > kDamages / 10, "most damage is refused");
}

}  // namespace treewright::testing
