"""The distribution of every column, from the rows of each code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.files.part_results import in_order
from treewright.growing.parts.code import CodeReport
from treewright.growing.parts.coding import CodedPart, ColumnCoding
from treewright.growing.parts.protocol import Engine
from treewright.table.schema import Schema, Summary

__all__ = ["with_summaries"]

Counted = tuple[NDArray[np.float64], NDArray[np.int64]]
"""Different values, ascending, and the rows of each."""


def with_summaries(
    engine: Engine, schema: Schema, codings: Sequence[ColumnCoding], report: CodeReport
) -> Schema:
    """Return the schema with the distribution of each usable column.

    Parameters
    ----------
    engine : Engine
        The coded parts.
    schema : Schema
        Columns and target.
    codings : sequence of ColumnCoding
        Of the usable columns.
    report : CodeReport
        How many rows have each code.

    Returns
    -------
    Schema
        As a `TrainingSet` of the same rows would have it.
    """
    inside = _inside(engine, codings, report)
    summaries: list[Summary | None] = [None] * len(schema.features)
    for place, index in enumerate(schema.usable):
        coding, counts = codings[place], report.counts[place]
        n_missing = report.n_missing[place]
        if coding.kind:
            shares = tuple((counts / max(int(counts.sum()), 1)).tolist())
            summaries[index] = Summary(n_missing, shares=shares)
        elif not counts.any():
            summaries[index] = Summary(n_missing)
        else:
            ordered = _Ordered(coding, counts, inside[place])
            summaries[index] = replace(_summary(ordered), n_missing=n_missing)
    return schema.with_summaries(summaries)


class _Ordered:
    """The known values of a column, in order, as far as they are asked for."""

    def __init__(
        self,
        coding: ColumnCoding,
        counts: NDArray[np.int64],
        inside: dict[int, Counted],
    ) -> None:
        self._coding = coding
        self._inside = inside
        self._below = np.cumsum(counts)
        self.n = int(self._below[-1])

    def at(self, row: int) -> tuple[float, int]:
        """Return a value by its rank, and how many values are at most it."""
        code = int(np.searchsorted(self._below, row, side="right"))
        before = int(self._below[code - 1]) if code else 0
        if not self._coding.coarse:
            return float(self._coding.values[code]), int(self._below[code])
        values, counts = self._inside[code]
        up_to = np.cumsum(counts) + before
        place = int(np.searchsorted(up_to, row, side="right"))
        return float(values[place]), int(up_to[place])


def _ranks(n: int) -> list[int]:
    """Return the ranks that a summary needs; see core/src/sorted_table.cpp."""
    quarters = [min(q * n // 4, n - 1) for q in range(5)]
    between = [q * n // 4 - 1 for q in range(1, 4) if q * n % 4 == 0]
    tenths = [(tenth * n + 9) // 10 - 1 for tenth in range(1, 10)]
    return [*quarters, *between, *tenths]


def _summary(ordered: _Ordered) -> Summary:
    n = ordered.n
    quartiles = list[float]()
    for q in range(5):
        i = min(q * n // 4, n - 1)
        value = ordered.at(i)[0]
        if q * n % 4 == 0 and q not in (0, 4):
            value = ordered.at(i - 1)[0] / 2 + value / 2
        quartiles.append(value)
    deciles, counts = list[float](), list[int]()
    for tenth in range(1, 10):
        value, up_to = ordered.at((tenth * n + 9) // 10 - 1)
        if not deciles or value > deciles[-1]:
            deciles.append(value)
            counts.append(up_to)
    shares = tuple((np.diff([0, *counts, n]) / n).tolist())
    least, q1, median, q3, most = quartiles
    return Summary(0, least, q1, median, q3, most, tuple(deciles), shares)


def _inside(
    engine: Engine, codings: Sequence[ColumnCoding], report: CodeReport
) -> dict[int, dict[int, Counted]]:
    """Return the values of the buckets in which a wanted rank lies."""
    wanted: dict[int, list[int]] = {}
    for place, coding in enumerate(codings):
        below = np.cumsum(report.counts[place])
        if coding.coarse and below[-1]:
            ranks = _ranks(int(below[-1]))
            codes = np.unique(np.searchsorted(below, ranks, side="right"))
            wanted[place] = codes.tolist()
    if not wanted:
        return {place: {} for place in range(len(codings))}
    found = list(in_order(engine.names, engine.on_coded(_values_in_buckets, wanted)))
    joined: dict[int, dict[int, Counted]] = {p: {} for p in range(len(codings))}
    for place, buckets in wanted.items():
        for code in buckets:
            joined[place][code] = _counted([each[place][code] for each in found])
    return joined


def _counted(found: Sequence[Counted]) -> Counted:
    values, places = np.unique(
        np.concatenate([each[0] for each in found]), return_inverse=True
    )
    counts = np.concatenate([each[1] for each in found])
    sums = np.zeros(len(values), np.int64)
    np.add.at(sums, places, counts)
    return values, sums


def _values_in_buckets(
    part: CodedPart, wanted: dict[int, list[int]]
) -> dict[int, dict[int, Any]]:
    """Return the different values of some buckets, and their rows."""
    found: dict[int, dict[int, Any]] = {}
    for column, buckets in wanted.items():
        wanted_codes = np.array(buckets, np.uint16)
        codes, values = list[Any](), list[Any]()
        for _, some in part.slices():
            of_rows = some.codes(column)
            rows = np.flatnonzero(np.isin(of_rows, wanted_codes))
            codes.append(of_rows[rows])
            values.append(some.values(column)[rows] + 0.0)
        of_rows, of_values = np.concatenate(codes), np.concatenate(values)
        found[column] = {
            bucket: np.unique(of_values[of_rows == bucket], return_counts=True)
            for bucket in buckets
        }
    return found
