"""The engine of one machine: threads over parts, coded in memory or on disk."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.files.in_parts import OpenPart
from treewright.growing.parts.coding import CodedPart, ColumnCoding, MemoryPart
from treewright.growing.parts.protocol import CodedWork, RowsWork

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
        arrays: Mapping[str, NDArray[Any]],
    ) -> None:
        super().__init__(codings)
        self._folder = folder
        self._names = frozenset(arrays)
        folder.mkdir(parents=True)
        for name, array in arrays.items():
            np.save(folder / f"{name}.npy", array)

    @classmethod
    def of(cls, part: MemoryPart, folder: Path) -> DiskPart:
        """Write a part that is in memory."""
        return cls(part.codings, folder, part.arrays)

    def _array(self, name: str) -> NDArray[Any] | None:
        if name not in self._names:
            return None
        found: NDArray[Any] = np.load(self._folder / f"{name}.npy")
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
        return self._map(lambda name: work(name, self._rows[name](), argument))

    def keep(self, work: RowsWork, argument: Any) -> Iterator[tuple[str, Any]]:
        """Run a function on the rows of every part, and keep the coded part."""
        places = {name: str(place) for place, name in enumerate(self.names)}

        def kept(name: str) -> Any:
            part, report = work(name, self._rows[name](), argument)
            self._coded[name] = self._stored(part, places[name])
            return report

        return self._map(kept)

    def on_coded(self, work: CodedWork, argument: Any) -> Iterator[tuple[str, Any]]:
        """Run a function on every coded part."""
        return self._map(lambda name: work(self._coded[name], argument))

    def _map(self, work: Callable[[str], Any]) -> Iterator[tuple[str, Any]]:
        with ThreadPoolExecutor(self._n_threads) as pool:
            yield from zip(self.names, pool.map(work, self.names), strict=True)

    def _stored(self, part: MemoryPart, place: str) -> CodedPart:
        if self._folder is None:
            return part
        return DiskPart.of(part, self._folder / place)
