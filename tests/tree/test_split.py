import numpy as np
import pytest

from support.build import (
    build,
    categorical,
    is_missing,
    leaf,
    multiway,
    ordinal,
    schema_of,
    subset,
    threshold,
)
from treewright.errors import OptionError
from treewright.table.schema import Feature
from treewright.tree import wording
from treewright.tree.data import ALL_BRANCHES, STOP_HERE
from treewright.tree.edit import with_values
from treewright.tree.split import IsMissing, Multiway, Subset, Threshold, split_of

DAY = 86_400_000_000


def stump(feature, at):
    return split_of(build(threshold(0, at, leaf(0), leaf(1)), schema_of(feature)), 0)


def words(split):
    return [split.words(b) for b in range(split.n_branches)]


@pytest.mark.parametrize(
    ("feature", "at", "left", "right"),
    [
        (Feature("petal length"), 2.45, "petal length <= 2.45", "petal length > 2.45"),
        (Feature("n", stored_as="int"), 150.0, "n <= 150", "n > 150"),
        (Feature("n", stored_as="int"), 2.5, "n <= 2.5", "n > 2.5"),
        (Feature("x"), 0.1 + 0.7, "x <= 0.7999999999999999", "x > 0.7999999999999999"),
        (Feature("x"), -np.inf, "x <= -inf", "x > -inf"),
        (Feature("x"), 1.7e308, "x <= 1.7e+308", "x > 1.7e+308"),
        (Feature("x"), -0.0, "x <= 0", "x > 0"),
        (Feature("ok", stored_as="bool"), 0.5, "ok = False", "ok = True"),
        (Feature("ok", stored_as="bool"), 1.5, "ok <= 1.5", "ok > 1.5"),
        (
            Feature("d", stored_as="date"),
            1.0 * DAY,
            "d <= 1970-01-02",
            "d > 1970-01-02",
        ),
        (
            Feature("d", stored_as="date"),
            -1.0 * DAY,
            "d <= 1969-12-31",
            "d > 1969-12-31",
        ),
        (
            Feature("t", stored_as="datetime"),
            1.5 * DAY,
            "t <= 1970-01-02T12:00:00",
            "t > 1970-01-02T12:00:00",
        ),
        (
            Feature("t", stored_as="datetime"),
            1.0 * DAY,
            "t <= 1970-01-02",
            "t > 1970-01-02",
        ),
        (
            Feature("t", stored_as="datetime", timezone="Europe/Vienna"),
            0.5 * DAY,
            "t <= 1970-01-01T13:00:00+01:00",
            "t > 1970-01-01T13:00:00+01:00",
        ),
        (
            Feature("t", stored_as="datetime", timezone="No/Where"),
            0.5 * DAY,
            "t <= 1970-01-01T12:00:00+00:00",
            "t > 1970-01-01T12:00:00+00:00",
        ),
        (
            Feature("t", stored_as="duration"),
            1.5 * DAY,
            "t <= 1 day, 12:00:00",
            "t > 1 day, 12:00:00",
        ),
        (ordinal("size", "S", "M", "L"), 1.5, "size <= M", "size > M"),
        (ordinal("size", "S", "M", "L"), 0.5, "size <= S", "size > S"),
    ],
)
def test_a_threshold_is_written_in_the_units_of_its_column(feature, at, left, right):
    split = stump(feature, at)
    assert isinstance(split, Threshold)
    assert words(split) == [left, right]
    assert split.threshold == at


@pytest.mark.parametrize("x", [0.1, 1 / 3, 1e-300, 5e-324, 123456789.5, 2.0**60, 1e22])
def test_printed_thresholds_read_back_exactly(x):
    assert float(wording.number(x)) == x
    assert float(stump(Feature("x"), x).at) == x


@pytest.fixture
def sex_tree():
    schema = schema_of(categorical("sex", "female", "male", "other"), "age")
    spec = subset(0, [[0, 2], [1]], leaf(0, 1), is_missing(1, leaf(0), leaf(1)), 1)
    return build(spec, schema)


def test_a_subset_names_its_categories(sex_tree):
    split = split_of(sex_tree, 0)
    assert isinstance(split, Subset)
    assert split.branches == (("female", "other"), ("male",))
    assert words(split) == ["sex in {female, other}", "sex = male"]
    assert split.words(1, missing=True) == "sex = male or missing"
    assert split.words(0, missing=True) == "sex in {female, other}"
    assert split.missing_words() == "goes with sex = male"


def test_is_missing_says_so(sex_tree):
    split = split_of(sex_tree, 2)
    assert isinstance(split, IsMissing)
    assert words(split) == ["age is missing", "age is known"]
    assert split.words(0, missing=True) == "age is missing"
    assert (split.feature, split.column) == ("age", 1)


def test_a_leaf_has_no_split(sex_tree):
    assert split_of(sex_tree, 1) is None


def test_a_branch_without_categories_holds_the_missing_values():
    spec = subset(0, [[0, 1], []], leaf(0), leaf(1), missing=1)
    split = split_of(build(spec, schema_of(categorical("c", "a", "b"))), 0)
    assert words(split) == ["c in {a, b}", "c is missing or unseen"]
    assert split.words(1, missing=True) == "c is missing or unseen"


def test_a_column_called_missing_still_says_or_missing():
    split = stump(Feature("missing"), 1.0)
    assert split.words(0, missing=True) == "missing <= 1 or missing"


def test_multiway_has_a_branch_per_category():
    schema = schema_of(categorical("outlook", "overcast", "rainy", "sunny"))
    spec = multiway(0, [[2], [0], [1]], leaf(0), leaf(1), leaf(0, 1), stopped=[1])
    tree = build(spec, schema)
    split = split_of(tree, 0)
    assert isinstance(split, Multiway)
    assert words(split) == ["outlook = sunny", "outlook = overcast", "outlook = rainy"]
    assert split.missing == STOP_HERE
    assert split.missing_words() == "stops here"
    routes = np.where(tree.split_kind > 0, ALL_BRANCHES, -1)
    split = split_of(with_values(tree, missing_route=routes), 0)
    assert split.missing_words() == "goes down every branch, by weight"


def test_long_lists_of_categories_can_be_cut():
    labels = [f"c{i}" for i in range(100)]
    spec = subset(0, [list(range(99)), [99]], leaf(0), leaf(1))
    split = split_of(build(spec, schema_of(categorical("c", *labels))), 0)
    assert split.words(0, most=2) == "c in {c0, c1, ... 97 more}"
    assert split.words(0).count(",") == 98


def test_hostile_names_and_labels_stay_on_one_readable_line():
    feature = categorical(
        "a\nb", "x, y", "}", "", 'q"', " pad", "tab\t", "\u202edesrever"
    )
    spec = subset(0, [list(range(6)), [6]], leaf(0), leaf(1))
    split = split_of(build(spec, schema_of(feature)), 0)
    said = split.words(0)
    assert said == '"a\\nb" in {"x, y", "}", "", "q\\"", " pad", "tab\\t"}'
    assert split.words(1) == '"a\\nb" = "\\u202edesrever"'


def test_labels_may_be_numbers_and_booleans():
    spec = subset(0, [[0, 1], [2]], leaf(0), leaf(1))
    split = split_of(build(spec, schema_of(categorical("zip", 1010, 2.5, True))), 0)
    assert words(split) == ["zip in {1010, 2.5}", "zip = True"]


@pytest.mark.parametrize("branch", [2, -1])
def test_a_wrong_branch_is_refused(sex_tree, branch):
    with pytest.raises(OptionError, match=f"branch must be .* 0 to 1; got {branch}"):
        split_of(sex_tree, 0).words(branch)


def test_a_split_carries_gain_and_proof(sex_tree):
    split = split_of(sex_tree, 2)
    assert split.gain == pytest.approx(0.5)
    assert split.proven is True


@pytest.mark.parametrize(
    ("share", "said"),
    [(0, "0%"), (1, "100%"), (0.5, "50.0%"), (0.99951, ">99.9%"), (1e-9, "<0.1%")],
)
def test_percent_never_rounds_to_nothing_or_all(share, said):
    assert wording.percent(share) == said


def test_names_and_categories_are_shortened_on_request_but_braces_never():
    schema = schema_of(categorical("a long name", "first, category", "second", "x"))
    split = split_of(build(subset(0, [[0, 1], [2]], leaf(0), leaf(1)), schema), 0)
    assert split.words(0, missing=True).startswith("a long name in {")
    assert split.words(0, longest=9) == "a l...ame in {fir...ory, second}"
    assert split.words(1, longest=9) == "a l...ame = x"
    split = split_of(
        build(threshold(0, 0.1 + 0.2, leaf(0), leaf(1)), schema_of("x")), 0
    )
    assert split.words(0, longest=5) == "x <= 0.30000000000000004"
