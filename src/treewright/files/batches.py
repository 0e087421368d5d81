"""Files larger than memory: their rows in batches, typed by the schema of a tree."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from treewright.errors import TableError
from treewright.files.arrow_table import checked_names, damaged, from_arrow
from treewright.files.by_schema import source_by_schema, target_by_schema
from treewright.files.content import Content, Rejected
from treewright.files.csv_file import verified_layout
from treewright.files.csv_layout import Layout
from treewright.files.csv_rows import (
    QuoteCheck,
    careful_batches,
    csv_options,
    repeats_header,
)
from treewright.files.formats import format_of, read_content
from treewright.files.in_parts import is_in_parts, rows_in_parts
from treewright.files.opened import OpenedFile
from treewright.files.optional import package
from treewright.files.parquet import open_parquet
from treewright.files.select import Selection
from treewright.files.source import ArrowSource
from treewright.files.sql import is_query
from treewright.files.streams import byte_stream
from treewright.files.text import TextFile
from treewright.table.raw import RawColumn
from treewright.table.schema import Schema

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Batch", "read_batches", "tables_of"]

_ROWS = 100_000
_BLOCK = 2 << 20  # bytes; pyarrow reads several blocks ahead


@dataclass(frozen=True, eq=False)
class Batch:
    """Some rows of a file.

    Attributes
    ----------
    rows : pyarrow.Table
        All columns, as they are in the file; those of a CSV file are text.
    X : ArrowSource
        New data for `tree.predict`, `tree.apply` and the like.
    y : RawColumn or None
        The target, if the file has a column of its name.
    first_row : int
        Number of the first row in the file, counted from 1.
    """

    rows: pa.Table
    X: ArrowSource
    y: RawColumn | None
    first_row: int


def read_batches(
    path: str | os.PathLike[str],
    schema: Schema,
    *,
    table: str | None = None,
    progress: Callable[[float], Any] | None = None,
) -> Iterator[Batch]:
    """Read a file in batches of at most 100,000 rows, typed by the schema of a tree.

    CSV, Parquet and Arrow files are streamed; other formats are read as a whole. Every
    row must fit the columns: predictions for some of the rows would be mistaken for
    predictions for all of them. A file without rows is one batch of no rows, so that
    its columns are checked.

    Parameters
    ----------
    path : str, path or rows in parts
        The file, or a query; see `read`. Or rows in parts; see `rows_in_parts`.
    schema : Schema
        The schema of a tree.
    table : str, default=None
        The sheet or table; see `read`.
    progress : callable, default=None
        See `read`.

    Yields
    ------
    Batch

    Raises
    ------
    TableError
        When a row does not fit, with its line; or when the file cannot be read.
    """
    first_row = 1
    for rows, content in tables_of(path, table, progress):
        X = source_by_schema(content.table, content.text, schema, first_row)
        y = target_by_schema(X, schema, first_row)
        yield Batch(rows, X, y, first_row)
        first_row += rows.num_rows


def tables_of(
    path: str | os.PathLike[str],
    table: str | None,
    progress: Callable[[float], Any] | None = None,
) -> Iterator[tuple[pa.Table, Content]]:
    """Yield some rows as they are in the file, and as content to be typed."""
    if is_in_parts(path):
        yield from _tables_of_parts(path)
        return
    everything = Selection.of(None, None, None, None, None)
    file = None if is_query(path) else OpenedFile(path, progress=progress)
    kind = "" if file is None else format_of(file)
    if file is not None and kind == "csv":
        yield from _csv_tables(file)
    elif file is not None and kind in ("parquet", "arrow"):
        for rows in _arrow_tables(file, kind):
            yield rows, from_arrow(rows, file.name)
    else:
        content = read_content(
            path, everything, table=table, memory_limit=None, progress=progress
        )
        _refuse_rejected(str(path), content.rejected)
        for start in range(0, max(content.table.num_rows, 1), _ROWS):
            rows = content.table.slice(start, _ROWS)
            yield rows, replace(content, table=rows)


def _tables_of_parts(path: Any) -> Iterator[tuple[pa.Table, Content]]:
    pa = package("pyarrow", "Reading files")
    for name, open_part in rows_in_parts(path).parts.items():
        for batch in open_part():
            rows = pa.Table.from_batches([batch])
            for start in range(0, rows.num_rows, _ROWS):
                some = rows.slice(start, _ROWS)
                yield some, from_arrow(some, name)


def _csv_tables(file: OpenedFile) -> Iterator[tuple[pa.Table, Content]]:
    pa = package("pyarrow", "Reading CSV files")
    text = TextFile(file)
    layout, quotes = verified_layout(text)
    names = list(layout.names)
    some = None
    for batch in _csv_batches(text, layout, quotes):
        rows = pa.Table.from_batches([batch])
        for start in range(0, rows.num_rows, _ROWS):
            some = rows.slice(start, _ROWS)
            yield some, Content(some, frozenset(names))
    if some is None:
        some = pa.table({name: pa.array([], pa.string()) for name in names})
        yield some, Content(some, frozenset(names))


def _csv_batches(
    text: TextFile, layout: Layout, quotes: QuoteCheck
) -> Iterator[pa.RecordBatch]:
    pa = package("pyarrow", "Reading CSV files")
    pa_csv = package("pyarrow.csv", "Reading CSV files")
    names, n_read = list(layout.names), 0
    if not (quotes.tidy and layout.width > 1):
        yield from _careful_rows(text, layout, names)
        return
    stream = byte_stream(text, layout.skip)
    try:
        options = csv_options(layout, names, quotes=quotes.any, block=_BLOCK)
        with pa_csv.open_csv(stream, **options) as batches:
            for batch in batches:
                if repeats_header(batch):
                    _refuse_misfit(text, layout)
                n_read += batch.num_rows
                yield batch
    except pa.ArrowInvalid as problem:
        if "Empty CSV" not in str(problem):
            # A row is at fault, or longer than a block.
            yield from _careful_rows(text, layout, names, n_read)


def _careful_rows(
    text: TextFile, layout: Layout, names: list[str], start: int = 0
) -> Iterator[pa.RecordBatch]:
    """Yield the rows after the first `start`; refuse one that does not fit."""
    rejected: list[Rejected] = []
    for batch in careful_batches(text, layout, names, rejected):
        _refuse_rejected(text.name, tuple(rejected))
        skipped = min(start, batch.num_rows)
        start -= skipped
        yield batch.slice(skipped)


def _refuse_misfit(text: TextFile, layout: Layout) -> None:
    """Refuse the first row that does not fit, with its line."""
    for _ in _careful_rows(text, layout, list(layout.names[:1])):
        pass


def _refuse_rejected(file: str, rejected: tuple[Rejected, ...]) -> None:
    if rejected:
        first = rejected[0]
        raise TableError(
            f"Line {first.line} of {file} cannot be read: {first.why}. Every row needs "
            "an answer, so correct that line first."
        )


def _arrow_tables(file: OpenedFile, kind: str) -> Iterator[pa.Table]:
    """Yield the row groups of a Parquet file, or the batches of an Arrow file."""
    pa = package("pyarrow", "Reading Parquet files")
    try:
        with file.seekable() as stream:
            for batch, share in _arrow_batches(stream, kind, file.name):
                yield pa.Table.from_batches([batch])
                file.report(share)
    except (pa.ArrowException, OSError) as problem:
        raise damaged(file.name, kind.title(), problem) from problem


def _arrow_batches(
    stream: Any, kind: str, name: str
) -> Iterator[tuple[pa.RecordBatch, float]]:
    """Yield rows, and the share of the file that is then read."""
    if kind == "parquet":
        with open_parquet(stream) as opened:
            checked_names(opened.schema_arrow.names, name)
            n_rows, n_read = opened.metadata.num_rows, 0
            for batch in opened.iter_batches(_ROWS):
                n_read += batch.num_rows
                yield batch, n_read / max(n_rows, 1)
            if not n_rows:
                yield _no_rows(opened.schema_arrow), 1.0
        return
    ipc = package("pyarrow.ipc", "Reading Arrow files")
    with ipc.open_file(stream) as opened:
        checked_names(opened.schema.names, name)
        for place in range(opened.num_record_batches):
            yield opened.get_batch(place), (place + 1) / opened.num_record_batches
        if not opened.num_record_batches:
            yield _no_rows(opened.schema), 1.0


def _no_rows(schema: pa.Schema) -> pa.RecordBatch:
    return package("pyarrow", "Reading files").RecordBatch.from_pylist([], schema)
