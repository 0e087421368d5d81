"""rpart: rows without any value are dropped; x = cut goes right."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from treewright.growing.habits.own import Habits
from treewright.table.table import Table
from treewright.tree.data import TreeData

__all__ = ["Rpart"]


class Rpart(Habits):
    """The habits of rpart."""

    def core_options(self, table: Table) -> dict[str, Any]:
        """Surrogates need two rows each way; equal branches stop unplaced rows."""
        return {"rpart": True}

    def for_new_rows(self, tree: TreeData) -> TreeData:
        """Return the tree with every cut just below where it was: x = cut goes right.

        Cuts lie between training values, so that only other rows can meet one.
        """
        below = np.nextafter(tree.threshold, -np.inf)
        stand_in = np.nextafter(tree.surrogate_threshold, -np.inf)
        return replace(tree, threshold=below, surrogate_threshold=stand_in)
