"""A tree as CASE expressions: one within another, or a flat list of rules."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from treewright.exporting.program import STOP_HERE, AtMost, ProgramNode
from treewright.exporting.sql_conditions import Conditions, grouped, indented, none_of

__all__ = ["nested_case"]


def nested_case(conditions: Conditions, write: Callable[[int], str]) -> str:
    """Return CASE expressions within each other.

    Nested expressions ask only the questions on a row's path. Below the depth that the
    database allows, a subtree becomes a flat list of its rules.

    Parameters
    ----------
    conditions : Conditions
        The program, in a dialect.
    write : callable
        Gives what stands for a node where rows end.

    Returns
    -------
    str
    """
    program = conditions.program
    depth, deepest = program.tree.depth, conditions.dialect.deepest
    written: dict[int, str] = {}
    for node in reversed(program.nodes):
        at = int(depth[node.number])
        if at > deepest:
            continue
        if node.is_leaf:
            written[node.number] = write(node.number)
        elif at == deepest:
            written[node.number] = _flat(conditions, node.number, write)
        else:
            parts = [written.pop(child) for child in node.children]
            stops = node.otherwise == STOP_HERE
            here = write(node.number) if stops else ""
            written[node.number] = _case(conditions, node, parts, here)
    return written[0]


def _case(
    conditions: Conditions, node: ProgramNode, parts: Sequence[str], here: str
) -> str:
    """Return the CASE expression of one node.

    The branch of rows that no question places is the ELSE branch, because CASE treats
    an unknown comparison as false.
    """
    last = node.otherwise
    whens = [
        f"WHEN {conditions.goes_to(node, branch)}\nTHEN {indented(part, 5).lstrip()}"
        for branch, part in enumerate(parts)
        if branch != last
    ]
    end = here if last == STOP_HERE else parts[last]
    body = "\n".join([*whens, f"ELSE {indented(end, 5).lstrip()}"])
    return f"CASE\n{indented(body, 2)}\nEND"


def _flat(conditions: Conditions, root: int, write: Callable[[int], str]) -> str:
    """Return one CASE expression with a WHEN for every end below a node."""
    program = conditions.program
    paths: dict[int, dict[Any, str]] = {root: {}}
    whens: list[tuple[dict[Any, str], int]] = []
    end = root + int(program.tree.subtree_size[root])
    for node in program.nodes[root:end]:
        path = paths.pop(node.number)
        if node.is_leaf:
            whens.append((path, node.number))
            continue
        branches = [conditions.goes_to(node, b) for b in range(len(node.children))]
        for branch, child in enumerate(node.children):
            condition = branches[branch]
            if branch == node.otherwise:
                condition = none_of([*branches[:branch], *branches[branch + 1 :]])
            paths[child] = path | {_key(node, branch): grouped(condition)}
        if node.otherwise == STOP_HERE:
            whens.append((path | {node.number: none_of(branches)}, node.number))
    lines = "".join(
        f"\n  WHEN {' AND '.join(path.values())} THEN {write(number)}"
        for path, number in whens
    )
    return f"CASE{lines}\nEND"


def _key(node: ProgramNode, branch: int) -> Any:
    """Return a key under which a condition replaces the wider ones above it.

    On a path, a bound of a column is never wider than the same bound further up.
    """
    question = node.questions[0]
    if len(node.questions) > 1 or not isinstance(question, AtMost):
        return node.number
    side = branch == question.below
    return question.variable.place, side, branch == node.otherwise
