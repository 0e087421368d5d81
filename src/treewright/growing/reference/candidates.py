"""Every split that a column offers at a node, in the order that decides ties.

Numbers and ranks offer each boundary between neighbouring values, in ascending order.
Where the node has missing rows, each boundary comes twice, first with the missing rows
on the left, then on the right; the test `x is missing` comes last. Categories offer
groups of levels, with missing as one more level; the prefixes of the levels ordered by
mean come first.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from treewright.growing.reference.absolute import HALF, quantile
from treewright.growing.reference.sums import Rows, Sums, Target
from treewright.table.column import Column, NumericColumn
from treewright.tree.data import IS_MISSING, SUBSET, THRESHOLD

MISSING = -1  # code of the level that holds the missing rows


@dataclass(frozen=True)
class Candidate:
    """One possible split of a node.

    `branches` holds the sums of each branch, left before right, and `unknown` the sums
    of the rows that the search does not place (see `known`). `groups` lists the
    category codes of each branch.
    """

    column: int
    kind: int
    branches: tuple[Sums, ...]
    missing_route: int
    unknown: Sums
    threshold: float = math.nan
    groups: tuple[tuple[int, ...], ...] = ()


@dataclass(frozen=True)
class Levels:
    """The distinct values of a column in a node, ascending, with their sums.

    `missing` sums the missing rows that the search places, `unknown` the missing rows
    that it leaves out. One of the two is always empty. `step` is that of the
    thresholds: a day for whole days, 0 for any number.
    """

    column: int
    known: list[tuple[float, Sums]]
    missing: Sums
    unknown: Sums
    step: float = 0.0

    @property
    def differ(self) -> bool:
        """Whether the rows of the node have at least two different values."""
        return len(self.known) + (self.missing.n_rows > 0) > 1


def values_of(column: Column) -> list[float]:
    """Return the value, rank or category code of each row; NaN if missing."""
    if isinstance(column, NumericColumn):
        return [float(value) for value in column.values]
    return [math.nan if code < 0 else float(code) for code in column.codes.tolist()]


def levels_of(
    index: int, values: Sequence[float], rows: Rows, target: Target, step: float = 0.0
) -> Levels:
    """Sum the rows of a node by their value."""
    known: dict[float, Sums] = {}
    missing = target.zero
    for row, share in rows.items():
        value = values[row] + 0.0  # -0.0 and 0.0 are one value
        sums = target.of_row[row] * share
        if math.isnan(value):
            missing += sums
        else:
            known[value] = known.get(value, target.zero) + sums
    ascending = sorted(known.items(), key=lambda level: level[0])
    return Levels(index, ascending, missing, target.zero, step)


def heavier(left: Sums, right: Sums) -> int:
    """Return the branch of larger weight, left on a tie."""
    return 0 if left.weight >= right.weight else 1


# Numbers and ranks ------------------------------------------------------------------


def midpoint(a: float, b: float, step: float = 0.0) -> float:
    """Return the threshold t between the neighbours a < b, with a <= t < b.

    It is the midpoint. Where only rounding made the midpoint a long decimal, it is the
    short decimal next to it: 42.35, not 42.349999999999994, between 42.3 and 42.4.
    With a step, it is the last multiple of the step before the middle.
    """
    t = a / 2 + b / 2
    if not a <= t < b:
        return a
    if step:
        return math.floor(t / step) * step
    if not math.isfinite(t):
        return t
    short = float(f"{t:.12g}")
    return short if a <= short < b and abs(short - t) <= 2 * math.ulp(t) else t


def thresholds(levels: Levels) -> Iterator[Candidate]:
    """Yield every test `x <= t`, then the test `x is missing`."""
    missing = levels.missing
    lefts = list(accumulate(sums for _, sums in levels.known))
    for i, ((a, _), (b, _)) in enumerate(pairwise(levels.known)):
        left, right, at = lefts[i], lefts[-1] - lefts[i], midpoint(a, b, levels.step)
        if missing.n_rows:
            yield _threshold(levels, at, left + missing, right, 0)
            yield _threshold(levels, at, left, right + missing, 1)
        else:
            yield _threshold(levels, at, left, right, heavier(left, right))
    if missing.n_rows and lefts:
        sides = (missing, lefts[-1])
        yield Candidate(levels.column, IS_MISSING, sides, 0, levels.unknown)


def _threshold(
    levels: Levels, at: float, left: Sums, right: Sums, missing_route: int
) -> Candidate:
    sides = (left, right)
    return Candidate(levels.column, THRESHOLD, sides, missing_route, levels.unknown, at)


# Categories -------------------------------------------------------------------------


class Groupings:
    """The groupings of the levels of a categorical column into left and right.

    The levels are ordered by (mean, category), or by (median, mean, category) for the
    absolute error. The missing level counts as the last category. A grouping is a
    bitmask of the positions that go left. The last position always goes right, so each
    grouping occurs once.
    """

    def __init__(self, levels: Levels, target: Target) -> None:
        by_code = [(int(code), sums) for code, sums in levels.known]
        if levels.missing.n_rows:
            by_code.append((MISSING, levels.missing))
        self.column = levels.column
        self.has_missing = levels.missing.n_rows > 0
        self.unknown = levels.unknown
        # The sort is stable: equal means stay in category order.
        self.ordered = sorted(by_code, key=lambda level: target.mean(level[1]))
        if target.levels:
            self.ordered.sort(
                key=lambda level: quantile(
                    target.levels, level[1].parts, HALF, target.slack
                )
            )
        self.zero = target.zero
        self.whole = sum((sums for _, sums in by_code), start=target.zero)

    def __len__(self) -> int:
        """Return k, the number of levels."""
        return len(self.ordered)

    def prefixes(self) -> list[Candidate]:
        """List the k - 1 groupings that cut the ordered levels in two."""
        return [self._grouping((1 << n) - 1) for n in range(1, len(self))]

    def others(self) -> Iterator[Candidate]:
        """Yield the other groupings by bitmask; with the prefixes, 2^(k-1) - 1."""
        for mask in range(1, 1 << max(len(self) - 1, 0)):
            if mask & (mask + 1):  # not of the form 0...01...1
                yield self._grouping(mask)

    def _grouping(self, mask: int) -> Candidate:
        sides: tuple[list[int], list[int]] = ([], [])
        left = self.zero
        for position, (code, sums) in enumerate(self.ordered):
            goes_left = mask >> position & 1
            sides[0 if goes_left else 1].append(code)
            if goes_left:
                left += sums
        right = self.whole - left
        route = heavier(left, right)
        if self.has_missing:
            route = 0 if MISSING in sides[0] else 1
        groups = tuple(tuple(c for c in side if c != MISSING) for side in sides)
        branches = (left, right)
        return Candidate(
            self.column, SUBSET, branches, route, self.unknown, groups=groups
        )
