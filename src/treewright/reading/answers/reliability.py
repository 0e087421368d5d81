"""Reliability: do predicted shares match observed shares?"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from treewright.reading.answers.interval import wilson

__all__ = ["Reliability", "reliability"]


class Reliability(NamedTuple):
    """Groups of rows with similar predicted shares, from low to high."""

    promised: NDArray[np.float64]
    """Mean share that the tree predicted."""
    observed: NDArray[np.float64]
    """Share of the rows that had the class."""
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    """95% interval of the observed share."""
    n_rows: NDArray[np.int64]
    """Number of rows in the group."""


def reliability(
    promised: NDArray[np.float64],
    came_true: NDArray[np.bool_],
    groups: int = 10,
    weights: NDArray[np.float64] | None = None,
) -> Reliability:
    """Compare predicted with observed shares.

    Parameters
    ----------
    promised : float64 array
        The share that the tree predicted for each row.
    came_true : bool array
        Whether the row has the class.
    groups : int, default=10
        Maximum number of groups, of about equal size. Rows with the same predicted
        share, such as the rows of one leaf, stay in one group.
    weights : float64 array, optional
        Weights of the rows, priors counted. Shares count weights; intervals count
        as many rows of equal weight as would be as certain.

    Returns
    -------
    Reliability
    """
    own = np.ones(len(promised)) if weights is None else weights
    # A row of weight 0 is left out: a group of such rows has no share.
    order = np.argsort(promised, kind="stable")
    order = order[own[order] > 0]
    p, hit, own = promised[order], came_true[order].astype(np.float64), own[order]
    n = len(p)
    # A group may end only after the last row with the same predicted share.
    ends = np.append(np.flatnonzero(np.diff(p) > 0) + 1, n)
    least = n / groups
    cuts, start = [], 0
    for end in ends.tolist():
        if end - start >= least - 1e-9 or end == n:
            cuts.append(end)
            start = end
    starts = np.array([0, *cuts[:-1]])
    counts = np.diff([0, *cuts])
    total = np.add.reduceat(own, starts)
    effective = total**2 / np.add.reduceat(own**2, starts)
    observed = np.add.reduceat(own * hit, starts) / total
    low, high = wilson(observed, effective)
    mean = np.add.reduceat(own * p, starts) / total
    return Reliability(mean, observed, low, high, counts)
