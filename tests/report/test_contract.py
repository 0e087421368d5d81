"""The data that Python writes are those that contract.json promises to the page."""

import json
import re

import jsonschema
import pytest

import treewright as tw
from support import report_trees as trees
from support.browser import ROOT
from support.looks import hostile_tree
from support.report_data import data_of

FOLDER = ROOT / "src" / "treewright" / "drawing" / "report"
CONTRACT = json.loads((FOLDER / "contract.json").read_text(encoding="utf-8"))

MAKERS = {
    "credit": lambda: trees.credit(prune_rule="min"),
    "validation": lambda: trees.credit(prune="validation"),
    "costs": lambda: trees.gappy_penguins(costs=[[0, 1, 5], [4, 0, 1], [1, 9, 0]]),
    "numbers": trees.hitters,
    "medians": lambda: trees.hitters(criterion="absolute_error"),
    "float32": lambda: trees.hitters(conventions="sklearn"),
    "divided": lambda: trees.gappy_penguins(method="c45"),
    "surrogates": lambda: trees.gappy_penguins(missing="surrogate"),
    "id3, intervals": lambda: trees.gappy_penguins(method="id3", discretize=4),
    "dates": trees.moments,
}


@pytest.mark.parametrize("name", MAKERS)
def test_reports_keep_the_contract(tmp_path, name):
    model, X, y = MAKERS[name]()
    check = jsonschema.Draft202012Validator(CONTRACT)
    check.validate(data_of(tw.report(model, tmp_path / "r.html", X, y)))
    weight = [0.5 + i % 3 for i in range(len(y))]
    check.validate(data_of(tw.report(model, tmp_path / "r.html", X, y, weight)))
    check.validate(data_of(tw.report(model.tree_, tmp_path / "r.html")))


def test_odd_trees_keep_the_contract(tmp_path):
    one = tw.TreeClassifier().fit({"a": [1, 2, 3]}, ["x", "x", "x"])
    for tree in (one, hostile_tree("</script>")):
        data = data_of(tw.report(tree, tmp_path / "r.html"))
        jsonschema.validate(data, CONTRACT)


def promised(schema):
    """The names of all properties in a schema."""
    found = set(schema.get("properties", {}))
    parts = [*schema.get("properties", {}).values(), *schema.get("oneOf", [])]
    parts += [*schema.get("$defs", {}).values()]
    if "items" in schema:
        parts.append(schema["items"])
    for part in parts:
        found |= promised(part)
    return found


def test_the_page_reads_everything_that_is_promised():
    text = "".join(each.read_text() for each in (FOLDER / "scripts").glob("*.js"))
    words = set(re.findall(r"\w+", text))
    assert promised(CONTRACT) - words == set()


def test_the_contract_forbids_what_it_does_not_name(tmp_path):
    data = data_of(tw.report(trees.tennis_id3()[0], tmp_path / "r.html"))
    data["tree"]["more"] = []
    with pytest.raises(jsonschema.ValidationError, match="more"):
        jsonschema.validate(data, CONTRACT)
