"""J48: thresholds at values of the table, and a branch for every category."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.growing.habits.own import Habits
from treewright.table.table import Table
from treewright.tree.data import LEAF, MULTIWAY, STOP_CODES, THRESHOLD, TreeData
from treewright.tree.edit import with_values

__all__ = ["AVERAGE_SLACK", "J48", "MANY_CATEGORIES"]

MANY_CATEGORIES = 0.3
"""Categories per row from which the average gain leaves a column out."""
AVERAGE_SLACK = 1e-3
"""A column may compete whose gain is this far below the average."""


class J48(Habits):
    """The habits of J48, Weka's C4.5."""

    def core_options(self, table: Table) -> dict[str, Any]:
        """Return J48's rules for thresholds and for the average gain.

        Each side of a threshold needs a tenth of the node's mean weight per class. The
        charge counts only the allowed thresholds. Columns of many categories do not
        enter the average gain, and a column may be slightly below the average.
        """
        return {
            "tenth_of_class_per_side": True,
            "count_allowed_cuts": True,
            "average_slack": AVERAGE_SLACK,
            "not_averaged": _not_averaged(table),
        }

    def as_written(self, tree: TreeData, table: Table) -> TreeData:
        """Return the tree as J48 writes it.

        Every threshold becomes the largest value of its column that is not above it,
        so training rows go to the same branches. Every multiway split has a branch for
        each category; a branch without rows gives the answer of its parent.
        """
        return _with_all_branches(_thresholds_at_values(tree, table))


def _not_averaged(table: Table) -> list[bool]:
    columns = [table.schema.features[i] for i in table.usable]
    weights = table.weights
    n_rows = table.n_rows if weights is None else int(np.count_nonzero(weights))
    most = MANY_CATEGORIES * n_rows
    many = [f.kind == "categorical" and len(f.labels or ()) >= most for f in columns]
    return [False] * len(many) if all(many) else many


def _thresholds_at_values(tree: TreeData, table: Table) -> TreeData:
    threshold = tree.threshold.copy()
    for i in np.unique(tree.feature[tree.split_kind == THRESHOLD]).tolist():
        values = table.columns[i].data
        present = values if table.weights is None else values[table.weights > 0]
        ordered = np.sort(np.asarray(present, dtype=np.float64))
        here = (tree.split_kind == THRESHOLD) & (tree.feature == i)
        # NaN sorts last. Adding 0.0 turns -0.0 into 0.0.
        place = np.searchsorted(ordered, threshold[here], side="right") - 1
        threshold[here] = ordered[place] + 0.0
    return with_values(tree, threshold=threshold)


def _with_all_branches(tree: TreeData) -> TreeData:
    """Insert a leaf for every category that a multiway split does not list."""
    if not (tree.split_kind == MULTIWAY).any():
        return tree
    order = _order_with_empty(tree)
    source = np.array([old for old, _ in order], dtype=np.int64)
    empty = np.array([is_empty for _, is_empty in order])
    arrays = {}
    for name in TreeData.per_node_names:
        arrays[name] = getattr(tree, name)[source]
    _empty_out(arrays, empty)
    arrays |= _sizes_and_categories(tree, source, empty)
    return TreeData.from_arrays(arrays, tree.schema, tree.made_by)


def _order_with_empty(tree: TreeData) -> list[tuple[int, bool]]:
    """List the nodes of the new tree: each is an old node or an empty child of one.

    An empty child is listed as (number of its parent, True).
    """
    order: list[tuple[int, bool]] = []
    waiting = [(0, False)]
    while waiting:
        node, is_empty = waiting.pop()
        order.append((node, is_empty))
        if is_empty or tree.split_kind[node] == LEAF:
            continue
        children = _children(tree, node)
        if tree.split_kind[node] == MULTIWAY:
            listed = slice(*tree.category_start[node : node + 2].tolist())
            taken = dict(
                zip(
                    tree.categories[listed].tolist(),
                    tree.category_branch[listed].tolist(),
                    strict=True,
                )
            )
            below = [
                (children[taken[code]], False) if code in taken else (node, True)
                for code in range(_n_labels(tree, node))
            ]
            if tree.missing_route[node] >= 0:  # missing values have the last branch
                below.append((children[-1], False))
        else:
            below = [(child, False) for child in children]
        waiting += reversed(below)
    return order


def _children(tree: TreeData, node: int) -> list[int]:
    children, child = [], node + 1
    while child < node + tree.subtree_size[node]:
        children.append(child)
        child += int(tree.subtree_size[child])
    return children


def _n_labels(tree: TreeData, node: int) -> int:
    return len(tree.schema.features[tree.feature[node]].labels or ())


def _empty_out(
    arrays: dict[str, NDArray[np.generic]], empty: NDArray[np.bool_]
) -> None:
    """Clear everything in an empty child except its parent's label."""
    leaf = {
        "split_kind": LEAF,
        "feature": -1,
        "threshold": np.nan,
        "missing_route": -1,
        "proven": True,
        "stop_reason": STOP_CODES["no_rows"],
    }
    for name, array in arrays.items():
        if name != "label":
            array[empty] = leaf.get(name, 0)


def _sizes_and_categories(
    tree: TreeData, source: NDArray[np.int64], empty: NDArray[np.bool_]
) -> dict[str, NDArray[np.generic]]:
    """Return the sizes of the new subtrees, and the branch of every category."""
    route = np.where(empty, -1, tree.missing_route[source])
    lengths, categories, branches, n_below = [], [], [], []
    for i, node in enumerate(source.tolist()):
        listed = slice(*tree.category_start[node : node + 2].tolist())
        codes, taken = tree.categories[listed], tree.category_branch[listed]
        if empty[i]:
            codes, taken = codes[:0], taken[:0]
        elif tree.split_kind[node] == MULTIWAY:
            codes = taken = np.arange(_n_labels(tree, node), dtype=np.int32)
            route[i] = len(codes) if route[i] >= 0 else route[i]
        n_below.append(0 if empty[i] else _n_branches(tree, node))
        lengths.append(len(codes))
        categories.append(codes)
        branches.append(taken)
    return {
        "subtree_size": _subtree_sizes(n_below),
        "missing_route": route,
        "category_start": np.cumsum([0, *lengths]),
        "categories": np.concatenate(categories),
        "category_branch": np.concatenate(branches),
    }


def _subtree_sizes(n_below: list[int]) -> NDArray[np.int32]:
    """Compute the subtree sizes of nodes in preorder from their numbers of children."""
    sizes = np.ones(len(n_below), dtype=np.int32)
    complete: list[int] = []
    for i in reversed(range(len(n_below))):
        sizes[i] += sum(complete.pop() for _ in range(n_below[i]))
        complete.append(int(sizes[i]))
    return sizes


def _n_branches(tree: TreeData, node: int) -> int:
    if tree.split_kind[node] != MULTIWAY:
        return int(tree.n_children[node])
    return _n_labels(tree, node) + int(tree.missing_route[node] >= 0)
