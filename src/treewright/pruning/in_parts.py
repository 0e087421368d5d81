"""Pruning of trees that grow from rows in parts: the rows stay where they are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.growing.parts.coding import CodedPart
from treewright.growing.parts.progress import PartsProgress
from treewright.growing.parts.training import TrainingParts, decoded_columns
from treewright.pruning.counted_rows import (
    Counts,
    counted,
    joined_counts,
    rows_of_counts,
)
from treewright.pruning.cross_validation import geometric_means
from treewright.pruning.path import PruningPath, find_path
from treewright.pruning.prune import (
    CrossValidation,
    answering,
    only_one_size,
    record_of,
)
from treewright.pruning.result import Pruning
from treewright.pruning.score import first_steps
from treewright.pruning.select import choose_size
from treewright.pruning.shrinkage import can_draw
from treewright.pruning.size_scores import Scores, scores_of, sums_at_steps
from treewright.pruning.validation import check_held_out, prune_by_validation
from treewright.table.costs import cost_factors
from treewright.table.hash_folds import HELD_OUT
from treewright.tree.data import TreeData
from treewright.tree.ended_rows import EndedRows
from treewright.tree.loss import error_unit
from treewright.tree.route import route

__all__ = [
    "grow_cross_validated_in_parts",
    "grow_validated_in_parts",
    "rows_of_fold",
]

Progress = Callable[[float], Any] | None


def grow_validated_in_parts(
    training: TrainingParts,
    *,
    keep_ties: bool = False,
    strengths: Sequence[float] | None = None,
    progress: Callable[[float], Any] | None = None,
) -> tuple[TreeData, Pruning]:
    """Grow on the rows that are not held out, and prune on the others.

    Parameters
    ----------
    training : TrainingParts
        All rows; the second fold is held out.
    keep_ties, strengths, progress
        See `grow_validated`.

    Returns
    -------
    tree : TreeData
    pruning : Pruning
    """
    sums = training.report.weights
    check_held_out(sums[0].n_rows, sums[HELD_OUT].n_rows)
    tree = training.grow(HELD_OUT, progress)
    rows = rows_of_fold(training, tree, HELD_OUT)
    pruned, pruning = prune_by_validation(
        tree, rows, keep_ties=keep_ties, strengths=strengths
    )
    return training.finish(pruned, HELD_OUT), pruning


def grow_cross_validated_in_parts(
    training: TrainingParts,
    how: CrossValidation,
    copies: float,
    progress: Progress = None,
) -> tuple[TreeData, Pruning]:
    """Grow a tree and prune it to the size that folds by hash choose.

    Parameters
    ----------
    training : TrainingParts
        All rows, divided into folds.
    how : CrossValidation
        Risk and rule; its folds are those of the training rows.
    copies : float
        How many rows a unit of weight counts as; see `rows_per_weight`.
    progress : callable, optional
        Called with the share of the work that is done.

    Returns
    -------
    tree : TreeData
    pruning : Pruning
    """
    n_folds = len(training.report.weights)
    tree = training.grow(progress=_share_of(progress, 0, n_folds + 1))
    path = find_path(tree, how.risk)
    strengths = how.strengths if can_draw(tree) else None
    if len(path) == 1:
        tree, pruning = only_one_size(tree, path, ())
        strength = None if strengths is None else strengths[0]
        return answering(training.finish(tree), strength), pruning
    scores = _scores(training, tree, path, how, strengths, copies, progress)
    choice = choose_size(scores, path.n_leaves, how.size)
    pruned = path.pruned(choice.step, "cross_validation")
    strength = None if strengths is None else float(choice.strength[choice.step])
    pruning = replace(
        record_of(path, choice, how, strengths is not None),
        shrinkage=strength,
        tree=training.finish(tree) if how.keep_path else None,
        n_leaves_before=tree.n_leaves,
        n_folds=n_folds,
    )
    return answering(training.finish(pruned), strength), pruning


def _scores(
    training: TrainingParts,
    whole: TreeData,
    path: PruningPath,
    how: CrossValidation,
    strengths: Sequence[float] | None,
    copies: float,
    progress: Progress,
) -> Scores:
    """Score every step of the whole tree's path on the rows of each fold."""
    alphas = geometric_means(path.alpha)
    n_folds = len(training.report.weights)
    unit = error_unit(whole) if whole.is_classifier else 1.0
    sums: Any = 0.0
    total = 0.0
    for fold in range(n_folds):
        tree = training.grow(fold, _share_of(progress, fold + 1, n_folds + 1))
        first = first_steps(find_path(tree, how.risk).collapse_alpha, alphas)
        rows = rows_of_fold(training, tree, fold, how.factors)
        sums = sums + sums_at_steps(
            tree, first, len(alphas), rows, strengths, copies, unit
        )
        total += rows.total
    known = (0.0,) if strengths is None else strengths
    return scores_of(sums, known, total, copies, unit)


def _share_of(progress: Progress, place: int, n: int) -> Progress:
    """Return a progress of one of several trees."""
    return None if progress is None else _OneOfSeveral(progress, place, n)


class _OneOfSeveral:
    """The progress of one of several trees, as a share of all of them."""

    def __init__(self, progress: Callable[[float], Any], place: int, n: int) -> None:
        self._progress, self._place, self._n = progress, place, n
        watch = getattr(progress, "watch", None)
        self.watch: Callable[[PartsProgress], Any] | None = None
        if watch is not None:
            self.watch = lambda s: watch(replace(s, tree=place + 1, n_trees=n))

    def __call__(self, share: float) -> None:
        self._progress((self._place + share) / self._n)


def rows_of_fold(
    training: TrainingParts,
    tree: TreeData,
    fold: int,
    factors: NDArray[np.float64] | None = None,
) -> EndedRows:
    """Return the rows of a fold, counted by where they end in a tree.

    Parameters
    ----------
    training : TrainingParts
        All rows.
    tree : TreeData
        A tree grown without the fold.
    fold : int
        The fold.
    factors : float64 array, optional
        See `CrossValidation`.

    Returns
    -------
    EndedRows
    """
    info = tree.schema.target
    assert info is not None, "a tree has a target"
    by_cost = None if info.costs is None else cost_factors(info.costs)
    scale = None
    if info.priors is not None and factors is not None:
        scale = factors if by_cost is None else factors / by_cost
        by_cost = factors
    found = training.on_coded(_ends_of_part, (tree, fold, by_cost))
    return rows_of_counts(tree, joined_counts(found), scale)


def _ends_of_part(part: CodedPart, argument: tuple[TreeData, int, Any]) -> Counts:
    return joined_counts([_ends_of_slice(some, *argument) for _, some in part.slices()])


def _ends_of_slice(part: CodedPart, tree: TreeData, fold: int, factors: Any) -> Counts:
    info = tree.schema.target
    assert info is not None, "a tree has a target"
    rows = np.flatnonzero(part.array("f") == fold)
    weights: NDArray[np.float64] | None = part.array("u")
    if weights is not None:
        rows = rows[weights[rows] > 0]
        weights = weights[rows]
    y = part.target()[rows]
    if info.kind == "number":
        y = info.from_units(y)
    elif weights is not None and factors is not None:
        weights = weights / factors[y]
    columns = decoded_columns(part, tree, rows)
    return counted(route(tree, columns, len(rows)), y, weights)
