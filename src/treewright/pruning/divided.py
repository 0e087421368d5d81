"""Scoring trees that divide rows: the answer of a row is the mean over its parts.

The cost of such a row is not a sum over nodes, because the class of a mean is not the
mean of classes. So each row keeps the mean of its parts' answers, and the mean is
updated where a node is collapsed. That takes O(parts) per step or node, plus the
classes of the parts that change. Trees that do not divide rows are scored in the core,
which climbs the tree once per row.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from treewright.table.table import ClassTarget
from treewright.tree.answer import node_answers
from treewright.tree.costs import answer_by_cost
from treewright.tree.data import TreeData
from treewright.tree.loss import loss_of
from treewright.tree.new_rows import NewRows
from treewright.tree.route import Ends

__all__ = ["Measure", "divided_at_steps", "divided_cuts", "plain_loss"]


Measure: TypeAlias = Callable[
    [NDArray[np.int64], NDArray[np.float64]], NDArray[np.float64]
]
"""Returns some losses (columns) of these rows if their mean answers are those given."""


def plain_loss(tree: TreeData, rows: NewRows) -> Measure:
    """Return the measure of the loss of a tree, as one column."""
    costs, target = rows.costs(tree), rows.target

    def measure(at: NDArray[np.int64], mix: NDArray[np.float64]) -> NDArray[np.float64]:
        if not isinstance(target, ClassTarget):
            return loss_of(tree).of_numbers(target.values[at], mix[:, 0])[:, None]
        codes = target.codes[at]
        label, _ = answer_by_cost(mix, loss_of(tree).costs)
        wrong = codes != label if costs is None else costs[codes, label]
        return np.asarray(wrong, dtype=np.float64)[:, None]

    return measure


class _Mixed:
    """Divided rows: the node that answers each part, the mean answers, the losses."""

    def __init__(
        self,
        rows: NewRows,
        ends: Ends,
        answers: NDArray[np.float64],
        measure: Measure,
    ) -> None:
        self.row, self.share = ends.rows, ends.shares
        self.at = ends.nodes.astype(np.int64)
        self.answers, self.measure = answers, measure
        self.mix = ends.total(answers)
        self.weights = rows.own_weights
        self.loss = measure(np.arange(ends.n_rows), self.mix)

    def moved(
        self, parts: NDArray[np.int64], to: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
        """Return the rows of some parts as if the nodes `to` answered these parts.

        Returns
        -------
        rows, mix, loss
        """
        change = self.answers[to] - self.answers[self.at[parts]]
        change = change * self.share[parts][:, None]
        rows, number = np.unique(self.row[parts], return_inverse=True)
        mix = self.mix[rows]
        np.add.at(mix, number, change)
        return rows, mix, self.measure(rows, mix)


def divided_at_steps(
    tree: TreeData,
    rows: NewRows,
    ends: Ends,
    first_step: NDArray[np.int32],
    n_steps: int,
    answers: NDArray[np.float64],
    measure: Measure,
) -> NDArray[np.float64]:
    """Return the summed losses of divided rows at every step.

    Parameters
    ----------
    tree : TreeData
        A tree that divides rows.
    rows : NewRows
        The rows.
    ends : Ends
        The nodes in which their parts end.
    first_step : int array
        For each inner node, the first step that collapses it.
    n_steps : int
        Number of steps.
    answers : float array of nodes x classes, or x 1
        What each node answers.
    measure : callable
        The losses to sum.

    Returns
    -------
    float array of losses x steps
    """
    mixed = _Mixed(rows, ends, answers, measure)
    parent, weights = tree.parent.astype(np.int64), mixed.weights
    # The step at which the parent of each node collapses; the root has no parent.
    above = np.where(parent >= 0, first_step[np.maximum(parent, 0)], n_steps)
    sums = np.zeros((mixed.loss.shape[1], n_steps))
    for step in range(n_steps):
        parts = np.flatnonzero(above[mixed.at] <= step)
        if len(parts):
            to = mixed.at[parts]
            while (climbs := above[to] <= step).any():
                to[climbs] = parent[to[climbs]]
            there, mix, loss = mixed.moved(parts, to)
            mixed.at[parts], mixed.mix[there], mixed.loss[there] = to, mix, loss
        sums[:, step] = weights @ mixed.loss
    return sums


def divided_cuts(
    tree: TreeData, rows: NewRows, ends: Ends, *, margin: float, keep_ties: bool
) -> tuple[NDArray[np.int64], float, float]:
    """Return the nodes that reduced-error pruning collapses, children first.

    Parameters
    ----------
    tree : TreeData
        A tree that divides rows.
    rows : NewRows
        The validation rows.
    ends : Ends
        The nodes in which their parts end.
    margin : float
        Sums of losses that differ by at most this share are equal.
    keep_ties : bool
        Collapse a node only where this reduces the loss.

    Returns
    -------
    nodes : int array
        The nodes to collapse. Each is decided on the tree that the decisions so far
        have left.
    before, after : float
        Summed loss of the rows.
    """
    mixed = _Mixed(rows, ends, node_answers(tree), plain_loss(tree, rows))
    order = np.argsort(mixed.at, kind="stable")
    inner = np.flatnonzero(tree.subtree_size > 1)
    first = np.searchsorted(mixed.at[order], inner)
    last = np.searchsorted(mixed.at[order], inner + tree.subtree_size[inner])
    before = float(mixed.weights @ mixed.loss[:, 0])
    spare = margin * before
    cut = []
    for i in reversed(range(len(inner))):
        node, parts = inner[i], order[first[i] : last[i]]
        there, mix, loss = mixed.moved(parts, np.full(len(parts), node))
        saved = float(mixed.weights[there] @ (mixed.loss[there] - loss)[:, 0])
        if saved > spare if keep_ties else saved >= -spare:
            cut.append(node)
            mixed.at[parts], mixed.mix[there], mixed.loss[there] = node, mix, loss
    after = float(mixed.weights @ mixed.loss[:, 0])
    return np.array(cut[::-1], dtype=np.int64), before, after
