"""Rows that occur more than once, beyond what few different values explain."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.table.intake import Finding
from treewright.table.row_hashes import bits, value_hashes
from treewright.table.table import Table

__all__ = ["copies"]

_COPIES = 0.05  # of the rows
_BY_CHANCE = 0.1  # of the copies, the most that chance may explain
_FEWEST_ALONE = 20  # rows with a value of their own, to judge by
_FOLDS = 10


def copies(table: Table) -> Iterator[Finding]:
    """Find rows that occur again, target included.

    Parameters
    ----------
    table : Table
        The table.

    Yields
    ------
    Finding
        At most one, and none where few different values explain the copies.
    """
    n = table.n_rows
    columns = [column.data for column in table.columns]
    if table.target is not None:
        columns.append(table.target.data)
    _, first, sizes = np.unique(
        value_hashes(table), return_index=True, return_counts=True
    )
    n_copies = n - len(sizes)
    if n_copies < _COPIES * n:
        return
    if _explained([data[first] for data in columns], sizes > 1):
        return
    # A row has a copy in the other folds unless all its copies share its fold.
    told = float(sizes @ (1.0 - (1 / _FOLDS) ** (sizes - 1.0))) / n
    yield Finding(
        "copies",
        None,
        f"{n_copies:,} of {n:,} rows are exact copies of other rows; in "
        f"{_FOLDS}-fold cross-validation {told:.0%} of the rows are tested on a tree "
        "that has seen a copy of them",
        "Over-fitting goes unseen: drop the copies, keep one with a weight, or pass "
        "groups=.",
    )


def _explained(columns: list[NDArray[Any]], copied: NDArray[np.bool_]) -> bool:
    """Return whether few different values explain the copies of these distinct rows.

    They do if two rows often agree by chance, taking columns as independent. They also
    do if rows with a value of their own, which no other distinct row has, are copied
    more rarely than other rows: mistakes copy rows whatever their values are.
    """
    n, agree = len(copied), 1.0
    alone = np.zeros(n, dtype=np.bool_)
    for data in columns:
        _, place, counts = np.unique(
            bits(data), return_inverse=True, return_counts=True
        )
        alone |= counts[place] == 1
        agree *= float(counts @ counts.astype(np.float64)) / n**2
    if n * agree > _BY_CHANCE * copied.mean() or alone.sum() < _FEWEST_ALONE:
        return True
    return bool(copied[alone].mean() < copied.mean() / 2)
