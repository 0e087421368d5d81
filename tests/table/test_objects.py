import enum
import random
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from treewright.errors import ColumnError, ColumnTypeError, OptionError, TableError
from treewright.table.as_table import as_table
from treewright.table.match import match


def column(cells, **kinds):
    return as_table({"a": cells}, kinds=kinds or None).columns[0]


@pytest.mark.parametrize("missing", [None, float("nan"), np.nan, pd.NA, pd.NaT])
def test_every_spelling_of_missing_is_missing(missing):
    np.testing.assert_array_equal(column([1.5, missing]).values, [1.5, np.nan])
    np.testing.assert_array_equal(column([1, missing]).values, [1, np.nan])
    np.testing.assert_array_equal(column([True, missing]).values, [1, np.nan])
    assert column(["x", missing]).codes.tolist() == [0, -1]
    day = column([date(1970, 1, 1), missing])
    np.testing.assert_array_equal(day.values, [0, np.nan])


@pytest.mark.parametrize(
    ("cells", "stored_as"),
    [
        ([1, 2], "int"),
        ([True, False], "bool"),
        ([True, 2], "int"),
        ([1, 2.5], "float"),
        ([np.int8(1), np.float32(2)], "float"),
        ([Decimal("1.5"), 2], "float"),
        ([Fraction(1, 2), None], "float"),
        ([date(2020, 1, 1), None], "date"),
        ([datetime(2020, 1, 1), date(2020, 1, 2)], "datetime"),
        ([np.datetime64("2020-01-01"), None], "datetime"),
        ([pd.Timestamp("2020-01-01"), None], "datetime"),
        ([timedelta(1), None], "duration"),
        ([np.timedelta64(1, "D"), pd.Timedelta(1)], "duration"),
        ([None, None], "float"),
    ],
)
def test_numbers_and_dates_remember_what_they_were(cells, stored_as):
    assert column(cells).stored_as == stored_as


def test_an_all_missing_column_is_numeric_and_says_so():
    feature = as_table({"a": [None, None]}).schema.features[0]
    assert feature.kind == "numeric"
    assert feature.reason == "Every value is missing, so nothing says otherwise."


def test_times_with_a_zone_count_from_1970_in_utc():
    vienna = timezone(timedelta(hours=1))
    cells = [datetime(1970, 1, 1, 1, tzinfo=vienna), datetime(1970, 1, 1, tzinfo=UTC)]
    assert column(cells).values.tolist() == [0, 0]
    with pytest.raises(ColumnError, match="with and without a time zone"):
        column([datetime(1970, 1, 1, tzinfo=UTC), datetime(1970, 1, 1)])


def test_text_is_numbered_by_value_never_by_arrival():
    assert column(["b", "a", "b"]).labels == ("a", "b")
    assert column(["a", "b", "b"]).labels == ("a", "b")


def test_enumeration_members_that_are_text_are_their_text():
    class Size(enum.StrEnum):
        SMALL = "small"

    assert column([Size.SMALL, "big"]).labels == ("big", "small")


def test_empty_text_is_a_category_of_its_own():
    assert column(["", None, "x"]).codes.tolist() == [0, -1, 1]


def test_mostly_numbers_with_text_is_refused_in_the_house_pattern():
    words = (
        r"Column 'a' is numeric but 2 values are not numbers \(first: 'x', row 1\)\. "
        r"Pass kinds=\{'a': 'categorical'\} or clean the column\."
    )
    with pytest.raises(ColumnError, match=words):
        column([1, "x", 2, "y", 3])


def test_mostly_text_with_a_number_is_refused_too():
    words = r"Column 'a' is text but 1 value is a number \(first: 3, row 2\)"
    with pytest.raises(ColumnError, match=words):
        column(["x", "y", 3, None])


def test_mixed_text_and_numbers_can_be_categories_numbers_first():
    mixed = column(["x", 10, 2, "a", None, float("nan")], a="categorical")
    assert mixed.labels == (2, 10, "a", "x")
    assert mixed.codes.tolist() == [3, 1, 0, 2, -1, -1]


@pytest.mark.parametrize(
    ("cells", "words"),
    [
        ([date(2020, 1, 1), 3], "mixes dates and numbers.*row 1: 3"),
        ([3, date(2020, 1, 1)], "mixes dates and numbers.*row 0: 3"),
        (["x", date(2020, 1, 1)], "mixes dates and text"),
        ([timedelta(1), 3.0], "mixes durations and numbers"),
    ],
)
def test_dates_mixed_with_something_else_are_refused(cells, words):
    with pytest.raises(ColumnError, match=words):
        column(cells)


@pytest.mark.parametrize(
    ("cell", "words"),
    [
        ([1, 2], r"holds \[1, 2\] in row 1.*nested"),
        ({"b": 1}, "nested value; put each part into a column"),
        (b"raw", "raw bytes among other cells; decode"),
        (object(), "an object; turn the column into"),
        ((1, 2), "not 'tuple'"),
    ],
)
def test_cells_that_are_no_values_are_refused(cell, words):
    with pytest.raises(ColumnTypeError, match=words):
        column([1.0, cell])


def test_complex_cells_are_refused():
    with pytest.raises(TableError, match=r"Complex data not supported.*row 1"):
        column([1.0, 2j])


def test_text_that_spells_numbers_stays_categorical_and_says_how_to_override():
    feature = as_table({"zip": ["010", "020"]}).schema.features[0]
    assert feature.kind == "categorical"
    assert "every one spells a number (first: '010')" in feature.reason
    assert "kinds={'zip': 'numeric'}" in feature.reason


def test_kinds_numeric_reads_text_as_numbers():
    numbers = column(["10", " 2.5 ", None, "1e3", "-inf"], a="numeric")
    np.testing.assert_array_equal(numbers.values, [10, 2.5, np.nan, 1000, -np.inf])
    assert numbers.stored_as == "text"


@pytest.mark.parametrize("bad", ["ten", "1_000", "1;5"])
def test_kinds_numeric_refuses_text_that_is_no_number(bad):
    words = rf"'a' is numeric but 1 value is not a number \(first: '{bad}', row 1\)"
    with pytest.raises(ColumnError, match=words):
        column(["10", bad], a="numeric")
    with pytest.raises(ColumnError, match=words):
        column([10, bad], a="numeric")


@pytest.mark.parametrize(
    ("cells", "labels"),
    [
        ([3, 1, 3], (1, 3)),
        ([True, False, True], (False, True)),
        ([2.5, -0.0, 0.0, np.nan], (-0.0, 2.5)),
        ([date(2020, 1, 2), date(2020, 1, 1)], ("2020-01-01", "2020-01-02")),
        ([datetime(2020, 1, 1, 12), None], ("2020-01-01T12:00:00",)),
        ([timedelta(hours=1), None], ("1:00:00",)),
        ([None, None], ()),
    ],
)
def test_kinds_categorical_takes_sorted_distinct_values(cells, labels):
    made = column(cells, a="categorical")
    assert made.labels == labels
    assert [type(each) for each in made.labels] == [type(each) for each in labels]


def test_kinds_ordinal_ranks_numbers_by_value():
    made = column([30, 10, 20, None], a="ordinal")
    assert made.kind == "ordinal"
    assert made.labels == (10, 20, 30)
    assert made.codes.tolist() == [2, 0, 1, -1]


def test_a_list_in_kinds_declares_the_order():
    made = column(["hi", "lo", None, "mid"], a=["lo", "mid", "hi"])
    assert made.kind == "ordinal"
    assert made.labels == ("lo", "mid", "hi")
    assert made.codes.tolist() == [2, 0, -1, 1]


def test_a_value_outside_the_declared_order_is_refused():
    with pytest.raises(ColumnError, match=r"'a' holds 'top' \(row 1\).*Add it"):
        column(["lo", "top"], a=["lo", "hi"])


def test_text_without_a_declared_order_cannot_be_ordinal():
    with pytest.raises(ColumnError, match=r"order of its.*not known.*kinds="):
        column(["lo", "hi"], a="ordinal")


def test_kinds_naming_an_unknown_column_gives_the_nearest():
    with pytest.raises(TableError, match="no column 'agee'; the nearest is 'age'"):
        as_table({"age": [1]}, kinds={"agee": "numeric"})
    with pytest.raises(TableError, match="no column 'zz'; the columns are 'age'"):
        as_table({"age": [1]}, kinds={"zz": "numeric"})
    with pytest.raises(TableError, match="no column 5"):
        as_table([[1, 2]], kinds={5: "numeric"})


@pytest.mark.parametrize("kind", ["number", None, 3, [], ["a", "a"]])
def test_an_unknown_kind_is_refused(kind):
    with pytest.raises(OptionError, match=r"kinds\['a'\] must be 'numeric'"):
        as_table({"a": [1]}, kinds={"a": kind})


def test_kinds_must_be_a_dict():
    with pytest.raises(OptionError, match="kinds must be a dict"):
        as_table({"a": [1]}, kinds=["a"])


def test_kinds_of_a_plain_array_go_by_made_up_name_or_number():
    X = np.array([[1.0, 2.0], [1.0, 3.0]])
    for key in ("x1", 1, np.int64(1)):
        table = as_table(X, kinds={key: "categorical"})
        assert [f.kind for f in table.schema.features] == ["numeric", "categorical"]
        assert table.schema.features[1].reason == "Asked for by kinds."


def test_a_million_categories_are_numbered():
    cells = [f"v{i * 7919 % 1_000_003}" for i in range(1_000_000)]
    made = column(cells, a="categorical")
    assert len(made.labels) == len(set(cells))
    assert list(made.labels) == sorted(made.labels)
    assert made.labels[made.codes[12345]] == cells[12345]


def test_decimals_and_fractions_as_categories_keep_their_value():
    cells = [Decimal("1.5"), Fraction(1, 3), Decimal(10) ** 30, Decimal("Infinity"), 2]
    made = column(cells, a="categorical")
    assert set(made.labels) == {1.5, "1/3", 10**30, float("inf"), 2}


CELLS = [
    *(None, float("nan"), pd.NA, pd.NaT, "a", "b", "", "1", "nan", "é", np.str_("q")),
    *(1, 0, -3, 2**53, 2**53 + 1, 2**70, -(10**400), 1.5, -0.0, float("inf")),
    *(True, np.bool_(True), np.int8(3), np.float32(0.1), np.float16(1)),
    *(Decimal("1.5"), Decimal("NaN"), Decimal(10**30), Fraction(1, 3), 1j),
    *(date(2020, 1, 1), datetime(2020, 1, 1, 3), datetime(2020, 1, 1, tzinfo=UTC)),
    *(timedelta(1), np.datetime64("2020-01-01"), np.timedelta64(3, "s")),
    *([1], {"a": 1}, (1, 2), b"x", object(), np.array([1])),
]


@pytest.mark.parametrize("seed", range(10))
def test_any_cells_give_a_table_that_matches_itself_or_one_worded_refusal(seed):
    rng = random.Random(seed)
    n_tables = 0
    for _ in range(300):
        some = rng.sample(CELLS, rng.choice([1, 1, 2, 3]))
        cells = rng.choices(some, k=rng.choice([1, 2, 5]))
        kind = rng.choice([None, None, "numeric", "categorical", "ordinal"])
        kinds = None if kind is None else {"a": kind}
        try:
            table = as_table({"a": cells}, cells, kinds=kinds)
        except TableError:
            continue
        n_tables += 1
        matched = match(table.schema, {"a": cells}, [0], unseen="error")
        np.testing.assert_array_equal(matched[0], table.columns[0].data)
    assert n_tables > 10


def test_lists_of_rows_may_be_dicts():
    table = as_table([{"a": 1, "b": "x"}, {"b": "y"}])
    assert table.schema.names == ("a", "b")
    np.testing.assert_array_equal(table.columns[0].values, [1, np.nan])


def test_lists_of_arrays_are_rows():
    table = as_table([np.array([1.0, 2.0]), np.array([3.0, 4.0])])
    assert table.columns[1].values.tolist() == [2, 4]
    mixed = as_table([np.array([1, 2]), np.array([1.5, 2.5])])
    assert mixed.columns[0].values.tolist() == [1, 1.5]


def test_tuples_of_tuples_are_rows():
    assert as_table(((1, "a"), (2, "b"))).columns[1].labels == ("a", "b")
