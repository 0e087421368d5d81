"""rpart's trees with priors and loss matrices, node by node.

At the rows of each of rpart's nodes: probabilities, answer and risk, and the
improvement of its split, which rpart works out on the rows known in that column.
Where our own tree goes the same way, it must say the same.
"""

from functools import cache

import numpy as np
import pytest

import treewright as tw
from support.oracle_files import data_of, fit_of, only_here, oracle
from treewright.table.costs import with_costs
from treewright.tree.costs import answer_by_cost
from treewright.tree.walk import children

# The data are not ours to ship: see test_outside_oracles.
FITS = only_here(
    [
        ("rpart_kyphosis", "prior_65_35"),
        ("rpart_kyphosis", "loss_1_4"),
        ("rpart_heart", "loss_1_3"),
    ]
)


@cache
def read(name, fit):
    answer, frame, found = oracle(name), data_of(name), fit_of(name, fit)
    X = frame[answer["predictors"]]
    y = frame[answer["response"]].astype(str)
    assert sorted(set(y)) == answer["classes"]
    return X, y.to_numpy(), found


def settings(fit):
    parms = fit["call"]["parms"]
    return {"costs": parms.get("loss"), "priors": parms.get("prior")}


def rows_of(fit, node):
    """Rows of one of rpart's nodes: node k has the children 2k and 2k + 1."""
    inside = []
    for leaf in fit["leaf_of_row"]:
        at = leaf
        while at > node:
            at //= 2
        inside.append(at == node)
    return np.array(inside)


@pytest.mark.parametrize(("name", "fit"), FITS)
def test_every_node_says_what_rpart_says(name, fit):
    X, y, fit = read(name, fit)
    costs, priors = settings(fit)["costs"], settings(fit)["priors"]
    weights = with_costs(tw.as_table(X, y), None, priors).weights
    weights = np.ones(len(y)) if weights is None else weights
    classes, codes = np.unique(y, return_inverse=True)
    for node in fit["nodes"]:
        rows = rows_of(fit, node["id"])
        assert rows.sum() == node["n"]
        value = np.bincount(codes[rows], weights[rows], len(classes))
        label, risk = answer_by_cost([value], costs)
        assert value / value.sum() == pytest.approx(node["prob"])
        assert value.sum() / len(y) == pytest.approx(node["nodeprob"])
        assert classes[label[0]] == node["yval"]
        assert risk[0] * value.sum() == pytest.approx(node["dev"])


@pytest.mark.parametrize(("name", "fit"), FITS)
def test_every_improvement_is_the_gain_of_altered_weights(name, fit):
    X, y, fit = read(name, fit)
    altered = with_costs(tw.as_table(X, y), **settings(fit)).weights
    altered = altered * (len(y) / altered.sum())  # rpart's total is that of the rows
    checked = 0
    for node in fit["nodes"]:
        rows = rows_of(fit, node["id"])
        splits = [node["split"], *node["competitors"]] if node["var"] else []
        for split in splits:
            known = rows & X[split["var"]].notna().to_numpy()
            assert known.sum() == split["n"]
            column = X.loc[known, [split["var"]]]
            stump = tw.TreeClassifier(max_depth=1, min_samples_leaf=7, prune=None)
            tree = stump.fit(column, y[known], altered[known]).tree_
            assert tree.gain[0] * tree.weight[0] == pytest.approx(split["improve"])
            checked += 1
    assert checked >= 4


@pytest.mark.parametrize(("name", "fit"), FITS)
def test_our_tree_is_rparts_as_far_as_it_goes_the_same_way(name, fit):
    X, y, fit = read(name, fit)
    theirs = {node["id"]: node for node in fit["nodes"]}
    grown = tw.TreeClassifier(
        prune=None, min_samples_split=20, min_samples_leaf=7, **settings(fit)
    ).fit(X, y)
    tree = grown.tree_
    pairs, met = [(0, 1)], 0
    while pairs:
        mine, other = pairs.pop()
        node = theirs[other]
        met += 1
        value = tree.value[mine]
        assert tree.n_rows[mine] == node["n"]
        assert value / value.sum() == pytest.approx(node["prob"])
        assert tree.classes[tree.label[mine]] == node["yval"]
        assert tree.data.weighted_risk[mine] * len(y) == pytest.approx(node["dev"])
        below = children(tree.data, mine)
        if not (node["var"] and below and tree.split(mine).feature == node["var"]):
            continue
        ours = [
            set(np.flatnonzero(np.isin(grown.apply(X), inside(tree, c)))) for c in below
        ]
        for child in (2 * other, 2 * other + 1):
            same = [
                c
                for c, rows in zip(below, ours, strict=True)
                if rows == set(np.flatnonzero(rows_of(fit, child)))
            ]
            pairs += [(c, child) for c in same]
    assert met >= (1 if name == "rpart_heart" else len(theirs))


def inside(tree, node):
    return np.arange(node, node + tree.subtree_size[node])
