import json
import math
from dataclasses import replace

import numpy as np
import pytest

import treewright as tw
from growing.test_seeds import (
    FREE,
    HUMIDITY,
    OUTLOOK,
    PLAY,
    SENDER,
    SPAM,
    TEMPERATURE,
    WIND,
    WORDS,
)
from support.build import build, categorical, leaf, multiway
from support.strategies import case
from treewright.errors import OptionError, TableError
from treewright.growing.grow import grow
from treewright.growing.impurity import gain
from treewright.options import GrowOptions
from treewright.reading.why.why import why
from treewright.table.schema import Schema, TargetInfo
from treewright.tree.data import LEAF

DAYS = {
    "Outlook": OUTLOOK,
    "Temperature": TEMPERATURE,
    "Humidity": HUMIDITY,
    "Wind": WIND,
}
MAILS = {"words": WORDS, "sender": SENDER, "free": FREE}


def weather():
    """Seed 002's first step: one branch per outlook."""
    columns = [categorical(name, *sorted(set(v))) for name, v in DAYS.items()]
    schema = Schema(tuple(columns), TargetInfo("Play", "class", ("No", "Yes")))
    root = multiway(
        0,
        [[0], [1], [2]],
        leaf(1, 1, 1, 1),
        leaf(0, 0, 1, 1, 1),
        leaf(0, 0, 0, 1, 1),
    )
    made_by = {"method": "id3", "options": {"criterion": "entropy"}}
    return replace(build(root, schema), made_by=made_by)


def test_the_numbers_of_the_weather_days():
    found = why(weather(), 0, DAYS, PLAY)
    assert found.here.impurity == pytest.approx(0.9403, abs=5e-5)
    gains = {each.column: each.gain for each in found.candidates}
    assert gains == pytest.approx(
        {"Outlook": 0.2467, "Humidity": 0.1518, "Wind": 0.0481, "Temperature": 0.0292},
        abs=5e-5,
    )
    said = str(found)
    for number in ("0.940", "0.2467", "0.0292", "0.1518", "0.9852", "0.5917"):
        assert number in said
    assert "-5/14·log2(5/14) - 9/14·log2(9/14) = 0.9403" in said
    assert "gain = 0.9403 - (4/14·0.0000 + 5/14·0.9710 + 5/14·0.9710) = 0.2467" in said
    assert "Next best: Humidity (one branch per value), 0.0949 behind." in said


@pytest.mark.parametrize("criterion", ["gini", "entropy", "misclassification"])
@pytest.mark.parametrize("priors", [None, [0.7, 0.2, 0.1]])
@pytest.mark.parametrize("missing", ["learned", "fractional"])
def test_costs_and_priors_are_worked_out_as_they_were_grown(criterion, priors, missing):
    rng = np.random.default_rng(3)
    X = {"a": rng.normal(size=90).round(1), "b": rng.normal(size=90).round(1)}
    X["a"][::7] = np.nan
    y = rng.choice(["p", "q", "r"], 90)
    model = tw.TreeClassifier(
        criterion=criterion,
        costs=[[0, 1, 9], [2, 0, 1], [1, 3, 0]],
        priors=priors,
        missing=missing,
        max_depth=3,
        min_weight_fraction_leaf=0.043,
        prune=None,
    )
    weights = rng.integers(1, 4, 90)
    tree = model.fit(X, y, weights).tree_
    assert tree.n_leaves > 3
    for node in range(tree.n_nodes):
        found = tw.why(tree, node, X, y, weights)
        assert found.here.impurity == pytest.approx(tree.impurity[node])
        assert "Rows weigh what the tree's" in str(found)
        if found.chosen is not None:
            assert found.chosen.gain == pytest.approx(tree.gain[node])
            assert found.candidates[0].gain == pytest.approx(tree.gain[node])


@pytest.mark.parametrize("missing", ["fractional", "surrogate"])
@pytest.mark.parametrize("least", [1, 5])
def test_where_gains_are_of_known_rows_the_best_candidate_is_the_chosen(missing, least):
    for seed in range(8):
        rng = np.random.default_rng(seed)
        X = {name: rng.normal(size=90).round(1) for name in "ab"}
        X["a"][::7] = np.nan
        y = rng.choice(["p", "q", "r"], 90)
        model = tw.TreeClassifier(
            missing=missing, min_samples_leaf=least, max_depth=3, prune=None
        )
        tree = model.fit(X, y).tree_
        for node in np.flatnonzero(tree.split_kind != LEAF):
            found = tw.why(tree, int(node), X, y)
            assert found.candidates[0].words == found.chosen.words


def test_a_column_without_a_known_category_in_the_node_offers_nothing():
    X = {"a": [1.0, 2, 3, 4, 5, 6], "b": ["u", "v", "u", None, None, None]}
    y = [0, 1, 0, 5, 9, 7]
    model = tw.TreeRegressor(missing="surrogate", prune=None)
    tree = model.fit(X, y).tree_
    right = tree.children(0)[1]
    assert tree.split(0).feature == "a"
    found = tw.why(tree, right, X, y)
    assert {each.column for each in found.candidates} == {"a"}


def test_gain_ratio_of_the_weather_days():
    tree = weather()
    tree = replace(tree, made_by={**tree.made_by, "method": "c45"})
    found = why(tree, 0, DAYS, PLAY)
    outlook = next(each for each in found.candidates if each.column == "Outlook")
    assert outlook.split_information == pytest.approx(1.5774, abs=5e-5)
    assert outlook.gain_ratio == pytest.approx(0.1564, abs=5e-5)
    assert "gain ratio = 0.2467/1.5774 = 0.1564" in str(found)


def test_the_nine_gains_of_the_spam_table():
    tree = tw.TreeClassifier(prune=None, criterion="entropy").fit(MAILS, SPAM).tree_
    words = tw.why(tree, 0, MAILS, SPAM, column="words")
    assert [each.words for each in words.candidates] == [
        f"words <= {cut}" for cut in (50, 80, 150, 250, 550)
    ]
    gains = [each.gain for each in words.candidates]
    assert gains == pytest.approx([0.1379, 0.3113, 0.5488, 0.1887, 0.1379], abs=5e-5)
    sender = tw.why(tree, 0, MAILS, SPAM, column="sender")
    by_words = {each.words: each.gain for each in sender.candidates}
    assert by_words == pytest.approx(
        {"sender = Com": 0.3113, "sender in {Com, Edu}": 0.3113, "sender = Edu": 0.0},
        abs=5e-5,
    )
    assert sender.ties == ("sender = Com", "sender in {Com, Edu}")
    free = tw.why(tree, 0, MAILS, SPAM, column="free")
    assert [each.gain for each in free.candidates] == pytest.approx([0.5488], abs=5e-5)


def test_the_root_of_the_spam_table_is_a_tie_that_the_first_column_wins():
    tree = tw.TreeClassifier(prune=None, criterion="entropy").fit(MAILS, SPAM).tree_
    found = tw.why(tree, 0, MAILS, SPAM)
    assert found.ties == ("words", "free")
    assert found.chosen.column == "words"
    assert "Equal gains: words, free. The first of them wins." in str(found)
    assert "gain = 1.0000 - (3/8·0.0000 + 5/8·0.7219) = 0.5488" in str(found)


def test_a_regression_by_rss():
    X, y = {"x": [1, 2, 3, 4, 5]}, [1.0, 2.0, 9.0, 10.0, 12.0]
    tree = tw.TreeRegressor(prune=None, max_depth=1).fit(X, y).tree_
    found = tw.why(tree, 0, X, y)
    assert found.here.rss == pytest.approx(98.8)
    left, right = found.chosen.branches
    assert (left.mean, left.rss) == (1.5, pytest.approx(0.5))
    assert right.rss == pytest.approx(14 / 3)
    said = str(found)
    assert "Σ(y - 6.8)² / 5 = 98.8/5 = 19.76" in said
    assert "mean 6.8, RMSE 4.445" in said
    assert "(RMSE after: 1.017)" in said  # the root of (0.5 + 4.6667) / 5
    cuts = tw.why(tree, 0, X, y, column="x").candidates
    assert [each.split.threshold for each in cuts] == [1.5, 2.5, 3.5, 4.5]


def test_gini_and_misclassification_are_written_out():
    for criterion, said in [
        ("gini", "Gini before: 1 - (4/8)² - (4/8)² = 0.5000"),
        ("misclassification", "Misclassification before: 1 - 4/8 = 0.5000"),
    ]:
        tree = tw.TreeClassifier(prune=None, criterion=criterion).fit(MAILS, SPAM)
        assert said in str(tw.why(tree, 0, MAILS, SPAM))


@pytest.mark.parametrize(
    ("options", "reason", "missed"),
    [
        ({"min_samples_leaf": 4}, "min_samples_leaf", "1 fewer than min_samples_leaf"),
        ({"min_gain": 0.6}, "min_gain", "a gain 0.05121 below min_gain = 0.6"),
        (
            {"min_impurity_decrease": 0.6},
            "min_impurity_decrease",
            "0.05121 below min_impurity_decrease = 0.6",
        ),
        (
            {"min_weight_fraction_leaf": 0.45},
            "min_weight_fraction_leaf",
            "a branch of weight 3, 0.6 less than a leaf must have",
        ),
    ],
)
def test_a_leaf_says_what_was_refused_and_by_how_much(options, reason, missed):
    X = {"words": WORDS, "free": FREE}
    y = SPAM
    tree = tw.TreeClassifier(prune=None, criterion="entropy", **options)
    if reason in ("min_samples_leaf", "min_weight_fraction_leaf"):
        X = {"free": FREE}
    tree = tree.fit(X, y).tree_
    assert tree.n_nodes == 1
    found = tw.why(tree, 0, X, y)
    assert found.reason == reason
    assert found.chosen is None
    assert missed in found.refused.missed
    assert missed in str(found)


def test_a_pure_leaf_has_nothing_to_split_and_a_shallow_one_says_what_is_next():
    tree = tw.TreeClassifier(prune=None, max_depth=1).fit(MAILS, SPAM).tree_
    assert "A leaf. All rows have the same target." in str(tw.why(tree, 1, MAILS, SPAM))
    said = str(tw.why(tree, 2, MAILS, SPAM))
    assert "(max_depth)" in said
    assert "The next split would be sender" in said


def as_rows(table):
    """A table as X, y and weights."""
    X = {}
    for column in table.columns:
        if column.data.dtype.kind == "f":
            X[column.name] = column.data
        else:
            X[column.name] = [None if c < 0 else column.labels[c] for c in column.codes]
    target = table.target
    codes = getattr(target, "codes", None)
    y = target.values if codes is None else target.classes[codes]
    return X, y, table.weights


def test_the_working_agrees_with_every_node_of_grown_trees():
    checked = 0
    for seed in range(800, 860):
        table, options = case(seed)
        tree = grow(table, options)
        big = not tree.is_classifier and np.abs(table.target.values).max() > 1e6
        if big:
            continue
        X, y, w = as_rows(table)
        for node in np.flatnonzero(tree.split_kind != LEAF)[:4]:
            found = why(tree, node, X, y, w)
            near = 1e-9 * tree.impurity[0]
            assert found.notes == ()
            assert found.here.rows == tree.n_rows[node]
            assert found.here.impurity == pytest.approx(tree.impurity[node], abs=near)
            assert found.chosen.gain == pytest.approx(tree.gain[node], abs=near)
            assert found.candidates[0].gain == pytest.approx(tree.gain[node], abs=near)
            column = tree.schema.names[tree.feature[node]]
            every = why(tree, node, X, y, w, column=column)
            allowed = [c.gain for c in every.candidates if not c.missed]
            assert max(allowed) == pytest.approx(tree.gain[node], abs=near)
            assert str(found)
            assert str(every)
            checked += 1
        for node in np.flatnonzero(tree.split_kind == LEAF)[:3]:
            assert why(tree, node, X, y, w).reason
    assert checked > 60


def test_missing_rows_go_left_and_right_and_last_apart():
    X = {"x": [1.0, 2.0, None, None]}
    y = ["a", "b", "b", "b"]
    tree = tw.TreeClassifier(prune=None).fit(X, y).tree_
    found = tw.why(tree, 0, X, y, column="x")
    assert [each.words for each in found.candidates] == [
        "x <= 1.5 or missing",
        "x <= 1.5, not missing",
        "x is missing",
    ]
    assert [each.branches[0].words for each in found.candidates] == [
        "x <= 1.5 or missing",
        "x <= 1.5",
        "x is missing",
    ]
    worth = gain(y, [0, 1, 1, 1], "gini")
    assert found.candidates[1].gain == pytest.approx(worth)


def test_known_rows_alone_count_where_the_tree_says_so():
    X = {"c": ["u", "v", None, "v"]}
    y = ["a", "b", "b", "a"]
    tree = (
        tw.TreeClassifier(prune=None, criterion="entropy", max_depth=1)
        .fit(X, y)
        .tree_.data
    )
    options = {**tree.made_by["options"], "missing": "fractional"}
    tree = replace(tree, made_by={**tree.made_by, "options": options})
    found = why(tree, 0, X, y, column="c").candidates[0]
    assert found.known == 0.75
    assert found.gain == pytest.approx(
        0.75 * gain(["a", "b", "a"], [0, 1, 1], "entropy")
    )
    parts = [0.25, 0.5, 0.25]  # the share that is missing is one more branch
    information = -sum(f * math.log2(f) for f in parts)
    assert found.split_information == pytest.approx(information)


def test_other_rows_than_those_it_was_grown_on_are_noted():
    tree = tw.TreeClassifier(prune=None).fit(MAILS, SPAM).tree_
    fewer = {name: values[:6] for name, values in MAILS.items()}
    found = tw.why(tree, 0, fewer, SPAM[:6])
    assert "Here 6 rows reach the node; when the tree was grown there were 8." in (
        str(found)
    )


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error"])
def test_a_branch_that_no_row_goes_down_has_no_mean(criterion):
    X, y = {"x": [1.0, 2.0, 3.0, 4.0]}, [1.0, 1.0, 5.0, 6.0]
    model = tw.TreeRegressor(prune=None, max_depth=1, criterion=criterion)
    tree = model.fit(X, y).tree_
    found = tw.why(tree, 0, {"x": [1.0, 2.0]}, [1.0, 1.5])
    assert found.chosen.words == "x <= 2.5"
    assert found.chosen.gain == 0.0
    empty = found.chosen.branches[1]
    assert (empty.rows, empty.weight, empty.rss, empty.impurity) == (0, 0, 0, 0)
    assert math.isnan(empty.mean)
    assert "x <= 1.5 gains " in str(found)
    made = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert made["chosen"]["branches"][1]["mean"] is None


def test_a_column_that_was_set_aside_says_why():
    X = {"a": [1.0, 2, 3, 4] * 50, "id": [f"id{k}" for k in range(200)]}
    y = [0, 0, 1, 1] * 50
    tree = tw.TreeClassifier(prune=None, findings="ignore").fit(X, y).tree_
    with pytest.raises(OptionError) as refused:
        tw.why(tree, 0, X, y, column="id")
    assert str(refused.value) == (
        "Column 'id' was set aside when growing: 200 of 200 known values occur only "
        "once, so the column tells rows apart, not classes; pass "
        "kinds={'id': 'categorical'} to use it."
    )


@pytest.mark.parametrize("values", [[None] * 20, ["z"] * 20, [7.0] * 20])
def test_a_column_with_nothing_to_divide_says_so(values):
    X, y = {"a": [1.0, 2, 3, 4] * 5, "same": values}, [0, 0, 1, 1] * 5
    tree = tw.TreeClassifier(prune=None, findings="ignore").fit(X, y).tree_
    found = tw.why(tree, 0, X, y, column="same")
    assert found.candidates == ()
    words = (
        "Column same offers no split: the rows of this node have fewer than two "
        "different values in it."
    )
    assert words in str(found)
    assert "No split is allowed" not in str(found)  # a is split
    assert "Chosen: a <= 2.5, gain 0.5000." in str(found)
    assert words in found._repr_html_()
    assert "<table" not in found._repr_html_()
    assert "No split is allowed here." in str(tw.why(tree, 1, X, y))
    assert repr(found) == str(found)


def test_columns_drawn_at_random_are_noted_where_there_is_a_split():
    X, y = {"a": [1.0, 2, 3, 4] * 5, "b": [1.0, 1, 2, 2] * 5}, [0, 0, 1, 1] * 5
    tree = tw.TreeClassifier(prune=None, max_features=1).fit(X, y).tree_
    note = "The tree tried some columns only, drawn at random."
    assert tw.why(tree, 0, X, y).notes == (note,)
    assert f"Note: {note}" in str(tw.why(tree, 0, X, y))
    assert tw.why(tree, 1, X, y).notes == ()


@pytest.mark.parametrize("thresholds", ["midpoint", "readable"])
def test_all_cuts_of_a_column_are_written_as_the_tree_writes_its_own(thresholds):
    frames = pytest.importorskip("pandas")
    model = tw.TreeClassifier(prune=None, max_depth=1, thresholds=thresholds)
    # The clocks of this zone change in between, so that the days differ in length.
    days = frames.date_range("2020-03-20", periods=20, tz="Europe/Berlin")
    y = np.arange(20) > 9
    X = {"day": days}
    found = tw.why(model.fit(X, y), 0, X, y, column="day")
    assert found.chosen.words == "day <= 2020-03-29T00:00:00+01:00"
    assert found.candidates[9].words == found.chosen.words
    assert [each.words for each in found.candidates] == [
        f"day <= {day.isoformat()}" for day in days[:-1]
    ]
    X = {"x": [0.1, 0.213, 0.317, 5.2317, 6.1112] * 4}
    y = np.array(X["x"]) > 2
    found = tw.why(model.fit(X, y), 0, X, y, column="x")
    cuts = {
        "midpoint": ["0.1565", "0.265", "2.77435", "5.67145"],
        "readable": ["0.16", "0.27", "3", "5.7"],
    }
    assert [each.words for each in found.candidates] == [
        f"x <= {cut}" for cut in cuts[thresholds]
    ]
    assert found.chosen.words == found.candidates[2].words


def test_ranks_have_no_shorter_threshold():
    X = {"grade": list("abcd") * 6}
    y = np.array(X["grade"]) > "b"
    model = tw.TreeClassifier(
        prune=None, thresholds="readable", kinds={"grade": list("abcd")}
    )
    found = tw.why(model.fit(X, y), 0, X, y)
    assert [each.words for each in found.candidates] == ["grade <= b"]
    assert found.chosen.words == "grade <= b"


def test_j48_counts_all_columns_if_each_has_very_many_categories():
    rng = np.random.default_rng(0)
    names = [f"v{k:02}" for k in range(20)] * 3
    X = {name: rng.permutation(names) for name in ("u", "v")}
    y = (X["u"] < "v10") ^ (rng.random(60) < 0.1)
    model = tw.TreeClassifier(method="c45", conventions="j48", prune=None)
    found = tw.why(model.fit(X, y), 0, X, y)
    assert found.chosen.words == "u (one branch per value)"
    ratios = {each.column: each.gain_ratio for each in found.candidates}
    assert list(ratios) == ["u", "v"]  # u competes: its gain is above the average
    assert ratios["u"] > ratios["v"]
    assert found.candidates[0].words == found.chosen.words


def test_bad_requests():
    tree = tw.TreeClassifier(prune=None).fit(MAILS, SPAM).tree_
    with pytest.raises(OptionError, match=r"no column 'word'.*'words'"):
        tw.why(tree, 0, MAILS, SPAM, column="word")
    with pytest.raises(OptionError, match="node must be a whole number"):
        tw.why(tree, 99, MAILS, SPAM)
    with pytest.raises(TableError, match="None of these 1 rows reaches node 1"):
        tw.why(tree, 1, {n: v[1:2] for n, v in MAILS.items()}, SPAM[1:2])
    with pytest.raises(TableError, match="y has the class 'Perhaps', which was not"):
        tw.why(tree, 0, MAILS, ["Perhaps", *SPAM[1:]])


def test_as_data():
    tree = tw.TreeClassifier(prune=None).fit(MAILS, SPAM).tree_
    made = json.loads(json.dumps(tw.why(tree, 0, MAILS, SPAM).to_dict()))
    assert made["candidates"][0]["column"] == "words"
    assert made["candidates"][0]["branches"][0]["counts"] == [0, 3]


def test_hostile_names_break_no_line():
    for name in ("a\nb", "\u202egnp", "z" * 1_000_000, '"', " "):
        X, y = {name: [name, "v", "v"]}, ["n" + name, "p", "p"]
        tree = tw.TreeClassifier(prune=None).fit(X, y).tree_
        said = str(tw.why(tree, 0, X, y))
        assert all(line.isprintable() for line in said.split("\n"))
        assert len(said) < 4000


def test_weights_count():
    options = GrowOptions(criterion="entropy")
    X, y = {"x": [1.0, 2.0, 3.0]}, ["a", "b", "b"]
    tree = grow(tw.as_table(X, y, [2.0, 1.0, 1.0]), options)
    found = why(tree, 0, X, y, [2.0, 1.0, 1.0])
    assert found.here.counts == (2.0, 2.0)
    assert found.here.impurity == 1.0


@pytest.mark.parametrize(
    "criterion",
    ["gini", "entropy", "misclassification", "squared_error", "poisson"],
)
def test_many_thresholds_are_swept_as_if_one_by_one(criterion, monkeypatch):
    rng = np.random.default_rng(3)
    x = rng.normal(size=400).round(2)
    x[rng.random(400) < 0.1] = np.nan
    numbers = criterion in ("squared_error", "poisson")
    y = rng.poisson(2.0, 400).astype(float) if numbers else rng.integers(0, 3, 400)
    weights = rng.integers(1, 4, 400).astype(float)
    make = tw.TreeRegressor if numbers else tw.TreeClassifier
    tree = (
        make(criterion=criterion, max_depth=1, prune=None)
        .fit({"x": x}, y, weights)
        .tree_
    )
    quick = tw.why(tree, 0, {"x": x}, y, weights, column="x").candidates
    monkeypatch.setattr("treewright.reading.why.threshold_table._FEWEST", 10**9)
    slow = tw.why(tree, 0, {"x": x}, y, weights, column="x").candidates
    assert len(quick) == len(slow) > 400
    for one, other in zip(quick, slow, strict=True):
        assert one.words == other.words
        assert one.gain == pytest.approx(other.gain, abs=1e-9)
        assert one.gain_ratio == pytest.approx(other.gain_ratio, abs=1e-9)
        for a, b in zip(one.branches, other.branches, strict=True):
            assert (a.words, a.rows) == (b.words, b.rows)
            assert a.weight == pytest.approx(b.weight)
            assert a.counts == pytest.approx(b.counts)
            if numbers:
                assert (a.mean, a.rss) == (pytest.approx(b.mean), pytest.approx(b.rss))


# -- rows that are not those of the tree ---------------------------------------------


def weighted(**given):
    rng = np.random.default_rng(1)
    X = {"a": rng.integers(0, 9, 200), "b": rng.integers(0, 9, 200)}
    y = np.where(X["a"] + rng.normal(0, 2, 200) > 6, "yes", "no")
    made = tw.TreeClassifier(max_depth=3, prune=None, n_jobs=1, **given)
    return made.fit(X, y), X, y


@pytest.mark.parametrize(
    "given",
    [
        {"costs": {"yes": {"no": 5}}},
        {"priors": {"yes": 0.5, "no": 0.5}},
        {"costs": {"yes": {"no": 5}}, "priors": {"yes": 0.9, "no": 0.1}},
        {"class_weight": {"yes": 3, "no": 1}},
        {"class_weight": "balanced", "costs": {"yes": {"no": 5}}},
    ],
)
def test_class_weights_costs_and_priors_weigh_the_rows_as_in_growing(given):
    model, X, y = weighted(**given)
    for node in np.flatnonzero(model.tree_.data.split_kind != LEAF).tolist():
        found = tw.why(model, node, X, y)
        assert found.chosen.gain == pytest.approx(model.tree_.split(node).gain)
        assert found.candidates[0].words == found.chosen.words
        assert found.notes == (
            f"Rows weigh what the tree's {' and '.join(given)} made of them.",
        )


def test_a_gain_that_differs_from_the_recorded_one_is_noted():
    model, X, y = weighted()
    (note,) = tw.why(model, 0, X, y, np.where(y == "yes", 3, 1)).notes
    assert f"{model.tree_.split(0).gain:.6g}" in note
    assert "sample_weight" in note
    assert tw.why(model, 0, X, y).notes == ()


def test_a_target_of_extreme_numbers_is_worked_out_in_its_unit():
    X = {"a": np.arange(8.0)}
    model = tw.TreeRegressor(prune=None).fit(X, np.ldexp(np.arange(8.0), 900))
    found = tw.why(model, 0, X, np.ldexp(np.arange(8.0), 900))
    assert found.notes == ("Numbers of the target are in units of 2^903.",)
    assert found.chosen.gain == model.tree_.split(0).gain
    assert math.isfinite(found.here.impurity)


@pytest.mark.parametrize("conventions", [None, "j48"])
@pytest.mark.parametrize("seed", range(12))
def test_c45_is_worked_out_without_contradiction(seed, conventions):
    rng = np.random.default_rng(seed)
    n = 60
    X = {
        "many": rng.integers(0, 30, n).astype(float),
        "few": rng.integers(0, 3, n) * 1.0,
    }
    X |= {"word": rng.choice(list("uvw"), n), "again": X["many"] + 0}
    y = np.where(X["few"] + (X["word"] == "u") + rng.normal(size=n) > 1.5, "p", "q")
    options = {} if conventions is None else {"conventions": conventions}
    tree = tw.TreeClassifier(method="c45", prune=None, **options).fit(X, y).tree_
    for node in np.flatnonzero(tree.data.split_kind != LEAF).tolist():
        found = tw.why(tree, node, X, y)
        first = found.candidates[0]
        # J48 cuts at a value, not midway: other words, the same rows.
        assert first.column == found.chosen.column
        assert [b.counts for b in first.branches] == [
            b.counts for b in found.chosen.branches
        ]
        # The ratio that is shown is the one that decides, the charge included.
        assert first.charge == found.chosen.charge
        least = min(1.0, first.gain_ratio * (1 - 1e-12))
        tied = [each for each in found.candidates if each.gain_ratio >= least]
        assert set(found.ties) <= {each.column for each in tied}
        if first.charge:
            shown = f"({first.gain:.4f} - {first.charge:.4f})/"
            assert shown in str(found)


def test_equal_gains_of_other_ratios_are_no_tie():
    y = np.repeat(["p", "q"], 8)
    X = {"fours": np.repeat(list("abcd"), 4), "halves": np.repeat(list("ab"), 8)}
    tree = tw.TreeClassifier(method="c45", prune=None).fit(X, y).tree_
    found = tw.why(tree, 0, X, y)
    assert found.chosen.column == "halves"
    assert {each.gain for each in found.candidates} == {1.0}
    assert found.ties == ()
    assert "Equal gain" not in str(found)


def test_rows_in_another_order_blame_no_guard_and_no_negative_lead():
    model, X, y = weighted()
    order = np.random.default_rng(2).permutation(200)
    shuffled = tw.why(model, 0, {"a": X["a"][order], "b": X["b"][order]}, y)
    assert "those of the training rows, in the same order" in str(shuffled)
    assert "many_levels" not in str(shuffled)
    assert ", -" not in str(shuffled)


def test_a_split_of_one_branch_per_value_is_named_by_its_column():
    found = why(weather(), 0, DAYS, PLAY)
    assert found.chosen.words == "Outlook (one branch per value)"
    assert "Chosen: Outlook (one branch per value), gain 0.2467." in str(found)


def test_the_next_best_is_compared_by_what_decides():
    tree = tw.TreeClassifier(method="c45", prune=None, n_jobs=1).fit(DAYS, PLAY).tree_
    found = tw.why(tree, 0, DAYS, PLAY)
    gap = found.chosen.gain_ratio - found.candidates[1].gain_ratio
    assert f"{gap:.4f} behind in gain ratio." in str(found)


def test_cuts_that_differ_in_missing_values_differ_in_words():
    X = {"x": [1.0, 2.0, 3.0, math.nan]}
    model = tw.TreeClassifier(prune=None, n_jobs=1).fit(X, ["a", "a", "b", "b"])
    said = [
        each.words for each in tw.why(model, 0, X, list("aabb"), column="x").candidates
    ]
    assert said[:2] == ["x <= 1.5 or missing", "x <= 1.5, not missing"]
    assert len(set(said)) == len(said)


def test_rules_of_weight_count_what_costs_made_of_the_rows():
    given = {"costs": {"yes": {"no": 5}}, "min_impurity_decrease": 0.004}
    model, X, y = weighted(**given)
    data = model.tree_.data
    for node in range(data.n_nodes):
        found = tw.why(model, node, X, y)
        if found.chosen is not None:
            offered = [each.column for each in found.candidates]
            assert found.chosen.column in offered
        elif found.refused is not None and "min_impurity" in found.refused.missed:
            share = found.here.weight / tw.why(model, 0, X, y).here.weight
            by = 0.004 - share * found.refused.gain
            assert f"{by:.4g} below min_impurity_decrease" in found.refused.missed


def test_of_many_candidates_the_best_are_worked_out():
    x = np.arange(60.0)
    tree = tw.TreeClassifier(prune=None).fit(x[:, None], x > 40).tree_
    why = tree.why(0, x[:, None], x > 40, column="x0")
    gains = sorted((each.gain for each in why.candidates), reverse=True)
    table, worked = str(why).split("\n\n")[1:3]
    assert len(table.split("\n")) == 1 + len(gains)
    shown = [line for line in worked.split("\n") if line.startswith("    gain = ")]
    assert shown[0].endswith(f"{gains[0]:.4f}")
    assert shown[-1].endswith(f"{gains[11]:.4f}")
    assert len(shown) == 12
