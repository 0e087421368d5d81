import json

import numpy as np
import pytest

import treewright as tw
from growing.test_seeds import HUMIDITY, OUTLOOK, PLAY, TEMPERATURE, WIND
from support.build import (
    build,
    categorical,
    chain,
    leaf,
    multiway,
    schema_of,
    subset,
    threshold,
)
from support.odd_trees import as_frame, odd_tree, random_columns, slow_shares
from support.strategies import case
from treewright.errors import OptionError
from treewright.growing.grow import grow
from treewright.reading.answers.answer import answers
from treewright.reading.conditions import boxes
from treewright.reading.conditions.condition import shares_of
from treewright.reading.conditions.formula import formula
from treewright.table.schema import Feature, Schema, TargetInfo
from treewright.tree.route import route

# Rows as callers have them include words that no tree has seen.
pytestmark = pytest.mark.filterwarnings(
    "ignore::treewright.errors.UnseenCategoryWarning"
)

XY = schema_of("x", classes=())
OR = "\N{LOGICAL OR}"


def tennis():
    """The tree of seed 004's diagram."""
    columns = [
        categorical("Outlook", "Overcast", "Rain", "Sunny"),
        categorical("Humidity", "High", "Normal"),
        categorical("Wind", "Strong", "Weak"),
    ]
    target = TargetInfo("Play", "class", ("No", "Yes"))
    sunny = multiway(1, [[0], [1]], leaf(0, 0, 0), leaf(1, 1))
    rain = multiway(2, [[0], [1]], leaf(0, 0), leaf(1, 1, 1))
    root = multiway(0, [[2], [0], [1]], sunny, leaf(1, 1, 1, 1), rain)
    return build(root, Schema(tuple(columns), target))


def values_of(found, columns, n):
    holds = [shares_of(term.conditions, columns, n) > 0 for term in found.terms]
    if found.prediction is not None:
        return np.any([np.zeros(n, bool), *holds], axis=0)
    return np.sum([h * t.value for h, t in zip(holds, found.terms, strict=True)], 0)


def test_the_disjunction_of_seed_004():
    assert formula(tennis(), "No").text() == (
        f"(Outlook = Sunny ∧ Humidity = High) {OR} (Outlook = Rain ∧ Wind = Strong)"
    )
    assert formula(tennis(), "Yes").text(ascii=True) == (
        "(Outlook = Overcast) OR (Outlook = Sunny AND Humidity = Normal) OR "
        "(Outlook = Rain AND Wind = Weak)"
    )


def test_regions_of_seed_001_add_up():
    schema = Schema((Feature("x1"), Feature("x2")), TargetInfo("y", "number"))
    spec = threshold(0, 2.0, threshold(1, 3.0, leaf(5.0), leaf(7.0)), leaf(1.5))
    found = formula(build(spec, schema))
    assert str(found).splitlines() == [
        "y =",
        "    5·[x1 <= 2 ∧ x2 <= 3]",
        "  + 7·[x1 <= 2 ∧ x2 > 3]",
        "  + 1.5·[x1 > 2]",
    ]
    assert found.evaluate({"x1": [1, 1, 3], "x2": [3, 4, 3]}).tolist() == [5, 7, 1.5]


def test_equal_answers_below_a_node_are_one_term():
    spec = threshold(0, 1.0, threshold(1, 2.0, leaf(0), leaf(0, 0)), leaf(1))
    assert formula(build(spec, schema_of("a", "b")), "no").text() == "a <= 1"


def test_a_condition_that_keeps_nothing_out_is_dropped():
    # yes if a <= 1, or a > 1 and b > 3: then b > 3 alone will do.
    spec = threshold(0, 1.0, leaf(1, 1), threshold(1, 3.0, leaf(0), leaf(1)))
    tree = build(spec, schema_of("a", "b"))
    assert formula(tree, "yes").text() == f"(a <= 1) {OR} (b > 3)"
    assert formula(tree, "no").text() == "a > 1 ∧ b <= 3"


def test_neighbouring_intervals_are_joined():
    inner = threshold(0, 5.0, leaf(1), threshold(0, 7.0, leaf(0), leaf(1)))
    tree = build(threshold(0, 2.0, leaf(0), inner), schema_of("a"))
    assert formula(tree, "no").text() == f"(a <= 2) {OR} (5 < a <= 7)"
    assert formula(tree, "yes").text() == f"(2 < a <= 5) {OR} (a > 7)"


def test_always_and_never():
    tree = build(threshold(0, 1.0, leaf(0), leaf(0)), schema_of("a"))
    assert formula(tree, "no").text() == "always"
    assert formula(tree, "yes").text() == "never"
    assert formula(tree, "yes").evaluate({"a": [1, 2]}).tolist() == [False, False]
    assert formula(tree, "no").evaluate({"a": [1, 2]}).tolist() == [True, True]


@pytest.mark.parametrize("style", ["plain", "stops", "surrogates"])
def test_the_formula_holds_exactly_where_the_tree_answers_so(style):
    for seed in range(60):
        tree = odd_tree(seed, style, numbers=seed % 3 == 0)
        columns = random_columns(tree, 80, seed)
        ends = [next(iter(slow_shares(tree, columns, r))) for r in range(80)]
        if tree.is_classifier:
            for k, label in enumerate(tree.schema.target.classes):
                said = values_of(formula(tree, label), columns, 80)
                assert (said == (tree.label[ends] == k)).all(), (seed, label)
        else:
            said = values_of(formula(tree), columns, 80)
            assert (said == tree.value[ends, 0]).all(), seed


def test_on_rows_as_callers_have_them():
    for seed in range(15):
        tree = odd_tree(seed, "stops")
        columns = random_columns(tree, 40, seed)
        said = answers(tree, route(tree, columns, 40))
        for label in tree.schema.target.classes:
            found = formula(tree, label).evaluate(as_frame(tree, columns))
            assert (found == (said == label)).all()


def test_grown_trees():
    for seed in range(400, 440):
        table, options = case(seed)
        tree = grow(table, options)
        columns = random_columns(tree, 60, seed)
        ends = route(tree, columns, 60)
        if tree.is_classifier:
            for k, label in enumerate(tree.schema.target.classes):
                said = values_of(formula(tree, label), columns, 60)
                assert (said == (tree.label[ends] == k)).all(), seed
        else:
            said = values_of(formula(tree), columns, 60)
            assert (said == tree.value[ends, 0]).all(), seed


def test_it_is_never_longer_than_the_rules():
    X = {
        "Outlook": OUTLOOK,
        "Temperature": TEMPERATURE,
        "Humidity": HUMIDITY,
        "Wind": WIND,
    }
    tree = tw.TreeClassifier(prune=None, criterion="entropy").fit(X, PLAY).tree_
    found = tree.formula("Yes")
    assert len(found.terms) <= len(tree.rules().where(prediction="Yes"))
    assert (found.evaluate(X) == (np.array(PLAY) == "Yes")).all()
    assert found.text(ascii=True) == (
        "(Outlook = Rain AND Wind = Weak) OR (Outlook = Sunny AND Humidity = Normal) "
        "OR (Humidity = Normal AND Wind = Weak) OR (Outlook = Overcast)"
    )  # the third is for days whose outlook is missing


def test_a_large_tree_and_a_deep_one():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(3000, 4)), rng.integers(0, 2, 3000)
    tree = tw.TreeClassifier(prune=None).fit(X, y).tree_
    assert tree.n_leaves > 600
    assert (tree.formula(1).evaluate(X) == (tree.predict(X) == 1)).all()
    deep = chain(3000)
    rows = {"x": np.arange(-1, 3001) + 0.5}
    ends = route(deep, [rows["x"]], 3002)
    assert (formula(deep, "yes").evaluate(rows) == (deep.label[ends] == 1)).all()


def test_many_boxes_are_joined_without_comparing_every_pair(monkeypatch):
    monkeypatch.setattr(boxes, "_MOST_PAIRS", 0)
    for seed in range(12):
        tree = odd_tree(seed, "plain")
        columns = random_columns(tree, 80, seed)
        ends = route(tree, columns, 80)
        for k, label in enumerate(tree.schema.target.classes):
            said = values_of(formula(tree, label), columns, 80)
            assert (said == (tree.label[ends] == k)).all(), (seed, label)
    one, inside = {0: 0b11}, {0: 0b01}
    assert boxes._outermost([one, inside, dict(one)]) == [one, inside]
    monkeypatch.undo()
    assert boxes._outermost([one, inside, dict(one)]) == [one]


def test_bad_requests():
    with pytest.raises(OptionError, match=r"formula needs the class.*formula\('No'\)"):
        formula(tennis())
    with pytest.raises(OptionError, match=r"no class 'yes'.*Did you mean 'Yes'"):
        formula(tennis(), "yes")
    numbers = build(leaf(1.0), schema_of("x", classes=()))
    with pytest.raises(OptionError, match="answers numbers"):
        formula(numbers, 1.0)
    spec = subset(0, [[0], [1]], leaf(0), leaf(1), missing=-2)
    with pytest.raises(OptionError, match="divides rows"):
        formula(build(spec, schema_of(categorical("c", "u", "v"))), "no")


def test_as_json():
    made = json.loads(json.dumps(formula(tennis(), "No").to_dict()))
    assert made["prediction"] == "No"
    assert made["any_of"][0][0]["categories"] == ["Sunny"]
    numbers = formula(build(threshold(0, 2.0, leaf(5.0), leaf(1.5)), XY))
    made = json.loads(json.dumps(numbers.to_dict()))
    assert [each["value"] for each in made["sum_of"]] == [5.0, 1.5]
    wheres = [each["where"] for each in made["sum_of"]]
    assert [(each["above"], each["at_most"]) for (each,) in wheres] == [
        (None, 2.0),
        (2.0, None),
    ]
    assert repr(numbers) == str(numbers) == "y =\n    5·[x <= 2]\n  + 1.5·[x > 2]"
