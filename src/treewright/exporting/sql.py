"""A tree as SQL: one CASE expression, a SELECT or a view.

A row that no question of a node places has NULL (or NaN) in its column, or a category
that the node does not list. SQL's NULL makes every comparison unknown, and CASE treats
unknown as false, so the branch of such rows is the ELSE branch wherever possible; in
other places "is it known" is written out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from treewright.errors import OptionError
from treewright.exporting.embedded_rows import embedded_lines
from treewright.exporting.heading import heading, plain
from treewright.exporting.program import (
    ALL_BRANCHES,
    STOP_HERE,
    AtMost,
    Intervals,
    IsMissing,
    OneOf,
    Program,
    ProgramNode,
    Question,
    Variable,
    program_of,
)
from treewright.exporting.sql_dialects import Dialect, dialect_called
from treewright.reading.conditions.condition import joined
from treewright.reading.conditions.rules import Rules
from treewright.tree.data import TreeData

__all__ = ["class_column", "to_sql"]

_AS = ("case", "select", "view")
_NEWLINE = "\0"  # stands for a line break in a name, which indenting must not move


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
        else a CASE expression.
    probabilities, leaf, reason : bool, default=False
        Add a column with the probability of each class, the number of the leaf, or the
        rule of the leaf in words. Not for a CASE expression.
    view : str, optional
        Name of the view; None: the table's name followed by ``_scored``.
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
    title = _title(program, dialect, form, table, check_rows)
    if form == "case":
        return f"{title}{_with_newlines(writer.prediction())}\n"
    wanted = _Wanted(probabilities=probabilities, leaf=leaf, reason=reason)
    select = _with_newlines(_select(writer, str(table), wanted))
    if form == "select":
        return f"{title}{select};\n"
    parts = (view or f"{table}_scored").split(".")
    name = ".".join(writer.dialect.name_of(part) for part in parts)
    return f"{title}CREATE VIEW {name} AS\n{select};\n"


def _with_newlines(sql: str) -> str:
    return sql.replace(_NEWLINE, "\n")


def _title(
    program: Program,
    dialect: str,
    form: str,
    table: str | None,
    check_rows: bool | int,
) -> str:
    """Return comments that say what the SQL is, and rows to check it with."""
    facts = {"format": "sql", "dialect": dialect, "form": form}
    if form != "case":
        facts["table"] = str(table).encode().hex()
    lines = [
        *(plain(line) for line in heading(program, units=False, **facts)),
        "",
        "NULL and NaN are missing; an unknown category counts as missing.",
        *embedded_lines(program, check_rows),
    ]
    return "".join(f"-- {line}".rstrip() + "\n" for line in lines)


@dataclass(frozen=True)
class _Wanted:
    """The columns to add besides the prediction."""

    probabilities: bool
    leaf: bool
    reason: bool

    @property
    def any(self) -> bool:
        return self.probabilities or self.leaf or self.reason


def _check(form: str, table: str | None, more: bool) -> None:
    if form not in _AS:
        raise OptionError(f"form must be 'case', 'select' or 'view'; got {form!r}.")
    if form == "case" and more:
        raise OptionError(
            "A CASE expression gives one column. Pass table= and form='select' to add "
            "probabilities, the leaf or the reason."
        )
    if form != "case" and table is None:
        raise OptionError(
            f"form={form!r} needs table=, the name of the table to score."
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
    prediction = dialect.name_of("prediction")
    if not wanted.any:
        case = _indented(writer.prediction(), 2)
        return f"SELECT\n  t.*,\n{case} AS {prediction}\nFROM {source} AS t"
    node = dialect.name_of("leaf")
    is_number = not program.is_classifier
    columns = [(writer.by_leaf(writer.answer, number=is_number), prediction)]
    if wanted.probabilities:
        columns += [
            (writer.by_leaf(writer.probability_of(i), number=True), name)
            for i, name in enumerate(_probability_names(writer))
        ]
    if wanted.reason:
        reasons = writer.by_leaf(writer.reason_of(), number=False)
        columns.append((reasons, dialect.name_of("reason")))
    added = ",\n".join(f"{_indented(sql, 2)} AS {name}" for sql, name in columns)
    inner = _indented(writer.nested(str), 4)
    return (
        f"SELECT\n  t.*,\n{added}\nFROM (\n  SELECT\n    t.*,\n{inner} AS {node}\n"
        f"  FROM {source} AS t{dialect.computed_once}\n) AS t"
    )


def _select_divided(writer: _Writer, source: str, wanted: _Wanted) -> str:
    """Return a SELECT for a tree in which a row may end in several leaves."""
    dialect, program = writer.dialect, writer.program
    prediction = dialect.name_of("prediction")
    if not program.is_classifier:
        case = _indented(writer.prediction(), 2)
        return f"SELECT\n  t.*,\n{case} AS {prediction}\nFROM {source} AS t"
    names = _probability_names(writer)
    inner = ",\n".join(
        f"{_indented(writer.total_of_class(i), 4)} AS {name}"
        for i, name in enumerate(names)
    )
    choice = _indented(writer.most_probable([f"t.{name}" for name in names]), 2)
    return (
        f"SELECT\n  t.*,\n{choice} AS {prediction}\nFROM (\n  SELECT\n    t.*,\n"
        f"{inner}\n  FROM {source} AS t{dialect.computed_once}\n) AS t"
    )


def class_column(dialect: str, label: Any) -> str:
    """Return the name of the column with the probability of a class."""
    return dialect_called(dialect).storable_name(f"probability_{label}")


def _probability_names(writer: _Writer) -> list[str]:
    """Return the quoted name of the column of each class."""
    dialect = writer.dialect
    names = (class_column(dialect.name, label) for label in writer.program.classes)
    return [dialect.name_of(name).replace("\n", _NEWLINE) for name in names]


class _Writer:
    """Writes the parts of a program in one dialect.

    Parameters
    ----------
    program : Program
        The program.
    dialect : Dialect
        The database.
    table : str
        What stands before the name of a column: ``t.`` or nothing.
    """

    def __init__(self, program: Program, dialect: Dialect, table: str) -> None:
        self.program = program
        self.dialect = dialect
        self._table = table

    # -- answers --------------------------------------------------------------------

    def prediction(self) -> str:
        """Return the expression that gives the answer."""
        if not self.program.divides_rows:
            case = self.nested(self.answer)
            return case if self.program.is_classifier else self._double(case)
        if not self.program.is_classifier:
            return self._double(self.divided(self.program.answers))
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

    def by_leaf(self, write: Callable[[int], str], *, number: bool) -> str:
        """Return an expression of the column ``leaf``; `number`: as a float64."""
        leaf = f"t.{self.dialect.name_of('leaf')}"
        whens = "".join(f"\n  WHEN {n} THEN {write(n)}" for n in self.program.ends)
        case = f"CASE {leaf}{whens}\nEND"
        return self._double(case) if number else case

    # -- the tree -------------------------------------------------------------------

    def nested(self, write: Callable[[int], str]) -> str:
        """Return CASE expressions within each other.

        Nested expressions ask only the questions on a row's path. Below the depth that
        the database allows, a subtree becomes a flat list of its rules.
        """
        depth, nodes = self.program.tree.depth, self.program.nodes
        deepest = self.dialect.deepest
        written: dict[int, str] = {}
        for node in reversed(nodes):
            at = int(depth[node.number])
            if at > deepest:
                continue
            if node.is_leaf:
                written[node.number] = write(node.number)
            elif at == deepest:
                written[node.number] = self._flat(node.number, write)
            else:
                parts = [written.pop(child) for child in node.children]
                stops = node.otherwise == STOP_HERE
                here = write(node.number) if stops else ""
                written[node.number] = self._case(node, parts, here)
        return written[0]

    def _case(self, node: ProgramNode, parts: Sequence[str], here: str) -> str:
        """Return the CASE expression of one node."""
        last = node.otherwise
        whens = [
            f"WHEN {self.goes_to(node, branch)}\nTHEN {_indented(part, 5).lstrip()}"
            for branch, part in enumerate(parts)
            if branch != last
        ]
        end = here if last == STOP_HERE else parts[last]
        body = "\n".join([*whens, f"ELSE {_indented(end, 5).lstrip()}"])
        return f"CASE\n{_indented(body, 2)}\nEND"

    def _flat(self, root: int, write: Callable[[int], str]) -> str:
        """Return one CASE expression with a WHEN for every end below a node."""
        paths: dict[int, dict[Any, str]] = {root: {}}
        whens: list[tuple[dict[Any, str], int]] = []
        end = root + int(self.program.tree.subtree_size[root])
        for node in self.program.nodes[root:end]:
            path = paths.pop(node.number)
            if node.is_leaf:
                whens.append((path, node.number))
                continue
            branches = [self.goes_to(node, b) for b in range(len(node.children))]
            for branch, child in enumerate(node.children):
                condition = branches[branch]
                if branch == node.otherwise:
                    condition = _none_of([*branches[:branch], *branches[branch + 1 :]])
                paths[child] = path | {_key(node, branch): _grouped(condition)}
            if node.otherwise == STOP_HERE:
                whens.append((path | {node.number: _none_of(branches)}, node.number))
        lines = "".join(
            f"\n  WHEN {' AND '.join(path.values())} THEN {write(number)}"
            for path, number in whens
        )
        return f"CASE{lines}\nEND"

    def goes_to(self, node: ProgramNode, branch: int) -> str:
        """Return the condition that one of the node's questions sends a row there.

        It is unknown or false for every other row. The branch of rows that no question
        places is not tested by this.
        """
        tests: list[str] = []
        unplaced: list[str] = []
        for question in node.questions:
            test = self._places(question, branch)
            if test is not None:
                tests.append(" AND ".join([*unplaced, test]))
            unplaced.append(self._does_not_place(question))
        if not tests:
            return "1 = 0"
        return (
            tests[0]
            if len(tests) == 1
            else "(" + " OR ".join(map(_grouped, tests)) + ")"
        )

    # -- questions ------------------------------------------------------------------

    def _places(self, question: Question, branch: int) -> str | None:
        """Return the test that a question sends a value to a branch, or None."""
        if isinstance(question, IsMissing):
            known = self._known(question.variable)
            return known if branch == 1 else f"NOT ({known})"
        if isinstance(question, OneOf):
            return self._one_of(question.variable, question.groups[branch])
        if isinstance(question, AtMost):
            return self._at_most(question, branch)
        return self._in_intervals(question, branch)

    def _at_most(self, question: AtMost, branch: int) -> str | None:
        variable, bound = question.variable, question.bound
        if question.below == question.above:
            return self._known(variable) if branch == question.below else None
        if variable.type == "bool":
            values = [
                x for x in (False, True) if (x <= bound) == (branch == question.below)
            ]
            return self._one_of(variable, values)
        if branch == question.below:
            return f"{self._column(variable)} <= {self._bound(variable, bound)}"
        if branch == question.above:
            above = f"{self._column(variable)} > {self._bound(variable, bound)}"
            return above + self._and_no_nan(variable)
        return None

    def _in_intervals(self, question: Intervals, branch: int) -> str | None:
        variable, edges = question.variable, question.bounds
        column = self._column(variable)
        tests = []
        for i, taken in enumerate(question.branches):
            if taken != branch:
                continue
            parts = []
            if i:
                parts.append(f"{column} > {self._bound(variable, edges[i - 1])}")
            if i < len(edges):
                parts.append(f"{column} <= {self._bound(variable, edges[i])}")
            no_nan = self._and_no_nan(variable) if i == len(edges) else ""
            tests.append((" AND ".join(parts) or self._known(variable)) + no_nan)
        if not tests:
            return None
        return (
            tests[0]
            if len(tests) == 1
            else "(" + " OR ".join(map(_grouped, tests)) + ")"
        )

    def _does_not_place(self, question: Question) -> str:
        """Return the test that a question sends a value nowhere; never unknown."""
        if isinstance(question, AtMost):
            return f"NOT ({self._known(question.variable)})"
        n = 2
        if isinstance(question, OneOf):
            n = len(question.groups)
        elif isinstance(question, Intervals):
            n = max(question.branches) + 1
        tests = [self._places(question, branch) for branch in range(n)]
        return _none_of([test for test in tests if test is not None])

    def _one_of(self, variable: Variable, labels: Sequence[Any]) -> str | None:
        literals = [self.dialect.literal(label) for label in labels]
        known = [each for each in literals if each is not None]
        if not known:
            return None
        column = self._column(variable)
        if variable.type == "text":
            column = self.dialect.exact_text.format(column)
        if len(known) == 1:
            return f"{column} = {known[0]}"
        return f"{column} IN ({', '.join(known)})"

    def _known(self, variable: Variable) -> str:
        """Return the test that a value is known; never unknown."""
        column = self._column(variable)
        if variable.labels:
            listed = self._one_of(variable, variable.labels) or "1 = 0"
            return f"{column} IS NOT NULL AND {listed}"
        return f"{column} IS NOT NULL" + self._and_no_nan(variable)

    def _and_no_nan(self, variable: Variable) -> str:
        if variable.type != "number":
            return ""
        column = self._column(variable)
        if self.dialect.is_nan:
            return f" AND NOT {self.dialect.is_nan}({column})"
        return f" AND {column} <> {self.dialect.nan}" if self.dialect.nan else ""

    def _column(self, variable: Variable) -> str:
        name = self.dialect.name_of(variable.name).replace("\n", _NEWLINE)
        return f"{self._table}{name}"

    def _bound(self, variable: Variable, bound: float) -> str:
        if variable.type == "number":
            return self.dialect.number(bound)
        return self.dialect.moment(variable, bound)

    # -- divided rows ---------------------------------------------------------------

    def divided(self, values: Sequence[float]) -> str:
        """Return the sum of the values of all nodes, weighted by a row's shares."""
        factors: dict[int, list[str]] = {0: []}
        terms = []
        for node in self.program.nodes:
            path = factors.pop(node.number)
            if node.is_leaf or node.otherwise == STOP_HERE:
                stays = [] if node.is_leaf else [self._share(node, STOP_HERE)]
                number = self.dialect.answer(float(values[node.number]))
                terms.append(" * ".join([number, *path, *stays]))
            for branch, child in enumerate(node.children):
                factors[child] = [*path, self._share(node, branch)]
        return "(" + "\n + ".join(terms) + ")"

    def total_of_class(self, place: int) -> str:
        """Return the probability of a class, added up over the leaves of a row."""
        return self._double(self.divided(self.program.probabilities[:, place].tolist()))

    def _share(self, node: ProgramNode, branch: int) -> str:
        """Return the share of a row that takes a branch (or stops)."""
        one, zero = self.dialect.answer(1.0), self.dialect.answer(0.0)
        whens = "".join(
            f" WHEN {self.goes_to(node, b)} THEN {one if b == branch else zero}"
            for b in range(len(node.children))
        )
        end = one if node.otherwise == branch else zero
        if node.otherwise == ALL_BRANCHES:
            end = self.dialect.answer(node.shares[branch])
        return f"CASE{whens} ELSE {end} END"

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


def _key(node: ProgramNode, branch: int) -> Any:
    """Return a key under which a condition replaces the wider ones above it.

    On a path, a bound of a column is never wider than the same bound further up.
    """
    question = node.questions[0]
    if len(node.questions) > 1 or not isinstance(question, AtMost):
        return node.number
    side = branch == question.below
    return question.variable.place, side, branch == node.otherwise


def _none_of(conditions: Sequence[str]) -> str:
    """Return the condition that none of some conditions is true; never unknown."""
    if not conditions:
        return "1 = 1"
    joined = " OR ".join(map(_grouped, conditions))
    return f"CASE WHEN {joined} THEN 0 ELSE 1 END = 1"


def _grouped(condition: str) -> str:
    return (
        f"({condition})" if " AND " in condition or " OR " in condition else condition
    )


def _indented(text: str, by: int) -> str:
    blanks = " " * by
    return blanks + text.replace("\n", "\n" + blanks)
