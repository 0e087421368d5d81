import datetime as dt
from collections import UserList

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from treewright.errors import OptionError, TableError
from treewright.table.as_table import as_table
from treewright.table.table import ClassTarget, NumericTarget
from treewright.table.target import is_column_vector, read_target


def target(y, task="class"):
    n = 4 if np.isscalar(y) else len(y)
    return as_table(np.zeros((n, 1)), y, task=task).target


@pytest.mark.parametrize(
    "y",
    [
        np.array([0, 1, 2, 1]),
        np.array([2, 0, 5, 2]),
        np.array([-1, 1, -1, 1]),
        np.array([-128, 127, 0], np.int8),
        np.array([250, 3], np.uint8),
        np.array([2**63, 2**63 + 5], np.uint64),
        np.array([10**15, 3, 10**15]),
        np.array([True, False, True]),
        np.array([True, True]),
        np.array([1.0, 0.0, -3.0]),
        np.array([2.0, 2.0], np.float32),
        np.array([1e300, 0.0]),
        np.array(["b", "a", "b"]),
        np.array(["b", "a", "b"], object),
        np.array([3, 1], ">i4"),
    ],
    ids=repr,
)
def test_classes_are_those_of_numpy_unique(y):
    made = target(y)
    classes, codes = np.unique(y, return_inverse=True)
    np.testing.assert_array_equal(made.classes, classes)
    assert made.classes.dtype.kind == classes.dtype.kind
    assert made.codes.dtype == np.int32
    np.testing.assert_array_equal(made.codes, codes)
    np.testing.assert_array_equal(made.classes[made.codes], y)


def test_integer_classes_keep_their_width():
    assert target(np.array([1, 2], np.int16)).classes.dtype == np.int16


@pytest.mark.parametrize(
    ("y", "classes"),
    [
        (["no", "yes", "no"], ["no", "yes"]),
        ([3, 1, 3], [1, 3]),
        ([True, False], [False, True]),
        ([1.0, 0.0], [0.0, 1.0]),
        (np.array([1, 0], object), [0, 1]),
        (np.array([1.0, 0], object), [0.0, 1.0]),
        (pd.Series(["b", "a"]), ["a", "b"]),
        (pd.Series(pd.Categorical(["x", "y"], ["z", "y", "x"])), ["x", "y"]),
        (pd.Series([2, 1], dtype="Int64"), [1, 2]),
        (pl.Series(["b", "a"]), ["a", "b"]),
        (pa.chunked_array([["b"], ["a"]]), ["a", "b"]),
        (pa.array(["b", "a"]).dictionary_encode(), ["a", "b"]),
        (pd.Categorical(["b", "a"]), ["a", "b"]),
        (pl.Series(["b", "a"], dtype=pl.Enum(["b", "a"])), ["a", "b"]),
        (pd.DataFrame({"y": [1, 0]}), [0, 1]),
        (np.array([[1], [0]]), [0, 1]),
        ([[1], [0]], [0, 1]),
        ([2**70, 1], [1, 2**70]),
    ],
    ids=lambda each: type(each).__name__,
)
def test_classes_come_from_anything_one_dimensional(y, classes):
    made = target(y)
    assert isinstance(made, ClassTarget)
    assert made.classes.tolist() == classes
    restored = made.classes[made.codes].tolist()
    given = y.iloc[:, 0] if isinstance(y, pd.DataFrame) else y
    assert restored == np.array(given, object).ravel().tolist()


def test_a_single_class_is_a_target():
    assert target(["only", "only"]).classes.tolist() == ["only"]


def test_the_schema_knows_the_classes_as_plain_values():
    schema = as_table([[1], [2]], np.array([5, 3]), task="class").schema
    assert schema.target.kind == "class"
    assert schema.target.classes == (3, 5)
    assert type(schema.target.classes[0]) is int
    schema = as_table([[1], [2]], [0.5, 1.5]).schema
    assert schema.target.kind == "number"
    assert schema.target.classes == ()


@pytest.mark.parametrize("make", [pd.Series, pl.Series])
def test_the_name_of_a_series_is_kept(make):
    y = make([1, 0], name="outcome") if make is pd.Series else make("outcome", [1, 0])
    assert target(y).name == "outcome"
    assert target([1, 0]).name == "y"


@pytest.mark.parametrize(
    ("y", "kind"),
    [
        (["a", "b"], ClassTarget),
        ([True, False], ClassTarget),
        ([1, 2], ClassTarget),
        (pd.Categorical([1.5, 2.5]), ClassTarget),
        (list(range(20)), ClassTarget),
        (list(range(21)), NumericTarget),
        ([1.0, 2.0], NumericTarget),
        ([1.5, 2.5], NumericTarget),
    ],
)
def test_without_a_task_the_values_decide(y, kind):
    assert isinstance(target(y, None), kind)


@pytest.mark.parametrize(
    "y",
    [
        [1, 2],
        [1.5, 2.5],
        np.array([1, 2], np.float32),
        np.array([[1.0], [2.0]]),
        np.arange(4.0)[::2],
        pd.Series([1, 2], dtype="Int64"),
        pl.Series([1, 2]),
        ["1", "2"],
        [True, False],
    ],
    ids=repr,
)
def test_numbers_are_contiguous_float64(y):
    made = target(y, "number")
    assert isinstance(made, NumericTarget)
    assert made.values.dtype == np.float64
    assert made.values.flags.c_contiguous
    assert not made.values.flags.writeable
    np.testing.assert_array_equal(made.values, np.array(y, float).ravel())


NAN = float("nan")


@pytest.mark.parametrize("task", ["class", "number"])
@pytest.mark.parametrize(
    "y",
    [
        [1.0, NAN, 2.0],
        np.array([1.0, NAN]),
        [1, None],
        pd.Series([1, None], dtype="Int64"),
        pl.Series([1, None]),
    ],
    ids=repr,
)
def test_a_missing_target_names_the_row(y, task):
    with pytest.raises(TableError, match=r"Input y contains NaN\..*in row 1"):
        target(y, task)


@pytest.mark.parametrize(
    "y",
    [
        ["a", None],
        ["a", NAN],
        pd.Series(["a", None]),
        pl.Series(["a", None]),
        pd.Series(pd.Categorical(["a", None])),
        np.array(["a", None], object),
        [True, None],
    ],
    ids=repr,
)
def test_a_missing_class_names_the_row(y):
    with pytest.raises(TableError, match=r"Input y contains NaN\..*in row 1 \(1 row"):
        target(y)


def test_a_target_without_any_value_is_refused():
    with pytest.raises(TableError, match=r"missing in row 0 \(2 rows in total"):
        target([None, None])


@pytest.mark.parametrize("task", ["class", "number"])
@pytest.mark.parametrize("value", [np.inf, -np.inf])
def test_an_infinite_target_names_the_row(task, value):
    words = r"Input y contains infinity or a value too large for dtype\('float64'\)\."
    with pytest.raises(TableError, match=words + f".*{value} in row 1"):
        target([1.0, value], task)


def test_a_continuous_target_is_no_class():
    words = r"^Unknown label type: continuous\. The target holds 0\.5 \(row 1\)"
    with pytest.raises(TableError, match=words):
        target([1.0, 0.5])


@pytest.mark.parametrize(
    ("y", "task", "words"),
    [
        (["a", 1, 2], "class", "Unknown label type.*text and numbers mixed"),
        ([dt.date(2020, 1, 1)] * 2, "class", "Unknown label type.*date values"),
        ([dt.date(2020, 1, 1)] * 2, "number", "holds date values. Convert it"),
        (["a", "b"], "number", "must hold numbers.*first: 'a', row 0.*Convert"),
        ([2**60 + 1, 1], "number", r"must hold numbers.*beyond 2\^53"),
        (np.array([1j, 2]), "class", "Complex data not supported"),
        (np.zeros((2, 2)), "class", r"y should be a 1d array.*shape \(2, 2\)"),
        ([[1, 2], [3, 4]], "number", r"y should be a 1d array.*shape \(2, 2\)"),
        ([{"a": 1}, 2], "class", "argument must be a string or a number"),
    ],
)
def test_unsuitable_targets_are_refused_in_words(y, task, words):
    with pytest.raises(TableError, match=words):
        target(y, task)


@pytest.mark.parametrize("y", ["species", 3])
def test_a_target_that_is_no_column_is_refused(y):
    with pytest.raises(TableError, match=r"y should be a 1d array.*not the name"):
        target(y)


def test_a_sparse_target_is_refused():
    import scipy.sparse as sparse

    with pytest.raises(TableError, match="y is sparse"):
        as_table(np.zeros((2, 1)), sparse.csr_array([[1], [0]]))


def test_lengths_that_differ_are_refused_in_scikit_learns_words():
    words = (
        r"Found input variables with inconsistent numbers of samples: \[3, 2\]\. "
        "X has 3 rows and y has 2"
    )
    with pytest.raises(TableError, match=words):
        as_table(np.zeros((3, 1)), [0, 1])


def test_a_task_needs_a_target():
    with pytest.raises(
        TableError, match="requires y to be passed, but the target y is"
    ):
        as_table([[1]], task="class")


def test_an_unknown_task_is_refused():
    with pytest.raises(OptionError, match="task must be 'class', 'number' or None"):
        as_table([[1]], [1], task="regression")


def test_things_that_become_arrays_are_targets():
    class NotAnArray:
        def __init__(self, data):
            self.data = np.asarray(data)

        def __array__(self, dtype=None, copy=None):
            return self.data

    for data in ([1, 0], [[1], [0]]):
        made = as_table(np.zeros((2, 1)), NotAnArray(data), task="class").target
        assert made.codes.tolist() == [1, 0]


def test_a_list_of_lists_that_is_ragged_is_refused():
    with pytest.raises(TableError, match="y should be a 1d array"):
        target([[1], [2, 3]])


def test_a_column_vector_is_known_as_one():
    for y in (np.zeros((3, 1)), [[1], [0]], pd.DataFrame({"y": [1]})):
        assert is_column_vector(y)
    for y in (np.zeros(3), [1, 0], pd.Series([1]), np.zeros((3, 2)), [[1], [0, 1]], []):
        assert not is_column_vector(y)


def test_a_range_and_other_sequences_are_columns():
    assert read_target(range(30), 30).values.tolist() == list(range(30))
    assert read_target(range(3), 3, "class").classes.tolist() == [0, 1, 2]
    assert read_target(UserList("abab"), 4).classes.tolist() == ["a", "b"]


def test_bytes_are_the_text_that_they_spell():
    cells = [b"b", bytearray(b"a"), "grün".encode()]
    assert read_target(cells, 3).classes.tolist() == ["a", "b", "grün"]
    with pytest.raises(TableError, match="not UTF-8 text"):
        read_target([b"\xff", b"a"], 2)
    with pytest.raises(TableError, match="raw bytes among other cells"):
        read_target([b"a", "a"], 2)


def test_what_can_be_read_only_once_says_what_to_pass():
    with pytest.raises(TableError, match=r"Pass list\(y\)"):
        read_target((c for c in "ab"), 2)
    with pytest.raises(TableError, match=r"Pass y\.collect\(\)"):
        read_target(pl.LazyFrame({"y": ["a", "b"]}), 2)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int8, np.int64, np.bool_])
def test_no_rows_have_no_classes(dtype):
    found = read_target(np.empty(0, dtype), 0, "class")
    assert found.codes.tolist() == []
    assert found.classes.tolist() == []
    assert found.classes.dtype == dtype
