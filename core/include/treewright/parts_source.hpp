// parts_source.hpp: a tree from rows that lie in parts (parts.hpp), the same to the last bit as
// from the rows in memory.
//
// A round of open nodes takes a few passes over the parts. The first counts all columns in coarse
// buckets. Every edge between two buckets is a cut, judged by the exact gain; a bucket whose bound
// (bucket_bound.hpp) does not reach the best gain contains neither the winner nor a tie, and the
// others are counted again in finer pieces, until all of them hold one value. So the edges decide
// how long it takes, and never which split wins. The rows of a node that is small enough are
// gathered in one place, where the whole subtree is grown in memory.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "treewright/grow.hpp"
#include "treewright/node_source.hpp"
#include "treewright/parts.hpp"

namespace treewright::parts {

struct Column {
  Kind kind = Kind::numeric;
  bool coarse = false;
  bool many_levels = false;  // more categories than go without a charge
  int32_t n_codes = 0;
  std::vector<double> values;  // of each code; coarse: the edges
};

// What is known about all rows before growing.
struct Table {
  Task task = Task::classes;
  int32_t n_classes = 0;
  int64_t n_rows = 0;  // of positive weight
  int64_t total_weight = 0;
  double weight_unit = 1.0;
  bool unequal_weights = false;
  std::vector<Column> columns;
  int64_t home_rows = 0;      // a node of at most so many rows is gathered
  int64_t most_entries = 0;   // of a reply
  double bound_factor = 1.0;  // for tests: what bounds are multiplied with
};

// The rows of a node, gathered in one place.
struct Rows {
  SortedTable table;
  Target target;
  std::vector<int64_t> weights;  // in units; empty: all are 1
};

// An open node that is to be gathered.
struct SmallNode {
  int32_t handle = 0;
  int64_t n_rows = 0;
  std::string open;  // for grow_subtree
};

// How the driver reaches the parts.
class Link {
 public:
  virtual ~Link() = default;
  // The merged reply of all parts.
  virtual std::string ask(const char* kernel, const std::string& request) = 0;
  // Gathers the rows of each node, and calls grown(i, bytes) with what grow_subtree made of node i.
  // The request holds the splits that lead to the nodes.
  virtual void grow(const std::vector<SmallNode>& nodes, const std::string& request,
                    const std::function<void(size_t, std::span<const char>)>& grown) = 0;
};

std::unique_ptr<Grower> make_grower(Table&& table, std::unique_ptr<Link> link,
                                    const GrowOptions& options, Control& control);

// Grows a node to its end from its rows, wherever they are, and returns the subtree as bytes. Of
// the table, the values of the columns are not used.
std::string grow_subtree(const Table& table, const GrowOptions& options, std::span<const char> open,
                         Rows&& rows, Control& control);

}  // namespace treewright::parts
