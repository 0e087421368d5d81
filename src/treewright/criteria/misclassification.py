"""Misclassification: 1 - max p, the share of rows that the best answer gets wrong."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.criteria.base import ClassCriterion, Working

__all__ = ["Misclassification"]


class Misclassification(ClassCriterion):
    """The share of rows outside the largest class: 0 to 1 - 1/classes."""

    name, title = "misclassification", "Misclassification"
    core_number = 2

    def impurity(self, weights: Mapping[Any, float]) -> float:
        """Return 1 - max p."""
        total = math.fsum(weights.values())
        return 1.0 - max(w / total for w in weights.values())

    def of_shares(self, shares: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return 1 - max p; 0 for a set without rows."""
        largest = shares.max(axis=1)
        return np.where(largest > 0, 1.0 - largest, 0.0)

    def formula(self, numbers: Working) -> str:
        """Return 1 - max p with the numbers filled in."""
        return f"1 - {numbers.largest} = {numbers.value}"
