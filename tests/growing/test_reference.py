"""The slow reference against rules worked by hand, and against brute force."""

import math
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from support.strategies import (
    CLASS_CRITERIA,
    NUMBER_CRITERIA,
    assert_same_tree,
    case,
    categorical,
    make_table,
    numeric,
    options_for,
    ordinal,
    tables,
)
from treewright.errors import ColumnError, OptionError, TableError
from treewright.growing.impurity import gain, impurity
from treewright.growing.reference import grow_reference
from treewright.growing.reference.grow import Grower, grow_nodes
from treewright.growing.reference.layout import preorder, subtree_sizes
from treewright.growing.training_set import TrainingSet
from treewright.options import GrowOptions
from treewright.tree.check import check
from treewright.tree.data import IS_MISSING, STOP_REASONS, SUBSET, THRESHOLD
from treewright.tree.walk import children

NAN = math.nan


def reasons(tree):
    return [STOP_REASONS[code].name for code in tree.stop_reason]


def sides(tree, node=0):
    part = slice(tree.category_start[node], tree.category_start[node + 1])
    codes, branches = tree.categories[part], tree.category_branch[part]
    return [codes[branches == branch].tolist() for branch in (0, 1)]


# Numbers, ranks, missing values ------------------------------------------------------


def test_equal_gains_go_to_the_first_column_then_the_smallest_threshold():
    columns = [numeric("a", [1, 2, 3, 4]), numeric("b", [4, 3, 2, 1])]
    tree = grow_reference(make_table(columns, [0, 1, 1, 0]), GrowOptions())
    assert (tree.feature[0], tree.threshold[0]) == (0, 1.5)


def test_a_column_set_aside_is_not_used():
    table = make_table([numeric("a", [1, 2]), numeric("b", [1, 2])], [0, 1])
    features = table.schema.features
    object.__setattr__(features[0], "set_aside", "tells rows apart")
    assert grow_reference(table, GrowOptions()).feature[0] == 1


def test_zero_and_minus_zero_are_one_value():
    tree = grow_reference(
        make_table([numeric("a", [0.0, -0.0])], [0, 1]), GrowOptions()
    )
    assert reasons(tree) == ["identical_rows"]
    tree = grow_reference(
        make_table([numeric("a", [-0.0, math.inf])], [0, 1]), GrowOptions()
    )
    assert math.copysign(1, tree.threshold[0]) == 1


@pytest.mark.parametrize(
    ("values", "at"),
    [
        ([-math.inf, math.inf], -math.inf),
        ([-math.inf, 3.0], -math.inf),
        ([3.0, math.inf], 3.0),
        ([1e308, 1.7e308], 1.35e308),
    ],
)
def test_thresholds_at_the_limits_of_floats(values, at):
    tree = grow_reference(make_table([numeric("a", values)], [0, 1]), GrowOptions())
    assert tree.threshold[0] == at
    assert tree.label.tolist() == [0, 0, 1]


def test_ordinal_columns_are_cut_by_rank():
    column = ordinal("size", ["S", "L", "M", "S"], ["S", "M", "L"])
    tree = grow_reference(make_table([column], [0, 1, 1, 0]), GrowOptions())
    assert tree.split_kind[0] == THRESHOLD
    assert tree.threshold[0] == 0.5


def test_missing_rows_go_where_the_gain_is_larger():
    x = [1, 2, 3, 4, NAN, NAN]
    left = grow_reference(
        make_table([numeric("a", x)], [0, 0, 1, 1, 0, 0]), GrowOptions()
    )
    assert (left.threshold[0], left.missing_route[0]) == (2.5, 0)
    right = grow_reference(
        make_table([numeric("a", x)], [0, 0, 1, 1, 1, 1]), GrowOptions()
    )
    assert (right.threshold[0], right.missing_route[0]) == (2.5, 1)


def test_missing_left_comes_before_missing_right():
    # Either way one branch is pure and holds a third of the rows.
    x = [1, 2, NAN]
    tree = grow_reference(make_table([numeric("a", x)], [0, 1, 2]), GrowOptions())
    assert (tree.threshold[0], tree.missing_route[0]) == (1.5, 0)


def test_missing_against_known_is_a_split_of_its_own():
    x = [1, 2, 3, NAN, NAN]
    tree = grow_reference(make_table([numeric("a", x)], [0, 0, 0, 1, 1]), GrowOptions())
    assert tree.split_kind[0] == IS_MISSING
    assert tree.missing_route[0] == 0
    assert math.isnan(tree.threshold[0])
    assert tree.n_rows.tolist() == [5, 2, 3]


def test_without_missing_rows_the_route_is_the_heavier_branch():
    def route(weights):
        table = make_table([numeric("a", [1, 2, 2])], [0, 1, 1], weights)
        return grow_reference(table, GrowOptions()).missing_route[0]

    assert route([1, 1, 1]) == 1
    assert route([2, 1, 1]) == 0  # left on a tie
    assert route([3, 1, 1]) == 0


# Categories --------------------------------------------------------------------------


def test_categories_not_seen_in_a_node_are_not_listed():
    columns = [numeric("a", [1, 1, 2, 2]), categorical("c", list("acab"))]
    tree = grow_reference(make_table(columns, [0.0, 1.0, 8.0, 9.0]), GrowOptions())
    assert tree.split_kind[[0, 1, 4]].tolist() == [THRESHOLD, SUBSET, SUBSET]
    assert sides(tree, 1) == [[0], [2]]
    assert sides(tree, 4) == [[0], [1]]


def test_missing_is_one_more_level():
    values = [*"aabb", None, None]
    table = make_table([categorical("c", values)], [0, 0, 1, 1, 0, 0])
    tree = grow_reference(table, GrowOptions())
    assert sides(tree) == [[0], [1]]
    assert tree.missing_route[0] == 0
    assert tree.n_rows.tolist() == [6, 4, 2]


def test_the_level_of_largest_mean_goes_right():
    values, y = list("aabbcc"), [9.0, 9.0, 1.0, 1.0, 3.0, 3.0]
    tree = grow_reference(make_table([categorical("c", values)], y), GrowOptions())
    assert sides(tree) == [[1, 2], [0]]


def test_equal_means_keep_the_category_order():
    # a and b have equal means; the prefix {a} ties with no other: {a, b} is best.
    values = list("aabbcc")
    table = make_table([categorical("c", values)], [0, 0, 0, 0, 1, 1])
    assert sides(grow_reference(table, GrowOptions())) == [[0, 1], [2]]
    table = make_table([categorical("c", list("abcd"))], [0, 1, 0, 1])
    assert sides(grow_reference(table, GrowOptions())) == [[0, 2], [1, 3]]


def test_under_min_samples_leaf_the_best_grouping_need_not_be_a_prefix():
    # Shares of class 1: a 0/1, b 1/5, c 4/5, d 1/1. The prefix {a} is too small.
    values = [*"a", *"bbbbb", *"ccccc", *"d"]
    y = [0, 0, 0, 0, 0, 1, 0, 1, 1, 1, 1, 1]
    table = make_table([categorical("c", values)], y)
    assert sides(grow_reference(table, GrowOptions(max_depth=1))) == [[0, 1], [2, 3]]
    values = [*"a", *"bbbbbbbb", *"c"]
    y = [0.0, *[5.0] * 8, 6.0]
    table = make_table([categorical("c", values)], y)
    assert sides(grow_reference(table, GrowOptions(max_depth=1))) == [[0], [1, 2]]
    tree = grow_reference(table, GrowOptions(max_depth=1, min_samples_leaf=2))
    assert sides(tree) == [[1], [0, 2]] or sides(tree) == [[0, 2], [1]]
    assert tree.n_rows.min() == 2
    assert tree.proven.all()


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_no_grouping_gains_more_than_the_chosen_one(data):
    n = data.draw(st.integers(2, 14))
    criterion = data.draw(
        st.sampled_from([*CLASS_CRITERIA, *NUMBER_CRITERIA, "absolute_error"])
    )
    values = data.draw(st.lists(st.sampled_from("abcdef"), min_size=n, max_size=n))
    y = data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n))
    smallest = data.draw(st.integers(1, 3))
    is_number = criterion not in CLASS_CRITERIA
    if is_number:
        y = [float(each) for each in y]
    assume(criterion != "poisson" or any(y))
    options = GrowOptions(criterion=criterion, max_depth=1, min_samples_leaf=smallest)
    tree = grow_reference(make_table([categorical("c", values)], y), options)
    best = best_grouping(values, y, criterion, smallest)
    if tree.n_nodes > 1:
        assert tree.gain[0] == pytest.approx(best, abs=1e-12)
    else:
        assert best is None or impurity(y, criterion) == 0


def best_grouping(values, y, criterion, smallest):
    """Largest gain of all groupings of the levels, by plain counting."""
    levels = sorted(set(values))
    found = []
    for size in range(1, len(levels)):
        for left in combinations(levels, size):
            groups = [value in left for value in values]
            rows = [
                [v for v, g in zip(y, groups, strict=True) if g == s] for s in (0, 1)
            ]
            if min(map(len, rows)) < smallest:
                continue
            if criterion != "poisson" or min(map(sum, rows)) > 0:
                found.append(gain(y, groups, criterion))
    return max(found, default=None)


def test_more_levels_than_can_be_enumerated_are_refused_unless_prefixes_do():
    column = categorical("c", list("abcdefghijklm"))
    two = make_table([column], [0, 1] * 6 + [0])
    assert grow_reference(two, GrowOptions()).n_leaves == 2
    three = make_table([column], [0, 1, 2] * 4 + [0])
    with pytest.raises(TableError, match="at most 12 levels; column 0 has 13"):
        grow_reference(three, GrowOptions())


# Weights -----------------------------------------------------------------------------


def test_rows_of_weight_zero_are_absent():
    columns = [numeric("a", [1, 2, 3, 9]), categorical("c", list("abcd"))]
    table = make_table(columns, [0, 1, 1, 0], [1, 2, 1, 0], classes=[0, 1, 7])
    tree = grow_reference(table, GrowOptions())
    assert tree.n_rows[0] == 3
    assert tree.weight[0] == 4
    assert tree.weight_squared[0] == 6
    assert tree.value[0].tolist() == [1, 3, 0]  # an absent class keeps its place
    without = make_table(
        [numeric("a", [1, 2, 3]), categorical("c", list("abc"), list("abcd"))],
        [0, 1, 1],
        [1, 2, 1],
        classes=[0, 1, 7],
    )
    assert tree == grow_reference(without, GrowOptions())


def test_no_weight_at_all_is_an_error():
    with pytest.raises(TableError, match="No row has a weight above 0"):
        grow_reference(make_table([numeric("a", [1])], [0], [0]), GrowOptions())


# Criteria ----------------------------------------------------------------------------


def test_misclassification_ties_are_decided_by_gini():
    # Every threshold leaves the error at 2/8; the Gini gain prefers 4 | 4.
    table = make_table([numeric("a", range(8))], [0, 0, 0, 0, 1, 0, 1, 0])
    tree = grow_reference(table, GrowOptions(criterion="misclassification"))
    assert tree.gain[0] == 0
    assert tree.threshold[0] == 3.5


def test_poisson_needs_a_positive_sum_in_every_branch():
    table = make_table([numeric("a", [1, 2])], [0.0, 3.0])
    tree = grow_reference(table, GrowOptions(criterion="poisson"))
    assert reasons(tree) == ["zero_target"]
    assert grow_reference(table, GrowOptions()).n_nodes == 3


def test_poisson_keeps_variance_and_half_deviance():
    y = [1.0, 2.0, 6.0, 0.0]
    table = make_table([numeric("a", [1, 1, 1, 1])], y)
    tree = grow_reference(table, GrowOptions(criterion="poisson"))
    assert tree.variance[0] == pytest.approx(np.var(y))
    assert tree.impurity[0] == pytest.approx(impurity(y, "poisson"))
    assert tree.risk[0] == tree.impurity[0]


def test_poisson_refuses_negative_targets():
    table = make_table([numeric("a", [1, 2])], [-1.0, 3.0])
    with pytest.raises(TableError, match=r"never negative.*-1\.0"):
        grow_reference(table, GrowOptions(criterion="poisson"))


def test_one_huge_number_does_not_hide_the_others():
    x, y = list(range(11)), [*map(float, [1, 1, 2, 2, 50, 50, 60, 60, 99, 100]), 1e300]
    tree = grow_reference(make_table([numeric("a", x)], y), GrowOptions())
    assert tree.n_leaves == 7
    assert math.isinf(tree.impurity[0])
    leaves = tree.subtree_size == 1
    assert sorted(tree.value[leaves, 0]) == [1, 2, 50, 60, 99, 100, 1e300]


def test_criterion_must_suit_the_target():
    with pytest.raises(OptionError, match="criterion must be 'squared_error'"):
        grow_reference(
            make_table([numeric("a", [1.0])], [1.0]), GrowOptions(criterion="gini")
        )


def test_a_count_of_nothing_is_refused():
    table = make_table([numeric("a", [1, 2, 3])], [0.0, 0.0, 4.0], [1, 1, 0])
    with pytest.raises(TableError, match="target with a sum above 0; all values"):
        grow_reference(table, GrowOptions(criterion="poisson"))


def test_what_is_missing_is_refused_where_asked_for():
    table = make_table([numeric("a", [1, NAN])], [0, 1])
    with pytest.raises(ColumnError, match="Column 'a' has no value in row 1"):
        grow_reference(table, GrowOptions(missing="error"))
    with pytest.raises(TableError, match=r"no target.* Pass y: as_table\(X, y\)"):
        grow_reference(replace(table, target=None), GrowOptions())


def test_random_columns_are_refused():
    with pytest.raises(OptionError, match="max_features must be None; got 1"):
        grow_reference(
            make_table([numeric("a", [1])], [0]), GrowOptions(max_features=1)
        )


# Statistics --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("y", "weights", "expected"),
    [
        ([1.0, 2.0, 3.0, 4.0], None, [1.5, 2.5, 3.5]),
        ([1.0, 2.0, 3.0], None, [1.0, 2.0, 3.0]),
        ([1.0, 2.0, 3.0, 4.0, 5.0], None, [2.0, 3.0, 4.0]),
        ([7.0, 9.0], [3, 1], [7.0, 7.0, 8.0]),
        ([7.0, 9.0], [0.1, 0.3], [8.0, 9.0, 9.0]),
        ([5.0], None, [5.0, 5.0, 5.0]),
    ],
)
def test_quartiles_average_at_jumps(y, weights, expected):
    table = make_table([numeric("a", [0] * len(y))], y, weights)
    found = grow_reference(table, GrowOptions()).quartiles[0]
    if weights == [0.1, 0.3]:
        # 0.3 is a little less than three times 0.1: a quarter is reached at 7 alone.
        expected = [7.0, 9.0, 9.0]
    assert found.tolist() == expected


def test_the_label_of_a_tie_is_the_first_class():
    tree = grow_reference(make_table([numeric("a", [1, 1])], ["b", "a"]), GrowOptions())
    assert tree.label.tolist() == [0]


@pytest.mark.parametrize("seed", range(150))
def test_numbers_of_every_node_agree_with_the_plain_functions(seed):
    table, options = case(seed)
    tree = grow_reference(table, options)
    check(tree)
    criterion = tree.made_by["options"]["criterion"]
    _, root = grow_nodes(table, options)
    stack, node = [root], 0
    while stack:  # preorder
        at = stack.pop()
        rows = list(at.rows)
        y = table_y(table)[rows]
        weights = None if table.weights is None else table.weights[rows]
        expected = impurity(y, criterion, weights)
        assert tree.impurity[node] == pytest.approx(expected, rel=1e-9, abs=1e-12)
        if at.children:
            groups = [row in at.children[0].rows for row in rows]
            expected = gain(y, groups, criterion, weights)
            near = 1e-12 * tree.impurity[0] if math.isfinite(tree.impurity[0]) else 0
            if math.isfinite(tree.impurity[node]):
                assert tree.gain[node] == pytest.approx(expected, rel=1e-6, abs=near)
        stack += reversed(at.children)
        node += 1


def table_y(table):
    target = table.target
    return target.codes if hasattr(target, "codes") else target.values


# Stopping ----------------------------------------------------------------------------


def stop_of(options, x=(1, 1, 2, 2), y=(0, 1, 0, 1), **kwargs):
    table = make_table([numeric("a", x)], list(y), **kwargs)
    return reasons(grow_reference(table, GrowOptions(**options)))


def test_the_first_reason_in_the_written_order_is_recorded():
    everything = {
        "max_depth": 1,
        "min_samples_split": 5,
        "min_samples_leaf": 3,
        "min_weight_fraction_leaf": 0.5,
        "min_gain": 5,
        "min_impurity_decrease": 5,
        "max_nodes": 1,
    }
    assert stop_of(everything, y=[1, 1, 1, 1]) == ["pure"]
    assert stop_of(everything) == ["min_samples_split"]
    del everything["min_samples_split"]
    assert stop_of(everything) == ["min_samples_leaf"]
    del everything["min_samples_leaf"]
    assert stop_of(everything, x=[1, 1, 1, 2]) == ["min_weight_fraction_leaf"]
    del everything["min_weight_fraction_leaf"]
    assert stop_of(everything, x=[1, 1, 1, 1]) == ["identical_rows"]
    assert stop_of(everything) == ["min_gain"]
    del everything["min_gain"]
    assert stop_of(everything) == ["min_impurity_decrease"]
    del everything["min_impurity_decrease"]
    everything["max_leaf_nodes"] = 2
    assert stop_of(everything) == ["max_nodes"]
    del everything["max_nodes"]
    assert stop_of(everything) == ["", "max_depth", "max_depth"]
    del everything["max_depth"]
    x, y = [1, 2, 3, 4], [0, 1, 0, 1]
    assert stop_of(everything, x, y) == ["", "pure", "max_leaf_nodes"]


def test_rows_identical_in_all_columns_come_before_refused_candidates():
    assert stop_of({"min_samples_leaf": 2}, x=[1, 1, 1, 1]) == ["identical_rows"]
    assert stop_of({"min_samples_leaf": 2}, x=[1, 2, 2, 2]) == ["min_samples_leaf"]


def test_refused_by_rows_comes_before_refused_by_weight():
    weights = [1, 9, 9, 9]
    both = {"min_samples_leaf": 2, "min_weight_fraction_leaf": 0.1}
    assert stop_of(both, x=[1, 2, 2, 2], weights=weights) == ["min_samples_leaf"]
    by_weight = {"min_weight_fraction_leaf": 0.1}
    found = stop_of(by_weight, x=[1, 2, 2, 2], weights=weights)
    assert found == ["min_weight_fraction_leaf"]


def test_known_and_missing_distinguish_rows():
    assert stop_of({}, x=[1, 1, NAN, NAN])[0] == ""
    assert stop_of({}, x=[NAN] * 4) == ["identical_rows"]


def test_shares_of_rows_are_rounded_up():
    x, y = range(10), [0, 1] * 5
    table = make_table([numeric("a", x)], y)
    tree = grow_reference(table, GrowOptions(min_samples_leaf=0.21))
    assert tree.n_rows.min() == 3
    tree = grow_reference(table, GrowOptions(min_samples_split=0.35))
    assert tree.n_rows[tree.subtree_size > 1].min() >= 4


def test_shares_are_of_rows_with_weight():
    table = make_table([numeric("a", range(10))], [0, 1] * 5, [1] * 5 + [0] * 5)
    tree = grow_reference(table, GrowOptions(min_samples_leaf=0.3))  # 2 of 5 rows
    assert tree.n_rows.tolist() == [5, 2, 3]


@pytest.mark.parametrize("weights", [None, "whole", "quarters"])
@pytest.mark.parametrize("is_class", [True, False])
def test_auto_rows_of_a_leaf_are_those_of_a_training_set(is_class, weights):
    rng = np.random.default_rng(3)
    x = rng.normal(size=40)
    y = x + rng.normal(size=40)
    y = (y > 0).astype(int).tolist() if is_class else y.tolist()
    given = {"whole": rng.integers(1, 4, 40), "quarters": rng.integers(0, 4, 40) / 4}
    table = make_table([numeric("a", x)], y, given.get(weights))
    options = GrowOptions(min_samples_leaf="auto")
    tree = grow_reference(table, options)
    assert_same_tree(tree, TrainingSet(table, options).grow())
    # Classes: one row. Numbers: five rows, or five times their weight if it is below 1.
    five = 5 * min(1, tree.weight[0] / tree.n_rows[0])
    assert (tree.weight.min() >= five * (1 - 1e-9)) != is_class


def test_a_split_without_gain_is_made_unless_a_threshold_is_above_zero():
    x, y = [0, 0, 1, 1], [0, 1, 0, 1]
    assert stop_of({}, x, y) == ["", "identical_rows", "identical_rows"]
    assert stop_of({"min_gain": 1e-9}, x, y) == ["min_gain"]
    assert stop_of({"min_impurity_decrease": 1e-9}, x, y) == ["min_impurity_decrease"]


def test_a_threshold_equal_to_the_gain_lets_the_split_through():
    assert stop_of({"min_gain": 0.5}, [1, 2], [0, 1]) == ["", "pure", "pure"]


def test_best_first_splits_where_weight_times_gain_is_largest():
    # Left of 3.5 the classes alternate; right of it one cut separates four rows.
    x = [0, 1, 2, 3, 4, 5, 6, 7]
    y = [0.0, 1.0, 0.0, 1.0, 50.0, 50.0, 90.0, 90.0]
    table = make_table([numeric("a", x)], y)
    tree = grow_reference(table, GrowOptions(max_leaf_nodes=3))
    assert reasons(tree) == ["", "max_leaf_nodes", "", "pure", "pure"]
    assert tree.threshold[[0, 2]].tolist() == [3.5, 5.5]


def test_equal_worth_goes_to_the_node_created_first():
    x, y = range(4), [0.0, 1.0, 10.0, 11.0]
    table = make_table([numeric("a", x)], y)
    tree = grow_reference(table, GrowOptions(max_leaf_nodes=3))
    assert reasons(tree) == ["", "", "pure", "pure", "max_leaf_nodes"]


@pytest.mark.parametrize(("limit", "n_nodes"), [(1, 1), (2, 1), (3, 3), (4, 3), (5, 5)])
def test_max_nodes_counts_inner_nodes_too(limit, n_nodes):
    table = make_table([numeric("a", range(6))], [0, 1] * 3)
    assert grow_reference(table, GrowOptions(max_nodes=limit)).n_nodes == n_nodes


@settings(max_examples=50, deadline=None)
@given(st.data())
def test_any_table_and_options_give_a_tree_that_keeps_its_rules(data):
    table = data.draw(tables())
    options = data.draw(options_for(table))
    tree = grow_reference(table, options)
    check(tree)
    is_leaf = tree.subtree_size == 1
    assert (tree.stop_reason[is_leaf] > 0).all()
    assert (tree.stop_reason[~is_leaf] == 0).all()
    if options.max_depth:
        assert tree.depth.max() <= options.max_depth
    assert tree.n_leaves <= (options.max_leaf_nodes or tree.n_leaves)
    assert tree.n_nodes <= (options.max_nodes or tree.n_nodes)
    for node in np.flatnonzero(~is_leaf):
        assert tree.n_rows[list(children(tree, node))].sum() == tree.n_rows[node]


def test_a_long_chain_needs_no_recursion():
    leaf = make_table([numeric("a", [1])], [0])
    grown = Grower(leaf, GrowOptions().for_task("class"))
    root = last = grown.open({0: 1}, 0)
    for depth in range(1, 5000):
        last.children = [grown.open({0: 1}, depth), grown.open({0: 1}, depth)]
        last = last.children[1]
    nodes = preorder(root)
    assert len(nodes) == 9999
    assert subtree_sizes(nodes)[:4] == [9999, 1, 9997, 1]
