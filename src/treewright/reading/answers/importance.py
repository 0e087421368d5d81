"""How much each column contributed to a tree."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from treewright.tree.costs import growth_weight
from treewright.tree.data import LEAF, TreeData

__all__ = ["impurity_importance"]


def impurity_importance(tree: TreeData) -> NDArray[np.float64]:
    """Return each column's share of the total fall of impurity.

    A split counts with its gain times the weight of its node; a surrogate of it with
    that times its adjusted agreement.

    Parameters
    ----------
    tree : TreeData
        The tree.

    Returns
    -------
    float64 array, one entry per column of the schema
        Sums to 1; all 0 if no split gained anything.
    """
    n = len(tree.schema.features)
    inner = tree.split_kind != LEAF
    gained = growth_weight(tree)[inner] * tree.gain[inner]
    if np.isinf(gained).any():  # beside an infinite gain all others are nothing
        gained = np.isinf(gained).astype(np.float64)
    total = np.bincount(tree.feature[inner], weights=gained, minlength=n)
    if len(tree.surrogate_feature):
        of_node = np.zeros(tree.n_nodes)
        of_node[inner] = gained
        lent = np.repeat(of_node, np.diff(tree.surrogate_start)) * tree.surrogate_adjust
        total += np.bincount(tree.surrogate_feature, weights=lent, minlength=n)
    # Dividing by the largest first keeps the sum finite.
    largest = total.max(initial=0.0)
    if not largest > 0:
        return np.zeros(n)
    shares = total / largest
    return np.asarray(shares / shares.sum())
