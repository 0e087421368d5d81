"""Every worked number of the seed documents on impurities, gains and CART.

Each test names the seed it comes from and, where the seed has a slip, the number of
the erratum that puts it right.
"""

import math

import numpy as np
import pytest

from support.strategies import GROWERS, case, categorical, grower, make_table, numeric
from treewright.growing.impurity import gain, impurity
from treewright.growing.reference import grow_reference
from treewright.growing.reference.candidates import Groupings, levels_of, thresholds
from treewright.growing.reference.sums import Target
from treewright.options import GrowOptions
from treewright.tree.data import STOP_CODES, SUBSET, THRESHOLD
from treewright.tree.walk import children

# Seed 002's 14 days, with the two columns that seed 004 adds.
OUTLOOK = "Sunny Sunny Overcast Rain Rain Rain Overcast Sunny Sunny Rain Sunny"
OUTLOOK = f"{OUTLOOK} Overcast Overcast Rain".split()
TEMPERATURE = [
    "Hot",
    "Hot",
    "Hot",
    "Mild",
    "Cool",
    "Cool",
    "Cool",
    "Mild",
    "Cool",
    "Mild",
    "Mild",
    "Mild",
    "Hot",
    "Mild",
]
HUMIDITY = "High High High High Normal Normal Normal High Normal Normal Normal"
HUMIDITY = f"{HUMIDITY} High Normal High".split()
WIND = "Weak Strong Weak Weak Weak Strong Strong Weak Weak Weak Strong Strong"
WIND = f"{WIND} Weak Strong".split()
PLAY = [
    "No",
    "No",
    "Yes",
    "Yes",
    "Yes",
    "No",
    "Yes",
    "No",
    "Yes",
    "Yes",
    "Yes",
    "Yes",
    "Yes",
    "No",
]

# Seed 004's eight mails.
WORDS = [100, 200, 800, 60, 40, 300, 300, 300]
SENDER = ["Edu", "Com", "Edu", "Org", "Edu", "Org", "Edu", "Com"]
FREE = ["Yes", "Yes", "Yes", "No", "No", "No", "Yes", "Yes"]
SPAM = ["Yes", "No", "No", "Yes", "Yes", "Yes", "No", "No"]


@pytest.fixture(params=GROWERS)
def grow(request):
    return grower(request.param)


def entropy(*counts):
    return impurity(counts=counts, criterion="entropy")


def spam_table(order=("word_count", "sender", "contains_free")):
    columns = {
        "word_count": numeric("word_count", WORDS),
        "sender": categorical("sender", SENDER),
        "contains_free": categorical("contains_free", FREE),
    }
    return make_table([columns[name] for name in order], SPAM)


def play_table():
    columns = [
        categorical("Outlook", OUTLOOK),
        categorical("Temperature", TEMPERATURE),
        categorical("Humidity", HUMIDITY),
        categorical("Wind", WIND),
    ]
    return make_table(columns, PLAY)


# Seed 000: impurity, gain, cost ------------------------------------------------------


def test_seed_000_three_ways_to_write_gini_agree():
    p = np.array([5, 3, 2]) / 10
    expected = impurity(counts=[5, 3, 2], criterion="gini")
    assert expected == pytest.approx(np.sum(p * (1 - p)))
    assert expected == pytest.approx(np.sum(p - p**2))
    assert expected == pytest.approx(1 - np.sum(p**2))


def test_seed_000_erratum_1_entropy_has_a_minus_and_zero_log_zero_is_zero():
    assert entropy(1, 3) == pytest.approx(0.8113, abs=5e-5)
    assert entropy(4, 0) == 0.0


def test_seed_000_erratum_1_larger_entropy_is_nearer_to_uniform():
    p = np.array([0.7, 0.2, 0.1])
    divergence = np.sum(p * np.log2(p / (1 / 3)))
    assert entropy(7, 2, 1) == pytest.approx(math.log2(3) - divergence)
    assert entropy(7, 2, 1) < entropy(5, 3, 2) < entropy(1, 1, 1)


def test_seed_000_mean_squared_error():
    assert impurity([1, 2, 3, 6], "squared_error") == pytest.approx(3.5)
    assert impurity([4.0] * 5, "squared_error") == 0


def test_seed_000_erratum_2_the_sum_runs_over_the_impurity_of_each_child():
    before = impurity(counts=[4, 4], criterion="gini")
    left = impurity(counts=[3, 0], criterion="gini")
    right = impurity(counts=[1, 4], criterion="gini")
    expected = before - (3 * left + 5 * right) / 8
    found = gain(counts=[[3, 0], [1, 4]], criterion="gini")
    assert found == pytest.approx(expected) == pytest.approx(0.3)


def test_seed_000_a_split_may_have_two_branches_or_k():
    y = [0, 0, 1, 1, 2, 2]
    assert gain(y, [0, 0, 1, 1, 1, 1], "gini") == pytest.approx(1 / 3)
    assert gain(y, [0, 0, 1, 1, 2, 2], "gini") == pytest.approx(2 / 3)


def test_seed_000_cost_of_a_class_node_is_the_share_not_of_its_label(grow):
    root = grow(spam_table(), GrowOptions(max_depth=1))
    # 3 spam on the left; 1 spam and 4 not on the right.
    assert root.risk.tolist() == pytest.approx([0.5, 0.0, 0.2])
    assert root.weighted_risk.tolist() == pytest.approx([0.5, 0.0, 5 / 8 * 0.2])


def test_seed_000_erratum_3_cost_of_a_number_node_is_squared(grow):
    y = [1.0, 2.0, 6.0]
    tree = grow(make_table([numeric("x", [1, 2, 3])], y), GrowOptions(max_depth=1))
    assert tree.risk[0] == pytest.approx(np.mean((np.array(y) - 3) ** 2))
    assert sum(np.array(y) - tree.value[0, 0]) == pytest.approx(0)


@pytest.mark.parametrize("seed", range(120))
def test_seed_000_erratum_26_children_never_cost_more_than_their_parent(seed):
    tree = grow_reference(*case(seed))
    cost = tree.weighted_risk
    for node in np.flatnonzero(tree.subtree_size > 1):
        together = sum(cost[child] for child in children(tree, node))
        assert together <= cost[node] * (1 + 1e-12) + 1e-15 * cost[0]


def test_seed_000_every_node_has_a_label(grow):
    tree = grow(spam_table(), GrowOptions())
    assert all(tree.label == np.argmax(tree.value, axis=1))
    y = [1.0, 2.0, 6.0]
    tree = grow(make_table([numeric("x", [1, 2, 3])], y), GrowOptions())
    assert tree.value[0, 0] == pytest.approx(3.0)


def test_seed_000_purity_stops_a_node(grow):
    tree = grow(spam_table(), GrowOptions())
    is_leaf = tree.subtree_size == 1
    assert set(tree.stop_reason[is_leaf]) == {STOP_CODES["pure"]}


@pytest.mark.parametrize(
    ("rule", "reason"),
    [
        ({"min_samples_split": 6}, "min_samples_split"),
        ({"min_impurity_decrease": 0.25}, "min_impurity_decrease"),
        ({"max_depth": 1}, "max_depth"),
        ({"max_nodes": 3}, "max_nodes"),
    ],
)
def test_seed_000_early_stopping_on_size_gain_depth_and_nodes(grow, rule, reason):
    tree = grow(spam_table(), GrowOptions(**rule))
    assert tree.n_nodes == 3
    assert tree.stop_reason.tolist() == [0, STOP_CODES["pure"], STOP_CODES[reason]]


def test_seed_000_early_stopping_on_the_gain_of_the_node_itself(grow):
    # The root gains 0.30; below it a node would gain 0.32, but is never made.
    tree = grow(spam_table(), GrowOptions(min_gain=0.31))
    assert tree.stop_reason.tolist() == [STOP_CODES["min_gain"]]
    assert grow(spam_table(), GrowOptions(min_gain=0.3)).n_nodes == 5


def test_seed_000_erratum_8_four_categories_have_seven_groupings():
    table = make_table([categorical("x", [1, 2, 3, 4])], [0, 1, 0, 1])
    target = Target(table, "gini")
    values = [0.0, 1.0, 2.0, 3.0]
    found = Groupings(levels_of(0, values, dict.fromkeys(range(4), 1), target), target)
    listed = [*found.prefixes(), *found.others()]
    groupings = {frozenset(map(frozenset, each.groups)) for each in listed}
    expected = [{0}, {1}, {2}, {3}, {0, 1}, {0, 2}, {0, 3}]
    assert len(listed) == 7
    assert groupings == {
        frozenset([frozenset(left), frozenset({0, 1, 2, 3} - left)])
        for left in expected
    }


@pytest.mark.parametrize("k", range(2, 9))
def test_seed_000_k_categories_have_half_two_to_the_k_minus_one_groupings(k):
    table = make_table([categorical("x", range(k))], [i % 2 for i in range(k)])
    target = Target(table, "gini")
    found = Groupings(
        levels_of(0, [float(i) for i in range(k)], dict.fromkeys(range(k), 1), target),
        target,
    )
    listed = [*found.prefixes(), *found.others()]
    assert len({each.groups for each in listed}) == len(listed) == 2 ** (k - 1) - 1


def test_seed_000_midpoints_of_six_numbers():
    values = [-5.0, 1.0, 3.0, 5.0, 7.0, 11.0]
    table = make_table([numeric("x", values)], [0, 1, 0, 1, 0, 1])
    target = Target(table, "gini")
    found = thresholds(levels_of(0, values, dict.fromkeys(range(6), 1), target))
    assert [each.threshold for each in found] == [-2, 2, 4, 6, 9]


# Seed 001: regression, and why purity matters ----------------------------------------


def rss(y, is_left):
    return sum(np.sum((side - side.mean()) ** 2) for side in (y[is_left], y[~is_left]))


def test_seed_001_regression_takes_the_split_of_smallest_rss(grow):
    rng = np.random.default_rng(1)
    x = rng.integers(0, 20, (40, 3)).astype(float)
    y = np.round(np.where(x[:, 1] > 7, 5.0, 1.0) + rng.normal(size=40), 2)
    table = make_table([numeric(f"x{j}", x[:, j]) for j in range(3)], y)
    tree = grow(table, GrowOptions(max_depth=1))
    pairs = [(j, s) for j in range(3) for s in np.unique(x[:, j])[:-1]]
    best = min(pairs, key=lambda pair: rss(y, x[:, pair[0]] <= pair[1]))
    chosen = x[:, tree.feature[0]] <= tree.threshold[0]
    assert tree.feature[0] == best[0]
    assert rss(y, chosen) == pytest.approx(rss(y, x[:, best[0]] <= best[1]))
    after = np.sum(tree.weight[1:] * tree.impurity[1:])
    assert after == pytest.approx(rss(y, chosen))


def test_seed_001_the_constant_of_a_region_is_its_mean(grow):
    y = [1.0, 3.0, 10.0, 20.0]
    tree = grow(make_table([numeric("x", [1, 1, 2, 2])], y), GrowOptions())
    assert tree.value[:, 0].tolist() == pytest.approx([8.5, 2.0, 15.0])


def test_seed_001_a_region_keeps_a_minimum_node_size(grow):
    x, y = np.arange(20.0), [float(i * i) for i in range(20)]
    tree = grow(make_table([numeric("x", x)], y), GrowOptions(min_samples_leaf=4))
    assert tree.n_rows.min() >= 4


def test_seed_001_impurity_of_a_region_times_its_rows_is_the_sum_of_squares():
    y = np.array([2.0, 4.0, 9.0])
    assert 3 * impurity(y, "squared_error") == pytest.approx(np.sum((y - 5) ** 2))


def test_seed_001_erratum_11_errors_of_nodes_x_and_y():
    node_x = impurity(counts=[400, 380], criterion="misclassification")
    node_y = impurity(counts=[700, 80], criterion="misclassification")
    assert node_x == pytest.approx(0.487, abs=5e-4)
    assert node_y == pytest.approx(0.103, abs=5e-4)


def test_seed_001_erratum_11_a_split_that_keeps_the_error_and_lowers_gini():
    # 80/20 becomes 90/10 and 55/45; 5/7 of the rows go to the purer leaf.
    branches = [[450, 50], [110, 90]]
    parent = [560, 140]
    assert impurity(counts=parent, criterion="misclassification") == pytest.approx(0.2)
    assert gain(counts=branches, criterion="misclassification") == pytest.approx(0)
    assert impurity(counts=parent, criterion="gini") == pytest.approx(0.320)
    after = 0.320 - gain(counts=branches, criterion="gini")
    assert after == pytest.approx(0.270, abs=5e-4)
    assert gain(counts=branches, criterion="entropy") > 0


@pytest.mark.parametrize("k", range(2, 7))
def test_seed_001_erratum_9_gini_lies_between_0_and_1_minus_1_over_k(k):
    rng = np.random.default_rng(k)
    for counts in rng.integers(0, 9, (50, k)) + np.eye(k, dtype=int)[0]:
        assert 0 <= impurity(counts=counts, criterion="gini") <= 1 - 1 / k + 1e-15
    assert impurity(counts=[1] * k, criterion="gini") == pytest.approx(1 - 1 / k)


# Seed 002: the weather table ---------------------------------------------------------


def test_seed_002_two_equal_events_have_one_bit():
    assert entropy(1, 1) == 1.0


def test_seed_002_gini_is_largest_at_the_uniform_distribution():
    values = [impurity(counts=[1] * k, criterion="gini") for k in range(1, 200)]
    assert values == sorted(values)
    assert values[-1] == pytest.approx(1 - 1 / 199)


def test_seed_002_erratum_14_entropy_of_the_14_days():
    assert impurity(PLAY, "entropy") == pytest.approx(0.9403, abs=5e-5)
    assert entropy(9, 5) == pytest.approx(0.9403, abs=5e-5)


@pytest.mark.parametrize(
    ("yes", "no", "expected"),
    [
        (2, 3, 0.971),
        (4, 0, 0.0),
        (3, 2, 0.971),
        (2, 2, 1.0),
        (4, 2, 0.918),
        (3, 1, 0.811),
    ],
)
def test_seed_002_entropies_of_the_parts(yes, no, expected):
    assert entropy(yes, no) == pytest.approx(expected, abs=5e-4)


def test_seed_002_erratum_14_gains_of_outlook_and_temperature():
    assert gain(PLAY, OUTLOOK, "entropy") == pytest.approx(0.2467, abs=5e-5)
    assert gain(PLAY, TEMPERATURE, "entropy") == pytest.approx(0.0292, abs=5e-5)


def test_seed_002_outlook_gains_most_of_all_columns():
    columns = {"o": OUTLOOK, "t": TEMPERATURE, "h": HUMIDITY, "w": WIND}
    gains = {name: gain(PLAY, each, "entropy") for name, each in columns.items()}
    assert max(gains, key=gains.get) == "o"


# Seed 003: whole trees ---------------------------------------------------------------


def test_seed_003_identical_rows_with_different_labels_end_in_one_leaf(grow):
    table = make_table([numeric("x", [1, 1, 2])], [0, 1, 1])
    tree = grow(table, GrowOptions())
    assert tree.stop_reason.tolist() == [
        0,
        STOP_CODES["identical_rows"],
        STOP_CODES["pure"],
    ]
    # Leaves keep counts, not data.
    assert tree.value.tolist() == [[1, 2], [1, 1], [0, 1]]


def test_seed_003_erratum_23_gini_of_a_tree_weighs_its_leaves(grow):
    tree = grow(spam_table(), GrowOptions(max_depth=1))
    leaves = tree.subtree_size == 1
    of_tree = np.sum(tree.share[leaves] * tree.impurity[leaves])
    assert of_tree == pytest.approx(3 / 8 * 0 + 5 / 8 * 0.32)


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
def test_seed_003_erratum_23_impurity_after_a_split_is_before_minus_gain(
    grow, criterion
):
    tree = grow(play_table(), GrowOptions(criterion=criterion))
    for node in np.flatnonzero(tree.subtree_size > 1):
        below = list(children(tree, node))
        after = np.sum(tree.weight[below] * tree.impurity[below]) / tree.weight[node]
        assert after == pytest.approx(tree.impurity[node] - tree.gain[node])


def test_seed_003_a_column_of_n_numbers_has_n_minus_1_thresholds():
    values = [3.0, 1.0, 4.0, 1.5, 9.0]
    table = make_table([numeric("x", values)], [0, 1, 0, 1, 1])
    target = Target(table, "gini")
    assert (
        len(list(thresholds(levels_of(0, values, dict.fromkeys(range(5), 1), target))))
        == 4
    )


@pytest.mark.parametrize("a", [0.0, 1.0, -1.0, 5e-324, 1e308, 0.1])
def test_seed_003_erratum_15_thresholds_of_neighbouring_floats(grow, a):
    b = float(np.nextafter(a, math.inf))
    tree = grow(make_table([numeric("x", [a, b])], [0, 1]), GrowOptions())
    assert a <= tree.threshold[0] < b
    assert tree.label.tolist() == [0, 0, 1]


def test_seed_003_erratum_17_the_threshold_seeks_purity_not_halves(grow):
    table = make_table([numeric("x", range(10))], [0] + [1] * 9)
    tree = grow(table, GrowOptions())
    assert tree.threshold[0] == 0.5
    assert tree.n_rows.tolist() == [10, 1, 9]


def test_seed_003_erratum_27_a_chain_has_depth_n_minus_1(grow):
    y = [float(4**i) for i in range(12)]
    tree = grow(make_table([numeric("x", range(12))], y), GrowOptions())
    assert tree.depth.max() == 11


def test_seed_003_erratum_28_numbers_gain_by_the_fall_of_the_variance():
    y = np.array([1.0, 2.0, 8.0, 9.0])
    fall = np.var(y) - (np.var(y[:2]) + np.var(y[2:])) / 2
    assert gain(y, [0, 0, 1, 1], "squared_error") == pytest.approx(fall)


# Seed 004: by hand, and CART on eight mails ------------------------------------------


def test_seed_004_entropy_of_two_classes_lies_between_0_and_1():
    values = [entropy(i, 20 - i) for i in range(11)]
    assert values[0] == 0
    assert values[-1] == 1
    assert values == sorted(values)
    assert values == pytest.approx([entropy(20 - i, i) for i in range(11)])


def test_seed_004_erratum_10_gini_by_counts():
    counts = [3, 4, 5]
    expected = 1 - sum(c * c for c in counts) / sum(counts) ** 2
    assert impurity(counts=counts, criterion="gini") == pytest.approx(expected)
    assert impurity(counts=[5, 5], criterion="gini") == pytest.approx(0.5)


def test_seed_004_erratum_24_entropy_is_over_classes_not_over_values():
    # Both branches hold the same two classes: one bit, whatever the branches.
    assert impurity([0, 1, 0, 1, 0, 1], "entropy") == pytest.approx(1)
    assert gain([0, 1, 0, 1, 0, 1], list("aabbcc"), "entropy") == pytest.approx(0)


@pytest.mark.parametrize(
    ("counts", "expected"),
    [((3, 4), 0.9852), ((5, 1), 0.6500), ((6, 1), 0.5917), ((9, 4), 0.8905)],
)
def test_seed_004_erratum_12_entropies_of_humidity(counts, expected):
    assert entropy(*counts) == pytest.approx(expected, abs=5e-5)


def test_seed_004_erratum_12_the_three_gains_of_humidity():
    printed = entropy(9, 4) - (7 / 13 * entropy(3, 4) + 6 / 13 * entropy(5, 1))
    assert printed == pytest.approx(0.0600, abs=5e-5)
    thirteen = gain(counts=[[3, 4], [5, 1]], criterion="entropy")
    assert thirteen == pytest.approx(0.1307, abs=5e-5)
    fourteen = gain(PLAY, HUMIDITY, "entropy")
    assert fourteen == pytest.approx(0.1518, abs=5e-5)


def test_seed_004_midpoints_of_three_numbers():
    values = [14.0, 14.8, 16.0]
    table = make_table([numeric("x", values)], [0, 1, 0])
    target = Target(table, "gini")
    found = [
        each.threshold
        for each in thresholds(levels_of(0, values, dict.fromkeys(range(3), 1), target))
    ]
    assert found == pytest.approx([14.4, 15.4])


def test_seed_004_three_categories_have_three_groupings():
    table = make_table([categorical("x", ["A", "B", "C"])], [0, 1, 0])
    target = Target(table, "gini")
    found = Groupings(
        levels_of(0, [0.0, 1.0, 2.0], dict.fromkeys(range(3), 1), target), target
    )
    listed = [*found.prefixes(), *found.others()]
    one_sided = {min(each.groups, key=len) for each in listed}
    assert one_sided == {(0,), (1,), (2,)}


def test_seed_004_half_the_mails_are_spam():
    assert impurity(SPAM, "entropy") == 1.0


@pytest.mark.parametrize(
    ("at", "expected"),
    [(50, 0.1379), (80, 0.3113), (150, 0.5488), (250, 0.1887), (550, 0.1379)],
)
def test_seed_004_erratum_13_gains_of_word_count(at, expected):
    groups = [words <= at for words in WORDS]
    assert gain(SPAM, groups, "entropy") == pytest.approx(expected, abs=6e-5)


@pytest.mark.parametrize(
    ("one", "expected"), [("Edu", 0.0), ("Com", 0.3113), ("Org", 0.3113)]
)
def test_seed_004_errata_13_and_25_gains_of_sender(one, expected):
    groups = [sender == one for sender in SENDER]
    assert gain(SPAM, groups, "entropy") == pytest.approx(expected, abs=5e-5)


def test_seed_004_erratum_13_gains_of_sender_three_ways_and_of_free():
    assert gain(SPAM, SENDER, "entropy") == pytest.approx(0.5)
    assert gain(SPAM, FREE, "entropy") == pytest.approx(0.5488, abs=5e-5)


@pytest.mark.parametrize("criterion", ["gini", "entropy", "misclassification"])
def test_seed_004_erratum_13_the_first_column_wins_the_tie_at_the_root(grow, criterion):
    options = GrowOptions(criterion=criterion, max_depth=1)
    tree = grow(spam_table(), options)
    assert tree.feature[0] == 0
    assert tree.split_kind[0] == THRESHOLD
    assert tree.threshold[0] == 150
    tree = grow(spam_table(("sender", "contains_free", "word_count")), options)
    assert tree.feature[0] == 1
    assert tree.split_kind[0] == SUBSET


def test_seed_004_information_gain_of_the_root(grow):
    tree = grow(spam_table(), GrowOptions(criterion="entropy"))
    assert tree.gain[0] == pytest.approx(0.5488, abs=5e-5)


def test_seed_004_the_tree_of_the_mails_is_pure_and_errs_nowhere(grow):
    tree = grow(spam_table(), GrowOptions(criterion="entropy"))
    leaves = tree.subtree_size == 1
    assert np.sum(tree.weighted_risk[leaves]) == 0
    # Above 150 words both sender and contains_free tell spam apart: the first wins.
    assert tree.feature.tolist() == [0, -1, 1, -1, -1]


def test_seed_004_sorting_a_day_down_the_tree(grow):
    tree = grow(play_table(), GrowOptions(criterion="entropy"))
    is_leaf = tree.subtree_size == 1
    assert np.sum(tree.weighted_risk[is_leaf]) == 0
    assert tree.feature[0] == 0  # Outlook, Overcast (code 0) alone: all play
    right = children(tree, 0)[1]
    assert tree.label[right] == 1
    assert tree.n_rows[right] == 4


def test_seed_004_erratum_25_impurity_of_numbers_is_taken_over_the_target():
    y = [3.0, 5.0, 10.0]
    squares = sum((value - 6) ** 2 for value in y)
    assert len(y) * impurity(y, "squared_error") == pytest.approx(squares)


@pytest.mark.parametrize("criterion", ["gini", "entropy", "misclassification"])
def test_seed_004_erratum_18_trees_capture_interactions(grow, criterion):
    columns = [numeric("a", [0, 0, 1, 1]), numeric("b", [0, 1, 0, 1])]
    tree = grow(make_table(columns, [0, 1, 1, 0]), GrowOptions(criterion=criterion))
    assert tree.gain[0] == 0
    assert tree.n_leaves == 4
    assert np.sum(tree.weighted_risk[tree.subtree_size == 1]) == 0
