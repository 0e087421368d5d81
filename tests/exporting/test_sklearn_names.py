"""A tree has scikit-learn's names exactly where to_sklearn works."""

import copy
import pickle

import numpy as np
import pytest

import treewright as tw
from support import programs
from treewright.exporting.scikit_learn import SKLEARN_NAMES, to_sklearn, why_not_sklearn


def test_every_name_has_the_value_of_scikit_learn():
    n = 0
    for seed in range(150):
        data = programs.random_tree(seed)
        if why_not_sklearn(data):
            continue
        n += 1
        ours, theirs = tw.Tree(data), to_sklearn(data).tree_
        for name in SKLEARN_NAMES:
            np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name))
            assert name in dir(ours)
    assert n > 10


def test_a_tree_that_scikit_learn_lacks_has_no_such_name():
    X, y = {"c": list("xyz") * 10}, list("ppq") * 10
    tree = tw.TreeClassifier(prune=None).fit(X, y).tree_
    for name in SKLEARN_NAMES:
        assert not hasattr(tree, name)
        assert name not in dir(tree)
    with pytest.raises(AttributeError, match="'c' does not hold plain numbers"):
        _ = tree.children_left
    assert pickle.loads(pickle.dumps(tree)) == tree
    assert copy.copy(tree) == copy.deepcopy(tree) == tree


def test_the_names_are_read_only():
    X, y = {"x": [1.0, 2.0] * 20}, ["a", "b"] * 20
    tree = tw.TreeClassifier(prune=None).fit(X, y).tree_
    with pytest.raises(ValueError, match="read-only"):
        tree.children_left[0] = 3
    with pytest.raises(AttributeError, match="never changes"):
        tree.node_count = 3
