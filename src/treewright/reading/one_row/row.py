"""One row, whose columns are read on demand, and its path down the tree."""

from __future__ import annotations

import math
import numbers
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from treewright.errors import TableError
from treewright.reading.conditions.condition import Condition
from treewright.table.check import check_matched
from treewright.table.from_numpy import as_float32
from treewright.table.match import MatchedColumns, match
from treewright.table.raw import EXACT_INTEGERS
from treewright.table.schema import Feature, Schema
from treewright.table.show import show_value
from treewright.tree import route, wording
from treewright.tree.data import ALL_BRANCHES, LEAF, STOP_HERE, TreeData
from treewright.tree.new_rows import checked_unseen
from treewright.tree.route import Turn, branch_shares, columns_used
from treewright.tree.walk import children

__all__ = [
    "OneRow",
    "as_read",
    "ends_of",
    "is_missing",
    "meets",
    "read_row",
    "turn_at",
    "value_text",
]

_LONGEST = 10


class OneRow:
    """The values of one row: numbers, ranks and codes, as the tree reads them.

    Parameters
    ----------
    schema : Schema
        The columns of the tree.
    row : mapping, series, sequence, or table of one row
        All or some of the values by name; or all of them in order.
    unseen : {'missing', 'error'}, default='missing'
        What to do with a category that was not in the training rows.
    no_gaps : bool, default=False
        Whether to refuse missing and infinite values.
    """

    def __init__(
        self, schema: Schema, row: Any, unseen: str = "missing", no_gaps: bool = False
    ) -> None:
        self._schema, self._unseen, self._no_gaps = schema, unseen, no_gaps
        self._cells = _cells(schema, row)
        self._table = None if self._cells is not None else row
        self._known: dict[int, float] = {}

    @classmethod
    def of(cls, schema: Schema, columns: MatchedColumns, place: int) -> OneRow:
        """Return one of the rows that were read for a tree already."""
        one = cls(schema, {})
        read = ((c, columns[c]) for c in range(len(schema.features)))
        one._known = {c: float(x[place]) for c, x in read if x is not None}
        return one

    def has(self, column: int) -> bool:
        """Whether the row has an entry for the column, even if it is None."""
        if self._cells is None or column in self._known:
            return True
        return self._schema.names[column] in self._cells

    def __getitem__(self, column: int) -> float:
        """Return a number or a rank (NaN: missing), or a code (-1; unseen: -2)."""
        if column not in self._known:
            self._known[column] = self._read(column)
        return self._known[column]

    def _read(self, column: int) -> float:
        name = self._schema.names[column]
        if self._cells is None:
            columns = match(self._schema, self._table, [column], self._unseen)
        elif name not in self._cells:
            raise TableError(
                f"The path of this row tests {name!r}, but the row has no {name!r}. "
                "Add it; None, or NAME= on the command line, stands for a value that "
                "is not known."
            )
        else:
            cell = self._cells[name]
            quick = _quick(self._schema.features[column], cell)
            if quick is not None and not self._no_gaps:
                return quick
            columns = match(
                self._schema, {name: _as_column(cell)}, [column], self._unseen
            )
        if columns.n_rows != 1:
            raise TableError(
                f"row must be one row; this table has {columns.n_rows}. Pass one of "
                "them, such as X.iloc[0]."
            )
        if self._no_gaps:
            check_matched(self._schema, columns)
        values = columns[column]
        assert values is not None
        return float(values[0])

    def known(self, column: int) -> float:
        """Return a number, a rank or a code; NaN if it is missing or unseen."""
        value = self[column]
        is_gone = is_missing(self._schema.features[column], value)
        return math.nan if is_gone else value

    def changed(self, values: Mapping[int, float]) -> OneRow:
        """Return a copy of the row with other values, rounded like new data."""
        features = self._schema.features
        rounded = {c: as_read(features[c], value) for c, value in values.items()}
        other = OneRow.__new__(OneRow)
        other._schema, other._unseen = self._schema, self._unseen
        other._no_gaps = self._no_gaps
        other._cells, other._table = self._cells, self._table
        other._known = {**self._known, **rounded}
        return other

    def words(self, column: int) -> str:
        """Return the value as the caller wrote it."""
        value, feature = self[column], self._schema.features[column]
        if not is_missing(feature, value):
            return value_text(feature, value)
        cells = self._cells
        name = self._schema.names[column]
        if feature.kind == "numeric" or value != -2 or cells is None:
            return "missing"
        return wording.value(_as_column(cells[name])[0], 60) if cells else "unseen"


def read_row(tree: TreeData, row: Any, unseen: str | None = None) -> OneRow:
    """Read one row for a tree, with the same checks as `predict`.

    Parameters
    ----------
    tree : TreeData
        The tree.
    row : mapping, series, sequence, or table of one row
        See `OneRow`.
    unseen : {'missing', 'error'} or None, default=None
        What to do with a category that was not in the training rows; None: what was
        chosen when the tree was grown.

    Returns
    -------
    OneRow
    """
    rule = tree.unseen if unseen is None else checked_unseen(unseen)
    one = OneRow(tree.schema, row, rule, tree.refuses_missing)
    if rule == "error" or tree.refuses_missing:
        for column in filter(one.has, columns_used(tree).tolist()):
            one[column]  # raises, whether or not the row's path tests the column
    return one


def is_missing(feature: Feature, value: float) -> bool:
    """Whether a value of a column is missing, or an unseen category."""
    return math.isnan(value) or (feature.kind != "numeric" and value < 0)


def as_read(feature: Feature, value: float) -> float:
    """Return a number as the tree reads it: some columns are rounded to float32."""
    return float(as_float32(np.array(value))) if feature.float32 else value


def value_text(feature: Feature, value: float) -> str:
    """Return a value as text; long decimals with six figures."""
    if feature.kind == "numeric":
        text = show_value(feature, value + 0.0)
        is_long = len(text) > _LONGEST and feature.stored_as in ("float", "text")
        return f"{value:.6g}" if is_long else text
    return wording.value(feature.labels[int(value)], 60)


def _cells(schema: Schema, row: Any) -> Mapping[str, Any] | None:
    """Return the cells by name; None for a table, which `match` reads."""
    if (
        hasattr(row, "to_dict")
        and hasattr(row, "index")
        and not hasattr(row, "columns")
    ):
        row = row.to_dict()  # a series
    if isinstance(row, Mapping):
        return {str(name): cell for name, cell in row.items()}
    if row is None or isinstance(row, str | bytes | numbers.Number | np.generic):
        names = ", ".join(map(repr, schema.names[:2]))
        raise TableError(
            f"row must be the values of one row; got {row!r:.80}. Pass them by name "
            f"(a dict with keys such as {names}), or one row of a table, such as "
            f"X.iloc[{row if isinstance(row, int) else 0}]."
        )
    flat = isinstance(row, np.ndarray) and row.ndim == 1
    listed = isinstance(row, list | tuple) and not _has_rows(row)
    if not (flat or listed):
        return None
    if len(row) != len(schema.names):
        raise TableError(
            f"This row has {len(row)} values, but the tree has {len(schema.names)} "
            "columns. Pass all of them in order, or some of them by name, as a dict."
        )
    return dict(zip(schema.names, row, strict=True))


def _has_rows(row: Sequence[Any]) -> bool:
    return any(isinstance(each, list | tuple | Mapping | np.ndarray) for each in row)


def _quick(feature: Feature, cell: Any) -> float | None:
    """Read a plain number or a known category; None for anything else."""
    if feature.kind != "numeric":
        code = feature.code_of.get(cell) if isinstance(cell, str) else None
        return None if code is None else float(code)
    plain = isinstance(cell, float | np.floating) or type(cell) is int
    if not plain or feature.stored_as not in ("float", "int"):
        return None
    return as_read(feature, float(cell)) if abs(cell) <= EXACT_INTEGERS else None


def _as_column(cell: Any) -> Any:
    """Return a column with one cell; a value that already is a column stays."""
    if isinstance(cell, list | tuple | np.ndarray) and np.ndim(cell) == 1:
        return cell
    if hasattr(cell, "iloc") or hasattr(cell, "to_list"):
        return list(cell)
    return [cell]


# Down the tree ----------------------------------------------------------------------


def turn_at(tree: TreeData, node: int, row: OneRow) -> Turn:
    """Return what happens to a row at an inner node."""
    column = int(tree.feature[node])
    values = {column: row.known(column)}
    turn = route.turn_at(tree, node, values)
    first, end = tree.surrogate_start[node : node + 2].tolist()
    if not turn.missing or first == end:
        return turn
    stand_ins = filter(row.has, tree.surrogate_feature[first:end].tolist())
    return route.turn_at(tree, node, values | {c: row.known(c) for c in stand_ins})


def ends_of(tree: TreeData, row: OneRow) -> list[tuple[int, float]]:
    """Return the nodes where a row ends with their shares, the largest first."""
    ended, waiting = [], [(0, 1.0)]
    while waiting:
        node, share = waiting.pop()
        if tree.split_kind[node] == LEAF:
            ended.append((node, share))
            continue
        branch = turn_at(tree, node, row).branch
        if branch == STOP_HERE:
            ended.append((node, share))
            continue
        below = children(tree, node)
        if branch == ALL_BRANCHES:
            parts = branch_shares(tree, node).tolist()
            divided = zip(below, parts, strict=True)
            waiting += [(c, share * part) for c, part in divided if part > 0]
        else:
            waiting.append((below[branch], share))
    return sorted(ended, key=lambda each: (-each[1], each[0]))


def meets(condition: Condition, value: float) -> bool:
    """Whether a value meets a condition, ignoring shares and surrogates."""
    if is_missing(condition.feature, value):
        return condition.missing
    if condition.codes is not None:
        return bool(condition.codes >> int(value) & 1)
    if not condition.known or (condition.low is not None and value <= condition.low):
        return False
    return condition.high is None or value <= condition.high
