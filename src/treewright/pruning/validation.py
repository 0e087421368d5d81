"""Reduced-error pruning: bottom-up pruning by the error on validation rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from treewright.errors import TableError
from treewright.growing.training_set import TrainingSet
from treewright.pruning.bottom_up import cut_where_leaf_is_as_good
from treewright.pruning.counted_rows import counted, rows_of_counts
from treewright.pruning.divided import divided_cuts
from treewright.pruning.path import PruningPath, find_path
from treewright.pruning.result import Pruning
from treewright.pruning.score import (
    loss_at_nodes,
    loss_at_steps,
    rows_left_out,
    unaltered,
)
from treewright.pruning.select import best_strength, least_error
from treewright.pruning.shrinkage import can_draw, copies_of, with_drawn_answers
from treewright.pruning.size_scores import scores_of, sums_at_steps
from treewright.pruning.words import leaves_words
from treewright.table.hash_folds import HELD_OUT, HashFolds
from treewright.tree.data import TreeData
from treewright.tree.edit import collapse
from treewright.tree.new_rows import NewRows
from treewright.tree.route import Ends, divides_rows

__all__ = ["check_held_out", "grow_validated", "prune_by_validation"]

_TIE = 1e-12


def grow_validated(
    training: TrainingSet,
    share: float,
    *,
    keep_ties: bool = False,
    strengths: Sequence[float] | None = None,
    progress: Callable[[float], Any] | None = None,
) -> tuple[TreeData, Pruning]:
    """Grow on a part of the rows and prune on the rest.

    Parameters
    ----------
    training : TrainingSet
        All rows, and the options of growing.
    share : float
        Share of the rows to hold out, chosen by the hash of their values; see
        `HashFolds`.
    keep_ties : bool, default=False
        Keep a split that makes no difference to the held-out rows.
    strengths : sequence of float, optional
        See `prune_by_validation`.
    progress : callable, optional
        See `treewright.grow`.

    Returns
    -------
    tree : TreeData
    pruning : Pruning
    """
    table = training.table
    folds = HashFolds.held_out(share, int(training.options.random_state)).of(table)
    weights = np.ones(table.n_rows) if table.weights is None else table.weights.copy()
    out = np.flatnonzero((folds == HELD_OUT) & (weights > 0))
    weights[folds == HELD_OUT] = 0.0
    check_held_out(int(np.count_nonzero(weights)), len(out))
    tree = training.grow(weights, progress, last=True)
    rows = rows_left_out(tree, table, out, *unaltered(table))
    if not divides_rows(tree):
        ends = rows.ends(tree)
        assert not isinstance(ends, Ends)
        rows = rows_of_counts(tree, counted(ends, rows.y, rows.weights))
    pruned, pruning = prune_by_validation(
        tree, rows, keep_ties=keep_ties, strengths=strengths
    )
    return training.finish(pruned, weights), pruning


def check_held_out(n_training: int, n_held_out: int) -> None:
    """Refuse a division that leaves no row on one side.

    Parameters
    ----------
    n_training, n_held_out : int
        Rows of positive weight.

    Raises
    ------
    TableError
    """
    if not n_training or not n_held_out:
        none = "validation" if n_training else "training"
        raise TableError(
            f"Holding rows out for validation leaves no {none} row of "
            f"{n_training + n_held_out} rows. Pass more rows, another "
            "validation_fraction, X_val and y_val, or prune=None."
        )


def prune_by_validation(
    tree: TreeData,
    rows: NewRows,
    *,
    keep_ties: bool = False,
    strengths: Sequence[float] | None = None,
) -> tuple[TreeData, Pruning]:
    """Collapse, bottom up, every split that does not reduce the validation error.

    Parameters
    ----------
    tree : TreeData
        The tree.
    rows : NewRows
        The validation rows.
    keep_ties : bool, default=False
        Collapse a split only where it increases the validation error.
    strengths : sequence of float, optional
        How strongly answers may be drawn towards the node above; the validation rows
        choose among them after the cut. None: not at all.

    Returns
    -------
    tree : TreeData
    pruning : Pruning
    """
    pruned, before, after = _cut(tree, rows, keep_ties)
    total = rows.total
    path = find_path(tree)
    sums = loss_at_steps(tree, path.collapse_alpha, path.alpha, rows)
    error = sums / total
    best = least_error(error)
    words = (
        f"{leaves_words(pruned.n_leaves)} of {tree.n_leaves}: splits that "
        f"{'increase' if keep_ties else 'do not reduce'} the validation error were "
        f"cut (validation error {before / total:.4g} before, {after / total:.4g} after)"
    )
    strength = None if strengths is None else _strength(pruned, rows, strengths)
    answering = pruned if strength is None else with_drawn_answers(pruned, strength)
    return answering, Pruning(
        "validation",
        words,
        tree.n_leaves,
        pruned.n_leaves,
        alpha=path.alpha,
        n_leaves=path.n_leaves,
        error=path.risk,
        validation_error=error,
        held_out_error=after / total,
        chosen=_step_of(pruned, path),
        best=best,
        rises_after=int(path.n_leaves[best]),
        shrinkage=strength,
    )


def _strength(
    tree: TreeData, rows: NewRows, strengths: Sequence[float]
) -> float | None:
    """Return the strength of least loss on these rows (classes: of log-loss)."""
    if not can_draw(tree):
        return None
    never = np.ones(tree.n_nodes, dtype=np.int32)
    sums = sums_at_steps(tree, never, 1, rows, strengths, copies_of(tree))
    scores = scores_of(sums, strengths, rows.total, 1.0)
    return float(best_strength(scores)[0])


def _step_of(pruned: TreeData, path: PruningPath) -> int:
    """Return the step of a path that has this tree; -1 if there is none."""
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
    # Sums of whole numbers are exact; the margin absorbs the rounding of other sums.
    margin = _TIE * float(passed[0])
    pruned = cut_where_leaf_is_as_good(
        tree, passed, stopped, margin=margin, reason="validation", keep_ties=keep_ties
    )
    left = loss_at_nodes(pruned, rows)[1]
    return pruned, float(ended.sum()), float(left.sum())
