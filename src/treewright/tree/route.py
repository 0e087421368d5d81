"""Rows to nodes: the one routing entry, and the way each row took.

Whoever needs to know where a row ends (predict, apply, decision_path, rows of a
node, explanations, checks) asks here, so no two answers can differ.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treewright.tree.costs import growth_weight
from treewright.tree.data import ALL_BRANCHES, TreeData
from treewright.tree.walk import children

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

__all__ = [
    "MISSING_ROUTE",
    "OWN_VALUE",
    "Ends",
    "Turn",
    "branch_shares",
    "branches_at",
    "columns_used",
    "decision_path",
    "divides_rows",
    "ends_of",
    "ends_of_matrix",
    "route",
    "route_answers",
    "route_matrix",
    "share_at",
    "turn_at",
]

OWN_VALUE = -1
"""The row's own value chose its branch."""
MISSING_ROUTE = -2
"""No value that the node knows: the row takes the missing route."""


class Ends(NamedTuple):
    """Where rows end in a tree that divides them: an entry for every part of a row.

    Entries lie row by row. `shares` of a row sum to 1.
    """

    n_rows: int
    rows: NDArray[np.int64]
    nodes: NDArray[np.int32]
    shares: NDArray[np.float64]

    def total(self, of_nodes: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return for each row the mean of its nodes' entries, by their shares."""
        parts = of_nodes[self.nodes] * self.shares.reshape(
            -1, *[1] * (of_nodes.ndim - 1)
        )
        first = np.searchsorted(self.rows, np.arange(self.n_rows))
        if not self.n_rows:
            return np.empty((0, *of_nodes.shape[1:]))
        return np.asarray(np.add.reduceat(parts, first, axis=0))


def divides_rows(tree: TreeData) -> bool:
    """Whether a row may go down several branches at once."""
    return tree.keep(
        "divides_rows", lambda t: bool((t.missing_route == ALL_BRANCHES).any())
    )


def branch_shares(tree: TreeData, node: int) -> NDArray[np.float64]:
    """Return how a row is divided among the branches of a node, as growing did.

    By the weights that the tree was grown on; evenly where no branch has any.
    """
    weight = tree.keep("growth_weight", growth_weight)[list(children(tree, node))]
    total = weight.sum()
    shares = weight / total if total > 0 else np.full(len(weight), 1 / len(weight))
    return np.asarray(shares)


def ends_of(
    tree: TreeData,
    columns: Sequence[NDArray[Any] | None],
    n_rows: int,
    n_jobs: int = 1,
) -> NDArray[np.int32] | Ends:
    """Return where each row ends, with every part of it where rows are divided.

    Parameters are those of `route`.
    """
    if not divides_rows(tree):
        return route(tree, columns, n_rows, n_jobs)
    return Ends(n_rows, *_router(tree).route_shares(columns, n_rows))


def ends_of_matrix(
    tree: TreeData, X: NDArray[Any], n_jobs: int = 1
) -> NDArray[np.int32] | Ends:
    """Return where each row of a matrix ends; see `ends_of` and `route_matrix`."""
    if not divides_rows(tree):
        return route_matrix(tree, X, n_jobs)
    return ends_of(tree, list(X.T), len(X))


def route(
    tree: TreeData,
    columns: Sequence[NDArray[Any] | None],
    n_rows: int,
    n_jobs: int = 1,
) -> NDArray[np.int32]:
    """Return the node in which each row ends: a leaf, or where it stops.

    A row that is divided ends where its largest part does, the first on a tie.

    Parameters
    ----------
    tree : TreeData
        The tree.
    columns : sequence of array or None
        One entry per column of the schema; None for a column that the tree does
        not look at. Numeric columns are float32 or float64 with NaN for missing;
        the others int32 codes, negative for missing or unseen.
    n_rows : int
        Number of rows.
    n_jobs : int, default=1
        Number of threads.

    Returns
    -------
    int32 array of n_rows
    """
    nodes: NDArray[np.int32] = _router(tree).route(columns, n_rows, n_jobs)
    return nodes


def route_matrix(tree: TreeData, X: NDArray[Any], n_jobs: int = 1) -> NDArray[np.int32]:
    """Return the node in which each row of a matrix ends.

    Parameters
    ----------
    tree : TreeData
        A tree whose columns are all numeric.
    X : float32 or float64 array of rows x columns
        All columns of the schema, in order.
    n_jobs : int, default=1
        Number of threads.

    Returns
    -------
    int32 array of rows
    """
    nodes: NDArray[np.int32] = _router(tree).route_matrix(X, n_jobs)
    return nodes


def route_answers(
    tree: TreeData, X: NDArray[Any], answers: NDArray[Any], n_jobs: int = 1
) -> NDArray[Any]:
    """Return what the node in which each row of a matrix ends answers.

    Parameters
    ----------
    tree : TreeData
        A tree whose columns are all numeric.
    X : float32 or float64 array of rows x columns
        All columns of the schema, in order.
    answers : array of one item of eight bytes per node
        What each node answers.
    n_jobs : int, default=1
        Number of threads.

    Returns
    -------
    array of rows, of the type of `answers`
    """
    out = np.empty(len(X), answers.dtype)
    by_node = np.ascontiguousarray(answers).view(np.int64)
    _router(tree).answer_matrix(X, by_node, out.view(np.int64), n_jobs)
    return out


class Turn(NamedTuple):
    """What happens to a row at a split.

    Attributes
    ----------
    branch : int
        The branch that the row takes, or `STOP_HERE`, or `ALL_BRANCHES`.
    chosen_by : int
        `OWN_VALUE`; or `MISSING_ROUTE`, where the value is missing, never seen, or a
        category that the node has not seen; or else the number of the surrogate that
        decided.
    """

    branch: int
    chosen_by: int

    @property
    def missing(self) -> bool:
        """Whether the row's own value did not decide."""
        return self.chosen_by != OWN_VALUE


def turn_at(tree: TreeData, node: int, values: Mapping[int, float]) -> Turn:
    """Return what happens to one row at a node.

    Parameters
    ----------
    tree : TreeData
        The tree.
    node : int
        The node; a leaf stops the row.
    values : mapping of int to float
        Numbers, ranks or codes by column; NaN or no entry: missing.

    Returns
    -------
    Turn
    """
    return Turn(*_router(tree).turn(node, list(values), list(values.values())))


def branches_at(
    tree: TreeData, node: int, columns: Mapping[int, NDArray[Any]], n_rows: int
) -> NDArray[np.int32]:
    """Return the branch that each row takes at a node; see `Turn`.

    Parameters
    ----------
    tree : TreeData
        The tree.
    node : int
        The node; a leaf stops every row.
    columns : mapping of int to array
        As `route` takes them; a column that is not there counts as missing.
    n_rows : int
        Number of rows.

    Returns
    -------
    int32 array of n_rows
    """
    given = list(columns), list(columns.values())
    found: NDArray[np.int32] = _router(tree).branches(node, *given, n_rows)
    return found


def columns_used(tree: TreeData) -> NDArray[np.int32]:
    """Numbers of the columns that splits and surrogates look at, ascending."""
    return tree.keep("columns_used", _columns_used)


def decision_path(tree: TreeData, ends: NDArray[np.integer[Any]] | Ends) -> csr_matrix:
    """Return which nodes each row passed, as a sparse matrix of ones.

    Parameters
    ----------
    tree : TreeData
        The tree.
    ends : int array of rows, or Ends
        The node in which each row ended, from `ends_of`.

    Returns
    -------
    scipy.sparse.csr_matrix of rows x nodes
        Entry (r, i) is 1 if row r, or a part of it, passed node i. Within a row,
        from the root down.
    """
    from scipy.sparse import csr_matrix

    if isinstance(ends, Ends):
        of_parts = decision_path(tree, ends.nodes)
        n = len(ends.nodes)
        parts = csr_matrix((np.ones(n), (ends.rows, np.arange(n))), (ends.n_rows, n))
        passed = (parts @ of_parts).astype(np.int64)
        passed.data[:] = 1
        passed.sort_indices()
        return passed
    nodes = ends
    ended, group = np.unique(nodes, return_inverse=True)
    first, ways = _ways(tree, ended)
    lengths = np.diff(first)[group]
    indptr = np.concatenate([[0], np.cumsum(lengths)])
    # Entry e of row r is entry (e - indptr[r]) of the way of its group.
    indices = ways[
        np.arange(indptr[-1]) + np.repeat(first[group] - indptr[:-1], lengths)
    ]
    ones = np.ones(len(indices), dtype=np.int64)
    return csr_matrix((ones, indices, indptr), shape=(len(nodes), tree.n_nodes))


def share_at(
    tree: TreeData, node: int, ends: NDArray[np.integer[Any]] | Ends
) -> NDArray[np.float64]:
    """Return the share of each row that passes a node: 0 or 1 if none is divided.

    Parameters
    ----------
    tree : TreeData
        The tree.
    node : int
        The node.
    ends : int array of rows, or Ends
        From `ends_of`.

    Returns
    -------
    float64 array of rows
    """
    after = node + tree.subtree_size[node]
    if not isinstance(ends, Ends):
        return np.asarray((ends >= node) & (ends < after), np.float64)
    inside = (ends.nodes >= node) & (ends.nodes < after)
    shares = np.bincount(ends.rows[inside], ends.shares[inside], ends.n_rows)
    return np.asarray(shares)


def _ways(
    tree: TreeData, nodes: NDArray[np.integer[Any]]
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Lay the ways from the root to each node end to end, and where each starts."""
    first = np.concatenate([[0], np.cumsum(tree.depth[nodes].astype(np.int64) + 1)])
    ways = np.empty(first[-1], dtype=np.int32)
    # All ways are climbed at once, one level per step, until the root is reached.
    at, place = nodes.astype(np.int32), first[1:] - 1
    while len(at):
        ways[place] = at
        at = tree.parent[at]
        climbing = at >= 0
        at, place = at[climbing], place[climbing] - 1
    return first, ways


def _columns_used(tree: TreeData) -> NDArray[np.int32]:
    used = np.union1d(tree.feature, tree.surrogate_feature)
    used = used[used >= 0]
    used.flags.writeable = False
    return used


def _router(tree: TreeData) -> Any:
    return tree.keep("router", _make_router)


def _make_router(tree: TreeData) -> Any:
    from treewright import _core

    kinds, n_labels = tree.schema.kind_codes, tree.schema.label_counts
    weight = tree.keep("growth_weight", growth_weight)  # see branch_shares
    return _core.Router(tree.arrays(), weight, kinds, n_labels)
