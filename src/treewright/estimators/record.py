"""What an estimator knows beyond its tree: stored in the tree, and restored from it."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

from treewright.errors import OptionError
from treewright.options.prune_options import is_pairs
from treewright.pruning.prune import not_pruned
from treewright.pruning.result import Pruning
from treewright.storing.values import NotStored, kept
from treewright.table.row_hashes import rows_fingerprint
from treewright.table.table import Table
from treewright.tree.data import TreeData
from treewright.tree.edit import with_made_by

__all__ = ["parameters_of", "pruning_of", "recorded"]

_NEVER_KEPT = ("n_jobs", "progress")


def recorded(
    tree: TreeData,
    estimator: str,
    parameters: Mapping[str, Any],
    table: Table,
    pruning: Pruning,
) -> TreeData:
    """Return the tree with the record of the fit that made it.

    Parameters
    ----------
    tree : TreeData
        The tree.
    estimator : str
        The class of the estimator.
    parameters : mapping
        Its parameters. The number of threads and the progress bar, which never change
        a tree, are not kept.
    table : Table
        The training table as it was read.
    pruning : Pruning
        How the size was chosen.

    Returns
    -------
    TreeData
    """
    given = {n: kept(each) for n, each in parameters.items() if n not in _NEVER_KEPT}
    if is_pairs(parameters.get("cv")):  # numbers of rows
        given["cv"] = NotStored("folds")
    if isinstance(given.get("random_state"), NotStored):  # a generator, drawn from once
        given["random_state"] = tree.options.get("random_state")
    data = {
        "rows": table.n_rows,
        "columns": table.n_columns,
        "fingerprint": rows_fingerprint(table),
    }
    return with_made_by(
        tree, estimator=estimator, parameters=given, data=data, pruning=pruning
    )


def parameters_of(tree: TreeData, estimator: type) -> dict[str, Any]:
    """Return the parameters with which an estimator would grow a tree again.

    Parameters
    ----------
    tree : TreeData
        The tree.
    estimator : type
        The class of the estimator.

    Returns
    -------
    dict
        Those that were recorded, except objects that could not be stored; of a tree
        that no estimator made, the options of growing.
    """
    known = inspect.signature(estimator).parameters
    found = tree.made_by.get("parameters")
    if found is None:
        found = {**tree.options, "prune": None}
    unknown = [name for name in found if name not in known]
    if unknown:
        maker = tree.made_by.get("estimator", "estimator")
        raise OptionError(
            f"{estimator.__name__} has no parameter {unknown[0]!r}, with which this "
            f"tree was fitted by a {maker} of treewright "
            f"{tree.made_by.get('version', 'unknown')}. Use that class and version."
        )
    return {
        name: value
        for name, value in found.items()
        if not isinstance(value, NotStored) and name not in _NEVER_KEPT
    }


def pruning_of(tree: TreeData) -> Pruning:
    """Return the record of how a tree got its size, or say that there is none."""
    pruning = tree.made_by.get("pruning")
    if isinstance(pruning, Pruning):
        return pruning
    why = "not known: no estimator made this tree"
    if "estimator" in tree.made_by:
        why = "not known: the tree was changed after it was fitted"
    return not_pruned(tree, why)
