// engine_split.hpp: dividing a node among its children.
#pragma once

#include "engine.hpp"

namespace treewright {

// The first known entry of a sorted column whose value is above this.
template <class Rows>
int64_t Engine<Rows>::first_above(const Space<Rows>& space, const Span& span, size_t column,
                                  double at) const {
  const Entry* end = span.entries + span.n_known;
  const Entry* found = std::partition_point(
      span.entries, end, [&](Entry e) { return views_[column].value(space.row(e)) <= at; });
  return found - span.entries;
}

// Calls visit(entry) for each row of the node that a split with two branches sends down this one.
template <class Rows>
template <class Visit>
void Engine<Rows>::for_each_of_branch(const Space<Rows>& space, const Node& node, const Open& open,
                                      const Candidate& split, int32_t branch,
                                      const Visit& visit) const {
  const size_t column = size_t(split.column);
  const Span here = span(space, node, column, known_of(open, column, node));
  if (split.kind == SplitKind::threshold) {
    // A split that a search has found says how many rows go left, if it counts whole rows.
    const int64_t missing_left = split.missing_route == 0 ? here.n_rows - here.n_known : 0;
    const int64_t cut = split.left.empty() || share_unit_ != 1
                            ? first_above(space, here, column, split.threshold)
                            : split.left[kRows] - missing_left;
    const Entry *middle = here.entries + cut, *end = here.entries + here.n_known;
    std::for_each(branch == 0 ? here.entries : middle, branch == 0 ? middle : end, visit);
  } else if (split.kind == SplitKind::subset || split.kind == SplitKind::multiway) {
    bool taken = false;
    for (int64_t i = 0; i < here.n_known; ++i) {
      if (i == 0 || (here.entries[i] & kDiffers)) {
        const int32_t code = views_[column].code(space.row(here.entries[i]));
        const auto found = std::lower_bound(split.categories.begin(), split.categories.end(), code);
        taken = (found != split.categories.end() && *found == code
                     ? split.branches[size_t(found - split.categories.begin())]
                     : split.missing_route) == branch;
      }
      if (taken) {
        visit(here.entries[i]);
      }
    }
  } else if (branch == 1) {
    std::for_each(here.entries, here.entries + here.n_known, visit);
  }
  if (split.missing_route == branch) {
    std::for_each(here.entries + here.n_known, here.entries + here.n_rows, visit);
  }
}

template <class Rows>
void Engine<Rows>::add_children(const Space<Rows>& space, NodeList& list, const Open& open,
                                const Candidate& split, const Branches& branches) {
  const Node parent = list.nodes[size_t(open.id)];
  const size_t words = size_t(layout_.words());
  const auto known = known_of(open, size_t(split.column), parent);
  list.set_split(open.id, split);
  Node& node = list.nodes[size_t(open.id)];
  const auto n_missing = std::max(parent.n_rows() - known, std::ssize(branches.unplaced));
  node.n_missing = static_cast<uint32_t>(n_missing);
  node.first_child = static_cast<int32_t>(list.nodes.size());
  node.n_children = static_cast<int32_t>(branches.n);
  if (options_.missing == Missing::surrogate) {
    list.surrogates[size_t(open.id)] = branches.surrogates;
  }
  // Children lie one after the other in the place of their parent (of two sides, the one behind
  // comes last); where divided rows make them too long, those that do not fit come behind
  // everything else.
  uint32_t begin = parent.begin, last = parent.end;
  for (size_t b = 0; b < branches.n; ++b) {
    const int64_t* stats = branches.stats.data() + b * words;
    const auto n_rows = static_cast<uint32_t>(branches.n_rows[b]);
    if (branches.two_sides) {
      begin = b == branches.behind ? parent.end - n_rows : parent.begin;
    } else if (begin + n_rows > last) {
      begin = static_cast<uint32_t>((*space.entries)[0].size());
      last = std::numeric_limits<uint32_t>::max();
    }
    Node child;
    child.begin = begin;
    child.end = begin += n_rows;
    child.key = child_key(parent.key, static_cast<int>(b));
    child.depth = parent.depth + 1;
    list.add(child, stats);
    if constexpr (kNumber) {
      list.numbers.emplace_back();
      list.numbers.back().scale = list.numbers[size_t(open.id)].scale;
    }
    if constexpr (!Rows::kUnitWeights) {
      list.weight_squared.push_back(branches.weight_squared[b]);
    }
    if (options_.missing == Missing::surrogate) {
      list.surrogates.emplace_back();
    }
  }
}

// Splits an open node. Children that may be split further come back searched.
template <class Rows>
std::vector<Child> Engine<Rows>::expand(Space<Rows>& space, NodeList& list, const Open& open,
                                        const Candidate& split, Team* team) {
  const Branches branches = send_rows(space, list, open, split, team);
  add_children(space, list, open, split, branches);
  const Node& node = list.nodes[size_t(open.id)];
  const Node& behind = list.nodes[size_t(node.first_child) + branches.behind];
  space.scratch.resize(team ? size_t(team->size()) : 1);
  if constexpr (kNumber) {
    divide_column(space, list, node, branches, n_columns(), node.n_rows(), 0, nullptr);
  }
  if (branches.renumbers) {
    renumber(space, node, behind.begin);
  }
  std::vector<Child> children(branches.n);
  std::vector<StopReason> reasons(branches.n);
  const auto look_at = [&](size_t b, int) {
    const int32_t id = node.first_child + static_cast<int32_t>(b);
    children[b].open.id = id;
    measure(space, list, id);
    reasons[b] = stop_before_search(space, list, id);
    children[b].searched = reasons[b] == StopReason::none;
    if constexpr (kNumber) {
      if (children[b].searched) {
        children[b].open.coarse = coarsen(space, list, id, true);
      }
    }
  };
  if (std::is_same_v<Rows, NumberRows> && team) {  // several passes over the rows
    team->run(branches.n, look_at);
  } else {
    for (size_t b = 0; b < branches.n; ++b) {
      look_at(b, 0);
    }
  }
  bool any = false;
  for (size_t b = 0; b < branches.n; ++b) {
    any = any || children[b].searched;
    if (!children[b].searched) {
      stop(list, children[b].open.id, reasons[b]);
    }
  }
  if (any) {
    divide_columns(space, list, open, branches, children, team);
  }
  if (branches.renumbers) {
    space.sides.clear();  // the rows that went behind have other numbers now
  } else if (branches.two_sides && branches.few.empty()) {
    clear_sides(space, any ? behind : node);  // its rows lie together once they are divided
  }
  return children;
}

template <class Rows>
void Engine<Rows>::divide_columns(Space<Rows>& space, NodeList& list, const Open& open,
                                  const Branches& branches, std::vector<Child>& children,
                                  Team* team) {
  const Node& node = list.nodes[size_t(open.id)];
  struct Search {
    std::optional<NodeCost> cost;
    std::vector<size_t> drawn;
    std::span<const size_t> wanted;
    BestSoFar best;
  };
  std::vector<Search> searches(children.size());
  for (size_t b = 0; b < children.size(); ++b) {
    Open& child = children[b].open;
    child.in_place = branches.renumbers;
    child.known.resize(open.known.size());
    if (children[b].searched) {
      child.best.assign(n_columns(), kNone);
      child.offers.resize(options_.gain_ratio ? n_columns() : 0);
      searches[b].cost.emplace(cost_of(list, child.id));
      searches[b].wanted = columns_to_search(list.nodes[size_t(child.id)], searches[b].drawn);
    }
  }
  const bool only_sides = branches.two_sides && branches.few.empty() && !branches.renumbers;
  const bool all_known = open.known.empty();
  const auto divide = [&](size_t c, int worker) {
    Small<int64_t, 8> known(children.size());
    divide_column(space, list, node, branches, c, known_of(open, c, node), worker, known.data());
    for (size_t b = 0; b < children.size() && missing_slot_[c] >= 0; ++b) {
      children[b].open.known[size_t(missing_slot_[c])] = static_cast<int32_t>(known.data()[b]);
    }
  };
  // A few columns at a time: they are divided, then each child is searched in them.
  const auto width = static_cast<size_t>(std::max<int64_t>(1, kNearEntries / node.n_rows()));
  const auto divide_group = [&](size_t group, int worker) {
    const size_t first = group * width, last = std::min(first + width, n_columns());
    for (size_t c = first; c < last;) {
      if (only_sides && all_known) {
        c = divide_together(space, node, c, last, worker);
      } else {
        divide(c++, worker);
      }
    }
    for (size_t b = 0; b < children.size(); ++b) {
      if (children[b].searched) {
        const std::span<const size_t> wanted = searches[b].wanted;
        const auto begin = std::lower_bound(wanted.begin(), wanted.end(), first);
        const auto end = std::lower_bound(begin, wanted.end(), last);
        search(space, list, children[b].open, *searches[b].cost, {begin, end}, searches[b].best);
      }
    }
  };
  const size_t n_groups = (n_columns() + width - 1) / width;
  if (team) {
    team->run(n_groups, divide_group);
  } else {
    for (size_t group = 0; group < n_groups; ++group) {
      divide_group(group, 0);
    }
  }
}

// Divides some of these columns, in which nothing is missing, between two children. Returns the
// first column that is left.
template <class Rows>
size_t Engine<Rows>::divide_together(Space<Rows>& space, const Node& node, size_t first,
                                     size_t last, int worker) const {
  std::array<Entry*, kTogether> columns;
  const size_t n = std::min(last - first, kTogether);
  for (size_t c = 0; c < n; ++c) {
    columns[c] = (*space.entries)[first + c].data() + node.begin;
  }
  partition_each(std::span(columns).first(n), node.n_rows(), space.rows.shift, space.sides,
                 scratch_of(space, worker, node.n_rows()));
  return first + n;
}

// Divides the entries of one column among the children; each stays sorted. Known rows come
// before missing ones; known_of_branches says how many there are (null: nobody asks).
template <class Rows>
void Engine<Rows>::divide_column(Space<Rows>& space, const NodeList& list, const Node& node,
                                 const Branches& branches, size_t column, int64_t known, int worker,
                                 int64_t* known_of_branches) const {
  if (!branches.few.empty()) {
    divide_few(space, node, branches, column, known, worker, known_of_branches);
    return;
  }
  Entries& entries = (*space.entries)[column];
  if (branches.two_sides) {
    Entry* scratch = scratch_of(space, worker, node.n_rows());
    const auto divide = [&](const auto& sides) {
      return partition(entries.data() + node.begin, known, node.n_rows(), space.rows.shift, sides,
                       scratch);
    };
    const Parts parts = branches.renumbers ? divide(space.renumbering) : divide(space.sides);
    if (known_of_branches) {
      known_of_branches[1 - branches.behind] = parts.front_known;
      known_of_branches[branches.behind] = parts.behind_known;
    }
    return;
  }
  const Node* children = list.nodes.data() + node.first_child;
  Division division(branches.n);
  int64_t size = 0;
  uint32_t end = static_cast<uint32_t>(entries.size());
  for (size_t b = 0; b < branches.n; ++b) {
    division.next[b] = size;
    size += children[b].n_rows();
    end = std::max(end, children[b].end);
  }
  Entry* scratch = scratch_of(space, worker, size);
  const std::vector<int64_t> first = division.next;
  const auto send_until = [&](int64_t from, int64_t to) {
    division.send(
        entries.data() + node.begin + from, to - from, space.rows.shift,
        [&](uint32_t row, const auto& keep) {
          const int32_t branch = space.branch[row];
          if (branch >= 0) {
            keep(size_t(branch), row);
          } else if (branch <= kDivided) {
            const auto* part = branches.parts.data() + size_t(kDivided - branch) * branches.n;
            for (size_t b = 0; b < branches.n; ++b) {
              if (part[b] != kNoRow) {
                keep(b, part[b]);
              }
            }
          }
        },
        scratch);
  };
  send_until(0, known);
  if (known_of_branches) {
    for (size_t b = 0; b < branches.n; ++b) {
      known_of_branches[b] = division.next[b] - first[b];
    }
  }
  send_until(known, node.n_rows());
  entries.resize(end);
  for (size_t b = 0; b < branches.n; ++b) {
    std::copy(scratch + first[b], scratch + division.next[b], entries.begin() + children[b].begin);
  }
}

}  // namespace treewright
