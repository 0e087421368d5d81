"""Grow one tree from a table. `TrainingSet` grows many from one sort."""

from __future__ import annotations

from collections.abc import Callable
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
        their leaf. An exception it raises ends the growing.

    Returns
    -------
    TreeData
        The same tree for any number of threads and any order of the rows.
    """
    training = TrainingSet(table, options)
    return training.finish(training.grow(progress=progress, last=True))
