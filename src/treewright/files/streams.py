"""Blocks of a text as a stream of bytes or of lines."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from typing import Any

from treewright.files.text import TextFile

__all__ = ["STREAM_BLOCK", "byte_stream", "text_lines"]

STREAM_BLOCK = 8 << 20
"""Bytes that are passed on at a time."""


class _Blocks(io.RawIOBase):
    """Blocks of bytes as a stream, without the first bytes."""

    def __init__(self, blocks: Iterator[bytes], skip: int) -> None:
        self._blocks = blocks
        self._rest = memoryview(b"")
        while skip > 0 and self._fill():
            dropped = min(skip, len(self._rest))
            self._rest = self._rest[dropped:]
            skip -= dropped

    def readable(self) -> bool:
        """Return True: this is a stream to read."""
        return True

    def readinto(self, into: Any) -> int:
        """Fill a buffer; return how many bytes were there."""
        if not self._fill():
            return 0
        n = min(len(into), len(self._rest))
        into[:n] = self._rest[:n]
        self._rest = self._rest[n:]
        return n

    def _fill(self) -> bool:
        while not self._rest:
            block = next(self._blocks, None)
            if block is None:
                return False
            self._rest = memoryview(block)
        return True


def byte_stream(text: TextFile, skip: int = 0) -> io.BufferedReader:
    """Return a text as a stream of UTF-8, without its first bytes."""
    return io.BufferedReader(_Blocks(text.blocks(), skip), STREAM_BLOCK)


def text_lines(text: TextFile, skip: int = 0) -> Iterable[str]:
    """Return the lines of a text with their ends, whatever these are."""
    return io.TextIOWrapper(byte_stream(text, skip), "utf-8", newline="")
