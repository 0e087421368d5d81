"""Numbers cut into intervals: the cuts, their texts, and the errors."""

import json
import math
from collections import Counter
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from treewright.table.cuts import codes_of, mdl_cuts, quantile_cuts, width_cuts
from treewright.table.match import match, plain_matrix
from treewright.table.schema import Schema
from treewright.tree.edit import replace

AGES = [18, 22, 25, 31, 38, 44, 52, 60, 61, 70]
Y10 = ["no"] * 5 + ["yes"] * 5


def cut(values, discretize, y=None, **options):
    table = tw.as_table({"x": values}, y, discretize=discretize, **options)
    return table.schema.features[0], table.columns[0].data.tolist()


def refused(error, words, *arguments, **options):
    with pytest.raises(error) as caught:
        tw.as_table(*arguments, **options)
    assert words in str(caught.value)


# --- where the cuts are --------------------------------------------------------------


def test_quantiles_share_the_rows_out():
    feature, codes = cut(np.arange(1.0, 101), ("quantile", 4))
    assert feature.cuts == (25, 50, 75)
    assert np.bincount(codes).tolist() == [25, 25, 25, 25]
    assert feature.kind == "ordinal"
    assert feature.labels == ("<= 25", "25 to 50", "50 to 75", "> 75")


def test_a_number_alone_means_quantiles():
    assert cut(AGES, 5)[0].cuts == cut(AGES, ("quantile", 5))[0].cuts


def test_repeated_values_are_never_divided_and_give_fewer_cuts():
    feature, codes = cut([1.0] * 90 + [2.0] * 10, 10)
    assert feature.cuts == (1,)
    assert codes == [0] * 90 + [1] * 10
    # The value that holds the median is the last one; the nearest cut is below it.
    assert cut([1.0] * 10 + [2.0] * 90, 2)[0].cuts == (1,)
    assert cut([1.0, 2, 3, 3, 3, 3], 2)[0].cuts == (2,)


def test_widths_are_equal():
    feature, codes = cut([0.0, 1.0, 2.5, 10.0], ("width", 4))
    assert feature.cuts == (2.5, 5, 7.5)
    assert codes == [0, 0, 0, 3]
    assert feature.labels == ("<= 2.5", "2.5 to 5", "5 to 7.5", "> 7.5")


def test_whole_numbers_are_cut_at_whole_numbers():
    assert cut(AGES, ("width", 5))[0].cuts == (28, 38, 49, 59)
    assert cut([1, 2, 3], ("width", 10))[0].cuts == (1, 2)


def test_mdl_cuts_where_the_class_changes():
    values = np.arange(100.0)
    y = np.where(values < 40, "a", np.where(values < 75, "b", "a"))
    assert cut(values, "mdl", y)[0].cuts == (39, 74)


def test_mdl_by_hand():
    # 10 rows, 5 + 5, cut in the middle: the gain is 1 bit. The price is
    # (log2(9) + log2(3^2 - 2) - 2 * 1 + 0 + 0) / 10 = 0.397 bits.
    assert cut(AGES, "mdl", Y10)[0].cuts == (40,)
    # 2 rows: the price (0 + log2(7) - 2) / 2 = 0.404 is below 1 bit as well.
    assert cut([1.0, 2.0], "mdl", ["a", "b"])[0].cuts == (1,)
    # 4 rows a b a b: 0.311 bits gained, (log2(3) + log2(7) - 2 + 1.837) / 4 = 1.06.
    assert cut([1.0, 2, 3, 4], "mdl", ["a", "b", "a", "b"])[0].cuts == ()


def slow_mdl(pairs):
    """Fayyad and Irani's rule, word by word; pairs of (value, class), sorted."""

    def entropy(part):
        shares = [count / len(part) for count in Counter(c for _, c in part).values()]
        return -sum(share * math.log2(share) for share in shares)

    def kinds(part):
        return len({c for _, c in part})

    best = None
    for i in range(1, len(pairs)):
        if pairs[i - 1][0] == pairs[i][0]:
            continue
        left, right = pairs[:i], pairs[i:]
        mean = (i * entropy(left) + len(right) * entropy(right)) / len(pairs)
        if best is None or mean < best[0] - 1e-12:
            best = mean, left, right
    if best is None:
        return []
    mean, left, right = best
    delta = math.log2(3 ** kinds(pairs) - 2) - kinds(pairs) * entropy(pairs)
    delta += kinds(left) * entropy(left) + kinds(right) * entropy(right)
    if entropy(pairs) - mean <= (math.log2(len(pairs) - 1) + delta) / len(pairs):
        return []
    return [*slow_mdl(left), (left[-1][0], right[0][0]), *slow_mdl(right)]


def test_mdl_is_the_rule_word_by_word():
    rng = np.random.default_rng(6)
    found = 0
    for _ in range(150):
        n = int(rng.integers(2, 80))
        values = rng.integers(0, int(rng.integers(2, 40)), n).astype(float)
        y = np.minimum(values // rng.integers(2, 15), 3).astype(np.int32)
        noisy = rng.random(n) < 0.1
        y[noisy] = rng.integers(0, 4, int(noisy.sum()))
        expected = slow_mdl(sorted(zip(values.tolist(), y.tolist(), strict=True)))
        cuts = mdl_cuts(values, None, y, 4, "float")
        assert len(cuts) == len(expected)
        for at, (low, high) in zip(cuts, expected, strict=True):
            assert low <= at < high
        found += len(cuts)
    assert found > 100


def test_mdl_finds_nothing_in_noise():
    rng = np.random.default_rng(0)
    feature, codes = cut(rng.random(500), "mdl", rng.integers(0, 3, 500))
    assert feature.cuts == ()
    assert feature.labels == ("any value",)
    assert set(codes) == {0}


def test_cuts_are_short_numbers_between_the_values():
    rng = np.random.default_rng(1)
    for scale in (1e-12, 1e-3, 1.0, 1e9, 1e300):
        values = np.sort(rng.normal(size=200)) * scale
        cuts = np.array(quantile_cuts(values, None, 7, "float"))
        above = values[np.searchsorted(values, cuts, side="right")]
        below = values[np.searchsorted(values, cuts, side="right") - 1]
        assert (below <= cuts).all()
        assert (cuts < above).all()
    assert quantile_cuts(np.array([41.9, 42.8]), None, 2, "float") == (42,)


def test_neighbouring_floats_are_distinguished():
    low = 0.1
    high = np.nextafter(low, 1)
    (only,) = quantile_cuts(np.array([low, high]), None, 2, "float")
    assert codes_of(np.array([low, high]), (only,)).tolist() == [0, 1]


def test_infinities_and_missing_values():
    values = [-np.inf, -np.inf, 1.0, 2.0, np.nan, np.inf]
    feature, codes = cut(values, ("quantile", 5))
    assert codes[4] == -1
    assert codes[0] == codes[1] == 0
    assert feature.cuts == tuple(sorted(feature.cuts))
    assert codes == [*sorted(codes[:4]), -1, max(codes)]
    assert cut(values, ("width", 2))[0].cuts == (1.5,)


@pytest.mark.parametrize("rule", [2, ("width", 2), "mdl"])
def test_nothing_to_cut(rule):
    for values in ([np.nan] * 4, [7.0] * 4, [7.0, np.nan, 7.0, 7.0]):
        feature, codes = cut(values, rule, [0, 1, 0, 1])
        assert feature.labels == ("any value",)
        assert codes == [-1 if np.isnan(v) else 0 for v in values]
        assert "one interval" in feature.reason


@pytest.mark.parametrize("rule", [2, 7, ("width", 6), "mdl"])
def test_weight_k_is_k_copies_in_any_order(rule):
    rng = np.random.default_rng(2)
    for _ in range(40):
        n = int(rng.integers(1, 60))
        values = rng.integers(0, 15, n) / 4
        y = (values + rng.normal(size=n) > 2).astype(int)
        weights = rng.integers(0, 4, n)
        weights[0] = 3
        order = rng.permutation(n)
        copies = np.repeat(np.arange(n), weights)
        once = tw.as_table(
            {"x": values[order]}, y[order], weights[order] * 0.25, discretize=rule
        )
        if rule == "mdl":  # weights count as numbers of rows
            once = tw.as_table({"x": values}, y, weights, discretize=rule)
        many = tw.as_table({"x": values[copies]}, y[copies], discretize=rule)
        assert once.schema.features[0].cuts == many.schema.features[0].cuts


def test_sums_of_weights_do_not_depend_on_the_order():
    rng = np.random.default_rng(3)
    values, weights = rng.integers(0, 30, 2000) / 7, rng.random(2000)
    y = rng.integers(0, 3, 2000).astype(np.int32)
    for _ in range(5):
        order = rng.permutation(2000)
        v, w = values[order], weights[order]
        assert quantile_cuts(v, w, 9, "float") == quantile_cuts(
            values, weights, 9, "float"
        )
        assert mdl_cuts(v, w, y[order], 3, "float") == mdl_cuts(
            values, weights, y, 3, "float"
        )


def test_rows_of_weight_0_play_no_part():
    values = np.array([0.0, 1, 2, 3, 1000])
    weights = np.array([1.0, 1, 1, 1, 0])
    assert width_cuts(values, weights, 3, "float") == (1, 2)
    assert quantile_cuts(values, weights, 2, "float") == (1,)


# --- the schema ----------------------------------------------------------------------


def test_the_schema_keeps_the_cuts_and_says_why():
    table = tw.as_table({"age": AGES}, Y10, discretize={"age": ("width", 2)})
    feature = table.schema.features[0]
    assert feature.reason == (
        "The values are whole numbers; cut into 2 intervals, by ('width', 2)."
    )
    assert "cut into 2 intervals" in repr(table)
    again = Schema.from_dict(json.loads(json.dumps(table.schema.to_dict())))
    assert again == table.schema
    assert "cuts" not in tw.as_table({"age": AGES}).schema.to_dict()["features"][0]
    infinite, _ = cut([-np.inf, 1.0], 2)
    assert infinite.cuts == (-np.inf,)
    of_it = Schema((infinite,))
    assert Schema.from_dict(json.loads(json.dumps(of_it.to_dict()))) == of_it


def test_one_rule_for_all_takes_the_numeric_columns_only():
    X = {"age": AGES, "zip": [1, 2] * 5, "city": ["Rome", "Bonn"] * 5}
    table = tw.as_table(X, discretize=3, kinds={"zip": "categorical"})
    assert [each.kind for each in table.schema.features] == [
        "ordinal",
        "categorical",
        "categorical",
    ]
    assert table.schema.features[1].labels == (1, 2)


def test_kinds_makes_the_intervals_a_set():
    table = tw.as_table({"x": AGES}, discretize={"x": 2}, kinds={"x": "categorical"})
    assert table.schema.features[0].kind == "categorical"
    assert table.schema.features[0].labels == ("<= 40", "> 40")
    table = tw.as_table({"x": AGES}, discretize={"x": 2}, kinds={"x": "ordinal"})
    assert table.schema.features[0].kind == "ordinal"
    text = tw.as_table({"x": ["1", "2"]}, discretize={"x": 2}, kinds={"x": "numeric"})
    assert text.schema.features[0].cuts == (1,)


def test_a_table_can_be_cut_afterwards():
    table = tw.as_table(tw.as_table({"x": AGES}), discretize={"x": 2})
    assert table.schema.features[0].cuts == (40,)
    assert tw.as_table(table, discretize=3).schema == table.schema


# --- new data ------------------------------------------------------------------------


def test_new_numbers_become_codes_by_name_and_by_position():
    schema = tw.as_table({"a": [0, 1], "x": [0.0, 10.0]}, discretize={"x": 2}).schema
    for X in (
        {"x": [4.0, 6.0, None], "a": [1, 1, 1]},
        pd.DataFrame({"x": [4, 6, None]}),
        [[0, 4], [0, 6.0], [0, None]],
        np.array([[0, 4.0], [0, 6.0], [0, np.nan]]),
        np.array([[0, 4.0], [0, 6.0], [0, np.nan]], np.float32),
    ):
        assert plain_matrix(schema, X) is None
        assert match(schema, X, [1])[1].tolist() == [0, 1, -1]


def test_a_plain_matrix_is_cut_by_column_number():
    X = np.column_stack([np.arange(8.0), np.arange(8.0) % 2])
    fitted = tw.TreeClassifier(discretize={0: 2}).fit(X, np.arange(8) > 3)
    assert fitted.predict(X).tolist() == [False] * 4 + [True] * 4
    assert fitted.tree_.predict(X).tolist() == [False] * 4 + [True] * 4


def test_what_is_not_a_number_is_refused():
    schema = tw.as_table({"x": [0.0, 10.0]}, discretize={"x": 2}).schema
    with pytest.raises(tw.ColumnError, match="held numbers when the tree was grown"):
        match(schema, {"x": ["high", "low"]}, [0])
    other = tw.as_table({"x": [0.0, 20.0]}, discretize={"x": 2})
    with pytest.raises(tw.ColumnError, match="held numbers when the tree was grown"):
        match(schema, other, [0])


def test_a_table_cut_alike_can_be_predicted():
    table = tw.as_table({"x": [0.0, 10.0, 3.0]}, [0, 1, 0], discretize={"x": 2})
    assert tw.grow(table).predict(table).tolist() == [0, 1, 0]
    uncut = tw.as_table({"x": [0.0, 10.0, 3.0]})
    assert tw.grow(table).predict(uncut).tolist() == [0, 1, 0]


def test_dates_stay_dates():
    days = pd.to_datetime(["2020-01-01", "2020-01-05", "2020-03-01", "2020-06-01"])
    table = tw.as_table({"born": days}, [0, 0, 1, 1], discretize={"born": 2})
    tree = tw.grow(table)
    assert tree.split(0).words(0) == "born <= 2020-02-02"
    assert tree.predict({"born": days}).tolist() == [0, 0, 1, 1]
    just_after = pd.to_datetime(["2020-02-02 00:00", "2020-02-02 00:01"])
    assert tree.predict({"born": just_after}).tolist() == [0, 1]


# --- words ---------------------------------------------------------------------------


def test_a_threshold_says_the_cut():
    tree = tw.grow(tw.as_table({"age": AGES}, Y10, discretize={"age": 5}))
    assert tree.split(0).words(0) == "age <= 34"
    assert tree.split(0).words(1) == "age > 34"
    rebuilt = float(tree.split(0).at)
    assert rebuilt == tree.schema.features[0].cuts[1]


def test_a_set_says_intervals():
    ages = [18, 22, 25, 30, 38, 44, 52, 60]
    y = ["a", "a", "b", "b", "a", "a", "b", "b"]
    table = tw.as_table(
        {"age": ages}, y, discretize={"age": 4}, kinds={"age": "categorical"}
    )
    root = tw.grow(table).split(0)
    assert root.words(0) == "age in {<= 23, 30 to 50}"
    assert root.words(1) == "age in {23 to 30, > 50}"
    small = tw.grow(
        tw.as_table(
            {"age": ages[:6]},
            ["a", "a", "b", "b", "c", "c"],
            discretize={"age": 3},
            kinds={"age": "categorical"},
        )
    )
    said = {small.split(0).words(b) for b in (0, 1)}
    said |= {small.split(i).words(b) for i in (1, 2) for b in (0, 1) if small.split(i)}
    assert {"age <= 23", "age in 23 to 30", "age > 30"} <= said


def test_true_and_false_say_themselves():
    X = {"ok": [True, False, True, False]}
    tree = tw.grow(tw.as_table(X, [1, 0, 1, 0], discretize=4))
    assert {tree.split(0).words(0), tree.split(0).words(1)} == {
        "ok = False",
        "ok = True",
    }


def test_every_reader_shows_intervals():
    fitted = tw.TreeClassifier(discretize={"age": 5}).fit({"age": AGES}, Y10)
    tree = fitted.tree_
    assert "age <= 34" in tree.text()
    assert tree.to_pandas()["condition"][1] == "age <= 34"
    assert json.loads(json.dumps(tree.to_dict()))["features"][0]["cuts"] == [
        23,
        34,
        50,
        60,
    ]


def test_trees_cut_elsewhere_do_not_mix():
    one = tw.grow(tw.as_table({"x": AGES}, Y10, discretize={"x": 2})).data
    two = tw.grow(tw.as_table({"x": AGES}, Y10, discretize={"x": ("width", 2)})).data
    with pytest.raises(tw.TreeFormatError, match="Column 'x' of the tree"):
        replace(one, 1, two)
    assert one != two


# --- growing -------------------------------------------------------------------------


def test_intervals_of_every_value_grow_the_tree_of_the_numbers():
    rng = np.random.default_rng(4)
    for _ in range(20):
        values = rng.integers(0, 8, (60, 2)).astype(float)
        y = rng.integers(0, 2, 60)
        cut_tree = tw.TreeClassifier(discretize=1000, prune=None).fit(values, y).tree_
        tree = tw.TreeClassifier(prune=None).fit(values, y).tree_
        assert cut_tree.subtree_size.tolist() == tree.subtree_size.tolist()
        assert cut_tree.predict(values).tolist() == tree.predict(values).tolist()


def test_the_regressor_cuts_too():
    fitted = tw.TreeRegressor(discretize=2, prune=None)
    fitted.fit({"x": AGES}, np.arange(10.0))
    assert fitted.predict({"x": [20, 65]}).tolist() == [2.0, 7.0]


# --- what is refused -----------------------------------------------------------------

FORMS = "must be ('quantile', n), ('width', n), 'mdl', or a whole number n"


@pytest.mark.parametrize(
    "rule",
    [1, 0, -3, 2.5, True, "quantile", ("quantile", 1), ("quantile", "5"), (), object()],
)
def test_what_is_no_rule_is_refused(rule):
    refused(tw.OptionError, f"discretize {FORMS}", {"x": AGES}, discretize=rule)
    words = f"discretize['x'] {FORMS}"
    refused(tw.OptionError, words, {"x": AGES}, discretize={"x": rule})


def test_near_misses_get_a_hint():
    for rule, hint in (
        ("quantile", "Did you mean ('quantile', 5)?"),
        (("quantiles", 5), "Did you mean 'quantile'?"),
        ("MDL", "Did you mean 'mdl'?"),
    ):
        refused(tw.OptionError, hint, {"x": AGES}, discretize=rule)


def test_an_unknown_column_is_named_with_its_nearest():
    words = "discretize names 'agee', but there is no column 'agee'; the nearest is"
    refused(tw.TableError, words, {"age": AGES}, discretize={"agee": 3})


def test_categories_cannot_be_cut():
    words = (
        "discretize names 'city', but only numbers can be cut into intervals, and "
        "this is a column of categories, such as 'Bonn'. Leave it out of discretize."
    )
    X = {"city": ["Rome", "Bonn"]}
    refused(tw.ColumnError, words, X, discretize={"city": 3})
    table = tw.as_table({"x": AGES}, discretize=3)
    words = "a column of categories that was cut already"
    refused(tw.ColumnError, words, table, discretize={"x": 3})


def test_an_order_of_categories_beside_cuts_is_refused():
    words = "so kinds['x'] must be 'categorical' or 'ordinal'; got [1, 2]"
    options = {"discretize": {"x": 2}, "kinds": {"x": [1, 2]}}
    refused(tw.OptionError, words, {"x": [1, 2]}, **options)


def test_mdl_needs_classes():
    words = "discretize='mdl' needs a target of classes, and this table has numbers."
    y = np.arange(10) / 3
    refused(tw.OptionError, words, {"x": AGES}, y, discretize="mdl")
    words = "and this table has none. Use ('quantile', 5) or ('width', 5) instead."
    refused(tw.OptionError, words, {"x": AGES}, discretize="mdl")


def test_labels_are_all_different_whatever_the_cuts():
    rng = np.random.default_rng(5)
    for stored in ("float", "int", "datetime", "duration"):
        values = rng.integers(0, 10**6, 400) / (7 if stored == "float" else 1)
        if stored == "datetime":
            values = values.astype(int).astype("datetime64[us]")
        elif stored == "duration":
            values = values.astype(int).astype("timedelta64[us]")
        feature, codes = cut(values, 50)
        assert feature.stored_as in (stored, "float")
        assert len(set(feature.labels)) == len(feature.labels)
        assert all(a < b for a, b in pairwise(feature.cuts))
        assert set(codes) == set(range(len(feature.labels)))


@pytest.mark.parametrize("how", [3, ("width", 3), "mdl"])
def test_a_column_without_a_value_that_counts_has_no_cuts(how):
    for values, weights in (
        ([np.nan] * 4, None),
        ([np.nan] * 4, [1, 2, 1, 2]),
        ([1.0, 2.0, np.nan, np.nan], [0, 0, 1, 1]),
    ):
        feature, codes = cut(values, how, list("abab"), sample_weight=weights)
        assert feature.cuts == ()
        assert codes == [-1 if math.isnan(value) else 0 for value in values]


def test_between_moments_without_a_number_between_them_the_cut_is_the_lower_one():
    low, high = np.nextafter(2.0**57, np.inf), 2.0**57 + 64
    assert (low + high) / 2 == high  # rounded to the even one
    assert quantile_cuts(np.array([low, high]), None, 2, "datetime") == (low,)
