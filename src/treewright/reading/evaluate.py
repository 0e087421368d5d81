"""Honest numbers: how a tree does on new rows, as a whole and by node."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import TreewrightError, pandas_for_frames
from treewright.pruning.path import cost_complexity
from treewright.pruning.refit import refit_tree
from treewright.pruning.risks import cost_matrix
from treewright.pruning.score import loss_of_numbers
from treewright.reading.answer import answers, class_shares, classes
from treewright.table.table import ClassTarget, Target
from treewright.tree.costs import answer_by_cost
from treewright.tree.data import TreeData
from treewright.tree.edit import with_values
from treewright.tree.route import Ends

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Evaluation", "evaluate_rows"]

_Z = 1.959963984540054  # 95 % of a normal distribution lie within
_MOST_CLASSES = 12


@dataclass(frozen=True, eq=False, repr=False)
class Evaluation:
    """How a tree does on new rows.

    Attributes
    ----------
    n_rows, weight : int, float
        Rows of positive weight, and the sum of their weights. With priors, classes
        are weighed to have them.
    error : float
        Classes: share of the weight that is answered wrongly; with costs, what the
        answers cost per unit of weight. Numbers: the mean loss that the tree's
        criterion brings down: squared error, absolute error, or half the deviance
        ('poisson').
    interval : tuple of float
        95 % interval of the error: Wilson's for a share, a normal one for a mean.
    accuracy : float
        Share of the weight that is answered rightly; NaN for numbers.
    confusion : float array or None
        Weight of each true class (row) answered as each class (column).
    precision, recall, f1 : float arrays or None
        By class; NaN where nothing was answered, or nothing was true.
    r2, rmse, mae : float
        For numbers; NaN for classes.
    mean_questions, most_questions : float, int
        Splits on a row's way, by weight, and of the longest way. A divided row has
        several ways, which count by its shares.
    training_error : float
        The same error of the tree on its own rows. The parts of divided rows count
        where they end, not together.
    """

    tree: TreeData
    seen: TreeData
    n_rows: int
    weight: float
    error: float
    interval: tuple[float, float]
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

    def to_pandas(self) -> pd.DataFrame:
        """Return one row per node: training rows beside new rows.

        `error` and `new_error` are those of the node's own answer, of the kind of
        `error` above; `gap` is their difference: where it is large, the tree has
        learnt what is not so. Numbers: `new_mean` (`new_median` for the absolute
        error) is what the node would answer by the new rows.
        """
        pandas = pandas_for_frames()
        tree, seen = self.tree, self.seen
        error = seen.extras["new_error"]
        columns: dict[str, Any] = {
            "parent": np.array(tree.parent),
            "depth": np.array(tree.depth),
            "is_leaf": tree.subtree_size == 1,
            "answer": answers(tree, np.arange(tree.n_nodes)),
            "n_rows": np.array(tree.n_rows),
            "new_rows": np.array(seen.n_rows),
            "share": np.array(tree.share),
            "new_share": np.array(seen.share),
            "error": np.array(tree.risk),
            "new_error": np.array(error),
            "gap": error - tree.risk,
        }
        if not tree.is_classifier:
            name = "new_median" if _criterion(tree) == "absolute_error" else "new_mean"
            columns[name] = np.where(seen.weight > 0, seen.value[:, 0], np.nan)
        index = pandas.RangeIndex(tree.n_nodes, name="node")
        return pandas.DataFrame(columns, index=index)

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
        lines = [
            f"{self.n_rows} rows: {_kind(self.tree)} {self.error:.4g}, 95 % interval "
            f"{low:.4g} to {high:.4g} (training rows: {self.training_error:.4g})",
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
            f"by priors: the rows are weighed to make the classes {shown}{more} of the "
            "whole, in all figures here"
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


def evaluate_rows(
    tree: TreeData,
    ends: NDArray[np.int32] | Ends,
    target: Target,
    weights: NDArray[np.float64] | None,
) -> Evaluation:
    """Return how a tree does on rows that have been sent down it.

    Parameters
    ----------
    tree : TreeData
        The tree.
    ends : int array, or Ends
        Where each row ends, from `ends_of`.
    target : ClassTarget or NumericTarget
        The rows' target, classes numbered as in the tree.
    weights : float array or None
        Their weights, priors counted.

    Returns
    -------
    Evaluation
    """
    n_rows = ends.n_rows if isinstance(ends, Ends) else len(ends)
    own = np.ones(n_rows) if weights is None else weights
    total = float(own.sum())
    seen = refit_tree(tree, ends, target, weights)
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
    if isinstance(target, ClassTarget):
        figures, error = _class_figures(tree, _labels(tree, ends), target, own)
        by_node = _class_error_by_node(tree, seen)
    else:
        said = answers(tree, ends)
        figures, error = _number_figures(tree, said, target.values, own)
        by_node = _number_error_by_node(tree, seen, ends, target.values, own)
    seen = _with_extra(seen, by_node)
    return Evaluation(**common, **figures, error=error, seen=seen)


def _criterion(tree: TreeData) -> str | None:
    criterion: str | None = tree.made_by.get("options", {}).get("criterion")
    return criterion


def _kind(tree: TreeData) -> str:
    """Return what the error of a tree is called."""
    if tree.is_classifier:
        return "error" if cost_matrix(tree) is None else "mean cost of the answers"
    kinds = {
        "absolute_error": "mean absolute error",
        "poisson": "half the mean deviance",
    }
    return kinds.get(str(_criterion(tree)), "mean squared error")


def _labels(tree: TreeData, ends: NDArray[np.int32] | Ends) -> NDArray[np.int32]:
    """Return the number of the class that each row is answered."""
    if not isinstance(ends, Ends):
        return tree.label[ends]
    return answer_by_cost(class_shares(tree, ends), cost_matrix(tree))[0]


def _with_extra(seen: TreeData, by_node: NDArray[np.float64]) -> TreeData:
    return with_values(seen, extras={"new_error": by_node})


def _class_figures(
    tree: TreeData,
    said: NDArray[np.int32],
    target: ClassTarget,
    own: NDArray[np.float64],
) -> tuple[dict[str, Any], float]:
    k = tree.value.shape[1]
    cell = target.codes.astype(np.int64) * k + said
    confusion = np.bincount(cell, own, minlength=k * k).reshape(k, k)
    total, right = float(confusion.sum()), np.diag(confusion)
    error = float(total - right.sum()) / total
    with np.errstate(divide="ignore", invalid="ignore"):
        precision = right / confusion.sum(axis=0)
        recall = right / confusion.sum(axis=1)
        f1 = 2 * right / (confusion.sum(axis=0) + confusion.sum(axis=1))
    # As many rows of equal weight as say the same.
    effective = total**2 / float(own @ own)
    costs, accuracy = cost_matrix(tree), 1.0 - error
    interval = _wilson(error, effective)
    if costs is not None:
        error = float((confusion * costs).sum()) / total
        interval = _of_mean(costs[target.codes, said], error, own)
    figures = {
        "interval": interval,
        "accuracy": accuracy,
        "confusion": confusion,
        "precision": precision,
        "recall": recall,
        "f1": f1,
    }
    return figures, error


def _wilson(share: float, n: float) -> tuple[float, float]:
    z2 = _Z * _Z / n
    middle = (share + z2 / 2) / (1 + z2)
    half = _Z * math.sqrt(share * (1 - share) / n + z2 / (4 * n)) / (1 + z2)
    return max(0.0, middle - half), min(1.0, middle + half)


def _of_mean(
    loss: NDArray[np.float64], mean: float, own: NDArray[np.float64]
) -> tuple[float, float]:
    """Return a normal interval of a mean loss."""
    total = float(own.sum())
    effective = total**2 / float(own @ own)
    variance = float(own @ (loss - mean) ** 2) / total
    half = _Z * math.sqrt(variance / max(effective - 1, 1))
    return max(0.0, mean - half), mean + half


def _number_figures(
    tree: TreeData,
    said: NDArray[np.float64],
    y: NDArray[np.float64],
    own: NDArray[np.float64],
) -> tuple[dict[str, Any], float]:
    loss = loss_of_numbers(tree, y, said)
    y, residual = tree.in_units(y), tree.in_units(y) - tree.in_units(said)
    total = float(own.sum())
    mse = float(own @ residual**2) / total
    mean = float(own @ y) / total
    spread = float(own @ (y - mean) ** 2) / total
    error = float(own @ loss) / total
    figures = {
        "interval": _of_mean(loss, error, own),
        "r2": 1.0 - mse / spread if spread > 0 else math.nan,
        "rmse": float(tree.from_units(np.sqrt(mse))),
        "mae": float(tree.from_units(own @ np.abs(residual) / total)),
    }
    return figures, error


def _class_error_by_node(tree: TreeData, seen: TreeData) -> NDArray[np.float64]:
    costs = cost_matrix(tree)
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
    if _criterion(tree) in (None, "squared_error"):  # spread plus shift
        moved = (tree.in_units(seen.value[:, 0]) - tree.in_units(tree.value[:, 0])) ** 2
        return np.where(seen.weight > 0, seen.variance + moved, np.nan)
    if isinstance(ends, Ends):
        at, y, own = ends.nodes, y[ends.rows], own[ends.rows] * ends.shares
    else:
        at = ends
    loss = np.zeros(tree.n_nodes)
    while len(at):  # all rows climb at once
        part = own * loss_of_numbers(tree, y, tree.value[at, 0])
        loss += np.bincount(at, part, minlength=tree.n_nodes)
        inner = at > 0
        at, y, own = tree.parent[at[inner]], y[inner], own[inner]
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(seen.weight > 0, loss / seen.weight, np.nan)
