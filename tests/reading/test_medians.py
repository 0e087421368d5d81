"""A tree grown by the absolute error answers medians, and every text says so."""

import math

import numpy as np
import pytest

import treewright as tw

X = {"x": [1, 2, 3, 4, 5, 6, 7, 8]}
Y = [1.0, 2.0, 3.0, 100.0, 10.0, 20.0, 30.0, 900.0]


@pytest.fixture(scope="module")
def tree():
    made = tw.TreeRegressor(criterion="absolute_error", max_leaf_nodes=2, n_jobs=1)
    return made.fit(X, Y).tree_


def test_no_reader_calls_the_median_a_mean(tree):
    said = [tree.text(), str(tree.rules()), str(tw.explain(tree, {"x": 1}))]
    said += [tree.to_svg(), tree.to_dot()]
    assert all("median" in each for each in said[:4])
    assert not any("mean " in each.replace("mean distance", "") for each in said)
    mean = tw.TreeRegressor(max_leaf_nodes=2, n_jobs=1).fit(X, Y).tree_
    assert "mean" in mean.text()
    assert "median" not in mean.text()


def test_a_median_has_no_interval(tree):
    said = [str(rule) for rule in tree.rules()]
    assert said == [
        "IF x <= 7.5 THEN y = 10  (7 rows, 87.5%; median)",
        "IF x > 7.5 THEN y = 900  (1 row, 12.5%; median)",
    ]
    for rule in tree.rules():
        assert all(map(math.isnan, rule.interval))
        assert rule.to_dict()["interval"] == [None, None]


def test_why_shows_the_distances_from_the_median(tree):
    found = tw.why(tree, 0, X, Y)
    for branch, node in zip(found.chosen.branches, (1, 2), strict=True):
        assert branch.median == tree.data.value[node, 0]
    here = found.here
    off = np.abs(np.array(Y) - here.median).sum()
    assert here.median == 15.0
    assert f"median 15, absolute errors {off:,.0f}" in str(found)
    assert f"Σ|y - 15| / 8 = {off:,.0f}/8" in str(found)
    assert "RSS" not in str(found)
