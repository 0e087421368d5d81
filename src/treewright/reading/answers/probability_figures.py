"""How good class probabilities are: log-loss, Brier score, AUC and calibration.

The figures are scikit-learn's, digit by digit: `log_loss`, `brier_score_loss`,
`roc_auc_score` (one class against the rest, plain mean over the classes) and
`calibration_curve` (ten equal intervals of the probability). Each has a 95% interval.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import pandas_for_frames
from treewright.reading.answers.interval import normal_interval, wilson

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Calibration", "ProbabilityFigures", "probability_figures"]

_BINS = 10
_SMALLEST = float(np.finfo(np.float64).eps)
"""A probability below this counts as this much in a log-loss, as in scikit-learn."""


@dataclass(frozen=True, eq=False, repr=False)
class Calibration:
    """Predicted probabilities beside observed shares, in ten equal intervals.

    Attributes
    ----------
    promised, observed : float arrays of classes x 10
        Mean predicted probability of the class, and the share of the rows that have
        it, among the rows whose probability lies in the interval; NaN without rows.
    low, high : float arrays of classes x 10
        95% interval of the observed share (Wilson).
    weight : float array of classes x 10
        Weight of these rows.
    """

    promised: NDArray[np.float64]
    observed: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    weight: NDArray[np.float64]

    def to_pandas(self, classes: NDArray[Any]) -> pd.DataFrame:
        """Return one row per class and interval that has rows."""
        pandas = pandas_for_frames()
        k, bins = self.weight.shape
        columns = {
            "class": np.repeat(classes, bins),
            "from": np.tile(np.arange(bins) / bins, k),
            "to": np.tile((np.arange(bins) + 1) / bins, k),
            **{
                name: getattr(self, name).ravel()
                for name in ("promised", "observed", "low", "high", "weight")
            },
        }
        frame = pandas.DataFrame(columns)
        return frame[frame["weight"] > 0].reset_index(drop=True)


@dataclass(frozen=True)
class ProbabilityFigures:
    """The figures, each with its interval; see `Evaluation` for their meaning."""

    log_loss: float
    log_loss_interval: tuple[float, float]
    brier: float
    brier_interval: tuple[float, float]
    auc: float
    auc_interval: tuple[float, float]
    class_auc: NDArray[np.float64]
    class_auc_interval: NDArray[np.float64]
    calibration: Calibration


def probability_figures(
    probability: NDArray[np.float64],
    codes: NDArray[np.int32],
    own: NDArray[np.float64],
) -> ProbabilityFigures:
    """Judge the probabilities of new rows.

    Parameters
    ----------
    probability : float array of rows x classes
        The predicted probabilities.
    codes : int array of rows
        The true classes.
    own : float array of rows
        The weights of the rows, priors counted.

    Returns
    -------
    ProbabilityFigures
    """
    every = np.arange(len(codes))
    true = np.clip(probability[every, codes], _SMALLEST, 1 - _SMALLEST)
    log_losses = -np.log(true)
    hits = np.zeros_like(probability)
    hits[every, codes] = 1.0
    squares = ((hits - probability) ** 2).sum(axis=1)
    squares *= 0.5 if probability.shape[1] == 2 else 1.0
    log_loss, brier = (_mean(each, own) for each in (log_losses, squares))
    auc, influence = _areas(probability, codes, own)
    # Of two classes, both areas are the same.
    mean_auc = float(auc[-1] if len(auc) == 2 else auc.mean())
    of_mean = influence[:, -1] if len(auc) == 2 else influence.mean(axis=1)
    each_interval = [
        _area_interval(value, column, own)
        for value, column in zip(auc.tolist(), influence.T, strict=True)
    ]
    return ProbabilityFigures(
        log_loss,
        normal_interval(log_losses, log_loss, own),
        brier,
        normal_interval(squares, brier, own),
        mean_auc,
        _area_interval(mean_auc, of_mean, own),
        auc,
        np.array(each_interval),
        _calibration(probability, hits, own),
    )


def _mean(each: NDArray[np.float64], own: NDArray[np.float64]) -> float:
    return float(own @ each) / float(own.sum())


def _areas(
    probability: NDArray[np.float64], codes: NDArray[np.int32], own: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the AUC of each class, and the influence of every row on it.

    The influence of a row of the class is the share of other rows that it outranks
    (ties by half), minus the AUC, over the share of its class; of another row, the
    share of rows of the class that outrank it (DeLong et al. 1988).
    """
    k, total = probability.shape[1], float(own.sum())
    areas, influence = np.full(k, np.nan), np.full(probability.shape, np.nan)
    for c in range(k):
        place = np.unique(probability[:, c], return_inverse=True)[1]
        inside = codes == c
        yes, no = (
            np.bincount(place[part], own[part], minlength=place.max() + 1)
            for part in (inside, ~inside)
        )
        n_yes, n_no = float(yes.sum()), float(no.sum())
        if not (n_yes > 0 and n_no > 0):
            continue
        below = (np.cumsum(no) - no / 2) / n_no
        above = 1.0 - (np.cumsum(yes) - yes / 2) / n_yes
        areas[c] = float(yes @ below) / n_yes
        placed = np.where(inside, below[place], above[place])
        share = np.where(inside, n_yes, n_no) / total
        influence[:, c] = (placed - areas[c]) / share
    return areas, influence


def _area_interval(
    area: float, influence: NDArray[np.float64], own: NDArray[np.float64]
) -> tuple[float, float]:
    if math.isnan(area):
        return math.nan, math.nan
    low, high = normal_interval(influence + area, area, own)
    return low, min(high, 1.0)


def _calibration(
    probability: NDArray[np.float64],
    hits: NDArray[np.float64],
    own: NDArray[np.float64],
) -> Calibration:
    k = probability.shape[1]
    edges = np.linspace(0.0, 1.0, _BINS + 1)[1:-1]
    cell = np.searchsorted(edges, probability) + _BINS * np.arange(k)

    def summed(values: NDArray[np.float64]) -> NDArray[np.float64]:
        counts = np.bincount(cell.ravel(), values.ravel(), minlength=k * _BINS)
        return counts.reshape(k, _BINS).astype(np.float64)

    weights = np.broadcast_to(own[:, None], probability.shape)
    weight = summed(weights)
    with np.errstate(divide="ignore", invalid="ignore"):
        promised = summed(weights * probability) / weight
        observed = summed(weights * hits) / weight
        low, high = wilson(observed, weight**2 / summed(weights**2))
    return Calibration(promised, observed, low, high, weight)
