"""What the report says first: what is predicted, how well, and by what."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.drawing.labels import class_names, count, target_name
from treewright.pruning.result import Pruning
from treewright.reading.answers.evaluation import Evaluation
from treewright.tree import wording
from treewright.tree.data import TreeData
from treewright.tree.loss import loss_of
from treewright.tree.route import columns_used

__all__ = ["Quality", "headline", "quality_of"]

_LONGEST = 60
_MOST_NAMED = 3


@dataclass(frozen=True)
class Quality:
    """How losses are told: their unit, and how to say one.

    Attributes
    ----------
    unit : {'share', 'cost', 'root', 'plain'}
        Share of wrong answers; mean cost; squared error, told by its root; other.
    axis : str
        What an axis of errors is called.
    """

    unit: str
    axis: str

    def good(self, error: float, root: float) -> str:
        """Return the figure of an error, as large as it can be."""
        if self.unit == "share":
            return wording.percent(1.0 - error)
        if self.unit == "root":
            return f"± {wording.figures(math.sqrt(max(error, 0.0)))}"
        return wording.figures(error)

    def words(self, error: float, root: float) -> str:
        """Say what the figure means."""
        if self.unit == "share":
            return "of rows answered right"
        if self.unit == "cost":
            return "mean cost of a row"
        if self.unit == "root":
            explained = 1.0 - error / root if root > 0 else 0.0
            return f"RMSE; {_explained(explained)} explained"
        return self.axis


def quality_of(tree: TreeData) -> Quality:
    """Return how the losses of a tree are told."""
    name = wording.cut(target_name(tree), _LONGEST)
    loss = loss_of(tree)
    return Quality(loss.unit, loss.axis(name))


def headline(
    tree: TreeData,
    importance: NDArray[np.float64],
    pruning: Pruning | None,
    test: Evaluation | None,
    title: str | None,
) -> dict[str, Any]:
    """Return the title, a paragraph for a reader in a hurry, and the main figures.

    Parameters
    ----------
    tree : TreeData
        The tree.
    importance : float array
        Each column's share of the fall of impurity.
    pruning : Pruning or None
        How the tree got its size.
    test : Evaluation or None
        Held-out rows.
    title : str or None
        The title; None: the name of the target.

    Returns
    -------
    dict
        `title`; `lead`, pieces of text with the ones to stress marked; `figures`,
        each a name, a value and what it means.
    """
    quality = quality_of(tree)
    name = wording.cut(target_name(tree), _LONGEST)
    lead = [*_what(tree, name), *_how_good(tree, quality, pruning, test)]
    lead += _what_matters(tree, importance)
    return {
        "title": wording.cut(title or f"What decides {name}", 200),
        "lead": lead,
        "figures": _figures(tree, quality, pruning, test),
        "unit": quality.unit,
        "axis": quality.axis,
    }


# -- the paragraph --------------------------------------------------------------------

Piece = tuple[str, bool]


def _what(tree: TreeData, name: str) -> list[Piece]:
    used, given = len(columns_used(tree)), len(tree.schema.features)
    rows = count(int(tree.n_rows[0]), "row")
    said: list[Piece] = [("This tree predicts ", False), (name, True)]
    if tree.is_classifier:
        names = [wording.cut(each, 30) for each in class_names(tree)]
        listed = " or ".join(names) if len(names) == 2 else f"{len(names)} classes"
        said.append((f" ({listed})", False))
    leaves = count(tree.n_leaves, "group", "groups")
    if tree.n_leaves == 1:
        return [*said, (f", but no split helped: all {rows} get one answer.", False)]
    return [
        *said,
        (f" by asking about {used} of {count(given, 'column')}. ", False),
        ("It learned from ", False),
        (f"{rows} and sorts them into ", False),
        (leaves, True),
        (".", False),
    ]


def _how_good(
    tree: TreeData, quality: Quality, pruning: Pruning | None, test: Evaluation | None
) -> list[Piece]:
    error, root, where = _best_known(tree, pruning, test)
    if quality.unit == "share":
        most = class_names(tree)[int(tree.label[0])]
        return [
            (f" {where} it answered ", False),
            (f"{wording.percent(1 - error)} right", True),
            (f"; always answering {wording.cut(most, 30)} would be right for ", False),
            (f"{wording.percent(1 - root)}.", False),
        ]
    if quality.unit == "root":
        explained = 1.0 - error / root if root > 0 else 0.0
        if test is not None and not math.isnan(test.r2):
            explained = test.r2
        return [
            (f" {where} the root mean squared error of its answers was ", False),
            (wording.figures(math.sqrt(error)), True),
            (f"; they explained {_explained(explained)} of the differences.", False),
        ]
    return [
        (f" {where} its {quality.axis} was ", False),
        (wording.figures(error), True),
        (f", against {wording.figures(root)} without a tree.", False),
    ]


def _best_known(
    tree: TreeData, pruning: Pruning | None, test: Evaluation | None
) -> tuple[float, float, str]:
    """Return the most honest error there is, the root's, and on which rows."""
    root = float(tree.risk[0])
    if test is not None:
        rows = count(test.n_rows, "row")
        return test.error, test.root_error, f"On {rows} it had not seen"
    row = _chosen(tree, pruning)
    if pruning is not None and row >= 0 and len(pruning.cv_error):
        return float(pruning.cv_error[row]), root, "In cross-validation"
    if pruning is not None and row >= 0 and len(pruning.validation_error):
        error = float(pruning.validation_error[row])
        return error, float(pruning.validation_error[-1]), "On the validation rows"
    return _training(tree), root, "On the rows it learned from"


def _what_matters(tree: TreeData, importance: NDArray[np.float64]) -> list[Piece]:
    order = np.argsort(-importance, kind="stable")
    order = order[importance[order] > 0][:_MOST_NAMED]
    if not len(order):
        return []
    names = [
        wording.cut(wording.name(tree.schema.names[j][:200]), 40)
        for j in order.tolist()
    ]
    said: list[Piece] = [(" What matters most is ", False), (names[0], True)]
    if len(names) > 1:
        said.append((f", then {' and '.join(names[1:])}", False))
    return [*said, (".", False)]


# -- the figures ----------------------------------------------------------------------


def _figures(
    tree: TreeData, quality: Quality, pruning: Pruning | None, test: Evaluation | None
) -> list[dict[str, str]]:
    root = float(tree.risk[0])
    out = []
    if test is not None:
        out.append(_test_figure(quality, test))
    row = _chosen(tree, pruning)
    if pruning is not None and row >= 0 and len(pruning.cv_error):
        error, std = float(pruning.cv_error[row]), float(pruning.cv_std[row])
        detail = f"{quality.words(error, root)}, {count(pruning.n_folds, 'fold')}"
        if quality.unit == "share":
            detail += f", standard error {wording.percent(std)}"
        out.append(_figure("Cross-validated", quality.good(error, root), detail))
    if pruning is not None and row >= 0 and len(pruning.validation_error):
        error = float(pruning.validation_error[row])
        worst = float(pruning.validation_error[-1])
        said = quality.words(error, worst)
        out.append(_figure("Validation rows", quality.good(error, worst), said))
    error = _training(tree)
    detail = f"{quality.words(error, root)}; too kind to the tree"
    out.append(_figure("Training rows", quality.good(error, root), detail))
    base = root if test is None else test.root_error
    said = "one answer"
    if tree.is_classifier:
        said = f"always answering {wording.cut(class_names(tree)[tree.label[0]], 30)}"
    if quality.unit == "cost":
        said += ", the cheapest single answer"
    out.append(_figure("Without a tree", quality.good(base, base), said))
    depth = f"at most {count(int(tree.depth.max()), 'question')} deep"
    leaves = count(tree.n_leaves, "leaf", "leaves")
    out.append(_figure("Size", leaves, depth))
    return out


def _test_figure(quality: Quality, test: Evaluation) -> dict[str, str]:
    value = quality.good(test.error, test.root_error)
    detail = f"{quality.words(test.error, test.root_error)}, {test.n_rows:,} rows"
    if quality.unit == "root" and not math.isnan(test.r2):
        explained = _explained(test.r2)
        detail = f"RMSE; {explained} explained, {test.n_rows:,} rows"
    if quality.unit == "share":
        low, high = test.interval
        detail = f"{detail}; 95% interval {wording.percent(1.0 - high)} to "
        detail += wording.percent(1.0 - low)
    return _figure("Test rows", value, detail)


def _figure(name: str, value: str, detail: str) -> dict[str, str]:
    return {"name": name, "value": value, "detail": detail}


def _training(tree: TreeData) -> float:
    return float(np.sum(tree.weighted_risk[tree.subtree_size == 1]))


def _chosen(tree: TreeData, pruning: Pruning | None) -> int:
    """Return the row of the table that is about this very tree; -1: none."""
    if pruning is None or pruning.chosen < 0 or not len(pruning.n_leaves):
        return -1
    same = int(pruning.n_leaves[pruning.chosen]) == tree.n_leaves
    return pruning.chosen if same else -1


def _explained(share: float) -> str:
    return wording.percent(max(share, 0.0))
