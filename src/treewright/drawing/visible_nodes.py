"""Which nodes a picture shows if the tree is too large to show all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treewright.reading.text.visible_nodes import shown_nodes
from treewright.tree.data import TreeData

__all__ = ["MOST_LEAVES", "VisibleNodes", "visible_nodes"]

MOST_LEAVES = 60
"""Maximum number of leaves in a picture by default."""


@dataclass(frozen=True)
class VisibleNodes:
    """The part of a tree that is shown.

    Attributes
    ----------
    nodes : int array
        The nodes that are shown, in preorder.
    parent : list of int
        For each of them, the index of its parent in `nodes`; -1 for the root.
    hidden : list of int
        For each of them, the number of leaves hidden below it; 0 for a leaf and for a
        node whose branches are shown.
    """

    nodes: NDArray[np.intp]
    parent: list[int]
    hidden: list[int]

    @property
    def is_whole(self) -> bool:
        """Whether all nodes are shown."""
        return not any(self.hidden)

    def __len__(self) -> int:
        """Return the number of nodes shown."""
        return len(self.hidden)

    def words(self, tree: TreeData) -> str:
        """Return a sentence about the hidden nodes; empty if there are none."""
        if self.is_whole:
            return ""
        folded = sum(1 for n in self.hidden if n)
        where = f"{folded} folded {'node' if folded == 1 else 'nodes'}"
        return (
            f"Shown: {len(self):,} of {tree.n_nodes:,} nodes. {sum(self.hidden):,} of "
            f"{tree.n_leaves:,} leaves lie below {where}; impure nodes with many "
            "rows are opened first."
        )


def visible_nodes(
    tree: TreeData,
    max_depth: int | None = None,
    max_leaves: int | None = MOST_LEAVES,
    path: Sequence[int] = (),
) -> VisibleNodes:
    """Choose the nodes to show; see `shown_nodes`.

    Parameters
    ----------
    tree : TreeData
        The tree.
    max_depth : int or None, default=None
        Deepest level to show.
    max_leaves : int or None, default=60
        Maximum number of leaves and collapsed nodes to show; None: no limit.
    path : sequence of int, optional
        The path of a row: nodes that must be shown, each with its siblings.

    Returns
    -------
    VisibleNodes
    """
    chosen = np.flatnonzero(shown_nodes(tree, max_depth, max_leaves, all_branches=True))
    opened = np.zeros(tree.n_nodes, dtype=bool)
    opened[tree.parent[chosen[1:]]] = True
    on_path = np.asarray(path, dtype=np.intp)
    opened[on_path] = tree.subtree_size[on_path] > 1
    return _shown(tree, opened)


def _shown(tree: TreeData, opened: NDArray[np.bool_]) -> VisibleNodes:
    """Collect the nodes whose ancestors are all expanded, starting at the root."""
    sizes, is_open = tree.subtree_size.tolist(), opened.tolist()
    n_leaves_before = np.concatenate([[0], np.cumsum(tree.subtree_size == 1)]).tolist()
    above = tree.parent.tolist()
    nodes: list[int] = []
    parent: list[int] = []
    hidden: list[int] = []
    place = {-1: -1}
    node = 0
    while node < tree.n_nodes:
        place[node] = len(nodes)
        nodes.append(node)
        parent.append(place[above[node]])
        end = node + sizes[node]
        folded = not is_open[node] and sizes[node] > 1
        hidden.append(n_leaves_before[end] - n_leaves_before[node] if folded else 0)
        node = node + 1 if is_open[node] else end
    return VisibleNodes(np.array(nodes, dtype=np.intp), parent, hidden)
