"""Poisson: half the mean deviance, the mean of y ln(y / mean), for counts and rates."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.criteria.base import NumberCriterion, Working, scaled_down, scaled_up
from treewright.errors import TableError

__all__ = ["Poisson"]


class Poisson(NumberCriterion):
    """Half the deviance of counts or rates about their mean rate."""

    name, title = "poisson", "Mean half deviance"
    error_name = "half the mean deviance"
    here = "Half mean deviance here"
    power = 1
    is_bregman = True
    core_number, core_loss = 4, 2
    needs_positive_sums = True
    smallest_share = 1e-9

    def loss(self, y: Any, answer: Any) -> NDArray[np.float64]:
        """Return y ln(y / answer) - (y - answer)."""
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = np.where(y > 0, y * np.log(y / answer), 0.0)
        return np.asarray(logs - (y - answer))

    def impurity(self, weights: Mapping[Any, float]) -> float:
        """Return the weighted mean of y ln(y / mean)."""
        total = math.fsum(weights.values())
        scaled, exponent = scaled_down(weights)
        if len(scaled) == 1:
            return 0.0
        mean = math.fsum(w / total * y for y, w in scaled)
        terms = [w / total * _half_deviance(y, mean) for y, w in scaled]
        return scaled_up(math.fsum(terms), exponent)

    def formula(self, numbers: Working) -> str:
        """Return Σ y ln(y / mean) / W with its numbers."""
        return f"Σ y·ln(y/{numbers.mean}) / {numbers.total} = {numbers.value}"

    def check_target(
        self, values: NDArray[np.float64], weights: NDArray[np.float64] | None
    ) -> None:
        """Refuse negative values, and a target that is 0 everywhere."""
        if (values < 0).any():
            row = int(np.argmax(values < 0))
            raise TableError(
                "criterion='poisson' needs a target of counts or rates, all >= 0; "
                f"row {row} has {values[row]:g}. Use criterion='squared_error' instead."
            )
        if not (values if weights is None else values[weights > 0]).any():
            raise TableError(
                "criterion='poisson' needs a target with a sum above 0, but all values "
                "are 0: there is nothing to predict."
            )

    def check_number(self, value: float, where: str, given: object) -> None:
        """Refuse a value that is negative or not finite."""
        super().check_number(value, where, given)
        if value < 0:
            raise TableError(
                f"poisson needs y >= 0; {where} is {given!r}. Use squared_error for "
                "targets that may be negative."
            )


def _half_deviance(y: float, mean: float) -> float:
    # The y - mean add up to 0; taken off each term they keep it from cancelling.
    if y > mean / 2:
        return y * math.log1p((y - mean) / mean) - (y - mean)
    return (y * math.log(y / mean) if y > 0 else 0.0) - (y - mean)
