import datetime as dt
from decimal import Decimal

import duckdb
import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from treewright.errors import ColumnError, ColumnTypeError, TableError
from treewright.table import from_frame
from treewright.table.as_table import as_table
from treewright.table.source import open_column

MAKERS = [
    pytest.param(lambda data: data, id="dict"),
    pytest.param(pd.DataFrame, id="pandas"),
    pytest.param(pl.DataFrame, id="polars"),
    pytest.param(pa.table, id="pyarrow"),
]
DATA = {
    "number": [1.5, None, 2.5],
    "whole": [1, 2, 3],
    "flag": [True, False, True],
    "text": ["b", None, "a"],
    "when": [dt.datetime(1970, 1, 1), None, dt.datetime(1970, 1, 2)],
    "gap": [dt.timedelta(seconds=1), None, dt.timedelta(seconds=2)],
}


class ArrowStream:
    """Speaks only the Arrow C stream protocol."""

    def __init__(self, table):
        self._table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self._table.__arrow_c_stream__(requested_schema)


@pytest.mark.parametrize("make", MAKERS)
def test_every_kind_of_table_gives_the_same_columns(make):
    table = as_table(make(DATA))
    assert table.schema.named
    assert table.schema.names == tuple(DATA)
    number, whole, flag, text, when, gap = table.columns
    np.testing.assert_array_equal(number.values, [1.5, np.nan, 2.5])
    assert whole.values.tolist() == [1, 2, 3]
    assert flag.values.tolist() == [1, 0, 1]
    assert text.codes.tolist() == [1, -1, 0]
    assert text.labels == ("a", "b")
    np.testing.assert_array_equal(when.values, [0, np.nan, 86400e6])
    np.testing.assert_array_equal(gap.values, [1e6, np.nan, 2e6])
    assert [f.stored_as for f in table.schema.features] == [
        "float",
        "int",
        "bool",
        "category",
        "datetime",
        "duration",
    ]


def test_any_arrow_stream_is_read():
    table = as_table(ArrowStream(pa.table(DATA)))
    assert table.schema.names == tuple(DATA)
    assert table.columns[3].labels == ("a", "b")


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_float_columns_of_frames_are_not_copied(dtype):
    values = np.arange(5, dtype=dtype)
    for frame in (pd.DataFrame({"a": values}, copy=False), pl.DataFrame({"a": values})):
        column = as_table(frame).columns[0]
        assert column.values.dtype == dtype
        assert np.shares_memory(column.values, np.asarray(frame["a"]))
    arrow = pa.table({"a": pa.array(values)})
    column = as_table(arrow).columns[0]
    assert np.shares_memory(column.values, arrow["a"].chunk(0).to_numpy())


def test_pandas_frames_are_never_modified():
    frame = pd.DataFrame(DATA)
    before = frame.copy(deep=True)
    as_table(frame, ["x", "y", "x"], kinds={"whole": "categorical"})
    pd.testing.assert_frame_equal(frame, before)


@pytest.mark.parametrize(
    ("dtype", "stored_as"),
    [
        ("Int64", "int"),
        ("Float32", "float"),
        ("int64[pyarrow]", "int"),
        ("double[pyarrow]", "float"),
        ("UInt8", "int"),
    ],
)
def test_pandas_nullable_numbers(dtype, stored_as):
    column = as_table(pd.DataFrame({"a": pd.array([1, None], dtype=dtype)})).columns[0]
    assert column.stored_as == stored_as
    np.testing.assert_array_equal(column.values, [1, np.nan])


@pytest.mark.parametrize("dtype", ["boolean", "bool[pyarrow]"])
def test_pandas_nullable_bools(dtype):
    for cells in ([True, None], [True, False]):
        frame = pd.DataFrame({"a": pd.array(cells, dtype=dtype)})
        column = as_table(frame).columns[0]
        assert column.stored_as == "bool"
        expected = [np.nan if cell is None else cell for cell in cells]
        np.testing.assert_array_equal(column.values, expected)


@pytest.mark.parametrize("dtype", ["str", "object", "string", "string[pyarrow]"])
def test_every_pandas_text_type_is_categorical(dtype):
    frame = pd.DataFrame({"a": pd.Series(["b", None, "a"], dtype=dtype)})
    column = as_table(frame).columns[0]
    assert column.labels == ("a", "b")
    assert column.codes.tolist() == [1, -1, 0]


def test_huge_nullable_integers_are_refused_not_rounded():
    frame = pd.DataFrame({"id": pd.array([None, 2**60 + 1], dtype="Int64")})
    for each in (frame, pl.DataFrame({"id": [None, 2**60 + 1]})):
        with pytest.raises(ColumnError, match=f"first: {2**60 + 1}, row 1"):
            as_table(each)


def test_pandas_categories_keep_their_declared_order():
    frame = pd.DataFrame({"a": pd.Categorical(["x", None, "y"], ["y", "x", "z"])})
    table = as_table(frame)
    assert table.columns[0].kind == "categorical"
    assert table.columns[0].labels == ("y", "x", "z")
    assert table.columns[0].codes.tolist() == [1, -1, 0]
    assert table.schema.features[0].reason == "The column is declared as a category."


def test_ordered_pandas_categories_are_ordinal():
    values = pd.Categorical(["lo", "hi"], ["lo", "hi"], ordered=True)
    table = as_table(pd.DataFrame({"a": values}))
    assert table.columns[0].kind == "ordinal"
    assert table.columns[0].codes.tolist() == [0, 1]
    assert "ordered category" in table.schema.features[0].reason


def test_intervals_from_cut_are_ordinal_by_their_text():
    frame = pd.DataFrame({"a": pd.cut([1, 5, 9], [0, 5, 10])})
    assert as_table(frame).columns[0].labels == ("(0, 5]", "(5, 10]")


def test_categories_that_are_numbers_stay_numbers():
    frame = pd.DataFrame({"a": pd.Categorical([3, 1, 3])})
    assert as_table(frame).columns[0].labels == (1, 3)
    numeric = as_table(frame, kinds={"a": "numeric"}).columns[0]
    assert numeric.values.tolist() == [3, 1, 3]


def test_polars_categories_are_numbered_by_value():
    frame = pl.DataFrame({"a": pl.Series(["b", None, "a"], dtype=pl.Categorical)})
    assert as_table(frame).columns[0].labels == ("a", "b")
    assert as_table(frame).columns[0].codes.tolist() == [1, -1, 0]


def test_polars_enums_keep_their_order_and_are_ordinal_only_on_request():
    enum = pl.Enum(["lo", "mid", "hi"])
    frame = pl.DataFrame({"a": pl.Series(["hi", None, "lo"], dtype=enum)})
    table = as_table(frame)
    assert table.columns[0].kind == "categorical"
    assert table.columns[0].labels == ("lo", "mid", "hi")
    assert table.columns[0].codes.tolist() == [2, -1, 0]
    assert "kinds={'a': 'ordinal'}" in table.schema.features[0].reason
    assert as_table(frame, kinds={"a": "ordinal"}).columns[0].kind == "ordinal"


def test_arrow_dictionaries_are_numbered_by_value_unless_ordered():
    chunks = [pa.array(["b", None]), pa.array(["a", "b"])]
    encoded = pa.chunked_array([each.dictionary_encode() for each in chunks])
    column = as_table(pa.table({"a": encoded})).columns[0]
    assert column.labels == ("a", "b")
    assert column.codes.tolist() == [1, -1, 0, 1]
    ordered = pa.DictionaryArray.from_arrays([1, 0], ["lo", "hi"], ordered=True)
    column = as_table(pa.table({"a": ordered})).columns[0]
    assert column.kind == "ordinal"
    assert column.labels == ("lo", "hi")


def test_a_null_inside_an_arrow_dictionary_is_missing():
    values = pa.array(["b", None])
    encoded = pa.DictionaryArray.from_arrays([0, 1], values)
    assert as_table(pa.table({"a": encoded})).columns[0].codes.tolist() == [0, -1]


def test_decimals_are_numbers():
    cells = [Decimal("1.25"), None]
    for frame in (
        pl.DataFrame({"a": cells}),
        pa.table({"a": cells}),
        pd.DataFrame({"a": cells}),
    ):
        np.testing.assert_array_equal(as_table(frame).columns[0].values, [1.25, np.nan])


def test_dates_of_every_library_agree():
    cells = [dt.date(1970, 1, 3), None]
    frames = (
        pl.DataFrame({"a": cells}),
        pa.table({"a": cells}),
        pd.DataFrame({"a": cells}),
        pd.DataFrame({"a": pd.array(cells, dtype="date32[pyarrow]")}),
    )
    for frame in frames:
        column = as_table(frame).columns[0]
        assert column.stored_as == "date"
        np.testing.assert_array_equal(column.values, [2 * 86400e6, np.nan])


def test_times_with_a_zone_keep_it_in_the_schema():
    naive = pd.Series(pd.to_datetime(["1970-01-01 01:00", None]))
    zoned = pd.DataFrame({"a": naive.dt.tz_localize("Europe/Vienna")})
    for frame in (zoned, pl.from_pandas(zoned), pa.Table.from_pandas(zoned)):
        table = as_table(frame)
        np.testing.assert_array_equal(table.columns[0].values, [0, np.nan])
        assert table.schema.features[0].timezone == "Europe/Vienna"


def test_an_all_null_column_is_numeric():
    for frame in (
        pl.DataFrame({"a": [None, None]}),
        pa.table({"a": [None, None]}),
        pd.DataFrame({"a": [None, None]}),
    ):
        column = as_table(frame).columns[0]
        assert column.kind == "numeric"
        assert np.isnan(column.values).all()


@pytest.mark.parametrize("cell", [[1, 2], {"b": 1}])
def test_nested_columns_are_refused(cell):
    for frame in (
        pl.DataFrame({"a": [cell, cell]}),
        pa.table({"a": [cell, cell]}),
        pd.DataFrame({"a": [cell, cell]}),
    ):
        with pytest.raises(ColumnTypeError, match=r"'a'.*nested.*a column of its own"):
            as_table(frame)


@pytest.mark.parametrize(
    ("frame", "words"),
    [
        (pl.DataFrame({"a": [1]}).lazy(), r"lazy table \(polars.*Call \.collect\(\)"),
        (pl.Series([1.0]), "got 1D array instead.*Reshape your data"),
        (pd.Series([1.0]), r"got 1D array instead.*Reshape your data.*to_frame\(\)"),
        (pd.DataFrame({"a": [1j]}), "Complex data not supported.*'a'"),
        (pl.DataFrame({"a": [b"\xff"]}), "'a'.*Decode the column to text"),
        (
            pd.DataFrame({"a": pd.arrays.SparseArray([0, 0, 1])}),
            "'a' is sparse.*to_dense",
        ),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "Two columns are called 'a'"),
        (
            pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"]),
            "Two columns are called 'a'",
        ),
        (pd.DataFrame({"a": []}), r"0 sample\(s\) \(shape=\(0, 1\)\)"),
        (pd.DataFrame(index=[0, 1]), r"0 feature\(s\) \(shape=\(2, 0\)\)"),
    ],
)
def test_frames_that_cannot_be_used_are_refused_in_words(frame, words):
    with pytest.raises(TableError, match=words):
        as_table(frame)


def test_names_that_are_not_text_become_their_text():
    assert as_table(pd.DataFrame([[1, 2]])).schema.names == ("0", "1")
    mixed = as_table(pd.DataFrame([[1, 2]], columns=["a", 7]))
    assert mixed.schema.names == ("a", "7")
    table = as_table(pd.DataFrame([[1, 2]]), kinds={1: "categorical"})
    assert table.columns[1].kind == "categorical"


@pytest.mark.parametrize(
    "name", ["", " ", "naïve café", "a.b", "😀", "</script>", "\n"]
)
def test_any_text_may_name_a_column(name):
    assert as_table(pl.DataFrame({name: [1.0]})).schema.names == (name,)


def test_a_number_late_in_a_pandas_text_column_is_noticed():
    cells = np.array(["x"] * 300 + [7], object)
    with pytest.raises(
        ColumnError, match=r"'a' is text but 1 value .*first: 7, row 300"
    ):
        as_table(pd.DataFrame({"a": pd.Series(cells, dtype=object)}))


def test_a_declared_text_column_without_values_stays_categorical():
    frame = pl.DataFrame({"a": pl.Series([None, None], dtype=pl.String)})
    assert as_table(frame).columns[0].labels == ()


def test_a_dict_may_hold_columns_of_any_library():
    table = as_table(
        {
            "a": pd.Categorical(["y", "x"], ["y", "x"]),
            "b": pl.Series([1, None]),
            "c": pa.array([1.5, None]),
            "d": pd.array([1, None], dtype="Int64"),
            "e": pa.chunked_array([["x"], ["y"]]),
        }
    )
    assert table.columns[0].labels == ("y", "x")
    for column in table.columns[1:4]:
        assert np.isnan(column.values[1])
    assert table.columns[4].labels == ("x", "y")


@pytest.mark.needs("polars>=1.18")
def test_integers_of_128_bits_are_read():
    frame = pl.DataFrame({"a": pl.Series([1, None], dtype=pl.Int128)})
    np.testing.assert_array_equal(as_table(frame).columns[0].values, [1, np.nan])


def test_chunked_arrow_columns_are_joined():
    table = pa.table({"a": pa.chunked_array([[1.5], [None, 2.5]])})
    np.testing.assert_array_equal(as_table(table).columns[0].values, [1.5, np.nan, 2.5])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("names", [str, int])
def test_a_wide_pandas_frame_is_read_as_column_by_column(dtype, names):
    X = np.random.default_rng(0).normal(size=(3, 8)).astype(dtype)
    X[1, 2] = np.nan
    frame = pd.DataFrame(X, columns=[names(j) for j in range(8)])
    wide, narrow = as_table(frame), [as_table(frame[[names(j)]]) for j in range(8)]
    for j, column in enumerate(wide.columns):
        assert column.name == narrow[j].columns[0].name
        np.testing.assert_array_equal(column.data, narrow[j].columns[0].data)
    frame[names(3)] = list("abc")  # no frame of floats any more
    assert as_table(frame).columns[3].labels == ("a", "b", "c")


def test_a_column_may_be_a_frame_of_one_column_but_not_of_two():
    one = pd.DataFrame({"z": [1.5, 2.5]})
    assert as_table({"a": one}).columns[0].values.tolist() == [1.5, 2.5]
    with pytest.raises(ColumnError, match=r"'a' has shape \(2, 2\): a nested column"):
        as_table({"a": one.assign(y=1)})


def test_a_lazy_column_is_named_and_a_relation_of_duckdb_is_read():
    with pytest.raises(
        TableError, match=r"Column 'a' is a lazy table \(polars.*collect"
    ):
        open_column("a", pl.LazyFrame({"a": [1]}))
    relation = duckdb.from_arrow(pa.table({"y": [1.5, 2.5]}))
    assert as_table({"a": [1, 2]}, relation).target.values.tolist() == [1.5, 2.5]
    two = duckdb.from_arrow(pa.table({"y": [1.5, 2.5], "z": [1, 2]}))
    with pytest.raises(ColumnError, match=r"'a' has shape \(2, 2\): a nested column"):
        as_table({"a": two})


def test_a_frame_that_nothing_can_read_is_refused_by_its_type():
    class Table:
        columns = ("a",)

    with pytest.raises(TableError, match="type 'Table', which is not a table narwhals"):
        as_table(Table())


@pytest.mark.parametrize("there", ["polars", ""])
def test_an_arrow_stream_is_read_by_what_is_installed(monkeypatch, there):
    from_arrow = nw.from_arrow

    def only(X, backend):
        if backend != there:
            raise ImportError
        return from_arrow(X, backend=backend)

    monkeypatch.setattr(nw, "from_arrow", only)
    stream = ArrowStream(pa.table(DATA))
    if there:
        assert as_table(stream).columns[3].labels == ("a", "b")
    else:
        with pytest.raises(TableError, match="pyarrow or polars: pip install pyarrow"):
            as_table(stream)


def test_text_of_polars_is_read_without_pyarrow(monkeypatch):
    frame = pl.DataFrame({"a": ["b", None, "a", "b"]})
    wanted = as_table(frame)

    def missing(series):
        raise ImportError

    monkeypatch.setattr(from_frame, "_polars_dictionary", missing)
    found = as_table(frame)
    assert found.columns[0].codes.tolist() == [1, -1, 0, 1]
    assert found.schema == wanted.schema
