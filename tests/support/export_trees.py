"""The trees on which every export is proven, each with what is hard about it."""

import datetime as dt
from importlib.resources import files

import numpy as np
import pandas as pd

import treewright as tw


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
