"""Bottom-up choice between a leaf and what lies below it: validation rows, bounds."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.tree.data import TreeData
from treewright.tree.edit import collapse

__all__ = ["cut_where_leaf_is_as_good"]


def cut_where_leaf_is_as_good(
    tree: TreeData,
    leaf: NDArray[np.float64],
    stopped: NDArray[np.float64],
    *,
    margin: float,
    reason: str,
    keep_ties: bool = False,
) -> TreeData:
    """Collapse every node that costs no more as a leaf, children first.

    Parameters
    ----------
    tree : TreeData
        The tree.
    leaf : float array
        What each node costs as a leaf.
    stopped : float array
        What the rows that end in an inner node cost otherwise.
    margin : float
        A leaf may cost so much more; with `keep_ties`, it must cost that much less.
    reason : str
        Stop reason recorded for the cuts.
    keep_ties : bool, default=False
        Cut only where the leaf is better.

    Returns
    -------
    TreeData
    """
    cut = _core.cut_bottom_up(tree.subtree_size, leaf, stopped, margin, keep_ties)
    nodes = np.flatnonzero(np.asarray(cut))
    return collapse(tree, nodes, reason)[0] if len(nodes) else tree
