#include <algorithm>
#include <limits>
#include <memory>
#include <tuple>

#include "treewright/parts.hpp"

namespace treewright::parts {

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
void for_each_counted(const PartView& part, const Request& request, const Asked& asked,
                      int32_t column, const Use& use) {
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

// The rows of one slice that questions with many pieces count.
struct SparseRow {
  uint32_t question;
  uint64_t piece;
  int64_t row;
  auto operator<=>(const SparseRow&) const = default;
};

// The questions about one column. Few pieces are counted in an array, many in sorted entries.
class ColumnCount {
 public:
  // start: of each question, where the first cell is noted.
  ColumnCount(const Request& request, int32_t column, std::vector<size_t>& start)
      : request_(&request), column_(column), asked_(request, column), start_(start.data()) {
    for (size_t q = 0; q < request.questions.size(); ++q) {
      if (request.questions[q].column == column) {
        add_question(static_cast<uint32_t>(q));
      }
    }
  }

  void add(const PartView& part, const RowAdder& adder) {
    if (even_ && request_->n_classes > 0 && part.weights == nullptr) {
      return add_classes(part);
    }
    const size_t words = adder.words();
    blocks_.resize(n_cells_ * words);
    if (even_) {
      return for_each_even(
          part, [&](size_t cell, int64_t row) { adder.add(blocks_.data() + cell * words, row); });
    }
    std::vector<SparseRow> sparse;
    for_each_counted(part, *request_, asked_, column_,
                     [&](uint32_t q, uint64_t piece, int64_t row) {
                       if (is_dense(request_->questions[q])) {
                         adder.add(blocks_.data() + cell_of(q, piece) * words, row);
                       } else {
                         sparse.push_back({q, piece, row});
                       }
                     });
    add_sparse(sparse, adder);
  }
  // Adds an entry of a reply.
  void add(const Counts& reply, size_t i, size_t words) {
    const int64_t* block = reply.words.data() + i * words;
    if (!is_dense(request_->questions[reply.question[i]])) {
      append_entry(incoming_, reply.question[i], reply.piece[i], block, words);
      return;
    }
    blocks_.resize(n_cells_ * words);
    int64_t* into = blocks_.data() + cell_of(reply.question[i], reply.piece[i]) * words;
    if (into[kRows] == 0) {
      std::copy_n(block, words, into);
    } else {
      add_words(into, block, request_->task, words);
    }
  }
  // To be called when the entries of a reply are added.
  void close_reply(size_t words) {
    if (incoming_.size() > 0) {
      merge(sparse_, incoming_, request_->task, words);
      incoming_ = {};
    }
  }
  // To be called before entries are read.
  void settle(size_t words) {
    const auto n_classes = size_t(request_->n_classes);
    if (!classes_.empty()) {
      blocks_.resize(n_cells_ * words);
      for (size_t cell = 0; cell < n_cells_; ++cell) {
        int64_t* block = blocks_.data() + cell * words;
        for (size_t k = 0; k < n_classes; ++k) {
          const int64_t rows = classes_[cell * n_classes + k];
          block[size_t(kFirst) + k] += rows;
          block[kRows] += rows;
          block[kWeight] += rows;
        }
      }
      classes_ = {};
      n_rows_ = 0;
    }
    next_sparse_ = 0;
  }
  // Calls use(piece, block) for every entry of a question; questions come in ascending order.
  template <class Use>
  void for_each_entry(uint32_t q, size_t words, const Use& use) {
    if (is_dense(request_->questions[q])) {
      const size_t n = blocks_.empty() ? 0 : size_t(pieces_of(request_->questions[q])) + 1;
      for (size_t piece = 0; piece < n; ++piece) {
        const int64_t* block = blocks_.data() + (start_[q] + piece) * words;
        if (block[kRows] > 0) {
          use(piece + 1 == n ? kMissingKey : piece, block);
        }
      }
      return;
    }
    for (; next_sparse_ < sparse_.size() && sparse_.question[next_sparse_] == q; ++next_sparse_) {
      use(sparse_.piece[next_sparse_], sparse_.words.data() + next_sparse_ * words);
    }
  }

 private:
  // The first round of a column: one question about each node, all with the same pieces. It is
  // most of the work of growing, so it has a loop of its own without a search.
  void add_question(uint32_t q) {
    const Question& question = request_->questions[q];
    first_ = n_questions_ == 0 ? question : first_;
    rank_of_node_.resize(std::max(rank_of_node_.size(), size_t(question.node) + 1), -1);
    int32_t& rank = rank_of_node_[size_t(question.node)];
    even_ = even_ && column_ != kTargetColumn && question.by_value == 0 && question.low == 0 &&
            question.with_missing != 0 && question.high == first_.high &&
            question.shift == first_.shift && rank < 0;
    rank = static_cast<int32_t>(n_questions_++);
    if (is_dense(question)) {
      start_[q] = n_cells_;
      n_cells_ += size_t(pieces_of(question)) + 1;  // the last: missing rows
    }
  }
  size_t cell_of(uint32_t q, uint64_t piece) const {
    const size_t last = size_t(pieces_of(request_->questions[q]));
    return start_[q] + (piece == kMissingKey ? last : size_t(piece));
  }
  // Calls use(cell, row) for every row that is counted.
  template <class Use>
  void for_each_even(const PartView& part, const Use& use) const {
    const auto n_nodes = static_cast<int32_t>(rank_of_node_.size());
    const uint16_t* codes = part.codes[size_t(column_)];
    const size_t stride = size_t(pieces_of(first_)) + 1;
    const int shift = first_.shift;
    for (int64_t row = 0; row < part.n_rows; ++row) {
      const int32_t node = part.node[row];
      const int32_t rank = node >= 0 && node < n_nodes ? rank_of_node_[size_t(node)] : -1;
      if (rank < 0) {
        continue;
      }
      const uint16_t code = codes[row];
      if (code <= first_.high || code == kMissingCode) {
        const size_t piece = code == kMissingCode ? stride - 1 : size_t(code) >> shift;
        use(size_t(rank) * stride + piece, row);
      }
    }
  }
  // Classes without weights: one count per row, in 32 bits.
  void add_classes(const PartView& part) {
    const auto n_classes = size_t(request_->n_classes);
    if (n_rows_ + part.n_rows > int64_t(std::numeric_limits<uint32_t>::max())) {
      settle(size_t(request_->words()));
    }
    n_rows_ += part.n_rows;
    classes_.resize(n_cells_ * n_classes);
    for_each_even(part, [&](size_t cell, int64_t row) {
      ++classes_[cell * n_classes + size_t(part.labels[row])];
    });
  }
  static void append_entry(Counts& to, uint32_t q, uint64_t piece, const int64_t* block,
                           size_t words) {
    to.question.push_back(q);
    to.piece.push_back(piece);
    to.words.insert(to.words.end(), block, block + words);
  }
  void add_sparse(std::vector<SparseRow>& rows, const RowAdder& adder) {
    if (rows.empty()) {
      return;
    }
    std::sort(rows.begin(), rows.end());
    Counts found;
    const std::vector<int64_t> zeros(adder.words(), 0);
    for (const SparseRow& row : rows) {
      if (found.size() == 0 || found.piece.back() != row.piece ||
          found.question.back() != row.question) {
        append_entry(found, row.question, row.piece, zeros.data(), zeros.size());
      }
      adder.add(found.words.data() + found.words.size() - adder.words(), row.row);
    }
    merge(sparse_, found, request_->task, adder.words());
  }

  const Request* request_;
  int32_t column_;
  Asked asked_;
  size_t* start_;  // question -> its first cell
  size_t n_cells_ = 0, n_questions_ = 0;
  std::vector<int64_t> blocks_;    // by cell; empty until one is counted
  std::vector<uint32_t> classes_;  // rows by cell and class, beside the blocks
  int64_t n_rows_ = 0;             // counted in `classes_`
  Counts sparse_, incoming_;
  size_t next_sparse_ = 0;
  bool even_ = true;
  Question first_;
  std::vector<int32_t> rank_of_node_;  // node -> its place among the questions
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

class CountAnswer final : public Answer {
 public:
  explicit CountAnswer(Request request)
      : request_(std::move(request)),
        words_(size_t(request_.words())),
        start_(request_.questions.size()) {
    const std::vector<int32_t> columns = columns_of(request_);
    for (const int32_t column : columns) {
      counts_.emplace_back(request_, column, start_);
    }
    for (const Question& question : request_.questions) {
      const auto at = std::lower_bound(columns.begin(), columns.end(), question.column);
      count_of_.push_back(static_cast<uint32_t>(at - columns.begin()));
    }
  }
  const Request& request() const override { return request_; }
  void add(const PartView& part) override {
    const RowAdder adder(part, request_);
    for (ColumnCount& count : counts_) {
      count.add(part, adder);
    }
  }
  void add(std::span<const char> bytes) override {
    const Counts reply = Counts::from(bytes);
    check(reply, request_);
    for (size_t i = 0; i < reply.size(); ++i) {
      counts_[count_of_[reply.question[i]]].add(reply, i, words_);
    }
    for (ColumnCount& count : counts_) {
      count.close_reply(words_);
    }
  }
  Counts counts() {
    size_t n = 0;
    for_each_entry([&](uint32_t, uint64_t, const int64_t*) { ++n; });
    Counts all;
    all.question.reserve(n);
    all.piece.reserve(n);
    all.words.reserve(n * words_);
    for_each_entry([&](uint32_t q, uint64_t piece, const int64_t* block) {
      all.question.push_back(q);
      all.piece.push_back(piece);
      all.words.insert(all.words.end(), block, block + words_);
    });
    return all;
  }
  std::string bytes() override { return counts().bytes(); }

 private:
  template <class Use>
  void for_each_entry(const Use& use) {
    for (ColumnCount& count : counts_) {
      count.settle(words_);
    }
    for (size_t q = 0; q < request_.questions.size(); ++q) {
      const auto question = static_cast<uint32_t>(q);
      counts_[count_of_[q]].for_each_entry(
          question, words_,
          [&](uint64_t piece, const int64_t* block) { use(question, piece, block); });
    }
  }

  Request request_;
  size_t words_;
  std::vector<size_t> start_;  // question -> its first cell
  std::vector<ColumnCount> counts_;
  std::vector<uint32_t> count_of_;  // question -> its place in `counts_`
};

// Replies with one item for each question or node.
template <class T, std::vector<T> (*kernel)(const PartView&, const Request&)>
class ItemsAnswer final : public Answer {
 public:
  ItemsAnswer(Request request, size_t n) : request_(std::move(request)), items_(n) {}
  const Request& request() const override { return request_; }
  void add(const PartView& part) override { merge_all(kernel(part, request_)); }
  void add(std::span<const char> reply) override { merge_all(from_bytes<T>(reply)); }
  std::string bytes() override { return to_bytes(items_); }

 private:
  void merge_all(const std::vector<T>& more) {
    expect(more.size() == items_.size());
    for (size_t i = 0; i < items_.size(); ++i) {
      items_[i].merge(more[i]);
    }
  }
  Request request_;
  std::vector<T> items_;
};

// Only moves rows to their nodes.
class RouteAnswer final : public Answer {
 public:
  explicit RouteAnswer(Request request) : request_(std::move(request)) {}
  const Request& request() const override { return request_; }
  void add(const PartView&) override {}
  void add(std::span<const char>) override {}
  std::string bytes() override { return {}; }

 private:
  Request request_;
};

}  // namespace

Counts count(const PartView& part, const Request& request) {
  CountAnswer answer(request);
  answer.add(part);
  return answer.counts();
}

std::vector<Range> neighbours(const PartView& part, const Request& request) {
  std::vector<Range> ranges(request.questions.size());
  for (const int32_t column : columns_of(request)) {
    const auto use = [&](uint32_t q, uint64_t piece, int64_t) {
      if (piece != kMissingKey) {
        ranges[q].add(request.questions[q].low + piece);
      }
    };
    for_each_counted(part, request, Asked(request, column), column, use);
  }
  return ranges;
}

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

std::unique_ptr<Answer> make_answer(const std::string& kernel, Request request) {
  check(request);
  if (kernel == "count") {
    return std::make_unique<CountAnswer>(std::move(request));
  }
  if (kernel == "measure") {
    const size_t n = request.nodes.size();
    return std::make_unique<ItemsAnswer<NodeSums, measure>>(std::move(request), n);
  }
  if (kernel == "neighbours") {
    const size_t n = request.questions.size();
    return std::make_unique<ItemsAnswer<Range, neighbours>>(std::move(request), n);
  }
  if (kernel == "route") {
    return std::make_unique<RouteAnswer>(std::move(request));
  }
  throw std::invalid_argument("there is no kernel " + kernel);
}

}  // namespace treewright::parts
