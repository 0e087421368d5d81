"""What a tree says about a row that ended in a node."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import OptionError
from treewright.tree import wording
from treewright.tree.costs import answer_by_cost, cost_matrix
from treewright.tree.data import TreeData
from treewright.tree.route import Ends, divides_rows, ends_of_matrix, route_answers

__all__ = [
    "MANY_ROWS",
    "answers",
    "answers_of_matrix",
    "class_numbers",
    "class_shares",
    "classes",
    "finer_answers",
    "middle_of",
    "number_words",
]

MANY_ROWS = 4096
"""For fewer rows, starting a thread takes longer than routing them."""
_FOUR_FIGURES = 1e-3
"""Numbers that are further apart, as a share of them, differ in their first four."""


def classes(tree: TreeData) -> NDArray[Any]:
    """Return the classes, in the order of `value`; empty for a numeric target.

    Their type is that of the labels: text, whole numbers, numbers or booleans.
    """
    return tree.keep("classes", _classes)


def answers(
    tree: TreeData,
    ends: NDArray[np.integer[Any]] | Ends,
    names: NDArray[Any] | None = None,
) -> NDArray[Any]:
    """Return the class, or the number, for each row.

    Parameters
    ----------
    tree : TreeData
        The tree.
    ends : int array, or Ends
        Where each row ended, from `ends_of`. The parts of a divided row answer
        together, each by its share.
    names : array, optional
        The classes in another type than that of `classes`.

    Returns
    -------
    array
        Class labels, or float64 numbers.
    """
    if isinstance(ends, Ends):
        if not tree.is_classifier:
            return ends.total(tree.value[:, 0])
        given = classes(tree) if names is None else names
        return given.take(class_numbers(tree, ends))
    if names is not None:
        return names.take(tree.label.take(ends))
    return tree.keep("answers", _answers).take(ends)


def class_numbers(
    tree: TreeData, ends: NDArray[np.integer[Any]] | Ends
) -> NDArray[np.int32]:
    """Return the number of the class that each row is answered; see `answers`."""
    if isinstance(ends, Ends):
        return answer_by_cost(class_shares(tree, ends), cost_matrix(tree))[0]
    return tree.label.take(ends)


def answers_of_matrix(
    tree: TreeData,
    X: NDArray[Any],
    n_threads: int = 1,
    names: NDArray[Any] | None = None,
) -> NDArray[Any]:
    """Return the answer for each row of a matrix; many rows in one pass.

    Parameters
    ----------
    tree : TreeData
        A tree whose columns are all numeric.
    X : float32 or float64 array of rows x columns
        All columns of the schema, in order.
    n_threads : int, default=1
        Number of threads.
    names : array, optional
        See `answers`.

    Returns
    -------
    array
    """
    if len(X) >= MANY_ROWS and not divides_rows(tree):
        by_node = answers(tree, np.arange(tree.n_nodes), names)
        if by_node.dtype.kind in "iuf" and by_node.dtype.itemsize == 8:
            return route_answers(tree, X, by_node, n_threads)
    return answers(tree, ends_of_matrix(tree, X, n_threads), names)


def middle_of(tree: TreeData) -> str:
    """Return what the numbers of a tree are called: "mean", or "median"."""
    return getattr(tree.criterion, "answer", "mean")


def number_words(tree: TreeData, value: float) -> str:
    """Return an answer rounded for reading, but not to what its sibling answers."""
    return finer_answers(tree).get(value) or wording.figures(value)


def finer_answers(tree: TreeData) -> dict[float, str]:
    """Return the answers of siblings that four figures do not tell apart, in words."""
    return tree.keep("finer_answers", _finer_answers)


def class_shares(
    tree: TreeData, ends: NDArray[np.integer[Any]] | Ends
) -> NDArray[np.float64]:
    """Return the share of every class in the training weight where each row ended.

    Parameters
    ----------
    tree : TreeData
        A tree that answers classes.
    ends : int array, or Ends
        Where each row ended, from `ends_of`.

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
    shares = tree.keep("class_shares", _class_shares)
    return ends.total(shares) if isinstance(ends, Ends) else shares.take(ends, axis=0)


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


def _finer_answers(tree: TreeData) -> dict[float, str]:
    if tree.is_classifier:
        return {}
    nodes, value = np.arange(1, tree.n_nodes), tree.value[:, 0]
    other = np.minimum(nodes + tree.subtree_size[1:], tree.n_nodes - 1)
    one, two = value[nodes], value[other]
    near = (tree.parent[other] == tree.parent[nodes]) & (one != two)
    near &= np.abs(one - two) <= _FOUR_FIGURES * np.maximum(np.abs(one), np.abs(two))
    found: dict[float, str] = {}
    for a, b in zip(one[near].tolist(), two[near].tolist(), strict=True):
        said = wording.figures(a), wording.figures(b)
        for figures in range(5, 18):
            if said[0] != said[1]:
                break
            said = f"{a:.{figures}g}", f"{b:.{figures}g}"
        for x, words in zip((a, b), said, strict=True):
            found[x] = max(found.get(x, ""), words, key=len)
    return found
