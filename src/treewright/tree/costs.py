"""The answer of a node, and its expected cost, when wrong answers differ in cost.

A tree with costs grows on altered weights (see `table.costs`). `restore_row_weights`
turns its class weights back into those of the rows and gives every node the class of
least expected cost as its answer; `answer_by_cost` finds this class for any class
weights.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright.table.costs import cost_factors
from treewright.tree.edit import with_values

if TYPE_CHECKING:
    from treewright.tree.data import TreeData

__all__ = ["answer_by_cost", "growth_weight", "restore_row_weights"]

_TIE = 1e-12
"""Costs that differ by at most this share are equal; the first class is the answer."""


def answer_by_cost(
    value: ArrayLike,
    costs: Sequence[Sequence[float]] | NDArray[np.float64] | None = None,
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """Return the class each node answers, and r(t).

    Parameters
    ----------
    value : array of n x k
        Weight of each class in each node.
    costs : k x k numbers, optional
        ``costs[true][predicted]``. None: every wrong answer costs 1.

    Returns
    -------
    label : int32 array of n
        The class of least expected cost, the first on a tie.
    risk : float64 array of n
        This cost per unit of weight; 0 for a node without weight.
    """
    value = np.asarray(value, np.float64)
    total = value.sum(axis=1)
    if costs is None:
        expected = total[:, None] - value
    else:
        expected = value @ np.asarray(costs, np.float64)
    least = expected.min(axis=1)
    # Relative to the largest cost, because the least cost can be 0.
    at_stake = expected.max(axis=1)
    label = np.argmax(expected <= (least + _TIE * at_stake)[:, None], axis=1)
    risk = np.zeros_like(total)
    np.divide(least, total, out=risk, where=total > 0)
    return label.astype(np.int32), np.maximum(risk, 0.0)


def restore_row_weights(tree: TreeData) -> TreeData:
    """Return a tree that was grown on altered weights, with the answers of its nodes.

    Parameters
    ----------
    tree : TreeData
        The tree as it was grown: `value` and `weight` are the altered ones.

    Returns
    -------
    TreeData
        `value` and `weight` are those of the rows (adjusted to the priors, if there
        are any), `label` is the class of least expected cost, and `risk` is this
        cost. Impurity and gain do not change, nor does the effective number of rows,
        weight^2 / weight_squared. Without costs, only `label` can change: if classes
        tie except for the rounding of weights, the first class is the answer.
    """
    costs = _costs(tree)
    if costs is None:
        return _with_first_of_ties(tree)
    value = tree.value / cost_factors(costs)
    weight = value.sum(axis=1)
    ratio = np.ones_like(weight)
    np.divide(weight, tree.weight, out=ratio, where=tree.weight > 0)
    label, risk = answer_by_cost(value, costs)
    return with_values(
        tree,
        value=value,
        weight=weight,
        weight_squared=tree.weight_squared * ratio**2,
        label=label,
        risk=risk,
    )


def _with_first_of_ties(tree: TreeData) -> TreeData:
    value = tree.value
    if not tree.is_classifier or (value == np.rint(value)).all():
        return tree
    label = np.where(tree.weight > 0, answer_by_cost(value)[0], tree.label)
    return tree if (label == tree.label).all() else with_values(tree, label=label)


def growth_weight(tree: TreeData) -> NDArray[np.float64]:
    """Return the weight of each node in growing, the unit of its impurity and gain.

    Parameters
    ----------
    tree : TreeData
        A finished tree.

    Returns
    -------
    float64 array of n
        `weight` if there are no costs.
    """
    costs = _costs(tree)
    return tree.weight if costs is None else tree.value @ cost_factors(costs)


def _costs(tree: TreeData) -> tuple[tuple[float, ...], ...] | None:
    target = tree.schema.target
    return None if target is None else target.costs
