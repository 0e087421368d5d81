"""The databases in which exported SQL runs; a server starts when first needed."""

from contextlib import contextmanager
from functools import reduce
from typing import ClassVar

import pytest
import sqlglot
from sqlglot import expressions

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


class Translated(Database):
    """A database that is not here: sqlglot translates its SQL, and DuckDB runs that.

    It shows what the SQL means as sqlglot reads the dialect. It does not show what is
    peculiar to the server: its limits, types, collations, and how it compares NaN.
    """

    def fill(self, program, table, rows):
        self._duckdb = DuckDB(self.connection)
        self._duckdb.fill(program, table, rows)

    def answers(self, select):
        tree = sqlglot.parse_one(select, read=self.dialect)
        return self._duckdb.answers(self.adapted(tree).sql("duckdb"))

    def adapted(self, tree):
        """Return the parsed SQL in terms that DuckDB has."""
        return tree


class BigQuery(Translated):
    dialect = "bigquery"

    def adapted(self, tree):
        return tree.transform(_dots_joined).transform(_without_nul)


def _dots_joined(node):
    """sqlglot divides a name in backticks at its dots; ours are at most t.name."""
    parts = node.parts if isinstance(node, expressions.Column) else []
    if len(parts) < 3:
        return node
    return expressions.column(
        ".".join(p.name for p in parts[1:]), parts[0], quoted=True
    )


def _without_nul(node):
    """DuckDB 1.3 does not read a text with NUL in it."""
    if not (isinstance(node, expressions.Literal) and "\0" in node.name):
        return node
    nul = expressions.Chr(expressions=[expressions.Literal.number(0)])
    first, *others = map(expressions.Literal.string, node.name.split("\0"))
    parts = [first, *(part for other in others for part in (nul.copy(), other))]
    joined = reduce(lambda a, b: expressions.DPipe(this=a, expression=b), parts)
    return expressions.Paren(this=joined)


class Snowflake(Translated):
    dialect = "snowflake"

    def adapted(self, tree):
        return tree.transform(_zone_without_blank)


class SQLServer(Translated):
    dialect = "tsql"

    def adapted(self, tree):
        return tree.transform(_without_collation).transform(_concatenated)


def _without_collation(node):
    """DuckDB compares texts byte by byte, as the collation of our SQL asks for."""
    is_ours = isinstance(node, expressions.Collate)
    assert not is_ours or node.expression.name == "Latin1_General_100_BIN2"
    return node.this if is_ours else node


def _concatenated(node):
    """sqlglot leaves "+" between texts as it is, and does not know NCHAR."""
    if not isinstance(node, expressions.Add):
        return node
    parts = [_character(part) for part in node.flatten()]
    if not any(isinstance(part, TEXTS) for part in parts):
        return node
    return reduce(lambda a, b: expressions.DPipe(this=a, expression=b), parts)


def _character(node):
    return (
        expressions.Chr(expressions=node.expressions) if node.name == "NCHAR" else node
    )


TEXTS = (expressions.National, expressions.Chr)


def _zone_without_blank(node):
    """Snowflake documents a blank before the zone, which DuckDB does not read."""
    if isinstance(node, expressions.Literal) and node.name.endswith(" +00:00"):
        return expressions.Literal.string(node.name.replace(" +", "+"))
    return node


def opened_spark():
    try:
        spark = Spark.open()
    except EngineMissingError as missing:
        pytest.skip(f"NO DATABASE: {missing}")
    # Its warnings hold the whole plan of a query, which is thousands of lines.
    spark.connection.sparkContext.setLogLevel("OFF")
    return spark


TRANSLATED = (BigQuery, Snowflake, SQLServer)
SERVERS = {
    DuckDB: lambda: servers.InMemory(DuckDB.open),
    SQLite: lambda: servers.InMemory(SQLite.open),
    Postgres: servers.Postgres,
    Maria: servers.MariaDB,
    Spark: lambda: servers.InMemory(opened_spark),
    **dict.fromkeys(TRANSLATED, lambda: servers.InMemory(DuckDB.open)),
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
