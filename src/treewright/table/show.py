"""Show stored numbers in the caller's form: as whole numbers, bools, dates."""

import math
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import numpy as np

from treewright.table.schema import Feature

__all__ = ["show_number", "show_value"]

_EPOCH = datetime(1970, 1, 1)
_DAY = 86_400_000_000  # microseconds


def show_value(feature: Feature, value: float) -> str:
    """Return a value of a column (or a threshold on it) as text.

    Parameters
    ----------
    feature : Feature
        The column.
    value : float
        A number as the tree stores it; for categories, a code.

    Returns
    -------
    str
        The shortest text that reads back as the same number; dates in ISO form,
        in the column's time zone; categories by their label.

    Examples
    --------
    >>> show_value(Feature("age", stored_as="int"), 30.0)
    '30'
    >>> show_value(Feature("born", stored_as="date"), 0.0)
    '1970-01-01'
    """
    if feature.kind != "numeric" and value == value:
        return str(feature.labels[int(value)]) if value >= 0 else "missing"
    return show_number(feature, value)


def show_number(feature: Feature, value: float) -> str:
    """Return a number of a column as text, even if the column is cut into intervals.

    Parameters
    ----------
    feature : Feature
        The column; only `stored_as` and `timezone` matter.
    value : float
        A value, a threshold or a cut.

    Returns
    -------
    str
        As `show_value` for a numeric column.
    """
    if value != value:
        return "missing"
    stored_as = feature.stored_as
    if stored_as in ("float", "int", "text") or not math.isfinite(value):
        return _number(value)
    if stored_as in ("date", "datetime"):
        return _moment(value, feature.timezone)
    if stored_as == "time":
        return _time_of_day(value)
    if stored_as == "duration":
        return _duration(value)
    return str(bool(value)) if value in (0.0, 1.0) else _number(value)


def _number(value: float) -> str:
    text = repr(float(value))
    return text.removesuffix(".0")


def _moment(value: float, timezone: str) -> str:
    try:
        moment = _EPOCH + timedelta(microseconds=int(value // 1))
    except OverflowError:
        if abs(value) >= 2.0**63:
            return f"{_number(value)} microseconds after 1970"
        return str(np.datetime64(int(value // 1), "us"))
    if timezone:
        try:
            moment = moment.replace(tzinfo=UTC).astimezone(ZoneInfo(timezone))
        except (ZoneInfoNotFoundError, ValueError, OSError, OverflowError):
            moment = moment.replace(tzinfo=UTC)
    return moment.isoformat().removesuffix("T00:00:00")


def _time_of_day(value: float) -> str:
    if not 0 <= value < _DAY:
        return f"{_number(value)} microseconds after midnight"
    moment = _EPOCH + timedelta(microseconds=int(value // 1))
    return moment.time().isoformat().removesuffix(":00")


def _duration(value: float) -> str:
    try:
        return str(timedelta(microseconds=int(value // 1)))
    except OverflowError:
        return f"{_number(value)} microseconds"
