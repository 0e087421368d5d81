"""PMML4S, through the package pypmml, gives the answers of the tree."""

import math
import shutil
from xml.etree import ElementTree

import numpy as np
import pytest

import treewright as tw
from support import programs
from treewright.errors import OptionError
from treewright.exporting.check_rows import answered, check_rows
from treewright.exporting.pmml import to_pmml
from treewright.exporting.program import program_of

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
