"""A picture of a tree, independent of the format: all shapes at their places.

`compose` does the work that all formats share; `svg` and `matplotlib` draw the result.
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
"""A tree that would be wider than this grows to the right by default."""
_LEAST_ROOM = 380.0


@dataclass(frozen=True)
class Spot:
    """One node of the picture: its shapes, and its tooltip."""

    node: int
    title: str
    marks: list[Mark]
    is_dim: bool = False


@dataclass(frozen=True)
class Scene:
    """The whole picture: branches, nodes, and the texts around the tree."""

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
    path: Mapping[int, str] | None = None,
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
    path : mapping of int to str, optional
        The path of a row, to be highlighted: its nodes, each with the row's value in
        the node's column (empty for the last node).
    direction : {'down', 'right'} or None, default=None
        Where the tree grows; None: down unless it would be too wide.
    measure : callable, optional
        Returns the width of a text in the font that will be used.

    Returns
    -------
    Scene
    """
    if direction not in (None, "down", "right"):
        raise OptionError(
            f"direction must be 'down', 'right' or None; got {direction!r}."
        )
    path = path or {}
    if direction is None and least_width(folded) > _WIDEST_DOWN:
        direction = "right"
    if direction != "right":
        cards = make_cards(tree, folded, path, measure, down=True)
        places = growing_down(folded, cards)
    if direction == "right" or (direction is None and places.width > _WIDEST_DOWN):
        cards = make_cards(tree, folded, path, measure, down=False)
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
        spots=list(_spots(cards, places, left, top, bool(path))),
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
    """Yield the branches; those of one node leave it side by side."""
    shares = tree.share[folded.nodes].tolist()
    used = [0.0] * len(folded)
    for place, parent in enumerate(folded.parent):
        if parent < 0:
            continue
        before, used[parent] = used[parent], used[parent] + shares[place]
        aside = (before + shares[place] / 2 - shares[parent] / 2) * _WIDEST_FLOW
        x, y = places.leave[parent]
        x, y = (x + aside, y) if places.is_down else (x, y + aside)
        on_path = cards[place].on_path
        to_x, to_y = places.arrive[place]
        yield Flow(
            x + left,
            y + top,
            to_x + left,
            to_y + top,
            max(shares[place] * _WIDEST_FLOW, _THINNEST_FLOW),
            "accent" if on_path else "flow",
            places.is_down,
        )


def _spots(
    cards: Sequence[Card], places: Places, left: float, top: float, has_path: bool
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
                    "accent" if card.on_path else "text",
                    card.on_path,
                    anchor,
                )
            )
        yield Spot(card.node, card.title, marks, has_path and not card.on_path)
