"""The formats that a tree can be exported to, by name."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from inspect import signature
from typing import Any, NamedTuple

from treewright.errors import OptionError, did_you_mean
from treewright.exporting.code.c import C
from treewright.exporting.code.java import Java
from treewright.exporting.code.javascript import JavaScript
from treewright.exporting.code.language import Language
from treewright.exporting.code.python import Python
from treewright.exporting.code.r import R
from treewright.exporting.code.rust import Rust
from treewright.exporting.onnx import to_onnx
from treewright.exporting.pmml import to_pmml
from treewright.exporting.program import MARK, program_of
from treewright.exporting.scorecard import to_scorecard
from treewright.exporting.sql import to_sql
from treewright.exporting.xlsx import to_xlsx
from treewright.tree.data import TreeData

__all__ = ["FORMATS", "MARK", "Format", "export"]


class Format(NamedTuple):
    """A format: how to write it, and the usual ending of its files."""

    write: Callable[..., str | bytes]
    suffix: str


def _code(
    language: type[Language], tree: TreeData, *, check_rows: bool | int = False
) -> str:
    return language(program_of(tree), check_rows).file()


FORMATS: dict[str, Format] = {
    "sql": Format(to_sql, ".sql"),
    "python": Format(partial(_code, Python), ".py"),
    "javascript": Format(partial(_code, JavaScript), ".mjs"),
    "c": Format(partial(_code, C), ".h"),
    "java": Format(partial(_code, Java), ".java"),
    "rust": Format(partial(_code, Rust), ".rs"),
    "r": Format(partial(_code, R), ".R"),
    "onnx": Format(to_onnx, ".onnx"),
    "pmml": Format(to_pmml, ".pmml"),
    "xlsx": Format(to_xlsx, ".xlsx"),
    "scorecard": Format(to_scorecard, ".csv"),
}
"""Every format by its name."""


def export(tree: TreeData, format: str, **options: Any) -> str | bytes:
    """Return a tree in another format.

    Parameters
    ----------
    tree : TreeData
        The tree.
    format : str
        A key of `FORMATS`.
    **options
        Options of the format; see its function.

    Returns
    -------
    str or bytes
        Bytes for formats that are not text.
    """
    if not isinstance(format, str) or format not in FORMATS:
        hint = did_you_mean(format, FORMATS)
        listed = ", ".join(map(repr, FORMATS))
        raise OptionError(f"format must be one of {listed}; got {format!r}.{hint}")
    write = FORMATS[format].write
    known = list(signature(write).parameters)[1:]
    for name in options:
        if name not in known:
            raise OptionError(
                f"The format {format!r} has no option {name!r}, only "
                f"{', '.join(known)}.{did_you_mean(name, known)}"
            )
    return write(tree, **options)
