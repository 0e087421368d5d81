"""`as_table`: anything tabular -> Table."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from treewright.errors import (
    ColumnKindWarning,
    ColumnSetAsideWarning,
    OptionError,
    TableError,
)
from treewright.table.announce import listed
from treewright.table.column import Column, NumericColumn
from treewright.table.discretize import Plan, discretized, read_discretize
from treewright.table.from_numpy import ArraySource, is_plain_float
from treewright.table.infer import nearly_numbers, read_kinds, settle
from treewright.table.raw import freeze
from treewright.table.schema import Feature, Schema
from treewright.table.source import Source, open_source
from treewright.table.table import Table
from treewright.table.target import read_target, retargeted, target_info
from treewright.table.warn import warn
from treewright.table.weights import read_weights

__all__ = ["as_table", "read_table"]

_TASKS = ("class", "number")


def as_table(
    X: Any,
    y: Any = None,
    sample_weight: Any = None,
    kinds: Mapping[Any, Any] | None = None,
    *,
    task: str | None = None,
    discretize: Any = None,
) -> Table:
    """Turn anything tabular into a table of typed columns.

    Parameters
    ----------
    X : array, data frame, dict of columns, list of rows or Table
        NumPy arrays (columns are called 'x0', 'x1', ...), pandas, polars and
        pyarrow tables, any Arrow stream (such as a relation of DuckDB; a
        RecordBatchReader is consumed), dicts of columns, lists of rows. Float
        columns are read in place; the input is never modified. Missing is NaN,
        None, null or NaT. Column names that are not text are converted to text.
    y : array, series or list, default=None
        The target, one value per row. None: the target of a Table that has one.
    sample_weight : array, series or list, default=None
        One finite weight >= 0 per row; 0 leaves the row out.
    kinds : dict, default=None
        Corrects inferred kinds. Column name -> 'numeric', 'categorical', 'ordinal',
        'date', or a list of the categories from lowest to highest, which makes the
        column ordinal. 'numeric' and 'date' also read text that spells numbers
        ('$1,234', '61.5%', '9 years'), dates or times; 'day first' and 'month first'
        decide between the two readings of 01/02/2019. Columns of plain arrays can also
        be named by number.
    task : {'class', 'number'} or None, default=None
        What the target holds. None: text, bools, categories and whole numbers
        with few distinct values are classes; other numbers are numbers.
    discretize : dict, tuple, str, int or None, default=None
        Cuts columns of numbers into intervals. ``{"age": ("quantile", 5)}`` makes
        intervals of about the same weight, ``("width", 5)`` intervals of the same
        width, and ``"mdl"`` cuts by the entropy of the classes as long as a cut
        pays (Fayyad and Irani; weights count as numbers of rows). A whole number n
        is short for ``("quantile", n)``. A rule instead of a dict applies to all
        numeric columns. The column becomes ordinal, or categorical if it is named
        here and `kinds` makes it 'categorical'. Cuts lie between values, are
        computed once from the weighted rows, and are kept in the schema.

    Returns
    -------
    Table
        Its `schema` states the kind of each column, and the reason.

    Warns
    -----
    ColumnSetAsideWarning
        When a categorical column identifies rows rather than classes: more than
        half of its known values occur once, in 50 rows or more. Name the column in
        `kinds` to use it all the same.
    ColumnKindWarning
        When a column of text is read as categories though nearly all values spell
        numbers and only a few, such as 'NA', do not.

    Raises
    ------
    TableError
        When the table, the target or the weights cannot be used.
    OptionError
        When `kinds`, `task` or `discretize` has an unknown value.

    Examples
    --------
    >>> table = as_table({"age": [30, 41], "city": ["Rome", "Bonn"]}, y=["no", "yes"])
    >>> [(each.name, each.kind) for each in table.schema.features]
    [('age', 'numeric'), ('city', 'categorical')]
    """
    table = read_table(X, y, sample_weight, kinds, task=task, discretize=discretize)
    if not isinstance(X, Table):
        _warn_of_set_aside(table.schema)
        _warn_of_kinds(table.schema)
    return table


def read_table(
    X: Any,
    y: Any = None,
    sample_weight: Any = None,
    kinds: Mapping[Any, Any] | None = None,
    *,
    task: str | None = None,
    discretize: Any = None,
) -> Table:
    """Do what `as_table` does, without a warning.

    Parameters
    ----------
    X, y, sample_weight, kinds, task, discretize
        See `as_table`.

    Returns
    -------
    Table
    """
    has_target = isinstance(X, Table) and X.target is not None
    _check_task(task, y, has_target=has_target)
    if isinstance(X, Table):
        table = _passed_on(X, kinds)
        if y is None:
            table = _of_task(table, task)
        schema = X.schema
        plan = read_discretize(discretize, schema.names, named=schema.named)
    else:
        table, plan = _read(X, kinds, discretize)
    if y is not None:
        target = read_target(y, table.n_rows, task)
        schema = replace(table.schema, target=target_info(target))
        table = replace(table, target=target, schema=schema)
    if sample_weight is not None:
        table = replace(table, weights=read_weights(sample_weight, table.n_rows))
    return discretized(table, plan)


def _of_task(table: Table, task: str | None) -> Table:
    """Return a table whose target, if it has one, suits the task."""
    if table.target is None or task is None:
        return table
    target = retargeted(table.target, table.n_rows, task)
    if target is table.target:
        return table
    schema = replace(table.schema, target=target_info(target))
    return replace(table, target=target, schema=schema)


def _check_task(task: str | None, y: Any, *, has_target: bool) -> None:
    if task is None:
        return
    if task not in _TASKS:
        raise OptionError(f"task must be 'class', 'number' or None; got {task!r}.")
    if y is None and not has_target:
        raise TableError(
            "Growing a tree requires y to be passed, but the target y is None. Pass "
            "one target value per row."
        )


def _passed_on(table: Table, kinds: Mapping[Any, Any] | None) -> Table:
    if kinds is not None:
        raise OptionError(
            "kinds must be None when X is already a Table, whose kinds are fixed. "
            "Pass kinds where the table is made."
        )
    return table


def _read(
    X: Any, kinds: Mapping[Any, Any] | None, discretize: Any
) -> tuple[Table, Plan]:
    source = open_source(X)
    _check_size(source)
    wanted = read_kinds(kinds, source.names, named=source.named)
    plan = read_discretize(discretize, source.names, wanted, named=source.named)
    columns: list[Column]
    features: list[Feature]
    if not wanted and isinstance(source, ArraySource) and is_plain_float(source.array):
        columns, features = _plain_columns(source)
    else:
        if isinstance(source, ArraySource):
            source = source.all_at_once()
        settled = [
            settle(source.raw(index), wanted.get(index))
            for index in range(len(source.names))
        ]
        columns = [column for column, _ in settled]
        features = [feature for _, feature in settled]
    schema = Schema(tuple(features), None, source.named)
    return Table(tuple(columns), None, None, source.n_rows, schema), plan


def _plain_columns(source: ArraySource) -> tuple[list[Column], list[Feature]]:
    """Return views of a float array, without a scan or a copy."""
    array = freeze(source.array)
    reason = f"The values are numbers ({array.dtype})."
    columns: list[Column] = [
        NumericColumn(name, array[:, index]) for index, name in enumerate(source.names)
    ]
    return columns, [Feature(name, reason=reason) for name in source.names]


def _check_size(source: Source) -> None:
    shape = (source.n_rows, len(source.names))
    if not source.names:
        raise TableError(
            f"Found array with 0 feature(s) (shape={shape}) while a minimum of 1 is "
            "required. Pass a table with at least one column."
        )
    if not source.n_rows:
        raise TableError(
            f"Found array with 0 sample(s) (shape={shape}) while a minimum of 1 is "
            "required. Pass a table with at least one row."
        )


def _warn_of_set_aside(schema: Schema) -> None:
    aside = [each for each in schema.features if each.set_aside]
    if not aside:
        return
    names = [repr(each.name) for each in aside]
    first = "Column {} was" if len(names) == 1 else "Columns {} were"
    left = (
        ""
        if schema.usable
        else (" No usable column is left, so a tree of this table is a single leaf.")
    )
    warn(
        f"{first.format(listed(names))} set aside: more than half of the known values "
        "occur only once, so they identify rows, not classes. Pass "
        f"kinds={{{names[0]}: {aside[0].kind!r}}} to use such a column all the same."
        f"{left}",
        ColumnSetAsideWarning,
    )


def _warn_of_kinds(schema: Schema) -> None:
    suspects = [each for each in schema.features if nearly_numbers(each)]
    if not suspects:
        return
    names = [repr(each.name) for each in suspects]
    columns = "Column {} is" if len(names) == 1 else "Columns {} are"
    warn(
        f"{columns.format(listed(names))} read as categories, though nearly all "
        f"values spell numbers ({names[0]}: {nearly_numbers(suspects[0])}). "
        "Make the other values missing, for example with "
        f"pandas.to_numeric(X[{names[0]}], errors='coerce'), or pass "
        f"kinds={{{names[0]}: 'categorical'}} if they are categories.",
        ColumnKindWarning,
    )
