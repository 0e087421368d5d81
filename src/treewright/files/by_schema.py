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
from treewright.table.from_frame import from_series
from treewright.table.infer import settle
from treewright.table.match import zone_error
from treewright.table.raw import RawColumn, truth_value
from treewright.table.schema import Feature, Schema
from treewright.table.spelling import (
    VALUES_OF,
    Spelling,
    is_missing_mark,
    parse_duration,
    recognise,
)

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["source_by_schema", "target_by_schema"]


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
    if feature.stored_as in ("date", "datetime"):
        return _dates(feature, text, first_row)
    is_bool = any(isinstance(x, bool) for x in feature.labels)
    stored = "bool" if is_bool else feature.stored_as
    return _read(stored, feature.name, text, first_row)


def _read(stored: str, name: str, text: pa.ChunkedArray, first_row: int) -> Any:
    """Return text as numbers, or as truth values, durations or times of day."""
    reader: Callable[[Any], Any] = _READERS.get(stored, plain_numbers)
    found = reader(text)
    if found is None:
        held = VALUES_OF.get(stored, "numbers")
        reads = partial(_all_read, reader)
        raise _other_kind(name, text, first_row, held, reads)
    return found


def _read_by(
    parse: Callable[[str], Any], arrow_type: str, text: pa.ChunkedArray
) -> pa.Array | None:
    """Return what every cell spells; None if a cell spells nothing."""
    pa = package("pyarrow", "Reading files")
    values = {x: parse(x) for x in _known(text)}
    if None in values.values():
        return None
    return pa.array([values.get(x) for x in text.to_pylist()], arrow_type)


def _time_of_day(cell: str) -> int | None:
    ticks = Spelling("time").parse(cell)
    return None if ticks is None else int(ticks)


_READERS: dict[str, Callable[[Any], Any]] = {
    "bool": partial(_read_by, truth_value, "bool"),
    "duration": partial(_read_by, parse_duration, "duration[us]"),
    "time": partial(_read_by, _time_of_day, "time64[us]"),
}


def _known(text: pa.ChunkedArray) -> list[str]:
    return [x for x in text.unique().to_pylist() if not _is_missing(x)]


def _is_missing(cell: str | None) -> bool:
    return cell is None or is_missing_mark(cell, among_numbers=True)


def _all_read(reader: Callable[[pa.ChunkedArray], Any], cells: Sequence[str]) -> bool:
    pa = package("pyarrow", "Reading files")
    return reader(pa.chunked_array([cells], pa.string())) is not None


def _are_dates(cells: Sequence[str]) -> bool:
    """Return whether all cells spell dates, though perhaps in two ways."""
    found = recognise(cells, kind="date")
    is_time = isinstance(found, Spelling) and found.what == "time"
    return found is not None and not is_time


def _dates(feature: Feature, text: pa.ChunkedArray, first_row: int) -> Any:
    """Return text as dates; it must spell them in a way that is not ambiguous."""
    pa = package("pyarrow", "Reading files")
    known = _known(text)
    if not known:
        return pa.nulls(len(text))
    if not _are_dates(known):
        held = VALUES_OF[feature.stored_as]
        raise _other_kind(feature.name, text, first_row, held, _are_dates)
    spelling = recognise(known, kind="date")
    if not isinstance(spelling, Spelling):
        raise _ambiguous(feature.name, known[0])
    if bool(spelling.zone) != bool(feature.timezone):
        raise zone_error(feature, repr(known[0]))
    ticks = {x: spelling.parse(x) for x in known}
    cells = pa.array([ticks.get(x) for x in text.to_pylist()], pa.float64())
    return cells.cast(pa.int64()).cast(pa.timestamp("us", feature.timezone or None))


def _ambiguous(name: str, cell: str) -> ColumnError:
    return ColumnError(
        f"Column {name!r} held dates when the tree was grown. The file holds dates "
        f"such as {cell!r}, but no value says whether the day or the month comes "
        "first. Write them as 2024-02-29."
    )


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


def target_by_schema(
    source: ArrowSource, schema: Schema, first_row: int = 1
) -> RawColumn | None:
    """Return the target of new rows, typed as in the training table.

    Parameters
    ----------
    source : ArrowSource
        New rows.
    schema : Schema
        The schema of a tree.
    first_row : int, default=1
        Number of the first row in the file, for messages.

    Returns
    -------
    RawColumn or None
        None: the file has no column of this name.
    """
    info = schema.target
    if info is None or info.name not in source.names:
        return None
    place = source.names.index(info.name)
    raw = source.raw(place)
    wants_text = any(isinstance(each, str) for each in info.classes)
    if info.name not in source.text or wants_text:
        return raw
    if any(isinstance(each, bool) for each in info.classes):
        flags = _read("bool", info.name, source.table.column(place), first_row)
        return from_series(info.name, flags)
    column, _ = settle(raw, "numeric")
    return RawColumn(info.name, "float", np.asarray(column.data, np.float64))
