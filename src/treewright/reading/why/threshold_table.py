"""All thresholds of one column at once: running sums instead of one pass each."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from treewright.criteria import ClassCriterion, NumberCriterion
from treewright.reading.why.candidates import Branch, Candidate, NodeRows
from treewright.tree.split import Split, Threshold

__all__ = ["can_sweep", "evaluate_thresholds"]

_FEWEST = 200


Sums: TypeAlias = NDArray[np.float64]
"""One row per set of rows: their number, their weight, and sums for the impurity."""


def can_sweep(rows: NodeRows, splits: Sequence[Split]) -> bool:
    """Whether there are many thresholds, and sums determine the impurity."""
    many = sum(isinstance(each, Threshold) for each in splits) > _FEWEST
    adds_up = rows.n_classes > 0 or getattr(rows.criterion, "is_bregman", False)
    return many and adds_up and not rows.known_only


def evaluate_thresholds(rows: NodeRows, splits: Sequence[Threshold]) -> list[Candidate]:
    """Evaluate thresholds of one column, ascending, with running sums.

    Parameters
    ----------
    rows : NodeRows
        The rows of the node.
    splits : list of Threshold
        Splits of one column, each with missing values left or right.

    Returns
    -------
    list of Candidate
        The same as from `evaluate_split`, up to rounding.
    """
    column = splits[0].column
    values, missing = rows.columns[column], rows.missing(column)
    assert values is not None
    order = np.argsort(values[~missing], kind="stable")
    known = np.flatnonzero(~missing)[order]
    cuts = np.array([each.threshold for each in splits])
    place = np.searchsorted(values[known].astype(np.float64), cuts, side="right")
    centre = 0.0 if rows.n_classes else float(rows.y.mean())
    running = _running(rows, known, centre)
    gone = _running(rows, np.flatnonzero(missing), centre)[-1]
    goes_left = np.array([each.missing == 0 for each in splits])[:, None]
    left = running[place] + np.where(goes_left, gone, 0.0)
    whole = running[-1:] + gone
    right = whole - left
    before = float(_impurities(rows, whole, centre)[0])
    sides = [(side, _impurities(rows, side, centre)) for side in (left, right)]
    shows_missing = bool(missing.any())
    candidates = []
    for i, split in enumerate(splits):
        branches = tuple(
            _branch(rows, split.words(b, missing=shows_missing), side, mixed, i, centre)
            for b, (side, mixed) in enumerate(sides)
        )
        candidates.append(_candidate(split, branches, before))
    return candidates


def _running(rows: NodeRows, index: NDArray[np.int64], centre: float) -> Sums:
    """Return the sums over the first 0, 1, 2, ... of some rows."""
    y, w = rows.y[index], rows.weights[index]
    n_parts = rows.n_classes or 3
    each = np.zeros((len(y) + 1, 2 + n_parts))
    each[1:, 0], each[1:, 1] = 1.0, w
    if rows.n_classes:
        each[np.arange(len(y)) + 1, y + 2] = w
    else:
        off = y - centre
        assert isinstance(rows.criterion, NumberCriterion)
        losses = rows.criterion.loss(y, np.full(len(y), centre))
        each[1:, 2:] = np.stack([w * off, w * off * off, w * losses], axis=1)
    return np.cumsum(each, axis=0)


def _impurities(rows: NodeRows, sums: Sums, centre: float) -> NDArray[np.float64]:
    weight = np.where(sums[:, 1] > 0, sums[:, 1], 1.0)
    shares = sums[:, 2:] / weight[:, None]
    criterion = rows.criterion
    if isinstance(criterion, ClassCriterion):
        return criterion.of_shares(shares)
    assert isinstance(criterion, NumberCriterion)
    # Σ loss(y, centre) = Σ loss(y, mean) + W loss(mean, centre): see `is_bregman`.
    about = criterion.loss(centre + shares[:, 0], np.full(len(shares), centre))
    return np.maximum(shares[:, 2] - about, 0.0)


def _branch(
    rows: NodeRows,
    words: str,
    sums: Sums,
    mixed: NDArray[np.float64],
    i: int,
    centre: float,
) -> Branch:
    impurity, (n, weight, *parts) = float(mixed[i]), sums[i].tolist()
    if rows.n_classes:
        return Branch(words, int(n), n, weight, tuple(parts), None, None, impurity)
    rss = max(parts[1] - parts[0] ** 2 / weight, 0.0)
    mean = centre + parts[0] / weight
    return Branch(words, int(n), n, weight, (), mean, rss, impurity)


def _candidate(split: Split, branches: tuple[Branch, ...], before: float) -> Candidate:
    total = math.fsum(b.weight for b in branches)
    parts = [b.weight / total for b in branches]
    after = math.fsum(p * b.impurity for p, b in zip(parts, branches, strict=True))
    worth = max(before - after, 0.0)
    information = -math.fsum(p * math.log2(p) for p in parts if p > 0) + 0.0
    return Candidate(
        split.feature,
        split,
        split.words(0),
        branches,
        before,
        after,
        1.0,
        worth,
        information,
    )
