"""Navigation in a tree: parents, depths, children, paths, keys.

One array, `subtree_size`, describes the shape of a tree in preorder: node i and all
nodes below it are the slice ``[i, i + subtree_size[i])``, its first child is i + 1,
and the next sibling of c is ``c + subtree_size[c]``. Everything here follows from
that array by whole-array steps or a plain loop. Nothing recurses, so that a tree may
have any depth.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treewright.errors import OptionError

if TYPE_CHECKING:
    from treewright.tree.data import TreeData

__all__ = [
    "Shape",
    "checked_node",
    "children",
    "key",
    "leaves",
    "node_at",
    "path",
    "shape_of",
]


class Shape(NamedTuple):
    """The arrays that follow from `subtree_size`, with one entry per node."""

    depth: NDArray[np.int32]
    """Number of splits above the node; 0 at the root."""
    parent: NDArray[np.int32]
    """The node above; -1 at the root."""
    branch: NDArray[np.int32]
    """Which branch of the parent leads here; -1 at the root."""
    n_children: NDArray[np.int32]
    """Number of branches; 0 at a leaf."""


def shape_of(subtree_size: NDArray[np.integer[Any]]) -> Shape:
    """Return depth, parent, branch and number of children of every node.

    Parameters
    ----------
    subtree_size : array of int
        A valid preorder tree (see `treewright.tree.check.check`).

    Returns
    -------
    Shape

    Notes
    -----
    Sorted by depth (with a stable sort), the children of one node are neighbours, and
    these groups are in the order of their parents. Each group starts with a first
    child, and node c is a first child if node c - 1 is not a leaf. So a running count
    of first children gives all parents at once.

    Examples
    --------
    >>> shape_of(np.array([5, 1, 3, 1, 1])).parent.tolist()
    [-1, 0, 0, 2, 2]
    """
    n = len(subtree_size)
    depth = _depths(subtree_size)
    narrow = depth.astype(np.uint16) if depth.max(initial=0) < 65536 else depth
    below = np.argsort(narrow, kind="stable")[1:]
    is_first = subtree_size[below - 1] > 1
    group = np.cumsum(is_first) - 1
    parents = below[is_first] - 1

    parent = np.full(n, -1, dtype=np.int32)
    branch = np.full(n, -1, dtype=np.int32)
    n_children = np.zeros(n, dtype=np.int32)
    if n > 1:
        parent[below] = parents[group]
        branch[below] = np.arange(n - 1) - np.flatnonzero(is_first)[group]
        n_children[parents] = np.bincount(group)
    return Shape(depth, parent, branch, n_children)


def _depths(subtree_size: NDArray[np.integer[Any]]) -> NDArray[np.int32]:
    """Return, for every node, the number of other nodes whose subtree contains it."""
    n = len(subtree_size)
    inner = np.flatnonzero(subtree_size > 1)
    change = np.zeros(n + 1, dtype=np.int32)
    change[inner + 1] = 1
    change -= np.bincount(inner + subtree_size[inner], minlength=n + 1).astype(np.int32)
    return np.cumsum(change[:n], dtype=np.int32)


def checked_node(tree: TreeData, node: int) -> int:
    """Return `node` as a plain int, or refuse a number that the tree does not have."""
    n = tree.n_nodes
    whole = isinstance(node, (int, np.integer)) and not isinstance(node, bool)
    if not whole or not 0 <= node < n:
        have = "0, its only node" if n == 1 else f"from 0 to {n - 1}"
        raise OptionError(
            f"node must be a whole number, in this tree {have}; got {node!r}."
        )
    return int(node)


def children(tree: TreeData, node: int) -> tuple[int, ...]:
    """Return the children of a node, in branch order; empty for a leaf."""
    node = checked_node(tree, node)
    size = tree.subtree_size
    end = node + int(size[node])
    nodes = []
    child = node + 1
    while child < end:
        nodes.append(child)
        child += int(size[child])
    return tuple(nodes)


def leaves(tree: TreeData) -> NDArray[np.int32]:
    """Return the numbers of all leaves, left to right."""
    return np.flatnonzero(tree.subtree_size == 1).astype(np.int32)


def path(tree: TreeData, node: int) -> tuple[int, ...]:
    """Return the nodes from the root down to `node`, both included."""
    node = checked_node(tree, node)
    parent = tree.parent
    upwards = []
    while node >= 0:
        upwards.append(node)
        node = int(parent[node])
    return tuple(reversed(upwards))


def key(tree: TreeData, node: int) -> tuple[int, ...]:
    """Return the branch numbers that lead from the root to `node`.

    An edit of the tree can change the numbers of nodes, but not the key of a node
    that remains.
    """
    branch = tree.branch
    return tuple(int(branch[i]) for i in path(tree, node)[1:])


def node_at(tree: TreeData, key: Sequence[int]) -> int:
    """Return the node with this key, the inverse of `key`; -1 if there is none."""
    size, n_children = tree.subtree_size, tree.n_children
    node = 0
    for wanted in key:
        if not 0 <= wanted < n_children[node]:
            return -1
        node += 1
        for _ in range(wanted):
            node += int(size[node])
    return node
