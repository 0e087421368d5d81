"""rpart: rows without any known value are left out; x = cut goes right."""

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
                "out. Give rows with values, or leave conventions='rpart' out."
            )
        if empty.any():
            weights = np.ones(table.n_rows) if table.weights is None else table.weights
            weights = np.where(empty, 0.0, weights)
            table = replace(table, weights=read_weights(weights, table.n_rows))
        super().__init__(table)

    def core_options(self, table: Table) -> dict[str, Any]:
        """Surrogates need two rows each way; equal branches stop unplaced rows."""
        return {"stop_on_equal_sides": True, "min_surrogate_rows": 2}

    def for_new_rows(self, tree: TreeData) -> TreeData:
        """Return the tree with every cut just below where it was: x = cut goes right.

        Cuts lie between training values, so that only other rows can meet one.
        """
        below = np.nextafter(tree.threshold, -np.inf)
        stand_in = np.nextafter(tree.surrogate_threshold, -np.inf)
        return replace(tree, threshold=below, surrogate_threshold=stand_in)
