"""The gain ratio: the gain of a split as a share of the entropy of the split itself.

A split into many branches has a large gain for that alone, and a large entropy of
its own. A column's best split is found by its gain; among the columns whose gain is
not below the average, the largest ratio wins.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from treewright.growing.reference.candidates import Candidate
from treewright.growing.reference.choose import TIE, Choice, Offer, best_gain
from treewright.growing.reference.known import rows_of_node
from treewright.growing.reference.sums import Number, Target


@dataclass(frozen=True)
class Best:
    """The best split of a column.

    `gain` is its gain and `score` what it competes with: the same, but for the
    groupings of many levels, and for C4.5 the cuts of numbers, which pay for the
    choice among many.
    """

    offer: Offer
    split: Candidate
    gain: Number
    score: float
    counts_in_average: bool = True


def split_information(split: Candidate) -> float:
    """Entropy of the branches; rows that cannot be placed are one more branch."""
    whole = rows_of_node(split).weight
    parts = [b.weight for b in (*split.branches, split.unknown) if b.weight]
    shares = [float(Fraction(part, whole)) for part in parts]
    return -math.fsum(share * math.log2(share) for share in shares)


def bests_of(offers: Sequence[Offer], impurity: Number, target: Target) -> list[Best]:
    """Find the best split of each column that has one."""
    found = []
    for offer in offers:
        if offer.allowed:
            split, gain = best_gain([offer], impurity, target)
            found.append(Best(offer, split, gain, float(gain - offer.charge)))
    return found


def best_ratio(
    bests: Sequence[Best], impurity: Number, slack: float = 0.0
) -> Choice | None:
    """Find the first column of the largest ratio; None if no column gains anything.

    `slack` is how far below the average a score may be.
    """
    tie = float(TIE * Fraction(impurity))
    valid = [best for best in bests if best.score > tie]
    counted = [best.score for best in valid if best.counts_in_average]
    if not counted:
        return None
    average = math.fsum(counted) / len(counted)
    admitted = [b for b in valid if b.score >= average - max(slack, tie)]
    ratios = [b.score / split_information(b.split) for b in admitted]
    reach = max(ratios) * (1 - float(TIE))
    winner = next(b for b, r in zip(admitted, ratios, strict=True) if r >= reach)
    return Choice(winner.split, winner.gain)
