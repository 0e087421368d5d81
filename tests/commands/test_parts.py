"""Rows in parts on the command line: grow, evaluate, predict and what is refused."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import treewright as tw
from treewright.commands.grow_in_parts import _shown_time


@pytest.fixture
def rows(tmp_path):
    """Return a folder of three Parquet files."""
    rng = np.random.default_rng(0)
    folder = tmp_path / "rows"
    folder.mkdir()
    for number in range(3):
        x, z = rng.normal(size=(2, 400))
        rows = {"x": x, "z": z, "k": rng.choice(list("abc"), 400), "w": np.ones(400)}
        rows["y"] = np.where(x + (rows["k"] == "b") + z * x > 0.5, "yes", "no")
        pq.write_table(pa.table(rows), folder / f"{number}.parquet")
    return folder


def test_a_tree_grows_from_a_pattern_and_answers_it(run, rows, tmp_path):
    pattern, model = f"{rows}/*.parquet", tmp_path / "m.tree.json"
    arguments = ["grow", pattern, "--target", "y", "--drop", "w", "-o", model]
    done = run(*arguments, "--memory-limit", "100KB", "--max-depth", "4", "--json")
    assert not done.returncode, done.stderr
    found = json.loads(done.stdout)
    assert found["plan"].startswith("codes on disk")
    assert found["pruning"]["method"] == "validation"
    made = {}
    exec(found["python"], made)
    assert made["tree"].fingerprint == found["tree"]["fingerprint"]
    assert (
        json.loads(run("evaluate", model, rows, "--json").stdout)["evaluation"][
            "n_rows"
        ]
        == 1200
    )
    checked = json.loads(run("check", model, rows, "--json").stdout)["check"]
    assert checked == tw.load(model).check(pq.read_table(rows)).to_dict()
    scored = tmp_path / "scored.parquet"
    done = run("predict", model, pattern, "-o", scored)
    assert not done.returncode, done.stderr
    answers = pq.read_table(scored)
    read = pq.read_table(rows).drop_columns(["y"])
    expected = tw.load(model).predict(read)
    assert answers.column("answer").to_pylist() == expected.tolist()


def test_flags_of_one_file_are_refused(run, rows):
    done = run("grow", rows, "--target", "y", "--test-share", "0.2")
    assert done.returncode == 2
    assert "belongs to one data file" in done.stderr


def test_a_flag_for_classes_is_refused_where_the_target_holds_numbers(run, rows):
    done = run("grow", rows, "--target", "x", "--class-weight", "balanced")
    assert done.returncode == 2
    assert "--class-weight is for trees that answer classes, but" in done.stderr
    assert "use --task class" in done.stderr


def test_a_report_is_written_and_made_by_the_same_lines(run, rows, tmp_path):
    report = tmp_path / "rows.html"
    arguments = ["grow", rows, "-t", "y", "--prune", "none", "--max-depth", "2"]
    done = run(*arguments, "--report", report)
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith(f"\nWrote {report}.\n")
    assert f"tw.report(model, {str(report)!r})" in done.stdout
    assert "<html" in report.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (40, "40 s"),
        (99.4, "99 s"),
        (100, "2 min"),
        (3000, "50 min"),
        (5369, "89 min"),
        (5400, "1 h 30 min"),
        (7260, "2 h 1 min"),
    ],
)
def test_the_time_left_is_told_in_two_figures(seconds, words):
    assert _shown_time(seconds) == words


def test_numbers_are_told_from_classes(run, rows):
    for target, task in (("x", "number"), ("k", "class")):
        done = run("grow", rows, "--target", target, "--max-depth", "2", "--json")
        assert json.loads(done.stdout)["task"] == task


def test_one_parquet_file_above_the_limit_grows_in_parts(run, rows):
    path = rows / "1.parquet"
    arguments = ["grow", path, "--target", "y", "--json"]
    in_memory = json.loads(run(*arguments).stdout)
    assert in_memory["pruning"]["method"] == "validation"
    small = ("--memory-limit", "20KB")
    done = run(*arguments, *small)
    assert not done.returncode, done.stderr
    found = json.loads(done.stdout)
    assert found["plan"].startswith("codes on disk")
    assert in_memory["plan"] is None
    assert found["tree"] == in_memory["tree"]
    for by_folds in (("--prune", "cv"), ("--cv", "5")):
        crossed = json.loads(run(*arguments, *by_folds).stdout)
        assert crossed["pruning"]["method"] == "cv"
    done = run(*arguments, "--test-share", "0.2", *small)
    assert done.returncode == 4
    assert "--test-share needs all rows of" in done.stderr
    done = run(*arguments, "--prune", "cv", *small)
    assert done.returncode == 4
    assert "choose --prune validation, with which" in done.stderr


def test_a_killed_command_goes_on_from_its_checkpoint(run, rows, tmp_path):
    path = tmp_path / "fit.checkpoint"
    arguments = ["grow", rows, "--target", "y", "--json", "--memory-limit", "20KB"]
    done = run(*arguments, "--checkpoint", path)
    assert not done.returncode, done.stderr
    assert not path.exists()
    done = run(*arguments, "--checkpoint", tmp_path)
    assert done.returncode == 2
    assert "is a folder. Name a file in it" in done.stderr
