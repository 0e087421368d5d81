"""A fit that goes on where its driver died.

A tree from rows in parts is a function of the replies to its requests, and the same
rows and options give the same requests. So the driver writes every merged reply to a
file; a second fit finds the replies there instead of asking the parts, and then goes
on. One file serves all trees of a fit.
"""

from __future__ import annotations

import hashlib
import os
import zlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from treewright._version import __version__
from treewright.errors import OptionError, ResourceLimitError
from treewright.growing.parts.protocol import Parts, SmallNode

__all__ = ["Checkpoint", "Checkpointed", "check_checkpoint"]

_DIGEST = 16
_MAGIC = b"treewright checkpoint 1\n"
_HEAD = len(_MAGIC) + _DIGEST
_BEFORE_REPLY = 8 + 2 * _DIGEST


def check_checkpoint(path: Any) -> None:
    """Refuse a path that cannot hold a checkpoint, before any row is read.

    Parameters
    ----------
    path : object
        The parameter `checkpoint` of an estimator; None: there is no checkpoint.

    Raises
    ------
    OptionError
        One sentence that says what to do instead.
    """
    if path is None:
        return
    if not isinstance(path, str | os.PathLike):
        raise OptionError(
            "checkpoint must be the path of a file, or None; got an object of type "
            f"{type(path).__name__!r}."
        )
    file = Path(path)
    if file.is_dir():
        raise OptionError(
            f"checkpoint must be the path of a file; {file} is a folder. Name a file "
            f"in it, such as {file / 'fit.checkpoint'}."
        )
    if file.exists() and not file.is_file():
        raise OptionError(
            f"checkpoint must be the path of a file; {file} is a device or a pipe. "
            "Name a file on a disk."
        )
    was_there = file.exists()
    try:
        file.open("ab").close()
        if not was_there:
            file.unlink()  # it is made when there is something to keep
    except OSError as problem:
        raise OptionError(
            f"The checkpoint {file} cannot be written ({problem.strerror}). Name a "
            "file in a folder that is there and that this process may write to."
        ) from problem
    if was_there:
        with file.open("rb") as opened:
            _check_magic(file, opened)


class Checkpoint:
    """The file that keeps the replies of a fit.

    A record is written and flushed to the disk before its reply is used. It holds its
    length and digests of the request and of itself: one that was cut short when the
    driver died is dropped, so the file is whole after every request.

    Parameters
    ----------
    path : path
        The file; it is made if it is not there.
    identity : iterable of bytes
        Stands for the data and the options. A file of other ones is refused.

    Attributes
    ----------
    n_known : int
        Records in the file.
    """

    def __init__(self, path: str | os.PathLike[str], identity: Iterable[bytes]):
        self._path = Path(path)
        head = _MAGIC + _digest(__version__.encode(), *identity)
        self._places: dict[bytes, tuple[int, int]] = {}
        if self._path.exists():
            with self._path.open("rb") as file:
                _check_magic(self._path, file)
        if not self._path.exists() or self._path.stat().st_size < _HEAD:
            self._write(head, mode="wb")
        with self._path.open("rb") as file:
            if file.read(_HEAD) != head:
                raise OptionError(
                    f"The checkpoint {self._path} was written by a fit with other "
                    "data, other options or another version of treewright. Remove the "
                    "file, or name another one."
                )
            end = _HEAD
            for asked, begin, size in _records(file):
                self._places[asked] = begin, size
                end = begin + size
        os.truncate(self._path, end)
        self._end = end
        self.n_known = len(self._places)

    def reply(self, asked: bytes) -> bytes | None:
        """Return what was kept; None if nothing was.

        Parameters
        ----------
        asked : bytes
            Stands for the question.

        Returns
        -------
        bytes or None
        """
        place = self._places.get(_digest(asked))
        if place is None:
            return None
        with self._path.open("rb") as file:
            file.seek(place[0])
            return zlib.decompress(file.read(place[1]))

    def keep(self, asked: bytes, reply: bytes) -> None:
        """Write a reply to the disk; a later one takes the place of an earlier one.

        Parameters
        ----------
        asked, reply : bytes
            The question and its reply.
        """
        packed, key = zlib.compress(reply, 1), _digest(asked)
        size = len(packed).to_bytes(8, "little")
        self._write(size + key + _digest(size, key, packed) + packed)
        self._places[key] = self._end + _BEFORE_REPLY, len(packed)
        self._end += _BEFORE_REPLY + len(packed)

    def of_first_fit(self, name: str, now: int) -> int:
        """Return a number of the plan, such as the rows that a node may have at home.

        Requests depend on these numbers, and they depend on the memory that is free. So
        the number of the first fit holds, unless less memory is left now.

        Parameters
        ----------
        name : str
            What is numbered.
        now : int
            The number that suits the memory of this fit.

        Returns
        -------
        int
        """
        kept = self.reply(name.encode())
        before = None if kept is None else int.from_bytes(kept, "little")
        if before is not None and before <= now:
            return before
        self.keep(name.encode(), now.to_bytes(8, "little"))
        return now

    def finish(self) -> None:
        """Remove the file: the fit is done."""
        self._path.unlink(missing_ok=True)

    def _write(self, content: bytes, mode: str = "ab") -> None:
        try:
            with self._path.open(mode) as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
        except OSError as problem:
            raise ResourceLimitError(
                f"The checkpoint {self._path} cannot be written ({problem.strerror}). "
                "Make room for it and fit again: the fit goes on from what was kept."
            ) from problem


class Checkpointed:
    """Parts whose replies are kept in a file; see `Parts`.

    Parameters
    ----------
    parts : Parts
        The rows.
    checkpoint : Checkpoint
        The file.
    tree : str
        Tells the trees of a fit apart.
    """

    def __init__(self, parts: Parts, checkpoint: Checkpoint, tree: str = "") -> None:
        self._parts = parts
        self._checkpoint = checkpoint
        self._tree = tree

    def ask(self, kernel: str, request: bytes) -> bytes:
        """Return the merged reply of all parts, from the file if it is there."""
        asked = _digest(self._tree.encode(), kernel.encode(), request)
        reply = self._checkpoint.reply(asked)
        if reply is None:
            reply = self._parts.ask(kernel, request)
            self._checkpoint.keep(asked, reply)
        return reply

    def grow(
        self, nodes: Sequence[SmallNode], request: bytes, facts: Any
    ) -> Iterator[tuple[int, bytes]]:
        """Grow the subtrees that are not in the file, and keep each as it comes."""
        before = _digest(self._tree.encode(), request)
        asked = [_digest(before, state) for _, _, state in nodes]
        missing = []
        for place, question in enumerate(asked):
            subtree = self._checkpoint.reply(question)
            if subtree is None:
                missing.append(place)
            else:
                yield place, subtree
        found = self._parts.grow([nodes[place] for place in missing], request, facts)
        for index, subtree in found:
            self._checkpoint.keep(asked[missing[index]], subtree)
            yield missing[index], subtree


def _check_magic(path: Path, file: BinaryIO) -> None:
    """Refuse a file that no fit has left; one whose head was cut short is allowed."""
    if not _MAGIC.startswith(file.read(len(_MAGIC))):
        raise OptionError(
            "checkpoint must be a new file or one that a fit has left; "
            f"{path} is something else."
        )


def _records(file: BinaryIO) -> Iterator[tuple[bytes, int, int]]:
    """Yield question, place and length of every reply, up to the first damaged one."""
    end = os.fstat(file.fileno()).st_size
    while len(before := file.read(_BEFORE_REPLY)) == _BEFORE_REPLY:
        size, asked = before[:8], before[8 : 8 + _DIGEST]
        begin = file.tell()
        reply = file.read(min(int.from_bytes(size, "little"), end - begin))
        if before[8 + _DIGEST :] != _digest(size, asked, reply):
            return
        yield asked, begin, len(reply)


def _digest(*parts: bytes) -> bytes:
    digest = hashlib.blake2b(digest_size=_DIGEST)
    for part in parts:
        digest.update(len(part).to_bytes(8, "little"))
        digest.update(part)
    return digest.digest()
