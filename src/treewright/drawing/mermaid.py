"""A tree as a mermaid flowchart, which many wikis and notebooks can draw."""

from __future__ import annotations

from collections.abc import Iterator

from treewright.drawing import labels
from treewright.drawing.shown import Shown, each_shown, short_label
from treewright.drawing.visible_nodes import MOST_LEAVES, VisibleNodes, visible_nodes
from treewright.tree import wording
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
    """Return a ``flowchart TD``, nodes named by numbers; see `Tree.to_mermaid`."""
    return "\n".join(_lines(tree, visible_nodes(tree, max_depth, max_leaves)))


def _lines(tree: TreeData, visible: VisibleNodes) -> Iterator[str]:
    yield "flowchart TD"
    words = visible.words(tree)
    if words:
        yield f"%% {words}"
    for shown in each_shown(tree, visible):
        shape = _shape(tree, shown)
        if shown.above < 0:
            yield shape
        else:
            label = _quoted(short_label(shown, _LONGEST))
            yield f'n{shown.above} -- "{label}" --> {shape}'


def _shape(tree: TreeData, shown: Shown) -> str:
    """Return a box with the column of a split, or a rounded one with an answer."""
    node, split, hidden = shown.node, shown.split, shown.hidden
    if split is not None and not hidden:
        return f'n{node}["{_quoted(labels.question(split))}"]'
    answer = labels.answer(tree, node)
    if tree.is_classifier:
        answer = answer.rpartition(" (")[0]
    answer = _quoted(answer)
    if hidden:
        return f'n{node}[["{answer}, + {wording.count(hidden, "leaf", "leaves")}"]]'
    return f'n{node}(["{answer}"])'


def _quoted(text: str) -> str:
    """Return text for a label in double quotes; special characters as numbers."""
    text = text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
    return "".join(c if c.isalnum() or c in _PLAIN else f"#{ord(c)};" for c in text)
