"""Recognised text is converted on request, and every conversion is recorded."""

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from treewright.table.convert import convert_spelled

RAW = {
    "price": ["$1,200", "$950", "?"] * 20,
    "when": ["14/08/2019", "02/09/2019", None] * 20,
    "zip": ["01234", "55555", "10000"] * 20,
    "town": ["Rome", "Bonn", "Lyon"] * 20,
    "day": ["01/02/2019", "03/04/2019", "05/06/2019"] * 20,
    "n": [1, 2, 3] * 20,
}


def test_recognised_text_becomes_numbers_and_dates():
    table = convert_spelled(tw.as_table(RAW))
    price, when, code, town, day, n = table.columns
    np.testing.assert_array_equal(price.values[:3], [1200, 950, np.nan])
    assert when.stored_as == "date"
    assert [c.kind for c in (code, town, day, n)] == ["categorical"] * 3 + ["numeric"]


def test_every_conversion_is_recorded():
    intake = convert_spelled(tw.as_table(RAW)).intake
    assert intake.findings == ()
    assert [(f.kind, f.column) for f in intake.conversions] == [
        ("converted", "price"),
        ("converted", "when"),
    ]
    assert (
        "'$1,200', '$950' read as amounts of money in $" in intake.conversions[0].words
    )
    assert "'?' read as missing" in intake.conversions[0].words
    assert "kinds={'price': 'categorical'}" in intake.conversions[0].advice


def test_categories_that_are_numbers_are_kept():
    sizes = pd.Categorical(["12", 14, "?"] * 20)
    table = convert_spelled(tw.as_table({"size": sizes}))
    assert table.intake.conversions == ()
    assert set(table.columns[0].labels) == {"12", 14, "?"}


def test_columns_whose_kind_was_given_are_kept():
    table = convert_spelled(tw.as_table(RAW), keep={"price", "when"})
    assert table.intake.conversions == ()
    assert table.columns[0].kind == "categorical"


def test_a_converted_table_grows_and_reads_new_rows():
    raw = {"price": [f"${n:,}" for n in range(900, 1100)]}
    y = ["dear" if n >= 1000 else "cheap" for n in range(900, 1100)]
    with pytest.warns(tw.ColumnSetAsideWarning):
        table = tw.as_table(raw, y)
    tree = tw.grow(convert_spelled(table))
    assert tree.predict({"price": ["$1,050", "$10"]}).tolist() == ["dear", "cheap"]


@pytest.mark.needs("pandas>=2.2")
def test_a_table_returns_to_pandas_as_it_was():
    frame = pd.DataFrame(
        {
            "float": [1.5, np.nan],
            "int": [1, 2],
            "bool": [True, False],
            "text": ["a", None],
            "when": pd.to_datetime(["2019-08-14 10:00", None]),
            "zone": pd.to_datetime(["2019-08-14 10:00", None]).tz_localize(
                "Asia/Tokyo"
            ),
            "long": pd.to_timedelta(["1 day", None]),
            "size": pd.Categorical(["s", "m"], ["s", "m", "l"], ordered=True),
        }
    )
    back = tw.as_table(frame, ["no", "yes"]).to_pandas()
    assert back.pop("y").tolist() == ["no", "yes"]
    assert back["text"].astype(object).where(back["text"].notna(), None).tolist() == [
        "a",
        None,
    ]
    for name in frame.columns.drop("text"):
        pd.testing.assert_series_equal(
            back[name], frame[name], check_dtype=name not in ("when", "zone", "long")
        )


def test_a_target_with_the_name_of_a_column_does_not_replace_it():
    frame = tw.as_table({"y": [1.5, 2.5]}, ["a", "b"]).to_pandas()
    assert list(frame.columns) == ["y", "y (target)"]
