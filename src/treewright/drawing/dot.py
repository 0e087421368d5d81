"""A tree in the dot language, for graphviz and other programs that read it."""

from __future__ import annotations

from collections.abc import Iterator

from treewright.drawing import labels
from treewright.drawing.cards import class_inks
from treewright.drawing.palette import LIGHT
from treewright.drawing.shown import Shown, each_shown, short_label
from treewright.drawing.visible_nodes import MOST_LEAVES, VisibleNodes, visible_nodes
from treewright.tree import wording
from treewright.tree.data import TreeData

__all__ = ["to_dot"]

_LONGEST = 40
_WIDEST_EDGE, _THINNEST_EDGE = 10.0, 0.5


def to_dot(
    tree: TreeData,
    *,
    max_depth: int | None = None,
    max_leaves: int | None = MOST_LEAVES,
) -> str:
    """Return the tree as a ``digraph``, nodes named by numbers; see `Tree.to_dot`."""
    return "\n".join(_lines(tree, visible_nodes(tree, max_depth, max_leaves)))


def _lines(tree: TreeData, visible: VisibleNodes) -> Iterator[str]:
    yield "digraph tree {"
    words = visible.words(tree)
    if words:
        yield f"  label={_quoted(words, 400)}; labelloc=b; fontsize=10;"
    yield '  graph [fontname="Helvetica", ranksep=0.45, nodesep=0.25];'
    yield (
        '  node [shape=box, style="rounded,filled", fontname="Helvetica", '
        f'fontsize=11, color="{LIGHT["line"]}", fillcolor="{LIGHT["card"]}", '
        f'fontcolor="{LIGHT["text"]}"];'
    )
    yield (
        '  edge [arrowhead=none, fontname="Helvetica", fontsize=10, '
        f'color="{LIGHT["flow"]}", fontcolor="{LIGHT["text"]}"];'
    )
    for shown in each_shown(tree, visible):
        yield f"  {_node(tree, shown)}"
        if shown.above < 0:
            continue
        label = _quoted(f" {short_label(shown, _LONGEST)} ")
        width = max(float(tree.share[shown.node]) * _WIDEST_EDGE, _THINNEST_EDGE)
        yield (
            f"  n{shown.above} -> n{shown.node} [label={label}, penwidth={width:.2f}];"
        )
    yield "}"


def _node(tree: TreeData, shown: Shown) -> str:
    node, split, hidden = shown.node, shown.split, shown.hidden
    rows = wording.count(int(tree.n_rows[node]), "row")
    rows = f"{rows}, {wording.percent(float(tree.share[node]))}"
    more = ""
    if split is not None and not hidden:
        first = labels.question(split)
    else:
        first = labels.answer(tree, node)
        more = f', fillcolor="{LIGHT["leaf"]}"'
        if tree.is_classifier:
            ink = LIGHT[class_inks(tree)[int(tree.label[node])]]
            more += f', color="{ink}", penwidth=1.5'
    if hidden:
        rows += f", + {wording.count(hidden, 'leaf', 'leaves')}"
        more += ", peripheries=2"
    label = f"{_escaped(first, _LONGEST)}\\n{_escaped(rows, _LONGEST)}"
    return f'n{node} [label="{label}"{more}];'


def _quoted(text: str, longest: int = _LONGEST) -> str:
    return f'"{_escaped(text, longest)}"'


def _escaped(text: str, longest: int) -> str:
    """Return text for a label in double quotes.

    In dot, a backslash starts an escape and an ampersand an HTML entity.
    """
    text = text if len(text) <= longest else text[: longest - 1] + "…"
    text = text.replace("\\", "\\\\").replace("&", "&amp;")
    return text.replace('"', '\\"').replace("\n", " ").replace("\r", " ")
