"""A large tree as a table of rules that is joined to the rows, step by step.

The tree is cut into paths. A path goes from its head to a leaf, at every node into the
branch with the most nodes, so it is a flat list of exits: the first condition that
holds names the node where the row goes on, which is a leaf or the head of another path.
Each exit at least halves the nodes that are left, so a tree of n nodes needs at most
log2(n) + 1 steps, whatever its depth. A join with the table of rules ends each step:
the database computes the node once, and the next step compares plain numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from treewright.exporting.program import STOP_HERE, Program
from treewright.exporting.sql_conditions import Conditions, indented, none_of

__all__ = ["Path", "nodes_joined", "path_steps", "step_expressions"]

_FAN_OUT = 16  # of the search for the path on which a row goes on


@dataclass(frozen=True)
class Path:
    """A path down the tree.

    Attributes
    ----------
    head : int
        Its first node.
    nodes : tuple of (int, int)
        Each node before the last, with the branch that stays on the path.
    last : int
        The leaf at its end.
    """

    head: int
    nodes: tuple[tuple[int, int], ...]
    last: int


def path_steps(program: Program) -> list[list[Path]]:
    """Return the paths that each step asks about, in the order of their heads.

    Parameters
    ----------
    program : Program
        A program that does not divide rows.

    Returns
    -------
    list of list of Path
    """
    steps, heads = [], [0]
    while heads:
        paths = [_path_from(program, head) for head in heads]
        steps.append(paths)
        heads = sorted(
            child
            for path in paths
            for number, stays in path.nodes
            for branch, child in enumerate(program.nodes[number].children)
            if branch != stays and not program.nodes[child].is_leaf
        )
    return steps


def _path_from(program: Program, head: int) -> Path:
    size, number, nodes = program.tree.subtree_size, head, []
    while not program.nodes[number].is_leaf:
        children = program.nodes[number].children
        stays = int(np.argmax(size[list(children)]))
        nodes.append((number, stays))
        number = children[stays]
    return Path(head, tuple(nodes), number)


def nodes_joined(program: Program, steps: list[list[Path]]) -> list[int]:
    """Return the nodes that the table of rules holds: ends, and heads of paths."""
    heads = {path.head for paths in steps[1:] for path in paths}
    return sorted(heads.union(program.ends))


def step_expressions(conditions: Conditions, steps: list[list[Path]]) -> list[str]:
    """Return the expression of each step: the node in which it leaves a row.

    The first reads the row alone, step k also the column ``s{k - 1}.node``.
    """
    first = _exits(conditions, steps[0][0])
    others = [
        _search(conditions, f"s{k}.node", paths) for k, paths in enumerate(steps[1:], 1)
    ]
    return [first, *others]


def _exits(conditions: Conditions, path: Path) -> str:
    """Return where a row goes on that is at the head of a path."""
    whens = []
    for number, stays in path.nodes:
        node = conditions.program.nodes[number]
        for branch, child in enumerate(node.children):
            if branch not in (stays, node.otherwise):
                whens.append((conditions.goes_to(node, branch), child))
        if node.otherwise != stays:
            stops = node.otherwise == STOP_HERE
            other = number if stops else node.children[node.otherwise]
            whens.append((none_of([conditions.goes_to(node, stays)]), other))
    return _case(whens, str(path.last))


def _search(conditions: Conditions, node: str, paths: list[Path]) -> str:
    """Return where a row goes on; rows at the head of no path stay where they are."""
    if len(paths) <= _FAN_OUT:
        exits = [(f"{node} = {path.head}", _exits(conditions, path)) for path in paths]
        return _case(exits, node)
    size = _FAN_OUT
    while size * _FAN_OUT < len(paths):
        size *= _FAN_OUT
    parts = [paths[i : i + size] for i in range(0, len(paths), size)]
    ranges = [
        (f"{node} <= {part[-1].head}", _search(conditions, node, part))
        for part in parts
    ]
    return _case(ranges, node)


def _case(whens: Sequence[tuple[str, object]], end: str) -> str:
    if not whens:
        return end
    lines = "".join(
        f"\n  WHEN {condition} THEN {indented(str(then), 2).lstrip()}"
        for condition, then in whens
    )
    return f"CASE{lines}\n  ELSE {end}\nEND"
