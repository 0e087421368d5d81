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
NEARLY = 1 - 1e-9  # this share of a limit reaches it: parts of rows are rounded


@dataclass(frozen=True)
class SplitLimits:
    """The rows and the weight that every branch must have.

    Only `min_branch_weight` is required of two branches, not of all. A divided row
    counts by its share, but any share of a row satisfies a minimum of one row.
    `n_classes` is above 0 where a threshold needs J48's minimum weight on either side.
    """

    min_rows: int
    min_weight: float
    weight_scale: int
    needs_target: bool
    min_branch_weight: float = 0.0
    n_classes: int = 0

    def refuses(self, candidate: Candidate) -> str:
        """Name the first rule that a candidate breaks, or "" if it is allowed."""
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
        """Return the weight in units of the table."""
        return sums.weight / self.weight_scale


def enough_rows(sums: Sums, least: int, no_rule: int = 1) -> bool:
    """Whether there are at least `least` rows; a divided row counts by its share.

    Up to `no_rule`, any share of a row counts as a whole row.
    """
    if least <= no_rule:
        return sums.n_rows >= least
    return sums.counted >= least * NEARLY


@dataclass(frozen=True)
class Offer:
    """The allowed candidates of a column, in order, and their gains.

    `refusals` names the rules that refused the other candidates. `charge` is
    subtracted from the gains only where columns compete.
    """

    levels: Levels
    allowed: list[Candidate]
    gains: list[Number]
    refusals: list[str]
    charge: Fraction = Fraction(0)


@dataclass(frozen=True)
class Choice:
    """The split that won, or the reason that there is none."""

    split: Candidate | None
    gain: Number = 0.0
    reason: str = ""


def offers_of(
    columns: Sequence[tuple[Levels, str]],
    impurity: Number,
    target: Target,
    rules: SplitLimits,
    charged: Collection[int] = (),
) -> list[Offer]:
    """List the candidates of each column.

    `columns` holds the levels of each column, in table order, and how they are split:
    by "thresholds", "groupings" or "multiway". `charged` lists the columns whose
    groupings pay for their number.
    """
    tie = TIE * Fraction(impurity)
    offers = []
    for levels, split_type in columns:
        candidates: list[Candidate]
        if split_type == "multiway":
            candidates = multiway(levels)
        elif split_type == "groupings":
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
    """Find the split with the largest gain after the charge of its column.

    The winner is the first candidate, in the order of columns and of candidates, whose
    gain ties with the largest.
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
    found: Groupings, tie: Fraction, target: Target, rules: SplitLimits
) -> list[Candidate]:
    """List the groupings that compete: the prefixes where they suffice, else all.

    With two classes, and for the variance and the deviance of a numeric target, some
    prefix is the best of all groupings (Fisher; Breiman et al.), unless the rules
    refuse it. There is no such result for the absolute error and for registered
    criteria.
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
            f"The reference grower lists all groupings of at most {MOST_LEVELS} "
            f"levels; column {found.column} has {len(found)} in one node. Use grow."
        )
    return [*prefixes, *found.others()]


def _purest(best: list[int], allowed: Sequence[Candidate]) -> list[int]:
    """Return the candidates with the largest Gini gain; it decides ties in errors."""
    purity = {i: gini_gain_at_node(allowed[i]) for i in best}
    reach = max(purity.values()) - TIE * gini(rows_of_node(allowed[0]))
    return [i for i in best if purity[i] >= reach]


def why_none(offers: Sequence[Offer]) -> str:
    """Name the stop reason of a node in which every candidate is refused."""
    in_order = ("min_samples_leaf", "min_weight_fraction_leaf", "zero_target")
    refusals = [refusal for offer in offers for refusal in offer.refusals]
    return next((rule for rule in in_order if rule in refusals), "no_better_split")
