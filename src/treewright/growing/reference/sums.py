"""Exact sums over a set of rows, and the gain of dividing the set.

Weights and numeric targets are floats, and every float is an integer times a power of
two. Multiplied by a common power of two they become Python integers, whose sums are
exact and do not depend on the order. A row that is divided among branches counts with
its share, a fraction.
"""

import math
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from treewright.criteria import find
from treewright.errors import TableError
from treewright.growing.reference.absolute import mean_deviation
from treewright.table.table import ClassTarget, NumericTarget, Table

# The power of the target's scale with which the impurity grows.
POWERS = {"squared_error": 2, "poisson": 1, "absolute_error": 1}
# A gain or an impurity: exact where the criterion allows it.
Number = Fraction | float
# A weight, or the share of a row that is in a node: 1 unless the row was divided.
Weight = int | Fraction
# The rows of a node, and the share of each row that is in it.
Rows = Mapping[int, Weight]


@dataclass(frozen=True)
class Sums:
    """Exact sums over a set of rows.

    `counted` is the number of rows, in which a divided row counts by its share.
    `parts` holds the weight of each class. For a numeric target it holds Σwy and
    Σwy²; for the absolute error, the weight of each distinct y, ascending.
    """

    n_rows: int
    counted: Weight
    weight: Weight
    parts: tuple[Weight, ...]

    def __add__(self, other: "Sums") -> "Sums":
        """Join two sets of rows."""
        return Sums(
            self.n_rows + other.n_rows,
            self.counted + other.counted,
            self.weight + other.weight,
            tuple(a + b for a, b in zip(self.parts, other.parts, strict=True)),
        )

    def __mul__(self, share: Weight) -> "Sums":
        """Take a share of each row."""
        parts = tuple(share * part for part in self.parts)
        return Sums(self.n_rows, share * self.counted, share * self.weight, parts)

    def __sub__(self, other: "Sums") -> "Sums":
        """Remove a part of the rows."""
        return Sums(
            self.n_rows - other.n_rows,
            self.counted - other.counted,
            self.weight - other.weight,
            tuple(a - b for a, b in zip(self.parts, other.parts, strict=True)),
        )


def as_integers(values: Iterable[float]) -> tuple[list[int], int]:
    """Return the values as integers, and the power of two they were multiplied by."""
    ratios = [float(value).as_integer_ratio() for value in values]
    scale = max((below for _, below in ratios), default=1)
    return [above * (scale // below) for above, below in ratios], scale


def as_float(value: Number) -> float:
    """Return the nearest float; infinity beyond the largest float."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


class Target:
    """The target and the weights of a table as integers, for one criterion.

    Attributes
    ----------
    present : list of int
        The rows that count: those of weight above 0.
    codes : list of int
        The class of each row (classification).
    y : list of int
        The number of each row, times `y_scale` (regression).
    levels : list of int
        The distinct values of y, ascending (absolute error).
    weights : list of int
        The weight of each row, times `weight_scale`.
    slack : Fraction
        Weights that differ by at most this share of the node's weight are equal. It
        is above 0 where rows are divided, because `grow` rounds their parts.
    """

    def __init__(
        self, table: Table, criterion: str, slack: Fraction = Fraction(0)
    ) -> None:
        self.criterion = criterion
        self.slack = slack
        weights = np.ones(table.n_rows) if table.weights is None else table.weights
        self.weights, self.weight_scale = as_integers(weights)
        self.present = [row for row, w in enumerate(self.weights) if w > 0]
        self.codes: list[int] = []
        self.y: list[int] = []
        self.y_scale = Fraction(1)
        self.n_classes = 0
        self.info = table.schema.target
        self._read(table.target)
        if not self.present:
            raise TableError(
                "No row has a weight above 0, so there is nothing to grow."
            )
        if criterion == "poisson" and not any(self.y[row] for row in self.present):
            raise TableError(
                "poisson needs a target with a sum above 0; all values are 0."
            )
        # Σwy and Σwy² suffice for these two; other criteria need every value of y.
        by_sums = criterion in ("squared_error", "poisson")
        self.levels = [] if by_sums else sorted(set(self.y))
        self.zero = Sums(0, 0, 0, (0,) * (self.n_classes or len(self.levels) or 2))
        self.of_row = [self._one(row) for row in range(table.n_rows)]

    def _read(self, target: ClassTarget | NumericTarget | None) -> None:
        if isinstance(target, ClassTarget):
            self.codes = [int(code) for code in target.codes]
            self.n_classes = len(target.classes)
        elif isinstance(target, NumericTarget):
            self.y, scale = as_integers(target.values)
            self.y_scale = scale * Fraction(2) ** (
                self.info.exponent if self.info else 0
            )
            if self.criterion == "poisson" and min(self.y, default=0) < 0:
                raise TableError(
                    f"poisson needs a target that is never negative; {target.name!r} "
                    f"goes down to {min(target.values)}. Use squared_error."
                )
        else:
            raise TableError(
                "This table has no target, so there is nothing to grow a tree for. "
                "Pass y: as_table(X, y)."
            )

    def _one(self, row: int) -> Sums:
        weight = self.weights[row]
        if self.n_classes or self.levels:
            kinds = self.n_classes or len(self.levels)
            is_class = self.n_classes > 0
            own = self.codes[row] if is_class else bisect_left(self.levels, self.y[row])
            return Sums(1, 1, weight, tuple(weight * (c == own) for c in range(kinds)))
        return Sums(1, 1, weight, (weight * self.y[row], weight * self.y[row] ** 2))

    def sums(self, rows: Rows) -> Sums:
        """Return the sums over rows, each with its share."""
        total = self.zero
        for row, share in rows.items():
            total += self.of_row[row] * share
        return total

    def mean(self, sums: Sums) -> Fraction:
        """Return the mean of y, or the mean class number, in integer units."""
        if self.n_classes:
            above = sum(code * part for code, part in enumerate(sums.parts))
            return Fraction(above, sums.weight)
        return Fraction(self._moments(sums).parts[0], sums.weight)

    def variance(self, sums: Sums) -> Fraction:
        """Return the variance of y in integer units."""
        return squared_error(self._moments(sums))

    def _moments(self, sums: Sums) -> Sums:
        """Return the sums with Σwy and Σwy², whatever `parts` the criterion keeps."""
        if not self.levels:
            return sums
        pairs = list(zip(self.levels, sums.parts, strict=True))
        first = sum(y * weight for y, weight in pairs)
        second = sum(y * y * weight for y, weight in pairs)
        return Sums(sums.n_rows, sums.counted, sums.weight, (first, second))

    def is_pure(self, rows: Rows) -> bool:
        """Whether all rows have the same class or the same number."""
        return len({(self.codes or self.y)[row] for row in rows}) == 1

    def impurity(self, rows: Rows, sums: Sums) -> Number:
        """Return the impurity of a node in integer units."""
        if self.criterion == "poisson":
            return self._half_deviance(rows, sums)
        return self.measure(sums)

    def measure(self, sums: Sums) -> Number:
        """Return the impurity where it follows from the sums alone."""
        if self.criterion == "absolute_error":
            return mean_deviation(self.levels, sums.parts)
        if self.criterion in IMPURITIES:
            return IMPURITIES[self.criterion](sums)
        return self._registered(sums)

    def _registered(self, sums: Sums) -> Number:
        """Return the impurity by a criterion that has no exact formula here."""
        values = self.levels or range(self.n_classes)
        pairs = zip(values, sums.parts, strict=True)
        weights = {float(v / self.y_scale): float(part) for v, part in pairs if part}
        return find(self.criterion).impurity(weights)

    def gain(self, branches: Sequence[Sums]) -> Number:
        """Return the impurity before minus the mean impurity after; never negative."""
        if self.criterion == "poisson":
            return poisson_gain(branches)
        return gain_of(self.measure, branches)

    def unit(self) -> Fraction:
        """Return the factor from an impurity in integer units to the table's units."""
        return 1 / Fraction(self.y_scale ** POWERS.get(self.criterion, 0))

    def gain_in_units(self, gain: float) -> float:
        """Convert a gain in units of the target to units of its exponent."""
        power = POWERS.get(self.criterion, 0)
        return self.info.gain_in_units(gain, power) if self.info else gain

    def _half_deviance(self, rows: Rows, sums: Sums) -> Number:
        """Return the mean of y ln(y / mean): mean * Σ w/W * excess(y / mean)."""
        mean = self.mean(sums)
        terms = [
            float(Fraction(self.weights[row] * share, sums.weight))
            * excess(self.y[row] / mean)
            for row, share in rows.items()
        ]
        return mean * Fraction(math.fsum(terms))


# The criteria -----------------------------------------------------------------------


def gini(sums: Sums) -> Fraction:
    """1 - Σ p²."""
    return 1 - Fraction(sum(part * part for part in sums.parts), sums.weight**2)


def misclassification(sums: Sums) -> Fraction:
    """1 - max p."""
    return 1 - Fraction(max(sums.parts), sums.weight)


def entropy(sums: Sums) -> float:
    """-Σ p log₂ p."""
    shares = [float(Fraction(part, sums.weight)) for part in sums.parts if part]
    return -math.fsum(share * math.log2(share) for share in shares) + 0.0


def squared_error(sums: Sums) -> Fraction:
    """Mean of y² minus the square of the mean."""
    y, yy = sums.parts
    return Fraction(yy * sums.weight - y * y, sums.weight**2)


IMPURITIES: dict[str, Callable[[Sums], Number]] = {
    "gini": gini,
    "entropy": entropy,
    "gain_ratio": entropy,
    "misclassification": misclassification,
    "squared_error": squared_error,
}


def together(branches: Sequence[Sums]) -> Sums:
    """Join the rows of all branches."""
    return sum(branches[1:], start=branches[0])


def gain_of(measure: Callable[[Sums], Number], branches: Sequence[Sums]) -> Number:
    """Return the impurity of all branches together minus their mean impurity."""
    whole = together(branches)
    before = measure(whole)
    after = [Fraction(b.weight, whole.weight) * measure(b) for b in branches]
    if isinstance(before, Fraction):
        return before - sum(after)
    return max(0.0, math.fsum([before, *(-each for each in after)]))


def poisson_gain(branches: Sequence[Sums]) -> Number:
    """Return the decrease of the half deviance.

    It is mean * Σ W_b/W * excess(mean_b / mean).
    """
    whole = together(branches)
    if whole.parts[0] == 0:
        return 0.0
    mean = Fraction(whole.parts[0], whole.weight)
    terms = [
        float(Fraction(b.weight, whole.weight))
        * excess(Fraction(b.parts[0], b.weight) / mean)
        for b in branches
    ]
    return mean * Fraction(math.fsum(terms))


def excess(ratio: Fraction) -> float:
    """Return r ln r - r + 1, the half deviance of r when the mean is 1.

    It is 0 at r = 1 and positive elsewhere. Near 1 the three terms cancel, so the
    function sums the power series there.
    """
    beyond = float(ratio - 1)
    if abs(beyond) < 0.01:
        return math.fsum((-beyond) ** k / (k * (k - 1)) for k in range(2, 14))
    r = float(ratio)
    return r * math.log(r) - beyond if r > 0 else 1.0
