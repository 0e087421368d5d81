"""Functions of trees: grow, prune, simplify, evaluate, explain, work out why."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

from treewright.errors import OptionError, TableError, memory_explained
from treewright.growing.grow import grow as grow_data
from treewright.model import Tree, as_tree
from treewright.options import GrowOptions
from treewright.pruning.by_hand import simplify as simplify_data
from treewright.pruning.path import PruningPath, find_path
from treewright.reading.evaluate import Evaluation, evaluate_rows
from treewright.reading.explain import Explanation
from treewright.reading.explain import explain as explain_row
from treewright.reading.why import Why
from treewright.reading.why import why as why_node
from treewright.table.table import Table
from treewright.tree.new_rows import NewRows

__all__ = ["evaluate", "explain", "grow", "pruning_path", "simplify", "why"]


def grow(
    table: Table,
    options: GrowOptions | None = None,
    *,
    progress: Callable[[float], Any] | None = None,
) -> Tree:
    """Grow the exact greedy tree of a table.

    Parameters
    ----------
    table : Table
        Columns, target and weights, from `as_table`.
    options : GrowOptions, optional
        Criterion, stopping rules and so on; the defaults grow until every leaf is
        pure.
    progress : callable, optional
        Called about ten times a second with the share of rows that have reached
        their leaf. An exception it raises ends the growing.

    Returns
    -------
    Tree
        The same tree for any number of threads and any order of the rows.

    Examples
    --------
    >>> import treewright as tw
    >>> table = tw.as_table({"wind": [3, 9, 5, 1]}, ["no", "no", "no", "yes"])
    >>> tw.grow(table, tw.GrowOptions(max_depth=1)).n_leaves
    2
    """
    if not isinstance(table, Table):
        raise TableError(
            f"grow takes a Table; got {type(table).__name__}. Make one with "
            "tw.as_table(X, y)."
        )
    if options is not None and not isinstance(options, GrowOptions):
        raise OptionError(_options_words(options))
    with memory_explained(table.n_rows, len(table.usable)):
        return Tree(grow_data(table, options, progress=progress))


def pruning_path(
    tree: Any, risk: str = "error", alpha_max: float = math.inf
) -> PruningPath:
    """Return all best prunings of a tree: minimal cost-complexity pruning.

    Parameters
    ----------
    tree : Tree or fitted estimator
        A tree of any shape; usually one that is not pruned yet.
    risk : {'error', 'impurity'}, default='error'
        What leaves are priced against: the cost of the answers (misclassified
        weight or costs, squared error, absolute or half deviance, by criterion),
        or the impurity, as scikit-learn does.
    alpha_max : float, default=inf
        Where the path ends.

    Returns
    -------
    PruningPath
        Arrays `alpha` (shares of the total weight, rising strictly from 0),
        `n_leaves` and `risk`; ``tree(alpha=)``, ``tree(n_leaves=)`` and ``step(i)``.

    Examples
    --------
    >>> import treewright as tw
    >>> table = tw.as_table({"wind": [3, 9, 5, 1]}, ["no", "yes", "no", "yes"])
    >>> path = tw.pruning_path(tw.grow(table))
    >>> path.alpha.tolist(), path.n_leaves.tolist()
    ([0.0, 0.25], [3, 1])
    """
    return find_path(as_tree(tree).data, risk, alpha_max, Tree)


def simplify(tree: Any, keep: str = "proba") -> Tree:
    """Merge siblings that answer the same, as often as possible.

    Parameters
    ----------
    tree : Tree or fitted estimator
        The tree; it stays as it is.
    keep : {'proba', 'class'}, default='proba'
        What must not change for any row: the class shares, or only the class. For
        numbers, either means the answer. Where rows are divided among branches, the
        shares are kept either way: they decide what a divided row answers.

    Returns
    -------
    Tree
        The merged nodes have the stop reason 'same_answer'.
    """
    return Tree(simplify_data(as_tree(tree).data, keep))


def evaluate(tree: Any, X: Any, y: Any, sample_weight: Any = None) -> Evaluation:
    """Return how a tree does on rows it was not grown on.

    Parameters
    ----------
    tree : Tree or fitted estimator
        The tree.
    X : array, data frame, dict of columns or list of rows
        New rows; see `Tree.apply`.
    y : array, series or list
        Their target.
    sample_weight : array, series or list, optional
        Their weights.

    Returns
    -------
    Evaluation
        Error with a 95 % interval, figures by class or R2, RMSE and MAE, questions
        asked, and by node the training rows beside the new ones (`to_pandas`).
    """
    data = as_tree(tree).data
    return evaluate_rows(data, NewRows.read(data, X, y, sample_weight))


def explain(
    tree: object,
    row: Any,
    *,
    to: Any = None,
    fixed: Iterable[str] = (),
    change: bool = True,
    unseen: str | None = None,
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
    unseen : {'missing', 'error'} or None, default=None
        What to do with a category never seen; None: as the tree was told in growing.

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
        The rows that the tree was grown on. The tree itself knows the class
        weights, costs and priors that altered their weights.
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


def _options_words(options: object) -> str:
    """Say how to pass options that came as something else, such as a dict."""
    given = "max_depth=2"
    if isinstance(options, dict) and options and all(map(_is_word, options)):
        given = ", ".join(f"{name}={value!r}" for name, value in options.items())
    return (
        "options must be a GrowOptions or None; got "
        f"{type(options).__name__}. Pass tw.GrowOptions({given})."
    )


def _is_word(name: object) -> bool:
    return isinstance(name, str) and name.isidentifier()
