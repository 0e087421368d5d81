"""What stands above and below the tree: its name, its size, the meaning of colours."""

from __future__ import annotations

from collections.abc import Iterator

from treewright.drawing import labels
from treewright.drawing.cards import class_inks, scale_of
from treewright.drawing.marks import Box, Dot, Mark, Words
from treewright.drawing.measure import Measure, clipped, wrapped
from treewright.drawing.visible_nodes import Folded
from treewright.tree import wording
from treewright.tree.data import TreeData

__all__ = ["above", "below", "size_words"]

_TITLE, _SMALL = 16.0, 11.5
_LINE = 20.0
_SWATCH = 10.0
_WIDEST_ENTRY = 180.0


def size_words(tree: TreeData) -> str:
    """Say how large a tree is."""
    return ", ".join(
        (
            labels.count(tree.n_leaves, "leaf", "leaves"),
            f"depth {int(tree.depth.max())}",
            labels.count(int(tree.n_rows[0]), "row"),
        )
    )


def above(
    tree: TreeData, folded: Folded, room: float, measure: Measure
) -> tuple[list[Mark], float]:
    """Return the title and the legend, and the height they take."""
    name = clipped(labels.target_name(tree), 0.6 * room, _TITLE, True, measure)
    beside = measure(name, _TITLE, True) + 10
    marks: list[Mark] = [
        Words(0, _TITLE, name, _TITLE, bold=True),
        Words(beside, _TITLE, size_words(tree), _SMALL, "muted"),
    ]
    legend = _classes if tree.is_classifier else _numbers
    entries, height = legend(tree, folded, room, measure)
    return marks + entries, _TITLE + 10 + height + 16


def _classes(
    tree: TreeData, folded: Folded, room: float, measure: Measure
) -> tuple[list[Mark], float]:
    """Return one swatch per class, the classes without a colour as one entry."""
    names, inks = labels.class_names(tree), class_inks(tree)
    entries = [pair for pair in zip(names, inks, strict=True) if pair[1] != "other"]
    others = len(names) - len(entries)
    if others:
        entries.append((f"{others} other classes", "other"))
    marks: list[Mark] = []
    x, y = 0.0, _TITLE + 10
    for name, ink in entries:
        text = clipped(name, _WIDEST_ENTRY, _SMALL, False, measure)
        width = _SWATCH + 5 + measure(text, _SMALL, False)
        if x and x + width > room:
            x, y = 0.0, y + _LINE
        marks.append(Box(x, y + 1, _SWATCH, _SWATCH, ink, radius=2))
        marks.append(Words(x + _SWATCH + 5, y + 10, text, _SMALL))
        x += width + 16
    return marks, y + _LINE - _TITLE - 10


def _numbers(
    tree: TreeData, folded: Folded, room: float, measure: Measure
) -> tuple[list[Mark], float]:
    """Return a strip with its range, and what its parts mean."""
    scale = scale_of(tree, folded.nodes)
    y, width = _TITLE + 10, 96.0
    low, high = wording.figures(scale.low), wording.figures(scale.high)
    left = measure(low, _SMALL, False) + 7
    marks: list[Mark] = [
        Words(0, y + 10, low, _SMALL, "muted"),
        Box(left, y + 5.25, width, 1.5, "track"),
        Box(left + 26, y + 2, 40, 8, "r4"),
        Box(left + 42, y + 0.5, 1.5, 11, "text"),
        Dot(left + 54, y + 6, 3.0, "card", "text"),
        Words(left + width + 7, y + 10, high, _SMALL, "muted"),
    ]
    said = "box: middle half of the rows; line: median; dot: the answer"
    x = left + width + 7 + measure(high, _SMALL, False) + 16
    if x + measure(said, _SMALL, False) > room:
        x, y = 0.0, y + _LINE
    for line in wrapped(said, max(room - x, 120), _SMALL, measure):
        marks.append(Words(x, y + 10, line, _SMALL, "muted"))
        y += _LINE - 4
    return marks, y + 4 - _TITLE - 10


def below(
    tree: TreeData, folded: Folded, room: float, measure: Measure
) -> tuple[list[Mark], float]:
    """Return the words on what was folded, and the height they take."""
    lines = list(wrapped(folded.words(tree), room, _SMALL, measure))
    return list(_stacked(lines)), (18 + 16 * len(lines) - 5) if lines else 0.0


def _stacked(lines: list[str]) -> Iterator[Mark]:
    for number, line in enumerate(lines):
        yield Words(0, 28 + 16 * number, line, _SMALL, "muted")
