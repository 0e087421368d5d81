"""The plain router: one row, one node at a time, in the words of the rules."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from treewright.tree.data import (
    ALL_BRANCHES,
    IS_MISSING,
    LEAF,
    STOP_HERE,
    THRESHOLD,
    TreeData,
)
from treewright.tree.walk import children


def slow_route(tree: TreeData, columns: Sequence[Any], n_rows: int) -> np.ndarray:
    """The node in which each row ends; of a divided row, its largest part."""
    ends = [_largest(slow_ends(tree, columns, row)) for row in range(n_rows)]
    return np.array(ends, np.int32)


def _largest(ends: Iterator[tuple[int, float]]) -> int:
    # max() takes the first of equals, which is the first in preorder.
    return max(ends, key=lambda end: end[1])[0]


def slow_ends(
    tree: TreeData, columns: Sequence[Any], row: int
) -> Iterator[tuple[int, float]]:
    """Every node in which a part of one row ends, in preorder, with its share."""
    waiting = [(0, 1.0)]
    while waiting:
        node, share = waiting.pop()
        branch = STOP_HERE
        if tree.split_kind[node] != LEAF:
            branch = _branch(tree, node, columns, row)
        if branch == STOP_HERE:
            yield node, share
        elif branch == ALL_BRANCHES:
            waiting += reversed(_parts(tree, node, share))
        else:
            waiting.append((children(tree, node)[branch], share))


def _parts(tree: TreeData, node: int, share: float) -> list[tuple[int, float]]:
    """Divide a row among the branches that have any weight."""
    below = children(tree, node)
    weights = [float(tree.weight[child]) for child in below]
    total = sum(weights)
    shares = [w / total if total > 0 else 1 / len(below) for w in weights]
    return [(c, share * s) for c, s in zip(below, shares, strict=True) if s > 0]


def _is_missing(value: Any) -> bool:
    return math.isnan(value) if isinstance(value, (float, np.floating)) else value < 0


def _branch(tree: TreeData, node: int, columns: Sequence[Any], row: int) -> int:
    value = columns[tree.feature[node]][row]
    if tree.split_kind[node] == IS_MISSING:
        if not _is_missing(value):
            return 1
    elif tree.split_kind[node] == THRESHOLD:
        if not _is_missing(value):
            return 0 if float(value) <= tree.threshold[node] else 1
    else:
        start, end = tree.category_start[node : node + 2]
        for code, branch in zip(
            tree.categories[start:end], tree.category_branch[start:end], strict=True
        ):
            if code == value:
                return int(branch)
    return _branch_of_surrogate(tree, node, columns, row)


def _branch_of_surrogate(
    tree: TreeData, node: int, columns: Sequence[Any], row: int
) -> int:
    """The branch of the first surrogate that knows the row, or the missing route."""
    first, last = tree.surrogate_start[node : node + 2].tolist()
    begin, end = tree.surrogate_category_start[node : node + 2].tolist()
    for s in range(first, last):
        value = columns[tree.surrogate_feature[s]][row]
        if math.isnan(tree.surrogate_threshold[s]):
            for i in range(begin, end):
                own = tree.surrogate_category_of[i] == s - first
                if own and tree.surrogate_categories[i] == value:
                    return int(tree.surrogate_category_branch[i])
        elif not _is_missing(value):
            left = bool(float(value) <= tree.surrogate_threshold[s])
            return 1 if left == bool(tree.surrogate_flip[s]) else 0
    return int(tree.missing_route[node])
