"""``treewright grow``: the Python lines, the rows it uses, and what it writes."""

import json
import os
import random
import sqlite3
from contextlib import closing
from threading import Thread

import numpy as np
import pytest

import treewright as tw
from treewright.commands.main import main

N = 400


@pytest.fixture(scope="module")
def loans(tmp_path_factory):
    """Return a table with groups, a date, weights, money and missing values."""
    folder = tmp_path_factory.mktemp("loans")
    rng = random.Random(3)
    lines = ["amount,income,region,customer,signed,copies,rating,default"]
    for row in range(N):
        amount, income = rng.randrange(500, 9000), rng.randrange(900, 6000)
        default = "yes" if amount / income + rng.gauss(0, 0.4) > 2 else "no"
        region = rng.choice(["north", "south", "", "west"])
        signed = f"20{10 + row // 40}-0{1 + row % 9}-1{row % 7}"
        lines.append(
            f'"${amount:,}",{income},{region},c{row // 4},{signed},'
            f"{rng.randrange(1, 4)},{rng.choice(['low', 'mid', 'high'])},{default}"
        )
    (folder / "loans.csv").write_text("\n".join(lines) + "\n")
    (folder / "later.csv").write_text("\n".join([lines[0], *lines[300:]]) + "\n")
    return folder


RECIPES = {
    "defaults": [],
    "parameters": ["--max-depth", "4", "--criterion", "entropy", "--prune", "none"],
    "by class": ["--class-weight", "yes=5", "--min-samples-leaf", "0.02"],
    "costs": ["--costs", '{"yes": {"no": 4}}', "--prune-rule", "min"],
    "columns": ["--columns", "amount,income"],
    "drop": ["--drop", "customer,signed"],
    "kinds": ["--kind", "rating=low<mid<high", "--kind", "copies=categorical"],
    "weights": ["--weight", "copies"],
    "drop, repeated": ["--drop", "customer", "--drop", "signed"],
    "groups": ["--groups", "customer"],
    "groups among the columns": ["--columns", "income,customer", "--groups=customer"],
    "test share": ["--test-share", "0.3"],
    "test share and groups": ["--test-share", "0.3", "--groups", "customer"],
    "test file": ["--test", "later.csv"],
    "time": ["--time", "signed"],
    "time and share": ["--time", "signed", "--test-share", "0.4"],
    "discretize": ["--discretize", '{"income": ["quantile", 4]}'],
    "validation": ["--prune", "validation", "--validation-fraction", "0.25"],
}


@pytest.fixture
def grow(run, loans):
    """Return a function that grows a tree from the loans."""

    def grow_loans(*arguments, code=0, **options):
        call = ["grow", "loans.csv", "-t", "default", *arguments]
        done = run(*call, folder=loans, **options)
        assert done.returncode == code, done.stderr
        return done

    return grow_loans


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("recipe", RECIPES)
def test_the_python_lines_make_the_same_tree_and_files(
    loans, monkeypatch, capsys, recipe
):
    monkeypatch.chdir(loans)
    made = [loans / "cli.tree.json", loans / "cli.html"]
    call = ["grow", "loans.csv", "-t", "default", *RECIPES[recipe], "--json"]
    assert main([*call, "-o", made[0].name, "--report", made[1].name]) == 0
    found = json.loads(capsys.readouterr().out)
    saved = [path.read_bytes() for path in made]
    for path in made:
        path.unlink()
    names = {}
    exec(found["python"], names)
    assert names["tree"].fingerprint == found["tree"]["fingerprint"]
    assert [path.read_bytes() for path in made] == saved
    if found["figures"]["test"] is not None:
        told = found["figures"]["test"]["error"]
        assert names["tree"].evaluate(names["test"]).error == told


def test_the_lines_are_printed_too(grow):
    printed = grow("--max-depth", "3").stdout
    assert "tw.TreeClassifier(max_depth=3).fit(table)" in printed


def test_the_task_is_inferred_and_said(grow, run):
    assert "default is predicted as classes" in grow().stdout
    numbers = run("grow", "penguins.csv", "-t", "body_mass_g").stdout
    assert "body_mass_g is predicted as numbers" in numbers


def test_the_task_can_be_overridden(run):
    call = ["grow", "penguins.csv", "-t", "year", "--json"]
    assert json.loads(run(*call).stdout)["task"] == "class"
    found = json.loads(run(*call, "--task", "number").stdout)
    assert found["task"] == "number"
    assert found["figures"]["measure"] == "mean squared error"
    assert "TreeRegressor" in found["python"]


def test_conversions_and_findings_are_shown_in_the_words_of_the_shell(grow):
    printed = grow().stdout
    assert "amount" in printed
    assert "$" in printed
    assert "--kind amount=categorical" in printed
    assert "kinds=" not in printed.partition("The same in Python")[0]


def test_time_holds_out_the_latest_rows(grow, loans):
    found = json.loads(grow("--time", "signed", "--json").stdout)
    table = tw.read(loans / "loans.csv", columns=["signed"])
    signed = np.sort(table.columns[0].data)
    n_test = found["figures"]["test"]["n_rows"]
    assert n_test == (signed >= signed[-N // 5]).sum()
    assert "signed" not in found["tree"]["columns_used"]


def test_groups_are_no_feature_and_stay_together(grow):
    call = ["--groups", "customer", "--test-share", "0.25", "--prune", "none", "--json"]
    refused = grow(*call, code=2)
    assert "--prune none uses no folds" in refused.stderr
    found = json.loads(grow(*call[:4], "--json").stdout)
    assert found["figures"]["test"]["n_rows"] % 4 == 0  # customers have four rows
    assert "customer" not in found["tree"]["columns_used"]


def test_figures_are_named_by_their_rows(grow):
    crossed = grow().stdout
    assert "Cross-validated error (10 folds)" in crossed
    assert "Training error, which flatters the tree" in crossed
    alone = grow("--prune", "none").stdout
    assert "No honest figure yet: --test-share 0.2 holds rows out." in alone
    held_out = grow("--test-share", "0.25").stdout
    assert "100 test rows, not used for growing" in held_out


def test_what_the_tree_shows_about_the_table_is_said(run, tmp_path):
    rows = "".join(
        f"{row % 13},{'rare' if row % 50 == 0 else 'usual'}\n" for row in range(300)
    )
    (tmp_path / "uneven.csv").write_text("x,y\n" + rows)
    printed = run("grow", "uneven.csv", "-t", "y", folder=tmp_path).stdout
    _, _, said = printed.partition("What the tree shows about the table\n")
    assert "98.0% of the rows are 'usual', and the chosen tree is one leaf" in said
    assert "--class-weight balanced" in said.partition("The tree\n")[0]


def test_a_table_can_come_from_standard_input(execute, loans):
    text = (loans / "loans.csv").read_text()
    piped = execute("grow", "-", "-t", "default", "--json", stdin=text)
    assert piped.returncode == 0, piped.stderr
    direct = execute("grow", "loans.csv", "-t", "default", "--json", folder=loans)
    same = [json.loads(each.stdout)["tree"] for each in (piped, direct)]
    assert same[0] == same[1]


@pytest.mark.posix
def test_a_table_can_come_from_a_named_pipe(run, loans, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    text = (loans / "loans.csv").read_text()
    writer = Thread(target=pipe.write_text, args=(text,), daemon=True)
    writer.start()
    piped = run("grow", pipe, "-t", "default", "--json")
    assert piped.returncode == 0, piped.stderr
    direct = run("grow", "loans.csv", "-t", "default", "--json", folder=loans)
    assert json.loads(piped.stdout)["tree"] == json.loads(direct.stdout)["tree"]


def test_classes_that_are_numbers_are_named_as_text(run, tmp_path):
    lines = [f"{row},{row % 7},{int(row % 7 > 4)}" for row in range(200)]
    (tmp_path / "n.csv").write_text("a,b,late\n" + "\n".join(lines) + "\n")
    call = ["grow", "n.csv", "-t", "late", "--class-weight", "1=3", "--json"]
    done = run(*call, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "class_weight={1: 3}" in json.loads(done.stdout)["python"]


def test_a_repeated_drop_leaves_out_all_of_its_columns(grow):
    done = grow("--drop", "customer", "--drop", "signed,rating", "--json")
    assert json.loads(done.stdout)["intake"]["n_columns"] == 4


def test_the_column_of_groups_is_no_feature_even_if_it_is_listed(grow):
    done = grow("--columns", "income,customer", "--groups", "customer", "--json")
    assert json.loads(done.stdout)["intake"]["n_columns"] == 1


def test_a_missing_folder_is_found_before_anything_is_read(run, loans):
    done = run("grow", "no_such.csv", "-t", "x", "-o", "no/x.json", folder=loans)
    assert "There is no folder" in done.stderr


def test_groups_are_read_from_the_table_that_is_named(run, loans):
    rows = [
        (row % 7, f"g{row // 5}", "yes" if row % 7 > 3 else "no") for row in range(90)
    ]
    with closing(sqlite3.connect(loans / "two.db")) as store:
        for name, kept in (("other", rows[:10]), ("wanted", rows)):
            store.execute(f"CREATE TABLE {name} (x, g, y)")
            store.executemany(f"INSERT INTO {name} VALUES (?, ?, ?)", kept)
        store.commit()
    call = ["grow", "two.db", "-t", "y", "--table", "wanted", "--groups", "g", "--json"]
    done = run(*call, folder=loans)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["intake"]["n_rows"] == 90
    assert "columns=['g'], table='wanted'" in found["python"]


@pytest.mark.filterwarnings("ignore")
def test_the_training_rows_decide_the_kinds_of_the_test_rows(
    tmp_path, monkeypatch, capsys
):
    lines = [f"{d},{d}" for d in ("2", "3", "5more") for _ in range(20)]
    monkeypatch.chdir(tmp_path)
    (tmp_path / "all.csv").write_text("doors,y\n" + "\n".join(lines) + "\n")
    (tmp_path / "some.csv").write_text("doors,y\n" + "\n".join(lines[:40]) + "\n")
    call = ["grow", "all.csv", "-t", "y", "--kind", "y=categorical", "--json"]
    assert main([*call, "--test", "some.csv"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["figures"]["test"]["error"] == 0
    exec(found["python"], {})


def test_many_test_rows_are_named_as_test_rows(run, tmp_path):
    rows = "".join(f"{row},{'yes' if row % 10 > 4 else 'no'}\n" for row in range(4000))
    (tmp_path / "many.csv").write_text("x,y\n" + rows)
    call = ["grow", "many.csv", "-t", "y", "--test-share", "0.5", "--max-depth", "1"]
    done = run(*call, folder=tmp_path)
    assert "2,000 test rows, not used for growing" in done.stdout
