"""`tw.impurity` and `tw.gain`: by hand, by NumPy, and the words of their errors."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from treewright.errors import OptionError, TableError
from treewright.growing.impurity import gain, gain_ratio, impurity, split_information

CLASS_CRITERIA = ["gini", "entropy", "misclassification"]
ALL_CRITERIA = [*CLASS_CRITERIA, "squared_error", "absolute_error", "poisson"]


@pytest.mark.parametrize(
    ("criterion", "expected"),
    [("gini", 0.375), ("entropy", 0.8112781244591328), ("misclassification", 0.25)],
)
def test_three_against_one(criterion, expected):
    assert impurity(["a", "a", "a", "b"], criterion) == pytest.approx(expected)
    assert impurity({"a": 3, "b": 1}, criterion) == pytest.approx(expected)
    assert impurity(counts=[3, 1], criterion=criterion) == pytest.approx(expected)


def test_squared_error_is_the_variance():
    y = [1.0, 2.0, 4.0, 9.0]
    assert impurity(y, "squared_error") == pytest.approx(np.var(y))


@pytest.mark.parametrize(
    ("y", "weights", "expected"),
    [
        ([1.0, 2.0, 4.0, 9.0], None, 2.5),  # around any number from 2 to 4
        ([1.0, 2.0, 9.0], None, 8 / 3),
        ([1.0, 9.0], [3, 1], 2.0),
        ([-1e308, 1e308], None, 1e308),
    ],
)
def test_absolute_error_is_the_mean_distance_from_the_median(y, weights, expected):
    assert impurity(y, "absolute_error", weights) == pytest.approx(expected)


@given(st.lists(st.integers(-9, 9), min_size=1, max_size=12))
def test_no_number_is_nearer_to_all_than_the_median(y):
    found = impurity(y, "absolute_error")
    middle = np.median(y)
    assert found == pytest.approx(np.mean(np.abs(np.array(y) - middle)))
    for other in range(-9, 10):
        assert found <= np.mean(np.abs(np.array(y) - other)) + 1e-12


def test_gain_ratio_is_the_gain_over_the_entropy_of_the_groups():
    y, groups = list("aabbab"), [1, 1, 2, 2, 3, 3]
    own = split_information(groups)
    assert own == pytest.approx(math.log2(3))
    assert gain_ratio(y, groups) == pytest.approx(gain(y, groups, "entropy") / own)
    weights = [3, 0, 1, 2, 1, 1]
    copies = [0, 0, 0, 2, 3, 3, 4, 5]
    expected = gain_ratio([y[i] for i in copies], [groups[i] for i in copies])
    assert gain_ratio(y, groups, weights) == pytest.approx(expected)
    assert split_information(groups, weights) == pytest.approx(
        split_information(counts=[3, 3, 2])
    )


def test_one_group_has_no_split_information_and_ratio_zero():
    assert split_information(["a", "a"]) == 0.0
    assert gain_ratio([0, 1], ["a", "a"]) == 0.0


def test_rows_without_a_group_are_one_branch_of_the_split_information_too():
    assert split_information([None, math.nan, "a", "a"]) == 1.0


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: gain_ratio([0, 1]), "gain_ratio needs y and groups.*groups was not"),
        (lambda: gain_ratio([0], ["a"], counts=[[1]]), "gain_ratio takes either"),
        (lambda: gain_ratio(counts=[]), "gain_ratio needs the counts of at least one"),
        (lambda: gain_ratio([0], ["a"], [0]), "gain_ratio of no rows is not defined"),
        (lambda: split_information(), "split_information needs either.*got neither"),
        (lambda: split_information(["a"], counts=[1]), "got both"),
        (lambda: split_information(["a"], [1, 2]), "2 entries and groups has 1 rows"),
        (lambda: split_information(["a"], [0]), "split_information of no rows"),
        (lambda: split_information(sample_weight=[1], counts=[1]), "needs rows"),
    ],
)
def test_gain_ratio_and_split_information_say_what_they_need(call, words):
    with pytest.raises((OptionError, TableError), match=words):
        call()


def test_poisson_is_half_the_mean_deviance():
    y = np.array([0.0, 1.0, 3.0, 8.0])
    mean = y.mean()
    terms = [v * math.log(v / mean) - (v - mean) if v else mean for v in y]
    assert impurity(y, "poisson") == pytest.approx(np.mean(terms))


def test_log_loss_is_another_name_of_entropy():
    assert impurity([0, 1, 1], "log_loss") == impurity([0, 1, 1], "entropy")


def test_gini_is_the_default():
    assert impurity([0, 1]) == 0.5
    assert gain([0, 1], ["left", "right"]) == 0.5


@pytest.mark.parametrize("criterion", ALL_CRITERIA)
def test_equal_targets_have_impurity_zero(criterion):
    for value in (0.0, 0.1, 7.0, 1e300):
        assert impurity([value] * 3, criterion) == 0.0
        assert math.copysign(1, impurity([value], criterion)) == 1


@pytest.mark.parametrize("k", [2, 3, 10])
def test_uniform_classes_have_the_largest_impurity(k):
    even = [1] * k
    assert impurity(counts=even, criterion="gini") == pytest.approx(1 - 1 / k)
    assert impurity(counts=even, criterion="entropy") == pytest.approx(math.log2(k))
    assert impurity(counts=even, criterion="misclassification") == pytest.approx(
        1 - 1 / k
    )


def test_a_plain_sequence_is_rows_and_never_counts():
    assert impurity([9, 5], "gini") == 0.5  # two rows of two classes
    assert impurity(counts=[9, 5], criterion="gini") == pytest.approx(0.4591836735)


def test_a_mapping_of_numbers_gives_values_and_their_counts():
    assert impurity({1.0: 3, 5.0: 1}, "squared_error") == pytest.approx(3.0)
    rows = impurity([1.0, 1.0, 1.0, 5.0], "poisson")
    assert impurity({1.0: 3, 5.0: 1}, "poisson") == pytest.approx(rows)


@pytest.mark.parametrize("criterion", ALL_CRITERIA)
def test_weight_k_is_k_copies_and_weight_zero_is_no_row(criterion):
    y = [1, 2, 2, 5]
    copies = impurity([1, 1, 1, 2, 5, 5], criterion)
    assert impurity(y, criterion, [3, 1, 0, 2]) == pytest.approx(copies)
    copies = gain([1, 1, 1, 2, 5, 5], list("aaabbb"), criterion)
    assert gain(y, list("abbb"), criterion, [3, 1, 0, 2]) == pytest.approx(copies)


@pytest.mark.parametrize("criterion", ALL_CRITERIA)
def test_gain_is_impurity_before_minus_mean_impurity_after(criterion):
    y = np.array([0, 1, 2, 2, 1, 0, 2, 3.0])
    groups = np.array(["a", "b", "c", "a", "b", "b", "c", "c"])
    after = sum(
        (groups == g).mean() * impurity(y[groups == g], criterion) for g in "abc"
    )
    expected = impurity(y, criterion) - after
    assert gain(y, groups, criterion) == pytest.approx(expected)


@given(
    st.lists(st.tuples(st.integers(0, 4), st.integers(0, 3)), min_size=1, max_size=30),
    st.sampled_from(ALL_CRITERIA),
)
def test_gain_is_never_negative_and_at_most_the_impurity(rows, criterion):
    y, groups = zip(*rows, strict=True)
    found = gain(y, groups, criterion)
    assert 0 <= found <= impurity(y, criterion) * (1 + 1e-9) + 1e-12


def test_rows_without_a_group_form_one_branch():
    y = [0, 0, 1, 1]
    assert gain(y, [None, math.nan, "a", "a"], "gini") == pytest.approx(0.5)


def test_gain_from_the_counts_of_the_branches():
    assert gain(counts=[[2, 0], [1, 1]], criterion="gini") == pytest.approx(0.125)
    named = [{"yes": 2}, {"yes": 1, "no": 1}]
    assert gain(counts=named, criterion="gini") == pytest.approx(0.125)


def test_numpy_pandas_and_lists_say_the_same():
    import pandas

    y = ["b", "a", "a"]
    expected = impurity(y, "gini")
    assert impurity(np.array(y), "gini") == expected
    assert impurity(pandas.Series(y), "gini") == expected
    assert impurity(pandas.Series(y, dtype="category"), "gini") == expected


def test_numbers_near_the_limit_of_floats():
    assert impurity([1e300, 1.0], "squared_error") == math.inf
    assert impurity([1e150, -1e150], "squared_error") == pytest.approx(1e300)
    assert impurity([1e-200, 3e-200], "squared_error") == 0.0
    assert impurity([1e300, 3e300], "poisson") == pytest.approx(
        1e300 * impurity([1.0, 3.0], "poisson")
    )
    assert impurity([5e-324, 0.0], "poisson") >= 0


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: impurity([1], "ginny"), OptionError, "criterion.*'gini'.*'ginny'"),
        (lambda: impurity([1], ["gini"]), OptionError, "criterion must be one of"),
        (lambda: impurity(), OptionError, "either y .* or counts=.*neither"),
        (lambda: impurity([1], counts=[1]), OptionError, "got both"),
        (lambda: impurity([]), TableError, "no row has a weight above 0"),
        (
            lambda: impurity([1, 2], sample_weight=[0, 0]),
            TableError,
            "no row has a weight",
        ),
        (lambda: impurity(counts=[0, 0]), TableError, "every count is 0"),
        (lambda: impurity([1, None]), TableError, "y is missing in row 1"),
        (lambda: impurity([1.0, math.nan], "poisson"), TableError, "missing in row 1"),
        (lambda: impurity(["a"], "squared_error"), TableError, "y in row 0 is 'a'"),
        (lambda: impurity([math.inf], "squared_error"), TableError, "finite numbers"),
        (lambda: impurity([1, -2], "poisson"), TableError, "y >= 0; y in row 1 is -2"),
        (lambda: impurity([[1], [2]]), TableError, "single values; row 0"),
        (lambda: impurity(np.eye(2)), TableError, r"one dimension.*\(2, 2\)"),
        (lambda: impurity("abc"), TableError, "one entry per row; got 'abc'"),
        (lambda: impurity([1], sample_weight=[1, 2]), TableError, "2 entries.*1 rows"),
        (lambda: impurity([1], sample_weight=[-1]), TableError, "row 0 is -1;.*>= 0"),
        (lambda: impurity([1], sample_weight=["x"]), TableError, "row 0 is 'x'"),
        (lambda: impurity({1: 2}, sample_weight=[1]), OptionError, "these are counts"),
        (lambda: impurity({"a": -2}), TableError, "the count of 'a' is -2"),
        (
            lambda: impurity(counts=[1, 2], criterion="poisson"),
            OptionError,
            "needs the values of y",
        ),
        (lambda: gain([1, 2], [1]), TableError, "groups has 1 entries and y has 2"),
        (lambda: gain([1, 2]), OptionError, "groups was not given"),
        (lambda: gain(counts=[]), TableError, "at least one branch"),
        (lambda: gain([1], [1], counts=[[1]]), OptionError, "got both"),
    ],
)
def test_errors_say_what_was_seen_and_what_to_do(call, error, words):
    with pytest.raises(error, match=words):
        call()


@pytest.mark.parametrize(
    ("counts", "words"),
    [
        ([3, 4], r"one sequence of class counts per branch, .*; got 3 for branch 0"),
        (7, "one sequence of class counts per branch, .*; got 7"),
        ([[3, 4], [1]], "same classes in every branch; got branches of 1 and of 2"),
        ([[3, 4], [1, -2]], r"counts\[1\]\[1\] is -2; it must be"),
    ],
)
def test_wrong_counts_of_branches_are_refused(counts, words):
    with pytest.raises(TableError, match=words):
        gain(counts=counts)


def test_a_wrong_count_is_named_by_its_place_or_its_class():
    with pytest.raises(TableError, match=r"^counts\[0\] is -1"):
        impurity(counts=[-1, 2])
    with pytest.raises(TableError, match=r"^the count of 'yes' is -1"):
        impurity({"yes": -1, "no": 2})


@pytest.mark.parametrize(
    ("criterion", "meant"), [("entropi", "entropy"), ("mse", "squared_error")]
)
def test_an_unknown_criterion_names_the_nearest(criterion, meant):
    with pytest.raises(OptionError, match=f"Did you mean '{meant}'"):
        impurity([1.0, 2.0], criterion)
