"""Databases: each class puts rows into a table and runs exported SQL on it."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, ClassVar

from treewright.exporting.check_rows import Value
from treewright.exporting.program import Program, Variable
from treewright.exporting.sql_dialects import DIALECTS
from treewright.exporting.verifying.engine import package_called, program_called

__all__ = ["ROW", "SQL_ENGINES", "Database", "DuckDB", "SQLite", "Spark"]

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
        "zoned": "TIMESTAMP WITH TIME ZONE",
        "time": "TIME",
    }

    def __init__(self, connection: Any) -> None:
        self.connection = connection

    def close(self) -> None:
        """Close the connection."""
        self.connection.close()

    def fill(
        self, program: Program, table: str, rows: Sequence[tuple[Value, ...]]
    ) -> None:
        """Make a table of rows, numbered in the column `ROW`."""
        name_of = DIALECTS[self.dialect].name_of
        columns = [f"{name_of(v.name)} {self.type_of(v)}" for v in program.variables]
        cursor, name = self.connection.cursor(), name_of(table)
        cursor.execute(f"DROP TABLE IF EXISTS {name}")
        cursor.execute(
            f"CREATE TABLE {name} ({', '.join([f'{ROW} INTEGER', *columns])})"
        )
        cells = [
            [i, *map(self.cell, program.variables, row)] for i, row in enumerate(rows)
        ]
        self.insert(program, name, cells)

    def type_of(self, variable: Variable) -> str:
        """Return the type of a column."""
        return self.types["zoned" if variable.timezone else variable.type]

    def insert(self, program: Program, name: str, cells: list[list[Any]]) -> None:
        """Put rows into a table; `name` is quoted already."""
        marks = ", ".join([self.mark] * (len(program.variables) + 1))
        cursor = self.connection.cursor()
        cursor.executemany(f"INSERT INTO {name} VALUES ({marks})", cells)

    def create_view(self, statement: str) -> None:
        """Run a CREATE VIEW."""
        self.connection.cursor().execute(statement)

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
        if variable.type == "date":
            return moment.date()
        return moment.replace(tzinfo=UTC) if variable.timezone else moment


class DuckDB(Database):
    """DuckDB in memory."""

    dialect = "duckdb"

    @classmethod
    def open(cls) -> DuckDB:
        """Open a database in memory."""
        duckdb = package_called("duckdb", "DuckDB")
        return cls(duckdb.connect())

    def fill(
        self, program: Program, table: str, rows: Sequence[tuple[Value, ...]]
    ) -> None:
        """Make a table of rows, numbered in the column `ROW`."""
        super().fill(program, table, rows)
        # As the heading of the export of such a tree advises.
        able = "disable" if program.divides_rows else "enable"
        self.connection.execute(f"PRAGMA {able}_optimizer")
        names = [v.name for v in program.variables if v.timezone]
        self._zoned = [DIALECTS[self.dialect].name_of(name) for name in names]

    def answers(self, select: str) -> list[dict[str, Any]]:
        """Run a SELECT; give points in time as text, because Python's need pytz."""
        if not self._zoned:
            return super().answers(select)
        texts = ", ".join(f"CAST({name} AS VARCHAR) AS {name}" for name in self._zoned)
        return super().answers(f"SELECT * REPLACE ({texts}) FROM ({select})")

    def insert(self, program: Program, name: str, cells: list[list[Any]]) -> None:
        """Put rows into a table column by column: row by row takes 2 ms each."""
        types = ["INTEGER", *(self.type_of(v) for v in program.variables)]
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
            return found.replace(tzinfo=None).isoformat(sep=" ")
        return found.isoformat() if isinstance(found, date | time) else found


class Spark(Database):
    """Spark SQL in this process, on one thread; the connection is a session."""

    dialect = "spark"
    types: ClassVar = Database.types | {
        "text": "STRING",
        "datetime": "TIMESTAMP_NTZ",
        "zoned": "TIMESTAMP",
    }

    @classmethod
    def open(cls) -> Spark:
        """Start a session whose time zone is UTC, beside any that is open."""
        sql = package_called("pyspark.sql", "Spark")
        program_called("java")
        builder = sql.SparkSession.builder.master("local[1]")
        for quiet in ("spark.ui.enabled", "spark.ui.showConsoleProgress"):
            builder = builder.config(quiet, "false")
        session = builder.getOrCreate().newSession()
        session.conf.set("spark.sql.session.timeZone", "UTC")
        session.conf.set("spark.sql.execution.arrow.pyspark.enabled", "false")
        return cls(session)

    def close(self) -> None:
        """Leave the session open.

        Stopping it would also end other sessions of the same Spark application.
        """

    def fill(
        self, program: Program, table: str, rows: Sequence[tuple[Value, ...]]
    ) -> None:
        """Make a table of rows, numbered in the column `ROW`."""
        name_of = DIALECTS[self.dialect].name_of
        columns = [f"{name_of(v.name)} {self.type_of(v)}" for v in program.variables]
        cells = [
            (i, *map(self.cell, program.variables, row)) for i, row in enumerate(rows)
        ]
        schema = ", ".join([f"{ROW} INT", *columns])
        frame = self.connection.createDataFrame(cells, schema)
        frame.createOrReplaceTempView(name_of(table))

    def cell(self, variable: Variable, value: Value) -> Any:
        """Return a value in the type of its column."""
        found = super().cell(variable, value)
        is_number = variable.type in ("number", "code") and found is not None
        return float(found) if is_number else found

    def create_view(self, statement: str) -> None:
        """Run a CREATE VIEW; a lasting view cannot read our table, which is not."""
        self.connection.sql(statement.replace("CREATE VIEW", "CREATE TEMP VIEW", 1))

    def answers(self, select: str) -> list[dict[str, Any]]:
        """Run a SELECT and return its rows as dicts, in the order of the table."""
        ordered = f"SELECT * FROM ({select}) AS answers_ ORDER BY {ROW}"
        frame = self.connection.sql(ordered)
        return [dict(zip(row.__fields__, row, strict=True)) for row in frame.collect()]


SQL_ENGINES: dict[str, type[DuckDB] | type[SQLite] | type[Spark]] = {
    "ansi": DuckDB,
    "duckdb": DuckDB,
    "sqlite": SQLite,
    "spark": Spark,
}
"""Databases that need no server, by dialect."""
