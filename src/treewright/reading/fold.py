"""Which nodes of a large tree to show: down to a depth, up to a number of ends."""

from __future__ import annotations

import heapq

import numpy as np
from numpy.typing import NDArray

from treewright.errors import OptionError
from treewright.tree.data import TreeData
from treewright.tree.walk import children

__all__ = ["checked_limit", "shown_nodes"]


def checked_limit(name: str, value: object, least: int) -> int | None:
    """Return a limit as an int, or None; say what it may be."""
    if value is None:
        return None
    whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if not whole or value < least:  # type: ignore[operator]
        raise OptionError(
            f"{name} must be a whole number >= {least}, or None for no limit; "
            f"got {value!r}."
        )
    return int(value)  # type: ignore[call-overload, no-any-return]


def shown_nodes(
    tree: TreeData, max_depth: int | None = None, max_leaves: int | None = None
) -> NDArray[np.bool_]:
    """Return which nodes to show.

    Parameters
    ----------
    tree : TreeData
        The tree.
    max_depth : int or None, default=None
        Deepest level to show.
    max_leaves : int or None, default=None
        Most ends, leaves or folded nodes; the heaviest nodes are opened first. A
        node of more branches than there is room for shows its heaviest ones.

    Returns
    -------
    bool array of n_nodes
        With every node also the one above it.
    """
    deepest = tree.n_nodes if max_depth is None else max_depth
    shown: NDArray[np.bool_] = tree.depth <= deepest
    if max_leaves is None or tree.n_leaves <= max_leaves:
        return shown
    opened = np.zeros(tree.n_nodes, dtype=bool)
    opened[0] = True
    room = max_leaves - 1
    waiting = [(-float(tree.weight[0]), 0)]
    while waiting and room > 0:
        node = heapq.heappop(waiting)[1]
        if tree.subtree_size[node] == 1 or tree.depth[node] >= deepest:
            continue
        below = list(children(tree, node))
        if len(below) - 1 > room:
            if len(below) <= max_leaves:
                continue  # smaller ones may still fit
            below = sorted(below, key=lambda c: (-tree.weight[c], c))[:room]
        room -= len(below) - 1
        opened[below] = True
        for child in below:
            heapq.heappush(waiting, (-float(tree.weight[child]), child))
    return shown & opened
