"""A tree as a program: what to ask about a row, in terms of the caller's own values.

`program_of` translates the arrays of a tree once, and every format writes the result
in its own language. Ranks of ordinal columns become sets of categories, intervals of
cut columns become bounds, and rounding to float32 becomes another bound, so that a
format needs only three kinds of question: a comparison, a set, "is it missing".
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from treewright.errors import OptionError
from treewright.reading.answers.answer import answers, class_probabilities, classes
from treewright.table.schema import Feature
from treewright.tree.data import (
    ALL_BRANCHES,
    IS_MISSING,
    LEAF,
    MULTIWAY,
    STOP_HERE,
    SUBSET,
    THRESHOLD,
    TreeData,
)
from treewright.tree.route import branch_shares, columns_used, divides_rows
from treewright.tree.walk import children

__all__ = [
    "ALL_BRANCHES",
    "MARK",
    "STOP_HERE",
    "AtMost",
    "Intervals",
    "IsMissing",
    "OneOf",
    "Program",
    "ProgramNode",
    "Question",
    "Variable",
    "program_of",
]

MARK = "treewright export:"
"""Begins the line of an exported file that says what it is."""
_TIMES = frozenset({"date", "datetime", "duration", "time"})


@dataclass(frozen=True)
class Variable:
    """A column that the tree reads.

    Attributes
    ----------
    place : int
        Position among the variables of the program.
    column : int
        Number of the column in the schema.
    name : str
        The column's name.
    type : {'number', 'bool', 'date', 'datetime', 'duration', 'time', 'text', 'code'}
        The type of its values. 'code': categories that are numbers. Times are
        microseconds: of dates since 1970 (UTC if the column has a time zone), of times
        of day since midnight.
    labels : tuple
        The categories that the tree knows; empty for numbers and times.
    timezone : str
        The time zone of a 'datetime'; empty for wall-clock time.
    """

    place: int
    column: int
    name: str
    type: str
    labels: tuple[Any, ...] = ()
    timezone: str = ""

    @property
    def is_number(self) -> bool:
        """Whether values are compared with a bound, not looked up in a set."""
        return not self.labels


@dataclass(frozen=True)
class AtMost:
    """``x <= bound`` takes one branch and a larger value the other."""

    variable: Variable
    bound: float
    below: int = 0
    above: int = 1


@dataclass(frozen=True)
class OneOf:
    """Each category listed takes its branch; any other value is not placed.

    `groups` has the categories of each branch, in the order of the schema.
    """

    variable: Variable
    groups: tuple[tuple[Any, ...], ...]


@dataclass(frozen=True)
class Intervals:
    """A number takes the branch of its interval; -1: the question does not place it.

    Interval i holds ``bounds[i - 1] < x <= bounds[i]``; `branches` has one entry more
    than `bounds`.
    """

    variable: Variable
    bounds: tuple[float, ...]
    branches: tuple[int, ...]


@dataclass(frozen=True)
class IsMissing:
    """A missing or unknown value takes branch 0 and a known value branch 1."""

    variable: Variable


Question: TypeAlias = AtMost | OneOf | Intervals | IsMissing


@dataclass(frozen=True)
class ProgramNode:
    """What happens to a row at a node.

    Attributes
    ----------
    number : int
        Number of the node in the tree.
    questions : tuple
        Asked in this order until one places the row: the split, then its surrogates.
        Empty at a leaf.
    otherwise : int
        Branch of a row that no question places, or `STOP_HERE`, or `ALL_BRANCHES`.
    children : tuple of int
        The node of each branch.
    shares : tuple of float
        The share of a divided row that each branch gets; empty unless `otherwise` is
        `ALL_BRANCHES`.
    """

    number: int
    questions: tuple[Question, ...]
    otherwise: int
    children: tuple[int, ...]
    shares: tuple[float, ...]

    @property
    def is_leaf(self) -> bool:
        """Whether every row ends here."""
        return not self.children


@dataclass(frozen=True, eq=False)
class Program:
    """A tree as questions and answers.

    Attributes
    ----------
    tree : TreeData
        The tree.
    variables : tuple of Variable
        The columns that the tree reads, in the order of the schema.
    nodes : tuple of ProgramNode
        In preorder, as in the tree.
    divides_rows : bool
        Whether a row can end in several leaves.
    """

    tree: TreeData
    variables: tuple[Variable, ...]
    nodes: tuple[ProgramNode, ...]
    divides_rows: bool

    @property
    def target(self) -> str:
        """Name of the target."""
        target = self.tree.schema.target
        return "y" if target is None else target.name

    @property
    def is_classifier(self) -> bool:
        """Whether the answers are classes."""
        return self.tree.is_classifier

    @cached_property
    def classes(self) -> tuple[Any, ...]:
        """The classes, in the order of the probabilities; empty for numbers."""
        return tuple(classes(self.tree).tolist())

    @cached_property
    def answers(self) -> list[Any]:
        """The answer of each node: a class, or a number."""
        found: list[Any] = answers(self.tree, np.arange(self.tree.n_nodes)).tolist()
        return found

    @cached_property
    def probabilities(self) -> NDArray[np.float64]:
        """The probability of each class (column) in each node."""
        return class_probabilities(self.tree, np.arange(self.tree.n_nodes))

    @cached_property
    def ends(self) -> list[int]:
        """The nodes in which rows can end: leaves, and nodes where rows stop."""
        return [n.number for n in self.nodes if n.is_leaf or n.otherwise == STOP_HERE]

    def mark(self, **facts: str) -> str:
        """Return the line of an exported file that says what it is.

        Parameters
        ----------
        **facts
            The format and what is needed to run the file again; no blanks.

        Returns
        -------
        str
        """
        facts["tree"] = self.tree.fingerprint[:16]
        return f"{MARK} {' '.join(f'{name}={fact}' for name, fact in facts.items())}"

    def refuse_divided_rows(self, format_name: str) -> None:
        """Raise an error if the tree divides rows, which the format cannot express."""
        if self.divides_rows:
            raise OptionError(
                f"{format_name} cannot express a tree that divides rows with missing "
                "values among branches (missing='fractional'). Grow the tree with "
                "missing='learned', or export it to 'python', 'javascript', 'c', "
                "'java', 'rust', 'r' or 'sql'."
            )

    def refuse_invalid_text(self, format_name: str) -> None:
        """Raise an error if a category or class is not valid Unicode."""
        labels = [label for variable in self.variables for label in variable.labels]
        for text in (*labels, *self.classes):
            if isinstance(text, str) and re.search("[\ud800-\udfff]", text):
                raise OptionError(
                    f"{format_name} cannot hold the text {text!r}, which is not valid "
                    "Unicode. Correct it before growing."
                )

    def refuse_empty_category(self, format_name: str, missing: str) -> None:
        """Raise an error if a column has the category '', which means missing there."""
        for variable in self.variables:
            if "" in variable.labels:
                raise OptionError(
                    f"{format_name} cannot tell the category '' of column "
                    f"{variable.name!r} from {missing}. Rename the category before "
                    "growing."
                )


def program_of(tree: TreeData) -> Program:
    """Return a tree as a program.

    Parameters
    ----------
    tree : TreeData
        The tree.

    Returns
    -------
    Program

    Raises
    ------
    OptionError
        When a column mixes categories of text and numbers, which other languages
        cannot compare.
    """
    return tree.keep("program", _program_of)


def _program_of(tree: TreeData) -> Program:
    columns = columns_used(tree).tolist()
    variables = {
        column: _variable(place, column, tree.schema.features[column])
        for place, column in enumerate(columns)
    }
    nodes = tuple(_node(tree, variables, node) for node in range(tree.n_nodes))
    return Program(tree, tuple(variables.values()), nodes, divides_rows(tree))


def _variable(place: int, column: int, feature: Feature) -> Variable:
    if feature.kind == "numeric" or feature.cuts is not None:
        stored = feature.stored_as
        kind = stored if stored in _TIMES or stored == "bool" else "number"
        return Variable(place, column, feature.name, kind, (), feature.timezone)
    return Variable(
        place, column, feature.name, _type_of_labels(feature), feature.labels
    )


def _type_of_labels(feature: Feature) -> str:
    types = {
        "text"
        if isinstance(label, str)
        else "bool"
        if isinstance(label, bool)
        else "code"
        for label in feature.labels
    }
    if len(types) > 1:
        raise OptionError(
            f"Column {feature.name!r} has categories of several types, such as "
            f"{feature.labels[0]!r} and {feature.labels[-1]!r}, which other languages "
            "cannot compare. Convert the column to text before growing."
        )
    return types.pop() if types else "text"


def _node(tree: TreeData, variables: dict[int, Variable], node: int) -> ProgramNode:
    if tree.split_kind[node] == LEAF:
        return ProgramNode(node, (), STOP_HERE, (), ())
    otherwise = int(tree.missing_route[node])
    divided = otherwise == ALL_BRANCHES
    shares = tuple(branch_shares(tree, node).tolist()) if divided else ()
    questions = (_split(tree, variables, node), *_surrogates(tree, variables, node))
    return ProgramNode(node, questions, otherwise, children(tree, node), shares)


def _split(tree: TreeData, variables: dict[int, Variable], node: int) -> Question:
    kind, column = int(tree.split_kind[node]), int(tree.feature[node])
    feature, variable = tree.schema.features[column], variables[column]
    if kind == IS_MISSING:
        return IsMissing(variable)
    if kind == THRESHOLD:
        return _threshold(variable, feature, float(tree.threshold[node]))
    assert kind in (SUBSET, MULTIWAY)
    start, end = tree.category_start[node : node + 2].tolist()
    codes, branches = tree.categories[start:end], tree.category_branch[start:end]
    n = int(tree.n_children[node])
    return _by_category(variable, feature, codes.tolist(), branches.tolist(), n)


def _surrogates(
    tree: TreeData, variables: dict[int, Variable], node: int
) -> Iterator[Question]:
    first, last = tree.surrogate_start[node : node + 2].tolist()
    start, end = tree.surrogate_category_start[node : node + 2].tolist()
    of = tree.surrogate_category_of[start:end]
    for place, surrogate in enumerate(range(first, last)):
        column = int(tree.surrogate_feature[surrogate])
        feature, variable = tree.schema.features[column], variables[column]
        threshold = float(tree.surrogate_threshold[surrogate])
        if not math.isnan(threshold):
            flip = bool(tree.surrogate_flip[surrogate])
            yield _threshold(variable, feature, threshold, flip=flip)
            continue
        mine = np.flatnonzero(of == place) + start
        codes = tree.surrogate_categories[mine].tolist()
        branches = tree.surrogate_category_branch[mine].tolist()
        yield _by_category(variable, feature, codes, branches, 2)


def _threshold(
    variable: Variable, feature: Feature, threshold: float, *, flip: bool = False
) -> Question:
    below, above = (1, 0) if flip else (0, 1)
    if feature.kind == "numeric":
        return AtMost(variable, _bound(feature, threshold), below, above)
    labels = feature.labels
    n_below = math.floor(min(max(threshold, -1.0), len(labels) - 1)) + 1
    if feature.cuts is not None:
        if n_below == 0:  # every number is above
            return AtMost(variable, math.inf, above, below)
        upper = (*feature.cuts, math.inf)[n_below - 1]
        return AtMost(variable, _bound(feature, upper), below, above)
    groups: list[tuple[Any, ...]] = [(), ()]
    groups[below], groups[above] = labels[:n_below], labels[n_below:]
    return OneOf(variable, tuple(groups))


def _by_category(
    variable: Variable,
    feature: Feature,
    codes: list[int],
    branches: list[int],
    n_branches: int,
) -> Question:
    if feature.cuts is not None:
        of_interval = dict(zip(codes, branches, strict=True))
        bounds = tuple(_bound(feature, cut) for cut in feature.cuts)
        branch_of = tuple(of_interval.get(i, -1) for i in range(len(bounds) + 1))
        return Intervals(variable, bounds, branch_of)
    groups: list[list[Any]] = [[] for _ in range(n_branches)]
    for code, branch in zip(codes, branches, strict=True):
        groups[branch].append(feature.labels[code])
    return OneOf(variable, tuple(map(tuple, groups)))


def _bound(feature: Feature, threshold: float) -> float:
    """Return the largest float64 value that the tree sends below a threshold."""
    if feature.stored_as in _TIMES:
        return float(math.floor(threshold)) if math.isfinite(threshold) else threshold
    return _before_rounding(threshold) if feature.float32 else threshold + 0.0


def _before_rounding(threshold: float) -> float:
    """Return the largest float64 that rounds to a float32 of at most `threshold`.

    Rounding is to the nearest float32, and to the one with the even last bit if two
    are equally near. The point between two neighbours is exact in float64.
    """
    with np.errstate(over="ignore"):
        low = np.float32(threshold)
    if float(low) > threshold:
        low = np.nextafter(low, np.float32(-np.inf))
    if np.isinf(low):
        # Below the smallest float32: only values that round to -inf are at most this.
        edge = -(float(np.finfo(np.float32).max) + 2.0**103)
        return edge if low < 0 else math.inf
    with np.errstate(over="ignore"):
        high = np.nextafter(low, np.float32(np.inf))
    step = float(high) - float(low) if np.isfinite(high) else 2.0**104
    middle = float(low) + step / 2
    even = low.view(np.uint32) % 2 == 0
    return middle if even else math.nextafter(middle, -math.inf)
