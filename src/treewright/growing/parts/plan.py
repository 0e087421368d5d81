"""Where rows in parts are grown: in memory, from codes in memory, or codes on disk.

The limit holds for the whole process. Every phase has an estimate of the bytes that it
takes beside what the process has already; `benchmarks/scale.py` and
tests/estimators/test_memory_limit.py compare them with what is taken.
"""

from __future__ import annotations

from dataclasses import dataclass

from treewright.files.memory import shown_bytes
from treewright.growing.parts.coding import MOST_CODES, ROWS_OF_SLICE

__all__ = ["Plan", "RowsSize", "plan_for", "threads_to_read"]

_TABLE = 24
"""Bytes per cell of a table that is read and grown in memory; see `files.memory`."""
_PER_ROW = 24
"""Bytes per row: target, weight, node and order."""
_CODED, _VALUE = 2, 8
"""Bytes of a coded cell, and of the value kept beside it if its code is coarse."""
_READING = 6 << 20
"""Bytes per column and thread while a part is read: pages, a batch, and its digest."""
_CODES = 4 * 8 * MOST_CODES
"""Bytes per column: the values of its codes and their counts, here and in the core."""
_NODE = 4
"""Bytes per row that remember its node."""
_FEWEST_ENTRIES, _MOST_ENTRIES = 1 << 14, 1 << 20
_MOST_HOME_ROWS, _MOST_HOME_BYTES = 1 << 20, 1 << 30
"""Of one node. Its rows travel as one message, for which Spark has 2 GB."""
_SPARE = 16
"""One part in so many of the limit is left alone: what allocators keep."""


@dataclass(frozen=True)
class RowsSize:
    """The size of rows in parts.

    Attributes
    ----------
    n_rows, n_columns : int
        Of the table.
    n_coarse : int
        Columns of more than 65,534 different numbers.
    n_classes : int
        Classes of the target; 0: it is a number.
    largest_part : int
        Rows of the largest part.
    """

    n_rows: int
    n_columns: int
    n_coarse: int
    n_classes: int
    largest_part: int

    @property
    def table(self) -> int:
        """Bytes of the table in memory, while a tree grows from it."""
        return self.n_rows * (max(self.n_columns, 1) * _TABLE + _PER_ROW)

    @property
    def codes(self) -> int:
        """Bytes of all coded rows."""
        per_row = self.n_columns * _CODED + self.n_coarse * _VALUE + _PER_ROW
        return self.n_rows * per_row

    @property
    def entry(self) -> tuple[int, int]:
        """Bytes of an entry of a reply, here and in each thread that counts."""
        words = 2 + (self.n_classes or 4)
        # Here: three rounds of buckets, the sum of the replies, one reply and its
        # bytes. There: a cell, the reply and its bytes.
        return 100 + 48 * words, 28 + 28 * words

    def in_work(self, n_threads: int) -> int:
        """Bytes that threads take that read and code parts, and ask coded parts."""
        per_row = self.n_columns * _CODED + self.n_coarse * _VALUE + _PER_ROW
        a_slice = ROWS_OF_SLICE * per_row + self.largest_part * _NODE
        asking = self.n_columns * _CODES + n_threads * a_slice
        return max(asking, n_threads * _reading(self.n_columns))

    @property
    def gathered(self) -> int:
        """Bytes of a row that is gathered."""
        return self.n_columns * _VALUE + _PER_ROW

    def home(self, n_threads: int) -> int:
        """Bytes of a row that is gathered, with a subtree in each of the threads.

        Values are there twice, as they come from a part and together; sorted columns
        take 12 bytes.
        """
        return n_threads * (2 * self.gathered + self.n_columns * 12)


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
        The rows of a node of at most so many rows are gathered, and its subtree grown
        in memory.
    n_threads : int
        Parts that are worked on at a time.
    most_entries : int
        Entries of a reply, about.
    n_requests, bytes_moved : int
        Requests to all parts while the tree grew, and the bytes of their replies; 0 if
        it grew in memory.
    """

    where: str
    words: str
    home_rows: int
    n_threads: int = 1
    most_entries: int = _MOST_ENTRIES
    n_requests: int = 0
    bytes_moved: int = 0

    def __str__(self) -> str:
        """One sentence, without a full stop."""
        if not self.n_requests:
            return self.words
        moved = shown_bytes(self.bytes_moved)
        return f"{self.words}; {self.n_requests:,} requests, {moved} moved"


def threads_to_read(n_columns: int, limit: int, used: int, n_threads: int) -> int:
    """Return how many parts may be read at a time.

    Parameters
    ----------
    n_columns : int
        Of the rows.
    limit : int
        Bytes of memory that the process may use.
    used : int
        What it uses now.
    n_threads : int
        Threads at most.

    Returns
    -------
    int
        At least 1.
    """
    each, kept = _reading(n_columns), n_columns * _CODES
    found = (limit - limit // _SPARE - used - kept) // each
    return max(1, min(n_threads, found))


def plan_for(
    size: RowsSize,
    limit: int,
    used: int,
    n_threads: int = 1,
    *,
    on_cluster: bool = False,
) -> Plan:
    """Choose where to grow, by the bytes that each way takes.

    Parameters
    ----------
    size : RowsSize
        Of the rows.
    limit : int
        Bytes of memory that the process may use.
    used : int
        What it uses now.
    n_threads : int, default=1
        Parts that may be worked on at a time.
    on_cluster : bool, default=False
        Whether workers hold the coded rows, and this process only the tree.

    Returns
    -------
    Plan
        Its words say so if the limit is less than the process needs in any case.
    """
    shown = f"{size.n_rows:,} rows x {size.n_columns} columns"
    said = f"limit {shown_bytes(limit)}"
    if used + size.table <= limit:
        words = f"in memory: {shown} take about {shown_bytes(size.table)} ({said})"
        return Plan("memory", words, 0, n_threads)
    free = limit - limit // _SPARE - used - size.n_rows * _NODE
    while n_threads > 1 and size.in_work(n_threads) > free // 2:
        n_threads -= 1
    driver, worker = size.entry
    entry = driver + n_threads * worker
    free -= size.in_work(n_threads)
    if free < _FEWEST_ENTRIES * entry:
        said += ", less than the process itself needs"
    where, lie = "codes on disk", ", which lie on disk"
    if on_cluster:
        where, lie = "codes with the workers", ""
    elif free - size.codes >= limit // 4:
        where, lie = "codes in memory", ""
        free -= size.codes
    # Replies are gone before the rows of small nodes are gathered.
    entries = min(max(free // entry, _FEWEST_ENTRIES), _MOST_ENTRIES)
    most = min(_MOST_HOME_ROWS, _MOST_HOME_BYTES // size.gathered)
    home = min(max(free, 0) // size.home(n_threads), most)
    words = (
        f"{where}: {shown} take about {shown_bytes(size.table)} in memory and "
        f"{shown_bytes(size.codes)} as codes{lie} ({said})"
    )
    return Plan(where, words, home, n_threads, entries)


def _reading(n_columns: int) -> int:
    return max(n_columns, 1) * _READING
