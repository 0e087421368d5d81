"""The charge for a grouping of very many levels where columns compete.

The best of all groupings gains something from noise alone: it fits the mean of every
level, and each mean gains about impurity / weight of the node. For levels of unequal
size, (sum of sqrt(weight of a level))^2 / weight replaces the number of levels. It
equals the number where all levels weigh the same, and is smaller otherwise. A numeric
column gains from noise too, by the choice of its threshold; that much is not charged.
"""

import math
from fractions import Fraction

from treewright.growing.reference.candidates import Levels
from treewright.growing.reference.sums import Number, Sums, Target, Weight

FEW_LEVELS = 12  # a column with at most this many levels in the table pays no charge
CHANCE_OF_NUMBER = 6.0  # gain of a threshold from noise, in units of impurity / weight


def charge_of(levels: Levels, impurity: Number, one_row: Fraction) -> Fraction:
    """Return the charge for the groupings of these levels.

    `one_row` is the weight that counts as one row.
    """
    sums = [sums for _, sums in levels.known] + [levels.missing] * bool(
        levels.missing.n_rows
    )
    seen = sum(each.weight for each in sums)
    node = Fraction(seen + levels.unknown.weight) / one_row
    means = effective_number(sums, seen)
    excess = Fraction(max(0.0, means - CHANCE_OF_NUMBER))
    return Fraction(impurity) * excess / node


def effective_number(sums: list[Sums], seen: Weight) -> float:
    """Return how many levels of equal size would gain as much from noise."""
    roots = math.fsum(math.sqrt(Fraction(each.weight, seen)) for each in sums)
    return roots * roots


def one_row(target: Target) -> Fraction:
    """Return the weight that counts as one row.

    Weights count as copies of a row. If they are below 1 on average, the mean weight
    counts as one row.
    """
    total = sum(target.weights[row] for row in target.present)
    mean = Fraction(total, len(target.present))
    return min(mean, Fraction(target.weight_scale))
