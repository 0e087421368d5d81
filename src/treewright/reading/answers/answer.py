"""The answer of a tree for a row that ended in a node."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import OptionError
from treewright.tree import wording
from treewright.tree.answer import node_answers, plain_answers
from treewright.tree.costs import answer_by_cost
from treewright.tree.data import TreeData
from treewright.tree.loss import loss_of
from treewright.tree.route import Ends, divides_rows, ends_of_matrix, route_answers

__all__ = [
    "MANY_ROWS",
    "answers",
    "answers_of_matrix",
    "class_numbers",
    "class_probabilities",
    "class_shares",
    "classes",
    "evidence_words",
    "finer_answers",
    "middle_of",
    "number_words",
]

MANY_ROWS = 4096
"""For fewer rows, starting a thread takes longer than routing them."""
_FOUR_FIGURES = 1e-3
"""A larger relative difference shows in the first four figures of two numbers."""


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
        Where each row ended, from `ends_of`. The answer for a divided row
        combines those of its parts, weighted by their shares.
    names : array, optional
        The class labels to return, if they have another type than `classes`.

    Returns
    -------
    array
        Class labels, or float64 numbers.
    """
    if isinstance(ends, Ends):
        if not tree.is_classifier:
            return ends.total(node_answers(tree)[:, 0])
        labels = classes(tree) if names is None else names
        return labels.take(class_numbers(tree, ends))
    if names is not None:
        return names.take(tree.label.take(ends))
    return tree.keep("answers", _answers).take(ends)


def class_numbers(
    tree: TreeData, ends: NDArray[np.integer[Any]] | Ends
) -> NDArray[np.int32]:
    """Return the number of the class predicted for each row; see `answers`."""
    if isinstance(ends, Ends):
        return answer_by_cost(class_probabilities(tree, ends), loss_of(tree).costs)[0]
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
    """Return what kind of average a tree of numbers answers: "mean" or "median"."""
    return getattr(tree.criterion, "answer", "mean")


def number_words(tree: TreeData, value: float) -> str:
    """Return an answer rounded for reading, but still different from its sibling's."""
    return finer_answers(tree).get(value) or wording.figures(value)


def evidence_words(tree: TreeData, node: int) -> str:
    """Return the evidence that a node's answer differs from; "" if it does not.

    "mean of 6 rows 13.9, drawn towards 11.2", or "95% of 20 rows" for a class.
    """
    if not len(tree.answer):
        return ""
    n = int(tree.n_rows[node])
    rows = f"{n:,} row{'s' * (n != 1)}"
    if tree.is_classifier:
        share = float(plain_answers(tree)[node, tree.label[node]])
        return f"{wording.percent(share)} of {rows}"
    mean, above = float(tree.value[node, 0]), int(tree.parent[node])
    if above < 0 or mean == tree.answer[node, 0]:
        return ""
    towards = number_words(tree, float(tree.answer[above, 0]))
    return f"mean of {rows} {wording.figures(mean)}, drawn towards {towards}"


def finer_answers(tree: TreeData) -> dict[float, str]:
    """Return the text of sibling answers that look the same with four figures."""
    return tree.keep("finer_answers", _finer_answers)


def class_probabilities(
    tree: TreeData, ends: NDArray[np.integer[Any]] | Ends
) -> NDArray[np.float64]:
    """Return the probability of every class that the tree answers for each row.

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
    return _at(node_answers(tree), ends)


def class_shares(
    tree: TreeData, ends: NDArray[np.integer[Any]] | Ends
) -> NDArray[np.float64]:
    """Return the share of every class in the training weight where each row ended.

    The parameters are those of `class_probabilities`. The shares are the evidence
    for the probabilities.
    """
    return _at(plain_answers(tree), ends)


def _at(
    of_nodes: NDArray[np.float64], ends: NDArray[np.integer[Any]] | Ends
) -> NDArray[np.float64]:
    if isinstance(ends, Ends):
        return ends.total(of_nodes)
    return of_nodes.take(ends, axis=0)


def _classes(tree: TreeData) -> NDArray[Any]:
    target = tree.schema.target
    labels: tuple[Any, ...] = () if target is None else tuple(target.classes)
    if tree.is_classifier and not labels:
        labels = tuple(range(tree.value.shape[1]))
    kinds = {type(label) for label in labels}
    array = np.array(labels) if len(kinds) == 1 else np.array(labels, dtype=object)
    array.flags.writeable = False
    return array


def _answers(tree: TreeData) -> NDArray[Any]:
    if not tree.is_classifier:
        return node_answers(tree)[:, 0]
    return np.asarray(classes(tree)[tree.label])


def _finer_answers(tree: TreeData) -> dict[float, str]:
    if tree.is_classifier:
        return {}
    nodes, value = np.arange(1, tree.n_nodes), node_answers(tree)[:, 0]
    other = np.minimum(nodes + tree.subtree_size[1:], tree.n_nodes - 1)
    one, two = value[nodes], value[other]
    near = (tree.parent[other] == tree.parent[nodes]) & (one != two)
    near &= np.abs(one - two) <= _FOUR_FIGURES * np.maximum(np.abs(one), np.abs(two))
    longest: dict[float, str] = {}
    for a, b in zip(one[near].tolist(), two[near].tolist(), strict=True):
        texts = wording.figures(a), wording.figures(b)
        for figures in range(5, 18):
            if texts[0] != texts[1]:
                break
            texts = f"{a:.{figures}g}", f"{b:.{figures}g}"
        for x, text in zip((a, b), texts, strict=True):
            longest[x] = max(longest.get(x, ""), text, key=len)
    return longest
