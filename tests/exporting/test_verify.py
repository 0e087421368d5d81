"""verify runs a file in its own engine and finds every change to it."""

import numpy as np
import pytest

import treewright as tw
from treewright.errors import OptionError
from treewright.exporting.check_rows import check_rows
from treewright.exporting.export import FORMATS, export
from treewright.exporting.program import program_of
from treewright.exporting.verifying.engine import (
    EngineMissingError,
    ExportFailedError,
    package_called,
)
from treewright.exporting.verifying.verify import verify

RUNNABLE = [name for name in FORMATS if name != "scorecard"]  # it has its own tests


def written(tree, name, folder, **options):
    path = folder / f"tree{FORMATS[name].suffix}"
    content = export(tree, name, **options)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def verified(tree, path):
    try:
        return verify(tree, path)
    except EngineMissingError as missing:
        return pytest.skip(f"NO ENGINE: {missing}")


@pytest.mark.parametrize("name", RUNNABLE)
def test_verify_finds_no_difference_in_an_export(name, tmp_path):
    tree = penguins()
    found = verified(tree, written(tree, name, tmp_path, check_rows=False))
    assert found.ok, str(found)
    assert found.n_embedded == 0
    assert found.same_tree
    assert found.n_rows > 20
    assert "every answer is the tree's" in str(found)


@pytest.mark.parametrize("name", RUNNABLE)
def test_verify_runs_the_rows_in_the_file(name, tmp_path):
    tree = penguins()
    found = verified(tree, written(tree, name, tmp_path, check_rows=True))
    assert found.ok, str(found)
    assert found.n_embedded == len(check_rows(program_of(tree)))
    assert f"({found.n_embedded} from the file)" in str(found)


@pytest.mark.parametrize("name", ["python", "c", "sql"])
def test_verify_finds_a_changed_answer_in_the_rows_of_the_file(name, tmp_path):
    tree = penguins()
    path = written(tree, name, tmp_path, check_rows=5)
    text = path.read_text("utf-8")
    changed = text.replace('"answer": "Gentoo"', '"answer": "Adelie"', 1)
    assert changed != text
    path.write_text(changed, "utf-8")
    found = verified(tree, path)
    assert found.n_different == 1
    assert "the file says 'Adelie', the tree 'Gentoo'" in str(found)


@pytest.mark.parametrize("name", RUNNABLE)
def test_check_rows_is_a_bool_or_a_number(name):
    with pytest.raises(OptionError, match="check_rows must be True, False or"):
        export(penguins(), name, check_rows="many")


@pytest.mark.parametrize(
    "name", ["sql", "python", "javascript", "c", "java", "rust", "r"]
)
def test_embedded_rows_with_hostile_texts_stay_within_their_comment(name, tmp_path):
    texts = [
        "*/ int x;",
        "//",
        "/* y",
        "a\nb\r",
        "\\u000a",
        "-- ; DROP",
        "\u2028",
        "'\"",
        "🎄",
    ]
    X = {"a*/\nb": texts * 20, "n": range(len(texts) * 20)}
    y = [str(i % 2) for i in range(len(texts))] * 20
    tree = tw.grow(tw.as_table(X, y)).data
    found = verified(tree, written(tree, name, tmp_path, check_rows=True))
    assert found.ok, str(found)
    assert found.n_embedded > 5


@pytest.mark.parametrize("form", ["case", "select", "view"])
@pytest.mark.parametrize("dialect", ["duckdb", "sqlite"])
def test_verify_runs_every_form_of_sql(form, dialect, tmp_path):
    tree = penguins()
    more = {} if form == "case" else {"table": "my rows", "probabilities": True}
    text = export(tree, "sql", dialect=dialect, form=form, **more)
    (tmp_path / "tree.sql").write_text(text, "utf-8")
    assert verify(tree, tmp_path / "tree.sql").ok


def test_a_row_that_differs_twice_counts_once(tmp_path):
    tree = penguins()
    path = written(tree, "python", tmp_path, check_rows=True)
    text = path.read_text("utf-8")
    path.write_text(text.replace("Gentoo", "Geentoo"), "utf-8")
    found = verify(tree, path)
    assert found.n_different == check_rows(program_of(tree)).answers.count("Gentoo") > 0
    assert f"{found.n_different} of {found.n_rows} rows" in str(found)
    assert len(found.differences) > 1


def test_verify_finds_a_changed_threshold(tmp_path):
    tree = penguins()
    text = export(tree, "python")
    bound = str(tree.threshold[0])
    assert bound in text
    (tmp_path / "tree.py").write_text(text.replace(bound, "207.5"), "utf-8")
    found = verify(tree, tmp_path / "tree.py")
    assert not found.ok
    assert "python says" in str(found)


def test_verify_knows_that_a_file_belongs_to_another_tree(tmp_path):
    (tmp_path / "tree.py").write_text(export(penguins(max_depth=1), "python"), "utf-8")
    found = verify(penguins(), tmp_path / "tree.py")
    assert found.same_tree is False
    assert not found.ok


def test_verify_refuses_a_file_of_unknown_origin(tmp_path):
    (tmp_path / "notes.txt").write_text("hello")
    with pytest.raises(OptionError, match="was not written by"):
        verify(penguins(), tmp_path / "notes.txt")


def test_sql_of_a_server_is_not_run_here(tmp_path):
    text = export(penguins(), "sql", dialect="snowflake")
    (tmp_path / "tree.sql").write_text(text)
    with pytest.raises(EngineMissingError, match="needs a server"):
        verify(penguins(), tmp_path / "tree.sql")


def test_a_launcher_without_its_compiler_counts_as_not_installed(tmp_path, monkeypatch):
    launcher = tmp_path / "rustc"
    launcher.write_text("#!/bin/sh\necho 'no default toolchain' >&2\nexit 1\n")
    launcher.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    with pytest.raises(EngineMissingError, match="'rustc' is not installed"):
        verify(penguins(), written(penguins(), "rust", tmp_path))


def test_a_module_that_is_missing_is_named_by_its_package():
    with pytest.raises(EngineMissingError, match=r"pip install no_such_package\.$"):
        package_called("no_such_package.sql", "The engine")


def penguins(**options):
    from importlib.resources import files

    import pandas as pd

    table = pd.read_csv(files("treewright") / "data" / "penguins.csv")
    X, y = table.drop(columns="species"), table["species"]
    return tw.TreeClassifier(**options).fit(X, y).tree_.data


# -- files that are damaged, edited or of another tree ---------------------------------


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("share", [0.3, 0.9])
def test_a_file_that_was_cut_short_is_refused_in_a_sentence(name, share, tmp_path):
    tree = probable()
    options = {"good": "yes"} if name == "scorecard" else {}
    path = written(tree, name, tmp_path, check_rows=True, **options)
    content = path.read_bytes()
    path.write_bytes(content[: int(len(content) * share)])
    failed, said = outcome(tree, path)
    if failed:
        assert "xport the tree again" in said or "ended with code" in said, said
    else:
        assert "have another answer" in said or share == 0.9, said


@pytest.mark.parametrize("name", FORMATS)
def test_a_file_of_a_tree_with_other_columns_is_named_as_such(name, tmp_path):
    tree = probable()
    options = {"good": "yes"} if name == "scorecard" else {}
    path = written(tree, name, tmp_path, check_rows=5, **options)
    other = tw.TreeClassifier(shrinkage=3).fit({"a": [0, 1] * 9}, ["n", "y"] * 9)
    failed, said = outcome(other.tree_.data, path)
    if failed:
        assert "It was written from another tree: export the tree again." in said
    else:
        assert "have another answer" in said


def outcome(tree, path):
    """Whether a file could not be read or run, and what verify says about it."""
    try:
        return False, str(verified(tree, path))
    except (ExportFailedError, OptionError) as problem:
        return True, str(problem)


def probable():
    """A tree of two classes whose leaves have both."""
    rng = np.random.default_rng(3)
    X = {"x": rng.normal(size=300).round(2), "kind": rng.choice(list("abc"), 300)}
    y = np.where(X["x"] + (X["kind"] == "a") + rng.normal(size=300) > 0, "yes", "no")
    return tw.TreeClassifier(shrinkage=5, prune=None, max_depth=3).fit(X, y).tree_.data


def test_truth_values_may_be_missing_in_pmml(tmp_path):
    X = {"b": [True, False] * 50 + [True] * 30}
    y = ["y", "n"] * 50 + ["y"] * 30
    tree = tw.TreeClassifier(prune=None, findings="ignore").fit(X, y).tree_.data
    found = verified(tree, written(tree, "pmml", tmp_path))
    assert found.ok, str(found)


def test_a_file_without_its_heading_is_known_by_its_ending(tmp_path):
    path = written(penguins(), "python", tmp_path)
    lines = path.read_text("utf-8").splitlines(keepends=True)
    path.write_text("".join(x for x in lines if "treewright export" not in x), "utf-8")
    found = verified(penguins(), path)
    assert found.ok
    assert found.same_tree is None


@pytest.mark.parametrize(
    ("format", "end"),
    [
        ("pythn", r"got 'pythn'\. Did you mean 'python'\?"),
        (3, r"got 3\."),
        (["c"], r"got \['c'\]\."),
    ],
)
def test_an_unknown_format_is_refused_with_the_nearest(format, end):
    with pytest.raises(OptionError, match=rf"one of 'sql', .* 'scorecard'; {end}"):
        export(penguins(max_depth=1), format)
