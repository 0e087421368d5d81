"""Rows in named parts: Parquet files, a pyarrow dataset, or other batches."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Batches", "OpenPart"]

Batches: TypeAlias = "Iterable[pa.RecordBatch]"
"""Rows, some thousand at a time."""
OpenPart: TypeAlias = Callable[[], Batches]
"""Opens the rows of a part; it can be called more than once."""
