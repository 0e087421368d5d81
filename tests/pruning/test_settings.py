"""Settings of pruning: out of range or contradictory, each is one clear error."""

import numpy as np
import pytest

import treewright as tw

X = np.random.default_rng(0).normal(size=(60, 2))
Y = (X[:, 0] > 0).astype(int)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"ccp_alpha": -1}, "ccp_alpha must be a number >= 0.*got -1"),
        ({"ccp_alpha": float("nan")}, "ccp_alpha must be a number >= 0.*got nan"),
        ({"cv": 1}, "cv must be a number of folds >= 2.*got 1"),
        ({"cv": "ten"}, "cv must be a number of folds >= 2.*got 'ten'"),
        ({"cv": 61}, "cv must be at most the number of rows, 60; got 61"),
        ({"cv": []}, "cv is an empty list"),
        ({"cv": [([0, 1], [])]}, "cv must list pairs"),
        ({"cv": [3, 4]}, "cv must list pairs"),
        ({"cv": [([0, 1], [60])]}, "cv names row 60, but the table has rows 0 to 59"),
        (
            {"prune_rule": "2se"},
            "prune_rule must be 'price', '1se' or 'min'; got '2se'",
        ),
        (
            {"prune_risk": "gini"},
            "prune_risk must be 'auto', 'mixed', 'error' or 'impurity'",
        ),
        ({"prune_ties": None}, "prune_ties must be 'prune' or 'keep'; got None"),
        (
            {"prune": "pessimistic", "prune_confidence": 0.9},
            "prune_confidence must be a number above 0 and at most 0.5; got 0.9",
        ),
        (
            {"prune": "validation", "validation_fraction": 1.0},
            "validation_fraction must be a share of the rows above 0 and below 1",
        ),
        ({"prune": "vc"}, "prune must be 'auto', 'cv', .*Did you mean 'cv'"),
        ({"prune": True}, "prune must be"),
        ({"prune": "cv", "ccp_alpha": 0.1}, "ccp_alpha=0.1 is a fixed cut.*prune='cv'"),
        ({"prune": None, "ccp_alpha": 0.1}, "contradicts prune=None"),
        ({"prune": None, "cv": 5}, "cv belongs to prune='cv', but prune=None is set"),
        ({"ccp_alpha": 0.1, "cv": 5}, "cv belongs to prune='cv', but"),
        ({"validation_fraction": 0.3}, "validation_fraction belongs to"),
        ({"prune_ties": "keep"}, "prune_ties belongs to prune='validation'"),
        ({"prune_confidence": 0.1}, "prune_confidence belongs to prune='pessimistic'"),
        ({"prune": "validation", "prune_rule": "min"}, "prune_rule belongs to"),
        ({"prune": None, "prune_risk": "impurity"}, "prune_risk belongs to"),
    ],
)
def test_settings_that_are_refused(settings, words):
    estimator = tw.TreeClassifier(**settings)
    with pytest.raises(tw.OptionError, match=words):
        estimator.fit(X, Y)
    assert not hasattr(estimator, "tree_")


@pytest.mark.parametrize(
    ("settings", "arguments", "words"),
    [
        ({"prune": None}, {"groups": Y}, "groups divide the rows into folds"),
        ({"cv": [([0], [1])]}, {"groups": Y}, "cv already lists the folds"),
        ({}, {"groups": [1, 2]}, "groups must name one group per row, 60 in all"),
        ({}, {"X_val": X, "y_val": Y}, "X_val belongs to prune='validation'"),
        ({"prune": "validation"}, {"X_val": X}, "X_val needs y_val too"),
        ({"prune": "validation"}, {"y_val": Y}, "y_val needs X_val too"),
        (
            {"prune": "validation", "validation_fraction": 0.5},
            {"X_val": X, "y_val": Y},
            "either validation_fraction or X_val",
        ),
        (
            {"prune": "validation"},
            {"X_val": X[:0], "y_val": Y[:0]},
            "X_val has no rows",
        ),
        (
            {"prune": "validation"},
            {"X_val": X[:, :1], "y_val": Y},
            "1 feature",
        ),
        (
            {"prune": "validation"},
            {"X_val": X, "y_val": Y * 0},
            "no row of class 1",
        ),
        (
            {"prune": "validation"},
            {"X_val": X, "y_val": Y + 1},
            "y_val has the class 2, which was not there",
        ),
        (
            {"prune": "validation"},
            {"X_val": X, "y_val": Y[:5]},
            "X has 60 rows and y has 5",
        ),
    ],
)
def test_arguments_of_fit_that_are_refused(settings, arguments, words):
    with pytest.raises(tw.TreewrightError, match=words):
        tw.TreeClassifier(**settings).fit(X, Y, **arguments)


def test_validation_rows_that_lack_a_column_are_refused():
    training = {"a": X[:, 0], "b": X[:, 1]}
    with pytest.raises(tw.TableError, match="'b'"):
        tw.TreeClassifier(prune="validation").fit(
            training, Y, X_val={"a": X[:, 0]}, y_val=Y
        )


def test_a_class_with_one_row_cannot_be_held_out():
    y = Y.copy()
    y[0] = 7
    with pytest.raises(tw.TableError, match="Class 7 has one row"):
        tw.TreeClassifier(prune="validation").fit(X, y)


def test_numbers_have_no_pessimistic_pruning():
    with pytest.raises(tw.OptionError, match="needs a target of classes"):
        tw.TreeRegressor(prune="pessimistic").fit(X, Y)


def test_the_default_goes_by_the_method():
    assert tw.TreeClassifier().fit(X, Y).pruning_.method == "cv"
    assert tw.TreeClassifier(method="c45").fit(X, Y).pruning_.method == "pessimistic"
    id3 = tw.TreeClassifier(method="id3", discretize=4)
    record = id3.fit(X, Y).pruning_
    assert record.method is None
    assert "not pruned (prune='auto' with method='id3')" in record.words
    assert tw.TreeClassifier(ccp_alpha=0.1).fit(X, Y).pruning_.method == "ccp_alpha"
