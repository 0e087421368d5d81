"""Where to cut a column of numbers into intervals: quantiles, widths, MDL.

A cut c divides values into x <= c and x > c. Equal values stay together, rows without
a value or a weight are ignored, and a row of weight k counts as k rows. Weights are
added as whole numbers, so that the order of the rows does not matter.
"""

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["codes_of", "mdl_cuts", "quantile_cuts", "width_cuts"]

_EXACT_BITS = 52
_DAY, _SECOND = 86_400_000_000.0, 1_000_000.0
_TIMES = (_DAY, 3600 * _SECOND, 60 * _SECOND, _SECOND, 1.0)
_STEPS: dict[str, tuple[float, ...]] = {
    "int": (1.0,),
    "bool": (1.0,),
    "date": (_DAY,),
    "datetime": _TIMES,
    "duration": _TIMES,
    "time": _TIMES[1:],
}
"""Steps between the values of a type, coarsest first. A cut at a multiple of a step
can be shown as a value of that type."""
_TIE = 1e-12


class _Runs(NamedTuple):
    """A sorted column, as runs of equal values."""

    values: NDArray[np.float64]
    """The distinct values, ascending."""
    start: NDArray[np.intp]
    """Where the run of each value starts among the sorted rows."""
    order: NDArray[np.intp] | None
    """The rows in order of value; None when only counts are needed."""
    weights: NDArray[np.int64] | None
    """Weights of the rows as whole numbers, in the same order; None: all 1."""
    n_rows: int
    unit: float
    """The whole number that stands for a weight of 1."""


def quantile_cuts(
    values: NDArray[Any], weights: NDArray[np.float64] | None, n: int, stored_as: str
) -> tuple[float, ...]:
    """Return the cuts that make n intervals of about the same weight.

    Parameters
    ----------
    values : float array
        The column; NaN is missing.
    weights : float64 array or None
        One per row; None: all 1.
    n : int
        Number of intervals, 2 or more.
    stored_as : str
        The type of the caller's values; see `Feature`.

    Returns
    -------
    tuple of float
        Ascending. Cut j lies between the two neighbouring values where the weight
        below is nearest to j/n of the total; on a tie, the higher place. If values
        repeat, several cuts may fall on one place, and there are fewer than n - 1.
    """
    runs = _sorted(values, weights, with_order=weights is not None)
    below = np.cumsum(_totals(runs))
    if len(below) < 2:
        return ()
    total, last = int(below[-1]), len(below) - 2
    wanted = [-(-j * total // n) for j in range(1, n)]
    first = np.minimum(np.searchsorted(below, wanted), last).tolist()
    places = set()
    for j, place in zip(range(1, n), first, strict=True):
        over = int(below[place]) * n - j * total
        under = j * total - int(below[place - 1]) * n if place else math.inf
        places.add(place - 1 if under < over else place)
    return _between(runs.values, sorted(places), stored_as)


def width_cuts(
    values: NDArray[Any], weights: NDArray[np.float64] | None, n: int, stored_as: str
) -> tuple[float, ...]:
    """Return the cuts that make n intervals of the same width.

    Parameters
    ----------
    values, weights, n, stored_as
        As for `quantile_cuts`. Rows of weight 0 are ignored; other weights have no
        effect.

    Returns
    -------
    tuple of float
        Ascending, between the smallest and the largest finite value. Whole numbers
        and dates are cut at whole numbers and dates, so there may be fewer cuts.
    """
    known = np.isfinite(values)
    if weights is not None:
        known &= weights > 0
    if not known.any():
        return ()
    low, high = float(values[known].min()), float(values[known].max())
    edges = [low * (1 - j / n) + high * (j / n) for j in range(1, n)]
    if stored_as in _STEPS:
        step = _STEPS[stored_as][-1]
        edges = [math.floor(edge / step) * step for edge in edges]
    else:
        edges = [float(f"{edge:.15g}") for edge in edges]
    return tuple(sorted({edge + 0.0 for edge in edges if low <= edge < high}))


def mdl_cuts(
    values: NDArray[Any],
    weights: NDArray[np.float64] | None,
    codes: NDArray[np.int32],
    n_classes: int,
    stored_as: str,
) -> tuple[float, ...]:
    """Return the cuts of Fayyad and Irani (1993): by entropy, as long as a cut pays.

    Parameters
    ----------
    values, weights, stored_as
        As for `quantile_cuts`.
    codes : int32 array
        The class of each row.
    n_classes : int
        Number of classes.

    Returns
    -------
    tuple of float
        Ascending. The cut of least entropy (the lowest on a tie) divides the values
        in two, and the same is done in both parts, as long as the gain exceeds the
        price of describing the cut: (log2(N - 1) + log2(3^k - 2) - k H + k1 H1 +
        k2 H2) / N, with N the weight and k the number of classes of a part.
    """
    runs = _sorted(values, weights, with_order=True)
    if len(runs.values) < 2 or runs.order is None:
        return ()
    lengths = np.diff(runs.start, append=runs.n_rows)
    cell = np.repeat(np.arange(len(lengths)), lengths) * n_classes
    cell += codes[runs.order]
    totals = np.bincount(cell, runs.weights, len(lengths) * n_classes)
    counts = totals.reshape(-1, n_classes) / runs.unit  # a power of two: exact
    # The best cut never lies between two values that have only the same class.
    candidates = np.flatnonzero(_differ(counts))
    below = np.cumsum(counts, axis=0)[np.append(candidates, len(counts) - 1)]
    below = np.concatenate([np.zeros((1, n_classes)), below])
    open_parts, places = [(0, len(below) - 1)], []
    while open_parts:
        first, end = open_parts.pop()
        place = _mdl_place(below[first : end + 1] - below[first])
        if place is not None:
            cut = first + place + 1
            places.append(int(candidates[cut - 1]))
            open_parts += [(first, cut), (cut, end)]
    return _between(runs.values, sorted(places), stored_as)


def _differ(counts: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return, for each value but the last, whether it and the next mix classes."""
    only = np.where((counts > 0).sum(axis=1) == 1, counts.argmax(axis=1), -1)
    return np.asarray((only[1:] != only[:-1]) | (only[1:] < 0))


def codes_of(values: NDArray[Any], cuts: tuple[float, ...]) -> NDArray[np.int32]:
    """Return the number of the interval that each value lies in; -1 for NaN.

    Parameters
    ----------
    values : float array
        Numbers.
    cuts : tuple of float
        Ascending; cut i is the upper bound of interval i, and belongs to it.

    Returns
    -------
    int32 array
    """
    codes = np.searchsorted(np.array(cuts, np.float64), values).astype(np.int32)
    codes[np.isnan(values)] = -1
    return codes


def _sorted(
    values: NDArray[Any], weights: NDArray[np.float64] | None, *, with_order: bool
) -> _Runs:
    known = ~np.isnan(values)
    if weights is not None:
        known &= weights > 0
    rows = np.flatnonzero(known)
    kept = values[rows].astype(np.float64)
    order = None
    if with_order:
        by_value = np.argsort(kept)
        order, kept = rows[by_value], kept[by_value]
    else:
        kept.sort()
    differs = np.ones(len(kept), np.bool_)
    differs[1:] = kept[1:] != kept[:-1]
    start = np.flatnonzero(differs)
    whole, unit = None, 1.0
    if weights is not None:
        whole, unit = _whole(weights[order])
    return _Runs(kept[start] + 0.0, start, order, whole, len(kept), unit)


def _whole(weights: NDArray[np.float64]) -> tuple[NDArray[np.int64], float]:
    """Return weights as whole numbers whose sum is exact, and the one that means 1."""
    if not len(weights):
        return np.empty(0, np.int64), 1.0
    largest = math.frexp(float(weights.max()))[1] + len(weights).bit_length()
    shift = _EXACT_BITS - largest
    # A weight far below the others still counts as 1.
    whole = np.maximum(np.rint(np.ldexp(weights, shift)), 1).astype(np.int64)
    return whole, math.ldexp(1.0, shift)


def _totals(runs: _Runs) -> NDArray[np.int64]:
    """Return the weight of each distinct value."""
    if runs.weights is None:
        return np.diff(runs.start, append=runs.n_rows)
    if not len(runs.start):
        return np.empty(0, np.int64)
    return np.add.reduceat(runs.weights, runs.start)


def _mdl_place(below: NDArray[np.float64]) -> int | None:
    """Return the value after which a part is cut, or None if no cut pays.

    Row i of `below` holds the class weights of the first i values.
    """
    whole = below[-1]
    if len(below) < 3 or np.count_nonzero(whole) < 2:
        return None
    left = below[1:-1]
    bits = _bits(left) + _bits(whole - left)
    least = float(bits.min())
    total = float(whole.sum())
    place = int(np.argmax(bits <= least + _TIE * total))
    parts = [whole, left[place], whole - left[place]]
    k, k1, k2 = (int(np.count_nonzero(part)) for part in parts)
    h, h1, h2 = (float(_bits(part)) / max(float(part.sum()), 1e-300) for part in parts)
    price = math.log2(max(total - 1, 1.0)) + math.log2(3**k - 2)
    price -= k * h - k1 * h1 - k2 * h2
    return place if float(_bits(whole)) - least > price else None


def _bits(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the entropy of class weights (last axis) times their sum."""
    total = weights.sum(axis=-1)
    bits = _x_log2(total) - _x_log2(weights).sum(axis=-1)
    return np.asarray(np.maximum(bits, 0.0))


def _x_log2(x: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(x * np.log2(np.maximum(x, 1e-300)))  # 0 log 0 is 0


def _between(
    values: NDArray[np.float64], places: list[int], stored_as: str
) -> tuple[float, ...]:
    """Return a cut between each of these values and the next one."""
    pairs = [(float(values[place]), float(values[place + 1])) for place in places]
    return tuple(_cut(low, high, stored_as) + 0.0 for low, high in pairs)


def _cut(low: float, high: float, stored_as: str) -> float:
    """Return the shortest decimal near the middle with low <= cut < high."""
    middle = low / 2 + high / 2
    if not math.isfinite(middle):
        return low
    for short in _shorter(low, middle, stored_as):
        if low <= short < high:
            return short
    return low


def _shorter(low: float, middle: float, stored_as: str) -> Iterator[float]:
    """Yield numbers near the middle or the lower end, shortest first."""
    steps = _STEPS.get(stored_as, ())
    if stored_as not in ("int", "bool") and steps:
        yield from (math.floor(middle / step) * step for step in steps)
        return
    middle = math.floor(middle) if steps else middle
    for digits in range(1, 18):
        yield float(f"{middle:.{digits}g}")
        yield float(f"{low:.{digits}g}")
