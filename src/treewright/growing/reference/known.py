"""Gains from the rows whose value is known.

Surrogates and fractional rows do not ask where missing values should go while they
search: a split is judged on the rows that it can place, and its gain counts for
their share of the node's weight. What the others do is settled after the choice.
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
    """Put the missing rows out of the search's sight."""
    return replace(levels, missing=target.zero, unknown=levels.missing)


def gain_at_node(split: Candidate, target: Target) -> Number:
    """Return F * gain among the known rows, F their share of the node's weight."""
    return target.gain(split.branches) * known_share(split)


def gini_gain_at_node(split: Candidate) -> Number:
    """Return the same for the Gini impurity, which decides between errors as few."""
    return gain_of(gini, split.branches) * known_share(split)


def known_share(split: Candidate) -> Fraction:
    """Return F, the known rows' share of the node's weight."""
    return Fraction(together(split.branches).weight, rows_of_node(split).weight)


def rows_of_node(split: Candidate) -> Sums:
    """Join the rows that a split places with those that it cannot."""
    return together(split.branches) + split.unknown
