"""Surrogates: other columns that send the rows down the same branches as the split.

A surrogate is scored on the rows known in both columns, by the weight of the rows that
it sends to the same branch as the split. It must beat sending all of them to the
heavier branch. Its threshold lies between neighbouring values of all rows of the node,
including rows that the split cannot place.

rpart requires two rows on either side of a threshold. In a column of categories it
requires two rows that agree and two that do not, so it never has a perfect surrogate
there.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from treewright.growing.reference.candidates import Candidate, midpoint
from treewright.growing.reference.sums import Weight
from treewright.tree.data import STOP_HERE

LEAST_ADJUSTED = Fraction(1, 10**10)


@dataclass(frozen=True)
class Surrogate:
    """A test that replaces the split where the split's column is missing.

    `flip` sends x <= threshold to branch 1. `groups` lists the categories of either
    branch; the surrogate cannot place other categories. `agree` is the share of the
    weight that it sends to the right branch. `adjust` rescales `agree` so that the
    share of the heavier branch becomes 0 and 1 stays 1.
    """

    column: int
    agree: Fraction
    adjust: Fraction
    threshold: float = math.nan
    flip: bool = False
    groups: tuple[tuple[int, ...], ...] = ()

    def branch_of(self, value: float) -> int | None:
        """Return the branch of a value, or None if the surrogate cannot place it."""
        if not math.isnan(self.threshold):
            left = 1 if self.flip else 0
            return (
                None
                if math.isnan(value)
                else left
                if value <= self.threshold
                else 1 - left
            )
        return next((b for b, codes in enumerate(self.groups) if value in codes), None)


@dataclass(frozen=True)
class Sent:
    """A row: its value in the surrogate's column, its weight, and its branch.

    `branch` is the branch to which the split sends the row, or None if the split
    cannot place it.
    """

    value: float
    weight: Weight
    branch: int | None


# The weight that goes to branch 0 and to branch 1.
Sides = tuple[Weight, Weight]


def surrogate_of(
    column: int,
    are_categories: bool,
    rows: Sequence[Sent],
    agreement: str,
    min_rows: int,
    step: float = 0.0,
) -> Surrogate | None:
    """Find the best surrogate that a column offers; None if it is of no use.

    `agreement` is the option `surrogate_agreement`; `min_rows` is 2 for rpart.
    """
    sent = [row for row in rows if row.branch is not None]
    known = [row for row in sent if not math.isnan(row.value)]
    among = _sides(sent if agreement == "all" else known)
    total, heavier = sum(among), max(among)
    if heavier == total:
        return None
    if are_categories:
        offered = _by_category(known, among, min_rows)
    else:
        values = sorted({row.value for row in rows if not math.isnan(row.value)})
        offered = _thresholds(known, values, min_rows, step)
    # `max` returns the first of equal candidates.
    right, test = max(offered, key=lambda each: each[0], default=(0, {}))
    agree, majority = Fraction(right, total), Fraction(heavier, total)
    adjust = (agree - majority) / (1 - majority)
    if adjust <= LEAST_ADJUSTED:
        return None
    return Surrogate(column, agree, adjust, **test)  # type: ignore[arg-type]


def _sides(rows: Sequence[Sent]) -> Sides:
    return (
        sum(row.weight for row in rows if row.branch == 0),
        sum(row.weight for row in rows if row.branch == 1),
    )


def _thresholds(
    known: Sequence[Sent], values: Sequence[float], min_rows: int, step: float
) -> Iterator[tuple[Weight, dict[str, object]]]:
    """Yield the agreeing weight of every threshold, ascending, plain then flipped."""
    for a, b in pairwise(values):
        below = [row for row in known if row.value <= a]
        above = [row for row in known if row.value >= b]
        if min(len(below), len(above)) < min_rows:
            continue
        (low0, low1), (high0, high1) = _sides(below), _sides(above)
        threshold = midpoint(a, b, step)
        yield low0 + high1, {"threshold": threshold}
        yield low1 + high0, {"threshold": threshold, "flip": True}


def _by_category(
    known: Sequence[Sent], total: Sides, min_rows: int
) -> Iterator[tuple[Weight, dict[str, object]]]:
    """Send each category to the branch that receives most of its weight."""
    default = 0 if total[0] >= total[1] else 1
    groups: tuple[list[int], list[int]] = ([], [])
    wrong = 0
    right: Weight = 0
    for code in sorted({row.value for row in known}):
        own = [row for row in known if row.value == code]
        left, other = _sides(own)
        branch = default if left == other else int(other > left)
        groups[branch].append(int(code))
        wrong += sum(row.branch != branch for row in own)
        right += max(left, other)
    if min_rows == 1 or min(wrong, len(known) - wrong) >= min_rows:
        yield right, {"groups": tuple(map(tuple, groups))}


def ranked(found: Sequence[Surrogate | None], most: int) -> list[Surrogate]:
    """Keep the surrogates that agree most; the earlier column wins a tie."""
    useful = [each for each in found if each is not None]
    return sorted(useful, key=lambda each: -each.agree)[:most]


def fallback_route(split: Candidate, fallback: str, stop_on_tie: bool) -> int:
    """Return the route of rows that no surrogate can place.

    It is the heavier branch or `STOP_HERE`.
    """
    left, right = (branch.weight for branch in split.branches)
    if fallback == "stop" or (stop_on_tie and left == right):
        return STOP_HERE
    return 0 if left >= right else 1


def route_by(
    surrogates: Sequence[Surrogate], values: Mapping[int, Sequence[float]], row: int
) -> tuple[int, int] | None:
    """Return the first surrogate that can place a row, and the branch it chooses."""
    for place, each in enumerate(surrogates):
        branch = each.branch_of(values[each.column][row])
        if branch is not None:
            return place, branch
    return None
