"""C4.5's pruning with subtree raising: a node may give way to its largest branch.

The rows of the other branches are then sent down that branch, so this needs the
training rows. Rows with a missing value go down every branch in proportion to the
known rows there, where the tree says so.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from treewright.pruning.pessimistic import AS_GOOD, SAVES_NOTHING, ErrorCosts
from treewright.pruning.refit import refit_tree
from treewright.table.costs import cost_factors
from treewright.table.table import ClassTarget, Table
from treewright.tree.costs import growth_weight
from treewright.tree.data import ALL_BRANCHES, TreeData
from treewright.tree.edit import rearrange, with_values
from treewright.tree.route import branches_at
from treewright.tree.walk import children

__all__ = ["raise_subtrees"]


class _Rows(NamedTuple):
    """Rows in a node, and the weight with which each is there."""

    row: NDArray[np.int64]
    weight: NDArray[np.float64]


def raise_subtrees(tree: TreeData, table: Table, confidence: float) -> TreeData:
    """Prune bottom up: to a leaf, or to the largest branch, where that is as good.

    Parameters
    ----------
    tree : TreeData
        A tree that answers classes.
    table : Table
        The rows it was grown on.
    confidence : float
        Of the bound.

    Returns
    -------
    TreeData
    """
    return _Pruner(tree, table, confidence).pruned()


class _Pruner:
    """A tree that changes: node i has the split of source[i], the branches kids[i]."""

    def __init__(self, tree: TreeData, table: Table, confidence: float) -> None:
        assert isinstance(table.target, ClassTarget)
        self.tree, self.errors = tree, ErrorCosts(tree, confidence)
        self.codes = table.target.codes
        self.columns = [column.data for column in table.columns]
        self.k = tree.value.shape[1]
        # Rows are divided by the weights to grow by, and counted without costs.
        costs = tree.schema.target.costs if tree.schema.target else None
        self.unit = np.ones(self.k) if costs is None else 1.0 / cost_factors(costs)
        self.source = list(range(tree.n_nodes))
        self.kids = [list(children(tree, node)) for node in range(tree.n_nodes)]
        self.rows: list[_Rows] = [_Rows(*_nothing())] * tree.n_nodes
        self.stopped = [0.0] * tree.n_nodes
        self.bound = [0.0] * tree.n_nodes
        every = np.arange(table.n_rows)
        weights = np.ones(table.n_rows) if table.weights is None else table.weights
        there = weights > 0
        self._send(0, _Rows(every[there], weights[there]))

    def pruned(self) -> TreeData:
        """Return the pruned tree, with the evidence of its own rows."""
        self._collapse()
        self._prune()
        return self._made()

    # -- pruning ------------------------------------------------------------------

    def _collapse(self) -> None:
        """Make a leaf of what saves no training error."""
        errors = [0.0] * len(self.kids)
        for node in reversed(self._preorder(0)):
            errors[node] = as_leaf = self._errors(self.rows[node])
            if self.kids[node]:
                below = sum(errors[kid] for kid in self.kids[node])
                below += self._errors(self._divided(node, self.rows[node])[1])
                if below >= as_leaf - SAVES_NOTHING:
                    self.kids[node] = []
                else:
                    errors[node] = below

    def _prune(self) -> None:
        waiting = [(0, False)]
        while waiting:
            node, ready = waiting.pop()
            if not self.kids[node]:
                self.bound[node] = self._bound(self.rows[node])
            elif not ready:
                waiting.append((node, True))
                waiting += [(kid, False) for kid in self.kids[node]]
            elif self._settle(node):
                waiting.append((node, False))

    def _settle(self, node: int) -> bool:
        """Decide about a node whose branches are settled; True: it has been raised."""
        kids, rows = self.kids[node], self.rows[node]
        leaf = self._bound(rows)
        subtree = sum(self.bound[kid] for kid in kids) + self.stopped[node]
        largest = max(kids, key=lambda kid: float(self.rows[kid].weight.sum()))
        branch = self._bound_of_branch(largest, rows)
        if leaf <= subtree + AS_GOOD and leaf <= branch + AS_GOOD:
            self.kids[node] = []
            self.bound[node] = leaf
            return False
        if branch <= subtree + AS_GOOD:
            self.source[node] = self.source[largest]
            self.kids[node] = self.kids[largest]
            self._send(node, rows)
            return True
        self.bound[node] = subtree
        return False

    def _bound_of_branch(self, branch: int, rows: _Rows) -> float:
        """Bound of a branch if all these rows came to it."""
        total, waiting = 0.0, [(branch, rows)]
        while waiting:
            node, here = waiting.pop()
            if not self.kids[node] or not len(here.row):
                total += self._bound(here)
                continue
            parts, stopped = self._divided(node, here)
            total += self._bound(stopped)
            waiting += zip(self.kids[node], parts, strict=True)
        return total

    def _bound(self, rows: _Rows) -> float:
        return float(self.errors.bound(self._counts(rows))[0])

    def _errors(self, rows: _Rows) -> float:
        return float(self.errors.seen(self._counts(rows))[0])

    def _counts(self, rows: _Rows) -> NDArray[np.float64]:
        counts = np.bincount(self.codes[rows.row], rows.weight, minlength=self.k)
        return np.asarray(counts * self.unit)[None, :]

    # -- rows ---------------------------------------------------------------------

    def _send(self, node: int, rows: _Rows) -> None:
        """Let rows come to a node, and divide them over all below it."""
        waiting = [(node, rows)]
        while waiting:
            at, here = waiting.pop()
            self.rows[at] = here
            if self.kids[at]:
                parts, stopped = self._divided(at, here)
                self.stopped[at] = self._bound(stopped)
                waiting += zip(self.kids[at], parts, strict=True)

    def _divided(self, node: int, rows: _Rows) -> tuple[list[_Rows], _Rows]:
        """Return the rows of each branch, and those that stop."""
        split, n = self.source[node], len(self.kids[node])
        column = int(self.tree.feature[split])
        values = {column: self.columns[column][rows.row]}
        branch = branches_at(self.tree, split, values, len(rows.row))
        known = [_Rows(rows.row[m], rows.weight[m]) for m in _masks(branch, n)]
        lost = branch < 0
        rest = _Rows(rows.row[lost], rows.weight[lost])
        if self.tree.missing_route[split] != ALL_BRANCHES or not len(rest.row):
            return known, rest
        shares = np.array([part.weight.sum() for part in known])
        if not shares.any():
            shares = np.array([float(self.tree.weight[kid]) for kid in self.kids[node]])
        shares = shares / shares.sum()
        parts = [
            _Rows(
                np.concatenate([part.row, rest.row]),
                np.concatenate([part.weight, rest.weight * share]),
            )
            if share > 0
            else part
            for part, share in zip(known, shares, strict=True)
        ]
        return parts, _Rows(*_nothing())

    # -- the result ---------------------------------------------------------------

    def _preorder(self, root: int) -> list[int]:
        found, waiting = [], [root]
        while waiting:
            node = waiting.pop()
            found.append(node)
            waiting += reversed(self.kids[node])
        return found

    def _made(self) -> TreeData:
        order = self._preorder(0)
        size = dict.fromkeys(order, 1)
        for node in reversed(order):
            size[node] += sum(size[kid] for kid in self.kids[node])
        take = np.array([self.source[node] for node in order], dtype=np.int64)
        sizes = np.array([size[node] for node in order], dtype=np.int64)
        shaped = rearrange(self.tree, take, sizes, "pessimistic")
        if (take == np.array(order)).all():
            return shaped
        return self._with_evidence(shaped, order)

    def _with_evidence(self, shaped: TreeData, order: list[int]) -> TreeData:
        """Write what the nodes know about the rows they have now."""
        ended: list[tuple[int, _Rows]] = []
        for place, node in enumerate(order):
            rows = self.rows[node]
            if self.kids[node]:
                rows = self._divided(node, rows)[1]
            ended.append((place, rows))
        row = np.concatenate([rows.row for _, rows in ended])
        weight = np.concatenate([rows.weight for _, rows in ended])
        at = np.repeat(
            np.array([place for place, _ in ended], dtype=np.int32),
            [len(rows.row) for _, rows in ended],
        )
        classes = np.arange(self.k)
        target = ClassTarget(self.codes[row], classes)
        refitted = refit_tree(shaped, at, target, weight * self.unit[target.codes])
        n_rows = np.array([len(self.rows[node].row) for node in order])
        squared = np.array(
            [float(np.sum(self.rows[node].weight ** 2)) for node in order]
        )
        # As in growing, costs leave the effective number of rows as it is.
        grown = np.maximum(growth_weight(refitted), np.finfo(np.float64).tiny)
        squared *= (refitted.weight / grown) ** 2
        return with_values(refitted, n_rows=n_rows, weight_squared=squared)


def _nothing() -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    return np.zeros(0, dtype=np.int64), np.zeros(0)


def _masks(branch: NDArray[np.int32], n: int) -> list[NDArray[np.bool_]]:
    return [branch == b for b in range(n)]
