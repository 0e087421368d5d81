"""Intervals that hold a share with a probability of 95%."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["Z", "wilson"]

Z: float = 1.959963984540054
"""Half the width of a 95% interval, in standard errors."""


def wilson(
    share: ArrayLike, n: ArrayLike
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return Wilson's interval of a share.

    Parameters
    ----------
    share : float array
        Shares seen.
    n : float array
        Rows in which each was seen; of rows with weights the effective number,
        (sum of weights)^2 / (sum of squared weights).

    Returns
    -------
    low, high : float arrays
    """
    share, n = np.asarray(share, np.float64), np.asarray(n, np.float64)
    scale = 1 + Z**2 / n
    middle = (share + Z**2 / (2 * n)) / scale
    half = Z * np.sqrt(share * (1 - share) / n + Z**2 / (4 * n * n)) / scale
    low = np.where(share <= 0, 0.0, np.clip(middle - half, 0, 1))
    return low, np.where(share >= 1, 1.0, np.clip(middle + half, 0, 1))
