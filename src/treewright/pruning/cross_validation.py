"""Choosing the size of a tree by cross-validation, as rpart does.

One tree is grown per fold, from the shared sorted table. Every step of the whole
tree's path is scored on it: a step that is best for alpha in [a, b) is scored at the
geometric mean of a and b. Alphas are shares of the total weight, so the smaller weight
of a fold needs no correction.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Sequence
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
from treewright.pruning.score import first_steps, rows_left_out, unaltered
from treewright.pruning.size_scores import Scores, scores_of, sums_at_steps
from treewright.table.table import Table
from treewright.table.weights import rows_per_weight

__all__ = ["cross_validate", "geometric_means"]

_SMALL_WORK = 20_000  # rows x columns below which threads do not pay


class _StoppedError(Exception):
    """Another fold failed, or the user pressed Ctrl-C."""


@dataclass(frozen=True)
class _Task:
    training: TrainingSet
    alphas: NDArray[np.float64]
    risk: str
    strengths: Sequence[float] | None
    copies: float
    unit: float
    stop: threading.Event
    weights: NDArray[np.float64] | None
    scale: NDArray[np.float64] | None

    def score(self, number: int, fold: Fold) -> tuple[NDArray[np.float64], float]:
        """Grow the tree of one fold and score it on the rows left out."""
        table = self.training.table
        weights = _training_weights(table, fold)
        if not weights.any():
            raise OptionError(
                f"Fold {number} of cv trains on no row of weight above 0. Use folds "
                "that train on rows with a weight, or give these rows a weight."
            )
        tree = self.training.grow(weights, self._watch)
        tree = self.training.habits.for_new_rows(tree)
        path = find_path(tree, self.risk)
        rows = rows_left_out(tree, table, fold.test, self.weights, self.scale)
        first = first_steps(path.collapse_alpha, self.alphas)
        n_steps = len(self.alphas)
        sums = sums_at_steps(
            tree, first, n_steps, rows, self.strengths, self.copies, self.unit
        )
        return sums, rows.total

    def _watch(self, share: float) -> None:
        if self.stop.is_set():
            raise _StoppedError


def geometric_means(alpha: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the alpha at which each step is scored; infinity for the last step."""
    return np.append(np.sqrt(alpha[:-1] * alpha[1:]), math.inf)


def cross_validate(
    training: TrainingSet,
    path: PruningPath,
    folds: list[Fold],
    strengths: Sequence[float] | None = None,
    progress: Callable[[int], Any] | None = None,
    factors: NDArray[np.float64] | None = None,
    unit: float = 1.0,
) -> Scores:
    """Score every step of a path on rows not trained on.

    Parameters
    ----------
    training : TrainingSet
        All rows, sorted once for all folds.
    path : PruningPath
        The path of the tree grown on all rows.
    folds : list of Fold
        The rows to test on, and the rows to train on.
    strengths : sequence of float, optional
        How strongly answers are drawn towards the node above; see
        `pruning.shrinkage`. None: not at all.
    progress : callable, optional
        Called with the number of finished folds.
    factors : float array, optional
        The factor by which priors and costs multiplied the weight of each class.
    unit : float
        Mean cost of an error; see `tree.costs.error_unit`.

    Returns
    -------
    Scores
    """
    table = training.table
    alphas = geometric_means(path.alpha)
    threads = n_threads(training.options.n_jobs)
    small = table.n_rows * max(len(table.usable), 1) < _SMALL_WORK
    workers = 1 if small else min(threads, len(folds))
    training = training.with_options(n_jobs=max(1, threads // workers))
    own = unaltered(table, factors)
    stop = threading.Event()
    # A row counts as many copies in every fold as in the whole table.
    copies = _rows_per_weight(own[0])
    task = _Task(training, alphas, path.kind, strengths, copies, unit, stop, *own)
    sums: Any = 0.0
    total = 0.0
    for done, (part, weight) in enumerate(_scored(task, folds, workers)):
        sums = sums + part
        total += weight
        if progress is not None:
            progress(done + 1)
    if total == 0:
        raise OptionError(
            "cv tests no row of weight above 0, so no size can be chosen. Use folds "
            "that test rows with a weight, or give these rows a weight."
        )
    known = (0.0,) if strengths is None else strengths
    return scores_of(sums, known, total, copies, unit)


def _scored(task: _Task, folds: list[Fold], workers: int) -> Any:
    """Yield the sums of each fold, in the order of the folds."""
    numbers = range(len(folds))
    if workers == 1:
        yield from map(task.score, numbers, folds)
        return
    with ThreadPoolExecutor(workers) as pool:
        try:
            results = pool.map(task.score, numbers, folds)
        except RuntimeError:  # no thread is available: score one fold after another
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
