"""The text of a tree on a terminal: in colour with rich, in ASCII if necessary."""

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
"""Maximum number of leaves that ``print(tree)`` shows."""

_CLASS_STYLES = ("blue", "green", "magenta", "cyan", "yellow", "red")
_RAILS = re.compile(r"^[\s│├└─]+")


def can_draw(stream: Any) -> bool:
    """Whether a stream can encode the characters that draw a tree."""
    encoding = getattr(stream, "encoding", None) or "utf-8"
    try:
        "│├└─".encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def show(tree: TreeData, max_depth: int | None, max_leaves: int | None) -> None:
    """Print the text of a tree, in colour if the terminal and rich allow it."""
    plain = not can_draw(sys.stdout)
    drawn = text(tree, max_depth, max_leaves=max_leaves, ascii=plain)
    if not (sys.stdout.isatty() and _has_rich()):
        print(drawn)
        return
    from rich.console import Console

    Console(soft_wrap=True, highlight=False).print(coloured(tree, drawn))


def coloured(tree: TreeData, drawn: str) -> Text:
    """Return the text of a tree with one colour per class and dim rails.

    Parameters
    ----------
    tree : TreeData
        The tree.
    drawn : str
        The text, from `text`.

    Returns
    -------
    rich.text.Text
    """
    if not _has_rich():
        raise TreewrightError("Colour needs the package 'rich': pip install rich")
    from rich.text import Text

    result = Text(no_wrap=True)
    heading, *lines = drawn.split("\n")
    result.append(heading, style="bold")
    styles = _styles(tree)
    for line in lines:
        result.append("\n")
        start = len(result)
        result.append(line)
        rails = _RAILS.match(line)
        if rails:
            result.stylize("dim", start, start + rails.end())
        for label, style in styles:
            for match in re.finditer(rf"(?<=%)  {re.escape(label)}(?=\s)", line):
                result.stylize(style, start + match.start(), start + match.end())
    return result


def _styles(tree: TreeData) -> list[tuple[str, str]]:
    """Return the name and colour of each class; nothing if there are many classes."""
    names = classes(tree).tolist()
    if len(names) > len(_CLASS_STYLES):
        return []
    labels = [wording.value(name) for name in names]
    return [
        (label if len(label) <= 30 else label[:27] + "...", style)
        for label, style in zip(labels, _CLASS_STYLES, strict=False)
    ]


def _has_rich() -> bool:
    try:
        import rich  # noqa: F401
    except ImportError:
        return False
    return True
