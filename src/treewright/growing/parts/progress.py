"""How far a tree has grown from rows in parts, in the words of a progress line."""

from __future__ import annotations

import math
from dataclasses import dataclass

from treewright.files.memory import shown_bytes

__all__ = ["PartsProgress", "RowsProgress", "expected_levels"]

_UNEVEN = 1.5
"""Levels that a tree needs, compared with one whose splits halve the rows."""


@dataclass(frozen=True)
class RowsProgress:
    """How far a pass over all rows is.

    Attributes
    ----------
    doing : str
        What is done to the rows.
    n_done, n_parts : int
        Parts that are done, and all of them.
    """

    doing: str
    n_done: int
    n_parts: int

    def __str__(self) -> str:
        """One part of a sentence."""
        return f"{self.doing} the rows, {self.n_done:,} of {self.n_parts:,} parts"


@dataclass(frozen=True)
class PartsProgress:
    """What the last request asked, and what all of them moved.

    Attributes
    ----------
    level : int
        Depth of the nodes that are open.
    n_rows : int
        Number of rows.
    n_open : int
        Buckets that are counted again, finer.
    n_requests, bytes_moved : int
        Requests to all parts so far, and the bytes of the replies.
    n_levels : int
        About how many levels will be asked for; see `expected_levels`.
    goes_home : bool
        Whether small nodes are then grown in memory.
    tree, n_trees : int
        Which of several trees this is, counted from 1.
    """

    level: int = 0
    n_rows: int = 0
    n_open: int = 0
    n_requests: int = 0
    bytes_moved: int = 0
    n_levels: int = 1
    goes_home: bool = False
    tree: int = 1
    n_trees: int = 1

    def __str__(self) -> str:
        """Level, rows, open buckets and bytes."""
        tree = f"tree {self.tree}/{self.n_trees}, " if self.n_trees > 1 else ""
        buckets = f"{self.n_open:,} open bucket{'s' * (self.n_open != 1)}"
        return (
            f"{tree}level {self.level}, {self.n_rows:,} rows, {buckets}, "
            f"{shown_bytes(self.bytes_moved)} moved"
        )

    def done(self, share: float) -> float:
        """Guess which share of the work on all trees is done.

        Parameters
        ----------
        share : float
            Share of the rows, of all trees together, that have reached their leaf. Few
            rows do before the last levels, so the levels count too: as half of the
            work if small nodes are then grown in memory.

        Returns
        -------
        float
        """
        of_tree = min(max(share * self.n_trees - (self.tree - 1), 0.0), 1.0)
        levels = min(self.level / max(self.n_levels, 1), 1.0)
        if self.goes_home:
            guess = (levels + of_tree) / 2
        else:
            guess = max(0.99 * levels, of_tree)
        return (self.tree - 1 + guess) / self.n_trees


def expected_levels(n_rows: int, home_rows: int, max_depth: int | None) -> int:
    """Guess how many levels of a tree are asked from parts.

    Parameters
    ----------
    n_rows, home_rows : int
        Number of rows, and rows of a node that is grown in memory.
    max_depth : int or None
        The depth at which growing stops.

    Returns
    -------
    int
    """
    halvings = math.log2(max(n_rows / max(home_rows, 2), 2.0))
    levels = math.ceil(_UNEVEN * halvings)
    return levels if max_depth is None else min(levels, max_depth)
