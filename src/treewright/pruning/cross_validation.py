"""The size of a tree by cross-validation, as rpart does it.

One tree is grown per fold on the shared sorted table, and every size of the whole
tree's path is scored on it: the tree that is best for alpha in [a, b) stands for
their geometric mean. Alphas are shares of the total weight, so a fold's smaller
weight needs no correction.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import OptionError
from treewright.growing.threads import n_threads
from treewright.growing.training_set import TrainingSet
from treewright.pruning.folds import Fold
from treewright.pruning.path import PruningPath, find_path
from treewright.pruning.risks import rows_per_weight
from treewright.pruning.score import loss_at_steps, rows_left_out, unaltered
from treewright.table.table import Table

__all__ = ["CrossValidated", "cross_validate", "geometric_means"]

_SMALL_WORK = 20_000  # rows x columns of a table whose folds are not worth threads


@dataclass(frozen=True)
class CrossValidated:
    """Error of every step on rows not trained on."""

    error: NDArray[np.float64]
    """Mean loss, by weight."""
    std: NDArray[np.float64]
    """Its standard error as a mean over the rows that are tested, which folds they
    are in aside, as in rpart: one fold has one too. See `rows_per_weight`."""


class _StoppedError(Exception):
    """Another fold failed, or the user pressed Ctrl-C."""


@dataclass(frozen=True)
class _Task:
    training: TrainingSet
    alphas: NDArray[np.float64]
    risk: str
    stop: threading.Event
    weights: NDArray[np.float64] | None
    scale: NDArray[np.float64] | None

    def score(self, number: int, fold: Fold) -> tuple[Any, Any, float]:
        """Grow one fold's tree and score it on the rows left out."""
        table = self.training.table
        weights = _training_weights(table, fold)
        if not weights.any():
            raise OptionError(
                f"Fold {number} of cv trains on no row of weight above 0. Give folds "
                "that train on rows that count, or these rows a weight."
            )
        tree = self.training.grow(weights, self._watch)
        tree = self.training.habits.for_new_rows(tree)
        path = find_path(tree, self.risk)
        rows = rows_left_out(tree, table, fold.test, self.weights, self.scale)
        sums = loss_at_steps(tree, path.collapse_alpha, self.alphas, rows)
        return *sums, rows.total

    def _watch(self, share: float) -> None:
        if self.stop.is_set():
            raise _StoppedError


def geometric_means(alpha: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the alpha at which each step is scored; infinity for the last."""
    return np.append(np.sqrt(alpha[:-1] * alpha[1:]), math.inf)


def cross_validate(
    training: TrainingSet,
    path: PruningPath,
    folds: list[Fold],
    progress: Callable[[int], Any] | None = None,
    factors: NDArray[np.float64] | None = None,
) -> CrossValidated:
    """Score every step of a path on rows not trained on.

    Parameters
    ----------
    training : TrainingSet
        All rows, sorted once for all folds.
    path : PruningPath
        Of the tree of all rows.
    folds : list of Fold
        What to test on, and what to train on.
    progress : callable, optional
        Called with the number of folds done.
    factors : float array, optional
        What priors and costs multiplied the weight of each class by.

    Returns
    -------
    CrossValidated
    """
    table = training.table
    alphas = geometric_means(path.alpha)
    threads = n_threads(training.options.n_jobs)
    small = table.n_rows * max(len(table.usable), 1) < _SMALL_WORK
    workers = 1 if small else min(threads, len(folds))
    training = training.with_options(n_jobs=max(1, threads // workers))
    own = unaltered(table, factors)
    task = _Task(training, alphas, path.kind, threading.Event(), *own)
    loss, squares, total = np.zeros(len(alphas)), np.zeros(len(alphas)), 0.0
    for done, part in enumerate(_scored(task, folds, workers)):
        loss += part[0]
        squares += part[1]
        total += part[2]
        if progress is not None:
            progress(done + 1)
    if total == 0:
        raise OptionError(
            "cv tests no row of weight above 0, so no size can be chosen. Give folds "
            "that test rows that count, or these rows a weight."
        )
    spread = np.maximum(squares - loss**2 / total, 0.0)
    spread /= _rows_per_weight(own[0])
    return CrossValidated(loss / total, np.sqrt(spread) / total)


def _scored(task: _Task, folds: list[Fold], workers: int) -> Any:
    """Yield the folds' sums in the order of the folds."""
    numbers = range(len(folds))
    if workers == 1:
        yield from map(task.score, numbers, folds)
        return
    with ThreadPoolExecutor(workers) as pool:
        try:
            results = pool.map(task.score, numbers, folds)
        except RuntimeError:  # the system gives no thread: one fold after the other
            task.stop.set()
            pool.shutdown(cancel_futures=True)
            task = replace(task, stop=threading.Event())
            results = map(task.score, numbers, folds)
        try:
            yield from results
        except BaseException:
            task.stop.set()
            pool.shutdown(cancel_futures=True)
            raise


def _rows_per_weight(weights: NDArray[np.float64] | None) -> float:
    if weights is None:
        return 1.0
    return rows_per_weight(float(weights.sum()), int(np.count_nonzero(weights)))


def _training_weights(table: Table, fold: Fold) -> NDArray[np.float64]:
    if fold.train is None:
        weights = (
            np.ones(table.n_rows) if table.weights is None else table.weights.copy()
        )
        weights[fold.test] = 0.0
        return weights
    return fold.train if table.weights is None else fold.train * table.weights
