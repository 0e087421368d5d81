"""Columns of many categories: charged where columns compete, exact in themselves."""

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from support.stepping import steps_of
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
from treewright.errors import OptionError
from treewright.growing.grow import grow
from treewright.growing.reference import grow_reference
from treewright.growing.reference.candidates import levels_of, values_of
from treewright.growing.reference.guard import CHANCE_OF_NUMBER, charge_of
from treewright.growing.reference.sums import Target
from treewright.options import GrowOptions
from treewright.tree.data import SUBSET

GUARD, EXACT = GrowOptions(many_levels="guard"), GrowOptions(many_levels="exact")


def levels_table(seed, n=60, k=20, task="class", missing=0.0, weights=False):
    """A number with weak signal, a column of k categories and another of four."""
    rng = np.random.default_rng(seed)
    codes = np.concatenate([np.arange(k), rng.integers(0, k, n - k)])
    x = rng.integers(0, 12, n).astype(float)
    label = [f"c{code:02}" for code in codes]
    few = [f"f{code}" for code in rng.integers(0, 4, n)]
    if missing:
        label = [None if rng.random() < missing else each for each in label]
        x[rng.random(n) < missing] = np.nan
    signal = np.nan_to_num(x, nan=3.0) + rng.integers(-6, 7, n)
    y = (signal > 6).astype(int) if task == "class" else np.maximum(signal, 0.0) + 1.0
    columns = [numeric("x", x), categorical("many", label), categorical("few", few)]
    table = make_table(columns, y.tolist(), classes=(0, 1) if task == "class" else None)
    return weighted(table, rng.integers(1, 4, n).astype(float)) if weights else table


def alone_table():
    """40 rows, each its own level, and a number that is right five times in six."""
    y = np.repeat([0, 1], 20)
    x = np.where(np.arange(40) % 6 == 0, 1 - y, y).astype(float)
    columns = [numeric("x", x), categorical("id", [f"r{i:02}" for i in range(40)])]
    return make_table(columns, y.tolist())


# The rule ----------------------------------------------------------------------------


def test_the_charge_is_worked_out_by_hand():
    # 16 levels of 4 rows: (16 sqrt(4))^2 / 64 = 16 means to fit, 6 of them free.
    values = [f"c{i % 16:02}" for i in range(64)]
    y = [int(i % 3 == 0) for i in range(64)]
    table = make_table([categorical("c", values)], y)
    target = Target(table, "gini")
    rows = dict.fromkeys(target.present, 1)
    impurity = target.impurity(rows, target.sums(rows))
    levels = levels_of(0, values_of(table.columns[0]), rows, target)
    assert CHANCE_OF_NUMBER == 6
    assert float(charge_of(levels, impurity, 1)) == pytest.approx(
        float(impurity) * (16 - 6) / 64, rel=1e-12
    )


def test_rows_alone_in_their_level_leave_a_grouping_no_more_than_noise():
    # The grouping is perfect, and worth 6/40 of the impurity.
    table = alone_table()
    assert grow(table, EXACT).feature[0] == 1
    tree = grow(table, GUARD)
    assert tree.feature[0] == 0
    assert 6 / 40 < tree.gain[0] / tree.impurity[0] < 1


def test_the_recorded_gain_is_the_true_fall_of_impurity():
    table = levels_table(1, n=200)
    table = make_table(table.columns[1:2], table.target.codes.tolist())
    # The only column: it is charged, wins all the same, and records what it gains.
    guarded, exact = grow(table, GUARD), grow(table, EXACT)
    assert guarded.gain[0] == exact.gain[0] > 0
    assert (guarded.category_branch == exact.category_branch).all()


# Core and reference ------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("task", ["class", "number"])
def test_fast_equals_slow(task, seed):
    criteria = {
        "class": ("gini", "entropy", "misclassification", "gain_ratio"),
        "number": ("squared_error", "poisson", "squared_error", "poisson"),
    }
    table = levels_table(
        seed, task=task, missing=0.1 * (seed % 3), weights=seed % 2 == 1
    )
    options = GrowOptions(
        criterion=criteria[task][seed % 4],
        missing=("learned", "fractional", "surrogate")[seed % 3],
        max_depth=4,
    )
    slow = grow_reference(on_the_grid(table), options)
    assert slow.made_by["options"]["many_levels"] == "guard"
    difference = first_difference(slow, grow(table, options))
    assert difference is None, f"slow first: {difference}"


def test_the_guard_changes_trees_of_these_tables():
    same = [
        grow(levels_table(s), GUARD) == grow(levels_table(s), EXACT) for s in range(10)
    ]
    assert not all(same)


@pytest.mark.parametrize("seed", range(60))
def test_up_to_12_categories_nothing_is_charged(seed):
    table, options = case(seed)
    if all(len(f.labels or ()) <= 12 for f in table.schema.features):
        settings = options.to_dict()
        guarded = grow(table, GrowOptions(**settings | {"many_levels": "guard"}))
        exact = grow(table, GrowOptions(**settings | {"many_levels": "exact"}))
        assert_same_tree(exact, guarded)


def test_the_categories_that_count_are_those_of_the_rows_that_count():
    # 13 categories, one of them in a row of weight 0 only.
    table = levels_table(3, n=60, k=13)
    alone = table.columns[1].codes == 12
    table = weighted(table, np.where(alone, 0.0, 1.0))
    assert_same_tree(grow(table, EXACT), grow(table, GUARD))


@pytest.mark.parametrize("seed", range(5))
def test_any_order_of_rows_gives_the_same_tree(seed):
    table = levels_table(seed, n=150, missing=0.1)
    order = np.random.default_rng(seed).permutation(table.n_rows)
    assert_same_tree(grow(table, GUARD), grow(take(table, order), GUARD))


@pytest.mark.parametrize("seed", range(5))
def test_weight_three_equals_three_copies(seed):
    table = levels_table(seed, n=80)
    heavy = grow(weighted(table, np.full(80, 3.0)), GUARD)
    copies = grow(take(table, np.repeat(np.arange(80), 3)), GUARD)
    for name in ("feature", "threshold", "gain", "value", "category_branch"):
        one, other = getattr(heavy, name), getattr(copies, name)
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("seed", range(5))
def test_weights_that_sum_to_one_grow_the_tree_without_weights(seed):
    table = levels_table(seed, n=80)
    light = grow(weighted(table, np.full(80, 1 / 80)), GUARD)
    plain = grow(table, GUARD)
    for name in ("feature", "threshold", "category_branch"):
        np.testing.assert_array_equal(getattr(light, name), getattr(plain, name))


def test_candidates_come_in_the_order_in_which_they_compete():
    found = steps_of(alone_table(), GUARD).candidates(0, 2)
    assert [each.column for each in found] == [0, 1]
    assert found[0].gain < found[1].gain
    found = steps_of(alone_table(), EXACT).candidates(0, 2)
    assert [each.column for each in found] == [1, 0]


def test_why_says_that_a_larger_gain_was_charged():
    table = alone_table()
    X = {"x": table.columns[0].values, "id": [f"r{i:02}" for i in range(40)]}
    tree = tw.TreeClassifier(prune=None, kinds={"id": "categorical"})
    tree.fit(X, table.target.codes)
    said = str(tw.why(tree, 0, X, table.target.codes))
    assert "This is not the split of largest gain" in said
    assert "charged for the choice among so many groupings" in said


# What it is for ----------------------------------------------------------------------


def drawn(seed, n_levels, effect, task="class", n_rows=2000, n_new=4000):
    """Weak signal in two of four numbers; a column of levels, with or without effect.

    Returns training rows and new ones.
    """
    rng = np.random.default_rng(seed)
    n = n_rows + n_new
    X = pd.DataFrame({f"x{j}": rng.standard_normal(n) for j in range(4)})
    code = rng.integers(0, n_levels, n)
    score = 0.9 * X["x0"].to_numpy() + 0.7 * (X["x1"].to_numpy() > 0.3)
    score += effect * np.random.default_rng(99).standard_normal(n_levels)[code]
    if task == "class":
        y = rng.random(n) < 1 / (1 + np.exp(score.mean() - score))
    else:
        y = score + 2 * rng.standard_normal(n)
    X["level"] = [f"l{c:04}" for c in code]
    return X[:n_rows], y[:n_rows], X[n_rows:], y[n_rows:]


def fitted(task, X, y, **settings):
    kind = tw.TreeClassifier if task == "class" else tw.TreeRegressor
    kinds = {"level": "categorical"} if "level" in X else None
    return kind(kinds=kinds, **settings).fit(X, y)


def error(tree, X, y):
    return np.mean((tree.predict(X).astype(float) - y) ** 2)


@pytest.mark.filterwarnings("ignore::treewright.errors.UnseenCategoryWarning")
@pytest.mark.parametrize("n_levels", [30, 100, 1000, 3000])
@pytest.mark.parametrize("task", ["class", "number"])
def test_a_column_of_noise_does_not_hide_weak_signal(task, n_levels):
    numbers, ratios = ["x0", "x1", "x2", "x3"], []
    for seed in range(3):
        X, y, new, truth = drawn(seed, n_levels, 0.0, task)
        alone = fitted(task, X[numbers], y)
        beside = fitted(task, X, y)
        assert beside.get_n_leaves() > 1
        ratios.append(error(beside, new, truth) / error(alone, new[numbers], truth))
    assert np.mean(ratios) <= 1.03


@pytest.mark.parametrize("task", ["class", "number"])
def test_without_the_guard_it_does(task):
    X, y, _, _ = drawn(0, 3000, 0.0, task)
    exact = fitted(task, X, y, many_levels="exact")
    assert exact.get_n_leaves() == 1


@pytest.mark.parametrize("task", ["class", "number"])
def test_true_signal_in_a_hundred_levels_is_found(task):
    X, y, new, truth = drawn(0, 100, 1.5, task)
    numbers = ["x0", "x1", "x2", "x3"]
    tree = fitted(task, X, y)
    assert 4 in tree.tree_.data.feature[tree.tree_.data.split_kind == SUBSET]
    without = error(fitted(task, X[numbers], y), new[numbers], truth)
    assert error(tree, new, truth) < 0.9 * without


# The option --------------------------------------------------------------------------


def test_none_means_the_guard_for_cart_only():
    def settled(**options):
        return GrowOptions(**options).for_task("class").many_levels

    assert settled() == "guard"
    assert settled(many_levels="exact") == "exact"
    assert settled(method="id3") == settled(method="c45") == "exact"
    assert settled(conventions="rpart") == settled(conventions="sklearn") == "exact"
    assert settled(conventions="rpart", many_levels="guard") == "guard"


def test_bad_values_are_refused_in_words():
    with pytest.raises(OptionError, match="many_levels must be 'guard' or 'exact', or"):
        GrowOptions(many_levels="pool")
    words = "many_levels='guard' is a choice of method='cart'; got method='c45'"
    with pytest.raises(OptionError, match=words):
        GrowOptions(many_levels="guard", method="c45")
