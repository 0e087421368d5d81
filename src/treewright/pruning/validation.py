"""Reduced-error pruning: the rows of a validation set decide, bottom up."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.growing.grow import (
    make_grower,
    settled,
    sort_columns,
    tree_of,
    with_summaries,
)
from treewright.options import GrowOptions
from treewright.pruning.bottom_up import cut_where_leaf_is_as_good
from treewright.pruning.folds import held_out
from treewright.pruning.path import find_path
from treewright.pruning.result import Pruning, leaves_words
from treewright.pruning.score import loss_at_nodes, loss_at_steps, part_of
from treewright.table.table import ClassTarget, NumericTarget, Table, Target
from treewright.tree.data import TreeData

__all__ = ["NewRows", "grow_validated", "prune_by_validation"]

_TIE = 1e-12


@dataclass(frozen=True)
class NewRows:
    """Rows that a tree was not grown on, in the form of its table."""

    columns: Sequence[NDArray[Any] | None]
    target: Target
    weights: NDArray[np.float64] | None

    @property
    def total(self) -> float:
        """Sum of the weights."""
        if self.weights is not None:
            return float(self.weights.sum())
        target = self.target
        rows = target.codes if isinstance(target, ClassTarget) else target.values
        return float(len(rows))


def grow_validated(
    table: Table,
    options: GrowOptions | None,
    share: float,
    *,
    keep_ties: bool = False,
    progress: Callable[[float], Any] | None = None,
) -> tuple[TreeData, Pruning]:
    """Grow on a part of the rows and prune on the rest.

    Parameters
    ----------
    table : Table
        Columns, target and weights.
    options : GrowOptions, optional
        How the tree is grown.
    share : float
        Share of the rows that are held out, spread evenly over the target.
    keep_ties : bool, default=False
        Keep a split that makes no difference to the rows held out.
    progress : callable, optional
        See `treewright.grow`.

    Returns
    -------
    tree : TreeData
    pruning : Pruning
    """
    options = settled(table, options)
    columns = sort_columns(table, options.n_jobs)
    schema = with_summaries(table.schema, columns)
    out = held_out(table, share, int(options.random_state))
    weights = np.ones(table.n_rows) if table.weights is None else table.weights.copy()
    kept = weights[out]
    weights[out] = 0.0
    grower = make_grower(table, options, columns, weights=weights, consume=True)
    grower.grow_all(progress)
    tree = tree_of(grower.take_tree(), schema, options)
    part = part_of(tree, [column.data for column in table.columns], out)
    target = table.target
    held: Target
    if isinstance(target, ClassTarget):
        held = ClassTarget(target.codes[out], target.classes, target.name)
    else:
        assert isinstance(target, NumericTarget)
        held = NumericTarget(target.values[out], target.name)
    rows = NewRows(part, held, None if table.weights is None else kept)
    return prune_by_validation(tree, rows, keep_ties=keep_ties)


def prune_by_validation(
    tree: TreeData, rows: NewRows, *, keep_ties: bool = False
) -> tuple[TreeData, Pruning]:
    """Cut, bottom up, every split without which new rows are answered as well.

    Parameters
    ----------
    tree : TreeData
        The tree.
    rows : NewRows
        The validation rows.
    keep_ties : bool, default=False
        Cut only where the new rows are answered better.

    Returns
    -------
    tree : TreeData
    pruning : Pruning
    """
    passed, ended = loss_at_nodes(tree, rows.columns, rows.target, rows.weights)
    stopped = np.where(tree.subtree_size > 1, ended, 0.0)
    # Sums of whole numbers are exact; others tie to rounding.
    margin = _TIE * float(passed[0])
    pruned = cut_where_leaf_is_as_good(
        tree, passed, stopped, margin=margin, reason="validation", keep_ties=keep_ties
    )
    total = rows.total
    path = find_path(tree)
    sums, _ = loss_at_steps(
        tree, path.collapse_alpha, path.alpha, rows.columns, rows.target, rows.weights
    )
    error = sums / total
    best = int(np.flatnonzero(error <= error.min() * (1 + _TIE))[-1])
    before = float(ended.sum()) / total
    after = _loss_of(pruned, rows) / total
    words = (
        f"{leaves_words(pruned.n_leaves)} of {tree.n_leaves}: every split without "
        f"which the validation rows are answered "
        f"{'better' if keep_ties else 'as well'} was cut (validation error "
        f"{before:.4g} before, {after:.4g} after)"
    )
    return pruned, Pruning(
        "validation",
        words,
        tree.n_leaves,
        pruned.n_leaves,
        alpha=path.alpha,
        n_leaves=path.n_leaves,
        error=path.risk,
        validation_error=error,
        best=best,
        rises_after=int(path.n_leaves[best]),
    )


def _loss_of(tree: TreeData, rows: NewRows) -> float:
    _, ended = loss_at_nodes(tree, rows.columns, rows.target, rows.weights)
    return float(ended.sum())
