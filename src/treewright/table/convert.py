"""Convert text that spells numbers or dates, and record every conversion."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import numpy as np

from treewright.table.column import CategoricalColumn, Column, Label
from treewright.table.infer import spelled_column
from treewright.table.intake import Finding, Intake
from treewright.table.raw import RawColumn
from treewright.table.schema import Feature
from treewright.table.spelling import Spelling, is_missing_mark, recognise
from treewright.table.table import Table

__all__ = ["convert_spelled", "converted"]


def convert_spelled(table: Table, keep: Collection[str] = ()) -> Table:
    """Return a table whose recognised text columns are numbers or dates.

    Parameters
    ----------
    table : Table
        A table, as read. Columns of text are categorical in it.
    keep : collection of str, default=()
        Columns to leave as they are, because the caller gave their kind.

    Returns
    -------
    Table
        Its `intake` has one entry in `conversions` for each column that was converted.
        Text that can be read in two ways, and text that spells nothing, stays as it is.
    """
    columns, features = list(table.columns), list(table.schema.features)
    found: list[Finding] = []
    for index, column in enumerate(table.columns):
        if not isinstance(column, CategoricalColumn) or column.name in keep:
            continue
        spelled = converted(column)
        if spelled is not None:
            columns[index], features[index], finding = spelled
            found.append(finding)
    schema = replace(table.schema, features=tuple(features))
    before = table.intake or Intake(table.n_rows, table.n_columns)
    return replace(
        table,
        columns=tuple(columns),
        schema=schema,
        intake=before.with_noted(found),
    )


def converted(column: CategoricalColumn) -> tuple[Column, Feature, Finding] | None:
    """Return the numbers or dates that a column of text spells, if it does.

    Parameters
    ----------
    column : CategoricalColumn
        The column.

    Returns
    -------
    column : NumericColumn
    feature : Feature
    finding : Finding
        What was converted.
    """
    counts = np.bincount(column.codes[column.codes >= 0], minlength=len(column.labels))
    present = [x for x, n in zip(column.labels, counts.tolist(), strict=True) if n]
    values = [x for x in present if not _is_mark(x)]
    if not all(isinstance(x, str) for x in values):
        return None
    spelling = recognise(values, column.name)
    if not isinstance(spelling, Spelling):
        return None
    raw = RawColumn(
        column.name, "category", column.codes, labels=column.labels, declared=True
    )
    shown = ", ".join(repr(x) for x in values[:3])
    marks = [repr(x) for x in present if _is_mark(x)]
    missing = f"; {', '.join(marks)} read as missing" if marks else ""
    finding = Finding(
        "converted",
        column.name,
        f"{shown} read as {spelling.words}{missing}",
        f"kinds={{{column.name!r}: 'categorical'}} keeps the text.",
    )
    return *spelled_column(raw, spelling), finding


def _is_mark(label: Label) -> bool:
    return isinstance(label, str) and is_missing_mark(label, among_numbers=True)
