"""What a tree, or all sizes of it, cost on rows it has not seen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.pruning.risks import cost_matrix
from treewright.table.table import ClassTarget, Target
from treewright.tree.data import TreeData
from treewright.tree.route import columns_used, route

__all__ = ["loss_at_nodes", "loss_at_steps", "part_of"]

_LOSSES = {"squared_error": 1, "poisson": 2, "absolute_error": 3}
_NO_CODES = np.zeros(0, dtype=np.int32)
_NO_NUMBERS = np.zeros(0)


def loss_at_steps(
    tree: TreeData,
    collapse_alpha: NDArray[np.float64],
    alphas: NDArray[np.float64],
    columns: Sequence[NDArray[Any] | None],
    target: Target,
    weights: NDArray[np.float64] | None,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the summed loss, and squared loss, of rows at every alpha.

    Parameters
    ----------
    tree : TreeData
        A tree.
    collapse_alpha : float array
        Of its nodes, from its path.
    alphas : float array
        Rising prices of a leaf.
    columns : sequence of array or None
        The rows, as `route` takes them.
    target : ClassTarget or NumericTarget
        Their target.
    weights : float array or None
        Their weights.

    Returns
    -------
    loss, squared_loss : float arrays, one entry per alpha
        Sums of weight x loss and weight x loss^2: for classes the cost of the
        answer, for numbers squared error, half the deviance or absolute error.
    """
    # NaN, at leaves, is larger than all: a leaf never collapses.
    first_step = np.searchsorted(alphas, collapse_alpha).astype(np.int32)
    given = _given(tree, columns, target, weights) | {"first_step": first_step}
    sums: tuple[NDArray[np.float64], NDArray[np.float64]] = _core.score_steps(
        given, len(alphas)
    )
    return sums


def loss_at_nodes(
    tree: TreeData,
    columns: Sequence[NDArray[Any] | None],
    target: Target,
    weights: NDArray[np.float64] | None,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the summed loss of the rows that pass, and that end in, each node.

    Parameters
    ----------
    tree, columns, target, weights
        See `loss_at_steps`.

    Returns
    -------
    passed, ended : float arrays, one entry per node
        As if all that pass were answered there; and of those that end there.
    """
    sums: tuple[NDArray[np.float64], NDArray[np.float64]] = _core.node_losses(
        _given(tree, columns, target, weights)
    )
    return sums


def part_of(
    tree: TreeData, columns: Sequence[NDArray[Any]], rows: NDArray[np.int64]
) -> list[NDArray[Any] | None]:
    """Return the rows of the columns that a tree asks for."""
    part: list[NDArray[Any] | None] = [None] * len(columns)
    for j in columns_used(tree).tolist():
        part[j] = columns[j][rows]
    return part


def _given(
    tree: TreeData,
    columns: Sequence[NDArray[Any] | None],
    target: Target,
    weights: NDArray[np.float64] | None,
) -> dict[str, Any]:
    """Return tree and rows as the core takes them."""
    common: dict[str, Any] = {
        "subtree_size": tree.subtree_size,
        "first_step": _NO_CODES,
        "label": tree.label,
        "n_classes": tree.value.shape[1],
        "weight": _NO_NUMBERS if weights is None else weights,
    }
    if isinstance(target, ClassTarget):
        costs = cost_matrix(tree)
        return common | {
            "value": _NO_NUMBERS,
            "costs": _NO_NUMBERS if costs is None else costs.ravel(),
            "node": route(tree, columns, len(target.codes)),
            "row_label": target.codes,
            "row_value": _NO_NUMBERS,
            "loss": 0,
        }
    criterion = tree.made_by.get("options", {}).get("criterion")
    return common | {
        "value": np.ascontiguousarray(tree.value[:, 0]),
        "costs": _NO_NUMBERS,
        "node": route(tree, columns, len(target.values)),
        "row_label": _NO_CODES,
        "row_value": target.values,
        "loss": _LOSSES.get(str(criterion), 1),
    }
