"""The error of a tree on new rows, as a whole and by node."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright.criteria.squared_error import SquaredError
from treewright.errors import TreewrightError, pandas_for_frames
from treewright.pruning.path import PruningPath, training_loss
from treewright.pruning.refit import refit_tree
from treewright.pruning.score import loss_at_steps
from treewright.reading.answers.answer import (
    answers,
    class_numbers,
    class_probabilities,
    classes,
)
from treewright.reading.answers.interval import (
    effective_rows,
    normal_interval,
    wilson,
)
from treewright.reading.answers.probability_figures import (
    Calibration,
    probability_figures,
)
from treewright.table.html import table_html
from treewright.table.table import ClassTarget, Target
from treewright.tree import wording
from treewright.tree.answer import node_answers
from treewright.tree.data import TreeData
from treewright.tree.edit import with_values
from treewright.tree.loss import (
    answer_risk,
    loss_by_node,
    loss_of,
    number_criterion,
)
from treewright.tree.new_rows import NewRows
from treewright.tree.route import Ends

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Evaluation", "errors_of_path", "evaluate_rows", "row_losses"]

_MOST_CLASSES, _LONGEST_CLASS = 12, 24


@dataclass(frozen=True, eq=False, repr=False)
class Evaluation:
    """How well a tree answers new rows.

    Attributes
    ----------
    n_rows, weight : int, float
        Rows of positive weight, and the sum of their weights. With priors, rows are
        weighted so that the class shares equal the priors.
    error : float
        Classes: share of the weight that is answered wrongly; with costs, the mean
        cost of the answers per unit of weight. Numbers: the mean loss that the
        tree's criterion reduces: squared error, absolute error, or half the
        deviance ('poisson').
    interval : tuple of float
        95% interval of the error: Wilson's for a share, a normal one for a mean.
    accuracy : float
        Share of the weight that is answered correctly; NaN for numbers.
    confusion : float array or None
        Weight of each true class (row) answered as each class (column).
    precision, recall, f1 : float arrays or None
        By class; NaN for a class that was never answered (precision), has no rows
        (recall), or both (f1).
    precision_interval, recall_interval : float arrays of classes x 2, or None
        Their 95% intervals (Wilson).
    log_loss, log_loss_interval : float, tuple of float
        Mean of -ln of the probability of the true class; NaN for numbers. All figures
        of probabilities are scikit-learn's, with normal intervals.
    brier, brier_interval : float, tuple of float
        Mean squared distance of the probabilities from 0 and 1, summed over the
        classes; of two classes, that of one.
    auc, auc_interval : float, tuple of float
        How often a row of a class has a larger probability of it than another row:
        each class against the rest, mean over the classes (intervals: DeLong).
    class_auc, class_auc_interval : float array, float array of classes x 2, or None
        The same of each class; NaN without rows of it, or without others.
    calibration : Calibration or None
        Predicted probabilities beside observed shares, in ten equal intervals.
    r2, rmse, mae : float
        For numbers; NaN for classes.
    mean_questions, most_questions : float, int
        Number of splits on a row's path: the weighted mean, and the maximum. A
        divided row has several paths, which count by its shares.
    root_error : float
        The same error if all rows get the root's answer, as without a tree.
    training_error : float
        The same error of the tree on its training rows. Each part of a divided row
        counts separately, in the node where it ends. A tree grown with
        ``class_weight`` weighs its training rows by it, but not the new rows.
    """

    tree: TreeData
    seen: TreeData
    n_rows: int
    weight: float
    error: float
    interval: tuple[float, float]
    root_error: float
    training_error: float
    mean_questions: float
    most_questions: int
    accuracy: float = math.nan
    confusion: NDArray[np.float64] | None = None
    precision: NDArray[np.float64] | None = None
    recall: NDArray[np.float64] | None = None
    f1: NDArray[np.float64] | None = None
    precision_interval: NDArray[np.float64] | None = None
    recall_interval: NDArray[np.float64] | None = None
    log_loss: float = math.nan
    log_loss_interval: tuple[float, float] = (math.nan, math.nan)
    brier: float = math.nan
    brier_interval: tuple[float, float] = (math.nan, math.nan)
    auc: float = math.nan
    auc_interval: tuple[float, float] = (math.nan, math.nan)
    class_auc: NDArray[np.float64] | None = None
    class_auc_interval: NDArray[np.float64] | None = None
    calibration: Calibration | None = None
    r2: float = math.nan
    rmse: float = math.nan
    mae: float = math.nan

    def in_target_units(self) -> Evaluation:
        """Return the evaluation with its errors in the unit of the target.

        `evaluate_rows` measures errors in the unit of tree.risk. Only an extreme
        target makes a difference; see `Loss.shown`.
        """
        shown = loss_of(self.tree).shown
        low, high = self.interval
        return replace(
            self,
            error=float(shown(self.error)),
            interval=(float(shown(low)), float(shown(high))),
            root_error=float(shown(self.root_error)),
            training_error=float(shown(self.training_error)),
        )

    def to_pandas(self) -> pd.DataFrame:
        """Return one row per node: training rows beside new rows.

        `error` and `new_error` are the errors of the node's own answer, measured as
        `error` above; `gap` is their difference. A large gap means that the tree
        overfits there. Numbers: `new_mean` (`new_median` for the absolute error) is
        what the node would answer if it were fitted to the new rows.
        """
        pandas = pandas_for_frames()
        tree, seen = self.tree, self.seen
        shown = loss_of(tree).shown
        error, new_error = shown(answer_risk(tree)), shown(seen.extras["new_error"])
        columns: dict[str, Any] = {
            "parent": np.array(tree.parent),
            "depth": np.array(tree.depth),
            "is_leaf": tree.subtree_size == 1,
            "answer": answers(tree, np.arange(tree.n_nodes)),
            "n_rows": np.array(tree.n_rows),
            "new_rows": np.array(seen.n_rows),
            "share": np.array(tree.share),
            "new_share": np.array(seen.share),
            "error": np.array(error),
            "new_error": np.array(new_error),
            "gap": new_error - error,
        }
        if not tree.is_classifier:
            name = f"new_{number_criterion(tree).answer}"
            columns[name] = np.where(seen.weight > 0, seen.value[:, 0], np.nan)
        index = pandas.RangeIndex(tree.n_nodes, name="node")
        return pandas.DataFrame(columns, index=index)

    def to_dict(self) -> dict[str, Any]:
        """Return the figures by name, as numbers and lists, without those of nodes."""
        figures = {}
        for each in fields(self):
            value = getattr(self, each.name)
            if isinstance(value, np.ndarray):
                value = value.tolist()
            absent = value is None or isinstance(value, TreeData) or value != value
            if not absent:
                figures[each.name] = list(value) if isinstance(value, tuple) else value
        return figures

    def classes_to_pandas(self) -> pd.DataFrame:
        """Return precision, recall, F1, AUC and weight of every class.

        The intervals are the columns ``... low`` and ``... high``.
        """
        if self.confusion is None:
            raise TreewrightError(
                "classes_to_pandas shows the figures of each class, but this tree "
                "answers numbers. Use to_pandas, which shows those of each node."
            )
        columns: dict[str, Any] = {}
        for name, values, interval in (
            ("precision", self.precision, self.precision_interval),
            ("recall", self.recall, self.recall_interval),
            ("auc", self.class_auc, self.class_auc_interval),
        ):
            assert interval is not None
            low, high = interval.T
            columns |= {name: values, f"{name} low": low, f"{name} high": high}
        columns |= {"f1": self.f1, "weight": self.confusion.sum(axis=1)}
        index = pandas_for_frames().Index(classes(self.tree), name="class")
        return pandas_for_frames().DataFrame(columns, index=index)

    def __repr__(self) -> str:
        """One line: error and interval."""
        low, high = self.interval
        return (
            f"Evaluation({self.n_rows} rows, error {self.error:.4g}, interval "
            f"{low:.4g} to {high:.4g})"
        )

    def __str__(self) -> str:
        """A page: error, classes, confusion."""
        lines = [
            line for each in self._figures() for line in wording.wrapped(each, "", "  ")
        ]
        if self.confusion is not None:
            lines += ["", *self._class_lines()]
        return "\n".join(lines)

    def _figures(self) -> list[str]:
        """Return the figures of all rows together, in sentences."""
        sentences = [self._headline(), self._questions()]
        if self.confusion is not None:
            return [*sentences, self._probability_line(), *self._prior_lines()]
        r2 = f"R2 {self.r2:.3f}, " if math.isfinite(self.r2 or math.nan) else ""
        rmse, mae = map(wording.figures, (self.rmse or 0.0, self.mae or 0.0))
        return [*sentences, f"{r2}RMSE {rmse}, MAE {mae}"]

    def _headline(self) -> str:
        """Return the error, its interval and the error of the training rows."""
        loss = loss_of(self.tree)
        figures = [self.error, *self.interval, self.training_error]
        if self.confusion is None and isinstance(self.tree.criterion, SquaredError):
            # The root is in the unit of the target.
            name, units = "RMSE", ""
            roots = np.sqrt(np.maximum(figures, 0.0))
            if loss.unit_text:
                roots = np.asarray(self.tree.from_units(roots))
            figures = roots.tolist()
        else:
            name, units = loss.name, loss.unit_text
        error, low, high, training = map(wording.figures, figures)
        return (
            f"{self.n_rows:,} rows: {name}{units} {error}, 95% interval {low} to "
            f"{high} (training rows: {training})"
        )

    def _questions(self) -> str:
        return (
            f"questions asked: {self.mean_questions:.2f} on average, "
            f"{self.most_questions} at most"
        )

    def _repr_html_(self) -> str:
        """Show the figures, and those of the classes as a table, in a notebook."""
        text = "".join(f"<div>{escape(each)}</div>" for each in self._figures())
        if self.confusion is None:
            return f"<div>{text}</div>"
        heads, rows = self._class_cells()
        return f"<div>{text}{table_html('', heads, rows, {'class'})}</div>"

    def _probability_line(self) -> str:
        figures = (
            ("log-loss", self.log_loss, self.log_loss_interval),
            ("Brier", self.brier, self.brier_interval),
            ("AUC", self.auc, self.auc_interval),
        )
        return "probabilities: " + ", ".join(
            f"{name} {value:.4g} ({low:.4g} to {high:.4g})"
            for name, value, (low, high) in figures
            if not math.isnan(value)
        )

    def _prior_lines(self) -> list[str]:
        target = self.tree.schema.target
        if target is None or target.priors is None:
            return []
        named = zip(classes(self.tree), target.priors, strict=True)
        shares = [f"{name} {share:.4g}" for name, share in named]
        shown = ", ".join(shares[:_MOST_CLASSES])
        more = ", ..." if len(shares) > _MOST_CLASSES else ""
        return [
            "all figures: rows weighted so that the class shares equal the priors, "
            f"{shown}{more}"
        ]

    def _class_cells(self) -> tuple[list[str], list[list[str]]]:
        """Return the figures of each class, and how often each answer was given."""
        assert self.confusion is not None
        names = [wording.value(each, _LONGEST_CLASS) for each in classes(self.tree)]
        shown = range(min(len(names), _MOST_CLASSES))
        heads = [
            "class",
            "precision",
            "recall",
            "f1",
            *(f"-> {names[k]}" for k in shown),
        ]
        rows = []
        for k in shown:
            figures = (self.precision, self.recall, self.f1)
            three = [f"{array[k]:.3f}" for array in figures]  # type: ignore[index]
            counts = [wording.figures(self.confusion[k, j]) for j in shown]
            rows.append([names[k], *three, *counts])
        return heads, rows

    def _class_lines(self) -> list[str]:
        heads, rows = self._class_cells()
        widths = [max(map(len, column)) for column in zip(heads, *rows, strict=True)]
        lines = []
        for row in [heads, *rows]:
            first, *others = row
            cells = [cell.rjust(w) for cell, w in zip(others, widths[1:], strict=True)]
            lines.append("  ".join([first.ljust(widths[0]), *cells]))
        n = len(classes(self.tree))
        if n > _MOST_CLASSES:
            more = wording.count(n - _MOST_CLASSES, "more class", "more classes")
            lines.append(f"... {more}")
        return lines


def evaluate_rows(tree: TreeData, rows: NewRows) -> Evaluation:
    """Evaluate a tree on new rows.

    Parameters
    ----------
    tree : TreeData
        The tree.
    rows : NewRows
        The rows, from `NewRows.read`.

    Returns
    -------
    Evaluation
    """
    ends, target, own = rows.ends(tree), rows.target, rows.own_weights
    total = float(own.sum())
    seen = refit_tree(tree, ends, target, rows.weights)
    present = own > 0
    if isinstance(ends, Ends):
        depth = ends.total(tree.depth.astype(np.float64))
        deepest = tree.depth[ends.nodes[present[ends.rows]]].max()
    else:
        depth = tree.depth[ends].astype(np.float64)
        deepest = depth[present].max()
    common: dict[str, Any] = {
        "tree": tree,
        "n_rows": int(present.sum()),
        "weight": total,
        "training_error": training_loss(tree),
        "mean_questions": float(own @ depth) / total,
        "most_questions": int(deepest),
    }
    losses = row_losses(tree, target, ends)
    common["error"] = error = float(own @ losses) / total
    common["interval"] = normal_interval(losses, error, own)
    if isinstance(target, ClassTarget):
        common |= _class_figures(tree, class_numbers(tree, ends), target, own)
        likely = class_probabilities(tree, ends)
        common |= vars(probability_figures(likely, target.codes, own))
        by_node = _class_error_by_node(tree, seen)
    else:
        common |= _number_figures(tree, answers(tree, ends), target.values, own)
        by_node = _number_error_by_node(tree, seen, ends, target.values, own)
    seen = with_values(seen, extras={"new_error": by_node})
    return Evaluation(**common, root_error=float(by_node[0]), seen=seen)


def errors_of_path(
    tree: TreeData, path: PruningPath, rows: NewRows
) -> NDArray[np.float64]:
    """Return the mean loss of new rows at every step of a pruning path.

    Parameters
    ----------
    tree : TreeData
        The tree.
    path : PruningPath
        Its path.
    rows : NewRows
        The rows.

    Returns
    -------
    float64 array, one entry per step
    """
    loss = loss_at_steps(tree, path.collapse_alpha, path.alpha, rows)
    return loss / rows.total


def row_losses(
    tree: TreeData, target: Target, ends: NDArray[np.int32] | Ends
) -> NDArray[np.float64]:
    """Return the loss of the answer for each row.

    Parameters
    ----------
    tree : TreeData
        The tree.
    target : ClassTarget or NumericTarget
        The true classes or numbers.
    ends : int array, or Ends
        Where each row ends.

    Returns
    -------
    float64 array
        Measured with the tree's loss; see `tree.loss`.
    """
    predict = class_numbers if tree.is_classifier else answers
    return loss_of(tree).of_rows(target, predict(tree, ends))


def _class_figures(
    tree: TreeData,
    predicted: NDArray[np.int32],
    target: ClassTarget,
    own: NDArray[np.float64],
) -> dict[str, Any]:
    k = tree.value.shape[1]
    cell = target.codes.astype(np.int64) * k + predicted
    confusion = np.bincount(cell, own, minlength=k * k).reshape(k, k)
    right, answered, true = np.diag(confusion), confusion.sum(0), confusion.sum(1)
    with np.errstate(divide="ignore", invalid="ignore"):
        precision, recall = right / answered, right / true
        f1 = 2 * right / (answered + true)
    wrong = float(own @ (target.codes != predicted)) / float(own.sum())
    squares = np.bincount(cell, own**2, minlength=k * k).reshape(k, k)
    with np.errstate(divide="ignore", invalid="ignore"):
        n_answered, n_true = answered**2 / squares.sum(0), true**2 / squares.sum(1)
        intervals = wilson(precision, n_answered), wilson(recall, n_true)
    figures: dict[str, Any] = {
        "accuracy": 1.0 - wrong,
        "confusion": confusion,
        "precision": precision,
        "recall": recall,
        "f1": f1,
        "precision_interval": np.stack(intervals[0], axis=1),
        "recall_interval": np.stack(intervals[1], axis=1),
    }
    if loss_of(tree).costs is None:
        low, high = wilson(wrong, effective_rows(own))
        figures["interval"] = float(low), float(high)
    return figures


def _number_figures(
    tree: TreeData,
    predicted: NDArray[np.float64],
    y: NDArray[np.float64],
    own: NDArray[np.float64],
) -> dict[str, Any]:
    y, predicted = tree.in_units(y), tree.in_units(predicted)
    residual = y - predicted
    total = float(own.sum())
    mse = float(own @ residual**2) / total
    mean = float(own @ y) / total
    spread = float(own @ (y - mean) ** 2) / total
    return {
        "r2": 1.0 - mse / spread if spread > 0 else math.nan,
        "rmse": float(tree.from_units(np.sqrt(mse))),
        "mae": float(tree.from_units(own @ np.abs(residual) / total)),
    }


def _class_error_by_node(tree: TreeData, seen: TreeData) -> NDArray[np.float64]:
    costs = loss_of(tree).costs
    if costs is None:
        costs = 1.0 - np.eye(tree.value.shape[1])
    cost = (seen.value * costs.T[tree.label]).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(seen.weight > 0, cost / seen.weight, np.nan)


def _number_error_by_node(
    tree: TreeData,
    seen: TreeData,
    ends: NDArray[np.int32] | Ends,
    y: NDArray[np.float64],
    own: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return the mean loss of each node's answer."""
    answer = node_answers(tree)[:, 0]
    if isinstance(tree.criterion, SquaredError):  # variance + bias^2
        moved = tree.in_units(seen.value[:, 0]) - tree.in_units(answer)
        moved = moved**2
        return np.where(seen.weight > 0, seen.variance + moved, np.nan)
    if isinstance(ends, Ends):
        at, y, own = ends.nodes, y[ends.rows], own[ends.rows] * ends.shares
    else:
        at = ends
    loss = loss_by_node(tree, at, y, own, answer)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(seen.weight > 0, loss / seen.weight, np.nan)
