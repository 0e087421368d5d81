"""How far a tree has grown from rows in parts, in the words of a progress line."""

from __future__ import annotations

from dataclasses import dataclass

from treewright.files.memory import shown_bytes

__all__ = ["PartsProgress"]


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
    """

    level: int = 0
    n_rows: int = 0
    n_open: int = 0
    n_requests: int = 0
    bytes_moved: int = 0

    def __str__(self) -> str:
        """Level, rows, open buckets, requests and bytes."""
        return (
            f"level {self.level}, {self.n_rows:,} rows, {self.n_open:,} open buckets, "
            f"{self.n_requests:,} requests, {shown_bytes(self.bytes_moved)} moved"
        )
