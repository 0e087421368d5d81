"""The impurity of a set of rows, and how much a split reduces it.

`impurity`, `gain` and `gain_ratio` are meant to be read and checked by hand. They are
plain Python and take weights and any number of branches. The grower has its own fast
versions and is tested against these.

====================  ==========================================================
gini                  1 - Σ p², p the share of each class; 0 to 1 - 1/classes
entropy, log_loss     -Σ p log₂ p, in bits, with 0 log 0 = 0
misclassification     1 - max p
squared_error         weighted mean of (y - mean)²
absolute_error        weighted mean of |y - median|
poisson               weighted mean of y ln(y / mean), half the mean deviance
====================  ==========================================================

The formulas are those of `treewright.criteria`.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from treewright.criteria import find
from treewright.errors import OptionError
from treewright.growing.impurity_input import (
    Weights,
    branches_of_counts,
    branches_of_rows,
    checked_counts,
    group_weights,
    targets_of,
    weigh,
)

__all__ = ["gain", "gain_ratio", "impurity", "split_information"]


def impurity(
    y: Sequence[Any] | np.ndarray | Weights | None = None,
    criterion: str = "gini",
    sample_weight: Sequence[float] | np.ndarray | None = None,
    *,
    counts: Sequence[float] | np.ndarray | Weights | None = None,
) -> float:
    """Return the impurity of one set of rows.

    A plain sequence always holds the rows themselves, one class or number per row,
    so ``impurity([9, 5])`` is two rows of two classes. Pass counts as a mapping
    from class to count, or with ``counts=``.

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
        Weight of each row; 0 leaves the row out. Cannot be combined with counts.
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
    measure = find(criterion).impurity
    if (y is None) == (counts is None):
        raise OptionError(
            "impurity needs either y (one target per row) or counts= (one count per "
            f"class); got {'neither' if y is None else 'both'}."
        )
    if counts is None and not isinstance(y, Mapping):
        return measure(weigh(targets_of(y, criterion), sample_weight, criterion))
    if sample_weight is not None:
        raise OptionError(
            "sample_weight needs rows, and these are counts. Put the weights "
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
    """Return how much purer the rows become when they are divided into groups.

    The gain is the impurity of all rows minus the mean impurity of the groups, each
    group weighted by its share of the rows. With entropy it is the information
    gain. There may be any number of groups. The gain is never below 0.

    Parameters
    ----------
    y : sequence, optional
        The target of each row.
    groups : sequence, optional
        The branch each row takes. Any labels will do; every distinct label is one
        branch. Rows whose group is missing form one branch together.
    criterion : str, default="gini"
        As in `impurity`.
    sample_weight : sequence of float, optional
        Weight of each row; 0 leaves the row out.
    counts : sequence of counts, optional
        In place of `y` and `groups`: the class counts of each branch, with the
        classes in the same order in every branch (or mappings from class to
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
    """Return the information gain divided by the entropy of the groups themselves.

    Many small groups have a large gain merely because they are many; the ratio
    divides the gain by their `split_information`.

    Parameters
    ----------
    y, groups, sample_weight, counts
        As in `gain`.

    Returns
    -------
    float
        The gain in bits divided by the split information; 0 for a single group.

    Examples
    --------
    Outlook in the 14 days of weather.

    >>> round(gain_ratio(counts=[[4, 0], [3, 2], [2, 3]]), 4)
    0.1564
    """
    branches = _branches("gain_ratio", y, groups, "entropy", sample_weight, counts)
    sizes = {i: math.fsum(b.values()) for i, b in enumerate(branches)}
    own = find("entropy").impurity(sizes)
    return _gain(branches, "entropy") / own if own > 0 else 0.0


def split_information(
    groups: Sequence[Any] | np.ndarray | None = None,
    sample_weight: Sequence[float] | np.ndarray | None = None,
    *,
    counts: Sequence[float] | np.ndarray | Weights | None = None,
) -> float:
    """Return the entropy of the groups in bits, regardless of the target.

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
        0 for a single group; log₂ k for k groups of equal size.

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
            "sample_weight needs rows, and these are counts. Put the weights "
            "into the counts, or pass the rows as groups."
        )
    if counts is not None:
        return find("entropy").impurity(checked_counts(counts, "entropy"))
    return find("entropy").impurity(group_weights(groups, sample_weight))


def _branches(
    caller: str, y: Any, groups: Any, criterion: str, weights: Any, counts: Any
) -> list[Weights]:
    """Return the weight of each target in each branch, from rows or from counts."""
    find(criterion)
    if counts is None:
        return branches_of_rows(y, groups, criterion, weights, caller)
    if y is not None or groups is not None or weights is not None:
        raise OptionError(
            f"{caller} takes either counts=, or y with groups (and sample_weight); "
            "got both."
        )
    return branches_of_counts(counts, criterion, caller)


def _gain(branches: list[Weights], criterion: str) -> float:
    measure = find(criterion).impurity
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
