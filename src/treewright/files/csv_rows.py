"""The rows of a file of delimited text, as columns of text.

There are two readers. The fast one is pyarrow's; it gets files whose quotes follow the
common rule (a cell that holds a delimiter, a quote or a line end stands in quotes, and
its quotes are doubled) and whose rows all have as many fields as the header. Every
other file goes to the careful reader, Python's, which is slower, finds the lines that
are at fault and sets them aside. `tests/files` shows that both read sound files alike.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import TableError
from treewright.files.content import Rejected, refuse_many
from treewright.files.csv_layout import Layout, any_field_size, is_blank
from treewright.files.optional import package
from treewright.files.streams import STREAM_BLOCK, byte_stream, text_lines
from treewright.files.text import TextFile

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "QuoteCheck",
    "careful_batches",
    "careful_rows",
    "csv_options",
    "fast_rows",
    "repeats_header",
]

_BATCH = 50_000
_QUOTE = ord('"')


class QuoteCheck:
    """Whether every quote of a text opens a cell, closes one, or is one of a pair.

    Quotes are numbered from 0. If all of them follow the rule, the even ones open a
    cell (or are the second of a pair) and the odd ones close it (or are the first of a
    pair), so that the bytes next to them decide.

    Parameters
    ----------
    delimiter : str
        The delimiter.

    Attributes
    ----------
    any : bool
        Whether there is a quote at all.
    tidy : bool
        Whether the rule holds so far.
    """

    def __init__(self, delimiter: str) -> None:
        self.any = False
        self.tidy = True
        self._is_edge = np.zeros(256, np.bool_)
        self._is_edge[[ord(delimiter), ord("\n"), ord("\r"), _QUOTE]] = True
        self._n_odd = 0
        self._kept = b"\n"  # the byte before the next quote, and one not looked at

    def look_at(self, block: bytes) -> None:
        """Check the next block."""
        if not self.tidy:
            return
        if not self.any and b'"' not in block:
            self._kept = (self._kept + block)[-1:]
            return
        self.any = True
        data = np.frombuffer(self._kept + block, np.uint8)
        self._check(data)
        self._kept = data[-2:].tobytes()

    def finish(self) -> None:
        """Check the end of the text."""
        if self.any and self.tidy:
            self._check(np.frombuffer(self._kept + b"\n", np.uint8))
            self.tidy = self.tidy and not self._n_odd

    def _check(self, data: NDArray[np.uint8]) -> None:
        places = np.flatnonzero(data[1:-1] == _QUOTE) + 1
        opening, closing = places[self._n_odd :: 2], places[1 - self._n_odd :: 2]
        before, after = data[opening - 1], data[closing + 1]
        self.tidy = bool(self._is_edge[before].all() and self._is_edge[after].all())
        self._n_odd = (self._n_odd + len(places)) % 2


def csv_options(
    layout: Layout, columns: list[str], *, quotes: bool, block: int = STREAM_BLOCK
) -> dict[str, Any]:
    """Return pyarrow's options that give cells as text, unchanged; '' is null."""
    pa, pa_csv = package("pyarrow", "Reading CSV files"), package("pyarrow.csv", "")
    return {
        "read_options": pa_csv.ReadOptions(
            column_names=list(layout.names), block_size=block
        ),
        "parse_options": pa_csv.ParseOptions(
            delimiter=layout.delimiter,
            quote_char='"' if quotes else False,
            newlines_in_values=quotes,
        ),
        "convert_options": pa_csv.ConvertOptions(
            include_columns=columns,
            column_types=dict.fromkeys(columns, pa.string()),
            strings_can_be_null=True,
            null_values=[""],
        ),
    }


def fast_rows(
    text: TextFile, layout: Layout, columns: list[str], *, quotes: bool
) -> pa.Table | None:
    """Return the columns of a sound file as text; None if a row does not fit.

    Parameters
    ----------
    text : TextFile
        The file, verified.
    layout : Layout
        Its layout.
    columns : list of str
        The columns to read.
    quotes : bool
        Whether the file has quotes.

    Returns
    -------
    pyarrow.Table or None
    """
    pa = package("pyarrow", "Reading CSV files")
    pa_csv = package("pyarrow.csv", "Reading CSV files")
    try:
        return pa_csv.read_csv(
            byte_stream(text, layout.skip),
            **csv_options(layout, columns, quotes=quotes),
        )
    except pa.ArrowInvalid:
        return None


def repeats_header(rows: pa.Table) -> bool:
    """Return whether a row may repeat the header: its first cell does."""
    pc = package("pyarrow.compute", "Reading CSV files")
    same = pc.equal(rows.column(0), rows.column_names[0])
    return bool(pc.any(same).as_py())


def careful_rows(
    text: TextFile, layout: Layout, columns: list[str]
) -> tuple[pa.Table, tuple[Rejected, ...]]:
    """Return the columns of any file as text, and the rows that do not fit.

    Blank lines are left out; in a file of one column, a blank line is a missing value
    unless it is at the end. A row with too few or too many fields, and one with text
    after a closing quote, is rejected. So is a row that repeats the header.

    Parameters
    ----------
    text : TextFile
        The file, verified.
    layout : Layout
        Its layout.
    columns : list of str
        The columns to read.

    Returns
    -------
    pyarrow.Table
    tuple of Rejected

    Raises
    ------
    TableError
        When a quote is never closed, or more than 5 % of the rows (and more than 10)
        do not fit.
    """
    pa = package("pyarrow", "Reading CSV files")
    rejected: list[Rejected] = []
    batches = list(careful_batches(text, layout, columns, rejected))
    table = pa.Table.from_batches(batches)
    problem = f"do not fit its {layout.width} columns (delimiter {layout.delimiter!r})"
    refuse_many(text.name, problem, table.num_rows, tuple(rejected))
    return table, tuple(rejected)


def careful_batches(
    text: TextFile, layout: Layout, columns: list[str], rejected: list[Rejected]
) -> Iterator[pa.RecordBatch]:
    """Yield the rows like `careful_rows`, some at a time.

    Parameters
    ----------
    text, layout, columns
        See `careful_rows`.
    rejected : list of Rejected
        Rows that do not fit are added to it.

    Yields
    ------
    pyarrow.RecordBatch
        The last one may be empty.
    """
    pa = package("pyarrow", "Reading CSV files")
    places = [layout.names.index(name) for name in columns]
    schema = pa.schema([(name, pa.string()) for name in columns])
    rows: list[list[str]] = []
    for row in _rows(text, layout, rejected):
        rows.append(row)
        if len(rows) == _BATCH:
            yield _batch(schema, rows, places)
            rows = []
    yield _batch(schema, rows, places)


def _rows(
    text: TextFile, layout: Layout, rejected: list[Rejected]
) -> Iterator[list[str]]:
    """Yield the fields of every row that fits; add the others to `rejected`."""
    lines = text_lines(text, layout.skip)
    names = list(layout.names)
    one_column, blanks = layout.width == 1, 0
    with any_field_size():
        reader = csv.reader(lines, delimiter=layout.delimiter, strict=True)
        while True:
            line = layout.first_line + reader.line_num
            try:
                row = next(reader, None)
            except csv.Error as problem:
                rejected.append(_at_fault(text, line, problem))
                continue
            if row is None:
                return
            if is_blank(row):
                blanks += 1
            elif len(row) != layout.width:
                fields = f"{len(row)} field{'s' * (len(row) > 1)}"
                rejected.append(Rejected(line, f"{fields} instead of {layout.width}"))
            elif [each.strip() for each in row] == names:
                rejected.append(Rejected(line, "it repeats the header"))
            else:
                if one_column:
                    yield from [[""]] * blanks
                blanks = 0
                yield row


def _at_fault(text: TextFile, line: int, problem: csv.Error) -> Rejected:
    if "unexpected end" in str(problem):
        raise TableError(
            f'A quote (") that opens in line {line} of {text.name} is never closed, so '
            "the end of that cell is not known. Close it, or double it if it belongs "
            "to the text."
        ) from problem
    return Rejected(line, "text after a closing quote")


def _batch(schema: pa.Schema, rows: list[list[str]], places: list[int]) -> Any:
    pa = package("pyarrow", "Reading CSV files")
    columns = [
        pa.array([row[place] or None for row in rows], pa.string()) for place in places
    ]
    return pa.RecordBatch.from_arrays(columns, schema=schema)
