"""What the commands print: text that fits the terminal, coloured trees, JSON."""

from __future__ import annotations

import json
import math
import os
import shutil
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import TYPE_CHECKING, Any, TextIO

import click

if TYPE_CHECKING:
    from treewright.model import Tree
    from treewright.table.intake import Intake

__all__ = [
    "aligned",
    "check_outputs",
    "fitted",
    "heading",
    "intake_dict",
    "print_json",
    "print_tree",
    "say",
    "wants_colour",
    "width_of",
    "write_file",
]

_NARROWEST = 40
_NARROWEST_CELL = 12
_INDENT = 4
_GAP = "  "


def width_of(stream: TextIO) -> int | None:
    """Return the width of the terminal that a stream writes to; None for a file."""
    if not stream.isatty():
        return None
    return max(shutil.get_terminal_size().columns, _NARROWEST)


def wants_colour(stream: TextIO) -> bool:
    """Return whether to colour: on a terminal, unless NO_COLOR is set."""
    dumb = os.environ.get("TERM") == "dumb"
    return stream.isatty() and not dumb and not os.environ.get("NO_COLOR")


def fitted(text: str, stream: TextIO) -> str:
    """Return a text whose lines fit the terminal; unchanged for a file.

    A line that is too long continues below, further to the right than it began.
    """
    width = width_of(stream)
    if width is None:
        return text
    return "\n".join(
        part for line in text.split("\n") for part in _wrapped(line, width)
    )


def _wrapped(line: str, width: int) -> list[str]:
    if len(line) <= width:
        return [line]
    start = line[: len(line) - len(line.lstrip())]
    return wrap(
        line,
        width,
        initial_indent="",
        subsequent_indent=start + " " * _INDENT,
        drop_whitespace=True,
        break_on_hyphens=False,
        expand_tabs=False,
        replace_whitespace=False,
    )


def say(text: object = "", *, err: bool = False) -> None:
    """Print a text, wrapped to the terminal's width."""
    stream = sys.stderr if err else sys.stdout
    click.echo(fitted(str(text), stream), err=err)


def heading(text: str) -> None:
    """Print the heading of a part of the output."""
    shown = fitted(text, sys.stdout)
    if wants_colour(sys.stdout):
        shown = click.style(shown, bold=True)
    click.echo(f"\n{shown}", color=True)


def print_tree(tree: Tree, **options: Any) -> None:
    """Print a tree as text that fits the terminal, in colour where it is wanted.

    Parameters
    ----------
    tree : Tree
        The tree.
    **options
        Options of `Tree.text`.
    """
    from treewright.drawing.palette import terminal_colours
    from treewright.reading.text.colour import can_draw, coloured
    from treewright.reading.text.text import text
    from treewright.tree import wording

    width = width_of(sys.stdout)
    drawn = text(
        tree.data,
        ascii=not can_draw(sys.stdout),
        width=wording.WIDTH if width is None else width,
        cuts_names=width is not None,
        **options,
    )
    if wants_colour(sys.stdout):
        drawn = coloured(tree.data, drawn, terminal_colours())
    click.echo(drawn, color=True)


def aligned(records: Sequence[Mapping[str, Any]]) -> str:
    """Return records as a table that fits the terminal.

    The widest column is cut. Where this is not enough, the columns stand in several
    tables one below the other, each with the first column.

    Parameters
    ----------
    records : sequence of mappings
        At least one; all have the same keys, which become the headings.

    Returns
    -------
    str
    """
    columns = [_Column.of(name, records) for name in records[0]]
    room = width_of(sys.stdout)
    if room is None:
        return _side_by_side(columns)
    widest = max(columns, key=lambda column: column.width)
    spare = min(room - _width_of_all(columns), 0)
    widest.width = min(widest.width, max(widest.width + spare, _NARROWEST_CELL))
    first, tables = columns[0], [columns[:1]]
    for column in columns[1:]:
        if _width_of_all([*tables[-1], column]) > room and len(tables[-1]) > 1:
            tables.append([first])
        tables[-1].append(column)
    return "\n\n".join(map(_side_by_side, tables))


@dataclass
class _Column:
    """A column of a printed table: its cells, the heading first, and its width."""

    cells: list[str]
    width: int
    is_numeric: bool

    @classmethod
    def of(cls, name: str, records: Sequence[Mapping[str, Any]]) -> _Column:
        values = [record[name] for record in records]
        cells = [name, *map(_cell, values)]
        numeric = all(
            value is None or isinstance(value, int | float) for value in values
        )
        return cls(cells, max(map(len, cells)), numeric)

    def lines(self) -> list[str]:
        side = str.rjust if self.is_numeric else str.ljust
        return [side(_cut(cell, self.width), self.width) for cell in self.cells]


def _width_of_all(columns: Sequence[_Column]) -> int:
    return sum(column.width for column in columns) + len(_GAP) * (len(columns) - 1)


def _side_by_side(columns: Sequence[_Column]) -> str:
    rows = zip(*(column.lines() for column in columns), strict=True)
    return "\n".join(_GAP.join(row).rstrip() for row in rows)


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 3] + "..."


def intake_dict(intake: Intake) -> dict[str, Any]:
    """Return how a table was read, for JSON, with an account of all rows."""
    rejected = [{"line": line, "why": why} for line, why in intake.rejected]
    return intake.to_dict() | {"rejected": rejected}


def print_json(value: dict[str, Any]) -> None:
    """Print one JSON object; a missing number is null, an infinite one text."""
    text = json.dumps(_plain(value), ensure_ascii=False, indent=2, allow_nan=False)
    click.echo(text)


def _plain(value: Any) -> Any:
    """Return a value that JSON can hold; arrays and NumPy's numbers have `tolist`."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else str(value)
    if value is None or isinstance(value, (str, int, float)):
        return value
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    return str(value)


def check_outputs(outputs: Iterable[str | None], inputs: Iterable[str | None]) -> None:
    """Refuse files that cannot be written, or that are read, before the work begins.

    Parameters
    ----------
    outputs : iterable of str or None
        The files to write.
    inputs : iterable of str or None
        The files to read; writing one of them would replace the caller's data.
    """
    read = {os.path.realpath(path) for path in inputs if path not in (None, "-")}
    for path in outputs:
        if path in (None, "-"):
            continue
        folder = os.path.dirname(os.path.realpath(path))
        if not os.path.exists(path) and not os.path.isdir(folder):
            raise click.ClickException(
                f"There is no folder {folder!r} to write {path!r} into. Make the "
                "folder first."
            )
        if os.path.isdir(path):
            raise click.ClickException(f"{path!r} is a folder; name a file in it.")
        if os.path.realpath(path) in read:
            raise click.ClickException(
                f"Writing {path!r} would replace a file that is read. Write the "
                "output under another name."
            )


def write_file(path: str, *parts: bytes) -> None:
    """Write a file as a whole, or not at all."""
    from pathlib import Path

    from treewright.storing.files import write_atomically

    write_atomically(Path(path), parts)
