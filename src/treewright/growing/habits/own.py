"""The habits of treewright itself, which those of other programs change."""

from __future__ import annotations

from typing import Any

from treewright.table.table import Table
from treewright.tree.data import TreeData

__all__ = ["Habits"]


class Habits:
    """How a program reads a table, searches for splits and writes a tree.

    Parameters
    ----------
    table : Table
        The training table.

    Attributes
    ----------
    table : Table
        The table as the program reads it.
    """

    def __init__(self, table: Table) -> None:
        self.table = table

    def core_options(self, table: Table) -> dict[str, Any]:
        """Return what the core must be told to grow on this table and its weights."""
        return {}

    def shaped(self, tree: TreeData, table: Table) -> TreeData:
        """Return a tree of this table and its weights as the program writes it."""
        return tree

    def for_new_rows(self, tree: TreeData) -> TreeData:
        """Return the tree as the program sends rows down it that it was not grown on.

        Cross-validation scores this tree.
        """
        return tree
