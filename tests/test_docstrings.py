"""Every example in a docstring runs and prints its stated output."""

import doctest
import importlib
import pkgutil
import re
from pathlib import Path

import pytest

import treewright

MODULES = ["treewright"] + [
    name
    for _, name, _ in pkgutil.walk_packages(treewright.__path__, "treewright.")
    if name not in ("treewright._core", "treewright.__main__")
]


@pytest.mark.parametrize("name", MODULES)
def test_examples_of(name):
    module = importlib.import_module(name)
    result = doctest.testmod(module)
    assert result.failed == 0


def test_no_example_of_a_source_file_is_left_out():
    written, files = 0, set()
    for name in MODULES:
        module = importlib.import_module(name)
        files.add(Path(module.__file__).resolve())
        source = Path(module.__file__).read_text(encoding="utf-8")
        examples = len(re.findall(r"(?m)^\s*>>> ", source))
        tests = doctest.DocTestFinder().find(module)
        assert sum(len(test.examples) for test in tests) >= examples, name
        written += examples
    assert written > 300
    sources = Path(treewright.__file__).resolve().parent.rglob("*.py")
    assert {file.name for file in sources if file not in files} == {"__main__.py"}
