"""Whole days, months and hours: the unit in which all moments of a column are whole.

Thresholds on a column of whole days are days, so that they read as its values do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from treewright.table.column import FloatArray
    from treewright.table.schema import Feature

__all__ = ["DAY", "GRAINS", "cut_step", "grain_of", "whole_below"]

DAY = 86_400_000_000
GRAINS = {
    "month": DAY,
    "day": DAY,
    "hour": 3_600_000_000,
    "minute": 60_000_000,
    "second": 1_000_000,
}
"""Units, coarsest first, and the microseconds of which every such moment is a multiple
(all months begin with a day)."""
_OF_TIME = ("hour", "minute", "second")


def grain_of(values: FloatArray, stored_as: str, timezone: str = "") -> str:
    """Return the coarsest unit in which all known moments are whole.

    Parameters
    ----------
    values : float array
        Microseconds since 1970, or since midnight; NaN is missing.
    stored_as : str
        Type of the column; only dates and times have a grain.
    timezone : str, default=''
        The column's time zone. Days of a zone that changes its clocks differ in
        length, so such a column has no grain.

    Returns
    -------
    str
        One of `GRAINS`; '' if there is none.
    """
    if stored_as not in ("date", "datetime", "time") or timezone not in ("", "UTC"):
        return ""
    ticks = values[~np.isnan(values)].astype(np.int64)
    if not len(ticks):
        return ""
    for grain in _OF_TIME if stored_as == "time" else GRAINS:
        is_whole = bool((ticks % GRAINS[grain] == 0).all())
        if is_whole and (grain != "month" or _all_begin_months(ticks)):
            return grain
    return ""


def _all_begin_months(ticks: NDArray[np.int64]) -> bool:
    days = (ticks // DAY).astype("datetime64[D]")
    return bool((days.astype("datetime64[M]").astype("datetime64[D]") == days).all())


def cut_step(feature: Feature) -> float:
    """Return the step of the thresholds on a column: a day, or 0 for any number."""
    whole_days = feature.kind == "numeric" and feature.grain in ("month", "day")
    return float(DAY) if whole_days else 0.0


def whole_below(grain: str, value: float) -> float:
    """Return the last whole moment of a grain that is not after a value."""
    below = value // GRAINS[grain] * GRAINS[grain]
    if grain == "month":
        day = np.int64(below // DAY).astype("datetime64[D]")
        below = float(day.astype("datetime64[M]").astype("datetime64[D]").astype(int))
        below *= DAY
    return float(below)
