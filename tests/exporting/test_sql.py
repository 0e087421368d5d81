"""SQL in real databases: every row ends in the leaf of the tree."""

import math
import sqlite3

import duckdb
import numpy as np
import programs
import pytest
import sqlglot

import treewright as tw
from treewright.errors import OptionError
from treewright.exporting.check_rows import answered, check_rows
from treewright.exporting.program import program_of
from treewright.exporting.sql import to_sql
from treewright.exporting.sql_dialects import DIALECTS

TYPES = {"number": "DOUBLE", "bool": "BOOLEAN", "text": "VARCHAR", "code": "DOUBLE"}


class Duck:
    dialect = "duckdb"

    def __init__(self):
        self.db = duckdb.connect()

    def run(self, program, rows, sql):
        types = [TYPES[v.type] for v in program.variables]
        names = [DIALECTS["duckdb"].name_of(v.name) for v in program.variables]
        columns = ", ".join(f"{n} {t}" for n, t in zip(names, types, strict=True))
        self.db.execute(f"CREATE OR REPLACE TABLE rows_ (i INTEGER, {columns})")
        marks = ", ".join("?" * (len(names) + 1))
        cells = [[i, *row] for i, row in enumerate(rows)]
        self.db.executemany(f"INSERT INTO rows_ VALUES ({marks})", cells)
        return self.db.execute(f"SELECT * FROM ({sql}) ORDER BY i").fetchall()


class Lite:
    dialect = "sqlite"

    def __init__(self):
        self.db = sqlite3.connect(":memory:")

    def run(self, program, rows, sql):
        names = [DIALECTS["sqlite"].name_of(v.name) for v in program.variables]
        self.db.execute("DROP TABLE IF EXISTS rows_")
        self.db.execute(f"CREATE TABLE rows_ (i, {', '.join(names)})")
        marks = ", ".join("?" * (len(names) + 1))
        cells = [[i, *row] for i, row in enumerate(rows)]
        self.db.executemany(f"INSERT INTO rows_ VALUES ({marks})", cells)
        return self.db.execute(f"SELECT * FROM ({sql}) ORDER BY i").fetchall()


@pytest.mark.parametrize("engine", [Duck, Lite])
@pytest.mark.parametrize("block", range(4))
def test_sql_puts_every_row_into_the_leaf_of_the_tree(engine, block):
    database = engine()
    for seed in range(block * 30, block * 30 + 30):
        program = program_of(programs.random_tree(seed))
        if not program.variables:
            continue
        rows = check_rows(program).rows + programs.random_rows(program, 100, seed)
        compare(database, program, rows)


def compare(database, program, rows):
    expected = answered(program, rows)
    divided = program.divides_rows
    sql = to_sql(
        program.tree,
        dialect=database.dialect,
        table="rows_",
        probabilities=program.is_classifier,
        leaf=not divided,
    ).rstrip(";\n")
    found = database.run(program, rows, sql)
    first = 1 + len(program.variables)
    if divided:
        wide = np.array([row[first:] for row in found], object)
        if program.is_classifier:
            shares = wide[:, :-1].astype(float)
            np.testing.assert_allclose(shares, expected.probabilities, atol=1e-12)
        else:
            np.testing.assert_allclose(wide[:, 0].astype(float), expected.answers)
        return
    assert [row[first] for row in found] == expected.nodes
    answers = [row[first + 1] for row in found]
    if program.is_classifier:
        assert [type(a)(b) for a, b in zip(answers, expected.answers)] == answers
        wide = np.array([row[first + 2 :] for row in found], float)
        np.testing.assert_array_equal(wide, expected.probabilities)
    else:
        assert answers == expected.answers


@pytest.mark.parametrize("dialect", DIALECTS)
def test_sqlglot_parses_every_dialect(dialect):
    names = {"postgresql": "postgres", "ansi": None}
    for seed in range(30):
        tree = programs.random_tree(seed)
        more = {"probabilities": tree.is_classifier}
        sql = to_sql(tree, dialect=dialect, table="main.rows_", **more)
        assert sqlglot.parse(sql, read=names.get(dialect, dialect))


HOSTILE = [
    "it's",
    'a "quoted" one',
    "x'; DROP TABLE rows_; --",
    "*/ -- ;",
    "line\nbreak\r\nend",
    "back\\slash \\n",
    "NUL\0inside",
    "émoji 🎄",
    "",
    " blank ",
    "%s {} ?",
]


@pytest.mark.parametrize("engine", [Duck, Lite])
def test_hostile_names_and_categories_execute_nothing(engine):
    values = HOSTILE * 30
    X = {"a\"b'; DROP TABLE rows_; --": values, "n\n`[]": range(len(values))}
    y = [HOSTILE[(i * 7) % len(HOSTILE)] for i in range(len(values))]
    tree = tw.grow(tw.as_table(X, y)).data
    program = program_of(tree)
    compare(engine(), program, check_rows(program).rows)


@pytest.mark.parametrize("engine", [Duck, Lite])
def test_numbers_of_seventeen_digits_keep_their_last_bit(engine):
    rng = np.random.default_rng(3)
    x = np.concatenate([rng.random(300), rng.normal(size=300) * 1e-300, rng.normal(size=300) * 1e250])
    y = rng.integers(0, 2, len(x))
    program = program_of(tw.grow(tw.as_table({"x": x}, y)).data)
    compare(engine(), program, check_rows(program).rows)


@pytest.mark.parametrize("engine", [Duck, Lite])
def test_a_tree_too_deep_to_nest_becomes_a_flat_list(engine):
    # Every split cuts off one row, so the tree is a chain.
    x = np.arange(1000.0)
    y = np.cumsum(2.0 ** np.minimum(x, 900))
    program = program_of(tw.grow(tw.as_table({"x": x}, y)).data)
    depth = int(program.tree.depth.max())
    assert depth > 2 * DIALECTS[engine.dialect].deepest
    compare(engine(), program, check_rows(program).rows[:300])


def test_a_case_expression_takes_one_column_only():
    tree = programs.random_tree(1)
    with pytest.raises(OptionError, match="form='select'"):
        to_sql(tree, probabilities=True)
    with pytest.raises(OptionError, match="needs table="):
        to_sql(tree, form="view")
    with pytest.raises(OptionError, match="Did you mean 'duckdb'"):
        to_sql(tree, dialect="duckdbb")


def test_missing_values_include_nan():
    x = [1.0, 2.0, math.nan, math.nan] * 20
    y = ["a", "b", "b", "b"] * 20
    tree = tw.grow(tw.as_table({"x": x}, y))
    sql = to_sql(tree.data, dialect="duckdb", table="rows_", leaf=True).rstrip(";\n")
    db = duckdb.connect()
    db.execute("CREATE TABLE rows_ (x DOUBLE)")
    db.execute("INSERT INTO rows_ VALUES (1), (2), (NULL), ('NaN')")
    leaves = [row[1] for row in db.execute(sql).fetchall()]
    assert leaves == tree.apply({"x": [1.0, 2.0, None, math.nan]}).tolist()
