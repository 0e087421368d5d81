"""Corners of growing that random tables do not reach."""

import numpy as np
import pytest

import treewright as tw
from treewright.errors import TableError
from treewright.growing.grow import grow
from treewright.options import GrowOptions
from treewright.table.as_table import as_table

LEVELS = "abcdefghijklmnopqrstuvwxyz"


def test_levels_that_separate_no_class_are_still_split():
    # Thirteen levels with the same three classes each: every grouping gains 0.
    X = {"c": [level for level in LEVELS[:13] for _ in range(3)]}
    tree = grow(as_table(X, [0, 1, 2] * 13, task="class"))
    assert tree.n_nodes > 1
    assert tree.proven.all()
    assert tree.gain[0] == 0


def test_proportional_levels_are_separated_if_a_rule_requires_it():
    # Only "z" differs, but it is too small for a leaf: it needs company.
    values = ["z", "z", *(level for level in LEVELS[:12] for _ in range(3))]
    y = [0, 0, *([1, 2, 1] * 12)]
    options = GrowOptions(min_samples_leaf=3, max_depth=1)
    tree = grow(as_table({"c": values}, y, task="class"), options)
    assert tree.n_nodes == 3
    assert tree.n_rows[1:].min() >= 3


def test_one_large_level_among_small_ones_is_split_off():
    # Sorted by mean the large level is in the middle: no prefix has ten rows on
    # both sides, the large level against all others has.
    values = [*LEVELS[:6], *("m" * 100), *LEVELS[13:19]]
    y = [*np.arange(6.0), *np.full(100, 10.0), *np.arange(20.0, 26.0)]
    options = GrowOptions(min_samples_leaf=10)
    tree = grow(as_table({"c": values}, y, task="number"), options)
    assert tree.n_nodes == 3
    assert tree.n_rows[1:].min() >= 10
    assert not tree.proven[0]


def test_two_classes_left_in_a_node_are_ordered_and_proven():
    # Class 2 is split off first; below it twenty levels with two classes are left.
    rng = np.random.default_rng(0)
    level = rng.integers(0, 20, 600)
    first = rng.random(600) < 0.3
    y = np.where(first, 2, (rng.random(600) < level / 20).astype(int))
    X = {"first": first, "level": [LEVELS[i] for i in level]}
    tree = grow(as_table(X, y, task="class"), GrowOptions(max_depth=2))
    assert tree.n_nodes == 5
    assert tree.proven.all()


@pytest.mark.parametrize("rule", ["min_gain", "min_impurity_decrease"])
def test_any_threshold_above_zero_refuses_a_gain_of_zero(rule):
    X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    table = as_table(np.array(X, float), y, task="class")
    assert grow(table).n_nodes == 7
    assert grow(table, GrowOptions(**{rule: 1e-300})).n_nodes == 1


@pytest.mark.parametrize("value", [np.inf, -np.inf, 0.0, 1e308])
def test_a_column_of_one_value_never_splits(value):
    X = np.column_stack([np.full(60, value), np.arange(60.0)])
    tree = grow(as_table(X, np.arange(60) % 2, task="class"))
    assert set(tree.feature[tree.split_kind != 0]) == {1}


def test_limits_beyond_every_tree_are_no_limits():
    X, y = np.arange(8.0).reshape(-1, 1), np.arange(8) % 2
    huge = {"max_depth": 2**70, "max_leaf_nodes": 2**70, "max_nodes": 2**70}
    model = tw.TreeClassifier(prune=None, **huge, n_jobs=2**40).fit(X, y)
    assert model.get_n_leaves() == 8
    assert (
        tw.TreeClassifier(prune=None, min_samples_leaf=10**20).fit(X, y).get_n_leaves()
        == 1
    )


def test_weights_whose_product_overflows_are_refused():
    model = tw.TreeClassifier(prune=None, class_weight={0: 1e300, 1: 1.0})
    with pytest.raises(TableError, match="not finite"):
        model.fit([[0.0], [1.0]], [0, 1], sample_weight=[1e100, 1.0])
