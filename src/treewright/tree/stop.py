"""Why a node is a leaf: names for programs, sentences for people."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

__all__ = ["STOP_CODES", "STOP_REASONS", "StopReason"]


class StopReason(NamedTuple):
    """Why a leaf was not split: a name for programs, a sentence for people."""

    name: str
    sentence: str


_OF_GROWING: Final[tuple[StopReason, ...]] = (
    StopReason("", "No reason is recorded."),
    StopReason("pure", "All rows have the same target."),
    StopReason("max_depth", "The tree may not be deeper (max_depth)."),
    StopReason("min_samples_split", "Too few rows to split (min_samples_split)."),
    StopReason(
        "min_samples_leaf",
        "Every split leaves a branch with too few rows (min_samples_leaf).",
    ),
    StopReason(
        "min_weight_fraction_leaf",
        "Every split leaves a branch with too little weight "
        "(min_weight_fraction_leaf, or min_samples_leaf='auto').",
    ),
    StopReason("identical_rows", "No usable column tells the rows apart."),
    StopReason("zero_target", "Every split leaves a branch in which the target is 0."),
    StopReason("min_gain", "The best split gains too little (min_gain)."),
    StopReason(
        "min_impurity_decrease",
        "The best split gains too little for the rows it divides "
        "(min_impurity_decrease).",
    ),
    StopReason(
        "max_leaf_nodes",
        "The tree has as many leaves as it may have (max_leaf_nodes).",
    ),
    StopReason("max_nodes", "The tree has as many nodes as it may have (max_nodes)."),
    StopReason("pruned", "The split that was here has been pruned away."),
    StopReason(
        "no_better_split",
        "No split with two branches of the minimum weight gains anything "
        "(min_branch_weight).",
    ),
    StopReason("no_rows", "No training row came here."),
)
_OF_PRUNING: Final[tuple[StopReason, ...]] = (
    StopReason(
        "cross_validation", "Cross-validation preferred a leaf to the split here."
    ),
    StopReason(
        "validation", "The validation rows are answered as well without the split here."
    ),
    StopReason(
        "pessimistic", "The split here does not pay by its pessimistic estimate."
    ),
    StopReason(
        "ccp_alpha", "The split here saves less per leaf than it costs (ccp_alpha)."
    ),
    StopReason("collapsed", "The split here was removed by hand."),
    StopReason("same_answer", "All leaves of the split here gave the same answer."),
)
_FIRST_OF_PRUNING: Final = 20

STOP_REASONS: Final[tuple[StopReason, ...]] = (
    *_OF_GROWING,
    *(_OF_GROWING[0],) * (_FIRST_OF_PRUNING - len(_OF_GROWING)),
    *_OF_PRUNING,
)
"""Name and sentence of each `stop_reason`, by its number; 0 = none recorded.

Growing checks the reasons in this order and records the first that applies. The
reasons from 20 on name the method that pruned a split.
"""
STOP_CODES: Final[Mapping[str, int]] = MappingProxyType(
    {reason.name: code for code, reason in enumerate(STOP_REASONS) if reason.name}
)
"""Number of each stop reason, by its name."""
