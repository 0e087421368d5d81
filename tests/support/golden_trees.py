"""Several hundred trees whose splits and answers must not change by accident.

`cases()` names every tree: a table, an estimator and its settings. `digest` reduces a
fitted tree to its splits and answers, so that neither the layout of the schema nor the
last bits of a gain count. Run this file to store the digests again after a change that
is meant to alter trees, and list the change in CHANGELOG.md under "Trees that change":

    PYTHONPATH=tests python tests/support/golden_trees.py
"""

import hashlib
import json
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

import treewright as tw
from support.classic import CLASSIC

STORED = Path(__file__).parents[1] / "golden" / "trees.json"

SPLITS = (
    "subtree_size",
    "split_kind",
    "feature",
    "threshold",
    "category_start",
    "categories",
    "category_branch",
    "missing_route",
    "surrogate_start",
    "surrogate_feature",
    "surrogate_threshold",
    "surrogate_flip",
)
ANSWERS = ("label", "value", "n_rows", "weight")


class Case(NamedTuple):
    """One tree: where it comes from and how it is grown."""

    table: str
    task: str
    preset: str | None
    settings: dict[str, Any]
    weighted: bool = False
    classic: bool = False

    @property
    def name(self) -> str:
        """The table and the settings, in one line."""
        parts = [self.table, self.task, self.preset or "own"]
        parts += ["weighted"] * self.weighted + ["classic"] * self.classic
        shown = self.settings
        parts += [f"{key}={value!r}" for key, value in sorted(shown.items())]
        return " ".join(parts)


# -- tables ---------------------------------------------------------------------------


@cache
def table(name: str) -> tuple[pd.DataFrame, pd.Series]:
    """Return the columns and the target of a bundled or a made table."""
    if name in _BUNDLED:
        target, dropped = _BUNDLED[name]
        frame = pd.read_csv(
            files("treewright") / "data" / f"{name}.csv",
            float_precision="round_trip",  # pandas 2.0 misreads 933.333 otherwise
        )
        frame = frame.dropna(subset=[target]).reset_index(drop=True)
        return frame.drop(columns=[target, *dropped]), frame[target]
    kind, seed = name.split("_")
    return _MADE[kind](np.random.default_rng(int(seed)))


_BUNDLED = {
    "penguins": ("species", []),
    "german_credit": ("class", []),
    "play_tennis": ("PlayTennis", ["Day"]),
    "carseats": ("Sales", []),
    "hitters": ("Salary", []),
}


def _mixed(rng, n_rows=400):
    """Numbers with ties, categories, missing values everywhere."""
    frame = pd.DataFrame(
        {
            "real": rng.normal(size=n_rows),
            "count": rng.integers(0, 7, n_rows).astype(float),
            "colour": rng.choice(["red", "green", "blue", "grey", "pink"], n_rows),
            "town": rng.choice([f"t{i:02d}" for i in range(20)], n_rows),
            "flag": rng.choice([0.0, 1.0], n_rows),
        }
    )
    score = (
        frame["real"] + (frame["colour"] == "red") - 0.3 * frame["count"]
    ) + rng.normal(scale=0.7, size=n_rows)
    for column in ("real", "count", "colour", "town"):
        frame.loc[rng.random(n_rows) < 0.08, column] = np.nan
    return frame, score


def _classes(rng):
    frame, score = _mixed(rng)
    cuts = np.quantile(score, [0.5, 0.8])
    return frame, pd.Series(np.array(["low", "mid", "high"])[np.digitize(score, cuts)])


def _numbers(rng):
    frame, score = _mixed(rng)
    return frame, pd.Series(np.round(score, 3))


def _counts(rng):
    frame, score = _mixed(rng)
    return frame, pd.Series(rng.poisson(np.exp(score.clip(-3, 3) / 2)))


def _words(rng):
    """Categories only, which ID3 takes as they are."""
    n_rows = 300
    frame = pd.DataFrame(
        {
            name: rng.choice(list("abcdef")[:k], n_rows)
            for name, k in (("two", 2), ("three", 3), ("four", 4), ("six", 6))
        }
    )
    right = (frame["two"] == "a") ^ (frame["six"] < "c") ^ (rng.random(n_rows) < 0.15)
    return frame, pd.Series(np.where(right, "yes", "no"))


def _large(rng):
    """Enough rows for every kind of parallel work."""
    X = rng.normal(size=(20_000, 8))
    X[:, 0] = np.round(X[:, 0], 1)
    X[rng.random(20_000) < 0.02, 1] = np.nan
    y = (X[:, 0] + np.nan_to_num(X[:, 1]) * X[:, 2] + rng.normal(size=20_000)) > 0
    return pd.DataFrame(X, columns=[f"x{i}" for i in range(8)]), pd.Series(y)


def _many(rng):
    """Ten classes."""
    X = rng.normal(size=(5_000, 6))
    y = np.digitize(X[:, 0] + X[:, 1] + rng.normal(scale=0.5, size=5_000), _TENTHS)
    return pd.DataFrame(X, columns=list("abcdef")), pd.Series(y)


_TENTHS = np.linspace(-2.5, 2.5, 9)
_MADE = {
    "classes": _classes,
    "numbers": _numbers,
    "counts": _counts,
    "words": _words,
    "large": _large,
    "many": _many,
}


# -- settings -------------------------------------------------------------------------

_UNPRUNED: list[dict[str, Any]] = [
    {},
    {"max_depth": 3},
    {"min_samples_leaf": 7},
    {"min_samples_split": 0.1},
    {"min_weight_fraction_leaf": 0.03},
    {"max_leaf_nodes": 9},
    {"max_nodes": 12, "min_samples_leaf": 3},
    {"min_impurity_decrease": 0.004},
    {"min_gain": 0.02},
    {"max_features": 2, "random_state": 7},
    {"missing": "surrogate"},
    {"missing": "surrogate", "surrogate_fallback": "stop", "max_surrogates": 1},
    {"missing": "surrogate", "surrogate_agreement": "known"},
    {"missing": "fractional"},
    {"many_levels": "exact"},
    {"thresholds": "readable"},
    {"competitors": 2},
]
_PRUNED: list[dict[str, Any]] = [
    {},
    {"prune_rule": "min"},
    {"prune_risk": "impurity"},
    {"cv": 4, "random_state": 3},
    {"ccp_alpha": 0.01},
    {"prune": "validation"},
    {"prune": "validation", "prune_ties": "keep", "validation_fraction": 0.3},
    {"missing": "surrogate"},
    {"missing": "fractional"},
]
_FOR_CLASSES: list[dict[str, Any]] = [
    *({"prune": None, **each} for each in _UNPRUNED),
    *_PRUNED,
    {"prune": None, "criterion": "entropy"},
    {"prune": None, "criterion": "misclassification"},
    {"prune": None, "criterion": "gain_ratio"},
    {"prune": None, "class_weight": "balanced"},
    {"criterion": "entropy"},
    {"criterion": "misclassification"},
    {"class_weight": "balanced"},
    {"prune": "pessimistic"},
    {"prune": "pessimistic", "prune_confidence": 0.1},
    {"method": "c45"},
    {"method": "c45", "prune": None},
    {"method": "c45", "prune": None, "categories": "grouped"},
    {"method": "c45", "prune": "cv"},
    {"method": "id3", "discretize": 4, "prune": None},
    {"method": "id3", "discretize": 4},
]
_FOR_NUMBERS: list[dict[str, Any]] = [
    *({"prune": None, **each} for each in _UNPRUNED),
    *_PRUNED,
    {"prune": None, "criterion": "absolute_error", "max_depth": 5},
    {"criterion": "absolute_error", "max_depth": 4},
    {"method": "id3", "discretize": 3, "prune": None},
]
_PRESETS: dict[str, list[tuple[str, dict[str, Any]]]] = {
    "class": [
        ("sklearn", {}),
        ("sklearn", {"max_depth": 4, "criterion": "entropy"}),
        ("sklearn", {"ccp_alpha": 0.005}),
        ("rpart", {}),
        ("rpart", {"cp": 0.001, "minsplit": 8}),
        ("c45", {}),
        ("j48", {}),
        ("j48", {"M": 5}),
    ],
    "number": [
        ("sklearn", {}),
        ("sklearn", {"min_samples_leaf": 5}),
        ("rpart", {}),
        ("rpart", {"cp": 0.001}),
    ],
}


def cases() -> list[Case]:
    """List every tree."""
    own = [*_own_cases(), *_weighted_cases(), *_special_cases()]
    return [*own, *_preset_cases(), *map(_classic, filter(_chooses, own))]


def _chooses(case: Case) -> bool:
    """Return whether rows that were left out choose the size of this tree."""
    usual = {"c45": "pessimistic", "id3": None}.get(case.settings.get("method"), "cv")
    prune = case.settings.get("prune", "auto")
    prune = usual if prune == "auto" else prune
    fixed = case.preset is not None or "ccp_alpha" in case.settings
    return prune in ("cv", "validation") and not fixed


def _classic(case: Case) -> Case:
    """Return the same tree as it was before answers were drawn and sizes priced.

    The digests of these trees are those of the default of that time.
    """
    settings = {} | CLASSIC
    if case.task == "class":
        settings |= {"size_by": "error"}
        if case.settings.get("method") is None:
            settings |= {"criterion": "gini"}
    if case.settings.get("prune") == "validation":
        for name in ("prune_rule", "prune_risk", "size_by"):
            settings.pop(name, None)
    return case._replace(settings=settings | case.settings, classic=True)


def _own_cases() -> list[Case]:
    found = []
    for name in ("classes_1", "classes_2", "penguins", "german_credit"):
        found += [Case(name, "class", None, each) for each in _FOR_CLASSES]
    for name in ("numbers_1", "hitters", "carseats"):
        found += [Case(name, "number", None, each) for each in _FOR_NUMBERS]
    for settings in ({}, {"prune": None}, {"prune": None, "missing": "surrogate"}):
        found += [Case(name, "class", None, settings) for name in ("large_1", "many_1")]
    return found


def _preset_cases() -> list[Case]:
    return [
        Case(name, task, *preset)
        for task, names in (
            ("class", ("classes_3", "penguins")),
            ("number", ("numbers_2", "carseats")),
        )
        for name in names
        for preset in _PRESETS[task]
    ]


def _weighted_cases() -> list[Case]:
    found = []
    for settings in ({"prune": None}, {}, {"method": "c45"}):
        found.append(Case("classes_4", "class", None, settings, weighted=True))
    for settings in ({"prune": None}, {}, {"prune": None, "missing": "surrogate"}):
        found.append(Case("numbers_3", "number", None, settings, weighted=True))
    return found


def _special_cases() -> list[Case]:
    """Rates, tables of categories alone, priors and costs."""
    found = []
    for name in ("counts_1", "counts_2"):
        for settings in ({"prune": None}, {}, {"prune": "validation"}):
            settings = {"criterion": "poisson", **settings}
            found.append(Case(name, "number", None, settings))
    for name in ("words_1", "words_2", "play_tennis"):
        found.append(Case(name, "class", "id3", {}))
        for settings in ({"method": "id3"}, {"method": "c45"}, {"prune": None}):
            found.append(Case(name, "class", None, settings))
    for settings in (
        {"priors": {"low": 0.2, "mid": 0.3, "high": 0.5}},
        {"costs": [[0, 1, 4], [2, 0, 1], [1, 3, 0]]},
    ):
        for prune in ("auto", None):
            found.append(Case("classes_5", "class", None, {"prune": prune, **settings}))
    return found


def fitted(case: Case) -> Any:
    """Fit the estimator of a case."""
    X, y = table(case.table)
    kind = tw.TreeClassifier if case.task == "class" else tw.TreeRegressor
    make = kind if case.preset is None else lambda **s: kind.like(case.preset, **s)
    weights = None
    if case.weighted:
        weights = np.random.default_rng(len(y)).choice([0.0, 0.5, 1.0, 2.5], len(y))
    return make(**case.settings).fit(X, y, weights)


def digest(case: Case, estimator: Any) -> str:
    """Return a hash of the splits and the answers, 16 hex digits."""
    found = hashlib.sha256()
    tree = estimator.tree_
    for name in (*SPLITS, *ANSWERS):
        array = np.asarray(getattr(tree, name))
        if array.dtype.kind == "f":
            array = np.where(np.isnan(array), np.nan, array + 0.0)
        else:
            array = array.astype(np.int64)
        found.update(f"{name} {array.shape}".encode() + array.tobytes())
    answers = estimator.predict(table(case.table)[0])
    found.update(repr(answers.tolist()).encode())
    if case.task == "class" and len(tree.answer):
        found.update(tree.answer.tobytes())
    return found.hexdigest()[:16]


if __name__ == "__main__":
    digests = {case.name: digest(case, fitted(case)) for case in cases()}
    STORED.write_text(json.dumps(digests, indent=0) + "\n")
    print(f"{len(digests)} trees stored in {STORED.name}")
