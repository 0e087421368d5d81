"""What a reader returns: the columns of a file, and an account of its rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from treewright.table.findings import Finding

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Content", "Rejected", "lines_of"]

_MOST_LINES_SHOWN = 5


class Rejected(NamedTuple):
    """A row of the file that was not used.

    Attributes
    ----------
    line : int
        Its line in the file (the first, if it has several), counted from 1; for files
        without lines, its row.
    why : str
        The reason, such as '3 fields instead of 4'.
    """

    line: int
    why: str


@dataclass(frozen=True, eq=False)
class Content:
    """The rows of a file.

    Attributes
    ----------
    table : pyarrow.Table
        The columns. Their names are distinct.
    text : frozenset of str
        Names of the columns that the file holds as text only.
    rejected : tuple of Rejected
        Rows of the file that are not in `table`.
    findings : tuple of Finding
        What was noticed and done while reading.
    """

    table: pa.Table
    text: frozenset[str] = frozenset()
    rejected: tuple[Rejected, ...] = ()
    findings: tuple[Finding, ...] = ()

    @property
    def n_read(self) -> int:
        """Number of rows of the file: those in the table and the rejected ones."""
        return int(self.table.num_rows) + len(self.rejected)

    def with_columns(self, names: list[str]) -> Content:
        """Return the same rows with some of the columns."""
        return replace(self, table=self.table.select(names))

    def with_finding(self, *finding: Any) -> Content:
        """Return the same with one more finding."""
        return replace(self, findings=(*self.findings, Finding(*finding)))


def lines_of(rejected: tuple[Rejected, ...]) -> str:
    """Return the lines of rejected rows, for people: 'lines 3, 9 and 2 more'."""
    lines = [str(each.line) for each in rejected[:_MOST_LINES_SHOWN]]
    more = len(rejected) - len(lines)
    listed = ", ".join(lines) + (f" and {more:,} more" if more else "")
    return f"line{'s' * (len(rejected) > 1)} {listed}"
