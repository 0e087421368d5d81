"""The splits that came close: kept in the tree when it is grown, if asked for.

A finished tree is grown once more, node by node, and every node is asked for the best
split of each other column. Four arrays of n x k are kept beside the tree (extras),
which every edit carries along without understanding them.
"""

from __future__ import annotations

import math
from typing import NamedTuple, cast

import numpy as np

from treewright.errors import OptionError
from treewright.growing.steps import Steps
from treewright.tree import wording
from treewright.tree.data import (
    IS_MISSING,
    LEAF,
    SPLIT_KINDS,
    SUBSET,
    THRESHOLD,
    TreeData,
)
from treewright.tree.edit import with_values
from treewright.tree.split import IsMissing, Split, Threshold, make_split, split_of
from treewright.tree.walk import checked_node, children

__all__ = ["Competitor", "competitors_of", "with_competitors"]

_COLUMN, _KIND = "competitor_column", "competitor_kind"
_THRESHOLD, _GAIN = "competitor_threshold", "competitor_gain"


class Competitor(NamedTuple):
    """The best split of another column at a node.

    Attributes
    ----------
    column : str
        The column.
    kind : str
        'threshold', 'subset' or 'is_missing'.
    threshold : float
        NaN unless it is a threshold. Sets of categories are not kept.
    gain : float
        Its gain.
    gap : float
        By how much the gain of the node's own split is larger.
    words : str
        What it asks.
    """

    column: str
    kind: str
    threshold: float
    gain: float
    gap: float
    words: str


def with_competitors(tree: TreeData, steps: Steps, n_kept: int) -> TreeData:
    """Return the tree with the best splits of other columns at every inner node.

    Parameters
    ----------
    tree : TreeData
        A tree of splits in two.
    steps : Steps
        With the root open, on the rows that the tree was grown on, and without
        limits on the whole tree.
    n_kept : int
        How many to keep; never more than there are columns.

    Returns
    -------
    TreeData
        With extras ``competitor_column`` (-1: none), ``competitor_kind``,
        ``competitor_threshold`` and ``competitor_gain``.
    """
    if (tree.n_children > 2).any():
        raise OptionError(
            "competitors are kept for splits in two; this tree has nodes of more "
            "branches. Use competitors=0, and why() for a single node."
        )
    n_kept = min(n_kept, len(tree.schema.usable))
    shape = (tree.n_nodes, n_kept)
    columns = np.full(shape, -1, dtype=np.int32)
    kinds = np.zeros(shape, dtype=np.int32)
    thresholds, gains = np.full((2, *shape), np.nan)
    numbers = np.zeros(tree.n_nodes, dtype=np.int64)
    for node in np.flatnonzero(tree.split_kind != LEAF).tolist():
        split = cast(Split, split_of(tree, node))
        number = int(numbers[node])
        found = steps.candidates(number, n_kept + 1)
        others = [each for each in found if each.column != split.column]
        for place, each in enumerate(others[:n_kept]):
            columns[node, place], kinds[node, place] = each.column, _kind(each)
            thresholds[node, place] = getattr(each, "threshold", math.nan)
            gains[node, place] = each.gain
        numbers[list(children(tree, node))] = steps.split(number, split)
    kept = {_COLUMN: columns, _KIND: kinds, _THRESHOLD: thresholds, _GAIN: gains}
    return with_values(tree, extras=kept)


def _kind(split: Split) -> int:
    if isinstance(split, Threshold):
        return THRESHOLD
    return IS_MISSING if isinstance(split, IsMissing) else SUBSET


def competitors_of(tree: TreeData, node: int) -> list[Competitor]:
    """Return the competitors kept for a node, best first; none at a leaf.

    Parameters
    ----------
    tree : TreeData
        The tree.
    node : int
        The node.

    Returns
    -------
    list of Competitor
    """
    node = checked_node(tree, node)
    if _COLUMN not in tree.extras:
        raise OptionError(
            "This tree keeps no competing splits. Grow it with competitors=4, or use "
            "why(tree, node, X, y) with the training rows."
        )
    found = []
    for place, column in enumerate(tree.extras[_COLUMN][node].tolist()):
        if column < 0:
            break
        kind = int(tree.extras[_KIND][node, place])
        gain = float(tree.extras[_GAIN][node, place])
        at = float(tree.extras[_THRESHOLD][node, place])
        name = str(tree.schema.features[column].name)
        gap = float(tree.gain[node]) - gain
        words = _words(tree, column, kind, at)
        found.append(Competitor(name, SPLIT_KINDS[kind], at, gain, gap, words))
    return found


def _words(tree: TreeData, column: int, kind: int, threshold: float) -> str:
    if kind == SUBSET:
        return f"{wording.name(tree.schema.features[column].name)} in two groups"
    split = make_split(
        tree.schema,
        kind,
        column,
        threshold=threshold,
        categories=(),
        branches=(),
        missing=0,
        n_branches=2,
        gain=0.0,
        proven=True,
    )
    return split.words(0)
