// bucket_search.hpp: the best split of a node whose rows lie in parts, from counts by bucket.
//
// The driver alternates: find_open() says how many buckets may hold a better split than the best
// cut between buckets that is known, ask() puts questions about finer pieces of them, take()
// replaces the buckets by their pieces. When nothing is open, choose() applies the written tie
// rule.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <vector>

#include "treewright/bucket_bound.hpp"
#include "treewright/category_search.hpp"
#include "treewright/node_source.hpp"
#include "treewright/parts_source.hpp"

namespace treewright::parts {

// Buckets of a column that a node's first question asks for, at least and at most.
constexpr uint64_t kFewestPieces = 64, kMostPieces = 4096;
// A bucket of at most this many rows is counted value by value.
constexpr int64_t kFewRows = 4096;
// What rounding may add to a gain or take off a bound, as a share of the impurity.
constexpr double kRounding = 1e-9;

// The non-empty buckets of one column at one node, in ascending order.
struct Buckets {
  struct Bucket {
    uint64_t low = 0, high = 0;  // codes, or keys of values; both included
    bool by_value = false;
    bool open = false;
  };
  std::vector<Bucket> list;
  std::vector<int64_t> words;    // a block per bucket
  std::vector<int64_t> missing;  // a block; no rows: nothing is missing
  bool counted = false;
};

class NodeSearch {
 public:
  NodeSearch(const Table& table, const GrowOptions& options, const SplitLimits& limits,
             const Control& control, int32_t node, uint64_t key, const int64_t* stats,
             double impurity);

  int32_t node() const { return node_; }
  int64_t n_missing(int32_t column) const { return columns_.at(size_t(column)).missing[kRows]; }

  // Finds the columns that were not counted and the buckets that may hold a better split. Returns
  // how many there are.
  size_t find_open();
  size_t n_open() const { return n_open_; }
  // Rows of those of them that may be counted value by value.
  int64_t n_rows_of_few() const;
  // Asks about them, each in at most so many pieces; of at most so few rows, value by value.
  void ask(uint64_t pieces, int64_t few, std::vector<Question>& questions) const;
  // Takes the answers to the questions [first, last).
  void take(const Counts& counts, const std::vector<Question>& questions, size_t first,
            size_t last);

  // If no split was found in the drawn columns: draws another one. Whether there was one.
  bool draw_one_more();

  // The winner by the written tie rule; the threshold of a number is still the number of the bucket
  // before which it cuts.
  Choice choose();
  void ask_neighbours(const Candidate& split, std::vector<Question>& questions) const;
  // ranges: the answers to ask_neighbours, from `next` on.
  void set_threshold(Candidate& split, const std::vector<Range>& ranges, size_t& next) const;

 private:
  const Column& about(size_t column) const { return table_->columns[column]; }
  bool groups(size_t column) const { return about(column).kind == Kind::categorical; }
  bool opens_each(size_t column) const {
    const Kind kind = about(column).kind;
    return options_->multiway &&
           (kind == Kind::categorical || (options_->ranks_too && kind == Kind::ordinal));
  }
  bool is_single(size_t column, const Buckets::Bucket& bucket) const {
    return bucket.low == bucket.high && (bucket.by_value || !about(column).coarse);
  }
  size_t n_words() const { return size_t(layout_.words()) + (number() ? 2 : 0); }
  bool number() const { return layout_.task() == Task::number; }
  void add_block(int64_t* into, const int64_t* block) const { layout_.add(into, block); }

  Levels levels_of(const Buckets& buckets) const;
  double charge_of(size_t column, const Levels& levels) const;
  double best_of(size_t column) const;
  double best_cut(const Buckets& buckets) const;
  bool may_be_allowed(const int64_t* before, const int64_t* bucket) const;
  size_t open_buckets(size_t column, double at_least);
  size_t open_outermost(size_t column);
  void find_best();
  uint64_t first_key(size_t column, uint64_t code) const;
  uint64_t last_key(size_t column, uint64_t code) const;
  Question question_about(size_t column, const Buckets::Bucket& bucket, bool one_by_one,
                          uint64_t pieces) const;
  void replace_bucket(std::vector<Buckets::Bucket>& list, std::vector<int64_t>& words,
                      const Counts& counts, const Question& question, size_t& at, size_t q) const;
  void offer(size_t column, double at_least, Chooser& chooser) const;
  void offer_cuts(size_t column, Chooser& chooser) const;
  std::optional<Candidate> multiway(size_t column) const;
  StopReason why_no_split() const;
  double value_at(size_t column, const Buckets::Bucket& bucket) const;

  const Table* table_;
  const GrowOptions* options_;
  const SplitLimits* limits_;
  const Control* control_;
  StatLayout layout_;
  int32_t node_;
  const int64_t* stats_;
  NodeCost cost_;
  std::map<size_t, Buckets> columns_;  // those to search
  std::vector<size_t> more_;           // those that may be drawn besides, in order
  size_t n_drawn_more_ = 0;
  double best_ = kNone;
  size_t n_open_ = 0;
};

// All different targets of a node.
Question all_targets(int32_t node);

// The quartiles of the target of a node.
class QuartileSearch {
 public:
  QuartileSearch(int32_t node, int64_t weight);
  void ask(uint64_t pieces, std::vector<Question>& questions);
  void take(const Counts& counts, size_t words, const std::vector<Question>& asked, size_t& next,
            size_t& question);
  // Asks for the value after a quartile that lies between two values.
  void ask_next(std::vector<Question>& questions) const;
  std::array<double, 3> quartiles(const std::vector<Range>& ranges, size_t& next) const;

 private:
  struct One {
    int128 goal = 0;    // four times the weight that must be reached
    int64_t below = 0;  // weight before the interval
    int64_t upto = 0;   // weight up to its end
    uint64_t low, high;
    bool asked = false;
    bool done() const { return low == high; }
    bool between() const { return 4 * int128(upto) <= goal; }
  };
  int32_t node_;
  int64_t weight_;
  std::array<One, 3> ones_;
};

}  // namespace treewright::parts
