"""A table cut into coded parts: the reference for rows that come in parts."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.growing.parts.coding import (
    MOST_CODES,
    ColumnCoding,
    MemoryPart,
    RowWeights,
    coded_arrays,
    edges_of,
)
from treewright.growing.parts.grow import PartsFacts
from treewright.table.table import ClassTarget, Table

__all__ = ["codings_of", "facts_of", "part_of"]

_SAMPLE = 20_000


def codings_of(
    table: Table, edges: Mapping[int, NDArray[np.float64]] | None = None
) -> list[ColumnCoding]:
    """Return how the usable columns of a table are coded.

    Parameters
    ----------
    table : Table
        The table.
    edges : mapping of int to array, optional
        Edges of some columns, by their place among the usable ones; the others are
        exact if they have few values.

    Returns
    -------
    list of ColumnCoding
    """
    codings = []
    for place, index in enumerate(table.usable):
        feature, data = table.schema.features[index], table.columns[index].data
        if feature.kind != "numeric":
            found = ColumnCoding.of_categories(feature.kind_code, len(feature.labels))
        elif edges is not None and place in edges:
            found = ColumnCoding.of_numbers(edges[place], coarse=True)
        else:
            values = np.unique(data[~np.isnan(data)].astype(np.float64) + 0.0)
            coarse = len(values) > MOST_CODES
            sample = edges_of(data[:_SAMPLE].astype(np.float64)) if coarse else values
            found = ColumnCoding.of_numbers(sample, coarse=coarse)
        codings.append(found)
    return codings


def facts_of(
    table: Table, codings: Sequence[ColumnCoding], home_rows: int
) -> PartsFacts:
    """Return what is known about the rows of a table.

    Parameters
    ----------
    table : Table
        The table.
    codings : sequence of ColumnCoding
        Of its usable columns.
    home_rows : int
        See `PartsFacts`.

    Returns
    -------
    PartsFacts
    """
    given = table.weights
    weights = RowWeights(table.n_rows)
    total_units, total = table.n_rows, float(table.n_rows)
    there = np.ones(table.n_rows, np.bool_)
    if given is not None:
        there = given > 0
        n, largest = int(np.count_nonzero(there)), float(given.max())
        equal = int(np.count_nonzero(given == largest)) == n
        weights = RowWeights(n, largest, equal)
        total_units = int(weights.in_units(given).sum())
        total = math.fsum(given)
    levels = []
    for place, index in enumerate(table.usable):
        data = table.columns[index].data[there]
        known = data[data >= 0] if codings[place].kind else data[:0]
        levels.append(len(np.unique(known)))
    return PartsFacts(
        schema=table.schema,
        codings=codings,
        n_levels=levels,
        weights=weights,
        total_units=total_units,
        total=total,
        home_rows=home_rows,
    )


def part_of(table: Table, rows: NDArray[np.int64], facts: PartsFacts) -> MemoryPart:
    """Return some rows of a table as a coded part.

    Parameters
    ----------
    table : Table
        The table.
    rows : int array
        Row numbers.
    facts : PartsFacts
        How to code them.

    Returns
    -------
    MemoryPart
    """
    target, info = table.target, table.schema.target
    assert target is not None, "a tree has a target"
    assert info is not None, "a tree has a target"
    y: NDArray[Any] = target.data[rows]
    if not isinstance(target, ClassTarget):
        y = np.ascontiguousarray(info.in_units(y), np.float64)
    weights = None
    if table.weights is not None:
        weights = table.weights[rows]
    columns = [table.columns[i].data[rows] for i in table.usable]
    return MemoryPart(facts.codings, coded_arrays(facts.codings, columns, y, weights))
