"""Files larger than memory: batches typed by a schema, and whole output files."""

import csv
import datetime as dt
import gzip
import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest

import treewright as tw
from treewright.errors import ColumnError
from treewright.files import batches as batches_module
from treewright.files import csv_rows
from treewright.files.atomic import replaced
from treewright.files.batches import read_batches
from treewright.files.write import row_writer
from treewright.table.match import match

HEADER = "size,price,born,zip,colour,left"


def lines(seed=0, n=300):
    rng = np.random.default_rng(seed)
    for _ in range(n):
        size, zipped = rng.integers(1, 100), rng.integers(0, 30)
        born = f"{rng.integers(1, 29):02}/{rng.integers(1, 13):02}/2019"
        colour = rng.choice(["red", "blue", "NA", "dark, green"])
        left = "yes" if size > 60 or colour == "red" else "no"
        yield f'{size},"${size * 37:,}",{born},{zipped:05},"{colour}",{left}'


@pytest.fixture
def training(tmp_path):
    path = tmp_path / "training.csv"
    path.write_text("\n".join([HEADER, *lines()]))
    return path


@pytest.fixture
def tree(training):
    return tw.TreeClassifier(prune=None).fit(training, target="left").tree_


def answers(path, tree, **options):
    found = [
        tree.predict(each.X) for each in read_batches(path, tree.schema, **options)
    ]
    return np.concatenate(found).tolist() if found else []


def test_batches_are_read_as_the_training_table_was(training, tree, monkeypatch):
    table = tw.read(training, target="left")
    whole = tree.predict(table).tolist()
    assert answers(training, tree) == whole
    monkeypatch.setattr(batches_module, "_ROWS", 7)
    parts = list(read_batches(training, tree.schema))
    assert [each.first_row for each in parts] == list(range(1, 301, 7))
    assert answers(training, tree) == whole


def test_a_batch_alone_would_be_read_otherwise(tree, tmp_path):
    # These dates are ambiguous by themselves, and the codes look like numbers.
    path = tmp_path / "new.csv"
    path.write_text(f"{HEADER}\n70,$5,01/02/2019,00012,blue,?\n5,n/a,,98765,red,yes\n")
    (batch,) = read_batches(path, tree.schema)
    assert batch.rows.column("price").to_pylist() == ["$5", "n/a"]
    assert tree.predict(batch.X).tolist() == ["yes", "yes"]
    assert batch.y.labels == ("yes",)
    assert batch.y.values.tolist() == [-1, 0]


@pytest.mark.parametrize(
    "name", ["new.parquet", "new.jsonl", "new.csv.gz", "new.arrow"]
)
def test_every_format_gives_the_same_answers(name, tmp_path, training, tree):
    frame = pd.read_csv(training, dtype=str, keep_default_na=False)
    path = tmp_path / name
    if name == "new.csv.gz":
        path.write_bytes(gzip.compress(training.read_bytes()))
    elif name == "new.jsonl":
        frame.to_json(path, orient="records", lines=True)
    elif name == "new.parquet":
        frame.to_parquet(path)
    else:
        table = pa.Table.from_pandas(frame)
        with (
            pa.OSFile(str(path), "wb") as out,
            pa.ipc.new_file(out, table.schema) as to,
        ):
            to.write_table(table, max_chunksize=50)
    assert answers(path, tree) == answers(training, tree)


def test_columns_are_found_by_name(training, tree, tmp_path):
    frame = pd.read_csv(training, dtype=str, keep_default_na=False)
    path = tmp_path / "new.csv"
    frame.assign(extra="?")[["extra", *reversed(frame.columns)]].to_csv(
        path, index=False
    )
    assert answers(path, tree) == answers(training, tree)


DRIFT = {
    "a lacking column": ("size,price,born,zip\n70,$5,01/02/2019,00012\n", "'colour'"),
    "text for a number": (f"{HEADER}\n7,$5,,1,red,no\nbig,$5,,1,red,no\n", "row 2 of"),
    "a short row": (f"{HEADER}\n7,$5,,1,red,no\n7,$5,,1\n", "Line 3"),
    "a long row": (f"{HEADER}\n7,$5,,1,red,no,1\n7,$5,,1,red,no\n", "Line 2"),
    "the header again": (f"{HEADER}\n7,$5,,1,red,no\n{HEADER}\n", "Line 3"),
    "no money": (f"{HEADER}\n7,cheap,,1,red,no\n", "'cheap'"),
    "an unclosed quote": (f'{HEADER}\n7,$5,,1,"red,no\n', "never closed"),
}


@pytest.mark.parametrize("case", DRIFT)
def test_what_does_not_fit_the_tree_is_refused_with_its_place(case, training, tmp_path):
    tree = tw.TreeClassifier(prune=None, thresholds="midpoint").fit(
        training, target="left"
    )
    content, words = DRIFT[case]
    path = tmp_path / "new.csv"
    path.write_text(content)
    with pytest.raises(tw.TreewrightError) as caught:
        use_every_batch(path, tree.tree_)
    assert words in str(caught.value)


def use_every_batch(path, tree):
    for batch in read_batches(path, tree.schema):
        tree.evaluate(batch.X, batch.y)
        match_all(tree, batch.X)


def match_all(tree, X):
    match(tree.schema, X, range(len(tree.schema.features)))


def test_types_of_parquet_are_read_from_text(tmp_path):
    moments = pd.to_datetime(["2019-01-01", "2020-01-01", "2021-01-01", "2022-01-01"])
    frame = pd.DataFrame(
        {"at": moments, "flag": [True, False, True, False], "k": [5, 6, 7, 8]}
    )
    path, new = tmp_path / "old.parquet", tmp_path / "new.csv"
    frame.assign(y=["a", "a", "b", "b"]).to_parquet(path)
    fitted = tw.TreeClassifier(prune=None, kinds={"k": "categorical"})
    tree = fitted.fit(path, target="y").tree_
    frame.to_csv(new, index=False)
    (batch,) = read_batches(new, tree.schema)
    assert tree.predict(batch.X).tolist() == ["a", "a", "b", "b"]
    match_all(tree, batch.X)


@pytest.fixture
def typed_tree(tmp_path):
    """Return a function that grows a tree from a column `v` of a Parquet file."""

    def grown(values):
        y = ["a"] * (len(values) // 2) + ["b"] * (len(values) - len(values) // 2)
        path = tmp_path / "typed.parquet"
        pa.parquet.write_table(pa.table({"v": values, "y": y}), path)
        fitted = tw.TreeClassifier(prune=None, findings="ignore")
        return fitted.fit(path, target="y").tree_

    return grown


TYPED = {
    "date": pa.array([18262, 18263, 18300, 18301], pa.date32()),
    "moment": pa.array([0, 1, 2, 3], pa.timestamp("s", "UTC")),
    "clock": pa.array([3600, 7200, 36000, 72000], pa.time32("s")),
    "bool": pa.array([False, False, True, True]),
    "number": pa.array([1, 2, 3, 4]),
}
UNFIT = {
    "text among dates": ("date", ["2020-01-05", "soon"], "dates such as 2024-02-29", 2),
    "a day that no month has": (
        "date",
        ["2020-01-05", "2020-02-30"],
        "dates such as 2024-02-29",
        2,
    ),
    "a date written otherwise": (
        "date",
        ["2020-01-05", "14/08/2019"],
        "dates such as 2024-02-29",
        2,
    ),
    "a time of day among dates": (
        "date",
        ["", "10:30", "10:45"],
        "dates such as 2024-02-29",
        2,
    ),
    "a zone that one lacks": (
        "moment",
        ["1970-01-01 00:00Z", "1970-01-01 00:00"],
        "points in time such as '2024-02-29 14:30'",
        2,
    ),
    "minutes beyond 59": (
        "clock",
        ["10:30", "NA", "25:60"],
        "durations such as 02:30:00",
        3,
    ),
    "a date among durations": (
        "clock",
        ["2020-01-05"],
        "durations such as 02:30:00",
        1,
    ),
    "an ambiguous date among durations": (
        "clock",
        ["03/04/2024"],
        "durations such as 02:30:00",
        1,
    ),
    "neither true nor false": ("bool", ["true", "0", "maybe"], "true or false", 3),
    "text among numbers": ("number", ["1", "unknown", "x"], "numbers", 3),
}


@pytest.mark.parametrize("case", UNFIT)
def test_the_first_cell_that_does_not_fit_is_named(case, typed_tree, tmp_path):
    kind, cells, held, row = UNFIT[case]
    tree = typed_tree(TYPED[kind])
    path = tmp_path / "new.csv"
    path.write_text("v,k\n" + "".join(f"{cell},1\n" for cell in cells))
    with pytest.raises(tw.ColumnError) as caught:
        list(read_batches(path, tree.schema))
    assert f"'v' held {held} when" in str(caught.value)
    assert f"row {row} of the file holds {cells[row - 1]!r}" in str(caught.value)


@pytest.mark.parametrize(
    ("kind", "cells", "expected"),
    [
        ("date", ["NA", "unknown"], ["a", "a"]),
        ("clock", ["01:30", "12:00:00", "10 pm"], ["a", "b", "b"]),
        ("clock", ["0 days, 1:00:00", "35:06", "2 days"], ["a", "b", "b"]),
        ("moment", ["1970-01-01 02:00:00.5+02", "1970-01-01 02:00:02+02"], ["a", "b"]),
        ("bool", ["unknown", " FALSE", "True", "1"], ["a", "a", "b", "b"]),
        ("number", ["unknown", "1", " 4"], ["a", "a", "b"]),
    ],
)
def test_text_is_read_in_the_type_that_the_column_had(
    kind, cells, expected, typed_tree, tmp_path
):
    tree = typed_tree(TYPED[kind])
    path = tmp_path / "new.csv"
    path.write_text("v,k\n" + "".join(f'"{cell}",1\n' for cell in cells))
    assert answers(path, tree) == expected


@pytest.mark.parametrize(
    ("kind", "cells", "words"),
    [
        ("date", ["unknown", "01/02/2024"], "dates such as '01/02/2024', but no value"),
        ("moment", ["unknown", "2024-01-01T00:00"], "'2024-01-01T00:00'"),
    ],
)
def test_a_mark_of_a_missing_value_is_not_blamed(
    kind, cells, words, typed_tree, tmp_path
):
    tree = typed_tree(TYPED[kind])
    path = tmp_path / "new.csv"
    path.write_text("v,k\n" + "".join(f"{cell},1\n" for cell in cells))
    with pytest.raises(tw.ColumnError) as caught:
        list(read_batches(path, tree.schema))
    assert words in str(caught.value)
    assert "unknown" not in str(caught.value)


def test_a_target_of_true_and_false_is_read_however_it_is_spelled(tmp_path):
    path, new = tmp_path / "old.parquet", tmp_path / "new.csv"
    flags = [each < 5 for each in range(10)]
    pa.parquet.write_table(pa.table({"x": range(10), "y": flags}), path)
    tree = tw.TreeClassifier(prune=None, shrinkage=None).fit(path, target="y").tree_
    new.write_text("x,y\n0,true\n1,TRUE\n8,0\n9,False\n2,NA\n")
    (batch,) = read_batches(new, tree.schema)
    assert tree.evaluate(batch.X.table.slice(0, 4), batch.y.values[:4]).error == 0
    assert batch.y.missing.tolist() == [False] * 4 + [True]
    new.write_text("x,y\n0,true\n1,perhaps\n")
    with pytest.raises(tw.ColumnError, match=r"held true or false.*row 2.*'perhaps'"):
        list(read_batches(new, tree.schema))


def test_a_mark_that_was_a_category_stays_one(tmp_path):
    path = tmp_path / "marks.csv"
    path.write_text("k,y\n" + "NA,no\nred,yes\n" * 5)
    fitted = tw.TreeClassifier(prune=None, kinds={"k": "categorical"})
    tree = fitted.fit(path, target="y").tree_
    assert answers(path, tree) == ["no", "yes"] * 5
    (batch,) = read_batches(path, tree.schema)
    assert batch.X.raw(0).labels == ("NA", "red")


@pytest.mark.parametrize("quote", ["", '"'])
def test_a_cell_longer_than_a_block_is_read(quote, typed_tree, tmp_path, monkeypatch):
    monkeypatch.setattr(batches_module, "_BLOCK", 1 << 10)
    tree = typed_tree(TYPED["number"])
    path = tmp_path / "long.csv"
    rows = [f"{row % 4 + 1},k" for row in range(600)]
    rows[499] = f"4,{quote}{'x' * 5000}{quote}"
    path.write_text("v,k\n" + "\n".join(rows))
    batches = list(read_batches(path, tree.schema))
    assert len(batches) > 2
    found = [cell for each in batches for cell in each.rows.column("v").to_pylist()]
    assert found == [row.partition(",")[0] for row in rows]
    path.write_text("v,k\n" + "\n".join([*rows, "1,2,3"]))
    with pytest.raises(tw.TableError, match=r"Line 602 of .*: 3 fields instead of 2"):
        list(read_batches(path, tree.schema))


def test_untidy_quotes_are_read_some_rows_at_a_time(typed_tree, tmp_path, monkeypatch):
    monkeypatch.setattr(csv_rows, "_BATCH", 2)
    tree = typed_tree(TYPED["number"])
    path = tmp_path / "inches.csv"
    path.write_text("v,k\n" + "".join(f'{row},5" pipe\n' for row in (1, 2, 3, 4, 1)))
    parts = list(read_batches(path, tree.schema))
    assert [each.first_row for each in parts] == [1, 3, 5]
    assert answers(path, tree) == ["a", "a", "b", "b", "a"]


@pytest.mark.parametrize("kind", ["parquet", "arrow"])
def test_a_damaged_file_is_refused_in_batches_too(kind, training, tree, tmp_path):
    path = tmp_path / f"damaged.{kind}"
    frame = pd.read_csv(training, dtype=str)
    frame.to_parquet(path) if kind == "parquet" else frame.to_feather(path)
    path.write_bytes(path.read_bytes()[:-40])
    words = f"not a whole {kind.title()} file: .* Write or fetch it again"
    with pytest.raises(tw.TableError, match=words):
        list(read_batches(path, tree.schema))


# --- writing -------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["out.csv", "out.tsv", "out.parquet", "out.jsonl"])
def test_rows_are_written_with_their_answers(
    name, tmp_path, training, tree, monkeypatch
):
    monkeypatch.setattr(batches_module, "_ROWS", 40)
    path = tmp_path / name
    with row_writer(path) as out:
        for batch in read_batches(training, tree.schema):
            shares = tree.predict_proba(batch.X)[:, 0]
            out.write(batch.rows, {"answer": tree.predict(batch.X), "share": shares})
    back = read_back(path)
    original = list(csv.DictReader(training.read_text().splitlines()))
    assert len(back) == 300
    expected = answers(training, tree)
    for row, old, answer in zip(back, original, expected, strict=True):
        assert row["answer"] == answer
        assert {name: row[name] for name in old} == old
        assert 0 <= float(row["share"]) <= 1


def read_back(path):
    if path.suffix == ".parquet":
        return pa.parquet.read_table(path).to_pylist()
    if path.suffix == ".jsonl":
        return [json.loads(line) for line in path.read_text().splitlines()]
    with path.open(newline="") as file:
        return list(csv.DictReader(file, delimiter="\t" if "tsv" in path.name else ","))


def test_cells_that_need_quotes_get_them(tmp_path):
    path = tmp_path / "out.csv"
    with row_writer(path) as out:
        out.write(
            pa.table({"a": ['x "y"', "p,q", "two\nlines", None]}), {"n": [1, 2, 3, 4]}
        )
        out.write(pa.table({"a": ["plain"]}), {"n": np.array([0.1])})
    assert read_back(path) == [
        {"a": 'x "y"', "n": "1"},
        {"a": "p,q", "n": "2"},
        {"a": "two\nlines", "n": "3"},
        {"a": "", "n": "4"},
        {"a": "plain", "n": "0.1"},
    ]


def test_an_unknown_format_is_refused(tmp_path):
    with pytest.raises(tw.OptionError, match=r"\.csv, \.tsv"), row_writer("x.doc"):
        pass


def test_a_failed_write_leaves_the_old_file(tmp_path):
    path = tmp_path / "out.csv"
    path.write_text("old")
    with pytest.raises(ZeroDivisionError), row_writer(path) as out:
        out.write(pa.table({"a": ["x", "y"]}), {"n": [1, 1 / 0]})
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["out.csv"]
    with (
        pytest.raises(OSError, match="Make the folder"),
        replaced(tmp_path / "no" / "x"),
    ):
        pass


def test_a_killed_write_leaves_the_old_file(tmp_path):
    path = tmp_path / "out.csv"
    path.write_text("old")
    code = (
        "import sys, time, pyarrow as pa\n"
        "from treewright.files.write import row_writer\n"
        "with row_writer(sys.argv[1]) as out:\n"
        "    out.write(pa.table({'a': ['x'] * 1000}), {})\n"
        "    print('written', flush=True)\n"
        "    time.sleep(60)\n"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", code, str(path)], stdout=subprocess.PIPE
    )
    assert child.stdout.readline().strip() == b"written"
    child.send_signal(signal.SIGKILL)
    child.wait()
    child.stdout.close()
    time.sleep(0.05)
    assert path.read_text() == "old"


def test_categories_missing_numbers_and_dates_are_written_as_text(tmp_path):
    moments = pa.array([None, 1_565_740_800], pa.timestamp("s"))
    rows = pa.table({"k": pa.array(["u", None]).dictionary_encode(), "at": moments})
    added = {"x": np.array([np.nan, np.inf]), "n": np.array([1, 2])}
    for name in ("out.csv", "out.jsonl"):
        with row_writer(tmp_path / name) as out:
            out.write(rows, added)
    assert (tmp_path / "out.csv").read_text().splitlines() == [
        "k,at,x,n",
        "u,,nan,1",
        ",2019-08-14 00:00:00,inf,2",
    ]
    assert read_back(tmp_path / "out.jsonl") == [
        {"k": "u", "at": None, "x": None, "n": 1},
        {"k": None, "at": "2019-08-14T00:00:00", "x": "inf", "n": 2},
    ]


@pytest.mark.parametrize("kind", ["csv", "parquet", "arrow"])
def test_a_file_without_rows_is_one_batch_of_no_rows(kind, tree, tmp_path):
    path = tmp_path / f"none.{kind}"
    names = HEADER.split(",")
    none = pa.table({name: pa.array([], pa.string()) for name in names})
    if kind == "csv":
        path.write_text(HEADER + "\n")
    elif kind == "parquet":
        pa.parquet.write_table(none, path)
    else:
        with pa.ipc.new_file(path, none.schema):
            pass
    (batch,) = read_batches(path, tree.schema)
    assert batch.rows.column_names == names
    assert len(tree.predict(batch.X)) == 0
    out = tmp_path / "out.parquet"
    with row_writer(out) as writer:
        writer.write(batch.rows, {"answer": tree.predict(batch.X)})
    assert pa.parquet.read_schema(out).field("answer").type == pa.string()


@pytest.mark.parametrize("kinds", [None, {"z": "categorical"}])
def test_true_and_false_are_read_however_they_are_spelled(tmp_path, kinds):
    X = {"z": [True, False] * 20}
    tree = tw.grow(tw.as_table(X, ["a", "b"] * 20, kinds=kinds))
    path = tmp_path / "new.csv"
    path.write_text("z,x\nTrue,1\nfalse,1\n1,1\n0.0,1\n,1\n")
    (batch,) = read_batches(str(path), tree.schema)
    expected = tree.predict({"z": [True, False, True, False, None]})
    assert tree.predict(batch.X).tolist() == expected.tolist()
    path.write_text("z,x\n1,1\n5,1\n")
    with pytest.raises(ColumnError, match=r"true or false .* row 2 of the file holds"):
        [batch.X for batch in read_batches(str(path), tree.schema)]


def test_dates_of_new_rows_that_can_be_read_in_two_ways_are_refused(tmp_path):
    days = [dt.date(2024, 1, 1) + dt.timedelta(days=n) for n in range(60)]
    tree = tw.grow(tw.as_table({"d": days}, ["a"] * 30 + ["b"] * 30))
    path = tmp_path / "new.csv"
    path.write_text("d,x\n01/02/2024,1\n02/03/2024,1\n")
    words = "dates such as '01/02/2024', but no value says whether the day or the month"
    with pytest.raises(ColumnError, match=words):
        [batch.X for batch in read_batches(str(path), tree.schema)]
