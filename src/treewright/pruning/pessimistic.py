"""Pessimistic pruning: bottom-up pruning by C4.5's upper bound of the error."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from treewright.pruning.bottom_up import cut_where_leaf_is_as_good
from treewright.table.weights import rows_per_weight
from treewright.tree.costs import answer_by_cost
from treewright.tree.data import STOP_HERE, TreeData
from treewright.tree.edit import collapse
from treewright.tree.loss import loss_of

__all__ = [
    "AS_GOOD",
    "ErrorCosts",
    "added_errors",
    "collapse_useless",
    "replace_subtrees",
]

AS_GOOD = 0.1
"""How many more estimated errors than its subtree a leaf may have."""
SAVES_NOTHING = 1e-3
"""A subtree that saves no more training errors than this saves none."""


def added_errors(
    n: NDArray[np.float64], errors: NDArray[np.float64], confidence: float
) -> NDArray[np.float64]:
    """Return the errors that the upper bound adds to the observed errors.

    Parameters
    ----------
    n, errors : float array
        The number of rows, and the number of misclassified rows; or their weights.
    confidence : float
        The probability that the true error rate lies above the bound.

    Returns
    -------
    float array
        For no error, the exact bound n (1 - confidence^(1/n)); from one error on, a
        normal bound with continuity correction; linear interpolation in between.

    Examples
    --------
    >>> added_errors(np.array([6.0, 9.0, 1.0]), np.zeros(3), 0.25).round(3).tolist()
    [1.238, 1.285, 0.75]
    """
    n, errors = np.asarray(n, dtype=np.float64), np.asarray(errors, dtype=np.float64)
    some = n > 0
    size = np.where(some, n, 1.0)
    at_none = size * (1.0 - confidence ** (1.0 / size))
    normal = _normal_bound(size, np.maximum(errors, 1.0), confidence)
    at_one = _normal_bound(size, np.ones_like(size), confidence)
    between = at_none + errors * (at_one - at_none)
    added = np.where(errors < 1.0, np.where(errors <= 0, at_none, between), normal)
    return np.where(some, np.maximum(added, 0.0), 0.0)


def _normal_bound(
    n: NDArray[np.float64], errors: NDArray[np.float64], confidence: float
) -> NDArray[np.float64]:
    z = NormalDist().inv_cdf(1.0 - confidence)
    seen = np.minimum(errors + 0.5, n)
    root = np.sqrt(seen * (1.0 - seen / n) + z * z / 4.0)
    bound = n * (seen + z * z / 2.0 + z * root) / (n + z * z) - errors
    return np.where(errors + 0.5 >= n, np.maximum(n - errors, 0.0), bound)


def replace_subtrees(tree: TreeData, confidence: float) -> TreeData:
    """Collapse, bottom up, every split that does not lower the bound of the error.

    Parameters
    ----------
    tree : TreeData
        A classification tree.
    confidence : float
        Confidence of the bound.

    Returns
    -------
    TreeData
    """
    leaf, stopped = _bounds(tree, confidence)
    return cut_where_leaf_is_as_good(
        tree, leaf, stopped, margin=AS_GOOD, reason="pessimistic"
    )


def collapse_useless(tree: TreeData) -> TreeData:
    """Collapse every node whose subtree makes no fewer training errors than a leaf.

    Parameters
    ----------
    tree : TreeData
        A classification tree.

    Returns
    -------
    TreeData
        The tree that J48 calls unpruned. The subtree's errors are those of all its
        leaves, whether or not a node in between is collapsed too.
    """
    errors = ErrorCosts(tree, 0.5)
    leaf = errors.seen(tree.value)
    counted = np.where(tree.subtree_size == 1, leaf, errors.seen(_stopped(tree)))
    before = np.concatenate([[0.0], np.cumsum(counted)])
    inner = np.flatnonzero(tree.subtree_size > 1)
    below = before[inner + tree.subtree_size[inner]] - before[inner]
    useless = inner[below >= leaf[inner] - SAVES_NOTHING]
    return collapse(tree, useless, "pruned")[0] if len(useless) else tree


def _stopped(tree: TreeData) -> NDArray[np.float64]:
    """Return the class weights of the rows that stop at each inner node."""
    rest = np.zeros_like(tree.value)
    if (tree.missing_route == STOP_HERE).any():
        np.add.at(rest, tree.parent[1:], tree.value[1:])
        rest = np.maximum(tree.value - rest, 0.0)
        rest[(tree.missing_route != STOP_HERE) | (tree.subtree_size == 1)] = 0.0
    return rest


class ErrorCosts:
    """Counts the errors of class weights, or their cost, in rows.

    Costs are divided by their mean, so only their ratios matter. An error that the
    bound adds has the mean cost of a wrong answer with that label, averaged over the
    other classes by their weight at the root.
    """

    def __init__(self, tree: TreeData, confidence: float) -> None:
        self.confidence = confidence
        self.rows = rows_per_weight(float(tree.weight[0]), int(tree.n_rows[0]))
        k = tree.value.shape[1]
        costs = loss_of(tree).costs
        self.per_added = np.ones(k)
        self.costs = 1.0 - np.eye(k)
        self.plain = costs is None or k < 2
        if costs is not None and k > 1:
            self.costs = costs / (costs.sum() / (k * (k - 1)))
            others = (1.0 - np.eye(k)) * tree.value[0][:, None]
            total = others.sum(axis=0)
            mean = (others * self.costs).sum(axis=0)
            np.divide(mean, total, out=self.per_added, where=total > 0)

    def seen(self, value: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the least cost of an answer for nodes with these class weights."""
        value = value * self.rows
        if self.plain:
            return np.asarray(value.sum(axis=1) - value.max(axis=1))
        return np.asarray((value @ self.costs).min(axis=1))

    def bound(
        self, value: NDArray[np.float64], label: NDArray[np.int32] | None = None
    ) -> NDArray[np.float64]:
        """Return the upper bound of that cost, or of the cost of answering `label`."""
        if label is None:
            label = answer_by_cost(value, None if self.plain else self.costs)[0]
        value = value * self.rows
        every, n = np.arange(len(value)), value.sum(axis=1)
        wrong = np.maximum(n - value[every, label], 0.0)
        cost = wrong if self.plain else (value * self.costs.T[label]).sum(axis=1)
        added = added_errors(n, wrong, self.confidence)
        return np.asarray(cost + added * self.per_added[label])


def _bounds(
    tree: TreeData, confidence: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the bound of each node as a leaf, and of the rows that stop at it."""
    errors = ErrorCosts(tree, confidence)
    return (
        errors.bound(tree.value, tree.label),
        errors.bound(_stopped(tree), tree.label),
    )
