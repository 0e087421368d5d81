"""The seams: one sort for many trees, any order of steps, trees opened again.

What later parts of the package stand on: folds and forests (rows by weights),
editing by hand (`resume`, `replace`). A failing test names its seed: ``case(seed)``
makes the same table again.
"""

import dataclasses

import numpy as np
import pytest

from support.repeats import first_of
from support.stepping import (
    FEW,
    ORDERS,
    SEEDS,
    Order,
    answers,
    assert_same_bytes,
    assert_statistics,
    different_arrays,
    grow_in_order,
    local_rules,
    resume,
    row_weights,
    rows_of_nodes,
    steps_of,
    without_limits,
)
from support.strategies import (
    assert_same_tree,
    case,
    categorical,
    first_difference,
    make_table,
    numeric,
    on_the_grid,
    take,
    weighted,
)
from treewright.growing.grow import grow
from treewright.growing.training_set import TrainingSet
from treewright.options import GrowOptions
from treewright.tree.data import LEAF
from treewright.tree.edit import collapse, replace, with_values

# One sort, many trees ----------------------------------------------------------------


@pytest.mark.parametrize("seed", FEW)
def test_one_sort_serves_several_growers_and_stays_as_it_is(seed):
    table, options = case(seed)
    training = TrainingSet(table, options)
    alone = grow(table, options)
    for _ in range(2):
        assert_same_bytes(alone, training.steps().grow_all(), f"case({seed})")
        assert_same_bytes(alone, training.grow(), f"case({seed})")
    shallow = training.with_options(max_depth=1).steps().grow_all()
    alone = grow(table, dataclasses.replace(options, max_depth=1))
    assert_same_bytes(alone, shallow, f"case({seed})")


def test_growers_on_one_sort_do_not_disturb_each_other():
    table, options = case(20_003)
    training = TrainingSet(table, options)
    one, other = training.steps(), training.steps()
    while one.open or other.open:
        for steps in (one, other):
            for node in steps.open[:1]:
                steps.step(node)
    assert one.grow_all() == other.grow_all() == grow(table, options)


def test_a_sort_that_a_grower_took_over_is_refused():
    training = TrainingSet(*case(20_003))
    training.grow(last=True)
    with pytest.raises(ValueError, match="consumed by a grower"):
        training.steps()


@pytest.mark.parametrize("seed", first_of(SEEDS, len(SEEDS) // 3))
def test_a_fold_by_weights_0_and_1_is_the_tree_of_the_copied_rows(seed):
    table, options = case(seed)
    training = TrainingSet(table, options)
    fold = np.random.default_rng(seed).integers(0, 3, table.n_rows)
    for k in range(3):
        weights = np.where(fold == k, 0.0, row_weights(table))
        y = answers(table)[weights > 0]
        if not len(y) or (options.criterion == "poisson" and not y.any()):
            continue
        shared = training.grow(weights)
        copied = grow(take(table, np.flatnonzero(fold != k)), options)
        different = different_arrays(shared, copied)
        assert not different, f"case({seed}): {first_difference(shared, copied)}"


@pytest.mark.parametrize("seed", first_of(SEEDS, len(SEEDS) // 3))
def test_rows_repeated_by_whole_weights_are_the_tree_of_the_copied_rows(seed):
    table, options = case(seed)
    options = dataclasses.replace(options, min_samples_split=2, min_samples_leaf=1)
    times = np.random.default_rng(seed).integers(0, 4, table.n_rows)
    times[0] += 1
    y = answers(table)[times > 0]
    if options.criterion == "poisson" and not y.any():
        options = dataclasses.replace(options, criterion="squared_error")
    plain = weighted(table, None)
    heavy = TrainingSet(plain, options).grow(times)
    copied = grow(take(plain, np.repeat(np.arange(table.n_rows), times)), options)
    counted = ["n_rows", "n_missing", "weight_squared"]  # rows, not weight
    different = different_arrays(heavy, copied, ignore=counted)
    assert not different, f"case({seed}): {first_difference(heavy, copied, counted)}"


# Any order, and from any tree --------------------------------------------------------


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("seed", FEW)
def test_any_order_of_steps_gives_the_same_tree(seed, order):
    table, options = case(seed)
    options = without_limits(options)
    rng = np.random.default_rng(seed)
    stepped = grow_in_order(table, options, ORDERS[order], rng)
    assert_same_bytes(grow(table, options), stepped, f"case({seed})")


@pytest.mark.parametrize("seed", first_of(SEEDS, len(SEEDS) // 3))
def test_growing_all_from_the_middle_gives_the_same_tree(seed):
    table, options = case(seed)
    options, rng = without_limits(options), np.random.default_rng(seed)
    most = int(rng.integers(0, 6))
    stepped = grow_in_order(table, options, ORDERS["any order"], rng, most)
    assert_same_bytes(grow(table, options), stepped, f"case({seed})")


@pytest.mark.parametrize("seed", FEW)
def test_best_first_by_hand_is_growing_with_a_limit_on_leaves(seed):
    table, options = case(seed)
    options = dataclasses.replace(options, max_leaf_nodes=4, max_nodes=None)
    order = Order(steps_of(table, options))
    while order.steps.open and order.steps.tree().n_leaves < 4:
        order.step(order.best())
    assert_same_bytes(grow(table, options), order.steps.grow_all(), f"case({seed})")


@pytest.mark.parametrize("seed", first_of(SEEDS, len(SEEDS) // 3))
def test_a_pruned_tree_resumed_grows_back_to_the_tree_it_was(seed):
    table, options = case(seed)
    options = without_limits(options)
    tree, rng = grow(table, options), np.random.default_rng(seed)
    inner = np.flatnonzero(tree.split_kind != LEAF)
    cut = inner[rng.random(len(inner)) < 0.5]
    pruned, _ = collapse(tree, cut)
    steps, numbers = resume(table, pruned, options)
    assert len(set(numbers.tolist())) == pruned.n_nodes
    assert set(steps.open) <= set(numbers[pruned.split_kind == LEAF].tolist())
    ignore = ["stop_reason"]  # open leaves have none yet
    assert not different_arrays(pruned, steps.tree(), ignore), f"case({seed})"
    assert_same_bytes(tree, steps.grow_all(), f"case({seed})")


def test_a_finished_tree_resumed_on_a_fold_keeps_its_splits_and_counts_other_rows():
    rng = np.random.default_rng(0)
    table = make_table([numeric("x", rng.normal(size=80))], rng.integers(0, 2, 80))
    tree = grow(table, GrowOptions(max_depth=2))
    weights = (np.arange(80) % 2).astype(float)
    steps, _ = resume(table, tree, GrowOptions(max_depth=2), weights=weights)
    on_half = steps.tree()
    asked = ["split_kind", "feature", "threshold", "subtree_size"]
    different = different_arrays(tree, on_half)
    assert not set(asked) & set(different)
    assert on_half.n_rows[0] == 40
    assert_statistics(weighted(table, weights), on_half, "gini")


def test_a_tree_with_thresholds_moved_by_hand_is_resumed_as_it_is():
    table = make_table([numeric("x", range(10))], [0, 0, 0, 1, 1, 0, 0, 1, 1, 1])
    tree = grow(table)
    moved = with_values(tree, threshold=tree.threshold + 0.25)
    steps, _ = resume(table, moved)
    assert_same_tree(moved, steps.grow_all())
    elsewhere = with_values(collapse(tree, [0])[0], stop_reason=np.zeros(1, np.int8))
    assert resume(table, elsewhere)[0].tree() == elsewhere


def random_columns_table(n=300):
    rng = np.random.default_rng(5)
    columns = [numeric(f"x{j}", rng.integers(0, 20, n)) for j in range(6)]
    columns.append(categorical("c", rng.choice(list("abcde"), n).tolist()))
    return make_table(columns, rng.integers(0, 3, n).tolist())


@pytest.mark.parametrize("order", ["level by level", "any order"])
def test_random_columns_do_not_depend_on_the_order_or_the_threads(order):
    table = random_columns_table()
    options = GrowOptions(max_features=2, random_state=11, min_samples_leaf=3)
    tree, rng = grow(table, options), np.random.default_rng(0)
    stepped = grow_in_order(table, options, ORDERS[order], rng)
    assert_same_bytes(tree, stepped, order)
    for jobs in (1, 2, 3):
        threaded = grow(table, dataclasses.replace(options, n_jobs=jobs))
        assert threaded == tree
    pruned, _ = collapse(tree, np.flatnonzero(tree.split_kind != LEAF)[3::4])
    regrown = resume(table, pruned, options)[0].grow_all()
    assert_same_bytes(tree, regrown, "resumed")


def test_random_columns_differ_by_seed_and_none_is_a_fixed_seed():
    table = random_columns_table()
    made = [
        grow(table, GrowOptions(max_features=2, random_state=seed)).fingerprint
        for seed in (0, 1, 2, 2**63, None)
    ]
    assert len(set(made[:4])) == 4
    assert made[4] == made[0]


@pytest.mark.parametrize("criterion", ["gini", "squared_error"])
def test_steps_and_threads_mix_on_a_table_that_is_grown_in_parallel(criterion):
    rng = np.random.default_rng(1)
    n = 40_000
    x = np.round(rng.normal(size=(n, 12)), 2)
    x[rng.random(x.shape) < 0.01] = np.nan
    columns = [numeric(f"x{j}", x[:, j]) for j in range(12)]
    y = np.nan_to_num(x[:, 0]) + rng.normal(size=n)
    y = y.tolist() if criterion == "squared_error" else (y > 0).tolist()
    table = make_table(columns, y)
    options = GrowOptions(criterion=criterion, max_depth=7, n_jobs=2)
    stepped = grow_in_order(table, options, ORDERS["any order"], rng, most=6)
    assert_same_bytes(grow(table, options), stepped, criterion)
    one = dataclasses.replace(options, n_jobs=1)
    assert grow(table, one) == stepped


# Replacing a node --------------------------------------------------------------------


@pytest.mark.parametrize("seed", first_of(SEEDS, len(SEEDS) // 3))
def test_a_node_replaced_by_the_tree_of_its_rows_changes_nothing(seed):
    table, options = case(seed)
    # The fewer rows, the finer the grid that weights are rounded to.
    table, options = on_the_grid(table), local_rules(options)
    tree, training = grow(table, options), TrainingSet(table, options)
    passed = rows_of_nodes(table, tree)
    for node in np.flatnonzero(tree.split_kind != LEAF):
        weights = np.where(passed[:, node], row_weights(table), 0.0)
        alone = training.grow(weights)
        same, _ = replace(tree, int(node), alone)
        assert_same_tree(tree, same)
        if tree.is_classifier and table.weights is None:
            assert_same_bytes(tree, same, f"case({seed}), node {node}")


def test_a_pruned_leaf_replaced_by_the_tree_grown_on_its_rows_is_the_whole_tree():
    rng = np.random.default_rng(4)
    columns = [numeric(f"x{j}", rng.integers(0, 9, 80)) for j in range(3)]
    table = make_table(columns, rng.integers(0, 3, 80).tolist())
    whole = grow(table)
    child = 1 + int(np.argmax(whole.split_kind[1:] != LEAF))
    pruned, _ = collapse(whole, child)
    assert pruned.n_nodes < whole.n_nodes
    weights = rows_of_nodes(table, pruned)[:, child]
    alone = TrainingSet(table).grow(weights.astype(float))
    assert_same_bytes(whole, replace(pruned, child, alone)[0], f"node {child}")
