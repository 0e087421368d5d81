"""Dealing rows into folds: stratified, and independent of the order of the rows.

Rows are put into a canonical order (by target, then by a seeded hash of their values
and the rank of their weight) and dealt one by one. Equal rows are neighbours in that
order and can be exchanged, so it does not matter which of them came first. Equal rows
are not kept together: that would test every tree on kinds of rows it has never seen.
`groups` names rows that do belong together.
"""

from __future__ import annotations

import heapq
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.errors import OptionError, TableError
from treewright.table.table import ClassTarget, Table

__all__ = ["DEFAULT_FOLDS", "Fold", "check_groups", "deal", "held_out", "n_folds_for"]

DEFAULT_FOLDS = 10
FEWEST_ROWS = 10
_FEW_CLASSES = 2**15  # codes of 16 bits are sorted in one pass
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)


class Fold(NamedTuple):
    """The rows to test on, in canonical order, and how often each row is trained on."""

    test: NDArray[np.int64]
    train: NDArray[np.float64] | None
    """One factor per row of the table; None trains on all rows not tested on."""


def n_folds_for(
    n_rows: int, wanted: int | None, n_groups: int | None = None
) -> tuple[int, str]:
    """Return the number of folds, and a note if it is not the default.

    Parameters
    ----------
    n_rows : int
        Number of rows to deal.
    wanted : int or None
        The number of folds that the user set; None is the default, with fewer folds
        where there are few rows or groups.
    n_groups : int, optional
        Number of groups, if groups are dealt instead of rows.

    Returns
    -------
    n_folds : int
        0 for no cross-validation.
    note : str
        The reason for another number, or "".
    """
    n, dealt = (n_rows, "rows") if n_groups is None else (n_groups, "groups")
    if wanted is not None:
        if wanted > n:
            raise OptionError(
                f"cv must be at most the number of {dealt}, {n}; got {wanted}. Use "
                "fewer folds, or prune=None."
            )
        return wanted, ""
    if n_rows < FEWEST_ROWS:
        return 0, (
            f"not pruned: {n_rows} rows are too few to cross-validate "
            f"(fewer than {FEWEST_ROWS})"
        )
    if n_groups == 1:
        return 0, (
            "not pruned: all rows belong to one group, and rows of a group are never "
            "both trained on and tested"
        )
    folds = min(DEFAULT_FOLDS, n_rows // 2 if n_groups is None else n_groups)
    if folds == DEFAULT_FOLDS:
        return folds, ""
    return folds, f"{folds} folds instead of {DEFAULT_FOLDS}, for {n} {dealt}"


def deal(table: Table, n_folds: int, seed: int, groups: Any = None) -> list[Fold]:
    """Deal the rows of positive weight into folds.

    Parameters
    ----------
    table : Table
        Columns, target and weights.
    n_folds : int
        Number of folds, from 2 to the number of rows or of groups.
    seed : int
        The seed; another seed gives other folds.
    groups : int array, optional
        Group of each row; rows of one group share a fold.

    Returns
    -------
    list of Fold
    """
    order = _canonical_order(table, seed)
    if groups is None:
        fold_of = _dealt_singly(len(order), n_folds, seed)
    else:
        fold_of = _dealt_by_group(groups[order], n_folds)
    parts = np.argsort(fold_of, kind="stable")
    ends = np.cumsum(np.bincount(fold_of, minlength=n_folds))
    return [Fold(order[part], None) for part in np.split(parts, ends[:-1])]


def held_out(table: Table, share: float, seed: int) -> NDArray[np.int64]:
    """Return the rows to hold out for validation: about this share of each class."""
    order = _canonical_order(table, seed)
    n = len(order)
    # Hold out a row where rank x share passes a whole number: evenly over the target.
    rank = np.arange(n + 1) * share + _unit(seed)
    chosen = np.floor(rank[1:]) > np.floor(rank[:-1])
    if isinstance(table.target, ClassTarget):
        chosen &= ~_single_of_class(table.target.codes[order])
    return np.asarray(order[chosen])


def check_groups(groups: Any, n_rows: int) -> NDArray[np.int64]:
    """Return the number of each row's group; refuse groups that are not valid."""
    array = np.asarray(groups)
    if array.ndim != 1 or len(array) != n_rows:
        raise TableError(
            f"groups must name one group per row, {n_rows} in all; got an array of "
            f"shape {array.shape}."
        )
    missing = _missing(array)
    if missing.any():
        row = int(np.argmax(missing))
        raise TableError(
            f"groups is missing in row {row}: {array[row]!r}. Rows without a group "
            "would all form one group; name a group for each, or leave these rows out."
        )
    try:
        return np.unique(array, return_inverse=True)[1].astype(np.int64)
    except TypeError:
        number: dict[Any, int] = {}
        return np.array([number.setdefault(g, len(number)) for g in array.tolist()])


def _missing(array: NDArray[Any]) -> NDArray[np.bool_]:
    """Return where the values are None, or not equal to themselves: NaN, NaT, NA."""
    if array.dtype.kind != "O":
        return np.asarray(array != array)

    def is_missing(value: Any) -> bool:
        try:
            return value is None or bool(value != value)
        except TypeError:  # comparing pandas.NA gives no truth value
            return True

    return np.array([is_missing(value) for value in array.tolist()], dtype=bool)


def _canonical_order(table: Table, seed: int) -> NDArray[np.int64]:
    """Return the rows of positive weight by target, then by a hash of their values."""
    arrays = [table.columns[i].data for i in table.usable]
    kinds = [table.schema.features[i].kind_code for i in table.usable]
    ranks = _weight_ranks(table)
    if ranks is not None:
        arrays, kinds = [*arrays, ranks], [*kinds, 0]
    hashes: NDArray[np.uint64] = np.asarray(
        _core.hash_rows(arrays, kinds, table.n_rows, seed)
    )
    target = table.target
    assert target is not None
    y: NDArray[Any]
    if isinstance(target, ClassTarget):
        few = len(target.classes) < _FEW_CLASSES
        y = target.codes.astype(np.int16) if few else target.codes
    else:
        y = target.values
    # Sorting by hash, then stably by target, equals sorting by both, and is faster.
    order = np.argsort(hashes)
    order = order[np.argsort(y[order], kind="stable")]
    if table.weights is not None:
        order = order[table.weights[order] > 0]
    return order


def _weight_ranks(table: Table) -> NDArray[np.float64] | None:
    """Return the ranks of the weights in each class; None if no class has two weights.

    Ranks replace the weights themselves, so that the folds do not depend on the unit
    of the weights, on class weights, or on a last bit that costs and priors change.
    """
    weights, target = table.weights, table.target
    if weights is None:
        return None
    order = np.flatnonzero(weights > 0)
    if isinstance(target, ClassTarget):
        order = order[np.lexsort((weights[order], target.codes[order]))]
        codes = target.codes[order]
        same_class = codes[1:] == codes[:-1]
    else:
        order = order[np.argsort(weights[order])]
        same_class = np.ones(len(order) - 1, dtype=bool)
    larger = same_class & (np.diff(weights[order]) > 0)
    if not larger.any():
        return None
    ranks = np.zeros(len(weights))
    ranks[order[1:]] = np.cumsum(larger)
    return ranks


def _dealt_singly(n: int, n_folds: int, seed: int) -> NDArray[np.int64]:
    """Deal in rounds: each round gives one row to every fold, in a shuffled order."""
    n_rounds = -(-n // n_folds)
    places = np.arange(n_rounds * n_folds, dtype=np.uint64)
    with np.errstate(over="ignore"):
        start = np.uint64(seed % 2**63) * _GOLDEN
    shuffled = _mixed(places + start)
    fold_of = np.argsort(shuffled.reshape(n_rounds, n_folds), axis=1).ravel()[:n]
    return fold_of


def _dealt_by_group(groups: NDArray[np.int64], n_folds: int) -> NDArray[np.int64]:
    """Give the largest remaining group to the fold with the fewest rows, repeatedly.

    `groups` are in canonical order, so the first row of a group decides ties in size.
    """
    _, first, number, size = np.unique(
        groups, return_index=True, return_inverse=True, return_counts=True
    )
    fold_of_group = np.empty(len(first), dtype=np.int64)
    lightest = [(0, fold) for fold in range(n_folds)]
    for group in np.lexsort((first, -size)).tolist():
        rows, fold = lightest[0]
        fold_of_group[group] = fold
        heapq.heapreplace(lightest, (rows + int(size[group]), fold))
    return np.asarray(fold_of_group[number])


def _mixed(x: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Mix the bits, as core/include/treewright/types.hpp does."""
    with np.errstate(over="ignore"):
        x = x + _GOLDEN
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return np.asarray(x ^ (x >> np.uint64(31)))


def _unit(seed: int) -> float:
    """Return a number in [0, 1) that depends only on the seed."""
    mixed = _mixed(np.array([seed % 2**63], dtype=np.uint64))
    return float(mixed[0] >> np.uint64(11)) / 2.0**53


def _single_of_class(codes: NDArray[np.int32]) -> NDArray[np.bool_]:
    return np.asarray(np.bincount(codes)[codes] == 1)
