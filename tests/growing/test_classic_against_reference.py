"""The fast grower against the slow one: ID3, C4.5, surrogates, divided rows."""

import pytest

from support.strategies import (
    classic_case,
    first_difference,
    grower,
    on_the_grid,
)

AT_ONCE = 25


@pytest.mark.parametrize("first", range(0, 1500, AT_ONCE))
def test_both_growers_give_the_same_tree(first):
    slow, fast = grower("reference"), grower("fast")
    differences = {}
    for seed in range(first, first + AT_ONCE):
        table, options = classic_case(seed)
        table = on_the_grid(table)
        found = first_difference(slow(table, options), fast(table, options))
        if found:
            differences[seed] = found
    assert differences == {}
