"""`verify`: run an exported file in its own engine and compare it with the tree."""

from __future__ import annotations

import re
import tempfile
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from treewright.errors import OptionError
from treewright.exporting.check_rows import CheckRows, check_rows
from treewright.exporting.export import FORMATS, MARK
from treewright.exporting.program import Program, program_of
from treewright.exporting.sql import class_column
from treewright.exporting.verifying.code_engines import CODE_ENGINES
from treewright.exporting.verifying.engine import Answers, EngineMissingError
from treewright.exporting.verifying.onnx_engine import run_onnx
from treewright.exporting.verifying.sql_engines import ROW, SQL_ENGINES, Database
from treewright.tree.data import TreeData

__all__ = ["Verification", "verify"]

_MOST_ROWS = 20_000
_MOST_SHOWN = 5
_CLOSE = 1e-12  # for trees that divide rows, whose shares are added up


@dataclass(frozen=True)
class Verification:
    """The result of running an export.

    Attributes
    ----------
    engine : str
        What ran it.
    n_rows : int
        Number of rows compared.
    differences : tuple of str
        The first rows with another answer than the tree's; empty: none.
    n_different : int
        Number of such rows.
    same_tree : bool or None
        Whether the file says that it was written from this tree; None: it says nothing.
    """

    engine: str
    n_rows: int
    differences: tuple[str, ...] = ()
    n_different: int = 0
    same_tree: bool | None = None

    @property
    def ok(self) -> bool:
        """Whether every answer is the tree's."""
        return self.n_different == 0

    def __str__(self) -> str:
        """One sentence, and the first differences."""
        if self.ok:
            return f"{self.n_rows:,} rows in {self.engine}: every answer is the tree's."
        head = (
            f"{self.n_different:,} of {self.n_rows:,} rows have another answer in "
            f"{self.engine}:"
        )
        return "\n".join([head, *(f"  {line}" for line in self.differences)])


def verify(tree: TreeData, path: str | PathLike[str]) -> Verification:
    """Run an exported file in its own engine and compare its answers with the tree's.

    Parameters
    ----------
    tree : TreeData
        The tree.
    path : path
        The file that `Tree.export` wrote.

    Returns
    -------
    Verification

    Raises
    ------
    EngineMissingError
        When the engine is not installed here.
    ExportFailedError
        When the file does not compile or run.
    """
    content = Path(path).read_bytes()
    source = content.decode("utf-8", "replace")
    head = _head(source, Path(path))
    program = program_of(tree)
    rows = check_rows(program, _MOST_ROWS)
    same = None if "tree" not in head else tree.fingerprint.startswith(head["tree"])
    if head["format"] == "sql":
        engine, answers = _run_sql(program, source, head, rows)
    elif head["format"] == "onnx":
        engine, answers = "ONNX Runtime", run_onnx(program, content, rows.rows)
    elif head["format"] not in CODE_ENGINES:
        raise EngineMissingError(
            f"verify runs no {head['format']} engine. Run the file where it is used; "
            "it carries rows with the expected answers."
        )
    else:
        engine = head["format"]
        with tempfile.TemporaryDirectory() as folder:
            run = CODE_ENGINES[engine]
            answers = run(program, source, rows.rows, Path(folder))
    wrong = _differences(program, rows, answers)
    shown = tuple(_described(program, rows, answers, i) for i in wrong[:_MOST_SHOWN])
    return Verification(engine, len(rows), shown, len(wrong), same)


def _head(source: str, path: Path) -> dict[str, str]:
    """Return what the first line that names treewright says about the file."""
    found = re.search(rf"{MARK} ((?:[a-z]+=[\w.]+ )*tree=[0-9a-f]{{16}})", source)
    if found:
        pairs = (part.split("=", 1) for part in found.group(1).split())
        return {name: value for name, value in pairs}
    by_suffix = {format.suffix: name for name, format in FORMATS.items()}
    if path.suffix in by_suffix:
        return {"format": by_suffix[path.suffix]}
    raise OptionError(
        f"{path.name} was not written by Tree.export: it has no line '{MARK} ...'."
    )


def _run_sql(
    program: Program, source: str, head: dict[str, str], rows: CheckRows
) -> tuple[str, Answers]:
    dialect, form = head.get("dialect", "ansi"), head.get("form", "case")
    if dialect not in SQL_ENGINES:
        raise EngineMissingError(
            f"SQL of the dialect {dialect!r} needs a server, which verify does not "
            "start. Export with dialect='duckdb' or 'sqlite' to verify the tree here, "
            "or run the file where it is used."
        )
    database = SQL_ENGINES[dialect].open()
    table = "rows_" if form == "case" else bytes.fromhex(head["table"]).decode()
    database.fill(program, table, rows.rows)
    found = database.answers(_select_of(source, form, database, table))
    names = [class_column(database.dialect, label) for label in program.classes]
    wide = bool(names) and names[0] in found[0]
    return dialect, Answers(
        [row["leaf"] for row in found] if "leaf" in found[0] else None,
        [row["prediction"] for row in found],
        [[row[name] for name in names] for row in found] if wide else None,
    )


def _select_of(source: str, form: str, database: Database, table: str) -> str:
    statement = source.strip().rstrip(";")
    if form == "case":
        return f'SELECT {ROW}, ({statement}\n) AS prediction FROM "{table}"'
    if form == "view":
        database.connection.cursor().execute(statement)
        name = re.search(r"CREATE VIEW (.+) AS\n", statement)
        assert name is not None
        return f"SELECT * FROM {name.group(1)}"
    return statement


def _differences(program: Program, rows: CheckRows, found: Answers) -> list[int]:
    """Return the places of the rows whose answers differ."""
    close = _CLOSE if program.divides_rows else 0.0
    wrong: set[int] = set()
    if found.leaves is not None and not program.divides_rows:
        wrong |= _where(np.array(found.leaves) != np.array(rows.nodes))
    if found.probabilities is not None:
        gaps = np.abs(np.array(found.probabilities, float) - rows.probabilities)
        wrong |= _where(gaps.max(axis=1) > close)
    if not program.is_classifier:
        expected = np.array(rows.answers, float)
        gaps = np.abs(np.array(found.answers, float) - expected)
        wrong |= _where(~(gaps <= close * np.abs(expected)))
    elif not program.divides_rows or found.probabilities is None:
        pairs = zip(found.answers, rows.answers, strict=True)
        wrong |= {i for i, (a, b) in enumerate(pairs) if a != b}
    return sorted(wrong)


def _where(flags: Any) -> set[int]:
    return set(np.flatnonzero(flags).tolist())


def _described(program: Program, rows: CheckRows, found: Answers, row: int) -> str:
    pairs = zip(program.variables, rows.rows[row], strict=True)
    values = ", ".join(f"{variable.name}={value!r}" for variable, value in pairs)
    return f"{values}: {found.answers[row]!r}, the tree answers {rows.answers[row]!r}"
