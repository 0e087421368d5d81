#include "treewright/parts.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "messages.hpp"

namespace treewright::parts {
namespace {

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
constexpr uint64_t kMostCells = uint64_t(1) << 28;  // of a request, counted in arrays

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
  if (question.column == kTargetColumn) {
    expect(question.by_value == 0 || (request.task == Task::number && has(part, part.y)));
  } else {
    expect(has(part, part.codes, question.column));
    expect(question.by_value == 0 || has(part, part.values, question.column));
  }
}

}  // namespace

void check(const Request& request) {
  expect(request.task == Task::classes || request.task == Task::number);
  expect(request.task == Task::number ? request.n_classes == 0
                                      : 0 < request.n_classes && request.n_classes <= 1 << 16);
  expect(request.stage == Stage::range ||
         (request.task == Task::number &&
          (request.stage == Stage::sum || request.stage == Stage::squares)));
  for (const Measured& node : request.nodes) {
    expect(0 <= node.node && node.node < kMostNodes);
    expect(-kMostImage / 2 <= node.mean && node.mean <= kMostImage / 2);
  }
  uint64_t cells = 0;
  for (const Question& question : request.questions) {
    expect(0 <= question.node && question.node < kMostNodes);
    expect(0 <= question.shift && question.shift < 64 && question.low <= question.high);
    expect(question.by_value != 0 || question.high <= kMissingCode);
    if (is_dense(question)) {
      cells += (pieces_of(question) + 1) * uint64_t(request.words());
    }
    expect(cells < kMostCells);
  }
}

void check(const PartView& part, const Request& request, size_t n_applied, bool needs_target) {
  expect(!needs_target ||
         (request.task == Task::number ? has(part, part.y) : has(part, part.labels)));
  if (needs_target && request.task == Task::classes && part.n_rows > 0) {
    const auto [least, most] = std::minmax_element(part.labels, part.labels + part.n_rows);
    expect(0 <= *least && *most < request.n_classes);
  }
  check_top(part, request.top, n_applied);
  for (const Question& question : request.questions) {
    check_question(part, request, question);
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

void add_words(int64_t* into, const int64_t* more, Task task, size_t words) {
  const StatLayout layout(task, static_cast<int>(words) - kFirst);
  layout.add(into, more);
  if (task == Task::number) {
    into[words - 2] = std::min(into[words - 2], more[words - 2]);
    into[words - 1] = std::max(into[words - 1], more[words - 1]);
  }
}

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
