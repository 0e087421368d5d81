"""The options of growing, and one table of the values that each one accepts."""

import math
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any, NamedTuple

from treewright.criteria import find, names
from treewright.criteria.registry import hint
from treewright.errors import OptionError
from treewright.options.rules import (
    Rule,
    check_all,
    is_generator,
    is_whole,
    listed,
    none,
    one_of,
    real,
    share,
    whole,
)

__all__ = [
    "METHODS",
    "N_JOBS",
    "GrowOptions",
    "check_criterion",
]

METHODS = ("cart", "id3", "c45")
_MISSING = ("learned", "surrogate", "fractional", "error")
_CONVENTIONS = {"sklearn": "cart", "rpart": "cart", "j48": "c45"}
"""Programs whose conventions can be followed, and the method each one uses."""


def _criterion_names(task: str | None = None) -> list[str]:
    """Return the names and aliases of all criteria, or of those for one task."""
    return [n for name in names(task) for n in (name, *find(name).aliases)]


def _is_criterion(value: Any) -> bool:
    return isinstance(value, str) and value in _criterion_names()


N_JOBS = Rule(
    (none, lambda v: is_whole(v) and v != 0),
    "a whole number >= 1, -1 for all cores (-2 for all but one, and so on), or None "
    "for the cores this process may use",
)
"""The rule for a number of threads, wherever it is given."""
_COUNT_OR_NONE = "a whole number >= {low}, or None for no limit"
_RULES: dict[str, Rule] = {
    "method": Rule((one_of(*METHODS),), listed(METHODS)),
    "criterion": Rule(
        (none, _is_criterion),
        lambda: listed(_criterion_names()) + ", or None to go by the target",
        hint,
        lambda alias: find(alias).name,
    ),
    "max_depth": Rule((none, whole(1)), _COUNT_OR_NONE.format(low=1)),
    "min_samples_split": Rule(
        (whole(2), share(one=True)),
        "a whole number >= 2, or a share of the rows above 0 and at most 1.0",
    ),
    "min_samples_leaf": Rule(
        (whole(1), share(one=False), one_of("auto")),
        "a whole number >= 1, a share of the rows above 0 and below 1, or 'auto'",
    ),
    "min_weight_fraction_leaf": Rule((real(0, 0.5),), "a number from 0 to 0.5"),
    "min_impurity_decrease": Rule((real(0),), "a finite number >= 0"),
    "min_gain": Rule((real(0),), "a finite number >= 0"),
    "max_leaf_nodes": Rule((none, whole(2)), _COUNT_OR_NONE.format(low=2)),
    "max_nodes": Rule((none, whole(1)), _COUNT_OR_NONE.format(low=1)),
    "max_features": Rule(
        (none, whole(1), share(one=True), one_of("sqrt", "log2")),
        "a whole number >= 1, a share of the columns above 0 and at most 1.0, "
        "'sqrt', 'log2', or None for all columns",
    ),
    "random_state": Rule(
        (none, lambda v: whole(0)(v) and v < 2**64, is_generator),
        "a whole number from 0 to 2^64 - 1, a NumPy random generator, "
        "or None for the fixed seed",
    ),
    "n_jobs": N_JOBS,
    "missing": Rule(
        (none, one_of(*_MISSING)), listed(_MISSING) + ", or None to go by the method"
    ),
    "max_surrogates": Rule((whole(0),), "a whole number >= 0"),
    "surrogate_fallback": Rule((one_of("majority", "stop"),), "'majority' or 'stop'"),
    "surrogate_agreement": Rule((one_of("all", "known"),), "'all' or 'known'"),
    "categories": Rule(
        (none, one_of("multiway", "grouped")),
        "'multiway' or 'grouped', or None to go by the method",
    ),
    "many_levels": Rule(
        (none, one_of("guard", "exact")),
        "'guard' or 'exact', or None to go by the method",
    ),
    "min_branch_weight": Rule(
        (none, real(0)), "a finite number >= 0, or None to go by the method"
    ),
    "conventions": Rule(
        (none, one_of(*_CONVENTIONS)), listed(_CONVENTIONS) + ", or None"
    ),
    "unseen": Rule((one_of("missing", "error"),), "'missing' or 'error'"),
    "thresholds": Rule((one_of("midpoint", "readable"),), "'midpoint' or 'readable'"),
    "competitors": Rule((whole(0),), "a whole number >= 0"),
}


def check_criterion(value: Any, task: str) -> None:
    """Refuse a criterion that does not suit this kind of target.

    Parameters
    ----------
    value : object
        The criterion. None, which means the usual one for the target, always suits.
    task : {'class', 'number'}
        What the target holds.

    Raises
    ------
    OptionError
        The message names the criteria that suit.
    """
    known = _criterion_names(task)
    if value is None or (isinstance(value, str) and value in known):
        return
    near = "" if _is_criterion(value) else hint(value, task)
    raise OptionError(
        f"criterion must be {listed(known)} when the target holds "
        f"{'classes' if task == 'class' else 'numbers'}; got {value!r}.{near}"
    )


class _Clash(NamedTuple):
    """Two options that contradict each other, and the error message."""

    holds: Callable[["GrowOptions"], bool]
    message: str


_CLASHES = (
    _Clash(
        lambda o: o.missing == "surrogate" and o.method != "cart",
        "missing='surrogate' needs splits in two, and method={o.method!r} opens a "
        "branch for every category. Use method='cart', or missing='fractional'.",
    ),
    _Clash(
        lambda o: o.method == "c45" and o.criterion not in (None, "gain_ratio"),
        "method='c45' chooses by the gain ratio; got criterion={o.criterion!r}. Leave "
        "criterion out, or use method='cart' or 'id3'.",
    ),
    _Clash(
        lambda o: o.method == "id3" and o.criterion in ("poisson", "absolute_error"),
        "method='id3' measures numbers by 'squared_error'; got "
        "criterion={o.criterion!r}. Leave criterion out, or use method='cart'.",
    ),
    _Clash(
        lambda o: o.method != "c45" and o.categories is not None,
        "categories={o.categories!r} is a choice of method='c45'; method='cart' always "
        "groups categories and method='id3' never does; got method={o.method!r}. "
        "Leave categories out, or use method='c45'.",
    ),
    _Clash(
        lambda o: o.method != "cart" and o.many_levels == "guard",
        "many_levels='guard' is a choice of method='cart'; got method={o.method!r}. "
        "Leave many_levels out, or use method='cart'.",
    ),
    _Clash(
        lambda o: o.method != "c45" and o.min_branch_weight is not None,
        "min_branch_weight belongs to method='c45'; got {o.min_branch_weight!r} with "
        "method={o.method!r}. Use min_samples_leaf or min_weight_fraction_leaf.",
    ),
    _Clash(
        lambda o: _CONVENTIONS.get(str(o.conventions), o.method) != o.method,
        "conventions={o.conventions!r} goes with method={wanted!r}; got "
        "method={o.method!r}. Change one of them, or leave conventions out.",
    ),
)
"""Combinations of options that are refused, each with its remedy."""


@dataclass(frozen=True, kw_only=True)
class GrowOptions:
    """How a tree is grown. The names are scikit-learn's.

    Parameters
    ----------
    method : {'cart', 'id3', 'c45'}, default='cart'
        'cart' makes splits with two branches. 'id3' makes a branch for every
        category and uses a column at most once on a path. 'c45' makes a branch for
        every category, splits numbers in two and chooses by the gain ratio; it
        grows trees for classes only.
    criterion : str or None, default=None
        The impurity that splits reduce. For classes: 'gini', 'entropy' (in bits;
        alias 'log_loss'), 'misclassification', or 'gain_ratio', which divides the
        entropy gained by the entropy of the split itself. For numbers:
        'squared_error', 'poisson' or 'absolute_error'. None: 'gini' for classes
        ('entropy' for 'id3', 'gain_ratio' for 'c45'), 'squared_error' for numbers.
    max_depth : int or None, default=None
        Most splits on any path from the root. None: no limit.
    min_samples_split : int or float, default=2
        Fewest rows a node needs to be split. A float is a share of all rows,
        rounded up. A row that is divided among branches (``missing='fractional'``)
        counts as its share; at 2, any share is enough.
    min_samples_leaf : int, float or 'auto', default=1
        Fewest rows a branch may hold. A float is a share of all rows, rounded
        up. Rows are counted, not weights. A row that is divided among branches
        counts as its share; at 1, any share is enough. 'auto' is 1, but for numbers
        whose size is chosen by `TreeRegressor` a least weight of five copies of a row.
    min_weight_fraction_leaf : float, default=0.0
        Smallest share of the total weight a branch may hold.
    min_impurity_decrease : float, default=0.0
        Smallest gain of a split times the node's share of all weight.
    min_gain : float, default=0.0
        Smallest gain of a split in its own node.
    max_leaf_nodes : int or None, default=None
        Most leaves; the best splits are made first.
    max_nodes : int or None, default=None
        Most nodes; the best splits are made first.
    max_features : int, float, 'sqrt', 'log2' or None, default=None
        Columns tried at each node, drawn at random. None: all of them.
    random_state : int, numpy.random.RandomState, Generator or None, default=None
        Seed for drawing columns. None is a fixed seed.
    n_jobs : int or None, default=None
        Number of threads. None: the cores this process may use. -1: all cores, -2:
        all but one, and so on, but at least one. The tree does not depend on it.
    missing : {'learned', 'surrogate', 'fractional', 'error'} or None, default=None
        'learned': each split learns a branch for missing values. 'surrogate': a
        split on another column stands in for the one that is missing (method
        'cart'). 'fractional': a row goes down every branch, divided in proportion
        to their weights; two branches must weigh at least as much as the lightest
        row (method 'c45': see `min_branch_weight`). 'error': refuse missing and
        infinite values. None is 'fractional' for 'c45' and 'learned' otherwise.
    unseen : {'missing', 'error'}, default='missing'
        At prediction, treat a category that was never seen as missing, or refuse
        it.
    max_surrogates : int, default=5
        Most surrogates that a split keeps (``missing='surrogate'``).
    surrogate_fallback : {'majority', 'stop'}, default='majority'
        Where a row goes if no surrogate can place it: down the heavier branch, or
        no further.
    surrogate_agreement : {'all', 'known'}, default='all'
        The rows over which agreement is measured: all rows with a value in the
        split's column, or only those that also have one in the surrogate's column.
    categories : {'multiway', 'grouped'} or None, default=None
        Under method 'c45': a branch for every category, or the best grouping into
        two. None is 'multiway'.
    many_levels : {'guard', 'exact'} or None, default=None
        Under method 'cart', how columns of more than 12 categories compete. 'guard':
        subtract from the gain of the column's best grouping what the best of that
        many groupings gains from noise alone. The grouping itself and the recorded
        gain stay exact. 'exact': subtract nothing. None is 'guard', or 'exact' with
        `conventions`.
    min_branch_weight : float or None, default=None
        Under method 'c45': at least two branches must have this weight. None is 2.
    conventions : {'sklearn', 'rpart', 'j48'} or None, default=None
        Follow another program where no other option does: 'sklearn' and 'rpart'
        for method 'cart', 'j48' for 'c45'.
    thresholds : {'midpoint', 'readable'}, default='midpoint'
        Where to cut between two neighbouring training values: halfway, or at the
        shortest decimal in the middle half of the gap. Both send the same training
        rows left and right.
    competitors : int, default=0
        At every node, also keep the best split of this many other columns.

    Raises
    ------
    OptionError
        When a value is out of range, or two options contradict each other; the
        message says what is allowed.

    Examples
    --------
    >>> GrowOptions(max_depth=3).max_depth
    3
    >>> GrowOptions(max_depth=0)
    Traceback (most recent call last):
    ...
    treewright.errors.OptionError: max_depth must be a whole number >= 1, or None \
for no limit; got 0.
    """

    method: str = "cart"
    criterion: str | None = None
    max_depth: int | None = None
    min_samples_split: int | float = 2
    min_samples_leaf: int | float | str = 1
    min_weight_fraction_leaf: float = 0.0
    min_impurity_decrease: float = 0.0
    min_gain: float = 0.0
    max_leaf_nodes: int | None = None
    max_nodes: int | None = None
    max_features: int | float | str | None = None
    random_state: Any = None
    n_jobs: int | None = None
    missing: str | None = None
    unseen: str = "missing"
    max_surrogates: int = 5
    surrogate_fallback: str = "majority"
    surrogate_agreement: str = "all"
    categories: str | None = None
    many_levels: str | None = None
    min_branch_weight: float | None = None
    conventions: str | None = None
    thresholds: str = "midpoint"
    competitors: int = 0

    def __post_init__(self) -> None:
        """Check every option and keep it as a plain Python value."""
        check_all(self, _RULES)
        for clash in _CLASHES:
            if clash.holds(self):
                wanted = _CONVENTIONS.get(str(self.conventions))
                raise OptionError(clash.message.format(o=self, wanted=wanted))

    def for_task(self, task: str, **fixed: Any) -> "GrowOptions":
        """Return the options with each default of None replaced by its value.

        Parameters
        ----------
        task : {'class', 'number'}
            What the target holds.
        **fixed
            Other options to replace at the same time: each copy is checked anew.

        Returns
        -------
        GrowOptions
            In it `criterion`, `missing` and `many_levels` are never None; nor are
            `categories` and `min_branch_weight` under method 'c45'.

        Raises
        ------
        OptionError
            When the criterion or the method does not suit the target.
        """
        check_criterion(self.criterion, task)
        is_c45 = self.method == "c45"
        if is_c45 and task != "class":
            raise OptionError(
                "method='c45' grows trees for classes, and the target holds numbers. "
                "Use method='cart' or 'id3'."
            )
        of_classes = {"cart": "gini", "id3": "entropy", "c45": "gain_ratio"}
        usual: dict[str, Any] = {
            "criterion": of_classes[self.method]
            if task == "class"
            else "squared_error",
            "missing": "fractional" if is_c45 else "learned",
            "many_levels": "guard" if self._guards_levels() else "exact",
        }
        if is_c45:
            usual |= {"categories": "multiway", "min_branch_weight": 2.0}
        by_task = {n: v for n, v in usual.items() if getattr(self, n) is None}
        return replace(self, **by_task, **fixed)

    def for_size(self, task: str, *, chosen: bool) -> "GrowOptions":
        """Return the options with the defaults that depend on how the size is set.

        Parameters
        ----------
        task : {'class', 'number'}
            What the target holds.
        chosen : bool
            Whether rows not trained on choose the size of the tree. Then classes grow
            by entropy, and leaves of numbers hold at least five copies of a row;
            otherwise by Gini, and from one row on, as in other programs.

        Returns
        -------
        GrowOptions
        """
        settled: dict[str, Any] = {}
        if self.criterion is None and self.method == "cart" and task == "class":
            settled["criterion"] = "entropy" if chosen else "gini"
        if self.min_samples_leaf == "auto" and not (chosen and task == "number"):
            settled["min_samples_leaf"] = 1
        return replace(self, **settled) if settled else self

    def _guards_levels(self) -> bool:
        return self.method == "cart" and self.conventions is None

    def columns_to_try(self, n_columns: int) -> int:
        """Return the number of columns that `max_features` stands for.

        Parameters
        ----------
        n_columns : int
            Columns that may be used.

        Returns
        -------
        int
            At least 1 and at most `n_columns` (0 when there are none). A share
            is rounded down, as scikit-learn does.
        """
        wanted: float
        if self.max_features is None:
            wanted = n_columns
        elif self.max_features == "sqrt":
            wanted = math.sqrt(n_columns)
        elif self.max_features == "log2":
            wanted = math.log2(max(n_columns, 1))
        elif isinstance(self.max_features, float):
            wanted = self.max_features * n_columns
        else:
            wanted = int(self.max_features)
        return min(max(int(wanted), 1), n_columns)

    def to_dict(self) -> dict[str, Any]:
        """Return the options as a plain dict, in the order of the signature."""
        return {field.name: getattr(self, field.name) for field in fields(self)}
