// engine.hpp: the Grower for one kind of target (private to grow.cpp).
//
// Every column's entries of the rows of a node lie in the same range [begin, end) of that
// column's array, sorted; a split is a stable partition of each column's range. Children
// are searched column by column in the same pass that partitions the column, while it is
// still in the cache.
//
// Two kinds of parallel work: over columns while a node is large, over whole subtrees
// below that. A subtree is handed to one thread, its rows renumbered 0..n-1 and their
// targets copied, so that everything it gathers stays in the cache. What a node becomes
// depends only on its rows, so neither changes the tree, nor do the shorter ways of division:
// with new numbers where a node is large, by search where few rows leave it.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <queue>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "treewright/category_search.hpp"
#include "treewright/grow.hpp"
#include "treewright/medians.hpp"
#include "treewright/node.hpp"
#include "treewright/partition.hpp"
#include "treewright/threshold_search.hpp"

namespace treewright {

// Builds for a sanitizer have small limits, so that small random tables go all the ways that large
// ones do.
#ifdef TREEWRIGHT_SMALL_LIMITS
constexpr bool kSmallLimits = true;
#else
constexpr bool kSmallLimits = false;
#endif

// Below this many entries (rows x columns) threads cost more than they save.
constexpr int64_t kParallelWork = 100'000;
// So many entries of a node stay in a core's nearest cache from their division to their search.
constexpr int64_t kNearEntries = 4096;
// A subtree of a part of the table's rows, within these limits, is grown by one thread in a
// numbering of its own, and there one of at most kFewRowNumbers in another, for the sake of
// partition(). It may have more rows if nothing but their sides is looked up by number.
constexpr int64_t kFewestSubtreeRows = kSmallLimits ? 16 : 1024;
template <class Rows>
constexpr int64_t kMostSubtreeRows = !std::is_same_v<Rows, CountedRows> ? 65'536
                                     : kSmallLimits                     ? 48
                                                                        : 262'144;
// If at most one row of so many leaves a node of at least so many, each is searched for.
constexpr int64_t kOneOf = kSmallLimits ? 8 : 256;
constexpr int64_t kFewestToSearch = kSmallLimits ? 24 : 1024;
// Among so many entries a row is found by looking at each.
constexpr int64_t kNearby = 512;
static_assert(kFewRowNumbers <= int64_t(simd::kRowsInRegisters));

// Parts of divided rows are rounded, so two thirds and a third may weigh a trifle less than 1.
constexpr double kNearlyWeight = 1.0 - 1e-9;
constexpr int64_t kRoundedParts = 1'000'000'000;  // a sum is off by less than one part in so many

// A copy of the labels in 1, 2, 4 or 8 bits each: looked up at random, so the smaller the better.
class PackedLabels {
 public:
  PackedLabels() = default;
  PackedLabels(const int32_t* labels, size_t n, int bits)
      : mask_((1u << std::bit_ceil(unsigned(bits))) - 1),
        shift_(std::countr_zero(8 / std::bit_ceil(unsigned(bits)))),
        bytes_((n >> shift_) + 1, 0) {
    for (size_t row = 0; row < n; ++row) {
      bytes_[row >> shift_] |= static_cast<uint8_t>(labels[row] << place(row));
    }
  }
  bool empty() const { return bytes_.empty(); }
  Entry operator[](size_t row) const { return bytes_[row >> shift_] >> place(row) & mask_; }

 private:
  // Of a row's label in its byte, which holds 2^shift_ of them.
  int place(size_t row) const { return int(row << (3 - shift_)) & 7; }

  Entry mask_ = 0;
  int shift_ = 0;
  std::vector<uint8_t> bytes_;
};

// The numbering of rows that the entries of a range use, and the targets by that number.
template <class Rows>
struct Space {
  Rows rows;
  std::vector<Entries>* entries = nullptr;  // by column
  const uint32_t* global = nullptr;         // row of the table; null: the same number
  Sides sides{0};
  Renumbering renumbering;       // of a large node that is being divided
  std::vector<int32_t> branch;   // by row, where two sides do not say it
  std::vector<int8_t> sign;      // by row, while surrogates are looked for
  std::vector<Entries> scratch;  // one per worker, for partitions
  int64_t* y = nullptr;          // what rows.y points to (numbers only)
  std::vector<uint32_t> rank;    // by target in each row's open node (absolute error)
  std::vector<int32_t> coarse;   // image of y in each row's open node (numbers only)
  Entries next_entry;            // by row: in the next, smaller numbering
  int image_shift = -1;          // of the image in the entries; -1: there is none
  int image_exponent = 0;        // of the quantiser whose units it is made of

  // Storage of a space that has its own numbering.
  std::vector<Entries> own_entries;
  LargeVector<uint32_t> own_global;
  std::vector<uint32_t> own_number;
  std::vector<int32_t> own_labels;
  std::vector<int64_t> own_weights, own_shares, own_y;

  // After the storage has grown.
  void point_to_own() {
    global = own_global.data();
    if constexpr (!Rows::kUnitWeights) {
      rows.weights = own_weights.data();
      rows.shares = own_shares.empty() ? nullptr : own_shares.data();
    }
    if constexpr (std::is_same_v<Rows, WeightedRows>) {
      rows.labels = own_labels.data();
    }
    if constexpr (Rows::kTask == Task::number) {
      y = own_y.data();
      rows.y = y;
    }
  }
  // How many row numbers there are, n in the table.
  size_t n_numbers(int64_t n) const { return own_global.empty() ? size_t(n) : own_global.size(); }
  int64_t row(Entry e) const {
    const uint32_t number = rows.row(e);
    return global == nullptr ? number : global[number];
  }
};

// An open node: the best score (gain less charge) of each column, and how many of its rows are
// known in each column that has missing values at all.
struct Open {
  int32_t id = 0;
  bool in_place = false;     // its rows have the numbers begin to end - 1 of its Node
  std::vector<double> best;  // gain of each column; see ThresholdSearch::best
  std::vector<int32_t> known;
  std::vector<Candidate> offers;  // the best split of each column, where columns compete by ratio
  Coarse coarse;                  // numbers only
};

// The best gain of a node's columns so far, shared by the threads that search them. Which of them
// saw it in time makes no difference to the columns that can win.
class BestSoFar {
 public:
  double get() const { return gain_.load(std::memory_order_relaxed); }
  void raise_to(double gain) {
    double now = get();
    while (gain > now && !gain_.compare_exchange_weak(now, gain, std::memory_order_relaxed)) {
    }
  }

 private:
  std::atomic<double> gain_{kNone};
};

// A child of a node that was split: searched, unless a rule has made it a leaf.
struct Child {
  Open open;
  bool searched = false;
};

// What of a node a search over one column sees: all its rows, or the known ones.
struct Sight {
  Span span;
  const NodeCost& cost;
  const int64_t* stats;
  Coarse coarse;
};

// Where the rows of a node go, and what is known of each branch.
struct Branches {
  explicit Branches(size_t n_branches, size_t words)
      : n(n_branches), n_rows(n_branches, 0), stats(n_branches * words, 0) {}

  size_t n;
  std::vector<int64_t> n_rows;         // per branch
  std::vector<int64_t> stats;          // words per branch
  std::vector<int128> weight_squared;  // per branch, unequal weights only
  // Rows of the branch `behind` have their bit set in Space::sides, and come behind those of the
  // other in the place of their parent; otherwise Space::branch says where they go.
  bool two_sides = true;
  size_t behind = 0;
  // Two sides: whether the rows get new numbers.
  bool renumbers = false;
  // Two sides: the rows that go behind, if they are few, and their places in each column. Sides
  // are then not set.
  std::vector<uint32_t> few, places;
  // Rows that go down every branch, and the numbers of their parts, n for each row.
  std::vector<uint32_t> divided, parts;
  std::vector<Entry> unplaced;  // rows that the split does not know, where surrogates may
  std::vector<Surrogate> surrogates;
};
// How well a column imitates a split: the weight that it sends the same way, and what this is
// as a share.
struct Agreement {
  int64_t matches = -1;
  double agree = 0.0, adjust = 0.0;
  std::array<int64_t, 2> known{};  // weight of the rows known to both, by side of the split
  int32_t larger = 0;              // the heavier side, of the rows that agreement is a share of
};

// Space::branch of a row that stays at the node, and of the i-th divided row: kDivided - i.
constexpr int32_t kStays = -1;
constexpr int32_t kDivided = -2;
// The part of a divided row that is too light to count.
constexpr uint32_t kNoRow = std::numeric_limits<uint32_t>::max();

template <class Rows>
class Engine final : public Grower {
 public:
  // Takes the entries of `to_consume`, the same table, unless it is null.
  Engine(const SortedTable& table, SortedTable* to_consume, const Target& target, Weights&& weights,
         const GrowOptions& options, Control& control);

  int64_t n_nodes() const override { return static_cast<int64_t>(list_.nodes.size()); }
  StopReason stop_reason(int32_t node) const override { return at(node).stop; }
  std::vector<Candidate> candidates(int32_t node, size_t top) override;
  int32_t split(int32_t node, const Candidate& split) override;
  void close(int32_t node, StopReason reason) override;
  void grow_all() override;
  FlatTree tree() const override;
  FlatTree take_tree() override;

 private:
  // -- setting up (engine_setup.hpp) --
  void set_rules();
  void set_share_unit();
  void set_rows();
  void take_entries(const SortedTable& table, SortedTable* to_consume, Team& team);
  Entry with_label(uint32_t row, Entry differs) const;
  void add_root(Team& team);

  // -- searching (engine_search.hpp) --
  std::optional<Candidate> choose(Space<Rows>& space, NodeList& list, Open& open,
                                  StopReason& reason) const;
  void look_again(Space<Rows>& space, const NodeList& list, Open& open, double best) const;
  void set_missing_route(Candidate& split) const;
  Candidate choose_by_gain(const Space<Rows>& space, const NodeList& list, const Open& open,
                           double best) const;
  void search(const Space<Rows>& space, const NodeList& list, Open& open, const NodeCost& cost,
              std::span<const size_t> columns, BestSoFar& best) const;
  void search_more_columns(const Space<Rows>& space, const NodeList& list, Open& open) const;
  double search_column(const Space<Rows>& space, const NodeList& list, const Open& open,
                       const NodeCost& cost, size_t column, double to_beat) const;
  void offer_column(const Space<Rows>& space, const NodeList& list, const Open& open,
                    const NodeCost& cost, size_t column, double at_least, Chooser& chooser) const;
  double margin_of(const Space<Rows>& space, const NodeList& list, const Open& open,
                   const NodeCost& cost, double best) const;
  template <class Use>
  auto with_sight(const Space<Rows>& space, const NodeList& list, const Open& open,
                  const NodeCost& cost, size_t column, const Use& use) const;
  std::optional<Candidate> multiway(const Space<Rows>& space, const Sight& sight,
                                    size_t column) const;
  double charge_for_levels(const NodeCost& cost, const Levels& levels, size_t column) const;
  Rules rules_for(const int64_t* seen) const;
  Levels levels_of(const Space<Rows>& space, const Span& span, size_t column) const;
  Candidate make_threshold(const Space<Rows>& space, const Span& span, size_t column, int64_t cut,
                           bool missing_left, const int64_t* left, const int64_t* right) const;
  template <class Use>
  auto with_threshold_search(const Space<Rows>& space, const NodeCost& cost, const int64_t* node,
                             const Rules& rules, const Coarse& coarse, const Use& use) const;
  int64_t units_of_at_least(double weight) const;
  int64_t units_of_rows(int64_t rows, int64_t no_rule) const;

  // -- absolute error (engine_absolute.hpp) --
  void set_ranks(Space<Rows>& space, const Node& node) const;
  Ranked ranked_rows(const Space<Rows>& space, const Node& node) const;
  template <class Visit>
  void absolute_splits(const Space<Rows>& space, const Node& node, const Sight& sight,
                       size_t column, const Visit& visit) const;
  template <class Visit>
  void absolute_cuts(const Space<Rows>& space, const Sight& sight, size_t column,
                     const Ranked& ranked, const std::vector<uint32_t>& ranks,
                     const Visit& visit) const;
  template <class Visit>
  void absolute_groupings(const Space<Rows>& space, const Sight& sight, size_t column,
                          const Ranked& ranked, const std::vector<uint32_t>& ranks,
                          const Visit& visit) const;
  double absolute_best(const Space<Rows>& space, const Node& node, const Sight& sight,
                       size_t column) const;
  void absolute_offer(const Space<Rows>& space, const Node& node, const Sight& sight, size_t column,
                      double at_least, Chooser& chooser) const;
  double absolute_gain(const Space<Rows>& space, const Node& node,
                       std::vector<std::vector<uint32_t>>& branches) const;
  double absolute_units(const Space<Rows>& space, const Node& node, const int64_t* stats) const;
  std::vector<size_t> column_order(const Node& node) const;
  std::span<const size_t> columns_to_search(const Node& node, std::vector<size_t>& drawn) const;
  StopReason why_no_split(const Space<Rows>& space, const NodeList& list, const Open& open) const;
  StopReason too_little(const NodeList& list, int32_t id, const Candidate& split) const;

  // -- choosing by gain ratio (engine_ratio.hpp) --
  Candidate best_of_column(const Space<Rows>& space, const NodeList& list, const Open& open,
                           const NodeCost& cost, size_t column) const;
  std::optional<Candidate> choose_by_ratio(const Space<Rows>& space, const NodeList& list,
                                           const Open& open, StopReason& reason) const;
  double charge(const Space<Rows>& space, const NodeList& list, const Open& open,
                size_t column) const;
  int64_t count_cuts(const Space<Rows>& space, const Sight& sight) const;
  double split_information(const NodeList& list, const Open& open, const Candidate& split) const;

  // -- splitting (engine_split.hpp) --
  std::vector<Child> expand(Space<Rows>& space, NodeList& list, const Open& open,
                            const Candidate& split, Team* team);
  void add_children(const Space<Rows>& space, NodeList& list, const Open& open,
                    const Candidate& split, const Branches& branches);
  void divide_columns(Space<Rows>& space, NodeList& list, const Open& open,
                      const Branches& branches, std::vector<Child>& children, Team* team);
  size_t divide_together(Space<Rows>& space, const Node& node, size_t first, size_t last,
                         int worker) const;
  void divide_column(Space<Rows>& space, const NodeList& list, const Node& node,
                     const Branches& branches, size_t column, int64_t known, int worker,
                     int64_t* known_of_branches) const;
  int64_t first_above(const Space<Rows>& space, const Span& span, size_t column, double at) const;
  template <class Visit>
  void for_each_of_branch(const Space<Rows>& space, const Node& node, const Open& open,
                          const Candidate& split, int32_t branch, const Visit& visit) const;

  // -- sending rows on (engine_branches.hpp) --
  Branches send_rows(Space<Rows>& space, const NodeList& list, const Open& open,
                     const Candidate& split, Team* team);
  void send_two_ways(Space<Rows>& space, const NodeList& list, const Open& open,
                     const Candidate& split, Branches& branches) const;
  void send_unplaced(Space<Rows>& space, const Node& node, const Candidate& split,
                     Branches& branches) const;
  void send_each(Space<Rows>& space, const Node& node, const Open& open, const Candidate& split,
                 Branches& branches);
  void divide_rows(Space<Rows>& space, Branches& branches);
  int32_t branch_of(const Space<Rows>& space, const Candidate& split, Entry e) const;
  bool is_listed(const Space<Rows>& space, const Candidate& split, Entry e) const;
  void send_known(Space<Rows>& space, const NodeList& list, const Open& open,
                  const Candidate& split, Branches& branches) const;
  void add_row(const Space<Rows>& space, Branches& branches, size_t branch, Entry e) const;
  void make_room(Space<Rows>& space) const;
  void clear_sides(Space<Rows>& space, const Node& node) const;

  // -- few rows that leave a node (engine_few.hpp) --
  bool send_few(const Space<Rows>& space, const NodeList& list, const Open& open,
                const Candidate& split, Branches& branches, Team* team) const;
  void find_few(const Space<Rows>& space, const Node& node, size_t first, size_t last,
                Branches& branches) const;
  void divide_few(Space<Rows>& space, const Node& node, const Branches& branches, size_t column,
                  int64_t known, int worker, int64_t* known_of_branches) const;

  // -- surrogates (engine_surrogates.hpp) --
  std::vector<Surrogate> find_surrogates(const Space<Rows>& space, const Node& node,
                                         const Open& open, const Candidate& split,
                                         const Branches& branches, Team* team) const;
  Agreement agreement(const Space<Rows>& space, const Span& span, size_t column,
                      const std::array<int64_t, 2>& sent) const;
  int64_t best_cut(const Space<Rows>& space, const Span& span, const Agreement& agreement) const;
  std::pair<int64_t, int64_t> cuts_allowed(const Space<Rows>& space, const Span& span) const;
  int64_t best_categories(const Space<Rows>& space, const Span& span, size_t column, int32_t larger,
                          Surrogate* found) const;
  Surrogate make_surrogate(const Space<Rows>& space, const Span& span, size_t column,
                           const Agreement& agreement) const;
  int64_t sign_of(const Space<Rows>& space, Entry e) const {
    return space.sign[space.rows.row(e)] * weight_of(space, e);
  }
  int32_t surrogate_branch(const Surrogate& surrogate, int64_t row) const;

  // -- what is recorded of a node (engine_measure.hpp) --
  void measure(Space<Rows>& space, NodeList& list, int32_t id);
  void measure_number(Space<Rows>& space, Node& node, NumberPart& number, int64_t* stats);
  void rescale(Space<Rows>& space, const Node& node, NumberPart& number, int64_t* stats,
               double minimum, double maximum);
  Coarse coarsen(Space<Rows>& space, const NodeList& list, int32_t id, bool rough_will_do) const;
  double squared_units(const Space<Rows>& space, const Node& node, const int64_t* stats) const;
  double poisson_units(const Space<Rows>& space, const Node& node, const int64_t* stats) const;
  void set_quartiles(const Space<Rows>& space, const Node& node, NumberPart& number,
                     const int64_t* stats) const;
  StopReason stop_before_search(const Space<Rows>& space, const NodeList& list, int32_t id) const;
  void stop(NodeList& list, int32_t id, StopReason reason);

  // -- orders (engine_orders.hpp) --
  std::vector<Candidate> best_of_each_column(const Open& open) const;
  void check_split(const Candidate& split) const;
  void check_no_branch_is_empty(const Open& open, const Candidate& split) const;
  double gain_of(const Open& open, const Candidate& split) const;
  void grow_depth_first();
  void grow_best_first();
  void grow_subtree(Space<Rows>& space, NodeList& list, Open root, Space<Rows>* smaller);
  std::vector<Open> grow_columnwise(Space<Rows>& space, std::vector<Open> stack, int64_t at_most,
                                    Team& team);
  NodeList list_from(int32_t id) const;
  void grow_subtrees(Space<Rows>& space, std::vector<Open> roots, Team& team);
  std::unique_ptr<Team> make_team(int64_t n_rows) const;

  // -- numberings (engine_space.hpp) --
  void enter_own_space(Space<Rows>& space, Space<Rows>& from, NodeList& list,
                       const Open& open) const;
  void renumber(Space<Rows>& space, const Node& node, uint32_t middle) const;
  void put_image_into_entries(Space<Rows>& space, Rows before, Entries& next_entry,
                              const NodeList& list, int32_t id) const;

  // -- the finished tree (engine_tree.hpp) --
  void append_node(FlatTree& flat, const NodeList& list, int32_t id) const;
  std::vector<int32_t> subtree_sizes(const NodeList& list) const;
  template <class Done>
  FlatTree lay_out(const NodeList& list, const Done& done) const;
  FlatTree lay_out(const NodeList& list) const;

  // -- small helpers --
  static constexpr bool kNumber = Rows::kTask == Task::number;
  NodeCost cost_of(const NodeList& list, int32_t id) const {
    return NodeCost(options_.criterion, layout_, list.stats_of(id),
                    list.nodes[size_t(id)].impurity);
  }
  size_t n_columns() const { return views_.size(); }
  int64_t known_of(const Open& open, size_t column, const Node& node) const {
    const int32_t slot = missing_slot_[column];
    return slot < 0 ? node.n_rows() : open.known[size_t(slot)];
  }
  Span span(const Space<Rows>& space, const Node& node, size_t column, int64_t known) const {
    return {(*space.entries)[column].data() + node.begin, known, node.n_rows()};
  }
  // Room for so many entries, and a block.
  static Entry* scratch_of(Space<Rows>& space, int worker, int64_t n) {
    Entries& scratch = space.scratch[size_t(worker)];
    scratch.resize(std::max(scratch.size(), size_t(n) + simd::kBlock));
    return scratch.data();
  }
  // The target sorted by value rides along as one more column (numbers only).
  const Entry* target_entries(const Space<Rows>& space, const Node& node) const {
    return space.entries->back().data() + node.begin;
  }
  // Whether a split of this column has a branch for each category.
  bool opens_each(size_t column) const {
    const Kind kind = views_[column].kind;
    return options_.multiway &&
           (kind == Kind::categorical || (options_.ranks_too && kind == Kind::ordinal));
  }
  // Whether a sweep over the sorted column finds its best split.
  bool takes_threshold(size_t column) const {
    return views_[column].kind != Kind::categorical && !opens_each(column) &&
           options_.criterion != Criterion::absolute_error;
  }
  // Whether the rows of a node get new numbers when it is divided between two: only if nothing but
  // their sides and Space::own_global is known by number.
  bool gets_new_numbers(const Open& open, const Node& node) const {
    return open.in_place && node.n_rows() > kMostSubtreeRows<Rows>;
  }
  // Whether rows are divided, so that spaces and their entries grow.
  bool divides() const { return !Rows::kUnitWeights && options_.missing == Missing::fractional; }
  int64_t weight_of(const Space<Rows>& space, Entry e) const {
    if constexpr (Rows::kUnitWeights) {
      return 1;
    } else {
      return space.rows.weights[space.rows.row(e)];
    }
  }
  // An impurity or a gain, from units of the node's quantiser to real numbers.
  double real_units(const NodeList& list, int32_t id, double units) const {
    if (!kNumber) {
      return units;
    }
    const int power = options_.criterion == Criterion::squared_error ? 2 : 1;
    return list.numbers[size_t(id)].scale.real(units, power);
  }
  const Node& at(int32_t node) const;
  Open& open_at(int32_t node);

  GrowOptions options_;
  Control& control_;
  Target target_;
  Weights weights_;
  Layout layout_;
  Rules rules_;
  int64_t share_unit_ = 1;  // what a whole row counts in statistics
  std::vector<ColumnView> views_;
  std::vector<size_t> all_columns_;  // 0, 1, ...
  std::vector<Entries> entries_;
  std::vector<int32_t> missing_slot_;     // by column: index into Open::known, -1 if never missing
  std::vector<uint8_t> has_many_levels_;  // by column: whether its groupings are charged
  PackedLabels packed_labels_;            // while entries are made
  std::unique_ptr<OneOver> one_over_;
  std::unique_ptr<simd::Reciprocals> reciprocals_;
  std::unique_ptr<NLogN> n_log_n_;
  Space<Rows> space_;
  NodeList list_;
  std::map<int32_t, Open> open_;    // open nodes of list_
  std::vector<FlatTree> subtrees_;  // grown to the end; Node::subtree says whose
};

}  // namespace treewright
