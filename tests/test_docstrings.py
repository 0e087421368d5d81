"""Every example in a docstring runs and prints its stated output."""

import doctest
import importlib
import pkgutil

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


def test_there_are_examples():
    found = [
        test
        for name in MODULES
        for test in doctest.DocTestFinder().find(importlib.import_module(name))
        if test.examples
    ]
    assert len(found) > 20
