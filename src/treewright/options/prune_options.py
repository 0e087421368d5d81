"""The options of pruning, and one table of the values that each one accepts."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from treewright.errors import OptionError, did_you_mean
from treewright.options.grow_options import GrowOptions
from treewright.options.rules import (
    Rule,
    check_all,
    is_real,
    is_whole,
    none,
    one_of,
    real,
    share,
    whole,
)

__all__ = ["PruneOptions", "is_pairs", "is_splitter"]

_METHODS = ("auto", "cv", "validation", "pessimistic")
_BY_DEFAULT = {"cart": "cv", "c45": "pessimistic", "id3": None}
"""The meaning of 'auto' for each method of growing."""


def is_splitter(cv: Any) -> bool:
    """Return whether `cv` is a splitter, as scikit-learn defines one."""
    return hasattr(cv, "split") and not isinstance(cv, str)


def is_pairs(cv: Any) -> bool:
    """Return whether `cv` can be a list of (train, test) pairs."""
    return isinstance(cv, Iterable) and not isinstance(cv, str) and not is_splitter(cv)


def _near(value: Any) -> str:
    return did_you_mean(value, _METHODS)


_RULES: dict[str, Rule] = {
    "prune": Rule(
        (none, one_of(*_METHODS)),
        "'auto', 'cv', 'validation', 'pessimistic' or None for the unpruned tree",
        _near,
    ),
    "prune_rule": Rule((one_of("price", "1se", "min"),), "'price', '1se' or 'min'"),
    "size_price": Rule((one_of("auto"), real(0)), "a finite number >= 0, or 'auto'"),
    "size_by": Rule(
        (one_of("auto", "error", "log_loss"),), "'auto', 'error' or 'log_loss'"
    ),
    "shrinkage": Rule(
        (none, one_of("auto"), real(0)),
        "a finite number of rows >= 0, 'auto', or None for plain means and shares",
    ),
    "keep_path": Rule((lambda v: isinstance(v, bool),), "True or False"),
    "prune_risk": Rule(
        (one_of("auto", "mixed", "error", "impurity"),),
        "'auto', 'mixed', 'error' or 'impurity'",
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
    """The default of an option, and the methods of pruning that use it."""

    default: Any
    methods: tuple[str, ...]


_BELONGS = {
    "prune_rule": _Belongs("price", ("cv",)),
    "size_price": _Belongs("auto", ("cv",)),
    "size_by": _Belongs("auto", ("cv",)),
    "keep_path": _Belongs(False, ("cv",)),
    "prune_risk": _Belongs("auto", ("cv", "ccp_alpha")),
    "prune_ties": _Belongs("prune", ("validation",)),
    "prune_confidence": _Belongs(0.25, ("pessimistic",)),
    "cv": _Belongs(None, ("cv",)),
    "validation_fraction": _Belongs(None, ("validation",)),
}


@dataclass(frozen=True, kw_only=True)
class PruneOptions:
    """How a tree is pruned. The names are the parameters of the estimators.

    Parameters
    ----------
    prune : {'auto', 'cv', 'validation', 'pessimistic'} or None, default='auto'
        The method of pruning. None: no pruning. 'auto': prune at `ccp_alpha` if it
        is set, otherwise by the usual method for the method of growing.
    prune_rule : {'price', '1se', 'min'}, default='price'
        With 'cv': among the trees within one standard error of the best, choose the
        one of least ln score + price x ln leaves, or the smallest ('1se'); or choose
        the best itself ('min').
    size_price : float or 'auto', default='auto'
        With 'price': how much ln score a unit of ln leaves must save.
    size_by : {'auto', 'error', 'log_loss'}, default='auto'
        With 'cv', classes: the score by which the size is chosen.
    shrinkage : float, 'auto' or None, default='auto'
        How strongly answers are drawn towards the node above, in rows.
    keep_path : bool, default=False
        With 'cv': whether the record of pruning keeps the whole grown tree.
    prune_risk : {'auto', 'mixed', 'error', 'impurity'}, default='auto'
        The risk of a leaf in cost-complexity pruning.
    prune_ties : {'prune', 'keep'}, default='prune'
        With 'validation': prune a split that makes no difference, or keep it.
    prune_confidence : float, default=0.25
        With 'pessimistic': confidence of the bound.
    cv : int, splitter, list of (train, test) or None, default=None
        With 'cv': the number of folds, or the folds.
    ccp_alpha : float or None, default=None
        Price of a leaf. Under the conventions of rpart it is a share of the root's
        error, and with 'cv' it is the lowest price that is tried.
    validation_fraction : float or None, default=None
        With 'validation': share of the rows to hold out.

    Raises
    ------
    OptionError
        When a value is out of range; the message states what is allowed.
    """

    prune: str | None = "auto"
    prune_rule: str = "price"
    size_price: float | str = "auto"
    size_by: str = "auto"
    shrinkage: float | str | None = "auto"
    keep_path: bool = False
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
        """Return the method of pruning, and refuse options that contradict it.

        Parameters
        ----------
        grown : GrowOptions
            How the tree is grown.
        task : {'class', 'number'}
            What the target holds.

        Returns
        -------
        {'cv', 'validation', 'pessimistic', 'ccp_alpha'} or None
            None: the tree is not pruned.

        Raises
        ------
        OptionError
            When an option would have no effect, or the method does not suit the
            target.
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

    def for_parts(self, grown: GrowOptions, task: str) -> "PruneOptions":
        """Return the options for rows in parts, where 'auto' is 'validation'.

        It is 'cv' only if an option is set that needs folds, such as `cv`.

        Parameters
        ----------
        grown : GrowOptions
            How the tree is grown.
        task : {'class', 'number'}
            What the target holds.

        Returns
        -------
        PruneOptions
        """
        by_default = self.prune == "auto" and self.ccp_alpha is None
        by_default = by_default and not self._needs_folds()
        usual = _BY_DEFAULT[grown.method]
        if by_default and (usual == "cv" or task != "class"):
            return replace(self, prune="validation")
        return self

    def _needs_folds(self) -> bool:
        """Return whether an option is set that 'cv' uses and 'validation' does not."""
        return any(
            "cv" in methods and getattr(self, name) != default
            for name, (default, methods) in _BELONGS.items()
        )

    def risk_for(self, grown: GrowOptions, task: str) -> str:
        """Return the risk of a leaf in cost-complexity pruning.

        Parameters
        ----------
        grown : GrowOptions
            How the tree is grown.
        task : {'class', 'number'}
            What the target holds.

        Returns
        -------
        {'mixed', 'error', 'impurity'}
            By default 'mixed' for classes and 'error' for numbers, and 'error' under
            the conventions of another program. With `ccp_alpha` it is 'impurity', as
            in scikit-learn, except under the conventions of rpart.
        """
        if self.prune_risk == "mixed" and task != "class":
            raise OptionError(
                "prune_risk='mixed' adds log-loss to the errors of classes, but the "
                "target holds numbers. Use 'auto', 'error' or 'impurity'."
            )
        if self.prune_risk != "auto":
            return self.prune_risk
        if self.ccp_alpha is not None and grown.conventions != "rpart":
            return "impurity"
        return "mixed" if task == "class" and grown.conventions is None else "error"

    def chooses(self, method: str | None, grown: GrowOptions) -> bool:
        """Return whether rows not trained on choose the size, by our own rules.

        Then 'auto' stands for what was measured to be best: entropy, leaves of at
        least five rows for numbers, and answers drawn as those rows choose. Otherwise
        it stands for what other programs do: Gini, leaves of one row, plain answers.
        """
        return method in ("cv", "validation") and grown.conventions is None

    def _check_used(self, method: str | None, grown: GrowOptions) -> None:
        prune = f"prune={self.prune!r}"
        # With rpart's cp, cross-validation is allowed: its table begins at cp.
        priced = "ccp_alpha", *(["cv"] if grown.conventions == "rpart" else [])
        if self.ccp_alpha is not None and method not in priced:
            raise OptionError(
                f"ccp_alpha={self.ccp_alpha!r} is a fixed cut, which contradicts "
                f"{prune}. Leave one of the two out."
            )
        if self.size_price != "auto" and self.prune_rule != "price":
            raise OptionError(
                f"size_price belongs to prune_rule='price'; got size_price="
                f"{self.size_price!r} with prune_rule={self.prune_rule!r}. Leave one "
                "of the two out."
            )
        for name, (default, methods) in _BELONGS.items():
            value = getattr(self, name)
            # Programs, such as scikit-learn's checks, pass folds to any estimator
            # that has a `cv`. Only a number shows that a person set it.
            unset = not is_whole(value) if name == "cv" else value == default
            if not unset and method not in methods:
                what = f"prune={methods[0]!r}"
                raise OptionError(
                    f"{name} belongs to {what}, but {prune}"
                    + (" and ccp_alpha are" if method == "ccp_alpha" else " is")
                    + f" set. Pass {what}, or leave {name} out."
                )
