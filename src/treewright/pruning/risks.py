"""The risk of every node of a tree, as whole numbers, so that ties are exact.

There are three risks. 'error' is the cost of the answers: misclassified weight or
costs, squared error, absolute deviation or half the deviance. 'impurity' is the
criterion by which the tree was grown; scikit-learn prunes by it. 'mixed', for classes,
is errors + 0.2 x log-loss of the shares: by errors alone, a split that changes no label
is worth nothing. All three follow from the evidence of the nodes, not from answers that
were drawn towards other nodes.

Rows that stop at an inner node (missing values, in some trees) keep the answer of that
node, whatever is pruned below it. So R(T_t) is the sum over the leaves plus the cost of
the rows that stop on the way.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treewright.criteria.misclassification import Misclassification
from treewright.errors import OptionError, did_you_mean
from treewright.table.costs import cost_factors
from treewright.tree.answer import plain_answers
from treewright.tree.costs import answer_by_cost, growth_weight
from treewright.tree.data import STOP_HERE, TreeData
from treewright.tree.loss import class_criterion, error_unit, loss_of, number_criterion

__all__ = [
    "LOG_WEIGHT",
    "RISKS",
    "NodeRisks",
    "check_risk",
    "node_risks",
    "stops",
]

RISKS = ("error", "impurity", "mixed")
LOG_WEIGHT = 0.2
"""Weight of the log-loss (in nats) beside errors, in 'mixed' and in scores of sizes."""

_WHOLE = 1e-9  # a count recovered from a sum of equal weights is this close to whole
_BITS = 61  # bits of the largest risk, where risks are not counts
_SAME_SHARE = 1e-10  # where risks are rounded, alphas within this share are equal
_SAME = 1e-15  # ... and so are alphas that differ by this share of the root's risk
_ROUNDING = 2.0**-52  # rounding error of a weight, as a share of the total
_MOST_EXPONENT = 900


class NodeRisks(NamedTuple):
    """The cost of each node in whole units."""

    own: NDArray[np.int64]
    """The cost of all rows of the node if it is a leaf."""
    stopped: NDArray[np.int64]
    """The cost of the rows that end in an inner node; 0 at leaves."""
    total: float
    """The total weight in units; a cost of `total` is a risk of 1."""
    slack: float
    """Alphas that differ by less than this are equal; 0 if the risks are exact."""
    share: float
    """Alphas that differ by less than this share of themselves are equal too."""

    @property
    def weighted(self) -> NDArray[np.float64]:
        """R(t) of every node, a share of the total weight."""
        return self.own / self.total


def check_risk(risk: object, name: str = "risk") -> str:
    """Return the risk; refuse anything but 'error', 'impurity' and 'mixed'."""
    if isinstance(risk, str) and risk in RISKS:
        return risk
    hint = did_you_mean(risk, RISKS)
    raise OptionError(
        f"{name} must be 'error', 'impurity' or 'mixed'; got {risk!r}.{hint}"
    )


def node_risks(tree: TreeData, risk: str = "error") -> NodeRisks:
    """Return the cost of every node in whole units.

    Parameters
    ----------
    tree : TreeData
        A tree of any shape.
    risk : {'error', 'impurity', 'mixed'}, default='error'
        What counts as cost; 'mixed' is for classes only.

    Returns
    -------
    NodeRisks
        For classes without costs, or with costs that are whole numbers, the unit is
        that of the weights, and the risks are exact except for the rounding of weights
        that are not whole. Otherwise the unit is 2^-61 of the largest risk.
    """
    is_error = risk == "error" or isinstance(tree.criterion, Misclassification)
    if tree.is_classifier and is_error and risk != "mixed":
        return _class_risks(tree)
    if risk == "mixed":
        return _mixed_risks(tree)
    # Impurity is per unit of the weight that the tree grew on.
    weight = tree.weight if risk == "error" else growth_weight(tree)
    per_weight = tree.risk if risk == "error" else tree.impurity
    stopped = np.zeros(tree.n_nodes)
    stopping = stops(tree)
    if stopping.any():
        stopped[stopping] = _stopped_cost(tree)[stopping]
    return _rounded(weight, weight * per_weight, stopped)


def stops(tree: TreeData) -> NDArray[np.bool_]:
    """Return the inner nodes at which rows can stop."""
    return np.asarray((tree.missing_route == STOP_HERE) & (tree.subtree_size > 1))


def _class_risks(tree: TreeData) -> NodeRisks:
    costs, label = loss_of(tree).costs, _labels(tree)
    units = _class_units(tree)
    whole_costs = costs is None or bool((costs == np.rint(costs)).all())
    exact = units is not None and whole_costs
    if units is not None and exact and costs is not None:
        exact = float(units[0].sum()) * float(costs.max()) < 2.0**61
    # Each weight was rounded to a unit, so ties in thirds of a row are inexact.
    dearest = 1.0 if costs is None else float(costs.max())
    slack = float(tree.n_rows[0]) * _ROUNDING * dearest
    if units is None or not exact:
        stopped = np.zeros(tree.n_nodes)
        stopping = stops(tree)
        if stopping.any():
            rest = np.maximum(_rest(tree, tree.value), 0.0)
            stopped[stopping] = _cost_of(rest, label, costs)[stopping]
        own = _cost_of(tree.value, label, costs)
        rounded = _rounded(tree.weight, own, stopped)
        return rounded._replace(slack=max(rounded.slack, slack))
    whole = None if costs is None else costs.astype(np.int64)
    own = _cost_of(units, label, whole)
    stopped_units = np.zeros(tree.n_nodes, dtype=np.int64)
    stopping = stops(tree)
    if stopping.any():
        stopped_units[stopping] = _cost_of(_rest(tree, units), label, whole)[stopping]
    total = float(units[0].sum())
    if _are_whole(tree.value) or _counts(tree) is not None:
        return NodeRisks(own, stopped_units, total, 0.0, 0.0)
    return NodeRisks(own, stopped_units, total, slack, _SAME_SHARE)


def _mixed_risks(tree: TreeData) -> NodeRisks:
    """Return errors + 0.2 W H, with H in nats; an error counts as its mean cost."""
    if not tree.is_classifier:
        raise OptionError(
            "The risk 'mixed' adds log-loss to the errors of classes, but this tree "
            "predicts numbers. Use 'error' or 'impurity'."
        )
    costs, label = loss_of(tree).costs, _labels(tree)
    price = LOG_WEIGHT * error_unit(tree)
    nats = -np.log(np.where(tree.value > 0, plain_answers(tree), 1.0))

    def cost(weights: NDArray[np.float64]) -> NDArray[np.float64]:
        wrong = _cost_of(weights, label, costs)
        return np.asarray(wrong + price * (weights * nats).sum(axis=1))

    stopped = np.zeros(tree.n_nodes)
    stopping = stops(tree)
    if stopping.any():
        stopped[stopping] = cost(np.maximum(_rest(tree, tree.value), 0.0))[stopping]
    return _rounded(tree.weight, cost(tree.value), stopped)


def _labels(tree: TreeData) -> NDArray[np.int32]:
    """Return the class of least cost by the evidence of each node."""
    if not len(tree.answer):
        return tree.label
    return answer_by_cost(tree.value, loss_of(tree).costs)[0]


def _class_units(tree: TreeData) -> NDArray[np.int64] | None:
    """Return the class weights as whole numbers of units; None if they are not whole.

    Weights that are all equal give counts. Other weights are multiples of a power of
    two of at least 2^-52 of the total: see core/include/treewright/target.hpp.
    """
    counts = _counts(tree)
    if counts is not None:
        return counts
    units = np.ldexp(tree.value, 52 - math.frexp(float(tree.weight[0]))[1])
    return units.astype(np.int64) if _are_whole(units) else None


def _counts(tree: TreeData) -> NDArray[np.int64] | None:
    """Return the number of rows of each class, or None if their weights differ."""
    total = float(tree.weight[0])
    if not total > 0:
        return np.zeros(tree.value.shape, dtype=np.int64)
    counts = tree.value / (total / max(int(tree.n_rows[0]), 1))
    near = np.rint(counts)
    same = np.abs(counts - near) <= _WHOLE * np.maximum(counts, 1.0)
    return near.astype(np.int64) if same.all() else None


def _are_whole(values: NDArray[np.float64]) -> bool:
    return bool((values == np.rint(values)).all())


def _cost_of(
    weights: NDArray[Any], label: NDArray[np.int32], costs: NDArray[Any] | None
) -> NDArray[Any]:
    """Return the cost of the answer `label` for rows of these class weights."""
    if costs is None:
        wrong: NDArray[Any] = weights.sum(axis=1)
        wrong -= np.take_along_axis(weights, label[:, None].astype(np.intp), axis=1)[
            :, 0
        ]
        return wrong
    return np.asarray((weights * costs.T[label]).sum(axis=1))


def _rest(tree: TreeData, array: NDArray[Any]) -> NDArray[Any]:
    """Return each node's value minus its children's: the part of rows that stop."""
    below = np.zeros_like(array)
    np.add.at(below, tree.parent[1:], array[1:])
    return np.asarray(array - below)


def _stopped_cost(tree: TreeData) -> NDArray[np.float64]:
    """Return the cost of the rows that stop at each node.

    As a leaf, a node costs W r(t). Of this, the rows of each child c cost W_c r(c) plus
    what the worse answer adds. The rest is the cost of the rows that stop.
    """
    if tree.is_classifier:
        return _stopped_impurity(tree)
    weight, mean = tree.weight, tree.in_units(tree.value[:, 0])
    criterion = number_criterion(tree)
    if not criterion.is_bregman:
        # A median does not determine the cost of a subset: use the node's mean risk.
        return np.asarray(np.maximum(_rest(tree, weight), 0.0) * tree.risk)
    parent = tree.parent[1:]
    added = criterion.loss(mean[1:], mean[parent])
    below = np.bincount(
        parent, weights=weight[1:] * (tree.risk[1:] + added), minlength=tree.n_nodes
    )
    return np.maximum(weight * tree.risk - below, 0.0)


def _stopped_impurity(tree: TreeData) -> NDArray[np.float64]:
    """Return the same for impurities, in which the class shares set a row's cost."""
    value = tree.value
    if tree.schema.target is not None and tree.schema.target.costs is not None:
        value = value * cost_factors(tree.schema.target.costs)
    rest = np.maximum(_rest(tree, value), 0.0)
    total = value.sum(axis=1, keepdims=True)
    shares = value / np.where(total > 0, total, 1.0)
    return np.asarray((rest * class_criterion(tree).of_row(shares)).sum(axis=1))


def _rounded(
    weight: NDArray[np.float64],
    own: NDArray[np.float64],
    stopped: NDArray[np.float64],
) -> NodeRisks:
    """Return the risks as whole numbers of 61 bits, with a tolerance for ties."""
    own = np.nan_to_num(own, posinf=np.finfo(np.float64).max)
    largest = float(own.max())
    exponent = min(_BITS - math.frexp(largest)[1], _MOST_EXPONENT) if largest else 0
    total = float(weight[0])
    return NodeRisks(
        np.rint(np.ldexp(own, exponent)).astype(np.int64),
        np.rint(np.ldexp(stopped, exponent)).astype(np.int64),
        math.ldexp(total, exponent),
        _SAME * float(own[0]) / total if total > 0 else 0.0,
        _SAME_SHARE,
    )
