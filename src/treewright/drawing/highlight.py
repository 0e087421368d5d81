"""The path of one row through a tree, for highlighting."""

from __future__ import annotations

from typing import Any

from treewright.reading.one_row.row import ends_of, read_row
from treewright.tree.data import TreeData
from treewright.tree.walk import path

__all__ = ["row_path"]


def row_path(tree: TreeData, row: Any) -> dict[int, str]:
    """Return the nodes that a row passes, each with its value in the column asked.

    Parameters
    ----------
    tree : TreeData
        The tree.
    row : mapping, series, list, array, or a table of one row
        The row. A mapping needs the columns that its path asks for, no others.

    Returns
    -------
    dict of int to str
        From the root down; the node where the row, or its largest part, ends has the
        text "".
    """
    one = read_row(tree, row)
    end = ends_of(tree, one)[0][0]
    way = {node: one.words(int(tree.feature[node])) for node in path(tree, end)[:-1]}
    return way | {end: ""}
