"""Functions of the rows of parts, run where the rows lie: what new rows of a tree need.

Only the results come back: of each row the node in which it ends, its target and its
weight, or counts of a column.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import OptionError, TableError
from treewright.files.arrow_table import from_arrow
from treewright.files.by_schema import source_by_schema, target_by_schema
from treewright.files.content import Content
from treewright.files.describe import rows_with_target
from treewright.files.in_parts import (
    Batches,
    RowsInParts,
    rows_in_parts,
    seen_in_target,
    task_of_target,
)
from treewright.files.optional import package
from treewright.files.part_results import in_order
from treewright.files.select import Selection
from treewright.files.source import ArrowSource
from treewright.files.to_table import weights_of
from treewright.growing.parts.local import Local
from treewright.growing.parts.on_dask import Dask
from treewright.growing.parts.on_spark import Spark
from treewright.growing.parts.protocol import Engine, RowsWork
from treewright.growing.threads import n_threads
from treewright.table.match_target import match_target
from treewright.table.schema import Schema
from treewright.table.table import ClassTarget, NumericTarget, Target
from treewright.table.weights import read_weights
from treewright.tree.data import TreeData
from treewright.tree.ended_rows import EndedRows
from treewright.tree.new_rows import read_columns, with_priors
from treewright.tree.route import divides_rows, route

__all__ = [
    "ends_in_parts",
    "engine_of",
    "on_parts",
    "read_in_parts",
    "sources_of",
    "suggested_task",
]


def engine_of(rows: RowsInParts, n_threads: int) -> Engine:
    """Return the engine that runs functions where the rows are.

    Parameters
    ----------
    rows : RowsInParts
        The rows.
    n_threads : int
        Of this machine, for rows that lie here.

    Returns
    -------
    Engine
    """
    if rows.cluster is None:
        return Local(rows.parts, n_threads)
    if type(rows.cluster).__module__.startswith("pyspark."):
        return Spark(rows.cluster)
    return Dask(rows.cluster)


def on_parts(
    rows: Any, work: RowsWork, argument: Any, n_jobs: int | None = None
) -> list[Any]:
    """Run a function on the rows of every part.

    Parameters
    ----------
    rows : object
        See `rows_in_parts`.
    work : callable
        A function of a module; see `Engine.on_rows`.
    argument : object
        Its last argument.
    n_jobs : int, optional
        Number of threads, for rows on this machine.

    Returns
    -------
    list
        The results, in the order of the parts.
    """
    engine = engine_of(rows_in_parts(rows), n_threads(n_jobs))
    with closing(engine):
        return list(in_order(engine.names, engine.on_rows(work, argument)))


def suggested_task(rows: RowsInParts, target: str) -> str:
    """Return what the target suggests: 'class' or 'number'; see `as_table`.

    Parameters
    ----------
    rows : RowsInParts
        The rows. Only the target is read.
    target : str
        The column to predict.

    Returns
    -------
    str
    """
    if rows.cluster is None:
        of_parts = (
            seen_in_target(open_part(columns=[target]), target)
            for open_part in rows.parts.values()
        )
        return task_of_target(of_parts)
    if target not in rows.cluster.columns:
        return "class"  # describing the rows says which columns there are
    alone = replace(rows, cluster=rows.cluster[[target]])
    return task_of_target(on_parts(alone, _seen_in_target, target))


def _seen_in_target(name: str, batches: Batches, target: str) -> str | set[Any]:
    return seen_in_target(batches, target)


def sources_of(name: str, batches: Batches, schema: Schema) -> Iterator[ArrowSource]:
    """Yield the rows of a part as new data for a tree, some at a time.

    Parameters
    ----------
    name : str
        The part.
    batches : iterable of pyarrow.RecordBatch
        Its rows.
    schema : Schema
        The schema of the tree.

    Yields
    ------
    ArrowSource
    """
    for content in _contents(name, batches):
        yield source_by_schema(content.table, content.text, schema)


def _contents(name: str, batches: Batches) -> Iterator[Content]:
    pa = package("pyarrow", "Reading files")
    for batch in batches:
        if batch.num_rows:
            yield from_arrow(pa.Table.from_batches([batch]), name)


def ends_in_parts(
    tree: TreeData, rows: Any, unseen: str | None = None, n_jobs: int | None = None
) -> NDArray[np.int32]:
    """Return the node in which each row ends, in the order of the parts.

    Parameters
    ----------
    tree : TreeData
        A tree that does not divide rows.
    rows : object
        See `rows_in_parts`.
    unseen, n_jobs
        See `Tree.apply`.

    Returns
    -------
    int32 array
    """
    _check_whole_rows(tree)
    return np.concatenate(on_parts(rows, _ends_of_part, (tree, unseen), n_jobs))


def _ends_of_part(
    name: str, batches: Batches, argument: tuple[TreeData, str | None]
) -> NDArray[np.int32]:
    tree, unseen = argument
    found = [np.empty(0, np.int32)]
    for X in sources_of(name, batches, tree.schema):
        columns = read_columns(tree, X, unseen)
        found.append(route(tree, columns, X.n_rows))
    return np.concatenate(found)


def _check_whole_rows(tree: TreeData) -> None:
    if divides_rows(tree):
        raise OptionError(
            "This tree divides rows with missing values among branches, which is not "
            "followed through rows in parts. Pass rows that fit into memory."
        )


def read_in_parts(
    tree: TreeData, rows: Any, target: str | None, weight: str | None
) -> EndedRows:
    """Read rows in parts, and keep of each row where it ends, its target and weight.

    Parameters
    ----------
    tree : TreeData
        A tree that does not divide rows.
    rows : object
        See `rows_in_parts`.
    target, weight : str or None
        Columns with the true answers (by default the tree's own target) and weights.

    Returns
    -------
    EndedRows

    Raises
    ------
    OptionError
        When the tree divides rows among branches.
    TableError
        When the rows lack a column, or there are none.
    """
    _check_whole_rows(tree)
    info = tree.schema.target
    assert info is not None, "a tree has a target"
    name = target or info.name
    by_part = on_parts(rows, _answered_part, (tree, name, weight))
    found = [each for pieces in by_part for each in pieces]
    if not found:
        raise TableError(
            f"No row of the parts has a value in the target column {name!r}, but at "
            "least one is needed. Pass rows whose answers are known."
        )
    node, y, weights = zip(*found, strict=True)
    ended = np.concatenate(node)
    values = np.concatenate(y)
    read: Target = NumericTarget(values, name)
    if info.kind == "class":
        read = ClassTarget(values, np.array(info.classes, object), name)
    own = None
    if weight is not None:
        own = read_weights(np.concatenate(weights), len(ended))
    own = with_priors(tree.schema, read, own)
    return EndedRows((), read, own, tree=tree, node=ended)


def _answered_part(
    name: str, batches: Batches, argument: tuple[TreeData, str, str | None]
) -> list[tuple[Any, Any, Any]]:
    tree, target, weight = argument
    info = tree.schema.target
    assert info is not None, "a tree has a target"
    schema = replace(tree.schema, target=replace(info, name=target))
    selection = Selection.of(target, weight, None, None, None)
    found = []
    for content in _contents(name, batches):
        selection.names(content.table.column_names)
        content = rows_with_target(content, target)
        X = source_by_schema(content.table, content.text, schema)
        if X.n_rows:
            columns = read_columns(tree, X)
            y = match_target(schema, target_by_schema(X, schema), X.n_rows)
            weights = None if weight is None else weights_of(X, weight)
            found.append((route(tree, columns, X.n_rows), y.data, weights))
    return found
