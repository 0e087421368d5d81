"""The text of a tree on a terminal: in colour through rich, in ASCII where need be."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, Any

from treewright.errors import TreewrightError
from treewright.reading.answers.answer import classes
from treewright.reading.text.text import text
from treewright.tree import wording
from treewright.tree.data import TreeData

if TYPE_CHECKING:
    from rich.text import Text

__all__ = ["MOST_PRINTED", "can_draw", "coloured", "show"]

MOST_PRINTED = 200
"""Leaves that print writes before it folds."""

_CLASS_STYLES = ("blue", "green", "magenta", "cyan", "yellow", "red")
_RAILS = re.compile(r"^[\s│├└─]+")


def can_draw(stream: Any) -> bool:
    """Whether a stream takes the characters that draw a tree."""
    encoding = getattr(stream, "encoding", None) or "utf-8"
    try:
        "│├└─".encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def show(tree: TreeData, max_depth: int | None, max_leaves: int | None) -> None:
    """Print the text of a tree, in colour where the terminal can and rich is there."""
    plain = not can_draw(sys.stdout)
    said = text(tree, max_depth, max_leaves=max_leaves, ascii=plain)
    if not (sys.stdout.isatty() and _has_rich()):
        print(said)
        return
    from rich.console import Console

    Console(soft_wrap=True, highlight=False).print(coloured(tree, said))


def coloured(tree: TreeData, said: str) -> Text:
    """Return the text of a tree with colours: one for each class, rails dim.

    Parameters
    ----------
    tree : TreeData
        The tree.
    said : str
        From `text`.

    Returns
    -------
    rich.text.Text
    """
    if not _has_rich():
        raise TreewrightError("Colour needs the package 'rich': pip install rich")
    from rich.text import Text

    made = Text(no_wrap=True)
    heading, *lines = said.split("\n")
    made.append(heading, style="bold")
    styles = _styles(tree)
    for line in lines:
        made.append("\n")
        start = len(made)
        made.append(line)
        rails = _RAILS.match(line)
        if rails:
            made.stylize("dim", start, start + rails.end())
        for label, style in styles:
            for found in re.finditer(rf"(?<=%)  {re.escape(label)}(?=\s)", line):
                made.stylize(style, start + found.start(), start + found.end())
    return made


def _styles(tree: TreeData) -> list[tuple[str, str]]:
    """Return the words for each class, and its colour; none for very many classes."""
    names = classes(tree).tolist()
    if len(names) > len(_CLASS_STYLES):
        return []
    said = [wording.value(name) for name in names]
    return [
        (label if len(label) <= 30 else label[:27] + "...", style)
        for label, style in zip(said, _CLASS_STYLES, strict=False)
    ]


def _has_rich() -> bool:
    try:
        import rich  # noqa: F401
    except ImportError:
        return False
    return True
