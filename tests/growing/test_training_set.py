"""One recipe for every tree: what `TrainingSet` keeps, and that its doors agree."""

from dataclasses import replace

import numpy as np
import pytest

from support.stepping import ORDERS, Order, assert_same_bytes
from support.strategies import categorical, make_table, numeric, weighted
from treewright.errors import TableError
from treewright.growing.competitors import competitors_of
from treewright.growing.grow import grow
from treewright.growing.training_set import TrainingSet
from treewright.options import GrowOptions
from treewright.tree.check import check
from treewright.tree.data import LEAF
from treewright.tree.edit import collapse

CONVENTIONS = {
    "sklearn": {"conventions": "sklearn"},
    "rpart": {"conventions": "rpart", "missing": "surrogate"},
    "j48": {"conventions": "j48", "method": "c45"},
}


def random_table(seed):
    """Numbers, some within 1e-7 of each other, categories, and missing values."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(8, 60))
    near = rng.integers(0, 6, n) + rng.integers(0, 4, n) * 5e-8
    x = np.round(rng.normal(size=n), 1)
    label = rng.choice(list("abcdefg"), n).astype(object)
    for values in (near, x):
        values[rng.random(n) < 0.1] = np.nan
    label[rng.random(n) < 0.1] = None
    columns = [
        numeric("near", near),
        numeric("x", x),
        categorical("label", label.tolist()),
    ]
    table = make_table(columns, rng.integers(0, 3, n).tolist(), classes=(0, 1, 2))
    heavy = rng.random() < 0.3
    return weighted(table, rng.integers(0, 3, n) + 0.5) if heavy else table


@pytest.mark.parametrize("conventions", CONVENTIONS)
@pytest.mark.parametrize("seed", range(60_000, 60_040))
def test_steps_all_the_way_are_growing_under_every_convention(seed, conventions):
    options = GrowOptions(**CONVENTIONS[conventions])
    table, rng = random_table(seed), np.random.default_rng(seed)
    training = TrainingSet(table, options)
    grown = grow(table, options)
    check(grown)
    assert_same_bytes(grown, training.grow(), f"random_table({seed})")
    order = Order(training.steps())
    while order.steps.open:
        order.step(ORDERS["any order"](order, rng))
    assert_same_bytes(grown, order.steps.tree(), f"random_table({seed})")


@pytest.mark.parametrize("conventions", CONVENTIONS)
@pytest.mark.parametrize("seed", range(60_000, 60_020))
def test_a_pruned_tree_resumed_grows_back_under_every_convention(seed, conventions):
    training = TrainingSet(random_table(seed), GrowOptions(**CONVENTIONS[conventions]))
    tree, rng = training.grow(), np.random.default_rng(seed)
    inner = np.flatnonzero(tree.split_kind != LEAF)
    pruned, _ = collapse(tree, inner[rng.random(len(inner)) < 0.5])
    steps = training.steps()
    steps.resume(pruned)
    assert_same_bytes(tree, steps.grow_all(), f"random_table({seed})")


@pytest.mark.parametrize("seed", [60_006, 60_075, 60_096])
def test_branches_without_rows_have_no_number_when_a_tree_of_j48_is_resumed(seed):
    training = TrainingSet(random_table(seed), GrowOptions(**CONVENTIONS["j48"]))
    tree, steps = training.grow(), training.steps()
    empty = tree.n_rows == 0
    assert empty.any()
    numbers = steps.resume(tree)
    assert (numbers[empty] == -1).all()
    assert sorted(numbers[~empty]) == list(range((~empty).sum()))
    assert_same_bytes(tree, steps.grow_all(), f"random_table({seed})")


def test_a_fold_leaves_rows_out_of_growing_and_finishing():
    x = [0.0, 1.0, 2.0, 3.0, 3.4, 9.0]
    table = make_table([numeric("x", x)], [0, 0, 0, 1, 1, 1])
    training = TrainingSet(table, GrowOptions(thresholds="readable"))
    fold = [1.0, 1.0, 1.0, 0.0, 0.0, 1.0]
    tree = training.grow(fold)
    assert tree.n_rows[0] == 4
    assert tree.threshold[0] == 5.5
    assert training.finish(tree, fold).threshold[0] == 6  # between 2 and 9
    assert training.finish(training.grow()).threshold[0] == 2.5


def test_growing_alone_does_not_finish():
    table = random_table(60_001)
    training = TrainingSet(table, GrowOptions(competitors=1))
    assert not training.grow().extras
    assert training.finish(training.grow(last=True)).extras
    assert grow(table, GrowOptions(competitors=1)).extras


def test_competitors_stop_at_the_number_of_columns():
    table = random_table(60_001)
    most, all_there_are = (
        grow(table, GrowOptions(competitors=n)) for n in (10**9, len(table.usable))
    )
    assert str(competitors_of(most, 0)) == str(competitors_of(all_there_are, 0))
    assert most.extras["competitor_column"].shape == (most.n_nodes, 3)


def test_options_are_settled_once():
    generator = np.random.default_rng(0)
    options = GrowOptions(random_state=generator, max_features=1)
    training = TrainingSet(random_table(60_001), options)
    assert training.options.criterion == "gini"
    assert training.options.missing == "learned"
    assert isinstance(training.options.random_state, int)
    assert training.grow() == training.grow() == training.steps().grow_all()


def test_other_options_share_the_sort_and_leave_the_set_as_it_is():
    table = random_table(60_001)
    training = TrainingSet(table)
    assert training.with_options(max_depth=1).grow() == grow(
        table, GrowOptions(max_depth=1)
    )
    assert training.options.max_depth is None
    assert training.grow() == grow(table)


def test_the_schema_has_the_range_of_the_columns_as_they_are_read():
    table = make_table([numeric("x", [0.1, 0.2, 0.7])], [0, 1, 1])
    as_read = TrainingSet(table, GrowOptions(conventions="sklearn")).table
    feature = as_read.schema.features[0]
    assert feature.float32
    assert feature.summary.minimum == float(np.float32(0.1)) != 0.1
    assert not table.schema.features[0].float32


def test_what_cannot_be_grown_from_is_refused():
    table = make_table([numeric("x", range(4))], [3.0, 0.0, 0.0, 0.0])
    with pytest.raises(TableError, match="has no target"):
        TrainingSet(replace(table, target=None))
    counts = GrowOptions(criterion="poisson")
    with pytest.raises(TableError, match="sum above 0, but all values are 0"):
        TrainingSet(weighted(table, [0.0, 1.0, 1.0, 1.0]), counts)
    # A fold without events is a tree of one leaf.
    assert TrainingSet(table, counts).grow([0.0, 1.0, 1.0, 1.0]).n_nodes == 1
