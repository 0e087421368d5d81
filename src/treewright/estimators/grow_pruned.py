"""Growing and pruning inside `fit`: its arguments, and one call per pruning method."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.criteria import find
from treewright.errors import OptionError, TableError
from treewright.growing.parts.training import TrainingParts
from treewright.growing.training_set import TrainingSet, settled_options
from treewright.options import GrowOptions, PruneOptions
from treewright.options.prune_options import is_pairs, is_splitter
from treewright.options.rules import is_whole
from treewright.pruning.folds import check_groups, n_folds_for
from treewright.pruning.given_folds import folds_of_pairs, folds_of_splitter
from treewright.pruning.in_parts import (
    grow_cross_validated_in_parts,
    grow_validated_in_parts,
)
from treewright.pruning.pessimistic import collapse_useless
from treewright.pruning.prune import (
    CrossValidation,
    cut_at,
    grow_cross_validated,
    not_pruned,
    prune_pessimistically,
)
from treewright.pruning.result import Pruning
from treewright.pruning.select import SizeRule
from treewright.pruning.shrinkage import STRENGTHS, with_drawn_answers
from treewright.pruning.validation import grow_validated, prune_by_validation
from treewright.table.hash_folds import HashFolds
from treewright.table.table import ClassTarget, Table
from treewright.table.weights import rows_per_weight
from treewright.tree.data import TreeData
from treewright.tree.new_rows import NewRows

__all__ = ["FitArguments", "Weighting", "grow_pruned", "grow_pruned_in_parts"]

_DEFAULT_SHARE = 0.2
_PRICE = 0.04
"""A tree twice as large must have 2.7% fewer errors, or a 2.7% smaller RMSE."""


@dataclass(frozen=True, eq=False)
class Weighting:
    """The weights of rows in parts.

    Attributes
    ----------
    n_rows : int
        Rows of positive weight.
    total : float
        Sum of the weights, with class weights, but not altered by priors and costs.
    factors : float64 array or None
        The factor by which priors, costs and class weights multiplied the weight of
        each class; None: nothing did.
    """

    n_rows: int
    total: float
    factors: NDArray[np.float64] | None

    @property
    def copies(self) -> float:
        """How many rows a unit of weight counts as."""
        return rows_per_weight(self.total, self.n_rows)


@dataclass(frozen=True, kw_only=True)
class FitArguments:
    """The caller's arguments of `fit`, except `sample_weight`."""

    X: Any
    y: Any
    groups: Any
    X_val: Any
    y_val: Any
    sample_weight_val: Any

    def check(self, method: str | None, options: PruneOptions) -> None:
        """Refuse arguments that this method of pruning would silently ignore."""
        prune = f"prune={options.prune!r}"
        if self.groups is not None:
            if method != "cv":
                raise OptionError(
                    f"groups divide the rows into folds, but {prune} uses no folds. "
                    "Pass prune='cv', or leave groups out."
                )
            if is_pairs(options.cv):
                raise OptionError("cv already lists the folds; leave groups out.")
        names = ("X_val", "y_val", "sample_weight_val")
        named = [name for name in names if getattr(self, name) is not None]
        if not named:
            return
        if method != "validation":
            raise OptionError(
                f"{named[0]} belongs to prune='validation', but {prune} is set. Pass "
                f"prune='validation', or leave {named[0]} out."
            )
        if options.validation_fraction is not None:
            raise OptionError(
                "Pass either validation_fraction or X_val and y_val, not both."
            )
        for name in ("X_val", "y_val"):
            if getattr(self, name) is None:
                raise OptionError(
                    f"{named[0]} needs {name} too: pass the validation rows and "
                    "their target."
                )


def grow_pruned(
    table: Table,
    grow_options: GrowOptions,
    options: PruneOptions,
    method: str | None,
    arguments: FitArguments,
    factors: NDArray[np.float64] | None = None,
    progress: Callable[[float], Any] | None = None,
) -> tuple[TreeData, Pruning]:
    """Grow a tree and prune it.

    Parameters
    ----------
    table : Table
        The training table, with the weights to grow by.
    grow_options : GrowOptions
        How to grow.
    options : PruneOptions
        How to prune.
    method : {'cv', 'validation', 'pessimistic', 'ccp_alpha'} or None
        From `PruneOptions.method_for`.
    arguments : FitArguments
        Groups and validation rows; X and y for splitters of scikit-learn.
    factors : float array, optional
        The factor by which the weight of each class was multiplied.
    progress : callable, optional
        See `treewright.grow`.

    Returns
    -------
    tree : TreeData
    pruning : Pruning
    """
    task = "class" if isinstance(table.target, ClassTarget) else "number"
    chooses = options.chooses(method, grow_options)
    strengths = _strengths(options, task, chooses)
    training = TrainingSet(table, grow_options.for_size(task, chosen=chooses))
    risk = options.risk_for(grow_options, task)
    if method == "cv":
        how = CrossValidation(
            risk=risk,
            size=_size_rule(options, training.options),
            strengths=strengths,
            cp=options.ccp_alpha or 0.0,
            factors=factors,
            keep_path=options.keep_path,
            without_folds=grow_options.for_size(task, chosen=False),
            **_folds(options.cv, arguments, table.n_rows),
        )
        tree, pruning = grow_cross_validated(training, how, progress)
    elif method == "validation":
        tree, pruning = _validated(training, options, strengths, arguments, progress)
    else:
        tree = training.grow(progress=progress, last=True)
        tree, pruning = _cut(
            tree, training.table, training.options, options, method, risk
        )
        tree = training.finish(tree)
        if strengths is not None:
            tree = with_drawn_answers(tree, strengths[0])
            pruning = replace(pruning, shrinkage=strengths[0])
    return tree, pruning if pruning.tree is not None else replace(pruning, tree=tree)


def grow_pruned_in_parts(
    make_training: Callable[[GrowOptions, HashFolds | None], TrainingParts],
    grow_options: GrowOptions,
    options: PruneOptions,
    method: str | None,
    task: str,
    weighting: Weighting,
    progress: Callable[[float], Any] | None = None,
) -> tuple[TreeData, Pruning, TrainingParts]:
    """Grow a tree from rows in parts and prune it.

    Parameters
    ----------
    make_training : callable
        Codes the rows, for the options of growing and a division into folds.
    grow_options, options, method, progress
        See `grow_pruned`.
    task : {'class', 'number'}
        What the target holds.
    weighting : Weighting
        What is known about the weights.

    Returns
    -------
    tree : TreeData
    pruning : Pruning
    training : TrainingParts
    """
    chooses = options.chooses(method, grow_options)
    strengths = _strengths(options, task, chooses)
    sized = grow_options.for_size(task, chosen=chooses)
    # A generator is drawn from once, for the folds and for the tree.
    seed = int(settled_options(task, False, sized).random_state)
    sized = replace(sized, random_state=seed)
    risk = options.risk_for(grow_options, task)
    if method == "cv":
        n_folds = _number_of_folds(options.cv, weighting.n_rows)
        training = make_training(sized, HashFolds(n_folds, seed=seed))
        how = CrossValidation(
            risk=risk,
            size=_size_rule(options, training.options),
            strengths=strengths,
            factors=weighting.factors,
            keep_path=options.keep_path,
        )
        tree, pruning = grow_cross_validated_in_parts(
            training, how, weighting.copies, progress
        )
    elif method == "validation":
        share = options.validation_fraction or _DEFAULT_SHARE
        training = make_training(sized, HashFolds.held_out(share, seed))
        _check_classes(training)
        tree, pruning = grow_validated_in_parts(
            training,
            keep_ties=options.prune_ties == "keep",
            strengths=strengths,
            progress=progress,
        )
    else:
        training = make_training(sized, None)
        tree = training.grow(progress=progress)
        tree, pruning = _cut(tree, None, training.options, options, method, risk)
        tree = training.finish(tree)
        if strengths is not None:
            tree = with_drawn_answers(tree, strengths[0])
            pruning = replace(pruning, shrinkage=strengths[0])
    if pruning.tree is None:
        pruning = replace(pruning, tree=tree)
    return tree, pruning, training


def _number_of_folds(cv: Any, n_rows: int) -> int:
    """Return the number of folds by hash."""
    if cv is not None and not is_whole(cv):
        raise OptionError(
            "Rows in parts are divided into folds by the hash of each row, so cv must "
            f"be a number of folds or None; got {cv!r:.60}."
        )
    return n_folds_for(n_rows, cv, None)[0]


def _check_classes(training: TrainingParts) -> None:
    """Refuse to hold rows out if a class has a single row."""
    info = training.schema.target
    assert info is not None, "a tree has a target"
    counts = np.sum(training.report.classes, axis=0)
    if info.kind == "class" and (counts == 1).any():
        raise _one_row(info.classes[int(np.argmax(counts == 1))])


def _one_row(name: Any) -> TableError:
    return TableError(
        f"Class {name!r} has one row, which cannot be both trained on and held out for "
        "validation. Leave the class out, or use prune='cv' or prune=None. With a "
        "table in memory, you can also pass X_val and y_val."
    )


def _strengths(
    options: PruneOptions, task: str, chooses: bool
) -> tuple[float, ...] | None:
    """Return how strongly answers may be drawn; None: not at all."""
    if options.shrinkage == "auto":
        return STRENGTHS[task] if chooses else None
    return None if options.shrinkage is None else (float(options.shrinkage),)


def _size_rule(options: PruneOptions, grown: GrowOptions) -> SizeRule:
    """Return the rule of the size, with the price that was measured to be best."""
    criterion = find(str(grown.criterion))
    # A squared error or a deviance falls twice as fast as a root or a share.
    usual = 2 * _PRICE if getattr(criterion, "is_bregman", False) else _PRICE
    price = usual if options.size_price == "auto" else float(options.size_price)
    return SizeRule(options.prune_rule, price, options.size_by)


def _validated(
    training: TrainingSet,
    options: PruneOptions,
    strengths: tuple[float, ...] | None,
    arguments: FitArguments,
    progress: Callable[[float], Any] | None,
) -> tuple[TreeData, Pruning]:
    keep_ties = options.prune_ties == "keep"
    if arguments.X_val is None:
        _check_divisible(training.table)
        share = options.validation_fraction or _DEFAULT_SHARE
        return grow_validated(
            training, share, keep_ties=keep_ties, strengths=strengths, progress=progress
        )
    rows = _new_rows(arguments, training.table, training.options)
    tree = training.grow(progress=progress, last=True)
    tree, pruning = prune_by_validation(
        tree, rows, keep_ties=keep_ties, strengths=strengths
    )
    return training.finish(tree), pruning


def _cut(
    tree: TreeData,
    table: Table | None,
    grown: GrowOptions,
    options: PruneOptions,
    method: str | None,
    risk: str,
) -> tuple[TreeData, Pruning]:
    """Prune a grown tree without rows that were left out."""
    if method == "pessimistic":
        return prune_pessimistically(tree, options.prune_confidence, table)
    if method == "ccp_alpha":
        of_root = grown.conventions == "rpart"
        return cut_at(tree, options.ccp_alpha or 0.0, risk, of_root=of_root)
    return _left_unpruned(tree, grown, options)


def _left_unpruned(
    tree: TreeData, grow_options: GrowOptions, options: PruneOptions
) -> tuple[TreeData, Pruning]:
    """Return the tree as grown, except for the splits that J48 always collapses."""
    by = f" with method={grow_options.method!r}" if options.prune == "auto" else ""
    why = f"not pruned (prune={options.prune!r}{by})"
    n_grown = tree.n_leaves
    if grow_options.conventions == "j48":
        tree = collapse_useless(tree)
        why += ", but splits that save no training error are cut, as in J48"
    return tree, replace(not_pruned(tree, why), n_leaves_before=n_grown)


def _folds(cv: Any, fit: FitArguments, n_rows: int) -> dict[str, Any]:
    """Return the arguments of `CrossValidation` that determine the folds."""
    groups = None if fit.groups is None else check_groups(fit.groups, n_rows)
    if is_splitter(cv):
        folds = folds_of_splitter(cv, fit.X, fit.y, fit.groups, n_rows)
        return {"folds": folds}
    if is_pairs(cv):
        return {"folds": folds_of_pairs(cv, n_rows)}
    return {"n_folds": cv, "groups": groups}


def _check_divisible(table: Table) -> None:
    """Refuse to hold rows out if a class has a single row."""
    target = table.target
    if not isinstance(target, ClassTarget):
        return
    codes = target.codes if table.weights is None else target.codes[table.weights > 0]
    counts = np.bincount(codes, minlength=len(target.classes))
    if (counts == 1).any():
        raise _one_row(target.classes.tolist()[int(np.argmax(counts == 1))])


def _new_rows(arguments: FitArguments, table: Table, options: GrowOptions) -> NewRows:
    """Read the validation rows by the training table's schema."""
    rows = NewRows.read_by_schema(
        table.schema,
        arguments.X_val,
        arguments.y_val,
        arguments.sample_weight_val,
        criterion=find(str(options.criterion)),
        refuses_missing=options.missing == "error",
        unseen=options.unseen,
        suffix="_val",
    )
    if isinstance(rows.target, ClassTarget):
        _check_all_classes(table, rows.target)
    return rows


def _check_all_classes(table: Table, target: ClassTarget) -> None:
    trained = table.target
    assert isinstance(trained, ClassTarget)
    n = len(trained.classes)
    there = np.bincount(trained.codes, minlength=n) > 0
    lacking = there & (np.bincount(target.codes, minlength=n) == 0)
    if lacking.any():
        name = trained.classes.tolist()[int(np.argmax(lacking))]
        raise TableError(
            f"The validation rows have no row of class {name!r}, so every leaf of that "
            "class would be pruned. Add such rows to X_val and y_val."
        )
