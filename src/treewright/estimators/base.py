"""What the classifier and the regressor share: fit, publish, route.

`fit` is three verbs: read the table, grow the tree, publish it. Nothing is kept on
the estimator before the tree is whole, so a fit that fails or is interrupted leaves
the estimator as it was.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.callback import CallbackSupportMixin, with_callbacks
from sklearn.exceptions import DataConversionWarning, NotFittedError
from sklearn.utils.validation import check_is_fitted

from treewright.errors import OptionError
from treewright.growing.grow import grow, n_threads
from treewright.model import Tree
from treewright.options import GrowOptions, check_criterion
from treewright.table.as_table import as_table
from treewright.table.check import check_matched
from treewright.table.match import match, plain_matrix
from treewright.table.table import Table
from treewright.table.target import is_column_vector
from treewright.tree.route import (
    columns_used,
    decision_path,
    route,
    route_answers,
    route_matrix,
)

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

    from treewright.tree.data import TreeData

__all__ = ["BaseTree"]

_OPTION_NAMES = tuple(field.name for field in fields(GrowOptions))
_STEPS = 100
_ROWS_WORTH_THREADS = 4096


class BaseTree(CallbackSupportMixin, BaseEstimator):  # type: ignore[misc]
    """Fitting, publishing and routing; the task is the subclass's."""

    _task: ClassVar[str]

    tree_: Tree
    criterion: str
    kinds: Any
    missing: str
    n_jobs: int | None
    prune: None

    # -- fitting ------------------------------------------------------------------

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Grow the tree.

        Parameters
        ----------
        X : array, data frame, dict of columns, list of rows or Table
            The training rows; see `treewright.as_table`. Never modified.
        y : array, series or list
            The target, one value per row; never left out.
        sample_weight : array, series or list, default=None
            One finite weight >= 0 per row; 0 leaves the row out. None: all 1.

        Returns
        -------
        estimator
            Itself. A fit that fails, or is ended by Ctrl-C, changes nothing.
        """
        options = self._options()
        _warn_of_column_vector(y)
        table = as_table(X, y, sample_weight, self.kinds, task=self._task)
        table = self._reweighted(table)
        # Set by scikit-learn: on this estimator, or on one that this is a part of.
        if "_skl_callbacks" in self.__dict__ or "_parent_callback_ctx" in self.__dict__:
            tree = self._grow_watched(table, options, X, y, sample_weight)
        else:
            tree = Tree(grow(table, options))
        fitted = self._fitted(tree, table, X)
        if "feature_names_in_" not in fitted:
            self.__dict__.pop("feature_names_in_", None)
        self.__dict__.update(fitted)
        return self

    def _options(self) -> GrowOptions:
        if self.prune is not None:
            raise OptionError(
                f"prune must be None, the unpruned tree; got {self.prune!r}. Pruning "
                "is not part of this version: bound the tree with max_depth, "
                "min_samples_leaf or max_leaf_nodes instead."
            )
        check_criterion(self.criterion, self._task)
        # Not by get_params, which reads the signature anew each time.
        return GrowOptions(**{name: getattr(self, name) for name in _OPTION_NAMES})

    def _reweighted(self, table: Table) -> Table:
        return table

    def _fitted(self, tree: Tree, table: Table, X: Any) -> dict[str, Any]:
        """Return the attributes of the fitted estimator."""
        schema = tree.schema
        fitted = {"tree_": tree, "n_features_in_": len(schema.features)}
        if schema.named and _names_are_text(X):
            fitted["feature_names_in_"] = np.array(schema.names, dtype=object)
        return fitted

    @with_callbacks  # type: ignore[untyped-decorator]
    def _grow_watched(
        self, table: Table, options: GrowOptions, X: Any, y: Any, sample_weight: Any
    ) -> Tree:
        """Grow under scikit-learn's callbacks, one task per hundredth of the rows."""
        context = self._init_callback_context(max_subtasks=_STEPS)
        weights = None if sample_weight is None else {"sample_weight": sample_weight}
        context.call_on_fit_task_begin(estimator=self, X=X, y=y, metadata=weights)
        done = 0

        def progress(share: float) -> None:
            nonlocal done
            while done < int(share * _STEPS):
                step = context.subcontext(task_name="hundredth of the rows")
                step.call_on_fit_task_begin(estimator=self)
                step.call_on_fit_task_end(estimator=self)
                done += 1

        tree = Tree(grow(table, options, progress=progress))
        progress(1.0)
        context.call_on_fit_task_end(
            estimator=self,
            X=X,
            y=y,
            metadata=weights,
            reconstruction_attributes=lambda: self._fitted(tree, table, X),
        )
        return tree

    def __getattr__(self, name: str) -> Any:
        """Say that fit comes first, where fit is what brings the attribute."""
        kind = type(self).__name__
        public = name.endswith("_") and not name.startswith("_")
        if public and "tree_" not in self.__dict__:
            raise NotFittedError(
                f"This {kind} instance is not fitted yet, so it has no {name!r}. Call "
                "fit first."
            )
        raise AttributeError(f"{kind!r} object has no attribute {name!r}")

    def __sklearn_is_fitted__(self) -> bool:
        """Return whether there is a tree."""
        return "tree_" in self.__dict__

    def __sklearn_tags__(self) -> Any:
        """Say what this estimator can do, for scikit-learn."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.missing != "error"
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags

    # -- routing ------------------------------------------------------------------

    def apply(self, X: Any) -> NDArray[np.int32]:
        """Return the leaf in which each row ends.

        Parameters
        ----------
        X : array, data frame, dict of columns or list of rows
            New data. Columns are found by name: order and extra columns do not
            matter, and only those the tree asks for are needed. Plain arrays: all
            columns, in the order of fitting.

        Returns
        -------
        int32 array
            Node numbers of `tree_`.
        """
        data = self._data()
        matrix = plain_matrix(data.schema, X, type(self).__name__)
        if matrix is None or self.missing == "error":
            return self._apply_checked(data, X, whole=matrix is not None)
        return route_matrix(data, matrix, self._threads(len(matrix)))

    def _answer_many(
        self, X: Any, by_node: Callable[[TreeData], NDArray[Any]]
    ) -> NDArray[Any] | None:
        """Answer many rows of a plain matrix in one pass; None where that is not it."""
        if type(X) is not np.ndarray or X.ndim != 2 or len(X) < _ROWS_WORTH_THREADS:
            return None
        data = self._data()
        matrix = plain_matrix(data.schema, X, type(self).__name__)
        if matrix is None or self.missing == "error":
            return None
        answers = by_node(data)
        if answers.dtype.kind not in "iuf" or answers.dtype.itemsize != 8:
            return None
        return route_answers(data, matrix, answers, self._threads(len(matrix)))

    def decision_path(self, X: Any) -> csr_matrix:
        """Return which nodes each row passes.

        Parameters
        ----------
        X : array, data frame, dict of columns or list of rows
            New data; see `apply`.

        Returns
        -------
        scipy.sparse.csr_matrix of rows x nodes
            1 where the row passes the node.
        """
        return decision_path(self._data(), self.apply(X))

    def _apply_checked(self, data: TreeData, X: Any, whole: bool) -> NDArray[np.int32]:
        options = self._options()
        needed = range(len(data.schema.features)) if whole else columns_used(data)
        columns = match(
            data.schema,
            X,
            [int(index) for index in needed],
            options.unseen,
            type(self).__name__,
        )
        if options.missing == "error":
            check_matched(data.schema, columns)
        return route(data, columns, columns.n_rows, self._threads(columns.n_rows))

    def _data(self) -> TreeData:
        tree: Tree | None = self.__dict__.get("tree_")
        if tree is None:
            check_is_fitted(self)
            raise AssertionError("an estimator without tree_ is not fitted")
        return tree.data

    def _threads(self, n_rows: int) -> int:
        # Below this, starting a thread takes longer than routing the rows.
        return 1 if n_rows < _ROWS_WORTH_THREADS else n_threads(self.n_jobs)

    # -- reading ------------------------------------------------------------------

    def get_depth(self) -> int:
        """Return the most splits on any way from the root to a leaf."""
        check_is_fitted(self)
        return self.tree_.depth

    def get_n_leaves(self) -> int:
        """Return the number of leaves."""
        check_is_fitted(self)
        return self.tree_.n_leaves

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Each column's share of the total fall of impurity; all 0 without splits."""
        check_is_fitted(self)
        return self.tree_.importances


def _warn_of_column_vector(y: Any) -> None:
    if is_column_vector(y):
        warnings.warn(
            "A column-vector y was passed when a 1d array was expected. Please change "
            "the shape of y to (n_samples,), for example using ravel().",
            DataConversionWarning,
            stacklevel=3,
        )


def _names_are_text(X: Any) -> bool:
    """Return whether all column names the caller gave are strings."""
    if isinstance(X, Table):
        return True
    if isinstance(X, Mapping):
        names = list(X)
    else:
        given = getattr(X, "column_names", None)
        names = list(getattr(X, "columns", ()) if given is None else given)
    return all(isinstance(name, str) for name in names)
