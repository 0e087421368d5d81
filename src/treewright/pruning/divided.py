"""Scoring trees that divide rows: the answer of a row is the mean over its parts.

The cost of such a row is not a sum over nodes, because the class of a mean is not the
mean of classes. So each row keeps the mean of its parts' answers, and the mean is
updated where a node is collapsed. That takes O(parts) per step or node, plus the
classes of the parts that change. Trees that do not divide rows are scored in the core,
which climbs the tree once per row.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from treewright.table.table import ClassTarget
from treewright.tree.answer import node_answers
from treewright.tree.costs import answer_by_cost
from treewright.tree.data import TreeData
from treewright.tree.loss import loss_of
from treewright.tree.new_rows import NewRows
from treewright.tree.route import Ends

__all__ = ["divided_at_steps", "divided_cuts"]


class _Mixed:
    """Divided rows: the node that answers each part, the mean answers, the losses."""

    def __init__(self, tree: TreeData, rows: NewRows, ends: Ends) -> None:
        self.tree, self.rows = tree, rows
        self.row, self.share = ends.rows, ends.shares
        self.at = ends.nodes.astype(np.int64)
        self.answers = node_answers(tree)
        self.mix = ends.total(self.answers)
        n = ends.n_rows
        self.weights = np.ones(n) if rows.weights is None else rows.weights
        self.costs = rows.costs(tree)
        self.loss = self.losses(np.arange(n), self.mix)

    def losses(
        self, rows: NDArray[np.int64], mix: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return the loss of each row if its mean answer is `mix`."""
        target = self.rows.target
        if isinstance(target, ClassTarget):
            codes = target.codes[rows]
            label, _ = answer_by_cost(mix, loss_of(self.tree).costs)
            if self.costs is None:
                return np.asarray(codes != label, dtype=np.float64)
            return np.asarray(self.costs[codes, label])
        return loss_of(self.tree).of_numbers(target.values[rows], mix[:, 0])

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
        return rows, mix, self.losses(rows, mix)


def divided_at_steps(
    tree: TreeData,
    rows: NewRows,
    ends: Ends,
    first_step: NDArray[np.int32],
    n_steps: int,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the summed loss and squared loss of divided rows at every step.

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

    Returns
    -------
    loss, squared_loss : float arrays
    """
    mixed = _Mixed(tree, rows, ends)
    parent, weights = tree.parent.astype(np.int64), mixed.weights
    # The step at which the parent of each node collapses; the root has no parent.
    above = np.where(parent >= 0, first_step[np.maximum(parent, 0)], n_steps)
    sums, squares = np.zeros(n_steps), np.zeros(n_steps)
    for step in range(n_steps):
        parts = np.flatnonzero(above[mixed.at] <= step)
        if len(parts):
            to = mixed.at[parts]
            while (climbs := above[to] <= step).any():
                to[climbs] = parent[to[climbs]]
            there, mix, loss = mixed.moved(parts, to)
            mixed.at[parts], mixed.mix[there], mixed.loss[there] = to, mix, loss
        sums[step] = weights @ mixed.loss
        squares[step] = weights @ mixed.loss**2
    return sums, squares


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
    mixed = _Mixed(tree, rows, ends)
    order = np.argsort(mixed.at, kind="stable")
    inner = np.flatnonzero(tree.subtree_size > 1)
    first = np.searchsorted(mixed.at[order], inner)
    last = np.searchsorted(mixed.at[order], inner + tree.subtree_size[inner])
    before = float(mixed.weights @ mixed.loss)
    spare = margin * before
    cut = []
    for i in reversed(range(len(inner))):
        node, parts = inner[i], order[first[i] : last[i]]
        there, mix, loss = mixed.moved(parts, np.full(len(parts), node))
        saved = float(mixed.weights[there] @ (mixed.loss[there] - loss))
        if saved > spare if keep_ties else saved >= -spare:
            cut.append(node)
            mixed.at[parts], mixed.mix[there], mixed.loss[there] = node, mix, loss
    after = float(mixed.weights @ mixed.loss)
    return np.array(cut[::-1], dtype=np.int64), before, after
