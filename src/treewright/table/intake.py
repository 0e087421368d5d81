"""Findings about a table, and the record of how it was read: `Finding`, `Intake`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from treewright.errors import pandas_for_frames
from treewright.table.html import table_html

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["KINDS_OF_FINDINGS", "Finding", "Intake"]

_MOST_SHOWN = 12

KINDS_OF_FINDINGS = {
    "leak": "a column that gives the target away",
    "copies": "rows that occur more than once",
    "index": "X and y with different indexes",
    "rejected_rows": "rows of a file that do not fit its columns",
    "no_target": "rows of a file without a target",
    "encoding": "a file whose encoding nothing states",
    "nothing_left": "a table without a usable column",
    "target_like_names": "a target with nearly as many classes as rows",
    "target_spells_numbers": "classes that spell numbers",
    "spelled": "text that spells numbers or dates",
    "ambiguous": "text that can be read in two ways",
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
    "converted": "text that was converted to numbers or dates",
    "renamed": "columns of a file without a name of their own",
    "left_out": "lines of a file that hold no row",
}
"""Every kind of finding, the most serious first, and what it is."""
_OF_FILE = frozenset({"rejected_rows", "no_target", "encoding", "renamed", "left_out"})
_OF_TABLE = frozenset({"copies", "index", "nothing_left"}) | _OF_FILE
_HARMLESS = frozenset({"converted", "renamed", "left_out"})
_SET_ASIDE = frozenset({"key", "tells_rows_apart"})
_RANK = {kind: rank for rank, kind in enumerate(KINDS_OF_FINDINGS)}


class Finding(NamedTuple):
    """One suspicious thing about a table.

    Attributes
    ----------
    kind : str
        One of `KINDS_OF_FINDINGS`.
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
        The most serious first.
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
    n_read: int | None = None
    rejected: tuple[tuple[int, str], ...] = ()
    no_target: int = 0

    @property
    def suspicions(self) -> tuple[Finding, ...]:
        """The findings without conversions and the like, which cause no doubt."""
        return tuple(each for each in self.findings if each.kind not in _HARMLESS)

    def of(self, kind: str) -> list[Finding]:
        """Return the findings of one kind."""
        return [each for each in self.findings if each.kind == kind]

    def with_findings(self, more: Iterable[Finding]) -> Intake:
        """Return the same with further findings, in their order."""
        found = sorted([*self.findings, *more], key=lambda each: _RANK[each.kind])
        return replace(self, findings=tuple(found))

    def __str__(self) -> str:
        """A short table: one line a finding."""
        size = self._size()
        if not self.findings:
            return f"{size}: nothing suspicious"
        n = len(self.findings)
        lines = [f"{size}: {n} finding{'s' * (n != 1)}"]
        names = [each.place for each in self.findings]
        width = max(len(name) for name in names[:_MOST_SHOWN])
        for name, each in zip(names[:_MOST_SHOWN], self.findings, strict=False):
            lines.append(f"  {name:<{width}}  {each.words}. {each.advice}")
        if n > _MOST_SHOWN:
            lines.append(f"  ... and {n - _MOST_SHOWN} more; see .findings")
        return "\n".join(lines)

    def to_pandas(self) -> pd.DataFrame:
        """Return one row per finding."""
        return pandas_for_frames().DataFrame(self.findings, columns=Finding._fields)

    def _repr_html_(self) -> str:
        if not self.findings:
            return f"<p>{self._size()}: nothing suspicious</p>"
        rows = [[str(cell or "") for cell in each] for each in self.findings]
        heads = list(Finding._fields)
        return table_html(self._size(), heads, rows, heads)

    def _size(self) -> str:
        columns = f"{self.n_columns} column{'s' * (self.n_columns != 1)}"
        return f"{self.n_rows:,} rows, {columns}"

    def to_dict(self) -> dict[str, Any]:
        """Return the same as JSON-able values."""
        out: dict[str, Any] = {
            "n_rows": self.n_rows,
            "n_columns": self.n_columns,
            "findings": [each._asdict() for each in self.findings],
        }
        if self.n_read is not None:
            out["n_read"] = self.n_read
            out["rejected"] = [list(each) for each in self.rejected]
            out["no_target"] = self.no_target
        return out
