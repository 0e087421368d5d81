"""Pruning on validation rows: by hand, by brute force, both rules for ties."""

import itertools

import numpy as np
import pytest

import treewright as tw
from support.build import build, leaf, schema_of, threshold
from treewright.growing.grow import grow
from treewright.pruning.validation import prune_by_validation
from treewright.table.as_table import as_table
from treewright.table.table import ClassTarget, NumericTarget
from treewright.tree.data import STOP_CODES
from treewright.tree.edit import collapse
from treewright.tree.new_rows import NewRows
from treewright.tree.route import route


def new_rows(x, y, weights=None):
    x = np.asarray(x, dtype=float)
    target = ClassTarget(np.asarray(y, dtype=np.int32), np.array(["no", "yes"]))
    return NewRows([x], target, weights)


def seed_002():
    """Yes below 1, no from 1 to 2, yes above: the middle may be noise."""
    inner = threshold(0, 2, leaf(0), leaf(1, 1, 1))
    return build(threshold(0, 1, leaf(1, 1), inner), schema_of("x"))


def test_a_split_goes_if_the_error_falls_and_with_a_tie_only_by_default():
    tree = seed_002()
    better_without = new_rows([0.5, 1.5, 3], [1, 1, 1])
    for keep in (False, True):
        pruned, record = prune_by_validation(tree, better_without, keep_ties=keep)
        assert pruned.n_leaves == (1 if not keep else 2)
    nobody_in_the_middle = new_rows([0.5, 3], [1, 1])
    pruned, record = prune_by_validation(tree, nobody_in_the_middle)
    assert pruned.n_leaves == 1
    assert pruned.stop_reason[0] == STOP_CODES["validation"]
    kept, record = prune_by_validation(tree, nobody_in_the_middle, keep_ties=True)
    assert kept == tree
    needed = new_rows([0.5, 1.5, 3], [1, 0, 1])
    assert prune_by_validation(tree, needed)[0] == tree
    assert record.validation_error[0] == 0


def errors_of(tree, x, y):
    return int((tree.label[route(tree, [x], len(x))] != y).sum())


@pytest.mark.parametrize("seed", range(15))
def test_no_pruning_does_better_on_the_validation_rows(seed):
    rng = np.random.default_rng(seed)
    x, y = np.round(rng.normal(size=40), 1), rng.integers(0, 2, 40)
    tree = grow(as_table(x.reshape(-1, 1), y), tw.GrowOptions(max_depth=3))
    new_x, new_y = np.round(rng.normal(size=25), 1), rng.integers(0, 2, 25)
    inner = np.flatnonzero(tree.subtree_size > 1).tolist()
    everything = {
        (errors_of(cut, new_x, new_y), cut.n_leaves)
        for n in range(len(inner) + 1)
        for nodes in itertools.combinations(inner, n)
        for cut in [collapse(tree, nodes)[0] if nodes else tree]
    }
    pruned, _ = prune_by_validation(tree, new_rows(new_x, new_y))
    assert (errors_of(pruned, new_x, new_y), pruned.n_leaves) == min(everything)
    kept, _ = prune_by_validation(tree, new_rows(new_x, new_y), keep_ties=True)
    assert errors_of(kept, new_x, new_y) == min(everything)[0]
    assert kept.n_leaves >= pruned.n_leaves


def test_numbers_are_pruned_by_squared_error():
    rng = np.random.default_rng(0)
    x = rng.random(200)
    y = (x > 0.5) * 5.0 + rng.normal(size=200)
    tree = grow(as_table(x[:100, None], y[:100], task="number"))
    rows = NewRows([x[100:]], NumericTarget(y[100:]), None)
    pruned, record = prune_by_validation(tree, rows)
    assert pruned.n_leaves < 30
    answer = pruned.value[route(pruned, [x[100:]], 100), 0]
    assert np.mean((y[100:] - answer) ** 2) <= record.validation_error.min() + 1e-12


def test_where_the_validation_error_starts_to_rise():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(800, 4))
    y = ((X[:, 0] > 0) & (X[:, 1] > 0)).astype(int) ^ (rng.random(800) < 0.2)
    fitted = tw.TreeClassifier(prune="validation", validation_fraction=0.4).fit(X, y)
    record = fitted.pruning_
    least = record.validation_error.min()
    larger = record.n_leaves > record.rises_after
    assert (record.validation_error[larger] >= least).all()
    assert record.validation_error[0] > least
    assert record.error[0] < record.error[record.best]
    assert "validation error" in str(record)
    assert fitted.tree_.n_rows[0] == pytest.approx(480, abs=60)  # chosen by hash


def test_the_record_says_whether_its_table_holds_the_tree_taken():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(400, 4))
    y = ((X[:, 0] > 0) & (X[:, 1] > 0)).astype(int) ^ (rng.random(400) < 0.2)
    found = set()
    for seed, depth in ((0, 1), (0, 2), (0, None), (1, None), (2, None), (3, None)):
        estimator = tw.TreeClassifier(
            prune="validation", max_depth=depth, random_state=seed
        )
        record = estimator.fit(X, y).pruning_
        found.add(record.chosen >= 0)
        words = " ".join(str(record).split())
        if record.chosen >= 0:
            assert record.n_leaves[record.chosen] == record.n_leaves_after
            assert "<- taken" in words
        else:
            assert "cut split by split and is not among them" in words
        starts = f"the table starts with {record.n_leaves[0]} of the "
        assert (starts in words) == (record.n_leaves[0] < record.n_leaves_before)
        assert ("is not among them" in record._repr_html_()) == (record.chosen < 0)
    assert found == {True, False}


@pytest.mark.parametrize(
    ("share", "part"), [(1e-6, "validation"), (1 - 1e-6, "training")]
)
def test_a_share_that_leaves_a_part_without_rows_is_refused(share, part):
    X, y = np.arange(60.0).reshape(-1, 1), np.arange(60) > 30
    estimator = tw.TreeClassifier(prune="validation", validation_fraction=share)
    with pytest.raises(tw.TableError) as refused:
        estimator.fit(X, y)
    assert str(refused.value) == (
        f"Holding rows out for validation leaves no {part} row of 60 rows. Pass more "
        "rows, another validation_fraction, X_val and y_val, or prune=None."
    )


def test_given_validation_rows_leave_all_rows_for_training():
    X = np.random.default_rng(2).normal(size=(300, 3))
    y = (X[:, 0] > 0).astype(int)
    fit = tw.TreeClassifier(prune="validation").fit
    fitted = fit(X[:200], y[:200], X_val=X[200:], y_val=y[200:])
    assert fitted.tree_.n_rows[0] == 200
    halves = np.full(100, 0.5)
    again = fit(
        X[:200], y[:200], X_val=X[200:], y_val=y[200:], sample_weight_val=halves
    )
    assert again.tree_ == fitted.tree_


def test_class_weights_count_for_the_validation_rows_too():
    X = np.arange(40.0).reshape(-1, 1)
    y = np.array([0] * 30 + [1, 0] * 5)
    estimator = tw.TreeClassifier(prune="validation", class_weight={1: 10.0})
    assert estimator.fit(X, y, X_val=X, y_val=y).tree_.n_leaves > 1
