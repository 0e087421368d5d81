"""The answers of established programs: scikit-learn, rpart, and counting by hand.

tests/oracles/README.md says how they were made. scikit-learn's trees must be ours, node
by node, up to ties. rpart looks at each column on the rows known in it, so its splits
are checked one column at a time, at the rows of its own nodes.
"""

import math

import numpy as np
import pytest

from support.oracle_files import data_of, fits_of, oracle, rows_by_node
from support.strategies import GROWERS, categorical, grower, make_table, numeric, take
from treewright.growing.impurity import gain, impurity
from treewright.options import GrowOptions
from treewright.tree.data import IS_MISSING, THRESHOLD
from treewright.tree.walk import children

# scikit-learn ------------------------------------------------------------------------

SKLEARN = (
    "sklearn_iris",
    "sklearn_breast_cancer",
    "sklearn_diabetes",
    "sklearn_california_first3000",
    "sklearn_penguins_nan",
    "sklearn_titanic_nan",
)
OURS = {
    "gini": "gini",
    "entropy": "entropy",
    "log_loss": "log_loss",
    "squared_error": "squared_error",
    "friedman_mse": "squared_error",  # the same, and deprecated
    "poisson": "poisson",
}


def sklearn_fits():
    for name in SKLEARN:
        for fit in fits_of(name):
            if fit["params"]["criterion"] not in OURS or "monotonic" in fit["name"]:
                continue  # absolute_error, monotonic constraints: not of this library
            for which in GROWERS:
                if which == "fast" or suits_reference(name, fit):
                    yield pytest.param(
                        which, name, fit, id=f"{which}-{name}-{fit['name']}"
                    )


def suits_reference(name, fit):
    """Whether the slow reference grows this in good time."""
    if name == "sklearn_breast_cancer":
        return fit["name"] in ("gini_max_depth3", "entropy_max_depth3")
    return name == "sklearn_iris" or fit["node_count"] <= 20


def sklearn_table(name, fit):
    answer = oracle(name)
    frame = data_of(name)
    # scikit-learn casts to float32.
    columns = [
        numeric(each, frame[each].to_numpy(np.float32), np.float32)
        for each in answer["features"]
    ]
    y = frame[answer["target"]]
    classes = answer.get("classes")
    if classes:
        return make_table(columns, y.astype(str).tolist(), weights(fit, y), classes)
    return make_table(columns, [float(v) for v in y], weights(fit, y))


def weights(fit, y):
    if "sample_weight" in fit:
        assert fit["sample_weight"].startswith("(row mod 3) + 1")
        return np.arange(len(y)) % 3 + 1
    if fit["params"].get("class_weight") == "balanced":
        counts = y.value_counts()
        return (len(y) / (len(counts) * y.map(counts))).to_numpy()
    return None


@pytest.mark.parametrize(("which", "name", "fit"), list(sklearn_fits()))
def test_the_tree_is_scikit_learns_up_to_ties(which, name, fit):
    table = sklearn_table(name, fit)
    ours = grower(which)(table, GrowOptions(**rules_of(fit)))
    theirs = SklearnTree(table, fit)
    pairs = [(0, 0, np.arange(table.n_rows))]
    decided_otherwise = False
    while pairs:
        mine, other, rows = pairs.pop()
        theirs.assert_same_evidence(ours, mine, other)
        we_split, they_split = ours.subtree_size[mine] > 1, theirs.splits(other)
        if not (decided_otherwise and "max_leaf_nodes" in fit["params"]):
            assert we_split == they_split  # else a tie has moved the budget of leaves
        if not (we_split and they_split):
            continue
        below = theirs.children_like_ours(ours, mine, other, rows)
        if below:
            pairs += zip(children(ours, mine), *below, strict=True)
        else:
            theirs.assert_tie(ours, mine, other, rows)
            decided_otherwise = True


@pytest.mark.parametrize(("which", "name", "fit"), list(sklearn_fits()))
def test_every_split_of_scikit_learn_is_ours_or_a_tie(which, name, fit):
    # At the rows of each of its nodes, so that no tie hides what lies below it.
    rules = rules_of(fit)
    share = rules.pop("min_weight_fraction_leaf", 0.0)
    for name_of_limit in ("max_depth", "max_leaf_nodes", "min_impurity_decrease"):
        rules.pop(name_of_limit, None)
    table = sklearn_table(name, fit)
    theirs = SklearnTree(table, fit)
    for other, rows in theirs.inner_nodes():
        rules["min_samples_leaf"] = max(
            fit["params"].get("min_samples_leaf", 1), math.ceil(share * table.n_rows)
        )
        ours = grower(which)(take(table, rows), GrowOptions(**rules, max_depth=1))
        theirs.assert_same_evidence(ours, 0, other)
        if not theirs.children_like_ours(ours, 0, other, rows):
            theirs.assert_tie(ours, 0, other, rows)


def rules_of(fit):
    rules = {k: v for k, v in fit["params"].items() if k != "class_weight"}
    return rules | {"criterion": OURS[rules["criterion"]]}


class SklearnTree:
    """A tree of scikit-learn, with the rows of its nodes."""

    def __init__(self, table, fit):
        self.tree = fit["tree"]
        self.x = [column.values.astype(np.float64) for column in table.columns]
        self.ties = {tie["node"]: tie for tie in fit["ties"]} if "ties" in fit else None

    def splits(self, node):
        return self.tree["children_left"][node] >= 0

    def sides(self, node, rows):
        """Children and their rows."""
        x = self.x[self.tree["feature"][node]][rows]
        missing_left = self.tree.get("missing_go_to_left", {node: False})[node]
        at = float(self.tree["threshold"][node])  # "inf": missing against known
        goes_left = np.where(np.isnan(x), bool(missing_left), x <= at)
        below = self.tree["children_left"][node], self.tree["children_right"][node]
        return below, (rows[goes_left], rows[~goes_left])

    def inner_nodes(self):
        """Every node that is split, with its rows."""
        waiting = [(0, np.arange(len(self.x[0])))]
        while waiting:
            node, rows = waiting.pop()
            if self.splits(node):
                yield node, rows
                waiting += zip(*self.sides(node, rows), strict=True)

    def assert_same_evidence(self, ours, mine, node):
        assert ours.n_rows[mine] == self.tree["n_node_samples"][node]
        assert ours.impurity[mine] == pytest.approx(
            self.tree["impurity"][node], rel=1e-9, abs=1e-9 * self.tree["impurity"][0]
        )
        value = ours.value[mine]
        if ours.is_classifier:
            value = value / value.sum()
        expected = np.atleast_1d(self.tree["value"][node])
        np.testing.assert_allclose(value, expected, rtol=1e-9, atol=1e-12)

    def children_like_ours(self, ours, mine, node, rows):
        """Their children and rows in our order, or None if we divide otherwise."""
        below, sides = self.sides(node, rows)
        left = rows[our_left(ours, mine, self.x, rows)]
        if np.array_equal(left, sides[0]):
            self.assert_same_threshold(ours, mine, node)
            return below, sides
        if np.array_equal(left, sides[1]):
            return below[::-1], sides[::-1]
        return None

    def assert_same_threshold(self, ours, mine, node):
        if ours.feature[mine] == self.tree["feature"][node]:
            assert ours.split_kind[mine] == THRESHOLD
            assert ours.threshold[mine] == self.tree["threshold"][node]

    def assert_tie(self, ours, mine, node, rows):
        """Ours gains as much, and stands in the list of equally good splits."""
        below, _ = self.sides(node, rows)
        count = self.tree.get("weighted_n_node_samples", self.tree["n_node_samples"])
        before = self.tree["impurity"][node]
        after = sum(count[b] * self.tree["impurity"][b] for b in below) / count[node]
        near = 1e-9 * before
        assert ours.gain[mine] == pytest.approx(before - after, rel=1e-8, abs=near)
        if self.ties is not None:
            key = next(k for k in self.ties[node] if k.startswith("equally_good"))
            assert any(is_ours(ours, mine, each) for each in self.ties[node][key])


def our_left(tree, node, x, rows):
    """Which rows our split sends left."""
    values = x[tree.feature[node]][rows]
    gone = np.isnan(values)
    if tree.split_kind[node] == IS_MISSING:
        return gone
    return np.where(gone, tree.missing_route[node] == 0, values <= tree.threshold[node])


def is_ours(tree, node, listed):
    """Whether a listed [feature, threshold] is our split; None: missing or known."""
    if listed[0] != tree.feature[node]:
        return False
    if listed[1] is None:
        return tree.split_kind[node] == IS_MISSING
    return listed[1] == pytest.approx(tree.threshold[node])


# rpart -------------------------------------------------------------------------------

RPART = (
    "rpart_kyphosis",
    "rpart_stagec",
    "rpart_car_test_frame",
    "rpart_solder_poisson",
    "rpart_titanic",
    "rpart_heart",
    "rpart_hitters",
    "rpart_carseats",
    "rpart_penguins",
    "rpart_adult_first5000",
    "rpart_adult_all_rows",
)
BY_REFERENCE = {("rpart_kyphosis", "default"), ("rpart_car_test_frame", "default")}
BY_REFERENCE |= {("rpart_stagec", "default"), ("rpart_penguins", "default")}


def rpart_fits():
    for name in RPART:
        for fit in fits_of(name):
            if {"prior", "loss"} & set(fit["call"].get("parms", {})):
                continue  # altered priors change what a gain is
            for which in GROWERS:
                if which == "fast" or (name, fit["name"]) in BY_REFERENCE:
                    yield pytest.param(
                        which, name, fit, id=f"{which}-{name}-{fit['name']}"
                    )


@pytest.mark.parametrize(("which", "name", "fit"), list(rpart_fits()))
def test_every_column_reaches_rparts_improvement_at_every_node(which, name, fit):
    grow = grower(which)
    answer, frame = oracle(name), data_of(name)
    rows_of = rows_by_node(fit, len(frame))
    n_checked = 0
    for node in fit["nodes"]:
        rows = rows_of(node["id"])
        if node["var"] is None or rows is None:
            continue
        assert len(rows) == node["n"]
        for split in [node["split"], *node["competitors"]]:
            part = frame.iloc[rows]
            if fit["call"]["method"] == "poisson" and empties(answer, part, split):
                continue  # rpart lets a branch have no event at all; we do not
            found = best_of_column(grow, answer, part, split["var"], fit)
            check_improvement(found, split, node, fit)
            n_checked += 1
    assert n_checked


def best_of_column(grow, answer, part, column, fit):
    """Our best split of one column, on the rows known in it."""
    part = part[part[column].notna()]
    if answer["types"].get(column) == "factor":
        values = part[column].astype(str).tolist()
        x = categorical(column, values, answer["levels"][column])
    else:
        x = numeric(column, part[column].to_numpy(np.float64))
    method = fit["call"]["method"]
    y = part[answer["response"]]
    if method == "class":
        table = make_table([x], y.astype(str).tolist(), classes=answer["classes"])
    else:
        table = make_table([x], [float(value) for value in y])
    control = fit["call"]["control"]
    least = control.get("minbucket", round(control.get("minsplit", 20) / 3))
    is_information = fit["call"].get("parms", {}).get("split") == "information"
    criterion = {"anova": "squared_error", "poisson": "poisson"}.get(
        method, "entropy" if is_information else "gini"
    )
    options = GrowOptions(
        criterion=criterion, max_depth=1, min_samples_leaf=max(1, least)
    )
    return grow(table, options)


def empties(answer, part, split):
    """Whether a split leaves a branch whose target is 0 everywhere."""
    x = part[split["var"]]
    if "cut" in split:
        is_one = x < split["cut"]
    else:
        levels = answer["levels"][split["var"]]
        left = [each for each, to in zip(levels, split["to"], strict=True) if to == "L"]
        is_one = x.isin(left)
    y = part[answer["response"]]
    return min(y[is_one].sum(), y[~is_one].sum()) == 0


def check_improvement(found, split, node, fit):
    assert found.n_rows[0] == split["n"]
    expected = split["improve"]
    improve = found.n_rows[0] * found.gain[0]
    method = fit["call"]["method"]
    if method == "anova":
        expected *= node["dev"]
    elif method == "poisson":
        improve *= 2  # deviance, not half of it
    elif fit["call"].get("parms", {}).get("split") == "information":
        improve *= math.log(2)  # nats
    near = 1e-9 * max(1.0, abs(expected))
    # rpart tries only prefixes; under minbucket another grouping may gain more.
    assert improve >= expected - near, split
    if "cut" in split:
        assert improve == pytest.approx(expected, rel=1e-9, abs=near)
        if split is node["split"] and is_unique(fit, node):
            assert found.threshold[0] == pytest.approx(split["cut"], rel=1e-12)


def is_unique(fit, node):
    """Whether no other split of the node is as good (listed for plain fits only)."""
    return "ties" in fit and node["id"] not in {tie["node"] for tie in fit["ties"]}


# By hand -----------------------------------------------------------------------------


def hand_nodes():
    for table, nodes in oracle("hand_split_tables")["tables"].items():
        for name, node in nodes.items():
            yield pytest.param(node, id=f"{table}-{name}")


@pytest.mark.parametrize("node", list(hand_nodes()))
def test_impurities_and_gains_counted_by_hand(node):
    counts = node["counts"]
    found = impurity(counts=counts, criterion="entropy")
    assert found == pytest.approx(node["entropy_bits"])
    assert impurity(counts=counts, criterion="gini") == pytest.approx(node["gini"])
    names = {
        "entropy": "info_gain_bits",
        "gini": "gini_decrease",
        "misclassification": "misclassification_decrease",
    }
    for split in node["splits"]:
        for criterion, key in names.items():
            found = gain(counts=split["counts"], criterion=criterion)
            assert found == pytest.approx(split[key], abs=1e-12)
