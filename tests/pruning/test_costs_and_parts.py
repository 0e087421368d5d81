"""Pruning counts costs and priors, and hears all the parts of a divided row."""

import numpy as np
import pytest

import treewright as tw
from support.classic import CLASSIC_CLASSES
from treewright.pruning.path import find_path
from treewright.pruning.risks import node_risks, stops
from treewright.pruning.score import loss_at_steps, unaltered
from treewright.pruning.validation import prune_by_validation
from treewright.table.costs import cost_factors, with_costs
from treewright.table.match_target import match_target
from treewright.tree.new_rows import NewRows
from treewright.tree.walk import children

COSTS = [[0, 1, 2], [5, 0, 1], [1, 3, 0]]
PRIORS = [0.5, 0.2, 0.3]


def rows_of(seed, n=300, missing=0.0, classes=3):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4)).round(1)
    y = np.digitize(X[:, 0] + X[:, 1] + rng.normal(size=n), [-0.8, 0.8])
    if missing:
        X[rng.random(X.shape) < missing] = np.nan
    return X, np.minimum(y, classes - 1)


def mean_cost(y, said, costs=COSTS, weights=None):
    return float(np.average(np.array(costs)[y, said], weights=weights))


def pairs_of(n, k=5):
    fold = np.arange(n) % k
    return [(np.flatnonzero(fold != f), np.flatnonzero(fold == f)) for f in range(k)]


# costs and priors --------------------------------------------------------------------


@pytest.mark.parametrize("missing", ["learned", "surrogate", "fractional"])
@pytest.mark.parametrize("priors", [None, PRIORS])
def test_cross_validation_is_the_cost_of_refitted_trees(missing, priors):
    X, y = rows_of(1, missing=0.2)
    pairs = pairs_of(len(y))
    options = {"missing": missing, "costs": COSTS, "min_samples_leaf": 5}
    classic = CLASSIC_CLASSES | options
    if priors is not None:
        classic["priors"] = priors
    pruning = tw.TreeClassifier(cv=pairs, **classic).fit(X, y).pruning_
    shares = np.bincount(y) / len(y)
    scale = np.ones(3) if priors is None else np.array(priors) / shares
    alphas = np.append(np.sqrt(pruning.alpha[:-1] * pruning.alpha[1:]), 1e9)
    loss = np.zeros((len(alphas), len(y)))
    for train, test in pairs:
        # The priors of all rows alter the weights of a fold.
        own = scale[y[train]]
        grown = tw.TreeClassifier(prune=None, **options).fit(X[train], y[train], own)
        path = tw.pruning_path(grown)
        for i, alpha in enumerate(alphas):
            said = path.tree(alpha=alpha).predict(X[test])
            loss[i, test] = scale[y[test]] * np.array(COSTS)[y[test], said]
    np.testing.assert_allclose(pruning.cv_error, loss.sum(axis=1) / len(y))
    std = np.sqrt((loss**2).sum(axis=1) - loss.sum(axis=1) ** 2 / len(y)) / len(y)
    np.testing.assert_allclose(pruning.cv_std, std)


def test_only_the_ratios_of_costs_choose_the_size():
    X, y = rows_of(2)
    for options in ({}, {"prune": "validation"}, {"prune": "pessimistic"}):
        one = tw.TreeClassifier(costs=COSTS, **options).fit(X, y)
        ten = tw.TreeClassifier(costs=10 * np.array(COSTS), **options).fit(X, y)
        assert one.tree_.n_leaves == ten.tree_.n_leaves
        np.testing.assert_array_equal(one.predict(X), ten.predict(X))


def test_equal_costs_prune_as_none():
    X, y = rows_of(3)
    for options in (
        {"prune": "cv"},
        {"prune": "validation"},
        {"prune": "pessimistic"},
        {"prune": "pessimistic", "method": "c45"},
    ):
        plain = tw.TreeClassifier(**options).fit(X, y)
        equal = tw.TreeClassifier(costs=2 * (1 - np.eye(3)), **options).fit(X, y)
        assert plain.tree_.n_leaves == equal.tree_.n_leaves
        np.testing.assert_array_equal(plain.predict(X), equal.predict(X))


@pytest.mark.parametrize("missing", ["learned", "fractional"])
def test_validation_counts_costs(missing):
    X, y = rows_of(4, missing=0.1)
    X_val, y_val = rows_of(5, missing=0.1)
    options = {"missing": missing, "costs": COSTS, "criterion": "gini"}
    options["shrinkage"] = None
    whole = tw.TreeClassifier(prune=None, **options).fit(X, y)
    cut = tw.TreeClassifier(prune="validation", **options)
    cut.fit(X, y, X_val=X_val, y_val=y_val)
    before = mean_cost(y_val, whole.predict(X_val))
    after = mean_cost(y_val, cut.predict(X_val))
    assert after <= before
    assert f"{before:.4g} before, {after:.4g} after" in cut.pruning_.words
    path = tw.pruning_path(whole)
    for alpha, error in zip(path.alpha, cut.pruning_.validation_error, strict=True):
        said = path.tree(alpha=alpha).predict(X_val)
        assert error == pytest.approx(mean_cost(y_val, said))


def test_priors_weigh_the_validation_rows():
    X, y = rows_of(6)
    X_val, y_val = rows_of(7)
    cut = tw.TreeClassifier(
        prune="validation", priors=PRIORS, costs=COSTS, shrinkage=None
    )
    cut.fit(X, y, X_val=X_val, y_val=y_val)
    scale = np.array(PRIORS) / (np.bincount(y_val) / len(y_val))
    after = mean_cost(y_val, cut.predict(X_val), weights=scale[y_val])
    assert f"{after:.4g} after" in cut.pruning_.words


def test_unaltered_weights_are_those_given():
    X, y = rows_of(8)
    w = np.random.default_rng(8).integers(1, 4, len(y)).astype(float)
    read = tw.as_table(X, y, w)
    table = with_costs(read, COSTS, PRIORS)
    factors = np.array([(table.weights / w)[y == k][0] for k in range(3)])
    own, scale = unaltered(table, factors)
    np.testing.assert_allclose(own, w)
    totals = np.bincount(y, w)
    np.testing.assert_allclose(scale, np.array(PRIORS) * totals.sum() / totals)
    adjusted, none = unaltered(table)
    assert none is None
    np.testing.assert_allclose(adjusted, w * scale[y])


def test_the_pessimistic_bound_of_a_dear_class_is_dearer():
    # The same rows: 1 is wrong in 20. Its error costs 1, or 10 against 1.
    X = np.repeat([[0.0], [1.0]], 20, axis=0)
    y = np.r_[np.zeros(19, int), 1, np.ones(20, int)]
    cheap = tw.TreeClassifier(prune="pessimistic", costs=[[0, 1], [1, 0]]).fit(X, y)
    dear = tw.TreeClassifier(prune="pessimistic", costs=[[0, 1], [40, 0]]).fit(X, y)
    assert cheap.tree_.n_leaves == 2
    assert dear.tree_.n_leaves == 1
    assert set(dear.predict(X)) == {1}


STOPPING = {
    "missing": "surrogate",
    "surrogate_fallback": "stop",
    "max_surrogates": 0,
    "prune": None,
}
"""Rows with a missing value stop, and keep the answer of the node."""


@pytest.mark.parametrize("stop", [False, True])
def test_impurity_is_a_share_of_the_weight_of_growing(stop):
    X, y = rows_of(9, missing=0.2 * stop)
    options = STOPPING if stop else {"prune": None}
    tree = tw.TreeClassifier(costs=COSTS, **options).fit(X, y).tree_
    altered = cost_factors(COSTS)[y]
    plain = tw.TreeClassifier(**options).fit(X, y, altered).tree_
    assert stops(tree.data).any() == stop
    one, other = (tw.pruning_path(each, "impurity") for each in (tree, plain))
    np.testing.assert_allclose(one.alpha, other.alpha, atol=1e-12)
    np.testing.assert_allclose(one.risk, other.risk, atol=1e-12)


@pytest.mark.parametrize("missing", ["learned", "fractional"])
def test_evaluate_counts_costs_and_priors(missing):
    X, y = rows_of(10, missing=0.2)
    new_X, new_y = rows_of(11, missing=0.2)
    fitted = tw.TreeClassifier(missing=missing, costs=COSTS, priors=PRIORS).fit(X, y)
    found = tw.evaluate(fitted, new_X, new_y)
    scale = np.array(PRIORS) / (np.bincount(new_y) / len(new_y))
    said = fitted.predict(new_X)
    weights = scale[new_y]
    assert found.error == pytest.approx(mean_cost(new_y, said, weights=weights))
    assert found.accuracy == pytest.approx(np.average(said == new_y, weights=weights))
    assert found.interval[0] < found.error < found.interval[1]
    assert found.confusion.sum(axis=1) == pytest.approx(len(y) * np.array(PRIORS))
    assert "cost of the answers" in str(found)
    own = tw.evaluate(fitted, X, y)
    assert own.training_error == pytest.approx(found.training_error)
    if missing == "learned":
        assert own.error == pytest.approx(own.training_error)
        frame = own.to_pandas()
        np.testing.assert_allclose(frame["new_error"], frame["error"], atol=1e-12)


def test_refit_on_the_same_rows_is_the_same_tree():
    X, y = rows_of(12, missing=0.2)
    w = np.random.default_rng(12).integers(1, 4, len(y))
    for missing in ("learned", "fractional"):
        options = {"missing": missing, "costs": COSTS, "priors": PRIORS}
        fitted = tw.TreeClassifier(min_samples_leaf=8, **options).fit(X, y, w)
        tree, again = fitted.tree_.data, fitted.tree_.refit(X, y, w).data
        for name in ("n_rows", "label"):
            np.testing.assert_array_equal(getattr(again, name), getattr(tree, name))
        for name in ("value", "weight", "risk", "impurity"):
            np.testing.assert_allclose(
                getattr(again, name), getattr(tree, name), atol=1e-9, err_msg=name
            )


# rows that stop ----------------------------------------------------------------------


def test_the_mixed_risk_counts_the_rows_that_stop_by_their_own_shares():
    X, y = rows_of(15, missing=0.2)
    tree = tw.TreeClassifier(max_depth=3, shrinkage=None, **STOPPING).fit(X, y).tree_
    assert stops(tree.data)[np.unique(tree.apply(X))].any()
    wrong = np.mean(tree.predict(X) != y)
    nats = -np.log(tree.predict_proba(X)[np.arange(len(y)), y])
    path = tw.pruning_path(tree, "mixed")
    assert path.n_leaves[0] == tree.n_leaves
    assert path.risk[0] == pytest.approx(wrong + 0.2 * nats.mean())


def test_rows_that_stop_above_a_median_cost_as_the_mean_row_of_their_node():
    # The medians and losses of the nodes do not determine what these rows cost.
    X, y = rows_of(17, missing=0.2)
    fitted = tw.TreeRegressor(criterion="absolute_error", max_depth=2, **STOPPING)
    tree = fitted.fit(X, y * 1.5).tree_.data
    risks, nodes = node_risks(tree), np.flatnonzero(stops(tree))
    below = [tree.weight[list(children(tree, node))].sum() for node in nodes.tolist()]
    ended = tree.weight[nodes] - below
    assert ended.any()
    expected = ended * tree.risk[nodes] / tree.weight[0]
    np.testing.assert_allclose(risks.stopped[nodes] / risks.total, expected)


@pytest.mark.parametrize("shrinkage", [5.0, 200.0])
@pytest.mark.parametrize(
    ("estimator", "options"),
    [
        (tw.TreeClassifier, {}),
        (tw.TreeClassifier, {"costs": COSTS}),
        (tw.TreeRegressor, {}),
        (tw.TreeRegressor, {"criterion": "poisson"}),
    ],
    ids=["errors", "costs", "squares", "deviance"],
)
def test_the_training_loss_is_that_of_drawn_answers(estimator, options, shrinkage):
    X, y = rows_of(16, missing=0.2)
    fitted = estimator(max_depth=4, shrinkage=shrinkage, **options, **STOPPING)
    tree = fitted.fit(X, y).tree_
    assert len(tree.data.answer)
    own = tw.evaluate(tree, X, y)
    assert own.training_error == pytest.approx(own.error, rel=1e-12)


# divided rows ------------------------------------------------------------------------


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error", "poisson"])
def test_numbers_of_divided_rows_are_scored_as_predicted(criterion):
    X, _ = rows_of(13, missing=0.3)
    y = np.round(np.exp(np.nan_to_num(X[:, 0])))
    fitted = tw.TreeRegressor(
        prune=None, missing="fractional", criterion=criterion, min_samples_leaf=5
    ).fit(X, y)
    new_X, _ = rows_of(14, missing=0.3)
    new_y = np.round(np.exp(np.nan_to_num(new_X[:, 0])))
    path = tw.pruning_path(fitted)
    data = fitted.tree_.data
    target = match_target(data.schema, new_y, len(new_y))
    rows = NewRows(list(new_X.T), target)
    sums = loss_at_steps(data, path.collapse_alpha, path.alpha, rows)
    for alpha, total in zip(path.alpha, sums, strict=True):
        said = path.tree(alpha=alpha).predict(new_X)
        if criterion == "poisson":
            loss = new_y * np.log(np.where(new_y > 0, new_y, 1) / said) - new_y + said
        else:
            loss = np.abs(new_y - said) ** (1 if criterion == "absolute_error" else 2)
        assert total == pytest.approx(loss.sum())


@pytest.mark.parametrize("keep_ties", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_validation_of_divided_rows_goes_by_what_is_predicted(seed, keep_ties):
    X, y = rows_of(seed, n=120, missing=0.3)
    new_X, new_y = rows_of(seed + 50, n=80, missing=0.3)
    tree = tw.TreeClassifier(prune=None, missing="fractional").fit(X, y).tree_
    target = match_target(tree.schema, new_y, len(new_y))
    rows = NewRows(list(new_X.T), target)
    pruned, _ = prune_by_validation(tree.data, rows, keep_ties=keep_ties)
    # By hand: from the last node to the first, cut where the errors allow it.
    cut = tree
    for node in range(tree.n_nodes - 1, -1, -1):
        if node >= cut.n_nodes or cut.subtree_size[node] == 1:
            continue
        trial = cut.collapse(node)
        errors = [(each.predict(new_X) != new_y).sum() for each in (trial, cut)]
        if errors[0] < errors[1] + (not keep_ties):
            cut = trial
    assert pruned.n_nodes == cut.n_nodes
    np.testing.assert_array_equal(pruned.feature, cut.feature)


def test_evaluate_counts_divided_rows_by_node():
    X, y = rows_of(20, missing=0.3)
    fitted = tw.TreeClassifier(missing="fractional", prune=None, max_depth=3).fit(X, y)
    found = tw.evaluate(fitted, X, y)
    assert found.error == pytest.approx((fitted.predict(X) != y).mean())
    assert found.most_questions == 3
    frame = found.to_pandas()
    np.testing.assert_array_equal(frame["new_rows"], frame["n_rows"])
    np.testing.assert_allclose(frame["new_error"], frame["error"], atol=1e-12)


def test_the_path_and_the_size_chosen_do_not_depend_on_the_order_of_the_rows():
    X, y = rows_of(21, missing=0.2)
    order = np.random.default_rng(0).permutation(len(y))
    one = tw.TreeClassifier(missing="fractional", costs=COSTS).fit(X, y)
    other = tw.TreeClassifier(missing="fractional", costs=COSTS, n_jobs=1)
    other.fit(X[order], y[order])
    assert find_path(one.tree_.data).n_leaves[0] == other.tree_.n_leaves
    assert one.tree_ == other.tree_
