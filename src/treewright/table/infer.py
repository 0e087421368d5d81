"""Infer the kind of a column, and record the reason.

`infer_kind` returns the kind and a sentence that can be shown; `settle` builds the
column, by the caller's `kinds` if they name it.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from treewright.errors import ColumnError, OptionError, TableError, nearest_name
from treewright.table.column import (
    CategoricalColumn,
    Column,
    FloatArray,
    IntArray,
    Label,
    NumericColumn,
    OrdinalColumn,
)
from treewright.table.grain import grain_of
from treewright.table.raw import (
    RawColumn,
    as_label,
    factorize,
    freeze,
    parse_number,
    spelled_numbers,
    to_codes,
    to_numbers,
)
from treewright.table.schema import KINDS, Feature
from treewright.table.spelling import (
    Ambiguous,
    Spelling,
    is_missing_mark,
    names_a_key,
    recognise,
)

__all__ = [
    "BY_KINDS",
    "DATE_KINDS",
    "FEWEST_ROWS_TO_SET_ASIDE",
    "MOST_CATEGORIES",
    "Wanted",
    "find_column",
    "infer_kind",
    "nearly_numbers",
    "read_kinds",
    "settle",
    "spelled_column",
    "why_a_key",
]

MOST_CATEGORIES = 65_534
"""A column of more categories is set aside: two bytes number this many."""
FEWEST_ROWS_TO_SET_ASIDE = 50
"""In a smaller table a category that occurs once proves nothing."""

DATE_KINDS = ("date", "day first", "month first")
"""Values of `kinds` that read text as dates."""

Wanted: TypeAlias = str | tuple[Label, ...] | None
"""The caller's wish for a column: a kind, an order of categories, or None."""

_REASONS = {
    "int": "The values are whole numbers",
    "bool": "The values are true or false",
    "date": "The values are dates",
    "datetime": "The values are points in time",
    "duration": "The values are durations",
    "time": "The values are times of day",
    "float": "The values are numbers",
}
BY_KINDS = "Asked for by kinds."
"""The reason of a kind that the caller chose."""
_NEARLY = "spell numbers, the others are"
# Text counts as badly read numbers if nearly all values spell a number. A smaller
# share is enough if the other values are only a few distinct ones, as markers of
# missing values are.
_NEARLY_ALL, _MOST, _FEW_OTHERS, _FEWEST_NUMBERS = 0.95, 0.8, 3, 4


def infer_kind(raw: RawColumn) -> tuple[str, str]:
    """Return the kind of a column and a sentence that states the reason.

    Parameters
    ----------
    raw : RawColumn
        The column as it was read.

    Returns
    -------
    kind : {'numeric', 'categorical', 'ordinal'}
    reason : str
        A sentence that can be shown.

    Raises
    ------
    ColumnError
        When text and numbers are mixed, so that no kind fits.
    """
    if raw.content == "empty":
        return "numeric", "Every value is missing, so nothing says otherwise."
    if raw.content == "category":
        return _kind_of_categories(raw)
    if raw.content == "text":
        return "categorical", "The values are text."
    if raw.content == "mixed":
        raise _mixed_error(raw)
    if raw.content == "huge":
        return "numeric", "The values are numbers."
    storage = raw.storage
    dtype = f" ({storage})" if storage.startswith(("float", "int", "uint")) else ""
    return "numeric", f"{_REASONS[raw.content]}{dtype}."


def settle(raw: RawColumn, wanted: Wanted = None) -> tuple[Column, Feature]:
    """Build a column and its schema entry.

    Parameters
    ----------
    raw : RawColumn
        The column as it was read.
    wanted : str, tuple of labels or None, default=None
        The column's entry in `kinds`: a kind, or the categories from lowest to
        highest. None: infer the kind.

    Returns
    -------
    column : NumericColumn, CategoricalColumn or OrdinalColumn
    feature : Feature

    Raises
    ------
    ColumnError
        When the values do not fit the kind.
    """
    if isinstance(wanted, tuple):
        return _ordinal(raw, BY_KINDS, wanted)
    if wanted in DATE_KINDS:
        return _date(raw, wanted)
    kind, reason = (wanted, BY_KINDS) if wanted else infer_kind(raw)
    if kind == "numeric":
        return _numeric(raw, reason, inferred=not wanted)
    if kind == "ordinal":
        return _ordinal(raw, reason, None)
    return _categorical(raw, reason, inferred=not wanted)


def read_kinds(
    kinds: Mapping[Any, Any] | None, names: Sequence[str], *, named: bool = True
) -> dict[int, Wanted]:
    """Check the caller's `kinds` and return them by column number.

    Parameters
    ----------
    kinds : mapping or None
        Column name -> 'numeric', 'categorical', 'ordinal', or a list of categories
        from lowest to highest. Columns of plain arrays can also be named by number.
    names : sequence of str
        The table's column names.
    named : bool, default=True
        Whether these names are the caller's own.

    Returns
    -------
    dict of int to str or tuple

    Raises
    ------
    TableError
        When a column is unknown; the message suggests the nearest name.
    OptionError
        When a kind is unknown.
    """
    if kinds is None:
        return {}
    if not isinstance(kinds, Mapping):
        raise OptionError(
            "kinds must be a dict of column name to kind, such as "
            f"{{'zip': 'categorical'}}, or None; got {kinds!r}."
        )
    out: dict[int, Wanted] = {}
    for key, kind in kinds.items():
        index = find_column(key, names, named=named, option="kinds")
        out[index] = _checked_kind(str(key), kind)
    return out


def find_column(key: Any, names: Sequence[str], *, named: bool, option: str) -> int:
    """Return the number of a column that an option names.

    Parameters
    ----------
    key : object
        A name; for a plain array also a number.
    names : sequence of str
        The table's column names.
    named : bool
        Whether these names are the caller's own.
    option : str
        The option, for the message.

    Returns
    -------
    int

    Raises
    ------
    TableError
        When there is no such column; the message suggests the nearest name.
    """
    with suppress(ValueError):
        return names.index(str(key))
    if not named and isinstance(key, int | np.integer) and 0 <= key < len(names):
        return int(key)
    raise TableError(_unknown_column(key, names, option))


def _unknown_column(key: Any, names: Sequence[str], option: str) -> str:
    near = nearest_name(str(key), names, alike=0.7)
    if near is not None:
        advice = f"the nearest is {near!r}."
    else:
        shown = ", ".join(repr(name) for name in names[:10])
        advice = f"the columns are {shown}{', ...' if len(names) > 10 else ''}."
    return f"{option} names {key!r}, but there is no column {key!r}; {advice}"


def _checked_kind(name: str, kind: Any) -> Wanted:
    if isinstance(kind, str) and kind in (*KINDS, *DATE_KINDS):
        return kind
    if isinstance(kind, list | tuple | np.ndarray) and len(kind) > 0:
        order = tuple(as_label(label) for label in kind)
        if len(set(order)) == len(order):
            return order
    raise OptionError(
        f"kinds[{name!r}] must be 'numeric', 'categorical', 'ordinal', 'date' (or 'day "
        "first', 'month first'), or a list of different categories from lowest to "
        f"highest; got {kind!r}."
    )


def _kind_of_categories(raw: RawColumn) -> tuple[str, str]:
    if raw.storage == "text":
        return "categorical", "The values are text."
    if raw.ordered:
        return "ordinal", f"The column is declared as an ordered {raw.storage}."
    if raw.storage == "enum":
        return "categorical", (
            "The column is declared as an enum; pass "
            f"kinds={{{raw.name!r}: 'ordinal'}} if its order means something."
        )
    return "categorical", f"The column is declared as a {raw.storage}."


def _mixed_error(raw: RawColumn) -> ColumnError:
    cells = raw.values.tolist()
    texts = [row for row, cell in enumerate(cells) if isinstance(cell, str)]
    codes, _ = factorize(raw.values)
    n_numbers = int(np.count_nonzero(codes >= 0)) - len(texts)
    if len(texts) <= n_numbers:
        is_a, are, row = "numeric", "not numbers", texts[0]
        n_bad = len(texts)
    else:
        text_rows = set(texts)
        row = next(r for r, c in enumerate(codes) if c >= 0 and r not in text_rows)
        is_a, are, n_bad = "text", "numbers", n_numbers
    values = "value is" if n_bad == 1 else "values are"
    if n_bad == 1:
        are = {"not numbers": "not a number", "numbers": "a number"}[are]
    return ColumnError(
        f"Column {raw.name!r} is {is_a} but {n_bad} {values} {are} (first: "
        f"{cells[row]!r}, row {row}). Pass kinds={{{raw.name!r}: 'categorical'}} or "
        "clean the column."
    )


def _numeric(
    raw: RawColumn, reason: str, *, inferred: bool = False
) -> tuple[Column, Feature]:
    content = raw.content
    if content in ("text", "category"):
        return _from_text(raw, reason, "numeric")
    if content not in _REASONS:
        content = "float"
    values = to_numbers(raw)
    return (
        NumericColumn(raw.name, freeze(values), content),
        Feature(
            raw.name,
            "numeric",
            content,
            reason=reason,
            set_aside=_why_set_aside_numbers(raw) if inferred else "",
            timezone=raw.timezone,
            grain=grain_of(values, content, raw.timezone),
        ),
    )


def _why_set_aside_numbers(raw: RawColumn) -> str:
    """Return why a column of numbers only numbers the rows; '' if it does not."""
    if raw.content != "int" or raw.missing is not None or not names_a_key(raw.name):
        return ""
    n = len(raw.values)
    if n < FEWEST_ROWS_TO_SET_ASIDE or len(np.unique(raw.values)) < n:
        return ""
    return why_a_key(raw.name, n)


def why_a_key(name: str, n_rows: int) -> str:
    """Return why a column of whole numbers that all differ is set aside.

    Parameters
    ----------
    name : str
        The column's name, which is that of a key.
    n_rows : int
        Number of rows.

    Returns
    -------
    str
        '' for few rows.
    """
    if n_rows < FEWEST_ROWS_TO_SET_ASIDE:
        return ""
    return (
        f"its {n_rows} whole numbers differ in every row, so the column numbers the "
        f"rows; pass kinds={{{name!r}: 'numeric'}} to use it."
    )


def _date(raw: RawColumn, kind: str) -> tuple[Column, Feature]:
    """Read dates: as they are, or spelled by text."""
    if raw.content in ("date", "datetime", "time"):
        return _numeric(raw, BY_KINDS)
    if raw.content in ("text", "category"):
        return _from_text(raw, BY_KINDS, kind)
    raise ColumnError(
        f"kinds[{raw.name!r}] is {kind!r}, but the values are neither dates nor text. "
        "Leave the column out of kinds, or convert it to dates."
    )


def _from_text(raw: RawColumn, reason: str, kind: str) -> tuple[Column, Feature]:
    """Read numbers or dates that text spells; refuse what spells none."""
    codes, labels = to_codes(raw)
    if raw.content == "category":  # there may be categories that no row has
        labels = tuple(labels[code] for code in np.unique(codes[codes >= 0]).tolist())
    if kind == "numeric" and all(parse_number(x) is not None for x in labels):
        values, spelling = to_numbers(raw), None
    else:
        spelling = _spelling_of(raw, labels, kind)
        if spelling is None:
            values = to_numbers(raw)  # raises, and names the first bad value
        else:
            values = spelled_numbers(raw, spelling)
            reason = f"{reason} The text spells {spelling.words}."
    return _spelled(raw.name, values, spelling, reason)


def _spelled(
    name: str, values: FloatArray, spelling: Spelling | None, reason: str
) -> tuple[Column, Feature]:
    stored = "text" if spelling is None else _STORED.get(spelling.what, "text")
    zone = "" if spelling is None else spelling.zone
    column = NumericColumn(name, freeze(values), stored)
    return column, Feature(
        name,
        "numeric",
        stored,
        reason=reason,
        timezone=zone,
        spelling=spelling,
        grain=grain_of(values, stored, zone),
    )


def spelled_column(raw: RawColumn, spelling: Spelling) -> tuple[Column, Feature]:
    """Build the column of numbers or dates that recognised text spells.

    Parameters
    ----------
    raw : RawColumn
        A column of text.
    spelling : Spelling
        How its texts spell values; from `recognise`.

    Returns
    -------
    column : NumericColumn
    feature : Feature
    """
    values = spelled_numbers(raw, spelling)
    return _spelled(raw.name, values, spelling, f"The text spells {spelling.words}.")


def _spelling_of(
    raw: RawColumn, labels: tuple[Label, ...], kind: str
) -> Spelling | None:
    known = [
        x
        for x in labels
        if not (isinstance(x, str) and is_missing_mark(x, among_numbers=True))
    ]
    found = recognise(known, raw.name, kind)
    if isinstance(found, Ambiguous):
        raise ColumnError(
            f"Column {raw.name!r} holds {found.words}. Pass "
            f"kinds={{{raw.name!r}: {found.choices[0]!r}}} or {found.choices[1]!r}."
        )
    if found is None and kind != "numeric":
        shown = ", ".join(repr(x) for x in known[:3])
        raise ColumnError(
            f"kinds[{raw.name!r}] is {kind!r}, but not all of its values are such "
            f"dates: {shown}. Correct the values, or read the column as categories."
        )
    return found


_STORED = {"date": "date", "datetime": "datetime", "time": "time"}
"""What dates and times that text spells are stored as."""


def _categorical(
    raw: RawColumn, reason: str, *, inferred: bool
) -> tuple[Column, Feature]:
    codes, labels = to_codes(raw)
    column = CategoricalColumn(raw.name, freeze(codes), labels)
    set_aside, known = "", labels
    if inferred and len(labels) > MOST_CATEGORIES:
        # No label is kept: a table in parts may have more than fit into memory.
        set_aside, known = _too_many(raw.name), ()
    elif inferred:
        counts = _counts(codes, len(labels), raw.rows)
        n_rows = len(codes) if raw.rows is None else int(raw.rows.sum())
        set_aside = _why_set_aside(raw.name, counts, n_rows)
        if "text" in (raw.content, raw.storage):
            reason = _spelt_numbers(raw.name, counts, labels) or reason
    feature = Feature(raw.name, "categorical", "category", known, reason, set_aside)
    return column, feature


def _too_many(name: str) -> str:
    return (
        f"it has more than {MOST_CATEGORIES} categories, which tell rows apart, not "
        f"classes; pass kinds={{{name!r}: 'categorical'}} to use it."
    )


def _counts(
    codes: IntArray, n_labels: int, rows: NDArray[np.int64] | None
) -> NDArray[np.int64]:
    """Return the number of rows of each category."""
    known = codes >= 0
    weights = None if rows is None else rows[known]
    return np.bincount(codes[known], weights, minlength=n_labels).astype(np.int64)


def _ordinal(
    raw: RawColumn, reason: str, order: tuple[Label, ...] | None
) -> tuple[Column, Feature]:
    codes, labels = to_codes(raw)
    if order is not None:
        codes, labels = _ranked(raw, codes, labels, order), order
    elif not raw.declared and any(isinstance(label, str) for label in labels):
        raise ColumnError(
            f"kinds makes column {raw.name!r} ordinal, but the order of its categories "
            f"(such as {labels[0]!r}) is not known. List them from lowest to highest: "
            f"kinds={{{raw.name!r}: [{labels[0]!r}, ...]}}."
        )
    column = OrdinalColumn(raw.name, freeze(codes), labels)
    return column, Feature(raw.name, "ordinal", "category", labels, reason)


def _ranked(
    raw: RawColumn,
    codes: IntArray,
    labels: tuple[Label, ...],
    order: tuple[Label, ...],
) -> IntArray:
    """Renumber codes by the caller's order, which must list every value."""
    rank_of = {label: rank for rank, label in enumerate(order)}
    ranks = np.array([*(rank_of.get(label, -2) for label in labels), -1], np.int32)
    ranked: IntArray = ranks[codes]
    if (ranked == -2).any():
        row = int(np.flatnonzero(ranked == -2)[0])
        raise ColumnError(
            f"Column {raw.name!r} holds {labels[codes[row]]!r} (row {row}), which is "
            f"not in kinds[{raw.name!r}] = {list(order)!r}. Add it to the list, or "
            "clean the column."
        )
    return ranked


def _why_set_aside(name: str, counts: NDArray[np.int64], n_rows: int) -> str:
    """Return why a column identifies rows rather than classes; '' if it does not."""
    if n_rows < FEWEST_ROWS_TO_SET_ASIDE or not len(counts):
        return ""
    known, once = int(counts.sum()), int(np.count_nonzero(counts == 1))
    if once * 2 <= known:
        return ""
    return (
        f"{once:,} of {known:,} known values occur only once, so the column tells rows "
        f"apart, not classes; pass kinds={{{name!r}: 'categorical'}} to use it."
    )


def nearly_numbers(feature: Feature) -> str:
    """Return how many values of a categorical column spell numbers, if nearly all do.

    Returns
    -------
    str
        Such as "97 of 100 spell numbers, the others are '?', 'NA'"; '' if few do.
    """
    if feature.kind != "categorical" or _NEARLY not in feature.reason:
        return ""
    return feature.reason.partition("; ")[2].partition("; make those")[0]


def _spelt_numbers(
    name: str, counts: NDArray[np.int64], labels: tuple[Label, ...]
) -> str:
    """Return why text that spells numbers stays categorical; '' for other text."""
    spells = np.fromiter(map(_spells_number, labels), np.bool_, len(labels))
    n_others = len(labels) - int(spells.sum())
    if not labels or n_others == len(labels):
        return ""
    if not n_others:
        return (
            f"The values are text, though every one spells a number (first: "
            f"{labels[0]!r}); pass kinds={{{name!r}: 'numeric'}} to read them as "
            "numbers."
        )
    known, n_numbers = int(counts.sum()), int(counts[spells].sum())
    enough = _MOST if n_others <= _FEW_OTHERS else _NEARLY_ALL
    if n_numbers < enough * known or int(spells.sum()) < _FEWEST_NUMBERS:
        return ""
    others = [repr(labels[i]) for i in np.flatnonzero(~spells)[:3]]
    more = ", ..." if n_others > len(others) else ""
    return (
        f"The values are text; {n_numbers} of {known} {_NEARLY} "
        f"{', '.join(others)}{more}; make those missing, or pass "
        f"kinds={{{name!r}: 'numeric'}} once the column is clean."
    )


def _spells_number(label: Label) -> bool:
    # Fast test: no number starts with a letter, except 'inf'.
    first = str(label)[:1]
    if first.isalpha() and first not in "iI":
        return False
    return parse_number(label) is not None
