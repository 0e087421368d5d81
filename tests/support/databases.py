"""The databases in which exported SQL runs; a server starts when first needed."""

from contextlib import contextmanager
from typing import ClassVar

import pytest

from support import servers
from treewright.exporting.verifying.engine import EngineMissingError
from treewright.exporting.verifying.sql_engines import Database, DuckDB, Spark, SQLite


class Postgres(Database):
    dialect = "postgresql"
    mark = "%s"
    types: ClassVar = Database.types | dict.fromkeys(("number", "code"), "FLOAT8")


class Maria(Database):
    dialect = "mysql"
    mark = "%s"
    types: ClassVar = Database.types | {
        "text": "TEXT",
        "datetime": "DATETIME(6)",
        "zoned": "DATETIME(6)",
        "time": "TIME(6)",
    }


def opened_spark():
    try:
        return Spark.open()
    except EngineMissingError as missing:
        pytest.skip(f"NO DATABASE: {missing}")


SERVERS = {
    DuckDB: lambda: servers.InMemory(DuckDB.open),
    SQLite: lambda: servers.InMemory(SQLite.open),
    Postgres: servers.Postgres,
    Maria: servers.MariaDB,
    Spark: lambda: servers.InMemory(opened_spark),
}
"""How to start each database."""


@contextmanager
def opened_once():
    """Give a function from a class of SERVERS to its open database; stop all."""
    engines, running = {}, []

    def connect(engine):
        if engine not in engines:
            server = SERVERS[engine]()
            running.append(server)
            engines[engine] = engine(server.connect())
        return engines[engine]

    try:
        yield connect
    finally:
        for engine in engines.values():
            connection = engine.connection
            (connection.stop if engine.dialect == "spark" else connection.close)()
        for server in running:
            server.stop()
