"""Saving a tree: the fields of the model file in their order."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from treewright._version import __version__
from treewright.errors import OptionError
from treewright.storing.extras import extras_out
from treewright.storing.files import write_atomically
from treewright.storing.head import FEATURE, FORMAT, INTAKE, SUMMARY, VERSION
from treewright.storing.lines import Spread, written_lines
from treewright.storing.nodes import nodes_out
from treewright.storing.record import made_by_out, pruning_out, settings_out, steps_out
from treewright.storing.shapes import Record
from treewright.storing.values import plain
from treewright.tree.data import TreeData

__all__ = ["document", "save", "saved_bytes"]


def save(
    tree: TreeData, path: str | os.PathLike[str], *, keep_path: bool | None = None
) -> None:
    """Write a tree to a file, atomically.

    Parameters
    ----------
    tree : TreeData
        The tree.
    path : str or path
        The file, usually named ``*.tree.json``; an existing file is replaced.
    keep_path : bool or None, default=None
        Whether to store the tree before pruning, from which every smaller size can
        be cut; None: if the tree has it.
    """
    write_atomically(Path(path), written_lines(_fields(tree, keep_path)))


def saved_bytes(tree: TreeData, *, keep_path: bool | None = None) -> bytes:
    """Return the bytes that `save` writes."""
    return b"".join(written_lines(_fields(tree, keep_path)))


def document(tree: TreeData) -> dict[str, Any]:
    """Return the content of the file, without the checksum, as dicts and lists."""
    return {
        name: list(value) if isinstance(value, Iterator) else value
        for name, value in _fields(tree, None)
    }


def _fields(tree: TreeData, keep_path: bool | None) -> Iterator[tuple[str, Any]]:
    """Yield the fields of the file, in order."""
    schema, made_by = tree.schema, tree.made_by
    if schema.target is None:
        raise OptionError(
            "A tree without a target in its schema cannot be saved. Build it with a "
            "schema that has one."
        )
    grown = made_by.get("grown")
    if keep_path and grown is None:
        raise OptionError(
            "keep_path=True stores the tree before pruning, which this tree does not "
            "have. Fit with keep_path=True, or leave keep_path out."
        )
    about = schema.to_dict()
    yield "format", FORMAT
    yield "version", VERSION
    yield "written_by", f"treewright {__version__}"
    yield "target", about["target"]
    yield "named", schema.named
    yield "features", map(_column, about["features"])
    yield "answers", _answers(tree)
    yield "made_by", made_by_out(made_by)
    for name in ("options", "parameters"):
        if made_by.get(name) is not None:
            yield name, Spread(settings_out(made_by[name]))
    yield from _record(made_by)
    if tree.extras:
        yield "extras", iter(extras_out(tree))
    yield "nodes", nodes_out(tree)
    if grown is not None and keep_path is not False:
        yield "grown_answers", _answers(grown)
        yield "grown", nodes_out(grown, extras=False)


def _answers(tree: TreeData) -> str:
    return "own" if len(tree.answer) else "evidence"


def _record(made_by: Any) -> Iterator[tuple[str, Any]]:
    """Yield the fields about pruning, intake, evaluation, and the notes."""
    if made_by.get("data") is not None:
        yield "data", made_by["data"]
    pruning, intake = made_by.get("pruning"), made_by.get("intake")
    if pruning is not None:
        yield "pruning", pruning_out(pruning)
        if len(pruning.n_leaves):
            yield "pruning_steps", steps_out(pruning)
    if intake is not None:
        out = intake.to_dict()
        noted = {name: out.pop(name) for name in ("findings", "conversions")}
        if out.get("rejected"):
            out["rejected"] = [{"line": n, "why": x} for n, x in out["rejected"]]
        yield "intake", _known(out, INTAKE)
        yield from ((name, iter(each)) for name, each in noted.items() if each)
    if made_by.get("evaluation") is not None:
        yield "evaluation", plain(made_by["evaluation"])
    if made_by.get("notes"):
        yield "notes", iter(made_by["notes"])


def _column(feature: dict[str, Any]) -> dict[str, Any]:
    """Return a column without what most columns lack."""
    if feature.get("summary"):
        feature["summary"] = _known(feature["summary"], SUMMARY)
    return _known(feature, FEATURE)


def _known(values: dict[str, Any], record: Record) -> dict[str, Any]:
    """Leave out optional fields that are empty; 0 is not empty."""
    return {
        name: value
        for name, value in values.items()
        if not record.fields[name].optional
        or (value is not None and value is not False and value not in ("", [], ()))
    }
