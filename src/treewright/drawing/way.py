"""The way of one row through a tree, for highlighting."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from treewright.errors import OptionError
from treewright.table.match import MatchedColumns, match
from treewright.table.schema import Feature, Schema
from treewright.table.show import show_value
from treewright.tree import wording
from treewright.tree.data import TreeData
from treewright.tree.route import columns_used, route
from treewright.tree.walk import path

__all__ = ["way_of"]

_LONGEST = 200
_UNSEEN = -2


def way_of(tree: TreeData, row: Any) -> dict[int, str]:
    """Return the nodes that a row passes, each with its value in the column asked.

    Parameters
    ----------
    tree : TreeData
        The tree.
    row : mapping, series, list, array, or a table of one row
        The row. A mapping needs the columns that are asked on its way, no others.

    Returns
    -------
    dict of int to str
        From the root down; the node where the row ends has the text "".
    """
    absent: set[int] = set()
    table = _as_table(tree, row, absent)
    columns = match(tree.schema, table, columns_used(tree).tolist())
    _check_one(columns.n_rows)
    end = int(route(tree, columns, 1)[0])
    way = {}
    for node in path(tree, end):
        column = int(tree.feature[node])
        if node == end or column < 0:
            way[node] = ""
            continue
        if column in absent:
            name = wording.name(tree.schema.features[column].name)
            raise OptionError(
                f"The row has no value for {name!r}, which node {node} on its way "
                "asks for. Give it a value, or None for a missing one."
            )
        way[node] = _shown(tree.schema.features[column], columns, column)
    return way


def _as_table(tree: TreeData, row: Any, absent: set[int]) -> Any:
    """Return the row as something `match` reads; note the columns it lacks."""
    if getattr(row, "ndim", 2) == 1 and hasattr(row, "to_dict"):
        row = row.to_dict()  # a series
    if isinstance(row, Mapping):
        return _from_mapping(tree.schema, columns_used(tree).tolist(), row, absent)
    if isinstance(row, np.ndarray) and row.ndim == 1:
        return row.reshape(1, -1)
    if isinstance(row, (list, tuple)) and not any(_has_cells(each) for each in row):
        return [list(row)]
    return row


def _from_mapping(
    schema: Schema, used: list[int], row: Mapping[Any, Any], absent: set[int]
) -> dict[str, list[Any]]:
    table: dict[str, Any] = {}
    for column in used:
        name = schema.names[column]
        if name not in row:
            absent.add(column)
        value: Any = row.get(name)
        table[name] = list(value) if _has_cells(value) else [value]
        _check_one(len(table[name]))
    return table or {name: [None] for name in schema.names}


def _check_one(n_rows: int) -> None:
    if n_rows != 1:
        raise OptionError(
            f"row must be one row; got a table of {n_rows} rows. Pass one of them."
        )


def _has_cells(value: object) -> bool:
    return isinstance(value, (list, tuple, dict)) or getattr(value, "ndim", 0) > 0


def _shown(feature: Feature, columns: MatchedColumns, column: int) -> str:
    values = columns[column]
    assert values is not None
    value = values[0]
    if feature.kind != "numeric":
        if value == _UNSEEN:
            return "unseen"
        if value >= 0:
            return wording.value(feature.labels[int(value)], _LONGEST)
    return wording.cut(show_value(feature, float(value)), _LONGEST)
