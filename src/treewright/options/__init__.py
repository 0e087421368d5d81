"""How trees are grown and pruned: the options, and what each of them may be."""

from treewright.options.grow_options import (
    METHODS,
    GrowOptions,
    check_criterion,
)
from treewright.options.prune_options import PruneOptions

__all__ = [
    "METHODS",
    "GrowOptions",
    "PruneOptions",
    "check_criterion",
]
