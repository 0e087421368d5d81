"""What a reader returns: the columns of a file, and an account of its rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from treewright.errors import TableError
from treewright.table.intake import Finding

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Content", "Rejected", "lines_of", "refuse_many"]

_MOST_LINES_SHOWN = 5
_FEWEST_TO_REFUSE, _MOST_REJECTED = 10, 0.05


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


def lines_of(rejected: tuple[Rejected, ...]) -> str:
    """Return the lines of rejected rows, for people: 'lines 3, 9 and 2 more'."""
    lines = [str(each.line) for each in rejected[:_MOST_LINES_SHOWN]]
    more = len(rejected) - len(lines)
    listed = ", ".join(lines) + (f" and {more:,} more" if more else "")
    return f"line{'s' * (len(rejected) > 1)} {listed}"


def refuse_many(
    file: str, problem: str, n_used: int, rejected: tuple[Rejected, ...]
) -> None:
    """Refuse a file of which too many rows were rejected.

    Parameters
    ----------
    file : str
        The file's name.
    problem : str
        What is wrong with the rows, after 'they'.
    n_used : int
        Number of rows that are not rejected.
    rejected : tuple of Rejected
        The others.

    Raises
    ------
    TableError
        When no row is left, or when more than 10 rows, and 5 % of them, are rejected.
    """
    n = len(rejected)
    if n and (not n_used or (n > _FEWEST_TO_REFUSE and n > _MOST_REJECTED * n_used)):
        raise TableError(
            f"{n:,} of {n + n_used:,} rows of {file} {problem}: {lines_of(rejected)} "
            f"(line {rejected[0].line}: {rejected[0].why}). Correct these lines."
        )
