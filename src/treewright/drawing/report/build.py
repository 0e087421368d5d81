"""A tree, its owner's table of sizes and held-out rows to the text of a report."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.drawing.report import payload
from treewright.drawing.report.page import page
from treewright.drawing.report.provenance import provenance_of, rows_fingerprint
from treewright.drawing.report.story import headline
from treewright.pruning.path import PruningPath, find_path
from treewright.pruning.result import Pruning
from treewright.pruning.risks import RISKS, node_risks
from treewright.reading.answers.evaluation import (
    errors_of_path,
    evaluate_rows,
    row_losses,
)
from treewright.reading.answers.importance import impurity_importance
from treewright.reading.answers.permutation import permutation_importance
from treewright.reading.text.text import missing_arrives
from treewright.tree.data import TreeData
from treewright.tree.new_rows import NewRows
from treewright.tree.route import Ends, columns_used

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
) -> str:
    """Return a report as HTML.

    Parameters
    ----------
    tree : TreeData
        The tree.
    estimator : tuple or None
        Class name, parameters and defaults of the tree's owner.
    pruning : Pruning or None
        How the tree got its size.
    rows : NewRows or None
        Rows that were not used for growing.
    title : str or None
        Title; None: by the target's name.

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
    return page(data, about["title"])


def _arrives(tree: TreeData) -> list[int]:
    """Return the nodes at which rows missing in their column can arrive."""
    arrives = missing_arrives(tree, np.arange(tree.n_nodes))
    return [node for node, each in enumerate(arrives) if each]


def _training_errors(tree: TreeData, path: PruningPath) -> list[float]:
    """Return the error on the training rows along the path, the whole tree first."""
    risks = node_risks(tree, "error")
    n, inner = len(path), tree.subtree_size > 1
    fold = np.where(inner, np.searchsorted(path.alpha, path.collapse_alpha), 0)
    above = np.where(tree.parent >= 0, fold[np.maximum(tree.parent, 0)], n)
    change = np.zeros(n + 1)
    there = fold < above
    np.add.at(change, fold[there], risks.own[there].astype(np.float64))
    np.add.at(change, above[there], -risks.own[there].astype(np.float64))
    change[0] += float(risks.stopped[inner].sum())
    np.add.at(change, np.minimum(fold[inner], n), -risks.stopped[inner].astype(float))
    errors = np.maximum(np.cumsum(change)[:n], 0.0) / (risks.total or 1.0)
    first = [] if path.n_leaves[0] == tree.n_leaves else [_whole(tree, risks)]
    return [*first, *errors.tolist()]


def _whole(tree: TreeData, risks: Any) -> float:
    leaf = tree.subtree_size == 1
    units = float(risks.own[leaf].sum()) + float(risks.stopped[~leaf].sum())
    return units / (risks.total or 1.0)


def _curve(pruning: Pruning | None) -> dict[str, Any] | None:
    """Return the table of sizes that fitting tried, where it measured their error."""
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
    """Return the rise of the error on test rows when a column is shuffled."""
    n, used = rows.n_rows, len(columns_used(tree))
    if not n or not used or n * used > _MOST_SHUFFLED:
        return None
    weight = rows.own_weights

    def score(ends: NDArray[np.int32] | Ends) -> float:
        return -float(weight @ row_losses(tree, rows.target, ends)) / rows.total

    repeats = min(max(_MOST_SHUFFLED // (n * used), 1), _REPEATS)
    return permutation_importance(tree, rows, score, repeats)
