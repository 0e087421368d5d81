"""How much a tree's answers suffer when one column is shuffled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.table.match import MatchedColumns
from treewright.tree.data import TreeData
from treewright.tree.route import columns_used, route

__all__ = ["permutation_importance"]


def permutation_importance(
    tree: TreeData,
    columns: MatchedColumns,
    score: Callable[[NDArray[np.int32]], float],
    repeats: int = 10,
    seed: int = 0,
) -> NDArray[np.float64]:
    """Return the fall of the score when a column's values change rows at random.

    Parameters
    ----------
    tree : TreeData
        The tree.
    columns : MatchedColumns
        Rows that were not used for growing.
    score : callable
        From the node in which each row ends to a score, more being better.
    repeats : int, default=10
        Shuffles of each column.
    seed : int, default=0
        Of the shuffles. A column's shuffles do not depend on the other columns.

    Returns
    -------
    float64 array of columns of the schema x repeats
        0 for columns that the tree does not look at.
    """
    n_rows = columns.n_rows
    before = score(route(tree, columns, n_rows))
    fallen = np.zeros((len(tree.schema.features), repeats))
    shuffled: list[NDArray[Any] | None] = list(columns)
    for column in columns_used(tree).tolist():
        values = columns[column]
        assert values is not None
        rng = np.random.default_rng([seed, column])
        for repeat in range(repeats):
            shuffled[column] = values[rng.permutation(n_rows)]
            fallen[column, repeat] = before - score(route(tree, shuffled, n_rows))
        shuffled[column] = values
    return fallen
