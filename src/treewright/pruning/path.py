"""The weakest-link path: for every price of a leaf, the best pruning of a tree.

This is the minimal cost-complexity pruning of Breiman et al.: R_alpha(T) = R(T) +
alpha x leaves. The path starts with T1, in which every split that saves no risk is
collapsed. Each step cuts all weakest links of equal alpha. The path ends with the root.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.errors import OptionError, pandas_for_frames
from treewright.pruning.risks import NodeRisks, check_risk, node_risks, stops
from treewright.table.html import pre_html
from treewright.tree import wording
from treewright.tree.arrays import frozen
from treewright.tree.data import TreeData
from treewright.tree.edit import collapse
from treewright.tree.loss import answer_cost, loss_of
from treewright.tree.walk import children

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "PruningPath",
    "PruningStep",
    "check_alpha",
    "cost_complexity",
    "find_path",
    "training_loss",
]

_MOST_LINES = 24


@dataclass(frozen=True, eq=False, repr=False)
class PruningStep:
    """One step of a path: every inner node with its link, as in a hand calculation.

    Attributes
    ----------
    alpha : float
        The price of a leaf from which the tree of this step is the best.
    node : int array
        Inner nodes of this step's tree, by their numbers in the whole tree.
    node_risk : float array
        R(t): the risk of each node as a leaf, a share of the total weight.
    subtree_risk : float array
        R(T_t): the risk of the subtree below the node.
    leaves : int array
        The number of leaves of this subtree.
    link : float array
        g(t) = (R(t) - R(T_t)) / (leaves - 1): the risk that each further leaf saves.
    """

    alpha: float
    node: NDArray[np.int64]
    node_risk: NDArray[np.float64]
    subtree_risk: NDArray[np.float64]
    leaves: NDArray[np.int64]
    link: NDArray[np.float64]

    @property
    def weakest(self) -> NDArray[np.int64]:
        """The nodes with the smallest g(t), which the next step collapses."""
        if not len(self.link):
            return self.node
        least = self.link.min()
        return np.asarray(self.node[self.link <= least + 1e-12 * abs(least)])

    def to_pandas(self) -> pd.DataFrame:
        """Return a data frame with one row per inner node."""
        names = ("node", "node_risk", "subtree_risk", "leaves", "link")
        columns = {name: np.array(getattr(self, name)) for name in names}
        return pandas_for_frames().DataFrame(columns).set_index("node")

    def __str__(self) -> str:
        """Return a table of the links."""
        head = f"{'node':>6} {'R(t)':>10} {'R(T_t)':>10} {'leaves':>7} {'g(t)':>12}"
        cells = zip(
            self.node,
            self.node_risk,
            self.subtree_risk,
            self.leaves,
            self.link,
            strict=True,
        )
        lines = [
            f"{t:>6} {r:>10.6f} {b:>10.6f} {k:>7} {g:>12.6g}" for t, r, b, k, g in cells
        ]
        return "\n".join([f"alpha = {self.alpha:.6g}", "", head, *lines])

    def _repr_html_(self) -> str:
        """Show the table in a notebook."""
        return pre_html(str(self))

    def __repr__(self) -> str:
        """Return one line: alpha and size."""
        nodes = wording.count(len(self.node), "inner node")
        return f"PruningStep(alpha={self.alpha:.6g}, {nodes})"


@dataclass(frozen=True, eq=False, repr=False)
class PruningPath:
    """All best prunings of a tree, from the largest to the root.

    Attributes
    ----------
    alpha : float array
        The price of a leaf from which each tree is the smallest tree with the least
        R(T) + alpha x leaves: a share of the total weight, strictly increasing from 0.
    n_leaves : int array
        Number of leaves of each tree, strictly decreasing.
    risk : float array
        R(T) of each tree, increasing.
    collapse_alpha : float array, one per node of the whole tree
        The alpha from which each inner node is collapsed, never above that of its
        parent; NaN at leaves.
    kind : {'error', 'impurity', 'mixed'}
        What counts as risk.
    """

    alpha: NDArray[np.float64]
    n_leaves: NDArray[np.int64]
    risk: NDArray[np.float64]
    collapse_alpha: NDArray[np.float64]
    kind: str
    _tree: TreeData
    _risks: NodeRisks
    _alpha_max: float = math.inf
    _face: Callable[[TreeData], Any] = field(default=lambda tree: tree)

    def __len__(self) -> int:
        """Number of steps."""
        return len(self.alpha)

    def at(self, alpha: float) -> int:
        """Return the step whose tree is the best at this alpha."""
        alpha = check_alpha(alpha)
        if alpha > self._alpha_max:
            raise OptionError(
                f"This path ends at alpha_max = {self._alpha_max:g}; got alpha = "
                f"{alpha:g}. Make the path with a larger alpha_max."
            )
        return int(np.searchsorted(self.alpha, alpha, side="right")) - 1

    def starting_at(self, alpha: float) -> PruningPath:
        """Return the path without the trees that are the best only below this alpha."""
        first = self.at(alpha)
        alphas = np.append(check_alpha(alpha), self.alpha[first + 1 :])
        n_leaves, risk = self.n_leaves[first:], self.risk[first:]
        return replace(self, alpha=alphas, n_leaves=n_leaves, risk=risk)

    def in_target_units(self) -> PruningPath:
        """Return the path with risks and alphas in the unit of the target.

        Only an extreme target has another unit; see `Loss.shown`.
        """
        loss = loss_of(self._tree)
        total = loss.from_shown(self._risks.total)
        return replace(
            self,
            alpha=frozen(loss.shown(self.alpha)),
            risk=frozen(loss.shown(self.risk)),
            collapse_alpha=frozen(loss.shown(self.collapse_alpha)),
            _risks=self._risks._replace(total=total),
            _alpha_max=float(loss.shown(self._alpha_max)),
        )

    def tree(self, *, alpha: float | None = None, n_leaves: int | None = None) -> Any:
        """Return the best tree for a price of a leaf, or for a size.

        Parameters
        ----------
        alpha : float, optional
            The price of a leaf, a share of the total weight, >= 0.
        n_leaves : int, optional
            The largest number of leaves. The result is the largest tree of the path
            that has no more.

        Returns
        -------
        Tree
        """
        if (alpha is None) == (n_leaves is None):
            raise OptionError(
                "tree needs either alpha or n_leaves; got "
                f"{'neither' if alpha is None else 'both'}."
            )
        step = self.at(alpha) if alpha is not None else self._of_size(n_leaves)
        return self._face(self.pruned(step))

    def pruned(self, step: int, reason: str = "pruned") -> TreeData:
        """Return the arrays of one step's tree; `reason` is recorded at its cuts."""
        with np.errstate(invalid="ignore"):
            gone = self.collapse_alpha <= self.alpha[step]
        if not gone.any():
            return self._tree
        return collapse(self._tree, np.flatnonzero(gone), reason)[0]

    def risk_by(self, kind: str) -> NDArray[np.float64]:
        """Return another risk of each step's tree than the one that was pruned by.

        Parameters
        ----------
        kind : {'error', 'impurity', 'mixed'}
            The risk.

        Returns
        -------
        float array, one entry per step
        """
        if kind == self.kind:
            return self.risk
        tree, n = self._tree, len(self)
        risks = node_risks(tree, kind)
        first = np.searchsorted(self.alpha, self.collapse_alpha)
        first = np.where(tree.subtree_size == 1, 0, np.minimum(first, n))
        # A node is a leaf from its own collapse until that of its parent. Before, only
        # the rows that stop there have its answer.
        last = np.append(n, first[tree.parent[1:]])
        change = np.zeros(n + 1, dtype=np.int64)
        leaf = first < last
        np.add.at(change, first[leaf], risks.own[leaf])
        np.subtract.at(change, last[leaf], risks.own[leaf])
        change[0] += risks.stopped.sum()
        np.subtract.at(change, np.minimum(first, last), risks.stopped)
        units = np.cumsum(change[:-1])
        return units / risks.total if risks.total > 0 else np.zeros(n)

    def _of_size(self, n_leaves: Any) -> int:
        whole = isinstance(n_leaves, (int, np.integer)) and not isinstance(
            n_leaves, bool
        )
        if not whole or n_leaves < 1:
            raise OptionError(
                f"n_leaves must be a whole number >= 1; got {n_leaves!r}."
            )
        fits = np.flatnonzero(self.n_leaves <= n_leaves)
        if not len(fits):
            raise OptionError(
                f"No tree of this path has {n_leaves} leaves or fewer; the smallest "
                f"has {self.n_leaves[-1]}. Make the path with a larger alpha_max."
            )
        return int(fits[0])

    def step(self, i: int) -> PruningStep:
        """Return R(t), R(T_t), leaves and g(t) of every inner node of tree i.

        Parameters
        ----------
        i : int
            The step: 0 is T1, and -1 is the last.

        Returns
        -------
        PruningStep
        """
        n = len(self)
        whole = isinstance(i, (int, np.integer)) and not isinstance(i, bool)
        if not whole or not -n <= i < n:
            raise OptionError(
                f"step must be a whole number from 0 to {n - 1}; got {i!r}."
            )
        return _step(self._tree, self._risks, self.collapse_alpha, self.alpha[i])

    def to_pandas(self) -> pd.DataFrame:
        """Return a data frame with one row per step."""
        columns = {n: np.array(getattr(self, n)) for n in ("alpha", "n_leaves", "risk")}
        return pandas_for_frames().DataFrame(columns).rename_axis("step")

    def _repr_html_(self) -> str:
        """Show the table in a notebook."""
        return pre_html(str(self))

    def __repr__(self) -> str:
        """Return one line: the number of steps, the sizes, the risk."""
        return (
            f"PruningPath({len(self)} steps, {self.n_leaves[0]} to "
            f"{self.n_leaves[-1]} leaves, risk={self.kind!r})"
        )

    def __str__(self) -> str:
        """Return a table of the steps, of a long path only the two ends."""
        n = len(self)
        shown = list(range(n))
        if n > _MOST_LINES:
            half = _MOST_LINES // 2
            shown = [*range(half), -1, *range(n - half, n)]
        lines = [
            f"{i:>6} {self.alpha[i]:>12.6g} {self.n_leaves[i]:>8} {self.risk[i]:>12.6g}"
            if i >= 0
            else f"{'...':>6}"
            for i in shown
        ]
        head = f"{'step':>6} {'alpha':>12} {'leaves':>8} {'risk':>12}"
        return "\n".join([head, *lines])


def find_path(
    tree: TreeData,
    risk: str = "error",
    alpha_max: float = math.inf,
    face: Callable[[TreeData], Any] = lambda tree: tree,
) -> PruningPath:
    """Return the weakest-link path of a tree.

    Parameters
    ----------
    tree : TreeData
        A tree of any shape.
    risk : {'error', 'impurity', 'mixed'}, default='error'
        What counts as risk.
    alpha_max : float, default=inf
        The alpha at which the path ends.
    face : callable, optional
        The function with which `PruningPath.tree` turns arrays into its result.

    Returns
    -------
    PruningPath
    """
    risk = check_risk(risk)
    alpha_max = check_alpha(alpha_max, "alpha_max")
    risks = node_risks(tree, risk)
    collapse_alpha, alpha, n_leaves, units = _core.weakest_links(
        tree.subtree_size,
        risks.own,
        risks.stopped,
        risks.total,
        risks.slack,
        risks.share,
    )
    n = int(np.searchsorted(alpha, alpha_max, side="right"))
    values = units / risks.total if risks.total > 0 else np.zeros(len(units))
    arrays = (alpha[:n], n_leaves[:n], values[:n], collapse_alpha)
    for array in arrays:
        array.flags.writeable = False
    return PruningPath(*arrays, risk, tree, risks, alpha_max, face)


def cost_complexity(tree: TreeData, alpha: float, risk: str = "error") -> float:
    """Return R(T) + alpha x leaves of the tree, without pruning it."""
    alpha = check_alpha(alpha)
    risks = node_risks(tree, check_risk(risk))
    is_leaf = tree.subtree_size == 1
    units = int(risks.own[is_leaf].sum()) + int(risks.stopped.sum())
    whole = units / risks.total if risks.total > 0 else 0.0
    return whole + alpha * tree.n_leaves


def training_loss(tree: TreeData) -> float:
    """Return the mean loss of the tree's answers on its training rows.

    It is the risk of the tree, unless its answers differ from its evidence.
    """
    if not len(tree.answer):
        return cost_complexity(tree, 0.0)
    leaves = np.flatnonzero(tree.subtree_size == 1)
    total = float(answer_cost(tree, leaves, leaves).sum())
    for node in np.flatnonzero(stops(tree)).tolist():
        below = np.array(children(tree, node), dtype=np.int64)
        passed = answer_cost(tree, below, np.full(len(below), node)).sum()
        total += float(answer_cost(tree, *np.full((2, 1), node))[0] - passed)
    return max(total, 0.0) / float(tree.weight[0]) if tree.weight[0] > 0 else 0.0


def check_alpha(alpha: Any, name: str = "alpha") -> float:
    """Return a price of a leaf as a float; refuse anything but a number >= 0."""
    real = isinstance(alpha, (int, float, np.integer, np.floating))
    if not real or isinstance(alpha, bool) or not float(alpha) >= 0:
        raise OptionError(
            f"{name} must be a number >= 0, the price of a leaf as a share of the "
            f"total weight; got {alpha!r}."
        )
    return float(alpha)


def _step(
    tree: TreeData,
    risks: NodeRisks,
    collapse_alpha: NDArray[np.float64],
    alpha: np.float64,
) -> PruningStep:
    size = tree.subtree_size.astype(np.int64)
    with np.errstate(invalid="ignore"):
        inner = collapse_alpha > alpha
    # A node is in the tree if all its ancestors are inner. `collapse_alpha` never
    # increases downwards, so checking the parent is enough.
    there = np.ones(tree.n_nodes, dtype=bool)
    there[1:] = inner[tree.parent[1:]]
    leaf = there & ~inner
    cost = np.where(leaf, risks.own, np.where(inner, risks.stopped, 0))
    cost_before = np.concatenate([[0], np.cumsum(cost)])
    leaves_before = np.concatenate([[0], np.cumsum(leaf)])
    node = np.flatnonzero(inner)
    end = node + size[node]
    below = cost_before[end] - cost_before[node]
    leaves = leaves_before[end] - leaves_before[node]
    link = (risks.own[node] - below) / ((leaves - 1) * risks.total)
    own, under = risks.own[node] / risks.total, below / risks.total
    return PruningStep(float(alpha), node, own, under, leaves, link)
