import math

import numpy as np
import pytest

from treewright.errors import OptionError
from treewright.options import GrowOptions, grow_options, prune_options


def test_defaults_are_scikit_learns():
    options = GrowOptions()
    assert options.max_depth is None
    assert options.min_samples_split == 2
    assert options.min_samples_leaf == 1
    assert options.max_leaf_nodes is None
    assert options.missing is None  # by the method: learned for CART
    assert options.unseen == "missing"


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        (
            "max_depth",
            0,
            "max_depth must be a whole number >= 1, or None for no limit; got 0.",
        ),
        ("max_depth", True, "max_depth must be a whole number >= 1.*got True"),
        ("max_depth", 2.0, "max_depth must be a whole number.*got 2.0"),
        ("min_samples_split", 1, "min_samples_split must be a whole number >= 2"),
        ("min_samples_split", 1.5, "share of the rows above 0 and at most 1.0"),
        ("min_samples_leaf", 0, "min_samples_leaf must be a whole number >= 1.*got 0"),
        ("min_samples_leaf", 1.0, "above 0 and below 1, or 'auto'; got 1.0"),
        ("min_samples_leaf", 0.0, "got 0.0"),
        ("min_samples_leaf", None, "got None"),
        ("min_samples_leaf", math.nan, "got nan"),
        ("min_weight_fraction_leaf", 0.6, "a number from 0 to 0.5; got 0.6"),
        ("min_weight_fraction_leaf", "0.1", "got '0.1'"),
        ("min_impurity_decrease", -0.1, "a finite number >= 0; got -0.1"),
        ("min_impurity_decrease", math.nan, "got nan"),
        ("min_gain", math.inf, "min_gain must be a finite number >= 0; got inf"),
        ("max_leaf_nodes", 1, "max_leaf_nodes must be a whole number >= 2"),
        ("max_nodes", 0, "max_nodes must be a whole number >= 1"),
        ("max_features", 0, "'sqrt', 'log2', or None for all columns; got 0"),
        ("max_features", "auto", "got 'auto'"),
        ("max_features", 1.5, "share of the columns"),
        ("random_state", -1, "random_state must be a whole number from 0"),
        ("random_state", "x", "NumPy random generator"),
        ("n_jobs", 0, "n_jobs must be a whole number >= 1, -1 for all cores"),
        ("missing", "drop", "'fractional' or 'error', or None .*'drop'"),
        ("unseen", None, "unseen must be 'missing' or 'error'; got None"),
        (
            "criterion",
            "ginny",
            r"criterion must be 'gini', .*got 'ginny'\. Did you .*'",
        ),
        ("criterion", 3, "criterion must be 'gini'"),
        ("criterion", "mae", r"got 'mae'\. Did you mean 'absolute_error'\?"),
        ("method", "c4.5", "method must be 'cart', 'id3' or 'c45'; got 'c4.5'"),
        ("max_surrogates", -1, "max_surrogates must be a whole number >= 0; got -1"),
        ("surrogate_fallback", "go", "must be 'majority' or 'stop'; got 'go'"),
        ("surrogate_agreement", 0, "must be 'all' or 'known'; got 0"),
        ("categories", "binary", "categories must be 'multiway' or 'grouped', or None"),
        ("min_branch_weight", -2, "min_branch_weight must be a finite number >= 0, or"),
        ("conventions", "weka", "must be 'sklearn', 'rpart' or 'j48', or None; got"),
    ],
)
def test_a_wrong_value_is_refused_with_what_is_allowed(name, value, words):
    with pytest.raises(OptionError, match=words):
        GrowOptions(**{name: value})


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (
            {"method": "id3", "missing": "surrogate"},
            "missing='surrogate' needs splits in two, and method='id3'.*'fractional'",
        ),
        (
            {"method": "c45", "missing": "surrogate", "categories": "grouped"},
            "missing='surrogate' needs splits in two.*Use method='cart'",
        ),
        (
            {"method": "c45", "criterion": "gini"},
            "'c45' chooses by the gain ratio; got criterion='gini'. Leave criterion",
        ),
        (
            {"method": "id3", "criterion": "absolute_error"},
            "'id3' measures numbers by 'squared_error'; got criterion='absolute_error'",
        ),
        (
            {"categories": "grouped"},
            "categories='grouped' is a choice of method='c45'.*got method='cart'",
        ),
        (
            {"method": "id3", "min_branch_weight": 2},
            "min_branch_weight belongs to method='c45'; got 2 with method='id3'",
        ),
        (
            {"conventions": "j48"},
            "conventions='j48' goes with method='c45'; got method='cart'. Change one",
        ),
        (
            {"conventions": "rpart", "method": "id3"},
            "conventions='rpart' goes with method='cart'; got method='id3'",
        ),
    ],
)
def test_options_that_contradict_each_other_are_refused(options, words):
    with pytest.raises(OptionError, match=words):
        GrowOptions(**options)


def test_none_depends_on_method_and_target():
    def settled(task, **options):
        found = GrowOptions(**options).for_task(task)
        assert found.for_task(task) == found
        names = ("criterion", "missing", "categories", "min_branch_weight")
        return tuple(getattr(found, name) for name in names)

    assert settled("class") == ("gini", "learned", None, None)
    assert settled("number", method="id3") == ("squared_error", "learned", None, None)
    assert settled("class", method="id3")[0] == "entropy"
    expected = ("gain_ratio", "fractional", "multiway", 2.0)
    assert settled("class", method="c45") == expected
    assert settled("class", method="c45", missing="learned")[1] == "learned"
    with pytest.raises(OptionError, match=r"'c45' grows trees for classes.*'id3'"):
        settled("number", method="c45")


@pytest.mark.parametrize(
    ("task", "criterion"), [("number", "gain_ratio"), ("class", "absolute_error")]
)
def test_the_new_criteria_suit_one_kind_of_target(task, criterion):
    with pytest.raises(OptionError, match=f"when the target.*got '{criterion}'"):
        GrowOptions(criterion=criterion).for_task(task)


def test_the_message_about_max_depth_is_exactly_the_house_pattern():
    with pytest.raises(OptionError) as caught:
        GrowOptions(max_depth=0)
    assert str(caught.value) == (
        "max_depth must be a whole number >= 1, or None for no limit; got 0."
    )


def test_an_option_error_is_also_a_value_error():
    with pytest.raises(ValueError, match="max_depth"):
        GrowOptions(max_depth=-3)


def test_numpy_numbers_become_plain_python_numbers():
    options = GrowOptions(
        max_depth=np.int64(3), min_samples_leaf=np.float32(0.25), min_gain=np.int8(0)
    )
    assert type(options.max_depth) is int
    assert type(options.min_samples_leaf) is float
    assert options.min_samples_leaf == 0.25
    assert options == GrowOptions(max_depth=3, min_samples_leaf=0.25)


def test_log_loss_is_another_name_for_entropy():
    assert GrowOptions(criterion="log_loss") == GrowOptions(criterion="entropy")


def test_random_generators_and_seeds_are_accepted():
    generator = np.random.RandomState(0)
    assert GrowOptions(random_state=generator).random_state is generator
    assert GrowOptions(random_state=np.uint32(7)).random_state == 7


@pytest.mark.parametrize(
    ("kind", "rules"),
    [
        (GrowOptions, grow_options._RULES),
        (prune_options.PruneOptions, prune_options._RULES),
    ],
)
def test_every_default_would_pass_its_check(kind, rules):
    for name, rule in rules.items():
        default = getattr(kind, name)
        assert rule.checked(name, default) == default


def test_options_cannot_be_changed():
    with pytest.raises(AttributeError):
        GrowOptions().max_depth = 3


def test_the_criterion_follows_the_target_unless_given():
    assert GrowOptions().for_task("class").criterion == "gini"
    assert GrowOptions().for_task("number").criterion == "squared_error"
    assert GrowOptions(criterion="poisson").for_task("number").criterion == "poisson"
    words = "'poisson' or 'absolute_error' when the target holds numbers; got 'gini'"
    with pytest.raises(OptionError, match=words):
        GrowOptions(criterion="gini").for_task("number")


@pytest.mark.parametrize(
    ("max_features", "n_columns", "expected"),
    [
        (None, 10, 10),
        (3, 10, 3),
        (30, 10, 10),
        (0.5, 9, 4),
        (0.01, 9, 1),
        ("sqrt", 10, 3),
        ("log2", 10, 3),
        ("log2", 1, 1),
        (1.0, 10, 10),
        (None, 0, 0),
    ],
)
def test_max_features_counts_columns_as_scikit_learn_does(
    max_features, n_columns, expected
):
    options = GrowOptions(max_features=max_features)
    assert options.columns_to_try(n_columns) == expected


def test_to_dict_gives_every_option_by_name():
    options = GrowOptions(max_depth=3)
    assert options.to_dict()["max_depth"] == 3
    assert GrowOptions(**options.to_dict()) == options
