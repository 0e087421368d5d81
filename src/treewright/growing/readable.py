"""Short thresholds that divide the training rows exactly as the grown ones do.

Let a be the largest training value that goes left at a node and b the smallest that
goes right. Every threshold t with a <= t < b gives the same tree on the training rows.
Growing takes the midpoint. The readable threshold is the shortest decimal in the
middle half of the gap from a to b, and of these the nearest to the midpoint: 38.7
instead of 38.69999999999999. It stays well away from a and b, as the midpoint does.
For dates and times it is the start of a year, a month, a day, an hour, ...; for
durations a whole number of days, hours, and so on. Where all values of a column are
whole months, days or hours, so is the threshold.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta, tzinfo
from itertools import islice
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import numpy as np
from numpy.typing import NDArray

from treewright.table.grain import GRAINS, day_below, has_local_days, whole_below
from treewright.table.schema import Feature
from treewright.table.table import Table
from treewright.tree.data import THRESHOLD, TreeData
from treewright.tree.edit import with_values
from treewright.tree.route import columns_used, divides_rows, route

__all__ = [
    "gaps",
    "gaps_of_rows",
    "midpoint",
    "readable",
    "readable_between",
    "short_between",
]

_MICROSECONDS = (86_400_000_000, 3_600_000_000, 60_000_000, 1_000_000, 1_000, 1)
"""A day, an hour, a minute, a second, a millisecond, a microsecond."""
_FORMS = {"month": 2, "day": 3, "hour": 4, "minute": 5, "second": 6}
"""How many of the forms of `_rounded` have at least this grain."""
_EPOCH = datetime(1970, 1, 1)


def midpoint(a: float, b: float, step: float = 0.0) -> float:
    """Return the threshold that growing takes between the neighbours a < b.

    It is the midpoint. Where only rounding made the midpoint a long decimal, it is the
    short decimal next to it: 42.35, not 42.349999999999994, between 42.3 and 42.4. The
    threshold t always satisfies a <= t < b. With a step, of which a and b are
    multiples, it is the last multiple before the middle.
    """
    middle = a / 2 + b / 2
    if not a <= middle < b:
        return a
    if step:
        return math.floor(middle / step) * step
    short = float(f"{middle:.12g}") if math.isfinite(middle) else middle
    near = abs(short - middle) <= 2 * math.ulp(middle)
    return short if near and a <= short < b else middle


def readable(tree: TreeData, table: Table) -> TreeData:
    """Return the tree with short thresholds on its numeric columns.

    Parameters
    ----------
    tree : TreeData
        A tree grown on the table.
    table : Table
        The table.

    Returns
    -------
    TreeData
        Every training row reaches the same leaf as before. A threshold stays as it is
        where its gap holds no shorter value, and in ordered columns, whose thresholds
        are shown as categories.
    """
    return readable_between(tree, *gaps(tree, table))


def readable_between(
    tree: TreeData, low: NDArray[np.float64], high: NDArray[np.float64]
) -> TreeData:
    """Return the tree with short thresholds between the neighbours of each threshold.

    Parameters
    ----------
    tree : TreeData
        A tree.
    low, high : float64 arrays of n_nodes
        From `gaps`.

    Returns
    -------
    TreeData
        See `readable`.
    """
    features = tree.schema.features
    thresholds = tree.threshold.copy()
    for node in np.flatnonzero(tree.split_kind == THRESHOLD).tolist():
        feature = features[tree.feature[node]]
        if feature.kind == "numeric" and high[node] > low[node]:
            a, b = float(low[node]), float(high[node])
            thresholds[node] = short_between(feature, a, b, float(thresholds[node]))
    return with_values(tree, threshold=thresholds)


def gaps(
    tree: TreeData, table: Table
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return, for each threshold, the neighbouring values of the training rows.

    Parameters
    ----------
    tree : TreeData
        A tree grown on the table.
    table : Table
        The table; rows of weight 0 do not count.

    Returns
    -------
    low, high : float64 arrays of n_nodes
        The largest known value of the node's rows that is at most the threshold, and
        the smallest above it; NaN at other nodes.

    Notes
    -----
    When the rows are ordered by the leaf they reach, the rows of every subtree are
    contiguous. One reduction per column then gives the range in every leaf, and a
    second one the range in every subtree.
    """
    rows = np.arange(table.n_rows)
    if table.weights is not None:
        rows = rows[table.weights > 0]
    return gaps_of_rows(tree, [column.data for column in table.columns], rows)


def gaps_of_rows(
    tree: TreeData, columns: Sequence[NDArray[Any] | None], rows: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the neighbours of each threshold among some rows; see `gaps`.

    Parameters
    ----------
    tree : TreeData
        A tree.
    columns : sequence of array or None
        The columns that it uses.
    rows : int array
        The rows that count.

    Returns
    -------
    low, high : float64 arrays of n_nodes
        Of several parts of a table, the greatest low and the least high count.
    """
    # A divided row is in many leaves; such a tree uses the values of the whole column.
    if not divides_rows(tree):
        n_rows = next((len(x) for x in columns if x is not None), len(rows))
        ended = route(tree, columns, n_rows)
        rows = rows[np.argsort(ended[rows], kind="stable")]
        ended = ended[rows]
    low, high = np.full((2, tree.n_nodes), np.nan)
    for column in columns_used(tree).tolist():
        nodes = np.flatnonzero(
            (tree.split_kind == THRESHOLD) & (tree.feature == column)
        )
        if len(nodes):
            values = _numbers(columns[column])[rows]
            if divides_rows(tree):
                low[nodes], high[nodes] = _next_to(tree.threshold[nodes], values)
            else:
                low[nodes], high[nodes] = _beside(tree, nodes, ended, values)
    return low, high


def _next_to(
    thresholds: NDArray[np.float64], values: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the neighbours of each threshold among all values."""
    known = np.unique(values[~np.isnan(values)])
    place = np.searchsorted(known, thresholds, side="right")
    padded = np.concatenate([[np.nan], known, [np.nan]])
    return padded[place], padded[place + 1]


def _numbers(values: NDArray[np.generic]) -> NDArray[np.float64]:
    """Return values as float64, or codes with NaN for missing."""
    if values.dtype.kind == "i":
        return np.where(values < 0, np.nan, values)  # type: ignore[operator]
    return values.astype(np.float64)


def _beside(
    tree: TreeData,
    nodes: NDArray[np.int64],
    ended: NDArray[np.int32],
    values: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the largest value of each node's left subtree, the smallest of its right.

    Missing values (NaN) do not count. Rows that stop at an inner node belong to no
    branch; in preorder they come before its left branch.
    """
    size = tree.subtree_size
    left = nodes + 1
    right = left + size[left]
    end = nodes + size[nodes]
    ends = np.unique(ended)
    first = np.searchsorted(ended, ends)
    top = np.fmax.reduceat(values, first)
    bottom = np.fmin.reduceat(values, first)
    at = np.searchsorted(ends, np.stack([left, right, end]))
    return (
        _over(np.fmax, top, at[0], at[1]),
        _over(np.fmin, bottom, at[1], at[2]),
    )


def _over(
    reduce: np.ufunc,
    values: NDArray[np.float64],
    start: NDArray[np.int64],
    end: NDArray[np.int64],
) -> NDArray[np.float64]:
    """Reduce the slices from `start` to below `end`; NaN for an empty slice."""
    padded = np.append(values, np.nan)
    pairs = np.stack([start, end], axis=1).ravel()
    reduced = reduce.reduceat(padded, pairs)[::2]
    return np.where(start < end, reduced, np.nan)


# Short values -----------------------------------------------------------------------


def short_between(feature: Feature, a: float, b: float, otherwise: float) -> float:
    """Return the shortest value in the middle half of a gap.

    Parameters
    ----------
    feature : Feature
        The column.
    a, b : float
        Neighbouring values.
    otherwise : float
        The result if the gap holds no shorter value.

    Returns
    -------
    float
    """
    quarter = b / 4 - a / 4
    low, high = a + quarter, b - quarter
    middle = a / 2 + b / 2
    if not (math.isfinite(quarter) and a <= low <= high < b):
        return otherwise
    for value in _candidates(feature, middle):
        if low <= value <= high:
            return value
    if has_local_days(feature):
        return day_below(middle, feature.timezone)
    return whole_below(feature.grain, middle) if feature.grain else otherwise


def _candidates(feature: Feature, middle: float) -> Iterator[float]:
    """Yield values near the middle, the shortest first."""
    if feature.stored_as in ("date", "datetime"):
        finest = _FORMS.get(feature.grain, len(_MICROSECONDS) + 2)
        yield from islice(_moments(middle, feature.timezone), finest)
    elif feature.stored_as in ("duration", "time"):
        least = GRAINS.get(feature.grain, 1)
        units = [unit for unit in _MICROSECONDS if unit >= least]
        yield from (float(round(middle / unit) * unit) for unit in units)
    else:
        yield 0.0
        for digits in range(1, 17):
            yield float(f"{middle:.{digits - 1}e}")


def _moments(middle: float, timezone: str) -> Iterator[float]:
    """Yield the nearest start of a year, a month, a day, an hour, and so on.

    A column with a time zone uses the wall clock of that zone.
    """
    zone = _zone(timezone)
    try:
        wall = _EPOCH + timedelta(microseconds=int(middle // 1))
        if timezone:
            wall = wall.replace(tzinfo=UTC).astimezone(zone).replace(tzinfo=None)
        found = [each.replace(tzinfo=zone).astimezone(UTC) for each in _rounded(wall)]
    except (OverflowError, ValueError):  # the calendar ends there
        return
    for moment in found:
        yield float((moment.replace(tzinfo=None) - _EPOCH) // timedelta(microseconds=1))


def _zone(timezone: str) -> tzinfo:
    try:
        return ZoneInfo(timezone) if timezone else UTC
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return UTC


def _rounded(wall: datetime) -> Iterator[datetime]:
    year = datetime(wall.year, 1, 1)
    yield _nearer(wall, year, datetime(wall.year + 1, 1, 1))
    month = datetime(wall.year, wall.month, 1)
    after = wall.year * 12 + wall.month
    yield _nearer(wall, month, datetime(after // 12, after % 12 + 1, 1))
    for unit in _MICROSECONDS:
        step = timedelta(microseconds=unit)
        below = year + (wall - year) // step * step
        yield _nearer(wall, below, below + step)


def _nearer(to: datetime, one: datetime, other: datetime) -> datetime:
    return one if to - one <= other - to else other
