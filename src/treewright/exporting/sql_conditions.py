"""Conditions in SQL: where the questions of a node send a row.

A row that no question of a node places has NULL (or NaN) in its column, or a category
that the node does not list. SQL's NULL makes every comparison unknown, which CASE
treats as false; in other places "is it known" is written out.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import Any

from treewright.exporting.program import (
    AtMost,
    Intervals,
    IsMissing,
    OneOf,
    Program,
    ProgramNode,
    Question,
    Variable,
)
from treewright.exporting.sql_dialects import Dialect

__all__ = ["NEWLINE", "Conditions", "grouped", "indented", "none_of"]

NEWLINE = "\0"
"""Stands for a line break in a name, which indenting must not move."""


class Conditions:
    """Writes the conditions of a program in one dialect.

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
            else "(" + " OR ".join(map(grouped, tests)) + ")"
        )

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
        if variable.type == "bool":
            values = [
                x for x in (False, True) if (x <= bound) == (branch == question.below)
            ]
            return self._one_of(variable, values)
        if branch == question.below:
            return f"{self._column(variable)} <= {self._bound(variable, bound)}"
        above = f"{self._column(variable)} > {self._bound(variable, bound)}"
        return above + self._and_no_nan(variable)

    def _in_intervals(self, question: Intervals, branch: int) -> str | None:
        variable, edges = question.variable, question.bounds
        if variable.type == "bool":
            places = {x: bisect_left(edges, x) for x in (False, True)}
            values = [x for x, i in places.items() if question.branches[i] == branch]
            return self._one_of(variable, values)
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
            test = " AND ".join(parts) + no_nan
            tests.append(test if parts else self._known(variable))
        if not tests:
            return None
        return (
            tests[0]
            if len(tests) == 1
            else "(" + " OR ".join(map(grouped, tests)) + ")"
        )

    def goes_nowhere(self, node: ProgramNode) -> str:
        """Return the test that no question of a node places a row; never unknown."""
        return " AND ".join(map(self._does_not_place, node.questions))

    def _does_not_place(self, question: Question) -> str:
        """Return the test that a question sends a value nowhere; never unknown."""
        if isinstance(question, IsMissing):
            return "1 = 0"
        if isinstance(question, AtMost):
            return f"NOT ({self._known(question.variable)})"
        if isinstance(question, OneOf):
            listed = [label for group in question.groups for label in group]
            tests = [self._one_of(question.variable, listed)]
        else:
            branches = range(max(question.branches) + 1)
            tests = [self._in_intervals(question, branch) for branch in branches]
        return none_of([test for test in tests if test is not None])

    def _one_of(self, variable: Variable, labels: Sequence[Any]) -> str | None:
        literals = [self.dialect.compared(label) for label in labels]
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
        name = self.dialect.name_of(variable.name).replace("\n", NEWLINE)
        return f"{self._table}{name}"

    def _bound(self, variable: Variable, bound: float) -> str:
        if variable.type == "number":
            return self.dialect.number(bound)
        return self.dialect.moment(variable, bound)


def none_of(conditions: Sequence[str]) -> str:
    """Return the condition that none of some conditions is true; never unknown."""
    if not conditions:
        return "1 = 1"
    joined = " OR ".join(map(grouped, conditions))
    return f"CASE WHEN {joined} THEN 0 ELSE 1 END = 1"


def grouped(condition: str) -> str:
    """Return a condition in parentheses if it has several parts."""
    several = " AND " in condition or " OR " in condition
    return f"({condition})" if several else condition


def indented(text: str, by: int) -> str:
    """Return text with blanks before each line."""
    blanks = " " * by
    return blanks + text.replace("\n", "\n" + blanks)
