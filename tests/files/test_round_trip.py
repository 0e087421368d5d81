"""Random tables that are written to a file of any format come back equal."""

import csv
import datetime as dt
import gzip
import json
import math
import sqlite3

import numpy as np
import openpyxl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import treewright as tw

WORDS = st.text(
    st.characters(min_codepoint=33, max_codepoint=0x2FF, exclude_characters='"'),
    min_size=3,
    max_size=8,
).map(lambda text: f"w{text}")
INTS = st.integers(-(10**14), 10**14)  # with more digits, they would be codes
# openpyxl writes 16 digits.
FLOATS = st.floats(-1e300, 1e300).map(lambda x: float(f"{x:.15g}"))


def with_gaps(values):
    return st.one_of(st.none(), values)


@st.composite
def tables(draw):
    """Return columns of whole numbers, decimals and words, with missing cells."""
    n = draw(st.integers(2, 12))
    column = {
        "count": st.lists(with_gaps(INTS), min_size=n, max_size=n),
        "size": st.lists(with_gaps(FLOATS), min_size=n, max_size=n),
        "word": st.lists(with_gaps(WORDS), min_size=n, max_size=n),
    }
    made = {name: draw(values) for name, values in column.items()}
    # One word that spells nothing keeps the column text, whatever the others spell.
    made["word"][0], made["count"][0], made["size"][0] = "plain word", 1, 0.5
    # A row without any value is none in Excel.
    made["count"] = [0 if x is None else x for x in made["count"]]
    return made


def write_csv(path, table, opened=open):
    with opened(path, "wt", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(table)
        for row in zip(*table.values(), strict=True):
            writer.writerow(["" if x is None else _spelled(x) for x in row])


def _spelled(cell):
    return repr(cell) if isinstance(cell, float) else str(cell)


def write_json(path, table):
    rows = zip(*table.values(), strict=True)
    lines = [json.dumps(dict(zip(table, row, strict=True))) for row in rows]
    path.write_text("\n".join(lines))


def write_excel(path, table):
    book = openpyxl.Workbook()
    book.active.append(list(table))
    for row in zip(*table.values(), strict=True):
        book.active.append(row)
    for cells in book.active.iter_rows(min_row=2):
        for cell in cells:
            if isinstance(cell.value, str):
                cell.data_type = "s"  # even if it starts with '='
    book.save(path)


def write_sqlite(path, table):
    path.unlink(missing_ok=True)
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE t (count INTEGER, size REAL, word TEXT)")
        rows = list(zip(*table.values(), strict=True))
        database.executemany("INSERT INTO t VALUES (?, ?, ?)", rows)
    database.close()


def write_arrow(path, table):
    made = as_arrow(table)
    with pa.OSFile(str(path), "wb") as out, pa.ipc.new_file(out, made.schema) as sink:
        sink.write_table(made)


def as_arrow(table):
    kinds = [pa.int64(), pa.float64(), pa.string()]
    arrays = [pa.array(v, k) for v, k in zip(table.values(), kinds, strict=True)]
    return pa.table(arrays, names=list(table))


FORMATS = {
    "x.csv": write_csv,
    "x.csv.gz": lambda path, table: write_csv(path, table, gzip.open),
    "x.jsonl": write_json,
    "x.xlsx": write_excel,
    "x.db": write_sqlite,
    "x.arrow": write_arrow,
    "x.feather": lambda path, table: pa.feather.write_feather(as_arrow(table), path),
    "x.parquet": lambda path, table: pa.parquet.write_table(as_arrow(table), path),
}


@pytest.mark.parametrize("name", FORMATS)
@settings(
    max_examples=30,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(table=tables())
def test_a_table_comes_back_equal(name, tmp_path, table):
    path = tmp_path / name
    FORMATS[name](path, table)
    read = tw.read(path)
    assert read.schema.names == ("count", "size", "word")
    assert read.n_rows == read.intake.n_read == len(table["word"])
    counts, sizes, words = read.columns
    as_floats = [math.nan if x is None else float(x) for x in table["count"]]
    np.testing.assert_array_equal(counts.data, as_floats)
    as_floats = [math.nan if x is None else x for x in table["size"]]
    np.testing.assert_array_equal(np.asarray(sizes.data, float), as_floats)
    back = [words.labels[code] if code >= 0 else None for code in words.codes]
    assert back == table["word"]


MOMENTS = st.datetimes(dt.datetime(1800, 1, 1), dt.datetime(2200, 1, 1))


@settings(max_examples=60, deadline=None)
@given(st.lists(MOMENTS, min_size=1, max_size=8))
def test_points_in_time_come_back_equal_from_text_and_from_parquet(
    tmp_path_factory, moments
):
    folder = tmp_path_factory.mktemp("moments")
    csv_path, parquet_path = folder / "x.csv", folder / "x.parquet"
    lines = [f"{each.isoformat(sep=' ')},1" for each in moments]
    csv_path.write_text("\n".join(["at,n", *lines]))
    table = pa.table(
        {"at": pa.array(moments, pa.timestamp("us")), "n": [1] * len(lines)}
    )
    pa.parquet.write_table(table, parquet_path)
    from_text, typed = tw.read(csv_path).columns[0], tw.read(parquet_path).columns[0]
    np.testing.assert_array_equal(from_text.values, typed.values)
    epoch = dt.datetime(1970, 1, 1)
    ticks = [(each - epoch) / dt.timedelta(microseconds=1) for each in moments]
    assert typed.values.tolist() == ticks
