"""The layout of the model file: JSON with one field, or one item of a list, per line.

    {
    "field": value,
    "settings": {
    "name": value,
    "name": value
    },
    "list": [
    item,
    item
    ],
    "checksum": "sha256:..."
    }

Any JSON parser reads such a file. Writing and reading it line by line keeps differences
between two files small, memory in proportion, and names the line of an error.

The checksum is the SHA-256 of all bytes before its line, with line feeds as line ends.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, NamedTuple, NoReturn

from treewright.errors import TreeFormatError

__all__ = ["Content", "Spread", "checked_content", "read_lines", "written_lines"]

_CHECKSUM = '"checksum": "sha256:{}"\n}}\n'
_LAST = re.compile(rb'"checksum": "sha256:([0-9a-f]{64})"\n\}\n?\Z')
_LENGTH_OF_LAST = 100
_CHUNK = 512  # lines that are written at a time
_FIELD = re.compile(rb'"([a-z_]{1,40})": ')
_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False)
# Characters that change how a line is shown, or that UTF-8 has no bytes for.
_HIDDEN = re.compile(
    "[\x7f-\x9f\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]"
)


class Spread(dict[str, Any]):
    """An object of JSON that is written with one field per line."""


# -- writing -------------------------------------------------------------------------


def written_lines(fields: Iterable[tuple[str, Any]]) -> Iterator[bytes]:
    """Yield the bytes of a file.

    Parameters
    ----------
    fields : iterable of (str, object)
        Names and values. An iterator becomes a list with one item per line, a `Spread`
        an object with one field per line.

    Yields
    ------
    bytes
    """
    digest = hashlib.sha256()
    parts = _parts(fields)
    while some := "".join(islice(parts, _CHUNK)):
        found = _HIDDEN.sub(_escaped, some).encode()
        digest.update(found)
        yield found
    yield _CHECKSUM.format(digest.hexdigest()).encode()


def _parts(fields: Iterable[tuple[str, Any]]) -> Iterator[str]:
    encode = _ENCODER.encode
    yield "{\n"
    for name, value in fields:
        if isinstance(value, Spread):
            pairs = (f"{encode(key)}: {encode(x)}" for key, x in value.items())
            yield from _block(name, "{}", pairs)
        elif isinstance(value, Iterator):
            yield from _block(name, "[]", map(encode, value))
        else:
            yield f'"{name}": {encode(value)},\n'


def _block(name: str, brackets: str, lines: Iterator[str]) -> Iterator[str]:
    yield f'"{name}": {brackets[0]}'
    mark = "\n"
    for line in lines:
        yield mark + line
        mark = ",\n"
    yield f"\n{brackets[1]},\n"


def _escaped(found: re.Match[str]) -> str:
    return f"\\u{ord(found[0]):04x}"


# -- reading -------------------------------------------------------------------------


class Content(NamedTuple):
    """The bytes of a file, with line feeds as line ends, and where its checksum is."""

    data: bytes
    end: int


def checked_content(data: bytes) -> Content:
    """Return the lines before the checksum, if it is theirs.

    Parameters
    ----------
    data : bytes
        The whole file.

    Returns
    -------
    Content
    """
    if b"\r\n" in data:
        data = data.replace(b"\r\n", b"\n")
    start = max(0, len(data) - _LENGTH_OF_LAST)
    last = _LAST.match(data, data.rfind(b'\n"checksum"', start) + 1)
    if last is None:
        raise TreeFormatError(
            "It does not end with a checksum, so it was cut short or laid out anew. "
            "Copy the file again, or save the tree again."
        )
    content = memoryview(data)[: last.start()]
    if hashlib.sha256(content).hexdigest().encode() != last[1]:
        raise TreeFormatError(
            "Its checksum does not fit its content, so it was damaged or edited. Copy "
            "the file again, or save the tree again."
        )
    return Content(data, last.start())


def read_lines(content: Content) -> Iterator[tuple[str, Any]]:
    """Yield each field, and each item of a list that stands on lines of its own.

    Parameters
    ----------
    content : Content
        The lines before the checksum.

    Yields
    ------
    name : str
        The field, in the order of the file.
    value : object
        Its value; for a list on lines of its own, an iterator over the items, which
        must be used up before the next field.
    """
    lines = _Lines(content)
    next(lines)  # the brace that `check_is_model` has seen
    for start, end in lines:
        found = _FIELD.match(content.data, start, end)
        if found is None:
            lines.fail('must be a field: "name": value,')
        name, value = found[1].decode(), found.end()
        rest = content.data[value:end] if end - value == 1 else b""
        if rest == b"[":
            yield name, (lines.parsed(*each) for each in lines.items(b"],"))
        elif rest == b"{":
            yield name, lines.joined(list(lines.items(b"},")))
        elif content.data[end - 1 : end] == b",":
            yield name, lines.parsed(value, end - 1)
        else:
            lines.fail("must end with a comma")


class _Lines:
    """The lines of a file, by the places where they start and end.

    The bytes are not copied, because a line can be as long as the file.
    """

    def __init__(self, content: Content) -> None:
        self._data, self._last = content
        self._bytes = memoryview(self._data)
        self._next = self._number = 0
        self._scan = json.JSONDecoder(
            object_pairs_hook=tuple, parse_constant=self._no_constant
        ).raw_decode

    def __iter__(self) -> _Lines:
        return self

    def __next__(self) -> tuple[int, int]:
        start = self._next
        if start >= self._last:
            raise StopIteration
        end = self._data.find(b"\n", start, self._last)
        self._next = end + 1
        self._number += 1
        return start, end

    def items(self, closing: bytes) -> Iterator[tuple[int, int]]:
        """Yield the lines of a list or an object, without commas, up to its end."""
        data, more = self._data, True
        for start, end in self:
            if end - start == len(closing) and data.startswith(closing, start):
                return
            if not more:
                self.fail(f"must be {closing.decode()}")
            more = data.endswith(b",", start, end)
            yield start, end - more
        self.fail(f"must be followed by {closing.decode()}")

    def joined(self, parts: list[tuple[int, int]]) -> Any:
        """Return the object whose fields stand on these lines."""
        inner = b",".join(self._data[start:end] for start, end in parts)
        return self._parsed_text(self._text(b"{%s}" % inner))

    def parsed(self, start: int, end: int) -> Any:
        """Return a value of JSON; an object is a tuple of pairs."""
        return self._parsed_text(self._text(self._bytes[start:end]))

    def _text(self, part: bytes | memoryview) -> str:
        try:
            return str(part, "utf-8")
        except UnicodeDecodeError:
            self.fail("is not UTF-8 text")

    def _parsed_text(self, text: str) -> Any:
        try:
            value, end = self._scan(text)
        except RecursionError:
            self.fail("is nested too deeply")
        except TreeFormatError:
            raise
        except json.JSONDecodeError as problem:
            self.fail(f"is not JSON: {problem.msg} at character {problem.pos}")
        except ValueError:
            self.fail("holds a number of thousands of digits")
        if end != len(text):
            self.fail("must hold one value")
        return value

    def _no_constant(self, name: str) -> NoReturn:
        self.fail(f"holds {name}, which is not JSON")

    def fail(self, what: str) -> NoReturn:
        """Refuse the current line."""
        raise TreeFormatError(f"Line {self._number} {what}.")
