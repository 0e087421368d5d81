"""SQL in real databases: every row ends in the leaf of the tree."""

import math
from contextlib import closing
from dataclasses import replace

import duckdb
import numpy as np
import pandas as pd
import pytest
import sqlglot

import treewright as tw
from support import programs
from support.databases import SERVERS, TRANSLATED, opened_once
from support.export_trees import HARD, c45, codes, many_leaves, times
from support.repeats import first_of
from support.versions import missing_version
from treewright.errors import OptionError
from treewright.exporting.check_rows import answered, check_rows
from treewright.exporting.export import export
from treewright.exporting.program import program_of
from treewright.exporting.sql import to_sql
from treewright.exporting.sql_dialects import DIALECTS
from treewright.exporting.verifying.sql_engines import ROW, DuckDB, Spark, SQLite


@pytest.fixture(scope="session")
def servers():
    """Connect to a database by the class of its engine; start it once."""
    with opened_once() as connect:
        yield connect


ENGINES = list(SERVERS)


def engines(long=(), but=()):
    """Return the engines except some; those that take long are marked slow."""
    return [
        pytest.param(e, marks=[pytest.mark.slow] if e in long else [])
        for e in ENGINES
        if e not in but
    ]


@pytest.fixture
def always_joined(monkeypatch):
    """Join every tree as a table of rules, however small it is."""
    for name, dialect in DIALECTS.items():
        monkeypatch.setitem(DIALECTS, name, replace(dialect, most_leaves=0))


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("block", first_of(range(4), 1))
def test_sql_puts_every_row_into_the_leaf_of_the_tree(servers, engine, block):
    compare_random_trees(servers(engine), block, 4 if engine is Spark else 30)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("block", first_of(range(4), 1))
@pytest.mark.usefixtures("always_joined")
def test_joined_rules_put_every_row_into_the_leaf_of_the_tree(servers, engine, block):
    compare_random_trees(servers(engine), block, 4 if engine is Spark else 30)


@pytest.mark.parametrize("engine", [DuckDB, SQLite])
@pytest.mark.parametrize("name", HARD)
def test_sql_of_a_hard_tree_puts_every_row_into_its_leaf(
    servers, engine, name, monkeypatch
):
    database, program = servers(engine), program_of(HARD[name]())
    rows = check_rows(program).rows + programs.random_rows(program, 100)
    rows += with_nan(database, program, rows)
    compare(database, program, rows)
    # The same tree as a list of rules, from below its root.
    dialect = replace(DIALECTS[engine.dialect], deepest=1)
    monkeypatch.setitem(DIALECTS, engine.dialect, dialect)
    case = to_sql(program.tree, dialect=engine.dialect, table="rows_")
    found = database.answers(case.rstrip(";\n"))
    answers, expected = [r["prediction"] for r in found], answered(program, rows)
    if program.is_classifier:
        assert answers == expected.answers
    else:
        np.testing.assert_allclose(answers, expected.answers, rtol=1e-12)


def compare_random_trees(database, block, n_trees):
    """Compare some of the random trees; Spark takes seconds for a query."""
    for seed in range(block * n_trees, block * n_trees + n_trees):
        program = program_of(programs.random_tree(seed))
        if not program.variables:
            continue
        rows = check_rows(program).rows + programs.random_rows(program, 100, seed)
        compare(database, program, rows + with_nan(database, program, rows))


def with_nan(database, program, rows):
    """Rows with NaN where numbers are missing; none if the database has no NaN."""
    dialect = DIALECTS[database.dialect]
    if not (dialect.nan or dialect.is_nan):
        return []
    numbers = {v.place for v in program.variables if v.type == "number"}
    changed = [
        tuple(math.nan if x is None and i in numbers else x for i, x in enumerate(row))
        for row in rows
    ]
    return [row for row in changed if any(x != x for x in row)]


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
    database.fill(program, "rows_", rows)
    found = [list(row.values()) for row in database.answers(sql)]
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
        pairs = zip(answers, expected.answers, strict=True)
        assert [type(a)(b) for a, b in pairs] == answers
        wide = np.array([row[first + 2 :] for row in found], float)
        np.testing.assert_array_equal(wide, expected.probabilities)
    else:
        assert answers == expected.answers


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.usefixtures("always_joined")
def test_sqlglot_parses_the_joined_rules_of_every_dialect(dialect):
    test_sqlglot_parses_every_dialect(dialect)


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
    "it's ",
    'a "quoted" one',
    "x'; DROP TABLE rows_; --",
    "*/ -- ;",
    "line\nbreak\r\nend",
    "back\\slash \\n",
    "NUL\0inside",
    "NUL\0012 and digits",
    "émoji 🎄",
    "",
    " blank ",
    "%s {} ?",
]


@pytest.mark.parametrize("engine", ENGINES)
def test_hostile_names_and_categories_execute_nothing(servers, engine):
    stored = DIALECTS[engine.dialect].stores_nul
    texts = [x for x in HOSTILE if "\0" not in x or stored]
    values = texts * 30
    X = {"a\"b';\nDROP TABLE rows_; --": values, "n\n`[]": range(len(values))}
    y = [texts[(i * 7) % len(texts)] for i in range(len(values))]
    tree = tw.grow(tw.as_table(X, y)).data
    program = program_of(tree)
    compare(servers(engine), program, check_rows(program).rows)


@pytest.mark.parametrize("engine", ENGINES)
def test_numbers_of_seventeen_digits_keep_their_last_bit(servers, engine):
    rng = np.random.default_rng(3)
    sizes = [1.0, 1e9, 1e-9, 1e250, 1e307, 1e-289, 1e-291, 1e-300, 1e-308, 1e-321]
    x = np.concatenate([rng.normal(size=100) * size for size in sizes])
    y = rng.integers(0, 2, len(x))
    program = program_of(tw.grow(tw.as_table({"x": x}, y)).data)
    compare(servers(engine), program, check_rows(program).rows)


def chain(*names):
    """A tree in which every split cuts off one row, by the columns in turn."""
    x = np.arange(1000.0)
    n = len(names)
    columns = {name: np.where(x % n == i, x, -1) for i, name in enumerate(names)}
    columns[names[0]][::50] = np.nan
    y = np.cumsum(2.0 ** np.minimum(x, 900))
    program = program_of(tw.grow(tw.as_table(columns, y)).data)
    assert program.tree.depth.max() > 300
    return program


@pytest.mark.parametrize("engine", engines(long=[Spark]))
@pytest.mark.parametrize("names", first_of(["a", "abc"], 1))
def test_a_tree_too_deep_to_nest_runs_in_the_database(servers, engine, names):
    program = chain(*names)
    assert "LEFT JOIN" in to_sql(program.tree, dialect=engine.dialect, table="rows_")
    compare(servers(engine), program, check_rows(program, 300).rows)


# sqlglot's parser recurses too deeply in such a list.
@pytest.mark.parametrize("engine", engines(but=[Spark, *TRANSLATED]))
def test_a_case_expression_of_a_deep_tree_is_a_flat_list(servers, engine):
    program = chain("a")
    rows = check_rows(program, 300).rows
    database = servers(engine)
    database.fill(program, "rows_", rows)
    case = to_sql(program.tree, dialect=engine.dialect)
    found = database.answers(f"SELECT {ROW}, ({case}\n) AS prediction FROM rows_")
    assert [row["prediction"] for row in found] == answered(program, rows).answers


@pytest.mark.parametrize("engine", engines(long=[Spark], but=TRANSLATED))
def test_a_tree_of_5000_leaves_runs_in_the_database(servers, engine):
    program = program_of(many_leaves())
    assert program.tree.n_leaves > 4900
    compare(servers(engine), program, check_rows(program, 1000).rows)


def test_a_large_tree_takes_few_joins_however_deep_it_is():
    for program in (program_of(many_leaves()), chain("a", "b", "c")):
        sql = to_sql(program.tree, dialect="spark", table="rows_")
        assert sql.count("LEFT JOIN") <= math.log2(program.tree.n_nodes) + 1


def test_a_large_query_names_the_setting_that_it_needs():
    large, divided = many_leaves(400), c45()
    assert divided.n_leaves > 400
    assert "SET jit = off" in to_sql(large, dialect="postgresql")
    assert "disable_optimizer" not in to_sql(large, dialect="duckdb")
    assert "disable_optimizer" in to_sql(divided, dialect="duckdb", table="rows_")
    assert "First run" not in to_sql(many_leaves(20), dialect="postgresql")


@pytest.mark.parametrize("engine", engines(long=[DuckDB], but=[Spark, *TRANSLATED]))
def test_rows_divided_among_400_leaves_have_the_probabilities_of_the_tree(
    servers, engine
):
    program = program_of(c45())
    compare(servers(engine), program, check_rows(program, 300).rows)


def test_spark_refuses_a_case_expression_that_its_parser_cannot_read():
    with pytest.raises(OptionError, match=r"CASE expression of 5,000 leaves.*table="):
        to_sql(many_leaves(), dialect="spark")


@pytest.mark.parametrize("engine", ENGINES)
def test_columns_of_the_table_may_have_the_names_of_our_own(servers, engine):
    rng = np.random.default_rng(0)
    names = ["leaf", "node", "t", "s1", "treewright_rules", "p0"]
    X = {name: rng.normal(size=300) for name in names}
    y = ["yes" if sum(row) > 0 else "no" for row in zip(*X.values(), strict=True)]
    program = program_of(tw.grow(tw.as_table(X, y)).data)
    rows = check_rows(program, 200).rows
    database, expected = servers(engine), answered(program, rows)
    database.fill(program, "rows_", rows)
    sql = to_sql(program.tree, dialect=engine.dialect, table="rows_", reason=True)
    found = database.answers(sql.rstrip(";\n"))
    assert [row["prediction"] for row in found] == expected.answers


@pytest.mark.parametrize("engine", ENGINES)
def test_classes_may_differ_in_upper_case_only(servers, engine):
    rng = np.random.default_rng(0)
    x = rng.normal(size=300)
    y = np.array(["no", "yes", "Yes"])[np.searchsorted([-0.5, 0.5], x)]
    program = program_of(tw.grow(tw.as_table({"x": x}, y)).data)
    rows = check_rows(program).rows
    database, expected = servers(engine), answered(program, rows)
    database.fill(program, "rows_", rows)
    sql = to_sql(program.tree, dialect=engine.dialect, table="rows_", leaf=True)
    found = database.answers(sql.rstrip(";\n"))
    assert [row["prediction"] for row in found] == expected.answers
    assert [row["leaf"] for row in found] == expected.nodes


@pytest.mark.parametrize("engine", ENGINES)
def test_dates_and_times_are_compared_as_the_tree_compares_them(servers, engine):
    database = servers(engine)
    # Spark 4.0 has no type for a time of day.
    if engine is Spark and (reason := missing_version("pyspark>=4.1")):
        pytest.skip(reason)
    trees = [times(), zoned_times()]
    for program in map(program_of, trees):
        rows = check_rows(program).rows + programs.random_rows(program, 300)
        compare(database, program, rows)


def zoned_times():
    """A tree of points in time in Berlin, through both changes of the clocks."""
    moments = pd.date_range("2020-01-01", periods=500, freq="17h", tz="Europe/Berlin")
    y = np.random.default_rng(0).random(500)
    fit = tw.TreeRegressor(prune=None, max_leaf_nodes=30).fit
    return fit(pd.DataFrame({"when": moments}), y).tree_.data


def test_a_case_expression_takes_one_column_only():
    tree = programs.random_tree(1)
    with pytest.raises(OptionError, match="form='select'"):
        to_sql(tree, probabilities=True)
    with pytest.raises(OptionError, match="needs the name of the table"):
        to_sql(tree, form="view")
    with pytest.raises(OptionError, match="Did you mean 'duckdb'"):
        to_sql(tree, dialect="duckdbb")


def test_an_option_that_a_format_lacks_is_refused_with_the_nearest():
    with pytest.raises(OptionError, match=r"no option 'dialekt'.* mean 'dialect'"):
        export(programs.random_tree(1), "sql", dialekt="duckdb")
    with pytest.raises(OptionError, match="no option 'pdo', only check_rows"):
        export(programs.random_tree(1), "python", pdo=20)


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


# -- columns that are added ------------------------------------------------------------


def old_answers():
    """A tree from a table that has a column of predictions already."""
    X = {"Prediction": ["old", "new"] * 20, "x": range(40)}
    return tw.grow(tw.as_table(X, [i // 10 % 2 for i in range(40)], task="class"))


@pytest.mark.parametrize("form", ["select", "view"])
@pytest.mark.parametrize("dialect", ["duckdb", "sqlite"])
def test_a_second_column_of_the_same_name_is_refused(form, dialect, tmp_path):
    tree = old_answers()
    options = {"dialect": dialect, "table": "scored", "form": form}
    with pytest.raises(
        tw.OptionError, match=r"column 'prediction'.*'Prediction'\. Pass"
    ):
        tree.export("sql", **options)
    path = tmp_path / "tree.sql"
    more = {"leaf": True, "probabilities": True, "reason": True}
    sql = tree.export("sql", path, prefix="tree_", **more, **options)
    assert "must not have: tree_leaf, tree_prediction, tree_probability_0" in sql
    found = tree.verify(path)
    assert found.ok, str(found)
    assert tree.export("sql").count("CASE") > 0  # an expression adds no column


def test_a_name_of_the_target_is_not_used_twice():
    tree = tw.grow(tw.as_table({"x": range(9), "leaf": range(9)}, list("ab" * 4 + "a")))
    tree.export("sql", table="t")
    with pytest.raises(tw.OptionError, match="would add a column 'leaf'"):
        tree.export("sql", table="t", leaf=True)
    with pytest.raises(tw.OptionError, match="prefix must be a text; got 3"):
        tree.export("sql", table="t", prefix=3)


# -- what SQL cannot say ---------------------------------------------------------------


def by_class(X, y):
    return tw.grow(tw.as_table(X, y))


def test_the_form_is_one_of_three():
    with pytest.raises(OptionError, match=r"'select' or 'view'; got 'table'\."):
        to_sql(programs.random_tree(1), form="table")


def test_a_row_that_is_divided_has_no_single_leaf_or_expression():
    tree = HARD["intervals of C4.5"]()
    with pytest.raises(
        OptionError, match=r"no single leaf\. Leave leaf and reason out"
    ):
        to_sql(tree, table="t", leaf=True)
    with pytest.raises(OptionError, match=r"sum over leaves\. Pass table= for a whole"):
        to_sql(tree)


def test_divided_rows_have_the_class_of_least_cost():
    kind = [None, "a", "b", "b", "a"] * 40
    y = np.where(np.random.default_rng(0).random(200) < 0.3, "bad", "good")
    fit = tw.TreeClassifier(method="c45", costs=[[0, 5], [1, 0]], prune=None).fit
    tree = fit({"kind": kind}, y).tree_
    sql = tree.export("sql", dialect="duckdb", table="rows_").rstrip(";\n")
    with closing(DuckDB.open()) as database:
        database.fill(program_of(tree.data), "rows_", [("a",), ("b",), (None,)])
        found = [row["prediction"] for row in database.answers(sql)]
    assert found == tree.predict({"kind": ["a", "b", None]}).tolist()
    assert found[2] == "bad"  # though the other class is more probable


def test_a_class_with_nul_is_refused_where_texts_cannot_hold_it():
    tree = by_class({"x": [1.0, 2.0] * 30}, ["n\0o", "yes"] * 30)
    with pytest.raises(
        OptionError, match=r"postgresql cannot store the class 'n.x00o'"
    ):
        tree.export("sql", dialect="postgresql")


def test_a_category_that_the_database_cannot_store_matches_no_row():
    tree = by_class({"x": ["a\0", "b", "c"] * 30}, ["no", "y", "z"] * 30)
    sql = tree.export("sql", dialect="postgresql")
    assert "'a" not in sql
    assert "1 = 0" in sql


def test_a_name_with_nul_is_refused():
    tree = by_class({"x\0y": [1.0, 2.0] * 30}, ["no", "yes"] * 30)
    with pytest.raises(
        OptionError, match=r"name 'x.x00y' contains NUL, which SQL names"
    ):
        tree.export("sql")


@pytest.mark.parametrize("dialect", ["ansi", "mysql"])
def test_text_that_is_not_valid_unicode_is_refused(dialect):
    texts = ["a\udc80", "b"] * 30
    for X, y in (({"x": texts}, ["n", "y"] * 30), ({"x": [1.0, 2.0] * 30}, texts)):
        with pytest.raises(OptionError, match=r"The text 'a.udc80' is not valid Unic"):
            by_class(X, y).export("sql", dialect=dialect)


def test_durations_are_refused():
    X = {"d": pd.to_timedelta(range(60), unit="h")}
    tree = by_class(pd.DataFrame(X), ["no"] * 30 + ["yes"] * 30)
    with pytest.raises(OptionError, match=r"Column 'd' holds durations.*such as hours"):
        tree.export("sql")


@pytest.mark.parametrize("dialect", ["duckdb", "sqlite", "tsql"])
def test_a_line_break_alone_is_a_text(dialect):
    tree = by_class({"x": ["\n", "b"] * 30}, ["\n", "yes"] * 30)
    sql = tree.export("sql", dialect=dialect)
    if dialect == "tsql":
        assert "(NCHAR(10) + N'')" in sql
        return
    with closing({"duckdb": DuckDB, "sqlite": SQLite}[dialect].open()) as database:
        database.fill(program_of(tree.data), "rows_", [("\n",), ("b",)])
        found = database.answers(f"SELECT {ROW}, ({sql}) AS prediction FROM rows_")
    assert [row["prediction"] for row in found] == ["\n", "yes"]


@pytest.mark.parametrize(("dialect", "true"), [("duckdb", "TRUE"), ("sqlite", "1")])
def test_truth_values_are_literals_of_the_dialect(dialect, true):
    tree = by_class({"x": [1.0, 2.0] * 30}, [False, True] * 30)
    assert f"THEN {true}\n" in tree.export("sql", dialect=dialect)
    assert f'"b" = {true}' in to_sql(codes(), dialect=dialect)


def test_a_reason_is_null_only_where_no_row_can_stop():
    program = program_of(HARD["rows that stop"]())
    rows = check_rows(program).rows
    sql = to_sql(program.tree, dialect="duckdb", table="rows_", reason=True, leaf=True)
    assert ", NULL)" in sql
    with closing(DuckDB.open()) as database:
        database.fill(program, "rows_", rows)
        found = database.answers(sql.rstrip(";\n"))
    assert all(row["reason"] is not None for row in found)
    assert {row["leaf"] for row in found} == set(answered(program, rows).nodes)
