"""The invariants that hold between the nodes of every tree, checked on whole arrays.

`TreeData` itself refuses arrays that do not describe a tree. This module compares the
evidence of a node with that of its children. The tests check every tree they grow. An
error names the node, the array and the value seen.
"""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from treewright.errors import TreeFormatError
from treewright.tree.data import ALL_BRANCHES, LEAF, STOP_HERE, TreeData
from treewright.tree.loss import loss_of

__all__ = ["check"]

_ROUNDING = 1e-9
"""Sums that differ by at most this share of their size count as equal."""


def check(tree: TreeData) -> None:
    """Raise TreeFormatError unless every invariant of a tree holds.

    Parameters
    ----------
    tree : TreeData
        The tree to check.

    Raises
    ------
    TreeFormatError
        The message names the node, the array and the value.
    """
    for part in (
        _check_missing_rows,
        _check_class_weights,
        _check_spread,
        _check_costs,
        _check_sums,
        _check_labels,
    ):
        part(tree)


def _fail(node: int, name: str, seen: object, wanted: str) -> NoReturn:
    shown = seen.item() if isinstance(seen, np.generic) else seen
    raise TreeFormatError(f"Node {node}: {name} must be {wanted}; got {shown}.")


def _need(holds: Any, name: str, seen: NDArray[Any], wanted: str) -> None:
    """Fail at the first node for which `holds` is False."""
    if not holds.all():
        node = int(np.argmin(holds))
        _fail(node, name, seen[node], wanted)


def _check_missing_rows(tree: TreeData) -> None:
    """Check that surrogates sent on no more rows than were missing."""
    start = tree.surrogate_start
    node = np.repeat(np.arange(tree.n_nodes), np.diff(start))
    sent = np.bincount(node, weights=tree.surrogate_rows, minlength=tree.n_nodes)
    missing = tree.n_missing
    _need(missing <= tree.n_rows, "n_missing", missing, "at most n_rows")
    _need(sent <= missing, "the sum of surrogate_rows", sent, "at most n_missing")


def _check_class_weights(tree: TreeData) -> None:
    if tree.is_classifier:
        total = tree.value.sum(axis=1)
        ok = np.abs(total - tree.weight) <= _ROUNDING * tree.weight
        _need(ok, "the sum of the class weights", total, "the weight of the node")


def _check_spread(tree: TreeData) -> None:
    if not tree.is_classifier:
        # NaN: not known, in a tree of another program.
        variance, quartiles = tree.variance, tree.quartiles
        _need(~(variance < 0), "variance", variance, "a number >= 0")
        ok = (np.diff(quartiles, axis=1) >= 0).all(axis=1)
        ok |= np.isnan(quartiles).all(axis=1)
        _need(ok, "quartiles", quartiles, "ascending")


def _check_costs(tree: TreeData) -> None:
    """Check that R(t) is at least the sum of R over the children."""
    below = _sum_of_children(tree, tree.weighted_risk)
    allowed = tree.weighted_risk * (1 + _ROUNDING) + _ROUNDING * 1e-6
    wanted = f"at most that of the node, {_ROUNDING:g} of it for rounding"
    _need(below <= allowed, "R(t) summed over its children", below, wanted)


def _check_sums(tree: TreeData) -> None:
    """Check that the rows and weights of children add up to those of their parent."""
    inner = tree.split_kind != LEAF
    stops = tree.missing_route == STOP_HERE
    weight = _sum_of_children(tree, tree.weight)
    spare = _ROUNDING * tree.weight
    ok = ~inner | (weight <= tree.weight + spare)
    ok &= ~inner | stops | (weight >= tree.weight - spare)
    _need(ok, "the weight of its children", weight, "its own in total")
    # A row that goes down several branches is counted in each of them.
    once = inner & (tree.missing_route != ALL_BRANCHES)
    rows = _sum_of_children(tree, tree.n_rows)
    ok = ~once | (rows <= tree.n_rows) & (stops | (rows == tree.n_rows))
    _need(ok, "n_rows of its children", rows, "its own in total")


def _check_labels(tree: TreeData) -> None:
    """Check that each label has the least expected cost by the node's answer."""
    if not tree.is_classifier or not len(tree.answer):
        return
    costs = loss_of(tree).costs
    expected = tree.answer @ costs if costs is not None else 1.0 - tree.answer
    own = expected[np.arange(tree.n_nodes), tree.label]
    spare = _ROUNDING * expected.max(axis=1)
    ok = own <= expected.min(axis=1) + spare
    _need(ok, "label", tree.label, "the class of least expected cost by its answer")


def _sum_of_children(tree: TreeData, array: NDArray[Any]) -> NDArray[Any]:
    """Sum over the children of every node; 0 at a leaf."""
    sums = np.bincount(tree.parent[1:], weights=array[1:], minlength=tree.n_nodes)
    return sums.astype(array.dtype)
