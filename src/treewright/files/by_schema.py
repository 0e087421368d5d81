"""Columns of text in new files, read by the rules that a tree keeps in its schema."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from treewright.errors import ColumnError
from treewright.files.csv_columns import plain_numbers
from treewright.files.optional import package
from treewright.files.source import ArrowSource
from treewright.table.infer import settle
from treewright.table.match import zone_error
from treewright.table.raw import RawColumn, first_value, parse_number
from treewright.table.schema import Feature, Schema
from treewright.table.spelling import Ambiguous, Spelling, is_missing_mark, recognise

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["source_by_schema", "target_by_schema"]

_MOMENTS = {
    "date": "dates",
    "datetime": "dates",
    "duration": "durations",
    "time": "times of day",
}
"""Types of columns that text can spell, and what their values are called."""
_TIMES = ("duration", "time")


def source_by_schema(
    table: pa.Table, text: frozenset[str], schema: Schema, first_row: int = 1
) -> ArrowSource:
    """Return new rows in the types that the training table had.

    Parameters
    ----------
    table : pyarrow.Table
        The columns of a file.
    text : frozenset of str
        Names of the columns that the file holds as text.
    schema : Schema
        The schema of a tree. Other columns stay as they are.
    first_row : int, default=1
        Number of the first row in the file, for messages.

    Returns
    -------
    ArrowSource
        New data for `tree.predict` and the like.

    Raises
    ------
    ColumnError
        When a text is not a number or date, though the column held these.
    """
    left, keep_marks = set(text), set()
    for name in table.column_names:
        place = schema.index_of.get(name)
        if place is None or name not in text:
            continue
        feature = schema.features[place]
        if any(isinstance(x, str) and is_missing_mark(x) for x in feature.labels):
            keep_marks.add(name)
        if feature.spelling is None and _holds_numbers(feature):
            typed = _typed(feature, table.column(name), first_row)
            at = table.column_names.index(name)
            table = table.set_column(at, name, typed)
            left.discard(name)
    return ArrowSource(table, frozenset(left), frozenset(keep_marks), [])


def _holds_numbers(feature: Feature) -> bool:
    if feature.kind == "numeric" or feature.cuts is not None:
        return True
    return feature.has_text == {False}


def _typed(feature: Feature, text: pa.ChunkedArray, first_row: int) -> Any:
    stored = feature.stored_as
    if stored in _MOMENTS:
        return _moments(feature, text, first_row)
    is_bool = stored == "bool" or any(isinstance(x, bool) for x in feature.labels)
    reader = _bools if is_bool else plain_numbers
    found = reader(text)
    if found is None:
        held = "true or false" if is_bool else "numbers"
        reads = partial(_all_read, reader)
        raise _other_kind(feature.name, text, first_row, held, reads)
    return found


def _bools(text: pa.ChunkedArray) -> Any:
    pa = package("pyarrow", "Reading files")
    known = {x for x in text.unique().to_pylist() if not _is_missing(x)}
    values = {x: _bool(x.strip().lower()) for x in known}
    if None in values.values():
        return None
    return pa.array([values.get(x) for x in text.to_pylist()], pa.float64())


def _bool(word: str) -> float | None:
    number = {"true": 1.0, "false": 0.0}.get(word, parse_number(word))
    return number if number in (0.0, 1.0) else None


def _is_missing(cell: str | None) -> bool:
    return cell is None or is_missing_mark(cell, among_numbers=True)


def _all_read(reader: Callable[[pa.ChunkedArray], Any], cells: Sequence[str]) -> bool:
    pa = package("pyarrow", "Reading files")
    return reader(pa.chunked_array([cells], pa.string())) is not None


def _all_moments(stored: str, cells: Sequence[str]) -> bool:
    """Return whether cells spell dates, or times of day, in some way."""
    found = recognise(cells, kind="date")
    is_time = isinstance(found, Spelling) and found.what == "time"
    return found is not None and is_time == (stored in _TIMES)


def _moments(feature: Feature, text: pa.ChunkedArray, first_row: int) -> Any:
    """Return text as dates; it must spell them in a way that is not ambiguous."""
    pa = package("pyarrow", "Reading files")
    source = ArrowSource(pa.table({feature.name: text}), frozenset([feature.name]))
    raw = source.raw(0)
    if all(_is_missing(str(each)) for each in raw.labels):
        return pa.nulls(len(text))
    stored, words = feature.stored_as, _MOMENTS[feature.stored_as]
    reads = partial(_all_moments, stored)
    try:
        column, found = settle(raw, "date")
    except ColumnError as problem:
        if isinstance(recognise(raw.labels, kind="date"), Ambiguous):
            raise _ambiguous(
                feature.name, first_value(raw, _first_known(raw))
            ) from None
        raise _other_kind(feature.name, text, first_row, words, reads) from problem
    if (found.stored_as == "time") != (stored in _TIMES):
        raise _other_kind(feature.name, text, first_row, words, reads)
    if stored not in _TIMES and bool(found.timezone) != bool(feature.timezone):
        raise zone_error(feature, f"{first_value(raw, _first_known(raw))!r}")
    missing = np.isnan(column.data)
    ticks = pa.array(np.where(missing, 0, column.data).astype(np.int64), mask=missing)
    if stored == "duration":
        return ticks.cast(pa.duration("us"))
    if stored == "time":
        return ticks.cast(pa.time64("us"))
    return ticks.cast(pa.timestamp("us", feature.timezone or None))


def _ambiguous(name: str, cell: str) -> ColumnError:
    return ColumnError(
        f"Column {name!r} held dates when the tree was grown. The file holds dates "
        f"such as {cell!r}, but no value says whether the day or the month comes "
        "first. Write them as 2024-02-29."
    )


def _first_known(raw: RawColumn) -> int:
    return int(np.argmax(raw.values >= 0))


def _other_kind(
    name: str,
    text: pa.ChunkedArray,
    first_row: int,
    held: str,
    reads: Callable[[Sequence[str]], bool],
) -> ColumnError:
    """Return the error for the first cell that cannot be read with those before it."""
    cells = text.to_pylist()
    known = [each for each in dict.fromkeys(cells) if not _is_missing(each)]
    place = bisect_left(
        range(len(known)), True, key=lambda last: not reads(known[: last + 1])
    )
    cell = known[place] if place < len(known) else known[0]
    return ColumnError(
        f"Column {name!r} held {held} when the tree was grown, but row "
        f"{first_row + cells.index(cell)} of the file holds {cell[:40]!r}. Correct the "
        "value, or leave it empty if it is missing."
    )


def target_by_schema(source: ArrowSource, schema: Schema) -> RawColumn | None:
    """Return the target of new rows, typed as in the training table.

    Parameters
    ----------
    source : ArrowSource
        New rows.
    schema : Schema
        The schema of a tree.

    Returns
    -------
    RawColumn or None
        None: the file has no column of this name.
    """
    info = schema.target
    if info is None or info.name not in source.names:
        return None
    raw = source.raw(source.names.index(info.name))
    wants_text = any(isinstance(each, str) for each in info.classes)
    if info.name not in source.text or wants_text:
        return raw
    column, _ = settle(raw, "numeric")
    return RawColumn(info.name, "float", np.asarray(column.data, np.float64))
