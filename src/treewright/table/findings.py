"""What is suspicious about a table: findings, each with its evidence and a way out.

`look_at` reads every value of a table, once, and changes nothing. A finding names its
kind, the column, the evidence in words, what treewright does about it by default, and
the one line that does otherwise. Tables of fewer than 50 rows give none: there every
pattern may be chance.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.table.column import CategoricalColumn, Column, NumericColumn
from treewright.table.copies import copies
from treewright.table.infer import BY_KINDS, MOST_CATEGORIES, nearly_numbers
from treewright.table.intake import Finding, Intake
from treewright.table.leaks import leak
from treewright.table.schema import Feature
from treewright.table.show import show_value
from treewright.table.spelling import (
    Ambiguous,
    is_missing_mark,
    mixed_dates,
    recognise,
)
from treewright.table.table import ClassTarget, Table
from treewright.table.totals import totals

__all__ = ["FEWEST_ROWS", "WRITE_ALIKE", "aside", "look_at"]

FEWEST_ROWS = 50
"""In smaller tables every pattern may be chance."""
WRITE_ALIKE = "Write them all in one way, such as 2019-08-14."
"""What to do about dates that are written in several ways."""
_NUMBERS_FOR_MISSING = frozenset({-999.0, -9999.0, -99999.0})
_ROWS_PER_CATEGORY = 5
_FEWEST_CATEGORIES = 20


def look_at(table: Table, X: Any = None, y: Any = None) -> Intake:
    """Return what is suspicious about a table.

    Parameters
    ----------
    table : Table
        Columns and, if there is one, the target.
    X, y : data frame and series, optional
        What the table was read from; their indexes are compared.

    Returns
    -------
    Intake
        Without findings for tables of fewer than 50 rows and for plain arrays, except
        for those on record since the table was read.
    """
    record = table.intake or Intake(table.n_rows, table.n_columns)
    if table.n_rows < FEWEST_ROWS or not table.schema.named:
        return record
    pairs = zip(table.columns, table.schema.features, strict=True)
    found = [f for column, of in pairs for f in _of_column(table, column, of)]
    found += _of_target(table)
    found += copies(table)
    found += totals(table)
    found += _different_indexes(X, y)
    if not table.usable:
        words = "no usable column is left, so a tree of this table is a single leaf"
        advice = "Name the columns to use in kinds."
        found.append(Finding("nothing_left", None, words, advice))
    known = {(each.kind, each.column) for each in record.findings}
    return record.with_noted(f for f in found if (f.kind, f.column) not in known)


def aside(feature: Feature) -> Finding:
    """Return the finding about a column that is set aside.

    Its words hold for every column that is set aside for the same reason.

    Parameters
    ----------
    feature : Feature
        A column with a reason in `set_aside`.

    Returns
    -------
    Finding
    """
    kind = "tells_rows_apart"
    words = "more than half of the known values occur only once"
    if feature.kind == "numeric":
        kind = "key"
        words = "whole numbers that differ in every row, under a name that says so"
    elif not feature.labels:
        words = f"more than {MOST_CATEGORIES:,} categories"
    uses = f"kinds={{{feature.name!r}: {feature.kind!r}}} uses it"
    return Finding(kind, feature.name, words, f"It is not used; {uses}.")


# -- one column ------------------------------------------------------------------------


def _of_column(table: Table, column: Column, feature: Feature) -> Iterator[Finding]:
    """Yield the findings of one column, at most one of each kind."""
    missing = _missing(column)
    if missing.all():
        yield Finding(
            "all_missing", column.name, "every value is missing", "It is never used."
        )
        return
    leaked = leak(table, column, missing)
    if leaked:
        advice = "Is it known before the target is? If not, leave it out."
        yield Finding("leak", column.name, leaked, advice)
    if isinstance(column, NumericColumn):
        yield from _of_numbers(column, missing, feature)
    elif isinstance(column, CategoricalColumn) and feature.cuts is None:
        yield from _of_categories(column, feature, leaked=bool(leaked))


def _of_numbers(
    column: NumericColumn, missing: NDArray[np.bool_], feature: Feature
) -> Iterator[Finding]:
    name, known = column.name, column.values[~missing]
    if known.min() == known.max():
        yield _constant(name, show_value(feature, float(known[0])))
    elif feature.set_aside:
        yield aside(feature)
    elif _all_differ(column, missing):
        yield Finding(
            "running_number",
            name,
            "whole numbers that differ in every row, as a running number does",
            "Leave it out if it only numbers the rows.",
        )
    else:
        yield from _number_for_missing(column, known, feature)


def _all_differ(column: NumericColumn, missing: NDArray[np.bool_]) -> bool:
    if column.stored_as != "int" or missing.any():
        return False
    # A repetition among the first rows settles most columns without a sort.
    head = column.values[:1000]
    if len(np.unique(head)) < len(head):
        return False
    return len(np.unique(column.values)) == len(column.values)


def _number_for_missing(
    column: NumericColumn, known: NDArray[Any], feature: Feature
) -> Iterator[Finding]:
    """Find -999 and the like, far below all other values."""
    least = float(known.min())
    if least not in _NUMBERS_FOR_MISSING or column.stored_as not in ("int", "float"):
        return
    n = int(np.count_nonzero(known == least))
    if n == len(known) or float(known[known > least].min()) < least / 10:
        return
    mark = show_value(feature, least)
    yield Finding(
        "missing_marks",
        column.name,
        f"{mark} in {n:,} row{'s' * (n != 1)} looks like a mark of missing values",
        f"Make it a missing value: X[{column.name!r}].replace({mark}, float('nan')).",
    )


def _constant(name: str, value: object) -> Finding:
    words = f"every known value is {value}"
    return Finding("constant", name, words, "It can decide nothing and is never used.")


def _of_categories(
    column: CategoricalColumn, feature: Feature, *, leaked: bool
) -> Iterator[Finding]:
    name, labels = column.name, column.labels
    counts = np.bincount(column.codes[column.codes >= 0], minlength=len(labels))
    present = [label for label, n in zip(labels, counts.tolist(), strict=True) if n]
    if len(present) == 1:
        yield _constant(name, repr(present[0]))
        return
    # Categories that the caller declared, or asked for by `kinds`, are meant so.
    inferred = feature.reason != BY_KINDS
    values = [x for x in present if not _is_mark(x, among_numbers=True)]
    spelled = _spelled(feature, values) if inferred else None
    if spelled is not None:
        yield spelled
    yield from _marks(column, counts, among_numbers=spelled is not None)
    yield from _blanks(name, present)
    if inferred and spelled is None and not leaked:
        yield from _tells_apart(feature, counts)


def _blanks(name: str, present: list[Any]) -> Iterator[Finding]:
    """Find categories that are one but for the blanks around them."""
    texts = [each for each in present if isinstance(each, str)]
    padded = [each for each in texts if each != each.strip()]
    twins = [each for each in padded if each.strip() in set(texts)]
    if twins:
        more = f" and {len(twins) - 1} more" if len(twins) > 1 else ""
        yield Finding(
            "blanks",
            name,
            f"{twins[0]!r}{more} differs from another category by blanks only",
            f"Make them one: X[{name!r}].str.strip().",
        )


def _marks(
    column: CategoricalColumn, counts: NDArray[np.int64], *, among_numbers: bool
) -> Iterator[Finding]:
    marks = [
        (label, n)
        for label, n in zip(column.labels, counts.tolist(), strict=True)
        if n and _is_mark(label, among_numbers=among_numbers)
    ]
    if not marks:
        return
    name, n = column.name, sum(n for _, n in marks)
    texts = [label for label, _ in marks]
    yield Finding(
        "missing_marks",
        name,
        f"{', '.join(map(repr, texts))} in {n:,} row{'s' * (n != 1)} looks like a mark "
        "of missing values",
        f"Make it a missing value: X[{name!r}].replace({texts!r}, None).",
    )


def _tells_apart(feature: Feature, counts: NDArray[np.int64]) -> Iterator[Finding]:
    name, n_present = feature.name, int(np.count_nonzero(counts))
    if feature.set_aside:
        yield aside(feature)
    elif n_present > _FEWEST_CATEGORIES and counts.sum() < (
        _ROWS_PER_CATEGORY * n_present
    ):
        yield Finding(
            "many_categories",
            name,
            f"{n_present:,} categories for {int(counts.sum()):,} known values",
            "Group rare categories, or leave the column out: small groups fit chance.",
        )


def _is_mark(label: Any, *, among_numbers: bool) -> bool:
    return isinstance(label, str) and is_missing_mark(
        label, among_numbers=among_numbers
    )


def _spelled(feature: Feature, values: list[Any]) -> Finding | None:
    name, found = feature.name, recognise(values, feature.name)
    shown = ", ".join(repr(each) for each in values[:3])
    if isinstance(found, Ambiguous):
        return Finding(
            "ambiguous",
            name,
            f"{shown} spell {found.words}",
            f"It stays text; kinds={{{name!r}: {found.choices[0]!r}}} decides.",
        )
    if found is not None:
        kind = "date" if found.what in ("date", "datetime", "time") else "numeric"
        else_ = "it is not used" if feature.set_aside else "each is a category"
        return Finding(
            "spelled",
            name,
            f"{shown} spell {found.words}",
            f"kinds={{{name!r}: {kind!r}}} reads them; as text {else_}.",
        )
    mixed = mixed_dates(values)
    if mixed:
        return Finding("mixed_dates", name, mixed, f"{WRITE_ALIKE} It stays text.")
    nearly = nearly_numbers(feature)
    if not nearly:
        return None
    return Finding(
        "nearly_numbers",
        name,
        f"it is read as categories, though {nearly}",
        f"Make the others missing: pandas.to_numeric(X[{name!r}], errors='coerce').",
    )


def _missing(column: Column) -> NDArray[np.bool_]:
    if isinstance(column, NumericColumn):
        return np.isnan(column.values)
    return np.asarray(column.data < 0)


# -- the target and the rows -----------------------------------------------------------


def _of_target(table: Table) -> Iterator[Finding]:
    target = table.target
    if not isinstance(target, ClassTarget):
        return
    counts = np.bincount(target.codes, minlength=len(target.classes))
    present = counts[counts > 0]
    if len(present) * 2 > table.n_rows:
        yield Finding(
            "target_like_names",
            None,
            f"{target.name!r} has {len(present)} classes in {table.n_rows} rows",
            "A tree needs several rows of each class. Is this the right target?",
        )
        return
    labels = [x for x in target.classes.tolist() if isinstance(x, str)]
    spelled = recognise(labels, target.name) if len(labels) > 10 else None
    if spelled is not None and not isinstance(spelled, Ambiguous):
        yield Finding(
            "target_spells_numbers",
            None,
            f"the {len(labels)} classes of {target.name!r} spell {spelled.words}",
            "To predict numbers, convert the target and use TreeRegressor.",
        )
    rare = target.classes[counts == 1].tolist()
    if rare:
        shown = ", ".join(repr(each) for each in rare[:3])
        more = f" and {len(rare) - 3} more" if len(rare) > 3 else ""
        yield Finding(
            "rare_class",
            None,
            f"class {shown} has one row"
            if len(rare) == 1
            else f"classes {shown}{more} have one row each",
            "One row cannot be both learnt and tested. Join such a class with another, "
            "or drop it.",
        )


def _different_indexes(X: Any, y: Any) -> Iterator[Finding]:
    """Find a target whose rows are labelled in another order than those of X."""
    ours: Any = getattr(X, "index", None)
    theirs: Any = getattr(y, "index", None)
    if not (hasattr(ours, "sort_values") and hasattr(theirs, "sort_values")):
        return
    if len(ours) != len(theirs) or ours.equals(theirs):
        return
    # A new series is numbered from 0. That says nothing about its order, unless the
    # other index holds the same numbers in another order.
    numbered = any(_counts_from_zero(index) for index in (ours, theirs))
    if numbered and not ours.sort_values().equals(theirs.sort_values()):
        return
    row = int(np.argmax(np.asarray(ours) != np.asarray(theirs)))
    labels = [index[row : row + 1].tolist()[0] for index in (ours, theirs)]
    yield Finding(
        "index",
        None,
        f"the indexes of X and y differ from row {row} on ({labels[0]!r} and "
        f"{labels[1]!r})",
        "Rows are taken in their order, not by index. Align them: y.loc[X.index].",
    )


def _counts_from_zero(index: Any) -> bool:
    return np.array_equal(np.asarray(index), np.arange(len(index)))
