"""The classic family on hostile tables: it works, or one clear error helps."""

import re
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from support.strategies import categorical, make_table, numeric
from treewright.errors import ColumnError, OptionError, TreewrightError
from treewright.growing.grow import grow
from treewright.model import Tree
from treewright.options import GrowOptions
from treewright.table.column import CategoricalColumn
from treewright.tree.check import check
from treewright.tree.data import MULTIWAY, STOP_CODES, STOP_HERE

N = np.nan
METHODS = ["id3", "c45"]
WAYS = ["learned", "surrogate", "fractional"]


# Weights far from the least that a branch needs ---------------------------------------


@pytest.mark.parametrize("method", ["c45", "j48"])
@pytest.mark.parametrize(("weight", "least"), [(1e-6, 2), (1e-30, 2), (1.0, 1e30)])
def test_where_no_branch_can_have_the_least_weight_there_is_no_split(
    method, weight, least
):
    # In a process of its own: where this goes wrong, it never ends.
    code = (
        "import treewright as tw\n"
        f"model = tw.TreeClassifier.like({method!r}, prune=None, n_jobs=1)\n"
        f"model.set_params(min_branch_weight={least})\n"
        "X, y = {'d': [1.0, 2, 3, 4]}, ['p', 'q', 'p', 'q']\n"
        f"w = [{weight} * x for x in (1, 1, 2, 0.7)]\n"
        "print(model.fit(X, y, w).tree_.n_leaves)\n"
    )
    found = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert found.stdout.strip() == "1"


# Very many categories, and very rare ones --------------------------------------------


@pytest.mark.parametrize("missing", ["learned", "fractional"])
@pytest.mark.parametrize("method", METHODS)
def test_a_hundred_thousand_categories(method, missing):
    n = 150_000
    codes = np.arange(n, dtype=np.int32) % 100_000
    codes[:50] = -1
    many = CategoricalColumn("many", codes, tuple(map(str, range(100_000))))
    few = CategoricalColumn("few", (np.arange(n) % 3).astype(np.int32), tuple("abc"))
    y = (np.arange(n) % 3 == 0).astype(int)
    if method == "id3":
        y = np.random.default_rng(0).integers(0, 2, n)
    table = make_table([many, few], y.tolist())
    tree = grow(table, GrowOptions(method=method, missing=missing))
    check(tree)
    if method == "c45":  # the ratio does not fall for it
        assert tree.n_nodes == 4
    else:
        assert tree.split_kind[0] == MULTIWAY
        assert tree.n_children[0] == 100_000 + (missing == "learned")
    assert "lighter branches" in Tree(tree).text(max_leaves=5) or method == "c45"


@pytest.mark.parametrize("method", METHODS)
def test_a_category_that_occurs_once_has_a_branch(method):
    X = pd.DataFrame({"c": list("aaaabbbbz"), "d": list("uvuvuvuvu")})
    y = list("nnnnyyyyn")
    model = tw.TreeClassifier(method=method, prune=None).fit(X, y)
    assert len(model.tree_.children(0)) == 3
    assert model.predict(pd.DataFrame({"c": ["z"], "d": ["v"]})).tolist() == ["n"]


@pytest.mark.parametrize("method", METHODS)
def test_a_category_without_a_branch_stops(method):
    X = pd.DataFrame({"c": list("aaaabbbb"), "d": list("uvuvuvuv")})
    model = tw.TreeClassifier(method=method, missing="learned", prune=None)
    model.fit(X, list("nnnyyyyy"))
    new = pd.DataFrame({"c": ["never"], "d": ["u"]})
    assert model.tree_.missing_route[0] == STOP_HERE
    assert model.predict(new).tolist() == ["y"]
    assert model.apply(new).tolist() == [0]


# Nothing known -----------------------------------------------------------------------


@pytest.mark.parametrize("missing", WAYS)
def test_a_column_that_is_missing_in_all_rows_of_a_node(missing):
    # x is known only where c is a: below c = b no split is possible.
    c = categorical("c", [*"aaaabbbb"])
    x = numeric("x", [1, 1, 2, 2, N, N, N, N])
    y = [0, 0, 1, 1, 2, 2, 3, 2]
    tree = grow(make_table([c, x], y), GrowOptions(missing=missing))
    check(tree)
    reasons = {STOP_CODES["pure"], STOP_CODES["identical_rows"]}
    assert set(tree.stop_reason[tree.split_kind == 0].tolist()) <= reasons
    assert tree.n_leaves == 3


@pytest.mark.parametrize("missing", WAYS)
def test_a_table_in_which_everything_is_missing_but_the_target(missing):
    table = make_table(
        [numeric("x", [N] * 4), categorical("c", [None] * 4, "a")], [0, 0, 1, 1]
    )
    tree = grow(table, GrowOptions(missing=missing))
    assert tree.n_nodes == 1


def test_predicting_a_row_that_misses_everything():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3))
    X[rng.random(X.shape) < 0.3] = N
    y = rng.integers(0, 2, 80)
    nothing = np.full((1, 3), N)
    for missing in WAYS:
        model = tw.TreeClassifier(missing=missing, prune=None).fit(X, y)
        assert model.predict_proba(nothing).sum() == pytest.approx(1)
    stop = tw.TreeClassifier(
        missing="surrogate", surrogate_fallback="stop", prune=None
    ).fit(X, y)
    assert stop.apply(nothing).tolist() == [0]
    assert stop.predict_proba(nothing)[0] == pytest.approx(np.bincount(y) / 80)


# Divided rows and rules --------------------------------------------------------------


def test_rules_count_divided_rows_by_their_share():
    # Of four rows without x, half goes left: 2 + 4 / 2 rows there.
    x = numeric("x", [1, 1, 2, 2, N, N, N, N])
    z = numeric("z", [1, 2, 1, 2, 1, 2, 1, 2])
    y = [0, 0, 1, 1, 0, 1, 0, 1]
    wants = {"missing": "fractional", "max_depth": 2}
    three = grow(make_table([x, z], y), GrowOptions(min_samples_leaf=2, **wants))
    assert three.weight[1] == 4
    assert three.n_rows[1] == 6
    # Six rows go left, but they count as four: not enough for two branches of three.
    few = grow(make_table([x, z], y), GrowOptions(min_samples_leaf=3, **wants))
    assert few.n_nodes == 1 or (few.weight[1:] >= 3 - 1e-9).all()
    split = grow(make_table([x, z], y), GrowOptions(min_samples_split=5, **wants))
    assert STOP_CODES["min_samples_split"] in split.stop_reason.tolist()


@pytest.mark.parametrize("seed", range(6))
def test_divided_rows_are_not_followed_below_the_weight_of_a_row(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(400, 6))
    y = (X[:, 0] + X[:, 1] + rng.normal(size=400) > 0).astype(int)
    X[rng.random(X.shape) < 0.2] = N
    table = make_table([numeric(f"x{j}", X[:, j]) for j in range(6)], y.tolist())
    tree = grow(table, GrowOptions(missing="fractional"))
    assert tree.weight.min() >= 1 - 1e-9
    assert tree.n_leaves <= 400


# What cannot be ----------------------------------------------------------------------


def refused(words, X, y, error=TreewrightError, **options):
    with pytest.raises(error, match=re.escape(words)):
        tw.TreeClassifier(**options).fit(X, y)


def test_numbers_under_id3_offer_intervals():
    X = pd.DataFrame({"age": [1.5, 2.5, 3.5], "c": list("aba")})
    y = [0, 1, 0]
    refused(
        "column 'age' holds numbers. Cut all such columns into intervals with "
        "discretize=5, this one with discretize={'age': ('quantile', 5)}; or use "
        "method='c45' or 'cart'.",
        X,
        y,
        ColumnError,
        method="id3",
    )
    tw.TreeClassifier(method="id3", discretize=2).fit(X, y)


@pytest.mark.parametrize("method", METHODS)
def test_surrogates_need_splits_in_two(method):
    refused(
        f"missing='surrogate' needs splits in two, and method={method!r} opens a "
        "branch for every category. Use method='cart', or missing='fractional'.",
        pd.DataFrame({"c": list("aba")}),
        [0, 1, 0],
        OptionError,
        method=method,
        missing="surrogate",
    )


XY = ([[1], [2], [3]], ["no", "yes", "no"])


@pytest.mark.parametrize(
    ("costs", "words"),
    [
        ([[0, 1, 2], [1, 0, 2]], "costs"),
        ([[0, 1]], "costs"),
        ({"no": {"perhaps": 2}}, "perhaps"),
        ({"maybe": {"yes": 2}}, "maybe"),
        ([[0, -1], [1, 0]], "-1"),
        ([[0, N], [1, 0]], "nan"),
        ([[0, np.inf], [1, 0]], "inf"),
        ("high", "costs"),
    ],
)
def test_invalid_costs_are_refused(costs, words):
    refused(words, *XY, costs=costs)


@pytest.mark.parametrize(
    ("priors", "words"),
    [
        ([0.5, 0.6], "sum"),
        ([0.2, 0.2, 0.6], "priors"),
        ({"no": 0.5, "maybe": 0.5}, "maybe"),
        ([-0.5, 1.5], "-0.5"),
        ([N, 1.0], "nan"),
        ("even", "priors"),
    ],
)
def test_invalid_priors_are_refused(priors, words):
    refused(words, *XY, priors=priors)


def test_priors_and_class_weight_contradict_each_other():
    refused("class_weight", *XY, priors=[0.5, 0.5], class_weight="balanced")
