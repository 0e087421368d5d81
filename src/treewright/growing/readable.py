"""Thresholds that people can read, with the same partition of the training rows.

Between the largest training value a that goes left at a node and the smallest b that
goes right, any threshold from a to below b gives the same tree on the training rows.
Growing takes the midpoint. A readable threshold is the shortest decimal in the middle
half of that gap, nearest to the midpoint: the same care for values in between, and
38.7 instead of 38.69999999999999. For moments it is the start of a year, a month, a
day, an hour, ..., for durations whole days, hours, and so on.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import numpy as np
from numpy.typing import NDArray

from treewright.table.schema import Feature
from treewright.table.table import Table
from treewright.tree.data import THRESHOLD, TreeData
from treewright.tree.edit import with_values
from treewright.tree.route import columns_used, divides_rows, route

__all__ = ["gaps", "midpoint", "readable", "short_between"]

_MICROSECONDS = (86_400_000_000, 3_600_000_000, 60_000_000, 1_000_000, 1_000, 1)
"""A day, an hour, a minute, a second, a millisecond, a microsecond."""
_EPOCH = datetime(1970, 1, 1)


def midpoint(a: float, b: float) -> float:
    """Return the threshold that growing takes between the neighbours a < b.

    It is the midpoint, or, where rounding alone made the midpoint a long decimal, the
    short decimal beside it: 42.35, not 42.349999999999994, between 42.3 and 42.4. The
    threshold t always satisfies a <= t < b.
    """
    middle = a / 2 + b / 2
    if not a <= middle < b:
        return a
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
        Every training row ends where it did. Ranks stay as they are, since they are
        shown by their category; so does a threshold whose gap holds nothing shorter.
    """
    features = tree.schema.features
    thresholds = tree.threshold.copy()
    low, high = gaps(tree, table)
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
        Largest known value of the node's rows that is at most the threshold, and
        the smallest above it; NaN at other nodes.

    Notes
    -----
    Rows ordered by the leaf in which they end put the rows of every subtree next to
    each other, so one reduction per column gives the range in every leaf, and one
    more the range in every subtree.
    """
    columns = [column.data for column in table.columns]
    rows = np.arange(table.n_rows)
    if table.weights is not None:
        rows = rows[table.weights > 0]
    # Rows that are divided are in many leaves; there the whole column must do.
    if not divides_rows(tree):
        ended = route(tree, columns, table.n_rows)
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
    """Return the neighbours of thresholds among all values."""
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

    A missing value (NaN) is neither; inner nodes in which rows end belong to no
    branch, and lie before the left one.
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
    """Reduce the slices from `start` to below `end`; NaN where there is nothing."""
    padded = np.append(values, np.nan)
    pairs = np.stack([start, end], axis=1).ravel()
    found = reduce.reduceat(padded, pairs)[::2]
    return np.where(start < end, found, np.nan)


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
        What to return if there is nothing shorter.

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
    return otherwise


def _candidates(feature: Feature, middle: float) -> Iterator[float]:
    """Yield values near the middle, the shortest first."""
    if feature.stored_as in ("date", "datetime"):
        yield from _moments(middle, feature.timezone)
    elif feature.stored_as == "duration":
        yield from (float(round(middle / unit) * unit) for unit in _MICROSECONDS)
    else:
        yield 0.0
        for digits in range(1, 17):
            yield float(f"{middle:.{digits - 1}e}")


def _moments(middle: float, timezone: str) -> Iterator[float]:
    """Yield starts of years, months, days, hours, ... on the wall clock, nearest first.

    In a zone, the wall clock is the one of the zone.
    """
    zone = _zone(timezone)
    try:
        wall = _EPOCH + timedelta(microseconds=int(middle // 1))
        if timezone:
            wall = wall.replace(tzinfo=UTC).astimezone(zone).replace(tzinfo=None)
        rounded = list(_rounded(wall))
    except (OverflowError, ValueError):
        return
    for moment in rounded:
        if timezone:
            moment = moment.replace(tzinfo=zone).astimezone(UTC).replace(tzinfo=None)
        yield float((moment - _EPOCH) // timedelta(microseconds=1))


def _zone(timezone: str) -> tzinfo:
    try:
        return ZoneInfo(timezone) if timezone else UTC
    except (ZoneInfoNotFoundError, ValueError):
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
