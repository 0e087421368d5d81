"""One function per library: fit ONE tree, as exactly and as fast as it can.

Every function takes the same words (`max_depth`, `min_leaf`) and turns the library's
other brakes off, so that all of them grow the same kind of tree: no shrinkage, no
regularisation, no smallest hessian. What a library needs before it can grow (our sort,
LightGBM's and XGBoost's bins, YDF's data set) is part of its time.
"""

import numpy as np

import treewright as tw

THREADS = 2


def treewright(X, y, max_depth=None, min_leaf=1):
    """Our exact tree."""
    kind = tw.TreeRegressor if y.dtype.kind == "f" else tw.TreeClassifier
    return kind(
        prune=None, max_depth=max_depth, min_samples_leaf=min_leaf, n_jobs=THREADS
    ).fit(X, y)


def cross_validated(X, y):
    """Our tree, cut to size by ten folds."""
    kind = tw.TreeRegressor if y.dtype.kind == "f" else tw.TreeClassifier
    return kind(cv=10, n_jobs=THREADS).fit(X, y)


def treewright_sort(X):
    """Our sort of the columns, without growing: the least any exact tree costs."""
    from treewright import _core

    columns = [X[:, j] for j in range(X.shape[1])]
    return _core.SortedTable(columns, [0] * len(columns), len(X), THREADS)


def sklearn(X, y, max_depth=None, min_leaf=1):
    """Exact tree of scikit-learn (it has one thread only)."""
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    kind = DecisionTreeRegressor if y.dtype.kind == "f" else DecisionTreeClassifier
    return kind(max_depth=max_depth, min_samples_leaf=min_leaf, random_state=0).fit(
        X, y
    )


def lightgbm(X, y, max_depth, min_leaf=1):
    """Tree on 255 bins of LightGBM."""
    import lightgbm as lgb

    options = {
        "objective": "binary",
        "learning_rate": 1.0,
        "max_bin": 255,
        "max_depth": max_depth,
        "num_leaves": 2**max_depth,
        "min_data_in_leaf": min_leaf,
        "min_sum_hessian_in_leaf": 0.0,
        "num_threads": THREADS,
        # Otherwise it first times both layouts, which pays only over many trees.
        "force_row_wise": True,
        "verbosity": -1,
    }
    return lgb.train(options, lgb.Dataset(X, y), num_boost_round=1)


def xgboost_hist(X, y, max_depth=0, max_leaves=0):
    """Tree on 256 bins of XGBoost."""
    import xgboost as xgb

    options = _xgboost_options("hist", max_depth) | {"max_bin": 256}
    if max_leaves:
        options |= {"grow_policy": "lossguide", "max_leaves": max_leaves}
    table = xgb.QuantileDMatrix(X, y, max_bin=256, nthread=THREADS)
    return xgb.train(options, table, num_boost_round=1)


def xgboost_exact(X, y, max_depth):
    """Exact tree of XGBoost."""
    import xgboost as xgb

    table = xgb.DMatrix(X, y, nthread=THREADS)
    return xgb.train(_xgboost_options("exact", max_depth), table, num_boost_round=1)


def _xgboost_options(method, max_depth):
    return {
        "objective": "binary:logistic",
        "tree_method": method,
        "eta": 1.0,
        "lambda": 0.0,
        "min_child_weight": 0.0,
        "max_depth": max_depth,
        "nthread": THREADS,
        "verbosity": 0,
    }


def ydf_cart(X, y):
    """Exact CART tree of YDF at full depth, unpruned."""
    import ydf

    ydf.verbose(0)
    learner = ydf.CartLearner(
        label="y",
        max_depth=-1,
        min_examples=1,
        validation_ratio=0.0,
        num_threads=THREADS,
    )
    return learner.train(_ydf_table(X) | {"y": y})


def _ydf_table(X):
    return {f"x{j}": X[:, j] for j in range(X.shape[1])}


def predict(model, X):
    """Predicted class of each row, whichever library grew the model."""
    if hasattr(model, "inplace_predict"):
        return (model.inplace_predict(X) > 0.5).astype(np.int64)
    if type(model).__module__.startswith("ydf"):
        return (np.asarray(model.predict(_ydf_table(X))) > 0.5).astype(np.int64)
    answer = np.asarray(model.predict(X))
    if type(model).__module__.startswith("lightgbm"):
        return (answer > 0.5).astype(np.int64)
    return answer
