"""JSON lines: one object per line."""

from __future__ import annotations

import json
from typing import Any

from treewright.errors import TableError
from treewright.files.content import Content, Rejected, refuse_many
from treewright.files.objects import content_of_objects
from treewright.files.opened import OpenedFile
from treewright.files.select import Selection
from treewright.files.streams import text_lines
from treewright.files.text import TextFile

__all__ = ["read_json_lines"]


def read_json_lines(file: OpenedFile, selection: Selection) -> Content:
    """Read a file with one JSON object per line.

    A key that an object lacks is missing. Lines that are not objects are rejected, and
    so are objects that use a key twice; blank lines are left out.

    Parameters
    ----------
    file : OpenedFile
        The file.
    selection : Selection
        The columns to read.

    Returns
    -------
    Content

    Raises
    ------
    TableError
        When the file holds one array instead, or too many lines are no objects.
    """
    text = TextFile(file)
    for _ in text.verified():
        pass
    rows, rejected = _objects(text)
    refuse_many(text.name, "are no JSON objects", len(rows), rejected)
    known = dict.fromkeys(key for row in rows for key in row)
    if not known:
        raise TableError(f"{text.name} is empty: it has no JSON object in any line.")
    names = selection.names(list(known))
    columns = {name: [row.get(name) for row in rows] for name in names}
    return content_of_objects(columns, text.name, rejected)


def _objects(text: TextFile) -> tuple[list[dict[str, Any]], tuple[Rejected, ...]]:
    rows: list[dict[str, Any]] = []
    rejected: list[Rejected] = []
    for line, content in enumerate(text_lines(text), 1):
        if not content.strip():
            continue
        if line == 1 and content.lstrip().startswith("["):
            raise TableError(
                f"{text.name} holds one JSON array, not an object per line. Convert "
                f"it, for example with: jq -c '.[]' {text.name}"
            )
        try:
            found = json.loads(content, object_pairs_hook=_distinct)
        except (ValueError, RecursionError) as problem:
            rejected.append(Rejected(line, _why(problem)))
            continue
        if isinstance(found, dict):
            rows.append(found)
        else:
            rejected.append(Rejected(line, f"{type(found).__name__} instead of object"))
    return rows, tuple(rejected)


def _why(problem: Exception) -> str:
    """Return what is wrong with a line."""
    if isinstance(problem, RecursionError):
        return "nested too deeply"
    if isinstance(problem, json.JSONDecodeError):
        return f"no JSON from character {problem.pos + 1} on ({problem.msg})"
    return str(problem)


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key occurs twice")
    return found
