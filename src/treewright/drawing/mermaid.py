"""A tree as a mermaid flowchart, the text that many wikis and notebooks draw."""

from __future__ import annotations

from collections.abc import Iterator

from treewright.drawing import labels
from treewright.drawing.shown import Shown, each_shown, short_label
from treewright.drawing.visible_nodes import MOST_LEAVES, Folded, fold
from treewright.tree.data import TreeData

__all__ = ["to_mermaid"]

_LONGEST = 40
_PLAIN = frozenset(" .,-_+%()/≤…=")


def to_mermaid(
    tree: TreeData,
    *,
    max_depth: int | None = None,
    max_leaves: int | None = MOST_LEAVES,
) -> str:
    """Return lines from ``flowchart TD`` on, nodes named by numbers; see `Tree`."""
    return "\n".join(_lines(tree, fold(tree, max_depth, max_leaves)))


def _lines(tree: TreeData, folded: Folded) -> Iterator[str]:
    yield "flowchart TD"
    words = folded.words(tree)
    if words:
        yield f"%% {words}"
    for shown in each_shown(tree, folded):
        shape = _shape(tree, shown)
        if shown.above < 0:
            yield shape
        else:
            said = _quoted(short_label(shown, _LONGEST))
            yield f'n{shown.above} -- "{said}" --> {shape}'


def _shape(tree: TreeData, shown: Shown) -> str:
    """Return a box with a question, or a rounded one with an answer."""
    node, split, hidden = shown.node, shown.split, shown.hidden
    if split is not None and not hidden:
        return f'n{node}["{_quoted(labels.question(split))}"]'
    said = labels.answer(tree, node)
    if tree.is_classifier:
        said = said.rpartition(" (")[0]
    said = _quoted(said)
    if hidden:
        return f'n{node}[["{said}, + {labels.count(hidden, "leaf", "leaves")}"]]'
    return f'n{node}(["{said}"])'


def _quoted(text: str) -> str:
    """Return text for a label in double quotes; all signs as character numbers."""
    text = text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
    return "".join(c if c.isalnum() or c in _PLAIN else f"#{ord(c)};" for c in text)
