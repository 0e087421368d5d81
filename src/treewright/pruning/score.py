"""The loss of a tree, at one or all of its sizes, on rows it was not grown on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.pruning.divided import divided_at_steps, plain_loss
from treewright.table.costs import cost_factors
from treewright.table.table import ClassTarget, NumericTarget, Table, Target
from treewright.tree.answer import node_answers
from treewright.tree.data import TreeData
from treewright.tree.loss import loss_by_node, loss_of, number_criterion
from treewright.tree.new_rows import NewRows
from treewright.tree.route import Ends, columns_used

__all__ = [
    "core_arguments",
    "first_steps",
    "loss_at_nodes",
    "loss_at_steps",
    "part_of",
    "parts_or_ends",
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
        The table, with weights altered for growing; see `table.costs`.
    factors : float array, optional
        The factor by which the weight of each class was multiplied. Without it, priors
        stay in the weights.

    Returns
    -------
    weights : float array or None
        The weights of the rows; None if all are 1.
    scale : float array or None
        The factor of each class by its prior.
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
    """Return some rows of a table, with the columns that a tree uses.

    Parameters
    ----------
    tree : TreeData
        The tree.
    table : Table
        Columns and target.
    rows : int array
        The row numbers.
    weights, scale : float array or None
        The result of `unaltered` for all rows.

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
) -> NDArray[np.float64]:
    """Return the summed loss of rows at every alpha, by the answers of the tree.

    Parameters
    ----------
    tree : TreeData
        A tree.
    collapse_alpha : float array
        The alpha at which each node collapses, from the tree's path.
    alphas : float array
        Prices of a leaf, ascending.
    rows : NewRows
        The rows.

    Returns
    -------
    float array, one entry per alpha
        Sums of weight x loss. The loss is the cost of the answer for classes; squared
        error, half the deviance or absolute error for numbers. The answer of a divided
        row is the mean over its parts, as in prediction.
    """
    first_step, n_steps = first_steps(collapse_alpha, alphas), len(alphas)
    ends = parts_or_ends(tree, rows)
    if isinstance(ends, Ends):
        answers, loss = node_answers(tree), plain_loss(tree, rows)
        sums = divided_at_steps(tree, rows, ends, first_step, n_steps, answers, loss)
        return np.asarray(sums[0])
    arguments = core_arguments(tree, rows, ends) | {"first_step": first_step}
    return np.asarray(_core.score_steps(arguments, n_steps)[0])


def first_steps(
    collapse_alpha: NDArray[np.float64], alphas: NDArray[np.float64]
) -> NDArray[np.int32]:
    """Return the first alpha at which each inner node is collapsed, by its number."""
    # NaN, the value at leaves, sorts last: a leaf never collapses.
    return np.searchsorted(alphas, collapse_alpha).astype(np.int32)


def parts_or_ends(tree: TreeData, rows: NewRows) -> NDArray[np.int32] | Ends:
    """Return where rows end; as parts if the core cannot compute their loss."""
    ends = rows.ends(tree)
    if isinstance(ends, Ends) or _core_has_loss(tree):
        return ends
    n = rows.n_rows
    return Ends(n, np.arange(n), ends, np.ones(n))


def _core_has_loss(tree: TreeData) -> bool:
    return tree.is_classifier or number_criterion(tree).core_loss is not None


def loss_at_nodes(
    tree: TreeData, rows: NewRows
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the summed loss of the rows that pass each node, and that end in it.

    Parameters
    ----------
    tree : TreeData
        A tree that does not divide rows.
    rows : NewRows
        The rows.

    Returns
    -------
    passed, ended : float arrays, one entry per node
        The loss of all rows that pass a node if they got its answer, and the loss of
        the rows that end in it.
    """
    ends = rows.ends(tree)
    assert not isinstance(ends, Ends)
    if not _core_has_loss(tree):
        y, own, answers = rows.y, rows.own_weights, node_answers(tree)[:, 0]
        loss = own * loss_of(tree).of_numbers(y, answers[ends])
        ended = np.bincount(ends, loss, minlength=tree.n_nodes).astype(np.float64)
        return loss_by_node(tree, ends, y, own, answers), ended
    sums: tuple[NDArray[np.float64], NDArray[np.float64]] = _core.node_losses(
        core_arguments(tree, rows, ends)
    )
    return sums


def part_of(
    tree: TreeData, columns: Sequence[NDArray[Any]], rows: NDArray[np.int64]
) -> list[NDArray[Any] | None]:
    """Return the rows of the columns that a tree uses; None for other columns."""
    part: list[NDArray[Any] | None] = [None] * len(columns)
    for j in columns_used(tree).tolist():
        part[j] = columns[j][rows]
    return part


def core_arguments(
    tree: TreeData,
    rows: NewRows,
    nodes: NDArray[np.int32],
    answers: NDArray[np.float64] | None = None,
) -> dict[str, Any]:
    """Return the tree and the rows in the form that the core expects.

    Parameters
    ----------
    tree : TreeData
        A tree that does not divide rows.
    rows : NewRows
        The rows.
    nodes : int array
        Where each row ends.
    answers : float array, optional
        What nodes answer, if not what the tree says; numbers only.

    Returns
    -------
    dict
    """
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
    answers = node_answers(tree)[:, 0] if answers is None else answers
    return common | {
        "value": np.ascontiguousarray(tree.in_units(answers)),
        "costs": _NO_NUMBERS,
        "row_label": _NO_CODES,
        "row_value": tree.in_units(target.values),
        "loss": number_criterion(tree).core_loss,
    }
