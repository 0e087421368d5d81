"""Columns of text become numbers or dates where that loses nothing.

Every value of a column is looked at. Plain whole numbers, decimals and ISO dates are
read here, fast; other spellings are left to `treewright.table.spelling`, which looks at
the distinct values of what stays text.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright.files.optional import package
from treewright.table.intake import Finding
from treewright.table.raw import EXACT_INTEGERS
from treewright.table.spelling import MARKS_AMONG_NUMBERS, are_codes

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Typed", "missing_marks", "plain_numbers", "typed_column"]

_SAMPLE = 1000
_SURE_DIGITS = 17  # every number of so many digits is as precise as a float64


@dataclass(frozen=True, eq=False)
class Typed:
    """A column whose type is decided.

    Attributes
    ----------
    values : pyarrow.ChunkedArray
        Whole numbers, floats, timestamps, or a dictionary of text.
    findings : tuple of Finding
        What was changed on the way.
    """

    values: pa.ChunkedArray
    findings: tuple[Finding, ...] = ()

    @property
    def is_text(self) -> bool:
        """Whether it stays text."""
        pa = package("pyarrow", "Reading CSV files")
        return bool(pa.types.is_dictionary(self.values.type))


def typed_column(name: str, text: pa.ChunkedArray, kind: Any = None) -> Typed:
    """Decide the type of a column over all its values.

    Parameters
    ----------
    name : str
        The column's name; see `treewright.table.spelling.are_codes`.
    text : pyarrow.ChunkedArray of string
        The cells; empty ones are null.
    kind : object, default=None
        The column's entry in `kinds`. Only a column without one, or with 'numeric',
        is read as numbers here.

    Returns
    -------
    Typed
    """
    if kind in (None, "numeric"):
        found = _as_numbers(name, text, asked=kind is not None)
        if found is not None:
            return found
    return Typed(text.dictionary_encode())


def _may_be_numbers(text: pa.ChunkedArray) -> bool:
    """Return whether some values of the whole column are numbers, to save time."""
    pc = package("pyarrow.compute", "Reading CSV files")
    step = max(1, len(text) // _SAMPLE)
    sample = text.take(np.arange(0, len(text), step)) if len(text) else text
    looks = pc.match_substring_regex(sample, r"^\s*[-+]?[.]?\d")
    return bool(pc.any(looks).as_py()) or sample.null_count == len(sample)


def _as_numbers(name: str, text: pa.ChunkedArray, *, asked: bool) -> Typed | None:
    pa = package("pyarrow", "Reading CSV files")
    whole = _cast(text, pa.int64())
    if whole is not None:
        is_code = _codes(name, text, asked) or _beyond_float(whole)
        return None if is_code else Typed(whole)
    floats = _cast(text, pa.float64())
    marks: Finding | None = None
    if floats is None and _may_be_numbers(text):
        text, marks = _without_marks(name, text)
        whole = _cast(text, pa.int64())
        floats = whole if whole is not None else _cast(text, pa.float64())
    if floats is None or _codes(name, text, asked):
        return None
    rounded = None if whole is not None else _rounded(name, text, floats)
    found = [each for each in (marks, rounded) if each is not None]
    return Typed(floats, tuple(found))


def plain_numbers(text: pa.ChunkedArray) -> pa.ChunkedArray | None:
    """Return text as floats, with marks of missing values as null.

    Parameters
    ----------
    text : pyarrow.ChunkedArray of string
        The cells.

    Returns
    -------
    pyarrow.ChunkedArray of float64, or None
        None: a value is no number.
    """
    pa = package("pyarrow", "Reading CSV files")
    floats = _cast(text, pa.float64())
    return floats if floats is not None else _cast(_trimmed(text)[0], pa.float64())


def _cast(text: pa.ChunkedArray, to: Any) -> pa.ChunkedArray | None:
    pa = package("pyarrow", "Reading CSV files")
    try:
        return text.cast(to)
    except pa.ArrowInvalid:
        return None


def _without_marks(
    name: str, text: pa.ChunkedArray
) -> tuple[pa.ChunkedArray, Finding | None]:
    """Trim blanks, and make marks of missing values null."""
    known, is_mark = _trimmed(text)
    marks = text.filter(is_mark).to_pylist()
    return known, missing_marks(name, Counter(each for each in marks if each))


def _trimmed(text: pa.ChunkedArray) -> tuple[pa.ChunkedArray, pa.ChunkedArray]:
    """Return the cells without blanks around them, marks null; and which are marks."""
    pa = package("pyarrow", "Reading CSV files")
    pc = package("pyarrow.compute", "Reading CSV files")
    trimmed = pc.utf8_trim_whitespace(text)
    marks = pa.array(sorted(MARKS_AMONG_NUMBERS))
    is_mark = pc.is_in(pc.utf8_lower(trimmed), marks)
    return pc.if_else(is_mark, pa.scalar(None, pa.string()), trimmed), is_mark


def missing_marks(name: str, counts: Counter[str]) -> Finding | None:
    """Return the finding for marks that were read as missing; None if there are none.

    Parameters
    ----------
    name : str
        The column.
    counts : Counter
        Rows of each mark.

    Returns
    -------
    Finding or None
    """
    if not counts:
        return None
    shown = ", ".join(repr(mark) for mark in sorted(counts)[:3])
    n = counts.total()
    return Finding(
        "converted",
        name,
        f"{shown} in {n:,} row{'s' * (n > 1)} read as missing",
        f"kinds={{{name!r}: 'categorical'}} keeps such marks as categories.",
    )


def _codes(name: str, text: pa.ChunkedArray, asked: bool) -> bool:
    """Return whether digits name things, so that the column must stay text."""
    if asked:
        return False
    pc = package("pyarrow.compute", "Reading CSV files")
    if any(_leading_zeros(chunk) for chunk in text.chunks):
        return True
    only_digits = _cast(text, package("pyarrow", "").uint64()) is not None
    if not only_digits:
        return False
    lengths = pc.min_max(pc.binary_length(text)).as_py()
    return are_codes(name, lengths["min"] or 0, lengths["max"] or 0)


def _beyond_float(whole: pa.ChunkedArray) -> bool:
    """Return whether float64 cannot hold some of these whole numbers."""
    pc = package("pyarrow.compute", "Reading CSV files")
    ends = pc.min_max(whole).as_py()
    return max(-(ends["min"] or 0), ends["max"] or 0) > EXACT_INTEGERS


def _leading_zeros(chunk: pa.Array) -> bool:
    """Return whether a number starts with 0 and another digit (or 0x), as codes do."""
    start, length, data = _cells(chunk)
    if not len(data):
        return False
    first = data[np.minimum(start, len(data) - 1)]
    signed = (length > 1) & ((first == ord("-")) | (first == ord("+")))
    start, length = start + signed, length - signed
    zero = np.flatnonzero((length > 1) & (data[np.minimum(start, len(data) - 1)] == 48))
    second = data[start[zero] + 1]
    return bool((((second >= 48) & (second <= 57)) | (second == ord("x"))).any())


def _cells(
    chunk: pa.Array,
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.uint8]]:
    """Return where the cells of an array of text start, their lengths, the bytes."""
    _, offsets, data = chunk.buffers()
    n = len(chunk)
    ends = np.frombuffer(offsets, np.int32, n + 1, chunk.offset * 4).astype(np.int64)
    bytes_ = (
        np.frombuffer(data, np.uint8) if data is not None else np.empty(0, np.uint8)
    )
    return ends[:-1], np.diff(ends), bytes_


def _rounded(
    name: str, text: pa.ChunkedArray, floats: pa.ChunkedArray
) -> Finding | None:
    """Find numbers that float64 cannot hold: too large, too small, too many digits."""
    pc = package("pyarrow.compute", "Reading CSV files")
    long = pc.greater(pc.binary_length(text), _SURE_DIGITS)
    extreme = pc.or_(pc.is_inf(floats), pc.equal(floats, 0.0))
    suspects = pc.or_(long, pc.and_(extreme, pc.greater(pc.binary_length(text), 3)))
    cells = text.filter(suspects).to_pylist() if pc.any(suspects).as_py() else []
    changed = [each for each in cells if each is not None and _loses(each)]
    if not changed:
        return None
    n = len(changed)
    return Finding(
        "rounded",
        name,
        f"{n:,} value{'s' * (n > 1)} such as {changed[0][:40]!r}, which a float64 "
        "cannot hold",
        f"Read to the nearest float64; kinds={{{name!r}: 'categorical'}} keeps text.",
    )


def _loses(text: str) -> bool:
    """Return whether a float64 holds less of a number than its text says."""
    digits = text.lower().lstrip("+-").partition("e")[0].replace(".", "").strip("0")
    if not digits.isdigit():
        return False  # 'inf' and zeros are exact
    value = float(text)
    return len(digits) > _SURE_DIGITS or value == 0 or abs(value) == float("inf")
