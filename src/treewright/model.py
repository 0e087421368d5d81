"""Tree: the public face of a grown tree."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright.criteria import Criterion
from treewright.errors import OptionError, TableError, nearest_name
from treewright.growing.threads import n_threads
from treewright.pruning.by_hand import collapse_by_hand
from treewright.pruning.path import cost_complexity
from treewright.pruning.refit import refit_tree
from treewright.reading.answer import answers, class_shares, classes
from treewright.reading.colour import MOST_PRINTED, can_draw
from treewright.reading.importance import impurity_importance
from treewright.table.costs import prior_factors
from treewright.table.match import match, plain_matrix
from treewright.table.match_target import match_target
from treewright.table.table import ClassTarget, Target
from treewright.table.weights import read_weights
from treewright.tree import walk
from treewright.tree.data import TreeData
from treewright.tree.route import (
    Ends,
    columns_used,
    decision_path,
    ends_of,
    ends_of_matrix,
    route,
    route_matrix,
)
from treewright.tree.split import Split, split_of
from treewright.views import Views

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

    from treewright.table.schema import Schema

__all__ = ["Tree", "as_tree", "sent_down"]


class Tree(Views):
    """A grown tree: immutable, comparable, and able to answer.

    Nodes are numbered from 0, the root, in preorder: a node comes before all
    nodes below it, a left branch before a right one. The arrays behind the tree
    (``tree.threshold``, ``tree.n_rows``, ... and all of `TreeData`, in
    ``tree.data``) have one entry per node.

    Parameters
    ----------
    data : TreeData
        The arrays. Trees come from growing, not from this constructor.

    Examples
    --------
    >>> import treewright as tw
    >>> X = {"outlook": ["sunny", "rainy", "sunny", "rainy"], "wind": [3, 9, 5, 1]}
    >>> tree = tw.TreeClassifier().fit(X, ["no", "no", "no", "yes"]).tree_
    >>> tree.n_leaves, tree.columns_used
    (2, ('wind',))
    >>> tree.split(0).words(0)
    'wind <= 2'
    """

    __slots__ = ("__weakref__", "data")

    data: TreeData
    """The arrays."""

    def __init__(self, data: TreeData) -> None:
        object.__setattr__(self, "data", data)

    # -- shape --------------------------------------------------------------------

    @property
    def n_nodes(self) -> int:
        """Number of nodes, leaves included."""
        return self.data.n_nodes

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return self.data.n_leaves

    @property
    def depth(self) -> int:
        """Most splits on any way from the root to a leaf; 0 for a single leaf."""
        return int(self.data.depth.max())

    @property
    def leaves(self) -> NDArray[np.int32]:
        """Numbers of the leaves, left to right."""
        return walk.leaves(self.data)

    def children(self, node: int) -> tuple[int, ...]:
        """Children of a node in branch order; none for a leaf."""
        return walk.children(self.data, node)

    def parent(self, node: int) -> int | None:
        """Return the node above; None for the root."""
        above = int(self.data.parent[walk.checked_node(self.data, node)])
        return above if above >= 0 else None

    def path(self, node: int) -> tuple[int, ...]:
        """Nodes from the root to `node`, both included."""
        return walk.path(self.data, node)

    def key(self, node: int) -> tuple[int, ...]:
        """Branches from the root to `node`: a name that survives pruning."""
        return walk.key(self.data, node)

    def split(self, node: int) -> Split | None:
        """Return what a node asks: Threshold, Subset, IsMissing or Multiway.

        None for a leaf. ``split.words(branch)`` says it in words.
        """
        return split_of(self.data, node)

    # -- meaning ------------------------------------------------------------------

    @property
    def schema(self) -> Schema:
        """Columns and target of the training table."""
        return self.data.schema

    @property
    def method(self) -> str:
        """How the tree was grown: 'cart', 'id3' or 'c45'."""
        return self.data.method

    @property
    def criterion(self) -> Criterion:
        """The criterion the tree was grown by; ``str(...)`` gives its name."""
        return self.data.criterion

    @property
    def classes(self) -> NDArray[Any]:
        """Classes, in the order of `predict_proba`; empty for a numeric target."""
        return classes(self.data)

    @property
    def columns_used(self) -> tuple[str, ...]:
        """Names of the columns that some split looks at, in table order."""
        features = self.data.schema.features
        return tuple(features[j].name for j in columns_used(self.data).tolist())

    @property
    def importances(self) -> NDArray[np.float64]:
        """Each column's share of the total fall of impurity."""
        return impurity_importance(self.data)

    def risk(self, kind: str = "error") -> float:
        """Cost of the whole tree on its training rows.

        Parameters
        ----------
        kind : {'error', 'impurity'}, default='error'
            'error': sum of R(t) over the leaves, for classes the share of weight
            that is misclassified (with costs: the mean cost), for numbers the mean
            squared error (poisson: half the mean deviance). 'impurity': impurity of
            the leaves, each with its share of the weight it was grown on. Rows that
            stop at an inner node pay for its answer.

        Returns
        -------
        float
        """
        if kind not in ("error", "impurity"):
            near = nearest_name(str(kind), ("error", "impurity"))
            hint = f" Did you mean {near!r}?" if near else ""
            raise OptionError(f"risk is of 'error' or 'impurity'; got {kind!r}.{hint}")
        return cost_complexity(self.data, 0.0, kind)

    def cost_complexity(self, alpha: float, kind: str = "error") -> float:
        """Return R(T) + alpha x leaves: what the tree costs if a leaf costs alpha.

        Parameters
        ----------
        alpha : float
            Price of a leaf, a share of the total weight, >= 0.
        kind : {'error', 'impurity'}, default='error'
            See `risk`.

        Returns
        -------
        float
        """
        return cost_complexity(self.data, alpha, kind)

    # -- other trees --------------------------------------------------------------

    def collapse(self, node: Any = None, *, where: Any = None) -> Tree:
        """Return the tree with inner nodes made leaves.

        Parameters
        ----------
        node : int or list of int, optional
            The nodes. A leaf, or a number the tree does not have, is an error.
        where : callable or bool array, optional
            Instead of `node`: asked about every inner node, which comes with its
            `node`, `depth`, `n_rows`, `weight`, `share`, `impurity`, `gain`,
            `risk`, `weighted_risk`, `n_leaves` and `feature`; or one truth value
            per node.

        Returns
        -------
        Tree
            The new leaves have the stop reason 'collapsed'.

        Examples
        --------
        >>> import treewright as tw
        >>> table = tw.as_table({"wind": [3, 9, 5, 1]}, ["no", "yes", "no", "yes"])
        >>> tw.grow(table).collapse(where=lambda node: node.n_rows < 4).n_leaves
        2
        """
        return Tree(collapse_by_hand(self.data, node, where))

    def refit(self, X: Any, y: Any, sample_weight: Any = None) -> Tree:
        """Return the same splits with all evidence from other rows.

        Parameters
        ----------
        X : array, data frame, dict of columns or list of rows
            The rows; see `apply`.
        y : array, series or list
            Their target; no class that the tree does not know.
        sample_weight : array, series or list, optional
            Their weights.

        Returns
        -------
        Tree
            A node that no row reaches answers as the node above it. A row that is
            divided among branches counts in each by its share. With priors, the
            rows are weighed so that the classes have them.
        """
        ends, target, weights = sent_down(self, X, y, sample_weight)
        return Tree(refit_tree(self.data, ends, target, weights))

    # -- answers ------------------------------------------------------------------

    def apply(
        self, X: Any, *, unseen: str = "missing", n_jobs: int | None = 1
    ) -> NDArray[np.int32]:
        """Return the node in which each row ends.

        Parameters
        ----------
        X : array, data frame, dict of columns or list of rows
            New data. Columns are found by name; only those of `columns_used` are
            needed. Plain arrays: all columns, in the order of growing.
        unseen : {'missing', 'error'}, default='missing'
            What to do with a category that was not there when the tree was
            grown: treat it as missing, or refuse.
        n_jobs : int or None, default=1
            Number of threads; None: the cores this process may use.

        Returns
        -------
        int32 array
            Node numbers: leaves, or inner nodes where a missing value stops. A row
            that is divided among branches ends where its largest part does.
        """
        nodes: NDArray[np.int32] = self._sent(X, unseen, n_jobs, route, route_matrix)
        return nodes

    def _ends(self, X: Any, unseen: str, n_jobs: int | None) -> Any:
        """Return where each row ends, all its parts where rows are divided."""
        return self._sent(X, unseen, n_jobs, ends_of, ends_of_matrix)

    def _sent(
        self,
        X: Any,
        unseen: str,
        n_jobs: int | None,
        by_columns: Callable[..., Any],
        by_matrix: Callable[..., Any],
    ) -> Any:
        data = self.data
        if unseen not in ("missing", "error"):
            raise OptionError(f"unseen must be 'missing' or 'error'; got {unseen!r}.")
        threads = n_threads(n_jobs)
        matrix = plain_matrix(data.schema, X)
        if matrix is not None:
            return by_matrix(data, matrix, threads)
        columns = match(data.schema, X, columns_used(data).tolist(), unseen)
        return by_columns(data, columns, columns.n_rows, threads)

    def predict(
        self, X: Any, *, unseen: str = "missing", n_jobs: int | None = 1
    ) -> Any:
        """Return the class, or the number, for each row; see `apply`."""
        return answers(self.data, self._ends(X, unseen, n_jobs))

    def predict_proba(
        self, X: Any, *, unseen: str = "missing", n_jobs: int | None = 1
    ) -> NDArray[np.float64]:
        """Return the share of every class where each row ends; see `apply`."""
        return class_shares(self.data, self._ends(X, unseen, n_jobs))

    def decision_path(
        self, X: Any, *, unseen: str = "missing", n_jobs: int | None = 1
    ) -> csr_matrix:
        """Return which nodes each row passes, as a sparse matrix; see `apply`."""
        return decision_path(self.data, self._ends(X, unseen, n_jobs))

    def rows(
        self, node: int, X: Any, *, unseen: str = "missing", n_jobs: int | None = 1
    ) -> NDArray[np.int64]:
        """Return the row numbers of `X` that pass through a node; see `apply`."""
        first = walk.checked_node(self.data, node)
        end = first + int(self.data.subtree_size[first])
        ended = self.apply(X, unseen=unseen, n_jobs=n_jobs)
        return np.flatnonzero((ended >= first) & (ended < end))

    # -- behaviour as a value -----------------------------------------------------

    @property
    def fingerprint(self) -> str:
        """Hash of the whole tree: 64 hex digits, equal exactly for equal trees."""
        return self.data.fingerprint

    def __getattr__(self, name: str) -> NDArray[Any]:
        """Return one of the arrays, or say what there is."""
        if name in TreeData.array_names:
            array: NDArray[Any] = getattr(self.data, name)
            return array
        near = nearest_name(name, dir(type(self)))
        hint = f" Did you mean {near!r}?" if near and not name.startswith("_") else ""
        raise AttributeError(f"A Tree has no {name!r}.{hint}")

    def __dir__(self) -> list[str]:
        """Return the arrays too."""
        return sorted({*super().__dir__(), *TreeData.array_names})

    def __setattr__(self, name: str, value: object) -> None:
        """Refuse: a tree never changes."""
        raise AttributeError(f"A Tree never changes; {name!r} cannot be set.")

    def __delattr__(self, name: str) -> None:
        """Refuse: a tree never changes."""
        raise AttributeError(f"A Tree never changes; {name!r} cannot be deleted.")

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the arrays."""
        return Tree, (self.data,)

    def __eq__(self, other: object) -> bool:
        """Same structure, evidence and schema; how it was made does not count."""
        return self.data == other.data if isinstance(other, Tree) else NotImplemented

    def __hash__(self) -> int:
        """Hash of the fingerprint."""
        return hash(self.data)

    def __repr__(self) -> str:
        """One line: target, size, rows."""
        target = self.data.schema.target
        of = f"{target.name}: " if target is not None else ""
        return (
            f"Tree({of}{self.n_nodes} nodes, {self.n_leaves} leaves, "
            f"depth {self.depth}, {int(self.data.n_rows[0])} rows)"
        )

    def __str__(self) -> str:
        """The same as `text`, folded to 200 leaves; in ASCII if need be."""
        return self.text(max_leaves=MOST_PRINTED, ascii=not can_draw(sys.stdout))


def sent_down(
    tree: Tree, X: Any, y: Any, sample_weight: Any
) -> tuple[NDArray[np.int32] | Ends, Target, NDArray[np.float64] | None]:
    """Return where new rows end, with their target and weights.

    With priors, the weights give each class its prior share.
    """
    ends = tree._ends(X, "missing", 1)
    n_rows = ends.n_rows if isinstance(ends, Ends) else len(ends)
    if not n_rows:
        raise TableError("X has no rows; at least one is needed.")
    target = match_target(tree.schema, y, n_rows)
    weights = read_weights(sample_weight, n_rows)
    priors = tree.schema.target.priors if tree.schema.target else None
    if priors is not None and isinstance(target, ClassTarget):
        own = prior_factors(priors, target, weights)[target.codes]
        weights = own if weights is None else own * weights
    return ends, target, weights


def as_tree(tree: object) -> Tree:
    """Return the Tree of whatever has one: what every function here takes.

    Parameters
    ----------
    tree : Tree, TreeData or fitted treewright estimator
        The tree, or its owner.

    Returns
    -------
    Tree
    """
    # A Tree is not asked for tree_: it would look for the nearest name it has.
    found = tree if isinstance(tree, Tree) else getattr(tree, "tree_", tree)
    if isinstance(found, Tree):
        return found
    if isinstance(found, TreeData):
        return Tree(found)
    kind = type(tree).__name__
    if type(tree).__module__.partition(".")[0] == "treewright":
        # An estimator brings the error, which is scikit-learn's too.
        unfitted: type[OptionError] = getattr(type(tree), "_unfitted", OptionError)
        raise unfitted(f"This {kind} has no tree yet; call fit first.")
    hint = ""
    if hasattr(tree, "named_steps"):
        hint = " Pass its last step, pipe[-1], and rows as the steps before make them."
    elif hasattr(tree, "best_estimator_"):
        hint = " Pass its best_estimator_."
    raise OptionError(
        f"tree must be a treewright Tree or a fitted treewright estimator; got "
        f"{kind}.{hint}"
    )
