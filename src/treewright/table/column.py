"""The three kinds of column, all read-only. The columns of a table have one length."""

from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "CategoricalColumn",
    "Column",
    "FloatArray",
    "IntArray",
    "Label",
    "NumericColumn",
    "OrdinalColumn",
]

Label: TypeAlias = str | int | float | bool
FloatArray: TypeAlias = NDArray[np.float32] | NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.int32]


@dataclass(frozen=True, eq=False, slots=True)
class NumericColumn:
    """A column of numbers, split by thresholds.

    Attributes
    ----------
    name : str
        The column's name.
    values : ndarray of float32 or float64, one-dimensional
        NaN is missing; infinities are ordinary values. May be a strided view of
        the caller's array.
    stored_as : {'float', 'int', 'bool', 'date', 'datetime', 'duration', 'time',
        'text'}
        The type of the caller's values, so that they can be shown in their own
        form. Dates are microseconds since 1970, durations are microseconds,
        times of day are microseconds since midnight.
    """

    name: str
    values: FloatArray
    stored_as: str = "float"
    kind: ClassVar[str] = "numeric"

    @property
    def data(self) -> NDArray[Any]:
        """The array the grower reads: `values`."""
        return self.values


@dataclass(frozen=True, eq=False, slots=True)
class CategoricalColumn:
    """A column of categories without an order, split by sets.

    Attributes
    ----------
    name : str
        The column's name.
    codes : ndarray of int32, one-dimensional
        Position in `labels`; -1 is missing.
    labels : tuple of str, int, float or bool
        The categories, sorted by value or in the order that the caller declared;
        never in the order of the rows.
    """

    name: str
    codes: IntArray
    labels: tuple[Label, ...]
    kind: ClassVar[str] = "categorical"

    @property
    def data(self) -> NDArray[Any]:
        """The array the grower reads: `codes`."""
        return self.codes


@dataclass(frozen=True, eq=False, slots=True)
class OrdinalColumn:
    """A column of ordered categories, split by thresholds on their rank.

    Attributes
    ----------
    name : str
        The column's name.
    codes : ndarray of int32, one-dimensional
        Rank in `labels`; -1 is missing.
    labels : tuple of str, int, float or bool
        The categories from lowest to highest.
    """

    name: str
    codes: IntArray
    labels: tuple[Label, ...]
    kind: ClassVar[str] = "ordinal"

    @property
    def data(self) -> NDArray[Any]:
        """The array the grower reads: `codes`."""
        return self.codes


Column: TypeAlias = NumericColumn | CategoricalColumn | OrdinalColumn
