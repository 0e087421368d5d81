"""Bottom-up pruning: collapse a node where a leaf costs no more than its subtree."""

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
        The cost of each node as a leaf.
    stopped : float array
        The cost of the rows that stop at each inner node while it is kept.
    margin : float
        How much more a leaf may cost; with `keep_ties`, how much less it must cost.
    reason : str
        The stop reason recorded at the collapsed nodes.
    keep_ties : bool, default=False
        Collapse a node only where the leaf costs less.

    Returns
    -------
    TreeData
    """
    cut = _core.cut_bottom_up(tree.subtree_size, leaf, stopped, margin, keep_ties)
    nodes = np.flatnonzero(np.asarray(cut))
    return collapse(tree, nodes, reason)[0] if len(nodes) else tree
