"""A small model of every kind that the model file must hold, with rows to ask it."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

import treewright as tw

N = 160

HOSTILE = {
    "names": [
        "</script><script>alert(1)</script>",
        'quote " and \\ and \t tab',
        "'; DROP TABLE trees; --",
        "line\nbreak\r\u2028\u2029",
        "=1+1",
        "\u202eright to left\u202c",
        "nul\x00byte",
        "emoji 🌲 and combining e\u0301",
        "",
        "checksum",
        "$tuple",
    ],
    "labels": ["", " ", "nan", "null", "NaN", "🌲", "\ufeffbom", "a\x7fb", "\\u0041"],
}


class Model(NamedTuple):
    """A fitted estimator, and rows for it to answer."""

    estimator: Any
    rows: pd.DataFrame


@cache
def table() -> pd.DataFrame:
    """Columns of every kind, with missing values."""
    rng = np.random.default_rng(4)
    frame = pd.DataFrame(
        {
            "real": rng.normal(size=N).round(3),
            "count": rng.integers(0, 9, N).astype(float),
            "colour": rng.choice(["red", "green", "blue", "grey"], N),
            "size": pd.Categorical(
                rng.choice(["S", "M", "L"], N), ["S", "M", "L"], ordered=True
            ),
            "flag": rng.random(N) < 0.5,
            "bought": pd.Timestamp("2019-03-01")
            + pd.to_timedelta(rng.integers(0, 900, N), unit="D"),
            "seen": pd.Timestamp("2021-01-01", tz="Europe/Berlin")
            + pd.to_timedelta(rng.integers(0, 90_000, N), unit="s"),
            "took": pd.to_timedelta(rng.integers(1, 500, N), unit="min"),
        }
    )
    for name in ("real", "count", "colour", "size", "bought"):
        frame.loc[rng.random(N) < 0.1, name] = None
    return frame


def score() -> np.ndarray:
    """A target that depends on most columns."""
    X, rng = table(), np.random.default_rng(5)
    days = (X["bought"] - pd.Timestamp("2019-03-01")).dt.days.fillna(400)
    return (
        X["real"].fillna(0)
        + (X["colour"] == "red")
        + 0.4 * X["size"].cat.codes
        + 0.5 * X["flag"]
        + days / 500
        + 0.1 * X["count"].fillna(3)
        + rng.normal(scale=0.4, size=N)
    ).to_numpy()


def classes() -> np.ndarray:
    """Three classes."""
    return np.select([score() < 1.2, score() < 2.4], ["low", "mid"], "high")


def _classifier(**settings: Any) -> Model:
    settings = {"max_leaf_nodes": 9, "prune": None} | settings
    return Model(tw.TreeClassifier(**settings).fit(table(), classes()), table())


def _regressor(**settings: Any) -> Model:
    settings = {"max_leaf_nodes": 7, "prune": None} | settings
    return Model(tw.TreeRegressor(**settings).fit(table(), score()), table())


def _method(method: str, **settings: Any) -> Model:
    X = table()[["real", "count", "colour", "size"]]
    settings = {"method": method, "max_depth": 3} | settings
    return Model(tw.TreeClassifier(**settings).fit(X, classes()), X)


def _spelled() -> Model:
    rng = np.random.default_rng(6)
    amounts, days = rng.integers(500, 20_000, N), rng.integers(0, 700, N)
    dates = pd.Timestamp("2018-05-14") + pd.to_timedelta(days, unit="D")
    X = pd.DataFrame(
        {
            "price": [f"€{a / 10:,.1f}" for a in amounts],
            "rate": [f"{a / 1000:.2f}".replace(".", ",") + "%" for a in amounts[::-1]],
            "when": dates.strftime("%d.%m.%Y"),
            "age": [f"{a % 90} years" for a in amounts],
        }
    )
    kinds = {"price": "numeric", "rate": "numeric", "when": "date", "age": "numeric"}
    y = np.where(amounts / 100 + days / 5 + amounts % 90 > 200, "yes", "no")
    settings = {"kinds": kinds, "max_leaf_nodes": 8, "prune": None}
    return Model(tw.TreeClassifier(**settings).fit(X, y), X)


def _many_categories() -> Model:
    rng = np.random.default_rng(7)
    towns = np.array([f"town {i:03d}" for i in range(60)])
    X = pd.DataFrame({"town": rng.choice(towns, 600), "x": rng.normal(size=600)})
    weight = dict(zip(towns, rng.normal(size=60), strict=True))
    y = X["town"].map(weight) + X["x"] > 0
    return Model(tw.TreeClassifier(max_depth=3, prune=None).fit(X, y), X)


def _hostile() -> Model:
    rng = np.random.default_rng(8)
    X = pd.DataFrame(
        {name: rng.choice(HOSTILE["labels"], N) for name in HOSTILE["names"]}
    )
    y = rng.choice(["<b>bold</b>", 'say "hi"', "\u202ecba"], N)
    fitted = tw.TreeClassifier(max_leaf_nodes=12, prune=None)
    return Model(fitted.fit(X, pd.Series(y, name="target \n \x00 🎯")), X)


def _extreme() -> Model:
    rng = np.random.default_rng(9)
    X = pd.DataFrame({"x": rng.normal(size=N), "far": rng.choice([1e300, -1e300], N)})
    X.loc[3:5, "x"] = np.inf
    X.loc[6:9, "x"] = -np.inf
    y = rng.normal(size=N) * 1e200 + X["far"] / 1e100
    return Model(tw.TreeRegressor(max_leaf_nodes=6, prune=None).fit(X, y), X)


def _labels() -> Model:
    """Whole numbers and truth values as categories and classes."""
    rng = np.random.default_rng(10)
    X = pd.DataFrame(
        {
            "code": rng.integers(-3, 4, N),
            "flag": rng.random(N) < 0.5,
            "level": rng.choice([0.5, 1.5, np.inf, -np.inf], N),
        }
    )
    y = (X["code"] > 0) ^ (X["level"] > 1)
    kinds = {"code": "categorical", "flag": "categorical", "level": "categorical"}
    fitted = tw.TreeClassifier(kinds=kinds, prune=None, max_leaf_nodes=6)
    return Model(fitted.fit(X, y), X)


def _weighted() -> Model:
    weights = np.random.default_rng(11).choice([0.0, 0.1, 1.0, 2.5], N)
    fitted = tw.TreeRegressor(max_leaf_nodes=6, prune=None)
    return Model(fitted.fit(table(), score(), weights), table())


def _array() -> Model:
    X = np.random.default_rng(12).normal(size=(N, 3)).astype(np.float32)
    y = (X[:, 0] + X[:, 1] > 0).astype(int)
    return Model(tw.TreeClassifier().fit(X, y), pd.DataFrame(X))


MAKERS: dict[str, Any] = {
    "classes": lambda: _classifier(),
    "numbers": lambda: _regressor(),
    "pruned_classes": lambda: _classifier(prune="auto", max_leaf_nodes=None),
    "pruned_numbers": lambda: _regressor(prune="auto", max_leaf_nodes=None),
    "validated": lambda: _classifier(prune="validation", max_leaf_nodes=None),
    "one_leaf": lambda: _classifier(max_depth=1, min_gain=9.0, max_leaf_nodes=None),
    "poisson": lambda: Model(
        tw.TreeRegressor(criterion="poisson", max_leaf_nodes=6, prune=None).fit(
            table(), np.floor(np.exp(score() / 2))
        ),
        table(),
    ),
    "absolute_error": lambda: _regressor(criterion="absolute_error"),
    "costs": lambda: _classifier(costs={"low": {"high": 5}, "mid": {"high": 0.5}}),
    "priors": lambda: _classifier(priors={"low": 0.2, "mid": 0.2, "high": 0.6}),
    "class_weight": lambda: _classifier(class_weight="balanced"),
    "surrogates": lambda: _classifier(missing="surrogate"),
    "surrogates_stop": lambda: _regressor(
        missing="surrogate", max_surrogates=1, surrogate_fallback="stop"
    ),
    "fractional": lambda: _classifier(missing="fractional"),
    "c45": lambda: _method("c45"),
    "id3": lambda: _method("id3", discretize=4),
    "competitors": lambda: _classifier(competitors=3),
    "readable": lambda: _regressor(thresholds="readable"),
    "spelled": _spelled,
    "many_categories": _many_categories,
    "hostile": _hostile,
    "extreme": _extreme,
    "labels": _labels,
    "weighted": _weighted,
    "array": _array,
}


@cache
def model(name: str) -> Model:
    """Return one of the models."""
    return MAKERS[name]()
