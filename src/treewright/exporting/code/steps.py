"""A program as steps of one comparison each, for a short and fast loop.

A row is encoded as in `tables`. A step compares one of its numbers with a value and
names the next step for a smaller or equal number, for a larger one, and for NaN; the
complement ``~end`` of the place of a leaf ends the walk. A question about several
intervals or categories becomes a binary search of steps, since codes are numbers too.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from treewright.exporting.program import (
    STOP_HERE,
    AtMost,
    Intervals,
    IsMissing,
    OneOf,
    Program,
    Question,
)

__all__ = ["Steps", "steps_of"]


@dataclass
class Steps:
    """The steps of a program that does not divide rows.

    Attributes
    ----------
    value : list of float
        What a number is compared with.
    variable : list of int
        The place of the number in the encoded row.
    at_most, above, missing : list of int
        The next step, or the complement of the place of a leaf.
    first : int
        Where the walk begins: a step, or the complement of the place of a leaf.
    """

    value: list[float] = field(default_factory=list)
    variable: list[int] = field(default_factory=list)
    at_most: list[int] = field(default_factory=list)
    above: list[int] = field(default_factory=list)
    missing: list[int] = field(default_factory=list)
    first: int = 0

    def add(
        self, variable: int, value: float, at_most: int, above: int, missing: int
    ) -> int:
        """Append a step and return its number."""
        self.variable.append(variable)
        self.value.append(value)
        self.at_most.append(at_most)
        self.above.append(above)
        self.missing.append(missing)
        return len(self.value) - 1


def steps_of(program: Program) -> Steps:
    """Return a program that does not divide rows as steps.

    Parameters
    ----------
    program : Program
        The program.

    Returns
    -------
    Steps
    """
    steps = Steps()
    place = {number: i for i, number in enumerate(program.ends)}
    start: dict[int, int] = {}
    for node in reversed(program.nodes):  # children before parents
        if node.is_leaf:
            start[node.number] = ~place[node.number]
            continue
        targets = [start.pop(child) for child in node.children]
        stops = node.otherwise == STOP_HERE
        after = ~place[node.number] if stops else targets[node.otherwise]
        for question in reversed(node.questions):
            after = _asked(steps, question, targets, after)
        start[node.number] = after
    steps.first = start[0]
    return steps


def _asked(steps: Steps, question: Question, targets: list[int], after: int) -> int:
    """Add the steps of a question and return the first of them."""
    variable = question.variable.place
    if isinstance(question, IsMissing):
        missing, known = targets[:2]
        return steps.add(variable, math.inf, known, known, missing)
    runs: list[tuple[float, int]] = []  # upper bounds, and where to go from there
    for bound, branch in _bounds(question):
        target = targets[branch] if branch >= 0 else after
        if runs and runs[-1][1] == target:
            runs.pop()
        runs.append((bound, target))
    if len(runs) == 1:
        target = runs[0][1]
        return steps.add(variable, math.inf, target, target, after)
    return _searched(steps, variable, runs, after)


def _searched(
    steps: Steps, variable: int, runs: list[tuple[float, int]], missing: int
) -> int:
    """Add a binary search for the run of a number and return its first step."""
    if len(runs) == 1:
        return runs[0][1]
    middle = len(runs) // 2
    below = _searched(steps, variable, runs[:middle], missing)
    above = _searched(steps, variable, runs[middle:], missing)
    return steps.add(variable, runs[middle - 1][0], below, above, missing)


def _bounds(question: AtMost | Intervals | OneOf) -> list[tuple[float, int]]:
    """Return the upper bounds of a question with the branch of each; -1: none."""
    if isinstance(question, AtMost):
        return [(question.bound, question.below), (math.inf, question.above)]
    if isinstance(question, Intervals):
        bounds = (*question.bounds, math.inf)
        return list(zip(bounds, question.branches, strict=True))
    groups = enumerate(question.groups)
    branch_of = {label: branch for branch, group in groups for label in group}
    labels = enumerate(question.variable.labels)
    return [(code + 0.5, branch_of.get(label, -1)) for code, label in labels]
