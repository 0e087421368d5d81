"""Tables as they come: read by pandas and polars, every column left in."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from support.oracle_files import real_table
from treewright.errors import ColumnSetAsideWarning
from treewright.table.as_table import as_table
from treewright.table.match import match


def test_titanic_sets_aside_name_and_ticket_only():
    frame = pd.read_csv(real_table("titanic.csv"))
    y = frame.pop("survived")
    with pytest.warns(
        ColumnSetAsideWarning, match="'name' and 'ticket' were set aside"
    ):
        table = as_table(frame, y)
    aside = [f.name for f in table.schema.features if f.set_aside]
    assert aside == ["name", "ticket"]
    kinds = {f.name: f.kind for f in table.schema.features}
    assert kinds["sex"] == "categorical"
    assert kinds["age"] == "numeric"
    assert table.schema.target.name == "survived"
    assert table.schema.target.classes == (0, 1)


# With "NA" kept as text, numbers become categories, which is warned of.
@pytest.mark.filterwarnings("ignore::treewright.errors.ColumnKindWarning")
@pytest.mark.parametrize("name", ["adult", "mushrooms", "penguins", "ames_housing"])
def test_pandas_and_polars_give_the_same_columns(name):
    path = real_table(f"{name}.csv")
    one = as_table(pd.read_csv(path, keep_default_na=False, na_values=[""]))
    two = as_table(pl.read_csv(path, infer_schema_length=None))
    assert one.schema.names == two.schema.names
    for first, second in zip(one.columns, two.columns, strict=True):
        assert first.kind == second.kind
        np.testing.assert_array_equal(first.data, second.data)
        if first.kind != "numeric":
            assert first.labels == second.labels


def test_a_table_matches_its_own_schema():
    frame = pl.read_csv(real_table("adult.csv"))
    table = as_table(frame)
    matched = match(table.schema, frame, range(table.n_columns), unseen="error")
    for array, column in zip(matched, table.columns, strict=True):
        np.testing.assert_array_equal(array, column.data)
