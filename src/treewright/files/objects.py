"""Columns of Python objects, from files whose cells have types of their own.

What becomes of a column: whole numbers, floats, bools, text, dates, points in time,
times of day and durations stay what they are. A column that mixes text with numbers or
dates becomes text, as it would be in a CSV file; marks such as 'n/a' do not count as
text there. Whole numbers beyond 2^53 become text: no float holds them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date, datetime, time, timedelta
from typing import Any

from treewright.errors import ColumnTypeError
from treewright.files.content import Content, Rejected
from treewright.files.csv_columns import missing_marks
from treewright.files.optional import package
from treewright.table.intake import Finding
from treewright.table.raw import EXACT_INTEGERS
from treewright.table.spelling import is_missing_mark

__all__ = ["content_of_objects"]

_PLAIN = {
    frozenset({bool}): "bool_",
    frozenset({int}): "int64",
    frozenset({float}): "float64",
    frozenset({int, float}): "float64",
    frozenset({str}): "string",
    frozenset({date}): "date32",
}


_NESTED = ("a nested value", "Put each part into a column of its own")
_UNREADABLE = {
    dict: _NESTED,
    list: _NESTED,
    bytes: ("raw bytes", "Store it as text or as a number"),
}


def content_of_objects(
    columns: Mapping[str, Sequence[Any]],
    file: str,
    rejected: tuple[Rejected, ...] = (),
    findings: Sequence[Finding] = (),
) -> Content:
    """Return columns of Python objects as the content of a file.

    Parameters
    ----------
    columns : mapping of str to list
        The cells; None is missing.
    file : str
        The file's name, for messages.
    rejected, findings
        See `Content`.

    Returns
    -------
    Content

    Raises
    ------
    ColumnTypeError
        When a cell holds several values, or raw bytes.
    """
    pa = package("pyarrow", "Reading files")
    found = list(findings)
    arrays = [_array(name, cells, file, found) for name, cells in columns.items()]
    table = pa.table(arrays, names=list(columns))
    text = frozenset(x.name for x in table.schema if pa.types.is_string(x.type))
    return Content(table, text, rejected, tuple(found))


def _array(name: str, cells: Sequence[Any], file: str, findings: list[Finding]) -> Any:
    pa = package("pyarrow", "Reading files")
    types = frozenset(map(type, cells)) - {type(None)}
    _refuse_unreadable(name, cells, types, file)
    if str in types and len(types) > 1:
        cells, finding = _without_marks(name, cells)
        findings.extend([finding] if finding else [])
        types = frozenset(map(type, cells)) - {type(None)}
    if not types:
        return pa.nulls(len(cells))
    plain = _PLAIN.get(types)
    if plain is not None and not (int in types and _beyond_float(cells)):
        return pa.array(cells, getattr(pa, plain)())
    if types <= {date, datetime}:
        return _moments(cells)
    if len(types) == 1 and types <= {time, timedelta}:
        return pa.array(map(_duration, cells), pa.duration("us"))
    return pa.array(map(_as_text, cells), pa.string())


def _refuse_unreadable(
    name: str, cells: Sequence[Any], types: frozenset[type], file: str
) -> None:
    for kind, (words, remedy) in _UNREADABLE.items():
        if kind in types:
            row = next(i for i, x in enumerate(cells) if isinstance(x, kind))
            raise ColumnTypeError(
                f"Column {name!r} of {file} holds {words} (row {row + 1}). {remedy}, "
                f"or pass drop=[{name!r}]."
            )


def _without_marks(name: str, cells: Sequence[Any]) -> tuple[list[Any], Finding | None]:
    """Make marks of missing values None in a column that is not all text."""
    is_mark = [isinstance(x, str) and _is_mark(x) for x in cells]
    counts = Counter(x for x, mark in zip(cells, is_mark, strict=True) if mark and x)
    left = [None if mark else x for x, mark in zip(cells, is_mark, strict=True)]
    return left, missing_marks(name, counts)


def _is_mark(text: str) -> bool:
    return is_missing_mark(text, among_numbers=True)


def _beyond_float(cells: Sequence[Any]) -> bool:
    return any(isinstance(x, int) and abs(x) > EXACT_INTEGERS for x in cells)


def _moments(cells: Sequence[Any]) -> Any:
    pa = package("pyarrow", "Reading files")
    moments = [
        datetime(x.year, x.month, x.day) if type(x) is date else x for x in cells
    ]
    return pa.array(moments, pa.timestamp("us"))


def _duration(cell: Any) -> Any:
    if not isinstance(cell, time):
        return cell
    return timedelta(
        hours=cell.hour,
        minutes=cell.minute,
        seconds=cell.second,
        microseconds=cell.microsecond,
    )


def _as_text(cell: Any) -> str | None:
    if cell is None or isinstance(cell, str):
        return cell
    if isinstance(cell, date | time):
        return cell.isoformat()
    return str(cell)
