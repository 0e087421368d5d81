"""Cutting by hand, refitting, evaluating."""

import math

import numpy as np
import pytest
from sklearn.metrics import (
    confusion_matrix,
    mean_absolute_error,
    mean_poisson_deviance,
    precision_recall_fscore_support,
    r2_score,
)

import treewright as tw
from support.build import chain, random_tree
from support.strategies import random_table
from treewright.growing.grow import grow
from treewright.pruning.by_hand import simplify
from treewright.pruning.refit import refit_tree
from treewright.tree.check import check
from treewright.tree.data import STOP_CODES
from treewright.tree.route import route


@pytest.fixture
def iris():
    from sklearn.datasets import load_iris

    return load_iris(return_X_y=True)


@pytest.fixture
def tree(iris):
    return tw.grow(tw.as_table(*iris))


# collapse ----------------------------------------------------------------------------


def test_collapse_a_node(tree):
    node = int(np.flatnonzero(tree.subtree_size > 1)[1])
    cut = tree.collapse(node)
    assert cut.n_leaves < tree.n_leaves
    assert cut.stop_reason[node] == STOP_CODES["collapsed"]
    assert tree.collapse([node, 0]).n_leaves == 1
    check(cut.data)


def test_collapse_where_a_condition_holds(tree):
    cut = tree.collapse(where=lambda node: node.n_rows < 50)
    inner = cut.subtree_size > 1
    assert (cut.n_rows[inner] >= 50).all()
    by_mask = tree.collapse(where=tree.n_rows < 50)
    assert cut == by_mask
    assert tree.collapse(where=lambda node: False) == tree
    assert tree.collapse(where=lambda node: node.feature == "x2").n_leaves < 9


def test_collapse_refuses(tree):
    leaf = int(tree.leaves[0])
    with pytest.raises(tw.OptionError, match=f"Node {leaf} is already a leaf"):
        tree.collapse(leaf)
    with pytest.raises(tw.OptionError, match="in this tree from 0 to 16; got 99"):
        tree.collapse(99)
    with pytest.raises(tw.OptionError, match="in this tree from 0 to 16; got 99"):
        tree.collapse(np.array([0, 99]))
    with pytest.raises(tw.OptionError, match="either node or where"):
        tree.collapse()
    with pytest.raises(tw.OptionError, match="one truth value for each of the 17"):
        tree.collapse(where=[True])
    with pytest.raises(tw.OptionError, match="uses 'rows', which a node does not have"):
        tree.collapse(where=lambda node: node.rows < 100)


def test_an_error_inside_the_condition_is_not_called_a_missing_fact(tree):
    with pytest.raises(AttributeError, match="'int' object has no attribute 'size'"):
        tree.collapse(where=lambda node: node.n_rows.size > 3)


# simplify ----------------------------------------------------------------------------


@pytest.mark.parametrize("numbers", [False, True])
@pytest.mark.parametrize("seed", range(20))
def test_simplify_changes_no_answer_and_leaves_nothing_to_merge(seed, numbers):
    whole = random_tree(seed, n_inner=25, numbers=numbers)
    rng = np.random.default_rng(seed)
    columns = [
        rng.normal(size=300),
        rng.integers(-1, 6, 300).astype(np.int32),
        rng.integers(-1, 3, 300).astype(np.int32),
        rng.normal(size=300),
    ]
    for keep in ("class", "proba"):
        small = simplify(whole, keep)
        check(small)
        before, after = route(whole, columns, 300), route(small, columns, 300)
        if numbers or keep == "class":
            np.testing.assert_array_equal(whole.label[before], small.label[after])
        if numbers or keep == "proba":
            a, b = whole.value[before], small.value[after]
            np.testing.assert_allclose(
                a / a.sum(axis=1, keepdims=True), b / b.sum(axis=1, keepdims=True)
            )
        assert simplify(small, keep) == small
    assert simplify(whole, "class").n_leaves <= simplify(whole, "proba").n_leaves


def test_simplify_merges_siblings_with_the_same_class_and_says_so():
    table = tw.as_table([[1.0], [2.0], [3.0], [4.0]], ["a", "a", "a", "b"])
    tree = tw.grow(table, tw.GrowOptions(max_depth=1))
    assert tw.simplify(tree).n_leaves == 2
    table = tw.as_table([[1.0], [2.0], [2.0], [2.0]], ["a", "a", "a", "b"])
    merged = tw.simplify(tw.grow(table), keep="class")
    assert merged.n_leaves == 1
    assert merged.stop_reason[0] == STOP_CODES["same_answer"]
    assert tw.simplify(tw.grow(table)).n_leaves == 2
    assert tw.simplify(merged) == merged
    with pytest.raises(tw.OptionError, match="keep must be 'class' or 'proba'"):
        tw.simplify(tree, keep="label")


# refit -------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(20))
def test_simplify_keeps_the_class_of_divided_rows(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, 3)).round(1)
    X[rng.random(X.shape) < 0.3] = np.nan
    model = tw.TreeClassifier(missing="fractional", max_depth=4, prune=None)
    tree = model.fit(X, rng.integers(0, 3, 60)).tree_
    kept = tw.simplify(tree, keep="class").predict(X)
    assert kept.tolist() == tree.predict(X).tolist()


EVIDENCE = ("n_rows", "weight", "weight_squared", "value", "impurity", "gain", "risk")


@pytest.mark.parametrize("seed", range(30))
def test_refitting_on_the_same_rows_changes_nothing(seed):
    table = random_table(np.random.default_rng(seed))
    whole = grow(table)
    columns = [column.data for column in table.columns]
    nodes = route(whole, columns, table.n_rows)
    again = refit_tree(whole, nodes, table.target, table.weights)
    check(again)
    names = [*EVIDENCE, "label", "variance", "quartiles"]
    for name in names:
        before, after = getattr(whole, name), getattr(again, name)
        finite = np.isfinite(whole.impurity)
        if not finite.all() and name in ("gain", "variance", "impurity", "risk"):
            before, after = before[finite], after[finite]
        scale = np.abs(before).max(initial=0) or 1.0
        np.testing.assert_allclose(
            after, before, rtol=1e-6, atol=1e-9 * scale, err_msg=name
        )


def test_refit_takes_all_evidence_from_the_new_rows(iris):
    X, y = iris
    small = tw.grow(tw.as_table(X[::2], y[::2]), tw.GrowOptions(max_depth=3))
    other = small.refit(X[1::2], y[1::2])
    np.testing.assert_array_equal(small.threshold, other.threshold)
    assert other.value[0].tolist() == np.bincount(y[1::2]).tolist()
    ended = other.apply(X[1::2])
    for node in other.leaves:
        inside = y[1::2][ended == node]
        assert other.value[node].tolist() == np.bincount(inside, minlength=3).tolist()


def test_a_node_that_no_row_reaches_answers_as_the_one_above(iris):
    X, y = iris
    tree = tw.grow(tw.as_table(X, y))
    other = tree.refit(X[y > 0], y[y > 0])
    check(other.data)
    empty = np.flatnonzero(other.weight == 0)
    assert len(empty)
    for node in empty:
        assert other.label[node] == other.label[other.parent(int(node))]


def test_refit_refuses_an_unknown_class_and_no_rows(tree, iris):
    X, y = iris
    with pytest.raises(tw.TableError, match="y has the class 3, which was not there"):
        tree.refit(X, y + 1)
    with pytest.raises(tw.TableError, match="X has no rows"):
        tree.refit(X[:0], y[:0])


# cost complexity ---------------------------------------------------------------------


def test_cost_complexity_is_risk_plus_the_price_of_the_leaves(tree):
    assert tree.cost_complexity(0) == tree.risk()
    small = tree.collapse(0)
    assert small.cost_complexity(0.1) == pytest.approx(2 / 3 + 0.1)
    assert tree.cost_complexity(0.1, "impurity") == pytest.approx(0.9)


def test_a_path_of_a_public_tree_gives_public_trees(tree):
    path = tw.pruning_path(tree)
    assert isinstance(path.tree(alpha=0), tw.Tree)
    assert path.tree(n_leaves=3).n_leaves == 3
    fitted = tw.TreeClassifier(prune=None).fit([[0.0], [1.0]], [0, 1])
    assert len(tw.pruning_path(fitted)) == 2


# evaluate ----------------------------------------------------------------------------


def test_figures_of_classes_are_scikit_learns(iris):
    X, y = iris
    w = np.random.default_rng(0).integers(1, 4, 75)
    fitted = tw.TreeClassifier().fit(X[::2], y[::2])
    found = tw.evaluate(fitted, X[1::2], y[1::2], sample_weight=w)
    answer, truth = fitted.predict(X[1::2]), y[1::2]
    np.testing.assert_allclose(
        found.confusion, confusion_matrix(truth, answer, sample_weight=w)
    )
    precision, recall, f1, _ = precision_recall_fscore_support(
        truth, answer, sample_weight=w
    )
    np.testing.assert_allclose(found.precision, precision)
    np.testing.assert_allclose(found.recall, recall)
    np.testing.assert_allclose(found.f1, f1)
    assert found.accuracy == pytest.approx(np.average(truth == answer, weights=w))
    depth = np.array([len(fitted.tree_.path(i)) - 1 for i in fitted.apply(X[1::2])])
    assert found.mean_questions == pytest.approx(np.average(depth, weights=w))
    assert found.most_questions == depth.max()


def test_figures_of_numbers_are_scikit_learns(iris):
    X, y = iris[0][:, :3], iris[0][:, 3]
    fitted = tw.TreeRegressor().fit(X[::2], y[::2])
    found = tw.evaluate(fitted, X[1::2], y[1::2])
    answer, truth = fitted.predict(X[1::2]), y[1::2]
    assert found.r2 == pytest.approx(r2_score(truth, answer))
    assert found.mae == pytest.approx(mean_absolute_error(truth, answer))
    assert found.rmse == pytest.approx(math.sqrt(found.error))
    low, high = found.interval
    assert low < found.error < high


def test_the_interval_of_a_share_is_wilsons():
    # 5 of 50: the textbook value is 0.0435 to 0.2136.
    X, y = np.zeros((50, 1)), np.array([1] * 5 + [0] * 45)
    table = tw.as_table([[0.0], [1.0], [2.0]], [0, 0, 1])
    tree = tw.grow(table).collapse(0)
    found = tw.evaluate(tree, X, y)
    assert found.error == 0.1
    np.testing.assert_allclose(found.interval, (0.0435, 0.2136), atol=1e-4)


def test_every_node_shows_training_beside_new_rows(iris):
    X, y = iris
    tree = tw.grow(tw.as_table(X[::2], y[::2]))
    found = tw.evaluate(tree, X[1::2], y[1::2])
    frame = found.to_pandas()
    assert frame["new_rows"].iloc[0] == 75
    ended = tree.apply(X[1::2])
    for node in tree.leaves:
        inside = y[1::2][ended == node]
        wrong = (inside != tree.label[node]).mean() if len(inside) else np.nan
        assert frame["new_error"][node] == pytest.approx(wrong, nan_ok=True)
    leaves = frame[frame["is_leaf"]]
    total = (leaves["new_error"].fillna(0) * leaves["new_share"]).sum()
    assert total == pytest.approx(found.error)
    assert (frame["gap"] == frame["new_error"] - frame["error"])[
        frame.new_rows > 0
    ].all()


def test_an_evaluation_prints(iris):
    X, y = iris
    words = str(tw.evaluate(tw.TreeClassifier(max_leaf_nodes=3).fit(X, y), X, y))
    assert words.startswith("150 rows: error 0.04, 95% interval 0.01")
    assert "probabilities: log-loss 0." in words
    assert "questions asked:" in words
    assert "precision  recall" in words
    numbers = str(
        tw.evaluate(tw.TreeRegressor().fit(X[:, :3], X[:, 3]), X[:, :3], X[:, 3])
    )
    assert "R2 0." in numbers


@pytest.mark.parametrize("missing", ["learned", "surrogate", "fractional"])
@pytest.mark.parametrize(
    ("criterion", "kind"),
    [
        ("squared_error", "RMSE"),
        ("absolute_error", "mean absolute error"),
        ("poisson", "half the mean deviance"),
    ],
)
def test_errors_of_numbers_are_of_one_kind(criterion, kind, missing):
    rng = np.random.default_rng(5)
    X = rng.random((300, 3))
    X[rng.random((300, 3)) < 0.1] = np.nan
    y = rng.poisson(np.where(X[:, 0] > 0.5, 5.0, 1.0)).astype(float)
    fitted = tw.TreeRegressor(criterion=criterion, missing=missing, max_depth=3)
    tree = fitted.fit(X[::2], y[::2]).tree_
    own = tw.evaluate(tree, X[::2], y[::2])
    frame = own.to_pandas()
    np.testing.assert_allclose(frame["new_error"], frame["error"], atol=1e-10)
    np.testing.assert_allclose(frame["gap"], 0, atol=1e-10)
    assert ("new_median" in frame) == (criterion == "absolute_error")
    if missing != "fractional":
        assert own.error == pytest.approx(own.training_error)
    new = tw.evaluate(tree, X[1::2], y[1::2])
    assert f"150 rows: {kind} " in str(new)
    loss = tree.criterion.loss(y[1::2], fitted.predict(X[1::2]))
    assert new.error == pytest.approx(loss.mean())
    at_root = tree.criterion.loss(y[1::2], np.full(150, tree.value[0, 0]))
    assert new.to_pandas()["new_error"][0] == pytest.approx(at_root.mean())
    if criterion == "absolute_error":
        assert new.error == pytest.approx(new.mae)
    elif criterion == "poisson":
        half = mean_poisson_deviance(y[1::2], fitted.predict(X[1::2])) / 2
        assert new.error == pytest.approx(half)


def test_an_evaluation_says_that_rows_are_weighed_by_priors(iris):
    X, y = iris
    fitted = tw.TreeClassifier(priors=[0.5, 0.25, 0.25]).fit(X, y)
    words = str(tw.evaluate(fitted, X, y))
    assert "class shares equal the priors, 0 0.5, 1 0.25, 2 0.25" in " ".join(
        words.split()
    )
    assert "priors" not in str(tw.evaluate(tw.TreeClassifier().fit(X, y), X, y))


def test_deep_trees_are_cut_simplified_and_refitted():
    deep = chain(3_000)
    x = np.arange(3_001) / 2 + 0.25
    nodes = route(deep, [x], len(x))
    codes = np.zeros(len(x), dtype=np.int32)
    from treewright.table.table import ClassTarget

    check(refit_tree(deep, nodes, ClassTarget(codes, np.array(["no", "yes"])), None))
    assert simplify(deep, "class").n_leaves >= 1
