"""``--json`` on every command: one object, with exactly the documented keys."""

import json
import math

import click
import numpy as np
import pytest

import treewright as tw
from treewright.commands.main import COMMANDS, treewright

CALLS = {
    "grow": ["grow", "penguins.csv", "-t", "species", "--test-share", "0.25"],
    "grow numbers": ["grow", "penguins.csv", "-t", "body_mass_g", "--prune", "none"],
    "show": ["show", "penguins.tree.json"],
    "show rules": ["show", "penguins.tree.json", "--format", "rules"],
    "show table": ["show", "penguins.tree.json", "--format", "table"],
    "show svg": ["show", "penguins.tree.json", "--format", "svg", "-o", "p.svg"],
    "why": ["why", "penguins.tree.json", "penguins.csv", "1"],
    "explain": ["explain", "penguins.tree.json", "--data", "penguins.csv"],
    "predict": ["predict", "penguins.tree.json", "penguins.csv"],
    "predict to a file": [
        "predict",
        "penguins.tree.json",
        "penguins.csv",
        "-o",
        "a.csv",
    ],
    "evaluate": ["evaluate", "penguins.tree.json", "penguins.csv"],
    "prune": ["prune", "penguins.tree.json"],
    "prune to leaves": ["prune", "penguins.tree.json", "--leaves", "2"],
    "prune by validation": [
        "prune",
        "penguins.tree.json",
        "--validation",
        "penguins.csv",
    ],
    "inspect data": ["inspect", "penguins.csv", "-t", "species"],
    "inspect a model": ["inspect", "penguins.tree.json"],
    "check": ["check", "penguins.tree.json", "penguins.csv"],
    "export": ["export", "penguins.tree.json", "--to", "python"],
    "export to a file": ["export", "penguins.tree.json", "-o", "penguins.py"],
    "verify": ["verify", "exported.py", "penguins.tree.json"],
    "demo": ["demo"],
    "version": ["version"],
}


def test_every_command_is_called():
    assert {arguments[0] for arguments in CALLS.values()} == set(COMMANDS)


@pytest.mark.parametrize("call", CALLS)
def test_json_has_exactly_the_documented_keys(run, story, call):
    tree = tw.load(story / "penguins.tree.json")
    (story / "exported.py").write_text(tree.export("python"), encoding="utf-8")
    done = run(*CALLS[call], "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout, parse_constant=pytest.fail)
    command = treewright.get_command(click.Context(treewright), CALLS[call][0])
    assert list(found) == list(command.json_keys)


def test_json_of_grow_tells_the_truth(run, story):
    found = json.loads(run(*CALLS["grow"], "-o", "j.tree.json", "--json").stdout)
    tree = tw.load(story / "j.tree.json")
    assert found["tree"]["leaves"] == tree.n_leaves
    assert found["tree"]["fingerprint"] == tree.fingerprint
    assert found["task"] == "class"
    assert found["figures"]["training"]["error"] == tree.risk()
    test = found["figures"]["test"]
    assert test["error"] == tree.evaluation["error"]
    assert test["n_rows"] + found["figures"]["training"]["rows"] == 344


def test_json_of_predict_is_what_the_tree_answers(run, story):
    found = json.loads(run(*CALLS["predict"], "--json").stdout)
    tree = tw.load(story / "penguins.tree.json")
    table = tw.read(story / "penguins.csv")
    assert found["rows"] == len(found["answers"]) == 344
    assert [each["answer"] for each in found["answers"]] == list(tree.predict(table))
    assert [each["leaf"] for each in found["answers"]] == tree.apply(table).tolist()
    shares = tree.predict_proba(table)
    for label, column in zip(tree.classes, shares.T, strict=True):
        told = [each[f"probability of {label}"] for each in found["answers"]]
        assert all(map(math.isclose, told, column))


def test_a_smaller_size_has_the_answers_of_that_size(run, story):
    model = tw.TreeClassifier.from_tree(tw.load(story / "penguins.tree.json"))
    done = run("prune", "penguins.tree.json", "--leaves", "3", "-o", "three.tree.json")
    assert model.pruning_.words in done.stdout
    assert "<- taken" in done.stdout
    small, wanted = tw.load(story / "three.tree.json"), model.pruning_.at(3)
    assert small == wanted
    table = story / "penguins.csv"
    rows = tw.read(table, target="species").to_pandas().drop(columns="species")
    np.testing.assert_array_equal(small.predict_proba(rows), wanted.predict_proba(rows))
    tried = json.loads(run("prune", "penguins.tree.json", "--json").stdout)["tried"]
    assert [each["cv_error"] for each in tried] == model.pruning_.cv_error.tolist()


def test_json_of_evaluate_is_the_evaluation(run, story):
    found = json.loads(run(*CALLS["evaluate"], "--json").stdout)["evaluation"]
    tree = tw.load(story / "penguins.tree.json")
    expected = tree.evaluate(tw.read(story / "penguins.csv", target="species"))
    assert found["error"] == expected.error
    assert found["confusion"] == expected.confusion.tolist()
    assert found["classes"] == ["Adelie", "Chinstrap", "Gentoo"]
