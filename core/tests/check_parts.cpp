// The kernels of parts against plain loops; parts against the whole; damaged messages.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string_view>

#include "check.hpp"
#include "treewright/parts.hpp"

namespace treewright::testing {
namespace {

using namespace parts;

constexpr int32_t kClasses = 3;

// Rows of a few columns: even ones exact, odd ones coarse.
struct RandomPart {
  RandomPart(Random& random, int64_t n, Task task) : task(task) {
    for (size_t c = 0; c < 4; ++c) {
      codes.emplace_back();
      values.emplace_back();
      for (int64_t row = 0; row < n; ++row) {
        const double value = double(random.whole(0, 30)) / 3;
        const bool missing = random.share() < 0.1;
        values[c].push_back(value);
        codes[c].push_back(missing      ? kMissingCode
                           : c % 2 == 0 ? static_cast<uint16_t>(value * 3 + 0.5)
                                        : static_cast<uint16_t>(value / 2));
      }
    }
    for (int64_t row = 0; row < n; ++row) {
      labels.push_back(static_cast<int32_t>(random.whole(0, kClasses - 1)));
      y.push_back(double(random.whole(-50, 50)) / 10);
      weights.push_back(random.whole(0, 3));
    }
    node.assign(size_t(n), 0);
    weighted = random.share() < 0.5;
  }
  PartView view() {
    PartView part;
    part.n_rows = std::ssize(node);
    for (size_t c = 0; c < codes.size(); ++c) {
      part.codes.push_back(codes[c].data());
      part.values.push_back(c % 2 == 0 ? nullptr : values[c].data());
    }
    part.y = task == Task::number ? y.data() : nullptr;
    part.labels = task == Task::classes ? labels.data() : nullptr;
    part.weights = weighted ? weights.data() : nullptr;
    part.node = node.data();
    return part;
  }
  // Some of the rows.
  RandomPart only(const std::vector<size_t>& rows) const {
    RandomPart part = *this;
    const auto take = [&](auto& array) {
      const auto all = array;
      array.clear();
      for (const size_t row : rows) {
        array.push_back(all[row]);
      }
    };
    for (size_t c = 0; c < codes.size(); ++c) {
      take(part.codes[c]);
      take(part.values[c]);
    }
    take(part.labels);
    take(part.y);
    take(part.weights);
    take(part.node);
    return part;
  }

  Task task;
  bool weighted = false;
  std::vector<std::vector<uint16_t>> codes;
  std::vector<std::vector<double>> values;
  std::vector<int32_t> labels, node;
  std::vector<double> y;
  std::vector<int64_t> weights;
};

Question draw_question(Random& random, int32_t node, int32_t column) {
  Question question;
  question.node = node;
  question.column = column;
  question.shift = static_cast<int32_t>(random.whole(0, 2));
  question.high = static_cast<uint64_t>(random.whole(3, 30));
  if (random.share() < 0.6) {  // the first round
    question.with_missing = 1;
    return question;
  }
  question.low = static_cast<uint64_t>(random.whole(0, 3));
  if (column % 2 == 1) {
    question.by_value = 1;
    question.code = random.share() < 0.5 ? kAnyCode : static_cast<int32_t>(random.whole(0, 5));
    question.low = key_of(double(random.whole(0, 4)));
    question.high = key_of(double(random.whole(5, 11)));
    question.shift = random.share() < 0.5 ? 0 : 50;
  }
  return question;
}

Request draw_request(Random& random, Task task) {
  Request request;
  request.task = task;
  request.n_classes = task == Task::classes ? kClasses : 0;
  TopSplit split;
  split.column = static_cast<int32_t>(random.whole(0, 3));
  split.first_child = 1;
  split.missing_branch = static_cast<int32_t>(random.whole(0, 1));
  split.coarse = split.column % 2 == 1;
  split.threshold = 4.0;
  split.cut = 12;
  if (random.share() < 0.3) {
    split.branches.assign(31, 0);
    split.branches[5] = split.branches[3] = 1;
  }
  request.top.push_back(split);
  for (int32_t node = 1; node <= 2; ++node) {
    Measured& measured = request.nodes.emplace_back();
    measured.node = node;
    measured.set_scale(Quantiser(-5.0, 5.0, true));
    for (int32_t column = 0; column < 4; ++column) {
      if (random.share() < 0.8) {
        request.questions.push_back(draw_question(random, node, column));
      }
    }
  }
  return request;
}

// ---- by definition ----

int32_t slow_node(const PartView& part, const TopSplit& split, int64_t row) {
  if (part.weights != nullptr && part.weights[row] == 0) {
    return kNoNode;
  }
  const uint16_t code = part.codes[size_t(split.column)][row];
  int32_t branch = split.missing_branch;
  if (code != kMissingCode) {
    branch = !split.branches.empty() ? split.branches[code]
             : split.coarse          ? part.values[size_t(split.column)][row] > split.threshold
                                     : code > split.cut;
  }
  return split.first_child + branch;
}

using SlowCounts = std::map<std::pair<uint32_t, uint64_t>, std::vector<int64_t>>;

// The piece that a question counts a row in; false: none.
bool slow_piece(const PartView& part, const Question& question, int64_t row, uint64_t& piece) {
  const uint16_t code = part.codes[size_t(question.column)][row];
  if (part.node[row] != question.node) {
    return false;
  }
  if (code == kMissingCode) {
    piece = kMissingKey;
    return question.with_missing != 0;
  }
  const uint64_t at =
      question.by_value != 0 ? key_of(part.values[size_t(question.column)][row]) : code;
  piece = (at - question.low) >> question.shift;
  const bool of_code =
      question.by_value == 0 || question.code == kAnyCode || question.code == int32_t(code);
  return of_code && question.low <= at && at <= question.high;
}

SlowCounts slow_counts(const PartView& part, const Request& request) {
  SlowCounts counts;
  const auto words = size_t(request.words());
  for (uint32_t q = 0; q < request.questions.size(); ++q) {
    for (int64_t row = 0; row < part.n_rows; ++row) {
      uint64_t piece = 0;
      if (!slow_piece(part, request.questions[q], row, piece)) {
        continue;
      }
      auto& block = counts.try_emplace({q, piece}, words).first->second;
      const int64_t weight = part.weights == nullptr ? 1 : part.weights[row];
      const bool first = block[kRows]++ == 0;
      block[kWeight] += weight;
      if (request.task == Task::classes) {
        block[size_t(kFirst + part.labels[row])] += weight;
        continue;
      }
      const int64_t image = request.nodes[0].scale()(part.y[row]);
      set_sum(block.data(), get_sum(block.data()) + int128(weight) * image);
      block[words - 2] = first ? image : std::min(block[words - 2], image);
      block[words - 1] = first ? image : std::max(block[words - 1], image);
    }
  }
  return counts;
}

bool same(const Counts& found, const SlowCounts& expected, size_t words) {
  size_t i = 0;
  for (const auto& [key, block] : expected) {
    if (i == found.size() || found.question[i] != key.first || found.piece[i] != key.second ||
        !std::equal(block.begin(), block.end(), found.words.begin() + int64_t(i * words))) {
      return false;
    }
    ++i;
  }
  return i == found.size();
}

bool measures(const PartView& part, Request request) {
  bool held = true;
  for (const Stage stage : {Stage::range, Stage::sum}) {
    if (stage == Stage::sum && request.task == Task::classes) {
      continue;
    }
    request.stage = stage;
    const auto sums = measure(part, request);
    for (size_t i = 0; i < sums.size(); ++i) {
      NodeSums slow;
      const Quantiser scale = request.nodes[i].scale();
      for (int64_t row = 0; row < part.n_rows; ++row) {
        if (part.node[row] != request.nodes[i].node) {
          continue;
        }
        const int64_t weight = part.weights == nullptr ? 1 : part.weights[row];
        slow.rows += stage == Stage::range;
        slow.weight += stage == Stage::range ? weight : 0;
        if (request.task == Task::number && stage == Stage::sum) {
          slow.sum += int128(weight) * scale(part.y[row]);
        }
        if (request.task == Task::number && stage == Stage::range) {
          slow.least = std::min(slow.least, key_of(part.y[row]));
          slow.greatest = std::max(slow.greatest, key_of(part.y[row]));
        }
      }
      held = held && slow.rows == sums[i].rows && slow.weight == sums[i].weight &&
             slow.least == sums[i].least && slow.greatest == sums[i].greatest &&
             slow.sum == sums[i].sum;
    }
  }
  return held;
}

bool finds_neighbours(const PartView& part, const Request& request) {
  const auto ranges = neighbours(part, request);
  for (size_t q = 0; q < ranges.size(); ++q) {
    Question question = request.questions[q];
    Range slow;
    for (int64_t row = 0; row < part.n_rows; ++row) {
      uint64_t piece = 0;
      if (slow_piece(part, question, row, piece) && piece != kMissingKey) {
        slow.add(question.low + piece);
      }
    }
    if (slow.least != ranges[q].least || slow.greatest != ranges[q].greatest) {
      return false;
    }
  }
  return true;
}

void route(const PartView& part, const Request& request) {
  start_nodes(part);
  apply_top(part, request.top, 0);
}

// ---- damage ----

// Whether bytes were refused; the kernels run on what is not.
bool refused(const PartView& part, const std::string& bytes) {
  try {
    const Request request = Request::from(bytes);
    check(request);
    check(part, request, 0, true);
    route(part, request);
    count(part, request);
    if (request.task == Task::number) {
      measure(part, request);
    }
    neighbours(part, request);
    return false;
  } catch (const BrokenMessage&) {
    return true;
  }
}

std::string damaged(std::string bytes, Random& random) {
  if (random.share() < 0.3) {
    bytes.resize(size_t(random.whole(0, std::ssize(bytes) - 1)));
  }
  for (int64_t i = random.whole(1, 3); i > 0 && !bytes.empty(); --i) {
    char& byte = bytes[size_t(random.whole(0, std::ssize(bytes) - 1))];
    byte = static_cast<char>(byte ^ (1 << random.whole(0, 7)));
  }
  return bytes;
}

void check_damaged(Tally& tally, Random& random, const PartView& part, const Request& request) {
  const std::string sound = request.bytes();
  tally.expect(!refused(part, sound), "a sound request is answered");
  route(part, request);
  const Counts counts = count(part, request);
  const std::string reply = counts.bytes();
  for (int i = 0; i < 40; ++i) {
    const std::string broken = damaged(sound, random);
    tally.expect(broken == sound || refused(part, broken), "a damaged request is refused");
    // With a checksum that holds: refused, or answered without leaving an array.
    const auto content = std::string_view(sound).substr(0, sound.size() - sizeof(uint64_t));
    refused(part, seal(damaged(std::string(content), random)));
    try {
      const auto inner = std::string_view(reply).substr(0, reply.size() - sizeof(uint64_t));
      Counts read = Counts::from(seal(damaged(std::string(inner), random)));
      check(read, request);
      merge(read, counts, request.task, size_t(request.words()));
    } catch (const BrokenMessage&) {
    }
  }
}

// An answer is the same from all rows at once, from slices, from replies, and from a mixture.
void check_answers(Tally& tally, Random& random, const Request& request, const PartView& first,
                   const PartView& second, const PartView& whole) {
  for (const char* kernel : {"count", "measure", "neighbours"}) {
    const auto at_once = make_answer(kernel, request);
    at_once->add(whole);
    const auto in_slices = make_answer(kernel, request);
    for (const PartView* slice : {&first, &second}) {
      if (random.share() < 0.5) {
        in_slices->add(*slice);
        continue;
      }
      const auto other = make_answer(kernel, request);
      other->add(*slice);
      in_slices->add(other->bytes());
    }
    tally.expect(in_slices->bytes() == at_once->bytes(), "slices and replies add up");
  }
}

void check_parts_of(Tally& tally, Random& random, Task task) {
  RandomPart whole(random, random.whole(0, 120), task);
  const Request request = Request::from(draw_request(random, task).bytes());
  const PartView part = whole.view();
  check(part, request, 0, true);
  route(part, request);
  bool routed = true;
  for (int64_t row = 0; row < part.n_rows; ++row) {
    routed = routed && part.node[row] == slow_node(part, request.top[0], row);
  }
  tally.expect(routed, "rows of a part take the branch of their split");
  const Counts counts = count(part, request);
  const auto words = size_t(request.words());
  tally.expect(same(counts, slow_counts(part, request), words), "a part counts its rows");
  tally.expect(measures(part, request), "a part measures its nodes");
  tally.expect(finds_neighbours(part, request), "a part finds the ends of an interval");

  std::vector<size_t> rows[2];
  for (size_t row = 0; row < whole.node.size(); ++row) {
    rows[random.whole(0, 1)].push_back(row);
  }
  RandomPart first = whole.only(rows[0]), second = whole.only(rows[1]);
  Counts sum = Counts::from(count(first.view(), request).bytes());
  merge(sum, count(second.view(), request), task, words);
  check(sum, request);
  const auto same_as_whole = [&](const Counts& found) {
    return found.question == counts.question && found.piece == counts.piece &&
           found.words == counts.words;
  };
  tally.expect(same_as_whole(sum), "two parts count what the whole counts");
  check_answers(tally, random, request, first.view(), second.view(), whole.view());
  check_damaged(tally, random, part, request);
}

void check_coding(Tally& tally, Random& random) {
  std::vector<double> edges, values;
  const double scale = std::exp2(double(random.whole(-1000, 1000)));
  for (int64_t i = random.whole(0, 200); i > 0; --i) {
    edges.push_back(random.share() < 0.02 ? 1.7e308 : random.normal() * scale);
  }
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  const double inf = std::numeric_limits<double>::infinity();
  for (const double value : {-inf, inf, 0.0, -0.0, 1.7e308, -1.7e308, 5e-324}) {
    values.push_back(value);
  }
  for (int i = 0; i < 100; ++i) {
    values.push_back(random.normal() * scale);
  }
  values.insert(values.end(), edges.begin(), edges.end());
  std::vector<uint16_t> codes(values.size());
  code_cells(values, edges, codes.data());
  bool held = true;
  for (size_t i = 0; i < values.size(); ++i) {
    const auto below =
        std::count_if(edges.begin(), edges.end(), [&](double edge) { return edge < values[i]; });
    held = held && codes[i] == below;
  }
  tally.expect(held, "a code is the number of edges below the value");
}

}  // namespace

void check_parts(Tally& tally, Random& random) {
  check_parts_of(tally, random, Task::classes);
  check_parts_of(tally, random, Task::number);
  check_coding(tally, random);
}

}  // namespace treewright::testing
