"""Pruning by hand: chosen nodes, nodes that meet a condition, useless splits."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from treewright.errors import OptionError
from treewright.tree.answer import node_answers
from treewright.tree.data import TreeData
from treewright.tree.edit import collapse
from treewright.tree.route import divides_rows

__all__ = ["NodeFacts", "collapse_by_hand", "simplify"]

_SAME = 1e-12


class NodeFacts(NamedTuple):
    """The facts about an inner node that `collapse(where=...)` may use."""

    node: int
    depth: int
    n_rows: int
    weight: float
    share: float
    impurity: float
    gain: float
    risk: float
    weighted_risk: float
    n_leaves: int
    feature: str


def collapse_by_hand(
    tree: TreeData,
    node: Any = None,
    where: Callable[[NodeFacts], Any] | NDArray[np.bool_] | None = None,
) -> TreeData:
    """Turn inner nodes into leaves.

    Parameters
    ----------
    tree : TreeData
        The tree; it is not changed.
    node : int or list of int, optional
        The nodes to collapse.
    where : callable or bool array, optional
        A function of `NodeFacts`, called for every inner node; or one truth value per
        node.

    Returns
    -------
    TreeData
    """
    if (node is None) == (where is None):
        raise OptionError(
            "collapse needs either node or where; got "
            f"{'neither' if node is None else 'both'}."
        )
    if node is not None:
        return collapse(tree, node, "collapsed")[0]
    inner = tree.subtree_size > 1
    if callable(where):
        try:
            chosen = [facts.node for facts in _facts(tree) if bool(where(facts))]
        except AttributeError as problem:
            if not isinstance(problem.obj, NodeFacts):
                raise
            raise OptionError(
                f"where uses {problem.name!r}, which a node does not have. It has "
                f"{', '.join(NodeFacts._fields)}."
            ) from problem
    else:
        mask = np.asarray(where)
        if mask.dtype != np.bool_ or mask.shape != (tree.n_nodes,):
            raise OptionError(
                "where must be a function of a node, or one truth value for each of "
                f"the {tree.n_nodes} nodes; got {mask.dtype} of shape {mask.shape}."
            )
        chosen = np.flatnonzero(mask & inner).tolist()
    return collapse(tree, chosen, "collapsed")[0] if chosen else tree


def simplify(tree: TreeData, keep: str = "proba") -> TreeData:
    """Merge siblings that give the same answer; see `Tree.simplify`."""
    if keep not in ("proba", "class"):
        raise OptionError(f"keep must be 'class' or 'proba'; got {keep!r}.")
    if tree.n_nodes == 1:
        return tree
    is_leaf = tree.subtree_size == 1
    leaves = np.flatnonzero(is_leaf)
    answer = _answers(tree, keep)
    # The leaves of a subtree are contiguous: all are equal if no neighbours differ.
    differs = (np.abs(np.diff(answer[leaves], axis=0)) > _SAME).any(axis=1)
    changes = np.concatenate([[0], np.cumsum(differs)])
    first = np.concatenate([[0], np.cumsum(is_leaf)])
    inner = np.flatnonzero(~is_leaf)
    end = inner + tree.subtree_size[inner]
    same = changes[first[end] - 1] == changes[first[inner]]
    # Rows that stop at a node get the node's answer, which must equal the leaves'.
    own = np.abs(answer[inner] - answer[leaves[first[inner]]]) <= _SAME
    nodes = inner[same & own.all(axis=1)]
    return collapse(tree, nodes, "same_answer")[0] if len(nodes) else tree


def _answers(tree: TreeData, keep: str) -> NDArray[np.float64]:
    if tree.is_classifier and keep == "class" and not divides_rows(tree):
        return tree.label[:, None].astype(np.float64)
    return node_answers(tree)


def _facts(tree: TreeData) -> Iterator[NodeFacts]:
    inner = np.flatnonzero(tree.subtree_size > 1)
    before = np.concatenate([[0], np.cumsum(tree.subtree_size == 1)])
    n_leaves = before[inner + tree.subtree_size[inner]] - before[inner]
    names = [feature.name for feature in tree.schema.features]
    columns = (
        inner,
        tree.depth[inner],
        tree.n_rows[inner],
        tree.weight[inner],
        tree.share[inner],
        tree.impurity[inner],
        tree.gain[inner],
        tree.risk[inner],
        tree.weighted_risk[inner],
        n_leaves,
    )
    cells = zip(*(column.tolist() for column in columns), strict=True)
    for row, j in zip(cells, tree.feature[inner].tolist(), strict=True):
        yield NodeFacts._make((*row, names[j]))
