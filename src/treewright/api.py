"""Functions that make a tree or take one, or an estimator that has one.

What is asked of a tree, alone or with rows, is a method of `Tree`. Four methods are
functions too, so that an estimator can be passed in place of its tree; they share
signature and documentation with the methods.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from treewright.errors import OptionError, TableError, memory_explained
from treewright.growing.grow import grow as grow_data
from treewright.model import Tree, as_tree
from treewright.options import GrowOptions
from treewright.pruning.path import PruningPath, find_path
from treewright.table.table import Table

__all__ = ["evaluate", "explain", "grow", "pruning_path", "simplify", "why"]

P = ParamSpec("P")
Result = TypeVar("Result")


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


def _function_of(
    method: Callable[Concatenate[Tree, P], Result],
) -> Callable[Concatenate[Any, P], Result]:
    """Return a method of `Tree` as a function that takes an estimator as well."""

    @wraps(method)
    def function(tree: Any, *args: P.args, **options: P.kwargs) -> Result:
        return method(as_tree(tree), *args, **options)

    own = inspect.signature(method)
    first, *others = own.parameters.values()
    given = [first.replace(name="tree", annotation=Any), *others]
    function.__signature__ = own.replace(parameters=given)  # type: ignore[attr-defined]
    function.__module__, function.__qualname__ = __name__, method.__name__
    words = "Parameters\n----------\n"
    tree = "tree : Tree or fitted estimator\n    The tree; it stays as it is.\n"
    documented = inspect.cleandoc(method.__doc__ or "")
    function.__doc__ = documented.replace(words, words + tree)
    return function  # type: ignore[return-value]


evaluate = _function_of(Tree.evaluate)
explain = _function_of(Tree.explain)
simplify = _function_of(Tree.simplify)
why = _function_of(Tree.why)


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
