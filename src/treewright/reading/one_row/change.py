"""The smallest change of a row that reaches another answer.

Smallest means: as few columns as possible, and among those the least change, each
column's measured as the share of training rows that lie between the two values. The
tree keeps the quartiles of every numeric column; between them the rows are taken to
be spread evenly. Ranks count as spread evenly too. A category has no distance: another
one counts 1, as much as from the lowest number to the highest, and so does a value
in place of a missing one. A known value is never made missing.

The search goes down the tree, always from the cheapest node it has: what a way costs
never falls on the way down, so the first other answer it meets is the smallest change.
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
    say,
)
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
        The values, as the caller writes them; of a column cut into intervals, the
        intervals. None: missing.
    size : float
        Share of the training rows between them.
    words : str
        Such as ``age from 25 to 31 (or anything above 30.5)``.
    """

    column: str
    before: Any
    after: Any
    size: float
    words: str


class _Step(NamedTuple):
    """A change in the numbers of the tree."""

    size: float
    value: float
    condition: Condition


class _Way(NamedTuple):
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
    """Return the smallest change that reaches a wanted answer, and where it ends.

    Parameters
    ----------
    tree : TreeData
        The tree.
    row : OneRow
        The row.
    wanted : callable
        Takes where a row ends, with shares; says whether that answer is wanted.
    may_answer : callable
        Takes a node; says whether it answers what is wanted.
    fixed : frozenset of int
        Columns that must stay.

    Returns
    -------
    tuple of changes and ends, or None where no change leads there
    """
    order = count()
    frontier = [_Way(0, 0.0, next(order), 0, tree.split_kind[0] == LEAF, {}, {})]
    while frontier:
        way = heapq.heappop(frontier)
        if not way.ends:
            for made in _further(tree, row, way, fixed, order):
                heapq.heappush(frontier, made)
        elif may_answer(way.node):
            after = row.changed({c: step.value for c, step in way.steps.items()})
            ends = ends_of(tree, after)
            if wanted(ends):
                made_of = way.steps.items()
                return tuple(_said(row, c, step) for c, step in made_of), ends
    return None


def _further(
    tree: TreeData, row: OneRow, way: _Way, fixed: frozenset[int], order: Iterator[int]
) -> Iterator[_Way]:
    """Yield the ways one step further down from an inner node."""
    for node, ends, branch in _onwards(tree, way.node):
        made = _go(tree, row, way, branch, fixed)
        if made is not None:
            conditions, steps = made
            size = round(math.fsum(step.size for step in steps.values()), 12)
            yield _Way(len(steps), size, next(order), node, ends, conditions, steps)


def _onwards(tree: TreeData, node: int) -> Iterator[tuple[int, bool, int]]:
    """Yield where one can go from an inner node: branches, and ending there."""
    child, end, branch = node + 1, node + int(tree.subtree_size[node]), 0
    while child < end:
        yield child, bool(tree.split_kind[child] == LEAF), branch
        child += int(tree.subtree_size[child])
        branch += 1
    if tree.missing_route[node] == STOP_HERE:
        yield node, True, STOP_HERE


def _go(
    tree: TreeData, row: OneRow, way: _Way, branch: int, fixed: frozenset[int]
) -> tuple[Mapping[int, Condition], Mapping[int, _Step]] | None:
    """Return conditions and changes one step further down; None if there is no way."""
    column = int(tree.feature[way.node])
    feature = features_as_split(tree)[column]
    above = way.conditions.get(column) or every(feature, column)
    condition = narrowed(tree, way.node, branch, above)
    conditions = {**way.conditions, column: condition}
    given = row.has(column)
    value = row[column] if given else math.nan
    if given and meets(condition, value):
        return conditions, way.steps
    if column in fixed:
        return None
    step = _nearest(condition, value if given else None)
    return None if step is None else (conditions, {**way.steps, column: step})


# How far ----------------------------------------------------------------------------


def rows_between(feature: Feature, one: float, other: float) -> float:
    """Return about which share of the training rows lies between two values."""
    if feature.kind == "ordinal":
        ranks = max(len(feature.labels) - 1, 1)
        return min(abs(one - other) / ranks, 1.0)
    return abs(_share_below(feature, one) - _share_below(feature, other))


def _share_below(feature: Feature, value: float) -> float:
    """Return the share of rows below a value, even between the quartiles."""
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
    """Return the bound that keeps a value out, and the nearest value beyond it."""
    low, high, feature = condition.low, condition.high, condition.feature
    whole = feature.kind == "ordinal" or feature.stored_as in ("int", "bool")
    if high is not None and value > high:
        after = math.floor(high) if whole and math.isfinite(high) else high
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
    """Return the value, or one beside it where rounding to float32 moves it out."""
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
    summary, spread = feature.summary, abs(low) / 100 or 1.0
    if summary is not None and summary.q1 is not None and summary.q3 is not None:
        spread = (summary.q3 - summary.q1) / 50 or spread
    end = min(top, low + spread)
    after = short_between(feature, low, end, math.nan)
    if not low < after <= top:
        after = math.nextafter(low, math.inf)
    return after


# In words ---------------------------------------------------------------------------


def _said(row: OneRow, column: int, step: _Step) -> Change:
    feature = step.condition.feature
    given = row.has(column)
    gone = not given or is_missing(feature, row[column])
    before = None if gone else _plain(feature, row[column])
    name = wording.cut(wording.name(feature.name), 60)
    was = "not given" if not given else row.words(column)
    was, now = _told(step, row[column] if not gone else math.nan, was)
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


def _told(step: _Step, before: float, was: str) -> tuple[str, str]:
    """Write both values, with as many figures as it takes to tell them apart.

    The new one, read back, must meet the condition.
    """
    feature, value = step.condition.feature, step.value
    now = say(feature, value)
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
    if feature.stored_as in ("date", "datetime", "duration"):
        return say(feature, value)
    return value
