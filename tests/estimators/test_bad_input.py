"""Unusual and wrong input: it works as documented, or one clear error says why.

Each error says what is wrong, where, the value seen and what to do.
"""

from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn.exceptions import NotFittedError

import treewright as tw
from support.oracle_files import real_table

BOTH = pytest.mark.parametrize("estimator", [tw.TreeClassifier, tw.TreeRegressor])
X4 = [[1.0], [2.0], [3.0], [4.0]]
Y4 = [0, 1, 0, 1]


def refused(X, y, *words, estimator=tw.TreeClassifier, sample_weight=None, **options):
    """Fit, expect one error with all these words, and nothing fitted."""
    fresh = estimator(**options)
    with pytest.raises(tw.TreewrightError) as caught:
        fresh.fit(X, y, sample_weight)
    message = str(caught.value)
    assert [each for each in words if each not in message] == [], message
    assert not hasattr(fresh, "tree_")
    return caught.value


# --- sizes ---------------------------------------------------------------------------


@BOTH
def test_no_rows(estimator):
    refused(
        np.empty((0, 3)),
        [],
        "0 sample(s) (shape=(0, 3))",
        "at least one row",
        estimator=estimator,
    )
    refused(pd.DataFrame({"a": []}), [], "0 sample(s)", estimator=estimator)


@BOTH
def test_no_columns(estimator):
    for X in (np.empty((3, 0)), {}, pd.DataFrame(index=range(3))):
        refused(
            X, [0, 1, 0], "0 feature(s)", "at least one column", estimator=estimator
        )


@BOTH
def test_one_row_is_one_leaf(estimator):
    fitted = estimator().fit([[5.0, np.nan]], [7])
    assert fitted.get_n_leaves() == 1
    assert fitted.predict([[0.0, 0.0], [np.nan, np.inf]]).tolist() == [7, 7]
    assert fitted.feature_importances_.tolist() == [0.0, 0.0]


def test_one_class_is_one_leaf():
    fitted = tw.TreeClassifier().fit(X4, ["same"] * 4)
    assert fitted.get_n_leaves() == 1
    assert fitted.predict([[9.0]]).tolist() == ["same"]
    assert fitted.predict_proba([[9.0]]).tolist() == [[1.0]]
    assert fitted.predict_log_proba([[9.0]]).tolist() == [[0.0]]


@BOTH
def test_lengths_that_differ(estimator):
    refused(X4, [0, 1, 0], "[4, 3]", "X has 4 rows and y has 3", estimator=estimator)
    refused(
        X4,
        Y4,
        "sample_weight.shape == (3,), expected (4,)",
        "one weight per row",
        sample_weight=[1, 2, 3],
        estimator=estimator,
    )
    refused(
        {"a": [1, 2], "b": [1, 2, 3]},
        [0, 1],
        "Column 'b' has 3 rows but column 'a' has 2",
        estimator=estimator,
    )


# --- target and weights --------------------------------------------------------------


@pytest.mark.parametrize("missing", [np.nan, None])
def test_target_with_missing_values(missing):
    words = ("Input y contains NaN", "missing in row 2", "Drop these rows")
    refused(X4, [0, 1, missing, 1], *words)
    refused(X4, [0.5, 1.5, missing, 1.0], *words, estimator=tw.TreeRegressor)
    refused(X4, pd.Series(["a", "b", missing, "a"]), *words)


def test_unusable_targets_are_refused():
    refused(X4, None, "requires y to be passed", "target y is None")
    refused(X4, [0.5, 1.0, 2.0, 3.0], "Unknown label type: continuous", "0.5", "row 0")
    refused(
        X4, np.ones((4, 2)), "y should be a 1d array", "(4, 2)", "one tree per target"
    )
    refused(X4, "target", "1d array", "not the name of a column")
    regressor = {"estimator": tw.TreeRegressor}
    refused(X4, ["a", "b", "c", "d"], "must hold numbers", "'a'", **regressor)
    refused(X4, [1.0, np.inf, 2.0, 3.0], "y contains infinity", "row 1", **regressor)
    refused(
        X4,
        [1, -2, 3, 4],
        "counts",
        "row 1 of the target has -2",
        criterion="poisson",
        **regressor,
    )
    refused(X4, [0, 0, 0, 0], "sum above 0", criterion="poisson", **regressor)


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        ([1, -2, 1, 1], "negative in row 1: -2"),
        ([1, 1, np.nan, 1], "missing (NaN) in row 2"),
        ([1, 1, 1, np.inf], "not finite in row 3: inf"),
        ([0, 0, 0, 0], "all zero"),
        (["a", "b", "c", "d"], "not a number"),
        (np.ones((4, 1)), "must be one-dimensional"),
        (2.0, "one weight per row is needed"),
        ([1j, 1, 1, 1], "Complex data not supported"),
    ],
)
def test_wrong_weights(weights, words):
    refused(X4, Y4, words, sample_weight=weights)


# --- uninformative columns -----------------------------------------------------------


@BOTH
def test_all_missing_and_constant_columns_are_never_split_on(estimator):
    X = {
        "nothing": [None] * 4,
        "nan": [np.nan] * 4,
        "same": [5.0] * 4,
        "word": ["w"] * 4,
        "x": [1.0, 2.0, 3.0, 4.0],
    }
    fitted = estimator().fit(X, Y4)
    assert fitted.tree_.columns_used == ("x",)
    assert fitted.predict(X).tolist() == Y4
    useless = {name: X[name] for name in ("nothing", "nan", "same", "word")}
    alone = estimator().fit(useless, Y4)
    assert alone.get_n_leaves() == 1
    assert (
        alone.predict(useless).tolist()
        == [0 if estimator is tw.TreeClassifier else 0.5] * 4
    )


@BOTH
def test_infinities_are_ordinary_extreme_values(estimator):
    X = np.array([[-np.inf], [-1.0], [0.0], [np.inf]])
    fitted = estimator().fit(X, Y4)
    assert fitted.predict(X).tolist() == Y4
    inner = fitted.tree_.threshold[fitted.tree_.split_kind != 0]
    assert not np.isnan(inner).any()


@pytest.mark.slow
def test_a_million_categories():
    estimator = partial(tw.TreeClassifier, prune=None)
    n = 1_000_000
    X = {"id": np.arange(n).astype("U7"), "x": np.arange(n) % 7.0}
    y = (np.arange(n) % 7 > 2).astype(int)
    with pytest.warns(tw.ColumnSetAsideWarning, match="'id' was set aside"):
        fitted = estimator().fit(X, y)
    assert fitted.tree_.columns_used == ("x",)
    brought_back = estimator(kinds={"id": "categorical"}, max_depth=1)
    brought_back.fit({"id": X["id"]}, y)
    assert brought_back.get_n_leaves() == 2
    assert brought_back.predict({"id": ["8", "9", "no such id"]}).tolist()[:2] == [0, 0]
    some = slice(None, None, 997)
    assert brought_back.score({"id": X["id"][some]}, y[some]) == 1.0


def test_titanic_with_every_column_left_in():
    X = pd.read_csv(real_table("titanic.csv"))
    y = X.pop("survived")
    with pytest.warns(tw.ColumnSetAsideWarning) as caught:
        fitted = tw.TreeClassifier(min_samples_leaf=5).fit(X, y)
    assert "'name' and 'ticket' were set aside" in str(caught[0].message)
    assert "kinds={'name': 'categorical'}" in str(caught[0].message)
    assert {"name", "ticket"}.isdisjoint(fitted.tree_.columns_used)
    assert fitted.score(X, y) > 0.8
    kinds = {"ticket": "categorical"}
    with pytest.warns(tw.ColumnSetAsideWarning, match="'name' was set aside"):
        kept = tw.TreeClassifier(kinds=kinds, prune=None).fit(X, y)
    assert "ticket" in kept.tree_.columns_used


# --- values --------------------------------------------------------------------------


def test_huge_integers_are_refused_with_a_remedy():
    X = {"id": [2**53 + 1, 2**53, 5, 6]}
    refused(
        X, Y4, "Column 'id'", str(2**53 + 1), "row 0", "kinds={'id': 'categorical'}"
    )
    fitted = tw.TreeClassifier(kinds={"id": "categorical"}).fit(X, Y4)
    assert fitted.predict(X).tolist() == Y4
    beyond = {"id": [2**70, 1, 2, 3]}
    refused(beyond, Y4, "Column 'id'", str(2**70))


def test_complex_numbers():
    refused(np.array(X4) + 1j, Y4, "Complex data not supported")
    refused({"z": [1j, 2, 3, 4]}, Y4, "Complex data not supported", "'z'")


def test_nested_columns():
    refused({"tags": [["a"], ["b", "c"], [], ["a"]]}, Y4, "Column 'tags'")
    refused(pl.DataFrame({"tags": [[1], [2], [3], [4]]}), Y4, "Column 'tags'")
    refused(pa.table({"s": [{"a": 1}, {"a": 2}, {"a": 3}, {"a": 4}]}), Y4, "Column 's'")
    refused(np.zeros((4, 2, 2)), Y4, "dim 3", "rows by columns")
    refused(np.zeros(4), Y4, "Expected 2D array, got 1D array", "reshape(-1, 1)")


def test_sparse_tables():
    for make in (sparse.csr_matrix, sparse.csc_array, sparse.coo_array):
        refused(make(np.eye(4)), Y4, "sparse", "X.toarray()")
    refused(X4, sparse.csr_array(np.eye(4)), "sparse")
    fitted = tw.TreeClassifier().fit(np.eye(4), Y4)
    with pytest.raises(tw.TableError, match="sparse"):
        fitted.predict(sparse.csr_array(np.eye(4)))


def test_lazy_frames():
    lazy = pl.DataFrame({"a": [1, 2, 3, 4]}).lazy()
    refused(lazy, Y4, "lazy", ".collect()")
    fitted = tw.TreeClassifier().fit(lazy.collect(), Y4)
    np.testing.assert_array_equal(fitted.predict(lazy), fitted.predict(lazy.collect()))


def test_what_is_not_a_table():
    refused(None, Y4, "X is None, not a table", "NumPy array")
    refused("table.csv", Y4, "X is the path 'table.csv'", "Pass its name as target=")
    refused(object(), Y4, "type 'object'", "not a table")
    refused(pd.Series([1, 2, 3, 4]), Y4, "single series", "to_frame()")


# --- names ---------------------------------------------------------------------------


def test_duplicate_names():
    X = pd.DataFrame(np.zeros((4, 2)), columns=["a", "a"])
    refused(X, Y4, "Two columns are called 'a' (columns 0 and 1)", "Rename or drop one")
    X.columns = [1, "1"]
    refused(X, Y4, "Two columns are called '1'")
    fitted = tw.TreeClassifier().fit(pd.DataFrame({"a": [1, 2, 3, 4]}), Y4)
    with pytest.raises(tw.TableError, match="Two columns are called 'a'"):
        fitted.predict(pd.DataFrame(np.zeros((4, 2)), columns=["a", "a"]))


def test_names_that_are_not_text_are_taken_as_their_text():
    X = pd.DataFrame([[1.0, 5.0], [2.0, 5.0]], columns=[7, ("a", 1)])
    fitted = tw.TreeClassifier().fit(X, [0, 1])
    assert fitted.tree_.columns_used == ("7",)
    assert fitted.predict(X[[("a", 1), 7]]).tolist() == [0, 1]
    assert fitted.predict({"7": [2.0]}).tolist() == [1]


# --- parameters ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("option", "words"),
    [
        ({"max_depth": 0}, "max_depth must be a whole number >= 1, or None"),
        ({"max_depth": 2.5}, "max_depth must be a whole number >= 1"),
        ({"max_depth": True}, "max_depth must be a whole number >= 1"),
        ({"min_samples_split": 1}, "min_samples_split must be a whole number >= 2"),
        ({"min_samples_leaf": 0}, "min_samples_leaf must be a whole number >= 1"),
        ({"min_samples_leaf": 1.0}, "a share of the rows above 0 and below 1"),
        ({"min_weight_fraction_leaf": 0.6}, "must be a number from 0 to 0.5; got 0.6"),
        ({"min_impurity_decrease": -1.0}, "must be a finite number >= 0; got -1.0"),
        ({"min_gain": np.nan}, "min_gain must be a finite number >= 0; got nan"),
        ({"max_leaf_nodes": 1}, "max_leaf_nodes must be a whole number >= 2"),
        ({"max_nodes": 0}, "max_nodes must be a whole number >= 1"),
        (
            {"max_features": "auto"},
            "'sqrt', 'log2', or None for all columns; got 'auto'",
        ),
        ({"max_features": 0}, "max_features must be a whole number >= 1"),
        ({"random_state": "x"}, "random_state must be a whole number"),
        ({"n_jobs": 0}, "n_jobs must be a whole number >= 1, -1 for all cores"),
        ({"missing": "ignore"}, "or None to go by the method; got 'ignore'"),
        ({"unseen": None}, "unseen must be 'missing' or 'error'; got None"),
        ({"criterion": "ginni"}, "criterion must be"),
        (
            {"prune": "cw"},
            "for the unpruned tree; got 'cw'. Did you mean 'cv'?",
        ),
        ({"kinds": "categorical"}, "kinds must be a dict"),
        ({"kinds": {0: "nominal"}}, "'numeric', 'categorical'"),
        ({"kinds": {"colour": "categorical"}}, "'colour'"),
        ({"kinds": {5: "categorical"}}, "5"),
    ],
)
@BOTH
def test_wrong_parameter_values(estimator, option, words):
    error = refused(X4, Y4, words, estimator=estimator, **option)
    assert isinstance(error, ValueError)


def test_the_regressor_has_no_c45():
    words = (
        "method='c45' grows trees for classes, and the target holds numbers. Use "
        "method='cart' or 'id3'."
    )
    refused(X4, [0.5, 1, 2, 3], words, estimator=tw.TreeRegressor, method="c45")


def test_criterion_of_the_other_task():
    refused(X4, Y4, "'gini'", "holds classes; got 'poisson'", criterion="poisson")
    regressor = {"estimator": tw.TreeRegressor}
    refused(X4, Y4, "holds numbers; got 'gini'", criterion="gini", **regressor)


def test_unknown_parameter_names():
    with pytest.raises(TypeError, match="max_dept"):
        tw.TreeClassifier(max_dept=3)
    with pytest.raises(ValueError, match="Invalid parameter 'max_dept'"):
        tw.TreeClassifier().set_params(max_dept=3)


# --- new data of another kind --------------------------------------------------------


def test_column_of_another_kind_at_prediction():
    fitted = tw.TreeClassifier().fit({"age": [1.0, 2.0], "c": ["a", "b"]}, [0, 1])
    with pytest.raises(tw.ColumnError, match=r"'age' held numbers .* now holds 'old'"):
        fitted.predict({"age": ["old"], "c": ["a"]})
    by_word = tw.TreeClassifier().fit({"c": ["a", "b"]}, [0, 1])
    with pytest.raises(tw.ColumnError, match=r"'c' held categories .* now holds 3"):
        by_word.predict({"c": [3]})


@pytest.mark.parametrize(
    ("estimator", "criterion", "words"),
    [
        (
            tw.TreeRegressor,
            "mse",
            r"be 'squared_error', 'poisson' .* when.*'squared_error'\?",
        ),
        (tw.TreeRegressor, "friedman_mse", r"Did you mean 'squared_error'\?"),
        (tw.TreeRegressor, "mae", r"Did you mean 'absolute_error'\?"),
        (
            tw.TreeRegressor,
            "gini",
            "or 'absolute_error' when the target .*; got 'gini'.$",
        ),
        (tw.TreeClassifier, "information_gain", r"Did you mean 'entropy'\?"),
        (tw.TreeClassifier, "mse", "'gain_ratio' when.*'mse'.$"),
        (tw.TreeClassifier, 3, "holds classes; got 3.$"),
    ],
)
def test_a_wrong_criterion_lists_those_that_suit(estimator, criterion, words):
    with pytest.raises(tw.OptionError, match=words) as caught:
        estimator(criterion=criterion).fit(X4, Y4)
    assert "None" not in str(caught.value)


@BOTH
def test_before_fit_everything_says_call_fit(estimator):
    assert not hasattr(estimator(), "tree_")
    for name in ("tree_", "n_features_in_", "feature_importances_"):
        with pytest.raises(NotFittedError, match=f"no '{name}'. Call fit first"):
            getattr(estimator(), name)
    with pytest.raises(AttributeError, match="has no attribute 'nonsense'"):
        estimator().nonsense  # noqa: B018
    with pytest.raises(AttributeError, match="has no attribute 'nonsense_'"):
        estimator().fit(X4, Y4).nonsense_  # noqa: B018
    with pytest.raises(tw.TableError, match="requires y to be passed"):
        estimator().fit(X4)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"max_depth": 2}, r"got dict. Pass tw.GrowOptions\(max_depth=2\)"),
        ({"a b": 2}, r"Pass tw.GrowOptions\(max_depth=2\)"),
        (3, "options must be a GrowOptions or None; got int"),
    ],
)
def test_invalid_options_are_refused(options, words):
    with pytest.raises(tw.OptionError, match=words):
        tw.grow(tw.as_table(X4, Y4), options)


@BOTH
def test_a_memory_limit_that_is_no_size_is_refused_though_nothing_is_read(estimator):
    refused(X4, Y4, "memory_limit", "'8 apples'", memory_limit="8 apples")


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_a_frame_of_one_column_names_the_target(frame):
    with pytest.warns(UserWarning, match="column-vector"):
        fitted = tw.TreeClassifier().fit(X4, frame({"survived": Y4}))
    assert fitted.tree_.schema.target.name == "survived"


def test_whole_numbers_of_a_file_are_classes_without_decimals(tmp_path):
    file = tmp_path / "ages.csv"
    file.write_text("x,age\n" + "".join(f"{i % 7},{20 + i % 40}\n" for i in range(120)))
    table = tw.read(file, target="age")
    assert tw.TreeClassifier(findings="ignore").fit(table).classes_[0].dtype.kind == "i"
