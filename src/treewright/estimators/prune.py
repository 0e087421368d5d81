"""Pruning inside `fit`: which way, whether the settings agree, and doing it."""

from __future__ import annotations

import numbers
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import OptionError, TableError, nearest_name
from treewright.growing.grow import grow
from treewright.options import GrowOptions
from treewright.pruning.folds import Fold, check_groups
from treewright.pruning.path import check_alpha
from treewright.pruning.pessimistic import check_confidence
from treewright.pruning.prune import (
    CrossValidation,
    cut_at,
    grow_cross_validated,
    not_pruned,
    prune_pessimistically,
)
from treewright.pruning.result import Pruning
from treewright.pruning.risks import RISKS
from treewright.pruning.validation import grow_validated, prune_by_validation
from treewright.table.costs import cost_factors
from treewright.table.table import ClassTarget, Table
from treewright.tree.data import TreeData
from treewright.tree.new_rows import NewRows

__all__ = ["PrunePlan", "grow_pruned", "plan_pruning", "risk_of"]

_METHODS = ("auto", "cv", "validation", "pessimistic")
_BY_DEFAULT = {"cart": "cv", "c45": "pessimistic", "id3": None}
_DEFAULT_SHARE = 0.2
_VALIDATION = ("X_val", "y_val", "sample_weight_val")

_SETTINGS: Mapping[str, tuple[Any, tuple[str | None, ...]]] = {
    "prune_rule": ("1se", ("cv",)),
    "prune_risk": ("auto", ("cv", "ccp_alpha")),
    "prune_ties": ("prune", ("validation",)),
    "prune_confidence": (0.25, ("pessimistic",)),
    "cv": (None, ("cv",)),
    "validation_fraction": (None, ("validation",)),
}
"""For each parameter its default, and the methods that it belongs to."""


@dataclass(frozen=True)
class PrunePlan:
    """What `fit` will do about the size of the tree, settings checked."""

    method: str | None
    why: str
    rule: str
    risk: str
    ties: str
    confidence: float
    cv: Any
    alpha: float
    share: float | None
    groups: Any
    rows: Mapping[str, Any]


def plan_pruning(estimator: Any, **fit_arguments: Any) -> PrunePlan:
    """Check an estimator's settings of pruning, and settle what they mean.

    Parameters
    ----------
    estimator : TreeClassifier or TreeRegressor
        Whose parameters count.
    **fit_arguments
        `groups`, `X_val`, `y_val` and `sample_weight_val` of `fit`.

    Returns
    -------
    PrunePlan

    Raises
    ------
    OptionError
        When a value is out of range, or two settings contradict each other.
    """
    method, why = _method(estimator)
    _check_words(estimator)
    _check_contradictions(estimator, method, fit_arguments)
    share = _checked_share(estimator.validation_fraction)
    rows = {name: fit_arguments.get(name) for name in _VALIDATION}
    if method == "validation" and share is None and rows["X_val"] is None:
        share = _DEFAULT_SHARE
    alpha = 0.0
    if estimator.ccp_alpha is not None:
        alpha = check_alpha(estimator.ccp_alpha, "ccp_alpha")
    return PrunePlan(
        method,
        why,
        estimator.prune_rule,
        risk_of(estimator),
        estimator.prune_ties,
        check_confidence(estimator.prune_confidence),
        _checked_cv(estimator.cv),
        alpha,
        share,
        fit_arguments.get("groups"),
        rows,
    )


def risk_of(estimator: Any) -> str:
    """Return what counts as risk: scikit-learn's where its parameter is used."""
    if estimator.prune_risk != "auto":
        return str(estimator.prune_risk)
    is_price = estimator.ccp_alpha is not None and estimator.conventions != "rpart"
    return "impurity" if is_price else "error"


def grow_pruned(
    plan: PrunePlan,
    table: Table,
    options: GrowOptions,
    factors: NDArray[np.float64] | None = None,
    given: tuple[Any, Any] = (None, None),
    progress: Callable[[float], Any] | None = None,
) -> tuple[TreeData, Pruning]:
    """Grow a tree and cut it to size as planned.

    Parameters
    ----------
    plan : PrunePlan
        From `plan_pruning`.
    table : Table
        The training table, with the weights to grow by.
    options : GrowOptions
        How to grow.
    factors : float array, optional
        What the weight of each class was multiplied by.
    given : tuple, optional
        X and y as the caller gave them, for splitters of scikit-learn.
    progress : callable, optional
        See `treewright.grow`.

    Returns
    -------
    tree : TreeData
    pruning : Pruning
    """
    if plan.method == "cv":
        folds = _folds(plan, table, given)
        how = CrossValidation(risk=plan.risk, rule=plan.rule, factors=factors, **folds)
        return grow_cross_validated(table, options, how, progress)
    if plan.method == "validation" and plan.share is not None:
        _check_divisible(table)
        return grow_validated(
            table,
            options,
            plan.share,
            keep_ties=plan.ties == "keep",
            progress=progress,
        )
    rows = None
    if plan.method == "validation":
        rows = _new_rows(plan, table, options, factors)
    tree = grow(table, options, progress=progress)
    if rows is not None:
        return prune_by_validation(tree, rows, keep_ties=plan.ties == "keep")
    if plan.method == "pessimistic":
        return prune_pessimistically(tree, plan.confidence, table)
    if plan.method == "ccp_alpha":
        of_root = options.conventions == "rpart"
        return cut_at(tree, plan.alpha, plan.risk, of_root=of_root)
    return tree, not_pruned(tree, plan.why)


# -- the settings -----------------------------------------------------------------


def _method(estimator: Any) -> tuple[str | None, str]:
    prune, grown_by = estimator.prune, getattr(estimator, "method", "cart")
    if prune is None:
        return None, "not pruned (prune=None)"
    if not isinstance(prune, str) or prune not in _METHODS:
        near = nearest_name(str(prune), _METHODS)
        hint = f" Did you mean {near!r}?" if near else ""
        raise OptionError(
            "prune must be 'auto', 'cv', 'validation', 'pessimistic' or None for the "
            f"unpruned tree; got {prune!r}.{hint}"
        )
    if prune != "auto":
        if prune == "pessimistic" and estimator._task != "class":
            raise OptionError(
                "prune='pessimistic' bounds the share of wrong classes, so it needs a "
                "target of classes. Use prune='cv' or 'validation' for numbers."
            )
        return prune, ""
    if estimator.ccp_alpha is not None:
        return "ccp_alpha", ""
    method = _BY_DEFAULT.get(str(grown_by), "cv")
    if method == "pessimistic" and estimator._task != "class":
        method = "cv"
    return method, f"not pruned (prune='auto' with method={grown_by!r})"


def _check_words(estimator: Any) -> None:
    words = {
        "prune_rule": ("1se", "min"),
        "prune_risk": ("auto", *RISKS),
        "prune_ties": ("prune", "keep"),
    }
    for name, allowed in words.items():
        value = getattr(estimator, name)
        if not isinstance(value, str) or value not in allowed:
            listed = ", ".join(map(repr, allowed[:-1])) + f" or {allowed[-1]!r}"
            raise OptionError(f"{name} must be {listed}; got {value!r}.")


def _check_contradictions(
    estimator: Any, method: str | None, fit_arguments: Mapping[str, Any]
) -> None:
    """Refuse what would be passed over in silence."""
    prune = f"prune={estimator.prune!r}"
    if estimator.ccp_alpha is not None and method != "ccp_alpha":
        raise OptionError(
            f"ccp_alpha={estimator.ccp_alpha!r} is a fixed cut, which contradicts "
            f"{prune}. Leave one of the two out."
        )
    for name, (default, methods) in _SETTINGS.items():
        value = getattr(estimator, name)
        unset = value is default or (
            isinstance(value, (str, float)) and value == default
        )
        # Programs hand ready-made folds to whatever has a `cv`, scikit-learn's checks
        # among them; a number is what people write.
        unset = unset or (name == "cv" and not isinstance(value, numbers.Integral))
        if not unset and method not in methods:
            what = f"prune={methods[0]!r}"
            raise OptionError(
                f"{name} belongs to {what}, but {prune}"
                + (" and ccp_alpha are" if method == "ccp_alpha" else " is")
                + f" set. Pass {what}, or leave {name} out."
            )
    _check_fit_arguments(estimator, method, fit_arguments, prune)


def _check_fit_arguments(
    estimator: Any, method: str | None, given: Mapping[str, Any], prune: str
) -> None:
    if given.get("groups") is not None:
        if method != "cv":
            raise OptionError(
                f"groups divide the rows over folds, but {prune} uses no folds. Pass "
                "prune='cv', or leave groups out."
            )
        if _is_pairs(estimator.cv):
            raise OptionError("cv lists the folds already; leave groups out.")
    named = [name for name in _VALIDATION if given.get(name) is not None]
    if not named:
        return
    if method != "validation":
        raise OptionError(
            f"{named[0]} belongs to prune='validation', but {prune} is set. Pass "
            f"prune='validation', or leave {named[0]} out."
        )
    if estimator.validation_fraction is not None:
        raise OptionError(
            "Give either validation_fraction or X_val and y_val, not both."
        )
    missing = [name for name in ("X_val", "y_val") if given.get(name) is None]
    if missing:
        raise OptionError(
            f"{named[0]} needs {missing[0]} beside it: the validation rows and their "
            "target."
        )


def _checked_share(share: Any) -> float | None:
    if share is None:
        return None
    real = isinstance(share, numbers.Real) and not isinstance(share, bool)
    if not real or not 0 < float(share) < 1:
        raise OptionError(
            "validation_fraction must be a share of the rows above 0 and below 1, or "
            f"None; got {share!r}."
        )
    return float(share)


def _checked_cv(cv: Any) -> Any:
    whole = isinstance(cv, numbers.Integral) and not isinstance(cv, bool)
    if cv is None or _is_splitter(cv) or _is_pairs(cv):
        return cv
    if not whole or cv < 2:
        raise OptionError(
            "cv must be a number of folds >= 2, a splitter of scikit-learn, a list of "
            f"(train, test) row numbers, or None for 10 folds; got {cv!r}."
        )
    return int(cv)


def _is_splitter(cv: Any) -> bool:
    return hasattr(cv, "split") and not isinstance(cv, str)


def _is_pairs(cv: Any) -> bool:
    return isinstance(cv, Iterable) and not isinstance(cv, str) and not _is_splitter(cv)


# -- rows ---------------------------------------------------------------------------


def _folds(plan: PrunePlan, table: Table, given: tuple[Any, Any]) -> dict[str, Any]:
    """Return how to get the folds, in the words of `CrossValidation`."""
    cv, n_rows = plan.cv, table.n_rows
    groups = None if plan.groups is None else check_groups(plan.groups, n_rows)
    if _is_splitter(cv):
        return {"folds": [_fold(pair, n_rows) for pair in _split(plan, n_rows, given)]}
    if _is_pairs(cv):
        folds = [_fold(pair, n_rows) for pair in cv]
        if not folds:
            raise OptionError("cv is an empty list of folds. Give two or more.")
        return {"folds": folds}
    return {"n_folds": cv, "groups": groups}


def _split(plan: PrunePlan, n_rows: int, given: tuple[Any, Any]) -> list[Any]:
    X, y = given
    try:
        return list(
            plan.cv.split(np.zeros((n_rows, 1)) if X is None else X, y, plan.groups)
        )
    except (TypeError, ValueError) as problem:
        if plan.groups is None and "group" in str(problem).lower():
            raise OptionError(
                f"cv={plan.cv!r} divides the rows by groups, and none were given. Pass "
                "fit(X, y, groups=...), one name per row."
            ) from problem
        raise


def _fold(pair: Any, n_rows: int) -> Fold:
    try:
        train, test = (np.asarray(part) for part in pair)
    except (TypeError, ValueError):
        train = test = np.zeros(0)
    parts = []
    for part in (train, test):
        rows = np.flatnonzero(part) if part.dtype == np.bool_ else part
        if rows.ndim != 1 or rows.dtype.kind not in "iu" or not len(rows):
            raise OptionError(
                "cv must list pairs (train, test), each an array of row numbers that "
                f"is not empty; got {pair!r:.80}."
            )
        if rows.min() < 0 or rows.max() >= n_rows:
            raise OptionError(
                f"cv names row {int(rows.max())}, but the table has rows 0 to "
                f"{n_rows - 1}."
            )
        parts.append(rows.astype(np.int64))
    return Fold(parts[1], np.bincount(parts[0], minlength=n_rows).astype(np.float64))


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
    plan: PrunePlan,
    table: Table,
    options: GrowOptions,
    factors: NDArray[np.float64] | None,
) -> NewRows:
    """Read the validation rows by the training table's schema."""
    info = table.schema.target
    rows = NewRows.read_by_schema(
        table.schema,
        *(plan.rows[name] for name in _VALIDATION),
        refuses_missing=options.missing == "error",
        unseen=options.unseen,
        suffix="_val",
    )
    if not isinstance(rows.target, ClassTarget):
        return rows
    _check_all_classes(table, rows.target)
    if factors is None:
        return rows
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
