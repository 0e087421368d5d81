"""Real tables, as they come, through the commands, from a file to answers."""

import csv
import json
from pathlib import Path

import pytest

import treewright as tw
from support.oracle_files import real_table
from treewright.commands.main import main

TABLES = {
    "carseats": "Sales",
    "german_credit": "class",
    "hitters": "Salary",
    "penguins": "body_mass_g",
    "play_tennis": "PlayTennis",
    "spam_email_8": "spam",
    "abalone": "Rings",
    "ames_housing": "price",
    "car_evaluation": "class",
    "heart": "AHD",
    "higgs_sample": "signal",
    "mushrooms": "class",
    "titanic": "survived",
}

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.mark.parametrize("name", TABLES)
def test_a_table_goes_through_every_command(name, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    data, target = str(real_table(f"{name}.csv")), TABLES[name]

    def call(*arguments):
        code = main([*arguments, "--json"])
        printed = capsys.readouterr()
        assert code == 0, printed.err
        return json.loads(printed.out)

    made = ["-o", "m.tree.json", "--report", "m.html"]
    grown = call("grow", data, "-t", target, *made)
    tree = tw.load("m.tree.json")
    assert tree.fingerprint == grown["tree"]["fingerprint"]
    assert "<html" in Path("m.html").read_text(encoding="utf-8")
    shown = call("show", "m.tree.json", "--format", "table")["content"]
    assert [node["node"] for node in shown] == list(range(tree.n_nodes))

    told = call("predict", "m.tree.json", data, "-o", "answers.csv")
    with open("answers.csv", newline="", encoding="utf-8") as file:
        answers = list(csv.DictReader(file))
    assert told["rows"] == len(answers) == grown["intake"]["n_read"]
    counts = dict.fromkeys(range(tree.n_nodes), 0)
    for row in answers:
        counts[int(row["leaf"])] += row[target] not in ("", "NA")
    leaves = {int(n): int(tree.n_rows[n]) for n in tree.leaves}
    assert {n: counts[n] for n in leaves} == leaves

    measured = call("evaluate", "m.tree.json", data)["evaluation"]
    assert measured["n_rows"] == grown["intake"]["n_rows"]
    trained = grown["figures"]["training"]["error"]
    assert measured["error"] == pytest.approx(trained, rel=1e-9)
    call("check", "m.tree.json", data)
    call("explain", "m.tree.json", "--data", data, "--row", "2")
    call("why", "m.tree.json", data)
    call("prune", "m.tree.json", "--leaves", "2")
