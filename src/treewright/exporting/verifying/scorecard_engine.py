"""Scorecards: look up the leaf and the points of some rows in an exported table.

A row belongs to the line whose rule it meets. A line counts only if its rule and its
reasons are, word for word, those of that leaf in the tree; the conditions of the tree's
rule are then asked about the values of the row.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from treewright.errors import OptionError
from treewright.exporting.check_rows import Value, as_columns
from treewright.exporting.export import MARK
from treewright.exporting.program import Program
from treewright.exporting.scorecard import Scorecard, scorecard
from treewright.exporting.verifying.engine import Answers, ExportFailedError
from treewright.reading.conditions.condition import shares_of

__all__ = ["card_of", "run_scorecard", "text_of_scorecard"]

_NUMBERS = ("points", "odds", "probability")
"""The columns whose values are compared as the answers of a row."""


def text_of_scorecard(text: str) -> str:
    """Return what a table says about itself, and its rows with expected points."""
    cells = [[line.get("about"), line.get("check_rows")] for line in _lines(text)]
    return "\n".join(cell for pair in cells for cell in pair if cell)


def card_of(program: Program, facts: Mapping[str, str]) -> Scorecard:
    """Return the scorecard of the tree with the options of a file."""
    named = ("good", "pdo", "points", "odds")
    try:
        good, *numbers = (bytes.fromhex(facts[name]).decode() for name in named)
        pdo, points, odds = map(float, numbers)
    except (KeyError, ValueError):
        raise OptionError(
            "The scorecard does not say how its points are counted: the line "
            f"'{MARK} ...' in its column 'about' lacks them or is damaged. Export the "
            "tree again."
        ) from None
    return scorecard(program.tree, good, pdo=pdo, points=points, odds=odds)


def run_scorecard(
    program: Program, card: Scorecard, text: str, rows: list[tuple[Value, ...]]
) -> Answers:
    """Look up rows in a table.

    Parameters
    ----------
    program : Program
        The program of the tree.
    card : Scorecard
        The scorecard of the tree, which says which class is the good one.
    text : str
        The table as CSV.
    rows : list of tuple
        One value per variable.

    Returns
    -------
    Answers
        The answers are points. A row that meets no rule has the leaf -1, and None.
    """
    lines, cells = _lines(text), card.cells()
    if lacking := [name for name in cells[0] if any(name not in x for x in lines)]:
        raise ExportFailedError(f"The scorecard lacks the columns {lacking}.")
    rule_of = {
        _words(each): leaf.rule for each, leaf in zip(cells, card.leaves, strict=True)
    }
    columns = as_columns(program, rows)
    leaves, points = np.full(len(rows), -1), np.full(len(rows), None)
    good = np.full(len(rows), np.nan)
    for line in lines:
        rule = rule_of.get(_words(line))
        if rule is not None:
            here = shares_of(rule.conditions, columns, len(rows)) > 0
            leaves[here], points[here] = rule.node, _number(line, "points")
            good[here] = _probability(line)
    shares = np.column_stack([1 - good, good])
    if program.classes[0] == card.good:
        shares = shares[:, ::-1]
    return Answers(leaves.tolist(), points.tolist(), shares.tolist())


def _lines(text: str) -> list[dict[str, str]]:
    """Return the lines of a table by the names of its columns."""
    # A rule that lists thousands of categories is longer than csv allows a cell to be.
    allowed = csv.field_size_limit(max(csv.field_size_limit(), len(text)))
    try:
        return list(csv.DictReader(io.StringIO(text, newline="")))
    finally:
        csv.field_size_limit(allowed)


def _number(line: Mapping[str, str], name: str) -> float:
    try:
        return float(line[name])
    except (TypeError, ValueError):
        raise ExportFailedError(
            f"The scorecard has {line[name]!r} in the column {name!r} of leaf "
            f"{line['leaf']}; a number is needed."
        ) from None


def _words(line: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the cells of a line that must be those of the tree."""
    left_out = (*_NUMBERS, "about", "check_rows")
    return tuple(str(line[name]) for name in line if name not in left_out)


def _probability(line: Mapping[str, str]) -> float:
    """Return the probability of the good class; NaN if the odds say another."""
    odds, probability = _number(line, "odds"), _number(line, "probability")
    says_the_same = odds >= 0 and math.isclose(odds / (1 + odds), probability)
    return probability if says_the_same else math.nan
