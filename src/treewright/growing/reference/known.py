"""Gains from the rows whose value is known.

With surrogates and with fractional rows, the search does not decide where missing
values go. It scores a split on the rows that the split can place, and multiplies the
gain by their share of the node's weight. The other rows are routed after the choice.
"""

from dataclasses import replace
from fractions import Fraction

from treewright.growing.reference.candidates import Candidate, Levels
from treewright.growing.reference.sums import (
    Number,
    Sums,
    Target,
    gain_of,
    gini,
    together,
)


def known_only(levels: Levels, target: Target) -> Levels:
    """Move the missing rows out of the search, into `unknown`."""
    return replace(levels, missing=target.zero, unknown=levels.missing)


def gain_at_node(split: Candidate, target: Target) -> Number:
    """Return F * gain, with F and the gain from the known rows; see `known_share`."""
    return target.gain(split.branches) * known_share(split)


def gini_gain_at_node(split: Candidate) -> Number:
    """Return the same for the Gini impurity, which decides ties in the error."""
    return gain_of(gini, split.branches) * known_share(split)


def known_share(split: Candidate) -> Fraction:
    """Return F, the known rows' share of the node's weight."""
    return Fraction(together(split.branches).weight, rows_of_node(split).weight)


def rows_of_node(split: Candidate) -> Sums:
    """Join the rows that a split places with the rows that it cannot place."""
    return together(split.branches) + split.unknown
