"""Keep the splits of a tree and recompute its statistics from other rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.criteria import NumberCriterion
from treewright.criteria.squared_error import SquaredError
from treewright.table.costs import cost_factors
from treewright.table.table import ClassTarget, NumericTarget, Target
from treewright.tree.costs import answer_by_cost, growth_weight
from treewright.tree.data import TreeData
from treewright.tree.edit import with_values
from treewright.tree.loss import (
    class_criterion,
    loss_by_node,
    loss_of,
    number_criterion,
)
from treewright.tree.route import Ends, decision_path

__all__ = ["refit_tree"]

_PLAIN = np.empty((0, 0))
"""No answers apart from the evidence."""


def refit_tree(
    tree: TreeData,
    nodes: NDArray[np.int32] | Ends,
    target: Target,
    weights: NDArray[np.float64] | None,
) -> TreeData:
    """Return the tree with counts, weights, values and risks from other rows.

    Parameters
    ----------
    tree : TreeData
        The structure, the splits and the stop reasons; it is not changed.
    nodes : int array, or Ends
        The node in which each row ends, or the parts of each row. A divided row counts
        by its share in every node that it reaches.
    target : ClassTarget or NumericTarget
        The target of the rows, with classes numbered as in the tree.
    weights : float array or None
        The weights of the rows, not altered by costs.

    Returns
    -------
    TreeData
        A node that no row reaches has weight 0 and the answer of its parent.
    """
    if isinstance(nodes, Ends):
        return _refit_divided(tree, nodes, target, weights)
    n = tree.n_nodes
    own = np.ones(len(nodes)) if weights is None else weights
    present = own > 0
    counts = np.bincount(nodes[present], minlength=n).astype(np.float64)
    weight = np.bincount(nodes, weights=own, minlength=n)
    squared = np.bincount(nodes, weights=own**2, minlength=n)
    sums = _summed_up(tree, np.stack([counts, weight, squared], axis=1))
    common = {
        "n_rows": np.rint(sums[:, 0]).astype(np.int64),
        "weight": sums[:, 1],
        "weight_squared": sums[:, 2],
    }
    if isinstance(target, ClassTarget):
        specific = _of_classes(tree, nodes, target, own)
    else:
        # The variance of numbers near the limit of float64 overflows to infinity.
        with np.errstate(over="ignore", invalid="ignore"):
            y = tree.in_units(target.values)
            specific = _of_numbers(tree, nodes, y, own, sums[:, 1])
    refitted = with_values(tree, **common, **specific, answer=_PLAIN)
    gain = _gain(tree, growth_weight(refitted), refitted.impurity)
    return with_values(refitted, gain=gain)


def _refit_divided(
    tree: TreeData, ends: Ends, target: Target, weights: NDArray[np.float64] | None
) -> TreeData:
    """Return the tree with the statistics of rows that are divided among branches."""
    from scipy.sparse import csr_matrix

    own = np.ones(ends.n_rows) if weights is None else weights
    parts: Target
    if isinstance(target, ClassTarget):
        parts = ClassTarget(target.codes[ends.rows], target.classes, target.name)
    else:
        parts = NumericTarget(target.values[ends.rows], target.name)
    refitted = refit_tree(tree, ends.nodes, parts, own[ends.rows] * ends.shares)
    # All parts of a row in one node count there as one row with the sum of the shares.
    n = len(ends.nodes)
    places = (ends.rows, np.arange(n))
    shares = csr_matrix((ends.shares, places), (ends.n_rows, n))
    inside = (shares @ decision_path(tree, ends.nodes)).tocsr()
    here = np.repeat(own, np.diff(inside.indptr)) * inside.data
    at, n_nodes = inside.indices, tree.n_nodes
    return with_values(
        refitted,
        n_rows=np.bincount(at[here > 0], minlength=n_nodes),
        weight_squared=np.bincount(at, here**2, minlength=n_nodes),
    )


def _levels(tree: TreeData) -> list[NDArray[np.int64]]:
    """Return the nodes of each depth, deepest first, without the root."""
    order = np.argsort(tree.depth, kind="stable")
    ends = np.cumsum(np.bincount(tree.depth))
    return np.split(order, ends[:-1])[:0:-1]


def _summed_up(tree: TreeData, ended: NDArray[Any]) -> NDArray[np.float64]:
    """Add the sums of the rows that end in each node to all its ancestors."""
    sums: NDArray[np.float64] = ended.astype(np.float64)
    for level in _levels(tree):
        np.add.at(sums, tree.parent[level], sums[level])
    return sums


def _inherited(
    tree: TreeData, values: NDArray[Any], known: NDArray[np.bool_]
) -> NDArray[Any]:
    """Give each node without rows the value of its parent."""
    if known.all():
        return values
    values = values.copy()
    for level in reversed(_levels(tree)):
        empty = level[~known[level]]
        values[empty] = values[tree.parent[empty]]
    return values


def _of_classes(
    tree: TreeData,
    nodes: NDArray[np.int32],
    target: ClassTarget,
    own: NDArray[np.float64],
) -> dict[str, NDArray[Any]]:
    n, k = tree.value.shape
    cell = nodes.astype(np.int64) * k + target.codes
    value = _summed_up(tree, np.bincount(cell, own, minlength=n * k).reshape(n, k))
    total = value.sum(axis=1)
    known = total > 0
    shares = value / np.where(known, total, 1.0)[:, None]
    criterion, costs = class_criterion(tree), loss_of(tree).costs
    label, risk = answer_by_cost(value, costs)
    if costs is not None:  # the impurity is that of the growing weights
        altered = value * cost_factors(costs)
        shares = altered / np.where(known, altered.sum(axis=1), 1.0)[:, None]
    return {
        "value": value,
        "label": _inherited(tree, label, known),
        "risk": np.where(known, risk, 0.0),
        "impurity": np.where(known, criterion.of_shares(shares), 0.0),
    }


def _of_numbers(
    tree: TreeData,
    nodes: NDArray[np.int32],
    y: NDArray[np.float64],
    own: NDArray[np.float64],
    weight: NDArray[np.float64],
) -> dict[str, NDArray[Any]]:
    n = tree.n_nodes
    known = weight > 0
    size = np.where(known, weight, 1.0)
    criterion = number_criterion(tree)
    sums = _summed_up(tree, np.bincount(nodes, own * y, minlength=n)[:, None])[:, 0]
    mean = _inherited(tree, sums / size, known)
    quartiles, deviation = _quartiles(tree, nodes, y, own)
    quartiles = _inherited(tree, quartiles, known)
    variance = _mean_loss(tree, nodes, y, own, weight, mean, SquaredError())
    answer, risk = mean, variance
    if criterion.answer == "median":
        answer, risk = quartiles[:, 1], deviation
    elif not criterion.is_bregman:
        values, answers = tree.from_units(y), tree.from_units(mean)
        risk = loss_by_node(tree, nodes, values, own, answers) / size
    elif not isinstance(criterion, SquaredError):
        risk = _mean_loss(tree, nodes, y, own, weight, mean, criterion)
    return {
        "value": tree.from_units(answer[:, None]),
        "variance": variance,
        "quartiles": tree.from_units(quartiles),
        "impurity": risk,
        "risk": risk,
    }


def _mean_loss(
    tree: TreeData,
    nodes: NDArray[np.int32],
    y: NDArray[np.float64],
    own: NDArray[np.float64],
    weight: NDArray[np.float64],
    mean: NDArray[np.float64],
    criterion: NumberCriterion,
) -> NDArray[np.float64]:
    """Return the mean loss of the rows of each node about the node's mean.

    The loss about the parent's mean is the loss about the node's own mean plus the
    loss between the two means (see `NumberCriterion.is_bregman`). The sums therefore
    only add, and nothing cancels.
    """
    n = tree.n_nodes
    total = np.bincount(nodes, own * criterion.loss(y, mean[nodes]), minlength=n)
    for level in _levels(tree):
        above = tree.parent[level]
        moved = weight[level] * criterion.loss(mean[level], mean[above])
        np.add.at(total, above, total[level] + moved)
    return np.asarray(total / np.where(weight > 0, weight, 1.0))


def _quartiles(
    tree: TreeData,
    nodes: NDArray[np.int32],
    y: NDArray[np.float64],
    own: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return each node's weighted quartiles and mean distance from the median."""
    found = np.zeros((tree.n_nodes, 3))
    deviation = np.zeros(tree.n_nodes)
    order = np.argsort(y, kind="stable")
    order = order[own[order] > 0]
    at, y, own = nodes[order].astype(np.int64), y[order], own[order]
    for depth in range(int(tree.depth.max()), -1, -1):
        here = tree.depth[at] == depth
        rows = np.flatnonzero(here)
        rows = rows[np.argsort(at[rows], kind="stable")]
        if len(rows):
            _level_quartiles(at[rows], y[rows], own[rows], found, deviation)
        at = np.where(here & (at > 0), tree.parent[at], at)
    return found, deviation


def _level_quartiles(
    node: NDArray[np.int64],
    y: NDArray[np.float64],
    own: NDArray[np.float64],
    found: NDArray[np.float64],
    deviation: NDArray[np.float64],
) -> None:
    """Fill in the nodes of one level; the rows are sorted by node, then by y."""
    start = np.flatnonzero(np.concatenate([[True], node[1:] != node[:-1]]))
    end = np.append(start[1:], len(node))
    reached = np.cumsum(own)
    before = reached[start] - own[start]
    total = reached[end - 1] - before
    for q, share in enumerate((0.25, 0.5, 0.75)):
        wanted = before + share * total
        spare = 1e-12 * total
        first = np.searchsorted(reached, wanted - spare)
        first = np.clip(first, start, end - 1)
        # On an exact hit, take the mean of this value and the next larger one.
        exact = reached[first] <= wanted + spare
        after = np.minimum(np.where(exact, first + 1, first), end - 1)
        found[node[start], q] = y[first] / 2 + y[after] / 2
    distance = np.abs(y - np.repeat(found[node[start], 1], end - start))
    deviation[node[start]] = np.add.reduceat(own * distance, start) / total


def _gain(
    tree: TreeData, weight: NDArray[np.float64], impurity: NDArray[np.float64]
) -> NDArray[np.float64]:
    gain = np.zeros(tree.n_nodes)
    if tree.n_nodes > 1:
        below = np.bincount(
            tree.parent[1:], weight[1:] * impurity[1:], minlength=tree.n_nodes
        )
        inner = (tree.subtree_size > 1) & (weight > 0)
        with np.errstate(invalid="ignore"):
            gain[inner] = impurity[inner] - below[inner] / weight[inner]
    return np.maximum(np.nan_to_num(gain, nan=0.0, posinf=np.inf), 0.0)
