"""The classic family against rpart's surrogates, Weka's Id3 and J48, and hand counts.

rpart's splits and surrogates are looked for at the rows of its own nodes, so that no
tie hides what lies below it. J48's trees must be ours, node by node.
"""

import math

import numpy as np
import pandas as pd
import pytest

from support.oracle_files import data_of, fits_of, is_here, oracle, rows_by_node
from support.strategies import categorical, make_table, numeric
from treewright.growing.impurity import gain, gain_ratio, split_information
from treewright.growing.reference.choose import offers_of
from treewright.growing.reference.grow import grow_nodes
from treewright.growing.reference.known import gini_gain_at_node
from treewright.growing.reference.layout import preorder
from treewright.growing.reference.ratio import split_information as own_information
from treewright.options import GrowOptions
from treewright.tree.data import MULTIWAY, SUBSET, THRESHOLD

# rpart's surrogates ------------------------------------------------------------------

SMALL = (
    "rpart_kyphosis",
    "rpart_stagec",
    "rpart_car_test_frame",
    "rpart_penguins",
    "rpart_heart",
)
LARGER = (
    ("rpart_titanic", "default"),
    ("rpart_titanic", "usesurrogate0"),
    ("rpart_hitters", "default"),
    ("rpart_carseats", "default"),
)
# rpart drops a surrogate when a better one is put before a full list of two.
ONE_FEWER = {("rpart_stagec", "maxsurrogate2_cp0_minsplit10", 6)}


def rpart_fits():
    wanted = [(name, fit) for name in SMALL for fit in fits_of(name)]
    wanted += [
        (name, fit)
        for name, fit_name in LARGER
        for fit in fits_of(name)
        if fit["name"] == fit_name
    ]
    for name, fit in wanted:
        if not {"prior", "loss"} & set(fit["call"].get("parms", {})):
            yield pytest.param(name, fit, id=f"{name}-{fit['name']}")


def rpart_options(fit):
    control = fit["call"]["control"]
    is_information = fit["call"].get("parms", {}).get("split") == "information"
    least = control.get("minbucket", round(control.get("minsplit", 20) / 3))
    by_majority = control.get("usesurrogate", 2) == 2
    return GrowOptions(
        criterion="squared_error"
        if fit["call"]["method"] == "anova"
        else ("entropy" if is_information else "gini"),
        missing="surrogate",
        conventions="rpart",
        max_depth=1,
        min_samples_leaf=max(1, least),
        max_surrogates=control.get("maxsurrogate", 5),
        surrogate_agreement=("all", "known")[control.get("surrogatestyle", 0)],
        surrogate_fallback="majority" if by_majority else "stop",
    )


def rpart_table(answer, part):
    columns = []
    for name in answer["predictors"]:
        if answer["types"].get(name) == "factor":
            values = [None if pd.isna(v) else str(v) for v in part[name]]
            columns.append(categorical(name, values, answer["levels"][name]))
        else:
            columns.append(numeric(name, part[name].to_numpy(np.float64)))
    y = part[answer["response"]]
    if "classes" in answer:
        return make_table(columns, y.astype(str).tolist(), classes=answer["classes"])
    return make_table(columns, [float(value) for value in y])


@pytest.mark.parametrize(("name", "fit"), list(rpart_fits()))
def test_splits_and_surrogates_are_rparts_at_every_node(name, fit):
    answer, frame = oracle(name), data_of(name)
    rows_of = rows_by_node(fit, len(frame))
    tied = {tie["node"] for tie in fit.get("ties", [])}
    for node in fit["nodes"]:
        if node["var"] is None:
            continue
        rows = rows_of(node["id"])
        options = rpart_options(fit)
        grower, root = grow_nodes(rpart_table(answer, frame.iloc[rows]), options)
        assert root.split is not None
        improve = float(root.gain * grower.target.unit()) * node["n"]
        check_improvement(improve, node, fit)
        names = answer["predictors"]
        turned = turned_round(root.split, node["split"], names)
        if turned is None and node["id"] in tied:
            continue
        assert turned is not None
        assert root.n_missing == node["n"] - node["split"]["n"]
        expected = node.get("surrogates", [])
        ours = root.surrogates
        if (name, fit["name"], node["id"]) in ONE_FEWER:
            ours = ours[: len(expected)]
        check_surrogates(ours, expected, turned, names)
        if fit["call"]["control"].get("usesurrogate", 2) > 0:
            routed = root.surrogate_rows[: len(expected)]
            assert routed == [each["n"] for each in expected]


def check_improvement(improve, node, fit):
    expected = node["split"]["improve"]
    if fit["call"]["method"] == "anova":
        expected *= node["dev"]
    if fit["call"].get("parms", {}).get("split") == "information":
        improve *= math.log(2)  # nats
    assert improve == pytest.approx(expected, rel=1e-9, abs=1e-9)


def turned_round(split, theirs, names):
    """Whether our left is rpart's right; None if it is another split."""
    if names[split.column] != theirs["var"]:
        return None
    if "cut" in theirs:
        same = split.threshold == pytest.approx(theirs["cut"], rel=1e-9)
        return theirs["left"] == ">=" if same else None
    ours, groups = [set(codes) for codes in split.groups], groups_of(theirs["to"])
    return ours == groups[::-1] if ours in (groups, groups[::-1]) else None


def groups_of(letters):
    return [{i for i, to in enumerate(letters) if to == side} for side in "LR"]


def check_surrogates(ours, theirs, turned, names):
    assert [names[each.column] for each in ours] == [each["var"] for each in theirs]
    for mine, other in zip(ours, theirs, strict=True):
        assert float(mine.agree) == pytest.approx(other["agree"], rel=1e-12)
        assert float(mine.adjust) == pytest.approx(other["adj"], rel=1e-12)
        if "cut" in other:
            assert mine.threshold == pytest.approx(other["cut"], rel=1e-9)
            assert mine.flip == ((other["left"] == ">=") != turned)
        else:
            groups = groups_of(other["to"])
            assert list(map(set, mine.groups)) == (groups[::-1] if turned else groups)


# Weka --------------------------------------------------------------------------------


def weka_fits(wanted):
    for name in ("play_tennis", "weather_numeric", "spam_email_8", "contact_lenses"):
        yield from wanted_fits(name, wanted)
    for name in ("iris", "titanic", "heart", "car_evaluation", "german_credit"):
        yield from wanted_fits(name, wanted)


def wanted_fits(name, wanted):
    for fit in fits_of(f"weka_{name}"):
        if wanted(fit):
            yield pytest.param(f"weka_{name}", fit, id=f"{name}-{fit['name']}")


def weka_table(name):
    answer = oracle(name)
    frame = data_of(name)
    columns = []
    for column, labels in answer["attributes_in_order"].items():
        if labels == "numeric":
            columns.append(numeric(column, frame[column].to_numpy(np.float64)))
        else:
            texts = [text_of(value) for value in frame[column]]
            columns.append(categorical(column, texts, labels))
    y = [text_of(value) for value in frame[answer["target"]]]
    return make_table(columns, y, classes=answer["classes"])


def text_of(value):
    if pd.isna(value):
        return None
    if isinstance(value, float):
        return f"{value:g}"
    return str(value).upper() if isinstance(value, bool | np.bool_) else str(value)


def errors(node):
    return node.sums.weight - max(node.sums.parts)


def collapse(root):
    """Cut what does not lower the training errors, from the top, as J48 does."""
    below = {}
    for node in reversed(preorder(root)):
        below[id(node)] = sum(below[id(child)] for child in node.children)
        below[id(node)] += 0 if node.children else errors(node)
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.children and below[id(node)] >= errors(node) - 1e-3:
            node.children = []
        waiting += node.children


@pytest.mark.parametrize(
    ("name", "fit"), list(weka_fits(lambda fit: fit["name"].startswith("J48 -U")))
)
def test_the_tree_is_j48s(name, fit):
    least = float(fit["options"][fit["options"].index("-M") + 1])
    options = GrowOptions(method="c45", conventions="j48", min_branch_weight=least)
    _, root = grow_nodes(weka_table(name), options)
    collapse(root)
    assert len(preorder(root)) == fit["size"]
    assert_same_as_weka(name, root, fit["tree"])


@pytest.mark.parametrize(
    ("name", "fit"), list(weka_fits(lambda fit: fit["name"] == "Id3"))
)
def test_the_tree_is_wekas_id3(name, fit):
    _, root = grow_nodes(weka_table(name), GrowOptions(method="id3"))
    assert_same_as_weka(name, root, fit["tree"])


def assert_same_as_weka(name, root, tree):
    answer = oracle(name)
    columns = list(answer["attributes_in_order"])
    waiting = [(root, tree)]
    while waiting:
        ours, theirs = waiting.pop()
        if not ours.children:
            assert_same_leaf(ours, theirs, answer["classes"])
            continue
        split, branches = ours.split, theirs["branches"]
        assert columns[split.column] == theirs["attr"]
        if split.kind == THRESHOLD:
            printed = float(branches[0]["value"])
            assert split.threshold == pytest.approx(printed, rel=1e-6)
        else:
            labels = answer["attributes_in_order"][theirs["attr"]]
            values = [branch["value"] for branch in branches]
            # Id3 shows empty branches, which ours does not have.
            present = [values.index(labels[codes[0]]) for codes in split.groups]
            for place in set(range(len(values))) - set(present):
                assert branches[place]["child"]["class"] in (None, "null")
            branches = [branches[place] for place in present]
        waiting += [
            (child, branch["child"])
            for child, branch in zip(ours.children, branches, strict=True)
        ]


def assert_same_leaf(ours, theirs, classes):
    parts = ours.sums.parts
    label = parts.index(max(parts)) if ours.rows else ours.label
    assert classes[label] == theirs["class"]
    if "n" in theirs:  # with two decimals
        assert float(ours.sums.weight) == pytest.approx(theirs["n"], abs=0.0051)
        assert float(errors(ours)) == pytest.approx(theirs["errors"], abs=0.0051)


# By hand -----------------------------------------------------------------------------

HAND = {
    "play_tennis": ("PlayTennis", ["Outlook", "Temperature", "Humidity", "Wind"]),
    "spam_email_8": ("spam", ["word_count", "sender", "contains_free"]),
}


def hand_nodes():
    for table, nodes in oracle("hand_split_tables")["tables"].items():
        for name, node in nodes.items():
            yield pytest.param(table, name, node, id=f"{table}-{name}")


@pytest.mark.parametrize(("table", "name", "node"), list(hand_nodes()))
def test_every_candidate_of_the_reference_has_the_gain_counted_by_hand(
    table, name, node
):
    for criterion, kinds in (
        ("entropy", (THRESHOLD, SUBSET)),
        ("misclassification", (THRESHOLD, SUBSET)),
    ):
        found = candidates_at(table, name, GrowOptions(criterion=criterion))
        compare_with_hand(found, node, criterion, kinds)
    found = candidates_at(table, name, GrowOptions(method="id3"), but="word_count")
    compare_with_hand(found, node, "entropy", (MULTIWAY,))


def candidates_at(table, name, options, but=None):
    """Every split at a node, its gain, its Gini gain and its split information."""
    target, columns = HAND[table]
    frame = data_of(f"weka_{table}")
    if name != "root":
        column, value = name.split("=")
        frame = frame[frame[column] == value]
    columns = [column for column in columns if column != but]
    made = [
        numeric(c, frame[c].to_numpy(float))
        if c == "word_count"
        else categorical(c, frame[c].tolist())
        for c in columns
    ]
    grower, root = grow_nodes(make_table(made, frame[target].tolist()), options)
    levels = grower.levels(root)
    offers = offers_of(levels, root.impurity, grower.target, grower.rules)
    for offer in offers:
        labels = grower_labels(made[offer.levels.column])
        for split, found in zip(offer.allowed, offer.gains, strict=True):
            what = described(split, columns, labels)
            numbers = (found, gini_gain_at_node(split), own_information(split))
            yield what, [float(number) for number in numbers]


def grower_labels(column):
    return getattr(column, "labels", ())


def described(split, columns, labels):
    name = columns[split.column]
    if split.kind == THRESHOLD:
        return name, split.threshold
    groups = [frozenset(labels[code] for code in codes) for codes in split.groups]
    return name, split.kind, frozenset(groups)


def compare_with_hand(found, node, criterion, kinds):
    expected = {
        key: split
        for split in node["splits"]
        if (key := key_of(split))[-1] is not None and kind_of(split) in kinds
    }
    seen = dict(found)
    names = {key[0] for key in seen}
    wanted = {key for key in expected if key[0] in names}
    assert wanted
    # Prefixes are enough for two classes; hand counting lists every grouping.
    assert set(seen) <= wanted
    for key, (gain_found, gini_found, information) in seen.items():
        split = expected[key]
        gain_name = {
            "entropy": "info_gain_bits",
            "misclassification": "misclassification_decrease",
        }[criterion]
        assert gain_found == pytest.approx(split[gain_name], abs=1e-12)
        assert gini_found == pytest.approx(split["gini_decrease"], abs=1e-12)
        assert information == pytest.approx(split["split_info_bits"], abs=1e-12)
        if criterion == "entropy":
            ratio = gain_found / information
            assert ratio == pytest.approx(split["gain_ratio"], abs=1e-12)


def kind_of(split):
    kinds = {"threshold": THRESHOLD, "binary_subset": SUBSET, "multiway": MULTIWAY}
    return kinds[split["kind"]]


def key_of(split):
    if split["kind"] == "threshold":
        return split["attr"], split["midpoint"]
    if split["kind"] == "multiway":
        groups = frozenset(frozenset([value]) for value in split["values"])
    else:
        groups = frozenset([frozenset(split["left"]), frozenset(split["right"])])
    return split["attr"], kind_of(split), groups


@pytest.mark.parametrize(("table", "name", "node"), list(hand_nodes()))
def test_gain_ratios_counted_by_hand(table, name, node):
    for split in node["splits"]:
        counts = split["counts"]
        sizes = [sum(each) for each in counts]
        own = split_information(counts=sizes)
        assert own == pytest.approx(split["split_info_bits"], abs=1e-12)
        assert gain_ratio(counts=counts) == pytest.approx(split["gain_ratio"])
        assert gain(counts=counts, criterion="entropy") == pytest.approx(
            split["info_gain_bits"], abs=1e-12
        )


@pytest.mark.parametrize(
    "name", list(filter(is_here, ["weka_play_tennis", "weka_contact_lenses"]))
)
def test_gains_and_ratios_of_the_root_are_wekas(name):
    table, scores = weka_table(name), oracle(name)["attribute_scores_at_root"]
    y = table.target.codes
    for column in table.columns:
        found = gain(y, column.codes, "entropy")
        assert found == pytest.approx(scores["info_gain"][column.name], abs=5.1e-5)
        found = gain_ratio(y, column.codes)
        assert found == pytest.approx(scores["gain_ratio"][column.name], abs=5.1e-5)
