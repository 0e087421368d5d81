"""The table: columns of equal length, a target, weights and the schema."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from treewright.table.column import Column, IntArray
from treewright.table.overview import overview
from treewright.table.schema import Schema

if TYPE_CHECKING:
    from treewright.table.findings import Finding, Intake

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
        How a file was read into this table; None: it does not come from `read`. See
        `findings` for what is suspicious about its values.
    """

    columns: tuple[Column, ...]
    target: Target | None
    weights: NDArray[np.float64] | None
    n_rows: int
    schema: Schema
    intake: Intake | None = None

    def __repr__(self) -> str:
        """Return one line per column: name, kind and reason."""
        rows = f"{self.n_rows} row{'s' * (self.n_rows != 1)}"
        weighted = "" if self.weights is None else ", weighted"
        return overview(self.schema, f"Table: {rows}{weighted}, ")

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What was noticed when the table was read, and what is suspicious about it."""
        from treewright.table.findings import look_at

        return look_at(self).findings

    @property
    def usable(self) -> list[int]:
        """Numbers of the columns that may be used for growing."""
        return self.schema.usable

    @property
    def n_columns(self) -> int:
        """Number of columns, including those set aside."""
        return len(self.columns)
