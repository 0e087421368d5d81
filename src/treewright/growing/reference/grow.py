"""Grow a tree one node at a time, and lay it out in preorder.

The open node whose split reduces the weighted impurity most is always split first.
The order matters only where `max_leaf_nodes` or `max_nodes` ends the growth early;
without them every order gives the same tree.
"""

import math
from dataclasses import dataclass, field
from fractions import Fraction

from treewright._version import __version__
from treewright.errors import ColumnError, OptionError
from treewright.growing.core_options import least_weight
from treewright.growing.reference.c45 import (
    J48_MANY,
    as_j48,
    choose_c45,
    choose_j48,
)
from treewright.growing.reference.candidates import (
    Candidate,
    Levels,
    levels_of,
    values_of,
)
from treewright.growing.reference.choose import (
    TIE,
    Choice,
    Offer,
    SplitLimits,
    best_gain,
    enough_rows,
    offers_of,
    why_none,
)
from treewright.growing.reference.divide import branch_of, divide, with_route
from treewright.growing.reference.guard import FEW_LEVELS
from treewright.growing.reference.known import known_only
from treewright.growing.reference.layout import heaviest, lay_out
from treewright.growing.reference.ratio import best_ratio, bests_of
from treewright.growing.reference.sums import Number, Rows, Sums, Target, as_float
from treewright.growing.reference.surrogates import (
    Sent,
    Surrogate,
    ranked,
    surrogate_of,
)
from treewright.growing.training_set import settled_options
from treewright.options import GrowOptions
from treewright.table.check import check_no_missing
from treewright.table.column import CategoricalColumn, Column, NumericColumn
from treewright.table.grain import cut_step
from treewright.table.table import ClassTarget, Table
from treewright.tree.costs import restore_row_weights
from treewright.tree.data import MULTIWAY, TreeData

NEARLY = 1 - 1e-12  # this share of a limit reaches it: rounding must not decide
DIVIDED_SLACK = Fraction(1, 10**9)  # share of the weight: parts of rows are rounded
KNOWN_ROWS = ("surrogate", "fractional")  # search on known rows only; see `known`


@dataclass
class Node:
    """A node while the tree grows; `children` is empty until it is split.

    `used` holds the columns of the multiway splits above the node. `surrogate_rows`
    counts the rows that each surrogate has placed.
    """

    depth: int
    rows: Rows
    sums: Sums
    impurity: Number
    used: frozenset[int] = frozenset()
    split: Candidate | None = None
    gain: Number = 0.0
    stop_reason: str = ""
    children: list["Node"] = field(default_factory=list)
    n_missing: int = 0
    surrogates: list[Surrogate] = field(default_factory=list)
    surrogate_rows: list[int] = field(default_factory=list)
    label: int = -1  # the parent's label if the node has no rows


def grow_reference(table: Table, options: GrowOptions) -> TreeData:
    """Grow a tree slowly and exactly.

    Parameters
    ----------
    table : Table
        Columns, target and weights.
    options : GrowOptions
        As for `TrainingSet`, except `max_features`, which is refused.

    Returns
    -------
    TreeData
        The tree that a `TrainingSet` of the same table and options grows.

    Raises
    ------
    OptionError
        If `max_features` is set, or the criterion does not suit the target.
    TableError
        If there is no target or no row of weight above 0, or if a node needs all
        groupings of more than 12 categories.
    """
    grower, root = grow_nodes(table, options)
    made_by = {
        "method": grower.options.method,
        "task": "class" if isinstance(table.target, ClassTarget) else "number",
        "options": grower.options.to_dict(),
        "version": __version__,
    }
    return restore_row_weights(lay_out(root, grower.target, table.schema, made_by))


def grow_nodes(table: Table, options: GrowOptions) -> tuple["Grower", Node]:
    """Grow a tree and return its root, before it is laid out."""
    if options.max_features is not None:
        raise OptionError(
            "The reference grower tries every column at every node, so max_features "
            f"must be None; got {options.max_features!r}."
        )
    if options.missing == "error":
        check_no_missing(table)
    task = "class" if isinstance(table.target, ClassTarget) else "number"
    settled = settled_options(task, table.weights is not None, options)
    grower = Grower(table, settled)
    root = grower.open(dict.fromkeys(grower.target.present, 1), depth=0)
    grower.expand(root)
    return grower, root


class Grower:
    """A table and its options, ready to open and split nodes."""

    def __init__(self, table: Table, options: GrowOptions) -> None:
        self.options = options
        slack = DIVIDED_SLACK if options.missing == "fractional" else Fraction(0)
        self.target = Target(table, str(options.criterion), slack)
        columns = {i: table.columns[i] for i in table.usable}
        self.values = {i: values_of(column) for i, column in columns.items()}
        self.steps = {
            i: 0.0 if options.conventions else cut_step(table.schema.features[i])
            for i in columns
        }
        self.split_types = {i: split_type(c, options) for i, c in columns.items()}
        self.n_labels = {
            i: 0 if isinstance(column, NumericColumn) else len(column.labels)
            for i, column in columns.items()
        }
        total = self.target.sums(dict.fromkeys(self.target.present, 1))
        self.total = total
        self.charged = self._charged(columns)
        self.min_split = max(2, _count(options.min_samples_split, total.n_rows))
        self.rules = self._rules()

    def _rules(self) -> SplitLimits:
        options, scale = self.options, self.target.weight_scale
        weight = float(Fraction(self.total.weight, scale))
        is_j48 = options.conventions == "j48"
        return SplitLimits(
            min_rows=_count(options.min_samples_leaf, self.total.n_rows),
            min_weight=max(
                options.min_weight_fraction_leaf * weight,
                least_weight(options.min_samples_leaf, weight, self.total.n_rows),
            ),
            weight_scale=scale,
            needs_target=options.criterion == "poisson",
            min_branch_weight=self._min_branch_weight(),
            n_classes=self.target.n_classes if is_j48 else 0,
        )

    def _min_branch_weight(self) -> float:
        """Return the weight that two branches must have.

        With divided rows it is the weight of the lightest row, so that rows are not
        divided into ever smaller parts. Without missing values every branch has it.
        """
        options, target = self.options, self.target
        if options.missing == "fractional" and options.method != "c45":
            lightest = min(target.weights[row] for row in target.present)
            return lightest / target.weight_scale
        return options.min_branch_weight or 0.0

    def _charged(self, columns: dict[int, Column]) -> set[int]:
        """Return the columns whose groupings pay for their number; see `guard`."""
        if self.options.many_levels != "guard":
            return set()
        return {
            i
            for i, column in columns.items()
            if isinstance(column, CategoricalColumn)
            and len({int(column.codes[row]) for row in self.target.present} - {-1})
            > FEW_LEVELS
        }

    def open(self, rows: Rows, depth: int, used: frozenset[int] = frozenset()) -> Node:
        """Make a node from rows, with its best split or the reason to stop."""
        sums = self.target.sums(rows)
        node = Node(depth, rows, sums, self.target.impurity(rows, sums), used)
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
        if not enough_rows(node.sums, self.min_split, no_rule=2):
            return "min_samples_split"
        if not enough_rows(node.sums, 2 * rules.min_rows, no_rule=2):
            return "min_samples_leaf"
        if rules.weight(node.sums) < 2 * rules.min_weight:
            return "min_weight_fraction_leaf"
        return ""

    def _search(self, node: Node) -> None:
        """Set the split and the gain of the node, or its stop reason."""
        columns = self.levels(node)
        if not any(levels.differ for levels, _ in columns):
            node.stop_reason = "identical_rows"
            return
        offers = offers_of(
            columns, node.impurity, self.target, self.rules, self.charged
        )
        if any(offer.allowed for offer in offers):
            choice = self._choose(node, offers)
        else:
            choice = Choice(None, reason=why_none(offers))
        node.stop_reason = choice.reason or self._gains_too_little(node, choice.gain)
        if choice.split and not node.stop_reason:
            node.split, node.gain = self._completed(choice.split), choice.gain

    def levels(self, node: Node) -> list[tuple[Levels, str]]:
        """List the levels of each column not yet used, and how it is split."""
        found = []
        for i, values in self.values.items():
            if i not in node.used:
                levels = levels_of(i, values, node.rows, self.target, self.steps[i])
                if self.options.missing in KNOWN_ROWS:
                    levels = known_only(levels, self.target)
                found.append((levels, self.split_types[i]))
        return found

    def _completed(self, split: Candidate) -> Candidate:
        """Add what the search leaves open: the missing route, J48's habits."""
        if self.options.conventions == "j48":
            i = split.column
            present = [self.values[i][row] for row in self.target.present]
            split = as_j48(split, present, self.n_labels[i], self.target.zero)
        return with_route(split, self.options)

    def _choose(self, node: Node, offers: list[Offer]) -> Choice:
        """Choose by gain, by gain ratio, or as C4.5 or J48 does."""
        target, weight = self.target, float(self.rules.weight(node.sums))
        if self.options.criterion == "gain_ratio":
            bests = bests_of(offers, node.impurity, target)
            if self.options.conventions == "j48":
                most = J48_MANY * self.total.n_rows
                too_many = {
                    i: self.split_types[i] != "thresholds" and n >= most
                    for i, n in self.n_labels.items()
                }
                return choose_j48(bests, node.impurity, weight, too_many)
            if self.options.method == "c45":
                return choose_c45(bests, node.impurity, weight)
            choice = best_ratio(bests, node.impurity)
            if choice:
                return choice
        return Choice(*best_gain(offers, node.impurity, target))

    def _gains_too_little(self, node: Node, gain: Number) -> str:
        own = as_float(gain * self.target.unit())
        if own < self.target.gain_in_units(self.options.min_gain) * NEARLY:
            return "min_gain"
        share = float(Fraction(node.sums.weight, self.total.weight))
        decrease = self.target.gain_in_units(self.options.min_impurity_decrease)
        if share * own < decrease * NEARLY:
            return "min_impurity_decrease"
        return ""

    def expand(self, root: Node) -> None:
        """Split open nodes, best first, until none is left or a limit is reached."""
        open_nodes = [root] if root.split else []  # in order of creation
        n_nodes = n_leaves = 1
        while open_nodes:
            largest = max(open_nodes, key=_worth)
            tie = TIE * Fraction(largest.impurity) * largest.sums.weight
            reach = _worth(largest) - tie
            best = next(node for node in open_nodes if _worth(node) >= reach)
            open_nodes.remove(best)
            assert best.split is not None
            # J48's empty branches are added afterwards and do not count.
            more = sum(branch.n_rows > 0 for branch in best.split.branches)
            limit = self._limit(n_leaves + more - 1, n_nodes + more)
            if limit:
                best.split, best.gain, best.stop_reason = None, 0.0, limit
                continue
            self._split(best)
            open_nodes += [child for child in best.children if child.split]
            n_leaves, n_nodes = n_leaves + more - 1, n_nodes + more

    def _limit(self, n_leaves: int, n_nodes: int) -> str:
        """Name the limit that a tree of this size breaks, or return ""."""
        most_leaves, most_nodes = self.options.max_leaf_nodes, self.options.max_nodes
        if most_leaves is not None and n_leaves > most_leaves:
            return "max_leaf_nodes"
        if most_nodes is not None and n_nodes > most_nodes:
            return "max_nodes"
        return ""

    def _split(self, node: Node) -> None:
        split = node.split
        assert split is not None
        if self.options.missing == "surrogate":
            node.surrogates = self._surrogates(node, split)
        division = divide(node.rows, split, node.surrogates, self.values)
        node.n_missing = division.n_missing
        node.surrogate_rows = division.surrogate_rows
        used = node.used | ({split.column} if split.kind == MULTIWAY else set())
        node.children = [
            self.open(rows, node.depth + 1, used) if rows else self._without_rows(node)
            for rows in division.branches
        ]

    def _without_rows(self, parent: Node) -> Node:
        """Make a leaf without rows that gives the answer of its parent."""
        return Node(
            parent.depth + 1,
            {},
            self.target.zero,
            0.0,
            stop_reason="no_rows",
            label=heaviest(parent.sums, self.target),
        )

    def _surrogates(self, node: Node, split: Candidate) -> list[Surrogate]:
        """Find the columns that send the rows down the same branches."""
        own, weights = self.values[split.column], self.target.weights
        branches = {
            row: None if math.isnan(own[row]) else branch_of(split, own[row])
            for row in node.rows
        }
        found = [
            surrogate_of(
                i,
                self.split_types[i] == "groupings",
                [
                    Sent(values[row] + 0.0, weights[row], branch)
                    for row, branch in branches.items()
                ],
                self.options.surrogate_agreement,
                min_rows=2 if self.options.conventions == "rpart" else 1,
                step=self.steps[i],
            )
            for i, values in self.values.items()
            if i != split.column
        ]
        return ranked(found, self.options.max_surrogates)


def split_type(column: Column, options: GrowOptions) -> str:
    """Return how a column is split: by "thresholds", "groupings" or "multiway"."""
    is_category = isinstance(column, CategoricalColumn)
    if options.method == "id3":
        if isinstance(column, NumericColumn):
            raise ColumnError(
                f"method='id3' opens a branch for every category, and column "
                f"{column.name!r} holds numbers."
            )
        return "multiway"
    if is_category and options.categories == "multiway":
        return "multiway"
    return "groupings" if is_category else "thresholds"


def _worth(node: Node) -> Fraction:
    return node.sums.weight * Fraction(node.gain)


def _count(rule: int | float | str, n_rows: int) -> int:
    """Return a number of rows; a float is a share of all rows, rounded up."""
    if isinstance(rule, str):  # 'auto' limits the weight instead
        return 1
    return rule if isinstance(rule, int) else math.ceil(rule * n_rows)
