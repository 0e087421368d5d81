"""Rows that occur more than once, beyond what few different values explain."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.table.intake import Finding
from treewright.table.table import Table

__all__ = ["copies"]

_COPIES = 0.05  # of the rows
_BY_CHANCE = 0.1  # of the copies, the most that chance may explain
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
    hashes = np.zeros(n, dtype=np.uint64)
    for place, data in enumerate(columns):
        hashes = _mixed(hashes, _bits(data), place)
    _, first, sizes = np.unique(hashes, return_index=True, return_counts=True)
    n_copies = n - len(sizes)
    if n_copies < _COPIES * n:
        return
    if n * _equal_by_chance(columns, first) > _BY_CHANCE * n_copies / n:
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


def _equal_by_chance(columns: list[NDArray[Any]], rows: NDArray[np.int64]) -> float:
    """Return the probability that two of these rows agree by chance.

    Columns are taken to be independent: it is the product, over columns, of the
    probability that two rows agree there.
    """
    q = 1.0
    for data in columns:
        counts = np.unique(_bits(data[rows]), return_counts=True)[1].astype(np.float64)
        q *= float(counts @ counts) / float(len(rows)) ** 2
    return q


def _bits(values: NDArray[Any]) -> NDArray[np.uint64]:
    """Return 64 bits that tell the values apart."""
    if values.dtype.kind != "f":
        return values.astype(np.int64).view(np.uint64)
    floats = np.asarray(values, np.float64) + 0.0  # one zero
    return np.where(np.isnan(floats), np.nan, floats).view(np.uint64)


def _mixed(
    hashes: NDArray[np.uint64], values: NDArray[np.uint64], place: int
) -> NDArray[np.uint64]:
    """Mix one more column into a hash of each row (splitmix64's finaliser)."""
    mixed = hashes * np.uint64(0x9E3779B97F4A7C15) + values + np.uint64(place + 1)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(mixed ^ (mixed >> np.uint64(31)))
