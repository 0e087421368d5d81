"""The numbers behind a split: the rows of one node, and its candidate splits.

`NodeRows` holds the rows; `evaluate_split` computes a split on them by the definitions:
the rows of each branch, their impurity, the weighted mean of the impurities, the gain.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.criteria import Criterion, NumberCriterion
from treewright.growing.readable import midpoint, short_between
from treewright.reading.conditions.condition import as_float64
from treewright.table.grain import cut_step, day_below, has_local_days
from treewright.tree import wording
from treewright.tree.data import ALL_BRANCHES, IS_MISSING, MULTIWAY, SUBSET, THRESHOLD
from treewright.tree.split import IsMissing, Multiway, Split, Threshold, make_split

__all__ = [
    "Branch",
    "Candidate",
    "NodeRows",
    "evaluate_split",
    "every_candidate",
    "multiway",
    "shortened",
    "split_text",
]

MOST_LEVELS = 12
"""Groupings of more categories than this are not all listed."""


@dataclass(frozen=True, slots=True)
class Branch:
    """The rows of one branch.

    Attributes
    ----------
    words : str
        The condition of the branch.
    rows : int
        Number of rows.
    counted : float
        Number of rows, with each divided row counted by its share.
    weight : float
        Weight of the rows.
    counts : tuple of float
        Weight of each class; empty for numbers.
    mean, rss : float or None
        Numbers: mean, and weighted sum of squares around it.
    impurity : float
        By the criterion of the tree.
    median : float or None
        The median, in a tree that answers medians.
    """

    words: str
    rows: int
    counted: float
    weight: float
    counts: tuple[float, ...]
    mean: float | None
    rss: float | None
    impurity: float
    median: float | None = None


@dataclass(frozen=True, slots=True)
class Candidate:
    """One split of a node, evaluated.

    Attributes
    ----------
    column : str
        Name of its column.
    split : Split
        The split.
    words : str
        The condition of its first branch, or "one branch per value".
    branches : tuple of Branch
        The branches, without rows that take none of them.
    before, after : float
        Impurity of the divided rows, and the weighted mean of the branches.
    known : float
        Share of the node's weight that is divided: below 1 where the tree leaves
        rows with missing values out of the gain.
    gain : float
        known x (before - after).
    split_information : float
        -sum f log2 f over the branches.
    charge : float
        What C4.5 subtracts from the gain of a threshold, which was chosen among
        many: log2(number of thresholds) / weight of the node. 0 elsewhere.
    missed : str
        Which rule refuses it, and by how much; empty if it is allowed.
    """

    column: str
    split: Split
    words: str
    branches: tuple[Branch, ...]
    before: float
    after: float
    known: float
    gain: float
    split_information: float
    charge: float = 0.0
    missed: str = ""

    @property
    def worth(self) -> float:
        """The gain less the charge, by which columns compete in C4.5."""
        return self.gain - self.charge

    @property
    def gain_ratio(self) -> float:
        """The worth over the split information."""
        return self.worth / self.split_information if self.split_information else 0.0


@dataclass(frozen=True, slots=True)
class NodeRows:
    """The rows of a node.

    Attributes
    ----------
    schema : Schema
        The columns.
    columns : list of array or None
        Values, ranks or codes of these rows.
    y : array
        Class numbers, or the numbers of the target.
    weights : float64 array
        The weight of each row; for a divided row, of the part that reaches the node.
    shares : float64 array
        Share of each row that reaches the node.
    n_classes : int
        Number of classes; 0 for numbers.
    criterion : Criterion
        The criterion of the tree.
    known_only : bool
        Whether the gain ignores rows with a missing value.
    readable : bool
        Whether thresholds are rounded as by ``thresholds="readable"``.
    whole_steps : bool
        Whether thresholds between whole days are whole days.
    """

    schema: Any
    columns: Sequence[NDArray[Any] | None]
    y: NDArray[Any]
    weights: NDArray[np.float64]
    shares: NDArray[np.float64]
    n_classes: int
    criterion: Criterion
    known_only: bool
    readable: bool = False
    whole_steps: bool = True

    @property
    def weight(self) -> float:
        """Weight of all rows."""
        return float(self.weights.sum())

    def branch(self, words: str, index: NDArray[np.integer[Any]]) -> Branch:
        """Return the figures of some of the rows."""
        y, w = self.y[index], self.weights[index]
        total, counted = float(w.sum()), float(self.shares[index].sum())
        if self.n_classes:
            counts = np.bincount(y, w, self.n_classes)
            by_class = tuple(counts.tolist())
            present = {k: n for k, n in enumerate(by_class) if n > 0}
            mixed = self.criterion.impurity(present) if total else 0.0
            return Branch(
                words, len(index), counted, total, by_class, None, None, mixed
            )
        if not total:
            return Branch(words, 0, 0.0, 0.0, (), math.nan, 0.0, 0.0)
        mean = float(np.average(y, weights=w))
        rss = float((w * (y - mean) ** 2).sum())
        assert isinstance(self.criterion, NumberCriterion)
        middle = _median(y, w) if self.criterion.answer == "median" else None
        answer = mean if middle is None else middle
        mixed = float((w * self.criterion.loss(y, answer)).sum()) / total
        return Branch(words, len(index), counted, total, (), mean, rss, mixed, middle)

    def missing(self, column: int) -> NDArray[np.bool_]:
        """Return which rows have no value in a column."""
        values = self.columns[column]
        assert values is not None
        return np.asarray(values < 0 if values.dtype.kind == "i" else values != values)


def _median(y: NDArray[np.float64], w: NDArray[np.float64]) -> float:
    """Return the weighted median; between two values, their mean."""
    order = np.argsort(y)
    ascending, reach = y[order], np.cumsum(w[order])
    half = reach[-1] / 2
    low = ascending[np.searchsorted(reach, half)]
    high = ascending[np.searchsorted(reach, half, side="right")]
    return float(low / 2 + high / 2)


def evaluate_split(rows: NodeRows, split: Split) -> Candidate:
    """Evaluate a split on the rows of a node.

    Parameters
    ----------
    rows : NodeRows
        The rows.
    split : Split
        Any split on one of their columns.

    Returns
    -------
    Candidate
    """
    taken, missing = _branches(rows, split), rows.missing(split.column)
    everywhere = isinstance(split, IsMissing)
    if rows.known_only and not everywhere:
        taken = np.where(missing, -1, taken)
    shows_missing = bool(missing.any()) and not rows.known_only
    branches = tuple(
        rows.branch(
            split.words(b, missing=shows_missing, most=6, longest=60),
            np.flatnonzero(taken == b),
        )
        for b in range(split.n_branches)
    )
    inside = np.flatnonzero(taken >= 0)
    before = rows.branch("", inside)
    known = before.weight / rows.weight if rows.weight else 0.0
    after = math.fsum(b.weight * b.impurity for b in branches) / (before.weight or 1.0)
    worth = max(before.impurity - after, 0.0) * known
    parts = [b.weight / rows.weight for b in branches if b.weight > 0]
    parts += [1 - known] * (rows.known_only and known < 1)
    information = -math.fsum(f * math.log2(f) for f in parts) + 0.0
    return Candidate(
        split.feature,
        split,
        split_text(split),
        branches,
        before.impurity,
        after,
        known,
        worth,
        information,
    )


def split_text(split: Split, missing: bool = False) -> str:
    """Return the condition of a split's first branch; for a multiway split its column.

    With `missing`, splits that differ only in the route of missing values get
    different texts.
    """
    if isinstance(split, Multiway):
        each = all(len(group) < 2 for group in split.branches)
        how = "one branch per value" if each else f"{split.n_branches} branches"
        return f"{wording.cut(wording.name(split.feature), 60)} ({how})"
    text = split.words(0, missing=missing, most=6, longest=60)
    known = missing and split.missing == 1 and not isinstance(split, IsMissing)
    return f"{text}, not missing" if known else text


def _branches(rows: NodeRows, split: Split) -> NDArray[np.int64]:
    """Return the branch of each row; negative for rows that stop or are divided."""
    values = rows.columns[split.column]
    assert values is not None
    missing = rows.missing(split.column)
    if isinstance(split, IsMissing):
        return np.where(missing, 0, 1)
    if isinstance(split, Threshold):
        with np.errstate(invalid="ignore"):
            taken = np.where(as_float64(values) <= split.threshold, 0, 1)
        return np.where(missing, split.missing, taken)
    labels = rows.schema.features[split.column].labels
    groups: tuple[tuple[Any, ...], ...] = getattr(split, "branches", ())
    by_label = {x: b for b, group in enumerate(groups) for x in group}
    table = np.array([*(by_label.get(x, split.missing) for x in labels), split.missing])
    return np.asarray(table[np.where(missing, len(labels), values)])


# Every candidate of a column --------------------------------------------------------


def every_candidate(rows: NodeRows, column: int, method: str) -> list[Split]:
    """Return all splits that a column offers, in the order that decides ties.

    Parameters
    ----------
    rows : NodeRows
        The rows.
    column : int
        Number of the column.
    method : str
        How the tree was grown: 'id3' and 'c45' divide categories one by one.

    Returns
    -------
    list of Split
        Thresholds ascending, each with missing values left and right, then "is
        missing"; or groupings of categories: first those that respect the order of
        the category means, then the others. Above 12 categories only the former.
    """
    feature = rows.schema.features[column]
    by_category = feature.kind == "categorical"
    if method == "id3" or (method == "c45" and by_category):
        split = multiway(rows, column)
        return [] if split is None else [split]
    return _groupings(rows, column) if by_category else _thresholds(rows, column)


def _split(rows: NodeRows, kind: int, column: int, **fields: Any) -> Split:
    common = {"threshold": math.nan, "categories": (), "branches": ()}
    common |= {"n_branches": 2, "gain": 0.0, "proven": True, "missing": 0}
    return make_split(rows.schema, kind, column, **{**common, **fields})


def _thresholds(rows: NodeRows, column: int) -> list[Split]:
    values, missing = rows.columns[column], rows.missing(column)
    assert values is not None
    known = np.unique(values[~missing].astype(np.float64) + 0.0).tolist()
    routes = [0, 1] if missing.any() and not rows.known_only else [-1]
    feature = rows.schema.features[column]
    step = cut_step(feature) if rows.whole_steps else 0.0
    local = rows.whole_steps and has_local_days(feature)
    found = []
    for a, b in pairwise(known):
        t = midpoint(a, b, step)
        if local:
            t = day_below(t, feature.timezone)
        if rows.readable:
            t = short_between(feature, a, b, t)
        for route in routes:
            found.append(
                _split(rows, THRESHOLD, column, threshold=t, missing=max(route, 0))
            )
    if known and missing.any() and not rows.known_only:
        found.append(_split(rows, IS_MISSING, column))
    return found


def shortened(rows: NodeRows, split: Split) -> Split:
    """Return the split with a short threshold, if the tree uses readable ones."""
    if not (rows.readable and isinstance(split, Threshold)):
        return split
    feature = rows.schema.features[split.column]
    values = rows.columns[split.column]
    if feature.kind != "numeric" or values is None:
        return split
    numbers = values.astype(np.float64)
    with np.errstate(invalid="ignore"):
        low = numbers[numbers <= split.threshold].max()
        high = numbers[numbers > split.threshold].min()
    at = short_between(feature, float(low), float(high), split.threshold)
    return _split(rows, THRESHOLD, split.column, threshold=at, missing=split.missing)


def _groupings(rows: NodeRows, column: int) -> list[Split]:
    values, missing = rows.columns[column], rows.missing(column)
    assert values is not None
    levels = np.unique(values[~missing]).tolist()
    if missing.any() and not rows.known_only:
        levels.append(-1)
    means = [
        float(np.average(rows.y[at], weights=rows.weights[at]))
        for level in levels
        for at in [missing if level < 0 else values == level]
    ]
    ordered = [levels[i] for i in sorted(range(len(levels)), key=lambda i: means[i])]
    k = len(ordered)
    masks = [(1 << n) - 1 for n in range(1, k)]
    if k <= MOST_LEVELS:
        masks += [m for m in range(1, 1 << max(k - 1, 0)) if m & (m + 1)]
    return [_grouping(rows, column, ordered, mask) for mask in masks]


def _grouping(rows: NodeRows, column: int, ordered: list[int], mask: int) -> Split:
    branch = {level: 1 - (mask >> i & 1) for i, level in enumerate(ordered)}
    codes = sorted(level for level in ordered if level >= 0)
    return _split(
        rows,
        SUBSET,
        column,
        categories=codes,
        branches=[branch[code] for code in codes],
        missing=branch.get(-1, 0),
    )


def multiway(rows: NodeRows, column: int) -> Split | None:
    """Return the split with one branch per category; None if only one is present."""
    values, missing = rows.columns[column], rows.missing(column)
    assert values is not None
    codes = np.unique(values[~missing]).tolist()
    apart = bool(missing.any()) and not rows.known_only
    n = len(codes) + apart
    if n < 2:
        return None
    return _split(
        rows,
        MULTIWAY,
        column,
        categories=codes,
        branches=list(range(len(codes))),
        n_branches=n,
        missing=len(codes) if apart else ALL_BRANCHES if rows.known_only else -1,
    )
