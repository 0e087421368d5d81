"""Dividing rows by the hash of their values, the same on every machine."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from treewright.table.row_hashes import mixed, value_hashes
from treewright.table.table import NumericTarget, Table

__all__ = ["HELD_OUT", "HashFolds"]

HELD_OUT = 1
"""The fold of the rows that are held out, if some are."""


@dataclass(frozen=True)
class HashFolds:
    """How rows are divided by the hash of their values.

    The hash of a row depends on its columns by name, on its target and on nothing else,
    so every machine divides the same rows in the same way, wherever they lie. Rows that
    are equal stay together. Of a number only the digits count, not the power of two, so
    that a target in another unit gives the same folds.

    Attributes
    ----------
    n_folds : int
        Number of folds; 2: the second holds a share of the rows.
    share : float
        That share.
    seed : int
        Other seeds give other folds.
    """

    n_folds: int
    share: float = 0.0
    seed: int = 0

    @classmethod
    def held_out(cls, share: float, seed: int) -> HashFolds:
        """Return the division that holds out a share of the rows, as `HELD_OUT`."""
        return cls(2, share, seed)

    def of(self, table: Table) -> NDArray[np.uint8]:
        """Return the number of the fold of each row.

        Parameters
        ----------
        table : Table
            The rows; weights do not matter.

        Returns
        -------
        uint8 array
        """
        seed = np.uint64(self.seed % 2**64)
        hashes = mixed(value_hashes(_without_unit(table)) + seed)
        # The upper half is exact as a float.
        places = (hashes >> np.uint64(32)).astype(np.float64) / 2.0**32
        if self.share:
            return (places < self.share).astype(np.uint8)
        return (places * self.n_folds).astype(np.uint8)


def _without_unit(table: Table) -> Table:
    """Return the table with the fraction of each number of the target, 0.5 to 1."""
    target = table.target
    if not isinstance(target, NumericTarget):
        return table
    return replace(table, target=replace(target, values=np.frexp(target.values)[0]))
