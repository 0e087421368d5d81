"""Scorecards: points from the odds of predict_proba, and the columns that take them."""

import csv
import io
import json
import math
import subprocess
import sys
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from support.export_trees import shipped
from treewright.errors import OptionError
from treewright.exporting.verifying.engine import ExportFailedError


@pytest.fixture(scope="module")
def credit():
    X, y = shipped("german_credit", "class")
    tree = tw.TreeClassifier(prune=None, min_samples_leaf=20, shrinkage=5).fit(X, y)
    return tree.tree_, X


def test_points_double_the_odds_every_pdo(credit):
    tree, X = credit
    card = tree.scorecard("good", pdo=40, points=500, odds=2)
    good = tree.predict_proba(X)[:, tree.classes.tolist().index("good")]
    expected = [round(500 + 40 * math.log2(p / (1 - p) / 2)) for p in good]
    found = card.score(X)
    assert found["points"].tolist() == expected
    assert found["leaf"].tolist() == tree.apply(X).tolist()
    assert len(set(expected)) > 10


def test_the_other_class_loses_what_one_class_gains(credit):
    tree, X = credit
    good = tree.scorecard("good", points=0, odds=1).score(X)["points"]
    bad = tree.scorecard("bad", points=0, odds=1).score(X)["points"]
    assert (good == -bad).all()


def test_the_points_of_a_leaf_are_the_base_and_what_the_columns_add(credit):
    tree, _ = credit
    card, names = tree.scorecard("good"), tree.schema.names
    for leaf in card.leaves:
        steps = {}
        for parent, child in pairwise(tree.path(leaf.rule.node)):
            name = names[tree.data.feature[parent]]
            points = {n: points_of(tree, n) for n in (parent, child)}
            steps[name] = steps.get(name, 0) + points[child] - points[parent]
        assert card.base + sum(steps.values()) == leaf.points
        lost = sorted(added for added in steps.values() if added < 0)
        assert [added for _, added in leaf.reasons] == lost
        for text, added in leaf.reasons:
            assert any(name in text and steps[name] == added for name in steps)


def points_of(tree, node):
    """The points of a node by the definition, for 600 points at 50 to 1, pdo 20."""
    answer = tree.data.answer[node]
    good = answer[tree.classes.tolist().index("good")]
    return round(600 + 20 * math.log2(good / (1 - good) / 50))


def test_the_table_has_one_row_per_leaf(credit):
    tree, X = credit
    card = tree.scorecard("good")
    table = card.to_pandas(reasons=2)
    assert table["leaf"].tolist() == tree.leaves.tolist()
    assert table["rows"].sum() == len(X)
    assert list(table.columns[-4:]) == ["reason_1", "points_1", "reason_2", "points_2"]
    read = pd.read_csv(io.StringIO(tree.export("scorecard", good="good")))
    pd.testing.assert_series_equal(read["points"], table["points"])
    assert str(card).count("\n") > tree.n_leaves
    assert "600 points are odds of 50 to 1" in str(card)


def test_texts_that_look_like_formulas_are_text_in_csv():
    X = {"=cmd()": [1, 2, 3, 4] * 30}
    y = ["no", "no", "yes", "yes"] * 30
    tree = tw.TreeClassifier(shrinkage=1, findings="ignore").fit(X, y).tree_
    records = list(csv.DictReader(io.StringIO(tree.scorecard("yes").to_csv())))
    assert {record["rule"][:7] for record in records} == {"'=cmd()"}


def grown(y, **options):
    X = {"x": np.arange(len(y)) % 4}
    return tw.TreeClassifier(findings="ignore", **options).fit(X, y).tree_


@pytest.mark.parametrize(
    ("tree", "options", "message"),
    [
        (["a", "b", "c", "c"], {}, "two classes; this one answers 3 classes"),
        (["a", "b"], {"good": "c"}, "good must be the class .* 'a' or 'b'; got 'c'"),
        (["a", "b"], {"good": None}, "got None"),
        (["a", "b"], {"pdo": 0}, "pdo must be a finite number above 0; got 0"),
        (["a", "b"], {"odds": -1}, "odds must be a finite number above 0"),
        (["a", "b"], {"points": math.nan}, "points must be a finite number"),
    ],
)
def test_what_a_scorecard_refuses(tree, options, message):
    options = {"good": "b"} | options
    with pytest.raises(OptionError, match=message):
        grown(tree * 20).scorecard(**options)


def test_a_pure_leaf_without_shrinkage_has_no_finite_score():
    tree = grown(["a", "b", "b", "b"] * 10, prune=None, shrinkage=None)
    with pytest.raises(OptionError, match=r"probability of 'b' is 0.*shrinkage"):
        tree.scorecard("b").to_csv()


def test_numbers_and_divided_rows_are_refused():
    number = tw.TreeRegressor().fit({"x": range(40)}, range(40)).tree_
    with pytest.raises(OptionError, match="this one answers numbers"):
        number.scorecard("b")
    X = {"x": ["a", "b", None, "b"] * 10}
    divided = tw.TreeClassifier(method="c45", prune=None).fit(X, ["a", "b"] * 20).tree_
    with pytest.raises(OptionError, match="A scorecard cannot express"):
        divided.scorecard("b")


def test_the_command_writes_the_table(credit, tmp_path):
    tree, _ = credit
    tree.save(tmp_path / "credit.tree.json")
    arguments = ["export", tmp_path / "credit.tree.json", "--to", "scorecard", "--json"]
    options = ["--good", "good", "--pdo", "40", "--points", "500", "--odds", "2"]
    command = [sys.executable, "-m", "treewright", *arguments, *options]
    found = json.loads(subprocess.check_output(command))
    assert (
        found["content"] == tree.scorecard("good", pdo=40, points=500, odds=2).to_csv()
    )


def test_classes_that_are_numbers_can_be_named_by_their_text():
    tree = grown([0, 1, 1, 1] * 10, shrinkage=1)
    assert tree.export("scorecard", good="1") == tree.export("scorecard", good=1)


def surrogate_card():
    X, y = shipped("german_credit", "class")
    holes = np.random.default_rng(1).random(X.shape) < 0.15
    options = {"missing": "surrogate", "prune": None, "min_samples_leaf": 9}
    tree = tw.TreeClassifier(shrinkage=5, **options).fit(X.mask(holes), y)
    return tree.tree_


def converted_card():
    """Dates, truth values, hostile categories, and numbers read from text."""
    rng = np.random.default_rng(2)
    n = 400
    X = {
        "=day": np.datetime64("2024-01-01") + rng.integers(0, 300, n),
        "sure, or not": rng.random(n) < 0.5,
        'kind "of"\n': rng.choice(["a, b", 'c" or missing', "{d}", "é\n"], n),
        "price": [f"${1000 + int(x):,}" for x in rng.integers(0, 900, n)],
    }
    late = X["=day"] > np.datetime64("2024-06-01")
    likes = np.isin(X['kind "of"\n'], ["a, b", "{d}"])
    price = np.array([int(text[3:]) for text in X["price"]])
    y = np.where((late ^ X["sure, or not"] ^ likes) | (price > 700), "yes", "no")
    options = {"findings": "ignore", "prune": None, "shrinkage": 3}
    kinds = {"price": "numeric"}
    return tw.TreeClassifier(kinds=kinds, **options).fit(X, y).tree_


CARDS = {"surrogates": surrogate_card, "hostile": converted_card}


def written(tree, folder, **options):
    good = tree.classes.tolist()[1]
    path = folder / "points.csv"
    tree.export("scorecard", path, good=good, **options)
    return path


@pytest.mark.parametrize("name", ["credit", *CARDS])
def test_verify_looks_up_rows_in_the_table(name, credit, tmp_path):
    tree = credit[0] if name == "credit" else CARDS[name]()
    options = {"pdo": 33.5, "points": -12, "odds": 1e-3}
    found = tree.verify(written(tree, tmp_path, **options))
    assert found.ok, str(found)
    assert found.same_tree
    assert found.n_embedded == 0
    found = tree.verify(written(tree, tmp_path, check_rows=True, **options))
    assert found.ok, str(found)
    assert found.n_embedded == found.n_rows > 3 * tree.n_leaves


def test_verify_compares_the_probabilities_of_the_first_class_too(credit, tmp_path):
    tree, _ = credit
    assert tree.classes.tolist() == ["bad", "good"]
    tree.export("scorecard", tmp_path / "points.csv", good="bad", check_rows=20)
    found = tree.verify(tmp_path / "points.csv")
    assert found.ok, str(found)
    assert found.n_embedded == 20


def test_the_check_rows_stand_in_the_lines_of_their_leaves(credit, tmp_path):
    tree, _ = credit
    path = written(tree, tmp_path, check_rows=True)
    with path.open(newline="", encoding="utf-8") as file:
        lines = list(csv.DictReader(file))
    n = 0
    for line in lines:
        for text in line["check_rows"].splitlines():
            row = json.loads(text.removeprefix("check row: "))
            assert row["leaf"] == int(line["leaf"])
            assert row["answer"] == int(line["points"])
            n += 1
        assert line["check_rows"]
    assert n > 3 * tree.n_leaves


@pytest.mark.parametrize("column", ["points", "odds", "probability"])
def test_verify_finds_a_changed_number(credit, tmp_path, column):
    tree, _ = credit
    path = written(tree, tmp_path)
    table = pd.read_csv(path, keep_default_na=False)
    table[column] = table[column].astype(float)
    table.loc[3, column] += 1
    table["points"] = table["points"].astype(int)
    table.to_csv(path, index=False)
    found = tree.verify(path)
    assert not found.ok
    assert "the table says" in str(found)


@pytest.mark.parametrize("column", ["rule", "reason_1", "points_1", "leaf"])
def test_a_line_with_other_words_gives_no_points(credit, tmp_path, column):
    tree, _ = credit
    path = written(tree, tmp_path)
    table = pd.read_csv(path, keep_default_na=False, dtype=str)
    at = (table[column] != "").idxmax() + 1
    table.loc[at, column] = table.loc[at, column] + "0"
    table.to_csv(path, index=False)
    found = tree.verify(path)
    assert 0 < found.n_different < found.n_rows


def test_verify_finds_changed_points_in_the_check_rows(credit, tmp_path):
    tree, _ = credit
    path = written(tree, tmp_path, check_rows=9)
    text = path.read_text("utf-8")
    first = text.index('""answer"": ') + len('""answer"": ')
    path.write_text(f"{text[:first]}9{text[first:]}", "utf-8")
    found = tree.verify(path)
    assert found.n_different == 1
    assert "the file says 9" in str(found)


def test_verify_refuses_other_tables(credit, tmp_path):
    tree, _ = credit
    (tmp_path / "other.csv").write_text("a,b\n1,2\n")
    with pytest.raises(OptionError, match="was not written by"):
        tree.verify(tmp_path / "other.csv")
    path = written(tree, tmp_path)
    pd.read_csv(path).drop(columns="odds").to_csv(path, index=False)
    with pytest.raises(ExportFailedError, match=r"lacks the columns \['odds'\]"):
        tree.verify(path)
    text = path.read_text("utf-8")
    path.write_text(text.replace(" pdo=", " by="), "utf-8")
    with pytest.raises(OptionError, match="does not say how its points"):
        tree.verify(path)


@pytest.mark.parametrize(
    ("column", "value", "words"),
    [
        ("points", "many", "has 'many' in the column 'points' of leaf"),
        ("odds", "", "has '' in the column 'odds' of leaf"),
        ("probability", "high", "has 'high' in the column 'probability' of leaf"),
    ],
)
def test_a_cell_that_is_no_number_is_named(credit, tmp_path, column, value, words):
    tree, _ = credit
    path = written(tree, tmp_path)
    table = pd.read_csv(path, keep_default_na=False, dtype=str)
    table.loc[2, column] = value
    table.to_csv(path, index=False)
    with pytest.raises(ExportFailedError, match=words):
        tree.verify(path)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("odds=", "odds=zz", "does not say how its points"),
        ("good=", "good=00ff", "does not say how its points"),
        ("format=scorecard", "format=card", "says that its format is 'card'"),
    ],
)
def test_a_damaged_heading_is_refused(credit, tmp_path, old, new, words):
    tree, _ = credit
    path = written(tree, tmp_path)
    path.write_text(path.read_text("utf-8").replace(old, new), "utf-8")
    with pytest.raises(OptionError, match=words):
        tree.verify(path)


def test_points_with_a_decimal_point_and_odds_below_zero(credit, tmp_path):
    tree, _ = credit
    path = written(tree, tmp_path)
    table = pd.read_csv(path, keep_default_na=False)
    table["points"] = table["points"].astype(float)
    table.to_csv(path, index=False)
    assert tree.verify(path).ok
    table.loc[1, "odds"] = -1
    table.to_csv(path, index=False)
    assert "says other probabilities than the tree" in str(tree.verify(path))


def test_a_row_without_a_line_has_no_answer(credit, tmp_path):
    tree, _ = credit
    path = written(tree, tmp_path)
    pd.read_csv(path, keep_default_na=False).drop(index=1).to_csv(path, index=False)
    assert "the table has no answer, the tree says" in str(tree.verify(path))


def test_a_table_with_thousands_of_categories_and_another_name_is_read(tmp_path):
    rng = np.random.default_rng(4)
    kinds = np.array([f"category number {i:05}" for i in range(14_000)])
    place = np.tile(np.arange(14_000), 2)
    y = np.where((place % 2 == 0) ^ (rng.random(28_000) < 0.05), "yes", "no")
    options = {"prune": None, "max_depth": 1, "shrinkage": 3, "findings": "ignore"}
    tree = tw.TreeClassifier(**options).fit({"kind": kinds[place]}, y).tree_
    path = tmp_path / "points.txt"
    tree.export("scorecard", path, good="yes", check_rows=9)
    assert max(map(len, path.read_text("utf-8").split('"'))) > csv.field_size_limit()
    found = tree.verify(path)
    assert found.ok, str(found)
    assert found.n_embedded > 0


def test_the_table_says_where_missing_values_go_and_what_was_converted():
    tree = converted_card()
    table = pd.read_csv(io.StringIO(tree.export("scorecard", good="yes")))
    assert table["rule"].str.contains("or missing").any()
    about = table["about"][0]
    assert "Converted from text before growing" in about
    assert "600 points are odds of 50 to 1" in about
    assert table["about"][1:].isna().all()
