"""What a tree, or all sizes of it, cost on rows it has not seen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.table.costs import cost_factors
from treewright.table.table import ClassTarget, NumericTarget, Table, Target
from treewright.tree.data import TreeData
from treewright.tree.loss import number_criterion
from treewright.tree.new_rows import NewRows
from treewright.tree.route import Ends, columns_used

__all__ = [
    "loss_at_nodes",
    "loss_at_steps",
    "part_of",
    "rows_left_out",
    "unaltered",
]

_NO_CODES = np.zeros(0, dtype=np.int32)
_NO_NUMBERS = np.zeros(0)


def unaltered(
    table: Table, factors: NDArray[np.float64] | None = None
) -> tuple[NDArray[np.float64] | None, NDArray[np.float64] | None]:
    """Return the weights of a table's rows before priors and costs altered them.

    Parameters
    ----------
    table : Table
        With weights altered for growing; see `table.costs`.
    factors : float array, optional
        What the weight of each class was multiplied by. Without it, priors stay
        in the weights.

    Returns
    -------
    weights : float array or None
        None: all 1.
    scale : float array or None
        Of each class, by its prior.
    """
    info, target, weights = table.schema.target, table.target, table.weights
    if info is None or weights is None or not isinstance(target, ClassTarget):
        return weights, None
    by_cost = None if info.costs is None else cost_factors(info.costs)
    scale = None
    if info.priors is not None and factors is not None:
        scale = factors if by_cost is None else factors / by_cost
        return weights / factors[target.codes], scale
    return weights if by_cost is None else weights / by_cost[target.codes], None


def rows_left_out(
    tree: TreeData,
    table: Table,
    rows: NDArray[np.int64],
    weights: NDArray[np.float64] | None,
    scale: NDArray[np.float64] | None = None,
) -> NewRows:
    """Return some rows of a table, with the columns that a tree asks for.

    Parameters
    ----------
    tree : TreeData
        The tree.
    table : Table
        Columns and target.
    rows : int array
        Which rows.
    weights, scale : float array or None
        From `unaltered`, of all rows.

    Returns
    -------
    NewRows
    """
    part = part_of(tree, [column.data for column in table.columns], rows)
    target: Target = table.target  # type: ignore[assignment]
    if isinstance(target, ClassTarget):
        target = ClassTarget(target.codes[rows], target.classes, target.name)
    else:
        target = NumericTarget(target.values[rows], target.name)
    return NewRows(part, target, None if weights is None else weights[rows], scale)


def loss_at_steps(
    tree: TreeData,
    collapse_alpha: NDArray[np.float64],
    alphas: NDArray[np.float64],
    rows: NewRows,
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
    rows : NewRows
        The rows.

    Returns
    -------
    loss, squared_loss : float arrays, one entry per alpha
        Sums of weight x loss and weight x loss^2: for classes the cost of the
        answer, for numbers squared error, half the deviance or absolute error. The
        parts of a divided row answer together, as in prediction.
    """
    # NaN, at leaves, is larger than all: a leaf never collapses.
    first_step = np.searchsorted(alphas, collapse_alpha).astype(np.int32)
    ends = rows.ends(tree)
    if not isinstance(ends, Ends) and not _core_has_loss(tree):
        n = rows.n_rows
        ends = Ends(n, np.arange(n), ends, np.ones(n))
    if isinstance(ends, Ends):
        # Imported late: it scores by this module's rows.
        from treewright.pruning.divided import divided_at_steps

        return divided_at_steps(tree, rows, ends, first_step, len(alphas))
    given = _given(tree, rows, ends) | {"first_step": first_step}
    sums: tuple[NDArray[np.float64], NDArray[np.float64]] = _core.score_steps(
        given, len(alphas)
    )
    return sums


def _core_has_loss(tree: TreeData) -> bool:
    return tree.is_classifier or number_criterion(tree).core_loss is not None


def loss_at_nodes(
    tree: TreeData, rows: NewRows
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the summed loss of the rows that pass, and that end in, each node.

    Parameters
    ----------
    tree : TreeData
        A tree that does not divide rows.
    rows : NewRows
        The rows.

    Returns
    -------
    passed, ended : float arrays, one entry per node
        As if all that pass were answered there; and of those that end there.
    """
    ends = rows.ends(tree)
    assert not isinstance(ends, Ends)
    sums: tuple[NDArray[np.float64], NDArray[np.float64]] = _core.node_losses(
        _given(tree, rows, ends)
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


def _given(tree: TreeData, rows: NewRows, nodes: NDArray[np.int32]) -> dict[str, Any]:
    """Return tree and rows as the core takes them."""
    target = rows.target
    common: dict[str, Any] = {
        "subtree_size": tree.subtree_size,
        "first_step": _NO_CODES,
        "label": tree.label,
        "n_classes": tree.value.shape[1],
        "weight": _NO_NUMBERS if rows.weights is None else rows.weights,
        "node": nodes,
    }
    if isinstance(target, ClassTarget):
        costs = rows.costs(tree)
        return common | {
            "value": _NO_NUMBERS,
            "costs": _NO_NUMBERS if costs is None else costs.ravel(),
            "row_label": target.codes,
            "row_value": _NO_NUMBERS,
            "loss": 0,
        }
    return common | {
        "value": np.ascontiguousarray(tree.in_units(tree.value[:, 0])),
        "costs": _NO_NUMBERS,
        "row_label": _NO_CODES,
        "row_value": tree.in_units(target.values),
        "loss": number_criterion(tree).core_loss,
    }
