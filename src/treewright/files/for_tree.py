"""Read a file with known answers as a tree knows its columns."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any, NamedTuple

from numpy.typing import NDArray

from treewright.errors import TableError
from treewright.files.batches import tables_of
from treewright.files.by_schema import source_by_schema, target_by_schema
from treewright.files.content import Content
from treewright.files.formats import check_memory
from treewright.files.optional import package
from treewright.files.select import Selection
from treewright.files.source import ArrowSource
from treewright.files.to_table import weights_of, with_target
from treewright.table.raw import RawColumn
from treewright.table.schema import Schema

__all__ = ["AnsweredRows", "read_for_tree"]


class AnsweredRows(NamedTuple):
    """Rows of a file: arguments X, y and sample_weight of the methods of a tree."""

    X: ArrowSource
    y: RawColumn | None
    weights: NDArray[Any] | None
    no_target: int
    """Rows of the file that were left out because their target is missing."""


def read_for_tree(
    path: str | os.PathLike[str],
    schema: Schema,
    *,
    target: str | None = None,
    weight: str | None = None,
    table: str | None = None,
    memory_limit: int | str | None = None,
    needs_target: bool = True,
) -> AnsweredRows:
    """Read the rows of a file in the types that a tree's training table had.

    Parameters
    ----------
    path : str or path
        The file, or a query; see `read`.
    schema : Schema
        The schema of the tree.
    target : str, optional
        The column with the true answers; by default the name of the tree's target.
    weight : str, optional
        A column of weights.
    table : str, optional
        The sheet or table; see `read`.
    memory_limit : int or str, optional
        See `read`.
    needs_target : bool, default=True
        Whether to read the true answers, and to leave out rows that have none.

    Returns
    -------
    AnsweredRows

    Raises
    ------
    TableError
        When the file cannot be read, or lacks the target or the weights.
    """
    check_memory(path, memory_limit)
    parts = [content for _, content in tables_of(path, table)]
    pa = package("pyarrow", "Reading files")
    if not parts:
        raise TableError(f"{path} has no rows. Check that the export is complete.")
    content = Content(pa.concat_tables([each.table for each in parts]), parts[0].text)
    info = schema.target
    if not needs_target or info is None:
        X = source_by_schema(content.table, content.text, schema)
        return AnsweredRows(X, None, None, 0)
    name = target or info.name
    selection = Selection.of(name, weight, None, None, None)
    selection.names(content.table.column_names)
    content, no_target = with_target(content, selection, str(path))
    X = source_by_schema(content.table, content.text, schema)
    named = replace(schema, target=replace(info, name=name))
    weights = None if weight is None else weights_of(X, weight)
    return AnsweredRows(X, target_by_schema(X, named), weights, no_target)
