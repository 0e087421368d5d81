"""The comparison of two benchmark runs says what moved."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).resolve().parent.parent / "benchmarks"
STORED = BENCHMARKS / "results" / "speed.json"


def compared(tmp_path, change):
    """Change the stored run, and compare the stored one with it."""
    run = json.loads(STORED.read_text(encoding="utf-8"))
    change(run)
    now = tmp_path / "now.json"
    now.write_text(json.dumps(run), encoding="utf-8")
    command = [sys.executable, BENCHMARKS / "compare.py", STORED, now]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_same_run_has_not_moved(tmp_path):
    done = compared(tmp_path, lambda run: None)
    assert done.returncode == 0
    assert ": 0 slower and 0 faster" in done.stdout


@pytest.mark.parametrize(
    ("factor", "title", "code"), [(0.5, "Slower", 1), (2, "Faster", 0)]
)
def test_a_row_whose_ratio_halves_or_doubles_is_named(tmp_path, factor, title, code):
    def change(run):
        row = run["rows"][0]
        assert row["at_least"]
        row["ratio"] *= factor
        row["ours"] /= factor

    done = compared(tmp_path, change)
    assert done.returncode == code
    first = done.stdout.splitlines()
    assert first[0] == f"{title}:"
    assert first[1].startswith("  1M x 20, two classes, depth 10, float32, against")


def test_a_ratio_that_must_be_small_is_slower_when_it_grows(tmp_path):
    def change(run):
        row = next(row for row in run["rows"] if not row["at_least"])
        row["ratio"] *= 2

    done = compared(tmp_path, change)
    assert done.returncode == 1
    assert done.stdout.startswith("Slower:")


def test_a_slow_machine_is_no_slow_treewright(tmp_path):
    def change(run):
        for row in run["rows"]:
            row["ours"] *= 3
            row["theirs"] *= 3

    assert ": 0 slower and 0 faster" in compared(tmp_path, change).stdout


def test_a_quick_run_of_some_rows_is_shown_and_not_judged(tmp_path):
    def change(run):
        run["notes"].update(scale=0.05)
        del run["rows"][2:]
        run["rows"][0]["ratio"] /= 3

    done = compared(tmp_path, change)
    assert done.returncode == 0
    title, *shown, last = done.stdout.splitlines()
    assert title == "At 0.05 of the rows; the stored figures are at 1:"
    assert shown[0].startswith("  1M x 20, two classes, depth 10, float32, against")
    assert len(shown) == 2
    assert last == "2 rows shown, not judged: the ratio depends on the size."
