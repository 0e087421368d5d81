"""Ticks of an axis that shows a column: dates, durations and truth values as such."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from treewright.table.schema import Feature
from treewright.table.show import show_number

if TYPE_CHECKING:
    from matplotlib.axis import Axis

__all__ = ["value_ticks"]

_DAY, _HOUR, _MINUTE = 86_400e6, 3_600e6, 60e6
_MOST_TICKS = 6
_STEPS = (1, 5, 15, 30, 60, 180, 360, 720, 1440)
"""Distances between ticks of times and durations up to a day, in minutes."""
_FIRST, _LAST = -62_135_596_800e6, 253_402_300_799e6
"""The start of year 1 and the end of year 9999: the moments that matplotlib knows."""


def value_ticks(axis: Axis, feature: Feature) -> None:
    """Write a column's values along an axis, where they are not plain numbers.

    Parameters
    ----------
    axis : matplotlib.axis.Axis
        The axis, with its limits set.
    feature : Feature
        The column. Dates, times and durations are drawn in microseconds.
    """
    from matplotlib.ticker import FixedLocator, FuncFormatter

    times = ("date", "datetime", "time", "duration", "bool")
    if feature.kind != "numeric" or feature.stored_as not in times:
        return
    low, high = axis.get_view_interval()
    if feature.stored_as == "bool":
        places: Any = [0.0, 1.0]
    elif feature.stored_as in ("date", "datetime"):
        places = _round_dates(low, high)
    else:
        places = _round_times(low, high)
    axis.set_major_locator(FixedLocator(places))
    axis.set_major_formatter(FuncFormatter(lambda x, _: show_number(feature, x)))


def _round_dates(low: float, high: float) -> list[float]:
    """Return the starts of years, months, days or hours between two moments."""
    from matplotlib import dates

    first, last = max(low, _FIRST), min(high, _LAST)
    if first >= last:
        return [low, high]
    known: Any = dates  # matplotlib has no types here
    locator = known.AutoDateLocator(minticks=2, maxticks=_MOST_TICKS)
    ends = known.num2date(first / _DAY), known.num2date(last / _DAY)
    days = [float(day) for day in locator.tick_values(*ends)]
    return [round(day * _DAY) for day in days if low <= day * _DAY <= high]


def _round_times(low: float, high: float) -> list[float]:
    """Return whole seconds, minutes, hours or days between two times.

    Ticks are fractions of a second only if they are less than a second apart.
    """
    from matplotlib.ticker import MaxNLocator

    span = (high - low) / _MOST_TICKS
    unit = _DAY if span > _DAY else 1e6 if span < _MINUTE else None
    if unit is None:
        step = next(m * _MINUTE for m in _STEPS if m * _MINUTE >= span)
        first = -int(-low // step)
        return [k * step for k in range(first, int(high // step) + 1)]
    locator: Any = MaxNLocator(_MOST_TICKS, steps=[1, 2, 5, 10])
    found = locator.tick_values(low / unit, high / unit)
    return [x * unit for x in found.tolist() if low <= x * unit <= high]
