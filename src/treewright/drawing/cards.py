"""The card of a node: its column or answer, the distribution of its rows, its size.

A card is drawn at (0, 0) and moved to its place later. The distribution is a bar
divided by the class shares; for numbers it is a strip with the middle half of the rows
as a box, the median as a line and the answer as a dot.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from treewright.drawing import labels
from treewright.drawing.marks import Box, Dot, Mark, Words
from treewright.drawing.measure import Measure, clipped
from treewright.drawing.palette import RAMP_INKS, class_ink
from treewright.drawing.shown import Shown, each_shown
from treewright.drawing.visible_nodes import Folded
from treewright.reading.answers.answer import class_shares
from treewright.tree import wording
from treewright.tree.answer import node_answers
from treewright.tree.data import TreeData

__all__ = [
    "LABEL_SIZE",
    "NARROWEST",
    "Card",
    "Scale",
    "class_inks",
    "make_cards",
    "scale_of",
]

LABEL_SIZE = 12.0
_MAIN, _SMALL = 13.5, 11.5
_PAD_X, _PAD_Y = 12.0, 9.0
_BAR = 8.0
_ROW_GAP = 7.0
_APART = 14.0
_WORD_GAP = 5.0
NARROWEST, _WIDEST = 92.0, 190.0
_WIDEST_LABEL = 160.0
_SEGMENT_GAP = 1.0
_STACKED = 2.5


Spread: TypeAlias = Callable[[float, float, float], Iterator[Mark]]
"""Draws the distribution of the rows, given x, y and the available width."""


@dataclass
class Card:
    """The text on a node, and its size."""

    node: int
    title: str
    main: str
    beside: str
    small: str
    small_right: str
    is_leaf: bool
    hidden: int
    label: str = ""
    label_width: float = 0.0
    value: str = ""
    on_path: bool = False
    width: float = 0.0
    height: float = 0.0
    spread: Spread = field(repr=False, default=lambda x, y, room: iter(()))
    down: bool = True
    ink: str = ""
    right: str = ""
    main_width: float = 0.0

    @property
    def right_size(self) -> float:
        """Font size at the right end of the first line."""
        return _MAIN if self.down or self.value else _SMALL

    def marks(self) -> Iterator[Mark]:
        """Draw the card with its top left corner at (0, 0)."""
        edge = "accent" if self.on_path else "line"
        thick = 2.0 if self.on_path else 1.0
        fill = "leaf" if self.is_leaf else "card"
        if self.hidden:
            for step in (2, 1):
                yield Box(
                    step * _STACKED, step * _STACKED, self.width, self.height,
                    "card", "line", 7.0,
                )  # fmt: skip
        yield Box(0, 0, self.width, self.height, fill, edge, 7.0, thick)
        if self.ink:
            yield Box(4, _PAD_Y, 3, self.height - 2 * _PAD_Y, self.ink, radius=1.5)
        right = self.width - _PAD_X
        y = _PAD_Y + 0.76 * _MAIN
        yield Words(_PAD_X, y, self.main, _MAIN, bold=True)
        if self.beside:
            yield Words(_PAD_X + self.main_width + _WORD_GAP, y, self.beside, _MAIN)
        if self.right:
            ink = "accent" if self.value else "text" if self.down else "muted"
            yield Words(right, y, self.right, self.right_size, ink, anchor="end")
        y = _PAD_Y + _MAIN + _ROW_GAP
        yield from self.spread(_PAD_X, y, self.width - 2 * _PAD_X)
        y += _BAR + _ROW_GAP + 0.76 * _SMALL - 1
        if self.small:
            yield Words(_PAD_X, y, self.small, _SMALL, "muted")
        if self.small_right:
            yield Words(right, y, self.small_right, _SMALL, "muted", anchor="end")


def make_cards(
    tree: TreeData,
    folded: Folded,
    path: Mapping[int, str],
    measure: Measure,
    *,
    down: bool,
) -> list[Card]:
    """Return the card of every node that is shown, in preorder.

    Parameters
    ----------
    tree : TreeData
        The tree.
    folded : Folded
        The nodes to show.
    path : mapping of int to str
        The nodes to highlight, each with the row's value there.
    measure : callable
        Returns the width of a text.
    down : bool
        Whether the tree grows down: cards then have three lines, otherwise two.

    Returns
    -------
    list of Card
    """
    spread = _spreads(tree, folded)
    inks = class_inks(tree) if tree.is_classifier else []
    cards = []
    for shown in each_shown(tree, folded):
        node = shown.node
        card = _card(tree, shown)
        card.on_path, card.value = node in path, path.get(node, "")
        card.spread, card.down = spread(node), down
        if card.is_leaf and inks:
            card.ink = inks[int(tree.label[node])]
        if shown.above >= 0:
            card.label = _fitted(shown.labels(), measure)
            card.label_width = measure(card.label, LABEL_SIZE, card.on_path)
        _sized(card, measure)
        cards.append(card)
    return cards


def _card(tree: TreeData, shown: Shown) -> Card:
    node, split, hidden = shown.node, shown.split, shown.hidden
    is_end = split is None or hidden > 0
    rows = labels.count(int(tree.n_rows[node]), "row")
    share = wording.percent(float(tree.share[node]))
    main, beside = labels.question(split) if split is not None else "", ""
    if is_end and tree.is_classifier:
        main, _, sure = labels.answer(tree, node).rpartition(" ")
        beside = sure.strip("()")
    elif is_end:
        main = labels.answer(tree, node)
        beside = "± " + wording.figures(labels.spread(tree, node))
    return Card(
        node=node,
        title=labels.details(tree, shown),
        main=main,
        beside=beside,
        small=f"+ {labels.count(hidden, 'leaf', 'leaves')}" if hidden else rows,
        small_right=rows if hidden else share,
        is_leaf=is_end,
        hidden=hidden,
    )


def _fitted(forms: Iterator[str], measure: Measure) -> str:
    """Return the first form that is narrow enough, or the last one clipped."""
    text = ""
    for text in forms:
        if measure(text, LABEL_SIZE, True) <= _WIDEST_LABEL:
            return text
    return clipped(text, _WIDEST_LABEL, LABEL_SIZE, True, measure)


def _sized(card: Card, measure: Measure) -> None:
    """Clip long texts, and set the width and height of the card."""
    room = _WIDEST - 2 * _PAD_X
    if card.value:
        card.value = clipped(card.value, 0.45 * room, _MAIN, False, measure)
    if not card.down:  # two lines: the number of rows moves up
        card.right, card.small, card.small_right = card.value or card.small, "", ""
    elif card.value or card.beside:
        card.right, card.beside = card.value or card.beside, ""
    ends = measure(card.right, card.right_size, False)
    ends += _APART if card.right else 0.0
    if card.beside:
        ends += measure(card.beside, _MAIN, False) + _WORD_GAP
    card.main = clipped(card.main, max(room - ends, 0.3 * room), _MAIN, True, measure)
    card.main_width = measure(card.main, _MAIN, True)
    second = measure(card.small, _SMALL, False) + _APART
    second += measure(card.small_right, _SMALL, False)
    card.width = max(NARROWEST, 2 * _PAD_X + max(card.main_width + ends, second))
    card.height = 2 * _PAD_Y + _MAIN + _ROW_GAP + _BAR
    if card.small:
        card.height += _ROW_GAP + _SMALL - 2


# -- the distribution of the rows ------------------------------------------------------


def class_inks(tree: TreeData) -> list[str]:
    """Return the colour of each class; beyond eight, only frequent ones get their own.

    With up to eight classes the order of the table decides, so that a colour keeps
    its meaning from one tree to the next.
    """
    n = tree.value.shape[1]
    ranks = np.arange(n)
    if n > 8:
        ranks[np.argsort(-tree.value[0], kind="stable")] = np.arange(n)
    return [class_ink(rank) for rank in ranks.tolist()]


@dataclass(frozen=True)
class Scale:
    """Maps a number of the target to a position between 0 and 1."""

    low: float
    high: float

    def at(self, value: float) -> float:
        """Return the position of a value; 0.5 if the range is empty."""
        span = self.high - self.low
        if not span > 0 or not np.isfinite(span):
            return 0.5
        return min(max((value - self.low) / span, 0.0), 1.0)


def scale_of(tree: TreeData, nodes: Sequence[int] | np.ndarray) -> Scale:
    """Return the range that the strips of these nodes show."""
    seen = np.concatenate(
        [node_answers(tree)[nodes, 0], tree.quartiles[nodes].ravel()]
        if len(tree.quartiles)
        else [node_answers(tree)[nodes, 0]]
    )
    seen = seen[np.isfinite(seen)]
    if not len(seen):
        return Scale(0.0, 1.0)
    return Scale(float(seen.min()), float(seen.max()))


def _spreads(tree: TreeData, folded: Folded) -> Callable[[int], Spread]:
    if tree.is_classifier:
        inks = class_inks(tree)
        shares = class_shares(tree, folded.nodes)
        rows = dict(zip(folded.nodes.tolist(), shares, strict=True))
        return lambda node: lambda x, y, room: _bar(rows[node], inks, x, y, room)
    scale = scale_of(tree, folded.nodes)
    return lambda node: lambda x, y, room: _strip(tree, node, scale, x, y, room)


def _bar(
    shares: np.ndarray, inks: Sequence[str], x: float, y: float, room: float
) -> Iterator[Mark]:
    """Divide a bar by class shares; classes without a colour form one grey part."""
    by_ink: dict[str, float] = {}
    for ink, share in zip(inks, shares.tolist(), strict=True):
        if share > 0:
            by_ink[ink] = by_ink.get(ink, 0.0) + share
    at = x
    for ink, share in by_ink.items():
        width = share * room
        # The gap shows the border to readers who cannot distinguish the colours.
        yield Box(at, y, max(width - _SEGMENT_GAP, 0.75), _BAR, ink)
        at += width


def _strip(
    tree: TreeData, node: int, scale: Scale, x: float, y: float, room: float
) -> Iterator[Mark]:
    middle = y + _BAR / 2
    yield Box(x, middle - 0.75, room, 1.5, "track")
    value = float(node_answers(tree)[node, 0])
    ink = RAMP_INKS[min(int(scale.at(value) * len(RAMP_INKS)), len(RAMP_INKS) - 1)]
    if len(tree.quartiles) and np.isfinite(tree.quartiles[node]).all():
        q1, median, q3 = (x + scale.at(q) * room for q in tree.quartiles[node].tolist())
        yield Box(q1, y, max(q3 - q1, 1.5), _BAR, ink)
        yield Box(median - 0.75, y - 1.5, 1.5, _BAR + 3, "text")
    if np.isfinite(value):
        yield Dot(x + scale.at(value) * room, middle, 3.0, "card", "text")
