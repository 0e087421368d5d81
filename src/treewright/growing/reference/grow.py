"""Grow a tree one node at a time, and lay it out in preorder.

The open node whose split lowers the weighted impurity most is always split
first. The order only matters where `max_leaf_nodes` or `max_nodes` ends the
growth early; without them any order gives the same tree.
"""

import math
from dataclasses import dataclass, field
from fractions import Fraction

from treewright._version import __version__
from treewright.errors import OptionError
from treewright.growing.reference.candidates import Candidate, levels_of, values_of
from treewright.growing.reference.choose import TIE, Rules, choose
from treewright.growing.reference.layout import lay_out
from treewright.growing.reference.sums import Number, Sums, Target, as_float
from treewright.options import GrowOptions
from treewright.table.check import check_no_missing
from treewright.table.column import CategoricalColumn
from treewright.table.table import ClassTarget, Table
from treewright.tree.data import SUBSET, THRESHOLD, TreeData

NEARLY = 1 - 1e-12  # of a threshold is enough: rounding must not decide


@dataclass
class Node:
    """A node while the tree grows; `children` is empty until it is split."""

    depth: int
    rows: list[int]
    sums: Sums
    impurity: Number
    split: Candidate | None = None
    gain: Number = 0.0
    stop_reason: str = ""
    children: list["Node"] = field(default_factory=list)


def grow_reference(table: Table, options: GrowOptions) -> TreeData:
    """Grow a tree slowly and exactly.

    Parameters
    ----------
    table : Table
        Columns, target and weights.
    options : GrowOptions
        As for `grow`, except `max_features`, which is refused.

    Returns
    -------
    TreeData
        What `grow` returns for the same table and options.

    Raises
    ------
    OptionError
        When `max_features` is set, or the criterion does not suit the target.
    TableError
        When there is nothing to grow, or a node would need all groupings of
        more than 12 categories.
    """
    if options.max_features is not None:
        raise OptionError(
            "The reference tries every column at every node; max_features must be "
            f"None; got {options.max_features!r}."
        )
    task = "class" if isinstance(table.target, ClassTarget) else "number"
    options = options.for_task(task)
    if options.missing == "error":
        check_no_missing(table)
    grower = Grower(table, options)
    root = grower.open(list(grower.target.present), depth=0)
    grower.expand(root)
    made_by = {
        "method": "cart",
        "task": task,
        "options": options.to_dict(),
        "version": __version__,
    }
    return lay_out(root, grower.target, table.schema, made_by)


class Grower:
    """A table and its options, ready to open and split nodes."""

    def __init__(self, table: Table, options: GrowOptions) -> None:
        self.options = options
        self.target = Target(table, str(options.criterion))
        self.columns = {
            i: (
                values_of(table.columns[i]),
                isinstance(table.columns[i], CategoricalColumn),
            )
            for i in table.usable
        }
        total = self.target.sums(self.target.present)
        self.total_weight = total.weight
        self.min_split = max(2, _count(options.min_samples_split, total.n_rows))
        weight = total.weight / self.target.weight_scale
        self.rules = Rules(
            min_rows=_count(options.min_samples_leaf, total.n_rows),
            min_weight=options.min_weight_fraction_leaf * weight,
            weight_scale=self.target.weight_scale,
            needs_target=options.criterion == "poisson",
        )

    def open(self, rows: list[int], depth: int) -> Node:
        """Make a node of rows, with its best split or the reason to stop."""
        sums = self.target.sums(rows)
        node = Node(depth, rows, sums, self.target.impurity(rows, sums))
        node.stop_reason = self._stops_before_search(node)
        if not node.stop_reason:
            self._search(node)
        return node

    def _stops_before_search(self, node: Node) -> str:
        rules = self.rules
        if self.target.is_pure(node.rows):
            return "pure"
        if node.depth == self.options.max_depth:
            return "max_depth"
        if node.sums.n_rows < self.min_split:
            return "min_samples_split"
        if node.sums.n_rows < 2 * rules.min_rows:
            return "min_samples_leaf"
        if rules.weight(node.sums) < 2 * rules.min_weight:
            return "min_weight_fraction_leaf"
        return ""

    def _search(self, node: Node) -> None:
        """Settle the node's split and gain, or its reason to have none."""
        columns = [
            (levels_of(i, values, node.rows, self.target), are_categories)
            for i, (values, are_categories) in self.columns.items()
        ]
        if not any(levels.differ for levels, _ in columns):
            node.stop_reason = "identical_rows"
            return
        choice = choose(columns, node.impurity, self.target, self.rules)
        node.stop_reason = choice.reason or self._gains_too_little(node, choice.gain)
        if not node.stop_reason:
            node.split, node.gain = choice.split, choice.gain

    def _gains_too_little(self, node: Node, gain: Number) -> str:
        own = as_float(gain * self.target.unit())
        if own < self.options.min_gain * NEARLY:
            return "min_gain"
        share = node.sums.weight / self.total_weight
        if share * own < self.options.min_impurity_decrease * NEARLY:
            return "min_impurity_decrease"
        return ""

    def expand(self, root: Node) -> None:
        """Split open nodes, best first, until none is left or a limit is met."""
        open_nodes = [root] if root.split else []  # in the order of creation
        n_leaves = 1
        while open_nodes and not self._limit(n_leaves):
            largest = max(open_nodes, key=_worth)
            tie = TIE * Fraction(largest.impurity) * largest.sums.weight
            reach = _worth(largest) - tie
            best = next(node for node in open_nodes if _worth(node) >= reach)
            open_nodes.remove(best)
            self._split(best)
            open_nodes += [child for child in best.children if child.split]
            n_leaves += 1
        for node in open_nodes:
            node.split, node.gain = None, 0.0
            node.stop_reason = self._limit(n_leaves)

    def _limit(self, n_leaves: int) -> str:
        """Name the limit that one more split would break.

        A binary tree of n leaves has 2n - 1 nodes; a split adds two.
        """
        most_leaves, most_nodes = self.options.max_leaf_nodes, self.options.max_nodes
        if most_leaves is not None and n_leaves + 1 > most_leaves:
            return "max_leaf_nodes"
        if most_nodes is not None and 2 * n_leaves + 1 > most_nodes:
            return "max_nodes"
        return ""

    def _split(self, node: Node) -> None:
        assert node.split is not None
        values, _ = self.columns[node.split.column]
        sides: tuple[list[int], list[int]] = ([], [])
        for row in node.rows:
            sides[branch_of(node.split, values[row])].append(row)
        node.children = [self.open(side, node.depth + 1) for side in sides]


def branch_of(split: Candidate, value: float) -> int:
    """Return the branch that a value of the node takes."""
    if math.isnan(value):
        return split.missing_route
    if split.kind == THRESHOLD:
        return 0 if value <= split.threshold else 1
    if split.kind == SUBSET:
        return 0 if value in split.groups[0] else 1
    return 1  # the question was whether it is missing


def _worth(node: Node) -> Fraction:
    return node.sums.weight * Fraction(node.gain)


def _count(rule: int | float, n_rows: int) -> int:
    """Return a number of rows; a float is a share of all rows, rounded up."""
    return rule if isinstance(rule, int) else math.ceil(rule * n_rows)
