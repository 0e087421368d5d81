import numpy as np
import pytest

from support.build import (
    Spec,
    build,
    categorical,
    chain,
    leaf,
    preorder,
    random_tree,
    schema_of,
    subset,
    threshold,
)
from treewright.errors import OptionError, TreeFormatError
from treewright.growing.grow import grow
from treewright.table.as_table import as_table
from treewright.tree import walk
from treewright.tree.check import check
from treewright.tree.data import LEAF, STOP_CODES, TreeData
from treewright.tree.edit import collapse, replace, with_values

STOP = STOP_CODES["pruned"]


def subtree_of(tree: TreeData, node: int) -> TreeData:
    """The tree below a node, cut out by a simple method."""
    end = node + tree.subtree_size[node]
    arrays = {}
    for name, array in tree.arrays().items():
        if name in ("categories", "category_branch"):
            first, last = tree.category_start[[node, end]]
            arrays[name] = array[first:last].copy()
        elif name.endswith("_start"):
            arrays[name] = array[node : end + 1] - array[node]
        elif name.startswith("surrogate"):
            assert not array.size
        else:
            arrays[name] = array[node:end].copy()
    extras = {name: a[node:end].copy() for name, a in tree.extras.items()}
    return TreeData.from_arrays(arrays, tree.schema, extras=extras)


def numbered(tree):
    """The same tree with its node numbers as an extra, to follow them."""
    return with_values(tree, extras={"old": np.arange(tree.n_nodes)})


@pytest.mark.parametrize("numbers", [False, True])
@pytest.mark.parametrize("seed", range(12))
def test_replacing_a_node_by_its_own_subtree_changes_nothing(seed, numbers):
    tree = numbered(random_tree(seed, numbers=numbers))
    for node in range(tree.n_nodes):
        same, old_to_new = replace(tree, node, subtree_of(tree, node))
        assert same == tree
        end = node + tree.subtree_size[node]
        expected = np.arange(tree.n_nodes)
        expected[node + 1 : end] = -1
        assert old_to_new.tolist() == expected.tolist()


@pytest.mark.parametrize("seed", range(12))
def test_replace_equals_building_the_edited_spec(seed):
    big, small = numbered(random_tree(seed)), random_tree(seed + 100, n_inner=3)
    rng = np.random.default_rng(seed)
    node = int(rng.integers(big.n_nodes))
    made, old_to_new = replace(big, node, small)
    assert subtree_of(made, node) == with_values(
        small, extras={"old": np.full(small.n_nodes, -1)}
    )
    kept = np.flatnonzero(old_to_new >= 0)
    kept = kept[kept != node]
    assert made.extras["old"][old_to_new[kept]].tolist() == kept.tolist()
    assert made.n_nodes == len(kept) + small.n_nodes
    for old in kept:
        assert walk.key(made, int(old_to_new[old])) == walk.key(big, int(old))
        assert made.split_kind[old_to_new[old]] == big.split_kind[old]
    assert made.made_by == big.made_by


def test_replace_fits_categories_of_both_trees_together():
    schema = schema_of(categorical("c", *"abc"), "x")
    tree = build(
        subset(0, [[0], [1, 2]], leaf(0), threshold(1, 1.0, leaf(1), leaf(0))), schema
    )
    other = build(subset(0, [[1], [2]], leaf(0), leaf(1)), schema)
    made, _ = replace(tree, 2, other)
    check(made)
    assert made.category_start.tolist() == [0, 3, 3, 5, 5, 5]
    assert made.categories.tolist() == [0, 1, 2, 1, 2]
    assert made.category_branch.tolist() == [0, 1, 1, 0, 1]
    assert made.subtree_size.tolist() == [5, 1, 3, 1, 1]


def test_replace_at_the_bottom_of_a_deep_chain():
    tree, stump = chain(50_000), chain(1)
    made, _ = replace(tree, tree.n_nodes - 1, stump)
    assert made.n_nodes == tree.n_nodes + 2
    assert made.depth.max() == 50_001
    assert made.subtree_size[0] == made.n_nodes


def test_extras_of_one_tree_are_filled_up_for_the_other():
    tree, stump = chain(1), chain(1)
    mine = {"f": np.ones(3), "i": np.ones(3, int), "b": np.ones(3, bool)}
    mine["s"] = np.array(["x"] * 3)
    mine["wide"] = np.ones((3, 2))
    theirs = {"u": np.ones(3, np.uint8)}
    made, _ = replace(
        with_values(tree, extras=mine), 1, with_values(stump, extras=theirs)
    )
    assert made.extras["i"].tolist() == [1, -1, -1, -1, 1]
    assert np.isnan(made.extras["f"][1:4]).all()
    assert made.extras["b"].tolist() == [True, False, False, False, True]
    assert made.extras["s"].tolist() == ["x", "", "", "", "x"]
    assert made.extras["wide"].shape == (5, 2)
    assert made.extras["u"].tolist() == [0, 1, 1, 1, 0]


def test_a_subtree_over_another_table_is_refused():
    tree = chain(1)
    spec = threshold(0, 1.0, leaf(0), leaf(1))
    with pytest.raises(TreeFormatError, match="grown on 2 columns, the tree on 1"):
        replace(tree, 1, build(spec, schema_of("x", "z")))
    with pytest.raises(TreeFormatError, match=r"Column 'x' .* not the same .* 'z'"):
        replace(tree, 1, build(spec, schema_of("z")))
    three = build(spec, schema_of("x", classes=("a", "b", "c")))
    with pytest.raises(TreeFormatError, match="answers 3 classes, the tree 2 classes"):
        replace(tree, 1, three)
    numbers = build(spec, schema_of("x", classes=()))
    with pytest.raises(TreeFormatError, match="answers numbers, the tree 2 classes"):
        replace(tree, 1, numbers)
    a = build(
        subset(0, [[0], [1]], leaf(0), leaf(1)), schema_of(categorical("c", *"ab"))
    )
    b = build(
        subset(0, [[0], [1]], leaf(0), leaf(1)), schema_of(categorical("c", *"xy"))
    )
    with pytest.raises(TreeFormatError, match="name, kind and categories"):
        replace(a, 1, b)


def slow_collapse(tree, nodes):
    """Which nodes are left, and which are leaves, found one by one."""
    nodes = set(nodes)
    return [
        i
        for i in range(tree.n_nodes)
        if not nodes.intersection(walk.path(tree, i)[:-1])
    ]


@pytest.mark.parametrize("numbers", [False, True])
@pytest.mark.parametrize("seed", range(15))
def test_collapse_keeps_everything_outside(seed, numbers):
    tree = numbered(random_tree(seed, numbers=numbers))
    rng = np.random.default_rng(seed)
    inner = np.flatnonzero(tree.split_kind != LEAF)
    cut = rng.choice(inner, size=int(rng.integers(1, 5)), replace=False).tolist()
    made, old_to_new = collapse(tree, cut)
    check(made)
    kept = slow_collapse(tree, cut)
    assert made.extras["old"].tolist() == kept
    assert np.flatnonzero(old_to_new >= 0).tolist() == kept
    assert old_to_new[kept].tolist() == list(range(len(kept)))
    for new, old in enumerate(kept):
        assert walk.key(made, new) == walk.key(tree, old)
        assert made.stop_reason[new] == (STOP if old in cut else tree.stop_reason[old])
        if old not in cut:
            a, b = tree.category_start[old : old + 2]
            c, d = made.category_start[new : new + 2]
            assert made.categories[c:d].tolist() == tree.categories[a:b].tolist()
            assert made.feature[new] == tree.feature[old]
    for name in ("value", "weight", "n_rows", "impurity", "risk", "label"):
        assert np.array_equal(getattr(made, name), getattr(tree, name)[kept])


@pytest.mark.parametrize("seed", range(8))
def test_collapsing_many_equals_collapsing_one_after_another(seed):
    tree = random_tree(seed)
    inner = np.flatnonzero(tree.split_kind != LEAF)
    cut = np.random.default_rng(seed).choice(inner, 4, replace=False).tolist()
    at_once, _ = collapse(tree, cut)
    step, keys = tree, [walk.key(tree, i) for i in cut]
    for key in sorted(keys, key=len, reverse=True):
        step, _ = collapse(step, walk.node_at(step, key))
    assert step == at_once


@pytest.mark.parametrize("seed", range(8))
def test_collapse_is_replace_by_a_leaf(seed):
    tree = random_tree(seed)
    node = int(np.flatnonzero(tree.split_kind != LEAF)[-1])
    only, _ = collapse(subtree_of(tree, node), 0)
    assert only.n_nodes == 1
    assert replace(tree, node, only)[0] == collapse(tree, node)[0]


def test_collapse_of_the_root_leaves_one_leaf():
    tree = chain(50_000)
    made, old_to_new = collapse(tree, [0, 2, 4, 99_998])
    assert made.n_nodes == 1
    assert old_to_new[0] == 0
    assert (old_to_new[1:] == -1).all()
    check(made)


def test_collapse_of_nothing_is_the_same_tree():
    tree = random_tree(1)
    made, old_to_new = collapse(tree, [])
    assert made == tree
    assert old_to_new.tolist() == list(range(tree.n_nodes))


def test_collapse_records_the_reason_given():
    made, _ = collapse(chain(2), np.array([2]), reason="max_nodes")
    assert made.stop_reason[2] == STOP_CODES["max_nodes"]
    with pytest.raises(OptionError, match=r"reason must be one of pure, .*; got 'no'"):
        collapse(chain(2), 2, reason="no")


def test_a_leaf_or_unknown_node_cannot_be_collapsed():
    with pytest.raises(OptionError, match="Node 1 is already a leaf"):
        collapse(chain(2), [0, 1])
    with pytest.raises(OptionError, match="from 0 to 4; got 9"):
        collapse(chain(2), [9])


def test_with_values_changes_values_and_nothing_else():
    tree = chain(2)
    made = with_values(tree, threshold=tree.threshold + 1, extras={"a": np.zeros(5)})
    assert np.nanmax(made.threshold) == np.nanmax(tree.threshold) + 1
    assert list(made.extras) == ["a"]
    assert with_values(made, threshold=tree.threshold).subtree_size is tree.subtree_size
    assert "a" in with_values(made, gain=tree.gain).extras


def test_with_values_refuses_structure_and_unknown_names():
    with pytest.raises(OptionError, match="'subtree_size' describes the structure"):
        with_values(chain(2), subtree_size=[5, 1, 3, 1, 1])
    with pytest.raises(OptionError, match=r"'wieght' is not an array .* 'weight'"):
        with_values(chain(2), wieght=[1.0] * 5)


def test_edits_leave_the_old_tree_alone():
    tree = random_tree(3)
    before = tree.fingerprint
    fresh = TreeData.from_arrays(
        {k: v.copy() for k, v in tree.arrays().items()}, tree.schema
    )
    collapse(tree, 0)
    replace(tree, 0, random_tree(4))
    assert fresh.fingerprint == before
    assert TreeData.from_arrays(tree.arrays(), tree.schema).fingerprint == before


def test_specs_in_preorder_are_what_build_writes():
    root = Spec(branches=[leaf(1), Spec(branches=[leaf(2), leaf(3)])])
    assert [s.y for s in preorder(root)] == [[], [1], [], [2], [3]]


def test_a_subtree_for_other_classes_is_refused():
    ours = grow(as_table([[0.0], [1.0]], ["a", "b"]))
    theirs = grow(as_table([[0.0], [1.0]], ["c", "d"]))
    with pytest.raises(TreeFormatError, match="grow both for the same target"):
        replace(ours, 1, theirs)


def test_a_tree_does_not_change_with_an_array_its_values_came_from():
    tree = grow(as_table([[0.0], [1.0]], ["a", "b"]))
    values = tree.value.copy()
    view = values[:]
    changed = with_values(tree, value=values)
    view[0, 0] = 99.0
    assert changed.value[0, 0] == 1.0
    assert values.flags.writeable
