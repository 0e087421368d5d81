"""The engine of one machine: threads over coded parts, in memory or on disk."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.growing.parts.coding import CodedPart, ColumnCoding
from treewright.growing.parts.protocol import Rows, answer, merged, rows_of_node

__all__ = ["DiskPart", "Local"]


class DiskPart(CodedPart):
    """A part with one file per column, which is read when it is needed.

    Parameters
    ----------
    codings : sequence of ColumnCoding
        How the columns are coded.
    folder : path
        Where the files lie.
    arrays : mapping of str to array
        What to write; see `MemoryPart`.
    """

    def __init__(
        self,
        codings: Sequence[ColumnCoding],
        folder: Path,
        arrays: dict[str, NDArray[Any]],
    ) -> None:
        super().__init__(codings)
        self._folder = folder
        self._names = frozenset(arrays)
        folder.mkdir(parents=True)
        for name, array in arrays.items():
            np.save(folder / f"{name}.npy", array)

    def _array(self, name: str) -> NDArray[Any] | None:
        if name not in self._names:
            return None
        found: NDArray[Any] = np.load(self._folder / f"{name}.npy")
        return found


class Local:
    """Parts on this machine; see `Parts`.

    Parameters
    ----------
    parts : sequence of CodedPart
        The rows; an empty part is allowed.
    n_threads : int, default=1
        Parts that are worked on at a time.
    """

    def __init__(self, parts: Sequence[CodedPart], n_threads: int = 1) -> None:
        self._parts = parts
        self._n_threads = n_threads
        self._gathering = Lock()
        self.n_passes = 0
        self.bytes_moved = 0

    def ask(self, kernel: str, request: bytes) -> bytes:
        """Return the merged reply of all parts."""
        with ThreadPoolExecutor(self._n_threads) as pool:
            replies = pool.map(lambda part: answer(kernel, part, request), self._parts)
            self.n_passes += 1
            return merged(kernel, request, map(self._noted, replies))

    def gather(self, node: int, homes: Sequence[int], request: bytes) -> Rows:
        """Return the rows of one node."""
        # Several threads may ask, and routing moves the rows of a part.
        with self._gathering:
            found = [rows_of_node(part, node, request) for part in self._parts]
        columns = [
            np.concatenate(each) for each in zip(*(f[0] for f in found), strict=True)
        ]
        weights = [f[2] for f in found if f[2] is not None]
        return (
            columns,
            np.concatenate([f[1] for f in found]),
            np.concatenate(weights) if weights else None,
        )

    def _noted(self, reply: bytes) -> bytes:
        self.bytes_moved += len(reply)
        return reply
