"""Nothing public is missing from the book."""

import importlib.util
import inspect
import re
from pathlib import Path

import click
import pytest

import treewright as tw
from treewright import errors
from treewright.commands.main import COMMANDS, treewright
from treewright.estimators.base import UnfittedError
from treewright.exporting.export import FORMATS
from treewright.exporting.verifying.engine import EngineMissingError, ExportFailedError
from treewright.table.intake import KINDS_OF_CONVERSIONS, KINDS_OF_FINDINGS
from treewright.tree.stop import STOP_REASONS

DOCS = Path(__file__).resolve().parents[2] / "docs"


def page(name):
    return (DOCS / name).read_text(encoding="utf-8")


def first_cells(name):
    """The first cells of all tables of a page, without code marks."""
    lines = [line for line in page(name).splitlines() if line.startswith("| ")]
    return [line.split("|")[1].strip().strip("`") for line in lines]


def test_the_reference_lists_every_public_name():
    listed = {line.strip() for line in page("reference/api.md").splitlines()}
    assert set(tw.__all__) - {"__version__"} - listed == set()


def test_every_public_name_has_an_example():
    names = set(tw.__all__) - {"__version__"}
    bare = [n for n in names if ">>>" not in (inspect.getdoc(getattr(tw, n)) or "")]
    assert bare == []


def test_every_public_name_is_used_in_the_book():
    tool = DOCS / "tools" / "used_in.py"
    spec = importlib.util.spec_from_file_location("used_in", tool)
    used_in = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(used_in)
    assert set(tw.__all__) - {"__version__"} - set(used_in.uses(DOCS)) == set()


@pytest.mark.parametrize("name", ["Tree", "TreeClassifier", "TreeRegressor"])
def test_every_method_has_an_example(name):
    methods = inspect.getmembers(getattr(tw, name), inspect.isroutine)
    ours = [
        (method, each)
        for method, each in methods
        if not method.startswith("_") and each.__module__.startswith("treewright")
    ]
    bare = [method for method, each in ours if ">>>" not in (each.__doc__ or "")]
    assert bare == []


@pytest.mark.parametrize("estimator", [tw.TreeClassifier, tw.TreeRegressor])
def test_every_parameter_has_its_names_elsewhere(estimator):
    parameters = set(inspect.signature(estimator).parameters)
    assert parameters - set(first_cells("reference/options.md")) == set()


def test_the_options_page_names_no_parameter_that_is_gone():
    known = {*inspect.signature(tw.TreeClassifier).parameters, "treewright", "---"}
    known |= set(inspect.signature(tw.TreeRegressor).parameters)
    assert [c for c in first_cells("reference/options.md") if c not in known] == []


def test_every_command_and_flag_is_in_the_reference():
    text = page("reference/command-line.md")
    for name in COMMANDS:
        assert f"## treewright {name}\n" in text
        command = treewright.get_command(click.Context(treewright), name)
        for parameter in command.params:
            for flag in parameter.opts:
                assert not flag.startswith("--") or flag in text, flag


def test_every_finding_and_conversion_has_a_line_with_its_meaning():
    lines = page("reference/findings.md").splitlines()
    for kind, words in {**KINDS_OF_FINDINGS, **KINDS_OF_CONVERSIONS}.items():
        assert any(line.startswith(f"| `{kind}` | {words} |") for line in lines), kind


def test_every_error_and_warning_has_a_line():
    classes = {
        value
        for value in vars(errors).values()
        if inspect.isclass(value) and issubclass(value, Exception)
    }
    classes |= {UnfittedError, EngineMissingError, ExportFailedError}
    listed = set(first_cells("reference/findings.md"))
    assert {each.__name__ for each in classes} - listed == set()


def test_every_stop_reason_has_a_line_with_its_sentence():
    text = page("reference/findings.md")
    for reason in STOP_REASONS:
        assert not reason.name or f"| `{reason.name}` | {reason.sentence} |" in text


def test_every_format_of_an_export_is_in_the_guide():
    text = page("guides/exports.md")
    assert [name for name in FORMATS if f'"{name}"' not in text] == []


def test_every_page_can_be_reached_from_the_front_page():
    book = {p.relative_to(DOCS).with_suffix("").as_posix() for p in DOCS.rglob("*.md")}
    reached, new = set(), {"index"}
    while new:
        name = new.pop()
        reached.add(name)
        text = page(f"{name}.md") if name in book else ""
        folder = name.rpartition("/")[0]
        for line in text.splitlines():
            entry = line.strip().rpartition("<")[2].rstrip(">")
            there = f"{folder}/{entry}" if folder else entry
            if there in book - reached:
                new.add(there)
    hidden = {n for n in book - reached if not n.startswith(("generated", "_build"))}
    assert hidden == set()


def test_every_question_is_two_clicks_from_the_front_page():
    assert "(questions.md)" in page("index.md")
    paragraphs = re.split(r"\n\s*\n", page("questions.md"))
    questions = [each for each in paragraphs if each.startswith("**")]
    assert len(questions) >= 40
    answered = re.compile(r"\?\*\*.*\]\(\S+\.md", re.S)
    assert [each for each in questions if not answered.search(each)] == []


def test_the_glossary_is_sorted():
    terms = re.findall(r"^(\S.*)\n    \S", page("reference/glossary.md"), re.M)
    by_letters = [re.sub(r"[^a-z0-9]", "", term.lower()) for term in terms]
    assert len(terms) >= 70
    assert by_letters == sorted(set(by_letters))
