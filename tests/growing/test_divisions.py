"""Divisions in which few rows leave a large node, against the reference grower."""

import numpy as np
import pytest

from support.repeats import first_of
from support.strategies import (
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


@pytest.mark.parametrize("seed", first_of(range(12), 4))
def test_a_few_rows_leave_a_large_node(seed):
    table = table_with_tails(seed)
    options = GrowOptions(max_depth=6)
    slow, fast = grow_reference(table, options), grower("fast")(table, options)
    assert first_difference(slow, fast) is None
