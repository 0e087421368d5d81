"""Whether the shares that leaves promise are the shares that come true."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from treewright.reading.answers.interval import wilson

__all__ = ["Reliability", "reliability"]


class Reliability(NamedTuple):
    """Groups of rows with about the same promise, from low to high."""

    promised: NDArray[np.float64]
    """Mean share that the tree promised."""
    observed: NDArray[np.float64]
    """Share that came true."""
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    """Interval of 95% for the true share."""
    n_rows: NDArray[np.int64]
    """Rows of the group."""


def reliability(
    promised: NDArray[np.float64], came_true: NDArray[np.bool_], groups: int = 10
) -> Reliability:
    """Compare promised with observed shares.

    Parameters
    ----------
    promised : float64 array
        The share that the tree gave to each row.
    came_true : bool array
        Whether it was so.
    groups : int, default=10
        Rows are put into at most so many groups of about the same number. Rows with
        the same promise, such as those of one leaf, are never parted.

    Returns
    -------
    Reliability
    """
    order = np.argsort(promised, kind="stable")
    p, hit = promised[order], came_true[order].astype(np.float64)
    n = len(p)
    # A group ends with the last of equal promises once it holds its part of the rows.
    ends = np.append(np.flatnonzero(np.diff(p) > 0) + 1, n)
    least = n / groups
    cuts, start = [], 0
    for end in ends.tolist():
        if end - start >= least - 1e-9 or end == n:
            cuts.append(end)
            start = end
    starts = np.array([0, *cuts[:-1]])
    counts = np.diff([0, *cuts])
    observed = np.add.reduceat(hit, starts) / counts
    low, high = wilson(observed, counts)
    return Reliability(np.add.reduceat(p, starts) / counts, observed, low, high, counts)
