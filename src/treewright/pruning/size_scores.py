"""What every size of a tree costs on rows it was not grown on.

A tree is scored at all steps of a path and with answers drawn more or less strongly
towards the node above, all at once: see `pruning.shrinkage` for the answers and
core/include/treewright/cross_validation.hpp for the sums.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.pruning.divided import Measure, divided_at_steps
from treewright.pruning.risks import LOG_WEIGHT
from treewright.pruning.score import core_arguments, parts_or_ends
from treewright.pruning.shrinkage import drawn_classes, drawn_numbers
from treewright.table.table import ClassTarget
from treewright.tree.answer import plain_answers
from treewright.tree.costs import answer_by_cost
from treewright.tree.data import TreeData
from treewright.tree.loss import loss_of
from treewright.tree.new_rows import NewRows
from treewright.tree.route import Ends

__all__ = ["Scores", "scores_of", "sums_at_steps"]

_NONE = np.zeros(0)


@dataclass(frozen=True)
class Scores:
    """Means over rows not trained on, and their standard errors: strengths x steps.

    Attributes
    ----------
    strengths : float array
        How strongly answers are drawn, ascending.
    error, error_std : float array
        The loss of the answers: wrong answers, costs, or the loss of numbers. The
        standard error is that of a mean over all tested rows, regardless of their
        folds, as in rpart; so a single fold has one too.
    log_loss : float array or None
        -ln of the probability of the true class; None for numbers.
    mixed, mixed_std : float array
        errors + 0.2 x log-loss, where a unit of error is the mean cost of one.
    gain_std : float array
        The standard error of the log-loss saved against the root's, row by row.
    """

    strengths: NDArray[np.float64]
    error: NDArray[np.float64]
    error_std: NDArray[np.float64]
    log_loss: NDArray[np.float64] | None = None
    mixed: NDArray[np.float64] = field(default_factory=lambda: _NONE)
    mixed_std: NDArray[np.float64] = field(default_factory=lambda: _NONE)
    gain_std: NDArray[np.float64] = field(default_factory=lambda: _NONE)


def scores_of(
    sums: NDArray[np.float64],
    strengths: Sequence[float],
    total: float,
    rows_per_weight: float,
    unit: float = 1.0,
) -> Scores:
    """Return means and standard errors from sums over all rows.

    Parameters
    ----------
    sums : float array of strengths x sums x steps
        From `sums_at_steps`, added up over the folds.
    strengths : sequence of float
        Their strengths.
    total : float
        Weight of the rows, priors counted.
    rows_per_weight : float
        See `pruning.risks.rows_per_weight`.
    unit : float
        Mean cost of an error; see `sums_at_steps`.

    Returns
    -------
    Scores
    """

    def std(summed: NDArray[np.float64], squares: NDArray[np.float64]) -> Any:
        spread = np.maximum(squares - summed**2 / total, 0.0) / rows_per_weight
        return np.sqrt(spread) / total

    known = np.array(strengths)
    wrong = sums[:, 0]
    error, error_std = wrong / total, std(wrong, sums[:, 1])
    if sums.shape[1] == 2:
        return Scores(known, error, error_std)
    log_loss = sums[:, 2]
    mixed = wrong / unit + LOG_WEIGHT * log_loss
    gained = log_loss[:, -1:] - log_loss  # the last step is the root
    return Scores(
        known,
        error,
        error_std,
        log_loss=log_loss / total,
        mixed=mixed / total,
        mixed_std=std(mixed, sums[:, 3]),
        gain_std=std(gained, sums[:, 4]),
    )


def sums_at_steps(
    tree: TreeData,
    first_step: NDArray[np.int32],
    n_steps: int,
    rows: NewRows,
    strengths: Sequence[float] | None,
    copies: float,
    unit: float = 1.0,
) -> NDArray[np.float64]:
    """Return sums of losses over rows, for every strength and step.

    Parameters
    ----------
    tree : TreeData
        The tree, with its evidence.
    first_step : int array
        For each inner node, the first step that collapses it.
    n_steps : int
        Number of steps; at the last one, the root answers.
    rows : NewRows
        The rows.
    strengths : sequence of float or None
        How strongly answers are drawn. None: not at all, as one strength. Only the
        log-loss then counts shares that are smoothed as for a strength of 0, because
        a share of 0 would make it infinite.
    copies : float
        Copies of a row that a unit of weight stands for; see `copies_of`.
    unit : float
        Mean cost of an error, in which mixed scores count errors.

    Returns
    -------
    float array of strengths x sums x steps
        The sums are weight x loss and weight x loss^2; for classes also weight x
        log-loss, and of the squares of the mixed score and of the log-loss saved
        against the root.
    """
    ends, plain = parts_or_ends(tree, rows), strengths is None
    strengths = (0.0,) if strengths is None else strengths
    if isinstance(ends, Ends):
        sums = []
        for strength in strengths:
            how = _divided_measure(tree, rows, strength, copies, unit, plain)
            sums.append(divided_at_steps(tree, rows, ends, first_step, n_steps, *how))
        return np.stack(sums)
    first = {"first_step": first_step}
    if not isinstance(rows.target, ClassTarget):
        every = (
            core_arguments(tree, rows, ends, drawn_numbers(tree, m, copies))
            for m in strengths
        )
        return np.array([_core.score_steps(each | first, n_steps) for each in every])
    costs = loss_of(tree).costs
    of_classes = _core.score_classes(
        core_arguments(tree, rows, ends) | first,
        tree.value.ravel(),
        _NONE if costs is None else costs.ravel(),
        _NONE if rows.scale is None else rows.scale,
        copies,
        np.array(strengths, np.float64),
        plain,
        unit,
        LOG_WEIGHT,
        n_steps,
    )
    return np.asarray(of_classes)


def _divided_measure(
    tree: TreeData,
    rows: NewRows,
    strength: float,
    copies: float,
    unit: float,
    plain: bool,
) -> tuple[NDArray[np.float64], Measure]:
    """Return the answers of nodes, and what they cost rows that are divided."""
    if isinstance(rows.target, ClassTarget):
        drawn, _ = drawn_classes(tree, strength, copies)
        # Labels follow from the first columns, the log-loss from the others.
        answers = np.hstack([plain_answers(tree) if plain else drawn, drawn])
        return answers, _class_measure(tree, rows, rows.target.codes, drawn[0], unit)
    values, loss = rows.target.values, loss_of(tree)

    def of_numbers(at: NDArray[np.int64], mix: Any) -> NDArray[np.float64]:
        each = loss.of_numbers(values[at], mix[:, 0])
        return np.stack([each, each**2], axis=1)

    return drawn_numbers(tree, strength, copies)[:, None], of_numbers


def _class_measure(
    tree: TreeData,
    rows: NewRows,
    codes: NDArray[np.int32],
    of_root: NDArray[np.float64],
    unit: float,
) -> Measure:
    charged, costs, k = rows.costs(tree), loss_of(tree).costs, len(of_root)
    scale = np.ones(k) if rows.scale is None else rows.scale

    def of_classes(at: NDArray[np.int64], mix: Any) -> NDArray[np.float64]:
        true = codes[at]
        label, _ = answer_by_cost(mix[:, :k], costs)
        wrong = true != label if charged is None else charged[true, label]
        log_loss = -scale[true] * np.log(mix[np.arange(len(at)), k + true])
        gained = -scale[true] * np.log(of_root[true]) - log_loss
        mixed = wrong / unit + LOG_WEIGHT * log_loss
        columns = [wrong, wrong**2, log_loss, mixed**2, gained**2]
        return np.stack(columns, axis=1).astype(np.float64)

    return of_classes
