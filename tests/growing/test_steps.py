"""Candidates of a node, splits made by hand, and what is refused.

A failing test names its seed: ``case(seed)`` makes the same table again.
"""

from dataclasses import fields, replace
from itertools import pairwise, product

import numpy as np
import pytest

from support.repeats import first_of
from support.stepping import (
    FEW,
    SEEDS,
    Order,
    answers,
    assert_statistics,
    branches_of,
    resume,
    row_weights,
    rows_of_nodes,
    steps_of,
    without_limits,
)
from support.strategies import case, categorical, make_table, numeric, ordinal
from treewright.errors import OptionError, TableError
from treewright.growing.grow import grow
from treewright.growing.impurity import gain, impurity
from treewright.growing.training_set import TrainingSet
from treewright.options import GrowOptions
from treewright.table.as_table import as_table
from treewright.tree.data import STOP_REASONS
from treewright.tree.split import IsMissing, Subset, Threshold, split_of
from treewright.tree.walk import node_at

# Candidates --------------------------------------------------------------------------


@pytest.mark.parametrize("seed", FEW)
def test_the_first_candidate_is_the_split_that_growing_takes(seed):
    table, options = case(seed)
    tree = grow(table, without_limits(options))
    order = Order(steps_of(table, without_limits(options)))
    while order.steps.open:
        node = order.steps.open[0]
        here = node_at(tree, order.keys[node])
        found = order.steps.candidates(node, top=1)
        taken = split_of(tree, here)
        assert found == ([] if taken is None else [taken]), f"case({seed}), {here}"
        order.step(node)


@pytest.mark.parametrize("seed", first_of(SEEDS, len(SEEDS) // 3))
def test_more_candidates_begin_with_the_split_that_growing_takes(seed):
    table, options = case(seed)
    steps = steps_of(table, without_limits(options))
    for _ in range(6):
        for node in steps.open[:1]:
            best = steps.candidates(node)
            if best:
                assert steps.candidates(node, top=9)[:1] == best, f"case({seed})"
            steps.step(node)


def assert_gain(table, rows, split, criterion, where):
    y, weights = answers(table)[rows], row_weights(table)[rows]
    sides = branches_of(split, table.columns[split.column])[rows]
    by_hand = gain(y, sides, criterion, weights)
    # Plain floating point, far from 0, loses what the core's integers keep.
    spare = 1e-9 * impurity(y, criterion, weights) + 1e-15 * np.ptp(y)
    said = f"{where}: {split.words(0)} gains {split.gain}, by hand {by_hand}"
    assert split.gain == pytest.approx(by_hand, rel=1e-9, abs=spare), said


@pytest.mark.parametrize("seed", first_of(SEEDS, len(SEEDS) // 3))
def test_candidates_are_one_per_column_best_first_with_the_gain_they_bring(seed):
    table, options = case(seed)
    training = TrainingSet(table, without_limits(options))
    options, steps = training.options, training.steps()
    order = Order(steps)
    for _ in range(4):
        for node in steps.open[:1]:
            tree = steps.tree()
            here = order.number(node)
            rows = rows_of_nodes(table, tree)[:, here]
            found = steps.candidates(node, top=len(table.columns) + 1)
            assert len({split.column for split in found}) == len(found)
            spare = np.nan_to_num(1e-12 * tree.impurity[here], posinf=0.0)
            assert all(a.gain >= b.gain - spare for a, b in pairwise(found))
            for split in found:
                assert_gain(table, rows, split, options.criterion, f"case({seed})")
            assert steps.candidates(node, top=2) == found[:2] or len(found) < 2
            order.step(node)


def every_split(like, column, rows):
    """All splits of the rows by the column of a given split."""
    missing_sides = (0, 1)
    if isinstance(like, Subset) or column.kind == "categorical":
        labels = [column.labels[c] for c in np.unique(column.codes[rows]) if c >= 0]
        for sides in product((0, 1), repeat=len(labels)):
            groups = tuple(
                tuple(x for x, side in zip(labels, sides, strict=True) if side == b)
                for b in (0, 1)
            )
            for missing in missing_sides:
                yield replace(like, branches=groups, missing=missing)
        return
    known = column.data[rows].astype(float)
    common = {f.name: getattr(like, f.name) for f in fields(like)}
    common = {k: v for k, v in common.items() if k not in ("threshold", "at", "values")}
    for value in np.unique(known[~np.isnan(known) & (known >= -1e308)]):
        for missing in missing_sides:
            common["missing"] = missing
            yield Threshold(**common, threshold=float(value), at="")


@pytest.mark.parametrize("seed", range(20_200, 20_260))
def test_no_allowed_split_of_a_column_gains_more_than_its_candidate(seed):
    table, options = case(seed)
    if any(len(getattr(c, "labels", ())) > 6 for c in table.columns):
        return
    training = TrainingSet(table, without_limits(options))
    options, steps = training.options, training.steps()
    for split in steps.candidates(0, top=9) if steps.open else ():
        column, weights = table.columns[split.column], row_weights(table)
        rows = weights > 0
        best = 0.0
        for other in every_split(split, column, rows):
            sides = branches_of(other, column)
            if is_allowed(table, options, rows, sides):
                worth = gain(answers(table), sides, options.criterion, weights)
                best = max(best, worth)
        whole = impurity(answers(table), options.criterion, weights)
        assert split.gain >= best - 1e-9 * whole, f"case({seed}): {split.words(0)}"


# What is allowed ---------------------------------------------------------------------


def is_allowed(table, options, rows, sides):
    """Say again, in plain words, which split the rules allow."""
    weights = row_weights(table)
    n_rows = np.count_nonzero(weights)
    fewest = options.min_samples_leaf
    fewest = fewest if isinstance(fewest, int) else np.ceil(fewest * n_rows)
    least = options.min_weight_fraction_leaf * weights.sum()
    for side in (0, 1):
        branch = rows & (sides == side)
        # What lies on the border to within rounding may be either.
        if branch.sum() < fewest or weights[branch].sum() < least * (1 - 1e-12):
            return False
        if options.criterion == "poisson" and not answers(table)[branch].any():
            return False
    return True


@pytest.mark.parametrize("seed", first_of(SEEDS, len(SEEDS) // 3))
def test_no_candidate_violates_the_rules_on_rows_and_weight(seed):
    table, options = case(seed)
    rng = np.random.default_rng(seed)
    options = replace(
        TrainingSet(table, without_limits(options)).options,
        min_samples_leaf=[1, 2, 4, 0.15][rng.integers(4)],
        min_weight_fraction_leaf=[0.0, 0.0713, 0.2171][rng.integers(3)],
    )
    order = Order(steps_of(table, options))
    while order.steps.open:
        node = order.steps.open[0]
        here = order.number(node)
        rows = rows_of_nodes(table, order.steps.tree())[:, here]
        for top in (1, 9):
            for split in order.steps.candidates(node, top):
                sides = branches_of(split, table.columns[split.column])
                said = f"case({seed}): {split.words(0)}"
                assert is_allowed(table, options, rows, sides), said
        order.step(node)


# Splits by hand ----------------------------------------------------------------------


@pytest.fixture(params=["gini", "entropy", "squared_error", "poisson"])
def by_hand(request):
    """A table with a column of each kind, some values missing, and its options."""
    rng = np.random.default_rng(3)
    n = 60
    gone = rng.random((n, 3)) < 0.1

    def maybe(values, j):
        return [None if g else v for v, g in zip(values, gone[:, j], strict=True)]

    columns = [
        numeric("age", maybe(rng.integers(18, 80, n).astype(float), 0)),
        categorical("town", maybe(rng.choice(list("abcde"), n).tolist(), 1)),
        ordinal("size", maybe(rng.choice(list("lms"), n).tolist(), 2)),
    ]
    y = rng.poisson(2, n)
    is_class = request.param in ("gini", "entropy")
    y = np.minimum(y, 2).tolist() if is_class else y.astype(float).tolist()
    weights = rng.integers(1, 4, n).astype(float)
    return make_table(columns, y, weights), GrowOptions(criterion=request.param)


def first_of(kind, candidates):
    return next(split for split in candidates if type(split) is kind)


def test_a_worse_candidate_can_be_forced(by_hand):
    table, options = by_hand
    steps = steps_of(table, options)
    worst = steps.candidates(0, top=3)[-1]
    left, right = steps.split(0, worst)
    assert (left, right) == (1, 2)
    tree = steps.grow_all()
    assert split_of(tree, 0) == worst
    assert_statistics(table, tree, options.criterion)


@pytest.mark.parametrize("missing", [0, 1])
@pytest.mark.parametrize("at", [30.0, 41.3])
def test_a_threshold_made_by_hand_can_be_forced(by_hand, at, missing):
    table, options = by_hand
    steps = steps_of(table, options)
    like = first_of(Threshold, steps.candidates(0, top=3))
    mine = replace(like, column=0, feature="age", threshold=at, missing=missing)
    steps.split(0, mine)
    tree = steps.grow_all()
    assert (tree.threshold[0], tree.missing_route[0]) == (at, missing)
    assert_statistics(table, tree, options.criterion)


@pytest.mark.parametrize(
    "groups", [(("a", "d"), ("b", "c", "e")), (("e",), ("a",)), (("b",), ())]
)
@pytest.mark.parametrize("missing", [0, 1])
def test_a_grouping_made_by_hand_can_be_forced(by_hand, groups, missing):
    # A category that is not listed goes where missing values go.
    table, options = by_hand
    steps = steps_of(table, options)
    like = first_of(Subset, steps.candidates(0, top=3))
    mine = replace(like, branches=groups, missing=missing)
    if not groups[1] and not missing:
        with pytest.raises(OptionError, match="does not divide node 0"):
            steps.split(0, mine)
        return
    steps.split(0, mine)
    tree = steps.grow_all()
    assert split_of(tree, 0).branches == groups
    assert_statistics(table, tree, options.criterion)


def test_missing_against_known_can_be_forced(by_hand):
    table, options = by_hand
    steps = steps_of(table, options)
    steps.split(0, IsMissing("age", 0, 0, 2, 0.0, True))
    tree = steps.grow_all()
    assert tree.n_rows[1] == np.isnan(table.columns[0].values).sum()
    assert_statistics(table, tree, options.criterion)


def test_a_forced_split_may_break_the_rules_that_candidates_keep():
    table = make_table([numeric("x", range(8))], [0, 1] * 4)
    steps = steps_of(table, GrowOptions(min_samples_leaf=3))
    mine = replace(steps.candidates(0)[0], threshold=0.5)
    steps.split(0, mine)
    assert steps.tree().n_rows.tolist() == [8, 1, 7]


def test_a_closed_node_stays_a_leaf_with_the_reason_given():
    table = make_table([numeric("x", range(8))], [0, 1] * 4)
    steps = steps_of(table)
    _, right = steps.step(0)
    steps.close(right)
    assert right not in steps.open
    assert steps.stop_reason(right) == "pruned"
    tree = steps.grow_all()
    assert STOP_REASONS[tree.stop_reason[node_at(tree, [1])]].name == "pruned"


def test_open_nodes_are_listed_and_leave_the_list():
    table = make_table([numeric("x", range(6))], [0, 1, 1, 0, 0, 1])
    steps = steps_of(table)
    assert steps.open == (0,)
    left, right = steps.step(0)
    assert set(steps.open) <= {left, right}
    steps.grow_all()
    assert steps.open == ()


def test_columns_set_aside_keep_the_numbers_of_the_others():
    rng = np.random.default_rng(2)
    columns = [numeric(f"x{j}", rng.normal(size=40)) for j in range(3)]
    table = make_table(columns, rng.integers(0, 2, 40).tolist())
    features = list(table.schema.features)
    features[0] = replace(features[0], set_aside="for this test")
    schema = replace(table.schema, features=tuple(features))
    table = replace(table, schema=schema)
    steps = steps_of(table)
    found = steps.candidates(0, top=3)
    assert {(s.feature, s.column) for s in found} == {("x1", 1), ("x2", 2)}
    steps.split(0, found[1])
    tree = steps.grow_all()
    assert split_of(tree, 0) == found[1]
    assert resume(table, tree)[0].grow_all() == tree
    with pytest.raises(OptionError, match=r"one of the numbers \[1, 2\]; got"):
        steps_of(table).split(0, replace(found[0], column=0))


# Errors ------------------------------------------------------------------------------


@pytest.fixture
def steps():
    columns = [numeric("x", range(6)), categorical("c", list("aabbcc"))]
    return steps_of(make_table(columns, [0, 1, 1, 0, 0, 1]))


def threshold_on(steps, **changes):
    like = first_of(Threshold, steps.candidates(0, top=2))
    return replace(like, **changes)


@pytest.mark.parametrize("at", [-1.0, 5.0, np.inf, -np.inf])
def test_a_split_that_leaves_a_branch_empty_is_refused(steps, at):
    words = "'x <= .* does not divide node 0: .*without rows.*in every branch"
    with pytest.raises(OptionError, match=words):
        steps.split(0, threshold_on(steps, threshold=at, at=str(at)))
    assert steps.open == (0,)
    assert steps.grow_all().n_nodes > 1


@pytest.mark.parametrize("node", [-1, 1, 99, 0.0, "root", True])
def test_a_node_that_does_not_exist_is_refused(steps, node):
    words = "node must be a whole number from 0 to 0; got"
    for call in (steps.candidates, steps.close, steps.step, steps.stop_reason):
        with pytest.raises(OptionError, match=words):
            call(node)


def test_a_node_that_is_not_open_is_refused(steps):
    split = steps.candidates(0)[0]
    left, right = steps.split(0, split)
    for call in (steps.candidates, steps.close, steps.step):
        with pytest.raises(OptionError, match=r"Node 0 is already split .* Open"):
            call(0)
    with pytest.raises(OptionError, match="Node 0 is already split"):
        steps.split(0, split)
    steps.close(right, "max_nodes")
    with pytest.raises(OptionError, match=rf"Node {right} is already a leaf \(max_no"):
        steps.step(right)
    steps.grow_all()
    with pytest.raises(OptionError, match="Open nodes: none"):
        steps.candidates(left)


def test_a_reason_that_does_not_exist_is_refused(steps):
    with pytest.raises(
        OptionError, match=r"reason must be one of pure, .*; got 'bored'"
    ):
        steps.close(0, "bored")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"column": 7}, r"one of the numbers \[0, 1\]; got column 7"),
        ({"column": -1}, "got column -1"),
        ({"column": 1}, "A categorical column such as 'c' cannot be divided by .*Thr"),
        ({"missing": 2}, "needs a branch for missing values, 0 to 1, or -1 to stop"),
        ({"threshold": np.nan}, "threshold of 'x' must not be NaN"),
    ],
)
def test_a_split_that_does_not_fit_the_table_is_refused(steps, changes, words):
    with pytest.raises(OptionError, match=words):
        steps.split(0, threshold_on(steps, **changes))


@pytest.mark.parametrize(
    "groups",
    [(("a", "z"), ("b",)), (("a",), ("b",), ("c",)), (("a", "b"), ("b", "c"))],
)
def test_a_grouping_that_does_not_fit_the_column_is_refused(steps, groups):
    like = first_of(Subset, steps.candidates(0, top=2))
    words = r"'c' needs 2 groups of its categories \{a, b, c\}, each category in"
    with pytest.raises(OptionError, match=words):
        steps.split(0, replace(like, branches=groups))


def test_resuming_under_a_rule_that_stops_above_a_split_says_which():
    table = make_table([numeric("x", range(8))], [0, 1] * 4)
    tree = grow(table)
    words = r"The split of node \d+ of the tree .* cannot be made .*max_depth"
    with pytest.raises(OptionError, match=words):
        resume(table, tree, GrowOptions(max_depth=1))


def test_resuming_on_a_table_with_other_columns_is_refused():
    table = make_table([numeric("x", range(8))], [0, 1] * 4)
    other = make_table([numeric("z", range(8))], [0, 1] * 4)
    with pytest.raises(TableError, match="columns of the table differ"):
        resume(other, grow(table))


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        ([1.0, 2.0], r"sample_weight.shape == \(2,\), expected \(4,\)"),
        ([1.0, -2.0, 1.0, 1.0], "sample_weight is negative in row 1"),
        ([0.0] * 4, "all zero"),
    ],
)
def test_a_fold_with_bad_weights_is_refused(weights, words):
    table = make_table([numeric("x", range(4))], [3.0, 0.0, 0.0, 0.0])
    with pytest.raises(TableError, match=words):
        steps_of(table, weights=weights)


def test_an_interrupted_growth_leaves_a_sound_tree():
    random = np.random.default_rng(0)
    X = random.normal(size=(1_600_000, 6))
    y = X[:, 0] + random.normal(size=len(X)) > 0
    training = TrainingSet(as_table(X, y, task="class"), GrowOptions(n_jobs=2))
    whole = training.grow()

    def stop(share):
        raise KeyError("enough")

    for _ in range(3):
        steps = training.steps()
        with pytest.raises(KeyError, match="enough"):
            steps.grow_all(stop)
        assert 1 <= steps.tree().n_nodes < whole.n_nodes
