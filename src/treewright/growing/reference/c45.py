"""What C4.5 and J48 add to the gain ratio.

C4.5 charges a threshold for having been chosen among many. J48 counts only the
thresholds that are allowed, leaves columns of very many categories out of the average
gain, admits columns slightly below that average, moves each threshold to a value of
the table and opens a branch for every category that the column declares.
"""

import math
from collections.abc import Sequence
from dataclasses import replace

from treewright.growing.reference.candidates import Candidate
from treewright.growing.reference.choose import Choice, Offer
from treewright.growing.reference.ratio import Best, best_ratio
from treewright.growing.reference.sums import Number, Sums
from treewright.tree.data import MULTIWAY, THRESHOLD

J48_SLACK = 1e-3
J48_MANY = 0.3  # a column has too many categories from this share of the rows on


def choose_c45(bests: Sequence[Best], impurity: Number, weight: float) -> Choice:
    """Choose by penalised gains; `weight` is the weight of the node."""
    scored = [_penalised(b, len(b.offer.levels.known) - 1, weight) for b in bests]
    return best_ratio(scored, impurity) or Choice(None, reason="no_better_split")


def choose_j48(
    bests: Sequence[Best],
    impurity: Number,
    weight: float,
    too_many: dict[int, bool],
) -> Choice:
    """Choose as J48 does; `too_many` marks the columns with too many categories."""
    scored = [
        replace(
            _penalised(best, _n_cuts(best.offer), weight),
            counts_in_average=(
                not too_many[best.split.column] or all(too_many.values())
            ),
        )
        for best in bests
    ]
    choice = best_ratio(scored, impurity, J48_SLACK)
    return choice or Choice(None, reason="no_better_split")


def _penalised(best: Best, n_cuts: int, weight: float) -> Best:
    if any(split.groups for split in best.offer.allowed):
        return best  # categories
    penalty = math.log2(max(n_cuts, 1)) / weight
    return replace(best, score=float(best.gain) - penalty)


def _n_cuts(offer: Offer) -> int:
    return len({split.threshold for split in offer.allowed if split.kind == THRESHOLD})


def as_j48(
    split: Candidate, values: Sequence[float], n_labels: int, zero: Sums
) -> Candidate:
    """Return a split as J48 writes it.

    A threshold becomes the largest value of the table that is not above it. A
    multiway split gets a branch for every category.
    """
    if split.kind == THRESHOLD:
        below = [value for value in values if value <= split.threshold]
        return replace(split, threshold=max(below) + 0.0)
    if split.kind != MULTIWAY:
        return split
    by_code = {
        codes[0]: sums
        for codes, sums in zip(split.groups, split.branches, strict=True)
        if codes
    }
    branches = [by_code.get(code, zero) for code in range(n_labels)]
    groups: list[tuple[int, ...]] = [(code,) for code in range(n_labels)]
    route = split.missing_route
    if split.groups[-1] == ():  # the branch of the missing rows stays last
        branches.append(split.branches[-1])
        groups.append(())
        route = n_labels
    return replace(
        split, branches=tuple(branches), groups=tuple(groups), missing_route=route
    )
