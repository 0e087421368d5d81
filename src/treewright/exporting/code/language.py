"""What all programming languages share: nested conditions, comments and answers.

Every generated file encodes a row as numbers x0, x1, ... (see `tables`), finds the
place of its leaf among the leaves, and looks the answer up. Small trees become nested
conditions, each with the words of its rule; large or deep ones become tables.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from treewright.errors import OptionError
from treewright.exporting.code.tables import Tables, tables_of
from treewright.exporting.decimals import shortest
from treewright.exporting.embedded_rows import embedded_lines
from treewright.exporting.heading import heading, plain
from treewright.exporting.program import (
    STOP_HERE,
    AtMost,
    Intervals,
    IsMissing,
    OneOf,
    Program,
    ProgramNode,
    Question,
    Variable,
)
from treewright.tree import wording
from treewright.tree.split import split_of

__all__ = ["Language"]

_LONGEST_COMMENT = 100


class Language(ABC):
    """A programming language, and the program to be written in it.

    Parameters
    ----------
    program : Program
        The program.
    check_rows : bool or int, default=False
        Whether to append rows with expected answers, or how many at most.
    """

    comment = "//"
    indent = "  "
    infinity = "Infinity"
    opening, closing = " {", "}"
    and_, or_, not_ = " && ", " || ", "!"
    most_nested_nodes = 1000
    most_nested_depth = 40

    holds_nul = True

    def __init__(self, program: Program, check_rows: bool | int = False) -> None:
        self.program = program
        if not self.holds_nul:
            self._refuse_nul()
        self._check_rows = check_rows
        small = program.tree.n_nodes <= self.most_nested_nodes
        shallow = int(program.tree.depth.max()) <= self.most_nested_depth
        self.nested = small and shallow and not program.divides_rows

    def _refuse_nul(self) -> None:
        labels = [label for v in self.program.variables for label in v.labels]
        for text in (*labels, *self.program.classes):
            if isinstance(text, str) and "\0" in text:
                raise OptionError(
                    f"Texts of {type(self).__name__} cannot contain NUL, as {text!r} "
                    "does. Rename it before growing."
                )

    # -- what a language defines ----------------------------------------------------

    @abstractmethod
    def file(self) -> str:
        """Return the whole source file."""

    def is_missing(self, x: str) -> str:
        """Return the test that an encoded value is missing."""
        return f"isnan({x})"

    def is_true(self, condition: str) -> str:
        """Return a condition that is false, not missing, for a missing value."""
        return condition

    def returned(self, end: int) -> str:
        """Return the statement that gives the place of a leaf."""
        return f"return {end};"

    def if_(self, condition: str) -> str:
        """Return the beginning of a conditional block."""
        return f"if ({condition}){self.opening}"

    def else_if(self, condition: str) -> str:
        """Return the beginning of an alternative with a condition."""
        return f"{self.closing} else {self.if_(condition)}"

    def else_(self) -> str:
        """Return the beginning of the last alternative."""
        return f"{self.closing} else{self.opening}"

    def number(self, number: float) -> str:
        """Return a float64 literal."""
        if math.isinf(number):
            return self.infinity if number > 0 else f"-{self.infinity}"
        text = shortest(number)
        return text if "." in text or "e" in text else f"{text}.0"

    # -- shared parts ---------------------------------------------------------------

    @property
    def tables(self) -> Tables:
        """The program as tables."""
        return tables_of(self.program)

    def commented(self, lines: Sequence[str]) -> list[str]:
        """Return lines as comments."""
        return [f"{self.comment} {plain(line)}".rstrip() for line in lines]

    def title(self) -> list[str]:
        """Return the first lines of the file: what the tree is and what it reads."""
        language = type(self).__name__.lower()
        return self.commented(heading(self.program, format=language))

    def check_rows(self) -> list[str]:
        """Return rows with expected answers as comments, if they are wanted."""
        lines = embedded_lines(self.program, self._check_rows)
        return ["", *(f"{self.comment} {line}" for line in lines)] if lines else []

    def ends(self) -> list[int]:
        """Return the numbers of the nodes in which rows end."""
        return self.program.ends

    def labels_of_ends(self) -> list[int]:
        """Return the number of the class of each leaf."""
        return [int(self.program.tree.label[node]) for node in self.program.ends]

    def probabilities_of_ends(self) -> list[list[float]]:
        """Return the probabilities of the classes in each leaf."""
        found: list[list[float]] = self.program.probabilities[
            self.program.ends
        ].tolist()
        return found

    def values_of_ends(self) -> list[float]:
        """Return the number that each leaf answers."""
        return [float(self.program.answers[node]) for node in self.program.ends]

    def costs(self) -> list[list[float]]:
        """Return the cost of each answer (column) to each class (row)."""
        target = self.program.tree.schema.target
        k = len(self.program.classes)
        if target is not None and target.costs is not None:
            return [list(row) for row in target.costs]
        return [[float(i != j) for j in range(k)] for i in range(k)]

    # -- nested conditions ----------------------------------------------------------

    def conditions(self, indentation: int) -> list[str]:
        """Return the program as nested conditions, without recursion."""
        place = {number: i for i, number in enumerate(self.program.ends)}
        lines: list[str] = []
        waiting: list[tuple[str, Any, int]] = [("node", 0, indentation)]
        while waiting:
            what, item, depth = waiting.pop()
            blanks = self.indent * depth
            if what == "line":
                lines.append(blanks + item)
                continue
            node = self.program.nodes[item]
            if what == "stop" or node.is_leaf:
                returned = self.returned(place[node.number])
                lines.append(f"{blanks}{returned}{self._answer(node.number)}")
                continue
            waiting += reversed(self._parts(node, depth))
        return lines

    def _parts(self, node: ProgramNode, depth: int) -> list[tuple[str, Any, int]]:
        """Return the lines and subtrees of a node, in order."""
        order = [b for b in range(len(node.children)) if b != node.otherwise]
        parts: list[tuple[str, Any, int]] = []
        for place, branch in enumerate(order):
            condition = self.goes_to(node, branch)
            start = self.else_if(condition) if place else self.if_(condition)
            parts.append(("line", start + self._words(node, branch), depth))
            parts.append(("node", node.children[branch], depth + 1))
        last = node.otherwise
        words = "" if last == STOP_HERE else self._words(node, last)
        parts.append(("line", self.else_() + words, depth))
        if last == STOP_HERE:
            parts.append(("stop", node.number, depth + 1))
        else:
            parts.append(("node", node.children[last], depth + 1))
        return [*parts, ("line", self.closing, depth)] if self.closing else parts

    def _words(self, node: ProgramNode, branch: int) -> str:
        """Return the words of a branch as a comment."""
        split = split_of(self.program.tree, node.number)
        assert split is not None
        return self._remark(split.words(branch, missing=True, most=8))

    def _answer(self, node: int) -> str:
        """Return the answer of a node as a comment."""
        answer = self.program.answers[node]
        is_number = not self.program.is_classifier
        shown = wording.number(answer) if is_number else wording.value(answer)
        return self._remark(f"{wording.name(self.program.target)} = {shown}")

    def _remark(self, words: str) -> str:
        """Return a comment that stands behind a statement."""
        return f"  {self.comment} {_short(words)}"

    def goes_to(self, node: ProgramNode, branch: int) -> str:
        """Return the condition that a question of the node sends a row to a branch."""
        tests: list[str] = []
        unplaced: list[str] = []
        for question in node.questions:
            test = self._places(question, branch)
            if test:
                tests.append(self.and_.join([*unplaced, test]))
            unplaced.append(self._does_not_place(question))
        if len(tests) == 1:
            return tests[0]
        return self.or_.join(f"({test})" for test in tests) or self.never()

    def never(self) -> str:
        """Return a condition that is always false."""
        return "1 == 0"

    def _places(self, question: Question, branch: int) -> str:
        """Return the test that a question sends a value to a branch; "": it cannot."""
        x = self.variable(question.variable)
        if isinstance(question, IsMissing):
            missing = self.is_missing(x)
            return missing if branch == 0 else f"{self.not_}{missing}"
        if isinstance(question, AtMost):
            sign = "<=" if branch == question.below else ">"
            return self.is_true(f"{x} {sign} {self.number(question.bound)}")
        if isinstance(question, OneOf):
            return self._in_set(x, question, branch)
        return self._in_intervals(x, question, branch)

    def _in_set(self, x: str, question: OneOf, branch: int) -> str:
        code_of = {label: i for i, label in enumerate(question.variable.labels)}
        tests = [
            self.is_true(f"{x} == {self.number(float(code_of[label]))}")
            for label in question.groups[branch]
        ]
        return tests[0] if len(tests) == 1 else self._any(tests)

    def _in_intervals(self, x: str, question: Intervals, branch: int) -> str:
        tests = []
        for i, taken in enumerate(question.branches):
            if taken != branch:
                continue
            low = [f"{x} > {self.number(question.bounds[i - 1])}"] if i else []
            high = (
                [f"{x} <= {self.number(question.bounds[i])}"]
                if i < len(question.bounds)
                else []
            )
            parts = [self.is_true(each) for each in low + high]
            tests.append(self.and_.join(parts) or f"{self.not_}{self.is_missing(x)}")
        return self._any(tests)

    def _any(self, tests: list[str]) -> str:
        return (
            f"({self.or_.join(f'({t})' if self.and_ in t else t for t in tests)})"
            * bool(tests)
        )

    def _does_not_place(self, question: Question) -> str:
        if isinstance(question, AtMost):
            return self.is_missing(self.variable(question.variable))
        if isinstance(question, IsMissing):
            return self.never()
        n = (
            len(question.groups)
            if isinstance(question, OneOf)
            else max(question.branches) + 1
        )
        tests = [test for b in range(n) if (test := self._places(question, b))]
        return (
            f"{self.not_}({self.or_.join(tests)})"
            if tests
            else f"{self.not_}({self.never()})"
        )

    def variable(self, variable: Variable) -> str:
        """Return the name of an encoded variable."""
        return f"x[{variable.place}]"


def _short(words: str) -> str:
    return wording.cut(plain(words), _LONGEST_COMMENT)


def wrapped(items: Sequence[str], width: int = 88) -> str:
    """Return items separated by commas, in lines of at most about `width`."""
    lines, line = [], ""
    for item in items:
        if line and len(line) + len(item) + 2 > width:
            lines.append(line)
            line = ""
        line += (" " if line else "") + item + ","
    lines.append(line.rstrip(","))
    return "\n".join(lines)
