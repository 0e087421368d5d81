"""Promises about the project as a whole: names, imports, documents."""

import ast
import importlib.metadata
import inspect
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import treewright as tw

ROOT = Path(__file__).resolve().parent.parent
SOURCES = sorted((ROOT / "src" / "treewright").rglob("*.py"))

HEAVY = ("matplotlib", "narwhals", "pandas", "polars", "pyarrow", "scipy", "sklearn")


def in_fresh_python(code):
    """Run code in a new interpreter and return what it printed."""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


# --- public names --------------------------------------------------------------------


def test_type_checkers_find_every_public_name():
    stub = (ROOT / "src" / "treewright" / "__init__.pyi").read_text(encoding="utf-8")
    names = re.findall(r" as (\w+)$", stub, re.MULTILINE)
    assert sorted(names) == sorted(tw.__all__)


def test_every_public_name_exists():
    assert [name for name in tw.__all__ if not hasattr(tw, name)] == []


def test_dir_lists_the_public_names():
    assert set(tw.__all__) <= set(dir(tw))


def test_unknown_public_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no_such_name"):
        tw.no_such_name  # noqa: B018


def test_the_version_is_that_of_the_installed_package():
    assert tw.__version__ == importlib.metadata.version("treewright")


def test_the_citation_names_the_version():
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {tw.__version__}\n" in citation


def public_things():
    """Yield (name, thing) for every public function, class and method."""
    for name in tw.__all__:
        thing = getattr(tw, name)
        if inspect.isroutine(thing) or inspect.isclass(thing):
            yield name, thing
        if not inspect.isclass(thing):
            continue
        for member, value in vars(thing).items():
            if member.startswith("_"):
                continue
            if inspect.isfunction(value) or isinstance(
                value, property | classmethod | staticmethod
            ):
                yield f"{name}.{member}", getattr(thing, member)


def test_everything_public_has_a_docstring():
    bare = [name for name, thing in public_things() if not inspect.getdoc(thing)]
    assert bare == []


# --- imports -------------------------------------------------------------------------


def test_importing_treewright_loads_no_heavy_package():
    code = "import json, sys, treewright; print(json.dumps(sorted(sys.modules)))"
    loaded = set(json.loads(in_fresh_python(code)))
    assert loaded & set(HEAVY) == set()


def test_growing_from_arrays_loads_no_data_frame_library():
    code = (
        "import json, sys, numpy, treewright as tw\n"
        "X = numpy.array([[0.0], [1.0], [2.0]])\n"
        "tw.as_table(X, numpy.array([0, 1, 1]))\n"
        "print(json.dumps(sorted(sys.modules)))"
    )
    loaded = set(json.loads(in_fresh_python(code)))
    assert loaded & {"pandas", "polars", "pyarrow", "sklearn"} == set()


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.name)
def test_source_file_explains_itself(path):
    text = path.read_text(encoding="utf-8")
    if text.strip():
        assert ast.get_docstring(ast.parse(text)), "say what the file is for"


# --- documents -----------------------------------------------------------------------

DOCUMENTS = sorted(ROOT.glob("*.md")) + sorted((ROOT / "docs").rglob("*.md"))


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_links_of_a_document_lead_to_files(path):
    text = path.read_text(encoding="utf-8")
    links = re.findall(r"\]\((?!https?:|mailto:|#)([^)#]+)", text)
    # `make docs` writes the folder docs/generated, and checks the links to it.
    links = [link for link in links if "generated/" not in link]
    assert [link for link in links if not (path.parent / link).exists()] == []


def test_make_help_names_every_target():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = re.search(r"^\.PHONY: (.*)$", makefile, re.MULTILINE).group(1).split()
    done = subprocess.run(
        ["make", "help"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    named = re.findall(r"^  make (\S+)", done.stdout, re.MULTILINE)
    assert sorted(named) == sorted(targets)


def test_every_bundled_table_names_its_source():
    data = ROOT / "src" / "treewright" / "data"
    readme = (data / "README.md").read_text(encoding="utf-8")
    tables = [path.name for path in data.glob("*.csv")]
    assert tables
    assert [name for name in tables if f"`{name}`" not in readme] == []
