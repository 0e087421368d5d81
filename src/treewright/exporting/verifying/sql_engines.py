"""Databases: each class puts rows into a table and runs exported SQL on it."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from datetime import date, datetime, timedelta
from typing import Any, ClassVar

from treewright.exporting.check_rows import Value
from treewright.exporting.program import Program, Variable
from treewright.exporting.sql_dialects import DIALECTS
from treewright.exporting.verifying.engine import package_called

__all__ = ["ROW", "SQL_ENGINES", "Database", "DuckDB", "SQLite"]

ROW = "treewright_row"
"""The column that numbers the rows of the table."""
_EPOCH = datetime(1970, 1, 1)


class Database:
    """A connection to a database.

    Parameters
    ----------
    connection : object
        A connection by Python's database API.
    """

    dialect: ClassVar[str]
    mark: ClassVar[str] = "?"
    types: ClassVar[dict[str, str]] = {
        "number": "DOUBLE",
        "code": "DOUBLE",
        "bool": "BOOLEAN",
        "text": "VARCHAR",
        "date": "DATE",
        "datetime": "TIMESTAMP",
        "time": "TIME",
    }

    def __init__(self, connection: Any) -> None:
        self.connection = connection

    def fill(
        self, program: Program, table: str, rows: Sequence[tuple[Value, ...]]
    ) -> None:
        """Make a table of rows, numbered in the column `ROW`."""
        name_of = DIALECTS[self.dialect].name_of
        columns = [f"{name_of(v.name)} {self.types[v.type]}" for v in program.variables]
        cursor, name = self.connection.cursor(), name_of(table)
        cursor.execute(f"DROP TABLE IF EXISTS {name}")
        cursor.execute(
            f"CREATE TABLE {name} ({', '.join([f'{ROW} INTEGER', *columns])})"
        )
        cells = [
            [i, *map(self.cell, program.variables, row)] for i, row in enumerate(rows)
        ]
        self.insert(program, name, cells)

    def insert(self, program: Program, name: str, cells: list[list[Any]]) -> None:
        """Put rows into a table; `name` is quoted already."""
        marks = ", ".join([self.mark] * (len(program.variables) + 1))
        cursor = self.connection.cursor()
        cursor.executemany(f"INSERT INTO {name} VALUES ({marks})", cells)

    def answers(self, select: str) -> list[dict[str, Any]]:
        """Run a SELECT and return its rows as dicts, in the order of the table."""
        cursor = self.connection.cursor()
        cursor.execute(f"SELECT * FROM ({select}) AS answers_ ORDER BY {ROW}")
        names = [column[0] for column in cursor.description]
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]

    def cell(self, variable: Variable, value: Value) -> Any:
        """Return a value in the type of its column."""
        if value is None or variable.type in ("number", "text", "code"):
            return value
        if variable.type == "bool":
            return bool(value)
        moment = _EPOCH + timedelta(microseconds=float(value))
        if variable.type == "time":
            return moment.time()
        return moment.date() if variable.type == "date" else moment


class DuckDB(Database):
    """DuckDB in memory."""

    dialect = "duckdb"

    @classmethod
    def open(cls) -> DuckDB:
        """Open a database in memory."""
        duckdb = package_called("duckdb", "DuckDB")
        return cls(duckdb.connect())

    def insert(self, program: Program, name: str, cells: list[list[Any]]) -> None:
        """Put rows into a table column by column: row by row takes 2 ms each."""
        types = ["INTEGER", *(self.types[v.type] for v in program.variables)]
        columns = ", ".join(f"unnest(?::{type}[])" for type in types)
        lists = [list(column) for column in zip(*cells, strict=True)]
        self.connection.execute(f"INSERT INTO {name} SELECT {columns}", lists)


class SQLite(Database):
    """SQLite in memory; dates are ISO text."""

    dialect = "sqlite"
    types: ClassVar = dict.fromkeys(Database.types, "")

    @classmethod
    def open(cls) -> SQLite:
        """Open a database in memory."""
        return cls(sqlite3.connect(":memory:"))

    def cell(self, variable: Variable, value: Value) -> Any:
        """Return a value in the type of its column."""
        found = super().cell(variable, value)
        if isinstance(found, datetime):
            return found.isoformat(sep=" ")
        return found.isoformat() if isinstance(found, date) else found


SQL_ENGINES: dict[str, type[DuckDB] | type[SQLite]] = {
    "ansi": DuckDB,
    "duckdb": DuckDB,
    "sqlite": SQLite,
}
"""Databases that need no server, by dialect."""
