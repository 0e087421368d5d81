"""`verify`: run an exported file in its own engine and compare it with the tree."""

from __future__ import annotations

import re
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from treewright.errors import OptionError, TreewrightError
from treewright.exporting.check_rows import CheckRows, Value, answered, check_rows
from treewright.exporting.embedded_rows import rows_in
from treewright.exporting.export import FORMATS, MARK
from treewright.exporting.program import Program, program_of
from treewright.exporting.scorecard import Scorecard
from treewright.exporting.sql import class_column
from treewright.exporting.verifying.code_engines import CODE_ENGINES
from treewright.exporting.verifying.engine import (
    Answers,
    EngineMissingError,
    ExportFailedError,
)
from treewright.exporting.verifying.onnx_engine import run_onnx
from treewright.exporting.verifying.pmml_engine import pmml_rows, run_pmml
from treewright.exporting.verifying.scorecard_engine import (
    card_of,
    run_scorecard,
    text_of_scorecard,
)
from treewright.exporting.verifying.sql_engines import ROW, SQL_ENGINES, Database
from treewright.exporting.verifying.xlsx_engine import (
    run_xlsx,
    short_rows,
    text_of_xlsx,
)
from treewright.tree.data import TreeData

__all__ = ["Verification", "differing_rows", "verify"]

_MOST_ROWS = defaultdict(
    lambda: 20_000, pmml=2_000, xlsx=2_000, scorecard=2_000
)  # by format
# Spreadsheets calculate with 15 digits; a scorecard has odds, not both probabilities.
_CLOSE_IN = {"xlsx": 1e-14, "scorecard": 1e-14}
_MOST_SHOWN = 5
_MOST_SAID = 300  # characters of an error of an engine
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
    n_embedded : int
        How many of them stand in the file itself.
    differences : tuple of str
        The first rows with another answer than the tree's; empty: none.
    n_different : int
        Number of such rows.
    same_tree : bool or None
        Whether the file says that it was written from this tree; None: it says nothing.
    """

    engine: str
    n_rows: int
    n_embedded: int = 0
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
            inside = f" ({self.n_embedded:,} from the file)" * bool(self.n_embedded)
            rows = f"{self.n_rows:,} rows{inside} in {self.engine}"
            return f"{rows}: every answer is the tree's."
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
    path = Path(path)
    with _explained(f"{path.name} cannot be read", "It is damaged"):
        file = _read(path)
    mark = file.facts.get("tree")
    same_tree = None if mark is None else tree.fingerprint.startswith(mark)
    fault = "It is damaged or was edited"
    if same_tree is False:
        fault = "It was written from another tree"
    with _explained(f"{path.name} cannot be run", fault, other_tree=same_tree is False):
        return replace(_compared(tree, file), same_tree=same_tree)


@contextmanager
def _explained(what: str, fault: str, other_tree: bool = False) -> Iterator[None]:
    """Say what is wrong with a file for which an engine, or a reader, has an error.

    Engines raise errors of any type. Ours are already worded, unless the file belongs
    to another tree, about which they do not know.
    """
    try:
        yield
    except (EngineMissingError, OSError, MemoryError):
        raise
    except Exception as problem:
        if isinstance(problem, TreewrightError) and not other_tree:
            raise
        said = " ".join(str(problem).split())[:_MOST_SAID]
        raise ExportFailedError(
            f"{what} ({type(problem).__name__}: {said}). {fault}: "
            "export the tree again."
        ) from problem


def _compared(tree: TreeData, file: _File) -> Verification:
    """Run a file and compare its answers."""
    program = program_of(tree)
    card = card_of(program, file.facts) if file.format == "scorecard" else None
    stated = _stated(program, file)
    own = check_rows(program, _MOST_ROWS[file.format]).rows
    rows = list(dict.fromkeys([*([] if stated is None else stated.rows), *own]))
    engine, found, rows = _run(program, file, rows, card)
    expected = _expected(program, rows, card)
    close = _CLOSE_IN.get(file.format, 0.0)
    wrong = differing_rows(program, expected, found, close) if rows else []
    shown = [_described(program, expected, found, i, engine) for i in wrong]
    other = {rows[i] for i in wrong}
    if stated is not None:
        misstated = _misstated(program, stated, card)
        shown += misstated.values()
        other |= misstated.keys()
    return Verification(
        engine=engine,
        n_rows=len(rows),
        n_embedded=0 if stated is None else min(len(stated), len(rows)),
        differences=tuple(shown[:_MOST_SHOWN]),
        n_different=len(other),
        same_tree=None,
    )


def _expected(
    program: Program, rows: list[tuple[Value, ...]], card: Scorecard | None
) -> CheckRows:
    """Return rows with the answers of the tree, or with the points of a scorecard."""
    found = answered(program, rows)
    return found if card is None else card.points_of(found)


@dataclass(frozen=True)
class _File:
    """An exported file: its content, its readable text, and what its heading says."""

    content: bytes
    text: str
    facts: dict[str, str]

    @property
    def format(self) -> str:
        return self.facts["format"]


def _read(path: Path) -> _File:
    content = path.read_bytes()
    if path.suffix == ".xlsx":
        text = text_of_xlsx(content)
    else:
        text = content.decode("utf-8", "replace")
    facts = _head(text, path)
    if facts["format"] == "scorecard":
        text = text_of_scorecard(text)
    return _File(content, text, facts)


def _stated(program: Program, file: _File) -> CheckRows | None:
    """Return the rows in a file, with the answers that it states; None: no rows."""
    if file.format == "pmml":
        found = pmml_rows(program, file.text)
    else:
        found = rows_in(file.text)
    n = len(program.variables)
    if found is None or any(len(row) != n for row in found.rows):
        return None  # those of another tree are of no use
    return found


def _misstated(
    program: Program, stated: CheckRows, card: Scorecard | None
) -> dict[tuple[Value, ...], str]:
    """Describe each row for which a file states another answer than the tree's."""
    expected = _expected(program, stated.rows, card)
    leaves = stated.nodes if stated.nodes and not program.divides_rows else None
    shares = stated.probabilities.tolist() if stated.probabilities.size else None
    answers = Answers(leaves, stated.answers, shares)
    wrong = differing_rows(program, expected, answers)
    return {
        stated.rows[i]: _described(program, expected, answers, i, "the file")
        for i in wrong
    }


def _run(
    program: Program,
    file: _File,
    rows: list[tuple[Value, ...]],
    card: Scorecard | None,
) -> tuple[str, Answers, list[tuple[Value, ...]]]:
    """Return the engine, its answers, and the rows that it can be given."""
    if file.format == "sql":
        return *_run_sql(program, file.text, file.facts, rows), rows
    if file.format == "onnx":
        return "ONNX Runtime", run_onnx(program, file.content, rows), rows
    if file.format == "pmml":
        return "PMML4S", run_pmml(program, file.text, rows), rows
    if file.format == "xlsx":
        rows = short_rows(program, rows)
        return "LibreOffice", run_xlsx(program, file.content, rows), rows
    if card is not None:
        table = file.content.decode("utf-8", "replace")
        return "the table", run_scorecard(program, card, table, rows), rows
    with tempfile.TemporaryDirectory() as folder:
        run = CODE_ENGINES[file.format]
        return file.format, run(program, file.text, rows, Path(folder)), rows


def _head(source: str, path: Path) -> dict[str, str]:
    """Return what the first line that names treewright says about the file."""
    found = re.search(rf"{MARK} ((?:[a-z]+=[\w.]+ )*tree=[0-9a-f]{{16}})", source)
    if found:
        facts = dict(part.split("=", 1) for part in found.group(1).split())
        if facts.get("format") in FORMATS:
            return facts
        raise OptionError(
            f"{path.name} says that its format is {facts.get('format')!r}, which this "
            "version of treewright does not write. Export the tree again."
        )
    by_suffix = {format.suffix: name for name, format in FORMATS.items()}
    if path.suffix in by_suffix and path.suffix != ".csv":
        return {"format": by_suffix[path.suffix]}
    raise OptionError(
        f"{path.name} was not written by Tree.export: it has no line '{MARK} ...'."
    )


def _run_sql(
    program: Program,
    source: str,
    head: dict[str, str],
    rows: list[tuple[Value, ...]],
) -> tuple[str, Answers]:
    dialect, form = head.get("dialect", "ansi"), head.get("form", "case")
    if dialect not in SQL_ENGINES:
        raise EngineMissingError(
            f"SQL of the dialect {dialect!r} needs a server, which verify does not "
            "start. Export with dialect='duckdb' or 'sqlite' to verify the tree here, "
            "or run the file where it is used."
        )
    table = "rows_" if form == "case" else bytes.fromhex(head["table"]).decode()
    with closing(SQL_ENGINES[dialect].open()) as database:
        database.fill(program, table, rows)
        found = database.answers(_select_of(source, form, database, table))
    prefix = bytes.fromhex(head.get("prefix", "")).decode()
    classes, leaf = program.classes, f"{prefix}leaf"
    names = [class_column(database.dialect, label, prefix) for label in classes]
    wide = bool(names) and names[0] in found[0]
    return dialect, Answers(
        [row[leaf] for row in found] if leaf in found[0] else None,
        [row[f"{prefix}prediction"] for row in found],
        [[row[name] for name in names] for row in found] if wide else None,
    )


def _select_of(source: str, form: str, database: Database, table: str) -> str:
    statement = source.strip().rstrip(";")
    if form == "case":
        return f"SELECT {ROW}, ({statement}\n) AS prediction FROM {table}"
    if form == "view":
        database.create_view(statement)
        name = re.search(r"CREATE VIEW (.+?) AS\n", statement, re.DOTALL)
        assert name is not None
        return f"SELECT * FROM {name.group(1)}"
    return statement


def differing_rows(
    program: Program, rows: CheckRows, found: Answers, close: float = 0.0
) -> list[int]:
    """Return the places of the rows whose answers differ by more than `close`."""
    close = max(close, _CLOSE if program.divides_rows else 0.0)
    wrong: set[int] = set()
    if found.leaves is not None and not program.divides_rows:
        wrong |= _where(np.array(found.leaves) != np.array(rows.nodes))
    if found.probabilities is not None:
        gaps = np.abs(np.array(found.probabilities, float) - rows.probabilities)
        wrong |= _where(~(gaps.max(axis=1) <= close))
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


def _described(
    program: Program, rows: CheckRows, found: Answers, row: int, by: str
) -> str:
    pairs = zip(program.variables, rows.rows[row], strict=True)
    values = ", ".join(f"{variable.name}={value!r}" for variable, value in pairs)
    answer, expected = found.answers[row], rows.answers[row]
    leaf = None if found.leaves is None else found.leaves[row]
    if answer is None:
        said = f"{by} has no answer, the tree says {expected!r}"
    elif answer != expected:
        said = f"{by} says {answer!r}, the tree {expected!r}"
    elif leaf is not None and leaf != rows.nodes[row]:
        said = f"{by} says leaf {leaf}, the tree ends in leaf {rows.nodes[row]}"
    else:
        said = f"{by} says other probabilities than the tree"
    return f"{values or 'any row'}: {said}"
