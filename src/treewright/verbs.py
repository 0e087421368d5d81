"""What can be done with a tree, beyond its own methods: prune, simplify, evaluate."""

from __future__ import annotations

import math
from typing import Any

from treewright.model import Tree, as_tree, sent_down
from treewright.pruning.by_hand import simplify as simplify_data
from treewright.pruning.path import PruningPath, find_path
from treewright.reading.evaluate import Evaluation, evaluate_rows

__all__ = ["evaluate", "pruning_path", "simplify"]


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
        numbers, either means the answer.

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
    found = as_tree(tree)
    return evaluate_rows(found.data, *sent_down(found, X, y, sample_weight))
