import numpy as np
import pytest

from support.build import chain, random_tree
from support.timing import slowdown
from treewright.errors import OptionError
from treewright.tree import walk
from treewright.tree.walk import shape_of


def slow_shape(sizes):
    """Parents and branches by walking every node's children one after another."""
    parent, branch = [-1] * len(sizes), [-1] * len(sizes)
    for i, size in enumerate(sizes):
        child, number = i + 1, 0
        while child < i + size:
            parent[child], branch[child] = i, number
            child, number = child + sizes[child], number + 1
    return parent, branch


def random_sizes(n_inner, seed, most=5):
    """Subtree sizes of a random tree, made by writing an opening per inner node."""
    rng = np.random.default_rng(seed)
    counts = [0] * n_inner
    open_slots, waiting, order = 1, n_inner, []
    while open_slots:
        must = waiting > 0 and open_slots == 1
        inner = must or (waiting > 0 and rng.random() < 0.6)
        count = int(rng.integers(2, most + 1)) if inner else 0
        waiting -= inner
        open_slots += count - 1
        order.append(count)
    sizes, stack = [1] * len(order), []
    for i in range(len(order) - 1, -1, -1):
        sizes[i] = 1 + sum(stack.pop() for _ in range(order[i]))
        stack.append(sizes[i])
    assert len(counts) == sum(c > 0 for c in order)
    return sizes


@pytest.mark.parametrize("seed", range(30))
def test_shape_equals_a_walk_over_all_children(seed):
    sizes = random_sizes(1 + seed * 3, seed)
    shape = shape_of(np.array(sizes, dtype=np.int32))
    parent, branch = slow_shape(sizes)
    assert shape.parent.tolist() == parent
    assert shape.branch.tolist() == branch
    counts = np.bincount(parent[1:], minlength=len(sizes))
    assert shape.n_children.tolist() == counts.tolist()
    for i, p in enumerate(parent):
        assert shape.depth[i] == (0 if p < 0 else shape.depth[p] + 1)


def test_a_single_leaf_has_neither_parent_nor_children():
    shape = shape_of(np.array([1], dtype=np.int32))
    assert [a.tolist() for a in shape] == [[0], [-1], [-1], [0]]


@pytest.mark.parametrize("seed", range(10))
def test_key_leads_back_to_its_node(seed):
    tree = random_tree(seed)
    for node in range(tree.n_nodes):
        key = walk.key(tree, node)
        assert walk.node_at(tree, key) == node
        assert len(key) == tree.depth[node]
        way = walk.path(tree, node)
        assert way[0] == 0
        assert way[-1] == node
        for above, below, branch in zip(way, way[1:], key, strict=False):
            assert walk.children(tree, above)[branch] == below


def test_a_key_without_a_node_is_minus_one():
    tree = chain(2)
    assert walk.node_at(tree, (1, 1, 0)) == -1
    assert walk.node_at(tree, (2,)) == -1
    assert walk.node_at(tree, ()) == 0


def test_leaves_are_the_nodes_without_children():
    tree = random_tree(5)
    nodes = range(tree.n_nodes)
    assert walk.leaves(tree).tolist() == [
        i for i in nodes if not walk.children(tree, i)
    ]
    assert len(walk.leaves(tree)) == tree.n_leaves


def test_a_chain_50_000_deep_is_walked():
    tree = chain(50_000)
    last = tree.n_nodes - 1
    assert tree.depth[last] == 50_000
    assert walk.key(tree, last) == (1,) * 50_000
    assert walk.node_at(tree, (1,) * 50_000) == last
    assert walk.path(tree, last)[-2:] == (last - 2, last)


def test_a_chain_deeper_than_65_535_has_the_right_depths():
    tree = chain(70_000)
    assert tree.depth.max() == 70_000
    assert tree.parent[-1] == tree.n_nodes - 3


def full_tree(depth):
    """Subtree sizes of a full binary tree in preorder, built by doubling."""
    sizes = np.ones(1, dtype=np.int32)
    for _ in range(depth):
        sizes = np.concatenate([[2 * len(sizes) + 1], sizes, sizes])
    return sizes.astype(np.int32)


def test_a_million_nodes_have_the_shape_of_a_full_tree():
    shape = shape_of(full_tree(19))
    assert shape.depth.max() == 19
    assert (shape.n_children > 0).sum() == 2**19 - 1


def test_the_time_of_a_shape_grows_with_the_nodes_not_with_their_square():
    # Eight times the nodes; a quadratic walk would take 64 times as long.
    assert slowdown(shape_of, full_tree(16), full_tree(19)) < 30


@pytest.mark.parametrize("node", [-1, 5, 1.0, True, "0", None])
def test_a_wrong_node_number_is_named_with_the_range(node):
    tree = chain(2)
    with pytest.raises(OptionError, match=r"from 0 to 4; got") as caught:
        walk.children(tree, node)
    assert repr(node) in str(caught.value)


def test_numpy_integers_are_node_numbers():
    assert walk.children(chain(2), np.int64(0)) == (1, 2)
