"""The trees on which every export is proven, each with what is hard about it."""

import datetime as dt
from functools import partial
from importlib.resources import files

import numpy as np
import pandas as pd

import treewright as tw
from support.build import build, leaf, ordinal, schema_of, threshold
from support.odd_trees import odd_tree
from treewright.table.schema import Feature


def shipped(name, target):
    """Return (X, y) of a table that the package holds."""
    table = pd.read_csv(files("treewright") / "data" / f"{name}.csv")
    table = table[table[target].notna()]
    return table.drop(columns=target), table[target]


def outside(folder, name, target, *dropped):
    """Return (X, y) of a table that the repository does not hold."""
    table = pd.read_csv(folder / f"{name}.csv")
    return table.drop(columns=[target, *dropped]), table[target]


def tree_of(estimator, X, y):
    return estimator(X, y).tree_.data


def classifier(**options):
    options = {"prune": None, "findings": "ignore"} | options
    return tw.TreeClassifier(**options).fit


def regressor(**options):
    options = {"prune": None, "findings": "ignore"} | options
    return tw.TreeRegressor(**options).fit


def seeds_table():
    X, y = shipped("german_credit", "class")
    return classifier(min_samples_leaf=5)(X, y).tree_.data


def penguins():
    return classifier()(*shipped("penguins", "species")).tree_.data


def salaries():
    return regressor(min_samples_leaf=3)(*shipped("hitters", "Salary")).tree_.data


def surrogates():
    X, y = shipped("penguins", "species")
    holes = np.random.default_rng(1).random(X.shape) < 0.15
    fit = classifier(missing="surrogate", min_samples_leaf=2)
    return fit(X.mask(holes), y).tree_.data


def c45():
    """Multiway splits, and rows that are divided where a value is missing."""
    X, y = shipped("german_credit", "class")
    holes = np.random.default_rng(2).random(X.shape) < 0.05
    return classifier(method="c45")(X.mask(holes), y).tree_.data


def times():
    rng = np.random.default_rng(3)
    start = dt.datetime(2020, 1, 1)
    moments = [start + dt.timedelta(seconds=float(s)) for s in rng.random(2000) * 1e8]
    days = [moment.date() for moment in rng.permutation(moments)]
    clock = [moment.time() for moment in rng.permutation(moments)]
    for column in (moments, days, clock):
        for i in rng.integers(0, 2000, 100):
            column[i] = None
    hard = [m is not None and (m.month % 3 == 0) ^ (m.hour < 7) for m in moments]
    later = [d is not None and d.day > 14 for d in days]
    early = [c is not None and c.hour < 11 for c in clock]
    y = np.array(hard) * 1.0 + np.array(later) * 0.7 + np.array(early) * 0.4
    table = pd.DataFrame({"when": moments, "day": days, "clock": clock}, dtype=object)
    return regressor(max_leaf_nodes=200)(table, y).tree_.data


def many_leaves(n_leaves=5000):
    rng = np.random.default_rng(4)
    X = pd.DataFrame(rng.normal(size=(20_000, 6)), columns=list("abcdef"))
    X["g"] = rng.choice(["red", "green", "blue", "grey"], len(X))
    X = X.mask(rng.random(X.shape) < 0.02)
    y = rng.integers(0, 3, len(X)).astype(str)
    fit = classifier(max_leaf_nodes=n_leaves, min_samples_leaf=1)
    return fit(X, y).tree_.data


def intervals(kind="ordinal", **options):
    """Columns of every type that can be cut; some intervals have no row in a node."""
    rng = np.random.default_rng(5)
    n = 200
    days = rng.integers(0, 90, n)
    X = pd.DataFrame(
        {
            "x": rng.normal(size=n).round(2),
            "k": rng.integers(0, 9, n),
            "sure": rng.random(n) < 0.5,
            "day": (np.datetime64("2021-01-01") + days).astype(object),
            "when": pd.date_range("2021-01-01", periods=n, freq="7h", tz="Asia/Tokyo"),
        }
    )
    score = (X["x"] > 0) * 1 + (X["k"] % 3 == 1) * 2 + X["sure"] * 1 + days // 20
    late = X["when"].dt.day_of_year // 20
    X = X.mask(rng.random(X.shape) < 0.07)
    options = {"max_depth": 4} | options
    rules = {"kinds": dict.fromkeys(X, kind), "discretize": dict.fromkeys(X, 4)}
    fit = classifier(min_samples_leaf=2, **rules, **options)
    return fit(X, (score + late) % 4).tree_.data


def codes():
    """Categories that are numbers, or true and false."""
    rng = np.random.default_rng(6)
    n = 300
    X = pd.DataFrame(
        {
            "k": rng.choice([-3, 0, 2, 7, 1_000_000], n),
            "f": rng.choice([0.1, -2.5, 1e300, 3.0], n),
            "b": rng.random(n) < 0.5,
        }
    ).astype(object)
    y = X["k"].isin([-3, 7]) * 1 + X["f"].isin([0.1, 3.0]) * 2 + (X["b"] == 1) * 1
    X = X.mask(rng.random(X.shape) < 0.1)
    fit = classifier(kinds=dict.fromkeys(X, "categorical"), max_depth=5)
    return fit(X, (y + (rng.random(n) < 0.1)) % 4).tree_.data


def beyond(at, missing=1, stored="float"):
    """A threshold beyond all intervals, and one beyond all categories."""
    labels = ("below", "between", "above")
    cut = Feature("c", "ordinal", stored, labels, cuts=(0.0, 5.0))
    schema = schema_of(cut, ordinal("o", "low", "mid", "high"), "x")
    left = threshold(2, 0.5, leaf(1), leaf(0, 1))
    right = threshold(1, at, leaf(0, 0, 1), leaf(1, 1, 0), missing=1 - missing)
    return build(threshold(0, at, left, right, missing=missing), schema)


def truths():
    """Columns of true and false that were not made categories."""
    rng = np.random.default_rng(7)
    X = pd.DataFrame(rng.random((200, 3)) < 0.5, columns=list("abc"))
    y = X["a"] * 1 + X["b"] * 2 + (X["c"] & X["a"]) * 1
    return classifier()(X.mask(rng.random(X.shape) < 0.1), y).tree_.data


def infinite():
    """Bounds that are infinite: rows with -inf have a leaf of their own."""
    values = [-np.inf, -1.7e308, 1.0, 2.0, 1.7976931348623157e308, np.inf]
    table = tw.as_table({"x": values * 30}, list("abcdeb") * 30)
    return tw.grow(table).data


def adult(folder):
    X, y = outside(folder, "adult", "income")
    return classifier(min_samples_leaf=20)(X, y).tree_.data


def ames(folder):
    X, y = outside(folder, "ames_housing", "price", "Order", "PID")
    return regressor(min_samples_leaf=3)(X, y).tree_.data


OWN = {
    "german credit": seeds_table,
    "penguins": penguins,
    "hitters": salaries,
    "surrogates": surrogates,
    "C4.5 multiway": c45,
    "times": times,
    "5,000 leaves": many_leaves,
}
"""Trees of tables that the repository holds, by name."""
OUTSIDE = {"adult": adult, "ames housing": ames}
"""Trees of tables in a folder, which these functions take."""
HARD = {
    "intervals": intervals,
    "intervals as categories": partial(intervals, "categorical"),
    "intervals and surrogates": partial(intervals, "categorical", missing="surrogate"),
    "intervals of C4.5": partial(intervals, "categorical", method="c45", max_depth=2),
    "intervals of ID3": partial(intervals, method="id3", max_depth=3),
    "codes": codes,
    "above all ranks": partial(beyond, 9.0),
    "below all ranks": partial(beyond, -7.0, missing=0),
    "dates above all ranks": partial(beyond, 9.0, stored="date"),
    "truths": truths,
    "infinite bounds": infinite,
    "rows that stop": partial(odd_tree, 1, "stops"),
    "numbers that stop": partial(odd_tree, 2, "stops", numbers=True),
    "rows that stop or divide": partial(odd_tree, 3, "divides"),
    "numbers that stop or divide": partial(odd_tree, 4, "divides", numbers=True),
}
"""Small trees with questions that no table of `OWN` leads to, by name."""
DIVIDED = frozenset(
    {
        "intervals of C4.5",
        "rows that stop or divide",
        "numbers that stop or divide",
    }
)
"""The trees of `HARD` that divide rows among leaves."""
