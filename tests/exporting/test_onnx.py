"""ONNX Runtime gives the answers of the tree, in double precision."""

import sys

import numpy as np
import onnx
import pytest

import treewright as tw
from support import programs
from support.export_trees import HARD
from treewright.errors import OptionError
from treewright.exporting.check_rows import answered, check_rows
from treewright.exporting.onnx import to_onnx
from treewright.exporting.program import program_of
from treewright.exporting.verifying.onnx_engine import run_onnx


def compare(program, rows):
    # A missing text is '' in ONNX, which has no null.
    expected = answered(program, rows)
    found = run_onnx(program, to_onnx(program.tree), rows)
    assert found.leaves == expected.nodes
    assert found.answers == expected.answers
    if program.is_classifier:
        np.testing.assert_array_equal(found.probabilities, expected.probabilities)


@pytest.mark.parametrize("block", range(5))
def test_onnx_runtime_answers_as_the_tree_does(block):
    for seed in range(block * 30, block * 30 + 30):
        program = program_of(programs.random_tree(seed))
        if program.divides_rows:
            with pytest.raises(OptionError, match="divides rows"):
                to_onnx(program.tree)
        elif program.variables:
            rows = check_rows(program).rows + programs.random_rows(program, 60, seed)
            compare(program, rows)


def test_a_tree_of_one_leaf_is_refused_because_a_graph_needs_an_input():
    tree = tw.grow(tw.as_table({"x": [1.0, 2.0]}, [5.0, 5.0])).data
    with pytest.raises(OptionError, match="reads no column"):
        to_onnx(tree)


def test_the_same_tree_gives_the_same_bytes():
    tree = programs.random_tree(4)
    assert to_onnx(tree) == to_onnx(tree)


def test_an_empty_category_is_refused_because_it_means_missing():
    tree = tw.grow(tw.as_table({"x": ["", "a"] * 30}, ["no", "yes"] * 30)).data
    with pytest.raises(OptionError, match="from a missing text"):
        to_onnx(tree)


def test_each_input_names_its_column():
    X = {"bill length": [1.0, 2.0, 3.0] * 20, "isle": ["a", "b", "b"] * 20}
    y = [f"{x > 1.5 and isle == 'b'}" for x, isle in zip(*X.values(), strict=True)]
    model = onnx.load_from_string(to_onnx(tw.grow(tw.as_table(X, y)).data))
    described = [each.doc_string for each in model.graph.input]
    assert [each.name for each in model.graph.input] == ["x0"]
    assert described == ["bill length: a number"]
    assert "The inputs x0, x1, ... are these columns" in model.doc_string


@pytest.mark.parametrize("name", HARD)
def test_onnx_runtime_answers_as_a_hard_tree_does(name):
    program = program_of(HARD[name]())
    if program.divides_rows:
        with pytest.raises(OptionError, match="divides rows"):
            to_onnx(program.tree)
    else:
        compare(program, check_rows(program).rows + programs.random_rows(program, 100))


def test_without_the_package_the_message_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(
        OptionError, match=r"needs .* onnx: pip install 'treewright\[on"
    ):
        to_onnx(programs.random_tree(4))
