import warnings

import numpy as np
import pandas as pd
import pytest

from treewright.errors import ColumnKindWarning, ColumnSetAsideWarning
from treewright.table.as_table import as_table


def ids(n, n_once):
    """Text of which `n_once` values occur once and the others are all 'same'."""
    return [f"id{i}" for i in range(n_once)] + ["same"] * (n - n_once)


def test_an_identifier_column_is_set_aside_with_a_warning():
    data = {"name": ids(50, 50), "sex": ["f", "m"] * 25, "ticket": ids(50, 26)}
    words = (
        r"Columns 'name' and 'ticket' were set aside: more than half.*"
        r"kinds=\{'name': 'categorical'\}"
    )
    with pytest.warns(ColumnSetAsideWarning, match=words) as caught:
        table = as_table(data)
    assert len(caught) == 1
    assert table.usable == [1]
    assert table.n_columns == 3
    name, sex, ticket = table.schema.features
    assert name.set_aside.startswith("50 of 50 known values occur only once")
    assert ticket.set_aside.startswith("26 of 50 known values occur only once")
    assert "kinds={'ticket': 'categorical'}" in ticket.set_aside
    assert sex.set_aside == ""


def test_the_warning_about_one_column_is_in_the_singular():
    with pytest.warns(ColumnSetAsideWarning, match="Column 'a' was set aside"):
        as_table({"a": ids(60, 60)})


@pytest.mark.parametrize(
    "cells",
    [
        pytest.param(ids(49, 49), id="fewer than 50 rows"),
        pytest.param(ids(50, 25), id="just half of the values"),
        pytest.param([f"pair{i // 2}" for i in range(60)], id="every value twice"),
        pytest.param(list(range(60)), id="whole numbers"),
        pytest.param([None] * 60, id="nothing known"),
    ],
)
def test_other_columns_are_kept(cells):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert as_table({"a": cells}).usable == [0]


def test_only_known_values_count():
    cells = ["x", "y", "y"] + [None] * 60
    assert as_table({"a": cells}).usable == [0]
    with pytest.warns(ColumnSetAsideWarning):
        as_table({"a": ["x", "z", "y", "y", "y"][:4] + ["w"] + [None] * 60})


def test_kinds_brings_the_column_back_without_a_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        table = as_table({"a": ids(60, 60)}, kinds={"a": "categorical"})
    assert table.usable == [0]


def test_declared_categories_are_set_aside_too_but_ordinals_are_not():
    cells = pd.Categorical(ids(60, 60))
    with pytest.warns(ColumnSetAsideWarning):
        as_table(pd.DataFrame({"a": cells}))
    ordered = pd.DataFrame({"a": cells.as_ordered()})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert as_table(ordered).usable == [0]


def test_a_tables_own_warning_is_not_repeated_for_its_target():
    with pytest.warns(ColumnSetAsideWarning):
        table = as_table({"a": ids(60, 60)})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        as_table(table, np.arange(60) % 2)


def test_when_nothing_is_left_the_warning_says_so():
    with pytest.warns(ColumnSetAsideWarning, match="No usable column is left"):
        as_table({"name": ids(50, 50)})


def test_numbers_read_as_text_stay_categories_and_are_warned_of():
    ages = [str(i % 30) for i in range(97)] + ["NA", "?", "NA"]
    words = r"Column 'age' is read as categories.*97 of 100 spell numbers.*to_numeric"
    with pytest.warns(ColumnKindWarning, match=words):
        table = as_table({"age": ages, "x": [1.5] * 100})
    age = table.schema.features[0]
    assert age.kind == "categorical"
    assert "the others are '?', 'NA'; make those missing" in age.reason
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        as_table({"age": ages}, kinds={"age": "categorical"})


@pytest.mark.parametrize(
    "cells",
    [
        ["1", "2", "3"] * 9 + ["3+"],  # few numbers: codes, as likely as not
        [str(i % 9) for i in range(70)] + ["a", "b", "c"] * 10,
        [str(i % 9) for i in range(85)] + ["A", "B", "C", "D", "13 15"] * 3,
        ["1a", "2b", "3c", "4d", "5e"] * 4,
    ],
)
def test_categories_that_are_partly_numbers_are_not_warned_of(cells):
    assert as_table({"c": cells}).schema.features[0].reason == "The values are text."
