"""Costs of wrong answers and priors: how a tree grows with them and what it says."""

import json

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from treewright.table.costs import cost_factors, with_costs
from treewright.table.schema import Schema
from treewright.tree.check import check
from treewright.tree.costs import answer_by_cost, growth_weight
from treewright.tree.edit import replace
from treewright.tree.loss import error_unit

X8 = {"x": [1, 2, 3, 4, 5, 6, 7, 8]}
Y8 = list("aaabaabb")
DEAR_B = {"b": {"a": 5}}


def refused(words, y=Y8, **options):
    fresh = tw.TreeClassifier(**options)
    with pytest.raises(tw.OptionError) as caught:
        fresh.fit(X8, y)
    assert words in str(caught.value), str(caught.value)
    assert not hasattr(fresh, "tree_")


# --- what a node answers -------------------------------------------------------------


def test_the_answer_is_the_cheapest_and_the_first_on_a_tie():
    costs = [[0, 1, 4], [2, 0, 1], [1, 1, 0]]
    value = [[2.0, 1, 1], [1, 0, 0], [0, 0, 0], [1, 2, 0]]
    label, risk = answer_by_cost(value, costs)
    # First node: answers cost 0+2+1, 2+0+1, 8+1+0 for a weight of 4.
    assert label.tolist() == [0, 0, 0, 1]
    assert risk.tolist() == [3 / 4, 0, 0, 1 / 3]


def test_without_costs_the_largest_class_is_answered():
    value = np.random.default_rng(0).integers(0, 4, (50, 3)).astype(float)
    label, risk = answer_by_cost(value)
    assert label.tolist() == value.argmax(axis=1).tolist()
    total = np.maximum(value.sum(axis=1), 1)
    known = value.sum(axis=1) > 0
    assert np.allclose(risk, (1 - value.max(axis=1) / total) * known)


def test_equal_costs_are_a_tie_in_spite_of_rounding():
    label, _ = answer_by_cost([[0.1 + 0.2, 0.3]], [[0, 1], [1, 0]])
    assert label.tolist() == [0]
    label, _ = answer_by_cost([[0.3, 0.1 + 0.2]], [[0, 1], [1, 0]])
    assert label.tolist() == [0]


# --- growing with costs --------------------------------------------------------------


def test_splits_are_those_of_altered_weights():
    rng = np.random.default_rng(1)
    for _ in range(20):
        X = rng.integers(0, 9, (40, 2)).astype(float)
        y = rng.integers(0, 3, 40)
        w = rng.integers(1, 4, 40)
        costs = rng.integers(1, 7, (3, 3)) * (1 - np.eye(3, dtype=int))
        ours = tw.TreeClassifier(prune=None, costs=costs).fit(X, y, w).tree_
        factors = costs.sum(axis=1)[y]
        plain = tw.TreeClassifier(prune=None).fit(X, y, w * factors).tree_
        assert np.array_equal(ours.threshold, plain.threshold, equal_nan=True)
        check(ours.data)
        rows = np.stack([np.bincount(y[a], w[a], 3) for a in rows_of(ours, X)])
        assert np.allclose(ours.value, rows)
        assert np.allclose(ours.weight, rows.sum(axis=1))
        label, risk = answer_by_cost(rows, costs)
        assert ours.label.tolist() == label.tolist()
        assert np.allclose(ours.data.risk, risk)
        assert np.allclose(ours.impurity, plain.impurity)
        assert np.allclose(ours.importances, plain.importances)
        assert ours.risk("impurity") == pytest.approx(plain.risk("impurity"))


def rows_of(tree, X):
    return [tree.rows(node, X) for node in range(tree.n_nodes)]


def test_the_whole_tree_costs_what_its_answers_cost():
    fitted = tw.TreeClassifier(costs=DEAR_B, max_depth=1).fit(X8, Y8)
    costs = {("a", "b"): 1, ("b", "a"): 5}
    spent = sum(costs.get(pair, 0) for pair in zip(Y8, fitted.predict(X8), strict=True))
    assert fitted.tree_.risk() == pytest.approx(spent / 8)


def test_predict_may_differ_from_the_largest_probability():
    fitted = tw.TreeClassifier(costs=DEAR_B, min_samples_leaf=8).fit(X8, Y8)
    assert fitted.predict_proba(X8)[0] == pytest.approx([5 / 8, 3 / 8])
    assert fitted.predict(X8)[0] == "b"
    assert fitted.tree_.predict(X8)[0] == "b"


def test_the_same_cost_for_every_mistake_changes_nothing():
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(80, 3)), rng.integers(0, 3, 80)
    plain = tw.TreeClassifier().fit(X, y).tree_
    unit = tw.TreeClassifier(costs=1 - np.eye(3)).fit(X, y).tree_
    for name in ("threshold", "value", "label", "risk", "gain", "impurity"):
        assert np.array_equal(
            getattr(plain.data, name), getattr(unit.data, name), equal_nan=True
        )
    assert plain != unit  # their costs are part of them


def test_costs_can_come_as_array_dict_frame_or_in_part():
    matrix = [[0, 1], [5, 0]]
    forms = [
        matrix,
        np.array(matrix),
        tuple(map(tuple, matrix)),
        {"a": {"b": 1}, "b": {"a": 5}},
        {"b": {"a": 5}},
        pd.DataFrame(matrix, ["a", "b"], ["a", "b"]),
        pd.DataFrame([[0, 5], [1, 0]], ["b", "a"], ["b", "a"]),
    ]
    trees = {tw.TreeClassifier(costs=form).fit(X8, Y8).tree_ for form in forms}
    assert len(trees) == 1
    (tree,) = trees
    assert tree.schema.target.costs == ((0, 1), (5, 0))


def test_surrogates_are_judged_by_the_weights_that_priors_altered():
    # docs/reference/peers.md: rpart takes the rows' own weights (choose_surg.c).
    rng = np.random.default_rng(1)
    a = rng.normal(size=80).round(1)
    b = (a + 0.7 * rng.normal(size=80)).round(1)
    y = (a + 0.5 * rng.normal(size=80) > 0).astype(int)
    model = tw.TreeClassifier(
        missing="surrogate",
        max_surrogates=1,
        priors=[0.9, 0.1],
        max_depth=1,
        prune=None,
    )
    tree = model.fit({"a": a, "b": b}, y).tree_
    (stands_in,) = tree.surrogates(0)
    assert (tree.split(0).feature, stands_in.words(0)) == ("a", "b <= 0.65")
    same = (a <= tree.threshold[0]) == (b <= 0.65)
    altered = np.where(y == 0, 0.9 / (y == 0).sum(), 0.1 / (y == 1).sum())
    assert stands_in.agree == pytest.approx(altered[same].sum())
    assert stands_in.agree != pytest.approx(same.mean(), abs=0.01)


def test_the_schema_keeps_costs_and_priors():
    fitted = tw.TreeClassifier(costs=DEAR_B, priors=[0.5, 0.5]).fit(X8, Y8)
    schema = fitted.tree_.schema
    again = Schema.from_dict(json.loads(json.dumps(schema.to_dict())))
    assert again == schema
    assert again.target.priors == (0.5, 0.5)
    plain = tw.TreeClassifier().fit(X8, Y8).tree_
    assert set(plain.schema.to_dict()["target"]) == {"name", "kind", "classes"}


def test_trees_of_other_costs_do_not_mix():
    one = tw.TreeClassifier(costs=DEAR_B).fit(X8, Y8).tree_.data
    two = tw.TreeClassifier().fit(X8, Y8).tree_.data
    with pytest.raises(tw.TreeFormatError, match="with the same costs and priors"):
        replace(one, 1, two)


# --- priors --------------------------------------------------------------------------


def test_priors_set_the_shares_of_the_classes():
    fitted = tw.TreeClassifier(priors={"b": 0.75, "a": 0.25}).fit(X8, Y8)
    root = fitted.tree_.value[0]
    assert root == pytest.approx([2, 6])
    assert fitted.tree_.label[0] == 1
    assert fitted.tree_.data.risk[0] == pytest.approx(0.25)
    again = tw.TreeClassifier(priors=[0.25, 0.75]).fit(X8, Y8)
    assert again.tree_ == fitted.tree_


@pytest.mark.parametrize("n", [3, 7, 11, 300])
def test_classes_that_priors_make_equal_tie(n):
    rng = np.random.default_rng(n)
    y = np.array([0] * n + [1] * 7 * n)
    X = rng.random((len(y), 2))
    for halves in ({"priors": [0.5, 0.5]}, {"class_weight": "balanced"}):
        root = tw.TreeClassifier(prune=None, max_depth=1, **halves).fit(X, y).tree_
        assert root.value[0].tolist() == pytest.approx([4 * n, 4 * n])
        assert root.label[0] == 0


def test_probabilities_are_adjusted_to_the_priors():
    stump = tw.TreeClassifier(priors=[0.5, 0.5], min_samples_leaf=8).fit(X8, Y8)
    assert stump.predict_proba(X8)[0] == pytest.approx([0.5, 0.5])


def test_the_priors_of_the_table_change_nothing():
    fitted = tw.TreeClassifier(priors=[5 / 8, 3 / 8]).fit(X8, Y8)
    plain = tw.TreeClassifier().fit(X8, Y8)
    assert np.allclose(fitted.tree_.value, plain.tree_.value)
    assert np.allclose(fitted.tree_.gain, plain.tree_.gain)


def test_priors_then_costs():
    table = tw.as_table(X8, Y8)
    both = with_costs(table, DEAR_B, [0.5, 0.5])
    # Each class gets 4 of 8, then 1 and 5 over their mean of 3.
    by_class = np.bincount(both.target.codes, both.weights)
    assert by_class == pytest.approx([4 / 3, 4 * 5 / 3])
    assert cost_factors(((0, 1), (5, 0))).tolist() == [1 / 3, 5 / 3]
    tree = tw.TreeClassifier(costs=DEAR_B, priors=[0.5, 0.5]).fit(X8, Y8).tree_
    assert tree.value[0] == pytest.approx([4, 4])
    assert tree.data.risk[0] == pytest.approx(1 / 2)
    assert growth_weight(tree.data)[0] == pytest.approx(8)


def test_class_weight_comes_before_costs():
    weighted = tw.TreeClassifier(class_weight={"a": 3}, costs=DEAR_B).fit(X8, Y8)
    assert weighted.tree_.value[0] == pytest.approx([15, 3])


def test_the_order_of_the_rows_does_not_matter():
    rng = np.random.default_rng(3)
    X, y, w = rng.normal(size=(200, 2)), rng.integers(0, 3, 200), rng.random(200)
    grown = set()
    for _ in range(4):
        order = rng.permutation(200)
        fitted = tw.TreeClassifier(
            priors=[0.2, 0.3, 0.5], costs={0: {1: 2.5}}, max_depth=4
        )
        grown.add(fitted.fit(X[order], y[order], w[order]).tree_)
    assert len(grown) == 1


def test_weight_k_is_k_copies():
    rng = np.random.default_rng(4)
    X, y, w = rng.normal(size=(60, 2)), rng.integers(0, 2, 60), rng.integers(1, 4, 60)
    # Folds are dealt by rows, so only the whole trees are equal.
    options = {"priors": [0.3, 0.7], "costs": [[0, 2], [3, 0]], "prune": None}
    once = tw.TreeClassifier(**options).fit(X, y, w).tree_
    rows = np.repeat(np.arange(60), w)
    many = tw.TreeClassifier(**options).fit(X[rows], y[rows]).tree_
    assert np.array_equal(once.threshold, many.threshold, equal_nan=True)
    assert np.allclose(once.value, many.value)


def test_a_class_without_weight_is_left_alone():
    fitted = tw.TreeClassifier(priors={"a": 0.5, "b": 0.5, "c": 0})
    fitted.fit({"x": [1, 2, 3]}, ["a", "b", "c"], [1, 1, 0])
    assert fitted.predict_proba({"x": [1, 2]}).tolist() == [[1, 0, 0], [0, 1, 0]]


# --- what is refused -----------------------------------------------------------------


def test_priors_with_class_weight():
    refused(
        "priors and class_weight both set the weight of the classes; got "
        "priors=[0.5, 0.5] and class_weight='balanced'. Use one of them.",
        priors=[0.5, 0.5],
        class_weight="balanced",
    )


@pytest.mark.parametrize(
    ("costs", "words"),
    [
        (
            [[0, 1, 1], [1, 0, 1], [1, 1, 0]],
            "costs must be 2 rows (true class) of 2 costs (predicted class), in the "
            "order of the classes 'a', 'b', or a dict by class; got 3 entries.",
        ),
        ([[0, 1], [1]], "by class; in costs[1] got 1 entries."),
        (5, "by class; got 5."),
        ("high", "by class; got 'high'."),
        (np.zeros(2), f"in costs[0] got {np.float64(0)!r}."),
        (
            {"c": {"a": 1}},
            "costs names the class 'c', which is not in y. The classes are 'a', 'b'.",
        ),
        ({"a": {"B": 1}}, "costs['a'] names the class 'B', which is not in y."),
        ({"a": {"B": 1}}, "Did you mean 'b'?"),
        ({"a": 3}, "costs['a'] must be a dict of predicted class -> cost; got 3."),
        ([[0, -1], [1, 0]], "costs['a']['b'] must be a finite number >= 0; got -1."),
        ([[0, np.nan], [1, 0]], "must be a finite number >= 0; got nan."),
        ([[0, np.inf], [1, 0]], "must be a finite number >= 0; got inf."),
        ([[0, None], [1, 0]], "must be a finite number >= 0; got None."),
        (
            [[2, 1], [1, 0]],
            "costs['a']['a'] must be 0, since a right answer costs nothing; got 2. "
            "Subtract 2 from all costs of 'a': no answer changes.",
        ),
        (
            [[0, 0], [1, 0]],
            "costs gives no cost to any answer for the class 'a', so its rows would "
            "have no effect. Leave these rows out, or give a cost above 0.",
        ),
    ],
)
def test_wrong_costs(costs, words):
    refused(words, costs=costs)


@pytest.mark.parametrize(
    ("priors", "words"),
    [
        ([0.5, 0.4], "priors must sum to 1; they sum to 0.9. Divide each by 0.9."),
        (
            [0.5, 0.3, 0.2],
            "priors must be one share per class, in the order of the classes 'a', "
            "'b', or a dict by class; got 3 entries.",
        ),
        (0.5, "or a dict by class; got 0.5."),
        (
            {"a": 0.5, "c": 0.5},
            "priors names the class 'c', which is not in y. The classes are 'a', 'b'.",
        ),
        ({"a": 1.0}, "priors must give a share to every class; 'b' has none."),
        (
            [1.5, -0.5],
            "priors must hold numbers above 0 and at most 1; got 1.5 for the class "
            "'a'.",
        ),
        ([np.nan, 1.0], "got nan for the class 'a'."),
        (
            [0.0, 1.0],
            "priors gives the share 0 to the class 'a', so its rows would have no "
            "effect. Leave these rows out, or give a share above 0.",
        ),
    ],
)
def test_wrong_priors(priors, words):
    refused(words, priors=priors)


def test_a_prior_for_a_class_without_weight():
    with pytest.raises(tw.OptionError) as caught:
        tw.TreeClassifier(priors=[0.5, 0.5]).fit([[1], [2]], ["a", "b"], [1, 0])
    assert "the share 0.5 to the class 'b', but none of its rows has a weight." in str(
        caught.value
    )


def test_a_single_class_with_costs_is_one_leaf_that_costs_nothing():
    tree = tw.TreeClassifier(costs=[[0]]).fit(X8, ["a"] * 8).tree_
    assert tree.n_leaves == 1
    assert tree.data.risk.tolist() == [0.0]
    assert error_unit(tree.data) == 1.0  # there is no error to take the mean of
    three = tw.TreeClassifier(costs={"b": {"a": 5}, "c": {"a": 3}})
    tree = three.fit(X8, list("aaaabbcc")).tree_
    # Halves a; quarters b, whose errors cost 5 and 1, and c, whose cost 3 and 1.
    assert error_unit(tree.data) == pytest.approx(0.5 * 1 + 0.25 * 3 + 0.25 * 2)
