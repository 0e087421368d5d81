"""How mixed is a set of rows, and how much less mixed do its branches leave it.

`impurity` and `gain` are written to be read and to be checked by hand: plain
Python, any number of branches, weights. The grower has its own fast versions
and is tested against these.

====================  ==========================================================
gini                  1 - Σ p², p the share of each class; 0 to 1 - 1/classes
entropy, log_loss     -Σ p log₂ p, in bits, with 0 log 0 = 0
misclassification     1 - max p
squared_error         weighted mean of (y - mean)²
poisson               weighted mean of y ln(y / mean), half the mean deviance
====================  ==========================================================

To add a criterion: write its function below and name it in one of the tables.
"""

import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from treewright.errors import OptionError, TableError
from treewright.options import criterion_hint

__all__ = ["gain", "impurity"]

# The weight that each class, or each value of y, has in a set of rows.
Weights = Mapping[Any, float]

_MISSING = object()  # the one group of all rows whose group is missing


def impurity(
    y: Sequence[Any] | np.ndarray | Weights | None = None,
    criterion: str = "gini",
    sample_weight: Sequence[float] | np.ndarray | None = None,
    *,
    counts: Sequence[float] | np.ndarray | Weights | None = None,
) -> float:
    """Impurity of one set of rows.

    A plain sequence is always the rows themselves, one class or number a row,
    so ``impurity([9, 5])`` is two rows of two classes. Counts are given as a
    mapping from class to count, or by name with ``counts=``.

    Parameters
    ----------
    y : sequence or mapping, optional
        The target of each row; or a mapping from class (for ``squared_error``
        and ``poisson``: from value of y) to its count or weight.
    criterion : str, default="gini"
        ``"gini"``, ``"entropy"`` (alias ``"log_loss"``),
        ``"misclassification"``, ``"squared_error"`` or ``"poisson"``.
    sample_weight : sequence of float, optional
        Weight of each row; 0 leaves the row out. Not with counts.
    counts : sequence or mapping, optional
        Count of each class, in place of `y`.

    Returns
    -------
    float
        0 when every row has the same target.

    Examples
    --------
    >>> round(impurity(counts=[9, 5], criterion="entropy"), 4)
    0.9403
    >>> impurity(["yes", "yes", "no", "no"], "gini")
    0.5
    >>> impurity([1.0, 2.0, 3.0, 6.0], "squared_error")
    3.5
    """
    measure = _criterion(criterion)
    if (y is None) == (counts is None):
        raise OptionError(
            "impurity needs either y (one target a row) or counts= (one count a "
            f"class); got {'neither' if y is None else 'both'}."
        )
    if counts is None and not isinstance(y, Mapping):
        return measure(_weigh(_targets(y, criterion), sample_weight, criterion))
    if sample_weight is not None:
        raise OptionError(
            "sample_weight goes with rows, and these are counts. Put the weights "
            "into the counts, or pass the rows as y."
        )
    return measure(_checked_counts(y if counts is None else counts, criterion))


def gain(
    y: Sequence[Any] | np.ndarray | None = None,
    groups: Sequence[Any] | np.ndarray | None = None,
    criterion: str = "gini",
    sample_weight: Sequence[float] | np.ndarray | None = None,
    *,
    counts: Iterable[Sequence[float] | Weights] | None = None,
) -> float:
    """How much purer the rows become when they are divided into groups.

    The impurity of all rows minus the mean impurity of the groups, each group
    weighted by its share of the rows. With entropy this is the information
    gain. Any number of groups; never below 0.

    Parameters
    ----------
    y : sequence, optional
        The target of each row.
    groups : sequence, optional
        The branch each row takes: any labels, as many different ones as there
        are branches. Rows whose group is missing form one branch together.
    criterion : str, default="gini"
        As in `impurity`.
    sample_weight : sequence of float, optional
        Weight of each row; 0 leaves the row out.
    counts : sequence of counts, optional
        In place of `y` and `groups`: the counts of the classes in each branch,
        the classes in the same order everywhere (or mappings from class to
        count).

    Returns
    -------
    float
        Impurity before minus impurity after.

    Examples
    --------
    Humidity in the 14 days of weather: 3 of 7 play when it is high, 6 of 7 when
    it is normal.

    >>> round(gain(counts=[[3, 4], [6, 1]], criterion="entropy"), 4)
    0.1518
    >>> gain([0, 0, 1, 1], ["left", "left", "right", "right"], "gini")
    0.5
    """
    measure = _criterion(criterion)
    if counts is not None:
        if y is not None or groups is not None or sample_weight is not None:
            raise OptionError(
                "gain takes either counts=, or y with groups (and sample_weight); "
                "got both."
            )
        branches = _branches_of_counts(counts, criterion)
    else:
        branches = _branches(y, groups, criterion, sample_weight)
    whole = _together(branches)
    total = math.fsum(whole.values())
    after = [math.fsum(b.values()) / total * measure(b) for b in branches]
    return max(0.0, measure(whole) - math.fsum(after))


# The criteria -------------------------------------------------------------------


def _gini(weights: Weights) -> float:
    return 1.0 - math.fsum(p * p for p in _shares(weights))


def _entropy(weights: Weights) -> float:
    # + 0.0 so that a pure set reads 0.0 and not -0.0.
    return -math.fsum(p * math.log2(p) for p in _shares(weights)) + 0.0


def _misclassification(weights: Weights) -> float:
    return 1.0 - max(_shares(weights))


def _squared_error(weights: Weights) -> float:
    total = math.fsum(weights.values())
    scaled, exponent = _scaled(weights)
    # Counted from one of the values, so that a constant target has exactly 0.
    origin = scaled[0][0]
    mean = math.fsum(w / total * (y - origin) for y, w in scaled)
    squares = [w / total * (y - origin - mean) ** 2 for y, w in scaled]
    return _unscaled(math.fsum(squares), 2 * exponent)


def _poisson(weights: Weights) -> float:
    total = math.fsum(weights.values())
    scaled, exponent = _scaled(weights)
    if len(scaled) == 1:
        return 0.0
    mean = math.fsum(w / total * y for y, w in scaled)
    terms = [w / total * _half_deviance(y, mean) for y, w in scaled]
    return _unscaled(math.fsum(terms), exponent)


def _half_deviance(y: float, mean: float) -> float:
    # The y - mean add up to 0; taken off each term they keep it from cancelling.
    if y > mean / 2:
        return y * math.log1p((y - mean) / mean) - (y - mean)
    return (y * math.log(y / mean) if y > 0 else 0.0) - (y - mean)


def _scaled(weights: Weights) -> tuple[list[tuple[float, float]], int]:
    """Divide y by a power of two that brings it into [-1, 1]: squares stay finite."""
    exponent = math.frexp(max(abs(y) for y in weights))[1]
    return [(math.ldexp(y, -exponent), w) for y, w in weights.items()], exponent


def _unscaled(value: float, exponent: int) -> float:
    try:
        return math.ldexp(value, exponent)
    except OverflowError:  # the variance of numbers near 1e300 is beyond floats
        return math.inf


_OF_CLASSES: dict[str, Callable[[Weights], float]] = {
    "gini": _gini,
    "entropy": _entropy,
    "log_loss": _entropy,
    "misclassification": _misclassification,
}
_OF_NUMBERS: dict[str, Callable[[Weights], float]] = {
    "squared_error": _squared_error,
    "poisson": _poisson,
}


def _shares(weights: Weights) -> list[float]:
    total = math.fsum(weights.values())
    return [w / total for w in weights.values()]


# What the caller may pass ----------------------------------------------------------


def _criterion(name: str) -> Callable[[Weights], float]:
    known = _OF_CLASSES | _OF_NUMBERS
    if not isinstance(name, str) or name not in known:
        names = ", ".join(repr(each) for each in known)
        hint = criterion_hint(name, known)
        raise OptionError(f"criterion must be one of {names}; got {name!r}.{hint}")
    return known[name]


def _targets(y: Any, criterion: str) -> list[Hashable]:
    """One checked target a row: numbers as floats, classes as they are."""
    targets = _one_a_row("y", y)
    for row, value in enumerate(targets):
        if _is_missing(value):
            raise TableError(
                f"y is missing in row {row} (got {value!r}). Leave such rows out, or "
                "give them weight 0 after filling them in."
            )
    if criterion in _OF_NUMBERS:
        return [
            _number(value, f"y in row {i}", criterion)
            for i, value in enumerate(targets)
        ]
    return targets


def _number(value: Any, where: str, criterion: str) -> float:
    """Read a finite number, not negative for poisson."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise TableError(
            f"{criterion} needs finite numbers; {where} is {value!r}. For classes use "
            "gini, entropy or misclassification."
        )
    if criterion == "poisson" and number < 0:
        raise TableError(
            f"poisson needs y >= 0; {where} is {value!r}. Use squared_error for "
            "targets that may be negative."
        )
    return number + 0.0  # -0.0 and 0.0 are one value


def _weigh(targets: list[Hashable], weights: Any, criterion: str) -> Weights:
    """Add up the weights of the rows that share a target."""
    summands: dict[Hashable, list[float]] = {}
    for target, weight in zip(
        targets, _row_weights(weights, len(targets)), strict=True
    ):
        if weight > 0:
            summands.setdefault(target, []).append(weight)
    if not summands:
        raise TableError(
            f"{criterion} of nothing is not defined: there is no row of weight above 0."
        )
    return {target: math.fsum(each) for target, each in summands.items()}


def _row_weights(weights: Any, n_rows: int) -> list[float]:
    if weights is None:
        return [1.0] * n_rows
    given = _one_a_row("sample_weight", weights)
    if len(given) != n_rows:
        raise TableError(
            f"sample_weight has {len(given)} entries and y has {n_rows} rows; they "
            "must be as many."
        )
    return [
        _weight(value, f"sample_weight in row {i}") for i, value in enumerate(given)
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


def _branches_of_counts(counts: Any, criterion: str) -> list[Weights]:
    """Return the checked counts of each branch, the same classes in all."""
    wanted = (
        "counts must hold one sequence of class counts per branch, such as "
        "[[3, 4], [6, 1]]; got"
    )
    if isinstance(counts, str | Mapping) or not hasattr(counts, "__iter__"):
        raise TableError(f"{wanted} {counts!r}.")
    each = list(counts)
    for place, branch in enumerate(each):
        if isinstance(branch, str) or not hasattr(branch, "__iter__"):
            raise TableError(f"{wanted} {branch!r} for branch {place}.")
    if not each:
        raise TableError("gain needs the counts of at least one branch; got none.")
    lists = [list(branch) for branch in each if not isinstance(branch, Mapping)]
    lengths = sorted({len(branch) for branch in lists})
    if len(lengths) > 1:
        raise TableError(
            "counts must name the same classes in every branch; got branches of "
            f"{lengths[0]} and of {lengths[-1]} counts. Write 0 for a class that a "
            "branch does not have."
        )
    return [
        _checked_counts(branch, criterion, f"counts[{place}]")
        for place, branch in enumerate(each)
    ]


def _checked_counts(counts: Any, criterion: str, name: str = "counts") -> Weights:
    """Return counts by class (or by value of y), those of 0 left out."""
    where = "the count of {!r}"
    if not isinstance(counts, Mapping):
        if criterion in _OF_NUMBERS:
            raise OptionError(
                f"{criterion} needs the values of y, which a list of counts does not "
                "tell. Pass the rows, or a mapping from value to count."
            )
        counts = dict(enumerate(_one_a_row(name, counts)))
        where = name + "[{}]"
    found: dict[Any, float] = {}
    for key, value in counts.items():
        weight = _weight(value, where.format(key))
        if criterion in _OF_NUMBERS:
            key = _number(key, "a value of y", criterion)
        if weight > 0:
            found[key] = weight
    if not found:
        raise TableError(f"{criterion} of nothing is not defined: every count is 0.")
    return found


def _branches(y: Any, groups: Any, criterion: str, weights: Any) -> list[Weights]:
    """Weights by target of each group, groups in order of first appearance."""
    if y is None or groups is None:
        raise OptionError(
            "gain needs y and groups (the branch of each row), or counts=; "
            f"{'y' if y is None else 'groups'} was not given."
        )
    targets, labels = _targets(y, criterion), _one_a_row("groups", groups)
    if len(labels) != len(targets):
        raise TableError(
            f"groups has {len(labels)} entries and y has {len(targets)} rows; they "
            "must be as many."
        )
    members: dict[Hashable, list[int]] = {}
    row_weights = _row_weights(weights, len(targets))
    for row, label in enumerate(labels):
        if row_weights[row] > 0:
            group = _MISSING if _is_missing(label) else label
            members.setdefault(group, []).append(row)
    if not members:
        raise TableError("gain of nothing is not defined: no row of weight above 0.")
    return [
        _weigh([targets[i] for i in rows], [row_weights[i] for i in rows], criterion)
        for rows in members.values()
    ]


def _together(branches: list[Weights]) -> Weights:
    summands: dict[Any, list[float]] = {}
    for branch in branches:
        for target, weight in branch.items():
            summands.setdefault(target, []).append(weight)
    return {target: math.fsum(each) for target, each in summands.items()}


def _one_a_row(name: str, values: Any) -> list[Any]:
    """Return a flat list of plain Python values."""
    if isinstance(values, str | bytes) or not hasattr(values, "__iter__"):
        raise TableError(
            f"{name} must be a sequence with one entry a row; got {values!r}."
        )
    if getattr(values, "ndim", 1) != 1:
        raise TableError(
            f"{name} must have one dimension; got the shape {values.shape}. Pass one "
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
