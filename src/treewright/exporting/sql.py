"""A tree as SQL: one CASE expression, a SELECT or a view."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from treewright.errors import OptionError
from treewright.exporting.embedded_rows import embedded_lines
from treewright.exporting.heading import heading, plain
from treewright.exporting.program import Program, program_of
from treewright.exporting.sql_case import nested_case
from treewright.exporting.sql_conditions import NEWLINE, Conditions, indented
from treewright.exporting.sql_dialects import dialect_called
from treewright.exporting.sql_divided import expected_value
from treewright.exporting.sql_paths import nodes_joined, path_steps, step_expressions
from treewright.reading.conditions.condition import joined
from treewright.reading.conditions.rules import Rules
from treewright.tree import wording
from treewright.tree.data import TreeData

__all__ = ["class_column", "to_sql"]

_AS = ("case", "select", "view")
_RULES = "treewright_rules"
_MOST_IN_A_CASE = 1000  # for dialects that limit the leaves of a tree
# PostgreSQL compiled 2,000 leaves for 20 s and ran them in 0.2 s. DuckDB's optimizer
# took minutes for 407 leaves among which rows are divided, which ran in 2 s.
_MOST_IMPROVED = 300


def to_sql(
    tree: TreeData,
    *,
    dialect: str = "ansi",
    table: str | None = None,
    form: str | None = None,
    probabilities: bool = False,
    leaf: bool = False,
    reason: bool = False,
    view: str | None = None,
    prefix: str = "",
    check_rows: bool | int = False,
) -> str:
    """Return a tree as SQL.

    Parameters
    ----------
    tree : TreeData
        The tree.
    dialect : str, default='ansi'
        The database: 'ansi', 'postgresql', 'duckdb', 'sqlite', 'mysql' (and MariaDB),
        'bigquery', 'snowflake', 'spark' or 'tsql'.
    table : str, optional
        The table to score. Names with dots are quoted part by part.
    form : {'case', 'select', 'view'}, optional
        A CASE expression that gives the prediction, a SELECT with all columns of the
        table and the prediction, or a view of it. None: a SELECT if `table` is given,
        else a CASE expression. In a SELECT or a view, a tree that is too deep or too
        large for the database to nest becomes a table of rules joined to the rows.
    probabilities, leaf, reason : bool, default=False
        Add a column with the probability of each class, the number of the leaf, or the
        rule of the leaf in words. Not for a CASE expression.
    view : str, optional
        Name of the view; None: the table's name followed by ``_scored``.
    prefix : str, default=''
        Begins the names of the columns that are added, for tables that have a column
        ``prediction`` already: databases do not agree on which of two columns of one
        name a query means.
    check_rows : bool or int, default=False
        Whether to add rows with expected answers as comments, or how many at most.

    Returns
    -------
    str
    """
    program = program_of(tree)
    form = form or ("case" if table is None else "select")
    _check(form, table, probabilities or leaf or reason)
    writer = _Writer(program, dialect_called(dialect), "" if form == "case" else "t.")
    wanted = _Wanted(probabilities, leaf, reason, prefix)
    if form == "case":
        _refuse_large_case(writer)
    else:
        _refuse_second_column(writer, wanted)
    title = _title(writer, wanted, form, table, check_rows)
    if form == "case":
        return f"{title}{_with_newlines(writer.prediction())}\n"
    select = _with_newlines(_select(writer, str(table), wanted))
    if form == "select":
        return f"{title}{select};\n"
    parts = (view or f"{table}_scored").split(".")
    name = ".".join(writer.dialect.name_of(part) for part in parts)
    return f"{title}CREATE VIEW {name} AS\n{select};\n"


def _with_newlines(sql: str) -> str:
    return sql.replace(NEWLINE, "\n")


def _title(
    writer: _Writer,
    wanted: _Wanted,
    form: str,
    table: str | None,
    check_rows: bool | int,
) -> str:
    """Return comments that say what the SQL is, and rows to check it with."""
    program, dialect = writer.program, writer.dialect.name
    facts, added = {"format": "sql", "dialect": dialect, "form": form}, []
    if form != "case":
        facts["table"] = str(table).encode().hex()
        if wanted.prefix:
            facts["prefix"] = wanted.prefix.encode().hex()
        names = ", ".join(map(wording.name, writer.names(wanted)))
        added = [f"It adds these columns, which the table must not have: {names}."]
    lines = [
        *(plain(line) for line in heading(program, units=False, **facts)),
        "",
        "NULL and NaN are missing; an unknown category counts as missing.",
        *(plain(line) for line in added),
        *_advice(program, dialect),
        *embedded_lines(program, check_rows),
    ]
    return "".join(f"-- {line}".rstrip() + "\n" for line in lines)


def _advice(program: Program, dialect: str) -> list[str]:
    """Return a line that helps the database with a large tree."""
    setting = {"postgresql": "SET jit = off"}.get(dialect, "")
    if dialect == "duckdb" and program.divides_rows:
        setting = "PRAGMA disable_optimizer"
    if not setting or program.tree.n_leaves <= _MOST_IMPROVED:
        return []
    return [f"First run {setting}: improving this query takes longer than running it."]


@dataclass(frozen=True)
class _Wanted:
    """The columns to add besides the prediction, and how their names begin."""

    probabilities: bool
    leaf: bool
    reason: bool
    prefix: str

    @property
    def any(self) -> bool:
        return self.probabilities or self.leaf or self.reason


def _check(form: str, table: str | None, more: bool) -> None:
    if form not in _AS:
        raise OptionError(f"form must be 'case', 'select' or 'view'; got {form!r}.")
    if form == "case" and more:
        raise OptionError(
            "A CASE expression gives one column. Pass table='customers', the table to "
            "score, and form='select' to add probabilities, the leaf or the reason."
        )
    if form != "case" and table is None:
        raise OptionError(
            f"form={form!r} needs the name of the table to score: table='customers'."
        )


def _refuse_second_column(writer: _Writer, wanted: _Wanted) -> None:
    """Refuse to add a column that the training table had."""
    if not isinstance(wanted.prefix, str):
        raise OptionError(f"prefix must be a text; got {wanted.prefix!r}.")
    schema = writer.program.tree.schema
    known = {name.casefold(): name for name in (*schema.names, writer.program.target)}
    for name in writer.names(wanted):
        if name.casefold() in known:
            raise OptionError(
                f"The SQL would add a column {name!r}, but the tree was grown from a "
                f"table with a column {known[name.casefold()]!r}. Pass prefix='tree_', "
                "or another, to begin the names of the added columns with it."
            )


def _refuse_large_case(writer: _Writer) -> None:
    dialect, n = writer.dialect, writer.program.tree.n_leaves
    if dialect.most_leaves is not None and n > _MOST_IN_A_CASE:
        raise OptionError(
            f"{dialect.name} cannot read a CASE expression of {n:,} leaves; the limit "
            f"is {_MOST_IN_A_CASE:,}. Pass table='customers', the table to score, for "
            "a SELECT that joins the rows with a table of the tree's rules."
        )


def _select(writer: _Writer, table: str, wanted: _Wanted) -> str:
    dialect, program = writer.dialect, writer.program
    source = ".".join(dialect.name_of(part) for part in table.split("."))
    if program.divides_rows:
        if wanted.leaf or wanted.reason:
            raise OptionError(
                "This tree divides rows with missing values among leaves, so a row has "
                "no single leaf. Leave leaf and reason out."
            )
        return _select_divided(writer, source, wanted)
    if wanted.any or not dialect.fits(program.tree):
        return _select_joined(writer, source, wanted)
    case = indented(writer.prediction(), 2)
    prediction = dialect.name_of(f"{wanted.prefix}prediction")
    return f"SELECT\n  t.*,\n{case} AS {prediction}\nFROM {source} AS t"


def _select_joined(writer: _Writer, source: str, wanted: _Wanted) -> str:
    """Return a SELECT that joins the rows with a table of the tree's rules."""
    dialect, program = writer.dialect, writer.program
    nodes, expressions = program.ends, [nested_case(writer, str)]
    if not dialect.fits(program.tree):
        steps = path_steps(program)
        nodes = nodes_joined(program, steps)
        expressions = step_expressions(writer, steps)
    columns = writer.columns(wanted)
    rows = [[str(node), *(column.write(node) for column in columns)] for node in nodes]
    last = f"s{len(expressions)}"
    leaf = dialect.name_of(f"{wanted.prefix}leaf")
    added = [f"{last}.node AS {leaf}"] if wanted.leaf else []
    for column in columns:
        value = f"{last}.{column.plain}"
        shown = dialect.as_double.format(value) if column.is_number else value
        added.append(f"{shown} AS {column.name}")
    joins = "".join(
        f"\nLEFT JOIN {_RULES} AS s{i} ON s{i}.node =\n{indented(expression, 2)}"
        for i, expression in enumerate(expressions, 1)
    )
    answers = ",\n  ".join(["t.*", *added])
    table = dialect.table_of(_RULES, ["node", *(c.plain for c in columns)], rows)
    return f"WITH {table}\nSELECT\n  {answers}\nFROM {source} AS t{joins}"


def _select_divided(writer: _Writer, source: str, wanted: _Wanted) -> str:
    """Return a SELECT for a tree in which a row may end in several leaves."""
    dialect, program = writer.dialect, writer.program
    prediction = dialect.name_of(f"{wanted.prefix}prediction")
    if not program.is_classifier:
        case = indented(writer.prediction(), 2)
        return f"SELECT\n  t.*,\n{case} AS {prediction}\nFROM {source} AS t"
    names = _probability_names(writer, wanted.prefix)
    inner = ",\n".join(
        f"{indented(writer.total_of_class(i), 4)} AS {name}"
        for i, name in enumerate(names)
    )
    choice = indented(writer.most_probable([f"t.{name}" for name in names]), 2)
    return (
        f"SELECT\n  t.*,\n{choice} AS {prediction}\nFROM (\n  SELECT\n    t.*,\n"
        f"{inner}\n  FROM {source} AS t{dialect.computed_once}\n) AS t"
    )


def class_column(dialect: str, label: Any, prefix: str = "") -> str:
    """Return the name of the column with the probability of a class."""
    return dialect_called(dialect).storable_name(f"{prefix}probability_{label}")


def _probability_names(writer: _Writer, prefix: str) -> list[str]:
    """Return the quoted name of the column of each class."""
    dialect, classes = writer.dialect, writer.program.classes
    names = (class_column(dialect.name, label, prefix) for label in classes)
    return [dialect.name_of(name).replace("\n", NEWLINE) for name in names]


@dataclass(frozen=True)
class _Column:
    """A column of answers.

    Attributes
    ----------
    name : str
        Its quoted name in the result.
    plain : str
        Its name in the table of rules: a database may take the names of the columns of
        two classes, such as 'yes' and 'Yes', for the same.
    write : callable
        Gives the literal of a node.
    is_number : bool
        Whether it is a float64.
    """

    name: str
    plain: str
    write: Callable[[int], str]
    is_number: bool


class _Writer(Conditions):
    """Writes the answers of a program in one dialect."""

    def prediction(self) -> str:
        """Return the expression that gives the answer."""
        if not self.program.divides_rows:
            case = nested_case(self, self.answer)
            return case if self.program.is_classifier else self._double(case)
        if not self.program.is_classifier:
            return self._double(expected_value(self, self.program.answers))
        raise OptionError(
            "This tree divides rows with missing values among leaves, so its "
            "prediction needs the sum over leaves. Pass table= for a whole SELECT."
        )

    def _double(self, expression: str) -> str:
        return self.dialect.as_double.format(expression)

    def answer(self, node: int) -> str:
        """Return the answer of a node as a literal."""
        return self._literal(self.program.answers[node])

    def _literal(self, answer: Any) -> str:
        found = self.dialect.literal(answer)
        if found is None:
            raise OptionError(
                f"{self.dialect.name} cannot store the class {answer!r}, because it "
                "contains NUL. Rename the class before growing."
            )
        return found

    def probability_of(self, place: int) -> Callable[[int], str]:
        """Return a function that gives the probability of a class in a node."""
        shares = self.program.probabilities[:, place].tolist()
        return lambda node: self.dialect.answer(shares[node])

    def reason_of(self) -> Callable[[int], str]:
        """Return a function that gives the rule of a node as a text literal."""
        rules = {rule.node: rule for rule in Rules(self.program.tree)}

        def reason(node: int) -> str:
            if node not in rules:
                return "NULL"  # no row can stop here
            words = [condition.words() for condition in rules[node].conditions]
            return self._literal(joined(words, "and"))

        return reason

    def columns(self, wanted: _Wanted) -> list[_Column]:
        """Return the columns of answers."""
        is_number = not self.program.is_classifier
        prediction, reason = (
            self.dialect.name_of(f"{wanted.prefix}{name}")
            for name in ("prediction", "reason")
        )
        found = [_Column(prediction, "prediction", self.answer, is_number)]
        if wanted.probabilities:
            found += [
                _Column(name, f"p{i}", self.probability_of(i), True)
                for i, name in enumerate(_probability_names(self, wanted.prefix))
            ]
        if wanted.reason:
            found.append(_Column(reason, "reason", self.reason_of(), False))
        return found

    def names(self, wanted: _Wanted) -> list[str]:
        """Return the names of the columns that are added."""
        program = self.program
        # A tree that divides rows computes its classes from their probabilities.
        shares = wanted.probabilities or program.divides_rows
        return [
            *([f"{wanted.prefix}leaf"] if wanted.leaf else []),
            f"{wanted.prefix}prediction",
            *(
                class_column(self.dialect.name, label, wanted.prefix)
                for label in program.classes
                if shares
            ),
            *([f"{wanted.prefix}reason"] if wanted.reason else []),
        ]

    def total_of_class(self, place: int) -> str:
        """Return the probability of a class, added up over the leaves of a row."""
        shares = self.program.probabilities[:, place].tolist()
        return self._double(expected_value(self, shares))

    def most_probable(self, columns: Sequence[str]) -> str:
        """Return the class of least expected cost from columns of probabilities."""
        costs = self._expected_costs(columns)
        labels = [self._literal(label) for label in self.program.classes]
        whens = "".join(
            "\n  WHEN "
            + " AND ".join(f"{cost} <= {other}" for other in costs[i + 1 :])
            + f" THEN {labels[i]}"
            for i, cost in enumerate(costs[:-1])
        )
        return f"CASE{whens}\n  ELSE {labels[-1]}\nEND"

    def _expected_costs(self, columns: Sequence[str]) -> list[str]:
        target = self.program.tree.schema.target
        matrix = None if target is None else target.costs
        if matrix is None:
            return [f"(1 - {column})" for column in columns]
        return [
            "("
            + " + ".join(
                f"{self.dialect.number(row[answer])} * {column}"
                for row, column in zip(matrix, columns, strict=True)
            )
            + ")"
            for answer in range(len(columns))
        ]
