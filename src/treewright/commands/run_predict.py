"""The work of ``treewright predict``: batch by batch, so that any file fits."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.estimators.progress import bar
from treewright.files.batches import read_batches
from treewright.files.write import row_writer
from treewright.model import Tree

__all__ = ["Predictor", "collect", "write"]


class Predictor:
    """The columns that a tree adds to rows.

    Parameters
    ----------
    tree : Tree
        The tree.
    reasons : bool
        Whether to add the conditions that lead to each row's leaf.
    unseen : {'missing', 'error'} or None
        See `Tree.predict`.
    """

    def __init__(self, tree: Tree, *, reasons: bool, unseen: str | None) -> None:
        self.tree = tree
        self._with_reasons, self._unseen = reasons, unseen

    @property
    def columns(self) -> list[str]:
        """Names of the columns, in order."""
        shares = [f"share of {label}" for label in self.tree.classes.tolist()]
        return ["answer", *shares, "leaf", *(["reason"] * self._with_reasons)]

    @cached_property
    def _reasons(self) -> NDArray[Any]:
        """The conditions of each node where a row can end, as text."""
        texts = np.full(self.tree.n_nodes, "", dtype=object)
        rules = self.tree.rules()
        texts[rules.nodes] = rules.reasons()
        return texts

    def added(self, X: Any) -> dict[str, NDArray[Any]]:
        """Return the columns for some rows."""
        tree, unseen = self.tree, self._unseen
        leaves = tree.apply(X, unseen=unseen)
        values = [tree.predict(X, unseen=unseen)]
        if len(tree.classes):
            values += list(tree.predict_proba(X, unseen=unseen).T)
        values.append(leaves)
        if self._with_reasons:
            values.append(self._reasons[leaves])
        return dict(zip(self.columns, values, strict=True))


def write(
    predictor: Predictor, data: str, table: str | None, output: str, *, only: bool
) -> int:
    """Write the rows of a file with their answers, and return their number."""
    n_rows = 0
    schema = predictor.tree.schema
    with bar(f"Answering {data}") as progress, row_writer(output) as writer:
        for batch in read_batches(data, schema, table=table, progress=progress):
            rows = batch.rows.select([]) if only else batch.rows
            writer.write(rows, predictor.added(batch.X))
            n_rows += batch.rows.num_rows
    return n_rows


def collect(predictor: Predictor, data: str, table: str | None) -> list[dict[str, Any]]:
    """Return one record per row."""
    records: list[dict[str, Any]] = []
    for batch in read_batches(data, predictor.tree.schema, table=table):
        added = predictor.added(batch.X)
        columns = [values.tolist() for values in added.values()]
        records += [
            dict(zip(added, row, strict=True)) for row in zip(*columns, strict=True)
        ]
    return records
