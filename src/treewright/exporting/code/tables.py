"""A program as tables of numbers, for a loop that any language can write in few lines.

A row is first encoded: numbers stay, a category becomes its position among the labels
of its variable, and what is missing or unseen becomes NaN. A question is then a sorted
list of values with a branch each. For an interval question the values are upper
bounds, the last one infinite; for a set question they are codes.

    branch of x at a node = the branch of the first value >= x
                            (for a set, if that value equals x), of the first question
                            that gives one; otherwise the node's own branch
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import accumulate

from treewright.exporting.program import AtMost, Intervals, OneOf, Program, Question

__all__ = ["INTERVALS", "IS_MISSING", "SET", "Tables", "tables_of"]

INTERVALS, SET, IS_MISSING = 0, 1, 2
"""Kinds of questions."""


@dataclass
class Tables:
    """The tables, each a flat list.

    Attributes
    ----------
    first_question, first_child : list of int, one entry per node and one more
        Where the questions and the children of each node begin.
    otherwise : list of int, one entry per node
        Branch of a row that no question places; -1: it stops; -2: it is divided.
    child : list of int
        The nodes of the branches.
    share : list of float
        The share of a divided row, parallel to `child`; empty if none is divided.
    kind, variable : list of int, one entry per question
        What to ask of which variable.
    first_value : list of int, one entry per question and one more
        Where the values of each question begin.
    value, branch : list of float, list of int
        The values of the questions, ascending, and the branch of each; -1: none.
    end_of : list of int, one entry per node
        Position among the nodes where rows end; -1 at the others.
    """

    first_question: list[int] = field(default_factory=list)
    first_child: list[int] = field(default_factory=list)
    otherwise: list[int] = field(default_factory=list)
    child: list[int] = field(default_factory=list)
    share: list[float] = field(default_factory=list)
    kind: list[int] = field(default_factory=list)
    variable: list[int] = field(default_factory=list)
    first_value: list[int] = field(default_factory=list)
    value: list[float] = field(default_factory=list)
    branch: list[int] = field(default_factory=list)
    end_of: list[int] = field(default_factory=list)


def tables_of(program: Program) -> Tables:
    """Return a program as tables.

    Parameters
    ----------
    program : Program
        The program.

    Returns
    -------
    Tables
    """
    nodes = program.nodes
    questions = [question for node in nodes for question in node.questions]
    asked = [list(_values(question)) for question in questions]
    place = {number: i for i, number in enumerate(program.ends)}
    shares = [share for n in nodes for share in (n.shares or (0.0,) * len(n.children))]
    return Tables(
        first_question=_starts([len(node.questions) for node in nodes]),
        first_child=_starts([len(node.children) for node in nodes]),
        otherwise=[node.otherwise for node in nodes],
        child=[child for node in nodes for child in node.children],
        share=shares if program.divides_rows else [],
        kind=[_kind(question) for question in questions],
        variable=[question.variable.place for question in questions],
        first_value=_starts([len(values) for values in asked]),
        value=[value for values in asked for value, _ in values],
        branch=[branch for values in asked for _, branch in values],
        end_of=[place.get(node.number, -1) for node in nodes],
    )


def _starts(lengths: list[int]) -> list[int]:
    return [0, *accumulate(lengths)]


def _kind(question: Question) -> int:
    if isinstance(question, AtMost | Intervals):
        return INTERVALS
    return SET if isinstance(question, OneOf) else IS_MISSING


def _values(question: Question) -> Iterator[tuple[float, int]]:
    if isinstance(question, AtMost):
        yield question.bound, question.below
        yield math.inf, question.above
    elif isinstance(question, Intervals):
        yield from zip((*question.bounds, math.inf), question.branches, strict=True)
    elif isinstance(question, OneOf):
        code_of = {label: i for i, label in enumerate(question.variable.labels)}
        yield from sorted(
            (float(code_of[label]), branch)
            for branch, group in enumerate(question.groups)
            for label in group
        )
