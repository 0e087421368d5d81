"""ID3, C4.5, gain ratios, divided rows, surrogates, absolute errors: worked by hand.

`grow` is every grower that knows them; what only the slow one shows (the account of
a node, say) is asked of its nodes.
"""

import math
from fractions import Fraction

import numpy as np
import pytest

from support.repeats import first_of
from support.strategies import (
    CLASSIC_GROWERS,
    SURROGATES,
    assert_same_tree,
    categorical,
    classic_case,
    grower,
    make_table,
    numeric,
    ordinal,
    take,
    weighted,
)
from treewright.errors import ColumnError, OptionError
from treewright.growing.impurity import gain, gain_ratio, impurity, split_information
from treewright.growing.reference import grow_reference
from treewright.growing.reference.grow import grow_nodes
from treewright.growing.reference.layout import arrays_of, preorder
from treewright.growing.reference.ratio import split_information as own_information
from treewright.options import GrowOptions
from treewright.tree.check import check
from treewright.tree.data import (
    ALL_BRANCHES,
    MULTIWAY,
    STOP_HERE,
    SUBSET,
    THRESHOLD,
)
from treewright.tree.walk import children

NAN = math.nan
DAYS = """\
Sunny Hot High Weak No
Sunny Hot High Strong No
Overcast Hot High Weak Yes
Rain Mild High Weak Yes
Rain Cool Normal Weak Yes
Rain Cool Normal Strong No
Overcast Cool Normal Strong Yes
Sunny Mild High Weak No
Sunny Cool Normal Weak Yes
Rain Mild Normal Weak Yes
Sunny Mild Normal Strong Yes
Overcast Mild High Strong Yes
Overcast Hot Normal Weak Yes
Rain Mild High Strong No"""
NAMES = ("Outlook", "Temperature", "Humidity", "Wind")
OUTLOOK, TEMPERATURE, HUMIDITY, WIND = range(4)


@pytest.fixture(params=CLASSIC_GROWERS)
def grow(request):
    return grower(request.param)


def weather(missing=()):
    """The 14 days; `missing` lists (column, row) to leave out."""
    cells = [line.split() for line in DAYS.splitlines()]
    for column, row in missing:
        cells[row][column] = None
    *columns, play = zip(*cells, strict=True)
    made = [categorical(n, c) for n, c in zip(NAMES, columns, strict=True)]
    return make_table(made, play)


def reasons_of(root):
    return [node.stop_reason for node in preorder(root)]


def nodes_of(table, **options):
    return grow_nodes(table, GrowOptions(**options))[1]


# ID3 ---------------------------------------------------------------------------------


def test_id3_splits_the_14_days_by_outlook_then_humidity_and_wind(grow):
    tree = grow(weather(), GrowOptions(method="id3"))
    # Overcast; Rain: Strong, Weak; Sunny: High, Normal
    assert tree.feature.tolist() == [OUTLOOK, -1, WIND, -1, -1, HUMIDITY, -1, -1]
    assert tree.split_kind[[0, 2, 5]].tolist() == [MULTIWAY] * 3
    assert tree.n_rows.tolist() == [14, 4, 5, 2, 3, 5, 3, 2]
    assert tree.label.tolist() == [1, 1, 1, 0, 1, 0, 0, 1]
    assert tree.gain[[0, 2, 5]] == pytest.approx([0.2467, 0.9710, 0.9710], abs=5e-5)
    assert tree.impurity[0] == pytest.approx(0.9403, abs=5e-5)
    assert tree.categories.tolist() == [0, 1, 2, 0, 1, 0, 1]
    assert tree.category_branch.tolist() == [0, 1, 2, 0, 1, 0, 1]
    assert tree.missing_route[[0, 2, 5]].tolist() == [STOP_HERE] * 3
    assert tree.made_by["method"] == "id3"
    assert tree.proven.all()


@pytest.mark.parametrize(
    ("column", "gained", "ratio"),
    [
        (OUTLOOK, 0.2467, 0.1564),
        (TEMPERATURE, 0.0292, 0.0188),
        (HUMIDITY, 0.1518, 0.1518),
        (WIND, 0.0481, 0.0488),
    ],
)
def test_gains_and_gain_ratios_of_the_14_days(grow, column, gained, ratio):
    table = weather()
    alone = make_table([table.columns[column]], play(table))
    tree = grow(alone, GrowOptions(method="id3", max_depth=1))
    assert tree.gain[0] == pytest.approx(gained, abs=5e-5)
    codes = table.columns[column].codes
    assert gain(play(table), codes, "entropy") == pytest.approx(gained, abs=5e-5)
    assert gain_ratio(play(table), codes) == pytest.approx(ratio, abs=5e-5)


def play(table):
    return [["No", "Yes"][code] for code in table.target.codes]


def test_id3_by_other_criteria_starts_with_outlook_too(grow):
    for criterion in ("gini", "misclassification", "gain_ratio"):
        tree = grow(weather(), GrowOptions(method="id3", criterion=criterion))
        assert tree.feature[0] == OUTLOOK


def test_id3_treats_ranks_as_categories(grow):
    table = make_table([ordinal("size", list("SMLSML"), "SML")], [0, 1, 0, 0, 1, 0])
    tree = grow(table, GrowOptions(method="id3"))
    assert tree.split_kind[0] == MULTIWAY
    assert tree.label.tolist() == [0, 0, 1, 0]


def test_id3_refuses_numbers():
    table = make_table([categorical("c", "ab"), numeric("age", [1, 2])], [0, 1])
    with pytest.raises(ColumnError, match="'age' holds numbers"):
        grow_reference(table, GrowOptions(method="id3"))


def test_id3_of_numbers_lowers_the_variance(grow):
    table = make_table([categorical("c", "aabbcc")], [1.0, 3.0, 5.0, 5.0, 9.0, 11.0])
    tree = grow(table, GrowOptions(method="id3"))
    assert tree.value[:, 0].tolist() == [34 / 6, 2, 5, 10]
    after = (1 + 0 + 1) / 3
    assert tree.gain[0] == pytest.approx(np.var([1, 3, 5, 5, 9, 11]) - after)


def test_missing_rows_have_a_branch_of_their_own_the_last(grow):
    table = make_table([categorical("c", ["b", "a", None, "a"])], [0, 1, 0, 1])
    tree = grow(table, GrowOptions(method="id3"))
    assert tree.n_rows.tolist() == [4, 2, 1, 1]
    assert tree.missing_route[0] == 2
    assert tree.categories.tolist() == [0, 1]
    assert tree.gain[0] == pytest.approx(1.0)


def test_a_column_is_used_once_on_a_path_and_then_the_rows_are_alike():
    root = nodes_of(make_table([categorical("c", "aabb")], [0, 1, 0, 1]), method="id3")
    assert reasons_of(root) == ["", "identical_rows", "identical_rows"]


def test_a_multiway_split_needs_enough_rows_in_every_branch():
    table = make_table([categorical("c", "aaab")], [0, 0, 1, 1])
    root = nodes_of(table, method="id3", min_samples_leaf=2)
    assert reasons_of(root) == ["min_samples_leaf"]


def test_limits_count_every_branch_and_let_smaller_splits_through():
    # The better split of the left branch has three branches, that of the right two.
    columns = [categorical("c", "aaaaaabbbb"), categorical("d", "xxyyzzxxyy")]
    y = [0.0, 0.0, 9.0, 9.0, 99.0, 99.0, 500.0, 500.0, 503.0, 503.0]
    table = make_table(columns, y)
    assert nodes_of(table, method="id3", max_leaf_nodes=4).gain > 0
    root = nodes_of(table, method="id3", max_leaf_nodes=3)
    found = ["", "max_leaf_nodes", "", "pure", "pure"]
    assert reasons_of(root) == found
    root = nodes_of(table, method="id3", max_nodes=5)
    assert reasons_of(root) == [each.replace("leaf_", "") for each in found]
    assert len(preorder(nodes_of(table, method="id3", max_nodes=6))) == 6


def slow_id3(columns, y, weights, used=()):
    """ID3 as in a lecture: (column, gain, {code: subtree}) or a count."""
    left = [j for j in range(len(columns)) if j not in used]
    able = [j for j in left if len(set(columns[j])) > 1]
    if len(set(y)) == 1 or not able:
        return len(y)
    gains = [gain(y, columns[j], "entropy", weights) for j in able]
    reach = max(gains) - 1e-12 * impurity(y, "entropy", weights)
    best = next(j for j, each in zip(able, gains, strict=True) if each >= reach)
    below = {}
    for code in sorted(set(columns[best]), key=lambda code: (code < 0, code)):
        rows = [i for i, each in enumerate(columns[best]) if each == code]
        part = [[column[i] for i in rows] for column in columns]
        below[code] = slow_id3(
            part, [y[i] for i in rows], [weights[i] for i in rows], (*used, best)
        )
    return best, below


def as_told(node):
    if not node.children:
        return len(node.rows)
    codes = [codes[0] if codes else -1 for codes in node.split.groups]
    below = dict(zip(codes, map(as_told, node.children), strict=True))
    return node.split.column, below


@pytest.mark.parametrize("seed", range(60))
def test_id3_is_the_lectures(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 25))
    codes = [rng.integers(-1, k, n) for k in rng.integers(1, 5, rng.integers(1, 5))]
    y, weights = rng.integers(0, 3, n), rng.integers(1, 4, n)
    columns = [
        categorical(f"x{j}", [None if c < 0 else c for c in each.tolist()], range(5))
        for j, each in enumerate(codes)
    ]
    table = make_table(columns, y.tolist(), weights, [0, 1, 2])
    lists = [each.tolist() for each in codes]
    expected = slow_id3(lists, y.tolist(), weights.tolist())
    assert as_told(nodes_of(table, method="id3")) == expected


# Gain ratio --------------------------------------------------------------------------


def test_the_gain_ratio_prefers_few_branches_to_many(grow):
    # A number for each row gains all, and has log2(8) bits of its own.
    columns = [categorical("id", "abcdefgh"), categorical("c", "xxxxyyyy")]
    y = [0, 0, 0, 0, 1, 1, 1, 0]
    table = make_table(columns, y)
    assert grow(table, GrowOptions(method="id3")).feature[0] == 0
    options = GrowOptions(method="id3", criterion="gain_ratio")
    assert grow(table, options).feature[0] == 0  # c gains less than the average
    alike = make_table(columns, [0, 0, 0, 0, 1, 1, 1, 1])
    tree = grow(alike, options)
    assert tree.feature[0] == 1
    assert tree.gain[0] == pytest.approx(1.0)  # the gain itself, not the ratio


def test_columns_below_the_average_gain_do_not_compete(grow):
    # The first row alone: a large ratio for a small gain.
    tiny, half = [1] + [0] * 15, [0] * 8 + [1] * 8
    y = [1] + [0] * 7 + [1] * 7 + [0]
    table = make_table([numeric("tiny", tiny), numeric("half", half)], y)
    gains = [gain(y, each, "entropy") for each in (tiny, half)]
    assert gains[0] < sum(gains) / 2 < gains[1]
    tree = grow(table, GrowOptions(criterion="gain_ratio", max_depth=1))
    assert tree.feature[0] == 1


def test_without_any_gain_the_first_column_is_still_split(grow):
    columns = [numeric("a", [0, 0, 1, 1]), numeric("b", [0, 1, 0, 1])]
    table = make_table(columns, [0, 1, 1, 0])
    tree = grow(table, GrowOptions(criterion="gain_ratio"))
    assert tree.feature[0] == 0
    assert tree.gain[0] == 0
    assert tree.n_leaves == 4


def test_missing_rows_are_one_more_branch_of_the_split_information():
    columns = [numeric("a", [1, 1, 2, 2, NAN, NAN])]
    table = make_table(columns, [0, 0, 1, 1, 0, 1])
    root = nodes_of(table, criterion="gain_ratio", missing="fractional")
    assert own_information(root.split) == pytest.approx(math.log2(3))
    assert root.gain == pytest.approx(2 / 3)


# C4.5 --------------------------------------------------------------------------------


def test_a_threshold_is_charged_for_the_choice_among_many(grow):
    columns = [numeric("a", range(8)), categorical("c", "xxxxyyyy")]
    table = make_table(columns, [0, 0, 0, 0, 1, 1, 1, 1])
    assert grow(table, GrowOptions(criterion="gain_ratio")).feature[0] == 0
    tree = grow(table, GrowOptions(method="c45"))
    assert tree.feature[0] == 1  # 1 against 1 - log2(7) / 8
    alone = make_table(columns[:1], [0, 0, 0, 0, 1, 1, 1, 1])
    tree = grow(alone, GrowOptions(method="c45"))
    assert tree.threshold[0] == 3.5
    assert tree.gain[0] == pytest.approx(1.0)  # without the penalty
    assert tree.split_kind[0] == THRESHOLD


def test_a_cut_that_does_not_earn_its_penalty_is_not_made():
    # The best gain of [0, 1, 0, 1, 0, 1, 0, 1] is 0.138; log2(7) / 8 is 0.351.
    table = make_table([numeric("a", range(8))], [0, 1] * 4)
    assert reasons_of(nodes_of(table, method="c45")) == ["no_better_split"]
    assert len(preorder(nodes_of(table, criterion="entropy"))) > 1


def test_two_branches_must_have_the_minimum_weight():
    table = make_table([categorical("c", "aaab")], [0, 0, 0, 1])
    assert reasons_of(nodes_of(table, method="c45")) == ["no_better_split"]
    root = nodes_of(table, method="c45", min_branch_weight=1)
    assert [len(child.rows) for child in root.children] == [3, 1]
    # With two branches of weight 2 the third may be small.
    table = make_table([categorical("c", "aabbc")], [0, 0, 1, 1, 1])
    root = nodes_of(table, method="c45")
    assert [len(child.rows) for child in root.children] == [2, 2, 1]
    weights = [1, 1, 1, 0.5, 9]
    root = nodes_of(weighted(table, weights), method="c45")
    assert len(root.children) == 3
    root = nodes_of(weighted(table, [1, 0.9, 1, 0.5, 9]), method="c45")
    assert reasons_of(root) == ["no_better_split"]


def test_grouped_categories_are_split_in_two(grow):
    table = make_table([categorical("c", "aabbcc")], [0, 0, 0, 0, 1, 1])
    tree = grow(table, GrowOptions(method="c45", categories="grouped"))
    assert tree.split_kind[0] == SUBSET
    assert tree.category_branch.tolist() == [0, 0, 1]
    tree = grow(table, GrowOptions(method="c45"))
    assert tree.n_rows.tolist() == [6, 2, 2, 2]


def test_c45_with_learned_missing_values(grow):
    columns = [categorical("c", ["a", "a", "b", "b", None, None])]
    table = make_table(columns, [0, 0, 1, 1, 0, 1])
    tree = grow(table, GrowOptions(method="c45", missing="learned"))
    assert tree.n_rows.tolist() == [6, 2, 2, 2]
    assert tree.missing_route[0] == 2


def test_c45_is_for_classes():
    table = make_table([numeric("a", [1, 2])], [1.0, 2.0])
    with pytest.raises(OptionError, match="'c45' grows trees for classes"):
        grow_reference(table, GrowOptions(method="c45"))


# Divided rows ------------------------------------------------------------------------


def test_the_day_whose_outlook_is_missing_goes_down_three_branches():
    # Worked in Quinlan's book: gain 0.199, split information 1.809, ratio 0.110.
    days = weather([(OUTLOOK, 11)])
    root = nodes_of(days, method="id3", missing="fractional")
    assert root.split.column == OUTLOOK
    known = gain(counts=[[0, 3], [2, 3], [3, 2]], criterion="entropy")
    assert root.gain == pytest.approx(13 / 14 * known)
    assert root.gain == pytest.approx(0.199, abs=5e-4)
    own = own_information(root.split)
    assert own == pytest.approx(split_information(counts=[3, 5, 5, 1]))
    assert own == pytest.approx(1.809, abs=5e-4)
    assert root.gain / own == pytest.approx(0.110, abs=5e-4)
    shares = [child.rows[11] for child in root.children]
    assert shares == [Fraction(3, 13), Fraction(5, 13), Fraction(5, 13)]
    assert root.n_missing == 1
    sunny = root.children[2]
    assert sunny.sums.weight == 5 + Fraction(5, 13)
    assert sunny.split.column == HUMIDITY
    # The day is humid: three No, and 5/13 of a Yes.
    high = sunny.children[0]
    assert high.sums.parts == (3, Fraction(5, 13))


def test_a_row_is_divided_again_and_again(grow):
    # Left of 2.5 all is 0. Right of it the half row meets 3 and 4.
    table = make_table([numeric("a", [1, 2, 3, 4, NAN])], [0, 0, 1, 1, 0])
    tree = grow(table, GrowOptions(missing="fractional"))
    assert tree.threshold[[0, 2]].tolist() == [2.5, 3.5]
    assert tree.gain[[0, 2]] == pytest.approx([0.8 * 0.5, 0.0])
    assert tree.weight.tolist() == [5, 2.5, 2.5, 1.25, 1.25]
    assert tree.n_rows.tolist() == [5, 3, 3, 2, 2]
    assert tree.value.tolist() == [[3, 2], [2.5, 0], [0.5, 2], [0.25, 1], [0.25, 1]]
    assert tree.weight_squared[3] == 1 + 0.25**2
    assert tree.missing_route.tolist() == [ALL_BRANCHES, -1, ALL_BRANCHES, -1, -1]
    assert tree.impurity[2] == pytest.approx(0.32)
    assert tree.risk[2] == pytest.approx(0.2)


def test_divided_rows_have_a_mean_and_a_median_too(grow):
    table = make_table([numeric("a", [1, 2, NAN])], [1.0, 5.0, 9.0])
    tree = grow(table, GrowOptions(missing="fractional"))
    assert tree.value[:, 0] == pytest.approx([5, (1 + 4.5) / 1.5, (5 + 4.5) / 1.5])
    assert tree.quartiles[1].tolist() == [1, 1, 9]
    tree = grow(table, GrowOptions(missing="fractional", criterion="absolute_error"))
    assert tree.value[:, 0].tolist() == [5, 1, 5]
    assert tree.impurity[1] == pytest.approx(0.5 * 8 / 1.5)


def test_a_column_without_any_known_value_offers_nothing():
    columns = [numeric("a", [NAN] * 4), categorical("c", [None] * 4, "ab")]
    table = make_table(columns, [0, 1, 0, 1])
    for missing in ("surrogate", "fractional"):
        assert reasons_of(nodes_of(table, missing=missing)) == ["identical_rows"]
    assert reasons_of(nodes_of(table, method="c45")) == ["identical_rows"]


def test_rules_count_the_known_rows():
    table = make_table([numeric("a", [1, 2, 2, NAN, NAN])], [0, 1, 1, 0, 0])
    root = nodes_of(table, missing="fractional", min_samples_leaf=2)
    assert reasons_of(root) == ["min_samples_leaf"]


# Surrogates --------------------------------------------------------------------------

FIRST = [1, 1, 2, 2, 2, NAN, NAN]
SECOND = [5, 6, 7, 8, NAN, 9, NAN]


def two_columns(**options):
    columns = [numeric("first", FIRST), numeric("second", SECOND)]
    table = make_table(columns, [0, 0, 1, 1, 1, 1, 0])
    return nodes_of(table, missing="surrogate", max_depth=1, **options)


def test_a_surrogate_answers_and_the_heavier_branch_takes_the_rest():
    root = two_columns()
    assert (root.split.column, root.split.threshold) == (0, 1.5)
    assert root.gain == Fraction(5, 7) * Fraction(12, 25)
    (only,) = root.surrogates
    assert (only.column, only.threshold, only.flip) == (1, 6.5, False)
    # Four of five are known and right; three of five go right anyway.
    assert (only.agree, only.adjust) == (Fraction(4, 5), Fraction(1, 2))
    assert root.n_missing == 2
    assert root.surrogate_rows == [1]
    assert root.split.missing_route == 1
    assert [sorted(child.rows) for child in root.children] == [[0, 1], [2, 3, 4, 5, 6]]


def test_agreement_among_the_rows_known_in_both():
    (only,) = two_columns(surrogate_agreement="known").surrogates
    assert (only.agree, only.adjust) == (1, 1)


def test_rows_that_no_surrogate_can_send_may_stop():
    root = two_columns(surrogate_fallback="stop")
    assert root.split.missing_route == STOP_HERE
    assert [len(child.rows) for child in root.children] == [2, 4]
    assert len(root.rows) == 7
    root = two_columns(max_surrogates=0, surrogate_fallback="stop")
    assert [len(child.rows) for child in root.children] == [2, 3]
    assert root.surrogate_rows == []


def surrogates_of(first, others, y, **options):
    table = make_table([numeric("first", first), *others], y)
    root = nodes_of(table, missing="surrogate", max_depth=1, **options)
    assert root.split.column == 0
    return root


def test_surrogates_are_ranked_by_agreement_then_by_column():
    y = first = [0, 0, 0, 1, 1, 1]
    worse, flipped = [1, 1, 2, 2, 2, 2], [9, 9, 9, 4, 4, 4]
    others = [numeric("w", worse), numeric("f", flipped), categorical("c", "aabbcc")]
    root = surrogates_of(first, others, y)
    assert [each.column for each in root.surrogates] == [2, 1, 3]
    best = root.surrogates[0]
    assert (best.threshold, best.flip, best.agree) == (6.5, True, 1)
    last = root.surrogates[2]  # b is half and half: it goes to the heavier branch
    assert last.groups == ((0, 1), (2,))
    assert last.agree == Fraction(5, 6)
    root = surrogates_of(first, others, y, max_surrogates=2)
    assert [each.column for each in root.surrogates] == [2, 1]


def test_a_surrogate_no_better_than_the_heavier_branch_is_dropped():
    y = first = [0, 0, 0, 1]
    root = surrogates_of(first, [numeric("s", [1, 2, 1, 2])], y)
    assert root.surrogates == []


def test_a_category_not_seen_with_the_split_is_not_answered():
    first, y = [1, 1, 2, 2, 2, NAN], [0, 0, 1, 1, 1, 0]
    other = categorical("c", [None, *"abbbz"])
    root = surrogates_of(first, [other], y)
    assert root.surrogates[0].groups == ((0,), (1,))
    assert root.surrogate_rows == [0]
    assert 5 in root.children[1].rows  # the heavier branch


def test_rpart_needs_two_rows_in_each_branch():
    y = first = [0, 1, 1]
    perfect = [numeric("s", [1, 2, 3]), categorical("c", "abb")]
    assert len(surrogates_of(first, perfect, y).surrogates) == 2
    assert surrogates_of(first, perfect, y, conventions="rpart").surrogates == []


def test_on_a_tie_of_the_branches_rpart_stops_and_we_go_left():
    first, y = [1, 1, 2, 2, NAN], [0, 0, 1, 1, 1]
    assert surrogates_of(first, [], y).split.missing_route == 0
    root = surrogates_of(first, [], y, conventions="rpart")
    assert root.split.missing_route == STOP_HERE
    assert [len(child.rows) for child in root.children] == [2, 2]


def test_the_threshold_lies_between_values_of_all_rows():
    # 4 is missing in the first column, and lies between 3 and 9.
    first, y = [1, 1, 1, 2, 2, NAN], [0, 0, 0, 1, 1, 1]
    root = surrogates_of(first, [numeric("s", [NAN, 2, 3, 9, 10, 4])], y)
    assert root.surrogates[0].threshold == 3.5
    assert 5 in root.children[1].rows


def test_the_arrays_of_surrogates():
    table, options = classic_case(0)
    seed = 0
    while options.missing != "surrogate" or table.weights is not None:
        seed += 1
        table, options = classic_case(seed)
    grown, root = grow_nodes(table, options)
    arrays = arrays_of(root, grown.target)
    nodes = preorder(root)
    start = arrays["surrogate_start"]
    assert np.diff(start).tolist() == [len(node.surrogates) for node in nodes]
    found = [each for node in nodes for each in node.surrogates]
    for name in ("feature", "threshold", "flip", "agree", "adjust", "rows"):
        assert len(arrays[f"surrogate_{name}"]) == len(found)
    ends = arrays["surrogate_category_start"][-1]
    assert ends == len(arrays["surrogate_category_branch"])
    tree = grow_reference(table, options)
    assert tree.surrogate_feature.tolist() == [each.column for each in found]
    assert arrays["n_missing"].tolist() == [node.n_missing for node in nodes]


# Absolute error ----------------------------------------------------------------------


def test_absolute_error_answers_medians(grow):
    y = [1.0, 2.0, 3.0, 10.0, 11.0, 12.0]
    table = make_table([numeric("a", range(6))], y)
    tree = grow(table, GrowOptions(criterion="absolute_error", max_depth=1))
    assert tree.threshold[0] == 2.5
    assert tree.value[:, 0].tolist() == [6.5, 2, 11]
    assert tree.impurity == pytest.approx([4.5, 2 / 3, 2 / 3])
    assert tree.gain[0] == pytest.approx(4.5 - 2 / 3)
    assert tree.risk.tolist() == tree.impurity.tolist()
    assert tree.variance[0] == pytest.approx(np.var(y))


def test_absolute_error_does_not_mind_one_far_number(grow):
    y = [1.0, 1.0, 1.0, 9.0, 9.0, 1e6]
    table = make_table([numeric("a", range(6))], y)
    options = GrowOptions(criterion="absolute_error", max_depth=1, min_samples_leaf=3)
    tree = grow(table, options)
    assert tree.value[:, 0].tolist() == [5, 1, 9]


def test_for_the_absolute_error_the_best_grouping_need_not_be_a_prefix(grow):
    # The median of b is 4 and that of c is 3, yet b is nearer to 1 and c to 5.
    values = [*"a" * 20, *"bbbbb", *"ccccc", *"d" * 20]
    y = [*[1.0] * 20, 0.0, 0.0, 4.0, 4.0, 4.0, 3.0, 3.0, 3.0, 6.0, 6.0, *[5.0] * 20]
    table = make_table([categorical("c", values)], y)
    tree = grow(table, GrowOptions(criterion="absolute_error", max_depth=1))
    assert tree.category_branch.tolist() == [0, 0, 1, 1]
    assert tree.value[:, 0].tolist() == [3.5, 1, 5]
    assert tree.proven.all()


# What must hold for every table ------------------------------------------------------

SEEDS = range(150)


@pytest.mark.parametrize("seed", first_of(SEEDS, len(SEEDS) // 3))
def test_rows_and_weights_of_branches_add_up(seed):
    table, options = classic_case(seed)
    _, root = grow_nodes(table, options)
    for node in preorder(root):
        if not node.children:
            assert node.stop_reason
            continue
        placed = sum(node.surrogate_rows)
        route = node.split.missing_route
        stopped = node.n_missing - placed if route == STOP_HERE else 0
        if route == ALL_BRANCHES:
            weight = sum(child.sums.weight for child in node.children)
            assert weight == node.sums.weight
            for row, share in node.rows.items():
                parts = [child.rows.get(row, 0) for child in node.children]
                assert sum(parts) == share
        else:
            n_below = sum(len(child.rows) for child in node.children)
            assert n_below == len(node.rows) - stopped


@pytest.mark.parametrize("seed", first_of(SEEDS, len(SEEDS) // 3))
def test_gains_are_those_of_the_plain_functions(seed):
    table, options = classic_case(seed)
    grown, root = grow_nodes(table, options)
    criterion = str(grown.options.criterion).replace("gain_ratio", "entropy")
    for node in preorder(root):
        if not node.children:
            continue
        values = grown.values[node.split.column]
        is_known_only = node.split.unknown.n_rows > 0
        rows = [
            row for row in node.rows if not (is_known_only and math.isnan(values[row]))
        ]
        weights = [float(grown.target.weights[r] * node.rows[r]) for r in rows]
        groups = [own_branch(node.split, values[row]) for row in rows]
        y = (table.target.codes if grown.target.n_classes else table.target.values)[
            rows
        ]
        known = gain(y, groups, criterion, weights)
        share = sum(weights) / float(node.sums.weight)
        found = float(node.gain * grown.target.unit())
        assert found == pytest.approx(share * known, rel=1e-9, abs=1e-9)


def own_branch(split, value):
    if math.isnan(value):
        return split.missing_route
    if split.kind == THRESHOLD:
        return int(value > split.threshold)
    return next((b for b, codes in enumerate(split.groups) if value in codes), 1)


def counts_rows(options):
    """Whether a rule counts rows, so that copies are not weights."""
    rules = (options.min_samples_split, options.min_samples_leaf, options.conventions)
    return rules != (2, 1, None)


@pytest.mark.parametrize(
    "seed", [seed for seed in SEEDS if not counts_rows(classic_case(seed)[1])]
)
def test_weight_k_is_k_copies(grow, seed):
    table, options = classic_case(seed)
    rng = np.random.default_rng(seed)
    times = rng.integers(0, 4, table.n_rows)
    times[0] = 1
    copies = take(weighted(table, None), np.repeat(np.arange(table.n_rows), times))
    one = grow(weighted(table, times), options)
    counted = ("n_rows", "weight_squared", "n_missing", "surrogate_rows")
    assert_same_tree(one, grow(copies, options), ignore=counted)


@pytest.mark.parametrize("seed", first_of(SEEDS, len(SEEDS) // 3))
def test_the_order_of_the_rows_does_not_matter(grow, seed):
    table, options = classic_case(seed)
    order = np.random.default_rng(seed).permutation(table.n_rows)
    assert_same_tree(grow(table, options), grow(take(table, order), options))


def known_part(seed):
    """The rows of a CART case in which nothing is missing; None if there are none."""
    table, options = classic_case(seed)
    known = [
        ~np.isnan(c.data) if c.kind == "numeric" else c.data >= 0 for c in table.columns
    ]
    rows = np.flatnonzero(np.all(known, axis=0))
    if options.method != "cart" or options.conventions or not len(rows):
        return None
    part = weighted(take(table, rows), None)
    empty = options.criterion == "poisson" and not part.target.values.any()
    return None if empty else (part, options)


@pytest.mark.parametrize(
    "seed", first_of([seed for seed in SEEDS if known_part(seed)], 40)
)
def test_without_missing_values_all_modes_agree(seed):
    table, options = known_part(seed)
    rules = {**options.to_dict(), "missing": "learned"}
    learned = grow_reference(table, GrowOptions(**rules))
    for missing in ("surrogate", "fractional"):
        other = grow_reference(table, GrowOptions(**rules | {"missing": missing}))
        assert_same_tree(learned, other, ignore=("missing_route", *SURROGATES))


@pytest.mark.parametrize("seed", first_of(SEEDS, len(SEEDS) // 3))
def test_every_tree_is_sound_and_has_the_branches_of_its_splits(grow, seed):
    tree = grow(*classic_case(seed))
    check(tree)
    for node in np.flatnonzero(tree.subtree_size > 1):
        n = len(list(children(tree, node)))
        part = slice(tree.category_start[node], tree.category_start[node + 1])
        branches = tree.category_branch[part]
        assert n == 2 or tree.split_kind[node] == MULTIWAY
        assert branches.size == 0 or branches.max() < n
