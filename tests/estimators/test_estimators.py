"""TreeClassifier and TreeRegressor: parameters, fitting, answers, attributes."""

import ast
import inspect
import pickle
import re
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import treewright as tw
from support.classic import CLASSIC_CLASSES
from treewright.model import as_tree

BOTH = [tw.TreeClassifier, tw.TreeRegressor]
ANSWERS = ["predict", "apply", "decision_path"]
OURS = {
    "ccp_alpha",
    "checkpoint",
    "competitors",
    "conventions",
    "cv",
    "discretize",
    "findings",
    "keep_path",
    "kinds",
    "many_levels",
    "max_nodes",
    "max_surrogates",
    "memory_limit",
    "method",
    "min_gain",
    "missing",
    "n_jobs",
    "progress",
    "prune",
    "prune_confidence",
    "prune_risk",
    "prune_rule",
    "prune_ties",
    "shrinkage",
    "size_price",
    "surrogate_agreement",
    "surrogate_fallback",
    "thresholds",
    "unseen",
    "validation_fraction",
}
OF_CLASSES = {"categories", "costs", "min_branch_weight", "priors", "size_by"}


@pytest.fixture
def weather():
    """Ten days: numbers, categories, missing values, two classes."""
    return {
        "outlook": ["sunny", "rain", "sunny", "rain", "cloud"] * 2,
        "wind": [3.0, 9.0, np.nan, 1.0, 4.0, 8.0, 2.0, 7.0, np.nan, 5.0],
        "day": list(range(10)),
    }


@pytest.fixture
def played():
    return ["no", "no", "no", "yes", "yes", "no", "no", "yes", "yes", "yes"]


def defaults(estimator):
    signature = inspect.signature(estimator.__init__)
    return {
        name: each.default
        for name, each in signature.parameters.items()
        if name != "self"
    }


# --- parameters ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (tw.TreeClassifier, DecisionTreeClassifier),
        (tw.TreeRegressor, DecisionTreeRegressor),
    ],
)
def test_names_and_defaults_are_scikit_learns(ours, theirs):
    known = defaults(theirs)
    own = OURS | (OF_CLASSES if ours is tw.TreeClassifier else set())
    shared = {k: v for k, v in defaults(ours).items() if k not in own}
    assert shared.pop("criterion") is None  # goes by the method
    assert shared.pop("min_samples_leaf") == "auto"  # goes by the pruning
    known.pop("criterion")
    known.pop("min_samples_leaf")
    assert shared == {name: known[name] for name in shared}
    goes_by_others = {"criterion", "min_samples_leaf"}
    assert set(defaults(ours)) - set(shared) - goes_by_others == own
    not_yet = {"splitter", "ccp_alpha", "monotonic_cst"}
    assert set(known) - set(shared) <= not_yet


@pytest.mark.parametrize("estimator", BOTH)
def test_every_parameter_is_documented_in_order(estimator):
    text = inspect.getdoc(estimator)
    places = [text.index(f"\n{name} : ") for name in defaults(estimator)]
    assert places == sorted(places)


def words_by_parameter(estimator):
    """What the docstring says about each parameter."""
    text = inspect.getdoc(estimator).partition("\nAttributes\n")[0]
    _, *found = re.split(r"\n(\w+) : ", text)
    return dict(zip(found[::2], found[1::2], strict=True))


def test_parameters_that_both_have_are_described_in_the_same_words():
    classifier, regressor = map(words_by_parameter, BOTH)
    differ = {name for name in regressor if regressor[name] != classifier[name]}
    of_the_task = {"method", "criterion", "missing", "discretize", "conventions"}
    assert differ == of_the_task | {"prune", "prune_confidence"}


def test_type_checkers_see_the_public_names():
    stub = Path(tw.__file__).with_suffix(".pyi").read_text(encoding="utf-8")
    named = [
        alias.asname
        for node in ast.parse(stub).body
        for alias in getattr(node, "names", ())
    ]
    assert sorted(named) == tw.__all__


def test_public_grow_is_what_fit_does(weather, played):
    table = tw.as_table(weather, played)
    tree = tw.grow(table, tw.GrowOptions(max_depth=2))
    assert tree == tw.TreeClassifier(prune=None, max_depth=2).fit(weather, played).tree_
    with pytest.raises(tw.TableError, match="grow takes a Table; got dict"):
        tw.grow(weather)


# --- fitting -------------------------------------------------------------------------


def test_fit_takes_arrays_frames_dicts_rows_and_tables_alike():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    y = (X[:, 1] > 0).astype(int) + (X[:, 2] > 0)
    names = ["a", "b", "c"]
    forms = {
        "pandas": pd.DataFrame(X, columns=names),
        "polars": pl.DataFrame(X, schema=names),
        "dict": dict(zip(names, X.T, strict=True)),
        "table": tw.as_table(pd.DataFrame(X, columns=names)),
        "array": X,
        "fortran": np.asfortranarray(X),
        "rows": X.tolist(),
    }
    trees = {k: tw.TreeClassifier(prune=None).fit(v, y) for k, v in forms.items()}
    for name, fitted in trees.items():
        np.testing.assert_array_equal(
            fitted.tree_.threshold, trees["array"].tree_.threshold
        )
        np.testing.assert_array_equal(fitted.predict(forms[name]), y)
    assert trees["pandas"].tree_ == trees["polars"].tree_ == trees["dict"].tree_
    assert trees["array"].tree_ == trees["fortran"].tree_


def test_fit_publishes_what_scikit_learn_expects(weather, played):
    fitted = tw.TreeClassifier(prune=None).fit(weather, played)
    assert fitted.n_features_in_ == 3
    assert fitted.feature_names_in_.tolist() == ["outlook", "wind", "day"]
    assert fitted.feature_names_in_.dtype == object
    assert fitted.classes_.tolist() == ["no", "yes"]
    assert fitted.n_classes_ == 2
    assert isinstance(fitted.tree_, tw.Tree)
    assert as_tree(fitted) is fitted.tree_
    assert fitted.get_depth() == fitted.tree_.depth
    assert fitted.get_n_leaves() == fitted.tree_.n_leaves
    assert fitted.feature_importances_.shape == (3,)
    assert fitted.feature_importances_.sum() == pytest.approx(1.0)


def test_feature_names_are_kept_only_if_all_are_strings():
    X, y = np.arange(8.0).reshape(4, 2), [0, 1, 0, 1]
    named = tw.TreeClassifier().fit(pd.DataFrame(X, columns=["a", "b"]), y)
    assert named.feature_names_in_.tolist() == ["a", "b"]
    for nameless in (
        X,
        pd.DataFrame(X),
        pd.DataFrame(X, columns=["a", 1]),
        {0: [1, 2, 3, 4]},
    ):
        assert not hasattr(tw.TreeClassifier().fit(nameless, y), "feature_names_in_")
    named.fit(X, y)
    assert not hasattr(named, "feature_names_in_")


@pytest.mark.parametrize(
    "labels",
    [
        np.array([3, 7], np.int16),
        np.array([0.0, 2.0], np.float32),
        np.array([False, True]),
        np.array(["a", "b"]),
        np.array(["a", "b"], object),
    ],
)
def test_classes_and_predictions_have_the_type_of_y(labels):
    y = labels[[0, 1, 0, 1]]
    fitted = tw.TreeClassifier().fit([[1.0], [2.0], [1.0], [2.0]], y)
    assert fitted.classes_.dtype == labels.dtype
    predicted = fitted.predict([[2.0], [1.0]])
    assert predicted.dtype == labels.dtype
    assert predicted.tolist() == labels[[1, 0]].tolist()


@pytest.mark.parametrize("estimator", BOTH)
@pytest.mark.parametrize("method", [*ANSWERS, "get_depth", "get_n_leaves"])
def test_everything_but_fit_needs_a_fit(estimator, method):
    unfitted = estimator()
    arguments = () if method.startswith("get") else ([[1.0]],)
    with pytest.raises(NotFittedError, match="not fitted yet"):
        getattr(unfitted, method)(*arguments)
    assert not hasattr(unfitted, "feature_importances_")
    X, y = [[1.0]], [1]
    for asked in (
        lambda: as_tree(unfitted),
        lambda: tw.explain(unfitted, [1.0]),
        lambda: tw.evaluate(unfitted, X, y),
        lambda: tw.why(unfitted, 0, X, y),
        lambda: tw.pruning_path(unfitted),
        lambda: unfitted.tree_,
    ):
        with pytest.raises(NotFittedError, match=r"[Cc]all fit first") as found:
            asked()
        assert isinstance(found.value, tw.OptionError)


def test_failing_fit_leaves_the_estimator_unfitted():
    estimator = tw.TreeClassifier()
    before = dict(vars(estimator))
    with pytest.raises(tw.TableError):
        estimator.fit([[1.0], [2.0]], [0, np.nan])
    assert vars(estimator) == before


def test_failing_second_fit_keeps_the_first_tree_whole():
    X, y = pd.DataFrame({"a": [1.0, 2.0, 3.0]}), [0, 1, 2]
    estimator = tw.TreeClassifier().fit(X, y)
    before = dict(vars(estimator))
    with pytest.raises(tw.TableError):
        estimator.fit([[1.0], [2.0]], [0, None])
    assert vars(estimator) == before
    assert estimator.predict(X).tolist() == y


def test_column_vector_is_flattened_with_scikit_learns_warning():
    from sklearn.exceptions import DataConversionWarning

    X = [[1.0], [2.0]]
    with pytest.warns(DataConversionWarning, match="column-vector y") as caught:
        fitted = tw.TreeRegressor().fit(X, np.array([[1.0], [2.0]]))
    assert caught[0].filename == __file__
    assert fitted.predict(X).tolist() == [1.0, 2.0]


def test_set_aside_warning_points_at_the_line_that_called_fit():
    X = {"name": [f"n{i}" for i in range(60)], "x": np.arange(60.0)}
    with pytest.warns(tw.ColumnSetAsideWarning, match="'name' was set aside") as caught:
        tw.TreeClassifier().fit(X, [0, 1] * 30)
    assert caught[0].filename == __file__


# --- answers -------------------------------------------------------------------------


def test_probabilities_are_the_shares_of_the_leaf(weather, played):
    fitted = tw.TreeClassifier(max_depth=1).fit(weather, played)
    shares = fitted.predict_proba(weather)
    value = fitted.tree_.value[fitted.apply(weather)]
    np.testing.assert_allclose(shares, value / value.sum(axis=1, keepdims=True))
    np.testing.assert_array_equal(
        fitted.predict(weather), fitted.classes_[shares.argmax(axis=1)]
    )


def test_log_probabilities_are_logarithms_and_never_warn(weather, played):
    fitted = tw.TreeClassifier(prune=None).fit(weather, played)
    logs = fitted.predict_log_proba(weather)
    assert np.isneginf(logs).any()
    np.testing.assert_allclose(np.exp(logs), fitted.predict_proba(weather))


def test_regression_answers_the_mean_of_the_leaf():
    X, y = [[1.0], [2.0], [8.0], [9.0]], [1.0, 3.0, 10.0, 12.0]
    fitted = tw.TreeRegressor(max_depth=1).fit(X, y)
    assert fitted.predict([[0.0], [100.0]]).tolist() == [2.0, 11.0]
    assert fitted.score(X, y) == pytest.approx(1 - 4 / 85)


def test_decision_path_starts_at_the_root_and_ends_where_apply_says(weather, played):
    fitted = tw.TreeClassifier().fit(weather, played)
    path = fitted.decision_path(weather)
    assert path.shape == (10, fitted.tree_.n_nodes)
    for row, leaf in enumerate(fitted.apply(weather)):
        assert tuple(path[row].indices) == fitted.tree_.path(leaf)


def test_one_row_gives_what_it_gives_among_many():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(5000, 6))
    fitted = tw.TreeClassifier().fit(X, rng.integers(0, 3, 5000))
    many = fitted.predict(X)
    one_by_one = [fitted.predict(X[i : i + 1])[0] for i in range(0, 5000, 97)]
    assert one_by_one == many[::97].tolist()
    np.testing.assert_array_equal(many, fitted.predict(X[:, :].astype(object)))


def test_prediction_on_no_rows_is_no_answers(weather, played):
    fitted = tw.TreeClassifier().fit(weather, played)
    nobody = {name: [] for name in weather}
    assert fitted.predict(nobody).shape == (0,)
    assert fitted.predict_proba(nobody).shape == (0, 2)


def test_score_takes_weights(weather, played):
    fitted = tw.TreeClassifier(max_depth=1).fit(weather, played)
    right = fitted.predict(weather) == np.array(played)
    assert fitted.score(weather, played) == pytest.approx(right.mean())
    assert fitted.score(weather, played, sample_weight=right) == 1.0


# --- new data by name ----------------------------------------------------------------


def test_reordered_extra_and_unused_columns_do_not_matter(weather, played):
    fitted = tw.TreeClassifier(prune=None, max_depth=2).fit(weather, played)
    expected = fitted.predict(weather).tolist()
    reordered = {name: weather[name] for name in reversed(weather)}
    extra = {"new": ["?"] * 10, **weather}
    needed = {name: weather[name] for name in fitted.tree_.columns_used}
    for columns in (reordered, extra, needed):
        assert fitted.predict(columns).tolist() == expected
        assert fitted.predict(pd.DataFrame(columns)).tolist() == expected
        assert (
            fitted.predict(pl.DataFrame(columns, nan_to_null=True)).tolist() == expected
        )


@pytest.mark.parametrize("first", [[1.0, 1.0], ["a", "a"]])
@pytest.mark.parametrize("second", [[1.0, 2.0], ["a", "b"]])
def test_first_column_may_be_left_out_if_the_tree_does_not_use_it(first, second):
    fitted = tw.TreeClassifier().fit({"first": first, "second": second}, [0, 1])
    assert fitted.predict({"second": second * 20}).tolist() == [0, 1] * 20
    assert fitted.tree_.predict({"second": second}).tolist() == [0, 1]


def test_absent_column_is_an_error_that_names_the_nearest():
    fitted = tw.TreeClassifier().fit({"petal_length": [1.0, 5.0]}, ["a", "b"])
    with pytest.raises(
        tw.TableError, match=r"no column 'petal_length'.*nearest is 'petal_len'"
    ):
        fitted.predict({"petal_len": [1.4]})


def test_array_of_another_width_is_an_error_that_names_both_widths():
    fitted = tw.TreeClassifier().fit([[1.0, 2.0], [2.0, 1.0]], [0, 1])
    words = "X has 3 features, but Tree is expecting 2 features as input"
    for X in (np.zeros((1, 3)), [[1, 2, 3]], np.zeros((1, 3), int)):
        with pytest.raises(tw.TableError, match=words):
            fitted.predict(X)


def test_unseen_category_goes_where_missing_values_go_or_is_refused():
    X = {"colour": ["red", "red", "blue", "blue", None]}
    fitted = tw.TreeClassifier().fit(X, [0, 0, 1, 1, 1])
    assert fitted.predict({"colour": ["green", None]}).tolist() == [1, 1]
    strict = tw.TreeClassifier(unseen="error").fit(X, [0, 0, 1, 1, 1])
    with pytest.raises(tw.ColumnError, match=r"'colour' holds 'green' \(row 0\)"):
        strict.predict({"colour": ["green"]})
    strict.set_params(unseen="missing")  # for the next fit: the tree stays as it is
    with pytest.raises(tw.ColumnError, match=r"'colour' holds 'green' \(row 0\)"):
        strict.predict({"colour": ["green"]})
    with pytest.raises(tw.OptionError, match="unseen must be 'missing' or 'error'"):
        tw.TreeClassifier(unseen="eror").fit(X, [0, 0, 1, 1, 1])


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_missing_error_refuses_missing_and_infinite_values(value):
    X = np.array([[1.0, 5.0], [2.0, 5.0]])
    bad = X.copy()
    bad[1, 1] = value
    words = "Column 'x1' .* in row 1"
    fitted = tw.TreeClassifier(missing="error").fit(X, [0, 1])
    with pytest.raises(tw.ColumnError, match=words):
        fitted.predict(bad)
    with pytest.raises(tw.ColumnError, match=words):
        tw.TreeClassifier(missing="error").fit(bad, [0, 1])
    # By name, a column that the tree does not use is ignored.
    by_name = {"x0": bad[:, 0], "x1": bad[:, 1]}
    assert fitted.predict(by_name).tolist() == [0, 1]


# --- weights -------------------------------------------------------------------------


def test_class_of_weight_zero_stays_in_classes():
    X, y = [[1.0], [2.0], [3.0]], ["a", "b", "c"]
    fitted = tw.TreeClassifier().fit(X, y, sample_weight=[1, 0, 1])
    assert fitted.classes_.tolist() == ["a", "b", "c"]
    assert fitted.predict_proba([[2.9]]).tolist() == [[0, 0, 1]]
    assert fitted.tree_.n_rows[0] == 2


def test_class_weight_dict_equals_sample_weight():
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(80, 3)), rng.integers(0, 3, 80)
    by_class = tw.TreeClassifier(class_weight={0: 2.0, 2: 0.5}, max_depth=3).fit(X, y)
    by_row = tw.TreeClassifier(max_depth=3).fit(
        X, y, sample_weight=np.array([2.0, 1.0, 0.5])[y]
    )
    assert by_class.tree_ == by_row.tree_


def test_balanced_gives_every_class_the_same_weight():
    X, y = np.arange(10.0).reshape(-1, 1), [0] * 8 + [1] * 2
    fitted = tw.TreeClassifier(class_weight="balanced").fit(X, y)
    assert fitted.tree_.value[0].tolist() == [5.0, 5.0]


def test_balanced_counts_sample_weights_as_copies():
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(40, 3)), rng.integers(0, 3, 40)
    times = rng.integers(0, 4, 40)
    options = {"class_weight": "balanced", "max_depth": 3, **CLASSIC_CLASSES}
    weighted = tw.TreeClassifier(**options).fit(X, y, sample_weight=times)
    copied = tw.TreeClassifier(**options).fit(
        np.repeat(X, times, axis=0), np.repeat(y, times)
    )
    np.testing.assert_array_equal(weighted.tree_.threshold, copied.tree_.threshold)
    np.testing.assert_allclose(weighted.tree_.value, copied.tree_.value)


@pytest.mark.parametrize(
    ("class_weight", "words"),
    [
        ("balance", "class_weight must be 'balanced', a dict .*; got 'balance'"),
        ([1, 2], "class_weight must be 'balanced', a dict"),
        ({"yess": 2.0}, "names the class 'yess', which is not in y.*mean 'yes'"),
        ({"yes": -1.0}, "finite numbers >= 0; got -1.0 for the class 'yes'"),
        ({"yes": "2"}, "finite numbers >= 0; got '2' for the class 'yes'"),
        ({"yes": 0, "no": 0}, "gives weight 0 to every row"),
    ],
)
def test_wrong_class_weight_is_one_clear_error(weather, played, class_weight, words):
    with pytest.raises(tw.OptionError, match=words):
        tw.TreeClassifier(class_weight=class_weight).fit(weather, played)


def test_class_weight_may_name_a_class_this_sample_lacks():
    class_weight = {0: 1.0, 1: 2.0, 2: 3.0}
    fitted = tw.TreeClassifier(class_weight=class_weight).fit([[1.0], [2.0]], [0, 1])
    assert fitted.tree_.value[0].tolist() == [1.0, 2.0]


# --- as a value ----------------------------------------------------------------------


@pytest.mark.parametrize("estimator", BOTH)
def test_clone_and_pickle(estimator):
    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(50, 3)), rng.integers(0, 2, 50)
    fitted = estimator(max_depth=3, kinds={0: "numeric"}).fit(X, y)
    copy = clone(fitted)
    assert not hasattr(copy, "tree_")
    assert copy.get_params() == fitted.get_params()
    back = pickle.loads(pickle.dumps(fitted))
    assert back.tree_ == fitted.tree_
    np.testing.assert_array_equal(back.predict(X), fitted.predict(X))


def test_kinds_reach_the_table():
    X = np.array([[1.0], [2.0], [3.0], [4.0]])
    fitted = tw.TreeClassifier(kinds={0: "categorical"}).fit(X, [0, 1, 0, 1])
    assert fitted.get_n_leaves() == 2
    assert fitted.predict(X).tolist() == [0, 1, 0, 1]


# --- chance --------------------------------------------------------------------------


def random_tree(random_state):
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(200, 10)), rng.integers(0, 2, 200)
    estimator = tw.TreeClassifier(max_features=2, random_state=random_state, prune=None)
    return estimator.fit(X, y).tree_


def test_random_state_none_is_a_fixed_seed():
    assert random_tree(None) == random_tree(None)


def test_random_state_int_is_the_seed():
    assert random_tree(7) == random_tree(7)
    assert random_tree(7) != random_tree(8)


@pytest.mark.parametrize("make", [np.random.RandomState, np.random.default_rng])
def test_random_state_generator_is_drawn_from(make):
    assert random_tree(make(7)) == random_tree(make(7))
    generator = make(7)
    assert random_tree(generator) != random_tree(generator)
