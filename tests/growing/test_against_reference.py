"""The fast grower equals the slow reference, and keeps still when nothing changes.

A failing chunk names its seed: ``case(seed)`` makes the same table and options again.
"""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from support.repeats import first_of
from support.strategies import (
    assert_same_tree,
    case,
    categorical,
    first_difference,
    grower,
    make_table,
    numeric,
    on_the_grid,
    options_for,
    random_table,
    tables,
    take,
    weighted,
    with_columns,
    with_y,
)
from treewright.growing.reference import grow_reference
from treewright.growing.reference.candidates import Groupings, levels_of, values_of
from treewright.growing.reference.sums import Target
from treewright.options import GrowOptions
from treewright.table.column import CategoricalColumn, NumericColumn
from treewright.table.table import NumericTarget
from treewright.tree.data import SUBSET

CHUNK = 50
N_CHUNKS = 60
METAMORPHIC = range(10_000, 10_150)  # seeds the chunks do not use


@pytest.fixture(scope="module")
def grow():
    return grower("fast")


def arrays_equal(one, other):
    """Assert equality bit for bit, whatever the schemas."""
    pairs = zip(one.arrays().values(), other.arrays().values(), strict=True)
    return all(a.tobytes() == b.tobytes() for a, b in pairs)


# The same tree as the reference ------------------------------------------------------


@pytest.mark.parametrize("chunk", first_of(range(N_CHUNKS), N_CHUNKS // 2))
def test_fast_equals_slow(grow, chunk):
    for seed in range(chunk * CHUNK, (chunk + 1) * CHUNK):
        table, options = case(seed)
        slow = grow_reference(on_the_grid(table), options)
        difference = first_difference(slow, grow(table, options))
        assert difference is None, f"case({seed}), slow first: {difference}"


@settings(
    max_examples=150,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(st.data())
def test_fast_equals_slow_on_tables_that_shrink(grow, data):
    table = data.draw(tables())
    options = data.draw(options_for(table))
    slow = grow_reference(on_the_grid(table), options)
    assert_same_tree(slow, grow(table, options))


# Many categories ---------------------------------------------------------------------


def level_table(rng, k, n_classes, n=120):
    codes = np.concatenate([np.arange(k), rng.integers(0, k, n - k)])
    labels = tuple(f"c{i:02}" for i in range(k))
    column = CategoricalColumn("c", codes.astype(np.int32), labels)
    leaning = rng.integers(0, n_classes, k)[codes]
    y = np.where(rng.random(n) < 0.6, leaning, rng.integers(0, n_classes, n))
    return make_table([column], y.tolist(), classes=range(n_classes))


def best_of_all_groupings(table, criterion):
    target = Target(table, criterion)
    values = values_of(table.columns[0])
    found = Groupings(
        levels_of(0, values, dict.fromkeys(target.present, 1), target), target
    )
    listed = [*found.prefixes(), *found.others()]
    return float(max(target.gain(candidate.branches) for candidate in listed))


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("criterion", ["gini", "entropy"])
def test_above_12_levels_a_split_is_the_best_wherever_it_says_so(grow, criterion, seed):
    table = level_table(np.random.default_rng(seed), k=13, n_classes=3)
    tree = grow(table, GrowOptions(criterion=criterion, max_depth=1))
    best = best_of_all_groupings(table, criterion)
    assert tree.gain[0] <= best + 1e-12
    assert tree.gain[0] >= 0.95 * best
    if tree.proven[0]:
        assert tree.gain[0] == pytest.approx(best, rel=1e-12)


def test_levels_with_proportional_classes_move_together_and_are_proven(grow):
    # 24 levels, but only four different class distributions.
    counts = [(3, 1, 0), (0, 2, 2), (1, 0, 4), (2, 2, 1)]
    values, y = [], []
    for level in range(24):
        for _ in range(1 + level % 3):
            for code, count in enumerate(counts[level % 4]):
                values += [f"c{level:02}"] * count
                y += [code] * count
    options = GrowOptions(max_depth=1)
    tree = grow(make_table([categorical("c", values)], y), options)
    merged = [f"m{int(value[1:]) % 4}" for value in values]
    small = grow_reference(make_table([categorical("c", merged)], y), options)
    assert tree.proven[0]
    assert tree.gain[0] == pytest.approx(small.gain[0], rel=1e-12)
    branch = tree.category_branch.reshape(6, 4)
    assert (branch == branch[0]).all()


@pytest.mark.parametrize("k", [13, 40, 300])
def test_two_classes_and_numbers_are_exact_for_any_number_of_levels(grow, k):
    rng = np.random.default_rng(k)
    table = level_table(rng, k, n_classes=2, n=3 * k)
    for each in (table, with_number_target(table, rng)):
        options = GrowOptions(max_depth=1)
        assert_same_tree(grow_reference(each, options), grow(each, options))


def with_number_target(table, rng):
    y = [float(value) for value in rng.integers(0, 50, table.n_rows)]
    return make_table(table.columns, y)


@pytest.mark.parametrize("seed", range(8))
def test_where_the_best_prefix_is_refused_another_allowed_grouping_is_found(grow, seed):
    rng = np.random.default_rng(seed)
    table = level_table(rng, k=16, n_classes=2, n=40)
    target = Target(table, "gini")
    values = values_of(table.columns[0])
    found = Groupings(
        levels_of(0, values, dict.fromkeys(target.present, 1), target), target
    )
    tree = grow(table, GrowOptions(max_depth=1, min_samples_leaf=19))
    allowed = [
        float(target.gain(prefix.branches))
        for prefix in found.prefixes()
        if min(b.n_rows for b in prefix.branches) >= 19
    ]
    assert tree.n_rows.min() >= 19
    assert tree.gain[0] >= max(allowed, default=0.0) - 1e-12


# Metamorphic -------------------------------------------------------------------------


def weight_rules(options):
    """The options without the rules that count rows."""
    return replace(options, min_samples_split=2, min_samples_leaf=1)


@pytest.mark.parametrize("seed", METAMORPHIC)
def test_weight_k_is_k_copies(grow, seed):
    table, options = case(seed)
    options = weight_rules(options)
    copies = np.random.default_rng(seed).integers(1, 5, table.n_rows)
    heavy = grow(weighted(table, copies), options)
    repeated = take(weighted(table, None), np.repeat(np.arange(table.n_rows), copies))
    counted = ["n_rows", "weight_squared", "n_missing"]
    assert_same_tree(heavy, grow(repeated, options), ignore=counted)


@pytest.mark.parametrize("seed", METAMORPHIC)
def test_weight_zero_is_an_absent_row(grow, seed):
    table, options = case(seed)
    rng = np.random.default_rng(seed)
    keep = rng.random(table.n_rows) < 0.7
    keep[rng.integers(0, table.n_rows)] = True
    options = safe_criterion(take(table, np.flatnonzero(keep)), options)
    base = np.ones(table.n_rows) if table.weights is None else table.weights
    base = np.where(base == 0, 0.5, base)
    with_zeros = grow(weighted(table, np.where(keep, base, 0)), options)
    without = grow(take(weighted(table, base), np.flatnonzero(keep)), options)
    assert_same_tree(with_zeros, without)


def safe_criterion(table, options):
    """Poisson needs a target above 0 among the rows left."""
    if options.criterion == "poisson" and not table.target.values.any():
        return replace(options, criterion="squared_error")
    return options


@pytest.mark.parametrize("seed", METAMORPHIC)
def test_any_order_of_the_rows_gives_the_same_bytes(grow, seed):
    table, options = case(seed)
    rows = np.random.default_rng(seed).permutation(table.n_rows)
    one, other = grow(table, options), grow(take(table, rows), options)
    assert one == other, first_difference(one, other)


@pytest.mark.parametrize("seed", METAMORPHIC)
def test_an_uninformative_column_changes_nothing(grow, seed):
    table, options = case(seed)
    n = table.n_rows
    silent = [
        numeric("constant", [4.0] * n),
        numeric("missing", [np.nan] * n),
        categorical("one", ["a"] * n),
    ]
    more = with_columns(table, [*table.columns, *silent])
    assert arrays_equal(grow(table, options), grow(more, options))


@pytest.mark.parametrize("seed", METAMORPHIC)
def test_columns_times_a_power_of_two_move_the_thresholds_alone(grow, seed):
    table, options = case(seed)
    factors = [8.0 if scalable(column) else 1.0 for column in table.columns]
    columns = [
        replace(c, values=c.values * c.values.dtype.type(f)) if f != 1 else c
        for c, f in zip(table.columns, factors, strict=True)
    ]
    one, other = grow(table, options), grow(with_columns(table, columns), options)
    assert_same_tree(one, other, ignore=["threshold"])
    factor = np.array([*factors, 1.0])[one.feature]
    # Up to rounding: a midpoint is a short decimal where that is all the difference.
    np.testing.assert_allclose(one.threshold * factor, other.threshold, rtol=1e-15)


def scalable(column):
    if not isinstance(column, NumericColumn):
        return False
    size = np.abs(column.values[np.isfinite(column.values) & (column.values != 0)])
    return not len(size) or bool(size.min() > 1e-30 and size.max() < 1e30)


@pytest.mark.parametrize("seed", METAMORPHIC)
@pytest.mark.parametrize("factor", [2.0**-7, 2.0**20])
def test_numbers_times_a_power_of_two_scale_what_is_measured_alone(grow, seed, factor):
    table, options = case(seed)
    if not isinstance(table.target, NumericTarget):
        table = random_table(np.random.default_rng(seed), "number")
        options = replace(options, criterion="squared_error")
    options = replace(options, min_gain=0.0, min_impurity_decrease=0.0)
    measured = ["value", "variance", "quartiles", "impurity", "gain", "risk"]
    one = grow(table, options)
    other = grow(with_y(table, table.target.values * factor), options)
    assert_same_tree(one, other, ignore=measured)
    np.testing.assert_array_equal(one.value * factor, other.value)
    power = factor if options.criterion == "poisson" else factor**2
    np.testing.assert_array_equal(one.gain * power, other.gain)


@pytest.mark.parametrize("seed", METAMORPHIC)
def test_renamed_categories_give_the_same_partition(grow, seed):
    rng = np.random.default_rng(seed)
    table, options = case(seed)
    # Weights without a pattern leave no ties to be decided by the order of names.
    table = weighted(table, rng.integers(1, 2**20, table.n_rows) / 2**20)
    table, options = tie_free(rng, table), tie_free_rules(options)
    renamed, places = [], []
    for column in table.columns:
        k = len(column.labels) if isinstance(column, CategoricalColumn) else 0
        place = rng.permutation(k)
        places.append(place)
        renamed.append(renamed_column(column, place) if k else column)
    one, other = grow(table, options), grow(with_columns(table, renamed), options)
    assert_same_tree(with_places(one, places), other)


def tie_free(rng, table):
    if isinstance(table.target, NumericTarget):
        return with_y(table, rng.normal(size=table.n_rows))
    return table


def tie_free_rules(options):
    """Squared error or gini, and no rule that counts rows or nodes."""
    is_number = options.criterion in ("squared_error", "poisson")
    return GrowOptions(criterion="squared_error" if is_number else "gini", max_depth=2)


def renamed_column(column, place):
    codes = np.where(column.codes < 0, -1, place[column.codes]).astype(np.int32)
    return replace(column, codes=codes)


def with_places(tree, places):
    """The tree with its categories renamed, in order again."""
    categories, branches = tree.categories.copy(), tree.category_branch.copy()
    for node in np.flatnonzero(tree.split_kind == SUBSET):
        part = slice(tree.category_start[node], tree.category_start[node + 1])
        codes = places[tree.feature[node]][categories[part]]
        order = np.argsort(codes)
        categories[part], branches[part] = codes[order], branches[part][order]
    return replace(tree, categories=categories, category_branch=branches)


@pytest.mark.parametrize("seed", METAMORPHIC)
def test_one_thread_and_two_give_the_same_bytes(grow, seed):
    table, options = case(seed)
    one = grow(table, replace(options, n_jobs=1))
    two = grow(table, replace(options, n_jobs=2))
    assert one == two


@pytest.mark.parametrize("criterion", ["gini", "entropy", "squared_error", "poisson"])
def test_threads_do_not_show_in_larger_tables(grow, criterion):
    rng = np.random.default_rng(7)
    n = 20_000
    x = np.round(rng.normal(size=(n, 6)), 2)
    x[rng.random(x.shape) < 0.02] = np.nan
    columns = [numeric(f"x{j}", x[:, j]) for j in range(5)]
    columns.append(categorical("c", (np.nan_to_num(x[:, 5]) * 3).astype(int).tolist()))
    signal = np.nan_to_num(x[:, 0]) + np.nan_to_num(x[:, 1]) ** 2
    y = rng.poisson(np.exp(np.clip(signal, -2, 2)))
    is_class = criterion in ("gini", "entropy")
    y = np.minimum(y, 3).tolist() if is_class else y.astype(float).tolist()
    table = make_table(columns, y)
    trees = [
        grow(table, GrowOptions(criterion=criterion, min_samples_leaf=5, n_jobs=jobs))
        for jobs in (1, 2, 3)
    ]
    assert trees[0].n_leaves > 100
    assert all(tree == trees[0] for tree in trees)
