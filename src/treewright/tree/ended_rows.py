"""Rows that are known by where they end in a tree, without their columns."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from treewright.tree.data import TreeData
from treewright.tree.new_rows import NewRows
from treewright.tree.route import Ends

__all__ = ["EndedRows"]


@dataclass(frozen=True, eq=False)
class EndedRows(NewRows):
    """Rows that are known by where they end in one tree.

    Attributes
    ----------
    tree : TreeData
        That tree.
    node : int32 array
        Where the rows end.
    """

    tree: TreeData | None = field(default=None, kw_only=True)
    node: NDArray[np.int32] = field(
        default_factory=lambda: np.empty(0, np.int32), kw_only=True
    )

    def ends(self, tree: TreeData) -> NDArray[np.int32] | Ends:
        """Return where the rows end in the tree, or in what pruning left of it."""
        assert self.tree is not None
        if tree.n_nodes == self.tree.n_nodes:
            return self.node
        return _places(self.tree, tree)[self.node]


def _places(tree: TreeData, pruned: TreeData) -> NDArray[np.int32]:
    """Return the node of a pruned tree in which each node of the whole tree lies."""
    size, kept = tree.subtree_size, pruned.subtree_size
    places = np.zeros(tree.n_nodes, np.int32)
    node = 0
    for place in range(pruned.n_nodes):
        is_leaf = kept[place] == 1
        end = node + int(size[node]) if is_leaf else node + 1
        places[node:end] = place
        node = end
    return places
