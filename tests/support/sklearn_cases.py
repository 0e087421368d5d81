"""Random trees of scikit-learn, of all kinds that `from_sklearn` takes."""

import math
import warnings

import numpy as np
import pandas as pd
from sklearn import ensemble, tree

import treewright as tw
from treewright.tree.check import check

CLASSIFIERS = (
    tree.DecisionTreeClassifier,
    tree.ExtraTreeClassifier,
    ensemble.RandomForestClassifier,
    ensemble.ExtraTreesClassifier,
    ensemble.GradientBoostingClassifier,
)
REGRESSORS = (
    tree.DecisionTreeRegressor,
    tree.ExtraTreeRegressor,
    ensemble.RandomForestRegressor,
    ensemble.ExtraTreesRegressor,
    ensemble.GradientBoostingRegressor,
)
LABELS = (
    ["low", "mid", "top", "émoji 🎄", "it's, so"],
    [-3, 0, 7, 40, 41],
    [1.0, 2.0, -4.0, 1e6, 0.0],
    [False, True],
)


def random_table(rng, n):
    """Columns of several sizes and steps, among them neighbours in float32."""
    columns = [
        rng.normal(size=n) * 10.0 ** rng.integers(-3, 7),
        rng.integers(0, 6, n).astype(float),
        1 + rng.integers(0, 9, n) * 2.0**-24,  # half of them are no float32
        rng.normal(size=n) * 1e-42,  # below the smallest normal float32
        rng.normal(size=n) * 1e37,
        np.full(n, 3.25),
    ]
    chosen = rng.permutation(len(columns))[: rng.integers(2, len(columns) + 1)]
    return np.column_stack([columns[i] for i in chosen])


def random_options(rng, maker):
    """Options of growing that the estimator has."""
    options = {
        "max_depth": rng.choice([None, 1, 3, 8]),
        "min_samples_leaf": int(rng.choice([1, 1, 3, 10])),
        "max_leaf_nodes": rng.choice([None, None, 4, 20]),
        "max_features": rng.choice([None, "sqrt", 1]),
        "ccp_alpha": float(rng.choice([0.0, 0.0, 0.003])),
        "random_state": int(rng.integers(1000)),
    }
    if not issubclass(maker, tree.BaseDecisionTree):
        options["n_estimators"] = 3
    elif "Extra" not in maker.__name__:
        options["splitter"] = str(rng.choice(["best", "random"]))
    if maker in CLASSIFIERS[:4]:
        options["criterion"] = str(rng.choice(["gini", "entropy", "log_loss"]))
        options["class_weight"] = rng.choice([None, "balanced"])
    elif maker in REGRESSORS[:4]:
        names = ["squared_error", "squared_error", "absolute_error", "poisson"]
        options["criterion"] = str(rng.choice(names))
    return options


def random_target(rng, X, maker):
    score = np.nan_to_num(np.argsort(np.argsort(X, axis=0), axis=0)) / len(X)
    score = score @ rng.normal(size=X.shape[1]) + rng.normal(size=len(X)) / 5
    if maker in REGRESSORS:
        return np.abs(score) * 10.0 ** rng.integers(-3, 6)
    labels = np.array(LABELS[rng.integers(len(LABELS))])
    k = int(rng.integers(2, len(labels) + 1))
    rank = np.argsort(np.argsort(score))
    return labels[rank * k // len(score)]


def random_case(seed):
    """Return (estimator, place of the tree, that tree, rows), all fitted.

    `place` is None for an estimator that is one tree.
    """
    rng = np.random.default_rng(seed)
    maker = (CLASSIFIERS + REGRESSORS)[seed % 10]
    options = random_options(rng, maker)
    X = random_table(rng, int(rng.integers(20, 400)))
    y = random_target(rng, X, maker)
    boosting = "Gradient" in maker.__name__
    takes_missing = not boosting and options.get("criterion") != "absolute_error"
    if takes_missing and rng.random() < 0.6:
        X[rng.random(X.shape) < rng.choice([0.02, 0.3])] = np.nan
    weights = [
        None,
        rng.integers(0, 4, len(y)).astype(float),
        rng.uniform(0.01, 9, len(y)),
    ][rng.integers(3)]
    estimator = maker(**options).fit(named(rng, X), y, sample_weight=weights)
    if isinstance(estimator, tree.BaseDecisionTree):
        place, one = None, estimator
    else:
        trees = np.asarray(estimator.estimators_, object)
        place = tuple(int(rng.integers(n)) for n in trees.shape)
        one = trees[place]
    rows = np.vstack([X, edge_rows(one.tree_, 500, seed, missing=takes_missing)])
    return estimator, place, one, rows


def named(rng, X):
    """Return an array of either precision, or a frame with names of columns."""
    kind = rng.integers(3)
    if kind == 0:
        return X
    if kind == 1:
        return X.astype(np.float32)
    return pd.DataFrame(X, columns=[f"column {i}" for i in range(X.shape[1])])


def edge_rows(tree, n=3000, seed=0, *, missing=True):
    """Rows at each threshold, and a float32 and a float64 to either side of it."""
    rng = np.random.default_rng(seed)
    columns = []
    for feature in range(tree.n_features):
        at = tree.threshold[(tree.feature == feature) & np.isfinite(tree.threshold)]
        pool = [*rng.normal(size=60) * 3, *at, *np.float32(at).astype(float)]
        for towards in (-math.inf, math.inf):
            pool += [math.nextafter(x, towards) for x in at.tolist()]
            pool += np.nextafter(np.float32(at), np.float32(towards)).tolist()
            # The points where rounding to float32 turns from one number to the next.
            beside = np.nextafter(np.float32(at), np.float32(towards)).astype(float)
            middle = (np.float32(at).astype(float) + beside) / 2
            pool += [*middle, *np.nextafter(middle, -math.inf)]
            pool += np.nextafter(middle, math.inf).tolist()
        if missing:
            pool += [math.nan] * max(len(pool) // 10, 1)
        columns.append(rng.choice(np.array(pool, float), n))
    return np.column_stack(columns)


def compare(seed):
    """Compare all answers of one random tree; return its number of nodes."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # rows without names; classes without rows
        estimator, place, one, rows = random_case(seed)
        leaves, answers = one.apply(rows), one.predict(rows)
        has_shares = hasattr(one, "predict_proba")
        shares = one.predict_proba(rows) if has_shares else None
    if has_shares and one is not estimator:  # the trees of a forest number its classes
        answers = estimator.classes_[answers.astype(int)]
    which = {} if place is None else {"tree": place if len(place) > 1 else place[0]}
    ours = tw.from_sklearn(estimator, **which)
    check(ours.data)
    X = pd.DataFrame(rows, columns=ours.schema.names)
    assert (ours.data.extras["sklearn_node"][ours.apply(X)] == leaves).all(), seed
    assert (ours.predict(X) == answers).all(), seed
    if has_shares:
        np.testing.assert_allclose(ours.predict_proba(X), shares, rtol=0, atol=4e-15)
    return ours.n_nodes
