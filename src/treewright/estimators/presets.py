"""`like`: the settings of other programs, in their own names, as parameters of ours.

One table, `_PRESETS`, says for each program what it does without being asked and what
becomes of each of its settings. docs/peers.md says what still differs.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from treewright.errors import OptionError, nearest_name
from treewright.options.rules import is_real, is_whole

__all__ = ["PROGRAMS", "translated"]

Translation: TypeAlias = Callable[[str, Any], dict[str, Any]]
"""From a setting's name and value to parameters of ours."""


@dataclass(frozen=True)
class _Preset:
    """What a program does, in our parameters."""

    fixed: Mapping[str, Any]
    """What it does by itself."""
    settings: Mapping[str, Translation]
    """What becomes of the settings it has."""
    criterion: Mapping[str, str] = field(default_factory=dict)
    """Its usual criterion, by task; the tasks it has."""
    pruning: Mapping[str, Any] = field(default_factory=dict)
    """How it prunes by itself."""
    completed: Callable[[dict[str, Any], str], dict[str, Any]] = lambda s, task: s
    """The settings with what follows for others from those given, and the task."""


# -- how a setting is translated ----------------------------------------------------


def _same(ours: str) -> Translation:
    return lambda name, value: {ours: value}


def _choice(ours: str, of: Mapping[Any, Any]) -> Translation:
    """Translate a value by a table."""
    return _choices({value: {ours: made} for value, made in of.items()})


def _choices(of: Mapping[Any, Mapping[str, Any]]) -> Translation:
    """Translate a value by a table of parameters."""

    def translate(name: str, value: Any) -> dict[str, Any]:
        for known, made in of.items():
            if isinstance(value, bool) == isinstance(known, bool) and value == known:
                return dict(made)
        allowed = [repr(known) for known in of]
        listed = " or ".join(filter(None, [", ".join(allowed[:-1]), allowed[-1]]))
        raise OptionError(f"{name} must be {listed}; got {value!r}.")

    return translate


def _only(allowed: Any, why: str) -> Translation:
    """Take the one value that changes nothing here, and say why no other."""

    def translate(name: str, value: Any) -> dict[str, Any]:
        same_type = isinstance(value, bool) == isinstance(allowed, bool)
        if value is allowed or (same_type and value == allowed):
            return {}
        raise OptionError(f"{name}={value!r} is not possible here: {why}")

    return translate


def _ignored(name: str, value: Any) -> dict[str, Any]:
    """Take what concerns the program's report alone, not its tree."""
    return {}


def _number(ours: str, change: Callable[[Any], Any]) -> Translation:
    """Translate a number; what is none is left for our own check to refuse."""

    def translate(name: str, value: Any) -> dict[str, Any]:
        return {ours: change(value) if is_real(value) else value}

    return translate


def _count(ours: str, least: int = 0) -> Translation:
    """Translate a whole number; None is left for our own check."""

    def translate(name: str, value: Any) -> dict[str, Any]:
        if value is None:
            return {ours: None}
        if not _is_count(value):
            raise OptionError(f"{name} must be a whole number; got {value!r}.")
        return {ours: max(least, int(value))}

    return translate


def _is_count(value: Any) -> bool:
    """Return whether this is a whole number, perhaps a float, as R's numbers are."""
    return is_whole(value) or (isinstance(value, float) and value.is_integer())


# -- rpart --------------------------------------------------------------------------


def _rpart_cp(name: str, value: Any) -> dict[str, Any]:
    """Cut at cp; below 0 rpart keeps every split."""
    if is_real(value) and value < 0:
        return {"prune": None, "ccp_alpha": None, "prune_risk": "auto"}
    return {"ccp_alpha": value}


def _rpart_completed(given: dict[str, Any], task: str) -> dict[str, Any]:
    """Tie minsplit and minbucket together, as rpart does: one is three of the other."""
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
        given.pop("maxsurrogate", None)  # rpart finds them, and does not use them
    return given


_SHRINK = "rpart's shrinking of rates towards the mean is not done; use shrink=0."
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
        "min_gain": 1e-10,  # a split without any gain is none
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
    """Cut at a price; at 0 scikit-learn keeps every split."""
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
        "monotonic_cst": _only(None, "trees are not held to a direction."),
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
    "A": _only(False, "shares are not smoothed. Add counts to the shares yourself."),
    "S": _only(False, "subtree raising is part of this pruning."),
    "J": _only(False, "the charge for choosing a threshold is part of c45."),
    "O": _only(False, "what costs nothing is collapsed."),
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
        When the program or a setting is unknown, or cannot be had.
    """
    preset = _preset(program, task)
    made: dict[str, Any] = {**preset.fixed, "criterion": preset.criterion[task]}
    made |= preset.pruning
    settings = preset.completed({n: _plain(v) for n, v in settings.items()}, task)
    made = {name: value for name, value in made.items() if name in parameters}
    asked: dict[str, tuple[str, Any]] = {}
    for name, value in settings.items():
        for ours, its in _one(preset, program, name, value, parameters).items():
            _check_once(asked, name, ours, its)
            _check_here(name, ours, parameters)
            asked[ours] = name, its
    given = {ours: its for ours, (_, its) in asked.items()}
    if given.get("prune", made["prune"]) != made["prune"]:
        # Another way to the size: what belongs to the program's own is left out.
        made = {name: its for name, its in made.items() if name not in preset.pruning}
    return made | given


def _plain(value: Any) -> Any:
    """Return NumPy's number, text or bool as Python's."""
    return value.item() if isinstance(value, np.generic) else value


def _preset(program: Any, task: str) -> _Preset:
    if not isinstance(program, str) or program not in _PRESETS:
        near = nearest_name(str(program), PROGRAMS)
        hint = f" Did you mean {near!r}?" if near else ""
        listed = ", ".join(map(repr, PROGRAMS[:-1])) + f" or {PROGRAMS[-1]!r}"
        raise OptionError(f"like takes {listed}; got {program!r}.{hint}")
    preset = _PRESETS[program]
    if task not in preset.criterion:
        raise OptionError(
            f"like({program!r}) grows trees for classes, and TreeRegressor predicts "
            "numbers. Use like('rpart'), like('sklearn') or like('id3')."
        )
    return preset


def _one(
    preset: _Preset, program: str, name: str, value: Any, parameters: Collection[str]
) -> dict[str, Any]:
    """Translate one setting: the program's own, or a parameter of ours."""
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
    raise OptionError(f"like({program!r}) knows no setting {name!r}. {advice}")


def _check_once(
    asked: Mapping[str, tuple[str, Any]], name: str, ours: str, value: Any
) -> None:
    if ours in asked and asked[ours][1] is not value and asked[ours][1] != value:
        before, its = asked[ours]
        raise OptionError(
            f"{before} and {name} both set {ours}, to {its!r} and {value!r}. Give one "
            "of them."
        )


def _check_here(name: str, ours: str, parameters: Collection[str]) -> None:
    """Refuse what this estimator does not have."""
    if ours not in parameters:
        raise OptionError(
            f"{name} is a setting for classes, and TreeRegressor predicts numbers. "
            "Leave it out."
        )
