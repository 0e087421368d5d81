"""Whole days, months and hours: the unit in which all moments of a column are whole.

Thresholds on a column of whole days are days, so that they read as its values do. The
days of a time zone begin at its own midnight. They differ in length where the clocks
change, so they are no multiples of anything: `day_below` asks the calendar.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from treewright.table.column import FloatArray
    from treewright.table.schema import Feature

__all__ = [
    "DAY",
    "GRAINS",
    "cut_step",
    "day_below",
    "grain_of",
    "has_local_days",
    "moment_above",
    "moment_below",
    "whole_below",
]

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
_CLOCK_STEP = 1_000_000
"""Offsets from UTC are whole seconds, so every midnight is one."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def grain_of(values: FloatArray, stored_as: str, timezone: str = "") -> str:
    """Return the coarsest unit in which all known moments are whole.

    Parameters
    ----------
    values : float array
        Microseconds since 1970, or since midnight; NaN is missing.
    stored_as : str
        Type of the column; only dates and times have a grain.
    timezone : str, default=''
        The column's time zone. Outside UTC, only whole days and months of the zone's
        own clock are a grain.

    Returns
    -------
    str
        One of `GRAINS`; '' if there is none.
    """
    if stored_as not in ("date", "datetime", "time"):
        return ""
    ticks = values[~np.isnan(values)].astype(np.int64)
    if not len(ticks):
        return ""
    if timezone not in ("", "UTC"):
        return _local_grain(ticks, timezone)
    for grain in _OF_TIME if stored_as == "time" else GRAINS:
        is_whole = bool((ticks % GRAINS[grain] == 0).all())
        if is_whole and (grain != "month" or _all_begin_months(ticks)):
            return grain
    return ""


def _all_begin_months(ticks: NDArray[np.int64]) -> bool:
    days = (ticks // DAY).astype("datetime64[D]")
    return bool((days.astype("datetime64[M]").astype("datetime64[D]") == days).all())


def _local_grain(ticks: NDArray[np.int64], timezone: str) -> str:
    """Return 'day' or 'month' if all moments begin one by the clock of a zone."""
    if (ticks % _CLOCK_STEP).any():
        return ""
    grain = "month"
    try:
        zone = ZoneInfo(timezone)
        for tick in np.unique(ticks).tolist():
            day = _local_date(tick, zone)
            if _begin(day, zone) != tick:
                return ""
            if day.day != 1:
                grain = "day"
    except (ZoneInfoNotFoundError, ValueError, OSError, OverflowError):
        return ""
    return grain


def _local_date(tick: int, zone: ZoneInfo) -> date:
    moment = _EPOCH + timedelta(microseconds=tick)
    return moment.astimezone(zone).date()


def _begin(day: date, zone: ZoneInfo) -> int:
    """Return when a day begins; of a midnight that occurs twice, the first."""
    midnight = datetime(day.year, day.month, day.day, tzinfo=zone)
    return (midnight.astimezone(UTC) - _EPOCH) // timedelta(microseconds=1)


def has_local_days(feature: Feature) -> bool:
    """Return whether a column holds whole days of a time zone other than UTC."""
    is_local = feature.kind == "numeric" and feature.timezone not in ("", "UTC")
    return is_local and feature.grain in ("month", "day")


def day_below(value: float, timezone: str) -> float:
    """Return the last beginning of a day of a time zone that is not after a value.

    Parameters
    ----------
    value : float
        Microseconds since 1970.
    timezone : str
        The zone.

    Returns
    -------
    float
        The value itself where the calendar or the zone database ends.
    """
    try:
        zone = ZoneInfo(timezone)
        day = _local_date(int(value // 1), zone)
        # Clocks that go back across midnight repeat a date: look at the next day too.
        near = [_begin(day + timedelta(days=n), zone) for n in (1, 0, -1)]
    except (ZoneInfoNotFoundError, ValueError, OSError, OverflowError):
        return value
    return float(next((begin for begin in near if begin <= value), value))


def cut_step(feature: Feature) -> float:
    """Return the step of the thresholds on a column: a day, or 0 for any number.

    The days of a time zone have no step; see `day_below`.
    """
    whole_days = feature.kind == "numeric" and feature.grain in ("month", "day")
    return float(DAY) if whole_days and not has_local_days(feature) else 0.0


def whole_below(grain: str, value: float) -> float:
    """Return the last whole moment of a grain that is not after a value."""
    below = value // GRAINS[grain] * GRAINS[grain]
    if grain == "month":
        day = np.int64(below // DAY).astype("datetime64[D]")
        below = float(day.astype("datetime64[M]").astype("datetime64[D]").astype(int))
        below *= DAY
    return float(below)


def moment_below(feature: Feature, value: float) -> float:
    """Return the last whole day, hour or other unit that is not after a value."""
    if not has_local_days(feature):
        return whole_below(feature.grain, value)
    day = day_below(value, feature.timezone)
    while not _begins_unit(feature, day):
        day = day_below(day - 1, feature.timezone)
    return day


def moment_above(feature: Feature, value: float) -> float:
    """Return the next whole day, hour or other unit after a value."""
    if not has_local_days(feature):
        length = 32 * DAY if feature.grain == "month" else GRAINS[feature.grain]
        return whole_below(feature.grain, whole_below(feature.grain, value) + length)
    day = _next_local_day(value, feature.timezone)
    while not _begins_unit(feature, day):
        day = _next_local_day(day, feature.timezone)
    return day


def _next_local_day(value: float, timezone: str) -> float:
    # A day lasts from 23 to 25 hours.
    return day_below(day_below(value, timezone) + 1.25 * DAY, timezone)


def _begins_unit(feature: Feature, day: float) -> bool:
    """Return whether a local day begins a unit of the column's grain.

    True where the calendar ends.
    """
    if feature.grain == "day":
        return True
    try:
        return _local_date(int(day), ZoneInfo(feature.timezone)).day == 1
    except (ZoneInfoNotFoundError, ValueError, OSError, OverflowError):
        return True
