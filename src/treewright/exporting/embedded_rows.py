"""Rows with expected answers inside an exported file, which `verify` reads back.

Each row is one line of JSON behind `SIGN`, in a comment of the format or in its
metadata. The line is ASCII and has no ``*`` and no ``//``, so it neither begins nor
ends a comment.
"""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np

from treewright.errors import OptionError
from treewright.exporting.check_rows import CheckRows, check_rows
from treewright.exporting.program import Program

__all__ = ["SIGN", "chosen_rows", "embedded_lines", "embedded_rows", "rows_in"]

SIGN = "check row:"
"""Begins the line of a row."""
_START = re.compile(rf"{SIGN} (?=\{{)")


def chosen_rows(program: Program, wanted: bool | int) -> CheckRows | None:
    """Return the rows to embed.

    Parameters
    ----------
    program : Program
        The program.
    wanted : bool or int
        Whether to embed rows, or how many at most.

    Returns
    -------
    CheckRows or None
        None if no rows are wanted.
    """
    is_number = isinstance(wanted, int) and not isinstance(wanted, bool)
    if not isinstance(wanted, bool) and not (is_number and wanted >= 0):
        raise OptionError(
            "check_rows must be True, False or the largest number of rows; got "
            f"{wanted!r}."
        )
    if not wanted:
        return None
    return check_rows(program, wanted if is_number else None)


def embedded_rows(program: Program, rows: CheckRows) -> list[str]:
    """Return one line of JSON for each row.

    Parameters
    ----------
    program : Program
        The program.
    rows : CheckRows
        The rows.

    Returns
    -------
    list of str
    """
    lines = []
    for i, row in enumerate(rows.rows):
        record: dict[str, Any] = {"values": list(row)}
        if not program.divides_rows:
            record["leaf"] = rows.nodes[i]
        record["answer"] = rows.answers[i]
        if program.is_classifier:
            record["probabilities"] = rows.probabilities[i].tolist()
        written = json.dumps(record).replace("/", r"\/").replace("*", r"\u002a")
        lines.append(written)
    return lines


def embedded_lines(program: Program, wanted: bool | int) -> list[str]:
    """Return the lines of a comment: what the rows are, then the rows.

    Parameters
    ----------
    program : Program
        The program.
    wanted : bool or int
        As for `chosen_rows`.

    Returns
    -------
    list of str
        Empty if no rows are wanted.
    """
    rows = chosen_rows(program, wanted)
    if rows is None:
        return []
    return [
        "Rows to check this file with: the values of the columns above (null is",
        "missing), and the answer of the tree. 'treewright verify' runs them.",
        *(f"{SIGN} {line}" for line in embedded_rows(program, rows)),
    ]


def rows_in(source: str) -> CheckRows | None:
    """Return the rows of a file, with the answers that the file states.

    Parameters
    ----------
    source : str
        The text of the file.

    Returns
    -------
    CheckRows or None
        None if there is no row.
    """
    decoder = json.JSONDecoder()
    starts = (match.end() for match in _START.finditer(source))
    found = [decoder.raw_decode(source, start)[0] for start in starts]
    if not found:
        return None
    return CheckRows(
        [tuple(each["values"]) for each in found],
        [each.get("leaf", -1) for each in found],
        [each["answer"] for each in found],
        np.array([each.get("probabilities", []) for each in found], float),
    )
