"""A row of totals at the end of a table, which is no case of its own."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from treewright.table.announce import listed
from treewright.table.column import CategoricalColumn, NumericColumn
from treewright.table.intake import Finding
from treewright.table.table import NumericTarget, Table

__all__ = ["totals"]

_WORDS = frozenset({"total", "totals", "sum", "grand", "sub", "subtotal", "overall"})
_WORDS |= {"summe", "gesamt", "gesamtsumme", "insgesamt", "zwischensumme", "endsumme"}
_WORDS |= {"somme", "totaux", "totale", "totali", "suma", "totaal"}
_LAST_ROWS = 3
_FEWEST_ADDED = 2
_TOLERANCE = 1e-4  # of the sum of all sizes: printed numbers are rounded
_MOST_NAMED = 3
_STORED = ("int", "float", "text")  # 'text': numbers that text spelled


def totals(table: Table) -> Iterator[Finding]:
    """Find a row at the end that is called 'Total' and holds the sums of columns.

    The word alone proves nothing, and neither does a sum: both must be there. The word
    must stand nowhere else in its column.

    Parameters
    ----------
    table : Table
        The table.

    Yields
    ------
    Finding
        At most one.
    """
    for row in range(table.n_rows - 1, max(table.n_rows - 1 - _LAST_ROWS, 1), -1):
        word = _word(table, row)
        sums = [name for name, data in _numbers(table) if _is_sum(data, row)]
        if not word or not sums:
            continue
        named = listed([repr(name) for name in sums[:_MOST_NAMED]])
        more = len(sums) - _MOST_NAMED
        others = f" and {more} more columns" if more > 0 else ""
        yield Finding(
            "totals_row",
            None,
            f"row {row + 1:,} of {table.n_rows:,} is called {word!r} and holds the sum "
            f"of {named}{others}",
            "It is no case of its own: remove it from the data.",
        )
        return


def _word(table: Table, row: int) -> str:
    """Return the word of a row that means a total; '' if there is none."""
    for column in table.columns:
        if not isinstance(column, CategoricalColumn):
            continue
        code = int(column.codes[row])
        label = column.labels[code] if code >= 0 else None
        if isinstance(label, str) and _means_total(label):
            alone = np.count_nonzero(column.codes == code) == 1
            return label if alone else ""
    return ""


def _means_total(label: str) -> bool:
    words = label.lower().replace("-", " ").strip(" :.*").split()
    return 0 < len(words) <= 2 and all(word in _WORDS for word in words)


def _numbers(table: Table) -> Iterator[tuple[str, NDArray[np.float64]]]:
    """Yield name and values of the columns of plain numbers, and of such a target."""
    for column in table.columns:
        if isinstance(column, NumericColumn) and column.stored_as in _STORED:
            yield column.name, np.asarray(column.values, np.float64)
    target = table.target
    if isinstance(target, NumericTarget):
        yield target.name, np.asarray(target.values, np.float64)


def _is_sum(data: NDArray[np.float64], row: int) -> bool:
    above = data[:row]
    above = above[np.isfinite(above) & (above != 0)]
    if len(above) < _FEWEST_ADDED or not np.isfinite(data[row]):
        return False
    slack = _TOLERANCE * float(np.abs(above).sum())
    return bool(abs(data[row] - above.sum()) <= slack)
