"""`like`: translate the settings of other programs into our parameters.

One table, `_PRESETS`, holds the defaults of each program and the translation of each
of its settings. docs/reference/peers.md describes what still differs.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from treewright.errors import OptionError, did_you_mean, nearest_name
from treewright.options.rules import is_real, is_whole

__all__ = ["PROGRAMS", "translated"]

Translation: TypeAlias = Callable[[str, Any], dict[str, Any]]
"""Turns the name and the value of a setting into our parameters."""


@dataclass(frozen=True)
class _Preset:
    """The behaviour of a program, in our parameters."""

    fixed: Mapping[str, Any]
    """The program's defaults."""
    settings: Mapping[str, Translation]
    """The translation of each of its settings."""
    criterion: Mapping[str, str] = field(default_factory=dict)
    """Its default criterion for each task that it supports."""
    pruning: Mapping[str, Any] = field(default_factory=dict)
    """Its default pruning."""
    completed: Callable[[dict[str, Any], str], dict[str, Any]] = lambda s, task: s
    """Adds the settings that follow from the caller's settings and the task."""


# -- how a setting is translated ----------------------------------------------------


def _same(ours: str) -> Translation:
    return lambda name, value: {ours: value}


def _choice(ours: str, of: Mapping[Any, Any]) -> Translation:
    """Translate a value by a table."""
    return _choices({theirs: {ours: value} for theirs, value in of.items()})


def _choices(of: Mapping[Any, Mapping[str, Any]]) -> Translation:
    """Translate a value by a table of parameters."""

    def translate(name: str, value: Any) -> dict[str, Any]:
        for known, parameters in of.items():
            if isinstance(value, bool) == isinstance(known, bool) and value == known:
                return dict(parameters)
        allowed = [repr(known) for known in of]
        listed = " or ".join(filter(None, [", ".join(allowed[:-1]), allowed[-1]]))
        raise OptionError(f"{name} must be {listed}; got {value!r}.")

    return translate


def _only(allowed: Any, why: str) -> Translation:
    """Accept the one value that changes nothing; refuse others with the reason."""

    def translate(name: str, value: Any) -> dict[str, Any]:
        same_type = isinstance(value, bool) == isinstance(allowed, bool)
        if value is allowed or (same_type and value == allowed):
            return {}
        raise OptionError(f"{name}={value!r} is not supported: {why}")

    return translate


def _ignored(name: str, value: Any) -> dict[str, Any]:
    """Accept a setting that affects only the program's report, not its tree."""
    return {}


def _number(ours: str, change: Callable[[Any], Any]) -> Translation:
    """Translate a number; leave other values for our own check to refuse."""

    def translate(name: str, value: Any) -> dict[str, Any]:
        return {ours: change(value) if is_real(value) else value}

    return translate


def _count(ours: str, least: int = 0) -> Translation:
    """Translate a whole number; leave None for our own check."""

    def translate(name: str, value: Any) -> dict[str, Any]:
        if value is None:
            return {ours: None}
        if not _is_count(value):
            raise OptionError(f"{name} must be a whole number; got {value!r}.")
        return {ours: max(least, int(value))}

    return translate


def _is_count(value: Any) -> bool:
    """Return whether this is a whole number; R writes whole numbers as floats."""
    return is_whole(value) or (isinstance(value, float) and value.is_integer())


# -- rpart --------------------------------------------------------------------------


def _rpart_cp(name: str, value: Any) -> dict[str, Any]:
    """Prune at cp; below 0 rpart keeps every split."""
    if is_real(value) and value < 0:
        return {"prune": None, "ccp_alpha": None, "prune_risk": "auto"}
    return {"ccp_alpha": value}


def _rpart_completed(given: dict[str, Any], task: str) -> dict[str, Any]:
    """Derive minsplit and minbucket from each other, as rpart does: a factor of 3."""
    given, method = dict(given), given.get("method")
    if method is not None and (method == "class") != (task == "class"):
        right = "TreeClassifier" if method == "class" else "TreeRegressor"
        raise OptionError(f"method={method!r} is for {right}.like('rpart').")
    split: Any = given.get("minsplit")
    bucket: Any = given.get("minbucket")
    if _is_count(split) and not given.keys() & {"minbucket", "min_samples_leaf"}:
        given["minbucket"] = round(split / 3)
    if _is_count(bucket) and not given.keys() & {"minsplit", "min_samples_split"}:
        given["minsplit"] = 3 * bucket
    if given.get("usesurrogate") == 0:
        given.pop("maxsurrogate", None)  # rpart finds surrogates but does not use them
    return given


_SHRINK = "rates are not shrunk towards the mean. Use shrink=0."
_RPART = _Preset(
    fixed={
        "method": "cart",
        "conventions": "rpart",
        "missing": "surrogate",
        "min_samples_split": 20,
        "min_samples_leaf": 7,
        "max_depth": 30,
        "max_surrogates": 5,
        "surrogate_fallback": "majority",
        "surrogate_agreement": "all",
        "min_gain": 1e-10,  # rpart makes no split without gain
    },
    criterion={"class": "gini", "number": "squared_error"},
    pruning={"prune": "auto", "ccp_alpha": 0.01, "prune_risk": "error"},
    completed=_rpart_completed,
    settings={
        "minsplit": _count("min_samples_split", least=2),
        "minbucket": _count("min_samples_leaf", least=1),
        "cp": _rpart_cp,
        "maxdepth": _count("max_depth"),
        "maxsurrogate": _count("max_surrogates"),
        "usesurrogate": _choices(
            {
                0: {"max_surrogates": 0, "surrogate_fallback": "stop"},
                1: {"surrogate_fallback": "stop"},
                2: {"surrogate_fallback": "majority"},
            }
        ),
        "surrogatestyle": _choice("surrogate_agreement", {0: "all", 1: "known"}),
        "split": _choice("criterion", {"gini": "gini", "information": "entropy"}),
        "loss": _same("costs"),
        "prior": _same("priors"),
        "method": _choices(
            {
                "class": {},
                "anova": {"criterion": "squared_error"},
                "poisson": {"criterion": "poisson"},
            }
        ),
        "shrink": _only(0, _SHRINK),
        "xval": _ignored,
        "maxcompete": _ignored,
        "cost": _only(None, "columns have no costs. Leave costly columns out of X."),
    },
)

# -- scikit-learn -------------------------------------------------------------------


def _sklearn_alpha(name: str, value: Any) -> dict[str, Any]:
    """Prune at a price of a leaf; at 0 scikit-learn keeps every split."""
    if is_real(value) and value == 0:
        return {"prune": None}
    return {"ccp_alpha": value, "prune": "auto", "prune_risk": "impurity"}


_AS_THERE = (
    "max_depth",
    "min_samples_split",
    "min_samples_leaf",
    "min_weight_fraction_leaf",
    "max_features",
    "random_state",
    "max_leaf_nodes",
    "min_impurity_decrease",
    "class_weight",
)
_SKLEARN_CRITERIA = {
    name: name
    for name in (
        "gini",
        "entropy",
        "log_loss",
        "squared_error",
        "absolute_error",
        "poisson",
    )
} | {"friedman_mse": "squared_error"}
_SKLEARN = _Preset(
    fixed={"method": "cart", "conventions": "sklearn", "missing": "learned"},
    criterion={"class": "gini", "number": "squared_error"},
    pruning={"prune": None},
    settings={name: _same(name) for name in _AS_THERE}
    | {
        "criterion": _choice("criterion", _SKLEARN_CRITERIA),
        "ccp_alpha": _sklearn_alpha,
        "splitter": _only(
            "best", "every threshold is tried. Use max_features for random trees."
        ),
        "monotonic_cst": _only(None, "trees have no monotonicity constraints."),
    },
)

# -- ID3, C4.5 and J48 --------------------------------------------------------------

_ID3 = _Preset(
    fixed={"method": "id3", "missing": "learned"},
    criterion={"class": "entropy", "number": "squared_error"},
    pruning={"prune": None},
    settings={},
)
_PESSIMISTIC = {"prune": "pessimistic", "prune_confidence": 0.25}
_C45 = _Preset(
    fixed={
        "method": "c45",
        "missing": "fractional",
        "categories": "multiway",
        "min_branch_weight": 2,
    },
    criterion={"class": "gain_ratio"},
    pruning=_PESSIMISTIC,
    settings={
        "m": _same("min_branch_weight"),
        "c": _number("prune_confidence", lambda c: c / 100 if c > 1 else c),
        "s": _choice("categories", {False: "multiway", True: "grouped"}),
        "g": _only(False, "c45 chooses by the gain ratio. Use like('id3') for gains."),
    },
)

_LONG_NAMES = {
    "confidenceFactor": "C",
    "minNumObj": "M",
    "unpruned": "U",
    "reducedErrorPruning": "R",
    "numFolds": "N",
    "seed": "Q",
    "binarySplits": "B",
    "useLaplace": "A",
}
_J48_FLAGS: dict[str, Translation] = {
    "C": _same("prune_confidence"),
    "M": _same("min_branch_weight"),
    "U": _choice("prune", {True: None, False: "pessimistic"}),
    "R": _choices({True: {"prune": "validation"}, False: {}}),
    "N": _number("validation_fraction", lambda n: 1 / n if n > 1 else n),
    "Q": _same("random_state"),
    "B": _only(
        False,
        "J48 sets one category against the rest; categories='grouped' finds the best "
        "grouping.",
    ),
    "A": _only(False, "class shares are not smoothed. Smooth them yourself."),
    "S": _only(False, "subtree raising is part of this pruning."),
    "J": _only(False, "the charge for choosing a threshold is part of c45."),
    "O": _only(False, "splits that save no training error are always collapsed."),
    "L": _ignored,
}
_J48 = _Preset(
    fixed={**_C45.fixed, "conventions": "j48"},
    criterion=_C45.criterion,
    pruning=_PESSIMISTIC,
    settings=_J48_FLAGS | {long: _J48_FLAGS[c] for long, c in _LONG_NAMES.items()},
)

_PRESETS = {
    "sklearn": _SKLEARN,
    "rpart": _RPART,
    "c45": _C45,
    "j48": _J48,
    "id3": _ID3,
}
PROGRAMS = tuple(_PRESETS)
"""The programs that `like` knows."""


_PLAIN = {"min_samples_leaf": 1, "shrinkage": None}
"""What no other program does: it is off in all presets."""
_CLASSIC_CV = {"prune_rule": "1se", "prune_risk": "error", "size_by": "error"}
"""Cross-validation as in the CART book and rpart, for presets that ask for it."""

# -- putting it together ------------------------------------------------------------


def translated(
    program: Any, task: str, parameters: Collection[str], settings: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the parameters that make an estimator grow as another program does.

    Parameters
    ----------
    program : str
        One of `PROGRAMS`.
    task : {'class', 'number'}
        What the estimator predicts.
    parameters : collection of str
        The parameters that the estimator has.
    settings : mapping
        Settings by the program's names, or parameters by ours.

    Returns
    -------
    dict
        Parameters of the estimator.

    Raises
    ------
    OptionError
        If the program or a setting is unknown or not supported.
    """
    preset = _preset(program, task)
    defaults: dict[str, Any] = {**_PLAIN, **preset.fixed}
    defaults["criterion"] = preset.criterion[task]
    defaults |= preset.pruning
    settings = preset.completed({n: _plain(v) for n, v in settings.items()}, task)
    defaults = {name: value for name, value in defaults.items() if name in parameters}
    sources: dict[str, tuple[str, Any]] = {}  # parameter -> setting and value
    for name, value in settings.items():
        for ours, its in _one(preset, program, name, value, parameters).items():
            _check_once(sources, name, ours, its)
            _check_here(name, ours, parameters)
            sources[ours] = name, its
    changed = {ours: its for ours, (_, its) in sources.items()}
    if changed.get("prune", defaults["prune"]) != defaults["prune"]:
        # The caller prunes by another method: drop the program's pruning defaults.
        defaults = {n: its for n, its in defaults.items() if n not in preset.pruning}
    if changed.get("prune") == "cv":
        classic = {n: its for n, its in _CLASSIC_CV.items() if n in parameters}
        defaults = classic | defaults
    return defaults | changed


def _plain(value: Any) -> Any:
    """Return a NumPy number, text or bool as a Python one."""
    return value.item() if isinstance(value, np.generic) else value


def _preset(program: Any, task: str) -> _Preset:
    if not isinstance(program, str) or program not in _PRESETS:
        hint = did_you_mean(program, PROGRAMS)
        listed = ", ".join(map(repr, PROGRAMS[:-1])) + f" or {PROGRAMS[-1]!r}"
        raise OptionError(f"like takes {listed}; got {program!r}.{hint}")
    preset = _PRESETS[program]
    if task not in preset.criterion:
        raise OptionError(
            f"like({program!r}) grows classification trees, but TreeRegressor predicts "
            "numbers. Use like('rpart'), like('sklearn') or like('id3')."
        )
    return preset


def _one(
    preset: _Preset, program: str, name: str, value: Any, parameters: Collection[str]
) -> dict[str, Any]:
    """Translate one setting of the program, or accept one of our parameters."""
    if name in preset.settings:
        return preset.settings[name](name, value)
    if name in parameters:
        return {name: value}
    near = nearest_name(name, [*preset.settings, *parameters], alike=0.6)
    if near:
        advice = f"Did you mean {near!r}?"
    elif preset.settings:
        advice = f"Its settings are {', '.join(preset.settings)}."
    else:
        advice = "It has no settings of its own."
    raise OptionError(f"like({program!r}) has no setting {name!r}. {advice}")


def _check_once(
    sources: Mapping[str, tuple[str, Any]], name: str, ours: str, value: Any
) -> None:
    """Refuse two settings that set one parameter to different values."""
    if ours in sources and sources[ours][1] is not value and sources[ours][1] != value:
        before, its = sources[ours]
        raise OptionError(
            f"{before} and {name} both set {ours}, to {its!r} and {value!r}. Pass only "
            "one of them."
        )


def _check_here(name: str, ours: str, parameters: Collection[str]) -> None:
    """Refuse a parameter that this estimator does not have."""
    if ours not in parameters:
        raise OptionError(
            f"{name} is a setting for classes, but TreeRegressor predicts numbers. "
            "Leave it out."
        )
