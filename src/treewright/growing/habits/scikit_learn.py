"""scikit-learn: numbers are read as float32, and 1e-7 apart is no difference.

Where no training row of a node is missing, a missing value goes to the branch of more
rows, of two equal ones to the right.

Sorted values of which each is within 1e-7 of the one before form a run, in which
scikit-learn makes no cut. A run becomes one value of the table, and the thresholds of
the grown tree are moved to where they belong.
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
        self._runs: dict[int, _Runs] = {}  # by column, where values became one
        columns: list[Column] = list(table.columns)
        features = list(table.schema.features)
        for index, column in enumerate(columns):
            if not isinstance(column, NumericColumn):
                continue
            if column.stored_as not in PLAIN_NUMBERS:  # dates stay as they are
                continue
            values = as_float32(column.values)
            found = _runs(values)
            if found is not None:
                self._runs[index] = found
                values = _merged(values, found)
            columns[index] = replace(column, values=freeze(values))
            features[index] = replace(features[index], float32=True)
        schema = replace(table.schema, features=tuple(features))
        super().__init__(replace(table, columns=tuple(columns), schema=schema))

    def core_options(self, table: Table) -> dict[str, Any]:
        """A threshold is the mean of two float32 numbers, never written shorter."""
        return {"round_midpoint": False}

    def shaped(self, tree: TreeData, table: Table) -> TreeData:
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

        Those that stood between two neighbouring runs, or in one, now stand midway
        between the end of one and the beginning of the next.
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
    """The runs of values that count as one, ascending."""

    low: NDArray[np.float64]
    """The smallest of each run, which stands for it in the table."""
    high: NDArray[np.float64]
    """The largest of each run."""


def _runs(values: NDArray[np.float32]) -> _Runs | None:
    """Return the runs, or None where each value is one of its own."""
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
