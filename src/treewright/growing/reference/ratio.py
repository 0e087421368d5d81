"""The gain ratio: the gain of a split as a share of the entropy of the split itself.

A split into many branches has a large gain merely because they are many, and a large
entropy of its own. The best split of each column is chosen by gain. Among the columns
whose best gain is not below the average, the largest ratio wins.
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

    `score` is the gain with which the split competes. It equals `gain`, less a charge
    for groupings of many levels and, in C4.5, for thresholds, which are chosen among
    many.
    """

    offer: Offer
    split: Candidate
    gain: Number
    score: float
    counts_in_average: bool = True


def split_information(split: Candidate) -> float:
    """Return the entropy of the branches; unplaced rows count as one more branch."""
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
    """Find the split with the largest ratio; None if no column gains anything.

    The first column wins a tie. A score may be below the average by at most `slack`.
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
