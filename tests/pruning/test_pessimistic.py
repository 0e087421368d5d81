"""Pessimistic pruning: the bound by hand, and Weka's J48 tree by tree."""

from dataclasses import replace

import numpy as np
import pytest

from support.build import build, leaf, random_tree, schema_of, threshold
from support.oracle_files import fit_of, only_here
from support.peer_trees import weka_shape, weka_table, weka_tree
from treewright.errors import OptionError
from treewright.growing.grow import grow
from treewright.options import GrowOptions, PruneOptions
from treewright.pruning.pessimistic import added_errors
from treewright.pruning.prune import prune_pessimistically
from treewright.pruning.raising import _Pruner, raise_subtrees
from treewright.table.as_table import as_table
from treewright.tree.check import check
from treewright.tree.data import LEAF, MULTIWAY, STOP_CODES
from treewright.tree.edit import with_values
from treewright.tree.walk import children


def test_the_bound_of_leaves_without_errors_is_quinlans():
    # Quinlan (1993): U(0, 6) = 0.206, U(0, 9) = 0.143, U(0, 1) = 0.750.
    n = np.array([6.0, 9.0, 1.0])
    rates = added_errors(n, np.zeros(3), 0.25) / n
    np.testing.assert_allclose(rates, [0.206, 0.143, 0.750], atol=5e-4)


def test_the_bound_grows_with_errors_and_shrinks_with_confidence():
    n, errors = np.full(50, 50.0), np.linspace(0, 49, 50)
    for confidence in (0.05, 0.25, 0.5):
        total = errors + added_errors(n, errors, confidence)
        assert (np.diff(total) > 0).all()
        assert (total <= 50 + 1e-12).all()
    low, high = (added_errors(n, errors, c) for c in (0.1, 0.4))
    assert (low >= high).all()


def test_a_split_that_does_not_pay_is_cut_and_says_why():
    useless = threshold(0, 5, leaf(0, 0, 0, 0, 1), leaf(0, 0, 0, 0, 0))
    tree = build(threshold(0, 9, useless, leaf(1, 1, 1, 1, 1, 1, 1, 1)), schema_of("x"))
    pruned, record = prune_pessimistically(tree, 0.25)
    assert pruned.n_leaves == 2
    assert pruned.stop_reason[1] == STOP_CODES["pessimistic"]
    assert "2 leaves of 3" in record.words
    check(pruned)


@pytest.mark.parametrize("method", ["cart", "c45"])
def test_the_unit_of_weights_below_one_does_not_matter(method):
    rng = np.random.default_rng(0)
    X = rng.random((300, 4))
    y = (X[:, 0] + X[:, 1] * rng.normal(size=300) > 0.5).astype(int)
    # Growing by c45 counts weights too, so one tree is given other evidence.
    table = as_table(X, y)
    grown = grow(table, GrowOptions(method=method))
    for unit in (0.01, 0.5):
        scaled = with_values(
            grown, value=grown.value * unit, weight=grown.weight * unit
        )
        rows = replace(table, weights=np.full(300, unit))
        pruned = prune_pessimistically(scaled, 0.01, rows)[0]
        expected = prune_pessimistically(grown, 0.01, table)[0]
        np.testing.assert_array_equal(pruned.subtree_size, expected.subtree_size)
    many = with_values(grown, value=grown.value * 20, weight=grown.weight * 20)
    rows = replace(table, weights=np.full(300, 20.0))
    assert prune_pessimistically(many, 0.01, rows)[0].n_leaves > expected.n_leaves


@pytest.mark.parametrize("seed", range(10))
def test_a_smaller_confidence_never_gives_a_larger_tree(seed):
    tree = random_tree(seed, n_inner=40)
    sizes = [prune_pessimistically(tree, c)[0].n_leaves for c in (0.5, 0.25, 0.05)]
    assert sizes == sorted(sizes, reverse=True)
    for each in sizes:
        assert each >= 1


def test_numbers_have_no_pessimistic_bound():
    with pytest.raises(OptionError, match="this tree predicts numbers"):
        prune_pessimistically(random_tree(0, numbers=True), 0.25)


@pytest.mark.parametrize("bad", [0, -1, 0.6, float("nan"), "0.25", None, True])
def test_confidence_out_of_range(bad):
    with pytest.raises(OptionError, match="prune_confidence must be a number above 0"):
        PruneOptions(prune_confidence=bad)


def test_raising_keeps_every_row_and_updates_the_evidence():
    rng = np.random.default_rng(4)
    X = rng.integers(0, 8, (300, 4)).astype(float)
    y = ((X[:, 0] > 3) ^ (rng.random(300) < 0.2)).astype(int)
    table = as_table(X, y)
    pruned = raise_subtrees(grow(table), table, 0.25)
    check(pruned)
    assert pruned.n_rows[0] == 300
    assert pruned.value[0].tolist() == np.bincount(y).tolist()
    plain, _ = prune_pessimistically(grow(table), 0.25)
    assert pruned.n_leaves <= plain.n_leaves + 2


def test_rows_of_which_none_is_known_are_divided_as_the_training_rows_were():
    training = as_table([[1.0]] * 6 + [[2.0]] * 2, [0] * 6 + [1] * 2)
    tree = grow(training, GrowOptions(method="c45"))
    assert tree.weight.tolist() == [8, 6, 2]
    others = as_table([[np.nan]] * 4, [0, 1, 1, 1])
    seen = with_evidence(tree, replace(others, schema=training.schema))
    assert seen.weight.tolist() == [4, 3, 1]
    assert seen.value.tolist() == [[1, 3], [0.75, 2.25], [0.25, 0.75]]


# Weka --------------------------------------------------------------------------------

PAIRS = [
    (name, grown, pruned, confidence)
    for name in (
        "weka_play_tennis",
        "weka_weather_numeric",
        "weka_contact_lenses",
        "weka_iris",
        "weka_car_evaluation",
        "weka_german_credit",
        "weka_heart",
        "weka_titanic",
    )
    for grown, pruned, confidence in (
        ("J48 -U -M 2", "J48 -C 0.25 -M 2", 0.25),
        ("J48 -U -M 2", "J48 -C 0.1 -M 2", 0.1),
    )
    if not (name == "weka_heart" and confidence == 0.1)
]


def with_evidence(tree, table):
    return _Pruner(tree, table, 0.25)._with_evidence(tree, list(range(tree.n_nodes)))


def shape(tree, node=0):
    kind = int(tree.split_kind[node])
    if kind == LEAF:
        return str(tree.schema.target.classes[tree.label[node]])
    feature = tree.schema.features[tree.feature[node]]
    below = [shape(tree, child) for child in children(tree, node)]
    if kind == MULTIWAY:
        part = slice(tree.category_start[node], tree.category_start[node + 1])
        order = np.argsort(tree.category_branch[part], kind="stable")
        words = [str(feature.labels[c]) for c in tree.categories[part][order]]
        return (feature.name, words, below)
    return (feature.name, f"{tree.threshold[node]:g}", below)


@pytest.mark.parametrize(("name", "grown", "pruned", "confidence"), only_here(PAIRS))
def test_pruning_wekas_grown_tree_gives_wekas_pruned_tree(
    name, grown, pruned, confidence
):
    table = weka_table(name)
    tree = with_evidence(weka_tree(name, grown, table), table)
    ours = raise_subtrees(tree, table, confidence)
    theirs = fit_of(name, pruned)
    assert ours.n_leaves == theirs["leaves"]
    assert shape(ours) == weka_shape(theirs["tree"])
