"""What a worker of a cluster runs; engines send these functions to it."""

from __future__ import annotations

import pickle
import struct
from typing import TYPE_CHECKING, Any

import numpy as np

from treewright._version import __version__
from treewright.errors import ClusterError
from treewright.growing.parts.coding import CodedPart, MemoryPart
from treewright.growing.parts.protocol import drained

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from treewright.files.in_parts import Batches

__all__ = [
    "Task",
    "check_part",
    "coded",
    "digest_of",
    "make",
    "on_coded",
    "on_rows",
    "take",
]


_FACTOR, _SHIFT = np.uint64(0xD6E8FEB86659FD93), np.uint64(32)


class Task:
    """A function and its argument, as a worker receives them.

    Both travel as bytes, so that an engine need not understand them, and with the
    version of treewright that sent them.

    Parameters
    ----------
    work : callable
        A function of a module.
    argument : object
        Its last argument.
    """

    def __init__(self, work: Any, argument: Any) -> None:
        self._version = __version__
        self._pickled = pickle.dumps((work, argument), pickle.HIGHEST_PROTOCOL)

    def opened(self) -> tuple[Any, Any]:
        """Return the function and its argument.

        Raises
        ------
        ClusterError
            If another version of treewright sent them.
        """
        if self._version != __version__:
            raise ClusterError(
                f"A worker runs treewright {__version__}, but the fit was started with "
                f"treewright {self._version}. Install the same version everywhere."
            )
        work, argument = pickle.loads(self._pickled)
        return work, argument


def on_rows(task: Task, name: str, batches: Batches) -> Any:
    """Run a function on the rows of a part."""
    work, argument = task.opened()
    return work(name, batches, argument)


def coded(task: Task, name: str, batches: Batches) -> tuple[MemoryPart, bytes, Any]:
    """Return a coded part, its digest, and the report of the function that made it."""
    pieces: list[MemoryPart] = []
    report = drained(on_rows(task, name, batches), pieces.append)
    part = MemoryPart.joined(pieces)
    return part, digest_of(part), report


def on_coded(task: Task, part: CodedPart) -> Any:
    """Run a function on a coded part."""
    work, argument = task.opened()
    return work(part, argument)


def take(task: Task, part: CodedPart, gatherings: Iterable[Any]) -> Iterator[Any]:
    """Take from a coded part what each gathering needs; see `Engine.on_gathered`."""
    work, common = task.opened()
    return (work(part, (common, each)) for each in gatherings)


def make(task: Task, pieces: Iterable[Any], gathering: Any) -> Any:
    """Run a function on what was taken from every part."""
    work, common = task.opened()
    return work(pieces, (common, gathering))


def check_part(name: str, digest: bytes, expected: bytes) -> None:
    """Refuse a part that differs from the one that was coded first.

    Parameters
    ----------
    name : str
        The part.
    digest, expected : bytes
        The digest of this part, which may have been coded again after a worker was
        lost, and of the one that was coded first.

    Raises
    ------
    ClusterError
        If the rows changed.
    """
    if digest != expected:
        raise ClusterError(
            f"The rows of {name!r} changed while the tree was grown: they were read "
            "again after a worker was lost, and differ. Write the data to a file "
            "first, or remove random steps from what makes it."
        )


def digest_of(part: MemoryPart) -> bytes:
    """Return a digest of the rows of a part, in any order."""
    rows = np.zeros(part.n_rows, np.uint64)
    for _, array in sorted(part.arrays.items()):
        # +0.0 and -0.0 are one number, and so are all NaN.
        cells = array + 0.0 if array.dtype == np.float64 else array.astype(np.float64)
        bits = np.where(np.isnan(cells), np.nan, cells).view(np.uint64)
        rows = (rows ^ bits) * _FACTOR
        rows ^= rows >> _SHIFT
    total = int(rows.sum(dtype=np.uint64))
    squares = int((rows * rows).sum(dtype=np.uint64))
    return struct.pack("<QQQ", part.n_rows, total, squares)
