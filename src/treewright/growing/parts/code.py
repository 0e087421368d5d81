"""From rows in parts to coded parts: the second pass, and what it tells."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import TableError
from treewright.files.by_schema import target_by_schema
from treewright.files.describe import Described, RowsRequest, WeightSums, pieces_of
from treewright.files.in_parts import Batches
from treewright.files.part_results import in_order
from treewright.files.source import ArrowSource
from treewright.files.to_table import naming, weights_of
from treewright.growing.parts.coding import (
    MISSING,
    ColumnCoding,
    MemoryPart,
    coded_arrays,
    edges_of,
)
from treewright.growing.parts.protocol import Engine
from treewright.table.column import (
    CategoricalColumn,
    Column,
    NumericColumn,
    OrdinalColumn,
)
from treewright.table.digest import Numbers, checksum
from treewright.table.hash_folds import HashFolds
from treewright.table.match import encode_numbers, match
from treewright.table.match_target import match_target
from treewright.table.raw import to_codes, to_numbers
from treewright.table.row_hashes import sum_of_hashes
from treewright.table.schema import Feature, Schema
from treewright.table.table import ClassTarget, Table

__all__ = ["CodeReport", "CodeRequest", "code_rows", "codings_for", "table_of"]


@dataclass(frozen=True)
class CodeRequest:
    """How to code the rows of a part.

    Attributes
    ----------
    rows : RowsRequest
        How to read them.
    schema : Schema
        What the columns are.
    codings : sequence of ColumnCoding
        Of the usable columns.
    factors : tuple of arrays
        What the weights of each class are multiplied by, one after the other.
    folds : HashFolds or None
        How the rows are divided.
    """

    rows: RowsRequest
    schema: Schema
    codings: Sequence[ColumnCoding]
    factors: tuple[NDArray[np.float64], ...] = ()
    folds: HashFolds | None = None


@dataclass(frozen=True, eq=False)
class CodeReport:
    """What coding tells about some rows.

    Attributes
    ----------
    counts : list of int64 arrays
        Rows of each code, of each usable column.
    n_missing : list of int
        Rows without a value, of each usable column.
    levels : list of arrays
        Of each usable column of categories, by fold: whether a row of positive weight
        has the category. Empty for numbers.
    classes : list of int64 arrays
        By fold: rows of positive weight of each class.
    weights : list of WeightSums
        By fold.
    hashes : int
        See `sum_of_hashes`.
    checksum : int
        See `checksum`.
    """

    counts: list[NDArray[np.int64]]
    n_missing: list[int]
    levels: list[NDArray[np.bool_]]
    classes: list[NDArray[np.int64]]
    weights: list[WeightSums]
    hashes: int
    checksum: int

    def with_other(self, other: CodeReport) -> CodeReport:
        """Return what is told about the rows of both."""
        return CodeReport(
            [a + b for a, b in zip(self.counts, other.counts, strict=True)],
            [a + b for a, b in zip(self.n_missing, other.n_missing, strict=True)],
            [a | b for a, b in zip(self.levels, other.levels, strict=True)],
            [a + b for a, b in zip(self.classes, other.classes, strict=True)],
            [a.with_other(b) for a, b in zip(self.weights, other.weights, strict=True)],
            (self.hashes + other.hashes) % 2**64,
            (self.checksum + other.checksum) % 2**64,
        )


def codings_for(described: Described) -> list[ColumnCoding]:
    """Return how the usable columns are coded.

    Parameters
    ----------
    described : Described
        What is known about the rows.

    Returns
    -------
    list of ColumnCoding
        By value where a column has at most 65,534 different ones, else by edges from a
        sample.
    """
    codings = []
    for index in described.schema.usable:
        feature, digest = described.schema.features[index], described.digests[index]
        if feature.kind != "numeric":
            found = ColumnCoding.of_categories(feature.kind_code, len(feature.labels))
        elif not isinstance(digest, Numbers):  # text that spells numbers
            each = np.asarray(encode_numbers(digest.raw, feature), np.float64)
            found = ColumnCoding.of_numbers(each, coarse=False)
        elif digest.values is not None:
            found = ColumnCoding.of_numbers(digest.values, coarse=False)
        else:
            found = ColumnCoding.of_numbers(edges_of(digest.sample), coarse=True)
        codings.append(found)
    return codings


def code_rows(engine: Engine, described: Described, request: CodeRequest) -> CodeReport:
    """Code the rows of all parts, which the engine keeps.

    Parameters
    ----------
    engine : Engine
        The rows.
    described : Described
        What the first pass told.
    request : CodeRequest
        How to code them.

    Returns
    -------
    CodeReport

    Raises
    ------
    TableError
        When a part changed since the first pass, with its name.
    """
    whole: CodeReport | None = None
    reports = in_order(engine.names, engine.keep(_code_part, request))
    for name, report in zip(engine.names, reports, strict=True):
        if report.checksum != described.checksums[name]:
            raise TableError(
                f"{name} changed between two readings of its rows. Fit again once "
                "nothing writes to it, or fit a copy."
            )
        whole = report if whole is None else whole.with_other(report)
    assert whole is not None, "there are parts"
    return whole


def table_of(source: ArrowSource, rows: RowsRequest, schema: Schema) -> Table:
    """Return rows of a part as a table, with the weights as they are in the file.

    Parameters
    ----------
    source : ArrowSource
        The rows; all of them have a target.
    rows : RowsRequest
        Target and weight.
    schema : Schema
        What the columns are.

    Returns
    -------
    Table
    """
    columns = match(schema, source, schema.usable, unseen="error")
    found = [
        _column(feature, columns[index], source)
        for index, feature in enumerate(schema.features)
    ]
    name = str(rows.selection.target)
    raw = source.raw(source.names.index(name))
    if name in source.text:
        raw = target_by_schema(source, schema) or raw
    target = match_target(schema, raw, source.n_rows)
    weight = rows.selection.weight
    weights = None
    if weight is not None:
        weights = np.ascontiguousarray(weights_of(source, weight), np.float64)
    return Table(tuple(found), target, weights, source.n_rows, schema)


def _column(feature: Feature, data: NDArray[Any] | None, source: ArrowSource) -> Column:
    """Return a column; one that is set aside as it is in the file."""
    if data is None:
        raw = source.raw(source.names.index(feature.name))
        if feature.kind == "numeric":
            return NumericColumn(feature.name, to_numbers(raw, exact=False))
        return CategoricalColumn(feature.name, *to_codes(raw))
    if feature.kind == "numeric":
        return NumericColumn(feature.name, data, feature.stored_as)
    kind = OrdinalColumn if feature.kind == "ordinal" else CategoricalColumn
    return kind(feature.name, data, feature.labels)


# -- one part --------------------------------------------------------------------------


def _code_part(
    name: str, batches: Batches, request: CodeRequest
) -> Generator[MemoryPart, None, CodeReport]:
    """Yield the coded rows of a part, and return the report."""
    report = None
    for source, _ in pieces_of(name, batches, request.rows):
        with naming(name):
            part, more = _coded(source, request)
        report = more if report is None else report.with_other(more)
        yield part
    if report is None:
        part, report = _nothing(request)
        yield part
    return report


def _coded(source: ArrowSource, request: CodeRequest) -> tuple[MemoryPart, CodeReport]:
    table = table_of(source, request.rows, request.schema)
    names = [*request.rows.features, str(request.rows.selection.target)]
    total = sum(checksum(source.raw(source.names.index(each))) for each in names)
    if table.weights is not None and len(table.weights):
        total += int(table.weights.view(np.uint64).sum(dtype=np.uint64))
    folds = None if request.folds is None else request.folds.of(table)
    weights = weights_for(table, request.factors)
    target, info = table.target, request.schema.target
    assert target is not None, "checked by the first pass"
    assert info is not None, "checked by the first pass"
    y: NDArray[Any] = target.data
    if not isinstance(target, ClassTarget):
        y = np.ascontiguousarray(info.in_units(y), np.float64)
    columns = [table.columns[i].data for i in table.usable]
    arrays = coded_arrays(request.codings, columns, y, weights, folds)
    report = _report(arrays, request, len(info.classes))
    hashes = sum_of_hashes(table)
    report = replace(report, hashes=hashes % 2**64, checksum=total % 2**64)
    return MemoryPart(request.codings, arrays), report


def weights_for(
    table: Table, factors: Sequence[NDArray[np.float64]]
) -> NDArray[np.float64] | None:
    """Return the weights of rows, multiplied by the factors of their classes.

    Parameters
    ----------
    table : Table
        The rows.
    factors : sequence of arrays
        See `CodeRequest`.

    Returns
    -------
    float64 array or None
    """
    weights = table.weights
    for each in factors:
        assert isinstance(table.target, ClassTarget)
        own = each[table.target.codes]
        weights = own if weights is None else own * weights
    return weights


def _report(
    arrays: dict[str, NDArray[Any]], request: CodeRequest, n_classes: int
) -> CodeReport:
    n = len(arrays["y"])
    weights = arrays.get("u")
    there = np.ones(n, np.bool_) if weights is None else weights > 0
    fold = arrays.get("f")
    n_folds = 1 if request.folds is None else request.folds.n_folds
    chosen = [there if fold is None else there & (fold == f) for f in range(n_folds)]
    counts, n_missing, levels = [], [], []
    for place, coding in enumerate(request.codings):
        codes = arrays[f"c{place}"]
        found = np.bincount(codes, minlength=MISSING + 1)
        counts.append(found[: coding.n_codes].astype(np.int64))
        n_missing.append(int(found[MISSING]))
        of_fold = np.zeros((n_folds, coding.n_codes if coding.kind else 0), np.bool_)
        if coding.kind:
            for f, rows in enumerate(chosen):
                known = codes[rows]
                of_fold[f, known[known != MISSING]] = True
        levels.append(of_fold)
    classes = [
        np.bincount(arrays["y"][rows], minlength=n_classes)
        if n_classes
        else np.array([np.count_nonzero(rows)])
        for rows in chosen
    ]
    sums = []
    for rows in chosen:
        own = np.ones(n) if weights is None else weights
        sums.append(WeightSums.of(own[rows]))
    return CodeReport(counts, n_missing, levels, classes, sums, 0, 0)


def _nothing(request: CodeRequest) -> tuple[MemoryPart, CodeReport]:
    """Return a part without rows."""
    info = request.schema.target
    assert info is not None, "checked by the first pass"
    kind = np.int32 if info.kind == "class" else np.float64
    cells = [
        np.empty(0, np.float64 if coding.kind == 0 else np.int32)
        for coding in request.codings
    ]
    has_weights = request.rows.selection.weight is not None or request.factors
    weights = np.empty(0) if has_weights else None
    folds = None if request.folds is None else np.empty(0, np.uint8)
    arrays = coded_arrays(request.codings, cells, np.empty(0, kind), weights, folds)
    report = _report(arrays, request, len(info.classes))
    return MemoryPart(request.codings, arrays), report
