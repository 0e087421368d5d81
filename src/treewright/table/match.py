"""Find the columns of a tree in new data: by name, or by position for arrays."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treewright.errors import (
    ColumnError,
    TableError,
    UnseenCategoryWarning,
    nearest_name,
)
from treewright.table.column import IntArray, Label
from treewright.table.cuts import codes_of
from treewright.table.from_numpy import as_float32, check_shape, is_plain_float
from treewright.table.raw import (
    RawColumn,
    first_value,
    parse_number,
    spelled_number,
    spelled_numbers,
    to_codes,
    to_numbers,
)
from treewright.table.schema import PLAIN_NUMBERS, Feature, Schema
from treewright.table.source import Source, open_source
from treewright.table.table import Table
from treewright.table.warn import warn

__all__ = [
    "MatchedColumns",
    "Probe",
    "encode_numbers",
    "match",
    "plain_matrix",
    "probe",
    "zone_error",
]

UNSEEN = -2
_MOMENTS = frozenset({"date", "datetime"})
_WITH_TEXT = frozenset({"text", "category", "mixed"})
_MOST_NAMED = 5
_FEWEST_ROWS_TO_WARN = 5
_MOST_LABELS = 3


class MatchedColumns(list["NDArray[Any] | None"]):
    """One array per column of the schema (None if not needed), and the row count.

    Attributes
    ----------
    n_rows : int
        Number of rows of the new data; known even if no column is needed.
    """

    n_rows: int

    def __init__(self, columns: Iterable[NDArray[Any] | None], n_rows: int) -> None:
        super().__init__(columns)
        self.n_rows = n_rows


def plain_matrix(schema: Schema, X: Any) -> NDArray[Any] | None:
    """Return X itself if the core can read it as one matrix, else None.

    Parameters
    ----------
    schema : Schema
        The schema of the tree.
    X : object
        New data.

    Returns
    -------
    ndarray or None
        X when it is a float32 or float64 array of full width and every column of
        the schema holds plain numbers; rounded to float32 if the schema requires it.

    Raises
    ------
    TableError
        When a plain array has the wrong number of columns or dimensions.
    """
    if type(X) is not np.ndarray or not is_plain_float(X) or not schema.all_plain:
        return None
    check_shape(X)
    _check_width(schema, X.shape[1])
    return as_float32(X) if schema.any_float32 else X


def match(
    schema: Schema,
    X: Any,
    needed: Iterable[int],
    unseen: str = "missing",
) -> MatchedColumns:
    """Return the columns of new data that a tree uses.

    Tables with names are matched by name: their order and extra columns do not
    matter, and only the needed columns must be present. Plain arrays and lists of
    rows are matched by position and need all columns. A tree grown from a plain
    array matches a named table by name if it has the needed names ('x0', ...),
    otherwise by position.

    Parameters
    ----------
    schema : Schema
        The schema of the tree.
    X : array, data frame, dict of columns, list of rows or Table
        New data; never modified. It may have 0 rows.
    needed : iterable of int
        Numbers of the columns that the tree uses.
    unseen : {'missing', 'error'}, default='missing'
        What to do with a category the schema does not list: mark it with -2, or
        refuse it.

    Returns
    -------
    MatchedColumns
        A list with one entry per column of the schema: None if it is not needed;
        float32 or float64 for numeric columns (any stride, NaN = missing); int32
        codes by the schema's labels for the others (-1 = missing, -2 = unseen).

    Raises
    ------
    TableError
        When a needed column is absent (the message suggests the nearest name) or an
        array has the wrong number of columns.
    ColumnError
        When the values of a column have another kind than in the training table.

    Warns
    -----
    UnseenCategoryWarning
        When needed columns of 5 or more values hold categories that the schema does
        not list: once, with counts.
    """
    matrix = plain_matrix(schema, X)
    if matrix is not None:
        return _from_matrix(schema, matrix, needed)
    source: Source = _TableSource(X) if isinstance(X, Table) else open_source(X)
    wanted = list(needed)
    places = _places(schema, source, wanted)
    columns: list[NDArray[Any] | None] = [None] * len(schema.features)
    found: list[Unseen] = []
    for index, place in zip(wanted, places, strict=True):
        raw = source.raw(place)
        columns[index] = _encode(raw, schema.features[index], unseen, found)
    _warn_of_unseen(found)
    return MatchedColumns(columns, source.n_rows)


class Probe(NamedTuple):
    """A column of new data, as far as it can be read.

    Attributes
    ----------
    data : ndarray or None
        The column as `match` returns it; None if it is absent or cannot be read.
    problem : str
        Why it cannot be read; 'absent' if it is not there.
    unseen : tuple
        The categories that the schema does not list.
    """

    data: NDArray[Any] | None
    problem: str = ""
    unseen: tuple[Label, ...] = ()


def probe(schema: Schema, X: Any, columns: Iterable[int]) -> tuple[list[Probe], int]:
    """Read columns of new data one by one, and go on where one cannot be read.

    Parameters
    ----------
    schema : Schema
        The schema of the tree.
    X : array, data frame, dict of columns, list of rows or Table
        New data.
    columns : iterable of int
        Numbers of the columns.

    Returns
    -------
    probes : list of Probe
        One per column.
    n_rows : int
        Number of rows of the new data.
    """
    source: Source = _TableSource(X) if isinstance(X, Table) else open_source(X)
    place_of = {name: place for place, name in enumerate(source.names)}
    wanted = list(columns)
    by_name = source.named and (
        schema.named or all(schema.names[i] in place_of for i in wanted)
    )
    if not by_name:
        _check_width(schema, len(source.names))
    probes = []
    for index in wanted:
        feature = schema.features[index]
        place = place_of.get(feature.name) if by_name else index
        if place is None:
            probes.append(Probe(None, "absent"))
        else:
            probes.append(_probed(source, place, feature))
    return probes, source.n_rows


def _probed(source: Source, place: int, feature: Feature) -> Probe:
    found: list[Unseen] = []
    try:
        data = _encode(source.raw(place), feature, "missing", found)
    except ColumnError as problem:
        return Probe(None, str(problem))
    return Probe(data, unseen=found[0].labels if found else ())


class _TableSource:
    """The columns of a Table as raw columns, so that a Table can be new data."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self.names = table.schema.names
        self.named = table.schema.named
        self.n_rows = table.n_rows

    def raw(self, index: int) -> RawColumn:
        column, feature = self._table.columns[index], self._table.schema.features[index]
        if feature.kind != "numeric":
            codes, labels = column.data, feature.labels
            return RawColumn(
                feature.name, "category", codes, labels=labels, declared=True
            )
        content, values = feature.stored_as, column.data
        if content in ("duration", "time") or content in _MOMENTS:
            values = _back_to_ticks(values, "M" if content in _MOMENTS else "m")
        elif content != "float":
            content = "float"
        return RawColumn(feature.name, content, values, timezone=feature.timezone)


def _back_to_ticks(values: NDArray[Any], kind: str) -> NDArray[Any]:
    missing = np.isnan(values)
    ticks = np.where(missing, 0, values).astype(np.int64).view(f"{kind}8[us]")
    ticks[missing] = "NaT"
    return ticks


def _from_matrix(
    schema: Schema, matrix: NDArray[Any], needed: Iterable[int]
) -> MatchedColumns:
    columns: list[NDArray[Any] | None] = [None] * len(schema.features)
    for index in needed:
        columns[index] = matrix[:, index]
    return MatchedColumns(columns, len(matrix))


def _check_width(schema: Schema, width: int) -> None:
    expected = len(schema.features)
    if width != expected:
        # scikit-learn's checks require this wording.
        raise TableError(
            f"X has {width} features, but Tree is expecting {expected} features "
            "as input. Plain arrays are read by position: pass all "
            f"{expected} columns in the order used for growing."
        )


def _places(schema: Schema, source: Source, wanted: Sequence[int]) -> list[int]:
    """Return the place of each wanted column in the source."""
    place_of = {name: place for place, name in enumerate(source.names)}
    names = [schema.names[index] for index in wanted]
    absent = [name for name in names if name not in place_of]
    if source.named and (schema.named or not absent):
        if absent:
            raise TableError(_absent_message(absent, source.names))
        return [place_of[name] for name in names]
    _check_width(schema, len(source.names))
    return list(wanted)


def _absent_message(absent: Sequence[str], names: Sequence[str]) -> str:
    first = absent[0]
    near = nearest_name(first, names, alike=0.7)
    if near is not None:
        subject = "The nearest" if len(absent) == 1 else f"The nearest to {first!r}"
        advice = f"{subject} is {near!r}: rename it if it is the same column."
    else:
        shown = ", ".join(repr(name) for name in names[:10])
        more = ", ..." if len(names) > 10 else ""
        advice = f"The columns are {shown}{more}."
    listed = ", ".join(repr(name) for name in absent[:_MOST_NAMED])
    if len(absent) > _MOST_NAMED:
        listed += f" (and {len(absent) - _MOST_NAMED} more)"
    are = "is no column" if len(absent) == 1 else "are no columns"
    return f"There {are} {listed}, which the tree needs. {advice}"


def _encode(
    raw: RawColumn, feature: Feature, unseen: str, found: list[Unseen]
) -> NDArray[Any]:
    if feature.kind == "numeric":
        return encode_numbers(raw, feature)
    # A Table that was cut at the same places already holds the intervals.
    if feature.cuts is not None and raw.labels != feature.labels:
        return codes_of(encode_numbers(raw, feature), feature.cuts)
    return _encode_labels(raw, feature, unseen, found)


def encode_numbers(raw: RawColumn, feature: Feature) -> NDArray[Any]:
    """Return a column of new data as the numbers that it held in the training table."""
    if feature.spelling is not None and raw.content in _WITH_TEXT:
        return _rounded(_spelled(raw, feature), feature)
    if feature.stored_as == "text" and raw.content in _WITH_TEXT:
        return _rounded(_plain_numbers(raw, feature), feature)
    if raw.content != "empty":
        known = _known_if_other(raw, feature)
        if known is not None and known.any():
            raise _other_kind(raw, feature, known)
        if known is not None:
            return np.full(len(known), np.nan)
    # Rounding a whole number beyond 2^53 does not move it across a threshold.
    return _rounded(to_numbers(raw, exact=False), feature)


def _rounded(numbers: NDArray[Any], feature: Feature) -> NDArray[Any]:
    return as_float32(numbers) if feature.float32 else numbers


def _spelled(raw: RawColumn, feature: Feature) -> NDArray[np.float64]:
    """Return the numbers that text spells in the way of the training rows."""
    assert feature.spelling is not None
    try:
        return spelled_numbers(raw, feature.spelling)
    except ColumnError as problem:
        _refuse_other_zone(raw, feature)
        raise _not_spelled(raw, feature) from problem


def _plain_numbers(raw: RawColumn, feature: Feature) -> NDArray[np.float64]:
    """Return the numbers that text without marks or units spells."""
    codes, labels = to_codes(raw)
    numbers = [
        None if isinstance(label, bool) else parse_number(label) for label in labels
    ]
    odd = np.array([*(number is None for number in numbers), False])[codes]
    if odd.any():
        raise _other_kind(raw, feature, odd)
    found: NDArray[np.float64] = np.array([*numbers, None], np.float64)[codes]
    return found


def _known_if_other(raw: RawColumn, feature: Feature) -> NDArray[np.bool_] | None:
    """Return which rows of a column of the wrong kind have values; None if it fits."""
    if _same_numbers(raw, feature):
        return None
    if raw.content in _WITH_TEXT:
        return to_codes(raw)[0] >= 0
    return ~np.isnan(to_numbers(raw, exact=False))


def _same_numbers(raw: RawColumn, feature: Feature) -> bool:
    if raw.content in _MOMENTS and feature.stored_as in _MOMENTS:
        return bool(raw.timezone) == bool(feature.timezone)
    if raw.content == "text":
        return feature.stored_as == "text"
    if raw.content in PLAIN_NUMBERS or raw.content == "huge":
        return feature.stored_as in PLAIN_NUMBERS
    return raw.content == feature.stored_as


def _other_kind(
    raw: RawColumn, feature: Feature, known: NDArray[np.bool_]
) -> ColumnError:
    plural = {
        "float": "numbers",
        "int": "numbers",
        "bool": "true/false",
        "date": "dates",
        "datetime": "times with a zone" if feature.timezone else "dates",
        "duration": "durations",
        "time": "times of day",
        "text": "text that spells numbers",
    }
    before = plural[feature.stored_as]
    row = _row_to_blame(raw, feature, known)
    if raw.content in _MOMENTS and feature.stored_as in _MOMENTS:
        zone = f" ({raw.timezone})" if raw.timezone else ""
        moment = raw.values[row].astype("datetime64[s]")
        return zone_error(feature, f"{moment}{zone}")
    return ColumnError(
        f"Column {feature.name!r} held {before} when the tree was grown, but now holds "
        f"{first_value(raw, row)!r} (row {row}). {_advice(raw, feature)}"
    )


def _not_spelled(raw: RawColumn, feature: Feature) -> ColumnError:
    """Return the error for text that does not spell what the training rows spelled."""
    assert feature.spelling is not None
    codes, labels = to_codes(raw)
    odd = [spelled_number(each, feature.spelling) is None for each in labels]
    rows = np.flatnonzero(np.array([*odd, False])[codes])
    n, row = len(rows), int(rows[0])
    values = f"{n:,} value{'s' * (n > 1)} {'spell' if n > 1 else 'spells'}"
    return ColumnError(
        f"Column {feature.name!r} held {feature.spelling.words} when the tree was "
        f"grown, but {values} none (first: {labels[codes[row]]!r}, row {row}). Correct "
        "the value, or leave it empty if it is missing."
    )


def _refuse_other_zone(raw: RawColumn, feature: Feature) -> None:
    """Refuse text of dates that names a time zone where the training rows did not."""
    spelling = feature.spelling
    if spelling is None or feature.stored_as not in _MOMENTS:
        return
    other = replace(spelling, zone="" if spelling.zone else "UTC")
    texts = [each for each in to_codes(raw)[1] if isinstance(each, str)]
    for each in texts:
        if spelling.parse(each) is None and other.parse(each) is not None:
            raise zone_error(feature, repr(each))


def zone_error(feature: Feature, seen: str) -> ColumnError:
    """Return the error for moments that name a zone where the training rows did not.

    Parameters
    ----------
    feature : Feature
        The column of the tree.
    seen : str
        A new value.

    Returns
    -------
    ColumnError
    """
    if feature.timezone:
        had, has, advice = (
            "a time zone",
            "none",
            "Add the zone: for example tz_localize('UTC')",
        )
    else:
        had, has, advice = "no time zone", "one", "Remove the zone: tz_localize(None)"
    return ColumnError(
        f"The dates of column {feature.name!r} named {had} when the tree was grown, "
        f"but {seen} names {has}, so they cannot be compared. {advice}, in the clock "
        "that the training rows follow."
    )


def _row_to_blame(raw: RawColumn, feature: Feature, known: NDArray[np.bool_]) -> int:
    """Return the first row whose cell is not a number, or else the first known row."""
    of_numbers = feature.stored_as in PLAIN_NUMBERS and feature.stored_as != "text"
    if raw.content in _WITH_TEXT and of_numbers:
        codes, labels = to_codes(raw)
        spelt = [parse_number(label) is None for label in labels]
        text = [isinstance(label, str) for label in labels]
        for is_odd in (spelt, text):
            odd = np.array([*is_odd, False])[codes]
            if odd.any():
                return int(np.argmax(odd))
    return int(np.argmax(known))


def _advice(raw: RawColumn, feature: Feature) -> str:
    if raw.content in _WITH_TEXT:
        column = f"X[{feature.name!r}]"
        if feature.stored_as in ("float", "int", "text"):
            return (
                f"Convert it with pandas.to_numeric({column}, errors='coerce'), which "
                "turns values that are not numbers into missing ones."
            )
        if feature.stored_as in _MOMENTS:
            return f"Convert it with pandas.to_datetime({column})."
        if feature.stored_as == "bool":
            return "Convert it to True and False, or 1 and 0."
    return "Convert the column to its original type."


def _encode_labels(
    raw: RawColumn, feature: Feature, unseen: str, found: list[Unseen]
) -> IntArray:
    codes, labels = to_codes(raw)
    if raw.content == "bool":
        labels = _as_written(labels, feature.labels)
    known = codes >= 0
    # Text never equals a number.
    types = {isinstance(label, str) for label in labels}
    if feature.labels and types.isdisjoint(feature.has_text) and known.any():
        row = int(np.argmax(known))
        raise ColumnError(
            f"Column {feature.name!r} held categories such as {feature.labels[0]!r} "
            f"when the tree was grown, but now holds {labels[codes[row]]!r} (row "
            f"{row}). Convert the column to its original type: text and numbers are "
            "different categories."
        )
    code_of = feature.code_of
    lookup = np.array([*(code_of.get(each, UNSEEN) for each in labels), -1], np.int32)
    out: IntArray = lookup[codes]
    is_unseen = out == UNSEEN
    if is_unseen.any():
        row = int(np.argmax(is_unseen))
        if unseen == "error":
            raise ColumnError(_unseen_message(feature, labels[codes[row]], row))
        new = np.unique(codes[is_unseen])
        found.append(
            Unseen(
                feature,
                tuple(labels[code] for code in new.tolist()),
                int(np.count_nonzero(is_unseen)),
                int(np.count_nonzero(known)),
            )
        )
    return out


def _as_written(
    labels: tuple[Label, ...], known: tuple[Label, ...]
) -> tuple[Label, ...]:
    """Return truth values as the tree knows them, where a file wrote them as text."""
    texts = {str(text).casefold(): text for text in known if isinstance(text, str)}
    if not texts or not texts.keys() <= {"true", "false"}:
        return labels
    return tuple(texts.get(str(label).casefold(), str(label)) for label in labels)


class Unseen(NamedTuple):
    """Categories of a column that were not there when the tree was grown."""

    feature: Feature
    labels: tuple[Label, ...]
    n_rows: int
    n_known: int

    @property
    def words(self) -> str:
        """What was seen, as a sentence."""
        labels, name = self.feature.labels, self.feature.name
        shown = ", ".join(repr(each) for each in self.labels[:_MOST_LABELS])
        more = ", ..." if len(self.labels) > _MOST_LABELS else ""
        if self.n_rows == self.n_known:
            known = f"categories such as {labels[0]!r}" if labels else "no categories"
            return (
                f"Column {name!r} holds no category that was there when the tree was "
                f"grown: it holds {shown}{more}, and the tree knows {known}."
            )
        share = self.n_rows / self.n_known
        return (
            f"In column {name!r}, {self.n_rows:,} of {self.n_known:,} values "
            f"({share:.1%}) are categories that were not there when the tree was "
            f"grown: {shown}{more}."
        )


def _warn_of_unseen(found: list[Unseen]) -> None:
    worth = [each for each in found if each.n_known >= _FEWEST_ROWS_TO_WARN]
    if not worth:
        return
    worth.sort(key=lambda each: -each.n_rows / each.n_known)
    lines = [each.words for each in worth[:_MOST_LABELS]]
    if len(worth) > _MOST_LABELS:
        lines.append(f"{len(worth) - _MOST_LABELS} more columns hold such categories.")
    lines.append("They are treated as missing; check how they are spelt.")
    warn(" ".join(lines), UnseenCategoryWarning)


def _unseen_message(feature: Feature, label: Label, row: int) -> str:
    near = nearest_name(str(label), [str(each) for each in feature.labels])
    hint = f" The nearest known category is {near!r}." if near else ""
    return (
        f"Column {feature.name!r} holds {label!r} (row {row}), a category never seen "
        f"when the tree was grown, and unseen='error' refuses it.{hint} Correct the "
        "value, or use unseen='missing' to treat it as missing."
    )
