"""Help: runnable examples, the page of the documentation, speed and completion."""

import importlib.util
import inspect
import json
import re
import shlex
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import click
import pytest
from click.shell_completion import BashComplete

import treewright as tw
from support.executable import EXECUTABLE
from treewright.commands.estimator_flags import ELSEWHERE, estimator_parameters
from treewright.commands.main import COMMANDS, treewright

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = re.compile(r"^ +(treewright (?:.*\\\n)*.*)$", re.MULTILINE)
HEAVY = {"numpy", "sklearn", "pandas", "pyarrow", "rich", "narwhals", "matplotlib"}


def command_of(name):
    return treewright.get_command(click.Context(treewright), name)


def options_of(name):
    group = click.Context(treewright, **treewright.context_settings)
    params = command_of(name).get_params(click.Context(command_of(name), group))
    return [each for each in params if isinstance(each, click.Option)]


def examples(name):
    text = inspect.cleandoc(command_of(name).help)
    return [each.replace("\\\n", " ") for each in EXAMPLE.findall(text)]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_example_of_the_help_runs(execute, name):
    found = examples(name)
    assert found, "the help shows no example"
    for line in found:
        line = line.partition(" | ")[0]
        done = execute(*shlex.split(line)[1:])
        assert done.returncode == 0, (line, done.stderr)
        assert done.stdout


@pytest.mark.parametrize("name", COMMANDS)
def test_help_says_what_each_option_does(name):
    assert [each.name for each in options_of(name) if not each.help] == []


@pytest.mark.parametrize("name", COMMANDS)
def test_short_help_is_not_cut(name):
    assert not command_of(name).get_short_help_str(60).endswith("...")


@pytest.mark.needs("click>=8.4")  # which breaks lines elsewhere
def test_the_page_about_the_command_line_is_that_of_the_help():
    path = ROOT / "docs" / "tools" / "write_command_line.py"
    spec = importlib.util.spec_from_file_location("write_command_line", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    message = "docs/reference/command-line.md is out of date: run 'make docs'"
    assert module.PAGE.read_text(encoding="utf-8") == module.page(), message


def test_the_page_names_every_command_and_option():
    page = (ROOT / "docs" / "reference" / "command-line.md").read_text(encoding="utf-8")
    for name in COMMANDS:
        section = page.partition(f"## treewright {name}\n")[2].partition("\n## ")[0]
        assert [
            each.opts for each in options_of(name) if each.opts[-1] not in section
        ] == []


# --- flags of the estimators ---------------------------------------------------------


def test_every_parameter_of_the_estimators_is_a_flag():
    flags = {each.name for each in options_of("grow")}
    for estimator in (tw.TreeClassifier, tw.TreeRegressor):
        names = set(inspect.signature(estimator).parameters)
        assert names - flags - set(ELSEWHERE) == set()


def test_what_is_read_from_the_source_is_what_the_estimators_have():
    found = {each.name: each for each in estimator_parameters()}
    for task, estimator in (
        ("class", tw.TreeClassifier),
        ("number", tw.TreeRegressor),
    ):
        own = inspect.signature(estimator).parameters
        assert {n for n, each in found.items() if task in each.tasks} == set(own)
        for name, parameter in own.items():
            assert found[name].default == parameter.default
            assert found[name].description


@pytest.mark.parametrize(
    ("flag", "text", "value"),
    [
        ("max_depth", "3", 3),
        ("min_samples_leaf", "0.05", 0.05),
        ("prune", "none", None),
        ("max_features", "sqrt", "sqrt"),
        ("class_weight", "yes=5,no=1", {"yes": 5, "no": 1}),
        ("class_weight", "balanced", "balanced"),
        ("costs", '{"yes": {"no": 5}}', {"yes": {"no": 5}}),
        ("discretize", '{"age": ["quantile", 5]}', {"age": ["quantile", 5]}),
    ],
)
def test_flags_become_python_values(flag, text, value):
    option = next(each for each in options_of("grow") if each.name == flag)
    found = option.type.convert(text, option, None)
    assert found == value
    assert type(found) is type(value)


# --- speed and completion ------------------------------------------------------------


def modules_after(*arguments):
    code = (
        "import json, sys\n"
        "from treewright.commands.main import main\n"
        f"main({list(arguments)!r})\n"
        "print(json.dumps(sorted({n.partition('.')[0] for n in sys.modules})))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    return set(json.loads(done.stdout.splitlines()[-1]))


@pytest.mark.parametrize("arguments", [["--help"], ["grow", "--help"]])
def test_help_imports_nothing_heavy(arguments):
    assert modules_after(*arguments) & HEAVY == set()


def processor_time(command):
    import resource

    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, capture_output=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


@pytest.mark.posix
def test_help_takes_less_than_five_times_as_long_as_its_parser():
    commands = [EXECUTABLE, "--help"], [sys.executable, "-c", "import click"]
    times = [[processor_time(each) for each in commands] for _ in range(5)]
    ours, parser = map(min, zip(*times, strict=True))
    assert ours < 5 * parser


@pytest.mark.parametrize(
    "arguments",
    [
        ["show", "penguins.tree.json"],
        ["predict", "penguins.tree.json", "penguins.csv", "--json"],
        ["check", "penguins.tree.json", "penguins.csv"],
        ["evaluate", "penguins.tree.json", "penguins.csv"],
        ["explain", "penguins.tree.json", "--data", "penguins.csv"],
    ],
    ids=lambda arguments: arguments[0],
)
def test_using_a_model_does_not_import_scikit_learn(story, monkeypatch, arguments):
    monkeypatch.chdir(story)
    assert "sklearn" not in modules_after(*arguments)


def completions(*words):
    line = list(words)
    return {
        item.value
        for item in BashComplete(
            treewright, {}, "treewright", "_TREEWRIGHT_COMPLETE"
        ).get_completions(line[:-1], line[-1])
    }


def test_the_shell_completes_commands_options_and_values():
    assert completions("pr") == {"predict", "prune"}
    assert "--min-samples-leaf" in completions("grow", "--min-")
    assert completions("grow", "--missing", "l") == {"learned"}
    assert completions("show", "m.json", "--format", "m") == {"mermaid"}


def test_a_line_with_a_misspelt_command_is_no_error_of_the_completion():
    assert completions("grwo", "--") == {"--help", "--version"}


def test_a_package_that_is_not_installed_is_named_with_its_command(run, monkeypatch):
    real = metadata.version

    def version(name):
        if name == "duckdb":
            raise metadata.PackageNotFoundError(name)
        return real(name)

    monkeypatch.setattr(metadata, "version", version)
    assert "duckdb        not installed (SQL: pip install" in run("version").stdout
    assert json.loads(run("version", "--json").stdout)["packages"]["duckdb"] is None


def test_the_version_is_an_option_too(run):
    assert run("--version").stdout == f"treewright {tw.__version__}\n"
    assert run("version").stdout.startswith(run("--version").stdout)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_executable_prints_a_completion_script(execute, shell):
    done = execute(env={"_TREEWRIGHT_COMPLETE": f"{shell}_source"})
    assert done.returncode == 0, done.stderr
    assert "_TREEWRIGHT_COMPLETE" in done.stdout
