"""TreeClassifier: a classification tree with scikit-learn's interface."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin

from treewright.errors import OptionError
from treewright.estimators.base import BaseTree
from treewright.estimators.class_weight import class_weighted, weight_factors
from treewright.files.describe import Described
from treewright.model import Tree
from treewright.table.costs import altered, with_costs
from treewright.table.schema import TargetInfo
from treewright.table.table import ClassTarget, Table

__all__ = ["TreeClassifier"]


class TreeClassifier(ClassifierMixin, BaseTree):  # type: ignore[misc]
    """An exact classification tree.

    Takes numbers, categories, dates and missing values as they are. The same rows
    give the same tree, in any order and with any number of threads.

    Parameters
    ----------
    method : {'cart', 'id3', 'c45'}, default='cart'
        'cart' splits every node into two branches. 'id3' opens a branch for every
        category and uses a column once on a path; numeric columns need `discretize`.
        'c45' treats categories like 'id3', splits numbers at a threshold and chooses
        by the gain ratio.
    criterion : str or None, default=None
        The impurity that splits reduce: 'gini', 'entropy' (in bits; alias 'log_loss'),
        'misclassification' (ties are decided by 'gini') or 'gain_ratio', the decrease
        of the entropy divided by the entropy of the split itself. None depends on the
        method: 'entropy' for 'id3', 'gain_ratio' for 'c45'; for 'cart' 'entropy' under
        ``prune='cv'`` or 'validation', otherwise 'gini'.
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
    class_weight : 'balanced', dict or None, default=None
        Multiplies the weight of every row by the weight of its class. 'balanced' gives
        all classes the same total weight, including sample weights; a dict gives the
        weight of each class, 1 for a class that it does not name.
    costs : array, dict or None, default=None
        The cost of a wrong answer, ``costs[true][predicted]``: an array in the order
        of the sorted classes, or a dict by class, in which every error that is not
        named costs 1. Right answers cost 0. Splits are chosen with the weight of each
        class multiplied by the cost of its errors (altered priors, as in CART and
        rpart), and each node predicts the class with the least expected cost. So
        `predict` may differ from the class with the largest `predict_proba`.
    priors : dict, sequence or None, default=None
        The share of each class among future rows, if it differs from the training
        rows: by class, or in the order of the sorted classes; the shares sum to 1.
        Weights are multiplied by class to give these shares, and probabilities are
        adjusted to them. Cannot be combined with `class_weight`.
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
        must weigh at least as much as the lightest row (method 'c45': see
        `min_branch_weight`). 'error': refuse missing and infinite values, in fitting
        and prediction. None is 'fractional' for 'c45' and 'learned' otherwise.
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
        ``{"age": ("quantile", 5)}``, ``("width", 5)``,
        ``"mdl"`` (by the entropy of the classes), or a whole number n for
        ``("quantile", n)``. Without a dict, it applies to all numeric columns. Such a
        column is ordinal, or categorical if `kinds` makes it so. See `as_table`.
    categories : {'multiway', 'grouped'} or None, default=None
        For method 'c45': a branch for every category, or the best grouping into two
        branches. None is 'multiway'.
    min_branch_weight : float or None, default=None
        For method 'c45': at least two branches must have this weight. None is 2.
    many_levels : {'guard', 'exact'} or None, default=None
        How to treat columns with more than 12 categories, which can fit noise with
        very many groupings. 'guard': where columns compete for a split, such a column
        is charged the gain expected from noise alone (weights count as copies of
        rows); the best grouping of a column and the recorded gain are exact. 'exact':
        no charge. None is 'guard' for method 'cart', but 'exact' for other methods and
        with `conventions`.
    conventions : {'sklearn', 'rpart', 'j48'} or None, default=None
        Habits of another program that have no parameter of their own; see `like`.
    prune : {'auto', 'cv', 'validation', 'pessimistic'} or None, default='auto'
        How to prune the tree grown by the stopping rules above. 'cv': cross-validated
        weakest-link pruning. 'validation': bottom-up pruning of splits that do not help
        on validation rows. 'pessimistic': C4.5's bound of the error. None: no pruning.
        'auto': pruning at `ccp_alpha` if it is set; otherwise 'validation' for Parquet
        files and other rows in parts, which may be larger than memory, unless an
        option is set that needs folds, and 'cv' for all other data. `pruning_` records
        what was done, and why.
    prune_rule : {'price', '1se', 'min'}, default='price'
        With 'cv': 'price' takes, among the trees within one standard error of the
        best, the one of least ln score + `size_price` x ln leaves; '1se' the smallest
        of them; 'min' the best itself. For the standard error, weights count as in
        `fit`.
    size_price : float or 'auto', default='auto'
        With 'price': how much a tree must gain to be larger. 'auto' is 0.04, or 0.08
        for squared errors and deviances: a tree twice as large must have 2.7% fewer
        errors, or a 2.7% smaller root mean squared error.
    size_by : {'auto', 'error', 'log_loss'}, default='auto'
        With 'cv': the score by which the size is chosen. 'auto': errors + 0.2 x
        log-loss; where this leaves a single leaf although the log-loss falls, as with
        a rare class, the log-loss alone. 'log_loss': for probabilities and ranking.
        'error': the errors alone, or the costs.
    prune_risk : {'auto', 'mixed', 'error', 'impurity'}, default='auto'
        The risk that pruning weighs against the number of leaves: the cost of the
        answers, the impurity, or for classes 'mixed', errors + 0.2 x log-loss. 'auto':
        'mixed' for classes and the error for numbers, but the impurity with
        `ccp_alpha`, as in scikit-learn.
    prune_ties : {'prune', 'keep'}, default='prune'
        With 'validation': prune a split that makes no difference, or keep it.
    prune_confidence : float, default=0.25
        With 'pessimistic': confidence of the bound, above 0 and at most 0.5; a smaller
        value prunes more. Weights count as in `fit`.
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
    classes_ : ndarray
        The classes, sorted, in the type of `y`, including classes of weight 0.
    n_classes_ : int
        Number of classes.
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
    >>> X = {"outlook": ["sunny", "rainy", "sunny", "rainy"], "wind": [3, 9, None, 1]}
    >>> classifier = tw.TreeClassifier().fit(X, ["no", "no", "no", "yes"])
    >>> classifier.predict({"outlook": ["rainy"], "wind": [2]})
    array(['yes'], dtype=object)
    """

    _task = "class"

    classes_: NDArray[Any]
    n_classes_: int

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
        class_weight: Any = None,
        costs: Any = None,
        priors: Any = None,
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
        categories: str | None = None,
        min_branch_weight: float | None = None,
        many_levels: str | None = None,
        conventions: str | None = None,
        prune: str | None = "auto",
        prune_rule: str = "price",
        size_price: float | str = "auto",
        size_by: str = "auto",
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
        self.class_weight = class_weight
        self.costs = costs
        self.priors = priors
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
        self.categories = categories
        self.min_branch_weight = min_branch_weight
        self.many_levels = many_levels
        self.conventions = conventions
        self.prune = prune
        self.prune_rule = prune_rule
        self.size_price = size_price
        self.size_by = size_by
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

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class of each row.

        Parameters
        ----------
        X : array, data frame, dict of columns or list of rows
            New data. Columns are found by name: their order and extra columns do not
            matter, and only the columns that the tree uses are needed. A plain array
            needs all columns, in the order of fitting.

        Returns
        -------
        ndarray
            The class with the largest probability; with `costs`, the class with the
            least expected cost. On a tie it is the class with the largest weight in
            the row's leaf, then the first.

        Examples
        --------
        >>> import treewright as tw
        >>> X, y = {"wind": [3, 9, 5, 1]}, ["no", "no", "no", "yes"]
        >>> model = tw.TreeClassifier().fit(X, y)
        >>> model.predict({"wind": [0, 20]})
        array(['yes', 'no'], dtype=object)
        """
        return self.tree_._answers(X, self.classes_, n_jobs=self.n_jobs)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probability of every class for each row.

        Parameters
        ----------
        X : array, data frame, dict of columns or list of rows
            New data; see `predict`.

        Returns
        -------
        float64 array of rows x classes
            In the order of `classes_`; each row sums to 1. Shares of the classes in
            the row's leaf, drawn towards those of the nodes above (see `shrinkage`).
            With `priors`, they are adjusted to them. `costs` do not change their
            meaning, so `predict` need not return the class with the largest one.

        Examples
        --------
        >>> import treewright as tw
        >>> X, y = {"wind": [3, 9, 5, 1]}, ["no", "no", "no", "yes"]
        >>> model = tw.TreeClassifier().fit(X, y)
        >>> model.predict_proba({"wind": [0, 20]}).argmax(axis=1)
        array([1, 0])
        """
        return self.tree_.predict_proba(X, n_jobs=self.n_jobs)

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the natural logarithm of `predict_proba`; -inf for a share of 0.

        Examples
        --------
        >>> import treewright as tw
        >>> X, y = {"wind": [3, 9, 5, 1]}, ["no", "no", "no", "yes"]
        >>> model = tw.TreeClassifier().fit(X, y)
        >>> model.predict_log_proba({"wind": [0, 20]}).argmax(axis=1)
        array([1, 0])
        """
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def _altered(
        self, described: Described
    ) -> tuple[TargetInfo, tuple[NDArray[np.float64], ...]]:
        self._check_weights()
        info, factors = described.schema.target, list[NDArray[np.float64]]()
        assert info is not None, "described with a target"
        assert isinstance(described.target, ClassTarget)
        classes, totals = described.target.classes.tolist(), described.class_totals
        if self.class_weight is not None:
            factors.append(weight_factors(self.class_weight, classes, totals))
            info = replace(info, class_weight=tuple(factors[0].tolist()))
            totals = totals * factors[0]
        if self.costs is not None or self.priors is not None:
            info, more = altered(info, classes, totals, self.costs, self.priors)
            factors += [] if more is None else [more]
        return info, tuple(factors)

    def _reweighted(self, table: Table) -> Table:
        self._check_weights()
        table = class_weighted(table, self.class_weight)
        return with_costs(table, self.costs, self.priors)

    def _check_weights(self) -> None:
        if self.priors is not None and self.class_weight is not None:
            raise OptionError(
                "priors and class_weight both set the weight of the classes; got "
                f"priors={self.priors!r} and class_weight={self.class_weight!r}. Use "
                "one of them."
            )

    @classmethod
    def _restored(cls, tree: Tree) -> dict[str, Any]:
        classes = {"classes_": tree.classes, "n_classes_": len(tree.classes)}
        return super()._restored(tree) | classes

    def _fitted(self, tree: Tree, target: Any, X: Any) -> dict[str, Any]:
        assert isinstance(target, ClassTarget)
        # In the type of y, which the tree does not know.
        return super()._fitted(tree, target, X) | {"classes_": target.classes}
