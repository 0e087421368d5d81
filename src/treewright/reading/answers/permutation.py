"""How much a tree's answers suffer when one column is shuffled."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from treewright.tree.data import TreeData
from treewright.tree.new_rows import NewRows
from treewright.tree.route import Ends, columns_used, ends_of

__all__ = ["permutation_importance"]


def permutation_importance(
    tree: TreeData,
    rows: NewRows,
    score: Callable[[NDArray[np.int32] | Ends], float],
    repeats: int = 10,
    seed: int = 0,
) -> NDArray[np.float64]:
    """Return the fall of the score when a column's values change rows at random.

    Parameters
    ----------
    tree : TreeData
        The tree.
    rows : NewRows
        Rows that were not used for growing.
    score : callable
        From where the rows end to a score, more being better.
    repeats : int, default=10
        Shuffles of each column.
    seed : int, default=0
        Seed of the shuffles. A column's shuffles do not depend on the other columns.

    Returns
    -------
    float64 array of columns of the schema x repeats
        0 for columns that the tree does not look at.
    """
    n_rows = rows.n_rows
    before = score(rows.ends(tree))
    fallen = np.zeros((len(tree.schema.features), repeats))
    shuffled = list(rows.columns)
    for column in columns_used(tree).tolist():
        values = rows.columns[column]
        assert values is not None
        rng = np.random.default_rng([seed, column])
        for repeat in range(repeats):
            shuffled[column] = values[rng.permutation(n_rows)]
            fallen[column, repeat] = before - score(ends_of(tree, shuffled, n_rows))
        shuffled[column] = values
    return fallen
