"""The content of a file becomes a table: types, target, weights and findings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from treewright.errors import TableError
from treewright.files.content import Content, lines_of
from treewright.files.optional import package
from treewright.files.select import Selection
from treewright.files.source import ArrowSource
from treewright.table.as_table import read_table
from treewright.table.column import CategoricalColumn, Column
from treewright.table.convert import convert_spelled
from treewright.table.findings import WRITE_ALIKE
from treewright.table.infer import settle
from treewright.table.intake import Finding, Intake
from treewright.table.raw import (
    RawColumn,
    parse_number,
    spelled_numbers,
    to_numbers,
)
from treewright.table.spelling import (
    Ambiguous,
    Spelling,
    is_missing_mark,
    mixed_dates,
    recognise,
)
from treewright.table.table import Table
from treewright.table.totals import totals

__all__ = [
    "FROM_TEXT",
    "missing_cells",
    "naming",
    "target_of",
    "to_table",
    "weights_of",
    "with_target",
]

_FEW_WORDS, _FEW_ROWS, _FEW_SHARE = 3, 3, 0.05
FROM_TEXT = ("numeric", "date", "day first", "month first")


def to_table(content: Content, selection: Selection, name: str) -> Table:
    """Return the rows of a file as a table.

    Parameters
    ----------
    content : Content
        What a reader returned.
    selection : Selection
        Which column is the target, which the weight.
    name : str
        The file, for messages.

    Returns
    -------
    Table
    """
    n_read = content.n_read
    content, no_target = with_target(content, selection, name)
    found = [*content.findings, *_accounts(content, no_target)]
    keep = {each for each, kind in selection.kinds.items() if kind not in FROM_TEXT}
    source = ArrowSource(content.table, content.text, keep, found)
    target, weight = selection.target, selection.weight
    others = [each for each in source.names if each not in (target, weight)]
    kinds = {each: kind for each, kind in selection.kinds.items() if each in others}
    with naming(name):
        table = read_table(
            ArrowSource(source.table.select(others), content.text, keep, found),
            None if target is None else _target(source, target, selection.kinds),
            None if weight is None else weights_of(source, weight),
            kinds,
        )
    table = convert_spelled(table, {*kinds, *others} - (content.text - set(kinds)))
    record = table.intake or Intake(table.n_rows, table.n_columns)
    record = replace(
        record, n_read=n_read, rejected=content.rejected, no_target=no_target
    )
    found += [each for column in table.columns for each in _not_converted(column)]
    found += totals(table)
    return replace(table, intake=record.with_noted(found))


@contextmanager
def naming(file: str) -> Iterator[None]:
    """Add the file's name to errors about its columns."""
    try:
        yield
    except TableError as problem:
        raise type(problem)(f"In {file}: {problem}") from problem


def with_target(
    content: Content, selection: Selection, name: str
) -> tuple[Content, int]:
    """Leave out the rows whose target is missing, and count them."""
    target, table = selection.target, content.table
    if not table.num_rows:
        raise TableError(
            f"{name} has columns ({', '.join(table.column_names[:3])}) but no rows. "
            "Check that the export is complete."
        )
    if target is None:
        return content, 0
    pc = package("pyarrow.compute", "Reading files")
    missing = missing_cells(table.column(target), target in content.text)
    n = int(pc.sum(missing).as_py() or 0)
    if n == table.num_rows:
        raise TableError(
            f"The target {target!r} is missing in all {n:,} rows of {name}. Name "
            "another target."
        )
    if n:
        content = replace(content, table=table.filter(pc.invert(missing)))
    return content, n


def missing_cells(values: Any, is_text: bool) -> Any:
    """Return which cells are missing: null, NaN, or text such as 'NA'."""
    pa = package("pyarrow", "Reading files")
    pc = package("pyarrow.compute", "Reading files")
    missing = pc.is_null(values, nan_is_null=pa.types.is_floating(values.type))
    if is_text:
        marks = [each for each in values.unique().to_pylist() if _is_mark(each)]
        if pa.types.is_dictionary(values.type):
            values = values.cast(values.type.value_type)
        missing = pc.or_(missing, pc.is_in(values, pa.array(marks, pa.string())))
    return missing


def _is_mark(label: Any) -> bool:
    return isinstance(label, str) and is_missing_mark(label)


def _not_converted(column: Column) -> list[Finding]:
    """Find text that nearly spells numbers, or dates in two ways."""
    if not isinstance(column, CategoricalColumn):
        return []
    labels = [each for each in column.labels if isinstance(each, str)]
    found = recognise(labels, column.name)
    if not isinstance(found, Ambiguous):
        mixed = mixed_dates(labels)
        if mixed:
            advice = f"{WRITE_ALIKE} It stays text."
            return [Finding("mixed_dates", column.name, mixed, advice)]
        return _nearly_numbers(column)
    shown = ", ".join(repr(each) for each in labels[:3])
    way_out = f"It stays text; kinds={{{column.name!r}: {found.choices[0]!r}}} decides."
    words = f"{shown} spell {found.words}"
    return [Finding("ambiguous", column.name, words, way_out)]


def _nearly_numbers(column: CategoricalColumn) -> list[Finding]:
    """Find a few words among numbers, such as a row of units or a total."""
    known = column.codes[column.codes >= 0]
    counts = np.bincount(known, minlength=len(column.labels)).tolist()
    rows = {x: n for x, n in zip(column.labels, counts, strict=True) if n}
    words = [str(each) for each in rows if parse_number(each) is None]
    n_words = sum(rows[each] for each in words)
    n_others = len(known) - n_words
    few = n_words <= max(_FEW_ROWS, _FEW_SHARE * len(known))
    if not 0 < len(words) <= _FEW_WORDS or not few or n_others < 2 * n_words:
        return []
    shown = ", ".join(map(repr, words))
    return [
        Finding(
            "nearly_numbers",
            column.name,
            f"{n_others:,} values spell numbers, but {shown[:60]} in {n_words:,} "
            f"row{'s' * (n_words > 1)} {'do' if len(words) > 1 else 'does'} not, so "
            "all stay text",
            "Correct these cells, or remove their rows.",
        )
    ]


def _target(source: ArrowSource, target: str, kinds: Mapping[str, Any]) -> RawColumn:
    raw, finding = target_of(source.raw(source.names.index(target)), kinds)
    source.findings.extend([finding] if finding else [])
    return raw


def target_of(
    raw: RawColumn, kinds: Mapping[str, Any]
) -> tuple[RawColumn, Finding | None]:
    """Return the target, and a finding if text that spells numbers became numbers.

    Parameters
    ----------
    raw : RawColumn
        The target as it is in the file.
    kinds : mapping
        The caller's kinds.

    Returns
    -------
    raw : RawColumn
    finding : Finding or None
    """
    target, kind = raw.name, kinds.get(raw.name)
    if kind in FROM_TEXT and raw.content == "category":
        column, _ = settle(raw, kind)
        return RawColumn(target, "float", np.asarray(column.data, np.float64)), None
    if kind is not None or raw.content != "category" or raw.storage != "text":
        return raw, None
    known = [x for x in raw.labels if not is_missing_mark(str(x), among_numbers=True)]
    spelling = recognise(known, target)
    if not isinstance(spelling, Spelling):
        return raw, None
    shown = ", ".join(repr(each) for each in known[:3])
    words = f"{shown} read as {spelling.words}"
    way_out = f"kinds={{{target!r}: 'categorical'}} keeps the text."
    finding = Finding("converted", target, words, way_out)
    return RawColumn(target, "float", spelled_numbers(raw, spelling)), finding


def weights_of(source: ArrowSource, weight: str) -> Any:
    """Return a column of weights as numbers."""
    return to_numbers(source.raw(source.names.index(weight)))


def _accounts(content: Content, no_target: int) -> list[Finding]:
    """Return the findings about rows that are not used."""
    found = []
    if content.rejected:
        n, first = len(content.rejected), content.rejected[0]
        found.append(
            Finding(
                "rejected_rows",
                None,
                f"{n:,} of {content.n_read + no_target:,} rows rejected "
                f"({lines_of(content.rejected)}: {first.why})",
                "Correct these lines in the file, or go on without them.",
            )
        )
    if no_target:
        found.append(
            Finding(
                "no_target",
                None,
                f"{no_target:,} row{'s' * (no_target > 1)} without a target left out",
                "A tree learns from known targets only.",
            )
        )
    return found
