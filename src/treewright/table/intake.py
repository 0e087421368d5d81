"""Findings about a table, and the record of how it was read: `Finding`, `Intake`.

A finding is suspicious and asks for a look. A conversion is what a reader did to the
cells of a file ('$1,234' became a number, 'NA' a missing value); it is on record, but
nothing is wrong with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from treewright.errors import pandas_for_frames
from treewright.table.html import table_html

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["KINDS_OF_CONVERSIONS", "KINDS_OF_FINDINGS", "Finding", "Intake"]

_MOST_SHOWN = 12

KINDS_OF_FINDINGS = {
    "leak": "a column that gives the target away",
    "copies": "rows that occur more than once",
    "totals_row": "a row that sums up the others",
    "index": "X and y with different indexes",
    "rejected_rows": "rows of a file that do not fit its columns",
    "encoding": "a file whose encoding nothing states",
    "cell_errors": "cells of a sheet with an error instead of a value",
    "merged_cells": "merged cells of a sheet, of which only the first has a value",
    "nothing_left": "a table without a usable column",
    "target_like_names": "a target with nearly as many classes as rows",
    "target_spells_numbers": "classes that spell numbers",
    "spelled": "text that spells numbers or dates",
    "ambiguous": "text that can be read in two ways",
    "mixed_dates": "dates written in several ways",
    "blanks": "categories that differ by blanks only",
    "rounded": "numbers with more digits than a float64 holds",
    "nearly_numbers": "text of which nearly all values spell numbers",
    "missing_marks": "marks of missing values among the values",
    "one_leaf": "classes so uneven that the chosen tree is one leaf",
    "key": "whole numbers that differ in every row, in a column called id or the like",
    "running_number": "whole numbers that differ in every row",
    "tells_rows_apart": "text that differs in nearly every row",
    "many_categories": "many categories for the rows",
    "rare_class": "a class with one row",
    "all_missing": "a column without a value",
    "constant": "a column with one value",
}
"""Every kind of finding, the most serious first, and what it is."""
KINDS_OF_CONVERSIONS = {
    "converted": "text that became numbers, dates or missing values",
    "renamed": "columns of a file without a name of their own",
    "left_out": "lines of a file that hold no row",
    "no_target": "rows of a file without a target",
}
"""What the reader of a file does to rows and cells, which is no cause for suspicion."""
_OF_FILE = {"rejected_rows", "no_target", "encoding", "cell_errors", "merged_cells"}
_OF_FILE |= {"renamed", "left_out"}
_OF_TABLE = {"copies", "totals_row", "index", "nothing_left"} | _OF_FILE
_SET_ASIDE = frozenset({"key", "tells_rows_apart"})
_RANK = {
    kind: rank for rank, kind in enumerate([*KINDS_OF_FINDINGS, *KINDS_OF_CONVERSIONS])
}


class Finding(NamedTuple):
    """One suspicious thing about a table, or one thing that a reader converted.

    Attributes
    ----------
    kind : str
        One of `KINDS_OF_FINDINGS` or `KINDS_OF_CONVERSIONS`.
    column : str or None
        The column; None: the target, or the table as a whole.
    words : str
        The evidence, a sentence without a full stop.
    advice : str
        What to do about it.
    """

    kind: str
    column: str | None
    words: str
    advice: str

    @property
    def place(self) -> str:
        """The column, or what else it is about, for a table of findings."""
        if self.column is not None:
            return self.column
        return "(table)" if self.kind in _OF_TABLE else "(target)"

    @property
    def set_aside(self) -> bool:
        """Whether the column is not used by default."""
        return self.kind in _SET_ASIDE

    def __str__(self) -> str:
        """One line: evidence and advice."""
        of = "" if self.column is None else f"{self.column!r}: "
        return f"{of}{self.words}. {self.advice}"


@dataclass(frozen=True)
class Intake:
    """How a table was read, and what is suspicious about it.

    Attributes
    ----------
    n_rows, n_columns : int
        Size of the table.
    findings : tuple of Finding
        What is suspicious, the most serious first.
    conversions : tuple of Finding
        What the reader of a file did to its cells, such as 'NA' read as missing.
    n_read : int or None
        Rows of the file, all of which are used (`n_rows`), rejected or without a
        target; None: the table does not come from a file.
    rejected : tuple of (int, str)
        Line and reason of every row of the file that does not fit its columns.
    no_target : int
        Rows of the file that were left out because their target is missing.
    """

    n_rows: int
    n_columns: int
    findings: tuple[Finding, ...] = ()
    conversions: tuple[Finding, ...] = ()
    n_read: int | None = None
    rejected: tuple[tuple[int, str], ...] = ()
    no_target: int = 0

    def of(self, kind: str) -> list[Finding]:
        """Return the findings, or conversions, of one kind."""
        noted = (*self.findings, *self.conversions)
        return [each for each in noted if each.kind == kind]

    def with_noted(self, more: Iterable[Finding]) -> Intake:
        """Return the same with further findings and conversions, each in its place."""
        noted = sorted(
            [*self.findings, *self.conversions, *more],
            key=lambda each: _RANK[each.kind],
        )
        return replace(
            self,
            findings=tuple(x for x in noted if x.kind in KINDS_OF_FINDINGS),
            conversions=tuple(x for x in noted if x.kind in KINDS_OF_CONVERSIONS),
        )

    def __str__(self) -> str:
        """A short table: one line a finding, then one line a conversion."""
        n, said = len(self.findings), "nothing suspicious"
        if n:
            said = f"{n} finding{'s' * (n != 1)}"
        lines = [f"{self._size()}: {said}"]
        lines += _listed(self.findings, ".findings")
        if self.conversions:
            lines.append("While reading:")
            lines += _listed(self.conversions, ".conversions")
            converted = self.of("converted")
            if converted:
                kind = f"kinds={{{converted[0].column!r}: 'categorical'}}"
                lines.append(f"  {kind} keeps a column as it is written.")
        return "\n".join(lines)

    def to_pandas(self) -> pd.DataFrame:
        """Return one row per finding."""
        return pandas_for_frames().DataFrame(self.findings, columns=Finding._fields)

    def _repr_html_(self) -> str:
        found = f"<p>{self._size()}: nothing suspicious</p>"
        if self.findings:
            found = _table(self._size(), self.findings)
        if self.conversions:
            found += _table("While reading", self.conversions)
        return found

    def _size(self) -> str:
        columns = f"{self.n_columns} column{'s' * (self.n_columns != 1)}"
        return f"{self.n_rows:,} rows, {columns}"

    def to_dict(self) -> dict[str, Any]:
        """Return the same as JSON-able values."""
        out: dict[str, Any] = {
            "n_rows": self.n_rows,
            "n_columns": self.n_columns,
            "findings": [each._asdict() for each in self.findings],
            "conversions": [each._asdict() for each in self.conversions],
        }
        if self.n_read is not None:
            out["n_read"] = self.n_read
            out["rejected"] = [list(each) for each in self.rejected]
            out["no_target"] = self.no_target
        return out


def _listed(noted: Sequence[Finding], all_in: str) -> Iterator[str]:
    """Yield one line each, at most 12, and where the others are."""
    shown = noted[:_MOST_SHOWN]
    width = max((len(each.place) for each in shown), default=0)
    for each in shown:
        advice = f". {each.advice}" if each.kind in KINDS_OF_FINDINGS else ""
        yield f"  {each.place:<{width}}  {each.words}{advice}"
    if len(noted) > len(shown):
        yield f"  ... and {len(noted) - len(shown)} more; see {all_in}"


def _table(title: str, noted: Sequence[Finding]) -> str:
    heads = list(Finding._fields)
    rows = [[str(cell or "") for cell in each] for each in noted]
    return table_html(title, heads, rows, heads)
