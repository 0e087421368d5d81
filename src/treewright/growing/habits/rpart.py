"""rpart: rows without any known value are left out; x = threshold goes right."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from treewright.errors import TableError
from treewright.growing.habits.own import Habits
from treewright.table.table import Table
from treewright.table.weights import read_weights
from treewright.tree.data import TreeData

__all__ = ["Rpart"]


class Rpart(Habits):
    """The habits of rpart."""

    def __init__(self, table: Table) -> None:
        empty = np.ones(table.n_rows, dtype=bool)
        for column in table.columns:
            is_float = column.data.dtype.kind == "f"
            empty &= np.isnan(column.data) if is_float else column.data < 0
        if empty.all():
            raise TableError(
                "No row has a known value in any column, and rpart leaves such rows "
                "out. Pass rows with values, or omit conventions='rpart'."
            )
        if empty.any():
            weights = np.ones(table.n_rows) if table.weights is None else table.weights
            weights = np.where(empty, 0.0, weights)
            table = replace(table, weights=read_weights(weights, table.n_rows))
        super().__init__(table)

    def core_options(self, table: Table) -> dict[str, Any]:
        """Return rpart's rules for surrogates.

        A surrogate needs two rows on either side. Where both branches weigh the same,
        rows that no surrogate can place stop at the node.
        """
        return {"stop_on_equal_sides": True, "min_surrogate_rows": 2}

    def for_new_rows(self, tree: TreeData) -> TreeData:
        """Return the tree with every threshold lowered by one float.

        A value equal to the threshold then goes right. No training value equals a
        threshold, because thresholds lie between training values.
        """
        below = np.nextafter(tree.threshold, -np.inf)
        surrogate = np.nextafter(tree.surrogate_threshold, -np.inf)
        return replace(tree, threshold=below, surrogate_threshold=surrogate)
