"""In a pseudo-terminal: colour, progress, Ctrl-C, and 80 columns without a break."""

import random
import re

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from support.repeats import first_of

pytestmark = pytest.mark.posix

COLOUR = "\x1b["

SHOWN = {
    "grow": ["grow", "penguins.csv", "-t", "species", "--test-share", "0.25"],
    "grow unpruned": ["grow", "credit.csv", "-t", "class", "--prune", "none"],
    "show": ["show", "penguins.tree.json", "--numbers"],
    "show rules": ["show", "penguins.tree.json", "--format", "rules"],
    "show table": ["show", "penguins.tree.json", "--format", "table"],
    "why": ["why", "penguins.tree.json", "penguins.csv"],
    "explain": ["explain", "penguins.tree.json", "--data", "penguins.csv"],
    "evaluate": ["evaluate", "penguins.tree.json", "penguins.csv"],
    "prune": ["prune", "penguins.tree.json", "--leaves", "2"],
    "prune by rows": ["prune", "penguins.tree.json", "--validation", "penguins.csv"],
    "inspect": ["inspect", "penguins.csv"],
    "inspect a model": ["inspect", "penguins.tree.json"],
    "check": ["check", "penguins.tree.json", "penguins.csv"],
    "predict to a file": [
        "predict",
        "penguins.tree.json",
        "penguins.csv",
        "-o",
        "b.csv",
    ],
    "version": ["version"],
    "help": ["grow", "--help"],
    "an error": ["grow", "no_such_file_of_a_rather_long_name.csv", "-t", "species"],
}


@pytest.fixture(scope="module", autouse=True)
def credit(story):
    """Put a table with long names and categories beside the penguins."""
    from importlib.resources import files

    table = files("treewright") / "data" / "german_credit.csv"
    (story / "credit.csv").write_bytes(table.read_bytes())


@pytest.mark.parametrize("case", first_of(SHOWN, 6))
def test_no_line_is_wider_than_the_terminal(terminal, case):
    screen = terminal(*SHOWN[case])
    assert screen.code == (3 if case == "an error" else 0), screen.text
    assert [line for line in screen.lines if len(line) > 80] == []
    assert "Traceback" not in screen.text


def test_a_table_too_wide_for_the_terminal_continues_below(terminal):
    lines = terminal(*SHOWN["show table"]).lines
    heads = [line.split() for line in lines if line.startswith("node ")]
    assert len(heads) == 2
    assert heads[0][:4] == ["node", "parent", "depth", "condition"]
    assert heads[1][-1] == "stop_reason"
    nodes = [line.split()[0] for line in lines if line.strip()]
    half = len(nodes) // 2
    assert nodes[:half] == nodes[half:]


@pytest.mark.parametrize("case", ["grow", "show", "an error"])
def test_colour_is_for_terminals_that_want_it(terminal, execute, case):
    assert COLOUR in terminal(*SHOWN[case]).raw
    plain = terminal(*SHOWN[case], env={"NO_COLOR": "1"})
    assert "\x1b[3" not in plain.raw
    assert "\x1b[1m" not in plain.raw
    assert "\x1b[2m" not in plain.raw
    piped = execute(*SHOWN[case])
    assert COLOUR not in piped.stdout + piped.stderr


def test_a_dumb_terminal_gets_no_colour(terminal):
    assert "\x1b[3" not in terminal(*SHOWN["show"], env={"TERM": "dumb"}).raw


def test_piped_text_is_not_cut(execute):
    lines = execute("show", "penguins.tree.json", "--format", "rules").stdout.split(
        "\n"
    )
    assert max(map(len, lines)) > 100


def test_a_terminal_without_unicode_gets_ascii(terminal):
    screen = terminal("show", "penguins.tree.json", env={"PYTHONIOENCODING": "ascii"})
    assert screen.code == 0
    assert "\n|-" in screen.text.replace("\r", "")
    assert screen.text.isascii()


@pytest.fixture(scope="module")
def long_table(story):
    """Return a table whose tree takes a few seconds to grow."""
    rng = random.Random(0)
    path = story / "long.csv"
    with path.open("w") as file:
        file.write(",".join(f"x{i}" for i in range(12)) + ",y\n")
        for _ in range(60_000):
            cells = [f"{rng.random():.6f}" for _ in range(12)]
            file.write(",".join(cells) + f",{rng.random() < 0.5}\n")
    return path


def test_progress_shows_the_time_left(terminal, long_table):
    screen = terminal("grow", long_table.name, "-t", "y", "--max-depth", "8")
    assert screen.code == 0
    assert "Growing the tree" in screen.text
    assert "left" in screen.text
    # The bar is gone in the end: the last thing that was written stays.
    assert "Growing" not in screen.text.rpartition("The tree")[2]


def test_progress_is_not_for_files(execute, long_table):
    done = execute("grow", long_table.name, "-t", "y", "--max-depth", "3", "--cv", "2")
    assert done.returncode == 0
    assert "Growing" not in done.stdout + done.stderr


def test_ctrl_c_while_growing_leaves_nothing(terminal, story, long_table):
    before = sorted(path.name for path in story.iterdir())
    # Many folds, so that the tree is still growing when the signal comes.
    arguments = ["grow", long_table.name, "-t", "y", "-o", "never.tree.json"]
    screen = terminal(*arguments, "--cv", "100", interrupt_at="Growing the tree")
    assert screen.code == 130
    assert "Interrupted" in screen.text
    assert "Traceback" not in screen.text
    assert sorted(path.name for path in story.iterdir()) == before


@pytest.fixture(scope="module")
def rows_in_parts(story):
    """Return a folder whose tree takes a few seconds to grow in parts."""
    rng = np.random.default_rng(0)
    folder = story / "parts"
    folder.mkdir()
    for number in range(4):
        x = rng.normal(size=(6, 30_000))
        rows = {f"x{i}": each for i, each in enumerate(x)}
        rows["y"] = np.where(x[0] + rng.normal(size=30_000) > 0, "yes", "no")
        pq.write_table(pa.table(rows), folder / f"{number}.parquet")
    return folder


LINE = (
    r"about [\d,]+ s left: level \d+, [\d,]+ rows, [\d,]+ open buckets?, "
    r"[\d,.]+ [KMG]B moved"
)


@pytest.mark.parametrize("columns", [80, 40])
def test_rows_in_parts_have_a_progress_line(terminal, rows_in_parts, columns):
    arguments = ["grow", rows_in_parts.name, "-t", "y", "--memory-limit", "1MB"]
    screen = terminal(*arguments, "--max-depth", "12", columns=columns)
    assert screen.code == 0, screen.text
    before, _, after = screen.text.partition(f"{rows_in_parts.name}: 120,000 rows")
    assert "reading the rows, 0 of 4 parts" in before
    assert re.search(LINE[: columns - 20], before)
    # Every line fits, and the last one is removed.
    shown = screen.raw.partition("120,000 rows")[0].split("\r\x1b[2K")
    assert max(map(len, shown)) < columns
    assert len(shown) > 3
    assert "left: level" not in after
    assert "reading the rows" not in after


def test_the_trees_of_a_cross_validation_are_counted(terminal, rows_in_parts):
    arguments = ["grow", rows_in_parts.name, "-t", "y", "--memory-limit", "1MB"]
    screen = terminal(*arguments, "--max-depth", "8", "--prune", "cv", "--cv", "2")
    assert screen.code == 0, screen.text
    # Two lines a second are shown, so a quick machine may skip a tree.
    assert re.search(r"about [\d,]+ s left: tree [123]/3, level \d", screen.text)
