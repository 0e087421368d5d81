"""scikit-learn: numbers are float32, and values within 1e-7 count as equal.

At a node without missing training values, a missing value goes to the branch with more
rows, and to the right if both have the same number.

Sorted values that each lie within 1e-7 of the one before form a run. scikit-learn puts
no threshold inside a run. Here a run becomes a single value of the table, and the
thresholds of the grown tree are then moved to where scikit-learn puts them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treewright.growing.habits.own import Habits
from treewright.table.column import Column, NumericColumn
from treewright.table.from_numpy import as_float32
from treewright.table.raw import freeze
from treewright.table.schema import PLAIN_NUMBERS
from treewright.table.table import Table
from treewright.tree.data import THRESHOLD, TreeData

__all__ = ["ScikitLearn"]

_NEAR = np.float32(1e-7)


class ScikitLearn(Habits):
    """The habits of scikit-learn."""

    def __init__(self, table: Table) -> None:
        self._runs: dict[int, _Runs] = {}  # by column, where values were merged
        columns: list[Column] = list(table.columns)
        features = list(table.schema.features)
        for index, column in enumerate(columns):
            if not isinstance(column, NumericColumn):
                continue
            if column.stored_as not in PLAIN_NUMBERS:  # dates stay as they are
                continue
            values = as_float32(column.values)
            runs = _runs(values)
            if runs is not None:
                self._runs[index] = runs
                values = _merged(values, runs)
            columns[index] = replace(column, values=freeze(values))
            features[index] = replace(features[index], float32=True)
        schema = replace(table.schema, features=tuple(features))
        super().__init__(replace(table, columns=tuple(columns), schema=schema))

    def core_options(self, table: Table) -> dict[str, Any]:
        """A threshold is the mean of two float32 numbers, never a shorter decimal."""
        return {"round_midpoint": False}

    def as_written(self, tree: TreeData, table: Table) -> TreeData:
        """Return the tree with scikit-learn's thresholds and missing routes."""
        by_size = (tree.split_kind == THRESHOLD) & (tree.missing_route >= 0)
        nodes = np.flatnonzero(by_size & (tree.n_missing == 0))
        left = nodes + 1
        right = left + tree.subtree_size[left]
        route = tree.missing_route.copy()
        route[nodes] = tree.n_rows[left] <= tree.n_rows[right]
        return replace(tree, threshold=self._out_of_runs(tree), missing_route=route)

    def _out_of_runs(self, tree: TreeData) -> NDArray[np.float64]:
        """Return the thresholds, none of them inside a run.

        A threshold inside a run, or midway between the starts of two neighbouring
        runs, moves midway between the end of one run and the start of the next.
        """
        threshold = tree.threshold.copy()
        for column, (low, high) in self._runs.items():
            nodes = np.flatnonzero((tree.feature == column) & ~np.isnan(threshold))
            at = threshold[nodes]
            place = np.searchsorted(low, at, side="right") - 1
            inner = (place >= 0) & (place + 1 < len(low))
            nodes, at, place = nodes[inner], at[inner], place[inner]
            above = low[place + 1] / 2
            is_near = (at < high[place]) | (at == low[place] / 2 + above)
            threshold[nodes] = np.where(is_near, high[place] / 2 + above, at)
        return threshold


class _Runs(NamedTuple):
    """The runs of values that count as equal, ascending."""

    low: NDArray[np.float64]
    """The smallest value of each run, which replaces the run in the table."""
    high: NDArray[np.float64]
    """The largest value of each run."""


def _runs(values: NDArray[np.float32]) -> _Runs | None:
    """Return the runs, or None if no two values merge."""
    distinct = np.unique(values[~np.isnan(values)])
    apart = distinct[1:] > distinct[:-1] + _NEAR
    if apart.all():
        return None
    low = distinct[np.concatenate([[True], apart])]
    high = distinct[np.concatenate([apart, [True]])]
    return _Runs(low.astype(np.float64), high.astype(np.float64))


def _merged(values: NDArray[np.float32], runs: _Runs) -> NDArray[Any]:
    place = np.searchsorted(runs.low, values, side="right") - 1
    merged = runs.low.astype(np.float32)[place]
    merged[np.isnan(values)] = np.nan
    return merged
