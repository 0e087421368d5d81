"""Grow a tree and cut it to size: one function per way of choosing the size."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import OptionError
from treewright.growing.training_set import TrainingSet
from treewright.pruning.cross_validation import cross_validate
from treewright.pruning.folds import Fold, deal, n_folds_for
from treewright.pruning.path import PruningPath, find_path
from treewright.pruning.pessimistic import replace_subtrees
from treewright.pruning.raising import raise_subtrees
from treewright.pruning.result import Pruning, leaves_words
from treewright.pruning.select import least_error, one_standard_error
from treewright.table.table import ClassTarget, Table
from treewright.tree.data import TreeData

__all__ = [
    "CrossValidation",
    "cut_at",
    "grow_cross_validated",
    "not_pruned",
    "prune_pessimistically",
]

Progress = Callable[[float], Any] | None
_SAME_CP = 1e-9  # a cp read off a table cuts the nodes that it belongs to


@dataclass(frozen=True, kw_only=True)
class CrossValidation:
    """How the size is chosen: folds, risk and rule."""

    risk: str = "error"
    rule: str = "1se"
    n_folds: int | None = None
    """None: the default, fewer where rows are few."""
    cp: float = 0.0
    """The least price of a leaf that is tried, a share of the root's risk."""
    folds: list[Fold] | None = None
    """Given folds, instead of dealing."""
    groups: NDArray[np.int64] | None = None
    factors: NDArray[np.float64] | None = None
    """What priors and costs multiplied the weight of each class by."""


def not_pruned(tree: TreeData, why: str, notes: tuple[str, ...] = ()) -> Pruning:
    """Return the record of a tree that was left as it grew."""
    n = tree.n_leaves
    return Pruning(None, f"{leaves_words(n)}: {why}", n, n, notes=notes)


def cut_at(
    tree: TreeData, alpha: float, risk: str, *, of_root: bool = False
) -> tuple[TreeData, Pruning]:
    """Cut a tree at a fixed price of a leaf.

    Parameters
    ----------
    tree : TreeData
        The tree.
    alpha : float
        The price.
    risk : {'error', 'impurity'}
        What counts as risk.
    of_root : bool, default=False
        The price is a share of the risk of the root, as rpart's cp is.

    Returns
    -------
    tree : TreeData
    pruning : Pruning
    """
    path = find_path(tree, risk)
    price = f"{alpha:g}"
    if of_root:
        price += f" x {path.risk[-1]:g}, that of the root,"
        alpha = _price(path, alpha)
    step = path.at(alpha)
    pruned = path.pruned(step, "ccp_alpha")
    words = (
        f"{leaves_words(pruned.n_leaves)}: the smallest tree of least {risk} + "
        f"{price} x leaves, of {leaves_words(tree.n_leaves)} grown"
    )
    return pruned, Pruning(
        "ccp_alpha",
        words,
        tree.n_leaves,
        pruned.n_leaves,
        risk=risk,
        alpha=path.alpha,
        n_leaves=path.n_leaves,
        error=path.risk,
        chosen=step,
    )


def _price(path: PruningPath, cp: float) -> float:
    """Return the price of a leaf that is this share of the root's risk."""
    return cp * float(path.risk[-1]) * (1 + _SAME_CP)


def prune_pessimistically(
    tree: TreeData, confidence: float, table: Table | None = None
) -> tuple[TreeData, Pruning]:
    """Cut a tree by C4.5's bound of the error.

    Parameters
    ----------
    tree : TreeData
        A tree that answers classes.
    confidence : float
        Of the bound.
    table : Table, optional
        The training rows: with them, trees of C4.5 get subtree raising too.

    Returns
    -------
    tree : TreeData
    pruning : Pruning
    """
    if not tree.is_classifier:
        raise OptionError(
            "Pessimistic pruning bounds the share of wrong classes; this tree answers "
            "numbers. Use prune='cv' or 'validation'."
        )
    raising = table is not None and tree.method == "c45"
    if raising and table is not None:
        pruned = raise_subtrees(tree, table, confidence)
    else:
        pruned = replace_subtrees(tree, confidence)
    words = (
        f"{leaves_words(pruned.n_leaves)} of {tree.n_leaves}: every split was cut that "
        f"saves no errors by the pessimistic bound (confidence {confidence:g}"
        + (", largest branches raised)" if raising else ")")
    )
    return pruned, Pruning("pessimistic", words, tree.n_leaves, pruned.n_leaves)


def grow_cross_validated(
    training: TrainingSet, how: CrossValidation, progress: Progress = None
) -> tuple[TreeData, Pruning]:
    """Grow a tree and cut it to the size that cross-validation chooses.

    Parameters
    ----------
    training : TrainingSet
        The rows, and how trees are grown.
    how : CrossValidation
        Folds, risk and rule.
    progress : callable, optional
        Called with the share of the work that is done.

    Returns
    -------
    tree : TreeData
        The pruned tree.
    pruning : Pruning
        The table and the words.
    """
    folds, notes = _folds(training, how)
    parts = len(folds) + 1
    tree = training.grow(
        progress=None if progress is None else lambda s: progress(s / parts)
    )
    if not folds:
        return training.finish(tree), not_pruned(tree, notes[0], notes[1:])
    path = find_path(tree, how.risk)
    if how.cp:
        path = path.starting_at(_price(path, how.cp))
    if len(path) == 1:
        tree, pruning = _only_one_size(tree, path, notes)
        return training.finish(tree), pruning
    report = None if progress is None else (lambda n: progress((1 + n) / parts))
    scored = cross_validate(training, path, folds, report, factors=how.factors)
    step = best = least_error(scored.error)
    if how.rule == "1se":
        step = one_standard_error(scored.error, scored.std)
    pruned = path.pruned(step, "cross_validation")
    return training.finish(pruned), Pruning(
        "cv",
        _words(path, step, best, how.rule),
        tree.n_leaves,
        pruned.n_leaves,
        risk=how.risk,
        alpha=path.alpha,
        n_leaves=path.n_leaves,
        error=path.risk,
        cv_error=scored.error,
        cv_std=scored.std,
        chosen=step,
        best=best,
        notes=notes,
        n_folds=len(folds),
    )


def _only_one_size(
    tree: TreeData, path: PruningPath, notes: tuple[str, ...]
) -> tuple[TreeData, Pruning]:
    """Nothing to choose: no split saves anything."""
    pruned = path.pruned(0, "pruned")
    words = f"{leaves_words(pruned.n_leaves)}: no split saves any {path.kind}"
    if tree.n_leaves == 1:
        words = "1 leaf: nothing was grown that could be pruned"
    return pruned, Pruning(
        "cv",
        words,
        tree.n_leaves,
        pruned.n_leaves,
        risk=path.kind,
        alpha=path.alpha,
        n_leaves=path.n_leaves,
        error=path.risk,
        chosen=0,
        best=0,
        notes=notes,
    )


def _folds(
    training: TrainingSet, how: CrossValidation
) -> tuple[list[Fold], tuple[str, ...]]:
    """Return the folds, and what was done otherwise than asked for."""
    if how.folds is not None:
        note = "1 fold: the errors are those of one part held out"
        return how.folds, (note,) if len(how.folds) == 1 else ()
    table, seed = training.table, int(training.options.random_state)
    weights = table.weights
    present: Any = slice(None) if weights is None else weights > 0
    n_rows = table.n_rows if weights is None else int(np.count_nonzero(weights))
    n_groups = None if how.groups is None else len(np.unique(how.groups[present]))
    n_folds, note = n_folds_for(n_rows, how.n_folds, n_groups)
    notes: tuple[str, ...] = (note,) if note else ()
    if n_folds < 2:
        return [], notes
    if isinstance(table.target, ClassTarget):
        notes += _rare(table.target, present)
    return deal(table, n_folds, seed, how.groups), notes


def _rare(target: ClassTarget, present: Any) -> tuple[str, ...]:
    """Name the classes that cannot be both trained on and tested."""
    counts = np.bincount(target.codes[present], minlength=len(target.classes))
    rare = target.classes[counts == 1].tolist()
    if not rare:
        return ()
    shown = ", ".join(map(repr, rare[:5])) + (", ..." if len(rare) > 5 else "")
    which = "class" if len(rare) == 1 else "classes"
    return (f"{which} {shown} with one row: never trained on and tested at once",)


def _words(path: PruningPath, step: int, best: int, rule: str) -> str:
    taken, least = int(path.n_leaves[step]), int(path.n_leaves[best])
    if rule == "min" or best == step == len(path) - 1:
        return f"{leaves_words(taken)}: the tree of least cross-validated error"
    if step == best:
        return (
            f"{leaves_words(taken)}: the tree of least cross-validated error; none "
            "smaller is within one standard error of it"
        )
    return (
        f"{leaves_words(taken)}: the smallest tree within one standard error of the "
        f"best, {leaves_words(least)}"
    )
