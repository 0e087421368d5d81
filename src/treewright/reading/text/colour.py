"""The text of a tree on a terminal: as wide as the terminal, in colour if it can.

The colours are those of the pictures. `NO_COLOR` (any value) turns them off.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from typing import TYPE_CHECKING, Any

from treewright.errors import TreewrightError
from treewright.reading.answers.answer import classes
from treewright.reading.text.text import text
from treewright.tree import wording
from treewright.tree.data import TreeData

if TYPE_CHECKING:
    from rich.text import Text

__all__ = ["MOST_PRINTED", "can_draw", "coloured", "rich_text", "show"]

MOST_PRINTED = 200
"""Maximum number of leaves that ``print(tree)`` shows."""
_LEAST_WIDTH = 40
_RAILS = re.compile(r"^[ │├└─|`-]*[│├└─|`-] ")
_BOLD, _DIM, _PLAIN = "\x1b[1m", "\x1b[2m", "\x1b[0m"


def can_draw(stream: Any) -> bool:
    """Whether a stream can encode the characters that draw a tree."""
    encoding = getattr(stream, "encoding", None) or "utf-8"
    try:
        "│├└─".encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def show(
    tree: TreeData,
    colours: tuple[str, ...],
    max_depth: int | None,
    max_leaves: int | None,
) -> None:
    """Print the text of a tree, as wide as the terminal, in colour if it can.

    Parameters
    ----------
    tree : TreeData
        The tree.
    colours : tuple of str
        One colour per class, such as '#5d4198'; the others stay plain.
    max_depth, max_leaves : int or None
        Limits of the text.
    """
    out = sys.stdout
    is_terminal = out.isatty()
    width = shutil.get_terminal_size().columns if is_terminal else wording.WIDTH
    drawn = text(
        tree,
        max_depth,
        max_leaves=max_leaves,
        ascii=not can_draw(out),
        width=max(width, _LEAST_WIDTH),
        cuts_names=is_terminal,
    )
    with_colour = is_terminal and "NO_COLOR" not in os.environ
    if with_colour and os.environ.get("TERM") != "dumb":
        drawn = coloured(tree, drawn, colours)
    print(drawn)


def coloured(tree: TreeData, drawn: str, colours: tuple[str, ...]) -> str:
    """Return the text of a tree with the codes that colour a terminal.

    Parameters
    ----------
    tree : TreeData
        The tree.
    drawn : str
        The text, from `text`.
    colours : tuple of str
        One colour per class.

    Returns
    -------
    str
        The title is bold, the rails are dim, and each class has its colour.
    """
    heading, *lines = drawn.split("\n")
    codes = _codes(tree, colours)
    painted = [f"{_BOLD}{heading}{_PLAIN}"]
    for line in lines:
        rails = _RAILS.match(line)
        start = rails.end() if rails else 0
        rest = line[start:]
        for label, code in codes:
            # The class stands after the share, and before the next column.
            pattern = rf"(?<=%)(  ){re.escape(label)}(?=\s)"
            rest = re.sub(pattern, rf"\1{code}{_escaped(label)}{_PLAIN}", rest)
        painted.append(f"{_DIM}{line[:start]}{_PLAIN}{rest}" if start else rest)
    return "\n".join(painted)


def _escaped(label: str) -> str:
    return label.replace("\\", r"\\")


def _codes(tree: TreeData, colours: tuple[str, ...]) -> list[tuple[str, str]]:
    """Return the name and the code of each class that has a colour."""
    names = [wording.value(name) for name in classes(tree).tolist()]
    if len(names) > len(colours):
        return []
    found = []
    for name, colour in zip(names, colours, strict=False):
        red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
        short = name if len(name) <= 30 else name[:27] + "..."
        found.append((short, f"\x1b[38;2;{red};{green};{blue}m"))
    return found


def rich_text(painted: str) -> Text:
    """Return coloured text for the package rich."""
    try:
        from rich.text import Text
    except ImportError as problem:
        raise TreewrightError(
            "This needs the package 'rich': pip install rich"
        ) from problem
    found = Text.from_ansi(painted)
    found.no_wrap = True
    return found
