"""The engine of one machine: threads over parts, coded in memory or on disk."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.files.in_parts import OpenPart
from treewright.growing.parts.coding import CodedPart, ColumnCoding, MemoryPart
from treewright.growing.parts.protocol import (
    CodedWork,
    GatheredWork,
    RowsWork,
    drained,
)

__all__ = ["DiskPart", "Local", "release_memory"]

Item = TypeVar("Item")


def release_memory() -> None:
    """Return to the system what this thread has freed; allocators keep it otherwise."""
    if "pyarrow" in sys.modules:
        sys.modules["pyarrow"].default_memory_pool().release_unused()
    _core.release_memory()


class DiskPart(CodedPart):
    """A part with one file per array, which is read when it is needed.

    Parameters
    ----------
    codings : sequence of ColumnCoding
        How the columns are coded.
    folder : path
        Where the files lie; it is made.
    """

    def __init__(self, codings: Sequence[ColumnCoding], folder: Path) -> None:
        super().__init__(codings)
        self._folder = folder
        self._types: dict[str, np.dtype[Any]] = {}
        self._n_rows = 0
        folder.mkdir(parents=True)

    def append(self, piece: MemoryPart) -> None:
        """Write more rows.

        Parameters
        ----------
        piece : MemoryPart
            The rows, coded in the same way.
        """
        for name, array in piece.arrays.items():
            self._types[name] = array.dtype
            with open(self._folder / name, "ab") as file:
                array.tofile(file)
        self._n_rows += piece.n_rows

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self._n_rows

    def array_of(self, name: str, begin: int, end: int) -> NDArray[Any] | None:
        """Read some rows of one of the arrays; None if there is none."""
        if name not in self._types:
            return None
        kind = self._types[name]
        file, at = self._folder / name, begin * kind.itemsize
        found: NDArray[Any] = np.fromfile(file, kind, end - begin, offset=at)
        return found


class Local:
    """Parts on this machine; see `Engine`.

    Parameters
    ----------
    rows : mapping of str to callable
        Opens the rows of each part.
    n_threads : int, default=1
        Parts that are worked on at a time.
    folder : path, optional
        Where coded parts are kept; None: in memory.
    """

    def __init__(
        self,
        rows: Mapping[str, OpenPart],
        n_threads: int = 1,
        folder: Path | None = None,
    ) -> None:
        self.names: Sequence[str] = list(rows)
        self._rows = rows
        self._n_threads = n_threads
        self._folder = folder
        self._coded: dict[str, CodedPart] = {}

    @classmethod
    def of_coded(cls, parts: Sequence[CodedPart], n_threads: int = 1) -> Local:
        """Return an engine whose parts are coded already.

        Parameters
        ----------
        parts : sequence of CodedPart
            The rows; an empty part is allowed.
        n_threads : int, default=1
            See `Local`.

        Returns
        -------
        Local
        """
        engine = cls({f"part {i}": tuple for i in range(len(parts))}, n_threads)
        engine._coded = dict(zip(engine.names, parts, strict=True))
        return engine

    def on_rows(self, work: RowsWork, argument: Any) -> Iterator[tuple[str, Any]]:
        """Run a function on the rows of every part."""

        def run(name: str) -> Any:
            result = work(name, self._rows[name](), argument)
            release_memory()
            return result

        return self._map(run, self.names)

    def keep(self, work: RowsWork, argument: Any) -> Iterator[tuple[str, Any]]:
        """Run a function on the rows of every part, and keep the coded rows."""
        places = {name: str(place) for place, name in enumerate(self.names)}

        def kept(name: str) -> Any:
            pieces = work(name, self._rows[name](), argument)
            if self._folder is None:
                in_memory: list[MemoryPart] = []
                report = drained(pieces, in_memory.append)
                self._coded[name] = MemoryPart.joined(in_memory)
                release_memory()
                return report
            on_disk: list[DiskPart] = []

            def write(piece: MemoryPart) -> None:
                if not on_disk:
                    place = self._folder / places[name]  # type: ignore[operator]
                    on_disk.append(DiskPart(piece.codings, place))
                on_disk[0].append(piece)

            report = drained(pieces, write)
            self._coded[name] = on_disk[0]
            release_memory()
            return report

        return self._map(kept, self.names)

    def on_coded(self, work: CodedWork, argument: Any) -> Iterator[tuple[str, Any]]:
        """Run a function on every coded part."""
        return self._map(lambda name: work(self._coded[name], argument), self.names)

    def on_gathered(
        self,
        take: CodedWork,
        make: GatheredWork,
        common: Any,
        gatherings: Sequence[Any],
    ) -> Iterator[tuple[int, Any]]:
        """Take something from every coded part and bring it together."""

        def made(place: int) -> Any:
            argument = common, gatherings[place]
            pieces = (take(self._coded[name], argument) for name in self.names)
            result = make(pieces, argument)
            release_memory()
            return result

        return self._map(made, range(len(gatherings)))

    def close(self) -> None:
        """Forget the coded parts."""
        self._coded.clear()

    def _map(
        self, work: Callable[[Item], Any], items: Sequence[Item]
    ) -> Iterator[tuple[Item, Any]]:
        """Yield results in the order of the items, and start none of them far ahead."""
        started: deque[tuple[Item, Future[Any]]] = deque()
        pool = ThreadPoolExecutor(self._n_threads)
        try:
            for item in items:
                started.append((item, pool.submit(work, item)))
                if len(started) > self._n_threads:
                    yield _first_of(started)
            while started:
                yield _first_of(started)
        finally:
            # After an interruption no further item is begun.
            pool.shutdown(cancel_futures=True)


def _first_of(started: deque[tuple[Item, Future[Any]]]) -> tuple[Item, Any]:
    item, future = started.popleft()
    return item, future.result()
