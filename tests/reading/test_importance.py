import numpy as np
import pytest

from support.build import build, chain, leaf, random_tree, schema_of, threshold
from treewright.reading.answers.importance import impurity_importance
from treewright.tree.edit import with_values


def test_importance_is_the_share_of_the_weighted_gains():
    spec = threshold(0, 2.5, leaf(0, 0, 0), threshold(1, 0.5, leaf(1, 1), leaf(0, 1)))
    tree = build(spec, schema_of("a", "b", "c"))
    a, b = 7 * tree.gain[0], 4 * tree.gain[2]
    assert impurity_importance(tree) == pytest.approx([a / (a + b), b / (a + b), 0])


def test_importance_sums_to_one():
    for seed in range(10):
        tree = random_tree(seed)
        assert impurity_importance(tree).sum() == pytest.approx(1)
        assert impurity_importance(tree).shape == (4,)


def test_without_gain_all_is_zero():
    assert impurity_importance(build(leaf(1), schema_of("x", "z"))).tolist() == [0, 0]
    assert impurity_importance(chain(3)).tolist() == [0]


def test_gains_near_the_limit_of_floats_do_not_overflow():
    spec = threshold(0, 2.5, leaf(0), threshold(1, 0.5, leaf(1), leaf(0)))
    tree = build(spec, schema_of("a", "b"))
    huge = with_values(tree, gain=[1e308, 0, 1e308, 0, 0], weight=[1.0] * 5)
    assert impurity_importance(huge).tolist() == [0.5, 0.5]
    infinite = with_values(tree, gain=[np.inf, 0, 1.0, 0, 0])
    assert impurity_importance(infinite).tolist() == [1, 0]
