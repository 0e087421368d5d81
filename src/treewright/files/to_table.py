"""The content of a file becomes a table: types, target, weights and findings."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from treewright.errors import TableError
from treewright.files.content import Content, lines_of
from treewright.files.optional import package
from treewright.files.select import Selection
from treewright.files.source import ArrowSource
from treewright.table.as_table import as_table
from treewright.table.infer import settle
from treewright.table.intake import Finding, Intake
from treewright.table.raw import RawColumn, parse_number, to_numbers
from treewright.table.spelling import Ambiguous, is_missing_mark, recognise
from treewright.table.table import Table

__all__ = ["to_table", "weights_of", "with_target"]

_FEW_WORDS = 3
_MOMENTS = ("date", "datetime", "time")


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
    kinds, found = _spelled(content, selection)
    target, weight = selection.target, selection.weight
    source = _source(content, kinds, found)
    with _naming(name):
        y = None if target is None else _target(source, target, kinds)
    others = [each for each in source.names if each not in (target, weight)]
    features = replace(source, table=source.table.select(others))
    with warnings.catch_warnings(), _naming(name):
        # The findings say the same, and more.
        warnings.simplefilter("ignore")
        table = as_table(
            features,
            y,
            None if weight is None else weights_of(source, weight),
            {column: kind for column, kind in kinds.items() if column in others},
        )
    found = [*content.findings, *_accounts(content, no_target), *found]
    intake = Intake(
        table.n_rows,
        table.n_columns,
        n_read=n_read,
        rejected=content.rejected,
        no_target=no_target,
    )
    return replace(table, intake=intake.with_findings(found))


@contextmanager
def _naming(file: str) -> Iterator[None]:
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
    missing = _missing(table.column(target), target in content.text)
    n = int(pc.sum(missing).as_py() or 0)
    if n == table.num_rows:
        raise TableError(
            f"The target {target!r} is missing in all {n:,} rows of {name}. Name "
            "another target."
        )
    if n:
        content = replace(content, table=table.filter(pc.invert(missing)))
    return content, n


def _missing(values: Any, is_text: bool) -> Any:
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


def _source(
    content: Content, kinds: dict[str, Any], findings: list[Finding]
) -> ArrowSource:
    keep = [name for name, kind in kinds.items() if not isinstance(kind, str)]
    keep += [name for name, kind in kinds.items() if kind in ("categorical", "ordinal")]
    return ArrowSource(content.table, content.text, frozenset(keep), findings)


def _spelled(
    content: Content, selection: Selection
) -> tuple[dict[str, Any], list[Finding]]:
    """Return the kinds that convert text which spells numbers or dates."""
    kinds: dict[str, Any] = dict(selection.kinds)
    findings: list[Finding] = []
    for name in content.table.column_names:
        if name not in content.text or name in kinds:
            continue
        labels = content.table.column(name).unique().to_pylist()
        known = [
            each
            for each in labels
            if each is not None and not is_missing_mark(each, among_numbers=True)
        ]
        found = recognise(known, name)
        if found is None:
            findings += _nearly_numbers(name, known)
            continue
        shown = ", ".join(repr(each) for each in known[:3])
        if isinstance(found, Ambiguous):
            way_out = (
                f"It stays text; kinds={{{name!r}: {found.choices[0]!r}}} decides."
            )
            words = f"{shown} spell {found.words}"
            findings.append(Finding("ambiguous", name, words, way_out))
            continue
        kinds[name] = "date" if found.what in _MOMENTS else "numeric"
        findings.append(
            Finding(
                "converted",
                name,
                f"{shown} read as {found.words}",
                f"kinds={{{name!r}: 'categorical'}} keeps them as text.",
            )
        )
    return kinds, findings


def _nearly_numbers(name: str, labels: list[str]) -> list[Finding]:
    """Find a few words among numbers, such as a row of units or a total."""
    words = [each for each in labels if parse_number(each) is None]
    if not 0 < len(words) <= _FEW_WORDS or len(labels) < 2 * len(words) + 1:
        return []
    shown = ", ".join(repr(each) for each in words)
    return [
        Finding(
            "nearly_numbers",
            name,
            f"{len(labels) - len(words):,} different values spell numbers, but not "
            f"{shown[:60]}, so all stay text",
            "Correct these cells, or remove their rows.",
        )
    ]


def _target(source: ArrowSource, target: str, kinds: dict[str, Any]) -> RawColumn:
    raw = source.raw(source.names.index(target))
    kind = kinds.get(target)
    if kind in (None, "categorical") or raw.content not in ("category", "text"):
        return raw
    column, _ = settle(raw, kind)
    return RawColumn(target, "float", np.asarray(column.data, np.float64))


def weights_of(source: ArrowSource, weight: str) -> Any:
    """Return the numbers of the column of weights."""
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
