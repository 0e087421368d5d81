"""verify runs a file in its own engine and finds every change to it."""

import pytest

import treewright as tw
from treewright.errors import OptionError
from treewright.exporting.export import FORMATS, export
from treewright.exporting.verifying.engine import EngineMissingError
from treewright.exporting.verifying.verify import verify


@pytest.mark.parametrize("name", [name for name in FORMATS if name != "pmml"])
def test_verify_finds_no_difference_in_an_export(name, tmp_path):
    tree = penguins()
    path = tmp_path / f"tree{FORMATS[name].suffix}"
    options = {"dialect": "sqlite"} if name == "sql" else {}
    written = export(tree, name, **options)
    path.write_bytes(written if isinstance(written, bytes) else written.encode())
    try:
        found = verify(tree, path)
    except EngineMissingError as missing:
        pytest.skip(f"NO ENGINE: {missing}")
    assert found.ok, str(found)
    assert found.same_tree
    assert found.n_rows > 20
    assert "every answer is the tree's" in str(found)


@pytest.mark.parametrize("form", ["case", "select", "view"])
@pytest.mark.parametrize("dialect", ["duckdb", "sqlite"])
def test_verify_runs_every_form_of_sql(form, dialect, tmp_path):
    tree = penguins()
    more = {} if form == "case" else {"table": "my rows", "probabilities": True}
    text = export(tree, "sql", dialect=dialect, form=form, **more)
    (tmp_path / "tree.sql").write_text(text, "utf-8")
    assert verify(tree, tmp_path / "tree.sql").ok


def test_verify_finds_a_changed_threshold(tmp_path):
    tree = penguins()
    text = export(tree, "python")
    bound = str(tree.threshold[0])
    assert bound in text
    (tmp_path / "tree.py").write_text(text.replace(bound, "207.5"), "utf-8")
    found = verify(tree, tmp_path / "tree.py")
    assert not found.ok
    assert "the tree answers" in str(found)


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


def penguins(**options):
    from importlib.resources import files

    import pandas as pd

    table = pd.read_csv(files("treewright") / "data" / "penguins.csv")
    X, y = table.drop(columns="species"), table["species"]
    return tw.TreeClassifier(**options).fit(X, y).tree_.data
