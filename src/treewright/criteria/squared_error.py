"""Squared error: the mean of (y - mean)²."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.criteria.base import NumberCriterion, Working, scaled_down, scaled_up

__all__ = ["SquaredError"]


class SquaredError(NumberCriterion):
    """The variance of the rows."""

    name, title = "squared_error", "Mean squared error"
    other_names = ("mse", "friedman_mse", "anova", "variance")
    error_name = "mean squared error"
    unit, here = "root", "RMSE here"
    power = 2
    is_bregman = True
    core_number, core_loss = 3, 1

    def loss(self, y: Any, answer: Any) -> NDArray[np.float64]:
        """Return (y - answer)²."""
        return np.asarray((y - answer) ** 2)

    def impurity(self, weights: Mapping[Any, float]) -> float:
        """Return the weighted mean of (y - mean)²."""
        total = math.fsum(weights.values())
        scaled, exponent = scaled_down(weights)
        # Subtract one of the values, so that a constant target gives exactly 0.
        origin = scaled[0][0]
        mean = math.fsum(w / total * (y - origin) for y, w in scaled)
        squares = [w / total * (y - origin - mean) ** 2 for y, w in scaled]
        return scaled_up(math.fsum(squares), 2 * exponent)

    def axis(self, target: str) -> str:
        """Return the label of an axis of errors, for a target of this name."""
        return f"RMSE of {target} (root mean squared error)"

    def formula(self, numbers: Working) -> str:
        """Return Σ(y - mean)² / W with the numbers filled in."""
        total, value = numbers.total, numbers.value
        return f"Σ(y - {numbers.mean})² / {total} = {numbers.loss}/{total} = {value}"
