"""Which nodes of a large tree to show: down to a depth, up to a number of ends."""

from __future__ import annotations

import heapq

import numpy as np
from numpy.typing import NDArray

from treewright.errors import OptionError
from treewright.tree.data import TreeData
from treewright.tree.walk import children

__all__ = ["shown_nodes"]


def shown_nodes(
    tree: TreeData,
    max_depth: int | None = None,
    max_leaves: int | None = None,
    *,
    all_branches: bool = False,
) -> NDArray[np.bool_]:
    """Return which nodes to show.

    Nodes are opened from the root on, as long as no more than `max_leaves` ends come
    about. Where most is left to tell apart, that is, weight times impurity is
    largest, comes first.

    Parameters
    ----------
    tree : TreeData
        The tree.
    max_depth : int or None, default=None
        Deepest level to show; None: no limit.
    max_leaves : int or None, default=None
        Most ends to show, leaves and folded nodes together; None: no limit.
    all_branches : bool, default=False
        Show all branches of a node or none. Otherwise a node of more branches than
        there may be ends shows its heaviest ones.

    Returns
    -------
    bool array of n_nodes
        With every node also the one above it.
    """
    deepest = _checked("max_depth", max_depth, 0)
    deepest = tree.n_nodes if deepest is None else deepest
    max_leaves = _checked("max_leaves", max_leaves, 1)
    shown: NDArray[np.bool_] = tree.depth <= deepest
    if max_leaves is None or tree.n_leaves <= max_leaves:
        return shown
    opened = np.zeros(tree.n_nodes, dtype=bool)
    opened[0] = True
    room = max_leaves - 1
    undecided = np.nan_to_num(tree.share * tree.impurity)
    waiting = [(-float(undecided[0]), 0)]
    while waiting and room > 0:
        node = heapq.heappop(waiting)[1]
        if tree.subtree_size[node] == 1 or tree.depth[node] >= deepest:
            continue
        below = list(children(tree, node))
        if len(below) - 1 > room:
            if all_branches or len(below) <= max_leaves:
                continue  # smaller ones may still fit
            below = sorted(below, key=lambda c: (-tree.weight[c], c))[:room]
        room -= len(below) - 1
        opened[below] = True
        for child in below:
            heapq.heappush(waiting, (-float(undecided[child]), child))
    return shown & opened


def _checked(name: str, value: object, least: int) -> int | None:
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
