"""The headline of the report: what is predicted, how well, and from which columns.

The text is that of the whole tree. Pieces and figures that depend on the size of the
tree have a role; scripts/story.js writes them again for another size.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright.drawing.labels import class_names, target_name
from treewright.pruning.path import training_loss
from treewright.pruning.result import Pruning
from treewright.reading.answers.evaluation import Evaluation
from treewright.tree import wording
from treewright.tree.data import TreeData
from treewright.tree.loss import loss_of
from treewright.tree.route import columns_used

__all__ = ["Quality", "headline", "quality_of", "rarest_class"]

_LONGEST = 60
_MOST_NAMED = 3


@dataclass(frozen=True)
class Quality:
    """How losses are shown: their unit, and the text of one loss.

    Attributes
    ----------
    unit : {'share', 'cost', 'root', 'plain'}
        Share of wrong answers; mean cost; squared error, shown as its root; other.
    axis : str
        Label of an axis of errors.
    exponent : int
        Errors are in units of a power of two; see `TargetInfo`.
    """

    unit: str
    axis: str
    exponent: int = 0

    def shown(self, error: ArrayLike) -> NDArray[np.float64]:
        """Return errors in the unit of the target."""
        root = np.sqrt(np.maximum(error, 0.0)) if self.unit == "root" else error
        return np.asarray(np.ldexp(root, self.exponent), dtype=np.float64)

    def figure(self, error: float) -> str:
        """Return an error in the unit of the target, as text."""
        return wording.figures(float(self.shown(error)))

    def good(self, error: float, root: float) -> str:
        """Return an error as a short figure for large print."""
        if self.unit == "share":
            return wording.percent(1.0 - error)
        if self.unit == "root":
            return f"± {self.figure(error)}"
        return self.figure(error)

    def words(self, error: float, root: float) -> str:
        """Return the meaning of the figure."""
        if self.unit == "share":
            return "of rows answered right"
        if self.unit == "cost":
            return "mean cost of a row"
        if self.unit == "root":
            explained = 1.0 - error / root if root > 0 else 0.0
            return f"RMSE; {_explained(explained)} explained"
        return self.axis


def quality_of(tree: TreeData) -> Quality:
    """Return how the losses of a tree are shown."""
    name = wording.cut(target_name(tree), _LONGEST)
    loss = loss_of(tree)
    return Quality(loss.unit, loss.axis(name), loss.exponent)


def headline(
    tree: TreeData,
    importance: NDArray[np.float64],
    pruning: Pruning | None,
    test: Evaluation | None,
    title: str | None,
) -> dict[str, Any]:
    """Return the title, a summary paragraph and the main figures.

    Parameters
    ----------
    tree : TreeData
        The tree.
    importance : float array
        Each column's share of the decrease of impurity.
    pruning : Pruning or None
        How the size of the tree was chosen.
    test : Evaluation or None
        The tree evaluated on held-out rows.
    title : str or None
        The title; None: the name of the target.

    Returns
    -------
    dict
        See contract.json.
    """
    quality = quality_of(tree)
    name = wording.cut(target_name(tree), _LONGEST)
    lead = [*_what(tree, name), *_how_good(tree, quality, pruning, test)]
    lead += [*_found(tree, test), *_what_matters(tree, importance)]
    return {
        "title": wording.cut(title or f"How this tree predicts {name}", 200),
        "lead": lead,
        "figures": _figures(tree, quality, pruning, test),
        "unit": quality.unit,
        "axis": quality.axis,
        "exponent": quality.exponent,
        "folds": 0 if pruning is None else pruning.n_folds,
    }


# -- the paragraph --------------------------------------------------------------------

Piece = dict[str, Any]


def _piece(text: str, role: str = "", *, strong: bool = False) -> Piece:
    piece: Piece = {"text": text, "strong": strong}
    return piece | {"is": role} if role else piece


def _what(tree: TreeData, name: str) -> list[Piece]:
    used, total = len(columns_used(tree)), len(tree.schema.features)
    rows = wording.count(int(tree.n_rows[0]), "row")
    columns = wording.count(total, "column")
    pieces = [_piece("This tree predicts "), _piece(name, strong=True)]
    if tree.is_classifier:
        names = [wording.cut(each, 30) for each in class_names(tree)]
        listed = " or ".join(names) if len(names) == 2 else f"{len(names)} classes"
        pieces.append(_piece(f" ({listed})"))
    if tree.n_leaves == 1:
        return [*pieces, _piece(f", but no split helped: all {rows} get one answer.")]
    return [
        *pieces,
        _piece(" by asking about "),
        _piece(str(used), "used"),
        _piece(f" of {columns}. It learned from {rows} and sorts them "),
        _piece("into "),
        _piece(wording.count(tree.n_leaves, "group"), "leaves", strong=True),
        _piece("."),
    ]


def _how_good(
    tree: TreeData, quality: Quality, pruning: Pruning | None, test: Evaluation | None
) -> list[Piece]:
    error, root, where = _best_known(tree, pruning, test)
    pieces = [_piece(" "), _piece(where, "where")]
    if quality.unit == "share":
        most = wording.cut(class_names(tree)[int(tree.label[0])], 30)
        always = f"always answering {most} would be right for "
        return [
            *pieces,
            _piece(" it answered "),
            _piece(f"{wording.percent(1 - error)} right", "good", strong=True),
            _piece(f"; {always}{wording.percent(1 - root)}."),
        ]
    if quality.unit == "root":
        explained = 1.0 - error / root if root > 0 else 0.0
        if test is not None and not math.isnan(test.r2):
            explained = test.r2
        return [
            *pieces,
            _piece(" the root mean squared error of its answers was "),
            _piece(quality.figure(error), "good", strong=True),
            _piece("; they explained "),
            _piece(_explained(explained), "explained"),
            _piece(" of the differences."),
        ]
    return [
        *pieces,
        _piece(f" its {quality.axis} was "),
        _piece(quality.figure(error), "good", strong=True),
        _piece(f", against {quality.figure(root)} without a tree."),
    ]


def _best_known(
    tree: TreeData, pruning: Pruning | None, test: Evaluation | None
) -> tuple[float, float, str]:
    """Return the least biased error available, the root's, and the rows it is from."""
    root = float(tree.risk[0])
    if test is not None:
        rows = wording.count(test.n_rows, "row")
        return test.error, test.root_error, f"On {rows} it had not seen"
    row = _chosen(tree, pruning)
    if pruning is not None and row >= 0 and len(pruning.cv_error):
        return float(pruning.cv_error[row]), root, "In cross-validation"
    if (validated := _validated(tree, pruning)) is not None:
        return *validated, "On the validation rows"
    return _training(tree), root, "On the rows it learned from"


def _found(tree: TreeData, test: Evaluation | None) -> list[Piece]:
    """Return how many of 100 rows of a class are found, if that was measured."""
    if test is None or test.recall is None or tree.n_leaves == 1:
        return []
    recall, names = test.recall, class_names(tree)
    known = np.flatnonzero(~np.isnan(recall))

    def hundred(k: int) -> str:
        whole = math.floor(100 * float(recall[k]) + 0.5)
        return f"{wording.cut(names[k], 30)} it finds {whole}"

    if len(names) == 2:
        rarest = rarest_class(tree)
        text = f" Of 100 rows of class {hundred(rarest)}." if rarest in known else ""
    else:
        low = int(known[np.argmin(recall[known])])
        high = int(known[np.argmax(recall[known])])
        text = f" Of 100 rows of class {hundred(high)}, of class {hundred(low)}."
    return [_piece(text, "found")] if text else []


def rarest_class(tree: TreeData) -> int:
    """Return the class of least weight, the last on a tie."""
    weights = tree.value[0][::-1]
    return len(weights) - 1 - int(np.argmin(weights))


def _what_matters(tree: TreeData, importance: NDArray[np.float64]) -> list[Piece]:
    order = np.argsort(-importance, kind="stable")
    order = order[importance[order] > 0][:_MOST_NAMED]
    if not len(order):
        return []
    names = [
        wording.cut(wording.name(tree.schema.names[j][:200]), 40)
        for j in order.tolist()
    ]
    then = f", then {' and '.join(names[1:])}" if len(names) > 1 else ""
    return [_piece(f" What matters most is {names[0]}{then}.", "matters")]


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
        folds = wording.count(pruning.n_folds, "fold")
        detail = f"{quality.words(error, root)}, {folds}"
        if quality.unit == "share":
            detail += f", standard error {wording.percent(std)}"
        out.append(_figure("cv", "Cross-validated", quality.good(error, root), detail))
    if (validated := _validated(tree, pruning)) is not None:
        good, detail = quality.good(*validated), quality.words(*validated)
        out.append(_figure("validation", "Validation rows", good, detail))
    error = _training(tree)
    detail = f"{quality.words(error, root)}; optimistic"
    out.append(_figure("train", "Training rows", quality.good(error, root), detail))
    base = root if test is None else test.root_error
    detail = "one answer"
    if tree.is_classifier:
        detail = f"always answering {wording.cut(class_names(tree)[tree.label[0]], 30)}"
    if quality.unit == "cost":
        detail += ", the cheapest single answer"
    out.append(_figure("none", "Without a tree", quality.good(base, base), detail))
    depth = f"at most {wording.count(int(tree.depth.max()), 'question')} deep"
    leaves = wording.count(tree.n_leaves, "leaf", "leaves")
    out.append(_figure("size", "Size", leaves, depth))
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
    return _figure("test", "Test rows", value, detail)


def _figure(role: str, name: str, value: str, detail: str) -> dict[str, str]:
    return {"is": role, "name": name, "value": value, "detail": detail}


def _training(tree: TreeData) -> float:
    return training_loss(tree)


def _chosen(tree: TreeData, pruning: Pruning | None) -> int:
    """Return the row of the pruning table that describes this tree; -1: none."""
    if pruning is None or pruning.chosen < 0 or not len(pruning.n_leaves):
        return -1
    same = int(pruning.n_leaves[pruning.chosen]) == tree.n_leaves
    return pruning.chosen if same else -1


def _validated(tree: TreeData, pruning: Pruning | None) -> tuple[float, float] | None:
    """Return the errors of the tree and of its root on validation rows, if known."""
    if pruning is None or not len(pruning.validation_error):
        return None
    root = float(pruning.validation_error[-1])
    # The tree that was taken need not be in the table.
    if pruning.held_out_error is not None and pruning.n_leaves_after == tree.n_leaves:
        return pruning.held_out_error, root
    row = _chosen(tree, pruning)
    return None if row < 0 else (float(pruning.validation_error[row]), root)


def _explained(share: float) -> str:
    return wording.percent(max(share, 0.0))
