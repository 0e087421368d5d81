"""Read NumPy arrays, without copying floats."""

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import ColumnError, ColumnTypeError, TableError
from treewright.table.from_objects import COMPLEX_WORDS, from_objects, not_utf8
from treewright.table.raw import EXACT_INTEGERS, RawColumn

__all__ = [
    "ArraySource",
    "as_float32",
    "check_shape",
    "float32_below",
    "from_array",
    "is_plain_float",
    "made_up_names",
    "readable_floats",
]

_EXACT_IN_FLOAT32 = 2**24
_ROWS_AT_ONCE = 256
_RESHAPE = (
    "Reshape your data either using array.reshape(-1, 1) if it is a single column "
    "or array.reshape(1, -1) if it is a single row."
)


@dataclass(frozen=True, eq=False, slots=True)
class ArraySource:
    """Columns of a two-dimensional or a structured array."""

    array: NDArray[Any]
    names: tuple[str, ...]
    named: bool
    n_rows: int
    floats: NDArray[Any] | None = None

    @classmethod
    def open(cls, array: NDArray[Any]) -> "ArraySource":
        """Check an array's shape and name its columns.

        Parameters
        ----------
        array : ndarray
            Two-dimensional, or structured (named fields).

        Returns
        -------
        ArraySource

        Raises
        ------
        TableError
            When the shape or the type of the array is unsuitable.
        """
        if not isinstance(array, np.ma.MaskedArray):
            # A column of numpy.matrix, or of another subclass, can be 2D.
            array = np.asarray(array)
        fields = array.dtype.names
        if fields is not None and array.ndim == 1:
            return cls(array, fields, True, len(array))
        check_shape(array)
        if array.dtype.kind == "c":
            raise TableError(
                f"{COMPLEX_WORDS}: the array is of type {array.dtype}. Split it into "
                "real and imaginary columns."
            )
        n_rows, n_columns = array.shape
        return cls(array, made_up_names(n_columns), False, n_rows)

    def all_at_once(self) -> "ArraySource":
        """Return a source for reading every column.

        A column of a row-major array is spread over the whole array, so that reading
        it alone reads all of the array. Integers are converted here in one pass.
        """
        if self.named or self.array.dtype.kind not in "iu":
            return self
        if isinstance(self.array, np.ma.MaskedArray):
            return self
        return replace(self, floats=_exact_floats(self.array))

    def raw(self, index: int) -> RawColumn:
        """Read one column."""
        name = self.names[index]
        if self.named:
            return from_array(name, self.array[name])
        raw = from_array(name, self.array[:, index])
        if self.floats is None:
            return raw
        return replace(raw, floats=self.floats[:, index])


@lru_cache(maxsize=64)
def made_up_names(n_columns: int) -> tuple[str, ...]:
    """Return names for the columns of a plain array: 'x0', 'x1', ..."""
    return tuple(f"x{index}" for index in range(n_columns))


def check_shape(array: NDArray[Any]) -> None:
    """Refuse arrays that are not two-dimensional, in scikit-learn's words."""
    if array.ndim == 2:
        return
    if array.ndim > 2:
        raise TableError(
            f"Found array with dim {array.ndim} (shape={array.shape}), while dim 2 "
            "is required: rows by columns. Flatten the other dimensions into columns."
        )
    what = "1D" if array.ndim == 1 else "scalar"
    raise TableError(
        f"Expected 2D array, got {what} array instead (shape={array.shape}). {_RESHAPE}"
    )


def is_plain_float(array: NDArray[Any]) -> bool:
    """Return whether the core can read this array in place."""
    dtype = array.dtype
    return (
        (dtype == np.float64 or dtype == np.float32)
        and array.flags.aligned
        and type(array) is not np.ma.MaskedArray
    )


def as_float32(values: NDArray[Any]) -> NDArray[np.float32]:
    """Round to float32; values that are too large become infinite."""
    with np.errstate(over="ignore"):
        return values.astype(np.float32, copy=False)


def float32_below(numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the largest float32 that is not above each number."""
    with np.errstate(over="ignore", invalid="ignore"):
        rounded = numbers.astype(np.float32)
        above = rounded.astype(np.float64) > numbers
        rounded[above] = np.nextafter(rounded[above], np.float32(-np.inf))
    return rounded.astype(np.float64)


def readable_floats(values: NDArray[Any]) -> NDArray[Any]:
    """Return float32 or float64 in native byte order, copied only if needed."""
    size = values.dtype.itemsize
    wanted = np.dtype(np.float32 if size <= 4 else np.float64)
    if values.dtype == wanted and values.flags.aligned:
        return values
    return values.astype(wanted)


def _exact_floats(integers: NDArray[Any]) -> NDArray[Any] | None:
    """Return a matrix as column-major floats; None if that would round.

    The matrix is transposed in blocks of rows that fit into the cache.
    """
    largest = 0
    if integers.size:
        largest = max(-int(integers.min()), int(integers.max()))
    if largest > EXACT_INTEGERS:
        return None
    n_rows, n_columns = integers.shape
    dtype = np.float32 if largest <= _EXACT_IN_FLOAT32 else np.float64
    columns = np.empty((n_columns, n_rows), dtype)
    for first in range(0, n_rows, _ROWS_AT_ONCE):
        rows = slice(first, first + _ROWS_AT_ONCE)
        columns[:, rows] = integers[rows].T
    return columns.T


def from_array(name: str, values: NDArray[Any]) -> RawColumn:
    """Return a one-dimensional array as a raw column.

    Parameters
    ----------
    name : str
        The column's name.
    values : ndarray
        One-dimensional; a masked array's masked cells are missing.

    Returns
    -------
    RawColumn

    Raises
    ------
    ColumnError
        When the array is not one-dimensional, or its type cannot be read.
    """
    if values.ndim != 1:
        raise ColumnError(
            f"Column {name!r} has shape {values.shape}: a nested column. Pass one "
            "value per row; put each part into a column of its own."
        )
    if isinstance(values, np.ma.MaskedArray):
        return _from_masked(name, values)
    kind, storage = values.dtype.kind, str(values.dtype)
    if kind == "f":
        return RawColumn(name, "float", readable_floats(values), storage=storage)
    if kind in "iu":
        return RawColumn(name, "int", values, storage=storage)
    if kind == "b":
        return RawColumn(name, "bool", values)
    if kind == "O":
        return from_objects(name, values)
    if kind in "mM":
        return _from_ticks(name, values)
    return _from_text(name, values)


def _from_ticks(name: str, values: NDArray[Any]) -> RawColumn:
    if values.dtype.kind == "m":
        return RawColumn(name, "duration", values, storage="durations")
    unit = np.datetime_data(values.dtype)[0]
    content = "date" if unit in ("D", "W", "M", "Y") else "datetime"
    return RawColumn(name, content, values, storage="dates")


def _from_text(name: str, values: NDArray[Any]) -> RawColumn:
    kind = values.dtype.kind
    if kind == "U":
        return RawColumn(name, "text", values, storage="text")
    if kind == "T":
        return from_objects(name, values.astype(object))
    if kind == "S":
        try:
            return RawColumn(name, "text", np.char.decode(values, "utf-8"))
        except UnicodeDecodeError as problem:
            raise not_utf8(name, problem) from problem
    if kind == "c":
        raise TableError(
            f"{COMPLEX_WORDS}: column {name!r} is of type {values.dtype}. Split it "
            "into a real and an imaginary column."
        )
    raise ColumnTypeError(
        f"Column {name!r} is of type {values.dtype}: argument must be a string or a "
        "number. Put each part of a nested value into a column of its own."
    )


def _from_masked(name: str, values: np.ma.MaskedArray[Any, Any]) -> RawColumn:
    mask = np.ma.getmaskarray(values)
    plain = np.asarray(values.data)
    if not mask.any():
        return from_array(name, plain)
    if plain.dtype.kind in "iub":
        filled = np.where(mask, plain.dtype.type(0), plain)
        content = "bool" if plain.dtype.kind == "b" else "int"
        return RawColumn(name, content, filled, mask, storage=str(plain.dtype))
    if plain.dtype.kind == "f":
        filled = readable_floats(plain).copy()
        filled[mask] = np.nan
        return from_array(name, filled)
    if plain.dtype.kind in "mM":
        moments = plain.copy()
        moments[mask] = "NaT"
        return from_array(name, moments)
    objects = plain.astype(object)
    objects[mask] = None
    return from_objects(name, objects)
