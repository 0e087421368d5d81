"""How mixed is a set of rows, and how much less mixed do its branches leave it.

`impurity`, `gain` and `gain_ratio` are written to be read and to be checked by hand:
plain Python, any number of branches, weights. The grower has its own fast versions
and is tested against these.

====================  ==========================================================
gini                  1 - Σ p², p the share of each class; 0 to 1 - 1/classes
entropy, log_loss     -Σ p log₂ p, in bits, with 0 log 0 = 0
misclassification     1 - max p
squared_error         weighted mean of (y - mean)²
absolute_error        weighted mean of |y - median|
poisson               weighted mean of y ln(y / mean), half the mean deviance
====================  ==========================================================

To add a criterion: write its function below and name it in one of the tables.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import accumulate
from typing import Any

import numpy as np

from treewright.errors import OptionError
from treewright.growing.given import (
    Weights,
    branches_of_counts,
    branches_of_rows,
    checked_counts,
    group_weights,
    targets_of,
    weigh,
)
from treewright.options import criterion_hint

__all__ = ["gain", "gain_ratio", "impurity", "split_information"]


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
        The target of each row; or a mapping from class (for numbers: from value
        of y) to its count or weight.
    criterion : str, default="gini"
        ``"gini"``, ``"entropy"`` (alias ``"log_loss"``),
        ``"misclassification"``, ``"squared_error"``, ``"absolute_error"`` or
        ``"poisson"``.
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
        return measure(weigh(targets_of(y, criterion), sample_weight, criterion))
    if sample_weight is not None:
        raise OptionError(
            "sample_weight goes with rows, and these are counts. Put the weights "
            "into the counts, or pass the rows as y."
        )
    return measure(checked_counts(y if counts is None else counts, criterion))


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
    return _gain(
        _branches("gain", y, groups, criterion, sample_weight, counts), criterion
    )


def gain_ratio(
    y: Sequence[Any] | np.ndarray | None = None,
    groups: Sequence[Any] | np.ndarray | None = None,
    sample_weight: Sequence[float] | np.ndarray | None = None,
    *,
    counts: Iterable[Sequence[float] | Weights] | None = None,
) -> float:
    """Information gain as a share of the entropy of the groups themselves.

    Many small groups have a large gain for that alone; the ratio sets it against
    their `split_information`.

    Parameters
    ----------
    y, groups, sample_weight, counts
        As in `gain`.

    Returns
    -------
    float
        The gain in bits over the split information; 0 for a single group.

    Examples
    --------
    Outlook in the 14 days of weather.

    >>> round(gain_ratio(counts=[[4, 0], [3, 2], [2, 3]]), 4)
    0.1564
    """
    branches = _branches("gain_ratio", y, groups, "entropy", sample_weight, counts)
    sizes = {i: math.fsum(b.values()) for i, b in enumerate(branches)}
    own = _entropy(sizes)
    return _gain(branches, "entropy") / own if own > 0 else 0.0


def split_information(
    groups: Sequence[Any] | np.ndarray | None = None,
    sample_weight: Sequence[float] | np.ndarray | None = None,
    *,
    counts: Sequence[float] | np.ndarray | Weights | None = None,
) -> float:
    """Entropy of the groups, whatever the target, in bits.

    Parameters
    ----------
    groups : sequence, optional
        The branch each row takes. Rows whose group is missing form one branch
        together.
    sample_weight : sequence of float, optional
        Weight of each row; 0 leaves the row out.
    counts : sequence or mapping, optional
        In place of `groups`: the rows, or the weight, of each branch.

    Returns
    -------
    float
        0 for a single group; log₂ k for k groups of one size.

    Examples
    --------
    >>> split_information(["a", "a", "b", "b"])
    1.0
    >>> round(split_information(counts=[4, 5, 5]), 4)
    1.5774
    """
    if (groups is None) == (counts is None):
        raise OptionError(
            "split_information needs either groups (the branch of each row) or "
            f"counts= (the rows of each branch); got "
            f"{'neither' if groups is None else 'both'}."
        )
    if counts is not None and sample_weight is not None:
        raise OptionError(
            "sample_weight goes with rows, and these are counts. Put the weights "
            "into the counts, or pass the rows as groups."
        )
    if counts is not None:
        return _entropy(checked_counts(counts, "entropy"))
    return _entropy(group_weights(groups, sample_weight))


def _branches(
    caller: str, y: Any, groups: Any, criterion: str, weights: Any, counts: Any
) -> list[Weights]:
    """Weights by target of each branch, from rows or from counts."""
    _criterion(criterion)
    if counts is None:
        return branches_of_rows(y, groups, criterion, weights, caller)
    if y is not None or groups is not None or weights is not None:
        raise OptionError(
            f"{caller} takes either counts=, or y with groups (and sample_weight); "
            "got both."
        )
    return branches_of_counts(counts, criterion, caller)


def _gain(branches: list[Weights], criterion: str) -> float:
    measure = _criterion(criterion)
    whole = _together(branches)
    total = math.fsum(whole.values())
    after = [math.fsum(b.values()) / total * measure(b) for b in branches]
    return max(0.0, measure(whole) - math.fsum(after))


def _together(branches: list[Weights]) -> Weights:
    summands: dict[Any, list[float]] = {}
    for branch in branches:
        for target, weight in branch.items():
            summands.setdefault(target, []).append(weight)
    return {target: math.fsum(each) for target, each in summands.items()}


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


def _absolute_error(weights: Weights) -> float:
    total = math.fsum(weights.values())
    scaled, exponent = _scaled(weights)
    scaled.sort()
    reached = accumulate(w for _, w in scaled)
    # Any median will do: the mean distance from all of them is the same.
    at = next((i for i, w in enumerate(reached) if w >= total / 2), -1)
    far = [w / total * abs(y - scaled[at][0]) for y, w in scaled]
    return _unscaled(math.fsum(far), exponent)


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
    "absolute_error": _absolute_error,
    "poisson": _poisson,
}


def _shares(weights: Weights) -> list[float]:
    total = math.fsum(weights.values())
    return [w / total for w in weights.values()]


def _criterion(name: str) -> Callable[[Weights], float]:
    known = _OF_CLASSES | _OF_NUMBERS
    if not isinstance(name, str) or name not in known:
        names = ", ".join(repr(each) for each in known)
        hint = criterion_hint(name, known)
        raise OptionError(f"criterion must be one of {names}; got {name!r}.{hint}")
    return known[name]
