"""The classic family grows the same tree by any order of steps, any number of threads.

And its training rows, sent down the finished tree, come where they were counted.
"""

from dataclasses import replace

import numpy as np
import pytest

from growing.stepping import (
    ORDERS,
    assert_same_bytes,
    different_arrays,
    grow_in_order,
    row_weights,
    without_limits,
)
from strategies import (
    categorical,
    classic_case,
    first_difference,
    make_table,
    numeric,
    take,
)
from treewright.growing.grow import grow
from treewright.growing.steps import Steps, resume
from treewright.options import GrowOptions
from treewright.table.column import CategoricalColumn, NumericColumn
from treewright.tree.check import check
from treewright.tree.data import ALL_BRANCHES, LEAF, STOP_HERE
from treewright.tree.edit import collapse
from treewright.tree.route import Ends, decision_path, ends_of
from treewright.tree.split import Subset

SEEDS = range(30_000, 30_160)  # not used by the tests against the reference


# Node by node ------------------------------------------------------------------------


def of_steps(seed):
    """A case that can be grown step by step: without J48's habits, put on at the end."""
    table, options = classic_case(seed)
    if options.conventions == "j48":
        options = replace(options, conventions=None)
    return table, without_limits(options)


@pytest.mark.parametrize("seed", SEEDS)
def test_any_order_of_steps_gives_the_same_tree(seed):
    table, options = of_steps(seed)
    pick = list(ORDERS.values())[seed % len(ORDERS)]
    stepped = grow_in_order(table, options, pick, np.random.default_rng(seed))
    assert_same_bytes(grow(table, options), stepped, f"classic_case({seed})")


@pytest.mark.parametrize("seed", SEEDS)
def test_a_pruned_tree_resumed_grows_back_to_the_tree_it_was(seed):
    table, options = of_steps(seed)
    tree, rng = grow(table, options), np.random.default_rng(seed)
    inner = np.flatnonzero(tree.split_kind != LEAF)
    pruned, _ = collapse(tree, inner[rng.random(len(inner)) < 0.5])
    steps, numbers = resume(table, pruned, options)
    assert len(set(numbers.tolist())) == pruned.n_nodes
    assert not different_arrays(pruned, steps.tree(), ["stop_reason"])
    assert_same_bytes(tree, steps.grow_all(), f"classic_case({seed})")


@pytest.mark.parametrize("seed", SEEDS)
def test_best_first_by_steps_is_growing_with_a_limit(seed):
    table, options = classic_case(seed)
    limited = replace(options, max_leaf_nodes=5, max_nodes=None)
    one, other = grow(table, limited), grow(table, replace(limited, n_jobs=2))
    assert_same_bytes(one, other, f"classic_case({seed})")
    assert one.n_leaves <= 5 or options.conventions == "j48"
    check(one)
