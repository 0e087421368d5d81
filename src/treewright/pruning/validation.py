"""Reduced-error pruning: the rows of a validation set decide, bottom up."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from treewright.growing.training_set import TrainingSet
from treewright.pruning.bottom_up import cut_where_leaf_is_as_good
from treewright.pruning.divided import divided_cuts
from treewright.pruning.folds import held_out
from treewright.pruning.path import PruningPath, find_path
from treewright.pruning.result import Pruning, leaves_words
from treewright.pruning.score import (
    loss_at_nodes,
    loss_at_steps,
    rows_left_out,
    unaltered,
)
from treewright.pruning.select import least_error
from treewright.tree.data import TreeData
from treewright.tree.edit import collapse
from treewright.tree.new_rows import NewRows
from treewright.tree.route import Ends, divides_rows

__all__ = ["grow_validated", "prune_by_validation"]

_TIE = 1e-12


def grow_validated(
    training: TrainingSet,
    share: float,
    *,
    keep_ties: bool = False,
    progress: Callable[[float], Any] | None = None,
) -> tuple[TreeData, Pruning]:
    """Grow on a part of the rows and prune on the rest.

    Parameters
    ----------
    training : TrainingSet
        All rows, and how the tree is grown.
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
    table = training.table
    out = held_out(table, share, int(training.options.random_state))
    weights = np.ones(table.n_rows) if table.weights is None else table.weights.copy()
    weights[out] = 0.0
    tree = training.grow(weights, progress, last=True)
    rows = rows_left_out(tree, table, out, *unaltered(table))
    pruned, pruning = prune_by_validation(tree, rows, keep_ties=keep_ties)
    return training.finish(pruned, weights), pruning


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
    pruned, before, after = _cut(tree, rows, keep_ties)
    total = rows.total
    path = find_path(tree)
    sums, _ = loss_at_steps(tree, path.collapse_alpha, path.alpha, rows)
    error = sums / total
    best = least_error(error)
    words = (
        f"{leaves_words(pruned.n_leaves)} of {tree.n_leaves}: every split without "
        f"which the validation rows are answered "
        f"{'better' if keep_ties else 'as well'} was cut (validation error "
        f"{before / total:.4g} before, {after / total:.4g} after)"
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
        chosen=_step_of(pruned, path),
        best=best,
        rises_after=int(path.n_leaves[best]),
    )


def _step_of(pruned: TreeData, path: PruningPath) -> int:
    """Return the step of a path whose tree this is; -1: none."""
    step = int(np.searchsorted(-path.n_leaves, -pruned.n_leaves))
    if path.n_leaves[step] != pruned.n_leaves:
        return -1
    same = np.array_equal(path.pruned(step).subtree_size, pruned.subtree_size)
    return step if same else -1


def _cut(
    tree: TreeData, rows: NewRows, keep_ties: bool
) -> tuple[TreeData, float, float]:
    """Return the pruned tree, and the summed loss before and after."""
    if divides_rows(tree):
        ends = rows.ends(tree)
        assert isinstance(ends, Ends)
        nodes, before, after = divided_cuts(
            tree, rows, ends, margin=_TIE, keep_ties=keep_ties
        )
        pruned = collapse(tree, nodes, "validation")[0] if len(nodes) else tree
        return pruned, before, after
    passed, ended = loss_at_nodes(tree, rows)
    stopped = np.where(tree.subtree_size > 1, ended, 0.0)
    # Sums of whole numbers are exact; others tie to rounding.
    margin = _TIE * float(passed[0])
    pruned = cut_where_leaf_is_as_good(
        tree, passed, stopped, margin=margin, reason="validation", keep_ties=keep_ties
    )
    left = loss_at_nodes(pruned, rows)[1]
    return pruned, float(ended.sum()), float(left.sum())
