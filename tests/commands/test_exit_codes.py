"""Exit codes, one-line errors, silence of broken pipes; never a traceback."""

import os
import re
import signal
import subprocess

import pytest

import treewright as tw
from support.executable import EXECUTABLE

BAD = {
    "no such command": (2, ["grwo"], "No such command 'grwo'"),
    "no such option": (2, ["show", "m.json", "--colour"], "--colour"),
    "no target": (2, ["grow", "penguins.csv"], "--target"),
    "an option of the library out of range": (
        2,
        ["grow", "penguins.csv", "-t", "species", "--max-depth", "0"],
        "--max-depth must be a whole number >= 1",
    ),
    "an option checked before a file is read": (
        2,
        ["grow", "no_such.csv", "-t", "species", "--prune", "cw"],
        "Did you mean 'cv'",
    ),
    "two options that exclude each other": (
        2,
        ["grow", "penguins.csv", "-t", "species", "--test", "x", "--test-share", "0.2"],
        "either --test or --test-share",
    ),
    "a parameter for classes, and numbers": (
        2,
        ["grow", "penguins.csv", "-t", "body_mass_g", "--class-weight", "balanced"],
        "--class-weight is for trees that answer classes",
    ),
    "JSON that is none": (
        2,
        ["grow", "penguins.csv", "-t", "species", "--costs", "{'Adelie'"],
        "--costs': \"{'Adelie'\" is not valid JSON: Expecting property name",
    ),
    "a weight without a number": (
        2,
        ["grow", "penguins.csv", "-t", "species", "--class-weight", "Adelie=1,Gentoo"],
        "'Gentoo' in 'Adelie=1,Gentoo' is not NAME=VALUE. Write NAME=VALUE,NAME=VALUE",
    ),
    "a kind without a column": (
        2,
        ["grow", "penguins.csv", "-t", "species", "--kind", "categorical"],
        "'categorical' is not NAME=KIND, such as zip=categorical",
    ),
    "groups and time": (
        2,
        ["grow", "penguins.csv", "-t", "sex", "--groups", "island", "--time", "year"],
        "either --groups or --time, not both",
    ),
    "groups from standard input": (
        2,
        ["grow", "-", "-t", "species", "--groups", "island"],
        "Save it to a file first",
    ),
    "two ways to cut": (
        2,
        ["prune", "penguins.tree.json", "--leaves", "2", "--node", "1"],
        "--leaves and --node cannot be used together; use one of them",
    ),
    "three ways to cut": (
        2,
        ["prune", "penguins.tree.json", "--alpha=0", "--leaves=2", "--validation", "x"],
        "--alpha, --leaves and --validation cannot be used together",
    ),
    "a smaller tree without a cut": (
        2,
        ["prune", "penguins.tree.json", "-o", "small.tree.json"],
        "say where to cut: --alpha, --leaves, --node or --validation",
    ),
    "no row to explain": (
        2,
        ["explain", "penguins.tree.json"],
        "Name the row: NAME=VALUE ..., or --data FILE",
    ),
    "a column without a value": (
        2,
        ["explain", "penguins.tree.json", "island"],
        "'island' is not NAME=VALUE. Put an equals sign between",
    ),
    "a column that the model lacks": (
        2,
        ["explain", "penguins.tree.json", "iland=Dream"],
        "no column 'iland'. Did you mean 'island'?",
    ),
    "text for a number": (
        2,
        ["explain", "penguins.tree.json", "bill_length_mm=long"],
        "Column 'bill_length_mm' holds numbers such as 1000.5; got 'long'. Leave it",
    ),
    "a row beyond the last": (
        3,
        ["explain", "penguins.tree.json", "--data", "penguins.csv", "--row", "345"],
        "penguins.csv has 344 rows; there is no row 345. Rows are counted from 1",
    ),
    "a picture that is printed": (
        2,
        ["show", "penguins.tree.json", "--format", "png"],
        "A png picture needs a file: -o tree.png",
    ),
    "an export that is no text": (
        2,
        ["export", "penguins.tree.json", "--to", "xlsx"],
        "The format xlsx is not text: name a file with -o",
    ),
    "an export without a format": (
        2,
        ["export", "penguins.tree.json"],
        "Error: Name the format: --to sql, python,",
    ),
    "an export with an ending of no format": (
        2,
        ["export", "penguins.tree.json", "-o", "tree.gif"],
        "The ending of 'tree.gif' names no format. Name the format: --to sql,",
    ),
    "check rows that are no number": (
        2,
        ["export", "penguins.tree.json", "--to", "python", "--check-rows", "²"],
        "'²' is not 'all', 'none' or a number of rows",
    ),
    "a file to inspect that is not there": (
        3,
        ["inspect", "no_such.csv"],
        "There is no file no_such.csv",
    ),
    "no such file": (3, ["grow", "no_such.csv", "-t", "x"], "no file no_such.csv"),
    "no such column to drop": (
        3,
        ["grow", "penguins.csv", "-t", "species", "--drop", "colour"],
        "--drop names 'colour', but there is no column 'colour'",
    ),
    "no such column": (
        3,
        ["grow", "penguins.csv", "-t", "specie"],
        "the nearest is 'species'",
    ),
    "a time that is missing": (
        3,
        ["grow", "penguins.csv", "-t", "species", "--time", "body_mass_g"],
        "Column 'body_mass_g' is missing in 2 rows (first: row 4)",
    ),
    "no such model": (3, ["show", "no_such.tree.json"], "no_such.tree.json"),
    "data in place of a model": (3, ["show", "penguins.csv"], "not a treewright model"),
    "a model in place of data": (
        3,
        ["evaluate", "penguins.tree.json", "penguins.tree.json"],
        "penguins.tree.json",
    ),
    "new data without the columns": (
        3,
        ["predict", "penguins.tree.json", "tennis.csv"],
        "which the tree needs",
    ),
    "a folder that is not there": (
        3,
        ["grow", "penguins.csv", "-t", "species", "-o", "no/such.tree.json"],
        "Make the folder",
    ),
    "a model in place of the data it is grown from": (
        3,
        ["grow", "penguins.csv", "-t", "species", "-o", "./penguins.csv"],
        "would replace a file that is read",
    ),
    "a report in place of the data": (
        3,
        ["grow", "penguins.csv", "-t", "species", "--report", "penguins.csv"],
        "would replace a file that is read",
    ),
    "answers in place of the rows": (
        3,
        ["predict", "penguins.tree.json", "penguins.csv", "-o", "penguins.csv"],
        "would replace a file that is read",
    ),
    "a picture in place of the model": (
        3,
        ["show", "penguins.tree.json", "--format", "svg", "-o", "penguins.tree.json"],
        "would replace a file that is read",
    ),
    "too little memory": (
        4,
        ["grow", "penguins.csv", "-t", "species", "--memory-limit", "2KB"],
        "the limit is 2 KB",
    ),
}


@pytest.fixture(autouse=True)
def tennis(story):
    (story / "tennis.csv").write_text("outlook,play\nsunny,no\nrainy,yes\n")


@pytest.mark.parametrize("case", BAD)
def test_what_goes_wrong_has_an_exit_code_and_one_line(run, case):
    code, arguments, words = BAD[case]
    done = run(*arguments)
    assert done.returncode == code, done.stderr
    assert words in done.stderr
    assert done.stderr.startswith("Error: ")
    assert done.stderr.count("\n") == 1
    assert "Traceback" not in done.stdout + done.stderr


def test_a_refused_output_leaves_nothing_behind(run, story):
    before = sorted(os.listdir(story))
    (story / "out.parquet").mkdir(exist_ok=True)
    done = run("predict", "penguins.tree.json", "penguins.csv", "-o", "out.parquet")
    (story / "out.parquet").rmdir()
    assert done.returncode == 3
    assert sorted(os.listdir(story)) == before


def test_a_defect_says_how_to_report_it(execute, story):
    sabotage = story / "sitecustomize.py"
    sabotage.write_text(
        "import treewright.commands.inputs as inputs\n"
        "def broken(path):\n    raise ZeroDivisionError('oh no')\n"
        "inputs.load_model = broken\n"
    )
    try:
        done = execute("show", "penguins.tree.json", env={"PYTHONPATH": str(story)})
        debug = {"PYTHONPATH": str(story), "TREEWRIGHT_DEBUG": "1"}
        told = execute("show", "penguins.tree.json", env=debug)
    finally:
        sabotage.unlink()
    assert done.returncode == told.returncode == 1
    assert "ZeroDivisionError: oh no" in done.stderr
    assert "report" in done.stderr
    assert "Traceback" not in done.stderr
    assert "Traceback" in told.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["grow", "--help"],
        ["show", "penguins.tree.json"],
        ["predict", "penguins.tree.json", "penguins.csv"],
        ["show", "penguins.tree.json", "--json"],
    ],
)
def test_a_broken_pipe_is_silent(story, arguments):
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [EXECUTABLE, *arguments],
        cwd=story,
        stdout=writing,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, b"")


def test_warnings_are_one_line_each(execute, story):
    lines = re.sub(
        "Biscoe|Dream|Torgersen", "Atlantis", (story / "penguins.csv").read_text()
    )
    (story / "elsewhere.csv").write_text(lines)
    done = execute("predict", "penguins.tree.json", "elsewhere.csv", "-o", "x.csv")
    assert done.returncode == 0
    assert done.stderr.startswith("Warning: ")
    assert "island" in done.stderr
    assert done.stderr.count("\n") == 1
    assert ".py" not in done.stderr


def test_ctrl_c_exits_with_130_and_keeps_the_old_file(story):
    rows = (story / "penguins.csv").read_text().split("\n")
    big = story / "big.csv"
    with big.open("w") as file:
        file.write(rows[0] + "\n")
        for _ in range(1000):
            file.write("\n".join(rows[1:-1]) + "\n")
    old = story / "answers_of_big.csv"
    old.write_text("as before\n")
    child = subprocess.Popen(
        [EXECUTABLE, "predict", "penguins.tree.json", big.name, "-o", old.name],
        cwd=story,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    while not list(story.glob(".answers_of_big*")):
        assert child.poll() is None, "it was done before it could be interrupted"
    child.send_signal(signal.SIGINT)
    _, errors = child.communicate(timeout=60)
    assert child.returncode == 130
    assert b"Interrupted" in errors
    assert b"Traceback" not in errors
    assert old.read_text() == "as before\n"
    assert not list(story.glob(".answers_of_big*"))


def test_without_arguments_the_help_is_printed_line_by_line(execute):
    done = execute()
    assert done.returncode == 0
    assert done.stdout == execute("--help").stdout
    assert done.stderr == ""


def test_a_misspelt_command_is_suggested(run):
    assert "Did you mean 'grow'?" in run("grwo").stderr


def test_an_ending_that_no_form_has_is_refused(run, tmp_path):
    file = tmp_path / "tree.gif"
    done = run("show", "penguins.tree.json", "-o", file)
    assert done.returncode == 2
    assert "names no form of a tree" in done.stderr
    assert not file.exists()
    assert run("show", "penguins.tree.json", "-o", tmp_path / "tree").returncode == 0


def test_a_file_without_rows_is_answered_by_its_header(run, story, tmp_path):
    header = (story / "penguins.csv").read_text().split("\n")[0]
    (tmp_path / "none.csv").write_text(header + "\n")
    done = run("predict", "penguins.tree.json", tmp_path / "none.csv")
    assert done.returncode == 0
    assert done.stdout.startswith(header + ",answer,probability of Adelie,")
    (tmp_path / "other.csv").write_text("a,b\n")
    done = run("predict", "penguins.tree.json", tmp_path / "other.csv")
    assert done.returncode == 3
    assert "which the tree needs" in done.stderr


def test_an_export_that_answers_otherwise_has_an_exit_code(run, story, tmp_path):
    one = tw.load(story / "penguins.tree.json")
    source = one.export("python", check_rows=True)
    file = tmp_path / "tree.py"
    file.write_text(source, encoding="utf-8")
    assert run("verify", file, "penguins.tree.json").returncode == 0
    other = tmp_path / "other.tree.json"
    one.collapse([1]).save(other)
    done = run("verify", file, other)
    assert done.returncode == 3
    assert done.stderr == (
        f"Warning: {file} says that it was written from another tree.\n"
    )
    assert "rows have another answer in python" in done.stdout


def test_a_column_of_the_data_that_an_answer_replaces_is_named(run, story, tmp_path):
    text = (story / "penguins.csv").read_text().replace(",sex,", ",leaf,", 1)
    (tmp_path / "leaves.csv").write_text(text)
    done = run("predict", "penguins.tree.json", tmp_path / "leaves.csv")
    assert "Warning: The data has a column 'leaf' already" in done.stderr
    done = run("predict", "penguins.tree.json", tmp_path / "leaves.csv", "--only")
    assert done.stderr == ""
