"""Statistics counted in parts of a table and added give the tree of the whole table.

This is what a cluster does: workers count rows by (node, code), the driver adds the
counts and picks the splits. Nothing is rounded on the way, so the tree is the same.
"""

from functools import reduce

import numpy as np
import pytest

from treewright import _core
from treewright.growing.grow import grow
from treewright.options import GrowOptions
from treewright.table.as_table import as_table
from treewright.tree.data import SUBSET, THRESHOLD

N_PARTS = 7
CRITERIA = {"gini": 0, "entropy": 1, "misclassification": 2, "squared_error": 3}


def coded(table):
    """Return (codes, values) of each column; values is None for a category."""
    columns = []
    for column in table.columns:
        if column.kind == "categorical":
            columns.append((column.codes, None, len(column.labels)))
        else:
            values, codes = np.unique(column.values, return_inverse=True)
            n_codes = np.count_nonzero(~np.isnan(values))
            codes = np.where(np.isnan(column.values), -1, codes).astype(np.int32)
            columns.append((codes, values[:n_codes].copy(), n_codes))
    return columns


class Cluster:
    """Rows dealt to parts; each part only ever answers with added-up integers."""

    def __init__(self, table, parts):
        self.columns = coded(table)
        self.parts = parts
        target = table.target
        self.number = not hasattr(target, "codes")
        self.labels = None if self.number else target.codes
        self.y = _core.quantise(target.values, True) if self.number else None
        self.n_classes = 0 if self.number else len(target.classes)

    def count(self, column, nodes, n_nodes):
        codes, _, n_codes = self.columns[column]
        counts = [
            self._count_part(rows, codes, n_codes, nodes, n_nodes)
            for rows in self.parts
        ]
        return reduce(lambda a, b: _core.add_statistics(a, b, self.number), counts)

    def _count_part(self, rows, codes, n_codes, nodes, n_nodes):
        def pick(each):
            return None if each is None else each[rows]

        return _core.histogram(
            nodes[rows],
            codes[rows],
            n_nodes,
            n_codes,
            self.n_classes,
            pick(self.labels),
            pick(self.y),
            None,
        )

    def impurity(self, rows):
        if not self.number:
            return 0.0
        return float(np.var(self.y[rows].astype(np.float64)))


def grow_level_by_level(table, options):
    """Return {key of a node: its split} of the tree grown from histograms alone."""
    rows = np.arange(table.n_rows)
    cluster = Cluster(table, np.array_split(rows[::-1], N_PARTS))
    frontier = {(): np.zeros(table.n_rows, dtype=bool) | True}
    splits = {}
    for _ in range(options.max_depth):
        nodes = np.full(table.n_rows, -1, dtype=np.int32)
        for number, inside in enumerate(frontier.values()):
            nodes[inside] = number
        counts = [
            cluster.count(c, nodes, len(frontier)) for c in range(len(cluster.columns))
        ]
        following = {}
        for number, (key, inside) in enumerate(frontier.items()):
            if impure(table, inside):
                split = _core.best_split(
                    [
                        (np.ascontiguousarray(count[number]), column[1])
                        for count, column in zip(counts, cluster.columns, strict=True)
                    ],
                    CRITERIA[options.criterion],
                    cluster.number,
                    cluster.impurity(inside),
                    options.min_samples_leaf,
                    1,
                )
                if split["kind"]:
                    splits[key] = split
                    left = goes_left(cluster.columns[split["column"]], split)
                    following[(*key, 0)] = inside & left
                    following[(*key, 1)] = inside & ~left
        frontier = following
    return splits


def impure(table, inside):
    target = table.target
    y = target.codes if hasattr(target, "codes") else target.values
    return len(np.unique(y[inside])) > 1 and inside.sum() > 1


def goes_left(column, split):
    codes, values, n_codes = column
    branch = np.full(n_codes + 1, split["missing_route"])  # the last: missing
    if split["kind"] == THRESHOLD:
        branch[:-1] = values > split["threshold"]
    elif split["kind"] == SUBSET:
        branch[np.array(split["categories"])] = split["branches"]
    else:
        branch[:-1] = 1
    return branch[codes] == 0


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("seed", range(6))
def test_histograms_of_seven_parts_give_the_tree_of_the_whole_table(criterion, seed):
    rng = np.random.default_rng(seed)
    n = 400
    number = rng.integers(0, 30, n).astype(float)
    number[rng.random(n) < 0.1] = np.nan
    X = {
        "number": number,
        "letter": rng.choice(list("abcdefg"), n),
        "half": rng.integers(0, 5, n) / 2,
    }
    signal = np.nan_to_num(number, nan=40) + 10 * (X["letter"] < "d") + 5 * X["half"]
    noisy = signal + rng.normal(0, 8, n)
    is_number = criterion == "squared_error"
    y = noisy if is_number else np.digitize(noisy, [18, 26, 36])
    table = as_table(X, y, task="number" if is_number else "class")
    options = GrowOptions(criterion=criterion, max_depth=5, min_samples_leaf=3)
    tree = grow(table, options)
    splits = grow_level_by_level(table, options)
    keys = {(): 0}
    for key, split in sorted(splits.items(), key=lambda item: len(item[0])):
        node = keys[key]
        assert tree.split_kind[node] == split["kind"]
        assert tree.feature[node] == split["column"]
        assert tree.missing_route[node] == split["missing_route"]
        if split["kind"] == THRESHOLD:
            assert tree.threshold[node] == split["threshold"]
        start, end = tree.category_start[node : node + 2]
        assert tree.categories[start:end].tolist() == split["categories"]
        assert tree.category_branch[start:end].tolist() == split["branches"]
        keys[(*key, 0)] = node + 1
        keys[(*key, 1)] = node + 1 + int(tree.subtree_size[node + 1])
    assert len(splits) == tree.n_nodes - tree.n_leaves
