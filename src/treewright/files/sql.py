"""The result of an SQL query, run by DuckDB."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from treewright.errors import TableError
from treewright.files.arrow_table import checked_names, from_arrow
from treewright.files.content import Content
from treewright.files.optional import package
from treewright.files.select import Selection

if TYPE_CHECKING:
    import duckdb

__all__ = ["is_query", "read_query"]

_QUERY = re.compile(r"\s*(select|with|from)\s", re.IGNORECASE)
_SHOWN = 60


def is_query(path: Any) -> bool:
    """Return whether this is an SQL query rather than a path."""
    return isinstance(path, str) and _QUERY.match(path) is not None


def read_query(query: str, selection: Selection) -> Content:
    """Read the result of a query.

    DuckDB guesses the layout and the types of CSV files from a sample, which can change
    values silently, so such a file must be named by an explicit call of ``read_csv``.

    Parameters
    ----------
    query : str
        One SELECT statement, such as ``SELECT * FROM 'sales.parquet'``.
    selection : Selection
        The columns to read.

    Returns
    -------
    Content

    Raises
    ------
    TableError
        When the query fails, or is not one that only reads.
    """
    duckdb_ = package("duckdb", "Reading the result of a query")
    package("pyarrow", "Reading the result of a query")
    shown = f"The query {' '.join(query.split())[:_SHOWN]!r}"
    try:
        statements = duckdb_.extract_statements(query)
        if len(statements) != 1 or statements[0].type != duckdb_.StatementType.SELECT:
            raise TableError(f"{shown} must be one SELECT statement, which only reads.")
        with duckdb_.connect() as database:
            _refuse_guessing(database, query, shown)
            table = database.sql(query).to_arrow_table()
    except duckdb_.Error as problem:
        first = str(problem).splitlines()[0].rstrip(".")
        raise TableError(f"{shown} failed: {first}. Correct the query.") from problem
    names = selection.names(checked_names(table.column_names, "the result"))
    return from_arrow(table.select(names), "the result")


def _refuse_guessing(
    database: duckdb.DuckDBPyConnection, query: str, shown: str
) -> None:
    plan = database.execute(f"EXPLAIN {query}").fetchall()
    guesses = any("READ_CSV" in str(cell) for row in plan for cell in row)
    if guesses and "read_csv" not in query.lower():
        raise TableError(
            f"{shown} lets DuckDB guess the types of a CSV file from a sample. Read "
            "the file itself with tw.read, or write read_csv('...', all_varchar=true)."
        )
