"""Absolute error: the mean of |y - median|."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.criteria.base import NumberCriterion, Working, scaled_down, scaled_up

__all__ = ["AbsoluteError"]


class AbsoluteError(NumberCriterion):
    """The mean distance of the rows from their median."""

    name, title = "absolute_error", "Mean absolute error"
    other_names = ("mae",)
    answer = "median"
    error_name = "mean absolute error"
    here = "Mean absolute error here"
    power = 1
    core_number, core_loss = 5, 3

    def loss(self, y: Any, answer: Any) -> NDArray[np.float64]:
        """Return |y - answer|."""
        return np.asarray(np.abs(y - answer))

    def impurity(self, weights: Mapping[Any, float]) -> float:
        """Return the weighted mean of |y - median|."""
        total = math.fsum(weights.values())
        scaled, exponent = scaled_down(weights)
        scaled.sort()
        reached = accumulate(w for _, w in scaled)
        # Every median gives the same mean distance.
        at = next((i for i, w in enumerate(reached) if w >= total / 2), -1)
        distances = [w / total * abs(y - scaled[at][0]) for y, w in scaled]
        return scaled_up(math.fsum(distances), exponent)

    def axis(self, target: str) -> str:
        """Return the label of an axis of errors, for a target of this name."""
        return f"mean absolute error of {target}"

    def formula(self, numbers: Working) -> str:
        """Return Σ|y - median| / W with the numbers filled in."""
        total, value = numbers.total, numbers.value
        return f"Σ|y - {numbers.median}| / {total} = {numbers.loss}/{total} = {value}"
