"""Down the tree: what holds for the rows of a node, column by column.

`narrowed` puts the answer at one split on top of what held before; `conditions_of`
does so along one way, `walked` for many nodes in one pass over the tree.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright.reading.conditions.bits import bits_of
from treewright.reading.conditions.condition import (
    Condition,
    Detour,
    Part,
    Surrogate,
    every,
)
from treewright.tree.data import (
    ALL_BRANCHES,
    IS_MISSING,
    LEAF,
    MULTIWAY,
    STOP_HERE,
    SUBSET,
    THRESHOLD,
    TreeData,
)
from treewright.tree.route import branch_shares
from treewright.tree.walk import path

if TYPE_CHECKING:
    from treewright.table.schema import Feature

__all__ = [
    "answer_nodes",
    "conditions_of",
    "features_as_split",
    "narrowed",
    "surrogates_of",
    "walked",
]


def narrowed(tree: TreeData, node: int, branch: int, above: Condition) -> Condition:
    """Return a condition on the column of a node, for the rows that take a branch.

    Parameters
    ----------
    tree : TreeData
        The tree.
    node : int
        An inner node.
    branch : int
        The branch taken, or `STOP_HERE` for the rows that end in the node.
    above : Condition
        What holds of the column for the rows that come to the node.

    Returns
    -------
    Condition
    """
    kind = int(tree.split_kind[node])
    if kind == IS_MISSING:
        return _by_missing(above, branch)
    if tree.surrogate_start[node] != tree.surrogate_start[node + 1]:
        missing, part = above.missing, _detour(tree, node, branch)
    else:
        share = _missing_share(tree, node, branch)
        missing, part = above.missing and share > 0, Part(None, share)
    parts = above.parts
    if kind == THRESHOLD:
        if missing and (part.share != 1 or part.detour):
            parts = (*parts, part)
        return _by_threshold(above, float(tree.threshold[node]), branch)._replace(
            missing=missing, parts=parts if missing else ()
        )
    return _by_category(tree, node, branch, above, part)


def _by_missing(above: Condition, branch: int) -> Condition:
    if branch == 0:
        none = None if above.codes is None else 0
        return above._replace(low=None, high=None, codes=none, known=False)
    return above._replace(missing=False, parts=_without_missing(above))


def _without_missing(above: Condition) -> tuple[Part, ...]:
    """Keep the parts that speak of known categories too."""
    return tuple(part for part in above.parts if part.codes)


def _by_threshold(above: Condition, threshold: float, branch: int) -> Condition:
    if above.codes is not None:  # ranks, which another split takes one by one
        up_to = (1 << (math.floor(threshold) + 1)) - 1
        kept = {0: above.codes & up_to, 1: above.codes & ~up_to}
        return above._replace(codes=kept.get(branch, 0))
    if branch == STOP_HERE:
        return above._replace(low=None, high=None, known=False)
    if branch == 0:
        high = threshold if above.high is None else min(above.high, threshold)
        return above._replace(high=high)
    low = threshold if above.low is None else max(above.low, threshold)
    return above._replace(low=low)


def _by_category(
    tree: TreeData, node: int, branch: int, above: Condition, part: Part
) -> Condition:
    start, end = tree.category_start[node : node + 2].tolist()
    codes = tree.categories[start:end]
    listed = bits_of(codes)
    mine = bits_of(codes[tree.category_branch[start:end] == branch])
    others = (above.codes or 0) & ~listed
    arrives = part.share > 0 or part.detour is not None
    kept = ((above.codes or 0) & mine) | (others if arrives else 0)
    missing = above.missing and arrives
    parts = above.parts if missing else _without_missing(above)
    if arrives and (part.share != 1 or part.detour) and (others or missing):
        parts = (*parts, part._replace(codes=others))
    return above._replace(codes=kept, missing=missing, parts=parts)


def _missing_share(tree: TreeData, node: int, branch: int) -> float:
    """Return how much of a row with a missing value takes the branch."""
    route = int(tree.missing_route[node])
    if route != ALL_BRANCHES or branch == STOP_HERE:
        return float(route == branch)
    return float(branch_shares(tree, node)[branch])


def _detour(tree: TreeData, node: int, branch: int) -> Part:
    share = _missing_share(tree, node, branch)
    return Part(None, 1.0, Detour(surrogates_of(tree, node), branch, share))


def surrogates_of(tree: TreeData, node: int) -> tuple[Surrogate, ...]:
    """Return the surrogate splits of a node, best first."""
    first, end = tree.surrogate_start[node : node + 2].tolist()
    if first == end:
        return ()
    start, stop = tree.surrogate_category_start[node : node + 2].tolist()
    of = tree.surrogate_category_of[start:stop].tolist()
    codes = tree.surrogate_categories[start:stop].tolist()
    to = tree.surrogate_category_branch[start:stop].tolist()
    found = []
    for k in range(end - first):
        column = int(tree.surrogate_feature[first + k])
        branches = {codes[i]: to[i] for i in range(len(of)) if of[i] == k}
        found.append(
            Surrogate(
                column,
                tree.schema.features[column],
                float(tree.surrogate_threshold[first + k]),
                bool(tree.surrogate_flip[first + k]),
                branches,
            )
        )
    return tuple(found)


def conditions_of(
    tree: TreeData, node: int, *, stops: bool = False
) -> dict[int, Condition]:
    """Return what holds for the rows of a node, by column.

    Parameters
    ----------
    tree : TreeData
        The tree.
    node : int
        The node.
    stops : bool, default=False
        For the rows that end in this inner node, not for all that reach it.

    Returns
    -------
    dict of int to Condition
        In the order in which the way from the root first asks the columns.
    """
    way = path(tree, node)
    asked = [(above, int(tree.branch[below])) for above, below in pairwise(way)]
    if stops:
        asked.append((node, STOP_HERE))
    found: dict[int, Condition] = {}
    for at, branch in asked:
        column = int(tree.feature[at])
        above = found.get(column) or every(features_as_split(tree)[column], column)
        found[column] = narrowed(tree, at, branch, above)
    return found


def features_as_split(tree: TreeData) -> tuple[Feature, ...]:
    """Return the columns, an ordinal one as categorical where a split lists its ranks.

    Parameters
    ----------
    tree : TreeData
        The tree.

    Returns
    -------
    tuple of Feature
    """
    return tree.keep("features_as_split", _features_as_split)


def _features_as_split(tree: TreeData) -> tuple[Feature, ...]:
    listing = np.isin(tree.split_kind, (SUBSET, MULTIWAY))
    by_category = set(tree.feature[listing].tolist())
    return tuple(
        replace(feature, kind="categorical")
        if feature.kind == "ordinal" and j in by_category
        else feature
        for j, feature in enumerate(tree.schema.features)
    )


# Where rows end ---------------------------------------------------------------------


def answer_nodes(tree: TreeData) -> NDArray[np.int32]:
    """Return the nodes in which a row can end: leaves, and where missing values stop.

    Parameters
    ----------
    tree : TreeData
        The tree.

    Returns
    -------
    int32 array
        Ascending. An inner node is among them only if a value that stops there can
        come to it.
    """
    return tree.keep("answer_nodes", _answer_nodes)


def _answer_nodes(tree: TreeData) -> NDArray[np.int32]:
    is_answer = tree.split_kind == LEAF
    stops = np.flatnonzero(~is_answer & (tree.missing_route == STOP_HERE))
    for node, conditions in walked(tree, stops):
        is_answer[node] = all(each.possible for each in conditions.values())
    found = np.flatnonzero(is_answer).astype(np.int32)
    found.flags.writeable = False
    return found


def walked(
    tree: TreeData,
    nodes: NDArray[np.integer[Any]],
    stops: NDArray[np.bool_] | None = None,
) -> Iterator[tuple[int, dict[int, Condition]]]:
    """Yield ascending nodes with their conditions, in one pass over the tree.

    A node marked in `stops`, if it is not given any inner node, comes with the
    conditions of the rows that stop in it, others with those of all their rows.
    """
    if not len(nodes):
        return
    wanted = np.zeros(tree.n_nodes, dtype=bool)
    wanted[nodes] = True
    is_wanted = wanted.tolist()
    ends = (tree.split_kind != LEAF if stops is None else stops).tolist()
    depths, branches = tree.depth.tolist(), tree.branch.tolist()
    columns, parents = tree.feature.tolist(), tree.parent.tolist()
    whole = [every(feature, j) for j, feature in enumerate(features_as_split(tree))]
    states: list[dict[int, Condition]] = [{}] * (max(depths) + 1)
    for node in range(int(nodes[-1]) + 1):
        depth = depths[node]
        if depth:
            column, state = columns[parents[node]], dict(states[depth - 1])
            above = state.get(column, whole[column])
            state[column] = narrowed(tree, parents[node], branches[node], above)
            states[depth] = state
        if not is_wanted[node]:
            continue
        here = states[depth]
        if ends[node]:
            column = columns[node]
            above = here.get(column, whole[column])
            here = {**here, column: narrowed(tree, node, STOP_HERE, above)}
        yield node, here
