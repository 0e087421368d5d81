"""Weighted quantiles, and the mean distance from the median, exactly."""

from collections.abc import Sequence
from fractions import Fraction

HALF = Fraction(1, 2)


def quantile(
    values: Sequence[int],
    weights: Sequence[int | Fraction],
    share: Fraction,
    slack: Fraction = Fraction(0),
) -> Fraction:
    """Return the smallest value at which the cumulative weight exceeds a share.

    If the cumulative weight equals the share exactly, the result is the mean of that
    value and the next larger one of weight above 0. The values must be ascending.
    Weights that differ by at most `slack`, a share of the total, count as equal.
    """
    present = [(v, w) for v, w in zip(values, weights, strict=True) if w]
    whole = sum(weight for _, weight in present)
    reached: int | Fraction = 0
    for i, (value, weight) in enumerate(present):
        reached += weight
        over = reached - share * whole
        if abs(over) <= slack * whole and i + 1 < len(present):
            return Fraction(value + present[i + 1][0], 2)
        if over > 0:
            return Fraction(value)
    raise AssertionError("the total weight exceeds every share below 1")


def mean_deviation(
    values: Sequence[int], weights: Sequence[int | Fraction]
) -> Fraction:
    """Return the mean distance of the values from their median."""
    median = quantile(values, weights, HALF)
    distances = [w * abs(v - median) for v, w in zip(values, weights, strict=True)]
    return Fraction(sum(distances)) / sum(weights)
