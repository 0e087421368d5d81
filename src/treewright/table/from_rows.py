"""Read dicts of columns and lists of rows."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from treewright.errors import TableError
from treewright.table.from_numpy import ArraySource, check_shape, made_up_names
from treewright.table.from_objects import from_objects
from treewright.table.raw import RawColumn

__all__ = ["DictSource", "RowsSource", "distinct_names", "rows_source"]

OpenColumn = Callable[[str, Any], RawColumn]


def distinct_names(names: Sequence[Any]) -> tuple[str, ...]:
    """Return column names as text, and refuse duplicates.

    Parameters
    ----------
    names : sequence
        The caller's names. Numbers and other names that are not text are converted:
        column 0 is called '0'.

    Returns
    -------
    tuple of str

    Raises
    ------
    TableError
        When two columns have the same name.
    """
    texts = tuple(str(name) for name in names)
    if len(set(texts)) < len(texts):
        first: dict[str, int] = {}
        for index, name in enumerate(texts):
            if name in first:
                raise TableError(
                    f"Two columns are called {name!r} (columns {first[name]} and "
                    f"{index}). Rename or drop one: columns are found by name."
                )
            first[name] = index
    return texts


@dataclass(frozen=True, eq=False, slots=True)
class DictSource:
    """Columns of a dict: name -> values."""

    columns: tuple[Any, ...]
    names: tuple[str, ...]
    n_rows: int
    open_column: OpenColumn
    named: bool = True

    @classmethod
    def open(cls, columns: Mapping[Any, Any], open_column: OpenColumn) -> "DictSource":
        """Check that a dict holds columns of equal length.

        Parameters
        ----------
        columns : mapping of name to values
            The table.
        open_column : callable
            Reads one column.

        Returns
        -------
        DictSource

        Raises
        ------
        TableError
            When a value is not a column, or lengths differ.
        """
        names = distinct_names(list(columns))
        values = tuple(columns.values())
        lengths = [_length(n, v) for n, v in zip(names, values, strict=True)]
        for name, length in zip(names, lengths, strict=True):
            if length != lengths[0]:
                raise TableError(
                    f"Column {name!r} has {length} rows but column {names[0]!r} has "
                    f"{lengths[0]}. Give every column the same number of rows."
                )
        return cls(values, names, lengths[0] if lengths else 0, open_column)

    def raw(self, index: int) -> RawColumn:
        """Read one column."""
        return self.open_column(self.names[index], self.columns[index])


@dataclass(frozen=True, eq=False, slots=True)
class RowsSource:
    """Columns of a list of rows."""

    columns: tuple[Sequence[Any], ...]
    names: tuple[str, ...]
    n_rows: int
    named: bool

    def raw(self, index: int) -> RawColumn:
        """Read one column."""
        return from_objects(self.names[index], self.columns[index])


def rows_source(
    rows: Sequence[Any], open_column: OpenColumn
) -> ArraySource | RowsSource | DictSource:
    """Return the columns of a list of rows.

    Parameters
    ----------
    rows : sequence of lists, tuples, arrays or dicts
        One entry per row. If rows are dicts, a name that a row lacks is missing.
    open_column : callable
        Reads one column.

    Returns
    -------
    ArraySource, RowsSource or DictSource

    Raises
    ------
    TableError
        When an entry is not a row, or rows differ in length.
    """
    kinds = set(map(type, rows))
    if rows and all(issubclass(kind, Mapping) for kind in kinds):
        names = dict.fromkeys(name for row in rows for name in row)
        by_name = {name: [row.get(name) for row in rows] for name in names}
        return DictSource.open(by_name, open_column)
    if not rows or not all(issubclass(k, list | tuple | np.ndarray) for k in kinds):
        _refuse_rows(rows)
    if all(issubclass(kind, np.ndarray) for kind in kinds):
        return _stacked(rows)
    return _from_sequences(rows)


def _length(name: str, values: Any) -> int:
    if isinstance(values, str | bytes | Mapping) or not hasattr(values, "__len__"):
        raise TableError(
            f"Column {name!r} is {values!r:.60}, not a column of values. Pass an "
            f"array, a series or a list, even for one row: {{{name!r}: [...]}}."
        )
    return len(values)


def _refuse_rows(rows: Sequence[Any]) -> None:
    if not rows:
        raise TableError(
            "Found array with 0 sample(s) (shape=(0,)) while a minimum of 1 is "
            "required. The list of rows is empty: pass at least one row."
        )
    good = (list, tuple, np.ndarray)
    row = next(i for i, each in enumerate(rows) if not isinstance(each, good))
    if row == 0:
        check_shape(np.empty(len(rows)))
    raise TableError(
        f"Row {row} is {rows[row]!r:.60}, not a row of values. Pass every row as a "
        "list of the same length."
    )


def _stacked(rows: Sequence[Any]) -> ArraySource:
    """Stack rows that are arrays; as objects if their types differ."""
    _check_lengths(rows)
    one_type = len({row.dtype for row in rows}) == 1
    return ArraySource.open(np.array(rows, None if one_type else object))


def _from_sequences(rows: Sequence[Any]) -> RowsSource:
    _check_lengths(rows)
    columns = tuple(zip(*rows, strict=True))
    for column in columns:
        if isinstance(column[0], list | tuple | np.ndarray):
            check_shape(np.empty((len(rows), len(columns), len(column[0]))))
    return RowsSource(columns, made_up_names(len(columns)), len(rows), False)


def _check_lengths(rows: Sequence[Any]) -> None:
    width = len(rows[0])
    if set(map(len, rows)) != {width}:
        row = next(i for i, each in enumerate(rows) if len(each) != width)
        raise TableError(
            f"Row {row} has {len(rows[row])} values but row 0 has {width}. Give every "
            "row the same number of values; use None for a missing one."
        )
