import numpy as np
import pytest

from support.build import (
    build,
    categorical,
    chain,
    is_missing,
    leaf,
    multiway,
    random_tree,
    schema_of,
    subset,
    threshold,
)
from support.timing import slowdown
from treewright.errors import TreeFormatError
from treewright.tree.check import check
from treewright.tree.data import ALL_BRANCHES, TreeData
from treewright.tree.edit import with_values


def tree_with_all_kinds(classes=("no", "yes")):
    """Nodes: 0 multiway, 2 subset, 4 is_missing, 7 threshold; all others leaves."""
    schema = schema_of(categorical("c", *"abcd"), "x", "z", classes=classes)
    spec = multiway(
        0,
        [[0], [1, 3], [2]],
        leaf(0, 1, 1),
        subset(0, [[1], [3]], leaf(0), is_missing(1, leaf(1), leaf(0, 0))),
        threshold(2, 0.5, leaf(0, 0, 1), leaf(1, 1)),
        stopped=[1, 0],
    )
    return build(spec, schema)


def changed(tree, name, node, value):
    array = getattr(tree, name).copy()
    array[node] = value
    return TreeData.from_arrays({**tree.arrays(), name: array}, tree.schema)


@pytest.mark.parametrize("numbers", [False, True])
@pytest.mark.parametrize("seed", range(25))
def test_sound_trees_pass(seed, numbers):
    check(random_tree(seed, n_inner=seed, numbers=numbers))


def test_a_tree_with_all_kinds_of_split_passes():
    check(tree_with_all_kinds())
    check(tree_with_all_kinds(classes=()))


@pytest.mark.parametrize(
    ("name", "node", "value", "words"),
    [
        (
            "subtree_size",
            0,
            9,
            "Node 0: subtree_size must be the number of nodes, 10; got 9",
        ),
        (
            "subtree_size",
            2,
            6,
            r"Node \d: the number of branches must be 0 or >= 2; got 1|subtree_size",
        ),
        ("subtree_size", 1, 0, "Node 1: subtree_size must be from 1 to 9.*; got 0"),
        ("subtree_size", 4, 5, "Node 4: subtree_size must be from 1 to 3"),
        ("split_kind", 0, 5, "Node 0: split_kind must be one of 0 .leaf.*; got 5"),
        ("split_kind", 0, -1, "split_kind must be one of"),
        ("split_kind", 0, 0, "Node 0: split_kind must be 0 exactly at a leaf; got 0"),
        ("split_kind", 1, 1, "Node 1: split_kind must be 0 exactly at a leaf; got 1"),
        ("split_kind", 0, 2, "Node 0: the number of branches must be 2 .*; got 3"),
        ("feature", 1, 0, "Node 1: feature must be -1 at a leaf; got 0"),
        (
            "feature",
            7,
            3,
            "Node 7: feature must be a column of the schema, 0 to 2; got 3",
        ),
        ("feature", 7, -1, "Node 7: feature must be a column of the schema"),
        ("feature", 7, 0, "Node 7: feature must be numeric or ordinal"),
        ("feature", 2, 1, "Node 2: feature must be a column of categories"),
        ("threshold", 7, np.nan, "Node 7: threshold must be a number; got nan"),
        ("threshold", 0, 0.0, "Node 0: threshold must be NaN without .*; got 0"),
        ("category_start", 0, 1, "Node 0: category_start must be 0; got 1"),
        (
            "category_start",
            1,
            9,
            "Node 1: category_start must be at most that of the next",
        ),
        ("category_start", 10, 7, "categories must have 7 entries.*; got 6"),
        (
            "category_start",
            [3, 4, 5, 6, 7, 8, 9, 10],
            4,
            "Node 2: the number of categories must be >= 1|categories must have",
        ),
        ("categories", 0, -1, "Node 0: categories must be codes .*; got -1"),
        ("categories", 3, 4, "Node 0: categories must be codes .*; got 4"),
        ("categories", 1, 0, "Node 0: categories must be ascending, each once; got 0"),
        ("category_branch", 0, 3, "Node 0: category_branch must be a branch .*; got 3"),
        (
            "category_branch",
            0,
            -1,
            "Node 0: category_branch must be a branch .*; got -1",
        ),
        ("category_branch", 2, 1, "Node 0: category_branch .* got no category for 2"),
        ("missing_route", 1, 0, "Node 1: missing_route must be -1 at a leaf; got 0"),
        ("missing_route", 0, 3, "Node 0: missing_route must be a branch, -1 .*; got 3"),
        ("missing_route", 0, -3, "Node 0: missing_route must be a branch"),
        (
            "missing_route",
            4,
            1,
            "Node 4: missing_route must be 0 in a split on missing",
        ),
        ("n_rows", 3, -1, "Node 3: n_rows must be >= 0; got -1"),
        (
            "n_rows",
            3,
            5,
            "Node 2: n_rows of its children must be its own in total; got 8",
        ),
        ("n_rows", 0, 10, "Node 0: n_rows of its children"),
        ("weight", 3, np.inf, "Node 3: weight must be a finite number >= 0; got inf"),
        ("weight", 3, np.nan, "Node 3: weight must be a finite number"),
        ("weight", 3, 2.0, "Node 3: the sum of the class weights .* got 1.0"),
        ("weight_squared", 0, -1, "Node 0: weight_squared must be"),
        ("impurity", 2, -1e-9, "Node 2: impurity must be a number >= 0"),
        ("impurity", 2, np.nan, "Node 2: impurity must be a number >= 0; got nan"),
        ("gain", 0, -0.1, "Node 0: gain must be a number >= 0; got -0.1"),
        ("gain", 1, 0.1, "Node 1: gain must be 0 at a leaf; got 0.1"),
        ("risk", 0, np.nan, "Node 0: risk must be a number >= 0"),
        ("risk", 8, 0.9, r"Node 7: R\(t\) summed over its children must be at most"),
        ("stop_reason", 0, 1, "Node 0: stop_reason must be 0 at an inner node; got 1"),
        ("stop_reason", 1, 99, "Node 1: stop_reason must be from 0 to [0-9]+; got 99"),
        ("label", 1, 2, "Node 1: label must be a class, 0 to 1; got 2"),
        ("label", 0, -1, "Node 0: label must be right for a target of kind 'class'"),
        ("value", 3, np.inf, "Node 3: value must be finite"),
        ("value", 3, [2.0, -1.0], "Node 3: value must be >= 0"),
        ("value", 3, [2.0, 0.0], "Node 3: the sum of the class weights .* got 2.0"),
    ],
)
def test_a_broken_tree_is_refused_by_node_array_and_value(name, node, value, words):
    with pytest.raises(TreeFormatError, match=words):
        check(changed(tree_with_all_kinds(), name, node, value))


@pytest.mark.parametrize(
    ("name", "node", "value", "words"),
    [
        ("label", 3, 0, "Node 3: label must be -1 for a numeric target; got 0"),
        ("variance", 3, -1.0, "Node 3: variance must be a number >= 0"),
        ("quartiles", 3, [1.0, 0.0, 2.0], "Node 3: quartiles must be ascending"),
    ],
)
def test_broken_numbers_are_refused(name, node, value, words):
    with pytest.raises(TreeFormatError, match=words):
        check(changed(tree_with_all_kinds(classes=()), name, node, value))


def test_the_shape_of_the_values_must_suit_the_target():
    tree = tree_with_all_kinds()
    wide = np.concatenate([tree.value, tree.value * 0], axis=1)
    with pytest.raises(TreeFormatError, match="one weight for each of 2 classes"):
        with_values(tree, value=wide)
    with pytest.raises(
        TreeFormatError, match=r"variance must have 0 entries.*; got 10"
    ):
        with_values(tree, variance=np.zeros(10))
    numbers = tree_with_all_kinds(classes=())
    with pytest.raises(TreeFormatError, match="one number per node"):
        with_values(numbers, value=np.zeros((10, 2)))
    with pytest.raises(TreeFormatError, match="quartiles must have 10 entries"):
        with_values(numbers, quartiles=np.zeros((0, 3)))


def test_rows_may_be_fewer_below_only_where_missing_values_stop():
    tree = tree_with_all_kinds()
    assert tree.n_rows[[1, 2, 7]].sum() == tree.n_rows[0] - 2
    with pytest.raises(TreeFormatError, match="Node 0: the weight of its children"):
        check(changed(tree, "missing_route", 0, 0))


def test_rows_may_be_more_below_where_they_are_divided():
    tree = build(threshold(0, 0.5, leaf(0, 1), leaf(1)), schema_of("x"))
    divided = with_values(tree, missing_route=[ALL_BRANCHES, -1, -1], n_rows=[3, 2, 2])
    check(divided)


def test_infinite_variances_are_sound():
    tree = build(threshold(0, 0.5, leaf(0, 1), leaf(1)), schema_of("x", classes=()))
    infinite = np.array([np.inf, 0.25, 0.0])
    check(with_values(tree, impurity=infinite, variance=infinite, risk=infinite))


def test_a_subset_branch_may_hold_missing_values_alone():
    schema = schema_of(categorical("c", "a", "b"))
    check(build(subset(0, [[0, 1], []], leaf(0), leaf(1), missing=1), schema))
    with pytest.raises(TreeFormatError, match="no category for 1"):
        check(build(subset(0, [[0, 1], []], leaf(0), leaf(1), missing=0), schema))


def test_the_time_of_a_check_grows_with_the_nodes_not_with_their_square():
    # Ten times the nodes; a quadratic check would take a hundred times as long.
    assert slowdown(check, chain(5_000), chain(50_000)) < 40
