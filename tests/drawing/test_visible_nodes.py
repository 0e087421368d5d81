import numpy as np
import pytest

from support.build import chain, random_tree
from support.looks import penguins, tennis
from treewright.drawing.visible_nodes import visible_nodes
from treewright.errors import OptionError
from treewright.reading.text.visible_nodes import shown_nodes


def ends(visible):
    inner = {above for above in visible.parent if above >= 0}
    return [place for place in range(len(visible)) if place not in inner]


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("most", [1, 2, 5, 17])
def test_max_leaves_is_kept_and_every_leaf_is_counted(seed, most):
    tree = random_tree(np.random.default_rng(seed))
    visible = visible_nodes(tree, max_leaves=most)
    at = ends(visible)
    assert len(at) <= most
    leaves = sum(int(tree.subtree_size[visible.nodes[k]] == 1) for k in at)
    assert leaves + sum(visible.hidden) == tree.n_leaves
    assert visible.nodes.tolist() == sorted(visible.nodes.tolist())
    for place, above in enumerate(visible.parent):
        real = tree.parent[visible.nodes[place]]
        assert (real if real < 0 else visible.nodes[above]) == real
    assert visible.is_whole == (len(visible) == tree.n_nodes)


def test_the_path_of_a_row_is_always_shown():
    tree = penguins(max_depth=None).data
    deepest = int(tree.depth.argmax())
    way = []
    node = deepest
    while node >= 0:
        way.append(node)
        node = int(tree.parent[node])
    visible = visible_nodes(tree, 1, 2, way)
    assert set(way) <= set(visible.nodes.tolist())


@pytest.mark.parametrize("most", [2, 5, 9])
def test_pictures_and_text_show_the_same_nodes(most):
    tree = penguins(max_depth=None).data
    assert visible_nodes(tree, max_leaves=most).nodes.tolist() == (
        np.flatnonzero(shown_nodes(tree, max_leaves=most)).tolist()
    )


def test_depth_limits():
    tree = tennis().data
    assert len(visible_nodes(tree, 0)) == 1
    assert visible_nodes(tree, 0).hidden == [tree.n_leaves]
    assert len(visible_nodes(tree, max_leaves=None)) == tree.n_nodes
    shown = visible_nodes(tree, 2).nodes
    assert shown.tolist() == np.flatnonzero(tree.depth <= 2).tolist()


def test_it_says_what_is_folded():
    words = visible_nodes(tennis().data, 1).words(tennis().data)
    assert words == (
        "Shown: 3 of 13 nodes. 6 of 7 leaves lie below 1 folded node; impure nodes "
        "with many rows are opened first."
    )
    assert visible_nodes(tennis().data).words(tennis().data) == ""


def test_a_chain_of_fifty_thousand():
    assert len(visible_nodes(chain(50_000))) <= 119


@pytest.mark.parametrize("value", [-1, 1.5, True, "three"])
def test_bad_limits(value):
    with pytest.raises(OptionError, match="max_depth must be a whole number >= 0, or"):
        visible_nodes(tennis().data, value)
    with pytest.raises(OptionError, match="max_leaves must be a whole number >= 1"):
        visible_nodes(tennis().data, None, 0 if value == -1 else value)
