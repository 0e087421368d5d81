"""Open anything tabular as a source of raw columns, with one of the from_*.py."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np

from treewright.errors import TableError
from treewright.table.from_numpy import ArraySource, from_array
from treewright.table.from_objects import from_objects
from treewright.table.from_rows import DictSource, rows_source
from treewright.table.raw import RawColumn

__all__ = ["Source", "is_sparse", "open_column", "open_source"]

_TAKEN = (
    "a NumPy array, a pandas, polars or pyarrow table, a dict of columns or a list "
    "of rows"
)
# Attributes that distinguish a data frame or series from other array-like objects.
_FRAME_MARKS = (
    "__arrow_c_stream__",
    "__narwhals_dataframe__",
    "__narwhals_lazyframe__",
    "__narwhals_series__",
    "categories",
    "collect",
    "columns",
    "iloc",
)


_NO_COLUMNS = (str, bytes, bytearray, memoryview)  # sequences that are not columns


@runtime_checkable
class Source(Protocol):
    """The columns of a table: their names, their length, and one at a time to read."""

    @property
    def names(self) -> tuple[str, ...]:
        """Column names, all different."""

    @property
    def named(self) -> bool:
        """Whether the names are the caller's own."""

    @property
    def n_rows(self) -> int:
        """Number of rows."""

    def raw(self, index: int) -> RawColumn:
        """Read one column."""


def open_source(X: Any) -> Source:
    """Return a source of columns for anything tabular.

    Parameters
    ----------
    X : array, data frame, dict of columns or list of rows
        The table. It is never modified.

    Returns
    -------
    Source

    Raises
    ------
    TableError
        When the object is not a table, is sparse, lazy or has the wrong shape.
    """
    if isinstance(X, np.ndarray):
        return ArraySource.open(X)
    if isinstance(X, list | tuple):
        return rows_source(X, open_column)
    if is_sparse(X):
        raise TableError(
            f"X is a sparse matrix ({type(X).__name__}), which is not supported: a "
            "tree reads every value. Pass X.toarray() if it fits into memory, or "
            "leave out rare columns first."
        )
    if isinstance(X, Mapping):
        _refuse_sparse_columns(X)
        return DictSource.open(X, open_column)
    if _is_frame(X):
        # Imported late: plain arrays need no data frame library.
        from treewright.table.from_frame import FrameSource

        return FrameSource.open(X)
    if hasattr(X, "__array__"):
        return ArraySource.open(np.asarray(X))
    if isinstance(X, Source):
        return X
    raise TableError(
        f"X is {_described(X)}, not a table. Pass {_TAKEN}.",
    )


def open_column(name: str, values: Any) -> RawColumn:
    """Return anything one-dimensional as a raw column.

    Parameters
    ----------
    name : str
        The column's name, for messages.
    values : array, series, list, tuple, range or other sequence
        The cells.

    Returns
    -------
    RawColumn

    Raises
    ------
    TableError
        When the object is not a column of values.
    """
    if isinstance(values, list | tuple):
        return from_objects(name, values)
    if not isinstance(values, np.ndarray):
        if _is_frame(values):
            from treewright.table.from_frame import from_series

            return from_series(name, values)
        if hasattr(values, "__arrow_c_array__") and hasattr(values, "to_pylist"):
            return from_objects(name, values.to_pylist())
        if isinstance(values, range):
            return from_array(name, np.asarray(values))
        if isinstance(values, Sequence) and not isinstance(values, _NO_COLUMNS):
            return from_objects(name, list(values))
        if not hasattr(values, "__array__"):
            raise TableError(
                f"Column {name!r} is {_described(values)}, not a column of values. "
                "Pass an array, a series or a list, even for one row."
            )
        values = np.asarray(values)
    return from_array(name, values)


def _refuse_sparse_columns(columns: Mapping[Any, Any]) -> None:
    for name, values in columns.items():
        if is_sparse(values):
            raise TableError(
                f"Column {str(name)!r} is sparse ({type(values).__name__}), which is "
                "not supported. Pass its values as a dense array, such as "
                "toarray().ravel()."
            )


def is_sparse(X: Any) -> bool:
    """Return whether this is a scipy (or similar) sparse matrix."""
    return hasattr(X, "nnz") and (hasattr(X, "tocsr") or hasattr(X, "tocoo"))


def _is_frame(X: Any) -> bool:
    return any(hasattr(X, mark) for mark in _FRAME_MARKS)


def _described(X: Any) -> str:
    if isinstance(X, str):
        return f"the text {X[:40]!r}"
    return "None" if X is None else f"an object of type {type(X).__name__!r}"
