"""A tree answers, measures and checks rows in parts as it does rows in memory."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from treewright.files.in_parts import RowsInParts

pa = pytest.importorskip("pyarrow")
datasets = pytest.importorskip("pyarrow.dataset")


def rows(n: int = 700, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"x": rng.normal(size=n), "k": rng.choice(list("abc"), n)})
    frame["z"] = np.where(rng.random(n) < 0.1, np.nan, rng.normal(size=n))
    frame["w"] = rng.integers(1, 4, n) / 2
    signal = frame["x"] + (frame["k"] == "b") + rng.normal(size=n)
    frame["y"] = np.where(signal > 0.5, "yes", "no")
    frame["amount"] = signal + rng.normal(size=n)
    return frame


def new_rows() -> pd.DataFrame:
    """Rows with new categories, missing values and numbers out of range."""
    frame = rows(900, seed=1)
    frame.loc[3, "x"] = 99.0
    frame.loc[5:400:7, "k"] = "new"
    frame.loc[500:600, "k"] = "newer"
    frame.loc[10:200, "z"] = None
    return frame


def in_parts(kind: str, folder: Path) -> Any:
    frame = new_rows()
    for i, at in enumerate(range(0, len(frame), 350)):
        frame.iloc[at : at + 350].to_parquet(folder / f"{i}.parquet", index=False)
    if kind == "folder":
        return folder
    if kind == "list":
        return sorted(folder.glob("*.parquet"))
    if kind == "dataset":
        return datasets.dataset(folder)
    if kind == "LazyFrame":
        return pytest.importorskip("polars").scan_parquet(folder / "*.parquet")
    duckdb = pytest.importorskip("duckdb")
    return duckdb.read_parquet(str(folder / "*.parquet"))


KINDS = ["folder", "list", "dataset", "LazyFrame", "relation"]


def test_an_older_polars_gives_its_rows_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    polars = pytest.importorskip("polars")
    monkeypatch.delattr(polars.LazyFrame, "collect_batches", raising=False)
    train = rows()
    model = tw.TreeClassifier(max_depth=2).fit(train[["x", "z"]], train["y"])
    found = model.predict(in_parts("LazyFrame", tmp_path))
    assert found.tolist() == model.predict(new_rows()).tolist()


@pytest.mark.filterwarnings("ignore::treewright.errors.UnseenCategoryWarning")
@pytest.mark.parametrize("kind", KINDS)
def test_rows_in_parts_get_the_answers_of_the_table(kind: str, tmp_path: Path) -> None:
    train, frame = rows(), new_rows()
    classes = tw.TreeClassifier(max_depth=4, findings="ignore")
    classes.fit(train[["x", "k", "z"]], train["y"])
    numbers = tw.TreeRegressor(max_depth=4, findings="ignore")
    numbers.fit(train[["x", "k", "z"]], train["amount"])
    parts = in_parts(kind, tmp_path)
    for model, target in ((classes, "y"), (numbers, "amount")):
        tree = model.tree_
        assert model.predict(parts).tolist() == model.predict(frame).tolist()
        assert np.array_equal(tree.apply(parts), tree.apply(frame))
        found = tree.evaluate(parts, target, "w")
        expected = tree.evaluate(frame, frame[target], frame["w"])
        assert str(found) == str(expected)
        assert found.n_rows == 900
        assert tree.check(parts) == tree.check(frame)
        assert str(tree.check(parts)) == str(tree.check(frame))
    assert np.array_equal(classes.predict_proba(parts), classes.predict_proba(frame))


def test_a_check_of_parts_names_what_is_new_and_absent(tmp_path: Path) -> None:
    train = rows()
    tree = tw.TreeClassifier(findings="ignore").fit(train[["x", "k"]], train["y"]).tree_
    in_parts("folder", tmp_path)
    found = {each.column: each for each in tree.check(tmp_path).columns}
    assert "never seen: 'new', 'newer'" in found["k"].words
    assert found["x"].n_outside >= 1
    for path in tmp_path.glob("*.parquet"):
        pd.read_parquet(path).drop(columns="x").to_parquet(path, index=False)
    found = {each.column: each for each in tree.check(tmp_path).columns}
    assert found["x"].problem == "absent"
    empty = tmp_path / "empty"
    empty.mkdir()
    train.iloc[:0].to_parquet(empty / "0.parquet", index=False)
    with pytest.raises(tw.TableError, match="no rows"):
        tree.check(empty)


def test_parts_without_a_known_answer_cannot_be_evaluated(tmp_path: Path) -> None:
    train = rows()
    tree = tw.TreeClassifier(findings="ignore").fit(train[["x", "k"]], train["y"]).tree_
    train.assign(y=None).to_parquet(tmp_path / "0.parquet", index=False)
    with pytest.raises(tw.TableError, match=r"value in the target column 'y', but at"):
        tree.evaluate(tmp_path, "y")


@pytest.mark.parametrize("method", ["check", "apply", "predict"])
def test_some_rows_are_in_memory_at_a_time(method: str) -> None:
    train = rows()
    tree = tw.TreeClassifier(findings="ignore").fit(train[["x", "k"]], train["y"]).tree_
    n, most = 100_000, 0
    batch_bytes = 8 * n

    def batches(columns: Any = None) -> Iterator[Any]:
        nonlocal most
        for seed in range(40):
            rng = np.random.default_rng(seed)
            values = {"x": pa.array(rng.normal(size=n)), "k": pa.array(["a"] * n)}
            yield pa.RecordBatch.from_pydict(values)
            most = max(most, pa.total_allocated_bytes() - before)

    before = pa.total_allocated_bytes()
    getattr(tree, method)(RowsInParts("rows", {"one": batches, "two": batches}))
    assert 0 < most < 12 * batch_bytes  # two threads, and copies of what they read


def test_a_tree_that_divides_rows_says_so(tmp_path: Path) -> None:
    train = rows()
    model = tw.TreeClassifier(method="c45", findings="ignore")
    tree = model.fit(train[["x", "k", "z"]], train["y"]).tree_
    in_parts("folder", tmp_path)
    with pytest.raises(tw.OptionError, match="divides rows with missing values"):
        tree.predict(tmp_path)
