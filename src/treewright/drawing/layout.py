"""The positions of the nodes in a picture: a tidy layout of a tree of any shape.

Nodes of one depth are placed side by side and never overlap; a parent is centred
above its children; a subtree is drawn the same wherever it is; siblings between two
deep subtrees share the space between these. The rules are from Reingold and Tilford
(1981), the last one from Walker (1990).

Each finished subtree is described by two outlines, its leftmost and rightmost edge on
every level. Two neighbours are pushed apart until their outlines do not touch, and the
outlines are merged: the longer one is kept, and the part that the shorter one covers
is overwritten. The cost is the height of the shorter outline, and these heights add up
to less than the number of nodes. There is no recursion.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

__all__ = ["tidy"]


class _Outline:
    """The edges of a subtree on one side, the deepest level first.

    The position of an edge is the stored number plus `moved`, so that moving a
    subtree takes constant time.
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
        """Return `other` down to its last level, and this outline below."""
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
    """Return the centre of every node, across the direction in which the tree grows.

    Parameters
    ----------
    parent : sequence of int
        The parent of each node, in preorder: -1 for the root, otherwise smaller than
        the node's own number.
    breadth : sequence of float
        The space that each node needs.
    gap : float, default=1.0
        Minimum distance between two siblings.
    cousin_gap : float or None, default=None
        Minimum distance between neighbours with different parents; None: `gap`.

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
    # The siblings that form the right outline, the deepest first, as pairs of
    # (height, number of the sibling) with decreasing heights.
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
    """Free space between distant siblings, shared by the siblings between them.

    Sibling `far` was pushed away from `near` on a deep level that none of the siblings
    between them reaches. These move too, each by its part of the distance. All of them
    are shallower than both, so none of them is part of the joint outline.
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
        # Rounding must not change the order.
        assert all(a <= b for a, b in pairwise(moved))
        return moved
