"""Trees of scikit-learn made from ours give the same answers."""

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import export_text

import treewright as tw
from support import programs
from treewright.errors import OptionError
from treewright.exporting.scikit_learn import to_sklearn, why_not_sklearn


def rows_of(tree, n=400, seed=0):
    """Random rows, many at thresholds, in float32."""
    rng = np.random.default_rng(seed)
    columns = []
    for column in range(len(tree.schema.features)):
        bounds = tree.threshold[tree.feature == column]
        bounds = bounds[np.isfinite(bounds)]
        pool = np.concatenate([rng.normal(size=50) * 3, bounds, [np.nan] * 5])
        columns.append(rng.choice(pool, n))
    with np.errstate(over="ignore"):
        X = np.column_stack(columns).astype(np.float32)
    return np.where(np.isinf(X), 0, X)


def test_every_tree_that_can_be_expressed_answers_alike():
    n_expressed = 0
    for seed in range(400):
        tree = programs.random_tree(seed)
        if why_not_sklearn(tree):
            with pytest.raises(OptionError, match="no equal in scikit-learn"):
                to_sklearn(tree)
            continue
        n_expressed += 1
        ours, theirs = tw.Tree(tree), to_sklearn(tree)
        X = pd.DataFrame(rows_of(tree, seed=seed), columns=tree.schema.names)
        if tree.n_nodes == 1:
            X = X.fillna(0)
        assert theirs.apply(X).tolist() == ours.apply(X).tolist()
        assert theirs.predict(X).tolist() == ours.predict(X).tolist()
        if tree.is_classifier:
            np.testing.assert_array_equal(
                theirs.predict_proba(X), ours.predict_proba(X)
            )
    assert n_expressed > 20


def test_export_text_and_pickle_work_on_the_result():
    import pickle

    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    tree = tw.TreeRegressor().fit(X, X[:, 0] * 2 + X[:, 1]).tree_
    model = pickle.loads(pickle.dumps(tree.to_sklearn()))
    assert "feature_0 <=" in export_text(model)
    assert model.get_n_leaves() == tree.n_leaves


@pytest.mark.parametrize(
    ("X", "options", "reason"),
    [
        ({"c": ["a", "b"] * 30}, {}, "plain numbers"),
        ({"x": [1.0, 2.0] * 30}, {"costs": [[0, 50], [1, 0]]}, "most probable class"),
    ],
)
def test_the_refusal_names_the_reason(X, options, reason):
    y = ["n", "y"] * 28 + ["n", "n", "y", "y"]
    tree = tw.TreeClassifier(prune=None, **options).fit(X, y).tree_
    with pytest.raises(OptionError, match=reason):
        tree.to_sklearn()


def test_surrogates_are_refused():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2))
    X[:, 1] += X[:, 0]
    X[::9, 0] = np.nan
    fit = tw.TreeClassifier(missing="surrogate", prune=None).fit
    tree = fit(X, np.where(np.nan_to_num(X[:, 0]) > 0, "y", "n")).tree_
    with pytest.raises(OptionError, match=r"has no surrogate splits\."):
        tree.to_sklearn()
