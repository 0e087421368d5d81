"""Which candidates are allowed at a node, and which of them wins."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from treewright.errors import TableError
from treewright.growing.reference.candidates import (
    Candidate,
    Groupings,
    Levels,
    thresholds,
)
from treewright.growing.reference.sums import Number, Sums, Target, gain_of, gini

# Two gains are a tie when they differ by less than this share of the impurity.
TIE = Fraction(1, 10**12)
MOST_LEVELS = 12  # groupings of more levels than this are not enumerated


@dataclass(frozen=True)
class Rules:
    """What every branch must hold."""

    min_rows: int
    min_weight: float
    weight_scale: int
    needs_target: bool

    def refuses(self, candidate: Candidate) -> str:
        """Name the first rule that a candidate breaks; empty if it is allowed."""
        branches = candidate.branches
        if min(b.n_rows for b in branches) < self.min_rows:
            return "min_samples_leaf"
        if min(self.weight(b) for b in branches) < self.min_weight:
            return "min_weight_fraction_leaf"
        if self.needs_target and min(b.parts[0] for b in branches) == 0:
            return "zero_target"
        return ""

    def weight(self, sums: Sums) -> float:
        """Weight in units of the table."""
        return sums.weight / self.weight_scale


@dataclass(frozen=True)
class Choice:
    """The split that won, or the reason why there is none."""

    split: Candidate | None
    gain: Number = 0.0
    reason: str = ""


def choose(
    columns: Sequence[tuple[Levels, bool]],
    impurity: Number,
    target: Target,
    rules: Rules,
) -> Choice:
    """Find the best allowed split of a node.

    `columns` holds the levels of each column, in table order, and whether they
    are categories. The best gain is found first; the winner is the first
    candidate, in the order of columns and of candidates, that reaches it.
    """
    tie = TIE * Fraction(impurity)
    candidates: list[Candidate] = []
    for levels, are_categories in columns:
        if are_categories:
            candidates += groupings(Groupings(levels, target), tie, target, rules)
        else:
            candidates += thresholds(levels)
    refusals = [rules.refuses(candidate) for candidate in candidates]
    allowed = [
        c for c, refusal in zip(candidates, refusals, strict=True) if not refusal
    ]
    if not allowed:
        return Choice(None, reason=_why_none(refusals))
    gains = [target.gain(candidate.branches) for candidate in allowed]
    reach = max(gains) - tie
    best = [i for i, gain in enumerate(gains) if gain >= reach]
    if target.criterion == "misclassification":
        best = _purest(best, allowed)
    return Choice(allowed[best[0]], gains[best[0]])


def groupings(
    found: Groupings, tie: Fraction, target: Target, rules: Rules
) -> list[Candidate]:
    """List the groupings that compete: the prefixes where they suffice, else all.

    With two classes or a numeric target a prefix is the best grouping there is
    (Fisher; Breiman et al.), unless the rules refuse it.
    """
    prefixes = found.prefixes()
    if target.n_classes <= 2 and prefixes:
        gains = [target.gain(prefix.branches) for prefix in prefixes]
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
    purity = {i: gain_of("gini", allowed[i].branches) for i in best}
    whole = allowed[0].left + allowed[0].right
    reach = max(purity.values()) - TIE * gini(whole)
    return [i for i in best if purity[i] >= reach]


def _why_none(refusals: Sequence[str]) -> str:
    """Name the reason of a node in which every candidate is refused."""
    in_order = ("min_samples_leaf", "min_weight_fraction_leaf", "zero_target")
    return next(rule for rule in in_order if rule in refusals)
