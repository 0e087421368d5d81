"""What a node answers, and at what cost, when wrong answers differ in cost.

A tree with costs grows on altered weights (see `table.costs`). `settle_costs` turns
its class weights back into those of the rows and lets every node answer the class of
least expected cost; `answer_by_cost` does the latter for any class weights.
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

__all__ = ["answer_by_cost", "cost_matrix", "growth_weight", "settle_costs"]

_TIE = 1e-12
"""Costs that differ by this share are equal, and the first class is answered."""


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
        That cost per unit of weight; 0 where there is no weight.
    """
    value = np.asarray(value, np.float64)
    total = value.sum(axis=1)
    if costs is None:
        expected = total[:, None] - value
    else:
        expected = value @ np.asarray(costs, np.float64)
    least = expected.min(axis=1)
    # Relative to all that is at stake, since nothing is left of a cost of 0.
    at_stake = expected.max(axis=1)
    label = np.argmax(expected <= (least + _TIE * at_stake)[:, None], axis=1)
    risk = np.zeros_like(total)
    np.divide(least, total, out=risk, where=total > 0)
    return label.astype(np.int32), np.maximum(risk, 0.0)


def settle_costs(tree: TreeData) -> TreeData:
    """Return a tree as grown on altered weights with what its nodes answer.

    Parameters
    ----------
    tree : TreeData
        As growing leaves it: `value` and `weight` are the altered ones.

    Returns
    -------
    TreeData
        `value` and `weight` are those of the rows (with priors: adjusted to them),
        `label` is the class of least expected cost and `risk` that cost. Impurity
        and gain stay those of growing, and so does the effective number of rows,
        weight^2 / weight_squared. Without costs only `label` is looked at: what
        ties but for the rounding of weights is answered by the first class.
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


def cost_matrix(tree: TreeData) -> NDArray[np.float64] | None:
    """Return the cost of each answer (column) to each class (row); None: 0 and 1."""
    costs = _costs(tree)
    return None if costs is None else np.array(costs, dtype=np.float64)


def growth_weight(tree: TreeData) -> NDArray[np.float64]:
    """Return the weight that each node had in growing: impurity and gain are per it.

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
