"""Damage the arrays of trees at random: each is refused, or answers as it says.

`python tests/proof/damage.py 1_000_000` (`make proof`) damages so many trees in
batches, each in a process of its own, so that a crash, an endless loop or memory
without end is seen and counted. To add a tree, extend `trees`; to add a kind of
damage, `damaged`; to add an operation that must survive, `outcome`.
"""

from __future__ import annotations

import sys
import warnings
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from proof.batches import main
from support.build import random_tree
from support.slow_route import slow_route
from treewright.errors import TreeFormatError
from treewright.growing.grow import grow
from treewright.model import Tree
from treewright.options import GrowOptions
from treewright.pruning.path import find_path
from treewright.table.as_table import as_table
from treewright.tree.answer import plain_answers
from treewright.tree.check import check
from treewright.tree.data import TreeData
from treewright.tree.edit import with_values
from treewright.tree.route import route

N_ROWS = 6

Columns = list[np.ndarray]


@cache
def trees() -> list[tuple[TreeData, Columns]]:
    """Small trees of every shape, each with rows to send down it."""
    made = [random_tree(seed, 6, numbers=seed % 2 == 1) for seed in range(8)]
    rng = np.random.default_rng(0)
    n = 60
    X = rng.normal(size=(n, 3)).round(1)
    X[:, 1] += X[:, 0]
    X[rng.random((n, 3)) < 0.2] = np.nan
    words = rng.choice(["red", "green", "blue", "grey"], n)
    table = {f"x{j}": X[:, j] for j in range(3)} | {"colour": words}
    y = np.where(np.nan_to_num(X[:, 0]) + (words == "red") > 0.5, "yes", "no")
    numbers = np.nan_to_num(X[:, 0]) * 3 + rng.normal(size=n)
    for more in (
        {"missing": "surrogate"},
        {"method": "c45"},
        {"missing": "fractional"},
        {"missing": "learned"},
    ):
        made.append(_grown(table, y, **more))
    made.append(_grown(table, numbers, missing="surrogate"))
    made += [with_values(tree, answer=plain_answers(tree)) for tree in made[-2:]]
    return [(tree, _rows(tree)) for tree in made]


def _grown(X: dict[str, np.ndarray], y: np.ndarray, **options: Any) -> TreeData:
    return grow(as_table(X, y), GrowOptions(max_depth=4, **options))


def _rows(tree: TreeData) -> Columns:
    rng = np.random.default_rng(1)
    columns: Columns = []
    for feature in tree.schema.features:
        if feature.kind == "numeric":
            values = rng.normal(size=N_ROWS)
            values[rng.random(N_ROWS) < 0.3] = np.nan
            columns.append(values)
        else:
            codes = rng.integers(-1, len(feature.labels), N_ROWS)
            columns.append(codes.astype(np.int32))
    return columns


def damaged(tree: TreeData, rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Return the arrays with one to three entries changed, or an array resized."""
    arrays = tree.arrays()
    for _ in range(int(rng.integers(1, 4))):
        name = TreeData.array_names[rng.integers(len(arrays))]
        array = arrays[name] = arrays[name].copy()
        if rng.random() < 0.05:
            arrays[name] = np.resize(array, max(0, len(array) + rng.integers(-2, 3)))
        elif array.size:
            place = int(rng.integers(array.size))
            array.flat[place] = _wild(array, place, rng)
    return arrays


def _wild(array: np.ndarray, place: int, rng: np.random.Generator) -> Any:
    if array.dtype.kind == "b":
        return not array.flat[place]
    kind = rng.integers(4)
    if array.dtype.kind == "f":
        wild = [np.nan, np.inf, -np.inf, -1.0, 0.0, 1.0, 1e300, -1e300, 5e-324]
        return array.flat[place] + 1 if kind == 0 else rng.choice(wild)
    limits = np.iinfo(array.dtype)
    if kind == 0:  # a value that stands elsewhere in the array
        return rng.choice(array.ravel())
    if kind == 1:
        return np.clip(int(array.flat[place]) + rng.integers(-2, 3), *_of(limits))
    if kind == 2:
        return rng.integers(limits.min, limits.max, endpoint=True)
    return rng.choice([-5, -3, -2, -1, 0, 1, 2, 3, 5, 100, limits.min, limits.max])


def _of(limits: np.iinfo) -> tuple[int, int]:
    return int(limits.min), int(limits.max)


def outcome(seed: int) -> str:
    """Damage a tree and use it: 'refused', or 'used' when all went well.

    Raises whatever is neither, for the caller to count as a failure.
    """
    rng = np.random.default_rng(seed)
    tree, rows = trees()[seed % len(trees())]
    arrays = damaged(tree, rng)
    try:
        made = TreeData.from_arrays(arrays, tree.schema, tree.made_by)
    except TreeFormatError:
        return "refused"
    ends = route(made, rows, N_ROWS)
    np.testing.assert_array_equal(ends, slow_route(made, rows, N_ROWS))
    for risk in ("error", "impurity"):
        try:
            path = find_path(made, risk)
        except TreeFormatError:
            return "refused when pruned"
    if seed % 16 == 0:  # these take long
        path.pruned(len(path) - 1)
        str(Tree(made))
    try:
        check(made)
    except TreeFormatError:
        return "used, but refused by check"
    return "used"


def run_batch(first: int, count: int) -> Counter[str]:
    """Count the outcomes of these seeds."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")  # of sums that overflow
        return Counter(outcome(seed) for seed in range(first, first + count))


if __name__ == "__main__":
    sys.exit(main(__file__, run_batch, "damaged trees"))
