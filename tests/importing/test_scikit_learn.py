"""Trees of scikit-learn come in: the same leaves, and everything else works on them."""

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import (
    ExtraTreesRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreeClassifier,
    ExtraTreeRegressor,
)

import treewright as tw
from support import programs
from support.sklearn_cases import edge_rows
from support.versions import missing_version
from treewright.errors import OptionError
from treewright.exporting.scikit_learn import to_sklearn, why_not_sklearn
from treewright.table.from_numpy import float32_below
from treewright.tree.check import check

CLASSIFIERS = [
    DecisionTreeClassifier(random_state=0),
    DecisionTreeClassifier(max_leaf_nodes=9, class_weight="balanced", random_state=0),
    DecisionTreeClassifier(criterion="entropy", min_samples_leaf=7, random_state=0),
    DecisionTreeClassifier(criterion="log_loss", max_depth=3, random_state=0),
    ExtraTreeClassifier(max_depth=6, random_state=0),
]
REGRESSORS = [
    DecisionTreeRegressor(max_depth=5, random_state=0),
    DecisionTreeRegressor(max_leaf_nodes=12, min_samples_leaf=4, random_state=0),
    DecisionTreeRegressor(criterion="poisson", max_depth=4, random_state=0),
    DecisionTreeRegressor(criterion="absolute_error", max_depth=4, random_state=0),
    ExtraTreeRegressor(max_depth=5, random_state=0),
]
ESTIMATORS = [*CLASSIFIERS, *REGRESSORS]


def table(seed=0, n=400, *, missing=True, of="class"):
    """Random numbers of several sizes, with missing values, and a target."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4)) * [1.0, 1e-3, 1e6, 1.0]
    X[:, 3] = rng.integers(0, 5, n)
    score = X[:, 0] + X[:, 1] * 500 + (X[:, 3] > 2) + rng.normal(size=n) / 4
    if missing:
        X[rng.random(X.shape) < 0.1] = np.nan
    if of == "class":
        return X, np.array(["low", "mid", "top"])[np.digitize(score, [-0.5, 1.0])]
    return X, np.abs(score)


def fitted(estimator, seed=0):
    of = "class" if hasattr(estimator, "predict_proba") else "number"
    without = getattr(estimator, "criterion", "") == "absolute_error"
    X, y = table(seed, missing=not without, of=of)
    return estimator.fit(X, y), X, y


def assert_same(estimator, tree, X):
    leaves = tree.data.extras["sklearn_node"][tree.apply(X)]
    assert leaves.tolist() == estimator.apply(X).tolist()
    assert tree.predict(X).tolist() == estimator.predict(X).tolist()
    if hasattr(estimator, "predict_proba"):
        ours, theirs = tree.predict_proba(X), estimator.predict_proba(X)
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-15)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=str)
@pytest.mark.parametrize("seed", range(5))
def test_every_row_ends_in_the_leaf_of_scikit_learn(estimator, seed):
    theirs, X, _ = fitted(estimator, seed)
    tree = tw.from_sklearn(theirs)
    check(tree.data)
    missing = bool(np.isnan(X).any())
    assert_same(theirs, tree, X)
    assert_same(theirs, tree, edge_rows(theirs.tree_, seed=seed, missing=missing))


def test_probabilities_of_whole_weights_are_equal_to_the_last_bit():
    theirs, X, _ = fitted(DecisionTreeClassifier(min_samples_leaf=7, random_state=0))
    tree = tw.from_sklearn(theirs)
    assert tree.predict_proba(X).tolist() == theirs.predict_proba(X).tolist()
    assert (tree.value == np.rint(tree.value)).all()


def test_sample_weights_are_the_weights_of_the_nodes():
    X, y = table()
    weights = np.random.default_rng(1).uniform(0.1, 3, len(y))
    theirs = DecisionTreeClassifier(max_depth=4, random_state=0)
    tree = tw.from_sklearn(theirs.fit(X, y, weights))
    number = tree.data.extras["sklearn_node"]
    assert (tree.weight == theirs.tree_.weighted_n_node_samples[number]).all()
    assert (tree.n_rows == theirs.tree_.n_node_samples[number]).all()
    assert_same(theirs, tree, X)


def test_names_of_columns_and_classes_come_along():
    X, y = table()
    frame = pd.DataFrame(X, columns=["age", "dose", "income", "visits"])
    theirs = DecisionTreeClassifier(max_depth=2, random_state=0).fit(frame, y)
    tree = tw.from_sklearn(theirs)
    assert tree.schema.names == ("age", "dose", "income", "visits")
    assert tree.classes.tolist() == ["low", "mid", "top"]
    # Columns are found by name, in any order.
    assert (tree.predict(frame[frame.columns[::-1]]) == theirs.predict(frame)).all()


def test_thresholds_are_short_decimals_that_route_alike():
    theirs, _, _ = fitted(DecisionTreeClassifier(random_state=0))
    tree = tw.from_sklearn(theirs)
    number = tree.data.extras["sklearn_node"]
    known = ~np.isnan(tree.threshold)
    ours, given = tree.threshold[known], theirs.tree_.threshold[number[known]]
    assert max(len(repr(x)) for x in ours.tolist()) < 18
    assert (float32_below(ours) == float32_below(given)).all()
    assert sum(map(len, map(repr, ours))) < 0.8 * sum(map(len, map(repr, given)))


def test_trees_of_a_forest_answer_its_classes():
    X, y = table()
    forest = RandomForestClassifier(5, random_state=0).fit(X, y)
    for number, one in enumerate(forest.estimators_):
        tree = tw.from_sklearn(forest, tree=number)
        assert (tree.predict(X) == forest.classes_[one.predict(X).astype(int)]).all()
        check(tree.data)


def test_trees_of_regression_forests_and_boosting_answer_their_own_part():
    X, y = table(of="number", missing=False)
    forest = ExtraTreesRegressor(3, random_state=0).fit(X, y)
    parts = [tw.from_sklearn(forest, tree=i).predict(X) for i in range(3)]
    np.testing.assert_allclose(np.mean(parts, axis=0), forest.predict(X), rtol=1e-12)
    boosting = GradientBoostingRegressor(n_estimators=4, random_state=0).fit(X, y)
    parts = [tw.from_sklearn(boosting, tree=i).predict(X) for i in range(4)]
    total = y.mean() + boosting.learning_rate * np.sum(parts, axis=0)
    np.testing.assert_allclose(total, boosting.predict(X), rtol=1e-12)


def test_boosting_of_several_classes_needs_stage_and_class():
    X, y = table(missing=False)
    boosting = GradientBoostingClassifier(n_estimators=3, random_state=0).fit(X, y)
    tree = tw.from_sklearn(boosting, tree=(2, 1))
    theirs = boosting.estimators_[2, 1]
    assert_same(theirs, tree, X)
    with pytest.raises(OptionError, match="a stage and the place of a class"):
        tw.from_sklearn(boosting, tree=2)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda X, y: DecisionTreeClassifier(), "no tree yet; call fit"),
        (lambda X, y: RandomForestClassifier(), "no trees yet; call fit"),
        (
            lambda X, y: DecisionTreeClassifier().fit(X, np.c_[y, y]),
            "predicts 2 targets at once",
        ),
        (
            lambda X, y: HistGradientBoostingClassifier(max_iter=2).fit(X, y),
            "keep neither impurity nor weights",
        ),
        (
            lambda X, y: make_pipeline(StandardScaler(), DecisionTreeClassifier()),
            r"pipe\[-1\]",
        ),
        (lambda X, y: tw.TreeClassifier().fit(X, y), "its tree is tree_"),
        (lambda X, y: RandomForestClassifier(2).fit(X, y), "which of the 2 trees"),
        (lambda X, y: 7, "got int"),
        (
            lambda X, y: DecisionTreeClassifier().fit(X, (y == "top").astype("M8[D]")),
            r"has datetime\.date\(1970, 1, 1\), of type date\. Fit it to such classes",
        ),
        (
            # A name that scikit-learn had until version 1.2.
            lambda X, y: DecisionTreeClassifier().fit(X, y).set_params(criterion="mae"),
            "grown with 'mae'. Fit it with the name of one of these",
        ),
    ],
)
def test_a_refusal_says_why_and_what_to_do(make, message):
    X, y = table()
    with pytest.raises(OptionError, match=message):
        tw.from_sklearn(make(X, y))


def test_a_search_is_imported_by_its_best_estimator():
    X, y = table(n=60, missing=False)
    search = GridSearchCV(DecisionTreeClassifier(random_state=0), {"max_depth": [2]})
    with pytest.raises(OptionError, match=r"got GridSearchCV\. Pass its best_estima"):
        tw.from_sklearn(search.fit(X, y))
    assert_same(search.best_estimator_, tw.from_sklearn(search.best_estimator_), X)


def test_a_single_tree_has_no_number():
    X, y = table(n=60)
    with pytest.raises(OptionError, match="Classifier is one tree; leave out tree=0"):
        tw.from_sklearn(DecisionTreeClassifier().fit(X, y), tree=0)


@pytest.mark.parametrize("number", [-1, 2, 1.5, "first", (0, 0)])
def test_a_tree_that_the_forest_lacks_is_refused(number):
    X, y = table()
    forest = RandomForestClassifier(2, random_state=0).fit(X, y)
    with pytest.raises(OptionError, match="0 to 1"):
        tw.from_sklearn(forest, tree=number)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=str)
def test_everything_works_on_an_imported_tree(estimator, tmp_path):
    theirs, X, y = fitted(estimator)
    tree = tw.from_sklearn(theirs)
    assert tree.to_svg().startswith("<svg")
    assert len(tree.to_pandas()) == tree.n_nodes
    assert "nan" not in tree.text()
    assert len(tree.rules()) == tree.n_leaves
    assert "rows between" not in str(tree.explain(X[0]))
    assert tree.check(X).n_rows == len(X)
    tree.evaluate(X, y)
    tree.save(tmp_path / "one.tree.json")
    assert tw.load(tmp_path / "one.tree.json") == tree
    assert "Imported from scikit-learn" in tree.notes[0]
    for name in ("python", "sql"):
        options = {"dialect": "duckdb"} if name == "sql" else {}
        path = tmp_path / f"tree.{name}"
        tree.export(name, path, **options)
        assert tree.verify(path).ok
    tw.report(tree, path=tmp_path / "page.html")


@pytest.mark.parametrize("estimator", CLASSIFIERS[:4] + REGRESSORS[:4], ids=str)
def test_pruning_by_impurity_gives_the_trees_of_scikit_learn(estimator):
    # scikit-learn 1.6 to 1.8 have other impurities for this criterion.
    if estimator.criterion == "poisson" and (
        missing := missing_version("scikit-learn>=1.9")
    ):
        pytest.skip(missing)
    theirs, X, y = fitted(estimator)
    path = tw.pruning_path(tw.from_sklearn(theirs), risk="impurity")
    expected = theirs.cost_complexity_pruning_path(X, y)
    alphas = expected.ccp_alphas[1:]
    np.testing.assert_allclose(path.alpha[-1], alphas[-1], rtol=1e-9)
    for alpha in np.quantile(alphas, [0.3, 0.6, 0.9]) * (1 + 1e-6):
        params = {**theirs.get_params(), "ccp_alpha": alpha}
        pruned = type(theirs)(**params).fit(X, y)
        assert path.tree(alpha=alpha).n_leaves == pruned.get_n_leaves()


def test_our_trees_come_back_from_scikit_learn():
    n = 0
    for seed in range(300):
        data = programs.random_tree(seed)
        if why_not_sklearn(data):
            continue
        n += 1
        theirs = to_sklearn(data)
        back = tw.from_sklearn(theirs)
        check(back.data)
        number = back.data.extras["sklearn_node"]
        assert (back.feature == data.feature[number]).all()
        assert (back.n_rows == data.n_rows[number]).all()
        rows = edge_rows(theirs.tree_, 300, seed, missing=data.n_nodes > 1)
        rows = np.clip(rows, -3e38, 3e38).astype(np.float32)
        frame = pd.DataFrame(rows, columns=data.schema.names)
        assert (number[back.apply(frame)] == tw.Tree(data).apply(frame)).all()
        assert_same(theirs, back, frame)
    assert n > 20
