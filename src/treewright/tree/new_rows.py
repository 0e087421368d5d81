"""New rows: read by the schema of a tree, refused by its rules, routed once.

Every function with the arguments (X, y, sample_weight) reads its rows here, so that
all of them accept, refuse and weigh rows in the same way.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from treewright.criteria import Criterion
from treewright.errors import OptionError, TableError
from treewright.table.check import check_matched
from treewright.table.costs import prior_factors
from treewright.table.match import MatchedColumns, match, plain_matrix
from treewright.table.match_target import match_target
from treewright.table.schema import Schema
from treewright.table.table import ClassTarget, NumericTarget, Table, Target
from treewright.table.weights import read_weights
from treewright.tree.data import TreeData
from treewright.tree.loss import loss_of
from treewright.tree.route import Ends, columns_used, ends_of

__all__ = ["NewRows", "checked_unseen", "read_columns", "with_priors"]


@dataclass(frozen=True, eq=False)
class NewRows:
    """Rows that a tree was not grown on, in the form of its table.

    Attributes
    ----------
    columns : sequence of array or None
        The columns, in the form that `route` takes.
    target : ClassTarget or NumericTarget
        The target of the rows, with classes numbered as in the tree.
    weights : float array or None
        The weights of the rows, not altered by costs; None: all 1.
    scale : float array or None
        Factor of the loss of each class that gives the classes their priors, if
        `weights` do not include the priors; None: 1. Unlike a weight, a scale does
        not count copies of a row: the variance of losses contains its square.
    """

    columns: Sequence[NDArray[Any] | None]
    target: Target
    weights: NDArray[np.float64] | None = None
    scale: NDArray[np.float64] | None = None
    _routed: list[tuple[TreeData, NDArray[np.int32] | Ends]] = field(
        default_factory=list, init=False, repr=False
    )

    @classmethod
    def read(
        cls,
        tree: TreeData,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        needed: Iterable[int] | None = None,
        suffix: str = "",
    ) -> Self:
        """Read rows for a tree; with priors, the weights give each class its share.

        Parameters
        ----------
        tree : TreeData
            The tree; its rules decide which rows are refused.
        X : array, data frame, dict of columns or list of rows
            The rows, at least one; `match` documents how columns are matched.
        y : array, series or list
            The target; it may hold only classes that the tree knows. None: the target
            and the weights of X, if it is a Table that has a target.
        sample_weight : array, series or list, optional
            The weights.
        needed : iterable of int, optional
            Numbers of the columns to read; by default those that the tree uses.
        suffix : str, default=''
            Suffix of the caller's names for X, y and sample_weight, for messages.

        Returns
        -------
        NewRows
        """
        y, sample_weight = _own_target(X, y, sample_weight)
        columns = read_columns(tree, X, needed=needed)
        columns, target, weights = _labelled(
            tree.schema, columns, y, sample_weight, suffix, tree.criterion
        )
        return cls(columns, target, with_priors(tree.schema, target, weights))

    @classmethod
    def read_by_schema(
        cls,
        schema: Schema,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        criterion: Criterion,
        refuses_missing: bool = False,
        unseen: str = "missing",
        suffix: str = "",
    ) -> Self:
        """Read rows before there is a tree: all usable columns, weighed as for growing.

        Class weights count here, since the rows decide on the size of a tree that was
        grown with them; priors count as in `read`.

        Parameters
        ----------
        schema : Schema
            The columns and the target of the training table.
        X, y, sample_weight, suffix
            See `read`.
        criterion, refuses_missing, unseen
            Those of the tree to come; see `TreeData`.

        Returns
        -------
        NewRows
        """
        y, sample_weight = _own_target(X, y, sample_weight)
        columns = _matched(schema, X, schema.usable, refuses_missing, unseen)
        columns, target, weights = _labelled(
            schema, columns, y, sample_weight, suffix, criterion
        )
        info = schema.target
        if info is not None and info.class_weight and isinstance(target, ClassTarget):
            own = np.array(info.class_weight)[target.codes]
            weights = own if weights is None else own * weights
        return cls(columns, target, with_priors(schema, target, weights))

    @property
    def y(self) -> NDArray[Any]:
        """The target of each row: the number of its class, or a number."""
        target = self.target
        return target.codes if isinstance(target, ClassTarget) else target.values

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.y)

    @property
    def own_weights(self) -> NDArray[np.float64]:
        """The weights; ones if there are none."""
        return np.ones(self.n_rows) if self.weights is None else self.weights

    @property
    def total(self) -> float:
        """Sum of the weights, including the priors."""
        if self.scale is not None and isinstance(self.target, ClassTarget):
            return float(self.own_weights @ self.scale[self.target.codes])
        return float(self.own_weights.sum())

    def ends(self, tree: TreeData) -> NDArray[np.int32] | Ends:
        """Return where the rows end in a tree; see `ends_of`.

        The result for the last tree is cached, so that all figures about one tree
        need only one routing.
        """
        if not self._routed or self._routed[0][0] is not tree:
            ends = ends_of(tree, self.columns, self.n_rows)
            self._routed[:] = [(tree, ends)]
        return self._routed[0][1]

    def costs(self, tree: TreeData) -> NDArray[np.float64] | None:
        """Return the cost of each answer (column) to each class; None: 0 and 1."""
        costs = loss_of(tree).costs
        if self.scale is None or not tree.is_classifier:
            return costs
        if costs is None:
            costs = 1.0 - np.eye(tree.value.shape[1])
        return np.asarray(costs * self.scale[:, None])


def read_columns(
    tree: TreeData,
    X: Any,
    unseen: str | None = None,
    needed: Iterable[int] | None = None,
) -> MatchedColumns:
    """Read the columns of new rows, and refuse the values that the tree refuses.

    Parameters
    ----------
    tree : TreeData
        The tree.
    X : array, data frame, dict of columns or list of rows
        The rows; there may be none.
    unseen : {'missing', 'error'} or None, default=None
        How to treat a category that the tree does not know; None: as the options of
        the tree say.
    needed : iterable of int, optional
        Numbers of the columns to read; by default those that the tree uses.

    Returns
    -------
    MatchedColumns
    """
    rule = tree.unseen if unseen is None else checked_unseen(unseen)
    wanted = columns_used(tree).tolist() if needed is None else needed
    return _matched(tree.schema, X, wanted, tree.refuses_missing, rule)


def checked_unseen(unseen: object) -> str:
    """Return the rule for unseen categories, or refuse an unknown one."""
    if unseen not in ("missing", "error"):
        raise OptionError(f"unseen must be 'missing' or 'error'; got {unseen!r}.")
    return str(unseen)


def _matched(
    schema: Schema, X: Any, needed: Iterable[int], refuses_missing: bool, unseen: str
) -> MatchedColumns:
    if not refuses_missing:
        return match(schema, X, needed, unseen)
    # A plain matrix is checked as a whole, as scikit-learn does.
    if plain_matrix(schema, X) is not None:
        needed = range(len(schema.features))
    columns = match(schema, X, needed, unseen)
    check_matched(schema, columns)
    return columns


def _labelled(
    schema: Schema,
    columns: MatchedColumns,
    y: Any,
    sample_weight: Any,
    suffix: str,
    criterion: Criterion,
) -> tuple[MatchedColumns, Target, NDArray[np.float64] | None]:
    """Return the columns with the target and the weights of their rows."""
    n = columns.n_rows
    if not n:
        raise TableError(f"X{suffix} has no rows; at least one is needed.")
    target = match_target(schema, y, n, f"y{suffix}")
    if isinstance(target, NumericTarget):
        criterion.check_values(target.values, f"y{suffix}")
    return columns, target, read_weights(sample_weight, n)


def _own_target(X: Any, y: Any, sample_weight: Any) -> tuple[Any, Any]:
    """Return target and weights; those of a Table where the caller passes none."""
    if y is not None or not isinstance(X, Table) or X.target is None:
        return y, sample_weight
    return X.target.own_values, X.weights if sample_weight is None else sample_weight


def with_priors(
    schema: Schema, target: Target, weights: NDArray[np.float64] | None
) -> NDArray[np.float64] | None:
    """Return weights that give each class its prior share of these rows."""
    info = schema.target
    if info is None or not info.priors or not isinstance(target, ClassTarget):
        return weights
    own = prior_factors(info.priors, target, weights)[target.codes]
    return own if weights is None else own * weights
