import copy
import pickle
from dataclasses import replace

import numpy as np
import pytest

from support.build import build, chain, leaf, random_tree, schema_of, threshold
from treewright.errors import TreeFormatError
from treewright.tree.data import SPLIT_KINDS, STOP_CODES, STOP_REASONS, TreeData
from treewright.tree.edit import with_values


@pytest.fixture
def tree():
    spec = threshold(0, 2.5, leaf(0, 0, 0), threshold(1, 0.5, leaf(1, 1), leaf(0, 1)))
    return build(spec, schema_of("a", "b"), extras={"note": np.arange(5)})


def test_every_array_is_read_only(tree):
    arrays = [*tree.arrays().values(), *tree.extras.values(), tree.parent, tree.depth]
    for array in arrays:
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0


def test_fields_and_mappings_cannot_be_set(tree):
    with pytest.raises(AttributeError):
        tree.gain = None
    with pytest.raises(TypeError):
        tree.extras["more"] = 1
    with pytest.raises(TypeError):
        tree.made_by["more"] = 1


def test_arrays_are_handed_over_and_parts_of_others_copied(tree):
    arrays = dict(tree.arrays())
    whole = arrays["weight"].copy()
    arrays["weight"] = whole
    padded = np.concatenate([arrays["gain"], [9.0]])
    arrays["gain"] = padded[:-1]
    made = TreeData.from_arrays(arrays, tree.schema)
    assert made.weight is whole
    padded[:] = -1
    assert made.gain.min() >= 0


def test_types_are_converted_when_nothing_is_lost(tree):
    arrays = {name: array.tolist() for name, array in tree.arrays().items()}
    arrays |= {
        name: np.array(arrays[name], dtype=">i8") for name in ("label", "n_rows")
    }
    arrays["categories"] = np.zeros(0, np.int64)
    arrays["quartiles"] = np.zeros((0, 3))
    made = TreeData.from_arrays(arrays, tree.schema, extras=tree.extras)
    assert made == tree
    assert made.label.dtype == np.int32


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("feature", [0.5] * 5, "feature must hold int32"),
        ("n_rows", [2**70] * 5, "n_rows must hold int64"),
        ("label", [2**40] * 5, "label must hold int32"),
        (
            "gain",
            [0.0] * 4,
            r"gain must have the shape \(n\) with n = 5 nodes; got \(4,\)",
        ),
        ("value", [0.0] * 5, r"value must have the shape \(n,k\)"),
        ("category_start", [0] * 5, r"shape \(n\+1\)"),
        ("risk", ["x"] * 5, "risk must hold float64"),
    ],
)
def test_wrong_arrays_are_refused_by_name(tree, name, value, words):
    with pytest.raises(TreeFormatError, match=words):
        TreeData.from_arrays({**tree.arrays(), name: value}, tree.schema)


def test_missing_and_unknown_arrays_are_named(tree):
    arrays = dict(tree.arrays())
    arrays["gains"] = arrays.pop("gain")
    with pytest.raises(TreeFormatError, match="missing: gain; unknown: gains"):
        TreeData.from_arrays(arrays, tree.schema)


def test_variance_and_quartiles_may_be_left_out_for_classes(tree):
    arrays = dict(tree.arrays())
    del arrays["variance"], arrays["quartiles"]
    made = TreeData.from_arrays(arrays, tree.schema, extras=tree.extras)
    assert made == tree
    assert made.quartiles.shape == (0, 3)


def test_a_tree_without_nodes_is_refused(tree):
    arrays = {**tree.arrays(), "subtree_size": []}
    with pytest.raises(TreeFormatError, match="at least one node"):
        TreeData.from_arrays(arrays, tree.schema)


@pytest.mark.parametrize(
    "extra", [np.array([None] * 5), np.arange(4), np.float64(3), np.array([1j] * 5)]
)
def test_an_extra_array_needs_an_entry_per_node(tree, extra):
    with pytest.raises(TreeFormatError, match="extra array 'note'"):
        TreeData.from_arrays(tree.arrays(), tree.schema, extras={"note": extra})


def test_a_copy_or_pickle_is_equal_and_read_only(tree):
    assert copy.copy(tree) is tree
    assert copy.deepcopy(tree) is tree
    assert tree.n_leaves == 3
    again = pickle.loads(pickle.dumps(tree))
    assert again == tree
    assert again.made_by == tree.made_by
    assert not again.gain.flags.writeable
    assert again.__dict__["_kept"].keys() <= {"fingerprint"}


@pytest.mark.parametrize("name", TreeData.array_names)
def test_a_difference_in_any_array_makes_trees_unequal(name):
    tree = random_tree(2, numbers=True)
    array = getattr(tree, name)
    assert array.size or name.startswith(("surrogate", "answer"))
    other = array.copy() if array.size else np.ones(1, array.dtype)
    other.flat[-1] = ~other.flat[-1] if array.dtype == bool else 77
    changed = TreeData.from_arrays(tree.arrays(), tree.schema)
    object.__setattr__(changed, name, other)  # the constructor would refuse most
    assert changed != tree
    is_derived = name in ("impurity", "gain", "risk")
    assert (changed.fingerprint == tree.fingerprint) == is_derived
    assert (hash(changed) == hash(tree)) == is_derived


def test_extras_and_schema_count_but_made_by_does_not(tree):
    arrays = tree.arrays()
    same = TreeData.from_arrays(arrays, tree.schema, {"by": "chance"}, tree.extras)
    assert same == tree
    assert len({same, tree}) == 1
    assert TreeData.from_arrays(arrays, tree.schema) != tree
    assert TreeData.from_arrays(arrays, schema_of("a", "c"), extras=tree.extras) != tree
    assert with_values(tree, extras={"note": np.arange(5.0)}) != tree
    assert tree != "a tree"


def test_the_sign_of_zero_and_the_bits_of_nan_do_not_count(tree):
    threshold, gain = tree.threshold.copy(), tree.gain.copy()
    threshold[np.isnan(threshold)] = -np.nan
    gain[gain == 0] = -0.0
    assert with_values(tree, threshold=threshold, gain=gain) == tree


def test_a_target_that_nobody_knows_is_a_difference(tree):
    unknown = replace(tree.schema, target=None)
    made = [TreeData.from_arrays(tree.arrays(), unknown) for _ in range(2)]
    assert made[0] == made[1]
    named = TreeData.from_arrays(tree.arrays(), tree.schema)
    assert made[0].fingerprint != named.fingerprint
    assert made[0].is_classifier
    # The classes are numbers then: those that `value` has a column for.
    with pytest.raises(TreeFormatError, match="label must be a class, 0 to 1; got 2"):
        TreeData.from_arrays({**tree.arrays(), "label": [2] * 5}, unknown)


def test_text_extras_of_other_width_are_equal():
    tree = chain(1)
    narrow = with_values(tree, extras={"why": np.array(["a", "b", "c"])})
    wide = with_values(tree, extras={"why": np.array(["a", "b", "c"], dtype="U9")})
    assert narrow == wide


def test_the_fingerprint_is_the_same_on_every_machine():
    # A change here is a change of the format: every stored fingerprint breaks.
    assert (
        chain(3).fingerprint
        == "7174c87b4c490f61437085f73fc65f6295d0586ea262f02bf643548698599f51"
    )


def test_weighted_risk_is_risk_times_share(tree):
    assert tree.weighted_risk.tolist() == pytest.approx([3 / 7, 0, 1 / 7, 0, 1 / 7])
    assert tree.share.tolist() == pytest.approx([1, 3 / 7, 4 / 7, 2 / 7, 2 / 7])


def test_codes_have_names_and_sentences():
    assert SPLIT_KINDS == ("leaf", "threshold", "subset", "is_missing", "multiway")
    assert list(STOP_CODES) == [
        "pure",
        "max_depth",
        "min_samples_split",
        "min_samples_leaf",
        "min_weight_fraction_leaf",
        "identical_rows",
        "zero_target",
        "min_gain",
        "min_impurity_decrease",
        "max_leaf_nodes",
        "max_nodes",
        "pruned",
        "no_better_split",
        "no_rows",
        "cross_validation",
        "validation",
        "pessimistic",
        "ccp_alpha",
        "collapsed",
        "same_answer",
    ]
    assert STOP_CODES["cross_validation"] == 20
    for name, code in STOP_CODES.items():
        assert STOP_REASONS[code].name == name
        assert STOP_REASONS[code].sentence.endswith(".")


def test_repr_is_one_line(tree):
    assert repr(tree) == "TreeData(5 nodes, 3 leaves, classes)"
