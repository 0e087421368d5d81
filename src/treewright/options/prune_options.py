"""How a tree is cut to size: the options, and one table that says what each may be."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

from treewright.errors import OptionError, nearest_name
from treewright.options.grow_options import GrowOptions
from treewright.options.rules import (
    Rule,
    check_all,
    is_real,
    is_whole,
    none,
    one_of,
    share,
    whole,
)

__all__ = ["PruneOptions", "is_pairs", "is_splitter"]

_METHODS = ("auto", "cv", "validation", "pessimistic")
_BY_DEFAULT = {"cart": "cv", "c45": "pessimistic", "id3": None}
"""What 'auto' stands for, by the method of growing."""


def is_splitter(cv: Any) -> bool:
    """Return whether this divides rows as scikit-learn's splitters do."""
    return hasattr(cv, "split") and not isinstance(cv, str)


def is_pairs(cv: Any) -> bool:
    """Return whether this may list pairs of (train, test)."""
    return isinstance(cv, Iterable) and not isinstance(cv, str) and not is_splitter(cv)


def _near(value: Any) -> str:
    near = nearest_name(str(value), _METHODS)
    return f" Did you mean {near!r}?" if near else ""


_RULES: dict[str, Rule] = {
    "prune": Rule(
        (none, one_of(*_METHODS)),
        "'auto', 'cv', 'validation', 'pessimistic' or None for the unpruned tree",
        _near,
    ),
    "prune_rule": Rule((one_of("1se", "min"),), "'1se' or 'min'"),
    "prune_risk": Rule(
        (one_of("auto", "error", "impurity"),), "'auto', 'error' or 'impurity'"
    ),
    "prune_ties": Rule((one_of("prune", "keep"),), "'prune' or 'keep'"),
    "prune_confidence": Rule(
        (lambda v: is_real(v) and 0 < v <= 0.5,),
        "a number above 0 and at most 0.5",
        lambda value: " Smaller prunes more.",
    ),
    "cv": Rule(
        (none, whole(2), is_splitter, is_pairs),
        "a number of folds >= 2, a splitter of scikit-learn, a list of (train, test) "
        "row numbers, or None for 10 folds",
    ),
    "ccp_alpha": Rule(
        (none, lambda v: is_real(v) and v >= 0),
        "a number >= 0, the price of a leaf as a share of the total weight, or None",
    ),
    "validation_fraction": Rule(
        (none, share(one=False)),
        "a share of the rows above 0 and below 1, or None",
    ),
}


class _Belongs(NamedTuple):
    """The default of an option, and the ways of pruning that it belongs to."""

    default: Any
    methods: tuple[str, ...]


_BELONGS = {
    "prune_rule": _Belongs("1se", ("cv",)),
    "prune_risk": _Belongs("auto", ("cv", "ccp_alpha")),
    "prune_ties": _Belongs("prune", ("validation",)),
    "prune_confidence": _Belongs(0.25, ("pessimistic",)),
    "cv": _Belongs(None, ("cv",)),
    "validation_fraction": _Belongs(None, ("validation",)),
}


@dataclass(frozen=True, kw_only=True)
class PruneOptions:
    """How a tree is cut to size. The names are the parameters of the estimators.

    Parameters
    ----------
    prune : {'auto', 'cv', 'validation', 'pessimistic'} or None, default='auto'
        How the tree gets its size; None: as it was grown. 'auto': the fixed cut if
        `ccp_alpha` is given, otherwise by the method of growing.
    prune_rule : {'1se', 'min'}, default='1se'
        With 'cv': the smallest tree within one standard error of the best, or the
        best itself.
    prune_risk : {'auto', 'error', 'impurity'}, default='auto'
        What a leaf is priced against.
    prune_ties : {'prune', 'keep'}, default='prune'
        With 'validation': cut a split that makes no difference, or keep it.
    prune_confidence : float, default=0.25
        With 'pessimistic': confidence of the bound.
    cv : int, splitter, list of (train, test) or None, default=None
        With 'cv': the number of folds, or the folds.
    ccp_alpha : float or None, default=None
        Price of a leaf. Under the conventions of rpart it is a share of the root's
        error, and with 'cv' the least price that is tried.
    validation_fraction : float or None, default=None
        With 'validation': share of the rows held out.

    Raises
    ------
    OptionError
        When a value is out of range; the message says what is allowed.
    """

    prune: str | None = "auto"
    prune_rule: str = "1se"
    prune_risk: str = "auto"
    prune_ties: str = "prune"
    prune_confidence: float = 0.25
    cv: Any = None
    ccp_alpha: float | None = None
    validation_fraction: float | None = None

    def __post_init__(self) -> None:
        """Check every option and keep it as a plain Python value."""
        check_all(self, _RULES)

    def method_for(self, grown: GrowOptions, task: str) -> str | None:
        """Return how a tree gets its size, and refuse options that contradict it.

        Parameters
        ----------
        grown : GrowOptions
            How the tree is grown.
        task : {'class', 'number'}
            What the target holds.

        Returns
        -------
        {'cv', 'validation', 'pessimistic', 'ccp_alpha'} or None
            None: not at all.

        Raises
        ------
        OptionError
            When an option would be passed over in silence, or the method does not
            suit the target.
        """
        method = self.prune
        if method == "pessimistic" and task != "class":
            raise OptionError(
                "prune='pessimistic' bounds the share of wrong classes, so it needs a "
                "target of classes. Use prune='cv' or 'validation' for numbers."
            )
        if method == "auto":
            method = _BY_DEFAULT[grown.method]
            if self.ccp_alpha is not None:
                method = "ccp_alpha"
            elif method == "pessimistic" and task != "class":
                method = "cv"
        self._check_used(method, grown)
        return method

    def risk_for(self, grown: GrowOptions) -> str:
        """Return what a leaf is priced against: 'error' or 'impurity'.

        Parameters
        ----------
        grown : GrowOptions
            How the tree is grown.

        Returns
        -------
        str
            By default the error; with `ccp_alpha`, scikit-learn's parameter, the
            impurity, unless it is rpart's cp.
        """
        if self.prune_risk != "auto":
            return self.prune_risk
        is_price = self.ccp_alpha is not None and grown.conventions != "rpart"
        return "impurity" if is_price else "error"

    def _check_used(self, method: str | None, grown: GrowOptions) -> None:
        prune = f"prune={self.prune!r}"
        # rpart's cp says where the table of cross-validation begins.
        priced = "ccp_alpha", *(["cv"] if grown.conventions == "rpart" else [])
        if self.ccp_alpha is not None and method not in priced:
            raise OptionError(
                f"ccp_alpha={self.ccp_alpha!r} is a fixed cut, which contradicts "
                f"{prune}. Leave one of the two out."
            )
        for name, (default, methods) in _BELONGS.items():
            value = getattr(self, name)
            # Programs hand ready-made folds to whatever has a `cv`, scikit-learn's
            # checks among them; a number is what people write.
            unset = not is_whole(value) if name == "cv" else value == default
            if not unset and method not in methods:
                what = f"prune={methods[0]!r}"
                raise OptionError(
                    f"{name} belongs to {what}, but {prune}"
                    + (" and ccp_alpha are" if method == "ccp_alpha" else " is")
                    + f" set. Pass {what}, or leave {name} out."
                )
