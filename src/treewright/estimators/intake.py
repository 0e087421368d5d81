"""The intake of `fit`: look at the table, say what is suspicious once, keep it."""

from __future__ import annotations

from typing import Any

import numpy as np

from treewright.model import Tree
from treewright.options import IntakeOptions
from treewright.pruning.result import Pruning
from treewright.table.announce import announce, refuse
from treewright.table.findings import FEWEST_ROWS, look_at
from treewright.table.intake import Finding, Intake
from treewright.table.table import ClassTarget, Table

__all__ = ["look_before", "say_after"]

_UNEVEN = 0.8  # share of the largest class


def look_before(table: Table, X: Any, y: Any, options: IntakeOptions) -> Intake:
    """Look at the training table, and refuse it if ``findings='error'`` says so.

    Parameters
    ----------
    table : Table
        The table as read, before class weights.
    X, y : object
        What it was read from.
    options : IntakeOptions
        What to do about findings.

    Returns
    -------
    Intake
    """
    intake = look_at(table, X, y)
    if options.findings == "error":
        refuse(intake)
    return intake


def say_after(
    intake: Intake, tree: Tree, pruning: Pruning, table: Table, options: IntakeOptions
) -> Intake:
    """Add what only the tree shows, and give the one warning of a fit.

    Parameters
    ----------
    intake : Intake
        What `look_before` returned.
    tree, pruning, table
        The tree, how it was pruned, and the table as read.
    options : IntakeOptions
        What to do about findings.

    Returns
    -------
    Intake
    """
    intake = intake.with_noted(_one_leaf(tree, pruning, table))
    if options.findings == "warn":
        announce(intake)
    elif options.findings == "error":
        refuse(intake)
    return intake


def _one_leaf(tree: Tree, pruning: Pruning, table: Table) -> list[Finding]:
    """Find classes so uneven that pruning leaves nothing but the largest."""
    target = table.target
    grew = tree.n_leaves == 1 < pruning.n_leaves_before
    looked_at = table.n_rows >= FEWEST_ROWS and table.schema.named
    if not (grew and looked_at and isinstance(target, ClassTarget)):
        return []
    counts = np.bincount(target.codes, weights=table.weights)
    share = counts.max() / counts.sum()
    most = target.classes.tolist()[int(counts.argmax())]  # also of an array of objects
    if share < _UNEVEN:
        return []
    return [
        Finding(
            "one_leaf",
            None,
            f"{share:.1%} of the rows are {most!r}, and the chosen tree is one "
            "leaf that always says so",
            "class_weight='balanced', costs or priors make the other classes count.",
        )
    ]
