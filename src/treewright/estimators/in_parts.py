"""`fit` on rows in parts: files, datasets and whatever yields batches twice."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from treewright.files.describe import Described, describe, pieces_of
from treewright.files.in_parts import Batches, RowsInParts
from treewright.files.memory import memory_in_use, read_limit
from treewright.files.part_results import in_order
from treewright.files.select import Selection
from treewright.files.to_table import naming
from treewright.growing.parts.code import codings_for, table_of
from treewright.growing.parts.grow import check_options
from treewright.growing.parts.local import Local
from treewright.growing.parts.on_parts import engine_of
from treewright.growing.parts.plan import Plan, RowsSize, plan_for, threads_to_read
from treewright.growing.parts.protocol import Engine
from treewright.growing.parts.watched import Watched
from treewright.growing.threads import n_threads
from treewright.options import GrowOptions
from treewright.table.column import Column, NumericColumn
from treewright.table.findings import aside
from treewright.table.intake import Intake
from treewright.table.schema import Schema
from treewright.table.table import ClassTarget, NumericTarget, Table, Target

__all__ = ["OpenedParts", "opened_parts", "whole_table"]


@dataclass(frozen=True, eq=False)
class OpenedParts:
    """Rows in parts that were described.

    Attributes
    ----------
    engine : Engine
        The rows.
    described : Described
        What one pass told about them.
    plan : Plan
        Where to grow.
    """

    engine: Engine
    described: Described
    plan: Plan

    @property
    def intake(self) -> Intake:
        """How the rows were read, and which columns were set aside."""
        features = self.described.schema.features
        found = (aside(feature) for feature in features if feature.set_aside)
        return self.described.intake.with_noted(found)


@contextmanager
def opened_parts(
    rows: RowsInParts,
    target: str,
    weight: str | None,
    kinds: Any,
    options: GrowOptions,
    task: str,
    memory_limit: int | str | None,
    watch: Callable[[Any], Any] | None = None,
) -> Iterator[OpenedParts]:
    """Describe rows in parts, and choose where to grow.

    Parameters
    ----------
    rows : RowsInParts
        The rows.
    target, weight : str, str or None
        Columns that are no features.
    kinds : dict or None
        See `as_table`.
    options : GrowOptions
        How to grow; what does not add up over parts is refused before any row is read.
    task : {'class', 'number'}
        What the target holds.
    memory_limit : int, str or None
        See the estimators.
    watch : callable, optional
        Called with a `RowsProgress` whenever the rows of a part were read.

    Yields
    ------
    OpenedParts
        Files that it keeps on disk are removed at the end.
    """
    check_options(options)
    limit = read_limit(memory_limit)
    selection = Selection.of(target, weight, rows.columns, rows.drop, kinds)
    threads = n_threads(options.n_jobs)
    with ExitStack() as held:
        used = memory_in_use()
        if memory_limit is None:
            limit += used
        to_read = threads
        if rows.cluster is None:
            to_read = threads_to_read(_n_columns(rows), limit, used, threads)
        engine = engine_of(rows, to_read)
        described = describe(
            _watched(engine, watch).on_rows, engine.names, selection, task, rows.name
        )
        size = RowsSize(
            described.n_rows,
            len(described.schema.usable),
            sum(coding.coarse for coding in codings_for(described)),
            len(described.class_rows),
            described.largest_part,
        )
        on_cluster = rows.cluster is not None
        plan = plan_for(size, limit, memory_in_use(), threads, on_cluster=on_cluster)
        if not on_cluster:
            folder = None
            if plan.where == "codes on disk":
                made = tempfile.TemporaryDirectory(prefix="treewright-")
                folder = Path(held.enter_context(made))
            engine = Local(rows.parts, plan.n_threads, folder)
        engine = _watched(engine, watch)
        held.callback(engine.close)
        yield OpenedParts(engine, described, plan)


def _watched(engine: Engine, watch: Callable[[Any], Any] | None) -> Engine:
    return engine if watch is None else Watched(engine, watch)


def _n_columns(rows: RowsInParts) -> int:
    """Return how many columns are read, from the first rows that there are."""
    for open_part in rows.parts.values():
        for batch in open_part():
            return len(batch.schema.names)
    return 0


def whole_table(opened: OpenedParts) -> Table:
    """Return all rows as a table in memory.

    Parameters
    ----------
    opened : OpenedParts
        The rows.

    Returns
    -------
    Table
    """
    described = opened.described
    argument = (described.request, described.schema)
    found = opened.engine.on_rows(_tables_of_part, argument)
    tables = [t for some in in_order(opened.engine.names, found) for t in some]
    columns = tuple(
        _joined([table.columns[i] for table in tables])
        for i in range(len(described.schema.features))
    )
    target = _joined_target([table.target for table in tables], described.target)
    weights = None
    if described.weights is not None:
        weights = np.concatenate([table.weights for table in tables])
    n_rows = sum(table.n_rows for table in tables)
    return Table(columns, target, weights, n_rows, described.schema, opened.intake)


def _tables_of_part(
    name: str, batches: Batches, argument: tuple[Any, Schema]
) -> list[Table]:
    request, schema = argument
    with naming(name):
        return [
            table_of(source, request, schema)
            for source, _ in pieces_of(name, batches, request)
            if source.n_rows
        ]


def _joined(columns: list[Column]) -> Column:
    """Return the rows of a column as one; a column set aside keeps its own labels."""
    first = columns[0]
    if isinstance(first, NumericColumn):
        values = np.concatenate([column.data for column in columns])
        return replace(first, values=values)
    labels = [each for column in columns for each in getattr(column, "labels", ())]
    together = first.labels
    if len(set(labels)) > len(together):
        order = {label: (isinstance(label, str), label) for label in labels}
        together = tuple(sorted(order, key=order.__getitem__))
    place = {label: code for code, label in enumerate(together)}
    codes = [
        np.array([*(place[x] for x in column.labels), -1], np.int32)[column.data]  # type: ignore[union-attr]
        for column in columns
    ]
    return replace(first, codes=np.concatenate(codes), labels=together)


def _joined_target(targets: list[Target | None], each: Target) -> Target:
    if isinstance(each, ClassTarget):
        codes = np.concatenate([t.data for t in targets if t is not None])
        return ClassTarget(codes, each.classes, each.name)
    values = np.concatenate([t.data for t in targets if t is not None])
    return NumericTarget(values, each.name)
