"""`missing="error"`: refuse missing and infinite values, naming column and row."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import ColumnError
from treewright.table.schema import Schema
from treewright.table.table import Table

__all__ = ["check_matched", "check_no_missing"]


def check_no_missing(table: Table) -> None:
    """Refuse a table with missing or infinite values in a column that may be used.

    Parameters
    ----------
    table : Table
        The table; columns set aside are ignored.

    Raises
    ------
    ColumnError
        The message names the first such column, and its first such row.
    """
    columns = table.columns
    _check((columns[i].name, columns[i].data) for i in table.usable)


def check_matched(schema: Schema, arrays: Iterable[NDArray[Any] | None]) -> None:
    """Refuse new data (as `match` returns it) with missing or infinite values.

    Parameters
    ----------
    schema : Schema
        The schema the data were matched to.
    arrays : iterable of ndarray or None
        One per column of the schema; None if the column is not needed.

    Raises
    ------
    ColumnError
        The message names the first such column, and its first such row.
    """
    pairs = zip(schema.names, arrays, strict=True)
    _check((name, array) for name, array in pairs if array is not None)


def _check(columns: Iterable[tuple[str, NDArray[Any]]]) -> None:
    for name, array in columns:
        is_float = array.dtype.kind == "f"
        bad = ~np.isfinite(array) if is_float else array == -1
        if not bad.any():
            continue
        row = int(np.argmax(bad))
        if is_float and np.isinf(array[row]):
            raise ColumnError(
                "Input X contains infinity or a value too large for "
                f"dtype({str(array.dtype)!r}). Column {name!r} holds "
                f"{float(array[row])} in row {row}, and missing='error' refuses it. "
                "Replace the value, or use missing='learned', which treats infinities "
                "as ordinary values."
            )
        n_bad = int(np.count_nonzero(np.isnan(array) if is_float else bad))
        raise ColumnError(
            f"Input X contains NaN. Column {name!r} has no value in row {row} "
            f"({n_bad} missing in all), and missing='error' refuses it. Fill the "
            "value, drop the row, or use missing='learned'."
        )
