"""A decision tree of scikit-learn as a tree of treewright.

scikit-learn rounds numbers to float32 before it compares them with a threshold, which
is a float64. The imported columns carry the mark `Feature.float32`, so that routing,
explanations and exports round in the same way. An export compares float64 numbers with
the largest one that rounds to a float32 of at most the threshold.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.criteria import Criterion, find
from treewright.errors import OptionError
from treewright.importing.assemble import assemble, preorder
from treewright.table.from_numpy import float32_below
from treewright.table.schema import Feature, Schema, TargetInfo
from treewright.tree.data import IS_MISSING, LEAF, THRESHOLD, TreeData

__all__ = ["from_sklearn"]

NODE = "sklearn_node"
"""The extra array with scikit-learn's number of each node."""


def from_sklearn(estimator: Any, tree: int | tuple[int, int] | None = None) -> TreeData:
    """Return a fitted decision tree of scikit-learn as a tree.

    Parameters
    ----------
    estimator : fitted estimator of scikit-learn
        A DecisionTree, an ExtraTree, a forest or gradient boosting.
    tree : int or pair of int, optional
        Which tree of a forest, or which stage of boosting; with several classes, the
        stage and the place of the class.

    Returns
    -------
    TreeData

    Raises
    ------
    OptionError
        When the estimator is not fitted, or has no equal.
    """
    one, labels = _one_tree(estimator, tree)
    if not hasattr(one, "tree_"):
        raise OptionError(f"This {type(one).__name__} has no tree yet; call fit first.")
    if one.n_outputs_ != 1:
        raise OptionError(
            f"This tree predicts {one.n_outputs_} targets at once, and a treewright "
            "tree predicts one. Fit one estimator per target."
        )
    schema = Schema(
        _features(estimator, one.n_features_in_),
        _target(one, labels),
        _named(estimator),
    )
    criterion = _criterion(one)
    arrays, numbers = _arrays(one, criterion)
    of = "" if one is estimator else f", tree {tree!r} of {type(estimator).__name__}"
    note = f"Imported from scikit-learn: {type(one).__name__}{of}."
    return assemble(schema, criterion, arrays, note, {NODE: numbers})


# -- which tree ------------------------------------------------------------------------


def _one_tree(estimator: Any, tree: Any) -> tuple[Any, Any]:
    """Return the estimator of one tree, and the classes of the ensemble, if any."""
    from sklearn.ensemble import GradientBoostingClassifier, GradientBoostingRegressor
    from sklearn.ensemble._forest import BaseForest
    from sklearn.tree import BaseDecisionTree

    if isinstance(estimator, BaseDecisionTree):
        if tree is not None:
            raise OptionError(
                f"A {type(estimator).__name__} is one tree; leave out tree={tree!r}."
            )
        return estimator, getattr(estimator, "classes_", None)
    boosting = (GradientBoostingClassifier, GradientBoostingRegressor)
    if not isinstance(estimator, (BaseForest, *boosting)):
        raise OptionError(_refusal(estimator))
    if not hasattr(estimator, "estimators_"):
        raise OptionError(
            f"This {type(estimator).__name__} has no trees yet; call fit first."
        )
    trees = np.asarray(estimator.estimators_, object)
    place = _place(trees, tree)
    # The trees of a forest number the classes; those of boosting predict numbers.
    return trees[place], getattr(estimator, "classes_", None)


def _place(trees: NDArray[Any], tree: Any) -> tuple[int, ...]:
    """Return the place of the chosen tree in the array of trees."""
    given = tree if isinstance(tree, tuple) else () if tree is None else (tree,)
    if trees.ndim == 2 and trees.shape[1] == 1 and len(given) == 1:
        given = (*given, 0)
    if len(given) == trees.ndim and all(
        isinstance(i, (int, np.integer)) and 0 <= i < n
        for i, n in zip(given, trees.shape, strict=True)
    ):
        return tuple(map(int, given))
    sizes = " and ".join(f"0 to {n - 1}" for n in trees.shape)
    wanted = "a number" if trees.ndim == 1 else "a stage and the place of a class,"
    raise OptionError(
        f"tree must say which of the {trees.size:,} trees to take: {wanted} from "
        f"{sizes}; got {tree!r}."
    )


def _refusal(estimator: Any) -> str:
    kind = type(estimator).__name__
    if kind.startswith("HistGradientBoosting"):
        return (
            f"The trees of {kind} keep neither impurity nor weights, so they cannot be "
            "read as decision trees. GradientBoosting and forests can be imported."
        )
    hint = ""
    if hasattr(estimator, "named_steps"):
        hint = " Pass the last step of the pipeline, pipe[-1]."
    elif hasattr(estimator, "best_estimator_"):
        hint = " Pass its best_estimator_."
    elif type(estimator).__module__.partition(".")[0] == "treewright":
        hint = " It is a treewright estimator already: its tree is tree_."
    return (
        "from_sklearn takes a fitted DecisionTree, ExtraTree, forest or "
        f"GradientBoosting of scikit-learn; got {kind}.{hint}"
    )


# -- columns and target ----------------------------------------------------------------


def _named(estimator: Any) -> bool:
    return hasattr(estimator, "feature_names_in_")


def _features(estimator: Any, n_columns: int) -> tuple[Feature, ...]:
    names = [f"x{i}" for i in range(n_columns)]
    if _named(estimator):
        names = [str(name) for name in estimator.feature_names_in_]
    reason = "scikit-learn compares numbers that are rounded to float32."
    return tuple(Feature(name, float32=True, reason=reason) for name in names)


def _target(one: Any, labels: Any) -> TargetInfo:
    if not hasattr(one, "classes_"):
        return TargetInfo("y", "number")
    classes = tuple(np.asarray(labels).tolist())
    for label in classes:
        if not isinstance(label, (str, int, float)):
            raise OptionError(
                "Classes must be text, numbers or truth values; this estimator has "
                f"{label!r}, of type {type(label).__name__}. Fit it to such classes."
            )
    return TargetInfo("y", "class", classes)


def _criterion(one: Any) -> Criterion:
    # Both names stand for the same impurity; only the choice of splits differs.
    name = {"friedman_mse": "squared_error"}.get(one.criterion, one.criterion)
    known = (
        "gini",
        "entropy",
        "log_loss",
        "squared_error",
        "absolute_error",
        "poisson",
    )
    if name not in known:
        raise OptionError(
            f"from_sklearn knows the criteria {', '.join(known)} and friedman_mse; "
            f"this tree was grown with {one.criterion!r}. Fit it with the name of one "
            "of these."
        )
    return find(name)


# -- nodes -----------------------------------------------------------------------------


def _arrays(
    one: Any, criterion: Criterion
) -> tuple[dict[str, NDArray[Any]], NDArray[np.int64]]:
    """Return the arrays of the tree in preorder, and scikit-learn's node numbers."""
    theirs = one.tree_
    is_leaf = theirs.children_left < 0
    to_left = np.asarray(theirs.missing_go_to_left, bool)
    at = theirs.threshold
    # "Is missing" has missing values in branch 0: in scikit-learn, on either side of a
    # threshold beyond all numbers.
    swapped = ~is_leaf & (at == np.inf) & ~to_left
    on_missing = swapped | (~is_leaf & (at == -np.inf) & to_left)
    left = np.where(swapped, theirs.children_right, theirs.children_left)
    right = np.where(swapped, theirs.children_left, theirs.children_right)
    order = preorder(left.tolist(), right.tolist())
    kind = np.select([is_leaf, on_missing], [LEAF, IS_MISSING], THRESHOLD)
    route = np.select([is_leaf, on_missing | to_left], [-1, 0], 1)
    arrays = {
        "split_kind": kind.astype(np.int8),
        "feature": np.where(is_leaf, -1, theirs.feature).astype(np.int32),
        "threshold": np.where(kind == THRESHOLD, _shortest(at), np.nan),
        "missing_route": route.astype(np.int32),
        "n_rows": theirs.n_node_samples.astype(np.int64),
        "weight": theirs.weighted_n_node_samples.astype(np.float64),
        "impurity": np.maximum(theirs.impurity, 0.0),
        "proven": is_leaf | (one.splitter == "best"),
        **_answers(one),
    }
    if "risk" not in arrays:
        arrays["risk"] = arrays["impurity"]
    in_order = {name: array[order.nodes] for name, array in arrays.items()}
    return {**in_order, "subtree_size": order.subtree_size}, order.nodes


def _shortest(thresholds: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the shortest decimals that send every float32 to the same side.

    These are the decimals from the largest float32 that is not above the threshold up
    to the next float32.
    """
    low = float32_below(thresholds)
    with np.errstate(over="ignore"):
        high = np.nextafter(low.astype(np.float32), np.float32(np.inf))
    triples = zip(thresholds.tolist(), low.tolist(), high.tolist(), strict=True)
    return np.array([_short(*triple) for triple in triples])


def _short(threshold: float, low: float, high: float) -> float:
    if not (math.isfinite(low) and math.isfinite(high)):
        return threshold
    rounded = (float(f"{threshold:.{digits}g}") for digits in range(1, 17))
    return next((short for short in rounded if low <= short < high), threshold)


def _answers(one: Any) -> dict[str, NDArray[Any]]:
    """Return `value` and `label`; for classes also `risk`."""
    values = one.tree_.value[:, 0, :]
    if not hasattr(one, "classes_"):
        return {"value": values.copy(), "label": np.full(len(values), -1, np.int32)}
    weight = one.tree_.weighted_n_node_samples[:, None]
    totals = values * weight
    # Shares of whole weights: take the whole numbers, which give back the same shares.
    whole = np.rint(totals)
    with np.errstate(divide="ignore", invalid="ignore"):
        exact = (whole / weight == values).all(axis=1, keepdims=True)
    return {
        "value": np.where(exact, whole, totals),
        "label": values.argmax(axis=1).astype(np.int32),
        "risk": 1.0 - values.max(axis=1),
    }
