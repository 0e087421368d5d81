"""Read the target: classes numbered in sorted order, or finite numbers."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import ColumnError, TableError
from treewright.table.column import IntArray
from treewright.table.from_numpy import readable_floats
from treewright.table.raw import (
    EXACT_INTEGERS,
    RawColumn,
    as_label,
    first_value,
    freeze,
    to_codes,
    to_numbers,
)
from treewright.table.schema import TargetInfo
from treewright.table.source import is_sparse, open_column
from treewright.table.table import ClassTarget, NumericTarget, Target

__all__ = [
    "MOST_EXPONENT",
    "MOST_INTEGER_CLASSES",
    "is_column_vector",
    "read_target",
    "retargeted",
    "target_info",
]

MOST_INTEGER_CLASSES = 20
"""Whole numbers with at most this many distinct values are read as classes."""

MOST_EXPONENT = 240
"""A target whose largest number is within two to this power needs no unit of its own:
even the fourth powers of its numbers, in variances of squares, are floats."""

_HAS_NAN = "Input y contains NaN."
_HAS_INFINITY = "Input y contains infinity or a value too large for dtype('float64')."


def read_target(y: Any, n_rows: int, task: str | None = None) -> Target:
    """Check the target and number its classes.

    Parameters
    ----------
    y : array, series, list
        One value per row; an array of shape (n, 1) is flattened.
    n_rows : int
        Number of rows of the table.
    task : {'class', 'number'} or None, default=None
        What to predict. None: text, bools, categories and whole numbers with few
        distinct values are classes; other numbers are numbers.

    Returns
    -------
    ClassTarget or NumericTarget

    Raises
    ------
    TableError
        When a value is missing, infinite or unsuitable, or the length is wrong.
    """
    name = getattr(y, "name", None)
    if name is None and is_column_vector(y) and len(getattr(y, "columns", ())) == 1:
        name = y.columns[0]
    name = name if isinstance(name, str) and name else "y"
    raw = _open(y, name)
    if len(raw.values) != n_rows:
        raise TableError(
            "Found input variables with inconsistent numbers of samples: "
            f"[{n_rows}, {len(raw.values)}]. X has {n_rows} rows and y has "
            f"{len(raw.values)}: give every row one target value."
        )
    if task is None:
        task = _guess_task(raw)
    if task == "number":
        return NumericTarget(freeze(_numbers(raw)), name)
    codes, classes = _classes(raw)
    return ClassTarget(freeze(codes), freeze(classes), name)


def retargeted(target: Target, n_rows: int, task: str) -> Target:
    """Return a target that was read without a task as one of this task.

    Parameters
    ----------
    target : ClassTarget or NumericTarget
        The target of a table.
    n_rows : int
        Number of rows of the table.
    task : {'class', 'number'}
        What to predict.

    Returns
    -------
    ClassTarget or NumericTarget

    Raises
    ------
    TableError
        When its values do not suit the task.
    """
    if isinstance(target, ClassTarget):
        if task == "class":
            return target
        values = target.classes[target.codes]
    elif task == "number":
        return target
    else:
        values = target.values
        if np.array_equal(values, np.round(values)) and np.abs(values).max() < 2**53:
            values = values.astype(np.int64)  # a class is called 3, not 3.0
    return read_target(open_column(target.name, values), n_rows, task)


def is_column_vector(y: Any) -> bool:
    """Return whether y is two-dimensional with one column, and will be flattened.

    Parameters
    ----------
    y : object
        The caller's target.

    Returns
    -------
    bool
    """
    shape = getattr(y, "shape", None)
    if shape is None and hasattr(y, "__array__"):
        shape = np.asarray(y).shape
    if _is_list_of_lists(y):
        return all(len(each) == 1 for each in y)
    return shape is not None and len(shape) == 2 and shape[1] == 1


def _exponent(values: NDArray[np.float64]) -> int:
    """Return the exponent of the largest number; 0 if its fourth power is harmless.

    Losses are squares, and standard errors need the squares of losses.
    """
    largest = max(-float(values.min()), float(values.max())) if len(values) else 0.0
    exponent = math.frexp(largest)[1]
    return exponent if abs(exponent) > MOST_EXPONENT else 0


def target_info(target: Target) -> TargetInfo:
    """Return the description of the target."""
    if isinstance(target, NumericTarget):
        return TargetInfo(target.name, "number", exponent=_exponent(target.values))
    classes = tuple(as_label(each) for each in target.classes.tolist())
    return TargetInfo(target.name, "class", classes)


def _open(y: Any, name: str) -> RawColumn:
    if isinstance(y, RawColumn):
        return y
    if isinstance(y, str) or not (hasattr(y, "__len__") or hasattr(y, "__array__")):
        raise TableError(
            f"y should be a 1d array with one value per row, got {y!r:.60} instead. "
            f"Pass {_instead_of(y)}."
        )
    if is_sparse(y):
        raise TableError("y is sparse, which is not supported. Pass a dense array.")
    if not hasattr(y, "__len__"):
        y = np.asarray(y)
    shape: tuple[int, ...] = getattr(y, "shape", (len(y),))
    if _is_list_of_lists(y):
        shape = (len(y), max(map(len, y)))
        y = np.array(y, object)
    if len(shape) != 1:
        if len(shape) != 2 or shape[1] != 1:
            raise TableError(
                f"y should be a 1d array, got an array of shape {tuple(shape)} "
                "instead. Pass one target value per row; grow one tree per target."
            )
        if isinstance(y, np.ndarray):
            y = y.reshape(-1)
    return open_column(name, y)


def _instead_of(y: Any) -> str:
    """Return what to pass instead of an object that has no length."""
    if hasattr(y, "collect"):
        return "y.collect()"
    if not isinstance(y, str) and hasattr(y, "__iter__"):
        return "list(y)"
    return "the values themselves, not the name of a column"


def _is_list_of_lists(y: Any) -> bool:
    return (
        isinstance(y, list | tuple)
        and len(y) > 0
        and isinstance(y[0], list | tuple)
        and all(isinstance(each, list | tuple) for each in y)
    )


def _guess_task(raw: RawColumn) -> str:
    if raw.content == "int":
        few = len(np.unique(raw.values)) <= MOST_INTEGER_CLASSES
        return "class" if few else "number"
    return "number" if raw.content in ("float", "duration") else "class"


def _refuse_missing(raw: RawColumn, missing: NDArray[np.bool_]) -> None:
    if missing.any():
        n, row = int(missing.sum()), int(np.flatnonzero(missing)[0])
        rows = "1 row" if n == 1 else f"{n} rows"
        raise TableError(
            f"{_HAS_NAN} The target is missing in row {row} ({rows} in total). Drop "
            "these rows: a tree learns from known targets only."
        )


def _refuse_infinite(values: NDArray[Any]) -> None:
    row = int(np.flatnonzero(np.isinf(values))[0])
    raise TableError(
        f"{_HAS_INFINITY} The target is {float(values[row])} in row {row}. Drop the "
        "row or give it a finite value."
    )


def _numbers(raw: RawColumn) -> NDArray[np.float64]:
    if raw.content in ("date", "datetime", "duration", "time"):
        raise TableError(
            f"The target {raw.name!r} holds {raw.content} values. Convert it to "
            "numbers, such as days, to predict it."
        )
    try:
        numbers = to_numbers(raw)
    except ColumnError as problem:
        raise TableError(
            f"The target {raw.name!r} must hold numbers: {_cells_seen(problem)} "
            "Convert it to numbers first, or use TreeClassifier to predict classes."
        ) from problem
    values = np.ascontiguousarray(numbers, np.float64)
    if values.size and not (-np.inf < values.min() and values.max() < np.inf):
        _refuse_missing(raw, np.isnan(values))
        _refuse_infinite(values)
    return values


def _cells_seen(problem: ColumnError) -> str:
    """Drop the advice about `kinds`, which does not apply to the target."""
    seen = str(problem).split(" Pass kinds", 1)[0]
    return seen.split(" is numeric but ", 1)[-1]


def _classes(raw: RawColumn) -> tuple[IntArray, NDArray[Any]]:
    if raw.missing is not None:
        _refuse_missing(raw, raw.missing)
    match raw.content:
        case "float":
            return _float_classes(raw)
        case "int":
            return _integer_classes(raw.values)
        case "bool":
            codes, classes = _integer_classes(raw.values.view(np.uint8))
            return codes, classes.astype(np.bool_)
        case "text" | "category" | "huge" | "empty":
            return _label_classes(raw)
    raise TableError(
        f"Unknown label type: the target {raw.name!r} holds {_described(raw)}. "
        "Convert it to text, whole numbers or bools, one per class."
    )


def _described(raw: RawColumn) -> str:
    if raw.content == "mixed":
        return "text and numbers mixed"
    return f"{raw.content} values (first: {first_value(raw, 0)})"


def _float_classes(raw: RawColumn) -> tuple[IntArray, NDArray[Any]]:
    values = readable_floats(raw.values)
    if values.size == 0:
        return np.empty(0, np.int32), values
    low, high = float(values.min()), float(values.max())
    if not (-np.inf < low and high < np.inf):
        _refuse_missing(raw, np.isnan(values))
        _refuse_infinite(values)
    if max(-low, high) > EXACT_INTEGERS:
        return _sorted_classes(values)
    whole = values.astype(np.int64)
    differs = whole != values
    if differs.any():
        row = int(np.flatnonzero(differs)[0])
        raise TableError(
            f"Unknown label type: continuous. The target holds {float(values[row])} "
            f"(row {row}), a number rather than a class. Grow a regression tree "
            "instead, or turn the target into classes first."
        )
    codes, classes = _integer_classes(whole)
    return codes, classes.astype(values.dtype)


def _integer_classes(values: NDArray[Any]) -> tuple[IntArray, NDArray[Any]]:
    """Number integers by lookup, in two passes, if their range is small enough."""
    if values.size == 0:
        return np.empty(0, np.int32), values
    low, high = int(values.min()), int(values.max())
    span = high - low + 1
    if span > max(4 * len(values), 1024):
        return _sorted_classes(values)
    if values.dtype.itemsize < 8 and low < 0:
        # The offset could overflow a narrow type.
        values_from_low = values.astype(np.int64) - low
    else:
        values_from_low = values - values.dtype.type(low) if low else values
    steps = values_from_low.astype(np.intp, copy=False)
    present = np.bincount(steps, minlength=span) > 0
    wide = np.uint64 if values.dtype.kind == "u" else np.int64
    classes = np.flatnonzero(present).astype(wide) + wide(low)
    classes = classes.astype(values.dtype)
    if len(classes) == span:
        return steps.astype(np.int32), classes
    code_of = np.cumsum(present, dtype=np.int32) - np.int32(1)
    return code_of[steps], classes


def _sorted_classes(values: NDArray[Any]) -> tuple[IntArray, NDArray[Any]]:
    classes, inverse = np.unique(values, return_inverse=True)
    return inverse.astype(np.int32), classes


def _label_classes(raw: RawColumn) -> tuple[IntArray, NDArray[Any]]:
    codes, labels = to_codes(raw)
    _refuse_missing(raw, codes < 0)
    # Keep only classes that occur, sorted by value even if another order is declared.
    present = np.unique(codes)
    in_order = sorted(
        present.tolist(), key=lambda code: (isinstance(labels[code], str), labels[code])
    )
    code_of = np.zeros(len(labels), np.int32)
    code_of[in_order] = np.arange(len(in_order), dtype=np.int32)
    kept = [labels[code] for code in in_order]
    are_objects = raw.values.dtype.kind != "U" and raw.content in ("text", "huge")
    if are_objects or (raw.content == "category" and raw.storage == "text"):
        classes = np.empty(len(kept), object)
        classes[:] = kept
    else:
        classes = np.array(kept)
    return code_of[codes], classes
