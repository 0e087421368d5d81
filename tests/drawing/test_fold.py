import numpy as np
import pytest

from support.build import chain, random_tree
from support.looks import penguins, tennis
from treewright.drawing.visible_nodes import fold
from treewright.errors import OptionError
from treewright.reading.text.visible_nodes import shown_nodes


def ends(folded):
    inner = {above for above in folded.parent if above >= 0}
    return [place for place in range(len(folded)) if place not in inner]


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("most", [1, 2, 5, 17])
def test_max_leaves_is_kept_and_every_leaf_is_counted(seed, most):
    tree = random_tree(np.random.default_rng(seed))
    folded = fold(tree, max_leaves=most)
    at = ends(folded)
    assert len(at) <= most
    leaves = sum(int(tree.subtree_size[folded.nodes[k]] == 1) for k in at)
    assert leaves + sum(folded.hidden) == tree.n_leaves
    assert folded.nodes.tolist() == sorted(folded.nodes.tolist())
    for place, above in enumerate(folded.parent):
        real = tree.parent[folded.nodes[place]]
        assert (real if real < 0 else folded.nodes[above]) == real
    assert folded.is_whole == (len(folded) == tree.n_nodes)


def test_the_path_of_a_row_is_always_shown():
    tree = penguins(max_depth=None).data
    deepest = int(tree.depth.argmax())
    way = []
    node = deepest
    while node >= 0:
        way.append(node)
        node = int(tree.parent[node])
    folded = fold(tree, 1, 2, way)
    assert set(way) <= set(folded.nodes.tolist())


@pytest.mark.parametrize("most", [2, 5, 9])
def test_pictures_and_text_show_the_same_nodes(most):
    tree = penguins(max_depth=None).data
    assert fold(tree, max_leaves=most).nodes.tolist() == (
        np.flatnonzero(shown_nodes(tree, max_leaves=most)).tolist()
    )


def test_depth_limits():
    tree = tennis().data
    assert len(fold(tree, 0)) == 1
    assert fold(tree, 0).hidden == [tree.n_leaves]
    assert len(fold(tree, max_leaves=None)) == tree.n_nodes
    shown = fold(tree, 2).nodes
    assert shown.tolist() == np.flatnonzero(tree.depth <= 2).tolist()


def test_it_says_what_is_folded():
    words = fold(tennis().data, 1).words(tennis().data)
    assert words == (
        "Shown: 3 of 13 nodes. 6 of 7 leaves lie below 1 folded node; impure nodes "
        "with many rows are opened first."
    )
    assert fold(tennis().data).words(tennis().data) == ""


def test_a_chain_of_fifty_thousand():
    assert len(fold(chain(50_000))) <= 119


@pytest.mark.parametrize("value", [-1, 1.5, True, "three"])
def test_bad_limits(value):
    with pytest.raises(OptionError, match="max_depth must be a whole number >= 0, or"):
        fold(tennis().data, value)
    with pytest.raises(OptionError, match="max_leaves must be a whole number >= 1"):
        fold(tennis().data, None, 0 if value == -1 else value)
