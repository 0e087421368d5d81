"""Tables of SQLite databases."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import Any

from treewright.errors import TableError
from treewright.files.content import Content
from treewright.files.objects import content_of_objects
from treewright.files.opened import OpenedFile
from treewright.files.select import Selection

__all__ = ["choose_part", "read_sqlite"]

_ROWS_AT_A_TIME = 20_000


def read_sqlite(file: OpenedFile, selection: Selection, table: str | None) -> Content:
    """Read a table of a SQLite database, which is opened read-only.

    Parameters
    ----------
    file : OpenedFile
        The database.
    selection : Selection
        The columns to read.
    table : str or None
        The table or view; None: the only one.

    Returns
    -------
    Content

    Raises
    ------
    TableError
        When the database is damaged, or several tables could be meant.
    """
    address = f"{file.path.resolve().as_uri()}?mode=ro"
    try:
        with closing(sqlite3.connect(address, uri=True)) as database:
            known = _tables(database)
            name = _quoted(choose_part(table, known, "table", file.name))
            asked = database.execute(f"SELECT * FROM {name} LIMIT 0").description
            names = selection.names([column[0] for column in asked])
            listed = ", ".join(map(_quoted, names))
            rows = _rows(database, f"{listed} FROM {name}", file)
    except sqlite3.Error as problem:
        raise TableError(
            f"{file.name} cannot be read: {problem}. Check the database, or restore it "
            "from a copy."
        ) from problem
    columns: dict[str, Any] = dict.fromkeys(names, ())
    if rows:
        columns = dict(zip(names, zip(*rows, strict=True), strict=True))
    return content_of_objects(columns, file.name)


def _rows(database: sqlite3.Connection, query: str, file: OpenedFile) -> list[Any]:
    """Return all rows of a table; the number of rows is asked for if somebody watches.

    Parameters
    ----------
    database : sqlite3.Connection
        The database.
    query : str
        Columns and table, the part of a query after SELECT.
    file : OpenedFile
        Hears how much is read.

    Returns
    -------
    list of tuple
    """
    selected = database.execute(f"SELECT {query}")
    if not file.is_watched:
        return selected.fetchall()
    (total,) = database.execute(f"SELECT count(*) FROM (SELECT {query})").fetchone()
    rows: list[Any] = []
    while block := selected.fetchmany(_ROWS_AT_A_TIME):
        rows += block
        file.report(len(rows) / max(total, 1))
    return rows


def _tables(database: sqlite3.Connection) -> list[str]:
    found = database.execute(
        "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') "
        "AND name NOT LIKE 'sqlite_%' ORDER BY name"
    )
    return [name for (name,) in found]


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def choose_part(wanted: str | None, known: list[str], what: str, file: str) -> str:
    """Return the table or sheet to read.

    Parameters
    ----------
    wanted : str or None
        The caller's choice.
    known : list of str
        What the file has.
    what : {'table', 'sheet'}
        What it is called.
    file : str
        The file's name, for messages.

    Returns
    -------
    str

    Raises
    ------
    TableError
        When there is none, when the choice is unknown, or when there are several and
        none was chosen.
    """
    if not known:
        raise TableError(f"{file} has no {what}. Check that it is the right file.")
    listed = ", ".join(map(repr, known[:10]))
    if wanted is None:
        if len(known) == 1:
            return known[0]
        raise TableError(
            f"{file} has {len(known)} {what}s: {listed}. Pass table={known[0]!r} or "
            "another of these names."
        )
    if wanted not in known:
        raise TableError(
            f"{file} has no {what} {wanted!r}; it has {listed}. Pass "
            f"table={known[0]!r} or another of these names."
        )
    return wanted
