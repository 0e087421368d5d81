"""Rows left out of growing, counted where they end: what pruning needs of them.

Rows that end in the same node with the same target and weight are one entry with a
count. Counts of several parts of a table add up, and the entries have one order, so the
figures of pruning do not depend on where the rows lie.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.table.table import ClassTarget, NumericTarget, Target
from treewright.tree.data import TreeData
from treewright.tree.ended_rows import EndedRows

__all__ = ["Counts", "counted", "joined_counts", "rows_of_counts"]

Counts = tuple[
    NDArray[np.int32], NDArray[Any], NDArray[np.float64] | None, NDArray[np.int64]
]
"""Ends, targets, weights (None: all 1) and numbers of rows, in ascending order."""


def counted(
    ends: NDArray[np.int32], y: NDArray[Any], weights: NDArray[np.float64] | None
) -> Counts:
    """Count rows by where they end, their target and their weight.

    Parameters
    ----------
    ends : int32 array
        Where each row ends.
    y : array
        Its class or number.
    weights : float64 array or None
        Its weight.

    Returns
    -------
    tuple
        See `Counts`.
    """
    return joined_counts([(ends, y, weights, np.ones(len(ends), np.int64))])


def joined_counts(found: Sequence[Counts]) -> Counts:
    """Return the counts of several parts as one.

    Parameters
    ----------
    found : sequence of tuple
        At least one; see `Counts`.

    Returns
    -------
    tuple
    """
    ends, y = (np.concatenate([each[i] for each in found]) for i in (0, 1))
    counts = np.concatenate([each[3] for each in found])
    keys = [y, ends]
    weights = None
    if found[0][2] is not None:
        weights = np.concatenate([each[2] for each in found])
        keys.insert(0, weights)
    order = np.lexsort(keys)
    new = np.zeros(len(order), np.bool_)
    new[:1] = True
    for key in keys:
        ordered = key[order]
        new[1:] |= ordered[1:] != ordered[:-1]
    first = np.flatnonzero(new)
    at = order[first]
    sums = np.add.reduceat(counts[order], first) if len(first) else counts[:0]
    return ends[at], y[at], None if weights is None else weights[at], sums


def rows_of_counts(
    tree: TreeData, counts: Counts, scale: NDArray[np.float64] | None = None
) -> EndedRows:
    """Return counted rows in the form that pruning takes.

    Parameters
    ----------
    tree : TreeData
        The tree in which they end.
    counts : tuple
        See `Counts`.
    scale : float64 array or None
        See `NewRows`.

    Returns
    -------
    EndedRows
    """
    ends, y, weights, n = counts
    info = tree.schema.target
    assert info is not None, "a tree has a target"
    target: Target = NumericTarget(y, info.name)
    if info.kind == "class":
        target = ClassTarget(y, np.array(info.classes, object), info.name)
    own = n.astype(np.float64) if weights is None else weights * n
    return EndedRows((), target, own, scale, tree=tree, node=ends)
