"""The table: columns of equal length, a target, weights and the schema."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from treewright.errors import pandas_for_frames
from treewright.table.column import Column, IntArray, NumericColumn
from treewright.table.intake import Finding, Intake
from treewright.table.overview import overview, overview_html
from treewright.table.raw import freeze
from treewright.table.schema import Feature, Schema

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["ClassTarget", "NumericTarget", "Table", "Target"]


@dataclass(frozen=True, eq=False, slots=True)
class ClassTarget:
    """The class of every row.

    Attributes
    ----------
    codes : ndarray of int32
        Position in `classes`; never missing.
    classes : ndarray
        The classes, sorted, in the caller's own type.
    name : str
        The target's name.
    """

    codes: IntArray
    classes: NDArray[Any]
    name: str = "y"

    @property
    def own_values(self) -> NDArray[Any]:
        """The class of each row, in the caller's own type."""
        return np.asarray(self.classes[self.codes])

    @property
    def data(self) -> NDArray[Any]:
        """The array that tells rows apart: `codes`."""
        return self.codes


@dataclass(frozen=True, eq=False, slots=True)
class NumericTarget:
    """The number to predict for every row.

    Attributes
    ----------
    values : ndarray of float64
        Finite numbers.
    name : str
        The target's name.
    """

    values: NDArray[np.float64]
    name: str = "y"

    @property
    def own_values(self) -> NDArray[np.float64]:
        """The number of each row."""
        return self.values

    @property
    def data(self) -> NDArray[Any]:
        """The array that tells rows apart: `values`."""
        return self.values


Target: TypeAlias = ClassTarget | NumericTarget


@dataclass(frozen=True, eq=False, slots=True)
class Table:
    """Columns of equal length, with target, weights and schema. Read-only.

    Attributes
    ----------
    columns : tuple of NumericColumn, CategoricalColumn or OrdinalColumn
        In table order; columns set aside are included.
    target : ClassTarget, NumericTarget or None
        What to predict.
    weights : ndarray of float64 or None
        One per row, finite and >= 0, not all 0. None: every weight is 1.
    n_rows : int
        Number of rows.
    schema : Schema
        The description of the columns and the target.
    intake : Intake or None
        What was noticed and converted when the table was read; None if nobody looked.
        See `findings` for what is suspicious about the values.
    """

    columns: tuple[Column, ...]
    target: Target | None
    weights: NDArray[np.float64] | None
    n_rows: int
    schema: Schema
    intake: Intake | None = None

    def __repr__(self) -> str:
        """Return one line per column: name, kind and reason."""
        return overview(self.schema, self._title())

    def _repr_html_(self) -> str:
        """Show the columns as a table in a notebook."""
        return overview_html(self.schema, self._title())

    def _title(self) -> str:
        rows = f"{self.n_rows:,} row{'s' * (self.n_rows != 1)}"
        weighted = "" if self.weights is None else ", weighted"
        return f"Table: {rows}{weighted}, "

    def take(self, rows: NDArray[np.int64]) -> Table:
        """Return a table of some of the rows, in the given order.

        Parameters
        ----------
        rows : int array
            Row numbers, counted from 0.

        Returns
        -------
        Table
            Its columns keep their kinds and categories, its target its classes.
        """
        weights = None if self.weights is None else self.weights[rows]
        return replace(
            self,
            columns=tuple(_taken(column, rows) for column in self.columns),
            target=None if self.target is None else _taken(self.target, rows),
            weights=weights,
            n_rows=len(rows),
        )

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What is suspicious about the table."""
        from treewright.table.findings import look_at

        return look_at(self).findings

    @property
    def conversions(self) -> tuple[Finding, ...]:
        """What the reader of a file did to its cells, such as 'NA' read as missing."""
        return () if self.intake is None else self.intake.conversions

    @property
    def usable(self) -> list[int]:
        """Numbers of the columns that may be used for growing."""
        return self.schema.usable

    @property
    def n_columns(self) -> int:
        """Number of columns, including those set aside."""
        return len(self.columns)

    def to_pandas(self) -> pd.DataFrame:
        """Return the columns, and the target if there is one, as a data frame.

        Returns
        -------
        pandas.DataFrame
            Dates, times and categories in pandas' own types. The target is the last
            column.
        """
        pandas = pandas_for_frames()
        pairs = zip(self.columns, self.schema.features, strict=True)
        data = {column.name: _series(pandas, column, of) for column, of in pairs}
        target = self.target
        if target is not None:
            is_taken = target.name in data
            name = f"{target.name} (target)" if is_taken else target.name
            data[name] = target.own_values
        return pandas.DataFrame(data)


def _series(pandas: Any, column: Column, feature: Feature) -> Any:
    if not isinstance(column, NumericColumn):
        is_ordered = column.kind == "ordinal"
        return pandas.Categorical.from_codes(
            column.codes, list(column.labels), ordered=is_ordered
        )
    values, stored_as = column.values, feature.stored_as
    missing = np.isnan(values)
    if stored_as in ("date", "datetime", "duration", "time"):
        convert = _ticks_of(pandas, stored_as)
        ticks = convert(pandas.array(np.where(missing, 0, values), "Int64"), unit="us")
        series = pandas.Series(ticks).mask(missing)
        zone = feature.timezone
        return series.dt.tz_localize("UTC").dt.tz_convert(zone) if zone else series
    if stored_as in ("int", "bool") and not missing.any():
        return values.astype(np.int64 if stored_as == "int" else np.bool_)
    return values


def _ticks_of(pandas: Any, stored_as: str) -> Any:
    is_span = stored_as in ("duration", "time")
    return pandas.to_timedelta if is_span else pandas.to_datetime


def _taken(part: Any, rows: NDArray[np.int64]) -> Any:
    """Return a column or a target with some of the rows."""
    name = "codes" if hasattr(part, "codes") else "values"
    return replace(part, **{name: freeze(getattr(part, name)[rows])})
