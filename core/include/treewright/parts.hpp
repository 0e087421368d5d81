// parts.hpp: rows that lie in parts, on disk or on several machines, and what is asked of a part.
//
// A part is a set of rows whose cells are coded to two bytes. The driver (parts_source.hpp) sends
// every part the same request; a kernel answers it from the part alone, and replies of different
// parts are merged. Kernels keep no state, so a request may be repeated anywhere at any time. All
// sums are integers, so the merged reply does not depend on how the rows were divided into parts.
//
//     count        sums of the rows of a node, by bucket of a column
//     measure      sums over the rows of a node
//     neighbours   the least and the greatest value of a node in a bucket
//
// A code is the rank of the value among all values of the column (exact; categories too), or the
// bucket between two edges that holds the value (coarse; the value itself is then kept besides).
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "treewright/statistics.hpp"
#include "treewright/target.hpp"
#include "treewright/types.hpp"

namespace treewright::parts {

constexpr uint16_t kMissingCode = 0xFFFF;
constexpr uint64_t kMissingKey = ~uint64_t(0);
constexpr int32_t kTargetColumn = -1;
constexpr int32_t kAnyCode = -1;
constexpr int32_t kNoNode = -1;                   // of a row that is left out
constexpr int64_t kMostImage = int64_t(1) << 62;  // of a target, in units of its node

// A number as an integer of the same order; -0.0 is 0.0.
inline uint64_t key_of(double x) {
  const auto bits = std::bit_cast<uint64_t>(x + 0.0);
  return bits >> 63 ? ~bits : bits | uint64_t(1) << 63;
}
inline double value_of(uint64_t key) {
  return std::bit_cast<double>(key >> 63 ? key & ~(uint64_t(1) << 63) : ~key);
}

// Bytes that are no message between driver and parts: damaged, cut short or of another version.
struct BrokenMessage : std::invalid_argument {
  BrokenMessage()
      : std::invalid_argument("a message between driver and parts is damaged or cut short") {}
};
inline void expect(bool holds) {
  if (!holds) {
    throw BrokenMessage();
  }
}
// Bytes with a checksum behind them, and the bytes before a checksum that holds.
std::string seal(std::string bytes);
std::span<const char> unsealed(std::span<const char> bytes);

// ---- requests ----

// A split of a node whose rows lie in parts.
struct TopSplit {
  int32_t node = 0;
  int32_t column = 0;
  int32_t missing_branch = 0;
  int32_t first_child = 0;
  int32_t cut = -1;        // exact: codes up to this one take branch 0
  double threshold = 0.0;  // coarse: values up to this one take branch 0
  bool coarse = false;
  std::vector<int32_t> branches;  // categories: the branch of each code; empty: a threshold
};

// The splits so far, parents first. The root is node 0.
using Top = std::vector<TopSplit>;

// Rows of a node in an interval of one column, by pieces of 2^shift codes or keys.
struct Question {
  int32_t node = 0;
  int32_t column = 0;
  int32_t code = kAnyCode;  // by value: only rows of this code
  int32_t by_value = 0;
  int32_t shift = 0;
  int32_t with_missing =
      0;  // whether rows without a value are counted too, as a piece of their own
  uint64_t low = 0, high = 0;  // both included
};

inline uint64_t pieces_of(const Question& question) {
  return ((question.high - question.low) >> question.shift) + 1;
}
// The last code or key of a piece that begins at `low`; the end of the keys is near that of 64
// bits.
inline uint64_t last_of_piece(const Question& question, uint64_t low) {
  const uint64_t width = (uint64_t(1) << question.shift) - 1;
  return question.high - low < width ? question.high : low + width;
}
// Few pieces are counted in an array, many in sorted entries.
inline bool is_dense(const Question& question) {
  constexpr uint64_t kMostDense = 1 << 16;
  return pieces_of(question) - 1 < kMostDense;
}

// What a request measures of a node.
struct Measured {
  int32_t node = 0;
  int32_t centered = 1;
  int32_t exponent = 0;
  int32_t padding = 0;
  double center = 0.0;
  int64_t mean = 0;  // squares: the mean in units, rounded down

  Quantiser scale() const;
  void set_scale(const Quantiser& scale);
};
enum class Stage : int32_t { range = 0, sum = 1, squares = 2 };

struct Request {
  Task task = Task::classes;
  int32_t n_classes = 0;
  Stage stage = Stage::range;
  Top top;
  std::vector<Measured> nodes;  // regression: the scale of each node that is asked about
  std::vector<Question> questions;

  std::string bytes() const;
  static Request from(std::span<const char> bytes);
  // Words of an entry: the statistics; of a number besides the least and the greatest target.
  int words() const { return StatLayout(task, n_classes).words() + (task == Task::number ? 2 : 0); }
};

// ---- replies ----

// Entries in ascending order of (question, piece), each with a block of words. The sums of two
// replies add up; of the last two words of a number the least and the greatest count.
struct Counts {
  std::vector<uint32_t> question;
  std::vector<uint64_t> piece;
  std::vector<int64_t> words;

  size_t size() const { return question.size(); }
  std::string bytes() const;
  static Counts from(std::span<const char> bytes);
};
// Adds an entry to one that is not empty.
void add_words(int64_t* into, const int64_t* more, Task task, size_t words);
void merge(Counts& into, const Counts& more, Task task, size_t words);
// Refuses counts that do not answer the request.
void check(const Counts& counts, const Request& request);

// What `measure` replies about one node.
struct NodeSums {
  int64_t rows = 0, weight = 0;
  int128 weight_squared = 0;
  uint64_t least = ~uint64_t(0), greatest = 0;  // keys of the target
  int128 sum = 0;
  uint128 low = 0, high = 0;  // the sum of squares, in two lanes of 64 bits

  void merge(const NodeSums& more);
};

// The least and the greatest key in the interval of a question, which may be none.
struct Range {
  uint64_t least = ~uint64_t(0), greatest = 0;
  bool empty() const { return least > greatest; }
  void add(uint64_t key) {
    least = key < least ? key : least;
    greatest = key > greatest ? key : greatest;
  }
  void merge(const Range& more) {
    least = more.least < least ? more.least : least;
    greatest = more.greatest > greatest ? more.greatest : greatest;
  }
};

// ---- a part ----

// The columns of a part that a request needs; the others may be null.
struct PartView {
  int64_t n_rows = 0;
  std::vector<const uint16_t*> codes;  // by column
  std::vector<const double*> values;   // by column, coarse ones only
  const int32_t* labels = nullptr;
  const double* y = nullptr;
  const int64_t* weights = nullptr;  // in units, 0 leaves a row out; null: all are 1
  int32_t* node = nullptr;           // of each row, after the splits that were applied
};

// Refuses a request that asks for what cannot be, or for too much.
void check(const Request& request);
// Refuses a request that reads what the part does not hold. n_applied: splits that
// need not be read any more; needs_target: whether the kernel reads the target.
void check(const PartView& part, const Request& request, size_t n_applied, bool needs_target);

// Moves rows down from split `first` of the top on.
void apply_top(const PartView& part, const Top& top, size_t first);
// The node of rows before any split.
void start_nodes(const PartView& part);

Counts count(const PartView& part, const Request& request);
std::vector<NodeSums> measure(const PartView& part, const Request& request);
std::vector<Range> neighbours(const PartView& part, const Request& request);

// The answer to a request, over any number of slices of rows and replies of other parts. It takes
// as much memory as one reply, whatever was added.
class Answer {
 public:
  virtual ~Answer() = default;
  virtual const Request& request() const = 0;
  virtual void add(const PartView& rows) = 0;
  virtual void add(std::span<const char> reply) = 0;
  virtual std::string bytes() = 0;
};
// kernel: "count", "measure" or "neighbours"; "route" only moves rows to their nodes.
std::unique_ptr<Answer> make_answer(const std::string& kernel, Request request);

// Which columns of a part a request reads, if the first splits of its top have been applied.
struct Needs {
  std::vector<int32_t> codes, values;
  bool target = false;
};
Needs needs(const Request& request, size_t n_applied, bool counts_target);

// Codes of numbers: how many edges lie below each value.
void code_cells(std::span<const double> values, std::span<const double> edges, uint16_t* codes);

// Replies of plain structs, as bytes.
template <class T>
std::string to_bytes(const std::vector<T>& items) {
  return seal({reinterpret_cast<const char*>(items.data()), items.size() * sizeof(T)});
}
template <class T>
std::vector<T> from_bytes(std::span<const char> bytes) {
  const auto content = unsealed(bytes);
  if (content.size() % sizeof(T) != 0) {
    throw BrokenMessage();
  }
  std::vector<T> items(content.size() / sizeof(T));
  if (!items.empty()) {
    std::memcpy(static_cast<void*>(items.data()), content.data(), content.size());
  }
  return items;
}

}  // namespace treewright::parts
