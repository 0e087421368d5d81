"""Rows in parts: the tree, its model file and its record do not depend on the parts."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import treewright as tw
from treewright.estimators import in_parts
from treewright.files.in_parts import RowsInParts
from treewright.growing.parts.plan import Plan, RowsSize, plan_for
from treewright.table.schema import Summary

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")


def frame(n: int = 600, seed: int = 0) -> pd.DataFrame:
    """Return rows of every kind: numbers, categories, dates, text and missing ones."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    day = pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, n), "D")
    rows = pd.DataFrame(
        {
            "x": x,
            "ties": np.where(rng.random(n) < 0.1, np.nan, rng.normal(size=n).round(1)),
            "whole": rng.integers(0, 40, n).astype(np.int32),
            "single": rng.normal(size=n).astype(np.float32),
            "few": rng.choice(list("pqrst"), n),
            "many": rng.choice([f"level {i}" for i in range(30)], n),
            "size": pd.Categorical(
                rng.choice(["S", "M", "L"], n), ["S", "M", "L"], ordered=True
            ),
            "day": day,
            "flag": rng.random(n) < 0.4,
            "price": [f"${v:,.2f}" for v in rng.gamma(2, 900, n)],
            "name": [f"customer {i}" for i in range(n)],
            "order_id": rng.permutation(n) + 7,
            "w": rng.integers(0, 4, n) / 3,
        }
    )
    signal = x + (rows["ties"].fillna(1) > 0.3) + 0.03 * rows["whole"]
    signal = signal + (rows["few"] == "q") + 0.7 * rng.normal(size=n)
    rows["y"] = np.array(["high", "low", "middle"])[np.digitize(signal, [0.4, 1.8])]
    rows["amount"] = signal
    return rows


def write_parts(
    rows: pd.DataFrame, folder: Path, n_parts: int, seed: int = 0, row_group: int = 57
) -> str:
    """Write rows in a shuffled order to some files; return the pattern."""
    rng = np.random.default_rng(seed)
    rows = rows.iloc[rng.permutation(len(rows))]
    part = np.sort(rng.integers(0, n_parts, len(rows)))
    folder.mkdir(parents=True)
    for i in range(n_parts):
        table = pa.Table.from_pandas(rows[part == i], preserve_index=False)
        pq.write_table(table, folder / f"part-{i:02}.parquet", row_group_size=row_group)
    return str(folder / "*.parquet")


def one_file(rows: pd.DataFrame, folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "all.parquet"
    pq.write_table(pa.Table.from_pandas(rows, preserve_index=False), path)
    return path


def model(estimator: Any, tmp_path: Path) -> dict[str, Any]:
    """Return the model file, without how the rows were read."""
    path = tmp_path / "model.json"
    estimator.tree_.save(path)
    found = json.loads(path.read_text())
    # What needs all rows in one place is not looked for in parts.
    for name in ("findings", "conversions", "checksum"):
        found.pop(name, None)
    return found


def assert_same_model(one: Any, other: Any, tmp_path: Path) -> None:
    first, second = model(one, tmp_path), model(other, tmp_path)
    for name in first:
        assert first[name] == second[name], name
    assert first.keys() == second.keys()
    assert one.tree_ == other.tree_


SETTINGS: list[dict[str, Any]] = [
    {},
    {"criterion": "entropy", "min_samples_leaf": 5},
    {"class_weight": "balanced", "max_depth": 4},
    {"priors": {"high": 0.5, "low": 0.25, "middle": 0.25}, "thresholds": "readable"},
    {"costs": {"high": {"low": 5}}, "max_leaf_nodes": 9},
    {"kinds": {"whole": "categorical", "few": ["t", "s", "r", "q", "p"]}},
    {"min_weight_fraction_leaf": 0.02, "max_features": 3, "random_state": 5},
    {"criterion": "misclassification", "min_impurity_decrease": 0.001},
]


WHERE = ["memory", "codes in memory", "codes on disk"]


@pytest.fixture
def grow_in(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Choose where trees grow, which a few rows would never make necessary."""

    def choose(where: str, home_rows: int = 40) -> None:
        plan = Plan(where, where, home_rows)
        monkeypatch.setattr(in_parts, "plan_for", lambda *_, **__: plan)

    return choose


@pytest.mark.parametrize("where", WHERE)
@pytest.mark.parametrize("settings", SETTINGS)
def test_classes_give_the_model_of_the_table(
    settings: dict[str, Any], where: str, tmp_path: Path, grow_in: Any
) -> None:
    rows = frame().drop(columns="amount")
    pattern = write_parts(rows, tmp_path / "rows", 3)
    path = one_file(rows, tmp_path)
    expected = tw.TreeClassifier(prune=None, findings="ignore", **settings)
    expected.fit(path, target="y")
    grow_in(where)
    found = tw.TreeClassifier(prune=None, findings="ignore", **settings)
    found.fit(pattern, target="y")
    assert found.plan_.where == where
    assert found.classes_.tolist() == expected.classes_.tolist()
    assert_same_model(found, expected, tmp_path)


@pytest.mark.parametrize("where", WHERE[1:])
@pytest.mark.parametrize("weight", [None, "w"])
@pytest.mark.parametrize("criterion", ["squared_error", "poisson"])
def test_numbers_give_the_model_of_the_table(
    criterion: str, weight: str | None, where: str, tmp_path: Path, grow_in: Any
) -> None:
    rows = frame(seed=1).drop(columns="y")
    if criterion == "poisson":
        rows["amount"] = np.floor(np.exp(rows["amount"] / 2))
    pattern = write_parts(rows, tmp_path / "rows", 4)
    settings = {"criterion": criterion, "prune": None, "findings": "ignore"}
    expected = tw.TreeRegressor(**settings)
    path = one_file(rows, tmp_path)
    expected.fit(path, target="amount", sample_weight=weight)
    grow_in(where)
    found = tw.TreeRegressor(**settings).fit(
        pattern, target="amount", sample_weight=weight
    )
    assert_same_model(found, expected, tmp_path)


@pytest.mark.parametrize("where", WHERE)
@pytest.mark.parametrize("weight", [None, "w"])
def test_validation_rows_are_the_same_everywhere(
    weight: str | None, where: str, tmp_path: Path, grow_in: Any
) -> None:
    for target, estimator in (("y", tw.TreeClassifier), ("amount", tw.TreeRegressor)):
        rows = frame(seed=2).drop(columns={"y", "amount"} - {target})
        folder = tmp_path / target
        path = one_file(rows, folder)
        expected = estimator(prune="validation", findings="ignore")
        expected.fit(path, target=target, sample_weight=weight)
        grow_in(where)
        pattern = write_parts(rows, folder / "rows", 5, seed=3)
        found = estimator(prune="validation", findings="ignore")
        found.fit(pattern, target=target, sample_weight=weight)
        assert_same_model(found, expected, folder)
        by_default = estimator(findings="ignore")
        by_default.fit(pattern, target=target, sample_weight=weight)
        assert by_default.tree_ == expected.tree_
        assert by_default.pruning_.method == "validation"


@pytest.mark.parametrize(
    "settings",
    [
        {"prune": "pessimistic"},
        {"ccp_alpha": 0.004},
        {"prune": None, "shrinkage": 5.0},
    ],
)
def test_other_prunings_are_those_of_the_table(
    settings: dict[str, Any], tmp_path: Path, grow_in: Any
) -> None:
    rows = frame(seed=4).drop(columns="amount")
    expected = tw.TreeClassifier(findings="ignore", **settings)
    expected.fit(one_file(rows, tmp_path), target="y")
    grow_in("codes on disk")
    found = tw.TreeClassifier(findings="ignore", **settings)
    found.fit(write_parts(rows, tmp_path / "rows", 3), target="y")
    assert_same_model(found, expected, tmp_path)


@pytest.mark.parametrize("n_parts", [1, 2, 3, 7, 16, 64])
def test_number_of_parts_is_irrelevant(
    n_parts: int, tmp_path: Path, grow_in: Any
) -> None:
    rows = frame(200, seed=5).drop(columns="amount")
    grow_in("codes in memory", home_rows=0)
    found = {
        tw.TreeClassifier(findings="ignore", n_jobs=n_jobs)
        .fit(write_parts(rows, tmp_path / f"{n}-{n_jobs}", n, seed=n), target="y")
        .tree_.fingerprint
        for n, n_jobs in ((n_parts, 1), (n_parts, 8), (1, 2))
    }
    assert len(found) == 1


# -- sources ---------------------------------------------------------------------------


@pytest.mark.needs("polars>=1.32")  # older ones do not join categories of two files
def test_every_source_gives_the_same_tree(tmp_path: Path, grow_in: Any) -> None:
    ds = pytest.importorskip("pyarrow.dataset")
    pl = pytest.importorskip("polars")
    duckdb = pytest.importorskip("duckdb")
    rows = frame(seed=6).drop(columns="amount")
    folder = tmp_path / "rows"
    pattern = write_parts(rows, folder, 3)
    files = sorted(folder.glob("*.parquet"))
    grow_in("codes in memory")
    sources = {
        "pattern": pattern,
        "folder": folder,
        "list": files,
        "dataset": ds.dataset(files),
        "lazy frame": pl.scan_parquet(pattern),
        "relation": duckdb.read_parquet(pattern),
    }
    kinds = {"size": ["S", "M", "L"]}  # polars and DuckDB forget the declared order
    found = {
        name: tw.TreeClassifier(findings="ignore", kinds=kinds)
        .fit(source, target="y")
        .tree_.fingerprint
        for name, source in sources.items()
    }
    assert set(found.values()) == {found["pattern"]}, found


def test_a_filtered_dataset_is_read_as_one_part(tmp_path: Path, grow_in: Any) -> None:
    ds = pytest.importorskip("pyarrow.dataset")
    rows = frame(600, seed=6)[["x", "few", "y"]]
    write_parts(rows, tmp_path / "rows", 3)
    some = ds.dataset(tmp_path / "rows").filter(ds.field("x") > 0)
    expected = tw.TreeClassifier(prune=None, findings="ignore")
    expected.fit(rows[rows["x"] > 0].drop(columns="y"), rows.loc[rows["x"] > 0, "y"])
    for where in WHERE:
        grow_in(where)
        found = tw.TreeClassifier(prune=None, findings="ignore").fit(some, target="y")
        assert found.tree_ == expected.tree_


def test_marks_of_missing_values_are_named_with_their_rows(tmp_path: Path) -> None:
    rows = frame(600, seed=9)[["x", "few", "y"]]
    rows.loc[::4, "few"] = "NA"
    pattern = write_parts(rows, tmp_path / "rows", 3)
    model = tw.TreeClassifier(prune=None).fit(pattern, target="y")
    assert "few  'NA' in 150 rows read as missing" in str(model.intake_)
    assert "NA" not in model.tree_.schema.features[1].labels
    keep = tw.TreeClassifier(prune=None, kinds={"few": "categorical"})
    assert "NA" in keep.fit(pattern, target="y").tree_.schema.features[1].labels


def test_folders_of_partitions_give_a_column(tmp_path: Path) -> None:
    rows = frame(300, seed=7)[["x", "few", "y"]]
    pq.write_to_dataset(
        pa.Table.from_pandas(rows, preserve_index=False),
        tmp_path / "rows",
        partition_cols=["few"],
    )
    found = tw.TreeClassifier(prune=None, findings="ignore")
    found.fit(tmp_path / "rows", target="y")
    expected = tw.TreeClassifier(prune=None, findings="ignore")
    expected.fit(rows[["x", "few"]], rows["y"])
    assert found.tree_ == expected.tree_


def test_columns_can_be_chosen(tmp_path: Path) -> None:
    rows = frame(200, seed=8).drop(columns="amount")
    pattern = write_parts(rows, tmp_path / "rows", 2)
    some = tw.rows_in_parts(pattern, columns=["x", "few"])
    tree = tw.TreeClassifier(prune=None).fit(some, target="y").tree_
    assert tree.schema.names == ("x", "few")
    others = tw.rows_in_parts(pattern, drop=["x", "name", "order_id"])
    tree = tw.TreeClassifier(prune=None).fit(others, target="y").tree_
    assert "x" not in tree.schema.names


# -- parts that differ -----------------------------------------------------------------


def write(folder: Path, *tables: Any) -> str:
    folder.mkdir(parents=True)
    for i, table in enumerate(tables):
        pq.write_table(table, folder / f"{i}.parquet")
    return str(folder / "*.parquet")


@pytest.mark.parametrize("where", WHERE)
def test_odd_parts_are_read(where: str, tmp_path: Path, grow_in: Any) -> None:
    rng = np.random.default_rng(0)
    n = 90
    whole = {
        "n": rng.integers(0, 9, n),
        "x": rng.integers(0, 50, n).astype(float),
        "k": rng.choice(["a", "b"], n),
        "y": rng.choice(["no", "yes"], n),
    }
    whole["k"][-1] = "only here"
    whole["y"][60:80] = "no"
    X = {name: whole[name] for name in ("n", "x", "k")}
    expected = tw.TreeClassifier(prune=None).fit(X, whole["y"])
    table = pa.table(whole)
    narrow = table.slice(0, 40).cast(
        pa.schema(
            [("n", "int8"), ("x", "int32"), ("k", "large_string"), ("y", "string")]
        )
    )
    pattern = write(
        tmp_path / "rows",
        narrow,
        table.slice(40, 0),
        table.slice(40, 1),
        table.slice(41, 19).select(["y", "k", "x", "n"]),
        table.slice(60, 20),
        table.slice(80, 10),
    )
    grow_in(where, home_rows=10)
    found = tw.TreeClassifier(prune=None).fit(pattern, target="y")
    assert found.tree_ == expected.tree_


@pytest.mark.parametrize("where", WHERE)
def test_a_column_without_any_value_is_kept_and_never_used(
    where: str, tmp_path: Path, grow_in: Any
) -> None:
    rows = frame(90)[["x", "ties", "few", "y"]]
    rows["ties"] = np.nan
    expected = tw.TreeClassifier(prune=None, findings="ignore")
    expected.fit(one_file(rows, tmp_path), target="y")
    grow_in(where)
    found = tw.TreeClassifier(prune=None, findings="ignore")
    found.fit(write_parts(rows, tmp_path / "rows", 2), target="y")
    assert found.tree_ == expected.tree_
    summaries = [each.summary for each in found.tree_.schema.features]
    assert summaries == [each.summary for each in expected.tree_.schema.features]
    assert summaries[1] == Summary(90)
    assert "ties" not in found.tree_.columns_used


def test_parts_without_any_batch_are_refused() -> None:
    rows = RowsInParts("rows", {"one": lambda columns=None: []})
    with pytest.raises(tw.TableError, match=r"rows has no rows\. Check that the exp"):
        tw.TreeClassifier().fit(rows, target="y")


@pytest.mark.parametrize(
    ("second", "words"),
    [
        (
            {"x": ["a"], "y": ["no"]},
            r"Column 'x' is string in .*1\.parquet, but double",
        ),
        ({"y": ["no"]}, r"1\.parquet has no column 'x'"),
        ({"x": [1.0], "z": [1], "y": ["no"]}, r"1\.parquet has a column 'z'"),
    ],
)
def test_parts_that_do_not_fit_are_named(
    second: dict[str, Any], words: str, tmp_path: Path
) -> None:
    first = pa.table({"x": [1.0, 2.0], "y": ["no", "yes"]})
    pattern = write(tmp_path / "rows", first, pa.table(second))
    with pytest.raises(tw.TableError, match=words):
        tw.TreeClassifier(prune=None).fit(pattern, target="y")


def test_rows_that_change_between_two_readings_are_named(
    tmp_path: Path, grow_in: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    tables = [
        pa.table({"x": np.arange(30.0) + i, "y": ["no", "yes"] * 15}) for i in range(3)
    ]
    pattern = write(tmp_path / "rows", *tables)
    changed = tables[1].set_column(0, "x", pa.array(np.arange(30.0) + 7))

    def plan_and_change(*_: Any, **__: Any) -> Plan:
        pq.write_table(changed, tmp_path / "rows" / "1.parquet")
        return Plan("codes in memory", "", 0)

    monkeypatch.setattr(in_parts, "plan_for", plan_and_change)
    with pytest.raises(tw.TableError, match=r"1\.parquet .*changed"):
        tw.TreeClassifier(prune=None).fit(pattern, target="y")
    # Files of the same layout differ in nothing but their values.
    rows = tw.rows_in_parts(pattern)
    name = list(rows.parts)[1]
    readings = iter([tables[1], tables[1], changed])
    rows.parts[name] = lambda: next(readings).to_batches()
    grow_in("codes in memory")
    with pytest.raises(tw.TableError, match=r"1\.parquet changed between two readings"):
        tw.TreeClassifier(prune=None).fit(rows, target="y")


def test_rows_without_a_target_are_left_out(tmp_path: Path, grow_in: Any) -> None:
    rows = frame(200, seed=9)[["x", "few", "y"]]
    rows.loc[::7, "y"] = None
    pattern = write_parts(rows, tmp_path / "rows", 3)
    grow_in("codes on disk")
    found = tw.TreeClassifier(prune=None).fit(pattern, target="y")
    known = rows[rows["y"].notna()]
    expected = tw.TreeClassifier(prune=None).fit(known[["x", "few"]], known["y"])
    assert found.tree_ == expected.tree_
    assert found.intake_.no_target == 29


def test_a_column_of_too_many_categories_is_set_aside_everywhere(
    tmp_path: Path, grow_in: Any
) -> None:
    n = 140_000
    rows = pd.DataFrame(
        {
            "x": np.arange(n) % 50,
            "k": [f"k{i // 2}" for i in range(n)],
            "y": np.where(np.arange(n) % 50 < 20, "no", "yes"),
        }
    )
    expected = tw.TreeClassifier(prune=None, findings="ignore")
    expected.fit(rows[["x", "k"]], rows["y"])
    grow_in("codes in memory", home_rows=0)
    found = tw.TreeClassifier(prune=None, findings="ignore")
    found.fit(write_parts(rows, tmp_path / "rows", 2, row_group=30_000), target="y")
    feature = found.tree_.schema.features[1]
    assert "more than 65534 categories" in feature.set_aside
    (finding,) = found.intake_.findings
    assert finding.words == "more than 65,534 categories"
    assert feature == expected.tree_.schema.features[1]
    assert found.tree_ == expected.tree_
    used = tw.TreeClassifier(prune=None, kinds={"k": "categorical"})
    with pytest.raises(tw.TableError, match="rows in parts allow 65,534"):
        used.fit(str(tmp_path / "rows" / "*.parquet"), target="y")


def test_columns_set_aside_are_told_as_for_a_table_in_memory(tmp_path: Path) -> None:
    rows = frame(300)[["x", "order_id", "name", "y"]]
    rows["item_id"] = rows["order_id"].to_numpy()[::-1]
    rows["alias"] = "also " + rows["name"]
    pattern = write_parts(rows, tmp_path / "rows", 3)
    with pytest.warns(tw.ColumnSetAsideWarning) as found:
        tw.TreeClassifier(prune=None).fit(pattern, target="y")
    with pytest.warns(tw.ColumnSetAsideWarning) as expected:
        tw.TreeClassifier(prune=None).fit(rows.drop(columns="y"), rows["y"])
    message = str(found[0].message)
    assert message == str(expected[0].message)
    assert "'order_id' and 'item_id' were set aside: whole numbers that" in message
    assert "'name' and 'alias' were set aside: more than half of the known" in message


# -- refusals --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "arguments", "words"),
    [
        ({"missing": "surrogate"}, {}, "does not add up over rows in parts"),
        ({"method": "c45"}, {}, "does not add up over rows in parts"),
        ({"discretize": 5}, {}, "does not add up over rows in parts"),
        ({"competitors": 1}, {}, "does not add up over rows in parts"),
        ({}, {"groups": [1]}, "groups is not taken for rows in parts"),
        ({}, {"sample_weight": [1]}, "must be the name of a column"),
        ({}, {"y": [1, 2]}, "Pass its name as target=, and no y"),
        ({"prune": "cv", "cv": [([0], [1])]}, {}, r"number of folds or .* \[\(\[0\], "),
        ({"method": "id3"}, {}, "column 'x' holds numbers"),
        ({}, {"target": "z"}, "target names 'z'"),
    ],
)
def test_what_parts_cannot_do_is_said(
    settings: dict[str, Any], arguments: dict[str, Any], words: str, tmp_path: Path
) -> None:
    pattern = write(tmp_path / "rows", pa.table({"x": [1.0, 2.0], "y": ["a", "b"]}))
    with pytest.raises(tw.TreewrightError, match=words):
        tw.TreeClassifier(**settings).fit(pattern, **({"target": "y"} | arguments))


@pytest.mark.parametrize("y", [None, ["a", "b"]])
def test_opened_parts_need_the_name_of_their_target(y: Any, tmp_path: Path) -> None:
    pattern = write(tmp_path / "rows", pa.table({"x": [1.0, 2.0], "y": ["a", "b"]}))
    for rows in (pattern, tw.rows_in_parts(pattern)):
        with pytest.raises(tw.TableError, match="Pass its name as target=, and no y"):
            tw.TreeClassifier().fit(rows, y)


@pytest.mark.parametrize("where", WHERE)
def test_findings_are_refused_before_a_tree_grows(
    where: str, tmp_path: Path, grow_in: Any
) -> None:
    rows = frame(300)[["x", "order_id", "y"]]
    pattern = write_parts(rows, tmp_path / "rows", 3)
    kept, heard = tmp_path / "fit.checkpoint", []  # type: ignore[var-annotated]
    grow_in(where)
    model = tw.TreeClassifier(
        prune=None, findings="error", progress=heard.append, checkpoint=kept
    )
    words = r"'order_id' was set aside: .* so\. kinds={'order_id': 'numeric'} uses it"
    with pytest.raises(tw.TableError, match=words):
        model.fit(pattern, target="y")
    assert heard == []
    assert not kept.exists()
    assert "tree_" not in vars(model)


@pytest.mark.parametrize("where", WHERE)
def test_a_class_of_one_row_cannot_be_held_out(
    where: str, tmp_path: Path, grow_in: Any
) -> None:
    rows = frame(60)[["x", "few", "y"]]
    rows.loc[0, "y"] = "rare"
    pattern = write_parts(rows, tmp_path / "rows", 2)
    grow_in(where)
    with pytest.raises(tw.TableError, match=r"'rare' has one row.*use prune='cv' or"):
        tw.TreeClassifier(prune="validation").fit(pattern, target="y")
    # What the message advises can be done.
    for prune in ("cv", None):
        model = tw.TreeClassifier(prune=prune, findings="ignore")
        assert model.fit(pattern, target="y").classes_.tolist()[-1] == "rare"


@pytest.mark.parametrize(
    ("column", "values", "words"),
    [
        ("x", [np.nan], r"Column 'x' has no value in 1 row, which missing='error'"),
        ("few", [None] * 3, r"Column 'few' has no value in 3 rows, which missing='err"),
        ("x", [np.inf, -np.inf], r"contains infinity .* Column 'x' holds an infinite"),
    ],
)
def test_missing_and_infinite_values_are_refused_where_asked_for(
    column: str, values: list[Any], words: str, tmp_path: Path, grow_in: Any
) -> None:
    rows = frame(60)[["x", "few", "y"]]
    rows.loc[range(len(values)), column] = values
    pattern = write_parts(rows, tmp_path / "rows", 2)
    grow_in("codes in memory")
    with pytest.raises(tw.ColumnError, match=words):
        tw.TreeClassifier(missing="error").fit(pattern, target="y")
    whole = write_parts(rows.iloc[3:], tmp_path / "whole", 2)
    model = tw.TreeClassifier(missing="error", prune=None).fit(whole, target="y")
    assert model.tree_.n_rows[0] == 57


def test_a_fold_of_all_rows_leaves_none_to_grow_from(
    tmp_path: Path, grow_in: Any
) -> None:
    table = pa.table({"x": [1.0, 2.0, 3.0], "y": ["a", "a", "b"]})
    pattern = write(tmp_path / "rows", table)
    grow_in("codes in memory")
    said = set()
    for seed in range(20):  # a quarter of all divisions puts three rows together
        model = tw.TreeClassifier(prune="cv", cv=2, random_state=seed)
        try:
            model.fit(pattern, target="y")
        except tw.TableError as error:
            said.add(str(error))
    assert said == {
        "Rows in parts are divided into folds by the hash of each row, and one of the "
        "2 folds holds all 3 rows, which leaves none to grow from. Pass more rows, or "
        "prune=None."
    }


def test_paths_that_name_nothing_are_refused(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for path, words in (
        (tmp_path / "no*.parquet", "No file matches"),
        (tmp_path / "empty", "holds no file"),
    ):
        with pytest.raises(tw.TableError, match=words):
            tw.TreeClassifier().fit(path, target="y")


# -- new rows in parts -----------------------------------------------------------------


@pytest.mark.parametrize("target", ["y", "amount"])
def test_new_rows_in_parts_are_evaluated_as_a_table(
    target: str, tmp_path: Path
) -> None:
    rows, new = frame(400, seed=10), frame(300, seed=11)
    new.loc[::9, target] = None
    estimator = tw.TreeClassifier if target == "y" else tw.TreeRegressor
    columns = ["x", "ties", "few", "day", "whole"]
    settings = {"priors": [0.2, 0.3, 0.5]} if target == "y" else {}
    tree = estimator(**settings).fit(rows[columns], rows[target]).tree_
    pattern = write_parts(new.rename(columns={target: "truth"}), tmp_path / "new", 4)
    known = new[new[target].notna()]
    for weight in (None, "w"):
        found = tree.evaluate(pattern, "truth", weight)
        weights = None if weight is None else known["w"]
        expected = tree.evaluate(known[columns], known[target], weights)
        assert found.n_rows == expected.n_rows
        assert found.error == pytest.approx(expected.error, rel=1e-12)
        assert found.interval == pytest.approx(expected.interval, rel=1e-9)
        assert str(found) == str(expected)


@pytest.mark.parametrize("target", ["y", "amount"])
def test_folds_by_hash_are_the_same_everywhere(
    target: str, tmp_path: Path, grow_in: Any
) -> None:
    rows = frame(250, seed=13).drop(columns={"y", "amount"} - {target})
    estimator = tw.TreeClassifier if target == "y" else tw.TreeRegressor
    found = set()
    for where, n_parts in zip(WHERE, (1, 3, 4), strict=True):
        grow_in(where)
        pattern = write_parts(rows, tmp_path / where, n_parts, seed=n_parts)
        model = estimator(prune="cv", cv=4, findings="ignore")
        model.fit(pattern, target=target)
        assert model.pruning_.n_folds == 4
        found.add((model.tree_.fingerprint, str(model.pruning_)))
    assert len(found) == 1


def test_the_plan_is_by_the_bytes_that_each_way_takes() -> None:
    gigabyte = 2**30
    size, used = RowsSize(10_000_000, 20, 20, 2, 1_000_000), gigabyte // 4
    plans = [plan_for(size, n * gigabyte, used, 2) for n in (8, 4, 1)]
    assert [plan.where for plan in plans] == WHERE
    words = plans[2].words
    assert words.startswith("codes on disk: 10,000,000 rows x 20 columns take about")
    assert "(limit 1.0 GB)" in words
    # Less memory, or more classes: fewer threads, shorter replies, smaller nodes.
    less = plan_for(size, gigabyte // 2 + gigabyte // 8, used, 2)
    assert less.n_threads < plans[2].n_threads
    assert less.home_rows < plans[2].home_rows
    many = plan_for(replace(size, n_classes=1_000), gigabyte, used, 2)
    assert many.most_entries < plans[2].most_entries
    # A limit that cannot be kept is named.
    least = plan_for(size, 10**6, used, 2)
    assert (least.where, least.home_rows, least.n_threads) == (WHERE[2], 0, 1)
    assert "(limit 977 KB, less than the process itself needs)" in least.words
    assert "less than" not in less.words
    # The gathered rows of a node fit into one message of Spark.
    wide = plan_for(RowsSize(10**8, 1_000, 0, 2, 10**6), 2**40 // 20, used, 2)
    assert 100_000 < wide.home_rows < 2**30 / (1_000 * 8)


# -- one file --------------------------------------------------------------------------


@pytest.mark.parametrize("settings", [{"prune": None}, {"prune": "validation"}])
def test_one_parquet_file_above_the_limit_grows_in_parts(
    settings: dict[str, Any], tmp_path: Path
) -> None:
    rows = frame().drop(columns="amount")
    path = one_file(rows, tmp_path)
    expected = tw.TreeClassifier(**settings, findings="ignore").fit(path, target="y")
    large = tw.TreeClassifier(**settings, findings="ignore", memory_limit="100kB")
    large.fit(path, target="y")
    assert large.plan_.where == "codes on disk"
    assert "plan_" not in vars(expected)
    assert_same_model(large, expected, tmp_path)


def test_the_default_for_one_parquet_file_does_not_depend_on_the_memory(
    tmp_path: Path,
) -> None:
    rows = frame().drop(columns=["amount", "order_id", "name"])
    path = one_file(rows, tmp_path)
    found = []
    for limit in (None, "100kB"):
        model = tw.TreeClassifier(memory_limit=limit).fit(path, target="y")
        assert model.pruning_.method == "validation"
        found.append(model.tree_.fingerprint)
    assert found[0] == found[1]
    by_alpha = tw.TreeClassifier(ccp_alpha=0.01).fit(path, target="y")
    assert by_alpha.pruning_.method == "ccp_alpha"
    for by_folds in ({"cv": 5}, {"prune_rule": "1se"}, {"prune_risk": "error"}):
        model = tw.TreeClassifier(**by_folds).fit(path, target="y")
        assert model.pruning_.method == "cv"
    groups = np.arange(len(rows)) % 5
    by_groups = tw.TreeClassifier().fit(path, target="y", groups=groups)
    assert by_groups.pruning_.method == "cv"
    csv = tmp_path / "rows.csv"
    rows.to_csv(csv, index=False)
    assert tw.TreeClassifier().fit(csv, target="y").pruning_.method == "cv"


def test_one_file_that_folds_cannot_leave_on_disk_is_refused_with_a_way_out(
    tmp_path: Path,
) -> None:
    rows = frame().drop(columns="amount")
    path = one_file(rows, tmp_path)
    csv = tmp_path / "rows.csv"
    rows.to_csv(csv, index=False)
    model = tw.TreeClassifier(memory_limit="100kB", prune="cv")
    with pytest.raises(tw.ResourceLimitError, match=r"choose prune='validation', with"):
        model.fit(path, target="y")
    for prune in ("auto", "validation", None):
        model.set_params(prune=prune)
        with pytest.raises(tw.ResourceLimitError, match="write the rows as Parquet"):
            model.fit(csv, target="y")
