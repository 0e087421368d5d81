"""How trees are grown and pruned: the options, and what each of them may be."""

from treewright.options.grow_options import (
    CLASS_CRITERIA,
    METHODS,
    NUMBER_CRITERIA,
    GrowOptions,
    check_criterion,
    criterion_hint,
)
from treewright.options.prune_options import PruneOptions

__all__ = [
    "CLASS_CRITERIA",
    "METHODS",
    "NUMBER_CRITERIA",
    "GrowOptions",
    "PruneOptions",
    "check_criterion",
    "criterion_hint",
]
