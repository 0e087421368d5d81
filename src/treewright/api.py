"""Functions that make a tree, or that take a tree or a fitted estimator.

Everything that one can do with a tree, alone or with rows, is a method of `Tree`. Five
methods are functions too, so that an estimator can be passed in place of its tree;
these share signature and documentation with the methods.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping
from functools import wraps
from os import PathLike
from typing import Any, Concatenate, ParamSpec, TypeVar

from treewright.errors import OptionError, TableError, memory_explained
from treewright.growing.grow import grow as grow_data
from treewright.importing.rpart import from_rpart as rpart_data
from treewright.importing.scikit_learn import from_sklearn as sklearn_data
from treewright.model import Tree, as_tree
from treewright.options import GrowOptions
from treewright.pruning.path import PruningPath, check_alpha, find_path
from treewright.table.table import Table
from treewright.tree.loss import loss_of

__all__ = ["check", "evaluate", "explain", "from_rpart", "from_sklearn", "grow"]
__all__ += ["pruning_path", "simplify", "why"]

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
        their leaf. Growing stops if it raises an exception.

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
        raise OptionError(_options_message(options))
    with memory_explained(table.n_rows, len(table.usable)):
        return Tree(grow_data(table, options, progress=progress))


def pruning_path(
    tree: Any, risk: str = "error", alpha_max: float = math.inf
) -> PruningPath:
    """Return the sequence of optimal pruned trees: minimal cost-complexity pruning.

    Parameters
    ----------
    tree : Tree or fitted estimator
        A tree of any shape; usually one that is not pruned yet.
    risk : {'error', 'impurity', 'mixed'}, default='error'
        The risk R(T): the cost of the answers (misclassified weight or costs, squared
        error, absolute error or half the deviance, by criterion); the impurity, as
        in scikit-learn; or errors + 0.2 x log-loss, by which trees of classes are
        pruned by default.
    alpha_max : float, default=inf
        The largest alpha of the path.

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
    data = as_tree(tree).data
    alpha_max = loss_of(data).from_shown(check_alpha(alpha_max, "alpha_max"))
    return find_path(data, risk, alpha_max, Tree).in_target_units()


def from_rpart(source: str | PathLike[str] | Mapping[str, Any]) -> Tree:
    """Return a tree of R's rpart as a treewright tree.

    The tree predicts what rpart predicts, surrogates, priors and losses included.

    Parameters
    ----------
    source : path or mapping
        A CSV or JSON file with the tables of the tree, or these tables. The
        documentation of `treewright.importing.rpart` has the lines of R that write the
        file; they need no package.

    Returns
    -------
    Tree
        ``tree.data.extras["rpart_node"]`` has rpart's number of each node. rpart asks
        ``x < cut``; the threshold is the largest number below the cut.

    Raises
    ------
    TreeFormatError
        When the file does not hold these tables.
    OptionError
        When the tree was grown with another method than 'class' or 'anova'.

    Examples
    --------
    >>> import treewright as tw
    >>> about = {"method": ["anova"], "target": ["sail"]}
    >>> about |= {"columns": ["wind"], "usesurrogate": [2]}
    >>> frame = {"node": [1, 2, 3], "var": ["wind", "<leaf>", "<leaf>"]}
    >>> frame |= {"n": [4, 2, 2], "wt": [4, 2, 2], "dev": [4, 0, 0], "yval": [1, 0, 2]}
    >>> frame |= {"ncompete": [0, 0, 0], "nsurrogate": [0, 0, 0]}
    >>> splits = {"variable": ["wind"], "count": [4], "ncat": [-1], "index": [4.5]}
    >>> splits |= {"improve": [1], "adj": [0]}
    >>> tree = tw.from_rpart({"about": about, "frame": frame, "splits": splits})
    >>> tree.predict({"wind": [3, 7]})
    array([0., 2.])
    """
    return Tree(rpart_data(source))


def from_sklearn(estimator: Any, *, tree: int | tuple[int, int] | None = None) -> Tree:
    """Return a fitted decision tree of scikit-learn as a treewright tree.

    The tree predicts what scikit-learn predicts, missing values included, and can be
    read, pruned, explained, checked, saved and exported.

    Parameters
    ----------
    estimator : fitted estimator of scikit-learn
        A decision tree, an extra tree, a random forest, extra trees or gradient
        boosting, for one target.
    tree : int or pair of int, optional
        Of a forest: the number of the tree. Of gradient boosting: the stage; with
        more than two classes, the stage and the place of the class. Such a tree
        predicts what it adds to the sum of the trees, before the learning rate.

    Returns
    -------
    Tree
        Numbers are rounded to float32 before they are compared, as in scikit-learn.
        ``tree.data.extras["sklearn_node"]`` has scikit-learn's number of each node.
        The estimator keeps no quartiles, no counts of missing values and no single
        weights: quartiles are NaN, missing values count 0, and within a node all rows
        are taken to weigh the same.

    Raises
    ------
    OptionError
        When the estimator is not fitted, predicts several targets, or keeps trees of
        another kind (HistGradientBoosting).

    Examples
    --------
    >>> import treewright as tw
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> theirs = DecisionTreeClassifier(max_depth=2).fit(X, y)
    >>> tree = tw.from_sklearn(theirs)
    >>> bool((tree.predict(X) == theirs.predict(X)).all())
    True
    """
    return Tree(sklearn_data(estimator, tree))


def _function_of(
    method: Callable[Concatenate[Tree, P], Result],
) -> Callable[Concatenate[Any, P], Result]:
    """Return a method of `Tree` as a function that also takes an estimator."""

    @wraps(method)
    def function(tree: Any, *args: P.args, **options: P.kwargs) -> Result:
        return method(as_tree(tree), *args, **options)

    own = inspect.signature(method)
    first, *others = own.parameters.values()
    parameters = [first.replace(name="tree", annotation=Any), *others]
    function.__signature__ = own.replace(parameters=parameters)  # type: ignore[attr-defined]
    function.__module__, function.__qualname__ = __name__, method.__name__
    heading = "Parameters\n----------\n"
    tree = "tree : Tree or fitted estimator\n    The tree; it is not changed.\n"
    documented = inspect.cleandoc(method.__doc__ or "")
    function.__doc__ = documented.replace(heading, heading + tree)
    return function  # type: ignore[return-value]


check = _function_of(Tree.check)
evaluate = _function_of(Tree.evaluate)
explain = _function_of(Tree.explain)
simplify = _function_of(Tree.simplify)
why = _function_of(Tree.why)


def _options_message(options: object) -> str:
    """Return the error for options that are not a GrowOptions, such as a dict."""
    arguments = "max_depth=2"
    if isinstance(options, dict) and options and all(map(_is_word, options)):
        arguments = ", ".join(f"{name}={value!r}" for name, value in options.items())
    return (
        "options must be a GrowOptions or None; got "
        f"{type(options).__name__}. Pass tw.GrowOptions({arguments})."
    )


def _is_word(name: object) -> bool:
    return isinstance(name, str) and name.isidentifier()
