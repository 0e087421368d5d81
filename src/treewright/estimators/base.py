"""The base class of the classifier and the regressor.

`fit` has three steps: read the table, grow and prune the tree, set the fitted
attributes. It sets nothing on the estimator before the tree is complete, so a fit that
fails or is interrupted leaves the estimator unchanged. `tree_` makes all predictions.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from dataclasses import fields, replace
from html import escape
from os import PathLike
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.exceptions import DataConversionWarning, NotFittedError
from sklearn.utils import Bunch
from sklearn.utils.validation import check_is_fitted

from treewright.errors import OptionError, TableError, memory_explained
from treewright.estimators.callbacks import CallbackSupportMixin, with_callbacks
from treewright.estimators.class_weight import class_factors
from treewright.estimators.grow_pruned import (
    FitArguments,
    Weighting,
    grow_pruned,
    grow_pruned_in_parts,
)
from treewright.estimators.in_parts import opened_parts, whole_table
from treewright.estimators.intake import look_before, say_after
from treewright.estimators.presets import translated
from treewright.estimators.progress import reported
from treewright.estimators.record import data_of, known_of, parameters_of, recorded
from treewright.files.describe import Described
from treewright.files.formats import check_memory, is_large, is_parquet
from treewright.files.in_parts import RowsInParts, is_in_parts, rows_in_parts
from treewright.files.memory import read_limit
from treewright.files.read import read as read_file
from treewright.growing.grow import grow
from treewright.growing.parts.checkpoint import check_checkpoint
from treewright.growing.parts.training import TrainingParts
from treewright.growing.threads import n_threads
from treewright.model import Tree, as_tree
from treewright.options import GrowOptions, IntakeOptions, PruneOptions, check_criterion
from treewright.pruning.path import find_path
from treewright.pruning.result import Pruning
from treewright.table.announce import announce, refuse
from treewright.table.as_table import read_table
from treewright.table.hash_folds import HashFolds
from treewright.table.intake import Intake
from treewright.table.row_hashes import as_fingerprint
from treewright.table.schema import TargetInfo
from treewright.table.table import Table
from treewright.table.target import is_column_vector
from treewright.tree.loss import loss_of

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

__all__ = ["BaseTree", "UnfittedError"]

_GROW_NAMES = tuple(field.name for field in fields(GrowOptions))
_PRUNE_NAMES = tuple(field.name for field in fields(PruneOptions))
_STEPS = 100


class UnfittedError(OptionError, NotFittedError):  # type: ignore[misc]
    """The estimator is not fitted: both an `OptionError` and a `NotFittedError`."""


class BaseTree(CallbackSupportMixin, BaseEstimator):  # type: ignore[misc]
    """Fitting and routing; the subclass sets the task."""

    _task: ClassVar[str]
    _unfitted: ClassVar[type[OptionError]] = UnfittedError

    tree_: Tree
    pruning_: Pruning
    intake_: Intake
    checkpoint: str | PathLike[str] | None
    conventions: str | None
    criterion: str | None
    discretize: Any
    findings: str
    kinds: Any
    memory_limit: int | str | None
    missing: str | None
    n_jobs: int | None
    prune: str | None
    prune_risk: str
    progress: Any

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        """Show the tree in a notebook; before fit, the parameters."""
        tree = getattr(self, "tree_", None)
        if tree is None:
            shown: dict[str, str] = super()._repr_mimebundle_(**kwargs)
            return shown
        named = escape(repr(self))
        return {
            "text/plain": repr(self),
            "text/html": f"<pre>{named}</pre>{tree._repr_html_()}",
        }

    @classmethod
    def like(cls, program: str, **settings: Any) -> Self:
        """Return an estimator that grows trees as another program does.

        Parameters
        ----------
        program : {'sklearn', 'rpart', 'c45', 'j48', 'id3'}
            The program whose rules and defaults to use.
        **settings
            Settings by the program's own names, such as ``minsplit=20`` or ``M=2``, or
            parameters of this class.

        Returns
        -------
        estimator
            An ordinary estimator, whose parameters show everything that was set.

        Notes
        -----
        docs/reference/peers.md describes what is matched and what still differs (ties,
        seeds).

        Examples
        --------
        >>> import treewright as tw
        >>> rpart = tw.TreeRegressor.like("rpart", minsplit=10)
        >>> rpart.min_samples_split, rpart.min_samples_leaf, rpart.missing
        (10, 3, 'surrogate')
        """
        return cls(**translated(program, cls._task, cls._get_param_names(), settings))

    @classmethod
    def from_tree(cls, tree: Any) -> Self:
        """Return a fitted estimator that answers by a tree.

        Parameters
        ----------
        tree : Tree
            From `treewright.load`, an estimator, or `treewright.grow`.

        Returns
        -------
        estimator
            Its parameters are those with which the tree was fitted, without `n_jobs`;
            of objects that a file cannot store, such as splitters, the defaults.
            `pruning_` is restored too, unless the tree was changed after fitting.

        Examples
        --------
        >>> import treewright as tw
        >>> table = tw.as_table({"wind": [3, 9, 5, 1]}, ["no", "no", "no", "yes"])
        >>> tw.TreeClassifier.from_tree(tw.grow(table)).predict({"wind": [0]})
        array(['yes'], dtype='<U3')
        """
        tree = as_tree(tree)
        task = "class" if tree.data.is_classifier else "number"
        if task != cls._task:
            right = "TreeClassifier" if task == "class" else "TreeRegressor"
            raise OptionError(
                f"This tree predicts {'classes' if task == 'class' else 'numbers'}; "
                f"use {right}.from_tree."
            )
        estimator = cls(**parameters_of(tree.data, cls))
        estimator.__dict__.update(cls._restored(tree), **known_of(tree.data))
        return estimator

    @classmethod
    def _restored(cls, tree: Tree) -> dict[str, Any]:
        """Return the attributes of the fitted estimator that follow from its tree."""
        schema = tree.schema
        fitted = {"tree_": tree, "n_features_in_": len(schema.features)}
        if schema.named:
            fitted["feature_names_in_"] = np.array(schema.names, dtype=object)
        return fitted

    # -- fitting ------------------------------------------------------------------

    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        target: str | None = None,
        groups: Any = None,
        X_val: Any = None,
        y_val: Any = None,
        sample_weight_val: Any = None,
    ) -> Self:
        """Grow the tree and prune it.

        Parameters
        ----------
        X : array, data frame, dict of columns, list of rows, Table, path or dataset
            The training rows; see `treewright.as_table`. Never modified. The path of
            one file names a table, read as ``treewright.read(X, target, kinds=kinds)``
            does. If it needs more than `memory_limit`, a Parquet file grows in parts
            with the same tree, unless ``prune="cv"`` needs all rows in memory; other
            files are refused. A pattern such as ``rows/*.parquet``, a
            folder, a list of paths, a pyarrow dataset, a polars LazyFrame, a relation
            of DuckDB and a DataFrame of Dask or Spark are rows in parts: they may be
            larger than memory (see `memory_limit`), and with ``prune="auto"`` a fifth
            of the rows, chosen by their hash, decides on the size of the tree.
        y : array, series or list
            The target, one value per row. Required, except for a Table with a target.
        sample_weight : array, series, list or str, default=None
            One finite weight >= 0 per row; 0 leaves the row out. With a path or rows
            in parts also the name of the column that holds them. None gives every row
            weight 1, or the weight it has in the Table. Where pruning depends on the
            number of rows ('cv' and 'pessimistic'), weights count as copies of rows. If
            they are below 1 on average, the mean weight counts as one row, so the unit
            of shares or rates does not matter.
        target : str, default=None
            With a path or rows in parts: the column to predict.
        groups : array, series or list, default=None
            A group name per row, never missing; rows of one group stay together in
            cross-validation. With fewer than 10 groups, each group is a fold; with a
            single group, the tree is not pruned.
        X_val, y_val, sample_weight_val : as X, y and sample_weight, default=None
            Validation rows for ``prune="validation"``, not trained on.

        Returns
        -------
        estimator
            The estimator itself. A fit that fails, or is interrupted by Ctrl-C,
            changes nothing.

        Examples
        --------
        >>> import treewright as tw
        >>> X, y = {"wind": [3, 9, 5, 1]}, ["no", "no", "no", "yes"]
        >>> tw.TreeClassifier().fit(X, y).tree_.n_leaves
        2
        """
        if self.memory_limit is not None:
            read_limit(self.memory_limit)  # refused here even if nothing is read
        named = target is not None or isinstance(X, str | PathLike | RowsInParts)
        in_parts = named and is_in_parts(X)
        if named and not in_parts:
            _check_path(X, y, target)
        options, prune = self._options(), self._prune_options()
        if named and not in_parts and groups is None and is_parquet(X):
            # Whatever the memory: the tree must not depend on it.
            prune = prune.for_parts(options, self._task)
        if in_parts or (named and self._is_large(X, prune)):
            rows = _rows_in_parts(X, y, target, sample_weight, groups, X_val)
            return self._fit_in_parts(rows, str(target), sample_weight)
        kinds = self.kinds
        if named:
            weight = sample_weight if isinstance(sample_weight, str) else None
            X = read_file(
                X, target, kinds=kinds, weight=weight, memory_limit=self.memory_limit
            )
            kinds = None
            sample_weight = None if weight is not None else sample_weight
        method = prune.method_for(options, self._task)
        arguments = FitArguments(
            X=X,
            y=y,
            groups=groups,
            X_val=X_val,
            y_val=y_val,
            sample_weight_val=sample_weight_val,
        )
        arguments.check(method, prune)
        _warn_of_column_vector(y)
        read = self._read(X, y, sample_weight, kinds)
        intake = look_before(read, X, y, self._reading())
        return self._fit_table(read, intake, options, prune, arguments, sample_weight)

    def _is_large(self, X: Any, prune: PruneOptions) -> bool:
        """Return whether X is a file that grows in parts because of its size.

        This never changes the tree, so it needs a method of pruning that gives the same
        tree from parts: any but 'cv', whose folds are others there.
        """
        method = prune.method_for(self._options(), self._task)
        n_trees = n_threads(self.n_jobs) if method == "cv" else 1
        if method != "cv" and is_large(X, self.memory_limit, n_trees):
            return True
        check_memory(X, self.memory_limit, n_trees)
        return False

    def _prune_options(self) -> PruneOptions:
        values = vars(self)
        return PruneOptions(**{n: values[n] for n in _PRUNE_NAMES if n in values})

    def _reading(self) -> IntakeOptions:
        return IntakeOptions(findings=self.findings)

    def _fit_table(
        self,
        read: Table,
        intake: Intake,
        options: GrowOptions,
        prune: PruneOptions,
        arguments: FitArguments,
        sample_weight: Any = None,
    ) -> Self:
        """Grow from a table in memory."""
        method = prune.method_for(options, self._task)
        table = self._reweighted(read)

        def grow_tree(progress: Any = None) -> tuple[Tree, Pruning]:
            factors = class_factors(read, table)
            with memory_explained(table.n_rows, len(table.usable)):
                data, pruning = grow_pruned(
                    table, options, prune, method, arguments, factors, progress
                )
            return Tree(data), replace(pruning, _face=Tree)

        # scikit-learn sets these, on this estimator or on one that contains it.
        X, y = arguments.X, arguments.y
        if "_skl_callbacks" in self.__dict__ or "_parent_callback_ctx" in self.__dict__:
            tree, pruning = self._grow_watched(
                grow_tree, table.target, X, y, sample_weight
            )
        else:
            with reported(self.progress, "Growing the tree") as progress:
                tree, pruning = grow_tree(progress)
        intake = say_after(intake, tree, pruning, read, self._reading())
        return self._keep(tree, pruning, intake, data_of(read), table.target, X)

    def _fit_in_parts(self, rows: RowsInParts, target: str, weight: str | None) -> Self:
        """Grow from rows in parts, where their number demands it."""
        options = self._options()
        prune = self._prune_options().for_parts(options, self._task)
        method = prune.method_for(options, self._task)
        if self.discretize is not None:
            raise OptionError(
                f"discretize={self.discretize!r} cuts columns by all their values, "
                "which does not add up over rows in parts. Cut the columns where the "
                "files are written, or pass rows that fit into memory."
            )
        check_checkpoint(self.checkpoint)
        arguments = FitArguments(
            X=None, y=None, groups=None, X_val=None, y_val=None, sample_weight_val=None
        )
        with opened_parts(
            rows,
            target,
            weight,
            self.kinds,
            options,
            self._task,
            self.memory_limit,
            getattr(self.progress, "watch", None),
        ) as opened:
            if self._reading().findings == "error":
                refuse(opened.intake)
            described, plan = opened.described, opened.plan
            # The folds of rows in parts are counted in parts, wherever they lie.
            if plan.where == "memory" and method != "cv":
                read = whole_table(opened)
                self._fit_table(read, opened.intake, options, prune, arguments)
                self.__dict__["plan_"] = plan
                return self
            info, factors = self._altered(described)
            if plan.where == "memory":
                plan = replace(plan, home_rows=described.n_rows)

            def training(sized: GrowOptions, folds: HashFolds | None) -> TrainingParts:
                return TrainingParts(
                    opened.engine,
                    described,
                    sized,
                    target=info,
                    factors=factors,
                    folds=folds,
                    plan=plan,
                    checkpoint=None if plan.where == "memory" else self.checkpoint,
                )

            with reported(self.progress, "Growing the tree") as progress:
                data, pruning, grown = grow_pruned_in_parts(
                    training,
                    options,
                    prune,
                    method,
                    self._task,
                    _weighting(described, info, factors),
                    progress,
                )
            grown.remove_checkpoint()
        if self._reading().findings == "warn":
            announce(opened.intake)
        about = {
            "rows": described.n_rows,
            "columns": len(described.schema.features),
            "fingerprint": as_fingerprint(grown.report.hashes),
        }
        pruning = replace(pruning, _face=Tree)
        self._keep(
            Tree(data), pruning, opened.intake, about, described.target, described
        )
        self.__dict__["plan_"] = replace(
            plan, n_requests=grown.n_requests, bytes_moved=grown.bytes_moved
        )
        return self

    def _keep(
        self,
        tree: Tree,
        pruning: Pruning,
        intake: Intake,
        about: Mapping[str, Any],
        target: Any,
        X: Any,
    ) -> Self:
        """Set the fitted attributes, all at once."""
        tree = Tree(recorded(tree.data, self, about, pruning, intake))
        fitted = self._fitted(tree, target, X)
        fitted |= {"pruning_": pruning, "intake_": intake}
        if "feature_names_in_" not in fitted:
            self.__dict__.pop("feature_names_in_", None)
        self.__dict__.pop("plan_", None)
        self.__dict__.update(fitted)
        return self

    def _altered(
        self, described: Described
    ) -> tuple[TargetInfo, tuple[NDArray[np.float64], ...]]:
        """Return the target, and what the weights of its classes are multiplied by."""
        assert described.schema.target is not None
        return described.schema.target, ()

    def cost_complexity_pruning_path(
        self, X: Any, y: Any, sample_weight: Any = None
    ) -> Bunch:
        """Grow a tree and return its weakest-link path, as scikit-learn does.

        Parameters
        ----------
        X, y, sample_weight
            The training rows; see `fit`.

        Returns
        -------
        sklearn.utils.Bunch
            `ccp_alphas`, strictly increasing, and `impurities`, the risk of the tree
            at each alpha. The risk is the impurity unless `prune_risk` sets another.

        Examples
        --------
        >>> import treewright as tw
        >>> X, y = {"wind": [3, 9, 5, 1]}, ["no", "yes", "no", "yes"]
        >>> tw.TreeClassifier().cost_complexity_pruning_path(X, y).ccp_alphas
        array([0.  , 0.25])
        """
        read = self._read(X, y, sample_weight, self.kinds)
        reading = IntakeOptions(findings=self.findings)
        intake = look_before(read, X, y, reading)
        if reading.findings == "warn":
            announce(intake)
        tree = grow(self._reweighted(read), self._options())
        risk = "impurity" if self.prune_risk == "auto" else self.prune_risk
        path = find_path(tree, risk)
        loss = loss_of(tree)
        return Bunch(
            ccp_alphas=loss.from_units(path.alpha),
            impurities=loss.from_units(path.risk),
        )

    def _options(self) -> GrowOptions:
        check_criterion(self.criterion, self._task)
        # Not get_params, which inspects the signature on every call.
        values = vars(self)
        return GrowOptions(**{n: values[n] for n in _GROW_NAMES if n in values})

    def _read(self, X: Any, y: Any, sample_weight: Any, kinds: Any) -> Table:
        return read_table(
            X, y, sample_weight, kinds, task=self._task, discretize=self.discretize
        )

    def _reweighted(self, table: Table) -> Table:
        return table

    def _fitted(self, tree: Tree, target: Any, X: Any) -> dict[str, Any]:
        """Return the attributes of the fitted estimator."""
        fitted = self._restored(tree)
        if not _names_are_text(X):
            fitted.pop("feature_names_in_", None)
        return fitted

    @with_callbacks  # type: ignore[untyped-decorator]
    def _grow_watched(
        self, grow_tree: Any, target: Any, X: Any, y: Any, sample_weight: Any
    ) -> tuple[Tree, Pruning]:
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

        tree, pruning = grow_tree(progress)
        progress(1.0)
        context.call_on_fit_task_end(
            estimator=self,
            X=X,
            y=y,
            metadata=weights,
            reconstruction_attributes=lambda: (
                self._fitted(tree, target, X) | {"pruning_": pruning}
            ),
        )
        return tree, pruning

    def __getattr__(self, name: str) -> Any:
        """Raise an error; of an attribute that `fit` sets, one that names `fit`."""
        kind = type(self).__name__
        public = name.endswith("_") and not name.startswith("_")
        if public and "tree_" not in self.__dict__:
            raise UnfittedError(
                f"This {kind} instance is not fitted yet, so it has no {name!r}. Call "
                "fit first."
            )
        raise AttributeError(f"{kind!r} object has no attribute {name!r}")

    def __sklearn_is_fitted__(self) -> bool:
        """Return whether the estimator has a tree."""
        return "tree_" in self.__dict__

    def __sklearn_tags__(self) -> Any:
        """Return what this estimator supports, as scikit-learn's tags."""
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
            New data. Columns are found by name: their order and extra columns do not
            matter, and only the columns that the tree uses are needed. A plain array
            needs all columns, in the order of fitting.

        Returns
        -------
        int32 array
            Node numbers of `tree_`. A row that is divided among branches gets the leaf
            of its largest part.

        Examples
        --------
        >>> import treewright as tw
        >>> X, y = {"wind": [3, 9, 5, 1]}, ["no", "no", "no", "yes"]
        >>> model = tw.TreeClassifier().fit(X, y)
        >>> model.apply({"wind": [0, 20]})
        array([1, 2], dtype=int32)
        """
        return self.tree_.apply(X, n_jobs=self.n_jobs)

    def decision_path(self, X: Any) -> csr_matrix:
        """Return the nodes that each row passes.

        Parameters
        ----------
        X : array, data frame, dict of columns or list of rows
            New data; see `apply`.

        Returns
        -------
        scipy.sparse.csr_matrix of rows x nodes
            1 where the row passes the node.

        Examples
        --------
        >>> import treewright as tw
        >>> X, y = {"wind": [3, 9, 5, 1]}, ["no", "no", "no", "yes"]
        >>> model = tw.TreeClassifier().fit(X, y)
        >>> model.decision_path({"wind": [0, 20]}).toarray()
        array([[1, 1, 0],
               [1, 0, 1]])
        """
        return self.tree_.decision_path(X, n_jobs=self.n_jobs)

    # -- reading ------------------------------------------------------------------

    def get_depth(self) -> int:
        """Return the number of splits on the longest path from the root to a leaf.

        Examples
        --------
        >>> import treewright as tw
        >>> X, y = {"wind": [3, 9, 5, 1]}, ["no", "no", "no", "yes"]
        >>> model = tw.TreeClassifier().fit(X, y)
        >>> model.get_depth()
        1
        """
        check_is_fitted(self)
        return self.tree_.depth

    def get_n_leaves(self) -> int:
        """Return the number of leaves.

        Examples
        --------
        >>> import treewright as tw
        >>> X, y = {"wind": [3, 9, 5, 1]}, ["no", "no", "no", "yes"]
        >>> model = tw.TreeClassifier().fit(X, y)
        >>> model.get_n_leaves()
        2
        """
        check_is_fitted(self)
        return self.tree_.n_leaves

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Each column's share of the total decrease of impurity; 0 without splits."""
        check_is_fitted(self)
        return self.tree_.importances


def _weighting(
    described: Described, info: TargetInfo, factors: tuple[NDArray[np.float64], ...]
) -> Weighting:
    """Return what is known about the weights of rows in parts."""
    totals = described.class_totals
    if info.class_weight is not None:
        totals = totals * np.array(info.class_weight)
    by_class = np.prod(factors, axis=0) if factors else None
    return Weighting(described.n_weighted, float(totals.sum()), by_class)


def _rows_in_parts(
    X: Any, y: Any, target: Any, sample_weight: Any, groups: Any, X_val: Any
) -> RowsInParts:
    """Open rows in parts, and refuse arguments that belong to a table."""
    if y is not None or not isinstance(target, str):
        raise TableError(
            "X names rows in parts, so the target is one of their columns. Pass its "
            "name as target=, and no y."
        )
    if sample_weight is not None and not isinstance(sample_weight, str):
        raise OptionError(
            "X names rows in parts, so sample_weight must be the name of a column, or "
            f"None; got an object of type {type(sample_weight).__name__!r}."
        )
    for name, given in (("groups", groups), ("X_val", X_val)):
        if given is not None:
            raise OptionError(
                f"{name} is not taken for rows in parts, whose folds and validation "
                f"rows are chosen by the hash of each row. Leave {name} out, or pass "
                "rows that fit into memory."
            )
    return rows_in_parts(X)


def _check_path(X: Any, y: Any, target: str | None) -> None:
    """Refuse a target without a file, and a file without the name of its target."""
    if not isinstance(X, str | PathLike):
        raise OptionError(
            f"target={target!r} names a column of a data file, but X is of type "
            f"{type(X).__name__!r}, not a path. Pass the target's values as y."
        )
    if y is not None or target is None:
        raise TableError(
            f"X is the path {os.fspath(X)!r}, so the target is a column of that file. "
            "Pass its name as target=, and no y."
        )


def _warn_of_column_vector(y: Any) -> None:
    if is_column_vector(y):
        warnings.warn(
            "A column-vector y was passed when a 1d array was expected. Please change "
            "the shape of y to (n_samples,), for example using ravel().",
            DataConversionWarning,
            stacklevel=3,
        )


def _names_are_text(X: Any) -> bool:
    """Return whether all column names of the caller's X are strings."""
    if isinstance(X, Table):
        return True
    if isinstance(X, Mapping):
        names = list(X)
    else:
        listed = getattr(X, "column_names", None)
        names = list(getattr(X, "columns", ()) if listed is None else listed)
    return all(isinstance(name, str) for name in names)
