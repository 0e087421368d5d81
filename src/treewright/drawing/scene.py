"""A picture of a tree, independent of the format: all shapes at their places.

`compose` does the work that all formats share; `svg` and `matplotlib` draw the result.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from treewright.drawing import labels
from treewright.drawing.cards import LABEL_SIZE, Card, Chart, make_cards
from treewright.drawing.header import above, below, size_words, title_words
from treewright.drawing.look import PLAIN, Look
from treewright.drawing.marks import Flow, Mark, Words, moved
from treewright.drawing.measure import Measure, text_width
from treewright.drawing.places import (
    Places,
    growing_down,
    growing_right,
    least_width,
)
from treewright.drawing.shown import each_shown
from treewright.drawing.visible_nodes import VisibleNodes
from treewright.errors import OptionError
from treewright.tree import wording
from treewright.tree.data import TreeData

__all__ = ["LEAST_ROOM", "TIGHT_MARGIN", "Scene", "Spot", "compose", "outline"]

MARGIN, TIGHT_MARGIN = 20.0, 6.0
_WIDEST_FLOW, _THINNEST_FLOW = 24.0, 1.25
SCREEN = 1200.0, 1800.0
"""Width and height that a reader sees without loss; larger pictures are shrunk."""
LEAST_ROOM = 380.0
_LONGEST, _LONGEST_NUMBER = 300, 40


@dataclass(frozen=True)
class Spot:
    """One node of the picture: its shapes, and its tooltip."""

    node: int
    title: str
    marks: list[Mark]
    is_dim: bool = False


@dataclass(frozen=True)
class Scene:
    """The whole picture: branches, nodes, and the texts around the tree.

    `outline` is the tree for readers who do not see the picture.
    """

    width: float
    height: float
    title: str
    outline: str
    flows: list[Flow]
    spots: list[Spot]
    around: list[Mark]


def compose(
    tree: TreeData,
    visible: VisibleNodes,
    *,
    path: Mapping[int, str] | None = None,
    direction: str | None = None,
    measure: Measure = text_width,
    look: Look = PLAIN,
    charts: Mapping[int, Chart] | None = None,
    notes: str = "",
    least_room: float = LEAST_ROOM,
    screen: tuple[float, float] = SCREEN,
) -> Scene:
    """Lay out a picture of the nodes that are shown.

    Parameters
    ----------
    tree : TreeData
        The tree.
    visible : VisibleNodes
        The nodes to show.
    path : mapping of int to str, optional
        The path of a row, to be highlighted: its nodes, each with the row's value in
        the node's column (empty for the last node).
    direction : {'down', 'right'} or None, default=None
        Where the tree grows; None: where it is easier to read.
    measure : callable, optional
        Returns the width of a text in the font that will be used.
    look : Look, optional
        What the cards show.
    charts : mapping of int to Chart, optional
        Drawings that take the place of the distribution in some nodes.
    notes : str, optional
        A sentence to write below the tree.
    least_room : float, optional
        Width of the texts above and below, even if the tree is narrower.
    screen : tuple of float, optional
        Width and height that a reader sees; they decide the direction.

    Returns
    -------
    Scene
    """
    if direction not in (None, "down", "right"):
        raise OptionError(
            f"direction must be 'down', 'right' or None; got {direction!r}."
        )
    path = path or {}
    margin = TIGHT_MARGIN if look.is_tight else MARGIN
    cards, places = max(
        _placed(tree, visible, path, measure, look, direction, charts),
        key=lambda form: _legibility(form[0], form[1], screen),
    )
    room = max(places.width, least_room)
    left = margin + (room - places.width) / 2 * places.is_down
    is_down = places.is_down
    head, head_height = above(tree, visible, look, room, measure, is_down=is_down)
    foot, foot_height = below(tree, visible, look, notes, room, measure)
    top = margin + head_height
    end = top + places.height
    return Scene(
        width=room + 2 * margin,
        height=end + foot_height + margin,
        title=f"Decision tree for {title_words(tree, look)}: {size_words(tree)}",
        outline=outline(tree, visible),
        flows=list(_flows(tree, visible, places, cards, left, top)),
        spots=list(_spots(cards, places, left, top, bool(path))),
        around=[
            *(moved(mark, margin, margin) for mark in head),
            *(moved(mark, margin, end) for mark in foot),
        ],
    )


def _placed(
    tree: TreeData,
    visible: VisibleNodes,
    path: Mapping[int, str],
    measure: Measure,
    look: Look,
    direction: str | None,
    charts: Mapping[int, Chart] | None,
) -> Iterator[tuple[list[Card], Places]]:
    """Yield the cards and their places for each direction that is allowed."""
    for way, grow in (("down", growing_down), ("right", growing_right)):
        hopeless = way == "down" and least_width(visible) > 4 * SCREEN[0]
        if direction not in (None, way) or (direction is None and hopeless):
            continue
        cards = make_cards(
            tree, visible, path, measure, look, down=way == "down", charts=charts
        )
        yield cards, grow(visible, cards, look)


def _legibility(
    cards: Sequence[Card], places: Places, screen: tuple[float, float]
) -> float:
    """Return how easily a picture is read: the size of its letters, and whole names."""
    width, height = screen
    scale = min(1.0, width / places.width, height / places.height)
    cut = sum(card.is_cut for card in cards) / len(cards)
    return scale * (1 - cut / 2)


def outline(tree: TreeData, visible: VisibleNodes) -> str:
    """Return the tree as an outline: one numbered line per node.

    Its sentences suit a screen reader: "2.1. If island = Dream: Adelie (77.5%),
    120 rows."
    """
    lines, numbers, n_below = [], [""], [0] * len(visible)
    for place, (shown, parent) in enumerate(
        zip(each_shown(tree, visible), visible.parent, strict=True)
    ):
        if parent >= 0:
            n_below[parent] += 1
            number = f"{numbers[parent]}{n_below[parent]}."
            numbers.append(number if len(number) < _LONGEST_NUMBER else "…")
        where = f"If {shown.condition()}" if parent >= 0 else "All rows"
        rows = wording.count(int(tree.n_rows[shown.node]), "row")
        ends = "" if shown.split is None else f"; asks {labels.question(shown.split)}"
        if shown.hidden:
            ends += f", {wording.count(shown.hidden, 'leaf', 'leaves')} not shown"
        said = f"{where}: {labels.answer(tree, shown.node)}, {rows}{ends}."
        lines.append(f"{numbers[place]} {wording.cut(said, _LONGEST)}".strip())
    return "\n".join(lines)


def _flows(
    tree: TreeData,
    visible: VisibleNodes,
    places: Places,
    cards: Sequence[Card],
    left: float,
    top: float,
) -> Iterator[Flow]:
    """Yield the branches; those of one node leave it side by side."""
    shares = tree.share[visible.nodes].tolist()
    used = [0.0] * len(visible)
    for place, parent in enumerate(visible.parent):
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
