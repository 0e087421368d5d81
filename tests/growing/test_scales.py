"""The same tree at any scale: a target times a power of two changes no split."""

import numpy as np
import pytest

import treewright as tw
from treewright.growing.grow import grow
from treewright.growing.reference import grow_reference
from treewright.options import GrowOptions
from treewright.pruning.path import find_path
from treewright.table.as_table import as_table
from treewright.tree.check import check

EXPONENTS = (-1060, -1000, -600, -449, -129, -100, 1, 100, 129, 256, 511, 600, 1015)
CRITERIA = ("squared_error", "absolute_error", "poisson")


def rows(criterion, n=120):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(n, 3)).round(1)
    X[rng.random((n, 3)) < 0.05] = np.nan
    y = np.nan_to_num(X[:, 0]) * 2 + np.nan_to_num(X[:, 1]) + rng.normal(size=n)
    # Few digits, so that the smallest scale loses none.
    y = np.rint(y * 4)
    return X, np.maximum(y, 0) if criterion == "poisson" else y


def fit(X, y, **more):
    return tw.TreeRegressor(random_state=0, **more).fit(X, y)


@pytest.mark.parametrize("exponent", EXPONENTS)
@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("prune", ["cv", None])
def test_a_power_of_two_scales_the_answers_and_nothing_else(criterion, prune, exponent):
    X, y = rows(criterion)
    plain = fit(X, y, criterion=criterion, prune=prune)
    scaled = fit(X, np.ldexp(y, exponent), criterion=criterion, prune=prune)
    ours, theirs = scaled.tree_.data, plain.tree_.data
    check(ours)
    for name in ("subtree_size", "feature", "threshold", "missing_route", "n_rows"):
        np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name))
    assert np.array_equal(scaled.predict(X), np.ldexp(plain.predict(X), exponent))
    # Figures of other units are rounded elsewhere, but by no more.
    np.testing.assert_allclose(
        scaled.feature_importances_, plain.feature_importances_, rtol=1e-12
    )
    for risk in ("error", "impurity"):
        paths = [find_path(tree, risk) for tree in (ours, theirs)]
        np.testing.assert_array_equal(*[path.n_leaves for path in paths])
        shares = [path.risk / path.risk[-1] for path in paths]
        np.testing.assert_allclose(*shares, rtol=1e-12)


@pytest.mark.parametrize("missing", ["surrogate", "fractional", "learned"])
@pytest.mark.parametrize("exponent", [-500, 500])
@pytest.mark.parametrize("criterion", CRITERIA)
def test_the_reference_agrees_at_any_scale(criterion, exponent, missing):
    X, y = rows(criterion, 30)
    table = as_table(X, np.ldexp(y, exponent), task="number")
    least = np.ldexp(0.05, exponent * (2 if criterion == "squared_error" else 1))
    options = GrowOptions(criterion=criterion, missing=missing, max_depth=3)
    for more in ({}, {"min_gain": float(least)}):
        options = GrowOptions(**{**options.__dict__, **more})
        ours, slow = grow(table, options), grow_reference(table, options)
        assert ours.n_nodes > 1 or more
        np.testing.assert_array_equal(ours.threshold, slow.threshold)
        np.testing.assert_allclose(ours.value, slow.value, rtol=1e-12)
        np.testing.assert_allclose(ours.gain, slow.gain, rtol=1e-9)
        np.testing.assert_allclose(ours.quartiles, slow.quartiles, rtol=1e-12)


@pytest.mark.parametrize("exponent", [-600, 600])
@pytest.mark.parametrize("criterion", CRITERIA)
def test_validation_evaluation_and_refit_follow_the_scale(criterion, exponent):
    X, y = rows(criterion)
    new, new_y = rows(criterion, 90)
    found = []
    for k in (0, exponent):
        by, test = np.ldexp(y, k), np.ldexp(new_y, k)
        model = fit(X, by, criterion=criterion, prune="validation")
        seen = tw.evaluate(model, new, test)
        again = model.tree_.refit(new, test)
        spread = np.ldexp(again.data.standard_deviation, -k)
        size = (model.tree_.data.n_nodes, seen.r2, np.ldexp(seen.rmse, -k))
        found.append((*size, np.ldexp(seen.mae, -k), spread.sum()))
        assert "inf" not in str(model.tree_)
    np.testing.assert_allclose(*found, rtol=1e-12)


def test_the_unit_travels_with_the_tree():
    X, y = rows("squared_error")
    assert fit(X, y).tree_.data.schema.target.exponent == 0
    info = fit(X, np.ldexp(y, 700)).tree_.data.schema.target
    assert info.exponent == 700 + np.frexp(np.abs(y).max())[1]
    schema = fit(X, np.ldexp(y, 700)).tree_.data.schema
    assert type(schema).from_dict(schema.to_dict()) == schema
    assert "exponent" not in fit(X, y).tree_.data.schema.to_dict()["target"]
