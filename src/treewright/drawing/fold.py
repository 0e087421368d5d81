"""Which nodes a picture shows, when showing all of them would help nobody."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treewright.errors import OptionError
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
    """Choose the nodes to show.

    Nodes are opened from the root on, as long as no more than `max_leaves` ends come
    about. Where most is left to tell apart, that is, weight times impurity is
    largest, comes first.

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
    deepest = _checked("max_depth", max_depth, 0, tree.n_nodes)
    most = _checked("max_leaves", max_leaves, 1, tree.n_nodes)
    opened = tree.subtree_size > 1
    opened &= tree.depth < deepest
    if most < tree.n_leaves:
        opened &= _most_impure(tree, opened, most)
    on_way = np.asarray(way, dtype=np.intp)
    opened[on_way] = tree.subtree_size[on_way] > 1
    return _shown(tree, opened)


def _checked(name: str, value: object, low: int, default: int) -> int:
    if value is None:
        return default
    whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if not whole or int(value) < low:  # type: ignore[call-overload]
        raise OptionError(
            f"{name} must be a whole number >= {low}, or None for no limit; "
            f"got {value!r}."
        )
    return int(value)  # type: ignore[call-overload, no-any-return]


def _most_impure(
    tree: TreeData, may_open: NDArray[np.bool_], most: int
) -> NDArray[np.bool_]:
    """Return which nodes to open so that at most `most` ends come about."""
    opened = np.zeros(tree.n_nodes, dtype=bool)
    undecided = np.nan_to_num(tree.share * tree.impurity)
    waiting = [(-float(undecided[0]), 0)] if may_open[0] else []
    ends = 1
    while waiting and ends < most:
        _, node = heapq.heappop(waiting)
        more = int(tree.n_children[node]) - 1
        if ends + more > most:
            continue
        ends += more
        opened[node] = True
        child, end = node + 1, node + int(tree.subtree_size[node])
        while child < end:
            if may_open[child]:
                heapq.heappush(waiting, (-float(undecided[child]), child))
            child += int(tree.subtree_size[child])
    return opened


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
