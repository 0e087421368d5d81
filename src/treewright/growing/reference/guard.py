"""What a grouping of very many levels pays where columns compete.

The best of all groupings gains something from noise alone: each level has a mean
of its own to fit, and each mean is worth about impurity / weight of the node. For
levels of unequal size, (sum of sqrt(weight of a level))^2 / weight takes the place of
their number: it is the number where all weigh the same, and less otherwise. A number
gains from noise too, by the choice of its threshold; that much is free.
"""

import math
from fractions import Fraction

from treewright.growing.reference.candidates import Levels
from treewright.growing.reference.sums import Number, Sums, Target, Weight

FEW_LEVELS = 12  # of the whole table, up to which a column is never charged
CHANCE_OF_NUMBER = 6.0  # what noise gives a threshold, in units of impurity / weight


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
    """Return the number of levels of one size that are as easy to fit to noise."""
    roots = math.fsum(math.sqrt(Fraction(each.weight, seen)) for each in sums)
    return roots * roots


def one_row(target: Target) -> Fraction:
    """Return the weight that counts as one row.

    Weights count as copies; where they are below 1 on average, a row counts 1.
    """
    total = sum(target.weights[row] for row in target.present)
    mean = Fraction(total, len(target.present))
    return min(mean, Fraction(target.weight_scale))
