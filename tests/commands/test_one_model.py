"""What explain, prune and show print about a model."""

import csv
import io
import json
import random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import treewright as tw

N = 100
HOURS = [each * 3600 for each in range(N)]
TYPED = {
    "date": pa.array(range(N), pa.date32()),
    "moment": pa.array(HOURS, pa.timestamp("s", "UTC")),
    "span": pa.array(HOURS, pa.duration("s")),
    "clock": pa.array([each // 10 for each in HOURS], pa.time32("s")),
    "flag": pa.array([each >= 50 for each in range(N)]),
    "size": pa.array([f"${each:,}" for each in HOURS]),
    "kind": pa.array([each * 4 // N for each in range(N)]),
    "truth": pa.array([each >= 50 for each in range(N)]),
}


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """Return a folder with a model per type of column, and one that answers numbers."""
    folder = tmp_path_factory.mktemp("models")
    for name, values in TYPED.items():
        table = pa.table({"v": values, "y": ["low"] * 50 + ["high"] * 50})
        pq.write_table(table, folder / "rows.parquet")
        kinds = {"v": "categorical"} if name in ("kind", "truth") else None
        fitted = tw.TreeClassifier(prune=None, findings="ignore", kinds=kinds)
        tree = fitted.fit(folder / "rows.parquet", target="y").tree_
        tree.save(folder / f"{name}.tree.json")
    table = tw.as_table({"x": list(range(N))}, [1.5 * each for each in range(N)])
    tree = tw.grow(table, tw.GrowOptions(max_depth=2))
    tree.save(folder / "numbers.tree.json")
    return folder


# -- explain ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("model", "cell", "answer"),
    [
        ("date", "1970-01-10", "low"),
        ("date", "10 Mar 1970", "high"),
        ("moment", "1970-01-02 10:00Z", "low"),
        ("moment", "1970-01-04 02:00+01:00", "high"),
        ("moment", "1970-01-04 02:00+01", "high"),
        ("span", "1 day, 1:59:59", "low"),
        ("span", "50:00", "high"),
        ("span", "10:30", "low"),
        ("clock", "1:30 am", "low"),
        ("clock", "09:00:00", "high"),
        ("flag", "false", "low"),
        ("flag", "True", "high"),
        ("flag", "1", "high"),
        ("size", "$1,800", "low"),
        ("kind", "3", "high"),
        ("kind", "3.0", "high"),
        ("truth", "TRUE", "high"),
        ("truth", "0", "low"),
    ],
)
def test_a_value_is_read_in_the_type_of_its_column(run, models, model, cell, answer):
    call = ["explain", f"{model}.tree.json", f"v={cell}", "--json"]
    done = run(*call, folder=models)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["explanation"]["prediction"] == answer


@pytest.mark.parametrize(
    ("model", "cell", "held"),
    [
        ("date", "soon", "dates such as"),
        ("date", "01/02/1970", "dates such as"),
        ("date", "10:30", "dates such as"),
        ("moment", "3", "points in time such as"),
        ("span", "a day", "durations such as 02:30:00"),
        ("span", "1970-01-10", "durations such as"),
        ("flag", "yes", "true or false"),
        ("kind", "many", "numbers such as 1000.5"),
    ],
)
def test_a_value_of_another_type_is_refused(run, models, model, cell, held):
    done = run("explain", f"{model}.tree.json", f"v={cell}", folder=models)
    assert done.returncode == 2
    assert f"Error: Column 'v' holds {held}" in done.stderr
    assert f"got {cell!r}. Leave it empty if it is missing." in done.stderr


@pytest.mark.parametrize("model", TYPED)
@pytest.mark.parametrize("mark", ["", " ", "NA"])
def test_a_mark_of_a_missing_value_is_missing(run, models, model, mark):
    done = run("explain", f"{model}.tree.json", f"v={mark}", folder=models)
    assert done.returncode == 0, done.stderr
    assert "v is missing" in done.stdout


def test_every_row_of_a_file_is_explained_as_it_is_answered(run, story):
    tree = tw.load(story / "penguins.tree.json")
    answers = tree.predict(tw.read(story / "penguins.csv", target="species"))
    for row in (1, 4, 344):  # the fourth has marks of missing values
        call = ["explain", "penguins.tree.json", "--data", "penguins.csv", "--json"]
        found = json.loads(run(*call, "--row", row).stdout)
        assert found["explanation"]["prediction"] == answers[row - 1]


@pytest.mark.parametrize(
    ("model", "cells"),
    [
        ("date", ["03/02/1970", "25/03/1970", "unknown"]),
        ("moment", ["1970-01-02 10:00Z", "1970-01-04 02:00+01"]),
        ("span", ["1 day, 1:59:59", "50:00", "1:30 pm"]),
        ("clock", ["1:30 am", "09:00:00"]),
        ("flag", ["TRUE", "1.0", "0", "unknown"]),
        ("truth", ["TRUE", "1.0", "false", "unknown"]),
        ("size", ["$1,800", "$300,000", "NA"]),
        ("kind", ["1.0", "01", "3", "none"]),
    ],
)
def test_a_cell_of_a_file_is_explained_as_it_is_answered(run, models, model, cells):
    path = models / "cells.csv"
    path.write_text("v,k\n" + "".join(f'"{cell}",1\n' for cell in cells))
    model_file = f"{model}.tree.json"
    run("predict", model_file, "cells.csv", "-o", "answers.csv", folder=models)
    with open(models / "answers.csv", newline="") as file:
        answers = [each["answer"] for each in csv.DictReader(file)]
    assert len(answers) == len(cells)
    for row, answer in enumerate(answers, start=1):
        call = ["explain", model_file, "--data", "cells.csv", "--row", row, "--json"]
        done = run(*call, folder=models)
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["explanation"]["prediction"] == answer


@pytest.mark.parametrize(
    ("wanted", "other"),
    [("100:", 130.5), ("50:70", 55.5), ("9e1:1e2", 93.0), (":60", 18)],
)
def test_a_range_of_numbers_can_be_wanted(run, models, wanted, other):
    call = ["explain", "numbers.tree.json", "x=3", "--to", wanted, "--json"]
    done = run(*call, folder=models)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)["explanation"]
    assert found["prediction"] == 18
    assert found["other"] == other
    note = "The answer is a number from -inf to 60 already."
    assert found["note"] == (note if other == 18 else "")


@pytest.mark.parametrize("wanted", ["10", "", ":", "a:b", "1:2:3"])
def test_what_is_no_range_of_numbers_is_refused(run, models, wanted):
    done = run("explain", "numbers.tree.json", "x=3", "--to", wanted, folder=models)
    assert done.returncode == 2
    words = f"--to needs a range of numbers such as 10:20, 10: or :20; got {wanted!r}."
    assert words in done.stderr


# -- prune -----------------------------------------------------------------------------


def test_a_tree_is_cut_at_an_alpha_or_at_nodes(run, story):
    tree = tw.load(story / "penguins.tree.json")
    done = run("prune", "penguins.tree.json", "--alpha", "0.1", "-o", "a.tree.json")
    assert done.returncode == 0, done.stderr
    assert "\nCut at alpha = 0.1\n" in done.stdout
    path = tw.pruning_path(tree, risk="mixed").tree(alpha=0.1)
    assert tw.load(story / "a.tree.json").n_leaves == path.n_leaves == 3
    cut = [node for node in range(1, tree.n_nodes) if tree.split(node) is not None][:2]
    nodes = [each for node in cut for each in ("--node", node)]
    done = run("prune", "penguins.tree.json", *nodes, "-o", "n.tree.json")
    assert done.returncode == 0, done.stderr
    assert f"\nCollapsed at {cut[0]}, {cut[1]}\n" in done.stdout
    assert tw.load(story / "n.tree.json") == tree.collapse(cut)


@pytest.fixture(scope="module")
def noise(tmp_path_factory):
    """Return a folder with an unpruned tree of many sizes."""
    folder = tmp_path_factory.mktemp("noise")
    rng = random.Random(0)
    rows = {name: [rng.random() for _ in range(250)] for name in "ab"}
    y = [rng.choice(["u", "v", "w"]) for _ in range(250)]
    tw.grow(tw.as_table(rows, y)).save(folder / "large.tree.json")
    return folder


def test_the_middle_of_a_long_table_is_left_out(run, noise):
    call = ["prune", "large.tree.json", "--risk", "impurity"]
    sizes = json.loads(run(*call, "--json", folder=noise).stdout)["path"]["leaves"]
    table = run(*call, folder=noise).stdout.partition("\n\n--alpha")[0].split("\n")
    shown = len(sizes) - 29
    assert len(sizes) > 30
    assert table[15] == f"... {shown} more sizes; --json lists all of them"
    leaves = [line.split()[1] for line in table[1:15] + table[16:]]
    assert leaves == [str(size) for size in sizes[:14] + sizes[-15:]]


def test_sizes_that_fitting_did_not_try_have_no_error(run, story):
    grown = run("grow", "penguins.csv", "-t", "sex", "-o", "sex.tree.json")
    assert grown.returncode == 0, grown.stderr
    call = ["prune", "sex.tree.json", "--risk", "impurity"]
    found = json.loads(run(*call, "--json").stdout)
    tried = {each["n_leaves"] for each in found["tried"]}
    untried = [n for n in found["path"]["leaves"] if n not in tried]
    assert untried
    table = run(*call).stdout
    lines = [line.split() for line in table.split("\n")]
    for size in found["path"]["leaves"]:
        (line,) = [each for each in lines if each[1:2] == [str(size)]]
        assert (len(line) == 3) == (size in untried)


# -- show ------------------------------------------------------------------------------


def test_the_table_of_nodes_is_csv(run, story, tmp_path):
    printed = run("show", "penguins.tree.json", "--format", "table").stdout
    records = list(csv.DictReader(io.StringIO(printed)))
    tree = tw.load(story / "penguins.tree.json")
    assert [int(each["node"]) for each in records] == list(range(tree.n_nodes))
    assert [int(each["rows"]) for each in records] == tree.n_rows.tolist()
    assert records[0]["parent"] == ""
    done = run("show", "penguins.tree.json", "-o", tmp_path / "nodes.csv")
    assert done.stdout == f"Wrote {tmp_path / 'nodes.csv'}.\n"
    assert (tmp_path / "nodes.csv").read_text(encoding="utf-8") == printed


def test_a_picture_is_written(run, tmp_path):
    pytest.importorskip("matplotlib")
    done = run(
        "show", "penguins.tree.json", "--max-depth", "1", "-o", tmp_path / "t.PNG"
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "t.PNG").read_bytes().startswith(b"\x89PNG\r\n")
    call = ["show", "penguins.tree.json", "-o", tmp_path / "t.png", "--json"]
    assert json.loads(run(*call).stdout)["content"] is None


@pytest.mark.parametrize("kinds", [None, {"z": "categorical"}])
def test_explain_takes_true_and_false_in_small_letters(run, tmp_path, kinds):
    table = tw.as_table({"z": [True, False] * 20}, ["a", "b"] * 20, kinds=kinds)
    tw.grow(table).save(tmp_path / "m.tree.json")
    said = run("explain", "m.tree.json", "z=false", folder=tmp_path).stdout
    assert said.startswith("y = b")
    refused = run("explain", "m.tree.json", "z=7", folder=tmp_path)
    assert refused.returncode == 2
    assert "Column 'z' holds true or false; got '7'." in refused.stderr
