"""Text that spells numbers, amounts, percentages, dates or times.

`recognise` looks at every distinct text of a column and returns the one `Spelling` that
reads them all, or None. A `Spelling` is kept in the schema, so that new data are read
by the same rules. Nothing is guessed: a column whose texts can be read in two ways
(01/02/2019) is `Ambiguous`, and codes with leading zeros, phone numbers and numbered
names stay text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import date, datetime, timedelta
from typing import Any

__all__ = [
    "MARKS_AMONG_NUMBERS",
    "MISSING_MARKS",
    "VALUES_OF",
    "Ambiguous",
    "Spelling",
    "are_codes",
    "is_missing_mark",
    "mixed_dates",
    "names_a_key",
    "parse_duration",
    "recognise",
]

MISSING_MARKS = frozenset(
    {"", "?", "-", "--", ".", "na", "n/a", "#n/a", "nan", "null", "nil"}
)
"""Texts that people write for a missing value, in lower case."""
MARKS_AMONG_NUMBERS = MISSING_MARKS | {"none", "unknown", "missing"}
"""In a column of numbers these are marks too; among words they are categories."""

_EPOCH = datetime(1970, 1, 1)
_MICROSECOND = timedelta(microseconds=1)
_MOST_DIGITS = 15  # every number of so many digits is exact in a float64
_FEWEST_ID_DIGITS = 9
_ID_NAMES = re.compile(
    r"(^|[^a-z])(id|ids|key|code|zip|zipcode|postcode|postal|plz|phone|tel|fax|mobile|"
    r"ssn|isbn|iban|sku|ean|account|acct|number|no|nr)[^a-z]*$"
)


@dataclass(frozen=True)
class Ambiguous:
    """Texts that can be read in two ways.

    Attributes
    ----------
    words : str
        What the two readings are.
    choices : tuple of str
        Values of `kinds` that choose between them.
    """

    words: str
    choices: tuple[str, ...]


@dataclass(frozen=True)
class Spelling:
    """How the texts of a column spell values.

    Attributes
    ----------
    what : {'number', 'money', 'percent', 'measure', 'date', 'datetime', 'time'}
        What they spell. 'measure': a number with a unit.
    decimal : {'.', ','}
        The decimal mark of numbers.
    thousands : str
        What separates thousands; '' if nothing does. A blank stands for every kind.
    unit : str
        The currency or unit that every text names; '' if there is none.
    order : str
        For dates: 'ymd', 'dmy' or 'mdy'.
    zone : {'', 'UTC'}
        'UTC' if every text names a time zone; the values are then in UTC.
    """

    what: str
    decimal: str = "."
    thousands: str = ""
    unit: str = ""
    order: str = ""
    zone: str = ""

    @property
    def of_moments(self) -> bool:
        """Whether the texts are dates or times of day."""
        return self.what in ("date", "datetime", "time")

    def parse(self, text: str) -> float | None:
        """Return the value a text spells; None if it does not spell one.

        Parameters
        ----------
        text : str
            The text of a cell.

        Returns
        -------
        float or None
            A number; for dates the microseconds since 1970, for times of day the
            microseconds since midnight.
        """
        if self.what in ("date", "datetime"):
            return self._parse_date(text.strip())
        if self.what == "time":
            return _parse_time(text.strip())
        parts = _split_number(text)
        if parts is None or not _same_unit(parts.unit, self.unit):
            return None
        if not _body_pattern(self.decimal, self.thousands).fullmatch(parts.body):
            return None
        return parts.value(self.decimal, self.thousands)

    def _parse_date(self, text: str) -> float | None:
        """Return the moment, if the text names a zone exactly where the others did."""
        matched = _form_of(text)
        if matched is None or (matched[1]["zone"] is not None) != bool(self.zone):
            return None
        return _parse_date(text, self.order)

    @property
    def words(self) -> str:
        """What the texts are, for people."""
        marks = []
        if self.decimal == ",":
            marks.append("a decimal comma")
        if self.thousands:
            marks.append(f"{_NAMES.get(self.thousands, self.thousands)} for thousands")
        with_marks = f" with {' and '.join(marks)}" if marks else ""
        of_unit = f" in {self.unit}" if self.unit and self.what != "percent" else ""
        ordered = {"dmy": " (day first)", "mdy": " (month first)"}.get(self.order, "")
        zone = " with a time zone" if self.zone else ""
        return f"{_WHAT[self.what]}{of_unit}{with_marks}{zone}{ordered}"

    def to_dict(self) -> dict[str, str]:
        """Return the fields that are not empty."""
        return {name: value for name, value in asdict(self).items() if value}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Spelling:
        """Build a spelling from what `to_dict` returned."""
        found = cls(**{name: str(value) for name, value in data.items()})
        known = found.what in _WHAT and found.decimal in (".", ",")
        known = known and found.zone in ("", "UTC")
        if not known or found.order not in ("", "ymd", "dmy", "mdy"):
            raise ValueError(f"{data!r} is not a spelling")
        return found


_WHAT = {
    "number": "numbers",
    "money": "amounts of money",
    "percent": "percentages",
    "measure": "numbers",
    "date": "dates",
    "datetime": "points in time",
    "time": "times of day",
}
VALUES_OF = {
    "bool": "true or false",
    "date": "dates such as 2024-02-29",
    "datetime": "points in time such as '2024-02-29 14:30'",
    "duration": "durations such as 02:30:00",
    "time": "times of day such as 14:30",
}
"""By the type of a column that is not plain numbers: its values, for messages."""
_ORDERS = {"day first": ("dmy",), "month first": ("mdy",)}
"""The kinds that decide how a date is written, and the order they stand for."""
_NAMES = {",": "commas", ".": "points", " ": "blanks", "'": "apostrophes"}


def is_missing_mark(text: str, *, among_numbers: bool = False) -> bool:
    """Return whether a text is what people write for a missing value.

    Parameters
    ----------
    text : str
        The text.
    among_numbers : bool, default=False
        Whether the other values are numbers: there 'unknown' is a mark too.

    Returns
    -------
    bool
    """
    marks = MARKS_AMONG_NUMBERS if among_numbers else MISSING_MARKS
    return text.strip().lower() in marks


def parse_duration(text: str) -> int | None:
    """Return the microseconds of a duration such as '35:06' or '2 days, 8:19:00'.

    Parameters
    ----------
    text : str
        Days, hours, minutes and seconds, as Python prints them: '-1 day, 23:00:00' is
        minus one hour. A time of day such as '1:30 pm' counts from midnight.

    Returns
    -------
    int or None
        None: the text is no duration.

    Examples
    --------
    >>> parse_duration("2 days") == 2 * 24 * 3600 * 10**6
    True
    """
    found = _DURATION.fullmatch(text.strip())
    if found is None or not found[0]:
        ticks = _parse_time(text.strip())
        return None if ticks is None else int(ticks)
    parts = {name: float(each or 0) for name, each in found.groupdict().items()}
    return timedelta(**parts) // _MICROSECOND


def recognise(
    labels: Iterable[object], name: str = "", kind: str = ""
) -> Spelling | Ambiguous | None:
    """Return how all texts of a column spell values of one sort.

    Parameters
    ----------
    labels : iterable of str
        The distinct known texts, marks of missing values left out.
    name : str, default=''
        The column's name: a name such as 'zip' or 'phone' keeps digits text.
    kind : {'', 'numeric', 'date', 'day first', 'month first'}, default=''
        What the caller asks for; '' asks for nothing.

    Returns
    -------
    Spelling, Ambiguous or None
        None: the texts are names, codes or words.

    Examples
    --------
    >>> recognise(["$1,200", "$950"]).words
    'amounts of money in $ with commas for thousands'
    >>> recognise(["14/08/2019", "02/09/2019"]).order
    'dmy'
    >>> recognise(["01234", "98765"]) is None
    True
    """
    texts = [label.strip() for label in labels if isinstance(label, str)]
    if not texts:
        return None
    if kind in _ORDERS:
        return _as_dates(texts, _ORDERS[kind])
    dates = None if kind == "numeric" else _as_times(texts) or _as_dates(texts)
    if dates is not None or kind == "date":
        return dates
    return _as_numbers(texts, "" if kind else name, asked=bool(kind))


# -- numbers ---------------------------------------------------------------------------

_BLANK = "\u0020\u00a0\u2009\u202f"
_CURRENCY = r"[$€£]|(?:USD|EUR|GBP|CHF|JPY|CAD|AUD)(?=\s)"
_UNIT = r"[%‰°]|[^\W\d_]{1,12}(?:/[^\W\d_]{1,6})?[²³]?|°[CF]|[$€£]"
_NUMBER = re.compile(
    rf"""
    (?P<open>\()?\s*
    (?P<sign>[-+\u2212])?\s*
    (?P<before>{_CURRENCY})?\s*
    (?P<sign_after>[-+\u2212])?
    (?P<body>(?:\d[\d.,'{_BLANK}\u2019]*\d|\d|[.,]\d+)[.,]?(?:[eE][-+]?\d+)?)
    \s*(?P<after>{_UNIT})?
    \s*(?P<close>\))?(?P<trailing>-)?
    """,
    re.VERBOSE,
)
# Single letters that name a unit; any other letter behind digits may be part of a code.
_SHORT_UNITS = frozenset("mghslLdyWVJN%‰°$€£")


@dataclass(frozen=True)
class _Parts:
    """A text taken apart: sign, digits with their marks, and unit."""

    negative: bool
    body: str
    unit: str

    def value(self, decimal: str, thousands: str) -> float:
        """Return the number."""
        body = self.body
        for mark in _BLANK if thousands == " " else thousands:
            body = body.replace(mark, "")
        number = float(body.replace(decimal, "."))
        return -number if self.negative else number


def _split_number(text: str) -> _Parts | None:
    found = _NUMBER.fullmatch(text.strip())
    if found is None:
        return None
    part = found.groupdict()
    signs = [part[s] for s in ("sign", "sign_after", "trailing") if part[s]]
    in_brackets = bool(part["open"])
    if in_brackets != bool(part["close"]) or len(signs) + in_brackets > 1:
        return None
    if part["before"] and part["after"]:
        return None
    unit = part["before"] or part["after"] or ""
    negative = in_brackets or (bool(signs) and signs[0] != "+")
    return _Parts(negative, part["body"].replace("\u2019", "'"), unit)


def _same_unit(unit: str, wanted: str) -> bool:
    """Return whether two units are one, in the singular or the plural."""
    return unit == wanted or (len(wanted) > 2 and wanted in (unit + "s", unit + "es"))


def _body_pattern(decimal: str, thousands: str) -> re.Pattern[str]:
    """Return a pattern of numbers with these marks, and no others."""
    end = rf"(?:{re.escape(decimal)}\d*)?(?:[eE][-+]?\d+)?"
    plain = rf"\d+{end}|{re.escape(decimal)}\d+(?:[eE][-+]?\d+)?"
    if not thousands:
        return re.compile(plain)
    mark = f"[{_BLANK}]" if thousands == " " else re.escape(thousands)
    return re.compile(rf"[1-9]\d{{0,2}}(?:{mark}\d{{3}})+{end}|{plain}")


_MARKS = [(".", ""), (".", ","), (",", ""), (",", ".")]
_MARKS += [(",", " "), (".", " "), (".", "'"), (",", "'")]
"""Decimal mark and mark of thousands, in the order in which they are tried."""


def _as_numbers(
    texts: Sequence[str], name: str, *, asked: bool = False
) -> Spelling | None:
    parts = [_split_number(text) for text in _spread(texts, 20)]
    if None in parts:
        return None
    parts = [_split_number(text) for text in texts]
    whole = [part for part in parts if part is not None]
    if len(whole) < len(parts):
        return None
    unit = _common_unit({part.unit for part in whole})
    bodies = [part.body for part in whole]
    if unit is None or (not asked and not unit and _are_codes(bodies, name)):
        return None
    for decimal, thousands in _MARKS:
        pattern = _body_pattern(decimal, thousands)
        if all(pattern.fullmatch(body) for body in bodies):
            return Spelling(_what(unit), decimal, thousands, unit)
    return None


def _spread(texts: Sequence[str], n: int) -> Sequence[str]:
    """Return a few texts from the whole column, to give words up early."""
    return texts[:: max(1, len(texts) // n)]


def _common_unit(units: set[str]) -> str | None:
    """Return the one unit of all texts, in the plural; None if they differ."""
    longest = max(units, key=len)
    if len(longest) == 1 and longest not in _SHORT_UNITS:
        return None
    if longest.lower() in ("am", "pm"):
        return None  # a time of day that is none
    return longest if all(_same_unit(unit, longest) for unit in units) else None


def _what(unit: str) -> str:
    if re.fullmatch(_CURRENCY.replace(r"(?=\s)", ""), unit):
        return "money"
    return {"": "number", "%": "percent"}.get(unit, "measure")


def _are_codes(bodies: Sequence[str], name: str) -> bool:
    """Return whether digits name things: zip codes, phone numbers, identifiers."""
    if any(re.match(r"0\d", body) for body in bodies):
        return True
    digits = [body for body in bodies if body.isdigit()]
    if len(digits) < len(bodies):
        return False
    lengths = [len(body) for body in digits]
    return are_codes(name, min(lengths), max(lengths))


def are_codes(name: str, shortest: int, longest: int) -> bool:
    """Return whether texts of nothing but digits name things rather than count them.

    Parameters
    ----------
    name : str
        The column's name.
    shortest, longest : int
        Fewest and most digits of its values.

    Returns
    -------
    bool
        True for more digits than a float64 holds, for a column called id, zip or
        phone, and for many digits, always as many.
    """
    if longest > _MOST_DIGITS or names_a_key(name):
        return True
    return shortest == longest >= _FEWEST_ID_DIGITS


def names_a_key(name: str) -> bool:
    """Return whether a column's name says that it numbers or names rows."""
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()
    return _ID_NAMES.search(words) is not None


# -- dates and times -------------------------------------------------------------------

_MONTHS = {
    month: number
    for number, names in enumerate(
        [
            "jan january",
            "feb february",
            "mar march",
            "apr april",
            "may",
            "jun june",
            "jul july",
            "aug august",
            "sep sept september",
            "oct october",
            "nov november",
            "dec december",
        ],
        1,
    )
    for month in names.split()
}
_CLOCK = (
    r"(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?P<part>[.,]\d{1,9})?)?"
    r"(?:\s*(?P<half>[AaPp])\.?[Mm]\.?)?"
)
_ZONE = r"(?:\s?(?P<zone>Z|UTC|[-+]\d{2}(?::?\d{2})?))?"
_DATES = {
    "ymd": r"(?P<a>\d{4})(?P<s>[-/.])(?P<b>\d{1,2})(?P=s)(?P<c>\d{1,2})",
    "ym": r"(?P<a>\d{4})-(?P<b>\d{2})",
    "xxy": r"(?P<a>\d{1,2})(?P<s>[-/.])(?P<b>\d{1,2})(?P=s)(?P<c>\d{4}|\d{2})",
    "dmony": (
        r"(?P<a>\d{1,2})[- ](?P<month>[A-Za-z]{3,9})\.?[- ,]{1,2}(?P<c>\d{4}|\d{2})"
    ),
    "mondy": r"(?P<month>[A-Za-z]{3,9})\.? (?P<b>\d{1,2}),? (?P<c>\d{4})",
}
_FORMS = {
    form: re.compile(rf"{pattern}(?:[T ]\s?{_CLOCK}{_ZONE})?")
    for form, pattern in _DATES.items()
}
_TIME = re.compile(_CLOCK)
_DURATION = re.compile(
    r"(?:(?P<days>[-+]?\d{1,6}) days?,?\s*)?"
    r"(?:(?P<hours>\d{1,6}):(?P<minutes>[0-5]\d)(?::(?P<seconds>[0-5]\d(?:\.\d{1,9})?))?)?"
)
_FULL_HOUR = re.compile(r"(\d{1,2})\s*([AaPp])\.?[Mm]\.?")


def _as_times(texts: Sequence[str]) -> Spelling | None:
    if all(_parse_time(text) is not None for text in texts):
        return Spelling("time")
    return None


def _parse_time(text: str) -> float | None:
    hour = _FULL_HOUR.fullmatch(text)
    found = _TIME.fullmatch(text if hour is None else f"{hour[1]}:00 {hour[2]}M")
    clock = None if found is None else _clock(found)
    return None if clock is None else float(clock / _MICROSECOND)


def _as_dates(
    texts: Sequence[str], asked: Sequence[str] = ("ymd", "dmy", "mdy")
) -> Spelling | Ambiguous | None:
    matches = list(_dates_of(texts))
    if len(matches) < len(texts):
        return None
    if len({found["zone"] is None for _, found in matches}) > 1:
        return None  # local times and times of a zone cannot be compared
    orders = [order for order in asked if _all_dates(texts, order)]
    if not orders:
        return None
    if len(orders) > 1 and _differ(texts, orders):
        return Ambiguous(
            f"dates such as {texts[0]!r}, but no value says whether the day or the "
            "month comes first",
            ("day first", "month first"),
        )
    has_clock = any(found["hour"] is not None for _, found in matches)
    zone = "" if matches[0][1]["zone"] is None else "UTC"
    what = "datetime" if has_clock else "date"
    return Spelling(what, order=orders[0], zone=zone)


def mixed_dates(labels: Iterable[object]) -> str:
    """Return how the dates of a column are written, if in more than one way.

    Parameters
    ----------
    labels : iterable of str
        The distinct known texts, marks of missing values left out.

    Returns
    -------
    str
        Such as "dates written in several ways, '2019-08-14' and '14/08/2019'"; '' if
        a text is no date, or `recognise` reads them all.

    Examples
    --------
    >>> mixed_dates(["2019-08-14", "14/08/2019"])
    "dates written in several ways, '2019-08-14' and '14/08/2019'"
    """
    first: dict[str, str] = {}
    for label in labels:
        text = label.strip() if isinstance(label, str) else ""
        orders = [o for o in ("ymd", "dmy", "mdy") if _parse_date(text, o) is not None]
        if not orders:
            return ""
        matched = _form_of(text)
        first.setdefault(matched[0] if matched else "", text)
    if len(first) < 2:
        return ""
    one, other = list(first.values())[:2]
    return f"dates written in several ways, {one!r} and {other!r}"


def _dates_of(texts: Sequence[str]) -> Iterator[tuple[str, re.Match[str]]]:
    """Yield the form of each text, up to the first that has none."""
    for text in texts:
        found = _form_of(text)
        if found is None:
            return
        yield found


def _form_of(text: str) -> tuple[str, re.Match[str]] | None:
    for form, pattern in _FORMS.items():
        found = pattern.fullmatch(text)
        if found is not None:
            return form, found
    return None


def _all_dates(texts: Sequence[str], order: str) -> bool:
    return all(_parse_date(text, order) is not None for text in texts)


def _differ(texts: Sequence[str], orders: Sequence[str]) -> bool:
    """Return whether the orders give different dates; points mean day first."""
    if all("." in text for text in texts):
        return False
    return any(len({_parse_date(text, o) for o in orders}) > 1 for text in texts)


def _parse_date(text: str, order: str) -> float | None:
    """Return the microseconds since 1970, in UTC where the text names a zone."""
    matched = _form_of(text)
    if matched is None:
        return None
    form, found = matched
    day = _day(form, found, order)
    clock = timedelta() if found["hour"] is None else _clock(found)
    if day is None or clock is None:
        return None
    moment = datetime(day.year, day.month, day.day) + clock
    return float((moment - _EPOCH - _offset(found["zone"])) / _MICROSECOND)


def _day(form: str, found: re.Match[str], order: str) -> date | None:
    if form in ("ymd", "ym"):
        if order != "ymd":
            return None
        year, month = int(found["a"]), int(found["b"])
        day = int(found["c"]) if form == "ymd" else 1
    elif form == "xxy":
        if order == "ymd":
            return None
        first, second = int(found["a"]), int(found["b"])
        day, month = (first, second) if order == "dmy" else (second, first)
        year = _year(found["c"])
    else:
        name = found["month"].lower()
        month = _MONTHS.get(name, 0)
        day = int(found["a"] if form == "dmony" else found["b"])
        year = _year(found["c"])
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _year(digits: str) -> int:
    """Return a year; of two digits, the one from 1969 to 2068, as POSIX has it."""
    year = int(digits)
    if len(digits) == 2:
        year += 1900 if year >= 69 else 2000
    return year


def _clock(found: re.Match[str]) -> timedelta | None:
    hour, minute = int(found["hour"]), int(found["minute"])
    second = int(found["second"] or 0)
    if found["half"]:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + 12 * (found["half"].lower() == "p")
    if hour > 23 or minute > 59 or second > 59:
        return None
    part = int(f"{(found['part'] or '.')[1:]:0<6}"[:6])
    return timedelta(hours=hour, minutes=minute, seconds=second, microseconds=part)


def _offset(zone: str | None) -> timedelta:
    if zone in (None, "Z", "UTC"):
        return timedelta()
    sign = -1 if zone[0] == "-" else 1
    digits = zone[1:].replace(":", "")
    return sign * timedelta(hours=int(digits[:2]), minutes=int(digits[2:] or 0))
