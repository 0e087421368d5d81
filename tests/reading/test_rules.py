import json
import math
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from support.build import (
    build,
    categorical,
    chain,
    is_missing,
    leaf,
    multiway,
    ordinal,
    random_tree,
    schema_of,
    subset,
    threshold,
)
from support.odd_trees import as_frame, odd_tree, random_columns, slow_shares
from support.strategies import case
from treewright.errors import OptionError
from treewright.growing.grow import grow
from treewright.reading.answers.answer import answers
from treewright.reading.conditions.condition import shares_of
from treewright.reading.conditions.path_conditions import answer_nodes
from treewright.reading.conditions.rules import Rules
from treewright.table.schema import Feature, Schema, Summary, TargetInfo
from treewright.tree.data import LEAF, STOP_HERE
from treewright.tree.route import route

# Rows as callers have them include words that no tree has seen.
pytestmark = pytest.mark.filterwarnings(
    "ignore::treewright.errors.UnseenCategoryWarning"
)

STYLES = ("plain", "stops", "divides", "surrogates")


@pytest.fixture
def iris_like():
    target = TargetInfo("species", "class", ("setosa", "versicolor", "virginica"))
    schema = Schema((Feature("petal length"), Feature("petal width")), target)
    inner = threshold(
        0,
        4.95,
        threshold(1, 1.65, leaf(*[1] * 47), leaf(2)),
        leaf(*[1] * 6, *[2] * 46),
    )
    return build(threshold(0, 2.45, leaf(*[0] * 50), inner), schema)


# Words ------------------------------------------------------------------------------


def test_a_drawn_answer_stands_beside_the_mean_of_its_rows():
    X = {"x": [1.0, 2, 3, 4, 5, 6, 7, 8]}
    y = [1.0, 2, 3, 100, 10, 20, 30, 900]
    model = tw.TreeRegressor(prune=None, shrinkage=3.0, max_leaf_nodes=3)
    rules = model.fit(X, y).tree_.rules()
    assert [str(rule) for rule in rules] == [
        "IF x <= 3.5 THEN y = 29.29  (3 rows, 37.5%; mean 2, 0.8684 to 3.132)",
        "IF 3.5 < x <= 7.5 THEN y = 47.1  (4 rows, 50.0%; mean 40, -0.007597 to 80.01)",
        "IF x > 7.5 THEN y = 324.9  (1 row, 12.5%; mean 900)",
    ]
    # (10 + 20 + 30 + 100 + 3 x the answer above) / 7
    assert [r.mean for r in rules.where(prediction=rules[1].prediction)] == [40.0]
    assert len(rules.where(prediction=40.0)) == 0


def test_a_rule_is_shown_as_its_text_everywhere(iris_like):
    rule, printed = Rules(iris_like)[3], []
    printer = SimpleNamespace(text=printed.append)
    rule._repr_pretty_(printer, cycle=False)
    assert printed == [repr(rule)] == [str(rule)]


@pytest.mark.parametrize(("n", "last"), [(101, "1 more rule."), (103, "3 more rules.")])
def test_a_hundred_rules_are_printed(n, last):
    rules = Rules(chain(n - 1))
    assert len(rules) == n
    first, *_, end = str(rules).splitlines()
    assert (first, end) == (f"{n} rules", f"... and {last}")
    assert len(str(rules).splitlines()) == 100 + 4
    assert str(rules[:100]).splitlines()[-1] in str(rules)
    assert repr(rules).endswith(f"... and {n - 5} more rules.")


def test_a_threshold_above_all_ranks_is_worded_by_the_last():
    size = ordinal("size", "S", "M", "L")
    tree = build(threshold(0, np.inf, leaf(0), leaf(1), missing=1), schema_of(size))
    assert "IF size <= L THEN y = no" in Rules(tree).text()


def test_ranks_listed_one_by_one_are_cut_by_a_threshold_below():
    size = ordinal("size", "S", "M", "L", "XL")
    stops = threshold(0, 1.0, leaf(0), leaf(1), missing=STOP_HERE)
    stops.y = [0]
    tree = build(
        multiway(0, [[0, 1, 2], [3]], stops, leaf(1), missing=0), schema_of(size)
    )
    rules = Rules(tree)
    assert rules.text().splitlines() == [
        "IF size is missing or unseen THEN y = no",
        "IF size in {S, M} THEN y = no",
        "IF size = L THEN y = yes",
        "IF size = XL THEN y = yes",
    ]
    rows = {"size": ["S", "M", "L", "XL", None]}
    ended = tw.Tree(tree).apply(rows).tolist()
    assert ended == [2, 2, 3, 4, 1]
    for rule in rules:
        assert rule.applies(rows).tolist() == [node == rule.node for node in ended]


def test_a_condition_that_all_values_meet_is_anything():
    tree = build(threshold(0, 1.0, leaf(0), leaf(1)), schema_of("x"))
    (condition,) = Rules(tree)[0].conditions
    assert condition.words() == "x <= 1"
    whole = condition._replace(high=None)
    assert whole.is_vacuous
    assert whole.words() == "x is anything"
    assert whole._replace(missing=False).words() == "x is known"


def test_conditions_on_a_column_are_merged_in_the_order_of_asking(iris_like):
    assert Rules(iris_like).text().splitlines() == [
        "IF petal length <= 2.45 THEN species = setosa",
        "IF 2.45 < petal length <= 4.95 AND petal width <= 1.65 "
        "THEN species = versicolor",
        "IF 2.45 < petal length <= 4.95 AND petal width > 1.65 "
        "THEN species = virginica",
        "IF petal length > 4.95 THEN species = virginica",
    ]


def test_a_rule_says_what_it_rests_on(iris_like):
    rule = Rules(iris_like)[3]
    assert (rule.node, rule.prediction, rule.rows) == (6, "virginica", 52)
    assert rule.share == pytest.approx(52 / 150)
    assert rule.confidence == pytest.approx(46 / 52)
    assert rule.lift == pytest.approx(46 / 52 / (47 / 150))
    assert rule.interval == pytest.approx((0.7703, 0.9460), abs=1e-4)  # Wilson
    assert str(rule).endswith("(52 rows, 34.7%; confidence 88.5%, 77.0% to 94.6%)")


def test_the_interval_is_on_the_effective_number_of_rows():
    rows = {"x": [1.0] * 8}
    y = ["a"] * 6 + ["b"] * 2
    plain = tw.TreeClassifier(prune=None).fit(rows, y).tree_.rules()[0]
    doubled = (
        tw.TreeClassifier(prune=None)
        .fit(rows, y, sample_weight=[2.0] * 8)
        .tree_.rules()[0]
    )
    uneven = tw.TreeClassifier(prune=None).fit(
        rows, y, sample_weight=[1, 1, 1, 1, 1, 7, 2, 2]
    )
    assert doubled.interval == pytest.approx(plain.interval)
    assert uneven.tree_.rules()[0].confidence == pytest.approx(plain.confidence)
    low, high = uneven.tree_.rules()[0].interval
    assert low < plain.interval[0]
    assert high > plain.interval[1]


def test_numbers_have_a_mean_and_its_interval():
    schema = Schema((Feature("age"),), TargetInfo("price", "number"))
    found = Rules(build(threshold(0, 30.0, leaf(1.0, 2.0, 3.0), leaf(8.0)), schema))
    assert found[0].prediction == 2.0
    assert found[0].std == pytest.approx(math.sqrt(2 / 3))
    half = 1.959963984540054 / math.sqrt(3)  # s = 1, n = 3
    assert found[0].interval == pytest.approx((2 - half, 2 + half))
    assert found[0].confidence is None
    assert found[0].lift is None
    assert np.isnan(found[1].interval).all()  # one row has no spread
    assert "THEN price = 2  (3 rows, 75.0%; mean 0.8684 to 3.132)" in str(found[0])


def test_sets_are_named_by_what_is_in_or_out():
    job = categorical("job", *"abcdef", summary=Summary(n_missing=1))
    spec = subset(0, [[0], [1, 2, 3, 4, 5]], leaf(0), leaf(1), missing=1)
    rules = Rules(build(spec, schema_of(job)))
    assert [r.text() for r in rules] == [
        "IF job = a THEN y = no",
        "IF job != a or missing THEN y = yes",
    ]
    other = subset(0, [[0], [1, 2, 3, 4, 5]], leaf(0), leaf(1), missing=0)
    rules = Rules(build(other, schema_of(job)))
    assert rules[1].text() == "IF job in {b, c, d, e, f} THEN y = yes"
    assert rules[0].text() == "IF job = a or missing THEN y = no"
    assert rules[0].text(missing=False) == "IF job = a THEN y = no"


def test_missing_is_mentioned_if_the_column_had_any_or_on_request(iris_like):
    rule = Rules(iris_like)[0]
    assert "missing" not in rule.text()
    assert rule.text(missing=True).startswith("IF petal length <= 2.45 or missing ")


def test_ranks_booleans_and_missing_alone():
    flag = Feature("flag", stored_as="bool")
    schema = schema_of(ordinal("size", "S", "M", "L"), flag, categorical("c", "u"))
    low = threshold(0, 0.5, leaf(0), leaf(1))
    high = threshold(1, 0.5, is_missing(2, leaf(0), leaf(1)), leaf(1))
    said = Rules(build(threshold(0, 1.5, low, high), schema)).text().splitlines()
    assert said == [
        "IF size = S THEN y = no",
        "IF size = M THEN y = yes",
        "IF size = L AND flag = False AND c is missing or unseen THEN y = no",
        "IF size = L AND flag = False AND c is known THEN y = yes",
        "IF size = L AND flag = True THEN y = yes",
    ]


def test_a_single_leaf_is_a_rule_for_any_row():
    rules = Rules(build(leaf(0, 0, 1), schema_of("x")))
    assert rules.text() == "IF any row THEN y = no"
    assert rules[0].applies({"z": [1, 2]}).tolist() == [True, True]


def test_rows_that_stop_have_a_rule_of_their_own():
    outlook = categorical("outlook", "rainy", "sunny", summary=Summary(n_missing=2))
    spec = multiway(0, [[0], [1]], leaf(0), leaf(1, 1), stopped=[1, 1, 1])
    rules = Rules(build(spec, schema_of(outlook)))
    assert [rule.node for rule in rules] == [0, 1, 2]
    assert rules[0].text() == "IF outlook is missing or unseen THEN y = yes"
    assert [rule.rows for rule in rules] == [3, 1, 2]
    assert sum(rule.share for rule in rules) == pytest.approx(1)


def test_no_rule_where_nothing_can_stop():
    sunny = multiway(0, [[0], [1]], leaf(0), leaf(1))
    tree = build(is_missing(0, leaf(0), sunny), schema_of(categorical("o", "r", "s")))
    assert answer_nodes(tree).tolist() == [1, 3, 4]


# They are the tree ------------------------------------------------------------------


@pytest.mark.parametrize("style", STYLES)
def test_rules_cover_every_row_once_and_answer_as_the_tree(style):
    for seed in range(40):
        tree = odd_tree(seed, style, numbers=seed % 4 == 0)
        columns = random_columns(tree, 60, seed)
        rules = Rules(tree)
        shares = np.stack([shares_of(r.conditions, columns, 60) for r in rules])
        assert shares.sum(axis=0) == pytest.approx(1)
        for row in range(60):
            ended = slow_shares(tree, columns, row)
            places = np.flatnonzero(shares[:, row])
            assert {int(rules.nodes[p]): shares[p, row] for p in places} == (
                pytest.approx(ended)
            )


@pytest.mark.parametrize("style", ["plain", "stops"])
def test_applies_says_what_predict_does_on_rows_as_callers_have_them(style):
    for seed in range(20):
        tree = odd_tree(100 + seed, style)
        columns = random_columns(tree, 30, seed)
        frame = as_frame(tree, columns)
        said = answers(tree, route(tree, columns, 30))
        for rule in Rules(tree):
            meets = rule.applies(frame)
            assert meets.dtype == bool
            assert (said[meets] == rule.prediction).all()


def test_rules_of_grown_trees_give_their_evidence():
    for seed in range(300, 340):
        table, options = case(seed)
        tree = grow(table, options)
        columns = [column.data for column in table.columns]
        ended = route(tree, columns, table.n_rows)
        used = np.ones(table.n_rows) if table.weights is None else table.weights
        for rule in Rules(tree):
            meets = shares_of(rule.conditions, columns, table.n_rows) > 0
            assert (meets == (ended == rule.node)).all()
            assert rule.rows == (meets & (used > 0)).sum()


def test_float32_values_are_compared_without_rounding():
    t = 0.1  # float32(0.1) lies above it
    tree = build(threshold(0, t, leaf(0), leaf(1)), schema_of("x"))
    rows = np.array([[np.float32(0.1)]], dtype=np.float32)
    assert [rule.applies(rows)[0] for rule in Rules(tree)] == [False, True]


def test_shares_of_a_divided_row():
    spec = subset(0, [[0], [1]], leaf(0, 0, 0), leaf(1), missing=-2)
    tree = build(spec, schema_of(categorical("c", "u", "v")))
    shares = [rule.applies({"c": ["u", "v", None]}) for rule in Rules(tree)]
    assert np.array(shares).T.tolist() == [[1, 0], [0, 1], [0.75, 0.25]]
    assert (
        Rules(tree)[0].text(missing=True) == "IF c = u or missing (75.0%) THEN y = no"
    )


def test_surrogates_are_mentioned():
    tree = odd_tree(3, "surrogates")
    assert " or missing with " in Rules(tree).text(missing=True)


# As a sequence ----------------------------------------------------------------------


def test_index_slice_loop_and_length_agree():
    for seed in range(10):
        rules = Rules(odd_tree(seed, "stops"))
        listed = list(rules)
        assert len(listed) == len(rules)
        assert [str(rules[i]) for i in range(len(rules))] == [str(r) for r in listed]
        assert [str(r) for r in rules[1::2]] == [str(r) for r in listed[1::2]]
        assert str(rules[-1]) == str(listed[-1])
    with pytest.raises(IndexError):
        rules[len(rules)]


def test_choosing(iris_like):
    rules = Rules(iris_like)
    assert [r.node for r in rules.where(prediction="virginica")] == [5, 6]
    assert [r.node for r in rules.where(min_rows=50)] == [1, 6]
    assert [r.node for r in rules.where(min_confidence=0.9, min_share=0.1)] == [1, 4]
    assert [r.node for r in rules.where(column="petal width")] == [4, 5]
    assert [r.node for r in rules.where(lambda r: r.rows == 1)] == [5]
    assert len(rules.where(prediction="setosa", min_rows=99)) == 0
    assert str(rules.where(min_rows=999)) == "No rules."


def test_ordering(iris_like):
    rules = Rules(iris_like)
    assert [r.rows for r in rules.sorted_by("rows")] == [52, 50, 47, 1]
    assert [r.node for r in rules.sorted_by("confidence")] == [1, 4, 5, 6]
    by_length = rules.sorted_by("length", descending=False)
    assert [r.node for r in by_length] == [1, 6, 4, 5]
    assert [r.node for r in by_length[:2].sorted_by("node")] == [6, 1]
    by_class = rules.sorted_by("prediction")
    assert [r.prediction for r in by_class] == [
        "virginica",
        "virginica",
        "versicolor",
        "setosa",
    ]
    assert [r.node for r in by_class] == [5, 6, 4, 1]  # in the order of the classes
    numbers = Rules(random_tree(0, numbers=True)).sorted_by("prediction")
    assert (np.diff([r.prediction for r in numbers]) <= 0).all()


def test_wrong_names_are_refused_with_the_right_one(iris_like):
    rules = Rules(iris_like)
    with pytest.raises(OptionError, match="Did you mean 'confidence'"):
        rules.sorted_by("confidense")
    with pytest.raises(OptionError, match=r"no class 'setossa'.*Did you mean 'setosa'"):
        rules.where(prediction="setossa")
    with pytest.raises(OptionError, match="no column 'petal widht'"):
        rules.where(column="petal widht")


# Out --------------------------------------------------------------------------------


def test_to_pandas(iris_like):
    frame = Rules(iris_like).to_pandas()
    assert frame.index.tolist() == [1, 4, 5, 6]
    assert frame.loc[6, "conditions"] == "petal length > 4.95"
    assert frame["rows"].sum() == 150
    assert frame["share"].sum() == pytest.approx(1)
    for seed in range(10):
        rules = Rules(odd_tree(seed, "stops", numbers=seed % 2 == 1)).sorted_by("rows")
        frame = rules.to_pandas()
        for rule, (node, row) in zip(rules, frame.iterrows(), strict=True):
            assert rule.node == node
            assert rule.text().startswith(f"IF {row['conditions']} THEN ")
            assert (rule.rows, rule.prediction) == (row["rows"], row["prediction"])


def test_json_contains_the_whole_rule(iris_like):
    made = json.loads(Rules(iris_like).to_json())
    assert made[1]["conditions"][0] == {
        "column": "petal length",
        "kind": "numeric",
        "known": True,
        "above": 2.45,
        "at_most": 4.95,
        "missing": False,
    }
    assert made[1]["prediction"] == "versicolor"
    for style in STYLES:
        text = Rules(odd_tree(5, style, numbers=True)).to_json(indent=1)
        json.loads(text, parse_constant=lambda word: pytest.fail(word))


HOSTILE = ('"; DROP', "a\nb", "\u202egnp", "</script>", "z" * 1_000_000, "", "\x00")


def test_hostile_names_break_no_line():
    for name in HOSTILE:
        schema = Schema(
            (Feature(name), categorical("c" + name, name, "other")),
            TargetInfo(name, "class", ("n" + name, "p" + name)),
        )
        spec = threshold(0, 1.0, leaf(0), subset(1, [[0], [1]], leaf(1), leaf(0)))
        rules = Rules(build(spec, schema))
        for line in (rules.text(), str(rules), repr(rules)):
            assert all(part.isprintable() for part in line.split("\n"))
            assert len(line) < 2000
        assert len(rules.text().splitlines()) == 3
        assert json.loads(rules.to_json())[0]["conditions"][0]["column"] == name


def test_a_deep_chain_and_a_tree_of_a_thousand_rules():
    rules = Rules(chain(50_000))
    assert rules[-1].text() == "IF x > 49999 THEN y = no"
    assert len(rules.to_pandas()) == 50_001
    first = [rule.node for rule in rules[:100]]
    assert first == list(range(1, 201, 2))


def test_leaves_are_rules_in_order():
    for seed in range(5):
        tree = random_tree(seed, stops=False)
        assert (
            Rules(tree).nodes.tolist()
            == np.flatnonzero(tree.split_kind == LEAF).tolist()
        )


@pytest.mark.parametrize("method", ["id3", "c45", "cart"])
def test_rules_of_intervals_are_intervals_and_answer_as_the_tree(method):
    rng = np.random.default_rng(3)
    X = pd.DataFrame(rng.normal(size=(120, 3)), columns=list("abc"))
    X = X.mask(rng.random(X.shape) < 0.05)
    y = np.where(X["a"].fillna(0) * X["b"].fillna(0) > 0, "up", "down")
    clf = tw.TreeClassifier(method=method, discretize=4, missing="learned", prune=None)
    tree = clf.fit(X, y).tree_
    rules = tree.rules()
    applies = np.array([rule.applies(X) for rule in rules])
    assert (applies.sum(axis=0) == 1).all()
    said = np.array([rule.prediction for rule in rules])[applies.argmax(axis=0)]
    assert (said == clf.predict(X)).all()
    for words in (str(rule) for rule in rules):
        assert "= <=" not in words
        assert "= >" not in words


def test_invalid_arguments_are_named():
    X, y = {"x": [1, 2, 3, 4]}, ["a", "a", "b", "b"]
    rules = tw.TreeClassifier(prune=None, n_jobs=1).fit(X, y).tree_.rules()
    with pytest.raises(OptionError, match=r"test must be .* Did you mean column='x'"):
        rules.where("x")
    with pytest.raises(OptionError, match="min_rows must be a number from 0 up"):
        rules.where(min_rows="5")
    with pytest.raises(OptionError, match=r"from 0 to 1; got 80. For 80% pass 0.8"):
        rules.where(min_confidence=80)
    with pytest.raises(IndexError, match="no rule 99; there are 2, 0 to 1"):
        rules[99]
    with pytest.raises(OptionError, match="numbered from 0"):
        rules["x"]
    assert rules[-1] == rules[1]
    assert [each.node for each in rules.where(lambda rule: rule.rows == 2)] == [1, 2]


def test_an_error_suggests_the_class_with_or_without_quotes():
    X = {"x": [1, 2, 3, 4]}
    tree = tw.TreeClassifier(prune=None, n_jobs=1).fit(X, [0, 0, 1, 1]).tree_
    with pytest.raises(OptionError, match="Write 1, without quotes"):
        tree.formula("1")
    tree = tw.TreeClassifier(prune=None, n_jobs=1).fit(X, ["0", "0", "1", "1"]).tree_
    with pytest.raises(OptionError, match="Write '1', in quotes"):
        tree.rules().where(prediction=1)
