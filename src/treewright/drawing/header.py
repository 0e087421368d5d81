"""The texts above and below the tree: its title, its size, the legend and the key."""

from __future__ import annotations

from collections.abc import Iterator

from treewright.drawing import labels
from treewright.drawing.cards import class_inks, has_many_classes, scale_of
from treewright.drawing.look import Look
from treewright.drawing.marks import Box, Dot, Mark, Words, moved
from treewright.drawing.measure import Measure, middle_cut, wrapped
from treewright.drawing.visible_nodes import VisibleNodes
from treewright.reading.answers.answer import middle_of
from treewright.tree import wording
from treewright.tree.data import TreeData

__all__ = ["above", "below", "size_words", "title_words"]

_TITLE, _SMALL = 16.0, 11.5
_LINE, _KEY_LINE = 20.0, 16.0
_SWATCH = 10.0
_WIDEST_ENTRY = 180.0


def size_words(tree: TreeData) -> str:
    """Return the size of a tree as text."""
    return ", ".join(
        (
            wording.count(tree.n_leaves, "leaf", "leaves"),
            f"depth {int(tree.depth.max())}",
            wording.count(int(tree.n_rows[0]), "row"),
        )
    )


def title_words(tree: TreeData, look: Look) -> str:
    """Return the title: the one that was asked for, or the name of the target."""
    return labels.target_name(tree) if look.title is None else look.title


def above(
    tree: TreeData,
    visible: VisibleNodes,
    look: Look,
    room: float,
    measure: Measure,
    *,
    is_down: bool = True,
) -> tuple[list[Mark], float]:
    """Return the title, the legend and the key, and the height they take."""
    size = size_words(tree)
    size_width = measure(size, _SMALL, False)
    beside = 10 + size_width < 0.6 * room
    name_room = room - size_width - 10 if beside else room
    name = middle_cut(title_words(tree, look), name_room, _TITLE, True, measure)
    marks: list[Mark] = [Words(0, _TITLE, name, _TITLE, bold=True)]
    y = _TITLE
    if beside:
        x = measure(name, _TITLE, True) + 10
        marks.append(Words(x, y, size, _SMALL, "muted"))
    else:
        for line in wrapped(size, room, _SMALL, measure):
            y += _KEY_LINE
            marks.append(Words(0, y, line, _SMALL, "muted"))
    y += 10
    if tree.is_classifier and not has_many_classes(tree):
        entries, height = _classes(tree, room, measure)
    elif tree.is_classifier:
        entries, height = [], 0.0
    else:
        entries, height = _numbers(tree, visible, look, room, measure)
    marks += [moved(mark, 0, y) for mark in entries]
    y += height
    key = "" if look.is_tight else _key(tree, look, is_down)
    for line in wrapped(key, room, _SMALL, measure):
        marks.append(Words(0, y + 10, line, _SMALL, "muted"))
        y += _KEY_LINE
    return marks, y + (4 if look.is_tight else 16)


def _classes(tree: TreeData, room: float, measure: Measure) -> tuple[list[Mark], float]:
    """Return one swatch per class."""
    marks: list[Mark] = []
    x = y = 0.0
    for name, ink in zip(labels.class_names(tree), class_inks(tree), strict=True):
        text = middle_cut(name, _WIDEST_ENTRY, _SMALL, False, measure)
        width = _SWATCH + 5 + measure(text, _SMALL, False)
        if x and x + width > room:
            x, y = 0.0, y + _LINE
        marks.append(Box(x, y + 1, _SWATCH, _SWATCH, ink, radius=2))
        marks.append(Words(x + _SWATCH + 5, y + 10, text, _SMALL))
        x += width + 16
    return marks, y + _LINE


def _numbers(
    tree: TreeData, visible: VisibleNodes, look: Look, room: float, measure: Measure
) -> tuple[list[Mark], float]:
    """Return a strip with its range, and the meaning of its parts."""
    scale = scale_of(tree, visible.nodes)
    y, width = 0.0, 96.0
    low, high = look.figures(scale.low), look.figures(scale.high)
    left = measure(low, _SMALL, False) + 7
    marks: list[Mark] = [
        Words(0, y + 10, low, _SMALL, "muted"),
        Box(left, y + 5.25, width, 1.5, "track"),
        Box(left + 26, y + 2, 40, 8, "r4"),
        Box(left + 42, y + 0.5, 1.5, 11, "text"),
        Dot(left + 54, y + 6, 3.0, "card", "text"),
        Words(left + width + 7, y + 10, high, _SMALL, "muted"),
    ]
    legend = "box: middle half of the rows; line: median; dot: the answer"
    x = left + width + 7 + measure(high, _SMALL, False) + 16
    if x + measure(legend, _SMALL, False) > room:
        x, y = 0.0, y + _LINE
    for line in wrapped(legend, max(room - x, 120), _SMALL, measure):
        marks.append(Words(x, y + 10, line, _SMALL, "muted"))
        y += _KEY_LINE
    return marks, y + 4


def _key(tree: TreeData, look: Look, is_down: bool) -> str:
    """Return what the figures of a card mean."""
    parts = []
    drawn = tree.is_classifier and len(tree.answer) > 0
    if has_many_classes(tree):
        parts.append("In a bar the node's own class has full colour, others are pale.")
    if tree.is_classifier:
        # An answer that is drawn towards the node above may differ from the bar.
        figure = (
            "Bar: the node's rows by class; beside a class: its probability"
            if drawn
            else "Beside a class: its share of the node's rows"
        )
    else:
        is_median = middle_of(tree) == "median"
        figure = "±: mean distance from the median" if is_median else ""
        figure = figure or "±: standard deviation"
    share = ""
    if "share" in look.show and (is_down or look.is_chosen):
        share = (
            f"; {'below' if is_down else 'at the right'}: the node's share of all rows"
        )
    parts.append(f"{figure}{share}.")
    if "interval" in look.show:
        of = "share of its class" if tree.is_classifier else "mean of the rows"
        parts.append(f"95%: interval of the {of}.")
    if look.numbers:
        parts.append("#: number of the node.")
    return " ".join(parts)


def below(
    tree: TreeData,
    visible: VisibleNodes,
    look: Look,
    notes: str,
    room: float,
    measure: Measure,
) -> tuple[list[Mark], float]:
    """Return the note about what is not shown, and its height."""
    hidden = visible.words(tree)
    if hidden and look.is_tight:
        nodes = wording.count(sum(1 for n in visible.hidden if n), "folded node")
        hidden = f"{sum(visible.hidden):,} leaves lie in {nodes}."
    lines = list(wrapped(f"{hidden} {notes}", room, _SMALL, measure))
    before = 6 if look.is_tight else 18
    height = before + 16 * len(lines) - 5 if lines else 0.0
    return list(_stacked(lines, before + 10)), height


def _stacked(lines: list[str], first: float) -> Iterator[Mark]:
    for number, line in enumerate(lines):
        yield Words(0, first + 16 * number, line, _SMALL, "muted")
