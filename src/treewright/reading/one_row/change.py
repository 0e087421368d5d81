"""The smallest change of a row that leads to another answer.

The smallest change affects as few columns as possible; among those, it has the
smallest total size. The size for one column is the share of training rows between the
two values. The tree keeps the quartiles of every numeric column; between them, rows are
assumed to be spread evenly, and so are ranks. Categories have no distance: another
category has size 1, as much as from the lowest number to the highest, and so has a
value in place of a missing one. A known value is never made missing.

The search is best-first from the root. The cost of a path never falls on the way down,
so the first wanted answer that it reaches is the smallest change.
"""

from __future__ import annotations

import heapq
import math
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import count
from typing import Any, NamedTuple

import numpy as np

from treewright.growing.readable import short_between
from treewright.reading.conditions.condition import Condition, every
from treewright.reading.conditions.path_conditions import features_as_split, narrowed
from treewright.reading.one_row.row import (
    OneRow,
    as_read,
    ends_of,
    is_missing,
    meets,
    value_text,
)
from treewright.table.grain import moment_above, moment_below
from treewright.table.schema import Feature
from treewright.tree import wording
from treewright.tree.data import LEAF, STOP_HERE, TreeData

__all__ = ["Change", "rows_between", "smallest_change"]

_QUARTERS = (0.0, 0.25, 0.5, 0.75, 1.0)


@dataclass(frozen=True, slots=True)
class Change:
    """Another value for one column.

    Attributes
    ----------
    column : str
        The column.
    before, after : object
        The values, as the caller writes them; for a column cut into intervals, the
        intervals. None: missing.
    size : float
        Share of the training rows between the two values.
    words : str
        The change as text, such as ``age from 25 to 31 (or anything above 30.5)``.
    """

    column: str
    before: Any
    after: Any
    size: float
    words: str


class _Step(NamedTuple):
    """A change of one column, in the numbers that the tree compares."""

    size: float
    value: float
    condition: Condition


class _PartialPath(NamedTuple):
    """A node on the frontier of the search, cheapest first."""

    n_columns: int
    size: float
    order: int
    node: int
    ends: bool
    conditions: Mapping[int, Condition]
    steps: Mapping[int, _Step]


def smallest_change(
    tree: TreeData,
    row: OneRow,
    wanted: Callable[[list[tuple[int, float]]], bool],
    may_answer: Callable[[int], bool],
    fixed: frozenset[int] = frozenset(),
) -> tuple[tuple[Change, ...], list[tuple[int, float]]] | None:
    """Return the smallest change to a wanted answer, and where the changed row ends.

    Parameters
    ----------
    tree : TreeData
        The tree.
    row : OneRow
        The row.
    wanted : callable
        Takes the ends of a row with their shares; returns whether the answer is
        wanted.
    may_answer : callable
        Takes a node; returns whether it can give a wanted answer.
    fixed : frozenset of int
        Columns that must not change.

    Returns
    -------
    tuple of changes and ends, or None if there is no such change
    """
    order = count()
    frontier = [
        _PartialPath(0, 0.0, next(order), 0, tree.split_kind[0] == LEAF, {}, {})
    ]
    while frontier:
        partial = heapq.heappop(frontier)
        if not partial.ends:
            for longer in _extensions(tree, row, partial, fixed, order):
                heapq.heappush(frontier, longer)
        elif may_answer(partial.node):
            after = row.changed({c: step.value for c, step in partial.steps.items()})
            ends = ends_of(tree, after)
            if wanted(ends):
                steps = partial.steps.items()
                return tuple(_change(row, c, step) for c, step in steps), ends
    return None


def _extensions(
    tree: TreeData,
    row: OneRow,
    partial: _PartialPath,
    fixed: frozenset[int],
    order: Iterator[int],
) -> Iterator[_PartialPath]:
    """Yield the partial paths one step further down from an inner node."""
    for node, ends, branch in _exits(tree, partial.node):
        taken = _take_branch(tree, row, partial, branch, fixed)
        if taken is not None:
            conditions, steps = taken
            size = round(math.fsum(step.size for step in steps.values()), 12)
            yield _PartialPath(
                len(steps), size, next(order), node, ends, conditions, steps
            )


def _exits(tree: TreeData, node: int) -> Iterator[tuple[int, bool, int]]:
    """Yield the exits of an inner node: its branches, and stopping there."""
    child, end, branch = node + 1, node + int(tree.subtree_size[node]), 0
    while child < end:
        yield child, bool(tree.split_kind[child] == LEAF), branch
        child += int(tree.subtree_size[child])
        branch += 1
    if tree.missing_route[node] == STOP_HERE:
        yield node, True, STOP_HERE


def _take_branch(
    tree: TreeData,
    row: OneRow,
    partial: _PartialPath,
    branch: int,
    fixed: frozenset[int],
) -> tuple[Mapping[int, Condition], Mapping[int, _Step]] | None:
    """Return conditions and changes after one more branch; None if it is blocked."""
    column = int(tree.feature[partial.node])
    feature = features_as_split(tree)[column]
    above = partial.conditions.get(column) or every(feature, column)
    condition = narrowed(tree, partial.node, branch, above)
    conditions = {**partial.conditions, column: condition}
    has_value = row.has(column)
    value = row[column] if has_value else math.nan
    if has_value and meets(condition, value):
        return conditions, partial.steps
    if column in fixed:
        return None
    step = _nearest(condition, value if has_value else None)
    return None if step is None else (conditions, {**partial.steps, column: step})


# How far ----------------------------------------------------------------------------


def rows_between(feature: Feature, one: float, other: float) -> float:
    """Return the approximate share of the training rows between two values."""
    if feature.kind == "ordinal":
        ranks = max(len(feature.labels) - 1, 1)
        return min(abs(one - other) / ranks, 1.0)
    return abs(_share_below(feature, one) - _share_below(feature, other))


def _share_below(feature: Feature, value: float) -> float:
    """Return the share of rows below a value, interpolated between quartiles."""
    known = feature.summary
    if known is None or known.minimum is None:
        return 0.5
    marks = (known.minimum, known.q1, known.median, known.q3, known.maximum)
    at = [float(mark) for mark in marks if mark is not None]
    place = bisect_right(at, value)
    if place in (0, len(at)):
        return _QUARTERS[min(place, len(at) - 1)] if place else 0.0
    low, high = at[place - 1], at[place]
    part = (value - low) / (high - low) if math.isfinite(high - low) else 0.5
    return _QUARTERS[place - 1] + part * (_QUARTERS[place] - _QUARTERS[place - 1])


def _nearest(condition: Condition, value: float | None) -> _Step | None:
    """Return the nearest known value that meets a condition; None if none does."""
    feature = condition.feature
    unknown = value is None or is_missing(feature, value)
    if condition.codes is not None:
        if not condition.codes:
            return None
        first = (condition.codes & -condition.codes).bit_length() - 1
        return _Step(1.0, float(first), condition)
    if not condition.possible or not condition.known:
        return None
    start = _middle(feature) if unknown or value is None else value
    bound, after = _moved(condition, start)
    after = _kept_inside(condition, after)
    if math.isnan(after):
        return None
    size = 1.0 if unknown else rows_between(feature, start, bound)
    return _Step(size, after, condition)


def _middle(feature: Feature) -> float:
    if feature.kind == "ordinal":
        return float((len(feature.labels) - 1) // 2)
    summary = feature.summary
    return 0.0 if summary is None or summary.median is None else float(summary.median)


def _moved(condition: Condition, value: float) -> tuple[float, float]:
    """Return the bound that excludes a value, and the nearest value that is allowed."""
    low, high, feature = condition.low, condition.high, condition.feature
    whole = feature.kind == "ordinal" or feature.is_whole
    if high is not None and value > high:
        after = high
        if math.isfinite(high) and whole:
            after = math.floor(high)
        elif math.isfinite(high) and feature.grain:
            after = moment_below(feature, high)
        return high, _if_met(condition, after, high)
    if low is not None and value <= low:
        if math.isinf(low):
            return low, high if high is not None else 0.0
        top = len(feature.labels) - 1 if feature.kind == "ordinal" else math.inf
        if whole and math.floor(low) + 1 <= top:
            after = float(math.floor(low) + 1)
            return low, _if_met(condition, after, _above(condition))
        return low, math.nan if whole and feature.kind == "ordinal" else _above(
            condition
        )
    return value, value


def _kept_inside(condition: Condition, value: float) -> float:
    """Return the value, or its neighbour if rounding to float32 moves it outside."""
    near = as_read(condition.feature, value)
    if near == value or meets(condition, near):
        return value
    ends = np.array([-math.inf, math.inf], np.float32)
    beside = np.nextafter(np.float32(near), ends).tolist()
    return next((x for x in beside if meets(condition, x)), math.nan)


def _if_met(condition: Condition, value: float, otherwise: float) -> float:
    if condition.feature.kind == "ordinal":
        inside = 0 <= value < len(condition.feature.labels)
        return value if inside and meets(condition, value) else math.nan
    return value if meets(condition, value) else otherwise


def _above(condition: Condition) -> float:
    """Return a short value a little above the lower bound."""
    low, high, feature = condition.low, condition.high, condition.feature
    assert low is not None
    top = math.inf if high is None else high
    if feature.grain and low < (after := moment_above(feature, low)) <= top:
        return after
    summary, spread = feature.summary, abs(low) / 100 or 1.0
    if summary is not None and summary.q1 is not None and summary.q3 is not None:
        spread = (summary.q3 - summary.q1) / 50 or spread
    end = min(top, low + spread)
    after = short_between(feature, low, end, math.nan)
    if not low < after <= top:
        after = math.nextafter(low, math.inf)
    return after


# As text ----------------------------------------------------------------------------


def _change(row: OneRow, column: int, step: _Step) -> Change:
    feature = step.condition.feature
    has_value = row.has(column)
    gone = not has_value or is_missing(feature, row[column])
    before = None if gone else _plain(feature, row[column])
    name = wording.cut(wording.name(feature.name), 60)
    was = "not given" if not has_value else row.words(column)
    was, now = _both_values(step, row[column] if not gone else math.nan, was)
    others = [x for x in step.condition.categories if x != _plain(feature, step.value)]
    more = ""
    if others:
        more = f" (or {', '.join(wording.value(x, 60) for x in others[:3])}"
        more += ", ...)" if len(others) > 3 else ")"
    elif feature.kind == "numeric":
        allowed = step.condition.words(missing=False, longest=60)
        more = f" ({allowed})"
    words = f"{name} from {was} to {now}{more}"
    return Change(
        str(feature.name), before, _plain(feature, step.value), step.size, words
    )


def _both_values(step: _Step, before: float, was: str) -> tuple[str, str]:
    """Return both values as text, with enough figures to distinguish them.

    The text of the new value must also meet the condition when read back.
    """
    feature, value = step.condition.feature, step.value
    now = value_text(feature, value)
    if feature.kind != "numeric" or feature.stored_as not in ("float", "text"):
        return was, now
    figures = 6
    while figures < 17 and (now == was or not meets(step.condition, float(now))):
        figures += 1
        now = f"{value:.{figures}g}"
        was = was if math.isnan(before) or len(was) < 6 else f"{before:.{figures}g}"
    return was, now


def _plain(feature: Feature, value: float) -> Any:
    """Return a value as the caller writes it."""
    if feature.kind != "numeric":
        return feature.labels[int(value)]
    if feature.stored_as == "bool" and value in (0.0, 1.0):
        return bool(value)
    if feature.stored_as == "int" and value == math.floor(value):
        return int(value)
    if feature.stored_as in ("date", "datetime", "duration", "time"):
        return value_text(feature, value)
    return value
