"""A tree that divides rows among branches, as SQL: a sum over the leaves of a row."""

from __future__ import annotations

from collections.abc import Sequence

from treewright.exporting.program import ALL_BRANCHES, STOP_HERE, ProgramNode
from treewright.exporting.sql_conditions import Conditions, grouped, indented

__all__ = ["expected_value"]


def expected_value(conditions: Conditions, values: Sequence[float]) -> str:
    """Return the sum of the values of all nodes, weighted by a row's shares.

    The sum of a node has a CASE for each branch, so that a database reads only the
    branches that a row takes. Below half the depth that the database allows (a branch
    has a second CASE beside it), a subtree becomes a sum of products.

    Parameters
    ----------
    conditions : Conditions
        The program, in a dialect.
    values : sequence of float
        The value of each node.

    Returns
    -------
    str
    """
    program = conditions.program
    depth, deepest = program.tree.depth, conditions.dialect.deepest // 2
    written: dict[int, str] = {}
    for node in reversed(program.nodes):
        at = int(depth[node.number])
        if at > deepest:
            continue
        if node.is_leaf:
            written[node.number] = conditions.dialect.answer(values[node.number])
        elif at == deepest:
            written[node.number] = _sum_of_products(conditions, node.number, values)
        else:
            parts = [written.pop(child) for child in node.children]
            written[node.number] = _sum(conditions, node, parts, values[node.number])
    return written[0]


def _sum(
    conditions: Conditions, node: ProgramNode, parts: Sequence[str], here: float
) -> str:
    """Return the sum of a node from those of its children."""
    zero = conditions.dialect.answer(0.0)
    nowhere = grouped(conditions.goes_nowhere(node))
    terms = []
    for branch, part in enumerate(parts):
        taken = grouped(conditions.goes_to(node, branch))
        if node.otherwise == ALL_BRANCHES:
            share = conditions.dialect.answer(node.shares[branch])
            part = f"{_share(taken, share, conditions)} *\n{part}"
            taken = f"{taken} OR {nowhere}"
        elif node.otherwise == branch:
            taken = f"{taken} OR {nowhere}"
        terms.append(f"CASE WHEN {taken} THEN\n{indented(part, 2)}\nELSE {zero} END")
    if node.otherwise == STOP_HERE:
        stays = conditions.dialect.answer(here)
        terms.append(f"CASE WHEN {nowhere} THEN {stays} ELSE {zero} END")
    return "(" + "\n+ ".join(terms) + ")"


def _share(taken: str, share: str, conditions: Conditions) -> str:
    return f"CASE WHEN {taken} THEN {conditions.dialect.answer(1.0)} ELSE {share} END"


def _sum_of_products(conditions: Conditions, root: int, values: Sequence[float]) -> str:
    """Return the sum over the ends below a node, each times the shares on its path."""
    program, dialect = conditions.program, conditions.dialect
    factors: dict[int, list[str]] = {root: []}
    terms = []
    end = root + int(program.tree.subtree_size[root])
    for node in program.nodes[root:end]:
        path = factors.pop(node.number)
        if node.is_leaf or node.otherwise == STOP_HERE:
            stays = [] if node.is_leaf else [_factor(conditions, node, STOP_HERE)]
            number = dialect.answer(float(values[node.number]))
            terms.append(" * ".join([number, *path, *stays]))
        for branch, child in enumerate(node.children):
            factors[child] = [*path, _factor(conditions, node, branch)]
    return "(" + "\n + ".join(terms) + ")"


def _factor(conditions: Conditions, node: ProgramNode, branch: int) -> str:
    """Return the share of a row that takes a branch (or stops)."""
    dialect = conditions.dialect
    one, zero = dialect.answer(1.0), dialect.answer(0.0)
    whens = "".join(
        f" WHEN {conditions.goes_to(node, b)} THEN {one if b == branch else zero}"
        for b in range(len(node.children))
    )
    end = one if node.otherwise == branch else zero
    if node.otherwise == ALL_BRANCHES:
        end = dialect.answer(node.shares[branch])
    return f"CASE{whens} ELSE {end} END"
