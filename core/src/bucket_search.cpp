#include "bucket_search.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <optional>
#include <stdexcept>

#include "node_search.hpp"
#include "treewright/threshold_search.hpp"

namespace treewright::parts {

NodeSearch::NodeSearch(const Table& table, const GrowOptions& options, const SplitLimits& limits,
                       const Control& control, int32_t node, uint64_t key, const int64_t* stats,
                       double impurity)
    : table_(&table),
      options_(&options),
      limits_(&limits),
      control_(&control),
      layout_(table.task, table.n_classes),
      node_(node),
      stats_(stats),
      cost_(options.criterion, layout_, stats, impurity) {
  const size_t n = table.columns.size(), limit = size_t(options.max_features);
  std::vector<size_t> order;
  if (limit == 0 || limit >= n) {
    for (size_t c = 0; c < n; ++c) {
      order.push_back(c);
    }
  } else {
    order = random_order(options.seed, n, key);
    more_.assign(order.begin() + static_cast<int64_t>(limit), order.end());
    order.resize(limit);
  }
  for (const size_t c : order) {
    columns_[c];
  }
}

// ---- gains and bounds ----

Levels NodeSearch::levels_of(const Buckets& buckets) const {
  Levels levels;
  const auto add = [&](int32_t code, const int64_t* block) {
    levels.codes.push_back(code);
    levels.stats.insert(levels.stats.end(), block, block + layout_.words());
    levels.sizes.push_back(block[kRows]);
  };
  for (size_t i = 0; i < buckets.list.size(); ++i) {
    add(static_cast<int32_t>(buckets.list[i].low), buckets.words.data() + i * n_words());
  }
  if (buckets.missing[kRows] > 0) {
    add(kMissing, buckets.missing.data());
  }
  return levels;
}

double NodeSearch::charge_of(size_t column, const Levels& levels) const {
  if (!about(column).many_levels) {
    return 0.0;
  }
  return charge_of_levels(cost_, levels,
                          copy_unit(table_->n_rows, table_->total_weight, table_->weight_unit));
}

// The best score of a column, of the cuts that are known.
double NodeSearch::best_of(size_t column) const {
  const Buckets& buckets = columns_.at(column);
  if (opens_each(column)) {
    const auto split = multiway(column);
    return split ? split->gain : kNone;
  }
  if (!groups(column)) {
    return best_cut(buckets);
  }
  const Levels levels = levels_of(buckets);
  if (levels.codes.empty()) {
    return kNone;
  }
  const SumCost cost(cost_, levels);
  return CategorySearch(cost, *limits_, stats_, control_).best() - charge_of(column, levels);
}

double NodeSearch::best_cut(const Buckets& buckets) const {
  const auto words = size_t(layout_.words());
  StatBlock left(words), right(words), with_missing(words);
  const bool has_missing = buckets.missing[kRows] > 0;
  double best = kNone;
  const auto consider = [&](const int64_t* branch) {
    layout_.difference(right.data(), stats_, branch);
    if (limits_->allows(branch, right.data())) {
      best = std::max(best, cost_.gain(branch, right.data()));
    }
  };
  for (size_t i = 0; i + 1 < buckets.list.size(); ++i) {
    add_block(left.data(), buckets.words.data() + i * n_words());
    consider(left.data());
    if (has_missing) {
      layout_.copy(with_missing.data(), left.data());
      add_block(with_missing.data(), buckets.missing.data());
      consider(with_missing.data());
    }
  }
  if (has_missing && !buckets.list.empty()) {
    consider(buckets.missing.data());
  }
  return best;
}

// Whether limits may allow a cut inside a bucket that has this before it.
bool NodeSearch::may_be_allowed(const int64_t* before, const int64_t* bucket) const {
  const int64_t rows_left = before[kRows] + bucket[kRows] - 1;
  const int64_t rows_right = stats_[kRows] - before[kRows] - 1;
  const int64_t weight_left = before[kWeight] + bucket[kWeight];
  const int64_t weight_right = stats_[kWeight] - before[kWeight];
  const int64_t least = std::max(limits_->min_weight, limits_->min_branch_weight);
  return std::min(rows_left, rows_right) >= limits_->min_rows &&
         std::min(weight_left, weight_right) >= least;
}

size_t NodeSearch::open_buckets(size_t column, double at_least) {
  Buckets& buckets = columns_.at(column);
  const auto words = size_t(layout_.words());
  const BucketBound bound(cost_, stats_);
  StatBlock left(words), with_missing(words);
  const bool has_missing = buckets.missing[kRows] > 0;
  size_t n = 0;
  const auto reaches = [&](const int64_t* before, const int64_t* bucket) {
    return may_be_allowed(before, bucket) &&
           bound(before, bucket, at_least) * table_->bound_factor >= at_least;
  };
  for (size_t i = 0; i < buckets.list.size(); ++i) {
    const int64_t* block = buckets.words.data() + i * n_words();
    if (!is_single(column, buckets.list[i])) {
      bool open = reaches(left.data(), block);
      if (!open && has_missing) {
        layout_.copy(with_missing.data(), left.data());
        add_block(with_missing.data(), buckets.missing.data());
        open = reaches(with_missing.data(), block);
      }
      buckets.list[i].open = open;
      n += open;
    }
    add_block(left.data(), block);
  }
  return n;
}

// If no split is allowed, the outermost values tell why.
size_t NodeSearch::open_outermost(size_t column) {
  Buckets& buckets = columns_.at(column);
  size_t n = 0;
  for (const size_t i : {size_t(0), buckets.list.size() - 1}) {
    if (!buckets.list.empty() && !buckets.list[i].open && !is_single(column, buckets.list[i])) {
      buckets.list[i].open = true;
      ++n;
    }
  }
  return n;
}

void NodeSearch::find_best() {
  best_ = kNone;
  for (const auto& [column, buckets] : columns_) {
    if (buckets.counted) {
      best_ = std::max(best_, best_of(column));
    }
  }
}

size_t NodeSearch::find_open() {
  n_open_ = 0;
  for (const auto& [column, buckets] : columns_) {
    n_open_ += !buckets.counted;
  }
  if (n_open_ > 0) {
    return n_open_;
  }
  find_best();
  const double at_least =
      best_ == kNone ? kNone : best_ - cost_.tolerance() - kRounding * cost_.impurity();
  for (auto& [column, buckets] : columns_) {
    if (!groups(column) && !opens_each(column)) {
      n_open_ += open_buckets(column, at_least);
    }
  }
  if (n_open_ == 0 && best_ == kNone && n_drawn_more_ == more_.size()) {
    for (auto& [column, buckets] : columns_) {
      n_open_ += groups(column) ? 0 : open_outermost(column);
    }
  }
  return n_open_;
}

// ---- questions and answers ----

// The keys of the values that have a code.
uint64_t NodeSearch::first_key(size_t column, uint64_t code) const {
  return code == 0 ? key_of(-std::numeric_limits<double>::infinity())
                   : key_of(about(column).values[size_t(code) - 1]) + 1;
}
uint64_t NodeSearch::last_key(size_t column, uint64_t code) const {
  const std::vector<double>& edges = about(column).values;
  return key_of(code == edges.size() ? std::numeric_limits<double>::infinity()
                                     : edges[size_t(code)]);
}

Question NodeSearch::question_about(size_t column, const Buckets::Bucket& bucket, bool one_by_one,
                                    uint64_t pieces) const {
  Question question;
  question.node = node_;
  question.column = static_cast<int32_t>(column);
  question.low = bucket.low;
  question.high = bucket.high;
  question.by_value = bucket.by_value;
  if (!bucket.by_value && bucket.low == bucket.high) {  // the values of one code
    question.by_value = 1;
    question.low = first_key(column, bucket.low);
    question.high = last_key(column, bucket.low);
  }
  if (question.by_value != 0) {
    const std::vector<double>& edges = about(column).values;
    question.code = static_cast<int32_t>(
        std::lower_bound(edges.begin(), edges.end(), value_of(question.high)) - edges.begin());
  }
  // Value by value, a reply has an entry per value only if its entries are sparse.
  if (!(one_by_one && question.by_value != 0 && !is_dense(question))) {
    while ((question.high - question.low) >> question.shift >= pieces) {
      ++question.shift;
    }
  }
  return question;
}

int64_t NodeSearch::n_rows_of_few() const {
  int64_t n = 0;
  for (const auto& [column, buckets] : columns_) {
    for (size_t i = 0; i < buckets.list.size(); ++i) {
      const int64_t rows = buckets.words[i * n_words() + kRows];
      n += buckets.list[i].open && rows <= kFewRows ? rows : 0;
    }
  }
  return n;
}

void NodeSearch::ask(uint64_t pieces, int64_t few, std::vector<Question>& questions) const {
  for (const auto& [column, buckets] : columns_) {
    if (!buckets.counted) {
      Question question;
      question.node = node_;
      question.column = static_cast<int32_t>(column);
      question.with_missing = 1;
      question.high = uint64_t(std::max(about(column).n_codes - 1, 0));
      const bool all = groups(column) || opens_each(column);
      while (!all && (question.high >> question.shift) >= pieces) {
        ++question.shift;
      }
      questions.push_back(question);
      continue;
    }
    for (size_t i = 0; i < buckets.list.size(); ++i) {
      if (buckets.list[i].open) {
        const bool one_by_one = buckets.words[i * n_words() + kRows] <= few;
        questions.push_back(question_about(column, buckets.list[i], one_by_one, pieces));
      }
    }
  }
}

// Appends the pieces that answer question q.
void NodeSearch::replace_bucket(std::vector<Buckets::Bucket>& list, std::vector<int64_t>& words,
                                const Counts& counts, const Question& question, size_t& at,
                                size_t q) const {
  for (; at < counts.size() && counts.question[at] == q && counts.piece[at] != kMissingKey; ++at) {
    Buckets::Bucket bucket;
    bucket.by_value = question.by_value != 0;
    bucket.low = question.low + (counts.piece[at] << question.shift);
    bucket.high = last_of_piece(question, bucket.low);
    list.push_back(bucket);
    const auto first = counts.words.begin() + static_cast<int64_t>(at * n_words());
    words.insert(words.end(), first, first + static_cast<int64_t>(n_words()));
  }
}

void NodeSearch::take(const Counts& counts, const std::vector<Question>& questions, size_t first,
                      size_t last) {
  auto at = size_t(std::lower_bound(counts.question.begin(), counts.question.end(), first) -
                   counts.question.begin());
  size_t q = first;
  for (auto& [column, buckets] : columns_) {
    if (q == last) {
      break;
    }
    if (questions[q].column != static_cast<int32_t>(column)) {
      continue;
    }
    std::vector<Buckets::Bucket> list;
    std::vector<int64_t> words;
    if (!buckets.counted) {
      replace_bucket(list, words, counts, questions[q], at, q);
      buckets.missing.assign(n_words(), 0);
      if (at < counts.size() && counts.question[at] == q) {
        std::copy_n(counts.words.begin() + static_cast<int64_t>(at++ * n_words()), n_words(),
                    buckets.missing.begin());
      }
      buckets.counted = true;
      ++q;
    } else {
      for (size_t i = 0; i < buckets.list.size(); ++i) {
        if (buckets.list[i].open) {
          replace_bucket(list, words, counts, questions[q], at, q);
          ++q;
          continue;
        }
        list.push_back(buckets.list[i]);
        const auto from = buckets.words.begin() + static_cast<int64_t>(i * n_words());
        words.insert(words.end(), from, from + static_cast<int64_t>(n_words()));
      }
    }
    buckets.list = std::move(list);
    buckets.words = std::move(words);
    int64_t rows = buckets.missing[kRows];
    for (size_t i = 0; i < buckets.list.size(); ++i) {
      rows += buckets.words[i * n_words() + kRows];
    }
    if (rows != stats_[kRows]) {
      throw std::runtime_error("the rows of a node changed between two passes over the data");
    }
  }
}

bool NodeSearch::draw_one_more() {
  if (best_ != kNone || n_drawn_more_ == more_.size()) {
    return false;
  }
  columns_[more_[n_drawn_more_++]];
  return true;
}

// ---- choosing ----

std::optional<Candidate> NodeSearch::multiway(size_t column) const {
  return multiway_split(levels_of(columns_.at(column)), cost_, *limits_, stats_, column);
}

void NodeSearch::offer_cuts(size_t column, Chooser& chooser) const {
  const Buckets& buckets = columns_.at(column);
  const auto words = size_t(layout_.words());
  StatBlock left(words), right(words), with_missing(words);
  const bool has_missing = buckets.missing[kRows] > 0;
  const auto consider = [&](const int64_t* branch, size_t bucket, bool missing_left) {
    layout_.difference(right.data(), stats_, branch);
    offer_cut(cost_, *limits_, stats_, branch, right.data(), chooser,
              [&](const int64_t* l, const int64_t* r) {
                Candidate candidate;
                candidate.column = static_cast<int32_t>(column);
                candidate.kind = bucket == 0 ? SplitKind::is_missing : SplitKind::threshold;
                candidate.threshold = static_cast<double>(bucket);  // see set_threshold
                candidate.missing_route =
                    bucket == 0 ? 0 : missing_branch(has_missing, missing_left, l, r);
                return candidate;
              });
  };
  for (size_t i = 1; i < buckets.list.size(); ++i) {
    add_block(left.data(), buckets.words.data() + (i - 1) * n_words());
    if (has_missing) {
      layout_.copy(with_missing.data(), left.data());
      add_block(with_missing.data(), buckets.missing.data());
      consider(with_missing.data(), i, true);
    }
    consider(left.data(), i, false);
  }
  if (has_missing && !buckets.list.empty()) {
    consider(buckets.missing.data(), 0, true);
  }
}

void NodeSearch::offer(size_t column, double at_least, Chooser& chooser) const {
  if (opens_each(column)) {
    auto split = multiway(column);
    if (split && chooser.wants(split->gain, split->tie_gain)) {
      chooser.keep(std::move(*split));
    }
    return;
  }
  if (!groups(column)) {
    return offer_cuts(column, chooser);
  }
  const Levels levels = levels_of(columns_.at(column));
  if (levels.codes.empty()) {
    return;
  }
  const SumCost cost(cost_, levels);
  CategorySearch(cost, *limits_, stats_, control_)
      .offer(static_cast<int32_t>(column), charge_of(column, levels), at_least, chooser);
}

Choice NodeSearch::choose() {
  if (best_ == kNone) {
    return {std::nullopt, why_no_split()};
  }
  Chooser chooser(cost_);
  for (const auto& [column, buckets] : columns_) {
    offer(column, best_ - 2 * cost_.tolerance(), chooser);
  }
  return {chooser.winner(), StopReason::none};
}

StopReason NodeSearch::why_no_split() const {
  Forbidden forbidden(*limits_);
  for (const auto& [column, buckets] : columns_) {
    look_at_levels(levels_of(buckets), buckets.missing[kRows] > 0, layout_, stats_,
                   groups(column) || opens_each(column), forbidden);
  }
  return forbidden.reason();
}

// ---- thresholds ----

double NodeSearch::value_at(size_t column, const Buckets::Bucket& bucket) const {
  return bucket.by_value ? value_of(bucket.low) : about(column).values[size_t(bucket.low)];
}

void NodeSearch::ask_neighbours(const Candidate& split, std::vector<Question>& questions) const {
  const auto column = size_t(split.column);
  const Buckets& buckets = columns_.at(column);
  const auto cut = static_cast<size_t>(split.threshold);
  for (const size_t i : {cut - 1, cut}) {
    const Buckets::Bucket& bucket = buckets.list[i];
    if (is_single(column, bucket)) {
      continue;
    }
    Question question = question_about(column, bucket, true, 1);
    if (about(column).coarse && question.by_value == 0) {  // several codes
      question.by_value = 1;
      question.low = first_key(column, bucket.low);
      question.high = last_key(column, bucket.high);
    }
    question.code = kAnyCode;
    question.shift = 0;
    questions.push_back(question);
  }
}

void NodeSearch::set_threshold(Candidate& split, const std::vector<Range>& ranges,
                               size_t& next) const {
  const auto column = size_t(split.column);
  const Buckets& buckets = columns_.at(column);
  const auto cut = static_cast<size_t>(split.threshold);
  const auto end_of = [&](size_t i, bool greatest) {
    const Buckets::Bucket& bucket = buckets.list[i];
    if (is_single(column, bucket)) {
      return value_at(column, bucket);
    }
    const Range& range = ranges.at(next++);
    const uint64_t key = greatest ? range.greatest : range.least;
    return about(column).coarse ? value_of(key) : about(column).values.at(size_t(key));
  };
  const double a = end_of(cut - 1, true);
  const double b = end_of(cut, false);
  split.threshold = midpoint(a, b, options_->round_midpoint, options_->step(column));
}

// ---- the target ----

Question all_targets(int32_t node) {
  const double infinity = std::numeric_limits<double>::infinity();
  Question question;
  question.node = node;
  question.column = kTargetColumn;
  question.by_value = 1;
  question.low = key_of(-infinity);
  question.high = key_of(infinity);
  return question;
}

QuartileSearch::QuartileSearch(int32_t node, int64_t weight) : node_(node), weight_(weight) {
  const Question all = all_targets(node);
  for (size_t q = 0; q < ones_.size(); ++q) {
    ones_[q].goal = int128(q + 1) * weight;
    ones_[q].upto = weight;
    ones_[q].low = all.low;
    ones_[q].high = all.high;
  }
}

// Quartiles in one interval share a question.
void QuartileSearch::ask(uint64_t pieces, std::vector<Question>& questions) {
  for (size_t q = 0; q < ones_.size(); ++q) {
    One& one = ones_[q];
    one.asked = !one.done();
    if (one.done() || (q > 0 && ones_[q - 1].low == one.low)) {
      continue;
    }
    Question question = all_targets(node_);
    question.low = one.low;
    question.high = one.high;
    while ((question.high - question.low) >> question.shift >= pieces) {
      ++question.shift;
    }
    questions.push_back(question);
  }
}

void QuartileSearch::take(const Counts& counts, size_t words, const std::vector<Question>& asked,
                          size_t& next, size_t& question) {
  std::array<One, 3> found = ones_;
  for (size_t q = 0; q < ones_.size(); ++q) {
    if (!ones_[q].asked || (q > 0 && ones_[q - 1].asked && ones_[q - 1].low == ones_[q].low)) {
      continue;
    }
    const Question& about = asked[question];
    int64_t below = ones_[q].below;
    for (; next < counts.size() && counts.question[next] == question; ++next) {
      const int64_t upto = below + counts.words[next * words + kWeight];
      for (size_t other = q; other < ones_.size(); ++other) {
        const One& one = ones_[other];
        if (one.asked && one.low == about.low && 4 * int128(below) < one.goal &&
            4 * int128(upto) >= one.goal) {
          found[other].below = below;
          found[other].upto = upto;
          found[other].low = about.low + (counts.piece[next] << about.shift);
          found[other].high = last_of_piece(about, found[other].low);
        }
      }
      below = upto;
    }
    ++question;
  }
  ones_ = found;
}

void QuartileSearch::ask_next(std::vector<Question>& questions) const {
  for (const One& one : ones_) {
    if (one.between() && one.upto < weight_) {
      Question question = all_targets(node_);
      question.low = one.high + 1;
      questions.push_back(question);
    }
  }
}

std::array<double, 3> QuartileSearch::quartiles(const std::vector<Range>& ranges,
                                                size_t& next) const {
  std::array<double, 3> found{};
  for (size_t q = 0; q < ones_.size(); ++q) {
    const One& one = ones_[q];
    found[q] = value_of(one.low);
    if (one.between() && one.upto < weight_) {
      found[q] = found[q] / 2 + value_of(ranges.at(next++).least) / 2;
    }
  }
  return found;
}

}  // namespace treewright::parts
