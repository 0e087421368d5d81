"""How much the error of a tree rises when the values of one column are shuffled."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from treewright.reading.answers.evaluation import row_losses
from treewright.tree.data import TreeData
from treewright.tree.loss import loss_of
from treewright.tree.new_rows import NewRows
from treewright.tree.route import Ends, columns_used, ends_of

__all__ = ["permutation_importance"]


def permutation_importance(
    tree: TreeData,
    rows: NewRows,
    repeats: int = 10,
    seed: int = 0,
) -> NDArray[np.float64]:
    """Return how much the error rises when the values of a column are shuffled.

    The error is the one of `Tree.evaluate`; a squared error is shown as its root.

    Parameters
    ----------
    tree : TreeData
        The tree.
    rows : NewRows
        Rows that were not used for growing.
    repeats : int, default=10
        Number of shuffles per column.
    seed : int, default=0
        Seed of the shuffles. A column's shuffles do not depend on the other columns.

    Returns
    -------
    float64 array of columns of the schema x repeats
        In the unit that people see; 0 for columns that the tree does not use.
    """
    loss = loss_of(tree)

    def error(ends: NDArray[np.int32] | Ends) -> float:
        mean = rows.own_weights @ row_losses(tree, rows.target, ends) / rows.total
        is_root = loss.unit == "root"
        return float(loss.shown(np.sqrt(mean), 1) if is_root else loss.shown(mean))

    n_rows = rows.n_rows
    before = error(rows.ends(tree))
    rise = np.zeros((len(tree.schema.features), repeats))
    shuffled = list(rows.columns)
    for column in columns_used(tree).tolist():
        values = rows.columns[column]
        assert values is not None
        rng = np.random.default_rng([seed, column])
        for repeat in range(repeats):
            shuffled[column] = values[rng.permutation(n_rows)]
            rise[column, repeat] = error(ends_of(tree, shuffled, n_rows)) - before
        shuffled[column] = values
    return rise
