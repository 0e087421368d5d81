import datetime as dt
import json
import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from reading.test_formula import tennis
from support.build import (
    build,
    categorical,
    chain,
    leaf,
    ordinal,
    schema_of,
    subset,
    threshold,
)
from support.odd_trees import as_frame, odd_tree, random_columns, slow_shares
from treewright.errors import ColumnError, OptionError, TableError
from treewright.model import Tree
from treewright.reading.conditions.rules import Rules
from treewright.reading.one_row.change import _nearest, rows_between
from treewright.reading.one_row.explain import explain
from treewright.reading.one_row.row import meets
from treewright.table.schema import Feature, Summary
from treewright.tree.data import THRESHOLD

AGE = Feature(
    "age",
    stored_as="int",
    summary=Summary(0, minimum=0.0, q1=20.0, median=30.0, q3=50.0, maximum=100.0),
)


def test_the_walk_of_seed_004():
    """Sunny and Normal, and nothing else, is enough."""
    found = explain(tennis(), {"Outlook": "Sunny", "Humidity": "Normal"})
    assert found.prediction == "Yes"
    assert [step.rule for step in found.steps] == [
        "Outlook = Sunny",
        "Humidity = Normal",
    ]
    assert str(found).splitlines() == [
        "Play = Yes (probability 100%)",
        "",
        "   0. all rows",
        "      Yes 64.3%, No 35.7% (14 rows)",
        "   1. Outlook is Sunny",
        "      No 60.0%, Yes 40.0% (5 rows)",
        "   2. Humidity is Normal",
        "      Yes 100% (2 rows)",
        "      Leaf 3. All rows have the same target.",
        "",
        "Smallest change, to No:",
        "   - Humidity from Normal to High",
    ]


def test_a_value_that_the_path_needs_is_not_made_up():
    words = r"tests 'Humidity', but the row has no 'Humidity'\. Add it; None, or NAME="
    with pytest.raises(TableError, match=words):
        explain(tennis(), {"Outlook": "Sunny"})
    assert explain(tennis(), {"Outlook": "Overcast"}, change=False).prediction == "Yes"
    stopped = explain(tennis(), {"Outlook": "Sunny", "Humidity": None}, change=False)
    assert stopped.steps[-1].sentence == "Humidity is missing: the row stops here"
    assert stopped.prediction == "No"


def test_margins_and_rows_between():
    tree = build(threshold(0, 40.0, leaf(0), leaf(1)), schema_of(AGE))
    step = explain(tree, {"age": 25}).steps[0]
    assert (step.margin, step.margin_share) == (-15.0, pytest.approx(0.25))
    assert step.sentence == "age is 25 <= 40 (15 below, about 25.0% of rows between)"
    assert "exactly at the threshold" in explain(tree, {"age": 40}).steps[0].sentence


def test_rows_between_are_even_between_the_quartiles():
    assert rows_between(AGE, 20, 30) == pytest.approx(0.25)
    assert rows_between(AGE, 0, 100) == pytest.approx(1)
    assert rows_between(AGE, 75, 40) == pytest.approx(0.25)
    assert rows_between(AGE, -5, 10) == pytest.approx(0.125)
    assert rows_between(AGE, 200, 300) == 0
    assert rows_between(ordinal("o", *"abcde"), 1, 3) == pytest.approx(0.5)


def test_missing_and_unseen_values_are_explained():
    job = categorical("job", "clerk", "smith", summary=Summary(2))
    tree = build(subset(0, [[0], [1]], leaf(0), leaf(1), missing=1), schema_of(job))
    assert explain(tree, {"job": None}).steps[0].sentence == (
        "job is missing: it goes where missing values go, job = smith or missing"
    )
    assert explain(tree, {"job": "baker"}).steps[0].sentence == (
        "job is baker: not known here, it goes where missing values go, "
        "job = smith or missing"
    )
    with pytest.raises(TableError, match="'baker'"):
        explain(tree, {"job": "baker"}, unseen="error")


def test_the_smallest_change_takes_few_columns_then_few_rows():
    # From age 60 and b: one column, age to 50 (few rows) or job to a (counts 1).
    job = categorical("job", "a", "b")
    inner = subset(1, [[0], [1]], leaf(1), leaf(0))
    tree = build(threshold(0, 50.0, leaf(1), inner), schema_of(AGE, job))
    found = explain(tree, {"age": 60, "job": "b"})
    assert [c.words for c in found.changes] == ["age from 60 to 50 (age <= 50)"]
    assert found.changes[0].size == pytest.approx(0.05)
    assert (found.changes[0].before, found.changes[0].after) == (60, 50)
    found = explain(tree, {"age": 60, "job": "b"}, fixed=["age"])
    assert [c.words for c in found.changes] == ["job from b to a"]
    assert found.other == "yes"


def test_upwards_the_new_value_lies_just_above():
    tree = build(threshold(0, 40.0, leaf(0), leaf(1)), schema_of(AGE, "b"))
    assert explain(tree, {"age": 30}).changes[0].after == 41
    free = replace(AGE, stored_as="float", summary=replace(AGE.summary, maximum=80.5))
    tree = build(threshold(0, 0.125, leaf(0), leaf(1)), schema_of(free, "b"))
    after = explain(tree, {"age": 0.0}).changes[0].after
    assert 0.125 < after < 1


def test_whole_numbers_that_are_stored_as_floats_stay_whole():
    # As pandas stores a column of whole numbers with a missing value.
    X = {"visits": [0.0, 1.0, 2.0, 5.0, None] * 12}
    tree = tw.grow(tw.as_table(X, ["no", "no", "yes", "yes", "no"] * 12))
    assert tree.data.threshold[0] == 1.5
    assert tree.explain({"visits": 0.0}).changes[0].after == 2
    assert tree.explain({"visits": 5.0}).changes[0].after == 1
    halves = {"visits": [0.5, 1.0, 2.0, 5.0, None] * 12}
    tree = tw.grow(tw.as_table(halves, ["no", "no", "yes", "yes", "no"] * 12))
    assert 1.5 < tree.explain({"visits": 0.5}).changes[0].after < 2


DAYS = [dt.date(2020, 1, 1) + dt.timedelta(days=k) for k in range(20)]
MONTHS = np.arange("2019-01", "2020-09", dtype="M8[M]").astype("M8[s]").tolist()
BERLIN = pd.date_range("2020-03-20", periods=20, tz="Europe/Berlin").tolist()


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (DAYS, "d from 2020-01-03 to 2020-01-11 (d > 2020-01-10)"),
        (MONTHS, "d from 2019-03-01 to 2019-11-01 (d > 2019-10-16)"),
        (
            BERLIN,
            "d from 2020-03-22T00:00:00+01:00 to 2020-03-30T00:00:00+02:00 "
            "(d > 2020-03-29T00:00:00+01:00)",
        ),
        (
            [dt.time(8, k) for k in range(20)],
            "d from 08:02 to 08:10 (d > 08:09:30)",
        ),
        (
            [dt.timedelta(days=k) for k in range(20)],
            "d from 2 days, 0:00:00 to 9 days, 14:00:00 (d > 9 days, 12:00:00)",
        ),
    ],
    ids=["days", "months", "local days", "times", "durations"],
)
def test_a_later_moment_is_the_next_that_the_column_can_hold(values, words):
    y = [0] * 10 + [1] * 10
    tree = tw.TreeClassifier(prune=None, findings="ignore").fit({"d": values}, y).tree_
    (found,) = explain(tree.data, {"d": values[2]}).changes
    assert found.words == words
    assert found.before in words.split(" to ")[0]
    assert f" to {found.after} (" in words
    if values is DAYS:
        after = dt.date.fromisoformat(found.after)
        assert tree.predict({"d": [after]}).tolist() == [1]


@pytest.mark.parametrize(
    ("value", "high", "words"),
    [
        (-math.inf, None, "x from -inf to 0 (x > -inf)"),
        (-math.inf, -4.0, "x from -inf to -4 (-inf < x <= -4)"),
        (3.0, None, "x from 3 to -inf (x <= -inf)"),
    ],
)
def test_infinity_is_left_and_reached(value, high, words):
    above = leaf(1) if high is None else threshold(0, high, leaf(1), leaf(0))
    tree = build(threshold(0, -math.inf, leaf(0), above), schema_of("x"))
    found = explain(tree, {"x": value})
    assert [each.words for each in found.changes] == [words]
    assert repr(found) == str(found)


def test_an_impossible_answer_says_so():
    tree = build(threshold(0, 50.0, leaf(1), leaf(0)), schema_of(AGE, "b"))
    assert explain(tree, {"age": 60}, fixed=["age"]).note == (
        "No change of known values leads to anything else while age stays."
    )
    schema = schema_of(AGE, classes=("no", "yes", "perhaps"))
    tree = build(threshold(0, 50.0, leaf(1), leaf(0)), schema)
    found = explain(tree, {"age": 60}, to="perhaps")
    assert found.changes is None
    assert str(found).endswith("No leaf of this tree answers perhaps.")
    assert explain(tree, {"age": 60}, to="no").note == "The answer is no already."


def test_numbers_need_a_range():
    spec = threshold(0, 20.0, leaf(1.0), threshold(0, 50.0, leaf(5.0), leaf(9.0)))
    tree = build(spec, schema_of(AGE, classes=()))
    found = explain(tree, {"age": 10}, to=(8, 10))
    assert (found.prediction, found.other) == (1.0, 9.0)
    assert found.changes[0].after == 51
    assert explain(tree, {"age": 10}).other == 5.0
    assert "a number from 20 to 30" in explain(tree, {"age": 10}, to=(20, 30)).note
    with pytest.raises(OptionError, match=r"to must be a pair \(low, high\)"):
        explain(tree, {"age": 10}, to=5.0)


def smallest_by_hand(tree, values):
    """Look at every rule: how many columns must change, and how much."""
    node = next(iter(slow_shares(tree, [np.array([v]) for v in values], 0)))
    mine = tree.label[node] if tree.is_classifier else tree.value[node, 0]
    best = (99, math.inf)
    for rule in Rules(tree):
        other = tree.label[rule.node] if tree.is_classifier else rule.prediction
        steps = [
            _nearest(c, float(values[c.column]))
            for c in rule.conditions
            if not meets(c, float(values[c.column]))
        ]
        if other != mine and None not in steps:
            best = min(best, (len(steps), round(math.fsum(s.size for s in steps), 12)))
    return best


@pytest.mark.parametrize("style", ["plain", "stops"])
def test_no_smaller_change_exists_and_this_one_works(style):
    n_found = 0
    for seed in range(60):
        tree = odd_tree(seed, style, numbers=seed % 4 == 0, n_inner=8)
        columns = random_columns(tree, 8, seed)
        frame = as_frame(tree, columns)
        for r in range(8):
            row = {name: values[r] for name, values in frame.items()}
            found = explain(tree, row)
            values = [column[r] for column in columns]
            by_hand = smallest_by_hand(tree, values)
            assert found.prediction == Tree(tree).predict(
                {k: [v] for k, v in row.items()}
            )
            if found.changes is None:
                assert by_hand[0] == 99
                continue
            n_found += 1
            size = round(math.fsum(c.size for c in found.changes), 12)
            assert (len(found.changes), size) == by_hand
            after = {**row, **{c.column: c.after for c in found.changes}}
            reached = Tree(tree).predict({k: [v] for k, v in after.items()})[0]
            assert reached == found.other
            assert reached != found.prediction
    assert n_found > 300


@pytest.mark.parametrize("style", ["divides", "surrogates"])
def test_divided_rows_and_surrogates_are_followed(style):
    for seed in range(40):
        tree = odd_tree(seed, style)
        columns = random_columns(tree, 6, seed)
        frame = as_frame(tree, columns)
        for r in range(6):
            ended = slow_shares(tree, columns, r)
            found = explain(tree, {name: values[r] for name, values in frame.items()})
            value = tree.value / tree.value.sum(axis=1, keepdims=True)
            shares = sum(value[node] * share for node, share in ended.items())
            assert found.shares == pytest.approx(shares)
            assert str(found)


def divided_by_cost(seed):
    """A tree that divides rows and was grown on weights altered by costs."""
    rng = np.random.default_rng(seed)
    n = 60
    gone = rng.random((2, n)) < 0.3
    X = {
        "size": np.where(gone[0], np.nan, rng.normal(size=n).round(1)),
        "job": [None if g else str(rng.choice(list("abcd"))) for g in gone[1]],
    }
    y = rng.choice(["p", "q", "r"], n)
    costs = rng.integers(1, 9, (3, 3)) * (1 - np.eye(3))
    method = ["c45", "cart"][seed % 2]
    model = tw.TreeClassifier(
        method=method, missing="fractional", costs=costs, prune=None, max_depth=4
    )
    return model.fit(X, y), X


@pytest.mark.parametrize("seed", range(12))
def test_a_divided_row_is_explained_as_it_is_predicted(seed):
    model, X = divided_by_cost(seed)
    answers, shares, nodes = model.predict(X), model.predict_proba(X), model.apply(X)
    for r in range(60):
        row = {name: values[r] for name, values in X.items()}
        found = tw.explain(model, row)
        assert found.prediction == answers[r]
        assert found.shares == pytest.approx(shares[r])
        assert found.node == nodes[r]
        assert (found.steps[-1].next if found.steps else 0) == nodes[r]
        if found.changes:
            after = {**row, **{each.column: each.after for each in found.changes}}
            reached = model.predict({name: [value] for name, value in after.items()})
            assert reached == [found.other]
            assert found.other != found.prediction


@pytest.mark.parametrize("seed", range(12))
def test_rules_apply_to_the_parts_of_rows_that_predict_sends_there(seed):
    model, X = divided_by_cost(seed)
    tree = model.tree_
    total = sum(
        rule.applies(X)[:, None] * tree.value[rule.node] / tree.value[rule.node].sum()
        for rule in tree.rules()
    )
    assert total == pytest.approx(model.predict_proba(X))


@pytest.mark.parametrize("seed", range(6))
def test_numbers_are_rounded_as_predict_rounds_them(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, 3))
    model = tw.TreeClassifier.like("sklearn").fit(X, rng.integers(0, 2, 60))
    cuts = model.tree_.threshold[model.tree_.split_kind == THRESHOLD]
    rows = rng.choice(cuts, (40, 3))
    rows = np.concatenate([rows, np.nextafter(rows, 9), np.nextafter(rows, -9)])
    answers, nodes = model.predict(rows), model.apply(rows)
    for r, row in enumerate(rows):
        found = tw.explain(model, row)
        assert (found.prediction, found.node) == (answers[r], nodes[r])
        after = row.copy()
        for each in found.changes:
            after[int(each.column[1:])] = each.after
        assert model.predict(after[None])[0] == found.other != found.prediction


def test_rows_come_in_many_forms():
    X = pd.DataFrame({"age": [20, 60, 30], "job": ["a", "b", "a"]})
    tree = tw.TreeClassifier(prune=None).fit(X, ["young", "old", "young"]).tree_
    forms = [
        {"age": 60, "job": "b"},
        X.iloc[1],
        X.iloc[[1]],
        [60, "b"],
        (60, "b"),
        {"age": [60], "job": ["b"]},
        {"age": X["age"][1:2], "job": X["job"][1:2]},
        {"age": np.float32(60)},
    ]
    assert {tw.explain(tree, form).prediction for form in forms} == {"old"}
    with pytest.raises(TableError, match="row must be one row; this table has"):
        tw.explain(tree, X)
    with pytest.raises(TableError, match="This row has 1 values, but the tree has 2"):
        tw.explain(tree, [60])
    array = tw.TreeClassifier(prune=None).fit(np.array([[1.0, 2], [3, 4]]), [0, 1])
    assert tw.explain(array, np.array([3.0, 4.0])).prediction == 1


def test_bad_requests():
    tree = build(threshold(0, 50.0, leaf(1), leaf(0)), schema_of(AGE, "b"))
    with pytest.raises(OptionError, match=r"fixed names 'agee'.*'age'"):
        explain(tree, {"age": 1}, fixed=["agee"])
    with pytest.raises(OptionError, match=r"pass fixed=\['age'\]"):
        explain(tree, {"age": 1}, fixed="age")
    with pytest.raises(OptionError, match="no class 'maybe'"):
        explain(tree, {"age": 1}, to="maybe")
    with pytest.raises(OptionError, match="unseen must be"):
        explain(tree, {"age": 1}, unseen="no")


def test_as_data():
    found = explain(tennis(), {"Outlook": "Sunny", "Humidity": "Normal"})
    made = json.loads(json.dumps(found.to_dict()))
    assert made["steps"][0]["column"] == "Outlook"
    assert made["changes"][0]["after"] == "High"
    assert made["prediction"] == "Yes"


def test_a_single_leaf_and_a_deep_chain():
    found = explain(build(leaf(0, 0, 1), schema_of("x")), {})
    assert (found.prediction, found.steps) == ("no", ())
    assert found.note == "No leaf of this tree answers anything else."
    assert len(explain(chain(5000), {"x": 1e9}).steps) == 5000


def test_hostile_names_break_no_line():
    for name in ("a\nb", "\u202egnp", "z" * 1_000_000, '"', ""):
        tree = build(
            subset(0, [[0], [1]], leaf(0), leaf(1)),
            schema_of(categorical(name, name, "other"), classes=("n" + name, "p")),
        )
        said = str(explain(tree, {name: name}))
        assert all(line.isprintable() for line in said.split("\n"))
        assert len(said) < 2000


def test_the_share_of_rows_between_is_an_estimate_and_none_of_bools():
    schema = schema_of(AGE, Feature("big", stored_as="bool"))
    tree = build(
        threshold(0, 40.0, threshold(1, 0.5, leaf(0), leaf(1)), leaf(1)), schema
    )
    first = explain(tree, {"age": 40.01, "big": True}).steps[0]
    assert "less than 0.1% of rows between" in first.sentence
    second = explain(tree, {"age": 25, "big": True}).steps[1]
    assert second.sentence == "big is True"


def test_what_the_estimator_refuses_is_not_explained():
    X = {"x": [1.0, 2.0, 1.0, 2.0], "c": ["a", "a", "b", "b"]}
    y = ["no", "yes", "no", "no"]
    gaps = tw.TreeClassifier(missing="error", prune=None, n_jobs=1).fit(X, y)
    assert tw.explain(gaps, {"x": 2.5, "c": "a"}).prediction == "yes"
    for row in ({"x": math.nan, "c": "a"}, {"x": 1.0, "c": None}):
        with pytest.raises(ColumnError, match="missing='error' refuses it"):
            gaps.predict({name: [cell] for name, cell in row.items()})
        with pytest.raises(ColumnError, match="missing='error' refuses it"):
            tw.explain(gaps, row)
    known = tw.TreeClassifier(unseen="error", prune=None, n_jobs=1).fit(X, y)
    with pytest.raises(ColumnError, match="unseen='error' refuses it"):
        tw.explain(known, {"x": 9.0, "c": "z"})


def test_the_two_values_of_a_change_are_distinguishable():
    at = 0.1000000015
    number = Feature("v", summary=Summary(0, 0.0, 0.1, 0.1, 0.1, 1.0))
    tree = build(threshold(0, at, leaf(0), leaf(1)), schema_of(number))
    for value in (0.1, at, 0.02, 0.100000001499):
        (change,) = explain(tree, {"v": value}).changes
        was, now = change.words.split(" (")[0].removeprefix("v from ").split(" to ")
        assert was != now
        assert float(now) > at
        assert float(was) <= at


def test_invalid_rows_goals_and_trees_are_named():
    X = {"x": [1.0, 2.0, 3.0, 4.0]}
    model = tw.TreeRegressor(prune=None, n_jobs=1).fit(X, [1.0, 2.0, 3.0, 4.0])
    with pytest.raises(TableError, match=r"got 5. Pass .*'x'.*X.iloc\[5\]"):
        tw.explain(model, 5)
    with pytest.raises(OptionError, match=r"low <= high; got \(900, 100\)"):
        tw.explain(model, {"x": 1}, to=(900, 100))
    pipe = pytest.importorskip("sklearn.pipeline").make_pipeline(model)
    with pytest.raises(OptionError, match=r"got Pipeline. Pass its last step, pipe"):
        tw.explain(pipe, {"x": 1})


def test_a_divided_row_is_answered_and_divided_by_its_costs():
    rng = np.random.default_rng(3)
    x, z = rng.normal(size=(2, 400))
    y = np.where(x + z + rng.normal(size=400) > 1, "yes", "no")
    X = {"x": np.where(rng.random(400) < 0.3, np.nan, x), "z": z}
    made = tw.TreeClassifier(
        method="c45", missing="fractional", costs={"yes": {"no": 3}}, n_jobs=1
    )
    model = made.fit(X, y)
    gone = np.flatnonzero(np.isnan(X["x"]))
    rows = {name: values[gone] for name, values in X.items()}
    found = [
        tw.explain(model, {"x": None, "z": each}, change=False) for each in rows["z"]
    ]
    assert [each.prediction for each in found] == model.predict(rows).tolist()
    assert np.allclose([each.shares for each in found], model.predict_proba(rows))
    shares = [rule.applies(rows) for rule in model.tree_.rules()]
    assert np.allclose(np.sum(shares, axis=0), 1)
    ends = model.tree_.apply(rows)
    nodes = model.tree_.rules().nodes[np.argmax(shares, axis=0)]
    assert np.array_equal(nodes, ends)


def test_lines_keep_to_the_width_that_is_asked_for():
    long = [f"a category of a rather long name, number {k}" for k in range(12)]
    X = {"place": long * 20}
    y = [k % 2 for k in range(12)] * 20
    tree = tw.TreeClassifier(findings="ignore").fit(X, y).tree_
    found = tree.explain({"place": long[0]})
    for width in (60, 88):
        lines = found.text(width).split("\n")
        assert max(map(len, lines)) <= width
        assert [word for line in lines for word in line.split()] == str(found).split()
    assert found.text(60).count("\n") > str(found).count("\n")
