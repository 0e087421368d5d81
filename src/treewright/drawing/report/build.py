"""Builds the text of a report from a tree, its pruning record and held-out rows."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.drawing.report import payload
from treewright.drawing.report.page import page
from treewright.drawing.report.provenance import provenance_of, rows_fingerprint
from treewright.drawing.report.static import static_parts
from treewright.drawing.report.story import headline
from treewright.pruning.path import PruningPath, cost_complexity, find_path
from treewright.pruning.result import Pruning
from treewright.pruning.risks import RISKS
from treewright.reading.answers.evaluation import (
    errors_of_path,
    evaluate_rows,
)
from treewright.reading.answers.importance import impurity_importance
from treewright.reading.answers.permutation import permutation_importance
from treewright.reading.text.text import missing_arrives
from treewright.tree.data import TreeData
from treewright.tree.new_rows import NewRows
from treewright.tree.route import columns_used

__all__ = ["Subject", "build_report"]

_MOST_SHUFFLED = 20_000_000
_REPEATS = 5


@dataclass(frozen=True)
class Subject:
    """What a report is about, beside the tree.

    Attributes
    ----------
    estimator : tuple or None
        Class name, parameters and defaults of the estimator.
    pruning : Pruning or None
        How the size of the tree was chosen.
    rows : NewRows or None
        Rows that were not used for growing.
    findings : tuple
        What was suspicious about the training table; see `static_parts`.
    conversions : tuple
        What the reader of its file did to the cells; see `static_parts`.
    """

    estimator: tuple[str, Mapping[str, Any], Mapping[str, Any]] | None = None
    pruning: Pruning | None = None
    rows: NewRows | None = None
    findings: tuple[Any, ...] = ()
    conversions: tuple[Any, ...] = ()


def build_report(
    tree: TreeData,
    subject: Subject,
    *,
    shown: TreeData | None = None,
    fixed: frozenset[int] = frozenset(),
    title: str | None = None,
) -> str:
    """Return a report as HTML.

    Parameters
    ----------
    tree : TreeData
        The tree.
    subject : Subject
        Its estimator, its pruning, test rows and findings.
    shown : TreeData or None
        The tree with labels for people; None: `tree`. See `relabelled`.
    fixed : frozenset of int
        Columns that the smallest change of a row must not touch.
    title : str or None
        Title; None: derived from the name of the target.

    Returns
    -------
    str
    """
    shown, pruning, rows = shown or tree, subject.pruning, subject.rows
    risk = pruning.risk if pruning is not None and pruning.risk in RISKS else "error"
    path = find_path(tree, risk)
    importance = impurity_importance(tree)
    test = test_path = permuted = test_print = None
    if rows is not None:
        test = evaluate_rows(tree, rows)
        test_path = errors_of_path(tree, path, rows)
        permuted = _permuted(tree, rows)
        test_print = rows_fingerprint(tree, rows)
    about = headline(shown, importance, pruning, test, title)
    data = {
        "target": payload.target_of(shown),
        "columns": payload.columns_of(shown, importance, permuted, rows, fixed),
        "tree": payload.tree_of(shown) | {"arrives": _arrives(tree)},
        "test": payload.test_of(test, rows),
        "path": payload.path_of(tree, path, test, test_path)
        | {"train": _training_errors(tree, path)},
        "curve": _curve(pruning),
        "story": about,
        "made": provenance_of(tree, subject.estimator, pruning, test_print),
    }
    return page(data, static_parts(shown, about, subject.findings, subject.conversions))


def _arrives(tree: TreeData) -> list[int]:
    """Return the nodes that rows missing in the node's column can reach."""
    arrives = missing_arrives(tree, np.arange(tree.n_nodes))
    return [node for node, each in enumerate(arrives) if each]


def _training_errors(tree: TreeData, path: PruningPath) -> list[float]:
    """Return the error on the training rows along the path, the whole tree first."""
    whole = path.n_leaves[0] == tree.n_leaves
    first = [] if whole else [cost_complexity(tree, 0.0)]
    return [*first, *path.risk_by("error").tolist()]


def _curve(pruning: Pruning | None) -> dict[str, Any] | None:
    """Return the sizes that fitting tried, if it measured their errors."""
    if pruning is None or not len(pruning.n_leaves):
        return None
    out: dict[str, Any] = {"leaves": pruning.n_leaves.tolist()}
    for name in (
        "cv_error",
        "cv_std",
        "validation_error",
        "score",
        "strength",
        "against",
    ):
        values = getattr(pruning, name)
        if len(values) == len(pruning.n_leaves):
            out[name] = [x if math.isfinite(x) else None for x in values.tolist()]
    if len(out) == 1:
        return None
    if "score" in out:
        out["score_name"] = pruning.score_name
    return out | {
        "chosen": pruning.chosen,
        "best": pruning.best,
        "one_se": pruning.one_se,
    }


def _permuted(tree: TreeData, rows: NewRows) -> NDArray[np.float64] | None:
    """Return how much the error on test rows rises when each column is shuffled."""
    n, used = rows.n_rows, len(columns_used(tree))
    if not used or n * used > _MOST_SHUFFLED:
        return None
    repeats = min(max(_MOST_SHUFFLED // (n * used), 1), _REPEATS)
    return permutation_importance(tree, rows, repeats)
