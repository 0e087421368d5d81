"""Every engine that runs an export, by name, as a function of program and rows."""

import tempfile
from functools import partial
from pathlib import Path

from support.databases import SERVERS
from treewright.exporting.export import export
from treewright.exporting.sql import class_column
from treewright.exporting.verifying.code_engines import CODE_ENGINES
from treewright.exporting.verifying.engine import Answers
from treewright.exporting.verifying.onnx_engine import run_onnx
from treewright.exporting.verifying.pmml_engine import run_pmml
from treewright.exporting.verifying.xlsx_engine import run_xlsx, short_rows

MOST_TYPED = 2_000  # rows that LibreOffice calculates


def run_sql(connect, engine, program, rows):
    """Run exported SQL with the leaf and every probability."""
    database, classes = connect(engine), program.classes
    divided = program.divides_rows
    options = {"leaf": not divided, "probabilities": bool(classes)}
    sql = export(
        program.tree, "sql", dialect=engine.dialect, table="rows_", **options
    ).rstrip(";\n")
    database.fill(program, "rows_", rows)
    found = database.answers(sql)
    names = [class_column(engine.dialect, label) for label in classes]
    answers = [row["prediction"] for row in found]
    return Answers(
        None if divided else [row["leaf"] for row in found],
        answers,
        [[row[name] for name in names] for row in found] if names else None,
    )


def run_code(language, program, rows):
    """Compile or interpret generated code."""
    with tempfile.TemporaryDirectory() as folder:
        source = export(program.tree, language)
        return CODE_ENGINES[language](program, source, rows, Path(folder))


def run_model(format, run, program, rows):
    """Run a model document."""
    return run(program, export(program.tree, format), rows)


def engines(connect):
    """Return every engine by name; `connect` is what `opened_once` gives."""
    found = {engine.__name__: partial(run_sql, connect, engine) for engine in SERVERS}
    found |= {language: partial(run_code, language) for language in CODE_ENGINES}
    found["ONNX Runtime"] = partial(run_model, "onnx", run_onnx)
    found["PMML4S"] = partial(run_model, "pmml", run_pmml)
    found["LibreOffice"] = partial(run_model, "xlsx", run_xlsx)
    return found


def rows_for(engine, program, rows):
    """Return the rows to give an engine: spreadsheets get few, of at most 15 digits."""
    if engine != "LibreOffice":
        return rows
    every = max(1, 2 * len(rows) // MOST_TYPED)  # a row becomes up to two
    return short_rows(program, rows[::every])[:MOST_TYPED]
