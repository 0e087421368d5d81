"""95% confidence intervals of shares and means."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["Z", "effective_rows", "normal_interval", "wilson"]

Z: float = 1.959963984540054
"""Half the width of a 95% interval, in standard errors."""


def wilson(
    share: ArrayLike, n: ArrayLike
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return Wilson's interval for a share.

    Parameters
    ----------
    share : float array
        Observed shares.
    n : float array
        Number of rows behind each share; for weighted rows the effective number,
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


def effective_rows(own: NDArray[np.float64]) -> float:
    """Return the effective number of rows: (sum of w)^2 / (sum of w^2)."""
    return float(own.sum()) ** 2 / float(own @ own)


def normal_interval(
    values: NDArray[np.float64], mean: float, own: NDArray[np.float64]
) -> tuple[float, float]:
    """Return the normal 95% interval of a weighted mean of numbers >= 0.

    Parameters
    ----------
    values : float array
        One number per row.
    mean : float
        Their weighted mean.
    own : float array
        The weights.

    Returns
    -------
    low, high : float
        `low` is at least 0.
    """
    variance = float(own @ (values - mean) ** 2) / float(own.sum())
    half = Z * math.sqrt(variance / max(effective_rows(own) - 1, 1))
    return max(0.0, mean - half), mean + half
