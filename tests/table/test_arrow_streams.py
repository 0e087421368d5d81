"""Anything that hands over an Arrow stream is a table."""

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pytest

import treewright as tw

ROWS = pa.table({"x": np.arange(60.0), "town": ["Rome", "Bonn", "Lyon"] * 20})
Y = (np.arange(60) > 29).astype(int)


class Stream:
    """An object of which nothing is known but the protocol."""

    def __init__(self, table):
        self._table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self._table.__arrow_c_stream__(requested_schema)


FORMS = {
    "table": lambda: ROWS,
    "batch": lambda: ROWS.to_batches()[0],
    "reader": lambda: pa.RecordBatchReader.from_batches(ROWS.schema, ROWS.to_batches()),
    "chunks": lambda: pa.concat_tables([ROWS[:25], ROWS[25:]]),
    "stream": lambda: Stream(ROWS),
    "duckdb": lambda: duckdb.from_arrow(ROWS),
    "query": lambda: duckdb.from_arrow(ROWS).filter("x >= 0").order("x"),
    "polars": lambda: pl.from_arrow(ROWS),
}


@pytest.mark.parametrize("form", FORMS)
def test_it_is_read(form):
    estimator = tw.TreeClassifier(prune=None, findings="ignore")
    fitted = estimator.fit(FORMS[form](), Y)
    assert fitted.tree_ == estimator.fit(ROWS, Y).tree_
    assert fitted.predict(FORMS[form]()).tolist() == Y.tolist()
    assert fitted.feature_names_in_.tolist() == ["x", "town"]
    assert fitted.tree_.check(FORMS[form]()).notable == []
    assert tw.inspect(FORMS[form](), Y).n_rows == 60


def test_a_reader_is_consumed_once():
    reader = FORMS["reader"]()
    tw.as_table(reader)
    with pytest.raises(tw.TableError, match="0 sample"):
        tw.as_table(reader)


def test_a_lazy_table_still_says_how_to_load_it():
    with pytest.raises(tw.TableError, match=r"Call \.collect\(\) first"):
        tw.as_table(pl.from_arrow(ROWS).lazy())
