"""The card of a node: its column or answer, the distribution of its rows, its size.

A card is drawn at (0, 0) and moved to its place later. The distribution is a bar
divided by the class shares; for numbers it is a strip with the middle half of the rows
as a box, the median as a line and the answer as a dot.

A card is as wide as its text needs, up to a limit. A longer name takes two lines, and
a name too long for these keeps its two ends.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from treewright.drawing import labels
from treewright.drawing.look import PLAIN, Look
from treewright.drawing.marks import Box, Dot, Mark, Words
from treewright.drawing.measure import Measure, middle_cut
from treewright.drawing.names import CLASSES, NUMBER, CardNames
from treewright.drawing.palette import CLASS_INKS, RAMP_INKS, class_ink
from treewright.drawing.shown import Shown, each_shown
from treewright.drawing.visible_nodes import VisibleNodes
from treewright.reading.answers.answer import class_shares
from treewright.reading.conditions.evidence import Evidence, evidence
from treewright.tree import wording
from treewright.tree.answer import node_answers
from treewright.tree.data import TreeData

__all__ = [
    "LABEL_SIZE",
    "NARROWEST",
    "SMALLEST_LETTERS",
    "Card",
    "Chart",
    "Scale",
    "class_inks",
    "has_many_classes",
    "make_cards",
    "own_inks",
    "scale_of",
]

LABEL_SIZE = 12.0
_MAIN, _SMALL = 13.5, 11.5
SMALLEST_LETTERS = _SMALL
_LINE, _SMALL_LINE = 17.0, 15.0
_PAD_X, _PAD_Y = 12.0, 9.0
_TIGHT_PAD, _TIGHT_NARROWEST = 9.0, 56.0
_BAR = 8.0
_ROW_GAP = 7.0
_APART = 14.0
_WORD_GAP = 5.0
NARROWEST, _WIDEST = 92.0, 250.0
_WIDEST_LABEL = 230.0
_SEGMENT_GAP = 1.0
_STACKED = 2.5


Draw: TypeAlias = Callable[[float, float, float], Iterator[Mark]]
"""Draws the distribution of the rows, given x, y and the available width."""


@dataclass(frozen=True)
class Chart:
    """A drawing in a card that is as wide as the card."""

    draw: Draw
    height: float = _BAR
    narrowest: float = 0.0


@dataclass
class Card:
    """The text on a node, and its size."""

    node: int
    title: str
    name: str
    key: int
    beside: str
    rows: str
    share: str
    is_leaf: bool
    hidden: int
    caption: str = ""
    small: str = ""
    small_right: str = ""
    more: list[str] = field(default_factory=list)
    label: str = ""
    label_width: float = 0.0
    value: str = ""
    on_path: bool = False
    width: float = 0.0
    height: float = 0.0
    chart: Chart = field(repr=False, default=Chart(lambda x, y, room: iter(())))
    down: bool = True
    ink: str = ""
    right: str = ""
    main: tuple[str, ...] = ()
    main_width: float = 0.0
    pad: float = _PAD_X
    narrowest: float = NARROWEST

    @property
    def right_size(self) -> float:
        """Font size at the right end of the first line."""
        return _MAIN if self.down or self.value else _SMALL

    @property
    def is_cut(self) -> bool:
        """Whether the name is not shown in full."""
        return "".join(self.main).replace(" ", "") != self.name.replace(" ", "")

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
        yield from self._first_lines()
        y = _PAD_Y + _MAIN + _LINE * (len(self.main) - 1) + _ROW_GAP
        yield from self.chart.draw(self.pad, y, self.width - 2 * self.pad)
        y += self.chart.height + _ROW_GAP + 0.76 * _SMALL - 1
        if self.small:
            yield Words(self.pad, y, self.small, _SMALL, "muted")
        if self.small_right:
            end = self.width - self.pad
            yield Words(end, y, self.small_right, _SMALL, "muted", anchor="end")
        y += _SMALL_LINE * bool(self.small or self.small_right)
        for line in self.more:
            yield Words(self.pad, y, line, _SMALL, "muted")
            y += _SMALL_LINE

    def _first_lines(self) -> Iterator[Mark]:
        y = _PAD_Y + 0.76 * _MAIN
        for number, line in enumerate(self.main):
            yield Words(self.pad, y + number * _LINE, line, _MAIN, bold=True)
        if self.beside:
            yield Words(self.pad + self.main_width + _WORD_GAP, y, self.beside, _MAIN)
        if self.right:
            ink = "accent" if self.value else "text" if self.down else "muted"
            end = self.width - self.pad
            yield Words(end, y, self.right, self.right_size, ink, anchor="end")


def make_cards(
    tree: TreeData,
    visible: VisibleNodes,
    path: Mapping[int, str],
    measure: Measure,
    look: Look = PLAIN,
    *,
    down: bool,
    charts: Mapping[int, Chart] | None = None,
) -> list[Card]:
    """Return the card of every node that is shown, in preorder.

    Parameters
    ----------
    tree : TreeData
        The tree.
    visible : VisibleNodes
        The nodes to show.
    path : mapping of int to str
        The nodes to highlight, each with the row's value there.
    measure : callable
        Returns the width of a text.
    look : Look, optional
        What the cards show.
    down : bool
        Whether the tree grows down: cards then have three lines, otherwise two.
    charts : mapping of int to Chart, optional
        Drawings that take the place of the distribution in some nodes.

    Returns
    -------
    list of Card
    """
    charts = charts or {}
    chart = _distributions(tree, visible)
    inks = own_inks(tree) if tree.is_classifier else []
    known = evidence(tree, visible.nodes) if "interval" in look.show else None
    cards = [_card(tree, shown, look) for shown in each_shown(tree, visible)]
    full = {card.key: card.name for card in cards if card.key != NUMBER}
    names = CardNames(full, _WIDEST - 2 * _PAD_X, _MAIN, measure)
    for place, shown in enumerate(each_shown(tree, visible)):
        node, card = shown.node, cards[place]
        card.on_path, card.value = node in path, path.get(node, "")
        card.chart, card.down = charts.get(node) or chart(node), down
        if card.rows and not (down or look.is_chosen):
            card.share = ""
        card.more = _more_lines(tree, node, place, known, look, measure)
        if card.is_leaf and inks:
            card.ink = inks[int(tree.label[node])]
        if shown.above >= 0:
            card.label = _fitted(shown.labels(), measure)
            card.label_width = measure(card.label, LABEL_SIZE, card.on_path)
        _sized(card, names, measure)
    return cards


def _card(tree: TreeData, shown: Shown, look: Look) -> Card:
    node, split, hidden = shown.node, shown.split, shown.hidden
    is_end = split is None or hidden > 0
    name, beside, key = "", "", NUMBER
    if is_end and tree.is_classifier:
        key = CLASSES - int(tree.label[node])
        name = labels.class_names(tree)[int(tree.label[node])]
        beside = look.percent(_own_share(tree, node))
    elif is_end:
        name = labels.number_answer(tree, node, look.digits)
        beside = "± " + look.figures(labels.spread(tree, node))
    elif split is not None:
        name, key = labels.question(split), split.column
    rows, share = _size_words(tree, shown, look)
    caption = ""
    if has_many_classes(tree) and not is_end and "shares" not in look.show:
        label = labels.class_names(tree)[int(tree.label[node])]
        caption = f"{label}: {look.percent(_own_share(tree, node))}"
    return Card(
        node=node,
        title=labels.details(tree, shown),
        name=name,
        key=key,
        beside=beside,
        rows=rows,
        share=share,
        is_leaf=is_end,
        hidden=hidden,
        caption=caption,
        pad=_TIGHT_PAD if look.is_tight else _PAD_X,
        narrowest=_TIGHT_NARROWEST if look.is_tight else NARROWEST,
    )


def _own_share(tree: TreeData, node: int) -> float:
    return float(node_answers(tree)[node, int(tree.label[node])])


def _size_words(tree: TreeData, shown: Shown, look: Look) -> tuple[str, str]:
    """Return the texts below the bar: the rows, and their share of all rows."""
    node, hidden = shown.node, shown.hidden
    rows = share = ""
    if "rows" in look.show:
        rows = wording.count(int(tree.n_rows[node]), "row")
    if "share" in look.show:
        share = look.percent(float(tree.share[node]))
    if hidden:
        rows, share = f"+ {wording.count(hidden, 'leaf', 'leaves')}", rows or share
    if look.numbers:
        rows = f"#{node}" + (f" · {rows}" if rows else "")
    return (rows, share) if rows else (share, "")


def _more_lines(
    tree: TreeData,
    node: int,
    place: int,
    known: Evidence | None,
    look: Look,
    measure: Measure,
) -> list[str]:
    """Return the lines that only some pictures have: all shares, the interval."""
    lines = []
    if "shares" in look.show and tree.is_classifier:
        lines.append(_shares_line(tree, node, look, measure))
    if known is not None:
        low, high = float(known.low[place]), float(known.high[place])
        write = look.percent if tree.is_classifier else look.figures
        if np.isfinite([low, high]).all():
            lines.append(f"95%: {write(low)} to {write(high)}")
    return lines


def _shares_line(tree: TreeData, node: int, look: Look, measure: Measure) -> str:
    """Return the shares of the classes, the largest first, as many as fit."""
    shares, names = class_shares(tree, np.array([node]))[0], labels.class_names(tree)
    order = np.argsort(-shares, kind="stable").tolist()
    present = [k for k in order if shares[k] > 0]
    room, line = _WIDEST - 2 * _PAD_X, ""
    for n, k in enumerate(present, 1):
        name = middle_cut(names[k], 0.5 * room, _SMALL, False, measure)
        part = f"{name}: {look.percent(float(shares[k]))}"
        longer = f"{line}, {part}" if line else part
        more = f", {len(present) - n} more" if n < len(present) else ""
        if line and measure(longer + more, _SMALL, False) > room:
            return f"{line}, {len(present) - n + 1} more"
        line = longer
    return line


def _fitted(forms: Iterator[str], measure: Measure) -> str:
    """Return the first form that is narrow enough, or the last one cut."""
    text = ""
    for text in forms:
        if measure(text, LABEL_SIZE, True) <= _WIDEST_LABEL:
            return text
    return middle_cut(text, _WIDEST_LABEL, LABEL_SIZE, True, measure)


def _sized(card: Card, names: CardNames, measure: Measure) -> None:
    """Fit the texts, and set the width and height of the card."""
    room = _WIDEST - 2 * card.pad
    if card.value:
        card.value = middle_cut(card.value, 0.45 * room, _MAIN, False, measure)
    if not card.down:  # the number of rows moves up into the first line
        figures = " · ".join(filter(None, (card.rows, card.share)))
        card.right = card.value or figures
        card.small = card.caption
    else:
        card.right, card.beside = card.value or card.beside, ""
        card.small, card.small_right = card.rows, card.share
        if card.caption:
            card.small, card.small_right = card.caption, card.rows or card.share
    ends = measure(card.right, card.right_size, False)
    ends += _APART if card.right else 0.0
    if card.beside:
        ends += measure(card.beside, _MAIN, False) + _WORD_GAP
    card.main = names.lines(card.name, card.key, (max(room - ends, 0.3 * room), room))
    widths = [measure(line, _MAIN, True) for line in card.main]
    card.main_width = widths[0]
    card.small = middle_cut(card.small, 0.62 * room, _SMALL, False, measure)
    second = measure(card.small, _SMALL, False)
    if card.small_right:
        second += _APART + measure(card.small_right, _SMALL, False)
    lines = [measure(line, _SMALL, False) for line in card.more]
    widest = max(widths[0] + ends, second, card.chart.narrowest, *widths[1:], *lines)
    card.width = max(card.narrowest, 2 * card.pad + widest)
    card.height = 2 * _PAD_Y + _MAIN + _LINE * (len(card.main) - 1)
    card.height += _ROW_GAP + card.chart.height
    n_small = len(card.more) + bool(card.small or card.small_right)
    if n_small:
        card.height += _ROW_GAP + _SMALL - 2 + _SMALL_LINE * (n_small - 1)


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


def has_many_classes(tree: TreeData) -> bool:
    """Whether there are more classes than colours.

    Then the answer of each card has full colour and its name, and all other classes
    are pale.
    """
    return tree.is_classifier and tree.value.shape[1] > len(CLASS_INKS)


def own_inks(tree: TreeData) -> list[str]:
    """Return the colour of each class on cards that answer it: never grey."""
    inks = class_inks(tree)
    if not has_many_classes(tree):
        return inks
    order = np.argsort(np.argsort(-tree.value[0], kind="stable"))
    return [CLASS_INKS[rank % len(CLASS_INKS)] for rank in order.tolist()]


def _distributions(tree: TreeData, visible: VisibleNodes) -> Callable[[int], Chart]:
    if not tree.is_classifier:
        scale = scale_of(tree, visible.nodes)
        return lambda node: Chart(
            lambda x, y, room: _strip(tree, node, scale, x, y, room)
        )
    inks, many = own_inks(tree), has_many_classes(tree)
    shares = class_shares(tree, visible.nodes)
    rows = dict(zip(visible.nodes.tolist(), shares, strict=True))

    def chart(node: int) -> Chart:
        own = int(tree.label[node])
        mine = [ink if k == own else "tint" for k, ink in enumerate(inks)]
        used = mine if many else inks
        return Chart(lambda x, y, room: _bar(rows[node], used, x, y, room))

    return chart


def _bar(
    shares: np.ndarray, inks: Sequence[str], x: float, y: float, room: float
) -> Iterator[Mark]:
    """Divide a bar by class shares."""
    at = x
    for ink, share in zip(inks, shares.tolist(), strict=True):
        if share <= 0:
            continue
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
