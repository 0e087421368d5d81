from dataclasses import replace

import numpy as np
import pytest

import treewright as tw
from growing.test_seeds import FREE, SENDER, SPAM, WORDS
from support.stepping import steps_of
from support.strategies import case
from treewright.errors import OptionError
from treewright.growing.competitors import competitors_of
from treewright.growing.grow import grow
from treewright.tree.data import LEAF
from treewright.tree.edit import collapse
from treewright.tree.walk import node_at

MAILS = {"words": WORDS, "sender": SENDER, "free": FREE}


def test_the_spam_table_keeps_what_came_close():
    grown = tw.TreeClassifier(prune=None, criterion="entropy", competitors=4).fit(
        MAILS, SPAM
    )
    found = grown.tree_.competitors(0)
    assert [each.column for each in found] == ["free", "sender"]
    assert [each.gain for each in found] == pytest.approx([0.5488, 0.3113], abs=5e-5)
    assert found[0].gap == pytest.approx(0, abs=1e-12)
    assert found[1].words == "sender in two groups"
    assert grown.tree_.competitors(1) == []


def test_only_the_extras_differ():
    for seed in range(900, 960):
        table, options = case(seed)
        plain = grow(table, options)
        with_them = grow(table, replace(options, competitors=2))
        for name, array in plain.arrays().items():
            assert array.tobytes() == getattr(with_them, name).tobytes()


def test_competitors_are_the_candidates_of_the_node():
    for seed in range(960, 990):
        table, options = case(seed)
        tree = grow(table, replace(options, competitors=3))
        inner = np.flatnonzero(tree.split_kind != LEAF)
        if not len(inner):
            continue
        free = replace(options, max_leaf_nodes=None, max_nodes=None)
        candidates = steps_of(table, free).candidates(0, 4)
        name = tree.schema.names[tree.feature[0]]
        expected = [(c.feature, c.gain) for c in candidates if c.feature != name][:3]
        assert [(c.column, c.gain) for c in competitors_of(tree, 0)] == expected


def test_competitors_survive_pruning():
    grown = tw.TreeClassifier(prune=None, competitors=1).fit(MAILS, SPAM).tree_.data
    inner = int(np.flatnonzero(grown.split_kind != LEAF)[-1])
    cut, _ = collapse(grown, [inner])
    assert str(competitors_of(cut, 0)) == str(competitors_of(grown, 0))
    assert node_at(cut, ()) == 0


def test_a_tree_without_competitors_says_how_to_get_them():
    tree = tw.TreeClassifier(prune=None).fit(MAILS, SPAM).tree_
    with pytest.raises(OptionError, match="Grow it with competitors=4"):
        tree.competitors(0)
    with pytest.raises(OptionError, match="competitors must be a whole number >= 0"):
        tw.TreeClassifier(prune=None, competitors=-1).fit(MAILS, SPAM)


@pytest.mark.parametrize("options", [{"method": "id3"}, {"method": "c45"}])
def test_splits_of_several_branches_have_no_competitors(options):
    table = tw.as_table({"k": [*"aabbcc"] * 4}, [0, 0, 1, 1, 2, 2] * 4)
    with pytest.raises(OptionError, match=r"two branches; .* Use competitors=0"):
        grow(table, tw.GrowOptions(competitors=2, **options))
    assert grow(table, tw.GrowOptions(**options)).n_leaves == 3
