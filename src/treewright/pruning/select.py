"""Choosing the size of a tree, and how strongly answers are drawn, from the folds.

Three rules choose among the steps of a path by their score on rows not trained on:
'min' takes the least score; '1se' the smallest tree within one standard error of it
(Breiman et al.); 'price' the least ln score + price x ln leaves within that standard
error. The standard error stops the price where the signal is weak and rows are many;
the price stops the standard error where rows are few.

The score of numbers is their loss. The score of classes is errors + 0.2 x log-loss: it
sees splits that change the probabilities but no label. Where even this score leaves a
single leaf, such as with a rare class, the log-loss alone chooses.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treewright.pruning.size_scores import Scores

__all__ = [
    "Choice",
    "SizeRule",
    "best_strength",
    "choose_size",
    "least_error",
    "one_standard_error",
]

_TIE = 1e-12
_HALF = 0.5
"""Standard errors of a gain in log-loss, paired row by row, that must be exceeded."""


@dataclass(frozen=True)
class SizeRule:
    """How the size is chosen.

    Attributes
    ----------
    rule : {'price', '1se', 'min'}
        See the module.
    price : float
        How much ln score a unit of ln leaves must save ('price').
    by : {'auto', 'error', 'log_loss'}
        The score: 'error' is the loss of the answers, 'log_loss' that of the
        probabilities, 'auto' errors + 0.2 x log-loss for classes.
    """

    rule: str = "price"
    price: float = 0.0
    by: str = "auto"

    def pick(
        self,
        score: NDArray[np.float64],
        leaves: NDArray[np.int64],
        allowed: NDArray[np.bool_],
    ) -> int:
        """Return the step that the rule takes among those allowed.

        Of equally good trees it takes the smallest. A score of 0 cannot be improved,
        so then the smallest tree with this score is taken.
        """
        candidates = np.flatnonzero(allowed)
        if self.rule == "1se":
            return int(candidates[-1])
        here = score[candidates]
        if self.rule == "min" or here.min() <= 0:
            return int(candidates[here <= here.min() * (1 + _TIE)][-1])
        priced = np.log(here) + self.price * np.log(leaves[candidates])
        return int(candidates[priced <= priced.min() + _TIE][-1])


@dataclass(frozen=True)
class Choice:
    """The size that was chosen, and what it was chosen by; one entry per step.

    Attributes
    ----------
    step, best, one_se : int
        The step taken, the step of the least score, and the smallest within one
        standard error of it.
    strength : float array
        How strongly answers are drawn: m of numbers, or lambda of classes.
    error, error_std : float array
        The loss of the answers and its standard error.
    score, score_std : float array
        What the size was chosen by, and its standard error.
    log_loss : float array
        Of classes; empty for numbers.
    fell_back : bool
        Whether the log-loss alone chose, because the score left one leaf.
    """

    step: int
    best: int
    one_se: int
    strength: NDArray[np.float64]
    error: NDArray[np.float64]
    error_std: NDArray[np.float64]
    score: NDArray[np.float64]
    score_std: NDArray[np.float64]
    log_loss: NDArray[np.float64]
    fell_back: bool = False


def choose_size(scores: Scores, leaves: NDArray[np.int64], rule: SizeRule) -> Choice:
    """Return the step to take, and the strength with which answers are drawn.

    Parameters
    ----------
    scores : Scores
        What every step of the path costs on rows not trained on, by strength.
    leaves : int array
        Number of leaves of each step, from the largest tree to the root.
    rule : SizeRule
        How to choose.

    Returns
    -------
    Choice
    """
    if scores.log_loss is None:
        return _choose_numbers(scores, leaves, rule)
    return _choose_classes(scores, leaves, rule)


def least_error(error: NDArray[np.float64]) -> int:
    """Return the step with the least error; of equally good trees, the smallest.

    Parameters
    ----------
    error : float array
        The error of each step, from the largest tree to the root.

    Returns
    -------
    int
    """
    return int(np.flatnonzero(error <= error.min() * (1 + _TIE))[-1])


def one_standard_error(error: NDArray[np.float64], std: NDArray[np.float64]) -> int:
    """Return the smallest tree within one standard error of the best.

    This is the rule of Breiman et al.: a difference in error that chance can explain
    does not justify a larger tree.

    Parameters
    ----------
    error, std : float arrays
        The error of each step on rows not trained on, and its standard error, from the
        largest tree to the root. The rule uses the standard error of the best tree.

    Returns
    -------
    int
        The step to take.
    """
    return int(np.flatnonzero(_within(error, std))[-1])


def best_strength(scores: Scores) -> NDArray[np.float64]:
    """Return the best strength at each step.

    Parameters
    ----------
    scores : Scores
        What every step costs, by strength.

    Returns
    -------
    float array of steps
        Classes: the strength of least log-loss, the strongest on a tie. Numbers: of
        least error, the weakest on a tie.
    """
    if scores.log_loss is not None:
        return np.asarray(scores.strengths[_by_least_log_loss(scores.log_loss)])
    tied = scores.error <= scores.error.min(axis=0) * (1 + _TIE)
    return np.asarray(scores.strengths[np.argmax(tied, axis=0)])


def _by_least_log_loss(log_loss: NDArray[np.float64]) -> NDArray[np.int64]:
    tied = log_loss <= log_loss.min(axis=0) * (1 + _TIE)
    return np.asarray(len(log_loss) - 1 - np.argmax(tied[::-1], axis=0))


def _choose_numbers(
    scores: Scores, leaves: NDArray[np.int64], rule: SizeRule
) -> Choice:
    """Choose m by the best price of any size, then the size at this m."""
    price = rule.price if rule.rule == "price" else 0.0
    with np.errstate(divide="ignore"):
        priced = np.log(scores.error) + price * np.log(leaves)
    least = priced.min(axis=1)
    # Of strengths that are equally good, the first is the weakest.
    m = int(np.argmax(least <= least.min() + _TIE))
    error, std = scores.error[m], scores.error_std[m]
    allowed = _within(error, std)
    return Choice(
        step=rule.pick(error, leaves, allowed),
        best=least_error(error),
        one_se=one_standard_error(error, std),
        strength=np.full(len(leaves), scores.strengths[m]),
        error=error,
        error_std=std,
        score=error,
        score_std=std,
        log_loss=np.zeros(0),
    )


def _choose_classes(
    scores: Scores, leaves: NDArray[np.int64], rule: SizeRule
) -> Choice:
    """Choose lambda at each size by the log-loss, then the size by the score."""
    assert scores.log_loss is not None
    at = _by_least_log_loss(scores.log_loss), np.arange(len(leaves))
    error, error_std = scores.error[at], scores.error_std[at]
    log_loss, gain_std = scores.log_loss[at], scores.gain_std[at]
    gain = log_loss[-1] - log_loss
    score, std = (
        (error, error_std)
        if rule.by == "error"
        else (scores.mixed[at], scores.mixed_std[at])
        if rule.by == "auto"
        else (log_loss, gain_std)
    )
    allowed = _within(score, std)
    step = rule.pick(score, leaves, allowed)
    by_log_loss = _by_log_loss(log_loss, gain, gain_std, leaves, rule)
    fell_back = rule.by == "auto" and leaves[step] == 1 < leaves[by_log_loss]
    if fell_back or rule.by == "log_loss":
        step = by_log_loss
    return Choice(
        step=step,
        best=least_error(score),
        one_se=one_standard_error(score, std),
        strength=scores.strengths[at[0]],
        error=error,
        error_std=error_std,
        score=score,
        score_std=std,
        log_loss=log_loss,
        fell_back=bool(fell_back),
    )


def _by_log_loss(
    log_loss: NDArray[np.float64],
    gain: NDArray[np.float64],
    gain_std: NDArray[np.float64],
    leaves: NDArray[np.int64],
    rule: SizeRule,
) -> int:
    """Return the step that the log-loss alone chooses; the root if none beats it."""
    root, best = len(leaves) - 1, least_error(log_loss)
    limit = (log_loss[best] + _HALF * gain_std[best]) * (1 + _TIE)
    allowed = (leaves > 1) & (log_loss <= limit)
    if not allowed.any():
        return root
    step = rule.pick(log_loss, leaves, allowed)
    return step if gain[step] > _HALF * gain_std[step] else root


def _within(score: NDArray[np.float64], std: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return which steps are within one standard error of the best."""
    best = least_error(score)
    limit = (float(score.min()) + float(std[best])) * (1 + _TIE)
    return np.asarray(score <= limit)
