"""Choosing a size from a table of errors: the least error, or the 1-SE rule."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["least_error", "one_standard_error"]

_TIE = 1e-12


def least_error(error: NDArray[np.float64]) -> int:
    """Return the step with the least error; of equally good trees, the smallest.

    Parameters
    ----------
    error : float array
        The error of each step, from the largest tree to the root.

    Returns
    -------
    int
    """
    return int(np.flatnonzero(error <= error.min() * (1 + _TIE))[-1])


def one_standard_error(error: NDArray[np.float64], std: NDArray[np.float64]) -> int:
    """Return the smallest tree within one standard error of the best.

    This is the rule of Breiman et al.: a difference in error that chance can explain
    does not justify a larger tree.

    Parameters
    ----------
    error, std : float arrays
        The error of each step on rows not trained on, and its standard error, from the
        largest tree to the root. The rule uses the standard error of the best tree.

    Returns
    -------
    int
        The step to take.
    """
    allowed = (float(error.min()) + float(std[least_error(error)])) * (1 + _TIE)
    return int(np.flatnonzero(error <= allowed)[-1])
