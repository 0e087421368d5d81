"""Sums of floats that do not depend on the order, and add up over parts."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["exact_sum", "sum_as_float"]

_BITS, _HALF = 53, 26
_LEAST = 1074 + _BITS  # every finite float is a multiple of 2^-1074


def exact_sum(values: NDArray[np.float64]) -> int:
    """Return the sum of finite floats, in units of 2^-1127, without rounding.

    Parameters
    ----------
    values : float64 array
        Finite numbers.

    Returns
    -------
    int
        The sums of several parts can be added.
    """
    fractions, exponents = np.frexp(values)
    whole = np.ldexp(fractions, _BITS).astype(np.int64)
    total = 0
    for exponent in np.unique(exponents).tolist():
        some = whole[exponents == exponent]
        # Two halves, so that 2^36 of them fit into 64 bits.
        high, low = int((some >> _HALF).sum()), int((some & (2**_HALF - 1)).sum())
        total += ((high << _HALF) + low) << (exponent - _BITS + _LEAST)
    return total


def sum_as_float(total: int) -> float:
    """Return a sum of `exact_sum`, rounded once."""
    return float(total / 2**_LEAST)
