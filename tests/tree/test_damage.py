"""No array reaches the core unchecked: damage at random, and by name."""

import numpy as np
import pytest

from proof.damage import run_batch, trees
from support.build import build, leaf, schema_of, threshold
from treewright import _core
from treewright.errors import TreeFormatError
from treewright.tree.data import TreeData


@pytest.mark.parametrize("first", range(0, 10_000, 1_000))
def test_random_damage_is_refused_or_the_tree_answers_as_its_arrays_say(first):
    # The same cases as the first of `make proof`, which runs a million.
    counts = run_batch(first, 1_000)
    assert counts.total() == 1_000
    assert min(counts["refused"], counts["used"]) > 100


def test_the_trees_that_are_damaged_cover_every_array():
    for name in TreeData.array_names:
        assert any(getattr(tree, name).size for tree, _ in trees()), name


@pytest.mark.parametrize(
    ("name", "node", "value", "words"),
    [
        ("subtree_size", 1, -5, "Node 1: subtree_size must be from 1 to 4.*; got -5"),
        ("subtree_size", 2, 100, "Node 2: subtree_size must be from 1 to 3.*; got 100"),
        ("missing_route", 0, -5, "Node 0: missing_route must be a branch.*; got -5"),
        ("label", 1, 7, "Node 1: label must be a class, 0 to 1; got 7"),
    ],
)
def test_a_tree_that_would_crash_or_never_end_cannot_be_made(name, node, value, words):
    spec = threshold(0, 0.5, leaf(0), threshold(0, 1.5, leaf(0), leaf(1)))
    tree = build(spec, schema_of("x"))
    array = getattr(tree, name).copy()
    array[node] = value
    with pytest.raises(TreeFormatError, match=words):
        TreeData.from_arrays({**tree.arrays(), name: array}, tree.schema)


SIZES = np.array([3, 1, 1], np.int32)
BROKEN = np.array([3, -1, 1], np.int32)


def test_the_core_checks_what_pruning_hands_to_it():
    whole = np.array([4, 1, 1])
    with pytest.raises(TreeFormatError, match="Node 1: subtree_size must be from 1"):
        _core.weakest_links(BROKEN, whole, whole * 0, 4.0, 0.0, 0.0)
    with pytest.raises(TreeFormatError, match="Node 2: the risk must be from 0"):
        _core.weakest_links(SIZES, np.array([4, 1, -1]), whole * 0, 4.0, 0.0, 0.0)
    with pytest.raises(TreeFormatError, match="Node 1: subtree_size"):
        _core.cut_bottom_up(BROKEN, whole * 1.0, whole * 0.0, 0.0, False)


def test_sums_of_risks_do_not_overflow():
    most = np.array([2**62] * 3)
    *_, n_leaves, risk = _core.weakest_links(SIZES, most, most * 0, 2.0**62, 0.0, 0.0)
    assert n_leaves.tolist() == [1]
    assert risk.tolist() == [2.0**62]


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("node", [3], "the node of a row must be from 0 to 2; got 3"),
        ("row_label", [2], "the class of a row must be from 0 to 1; got 2"),
        ("label", [0, -1, 1], "the class of a node must be from 0 to 1; got -1"),
        ("first_step", [0, 0, -4], "the first step of a node must be .*; got -4"),
        ("subtree_size", BROKEN, "Node 1: subtree_size"),
    ],
)
def test_the_core_checks_what_scoring_hands_to_it(name, value, words):
    def codes(*numbers):
        return np.array(numbers, np.int32)

    given = {
        "subtree_size": SIZES,
        "first_step": codes(1, 2, 2),
        "label": codes(0, 0, 1),
        "value": np.zeros(0),
        "costs": np.zeros(0),
        "n_classes": 2,
        "node": codes(1),
        "weight": np.zeros(0),
        "row_label": codes(1),
        "row_value": np.zeros(0),
        "loss": 0,
    }
    assert _core.score_steps(given, 2)[0].tolist() == [1.0, 1.0]
    with pytest.raises(TreeFormatError, match=words):
        _core.score_steps(given | {name: np.asarray(value, np.int32)}, 2)


def test_a_router_needs_the_columns_that_its_tree_uses():
    tree = build(threshold(0, 0.5, leaf(0), leaf(1)), schema_of("x", "z"))
    schema = tree.schema
    router = _core.Router(
        tree.arrays(), tree.weight, schema.kind_codes, schema.label_counts
    )
    column = np.zeros(2)
    assert router.route([column, None], 2, 1).tolist() == [1, 1]
    for columns in ([None, column], []):
        with pytest.raises(ValueError, match="column 0 is missing"):
            router.route(columns, 2, 1)
