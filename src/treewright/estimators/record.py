"""What an estimator knows beyond its tree: stored in the tree, and restored from it."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Any

from sklearn.base import BaseEstimator

from treewright.errors import OptionError
from treewright.model import Tree
from treewright.options.prune_options import is_pairs
from treewright.pruning.prune import not_pruned
from treewright.pruning.result import Pruning, without_tree
from treewright.storing.record import WITHOUT_EFFECT
from treewright.storing.values import NotStored, kept
from treewright.table.intake import Intake
from treewright.table.row_hashes import rows_fingerprint
from treewright.table.table import Table
from treewright.tree.data import TreeData
from treewright.tree.edit import with_made_by

__all__ = ["data_of", "known_of", "parameters_of", "recorded"]


def recorded(
    tree: TreeData,
    estimator: BaseEstimator,
    data: Mapping[str, Any],
    pruning: Pruning,
    intake: Intake | None = None,
) -> TreeData:
    """Return the tree with the record of the fit that made it.

    Parameters
    ----------
    tree : TreeData
        The tree.
    estimator : estimator
        What was fitted. Parameters that never change a tree, such as the number of
        threads, are not kept.
    data : mapping
        The training rows as they were read; see `data_of`.
    pruning : Pruning
        How the size was chosen.
    intake : Intake, optional
        What was suspicious about the table.

    Returns
    -------
    TreeData
    """
    values = vars(estimator)
    parameters = {name: values[name] for name in _names(estimator.__class__)}
    given = {n: kept(x) for n, x in parameters.items() if n not in WITHOUT_EFFECT}
    if is_pairs(parameters.get("cv")):  # numbers of rows
        given["cv"] = NotStored("folds")
    if isinstance(given.get("random_state"), NotStored):  # a generator, drawn from once
        given["random_state"] = tree.options.get("random_state")
    entries: dict[str, Any] = {
        "estimator": type(estimator).__name__,
        "parameters": given,
        "data": dict(data),
        "pruning": without_tree(pruning),
    }
    if pruning.tree is not None and pruning.tree.n_leaves > tree.n_leaves:
        entries["grown"] = pruning.tree
    if intake is not None:
        entries["intake"] = intake
    return with_made_by(tree, **entries)


@cache
def _names(estimator: type) -> list[str]:
    """Return the parameters; `get_params` would inspect the signature in every fit."""
    names: list[str] = estimator._get_param_names()  # type: ignore[attr-defined]
    return names


def data_of(table: Table) -> dict[str, Any]:
    """Return what is recorded about the training rows.

    Parameters
    ----------
    table : Table
        The training table as it was read.

    Returns
    -------
    dict
    """
    return {
        "rows": table.n_rows,
        "columns": table.n_columns,
        "fingerprint": rows_fingerprint(table),
    }


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
        if not isinstance(value, NotStored) and name not in WITHOUT_EFFECT
    }


def known_of(tree: TreeData) -> dict[str, Any]:
    """Return the fitted attributes that a tree keeps for its estimator.

    Parameters
    ----------
    tree : TreeData
        The tree.

    Returns
    -------
    dict
        `pruning_`, which says so if it is not known, and `intake_` if it is known.
    """
    made_by = tree.made_by
    found = {f"{n}_": made_by[n] for n in ("pruning", "intake") if n in made_by}
    if "pruning" in made_by:
        largest = made_by.get("grown", tree)
        found["pruning_"] = replace(made_by["pruning"], tree=largest, _face=Tree)
    why = "no estimator made this tree"
    if "estimator" in made_by:
        why = "the tree was changed after it was fitted"
    return {"pruning_": not_pruned(tree, f"not known: {why}")} | found
