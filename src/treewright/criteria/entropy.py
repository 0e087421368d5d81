"""Entropy: -Σ p log₂ p, in bits, with 0 log 0 = 0; and the gain ratio built on it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from treewright.criteria.base import ClassCriterion, Working

__all__ = ["Entropy", "GainRatio"]


class Entropy(ClassCriterion):
    """Bits needed to state the class of a row: 0 to log₂ of the number of classes."""

    name, title = "entropy", "Entropy"
    aliases: ClassVar[tuple[str, ...]] = ("log_loss",)
    other_names: ClassVar[tuple[str, ...]] = ("information_gain",)
    core_number = 1

    def impurity(self, weights: Mapping[Any, float]) -> float:
        """Return -Σ p log₂ p."""
        total = math.fsum(weights.values())
        shares = [w / total for w in weights.values()]
        # + 0.0 turns the -0.0 of a pure set into 0.0.
        return -math.fsum(p * math.log2(p) for p in shares) + 0.0

    def of_shares(self, shares: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return -Σ p log₂ p."""
        safe = np.where(shares > 0, shares, 1.0)
        bits = -(safe * np.log2(safe)).sum(axis=1)
        return np.asarray(np.maximum(bits, 0.0))

    def of_row(self, shares: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return -log₂ p for a row of a class with share p; 0 for a share of 0."""
        return np.asarray(-np.log2(np.where(shares > 0, shares, 1.0)))

    def formula(self, numbers: Working) -> str:
        """Return -Σ p log₂ p with the numbers filled in."""
        terms = " - ".join(f"{p}·log2({p})" for p in numbers.shares)
        return f"-{terms} = {numbers.value}"


class GainRatio(Entropy):
    """C4.5's gain ratio: entropy gained, divided by the entropy of the split itself."""

    name = "gain_ratio"
    aliases, other_names = (), ()
    by_ratio = True
