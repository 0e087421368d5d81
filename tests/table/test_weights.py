import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from treewright.errors import TableError
from treewright.table.as_table import as_table


def weights(sample_weight, n=3):
    return as_table(np.zeros((n, 1)), sample_weight=sample_weight).weights


@pytest.mark.parametrize(
    "given",
    [
        [1, 0, 2],
        np.array([1, 0, 2]),
        np.array([1, 0, 2], np.float32),
        np.arange(6.0)[::2],
        pd.Series([1.0, 0.0, 2.0]),
        pl.Series([1.0, 0.0, 2.0]),
        (True, False, True),
        np.array([1, 0, 2], object),
    ],
    ids=repr,
)
def test_weights_become_contiguous_float64(given):
    made = weights(given)
    assert made.dtype == np.float64
    assert made.flags.c_contiguous
    assert not made.flags.writeable
    np.testing.assert_array_equal(made, np.asarray(given, float))


def test_no_weights_stay_none():
    assert weights(None) is None


def test_contiguous_float64_weights_are_not_copied_nor_locked():
    given = np.ones(3)
    assert np.shares_memory(weights(given), given)
    assert given.flags.writeable


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ([1, -2, 1], "sample_weight is negative in row 1: -2.0"),
        ([1, 1, np.nan], r"sample_weight is missing \(NaN\) in row 2"),
        ([1, None, 1], r"sample_weight is missing \(NaN\) in row 1"),
        ([np.inf, 1, 1], "sample_weight is not finite in row 0: inf"),
        ([1, -np.inf, 1], "sample_weight is not finite in row 1: -inf"),
        ([0, 0, 0], "weights are all zero.*above zero"),
        ([1, 1], r"sample_weight.shape == \(2,\), expected \(3,\)!"),
        (
            np.ones((3, 2)),
            r"must be one-dimensional, with 3 values; got shape \(3, 2\)",
        ),
        (np.ones((3, 1)), r"must be one-dimensional.*\(3, 1\)"),
        ([[1], [1], [1]], r"must be one-dimensional.*\(3, 1\)"),
        (2.0, r"single value 2.0, but one weight per row.*numpy.full\(3, 2.0\)"),
        (["a", 1, 1], "holds a value that is not a number.*'a'"),
        ([1e308, 1e308, 1e308], "too large to be added up.*1e[+]308"),
        ([1e200, 1e200, 1], "too large to be added up.*1e[+]200"),
        ([1e-320, 2e-320, 0], "too small to be distinguished.*Multiply all"),
        ([1j, 1, 1], "Complex data not supported"),
    ],
)
def test_bad_weights_are_refused_with_row_and_value(given, words):
    with pytest.raises(TableError, match=words):
        weights(given)


def test_the_name_of_a_column_is_no_weight():
    with pytest.raises(TableError, match=r"one number per row.*mean X\['age'\]\?"):
        weights("age")


def test_weights_that_are_no_column_are_refused_by_their_type():
    import scipy.sparse as sparse

    words = r"sample_weight is sparse \(csr_array\), .* dense array with one weight per"
    with pytest.raises(TableError, match=words):
        weights(sparse.csr_array([[1, 2, 3]]))
    relation = duckdb.from_arrow(pa.table({"w": [1.0, 2.0, 3.0]}))
    with pytest.raises(TableError, match=r"got shape \(3, 1\)\. Pass an array, series"):
        weights(relation)
    words = "an object of type 'LazyFrame', but one weight .* array of 3 numbers"
    with pytest.raises(TableError, match=words):
        weights(pl.LazyFrame({"w": [1.0, 2.0, 3.0]}))
