"""Numbers as scikit-learn reads them: float32, and 1e-7 apart is no difference.

Sorted values of which each is within 1e-7 of the one before form a run, in which
scikit-learn makes no cut. A run becomes one value here; `tree.edit.out_of_runs`
moves the thresholds to where they belong.
"""

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treewright.table.column import Column, NumericColumn
from treewright.table.from_numpy import as_float32
from treewright.table.raw import freeze
from treewright.table.schema import PLAIN_NUMBERS
from treewright.table.table import Table

__all__ = ["Runs", "read_as_float32"]

_NEAR = np.float32(1e-7)


class Runs(NamedTuple):
    """The runs of values that count as one, ascending."""

    low: NDArray[np.float64]
    """The smallest of each run, which stands for it in the table."""
    high: NDArray[np.float64]
    """The largest of each run."""


def read_as_float32(table: Table) -> tuple[Table, dict[int, Runs]]:
    """Return the table with its numbers rounded, near ones made equal.

    Parameters
    ----------
    table : Table
        The table. Dates and durations stay as they are.

    Returns
    -------
    table : Table
        Its schema says that numbers are rounded to float32.
    runs : dict of int to Runs
        By column number, of the columns in which different values became one.
    """
    columns: list[Column] = list(table.columns)
    features = list(table.schema.features)
    runs = {}
    for index, column in enumerate(columns):
        if not isinstance(column, NumericColumn):
            continue
        if column.stored_as not in PLAIN_NUMBERS:
            continue
        values = as_float32(column.values)
        found = _runs(values)
        if found is not None:
            runs[index] = found
            values = _merged(values, found)
        columns[index] = replace(column, values=freeze(values))
        features[index] = replace(features[index], float32=True)
    schema = replace(table.schema, features=tuple(features))
    return replace(table, columns=tuple(columns), schema=schema), runs


def _runs(values: NDArray[np.float32]) -> Runs | None:
    """Return the runs, or None where each value is one of its own."""
    distinct = np.unique(values[~np.isnan(values)])
    apart = distinct[1:] > distinct[:-1] + _NEAR
    if apart.all():
        return None
    low = distinct[np.concatenate([[True], apart])]
    high = distinct[np.concatenate([apart, [True]])]
    return Runs(low.astype(np.float64), high.astype(np.float64))


def _merged(values: NDArray[np.float32], runs: Runs) -> NDArray[Any]:
    place = np.searchsorted(runs.low, values, side="right") - 1
    merged = runs.low.astype(np.float32)[place]
    merged[np.isnan(values)] = np.nan
    return merged
