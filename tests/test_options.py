import math

import numpy as np
import pytest

from treewright.errors import OptionError
from treewright.options import GrowOptions


def test_defaults_are_scikit_learns():
    options = GrowOptions()
    assert options.max_depth is None
    assert options.min_samples_split == 2
    assert options.min_samples_leaf == 1
    assert options.max_leaf_nodes is None
    assert options.missing == "learned"
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
        ("min_samples_leaf", 1.0, "above 0 and below 1; got 1.0"),
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
        ("missing", "drop", "missing must be 'learned' or 'error'; got 'drop'"),
        ("unseen", None, "unseen must be 'missing' or 'error'; got None"),
        (
            "criterion",
            "ginny",
            r"criterion must be 'gini', .*got 'ginny'\. Did you .*'",
        ),
        ("criterion", 3, "criterion must be 'gini'"),
    ],
)
def test_a_wrong_value_is_refused_with_what_is_allowed(name, value, words):
    with pytest.raises(OptionError, match=words):
        GrowOptions(**{name: value})


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


def test_options_cannot_be_changed():
    with pytest.raises(AttributeError):
        GrowOptions().max_depth = 3


def test_an_unknown_option_names_the_nearest_one():
    with pytest.raises(OptionError, match=r"no option 'max_dept'.*'max_depth'"):
        GrowOptions.from_params({"max_dept": 3})
    with pytest.raises(OptionError, match="The options are: competitors, criterion"):
        GrowOptions.from_params({"zzzzzz": 3})


def test_from_params_passes_over_names_that_belong_to_somebody_else():
    params = {"max_depth": 3, "kinds": None, "prune": None}
    options = GrowOptions.from_params(params, ignore=("kinds", "prune"))
    assert options == GrowOptions(max_depth=3)


def test_the_criterion_follows_the_target_unless_given():
    assert GrowOptions().for_task("class").criterion == "gini"
    assert GrowOptions().for_task("number").criterion == "squared_error"
    assert GrowOptions(criterion="poisson").for_task("number").criterion == "poisson"
    words = "'squared_error' or 'poisson' when the target holds numbers; got 'gini'"
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
    assert GrowOptions.from_params(options.to_dict()) == options
