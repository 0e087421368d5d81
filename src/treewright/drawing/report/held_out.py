"""Figures of rows that the tree was not grown on, for every node of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.pruning.path import PruningPath
from treewright.reading.answer import answers
from treewright.table.match import MatchedColumns
from treewright.table.table import ClassTarget, Target
from treewright.tree.data import TreeData
from treewright.tree.route import Ends, divides_rows, ends_of

__all__ = ["HeldOut", "held_out", "loss_of"]

_MOST_CELLS = 20_000_000
"""Beyond so many nodes x classes, nodes keep no class weights of held-out rows."""
_MOST_ROUTED = 20_000_000
"""Rows sent down pruned trees, where that is the only way to their error."""


@dataclass(frozen=True)
class HeldOut:
    """What held-out rows say.

    Attributes
    ----------
    n_rows : int
        Rows.
    rows : int array, one entry per node
        Rows that pass the node, or a part of which does.
    weight : float array, one entry per node
        Their weight.
    value : float array of nodes x classes, or nodes x 1
        Weight of each class; or the mean. No classes where there are too many.
    node_error : float array, one entry per node
        Mean loss of the rows that pass, were all answered there.
    error, root_error : float
        Mean loss of the tree's answers, and of the root's for all rows.
    share_explained : float
        R²: 1 - squared error over that of the held-out mean; NaN for classes.
    path_error : float array, one entry per step of the path
        Mean loss of each pruned tree; NaN where it was not worked out.
    confusion : int array of classes x classes, or None
        Rows by true class and answer.
    """

    n_rows: int
    rows: NDArray[np.int64]
    weight: NDArray[np.float64]
    value: NDArray[np.float64]
    node_error: NDArray[np.float64]
    error: float
    root_error: float
    share_explained: float
    path_error: NDArray[np.float64]
    confusion: NDArray[np.int64] | None


def held_out(
    tree: TreeData,
    path: PruningPath,
    columns: MatchedColumns,
    target: Target,
    weights: NDArray[np.float64] | None,
) -> HeldOut:
    """Send held-out rows down a tree and count.

    Parameters
    ----------
    tree : TreeData
        The tree.
    path : PruningPath
        Its pruning path.
    columns, target, weights
        The rows, matched to the tree.

    Returns
    -------
    HeldOut
    """
    n = columns.n_rows
    weight = np.ones(n) if weights is None else weights
    ends = ends_of(tree, columns, n)
    if not isinstance(ends, Ends):
        ends = Ends(n, np.arange(n), ends, np.ones(n))
    part = weight[ends.rows] * ends.shares
    passed = _Passed(tree, ends)
    at_node = passed.total(part)
    counted = (part > 0).astype(np.float64)
    own, root = _losses(tree, target, ends)
    said = answers(tree, ends_of(tree, columns, n))
    explained, confusion = float("nan"), None
    if isinstance(target, ClassTarget):
        value = _class_weights(tree, target, ends, part, passed)
        confusion = _confusion(tree, target, said, weight)
    else:
        value, explained = _means(target.values, ends, part, passed, said, weight)
    error = _mean(loss_of(tree, target, said), weight)
    return HeldOut(
        n,
        np.rint(passed.total(counted)).astype(np.int64),
        at_node,
        value,
        _over(passed.at_nodes(part, own), at_node),
        error,
        _mean(root, weight),
        explained,
        _path_errors(tree, path, columns, target, weight, passed, part, own),
        confusion,
    )


class _Passed:
    """Sums over the rows that pass each node, from where their parts end."""

    def __init__(self, tree: TreeData, ends: Ends) -> None:
        self.tree, self.ends = tree, ends

    def total(self, amounts: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the sum of the amounts that pass each node."""
        nodes = self.ends.nodes
        n = self.tree.n_nodes
        ended = np.bincount(nodes, weights=amounts, minlength=n)
        return self.below(ended.astype(np.float64))

    def below(self, ended: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the sums over subtrees of what ended in each node."""
        before = np.concatenate([[0.0], np.cumsum(ended)])
        first = np.arange(self.tree.n_nodes)
        return np.asarray(before[first + self.tree.subtree_size] - before[first])

    def at_nodes(self, part: NDArray[np.float64], losses: _Losses) -> NDArray[Any]:
        """Return the loss of the rows that pass each node, answered there."""
        return losses.of_nodes(part, self)


class _Losses:
    """The loss of rows at any node, from sums that add up along the tree."""

    def __init__(self, tree: TreeData, target: Target, ends: Ends) -> None:
        self.tree, self.target, self.ends = tree, target, ends

    def of_nodes(self, part: NDArray[np.float64], passed: _Passed) -> NDArray[Any]:
        tree, target = self.tree, self.target
        if isinstance(target, ClassTarget):
            return self._of_classes(part, passed, target)
        own = target.values[self.ends.rows]
        answer = tree.value[:, 0]
        if _criterion(tree) == "poisson":
            total, weight = passed.total(part * own), passed.total(part)
            with np.errstate(all="ignore"):
                log = np.where(own > 0, own * np.log(own) - own, 0.0)
                cost = np.where(answer > 0, total * np.log(answer), np.inf * total)
            constant = passed.total(part * log)
            return np.nan_to_num(constant - cost + weight * answer, nan=0.0)
        # About the root's answer, so that large numbers lose nothing.
        centre = float(answer[0])
        mine, there = own - centre, answer - centre
        weight, total = passed.total(part), passed.total(part * mine)
        squares = passed.total(part * mine**2)
        squared = squares - 2 * there * total + weight * there**2
        return np.maximum(squared, 0.0)

    def _of_classes(
        self, part: NDArray[np.float64], passed: _Passed, target: ClassTarget
    ) -> NDArray[Any]:
        """Sum up class by class, so that no nodes x classes are needed."""
        tree, codes = self.tree, target.codes[self.ends.rows]
        info = tree.schema.target
        costs = None if info is None or info.costs is None else np.array(info.costs)
        loss = np.zeros(tree.n_nodes)
        for k in np.unique(codes).tolist():
            of_class = passed.total(np.where(codes == k, part, 0.0))
            if costs is None:
                loss += np.where(tree.label == k, 0.0, of_class)
            else:
                loss += of_class * costs[k][tree.label]
        return loss


def _losses(
    tree: TreeData, target: Target, ends: Ends
) -> tuple[_Losses, NDArray[np.float64]]:
    root = answers(tree, np.zeros(ends.n_rows, dtype=np.int64))
    return _Losses(tree, target, ends), loss_of(tree, target, root)


def loss_of(tree: TreeData, target: Target, said: NDArray[Any]) -> NDArray[np.float64]:
    """Return the loss of each row's answer: its cost, its squared error or the like."""
    if isinstance(target, ClassTarget):
        info = tree.schema.target
        truth = target.classes[target.codes]
        if info is None or info.costs is None:
            return np.asarray(said != truth, dtype=np.float64)
        code = {label: k for k, label in enumerate(info.classes)}
        answered = np.array([code[label] for label in said.tolist()], dtype=np.intp)
        return np.asarray(np.array(info.costs)[target.codes, answered], np.float64)
    own, answer = target.values, np.asarray(said, np.float64)
    if _criterion(tree) == "absolute_error":
        return np.abs(own - answer)
    if _criterion(tree) == "poisson":
        with np.errstate(all="ignore"):
            log = np.where(own > 0, own * np.log(own / answer), 0.0)
        return np.asarray(log - own + answer)
    return np.asarray((own - answer) ** 2)


def _criterion(tree: TreeData) -> str:
    return tree.criterion.name


def _class_weights(
    tree: TreeData,
    target: ClassTarget,
    ends: Ends,
    part: NDArray[np.float64],
    passed: _Passed,
) -> NDArray[np.float64]:
    k = tree.value.shape[1]
    if tree.n_nodes * k > _MOST_CELLS:
        return np.zeros((tree.n_nodes, 0))
    codes = target.codes[ends.rows]
    columns = [passed.total(np.where(codes == c, part, 0.0)) for c in range(k)]
    # What is left of a sum after a subtraction is nothing at all.
    value = np.stack(columns, axis=1)
    return np.where(value < 1e-9 * max(float(part.sum()), 1e-300), 0.0, value)


def _means(
    values: NDArray[np.float64],
    ends: Ends,
    part: NDArray[np.float64],
    passed: _Passed,
    said: NDArray[Any],
    weight: NDArray[np.float64],
) -> tuple[NDArray[np.float64], float]:
    middle = _mean(values, weight)
    at_node = passed.total(part)
    mean = middle + _over(passed.total(part * (values - middle)[ends.rows]), at_node)
    spread = _mean((values - middle) ** 2, weight)
    left = _mean((values - np.asarray(said, np.float64)) ** 2, weight)
    explained = 1.0 - left / spread if spread > 0 else float("nan")
    return np.where(at_node > 0, mean, np.nan)[:, None], explained


def _confusion(
    tree: TreeData, target: ClassTarget, said: NDArray[Any], weight: NDArray[Any]
) -> NDArray[np.int64] | None:
    k = tree.value.shape[1]
    if k > 12:
        return None
    code = {label: c for c, label in enumerate(target.classes.tolist())}
    counts = np.zeros((k, k), dtype=np.int64)
    answered = np.array([code[label] for label in said.tolist()], dtype=np.intp)
    np.add.at(counts, (target.codes, answered), (weight > 0).astype(np.int64))
    return counts


def _path_errors(
    tree: TreeData,
    path: PruningPath,
    columns: MatchedColumns,
    target: Target,
    weight: NDArray[np.float64],
    passed: _Passed,
    part: NDArray[np.float64],
    losses: _Losses,
) -> NDArray[np.float64]:
    """Return the error of every tree of the path."""
    criterion = _criterion(tree)
    if divides_rows(tree) or criterion == "absolute_error":
        return _by_pruning(tree, path, columns, target, weight)
    # A node answers from the step that folds it until one above it is folded; the
    # rows that stop in an inner node are answered there while it is one.
    n = len(path)
    fold = np.searchsorted(path.alpha, path.collapse_alpha)
    fold[tree.subtree_size == 1] = 0
    above = np.where(tree.parent >= 0, fold[np.maximum(tree.parent, 0)], n)
    answered = losses.of_nodes(part, passed)
    stopped = _stopped(tree, passed, part, losses)
    change = np.zeros(n + 2)
    fold, above = np.minimum(fold, n), np.minimum(above, n)
    there = fold < above
    np.add.at(change, fold[there], answered[there])
    np.add.at(change, above[there], -answered[there])
    inner = tree.subtree_size > 1
    change[0] += stopped[inner].sum()
    np.add.at(change, fold[inner], -stopped[inner])
    total = float(weight.sum())
    return np.asarray(np.maximum(np.cumsum(change)[:n], 0.0) / (total or 1.0))


def _stopped(
    tree: TreeData, passed: _Passed, part: NDArray[np.float64], losses: _Losses
) -> NDArray[np.float64]:
    """Return the loss of the rows that end in each inner node."""
    inner = tree.subtree_size[passed.ends.nodes] > 1
    if not inner.any():
        return np.zeros(tree.n_nodes)
    own = losses.of_nodes(np.where(inner, part, 0.0), _EndedOnly(tree, passed.ends))
    return np.asarray(own)


class _EndedOnly(_Passed):
    """Sums over the rows that end in each node."""

    def below(self, ended: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return what ended in each node itself."""
        return ended


def _by_pruning(
    tree: TreeData,
    path: PruningPath,
    columns: MatchedColumns,
    target: Target,
    weight: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Ask every pruned tree, as many of them as a second or so allows."""
    n = len(path)
    errors = np.full(n, np.nan)
    most = max(_MOST_ROUTED // max(columns.n_rows, 1), 2)
    most = min(most, 10_000_000 // max(tree.n_nodes, 1) + 2, 60)
    steps = np.unique(np.linspace(0, n - 1, min(n, most)).astype(int))
    for step in steps.tolist():
        pruned = path.pruned(step)
        said = answers(pruned, ends_of(pruned, columns, columns.n_rows))
        errors[step] = _mean(loss_of(pruned, target, said), weight)
    return errors


def _mean(values: NDArray[np.float64], weight: NDArray[np.float64]) -> float:
    total = float(weight.sum())
    return float(np.sum(values * weight)) / total if total > 0 else float("nan")


def _over(top: NDArray[np.float64], bottom: NDArray[np.float64]) -> NDArray[Any]:
    out = np.full(len(top), np.nan)
    np.divide(top, bottom, out=out, where=bottom > 0)
    return out
