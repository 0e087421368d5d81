#include "treewright/tree_check.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <string>

#include "treewright/types.hpp"

namespace treewright {
namespace {

template <class Seen>
[[noreturn]] void fail(size_t node, const std::string& name, const Seen& seen,
                       const std::string& wanted) {
  std::ostringstream message;
  message.precision(17);
  message << "Node " << node << ": " << name << " must be " << wanted << "; got " << seen << ".";
  throw BrokenTree(message.str());
}

template <class Seen>
void need(bool holds, size_t node, const char* name, const Seen& seen, const char* wanted) {
  if (!holds) {
    fail(node, name, seen, wanted);
  }
}

[[noreturn]] void fail_length(const char* name, size_t seen, size_t wanted, const char* because) {
  throw BrokenTree(std::string(name) + " must have " + std::to_string(wanted) + " entries, " +
                   because + "; got " + std::to_string(seen) + ".");
}

void need_length(const char* name, size_t seen, size_t wanted, const char* because) {
  if (seen != wanted) {
    fail_length(name, seen, wanted, because);
  }
}

bool lists_categories(SplitKind kind) {
  return kind == SplitKind::subset || kind == SplitKind::multiway;
}

// Where each node's slice of a side array starts: from 0 to the length, never falling.
void check_slices(std::span<const int64_t> start, size_t n_nodes, const char* start_name,
                  size_t n_entries, const char* entries_name) {
  need_length(start_name, start.size(), n_nodes + 1, "one more than there are nodes");
  need(start[0] == 0, 0, start_name, start[0], "0");
  for (size_t node = 0; node < n_nodes; ++node) {
    need(start[node] <= start[node + 1], node, start_name, start[node],
         "at most that of the next node");
  }
  const std::string because = std::string("the end of ") + start_name;
  need_length(entries_name, n_entries, size_t(start[n_nodes]), because.c_str());
}

class SplitCheck {
 public:
  SplitCheck(const TreeShape& tree, const SchemaColumns& columns)
      : tree_(tree), columns_(columns), n_children_(check_nesting(tree.subtree_size)) {}

  void run() {
    check_lengths();
    for (size_t node = 0; node < n_nodes(); ++node) {
      check_kind(node);
      check_feature(node);
      const bool has_threshold = kind(node) == SplitKind::threshold;
      const double threshold = tree_.threshold[node];
      need(!has_threshold || !std::isnan(threshold), node, "threshold", threshold, "a number");
      need(has_threshold || std::isnan(threshold), node, "threshold", threshold,
           "NaN without a threshold split");
      check_missing_route(node);
      check_categories(node);
      check_surrogates(node);
    }
  }

 private:
  size_t n_nodes() const { return tree_.subtree_size.size(); }
  SplitKind kind(size_t node) const { return static_cast<SplitKind>(tree_.split_kind[node]); }
  bool is_column(int32_t feature) const {
    return feature >= 0 && size_t(feature) < columns_.kind.size();
  }
  Kind kind_of(int32_t feature) const { return static_cast<Kind>(columns_.kind[size_t(feature)]); }

  void check_lengths() const {
    const char* because = "one per node";
    const size_t n = n_nodes();
    need_length("split_kind", tree_.split_kind.size(), n, because);
    need_length("feature", tree_.feature.size(), n, because);
    need_length("threshold", tree_.threshold.size(), n, because);
    need_length("missing_route", tree_.missing_route.size(), n, because);
    need_length("weight", tree_.weight.size(), n, because);
    need_length("the number of categories", columns_.n_labels.size(), columns_.kind.size(),
                "one per column");
    check_slices(tree_.category_start, n, "category_start", tree_.categories.size(), "categories");
    need_length("category_branch", tree_.category_branch.size(), tree_.categories.size(),
                "one per category");
    check_slices(tree_.surrogate_start, n, "surrogate_start", tree_.surrogate_feature.size(),
                 "surrogate_feature");
    because = "one per surrogate";
    const size_t n_surrogates = tree_.surrogate_feature.size();
    need_length("surrogate_threshold", tree_.surrogate_threshold.size(), n_surrogates, because);
    need_length("surrogate_flip", tree_.surrogate_flip.size(), n_surrogates, because);
    check_slices(tree_.surrogate_category_start, n, "surrogate_category_start",
                 tree_.surrogate_categories.size(), "surrogate_categories");
    because = "one per category of a surrogate";
    const size_t n_listed = tree_.surrogate_categories.size();
    need_length("surrogate_category_of", tree_.surrogate_category_of.size(), n_listed, because);
    need_length("surrogate_category_branch", tree_.surrogate_category_branch.size(), n_listed,
                because);
  }

  void check_kind(size_t node) const {
    const int seen = tree_.split_kind[node];
    const int32_t count = n_children_[node];
    need(seen >= 0 && seen <= int(SplitKind::multiway), node, "split_kind", seen,
         "one of 0 (leaf), 1 (threshold), 2 (subset), 3 (is_missing), 4 (multiway)");
    need((kind(node) == SplitKind::leaf) == (count == 0), node, "split_kind", seen,
         "0 exactly at a leaf");
    need(count != 1, node, "the number of branches", count, "0 or >= 2");
    need(count <= 2 || kind(node) == SplitKind::multiway, node, "the number of branches", count,
         "2 for this kind");
  }

  void check_feature(size_t node) const {
    const int32_t feature = tree_.feature[node];
    if (kind(node) == SplitKind::leaf) {
      need(feature == -1, node, "feature", feature, "-1 at a leaf");
      return;
    }
    check_column(node, "feature", feature, "a column of the schema");
    need(kind(node) != SplitKind::threshold || kind_of(feature) != Kind::categorical, node,
         "feature", feature, "numeric or ordinal under a threshold");
    need(!lists_categories(kind(node)) || kind_of(feature) != Kind::numeric, node, "feature",
         feature, "a column of categories under this kind of split");
  }

  void check_column(size_t node, const char* name, int32_t feature, const char* wanted) const {
    if (!is_column(feature)) {
      fail(node, name, feature,
           std::string(wanted) + ", 0 to " + std::to_string(int64_t(columns_.kind.size()) - 1));
    }
  }

  void check_missing_route(size_t node) const {
    const int32_t route = tree_.missing_route[node];
    if (kind(node) == SplitKind::leaf) {
      need(route == kStopHere, node, "missing_route", route, "-1 at a leaf");
      return;
    }
    need(route >= kAllBranches && route < n_children_[node], node, "missing_route", route,
         "a branch, -1 (stop here) or -2 (all branches)");
    need(kind(node) != SplitKind::is_missing || route == 0, node, "missing_route", route,
         "0 in a split on missing values");
  }

  // The categories are ascending, each has a branch, and each branch has a category or the
  // missing values.
  void check_categories(size_t node) {
    const auto begin = size_t(tree_.category_start[node]);
    const auto end = size_t(tree_.category_start[node + 1]);
    const char* name = "the number of categories";
    if (!lists_categories(kind(node))) {
      need(begin == end, node, name, end - begin, "0 for this kind of node");
      return;
    }
    need(begin < end, node, name, end - begin, ">= 1 for this kind of split");
    const int32_t n_labels = columns_.n_labels[size_t(tree_.feature[node])];
    reached_.assign(size_t(n_children_[node]), false);
    if (tree_.missing_route[node] >= 0) {
      reached_[size_t(tree_.missing_route[node])] = true;
    }
    for (size_t i = begin; i < end; ++i) {
      const int32_t code = tree_.categories[i], branch = tree_.category_branch[i];
      need(code >= 0 && code < n_labels, node, "categories", code,
           "codes of categories in the schema");
      need(i == begin || tree_.categories[i - 1] < code, node, "categories", code,
           "ascending, each once");
      need(branch >= 0 && branch < n_children_[node], node, "category_branch", branch,
           "a branch of the node");
      reached_[size_t(branch)] = true;
    }
    const auto empty = std::find(reached_.begin(), reached_.end(), false);
    need(empty == reached_.end(), node, "category_branch",
         "no category for " + std::to_string(empty - reached_.begin()),
         "present for every branch that is not the missing route");
  }

  void check_surrogates(size_t node) const {
    const int64_t first = tree_.surrogate_start[node], last = tree_.surrogate_start[node + 1];
    need(first == last || n_children_[node] == 2, node, "the number of surrogates", last - first,
         "0 unless there are two branches");
    for (auto s = size_t(first); s < size_t(last); ++s) {
      const int32_t feature = tree_.surrogate_feature[s];
      const char* wanted = "another column of the schema than the split's";
      check_column(node, "surrogate_feature", feature, wanted);
      need(feature != tree_.feature[node], node, "surrogate_feature", feature, wanted);
      need(std::isnan(tree_.surrogate_threshold[s]) == (kind_of(feature) == Kind::categorical),
           node, "surrogate_threshold", tree_.surrogate_threshold[s],
           "a number exactly where the column is not categorical");
    }
    check_surrogate_categories(node, first, last - first);
  }

  // Surrogate by surrogate, the categories of each ascending.
  void check_surrogate_categories(size_t node, int64_t first, int64_t n_surrogates) const {
    const auto begin = size_t(tree_.surrogate_category_start[node]);
    const auto end = size_t(tree_.surrogate_category_start[node + 1]);
    for (size_t i = begin; i < end; ++i) {
      const int32_t of = tree_.surrogate_category_of[i], code = tree_.surrogate_categories[i];
      need(of >= 0 && of < n_surrogates, node, "surrogate_category_of", of,
           "a surrogate of the node");
      const bool new_one = i == begin || tree_.surrogate_category_of[i - 1] != of;
      need(i == begin || tree_.surrogate_category_of[i - 1] <= of, node, "surrogate_category_of",
           of, "ascending");
      const int32_t feature = tree_.surrogate_feature[size_t(first + of)];
      need(code >= 0 && code < columns_.n_labels[size_t(feature)], node, "surrogate_categories",
           code, "codes of its categories");
      need(new_one || tree_.surrogate_categories[i - 1] < code, node, "surrogate_categories", code,
           "ascending, each once");
      const int32_t branch = tree_.surrogate_category_branch[i];
      need(branch == 0 || branch == 1, node, "surrogate_category_branch", branch, "0 or 1");
    }
  }

  const TreeShape& tree_;
  const SchemaColumns& columns_;
  const std::vector<int32_t> n_children_;
  std::vector<bool> reached_;  // branches of one node
};

void check_numbers(size_t node, const NodeEvidence& evidence) {
  need(evidence.n_rows[node] >= 0, node, "n_rows", evidence.n_rows[node], ">= 0");
  const auto finite = [&](const char* name, double seen) {
    need(std::isfinite(seen) && seen >= 0.0, node, name, seen, "a finite number >= 0");
  };
  finite("weight", evidence.weight[node]);
  finite("weight_squared", evidence.weight_squared[node]);
  // The variance of numbers near the limit of a double is beyond it: infinite.
  const auto number = [&](const char* name, double seen) {
    need(seen >= 0.0, node, name, seen, "a number >= 0");
  };
  number("impurity", evidence.impurity[node]);
  number("gain", evidence.gain[node]);
  number("risk", evidence.risk[node]);
}

// A tree answers classes, of which each node has a weight, or numbers.
void check_kind_of_answer(const NodeEvidence& evidence, size_t n_nodes, int32_t n_classes) {
  const bool is_class = evidence.label[0] >= 0;
  need(
      n_classes < 0 || is_class == (n_classes > 0), 0, "label", evidence.label[0],
      n_classes > 0 ? "right for a target of kind 'class'" : "right for a target of kind 'number'");
  const int64_t width = is_class ? (n_classes > 0 ? n_classes : evidence.width) : 1;
  if (evidence.width != width) {
    fail(0, "value", std::to_string(evidence.width) + " numbers",
         is_class ? "one weight for each of " + std::to_string(width) + " classes"
                  : "one number per node for a numeric target");
  }
  const size_t n = is_class ? 0 : n_nodes;
  const char* because = is_class ? "being for numbers only" : "as many as there are nodes";
  need_length("variance", evidence.variance.size(), n, because);
  need_length("quartiles", evidence.quartiles.size() / 3, n, because);
}

// Probabilities of the classes, or a number.
void check_own_answer(size_t node, const NodeEvidence& evidence) {
  if (evidence.answer.empty()) {
    return;
  }
  constexpr double kRounding = 1e-9;
  const auto width = size_t(evidence.width);
  double total = 0.0;
  for (const double answer : evidence.answer.subspan(node * width, width)) {
    need(std::isfinite(answer), node, "answer", answer, "finite");
    need(evidence.label[0] < 0 || (answer >= 0.0 && answer <= 1.0), node, "answer", answer,
         "from 0 to 1, being the probability of a class");
    total += answer;
  }
  need(evidence.label[0] < 0 || std::abs(total - 1.0) <= kRounding, node, "the sum of its answer",
       total, "1, being probabilities of classes");
}

void check_answer(size_t node, const NodeEvidence& evidence) {
  const int32_t label = evidence.label[node];
  if (evidence.label[0] < 0) {
    need(label == -1, node, "label", label, "-1 for a numeric target");
  } else if (label < 0 || label >= evidence.width) {
    fail(node, "label", label, "a class, 0 to " + std::to_string(evidence.width - 1));
  }
  const auto width = size_t(evidence.width);
  for (const double value : evidence.value.subspan(node * width, width)) {
    need(std::isfinite(value), node, "value", value, "finite");
    need(label == -1 || value >= 0.0, node, "value", value, ">= 0, being class weights");
  }
}

}  // namespace

std::vector<int32_t> check_nesting(std::span<const int32_t> subtree_size) {
  const size_t n = subtree_size.size();
  if (n == 0 || n > size_t(kMaxRows)) {
    throw BrokenTree("A tree must have from 1 to 2147483647 nodes; got " + std::to_string(n) + ".");
  }
  if (subtree_size[0] != int64_t(n)) {
    fail(0, "subtree_size", subtree_size[0], "the number of nodes, " + std::to_string(n));
  }
  std::vector<int32_t> n_children(n, 0);
  std::vector<size_t> open;  // inner nodes above this one
  const auto end_of = [&](size_t node) { return node + size_t(subtree_size[node]); };
  for (size_t node = 0; node < n; ++node) {
    while (!open.empty() && node == end_of(open.back())) {
      open.pop_back();
    }
    const size_t room = (open.empty() ? n : end_of(open.back())) - node;
    if (subtree_size[node] < 1 || size_t(subtree_size[node]) > room) {
      fail(node, "subtree_size", subtree_size[node],
           "from 1 to " + std::to_string(room) + ", to fit its parent's");
    }
    if (!open.empty()) {
      ++n_children[open.back()];
    }
    if (subtree_size[node] > 1) {
      open.push_back(node);
    }
  }
  return n_children;
}

void check_splits(const TreeShape& tree, const SchemaColumns& columns) {
  SplitCheck(tree, columns).run();
}

void check_evidence(const NodeEvidence& evidence, const TreeShape& tree, const Known& known) {
  const size_t n = tree.split_kind.size();
  const char* because = "one per node";
  need_length("n_rows", evidence.n_rows.size(), n, because);
  need_length("weight", evidence.weight.size(), n, because);
  need_length("weight_squared", evidence.weight_squared.size(), n, because);
  need_length("value", evidence.value.size(), n * size_t(evidence.width), "a row per node");
  if (!evidence.answer.empty()) {
    need_length("answer", evidence.answer.size(), evidence.value.size(), "as many as value has");
  }
  need_length("impurity", evidence.impurity.size(), n, because);
  need_length("gain", evidence.gain.size(), n, because);
  need_length("risk", evidence.risk.size(), n, because);
  need_length("label", evidence.label.size(), n, because);
  need_length("stop_reason", evidence.stop_reason.size(), n, because);
  because = "one per surrogate";
  const size_t n_surrogates = tree.surrogate_feature.size();
  need_length("surrogate_agree", evidence.surrogate_agree.size(), n_surrogates, because);
  need_length("surrogate_adjust", evidence.surrogate_adjust.size(), n_surrogates, because);
  need_length("surrogate_rows", evidence.surrogate_rows.size(), n_surrogates, because);
  check_kind_of_answer(evidence, n, known.n_classes);
  for (size_t node = 0; node < n; ++node) {
    check_numbers(node, evidence);
    check_answer(node, evidence);
    check_own_answer(node, evidence);
    const int reason = evidence.stop_reason[node];
    if (static_cast<SplitKind>(tree.split_kind[node]) != SplitKind::leaf) {
      need(reason == 0, node, "stop_reason", reason, "0 at an inner node");
      continue;
    }
    need(evidence.gain[node] == 0.0, node, "gain", evidence.gain[node], "0 at a leaf");
    if (reason < 0 || reason >= known.n_stop_reasons) {
      fail(node, "stop_reason", reason, "from 0 to " + std::to_string(known.n_stop_reasons - 1));
    }
  }
}

void check_risks(std::span<const int32_t> subtree_size, std::span<const int64_t> risk,
                 std::span<const int64_t> stopped) {
  check_nesting(subtree_size);
  constexpr int64_t kMost = int64_t(1) << 62;
  for (size_t node = 0; node < subtree_size.size(); ++node) {
    const auto in_range = [&](const char* name, int64_t seen) {
      need(seen >= 0 && seen <= kMost, node, name, seen, "from 0 to 2^62 units");
    };
    in_range("the risk", risk[node]);
    in_range("the risk of the rows that stop here", stopped[node]);
  }
}

}  // namespace treewright
