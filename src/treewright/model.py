"""Tree: the public face of a grown tree."""

from __future__ import annotations

import copy
import os
import sys
from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright.criteria import Criterion
from treewright.drawing.dot import to_dot
from treewright.drawing.highlight import row_path
from treewright.drawing.look import check_options
from treewright.drawing.mermaid import to_mermaid
from treewright.drawing.palette import terminal_colours
from treewright.drawing.save import save_picture
from treewright.drawing.svg import cell_svg, to_svg
from treewright.errors import OptionError, did_you_mean, nearest_name
from treewright.exporting.scikit_learn import SKLEARN_NAMES, sklearn_attribute
from treewright.files.atomic import file_to_write
from treewright.files.in_parts import is_in_parts
from treewright.growing.competitors import Competitor, competitors_of
from treewright.growing.threads import n_threads
from treewright.pruning.by_hand import collapse_by_hand, simplify
from treewright.pruning.path import check_alpha, cost_complexity
from treewright.pruning.refit import refit_tree
from treewright.pruning.shrinkage import drawn_strength, with_drawn_answers
from treewright.reading.answers.answer import (
    MANY_ROWS,
    answers,
    answers_of_matrix,
    class_probabilities,
    classes,
)
from treewright.reading.answers.check import Check, check_rows
from treewright.reading.answers.evaluation import Evaluation, evaluate_rows
from treewright.reading.answers.importance import impurity_importance
from treewright.reading.conditions.formula import Formula, formula
from treewright.reading.conditions.rules import Rules
from treewright.reading.one_row.explain import Explanation, explain
from treewright.reading.one_row.reasons import reasons
from treewright.reading.text.colour import (
    MOST_PRINTED,
    can_draw,
    coloured,
    rich_text,
    show,
)
from treewright.reading.text.frame import to_pandas
from treewright.reading.text.missing import (
    MissingAccount,
    SurrogateSplit,
    missing_account,
    surrogate_splits,
)
from treewright.reading.text.text import text
from treewright.reading.why.why import Why, why
from treewright.storing.files import write_atomically
from treewright.storing.load import load as load_data
from treewright.storing.save import document, save
from treewright.storing.values import kept
from treewright.table.match import plain_matrix
from treewright.tree import walk, wording
from treewright.tree.data import TreeData
from treewright.tree.edit import with_made_by
from treewright.tree.loss import loss_of
from treewright.tree.new_rows import NewRows, checked_unseen, read_columns
from treewright.tree.route import (
    Ends,
    columns_used,
    decision_path,
    ends_of,
    ends_of_matrix,
    route,
    route_matrix,
    share_at,
)
from treewright.tree.split import Split, split_of

if TYPE_CHECKING:
    import pandas as pd
    from scipy.sparse import csr_matrix

    from treewright.exporting.scorecard import Scorecard
    from treewright.exporting.verifying.verify import Verification
    from treewright.table.schema import Schema

__all__ = ["Tree", "as_tree", "load"]


class Tree:
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
        """Largest number of splits from the root to a leaf; 0 for a single leaf."""
        return int(self.data.depth.max())

    @property
    def leaves(self) -> NDArray[np.int32]:
        """Numbers of the leaves, left to right."""
        return walk.leaves(self.data)

    def children(self, node: int) -> tuple[int, ...]:
        """Children of a node in branch order; none for a leaf.

        Examples
        --------
        >>> import treewright as tw
        >>> X, y = {"wind": [3, 9, 5, 1]}, ["no", "no", "no", "yes"]
        >>> tree = tw.grow(tw.as_table(X, y))
        >>> tree.children(0), tree.children(1)
        ((1, 2), ())
        """
        return walk.children(self.data, node)

    def parent(self, node: int) -> int | None:
        """Return the node above; None for the root.

        Examples
        --------
        >>> import treewright as tw
        >>> X, y = {"wind": [3, 9, 5, 1]}, ["no", "no", "no", "yes"]
        >>> tree = tw.grow(tw.as_table(X, y))
        >>> tree.parent(0), tree.parent(2)
        (None, 0)
        """
        above = int(self.data.parent[walk.checked_node(self.data, node)])
        return above if above >= 0 else None

    def path(self, node: int) -> tuple[int, ...]:
        """Nodes from the root to `node`, both included.

        Examples
        --------
        >>> import treewright as tw
        >>> X, y = {"wind": [3, 9, 5, 1]}, ["no", "no", "no", "yes"]
        >>> tree = tw.grow(tw.as_table(X, y))
        >>> tree.path(2)
        (0, 2)
        """
        return walk.path(self.data, node)

    def key(self, node: int) -> tuple[int, ...]:
        """Branches from the root to `node`: an identifier that survives pruning.

        Examples
        --------
        >>> import treewright as tw
        >>> X, y = {"wind": [3, 9, 5, 1]}, ["no", "no", "no", "yes"]
        >>> tree = tw.grow(tw.as_table(X, y))
        >>> tree.key(2)
        (1,)
        """
        return walk.key(self.data, node)

    def split(self, node: int) -> Split | None:
        """Return the split of a node: Threshold, Subset, IsMissing or Multiway.

        None for a leaf. ``split.words(branch)`` is the condition of a branch as text.

        Examples
        --------
        >>> import treewright as tw
        >>> X, y = {"wind": [3, 9, 5, 1]}, ["no", "no", "no", "yes"]
        >>> tree = tw.grow(tw.as_table(X, y))
        >>> split = tree.split(0)
        >>> split.words(0), split.words(1)
        ('wind <= 2', 'wind > 2')
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
        """The criterion that the tree was grown with; ``str(...)`` gives its name."""
        return self.data.criterion

    @property
    def classes(self) -> NDArray[Any]:
        """Classes, in the order of `predict_proba`; empty for a numeric target."""
        return classes(self.data)

    @property
    def columns_used(self) -> tuple[str, ...]:
        """Names of the columns that splits use, in table order."""
        features = self.data.schema.features
        return tuple(features[j].name for j in columns_used(self.data).tolist())

    @property
    def importances(self) -> NDArray[np.float64]:
        """Each column's share of the total decrease of impurity."""
        return impurity_importance(self.data)

    def risk(self, kind: str = "error") -> float:
        """Cost of the whole tree on its training rows.

        Parameters
        ----------
        kind : {'error', 'impurity'}, default='error'
            'error': sum of R(t) over the leaves, for classes the share of weight
            that is misclassified (with costs: the mean cost), for numbers the mean
            squared error (poisson: half the mean deviance). 'impurity': impurity of
            the leaves, each with its share of the weight used for growing. Rows that
            stop at an inner node count with the risk of its answer.

        Returns
        -------
        float

        Examples
        --------
        >>> import treewright as tw
        >>> X, y = {"wind": [3, 9, 5, 1]}, ["no", "no", "no", "yes"]
        >>> tree = tw.grow(tw.as_table(X, y))
        >>> tree.collapse(0).risk(), tree.risk()
        (0.25, 0.0)
        """
        return self.cost_complexity(0.0, kind)

    def cost_complexity(self, alpha: float, kind: str = "error") -> float:
        """Return R(T) + alpha x leaves, the cost-complexity of the tree.

        Parameters
        ----------
        alpha : float
            Price of a leaf, a share of the total weight, >= 0.
        kind : {'error', 'impurity'}, default='error'
            See `risk`.

        Returns
        -------
        float

        Examples
        --------
        >>> import treewright as tw
        >>> X, y = {"wind": [3, 9, 5, 1]}, ["no", "no", "no", "yes"]
        >>> tree = tw.grow(tw.as_table(X, y))
        >>> tree.cost_complexity(0.1), tree.collapse(0).cost_complexity(0.1)
        (0.2, 0.35)
        """
        if kind not in ("error", "impurity"):
            hint = did_you_mean(kind, ("error", "impurity"))
            raise OptionError(
                f"kind must be 'error' or 'impurity'; got {kind!r}.{hint}"
            )
        loss = loss_of(self.data)
        price = loss.from_shown(check_alpha(alpha))
        return float(loss.shown(cost_complexity(self.data, price, kind)))

    # -- other trees --------------------------------------------------------------

    def collapse(self, node: Any = None, *, where: Any = None) -> Tree:
        """Return the tree with inner nodes collapsed to leaves.

        Parameters
        ----------
        node : int or list of int, optional
            The nodes. A leaf, or a number the tree does not have, is an error.
        where : callable or bool array, optional
            Instead of `node`: a function that takes an inner node and returns
            whether to collapse it, or one truth value per node. The function can use
            `node`, `depth`, `n_rows`, `weight`, `share`, `impurity`, `gain`, `risk`,
            `weighted_risk`, `n_leaves` and `feature` of the node.

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

    def refit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Tree:
        """Return the same splits with all evidence from other rows.

        Parameters
        ----------
        X : array, data frame, dict of columns or list of rows
            The rows; see `apply`.
        y : array, series or list
            Their target, with only the classes of the tree; not needed for a Table that
            has one.
        sample_weight : array, series or list, optional
            Their weights.

        Returns
        -------
        Tree
            Answers that were drawn towards the node above are drawn as strongly
            again. A node that no row reaches gets the answer of its parent. A row that
            is divided among branches counts in each by its share. With priors, rows are
            weighted so that the class shares equal the priors.

        Examples
        --------
        >>> import treewright as tw
        >>> X, y = {"wind": [3, 9, 5, 1]}, ["no", "no", "no", "yes"]
        >>> tree = tw.grow(tw.as_table(X, y))
        >>> fresh = tree.refit({"wind": [0, 0, 0, 8]}, ["yes", "yes", "no", "no"])
        >>> fresh.n_rows.tolist()
        [4, 3, 1]
        """
        rows = NewRows.read(self.data, X, y, sample_weight)
        ends = rows.ends(self.data)
        refitted = refit_tree(self.data, ends, rows.target, rows.weights)
        strength = drawn_strength(self.data)
        if strength is not None:
            refitted = with_drawn_answers(refitted, strength)
        return Tree(refitted)

    def simplify(self, keep: str = "proba") -> Tree:
        """Return the tree with siblings merged if they give the same answer.

        Parameters
        ----------
        keep : {'proba', 'class'}, default='proba'
            What must not change for any row: the class shares, or only the class. For
            numbers, both mean the answer. If rows are divided among branches, the
            shares are always kept, because they determine the answer for a divided row.

        Returns
        -------
        Tree
            The merged nodes have the stop reason 'same_answer'.

        Examples
        --------
        >>> import treewright as tw
        >>> X = {"wind": [1, 1, 1, 2, 2, 2, 3, 3]}
        >>> y = ["no", "no", "no", "no", "no", "yes", "yes", "yes"]
        >>> tree = tw.grow(tw.as_table(X, y))
        >>> tree.n_leaves, tree.simplify(keep="class").n_leaves
        (3, 2)
        """
        return Tree(simplify(self.data, keep))

    # -- answers ------------------------------------------------------------------

    def apply(
        self, X: Any, *, unseen: str | None = None, n_jobs: int | None = None
    ) -> NDArray[np.int32]:
        """Return the node in which each row ends.

        Parameters
        ----------
        X : array, data frame, dict of columns or list of rows
            New data. Columns are found by name; only those of `columns_used` are
            needed. Plain arrays: all columns, in the order of growing. A tree grown
            with ``missing='error'`` refuses missing and infinite values. Rows in parts
            (see `rows_in_parts`) may be larger than memory: they are answered where
            they lie, in the order of the parts.
        unseen : {'missing', 'error'} or None, default=None
            What to do with a category that was not in the training rows: treat it as
            missing, or raise an error. None: what was chosen when the tree was grown.
        n_jobs : int or None, default=None
            Number of threads; None: the cores that this process may use. Fewer than
            4,096 rows use one thread.

        Returns
        -------
        int32 array
            Node numbers: leaves, or inner nodes where a missing value stops. A row
            that is divided among branches ends where its largest part ends.

        Examples
        --------
        >>> import treewright as tw
        >>> X, y = {"wind": [3, 9, 5, 1]}, ["no", "no", "no", "yes"]
        >>> tree = tw.grow(tw.as_table(X, y))
        >>> tree.apply({"wind": [0, 20, None]})
        array([1, 2, 2], dtype=int32)
        """
        data, matrix = self.data, self._matrix(X, unseen)
        if matrix is not None:
            return route_matrix(data, matrix, _threads(n_jobs, len(matrix)))
        if is_in_parts(X):
            return self._ends_in_parts(X, unseen, n_jobs)
        columns = read_columns(data, X, unseen)
        n_rows = columns.n_rows
        return route(data, columns, n_rows, _threads(n_jobs, n_rows))

    def predict(
        self, X: Any, *, unseen: str | None = None, n_jobs: int | None = None
    ) -> Any:
        """Return the class, or the number, for each row; see `apply`.

        Examples
        --------
        >>> import treewright as tw
        >>> X, y = {"wind": [3, 9, 5, 1]}, ["no", "no", "no", "yes"]
        >>> tree = tw.grow(tw.as_table(X, y))
        >>> tree.predict({"wind": [0, 20]})
        array(['yes', 'no'], dtype='<U3')
        """
        return self._answers(X, None, unseen, n_jobs)

    def _answers(
        self,
        X: Any,
        names: NDArray[Any] | None,
        unseen: str | None = None,
        n_jobs: int | None = None,
    ) -> NDArray[Any]:
        """Return the answers; classes are labelled by `names` if given."""
        data, matrix = self.data, self._matrix(X, unseen)
        if matrix is None:
            return answers(data, self._ends_by_column(X, unseen, n_jobs), names)
        return answers_of_matrix(data, matrix, _threads(n_jobs, len(matrix)), names)

    def predict_proba(
        self, X: Any, *, unseen: str | None = None, n_jobs: int | None = None
    ) -> NDArray[np.float64]:
        """Return the probability of every class for each row; see `apply`.

        Examples
        --------
        >>> import treewright as tw
        >>> X, y = {"wind": [3, 9, 5, 1]}, ["no", "no", "no", "yes"]
        >>> tree = tw.grow(tw.as_table(X, y))
        >>> tree.predict_proba({"wind": [0, 20]})
        array([[0., 1.],
               [1., 0.]])
        """
        return class_probabilities(self.data, self._ends(X, unseen, n_jobs))

    def decision_path(
        self, X: Any, *, unseen: str | None = None, n_jobs: int | None = None
    ) -> csr_matrix:
        """Return which nodes each row passes, as a sparse matrix; see `apply`.

        A row that is divided among branches passes every node that one of its parts
        passes.

        Examples
        --------
        >>> import treewright as tw
        >>> X, y = {"wind": [3, 9, 5, 1]}, ["no", "no", "no", "yes"]
        >>> tree = tw.grow(tw.as_table(X, y))
        >>> tree.decision_path({"wind": [0, 20]}).toarray()
        array([[1, 1, 0],
               [1, 0, 1]])
        """
        return decision_path(self.data, self._ends(X, unseen, n_jobs))

    def rows(
        self,
        node: int,
        X: Any,
        *,
        unseen: str | None = None,
        n_jobs: int | None = None,
    ) -> NDArray[np.int64]:
        """Return the numbers of the rows of `X` that pass a node; see `apply`.

        A row that is divided among branches passes every node that one of its parts
        passes.

        Examples
        --------
        >>> import treewright as tw
        >>> X, y = {"wind": [3, 9, 5, 1]}, ["no", "no", "no", "yes"]
        >>> tree = tw.grow(tw.as_table(X, y))
        >>> tree.rows(2, X)
        array([0, 1, 2])
        """
        first = walk.checked_node(self.data, node)
        return np.flatnonzero(share_at(self.data, first, self._ends(X, unseen, n_jobs)))

    def _ends(
        self, X: Any, unseen: str | None, n_jobs: int | None
    ) -> NDArray[np.int32] | Ends:
        """Return where each row ends; for divided rows, where each part ends."""
        matrix = self._matrix(X, unseen)
        if matrix is None:
            return self._ends_by_column(X, unseen, n_jobs)
        return ends_of_matrix(self.data, matrix, _threads(n_jobs, len(matrix)))

    def _ends_by_column(
        self, X: Any, unseen: str | None, n_jobs: int | None
    ) -> NDArray[np.int32] | Ends:
        if is_in_parts(X):
            return self._ends_in_parts(X, unseen, n_jobs)
        columns = read_columns(self.data, X, unseen)
        n_rows = columns.n_rows
        return ends_of(self.data, columns, n_rows, _threads(n_jobs, n_rows))

    def _ends_in_parts(
        self, X: Any, unseen: str | None, n_jobs: int | None
    ) -> NDArray[np.int32]:
        # Reading files loads packages that nothing else here needs.
        from treewright.growing.parts.on_parts import ends_in_parts

        return ends_in_parts(self.data, X, unseen, n_jobs)

    def _matrix(self, X: Any, unseen: str | None) -> NDArray[Any] | None:
        """Return X if its rows need no conversion and no checks; otherwise None."""
        if unseen is not None:
            checked_unseen(unseen)
        data = self.data
        return None if data.refuses_missing else plain_matrix(data.schema, X)

    def check(self, X: Any) -> Check:
        """Compare new rows with the training rows, column by column.

        Parameters
        ----------
        X : array, data frame, dict of columns, list of rows, Table or rows in parts
            New rows. Columns may be absent or of another kind: that is reported. Rows
            in parts (see `rows_in_parts`) are counted where they lie.

        Returns
        -------
        Check
            For each column how many values are unseen categories, newly missing or
            outside the training range, whether it is absent or of another kind, and a
            drift figure. ``print`` shows a short table.

        Notes
        -----
        The drift is the population stability index over the deciles or categories of
        the training rows. Below 0.1 is usually called stable, above 0.25 changed.

        Examples
        --------
        >>> import treewright as tw
        >>> X = {"town": ["Rome", "Bonn"] * 30, "age": [20, 30, 40] * 20}
        >>> tree = tw.grow(tw.as_table(X, [age > 30 for age in X["age"]]))
        >>> print(tree.check({"town": ["Rome", "Oslo"], "age": [25, 95]}))
        2 new rows against 60 training rows: 2 columns to look at
          column  drift  what is new
          age      2.13  1 (50.0%) outside 20 to 40
          (town)   2.19  1 value (50.0%) never seen: 'Oslo'
          (in brackets: the tree does not use the column)
        """
        return check_rows(self.data, X)

    def evaluate(self, X: Any, y: Any = None, sample_weight: Any = None) -> Evaluation:
        """Evaluate the tree on rows that it was not grown on.

        Parameters
        ----------
        X : array, data frame, dict of columns, list of rows, or rows in parts
            New rows; see `apply`. Rows in parts (a folder or pattern of Parquet files,
            a list of them, a dataset, ...; see `rows_in_parts`) may be larger than
            memory.
        y : array, series, list or str
            Their target; not needed for a Table that has one. Of rows in parts, the
            name of the column, if it is not that of the tree's target.
        sample_weight : array, series, list or str, optional
            Their weights; of rows in parts, the name of the column.

        Returns
        -------
        Evaluation
            The error with a 95% interval; figures by class, or R2, RMSE and MAE; the
            number of splits that rows pass; and the training rows beside the new rows
            in each node (`to_pandas`).

        Examples
        --------
        >>> import treewright as tw
        >>> X, y = {"wind": [3, 9, 5, 1]}, ["no", "no", "no", "yes"]
        >>> tree = tw.grow(tw.as_table(X, y))
        >>> found = tree.evaluate({"wind": [0, 2, 4, 8]}, ["yes", "no", "no", "no"])
        >>> found.error, found.confusion.tolist()
        (0.25, [[2.0, 1.0], [0.0, 1.0]])
        """
        if is_in_parts(X):
            # Reading files loads packages that nothing else here needs.
            from treewright.growing.parts.on_parts import read_in_parts

            rows: NewRows = read_in_parts(self.data, X, y, sample_weight)
        else:
            rows = NewRows.read(self.data, X, y, sample_weight)
        return evaluate_rows(self.data, rows).in_target_units()

    # -- reading ------------------------------------------------------------------

    def text(
        self,
        max_depth: int | None = None,
        *,
        max_leaves: int | None = None,
        ascii: bool = False,
        numbers: bool = False,
        missing: bool | None = None,
        width: int = 88,
    ) -> str:
        """Return the tree as indented text, one line per node.

        Parameters
        ----------
        max_depth : int or None, default=None
            Deepest level to write; None: all.
        max_leaves : int or None, default=None
            Maximum number of leaves and collapsed nodes to write; impure nodes with
            many rows are expanded first. None: no limit. The text states what it
            leaves out.
        ascii : bool, default=False
            Draw with ASCII characters only.
        numbers : bool, default=False
            Write each node's number at the left: the number that `path`, `rows`
            and `split` take.
        missing : bool or None, default=None
            Whether to show where missing values go; None: only for columns that had
            missing values when the tree was grown.
        width : int, default=88
            Width to which lists of categories are shortened. Where it is narrow, the
            text leaves out shares rather than conditions.

        Returns
        -------
        str
            Leaves are marked with a star; conditions of a split that is not proven
            to be the best are marked with a tilde.

        Examples
        --------
        >>> import treewright as tw
        >>> X, y = {"wind": [3, 9, 5, 1]}, ["no", "no", "no", "yes"]
        >>> tree = tw.grow(tw.as_table(X, y))
        >>> print(tree.text(numbers=True, ascii=True))
        Tree for y: 3 nodes, 2 leaves (*), depth 1
        <BLANKLINE>
        node                rows  share  class  probability
           0  all rows         4   100%  no           75.0%
           1  |- wind <= 2     1  25.0%  yes           100% *
           2  `- wind > 2      3  75.0%  no            100% *
        """
        return text(
            self.data,
            max_depth,
            max_leaves=max_leaves,
            ascii=ascii,
            numbers=numbers,
            missing=missing,
            width=width,
        )

    def show(self, max_depth: int | None = None, *, max_leaves: int = 200) -> None:
        """Print the text as wide as the terminal, in colour if it can show any.

        The colours are those of the pictures; the environment variable NO_COLOR
        turns them off.

        Parameters
        ----------
        max_depth : int or None, default=None
            Deepest level to print; None: all.
        max_leaves : int, default=200
            Maximum number of leaves and collapsed nodes to print.

        Examples
        --------
        >>> import treewright as tw
        >>> X, y = {"wind": [3, 9, 5, 1]}, ["no", "no", "no", "yes"]
        >>> tree = tw.grow(tw.as_table(X, y))
        >>> tree.show()
        Tree for y: 3 nodes, 2 leaves (*), depth 1
        <BLANKLINE>
                      rows  share  class  probability
        all rows         4   100%  no           75.0%
        ├─ wind <= 2     1  25.0%  yes           100% *
        └─ wind > 2      3  75.0%  no            100% *
        """
        show(self.data, terminal_colours(), max_depth, max_leaves)

    def __rich__(self) -> Any:
        """Return the text in colour, for rich."""
        drawn = self.text(max_leaves=MOST_PRINTED)
        return rich_text(coloured(self.data, drawn, terminal_colours()))

    def rules(self) -> Rules:
        """Return the tree as rules "IF ... AND ... THEN ...", built on access.

        Returns
        -------
        Rules
            A sequence with one rule for every leaf, and one for every inner node
            where a missing value can stop; ``rules.where(...)``,
            ``rules.sorted_by(...)``, ``rules.to_pandas()``, ``rules.text()``.

        Examples
        --------
        >>> import treewright as tw
        >>> X, y = {"wind": [3, 9, 5, 1]}, ["no", "no", "no", "yes"]
        >>> tree = tw.grow(tw.as_table(X, y))
        >>> print(tree.rules()[0])
        IF wind <= 2 THEN y = yes  (1 row, 25.0%; confidence 100%, 20.7% to 100%)
        """
        return Rules(self.data)

    def formula(self, prediction: Any = None) -> Formula:
        """Return the conditions for one class as OR of ANDs; for numbers, a sum.

        Parameters
        ----------
        prediction : object, optional
            The class; not for a tree that answers numbers.

        Returns
        -------
        Formula
            Simplified without changing any answer: ``formula.evaluate(X)`` is
            true exactly where `predict` answers the class.

        Examples
        --------
        >>> import treewright as tw
        >>> X, y = {"wind": [3, 9, 5, 1]}, ["no", "no", "no", "yes"]
        >>> tree = tw.grow(tw.as_table(X, y))
        >>> print(tree.formula("yes"))
        y = yes: wind <= 2
        """
        return formula(self.data, prediction)

    def competitors(self, node: int) -> list[Competitor]:
        """Return the splits that came close at a node, best first.

        Only a tree grown with ``competitors=`` has them; `treewright.why` computes
        them for any tree.

        Examples
        --------
        >>> import treewright as tw
        >>> X = {"wind": [3, 9, 5, 1], "sun": [2, 2, 1, 0]}
        >>> table = tw.as_table(X, ["no", "no", "no", "yes"])
        >>> tree = tw.grow(table, tw.GrowOptions(competitors=1))
        >>> [each.words for each in tree.competitors(0)]
        ['sun <= 0.5']
        """
        return competitors_of(self.data, node)

    def surrogates(self, node: int) -> tuple[SurrogateSplit, ...]:
        """Return the surrogates of a node in the order in which they are tried.

        Only a tree grown with ``missing="surrogate"`` has any.

        Examples
        --------
        >>> import treewright as tw
        >>> X = {"wind": [1, 2, 8, 9], "gust": [2, 3, 11, 12]}
        >>> table = tw.as_table(X, ["yes", "yes", "no", "no"])
        >>> tree = tw.grow(table, tw.GrowOptions(missing="surrogate"))
        >>> print(tree.surrogates(0)[0])
        1. gust <= 7 goes left: agrees 100%, adjusted 100%, sent 0 rows
        """
        return surrogate_splits(self.data, node)

    def missing_account(self, node: int) -> MissingAccount:
        """Return where growing sent the rows without a value in a split's column.

        They went by surrogate 1, 2, ..., took the heavier or the learned branch,
        stopped, or were divided; ``tree.missing_account(0).words`` is a sentence.

        Examples
        --------
        >>> import treewright as tw
        >>> table = tw.as_table({"wind": [3, 9, None, 1]}, ["no", "no", "no", "yes"])
        >>> tw.grow(table).missing_account(0).words
        '1 row missing in wind: 1 row by the learned branch, wind > 2.'
        """
        return missing_account(self.data, node)

    def to_pandas(self) -> pd.DataFrame:
        """Return a data frame with one row per node.

        Examples
        --------
        >>> import treewright as tw
        >>> X, y = {"wind": [3, 9, 5, 1]}, ["no", "no", "no", "yes"]
        >>> tree = tw.grow(tw.as_table(X, y))
        >>> tree.to_pandas()["condition"].tolist()
        ['', 'wind <= 2', 'wind > 2']
        """
        return to_pandas(self.data)

    def to_dict(self) -> dict[str, Any]:
        """Return what `save` writes, as dicts, lists, strings and numbers.

        docs/reference/model-file.md describes every field. The result is ready for
        JSON.

        Examples
        --------
        >>> import treewright as tw
        >>> X, y = {"wind": [3, 9, 5, 1]}, ["no", "no", "no", "yes"]
        >>> tree = tw.grow(tw.as_table(X, y))
        >>> tree.to_dict()["nodes"][0]["split"]["threshold"]
        2.0
        """
        return document(self.data)

    def explain(
        self,
        row: Any,
        *,
        to: Any = None,
        fixed: Iterable[str] = (),
        change: bool = True,
        unseen: str | None = None,
    ) -> Explanation:
        """Explain the answer for one row: its path, and the smallest change to another.

        Parameters
        ----------
        row : mapping, series, sequence, or table of one row
            Values by name, at least those that its path tests; or all of them in order.
        to : object, optional
            The class that a change should lead to, or for numbers a range ``(low,
            high)``. None: any other answer.
        fixed : iterable of str
            Columns that must not change.
        change : bool, default=True
            Whether to search for the smallest change: of as few columns as possible,
            and by the smallest share of training rows between the two values. Rows
            are assumed to be spread evenly between quartiles; another category, or a
            value in place of a missing one, counts 1.
        unseen : {'missing', 'error'} or None, default=None
            What to do with a category that was not in the training rows; None: what
            was chosen when the tree was grown.

        Returns
        -------
        Explanation
            Sentences when printed; `steps`, `changes` and so on as data.

        Examples
        --------
        >>> import treewright as tw
        >>> X = {"wind": [3, 9, 5, 1], "sun": ["no", "yes", "no", "no"]}
        >>> tree = tw.TreeClassifier().fit(X, ["stay", "stay", "stay", "sail"]).tree_
        >>> tree.explain({"wind": 4}).changes[0].words
        'wind from 4 to 2 (wind <= 2)'
        """
        return explain(self.data, row, to=to, fixed=fixed, change=change, unseen=unseen)

    def why(
        self,
        node: int,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        column: str | None = None,
    ) -> Why:
        """Show the calculation that made a node a leaf or chose its split.

        Parameters
        ----------
        node : int
            Number of the node, as in ``tree.text(numbers=True)``.
        X, y, sample_weight
            The rows that the tree was grown on; of a Table with a target, only X. The
            tree itself stores the class weights, costs and priors that altered their
            weights.
        column : str, optional
            List every candidate of this column instead of the best of each column.

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
        >>> round(tree.why(0, X, y).chosen.gain, 4)
        0.8113
        """
        return why(self.data, node, X, y, sample_weight, column)

    def reasons(
        self,
        X: Any,
        most: int = 3,
        *,
        change: bool = False,
        fixed: Iterable[str] = (),
        n_jobs: int | None = None,
    ) -> pd.DataFrame:
        """Return the answers for many rows, each with the reasons for it.

        Parameters
        ----------
        X : array, data frame, dict of columns or list of rows
            The rows.
        most : int, default=3
            The number of conditions to name for each row.
        change : bool, default=False
            Whether to search for the smallest change that leads to another answer, as
            `explain` does; it takes milliseconds a row.
        fixed : iterable of str
            Columns that must not change.
        n_jobs : int or None, default=None
            Number of threads; None: all cores.

        Returns
        -------
        pandas.DataFrame
            One row per row of X: `answer`, `probability` (for classes), `leaf`, `rule`,
            and `reason_1`, `reason_2`, ...: the conditions on the path that moved the
            answer most. With `change` also `change`, in words ('' if there is none),
            and `other`, the answer after it.

        Examples
        --------
        >>> import treewright as tw
        >>> X, y = {"wind": [3, 9, 5, 1] * 9}, ["no", "no", "no", "yes"] * 9
        >>> tree = tw.TreeClassifier().fit(X, y).tree_
        >>> tree.reasons({"wind": [1, 8]})["reason_1"].tolist()
        ['wind <= 2', 'wind > 2 or missing']
        """
        threads = n_threads(n_jobs)
        return reasons(self.data, X, most, threads, change=change, fixed=fixed)

    # -- pictures -----------------------------------------------------------------

    def to_svg(
        self,
        *,
        row: Any = None,
        max_depth: int | None = None,
        max_leaves: int | None = 60,
        theme: str = "auto",
        direction: str | None = None,
        show: Iterable[str] | None = None,
        digits: int | None = None,
        node_numbers: bool = False,
        align_leaves: bool = False,
        title: str | None = None,
        width: float | str | None = None,
        palette: str = "colour",
    ) -> str:
        """Return the tree as an SVG picture.

        Every node shows the distribution of its rows, a branch is as wide as its
        share of the rows, and the tooltip of a node shows the details. The picture
        contains the tree as an outline for screen readers.

        Parameters
        ----------
        row : mapping, series, list, array or table of one row, optional
            A row whose path is highlighted.
        max_depth : int or None, default=None
            Deepest level to draw; None: all.
        max_leaves : int or None, default=60
            Maximum number of leaves to draw; the picture states what it leaves out.
            None: no limit.
        theme : {'auto', 'light', 'dark'}, default='auto'
            Colours; 'auto' follows the notebook, or else the reader's screen.
        direction : {'down', 'right'} or None, default=None
            Where the tree grows; None: where it is easier to read.
        show : iterable of str or None, default=None
            What the nodes show: 'rows' (their number), 'share' (of all rows),
            'shares' (of all classes), 'interval' (95%, of the share of the class or
            of the mean). None: rows and share, or rows alone in the low nodes of a
            tree that grows to the right.
        digits : int or None, default=None
            Significant figures of numbers and percentages; None: the usual rounding.
        node_numbers : bool, default=False
            Whether nodes show their numbers.
        align_leaves : bool, default=False
            Whether all leaves stand on the last level.
        title : str or None, default=None
            Title of the picture; None: the name of the target.
        width : float, str or None, default=None
            Width in pixels, or with a unit, such as '90mm'; None: the width that
            gives letters of normal size.
        palette : {'colour', 'print'}, default='colour'
            Colours, or patterns for black-and-white print.

        Returns
        -------
        str
            An ``<svg>`` element: write it into a file, or into a page.

        Examples
        --------
        >>> import treewright as tw
        >>> X, y = {"wind": [3, 9, 5, 1]}, ["no", "no", "no", "yes"]
        >>> tree = tw.grow(tw.as_table(X, y))
        >>> tree.to_svg(title="When to sail")[:4]
        '<svg'
        """
        return to_svg(
            self.data,
            path=None if row is None else row_path(self.data, row),
            max_depth=max_depth,
            max_leaves=max_leaves,
            theme=theme,
            direction=direction,
            width=width,
            show=show,
            digits=digits,
            node_numbers=node_numbers,
            align_leaves=align_leaves,
            title=title,
            palette=palette,
        )

    def save_picture(self, path: str | os.PathLike[str], **options: Any) -> Path:
        """Save the picture of the tree as SVG, PNG or PDF.

        Parameters
        ----------
        path : str or path
            The file to write; its ending says the format. PNG and PDF need
            matplotlib.
        **options
            As for `to_svg`. The theme is 'light' unless given; in SVG it may be
            'auto'.

        Returns
        -------
        pathlib.Path
            The file.

        Examples
        --------
        >>> import tempfile, treewright as tw
        >>> table = tw.as_table({"wind": [3, 9, 5, 1]}, ["no", "no", "no", "yes"])
        >>> tree = tw.grow(table)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     tree.save_picture(f"{folder}/tree.svg").name
        'tree.svg'
        """
        check_options(options)
        row = options.pop("row", None)
        if row is not None:
            options["path"] = row_path(self.data, row)
        return save_picture(self.data, path, **options)

    def to_mermaid(
        self, *, max_depth: int | None = None, max_leaves: int | None = 60
    ) -> str:
        """Return the tree as a mermaid flowchart; options as in `to_svg`.

        Examples
        --------
        >>> import treewright as tw
        >>> X, y = {"wind": [3, 9, 5, 1]}, ["no", "no", "no", "yes"]
        >>> tree = tw.grow(tw.as_table(X, y))
        >>> tree.to_mermaid().splitlines()[0]
        'flowchart TD'
        """
        return to_mermaid(self.data, max_depth=max_depth, max_leaves=max_leaves)

    def to_dot(
        self, *, max_depth: int | None = None, max_leaves: int | None = 60
    ) -> str:
        """Return the tree in graphviz's dot language; options as in `to_svg`.

        Examples
        --------
        >>> import treewright as tw
        >>> X, y = {"wind": [3, 9, 5, 1]}, ["no", "no", "no", "yes"]
        >>> tree = tw.grow(tw.as_table(X, y))
        >>> tree.to_dot().splitlines()[0]
        'digraph tree {'
        """
        return to_dot(self.data, max_depth=max_depth, max_leaves=max_leaves)

    # -- exports ------------------------------------------------------------------

    def export(
        self, format: str, path: str | PathLike[str] | None = None, **options: Any
    ) -> str | bytes:
        """Return the tree as a program for another place.

        The program gives the answers of `predict` and `predict_proba` for every row,
        also for missing values, unseen categories and values equal to a threshold.

        Parameters
        ----------
        format : str
            'sql', 'python', 'javascript', 'c', 'java', 'rust', 'r', 'onnx', 'pmml',
            'xlsx' or 'scorecard' (a table of points; see `scorecard`). Generated code
            needs no library; 'onnx' needs the package onnx to be written, 'xlsx' the
            package openpyxl.
        path : path, optional
            A file to write; an existing file is replaced.
        **options
            For every format: `check_rows`, whether to embed rows with the expected
            answers, which `verify` runs, or how many at most. For 'xlsx': `rows`, the
            number of rows to type into. For 'sql': `dialect`, `table`,
            `form`, `probabilities`, `leaf`, `reason` and `view`; see
            `treewright.exporting.sql.to_sql`. For 'scorecard': `good`, `pdo`, `points`
            and `odds`.

        Returns
        -------
        str or bytes

        Examples
        --------
        >>> import treewright as tw
        >>> X, y = {"wind": [3, 9, 5, 1] * 9}, ["no", "no", "no", "yes"] * 9
        >>> tree = tw.TreeClassifier().fit(X, y).tree_
        >>> print(tree.export("sql", dialect="duckdb").split("missing.")[1].strip())
        CASE
          WHEN "wind" <= 2
          THEN 'yes'
          ELSE 'no'
        END
        """
        from treewright.exporting.export import export

        where = None if path is None else file_to_write(path, "tree.sql")
        written = export(self.data, format, **options)
        if where is not None:
            content = written if isinstance(written, bytes) else written.encode()
            write_atomically(where, [content])
        return written

    def scorecard(
        self, good: Any, *, pdo: float = 20, points: float = 600, odds: float = 50
    ) -> Scorecard:
        """Return a tree of two classes as points, with reason codes.

        The score of a leaf is ``offset + pdo / ln 2 * ln(odds)``, rounded, where the
        odds are those of the good class by `predict_proba`.

        Parameters
        ----------
        good : object
            The class that earns points.
        pdo : float, default=20
            How many points double the odds of the good class.
        points, odds : float, default=600 and 50
            This score means these odds (50 means 50 to 1).

        Returns
        -------
        Scorecard
            A table when printed; `to_pandas()`, `to_csv()`, and `score(X)`, which
            gives the points of rows and the conditions that cost most points.

        Examples
        --------
        >>> import treewright as tw
        >>> X = {"age": [20, 30, 40, 50] * 30}
        >>> y = ["bad", "good", "good", "good"] * 30
        >>> clf = tw.TreeClassifier(findings="ignore").fit(X, y)
        >>> card = clf.tree_.scorecard("good")
        >>> card.score({"age": [20, 45]}, reasons=1)["reason_1"].tolist()
        ['age <= 25', '']
        """
        from treewright.exporting.scorecard import scorecard

        return scorecard(self.data, good, pdo=pdo, points=points, odds=odds)

    def to_sklearn(self) -> Any:
        """Return the tree as a fitted decision tree of scikit-learn.

        shap, skl2onnx, treelite, dtreeviz, `sklearn.tree.plot_tree` and `export_text`
        work on it. It answers all rows of float32 numbers as this tree does.

        Returns
        -------
        sklearn.tree.DecisionTreeClassifier or DecisionTreeRegressor

        Raises
        ------
        OptionError
            When scikit-learn cannot express the tree: categories, dates, surrogates,
            more than two branches, answers that are not the most probable class.

        Examples
        --------
        >>> import treewright as tw
        >>> X, y = {"wind": [3, 9, 5, 1]}, ["no", "no", "no", "yes"]
        >>> tree = tw.grow(tw.as_table(X, y))
        >>> float(tree.to_sklearn().tree_.threshold[0])
        2.0
        """
        from treewright.exporting.scikit_learn import to_sklearn

        return to_sklearn(self.data)

    def verify(self, path: str | PathLike[str]) -> Verification:
        """Run an exported file in its own engine and compare it with this tree.

        The rows reach every leaf, and include every threshold with its two
        neighbouring numbers, missing values and unseen categories.

        Parameters
        ----------
        path : path
            A file that `export` wrote. Its compiler, interpreter or database must be
            installed.

        Returns
        -------
        Verification
            A sentence when printed; `ok`, `n_rows`, `n_different` and `differences`.

        Examples
        --------
        >>> import tempfile, treewright as tw
        >>> table = tw.as_table({"wind": [3, 9, 5, 1]}, ["no", "no", "no", "yes"])
        >>> tree = tw.grow(table)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     _ = tree.export("python", f"{folder}/sail.py")
        ...     tree.verify(f"{folder}/sail.py").ok
        True
        """
        from treewright.exporting.verifying.verify import verify

        return verify(self.data, path)

    def _repr_svg_(self) -> str:
        """Show the picture in a notebook."""
        return self.to_svg()

    def _repr_html_(self) -> str:
        """Show the picture in a notebook, in letters that can be read in a cell."""
        return f'<div style="max-width:100%;overflow:auto">{cell_svg(self.data)}</div>'

    # -- notes of the author ------------------------------------------------------

    @property
    def notes(self) -> tuple[str, ...]:
        """The notes that `with_note` added, oldest first."""
        return tuple(self.data.made_by.get("notes", ()))

    def with_note(self, note: str) -> Tree:
        """Return the same tree with a note, which `save` stores.

        Parameters
        ----------
        note : str
            Any text, such as who may use the tree and for what.

        Returns
        -------
        Tree
            Equal to this one: notes are not compared.

        Examples
        --------
        >>> import treewright as tw
        >>> X, y = {"wind": [3, 9, 5, 1]}, ["no", "no", "no", "yes"]
        >>> tree = tw.grow(tw.as_table(X, y))
        >>> tree.with_note("For small boats.").notes
        ('For small boats.',)
        """
        if not isinstance(note, str) or not note.strip():
            raise OptionError(f"A note must be a text with words; got {note!r}.")
        return Tree(with_made_by(self.data, notes=(*self.notes, note)))

    @property
    def evaluation(self) -> dict[str, Any] | None:
        """The figures that `with_evaluation` attached, by name; None without any."""
        figures = self.data.made_by.get("evaluation")
        return None if figures is None else copy.deepcopy(figures)

    def with_evaluation(self, evaluation: Evaluation) -> Tree:
        """Return the same tree with an evaluation, whose figures `save` stores.

        Parameters
        ----------
        evaluation : Evaluation
            From `evaluate`, on rows that the tree was not grown on.

        Returns
        -------
        Tree
            Equal to this one: an evaluation is not compared. Edits drop it.

        Examples
        --------
        >>> import treewright as tw
        >>> X, y = {"wind": [3, 9, 5, 1]}, ["no", "no", "no", "yes"]
        >>> tree = tw.grow(tw.as_table(X, y))
        >>> found = tree.evaluate({"wind": [0, 8]}, ["yes", "no"])
        >>> tree.with_evaluation(found).evaluation["error"]
        0.0
        """
        if not isinstance(evaluation, Evaluation):
            raise OptionError(
                "with_evaluation takes the result of tree.evaluate(X, y); got "
                f"{type(evaluation).__name__}."
            )
        if evaluation.tree != self.data:
            raise OptionError(
                "This evaluation is of another tree. Evaluate this one: "
                "tree.with_evaluation(tree.evaluate(X, y))."
            )
        figures = kept(evaluation.to_dict())
        return Tree(with_made_by(self.data, evaluation=figures))

    # -- files --------------------------------------------------------------------

    def save(
        self, path: str | os.PathLike[str], *, keep_path: bool | None = None
    ) -> None:
        """Write the tree to a file that `treewright.load` reads.

        The file is JSON with one node per line; docs/reference/model-file.md describes
        it. The same model gives the same bytes. An existing file is replaced as a
        whole, or not at all.

        Parameters
        ----------
        path : str or path
            The file, usually named ``*.tree.json``.
        keep_path : bool or None, default=None
            Whether to store the tree before pruning too, from which every smaller
            size can be cut; None: if the tree has it.

        Examples
        --------
        >>> import tempfile, treewright as tw
        >>> table = tw.as_table({"wind": [3, 9, 5, 1]}, ["no", "no", "no", "yes"])
        >>> tree = tw.grow(table)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     tree.save(f"{folder}/sailing.tree.json")
        ...     tw.load(f"{folder}/sailing.tree.json") == tree
        True
        """
        save(self.data, path, keep_path=keep_path)

    # -- behaviour as a value -----------------------------------------------------

    @property
    def fingerprint(self) -> str:
        """Hash of nodes, splits, rows and answers: 64 hex digits, on any machine."""
        return self.data.fingerprint

    def __getattr__(self, name: str) -> Any:
        """Return an array, or what scikit-learn calls it; an error suggests a name."""
        if name in TreeData.array_names:
            return getattr(self.data, name)
        if name in SKLEARN_NAMES:
            return sklearn_attribute(self.data, name)
        near = nearest_name(name, dir(type(self)))
        hint = f" Did you mean {near!r}?" if near and not name.startswith("_") else ""
        raise AttributeError(f"A Tree has no {name!r}.{hint}")

    def __dir__(self) -> list[str]:
        """Return the attributes, including the arrays."""
        names = {*super().__dir__(), *TreeData.array_names}
        return sorted(names | {n for n in SKLEARN_NAMES if hasattr(self, n)})

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
        """Compare structure, evidence and schema, but not how the trees were made."""
        return self.data == other.data if isinstance(other, Tree) else NotImplemented

    def __hash__(self) -> int:
        """Hash of the fingerprint."""
        return hash(self.data)

    def __repr__(self) -> str:
        """One line: target, size, rows."""
        target = self.data.schema.target
        of = f"{target.name}: " if target is not None else ""
        nodes = wording.count(self.n_nodes, "node")
        leaves = wording.count(self.n_leaves, "leaf", "leaves")
        rows = wording.count(int(self.data.n_rows[0]), "row")
        return f"Tree({of}{nodes}, {leaves}, depth {self.depth}, {rows})"

    def __str__(self) -> str:
        """The same as `text`, limited to 200 leaves.

        It depends on nothing but the tree, and on whether standard output can show
        the signs that draw the rails.
        """
        return self.text(max_leaves=MOST_PRINTED, ascii=not can_draw(sys.stdout))


def load(path: str | os.PathLike[str]) -> Tree:
    """Read a tree from a file that `Tree.save` wrote.

    Everything in the file is checked before it is used, and nothing in it is ever run.

    Parameters
    ----------
    path : str or path
        The file, usually named ``*.tree.json``.

    Returns
    -------
    Tree
        It predicts; ``TreeClassifier.from_tree(tree)`` makes an estimator of it.

    Raises
    ------
    TreeFormatError
        If the file is not a whole and valid model file; the message says what is
        wrong, and where.
    OSError
        If the file cannot be read.

    Examples
    --------
    >>> import tempfile, treewright as tw
    >>> table = tw.as_table({"wind": [3, 9, 5, 1]}, ["no", "no", "no", "yes"])
    >>> tree = tw.grow(table)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     tree.save(f"{folder}/sail.tree.json")
    ...     tw.load(f"{folder}/sail.tree.json").predict({"wind": [2]})
    array(['yes'], dtype='<U3')
    """
    return Tree(load_data(path))


def as_tree(tree: object) -> Tree:
    """Return the Tree of a tree or an estimator; every public function uses this.

    Parameters
    ----------
    tree : Tree, TreeData or fitted treewright estimator
        The tree, or the estimator that grew it.

    Returns
    -------
    Tree
    """
    # Do not look up tree_ on a Tree: its __getattr__ would search for the nearest name.
    found = tree if isinstance(tree, Tree) else getattr(tree, "tree_", tree)
    if isinstance(found, Tree):
        return found
    if isinstance(found, TreeData):
        return Tree(found)
    kind = type(tree).__name__
    if type(tree).__module__.partition(".")[0] == "treewright":
        # The error of an estimator is also scikit-learn's NotFittedError.
        unfitted: type[OptionError] = getattr(type(tree), "_unfitted", OptionError)
        raise unfitted(f"This {kind} has no tree yet; call fit first.")
    hint = ""
    if hasattr(tree, "named_steps"):
        hint = (
            " Pass its last step, pipe[-1], with rows transformed by the steps before."
        )
    elif hasattr(tree, "best_estimator_"):
        hint = " Pass its best_estimator_."
    raise OptionError(
        f"tree must be a treewright Tree or a fitted treewright estimator; got "
        f"{kind}.{hint}"
    )


def _threads(n_jobs: int | None, n_rows: int) -> int:
    if n_jobs is None and n_rows < MANY_ROWS:
        return 1
    threads = n_threads(n_jobs)
    return 1 if n_rows < MANY_ROWS else threads
