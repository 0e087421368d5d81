"""The work of ``treewright predict``: batch by batch, so that any file fits."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.commands.failures import say_warning
from treewright.estimators.progress import bar
from treewright.files.batches import read_batches
from treewright.files.write import row_writer
from treewright.growing.threads import n_threads
from treewright.model import Tree
from treewright.reading.answers.answer import answers, class_probabilities
from treewright.tree.new_rows import read_columns
from treewright.tree.route import ends_of, route

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
        shares = [f"probability of {label}" for label in self.tree.classes.tolist()]
        return ["answer", *shares, "leaf", *(["reason"] * self._with_reasons)]

    @cached_property
    def _reasons(self) -> NDArray[Any]:
        """The conditions of each node where a row can end, as text."""
        texts = np.full(self.tree.n_nodes, "", dtype=object)
        rules = self.tree.rules()
        texts[rules.nodes] = rules.reasons()
        return texts

    def added(self, X: Any) -> dict[str, NDArray[Any]]:
        """Return the columns for some rows, which are read once."""
        tree = self.tree.data
        columns = read_columns(tree, X, self._unseen)
        threads = n_threads(None)
        leaves = route(tree, columns, columns.n_rows, threads)
        ends = ends_of(tree, columns, columns.n_rows, threads)
        values = [answers(tree, ends)]
        if tree.is_classifier:
            values += list(class_probabilities(tree, ends).T)
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
    with (
        _said_once(),
        bar(f"Answering {data}") as progress,
        row_writer(output) as writer,
    ):
        for batch in read_batches(data, schema, table=table, progress=progress):
            rows = batch.rows.select([]) if only else batch.rows
            if batch.first_row == 1:
                _warn_of_replaced(rows.column_names, predictor.columns)
            writer.write(rows, predictor.added(batch.X))
            n_rows += batch.rows.num_rows
    return n_rows


def collect(predictor: Predictor, data: str, table: str | None) -> list[dict[str, Any]]:
    """Return one record per row."""
    records: list[dict[str, Any]] = []
    with _said_once():
        for batch in read_batches(data, predictor.tree.schema, table=table):
            added = predictor.added(batch.X)
            columns = [values.tolist() for values in added.values()]
            rows = zip(*columns, strict=True)
            records += [dict(zip(added, row, strict=True)) for row in rows]
    return records


def _warn_of_replaced(names: Sequence[str], added: Sequence[str]) -> None:
    """Warn of columns of the data in whose place the answers are written."""
    replaced = [name for name in added if name in names]
    if replaced:
        listed = ", ".join(map(repr, replaced))
        which = "a column" if len(replaced) == 1 else "columns"
        say_warning(
            f"The data has {which} {listed} already; the output holds the answers of "
            "the tree there. Rename the data's own, or pass --only."
        )


@contextmanager
def _said_once() -> Iterator[None]:
    """Repeat no warning for every batch: say the first, and how often it came."""
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        yield
    by_kind: dict[type[Warning], list[str]] = {}
    for each in heard:
        by_kind.setdefault(each.category, []).append(str(each.message))
    for kind, messages in by_kind.items():
        more = len(messages) - 1
        often = f" (Likewise in {more} more parts of the file.)" if more else ""
        warnings.warn(messages[0] + often, kind, stacklevel=2)
