"""`tw.read` and `fit(path, target=...)`: the way from a file to a table and a tree."""

import sqlite3
from contextlib import closing

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import treewright as tw
from treewright.files.arrow_table import from_arrow
from treewright.files.batches import read_batches
from treewright.files.excel import _guarded

LOANS = """amount,zip,city,default
1200,01234,Bonn,no
950,98765,Rome,yes
3000,01234,,no
NA,55555,Bonn,yes
"""


@pytest.fixture
def loans(tmp_path):
    path = tmp_path / "loans.csv"
    path.write_text(LOANS)
    return path


def kinds(table):
    return {each.name: each.kind for each in table.schema.features}


def test_a_csv_file_becomes_a_table_with_its_target(loans):
    table = tw.read(loans, target="default")
    assert kinds(table) == {
        "amount": "numeric",
        "zip": "categorical",
        "city": "categorical",
    }
    assert table.target.name == "default"
    assert table.target.classes.tolist() == ["no", "yes"]
    np.testing.assert_equal(table.columns[0].values, [1200, 950, 3000, np.nan])
    assert table.columns[1].labels == ("01234", "55555", "98765")
    assert table.columns[2].codes.tolist() == [0, 1, -1, 0]


def test_the_intake_accounts_for_every_row(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("a,b,y\n1,2,x\n1,2\n3,4,\n5,6,y\n")
    intake = tw.read(path, target="y").intake
    assert intake.n_read == intake.n_rows + len(intake.rejected) + intake.no_target
    assert (intake.n_read, intake.n_rows, intake.no_target) == (4, 2, 1)
    assert intake.rejected == ((3, "2 fields instead of 3"),)


def test_fitting_a_path_equals_fitting_the_table_that_was_read(loans):
    of_path = tw.TreeClassifier(prune=None).fit(loans, target="default")
    of_table = tw.TreeClassifier(prune=None).fit(tw.read(loans, target="default"))
    assert of_path.tree_ == of_table.tree_
    assert of_path.classes_.tolist() == ["no", "yes"]


def test_a_target_of_few_whole_numbers_can_be_classes_or_numbers(tmp_path):
    path = tmp_path / "stars.csv"
    path.write_text("a,stars\n1,1\n2,5\n3,5\n4,1\n")
    assert tw.TreeClassifier().fit(path, target="stars").classes_.tolist() == [1, 5]
    tree = tw.TreeRegressor(prune=None).fit(path, target="stars").tree_
    assert tree.predict({"a": [1, 2]}).tolist() == [1.0, 5.0]


def test_columns_drop_kinds_and_weight_name_columns_of_the_file(loans):
    assert list(kinds(tw.read(loans, "default", columns=["city"]))) == ["city"]
    assert list(kinds(tw.read(loans, "default", drop=["city", "zip"]))) == ["amount"]
    table = tw.read(loans, "default", kinds={"zip": "numeric"}, drop="amount")
    assert kinds(table) == {"zip": "numeric", "city": "categorical"}
    weighted = tw.read(loans, "default", weight="zip", kinds={"zip": "numeric"})
    assert weighted.weights.tolist() == [1234, 98765, 1234, 55555]


def test_parquet_is_read_like_csv(tmp_path, loans):
    path = tmp_path / "loans.parquet"
    columns = {
        "amount": [1200, 950, 3000, None],
        "zip": ["01234", "98765", "01234", "55555"],
        "city": ["Bonn", "Rome", None, "Bonn"],
        "default": ["no", "yes", "no", "yes"],
    }
    pq.write_table(pa.table(columns), path)
    ours, theirs = tw.read(path, "default"), tw.read(loans, "default")
    assert kinds(ours) == kinds(theirs)
    for one, other in zip(ours.columns, theirs.columns, strict=True):
        np.testing.assert_equal(np.asarray(one.data), np.asarray(other.data))


REFUSED = {
    "no target": (lambda p: tw.TreeClassifier().fit(p), "Pass its name as target="),
    "a y as well": (
        lambda p: tw.TreeClassifier().fit(p, [1], target="default"),
        "no y",
    ),
    "target with rows": (
        lambda p: tw.TreeClassifier().fit({"a": [1]}, target="a"),
        "not a path",
    ),
    "unknown target": (lambda p: tw.read(p, "defualt"), "the nearest is 'default'"),
    "unknown column": (lambda p: tw.read(p, columns=["citi"]), "nearest is 'city'"),
    "columns and drop": (
        lambda p: tw.read(p, columns=["city"], drop=["zip"]),
        "exclude each other",
    ),
    "kinds that are no dict": (
        lambda p: tw.read(p, kinds=["zip"]),
        "{'zip': 'categorical'}, or None; got ['zip']",
    ),
    "a target that is the weight": (
        lambda p: tw.read(p, "zip", weight="zip"),
        "target and weight are both 'zip'. Name two columns",
    ),
    "columns that are no list": (
        lambda p: tw.read(p, columns=5),
        "columns must be a list of column names or None; got 5",
    ),
    "no feature": (lambda p: tw.read(p, "zip", columns=["zip"]), "No column is left"),
    "table without target": (
        lambda p: tw.TreeClassifier().fit(tw.read(p)),
        "the target y is None",
    ),
    "text as number": (
        lambda p: tw.TreeRegressor().fit(p, target="default"),
        "The target 'default' must hold numbers",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_misuse_is_refused_with_a_remedy(case, loans):
    call, words = REFUSED[case]
    with pytest.raises(tw.TreewrightError) as caught:
        call(loans)
    assert words in str(caught.value)


def test_reading_needs_pyarrow_and_says_how_to_install_it(loans, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pyarrow.csv", None)
    with pytest.raises(tw.TreewrightError, match=r"pip install 'treewright\[io\]'"):
        tw.read(loans)


def test_an_unknown_table_is_refused_with_those_that_there_are(tmp_path):
    path = tmp_path / "two.db"
    with closing(sqlite3.connect(path)) as store:
        store.execute("CREATE TABLE loans (a)")
        store.execute("CREATE TABLE people (b)")
    with pytest.raises(tw.TableError) as caught:
        tw.read(path, table="loan")
    assert str(caught.value) == (
        f"{path} has no table 'loan'; it has 'loans', 'people'. Pass table='loans' or "
        "another of these names."
    )


def test_a_type_of_ones_own_is_read_as_what_it_stores():
    class Metres(pa.ExtensionType):
        def __init__(self):
            super().__init__(pa.float32(), "treewright.test.metres")

        def __arrow_ext_serialize__(self):
            return b""

        @classmethod
        def __arrow_ext_deserialize__(cls, storage_type, serialized):
            return cls()

    stored = pa.array([1.5, None, 2.5], pa.float32())
    table = pa.table({"a": pa.ExtensionArray.from_storage(Metres(), stored)})
    found = from_arrow(table, "x.arrow").table.column("a")
    assert found.type == pa.float32()
    assert found.to_pylist() == [1.5, None, 2.5]


@pytest.mark.parametrize(
    "words",
    [
        pa.array(["u", "v"]).dictionary_encode(),
        pytest.param(
            pa.array(["u", "v"], pa.string_view()),
            marks=pytest.mark.needs("pyarrow>=18"),
        ),
    ],
    ids=lambda values: str(values.type),
)
def test_a_slice_of_runs_is_read_as_its_own_values(words):
    runs = pa.RunEndEncodedArray.from_arrays([20, 40], words)
    parts = pa.chunked_array([runs.slice(18, 4), runs.slice(30, 1), runs.slice(0, 0)])
    found = from_arrow(pa.table({"a": parts}), "x.arrow").table.column("a")
    assert found.to_pylist() == ["u", "u", "v", "v", "v"]
    none = pa.table({"a": pa.chunked_array([], runs.type)})
    assert from_arrow(none, "x.arrow").table.column("a").type == found.type


def test_an_interrupt_while_excel_is_read_is_no_error_of_the_file():
    def interrupted():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        _guarded("x.xlsx", interrupted)


# -- progress --------------------------------------------------------------------------


def _parquet(frame, path):
    frame.to_parquet(path, row_group_size=50)


def _sqlite(frame, path):
    with closing(sqlite3.connect(path)) as database:
        frame.to_sql("t", database, index=False)


def _excel(frame, path):
    frame.to_excel(path, index=False)


@pytest.mark.parametrize(
    ("ending", "write"),
    [
        ("csv", lambda frame, path: frame.to_csv(path, index=False)),
        ("csv.gz", lambda frame, path: frame.to_csv(path, index=False)),
        (
            "jsonl",
            lambda frame, path: frame.to_json(path, orient="records", lines=True),
        ),
        ("parquet", _parquet),
        ("db", _sqlite),
        ("xlsx", _excel),
    ],
)
def test_progress_is_reported_and_changes_nothing(ending, write, tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.normal(size=300), "b": ["x", "y", None] * 100})
    path = tmp_path / f"t.{ending}"
    write(frame, path)
    heard = []
    watched, plain = tw.read(path, progress=heard.append), tw.read(path)
    assert heard == sorted(heard)
    assert len(heard) >= (3 if ending in ("parquet", "xlsx") else 1)
    assert 0.89 < heard[-1] <= 1
    for one, other in zip(watched.columns, plain.columns, strict=True):
        np.testing.assert_array_equal(one.data, other.data)


@pytest.mark.parametrize("ending", ["parquet", "arrow"])
def test_progress_is_reported_while_new_rows_are_read_in_batches(ending, tmp_path):
    frame = pd.DataFrame({"a": [1.0, 2.0] * 300, "y": ["u", "v"] * 300})
    path = tmp_path / f"t.{ending}"
    frame.to_parquet(path) if ending == "parquet" else frame.to_feather(path)
    tree = tw.TreeClassifier(findings="ignore").fit(frame[["a"]], frame["y"]).tree_
    heard = []
    assert len(list(read_batches(path, tree.schema, progress=heard.append))) >= 1
    assert heard[-1] == 1
