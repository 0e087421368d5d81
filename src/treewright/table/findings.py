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
from treewright.table.intake import Finding, Intake
from treewright.table.spelling import Ambiguous, is_missing_mark, names_a_key, recognise
from treewright.table.table import ClassTarget, NumericTarget, Table

__all__ = ["look_at"]

FEWEST_ROWS = 50
_RIGHT = 0.999  # of the rows, for a column that gives the target away
_R2 = 0.999
_RIGHT_BY_GAPS = 0.95  # of the rows, for missing values that give the target away
_LARGEST_CLASS = 0.9  # beyond it, being right is easy
_COPIES = 0.05  # of the rows
_ROWS_PER_CATEGORY = 10
_FEWEST_CATEGORIES = 20


def look_at(table: Table) -> Intake:
    """Return what is suspicious about a table.

    Parameters
    ----------
    table : Table
        Columns and, if there is one, the target.

    Returns
    -------
    Intake
        Without findings for tables of fewer than 50 rows and for plain arrays.
    """
    empty = Intake(table.n_rows, table.n_columns)
    if table.n_rows < FEWEST_ROWS or not table.schema.named:
        return empty
    found = [f for column in table.columns for f in _of_column(table, column)]
    found += _of_target(table)
    found += _copies(table)
    return empty.with_findings(found)


# -- one column ------------------------------------------------------------------------


def _of_column(table: Table, column: Column) -> Iterator[Finding]:
    """Yield the findings of one column, at most one of each kind."""
    missing = _missing(column)
    if missing.all():
        yield Finding(
            "all_missing", column.name, "every value is missing", "It is never used."
        )
        return
    leaks = list(_leak(table, column, missing))
    yield from leaks
    if isinstance(column, NumericColumn):
        yield from _of_numbers(column, missing)
    elif isinstance(column, CategoricalColumn):
        yield from _of_categories(table, column, leaked=bool(leaks))


def _of_numbers(column: NumericColumn, missing: NDArray[np.bool]) -> Iterator[Finding]:
    known = column.values[~missing]
    if known.min() == known.max():
        yield _constant(column.name, f"{known[0]:g}")
        return
    if column.stored_as != "int" or missing.any():
        return
    if len(np.unique(known)) == len(known):
        called = ", and it is called so" if names_a_key(column.name) else ""
        yield Finding(
            "running_number",
            column.name,
            f"whole numbers that differ in every row, as a running number does{called}",
            "Leave it out if it only numbers the rows.",
        )


def _constant(name: str, value: object) -> Finding:
    words = f"every known value is {value!r}"
    return Finding("constant", name, words, "It can decide nothing and is never used.")


def _of_categories(
    table: Table, column: CategoricalColumn, *, leaked: bool
) -> Iterator[Finding]:
    name, labels = column.name, column.labels
    counts = np.bincount(column.codes[column.codes >= 0], minlength=len(labels))
    present = [label for label, n in zip(labels, counts.tolist(), strict=True) if n]
    if len(present) == 1:
        yield _constant(name, present[0])
        return
    values = [x for x in present if not _is_mark(x, among_numbers=True)]
    spelled = _spelled(name, values)
    among_numbers = spelled is not None
    marks = [x for x in present if _is_mark(x, among_numbers=among_numbers)]
    if spelled is not None:
        yield spelled
    if marks:
        n = int(sum(counts[labels.index(x)] for x in marks))
        shown = ", ".join(repr(x) for x in marks)
        yield Finding(
            "missing_marks",
            name,
            f"{shown} in {n} rows looks like a mark of missing values",
            f"Make it a missing value: X[{name!r}].replace({marks!r}, None).",
        )
    if spelled is not None or leaked:
        return
    feature = table.schema.features[table.schema.index_of[name]]
    if feature.set_aside:
        yield Finding(
            "tells_rows_apart",
            name,
            "more than half of the known values occur only once",
            f"It is set aside; kinds={{{name!r}: 'categorical'}} uses it.",
        )
    elif _too_many(counts):
        yield Finding(
            "many_categories",
            name,
            f"{len(present)} categories for {int(counts.sum())} known values",
            "Group rare categories, or leave the column out: small groups fit chance.",
        )


def _is_mark(label: Any, *, among_numbers: bool) -> bool:
    return isinstance(label, str) and is_missing_mark(
        label, among_numbers=among_numbers
    )


def _spelled(name: str, values: list[Any]) -> Finding | None:
    found = recognise(values, name)
    if found is None:
        return None
    shown = ", ".join(repr(each) for each in values[:3])
    if isinstance(found, Ambiguous):
        return Finding(
            "ambiguous",
            name,
            f"{shown} spell {found.words}",
            f"It stays text; kinds={{{name!r}: {found.choices[0]!r}}} decides.",
        )
    kind = "date" if found.what in ("date", "datetime", "time") else "numeric"
    return Finding(
        "spelled",
        name,
        f"{shown} spell {found.words}",
        f"kinds={{{name!r}: {kind!r}}} reads them; as text each is a category.",
    )


def _too_many(counts: NDArray[np.int64]) -> bool:
    """Return whether there are too few rows to learn about so many categories."""
    present = counts[counts > 0]
    few_rows = present.sum() < _ROWS_PER_CATEGORY * len(present)
    return bool(len(present) > _FEWEST_CATEGORIES and few_rows)


def _missing(column: Column) -> NDArray[np.bool]:
    if isinstance(column, NumericColumn):
        return np.isnan(column.values)
    return np.asarray(column.data < 0)


# -- leaks -----------------------------------------------------------------------------


def _leak(table: Table, column: Column, missing: NDArray[np.bool]) -> Iterator[Finding]:
    """Find a column that tells the target by itself."""
    target = table.target
    if target is None:
        return
    if isinstance(target, NumericTarget):
        words = _leak_of_number(target.values, column, missing)
    else:
        words = _leak_of_class(target, column, missing)
    if words:
        advice = "Is it known before the target is? If not, leave it out."
        yield Finding("leak", column.name, words, advice)


def _leak_of_number(
    y: NDArray[np.float64], column: Column, missing: NDArray[np.bool]
) -> str:
    if not isinstance(column, NumericColumn):
        return ""
    x, y = column.values[~missing].astype(np.float64), y[~missing]
    if len(x) < FEWEST_ROWS or not np.isfinite(x).all():
        return ""
    if np.array_equal(x, y):
        return "it equals the target"
    with np.errstate(all="ignore"):
        x, y = x - x.mean(), y - y.mean()
        r2 = float((x @ y) ** 2 / ((x @ x) * (y @ y)))
    return f"it follows the target in a straight line (R² {r2:.5f})" * (r2 >= _R2)


def _leak_of_class(
    target: ClassTarget, column: Column, missing: NDArray[np.bool]
) -> str:
    codes, n = target.codes, len(target.codes)
    k = len(target.classes)
    base = float(np.bincount(codes, minlength=k).max()) / n
    if missing.any() and base <= _LARGEST_CLASS:
        right = _right(missing.astype(np.int64), codes, k) / n
        if right >= _RIGHT_BY_GAPS:
            return f"whether it is missing tells the target in {right:.1%} of the rows"
    if base > _RIGHT:
        return ""
    right = _right(_groups(column, missing), codes, k) / n
    if right >= _RIGHT:
        return f"by itself it tells the target in {right:.2%} of the rows"
    return ""


def _groups(column: Column, missing: NDArray[np.bool]) -> NDArray[np.int64]:
    """Return the rows in groups: by category, or by one of at most 64 intervals."""
    if not isinstance(column, NumericColumn):
        return np.asarray(column.data, np.int64) + 1
    known = column.values[~missing]
    cuts = np.unique(np.quantile(known, np.linspace(0, 1, 65), method="lower"))
    group = np.searchsorted(cuts, column.values, side="left").astype(np.int64) + 1
    return np.where(missing, 0, group)


def _right(group: NDArray[np.int64], codes: NDArray[Any], k: int) -> int:
    """Count the rows that the largest class of the other rows of their group tells."""
    n_groups = int(group.max()) + 1
    if n_groups * k > 4 * len(codes) + 1000:
        return 0
    counts = np.bincount(group * k + codes, minlength=n_groups * k)
    counts = counts.reshape(n_groups, k)
    top = np.argmax(counts, axis=1)
    others = counts.copy()
    others[np.arange(n_groups), top] = 0
    # A row of the largest class is told by the others only if these still lead.
    leads = counts.max(axis=1) - 1 >= np.maximum(others.max(axis=1), 1)
    return int(counts.max(axis=1)[leads].sum())


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
            f"class {shown}{more} has one row",
            "It cannot be both learnt and tested. Join it with another, or drop it.",
        )


def _copies(table: Table) -> Iterator[Finding]:
    """Find rows that occur again, beyond what few different values explain."""
    n = table.n_rows
    hashes = np.zeros(n, dtype=np.uint64)
    combinations = 1.0
    for place, column in enumerate(table.columns):
        values, n_values = _numbered(column)
        combinations = min(combinations * n_values, 1e300)
        hashes = _mixed(hashes, values, place)
    if table.target is not None:
        data = getattr(table.target, "codes", getattr(table.target, "values", None))
        hashes = _mixed(hashes, _bits(np.asarray(data)), len(table.columns))
    n_copies = n - len(np.unique(hashes))
    if n_copies < _COPIES * n or combinations < 100.0 * n:
        return
    yield Finding(
        "copies",
        None,
        f"{n_copies:,} of {n:,} rows are exact copies of other rows",
        "Cross-validation sees a row and its copy, so it cannot see over-fitting: drop "
        "them, keep one with a weight, or pass groups=.",
    )


def _numbered(column: Column) -> tuple[NDArray[np.uint64], int]:
    """Return 64 bits that tell the values apart, and how many values there are."""
    if isinstance(column, NumericColumn):
        bits = _bits(column.values)
        return bits, len(np.unique(bits))
    return np.asarray(column.data, np.int64).view(np.uint64), len(column.labels) + 1


def _bits(values: NDArray[Any]) -> NDArray[np.uint64]:
    floats = np.asarray(values, np.float64) + 0.0  # one zero
    return np.where(np.isnan(floats), np.nan, floats).view(np.uint64)


def _mixed(
    hashes: NDArray[np.uint64], values: NDArray[np.uint64], place: int
) -> NDArray[np.uint64]:
    """Mix one more column into a hash of each row (splitmix64's finaliser)."""
    mixed = hashes * np.uint64(0x9E3779B97F4A7C15) + values + np.uint64(place + 1)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(mixed ^ (mixed >> np.uint64(31)))
