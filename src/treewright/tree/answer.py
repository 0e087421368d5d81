"""What each node answers, apart from what its training rows show.

A node's rows are its evidence: class weights, or mean and quartiles. Its answer is
the array `TreeData.answer` if the tree has one, and otherwise follows from the
evidence: the shares of the classes, or the mean (the median for absolute error).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from treewright.tree.arrays import frozen
from treewright.tree.data import TreeData

__all__ = ["node_answers", "plain_answers"]


def node_answers(tree: TreeData) -> NDArray[np.float64]:
    """Return what each node answers.

    Parameters
    ----------
    tree : TreeData
        The tree.

    Returns
    -------
    float64 array of n x k
        Classification: the probability of each of the k classes; each row sums
        to 1. Otherwise k = 1: the number.
    """
    return tree.answer if len(tree.answer) else plain_answers(tree)


def plain_answers(tree: TreeData) -> NDArray[np.float64]:
    """Return what each node would answer by its own evidence; see `node_answers`.

    Parameters
    ----------
    tree : TreeData
        The tree.

    Returns
    -------
    float64 array of n x k
        Shares of the classes, or means. In a node that no weight reached, all
        classes have equal shares.
    """
    if not tree.is_classifier:
        return tree.value
    return tree.keep("class_shares", _class_shares)


def _class_shares(tree: TreeData) -> NDArray[np.float64]:
    total = tree.value.sum(axis=1, keepdims=True)
    shares = np.full_like(tree.value, 1.0 / tree.value.shape[1])
    np.divide(tree.value, total, out=shares, where=total > 0)
    return frozen(shares)
