"""The classic family grows the same tree by any order of steps, any number of threads.

And its training rows, sent down the finished tree, come where they were counted.
"""

from dataclasses import replace

import numpy as np
import pytest

from support.repeats import first_of
from support.stepping import (
    ORDERS,
    assert_same_bytes,
    different_arrays,
    grow_in_order,
    resume,
    row_weights,
    steps_of,
    without_limits,
)
from support.strategies import (
    classic_case,
    first_difference,
    make_table,
    numeric,
    take,
)
from treewright.growing.grow import grow
from treewright.options import GrowOptions
from treewright.table.column import CategoricalColumn, NumericColumn
from treewright.tree.check import check
from treewright.tree.data import ALL_BRANCHES, LEAF, STOP_HERE
from treewright.tree.edit import collapse
from treewright.tree.route import Ends, decision_path, ends_of
from treewright.tree.split import Subset
from treewright.tree.walk import children

SEEDS = range(30_000, 30_160)  # not used by the tests against the reference


# Node by node ------------------------------------------------------------------------


def of_steps(seed):
    """A case that grows step by step."""
    table, options = classic_case(seed)
    return table, without_limits(options)


@pytest.mark.parametrize("seed", first_of(SEEDS, len(SEEDS) // 3))
def test_any_order_of_steps_gives_the_same_tree(seed):
    table, options = of_steps(seed)
    pick = list(ORDERS.values())[seed % len(ORDERS)]
    if options.conventions == "j48":  # adds branches, so that keys are other ones
        pick = ORDERS["any order"]
    stepped = grow_in_order(table, options, pick, np.random.default_rng(seed))
    assert_same_bytes(grow(table, options), stepped, f"classic_case({seed})")


@pytest.mark.parametrize("seed", first_of(SEEDS, len(SEEDS) // 3))
def test_a_pruned_tree_resumed_grows_back_to_the_tree_it_was(seed):
    table, options = of_steps(seed)
    tree, rng = grow(table, options), np.random.default_rng(seed)
    inner = np.flatnonzero(tree.split_kind != LEAF)
    pruned, _ = collapse(tree, inner[rng.random(len(inner)) < 0.5])
    steps, numbers = resume(table, pruned, options)
    made = numbers[numbers >= 0].tolist()
    assert len(set(made)) == len(made) == np.count_nonzero(pruned.n_rows)
    assert not different_arrays(pruned, steps.tree(), ["stop_reason"])
    assert_same_bytes(tree, steps.grow_all(), f"classic_case({seed})")


@pytest.mark.parametrize("seed", first_of(SEEDS, len(SEEDS) // 3))
def test_best_first_by_steps_is_growing_with_a_limit(seed):
    table, options = classic_case(seed)
    limited = replace(options, max_leaf_nodes=5, max_nodes=None)
    one, other = grow(table, limited), grow(table, replace(limited, n_jobs=2))
    assert_same_bytes(one, other, f"classic_case({seed})")
    assert one.n_leaves <= 5 or options.conventions == "j48"
    check(one)


def two_categories(route):
    """A split that does not list "z"."""
    return Subset("c", 0, route, 2, 0.0, True, branches=(("a",), ("b",)))


@pytest.mark.parametrize("fallback", ["majority", "stop"])
def test_an_unlisted_category_takes_the_route_of_missing_values(fallback):
    codes = [0, 0, 1, 1, 2, 2, -1]
    column = CategoricalColumn("c", np.array(codes, np.int32), ("a", "b", "z"))
    like = numeric("like", [1, 1, 2, 2, 2, 1, 2])
    table = make_table([column, like], [0, 0, 1, 1, 1, 0, 1])
    options = GrowOptions(missing="surrogate", surrogate_fallback=fallback)
    for route in (0, STOP_HERE):
        steps = steps_of(table, options)
        assert steps.split(0, two_categories(route)) == (1, 2)
        tree = steps.grow_all()
        check(tree)
        assert tree.n_rows.tolist() == [7, 3, 4]
        assert tree.n_missing[0] == 3
        assert tree.surrogate_rows.tolist() == [3]
        assert_routed_as_counted(table, tree)
    steps = steps_of(table, replace(options, max_surrogates=0))
    steps.split(0, two_categories(STOP_HERE))
    assert steps.grow_all().n_rows.tolist() == [7, 2, 2]


# Rows come where they were counted ---------------------------------------------------


def counts_and_weights(table, tree):
    """Rows and weight that reach each node when the table is sent down the tree."""
    weights = row_weights(table)
    ends = ends_of(tree, [column.data for column in table.columns], table.n_rows)
    passed = (decision_path(tree, ends) > 0).astype(np.int64).T
    here = np.zeros(tree.n_nodes)
    if isinstance(ends, Ends):
        np.add.at(here, ends.nodes, weights[ends.rows] * ends.shares)
    else:
        np.add.at(here, ends, weights)
    below = np.append(0.0, np.cumsum(here))
    first = np.arange(tree.n_nodes)
    return passed @ (weights > 0).astype(np.int64), below[
        first + tree.subtree_size
    ] - below[first]


def assert_routed_as_counted(table, tree):
    rows, weight = counts_and_weights(table, tree)
    assert rows.tolist() == tree.n_rows.tolist()
    whole = tree.weight[0]
    assert weight == pytest.approx(tree.weight, rel=1e-9, abs=1e-12 * whole)


@pytest.mark.parametrize("seed", range(31_000, 31_400))
def test_training_rows_come_where_they_were_counted(seed):
    table, options = classic_case(seed)
    tree = grow(table, options)
    check(tree)
    assert_routed_as_counted(table, tree)


@pytest.mark.parametrize("seed", range(31_000, 31_200))
def test_the_account_of_missing_rows_adds_up(seed):
    table, options = classic_case(seed)
    tree = grow(table, options)
    inner = np.flatnonzero(tree.split_kind != LEAF)
    placed = np.append(0, np.cumsum(tree.surrogate_rows))[tree.surrogate_start]
    rest = tree.n_missing - np.diff(placed)
    assert (rest >= 0).all()
    for node in inner:
        below = [*children(tree, node)]
        in_children = tree.n_rows[below].sum()
        if tree.missing_route[node] == STOP_HERE:
            assert in_children == tree.n_rows[node] - rest[node]
        elif tree.missing_route[node] == ALL_BRANCHES:
            assert tree.weight[below].sum() == pytest.approx(tree.weight[node])
            assert in_children >= tree.n_rows[node]
        else:
            assert in_children == tree.n_rows[node]


# Large tables: the paths of several threads ------------------------------------------


def large_table(n, kinds, task, share_missing=0.1, weights=None):
    rng = np.random.default_rng(n)
    columns, signal = [], np.zeros(n)
    for j, kind in enumerate(kinds):
        gone = rng.random(n) < share_missing
        if kind == "numeric":
            values = rng.normal(size=n) if j % 2 else rng.integers(0, 50, n) * 1.0
            signal += np.where(values > np.median(values), 1.0, -1.0)
            values[gone] = np.nan
            columns.append(NumericColumn(f"x{j}", values))
        else:
            codes = rng.integers(0, 8, n).astype(np.int32)
            signal += (codes % 3) - 1
            codes[gone] = -1
            columns.append(CategoricalColumn(f"x{j}", codes, tuple("abcdefgh")))
    signal += rng.normal(size=n)
    y = np.digitize(signal, [-1, 1]).tolist() if task == "class" else signal.tolist()
    if task == "count":
        y = rng.poisson(np.exp(signal / 4)).astype(float).tolist()
    return make_table(columns, y, weights, range(3) if task == "class" else None)


MIXED = ("numeric", "categorical", "numeric", "categorical")
LARGE = {
    "learned": ("class", {}),
    "surrogates": ("class", {"missing": "surrogate"}),
    "surrogates, numbers": ("number", {"missing": "surrogate"}),
    "rows that stop": (
        "class",
        {"missing": "surrogate", "max_surrogates": 1, "surrogate_fallback": "stop"},
    ),
    "divided": ("class", {"missing": "fractional", "max_depth": 9}),
    "divided numbers": ("number", {"missing": "fractional", "max_depth": 7}),
    "divided counts": (
        "count",
        {"missing": "fractional", "criterion": "poisson", "max_depth": 6},
    ),
    "divided, by shares": (
        "class",
        {"missing": "fractional", "min_samples_leaf": 300},
    ),
    "c45": ("class", {"method": "c45", "max_depth": 8}),
    "c45, learned": ("class", {"method": "c45", "missing": "learned"}),
    "c45, grouped": (
        "class",
        {"method": "c45", "categories": "grouped", "max_depth": 6},
    ),
    "j48": ("class", {"method": "c45", "conventions": "j48", "max_depth": 6}),
    "gain ratio": ("class", {"criterion": "gain_ratio"}),
    "absolute error": ("number", {"criterion": "absolute_error", "max_depth": 8}),
    "divided, absolute": (
        "number",
        {"criterion": "absolute_error", "missing": "fractional", "max_depth": 4},
    ),
    "best first": ("class", {"missing": "surrogate", "max_leaf_nodes": 60}),
    "best first, divided": ("class", {"missing": "fractional", "max_leaf_nodes": 40}),
    "best first, multiway": ("class", {"method": "c45", "max_leaf_nodes": 60}),
}


@pytest.mark.parametrize("name", LARGE)
def test_large_tables_give_one_tree_with_any_number_of_threads(name):
    task, options = LARGE[name]
    table = large_table(120_000, MIXED, task)
    options = GrowOptions(**{"min_samples_leaf": 20} | options, n_jobs=1)
    one = grow(table, options)
    check(one)
    assert_routed_as_counted(table, one)
    other = grow(table, replace(options, n_jobs=2))
    assert not different_arrays(one, other), first_difference(one, other)
    mixed = take(table, np.random.default_rng(1).permutation(table.n_rows))
    mixed = grow(mixed, replace(options, n_jobs=2))
    assert not different_arrays(one, mixed), first_difference(one, mixed)


@pytest.mark.parametrize("missing", ["learned", "fractional"])
def test_large_id3_gives_one_tree_with_any_number_of_threads(missing):
    table = large_table(120_000, ("categorical",) * 5, "class")
    options = GrowOptions(method="id3", missing=missing, n_jobs=1)
    one = grow(table, options)
    assert_routed_as_counted(table, one)
    other = grow(table, replace(options, n_jobs=2))
    assert not different_arrays(one, other), first_difference(one, other)


@pytest.mark.parametrize("name", ["surrogates", "divided", "c45, learned"])
def test_nodes_of_middle_size_have_a_numbering_of_their_own(name):
    task, options = LARGE[name]
    table = large_table(300_000, MIXED[:3], task)
    rules = {"min_samples_leaf": 2000, "max_depth": 6}
    one = grow(table, GrowOptions(**options | rules, n_jobs=1))
    assert_routed_as_counted(table, one)
    other = grow(table, GrowOptions(**options | rules, n_jobs=2))
    assert not different_arrays(one, other), first_difference(one, other)
