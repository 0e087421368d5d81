"""Builds the text of a report from a tree, its pruning record and held-out rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.drawing.report import payload
from treewright.drawing.report.intake import intake_section
from treewright.drawing.report.page import page
from treewright.drawing.report.provenance import provenance_of, rows_fingerprint
from treewright.drawing.report.story import headline
from treewright.pruning.path import PruningPath, find_path
from treewright.pruning.result import Pruning
from treewright.pruning.risks import RISKS, node_risks
from treewright.reading.answers.evaluation import (
    errors_of_path,
    evaluate_rows,
)
from treewright.reading.answers.importance import impurity_importance
from treewright.reading.answers.permutation import permutation_importance
from treewright.reading.text.text import missing_arrives
from treewright.table.intake import Intake
from treewright.tree.data import TreeData
from treewright.tree.new_rows import NewRows
from treewright.tree.route import columns_used

__all__ = ["build_report"]

_MOST_SHUFFLED = 20_000_000
_REPEATS = 5


def build_report(
    tree: TreeData,
    *,
    estimator: tuple[str, Mapping[str, Any], Mapping[str, Any]] | None = None,
    pruning: Pruning | None = None,
    rows: NewRows | None = None,
    title: str | None = None,
    intake: Intake | None = None,
) -> str:
    """Return a report as HTML.

    Parameters
    ----------
    tree : TreeData
        The tree.
    estimator : tuple or None
        Class name, parameters and defaults of the estimator.
    pruning : Pruning or None
        How the size of the tree was chosen.
    rows : NewRows or None
        Rows that were not used for growing.
    title : str or None
        Title; None: derived from the name of the target.
    intake : Intake or None
        What was found when the training table was read.

    Returns
    -------
    str
    """
    risk = pruning.risk if pruning is not None and pruning.risk in RISKS else "error"
    path = find_path(tree, risk)
    importance = impurity_importance(tree)
    test = test_path = permuted = test_print = None
    if rows is not None:
        test = evaluate_rows(tree, rows)
        test_path = errors_of_path(tree, path, rows)
        permuted = _permuted(tree, rows)
        test_print = rows_fingerprint(tree, rows)
    about = headline(tree, importance, pruning, test, title)
    data = {
        "target": payload.target_of(tree),
        "columns": payload.columns_of(tree, importance, permuted),
        "tree": payload.tree_of(tree) | {"arrives": _arrives(tree)},
        "test": payload.test_of(tree, test),
        "path": payload.path_of(tree, path, test, test_path)
        | {"train": _training_errors(tree, path)},
        "curve": _curve(pruning),
        "story": about,
        "made": provenance_of(tree, estimator, pruning, test_print),
    }
    return page(data, about["title"], intake_section(intake))


def _arrives(tree: TreeData) -> list[int]:
    """Return the nodes that rows missing in the node's column can reach."""
    arrives = missing_arrives(tree, np.arange(tree.n_nodes))
    return [node for node, each in enumerate(arrives) if each]


def _training_errors(tree: TreeData, path: PruningPath) -> list[float]:
    """Return the error on the training rows along the path, the whole tree first."""
    risks = node_risks(tree, "error")
    n, inner = len(path), tree.subtree_size > 1
    collapses_at = np.where(inner, np.searchsorted(path.alpha, path.collapse_alpha), 0)
    above = np.where(tree.parent >= 0, collapses_at[np.maximum(tree.parent, 0)], n)
    change = np.zeros(n + 1)
    exists = collapses_at < above
    np.add.at(change, collapses_at[exists], risks.own[exists].astype(np.float64))
    np.add.at(change, above[exists], -risks.own[exists].astype(np.float64))
    change[0] += float(risks.stopped[inner].sum())
    np.add.at(
        change, np.minimum(collapses_at[inner], n), -risks.stopped[inner].astype(float)
    )
    errors = np.maximum(np.cumsum(change)[:n], 0.0) / (risks.total or 1.0)
    first = [] if path.n_leaves[0] == tree.n_leaves else [_whole(tree, risks)]
    return [*first, *errors.tolist()]


def _whole(tree: TreeData, risks: Any) -> float:
    leaf = tree.subtree_size == 1
    units = float(risks.own[leaf].sum()) + float(risks.stopped[~leaf].sum())
    return units / (risks.total or 1.0)


def _curve(pruning: Pruning | None) -> dict[str, Any] | None:
    """Return the sizes that fitting tried, if it measured their errors."""
    if pruning is None or not len(pruning.n_leaves):
        return None
    out: dict[str, Any] = {"leaves": pruning.n_leaves.tolist()}
    for name in ("cv_error", "cv_std", "validation_error"):
        values = getattr(pruning, name)
        if len(values) == len(pruning.n_leaves):
            out[name] = [None if x != x else x for x in values.tolist()]
    if len(out) == 1:
        return None
    return out | {"chosen": pruning.chosen, "best": pruning.best}


def _permuted(tree: TreeData, rows: NewRows) -> NDArray[np.float64] | None:
    """Return how much the error on test rows rises when each column is shuffled."""
    n, used = rows.n_rows, len(columns_used(tree))
    if not n or not used or n * used > _MOST_SHUFFLED:
        return None
    repeats = min(max(_MOST_SHUFFLED // (n * used), 1), _REPEATS)
    return permutation_importance(tree, rows, repeats)
