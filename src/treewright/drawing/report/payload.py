"""The data of the page: the tree, its columns, its path and its figures as JSON.

Numbers that decide (thresholds, class weights, means) are written in full; numbers
that are only shown have six figures. Names are formatted here, so the page need not.
contract.json describes every entry.
"""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.drawing.cards import class_inks, has_many_classes, own_inks
from treewright.drawing.labels import class_names, target_name
from treewright.pruning.path import PruningPath
from treewright.reading.answers.answer import finer_answers
from treewright.reading.answers.evaluation import Evaluation
from treewright.reading.conditions.path_conditions import answer_nodes
from treewright.table.schema import Feature
from treewright.table.show import show_number
from treewright.tree import wording
from treewright.tree.costs import growth_weight
from treewright.tree.data import LEAF, STOP_REASONS, THRESHOLD, TreeData
from treewright.tree.new_rows import NewRows
from treewright.tree.route import columns_used, divides_rows

__all__ = ["as_json", "columns_of", "path_of", "target_of", "test_of", "tree_of"]

_LONGEST = 1000
_MOST_CELLS = 20_000_000
"""Above this number of nodes x classes, class weights of test rows are left out."""
_MOST_CLASSES = 12
_MOMENTS = ("date", "datetime", "duration", "time")


def as_json(data: Any) -> str:
    """Return JSON that is safe inside a script element, whatever the text."""
    written = json.dumps(data, separators=(",", ":"), allow_nan=False)
    for character in "<>&\u2028\u2029":
        written = written.replace(character, f"\\u{ord(character):04x}")
    return written


# -- the tree -------------------------------------------------------------------------


def tree_of(tree: TreeData) -> dict[str, Any]:
    """Return the arrays that the page needs to route rows, draw and describe nodes."""
    inner = tree.split_kind != LEAF
    out: dict[str, Any] = {
        "size": tree.subtree_size.tolist(),
        "kind": tree.split_kind.tolist(),
        "feature": tree.feature.tolist(),
        "threshold": _exact(tree.threshold[tree.split_kind == THRESHOLD]),
        "missing": tree.missing_route[inner].tolist(),
        "rows": tree.n_rows.tolist(),
        "impurity": _rounded(tree.impurity),
        "gain": _rounded(tree.gain[inner]),
        "risk": _rounded(tree.risk),
        "unproven": np.flatnonzero(~tree.proven).tolist(),
        "stop": tree.stop_reason[~inner].tolist(),
        "reasons": [reason.sentence for reason in STOP_REASONS],
        "stops": np.setdiff1d(answer_nodes(tree), np.flatnonzero(~inner)).tolist(),
    }
    if not np.array_equal(tree.weight, tree.n_rows):
        out["weight"] = _exact(tree.weight)
    if not np.array_equal(tree.weight_squared, tree.n_rows):
        out["weight_squared"] = _rounded(tree.weight_squared)
    if divides_rows(tree):
        out["divide_by"] = _exact(growth_weight(tree))
    if tree.n_missing.any():
        out["n_missing"] = tree.n_missing.tolist()
    return out | _categories_of(tree) | _answers_of(tree) | _surrogates_of(tree)


def _categories_of(tree: TreeData) -> dict[str, Any]:
    if not len(tree.categories):
        return {}
    return {
        "category_count": np.diff(tree.category_start).tolist(),
        "categories": tree.categories.tolist(),
        "category_branch": tree.category_branch.tolist(),
    }


def _answers_of(tree: TreeData) -> dict[str, Any]:
    own = {"answer": _exact(tree.answer.ravel())} if len(tree.answer) else {}
    if tree.is_classifier:
        return {"label": tree.label.tolist(), "value": _sparse(tree.value)} | own
    return own | {
        "mean": _exact(tree.value[:, 0]),
        "finer": list(finer_answers(tree).items()),
        "variance": _rounded(tree.variance),
        "quartiles": [_rounded(column) for column in tree.quartiles.T],
    }


def _surrogates_of(tree: TreeData) -> dict[str, Any]:
    if not len(tree.surrogate_feature):
        return {}
    return {
        "surrogates": {
            "count": np.diff(tree.surrogate_start).tolist(),
            "feature": tree.surrogate_feature.tolist(),
            "threshold": _exact(tree.surrogate_threshold),
            "flip": tree.surrogate_flip.astype(int).tolist(),
            "agree": _rounded(tree.surrogate_agree),
            "rows": tree.surrogate_rows.tolist(),
            "category_count": np.diff(tree.surrogate_category_start).tolist(),
            "category_of": tree.surrogate_category_of.tolist(),
            "categories": tree.surrogate_categories.tolist(),
            "category_branch": tree.surrogate_category_branch.tolist(),
        }
    }


# -- the columns and the target -------------------------------------------------------


def columns_of(
    tree: TreeData,
    importance: NDArray[np.float64],
    permuted: NDArray[np.float64] | None,
    rows: NewRows | None = None,
    fixed: frozenset[int] = frozenset(),
) -> list[dict[str, Any]]:
    """Return every column: name, kind with its reason, labels, range, importance.

    `rows` tell which category is the most common; `fixed` columns cannot change.
    """
    used = set(columns_used(tree).tolist())
    moments = _moments_of(tree)
    found = []
    for j, feature in enumerate(tree.schema.features):
        about = _column(feature) | {
            "used": j in used,
            "importance": _number(float(importance[j])),
        }
        if j in moments:
            about["at"] = moments[j]
        if j in fixed:
            about["fixed"] = True
        common = _common(feature, None if rows is None else rows.columns[j])
        if common is not None and j in used:
            about["common"] = common
        if permuted is not None and j in used:
            about["permuted"] = _rounded(permuted[j])
        found.append(about)
    return found


def _column(feature: Feature) -> dict[str, Any]:
    name = str(feature.name)
    about: dict[str, Any] = {
        "name": wording.cut(wording.name(name[:_LONGEST]), _LONGEST),
        "kind": feature.kind,
        # The page reads and writes a time of day as it does a duration: 14:30:00.
        "stored": {"time": "duration"}.get(feature.stored_as, feature.stored_as),
        "reason": feature.reason,
        "aside": feature.set_aside,
    }
    if feature.labels:
        about["labels"] = [wording.value(x, _LONGEST) for x in feature.labels]
    if feature.shares:
        order = wording.frequent_first(feature.labels, feature.shares)
        about["frequent"] = [feature.code_of[label] for label in order]
    if feature.cuts is not None:
        about["cuts"] = _exact(np.array(feature.cuts))
        about["cut_words"] = [show_number(feature, cut) for cut in feature.cuts]
    if feature.is_whole:
        about["whole"] = True
    if feature.float32:
        about["float32"] = True
    if feature.grain:
        about["grain"] = feature.grain
    if feature.timezone:
        about["timezone"] = feature.timezone
    if feature.summary is not None:
        known = feature.summary
        five = (known.minimum, known.q1, known.median, known.q3, known.maximum)
        about["n_missing"] = known.n_missing
        about["five"] = [None if x is None else _number(float(x)) for x in five]
        if feature.kind == "numeric" and known.minimum is not None:
            ends = (known.minimum, known.median, known.maximum)
            about["range"] = [show_number(feature, float(x or 0.0)) for x in ends]
    return about


def _common(feature: Feature, codes: NDArray[Any] | None) -> int | None:
    """Return the most common category: of the training rows, else of test rows.

    None: the column has no categories, or nothing is known about their rows.
    """
    if not feature.labels:
        return None
    shares = getattr(feature.summary, "shares", ())
    if len(shares) == len(feature.labels):
        return int(np.argmax(shares))
    if codes is None or codes.dtype.kind not in "iu":
        return None
    known = codes[codes >= 0]
    return int(np.bincount(known).argmax()) if len(known) else None


def _moments_of(tree: TreeData) -> dict[int, list[Any]]:
    """Return the thresholds on dates and durations, each with its text."""
    found: dict[int, list[Any]] = {}
    for j, feature in enumerate(tree.schema.features):
        if feature.kind != "numeric" or feature.stored_as not in _MOMENTS:
            continue
        own = tree.threshold[(tree.feature == j) & (tree.split_kind == THRESHOLD)]
        surrogate = tree.surrogate_threshold[tree.surrogate_feature == j]
        values = np.unique(np.concatenate([own, surrogate[~np.isnan(surrogate)]]))
        words = [show_number(feature, x + 0.0) for x in values.tolist()]
        found[j] = [_exact(values), words]
    return found


def target_of(tree: TreeData) -> dict[str, Any]:
    """Return the target: its name, its classes and their colours."""
    about: dict[str, Any] = {
        "name": target_name(tree),
        "kind": "class" if tree.is_classifier else "number",
        "answer": getattr(tree.criterion, "answer", "class"),
        "errorHere": getattr(tree.criterion, "here", ""),
    }
    if tree.is_classifier:
        about["classes"] = class_names(tree)
        about["inks"] = class_inks(tree)
        if has_many_classes(tree):
            about["own_inks"] = own_inks(tree)
    target = tree.schema.target
    if target is not None and target.costs is not None:
        about["costs"] = [list(row) for row in target.costs]
    return about


# -- figures of the path and of held-out rows -----------------------------------------


def path_of(
    tree: TreeData,
    path: PruningPath,
    test: Evaluation | None,
    test_path: NDArray[np.float64] | None,
) -> dict[str, Any]:
    """Return the pruning path, the whole tree first, and where nodes collapse."""
    alpha, leaves = path.alpha.tolist(), path.n_leaves.tolist()
    test_error = [] if test_path is None else test_path.tolist()
    collapses_at = np.searchsorted(path.alpha, path.collapse_alpha)
    if leaves[0] != tree.n_leaves:
        # The first step already collapses the nodes whose removal costs nothing.
        alpha, leaves = [None, *alpha], [tree.n_leaves, *leaves]
        collapses_at = collapses_at + 1
        test_error = [test.error, *test_error] if test is not None else []
    return {
        "alpha": [_number(x) for x in alpha],
        "leaves": leaves,
        "test": [_number(x) for x in test_error],
        "collapses_at": collapses_at[tree.split_kind != LEAF].tolist(),
    }


def test_of(test: Evaluation | None, rows: NewRows | None) -> dict[str, Any] | None:
    """Return the figures of test rows for every node."""
    if test is None or rows is None:
        return None
    seen, own = test.seen, rows.own_weights
    out: dict[str, Any] = {
        "n_rows": test.n_rows,
        "root": _number(test.root_error),
        "effective": float(own.sum()) ** 2 / float(own @ own),
        "rows": seen.n_rows.tolist(),
        "error": _exact(seen.extras["new_error"]),
    }
    if not np.allclose(seen.weight, seen.n_rows, rtol=1e-12):
        out["weight"] = _rounded(seen.weight)
    if test.confusion is None:
        known = np.where(seen.weight > 0, seen.value[:, 0], np.nan)
        out["mean"] = _exact(known)
        out["spread"] = _number(test.error / (1.0 - test.r2) if test.r2 < 1 else 0.0)
        return out
    if seen.value.size <= _MOST_CELLS:
        out["value"] = _sparse(seen.value)
    if len(test.confusion) <= _MOST_CLASSES:
        out["confusion"] = [_exact(line) for line in test.confusion]
    return out | {"figures": _test_figures(test)}


def _test_figures(test: Evaluation) -> dict[str, Any]:
    """Return the figures of probabilities, after each its interval."""
    return {
        name: _rounded(
            np.array([getattr(test, name), *getattr(test, f"{name}_interval")])
        )
        for name in ("log_loss", "brier", "auc")
    }


# -- numbers --------------------------------------------------------------------------


def _sparse(value: NDArray[np.float64]) -> dict[str, Any]:
    """Return a matrix by its nonzero entries: count per row, columns and values."""
    rows, columns = np.nonzero(value)
    entries = value[rows, columns]
    return {
        "count": np.bincount(rows, minlength=len(value)).tolist(),
        "class": columns.tolist(),
        "weight": _exact(entries),
    }


def _exact(values: NDArray[np.float64]) -> list[Any]:
    """Return numbers in full, whole ones without a point; None for NaN."""
    if not len(values):
        return []
    if np.isfinite(values).all():
        whole = (values == np.rint(values)).all() and np.abs(values).max() < 2.0**53
        return list((values.astype(np.int64) if whole else values).tolist())
    return [_number(x) for x in values.tolist()]


def _rounded(values: NDArray[np.float64], figures: int = 6) -> list[Any]:
    """Return numbers rounded to some figures; None for NaN."""
    values = np.asarray(values, np.float64)
    ok = np.isfinite(values) & (values != 0)
    with np.errstate(all="ignore"):
        exponent = np.floor(np.log10(np.abs(np.where(ok, values, 1.0))))
        scale = 10.0 ** (figures - 1 - exponent)
        fine = ok & np.isfinite(scale) & (scale > 0)
        shorter = np.where(fine, np.rint(values * scale) / scale, values)
    return [_short(x) for x in shorter.tolist()]


def _short(x: float) -> Any:
    if math.isfinite(x):
        return int(x) if x == int(x) and abs(x) < 1e15 else x
    return _number(x)


def _number(x: Any) -> Any:
    """Return a value that JSON can represent: None for NaN, text for infinities."""
    if x is None or x != x:
        return None
    return ("Infinity" if x > 0 else "-Infinity") if math.isinf(x) else x
