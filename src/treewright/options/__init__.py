"""The options of reading, growing and pruning, and the values that each one accepts."""

from treewright.options.grow_options import (
    METHODS,
    GrowOptions,
    check_criterion,
)
from treewright.options.intake_options import IntakeOptions
from treewright.options.prune_options import PruneOptions

__all__ = [
    "METHODS",
    "GrowOptions",
    "IntakeOptions",
    "PruneOptions",
    "check_criterion",
]
