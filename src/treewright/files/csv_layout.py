"""How a file of delimited text is laid out: its delimiter, header and first lines.

The layout is chosen from the start of the file; the readers then hold every row of the
file against it. The rules:

- The delimiter is the comma, semicolon, tab or bar that gives the most lines of the
  start as many fields as the header; between equals, more fields decide.
- The header is the first line that is neither blank nor a comment (a line that starts
  with '#'). Lines without a delimiter before it, such as a title, are left out.
- Names lose the blanks around them. An empty name becomes 'column_3', and a name that
  occurs again becomes 'name_2'.
"""

from __future__ import annotations

import csv
import io
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from treewright.errors import TableError
from treewright.files.names import numbered_names
from treewright.files.text import TextFile
from treewright.table.intake import Finding
from treewright.table.raw import parse_number

__all__ = ["Layout", "any_field_size", "find_layout", "is_blank"]

DELIMITERS = ",;\t|"
_SAMPLE = 1 << 20
_MOST_RECORDS = 1000
_FEWEST_LINES = 2
_LONGEST_START = 64 << 20
_AGREEING = 0.5  # of the lines must have as many fields as the header
_FEWEST_AFTER_TITLE = 2
_AS_AFTER_TITLE = 0.9  # of the lines must have as many fields as the header


@dataclass(frozen=True)
class Layout:
    """Where the rows of a file start, and how they are divided.

    Attributes
    ----------
    delimiter : str
        One character.
    names : tuple of str
        The columns, with distinct names.
    first_line : int
        The line after the header, counted from 1.
    skip : int
        Bytes of UTF-8 before that line.
    findings : tuple of Finding
        What was left out or renamed.
    """

    delimiter: str
    names: tuple[str, ...]
    first_line: int
    skip: int
    findings: tuple[Finding, ...] = ()

    @property
    def width(self) -> int:
        """Number of columns."""
        return len(self.names)


@dataclass(frozen=True)
class _Record:
    """Fields, and the lines they come from."""

    fields: list[str]
    first: int
    last: int


@dataclass(frozen=True)
class _Try:
    """The records of the start of a file, divided by one delimiter."""

    delimiter: str
    records: list[_Record]
    header: int  # which record it is

    @property
    def width(self) -> int:
        return len(self.records[self.header].fields)

    @property
    def agreeing(self) -> float:
        rows = self.records[self.header + 1 :]
        return sum(len(row.fields) == self.width for row in rows) / max(1, len(rows))

    @property
    def rank(self) -> tuple[bool, float, int]:
        return self.width > 1, self.agreeing - 0.5 * (self.header > 0), self.width


def find_layout(text: TextFile) -> Layout:
    """Return how a file is laid out.

    Parameters
    ----------
    text : TextFile
        The file, verified.

    Returns
    -------
    Layout

    Raises
    ------
    TableError
        When the file is empty or has no line of names.
    """
    sample = _start(text)
    tries = [_tried(sample, mark) for mark in DELIMITERS]
    found = [each for each in tries if each is not None]
    if not found:
        raise TableError(f"{text.name} is empty: it has no line of column names.")
    best = max(found, key=lambda each: each.rank)
    header = best.records[best.header]
    _refuse_data(text, header)
    if best.width > 1 and best.agreeing < _AGREEING and len(best.records) > 2:
        _refuse_width(text, best)
    names, renamed = numbered_names(header.fields)
    lines = io.StringIO(sample, newline="")
    skip = sum(len(next(lines).encode()) for _ in range(header.last))
    findings = (*_left_out(best), *renamed)
    return Layout(best.delimiter, names, header.last + 1, skip, findings)


def _start(text: TextFile) -> str:
    """Return the first lines of a file, at least the header and two more, whole."""
    sample = b""
    for block in text.blocks(_SAMPLE):
        sample += block
        ends = sample.count(b"\n") + sample.count(b"\r")
        if len(sample) >= _SAMPLE and ends > _FEWEST_LINES:
            break
        if len(sample) > _LONGEST_START:
            raise TableError(
                f"The first lines of {text.name} are longer than "
                f"{_LONGEST_START >> 20} MB, so this is no file of delimited text. "
                "Check that it has line ends."
            )
    else:
        return sample.decode(errors="replace")
    cut = max(sample.rfind(b"\n"), sample.rfind(b"\r"))
    return sample[: cut + 1].decode(errors="replace")


def _tried(sample: str, delimiter: str) -> _Try | None:
    """Divide the start of a file by a delimiter; None if it has no lines."""
    records: list[_Record] = []
    with any_field_size():
        reader = csv.reader(io.StringIO(sample, newline=""), delimiter=delimiter)
        while len(records) < _MOST_RECORDS:
            first = reader.line_num + 1
            fields = next(reader, None)
            if fields is None:
                break
            if not is_blank(fields):
                records.append(_Record(fields, first, reader.line_num))
    comments = _comments(records)
    if comments == len(records):
        return None
    header = _after_title(records, comments)
    return _Try(delimiter, records, header)


def _comments(records: list[_Record]) -> int:
    """Return how many of the first records are comments.

    The last line with '#' is the header if it has as many fields as the line after it.
    """
    n = 0
    while n < len(records) and records[n].fields[0].lstrip().startswith("#"):
        n += 1
    if 0 < n < len(records):
        width = len(records[n].fields)
        if width > 1 and len(records[n - 1].fields) == width:
            return n - 1
    return n


def _after_title(records: list[_Record], start: int) -> int:
    """Return which record is the header: the first, or the one after a title."""
    widths = Counter(len(each.fields) for each in records[start + 1 :])
    if len(records[start].fields) > 1 or not widths:
        return start
    usual = widths.most_common(1)[0][0]
    place = next(
        i for i, each in enumerate(records) if i > start and len(each.fields) == usual
    )
    rows = records[place + 1 :]
    agreeing = sum(len(each.fields) == usual for each in rows)
    is_title = (
        usual > 1
        and all(len(each.fields) == 1 for each in records[start:place])
        and len(rows) >= _FEWEST_AFTER_TITLE
        and agreeing >= _AS_AFTER_TITLE * len(rows)
        and all(_is_name(field) for field in records[place].fields)
    )
    return place if is_title else start


def _is_name(field: str) -> bool:
    return bool(field.strip()) and parse_number(field.strip()) is None


def is_blank(fields: list[str]) -> bool:
    """Return whether a record is a blank line."""
    return not fields or (len(fields) == 1 and not fields[0].strip())


@contextmanager
def any_field_size() -> Iterator[None]:
    """Let Python's reader accept cells of any size; the limit is global."""
    before = csv.field_size_limit(sys.maxsize)
    try:
        yield
    finally:
        csv.field_size_limit(before)


def _refuse_data(text: TextFile, header: _Record) -> None:
    """Refuse a first line that holds numbers rather than names."""
    cells = [each.strip() for each in header.fields]
    numbers = [parse_number(each) for each in cells]
    if None in numbers:
        return
    if all(each.isdigit() for each in cells) and len(set(cells)) == len(cells):
        return  # columns that are numbered, or called by years
    raise TableError(
        f"Line {header.first} of {text.name} should name the columns, but holds "
        f"numbers ({', '.join(cells[:3])}). Add a line of names at the top."
    )


def _refuse_width(text: TextFile, best: _Try) -> None:
    header = best.records[best.header]
    widths = Counter(len(each.fields) for each in best.records[best.header + 1 :])
    usual, n = widths.most_common(1)[0]
    row = next(r for r in best.records[best.header + 1 :] if len(r.fields) == usual)
    raise TableError(
        f"Line {header.first} of {text.name} names {best.width} columns, but {n:,} of "
        f"the first {len(best.records):,} lines have {usual} fields (first: line "
        f"{row.first}). Give every line as many fields as there are names."
    )


def _left_out(best: _Try) -> list[Finding]:
    before = best.records[: best.header]
    if not before:
        return []
    shown = ", ".join(repr(each.fields[0][:40]) for each in before[:3])
    return [
        Finding(
            "left_out",
            None,
            f"{len(before)} line{'s' * (len(before) > 1)} before the header "
            f"({shown}) left out",
            "Comments and titles hold no rows.",
        )
    ]
