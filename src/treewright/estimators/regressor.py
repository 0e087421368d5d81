"""TreeRegressor: a regression tree with scikit-learn's interface."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin

from treewright.estimators.base import BaseTree

__all__ = ["TreeRegressor"]


class TreeRegressor(RegressorMixin, BaseTree):  # type: ignore[misc]
    """An exact regression tree.

    Takes numbers, categories, dates and missing values as they are. The same rows
    give the same tree, in any order and with any number of threads.

    Parameters
    ----------
    criterion : {'squared_error', 'poisson'}, default='squared_error'
        Impurity that splits bring down: the variance, or half the mean Poisson
        deviance, for counts and rates (all >= 0, with a sum above 0).
    max_depth : int or None, default=None
        Most splits on any way from the root to a leaf. None: no limit.
    min_samples_split : int or float, default=2
        Fewest training rows a node needs to be split. An int is a count; a float
        in (0, 1] is a share of all rows, rounded up.
    min_samples_leaf : int or float, default=1
        Fewest training rows a leaf may hold. An int is a count; a float in (0, 1)
        is a share of all rows, rounded up. Splits leaving fewer rows in any branch
        are never considered. Counts rows, not weights; for weights see
        `min_weight_fraction_leaf`.
    min_weight_fraction_leaf : float, default=0.0
        Smallest share of the total weight a leaf may hold, from 0 to 0.5.
    max_features : int, float, 'sqrt', 'log2' or None, default=None
        Columns tried at each node, drawn at random: a count, or a share of the
        columns, rounded down. None: all of them, and nothing is random.
    random_state : int, numpy.random.RandomState, Generator or None, default=None
        Seed of that draw. None is a fixed seed: the same tree every time.
    max_leaf_nodes : int or None, default=None
        Most leaves; the splits of the largest total gain are made first. None: no
        limit.
    min_impurity_decrease : float, default=0.0
        Smallest gain of a split times its node's share of the total weight.
    min_gain : float, default=0.0
        Smallest gain of a split in its own node, whatever the node's share. While
        this and `min_impurity_decrease` are 0, an impure node with different rows
        is split even at gain 0.
    max_nodes : int or None, default=None
        Most nodes, leaves included; best splits first, as for `max_leaf_nodes`.
    missing : {'learned', 'error'}, default='learned'
        'learned': each split learns the branch of missing values, and infinities
        are ordinary values. 'error': refuse both, in fitting and prediction.
    unseen : {'missing', 'error'}, default='missing'
        At prediction, send a category never seen where missing values go, or
        refuse it.
    kinds : dict or None, default=None
        Column name (for arrays: number) -> 'numeric', 'categorical', 'ordinal' or
        a list of the categories from lowest to highest, where the inferred kind is
        wrong. Brings back a column that was set aside.
    prune : None, default=None
        None is the unpruned tree, the only value for now.
    n_jobs : int or None, default=None
        Threads. None: the cores this process may use, one inside a joblib worker.
        -1: all cores, -2: all but one, and so on, but at least one. Never changes
        the tree.

    Attributes
    ----------
    tree_ : Tree
        The tree: immutable, readable, comparable.
    n_features_in_ : int
        Number of columns of `X`.
    feature_names_in_ : ndarray of str
        Names of the columns; only there if `X` had names, all of them strings.
    feature_importances_ : ndarray of float
        Each column's share of the total fall of impurity.

    Examples
    --------
    >>> import treewright as tw
    >>> X = {"rooms": [2, 3, 5, 6], "district": ["east", "west", "west", None]}
    >>> regressor = tw.TreeRegressor(max_depth=1).fit(X, [90.0, 110.0, 200.0, 220.0])
    >>> regressor.predict({"rooms": [4]})
    array([100.])
    """

    _task = "number"

    def __init__(
        self,
        *,
        criterion: str = "squared_error",
        max_depth: int | None = None,
        min_samples_split: int | float = 2,
        min_samples_leaf: int | float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: int | float | str | None = None,
        random_state: Any = None,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        min_gain: float = 0.0,
        max_nodes: int | None = None,
        missing: str = "learned",
        unseen: str = "missing",
        kinds: Mapping[Any, Any] | None = None,
        prune: None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.criterion = criterion
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.random_state = random_state
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.min_gain = min_gain
        self.max_nodes = max_nodes
        self.missing = missing
        self.unseen = unseen
        self.kinds = kinds
        self.prune = prune
        self.n_jobs = n_jobs

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Return the mean target of each row's leaf.

        Parameters
        ----------
        X : array, data frame, dict of columns or list of rows
            New data. Columns are found by name: order and extra columns do not
            matter, and only those the tree asks for are needed. Plain arrays: all
            columns, in the order of fitting.

        Returns
        -------
        float64 array
        """
        # One value per node: flat and by node are the same.
        many = self._answer_many(X, lambda data: data.value.ravel())
        return self._data().value.take(self.apply(X)) if many is None else many

    def __sklearn_tags__(self) -> Any:
        """Say what this estimator can do, for scikit-learn."""
        tags = super().__sklearn_tags__()
        tags.target_tags.positive_only = self.criterion == "poisson"
        return tags
