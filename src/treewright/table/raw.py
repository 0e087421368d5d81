"""A column as the caller passed it, with the type of its cells.

Every source (array, frame, dict, rows) returns `RawColumn`s; `infer` and `match`
turn them into numbers or codes with `to_numbers` and `to_codes`.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from fractions import Fraction
from itertools import repeat
from numbers import Number
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import ColumnError
from treewright.table.column import FloatArray, IntArray, Label
from treewright.table.spelling import Spelling, is_missing_mark

__all__ = [
    "EXACT_INTEGERS",
    "RawColumn",
    "as_label",
    "factorize",
    "first_value",
    "freeze",
    "missing_mask",
    "parse_number",
    "spelled_number",
    "spelled_numbers",
    "to_codes",
    "to_numbers",
    "truth_value",
]

EXACT_INTEGERS = 2**53
"""float64 holds all whole numbers up to this size exactly."""


@dataclass(frozen=True, eq=False, slots=True)
class RawColumn:
    """One column whose kind is not decided yet.

    Attributes
    ----------
    name : str
        The column's name.
    content : str
        Type of the cells: 'float', 'int', 'bool', 'date', 'datetime', 'duration',
        'time', 'text', 'category', 'mixed' (text and numbers), 'huge' (numbers, some of
        them too large to be exact in float64) or 'empty' (all missing).
    values : ndarray
        float32/float64 (NaN = missing); integers; bools; datetime64/timedelta64;
        objects for text, mixed and huge; positions in `labels` for categories and for
        coded text (-1 = missing).
    missing : ndarray of bool or None
        Which cells are missing, for integers and bools; None: no cell is missing.
    labels : tuple
        Categories, for content 'category'. For content 'text' whose `values` are codes:
        the texts, sorted.
    declared : bool
        Whether the caller declared the order of `labels`.
    ordered : bool
        Whether the caller declared that this order is meaningful.
    timezone : str
        For 'datetime': the time zone of the caller's values.
    storage : str
        The caller's type, for `Feature.reason`.
    floats : ndarray of float32 or float64, or None
        The values of an 'int' column as exact floats, if they are already computed.
    rows : ndarray of int64 or None
        How many rows of the table each value stands for; None: one.
    """

    name: str
    content: str
    values: NDArray[Any]
    missing: NDArray[np.bool_] | None = None
    labels: tuple[Label, ...] = field(default=())
    declared: bool = False
    ordered: bool = False
    timezone: str = ""
    storage: str = ""
    floats: FloatArray | None = None
    rows: NDArray[np.int64] | None = None

    @property
    def is_coded(self) -> bool:
        """Whether `values` are positions in `labels`."""
        coded_text = self.content == "text" and self.values.dtype.kind == "i"
        return coded_text or self.content == "category"


def freeze(array: NDArray[Any]) -> NDArray[Any]:
    """Return a read-only view; the caller's array stays writeable."""
    view = array.view()
    view.flags.writeable = False
    return view


def to_numbers(raw: RawColumn, *, exact: bool = True) -> FloatArray:
    """Return the column as floats; missing values are NaN.

    Parameters
    ----------
    raw : RawColumn
        The column.
    exact : bool, default=True
        Refuse whole numbers that are not exact in float64.

    Returns
    -------
    ndarray of float32 or float64
        For float columns, a view of the caller's memory.

    Raises
    ------
    ColumnError
        When a cell is not a number.
    """
    values = raw.values
    match raw.content:
        case "float":
            return values
        case "int":
            return raw.floats if raw.floats is not None else _from_integers(raw, exact)
        case "bool":
            return _with_missing(values.astype(np.float64), raw.missing)
        case "date" | "datetime":
            return _from_ticks(values.astype("datetime64[us]"))
        case "duration" | "time":
            return _from_ticks(values.astype("timedelta64[us]"))
        case "huge":
            return _from_huge(raw, exact=exact)
        case "empty":
            return np.full(len(values), np.nan)
        case "text" | "category":
            return _from_labels(raw, *to_codes(raw))
    is_text = [isinstance(cell, str) for cell in raw.values]
    raise _not_numbers(raw, np.flatnonzero(is_text))


def to_codes(raw: RawColumn) -> tuple[IntArray, tuple[Label, ...]]:
    """Return the column as positions in a tuple of labels; missing values are -1.

    Parameters
    ----------
    raw : RawColumn
        The column.

    Returns
    -------
    codes : ndarray of int32
        Position of each row's label.
    labels : tuple
        Distinct values, sorted, or in the order that the caller declared.
    """
    values = raw.values
    match raw.content:
        case "text" if raw.is_coded:
            return values, raw.labels
        case "text" | "mixed" | "huge":
            return factorize(values)
        case "category":
            return _coded_categories(raw)
        case "empty":
            return np.full(len(values), -1, np.int32), ()
    known = ~missing_mask(raw)
    if raw.content in ("duration", "time"):
        values = values.astype("timedelta64[us]")
    elif raw.content in ("date", "datetime"):
        values = values.astype("datetime64[us]")
    distinct, inverse = np.unique(values[known], return_inverse=True)
    codes = np.full(len(values), -1, np.int32)
    codes[known] = inverse
    return codes, tuple(as_label(each) for each in distinct.tolist())


def factorize(values: Iterable[Any]) -> tuple[IntArray, tuple[Label, ...]]:
    """Number the distinct texts and numbers in sorted order; other cells are -1.

    Parameters
    ----------
    values : sized iterable of objects
        Cells: str, numbers and missing values.

    Returns
    -------
    codes : ndarray of int32
        Position of each cell's value among the labels.
    labels : tuple of str or number
        Distinct known values: sorted numbers, then sorted text.
    """
    cells = values.tolist() if isinstance(values, np.ndarray) else list(values)
    distinct = dict.fromkeys(cells)
    texts = sorted(cell for cell in distinct if isinstance(cell, str))
    labels: list[Any] = texts
    if len(texts) < len(distinct):
        numbers = [cell for cell in distinct if _is_known_number(cell)]
        labels = sorted(numbers, key=_exactly) + texts
    code_of = dict(zip(labels, range(len(labels)), strict=True))
    codes = np.fromiter(map(code_of.get, cells, repeat(-1)), np.int32, len(cells))
    return codes, tuple(as_label(label) for label in labels)


def spelled_numbers(raw: RawColumn, spelling: Spelling) -> NDArray[np.float64]:
    """Return the numbers that the text of a column spells, NaN where missing.

    Parameters
    ----------
    raw : RawColumn
        A column of text.
    spelling : Spelling
        How the text spells numbers. Marks of missing values are missing.

    Returns
    -------
    ndarray of float64

    Raises
    ------
    ColumnError
        When a text spells no number.
    """
    codes, labels = to_codes(raw)
    numbers = [spelled_number(label, spelling) for label in labels]
    return _by_label(raw, codes, numbers, spelling.words)


def spelled_number(label: Label, spelling: Spelling) -> float | None:
    """Return the number that a label spells; None if it spells none.

    A mark of a missing value is NaN. A label that is a number counts as it is, unless
    the texts are dates or times.
    """
    if isinstance(label, bool):
        return None
    if not isinstance(label, str):
        return None if spelling.of_moments else parse_number(label)
    found = spelling.parse(label)
    if found is None and is_missing_mark(label, among_numbers=True):
        return math.nan
    return found


def parse_number(text: object) -> float | None:
    """Return the number that a label spells, or None, as for 'nan' and '1_000'."""
    if isinstance(text, str):
        if "_" in text:
            return None
        try:
            number = float(text)
        except ValueError:
            return None
        return number if number == number else None
    return _rounded(text) if isinstance(text, int | float) else None


def truth_value(text: str) -> bool | None:
    """Return what 'true', 'false', 1 or 0 spells, in any case; None for other text."""
    number = {"true": 1.0, "false": 0.0}.get(text.strip().lower(), parse_number(text))
    return bool(number) if number in (0.0, 1.0) else None


def first_value(raw: RawColumn, row: int) -> Any:
    """Return the caller's value in one row, as plain Python, for messages."""
    cell = raw.values[row]
    if raw.is_coded:
        return raw.labels[int(cell)]
    return _plain(cell)


def missing_mask(raw: RawColumn) -> NDArray[np.bool_]:
    """Return which cells of a column of numbers or dates are missing."""
    if raw.missing is not None:
        return raw.missing
    missing = np.zeros(len(raw.values), np.bool_)
    if raw.values.dtype.kind == "f":
        missing = np.isnan(raw.values)
    elif raw.values.dtype.kind in "mM":
        missing = np.isnat(raw.values)
    return missing


def _with_missing(
    values: NDArray[np.float64], missing: NDArray[np.bool_] | None
) -> NDArray[np.float64]:
    if missing is not None:
        values[missing] = np.nan
    return values


def _from_integers(raw: RawColumn, exact: bool) -> NDArray[np.float64]:
    values = raw.values
    # Read the caller's column, which may be strided, only once: convert it first.
    floats = values.astype(np.float64)
    if exact and values.dtype.itemsize >= 8 and len(values):
        largest = max(-floats.min(), floats.max())
        # 2^53 + 1 is rounded to 2^53, so the integers themselves decide.
        if largest >= EXACT_INTEGERS and _beyond(values):
            raise _huge_error(raw)
    return _with_missing(floats, raw.missing)


def _beyond(integers: NDArray[Any]) -> bool:
    return max(-int(integers.min()), int(integers.max())) > EXACT_INTEGERS


def _from_huge(raw: RawColumn, *, exact: bool) -> NDArray[np.float64]:
    if exact:
        raise _huge_error(raw)
    return np.array([_rounded(cell) for cell in raw.values], np.float64)


def _rounded(cell: Any) -> float:
    if not _is_known_number(cell):
        return math.nan
    try:
        return float(cell)
    except OverflowError:
        return math.inf if cell > 0 else -math.inf


def _huge_error(raw: RawColumn) -> ColumnError:
    # Missing cells of integer arrays are stored as 0, so none of them is found here.
    row, seen = next(
        (row, cell)
        for row, cell in enumerate(map(_plain, raw.values.tolist()))
        if _is_known_number(cell) and abs(cell) > EXACT_INTEGERS
    )
    shown = seen if abs(seen) < 10**40 else "a number beyond 10^40"
    return ColumnError(
        f"Column {raw.name!r} holds numbers beyond 2^53, which float64 cannot "
        f"distinguish (first: {shown}, row {row}). Pass "
        f"kinds={{{raw.name!r}: 'categorical'}} if they are identifiers, or convert "
        "the column to float to accept the rounding."
    )


def _from_ticks(ticks: NDArray[Any]) -> NDArray[np.float64]:
    """Return microseconds as float64; NaT becomes NaN."""
    missing = np.isnat(ticks)
    values = ticks.view(np.int64).astype(np.float64)
    return _with_missing(values, missing if missing.any() else None)


def _from_labels(
    raw: RawColumn, codes: NDArray[Any], labels: tuple[Label, ...]
) -> NDArray[np.float64]:
    return _by_label(raw, codes, [parse_number(label) for label in labels])


def _by_label(
    raw: RawColumn,
    codes: NDArray[Any],
    numbers: list[float | None],
    spelled: str = "",
) -> NDArray[np.float64]:
    """Return the number of each row's label; one that no row uses may spell none."""
    is_bad = np.array([*(number is None for number in numbers), False])
    rows = np.flatnonzero(is_bad[codes])
    if len(rows):
        raise _not_numbers(raw, rows, spelled)
    known = [np.nan if number is None else number for number in numbers]
    out: NDArray[np.float64] = np.array([*known, np.nan], np.float64)[codes]
    return out


def _not_numbers(
    raw: RawColumn, rows: NDArray[np.intp], spelled: str = ""
) -> ColumnError:
    """Word the error for a numeric column that holds other cells in some rows."""
    are = "value is not a number" if len(rows) == 1 else "values are not numbers"
    if spelled:
        are = f"{'value spells' if len(rows) == 1 else 'values spell'} no {spelled}"
    first = int(rows[0])
    return ColumnError(
        f"Column {raw.name!r} is numeric but {len(rows)} {are} "
        f"(first: {first_value(raw, first)!r}, row {first}). Pass "
        f"kinds={{{raw.name!r}: 'categorical'}} or clean the column."
    )


def _coded_categories(raw: RawColumn) -> tuple[IntArray, tuple[Label, ...]]:
    codes = raw.values.astype(np.int32, copy=False)
    if raw.declared:
        return codes, raw.labels
    order = sorted(
        range(len(raw.labels)),
        key=lambda code: (isinstance(raw.labels[code], str), raw.labels[code]),
    )
    rank = np.empty(len(order) + 1, np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    rank[-1] = -1
    return rank[codes], tuple(raw.labels[code] for code in order)


def _is_known_number(cell: Any) -> bool:
    return isinstance(cell, Number | np.bool_) and bool(cell == cell)


def _plain(cell: Any) -> Any:
    """Return a NumPy number as a Python number, which compares without overflow."""
    return cell.item() if isinstance(cell, np.generic) else cell


def _exactly(number: Any) -> tuple[float, Fraction]:
    """Return a sort key that compares numbers of every type without rounding."""
    number = _plain(number)
    infinite = isinstance(number, float | Decimal) and not math.isfinite(number)
    return (float(number), Fraction(0)) if infinite else (0.0, Fraction(number))


def as_label(value: Any) -> Label:
    """Return a label as one of the plain types that JSON has."""
    if type(value) in (str, int, float, bool):
        plain: Label = value
        return plain
    if isinstance(value, np.generic):
        return as_label(value.item())
    if isinstance(value, Decimal | Fraction):
        return _label_of_fraction(value)
    if isinstance(value, datetime):
        text = value.isoformat()
        return text.removesuffix("T00:00:00")
    # For a subclass of str (an enumeration, a NumPy string), take the plain text.
    return str.__str__(value) if isinstance(value, str) else str(value)


def _label_of_fraction(value: Decimal | Fraction) -> Label:
    """Return an equal int or float; if there is none, the number as text."""
    try:
        if value == int(value):
            return int(value)
        return float(value) if float(value) == value else str(value)
    except OverflowError:
        return str(value) if isinstance(value, Fraction) else float(value)
