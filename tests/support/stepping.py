"""Helpers for tests that grow node by node: orders, and work done by hand."""

from dataclasses import replace

import numpy as np
import pytest

from support.strategies import first_difference
from treewright.growing.impurity import gain, impurity
from treewright.growing.training_set import TrainingSet
from treewright.table.column import NumericColumn
from treewright.table.table import ClassTarget
from treewright.tree.check import check
from treewright.tree.route import decision_path, route
from treewright.tree.split import IsMissing, Threshold, split_of
from treewright.tree.walk import node_at

SEEDS = range(20_000, 20_120)  # not used by the tests against the reference
FEW = range(20_000, 20_040)


def steps_of(table, options=None, weights=None):
    """The root of a table, open, with a sort of its own."""
    return TrainingSet(table, options).steps(weights)


def resume(table, tree, options=None, weights=None):
    """The steps of a table with the splits of a tree made, and the nodes' numbers."""
    steps = steps_of(table, options, weights)
    return steps, steps.resume(tree)


def without_limits(options):
    """The options without those that count leaves or nodes of the whole tree."""
    return replace(options, max_leaf_nodes=None, max_nodes=None)


def local_rules(options):
    """The options without those that look beyond the node itself."""
    counts = {
        name: value if isinstance(value := getattr(options, name), int) else 2
        for name in ("min_samples_split", "min_samples_leaf")
    }
    return replace(
        without_limits(options),
        **counts,
        max_depth=None,
        min_weight_fraction_leaf=0.0,
        min_impurity_decrease=0.0,
    )


def different_arrays(one, other, ignore=()):
    """Names of the arrays that differ in any bit."""
    arrays, others = one.arrays(), other.arrays()
    return [
        name
        for name in arrays
        if name not in ignore and arrays[name].tobytes() != others[name].tobytes()
    ]


def assert_same_bytes(one, other, where):
    if one.fingerprint != other.fingerprint:
        found = first_difference(one, other) or different_arrays(one, other)
        pytest.fail(f"{where}: {found}")


def row_weights(table):
    return np.ones(table.n_rows) if table.weights is None else table.weights


def answers(table):
    is_class = isinstance(table.target, ClassTarget)
    return table.target.codes if is_class else table.target.values


def rows_of_nodes(table, tree):
    """Which rows of weight above 0 pass which node: rows x nodes."""
    ends = route(tree, [column.data for column in table.columns], table.n_rows)
    passed = decision_path(tree, ends).toarray().astype(bool)
    return passed & (row_weights(table) > 0)[:, None]


def branches_of(split, column):
    """The branch each row takes, worked out from the words of a split."""
    if isinstance(column, NumericColumn):
        missing = np.isnan(column.values)
    else:
        missing = column.codes < 0
    if isinstance(split, IsMissing):
        return np.where(missing, 0, 1)
    if isinstance(split, Threshold):
        with np.errstate(invalid="ignore"):
            sides = np.where(column.data <= split.threshold, 0, 1)
    else:
        branch_of = {x: b for b, group in enumerate(split.branches) for x in group}
        by_code = [branch_of.get(label, split.missing) for label in column.labels]
        sides = np.array([*by_code, split.missing])[column.codes]
    return np.where(missing, split.missing, sides)


class Order:
    """Steps through a tree, and remembers the key of every node."""

    def __init__(self, steps):
        self.steps, self.keys = steps, {0: ()}

    def step(self, node):
        for branch, child in enumerate(self.steps.step(node)):
            self.keys[child] = (*self.keys[node], branch)

    def number(self, node):
        """The number of a node in the tree so far."""
        return node_at(self.steps.tree(), self.keys[node])

    def best(self):
        """The open node whose split improves the tree most, the oldest of equals."""
        tree, found = self.steps.tree(), []
        for node in self.steps.open:
            here = node_at(tree, self.keys[node])
            for split in self.steps.candidates(node):
                weight = tree.weight[here]
                found.append((weight * split.gain, weight * tree.impurity[here], node))
        if not found:
            return self.steps.open[0]
        improvement, most, _ = max(found)
        at_least = improvement
        if np.isfinite(most):  # the variance of numbers near 1e300 is not
            at_least -= 1e-12 * most
        return min(node for value, _, node in found if value >= at_least)


ORDERS = {
    "depth first": lambda order, rng: order.steps.open[-1],
    "level by level": lambda order, rng: order.steps.open[0],
    "best first": lambda order, rng: order.best(),
    "any order": lambda order, rng: int(rng.choice(order.steps.open)),
}


def grow_in_order(table, options, pick, rng, most=10**6):
    """Grow by steps in this order; after `most` of them the rest at once."""
    order = Order(steps_of(table, options))
    while order.steps.open and most > 0:
        order.step(pick(order, rng))
        most -= 1
    return order.steps.grow_all()


def assert_statistics(table, tree, criterion):
    """Assert that the figures of every node equal those computed from its rows."""
    check(tree)
    y, weights = answers(table), row_weights(table)
    for node, rows in enumerate(rows_of_nodes(table, tree).T):
        w = weights[rows]
        assert tree.n_rows[node] == rows.sum()
        assert tree.weight[node] == pytest.approx(w.sum())
        assert tree.weight_squared[node] == pytest.approx((w**2).sum())
        mixed = impurity(y[rows], criterion, w)
        assert tree.impurity[node] == pytest.approx(mixed, abs=1e-9)
        if tree.is_classifier:
            counts = np.bincount(y[rows], w, minlength=tree.value.shape[1])
            assert tree.value[node] == pytest.approx(counts)
        else:
            assert tree.value[node, 0] == pytest.approx(np.average(y[rows], weights=w))
        split = split_of(tree, node)
        if split is not None:
            sides = branches_of(split, table.columns[split.column])[rows]
            worth = gain(y[rows], sides, criterion, w)
            assert tree.gain[node] == pytest.approx(worth, abs=1e-9 * tree.impurity[0])
