"""Columns that tell the target by themselves."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.table.column import Column, FloatArray, IntArray, NumericColumn
from treewright.table.table import ClassTarget, NumericTarget, Table

__all__ = ["leak"]

_FEWEST_ROWS = 50
_RIGHT = 0.999  # of the rows, for a column that gives the target away
_R2 = 0.999
_RIGHT_BY_GAPS = 0.95  # of the rows, for missing values that give the target away
_LARGEST_CLASS = 0.9  # beyond it, being right is easy
_LONG_RUN = 5  # rows
_WORTH_RANKING = 0.1  # R² below which no curve that rises or falls steadily is likely


def leak(table: Table, column: Column, missing: NDArray[np.bool_]) -> str:
    """Return how a column tells the target by itself; '' if it does not.

    Parameters
    ----------
    table : Table
        The table with its target.
    column : Column
        One of its columns.
    missing : ndarray of bool
        Which of its values are missing.

    Returns
    -------
    str
    """
    target = table.target
    if isinstance(target, NumericTarget):
        return _leak_of_number(target.values, column, missing)
    if isinstance(target, ClassTarget):
        return _leak_of_class(target, column, missing)
    return ""


def _leak_of_number(
    y: NDArray[np.float64], column: Column, missing: NDArray[np.bool_]
) -> str:
    y = y[~missing]
    if len(y) < _FEWEST_ROWS:
        return ""
    if not isinstance(column, NumericColumn):
        r2 = _r2_of_groups(column.data[~missing], y)
        return f"its categories tell the target (R² {r2:.5f})" * (r2 >= _R2)
    x = column.values[~missing].astype(np.float64)
    if not np.isfinite(x).all():
        return ""
    if np.array_equal(x, y):
        return "it equals the target"
    r2 = _r2(x, y)
    if r2 >= _R2:
        return f"it follows the target in a straight line (R² {r2:.5f})"
    r2 = _r2(_ranks(x), _ranks(y)) if r2 >= _WORTH_RANKING else 0.0
    return f"it orders the rows as the target does (R² of the ranks {r2:.5f})" * (
        r2 >= _R2
    )


def _r2(x: NDArray[np.float64], y: NDArray[np.float64]) -> float:
    with np.errstate(all="ignore"):
        x, y = x - x.mean(), y - y.mean()
        return float((x @ y) ** 2 / ((x @ x) * (y @ y)))


def _ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the rank of each value; equal values share the mean of theirs."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return np.asarray((last - (counts - 1) / 2)[inverse])


def _r2_of_groups(codes: NDArray[np.int32], y: NDArray[np.float64]) -> float:
    """Return the adjusted R² of the means of the groups."""
    counts = np.bincount(codes)
    n, n_groups = len(y), int(np.count_nonzero(counts))
    if n_groups * 2 > n:
        return 0.0
    y = y - y.mean()
    sums = np.bincount(codes, weights=y)
    total = float(y @ y)
    with np.errstate(all="ignore"):
        between = float(np.nansum(sums**2 / counts))
        within = (total - between) / (n - n_groups)
        return 1.0 - within / (total / (n - 1)) if total > 0 else 0.0


def _leak_of_class(
    target: ClassTarget, column: Column, missing: NDArray[np.bool_]
) -> str:
    codes, n = target.codes, len(target.codes)
    k = len(target.classes)
    base = float(np.bincount(codes, minlength=k).max()) / n
    if missing.any() and base <= _LARGEST_CLASS:
        right = _right(missing.astype(np.int64), codes, k) / n
        if right >= _RIGHT_BY_GAPS:
            return f"whether it is missing tells the target in {right:.1%} of the rows"
    if base > _RIGHT:
        return ""
    if isinstance(column, NumericColumn):
        right = _right_in_runs(column.values[~missing], codes[~missing], k)
        right += int(np.bincount(codes[missing], minlength=1).max())
    else:
        right = _right(np.asarray(column.data, np.int64) + 1, codes, k)
    right /= n
    if right >= _RIGHT:
        return f"by itself it tells the target in {right:.2%} of the rows"
    return ""


def _right_in_runs(values: FloatArray, codes: IntArray, k: int) -> int:
    """Count the rows that a few intervals of a number tell.

    In the order of the values, a run is a stretch of values with one largest class. A
    row is told if it is of that class, and the run is long enough not to be chance.
    """
    order = np.argsort(values, kind="stable")
    ascending = values[order]
    is_start = np.ones(len(ascending), bool)
    is_start[1:] = ascending[1:] != ascending[:-1]  # a difference of infinities is NaN
    starts = np.flatnonzero(is_start)
    if len(starts) * k > 4 * len(codes) + 1000:
        return 0
    value = np.repeat(np.arange(len(starts)), np.diff([*starts, len(order)]))
    counts = np.bincount(value * k + codes[order], minlength=len(starts) * k)
    counts = counts.reshape(len(starts), k)
    first = np.flatnonzero(np.diff(counts.argmax(axis=1), prepend=-1) != 0)
    in_run = np.add.reduceat(counts.max(axis=1), first)
    return int(in_run[in_run >= _LONG_RUN].sum())


def _right(group: NDArray[np.int64], codes: NDArray[Any], k: int) -> int:
    """Count the rows that the largest class of the other rows of their group tells."""
    n_groups = int(group.max()) + 1
    if n_groups * k > 4 * len(codes) + 1000:
        return 0
    counts = np.bincount(group * k + codes, minlength=n_groups * k)
    counts = counts.reshape(n_groups, k)
    top = np.argmax(counts, axis=1)
    others = counts.copy()
    others[np.arange(n_groups), top] = 0
    # A row of the largest class is told by the others only if these still lead.
    leads = counts.max(axis=1) - 1 >= np.maximum(others.max(axis=1), 1)
    return int(counts.max(axis=1)[leads].sum())
