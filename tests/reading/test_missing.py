"""The account of missing rows, and surrogates in words."""

import numpy as np
import pytest

import treewright as tw
from support.strategies import classic_case
from treewright.errors import TreewrightError
from treewright.growing.grow import grow
from treewright.model import Tree
from treewright.tree.data import ALL_BRANCHES, LEAF, STOP_HERE

N = np.nan
# Height and arm agree except in one row; the town agrees less often.
X = {
    "height": [1.5, 1.6, 1.6, 1.7, 1.8, 1.8, 1.9, 1.9, N, N, N],
    "arm": [0.6, 0.6, 0.7, 0.8, 0.8, 0.8, 0.9, 0.9, 0.6, N, N],
    "town": ["a", "a", "a", "b", "b", "b", "b", "a", "a", "b", None],
}
Y = ["s", "s", "s", "s", "l", "l", "l", "l", "s", "l", "l"]


def tree_of(**options):
    return tw.TreeClassifier(prune=None, max_depth=1, **options).fit(X, Y).tree_


def test_surrogates_in_words():
    tree = tree_of(missing="surrogate")
    assert tree.split(0).words(0) == "height <= 1.75"
    arm, town = tree.surrogates(0)
    assert (arm.place, arm.feature, arm.column, arm.n_rows) == (1, "arm", 1, 1)
    assert (arm.agree, arm.adjusted) == (0.875, 0.75)
    assert (arm.words(0), arm.words(1)) == ("arm <= 0.75", "arm > 0.75")
    assert (town.agree, town.adjusted, town.n_rows) == (0.75, 0.5, 1)
    assert str(town) == (
        "2. town = a goes left: agrees 75.0%, adjusted 50.0%, sent 1 row"
    )
    assert tree.surrogates(1) == ()


@pytest.mark.parametrize(
    ("options", "rest", "route", "words"),
    [
        (
            {"missing": "surrogate"},
            1,
            0,
            "3 rows missing in height: 1 row by surrogate 1, arm; 1 row by surrogate "
            "2, town; 1 row by the heavier branch, height <= 1.75.",
        ),
        (
            {"missing": "surrogate", "surrogate_fallback": "stop"},
            1,
            STOP_HERE,
            "3 rows missing in height: 1 row by surrogate 1, arm; 1 row by surrogate "
            "2, town; 1 row stopped here.",
        ),
        (
            {"missing": "fractional"},
            3,
            ALL_BRANCHES,
            "3 rows missing in height: 3 rows divided among all branches.",
        ),
        (
            {"missing": "learned"},
            3,
            1,
            "3 rows missing in height: 3 rows by the learned branch, height > 1.75.",
        ),
    ],
)
def test_the_account_of_a_node(options, rest, route, words):
    account = tree_of(**options).missing_account(0)
    assert (account.n_missing, account.n_rest, account.route) == (3, rest, route)
    assert account.words == str(account) == words


def test_a_leaf_has_no_split():
    account = tree_of().missing_account(1)
    assert account.feature is None
    assert account.words == "Node 1 is a leaf: it has no split."


def test_an_unknown_node_is_refused():
    with pytest.raises(TreewrightError, match="from 0 to 2"):
        tree_of().missing_account(3)


@pytest.mark.parametrize("seed", range(32_000, 32_060))
def test_accounts_add_up(seed):
    table, options = classic_case(seed)
    tree = Tree(grow(table, options))
    for node in np.flatnonzero(tree.split_kind != LEAF).tolist():
        account = tree.missing_account(node)
        placed = sum(each.n_rows for each in account.surrogates)
        assert account.n_missing == placed + account.n_rest
        assert account.n_rest >= 0
        assert all(0 < each.adjusted <= 1 for each in account.surrogates)


def test_text_frame_and_dict_show_them():
    tree = tree_of(missing="surrogate")
    said = tree.text()
    assert "missing goes by arm and others" in said
    assert "or missing" not in said
    assert tree.to_pandas()["n_missing"].tolist() == [3, 0, 0]
    split = tree.to_dict()["nodes"][0]["split"]
    assert split["rows_missing"] == 3
    arm, town = split["surrogates"]
    assert (arm["feature"], arm["threshold"]) == ("arm", 0.75)
    assert (town["feature"], town["branches"]) == ("town", [["a"], ["b"]])
    assert "or missing" in tree_of(missing="learned").text()
