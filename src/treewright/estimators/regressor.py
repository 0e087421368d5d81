"""TreeRegressor: a regression tree with scikit-learn's interface."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
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
    method : {'cart', 'id3'}, default='cart'
        'cart' splits every node into two branches. 'id3' opens a branch for every
        category and uses a column once on a path; numeric columns need `discretize`.
    criterion : str or None, default=None
        The impurity that splits reduce: 'squared_error', the variance;
        'absolute_error', the mean distance from the median, which the tree then
        predicts; or 'poisson', half the mean Poisson deviance, for counts and rates
        (all >= 0, with a sum above 0). None is 'squared_error'.
    max_depth : int or None, default=None
        Largest number of splits on a path from the root to a leaf. None: no limit.
    min_samples_split : int or float, default=2
        Fewest training rows a node needs to be split. An int is a count; a float
        in (0, 1] is a share of all rows, rounded up. A row that is divided among
        branches (``missing='fractional'``) counts by its share, but any share counts
        as a row if the minimum is 2.
    min_samples_leaf : int, float or 'auto', default='auto'
        Fewest training rows a leaf may hold. An int is a count; a float in (0, 1)
        is a share of all rows, rounded up. Splits that leave fewer rows in a branch
        are never considered. This counts rows, not weights; for weights see
        `min_weight_fraction_leaf`. A row that is divided among branches
        (``missing='fractional'``) counts by its share, but any share counts as a row
        if the minimum is 1. 'auto': for numbers under ``prune='cv'`` or
        'validation' a least weight of five copies of a row; otherwise 1.
    min_weight_fraction_leaf : float, default=0.0
        Smallest share of the total weight a leaf may hold, from 0 to 0.5.
    max_features : int, float, 'sqrt', 'log2' or None, default=None
        Number of columns tried at each node, drawn at random: a count, or a share of
        the columns, rounded down. None: all columns, and nothing is random.
    random_state : int, numpy.random.RandomState, Generator or None, default=None
        Seed of that draw. None is a fixed seed: the same tree every time.
    max_leaf_nodes : int or None, default=None
        Largest number of leaves; the splits with the largest total gain are made
        first. None: no limit.
    min_impurity_decrease : float, default=0.0
        Smallest gain of a split times its node's share of the total weight.
    min_gain : float, default=0.0
        Smallest gain of a split in its own node, regardless of the node's share. While
        this and `min_impurity_decrease` are 0, an impure node with different rows is
        split even if the gain is 0.
    max_nodes : int or None, default=None
        Largest number of nodes, including leaves; the best splits are made first, as
        for `max_leaf_nodes`.
    missing : {'learned', 'surrogate', 'fractional', 'error'} or None, default=None
        'learned': each split learns the branch of missing values. A split with a branch
        for every category gives them a branch of their own; if it had none in training,
        the row stops there. 'surrogate': the column that agrees best with the split
        replaces it (method 'cart'). 'fractional': a row goes down every branch with a
        share of its weight, in proportion to the weights of the branches; two branches
        must weigh at least as much as the lightest row. 'error': refuse missing and
        infinite values, in fitting and prediction. None is 'learned'.
    max_surrogates : int, default=5
        Largest number of surrogates that a split keeps (``missing='surrogate'``).
    surrogate_fallback : {'majority', 'stop'}, default='majority'
        The route of a row that no surrogate can place: down the heavier branch, or no
        further.
    surrogate_agreement : {'all', 'known'}, default='all'
        The rows on which agreement is measured: all rows known in the split's column,
        or only those also known in the surrogate's column.
    unseen : {'missing', 'error'}, default='missing'
        At prediction, treat a category that was not seen in training as missing, or
        refuse it.
    thresholds : {'midpoint', 'readable'}, default='midpoint'
        The threshold between two neighbouring training values: the midpoint, or the
        shortest decimal in the middle half of the gap (for dates, the start of a year,
        month, day, hour, ...). The same training rows go left and right.
    competitors : int, default=0
        How many of the best splits of other columns to keep at every node, for
        ``tree_.competitors(node)``. This about doubles the time of growing.
    kinds : dict or None, default=None
        Column name (for arrays: number) -> 'numeric', 'categorical', 'ordinal',
        'date' or a list of the categories from lowest to highest, where the inferred
        kind is wrong. 'numeric' and 'date' also read text that spells numbers, dates or
        times; see `as_table`. A column named here is used, even if it would otherwise
        be set aside.
    discretize : dict, tuple, str, int or None, default=None
        Cuts numbers into intervals, once, from the weighted training rows:
        ``{"age": ("quantile", 5)}``, ``("width", 5)``, or a whole number n for
        ``("quantile", n)``. Without a dict, it applies to all numeric columns. Such a
        column is ordinal, or categorical if `kinds` makes it so. See `as_table`.
    many_levels : {'guard', 'exact'} or None, default=None
        How to treat columns with more than 12 categories, which can fit noise with
        very many groupings. 'guard': where columns compete for a split, such a column
        is charged the gain expected from noise alone (weights count as copies of
        rows); the best grouping of a column and the recorded gain are exact. 'exact':
        no charge. None is 'guard' for method 'cart', but 'exact' for other methods and
        with `conventions`.
    conventions : {'sklearn', 'rpart'} or None, default=None
        Habits of another program that have no parameter of their own; see `like`.
    prune : {'auto', 'cv', 'validation'} or None, default='auto'
        How to prune the tree grown by the stopping rules above. 'cv': cross-validated
        weakest-link pruning. 'validation': bottom-up pruning of splits that do not help
        on validation rows. None: no pruning. 'auto': pruning at `ccp_alpha` if it is
        set; otherwise 'validation' for Parquet files and other rows in parts, which
        may be larger than memory, unless an option is set that needs folds, and 'cv'
        for all other data. `pruning_` records what
        was done, and why.
    prune_rule : {'price', '1se', 'min'}, default='price'
        With 'cv': 'price' takes, among the trees within one standard error of the
        best, the one of least ln score + `size_price` x ln leaves; '1se' the smallest
        of them; 'min' the best itself. For the standard error, weights count as in
        `fit`.
    size_price : float or 'auto', default='auto'
        With 'price': how much a tree must gain to be larger. 'auto' is 0.04, or 0.08
        for squared errors and deviances: a tree twice as large must have 2.7% fewer
        errors, or a 2.7% smaller root mean squared error.
    prune_risk : {'auto', 'mixed', 'error', 'impurity'}, default='auto'
        The risk that pruning weighs against the number of leaves: the cost of the
        answers, the impurity, or for classes 'mixed', errors + 0.2 x log-loss. 'auto':
        'mixed' for classes and the error for numbers, but the impurity with
        `ccp_alpha`, as in scikit-learn.
    prune_ties : {'prune', 'keep'}, default='prune'
        With 'validation': prune a split that makes no difference, or keep it.
    prune_confidence : float, default=0.25
        Used only for classes.
    cv : int, splitter, list of (train, test) or None, default=None
        With 'cv': the number of folds, or the folds themselves. None: 10 folds, fewer
        for fewer than 20 rows or 10 groups, and no pruning for fewer than 10 rows.
        These folds are stratified and do not depend on the order of the rows or the
        unit of the weights; another `random_state` gives other folds. Folds that you
        pass may test each row only once; a single one is a held-out part.
    ccp_alpha : float or None, default=None
        Price of a leaf, a share of the total weight. The result is the smallest tree
        with the least risk + ccp_alpha x leaves. None: no fixed price. With
        ``conventions='rpart'`` it is a share of the root's error, like cp, and may be
        combined with ``prune='cv'`` as the smallest price to try.
    validation_fraction : float or None, default=None
        With 'validation': share of the rows to hold out (0.2 if None and no `X_val`).
    shrinkage : float, 'auto' or None, default='auto'
        How strongly the answer of a node is drawn towards that of the node above, in
        rows: m of numbers, (sum + m x answer above) / (weight + m), or lambda of
        classes, whose probabilities are then never 0 or 1 (hierarchical shrinkage).
        'auto': chosen with the size under ``prune='cv'``, and on the validation rows
        under 'validation'; otherwise None. None: plain means and shares. Medians
        (``criterion='absolute_error'``) stay plain.
    keep_path : bool, default=False
        With 'cv': keep the whole grown tree, so that `pruning_.at` also returns trees
        larger than the one chosen.
    findings : {'warn', 'error', 'ignore'}, default='warn'
        What to do if the training table is suspicious: one warning, the most serious
        first; an error; or nothing. `intake_` has the findings in any case, and
        `treewright.inspect` returns them without a fit.
    n_jobs : int or None, default=None
        Number of threads. None: all cores that this process may use, but one inside a
        joblib worker. -1: all cores, -2: all but one, and so on, but at least one. It
        never changes the tree.
    memory_limit : int, str or None, default=None
        Memory that `fit` may take for a file, or that the process may have while it
        grows from rows in parts (see `fit`), in bytes or as text such as '8GB'. None:
        80 % of what the process may still take. Rows in parts that do not fit are grown
        from codes of two bytes, in memory or on disk; `plan_` says which, and why. It
        never changes the tree.
    checkpoint : path or None, default=None
        A file that keeps what `fit` has learned from rows in parts, written after every
        request. If `fit` is killed, the same `fit` with the same file goes on where it
        was. The file is removed when `fit` is done. A fit in memory ignores it. It
        never changes the tree.
    progress : bool or callable, default=False
        True shows a bar with the time left while the tree grows, on a terminal only. A
        function is called with the share of the work that is done. It never changes
        the tree.

    Attributes
    ----------
    tree_ : Tree
        The tree: immutable, readable, comparable.
    pruning_ : Pruning
        The record of the pruning: the reason for the size, and the table behind it.
    intake_ : Intake
        What is suspicious about the training table; ``print`` shows a short table.
    n_features_in_ : int
        Number of columns of `X`.
    feature_names_in_ : ndarray of str
        Names of the columns; set only if all columns of `X` have names that are
        strings.
    feature_importances_ : ndarray of float
        Each column's share of the total decrease of impurity.

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
        method: str = "cart",
        criterion: str | None = None,
        max_depth: int | None = None,
        min_samples_split: int | float = 2,
        min_samples_leaf: int | float | str = "auto",
        min_weight_fraction_leaf: float = 0.0,
        max_features: int | float | str | None = None,
        random_state: Any = None,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        min_gain: float = 0.0,
        max_nodes: int | None = None,
        missing: str | None = None,
        max_surrogates: int = 5,
        surrogate_fallback: str = "majority",
        surrogate_agreement: str = "all",
        unseen: str = "missing",
        thresholds: str = "midpoint",
        competitors: int = 0,
        kinds: Mapping[Any, Any] | None = None,
        discretize: Any = None,
        many_levels: str | None = None,
        conventions: str | None = None,
        prune: str | None = "auto",
        prune_rule: str = "price",
        size_price: float | str = "auto",
        prune_risk: str = "auto",
        prune_ties: str = "prune",
        prune_confidence: float = 0.25,
        cv: Any = None,
        ccp_alpha: float | None = None,
        validation_fraction: float | None = None,
        shrinkage: float | str | None = "auto",
        keep_path: bool = False,
        findings: str = "warn",
        n_jobs: int | None = None,
        memory_limit: int | str | None = None,
        checkpoint: str | PathLike[str] | None = None,
        progress: Any = False,
    ) -> None:
        self.method = method
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
        self.max_surrogates = max_surrogates
        self.surrogate_fallback = surrogate_fallback
        self.surrogate_agreement = surrogate_agreement
        self.unseen = unseen
        self.thresholds = thresholds
        self.competitors = competitors
        self.kinds = kinds
        self.discretize = discretize
        self.many_levels = many_levels
        self.conventions = conventions
        self.prune = prune
        self.prune_rule = prune_rule
        self.size_price = size_price
        self.prune_risk = prune_risk
        self.prune_ties = prune_ties
        self.prune_confidence = prune_confidence
        self.cv = cv
        self.ccp_alpha = ccp_alpha
        self.validation_fraction = validation_fraction
        self.shrinkage = shrinkage
        self.keep_path = keep_path
        self.findings = findings
        self.n_jobs = n_jobs
        self.memory_limit = memory_limit
        self.checkpoint = checkpoint
        self.progress = progress

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Return the answer of each row's leaf.

        It is the mean target, drawn towards the node above (see `shrinkage`), or the
        median for 'absolute_error'.

        Parameters
        ----------
        X : array, data frame, dict of columns or list of rows
            New data. Columns are found by name: their order and extra columns do not
            matter, and only the columns that the tree uses are needed. A plain array
            needs all columns, in the order of fitting.

        Returns
        -------
        float64 array

        Examples
        --------
        >>> import treewright as tw
        >>> X, y = {"wind": [3, 9, 5, 1]}, [0, 0, 0, 8]
        >>> model = tw.TreeRegressor(prune=None).fit(X, y)
        >>> model.predict({"wind": [0, 20]})
        array([8., 0.])
        """
        return self.tree_._answers(X, None, n_jobs=self.n_jobs)

    def __sklearn_tags__(self) -> Any:
        """Return what this estimator supports, as scikit-learn's tags."""
        tags = super().__sklearn_tags__()
        tags.target_tags.positive_only = self.criterion == "poisson"
        return tags
