"""Rows in parts: what is opened, what is refused, and what describing them finds."""

import pandas as pd
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest

import treewright as tw
from treewright.files import in_parts
from treewright.files.for_tree import read_for_tree
from treewright.files.in_clusters import batches_of_frame, table_of_bytes
from treewright.files.in_parts import rows_in_parts, seen_in_target, task_of_target
from treewright.files.part_results import in_order
from treewright.growing.parts.on_parts import suggested_task
from treewright.table import digest, infer

N = 40
X = list(range(N))
Y = ["no"] * 20 + ["yes"] * 20


def written(folder, *tables):
    """Write tables as Parquet files of a folder; return the folder."""
    folder.mkdir()
    for number, table in enumerate(tables):
        pq.write_table(pa.table(table), folder / f"{number}.parquet")
    return folder


def fitted(rows, **settings):
    return tw.TreeClassifier(prune=None, findings="ignore", **settings).fit(
        rows, target="y"
    )


# -- sources ---------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["feather", "memory", "filtered"])
def test_datasets_of_other_formats_give_their_rows(kind, tmp_path):
    table = pa.table({"x": X, "y": Y})
    if kind == "feather":
        feather.write_feather(table, tmp_path / "rows.feather")
        source = ds.dataset(tmp_path / "rows.feather", format="feather")
    else:
        source = ds.dataset(table)
    if kind == "filtered":
        source = source.filter(ds.field("x") >= 0)
    rows = rows_in_parts(source)
    assert len(rows.parts) == 1
    assert suggested_task(rows, "y") == "class"
    tree = fitted(source).tree_
    assert tree.n_leaves == 2
    assert tree.predict({"x": [0, 19, 20]}).tolist() == ["no", "no", "yes"]


def test_only_the_columns_that_are_named_are_read_from_a_filtered_dataset():
    source = ds.dataset(pa.table({"x": X, "y": Y, "z": X})).filter(ds.field("x") > 30)
    (open_part,) = rows_in_parts(source).parts.values()
    found = pa.Table.from_batches(open_part(columns=["z", "y"]))
    assert found.column_names == ["y", "z"]
    assert found.column("z").to_pylist() == X[31:]


def test_row_groups_make_parts_of_limited_size(tmp_path, monkeypatch):
    monkeypatch.setattr(in_parts, "_ROWS_OF_PART", 20)
    path = tmp_path / "rows.parquet"
    pq.write_table(pa.table({"x": X, "y": Y}), path, row_group_size=8)
    rows = rows_in_parts([path])
    names = [f"{path}", f"{path} (from row 16)", f"{path} (from row 32)"]
    assert list(rows.parts) == names
    read = [pa.Table.from_batches(each()).column("x") for each in rows.parts.values()]
    assert [column.to_pylist() for column in read] == [X[:16], X[16:32], X[32:]]


@pytest.mark.parametrize(
    ("parts", "task"),
    [
        ([pa.array(range(15)), pa.array(range(5, 20))], "class"),
        ([pa.array(range(15)), pa.array(range(15, 30))], "number"),
        ([pa.array(range(30))], "number"),
        ([pa.array([1, None, 3])], "class"),
        ([pa.array([0.5])], "number"),
        ([pa.array(["a"])], "class"),
    ],
)
def test_the_target_of_all_parts_suggests_the_task(parts, task):
    batches = [pa.table({"y": each}).to_batches() for each in parts]
    assert task_of_target(seen_in_target(each, "y") for each in batches) == task


def test_an_unknown_target_is_refused_when_the_rows_are_described(tmp_path):
    folder = written(tmp_path / "rows", {"x": X, "y": Y})
    assert suggested_task(rows_in_parts(folder), "z") == "class"
    with pytest.raises(tw.TableError, match="target names 'z', but there is no column"):
        tw.TreeClassifier().fit(folder, target="z")


def test_files_that_cannot_be_opened_are_named(tmp_path):
    folder = written(tmp_path / "rows", {"x": X, "y": Y}, {"x": X, "y": Y})
    with pytest.raises(tw.TableError, match=r"no file .*absent\.parquet"):
        rows_in_parts([folder / "0.parquet", folder / "absent.parquet"])
    rows = rows_in_parts(folder)
    whole = (folder / "1.parquet").read_bytes()
    (folder / "1.parquet").write_bytes(whole[:-30])
    with pytest.raises(tw.TableError, match=r"1\.parquet cannot be read .* damaged"):
        fitted(rows)
    with pytest.raises(tw.TableError, match="not a whole Parquet file"):
        rows_in_parts(folder)


# -- what is described -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("first", "second", "words"),
    [
        ({"x": X[:0], "y": Y[:0]}, {"x": X[:0], "y": Y[:0]}, "has no rows"),
        (
            {"x": X, "y": [None] * N},
            {"x": X, "y": ["NA"] * N},
            "The target 'y' is missing in all 80 rows",
        ),
    ],
)
def test_parts_without_known_rows_are_refused(first, second, words, tmp_path):
    kinds = pa.schema([("x", pa.int64()), ("y", pa.string())])
    tables = [pa.table(each, kinds) for each in (first, second)]
    with pytest.raises(tw.TableError, match=words):
        fitted(written(tmp_path / "rows", *tables))


@pytest.mark.parametrize("second", [0, 1])
def test_bytes_without_a_value_in_a_part_are_categories(second, tmp_path):
    some = pa.array([b"u", b"v"] * (N // 2))
    parts = [some, pa.array([None] * N, pa.binary())]
    tables = [{"x": each, "y": Y} for each in (parts[second], parts[1 - second])]
    model = fitted(written(tmp_path / "rows", *tables))
    (feature,) = model.tree_.schema.features
    assert (feature.kind, feature.labels) == ("categorical", ("u", "v"))
    assert model.intake_.n_rows == 2 * N


@pytest.mark.parametrize(("start", "is_key"), [(1, True), (2 * N - 2, False)])
def test_numbers_that_overlap_are_a_key_if_all_of_them_differ(start, is_key, tmp_path):
    ids = [[2 * i for i in X], [2 * i + start for i in X]]
    tables = [{"order_id": each, "x": X, "y": Y} for each in ids]
    tree = fitted(written(tmp_path / "rows", *tables)).tree_
    aside = tree.schema.features[0].set_aside
    assert aside.startswith("its 80 whole numbers differ in every row") == is_key
    assert bool(aside) == is_key


@pytest.mark.parametrize("values", [[f"${i}" for i in X], [f"word {i}" for i in X]])
def test_too_many_texts_are_refused_only_if_they_spell_numbers(
    values, tmp_path, monkeypatch
):
    monkeypatch.setattr(digest, "_MOST_LABELS", 5)
    monkeypatch.setattr(infer, "MOST_CATEGORIES", 4)
    folder = written(tmp_path / "rows", {"k": values, "x": X, "y": Y})
    if values[0] == "$0":
        with pytest.raises(tw.TableError, match="'k' holds text that spells numbers"):
            fitted(folder)
    else:
        feature = fitted(folder).tree_.schema.features[0]
        assert feature.kind == "categorical"
        assert feature.set_aside.startswith("it has more than 4 categories")


@pytest.mark.parametrize(
    ("second", "words"),
    [
        ({"y": Y}, "the second half has no column 'x'"),
        (
            {"x": ["a"] * N, "y": Y},
            "the second half does not fit the other parts: .*'a'.* Write it in",
        ),
    ],
)
def test_a_part_that_changes_midway_is_named(second, words, tmp_path):
    rows = rows_in_parts(written(tmp_path / "rows", {"x": X, "y": Y}))
    batches = [pa.table(each).to_batches()[0] for each in ({"x": X, "y": Y}, second)]
    rows.parts["the second half"] = lambda *_, **__: iter(batches)
    with pytest.raises(tw.TableError, match=words):
        fitted(rows)


def test_a_part_that_gave_no_answer_is_named():
    assert list(in_order(["a", "b"], [("b", 2), ("a", 1)])) == [1, 2]
    with pytest.raises(tw.TableError) as caught:
        list(in_order(["a", "b", "c"], [("c", 3), ("a", 1)]))
    assert str(caught.value) == (
        "The part 'b' gave no answer (1 of 3 parts). Run the fit again."
    )


# -- rows for a tree, and rows of a cluster --------------------------------------------


def test_parts_without_rows_are_not_evaluated(tmp_path):
    table = pa.table({"x": X, "y": Y})
    tree = fitted(written(tmp_path / "rows", table)).tree_
    folder = written(tmp_path / "none", table.slice(0, 0))
    with pytest.raises(tw.TableError, match=r"none has no rows\. Check that"):
        read_for_tree(folder, tree.schema)


def test_rows_of_a_cluster_come_without_their_index():
    frame = pd.DataFrame({"x": [1, 2], "y": ["a", None]}, index=[7, 8])
    found = pa.Table.from_batches(batches_of_frame(frame))
    assert found.to_pydict() == {"x": [1, 2], "y": ["a", None]}
    sent = table_of_bytes("part 3", counts=b"\0\1")
    assert sent.to_pylist() == [{"part": "part 3", "counts": b"\0\1"}]
    assert sent.schema.field("counts").type == pa.binary()
