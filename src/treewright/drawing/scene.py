"""A picture of a tree before it has a format: everything at its place.

`compose` does the work that all formats share; `svg` and `matplotlib` translate.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from treewright.drawing import labels
from treewright.drawing.cards import LABEL_SIZE, Card, make_cards
from treewright.drawing.header import above, below, size_words
from treewright.drawing.marks import Flow, Mark, Words, moved
from treewright.drawing.measure import Measure, text_width
from treewright.drawing.places import (
    Places,
    growing_down,
    growing_right,
    least_width,
)
from treewright.drawing.visible_nodes import Folded
from treewright.errors import OptionError
from treewright.tree.data import TreeData

__all__ = ["Scene", "Spot", "compose"]

_MARGIN = 20.0
_WIDEST_FLOW, _THINNEST_FLOW = 24.0, 1.25
_WIDEST_DOWN = 1200.0
"""A tree that would be wider than this grows to the right unless told otherwise."""
_LEAST_ROOM = 380.0


@dataclass(frozen=True)
class Spot:
    """One node of the picture: what to draw, and what hovering tells."""

    node: int
    title: str
    marks: list[Mark]
    is_dim: bool = False


@dataclass(frozen=True)
class Scene:
    """The whole picture: what is behind the nodes, the nodes, and what is around."""

    width: float
    height: float
    title: str
    flows: list[Flow]
    spots: list[Spot]
    around: list[Mark]


def compose(
    tree: TreeData,
    folded: Folded,
    *,
    way: Mapping[int, str] | None = None,
    direction: str | None = None,
    measure: Measure = text_width,
) -> Scene:
    """Lay out a picture of the nodes that are shown.

    Parameters
    ----------
    tree : TreeData
        The tree.
    folded : Folded
        The nodes to show.
    way : mapping of int to str, optional
        The nodes that one row passes, to be highlighted, each with the row's value
        in the column that is asked there (empty at the last).
    direction : {'down', 'right'} or None, default=None
        Where the tree grows; None: down while it is not too wide.
    measure : callable, optional
        Width of a text in the font that will be used.

    Returns
    -------
    Scene
    """
    if direction not in (None, "down", "right"):
        raise OptionError(
            f"direction must be 'down', 'right' or None; got {direction!r}."
        )
    way = way or {}
    if direction is None and least_width(folded) > _WIDEST_DOWN:
        direction = "right"
    if direction != "right":
        cards = make_cards(tree, folded, way, measure, down=True)
        places = growing_down(folded, cards)
    if direction == "right" or (direction is None and places.width > _WIDEST_DOWN):
        cards = make_cards(tree, folded, way, measure, down=False)
        places = growing_right(folded, cards)

    room = max(places.width, _LEAST_ROOM)
    left = _MARGIN + (room - places.width) / 2 * places.is_down
    head, head_height = above(tree, folded, room, measure)
    foot, foot_height = below(tree, folded, room, measure)
    top = _MARGIN + head_height
    end = top + places.height
    return Scene(
        width=room + 2 * _MARGIN,
        height=end + foot_height + _MARGIN,
        title=f"Decision tree for {labels.target_name(tree)}: {size_words(tree)}",
        flows=list(_flows(tree, folded, places, cards, left, top)),
        spots=list(_spots(cards, places, left, top, bool(way))),
        around=[
            *(moved(mark, _MARGIN, _MARGIN) for mark in head),
            *(moved(mark, _MARGIN, end) for mark in foot),
        ],
    )


def _flows(
    tree: TreeData,
    folded: Folded,
    places: Places,
    cards: Sequence[Card],
    left: float,
    top: float,
) -> Iterator[Flow]:
    """Return the branches; those of one node leave it side by side."""
    shares = tree.share[folded.nodes].tolist()
    used = [0.0] * len(folded)
    for place, parent in enumerate(folded.parent):
        if parent < 0:
            continue
        before, used[parent] = used[parent], used[parent] + shares[place]
        aside = (before + shares[place] / 2 - shares[parent] / 2) * _WIDEST_FLOW
        x, y = places.leave[parent]
        x, y = (x + aside, y) if places.is_down else (x, y + aside)
        on_way = cards[place].on_way
        to_x, to_y = places.arrive[place]
        yield Flow(
            x + left,
            y + top,
            to_x + left,
            to_y + top,
            max(shares[place] * _WIDEST_FLOW, _THINNEST_FLOW),
            "accent" if on_way else "flow",
            places.is_down,
        )


def _spots(
    cards: Sequence[Card], places: Places, left: float, top: float, has_way: bool
) -> Iterator[Spot]:
    anchor = "middle" if places.is_down else "start"
    spots = zip(cards, places.corners, places.labels, strict=True)
    for card, (x, y), (label_x, label_y) in spots:
        marks = [moved(mark, x + left, y + top) for mark in card.marks()]
        if card.label:
            marks.append(
                Words(
                    label_x + left,
                    label_y + top,
                    card.label,
                    LABEL_SIZE,
                    "accent" if card.on_way else "text",
                    card.on_way,
                    anchor,
                )
            )
        yield Spot(card.node, card.title, marks, has_way and not card.on_way)
