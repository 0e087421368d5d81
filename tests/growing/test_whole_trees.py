"""Whole trees of other programs, grown by the core through `like(...)`.

rpart's trees are compared node by node from the root: rows, split, improvement, risk,
surrogates, and the answers to rows with missing values. Where ours takes another of
several equally good splits, `TIES` names the node, and nothing below it is compared.
"""

import math

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from growing.test_classic_oracles import weka_fits, weka_table
from support.oracle_files import data_of, fits_of, only_here, oracle
from support.strategies import assert_same_tree
from treewright.growing.grow import grow
from treewright.growing.reference import grow_reference
from treewright.options import GrowOptions
from treewright.pruning.pessimistic import collapse_useless
from treewright.tree.walk import children

RPART = (
    "rpart_kyphosis",
    "rpart_stagec",
    "rpart_car_test_frame",
    "rpart_titanic",
    "rpart_heart",
    "rpart_hitters",
    "rpart_carseats",
    "rpart_penguins",
    "rpart_solder_poisson",
)
TIES = {
    ("rpart_car_test_frame", "cp0_minsplit2", 24): "Price and Country",
    ("rpart_car_test_frame", "cp0_minsplit2", 29): "Price and Reliability",
    ("rpart_penguins", "cp0_minsplit2", 9): "bill_depth_mm and sex",
    ("rpart_penguins", "cp0_minsplit2", 10): "bill_length_mm and bill_depth_mm",
}
"""Nodes of rpart at which the first of equally good columns is another one of ours."""
NOT_OURS = {
    ("rpart_stagec", "maxsurrogate0"): "training rows stop, rows to predict do not",
    ("rpart_titanic", "maxsurrogate0_cp0.002"): "the same",
    ("rpart_solder_poisson", "default"): "shrink=1 moves rates to the mean",
    ("rpart_solder_poisson", "cp0.001"): "the same",
}
ONE_FEWER = {("rpart_stagec", "maxsurrogate2_cp0_minsplit10")}
"""rpart drops a surrogate when a better one comes before a full list of two."""


def rpart_fits():
    for name in RPART:
        for fit in fits_of(name):
            if (name, fit["name"]) not in NOT_OURS:
                yield pytest.param(name, fit, id=f"{name}-{fit['name']}")


def like_rpart(fit):
    call = fit["call"]
    settings = {**call["control"], **call.get("parms", {})}
    if call["method"] == "class":
        return tw.TreeClassifier.like("rpart", **settings)
    return tw.TreeRegressor.like("rpart", method=call["method"], **settings)


def as_frame(answer, frame):
    frame = frame[answer["predictors"]].copy()
    for name in answer["predictors"]:
        if answer["types"].get(name) == "factor":
            texts = [None if pd.isna(value) else str(value) for value in frame[name]]
            frame[name] = pd.Categorical(texts, answer["levels"][name])
        else:
            frame[name] = pd.to_numeric(frame[name])
    return frame


def fitted(name, fit):
    answer, frame = oracle(name), data_of(name)
    frame = frame[frame[answer["response"]].notna()]
    y = frame[answer["response"]]
    y = y.astype(str) if "classes" in answer else y.astype(float)
    X = as_frame(answer, frame)
    return like_rpart(fit).fit(X, y.to_numpy()), X


def rows_below(fit, node):
    """Rows of one of rpart's nodes: node k has the children 2k and 2k + 1."""
    ends = np.array(fit["leaf_of_row"])
    while (ends > node).any():
        ends = np.where(ends > node, ends // 2, ends)
    return ends == node


@pytest.mark.parametrize(("name", "fit"), list(rpart_fits()))
def test_the_tree_is_rparts(name, fit):
    model, X = fitted(name, fit)
    tree, theirs = model.tree_, {node["id"]: node for node in fit["nodes"]}
    passed = model.decision_path(X).toarray() > 0
    pairs, tied = [(0, 1)], set()
    while pairs:
        mine, other = pairs.pop()
        node, below = theirs[other], children(tree.data, mine)
        check_node(tree, mine, node, fit)
        assert bool(below) == (node["var"] is not None)
        if not below:
            continue
        if (name, fit["name"], other) in TIES:
            tied.add((name, fit["name"], other))
            assert tree.split(mine).feature != node["var"]
            continue
        assert tree.split(mine).feature == node["var"]
        if (name, fit["name"]) not in ONE_FEWER:
            check_surrogates(tree, mine, node, fit)
        for child in (2 * other, 2 * other + 1):
            rows = rows_below(fit, child)
            pairs += [(c, child) for c in below if (passed[:, c] == rows).all()]
    assert tied == {key for key in TIES if key[:2] == (name, fit["name"])}
    assert tree.n_nodes == len(theirs)


def check_node(tree, mine, node, fit):
    assert tree.n_rows[mine] == node["n"]
    method = fit["call"]["method"]
    scale = tree.n_rows[0] * (2 if method == "poisson" else 1)
    assert tree.data.weighted_risk[mine] * scale == pytest.approx(node["dev"], abs=1e-7)
    if method == "class":
        value = tree.value[mine]
        assert value / value.sum() == pytest.approx(node["prob"])
        assert str(tree.classes[tree.label[mine]]) == node["yval"]
    if node["var"] and not is_reweighted(fit):
        improve = tree.gain[mine] * tree.weight[mine]
        if method == "anova":
            improve /= tree.impurity[mine] * tree.weight[mine]
        elif method == "poisson":
            improve *= 2
        elif fit["call"].get("parms", {}).get("split") == "information":
            improve *= math.log(2)
        assert improve == pytest.approx(node["split"]["improve"], rel=1e-9)


def is_reweighted(fit):
    """Whether priors or losses count: rpart judges surrogates without them, we with."""
    return bool({"prior", "loss"} & set(fit["call"].get("parms", {})))


def check_surrogates(tree, mine, node, fit):
    if fit["call"]["control"].get("usesurrogate", 2) == 0 or is_reweighted(fit):
        return  # without use, rpart lists them all the same
    ours, theirs = tree.surrogates(mine), node.get("surrogates", [])
    assert [each.feature for each in ours] == [each["var"] for each in theirs]
    assert [each.agree for each in ours] == pytest.approx([s["agree"] for s in theirs])
    assert [each.adjusted for each in ours] == pytest.approx([s["adj"] for s in theirs])
    assert [each.n_rows for each in ours] == [s["n"] for s in theirs]


@pytest.mark.parametrize(
    ("name", "fit"),
    [
        case
        for case in rpart_fits()
        if "na_test" in case.values[1] and not is_reweighted(case.values[1])
    ],
)
def test_rows_with_missing_values_are_answered_as_by_rpart(name, fit):
    answer, (model, _) = oracle(name), fitted(name, fit)
    rows = answer["na_test_rows"]
    X = as_frame(answer, pd.DataFrame(rows["rows"], columns=rows["columns"]))
    expected = np.array(fit["na_test"]["pred"], dtype=float)
    found = model.predict_proba(X) if "classes" in answer else model.predict(X)
    same = np.isclose(found, expected).reshape(len(X), -1).all(axis=1)
    if any(key[:2] == (name, fit["name"]) for key in TIES):
        assert same.mean() > 0.8  # the others end below a tie
    else:
        assert same.all()


# Weka and C5.0 -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "fit"),
    list(weka_fits(lambda fit: fit["name"].startswith(("J48 -U", "Id3")))),
)
def test_the_core_grows_what_the_slow_grower_grows_for_weka(name, fit):
    # That is Weka's tree: see test_classic_oracles.
    options = GrowOptions(method="id3")
    if fit["name"] != "Id3":
        least = float(fit["options"][fit["options"].index("-M") + 1])
        options = GrowOptions(method="c45", conventions="j48", min_branch_weight=least)
    table = weka_table(name)
    tree = grow(table, options)
    assert_same_tree(grow_reference(table, options), tree)
    if fit["name"] != "Id3":
        assert collapse_useless(tree).n_nodes == fit["size"]


C50 = [
    ("c50_play_tennis", "no_subset"),
    ("c50_play_tennis", "no_subset_no_global_pruning"),
    ("c50_play_tennis", "no_subset_CF0.1"),
    ("c50_weather_numeric", "no_subset"),
    ("c50_weather_numeric", "no_subset_no_global_pruning"),
    ("c50_iris", "no_subset_no_global_pruning"),
    ("c50_iris", "no_subset_CF0.1"),
    ("c50_car_evaluation", "no_subset_no_global_pruning"),
]
"""C5.0 admits and charges columns by other rules; here they make no difference."""


@pytest.mark.parametrize(("name", "fit_name"), only_here(C50))
def test_rows_are_answered_as_by_c50(name, fit_name):
    answer, frame = oracle(name), data_of(name)
    fit = next(each for each in answer["fits"] if each["name"] == fit_name)
    y = frame[answer["target"]].astype(str)
    confidence = fit["control"].get("CF", 0.25)
    model = tw.TreeClassifier.like("c45", c=confidence)
    X = frame[list(answer["attributes_in_order"])]
    said = model.fit(X, y.to_numpy()).predict(X).tolist()
    classes = answer["classes"]
    assert said == [classes[i] for i in fit["train_predictions_class_index"]]
