"""Rows that are known by where they end in a tree, without their columns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import OptionError, TableError
from treewright.files.batches import tables_of
from treewright.files.by_schema import source_by_schema, target_by_schema
from treewright.files.describe import rows_with_target
from treewright.files.select import Selection
from treewright.files.to_table import weights_of
from treewright.table.match_target import match_target
from treewright.table.table import ClassTarget, NumericTarget, Target
from treewright.table.weights import read_weights
from treewright.tree.data import TreeData
from treewright.tree.new_rows import NewRows, read_columns, with_priors
from treewright.tree.route import Ends, divides_rows, route

__all__ = ["EndedRows", "read_in_parts"]


@dataclass(frozen=True, eq=False)
class EndedRows(NewRows):
    """Rows that are known by where they end in one tree.

    Attributes
    ----------
    tree : TreeData
        That tree.
    node : int32 array
        Where the rows end.
    """

    tree: TreeData | None = field(default=None, kw_only=True)
    node: NDArray[np.int32] = field(
        default_factory=lambda: np.empty(0, np.int32), kw_only=True
    )

    def ends(self, tree: TreeData) -> NDArray[np.int32] | Ends:
        """Return where the rows end in the tree, or in what pruning left of it."""
        assert self.tree is not None
        if tree.n_nodes == self.tree.n_nodes:
            return self.node
        return _places(self.tree, tree)[self.node]


def _places(tree: TreeData, pruned: TreeData) -> NDArray[np.int32]:
    """Return the node of a pruned tree in which each node of the whole tree lies."""
    size, kept = tree.subtree_size, pruned.subtree_size
    places = np.zeros(tree.n_nodes, np.int32)
    node = 0
    for place in range(pruned.n_nodes):
        is_leaf = kept[place] == 1
        end = node + int(size[node]) if is_leaf else node + 1
        places[node:end] = place
        node = end
    return places


def read_in_parts(
    tree: TreeData, rows: Any, target: str | None, weight: str | None
) -> EndedRows:
    """Read rows in parts, and keep of each row where it ends, its target and weight.

    Parameters
    ----------
    tree : TreeData
        A tree that does not divide rows.
    rows : object
        See `rows_in_parts`.
    target, weight : str or None
        Columns with the true answers (by default the tree's own target) and weights.

    Returns
    -------
    EndedRows

    Raises
    ------
    OptionError
        When the tree divides rows among branches.
    TableError
        When the rows lack a column, or there are none.
    """
    if divides_rows(tree):
        raise OptionError(
            "This tree divides rows with missing values among branches, which is not "
            "followed through rows in parts. Pass rows that fit into memory."
        )
    info = tree.schema.target
    assert info is not None, "a tree has a target"
    name = target or info.name
    found = list(_pieces(tree, rows, name, weight))
    if not found:
        raise TableError(
            "The parts have no rows with a target; at least one is needed."
        )
    node, y, weights = zip(*found, strict=True)
    ended = np.concatenate(node)
    values = np.concatenate(y)
    read: Target = NumericTarget(values, name)
    if info.kind == "class":
        read = ClassTarget(values, np.array(info.classes, object), name)
    own = None
    if weight is not None:
        own = read_weights(np.concatenate(weights), len(ended))
    own = with_priors(tree.schema, read, own)
    return EndedRows((), read, own, tree=tree, node=ended)


def _pieces(
    tree: TreeData, rows: Any, target: str, weight: str | None
) -> Iterator[tuple[Any, Any, Any]]:
    info = tree.schema.target
    assert info is not None, "a tree has a target"
    schema = replace(tree.schema, target=replace(info, name=target))
    selection = Selection.of(target, weight, None, None, None)
    for _, content in tables_of(rows, None):
        selection.names(content.table.column_names)
        content = rows_with_target(content, target)
        X = source_by_schema(content.table, content.text, schema)
        if not X.n_rows:
            continue
        columns = read_columns(tree, X)
        y = match_target(schema, target_by_schema(X, schema), X.n_rows)
        weights = None if weight is None else weights_of(X, weight)
        yield route(tree, columns, X.n_rows), y.data, weights
