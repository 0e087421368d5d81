"""Which rows of a node go down which branch.

A row with a known value follows the split. A row with a missing value follows the
first surrogate that can place it. If there is none, the row goes down the branch for
missing values, or it stops at the node, or it is divided: it goes down every branch
with a share of its weight, in proportion to the known rows there.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from treewright.growing.reference.candidates import Candidate
from treewright.growing.reference.sums import Rows, Sums, Weight, together
from treewright.growing.reference.surrogates import Surrogate, fallback_route, route_by
from treewright.options import GrowOptions
from treewright.tree.data import ALL_BRANCHES, STOP_HERE, THRESHOLD


@dataclass(frozen=True)
class Division:
    """The rows of each branch, and the counts of missing and surrogate-placed rows."""

    branches: list[dict[int, Weight]]
    n_missing: int
    surrogate_rows: list[int]


def with_route(split: Candidate, options: GrowOptions) -> Candidate:
    """Return the split with the route of the rows that it cannot place itself."""
    if options.missing == "fractional":
        return replace(split, missing_route=ALL_BRANCHES)
    if options.missing == "surrogate":
        stop_on_tie = options.conventions == "rpart"
        route = fallback_route(split, options.surrogate_fallback, stop_on_tie)
        return replace(split, missing_route=route)
    return split


def divide(
    rows: Rows,
    split: Candidate,
    surrogates: Sequence[Surrogate],
    values: Mapping[int, Sequence[float]],
) -> Division:
    """Send every row of a node down its branch."""
    branches: list[dict[int, Weight]] = [{} for _ in split.branches]
    n_missing, placed = 0, [0] * len(surrogates)
    for row, share in rows.items():
        value = values[split.column][row]
        branch = branch_of(split, value)
        if math.isnan(value):
            n_missing += 1
            answer = route_by(surrogates, values, row)
            if answer is not None:
                place, branch = answer
                placed[place] += 1
        if branch == ALL_BRANCHES:
            for part, own in zip(branches, shares(share, split.branches), strict=True):
                if own:
                    part[row] = own
        elif branch != STOP_HERE:
            branches[branch][row] = share
    return Division(branches, n_missing, placed)


def branch_of(split: Candidate, value: float) -> int:
    """Return the branch that a value of the node takes."""
    if math.isnan(value):
        return split.missing_route
    if split.kind == THRESHOLD:
        return 0 if value <= split.threshold else 1
    if split.groups:
        return next(b for b, codes in enumerate(split.groups) if value in codes)
    return 1  # the split is `x is missing`, and the value is known


def shares(share: Weight, branches: Sequence[Sums]) -> list[Weight]:
    """Divide a share of a row in proportion to the known weight of the branches."""
    whole = together(branches).weight
    return [share * Fraction(branch.weight, whole) for branch in branches]
