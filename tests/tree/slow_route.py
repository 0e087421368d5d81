"""The plain router: one row, one node at a time, in the words of the rules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from treewright.tree.data import IS_MISSING, LEAF, STOP_HERE, THRESHOLD, TreeData
from treewright.tree.walk import children


def slow_route(tree: TreeData, columns: Sequence[Any], n_rows: int) -> np.ndarray:
    return np.array([_route_row(tree, columns, r) for r in range(n_rows)], np.int32)


def _route_row(tree: TreeData, columns: Sequence[Any], row: int) -> int:
    node = 0
    while tree.split_kind[node] != LEAF:
        branch = _branch(tree, node, columns[tree.feature[node]][row])
        if branch == STOP_HERE:
            return node
        node = children(tree, node)[branch]
    return node


def _branch(tree: TreeData, node: int, value: Any) -> int:
    is_number = isinstance(value, (float, np.floating))
    missing = bool(np.isnan(value)) if is_number else value < 0
    if tree.split_kind[node] == IS_MISSING:
        return 0 if missing else 1
    if missing:
        return int(tree.missing_route[node])
    if tree.split_kind[node] == THRESHOLD:
        return 0 if float(value) <= tree.threshold[node] else 1
    start, end = tree.category_start[node : node + 2]
    for code, branch in zip(
        tree.categories[start:end], tree.category_branch[start:end], strict=True
    ):
        if code == value:
            return int(branch)
    return int(tree.missing_route[node])
