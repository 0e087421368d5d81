"""Grow one tree from a table. `TrainingSet` grows many trees from one sort."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from treewright.growing.training_set import TrainingSet
from treewright.options import GrowOptions
from treewright.table.table import Table
from treewright.tree.data import TreeData

__all__ = ["grow"]


def grow(
    table: Table,
    options: GrowOptions | None = None,
    *,
    progress: Callable[[float], Any] | None = None,
) -> TreeData:
    """Grow the exact greedy tree of a table.

    Parameters
    ----------
    table : Table
        Columns, target and weights, from `as_table`.
    options : GrowOptions, optional
        Criterion, stopping rules and so on.
    progress : callable, optional
        Called about ten times a second with the share of rows that have reached
        their leaf. Growing ends if it raises an exception.

    Returns
    -------
    TreeData
        The same tree for any number of threads and any order of the rows.
    """
    if options is not None and options.min_samples_leaf == "auto":
        # 'auto' suits trees whose size is chosen afterwards.
        options = replace(options, min_samples_leaf=1)
    training = TrainingSet(table, options)
    return training.finish(training.grow(progress=progress, last=True))
