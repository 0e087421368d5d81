"""Weighted quantiles, and the mean distance from the median, exactly."""

from collections.abc import Sequence
from fractions import Fraction

HALF = Fraction(1, 2)
ROUNDED = Fraction(1, 10**9)
"""Of the weight, by which sums of shares may miss a goal that they meet.

Exact shares know no rounding, but weights like 0.1 do, and the fast grower rounds
shares too. Both must see a tie where a person sees one."""


def quantile(
    values: Sequence[int],
    weights: Sequence[int | Fraction],
    share: Fraction,
    slack: Fraction | int = 0,
) -> Fraction:
    """Return the smallest value that a share of the weight reaches.

    Where a value reaches it exactly, up to a slack in shares of the weight, the mean
    of it and the next larger one of weight above 0. The values ascend.
    """
    present = [(v, w) for v, w in zip(values, weights, strict=True) if w]
    whole = sum(weight for _, weight in present)
    wanted = share * whole
    reached: int | Fraction = 0
    for i, (value, weight) in enumerate(present):
        reached += weight
        if abs(reached - wanted) <= slack * whole:
            return Fraction(value + present[i + 1][0], 2)
        if reached > wanted:
            return Fraction(value)
    raise AssertionError("some value reaches every share below 1")


def mean_deviation(
    values: Sequence[int], weights: Sequence[int | Fraction]
) -> Fraction:
    """Return the mean distance of the values from their median."""
    median = quantile(values, weights, HALF)
    far = [w * abs(v - median) for v, w in zip(values, weights, strict=True)]
    return Fraction(sum(far)) / sum(weights)
