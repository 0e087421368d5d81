"""Splits with one branch for every category in the node.

Missing rows that the search places have a branch of their own, the last one. Ranks
count as categories here.
"""

from treewright.growing.reference.candidates import Candidate, Levels
from treewright.tree.data import MULTIWAY, STOP_HERE


def multiway(levels: Levels) -> list[Candidate]:
    """List the one split that a column offers, if it has one."""
    if not levels.differ:
        return []
    branches = [sums for _, sums in levels.known]
    groups: list[tuple[int, ...]] = [(int(code),) for code, _ in levels.known]
    route = STOP_HERE
    if levels.missing.n_rows:
        route = len(branches)
        branches.append(levels.missing)
        groups.append(())
    return [
        Candidate(
            levels.column,
            MULTIWAY,
            tuple(branches),
            route,
            levels.unknown,
            groups=tuple(groups),
        )
    ]
