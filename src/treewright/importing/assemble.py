"""What all imports share: the order of nodes, and the evidence that follows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treewright._version import __version__
from treewright.criteria import Criterion
from treewright.table.schema import Schema
from treewright.tree.data import LEAF, TreeData

__all__ = ["Order", "assemble", "effective_squares", "preorder"]


class Order(NamedTuple):
    """The nodes of a binary tree in preorder.

    Attributes
    ----------
    nodes : int array
        The program's number of each node, in preorder.
    subtree_size : int array
        Number of nodes in the subtree that starts at each of them.
    """

    nodes: NDArray[np.int64]
    subtree_size: NDArray[np.int32]


def preorder(left: Sequence[int], right: Sequence[int], root: int = 0) -> Order:
    """Return the nodes of a binary tree in preorder.

    Parameters
    ----------
    left, right : sequence of int
        The children of each node by the numbers of the program; below 0 at a leaf.
    root : int, default=0
        The number of the root.

    Returns
    -------
    Order
    """
    nodes, waiting = [], [root]
    while waiting:
        node = waiting.pop()
        nodes.append(node)
        if left[node] >= 0:
            waiting += [right[node], left[node]]
    size = dict.fromkeys(nodes, 1)
    for node in reversed(nodes):
        if left[node] >= 0:
            size[node] += size[left[node]] + size[right[node]]
    return Order(np.array(nodes), np.array([size[node] for node in nodes], np.int32))


def effective_squares(
    n_rows: NDArray[np.int64], weight: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the sums of squared weights, as if all rows of a node weighed the same.

    Other programs keep only the number of rows and their weight. By the inequality of
    Cauchy and Schwarz the true sums are not smaller.
    """
    return np.asarray(weight**2 / np.maximum(n_rows, 1))


def assemble(
    schema: Schema,
    criterion: Criterion,
    arrays: Mapping[str, NDArray[Any]],
    note: str,
    extras: Mapping[str, NDArray[Any]] | None = None,
    options: Mapping[str, Any] | None = None,
) -> TreeData:
    """Return a tree, with the evidence that follows from what a program keeps.

    Parameters
    ----------
    schema : Schema
        Columns and target.
    criterion : Criterion
        The criterion of the impurity.
    arrays : mapping of str to array
        The shape, the splits, `n_rows`, `weight`, `value`, `impurity`, `label` and
        `risk` of the nodes, in preorder. For numbers, quartiles are not known, and
        the variance is the impurity if that is the squared error.
    note : str
        Where the tree comes from; `Tree.notes` shows it.
    extras : mapping of str to array, optional
        Further arrays with one entry per node.
    options : mapping, optional
        Options of growing that are known, besides the criterion.

    Returns
    -------
    TreeData
    """
    n = len(arrays["subtree_size"])
    known = {
        "threshold": np.full(n, np.nan),
        "category_start": np.zeros(n + 1, np.int64),
        "categories": np.empty(0, np.int32),
        "category_branch": np.empty(0, np.int32),
        "weight_squared": effective_squares(arrays["n_rows"], arrays["weight"]),
        "stop_reason": np.zeros(n, np.int8),
        "proven": np.ones(n, np.bool_),
        **arrays,
    }
    is_class = schema.target is not None and schema.target.kind == "class"
    if not is_class:
        squared = criterion.name == "squared_error"
        known["variance"] = known["impurity"] if squared else np.full(n, np.nan)
        known["quartiles"] = np.full((n, 3), np.nan)
    size, inner = known["subtree_size"], known["split_kind"] != LEAF
    known["gain"] = _gains(size, inner, known["weight"], known["impurity"])
    known["risk"] = _falling(size, inner, known["weight"], known["risk"])
    made_by = {
        "method": "cart",
        "task": "class" if is_class else "number",
        "options": {"criterion": criterion.name, **(options or {})},
        "version": __version__,
        "notes": (note,),
    }
    return TreeData.from_arrays(known, schema, made_by, extras)


def _below(
    size: NDArray[np.int32], inner: NDArray[np.bool_], amounts: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the amounts of the two children of each inner node, summed."""
    nodes = np.flatnonzero(inner)
    first = nodes + 1
    sums = np.zeros(len(size))
    sums[nodes] = amounts[first] + amounts[first + size[first]]
    return sums


def _gains(
    size: NDArray[np.int32],
    inner: NDArray[np.bool_],
    weight: NDArray[np.float64],
    impurity: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return how far each split lowers the impurity; 0 where rounding gives less."""
    below = _below(size, inner, weight * impurity)
    mean = np.divide(below, weight, out=np.zeros(len(weight)), where=weight > 0)
    with np.errstate(invalid="ignore"):  # the difference of two infinite impurities
        return np.where(inner, np.fmax(impurity - mean, 0.0), 0.0)


def _falling(
    size: NDArray[np.int32],
    inner: NDArray[np.bool_],
    weight: NDArray[np.float64],
    risk: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return risks raised to the mean of the children where rounding left them below.

    Pruning relies on R(t) >= the sum of R over the children.
    """
    risk = risk.astype(np.float64)
    if (_below(size, inner, weight * risk) <= weight * risk).all():
        return risk
    for node in np.flatnonzero(inner)[::-1].tolist():
        first = node + 1
        second = first + size[first]
        below = weight[first] * risk[first] + weight[second] * risk[second]
        if weight[node] > 0:
            risk[node] = max(risk[node], below / weight[node])
    return risk
