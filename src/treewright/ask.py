"""Questions to a tree that need rows: why this answer, why this split."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from treewright.model import as_tree
from treewright.reading.explain import Explanation
from treewright.reading.explain import explain as explain_row
from treewright.reading.why import Why
from treewright.reading.why import why as why_node

__all__ = ["explain", "why"]


def explain(
    tree: object,
    row: Any,
    *,
    to: Any = None,
    fixed: Iterable[str] = (),
    change: bool = True,
    unseen: str = "missing",
) -> Explanation:
    """Explain the answer for one row: its way, and the smallest change of it.

    Parameters
    ----------
    tree : Tree or fitted treewright estimator
        The tree.
    row : mapping, series, sequence, or table of one row
        Values by name; those that the way asks for are enough. Or all, in order.
    to : object, optional
        The class to reach by a change, or for numbers ``(low, high)``. None: any
        other answer.
    fixed : iterable of str
        Columns that never change.
    change : bool, default=True
        Whether to look for the smallest change: as few columns as possible, and of
        these the least, in shares of the training rows between the two values (even
        between quartiles; another category, or a value for a missing one, counts 1).
    unseen : {'missing', 'error'}, default='missing'
        What to do with a category never seen.

    Returns
    -------
    Explanation
        Sentences when printed; `steps`, `changes` and so on as data.

    Examples
    --------
    >>> import treewright as tw
    >>> X = {"wind": [3, 9, 5, 1], "sun": ["no", "yes", "no", "no"]}
    >>> tree = tw.TreeClassifier().fit(X, ["stay", "stay", "stay", "sail"]).tree_
    >>> tw.explain(tree, {"wind": 4}).changes[0].words
    'wind from 4 to 2 (wind <= 2)'
    """
    found = as_tree(tree)
    return explain_row(
        found.data, row, to=to, fixed=fixed, change=change, unseen=unseen
    )


def why(
    tree: object,
    node: int,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    column: str | None = None,
) -> Why:
    """Work out why a node is split as it is, or why it is not.

    Parameters
    ----------
    tree : Tree or fitted treewright estimator
        The tree.
    node : int
        Number of the node, as in ``tree.text(numbers=True)``.
    X, y, sample_weight
        The rows that the tree was grown on. Class weights, if any, must be
        multiplied into `sample_weight`.
    column : str, optional
        List every candidate of this column instead of the best of each.

    Returns
    -------
    Why
        A table and every formula with its numbers when printed; `candidates`,
        `chosen`, `ties`, `refused` and so on as data.

    Examples
    --------
    >>> import treewright as tw
    >>> X, y = {"wind": [3, 9, 5, 1]}, ["no", "no", "no", "yes"]
    >>> tree = tw.TreeClassifier(criterion="entropy").fit(X, y).tree_
    >>> round(tw.why(tree, 0, X, y).chosen.gain, 4)
    0.8113
    """
    return why_node(as_tree(tree).data, node, X, y, sample_weight, column)
