"""Where the nodes of a picture stand: a tidy layout of a tree of any shape.

Nodes of one depth stand side by side and never overlap; a parent stands in the
middle of its children; a subtree looks the same wherever it hangs; siblings between
two deep ones share the room that the deep ones need. Reingold and Tilford (1981)
gave these rules, Walker (1990) the last one.

Each finished subtree is known by its two outlines, the leftmost and the rightmost
edge on every level. Two neighbours are pushed apart where their outlines would
touch, and become one outline: the longer one is kept and the part that the shorter
one covers is written over. That costs the height of the shorter, and these heights
add up to less than the number of nodes. Nothing recurses.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

__all__ = ["tidy"]


class _Outline:
    """The edges of a subtree on one side, the deepest level first.

    The true place of an edge is the stored number plus `moved`, so that moving a
    subtree costs nothing.
    """

    __slots__ = ("edges", "moved")

    def __init__(self, edge: float) -> None:
        self.edges = [edge]
        self.moved = 0.0

    def __len__(self) -> int:
        return len(self.edges)

    def at(self, level: int) -> float:
        """Return the edge on a level; 0 is the top."""
        return self.edges[-1 - level] + self.moved

    def covered_by(self, other: _Outline) -> _Outline:
        """Return `other` where it reaches, and below that this outline."""
        if len(other) >= len(self):
            return other
        shift = other.moved - self.moved
        self.edges[len(self) - len(other) :] = [e + shift for e in other.edges]
        return self

    def topped(self, edge: float) -> _Outline:
        """Add a level on top."""
        self.edges.append(edge - self.moved)
        return self


def tidy(
    parent: Sequence[int],
    breadth: Sequence[float],
    *,
    gap: float = 1.0,
    cousin_gap: float | None = None,
) -> list[float]:
    """Return the middle of every node, across the direction in which the tree grows.

    Parameters
    ----------
    parent : sequence of int
        The node above each node, in preorder: -1 for the root, otherwise smaller
        than the node's own number.
    breadth : sequence of float
        The room that each node takes.
    gap : float, default=1.0
        Least distance between two siblings.
    cousin_gap : float or None, default=None
        Least distance between neighbours of different parents; None: as siblings.

    Returns
    -------
    list of float
        The leftmost edge of all is at 0.

    Examples
    --------
    >>> tidy([-1, 0, 0], [1, 1, 1])
    [1.5, 0.5, 2.5]
    """
    n = len(parent)
    further = gap if cousin_gap is None else cousin_gap
    children: list[list[int]] = [[] for _ in range(n)]
    for node in range(1, n):
        children[parent[node]].append(node)
    from_parent = [0.0] * n
    outlines: dict[int, tuple[_Outline, _Outline]] = {}
    for node in range(n - 1, -1, -1):
        half = breadth[node] / 2
        below = children[node]
        if not below:
            outlines[node] = _Outline(-half), _Outline(half)
            continue
        places, left, right = _side_by_side(
            [outlines.pop(child) for child in below], gap, further
        )
        middle = (places[0] + places[-1]) / 2
        for child, place in zip(below, places, strict=True):
            from_parent[child] = place - middle
        left.moved -= middle
        right.moved -= middle
        outlines[node] = left.topped(-half), right.topped(half)
    left, _ = outlines[0]
    return _absolute(parent, from_parent, min(e + left.moved for e in left.edges))


def _absolute(
    parent: Sequence[int], from_parent: Sequence[float], leftmost: float
) -> list[float]:
    places = [-leftmost]
    for above, step in zip(parent[1:], from_parent[1:], strict=True):
        places.append(places[above] + step)
    return places


def _side_by_side(
    subtrees: Sequence[tuple[_Outline, _Outline]], gap: float, further: float
) -> tuple[list[float], _Outline, _Outline]:
    """Place siblings next to each other; return their places and joint outlines."""
    left, right = subtrees[0]
    places = [0.0]
    slack = _Slack(len(subtrees))
    # Whose edge the right outline is, from the deepest to the shallowest: pairs of
    # (height, number of the sibling), heights falling.
    owners = [(len(right), 0)]
    for number, (its_left, its_right) in enumerate(subtrees[1:], 1):
        place = right.at(0) - its_left.at(0) + gap
        owner = len(owners) - 1
        for level in range(1, min(len(right), len(its_left))):
            while owners[owner][0] <= level:
                owner -= 1
            short = right.at(level) - its_left.at(level) - place + further
            if short > 0:
                place += short
                slack.give(owners[owner][1], number, short)
        places.append(place)
        its_left.moved += place
        its_right.moved += place
        height = len(its_left)
        left = its_left.covered_by(left)
        right = right.covered_by(its_right)
        while owners and owners[-1][0] <= height:
            owners.pop()
        owners.append((height, number))
    return slack.shared(places), left, right


class _Slack:
    """Room that opened between distant siblings, for those who stand between them.

    Sibling `far` was pushed away from `near` by a deep level that none of the
    siblings between them reaches. These move along, each by its part. They are all
    shallower than both, so none of them is in the joint outline.
    """

    def __init__(self, n: int) -> None:
        self.rate = [0.0] * n
        self.back = [0.0] * n

    def give(self, near: int, far: int, room: float) -> None:
        if far - near < 2:
            return
        part = room / (far - near)
        self.rate[near + 1] += part
        self.rate[far] -= part
        self.back[far] += part * (far - near - 1)

    def shared(self, places: list[float]) -> list[float]:
        moved, rate = [], 0.0
        by = 0.0
        for place, change, back in zip(places, self.rate, self.back, strict=True):
            rate += change
            by += rate - back
            moved.append(place + by)
        # Rounding must not undo the order.
        assert all(a <= b for a, b in pairwise(moved))
        return moved
