"""What a tree says about a row that ended in a node."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import OptionError
from treewright.tree.data import TreeData

__all__ = ["answers", "class_shares", "classes"]


def classes(tree: TreeData) -> NDArray[Any]:
    """Return the classes, in the order of `value`; empty for a numeric target.

    Their type is that of the labels: text, whole numbers, numbers or booleans.
    """
    return tree.keep("classes", _classes)


def answers(tree: TreeData, nodes: NDArray[np.integer[Any]]) -> NDArray[Any]:
    """Return the class, or the mean, that each node answers.

    Parameters
    ----------
    tree : TreeData
        The tree.
    nodes : int array
        The node in which each row ended.

    Returns
    -------
    array
        Class labels, or float64 numbers.
    """
    return np.asarray(tree.keep("answers", _answers)[nodes])


def class_shares(
    tree: TreeData, nodes: NDArray[np.integer[Any]]
) -> NDArray[np.float64]:
    """Return the share of every class in the training weight of each node.

    Parameters
    ----------
    tree : TreeData
        A tree that answers classes.
    nodes : int array
        The node in which each row ended.

    Returns
    -------
    float64 array of rows x classes
        Each row sums to 1.
    """
    if not tree.is_classifier:
        raise OptionError(
            "Class probabilities need a tree that answers classes; this one answers "
            "numbers. Use predict."
        )
    return np.asarray(tree.keep("class_shares", _class_shares)[nodes])


def _classes(tree: TreeData) -> NDArray[Any]:
    target = tree.schema.target
    labels: tuple[Any, ...] = () if target is None else tuple(target.classes)
    if tree.is_classifier and not labels:
        labels = tuple(range(tree.value.shape[1]))
    kinds = {type(label) for label in labels}
    found = np.array(labels) if len(kinds) == 1 else np.array(labels, dtype=object)
    found.flags.writeable = False
    return found


def _answers(tree: TreeData) -> NDArray[Any]:
    if not tree.is_classifier:
        return tree.value[:, 0]
    return np.asarray(classes(tree)[tree.label])


def _class_shares(tree: TreeData) -> NDArray[np.float64]:
    total = tree.value.sum(axis=1, keepdims=True)
    # A node that no weight reached knows nothing: all classes alike.
    even = 1.0 / tree.value.shape[1]
    shares = np.full_like(tree.value, even)
    np.divide(tree.value, total, out=shares, where=total > 0)
    shares.flags.writeable = False
    return shares
