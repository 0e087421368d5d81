"""Read columns of Python objects (object arrays, lists) by the types of their cells."""

import numbers
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import ColumnError, ColumnTypeError, TableError
from treewright.table.raw import EXACT_INTEGERS, RawColumn

__all__ = ["COMPLEX_WORDS", "from_objects", "not_utf8"]

COMPLEX_WORDS = "Complex data not supported"
_NUMBERS = frozenset({"bool", "int", "float", "decimal"})
_MOMENTS = frozenset({"date", "datetime"})
_UNREADABLE = {
    "nested": "a nested value; put each part into a column of its own",
    "bytes": "raw bytes among other cells; decode them to text first",
    "other": "an object; turn the column into text, numbers or dates first",
}
_BYTES = (bytes, bytearray, memoryview)
# The first match wins: bool is an int, a datetime is a date, timedelta64 an integer.
_GROUPS: tuple[tuple[str, tuple[type, ...]], ...] = (
    ("bool", (bool, np.bool_)),
    ("text", (str,)),
    ("duration", (timedelta, np.timedelta64)),
    ("int", (numbers.Integral,)),
    ("float", (numbers.Real,)),
    ("decimal", (Decimal,)),
    ("datetime", (datetime, np.datetime64)),
    ("date", (date,)),
    ("time", (time,)),
    ("complex", (numbers.Complex,)),
    ("bytes", _BYTES),
    ("nested", (list, tuple, dict, set, frozenset, np.ndarray)),
)
_group_cache: dict[type, str] = {}


def from_objects(name: str, cells: NDArray[Any] | Sequence[Any]) -> RawColumn:
    """Return a column of Python objects as a raw column, by the types of its cells.

    Parameters
    ----------
    name : str
        The column's name.
    cells : object array, list or tuple
        The cells. None, NaN, NaT and pandas' NA are missing.

    Returns
    -------
    RawColumn

    Raises
    ------
    ColumnError
        When dates are mixed with something else.
    ColumnTypeError
        When a cell is neither text, a number nor a date.
    """
    groups = {_group_of(each) for each in set(map(type, cells))}
    if groups <= {"bytes", "missing"} and "bytes" in groups:
        cells, groups = _decoded(name, cells), (groups - {"bytes"}) | {"text"}
    if "period" in groups:
        cells, groups = _started(cells), (groups - {"period"}) | {"datetime"}
    complete = groups.isdisjoint({"missing", "float", "decimal"})
    groups.discard("missing")
    _refuse_unreadable(name, cells, groups)
    for group in ("float", "decimal"):
        if group in groups and len(groups) > 1 and _all_nan(cells, group):
            groups.discard(group)
    if not groups:
        return RawColumn(name, "empty", _object_array(cells))
    return _of_types(name, cells, groups, complete)


def _of_types(
    name: str, cells: NDArray[Any] | Sequence[Any], groups: set[str], complete: bool
) -> RawColumn:
    """Return the column that these types of cells make."""
    if groups == {"text"}:
        return RawColumn(name, "text", _object_array(cells), storage="text")
    if groups <= _NUMBERS:
        return _numbers(name, cells, groups, complete)
    if groups <= _MOMENTS:
        return _moments(name, cells, groups)
    if groups == {"duration"}:
        ticks = np.array(_with_none(cells), "timedelta64[us]")
        return RawColumn(name, "duration", ticks, storage="durations")
    if groups == {"time"}:
        return _times_of_day(name, cells)
    if groups <= _NUMBERS | {"text"}:
        values = _object_array(cells)
        return RawColumn(name, "mixed", values, storage="text and numbers")
    raise _mixed_error(name, cells, groups)


def _decoded(name: str, cells: NDArray[Any] | Sequence[Any]) -> list[Any]:
    """Return the cells with bytes decoded to text."""
    try:
        return [
            bytes(cell).decode() if isinstance(cell, _BYTES) else cell for cell in cells
        ]
    except UnicodeDecodeError as problem:
        raise not_utf8(name, problem) from problem


def _started(cells: NDArray[Any] | Sequence[Any]) -> list[Any]:
    """Return the cells with pandas' periods replaced by their start."""
    return [
        cell.to_timestamp() if _group_of(type(cell)) == "period" else cell
        for cell in cells
    ]


def _times_of_day(name: str, cells: NDArray[Any] | Sequence[Any]) -> RawColumn:
    """Return times of day as the time since midnight."""
    times = _with_none(cells)
    zoned = next((row for row, t in enumerate(times) if t and t.tzinfo), None)
    if zoned is not None:
        raise ColumnError(
            f"Column {name!r} holds the time of day {times[zoned]!s} with a time zone "
            f"(row {zoned}), which no date fixes. Leave the zone out."
        )
    spans = [
        t
        and timedelta(
            hours=t.hour,
            minutes=t.minute,
            seconds=t.second,
            microseconds=t.microsecond,
        )
        for t in times
    ]
    ticks = np.array(spans, "timedelta64[us]")
    return RawColumn(name, "time", ticks, storage="times of day")


def not_utf8(name: str, problem: UnicodeDecodeError) -> ColumnError:
    """Return the error for bytes that are not text."""
    return ColumnError(
        f"Column {name!r} holds bytes that are not UTF-8 text ({problem}). Decode the "
        "column to text first."
    )


def _group_of(cell_type: type) -> str:
    group = _group_cache.get(cell_type)
    if group is None:
        group = _group_cache[cell_type] = _find_group(cell_type)
    return group


def _find_group(cell_type: type) -> str:
    # pandas' own types are recognized by name, so that pandas is not needed.
    if cell_type.__name__ in ("NoneType", "NAType", "NaTType"):
        return "missing"
    if cell_type.__name__ == "Period":
        return "period"
    for group, members in _GROUPS:
        if issubclass(cell_type, members):
            return group
    return "other"


def _object_array(cells: NDArray[Any] | Sequence[Any]) -> NDArray[Any]:
    if isinstance(cells, np.ndarray):
        return cells
    out = np.empty(len(cells), object)
    out[:] = cells
    return out


def _refuse_unreadable(name: str, cells: Iterable[Any], groups: set[str]) -> None:
    if "complex" in groups:
        row, cell = _first(cells, lambda group: group == "complex")
        raise TableError(
            f"{COMPLEX_WORDS}: column {name!r} holds {cell!r} in row {row}. Split it "
            "into a real and an imaginary column."
        )
    if groups.isdisjoint(_UNREADABLE):
        return
    row, cell = _first(cells, _UNREADABLE.__contains__)
    raise ColumnTypeError(
        f"Column {name!r} holds {_short(cell)} in row {row}: argument must be a "
        f"string or a number, not {type(cell).__name__!r}. That is "
        f"{_UNREADABLE[_group_of(type(cell))]}."
    )


def _first(cells: Iterable[Any], wanted: Callable[[str], bool]) -> tuple[int, Any]:
    return next(
        (row, cell)
        for row, cell in enumerate(cells)
        if wanted(_group_of(type(cell))) and cell is not None
    )


def _short(cell: Any) -> str:
    text = repr(cell)
    return text if len(text) <= 60 else text[:57] + "..."


def _is_missing(cell: Any) -> bool:
    group = _group_of(type(cell))
    if group in ("float", "decimal"):
        return bool(cell != cell)
    return group == "missing"


def _all_nan(cells: Iterable[Any], group: str) -> bool:
    return all(cell != cell for cell in cells if _group_of(type(cell)) == group)


def _with_none(cells: Iterable[Any]) -> list[Any]:
    return [None if _is_missing(cell) else cell for cell in cells]


def _numbers(
    name: str, cells: NDArray[Any] | Sequence[Any], groups: set[str], complete: bool
) -> RawColumn:
    if groups <= {"bool", "int"}:
        return _whole_numbers(name, cells, groups, complete)
    if not groups.isdisjoint({"int", "decimal"}) and _any_huge(cells):
        return RawColumn(name, "huge", _object_array(cells))
    try:
        values = np.asarray(cells, np.float64)
    except (TypeError, ValueError):
        values = np.array([np.nan if _is_missing(v) else float(v) for v in cells])
    storage = "decimal numbers" if "decimal" in groups else "numbers"
    return RawColumn(name, "float", values, storage=storage)


def _whole_numbers(
    name: str, cells: NDArray[Any] | Sequence[Any], groups: set[str], complete: bool
) -> RawColumn:
    mask = None
    plain: NDArray[Any] | Sequence[Any] = cells
    if not complete:
        mask = np.fromiter(map(_is_missing, cells), np.bool_, len(cells))
        pairs = zip(mask, cells, strict=True)
        plain = [0 if is_missing else cell for is_missing, cell in pairs]
    if groups == {"bool"}:
        return RawColumn(name, "bool", np.array(plain, np.bool_), mask)
    try:
        values = np.array(plain, np.int64)
    except OverflowError:
        return RawColumn(name, "huge", _object_array(cells))
    return RawColumn(name, "int", values, mask, storage="whole numbers")


def _any_huge(cells: Iterable[Any]) -> bool:
    """Return whether float64 cannot distinguish all whole numbers and decimals."""
    return any(
        abs(cell) > EXACT_INTEGERS
        for cell in cells
        if _group_of(type(cell)) in ("int", "decimal") and cell == cell
    )


def _moments(name: str, cells: Iterable[Any], groups: set[str]) -> RawColumn:
    moments = _with_none(cells)
    zones = [getattr(cell, "tzinfo", None) for cell in moments if cell is not None]
    zone = next((z for z in zones if z is not None), None)
    if zone is not None:
        if None in zones:
            raise ColumnError(
                f"Column {name!r} mixes times with and without a time zone. Give all "
                "of them a zone, or none."
            )
        moments = [
            None if cell is None else cell.astimezone(UTC).replace(tzinfo=None)
            for cell in moments
        ]
    content = "date" if groups == {"date"} else "datetime"
    values = np.array(moments, "datetime64[us]")
    zone_name = "" if zone is None else str(zone)
    return RawColumn(name, content, values, timezone=zone_name, storage="dates")


def _mixed_error(name: str, cells: Iterable[Any], groups: set[str]) -> ColumnError:
    plural = {"text": "text", "date": "dates", "datetime": "dates"}
    plural |= {"duration": "durations", "time": "times of day"}
    seen = sorted({plural.get(g, "numbers") for g in groups})
    kept = list(cells)
    first = next(i for i, cell in enumerate(kept) if not _is_missing(cell))
    own = _group_of(type(kept[first]))
    family = next(f for f in (_MOMENTS, _NUMBERS, {own}) if own in f)
    row, other = _first(kept, lambda group: group not in family and group != "missing")
    return ColumnError(
        f"Column {name!r} mixes {' and '.join(seen)} (row {first}: {kept[first]!r}, "
        f"row {row}: {other!r}). Make the column one or the other."
    )
