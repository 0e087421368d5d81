"""Reasons for many rows agree with explain, predict and rules."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

import treewright as tw


def rows(n=500, seed=0):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"a": rng.normal(size=n), "b": rng.integers(0, 5, n)})
    X["c"] = np.array(["red", "green", None], object)[rng.integers(0, 3, n)]
    return X, np.where(X["a"] > 0.3, "yes", np.where(X["c"] == "red", "no", "maybe"))


def test_answers_leaves_and_probabilities_are_those_of_the_tree():
    X, y = rows()
    tree = tw.TreeClassifier().fit(X, y).tree_
    found = tree.reasons(X)
    assert found["answer"].tolist() == tree.predict(X).tolist()
    assert found["leaf"].tolist() == tree.apply(X).tolist()
    assert found["probability"].tolist() == tree.predict_proba(X).max(axis=1).tolist()


def test_every_reason_holds_for_its_row_and_is_on_its_path():
    X, y = rows()
    tree = tw.TreeClassifier().fit(X, y).tree_
    found = tree.reasons(X[:40], most=2)
    for i, row in found.iterrows():
        leaf = row["leaf"]
        way = tree.path(leaf)
        words = {
            tree.split(p).words(int(tree.data.branch[c]), missing=True, most=3)
            for p, c in pairwise(way)
        }
        assert row["reason_1"] in words
        assert row["reason_2"] in words | {""}
        assert i in tree.rows(leaf, X)


def test_the_first_reason_moved_the_answer_most():
    X, _ = rows()
    tree = tw.TreeRegressor().fit(X[["a", "b"]], X["a"] * 3 + X["b"]).tree_
    found = tree.reasons(X[:20], most=1)
    for i in range(20):
        way = tree.path(int(found["leaf"][i]))
        value = tree.data.value[:, 0] if not len(tree.answer) else tree.answer[:, 0]
        moves = np.abs(np.diff(value[list(way)]))
        at = int(np.argmax(moves))
        words = tree.split(way[at]).words(
            int(tree.data.branch[way[at + 1]]), missing=True
        )
        assert found["reason_1"][i] == words


def test_a_single_leaf_has_no_reasons():
    tree = tw.grow(tw.as_table({"x": [1.0, 2.0]}, [5.0, 5.0]))
    found = tree.reasons({"x": [1.0, None]})
    assert found["rule"].tolist() == ["any row", "any row"]
    assert found["reason_1"].tolist() == ["", ""]


def test_a_number_of_reasons_below_zero_is_refused():
    tree = tw.grow(tw.as_table({"x": [1.0, 2.0]}, [5.0, 5.0]))
    with pytest.raises(tw.OptionError, match="most must be"):
        tree.reasons({"x": [1.0]}, most=-1)


@pytest.mark.parametrize("fixed", [[], ["a"]])
def test_the_smallest_change_is_that_of_explain(fixed):
    X, y = rows(200)
    tree = tw.TreeClassifier().fit(X, y).tree_
    found = tree.reasons(X[:30], change=True, fixed=fixed)
    for place, row in found.iterrows():
        explained = tree.explain(X.iloc[place], fixed=fixed)
        changes = [each.words for each in explained.changes or ()]
        assert row["change"] == "; ".join(changes)
        assert row["other"] == explained.other


def test_a_change_from_an_unseen_category_says_so():
    X, y = {"c": ["red", "green"] * 30}, ["no", "yes"] * 30
    tree = tw.TreeClassifier(findings="ignore").fit(X, y).tree_
    found = tree.reasons({"c": ["mauve", None, "red"]}, change=True)
    assert found["change"][0].startswith("c from unseen to")
    assert found["change"][1].startswith("c from missing to")
    assert found["change"][2] == "c from red to green"
    with pytest.raises(tw.OptionError, match="fixed names 'd'"):
        tree.reasons(X, fixed=["d"])
