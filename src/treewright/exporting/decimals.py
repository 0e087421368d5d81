"""Decimals that every parser reads back as the same float64."""

from __future__ import annotations

import math
from fractions import Fraction

__all__ = ["far_from_ties", "shortest"]


def shortest(number: float) -> str:
    """Return the shortest decimal that is read back as this number."""
    return repr(float(number) + 0.0).removesuffix(".0")


def far_from_ties(number: float) -> str:
    """Return a decimal that is read as this finite number even with a small error.

    SQLite and R round decimals twice, so a decimal near the middle between two floats
    can be read as the wrong one. The shortest decimal is used if it lies within a
    quarter of the distance between floats; 18 digits always do.
    """
    text = shortest(number)
    distance = abs(Fraction(text) - Fraction(number))
    return text if 4 * distance <= Fraction(math.ulp(number)) else f"{number:.18g}"
