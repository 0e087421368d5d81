"""Grow a tree and prune it: one function per method of choosing the size."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import OptionError
from treewright.growing.training_set import TrainingSet
from treewright.options import GrowOptions
from treewright.pruning.cross_validation import cross_validate
from treewright.pruning.folds import Fold, deal, n_folds_for
from treewright.pruning.path import PruningPath, find_path
from treewright.pruning.pessimistic import replace_subtrees
from treewright.pruning.raising import raise_subtrees
from treewright.pruning.result import Pruning
from treewright.pruning.select import Choice, SizeRule, choose_size
from treewright.pruning.shrinkage import can_draw, with_drawn_answers
from treewright.pruning.words import leaves_words, words_of_choice
from treewright.table.table import ClassTarget, Table
from treewright.tree.data import TreeData
from treewright.tree.loss import error_unit, loss_of

__all__ = [
    "CrossValidation",
    "answering",
    "cut_at",
    "grow_cross_validated",
    "not_pruned",
    "only_one_size",
    "prune_pessimistically",
    "record_of",
]

Progress = Callable[[float], Any] | None
_ONE_SE = SizeRule("1se", by="error")
_SAME_CP = 1e-9  # relative slack, so that a cp copied from a table cuts its own nodes


@dataclass(frozen=True, kw_only=True)
class CrossValidation:
    """The settings of cross-validation: folds, risk, rule and answers."""

    risk: str = "error"
    size: SizeRule = _ONE_SE
    strengths: tuple[float, ...] | None = None
    """How strongly answers may be drawn towards the node above; None: not at all."""
    n_folds: int | None = None
    """None is the default, with fewer folds where there are few rows."""
    cp: float = 0.0
    """The smallest price of a leaf to try, a share of the root's risk."""
    folds: list[Fold] | None = None
    """The caller's folds; None deals the rows."""
    groups: NDArray[np.int64] | None = None
    factors: NDArray[np.float64] | None = None
    """The factor by which priors and costs multiplied the weight of each class."""
    keep_path: bool = False
    """Whether the record keeps the whole grown tree."""
    without_folds: GrowOptions | None = None
    """Options of growing for a table of too few rows to cross-validate."""


def not_pruned(tree: TreeData, why: str, notes: tuple[str, ...] = ()) -> Pruning:
    """Return the record of a tree that was not pruned."""
    n = tree.n_leaves
    return Pruning(None, f"{leaves_words(n)}: {why}", n, n, notes=notes)


def cut_at(
    tree: TreeData, alpha: float, risk: str, *, of_root: bool = False
) -> tuple[TreeData, Pruning]:
    """Prune a tree at a fixed price of a leaf.

    Parameters
    ----------
    tree : TreeData
        The tree.
    alpha : float
        The price of a leaf.
    risk : {'error', 'impurity', 'mixed'}
        What counts as risk.
    of_root : bool, default=False
        Whether the price is a share of the root's risk, like rpart's cp.

    Returns
    -------
    tree : TreeData
    pruning : Pruning
    """
    path = find_path(tree, risk)
    price = f"{alpha:g}"
    if of_root:
        price += f" x {path.risk[-1]:g} (the root's {risk})"
        alpha = _price(path, alpha)
    else:
        alpha = loss_of(tree).in_units(alpha)
    step = path.at(alpha)
    pruned = path.pruned(step, "ccp_alpha")
    words = (
        f"{leaves_words(pruned.n_leaves)} of {tree.n_leaves}: the smallest tree with "
        f"the least {risk} + {price} x leaves"
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
    """Return the price of a leaf for a cp, which is a share of the root's risk."""
    return cp * float(path.risk[-1]) * (1 + _SAME_CP)


def prune_pessimistically(
    tree: TreeData, confidence: float, table: Table | None = None
) -> tuple[TreeData, Pruning]:
    """Prune a tree by C4.5's bound of the error.

    Parameters
    ----------
    tree : TreeData
        A classification tree.
    confidence : float
        Confidence of the bound.
    table : Table, optional
        The training rows. With them, C4.5 trees get subtree raising too.

    Returns
    -------
    tree : TreeData
    pruning : Pruning
    """
    if not tree.is_classifier:
        raise OptionError(
            "Pessimistic pruning bounds the share of wrong classes, but this tree "
            "predicts numbers. Use prune='cv' or 'validation'."
        )
    raising = table is not None and tree.method == "c45"
    if raising and table is not None:
        pruned = raise_subtrees(tree, table, confidence)
    else:
        pruned = replace_subtrees(tree, confidence)
    words = (
        f"{leaves_words(pruned.n_leaves)} of {tree.n_leaves}: splits that save no "
        f"errors by the pessimistic bound were cut (confidence {confidence:g}"
        + (", largest branches raised)" if raising else ")")
    )
    return pruned, Pruning("pessimistic", words, tree.n_leaves, pruned.n_leaves)


def grow_cross_validated(
    training: TrainingSet, how: CrossValidation, progress: Progress = None
) -> tuple[TreeData, Pruning]:
    """Grow a tree and prune it to the size that cross-validation chooses.

    Parameters
    ----------
    training : TrainingSet
        The rows, and the options of growing.
    how : CrossValidation
        Folds, risk and rule.
    progress : callable, optional
        Called with the share of the work that is done.

    Returns
    -------
    tree : TreeData
        The pruned tree.
    pruning : Pruning
        The record of the pruning.
    """
    folds, notes = _folds(training, how)
    if not folds and how.without_folds is not None:
        training = training.with_options(
            criterion=how.without_folds.criterion or training.options.criterion,
            min_samples_leaf=how.without_folds.min_samples_leaf,
        )
    parts = len(folds) + 1
    tree = training.grow(
        progress=None if progress is None else lambda s: progress(s / parts)
    )
    if not folds:
        return training.finish(tree), not_pruned(tree, notes[0], notes[1:])
    path = find_path(tree, how.risk)
    if how.cp:
        path = path.starting_at(_price(path, how.cp))
    strengths = how.strengths if can_draw(tree) else None
    if len(path) == 1:
        tree, pruning = only_one_size(tree, path, notes)
        strength = None if strengths is None else strengths[0]
        return answering(training.finish(tree), strength), pruning
    scores = cross_validate(
        training,
        path,
        folds,
        strengths,
        None if progress is None else (lambda n: progress((1 + n) / parts)),
        factors=how.factors,
        unit=error_unit(tree) if tree.is_classifier else 1.0,
    )
    choice = choose_size(scores, path.n_leaves, how.size)
    pruned = path.pruned(choice.step, "cross_validation")
    strength = None if strengths is None else float(choice.strength[choice.step])
    pruning = replace(
        record_of(path, choice, how, strengths is not None),
        shrinkage=strength,
        tree=training.finish(tree) if how.keep_path else None,
        notes=notes,
        n_leaves_before=tree.n_leaves,
        n_folds=len(folds),
    )
    return answering(training.finish(pruned), strength), pruning


def answering(tree: TreeData, strength: float | None) -> TreeData:
    """Return a tree whose answers are drawn with a strength; None: as they are."""
    return tree if strength is None else with_drawn_answers(tree, strength)


def record_of(
    path: PruningPath, choice: Choice, how: CrossValidation, draws: bool
) -> Pruning:
    """Return the record of a choice."""
    is_error = choice.score is choice.error
    step, n_leaves = choice.step, path.n_leaves
    return Pruning(
        "cv",
        words_of_choice(choice, n_leaves, how.size),
        n_leaves_before=int(n_leaves[0]),
        n_leaves_after=int(n_leaves[step]),
        risk=how.risk,
        alpha=path.alpha,
        n_leaves=n_leaves,
        error=path.risk_by("error") if how.risk == "mixed" else path.risk,
        cv_error=choice.error,
        cv_std=choice.error_std,
        log_loss=choice.log_loss,
        score=np.zeros(0) if is_error else choice.score,
        score_std=np.zeros(0) if is_error else choice.score_std,
        strength=choice.strength if draws else np.zeros(0),
        chosen=step,
        best=choice.best,
        one_se=choice.one_se,
        rule=how.size.rule,
    )


def only_one_size(
    tree: TreeData, path: PruningPath, notes: tuple[str, ...]
) -> tuple[TreeData, Pruning]:
    """Return the only tree of a path in which no split saves anything."""
    pruned = path.pruned(0, "pruned")
    words = f"{leaves_words(pruned.n_leaves)}: no split saves any {path.kind}"
    if tree.n_leaves == 1:
        words = "1 leaf: the grown tree has no split to prune"
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
    """Return the folds, and notes on departures from the settings."""
    if how.folds is not None:
        note = "1 fold: the errors come from a single held-out part"
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
    """Return a note on the classes that cannot be both trained on and tested."""
    counts = np.bincount(target.codes[present], minlength=len(target.classes))
    rare = target.classes[counts == 1].tolist()
    if not rare:
        return ()
    shown = ", ".join(map(repr, rare[:5])) + (", ..." if len(rare) > 5 else "")
    have = "class {} has one row" if len(rare) == 1 else "classes {} have one row each"
    return (f"{have.format(shown)}, never both trained on and tested",)
