"""Growing and pruning inside `fit`: its arguments, and a call for each method."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import OptionError, TableError
from treewright.growing.training_set import TrainingSet
from treewright.options import GrowOptions, PruneOptions
from treewright.options.prune_options import is_pairs, is_splitter
from treewright.pruning.folds import check_groups
from treewright.pruning.given_folds import folds_of_pairs, folds_of_splitter
from treewright.pruning.pessimistic import collapse_useless
from treewright.pruning.prune import (
    CrossValidation,
    cut_at,
    grow_cross_validated,
    not_pruned,
    prune_pessimistically,
)
from treewright.pruning.result import Pruning
from treewright.pruning.validation import grow_validated, prune_by_validation
from treewright.table.costs import cost_factors
from treewright.table.table import ClassTarget, Table
from treewright.tree.data import TreeData
from treewright.tree.new_rows import NewRows

__all__ = ["FitArguments", "grow_pruned"]

_DEFAULT_SHARE = 0.2


@dataclass(frozen=True, kw_only=True)
class FitArguments:
    """What `fit` was given beside the weights, as the caller gave it."""

    X: Any
    y: Any
    groups: Any
    X_val: Any
    y_val: Any
    sample_weight_val: Any

    def check(self, method: str | None, options: PruneOptions) -> None:
        """Refuse arguments that this way of pruning would pass over in silence."""
        prune = f"prune={options.prune!r}"
        if self.groups is not None:
            if method != "cv":
                raise OptionError(
                    f"groups divide the rows over folds, but {prune} uses no folds. "
                    "Pass prune='cv', or leave groups out."
                )
            if is_pairs(options.cv):
                raise OptionError("cv lists the folds already; leave groups out.")
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
                "Give either validation_fraction or X_val and y_val, not both."
            )
        for name in ("X_val", "y_val"):
            if getattr(self, name) is None:
                raise OptionError(
                    f"{named[0]} needs {name} beside it: the validation rows and "
                    "their target."
                )


def grow_pruned(
    table: Table,
    grown: GrowOptions,
    options: PruneOptions,
    method: str | None,
    given: FitArguments,
    factors: NDArray[np.float64] | None = None,
    progress: Callable[[float], Any] | None = None,
) -> tuple[TreeData, Pruning]:
    """Grow a tree and cut it to size.

    Parameters
    ----------
    table : Table
        The training table, with the weights to grow by.
    grown : GrowOptions
        How to grow.
    options : PruneOptions
        How to prune.
    method : {'cv', 'validation', 'pessimistic', 'ccp_alpha'} or None
        From `PruneOptions.method_for`.
    given : FitArguments
        Groups and validation rows; X and y for splitters of scikit-learn.
    factors : float array, optional
        What the weight of each class was multiplied by.
    progress : callable, optional
        See `treewright.grow`.

    Returns
    -------
    tree : TreeData
    pruning : Pruning
    """
    training = TrainingSet(table, grown)
    risk = options.risk_for(grown)
    if method == "cv":
        how = CrossValidation(
            risk=risk,
            rule=options.prune_rule,
            cp=options.ccp_alpha or 0.0,
            factors=factors,
            **_folds(options.cv, given, table.n_rows),
        )
        return grow_cross_validated(training, how, progress)
    keep_ties = options.prune_ties == "keep"
    if method == "validation" and given.X_val is None:
        _check_divisible(training.table)
        share = options.validation_fraction or _DEFAULT_SHARE
        return grow_validated(training, share, keep_ties=keep_ties, progress=progress)
    if method == "validation":
        rows = _new_rows(given, training.table, grown, factors)
    tree = training.grow(progress=progress, last=True)
    if method == "validation":
        tree, pruning = prune_by_validation(tree, rows, keep_ties=keep_ties)
    elif method == "pessimistic":
        confidence = options.prune_confidence
        tree, pruning = prune_pessimistically(tree, confidence, training.table)
    elif method == "ccp_alpha":
        alpha, of_root = options.ccp_alpha or 0.0, grown.conventions == "rpart"
        tree, pruning = cut_at(tree, alpha, risk, of_root=of_root)
    else:
        tree, pruning = _left_unpruned(tree, grown, options)
    return training.finish(tree), pruning


def _left_unpruned(
    tree: TreeData, grown: GrowOptions, options: PruneOptions
) -> tuple[TreeData, Pruning]:
    """Leave a tree as it grew, but for what J48 cuts of its unpruned trees."""
    by = f" with method={grown.method!r}" if options.prune == "auto" else ""
    why = f"not pruned (prune={options.prune!r}{by})"
    n_grown = tree.n_leaves
    if grown.conventions == "j48":
        tree = collapse_useless(tree)
        why += ", but splits that save no training error are cut, as J48 does"
    return tree, replace(not_pruned(tree, why), n_leaves_before=n_grown)


def _folds(cv: Any, given: FitArguments, n_rows: int) -> dict[str, Any]:
    """Return how to get the folds, in the words of `CrossValidation`."""
    groups = None if given.groups is None else check_groups(given.groups, n_rows)
    if is_splitter(cv):
        folds = folds_of_splitter(cv, given.X, given.y, given.groups, n_rows)
        return {"folds": folds}
    if is_pairs(cv):
        return {"folds": folds_of_pairs(cv, n_rows)}
    return {"n_folds": cv, "groups": groups}


def _check_divisible(table: Table) -> None:
    """Refuse to hold rows out where a class has a single one."""
    target = table.target
    if not isinstance(target, ClassTarget):
        return
    codes = target.codes if table.weights is None else target.codes[table.weights > 0]
    counts = np.bincount(codes, minlength=len(target.classes))
    if (counts == 1).any():
        name = target.classes.tolist()[int(np.argmax(counts == 1))]
        raise TableError(
            f"Class {name!r} has one row, which cannot be both trained on and held out "
            "for validation. Leave the class out, or pass X_val and y_val."
        )


def _new_rows(
    given: FitArguments,
    table: Table,
    options: GrowOptions,
    factors: NDArray[np.float64] | None,
) -> NewRows:
    """Read the validation rows by the training table's schema."""
    rows = NewRows.read_by_schema(
        table.schema,
        given.X_val,
        given.y_val,
        given.sample_weight_val,
        refuses_missing=options.missing == "error",
        unseen=options.unseen,
        suffix="_val",
    )
    if not isinstance(rows.target, ClassTarget):
        return rows
    _check_all_classes(table, rows.target)
    if factors is None:
        return rows
    info = table.schema.target
    costs = None if info is None else info.costs
    own = factors if costs is None else factors / cost_factors(costs)
    return replace(rows, weights=own[rows.target.codes] * rows.own_weights)


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
            "class would be pruned away. Add such rows to X_val and y_val."
        )
