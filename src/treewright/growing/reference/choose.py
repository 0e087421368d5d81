"""Which candidates are allowed at a node, and which of them wins."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from fractions import Fraction

from treewright.errors import TableError
from treewright.growing.reference.candidates import (
    Candidate,
    Groupings,
    Levels,
    thresholds,
)
from treewright.growing.reference.guard import charge_of, one_row
from treewright.growing.reference.known import (
    gain_at_node,
    gini_gain_at_node,
    rows_of_node,
)
from treewright.growing.reference.multiway import multiway
from treewright.growing.reference.sums import (
    IMPURITIES,
    Number,
    Sums,
    Target,
    gini,
    together,
)
from treewright.tree.data import THRESHOLD

# Two gains are a tie when they differ by less than this share of the impurity.
TIE = Fraction(1, 10**12)
PREFIX_IS_BEST = (*IMPURITIES, "poisson")
MOST_LEVELS = 12  # groupings of more levels than this are not enumerated
NEARLY = 1 - 1e-9  # of a weight or number of rows is enough: shares are not whole


@dataclass(frozen=True)
class Rules:
    """What every branch must hold; `min_branch_weight`, at least two of them.

    A divided row counts by its share. One row is no rule: any share of it will do.
    `n_classes` is above 0 where a threshold needs as much weight on either side as
    J48 wants there.
    """

    min_rows: int
    min_weight: float
    weight_scale: int
    needs_target: bool
    min_branch_weight: float = 0.0
    n_classes: int = 0

    def refuses(self, candidate: Candidate) -> str:
        """Name the first rule that a candidate breaks; empty if it is allowed."""
        branches = candidate.branches
        if not all(enough_rows(b, self.min_rows) for b in branches):
            return "min_samples_leaf"
        if min(self.weight(b) for b in branches) < self.min_weight:
            return "min_weight_fraction_leaf"
        if self.needs_target and min(b.parts[0] for b in branches) == 0:
            return "zero_target"
        enough = self.enough(candidate) * NEARLY
        if sum(self.weight(b) >= enough for b in branches) < 2:
            return "no_better_split"
        return ""

    def enough(self, candidate: Candidate) -> float:
        """Return the weight that two branches must have."""
        least = self.min_branch_weight
        if self.n_classes and candidate.kind == THRESHOLD:
            tenth = 0.1 * float(self.weight(together(candidate.branches)))
            return max(least, min(tenth / self.n_classes, 25.0))
        return least

    def weight(self, sums: Sums) -> float | Fraction:
        """Weight in units of the table."""
        return sums.weight / self.weight_scale


def enough_rows(sums: Sums, least: int, no_rule: int = 1) -> bool:
    """Whether rows are so many, each divided one counted by its share."""
    if least <= no_rule:
        return sums.n_rows >= least
    return sums.counted >= least * NEARLY


@dataclass(frozen=True)
class Offer:
    """What a column offers: the candidates that are allowed, in order, their gains.

    `refusals` names the rules that refused the others. `charge` is taken off the
    gains where columns compete, and nowhere else.
    """

    levels: Levels
    allowed: list[Candidate]
    gains: list[Number]
    refusals: list[str]
    charge: Fraction = Fraction(0)


@dataclass(frozen=True)
class Choice:
    """The split that won, or the reason why there is none."""

    split: Candidate | None
    gain: Number = 0.0
    reason: str = ""


def offers_of(
    columns: Sequence[tuple[Levels, str]],
    impurity: Number,
    target: Target,
    rules: Rules,
    charged: Collection[int] = (),
) -> list[Offer]:
    """List what each column offers.

    `columns` holds the levels of each column, in table order, and the way they are
    split: into "thresholds", "groupings" or "multiway". `charged` are the columns
    whose groupings pay for their number.
    """
    tie = TIE * Fraction(impurity)
    offers = []
    for levels, way in columns:
        candidates: list[Candidate]
        if way == "multiway":
            candidates = multiway(levels)
        elif way == "groupings":
            candidates = groupings(Groupings(levels, target), tie, target, rules)
        else:
            candidates = list(thresholds(levels))
        allowed = [c for c in candidates if not rules.refuses(c)]
        gains = [gain_at_node(c, target) for c in allowed]
        refusals = [rules.refuses(c) for c in candidates if rules.refuses(c)]
        charge = Fraction(0)
        if levels.column in charged:
            charge = charge_of(levels, impurity, one_row(target))
        offers.append(Offer(levels, allowed, gains, refusals, charge))
    return offers


def best_gain(
    offers: Sequence[Offer], impurity: Number, target: Target
) -> tuple[Candidate, Number]:
    """Find the split of the largest gain, less what its column is charged.

    The best of these is found first; the winner is the first candidate, in the order
    of columns and of candidates, that reaches it.
    """
    allowed = [candidate for offer in offers for candidate in offer.allowed]
    gains = [gain for offer in offers for gain in offer.gains]
    scores = [gain - offer.charge for offer in offers for gain in offer.gains]
    reach = max(scores) - TIE * Fraction(impurity)
    best = [i for i, score in enumerate(scores) if score >= reach]
    if target.criterion == "misclassification":
        best = _purest(best, allowed)
    return allowed[best[0]], gains[best[0]]


def groupings(
    found: Groupings, tie: Fraction, target: Target, rules: Rules
) -> list[Candidate]:
    """List the groupings that compete: the prefixes where they suffice, else all.

    With two classes, and for the variance and the deviance of a numeric target, a
    prefix is the best grouping there is (Fisher; Breiman et al.), unless the rules
    refuse it. Nothing is known of the absolute error and of registered criteria.
    """
    prefixes = found.prefixes()
    suffice = target.n_classes <= 2 and target.criterion in PREFIX_IS_BEST
    if suffice and prefixes:
        gains = [gain_at_node(prefix, target) for prefix in prefixes]
        pairs = zip(prefixes, gains, strict=True)
        allowed = [gain for prefix, gain in pairs if not rules.refuses(prefix)]
        if allowed and max(allowed) >= max(gains) - tie:
            return prefixes
    if len(found) > MOST_LEVELS:
        raise TableError(
            f"The reference lists all groupings of at most {MOST_LEVELS} levels; "
            f"column {found.column} has {len(found)} in one node. Use grow."
        )
    return [*prefixes, *found.others()]


def _purest(best: list[int], allowed: Sequence[Candidate]) -> list[int]:
    """Of splits that misclassify as few, those with the largest Gini gain."""
    purity = {i: gini_gain_at_node(allowed[i]) for i in best}
    reach = max(purity.values()) - TIE * gini(rows_of_node(allowed[0]))
    return [i for i in best if purity[i] >= reach]


def why_none(offers: Sequence[Offer]) -> str:
    """Name the reason of a node in which every candidate is refused."""
    in_order = ("min_samples_leaf", "min_weight_fraction_leaf", "zero_target")
    refusals = [refusal for offer in offers for refusal in offer.refusals]
    return next((rule for rule in in_order if rule in refusals), "no_better_split")
