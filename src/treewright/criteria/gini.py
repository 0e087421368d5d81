"""Gini: 1 - Σ p², p the share of each class."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.criteria.base import ClassCriterion, Working

__all__ = ["Gini"]


class Gini(ClassCriterion):
    """The chance that two rows drawn at random differ: 0 to 1 - 1/classes."""

    name, title = "gini", "Gini"
    core_number = 0

    def impurity(self, weights: Mapping[Any, float]) -> float:
        """Return 1 - Σ p²."""
        total = math.fsum(weights.values())
        return 1.0 - math.fsum((w / total) ** 2 for w in weights.values())

    def of_shares(self, shares: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return Σ p (1 - p), which equals 1 - Σ p² and avoids cancellation."""
        return np.asarray((shares * (1.0 - shares)).sum(axis=1))

    def of_row(self, shares: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return 1 - p for a row of a class with share p."""
        return np.asarray(1.0 - shares)

    def formula(self, numbers: Working) -> str:
        """Return 1 - Σ p² with the numbers filled in."""
        squares = " - ".join(f"({p})²" for p in numbers.shares)
        return f"1 - {squares} = {numbers.value}"
