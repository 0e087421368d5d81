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
_IN_WORK, _ROWS_IN_WORK = 10, 1 << 20
"""Bytes per cell of a part that is read, coded or asked, and the rows of a part."""
_PROCESS = 256 << 20
"""Bytes of the process itself: Python and the libraries."""
_MOST_HOME_ROWS = 1 << 20


@dataclass(frozen=True)
class Plan:
    """Where to grow.

    Attributes
    ----------
    where : {'memory', 'codes in memory', 'codes on disk', 'codes with the workers'}
        The choice. It never changes the tree.
    words : str
        The estimate, in a sentence.
    home_rows : int
        A node of at most so many rows is gathered and grown in memory.
    n_threads : int
        Parts that are worked on at a time.
    n_requests, bytes_moved : int
        Requests to all parts while the tree grew, and the bytes of their replies; 0 if
        it grew in memory.
    """

    where: str
    words: str
    home_rows: int
    n_threads: int = 1
    n_requests: int = 0
    bytes_moved: int = 0

    def __str__(self) -> str:
        """One sentence, without a full stop."""
        if not self.n_requests:
            return self.words
        moved = shown_bytes(self.bytes_moved)
        return f"{self.words}; {self.n_requests:,} requests, {moved} moved"


def plan_for(
    n_rows: int, n_columns: int, n_coarse: int, limit: int, n_threads: int = 1
) -> Plan:
    """Choose where to grow, by the bytes that each way takes.

    Parameters
    ----------
    n_rows, n_columns : int
        Size of the table.
    n_coarse : int
        Columns of more than 65,534 different numbers.
    limit : int
        Bytes of memory that may be used.
    n_threads : int, default=1
        Parts that may be worked on at a time.

    Returns
    -------
    Plan
    """
    n_columns = max(n_columns, 1)
    cells = n_rows * n_columns
    table = cells * max(_READING, _GROWING) + n_rows * _PER_ROW
    codes = cells * _CODED + n_rows * (n_coarse * _VALUE + _PER_ROW)
    size = f"{n_rows:,} rows x {n_columns} columns"
    said = f"limit {shown_bytes(limit)}"
    if table <= limit:
        words = f"in memory: {size} take about {shown_bytes(table)} ({said})"
        return Plan("memory", words, 0, n_threads)
    in_work = min(n_rows, _ROWS_IN_WORK) * n_columns * _IN_WORK
    n_threads = max(1, min(n_threads, limit // 4 // max(in_work, 1)))
    left = limit - _PROCESS - n_threads * in_work
    where, disk = "codes in memory", ""
    if left - codes < limit // 4:
        where, disk = "codes on disk", ", which lie on disk"
    else:
        left -= codes
    of_home = n_columns * _HOME + _PER_ROW
    home = min(_MOST_HOME_ROWS, max(0, left // 2) // of_home)
    words = (
        f"{where}: {size} take about {shown_bytes(table)} in memory and "
        f"{shown_bytes(codes)} as codes{disk} ({said})"
    )
    return Plan(where, words, home, n_threads)
