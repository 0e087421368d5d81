"""Nodes that are divided in other ways than entry by entry.

Where few rows leave a node of many, each of them is searched for in every column; in a
very large node the rows of both children get new numbers. Neither may change a tree.
"""

import numpy as np
import pytest

from strategies import (
    categorical,
    first_difference,
    grower,
    make_table,
    numeric,
    ordinal,
    weighted,
)
from treewright.growing.reference import grow_reference
from treewright.options import GrowOptions
from treewright.tree.walk import children

ONE_OF = 256  # kOneOf in engine.hpp, and the limits beside it
FEWEST_ROWS = 1024
LARGE = 262_144


def table_with_tails(seed):
    """Extreme values of several columns have a class of their own."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1_400, 2_200))
    normal, whole, gaps = (rng.standard_normal(n) for _ in range(3))
    whole = np.rint(3 * whole)
    gaps[rng.random(n) < 0.3] = np.nan
    y = rng.choice(3, n, p=[0.95, 0.04, 0.01])
    order = np.argsort(normal)
    y[order[:3]], y[order[-2:]] = 1, 2
    y[np.nanargmax(gaps)] = 2
    y[whole >= np.sort(whole)[-2]] = 1
    columns = [
        numeric("whole", whole),
        numeric("normal", normal, np.float32 if seed % 2 else np.float64),
        categorical("letter", [*rng.choice(list("abcd"), n)]),
        numeric("gaps", gaps),
        ordinal("size", [*rng.choice(["small", "tall"], n)], ["small", "tall"]),
    ]
    table = make_table(columns, y.tolist(), classes=range(3))
    return weighted(table, rng.integers(1, 4, n)) if seed % 3 == 2 else table


def rows_cut_off(tree):
    """How many rows leave the nodes that few leave, and by which branch."""
    found = []
    for node in range(tree.n_nodes):
        rows = [int(tree.n_rows[child]) for child in children(tree, node)]
        if rows and sum(rows) >= FEWEST_ROWS and ONE_OF * min(rows) <= sum(rows):
            found.append((min(rows), int(np.argmin(rows))))
    return found


@pytest.mark.parametrize("seed", range(12))
def test_a_few_rows_that_leave_are_found_in_every_column(seed):
    table = table_with_tails(seed)
    options = GrowOptions(max_depth=6)
    slow, fast = grow_reference(table, options), grower("fast")(table, options)
    assert first_difference(slow, fast) is None


def test_few_rows_do_leave_in_these_tables():
    options = GrowOptions(max_depth=6)
    trees = [grower("fast")(table_with_tails(seed), options) for seed in range(12)]
    found = [rows_cut_off(tree) for tree in trees]
    assert all(found)
    assert {branch for cuts in found for _, branch in cuts} == {0, 1}
    assert max(rows for cuts in found for rows, _ in cuts) >= 3


def with_and_without_new_numbers(columns, letters, y, classes, max_depth):
    """Two trees of a large table, one of which also has a row of weight 0.

    Where rows are left out, those of a large node keep their numbers.
    """
    options = GrowOptions(max_depth=max_depth)
    trees = []
    for more in (0, 1):
        named = [
            numeric(f"x{i}", np.append(column, np.zeros(more)))
            for i, column in enumerate(columns)
        ]
        named += [categorical("letter", [*letters, *"a" * more])]
        table = make_table(named, [*y.tolist(), *[0] * more], classes=range(classes))
        if more:
            table = weighted(table, np.append(np.ones(len(y)), 0.0))
        trees.append(grower("fast")(table, options))
    return trees


@pytest.mark.parametrize("missing", [0.0, 0.02])
@pytest.mark.parametrize("classes", [2, 5])
def test_new_numbers_for_the_rows_of_a_large_node_change_nothing(classes, missing):
    rng = np.random.default_rng(classes)
    n = 3 * LARGE + 5
    columns = [rng.standard_normal(n), np.rint(9 * rng.standard_normal(n))]
    columns += [np.where(rng.random(n) < missing, np.nan, rng.standard_normal(n))]
    letters = rng.choice(list("abcdef"), n)
    score = (
        np.isin(letters, ["b", "e"])
        + np.sin(3 * columns[0])
        + columns[1] / 9
        + rng.standard_normal(n)
    )
    y = np.clip(np.rint(score + (classes - 1) / 2), 0, classes - 1).astype(int)
    renumbered, same = with_and_without_new_numbers(columns, letters, y, classes, 9)
    assert sum(renumbered.n_rows > LARGE) >= 2
    assert first_difference(renumbered, same) is None


@pytest.mark.parametrize("classes", [2, 3])
def test_nor_do_they_where_few_rows_leave_a_large_node(classes):
    rng = np.random.default_rng(classes)
    n = LARGE + 40_000
    columns = [rng.standard_normal(n) for _ in range(3)]
    letters = rng.choice(list("ab"), n)
    y = rng.integers(0, classes, n)
    for column in columns:
        y[np.argsort(column)[:150]] = 0
        y[np.argsort(column)[-150:]] = 1
    renumbered, same = with_and_without_new_numbers(columns, letters, y, classes, 12)
    leaving = [
        min(renumbered.n_rows[child] for child in children(renumbered, node))
        for node in np.flatnonzero(renumbered.n_rows > LARGE)
    ]
    assert sum(np.array(leaving) < n / 512) >= 4
    assert first_difference(renumbered, same) is None
