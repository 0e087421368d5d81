"""PMML4S, through the package pypmml, gives the answers of the tree."""

import math
import shutil
from xml.etree import ElementTree

import numpy as np
import pytest

import treewright as tw
from support import programs
from support.build import chain
from support.export_trees import HARD
from treewright.errors import OptionError
from treewright.exporting.check_rows import answered, check_rows
from treewright.exporting.pmml import to_pmml
from treewright.exporting.program import program_of
from treewright.exporting.verifying.pmml_engine import pmml_rows, run_pmml

NAMES = {"p": "http://www.dmg.org/PMML-4_4"}


@pytest.fixture(scope="module")
def model_of():
    if shutil.which("java") is None:
        pytest.skip("NO JAVA: the PMML evaluator needs a Java runtime.")
    from pypmml import Model, PMMLContext

    yield Model.fromString
    PMMLContext.shutdown()


def compare(model_of, program, rows):
    expected, model = answered(program, rows), model_of(to_pmml(program.tree))
    names = [variable.name for variable in program.variables]
    for i, row in enumerate(rows):
        pairs = zip(names, row, strict=True)
        found = model.predict({name: x for name, x in pairs if x is not None})
        assert found["leaf"] == str(expected.nodes[i]), row
        if program.is_classifier:
            assert found["prediction"] == str(expected.answers[i])
            shares = [found[f"probability_{k}"] for k in range(len(program.classes))]
            np.testing.assert_array_equal(shares, expected.probabilities[i])
        else:
            assert found["prediction"] == expected.answers[i]


def finite(rows):
    return [
        r for r in rows if not any(isinstance(x, float) and math.isinf(x) for x in r)
    ]


@pytest.mark.parametrize("block", range(3))
def test_a_pmml_evaluator_answers_as_the_tree_does(model_of, block):
    for seed in range(block * 20, block * 20 + 20):
        program = program_of(programs.random_tree(seed))
        if program.divides_rows:
            with pytest.raises(OptionError, match="divides rows"):
                to_pmml(program.tree)
        elif program.variables:
            rows = check_rows(program, 60).rows + programs.random_rows(
                program, 30, seed
            )
            compare(model_of, program, finite(rows))


def test_hostile_names_and_categories_are_only_text(model_of):
    texts = ["<b>&amp;</b>", "'\"]]>", "line\nbreak\ttab", "émoji 🎄", " blank "]
    values = texts * 30
    X = {'a"<b>&\n': values, "n'": range(len(values))}
    y = [texts[(i * 7) % len(texts)] for i in range(len(values))]
    program = program_of(tw.grow(tw.as_table(X, y)).data)
    compare(model_of, program, check_rows(program, 100).rows)


def test_control_characters_are_refused_because_xml_cannot_hold_them():
    X = {"x": ["a\0b", "c"] * 30}
    tree = tw.grow(tw.as_table(X, ["no", "yes"] * 30)).data
    with pytest.raises(OptionError, match="control characters"):
        to_pmml(tree)


def test_the_document_carries_rows_with_expected_answers():
    tree = programs.random_tree(2)
    document = ElementTree.fromstring(to_pmml(tree, check_rows=10))
    rows = document.findall(".//p:InlineTable/p:row", NAMES)
    assert len(rows) == min(10, len(check_rows(program_of(tree)).rows))


@pytest.mark.parametrize("name", HARD)
def test_a_pmml_evaluator_answers_as_a_hard_tree_does(model_of, name):
    program = program_of(HARD[name]())
    if program.divides_rows:
        with pytest.raises(OptionError, match="divides rows"):
            to_pmml(program.tree)
        return
    rows = check_rows(program, 60).rows + programs.random_rows(program, 30)
    compare(model_of, program, [tuple(map(truth, program.variables, r)) for r in rows])


def truth(variable, value):
    """Return true or false for the numbers of a column of these."""
    return bool(value) if variable.type == "bool" and value is not None else value


def test_the_rows_of_the_document_are_read_back_as_they_were():
    tree = HARD["infinite bounds"]()
    program = program_of(tree)
    assert math.inf in {row[0] for row in check_rows(program).rows}
    found = pmml_rows(program, to_pmml(tree, check_rows=True))
    assert found.rows == check_rows(program).rows
    assert found.answers == check_rows(program).answers


def test_the_numbers_in_the_document_are_read_back_as_they_were():
    tree = HARD["numbers that stop"]()
    expected = check_rows(program_of(tree))
    found = pmml_rows(program_of(tree), to_pmml(tree, check_rows=True))
    assert found.answers == expected.answers
    assert all(isinstance(answer, float) for answer in found.answers)


def test_rows_reach_the_evaluator_as_json_that_it_reads(monkeypatch):
    asked = []
    monkeypatch.setattr(
        "treewright.exporting.verifying.pmml_engine.package_called",
        lambda *_: StandIn(asked),
    )
    monkeypatch.setattr(
        "treewright.exporting.verifying.pmml_engine.program_called", lambda *_: ""
    )
    X = {"b": [True, False] * 40, "x": [-math.inf, 1.0, 2.0, math.inf] * 20}
    table = tw.as_table(X, list("abcd") * 20)
    program = program_of(tw.grow(table).data)
    names = [variable.name for variable in program.variables]
    values = {"b": 1.0, "x": math.inf}
    rows = [tuple(values[name] for name in names), tuple(None for _ in names)]
    run_pmml(program, "", [*rows, tuple(-values[name] for name in names)])
    known = {"b": '"b":true', "x": '"x":1e999'}
    last = known | {"x": '"x":-1e999'}
    first, last = (",".join(each[name] for name in names) for each in (known, last))
    assert asked == [f"[{{{first}}},{{}},{{{last}}}]"]


class StandIn:
    """Stands for the package pypmml, and keeps what it is asked."""

    def __init__(self, asked):
        self.asked, self.Model, self.PMMLContext = asked, self, self

    def fromString(self, source):  # noqa: N802
        return self

    def predict(self, records):
        self.asked.append(records)
        return "[]"

    def shutdown(self):
        pass


def test_a_tree_too_deep_for_readers_is_refused():
    with pytest.raises(
        OptionError, match=r"above 1000; this tree has depth 1001\. Pru"
    ):
        to_pmml(chain(1001))
