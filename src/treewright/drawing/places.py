"""The positions of the cards, for a tree that grows down or to the right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from treewright.drawing.cards import NARROWEST, Card
from treewright.drawing.layout import tidy
from treewright.drawing.look import PLAIN, Look
from treewright.drawing.visible_nodes import VisibleNodes

__all__ = ["Places", "growing_down", "growing_right", "least_width"]

_DOWN_GAPS = 14.0, 24.0
_RIGHT_GAPS = 7.0, 14.0
_RISE, _TIGHT_RISE = 50.0, 22.0
"""Space for the branches between two levels of a tree that grows down."""
_RUN, _TIGHT_RUN = 46.0, 22.0
"""The same for a tree that grows to the right."""
_LABEL_HEIGHT = 20.0
_LOW_LABEL = 17.0


@dataclass
class Places:
    """Top left corners of the cards, and the points where branches enter and leave."""

    corners: list[tuple[float, float]]
    arrive: list[tuple[float, float]]
    leave: list[tuple[float, float]]
    labels: list[tuple[float, float]]
    width: float
    height: float
    is_down: bool


def _depths(visible: VisibleNodes) -> list[int]:
    depths: list[int] = []
    for above in visible.parent:
        depths.append(depths[above] + 1 if above >= 0 else 0)
    return depths


def _largest(depths: Sequence[int], sizes: Sequence[float]) -> list[float]:
    """Return the largest size on each level."""
    largest = [0.0] * (max(depths) + 1)
    for depth, size in zip(depths, sizes, strict=True):
        largest[depth] = max(largest[depth], size)
    return largest


def _starts(sizes: Sequence[float], between: float) -> list[float]:
    """Return the start of each level when levels follow one another."""
    starts = [0.0]
    for size in sizes[:-1]:
        starts.append(starts[-1] + size + between)
    return starts


def _middles(
    visible: VisibleNodes,
    breadths: Sequence[float],
    levels: Sequence[int],
    gaps: tuple[float, float],
) -> list[float]:
    """Return the centres of the cards across the direction of growth.

    A leaf that stands below its own level keeps the way to it free: it hangs on a
    chain of nodes without breadth.
    """
    parent: list[int] = []
    breadth: list[float] = []
    place: list[int] = []
    for above, size, level, depth in zip(
        visible.parent, breadths, levels, _depths(visible), strict=True
    ):
        hangs_on = place[above] if above >= 0 else -1
        for _ in range(level - depth):
            parent.append(hangs_on)
            breadth.append(1.0)
            hangs_on = len(parent) - 1
        parent.append(hangs_on)
        breadth.append(size)
        place.append(len(parent) - 1)
    gap, cousin_gap = gaps
    middles = tidy(parent, breadth, gap=gap, cousin_gap=cousin_gap)
    return [middles[each] for each in place]


def _levels(
    visible: VisibleNodes, cards: Sequence[Card], align_leaves: bool
) -> list[int]:
    """Return the level on which each card stands."""
    depths = _depths(visible)
    if not align_leaves:
        return depths
    last = max(depths)
    return [last if c.is_leaf else d for c, d in zip(cards, depths, strict=True)]


def least_width(visible: VisibleNodes) -> float:
    """Return a lower bound on the width of a tree that grows down."""
    depths = _depths(visible)
    counts = [0] * (max(depths) + 1)
    for depth in depths:
        counts[depth] += 1
    return max(counts) * (NARROWEST + _DOWN_GAPS[0])


def growing_down(
    visible: VisibleNodes, cards: Sequence[Card], look: Look = PLAIN
) -> Places:
    """Place the cards level below level, each branch's label above its card."""
    depths = _levels(visible, cards, look.align_leaves)
    breadths = [max(card.width, card.label_width) for card in cards]
    middles = _middles(visible, breadths, depths, _DOWN_GAPS)
    labels = [_LABEL_HEIGHT if card.label else 0.0 for card in cards]
    heights = [card.height + label for card, label in zip(cards, labels, strict=True)]
    rise = _TIGHT_RISE if look.is_tight else _RISE
    levels = _starts(_largest(depths, heights), rise)
    tops = [levels[depth] for depth in depths]
    spots = list(zip(cards, middles, tops, labels, strict=True))
    return Places(
        corners=[(x - card.width / 2, y + label) for card, x, y, label in spots],
        arrive=[(x, y) for _, x, y, _ in spots],
        leave=[(x, y + label + card.height) for card, x, y, label in spots],
        labels=[(x, y + label - 7) for _, x, y, label in spots],
        width=max(x + b / 2 for x, b in zip(middles, breadths, strict=True)),
        height=max(y + label + card.height for card, _, y, label in spots),
        is_down=True,
    )


def growing_right(
    visible: VisibleNodes, cards: Sequence[Card], look: Look = PLAIN
) -> Places:
    """Place the cards level beside level, each branch's label above its card."""
    depths = _levels(visible, cards, look.align_leaves)
    for card, width in zip(cards, _each(depths, [c.width for c in cards]), strict=True):
        card.width = width
    labels = [_LOW_LABEL if card.label else 0.0 for card in cards]
    breadths = [card.height + label for card, label in zip(cards, labels, strict=True)]
    middles = _middles(visible, breadths, depths, _RIGHT_GAPS)
    tops = [m - b / 2 for m, b in zip(middles, breadths, strict=True)]
    widths = [max(card.width, card.label_width) for card in cards]
    run = _TIGHT_RUN if look.is_tight else _RUN
    levels = _starts(_largest(depths, widths), run)
    spots = list(zip(cards, depths, tops, labels, strict=True))
    return Places(
        corners=[(levels[d], y + label) for _, d, y, label in spots],
        arrive=[(levels[d], y + label + c.height / 2) for c, d, y, label in spots],
        leave=[
            (levels[d] + c.width, y + label + c.height / 2) for c, d, y, label in spots
        ],
        labels=[(levels[d] + 1, y + label - 5) for _, d, y, label in spots],
        width=max(levels[d] + w for d, w in zip(depths, widths, strict=True)),
        height=max(t + b for t, b in zip(tops, breadths, strict=True)),
        is_down=False,
    )


def _each(depths: Sequence[int], sizes: Sequence[float]) -> list[float]:
    """Return, for each node, the largest size on its level."""
    largest = _largest(depths, sizes)
    return [largest[depth] for depth in depths]
