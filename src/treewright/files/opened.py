"""Open a file for reading its bytes, as often as needed: plain, .gz, .zst or stdin."""

from __future__ import annotations

import gzip
import io
import os
import stat
import sys
import tempfile
import weakref
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, cast

from treewright.errors import ResourceLimitError, TableError
from treewright.files.optional import package

__all__ = ["BLOCK", "OpenedFile", "shown_name"]

BLOCK = 4 << 20
"""Bytes that are read at a time."""
_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
_IN_MEMORY = 64 << 20
_PASSES = 2


def shown_name(path: str | os.PathLike[str]) -> str:
    """Return the name of a file for messages."""
    return "standard input" if str(path) == "-" else str(path)


class OpenedFile:
    """The bytes of a file, decompressed; they can be read several times.

    Standard input ('-') and pipes are copied first, to memory or, beyond 64 MB, to a
    temporary file without a name.

    Parameters
    ----------
    path : str or path
        The file; '-' is standard input.
    most_bytes : int or None, default=None
        Refuse to decompress or copy more than this.
    progress : callable or None, default=None
        Called with the share of the reading that is done.

    Attributes
    ----------
    name : str
        The file's name for messages.
    packed : str
        'gzip', 'zstd' or ''.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        most_bytes: int | None = None,
        progress: Callable[[float], Any] | None = None,
    ) -> None:
        self.path = Path(path)
        self.name = shown_name(path)
        self._most = most_bytes
        self._progress = progress
        self._passes_done = 0
        self._reported = 0.0
        self._copy: IO[bytes] | None = None
        self._state: tuple[int, int] | None = None
        self._check()
        self.packed = self._packing()
        self._size = self.size if progress is not None else 0

    def _check(self) -> None:
        """Refuse what cannot be read; copy what can be read only once."""
        if self.name == "standard input":
            self._copy = self._copied(sys.stdin.buffer)
            return
        try:
            found = self.path.stat()
            if stat.S_ISDIR(found.st_mode):
                raise TableError(
                    f"{self.name} is a folder. Name one of the files in it."
                )
            with open(self.path, "rb") as file:
                if not stat.S_ISREG(found.st_mode):
                    self._copy = self._copied(file)
                    return
        except FileNotFoundError as problem:
            raise TableError(
                f"There is no file {self.name}. {self._advice()}"
            ) from problem
        except OSError as problem:
            raise TableError(
                f"{self.name} cannot be opened: {problem.strerror}. Check its "
                "permissions and its path."
            ) from problem
        self._state = _state(self.path)

    def _advice(self) -> str:
        """Return what to do about a file that is not there."""
        folder = self.path.parent
        if not folder.is_dir():
            return f"There is no folder {folder} either; check the path."
        alike = [each.name for each in folder.glob(f"{self.path.stem}.*")]
        if alike:
            return f"Did you mean {sorted(alike)[0]!r}?"
        return f"The path is looked up from {os.getcwd()}."

    def _copied(self, stream: IO[bytes]) -> IO[bytes]:
        # It outlives this function, so no `with` closes it, but the finaliser does.
        copy = cast(
            "IO[bytes]",
            tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY),  # noqa: SIM115
        )
        weakref.finalize(self, copy.close)
        total = 0
        while block := stream.read(BLOCK):
            total += len(block)
            self._refuse(total)
            copy.write(block)
        return copy

    def _packing(self) -> str:
        with self.raw() as file:
            start = file.read(4)
        if start[:2] == _GZIP:
            return "gzip"
        return "zstd" if start == _ZSTD else ""

    @contextmanager
    def raw(self) -> Iterator[IO[bytes]]:
        """Open the bytes as they are stored."""
        if self._copy is None:
            with open(self.path, "rb") as file:
                yield file
        else:
            self._copy.seek(0)
            yield self._copy

    @property
    def size(self) -> int:
        """Size of the stored bytes."""
        with self.raw() as file:
            return file.seek(0, io.SEEK_END)

    @contextmanager
    def seekable(self) -> Iterator[IO[bytes]]:
        """Open the bytes, decompressed, for a reader that jumps about in them."""
        if self.packed:
            yield io.BytesIO(b"".join(self.blocks()))
            return
        with self.raw() as file:
            yield file
        self._refuse_change()

    def start(self, n: int) -> bytes:
        """Return the first bytes, decompressed."""
        found = b""
        for block in self.blocks(n):
            found += block
            if len(found) >= n:
                break
        return found[:n]

    def blocks(self, size: int = BLOCK) -> Iterator[bytes]:
        """Yield the bytes, decompressed, and verify that the file did not change.

        Parameters
        ----------
        size : int
            Bytes per block.

        Yields
        ------
        bytes

        Raises
        ------
        TableError
            When the compressed data are damaged, or the file changes meanwhile.
        ResourceLimitError
            When there are more bytes than allowed.
        """
        with self.raw() as file:
            unpacked = self._unpacked(file, size) if self.packed else _read(file, size)
            for block in unpacked:
                yield block
                self._tell(file)
        self._passes_done += 1
        self._refuse_change()

    def _tell(self, file: IO[bytes]) -> None:
        """Report how much is read; text is read twice, to verify and to parse it."""
        if self._progress is not None and self._passes_done < _PASSES:
            share = file.tell() / max(self._size, 1)
            self.report((self._passes_done + share) / _PASSES)

    @property
    def is_watched(self) -> bool:
        """Whether anybody wants to know how much is read."""
        return self._progress is not None

    def report(self, share: float) -> None:
        """Report the share of the reading that is done; it never falls.

        Parameters
        ----------
        share : float
            From 0 to 1.
        """
        if self._progress is not None:
            self._reported = max(self._reported, min(share, 1.0))
            self._progress(self._reported)

    def _refuse_change(self) -> None:
        if self._state is not None and _state(self.path) != self._state:
            raise TableError(
                f"{self.name} changed while it was being read. Read it again once "
                "nothing writes to it, or read a copy."
            )

    def _unpacked(self, file: IO[bytes], size: int) -> Iterator[bytes]:
        total = 0
        try:
            for block in _read(_decompressor(file, self.packed), size):
                total += len(block)
                self._refuse(total)
                yield block
        except (EOFError, OSError, zlib.error) as problem:
            raise TableError(
                f"{self.name} is damaged: its {self.packed} data end early or are not "
                f"valid ({problem}). Fetch or compress the file again."
            ) from problem

    def _refuse(self, total: int) -> None:
        if self._most is not None and total > self._most:
            raise ResourceLimitError(
                f"{self.name} holds more than {self._most / 2**20:,.0f} MB of data, "
                "which is the limit. Raise memory_limit, or read a part of the file."
            )


def _read(file: Any, size: int) -> Iterator[bytes]:
    while block := file.read(size):
        yield block


def _decompressor(file: IO[bytes], packed: str) -> Any:
    if packed == "gzip":
        return gzip.GzipFile(fileobj=file, mode="rb")
    pa = package("pyarrow", "Reading .zst files")
    return pa.CompressedInputStream(pa.PythonFile(file, "r"), "zstd")


def _state(path: Path) -> tuple[int, int]:
    found = path.stat()
    return found.st_size, found.st_mtime_ns
