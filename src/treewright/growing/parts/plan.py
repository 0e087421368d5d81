"""Where rows in parts are grown: in memory, from codes in memory, or codes on disk."""

from __future__ import annotations

from dataclasses import dataclass

from treewright.files.memory import shown_bytes

__all__ = ["Plan", "plan_for"]

_READING = 24
"""Bytes of memory per cell while a table is read; see `files.memory`."""
_GROWING = 16
"""Bytes of memory per cell while a tree grows from a table in memory."""
_CODED, _VALUE = 2, 8
"""Bytes of a coded cell, and of the value kept beside it if its code is coarse."""
_PER_ROW = 24
"""Bytes per row: target, weight, node and order."""
_HOME = 80
"""Bytes per cell of a node that is gathered, while its subtree grows."""
_PIECES = 60 << 20
"""Bytes of the pieces that are read and coded at a time, per thread."""
_MOST_HOME_ROWS = 1 << 20


@dataclass(frozen=True)
class Plan:
    """Where to grow.

    Attributes
    ----------
    where : {'memory', 'codes in memory', 'codes on disk'}
        The choice. It never changes the tree.
    words : str
        The estimate, in a sentence.
    home_rows : int
        A node of at most so many rows is gathered and grown in memory.
    n_requests, bytes_moved : int
        Requests to all parts while the tree grew, and the bytes of their replies; 0 if
        it grew in memory.
    """

    where: str
    words: str
    home_rows: int
    n_requests: int = 0
    bytes_moved: int = 0

    def __str__(self) -> str:
        """One sentence, without a full stop."""
        if not self.n_requests:
            return self.words
        moved = shown_bytes(self.bytes_moved)
        return f"{self.words}; {self.n_requests:,} requests, {moved} moved"


def plan_for(n_rows: int, n_columns: int, n_coarse: int, limit: int) -> Plan:
    """Choose where to grow, by the bytes that each way takes.

    Parameters
    ----------
    n_rows, n_columns : int
        Size of the table.
    n_coarse : int
        Columns of more than 65,534 different numbers.
    limit : int
        Bytes of memory that may be used.

    Returns
    -------
    Plan
    """
    cells = n_rows * max(n_columns, 1)
    table = cells * max(_READING, _GROWING) + n_rows * _PER_ROW
    codes = cells * _CODED + n_rows * (n_coarse * _VALUE + _PER_ROW)
    of_home = max(n_columns, 1) * _HOME + _PER_ROW
    size = f"{n_rows:,} rows x {n_columns} columns"
    said = f"limit {shown_bytes(limit)}"
    if table <= limit:
        words = f"in memory: {size} take about {shown_bytes(table)} ({said})"
        return Plan("memory", words, 0)
    left = limit - codes - _PIECES
    where, disk = "codes in memory", ""
    if left < limit // 2:
        where, left = "codes on disk", limit - _PIECES
        disk = f", of which about {shown_bytes(codes)} lie on disk"
    home = min(_MOST_HOME_ROWS, max(0, left // 2) // of_home)
    words = (
        f"{where}: {size} take about {shown_bytes(table)} in memory and "
        f"{shown_bytes(codes)} as codes{disk} ({said})"
    )
    return Plan(where, words, home)
