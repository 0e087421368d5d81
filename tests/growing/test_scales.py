"""The same tree at any scale: a target times a power of two changes no split."""

import re

import numpy as np
import pytest

import treewright as tw
from treewright.growing.grow import grow
from treewright.growing.reference import grow_reference
from treewright.options import GrowOptions
from treewright.pruning.path import find_path
from treewright.table.as_table import as_table
from treewright.tree import wording
from treewright.tree.check import check
from treewright.tree.loss import loss_of

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
    # The means of the smallest numbers are rounded before answers are drawn from them.
    np.testing.assert_allclose(
        scaled.predict(X), np.ldexp(plain.predict(X), exponent), rtol=0, atol=1e-323
    )
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


@pytest.mark.parametrize("exponent", [-300, 300])
def test_prices_and_rules_are_given_in_terms_of_the_target(exponent):
    X, y = rows("squared_error")
    scaled, square = np.ldexp(y, exponent), 2.0 ** (2 * exponent)
    plain = fit(X, y, ccp_alpha=0.3)
    large = fit(X, scaled, ccp_alpha=0.3 * square)
    assert 1 < plain.tree_.n_leaves == large.tree_.n_leaves
    path = tw.TreeRegressor().cost_complexity_pruning_path(X, scaled)
    expected = tw.TreeRegressor().cost_complexity_pruning_path(X, y)
    np.testing.assert_allclose(path.ccp_alphas / square, expected.ccp_alphas)


@pytest.mark.parametrize("exponent", [-1060, -300, 300, 1000])
def test_why_finds_the_candidates_at_any_scale(exponent):
    X, y = rows("squared_error")
    plain = fit(X, y, prune=None, max_depth=2).tree_.why(0, X, y)
    scaled = np.ldexp(y, exponent)
    found = fit(X, scaled, prune=None, max_depth=2).tree_.why(0, X, scaled)
    assert [each.words for each in found.candidates] == [
        each.words for each in plain.candidates
    ]


def test_the_report_shows_errors_in_the_unit_of_the_target(tmp_path):
    X, y = rows("squared_error")
    scaled = np.ldexp(y, 300)
    tree = fit(X, scaled).tree_
    tw.report(tree, tmp_path / "page.html", X, scaled)
    page = (tmp_path / "page.html").read_text()
    rmse = tw.evaluate(tree, X, scaled).rmse
    assert f"{rmse:.4g}" in page


POWER = {"squared_error": 2, "absolute_error": 1, "poisson": 1}


def shown_figures(tree, X, y, power):
    """All figures about impurity and risk that people see, divided by the unit."""
    seen, path = tw.evaluate(tree, X, y), tw.pruning_path(tree)
    frame, nodes = tree.to_pandas(), seen.to_pandas()
    step = path.step(0)
    figures = [
        *(frame[name] for name in ("gain", "impurity", "risk", "weighted_risk")),
        *(nodes[name] for name in ("error", "new_error", "gap")),
        *(path.alpha, path.risk, step.node_risk, step.subtree_risk, step.link),
        [seen.error, *seen.interval, seen.root_error, seen.training_error],
        [tree.risk(), tree.risk("impurity"), tree.cost_complexity(power * 0.25)],
    ]
    return np.concatenate([np.asarray(each) / power for each in figures])


@pytest.mark.parametrize("exponent", [-300, 300])
@pytest.mark.parametrize("criterion", CRITERIA)
def test_figures_are_in_the_unit_of_the_target(criterion, exponent):
    X, y = rows(criterion)
    scaled, power = np.ldexp(y, exponent), 2.0 ** (POWER[criterion] * exponent)
    plain = fit(X, y, criterion=criterion, prune=None, max_depth=3).tree_
    large = fit(X, scaled, criterion=criterion, prune=None, max_depth=3).tree_
    assert large.schema.target.exponent
    np.testing.assert_allclose(
        shown_figures(large, X, scaled, power),
        shown_figures(plain, X, y, 1.0),
        rtol=1e-9,
        atol=1e-12,
    )
    deviation = np.sqrt(large.to_pandas()["variance"]) / 2.0**exponent
    np.testing.assert_allclose(deviation, np.sqrt(plain.to_pandas()["variance"]))
    alphas = tw.pruning_path(plain).alpha
    sizes = [tw.pruning_path(plain).tree(alpha=a).n_leaves for a in alphas]
    path = tw.pruning_path(large)
    assert [path.tree(alpha=a * power).n_leaves for a in alphas] == sizes
    gains = re.findall(r"gain ([^\n<]+)", large.to_svg())
    assert gains
    tops = large.data.gain[large.data.subtree_size > 1]
    assert wording.figures(float(loss_of(large.data).shown(tops[0]))) in gains


def test_squares_beyond_the_floats_stay_in_a_named_unit():
    X, y = rows("squared_error")
    scaled = np.ldexp(y, 600)
    tree = fit(X, scaled).tree_
    found = tree.evaluate(X, scaled)
    assert f"rows: RMSE {wording.figures(found.rmse)}, " in str(found)
    assert np.isfinite(tree.to_pandas()["impurity"]).all()
    assert tw.pruning_path(tree).risk[-1] == tree.to_pandas()["risk"][0]
