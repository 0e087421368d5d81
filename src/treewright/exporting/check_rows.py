"""Rows that test an export where exports fail: at thresholds, missing, unseen.

For every node the rows include one that reaches it, and there: the bound of its split
and the two floating-point numbers beside it, a missing value, a category that nobody
has seen, and one category of every branch. The expected answers come from the tree.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from treewright.exporting.program import (
    AtMost,
    Intervals,
    IsMissing,
    OneOf,
    Program,
    ProgramNode,
    Question,
    Variable,
)
from treewright.reading.answers.answer import answers, class_probabilities
from treewright.tree.route import Ends, ends_of

__all__ = ["CheckRows", "Value", "answered", "as_columns", "check_rows"]

Value: TypeAlias = "float | str | int | bool | None"
"""A number, microseconds or a category; None is missing."""

UNSEEN_TEXT = "treewright: unseen category"
UNSEEN_CODE = -987654321


@dataclass(frozen=True, eq=False)
class CheckRows:
    """Rows and the answers that the tree gives them.

    Attributes
    ----------
    rows : list of tuple
        One value per variable of the program; None is missing. Times are microseconds.
    nodes : list of int
        The node in which each row ends; of a divided row, that of its largest part.
    answers : list
        The class, or the number, for each row.
    probabilities : float array of rows x classes
        Empty for numbers.
    """

    rows: list[tuple[Value, ...]]
    nodes: list[int]
    answers: list[Any]
    probabilities: NDArray[np.float64]

    def __len__(self) -> int:
        """Number of rows."""
        return len(self.rows)


def check_rows(program: Program, most: int | None = None) -> CheckRows:
    """Return rows that test every node of a program, with the expected answers.

    Parameters
    ----------
    program : Program
        The program.
    most : int, optional
        The largest number of rows, spread evenly over the tree; None: all.

    Returns
    -------
    CheckRows
    """
    rows = list(dict.fromkeys(_rows(program)))
    if most is not None and len(rows) > most:
        places = np.linspace(0, len(rows) - 1, most).round().astype(int)
        rows = [rows[i] for i in places]
    return answered(program, rows)


def answered(program: Program, rows: list[tuple[Value, ...]]) -> CheckRows:
    """Return rows with the answers of the tree.

    Parameters
    ----------
    program : Program
        The program.
    rows : list of tuple
        One value per variable.

    Returns
    -------
    CheckRows
    """
    tree = program.tree
    ends = ends_of(tree, as_columns(program, rows), len(rows))
    shares = class_probabilities(tree, ends) if tree.is_classifier else np.empty((0, 0))
    nodes = _largest(ends) if isinstance(ends, Ends) else ends
    return CheckRows(rows, nodes.tolist(), answers(tree, ends).tolist(), shares)


def _largest(ends: Ends) -> NDArray[np.int32]:
    """Return the node of the largest part of each row; of equal ones, the first."""
    order = np.lexsort((np.arange(len(ends.rows)), -ends.shares, ends.rows))
    first = np.searchsorted(ends.rows[order], np.arange(ends.n_rows))
    return ends.nodes[order][first]


def as_columns(
    program: Program, rows: list[tuple[Value, ...]]
) -> list[NDArray[Any] | None]:
    """Return rows in the form that routing takes.

    Parameters
    ----------
    program : Program
        The program.
    rows : list of tuple
        One value per variable.

    Returns
    -------
    list of array or None
        One array per column of the schema; None if the program does not read it.
    """
    features = program.tree.schema.features
    columns: list[NDArray[Any] | None] = [None] * len(features)
    for variable in program.variables:
        cells = [row[variable.place] for row in rows]
        feature = features[variable.column]
        if variable.labels:
            codes = [-1 if x is None else feature.code_of.get(x, -2) for x in cells]
            columns[variable.column] = np.array(codes, np.int32)
            continue
        numbers = np.array([math.nan if x is None else x for x in cells], np.float64)
        if feature.cuts is not None:
            codes_array = np.searchsorted(feature.cuts, numbers).astype(np.int32)
            codes_array[np.isnan(numbers)] = -1
            columns[variable.column] = codes_array
        else:
            if feature.float32:
                with np.errstate(over="ignore"):
                    numbers = numbers.astype(np.float32).astype(np.float64)
            columns[variable.column] = numbers
    return columns


# -- values that lead to a node --------------------------------------------------------


@dataclass(frozen=True)
class _Numbers:
    """Numbers that a column may hold: intervals (low, high], and whether missing.

    `step` is the distance of the values of its type, such as a day; 0: any number.
    """

    intervals: tuple[tuple[float, float], ...] = ((-math.inf, math.inf),)
    missing: bool = True
    step: float = 0.0

    @classmethod
    def of(cls, variable: Variable) -> _Numbers:
        """Return all numbers that the type of a column allows."""
        if variable.type == "bool":
            return cls(((-1.0, 1.0),), step=1.0)
        return cls(step=_step(variable))

    def within(
        self, intervals: tuple[tuple[float, float], ...], *, missing: bool
    ) -> _Numbers:
        cut = tuple(
            (max(low, a), min(high, b))
            for low, high in self.intervals
            for a, b in intervals
            if max(low, a) < min(high, b)
        )
        return replace(self, intervals=cut, missing=self.missing and missing)

    def pick(self) -> float | None:
        """Return one of the values; None if only "missing" is left."""
        if not self.intervals:
            return None
        low, high = self.intervals[0]
        if math.isinf(high) and math.isinf(low):
            return 0.0
        if self.step:
            # An engine would round other values, and answer another row.
            whole = math.floor((low if math.isinf(high) else high) / self.step)
            return (whole + math.isinf(high)) * self.step
        return math.nextafter(low, math.inf) if math.isinf(high) else high

    @property
    def possible(self) -> bool:
        return bool(self.intervals) or self.missing


@dataclass(frozen=True)
class _Labels:
    """Categories that may stand in a column, and whether missing and unseen may."""

    labels: tuple[Any, ...]
    missing: bool = True

    def within(self, labels: frozenset[Any], *, missing: bool) -> _Labels:
        kept = tuple(label for label in self.labels if label in labels)
        return _Labels(kept, self.missing and missing)

    def pick(self) -> Value:
        found: Value = self.labels[0] if self.labels else None
        return found

    @property
    def possible(self) -> bool:
        return bool(self.labels) or self.missing


_Allowed: TypeAlias = "_Numbers | _Labels"


def _rows(program: Program) -> Iterator[tuple[Value, ...]]:
    free: tuple[_Allowed, ...] = tuple(
        _Labels(v.labels) if v.labels else _Numbers.of(v) for v in program.variables
    )
    yield tuple(None for _ in free)
    waiting = [(0, free)]
    while waiting:
        number, allowed = waiting.pop()
        base = tuple(each.pick() for each in allowed)
        yield base
        node = program.nodes[number]
        if node.is_leaf:
            continue
        yield from _around(node, base)
        for branch in range(len(node.children)):
            below = _narrowed(node, branch, allowed)
            if below is not None:
                waiting.append((node.children[branch], below))


def _around(node: ProgramNode, base: tuple[Value, ...]) -> Iterator[tuple[Value, ...]]:
    """Yield rows that test each question of a node, those before it unanswered."""
    row = list(base)
    for question in node.questions:
        place = question.variable.place
        for value in _edges(question):
            yield (*row[:place], value, *row[place + 1 :])
        row[place] = None
    yield tuple(row)


def _edges(question: Question) -> Iterator[Value]:
    """Yield the values at which an answer to the question changes."""
    variable = question.variable
    yield None
    if isinstance(question, OneOf):
        for group in question.groups:
            yield from group[:2]
        listed = {label for group in question.groups for label in group}
        others = [label for label in variable.labels if label not in listed]
        yield from others[:1]
    if variable.labels:
        yield from _unseen(variable)
        return
    bounds: tuple[float, ...] = ()
    if isinstance(question, AtMost):
        bounds = (question.bound,)
    elif isinstance(question, Intervals):
        bounds = question.bounds
    for bound in bounds:
        yield from _beside(variable, bound)


def _unseen(variable: Variable) -> Iterator[Value]:
    if variable.type == "text":
        yield UNSEEN_TEXT
    elif variable.type == "code":
        yield UNSEEN_CODE


def _beside(variable: Variable, bound: float) -> Iterator[Value]:
    """Yield a bound and its neighbours among the values of the column's type."""
    if variable.type == "bool":
        yield from (0.0, 1.0)
    elif not math.isfinite(bound):
        return
    elif variable.type == "number":
        yield math.nextafter(bound, -math.inf)
        yield bound
        yield math.nextafter(bound, math.inf)
    else:
        step = _step(variable)
        start = math.floor(bound / step) * step
        yield from (start - step, start, start + step)


def _step(variable: Variable) -> float:
    """Return the distance of the values of a column's type; 0: any number."""
    if variable.type == "number":
        return 0.0
    return 86_400_000_000.0 if variable.type == "date" else 1.0


def _narrowed(
    node: ProgramNode, branch: int, allowed: tuple[_Allowed, ...]
) -> tuple[_Allowed, ...] | None:
    """Return what may stand in each column below a branch; None if nothing may."""
    question = node.questions[0]
    place = question.variable.place
    here, missing = allowed[place], node.otherwise in (branch, -2)
    found: _Allowed
    if isinstance(here, _Labels):
        if isinstance(question, OneOf):
            labels = frozenset(question.groups[branch])
        else:
            labels = frozenset(here.labels if branch else ())
            missing = not branch
        found = here.within(labels, missing=missing)
    else:
        found = _numbers_below(question, branch, here, missing=missing)
    if not found.possible:
        return None
    return (*allowed[:place], found, *allowed[place + 1 :])


def _numbers_below(
    question: Question, branch: int, here: _Numbers, *, missing: bool
) -> _Numbers:
    everything: tuple[tuple[float, float], ...] = ((-math.inf, math.inf),)
    if isinstance(question, IsMissing):
        known = everything if branch else ()
        return here.within(known, missing=not branch)
    if isinstance(question, AtMost):
        below = branch == question.below
        kept: tuple[tuple[float, float], ...] = (
            ((-math.inf, question.bound),) if below else ((question.bound, math.inf),)
        )
        return here.within(kept, missing=missing)
    assert isinstance(question, Intervals)
    edges = (-math.inf, *question.bounds, math.inf)
    kept = tuple(
        (edges[i], edges[i + 1])
        for i, taken in enumerate(question.branches)
        if taken == branch
    )
    return here.within(kept, missing=missing)
