"""The habits of treewright itself. The habits of other programs override them."""

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
        """Return further options of the core for this table and its weights."""
        return {}

    def as_written(self, tree: TreeData, table: Table) -> TreeData:
        """Return a tree grown on this table as the program writes it."""
        return tree

    def for_new_rows(self, tree: TreeData) -> TreeData:
        """Return the tree as the program applies it to rows it was not grown on.

        Cross-validation scores this tree.
        """
        return tree
