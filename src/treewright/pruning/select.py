"""The size to take from a table of errors: the best tree, or the 1-SE rule."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["least_error", "one_standard_error"]

_TIE = 1e-12


def least_error(error: NDArray[np.float64]) -> int:
    """Return the step of least error; of equally good trees, the smallest.

    Parameters
    ----------
    error : float array
        By step, from the largest tree to the root.

    Returns
    -------
    int
    """
    return int(np.flatnonzero(error <= error.min() * (1 + _TIE))[-1])


def one_standard_error(error: NDArray[np.float64], std: NDArray[np.float64]) -> int:
    """Return the smallest tree within one standard error of the best.

    The rule of Breiman and others: errors that differ by less than chance explains
    are no reason for a larger tree.

    Parameters
    ----------
    error, std : float arrays
        By step, from the largest tree to the root: errors on rows not trained on, and
        their standard errors. That of the best tree counts.

    Returns
    -------
    int
        The step to take.
    """
    allowed = (float(error.min()) + float(std[least_error(error)])) * (1 + _TIE)
    return int(np.flatnonzero(error <= allowed)[-1])
