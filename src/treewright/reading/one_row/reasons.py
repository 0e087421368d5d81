"""Reasons for many rows at once: answer, leaf, rule and the most telling conditions.

Everything but the leaf of a row depends on the leaf alone, so it is written once per
leaf and then looked up.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import OptionError, pandas_for_frames
from treewright.options.rules import is_whole
from treewright.reading.answers.answer import answers, class_probabilities
from treewright.reading.conditions.condition import joined
from treewright.reading.conditions.path_conditions import answer_nodes
from treewright.reading.conditions.rules import Rules
from treewright.reading.one_row.explain import change_of, fixed_columns
from treewright.reading.one_row.row import OneRow
from treewright.table.match import MatchedColumns
from treewright.tree.answer import node_answers
from treewright.tree.data import TreeData
from treewright.tree.new_rows import read_columns
from treewright.tree.route import ends_of, route
from treewright.tree.split import split_of
from treewright.tree.walk import path

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["looked_up", "reasons"]


def reasons(
    tree: TreeData,
    X: Any,
    most: int = 3,
    n_threads: int = 1,
    *,
    change: bool = False,
    fixed: Iterable[str] = (),
) -> pd.DataFrame:
    """Return the answer for each row with the reasons for it.

    Parameters
    ----------
    tree : TreeData
        The tree.
    X : array, data frame, dict of columns or list of rows
        The rows.
    most : int, default=3
        The number of conditions to name for each row.
    n_threads : int, default=1
        Number of threads.
    change : bool, default=False
        Whether to search for the smallest change that leads to another answer, which
        takes milliseconds a row.
    fixed : iterable of str
        Columns that must not change.

    Returns
    -------
    pandas.DataFrame
        One row per row of X: `answer`; `probability`, for classes; `leaf`, of a divided
        row that of its largest part; `rule`; `reason_1`, `reason_2`, ...: the
        conditions on the path that moved the answer most, '' if there are fewer; with
        `change` also `change`, in words, and `other`, the answer after it.
    """
    kept = fixed_columns(tree, fixed)
    if not is_whole(most) or most < 0:
        raise OptionError(f"most must be a whole number >= 0; got {most!r}.")
    columns = read_columns(tree, X)
    ends = ends_of(tree, columns, columns.n_rows, n_threads)
    leaves = route(tree, columns, columns.n_rows, n_threads)
    found: dict[str, Any] = {"answer": answers(tree, ends)}
    if tree.is_classifier:
        found["probability"] = class_probabilities(tree, ends).max(axis=1)
    found["leaf"] = leaves
    place = np.zeros(tree.n_nodes, np.int64)
    nodes = answer_nodes(tree)
    place[nodes] = np.arange(len(nodes))
    at = place[leaves]
    rules = {rule.node: rule for rule in Rules(tree)}
    words = [joined([c.words() for c in rules[n].conditions], "and") for n in nodes]
    found["rule"] = looked_up(words, at)
    told = [_most_telling(tree, int(node), most) for node in nodes]
    for i in range(most):
        found[f"reason_{i + 1}"] = looked_up([each[i] for each in told], at)
    if change:
        found["change"], found["other"] = _changes(tree, columns, found["answer"], kept)
    return pandas_for_frames().DataFrame(found)


def _changes(
    tree: TreeData, columns: MatchedColumns, answer: NDArray[Any], fixed: frozenset[int]
) -> tuple[list[str], Any]:
    """Return the smallest change of each row in words, and the answer after it."""
    words, others = [], []
    for place, given in enumerate(answer.tolist()):
        row = OneRow.of(tree.schema, columns, place)
        changes, other, _ = change_of(tree, row, given, None, fixed)
        words.append("; ".join(each.words for each in changes or ()))
        others.append(other)
    return words, pandas_for_frames().Series(others, dtype=object)


def looked_up(texts: list[str], at: NDArray[np.int64]) -> Any:
    """Return a text per row as a categorical, which stores each text once."""
    pandas = pandas_for_frames()
    distinct = list(dict.fromkeys(texts))
    code_of = {text: code for code, text in enumerate(distinct)}
    codes = np.array([code_of[text] for text in texts], np.int64)
    return pandas.Categorical.from_codes(codes[at], categories=distinct)


def _most_telling(tree: TreeData, node: int, most: int) -> list[str]:
    """Return the conditions on the path to a node that moved its answer most."""
    way = path(tree, node)
    values = node_answers(tree)
    column = int(tree.label[node]) if tree.is_classifier else 0
    moved = [
        (abs(float(values[child, column] - values[parent, column])), -i, parent, child)
        for i, (parent, child) in enumerate(pairwise(way))
    ]
    told = []
    for _, _, parent, child in sorted(moved, reverse=True)[:most]:
        split = split_of(tree, parent)
        assert split is not None
        told.append(split.words(int(tree.branch[child]), missing=True, most=3))
    return told + [""] * (most - len(told))
