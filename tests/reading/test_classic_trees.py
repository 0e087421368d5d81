"""Rules, formulas, explanations and workings of trees of the classic family."""

import numpy as np
import pytest

import treewright as tw
from growing.test_seeds import HUMIDITY, OUTLOOK, PLAY, TEMPERATURE, WIND
from treewright.pruning.path import find_path

# Rows as callers have them include words that no tree has seen.
pytestmark = pytest.mark.filterwarnings(
    "ignore::treewright.errors.UnseenCategoryWarning"
)

DAYS = {
    "Outlook": OUTLOOK,
    "Temperature": TEMPERATURE,
    "Humidity": HUMIDITY,
    "Wind": WIND,
}
WAYS = {
    "surrogates": {"missing": "surrogate"},
    "surrogates, then stop": {"missing": "surrogate", "surrogate_fallback": "stop"},
    "fractional": {"missing": "fractional"},
    "c45": {"method": "c45"},
    "c45, grouped": {"method": "c45", "categories": "grouped"},
    "learned": {},
    "id3": {"method": "id3"},
    "id3, fractional": {"method": "id3", "missing": "fractional"},
}


def rows(seed, n, numbers):
    """Rows with missing values, and (in new ones) categories never seen."""
    rng = np.random.default_rng(seed)
    X = {
        "a": rng.choice(list("uvwx"), n).astype(object),
        "b": rng.choice(["low", "high"], n).astype(object),
    }
    if numbers:
        X |= {"c": rng.normal(size=n).round(1), "d": rng.integers(0, 6, n) * 1.0}
    y = (X["a"] == "u").astype(int) + (rng.random(n) < 0.3)
    if numbers:
        y = y + (X["c"] > 0)
    for name, values in X.items():
        gone = rng.random(n) < 0.15
        values[gone] = None if values.dtype == object else np.nan
        X[name] = values
    return X, y.astype(str)


@pytest.fixture(params=WAYS, ids=lambda name: name.replace(" ", "_"))
def grown(request):
    options = WAYS[request.param]
    found = []
    for seed in range(4):
        X, y = rows(seed, 120, numbers=options.get("method") != "id3")
        found.append((tw.TreeClassifier(prune=None, **options).fit(X, y).tree_, X, y))
    return found


def new_rows(X, seed):
    fresh, _ = rows(seed + 99, 60, numbers="c" in X)
    fresh["a"][:5] = "never seen"
    return fresh


def test_rules_cover_every_row_and_give_predict_proba(grown):
    for seed, (tree, X, _) in enumerate(grown):
        fresh = new_rows(X, seed)
        shares = np.array([rule.applies(fresh) for rule in tree.rules()], float)
        assert shares.sum(axis=0) == pytest.approx(1)
        nodes = tree.rules().nodes
        sure = tree.value[nodes] / tree.value[nodes].sum(axis=1, keepdims=True)
        assert shares.T @ sure == pytest.approx(tree.predict_proba(fresh))


def test_the_formula_is_predict(grown):
    for seed, (tree, X, _) in enumerate(grown):
        fresh = new_rows(X, seed)
        if (tree.missing_route == -2).any():
            with pytest.raises(tw.OptionError, match="divides rows"):
                tree.formula(tree.classes[0])
            continue
        for label in tree.classes:
            said = tree.formula(label).evaluate(fresh)
            assert (said == (tree.predict(fresh) == label)).all()


def test_explanations_answer_as_predict_and_their_changes_work(grown):
    for seed, (tree, X, _) in enumerate(grown):
        fresh = new_rows(X, seed)
        expected, proba = tree.predict(fresh), tree.predict_proba(fresh)
        for r in range(12):
            row = {name: values[r] for name, values in fresh.items()}
            found = tw.explain(tree, row)
            assert found.prediction == expected[r]
            assert found.shares == pytest.approx(proba[r])
            if found.changes:
                after = {**row, **{c.column: c.after for c in found.changes}}
                reached = tree.predict({name: [v] for name, v in after.items()})[0]
                assert reached == found.other
                assert reached != found.prediction
            assert str(found)


def test_workings_give_the_gains_of_the_tree(grown):
    for tree, X, y in grown:
        options = tree.data.made_by["options"]
        for node in np.flatnonzero(tree.split_kind)[:6]:
            found = tw.why(tree, node, X, y)
            assert found.here.impurity == pytest.approx(tree.impurity[node])
            if options["method"] != "c45":
                assert found.chosen.gain == pytest.approx(tree.gain[node])
            assert found.candidates[0].column == found.chosen.column
            assert str(found)


def test_the_numbers_of_the_weather_days_on_a_grown_id3_tree():
    tree = tw.TreeClassifier(method="id3", prune=None).fit(DAYS, PLAY).tree_
    said = str(tw.why(tree, 0, DAYS, PLAY))
    for number in ("0.940", "0.2467", "0.0292", "0.1518"):
        assert number in said
    assert tree.formula("No").text(ascii=True) == (
        "(Outlook = Rain AND Wind = Strong) OR (Outlook = Sunny AND Humidity = High)"
    )


def test_readable_thresholds_keep_divided_rows_where_they_were():
    for seed in range(5):
        X, y = rows(seed, 150, numbers=True)
        for options in ({"method": "c45"}, {"missing": "surrogate"}):
            plain = tw.TreeClassifier(prune=None, **options).fit(X, y)
            short = tw.TreeClassifier(prune=None, thresholds="readable", **options)
            short = short.fit(X, y)
            assert short.predict_proba(X) == pytest.approx(plain.predict_proba(X))


def test_where_a_node_collapses():
    tree = tw.TreeClassifier(prune=None).fit(DAYS, PLAY).tree_
    found = tw.why(tree, 0, DAYS, PLAY)
    assert found.collapse_alpha == find_path(tree.data).collapse_alpha[0]
    assert f"makes a leaf of it at alpha = {found.collapse_alpha:.4f}" in str(found)
