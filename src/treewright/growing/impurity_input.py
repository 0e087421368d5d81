"""Check the arguments of `impurity`, `gain` and `gain_ratio`.

Rows and counts are both turned into the weight of each class (or of each value of y)
in a set of rows.
"""

import math
from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np

from treewright.criteria import find
from treewright.errors import OptionError, TableError

__all__ = [
    "Weights",
    "branches_of_counts",
    "branches_of_rows",
    "checked_counts",
    "group_weights",
    "targets_of",
    "weigh",
]

# The weight that each class, or each value of y, has in a set of rows.
Weights = Mapping[Any, float]

_MISSING = object()  # the group of all rows whose group is missing


def targets_of(y: Any, criterion: str) -> list[Hashable]:
    """Return one checked target per row: numbers as floats, classes unchanged."""
    targets = _one_per_row("y", y)
    for row, value in enumerate(targets):
        if _is_missing(value):
            raise TableError(
                f"y is missing in row {row} (got {value!r}). Leave such rows out, or "
                "fill y in and give them weight 0."
            )
    if find(criterion).task == "number":
        return [
            _number(value, f"y in row {i}", criterion)
            for i, value in enumerate(targets)
        ]
    return targets


def _number(value: Any, where: str, criterion: str) -> float:
    """Read a finite number, which must not be negative for poisson."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    find(criterion).check_number(number, where, value)
    return number + 0.0  # -0.0 and 0.0 are one value


def weigh(
    targets: list[Hashable], weights: Any, criterion: str, name: str = "y"
) -> Weights:
    """Add up the weights of the rows that share a target."""
    summands: dict[Hashable, list[float]] = {}
    row_weights = _row_weights(weights, len(targets), name)
    for target, weight in zip(targets, row_weights, strict=True):
        if weight > 0:
            summands.setdefault(target, []).append(weight)
    if not summands:
        raise TableError(
            f"{criterion} of no rows is not defined: no row has a weight above 0."
        )
    return {target: math.fsum(each) for target, each in summands.items()}


def _row_weights(weights: Any, n_rows: int, name: str = "y") -> list[float]:
    if weights is None:
        return [1.0] * n_rows
    values = _one_per_row("sample_weight", weights)
    if len(values) != n_rows:
        raise TableError(
            f"sample_weight has {len(values)} entries and {name} has {n_rows} rows; "
            "they must have the same length."
        )
    return [
        _weight(value, f"sample_weight in row {i}") for i, value in enumerate(values)
    ]


def _weight(value: Any, where: str) -> float:
    try:
        weight = float(value)
    except (TypeError, ValueError):
        weight = math.nan
    if not (0 <= weight < math.inf):
        raise TableError(
            f"{where} is {value!r}; it must be a finite number >= 0 (0 leaves it out)."
        )
    return weight


def branches_of_counts(counts: Any, criterion: str, caller: str) -> list[Weights]:
    """Return the checked counts of each branch, for the same classes in each."""
    expected = (
        "counts must hold one sequence of class counts per branch, such as "
        "[[3, 4], [6, 1]]; got"
    )
    if isinstance(counts, str | Mapping) or not hasattr(counts, "__iter__"):
        raise TableError(f"{expected} {counts!r}.")
    each = list(counts)
    for place, branch in enumerate(each):
        if isinstance(branch, str) or not hasattr(branch, "__iter__"):
            raise TableError(f"{expected} {branch!r} for branch {place}.")
    if not each:
        raise TableError(f"{caller} needs the counts of at least one branch; got none.")
    lists = [list(branch) for branch in each if not isinstance(branch, Mapping)]
    lengths = sorted({len(branch) for branch in lists})
    if len(lengths) > 1:
        raise TableError(
            "counts must name the same classes in every branch; got branches of "
            f"{lengths[0]} and of {lengths[-1]} counts. Write 0 for a class that a "
            "branch does not have."
        )
    return [
        checked_counts(branch, criterion, f"counts[{place}]")
        for place, branch in enumerate(each)
    ]


def checked_counts(counts: Any, criterion: str, name: str = "counts") -> Weights:
    """Return counts by class (or by value of y), without counts of 0."""
    where = "the count of {!r}"
    if not isinstance(counts, Mapping):
        if find(criterion).task == "number":
            raise OptionError(
                f"{criterion} needs the values of y, which a list of counts does not "
                "contain. Pass the rows, or a mapping from value to count."
            )
        counts = dict(enumerate(_one_per_row(name, counts)))
        where = name + "[{}]"
    weights: dict[Any, float] = {}
    for key, value in counts.items():
        weight = _weight(value, where.format(key))
        if find(criterion).task == "number":
            key = _number(key, "a value of y", criterion)
        if weight > 0:
            weights[key] = weight
    if not weights:
        raise TableError(f"{criterion} of no rows is not defined: every count is 0.")
    return weights


def branches_of_rows(
    y: Any, groups: Any, criterion: str, weights: Any, caller: str
) -> list[Weights]:
    """Return the weight of each target in each group.

    The groups are in order of first appearance.
    """
    if y is None or groups is None:
        raise OptionError(
            f"{caller} needs y and groups (the branch of each row), or counts=; "
            f"{'y' if y is None else 'groups'} was not given."
        )
    targets, labels = targets_of(y, criterion), _one_per_row("groups", groups)
    if len(labels) != len(targets):
        raise TableError(
            f"groups has {len(labels)} entries and y has {len(targets)} rows; they "
            "must have the same length."
        )
    members: dict[Hashable, list[int]] = {}
    row_weights = _row_weights(weights, len(targets))
    for row, label in enumerate(labels):
        if row_weights[row] > 0:
            group = _MISSING if _is_missing(label) else label
            members.setdefault(group, []).append(row)
    if not members:
        raise TableError(
            f"{caller} of no rows is not defined: no row has a weight above 0."
        )
    return [
        weigh([targets[i] for i in rows], [row_weights[i] for i in rows], criterion)
        for rows in members.values()
    ]


def group_weights(groups: Any, weights: Any) -> Weights:
    """Return the weight of each group; rows whose group is missing are one group."""
    labels = _one_per_row("groups", groups)
    marked = [_MISSING if _is_missing(label) else label for label in labels]
    return weigh(marked, weights, "split_information", "groups")


def _one_per_row(name: str, values: Any) -> list[Any]:
    """Return one plain Python value per row."""
    if isinstance(values, str | bytes) or not hasattr(values, "__iter__"):
        raise TableError(
            f"{name} must be a sequence with one entry per row; got {values!r}."
        )
    if getattr(values, "ndim", 1) != 1:
        raise TableError(
            f"{name} must have one dimension; got shape {values.shape}. Pass one "
            "column at a time."
        )
    flat = values.tolist() if hasattr(values, "tolist") else list(values)
    for row, value in enumerate(flat):
        if not isinstance(value, Hashable):
            raise TableError(
                f"{name} must hold single values; row {row} holds {value!r}."
            )
    return flat


def _is_missing(value: Any) -> bool:
    differs = value != value  # true for NaN and NaT; not a bool for pandas.NA
    return value is None or not isinstance(differs, bool | np.bool_) or bool(differs)
