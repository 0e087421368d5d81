#include "treewright/parts.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace treewright::parts {
namespace {

uint64_t pieces_of(const Question& question) {
  return ((question.high - question.low) >> question.shift) + 1;
}
// Few pieces are counted in an array, many in sorted rows.
bool is_dense(const Question& question) {
  constexpr uint64_t kMostDense = 1 << 16;
  return pieces_of(question) - 1 < kMostDense;
}

// ---- bytes ----

// A checksum: a damaged message is refused before it is read.
uint64_t checksum(std::span<const char> bytes) {
  uint64_t hash = 0x9E3779B97F4A7C15u ^ bytes.size();
  for (size_t i = 0; i < bytes.size(); i += 8) {
    uint64_t word = 0;
    std::memcpy(&word, bytes.data() + i, std::min<size_t>(8, bytes.size() - i));
    hash = std::rotl(hash ^ word, 29) * 0xD6E8FEB86659FD93u;
  }
  return hash ^ hash >> 32;
}

class Writer {
 public:
  template <class T>
  void put(const T& item) {
    const auto* from = reinterpret_cast<const char*>(&item);
    bytes.append(from, sizeof item);
  }
  template <class T>
  void put_all(const std::vector<T>& items) {
    put(static_cast<uint64_t>(items.size()));
    bytes.append(reinterpret_cast<const char*>(items.data()), items.size() * sizeof(T));
  }
  // In 32 bits each if all of them fit.
  template <class T>
  void put_short(const std::vector<T>& items) {
    const bool fit = std::all_of(items.begin(), items.end(), [](T item) {
      return static_cast<int64_t>(item) == static_cast<int32_t>(item);
    });
    put(static_cast<uint32_t>(fit));
    if (fit) {
      put_all(std::vector<int32_t>(items.begin(), items.end()));
    } else {
      put_all(items);
    }
  }
  std::string sealed() { return seal(std::move(bytes)); }

  std::string bytes;
};

class Reader {
 public:
  explicit Reader(std::span<const char> bytes) : left_(unsealed(bytes)) {}
  template <class T>
  T get() {
    T item;
    std::memcpy(&item, take(sizeof item).data(), sizeof item);
    return item;
  }
  template <class T>
  std::vector<T> get_all() {
    const auto n = get<uint64_t>();
    if (n > left_.size() / sizeof(T)) {
      throw BrokenMessage();
    }
    std::vector<T> items(static_cast<size_t>(n));
    if (n > 0) {
      std::memcpy(static_cast<void*>(items.data()), take(items.size() * sizeof(T)).data(),
                  items.size() * sizeof(T));
    }
    return items;
  }
  template <class T>
  std::vector<T> get_short() {
    if (get<uint32_t>() == 0) {
      return get_all<T>();
    }
    const auto items = get_all<int32_t>();
    return {items.begin(), items.end()};
  }

 private:
  std::span<const char> take(size_t n) {
    if (n > left_.size()) {
      throw BrokenMessage();
    }
    const auto taken = left_.first(n);
    left_ = left_.subspan(n);
    return taken;
  }
  std::span<const char> left_;
};

}  // namespace

std::string seal(std::string bytes) {
  const uint64_t sum = checksum(bytes);
  bytes.append(reinterpret_cast<const char*>(&sum), sizeof sum);
  return bytes;
}

std::span<const char> unsealed(std::span<const char> bytes) {
  uint64_t sum = 0;
  if (bytes.size() < sizeof sum) {
    throw BrokenMessage();
  }
  const auto content = bytes.first(bytes.size() - sizeof sum);
  std::memcpy(&sum, bytes.data() + content.size(), sizeof sum);
  if (sum != checksum(content)) {
    throw BrokenMessage();
  }
  return content;
}

Quantiser Measured::scale() const {
  Quantiser scale;
  scale.center = center;
  scale.exponent = exponent;
  scale.centered = centered != 0;
  return scale;
}

void Measured::set_scale(const Quantiser& scale) {
  center = scale.center;
  exponent = scale.exponent;
  centered = scale.centered;
}

std::string Request::bytes() const {
  Writer out;
  out.put(task);
  out.put(n_classes);
  out.put(stage);
  out.put(static_cast<uint64_t>(top.size()));
  for (const TopSplit& split : top) {
    for (const int32_t field : {split.node, split.column, split.missing_branch, split.first_child,
                                split.cut, int32_t(split.coarse)}) {
      out.put(field);
    }
    out.put(split.threshold);
    out.put_all(split.branches);
  }
  out.put_all(nodes);
  out.put_all(questions);
  return out.sealed();
}

Request Request::from(std::span<const char> bytes) {
  Reader in(bytes);
  Request request;
  request.task = in.get<Task>();
  request.n_classes = in.get<int32_t>();
  request.stage = in.get<Stage>();
  const auto n = in.get<uint64_t>();
  for (uint64_t i = 0; i < n; ++i) {
    TopSplit& split = request.top.emplace_back();
    split.node = in.get<int32_t>();
    split.column = in.get<int32_t>();
    split.missing_branch = in.get<int32_t>();
    split.first_child = in.get<int32_t>();
    split.cut = in.get<int32_t>();
    split.coarse = in.get<int32_t>() != 0;
    split.threshold = in.get<double>();
    split.branches = in.get_all<int32_t>();
  }
  request.nodes = in.get_all<Measured>();
  request.questions = in.get_all<Question>();
  return request;
}

std::string Counts::bytes() const {
  Writer out;
  out.put_all(question);
  out.put_short(piece);
  out.put_short(words);
  return out.sealed();
}

Counts Counts::from(std::span<const char> bytes) {
  Reader in(bytes);
  Counts counts;
  counts.question = in.get_all<uint32_t>();
  counts.piece = in.get_short<uint64_t>();
  counts.words = in.get_short<int64_t>();
  return counts;
}

// ---- checking ----

namespace {

constexpr int32_t kMostNodes = 1 << 26;
constexpr int64_t kMostImage = int64_t(1) << 62;    // of a target, in units of its node
constexpr uint64_t kMostCells = uint64_t(1) << 28;  // of a request, counted in arrays

void expect(bool holds) {
  if (!holds) {
    throw BrokenMessage();
  }
}

bool has(const PartView& part, const void* array) { return array != nullptr || part.n_rows == 0; }
bool has(const PartView& part, const auto& columns, int32_t column) {
  return column >= 0 && size_t(column) < columns.size() && has(part, columns[size_t(column)]);
}

void check_top(const PartView& part, const Top& top, size_t first) {
  for (size_t i = 0; i < top.size(); ++i) {
    const TopSplit& split = top[i];
    // A child has a higher number than its parent: rows that move down arrive.
    expect(0 <= split.node && split.node < split.first_child && split.first_child < kMostNodes);
    expect(0 <= split.missing_branch && split.missing_branch <= kMissingCode);
    for (const int32_t branch : split.branches) {
      expect(0 <= branch && branch <= kMissingCode);
    }
    if (i >= first) {
      expect(has(part, part.codes, split.column));
      expect(!split.coarse || has(part, part.values, split.column));
    }
  }
}

void check_question(const PartView& part, const Request& request, const Question& question) {
  expect(0 <= question.node && question.node < kMostNodes);
  expect(0 <= question.shift && question.shift < 64 && question.low <= question.high);
  expect(question.by_value != 0 || question.high <= kMissingCode);
  if (question.column == kTargetColumn) {
    expect(question.by_value == 0 || (request.task == Task::number && has(part, part.y)));
  } else {
    expect(has(part, part.codes, question.column));
    expect(question.by_value == 0 || has(part, part.values, question.column));
  }
}

}  // namespace

void check(const PartView& part, const Request& request, size_t n_applied, bool needs_target) {
  expect(request.task == Task::classes || request.task == Task::number);
  expect(request.task == Task::number ? request.n_classes == 0
                                      : 0 < request.n_classes && request.n_classes <= 1 << 16);
  expect(request.stage == Stage::range ||
         (request.task == Task::number &&
          (request.stage == Stage::sum || request.stage == Stage::squares)));
  expect(!needs_target ||
         (request.task == Task::number ? has(part, part.y) : has(part, part.labels)));
  if (needs_target && request.task == Task::classes && part.n_rows > 0) {
    const auto [least, most] = std::minmax_element(part.labels, part.labels + part.n_rows);
    expect(0 <= *least && *most < request.n_classes);
  }
  check_top(part, request.top, n_applied);
  for (const Measured& node : request.nodes) {
    expect(0 <= node.node && node.node < kMostNodes);
    expect(-kMostImage / 2 <= node.mean && node.mean <= kMostImage / 2);
  }
  uint64_t cells = 0;
  for (const Question& question : request.questions) {
    check_question(part, request, question);
    if (is_dense(question)) {
      cells += (pieces_of(question) + 1) * uint64_t(request.words());
    }
    expect(cells < kMostCells);
  }
}

void check(const Counts& counts, const Request& request) {
  expect(counts.piece.size() == counts.size());
  expect(counts.words.size() == counts.size() * size_t(request.words()));
  for (size_t i = 0; i < counts.size(); ++i) {
    expect(counts.question[i] < request.questions.size());
    const Question& question = request.questions[counts.question[i]];
    const uint64_t piece = counts.piece[i];
    expect(piece == kMissingKey || piece <= (question.high - question.low) >> question.shift);
    expect(i == 0 || std::pair(counts.question[i - 1], counts.piece[i - 1]) <
                         std::pair(counts.question[i], piece));
  }
}

// ---- merging ----

namespace {

void add_words(int64_t* into, const int64_t* more, Task task, size_t words) {
  const StatLayout layout(task, static_cast<int>(words) - kFirst);
  layout.add(into, more);
  if (task == Task::number) {
    into[words - 2] = std::min(into[words - 2], more[words - 2]);
    into[words - 1] = std::max(into[words - 1], more[words - 1]);
  }
}

}  // namespace

void merge(Counts& into, const Counts& more, Task task, size_t words) {
  const size_t most = into.size() + more.size();
  Counts out;
  out.question.resize(most);
  out.piece.resize(most);
  out.words.resize(most * words);
  size_t n = 0;
  const auto append = [&](const Counts& from, size_t i) {
    out.question[n] = from.question[i];
    out.piece[n] = from.piece[i];
    std::copy_n(from.words.data() + i * words, words, out.words.data() + n * words);
    ++n;
  };
  size_t a = 0, b = 0;
  while (a < into.size() && b < more.size()) {
    const auto key_a = std::pair(into.question[a], into.piece[a]);
    const auto key_b = std::pair(more.question[b], more.piece[b]);
    if (key_b < key_a) {
      append(more, b++);
      continue;
    }
    append(into, a++);
    if (key_a == key_b) {
      add_words(out.words.data() + (n - 1) * words, more.words.data() + words * b++, task, words);
    }
  }
  while (a < into.size()) {
    append(into, a++);
  }
  while (b < more.size()) {
    append(more, b++);
  }
  out.question.resize(n);
  out.piece.resize(n);
  out.words.resize(n * words);
  into = std::move(out);
}

void NodeSums::merge(const NodeSums& more) {
  rows += more.rows;
  weight += more.weight;
  weight_squared += more.weight_squared;
  least = std::min(least, more.least);
  greatest = std::max(greatest, more.greatest);
  sum += more.sum;
  low += more.low;
  high += more.high;
}

// ---- routing ----

void start_nodes(const PartView& part) {
  for (int64_t row = 0; row < part.n_rows; ++row) {
    part.node[row] = part.weights == nullptr || part.weights[row] > 0 ? 0 : kNoNode;
  }
}

namespace {

int32_t branch_of(const PartView& part, const TopSplit& split, int64_t row) {
  const uint16_t code = part.codes[size_t(split.column)][row];
  if (code == kMissingCode) {
    return split.missing_branch;
  }
  if (!split.branches.empty()) {
    return code < split.branches.size() ? split.branches[code] : split.missing_branch;
  }
  if (split.coarse) {
    return part.values[size_t(split.column)][row] <= split.threshold ? 0 : 1;
  }
  return int32_t(code) <= split.cut ? 0 : 1;
}

// The largest node that a top or a request names.
size_t n_nodes_of(const Top& top) {
  int32_t most = 0;
  for (const TopSplit& split : top) {
    const int32_t n = split.branches.empty()
                          ? 1
                          : *std::max_element(split.branches.begin(), split.branches.end());
    most = std::max({most, split.node, split.first_child + std::max(n, split.missing_branch)});
  }
  return size_t(most) + 1;
}

}  // namespace

void apply_top(const PartView& part, const Top& top, size_t first) {
  if (first >= top.size()) {
    return;
  }
  std::vector<int32_t> split_of(n_nodes_of(top), -1);
  for (size_t i = first; i < top.size(); ++i) {
    split_of[size_t(top[i].node)] = static_cast<int32_t>(i);
  }
  for (int64_t row = 0; row < part.n_rows; ++row) {
    int32_t node = part.node[row];
    while (node >= 0 && split_of[size_t(node)] >= 0) {
      const TopSplit& split = top[size_t(split_of[size_t(node)])];
      node = split.first_child + branch_of(part, split, row);
    }
    part.node[row] = node;
  }
}

// ---- counting ----

namespace {

// The integer image of each row's target, on the scale of its node.
std::vector<int64_t> images_of(const PartView& part, const Request& request) {
  std::vector<int64_t> images(size_t(part.n_rows), 0);
  std::vector<int32_t> place;
  for (size_t i = 0; i < request.nodes.size(); ++i) {
    place.resize(std::max(place.size(), size_t(request.nodes[i].node) + 1), -1);
    place[size_t(request.nodes[i].node)] = static_cast<int32_t>(i);
  }
  std::vector<Quantiser::Images> image_of;
  image_of.reserve(request.nodes.size());
  for (const Measured& node : request.nodes) {
    image_of.push_back(node.scale().images());
  }
  for (int64_t row = 0; row < part.n_rows; ++row) {
    const int32_t node = part.node[row];
    if (node >= 0 && size_t(node) < place.size() && place[size_t(node)] >= 0) {
      const int64_t image = image_of[size_t(place[size_t(node)])](part.y[row]);
      expect(-kMostImage <= image && image <= kMostImage);
      images[size_t(row)] = image;
    }
  }
  return images;
}

// Adds rows to blocks of words, whatever the target is.
class RowAdder {
 public:
  RowAdder(const PartView& part, const Request& request)
      : part_(part), number_(request.task == Task::number), words_(size_t(request.words())) {
    if (number_) {
      images_ = images_of(part, request);
    }
  }
  size_t words() const { return words_; }

  void add(int64_t* block, int64_t row) const {
    const int64_t weight = part_.weights == nullptr ? 1 : part_.weights[row];
    if (number_) {
      const int64_t y = images_[size_t(row)];
      const bool first = block[kRows] == 0;
      set_sum(block, get_sum(block) + int128(weight) * y);
      block[words_ - 2] = first ? y : std::min(block[words_ - 2], y);
      block[words_ - 1] = first ? y : std::max(block[words_ - 1], y);
    } else {
      block[kFirst + part_.labels[row]] += weight;
    }
    ++block[kRows];
    block[kWeight] += weight;
  }

 private:
  const PartView& part_;
  bool number_;
  size_t words_;
  std::vector<int64_t> images_;
};

// The first code whose rows a question may count.
uint64_t first_code(const Question& question) {
  return question.by_value == 0 ? question.low : uint64_t(std::max(question.code, 0));
}

// The questions about one column, by node; those of a node in the order of their intervals, which
// do not overlap.
class Asked {
 public:
  Asked(const Request& request, int32_t column) {
    std::vector<uint32_t> mine;
    for (size_t q = 0; q < request.questions.size(); ++q) {
      if (request.questions[q].column == column) {
        mine.push_back(static_cast<uint32_t>(q));
      }
    }
    const auto& all = request.questions;
    std::stable_sort(mine.begin(), mine.end(), [&](uint32_t a, uint32_t b) {
      const Question &x = all[a], &y = all[b];
      return std::tuple(x.node, first_code(x), x.low) < std::tuple(y.node, first_code(y), y.low);
    });
    for (const uint32_t q : mine) {
      const auto node = size_t(all[q].node);
      begin_.resize(std::max(begin_.size(), node + 2), static_cast<uint32_t>(questions_.size()));
      questions_.push_back(q);
      begin_[node + 1] = static_cast<uint32_t>(questions_.size());
    }
  }
  bool empty() const { return questions_.empty(); }
  std::span<const uint32_t> of(int32_t node) const {
    if (node < 0 || size_t(node) + 1 >= begin_.size()) {
      return {};
    }
    const uint32_t begin = begin_[size_t(node)], end = begin_[size_t(node) + 1];
    return std::span(questions_).subspan(begin, end - begin);
  }

 private:
  std::vector<uint32_t> questions_, begin_;
};

// Calls use(question, piece) for every row that a question about this column counts.
template <class Use>
void for_each_counted(const PartView& part, const Request& request, int32_t column,
                      const Use& use) {
  const Asked asked(request, column);
  if (asked.empty()) {
    return;
  }
  const bool target = column == kTargetColumn;
  const uint16_t* codes = target ? nullptr : part.codes[size_t(column)];
  const double* values = target ? part.y : part.values[size_t(column)];
  for (int64_t row = 0; row < part.n_rows; ++row) {
    const auto mine = asked.of(part.node[row]);
    if (mine.empty()) {
      continue;
    }
    const uint16_t code = codes == nullptr ? 0 : codes[row];
    if (code == kMissingCode) {
      if (request.questions[mine[0]].with_missing != 0) {
        use(mine[0], kMissingKey, row);
      }
      continue;
    }
    // The last interval that begins at or before this row.
    const auto begins_before = [&](uint32_t q) {
      const Question& question = request.questions[q];
      if (question.by_value != 0 && question.code == kAnyCode) {
        return question.low <= key_of(values[row]);
      }
      const uint64_t first = first_code(question);
      return first < code ||
             (first == code && (question.by_value == 0 || question.low <= key_of(values[row])));
    };
    const auto end = std::partition_point(mine.begin(), mine.end(), begins_before);
    if (end == mine.begin()) {
      continue;
    }
    const uint32_t q = *(end - 1);
    const Question& question = request.questions[q];
    if (question.by_value != 0 && question.code != kAnyCode && question.code != int32_t(code)) {
      continue;
    }
    const uint64_t at = question.by_value != 0 ? key_of(values[row]) : code;
    if (at <= question.high) {
      use(q, (at - question.low) >> question.shift, row);
    }
  }
}

// Sums of the rows of each question, by piece: an array for few pieces, sorted rows for many.
class Cells {
 public:
  Cells(const Request& request, const RowAdder& adder)
      : request_(request), adder_(adder), start_(request.questions.size()) {}

  void open(int32_t column) {
    size_t total = 0;
    for (size_t q = 0; q < start_.size(); ++q) {
      const Question& question = request_.questions[q];
      if (question.column == column && is_dense(question)) {
        start_[q] = total;
        total += size_t(pieces_of(question)) + 1;  // the last: missing rows
      }
    }
    dense_.assign(total * adder_.words(), 0);
    sparse_.clear();
  }
  void add(uint32_t q, uint64_t piece, int64_t row) {
    const Question& question = request_.questions[q];
    if (!is_dense(question)) {
      sparse_.push_back({q, piece, row});
      return;
    }
    const uint64_t at = piece == kMissingKey ? pieces_of(question) : piece;
    adder_.add(dense_.data() + (start_[q] + at) * adder_.words(), row);
  }
  // Appends what was counted, question by question.
  void close(int32_t column, std::vector<Counts>& by_question) {
    for (size_t q = 0; q < start_.size(); ++q) {
      const Question& question = request_.questions[q];
      if (question.column == column && is_dense(question)) {
        close_dense(q, by_question[q]);
      }
    }
    std::sort(sparse_.begin(), sparse_.end());
    for (const Row& row : sparse_) {
      Counts& counts = by_question[row.question];
      if (counts.size() == 0 || counts.piece.back() != row.piece) {
        counts.question.push_back(row.question);
        counts.piece.push_back(row.piece);
        counts.words.resize(counts.words.size() + adder_.words(), 0);
      }
      adder_.add(counts.words.data() + counts.words.size() - adder_.words(), row.row);
    }
  }

 private:
  struct Row {
    uint32_t question;
    uint64_t piece;
    int64_t row;
    auto operator<=>(const Row&) const = default;
  };

  void close_dense(size_t q, Counts& counts) const {
    const uint64_t n = pieces_of(request_.questions[q]) + 1;
    for (uint64_t piece = 0; piece < n; ++piece) {
      const int64_t* block = dense_.data() + (start_[q] + piece) * adder_.words();
      if (block[kRows] > 0) {
        counts.question.push_back(static_cast<uint32_t>(q));
        counts.piece.push_back(piece + 1 == n ? kMissingKey : piece);
        counts.words.insert(counts.words.end(), block, block + adder_.words());
      }
    }
  }

  const Request& request_;
  const RowAdder& adder_;
  std::vector<size_t> start_;
  std::vector<int64_t> dense_;
  std::vector<Row> sparse_;
};

std::vector<int32_t> columns_of(const Request& request) {
  std::vector<int32_t> columns;
  columns.reserve(request.questions.size());
  for (const Question& question : request.questions) {
    columns.push_back(question.column);
  }
  std::sort(columns.begin(), columns.end());
  columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
  return columns;
}

// The first round of a column: one question about each node, all with the same pieces. It is most
// of the work of growing, so it has a loop of its own: one array for all nodes, no search.
class EvenCount {
 public:
  EvenCount(const PartView& part, const Request& request, int32_t column) : part_(part) {
    for (size_t q = 0; q < request.questions.size(); ++q) {
      const Question& question = request.questions[q];
      if (question.column != column) {
        continue;
      }
      first_ = questions_.empty() ? question : first_;
      rank_of_node_.resize(std::max(rank_of_node_.size(), size_t(question.node) + 1), -1);
      int32_t& rank = rank_of_node_[size_t(question.node)];
      even_ = even_ && column != kTargetColumn && question.by_value == 0 && question.low == 0 &&
              question.with_missing != 0 && question.high == first_.high &&
              question.shift == first_.shift && rank < 0;
      rank = static_cast<int32_t>(questions_.size());
      questions_.push_back(static_cast<uint32_t>(q));
    }
    codes_ = even_ ? part.codes[size_t(column)] : nullptr;
    stride_ = size_t(pieces_of(first_)) + 1;
  }
  bool applies() const { return even_; }

  void count(const RowAdder& adder, int n_classes, std::vector<Counts>& by_question) const {
    const size_t words = adder.words(), n = questions_.size() * stride_;
    std::vector<int64_t> blocks;
    if (n_classes > 0 && part_.weights == nullptr) {
      blocks = blocks_of_classes(size_t(n_classes), words, n);
    } else {
      blocks.resize(n * words);
      for_each([&](size_t cell, int64_t row) { adder.add(blocks.data() + cell * words, row); });
    }
    for (size_t i = 0; i < questions_.size(); ++i) {
      append(blocks.data() + i * stride_ * words, words, questions_[i], by_question[questions_[i]]);
    }
  }

 private:
  // Calls use(cell, row) for every row that is counted.
  template <class Use>
  void for_each(const Use& use) const {
    const auto n_nodes = static_cast<int32_t>(rank_of_node_.size());
    const int shift = first_.shift;
    for (int64_t row = 0; row < part_.n_rows; ++row) {
      const int32_t node = part_.node[row];
      const int32_t rank = node >= 0 && node < n_nodes ? rank_of_node_[size_t(node)] : -1;
      if (rank < 0) {
        continue;
      }
      const uint16_t code = codes_[row];
      if (code <= first_.high || code == kMissingCode) {
        const size_t piece = code == kMissingCode ? stride_ - 1 : size_t(code) >> shift;
        use(size_t(rank) * stride_ + piece, row);
      }
    }
  }
  // Classes without weights: one count per row.
  std::vector<int64_t> blocks_of_classes(size_t n_classes, size_t words, size_t n) const {
    std::vector<uint32_t> counts(n * n_classes);
    for_each(
        [&](size_t cell, int64_t row) { ++counts[cell * n_classes + size_t(part_.labels[row])]; });
    std::vector<int64_t> blocks(n * words);
    for (size_t cell = 0; cell < n; ++cell) {
      int64_t* block = blocks.data() + cell * words;
      for (size_t k = 0; k < n_classes; ++k) {
        block[size_t(kFirst) + k] = counts[cell * n_classes + k];
        block[kRows] += counts[cell * n_classes + k];
      }
      block[kWeight] = block[kRows];
    }
    return blocks;
  }
  void append(const int64_t* blocks, size_t words, uint32_t q, Counts& counts) const {
    for (size_t piece = 0; piece < stride_; ++piece) {
      const int64_t* block = blocks + piece * words;
      if (block[kRows] > 0) {
        counts.question.push_back(q);
        counts.piece.push_back(piece + 1 == stride_ ? kMissingKey : piece);
        counts.words.insert(counts.words.end(), block, block + words);
      }
    }
  }

  const PartView& part_;
  const uint16_t* codes_ = nullptr;
  std::vector<uint32_t> questions_;
  std::vector<int32_t> rank_of_node_;  // node -> its place among the questions
  Question first_;
  size_t stride_ = 0;  // pieces, and one for missing rows
  bool even_ = true;
};

}  // namespace

Counts count(const PartView& part, const Request& request) {
  const RowAdder adder(part, request);
  Cells cells(request, adder);
  std::vector<Counts> by_question(request.questions.size());
  for (const int32_t column : columns_of(request)) {
    const EvenCount even(part, request, column);
    if (even.applies()) {
      even.count(adder, request.n_classes, by_question);
      continue;
    }
    cells.open(column);
    for_each_counted(part, request, column,
                     [&](uint32_t q, uint64_t piece, int64_t row) { cells.add(q, piece, row); });
    cells.close(column, by_question);
  }
  size_t n = 0;
  for (const Counts& counts : by_question) {
    n += counts.size();
  }
  Counts all;
  all.question.reserve(n);
  all.piece.reserve(n);
  all.words.reserve(n * adder.words());
  for (const Counts& counts : by_question) {
    all.question.insert(all.question.end(), counts.question.begin(), counts.question.end());
    all.piece.insert(all.piece.end(), counts.piece.begin(), counts.piece.end());
    all.words.insert(all.words.end(), counts.words.begin(), counts.words.end());
  }
  return all;
}

std::vector<Range> neighbours(const PartView& part, const Request& request) {
  std::vector<Range> ranges(request.questions.size());
  for (const int32_t column : columns_of(request)) {
    for_each_counted(part, request, column, [&](uint32_t q, uint64_t piece, int64_t) {
      if (piece != kMissingKey) {
        ranges[q].add(request.questions[q].low + piece);
      }
    });
  }
  return ranges;
}

// ---- measuring ----

std::vector<NodeSums> measure(const PartView& part, const Request& request) {
  std::vector<NodeSums> sums(request.nodes.size());
  std::vector<int32_t> place;
  for (size_t i = 0; i < request.nodes.size(); ++i) {
    place.resize(std::max(place.size(), size_t(request.nodes[i].node) + 1), -1);
    place[size_t(request.nodes[i].node)] = static_cast<int32_t>(i);
  }
  const bool number = request.task == Task::number;
  const std::vector<int64_t> images =
      number && request.stage != Stage::range ? images_of(part, request) : std::vector<int64_t>();
  for (int64_t row = 0; row < part.n_rows; ++row) {
    const int32_t node = part.node[row];
    if (node < 0 || size_t(node) >= place.size() || place[size_t(node)] < 0) {
      continue;
    }
    const auto i = size_t(place[size_t(node)]);
    NodeSums& of = sums[i];
    const int64_t weight = part.weights == nullptr ? 1 : part.weights[row];
    if (request.stage == Stage::range) {
      ++of.rows;
      of.weight += weight;
      of.weight_squared += int128(weight) * weight;
      if (number) {
        const uint64_t key = key_of(part.y[row]);
        of.least = std::min(of.least, key);
        of.greatest = std::max(of.greatest, key);
      }
    } else if (request.stage == Stage::sum) {
      of.sum += int128(weight) * images[size_t(row)];
    } else {
      const int64_t deviation = images[size_t(row)] - request.nodes[i].mean;
      const uint128 square = uint128(int128(deviation) * deviation);
      of.low += uint128(uint64_t(weight)) * uint64_t(square);
      of.high += uint128(uint64_t(weight)) * uint64_t(square >> 64);
    }
  }
  return sums;
}

// ---- what a request reads ----

Needs needs(const Request& request, size_t n_applied, bool counts_target) {
  Needs found;
  found.target = counts_target;
  const auto add = [](std::vector<int32_t>& columns, int32_t column) {
    if (std::find(columns.begin(), columns.end(), column) == columns.end()) {
      columns.push_back(column);
    }
  };
  for (size_t i = n_applied; i < request.top.size(); ++i) {
    add(found.codes, request.top[i].column);
    if (request.top[i].coarse) {
      add(found.values, request.top[i].column);
    }
  }
  for (const Question& question : request.questions) {
    if (question.column == kTargetColumn) {
      found.target = true;
      continue;
    }
    add(found.codes, question.column);
    if (question.by_value != 0) {
      add(found.values, question.column);
    }
  }
  return found;
}

namespace {

// Edges in order, with a guide to where a search begins: the range of the edges is cut into equal
// steps, and the place of an edge or a value among the steps never falls as it grows.
class EdgeSearch {
 public:
  explicit EdgeSearch(std::span<const double> edges) : edges_(edges) {
    const double low = edges.empty() ? 0.0 : edges.front();
    const double high = edges.empty() ? 0.0 : edges.back();
    const double scale = double(kSteps) / (high - low);
    if (std::isfinite(high - low) && std::isfinite(scale)) {
      low_ = low;
      scale_ = scale;
    }
    size_t edge = 0;
    for (size_t step = 0; step <= kSteps; ++step) {
      while (edge < edges.size() && step_of(edges[edge]) < step) {
        ++edge;
      }
      first_[step] = static_cast<uint32_t>(edge);
    }
    first_[kSteps + 1] = static_cast<uint32_t>(edges.size());
  }
  // How many edges lie below x.
  size_t below(double x) const {
    const size_t step = step_of(x);
    const auto begin = edges_.begin();
    return size_t(std::lower_bound(begin + first_[step], begin + first_[step + 1], x) - begin);
  }

 private:
  static constexpr size_t kSteps = 1 << 15;
  size_t step_of(double x) const {
    const double step = (x - low_) * scale_;
    return step > 0.0 ? static_cast<size_t>(std::min(step, double(kSteps))) : 0;
  }

  std::span<const double> edges_;
  double low_ = 0.0, scale_ = 0.0;
  std::vector<uint32_t> first_ = std::vector<uint32_t>(kSteps + 2);
};

}  // namespace

void code_cells(std::span<const double> values, std::span<const double> edges, uint16_t* codes) {
  const EdgeSearch search(edges);
  for (size_t i = 0; i < values.size(); ++i) {
    codes[i] =
        std::isnan(values[i]) ? kMissingCode : static_cast<uint16_t>(search.below(values[i]));
  }
}

}  // namespace treewright::parts
