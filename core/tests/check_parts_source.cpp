// A tree from rows in parts is the tree of the same rows in memory. Small nodes are gathered, and
// their subtrees travel as bytes.
#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>

#include "check.hpp"
#include "treewright/parts_source.hpp"

namespace treewright::testing {
namespace {

constexpr size_t kColumns = 4;
constexpr size_t kParts = 3;

// Rows of two exact columns, a coarse one and categories.
struct CodedRows {
  CodedRows(Random& random, int64_t n, Criterion criterion);

  parts::Table facts;
  GrowOptions options;
  std::vector<std::vector<double>> numbers;  // by column; empty: categories
  std::vector<int32_t> categories;           // of the last column
  std::vector<std::vector<uint16_t>> codes;  // by column
  std::vector<int32_t> labels;
  std::vector<double> y;
  std::vector<std::vector<size_t>> rows_of_part;

  // The table of some rows in memory; the vectors hold its columns.
  struct InMemory {
    std::vector<std::vector<double>> numbers;
    std::vector<int32_t> categories, labels;
    std::vector<double> y;
    parts::Rows rows;
  };
  void take(const std::vector<size_t>& rows, InMemory& into) const;
};

CodedRows::CodedRows(Random& random, int64_t n, Criterion criterion) {
  const auto size = static_cast<size_t>(n);
  options.criterion = criterion;
  options.min_samples_leaf = random.whole(1, 3);
  options.max_depth = random.whole(2, 20);
  facts.task = criterion == Criterion::gini ? Task::classes : Task::number;
  facts.n_classes = facts.task == Task::classes ? 3 : 0;
  facts.n_rows = facts.total_weight = n;
  facts.home_rows = random.whole(0, n);
  facts.most_entries = random.whole(10, 1000);
  for (size_t c = 0; c + 1 < kColumns; ++c) {
    std::vector<double> values(size);
    for (double& value : values) {
      value = c == 0 ? static_cast<double>(random.whole(0, 9)) / 3 : random.normal();
      value = random.share() < 0.1 ? std::numeric_limits<double>::quiet_NaN() : value;
    }
    parts::Column column;
    std::copy_if(values.begin(), values.end(), std::back_inserter(column.values),
                 [](double value) { return !std::isnan(value); });
    std::sort(column.values.begin(), column.values.end());
    column.values.erase(std::unique(column.values.begin(), column.values.end()),
                        column.values.end());
    column.coarse = c == 2;
    if (column.coarse) {
      column.values.resize(std::min<size_t>(column.values.size(), 5));  // these are the edges
    }
    column.n_codes = static_cast<int32_t>(column.values.size()) + column.coarse;
    // A value of an exact column has as many edges below it as smaller values.
    parts::code_cells(values, column.values, codes.emplace_back(size).data());
    facts.columns.push_back(std::move(column));
    numbers.push_back(std::move(values));
  }
  parts::Column column;
  column.kind = Kind::categorical;
  column.n_codes = 6;
  facts.columns.push_back(std::move(column));
  rows_of_part.resize(kParts);
  std::vector<uint16_t>& of_categories = codes.emplace_back(size);
  for (size_t row = 0; row < size; ++row) {
    const auto category = static_cast<int32_t>(random.whole(-1, 5));
    categories.push_back(category);
    of_categories[row] = category < 0 ? parts::kMissingCode : static_cast<uint16_t>(category);
    labels.push_back(static_cast<int32_t>(random.whole(0, 2)));
    y.push_back(static_cast<double>(random.whole(0, 50)));
    rows_of_part[static_cast<size_t>(random.whole(0, kParts - 1))].push_back(row);
  }
}

void CodedRows::take(const std::vector<size_t>& rows, InMemory& into) const {
  const auto only = [&](const auto& all) {
    auto some = all;
    some.clear();
    std::transform(rows.begin(), rows.end(), std::back_inserter(some),
                   [&](size_t row) { return all[row]; });
    return some;
  };
  std::vector<ColumnView> views;
  const auto add = [&](Kind kind, Storage storage, const auto& array) {
    ColumnView& view = views.emplace_back();
    view.kind = kind;
    view.storage = storage;
    view.stride = sizeof(array[0]);
    view.data = reinterpret_cast<const std::byte*>(array.data());
  };
  into.numbers.clear();
  for (const auto& column : numbers) {
    into.numbers.push_back(only(column));
  }
  into.categories = only(categories);
  into.labels = only(labels);
  into.y = only(y);
  for (const auto& column : into.numbers) {
    add(Kind::numeric, Storage::float64, column);
  }
  add(Kind::categorical, Storage::int32, into.categories);
  Control control;
  into.rows.table = sort_table(views, std::ssize(rows), 1, control);
  into.rows.target.task = facts.task;
  into.rows.target.n_classes = facts.n_classes;
  into.rows.target.labels = into.labels.data();
  into.rows.target.values = into.y.data();
}

// Answers from the parts in this process.
class TestLink final : public parts::Link {
 public:
  explicit TestLink(const CodedRows& all) : all_(all) {}

  std::string ask(const char* kernel, const std::string& request) override {
    const auto together = parts::make_answer(kernel, parts::Request::from(request));
    for (const auto& rows : all_.rows_of_part) {
      Part part(all_, rows);
      const parts::PartView view = part.view();
      const auto answer = parts::make_answer(kernel, parts::Request::from(request));
      parts::start_nodes(view);
      parts::apply_top(view, answer->request().top, 0);
      answer->add(view);
      together->add(answer->bytes());
    }
    return together->bytes();
  }

  void grow(const std::vector<parts::SmallNode>& nodes, const std::string& request,
            const std::function<void(size_t, std::span<const char>)>& grown) override {
    const auto top = parts::Request::from(request).top;
    for (size_t i = nodes.size(); i-- > 0;) {
      std::vector<size_t> found;
      for (const auto& rows : all_.rows_of_part) {
        Part part(all_, rows);
        const parts::PartView view = part.view();
        parts::start_nodes(view);
        parts::apply_top(view, top, 0);
        for (size_t row = 0; row < rows.size(); ++row) {
          if (part.node[row] == nodes[i].handle) {
            found.push_back(rows[row]);
          }
        }
      }
      CodedRows::InMemory held;
      all_.take(found, held);
      Control control;
      const std::string subtree = parts::grow_subtree(all_.facts, all_.options, nodes[i].open,
                                                      std::move(held.rows), control);
      grown(i, subtree);
    }
  }

 private:
  struct Part {
    Part(const CodedRows& all, const std::vector<size_t>& rows) : node(rows.size()) {
      for (size_t c = 0; c < kColumns; ++c) {
        codes.emplace_back();
        values.emplace_back();
        for (const size_t row : rows) {
          codes[c].push_back(all.codes[c][row]);
          values[c].push_back(c < all.numbers.size() ? all.numbers[c][row] : 0.0);
        }
      }
      for (const size_t row : rows) {
        labels.push_back(all.labels[row]);
        y.push_back(all.y[row]);
      }
    }
    parts::PartView view() {
      parts::PartView view;
      view.n_rows = std::ssize(node);
      for (size_t c = 0; c < kColumns; ++c) {
        view.codes.push_back(codes[c].data());
        view.values.push_back(values[c].data());
      }
      view.labels = labels.data();
      view.y = y.data();
      view.node = node.data();
      return view;
    }
    std::vector<std::vector<uint16_t>> codes;
    std::vector<std::vector<double>> values;
    std::vector<int32_t> labels, node;
    std::vector<double> y;
  };

  const CodedRows& all_;
};

}  // namespace

void check_parts_source(Tally& tally, Random& random) {
  const Criterion criterion = std::array{Criterion::gini, Criterion::squared_error,
                                         Criterion::poisson}[size_t(random.whole(0, 2))];
  const int64_t n = random.whole(2, 300);
  const CodedRows all(random, n, criterion);
  Control control;
  const auto in_parts = parts::make_grower(parts::Table(all.facts), std::make_unique<TestLink>(all),
                                           all.options, control);
  in_parts->grow_all();
  std::vector<size_t> every;
  for (const auto& rows : all.rows_of_part) {
    every.insert(every.end(), rows.begin(), rows.end());
  }
  CodedRows::InMemory held;
  all.take(every, held);
  const auto in_memory =
      make_grower(held.rows.table, held.rows.target, nullptr, all.options, control);
  in_memory->grow_all();
  const FlatTree tree = in_memory->tree();
  tally.expect(same_tree(in_parts->take_tree(), tree), "rows in parts give the tree of memory");
  tally.add(tree);
}

}  // namespace treewright::testing
