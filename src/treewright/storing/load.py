"""Loading a tree from a model file: every field is checked before it is used."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from treewright.errors import TreeFormatError
from treewright.storing.extras import Extra, extras_in
from treewright.storing.files import read_whole
from treewright.storing.head import FEATURE, FILE
from treewright.storing.lines import checked_content, read_lines
from treewright.storing.nodes_in import nodes_in
from treewright.storing.record import made_by_in, steps_in
from treewright.storing.schema import schema_in
from treewright.storing.shapes import ListOf
from treewright.storing.sniff import check_is_model
from treewright.table.schema import Schema
from treewright.tree.data import TreeData
from treewright.tree.edit import with_made_by

__all__ = ["load", "load_bytes"]


def load(path: str | os.PathLike[str]) -> TreeData:
    """Read a tree from a file.

    Parameters
    ----------
    path : str or path
        A file that `save` wrote.

    Returns
    -------
    TreeData

    Raises
    ------
    TreeFormatError
        The message says what is wrong, and where.
    OSError
        If the file cannot be read.
    """
    where = Path(path)
    data = read_whole(where)
    try:
        return load_bytes(data)
    except TreeFormatError as problem:
        raise TreeFormatError(f"{str(where)!r} is not loaded. {problem}") from None


def load_bytes(data: bytes) -> TreeData:
    """Read a tree from the content of a file; see `load`."""
    check_is_model(data)
    fields = _Fields()
    for name, value in read_lines(checked_content(data)):
        fields.take(name, value)
    return fields.tree()


class _Fields:
    """The fields of a file, read and checked in their order."""

    def __init__(self) -> None:
        self.found: dict[str, Any] = {}
        self.schema = Schema(())

    def take(self, name: str, value: Any) -> None:
        """Read one field."""
        FILE.check_next(name, list(self.found), "The file")
        shape, is_list = FILE.fields[name].shape, isinstance(value, Iterator)
        if is_list != isinstance(shape, ListOf):
            lines = "on one line" if is_list else "a list with one item per line"
            raise TreeFormatError(f"{name} must be {lines}.")
        read = getattr(self, f"_{name}", None)
        if read is not None:
            self.found[name] = read(value)
        else:
            self.found[name] = shape.read(list(value) if is_list else value, name)

    def _features(self, items: Iterator[Any]) -> None:
        """Read the columns; with the target, they make the schema."""
        read = [FEATURE.read(raw, f"features[{i}]") for i, raw in enumerate(items)]
        self.schema = schema_in(read, self.found["target"], self.found["named"])

    def _pruning_steps(self, items: Iterator[Any]) -> dict[str, Any]:
        return steps_in(items)

    def _extras(self, items: Iterator[Any]) -> dict[str, Extra]:
        return extras_in(items)

    def _nodes(self, items: Iterator[Any]) -> TreeData:
        return self._tree(items, self.found["answers"], self.found.get("extras", {}))

    def _grown(self, items: Iterator[Any]) -> TreeData:
        return self._tree(items, self.found.get("grown_answers", "evidence"), {})

    def _tree(
        self, items: Iterator[Any], answers: str, extras: dict[str, Extra]
    ) -> TreeData:
        own = answers == "own"
        found = nodes_in(items, self.schema, extras, own_answers=own)
        return TreeData.from_arrays(found[0], self.schema, {}, found[1])

    def tree(self) -> TreeData:
        """Return the tree with all that is known about it."""
        found = self.found
        FILE.check_names(list(found), "The file")
        return with_made_by(found["nodes"], **made_by_in(found))
