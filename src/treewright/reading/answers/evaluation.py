"""The error of a tree on new rows, as a whole and by node."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright.criteria.squared_error import SquaredError
from treewright.errors import TreewrightError, pandas_for_frames
from treewright.pruning.path import PruningPath, cost_complexity
from treewright.pruning.refit import refit_tree
from treewright.pruning.score import loss_at_steps
from treewright.reading.answers.answer import answers, class_numbers, classes
from treewright.reading.answers.interval import Z, wilson
from treewright.table.table import ClassTarget, Target
from treewright.tree.answer import node_answers
from treewright.tree.data import TreeData
from treewright.tree.edit import with_values
from treewright.tree.loss import loss_by_node, loss_of, number_criterion
from treewright.tree.new_rows import NewRows
from treewright.tree.route import Ends

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Evaluation", "errors_of_path", "evaluate_rows", "row_losses"]

_MOST_CLASSES = 12


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
        95 % interval of the error: Wilson's for a share, a normal one for a mean.
    accuracy : float
        Share of the weight that is answered correctly; NaN for numbers.
    confusion : float array or None
        Weight of each true class (row) answered as each class (column).
    precision, recall, f1 : float arrays or None
        By class; NaN for a class that was never answered (precision), has no rows
        (recall), or both (f1).
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
        error, new_error = shown(tree.risk), shown(seen.extras["new_error"])
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
        """Return precision, recall, F1 and weight of every class."""
        if self.confusion is None:
            raise TreewrightError("A tree that answers numbers has no classes.")
        columns = {
            "precision": self.precision,
            "recall": self.recall,
            "f1": self.f1,
            "weight": self.confusion.sum(axis=1),
        }
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
        low, high = self.interval
        loss = loss_of(self.tree)
        lines = [
            f"{self.n_rows} rows: {loss.name}{loss.unit_text} {self.error:.4g}, 95 % "
            f"interval {low:.4g} to {high:.4g} "
            f"(training rows: {self.training_error:.4g})",
            f"questions asked: {self.mean_questions:.2f} on average, "
            f"{self.most_questions} at most",
        ]
        if self.confusion is None:
            lines.append(f"R2 {self.r2:.4g}, RMSE {self.rmse:.4g}, MAE {self.mae:.4g}")
            return "\n".join(lines)
        return "\n".join([*lines, *self._prior_lines(), "", *self._class_lines()])

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

    def _class_lines(self) -> list[str]:
        assert self.confusion is not None
        names = [str(each) for each in classes(self.tree)]
        shown = range(min(len(names), _MOST_CLASSES))
        width = max([len(names[k]) for k in shown] + [5])
        cell = max(
            len(f"{self.confusion.max():.6g}"), 6, *(len(names[k]) for k in shown)
        )
        head = f"{'class':<{width}}  precision  recall      f1  answered as: "
        lines = [head + "  ".join(names[k].rjust(cell) for k in shown)]
        for k in shown:
            figures = (self.precision, self.recall, self.f1)
            p, r, f = (array[k] for array in figures)  # type: ignore[index]
            counts = "  ".join(f"{self.confusion[k, j]:>{cell}.6g}" for j in shown)
            lines.append(
                f"{names[k]:<{width}}  {p:>9.4f}  {r:>6.4f}  {f:>6.4f}"
                f"               {counts}"
            )
        if len(names) > _MOST_CLASSES:
            lines.append(f"... {len(names) - _MOST_CLASSES} more classes")
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
        "training_error": cost_complexity(tree, 0.0),
        "mean_questions": float(own @ depth) / total,
        "most_questions": int(deepest),
    }
    losses = row_losses(tree, target, ends)
    common["error"] = error = float(own @ losses) / total
    common["interval"] = _normal_interval(losses, error, own)
    if isinstance(target, ClassTarget):
        common |= _class_figures(tree, class_numbers(tree, ends), target, own)
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
    loss, _ = loss_at_steps(tree, path.collapse_alpha, path.alpha, rows)
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
    figures = {
        "accuracy": 1.0 - wrong,
        "confusion": confusion,
        "precision": precision,
        "recall": recall,
        "f1": f1,
    }
    if loss_of(tree).costs is None:
        low, high = wilson(wrong, _effective(own))
        figures["interval"] = float(low), float(high)
    return figures


def _effective(own: NDArray[np.float64]) -> float:
    """Return the effective number of rows: (sum of w)^2 / (sum of w^2)."""
    return float(own.sum()) ** 2 / float(own @ own)


def _normal_interval(
    loss: NDArray[np.float64], mean: float, own: NDArray[np.float64]
) -> tuple[float, float]:
    """Return the normal 95 % interval of a mean loss."""
    variance = float(own @ (loss - mean) ** 2) / float(own.sum())
    half = Z * math.sqrt(variance / max(_effective(own) - 1, 1))
    return max(0.0, mean - half), mean + half


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
