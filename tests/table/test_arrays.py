import numpy as np
import pytest

from treewright.errors import ColumnError, ColumnTypeError, OptionError, TableError
from treewright.table.as_table import as_table
from treewright.table.column import CategoricalColumn, NumericColumn


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("order", ["C", "F"])
def test_float_arrays_are_read_where_they_lie(dtype, order):
    X = np.asarray(np.random.default_rng(0).random((7, 3)), dtype, order=order)
    table = as_table(X)
    assert table.schema.names == ("x0", "x1", "x2")
    assert not table.schema.named
    assert table.n_rows == 7
    for index, column in enumerate(table.columns):
        assert isinstance(column, NumericColumn)
        assert column.values.dtype == dtype
        assert np.shares_memory(column.values, X)
        np.testing.assert_array_equal(column.values, X[:, index])


def test_columns_are_read_only_but_the_callers_array_stays_writeable():
    X = np.zeros((2, 2))
    table = as_table(X)
    with pytest.raises(ValueError, match="read-only"):
        table.columns[0].values[0] = 1
    X[0, 0] = 5
    assert table.columns[0].values[0] == 5


def test_nan_is_missing_and_infinities_are_values():
    X = np.array([[np.nan], [np.inf], [-np.inf], [-0.0]])
    np.testing.assert_array_equal(as_table(X).columns[0].values, X[:, 0])


def test_every_column_says_why_it_is_numeric():
    feature = as_table(np.zeros((2, 1), np.float32)).schema.features[0]
    assert feature.kind == "numeric"
    assert feature.reason == "The values are numbers (float32)."
    feature = as_table(np.zeros((2, 1), np.int16)).schema.features[0]
    assert feature.stored_as == "int"
    assert feature.reason == "The values are whole numbers (int16)."


@pytest.mark.parametrize("dtype", ["i1", "u1", "i4", "i8", "u8", ">i4"])
def test_integers_become_exact_floats(dtype):
    column = as_table(np.array([[1], [100]], dtype)).columns[0]
    assert column.stored_as == "int"
    assert column.values.dtype in (np.float32, np.float64)
    assert column.values.tolist() == [1, 100]


@pytest.mark.parametrize("largest", [2**24, 2**24 + 1, -(2**24) - 1, 2**53, -(2**53)])
@pytest.mark.parametrize("order", ["C", "F"])
def test_a_whole_matrix_of_integers_is_exact(largest, order):
    integers = np.arange(600 * 3).reshape(600, 3)
    integers[599, 1] = largest
    table = as_table(np.asarray(integers, order=order))
    for index, column in enumerate(table.columns):
        assert column.values.tolist() == integers[:, index].tolist()


def test_bools_become_0_and_1():
    column = as_table(np.array([[True], [False]])).columns[0]
    assert column.stored_as == "bool"
    assert column.values.tolist() == [1, 0]


@pytest.mark.parametrize("dtype", [np.float16, ">f4", ">f8", np.longdouble])
def test_unusual_floats_are_converted_without_loss(dtype):
    column = as_table(np.array([[1.5], [np.nan]], dtype)).columns[0]
    assert column.values.dtype in (np.float32, np.float64)
    assert column.values.dtype.isnative
    np.testing.assert_array_equal(column.values, [1.5, np.nan])


def test_unaligned_floats_are_copied_to_aligned_ones():
    packed = np.zeros(3, [("flag", "i1"), ("value", "f8")])
    packed["value"] = [1, 2, 3]
    column = as_table(packed).columns[1]
    assert column.values.flags.aligned
    assert column.values.tolist() == [1, 2, 3]


def test_a_numpy_matrix_is_a_table():
    matrix = np.eye(2).view(np.matrix)
    assert as_table(matrix).columns[1].values.tolist() == [0, 1]


def test_structured_arrays_have_named_columns():
    table = as_table(np.array([(1, "a")], [("n", "i8"), ("s", "U1")]))
    assert table.schema.names == ("n", "s")
    assert table.schema.named
    assert isinstance(table.columns[1], CategoricalColumn)


def test_masked_cells_are_missing():
    X = np.ma.masked_array([[1.0, 2.0], [3.0, 4.0]], [[0, 1], [0, 0]])
    np.testing.assert_array_equal(as_table(X).columns[1].values, [np.nan, 4])
    whole = np.ma.masked_array([[1], [2]], [[1], [0]])
    np.testing.assert_array_equal(as_table(whole).columns[0].values, [np.nan, 2])


@pytest.mark.parametrize("sign", [1, -1])
def test_integers_up_to_2_to_the_53_are_taken(sign):
    column = as_table(np.array([[sign * 2**53]])).columns[0]
    assert column.values[0] == sign * 2**53


@pytest.mark.parametrize(
    "X",
    [
        np.array([[1], [2**53 + 1]]),
        np.array([[1], [-(2**53) - 1]]),
        np.array([[1], [2**64 - 1]], np.uint64),
        np.array([[1], [2**70]], object),
        [[1], [2**70]],
        [[0.5], [2**53 + 1]],
    ],
)
def test_integers_beyond_2_to_the_53_are_refused_and_categorical_offered(X):
    words = r"'x0'.*beyond 2\^53.*row 1.*kinds=\{'x0': 'categorical'\}"
    with pytest.raises(ColumnError, match=words):
        as_table(X)


def test_huge_integers_stay_distinct_as_categories():
    column = as_table([[2**53], [2**53 + 1], [2**70]], kinds={0: "categorical"})
    assert column.columns[0].labels == (2**53, 2**53 + 1, 2**70)
    assert column.columns[0].codes.tolist() == [0, 1, 2]


def test_text_arrays_are_categorical_by_value():
    column = as_table(np.array([["b"], ["a"], ["b"]])).columns[0]
    assert column.labels == ("a", "b")
    assert column.codes.tolist() == [1, 0, 1]
    assert column.codes.dtype == np.int32


def test_bytes_are_read_as_utf8_text():
    assert as_table(np.array([[b"b"], [b"a"]])).columns[0].labels == ("a", "b")
    with pytest.raises(ColumnError, match=r"not UTF-8.*Decode"):
        as_table(np.array([[b"\xff"]]))


def test_dates_become_microseconds_since_1970():
    X = np.array([["1970-01-02"], ["NaT"]], "datetime64[D]")
    column = as_table(X).columns[0]
    assert column.stored_as == "date"
    np.testing.assert_array_equal(column.values, [86400e6, np.nan])
    fine = as_table(X.astype("datetime64[ns]")).columns[0]
    assert fine.stored_as == "datetime"
    np.testing.assert_array_equal(fine.values, column.values)


def test_durations_become_microseconds():
    column = as_table(np.array([[3], [-1]], "timedelta64[ms]")).columns[0]
    assert column.stored_as == "duration"
    assert column.values.tolist() == [3000, -1000]


@pytest.mark.parametrize(
    ("X", "words"),
    [
        (np.zeros((0, 4)), r"Found array with 0 sample\(s\) \(shape=\(0, 4\)\) while"),
        (np.zeros((10, 0)), r"Found array with 0 feature\(s\) \(shape=\(10, 0\)\) wh"),
        (np.zeros(3), "Expected 2D array, got 1D array instead.*Reshape your data"),
        (np.float64(3), "Expected 2D array, got scalar array instead"),
        (np.zeros((2, 2, 2)), r"Found array with dim 3 \(shape=\(2, 2, 2\)\)"),
        (np.zeros((2, 2), complex), "Complex data not supported.*complex128"),
        (np.array([[1j], [0]], object), "Complex data not supported.*'x0'.*row 0"),
        ("table.csv", "X is the text 'table.csv', not a table. Pass a NumPy array"),
        (None, "X is None, not a table"),
        (7, "X is an object of type 'int', not a table"),
        ([], r"Found array with 0 sample\(s\).*list of rows is empty"),
        ([1, 2], "Expected 2D array, got 1D array instead.*Reshape your data"),
        ([[1, 2], [3]], "Row 1 has 1 values but row 0 has 2"),
        ([[1, 2], 3], "Row 1 is 3, not a row of values"),
        ([[[1], [2]], [[3], [4]]], "Found array with dim 3"),
        ([[], []], r"Found array with 0 feature\(s\)"),
        ({}, r"Found array with 0 feature\(s\)"),
        ({"a": []}, r"Found array with 0 sample\(s\) \(shape=\(0, 1\)\)"),
        ({"a": [1], "b": [1, 2]}, "Column 'b' has 2 rows but column 'a' has 1"),
        ({"a": 3}, r"Column 'a' is 3, not a column.*\{'a': \[...\]\}"),
        ({"a": "xyz"}, "Column 'a' is 'xyz', not a column of values"),
        ({"a": [1], "b": np.zeros((1, 2))}, r"Column 'b' has shape \(1, 2\): a nested"),
        (
            {"a": {1, 2}},
            "Column 'a' is an object of type 'set', not a column of values",
        ),
        ({1: [1], "1": [2]}, r"Two columns are called '1' \(columns 0 and 1\)"),
    ],
)
def test_a_table_of_the_wrong_shape_is_refused_in_words(X, words):
    with pytest.raises(TableError, match=words):
        as_table(X)


def test_sparse_matrices_are_refused_with_what_to_do():
    import scipy.sparse as sparse

    for make in (sparse.csr_array, sparse.coo_matrix, sparse.dok_array):
        with pytest.raises(TableError, match=r"sparse.*not supported.*toarray\(\)"):
            as_table(make(np.eye(3)))
        words = r"Column 'a' is sparse.*not supported.*toarray\(\)\.ravel\(\)"
        with pytest.raises(TableError, match=words):
            as_table({"a": make(np.eye(1))})


def test_things_that_become_arrays_are_taken():
    class NotAnArray:
        def __array__(self, dtype=None, copy=None):
            return np.eye(2)

    assert as_table(NotAnArray()).columns[0].values.tolist() == [1, 0]


def test_one_row_one_column_is_a_table():
    table = as_table(np.array([[1.0]]), [0])
    assert (table.n_rows, table.n_columns) == (1, 1)


def test_object_arrays_are_sorted_out_column_by_column():
    X = np.array([[1.5, "b", True], [None, None, False]], object)
    table = as_table(X)
    assert [f.kind for f in table.schema.features] == [
        "numeric",
        "categorical",
        "numeric",
    ]
    np.testing.assert_array_equal(table.columns[0].values, [1.5, np.nan])
    assert table.columns[1].codes.tolist() == [0, -1]
    assert table.columns[2].stored_as == "bool"


def test_a_dict_in_an_object_array_is_a_type_error_in_scikit_learns_words():
    X = np.random.default_rng(0).random((4, 2)).astype(object)
    X[0, 0] = {"foo": "bar"}
    with pytest.raises(TypeError, match=r"argument must be .* string.* number"):
        as_table(X)
    with pytest.raises(ColumnTypeError, match=r"'x0' holds \{'foo': 'bar'\} in row 0"):
        as_table(X)


def test_no_input_is_modified():
    X = np.array([[3, 1], [2, 5]])
    y, w = np.array([1, 0]), np.array([1.0, 2.0])
    before = X.copy(), y.copy(), w.copy()
    as_table(X, y, w)
    for given, kept in zip((X, y, w), before, strict=True):
        np.testing.assert_array_equal(given, kept)
        assert given.flags.writeable


def test_a_read_only_memory_map_is_read_in_place(tmp_path):
    np.save(tmp_path / "x.npy", np.eye(3))
    X = np.load(tmp_path / "x.npy", mmap_mode="r")
    assert np.shares_memory(as_table(X).columns[0].values, X)


def test_a_table_passes_through_and_can_be_given_a_target():
    table = as_table(np.eye(2))
    assert as_table(table) is table
    with_target = as_table(table, ["a", "b"])
    assert with_target.columns is table.columns
    assert with_target.schema.target.classes == ("a", "b")


def test_kinds_of_a_table_that_is_already_made_are_refused():
    with pytest.raises(OptionError, match=r"X is already a Table.*where the table is"):
        as_table(as_table(np.eye(2)), kinds={"x0": "categorical"})


@pytest.mark.parametrize(
    "dtype", ["datetime64[D]", "datetime64[ns]", "timedelta64[ns]"]
)
def test_masked_moments_are_missing_and_keep_their_type(dtype):
    values = np.array([1, 2], dtype)
    table = as_table({"a": np.ma.array(values, mask=[False, True])})
    plain = as_table({"a": np.array([values[0], "NaT"], dtype)})
    np.testing.assert_array_equal(table.columns[0].values, plain.columns[0].values)
    assert table.schema == plain.schema


def test_masked_text_is_missing():
    table = as_table({"a": np.ma.array(["y", "z", "x"], mask=[False, True, False])})
    assert table.columns[0].labels == ("x", "y")
    assert table.columns[0].codes.tolist() == [1, -1, 0]


@pytest.mark.needs("numpy>=2")
def test_strings_of_any_length_are_text():
    text = np.array(["y", None, "x"], np.dtypes.StringDType(na_object=None))
    column = as_table({"a": text}).columns[0]
    assert column.labels == ("x", "y")
    assert column.codes.tolist() == [1, -1, 0]


def test_a_structured_array_is_no_column():
    pairs = np.zeros(2, [("p", "f8"), ("q", "f8")])
    with pytest.raises(ColumnTypeError, match=r"Column 'a' is of type .*its own"):
        as_table({"a": pairs})
