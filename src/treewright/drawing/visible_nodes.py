"""Which nodes a picture shows, when showing all of them would help nobody."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treewright.reading.text.visible_nodes import shown_nodes
from treewright.tree.data import TreeData

__all__ = ["MOST_LEAVES", "Folded", "fold"]

MOST_LEAVES = 60
"""Pictures show at most so many leaves unless more are asked for."""


@dataclass(frozen=True)
class Folded:
    """The part of a tree that is shown.

    Attributes
    ----------
    nodes : int array
        The nodes that are shown, in preorder.
    parent : list of int
        For each of them, the place of the node above it in `nodes`; -1 at the root.
    hidden : list of int
        For each of them, how many leaves are folded away below it; 0 at a leaf and
        where the branches are shown.
    """

    nodes: NDArray[np.intp]
    parent: list[int]
    hidden: list[int]

    @property
    def is_whole(self) -> bool:
        """Whether nothing was folded."""
        return not any(self.hidden)

    def __len__(self) -> int:
        """Return how many nodes are shown."""
        return len(self.hidden)

    def words(self, tree: TreeData) -> str:
        """Say what was folded; nothing if nothing was."""
        if self.is_whole:
            return ""
        folded = sum(1 for n in self.hidden if n)
        where = f"{folded} folded {'node' if folded == 1 else 'nodes'}"
        return (
            f"Shown: {len(self):,} of {tree.n_nodes:,} nodes. {sum(self.hidden):,} of "
            f"{tree.n_leaves:,} leaves lie below {where}; impure nodes with many "
            "rows are opened first."
        )


def fold(
    tree: TreeData,
    max_depth: int | None = None,
    max_leaves: int | None = MOST_LEAVES,
    way: Sequence[int] = (),
) -> Folded:
    """Choose the nodes to show; see `shown_nodes`.

    Parameters
    ----------
    tree : TreeData
        The tree.
    max_depth : int or None, default=None
        Deepest level to show.
    max_leaves : int or None, default=60
        Most ends to show, leaves and folded nodes together; None: no limit.
    way : sequence of int, optional
        Nodes that must be shown, each with its siblings: the way of a row.

    Returns
    -------
    Folded
    """
    chosen = np.flatnonzero(shown_nodes(tree, max_depth, max_leaves, all_branches=True))
    opened = np.zeros(tree.n_nodes, dtype=bool)
    opened[tree.parent[chosen[1:]]] = True
    on_way = np.asarray(way, dtype=np.intp)
    opened[on_way] = tree.subtree_size[on_way] > 1
    return _shown(tree, opened)


def _shown(tree: TreeData, opened: NDArray[np.bool_]) -> Folded:
    """Collect the nodes whose ancestors are all open, from the root on."""
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
    return Folded(np.array(nodes, dtype=np.intp), parent, hidden)
