"""The text of a file: its encoding is detected, then verified on every byte."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from typing import NoReturn

from treewright.errors import TableError
from treewright.files.opened import BLOCK, OpenedFile

__all__ = ["BOMS", "TextFile"]

BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
"""Marks at the start of a file, and the encodings they stand for."""
# Bytes that Windows-1252 leaves undefined; Latin-1 has control characters there.
_NOT_WINDOWS = bytes([0x81, 0x8D, 0x8F, 0x90, 0x9D])


class TextFile:
    """A file of text, whatever its encoding, as blocks of UTF-8.

    UTF-8 and, by their marks, UTF-16 and UTF-32 are read. A file without a mark that
    is not UTF-8 anywhere is read as Windows-1252, or as Latin-1 if it holds bytes that
    Windows-1252 leaves undefined. A file that is UTF-8 in some places only is refused,
    and so is a NUL: both are signs of damage.

    Parameters
    ----------
    file : OpenedFile
        The bytes.

    Attributes
    ----------
    encoding : str
        A codec of Python.
    guessed : bool
        Whether nothing in the file says that this is its encoding.
    is_ascii : bool
        Whether every character is one of ASCII.
    """

    def __init__(self, file: OpenedFile) -> None:
        self.file = file
        self.name = file.name
        start = file.start(4)
        marks = [name for mark, name in BOMS if start.startswith(mark)]
        self.encoding = marks[0] if marks else "utf-8"
        self.guessed = False
        self.is_ascii = False

    def blocks(self, size: int = BLOCK) -> Iterator[bytes]:
        """Yield the text as UTF-8 without a mark, as it is in the file."""
        if self.encoding == "utf-8":
            yield from self.file.blocks(size)
            return
        decoder = codecs.getincrementaldecoder(self.encoding)()
        try:
            for block in self.file.blocks(size):
                yield decoder.decode(block).encode()
            yield decoder.decode(b"", final=True).encode()
        except UnicodeError as problem:
            raise TableError(
                f"{self.name} starts with a mark of {self.encoding.upper()}, but its "
                f"bytes are not such text ({problem}). Save it as UTF-8."
            ) from problem

    def verified(self) -> Iterator[bytes]:
        """Yield the text like `blocks`, and verify it; `encoding` is then certain.

        A reader that needs no more than the bytes of ASCII (line ends, delimiters,
        quotes) can work on what is yielded, whatever the encoding turns out to be.

        Raises
        ------
        TableError
            When a NUL or bytes of another encoding show that the file is damaged.
        """
        checker: codecs.IncrementalDecoder | None = None
        if self.encoding == "utf-8":
            checker = codecs.getincrementaldecoder("utf-8")()
        self.is_ascii = True
        for block in self.blocks():
            if b"\0" in block:
                self._refuse_nul()
            # The decoder holds back the start of a character at the end of a block.
            if not (self.is_ascii and block.isascii()):
                self.is_ascii = False
                checker = self._checked(checker, block)
            yield block
        if checker is not None and not self.is_ascii:
            self._checked(checker, b"", final=True)

    def _checked(
        self,
        checker: codecs.IncrementalDecoder | None,
        block: bytes,
        final: bool = False,
    ) -> codecs.IncrementalDecoder | None:
        if checker is not None:
            try:
                checker.decode(block, final)
            except UnicodeDecodeError:
                self._guess()
                return None
        return checker

    def _guess(self) -> None:
        """Choose an encoding for a file that is not UTF-8."""
        line, n_valid, first_bad, undefined = 1, 0, 0, False
        decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
        for block in self.file.blocks():
            undefined = undefined or any(byte in block for byte in _NOT_WINDOWS)
            text = decoder.decode(block)
            if not text.isascii():
                bad = sum("\udc80" <= each <= "\udcff" for each in text)
                n_valid += sum(each > "\x7f" for each in text) - bad
                if bad and not first_bad:
                    at = next(
                        i for i, x in enumerate(text) if "\udc80" <= x <= "\udcff"
                    )
                    first_bad = line + text.count("\n", 0, at)
            line += text.count("\n")
        if n_valid:
            raise TableError(
                f"Line {first_bad} of {self.name} holds bytes that are not UTF-8, "
                "though other parts of the file are. Correct that line, or save the "
                "whole file as UTF-8."
            )
        self.encoding = "latin-1" if undefined else "cp1252"
        self.guessed = True

    def _refuse_nul(self) -> NoReturn:
        line = 1
        for block in self.blocks():
            at = block.find(b"\0")
            if at >= 0:
                line += block.count(b"\n", 0, at)
                break
            line += block.count(b"\n")
        raise TableError(
            f"Line {line} of {self.name} holds a NUL byte, so the file is damaged or "
            "not UTF-8 text. Export it as UTF-8; UTF-16 needs a mark at its start."
        )
