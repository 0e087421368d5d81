"""How a tree is grown: the options, and one table that says what each may be."""

import math
import numbers
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, NamedTuple

import numpy as np

from treewright.errors import OptionError, nearest_name

__all__ = [
    "CLASS_CRITERIA",
    "NUMBER_CRITERIA",
    "GrowOptions",
    "check_criterion",
    "criterion_hint",
]

CLASS_CRITERIA = ("gini", "entropy", "misclassification")
NUMBER_CRITERIA = ("squared_error", "poisson")
_ALIASES = {"log_loss": "entropy"}
_ELSEWHERE = {
    "mse": "squared_error",
    "friedman_mse": "squared_error",
    "information_gain": "entropy",
}
"""What some criteria are called in other places."""
_NOT_YET = ("absolute_error", "mae")


class _Rule(NamedTuple):
    """What one option may be: a test for each accepted form, and the words."""

    accepts: tuple[Callable[[Any], bool], ...]
    words: str


def _whole(low: int) -> Callable[[Any], bool]:
    return lambda v: _is_whole(v) and v >= low


def _real(low: float, high: float = math.inf) -> Callable[[Any], bool]:
    return lambda v: _is_real(v) and low <= v <= high and v < math.inf


def _share(*, one: bool) -> Callable[[Any], bool]:
    """Accept a share of rows or columns: above 0, below 1 (or 1.0 itself)."""
    return lambda v: (
        _is_real(v) and not _is_whole(v) and (0.0 < v < 1.0 or (one and v == 1.0))
    )


def _one_of(*words: str) -> Callable[[Any], bool]:
    return lambda v: isinstance(v, str) and v in words


def _none(value: Any) -> bool:
    return value is None


def _is_whole(value: Any) -> bool:
    return isinstance(value, numbers.Integral) and not isinstance(value, bool | np.bool)


def _is_real(value: Any) -> bool:
    # Decimals and fractions are not registered as float; NaN fails every range.
    return isinstance(value, numbers.Real) and not isinstance(value, bool | np.bool)


def _is_generator(value: Any) -> bool:
    return isinstance(value, np.random.RandomState | np.random.Generator)


def _listed(words: Collection[str]) -> str:
    quoted = [repr(word) for word in words]
    return ", ".join(quoted[:-1]) + " or " + quoted[-1]


_CRITERION_NAMES = (*CLASS_CRITERIA, *_ALIASES, *NUMBER_CRITERIA)
_COUNT_OR_NONE = "a whole number >= {low}, or None for no limit"
_RULES: dict[str, _Rule] = {
    "criterion": _Rule(
        (_none, _one_of(*_CRITERION_NAMES)),
        _listed(_CRITERION_NAMES) + ", or None to go by the target",
    ),
    "max_depth": _Rule((_none, _whole(1)), _COUNT_OR_NONE.format(low=1)),
    "min_samples_split": _Rule(
        (_whole(2), _share(one=True)),
        "a whole number >= 2, or a share of the rows above 0 and at most 1.0",
    ),
    "min_samples_leaf": _Rule(
        (_whole(1), _share(one=False)),
        "a whole number >= 1, or a share of the rows above 0 and below 1",
    ),
    "min_weight_fraction_leaf": _Rule((_real(0, 0.5),), "a number from 0 to 0.5"),
    "min_impurity_decrease": _Rule((_real(0),), "a finite number >= 0"),
    "min_gain": _Rule((_real(0),), "a finite number >= 0"),
    "max_leaf_nodes": _Rule((_none, _whole(2)), _COUNT_OR_NONE.format(low=2)),
    "max_nodes": _Rule((_none, _whole(1)), _COUNT_OR_NONE.format(low=1)),
    "max_features": _Rule(
        (_none, _whole(1), _share(one=True), _one_of("sqrt", "log2")),
        "a whole number >= 1, a share of the columns above 0 and at most 1.0, "
        "'sqrt', 'log2', or None for all columns",
    ),
    "random_state": _Rule(
        (_none, lambda v: _whole(0)(v) and v < 2**64, _is_generator),
        "a whole number from 0 to 2^64 - 1, a NumPy random generator, "
        "or None for the fixed seed",
    ),
    "n_jobs": _Rule(
        (_none, lambda v: _is_whole(v) and v != 0),
        "a whole number >= 1, -1 for all cores (-2 for all but one, and so on), or "
        "None for the cores this process may use",
    ),
    "missing": _Rule((_one_of("learned", "error"),), "'learned' or 'error'"),
    "unseen": _Rule((_one_of("missing", "error"),), "'missing' or 'error'"),
    "thresholds": _Rule((_one_of("midpoint", "readable"),), "'midpoint' or 'readable'"),
    "competitors": _Rule((_whole(0),), "a whole number >= 0"),
}


def _checked(name: str, value: Any) -> Any:
    """Return the value as a plain Python value, or raise OptionError."""
    rule = _RULES[name]
    if not any(accepts(value) for accepts in rule.accepts):
        hint = _spelling_hint(name, value)
        raise OptionError(f"{name} must be {rule.words}; got {value!r}.{hint}")
    if isinstance(value, str):
        return _ALIASES.get(value, str(value))
    if _is_whole(value):
        return int(value)
    return float(value) if _is_real(value) else value


def _spelling_hint(name: str, value: Any) -> str:
    return criterion_hint(value, _CRITERION_NAMES) if name == "criterion" else ""


def criterion_hint(value: Any, known: Collection[str]) -> str:
    """Return what may have been meant by a criterion that there is not.

    Parameters
    ----------
    value : object
        What was given.
    known : collection of str
        The criteria there are.

    Returns
    -------
    str
        A sentence with a blank before it, or nothing.
    """
    if not isinstance(value, str):
        return ""
    if value in _NOT_YET:
        return " The absolute error is not available yet."
    near = _ELSEWHERE.get(value)
    if near not in known:
        near = nearest_name(value, known)
    return f" Did you mean {near!r}?" if near else ""


def check_criterion(value: Any, task: str) -> None:
    """Refuse a criterion that does not suit this kind of target.

    Parameters
    ----------
    value : object
        The criterion; None, to go by the target, always suits.
    task : {'class', 'number'}
        What the target holds.

    Raises
    ------
    OptionError
        Naming the criteria that do.
    """
    known = (*CLASS_CRITERIA, *_ALIASES) if task == "class" else NUMBER_CRITERIA
    if value is None or (isinstance(value, str) and value in known):
        return
    is_other = isinstance(value, str) and value in _CRITERION_NAMES
    hint = "" if is_other else criterion_hint(value, known)
    raise OptionError(
        f"criterion must be {_listed(known)} when the target holds "
        f"{'classes' if task == 'class' else 'numbers'}; got {value!r}.{hint}"
    )


@dataclass(frozen=True, kw_only=True)
class GrowOptions:
    """How a tree is grown. The names are scikit-learn's.

    Parameters
    ----------
    criterion : str or None, default=None
        Impurity to bring down: 'gini', 'entropy' (in bits; alias 'log_loss')
        or 'misclassification' for classes; 'squared_error' or 'poisson' for
        numbers. None is 'gini' for classes and 'squared_error' for numbers.
    max_depth : int or None, default=None
        Most splits on any path from the root. None: no limit.
    min_samples_split : int or float, default=2
        Fewest rows a node needs to be split. A float is a share of all rows,
        rounded up.
    min_samples_leaf : int or float, default=1
        Fewest rows a branch may hold. A float is a share of all rows, rounded
        up. Counts rows, not weights.
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
        Seed of the draw of columns. None is a fixed seed.
    n_jobs : int or None, default=None
        Threads. None: the cores this process may use. -1: all cores, -2: all but
        one, and so on, but at least one. Never changes the tree.
    missing : {'learned', 'error'}, default='learned'
        Learn a branch for missing values, or refuse missing and infinite ones.
    unseen : {'missing', 'error'}, default='missing'
        At prediction, send a category never seen where missing values go, or
        refuse it.
    thresholds : {'midpoint', 'readable'}, default='midpoint'
        Where a number is cut between two neighbouring training values: halfway, or
        at the shortest decimal in the middle half of the gap. Same training rows
        left and right.
    competitors : int, default=0
        Keep the best splits of so many other columns at every node.

    Raises
    ------
    OptionError
        When a value is out of range; the message says what is allowed.

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

    criterion: str | None = None
    max_depth: int | None = None
    min_samples_split: int | float = 2
    min_samples_leaf: int | float = 1
    min_weight_fraction_leaf: float = 0.0
    min_impurity_decrease: float = 0.0
    min_gain: float = 0.0
    max_leaf_nodes: int | None = None
    max_nodes: int | None = None
    max_features: int | float | str | None = None
    random_state: Any = None
    n_jobs: int | None = None
    missing: str = "learned"
    unseen: str = "missing"
    thresholds: str = "midpoint"
    competitors: int = 0

    def __post_init__(self) -> None:
        """Check every option and keep it as a plain Python value."""
        for name in _RULES:
            object.__setattr__(self, name, _checked(name, getattr(self, name)))

    @classmethod
    def from_params(
        cls, params: Mapping[str, Any], ignore: Collection[str] = ()
    ) -> "GrowOptions":
        """Build options from a mapping, such as an estimator's `get_params()`.

        Parameters
        ----------
        params : mapping of str to value
            Options by name.
        ignore : collection of str, default=()
            Names that belong to somebody else and are passed over.

        Returns
        -------
        GrowOptions

        Raises
        ------
        OptionError
            When a name is unknown (the nearest known one is named) or a value
            is out of range.
        """
        known = {field.name for field in fields(cls)}
        chosen = {}
        for name, value in params.items():
            if name in known:
                chosen[name] = value
            elif name not in ignore:
                near = nearest_name(name, sorted(known))
                advice = (
                    f"Did you mean {near!r}?"
                    if near
                    else "The options are: " + ", ".join(sorted(known)) + "."
                )
                raise OptionError(f"There is no option {name!r}. {advice}")
        return cls(**chosen)

    def for_task(self, task: str) -> "GrowOptions":
        """Return the options with the criterion settled for this kind of target.

        Parameters
        ----------
        task : {'class', 'number'}
            What the target holds.

        Returns
        -------
        GrowOptions
            The same options, `criterion` never None.

        Raises
        ------
        OptionError
            When the criterion does not suit the target.
        """
        check_criterion(self.criterion, task)
        if self.criterion is None:
            allowed = CLASS_CRITERIA if task == "class" else NUMBER_CRITERIA
            return replace(self, criterion=allowed[0])
        return self

    def columns_to_try(self, n_columns: int) -> int:
        """Return how many of the columns `max_features` stands for.

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
