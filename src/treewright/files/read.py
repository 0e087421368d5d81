"""`read`: a data file -> Table."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from treewright.files.formats import read_content
from treewright.files.opened import shown_name
from treewright.files.select import Selection
from treewright.files.to_table import to_table
from treewright.table.table import Table

__all__ = ["read"]


def read(
    path: str | os.PathLike[str],
    target: str | None = None,
    *,
    columns: Iterable[str] | None = None,
    drop: Iterable[str] | None = None,
    kinds: Mapping[Any, Any] | None = None,
    weight: str | None = None,
    table: str | None = None,
    memory_limit: int | str | None = None,
    progress: Callable[[float], Any] | None = None,
) -> Table:
    r"""Read a data file into a table, and keep an account of what was done.

    Parameters
    ----------
    path : str or path
        A file of delimited text (CSV, TSV), Parquet, Arrow or Feather, JSON lines,
        Excel or SQLite; text may be packed (.gz, .zst). '-' is standard input. An SQL
        query, such as ``"SELECT * FROM 'sales.parquet' WHERE year > 2019"``, is run by
        DuckDB.
    target : str, default=None
        The column to predict. Rows without it are counted and left out.
    columns, drop : list of str, default=None
        The columns to predict from, or those to leave out.
    kinds : dict, default=None
        Column -> kind, where the inferred one is wrong; see `as_table`.
    weight : str, default=None
        A column with the weight of each row.
    table : str, default=None
        The sheet of an Excel file, or the table of a database, if there are several.
    memory_limit : int or str, default=None
        Memory that reading may take, in bytes or as text such as '2GB'. None: 80 % of
        what the process may use.
    progress : callable, default=None
        Called with the share of the file that is read.

    Returns
    -------
    Table
        With its target. Its `intake` tells how many rows were read and used, which
        lines were rejected; its `conversions` tell what became of cells ('NA' read as
        missing), and its `findings` what is suspicious, as `inspect` does.

    Raises
    ------
    TableError
        When the file cannot be read; the message names the line and the remedy.
    ResourceLimitError
        When it needs more memory than allowed.

    Notes
    -----
    The encoding and the delimiter of text are detected, then verified on the whole
    file. The type of a column is decided by all its values. Text that spells numbers,
    money, percentages or dates is converted; codes with leading zeros, phone numbers
    and whole numbers of more than 15 digits stay text. '', 'NA', '?' and the like are
    missing.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> import treewright as tw
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "loans.csv"
    >>> _ = path.write_text("amount,zip,default\n1200,01234,no\n950,98765,yes\n")
    >>> table = tw.read(path, target="default")
    >>> [(each.name, each.kind) for each in table.schema.features]
    [('amount', 'numeric'), ('zip', 'categorical')]
    """
    selection = Selection.of(target, weight, columns, drop, kinds)
    content = read_content(
        path, selection, table=table, memory_limit=memory_limit, progress=progress
    )
    return to_table(content, selection, shown_name(path))
