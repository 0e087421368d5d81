"""Folds that the caller gives: a splitter of scikit-learn, or pairs of row numbers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import OptionError
from treewright.pruning.folds import Fold

__all__ = ["folds_of_pairs", "folds_of_splitter"]


def folds_of_splitter(
    splitter: Any, X: Any, y: Any, groups: Any, n_rows: int
) -> list[Fold]:
    """Let a splitter divide the rows.

    Parameters
    ----------
    splitter : object
        With `split(X, y, groups)`.
    X, y : object
        As the caller gave them; X may be None.
    groups : object
        As the caller gave them, or None.
    n_rows : int
        Rows of the table.

    Returns
    -------
    list of Fold
    """
    X = np.zeros((n_rows, 1)) if X is None else X
    try:
        pairs = list(splitter.split(X, y, groups))
    except (TypeError, ValueError) as problem:
        if groups is None and "group" in str(problem).lower():
            raise OptionError(
                f"cv={splitter!r} divides the rows by groups, and none were given. "
                "Pass fit(X, y, groups=...), one name per row."
            ) from problem
        raise
    return folds_of_pairs(pairs, n_rows)


def folds_of_pairs(pairs: Iterable[Any], n_rows: int) -> list[Fold]:
    """Return folds from pairs (train, test) of row numbers or masks.

    Parameters
    ----------
    pairs : iterable of pairs
        A row may be trained on in any number of folds, and twice in one. It is tested
        in one fold at most: a row that is tested twice would count as two rows, and
        the standard error would come out too small.
    n_rows : int
        Rows of the table.

    Returns
    -------
    list of Fold
    """
    folds = [_fold(pair, n_rows) for pair in pairs]
    if not folds:
        raise OptionError("cv is an empty list of folds. Give one or more.")
    _check_tested_once(folds, n_rows)
    return folds


def _fold(pair: Any, n_rows: int) -> Fold:
    try:
        train, test = (np.asarray(part) for part in pair)
    except (TypeError, ValueError):
        train = test = np.zeros(0)
    rows = [_row_numbers(part, pair, n_rows) for part in (train, test)]
    times = np.bincount(rows[0], minlength=n_rows).astype(np.float64)
    return Fold(rows[1], times)


def _row_numbers(part: NDArray[Any], pair: Any, n_rows: int) -> NDArray[np.int64]:
    rows = np.flatnonzero(part) if part.dtype == np.bool_ else part
    if rows.ndim != 1 or rows.dtype.kind not in "iu" or not len(rows):
        raise OptionError(
            "cv must list pairs (train, test), each an array of row numbers that "
            f"is not empty; got {pair!r:.80}."
        )
    if rows.min() < 0 or rows.max() >= n_rows:
        wrong = int(rows.min() if rows.min() < 0 else rows.max())
        raise OptionError(
            f"cv names row {wrong}, but the table has rows 0 to {n_rows - 1}."
        )
    return rows.astype(np.int64)


def _check_tested_once(folds: list[Fold], n_rows: int) -> None:
    fold_of = np.full(n_rows, -1)
    for number, fold in enumerate(folds):
        assert fold.train is not None
        both = fold.test[fold.train[fold.test] > 0]
        if len(both):
            raise OptionError(
                f"Fold {number} of cv trains on row {int(both[0])}, which it tests. "
                "Leave the rows to test out of training."
            )
        twice = fold.test[np.bincount(fold.test)[fold.test] > 1]
        again = fold.test[fold_of[fold.test] >= 0]
        if len(twice) or len(again):
            row = int(twice[0] if len(twice) else again[0])
            other = number if len(twice) else fold_of[row]
            raise OptionError(
                f"cv tests row {row} twice, in folds {other} and {number}. Give folds "
                "whose test rows do not overlap, such as KFold's."
            )
        fold_of[fold.test] = number
