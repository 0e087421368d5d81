"""LibreOffice: fill rows into an exported workbook, calculate it, read the answers."""

from __future__ import annotations

import io
import math
import tempfile
from collections.abc import Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR
from pathlib import Path
from typing import Any

from treewright.exporting.check_rows import Value
from treewright.exporting.program import Program
from treewright.exporting.verifying.engine import (
    Answers,
    package_called,
    program_called,
    run,
)
from treewright.exporting.xlsx import (
    CHECK,
    FIRST_ROW,
    LARGEST,
    SCORE,
    cell_value,
    short,
)

__all__ = ["run_xlsx", "short_rows", "text_of_xlsx"]


def short_rows(
    program: Program, rows: Sequence[tuple[Value, ...]]
) -> list[tuple[Value, ...]]:
    """Return the rows that can be typed: of at most 15 digits, and not empty.

    A row with longer numbers, or with times within a millisecond, becomes two, with the
    values below and above them that a cell keeps.
    """
    types = [variable.type for variable in program.variables]
    found = [
        tuple(_kept(*each, rounding) for each in zip(types, row, strict=True))
        for row in rows
        for rounding in (ROUND_FLOOR, ROUND_CEILING)
    ]
    typed = [row for row in found if any(x is not None for x in row)]
    return list(dict.fromkeys(typed))


def _kept(type: str, x: Value, rounding: str) -> Value:
    """Return what a cell keeps of a value."""
    if not isinstance(x, float):
        return x
    if type == "number":
        return short(min(max(x, -LARGEST), LARGEST), rounding)
    if type in ("datetime", "time", "duration"):
        rounded = math.floor if rounding == ROUND_FLOOR else math.ceil
        return rounded(x / 1000) * 1000.0
    return x


def text_of_xlsx(content: bytes) -> str:
    """Return the description of a workbook and its rows with expected answers."""
    openpyxl = package_called("openpyxl", "openpyxl")
    book = openpyxl.load_workbook(io.BytesIO(content), read_only=True)
    rows = book[CHECK].iter_rows(values_only=True) if CHECK in book.sheetnames else ()
    lines = [book.properties.description or "", *(str(row[0]) for row in rows)]
    return "\n".join(lines)


def run_xlsx(
    program: Program, content: bytes, rows: Sequence[tuple[Value, ...]]
) -> Answers:
    """Calculate a workbook in LibreOffice.

    Parameters
    ----------
    program : Program
        The program that was exported.
    content : bytes
        The workbook.
    rows : sequence of tuple
        One value per variable.

    Returns
    -------
    Answers
    """
    openpyxl = package_called("openpyxl", "openpyxl")
    office = program_called("soffice", "libreoffice")
    book = openpyxl.load_workbook(io.BytesIO(content))
    _fill(openpyxl, book, program, rows)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        book.save(folder / "tree.xlsx")
        profile = f"-env:UserInstallation={(folder / 'profile').as_uri()}"
        out = folder / "out"
        run(
            office,
            profile,
            "--headless",
            "--convert-to",
            "xlsx",
            "--outdir",
            out,
            folder / "tree.xlsx",
        )
        done = openpyxl.load_workbook(out / "tree.xlsx", data_only=True)[SCORE]
    n, k = len(program.variables), len(program.classes)
    found = [
        [done.cell(FIRST_ROW + i, n + 1 + j).value for j in range(k + 2)]
        for i in range(len(rows))
    ]
    shares = [row[1:-1] for row in found] if k else None
    return Answers([row[-1] for row in found], [row[0] for row in found], shares)


def _fill(
    openpyxl: Any, book: Any, program: Program, rows: Sequence[tuple[Value, ...]]
) -> None:
    """Write rows into the sheet, with the formulas of its first row in each."""
    translator = openpyxl.formula.translate.Translator
    n = len(program.variables)
    formulas = [
        (sheet, cell.column, cell.coordinate, cell.value)
        for sheet in (book[SCORE], book["Work"])
        for cell in sheet[FIRST_ROW]
        if cell.value is not None and not (sheet.title == SCORE and cell.column <= n)
    ]
    for i, row in enumerate(rows):
        at = FIRST_ROW + i
        for variable in program.variables:
            cell = book[SCORE].cell(at, variable.place + 1)
            cell.value = cell_value(variable, row[variable.place])
            if isinstance(cell.value, str):
                cell.data_type = "s"
        for sheet, column, origin, formula in formulas:
            cell = sheet.cell(at, column)
            cell.value = formula
            if isinstance(formula, str):
                moved = translator(formula, origin)
                cell.value = moved.translate_formula(cell.coordinate)
